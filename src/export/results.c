/* SPDX-License-Identifier: MIT */
#include "results.h"
#include "record_kind.h"
#include <string.h>

static bool sooner(double a, double b) /* NaN comes last */
{
    return a < b || (isnan(b) && !isnan(a));
}

static void sort_by_mean(const struct record *r, int *order, int n)
{
    for (int i = 1; i < n; i++) {
        int moving = order[i], k = i;
        double mean = record_point(r, moving, results_time(r), "mean");
        for (; k > 0 && sooner(mean, record_point(r, order[k - 1], results_time(r), "mean")); k--)
            order[k] = order[k - 1];
        order[k] = moving;
    }
}

const int *results_order(const struct record *r, bool by_mean, struct arena *arena)
{
    int *order = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *order);
    int n = 0;
    if (!order)
        return NULL;
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]))
            order[n++] = i;
    order[n] = -1;
    if (by_mean)
        sort_by_mean(r, order, n);
    return order;
}

const char *results_time(const struct record *r)
{
    return record_kind(r)->time;
}

double results_account(const struct record *r, int subject, const char *word, const char *statistic)
{
    char room[64];
    buf_print(room, sizeof room, "%s%s", word, statistic);
    return record_point(r, subject, "wall", room);
}

double results_account_runs(const struct record *r, int subject, const char *word)
{
    double runs = results_account(r, subject, word, "_runs");
    return isnan(runs) ? 0 : runs;
}

double results_low(const struct record *r, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, metric, statistic);
    return e ? e->low : -INFINITY;
}

double results_high(const struct record *r, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, metric, statistic);
    return e ? e->high : INFINITY;
}

const struct comparison *results_comparison(const struct record *r, int subject)
{
    return record_comparison(r, subject, r->rule.metric);
}

double results_difference(const struct record *r, const struct comparison *c)
{
    if (results_by_difference(c))
        return c->shift;
    return c->arc ? NAN : record_point(r, c->subject, c->metric, "median") - record_point(r, c->reference, c->metric, "median");
}

bool results_by_difference(const struct comparison *c)
{
    return c->kind == METRIC_COUNT;
}

const char *results_compared_by(const struct record *r)
{
    bool ratio = false, difference = false;
    for (int i = 0; i < r->n_subjects; i++) {
        const struct comparison *c = results_comparison(r, i);
        if (c)
            *(results_by_difference(c) ? &difference : &ratio) = true;
    }
    return !difference ? (ratio ? "ratio" : NULL) : ratio ? "ratio or difference" : "difference";
}

double results_first_run_ns(const struct series *s)
{
    int wall = series_column(s, "wall");
    const struct rows *rows = s->warmup.n ? &s->warmup : &s->main;
    return wall < 0 || !rows->n ? NAN : rows->value[wall][0];
}

/* Into the sorted names[0..n-1] unless it is there; returns the new n. */
static int insert_name(const char **names, int n, const char *name)
{
    int at = 0, order = 1;
    while (at < n && (order = strcmp(names[at], name)) < 0)
        at++;
    if (at < n && !order)
        return n;
    memmove(names + at + 1, names + at, (size_t)(n - at) * sizeof *names);
    names[at] = name;
    return n + 1;
}

const char *const *results_parameters(const struct record *r, struct arena *arena)
{
    size_t most = 1;
    for (int i = 0; i < r->n_subjects; i++)
        most += (size_t)r->subjects[i].n_parameters;
    const char **names = arena_array(arena, most, sizeof *names);
    int n = 0;
    if (!names)
        return NULL;
    for (int i = 0; i < r->n_subjects; i++)
        for (int k = 0; k < r->subjects[i].n_parameters; k++)
            n = insert_name(names, n, r->subjects[i].parameters[k].name);
    names[n] = NULL;
    return names;
}
