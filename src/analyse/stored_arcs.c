/* SPDX-License-Identifier: MIT
 *
 * Formula: d = ln m2 - ln m1 of an arc's two means; u_i = e_i / m_i from the standard error e_i of the session, in which the probe's uncertainty is,
 * with its degrees of freedom f_i; interval d -+ t(1 - l/2, f) sqrt(u1^2 + u2^2) with f by Welch and Satterthwaite from f_i (B. L. Welch, 1947; the
 * logarithm by the delta method, good while u_i is small against 1). A record without e_i and f_i: from the upper half of its own interval (the lower has the loose part in it), by
 * Student's t with one less than its runs, which is what it was made of but for runs that were not weighed.
 * Assumes runs independent and their means near normal. Smallest n: 2 and 2; below, for a mean that is not above 0 and without an interval in its
 * session there is no interval here, and the reason says so. The probe's loose part is in no e_i: arc_open_interval. Many arcs: words are held together by Benjamini and Hochberg's rule over
 * the p values of the same t.
 */
#include "stored_arcs.h"
#include "arcs.h"
#include "compare.h"
#include <math.h>
#include <stdlib.h>
#include <tare/stats.h>

/* ---- from one record into another ---- */

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

enum tare_status stored_arcs_copy(struct record *out, int to, const struct record *from, int subject)
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

/* ---- one arc of both ---- */

struct doubt {        /* of a mean's logarithm */
    double error, df; /* error NaN: it has no interval */
};

static struct doubt doubt_of(const struct arc_result *a)
{
    static const struct doubt none = {NAN, NAN};
    if (a->runs_passed < 2 || !(a->mean_ns > 0))
        return none;
    if (!isnan(a->mean_error_ns))
        return (struct doubt){a->mean_error_ns / a->mean_ns, isnan(a->mean_df) ? INFINITY : a->mean_df};
    double half = a->high_ns - a->mean_ns, df = a->runs_passed - 1;
    if (!isfinite(half) || !(a->level > 0))
        return none;
    return (struct doubt){half / tare_student_quantile(1 - a->level / 2, df) / a->mean_ns, df};
}

static void fill(struct comparison *c, const struct arc_result *reference, const struct arc_result *a)
{
    const struct doubt u = doubt_of(reference), v = doubt_of(a);
    double both = sqrt(u.error * u.error + v.error * v.error);
    c->kind = METRIC_TIME;
    c->rounds = a->runs_passed;
    c->reference_rounds = reference->runs_passed;
    if (!(reference->mean_ns > 0) || !(a->mean_ns > 0)) {
        c->verdict = VERDICT_INVALID;
        c->reason = "a mean is not above 0, so there is no ratio";
        return;
    }
    c->shift = log(a->mean_ns / reference->mean_ns);
    if (isnan(both)) {
        c->reason = "one of the sessions has no interval of this arc";
        return;
    }
    double freedom = pow(both, 4) / (pow(u.error, 4) / u.df + pow(v.error, 4) / v.df);
    double t = both > 0 ? tare_student_quantile(1 - c->level / 2, freedom) : 0;
    c->low = c->shift - t * both;
    c->high = c->shift + t * both;
    c->p = both > 0 ? 2 * tare_student_cdf(-fabs(c->shift) / both, freedom) : c->shift == 0;
}

/* ---- all ---- */

static enum tare_status compare_one(struct record *out, const struct comparison *like, const int *of, int index,
                                    const struct stored_arcs_how *how)
{
    const struct arc_result *a = &out->traced->results[index];
    int reference =
        of[a->from] < 0 || of[a->to] < 0 ? -1 : record_arc_result(out->traced, like->reference, of[a->from], of[a->to]);
    if (reference < 0)
        return TARE_OK;
    struct comparison c = *like;
    c.metric = ARCS_METRIC;
    c.arc = index + 1;
    c.reference_arc = reference + 1;
    fill(&c, &out->traced->results[reference], a);
    if (isfinite(c.low) && isfinite(c.high)) {
        const struct arc_ends ends = {&out->traced->results[reference], a, how->one_code};
        if (how->judged)
            arc_judge(&c, &ends);
        else
            arc_open_interval(&c, &ends);
    }
    char text[ARC_LOSS_TEXT];
    arc_judge_runs(out, &c, 0, text);
    return record_add_comparison(out, &c) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status stored_arcs_compare(struct record *out, const struct comparison *like, const struct stored_arcs_how *how)
{
    if (!out->traced)
        return TARE_OK;
    int *of = malloc((size_t)(out->traced->n_points + 1) * sizeof *of), n = out->traced->n_results;
    enum tare_status status = of ? arc_matches(out, like->reference, like->subject, of) : TARE_NO_MEMORY;
    for (int i = 0; i < n && !status; i++)
        if (out->traced->results[i].subject == like->subject)
            status = compare_one(out, like, of, i, how);
    free(of);
    return status;
}
