/* SPDX-License-Identifier: MIT
 *
 *     note: the first run took 38 ms, three times as long as the others
 *       → set it aside with --warmup 1
 */
#include "layout.h"
#include "quote.h"

enum { ON_SCREEN = 2 };

/* How many findings come before this one: those of more weight, and earlier ones of the same. */
static int rank_of(const struct record *r, int index)
{
    int rank = 0;
    for (int i = 0; i < r->n_findings; i++) {
        double other = r->findings[i].weight, own = r->findings[index].weight;
        rank += other > own || (other == own && i < index);
    }
    return rank;
}

static void render_finding(struct page *p, const struct finding *f)
{
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "%s:", severity_name(f->severity));
    flow_put_hued(p, "", HUE_BOLD);
    quote_mask(&p->piece, f->text, p->o->unicode);
    flow_spread(p, " ", HUE_PLAIN);
    if (p->o->verbosity > 0) {
        buf_format(&p->piece, "[%s]", f->id);
        flow_put_hued(p, " ", HUE_DIM);
    }
    flow_end(p);
    if (!f->advice)
        return;
    flow_begin(p, 2, 5);
    buf_format(&p->piece, "%s ", p->sym->arrow);
    quote_mask(&p->piece, f->advice, p->o->unicode);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

void render_findings(struct page *p)
{
    int n = p->r->n_findings, shown = p->o->verbosity > 0 || n < ON_SCREEN ? n : ON_SCREEN;
    if (!n)
        return;
    buf_char(p->out, '\n');
    for (int rank = 0; rank < shown; rank++)
        for (int i = 0; i < n; i++)
            if (rank_of(p->r, i) == rank)
                render_finding(p, &p->r->findings[i]);
    if (shown == n)
        return;
    flow_begin(p, 0, 2);
    buf_format(&p->piece, "%d more remark%s with -v", n - shown, n - shown == 1 ? "" : "s");
    flow_put_hued(p, "", HUE_DIM);
    flow_end(p);
}
