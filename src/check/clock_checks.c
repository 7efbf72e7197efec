/* SPDX-License-Identifier: MIT
 *
 * What a reader of tare clock should know: sources that disagree, clocks that lie, and when the smallest of five runs is not the honest
 * figure.
 */
#include "finding.h"
#include "record_kind.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct check *c, int subject)
{
    return c->r->subjects[subject].name;
}

enum { APART_PPM = 100 }; /* from here the sources of a frequency do not mean the same counter */

static void check_sources(struct check *c, int subject)
{
    const struct estimate *apart = record_known(c->r, subject, "apart", "frequency");
    if (apart && apart->point > APART_PPM)
        finding_add(c, "frequency_sources", SEVERITY_WARNING, subject, fmin(apart->point / 100, 500),
                    "measure with another clock", "sources for the frequency of %s differ by %.0f ppm", name_of(c, subject),
                    apart->point);
}

enum {
    DRIFT_PPM = 10
}; /* from here, beyond what the reading and the frequency may be wrong by, the counter did not keep its rate over the session */

static double known_or_none(const struct check *c, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_known(c->r, subject, metric, statistic);
    return e ? e->point : 0;
}

/* A counter whose frequency the processor says otherwise than it was measured at the beginning has another rate all along. */
static void check_drift(struct check *c, int subject)
{
    const struct estimate *rate = record_known(c->r, subject, "rate", "session");
    double sure = fabs(known_or_none(c, subject, "rate", "session")) - known_or_none(c, subject, "rate", "bound") -
                  known_or_none(c, subject, "apart", "frequency");
    if (sure > DRIFT_PPM && record_known(c->r, subject, "frequency", "measured")) {
        finding_add(c, "counter_drifts", SEVERITY_WARNING, subject, fmin(fabs(rate->point), 500),
                    "do not compare times across the session", "%s ran %.0f ppm %s than %s", name_of(c, subject),
                    fabs(rate->point), rate->point > 0 ? "faster" : "slower", record_reference_clock(c->r));
        finding_detail(c, "Possible causes: a virtual machine that was moved, a suspend, a program that writes the counter.");
    }
}

static void check_backward(struct check *c, int subject)
{
    const struct estimate *steps = record_known(c->r, subject, "backward", "count");
    if (steps && steps->point > 0)
        finding_add(c, "clock_stepped_back", SEVERITY_ERROR, subject, 1000, "do not measure with it",
                    "%s went back %.0f time%s while it was read", name_of(c, subject), steps->point, steps->point > 1 ? "s" : "");
}

static void check_trust(struct check *c, int subject)
{
    const char *distrust = subject_parameter(&c->r->subjects[subject], "distrusted");
    if (distrust)
        finding_add(c, "clock_distrusted", SEVERITY_WARNING, subject, 200, "tare uses the system's clock instead",
                    "%s cannot be trusted: %s", name_of(c, subject), distrust);
}

static void check_way(struct check *c, int subject)
{
    const char *vdso = subject_parameter(&c->r->subjects[subject], "vdso");
    const struct estimate *cost = record_known(c->r, subject, "cost", "median");
    if (vdso && !strcmp(vdso, "no") && cost && !strcmp(name_of(c, subject), "CLOCK_MONOTONIC"))
        finding_add(c, "clock_by_system_call", SEVERITY_WARNING, subject, 50, "choose tsc as the clock source, if available",
                    "a reading of %s is a system call of %s", name_of(c, subject), finding_quantity(c, "ns", cost->point));
}

static void check_skew(struct check *c, int subject)
{
    const struct estimate *skew = record_known(c->r, subject, "skew", "max"),
                          *bound = record_known(c->r, subject, "skew", "bound");
    if (skew && bound && fabs(skew->point) > bound->point)
        finding_add(c, "clock_skew", SEVERITY_WARNING, subject, 60, "pin the program to one CPU", "%s differs by %s between CPUs",
                    name_of(c, subject), finding_quantity(c, "ns", fabs(skew->point)));
}

static const double chains_agree_ppm = 5000; /* half a per cent */

static double counter_hz(const struct check *c)
{
    for (int i = 0; i < c->r->n_estimates; i++)
        if (!strcmp(c->r->estimates[i].metric, "frequency") && !isnan(c->r->estimates[i].point))
            return c->r->estimates[i].point;
    return NAN;
}

/* 0: the record does not say. */
static double counter_step_ticks(const struct check *c)
{
    const double hz = counter_hz(c);
    for (int i = 0; i < c->r->n_subjects; i++) {
        const struct estimate *step = record_known(c->r, i, "step", "min");
        if (step && !isnan(hz) && record_known(c->r, i, "frequency", "measured"))
            return step->point * hz / 1e9;
    }
    return 0;
}

static void check_core(struct check *c, int subject)
{
    const struct estimate *multiplies = record_known(c->r, subject, "core_hz", "multiplies"),
                          *apart = record_known(c->r, subject, "apart", "chains");
    if (apart && apart->point > chains_agree_ppm)
        finding_add(c, "chains_disagree", SEVERITY_WARNING, subject, apart->point / 1e4, "do not use figures in core cycles here",
                    "two estimates of the core frequency differ by %s", finding_share(c, apart->point / 1e6));
    double hz = counter_hz(c);
    if (!multiplies || !(fabs(multiplies->point / hz - 1) > 0.01))
        return;
    finding_add(c, "ticks_are_not_cycles", SEVERITY_NOTE, subject, 1, "do not compare ticks with cycles",
                "the core runs at %s, its counter at %s", finding_quantity(c, "Hz", multiplies->point),
                finding_quantity(c, "Hz", hz));
}

static void check_sleeps(struct check *c, int subject)
{
    const struct estimate *least = record_known(c->r, subject, "late", "min"),
                          *granularity = record_known(c->r, subject, "late", "granularity");
    if (least && least->point < 0)
        finding_add(c, "sleep_too_short", SEVERITY_ERROR, subject, 500, "trust neither the clock nor sleeps here",
                    "a sleep ended %s early", finding_quantity(c, "ns", -least->point));
    if (granularity && granularity->point > 1e6) {
        finding_add(c, "coarse_timer", SEVERITY_WARNING, subject, 30, "spin for short waits, or sleep longer",
                    "sleeps ended at least %s late", finding_quantity(c, "ns", granularity->point));
        finding_detail(
            c,
            "All sleeps of more than one length in ten ended that late: the timer is coarse, or other processes held the CPU.");
    }
}

static double slice_ns(const struct check *c)
{
    for (int i = 0; i < c->r->n_subjects; i++) {
        const struct estimate *measured = record_known(c->r, i, "slice", "median"),
                              *told = record_known(c->r, i, "slice", "told");
        if (measured || told)
            return (measured ? measured : told)->point;
    }
    return NAN;
}

/* Noise that only adds puts the largest farther from the median than the smallest. bracket_ticks: by how much a bracket varies, and a step. */
static void check_minimum(struct check *c, int subject, double bracket_ticks)
{
    const char *metric = record_known(c->r, subject, "ticks", "min") ? "ticks" : "wall";
    const struct estimate *least = record_known(c->r, subject, metric, "min"),
                          *median = record_known(c->r, subject, metric, "median"),
                          *most = record_known(c->r, subject, metric, "max");
    if (!least || !median || !most)
        return;
    double below = median->point - least->point, above = most->point - median->point;
    bool below_weight = !strcmp(metric, "ticks") && below <= bracket_ticks; /* then the bracket explains it */
    if (below > above && below > 0.02 * median->point && !below_weight) {
        finding_add(c, "minimum_misleads", SEVERITY_NOTE, subject, 20, "use the median",
                    "%s: the minimum is farther from the median than the maximum", name_of(c, subject));
        finding_detail(c, "Disturbances do not only add to these times, so the minimum is a matter of chance.");
    }
}

/* resolution_ticks: what a bracket varies by, and a step of the counter. */
static void check_resolution(struct check *c, int subject, double resolution_ticks)
{
    const struct estimate *net = record_known(c->r, subject, "net_ticks", "median");
    if (!net || !(net->point <= resolution_ticks))
        return;
    finding_add(c, "below_resolution", SEVERITY_NOTE, subject, 10, "time many in a row and divide",
                "%s takes no longer than the timing overhead varies", name_of(c, subject));
    finding_detail(c, "It takes %s less the overhead; the overhead varies by %s, including a step of the counter.",
                   finding_quantity(c, "ticks", net->point), finding_quantity(c, "ticks", resolution_ticks));
}

static const double slew_ppm = 500; /* the most by which time keeping makes CLOCK_MONOTONIC faster, by which sleeps end */

/* A sleep may last longer than asked, and never less: what says so is wrong. */
static void check_proof(struct check *c, int subject)
{
    const char *asked = subject_parameter(&c->r->subjects[subject], "asked_ns");
    const struct estimate *least = record_known(c->r, subject, "wall", "min");
    if (asked && least && least->point < strtod(asked, NULL) * (1 - slew_ppm / 1e6)) {
        finding_add(c, "clock_proved_wrong", SEVERITY_ERROR, subject, 2000, "do not measure with this clock here",
                    "%s took only %s by the clock of tare", name_of(c, subject), finding_quantity(c, "ns", least->point));
        finding_detail(c, "Its frequency is wrong, or it stepped.");
    }
}

/* Not of a sleep, which holds no CPU. */
static void check_length(struct check *c, int subject)
{
    const struct estimate *median = record_known(c->r, subject, "wall", "median");
    double slice = slice_ns(c);
    if (median && median->point > slice && !subject_parameter(&c->r->subjects[subject], "asked_ns")) {
        finding_add(c, "longer_than_slice", SEVERITY_NOTE, subject, 0.1, "use shorter samples, or tare run",
                    "%s takes %s, longer than a time slice (%s)", name_of(c, subject), finding_quantity(c, "ns", median->point),
                    finding_quantity(c, "ns", slice));
        finding_detail(c, "Other processes may have run meanwhile; tare run shows which runs were disturbed.");
    }
}

static void check_experiment(struct check *c, int subject)
{
    const struct estimate *low = NULL, *high = NULL;
    for (int i = 0; i < c->r->n_subjects && !low; i++)
        if (c->r->subjects[i].kind == SUBJECT_EXPERIMENT) {
            low = record_known(c->r, i, "weight", "p10");
            high = record_known(c->r, i, "weight", "p99");
        }
    const double resolution_ticks = low && high ? high->point - low->point + counter_step_ticks(c) : NAN;
    check_core(c, subject);
    check_minimum(c, subject, isnan(resolution_ticks) ? 0 : resolution_ticks);
    check_resolution(c, subject, resolution_ticks);
    check_proof(c, subject);
    check_length(c, subject);
}

/* A processor that is not what its signature says. */
static void check_name(struct check *c)
{
    const struct fact *confidence = facts_find(&c->r->machine, "cpu_code_name_confidence"),
                      *name = facts_find(&c->r->machine, "cpu_code_name"),
                      *why = facts_find(&c->r->machine, "cpu_code_name_reasoning");
    bool doubted =
        confidence && confidence->text && (!strncmp(confidence->text, "masked", 6) || !strcmp(confidence->text, "contradicted"));
    if (doubted && name && name->text) {
        finding_add(c, "processor_masked", SEVERITY_NOTE, -1, 15, "compare only with results of this machine",
                    "the processor claims to be a %s and is not", name->text);
        finding_detail(c, "Reason: %s.", why && why->text ? why->text : "it has other features");
    }
}

static void check_clocks(struct check *c)
{
    if (record_kind(c->r)->id == RECORD_OF_clocks)
        check_name(c);
    for (int i = 0; i < c->r->n_subjects; i++) {
        if (c->r->subjects[i].kind == SUBJECT_CLOCK) {
            check_sources(c, i);
            check_drift(c, i);
            check_backward(c, i);
            check_trust(c, i);
            check_way(c, i);
            check_skew(c, i);
        } else if (c->r->subjects[i].kind == SUBJECT_TIMER)
            check_sleeps(c, i);
        else if (c->r->subjects[i].kind == SUBJECT_EXPERIMENT)
            check_experiment(c, i);
    }
}

const struct check_test clock_tests[] = {
    {.ids = "below_resolution chains_disagree clock_by_system_call clock_distrusted clock_proved_wrong clock_skew "
            "clock_stepped_back coarse_timer counter_drifts frequency_sources longer_than_slice minimum_misleads "
            "processor_masked sleep_too_short ticks_are_not_cycles",
     .session = check_clocks},
    {0}};
