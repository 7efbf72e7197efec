/* SPDX-License-Identifier: MIT
 *
 * Figures of the jitter probe, from its stretches alone.
 *
 * The stretches are put into BATCHES batches of stretches in a row, as neighbours lean on each other (batch means); with fewer than 2 BATCHES stretches each is one. A
 *     stretch in which the counter went back counts for its frequency alone.
 * Share of time lost: r = sum of gaps / sum of stretches. These are not of one length: one that ends in a gap ends when the gap does. So r is a ratio of two sums, not a mean,
 *     and its interval is that of the ratio estimator (Cochran 1977, 6.3) over the k batches, with sums l and w of each: d = l - r w,
 *         s^2 = k / (k - 1) sum d^2 / (sum w)^2,    r +- t(1 - level/2, k - 1) s,    cut off at 0 and 1.
 *     It holds r always. Assumes that batches do not lean on each other and that there are enough of them for r to be near-normal: what came once or never in that time
 *     is in no interval (its rate has the upper limit 3.7 / seconds at .05). Seen in two seconds, of intervals of 95 % (jitter_sim_test.c): interrupts 95 %, slices of other
 *     programs, some 8 a second, 93 %, bursts that last over several stretches 90 %. k < 2: [0, 1]. Constant data: [r, r].
 * Gaps per second: exact Poisson limits (Garwood 1936, stats/rates.c), which assume gaps that come independently. The timer's come like a clock, so that their interval is
 *     wider than need be; those of a task that comes and goes come in bursts, so that theirs would be too narrow: from FEWEST batches on the ratio estimator, of counts over
 *     seconds, takes its place where it is the wider one.
 *     Not told for sizes below least_ns, where readings of the clock are so slow that a few of them fill such a gap. 0 seconds: no interval.
 * Frequency: 5th percentile, median and 95th with the interval of order statistics (tare_quantile_ci_binomial); 72 stretches give both ends
 *     of the outer two at .05.
 * Lost time by whom: others = the scheduler's account of our wait less what a quota took; stolen = wall - CPU - wait, summed, which the reading of the account makes
 *     too small by a microsecond a stretch, so it may be a little negative; interrupts, and what hides from a guest, = the rest. Where the kernel
 *     keeps the time of interrupts out of CPU time they are in `stolen`.
 *
 * Became it worse: did the later run lose more? Each question gets a third of the level, and is answered yes if all of its tests say so:
 *     gaps of 10 us and more   exact conditional binomial test of two rates (one-sided), and Wilcoxon's rank sum over batches of counts, and over 10 % more
 *     time lost                rank sum over batches of lost shares, and 0.05 % of the time more (a twentieth of the usual margin of 1 %)
 *     spread of the frequency  rank sum over batches of |hz - own median| / own median, and (p95 - p5) / median 0.5 % more
 * The first needs both tests because the one is wrong for bursts and the other for few batches: the pair errs no oftener than the better of the two. The last bounds are
 * there because two runs a minute apart are never quite alike: what is too small to matter is not worse. Assumes that a
 * batch does not lean on the next; smallest n: 8 stretches on each side. Ties get midranks. Constant data: not worse.
 */
#include "buf.h"
#include "jitter.h"
#include "stats_beyond.h"
#include <math.h>
#include <stdlib.h>

enum { BATCHES = 20, FEWEST = 8 };

/* Class at which each size begins. */
static const int first_class[JITTER_SIZES] = {0, 3, 6};

static int64_t gaps_of(const struct jitter_stretch *s, enum jitter_size size)
{
    int64_t n = 0;
    for (int i = first_class[size]; i < JITTER_CLASSES; i++)
        n += s->gaps[i];
    return n;
}

/* Where the counter went back there is no length, and gaps mean nothing. */
static bool is_usable(const struct jitter_stretch *s)
{
    return s->wall_ns > 0 && !s->backwards;
}

static int batches_of(int stretches)
{
    return stretches < 2 * BATCHES ? stretches : BATCHES;
}

/* The b-th of n batches. */
struct span {
    int first, end;
};

static struct span batch(const struct jitter_cpu *cpu, int b, int n)
{
    return (struct span){(int)((int64_t)cpu->n * b / n), (int)((int64_t)cpu->n * (b + 1) / n)};
}

typedef double value_of(const struct jitter_stretch *s, double centre);

static double lost_share_of(const struct jitter_stretch *s, double centre)
{
    (void)centre;
    return s->lost_ns / s->wall_ns;
}

static double count_of(const struct jitter_stretch *s, double centre)
{
    (void)centre;
    return (double)gaps_of(s, JITTER_OVER_10_US);
}

static double distance_of(const struct jitter_stretch *s, double centre)
{
    return fabs(s->core_hz / centre - 1);
}

/* Means of batches of as equal length as can be, into out; NaN values are left out, a batch of nothing else too. How many. */
static int batch_means(const struct jitter_cpu *cpu, value_of *value, double centre, double *out)
{
    int n = batches_of(cpu->n), made = 0;
    for (int b = 0; b < n; b++) {
        struct span s = batch(cpu, b, n);
        int known = 0;
        double sum = 0;
        for (int i = s.first; i < s.end; i++) {
            double v = is_usable(&cpu->stretches[i]) ? value(&cpu->stretches[i], centre) : NAN;
            sum += isnan(v) ? 0 : v;
            known += !isnan(v);
        }
        if (known)
            out[made++] = sum / known;
    }
    return made;
}

/* Tops over seconds, over all batches; a batch of nothing is none. */
struct sums {
    double top[2 * BATCHES], seconds[2 * BATCHES];
    int n;
};

static struct sums batch_sums(const struct jitter_cpu *cpu, value_of *value)
{
    struct sums out = {.n = 0};
    for (int b = 0, n = batches_of(cpu->n); b < n; b++) {
        struct span s = batch(cpu, b, n);
        double top = 0, ns = 0;
        for (int i = s.first; i < s.end; i++)
            if (is_usable(&cpu->stretches[i])) {
                top += value(&cpu->stretches[i], 0);
                ns += cpu->stretches[i].wall_ns;
            }
        if (ns > 0) {
            out.top[out.n] = top;
            out.seconds[out.n++] = ns / 1e9;
        }
    }
    return out;
}

static struct tare_interval ratio_of(const struct sums *s, double level)
{
    double top = 0, seconds = 0, squares = 0;
    for (int b = 0; b < s->n; b++) {
        top += s->top[b];
        seconds += s->seconds[b];
    }
    struct tare_interval r = {.point = top / seconds, .low = -INFINITY, .high = INFINITY, .level = level, .n = s->n};
    if (s->n < 2)
        return r;
    for (int b = 0; b < s->n; b++) {
        double d = s->top[b] - r.point * s->seconds[b];
        squares += d * d;
    }
    double half = tare_student_quantile(1 - level / 2, s->n - 1) * sqrt(s->n / (s->n - 1.0) * squares) / seconds;
    r.low = r.point - half;
    r.high = r.point + half;
    return r;
}

static double over_1_us(const struct jitter_stretch *s, double centre)
{
    (void)centre;
    return (double)gaps_of(s, JITTER_OVER_1_US);
}

static double over_100_us(const struct jitter_stretch *s, double centre)
{
    (void)centre;
    return (double)gaps_of(s, JITTER_OVER_100_US);
}

static void add_gaps(struct jitter_figures *f, const struct jitter_cpu *cpu, enum jitter_size size, double level)
{
    static value_of *const counts[JITTER_SIZES] = {over_1_us, count_of, over_100_us};
    struct tare_interval *out = &f->gaps[size];
    for (int i = 0; i < cpu->n; i++)
        f->count[size] += is_usable(&cpu->stretches[i]) ? gaps_of(&cpu->stretches[i], size) : 0;
    if (stats_rate_ci_garwood((ptrdiff_t)f->count[size], f->seconds, level, out) ||
        cpu->stretches[0].least_ns > (double)jitter_class_ns[first_class[size]]) {
        *out = (struct tare_interval){.point = NAN, .low = -INFINITY, .high = INFINITY, .level = level};
        return;
    }
    struct sums sums = batch_sums(cpu, counts[size]);
    struct tare_interval ratio = ratio_of(&sums, level);
    if (sums.n < FEWEST || ratio.high - ratio.low <= out->high - out->low)
        return;
    out->low = fmax(ratio.low, 0);
    out->high = ratio.high;
}

static double lost_seconds_of(const struct jitter_stretch *s, double centre)
{
    (void)centre;
    return s->lost_ns / 1e9;
}

/* The known frequencies, ascending; how many. */
static int sorted_hz(const struct jitter_cpu *cpu, double *out)
{
    int n = 0;
    for (int i = 0; i < cpu->n; i++)
        if (!isnan(cpu->stretches[i].core_hz))
            out[n++] = cpu->stretches[i].core_hz;
    tare_sort(out, n);
    return n;
}

static void add_frequency(struct jitter_figures *f, const double *hz, int n, double level)
{
    static const double at[3] = {0.05, 0.5, 0.95};
    for (int i = 0; i < 3; i++)
        tare_quantile_ci_binomial(hz, n, at[i], level, &f->core_hz[i]);
    f->core_spread = n ? (f->core_hz[2].point - f->core_hz[0].point) / f->core_hz[1].point : NAN;
}

static void add_causes(struct jitter_figures *f, const struct jitter_cpu *cpu)
{
    double involuntary = 0;
    f->others_seconds = f->stolen_seconds = 0;
    for (int i = 0; i < cpu->n; i++) {
        const struct jitter_stretch *s = &cpu->stretches[i];
        if (!is_usable(s))
            continue;
        double throttled = isnan(s->throttled_ns) ? 0 : fmin(s->throttled_ns, s->delay_ns);
        f->others_seconds += (s->delay_ns - throttled) / 1e9;
        f->stolen_seconds += (s->wall_ns - s->cpu_ns - s->delay_ns) / 1e9;
        f->throttled_seconds += throttled / 1e9;
        involuntary += s->involuntary;
    }
    f->interrupt_seconds = f->lost_seconds - f->others_seconds - f->throttled_seconds - fmax(f->stolen_seconds, 0);
    f->involuntary = involuntary / f->seconds;
}

enum tare_status jitter_figures(struct jitter_figures *out, const struct jitter_cpu *cpu, double level, struct tare_err *err)
{
    *out = (struct jitter_figures){.stretches = cpu->n};
    if (!(level > 0 && level < 1))
        return err_set(err, TARE_INVALID, "an interval's error is between 0 and 1, not %g", level);
    double *hz = malloc(((size_t)cpu->n + 1) * sizeof *hz);
    if (!hz)
        return err_no_memory(err);
    for (int i = 0; i < cpu->n; i++) {
        const struct jitter_stretch *s = &cpu->stretches[i];
        if (!is_usable(s))
            continue;
        out->seconds += s->wall_ns / 1e9;
        out->lost_seconds += s->lost_ns / 1e9;
        out->largest_ns = fmax(out->largest_ns, s->largest_ns);
    }
    for (int size = 0; size < JITTER_SIZES; size++)
        add_gaps(out, cpu, (enum jitter_size)size, level);
    struct sums sums = batch_sums(cpu, lost_seconds_of);
    out->lost_share = ratio_of(&sums, level);
    out->lost_share.low = fmax(out->lost_share.low, 0);
    out->lost_share.high = fmin(out->lost_share.high, 1);
    add_frequency(out, hz, sorted_hz(cpu, hz), level);
    add_causes(out, cpu);
    free(hz);
    return TARE_OK;
}

static const double GAPS_MORE = 1.1, LOST_MORE = 0.0005, SPREAD_MORE = 0.005;

static const struct jitter_cpu *twin_of(const struct jitter *in, int cpu)
{
    for (int i = 0; i < in->n_cpus; i++)
        if (in->cpus[i].cpu == cpu)
            return &in->cpus[i];
    return NULL;
}

/* All batches of all CPUs of both runs. */
struct sides {
    double *before, *after, *scratch;
    int n_before, n_after;
};

struct pooled {
    int64_t gaps;
    double seconds, lost, others, spread;
    int cpus;
};

static enum tare_status pool(struct pooled *out, const struct jitter_cpu *cpu, double level, struct tare_err *err)
{
    struct jitter_figures f;
    enum tare_status status = jitter_figures(&f, cpu, level, err);
    out->gaps += f.count[JITTER_OVER_10_US];
    out->seconds += f.seconds;
    out->lost += f.lost_seconds;
    out->others += f.others_seconds;
    out->spread = fmax(out->spread, isnan(f.core_spread) ? 0 : f.core_spread); /* of the worst CPU */
    out->cpus++;
    return status;
}

static double median_hz(const struct jitter_cpu *cpu, double *room)
{
    int n = sorted_hz(cpu, room);
    return tare_quantile_sorted(room, n, 0.5);
}

/* Of all CPUs that both runs have. */
static double rank_all(const struct jitter *before, const struct jitter *after, value_of *value, struct sides *s, double *room)
{
    s->n_before = s->n_after = 0;
    for (int i = 0; i < before->n_cpus; i++) {
        const struct jitter_cpu *twin = twin_of(after, before->cpus[i].cpu);
        if (twin) {
            s->n_before += batch_means(&before->cpus[i], value, median_hz(&before->cpus[i], room), s->before + s->n_before);
            s->n_after += batch_means(twin, value, median_hz(twin, room), s->after + s->n_after);
        }
    }
    struct tare_rank_sum r;
    if (!s->n_before || !s->n_after || tare_rank_sum_test(s->after, s->n_after, s->before, s->n_before, s->scratch, &r))
        return NAN;
    return tare_normal_cdf(-r.z); /* one-sided: after tends to be larger */
}

static const char *const questions[JITTER_QUESTIONS] = {
    [JITTER_GAPS] = "gaps of 10 us and more", [JITTER_LOST] = "time lost", [JITTER_FREQUENCY] = "spread of the core's frequency"};

const char *jitter_question_text(enum jitter_question q)
{
    return questions[q];
}

static void judge_change(struct jitter_change *out, double level, const struct pooled *before, const struct pooled *after)
{
    const double least[JITTER_QUESTIONS] = {out->before[JITTER_GAPS] * (GAPS_MORE - 1), LOST_MORE, SPREAD_MORE};
    for (int q = JITTER_QUESTIONS - 1; q >= 0; q--) {
        out->grown[q] = out->p[q] <= level / JITTER_QUESTIONS && out->after[q] - out->before[q] > least[q];
        if (out->grown[q])
            out->what = questions[q];
        out->worse |= out->grown[q];
    }
    double more = after->lost / after->seconds - before->lost / before->seconds;
    double more_to_others = after->others / after->seconds - before->others / before->seconds;
    out->by_others = (out->grown[JITTER_GAPS] || out->grown[JITTER_LOST]) && more > 0 && more_to_others > more / 2;
}

static void ask_change(struct jitter_change *out, const struct jitter *before, const struct jitter *after, double level,
                       const struct pooled pooled[2], struct sides *s, double *room)
{
    const struct pooled *b = &pooled[0], *a = &pooled[1];
    out->before[JITTER_GAPS] = (double)b->gaps / b->seconds;
    out->after[JITTER_GAPS] = (double)a->gaps / a->seconds;
    out->before[JITTER_LOST] = b->lost / b->seconds;
    out->after[JITTER_LOST] = a->lost / a->seconds;
    out->before[JITTER_FREQUENCY] = b->spread;
    out->after[JITTER_FREQUENCY] = a->spread;
    double exact = stats_rates_rose_p((ptrdiff_t)b->gaps, b->seconds, (ptrdiff_t)a->gaps, a->seconds);
    out->p[JITTER_GAPS] = fmax(exact, rank_all(before, after, count_of, s, room));
    out->p[JITTER_LOST] = rank_all(before, after, lost_share_of, s, room);
    out->p[JITTER_FREQUENCY] = rank_all(before, after, distance_of, s, room);
    judge_change(out, level, b, a);
}

static enum tare_status pool_both(struct pooled out[2], const struct jitter *before, const struct jitter *after, int *most,
                                  double level, struct tare_err *err)
{
    for (int i = 0; i < before->n_cpus; i++) {
        const struct jitter_cpu *mine = &before->cpus[i], *twin = twin_of(after, mine->cpu);
        if (!twin)
            continue;
        if (mine->n < FEWEST || twin->n < FEWEST)
            return err_set(err, TARE_TOO_FEW, "CPU %d was probed for fewer than %d stretches of %d ms", mine->cpu, FEWEST,
                           JITTER_STRETCH_NS / 1000000);
        enum tare_status status = pool(&out[0], mine, level, err);
        status = status ? status : pool(&out[1], twin, level, err);
        if (status)
            return status;
        *most = mine->n > *most ? mine->n : *most;
        *most = twin->n > *most ? twin->n : *most;
    }
    return out[0].cpus ? TARE_OK : err_set(err, TARE_TOO_FEW, "no CPU was probed both before and after");
}

enum tare_status jitter_worse(const struct jitter *before, const struct jitter *after, double level, struct jitter_change *out,
                              struct tare_err *err)
{
    struct pooled pooled[2] = {0};
    int most = 0;
    *out = (struct jitter_change){.p = {NAN, NAN, NAN}};
    enum tare_status status = pool_both(pooled, before, after, &most, level, err);
    if (status)
        return status;
    size_t batches = (size_t)pooled[0].cpus * 2 * BATCHES;
    double *memory = malloc((5 * batches + (size_t)most + 1) * sizeof *memory);
    if (!memory)
        return err_no_memory(err);
    struct sides s = {.before = memory, .after = memory + batches, .scratch = memory + 2 * batches};
    ask_change(out, before, after, level, pooled, &s, memory + 5 * batches);
    free(memory);
    return TARE_OK;
}
