/* SPDX-License-Identifier: MIT
 *
 *     revisions HEAD~1 (a165c40173f6, built in 6.2 s), HEAD (af14ce35ab69, built in 6.1 s) by 'make'
 */
#include "layout.h"
#include "quote.h"

enum { HASH_SHOWN = 12 };

static const struct fact *fact_of(const struct record *r, int number, const char *what)
{
    const struct fact *f = revision_fact(r, number, what);
    return f && (f->text || f->number > 0) ? f : NULL;
}

bool has_revisions(const struct record *r)
{
    return fact_of(r, 1, "") != NULL;
}

void render_revisions(struct page *p)
{
    const struct fact *build = facts_find(&p->r->build, "build_command"), *given;
    if (!has_revisions(p->r))
        return;
    buf_str(&p->piece, "revisions ");
    for (int i = 1; (given = fact_of(p->r, i, "")); i++) {
        const struct fact *hash = fact_of(p->r, i, "_hash"), *seconds = fact_of(p->r, i, "_build_seconds");
        char room[HASH_SHOWN + 1];
        buf_print(room, sizeof room, "%.12s", hash && hash->text ? hash->text : "?");
        buf_str(&p->piece, i > 1 ? ", " : "");
        put_text(p, given->text);
        buf_str(&p->piece, " (");
        put_text(p, room);
        if (fact_of(p->r, i, "_changes"))
            buf_str(&p->piece, " + changes");
        if (seconds && !seconds->text)
            buf_format(&p->piece, ", built in %s", figure_text(figure_duration, seconds->number).at);
        buf_char(&p->piece, ')');
    }
    if (build && build->text && fact_of(p->r, 1, "_build_seconds")) {
        buf_str(&p->piece, " by ");
        quote_name(&p->piece, build->text, name_columns(p, 1), p->o->unicode);
    }
    flow_line(p, 2, HUE_DIM);
}
