/* SPDX-License-Identifier: MIT
 *
 *     Revisions, each checked out aside and built by 'make': HEAD~1 is a165c40173f6 (built in 6.2 s), HEAD is af14ce35ab69 (built in 6.1 s).
 */
#include "layout.h"
#include "quote.h"

enum { HASH_SHOWN = 12 };

static const struct fact *fact_of(const struct record *r, int number, const char *what)
{
    char room[64];
    struct buf key = buf_over(room, sizeof room);
    buf_format(&key, "revision_%d%s", number, what);
    const struct fact *f = facts_find(&r->build, buf_text(&key));
    return f && (f->text || f->number > 0) ? f : NULL;
}

bool has_revisions(const struct record *r)
{
    return fact_of(r, 1, "") != NULL;
}

static void put_revision(struct page *p, int number, const struct fact *given)
{
    const struct fact *hash = fact_of(p->r, number, "_hash"), *seconds = fact_of(p->r, number, "_build_seconds");
    if (number > 1)
        buf_str(&p->piece, ", ");
    put_text(p, given->text);
    if (hash && hash->text) {
        char room[HASH_SHOWN + 1];
        struct buf brief = buf_over(room, sizeof room);
        buf_format(&brief, "%.12s", hash->text);
        buf_str(&p->piece, " is ");
        put_text(p, room);
    }
    if (fact_of(p->r, number, "_changes"))
        buf_str(&p->piece, " + changes");
    if (seconds && !seconds->text)
        buf_format(&p->piece, " (built in %.3g s)", seconds->number);
}

void render_revisions(struct page *p)
{
    const struct fact *build = facts_find(&p->r->build, "build_command"), *given;
    if (!has_revisions(p->r))
        return;
    buf_str(&p->piece, "Revisions, each checked out aside");
    if (build && build->text && fact_of(p->r, 1, "_build_seconds")) {
        buf_str(&p->piece, " and built by ");
        quote_name(&p->piece, build->text, name_columns(p, 1), p->o->unicode);
    }
    buf_str(&p->piece, ": ");
    for (int i = 1; (given = fact_of(p->r, i, "")); i++)
        put_revision(p, i, given);
    buf_char(&p->piece, '.');
    flow_line(p, 0, HUE_DIM);
}
