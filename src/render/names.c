/* SPDX-License-Identifier: MIT */
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static bool shortens(const struct page *p, const char *name, int columns)
{
    struct buf whole = BUF_INIT(1 << 22);
    quote_mask(&whole, name, p->o->unicode);
    bool longer = columns > 0 && text_columns(buf_text(&whole), whole.len) > columns - 2;
    buf_finish(&whole);
    return longer;
}

static bool same_when_cut(const struct page *p, const char *a, const char *b, int columns)
{
    struct buf x = BUF_INIT(1 << 22), y = BUF_INIT(1 << 22);
    quote_name(&x, a, columns, p->o->unicode);
    quote_name(&y, b, columns, p->o->unicode);
    bool same = !strcmp(buf_text(&x), buf_text(&y));
    buf_finish(&x);
    buf_finish(&y);
    return same;
}

int command_number(const struct record *r, int subject)
{
    int number = 0;
    for (int i = 0; i <= subject; i++)
        number += subject_measured(&r->subjects[i]);
    return number;
}

static bool looks_like_another(const struct page *p, int subject, int columns)
{
    const char *name = p->r->subjects[subject].name;
    if (!shortens(p, name, columns))
        return false;
    for (int i = 0; i < p->r->n_subjects; i++)
        if (i != subject && same_when_cut(p, name, p->r->subjects[i].name, columns))
            return true;
    return false;
}

void put_name(struct page *p, int subject, int columns)
{
    if (looks_like_another(p, subject, columns))
        buf_format(&p->piece, "#%d ", command_number(p->r, subject));
    quote_name(&p->piece, p->r->subjects[subject].name, columns, p->o->unicode);
}

int command_count(const struct record *r)
{
    return r->n_subjects ? command_number(r, r->n_subjects - 1) : 0;
}

int subject_with(const struct page *p, enum subject_kind kind, const char *metric)
{
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (!strcmp(e->metric, metric) && p->r->subjects[e->subject].kind == kind)
            return e->subject;
    }
    return -1;
}

/* ---- order ---- */

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key != y->key && !(isnan(x->key) && isnan(y->key)))
        return isnan(x->key) ? 1 : isnan(y->key) ? -1 : x->key < y->key ? -1 : 1;
    return x->index - y->index;
}

void sort_ranked(struct ranked *items, int n)
{
    qsort(items, (size_t)n, sizeof *items, compare_ranked);
}

static double mean_of(const struct page *p, int subject)
{
    const struct estimate *e = page_estimate(p, subject, p->r->rule.metric, "mean");
    return e ? e->point : NAN;
}

int *subject_order(struct page *p, enum render_sort sort, int *n)
{
    int subjects = p->r->n_subjects;
    struct ranked *ranked = malloc((size_t)(subjects + 1) * sizeof *ranked);
    int *order = malloc((size_t)(subjects + 1) * sizeof *order);
    *n = 0;
    for (int i = 0; ranked && i < subjects; i++)
        if (subject_measured(&p->r->subjects[i]))
            ranked[(*n)++] = (struct ranked){sort == RENDER_SORT_MEAN_TIME ? mean_of(p, i) : 0, i};
    if (ranked && order) {
        sort_ranked(ranked, *n);
        for (int i = 0; i < *n; i++)
            order[i] = ranked[i].index;
    } else {
        p->out->status = TARE_NO_MEMORY;
        *n = 0;
    }
    free(ranked);
    return order;
}
