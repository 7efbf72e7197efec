/* SPDX-License-Identifier: MIT
 *
 * leak_engine.h - do the classes of a target's inputs change its time, by how much, and what may be said of that.
 *
 *     struct leak_rule rule = leak_rule_default(2);
 *     rule.margin_ticks = 20;
 *     struct leak_engine *e;
 *     leak_engine_create(&rule, &e, &err);
 *     for each round, a process of its own:
 *         leak_engine_blocks(e, LEAK_MAIN, 2, n, class, ticks);      // and LEAK_AA, LEAK_SPIKE as they came
 *         leak_engine_facts(e, &facts);                              // what the process said at its end
 *         leak_engine_round(e);                                      // a look: they are free, every number holds at all of them
 *         leak_engine_read(e, &reading);
 *         if (reading.stop)
 *             break;
 *     leak_engine_destroy(e);
 *
 * A block holds one call of each class, in an order drawn for it alone. Everything that decides rests on that draw: were the classes
 * without effect, who is called class 0 would be a coin, whatever the machine does meanwhile. How, with formulas: leak_engine.c
 * (evidence), leak_size.c and leak_processes.c (size), leak_verdict.c (words).
 *
 * Memory: about 320 KB and 35 KB a class, taken at the start, however long the run. The same blocks and rounds in the same order give the
 * same reading, bit by bit. Units: ticks are those of the brackets that were handed in, calls to a bracket included: all of a
 * run must have the same number of them; the caller turns ticks into ns and cycles. All of `double`: NaN is "has no value".
 * It does not: read frames, know clocks, keep raw times, draw orders, print.
 */
#ifndef LEAK_ENGINE_H
#define LEAK_ENGINE_H

#include "leak_reason.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/stats_more.h>
#include <tare/status.h>

enum {
    LEAK_CLASSES_MAX = 16,
    LEAK_PAIRS_MAX = LEAK_CLASSES_MAX * (LEAK_CLASSES_MAX - 1) / 2,
    LEAK_LIMITS = 21,      /* quantiles 5, 10 .. 95, 99, 99.8 % */
    LEAK_CLIPS = 4,        /* clipped at the quantile 50, 90, 99 %, and as it is */
    LEAK_SHIFTS = 12,      /* deciles, 95, 99, 99.9 % */
    LEAK_SERIES_MAX = 256, /* looks kept, evenly on a logarithmic scale */
    LEAK_EPOCHS_MAX = 256, /* stretches of the run kept, of equal length */
    LEAK_ECDF_POINTS = 100
};

/* The kinds of blocks. MAIN: the question. AA: classes 0 and 1 are both class 0, made by the second generator's slot. SPIKE:
 * class 0 as it is but for a short delay that both have, class 1 is that and a known delay. */
enum leak_kind { LEAK_MAIN, LEAK_AA, LEAK_SPIKE, LEAK_KINDS };

/* What kind of difference a component of the evidence feels. */
enum leak_family { LEAK_LOCATION, LEAK_TAIL, LEAK_SPREAD, LEAK_FAMILIES };
const char *leak_family_name(enum leak_family f); /* "location" */

enum leak_verdict { LEAK_UNDECIDED, LEAK_NONE, LEAK_SMALL, LEAK_FOUND, LEAK_INVALID, LEAK_VERDICTS };
const char *leak_verdict_name(enum leak_verdict v); /* "undecided", "no_leak", "leak_small", "leak", "invalid" */

/* ---- the rule: all that a verdict depends on beside the times; it goes into the record ---- */

struct leak_rule {
    int classes;         /* 2..LEAK_CLASSES_MAX */
    double alpha;        /* chance to call a leak what is none, over the whole run however often looked at: 1e-5 */
    double confidence;   /* of all intervals of the main question together: .99 */
    double margin_ticks; /* the tolerated size of a difference; 0: margin_share of the median */
    double margin_share; /* .01; taken of the median of the warm-up blocks, and frozen with it */
    double
        zero_ticks; /* what stands for a time of 0: 0, or less where times were shifted; margin_share is of the median above it */
    double advantage;       /* the tolerated advantage of an attacker at any limit: .01 */
    bool sizes_alone;       /* no advantage is judged: times are of several calls each */
    double alpha_selfcheck; /* chance that A/A alone makes a run without fault invalid: 1e-3 */
    bool exact;             /* sizes by sequences that hold at every n, whatever moves, about the blocks that were made */
    bool processes;         /* unless exact: sizes over processes. false: of data that have none, about the blocks, asymptotic */
    int64_t
        warmup_blocks; /* at most so many of MAIN set limits only: 500. The first round's end closes the warm-up too, once it has 50 */
    int64_t tight_blocks; /* where the asymptotic sequences are narrowest: 20000 */
    double
        step_ticks; /* of a clock whose phase nobody drew, as that of a file: a difference of means may be off by so much. 0: of none */
    double
        drawn_step_ticks; /* of a clock whose phase was drawn before each reading: means are right, and only what a quantile is is coarse. 0: of none */
    int replantings; /* how often a planted delay that is proven not to show may be planted anew by the next process, twice as long: 2 */
    bool
        selfchecks; /* true: without AA and SPIKE blocks that passed there is no `no_leak`. false: recorded data, which have none */
};
struct leak_rule leak_rule_default(int classes);
bool leak_rule_over_processes(const struct leak_rule *r); /* what its sizes are about */
/* From how many processes on a bounded answer may be given: the fewest n with (3/4)^n <= 1 - confidence, so that what a quarter of all
 * processes have was met by one of them with that confidence. 17 at .99. The confidence lies between 0 and 1. */
int64_t leak_least_processes(double confidence);

/* ---- feeding ---- */

struct leak_engine;

/* INVALID: a rule out of its range, err says what. */
enum tare_status leak_engine_create(const struct leak_rule *rule, struct leak_engine **out, struct tare_err *err);
void leak_engine_destroy(struct leak_engine *e); /* NULL: nothing */

/* n blocks of k calls: class[b * k + i] and ticks[b * k + i] of the call that came at place i. MAIN has rule.classes of k, the others 2.
 * FORMAT: k is another, or a block does not have each class once: nothing is taken of the blocks from there on. */
enum tare_status leak_engine_blocks(struct leak_engine *e, enum leak_kind kind, int k, int64_t n, const uint8_t *class,
                                    const uint32_t *ticks, struct tare_err *err);

/* What the processes said of the target beside its times. Facts add up: once true, true for good; the numbers are the last that are not NaN. */
struct leak_facts {
    bool classes_equal;     /* the generators gave the same input for two classes */
    bool not_deterministic; /* the same input gave two results */
    bool wrote_outside;     /* of its buffers */
    bool failed;            /* ended otherwise than well */
    double spike_ticks;     /* the planted delay, as measured alone; NaN: not known */
    double step_ticks;      /* of the clock; NaN */
    int cpu;                /* that the process just heard ran on; -1: not known, or several */
    double cycles_per_tick; /* core cycles in a tick of its clock, while it ran; NaN: not known */
};
struct leak_facts leak_facts_none(void);
void leak_engine_facts(struct leak_engine *e, const struct leak_facts *f);

/* The end of a process: a point of the epochs, and a look. */
void leak_engine_round(struct leak_engine *e);

/* ---- reading ---- */

/* A difference "second class less first", in ticks per bracket. */
struct leak_difference {
    double clip;       /* the quantile at which times are clipped: .5, .9, .99; 1: not at all */
    double clip_ticks; /* the level now; NaN for 1 */
    struct tare_interval ticks;
    struct tare_interval
        cycles;  /* of a bracket: each process's difference times its own cycles in a tick; point NaN: not known of all */
    bool judged; /* counts for the verdict: all but the one without a clip */
};

/* A pair of classes. */
struct leak_pair {
    int first, second;
    double log_e; /* natural; of its components' average */
    struct leak_difference at[LEAK_CLIPS];
    struct tare_interval
        advantage; /* of who tells the classes apart by one limit, 0..1, signless; over LEAK_LIMITS limits at once */
};

struct leak_component {
    const char *name; /* "mcnemar", "sign", "mean", "spread" */
    enum leak_family family;
    double at; /* the quantile of its limit or clip; NaN: has none */
    double log_e;
};

/* The size in the processes of one CPU, at the headline's clip of the worst pair. */
enum { LEAK_CPUS_MAX = 64 }; /* of more, those that came first */
struct leak_on_cpu {
    int cpu;
    int64_t processes;
    struct tare_interval ticks; /* over these processes, at 1 - confidence by itself; unbounded for few */
};

struct leak_selfcheck {
    int64_t aa_blocks, spike_blocks; /* behind their warm-up */
    double aa_log_e;                 /* most so far */
    bool aa_fired;
    struct tare_interval aa_ticks;    /* the harness's own difference, clipped at 99 % */
    double aa_threshold;              /* natural logarithm: ln(1/alpha_selfcheck) */
    int spike_replanted;              /* times that the delay did not show; the next process is to plant 2^this margins */
    int64_t spike_found_after;        /* blocks until its evidence reached 100, or an interval left 0; -1: not yet */
    double spike_planted_ticks;       /* as told; NaN */
    struct tare_interval spike_ticks; /* as found, clipped at 99 % */
    /* Of so many stretches of so many blocks of the spike, one behind the other, so many alone would have made the word "leak". Power: their share, with an
     * interval whose lower end holds for a question of as many blocks or more; NaN: no stretch is over that is not longer than the question. */
    int64_t power_blocks, power_stretches, power_found;
    struct tare_interval power;
    /* Blocks in a hundred that the next process should give at least to each of A/A and spike: 30 while MAIN is nearly done and only
     * they keep a `no_leak` back, 0 else. */
    int share_wanted;
    /* The headline's difference is larger than all that the harness may make by itself, by A/A's interval. A leak without this may be the
     * harness's: words should say so. */
    bool beyond_harness;
    bool spike_hides; /* as spike_blind, but in however few processes and with any length */
    bool spike_blind; /* not found, and its interval lies below half of what was planted, with every length that may be planted */
    struct tare_interval order_ticks; /* last place less first in a block: harmless, for the order is drawn */
    double drift_ticks, level_ticks;  /* largest epoch mean less the smallest; the mean of all of them, an empty bracket in it */
    double drift_cusum;               /* leak_selfcheck.c: over 1.63 by chance in 1 of 100; NaN below LEAK_DRIFT_LEAST epochs */
    int64_t drift_after;              /* blocks before the change that it sees */
    bool clock_stuck;
};
/* What they drifted by, of the mean without an empty bracket; NaN: that is not above 0, or there were fewer than 2 epochs. */
double leak_drift_share(const struct leak_selfcheck *c, double empty_ticks);

struct leak_look {
    int64_t blocks;
    double log10_e;
    struct tare_interval ticks; /* of the pair that was worst at that look */
};

struct leak_epoch {
    double mean_ticks[LEAK_CLASSES_MAX]; /* of times clipped at 99 % */
};

struct leak_ecdf_point {
    double ticks;
    double below[2]; /* share of each class at or below */
    struct tare_interval
        difference; /* second less first, with a band that holds at all times at once and at all looks, at every n */
};

struct leak_shift {
    double q;
    double at[2]; /* quantile of each class, mid-distribution within a bin; NaN: the step of the clock does not resolve it */
    struct tare_interval
        ticks; /* second less first; the band holds at all quantiles at once and at all looks, at every n; NaN as `at` */
};

struct leak_reading {
    enum leak_verdict verdict;
    enum leak_reason why;
    bool stop;      /* more blocks would not change the word, or only with a chance of alpha */
    int64_t blocks; /* of MAIN, behind the warm-up */
    int64_t warmup; /* of MAIN, in it */

    double log_e;                       /* natural, now: what a ledger takes */
    double log_e_most;                  /* the largest at any look: what the verdict takes */
    double log10_e;                     /* log_e / ln 10 */
    int64_t found_after;                /* blocks at the look that reached 1/alpha; -1: none did */
    struct leak_component component;    /* the strongest */
    double family_log_e[LEAK_FAMILIES]; /* the strongest of each */
    double bits_per_call;               /* log2 E / calls: what one call tells who watches; 0 while E < 1 */

    double median_ticks; /* of all calls of the warm-up; of a clock with steps mid-distribution */
    double margin_ticks; /* as used; NaN until it is known */
    double step_ticks;   /* of the rule: the intervals below are of what the clock shows, the times may differ by so much more */
    int pairs, worst;    /* pair[worst]: strongest evidence; it is what the figures and pictures are of */
    struct leak_pair pair[LEAK_PAIRS_MAX];
    int headline; /* of pair[worst].at[]: the clip to print, that at 90 % where it shows a difference */
    double
        calls_to_distinguish; /* 2 ln(100) / A^2 at the advantage's point: so many are enough for 1 % error (Hoeffding), fewer may be, where
                               * only one class is ever slow; INFINITY for 0, NaN for too few blocks */
    double calls_to_distinguish_low; /* at its upper end */
    bool exact;                      /* the sizes are about the blocks that were made, at every n, whatever moves */
    int64_t processes; /* that the sizes are over; -1: they are about the blocks, asymptotic unless exact: words must say so */

    struct leak_on_cpu cpu[LEAK_CPUS_MAX]; /* ascending by number */
    int n_cpus, cpus_differ; /* 1: they do, leak_processes.c; 0: not proven; -1: too few processes for the question */
    double cycles_per_tick_low, cycles_per_tick_high; /* over processes; NaN */

    double
        blocks_needed; /* more, until a word; NaN: not to be said, or a thousand times what there is. The smaller of the two below */
    double blocks_to_leak;  /* were the evidence to grow as it has; INFINITY: it does not grow */
    double blocks_to_bound; /* until all sizes are inside; INFINITY: they seem not to be */

    struct leak_selfcheck check;
};

/* About 60 KB: not for a stack. Reading changes nothing but scratch memory of e: one reader at a time. */
void leak_engine_read(const struct leak_engine *e, struct leak_reading *out);

/* What no verdict rests on, of the reading's worst pair: made when somebody wants to see it. About 60 KB. */
struct leak_pictures {
    struct leak_shift shift[LEAK_SHIFTS];
    int ecdf_points;
    struct leak_ecdf_point ecdf[LEAK_ECDF_POINTS];
    int looks;
    struct leak_look look[LEAK_SERIES_MAX];
    int epochs;
    int64_t epoch_rounds; /* processes in each */
    struct leak_epoch epoch[LEAK_EPOCHS_MAX];
};
/* `read` is what leak_engine_read said of the engine as it is now. */
void leak_engine_draw(const struct leak_engine *e, const struct leak_reading *read, struct leak_pictures *out);

/* The smallest shift, in ticks, that `blocks` blocks would show with even chance; NaN before the warm-up is over. */
double leak_engine_visible(const struct leak_engine *e, int64_t blocks);

/* The mid-distribution median of n sorted values: each counts at its place with half of its ties below it, linear between places. Of one time that a clock with
 * steps shows in drawn phases it is that time. n of 0: NaN. */
double leak_mid_median(const double *sorted, int n);

#endif
