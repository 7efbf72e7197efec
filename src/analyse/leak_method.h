/* SPDX-License-Identifier: MIT
 *
 * leak_method.h - what a judge keeps of a target, and in what the kinds of question differ. Used by leak_judges.c, which calls the methods, and by
 * them: leak_by_pairs.c, leak_scan.c, leak_growth.c.
 *
 * To add one: a struct leak_method beside its code, a line in the list of leak_judges.c. leak_method.c has what they share: from ticks of a bracket to ns
 * and cycles of a call.
 */
#ifndef LEAK_METHOD_H
#define LEAK_METHOD_H

#include "arena.h"
#include "chart.h"
#include "leak_dudect.h"
#include "leak_engine.h"
#include "leak_growth.h"
#include "leak_judges.h"
#include "leak_scan.h"

struct leak_method {
    const char *kind; /* of the rule */
    bool sizes;       /* blocks are of sizes, not of classes */
    /* By the rule and the first report; what was made on the way to a failure is left to destroy, which takes a state of NULL. */
    enum tare_status (*create)(struct leak_judge *j, const struct wire_target *t, struct tare_err *err);
    void (*destroy)(void *state);
    /* NULL: it takes none. ticks: of all their calls. */
    enum tare_status (*blocks)(struct leak_judge *j, const struct wire_blocks *b, const uint32_t *ticks, struct tare_err *err);
    void (*calls)(struct leak_judge *j, const struct wire_calls *c, const uint32_t *ticks);
    void (*end_process)(void *state, const struct leak_facts *facts);
    void (*read)(struct leak_judge *j, struct leak_target *t);  /* j->now too */
    double (*visible_ticks)(const void *state, int64_t blocks); /* the smallest shift that so many would show; NULL: not known */
    int (*draw)(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart *out);
};
extern const struct leak_method leak_by_pairs, leak_by_dudect, leak_by_scan, leak_by_growth;

struct leak_judge {
    const struct rule *rule;
    const struct leak_method *method; /* NULL: no report was taken yet */
    void *state;                      /* of the method */
    struct arena arena;               /* names of classes */
    /* of the first report */
    const char **classes;
    int n_classes, secret_bytes;
    int growth_calls;        /* of a block of sizes; 0: it has classes */
    double typical_ticks;    /* median without the empty bracket, of growth at the smallest size above 0; what shares are of */
    double step_ticks;       /* of a file's clock, whose phase nobody drew; else 0 */
    double drawn_step_ticks; /* of a clock whose phase the processes drew, as the first of them says; else 0 */
    double hz, pair_ticks, repeat, cycles_per_tick; /* cycles: of the last report that knew it */
    const char *why_no_core;                        /* while a report is taken: why its process has no core cycles; "" */
    bool own_inputs;                                /* of each call of a reading */
    uint64_t terms;                                 /* of the target: its classes, its input, its sizes */
    char clock[32];
    /* of all */
    struct {
        int n;         /* processes that planted one */
        double beside; /* adds that ran beside a call of theirs, so that they did not lengthen it; mean */
    } spikes;
    int64_t calls, elapsed_ns, saturated, migrated;
    uint32_t facts;
    int dit; /* enum wire_dit; -1: no report */
    char dit_words[128];
    int64_t last_blocks; /* of the last report */
    struct {             /* as last read */
        double log_e, margin_ticks, warmup, blocks;
        int replanted, share_wanted; /* of struct leak_selfcheck */
    } now;
    uint32_t *ticks; /* of a frame */
    size_t room;
    struct buf class_text, facts_text, dit_text;
};

/* ---- leak_method.c ---- */

double leak_ns_per_tick(const struct leak_judge *j);     /* of a call, in a tick of a bracket */
double leak_cycles_per_tick(const struct leak_judge *j); /* likewise; NaN: not known */
/* In ticks of a bracket; 0: it is a share of what is too short to tell. INVALID: cycles, which are not known. */
enum tare_status leak_margin_ticks(const struct leak_judge *j, double *out, struct tare_err *err);
enum tare_status leak_rule_of(const struct leak_judge *j, struct leak_rule *out, struct tare_err *err);
enum verdict leak_verdict_of(enum leak_verdict v);
double leak_starved(enum leak_reason why);
double leak_decimal(double natural);
void leak_scaled(const struct tare_interval *ticks, double factor, double *point, double *low, double *high);
void leak_put_checks(struct leak_judge *j, const struct leak_selfcheck *c, struct leak_target *t);

/* ---- leak_charts.c: what was read of a target, as pictures. Arrays and texts live in the arena. A picture for which there are no values is left out;
 * without memory all are. How many. ---- */

/* Ticks of a bracket in what is shown: a time is (ticks - empty_ticks) * per_tick, a difference ticks * per_tick. */
struct leak_scale {
    double per_tick; /* of the unit, calls per reading taken into account */
    double empty_ticks;
    const char *unit; /* "ns", "cycles", "ticks" */
};

struct leak_chart_words {
    const char *const *class_names; /* n_classes of them */
    int n_classes;
    double alpha, confidence;
    const char *unresolved; /* why quantiles have no value; NULL: all have */
    struct leak_scale scale;
};

struct leak_chart_words leak_chart_words_of(const struct leak_judge *j, const struct leak_target *t);
/* Of pairs of classes: two-class histogram, distributions, their difference, shift function, evidence, size over calls, epochs. */
int leak_charts(const struct leak_reading *reading, const struct leak_pictures *pictures, const struct leak_chart_words *words,
                struct arena *arena, struct chart *out);
/* t of dudect's tests over what part of the calls each takes. */
int leak_dudect_charts(const struct leak_dudect_reading *reading, double threshold, struct arena *arena, struct chart *out);
/* Time over size. */
int leak_growth_charts(const struct leak_growth_reading *reading, const struct leak_chart_words *words, struct arena *arena,
                       struct chart *out);
/* Evidence of each bit. bits: reading->bits of them. */
int leak_scan_charts(const struct leak_scan_reading *reading, const struct leak_bit *bits, const struct leak_chart_words *words,
                     struct arena *arena, struct chart *out);

#endif
