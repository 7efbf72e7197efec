/* SPDX-License-Identifier: MIT
 *
 * leak_words.h - from the engines' readings, in ticks of a bracket, to the figures and texts of leak_target.h, in ns and cycles of a call.
 * Used by leak_judge.c. Pure.
 */
#ifndef LEAK_WORDS_H
#define LEAK_WORDS_H

#include "buf.h"
#include "leak_dudect.h"
#include "leak_engine.h"
#include "leak_growth.h"
#include "leak_process.h"
#include "leak_scan.h"
#include "leak_target.h"

struct leak_units {
    double ns, cycles; /* of a call, in a tick of a bracket; cycles NaN: not known */
    double empty_ticks, hz, repeat, cycles_per_tick;
};

/* Where sizes, places and quantiles are made. */
struct leak_lists {
    struct leak_place places[LEAK_PLACES_MAX];
    struct leak_quantile shift[LEAK_SHIFTS];
    struct leak_pair_size sizes[LEAK_PAIR_SIZES_MAX];
};

/* What all reports of a target said beside its times. */
struct leak_tally {
    int64_t calls, elapsed_ns, saturated, migrated;
    uint32_t facts;
    int dit; /* enum wire_dit; -1: no report */
    char dit_words[128];
};
void leak_tally_add(struct leak_tally *t, const struct leak_report *r);

/* Where the texts are made. */
enum { WORDS_CLASSES, WORDS_BITS, WORDS_FACTS, WORDS_DIT, WORDS_DUDECT, WORDS_CORRECTED, WORDS_SHIFT, LEAK_WORDS };

void leak_words_names(struct buf *words, const char *const *classes, int n);
void leak_words_tally(struct buf *words, const struct leak_tally *tally, const struct leak_units *u, struct leak_target *t);
void leak_words_pairs(struct leak_lists *lists, const struct leak_reading *r, const char *const *classes,
                      const struct leak_units *u, struct leak_target *t);
/* step_ticks: of the clock. */
void leak_words_shift(struct leak_lists *lists, struct buf *words, const struct leak_shift shift[LEAK_SHIFTS], double step_ticks,
                      const struct leak_units *u, struct leak_target *t);
void leak_words_scan(struct buf *words, const struct leak_scan_reading *r, const struct leak_bit *bits,
                     const struct leak_units *u, struct leak_target *t);
void leak_words_growth(struct buf *words, const struct leak_growth_reading *r, const struct leak_units *u, struct leak_target *t);
void leak_words_dudect(struct buf *words, const struct leak_dudect_reading *r, double threshold, bool lab0,
                       struct leak_target *t);

#endif
