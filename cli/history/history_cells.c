/* SPDX-License-Identifier: MIT
 * Cells of tables with a series or a change a row. */
#include "history_reading.h"
#include "history_words.h"
#include "layout.h"
#include "quote.h"
#include <math.h>

enum { SUBJECT_COLUMNS = 40, WIDE = 72 /* columns: room for intervals */ };

void history_cell_name(struct table *t, const struct history_series *s)
{
    history_put_name(&t->p->piece, s, TABLE_NAME_COLUMNS, t->p->o->unicode);
    table_cell(t);
}

void history_cell_class(struct table *t, const struct history_series *s)
{
    quote_cut(&t->p->piece, s->class, TABLE_NAME_COLUMNS / 2, t->p->o->unicode);
    table_cell(t);
}

void history_cell_effect(struct table *t, const struct found_change *f)
{
    struct page *p = t->p;
    struct view_change c = f->change;
    const enum hue hue = !change_open(&c) ? HUE_PLAIN : c.worse ? HUE_BAD : HUE_GOOD;
    if (p->o->width > 0 && p->o->width < WIDE)
        c.low = c.high = NAN;
    hue_on(p, &p->piece, hue);
    history_put_effect(&p->piece, f->series, &c);
    hue_off(p, &p->piece, hue);
    table_cell(t);
}

void history_cell_commit(struct table *t, const struct view_change *c)
{
    history_put_commits(&t->p->piece, c);
    if (c->commits <= 1 && *c->subject) {
        buf_char(&t->p->piece, ' ');
        quote_cut(&t->p->piece, c->subject, SUBJECT_COLUMNS, t->p->o->unicode);
    }
    table_cell(t);
}

void history_cell_state(struct table *t, const struct found_change *f)
{
    struct buf *b = &t->p->piece;
    const struct view_change *c = &f->change;
    history_put_state(b, c);
    buf_str(b, c->state == CHANGE_CONFIRMED && c->worse ? " worse" : "");
    if ((c->state == CHANGE_REFUTED || found_undecided(f)) && c->said && c->said->verdict) {
        buf_str(b, " (");
        quote_cut(b, c->said->verdict, SUBJECT_COLUMNS, t->p->o->unicode);
        buf_char(b, ')');
    }
    table_cell(t);
}
