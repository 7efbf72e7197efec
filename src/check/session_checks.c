/* SPDX-License-Identifier: MIT
 *
 * Checks of what the machine did while the session measured, from the facts before and after it (src/system/machine.h), and of how the session was made.
 */
#include "finding.h"
#include <math.h>
#include <string.h>

/* A growth below these is the accounts' own grain. */
static const double SUSPENDED_LEAST_NS = 1e6, USERS_LEAST_SHARE = 0.1, UNNAMED_LEAST_SHARE = 0.05, UNNAMED_LEAST_SECONDS = 0.1;

/* NaN where an end is unknown. */
static double fact_grown(const struct record *r, const char *key)
{
    return facts_number(&r->after, key) - facts_number(&r->before, key);
}

static void check_quota(struct check *c)
{
    double periods = fact_grown(c->r, "throttled_periods"), ns = fact_grown(c->r, "throttled_ns"),
           cpus = facts_number(&c->r->before, "cpu_quota_cpus");
    const char *group = facts_text(&c->r->before, "cpu_quota_group");
    if (!(periods > 0))
        return;
    double share = 100 * ns / 1e9 / c->r->seconds;
    finding_add(c, "quota", SEVERITY_WARNING, -1, share >= 0 ? fmin(share, 100) : 10, "raise the quota, or measure outside of it",
                "the quota of %g CPUs stopped the session %.0f time%s, for %s", cpus, periods, periods > 1 ? "s" : "",
                ns >= 0 ? finding_quantity(c, "ns", ns) : "an unknown time");
    finding_detail(c, "Group: %s. A stop lasts up to a tenth of a second and affects only some %s.", group ? group : "unknown",
                   finding_runs(c, 2));
}

static void check_suspended(struct check *c)
{
    double ns = fact_grown(c->r, "suspended_ns");
    if (!(ns > SUSPENDED_LEAST_NS))
        return;
    finding_add(c, "suspended", SEVERITY_WARNING, -1, 100, "measure again and keep the machine awake",
                "the machine was suspended for %s during the session", finding_quantity(c, "ns", ns));
    finding_detail(c, "No run's time shows it; caches, frequency and clocks are different afterwards.");
}

static void check_other_tare(struct check *c)
{
    const char *before = facts_text(&c->r->before, "other_tare"), *after = facts_text(&c->r->after, "other_tare");
    const char *who = after && strcmp(after, "no") ? after : before;
    if (!who || !strcmp(who, "no"))
        return;
    finding_add(c, "other_tare", SEVERITY_WARNING, -1, 5, "measure one after the other",
                "another tare measured at the same time (%s)", who);
}

static void check_cpu_users(struct check *c)
{
    double seconds = facts_number(&c->r->after, "cpu_users_seconds"), unnamed = facts_number(&c->r->after, "cpu_unnamed_seconds"),
           window = facts_number(&c->r->after, "cpu_watch_seconds"), cpus = facts_number(&c->r->before, "cpus_allowed");
    const char *users = facts_text(&c->r->after, "cpu_users");
    if (!(seconds >= USERS_LEAST_SHARE * window) || !users)
        return;
    const bool brief = unnamed > seconds / 2; /* too short-lived to have a name here */
    const char *names = finding_cpu_users(c, false);
    const bool ends = !*names || *finding_cpu_users(c, true);
    struct buf text = BUF_INIT(1 << 14);
    buf_format(&text, "Others used %s of CPU time", finding_quantity(c, "ns", seconds * 1e9));
    if (strcmp(users, "none"))
        buf_format(&text, ": %s", users);
    if (unnamed >= fmax(UNNAMED_LEAST_SECONDS, UNNAMED_LEAST_SHARE * window))
        buf_format(&text, "; %s by processes that came and went", finding_quantity(c, "ns", unnamed * 1e9));
    /* Light: whether they disturbed a run is told by the runs, and that finding names them too. */
    double weight = 5 * seconds / window / (cpus >= 1 ? cpus : 1);
    finding_add(c, "cpu_users", SEVERITY_NOTE, -1, fmin(weight, 5),
                brief || !ends ? "let the machine settle" : "end them, or let the machine settle",
                "other programs used %s of one CPU%s%s", finding_share(c, seconds / window),
                *names  ? ", most of it "
                : brief ? ", mostly processes that came and went"
                        : "",
                names);
    finding_detail(c, "%s. --pin helps only with a CPU that they leave idle.", finding_keep(c, &text));
}

static double stolen_seconds(const struct check *c)
{
    return fact_grown(c->r, "steal_ticks") / 100; /* the kernel's unit for users is 1/100 s everywhere */
}

/* NaN: not known. */
static double cpus_online(const struct check *c)
{
    double n = facts_number(&c->r->machine, "cpus_online");
    return n >= 1 ? n : NAN;
}

/* More was stolen than the CPUs had: the count jumped, as it does where a guest is moved. */
static bool steal_jumped(const struct check *c)
{
    return stolen_seconds(c) > cpus_online(c) * c->r->seconds;
}

/* Does CPU time hold stolen time here? */

/* What the rows hold of it, and how much of the session they cover. */
static double rows_steal(const struct record *r, double *wall_ns)
{
    double sum = 0;
    *wall_ns = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const struct series *s = &r->series[i];
        const double *steal = series_values(s, "steal"), *wall = series_values(s, "wall");
        for (int k = 0; steal && wall && k < s->main.n; k++)
            if (!isnan(steal[k])) {
                sum += steal[k];
                *wall_ns += wall[k];
            }
    }
    return sum;
}

/* Steal falls on CPUs that work, in the mean as much on that of the runs as on any other: with all n CPUs at work its share is 1/n, with fewer it
 * is more, and of that the runs see the part of the session that they cover. So much is to be expected at the least; half of it allows for
 * chance: where 20 ticks are expected, taken in pieces of a tick at most, fewer than 10 come once in two hundred times by the law of Poisson. */
static void check_steal_account(struct check *c)
{
    enum { LEAST_TICKS = 20 };
    const double tick_ns = 1e7;
    double stolen_ns = 1e9 * stolen_seconds(c), wall_ns, seen_ns = rows_steal(c->r, &wall_ns);
    double expected_ns = stolen_ns / cpus_online(c) * fmin(wall_ns / (c->r->seconds * 1e9), 1);
    if (!(expected_ns >= LEAST_TICKS * tick_ns) || seen_ns >= expected_ns / 2 || steal_jumped(c))
        return;
    finding_add(c, "steal_in_cpu_time", SEVERITY_NOTE, -1, 1, "read CPU times like wall times",
                "the runs show only %s of %s of stolen time", finding_quantity(c, "ns", fmax(seen_ns, 0)),
                finding_quantity(c, "ns", stolen_ns));
    finding_detail(c, "Time that the hypervisor took looks like work here.");
}

/* The empty program was run without and then with counters. */
static void check_counter_cost(struct check *c)
{
    const struct estimate *without = NULL, *with = NULL;
    for (int i = 0; i < c->r->n_subjects; i++)
        if (c->r->subjects[i].kind == SUBJECT_NOOP) {
            without = with;
            with = record_estimate(c->r, i, "wall", "median");
        }
    if (without && with) {
        finding_add(c, "counter_cost", SEVERITY_NOTE, -1, 1, "omit perf: metrics if that matters",
                    "with counters an empty program takes %s instead of %s", finding_quantity(c, "ns", with->point),
                    finding_quantity(c, "ns", without->point));
        finding_detail(c, "The times of all commands include this.");
    }
}

static void check_counters(struct check *c)
{
    const struct check_facts *f = c->facts;
    for (int i = 0; i < f->n_missing_counters; i++)
        finding_add(c, "counter_missing", SEVERITY_WARNING, -1, 100, NULL, "%s", f->missing_counters[i]);
    for (int i = 0; i < f->n_user_only_counters; i++) {
        finding_add(c, "counter_user_only", SEVERITY_WARNING, -1, 50, "set kernel.perf_event_paranoid to 1 or less",
                    "%s counts user space only", f->user_only_counters[i]);
        finding_detail(c, "It is measured like %s:u, because the kernel's part is not allowed.", f->user_only_counters[i]);
    }
    for (int i = 0; i < f->n_scaled_counters; i++) {
        finding_add(c, "counter_scaled", SEVERITY_WARNING, -1, 60, "count fewer events at once",
                    "%s, and the rest is extrapolated", f->scaled_counters[i]);
        finding_detail(c, "The processor counts only a few events at once, so that they take turns.");
    }
}

/* Where a stack begins has an effect on speed (Mytkowicz and others, 2009). */
static void check_padding(struct check *c)
{
    if (c->facts->unequal_padding) {
        finding_add(c, "unequal_padding", SEVERITY_WARNING, -1, 2, "put long arguments into a file",
                    "the command lines differ by more than 100 kB");
        finding_detail(c, "So the stacks of the commands begin at different addresses.");
    }
}

/* The kernel's ticks are those of all CPUs together, so their share is of the time of all CPUs. Told from 1 % of one CPU on: it may be ours; and from
 * two ticks on, as one more may be of any time at all. */
static void check_steal(struct check *c)
{
    double seconds = stolen_seconds(c), of_session = seconds / c->r->seconds, cpus = cpus_online(c);
    if (!(of_session >= 0.01) || seconds < 0.02 ||
        !(c->r->seconds > 0)) /* a session that ended before its first run has no length */
        return;
    double share = of_session / (isnan(cpus) ? 1 : cpus);
    struct buf of = BUF_INIT(128);
    if (!isnan(cpus))
        buf_format(&of, " (%s of %g CPU%s)", finding_share(c, share), cpus, buf_plural((int)cpus));
    struct buf ticks = BUF_INIT(32);
    if (seconds < 1)
        buf_format(&ticks, "%.0f ms", 1e3 * seconds);
    const char *taken = ticks.len ? finding_keep(c, &ticks) : finding_quantity(c, "ns", seconds * 1e9);
    const char *of_all = finding_keep(c, &of);
    const char *in_all = finding_quantity(c, "ns", c->r->seconds * 1e9);
    if (steal_jumped(c)) {
        finding_add(c, "steal", SEVERITY_NOTE, -1, 1, NULL, "stolen time is not known: the kernel counted %s", taken);
        finding_detail(c, "That is more than the %g CPU%s had in %s.", cpus, buf_plural((int)cpus), in_all);
        return;
    }
    finding_add(c, "steal", SEVERITY_WARNING, -1, 100 * share, finding_less_steal(c),
                "the hypervisor gave %s of CPU time to others%s", taken, of_all);
    finding_detail(c, "The session took %s. Other virtual machines on this host compete for its CPUs.", in_all);
}

static const char *said_before(const struct check *c, const char *key)
{
    const char *text = facts_text(&c->r->before, key);
    return text ? text : "not said";
}

/* What its reader leaves out, as the table of tare-export(5) has it; NULL: it is not in there. */
static const char *not_read(const char *format)
{
    static const char *const formats[][2] = {
#define FOREIGN_FORMAT(word, source, maps, lost) {source, lost},
#include "foreign_formats.def"
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i][0], format))
            return formats[i][1];
    return NULL;
}

/* What another tool's file does not say, no figure can. */
static void check_source(struct check *c)
{
    if (record_source(c->r)) {
        finding_add(c, "foreign_file", SEVERITY_NOTE, -1, 1000, "use tare run for verdicts",
                    "read from %s: figures without verdicts", record_source(c->r));
        const char *lost = not_read(record_source(c->r));
        finding_detail(c, "One value is %s; order: %s; %s.%s%s%s", said_before(c, "source_value"), said_before(c, "source_order"),
                       said_before(c, "source_limits"), lost ? " Not read: " : "", lost ? lost : "", lost ? "." : "");
        if (c->r->unverified)
            finding_add(c, "unverified_record", SEVERITY_WARNING, -1, 2000, "measure again: it decides no gate", "%s",
                        c->r->unverified);
    }
}

const struct check_test session_tests[] = {{.ids = "foreign_file unverified_record", .session = check_source},
                                           {.ids = "counter_cost", .session = check_counter_cost},
                                           {.ids = "counter_missing counter_user_only counter_scaled", .session = check_counters},
                                           {.ids = "unequal_padding", .session = check_padding},
                                           {.ids = "steal", .session = check_steal},
                                           {.ids = "steal_in_cpu_time", .session = check_steal_account},
                                           {.ids = "quota", .session = check_quota},
                                           {.ids = "suspended", .session = check_suspended},
                                           {.ids = "other_tare", .session = check_other_tare},
                                           {.ids = "cpu_users", .session = check_cpu_users},
                                           {0}};
