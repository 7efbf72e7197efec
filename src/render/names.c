/* SPDX-License-Identifier: MIT */
#include "layout.h"
#include "quote.h"
#include <math.h>
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
        number += r->subjects[i].kind == SUBJECT_COMMAND;
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

/* ---- order ---- */

static double mean_of(const struct record *r, int subject)
{
    const struct estimate *e = record_estimate(r, subject, r->rule.metric, "mean");
    return e && !isnan(e->point) ? e->point : INFINITY;
}

/* Stable insertion by mean: the lists are short, and equal means keep their order. */
static void sort_by_mean(const struct record *r, int *order, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && mean_of(r, order[j]) < mean_of(r, order[j - 1]); j--) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
}

int subject_order(const struct page *p, enum render_sort sort, int *order)
{
    int n = 0;
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_COMMAND)
            order[n++] = i;
    if (sort == RENDER_SORT_MEAN_TIME)
        sort_by_mean(p->r, order, n);
    return n;
}
