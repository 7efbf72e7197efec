/* SPDX-License-Identifier: MIT
 *
 * What a reader of tare system qualify should know of the host: threads that pass for cores, a frequency that moves, time that others had, credit that
 * ran out, counters that disagree, words that were false.
 */
#include "finding.h"
#include "units.h"
#include <math.h>

static const double SHARED = 0.8, APART = 0.9, MOVES = 0.02, NOT_OURS = 0.02, FELL = 0.02, OTHERS_CPUS = 0.1;

static void check_pair_of(struct check *c, int subject, int row, double a, double b)
{
    char name[64];
    buf_print(name, sizeof name, "cpus_%.0f_%.0f", a, b);
    const struct estimate *e = record_known(c->r, subject, "sharing", name);
    /* What the system says of a pair: 1 siblings, 0 not, NaN nothing. */
    const double *siblings = series_values(&c->r->series[subject], "siblings");
    double said = siblings ? siblings[row] : NAN;
    if (e && e->high < SHARED && said == 1)
        finding_add(c, "host_threads", SEVERITY_NOTE, -1, 20, "use one of them and leave the other idle",
                    "CPUs %.0f and %.0f share a core: %s of the throughput if both work", a, b, finding_share(c, e->point));
    else if (e && e->high < SHARED) {
        finding_add(c, "host_threads_hidden", SEVERITY_WARNING, -1, 40, "use one of them and leave the other idle",
                    "CPUs %.0f and %.0f share a core: %s of the throughput if both work", a, b, finding_share(c, e->point));
        finding_detail(c, "The system %s.", said == 0 ? "says that they do not share one" : "does not say so");
    } else if (e && e->low > APART && said == 1) {
        finding_add(c, "host_threads_apart", SEVERITY_NOTE, -1, 5, NULL,
                    "CPUs %.0f and %.0f are said to share a core, but do not slow each other", a, b);
        finding_detail(c, "If both work, they do %s of what they do one at a time.", finding_share(c, e->point));
    }
}

static void check_sharing(struct check *c, int subject)
{
    const struct series *s = &c->r->series[subject];
    const double *a = series_values(s, "cpu_a"), *b = series_values(s, "cpu_b");
    for (int i = 0; a && b && i < s->main.n; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = a[k] != a[i] || b[k] != b[i];
        if (first)
            check_pair_of(c, subject, i, a[i], b[i]);
    }
}

static void check_core(struct check *c, int subject)
{
    const struct estimate *p5 = record_known(c->r, subject, "core_frequency", "p5"),
                          *p95 = record_known(c->r, subject, "core_frequency", "p95"),
                          *median = record_known(c->r, subject, "core_frequency", "median");
    const char *cpu = subject_parameter(&c->r->subjects[subject], "cpu");
    if (!p5 || !p95 || !median || !((p95->point - p5->point) / median->point > MOVES))
        return;
    finding_add(c, "host_frequency", SEVERITY_WARNING, -1, 100 * (p95->point - p5->point) / median->point,
                "fix the frequency, or compare in one session", "CPU %s ran at %s to %s while only computing", cpu ? cpu : "?",
                finding_quantity(c, "Hz", p5->point), finding_quantity(c, "Hz", p95->point));
    finding_detail(c, "These are the 5th and the 95th percentile. tare system show lists what this machine allows.");
}

/* The CPU that was ours least, for all of them. */
static void check_time(struct check *c)
{
    int worst = -1, cpus = 0;
    double least = 1;
    for (int i = 0; i < c->r->n_subjects; i++) {
        const struct estimate *share =
            record_is_host_part(c->r, i, "throughput") ? record_known(c->r, i, "cpu_share", "mean") : NULL;
        cpus += share != NULL;
        if (share && share->point < least) {
            least = share->point;
            worst = i;
        }
    }
    if (worst < 0 || !(1 - least > NOT_OURS))
        return;
    const char *cpu = subject_parameter(&c->r->subjects[worst], "cpu");
    finding_add(c, "host_busy", SEVERITY_WARNING, -1, 100 * (1 - least), "end other programs, or use another host",
                "%s%s ran our work for only %s of the time", cpus > 1 && cpu ? "CPU " : "the CPU", cpus > 1 && cpu ? cpu : "",
                finding_share(c, least));
    finding_detail(c, "cpu_users in the record's conditions says who used it; what no process here used went to other virtual "
                      "machines on the host.");
}

/* ln of the share of all CPUs that was ours in the last quarter over that in the first; NaN: the system does not say. */
static double share_change(const struct record *r)
{
    double first = 0, last = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const double *had = record_is_host_part(r, i, "throughput") ? series_values(&r->series[i], "had") : NULL;
        for (int n = r->series[i].main.n, k = 0; had && k < n / 4; k++) {
            first += had[k];
            last += had[n - 1 - k];
        }
    }
    return log(last / first);
}

static void check_credit(struct check *c, int subject)
{
    const struct estimate *change = record_known(c->r, subject, "throughput", "all_change"),
                          *onset = record_known(c->r, subject, "throughput", "all_onset");
    if (!change || !(change->high < -FELL))
        return;
    struct buf when = BUF_INIT(256), why = BUF_INIT(256);
    double others = facts_cpus_of_others(&c->r->after);
    if (onset)
        buf_format(&when, " after %s", figure_text(figure_duration, onset->point).at);
    if (others > OTHERS_CPUS)
        buf_format(&why, " Other programs used %.2g CPUs meanwhile.", others);
    const double fell = -expm1(change->point);
    if (share_change(c->r) < change->point / 2) { /* which explains more than half of it */
        finding_add(c, "host_busy", SEVERITY_WARNING, -1, 100 * fell, "end other programs, or use another host",
                    "throughput with all CPUs busy fell by %s%s, because our share of the CPUs fell", finding_share(c, fell),
                    finding_keep(c, &when));
        finding_detail(
            c,
            "Possible causes: other programs, a limit on CPU time, the credit of a burstable instance, other virtual machines.%s",
            finding_keep(c, &why));
        return;
    }
    finding_add(c, "host_credit", SEVERITY_WARNING, -1, 100 * fell,
                onset ? "warm up for that long, or use another host" : "use another host",
                "throughput with all CPUs busy fell by %s%s", finding_share(c, fell), finding_keep(c, &when));
    finding_detail(c, "Possible causes: the credit of a burstable instance was used up, heat, other virtual machines.%s",
                   finding_keep(c, &why));
}

static void check_counters_of_host(struct check *c, int subject)
{
    const struct estimate *rate = record_known(c->r, subject, "counter_rate", "session"),
                          *bound = record_known(c->r, subject, "counter_rate", "bound"),
                          *impossible = record_known(c->r, subject, "counter_skew", "impossible");
    const double drift_ppm = 10;
    if (rate && fabs(rate->point) - (bound ? bound->point : 0) > drift_ppm)
        finding_add(c, "host_counter", SEVERITY_WARNING, -1, fmin(fabs(rate->point), 500),
                    "do not compare times across it; see tare clock",
                    "the processor's counter ran %.0f ppm %s than the system's clock", fabs(rate->point),
                    rate->point > 0 ? "faster" : "slower");
    if (impossible && impossible->point > 0) {
        finding_add(c, "host_counter", SEVERITY_ERROR, -1, 500, "use --pin, or the system's clocks",
                    "the counters of two CPUs contradict each other");
        finding_detail(c, "%.0f answers were stamped before their question or after their arrival. tare clock shows more.",
                       impossible->point);
    }
}

static void check_planted(struct check *c, int subject)
{
    const struct estimate *wrong = record_known(c->r, subject, "planted", "wrong"),
                          *size = record_known(c->r, subject, "planted", "size");
    if (wrong && size && wrong->low > 0.05)
        finding_add(c, "host_planted", SEVERITY_ERROR, -1, 1000, "do not trust verdicts of single sessions here",
                    "a program with %s more work was FASTER in %s of %d sessions", finding_share(c, size->point),
                    finding_share(c, wrong->point), wrong->n);
}

static void check_hosts(struct check *c)
{
    check_time(c);
    for (int i = 0; i < c->r->n_subjects; i++) {
        if (record_is_host_part(c->r, i, "sharing"))
            check_sharing(c, i);
        else if (record_is_host_part(c->r, i, "jitter"))
            check_core(c, i);
        else if (record_is_host_part(c->r, i, "throughput"))
            check_credit(c, i);
        else if (record_is_host_part(c->r, i, "counters"))
            check_counters_of_host(c, i);
        else if (record_is_host_part(c->r, i, "planted"))
            check_planted(c, i);
    }
}

const struct check_test host_tests[] = {
    {.ids = "host_busy host_counter host_credit host_frequency host_planted host_threads host_threads_apart host_threads_hidden",
     .session = check_hosts},
    {0}};
