/* SPDX-License-Identifier: MIT
 *
 * What a reader of tare clock should know: sources that disagree, clocks that lie, and when the smallest of five runs is not the honest
 * figure.
 */
#include "finding.h"
#include <math.h>
#include <string.h>

static const struct estimate *find(const struct check *c, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(c->r, subject, metric, statistic);
    return e && !isnan(e->point) ? e : NULL;
}

static const char *name_of(const struct check *c, int subject)
{
    return c->r->subjects[subject].name;
}

/* ---- clocks ---- */

enum { APART_PPM = 100 }; /* from here the sources of a frequency do not mean the same counter */

static void check_sources(struct check *c, int subject)
{
    const struct estimate *apart = find(c, subject, "apart", "frequency");
    if (apart && apart->point > APART_PPM)
        finding_add(c, "frequency_sources", SEVERITY_WARNING, subject, apart->point / 100,
                    "Measure with another clock: what ticks mean is not known here.",
                    "the sources of the frequency of %s differ by %.0f ppm", name_of(c, subject), apart->point);
}

static void check_backward(struct check *c, int subject)
{
    const struct estimate *steps = find(c, subject, "backward", "count");
    if (steps && steps->point > 0)
        finding_add(c, "clock_stepped_back", SEVERITY_ERROR, subject, 1000, "Do not measure with it.",
                    "%s stepped back %.0f times while it was read", name_of(c, subject), steps->point);
}

static void check_trust(struct check *c, int subject)
{
    const char *distrust = subject_parameter(&c->r->subjects[subject], "distrusted");
    if (distrust)
        finding_add(c, "clock_distrusted", SEVERITY_WARNING, subject, 200, "tare measures with the system's clock instead.",
                    "%s cannot be trusted: %s", name_of(c, subject), distrust);
}

static void check_way(struct check *c, int subject)
{
    const char *name = name_of(c, subject), *vdso = subject_parameter(&c->r->subjects[subject], "vdso");
    const struct estimate *cost = find(c, subject, "cost", "median");
    if (vdso && !strcmp(vdso, "no") && cost && (!strcmp(name, "CLOCK_MONOTONIC") || !strcmp(name, "CLOCK_MONOTONIC_RAW")))
        finding_add(c, "clock_by_system_call", SEVERITY_WARNING, subject, 50,
                    "The kernel's clock source cannot be read by programs; where tsc is available, choose that one.",
                    "each reading of %s goes through the kernel and takes %s", name, finding_quantity(c, "ns", cost->point));
}

static void check_skew(struct check *c, int subject)
{
    const struct estimate *skew = find(c, subject, "skew", "max"), *cost = find(c, subject, "cost", "median");
    if (skew && cost && fabs(skew->point) > 10 * cost->point)
        finding_add(c, "clock_skew", SEVERITY_WARNING, subject, 60, "Pin what is measured to one CPU.",
                    "%s differs by %s between CPUs", name_of(c, subject), finding_quantity(c, "ns", fabs(skew->point)));
}

static void check_clock(struct check *c, int subject)
{
    check_sources(c, subject);
    check_backward(c, subject);
    check_trust(c, subject);
    check_way(c, subject);
    check_skew(c, subject);
}

/* ---- the core ---- */

static const double chains_agree_ppm = 5000; /* half a per cent */

static double counter_hz(const struct check *c)
{
    for (int i = 0; i < c->r->n_estimates; i++)
        if (!strcmp(c->r->estimates[i].metric, "frequency") && !isnan(c->r->estimates[i].point))
            return c->r->estimates[i].point;
    return NAN;
}

static void check_core(struct check *c, int subject)
{
    const struct estimate *multiplies = find(c, subject, "core_hz", "multiplies"), *apart = find(c, subject, "apart", "chains");
    if (apart && apart->point > chains_agree_ppm)
        finding_add(c, "chains_disagree", SEVERITY_WARNING, subject, apart->point / 1e4,
                    "Figures in core cycles are not to be had here.",
                    "the two reference chains disagree on the core's frequency by %.1f %%", apart->point / 1e4);
    double hz = counter_hz(c);
    if (!multiplies || !(fabs(multiplies->point / hz - 1) > 0.01))
        return;
    finding_add(c, "ticks_are_not_cycles", SEVERITY_NOTE, subject, 1, "Compare times, or cycles, but never ticks with cycles.",
                "the core runs at %s and its counter at %s: a tick is not a cycle", finding_quantity(c, "Hz", multiplies->point),
                finding_quantity(c, "Hz", hz));
}

/* ---- timers ---- */

static void check_sleeps(struct check *c, int subject)
{
    const struct estimate *least = find(c, subject, "late", "min"), *granularity = find(c, subject, "late", "granularity");
    if (least && least->point < 0)
        finding_add(c, "sleep_too_short", SEVERITY_ERROR, subject, 500, "The clock or the sleep is wrong; trust neither here.",
                    "a sleep ended %s before its time", finding_quantity(c, "ns", -least->point));
    if (granularity && granularity->point > 1e6)
        finding_add(c, "coarse_timer", SEVERITY_WARNING, subject, 30,
                    "Do not time short waits by sleeping; spin, or sleep longer.",
                    "sleeps end up to %s late even when nothing disturbs them", finding_quantity(c, "ns", granularity->point));
}

static double slice_ns(const struct check *c)
{
    for (int i = 0; i < c->r->n_subjects; i++) {
        const struct estimate *measured = find(c, i, "slice", "median"), *told = find(c, i, "slice", "told");
        if (measured || told)
            return (measured ? measured : told)->point;
    }
    return NAN;
}

/* ---- experiments ---- */

/* Noise that only adds puts the largest farther from the median than the smallest. */
static void check_minimum(struct check *c, int subject)
{
    const char *metric = find(c, subject, "ticks", "min") ? "ticks" : "wall";
    const struct estimate *least = find(c, subject, metric, "min"), *median = find(c, subject, metric, "median"),
                          *most = find(c, subject, metric, "max");
    if (!least || !median || !most)
        return;
    double below = median->point - least->point, above = most->point - median->point;
    if (below > above && below > 0.02 * median->point)
        finding_add(
            c, "minimum_misleads", SEVERITY_NOTE, subject, 20, "Take the median.",
            "%s: the smallest run lies farther from the median than the largest, so what disturbs these runs does not only "
            "add to them, and the minimum is luck and not the honest figure",
            name_of(c, subject));
}

static void check_resolution(struct check *c, int subject, const struct estimate *low, const struct estimate *high)
{
    const struct estimate *net = find(c, subject, "net_ticks", "median");
    if (!net || !low || !high || net->point >= high->point - low->point)
        return;
    finding_add(c, "below_resolution", SEVERITY_NOTE, subject, 10,
                "Measure many in a row and divide; one alone is below what a bracket can see.",
                "%s: %s less the bracket is not more than the bracket itself varies (%s)", name_of(c, subject),
                finding_quantity(c, "ticks", net->point), finding_quantity(c, "ticks", high->point - low->point));
}

static void check_length(struct check *c, int subject)
{
    const struct estimate *median = find(c, subject, "wall", "median");
    double slice = slice_ns(c);
    if (median && median->point > slice)
        finding_add(c, "longer_than_slice", SEVERITY_NOTE, subject, 2,
                    "Prefer samples shorter than a slice, or let tare run say which were disturbed.",
                    "%s: a run of %s is longer than a slice of the scheduler (%s), so others may have run within it",
                    name_of(c, subject), finding_quantity(c, "ns", median->point), finding_quantity(c, "ns", slice));
}

static void check_experiment(struct check *c, int subject)
{
    const struct estimate *low = NULL, *high = NULL;
    for (int i = 0; i < c->r->n_subjects && !low; i++)
        if (c->r->subjects[i].kind == SUBJECT_EXPERIMENT) {
            low = find(c, i, "weight", "p10");
            high = find(c, i, "weight", "p99");
        }
    check_core(c, subject);
    check_minimum(c, subject);
    check_resolution(c, subject, low, high);
    check_length(c, subject);
}

void check_clocks(struct check *c)
{
    for (int i = 0; i < c->r->n_subjects; i++) {
        if (c->r->subjects[i].kind == SUBJECT_CLOCK)
            check_clock(c, i);
        else if (c->r->subjects[i].kind == SUBJECT_TIMER)
            check_sleeps(c, i);
        else if (c->r->subjects[i].kind == SUBJECT_EXPERIMENT)
            check_experiment(c, i);
    }
}
