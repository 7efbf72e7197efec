/* SPDX-License-Identifier: MIT
 *
 * Two stored sessions against each other (analyse_stored.h). Their runs are two samples that no round ties together: the estimator is
 * the two-sample Hodges-Lehmann shift of ln t with the interval of Mann and Whitney, which assumes laws of equal shape. What
 * drifted between the sessions is part of the shift, so the interval alone is never a verdict. Smallest n: 4 and 4 at a level of .05;
 * below, and with a NaN among the values, no interval. Where the runs of a session are like their neighbours, the interval is widened.
 *
 * Two sets of sessions (records of analyse_sessions): the values are the medians of the sessions, and what changes from one session to the
 * next is what they scatter by, so that the interval is Welch's of the difference of the two means of logarithms, Student's t over sessions.
 * Assumes sessions independent and their medians near normal. Smallest n: 2 and 2, for a verdict 3 and 3. It holds what changes from session to
 * session; what lies between the two sets alone it cannot know either, so the verdict is a likely one. Where all sessions have one anchor the values are
 * their ratios to it, in which whatever affects both alike cancels. Under the assumption that nothing drifts the variance between sessions is 0: the runs
 * of all sessions of a set are one sample, as above. A trend over time within the sets widens the interval (sets_open_by_trend).
 */
#include "analyse_stored.h"
#include "arcs.h"
#include "comparable.h"
#include "compare.h"
#include "dependence.h"
#include "record_arcs.h"
#include "verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

static bool times_known(const struct stored_set sets[2])
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < sets[side].n; i++)
            if (!sets[side].sessions[i].start_utc_ns)
                return false;
    return sets[0].n && sets[1].n;
}

static int64_t begun(const struct stored_set *s, bool last)
{
    int64_t at = s->sessions[0].start_utc_ns;
    for (int i = 1; i < s->n; i++) {
        const int64_t other = s->sessions[i].start_utc_ns;
        at = last == (other > at) ? other : at;
    }
    return at;
}

bool sets_apart(const struct stored_set sets[2], int *first)
{
    if (!times_known(sets))
        return false;
    *first = begun(&sets[0], true) < begun(&sets[1], false) ? 0 : 1;
    return begun(&sets[*first], true) < begun(&sets[!*first], false);
}

/* Means of the sets, and sums of squares and products of both variables about them. */
struct lines {
    double time[2], value[2];
    double tt, tv, vv;
};

static double seconds_between(int64_t from, int64_t to)
{
    return ((double)to - (double)from) * 1e-9;
}

static void add_set(struct lines *l, int side, const double *v, const struct stored_set *s, int64_t from)
{
    for (int i = 0; i < s->n; i++) {
        l->time[side] += seconds_between(from, s->sessions[i].start_utc_ns) / s->n;
        l->value[side] += v[i] / s->n;
    }
    for (int i = 0; i < s->n; i++) {
        const double t = seconds_between(from, s->sessions[i].start_utc_ns) - l->time[side], d = v[i] - l->value[side];
        l->tt += t * t;
        l->tv += t * d;
        l->vv += d * d;
    }
}

/* Widens the interval of the difference of two means, y - x, to hold that of the difference between two lines over time with one slope too (analysis of
 * covariance: n + m - 3 degrees of freedom), where the slope is not 0 by a two-sided t test at 10 %; true: it did. With three sessions a side a large drift
 * is mostly seen at this level, and of sets that do not drift one in ten has a wider interval. x and y: the result of each session, in their order; four in
 * all at least, or nothing is done. Assumes deviations from the lines independent, near normal and of one variance. A jump between the sets is not
 * seen. */
static bool sets_open_by_trend(const double *x, int n, const double *y, int m, const struct stored_set sets[2], double level,
                               struct tare_interval *i)
{
    const int df = n + m - 3;
    struct lines l = {0};
    if (!times_known(sets) || n != sets[0].n || m != sets[1].n || df < 1)
        return false;
    for (int side = 0; side < 2; side++)
        add_set(&l, side, side ? y : x, &sets[side], sets[0].sessions[0].start_utc_ns);
    const double slope = l.tv / l.tt, variance = fmax(l.vv - slope * l.tv, 0) / df, apart = l.time[1] - l.time[0];
    if (!(l.tt > 0) || !(fabs(slope) > tare_student_quantile(.95, df) * sqrt(variance / l.tt)))
        return false;
    const double difference = l.value[1] - l.value[0] - slope * apart,
                 half = tare_student_quantile(1 - level / 2, df) * sqrt(variance * (1. / n + 1. / m + apart * apart / l.tt));
    const struct tare_interval before = *i;
    i->low = fmin(i->low, difference - half);
    i->high = fmax(i->high, difference + half);
    return i->low < before.low || i->high > before.high;
}

struct merging {
    struct record *out;
    const struct record *from[2];
    const struct stored_question *q;
    const char *metric;
    struct tare_err *err;
    int pairs;
};

enum { COLUMNS_MOST = 256 };

static const char *keep_text(struct merging *m, struct buf *b)
{
    return arena_keep(&m->out->arena, b);
}

/* Samples are not copied, so the step that follows from them is in a column of its own where `to` has one more. */
static enum tare_status copy_rows(struct merging *m, const struct record *r, const struct series *s, int n, int to)
{
    double values[COLUMNS_MOST + 1];
    bool hidden[COLUMNS_MOST + 1];
    for (int k = 0; k < n; k++)
        hidden[k] = metric_in_another_unit(r, m->out, s->columns[k]);
    values[n] = series_step(s, m->metric);
    for (int i = 0; i < s->main.n; i++) {
        for (int k = 0; k < n; k++)
            values[k] = hidden[k] ? NAN : s->main.value[k][i];
        const struct row row = {.round = s->main.round[i],
                                .slot = s->main.slot[i],
                                .start_ns = s->main.start_ns[i],
                                .flags = s->main.flags[i],
                                .values = values};
        if (record_append_row(m->out, to, &row))
            return err_no_memory(m->err);
    }
    return TARE_OK;
}

static enum tare_status copy_counts(struct merging *m, const struct series *from, int to)
{
    for (int i = 0; i < from->n_counts; i++)
        for (int k = 0; k < from->counts[i].n; k++)
            if (record_add_count(m->out, to, from->counts[i].round[k], &from->counts[i], from->counts[i].value[k]))
                return err_no_memory(m->err);
    return TARE_OK;
}

struct copying {
    struct record *out;
    const struct traced *from;
    int subject, to;
    int *points; /* of each of `from`: its index in out; -1 */
    int *runs;
};

static bool copy_points(struct copying *c)
{
    for (int i = 0; i < c->from->n_points; i++) {
        struct point p = c->from->points[i];
        c->points[i] = -1;
        if (p.subject != c->subject)
            continue;
        p.subject = c->to;
        p.partner = -1;
        if ((c->points[i] = record_add_point(c->out, &p)) < 0)
            return false;
    }
    for (int i = 0; i < c->from->n_points; i++)
        if (c->points[i] >= 0 && c->from->points[i].partner >= 0)
            c->out->traced->points[c->points[i]].partner = c->points[c->from->points[i].partner];
    return true;
}

static bool copy_run(struct copying *c, int index)
{
    struct traced_run t = c->from->runs[index];
    struct point_passes *passes = malloc((size_t)(t.n_passes + 1) * sizeof *passes);
    int n = 0;
    for (int i = 0; passes && i < t.n_passes; i++)
        if (c->points[t.passes[i].point] >= 0)
            passes[n++] = (struct point_passes){c->points[t.passes[i].point], t.passes[i].n};
    t.subject = c->to;
    t.passes = passes;
    t.n_passes = n;
    c->runs[index] = passes ? record_add_traced_run(c->out, &t) : -1;
    free(passes);
    return c->runs[index] >= 0;
}

static bool copy_runs(struct copying *c)
{
    bool good = true;
    for (int i = 0; i < c->from->n_runs && good; i++) {
        c->runs[i] = -1;
        if (c->from->runs[i].subject == c->subject)
            good = copy_run(c, i);
    }
    for (int i = 0; i < c->from->n_arcs && good; i++) {
        struct traced_arc a = c->from->arcs[i];
        if ((a.run = c->runs[a.run]) < 0)
            continue;
        a.from = c->points[a.from];
        a.to = c->points[a.to];
        good = record_add_traced_arc(c->out, &a) >= 0;
    }
    return good;
}

static bool copy_results(struct copying *c)
{
    for (int i = 0; i < c->from->n_results; i++) {
        struct arc_result a = c->from->results[i];
        if (a.subject != c->subject)
            continue;
        a.subject = c->to;
        a.from = c->points[a.from];
        a.to = c->points[a.to];
        if (record_add_arc_result(c->out, &a) < 0)
            return false;
    }
    return true;
}

static enum tare_status copy_traced(struct record *out, int to, const struct record *from, int subject)
{
    const struct traced *t = from->traced;
    if (!t)
        return TARE_OK;
    struct copying c = {.out = out, .from = t, .subject = subject, .to = to};
    c.points = malloc((size_t)(t->n_points + 1) * sizeof *c.points);
    c.runs = malloc((size_t)(t->n_runs + 1) * sizeof *c.runs);
    bool good = c.points && c.runs && copy_points(&c) && copy_runs(&c) && copy_results(&c);
    free(c.points);
    free(c.runs);
    return good ? TARE_OK : TARE_NO_MEMORY;
}

/* In their order, which matters where one is there twice. Those of one subject mostly follow each other. */
static enum tare_status copy_estimates(struct merging *m, const struct record *r, int from, int to)
{
    const int last = from < r->room_last_estimate ? r->last_estimate[from] : 0;
    int first = last;
    for (int at = last; at; at = r->estimates[at - 1].before)
        first = at - 1;
    for (int i = first; i < last; i++) {
        struct estimate e = r->estimates[i];
        if (e.subject != from || !strcmp(e.statistic, "geometric_mean_ratio")) /* of comparisons that are not here */
            continue;
        e.subject = to;
        if (metric_in_another_unit(r, m->out, e.metric)) {
            e.point = e.low = e.high = NAN;
            e.reason = "it has another unit";
        }
        if (record_add_estimate(m->out, &e) < 0)
            return err_no_memory(m->err);
    }
    return TARE_OK;
}

static enum tare_status copy_subject(struct merging *m, int side, int from, int *to)
{
    const struct record *r = m->from[side];
    struct subject s = r->subjects[from];
    s.reference = -1; /* within its own session */
    struct buf name = BUF_INIT(1 << 24);
    buf_format(&name, "%s (%s)", s.name, m->q->names[side]);
    if (!(s.name = keep_text(m, &name)))
        return err_no_memory(m->err);
    const struct series *series = &r->series[from];
    const int n = series->n_columns < COLUMNS_MOST ? series->n_columns : COLUMNS_MOST;
    char room[NULL_COLUMN_BYTES];
    const char *columns[COLUMNS_MOST + 1];
    for (int i = 0; i < n; i++)
        columns[i] = series->columns[i];
    columns[n] = step_column(m->metric, room);
    const bool steps = series_column(series, room) < 0 && !isnan(series_step(series, m->metric));
    *to = record_add_subject(m->out, &s, columns, n + steps);
    if (*to < 0)
        return err_no_memory(m->err);
    enum tare_status status = copy_rows(m, r, series, n, *to);
    if (!status)
        status = copy_counts(m, series, *to);
    if (!status && s.kind == SUBJECT_TRACE && copy_traced(m->out, *to, r, from))
        status = err_no_memory(m->err);
    return status ? status : copy_estimates(m, r, from, *to);
}

static enum tare_status copy_session(struct merging *m)
{
    struct record *out = m->out;
    const struct record *second = m->from[1];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < m->from[side]->n_metrics; i++)
            if (record_add_metric(out, &m->from[side]->metrics[i]) < 0)
                return err_no_memory(m->err);
    bool copied = !facts_copy(out, &out->machine, &second->machine) && !facts_copy(out, &out->before, &second->before) &&
                  !facts_copy(out, &out->after, &second->after) && !facts_copy(out, &out->build, &second->build);
    return copied ? TARE_OK : err_no_memory(m->err);
}

int stored_sample(const struct record *r, int subject, const char *metric, double *out)
{
    const struct series *s = &r->series[subject];
    const double *values = series_values(s, metric), *process = series_values(s, "process");
    char room[NULL_COLUMN_BYTES];
    const double *reasons = series_values(s, null_column(metric, room));
    int n = record_rounds(r, &subject, 1), found = 0;
    for (int i = 0, next; values && i < n; i = next) {
        double sum = 0;
        for (next = i; next < n && (next == i || (process && process[next] == process[i])); next++)
            sum += values[next];
        if (isnan(sum) && reasons && reasons[i] == NULL_NOT_ASKED)
            continue;
        out[found++] = sum / (next - i);
        if (isnan(sum))
            return -1;
    }
    return found;
}

struct samples {
    double *x, *y; /* reference and subject */
    int n, m;
    void *scratch;
};

static bool of_sets(const struct merging *m)
{
    return record_is_over_sessions(m->from[0]) && record_is_over_sessions(m->from[1]);
}

/* By what their sessions scatter; else by their runs. */
static bool by_sessions(const struct merging *m)
{
    return of_sets(m) && !m->q->assume_no_drift;
}

static bool has_ratios(const struct series *s)
{
    const double *values = series_values(s, STATISTIC_OF_ANCHOR);
    for (int i = 0; values && i < s->main.n; i++)
        if (!(values[i] > 0))
            return false;
    return values;
}

/* Whether the values are ratios to the anchor: each session has one, to the same anchor, in the metric that is compared, and ratios are compared. */
static bool by_anchor(const struct merging *m, const struct comparison *c, const struct metric *metric)
{
    struct buf differ = BUF_INIT(1 << 16);
    bool same = by_sessions(m) && metric->kind != METRIC_COUNT && !m->q->margin_unit;
    for (int i = 0; i < 2 && same; i++)
        same = !strcmp(m->from[i]->rule.metric, m->metric) && has_ratios(&m->out->series[i ? c->subject : c->reference]);
    if (same)
        comparable_anchors(m->from[0], m->from[1], &differ);
    same &= !differ.len;
    buf_finish(&differ);
    return same;
}

/* NULL for sessions of one plan, whose agreement is said instead of a verdict. */
static const char *caveat(struct merging *m, bool likely, bool anchor)
{
    struct buf b = BUF_INIT(1024);
    bool machine = comparable_machine_known(m->from[0], m->from[1]);
    if (m->q->one_plan)
        return NULL;
    buf_format(&b, "%s nothing drifted between the two %s%s%s", m->q->assume_no_drift ? "assuming that" : "if",
               by_sessions(m) ? "sets of sessions by more than from one session to the next"
               : of_sets(m)   ? "sets of sessions, nor from one session to the next"
                              : "sessions",
               anchor ? ", but for what struck the anchor alike" : "",
               machine ? "" : ", and both are of the same machine, which the files do not say");
    if (!m->q->assume_no_drift && !likely)
        buf_format(&b, "; a verdict needs interleaved runs (tare run), %d sessions a side, or --assume-no-drift",
                   LIKELY_SESSIONS);
    return keep_text(m, &b);
}

static const char *why_open(struct merging *m, const struct comparison *c, bool likely)
{
    return likely && c->verdict == VERDICT_UNDECIDED
               ? record_anchors(m->from[0])
                     ? "the sessions scatter too much for this difference; more sessions a side narrow the interval"
                     : "the sessions scatter too much for this difference; more sessions a side, or tare run --anchor, narrow "
                       "the interval"
               : caveat(m, likely, c->by_anchor);
}

static void take_logarithms(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = log(x[i]);
}

/* Runs of a session that are like their neighbours say less than independent ones: as dependence.c does for pairs, with the effective sizes of
 * both sessions in the variance of the difference of two means and in Student's degrees of freedom. Two tests share the 10 %. */
static void measure_dependence(const struct samples *s, struct comparison *c)
{
    const double n = s->n, m = s->m, x = dependence_effective_size(s->x, s->n, 0.05, s->scratch),
                 y = dependence_effective_size(s->y, s->m, 0.05, s->scratch);
    if (!(x < n) && !(y < m))
        return;
    const double inflation = (1 / x + 1 / y) / (1 / n + 1 / m);
    compare_set_widened(c, inflation, x + y - 2, n + m - 2);
}

/* Ratios to the anchor have the digits of two values. */
static bool ratios_open(const struct merging *m, const struct comparison *c, const struct metric *metric, const int from[2],
                        struct tare_interval *i)
{
    const struct series *one = m->from[0]->series, *other = m->from[1]->series;
    const int a = record_anchor(m->from[0], from[0]), b = record_anchor(m->from[1], from[1]);
    const bool opened = printed_open_series(&one[from[0]], &other[from[1]], metric, c->kind, i);
    return (a >= 0 && b >= 0 && printed_open_series(&one[a], &other[b], metric, c->kind, i)) || opened;
}

/* Values from their logarithms; those of sessions, which are medians, times mean by median. False: a session has no mean. */
static bool fill_means(const struct merging *m, int side, int from, const double *logarithms, int n, double *out)
{
    const struct stored_set *set = &m->q->sets[side];
    for (int i = 0; i < n; i++) {
        out[i] = exp(logarithms[i]);
        if (!by_sessions(m))
            continue;
        const int subject = n == set->n ? planned_partner(m->from[side], from, &set->sessions[i]) : -1;
        const struct estimate *mean = subject < 0 ? NULL : record_estimate(&set->sessions[i], subject, m->metric, "mean"),
                              *median = mean ? record_estimate(&set->sessions[i], subject, m->metric, "median") : NULL;
        if (!median || !(mean->point > 0) || !(median->point > 0))
            return false;
        out[i] *= mean->point / median->point;
    }
    return true;
}

static double divide_by_mean(double *x, int n)
{
    const double mean = tare_mean(x, n);
    for (int i = 0; i < n; i++)
        x[i] /= mean;
    return mean;
}

/* Of values in units of their mean Welch's interval is that of the logarithm of the ratio, to the first order. */
static void mean_ratio(const struct merging *m, const struct samples *s, struct comparison *c, const int from[2])
{
    double *x = s->scratch, *y = x + s->n;
    struct tare_interval i;
    if (!fill_means(m, 0, from[0], s->x, s->n, x) || !fill_means(m, 1, from[1], s->y, s->m, y))
        return;
    const double reference = divide_by_mean(x, s->n), subject = divide_by_mean(y, s->m);
    if (tare_shift_ci_welch(x, s->n, y, s->m, c->level, &i))
        return;
    compare_widen(c, &i);
    c->mean_ratio = subject / reference;
    c->mean_low = c->mean_ratio * exp(i.low);
    c->mean_high = c->mean_ratio * exp(i.high);
}

/* Of values that a step opened: by what was measured, in the first session of a set. */
static const char *why_opened(const struct merging *m, const struct metric *metric, const int from[2])
{
    const struct record *r[2];
    const struct series *s[2];
    for (int side = 0; side < 2; side++) {
        r[side] = m->q->sets[side].n ? m->q->sets[side].sessions : m->from[side];
        const int subject = r[side] == m->from[side] ? from[side] : planned_partner(m->from[side], from[side], r[side]);
        s[side] = subject < 0 ? &m->from[side]->series[from[side]] : &r[side]->series[subject];
    }
    return printed_reason(r[1], s[0], s[1], metric);
}

static void shift_of(struct merging *m, struct samples *s, struct comparison *c, const struct metric *metric, const int from[2])
{
    comparison_scale(c, &m->out->rule, metric, &(struct values){s->x, s->n}, &(struct values){s->y, s->m}, s->scratch);
    const bool foreign = record_source(m->from[0]) || record_source(m->from[1]);
    const double step = printed_step(&m->out->series[c->reference], &m->out->series[c->subject], metric);
    const struct printed printed =
        c->by_anchor ? (struct printed){0}
                     : printed_values(metric, foreign, step, &(struct values){s->x, s->n}, &(struct values){s->y, s->m});
    if (c->kind != METRIC_COUNT) {
        take_logarithms(s->x, s->n);
        take_logarithms(s->y, s->m);
    }
    const bool sessions = by_sessions(m), likely = sessions && comparison_over_sets(m->out, c);
    struct tare_interval i;
    if (sessions ? tare_shift_ci_welch(s->x, s->n, s->y, s->m, c->level, &i)
                 : tare_shift_ci_mann_whitney(s->x, s->n, s->y, s->m, c->level, s->scratch, &i)) {
        c->reason = "no interval could be computed";
        return;
    }
    if (!sessions) {
        if (record_in_order(m->from[0]) && record_in_order(m->from[1])) /* else all neighbours are alike */
            measure_dependence(s, c);
        compare_widen(c, &i);
    }
    if (c->kind != METRIC_COUNT)
        mean_ratio(m, s, c, from);
    c->by_trend = likely && sets_open_by_trend(s->x, s->n, s->y, s->m, m->q->sets, c->level, &i);
    const bool opened = c->by_anchor ? ratios_open(m, c, metric, from, &i) : printed_open(&printed, c->kind, &i);
    const bool judged = m->q->assume_no_drift || likely;
    c->reason = NULL;
    comparison_conclude(c, judged ? metric : NULL, &i);
    if ((opened || c->by_trend) && judged && c->verdict == VERDICT_UNDECIDED)
        c->reason = opened ? why_opened(m, metric, from) : TREND_REASON;
    c->verdict = likely ? verdict_likely(c->verdict) : c->verdict;
    c->reason = c->reason ? c->reason : why_open(m, c, likely);
}

/* Of all sessions of a set that is compared by its runs. */
static int runs_of_side(const struct merging *m, int side, int from)
{
    const struct stored_set *set = &m->q->sets[side];
    int n = 0;
    for (int i = 0; i < set->n; i++) {
        const int subject = planned_partner(m->from[side], from, &set->sessions[i]);
        n += subject >= 0 ? set->sessions[i].series[subject].main.n : 0;
    }
    return n;
}

/* As stored_sample; -1 too where a session does not have it, or gave it up. */
static int fill_runs(const struct merging *m, int side, int from, double *out)
{
    const struct stored_set *set = &m->q->sets[side];
    int n = 0;
    for (int i = 0; i < set->n; i++) {
        const int subject = planned_partner(m->from[side], from, &set->sessions[i]);
        const bool had = subject >= 0 && !set->sessions[i].subjects[subject].failure;
        const int more = had ? stored_sample(&set->sessions[i], subject, m->metric, out + n) : -1;
        if (more < 0)
            return -1;
        n += more;
    }
    return n;
}

/* What is compared, in numbers for people: the geometric mean of the ratios of its sessions. */
static enum tare_status add_multiple(struct merging *m, int subject, const double *ratios, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += log(ratios[i]);
    const struct estimate e =
        estimate_point(subject, m->metric, STATISTIC_OF_ANCHOR, "geometric mean over sessions", exp(sum / n), n);
    return !record_estimate(m->out, subject, m->metric, STATISTIC_OF_ANCHOR) && record_add_estimate(m->out, &e) < 0
               ? err_no_memory(m->err)
               : TARE_OK;
}

/* from: their subjects in the two records. */
static enum tare_status compare_samples(struct merging *m, struct comparison *c, const struct metric *metric, const int from[2])
{
    const struct record *r = m->out;
    const bool runs = of_sets(m) && m->q->assume_no_drift;
    const int n = runs ? runs_of_side(m, 0, from[0]) : r->series[c->reference].main.n,
              k = runs ? runs_of_side(m, 1, from[1]) : r->series[c->subject].main.n;
    size_t scratch = tare_shift_scratch_bytes(n + 1, k + 1);
    struct samples s = {
        .x = calloc((size_t)n + 1, sizeof *s.x), .y = calloc((size_t)k + 1, sizeof *s.y), .scratch = malloc(scratch)};
    enum tare_status status = s.x && s.y && s.scratch ? TARE_OK : err_no_memory(m->err);
    if (!status) {
        c->by_anchor = by_anchor(m, c, metric);
        const char *column = c->by_anchor ? STATISTIC_OF_ANCHOR : m->metric;
        s.n = runs ? fill_runs(m, 0, from[0], s.x) : stored_sample(r, c->reference, column, s.x);
        s.m = runs ? fill_runs(m, 1, from[1], s.y) : stored_sample(r, c->subject, column, s.y);
        c->reference_rounds = s.n > 0 ? s.n : n > 0 ? n : 1; /* below 0: not all runs have a value */
        c->rounds = s.m > 0 ? s.m : k;
        if (s.n > 0 && s.m > 0) {
            status = c->by_anchor ? add_multiple(m, c->reference, s.x, s.n) : TARE_OK;
            status = c->by_anchor && !status ? add_multiple(m, c->subject, s.y, s.m) : status;
            shift_of(m, &s, c, metric, from);
        } else {
            c->verdict = VERDICT_INVALID;
            c->reason = s.n && s.m ? "the metric was not measurable in at least one run" : "there are no complete runs";
        }
    }
    free(s.x);
    free(s.y);
    free(s.scratch);
    return status;
}

/* Arc by arc; of the programs in total nothing is said, for their points are in their times. why: they cannot be compared. */
static enum tare_status compare_traces(struct merging *m, struct comparison *like, const char *why, bool one_code)
{
    const struct look look = {.number = 1, .rounds = 1, .level = 1 - m->q->confidence};
    const int first = m->out->n_comparisons;
    like->level = look.level;
    like->reason = caveat(m, false, false);
    if (arcs_compare_sessions(m->out, like, !why && (m->q->one_plan || m->q->assume_no_drift), one_code))
        return err_no_memory(m->err);
    for (int i = first; why && i < m->out->n_comparisons; i++) {
        m->out->comparisons[i].verdict = VERDICT_NOT_COMPARABLE;
        m->out->comparisons[i].reason = why;
        m->out->comparisons[i].p = NAN;
    }
    if (!m->q->one_plan)
        correct_for_many(m->out, first);
    return TARE_OK;
}

/* Why one says nothing of the other: a session ended by a failure that no row shows. NULL: none did. */
static const char *comparable_failed(const struct record *reference, const struct record *subject)
{
    const bool first = record_failed_unseen(reference), second = record_failed_unseen(subject);
    return first && second ? "both sessions ended by a failure"
           : second        ? "its session ended by a failure, and that of the reference did not"
           : first         ? "the session of the reference ended by a failure, and the other one did not"
                           : NULL;
}

static enum tare_status compare_pair(struct merging *m, int a, int b)
{
    int reference, subject;
    enum tare_status status = copy_subject(m, 0, a, &reference);
    if (!status)
        status = copy_subject(m, 1, b, &subject);
    if (status)
        return status;
    const struct look look = {.number = 1, .level = (1 - m->q->confidence) / m->pairs};
    struct comparison c = comparison_undecided(m->out, reference, subject, &look);
    const struct metric *metric = record_metric(m->out, m->metric);
    struct buf differences = BUF_INIT(1 << 16);
    comparable_differences(m->from[0], a, m->from[1], b, m->metric, &differences);
    const bool comparable = !differences.len && metric, traced = m->out->subjects[subject].kind == SUBJECT_TRACE;
    c.reference_rounds = m->out->series[reference].main.n ? m->out->series[reference].main.n : 1;
    c.rounds = m->out->series[subject].main.n;
    c.looks_planned = 1, c.share = 0;
    c.kind = metric ? metric->kind : METRIC_TIME;
    c.assumed_no_drift = m->q->assume_no_drift;
    c.reason = keep_text(m, &differences);
    const char *why = comparable ? comparable_failed(m->from[0], m->from[1]) : NULL;
    if (traced && (m->q->one_plan || (comparable && !why)))
        return compare_traces(m, &c, comparable ? NULL : c.reason, comparable_one_code(m->from[0], a, m->from[1], b));
    if (comparable)
        status = compare_samples(m, &c, metric, (const int[]){a, b});
    else
        c.verdict = VERDICT_NOT_COMPARABLE;
    if (comparable && !why)
        why = other_work(m->out, reference, subject, 0);
    if (why)
        c = comparison_invalid(c, why);
    return status || record_add_comparison(m->out, &c) >= 0 ? status : err_no_memory(m->err);
}

static void set_rule(struct merging *m)
{
    m->out->rule = (struct rule){.metric = arena_strdup(&m->out->arena, m->metric),
                                 .confidence = m->q->confidence,
                                 .margin = m->q->margin,
                                 .margin_unit = m->q->margin_unit,
                                 .correction = m->q->correction,
                                 .fail_if_slower = m->q->fail_if_slower};
    m->out->tool_version = arena_strdup(&m->out->arena, m->from[1]->tool_version ? m->from[1]->tool_version : "");
    m->out->seed = m->from[1]->seed;
    m->out->start_utc_ns = m->from[1]->start_utc_ns;
    m->out->sessions = of_sets(m) ? m->from[1]->sessions : 0;
    m->out->ended = "answered";
}

static enum tare_status check_metric(const struct merging *m)
{
    const struct metric *metric = record_metric(m->out, m->metric);
    if (!metric)
        return err_set(m->err, TARE_NOT_FOUND, "neither session has the metric %.60s", m->metric);
    if (m->q->margin_unit && strcmp(m->q->margin_unit, metric->unit) != 0)
        return err_set(m->err, TARE_INVALID, "--margin is in %s and the metric %.60s in %s; write it like 1%%", m->q->margin_unit,
                       m->metric, metric->unit);
    return TARE_OK;
}

/* Of both sessions together. */
static enum tare_status add_note(struct merging *m, const char *id, enum severity severity, double weight, const char *advice,
                                 struct buf *text)
{
    const struct finding f = {
        .id = id, .severity = severity, .subject = -1, .text = keep_text(m, text), .advice = advice, .weight = weight};
    return !f.text || record_add_finding(m->out, &f) < 0 ? err_no_memory(m->err) : TARE_OK;
}

static enum tare_status note_conditions(struct merging *m)
{
    struct buf text = BUF_INIT(1 << 16);
    buf_str(&text, "the sessions differ in ");
    size_t start = text.len;
    comparable_conditions(m->from[0], m->from[1], &text);
    if (text.len > start || text.status)
        return add_note(m, "conditions_differ", SEVERITY_WARNING, 500, "measure again under the same conditions", &text);
    buf_finish(&text);
    return TARE_OK;
}

static enum tare_status note_anchors(struct merging *m)
{
    struct buf text = BUF_INIT(1 << 16);
    comparable_anchors(m->from[0], m->from[1], &text);
    if (!text.len && !text.status)
        return TARE_OK;
    buf_str(&text, ": the ratios to them are not comparable");
    return add_note(m, "anchors_differ", SEVERITY_WARNING, 600, "give both sessions the same --anchor", &text);
}

/* Drift of the machine affects an anchor too, and cancels; without one it is part of the difference, and no interval shows it. */
static enum tare_status note_order(struct merging *m)
{
    struct buf text = BUF_INIT(1 << 16);
    bool likely = false, advised = false;
    int first = 0;
    for (int i = 0; i < m->out->n_comparisons; i++) {
        const struct comparison *c = &m->out->comparisons[i];
        likely |= !c->by_anchor && comparison_over_sets(m->out, c);
        advised |= c->reason && !strcmp(c->reason, TREND_REASON);
    }
    if (!likely || !by_sessions(m) || !sets_apart(m->q->sets, &first))
        return TARE_OK;
    buf_format(&text, "all sessions of %s were before those of %s, so drift is part of the difference", m->q->names[first],
               m->q->names[!first]);
    return add_note(m, "sets_apart", SEVERITY_WARNING, 400, advised ? NULL : "measure the two in turns, or with --anchor", &text);
}

static void put_source(const struct record *r, const char *name, struct buf *out)
{
    const struct fact *limits = facts_find(&r->before, "source_limits");
    if (record_source(r))
        buf_format(out, "%s%s is %s: %s", out->len ? "; " : "", name, record_source(r),
                   limits && limits->text ? limits->text : "");
}

/* What the files of other tools cannot claim, their comparison cannot either. */
static enum tare_status note_sources(struct merging *m)
{
    struct buf text = BUF_INIT(1 << 16);
    const struct fact *a = facts_find(&m->from[0]->before, "source_limits"),
                      *b = facts_find(&m->from[1]->before, "source_limits");
    bool alike = a && b && a->text && b->text && !strcmp(a->text, b->text);
    put_source(m->from[0], alike ? "each file" : m->q->names[0], &text);
    if (!alike)
        put_source(m->from[1], m->q->names[1], &text);
    if (!text.len && !text.status)
        return TARE_OK;
    return add_note(m, "foreign_file", SEVERITY_NOTE, 1000, "use tare run or tare bench for verdicts", &text);
}

/* A comparison is as good as both of its sessions. */
static enum tare_status note_unverified(struct merging *m)
{
    const int side = session_undeciding(m->from[0]) ? 0 : 1;
    const char *why = session_undeciding(m->from[side]);
    if (!why)
        return TARE_OK;
    struct buf text = BUF_INIT(1 << 16);
    buf_format(&text, "%s: %s", m->q->names[side], why);
    enum tare_status status =
        add_note(m, "unverified_record", SEVERITY_WARNING, 2000, "measure again: it decides no gate", &text);
    m->out->unverified = status ? NULL : m->out->findings[m->out->n_findings - 1].text;
    return status;
}

static int partner_of(const struct merging *m, int subject)
{
    return (m->q->one_plan ? planned_partner : stored_partner)(m->from[1], subject, m->from[0]);
}

enum tare_status analyse_stored(struct record *out, const struct record *first, const struct record *second,
                                const struct stored_question *q, struct tare_err *err)
{
    struct merging m = {.out = out, .from = {first, second}, .q = q, .err = err, .metric = q->metric};
    m.metric = m.metric ? m.metric : second->rule.metric;
    enum tare_status status = copy_session(&m);
    if (!status)
        status = check_metric(&m);
    if (!status)
        set_rule(&m);
    for (int i = 0; i < second->n_subjects; i++)
        m.pairs += partner_of(&m, i) >= 0;
    for (int i = 0; i < second->n_subjects && !status; i++) {
        int a = partner_of(&m, i);
        if (a >= 0)
            status = compare_pair(&m, a, i);
    }
    if (!status && q->one_plan) {
        correct_for_many(out, 0);
        return TARE_OK;
    }
    if (!status)
        status = note_unverified(&m);
    if (!status)
        status = note_sources(&m);
    if (!status)
        status = note_anchors(&m);
    if (!status)
        status = note_order(&m);
    return status ? status : note_conditions(&m);
}
