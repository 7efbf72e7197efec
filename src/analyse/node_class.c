/* SPDX-License-Identifier: MIT
 *
 * No statistics of its own but the one bound of a binomial: with k of m sessions wrong, each with the probability 1 - confidence at most, P(X >= k) against
 * the level over the number of machines (Bonferroni). Scatter is compared as a logarithm, as a scale is. All levels are of the class: node_class.h.
 */
#include "node_class.h"
#include "buf.h"
#include "comparable.h"
#include "stats_beyond.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TIME_LEVEL = .03, NOISE_LEVEL = .01, WRONG_LEVEL = .01;
static const double NOISE_TIMES = 3;
enum { SESSIONS_MOST = 500 }; /* that --aa can ask for: records come from other machines */

/* ---- conditions ---- */

/* One more reason, behind those that are there. */
static enum tare_status put_out(struct node_class *c, int node, const char *why, struct tare_err *err)
{
    const char *before = c->found[node].out;
    c->found[node].out = before ? arena_format(c->arena, "%s; %s", before, why) : arena_strdup(c->arena, why);
    return c->found[node].out ? TARE_OK : err_no_memory(err);
}

static enum tare_status leave_open(struct node_class *c, const char *why, struct tare_err *err)
{
    c->open = c->open ? arena_format(c->arena, "%s; %s", c->open, why) : arena_strdup(c->arena, why);
    return c->open ? TARE_OK : err_no_memory(err);
}

struct vote {
    int known, most, typical; /* machines that know the fact; that have it as machine `typical` has it */
};

static int count_alike(const struct node_class *c, int key, const struct fact *f)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const struct fact *other = comparable_fact(&c->nodes[i], key);
        n += other && comparable_alike(f, other);
    }
    return n;
}

static struct vote count_votes(const struct node_class *c, int key)
{
    struct vote v = {0};
    for (int i = 0; i < c->n; i++)
        v.known += comparable_fact(&c->nodes[i], key) != NULL;
    for (int i = 0; i < c->n && 2 * v.most <= v.known; i++) {
        const struct fact *f = comparable_fact(&c->nodes[i], key);
        const int alike = f ? count_alike(c, key, f) : 0;
        if (alike > v.most) {
            v.most = alike;
            v.typical = i;
        }
    }
    return v;
}

static enum tare_status hold_against(struct node_class *c, int key, const struct vote *v, struct tare_err *err)
{
    const struct fact *typical = comparable_fact(&c->nodes[v->typical], key);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < c->n && !status; i++) {
        const struct fact *f = comparable_fact(&c->nodes[i], key);
        struct buf b = BUF_INIT(1 << 12);
        if (!f || comparable_alike(typical, f))
            continue;
        buf_format(&b, "%s is ", f->key);
        comparable_put_fact(f, &b);
        buf_format(&b, ", and on %d of %d nodes ", v->most, v->known);
        comparable_put_fact(typical, &b);
        status = put_out(c, i, buf_text(&b), err);
        buf_finish(&b);
    }
    return status;
}

static enum tare_status judge_conditions(struct node_class *c, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int key = 0; comparable_key(key) && !status; key++) {
        const struct vote v = count_votes(c, key);
        if (2 * v.most > v.known)
            status = hold_against(c, key, &v, err);
        else if (v.known) {
            const char *why = arena_format(c->arena, "nodes differ in %s, and no value is that of most", comparable_key(key));
            status = why ? leave_open(c, why, err) : err_no_memory(err);
        }
    }
    return status;
}

static enum tare_status judge_load(struct node_class *c, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < c->n && !status; i++) {
        const double used = facts_cpus_of_others(&c->nodes[i].after);
        if (used > c->load) {
            const char *why = arena_format(c->arena, "other programs used %.2g CPUs meanwhile (bound %.2g)", used, c->load);
            status = why ? put_out(c, i, why, err) : err_no_memory(err);
        }
    }
    return status;
}

/* ---- figures ---- */

struct bounding {
    struct node_class *c;
    int *at; /* of those that are not out so far and have the figure */
    int n;
    double *x, *scratch; /* x: its logarithm */
    struct stats_class of;
    double limit;
};

static double time_of(const struct node_found *f)
{
    return f->time;
}

/* 0, as of programs that print the same in every run, is no figure: nothing can be many times as much. */
static double noise_of(const struct node_found *f)
{
    return f->noise;
}

static void choose(struct bounding *b, double (*figure)(const struct node_found *f))
{
    b->n = 0;
    for (int i = 0; i < b->c->n; i++) {
        const double x = log(figure(&b->c->found[i]));
        if (b->c->found[i].out || !isfinite(x))
            continue;
        b->x[b->n] = x;
        b->at[b->n++] = i;
    }
}

static enum tare_status bound(struct bounding *b, double level, bool above, struct tare_err *err)
{
    enum tare_status status = stats_class(b->x, b->n, b->scratch, &b->of);
    if (!status)
        status = stats_class_limit(b->n, level, above, b->scratch, &b->limit);
    return status ? err_set(err, status, "the figures of the nodes cannot be compared") : TARE_OK;
}

static bool beyond(const struct bounding *b, int i)
{
    return fabs(b->x[i] - b->of.center) > b->limit * b->of.scale;
}

static enum tare_status judge_times(struct bounding *b, bool is_time, struct tare_err *err)
{
    struct node_class *c = b->c;
    choose(b, time_of);
    if (b->n < STATS_CLASS_LEAST) {
        const char *open =
            arena_format(c->arena, "the reference workload has no bounds: %d node%s %s one sort of conditions, and it needs %d",
                         b->n, buf_plural(b->n), b->n == 1 ? "is of" : "are of", STATS_CLASS_LEAST);
        return open ? leave_open(c, open, err) : err_no_memory(err);
    }
    enum tare_status status = bound(b, TIME_LEVEL, false, err);
    c->center = exp(b->of.center);
    for (int i = 0; i < b->n && !status; i++) {
        const double apart = expm1(fabs(b->x[i] - b->of.center));
        if (!(apart > c->bound) || !beyond(b, i))
            continue;
        const char *word = b->x[i] > b->of.center ? (is_time ? "slower" : "more") : is_time ? "faster" : "less";
        const char *why = arena_format(c->arena, "the reference workload is %.3g %% %s than on the class (bound %.3g %%)",
                                       100 * apart, word, 100 * c->bound);
        status = why ? put_out(c, b->at[i], why, err) : err_no_memory(err);
    }
    return status;
}

static enum tare_status judge_noise(struct bounding *b, struct tare_err *err)
{
    struct node_class *c = b->c;
    choose(b, noise_of);
    enum tare_status status = b->n < STATS_CLASS_LEAST ? TARE_OK : bound(b, NOISE_LEVEL, true, err);
    for (int i = 0; i < b->n && b->n >= STATS_CLASS_LEAST && !status; i++) {
        const double times = exp(b->x[i] - b->of.center);
        if (!(times > NOISE_TIMES) || !beyond(b, i))
            continue;
        const char *why = arena_format(c->arena, "pairs of equal runs differ %.2g times as much as on the class (bound %g)",
                                       times, NOISE_TIMES);
        status = why ? put_out(c, b->at[i], why, err) : err_no_memory(err);
    }
    return status;
}

static enum tare_status judge_wrong(struct node_class *c, double confidence, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < c->n && !status; i++) {
        const struct node_found *f = &c->found[i];
        if (f->out || !f->wrong || tare_binomial_cdf(f->sessions - f->wrong, f->sessions, confidence) > WRONG_LEVEL / c->n)
            continue;
        const char *why =
            arena_format(c->arena, "%d of %d sessions called the reference faster or slower than itself", f->wrong, f->sessions);
        status = why ? put_out(c, i, why, err) : err_no_memory(err);
    }
    return status;
}

enum tare_status analyse_node_figures(struct node_class *c, double confidence, bool is_time, struct tare_err *err)
{
    struct bounding b = {.c = c,
                         .at = arena_array(c->arena, (size_t)c->n + 1, sizeof *b.at),
                         .x = arena_array(c->arena, (size_t)c->n + 1, sizeof *b.x),
                         .scratch = arena_array(c->arena, (size_t)c->n + STATS_CLASS_SCRATCH, sizeof *b.scratch)};
    c->center = NAN;
    enum tare_status status = b.at && b.x && b.scratch ? judge_times(&b, is_time, err) : err_no_memory(err);
    if (!status)
        status = judge_noise(&b, err);
    if (!status)
        status = judge_wrong(c, confidence, err);
    c->in = 0;
    for (int i = 0; i < c->n; i++)
        c->in += !c->found[i].out;
    return status;
}

/* ---- from the records ---- */

static double median_of_medians(const struct record *r, double *values)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const double median = r->subjects[i].kind == SUBJECT_COMMAND ? record_point(r, i, r->rule.metric, "median") : NAN;
        if (median > 0 && isfinite(median))
            values[n++] = median;
    }
    tare_sort(values, n);
    return tare_quantile_sorted(values, n, .5);
}

static enum tare_status find_figures(struct node_class *c, int node, struct tare_err *err)
{
    const struct record *r = &c->nodes[node];
    const struct estimate *wrong = record_estimate(r, 0, r->rule.metric, "aa_false_positives");
    double *values = arena_array(c->arena, (size_t)r->n_subjects + 1, sizeof *values);
    if (!values)
        return err_no_memory(err);
    c->found[node] =
        (struct node_found){.time = median_of_medians(r, values), .noise = record_point(r, 0, r->rule.metric, "aa_pair_sd")};
    if (wrong && wrong->point >= 0 && wrong->point <= 1 && wrong->n > 0 && wrong->n <= SESSIONS_MOST) {
        c->found[node].sessions = wrong->n;
        c->found[node].wrong = (int)lrint(wrong->point * wrong->n);
    }
    return isnan(c->found[node].time) ? put_out(c, node, "its reference workload has no value above 0", err) : TARE_OK;
}

enum tare_status analyse_node_class(struct node_class *c, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    c->open = NULL;
    c->found = arena_array(c->arena, (size_t)c->n + 1, sizeof *c->found);
    if (!c->found)
        return err_no_memory(err);
    for (int i = 0; i < c->n && !status; i++)
        status = find_figures(c, i, err);
    if (!status)
        status = judge_conditions(c, err);
    if (!status)
        status = judge_load(c, err);
    if (status || !c->n)
        return status;
    const struct rule *rule = &c->nodes[0].rule;
    const struct metric *metric = record_metric(&c->nodes[0], rule->metric);
    return analyse_node_figures(c, rule->confidence, metric && metric->kind == METRIC_TIME, err);
}
