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

static bool run_jumps(const struct traced_run *run, struct seen *s)
{
    s->most = run->jumps ? fmax(s->most, fabs(run->jump_ns)) : s->most;
    return run->jumps > 0;
}

static bool run_steps(const struct traced_run *run, struct seen *s)
{
    s->most = run->steps ? fmax(s->most, fabs(run->step_ns)) : s->most;
    return run->steps > 0;
}

static bool has_no_time(const struct traced_run *run, struct seen *s)
{
    return !(run->hz > 0) && record_run_is_timed(s->t, (int)(run - s->t->runs));
}

static void check_clocks(struct check *c, int subject)
{
    struct seen apart = look_for(c->r, subject, run_jumps), set = look_for(c->r, subject, run_steps),
                none = look_for(c->r, subject, has_no_time);
    if (apart.n) {
        finding_add(c, "trace_clock_jumped", SEVERITY_WARNING, subject, 100, "use --clock raw",
                    "counter and system clock diverged by up to %s in %d of %d run%s", finding_quantity(c, "ns", apart.most),
                    apart.n, apart.runs, buf_plural(apart.runs));
        finding_detail(c, "Do not trust the times of these runs. --clock raw has a larger overhead.");
    }
    if (set.n) {
        finding_add(c, "trace_clock_set", SEVERITY_WARNING, subject, 20, "measure again",
                    "the clock was set or the machine slept, by %s in %d of %d run%s", finding_quantity(c, "ns", set.most), set.n,
                    set.runs, buf_plural(set.runs));
        finding_detail(c, "A traversal during which the machine slept may be too long.");
    }
    if (none.n) {
        finding_add(c, "trace_clock_unknown", SEVERITY_WARNING, subject, 100, "use runs of a few milliseconds or more",
                    "the counter's rate is unknown in %d of %d run%s", none.n, none.runs, buf_plural(none.runs));
        finding_detail(c, "Their traversals have no times.");
    }
}

static bool run_lost(const struct traced_run *run, struct seen *s)
{
    s->text = s->text ? s->text : run->lost;
    return run->lost != NULL;
}

static bool run_degraded(const struct traced_run *run, struct seen *s)
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

static void check_losses(struct check *c, int subject)
{
    struct seen less = look_for(c->r, subject, run_lost), full = look_for(c->r, subject, run_degraded);
    if (less.n) {
        finding_add(c, "trace_lost", SEVERITY_WARNING, subject, 10, "raise --limit if there was too little space",
                    "%d of %d run%s %s incomplete", less.n, less.runs, buf_plural(less.runs), less.n == 1 ? "is" : "are");
        finding_detail(c, "Missing: %s. Counts are lower bounds, and means are those of what is there.", in_one(c, less.text));
    }
    if (full.n) {
        finding_add(c, "trace_full", SEVERITY_NOTE, subject, 1, "raise --limit if you need all events",
                    "the limit was reached in %d of %d run%s", full.n, full.runs, buf_plural(full.runs));
        finding_detail(c, "From there on hits were aggregated; the sums are complete.");
    }
}

static bool run_merged(const struct traced_run *run, struct seen *s)
{
    s->most = fmax(s->most, run->merged);
    return run->merged > 0;
}

static bool lacks_overhead(const struct traced_run *run, struct seen *s)
{
    (void)s;
    return isnan(run->weight) && strcmp(run->order, "precise") != 0 && run->events > 0;
}

static bool has_overhead(const struct traced_run *run, struct seen *s)
{
    (void)s;
    return !isnan(run->weight);
}

/* Where the extrapolation from runs with more words a pass excludes what the weight gives. */
static void check_dilations(struct check *c, int subject)
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
                "use fewer points in short arcs", "%d of %d arc%s %s from the extrapolation", n, arcs, buf_plural(arcs),
                n == 1 ? "differs" : "differ");
    finding_detail(c,
                   "%s → %s: mean %s, extrapolated %s. The probe delays work that would overlap; read such arcs as upper bounds.",
                   begin, end, finding_quantity(c, "ns", worst->mean_ns), finding_quantity(c, "ns", worst->dilated_ns));
}

static void check_probe(struct check *c, int subject)
{
    struct seen bare = look_for(c->r, subject, lacks_overhead);
    bool others = look_for(c->r, subject, has_overhead).n > 0;
    if (bare.n) {
        finding_add(c, "trace_probe_unknown", SEVERITY_WARNING, subject, 5, "use longer runs",
                    "no probe overhead was measured in %d of %d run%s", bare.n, bare.runs, buf_plural(bare.runs));
        finding_detail(c, "%s",
                       others ? "The mean overhead of the other runs is subtracted."
                              : "Nothing is subtracted: short arcs are too long, by some 10 to 30 ns a hit.");
    }
    check_dilations(c, subject);
}

static void check_backwards(struct check *c, int subject)
{
    const struct arcs_unsound u = record_arcs_unsound(c->r->traced, subject);
    if (u.backwards) {
        finding_add(c, "trace_backwards", SEVERITY_WARNING, subject, fmax(1, 100.0 * (double)u.backwards / (double)u.passes),
                    "use --pin; see tare clock", "the clock ran backwards in %llu of %llu traversals",
                    (unsigned long long)u.backwards, (unsigned long long)u.passes);
        finding_detail(c, "They are in no sum. The counters of different CPUs disagree, or the virtual machine was moved.");
    }
}

/* Where that is rare it says nothing. */
static void check_stamps(struct check *c, int subject)
{
    const struct traced *t = c->r->traced;
    uint64_t n = 0, passes = 0;
    for (int i = 0; i < t->n_results; i++) {
        n += t->results[i].subject == subject ? t->results[i].stamps : 0;
        passes += t->results[i].subject == subject ? t->results[i].n : 0;
    }
    if (n >= 10 && n > passes / 1000) {
        finding_add(c, "trace_stamps", SEVERITY_WARNING, subject, 1000.0 * (double)n / (double)passes, "use --order ordered",
                    "stamps at one end are over 1 µs apart in %llu of %llu traversals", (unsigned long long)n,
                    (unsigned long long)passes);
        finding_detail(c, "With four stamps, half of that is subtracted from the adjacent arcs.");
    }
}

static void check_traces(struct check *c)
{
    for (int i = 0; c->r->traced && i < c->r->n_subjects; i++) {
        if (c->r->subjects[i].kind != SUBJECT_TRACE)
            continue;
        check_clocks(c, i);
        check_losses(c, i);
        struct seen s = look_for(c->r, i, run_merged);
        if (s.n) {
            finding_add(c, "trace_points_merged", SEVERITY_WARNING, i, 30,
                        "trace one program at a time, and built with this version of libtare",
                        "%g point%s counted as one with another of the same name", s.most, s.most > 1 ? "s are" : " is");
            finding_detail(c, "File, line, function and name are the same, as of equally named source files of two programs.");
        }
        check_probe(c, i);
        check_backwards(c, i);
        check_stamps(c, i);
    }
}

const struct check_test trace_tests[] = {
    {.ids = "trace_backwards trace_clock_jumped trace_clock_set trace_clock_unknown trace_dilation trace_full trace_lost "
            "trace_points_merged trace_probe_unknown trace_stamps",
     .session = check_traces},
    {0}};
