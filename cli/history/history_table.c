/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "history_words.h"
#include "layout.h"
#include "quote.h"
#include <math.h>
#include <string.h>

enum { SUBJECT_COLUMNS = 40, WIDE = 72 /* columns: room for intervals */ };

void history_cell_name(struct page *p, const void *row)
{
    history_put_name(&p->piece, ((const struct found_change *)row)->series, TABLE_NAME_COLUMNS, p->o->unicode);
}

static void class_cell(struct page *p, const void *row)
{
    quote_cut(&p->piece, ((const struct found_change *)row)->series->class, TABLE_NAME_COLUMNS / 2, p->o->unicode);
}

void history_cell_effect(struct page *p, const void *row)
{
    const struct found_change *f = row;
    struct view_change c = f->change;
    const enum hue hue = !change_open(&c) ? HUE_PLAIN : c.worse ? HUE_BAD : HUE_GOOD;
    if (p->o->width > 0 && p->o->width < WIDE)
        c.low = c.high = NAN;
    hue_on(p, &p->piece, hue);
    history_put_effect(&p->piece, f->series, &c);
    hue_off(p, &p->piece, hue);
}

void history_cell_commits(struct page *p, const void *row)
{
    history_put_commits(&p->piece, &((const struct found_change *)row)->change);
}

void history_cell_commit(struct page *p, const void *row)
{
    const struct view_change *c = &((const struct found_change *)row)->change;
    history_put_commits(&p->piece, c);
    if (c->commits > 1 || !*c->subject)
        return;
    buf_char(&p->piece, ' ');
    quote_cut(&p->piece, c->subject, SUBJECT_COLUMNS, p->o->unicode);
}

void history_cell_state(struct page *p, const void *row)
{
    const struct found_change *f = row;
    const struct view_change *c = &f->change;
    history_put_state(&p->piece, c);
    buf_str(&p->piece, c->state == CHANGE_CONFIRMED && c->worse ? " worse" : "");
    if ((c->state == CHANGE_REFUTED || found_undecided(f)) && c->said && c->said->verdict) {
        buf_str(&p->piece, " (");
        quote_cut(&p->piece, c->said->verdict, SUBJECT_COLUMNS, p->o->unicode);
        buf_char(&p->piece, ')');
    }
}

void history_class_column(struct table *t, int importance, const void *rows, int n, size_t row_bytes)
{
    const struct found_change *first = rows;
    bool same = true;
    for (int i = 1; i < n; i++)
        same &= !strcmp(((const struct found_change *)((const char *)rows + (size_t)i * row_bytes))->series->class,
                        first->series->class);
    if (!same)
        table_column(t, (struct table_column){"class", SIDE_LEFT, importance, class_cell});
}
