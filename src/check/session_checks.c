/* SPDX-License-Identifier: MIT
 *
 * Checks of what the machine did while the session measured, from the facts before and after it (src/system/surroundings.h).
 */
#include "finding.h"
#include <math.h>
#include <string.h>

/* A growth below these is the accounts' own grain. */
static const double SUSPENDED_LEAST_NS = 1e6, USERS_LEAST_SHARE = 0.1, UNNAMED_LEAST_SHARE = 0.05, UNNAMED_LEAST_SECONDS = 0.1;

static double number_of(const struct facts *f, const char *key)
{
    const struct fact *fact = facts_find(f, key);
    return fact && !fact->text ? fact->number : NAN;
}

static const char *text_of(const struct facts *f, const char *key)
{
    const struct fact *fact = facts_find(f, key);
    return fact ? fact->text : NULL;
}

/* NaN where an end is unknown. */
static double grown(const struct record *r, const char *key)
{
    return number_of(&r->after, key) - number_of(&r->before, key);
}

/* ---- quota ---- */

void check_quota(struct check *c)
{
    double periods = grown(c->r, "throttled_periods"), ns = grown(c->r, "throttled_ns"),
           cpus = number_of(&c->r->before, "cpu_quota_cpus");
    const char *group = text_of(&c->r->before, "cpu_quota_group");
    if (!(periods > 0))
        return;
    struct buf advice = BUF_INIT(1 << 12);
    buf_format(&advice,
               "Raise the quota of %s, or measure outside of it: a stop lasts up to a tenth of a second and hits some %s only.",
               group ? group : "the group", finding_runs(c, 2));
    double share = 100 * ns / 1e9 / c->r->seconds;
    finding_add(c, "quota", SEVERITY_WARNING, -1, share >= 0 ? fmin(share, 100) : 10, finding_keep(c, &advice),
                "the CPU quota of %g CPUs stopped this session %.0f times, for %s of CPU time", cpus, periods,
                ns >= 0 ? finding_quantity(c, "ns", ns) : "an unknown amount");
}

/* ---- suspension ---- */

void check_suspended(struct check *c)
{
    double ns = grown(c->r, "suspended_ns");
    if (!(ns > SUSPENDED_LEAST_NS))
        return;
    finding_add(c, "suspended", SEVERITY_WARNING, -1, 100,
                "Measure again: after waking, caches, frequency and clocks are others. Keep the machine awake meanwhile.",
                "the machine was suspended for %s during the session; no run's time shows that", finding_quantity(c, "ns", ns));
}

/* ---- others ---- */

void check_other_tare(struct check *c)
{
    const char *before = text_of(&c->r->before, "other_tare"), *after = text_of(&c->r->after, "other_tare");
    const char *who = after && strcmp(after, "no") ? after : before;
    if (!who || !strcmp(who, "no"))
        return;
    finding_add(c, "other_tare", SEVERITY_WARNING, -1, 5, "Measure one after the other: each session is the other's noise.",
                "another tare measured meanwhile (%s)", who);
}

void check_cpu_users(struct check *c)
{
    double seconds = number_of(&c->r->after, "cpu_users_seconds"), unnamed = number_of(&c->r->after, "cpu_unnamed_seconds"),
           window = number_of(&c->r->after, "cpu_watch_seconds"), cpus = number_of(&c->r->before, "cpus_allowed");
    const char *users = text_of(&c->r->after, "cpu_users");
    if (!(seconds >= USERS_LEAST_SHARE * window) || !users)
        return;
    struct buf text = BUF_INIT(1 << 14);
    buf_format(&text, "others used %s of CPU during the session (%.0f %% of one CPU)", finding_quantity(c, "ns", seconds * 1e9),
               100 * seconds / window);
    if (strcmp(users, "none"))
        buf_format(&text, ": %s", users);
    if (unnamed >= fmax(UNNAMED_LEAST_SECONDS, UNNAMED_LEAST_SHARE * window))
        buf_format(&text, "; %s by processes that came and went", finding_quantity(c, "ns", unnamed * 1e9));
    /* Light: whether they disturbed a run is told by the runs, and that finding names them too. */
    double weight = 5 * seconds / window / (cpus >= 1 ? cpus : 1);
    finding_add(c, "cpu_users", SEVERITY_NOTE, -1, fmin(weight, 5),
                "Let the machine settle, or end them; --pin helps only with a CPU that they leave idle.", "%s",
                finding_keep(c, &text));
}

/* ---- does CPU time hold stolen time here? ---- */

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
void check_steal_account(struct check *c)
{
    enum { LEAST_TICKS = 20 };
    const double tick_ns = 1e7;
    double ticks = grown(c->r, "steal_ticks"), cpus = number_of(&c->r->machine, "cpus_online"), wall_ns,
           seen_ns = rows_steal(c->r, &wall_ns);
    double expected_ns = ticks * tick_ns / cpus * fmin(wall_ns / (c->r->seconds * 1e9), 1);
    if (!(expected_ns >= LEAST_TICKS * tick_ns) || seen_ns >= expected_ns / 2)
        return;
    finding_add(c, "steal_in_cpu_time", SEVERITY_NOTE, -1, 1,
                "Here stolen time is not to be told from work: CPU times are as disturbed as wall times.",
                "the hypervisor took %.1f s during the session, but the accounts of the runs show only %s of it", ticks / 100,
                finding_quantity(c, "ns", seen_ns));
}
