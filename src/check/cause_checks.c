/* SPDX-License-Identifier: MIT
 *
 * Checks of what disturbed one command's runs: who or what took their time, and the remedy. The figures are those of the analysis.
 *
 * Waiting, stolen and throttled time is told from 1 % of the time, a twentieth of the runs, or a quarter of the variance on, a pause or a wrong clock from one
 * run on. The weight is the share of time that was taken or, where that is more, the part of the relative scatter that it explains.
 */
#include "causes.h"
#include "finding.h"
#include "number_sort.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

struct taken {
    int runs, observed, n; /* observed: of n, those of which it is known how much was taken, the base of the share of time */
    double ns, of_time, of_variance; /* of all runs; shares; 0 where not known */
    double theirs;                   /* the part of that time that is of the runs with the flag */
    double weight;
};

static double figure(const struct check *c, int subject, const char *metric, const char *word, const char *statistic)
{
    char room[64];
    buf_print(room, sizeof room, "%s%s", word, statistic);
    const struct estimate *e = record_estimate(c->r, subject, metric, room);
    return e && !isnan(e->point) ? e->point : 0;
}

static const struct cause *cause_named(const char *word)
{
    int i = 0;
    while (strcmp(cause_at(i)->word, word) != 0)
        i++;
    return cause_at(i);
}

/* Of the runs in the account, the n of `_runs`, those of which it is known what they lost, the n of `_ns`. */
static int runs_in(const struct check *c, const struct sample *s, const char *word, const char *statistic)
{
    char room[64];
    buf_print(room, sizeof room, "%s%s", word, statistic);
    const struct estimate *e = record_estimate(c->r, s->subject, "wall", room);
    return e ? e->n : 0;
}

/* The others lost too little each to have the flag: of many long runs it can be most. */
static double part_of_flagged(const struct series *s, const char *word)
{
    const struct cause *cause = cause_named(word);
    const double *taken = cause_column(cause) ? series_values(s, cause_column(cause)) : NULL;
    const double *wall = series_values(s, "wall"), *throttled = series_values(s, "throttled");
    double all = 0, flagged = 0;
    for (int i = 0; taken && wall && i < s->main.n; i++) {
        const double besides = cause->bit == ROW_PREEMPTED && throttled && throttled[i] > 0 ? throttled[i] : 0;
        const double lost = isnan(taken[i]) ? 0 : fmin(taken[i] - besides, wall[i]);
        all += lost > 0 ? lost : 0;
        flagged += lost > 0 && s->main.flags[i] & cause->bit ? lost : 0;
    }
    return all > 0 ? flagged / all : 1;
}

static struct taken taken_by(const struct check *c, const struct sample *s, const char *word)
{
    const double *wall = series_values(&c->r->series[s->subject], "wall");
    struct taken t = {.runs = (int)figure(c, s->subject, "wall", word, "_runs"), .n = runs_in(c, s, word, "_runs")};
    double spread = wall ? tare_stddev(wall, s->n) / tare_mean(wall, s->n) : NAN;
    t.observed = runs_in(c, s, word, "_ns");
    t.observed = t.observed >= t.runs ? t.observed : t.n;
    t.ns = figure(c, s->subject, "wall", word, "_ns");
    t.theirs = part_of_flagged(&c->r->series[s->subject], word);
    t.of_time = figure(c, s->subject, "wall", word, "_time_share");
    t.of_variance = figure(c, s->subject, "wall", word, "_variance_share");
    const bool by_share = c->r->rule.against_itself && t.of_time > 0; /* of copies one is named, beside its share */
    t.weight = 100 * fmax(t.of_time, isfinite(spread) && !by_share ? spread * sqrt(fmax(t.of_variance, 0)) : 0);
    return t;
}

static bool matters(const struct taken *t)
{
    return t->runs > 0 && (t->of_time >= 0.01 || t->runs * 20 >= t->n || t->of_variance >= 0.25);
}

/* " (3.0 % of the time)"; nothing where too few of the runs tell. */
static const char *time_share(struct check *c, const struct taken *t)
{
    struct buf b = BUF_INIT(256);
    if (t->of_time > 0)
        buf_format(&b, " (%s of the time)", finding_share(c, t->of_time * t->theirs));
    return finding_keep(c, &b);
}

static const char *runs_of(struct check *c, int runs, int n)
{
    struct buf b = BUF_INIT(64);
    buf_format(&b, "%d of %d %s", runs, n, finding_runs(c, n));
    return finding_keep(c, &b);
}

/* "27 of 27 observed runs"; "27 of 40 runs" where all are. */
static const char *taken_runs(struct check *c, const struct taken *t)
{
    struct buf b = BUF_INIT(64);
    buf_format(&b, "%d of %d %s%s", t->runs, t->observed, t->observed < t->n ? "observed " : "", finding_runs(c, t->observed));
    return finding_keep(c, &b);
}

static const double UNSEEN_SHARE =
    0.25; /* of the wall time, without CPU time: no program of one process after the other that only computes has it */

static const struct fact *known_fact(const struct facts *f, const char *key)
{
    const struct fact *fact = facts_find(f, key);
    return fact && !fact->reason ? fact : NULL;
}

/* " Other processes meanwhile: cc1 (pid 40) 0.50 s."; empty where none is known. */
static const char *others_meanwhile(struct check *c)
{
    const struct fact *users = known_fact(&c->r->after, "cpu_users");
    struct buf b = BUF_INIT(1 << 14);
    if (users && users->text && strcmp(users->text, "none"))
        buf_format(&b, " Other processes meanwhile: %s.", users->text);
    return finding_keep(c, &b);
}

/* "end cc1 and yes, or use --pin" */
static const char *end_users(struct check *c, const char *otherwise)
{
    const char *names = finding_cpu_users(c, true);
    struct buf b = BUF_INIT(1 << 14);
    buf_format(&b, "end %s, or %s", *names ? names : "other programs", otherwise);
    return finding_keep(c, &b);
}

/* Not where the option was given already. */
static bool may_rerun(const struct check *c)
{
    return c->r->rule.method == METHOD_TARE && c->facts->adaptive && c->r->rule.on_dirty != DIRTY_RERUN &&
           finding_can_be_followed(c, "--on-dirty");
}

static bool of_wall_time(const struct check *c)
{
    return !c->r->traced && c->r->rule.metric && !strcmp(c->r->rule.metric, "wall"); /* of arcs there is no other */
}

/* What the variance owes to the cause, what it is, and the option that repeats such rounds. */
static void detail_of_cause(struct check *c, const struct taken *t, const char *what)
{
    struct buf b = BUF_INIT(256);
    if (t->of_variance >= 0.01)
        buf_format(&b, "This explains %s of the variance%s. ", finding_share(c, t->of_variance),
                   of_wall_time(c) ? "" : " of the wall time");
    finding_detail(c, "%s%s%s%s", finding_keep(c, &b), what, others_meanwhile(c),
                   may_rerun(c) ? " --on-dirty=rerun repeats such rounds." : "");
}

bool finding_cpus_busy(const struct check *c, int subject)
{
    const double cpus = facts_number(&c->r->machine, "cpus_online"); /* others are counted on all, wherever we may run */
    return facts_cpus_of_others(&c->r->after) > cpus - 0.5 || figure(c, subject, "wall", "preempted", "_time_share") >= 0.25;
}

static const char *despite_users(const struct check *c, int subject)
{
    return c->facts->pinned                 ? "--pin another CPU"
           : !finding_cpus_busy(c, subject) ? "use --pin"
           : of_wall_time(c)                ? "compare CPU time: --metric cpu"
                                            : "measure when the CPUs are idle";
}

static void check_preempted(struct check *c, const struct sample *s)
{
    struct taken t = taken_by(c, s, "preempted");
    if (!matters(&t))
        return;
    finding_add(c, "preempted", SEVERITY_WARNING, s->subject, t.weight, end_users(c, despite_users(c, s->subject)),
                "%s waited %s for a CPU%s", taken_runs(c, &t), finding_quantity(c, "ns", t.ns * t.theirs), time_share(c, &t));
    detail_of_cause(c, &t, "tare system show says how to keep a CPU idle.");
}

static double middle_of(struct check *c, const double *values, int n)
{
    memcpy(c->scratch, values, (size_t)n * sizeof *values);
    number_sort(c->scratch, n, c->scratch + n);
    return tare_quantile_sorted(c->scratch, n, 0.5);
}

/* Several processes or threads: the kernel says of the first only how long it waited. Where the wall time is far more than the CPU time of all,
 * or where disturbed runs were to be treated apart, that matters. */
static void check_unseen(struct check *c, const struct sample *s)
{
    const struct series *series = &c->r->series[s->subject];
    const double *wall = series_values(series, "wall"), *cpu = series_values(series, "cpu");
    int unseen = (int)figure(c, s->subject, "wall", "unseen", "_runs");
    if (!unseen || !wall || !cpu)
        return;
    double all = middle_of(c, wall, s->n), used = middle_of(c, cpu, s->n), idle = 1 - used / all;
    bool asked = c->r->rule.on_dirty != DIRTY_FLAG;
    if (!asked && (2 * unseen < s->n || !(idle > UNSEEN_SHARE)))
        return;
    finding_add(c, "waiting_unseen", asked ? SEVERITY_WARNING : SEVERITY_NOTE, s->subject, 100 * fmax(idle, 0.01),
                c->r->subjects[s->subject].kind == SUBJECT_COMMAND && of_wall_time(c) ? "compare CPU time: --metric cpu" : NULL,
                idle > 0 ? "%s of CPU time in %s: the rest may be waiting for a CPU"
                         : "%s of CPU time in %s: how long its threads or processes waited for a CPU is not known",
                finding_quantity(c, "ns", used), finding_quantity(c, "ns", all));
    finding_detail(
        c, "Of several processes or threads the kernel reports only how long the first one waited, which concerns %s%s.%s",
        runs_of(c, unseen, s->n), asked ? ": none of these is known to be undisturbed" : "", others_meanwhile(c));
}

/* Kernels that keep interrupts out of CPU times (IRQ_TIME_ACCOUNTING) leave them in the residual, as they do the hypervisor's time. */
static void check_stolen(struct check *c, const struct sample *s)
{
    struct taken t = taken_by(c, s, "stolen");
    if (!matters(&t))
        return;
    const struct fact *virtual = known_fact(&c->r->machine, "virtual_machine");
    const bool told = virtual && virtual->text, alone = told && !strcmp(virtual->text, "not seen");
    finding_add(c, "stolen", SEVERITY_WARNING, s->subject, t.weight,
                alone ? "keep interrupts away: --pin, tare system tune" : finding_less_steal(c), "%s took %s from %s%s",
                alone  ? "interrupts or firmware"
                : told ? "the hypervisor"
                       : "a hypervisor, interrupts or firmware",
                finding_quantity(c, "ns", t.ns * t.theirs), taken_runs(c, &t), time_share(c, &t));
    detail_of_cause(c, &t,
                    alone  ? "No hypervisor is seen, so this is probably interrupts."
                    : told ? "Other virtual machines on this host compete for its CPUs."
                           : "Whether this is a virtual machine is not known.");
}

static void check_throttled(struct check *c, const struct sample *s)
{
    struct taken t = taken_by(c, s, "throttled");
    if (!matters(&t))
        return;
    const struct fact *cpus = known_fact(&c->r->before, "cpu_quota_cpus"), *group = known_fact(&c->r->before, "cpu_quota_group");
    struct buf quota = BUF_INIT(1 << 14);
    buf_str(&quota, "The quota");
    if (group && group->text)
        buf_format(&quota, " of the group %s", group->text);
    if (cpus && !cpus->text)
        buf_format(&quota, " is %g CPUs; it", cpus->number);
    buf_format(&quota, " stops a %s for tens of milliseconds at a time.", finding_runs(c, 1));
    finding_add(c, "throttled", SEVERITY_WARNING, s->subject, t.weight, "raise the CPU quota", "a CPU quota stopped %s for %s%s",
                taken_runs(c, &t), finding_quantity(c, "ns", t.ns * t.theirs), time_share(c, &t));
    detail_of_cause(c, &t, finding_keep(c, &quota));
}

static void check_anomaly(struct check *c, const struct sample *s)
{
    struct taken t = taken_by(c, s, "clock");
    if (!t.runs)
        return;
    finding_add(c, "clock", SEVERITY_WARNING, s->subject, 100, "run tare clock before you trust any time",
                "clocks disagreed or ran backwards in %s", taken_runs(c, &t));
    finding_detail(c, "Possible causes: a virtual machine that was moved or suspended, a large correction by a time server, an "
                      "unsteady counter.");
}

static void check_paused(struct check *c, const struct sample *s)
{
    struct taken t = taken_by(c, s, "paused");
    if (!t.runs)
        return;
    finding_add(c, "paused", SEVERITY_WARNING, s->subject, 100,
                may_rerun(c) ? "measure again, or use --on-dirty=rerun" : "measure again",
                "a signal paused %s, which the time includes", taken_runs(c, &t));
}

/* From the 10th to the 90th percentile, relative to the median; NaN: not known for enough runs. */
static double frequency_range(struct check *c, const struct sample *s, double *median)
{
    const double *hz = series_values(&c->r->series[s->subject], "core_hz");
    int n = 0;
    for (int i = 0; hz && i < s->n; i++)
        if (hz[i] > 0)
            c->scratch[n++] = hz[i];
    number_sort(c->scratch, n, c->scratch + n);
    *median = tare_quantile_sorted(c->scratch, n, 0.5);
    return n < 10 ? NAN : (tare_quantile_sorted(c->scratch, n, 0.9) - tare_quantile_sorted(c->scratch, n, 0.1)) / *median;
}

static void check_frequency(struct check *c, const struct sample *s)
{
    const struct estimate *exponent = record_estimate(c->r, s->subject, "cpu", "frequency_exponent"),
                          *adjusted = record_estimate(c->r, s->subject, "cpu", "median_at_frequency");
    double median, range = frequency_range(c, s, &median);
    if (!exponent || !adjusted || !(range >= 0.01))
        return;
    finding_add(c, "frequency", SEVERITY_NOTE, s->subject, 100 * range * fmin(fabs(exponent->point), 1),
                c->r->n_comparisons && c->r->rule.interleaved ? "fix the frequency"
                                                              : "fix the frequency, or compare in one session",
                "the core frequency varied by %s, and CPU time with it", finding_share(c, range));
    finding_detail(c,
                   "The exponent is %s (%s to %s); at the median of %s the typical %s uses %s of CPU. tare system show "
                   "lists what this machine allows.",
                   finding_figure(c, exponent->point, 2), finding_figure(c, exponent->low, 2),
                   finding_figure(c, exponent->high, 2), finding_quantity(c, "Hz", median), finding_runs(c, 1),
                   finding_quantity(c, "ns", adjusted->point));
}

/* Causes whose time is not known by itself: do the marked runs take longer? */

enum { MARKED_LEAST = 4 };

struct marked {
    int n, others;
    double longer; /* ratio of the medians, less 1 */
    double p;      /* rank sum, two-sided */
};

static bool compare_marked(struct check *c, const struct sample *s, uint32_t bit, struct marked *out)
{
    const uint32_t *flags = c->r->series[s->subject].main.flags;
    double *with = c->scratch, *without = c->scratch + s->n, *room = c->scratch + 2 * s->n;
    struct tare_rank_sum t;
    *out = (struct marked){0};
    for (int i = 0; i < s->n; i++)
        if (flags[i] & bit)
            with[out->n++] = s->values[i];
        else
            without[out->others++] = s->values[i];
    if (out->n < MARKED_LEAST || out->others < MARKED_LEAST)
        return false;
    number_sort(with, out->n, room);
    number_sort(without, out->others, room);
    if (tare_rank_sum_test(with, out->n, without, out->others, room, &t))
        return false;
    out->longer = tare_quantile_sorted(with, out->n, 0.5) / tare_quantile_sorted(without, out->others, 0.5) - 1;
    out->p = t.p;
    return t.z > 0;
}

static const struct {
    uint32_t bit;
    const char *id, *which, *advice, *elsewhere; /* elsewhere: to benchmarks and traces */
} marks[] = {
    {ROW_MIGRATED, "migrated", "that moved to another CPU", "use --pin for one thread", "use --pin for one thread"},
    {ROW_FAULTED, "faulted", "with many page faults", "use --warmup 1, or --prepare for cold runs", "use --warmup 1"},
    {ROW_BLOCKED, "blocked", "that waited for I/O or a process", "use --metric cpu if waiting does not matter",
     "leave waiting out of what is measured if it does not matter"},
};

static void check_flagged_longer(struct check *c, const struct sample *s)
{
    const struct cause *cause;
    for (int i = 0; (cause = cause_at(i)); i++)
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
            struct marked m;
            if (marks[k].bit != cause->bit || !compare_marked(c, s, cause->bit, &m) || !(m.p < 0.01) || !(m.longer >= 0.01))
                continue;
            finding_add(c, marks[k].id, SEVERITY_NOTE, s->subject, 100 * m.longer * sqrt((double)m.n / s->n),
                        finding_of_benchmarks(c) || c->r->traced ? marks[k].elsewhere : marks[k].advice, "%d %s %s took %s %s",
                        m.n, finding_runs(c, m.n), marks[k].which,
                        m.longer < 1 ? finding_share(c, m.longer) : finding_figure(c, 1 + m.longer, m.longer < 9),
                        m.longer < 1 ? "longer" : "times as long");
            finding_detail(c, "Compared with the other %d by a rank sum test, %s.", m.others, finding_p(c, m.p));
        }
}

static double total_of(const double *values, int n)
{
    double sum = 0;
    for (int i = 0; values && i < n; i++)
        sum += isnan(values[i]) ? 0 : values[i];
    return sum;
}

static void check_threads(struct check *c, const struct sample *s)
{
    const struct series *series = &c->r->series[s->subject];
    const double *wall = series_values(series, "wall"), *cpu = series_values(series, "cpu");
    const struct fact *allowed = known_fact(&c->r->before, "cpus_allowed");
    double at_once = total_of(cpu, s->n) / total_of(wall, s->n);
    if (c->facts->pinned && finding_several_threads(c, s->subject))
        finding_add(c, "threads_pinned", SEVERITY_WARNING, s->subject, 20, "omit --pin, unless they run one after the other",
                    "several threads or processes shared the one CPU of --pin");
    else if (allowed && allowed->number > 0 && at_once > 1.5 && at_once > 0.9 * allowed->number) {
        finding_add(c, "threads", SEVERITY_NOTE, s->subject, 10, "use fewer threads than there are CPUs",
                    "it used %.1f of %g CPUs", at_once, allowed->number);
        finding_detail(c, "Everything else that runs takes CPU time from it, tare included.");
    }
}

const struct check_test cause_tests[] = {{.ids = "preempted", .sample = check_preempted},
                                         {.ids = "waiting_unseen", .sample = check_unseen},
                                         {.ids = "stolen", .sample = check_stolen},
                                         {.ids = "throttled", .sample = check_throttled},
                                         {.ids = "clock", .sample = check_anomaly},
                                         {.ids = "paused", .sample = check_paused},
                                         {.ids = "frequency", .sample = check_frequency},
                                         {.ids = "migrated faulted blocked", .sample = check_flagged_longer},
                                         {.ids = "threads threads_pinned", .sample = check_threads},
                                         {0}};
