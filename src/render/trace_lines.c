/* SPDX-License-Identifier: MIT */
#include "trace_lines.h"
#include "quote.h"
#include <string.h>

enum { ARCS_SHOWN = 20 };

/* Where lines are short, without the function behind a place, which says enough. */
static void put_place_alone(const struct page *p, int point, struct buf *out)
{
    const struct point *at = &p->r->traced->points[point];
    point_label(out, p->r->traced, point);
    if (!*at->name && *at->func && !out->status)
        out->data[out->len -= strlen(" ()") + strlen(at->func)] = 0;
}

void put_point_name(struct page *p, int point, int columns)
{
    const struct name_list places = {p->r->traced->n_points, false, put_place_alone, NULL};
    struct buf label = BUF_INIT(1 << 14);
    point_label(&label, p->r->traced, point);
    if (columns && text_columns(buf_text(&label), label.len) > columns)
        put_listed_name(p, &places, point, columns);
    else
        put_cut(p, buf_text(&label), columns);
    buf_finish(&label);
}

void arc_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    enum { BESIDE = 28 }; /* mean and interval */
    const int width = p->o->width, columns = width <= 0 ? 0 : width / 5 < (width - BESIDE) / 2 ? width / 5 : (width - BESIDE) / 2;
    put_point_name(p, a->from, columns);
    buf_str(&p->piece, " → ");
    put_point_name(p, a->to, columns);
}

int arcs_of(const struct page *p, int subject)
{
    int n = 0;
    for (int i = 0; i < p->r->traced->n_results; i++)
        n += p->r->traced->results[i].subject == subject;
    return n;
}

int arcs_shown(const struct page *p, int n)
{
    return p->o->verbosity > 0 || n <= ARCS_SHOWN ? n : ARCS_SHOWN;
}

void arc_rows(struct page *p, struct table *t, int subject)
{
    const struct traced *traced = p->r->traced;
    int left = arcs_shown(p, arcs_of(p, subject));
    for (int i = 0; i < traced->n_results && left; i++)
        if (traced->results[i].subject == subject) {
            table_row(p, t, &traced->results[i]);
            left--;
        }
}

struct run_tally tally_runs(const struct page *p, int subject)
{
    struct run_tally t = {0};
    for (int i = 0; i < p->r->traced->n_runs; i++) {
        const struct traced_run *run = &p->r->traced->runs[i];
        if (run->subject != subject)
            continue;
        t.runs++;
        t.lossy += run->lost != NULL;
        t.lost_hits += (double)run->lost_hits;
        t.degraded += run->degraded;
        t.burst += run->burst;
    }
    return t;
}

void put_runs(struct page *p, int n, int of)
{
    if (of > 1)
        buf_format(&p->piece, n == of ? " in all %d runs" : " in %d of %d runs", n, of);
}
