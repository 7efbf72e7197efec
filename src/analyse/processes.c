/* SPDX-License-Identifier: MIT
 *
 * From the samples of a process to the figures of its row: the process is the unit, and here it becomes one.
 *
 * ns       of each sample (ticks - empty) / iterations in nanoseconds: an empty bracket's ticks come off, nothing else does, and a
 *          negative rest stays. steady: the median of the samples from the onset of the steady state on (tare_steady_state, over the
 *          warm-up's samples too), or of all that count where there was none or too few are left. georges: the mean of
 *          the first quiet window of k (tare_steady_window_cov), of the last k where none is. startup, once, memory: the first sample.
 * cycles   ns x F x (f/F)^-s with f the process's core frequency by the reference chains around its samples, weighed as they are: the median of
 *          time x frequency, sample by sample, over the median time, so that a frequency which changes within the process does no harm (the
 *          median of the frequencies where ns is a mean or not above 0; where the counter moves in coarse steps, chains are means over the samples
 *          around, see samples_beside()), F the median of all processes of the
 *          session, and s the slope of ln ns over ln f over the benchmark's processes (Theil and Sen): a control variate. s is -1 where
 *          the core bounds the time, so that cycles are time times frequency, and 0 where memory does: then cycles scatter as
 *          the times do. It is 0 while it is not identified: its interval, of the rule's confidence, must exclude 0, be no wider than all
 *          that is possible, and lie where an exponent can; below 10 processes it never is. It is kept in [-1, 0]; one below -1.2 is refused.
 * cycles of a comparison   the same with one s for both: the slope of the rounds' means, (ln ns_A + ln ns_B) / 2 over (ln f_A + ln f_B) / 2. Who is A
 *          and who B in a round does not change a mean, nor does a constant difference of A and B change the slope; so where nothing
 *          differs, the signs of the differences stay fair coins whatever s was fitted, and the test keeps its level exactly. Exponents of their
 *          own, fitted to the very values that are compared, were seen to make 164 false words in 3000 sessions where one for both makes 138.
 * resolution   what a tick's step, or a tenth of an empty bracket where that is more, is of one iteration: below, a time is not
 *          told from nothing.
 *
 * A process without samples has NaN everywhere. Chains that do not agree: f is NaN, and so are the cycles.
 */
#include "processes.h"
#include "buf.h"
#include "stepped.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats_more.h>

enum { EXPONENT_LEAST = 10, LEAST_LEFT = 3, BESIDE_MOST = 1000 };

static const double PHASE_KNOWN_TO = 2.5e-4;

static const double FREQUENCY_DIFFERS = 1e-4; /* relative spread below which a slope over frequencies says nothing */
static const double EXPONENT_WIDEST = 1, EXPONENT_LOWEST = -2;

struct process {
    const struct record *r;
    const struct series *s;
    int first, end; /* its samples */
    int counted;    /* the first that counts */
    double *x;      /* ns per iteration of each, room for them all */
    void *room;
};

static double column_at(const struct series *s, const struct rows *rows, const char *id, int row)
{
    int column = series_column(s, id);
    return column < 0 ? NAN : rows->value[column][row];
}

static void set_column(const struct series *s, struct rows *rows, const char *id, int row, double value)
{
    int column = series_column(s, id);
    if (column >= 0)
        rows->value[column][row] = value;
}

static void find_samples(struct process *p, int round)
{
    const struct rows *samples = &p->s->samples;
    int low = 0, high = samples->n;
    while (low < high) { /* they stand by rising round */
        int middle = low + (high - low) / 2;
        if (samples->round[middle] < round)
            low = middle + 1;
        else
            high = middle;
    }
    p->first = p->end = low;
    while (p->end < samples->n && samples->round[p->end] == round)
        p->end++;
    p->counted = p->first;
    while (p->counted < p->end && samples->flags[p->counted] & ROW_WARMUP)
        p->counted++;
}

static double median_from(struct process *p, int from)
{
    int n = p->end - p->first - from;
    double *sorted = p->room;
    memcpy(sorted, p->x + from, (size_t)n * sizeof *sorted);
    for (int i = 0; i < n; i++)
        if (isnan(sorted[i]))
            return NAN;
    tare_sort(sorted, n);
    return tare_quantile_sorted(sorted, n, 0.5);
}

struct summary {
    double ns, steady, onset;
    int from; /* ns is the median from here on; -1: it is something else */
};

static double iterations_before(const struct process *p, int from)
{
    const double *iterations = series_samples(p->s, "iterations");
    double sum = 0;
    for (int i = 0; iterations && i < from; i++)
        sum += iterations[p->first + i];
    return sum;
}

static struct summary of_steady(struct process *p)
{
    int n = p->end - p->first, from = p->counted - p->first;
    struct tare_steady steady = {.word = TARE_STEADY_UNKNOWN};
    tare_steady_state(p->x, n, p->room, &steady);
    bool settled = steady.word != TARE_STEADY_UNKNOWN && steady.word != TARE_STEADY_NONE;
    if (settled && steady.onset > from && n - steady.onset >= LEAST_LEFT)
        from = (int)steady.onset;
    return (struct summary){median_from(p, from), steady.word, settled ? iterations_before(p, (int)steady.onset) : NAN, from};
}

static struct summary of_window(struct process *p)
{
    const struct rule *rule = &p->r->rule;
    int n = p->end - p->first, k = rule->window < n ? rule->window : n;
    ptrdiff_t first = tare_steady_window_cov(p->x, n, k, rule->cov);
    bool quiet = first >= 0;
    if (!quiet)
        first = n - k;
    return (struct summary){tare_mean(p->x + first, k), quiet ? TARE_STEADY_FLAT : TARE_STEADY_NONE,
                            quiet ? iterations_before(p, (int)first) : NAN, -1};
}

static struct summary summarise(struct process *p)
{
    if (p->counted >= p->end)
        return (struct summary){NAN, NAN, NAN, -1};
    if (p->r->rule.profile != PROFILE_STEADY)
        return (struct summary){p->x[p->counted - p->first], NAN, NAN, -1};
    return p->r->rule.method == METHOD_GEORGES ? of_window(p) : of_steady(p);
}

/* How many samples on either side tell the core's frequency of one: so many that the phase of the counter's steps, whose standard deviation is
 * half a step at most, is averaged to a quarter of a thousandth. None where the counter is fine. */
static int samples_beside(double step, double chain)
{
    const double readings = step > 0 && chain > 0 ? pow(step / 2 / (PHASE_KNOWN_TO * chain), 2) : 0;
    return readings > BESIDE_MOST ? BESIDE_MOST / 4 : (int)ceil(fmax(0, (readings / 2 - 1) / 2));
}

/* Mean of the chains around sample i and `aside` samples before and behind it. room: two doubles for each of the process's samples. */
static double chain_around(const struct process *p, const double *before, const double *after, int i, int aside, double step,
                           double *room)
{
    int n = 0;
    if (!aside)
        return (before[i] + after[i]) / 2;
    for (int k = i - aside; k <= i + aside; k++)
        if (k >= p->first && k < p->end && !isnan(before[k]) && !isnan(after[k])) {
            room[n++] = before[k];
            room[n++] = after[k];
        }
    return stepped_mean(room, n, step).mean;
}

/* Of the core, around each sample; NaN where it is not known. room: as chain_around's. */
static void fill_frequencies(const struct process *p, const struct rows *rows, int row, double *hz_at, double *room)
{
    const double *before = series_samples(p->s, "chain_before"), *after = series_samples(p->s, "chain_after");
    double cycles = column_at(p->s, rows, "chain_cycles", row), empty = column_at(p->s, rows, "chain_empty", row),
           hz = column_at(p->s, rows, "clock_hz", row);
    const double step = column_at(p->s, rows, "clock_step", row);
    for (int i = p->first; i < p->end; i++) {
        const int aside = before && after ? samples_beside(step, before[i] - empty) : 0;
        double ticks = before && after ? chain_around(p, before, after, i, aside, step, room) - empty : NAN;
        hz_at[i - p->first] = ticks > 0 ? cycles * hz / ticks : NAN;
    }
}

static double median_of_known(struct process *p, const double *values, int from)
{
    double *sorted = p->room;
    int n = 0;
    for (int i = from; i < p->end - p->first; i++)
        if (isfinite(values[i]))
            sorted[n++] = values[i];
    tare_sort(sorted, n);
    return tare_quantile_sorted(sorted, n, 0.5);
}

/* hz_at becomes time times frequency. */
static double core_hz(struct process *p, const struct summary *sum, double *hz_at)
{
    if (sum->from < 0 || !(sum->ns > 0))
        return median_of_known(p, hz_at, p->counted - p->first);
    for (int i = sum->from; i < p->end - p->first; i++)
        hz_at[i] *= p->x[i];
    return median_of_known(p, hz_at, sum->from) / sum->ns;
}

static double resolution_ns(const struct process *p, const struct rows *rows, int row)
{
    const double *iterations = series_samples(p->s, "iterations");
    double ticks = fmax(column_at(p->s, rows, "clock_step", row), column_at(p->s, rows, "clock_pair", row) / 10);
    return iterations && p->counted < p->end ? ticks / iterations[p->counted] / column_at(p->s, rows, "clock_hz", row) * 1e9
                                             : NAN;
}

double process_count(const struct count *c, int i, double ns)
{
    const bool rate = c->per == COUNT_PER_SECOND;
    return c->inverted ? (rate ? ns : 1) / c->value[i] : rate ? c->value[i] / ns * 1e9 : c->value[i];
}

/* Its value in the round; -1: none. They stand by rising round. */
static int counted_in(const struct count *c, int round)
{
    int low = 0, high = c->n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (c->round[middle] < round)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n && c->round[low] == round ? low : -1;
}

static const struct count *counter_of(const struct series *s, const struct metric *m)
{
    static const char counter[] = "counter=";
    for (int i = 0; m->definition && !strncmp(m->definition, counter, sizeof counter - 1) && i < s->n_counts; i++)
        if (!strcmp(s->counts[i].name, m->definition + sizeof counter - 1))
            return &s->counts[i];
    return NULL;
}

/* What is compared of a counter is what is shown of it. */
static void fill_counters(const struct record *r, const struct series *s, struct rows *rows, int row, double ns)
{
    char room[NULL_COLUMN_BYTES];
    for (int i = 0; i < r->n_metrics && s->n_counts; i++) {
        const struct count *c = counter_of(s, &r->metrics[i]);
        const int at = c && (c->per == COUNT_PER_SECOND || c->inverted) ? counted_in(c, rows->round[row]) : -1;
        if (at < 0)
            continue;
        const double value = process_count(c, at, ns);
        set_column(s, rows, r->metrics[i].id, row, isfinite(value) ? value : NAN);
        set_column(s, rows, null_column(r->metrics[i].id, room), row, isfinite(value) ? 0 : NULL_NOT_COUNTED);
    }
}

static bool fill_row(struct record *r, int subject, struct rows *rows, int row)
{
    struct series *s = &r->series[subject];
    struct process p = {.r = r, .s = s};
    find_samples(&p, rows->round[row]);
    int n = p.end - p.first;
    p.x = malloc((size_t)(n + 1) * sizeof *p.x);
    p.room = malloc(tare_steady_scratch_bytes(n + 1));
    double *hz_at = malloc((size_t)(3 * n + 1) * sizeof *hz_at);
    bool ok = p.x && p.room && hz_at;
    if (ok) {
        const double *ticks = series_samples(p.s, "ticks"), *empty = series_samples(p.s, "empty_ticks"),
                     *iterations = series_samples(p.s, "iterations");
        const double hz = column_at(s, rows, "clock_hz", row);
        for (int i = p.first; i < p.end; i++) {
            bool known = ticks && empty && iterations && iterations[i] > 0;
            p.x[i - p.first] = known ? (ticks[i] - empty[i]) / iterations[i] / hz * 1e9 : NAN;
        }
        const struct summary sum = summarise(&p);
        set_column(s, rows, "ns", row, sum.ns);
        fill_counters(r, s, rows, row, sum.ns);
        set_column(s, rows, "steady", row, sum.steady);
        set_column(s, rows, "onset", row, sum.onset);
        fill_frequencies(&p, rows, row, hz_at, hz_at + n);
        set_column(s, rows, "chain_hz", row, core_hz(&p, &sum, hz_at));
        set_column(s, rows, "resolution", row, resolution_ns(&p, rows, row));
    }
    free(p.x);
    free(p.room);
    free(hz_at);
    return ok;
}

void analyse_process(struct record *r, int subject, bool warmup)
{
    struct rows *rows = &r->series[subject].main;
    if (r->subjects[subject].kind == SUBJECT_BENCH && !warmup && rows->n)
        fill_row(r, subject, rows, rows->n - 1);
}

const char *frequency_exponent_refusal(double exponent)
{
    static const double low = -1.2, high = 0.2;
    return exponent >= low && exponent <= high ? NULL : "outside −1.2 to 0.2: something else changed with the frequency";
}

static bool identified(const struct tare_interval *i)
{
    return i->high < 0 && i->low >= EXPONENT_LOWEST && i->high - i->low <= EXPONENT_WIDEST;
}

/* Of n logarithms. room: 4 n doubles. *interval: unbounded where it is not identified. 0 of one that is refused, too. */
static double exponent_of(const struct record *r, const double *f, const double *t, int n, double *room,
                          struct tare_interval *interval)
{
    const struct tare_interval none = {.point = NAN, .low = -INFINITY, .high = INFINITY, .n = n};
    *interval = none;
    if (n < EXPONENT_LEAST || tare_stddev(f, n) < FREQUENCY_DIFFERS)
        return 0;
    if (!tare_slope_ci_kendall(f, t, n, 1 - r->rule.confidence, room, interval) && identified(interval))
        return frequency_exponent_refusal(interval->point) ? 0 : fmin(0, fmax(-1, interval->point));
    *interval = none;
    return 0;
}

/* room: 6 n doubles. low, high: its interval; unbounded where it is not identified. */
double process_frequency_slope(const struct record *r, const struct series *s, double *room, struct tare_interval *interval)
{
    double *f = room, *t = room + s->main.n;
    /* Where both are known and positive. */
    const double *ns = series_values(s, "ns"), *hz = series_values(s, "chain_hz");
    int n = 0;
    for (int i = 0; ns && hz && i < s->main.n; i++) {
        if (!(ns[i] > 0) || !(hz[i] > 0))
            continue;
        f[n] = log(hz[i]);
        t[n++] = log(ns[i]);
    }
    return exponent_of(r, f, t, n, room + 2 * s->main.n, interval);
}

static double median_frequency(const struct record *r, double *room)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const double *hz = series_values(&r->series[i], "chain_hz");
        for (int k = 0; hz && k < r->series[i].main.n; k++)
            if (hz[k] > 0)
                room[n++] = hz[k];
    }
    tare_sort(room, n);
    return tare_quantile_sorted(room, n, 0.5);
}

static double brought_to(double typical_hz, double ns, double hz, double exponent)
{
    return ns * typical_hz / 1e9 * pow(hz / typical_hz, -exponent);
}

/* Less than half the time of its samples on a CPU, in sum and in most of them: its core cycles do not follow from the time. The system may count
 * CPU time in steps longer than a sample; unknown CPU time is no wait. */
static bool mostly_waited(const struct series *s)
{
    const double *ticks = series_samples(s, "ticks"), *cpu_ns = series_samples(s, "cpu_ns"), *hz = series_values(s, "clock_hz");
    double wall_ns = 0, used_ns = 0;
    int n = 0, waited = 0;
    for (int i = 0; ticks && cpu_ns && hz && s->main.n && i < s->samples.n; i++) {
        if (s->samples.flags[i] & ROW_WARMUP)
            continue;
        const double ns = ticks[i] / hz[0] * 1e9;
        wall_ns += ns;
        used_ns += cpu_ns[i];
        waited += cpu_ns[i] < ns / 2;
        n++;
    }
    return used_ns < wall_ns / 2 && waited > n / 2;
}

static void fill_cycles(const struct record *r, struct series *s, double typical_hz, double *room)
{
    struct tare_interval interval;
    double slope = process_frequency_slope(r, s, room, &interval);
    const double *ns = series_values(s, "ns"), *hz = series_values(s, "chain_hz");
    const bool waited = mostly_waited(s);
    for (int i = 0; ns && hz && i < s->main.n; i++)
        set_column(s, &s->main, "cycles", i, waited ? NAN : brought_to(typical_hz, ns[i], hz[i], slope));
}

static int all_rows(const struct record *r)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += r->series[i].main.n;
    return n;
}

enum tare_status process_cycles(struct record *r)
{
    double *room = malloc((size_t)(6 * all_rows(r) + 1) * sizeof *room);
    if (!room)
        return TARE_NO_MEMORY;
    double typical_hz = median_frequency(r, room);
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH)
            fill_cycles(r, &r->series[i], typical_hz, room);
    free(room);
    return TARE_OK;
}

struct both {
    const double *ns[2], *hz[2]; /* reference and subject */
};

/* The means of the first n rounds in which everything is known and positive; returns how many. */
static int round_means(const struct both *b, int n, double *f, double *t)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        if (!(b->ns[0][i] > 0) || !(b->ns[1][i] > 0) || !(b->hz[0][i] > 0) || !(b->hz[1][i] > 0))
            continue;
        f[found] = (log(b->hz[0][i]) + log(b->hz[1][i])) / 2;
        t[found++] = (log(b->ns[0][i]) + log(b->ns[1][i])) / 2;
    }
    return found;
}

enum tare_status process_compared_cycles(const struct record *r, int reference, int subject, int n, double *x, double *y,
                                         bool *known)
{
    const struct series *a = &r->series[reference], *s = &r->series[subject];
    const struct both b = {{series_values(a, "ns"), series_values(s, "ns")},
                           {series_values(a, "chain_hz"), series_values(s, "chain_hz")}};
    *known = b.ns[0] && b.ns[1] && b.hz[0] && b.hz[1] && !mostly_waited(a) && !mostly_waited(s);
    if (!*known)
        return TARE_OK;
    double *room = malloc((size_t)(6 * n + all_rows(r) + 1) * sizeof *room);
    if (!room)
        return TARE_NO_MEMORY;
    struct tare_interval interval;
    const double typical_hz = median_frequency(r, room);
    const int found = round_means(&b, n, room, room + n);
    const double exponent = exponent_of(r, room, room + n, found, room + 2 * n, &interval);
    for (int i = 0; i < n; i++) {
        x[i] = brought_to(typical_hz, b.ns[0][i], b.hz[0][i], exponent);
        y[i] = brought_to(typical_hz, b.ns[1][i], b.hz[1][i], exponent);
    }
    free(room);
    return TARE_OK;
}

enum tare_status analyse_processes(struct record *r, struct tare_err *err)
{
    bool ok = true;
    for (int i = 0; i < r->n_subjects; i++)
        for (int k = 0; r->subjects[i].kind == SUBJECT_BENCH && k < r->series[i].main.n; k++)
            ok = ok && fill_row(r, i, &r->series[i].main, k);
    return ok && !process_cycles(r) ? TARE_OK : err_no_memory(err);
}

/* What is uncertain in the core cycles of a benchmark besides the scatter of its processes: systematic parts, which more processes do not
 * shrink. They widen the interval of its cycles to [low / (1 + bias) x (1 - error), high x (1 + error)]. Comparisons have them on both sides and
 * leave them out.
 *
 * error    2 x sqrt(1 / N + 1 / (EMPTIES R)) x step / 2 / chain, at least KNOWN_TO: readings of a chain are off by less than a step of the counter, in the
 *          mean over phases, which are drawn, by nothing; the standard deviation of one is step / 2 at most. N chains, R processes with an overhead each that
 *          is the mean of EMPTIES. step the counter's, chain the mean ticks of a chain. KNOWN_TO: what the chains' own beginning and end
 *          may be off by. Where a step is less than that, no phase is drawn: 2 steps / chain, at most KNOWN_TO. Where a step is more and a process did not draw
 *          the phase (it says so, or is older than that): 2 steps / chain, one of the chain and one of its overhead.
 * bias     A sample is k times as long as the chains that stand for the core's frequency, so it meets disturbances that they escape:
 *          interrupts, a neighbour on the core. All such time is added, so that the figure is too large, and the more so the longer the sample (seen: 0.02 %
 *          at 20 us, 0.1 % at 100 us, 0.6 % at 300 us beside other virtual machines). What comes at random and less than ln 2 times in a sample's
 *          length is missing in more than half of the samples and does not move their median; what comes more often does, by no more than its
 *          mean. So bias is the mean excess of the chains without the ln 2 / k of them that are longest; the truth lies between none and
 *          all of it. Excess of a chain: over the median of itself and the ASIDE chains before and behind it, so that the core's frequency may
 *          change; where a step is more than IN_STEPS of a chain, for which a median is short by up to a step, over their mean without
 *          interruptions (stepped.h). A slow time that lasts longer than these chains is in samples and chains alike.
 *
 * Assumes that disturbances hit chains and samples alike. Not covered: what slows the code under test and not multiplies (a neighbour that
 * takes its ports). Over the samples that count, of all processes together. Below LEAST chains, without chains, without samples of known length
 * and where samples are no longer than chains (k <= ln 2) bias is 0, which says nothing; without a step or a chain error is 0. NaN are left out.
 */

enum { LEAST = 100, ASIDE = 16, EMPTIES = 101 };
static const double KNOWN_TO = 2e-4, IN_STEPS = 1e-3;

struct chains {
    const struct series *s;
    const double *before, *after, *ticks;
    double *net;    /* of all chains, in the order in which they ran */
    double *excess; /* of each; later sorted */
    double *k;      /* of each sample */
    int n, n_samples;
    double step; /* of the counter, ticks; NaN: not known */
};

static double typical(double *values, int n)
{
    tare_sort(values, n);
    return tare_quantile_sorted(values, n, 0.5);
}

/* What is typical of the chains beside chain i. */
static double chain_beside(const struct chains *c, int first, int i)
{
    double net[2 * ASIDE + 1];
    int n = 0;
    for (int k = i - ASIDE; k <= i + ASIDE; k++)
        if (k >= first && k < c->n)
            net[n++] = c->net[k];
    return c->step > IN_STEPS * c->net[i] ? stepped_mean(net, n, c->step).mean : typical(net, n);
}

static void add_process(struct chains *c, int from, int end, double empty)
{
    const int first = c->n;
    for (int i = from; i < end; i++) {
        double before = c->before[i] - empty, after = c->after[i] - empty;
        if (c->s->samples.flags[i] & ROW_WARMUP || !(before > 0) || !(after > 0))
            continue;
        c->net[c->n++] = before;
        c->net[c->n++] = after;
        if (c->ticks[i] > 0)
            c->k[c->n_samples++] = c->ticks[i] / fmin(before, after);
    }
    for (int i = first; i < c->n; i++)
        c->excess[i] = c->net[i] / chain_beside(c, first, i) - 1;
}

static double bias_of(struct chains *c)
{
    if (c->n < LEAST || !c->n_samples)
        return 0;
    double longest = log(2) / typical(c->k, c->n_samples);
    int n = longest < 1 ? c->n - (int)ceil(longest * c->n) : 0;
    tare_sort(c->excess, c->n);
    return n > 0 ? fmax(0, tare_mean(c->excess, n)) : 0;
}

static double step_of(const struct series *s, int rounds)
{
    const double *steps = series_values(s, "clock_step");
    for (int i = 0; steps && i < rounds; i++)
        if (steps[i] > 0)
            return steps[i];
    return NAN;
}

static bool all_drawn(const struct series *s, int rounds)
{
    const double *drawn = series_values(s, "chain_drawn");
    int n = 0;
    for (int i = 0; drawn && i < rounds; i++)
        n += drawn[i] > 0;
    return n == rounds;
}

static double error_of(struct chains *c, int rounds)
{
    if (!(c->step > 0) || !c->n)
        return 0;
    const double share = c->step / typical(c->net, c->n);
    if (share <= KNOWN_TO)
        return fmin(2 * share, KNOWN_TO);
    if (!all_drawn(c->s, rounds))
        return 2 * share;
    return fmax(KNOWN_TO, sqrt(1.0 / c->n + 1.0 / (EMPTIES * (double)rounds)) * share);
}

enum tare_status process_control(const struct record *r, int subject, int rounds, struct control *out)
{
    struct chains c = {.s = &r->series[subject], .step = step_of(&r->series[subject], rounds)};
    *out = (struct control){0};
    c.before = series_samples(c.s, "chain_before");
    c.after = series_samples(c.s, "chain_after");
    c.ticks = series_samples(c.s, "ticks");
    if (!c.before || !c.after || !c.ticks || !series_values(c.s, "chain_empty"))
        return TARE_OK;
    const size_t n = (size_t)c.s->samples.n;
    c.net = malloc((5 * n + 1) * sizeof *c.net);
    if (!c.net)
        return TARE_NO_MEMORY;
    c.excess = c.net + 2 * n;
    c.k = c.net + 4 * n;
    const double *empty = series_values(c.s, "chain_empty");
    const struct rows *samples = &c.s->samples;
    for (int row = 0, i = 0; row < rounds; row++) {
        while (i < samples->n && samples->round[i] < c.s->main.round[row])
            i++;
        int from = i;
        while (i < samples->n && samples->round[i] == c.s->main.round[row])
            i++;
        add_process(&c, from, i, empty[row]);
    }
    *out = (struct control){.bias = bias_of(&c), .error = error_of(&c, rounds)};
    free(c.net);
    return TARE_OK;
}
