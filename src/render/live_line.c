/* SPDX-License-Identifier: MIT
 *
 *     █████░░░░░ 37 of 75 rounds · about 2.4 s left · 5.1 % faster (4.2–6.0) so far
 *
 * What does not fit is left out, a piece at a time: a line that wraps cannot be erased. */
#include "layout.h"
#include "leak_target.h"
#include "quote.h"
#include "record_arcs.h"
#include "record_kind.h"
#include <math.h>
#include <string.h>

static const char erase_to_end[] = "\033[K";

struct line {
    struct page *p;
    int column, last; /* the last column is left free: some terminals wrap there */
};

static void add_part(struct line *l)
{
    piece_adapt(l->p);
    struct buf *piece = &l->p->piece;
    int gap = l->column ? 3 : 0, columns = text_columns(buf_text(piece), piece->len);
    if (columns && l->column + gap + columns <= l->last) {
        if (gap)
            buf_str(l->p->out, l->p->o->unicode ? " · " : " | ");
        buf_add(l->p->out, piece->data, piece->len);
        l->column += gap + columns;
    }
    piece_clear(l->p);
}

enum { BAR_CELLS = 10 };

static void put_progress_bar(struct page *p, double share)
{
    if (!isfinite(share))
        return;
    int full = (int)(BAR_CELLS * fmin(fmax(share, 0), 1));
    for (int i = 0; i < BAR_CELLS; i++)
        buf_str(&p->piece, i < full ? "█" : "░");
    buf_char(&p->piece, ' ');
}

static void add_rounds(struct line *l, const struct render_progress *progress)
{
    struct buf *b = &l->p->piece;
    put_progress_bar(l->p, progress->share);
    if (progress->groups > 1)
        buf_format(b, "%s %d of %d: ", progress->of ? progress->of : "command", progress->group + 1, progress->groups);
    if (progress->phase)
        quote_mask(b, progress->phase, l->p->o->unicode);
    else if (progress->rounds_planned > 0)
        buf_format(b, "%d of %d round%s", progress->rounds, progress->rounds_planned, buf_plural(progress->rounds_planned));
    else
        buf_format(b, "%d round%s", progress->rounds, buf_plural(progress->rounds));
    add_part(l);
}

static void put_many_comparisons(struct page *p)
{
    const struct record *r = p->r;
    int decided = 0;
    for (int i = 0; i < r->n_comparisons; i++)
        decided += r->comparisons[i].verdict != VERDICT_UNDECIDED;
    buf_format(&p->piece, "%d of %d decided so far", decided, r->n_comparisons);
}

static const struct estimate *latest_estimate(const struct record *r)
{
    const char *statistic = r->rule.method == METHOD_GEORGES ? "mean" : "median";
    for (int i = r->n_estimates - 1; i >= 0; i--) {
        const struct estimate *e = &r->estimates[i];
        const struct subject *s = &r->subjects[e->subject];
        if (subject_compared(s) && !strcmp(e->metric, r->rule.metric) && !strcmp(e->statistic, statistic))
            return e;
    }
    return NULL;
}

static void put_latest_estimate(struct page *p)
{
    const struct estimate *e = latest_estimate(p->r);
    if (!has_interval(e))
        return;
    buf_format(&p->piece, "%s ", e->statistic);
    put_estimate(p, e, metric_unit(p, e->metric));
    buf_str(&p->piece, " so far");
}

static double decided_share(const struct record *r, int *decided, double *calls)
{
    double most = -INFINITY;
    *decided = 0;
    *calls = 0;
    for (int i = 0; i < r->n_leak_targets; i++) {
        *decided += r->leak_targets[i].decided;
        *calls += r->leak_targets[i].calls > 0 ? r->leak_targets[i].calls : 0;
        most = fmax(most, r->leak_targets[i].log10_e);
    }
    return most;
}

static void add_size(struct line *l, const struct leak_target *t)
{
    if (isnan(half_width(t->low_ns, t->high_ns)))
        return;
    figure_bounded(&l->p->piece, "ns", t->difference_ns, t->low_ns, t->high_ns);
    add_part(l);
}

static void add_leaks(struct line *l)
{
    const struct record *r = l->p->r;
    struct buf *b = &l->p->piece;
    int decided;
    double calls, most = decided_share(r, &decided, &calls);
    buf_format(b, "%s calls", figure_text(figure_count, calls).at);
    add_part(l);
    if (r->n_leak_targets == 1)
        add_size(l, &r->leak_targets[0]);
    if (isfinite(most)) {
        buf_str(b, "evidence 10^");
        figure_put(b, most, 1);
        add_part(l);
    }
    if (r->n_leak_targets > 1) {
        buf_format(b, "%d of %d decided", decided, r->n_leak_targets);
        add_part(l);
        return;
    }
    if (r->leak_targets[0].seconds_needed > 0 && isfinite(r->leak_targets[0].seconds_needed)) {
        buf_format(b, "verdict in about %s", figure_text(figure_duration, r->leak_targets[0].seconds_needed).at);
        add_part(l);
    }
    if (r->leak_targets[0].spike_found_after >= 0) {
        buf_format(b, "injected %s found after %s blocks", scaled_text("ns", r->leak_targets[0].spike_planted_ns).at,
                   figure_text(figure_count, r->leak_targets[0].spike_found_after).at);
        add_part(l);
    }
}

/* Of the arcs that count the one that is known least. */
static void put_widest_arc(struct page *p)
{
    for (int i = p->r->n_estimates - 1; i >= 0; i--) {
        const struct estimate *e = &p->r->estimates[i];
        if (strcmp(e->metric, "arc") || strcmp(e->statistic, "arcs_half_width") || !isfinite(e->point))
            continue;
        buf_format(&p->piece, "means of arcs within ±%s so far", figure_text(figure_share, e->point).at);
        return;
    }
}

static void put_arcs_decided(struct page *p)
{
    int arcs = 0, decided = 0;
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        arcs += c->arc != 0;
        decided += c->arc && c->verdict != VERDICT_UNDECIDED;
    }
    if (arcs)
        buf_format(&p->piece, "%d of %d arcs decided so far", decided, arcs);
}

static void add_found(struct line *l)
{
    const struct record *r = l->p->r;
    if (record_kind(r)->arcs) {
        if (l->p->r->n_comparisons)
            put_arcs_decided(l->p);
        else
            put_widest_arc(l->p);
        add_part(l);
        return;
    }
    if (r->n_leak_targets) {
        add_leaks(l);
        return;
    }
    if (r->n_comparisons > 1)
        put_many_comparisons(l->p);
    else if (r->n_comparisons == 1) {
        put_answer(l->p, &r->comparisons[0]);
        buf_str(&l->p->piece, " so far");
    } else
        put_latest_estimate(l->p);
    add_part(l);
}

/* What is left; where nobody knows, what is over. */
static void add_time(struct line *l, const struct render_progress *progress)
{
    struct buf *b = &l->p->piece;
    if (isfinite(progress->left_s)) {
        buf_format(b, "%s%s left", progress->at_most ? "at most " : "about ", figure_text(figure_duration, progress->left_s).at);
    } else if (progress->elapsed_s >= 0.1)
        figure_duration(b, progress->elapsed_s);
    add_part(l);
}

void render_live(const struct record *r, const struct render_progress *progress, const struct render_options *o, struct buf *out)
{
    if (!o->live)
        return;
    struct page p = page_over(r, o, out);
    struct line l = {.p = &p, .last = (o->width > 0 ? o->width : 80) - 1};
    buf_char(out, '\r');
    hue_on(&p, out, HUE_DIM);
    add_rounds(&l, progress);
    add_time(&l, progress);
    add_found(&l);
    hue_off(&p, out, HUE_DIM);
    buf_str(out, erase_to_end);
    page_finish(&p);
}

void render_live_clear(const struct render_options *o, struct buf *out)
{
    if (o->live)
        buf_format(out, "\r%s", erase_to_end);
}
