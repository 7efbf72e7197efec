/* SPDX-License-Identifier: MIT
 *
 *     note: the first run took 38 ms, three times as long as the others
 *       → set it aside with --warmup 1
 */
#include "layout.h"
#include "quote.h"
#include <string.h>

enum { ON_SCREEN = 2 };

/* The lines of the command show its first run already. */
static bool is_told(const struct page *p, const struct finding *f)
{
    return p->o->verbosity <= 0 && f->severity == SEVERITY_NOTE && !strcmp(f->id, "first_run") &&
           command_count(p->r) <= LINES_UP_TO;
}

/* How many findings come before this one: those of more weight, and earlier ones of the same. */
static int rank_of(const struct page *p, int index)
{
    int rank = 0;
    for (int i = 0; i < p->r->n_findings; i++) {
        double other = p->r->findings[i].weight, own = p->r->findings[index].weight;
        rank += !is_told(p, &p->r->findings[i]) && (other > own || (other == own && i < index));
    }
    return rank;
}

static int untold(const struct page *p)
{
    int n = 0;
    for (int i = 0; i < p->r->n_findings; i++)
        n += !is_told(p, &p->r->findings[i]);
    return n;
}

static void render_finding(struct page *p, const struct finding *f)
{
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "%s:", severity_name(f->severity));
    flow_put_hued(p, "", HUE_BOLD);
    quote_mask(&p->piece, f->text, p->o->unicode);
    flow_spread(p, " ", HUE_PLAIN);
    if (p->o->verbosity > 0) {
        buf_char(&p->piece, '[');
        put_text(p, f->id);
        buf_char(&p->piece, ']');
        flow_put_hued(p, " ", HUE_DIM);
    }
    flow_end(p);
    if (!f->advice)
        return;
    flow_begin(p, 2, p->o->unicode ? 4 : 5); /* behind the arrow */
    buf_format(&p->piece, "%s ", p->sym->arrow);
    quote_mask(&p->piece, f->advice, p->o->unicode);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

void render_findings(struct page *p)
{
    int n = untold(p), shown = p->o->verbosity > 0 || n < ON_SCREEN ? n : ON_SCREEN;
    if (!n)
        return;
    blank_line(p);
    for (int rank = 0; rank < shown; rank++)
        for (int i = 0; i < p->r->n_findings; i++)
            if (!is_told(p, &p->r->findings[i]) && rank_of(p, i) == rank)
                render_finding(p, &p->r->findings[i]);
    if (shown == n)
        return;
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "%d more remark%s with -v", n - shown, n - shown == 1 ? "" : "s");
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
}
