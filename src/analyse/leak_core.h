/* SPDX-License-Identifier: MIT
 *
 * leak_core.h - the parts that the leak engine is made of. Used by leak_*.c only.
 *
 *     leak_sample      every 2^i-th block since some moment, whole: a fair picture of the past in bounded memory
 *     leak_limits      where the evidence cuts and clips, made of a sample: frozen before the blocks that they judge
 *     leak_histogram   counts of one class over the whole run
 *     injected_delay       what is found of the injected delay
 *     leak_over        sizes of a question over processes
 *     leak_test_set     one question (MAIN, AA or SPIKE): limits, and for each pair of classes what the evidence and the sizes need
 *
 * Ownership: each has a finish; all memory is taken by its start. Where the formulas stand: leak_engine.c, leak_size.c, leak_processes.c.
 */
#ifndef LEAK_CORE_H
#define LEAK_CORE_H

#include "leak_engine.h"
#include <stddef.h>

enum {
    LEAK_SAMPLE_TIMES = 8192,   /* in the sample that makes limits */
    LEAK_BINS = 256 + 24 * 128, /* of a histogram */
    LEAK_JUDGED = LEAK_CLIPS - 1,
    LEAK_SPREADS = 2,
    LEAK_LEAST_WARMUP = 50, /* blocks with which the end of a process closes the warm-up */
    LEAK_BURN_IN = 200,     /* blocks before an interval may decide that is not `exact` */
    LEAK_COMPONENTS = LEAK_LIMITS + 1 + LEAK_CLIPS + 2 * LEAK_SPREADS
};

/* ---- leak_limits.c ---- */

struct leak_sample {
    int k, room, n; /* classes; blocks */
    int64_t seen, stride;
    double *ticks; /* n blocks of k, in the order of the classes */
};
enum tare_status leak_sample_start(struct leak_sample *s, int k, int room);
void leak_sample_finish(struct leak_sample *s);
void leak_sample_add(struct leak_sample *s, const double *ticks);
void leak_sample_clear(struct leak_sample *s);

struct leak_limits {
    double at[LEAK_LIMITS]; /* ascending */
    double low;             /* the least time of the sample: clipped there too */
    double clip[LEAK_JUDGED];
    double middle;                                             /* median */
    double spread_clip[LEAK_SPREADS], spread_at[LEAK_SPREADS]; /* of the distance from it */
};
extern const double leak_limit_quantiles[LEAK_LIMITS], leak_clip_quantiles[LEAK_CLIPS], leak_spread_quantiles[LEAK_SPREADS],
    leak_spread_clips[LEAK_SPREADS];
/* scratch: LEAK_SAMPLE_TIMES doubles. The sample has a block at least. rule: of clocks with steps, by which clips lie above their quantile. */
void leak_limits_set(struct leak_limits *l, const struct leak_sample *s, const struct leak_rule *rule, double *scratch);
/* When they move: at each doubling of what a process has had, from LEAK_MOVE_MOST on each as many again; counted in blocks, of a scan in calls. A process
 * with fewer than twice LEAK_MOVE_LEAST has no limits of its own, and the next one goes on with those that there are. */
enum { LEAK_MOVE_LEAST = 50, LEAK_MOVE_MOST = 65536 };
struct leak_moves {
    int64_t from, next; /* where the process began; when they move next */
};
void leak_moves_on(struct leak_moves *m); /* they were due */
bool leak_moves_begin_process(struct leak_moves *m,
                              int64_t n); /* after n in all. True: the next limits are to be of what comes from here */
/* How many limits lie below t: t is at or below limit i just when i >= that. */
int leak_limits_below(const struct leak_limits *l, double t);
static inline double leak_clipped(const struct leak_limits *l, int clip, double t)
{
    if (clip >= LEAK_JUDGED)
        return t;
    double down = t < l->clip[clip] ? t : l->clip[clip];
    return down > l->low ? down : l->low;
}

/* ---- leak_size.c: its histogram ---- */

struct leak_histogram {
    int64_t n, under; /* under: below base */
    int64_t *count;   /* LEAK_BINS */
};
enum tare_status leak_histogram_start(struct leak_histogram *h);
void leak_histogram_finish(struct leak_histogram *h);
void leak_histogram_add(struct leak_histogram *h, double base, double t);
double leak_histogram_quantile(const struct leak_histogram *h, double base, double q); /* NaN: empty or outside */
/* Shares at or below each of the ascending x, n of them. */
void leak_histogram_below(const struct leak_histogram *h, double base, const double *x, int n, double *share);

/* ---- leak_components.c: one question ---- */

struct leak_running { /* Welford; of how many values, blocks or processes, its owner knows */
    double mean, m2;
};
/* share: 1 over their number with this one. */
static inline void leak_running_add(struct leak_running *r, double x, double share)
{
    double off = x - r->mean;
    r->mean += off * share;
    r->m2 += off * (x - r->mean);
}

struct leak_tally { /* a pair of classes; [0]: the first alone, [1]: the second alone */
    int64_t below[2][LEAK_LIMITS +
                     1]; /* differences along the limits: their running sum counts blocks with only that one at or below */
    int64_t slower[2], near[2][LEAK_SPREADS];
    struct leak_running mean[LEAK_CLIPS], spread[LEAK_SPREADS];
};

/* ---- leak_size.c: exact intervals ---- */

/* The mean so far of the conditional means of bounded values, whatever moves. */
struct leak_bernstein {
    int64_t n;
    double range; /* values lie in [-range, range] */
    double sum, v;
};
struct leak_bernstein leak_bernstein_start(double range);
void leak_bernstein_add(struct leak_bernstein *m, double x);
struct tare_interval leak_bernstein_interval(const struct leak_bernstein *m, double level);
/* Radius of n times that mean, on both sides at once: v sums squares of distances from what was predicted, none of which reaches further
 * below it, or above, than `most`. */
double leak_bernstein_radius(double v, double most, double level);

/* ---- leak_processes.c: means over processes ---- */

/* A mean over processes that holds at every number of them; r: over them. */
struct tare_interval leak_over_processes(const struct leak_running *r, int64_t processes, double level);
/* The evidence that it is above `bound`, as a natural logarithm: at most 0 where the mean is not, or n below 2. */
double leak_log_e_above(const struct leak_running *r, int64_t processes, double bound);
/* The number of processes, `least` at least, at which an interval that has this radius at `now` lies within `room` of the truth, its mean being off by `off`
 * standard errors, were processes to go on differing as they do. INFINITY: none below a million. */
double leak_processes_at_radius(int64_t now, double radius, double room, double off, int64_t least, double level);

/* Whether `had` blocks behind the `before` ones of `processes` that count alone are a process that does too, warming ones beside them having set limits. */
bool leak_counts_alone(int64_t had, int64_t warming, int64_t processes, int64_t before);

/* Sizes by the CPU of the process: leak_processes.c. */
struct leak_strata {
    int n, cpu[LEAK_CPUS_MAX];
    int64_t processes[LEAK_CPUS_MAX];
    struct leak_running *clipped; /* LEAK_CPUS_MAX times pairs times LEAK_CLIPS */
};

struct leak_over {             /* of a question */
    int64_t processes, blocks; /* those that are in it */
    int64_t warmup;            /* blocks that set limits, of all processes so far */
    int64_t from;              /* blocks of all kinds before those of the process at hand that count */
    int waiting;               /* processes that count next, together: their place is that of all */
    int cpu;                   /* of those; -1: not known, or several */
    double cycles;             /* the mean of their core cycles in a tick; NaN: of one not known */
    double slowest, fastest;   /* of those cycles */
    int64_t with_cycles;       /* processes whose were known */
    double cycles_low, cycles_high;
    struct leak_strata strata;
    struct leak_over_pair {
        struct leak_over_sums { /* over the blocks before `from` */
            double clipped[LEAK_CLIPS];
            int64_t signs[LEAK_LIMITS];
        } before;
        struct leak_running clipped[LEAK_CLIPS], sign[LEAK_LIMITS]; /* over processes */
        struct leak_running cycles[LEAK_CLIPS];                     /* over those whose cycles were known */
    } * pair;
};
enum tare_status leak_over_start(struct leak_over *o, int pairs);
void leak_over_finish(struct leak_over *o);
/* Where the process at hand ran, before its end. cpu -1, cycles NaN: not known. */
void leak_over_place(struct leak_over *o, int cpu, double cycles_per_tick);
/* The end of a process; blocks, and those that set limits before them: of all so far. */
void leak_over_round(struct leak_over *o, const struct leak_tally *tallies, int pairs, int64_t blocks, int64_t warmup);
/* What the process at hand has had so far counts for nobody: its limits were another's. */
void leak_over_skip(struct leak_over *o, const struct leak_tally *tallies, int pairs, int64_t blocks);
/* r: one of its own, of values that a block changes by `range` at most. */
struct tare_interval leak_over_interval(const struct leak_over *o, const struct leak_running *r, double range, double level);

/* ---- by the CPU of the process ---- */

enum tare_status leak_strata_start(struct leak_strata *s, int pairs);
void leak_strata_finish(struct leak_strata *s);
/* The place of a CPU, which has one process more now; -1: none is left. */
int leak_strata_at(struct leak_strata *s, int cpu);
static inline struct leak_running *leak_stratum(const struct leak_strata *s, int pairs, int at, int pair)
{
    return s->clipped + ((ptrdiff_t)at * pairs + pair) * LEAK_CLIPS;
}
/* Sizes of each CPU at this clip of this pair, and whether they differ; fills cpu, n_cpus and cpus_differ. */
void leak_strata_read(const struct leak_strata *s, int pairs, int pair, int clip, double level, struct leak_reading *out);

struct leak_test_set {
    const struct leak_rule *rule;
    int k, pairs;
    bool warm;
    int64_t warmup_blocks, warmup; /* wanted; had */
    int64_t n, next_look;
    struct leak_moves moves;
    struct leak_limits limits, first; /* now; those that the warm-up set */
    double mean_scale[LEAK_CLIPS], spread_scale[LEAK_SPREADS];
    struct leak_sample recent; /* since the limits were last set */
    double *scratch;           /* LEAK_SAMPLE_TIMES, shared */
    struct leak_tally *tally;
    struct leak_bernstein *exact; /* LEAK_JUDGED a pair; NULL: not asked for */
    struct leak_over over;        /* pair NULL: its sizes are about the blocks */
    double median;                /* of the warm-up */
    int worst;                    /* pair of the strongest evidence, at the last look */
    double log_e, most;           /* at the last look; at any */
};

/* sized: its sizes are judged, in the way that the rule asks for. */
enum tare_status leak_test_set_start(struct leak_test_set *b, const struct leak_rule *rule, int k, int64_t warmup,
                                     double *scratch, bool sized);
void leak_test_set_finish(struct leak_test_set *b);
void leak_test_set_restart(struct leak_test_set *b); /* one that is not sized, as it was started: nothing is known any more */
/* ticks: by class. True: a look is due. */
bool leak_test_set_add(struct leak_test_set *b, const double *ticks);
void leak_test_set_round(struct leak_test_set *b);      /* the end of a process */
void leak_test_set_end_warmup(struct leak_test_set *b); /* with what there is; nothing when it is over, or without a block */
void leak_test_set_look(struct leak_test_set *b);
/* False: not each class once. */
bool leak_by_class(int k, const uint8_t *class, const uint32_t *ticks, double *by_class);
/* Components of a pair with their evidence; how many. */
int leak_components(const struct leak_test_set *b, int pair, struct leak_component *out);
double leak_pair_log_e(const struct leak_test_set *b, int pair);
/* Tallies beside the battery's own, by its limits and scales: of two classes, n blocks with this one; two of n and m blocks as one. */
void leak_tally_note(const struct leak_test_set *b, struct leak_tally *t, int64_t n, const double *two);
void leak_tally_merge(struct leak_tally *t, int64_t n, const struct leak_tally *more, int64_t m);
double leak_tally_log_e(const struct leak_test_set *b, const struct leak_tally *t, int64_t n);
/* Blocks in which only the first, only the second, was at or below each limit. */
void leak_tally_below(const struct leak_tally *t, int64_t *first, int64_t *second);

/* ---- leak_size.c ---- */

/* Level of one interval: half of 1 - confidence is for the sizes, half for the advantages. */
double leak_size_level(const struct leak_rule *rule, int pairs);
void leak_size_at_clip(const struct leak_test_set *b, int pair, int clip, struct leak_difference *out);
/* The running difference at a clip, with what keeps its variance honest. */
struct leak_running leak_careful(const struct leak_test_set *b, int pair, int clip);
void leak_size_of_pair(const struct leak_test_set *b, int pair, struct leak_pair *out);
/* Of n blocks `up` have +1, `down` have -1, the rest 0: their mean. */
struct tare_interval leak_ternary(int64_t up, int64_t down, int64_t n, int64_t tight, double level, bool exact);
struct tare_interval leak_running_interval(const struct leak_running *r, int64_t n, int64_t tight, double level);
/* The n at which an asymptotic interval that has this radius at n now lies within `room` of the truth, were its standard deviation to stay: its
 * radius, and `off` standard errors by which the mean is off. INFINITY: none below 1e15. Before `tight` such an interval narrows faster than the square
 * root of n, behind it more slowly. */
#define LEAK_TYPICALLY_OFF .8 /* E |Z| of a normal Z */
double leak_blocks_at_radius(double n, double radius, double room, double off, int64_t tight, double level);
void leak_shift_function(const struct leak_histogram *first, const struct leak_histogram *second, double base,
                         const struct leak_rule *rule, struct leak_shift *out);
int leak_ecdf(const struct leak_histogram *first, const struct leak_histogram *second, double base, const struct leak_rule *rule,
              struct leak_ecdf_point *out);

/* ---- leak_verdict.c ---- */

void leak_decide(const struct leak_rule *rule, const struct leak_facts *facts, struct leak_reading *out);
/* What spoils any answer; LEAK_WHYS: nothing does. harness: it makes a difference of its own; found: what was looked for, so that a blind harness
 * takes nothing from it. */
enum leak_reason leak_spoiled(const struct leak_facts *f, const struct leak_selfcheck *c, bool harness, bool found);

/* ---- leak_selfcheck.c ---- */

enum {
    LEAK_WINDOW = 64,
    LEAK_POWER_LEVELS = 16,
    LEAK_CHECK_WARMUP = 100,
    LEAK_LEAST_CHECKS = 50,
    LEAK_HIDING_PROCESSES = 3,
    LEAK_SOUGHT_BURN_IN = 100
};

/* How often the planted delay is found in a stretch of LEAK_WINDOW << level blocks. */
struct leak_power {
    int64_t had[LEAK_POWER_LEVELS], found[LEAK_POWER_LEVELS];
};
void leak_power_note(struct leak_power *p, int level, bool found);
/* Of stretches no longer than `blocks`: those whose lower end is the highest. */
void leak_power_read(const struct leak_power *p, int64_t blocks, double level, struct leak_selfcheck *out);

enum { LEAK_PLANTED_KEPT = 64 };
struct leak_sought { /* what is known of the delay, of blocks or, in a scan, of calls */
    int replanted;   /* times that it was hidden and planted anew */
    int64_t blocks, found_after, in_window;
    struct leak_power power;
    bool waits[LEAK_POWER_LEVELS];
    /* What was planted in the processes that have ended and said it. Each weighs it anew, and one in some twenty weighs what a predictor of branches gets
     * wrong there, tens of ticks: so what was found over all of them is held against the median of the first LEAK_PLANTED_KEPT. */
    double planted[LEAK_PLANTED_KEPT]; /* ascending */
    int kept, processes;               /* processes: that had blocks of it */
    int64_t seen;                      /* blocks at the end of the last one */
};
/* The end of a process that planted so many ticks, NaN: it does not say; `found` so far. True: that is proven to be hidden, and may be planted anew; all that
 * was known of it is forgotten here, and the caller forgets what it has. */
bool leak_sought_end_process(struct leak_sought *s, const struct tare_interval *found, double planted_ticks, int replantings);
/* The spike_ and power_ figures. planted_ticks: where no process has ended. question: its blocks. level: of the power. */
void leak_sought_read(const struct leak_sought *s, const struct tare_interval *found, double planted_ticks, int64_t question,
                      double level, struct leak_selfcheck *out);

struct injected_delay {
    struct leak_sought sought;
    struct leak_running all; /* the difference over all blocks, clipped at 99 % */
    struct leak_tally window,
        waiting[LEAK_POWER_LEVELS]; /* of the stretch that fills; of the first half of the next longer one */
};
void injected_delay_start(struct injected_delay *s);
/* A block behind the warm-up of its battery; found: what E is held against. */
void injected_delay_add(struct injected_delay *s, const struct leak_test_set *b, const double *two);
void injected_delay_look(struct injected_delay *s, struct leak_test_set *b);
/* At the end of a process that planted so much: where that is proven to be hidden, and may be planted anew, all that was found of it is forgotten. */
void injected_delay_end_process(struct injected_delay *s, struct leak_test_set *b, double planted_ticks);
/* A block of A/A or of the planted delay; at: of all kinds. */
void leak_check_block(struct leak_test_set *at, struct injected_delay *s, enum leak_kind kind, const double *two);
/* The end of a process for both, which may close their warm-up from so many blocks on. planted_ticks: as injected_delay_end_process. */
void leak_check_end_process(struct leak_test_set *at, struct injected_delay *s, int64_t least_warmup, double planted_ticks);
/* A/A and spike; planted_ticks: NaN where it is not known. blocks: of the question. */
void leak_selfcheck_read(const struct leak_test_set *aa, const struct injected_delay *s, double planted_ticks, int64_t blocks,
                         struct leak_selfcheck *out);

/* What a bounded answer asks of them: A/A was quiet over so many blocks, and the planted delay was found. */
static inline bool leak_checks_passed(const struct leak_selfcheck *c)
{
    return c->aa_blocks >= LEAK_LEAST_CHECKS && c->spike_found_after >= 0;
}
/* It does not show, or did not once, and what was planted since has not been found yet. */
bool injected_delay_waits(const struct leak_selfcheck *c);

/* What was said before and this. */
void leak_facts_add(struct leak_facts *all, const struct leak_facts *f);

/* How far the sums of n means run away from their straight line, in units of what means without drift would do: over 1.63 by chance in
 * 1 of 100; *at: behind which of them the change lies. NaN: fewer than LEAK_DRIFT_LEAST, or all alike. */
enum { LEAK_DRIFT_LEAST = 16 };
double leak_cusum(const double *means, int n, int *at);

struct leak_levels { /* means of the stretches of a run, of about equal numbers of processes, class by class */
    int n;
    int64_t each, in_this; /* processes */
    struct leak_level {
        int64_t n;
        double sum[LEAK_CLASSES_MAX];
    } now, at[LEAK_EPOCHS_MAX];
};
void leak_levels_add(struct leak_levels *l, const double *x, int k); /* one of each of k */
void leak_levels_round(struct leak_levels *l);                       /* the end of a process */
/* The drift_ figures, by the mean over the k. */
void leak_levels_read(const struct leak_levels *l, int k, struct leak_selfcheck *out);

#endif
