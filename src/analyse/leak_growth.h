/* SPDX-License-Identifier: MIT
 *
 * leak_growth.h - does the time of an operation grow with the size of what it works on: "is it O(1)?"
 *
 *     struct leak_growth_rule rule = leak_growth_rule_default(sizes, n_sizes);
 *     struct leak_growth *g;
 *     leak_growth_create(&rule, &g, &err);
 *     for each round, a process of its own:
 *         leak_growth_blocks(g, k, n, class, ticks, &err);
 *         leak_growth_checks(g, LEAK_AA, n, class, ticks, &err);     // and LEAK_SPIKE, a delay of D at the smallest size
 *         leak_growth_facts(g, &facts);
 *         leak_growth_round(g);
 *     leak_growth_read(g, &reading);
 *     leak_growth_destroy(g);
 *
 * A block holds one call at each size, in drawn order. How: leak_growth.c. Size 0 is shown, never used as a baseline.
 */
#ifndef LEAK_GROWTH_H
#define LEAK_GROWTH_H

#include "leak_engine.h"

enum { LEAK_SIZES_MAX = 32, LEAK_GROWTH_ROUNDS_MAX = 64 };

struct leak_growth_rule {
    int n_sizes;                  /* 2..LEAK_SIZES_MAX; a class of complexity wants 4 above 0 */
    double sizes[LEAK_SIZES_MAX]; /* rising, at least 0; class[] of the blocks is the index */
    double confidence;            /* .99, of all intervals together */
    double bound_ticks;           /* D: tolerated growth from the smallest to the largest size; 0: from the two below */
    double latency_ticks;         /* of one access to memory; NaN: not known. D = max(4 latencies, bound_share T(smallest)) */
    double bound_share;           /* .5 */
    int64_t warmup_blocks;        /* 50: they set the clip levels of each size */
    double drawn_step_ticks;      /* as of struct leak_rule; 0 */
    double repeat;                /* calls that were asked for between two readings; 1 */
    bool selfchecks;              /* true: nothing is bounded without A/A and spike blocks that passed */
};
struct leak_growth_rule leak_growth_rule_default(const double *sizes, int n_sizes);

struct leak_growth;
enum tare_status leak_growth_create(const struct leak_growth_rule *rule, struct leak_growth **out, struct tare_err *err);
void leak_growth_destroy(struct leak_growth *g);
enum tare_status leak_growth_blocks(struct leak_growth *g, int k, int64_t n, const uint8_t *class, const uint32_t *ticks,
                                    struct tare_err *err);
/* Blocks of two calls at the smallest size above 0. AA: class 1 behind what the harness does for the largest one; SPIKE: class 1 with the known
 * delay. FORMAT as leak_engine_blocks. */
enum tare_status leak_growth_checks(struct leak_growth *g, enum leak_kind kind, int64_t n, const uint8_t *class,
                                    const uint32_t *ticks, struct tare_err *err);
void leak_growth_facts(struct leak_growth *g, const struct leak_facts *f); /* as leak_engine_facts */
void leak_growth_round(struct leak_growth *g);                             /* the end of a process */

enum leak_growth_verdict {
    LEAK_GROWTH_UNDECIDED,
    LEAK_GROWTH_BOUNDED,
    LEAK_GROWTH_GROWS,
    LEAK_GROWTH_INVALID,
};

struct leak_size {
    double size;
    double median_ticks;        /* of a thinned sample */
    struct tare_interval ticks; /* mean over processes, clipped far above this size's own 90 % */
};

struct leak_growth_reading {
    enum leak_growth_verdict verdict;
    enum leak_reason why;
    const char *class;      /* "1", "log n", "sqrt n", "n", "n log n", "n^2", "n^3": the best, or NULL: too few sizes or rounds */
    char not_told_from[64]; /* classes that the rounds do not tell from it, "n or n log n"; "": all others are told */
    bool stop;
    int64_t blocks, warmup;
    int rounds;
    int64_t processes;
    struct leak_selfcheck check;            /* order: of A/A; drift: of the smallest size */
    struct tare_interval growth_ticks;      /* T(largest) - T(smallest above 0) */
    double bound_ticks;                     /* D, as used */
    struct tare_interval per_element_ticks; /* growth / (largest - smallest) */
    struct tare_interval slope; /* d ln T / d ln n over the upper half of the octaves, over rounds (fixed n; a description) */
    double blocks_needed;       /* more; NaN, INFINITY */
    double log_e;               /* natural: evidence that the growth is above D; 0: none, or its mean is below D */
    int n_sizes, first;         /* first: index of the smallest size above 0 */
    struct leak_size at[LEAK_SIZES_MAX];
};
/* Pure but for scratch memory of g: one reader at a time. */
void leak_growth_read(const struct leak_growth *g, struct leak_growth_reading *out);

#endif
