/* SPDX-License-Identifier: MIT
 *
 * Checks of control points: whether the clocks of traced runs can be believed, whether all that was passed is there, and whether the probe's
 * weight, which is taken off every passage, is what it weighs in the program.
 */
#include "finding.h"
#include "record_arcs.h"
#include <math.h>
#include <string.h>

/* Runs of the subject, and of them those that show something, with the largest amount of it. */
struct seen {
    const struct traced *t;
    int runs, n;
    double most;
    const char *text;
};

static struct seen look_for(const struct record *r, int subject, bool (*shows)(const struct traced_run *, struct seen *))
{
    struct seen s = {.t = r->traced};
    for (int i = 0; i < r->traced->n_runs; i++) {
        const struct traced_run *run = &r->traced->runs[i];
        if (run->subject != subject || run->round < 0)
            continue;
        s.runs++;
        s.n += shows(run, &s);
    }
    return s;
}

/* ---- clocks ---- */

static bool jumps(const struct traced_run *run, struct seen *s)
{
    s->most = run->jumps ? fmax(s->most, fabs(run->jump_ns)) : s->most;
    return run->jumps > 0;
}

static bool steps(const struct traced_run *run, struct seen *s)
{
    s->most = run->steps ? fmax(s->most, fabs(run->step_ns)) : s->most;
    return run->steps > 0;
}

static bool has_no_time(const struct traced_run *run, struct seen *s)
{
    return !(run->hz > 0) && record_run_is_timed(s->t, (int)(run - s->t->runs));
}

static void clocks(struct check *c, int subject)
{
    struct seen apart = look_for(c->r, subject, jumps), set = look_for(c->r, subject, steps),
                none = look_for(c->r, subject, has_no_time);
    if (apart.n)
        finding_add(c, "trace_clock_jumped", SEVERITY_WARNING, subject, 100,
                    "Do not trust the times of these runs; --clock raw takes the system's own, at a higher weight.",
                    "in %d of %d runs the counter and the system's clock went apart, by up to %s", apart.n, apart.runs,
                    finding_quantity(c, "ns", apart.most));
    if (set.n)
        finding_add(c, "trace_clock_set", SEVERITY_WARNING, subject, 20,
                    "Measure again: passages in which the machine slept are as long as the counter went on meanwhile.",
                    "in %d of %d runs the wall clock was set or the machine slept, by %s", set.n, set.runs,
                    finding_quantity(c, "ns", set.most));
    if (none.n)
        finding_add(c, "trace_clock_unknown", SEVERITY_WARNING, subject, 100,
                    "A run that lasts a few milliseconds or more tells the counter's frequency by itself.",
                    "in %d of %d runs nothing tells how fast the counter goes, so their passages have no times", none.n,
                    none.runs);
}

/* ---- what is missing ---- */

static bool lost(const struct traced_run *run, struct seen *s)
{
    s->text = s->text ? s->text : run->lost;
    return run->lost != NULL;
}

static bool degraded(const struct traced_run *run, struct seen *s)
{
    (void)s;
    return run->degraded;
}

/* Sentences that stand a line each, as one. */
static const char *in_one(struct check *c, const char *lines)
{
    struct buf b = BUF_INIT(1 << 16);
    for (const char *at = lines; *at; at++)
        if (*at != '\n')
            buf_char(&b, *at);
        else if (at[1])
            buf_str(&b, "; ");
    return finding_keep(c, &b);
}

static void losses(struct check *c, int subject)
{
    struct seen less = look_for(c->r, subject, lost), full = look_for(c->r, subject, degraded);
    if (less.n)
        finding_add(
            c, "trace_lost", SEVERITY_WARNING, subject, 10,
            "Counts are lower bounds then, and means are of what is there. More room (--limit) helps where there was too little.",
            "in %d of %d runs something is missing: %s", less.n, less.runs, in_one(c, less.text));
    if (full.n)
        finding_add(c, "trace_full", SEVERITY_NOTE, subject, 1,
                    "Sums are whole all the same; for the events of all passages give more room (--limit).",
                    "in %d of %d runs there was no more room, and passages were added up from there on", full.n, full.runs);
}

/* ---- points that are one ---- */

static bool merged(const struct traced_run *run, struct seen *s)
{
    s->most = fmax(s->most, run->merged);
    return run->merged > 0;
}

static void points(struct check *c, int subject)
{
    struct seen s = look_for(c->r, subject, merged);
    if (s.n)
        finding_add(c, "trace_points_merged", SEVERITY_NOTE, subject, 1,
                    "Of a function that several files include, that is as it should be. Built with a libtare of this version, "
                    "points of one line are told apart.",
                    "%g point%s counted as one with another of the same file, line, function and name", s.most,
                    s.most > 1 ? "s are" : " is");
}

/* ---- the probe ---- */

static bool not_weighed(const struct traced_run *run, struct seen *s)
{
    (void)s;
    return isnan(run->weight) && strcmp(run->order, "precise") != 0 && run->events > 0;
}

static bool was_weighed(const struct traced_run *run, struct seen *s)
{
    (void)s;
    return !isnan(run->weight);
}

/* Where the extrapolation from runs with more words a pass excludes what the weight gives. */
static void dilations(struct check *c, int subject)
{
    const struct traced *t = c->r->traced;
    const struct arc_result *worst = NULL;
    int n = 0, arcs = 0;
    for (int i = 0; i < t->n_results; i++) {
        const struct arc_result *a = &t->results[i];
        if (a->subject != subject || isnan(a->dilated_ns) || !(a->share >= ARC_SHARE))
            continue;
        arcs++;
        if (a->high_ns >= a->dilated_low && a->low_ns <= a->dilated_high)
            continue;
        n++;
        if (!worst || fabs(a->mean_ns - a->dilated_ns) * a->passes > fabs(worst->mean_ns - worst->dilated_ns) * worst->passes)
            worst = a;
    }
    if (!worst)
        return;
    struct buf from = BUF_INIT(1 << 14), to = BUF_INIT(1 << 14);
    point_label(&from, t, worst->from);
    point_label(&to, t, worst->to);
    const char *begin = finding_keep(c, &from), *end = finding_keep(c, &to);
    finding_add(c, "trace_dilation", SEVERITY_WARNING, subject, 100 * fabs(worst->dilated_ns / worst->mean_ns - 1),
                "The probe weighs there what it does not weigh by itself: it stops work that would go on beside it. Read such "
                "arcs as upper "
                "bounds, and give short ones fewer points.",
                "%d of %d arcs are other than their runs with two and three words a pass say: %s to %s %s, extrapolated %s", n,
                arcs, begin, end, finding_quantity(c, "ns", worst->mean_ns), finding_quantity(c, "ns", worst->dilated_ns));
}

static void probe(struct check *c, int subject)
{
    struct seen bare = look_for(c->r, subject, not_weighed);
    bool others = look_for(c->r, subject, was_weighed).n > 0;
    if (bare.n)
        finding_add(c, "trace_probe_unknown", SEVERITY_WARNING, subject, 5,
                    others ? "Short arcs of these runs are off by as much as the weight differs from run to run."
                           : "Short arcs are too long by the weight of a pass, some 10 to 30 ns.",
                    "in %d of %d runs the probe was not weighed: %s", bare.n, bare.runs,
                    others ? "the mean weight of the others is taken off their passages" : "nothing is taken off their passages");
    dilations(c, subject);
}

static void backwards(struct check *c, int subject)
{
    const struct traced *t = c->r->traced;
    uint64_t n = 0, passes = 0;
    for (int i = 0; i < t->n_results; i++) {
        n += t->results[i].subject == subject ? t->results[i].backwards : 0;
        passes += t->results[i].subject == subject ? t->results[i].passes : 0;
    }
    if (n)
        finding_add(
            c, "trace_backwards", SEVERITY_WARNING, subject, fmax(1, 100.0 * (double)n / (double)passes),
            "Counters of different CPUs disagree, or the machine was moved: tare clock tells by how much. --pin keeps to one.",
            "the clock went back in %llu of %llu passages, which are in no sum", (unsigned long long)n,
            (unsigned long long)passes);
}

/* Where that is rare it says nothing. */
static void stamps(struct check *c, int subject)
{
    const struct traced *t = c->r->traced;
    uint64_t n = 0, passes = 0;
    for (int i = 0; i < t->n_results; i++) {
        n += t->results[i].subject == subject ? t->results[i].stamps : 0;
        passes += t->results[i].subject == subject ? t->results[i].n : 0;
    }
    if (n >= 10 && n > passes / 1000)
        finding_add(c, "trace_stamps", SEVERITY_WARNING, subject, 1000.0 * (double)n / (double)passes,
                    "The formula of the four stamps takes half of that off the arcs beside it. --order ordered has one stamp.",
                    "in %llu of %llu passages more than 1 us lies between the two stamps at an end", (unsigned long long)n,
                    (unsigned long long)passes);
}

void check_traces(struct check *c)
{
    for (int i = 0; c->r->traced && i < c->r->n_subjects; i++) {
        if (c->r->subjects[i].kind != SUBJECT_TRACE)
            continue;
        clocks(c, i);
        losses(c, i);
        points(c, i);
        probe(c, i);
        backwards(c, i);
        stamps(c, i);
    }
}
