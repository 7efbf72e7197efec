/* SPDX-License-Identifier: MIT
 *
 * noise_bench cost | recognise SAMPLES SEED | spread SAMPLES     what the noise account costs, knows and explains. Prints Markdown.
 *
 *   cost        nanoseconds of each reading
 *   recognise   samples of about 1 ms of multiplies, some of them disturbed on purpose (recognition.h): cause against flag
 *   spread      the same samples alone and beside two programs that only compute: wall time, CPU time, core cycles
 *
 * The work reads the clock every 25 us of its own; readings that lie too far apart are the witness for time that was lost on this
 * machine without our doing.
 */
#include "cpu.h"
#include "noise_thread.h"
#include "plat.h"
#include "recognition.h"
#include "rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tare/clock.h>
#include <tare/stats.h>

static const char *word_of(enum noise_cause cause)
{
    switch (cause) {
#define CAUSE(name, bit, word, exogenous, text) \
    case NOISE_##name:                          \
        return word;
#include "cause.def"
    }
    return NULL;
}

enum { CHUNKS = 40, LONG_CHUNKS = 300, CHUNK_STEPS = 24000, COST_RUNS = 20001, SPREAD_BLOCK = 100 };

struct sample {
    enum injected injected;
    bool took; /* the injected cause happened within it, by its witness */
    int64_t t0, t1, lost_ns;
    double hz_before, hz_after;
    struct noise_delta d;
    struct noise_account a;
};

static double core_hz(void)
{
    double hz;
    return tare_core_hz(&hz, NULL) ? NAN : hz;
}

/* What was lost between readings that lay more than 15 % farther apart than this sample's usual ones: its own median, so that a change of
 * the core's frequency is no loss. Sorts. */
static int64_t lost_between(double *apart, int n)
{
    double lost = 0;
    tare_sort(apart, n);
    double usual = tare_quantile_sorted(apart, n, 0.5);
    for (int i = 0; i < n; i++)
        if (apart[i] > 1.15 * usual)
            lost += apart[i] - usual;
    return (int64_t)lost;
}

static void work(struct injector *in, int chunks, int strike_at, double *apart, int64_t *ends)
{
    /* Sacred from the first reading to the last: the work, and what is injected into it. */
    int64_t last = plat_now_ns();
    injector_enter(in);
    ends[0] = last;
    for (int i = 0; i < chunks; i++) {
        cpu_chain_run(CHAIN_OF_MULTIPLIES, CHUNK_STEPS);
        if (i == strike_at)
            injector_strike(in);
        int64_t now = plat_now_ns();
        apart[i] = (double)(now - last);
        last = now;
    }
    injector_leave(in);
    ends[1] = last;
    /* To here. */
}

/* A sample of `chunks` chunks. */
static struct sample take(struct noise_thread *t, struct noise_history *h, struct injector *in, enum injected kind, int chunks,
                          int strike_at, bool last)
{
    struct sample s = {.injected = kind};
    double apart[LONG_CHUNKS];
    int64_t ends[2];
    injector_prepare(in, kind);
    s.hz_before = core_hz();
    injector_begin(in);
    noise_thread_begin(t);
    work(in, chunks, strike_at, apart, ends);
    s.t0 = ends[0];
    s.t1 = ends[1];
    s.d = noise_thread_end(t, (double)(s.t1 - s.t0));
    s.lost_ns = lost_between(apart, chunks);
    s.took = injector_took(in, s.t0, s.t1, s.lost_ns, noise_threshold_ns(s.d.wall_ns));
    s.hz_after = core_hz();
    injector_undo(in, last);
    s.d.core_hz = s.hz_before;
    s.a = noise_judge(h, &s.d);
    return s;
}

/* The first samples of a process are slower, and no history is there yet. */
static void warm_up(struct noise_thread *t, struct noise_history *h, struct injector *in)
{
    for (int i = 0; i < 51; i++)
        take(t, h, in, INJECT_NOTHING, CHUNKS, -1, true);
}

static int choose_cpus(int *other)
{
    int first = -1;
    *other = -1;
    for (int cpu = 8191; cpu >= 0; cpu--)
        if (plat_cpu_allowed(cpu)) {
            if (first < 0)
                first = cpu;
            else {
                *other = cpu;
                break;
            }
        }
    if (*other < 0)
        *other = first;
    return first;
}

static void open_all(struct noise_thread *t, struct injector *in)
{
    int other, cpu = choose_cpus(&other);
    struct tare_err err;
    injector_open(in, cpu, other);
    if (noise_thread_open(t, &err))
        printf("Note: %s\n\n", err.text);
    mlockall(MCL_CURRENT); /* so that no page of this program is read from disk again */
}

static const char *const injected_names[INJECTIONS] = {
    [INJECT_NOTHING] = "nothing",
    [INJECT_SPINNER] = "spinner on the same CPU",
    [INJECT_FAULT] = "pages dropped from memory",
    [INJECT_MOVE] = "bound to another CPU",
    [INJECT_QUOTA] = "CPU quota",
    [INJECT_STOP] = "SIGSTOP, SIGCONT",
    [INJECT_TOUCH] = "1024 fresh pages touched",
};

static const enum noise_cause expected[INJECTIONS] = {
    [INJECT_SPINNER] = NOISE_PREEMPTED, [INJECT_FAULT] = NOISE_FAULTED, [INJECT_MOVE] = NOISE_MIGRATED,
    [INJECT_QUOTA] = NOISE_THROTTLED,   [INJECT_STOP] = NOISE_BLOCKED,  [INJECT_TOUCH] = NOISE_FAULTED,
};

static const enum noise_cause flags[] = {NOISE_PREEMPTED, NOISE_MIGRATED, NOISE_STOLEN,  NOISE_THROTTLED,  NOISE_FREQUENCY,
                                         NOISE_CLOCK,     NOISE_BLOCKED,  NOISE_FAULTED, NOISE_UNEXPLAINED};
enum { FLAGS = sizeof flags / sizeof *flags };

static enum injected draw(struct rng *r, const struct injector *in)
{
    static const int weight[INJECTIONS] = {60, 12, 9, 9, 4, 9, 9}; /* a burst counts as one */
    for (;;) {
        int at = (int)rng_below(r, 112);
        int kind = 0;
        while (at >= weight[kind])
            at -= weight[kind++];
        if (injector_has(in, (enum injected)kind))
            return (enum injected)kind;
    }
}

static void make_samples(struct sample *s, int n, uint64_t seed)
{
    struct rng r = rng_seeded(seed);
    struct noise_thread t;
    struct noise_history of_length[2];
    memset(of_length, 0, sizeof of_length);
    struct injector in;
    open_all(&t, &in);
    warm_up(&t, &of_length[0], &in);
    for (int i = 0; i < n;) {
        enum injected kind = draw(&r, &in);
        bool longer = kind == INJECT_QUOTA || (kind == INJECT_NOTHING && rng_below(&r, 4) == 0);
        /* The quota acts at the scheduler's ticks, 4 ms apart here, so its samples are longer, and some of those without a cause with them.
         * In bursts where one sample may be too short to be hit: the scheduler lets a program run for some milliseconds. */
        for (int k = kind == INJECT_SPINNER ? 4 : kind == INJECT_QUOTA ? 2 : 1; k > 0 && i < n; k--, i++)
            s[i] = take(&t, &of_length[longer], &in, kind, longer ? LONG_CHUNKS : CHUNKS, 5 + (int)rng_below(&r, 25),
                        k == 1 || i + 1 == n);
    }
    noise_thread_close(&t);
    injector_close(&in);
}

static void print_confusion(const struct sample *s, int n)
{
    printf("| injected | samples | took effect |");
    for (int f = 0; f < FLAGS; f++)
        printf(" %s |", word_of(flags[f]));
    printf(" no flag | median wall, µs |\n|---|---:|---:|");
    for (int f = 0; f < FLAGS + 2; f++)
        printf("---:|");
    double *wall = malloc((size_t)n * sizeof *wall);
    for (int kind = 0; kind < INJECTIONS && wall; kind++) {
        int samples = 0, took = 0, none = 0, count[FLAGS] = {0};
        for (int i = 0; i < n; i++) {
            if (s[i].injected != (enum injected)kind)
                continue;
            samples++;
            if (kind != INJECT_NOTHING && !s[i].took)
                continue;
            wall[took++] = s[i].d.wall_ns / 1000;
            none += !s[i].a.flags;
            for (int f = 0; f < FLAGS; f++)
                count[f] += !!(s[i].a.flags & (uint32_t)flags[f]);
        }
        tare_sort(wall, took);
        printf("\n| %s | %d | %d |", injected_names[kind], samples, took);
        for (int f = 0; f < FLAGS; f++)
            printf(" %d |", count[f]);
        printf(" %d | %.0f |", none, tare_quantile_sorted(wall, took, 0.5));
    }
    free(wall);
    printf("\n\n");
}

static void print_share(int k, int n)
{
    struct tare_interval i;
    if (!n || tare_binomial_ci_clopper_pearson(k, n, 0.05, &i))
        printf("no sample");
    else
        printf("%.3f [%.3f, %.3f]", i.point, i.low, i.high);
}

/* Whether this sample may rightly have the flag, although nothing was injected that makes it. */
static bool explained(const struct sample *s, enum noise_cause cause)
{
    bool lost = (double)s->lost_ns > 0.5 * noise_threshold_ns(s->d.wall_ns);
    bool touched = s->injected == INJECT_TOUCH;
    switch (cause) {
    case NOISE_PREEMPTED:
    case NOISE_STOLEN:
        return lost; /* the clock stood still for the work: this machine's others, or its hypervisor */
    case NOISE_BLOCKED:
        return (s->injected == INJECT_FAULT || s->injected == INJECT_MOVE || s->injected == INJECT_STOP) && lost;
    case NOISE_THROTTLED:
        return s->injected == INJECT_QUOTA && lost;
    default:
        return cause == NOISE_FAULTED && touched;
    }
}

static void print_cause(const struct sample *s, int n, enum noise_cause cause)
{
    int truth = 0, hit = 0, flagged = 0, ours = 0, others = 0;
    for (int i = 0; i < n; i++) {
        bool is = s[i].took && expected[s[i].injected] == cause && s[i].injected != INJECT_NOTHING;
        bool flag = s[i].a.flags & (uint32_t)cause;
        truth += is;
        hit += is && flag;
        flagged += flag;
        ours += flag && is;
        others += flag && !is && explained(&s[i], cause);
    }
    printf("| %s | %d | ", word_of(cause), truth);
    print_share(hit, truth);
    printf(" | %d | %d | %d | %d | ", flagged, ours, others, flagged - ours - others);
    print_share(ours + others, flagged);
    printf(" |\n");
}

static void print_recognition(const struct sample *s, int n)
{
    printf("| flag | truly injected | recall, 95 %% interval | flagged | ours | time lost to others, by the witness | false | "
           "precision, 95 %% "
           "interval |\n|---|---:|---|---:|---:|---:|---:|---|\n");
    static const enum noise_cause causes[] = {NOISE_PREEMPTED, NOISE_MIGRATED, NOISE_THROTTLED,
                                              NOISE_BLOCKED,   NOISE_FAULTED,  NOISE_STOLEN};
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        print_cause(s, n, causes[i]);
    printf("\n");
}

/* All lost time that the witness saw, whoever took it: is it flagged at all? */
static void print_witness(const struct sample *s, int n)
{
    const uint32_t taken = NOISE_PREEMPTED | NOISE_STOLEN | NOISE_THROTTLED | NOISE_BLOCKED;
    int lost = 0, seen = 0, quiet = 0, alarms = 0;
    for (int i = 0; i < n; i++) {
        double threshold = noise_threshold_ns(s[i].d.wall_ns);
        if (s[i].injected == INJECT_TOUCH || s[i].injected == INJECT_FAULT || s[i].injected == INJECT_MOVE)
            continue; /* what was injected takes time of its own */
        if ((double)s[i].lost_ns > 2 * threshold) {
            lost++;
            seen += !!(s[i].a.flags & taken);
        } else if ((double)s[i].lost_ns < 0.25 * threshold) {
            quiet++;
            alarms += !!(s[i].a.flags & taken);
        }
    }
    printf("Of %d samples that lost more than twice the threshold by the witness, whoever took it, flagged as preempted, stolen, "
           "throttled or "
           "blocked: ",
           lost);
    print_share(seen, lost);
    printf(".\nOf %d samples that lost less than a quarter of it, flagged so: ", quiet);
    print_share(alarms, quiet);
    printf(".\n\n");
}

static void print_misses(const struct sample *s, int n)
{
    int shown = 0;
    for (int i = 0; i < n && shown < 12; i++) {
        enum noise_cause cause = expected[s[i].injected];
        bool is = s[i].took && s[i].injected != INJECT_NOTHING, flag = s[i].a.flags & (uint32_t)cause;
        bool missed = is && !flag, wrong = false;
        for (int f = 0; f < FLAGS; f++)
            wrong |= (s[i].a.flags & (uint32_t)flags[f]) && flags[f] != NOISE_FREQUENCY && flags[f] != NOISE_UNEXPLAINED &&
                     !(is && flags[f] == cause) && !explained(&s[i], flags[f]);
        if (!missed && !wrong)
            continue;
        if (!shown++)
            printf("Misses and false flags, the first dozen (µs):\n\n| sample | injected | wall | lost by the witness | CPU | "
                   "delay | "
                   "throttled | switches | page faults from disk | flags |\n|---:|---|---:|---:|---:|---:|---:|---|---:|---|\n");
        printf("| %d | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f + %.0f | %.0f |", i, injected_names[s[i].injected],
               s[i].d.wall_ns / 1e3, (double)s[i].lost_ns / 1e3, s[i].d.cpu_ns / 1e3, s[i].d.delay_ns / 1e3,
               s[i].d.throttled_ns / 1e3, s[i].d.voluntary, s[i].d.involuntary, s[i].d.majflt);
        for (int f = 0; f < FLAGS; f++)
            if (s[i].a.flags & (uint32_t)flags[f])
                printf(" %s", word_of(flags[f]));
        printf(" |\n");
    }
    printf("\n");
}

static int recognise(int n, uint64_t seed)
{
    struct sample *s = calloc((size_t)n, sizeof *s);
    if (!s || n < 1)
        return 6;
    make_samples(s, n, seed);
    print_confusion(s, n);
    print_recognition(s, n);
    print_witness(s, n);
    print_misses(s, n);
    free(s);
    return 0;
}

enum { WALL, CPU, CLEAN_WALL, CYCLES, CLEAN_CYCLES, FIGURES };
static const char *const figure_names[] = {"wall time, µs", "CPU time, µs", "wall time of samples without a flag, µs",
                                           "CPU time × core frequency, thousand cycles", "the same of samples without a flag"};

static bool is_clean(const struct sample *s)
{
    return !(s->a.flags & ~(uint32_t)NOISE_FREQUENCY);
}

static double cycles(const struct sample *s)
{
    return s->d.cpu_ns * (s->hz_before + s->hz_after) / 2 / 1e12;
}

static double figure(const struct sample *s, int which)
{
    switch (which) {
    case WALL:
        return s->d.wall_ns / 1e3;
    case CPU:
        return s->d.cpu_ns / 1e3;
    case CLEAN_WALL:
        return is_clean(s) ? s->d.wall_ns / 1e3 : NAN;
    case CLEAN_CYCLES:
        return is_clean(s) ? cycles(s) : NAN;
    default:
        return cycles(s);
    }
}

static int collect(const struct sample *s, int n, int which, double *x)
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(figure(&s[i], which)))
            x[m++] = figure(&s[i], which);
    return m;
}

static void print_spread(const struct sample *alone, const struct sample *loaded, int n)
{
    printf("| figure | alone: n | CV | median [95 %%] | loaded: n | CV | mean | median [95 %%] | loaded against alone |\n"
           "|---|---:|---:|---|---:|---:|---:|---|---|\n");
    double *x = malloc((size_t)n * sizeof *x);
    for (int which = 0; which < FIGURES && x; which++) {
        struct tare_interval quiet = {0}, busy = {0};
        int m = collect(alone, n, which, x);
        double cv = m > 1 ? tare_stddev(x, m) / tare_mean(x, m) : NAN;
        tare_sort(x, m);
        tare_median_ci_binomial(x, m, 0.05, &quiet);
        printf("| %s | %d | %.2f %% | %.2f [%.2f, %.2f] |", figure_names[which], m, 100 * cv, quiet.point, quiet.low, quiet.high);
        m = collect(loaded, n, which, x);
        cv = m > 1 ? tare_stddev(x, m) / tare_mean(x, m) : NAN;
        double mean = tare_mean(x, m);
        tare_sort(x, m);
        tare_median_ci_binomial(x, m, 0.05, &busy);
        bool covers = busy.low <= quiet.point && quiet.point <= busy.high,
             meet = busy.low <= quiet.high && quiet.low <= busy.high;
        printf(" %d | %.2f %% | %.2f | %.2f [%.2f, %.2f] | %+.2f %%, %s |\n", m, 100 * cv, mean, busy.point, busy.low, busy.high,
               100 * (busy.point / quiet.point - 1),
               covers ? "covers it"
               : meet ? "intervals meet"
                      : "does not cover it");
    }
    free(x);
    printf("\n");
}

/* What 3 cycles a multiply make of the work; the chain that finds the frequency says the same of itself. */
static void print_truth(const struct sample *s, int n)
{
    double *x = malloc((size_t)n * sizeof *x), truth = (double)CHUNKS * CHUNK_STEPS * cpu_multiply_cycles() / 1e3;
    struct tare_interval i;
    int m = x ? collect(s, n, CYCLES, x) : 0;
    tare_sort(x, m);
    if (cpu_multiply_cycles() && m && !tare_median_ci_binomial(x, m, 0.05, &i))
        printf("The work is %d multiplies of %d cycles: %.1f thousand cycles by construction; the median under load says %+.2f "
               "%% [%+.2f, %+.2f].\n\n",
               CHUNKS * CHUNK_STEPS, cpu_multiply_cycles(), truth, 100 * (i.point / truth - 1), 100 * (i.low / truth - 1),
               100 * (i.high / truth - 1));
    free(x);
}

static int spread(int n)
{
    struct sample *alone = calloc((size_t)n, sizeof *alone), *loaded = calloc((size_t)n, sizeof *loaded);
    struct noise_thread t;
    struct noise_history h = {0}, hl = {0};
    struct injector in;
    if (!alone || !loaded || n < 1)
        return 6;
    open_all(&t, &in);
    warm_up(&t, &h, &in);
    for (int done = 0; done < n; done += SPREAD_BLOCK) {
        int end = done + SPREAD_BLOCK < n ? done + SPREAD_BLOCK : n;
        for (int i = done; i < end; i++)
            alone[i] = take(&t, &h, &in, INJECT_NOTHING, CHUNKS, -1, true);
        injector_load(&in, true);
        for (int i = done; i < end; i++)
            loaded[i] = take(&t, &hl, &in, INJECT_NOTHING, CHUNKS, -1, true);
        injector_load(&in, false);
    }
    noise_thread_close(&t);
    injector_close(&in);
    print_spread(alone, loaded, n);
    print_truth(loaded, n);
    free(alone);
    free(loaded);
    return 0;
}

struct costing {
    struct noise_thread t;
    struct noise_history h;
    double sink;
};

static void cost_pair(struct costing *c)
{
    noise_thread_begin(&c->t);
    c->sink += noise_thread_end(&c->t, 1e6).cpu_ns;
}

static void cost_cpu(struct costing *c)
{
    c->sink += (double)plat_thread_cpu_ns();
}

static void cost_delay(struct costing *c)
{
    c->sink += (double)plat_thread_delay_ns(&c->t.thread);
}

static void cost_counts(struct costing *c)
{
    struct plat_thread_counts counts;
    c->sink += plat_thread_counts(&counts);
}

static void cost_where(struct costing *c)
{
    c->sink += plat_thread_cpu();
}

static void cost_quota(struct costing *c)
{
    c->sink += (double)noise_quota_throttled_ns(&c->t.quota);
}

static void cost_suspended(struct costing *c)
{
    c->sink += (double)plat_suspended_ns();
}

static void cost_frequency(struct costing *c)
{
    c->sink += core_hz();
}

static void cost_judge(struct costing *c)
{
    struct noise_delta d = noise_unknown(1e6 + 1000 * fmod(c->sink, 7));
    d.core_hz = 2.5e9 + fmod(c->sink, 11);
    c->sink += noise_judge(&c->h, &d).flags;
}

static void cost_nothing(struct costing *c)
{
    c->sink += 1;
}

static void print_cost(struct costing *c, const char *name, void (*call)(struct costing *), double floor_ns, double *median)
{
    static double x[COST_RUNS];
    for (int i = 0; i < COST_RUNS; i++) {
        int64_t t0 = plat_now_ns();
        call(c);
        x[i] = (double)(plat_now_ns() - t0) - floor_ns;
    }
    tare_sort(x, COST_RUNS);
    *median = tare_quantile_sorted(x, COST_RUNS, 0.5);
    if (name)
        printf("| %s | %.0f | %.0f | %.0f |\n", name, tare_quantile_sorted(x, COST_RUNS, 0.1), *median,
               tare_quantile_sorted(x, COST_RUNS, 0.99));
}

static int cost(void)
{
    static const struct {
        const char *name;
        void (*call)(struct costing *);
    } calls[] = {
        {"a sample's account: noise_thread_begin and noise_thread_end", cost_pair},
        {"of it twice: CPU time", cost_cpu},
        {"of it twice: delay (schedstat)", cost_delay},
        {"of it twice: switches and faults (getrusage)", cost_counts},
        {"of it twice: number of the CPU", cost_where},
        {"of it twice: throttled time, of one group with a quota", cost_quota},
        {"core frequency by the chain, before and after", cost_frequency},
        {"noise_judge", cost_judge},
        {"suspension", cost_suspended},
    };
    struct injector in; /* for its control group */
    struct costing c = {0};
    open_all(&c.t, &in);
    double floor_ns, median;
    print_cost(&c, NULL, cost_nothing, 0, &floor_ns);
    core_hz();
    printf("| reading | p10, ns | median, ns | p99, ns |\n|---|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        print_cost(&c, calls[i].name, calls[i].call, floor_ns, &median);
    printf("\n%s\n\n", c.t.quota.n ? "One group has a quota." : "No group has a quota, so its account costs nothing.");
    noise_thread_close(&c.t);
    injector_close(&in);
    return 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    int n = argc > 2 ? atoi(argv[2]) : 0;
    if (argc == 2 && !strcmp(argv[1], "cost"))
        return cost();
    if (argc == 4 && !strcmp(argv[1], "recognise"))
        return recognise(n, strtoull(argv[3], NULL, 10));
    if (argc == 3 && !strcmp(argv[1], "spread"))
        return spread(n);
    fprintf(stderr, "usage: noise_bench cost | recognise SAMPLES SEED | spread SAMPLES\n");
    return 2;
}
