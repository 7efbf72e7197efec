/* SPDX-License-Identifier: MIT
 *
 * Growth of a time with the size of what it works on, from blocks that hold one call at each size in drawn order.
 *
 * T(s): mean over processes of a process's mean time at size s, clipped at q90 + 3 (q90 - median) of its own warm-up calls, so that a preemption
 * counts as a slow call and no more, while a cost that grows with s moves its own clip along. Differences are taken within blocks, which share
 * the state of the machine: T(largest) - T(smallest). Size 0 is left out of it: an empty structure takes another path.
 *
 * The unit is the process: addresses, layout of memory and what the machine does meanwhile are its own, so calls within one say little of the
 * next. Intervals, and the evidence E(D) that the growth is above D, are those of leak_processes.c over the processes' means. E(D) is what many
 * targets are held together by. Half of 1 - confidence for the growth from end to end, half over the means of the sizes.
 *
 * Tolerated: D as given; else the larger of four accesses to memory and half of T(smallest), for a large structure misses caches
 * where a small one does not, and that is not the algorithm's.
 *   invalid    the clock does not move; or the harness is not to be trusted: A/A (the smallest size, behind what the harness does for itself and
 *              behind what it does for the largest one) has evidence of a difference, and its interval is not within D/2; or the planted delay, of
 *              D at the smallest size, was not found and its interval lies below half of it; or what the processes said spoils it
 *   grows      the interval of the growth lies above D; the run goes on until A/A has 50 blocks
 *   bounded    it lies below D (a time that shrinks is bounded), A/A was quiet over 50 blocks, and the planted delay was found
 * Class of complexity: misfits m_c of scan_fit.c, sqrt n too, of each round (a process; beyond LEAK_GROWTH_ROUNDS_MAX neighbours are merged). The
 * best has the least mean. Another one is told from it where the interval over rounds (leak_processes.c, at 1 - confidence) of m_c - 3 m_best lies above
 * 0: no law of an algorithm is met exactly (caches, allocators), and a class that misses by less than three times what the best misses may be the true one
 * with a little more of that. Three: with two the true class was not named where elements cost two to four times as much beyond the caches
 * (leak_growth_sim_test.c). All that are not told are named. Where the growth is proven the constant is not a candidate. A description: it is in no verdict.
 * A process counts by itself by the rule of leak_counts_alone; else its blocks go with the next one's. Slope: d ln T / d ln n by least
 * squares over the larger half of the sizes, Hodges and Lehmann over rounds (scan_fit.c): a description at fixed n.
 *
 * Smallest n: 100 blocks and 6 processes for a verdict, 8 rounds for the slope's interval at 99 %, 6 rounds to tell a class from another (at 99 %), 4
 * sizes above 0 for a class. Ties: none
 * special. Times of 0 count as half a tick where logarithms are taken.
 */
#include "leak_growth.h"
#include "buf.h"
#include "leak_core.h"
#include "leak_method.h"
#include "scan_fit.h"
#include <math.h>
#include <stdlib.h>

enum {
    LEAST_WARMUP = 10,
    LEAST_CHECK_WARMUP = 10,
    CHECK_WARMUP = 20,
    LEAST_SLOPE_SIZES = 3,
    BURN_IN = 100,
    STUCK_FROM = 50,
    LEAST_PROCESSES = 6, /* from which on intervals are short enough to say something of each size */
    CLASSES = SCAN_CLASSES + 1
};

struct growth_row { /* a process, or several */
    int64_t blocks;
    double sum[LEAK_SIZES_MAX];
};

struct leak_growth {
    struct leak_growth_rule rule;
    int first; /* index of the smallest size above 0 */
    bool warm;
    int64_t n, warmup;
    int64_t warmed, in_processes;          /* warm-up before the process at hand; blocks of those that count */
    double clip[LEAK_SIZES_MAX], smallest; /* T(smallest) of the warm-up: D must not move with what it judges */
    struct leak_sample recent;             /* the warm-up; then a picture of all */
    int64_t processes;
    struct leak_running mean[LEAK_SIZES_MAX], whole; /* over processes */
    double least, most;                              /* times of all sizes */
    struct growth_row process;
    struct leak_rule checks;
    struct leak_test_set at[LEAK_KINDS]; /* AA and SPIKE */
    struct injected_delay spike;
    struct leak_running order; /* A/A: last place less first */
    struct leak_levels levels; /* of the smallest size */
    struct leak_facts facts;
    int rows;
    int64_t row_rounds, rounds_in_row;
    struct growth_row row[LEAK_GROWTH_ROUNDS_MAX], now;
    double *scratch, *y, *misfit, *d; /* misfit: CLASSES rounds; d: rounds doubles, then Hodges and Lehmann's */
};

static const char *class_name(enum scan_class c)
{
    static const char *const names[CLASSES] = {"1", "log n", "n", "n log n", "n^2", "n^3", "sqrt n"};
    return names[c];
}

struct leak_growth_rule leak_growth_rule_default(const double *sizes, int n_sizes)
{
    struct leak_growth_rule r = {.n_sizes = n_sizes,
                                 .confidence = .99,
                                 .latency_ticks = NAN,
                                 .bound_share = .5,
                                 .repeat = 1,
                                 .warmup_blocks = 50,
                                 .selfchecks = true};
    for (int i = 0; i < n_sizes && i < LEAK_SIZES_MAX; i++)
        r.sizes[i] = sizes[i];
    return r;
}

static const char *fault_of(const struct leak_growth_rule *r)
{
    if (r->n_sizes < 2 || r->n_sizes > LEAK_SIZES_MAX)
        return "growth is looked for over 2 to 32 sizes";
    for (int i = 0; i < r->n_sizes; i++)
        if (!(r->sizes[i] >= 0) || isinf(r->sizes[i]) || (i > 0 && r->sizes[i] <= r->sizes[i - 1]))
            return "sizes must rise, from 0 on";
    if (r->n_sizes - (r->sizes[0] == 0) < 2)
        return "growth wants two sizes above 0";
    if (!(r->confidence > 0 && r->confidence < 1) || !(r->bound_share >= 0) || !(r->bound_ticks >= 0) || r->warmup_blocks < 2)
        return "the confidence must lie between 0 and 1, the tolerated growth above 0";
    return NULL;
}

static bool take_memory(struct leak_growth *g)
{
    size_t rounds = LEAK_GROWTH_ROUNDS_MAX, sizes = (size_t)g->rule.n_sizes;
    g->scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *g->scratch);
    g->y = malloc(rounds * sizes * sizeof *g->y);
    g->misfit = malloc(rounds * CLASSES * sizeof *g->misfit);
    g->d = malloc(rounds * sizeof *g->d + tare_hl_scratch_bytes(LEAK_GROWTH_ROUNDS_MAX));
    return g->scratch && g->y && g->misfit && g->d &&
           !leak_sample_start(&g->recent, g->rule.n_sizes, LEAK_SAMPLE_TIMES / g->rule.n_sizes) &&
           !leak_test_set_start(&g->at[LEAK_AA], &g->checks, 2, CHECK_WARMUP, g->scratch, false) &&
           !leak_test_set_start(&g->at[LEAK_SPIKE], &g->checks, 2, CHECK_WARMUP, g->scratch, false);
}

enum tare_status leak_growth_create(const struct leak_growth_rule *rule, struct leak_growth **out, struct tare_err *err)
{
    *out = NULL;
    const char *fault = fault_of(rule);
    if (fault)
        return err_set(err, TARE_INVALID, "%s", fault);
    struct leak_growth *g = calloc(1, sizeof *g);
    if (!g)
        return err_no_memory(err);
    g->rule = *rule;
    g->first = rule->sizes[0] == 0;
    g->row_rounds = 1;
    g->smallest = NAN;
    g->least = INFINITY;
    g->most = -INFINITY;
    g->checks = leak_rule_default(2);
    g->checks.drawn_step_ticks = g->rule.drawn_step_ticks;
    g->checks.confidence = rule->confidence;
    g->facts = leak_facts_none();
    injected_delay_start(&g->spike);
    if (!take_memory(g)) {
        leak_growth_destroy(g);
        return err_set(err, TARE_NO_MEMORY, "no memory for a growth run over %d sizes", rule->n_sizes);
    }
    *out = g;
    return TARE_OK;
}

void leak_growth_destroy(struct leak_growth *g)
{
    if (!g)
        return;
    leak_sample_finish(&g->recent);
    leak_test_set_finish(&g->at[LEAK_AA]);
    leak_test_set_finish(&g->at[LEAK_SPIKE]);
    free(g->scratch);
    free(g->y);
    free(g->misfit);
    free(g->d);
    free(g);
}

static int column(const struct leak_growth *g, int size, double *out)
{
    for (int i = 0; i < g->recent.n; i++)
        out[i] = g->recent.ticks[i * g->rule.n_sizes + size];
    tare_sort(out, g->recent.n);
    return g->recent.n;
}

/* Readings of a size with fewer calls than asked for are scaled up to as many, and the clock's steps in them, which then are the least distance of
 * two times. */
static double step_of(const struct leak_growth *g, const double *sorted, int n)
{
    const double drawn = g->rule.drawn_step_ticks;
    double least = INFINITY;
    for (int i = 1; i < n; i++)
        if (sorted[i] - sorted[i - 1] >= drawn)
            least = fmin(least, sorted[i] - sorted[i - 1]);
    return fmax(1, least <= drawn * g->rule.repeat ? least : drawn);
}

static void end_warmup(struct leak_growth *g)
{
    for (int s = 0; s < g->rule.n_sizes; s++) {
        int n = column(g, s, g->scratch);
        double high = tare_quantile_sorted(g->scratch, n, .9), middle = tare_quantile_sorted(g->scratch, n, .5), sum = 0;
        const double step = step_of(g, g->scratch, n); /* what is one time shows as two values, a step apart */
        g->clip[s] = high + 3 * fmax(high - middle, step);
        for (int i = 0; i < n; i++)
            sum += fmin(g->scratch[i], g->clip[s]);
        if (s == g->first)
            g->smallest = sum / n;
    }
    g->warm = true;
    leak_sample_clear(&g->recent);
}

/* The process's means are one value each. */
static void judge_process(struct leak_growth *g)
{
    const struct growth_row *p = &g->process;
    int last = g->rule.n_sizes - 1;
    double t[LEAK_SIZES_MAX], share = 1 / (double)++g->processes;
    for (int s = 0; s <= last; s++) {
        t[s] = p->sum[s] / (double)p->blocks;
        leak_running_add(&g->mean[s], t[s], share);
        g->now.sum[s] += p->sum[s];
    }
    leak_running_add(&g->whole, t[last] - t[g->first], share);
    g->now.blocks += p->blocks;
    g->in_processes += p->blocks;
    g->process = (struct growth_row){0};
}

enum tare_status leak_growth_blocks(struct leak_growth *g, int k, int64_t n, const uint8_t *class, const uint32_t *ticks,
                                    struct tare_err *err)
{
    if (k != g->rule.n_sizes)
        return err_set(err, TARE_FORMAT, "blocks of %d calls, where there are %d sizes", k, g->rule.n_sizes);
    for (int64_t i = 0; i < n; i++) {
        double t[LEAK_SIZES_MAX];
        if (!leak_by_class(k, class + i * k, ticks + i * k, t))
            return err_set(err, TARE_FORMAT, "block %lld does not have each of the %d sizes once", (long long)i, k);
        leak_sample_add(&g->recent, t);
        if (g->warm) {
            g->n++;
            for (int s = 0; s < g->rule.n_sizes; s++) {
                g->process.sum[s] += fmin(t[s], g->clip[s]);
                g->least = fmin(g->least, t[s]);
                g->most = fmax(g->most, t[s]);
            }
            g->process.blocks++;
            leak_levels_add(&g->levels, (double[]){fmin(t[g->first], g->clip[g->first])}, 1);
        } else if (++g->warmup >= g->rule.warmup_blocks)
            end_warmup(g);
    }
    return TARE_OK;
}

enum tare_status leak_growth_checks(struct leak_growth *g, enum leak_kind kind, int64_t n, const uint8_t *class,
                                    const uint32_t *ticks, struct tare_err *err)
{
    double two[LEAK_CLASSES_MAX];
    for (int64_t i = 0; i < n; i++) {
        if (!leak_by_class(2, class + 2 * i, ticks + 2 * i, two))
            return err_set(err, TARE_FORMAT, "block %lld of a self-check does not have both of its calls", (long long)i);
        leak_check_block(g->at, &g->spike, kind, two);
        if (kind == LEAK_AA && g->at[kind].n) {
            const struct leak_limits *l = &g->at[kind].limits;
            double off = leak_clipped(l, LEAK_JUDGED - 1, ticks[2 * i + 1]) - leak_clipped(l, LEAK_JUDGED - 1, ticks[2 * i]);
            leak_running_add(&g->order, off, 1 / (double)g->at[kind].n);
        }
    }
    return TARE_OK;
}

void leak_growth_facts(struct leak_growth *g, const struct leak_facts *f)
{
    leak_facts_add(&g->facts, f);
}

void leak_growth_round(struct leak_growth *g)
{
    leak_check_end_process(g->at, &g->spike, LEAST_CHECK_WARMUP, g->facts.spike_ticks);
    if (!g->warm && g->warmup >= LEAST_WARMUP)
        end_warmup(g);
    if (leak_counts_alone(g->process.blocks, g->warmup - g->warmed, g->processes, g->in_processes))
        judge_process(g);
    g->warmed = g->warmup;
    leak_levels_round(&g->levels);
    if (g->now.blocks == 0 || ++g->rounds_in_row < g->row_rounds)
        return;
    if (g->rows == LEAK_GROWTH_ROUNDS_MAX) {
        g->rows /= 2;
        g->row_rounds *= 2;
        for (int i = 0; i < g->rows; i++) {
            struct growth_row a = g->row[2 * i];
            a.blocks += g->row[2 * i + 1].blocks;
            for (int s = 0; s < g->rule.n_sizes; s++)
                a.sum[s] += g->row[2 * i + 1].sum[s];
            g->row[i] = a;
        }
    }
    g->row[g->rows++] = g->now;
    g->now = (struct growth_row){0};
    g->rounds_in_row = 0;
}

static void read_sizes(const struct leak_growth *g, struct leak_growth_reading *out)
{
    const int last = g->rule.n_sizes - 1;
    double level = (1 - g->rule.confidence) / 2;
    for (int s = 0; s <= last; s++) {
        int n = column(g, s, g->scratch);
        out->at[s] = (struct leak_size){.size = g->rule.sizes[s],
                                        .median_ticks = tare_quantile_sorted(g->scratch, n, .5),
                                        .ticks = leak_over_processes(&g->mean[s], g->processes, level / (last + 1))};
    }
}

/* Logarithms of the rows' means at the sizes from `from` on, as scan_*.c want them. */
static const double *logarithms(const struct leak_growth *g, int from)
{
    for (int s = from; s < g->rule.n_sizes; s++)
        for (int i = 0; i < g->rows; i++)
            g->y[(s - from) * g->rows + i] = log(fmax(.5, g->row[i].sum[s] / (double)g->row[i].blocks));
    return g->y;
}

static void read_slope(const struct leak_growth *g, struct leak_growth_reading *out)
{
    int sizes = g->rule.n_sizes - g->first, k = sizes / 2 + 1 > LEAST_SLOPE_SIZES ? sizes / 2 + 1 : LEAST_SLOPE_SIZES;
    double w[SCAN_CONTRASTS * LEAK_SIZES_MAX], level = 1 - g->rule.confidence;
    int from = g->rule.n_sizes - k;
    out->slope = (struct tare_interval){NAN, -INFINITY, INFINITY, level, g->rows};
    if (from < g->first || g->rows == 0 || !scan_weights(g->rule.sizes + from, k, w))
        return;
    scan_interval(logarithms(g, from), k, g->rows, w + SCAN_SLOPE * k, level, g->d, g->d + LEAK_GROWTH_ROUNDS_MAX, NULL,
                  &out->slope);
}

/* Of m_c - times * m_best over rounds; best -1: of m_c. */
static struct tare_interval excess(const struct leak_growth *g, int c, int best, double times)
{
    struct leak_running r = {0, 0};
    for (int i = 0; i < g->rows; i++) {
        double other = best < 0 ? 0 : times * g->misfit[best * g->rows + i];
        leak_running_add(&r, g->misfit[c * g->rows + i] - other, 1 / (double)(i + 1));
    }
    return leak_over_processes(&r, g->rows, 1 - g->rule.confidence);
}

/* In the order in which they grow. */
static const enum scan_class rising[CLASSES] = {SCAN_1,  SCAN_LOG_N, (enum scan_class)SCAN_CLASSES, SCAN_N, SCAN_N_LOG_N,
                                                SCAN_N2, SCAN_N3};

static void read_class(const struct leak_growth *g, struct leak_growth_reading *out)
{
    static const double as_good = 3; /* times the best's own misfit */
    int k = g->rule.n_sizes - g->first, best = -1, from = out->verdict == LEAK_GROWTH_GROWS;
    double least = INFINITY;
    struct buf others = buf_over(out->not_told_from, sizeof out->not_told_from);
    if (k < SCAN_CLASSES_LEAST || g->rows == 0)
        return;
    const double *y = logarithms(g, g->first);
    scan_misfits(g->rule.sizes + g->first, y, k, g->rows, g->misfit);
    scan_misfits_sqrt(g->rule.sizes + g->first, y, k, g->rows, g->misfit + SCAN_CLASSES * g->rows);
    for (int i = from; i < CLASSES; i++) {
        double misfit = excess(g, rising[i], -1, 0).point;
        if (misfit < least) {
            least = misfit;
            best = rising[i];
        }
    }
    if (best < 0)
        return;
    out->class = class_name((enum scan_class)best);
    for (int i = from; i < CLASSES; i++)
        if ((int)rising[i] != best && !(excess(g, rising[i], best, as_good).low > 0))
            buf_format(&others, "%s%s", others.len ? " or " : "", class_name(rising[i]));
}

static enum leak_growth_verdict word(const struct leak_growth *g, struct leak_growth_reading *r)
{
    const struct tare_interval *x = &r->growth_ticks;
    bool checked = !g->rule.selfchecks || leak_checks_passed(&r->check), bounded = x->high <= r->bound_ticks;
    const struct tare_interval *aa = &r->check.aa_ticks;
    const bool harness = r->check.aa_fired && !(aa->low >= -r->bound_ticks / 2 && aa->high <= r->bound_ticks / 2);
    r->why = leak_spoiled(&g->facts, &r->check, harness, x->low > r->bound_ticks);
    if (r->why != LEAK_WHYS)
        return LEAK_GROWTH_INVALID;
    r->why = g->n < BURN_IN || g->processes < LEAST_PROCESSES || !isfinite(x->high) ? LEAK_WHY_FEW
             : x->low > r->bound_ticks                                              ? LEAK_WHY_LARGER
             : !bounded                                                             ? LEAK_WHY_WIDE
             : checked                                                              ? LEAK_WHY_BOUNDED
                                                                                    : LEAK_WHY_NO_SPIKE;
    return r->why == LEAK_WHY_LARGER    ? LEAK_GROWTH_GROWS
           : r->why == LEAK_WHY_BOUNDED ? LEAK_GROWTH_BOUNDED
                                        : LEAK_GROWTH_UNDECIDED;
}

/* More blocks until the interval of the growth leaves D aside, were processes to go on differing as they do, and to have as many blocks. */
static double blocks_needed(const struct leak_growth *g, const struct leak_growth_reading *r)
{
    enum { MOST = 1 << 20 };
    const int64_t now = g->processes;
    double room = fabs(r->bound_ticks - r->growth_ticks.point), variance = g->whole.m2 / (double)(now - 1);
    if (now < 2) /* as many processes as a verdict takes, of as many blocks as the first */
        return now ? (double)g->n * (LEAST_PROCESSES - 1) : fmax(BURN_IN, (double)(LEAST_PROCESSES * (g->n + g->warmup)));
    if (!(room > 0))
        return NAN;
    for (int64_t n = now; n < MOST; n += 1 + n / 50) {
        struct leak_running then = {0, variance * (double)(n - 1)};
        double blocks = (double)g->n * (double)n / (double)now;
        if (n >= LEAST_PROCESSES && blocks >= BURN_IN && leak_over_processes(&then, n, (1 - g->rule.confidence) / 2).high <= room)
            return blocks - (double)g->n;
    }
    return INFINITY;
}

void leak_growth_read(const struct leak_growth *g, struct leak_growth_reading *out)
{
    int last = g->rule.n_sizes - 1;
    *out = (struct leak_growth_reading){.blocks = g->n,
                                        .warmup = g->warmup,
                                        .rounds = g->rows,
                                        .processes = g->processes,
                                        .n_sizes = last + 1,
                                        .first = g->first};
    double range = g->rule.sizes[last] - g->rule.sizes[g->first];
    out->growth_ticks = leak_over_processes(&g->whole, g->processes, (1 - g->rule.confidence) / 2);
    out->per_element_ticks = out->growth_ticks;
    out->per_element_ticks.point /= range;
    out->per_element_ticks.low /= range;
    out->per_element_ticks.high /= range;
    const double bound = fmax(4 * g->rule.latency_ticks, g->rule.bound_share * g->smallest);
    out->bound_ticks = !g->warm ? NAN : g->rule.bound_ticks > 0 ? g->rule.bound_ticks : bound;
    out->log_e = g->warm ? leak_log_e_above(&g->whole, g->processes, out->bound_ticks) : 0;
    leak_selfcheck_read(&g->at[LEAK_AA], &g->spike, g->facts.spike_ticks, g->n, &out->check);
    out->check.order_ticks = leak_running_interval(&g->order, g->at[LEAK_AA].n, 1000, 1 - g->rule.confidence);
    leak_levels_read(&g->levels, 1, &out->check);
    out->check.clock_stuck = g->n >= STUCK_FROM && g->least == g->most;
    read_sizes(g, out);
    out->verdict = word(g, out);
    bool checked = !g->rule.selfchecks || out->check.aa_blocks >= LEAK_LEAST_CHECKS; /* or the growth may yet be the harness's */
    out->stop = out->verdict == LEAK_GROWTH_GROWS ? checked : out->verdict != LEAK_GROWTH_UNDECIDED;
    out->blocks_needed = out->stop ? 0 : blocks_needed(g, out);
    read_slope(g, out);
    read_class(g, out);
}

struct growth {
    struct leak_growth *engine;
    struct leak_growth_reading reading;
};

static enum tare_status create(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    double sizes[WIRE_SIZES_MAX];
    for (uint32_t i = 0; i < t->n_sizes; i++)
        sizes[i] = (double)t->sizes[i];
    struct leak_growth_rule rule = leak_growth_rule_default(sizes, (int)t->n_sizes);
    rule.confidence = j->rule->confidence;
    rule.drawn_step_ticks = j->drawn_step_ticks;
    rule.repeat = j->repeat;
    if (!j->rule->margin_unit && j->rule->margin > 0)
        rule.bound_share = j->rule->margin;
    enum tare_status status = leak_margin_ticks(j, &rule.bound_ticks, err);
    if (j->rule->leaks.latency_ns > 0)
        rule.latency_ticks = j->rule->leaks.latency_ns / leak_ns_per_tick(j);
    if (!j->rule->margin_unit && rule.latency_ticks > 0) /* a share of what is short is no allowance for what leaves the caches */
        rule.bound_ticks = fmax(rule.bound_ticks, 4 * rule.latency_ticks);
    struct growth *g = j->state = status ? NULL : calloc(1, sizeof *g);
    if (!status && !g)
        status = err_no_memory(err);
    return status ? status : leak_growth_create(&rule, &g->engine, err);
}

static void destroy(void *state)
{
    struct growth *g = state;
    if (g)
        leak_growth_destroy(g->engine);
    free(g);
}

static enum tare_status take_blocks(struct leak_judge *j, const struct wire_blocks *b, const uint32_t *ticks,
                                    struct tare_err *err)
{
    struct leak_growth *g = ((const struct growth *)j->state)->engine;
    return b->kind == WIRE_GROWTH_SIZES
               ? leak_growth_blocks(g, (int)b->k, b->n, b->classes, ticks, err)
               : leak_growth_checks(g, b->kind == WIRE_AA ? LEAK_AA : LEAK_SPIKE, b->n, b->classes, ticks, err);
}

static void end_process(void *state, const struct leak_facts *facts)
{
    const struct growth *g = state;
    leak_growth_facts(g->engine, facts);
    leak_growth_round(g->engine);
}

_Static_assert(LEAST_PROCESSES == 6, "as leak_reasons.def says");

static enum leak_reason reason_of(const struct leak_growth_reading *r)
{
    return r->why == LEAK_WHY_AA                                      ? LEAK_WHY_AA_GROWTH
           : r->why == LEAK_WHY_FEW && r->processes < LEAST_PROCESSES ? LEAK_WHY_PROCESSES_GROWTH
           : r->why == LEAK_WHY_FEW                                   ? LEAK_WHY_PROCESSES
                                                                      : r->why;
}

static void read_growth(struct leak_judge *j, struct leak_target *t)
{
    struct growth *g = j->state;
    const struct leak_growth_reading *r = &g->reading;
    const double ns = leak_ns_per_tick(j);
    leak_growth_read(g->engine, &g->reading);
    j->now.log_e = r->log_e;
    j->now.margin_ticks = r->bound_ticks;
    j->now.warmup = (double)r->warmup;
    t->verdict = r->verdict == LEAK_GROWTH_BOUNDED   ? VERDICT_NO_LEAK
                 : r->verdict == LEAK_GROWTH_GROWS   ? VERDICT_LEAK /* the bad answer, as a leak is */
                 : r->verdict == LEAK_GROWTH_INVALID ? VERDICT_INVALID
                                                     : VERDICT_UNDECIDED;
    t->why = leak_reason_text(reason_of(r));
    t->starved = leak_starved(r->why);
    t->decided = r->stop;
    t->exact = false;
    t->growth_processes = (double)r->processes;
    t->median_ns = r->n_sizes ? (r->at[r->first].median_ticks - j->pair_ticks) * ns : NAN;
    leak_put_checks(j, &r->check, t);
    j->now.share_wanted = 0; /* leak_judge_selfcheck takes growth_calls */
    t->log10_e = leak_decimal(r->log_e);
    t->blocks = (double)r->blocks;
    t->blocks_needed = r->blocks_needed;
    t->complexity = r->class;
    t->complexity_or = r->not_told_from[0] ? r->not_told_from : NULL;
    leak_scaled(&r->growth_ticks, ns, &t->growth_ns, &t->growth_low_ns, &t->growth_high_ns);
    leak_scaled(&r->per_element_ticks, ns, &t->growth_element_ns, &t->growth_element_low_ns, &t->growth_element_high_ns);
    t->growth_bound_ns = t->margin_ns = r->bound_ticks * ns;
    t->growth_slope = r->slope.point;
    t->growth_slope_low = r->slope.low;
    t->growth_slope_high = r->slope.high;
    t->growth_first = r->n_sizes ? r->at[r->first].size : NAN;
    t->growth_last = r->n_sizes ? r->at[r->n_sizes - 1].size : NAN;
}

static int draw_growth(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart *out)
{
    const struct leak_chart_words words = leak_chart_words_of(j, t);
    return leak_growth_charts(&((const struct growth *)j->state)->reading, &words, arena, out);
}

const struct leak_method leak_by_growth = {.kind = "growth",
                                           .sizes = true,
                                           .create = create,
                                           .destroy = destroy,
                                           .blocks = take_blocks,
                                           .end_process = end_process,
                                           .read = read_growth,
                                           .draw = draw_growth};
