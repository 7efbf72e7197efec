/* SPDX-License-Identifier: MIT
 *
 * leak_target.h - what was found of one leak target: a verdict, and the figures and texts behind it. A result as estimates are: made from
 * the raw times by analyse/leak_judges.h, and made anew by who replays them.
 *
 *     const struct leak_target *t = record_leak_target(&r, subject);
 *     if (t && t->verdict == VERDICT_LEAK) ... t->difference_ns, t->first, t->second ...
 *
 * leak_figures.def and leak_texts.def say what each member means. Ownership: the record's.
 */
#ifndef LEAK_TARGET_H
#define LEAK_TARGET_H

#include "record.h"

enum { LEAK_PLACES_MAX = 64, LEAK_PAIR_SIZES_MAX = 512, LEAK_QUANTILES_MAX = 16 };

/* The size in the processes of one CPU; second class less first. NaN, infinite: too few of them. */
struct leak_place {
    int cpu;
    double processes, ns, low_ns, high_ns;
};

/* The size of a pair of classes (by their numbers, from 0) at a clip that counts for the verdict: what sessions are put together by. */
struct leak_pair_size {
    int first, second;
    double clip, ns, cycles; /* cycles NaN: not known */
};

/* How much later a quantile of the second class comes than that of the first. ns NaN: for shift_why. Ends infinite: unbounded. */
struct leak_quantile {
    double quantile, ns, low_ns, high_ns;
};

enum { LEAK_SITES_MAX = 256 }; /* of a target; of more only the number is kept */

/* A source line where jumps or addresses depended on the secret, and how often. */
struct leak_site {
    const char *kind;                     /* jump, address, system call, use, memory error */
    const char *file, *function, *object; /* NULL: not known */
    int line;                             /* 0: not known */
    double count;
};

struct leak_target {
    int subject;
    enum verdict verdict; /* LEAK, LEAK_SMALL, NO_LEAK, UNDECIDED, INVALID; NONE: nothing was asked of it */
    bool exact;           /* sizes by betting, about the calls that were made */
    bool decided;         /* more calls would not change the word */
#define FIGURE(id, unit, meaning) double id;
#include "leak_figures.def"
#define TEXT(id, meaning) const char *id;
#include "leak_texts.def"
    const struct leak_site *taint_sites; /* most often reported first */
    int n_taint_sites;
    const struct leak_place *places;    /* ascending by CPU; of the difference that is printed */
    const struct leak_pair_size *sizes; /* pairs of classes in order, of each all clips */
    const struct leak_quantile *shift;  /* ascending, of the same pair; intervals hold together */
    int n_places, n_sizes, n_shift;
};

/* One with no figure and no text. */
void leak_target_init(struct leak_target *t, int subject);

struct leak_figure {                 /* for who walks over all of them */
    const char *id, *unit, *meaning; /* what people call it, and behind a semicolon what else is to be said */
    size_t offset;
};
struct leak_text {
    const char *id, *meaning;
    size_t offset;
};
const struct leak_figure *leak_figure_at(int index); /* NULL past the end */
const struct leak_text *leak_text_at(int index);
double *leak_figure_of(struct leak_target *t, const struct leak_figure *f);
const char **leak_text_of(struct leak_target *t, const struct leak_text *x);

/* Copies; takes the place of what is there of the subject. NO_MEMORY. */
enum tare_status record_set_leak_target(struct record *r, const struct leak_target *t);
const struct leak_target *record_leak_target(const struct record *r, int subject); /* NULL: none */

#endif
