/* SPDX-License-Identifier: MIT
 *
 *     37 of 75 rounds · look 4 at 33: 5.1 % faster (4.2–6.0) so far · 3.2 s, 2.4 s left
 *
 * What does not fit is left out, whole pieces at a time: a line that wraps cannot be erased. */
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

static void add(struct line *l)
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

static void add_rounds(struct line *l, const struct render_progress *progress)
{
    struct buf *b = &l->p->piece;
    if (progress->groups > 1)
        buf_format(b, "%s %d of %d: ", progress->of ? progress->of : "command", progress->group + 1, progress->groups);
    if (progress->phase)
        quote_mask(b, progress->phase, l->p->o->unicode);
    else if (progress->rounds_planned > 0)
        buf_format(b, "%d of %d round%s", progress->rounds, progress->rounds_planned, buf_plural(progress->rounds_planned));
    else
        buf_format(b, "%d round%s", progress->rounds, buf_plural(progress->rounds));
    add(l);
}

/* ---- what the last look found ---- */

static void put_look(struct page *p, int look, int rounds)
{
    buf_format(&p->piece, "look %d at %d: ", look, rounds);
}

static void put_one_comparison(struct page *p, const struct comparison *c)
{
    put_look(p, c->look, c->rounds);
    put_answer(p, c);
    buf_str(&p->piece, " so far");
}

static void put_many_comparisons(struct page *p)
{
    const struct record *r = p->r;
    int decided = 0;
    for (int i = 0; i < r->n_comparisons; i++)
        decided += r->comparisons[i].verdict != VERDICT_UNDECIDED;
    put_look(p, r->comparisons[0].look, r->comparisons[0].rounds);
    buf_format(&p->piece, "%d of %d decided", decided, r->n_comparisons);
}

static const struct estimate *latest_estimate(const struct record *r)
{
    const char *statistic = r->rule.method == METHOD_GEORGES ? "mean" : "median";
    for (int i = r->n_estimates - 1; i >= 0; i--) {
        const struct estimate *e = &r->estimates[i];
        if (subject_measured(&r->subjects[e->subject]) && !strcmp(e->metric, r->rule.metric) && !strcmp(e->statistic, statistic))
            return e;
    }
    return NULL;
}

static void put_latest_estimate(struct page *p)
{
    const struct estimate *e = latest_estimate(p->r);
    if (!has_interval(e))
        return;
    buf_format(&p->piece, "after %d: %s ", e->n, e->statistic);
    put_estimate(p, e, metric_unit(p, e->metric));
    buf_str(&p->piece, ", ±");
    figure_share(&p->piece, half_width(e->low, e->high) / fabs(e->point));
}

/* ---- targets: as the last look found them ---- */

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
    double half = (t->high_ns - t->low_ns) / 2;
    if (!isfinite(half))
        return;
    figure_scaled(&l->p->piece, "ns", t->difference_ns, FIGURE_DIGITS);
    buf_str(&l->p->piece, " ± ");
    figure_scaled(&l->p->piece, "ns", half, FIGURE_DIGITS);
    add(l);
}

static void add_leaks(struct line *l)
{
    const struct record *r = l->p->r;
    struct buf *b = &l->p->piece;
    int decided;
    double calls, most = decided_share(r, &decided, &calls);
    figure_count(b, calls);
    buf_str(b, " calls");
    add(l);
    if (isfinite(most)) {
        buf_format(b, "odds 10^%.1f", most);
        add(l);
    }
    if (r->n_leak_targets > 1) {
        buf_format(b, "%d of %d decided", decided, r->n_leak_targets);
        add(l);
        return;
    }
    add_size(l, &r->leak_targets[0]);
    if (r->leak_targets[0].seconds_needed > 0 && isfinite(r->leak_targets[0].seconds_needed)) {
        buf_format(b, "decided in %.0f s", ceil(r->leak_targets[0].seconds_needed));
        add(l);
    }
    if (r->leak_targets[0].spike_found_after >= 0) {
        buf_str(b, "planted ");
        figure_scaled(b, "ns", r->leak_targets[0].spike_planted_ns, FIGURE_DIGITS);
        buf_str(b, " seen after ");
        figure_count(b, r->leak_targets[0].spike_found_after);
        add(l);
    }
}

/* ---- traced programs ---- */

/* Of the arcs that count the one that is known least. */
static void put_widest_arc(struct page *p)
{
    for (int i = p->r->n_estimates - 1; i >= 0; i--) {
        const struct estimate *e = &p->r->estimates[i];
        if (strcmp(e->metric, "arc") || strcmp(e->statistic, "arcs_half_width") || !isfinite(e->point))
            continue;
        buf_format(&p->piece, "after %d: means of arcs within ±", e->n);
        figure_share(&p->piece, e->point);
        return;
    }
}

static void put_arcs_decided(struct page *p)
{
    int arcs = 0, decided = 0, look = 0, rounds = 0;
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        arcs += c->arc != 0;
        decided += c->arc && c->verdict != VERDICT_UNDECIDED;
        look = c->arc ? c->look : look;
        rounds = c->arc ? c->rounds : rounds;
    }
    if (!arcs)
        return;
    put_look(p, look, rounds);
    buf_format(&p->piece, "%d of %d arcs decided", decided, arcs);
}

static void add_traces(struct line *l)
{
    if (l->p->r->n_comparisons)
        put_arcs_decided(l->p);
    else
        put_widest_arc(l->p);
    add(l);
}

static void add_look(struct line *l)
{
    const struct record *r = l->p->r;
    if (record_kind(r)->arcs) {
        add_traces(l);
        return;
    }
    if (r->n_leak_targets) {
        add_leaks(l);
        return;
    }
    if (r->n_comparisons > 1)
        put_many_comparisons(l->p);
    else if (r->n_comparisons == 1)
        put_one_comparison(l->p, &r->comparisons[0]);
    else
        put_latest_estimate(l->p);
    add(l);
}

/* ---- time ---- */

static void put_seconds(struct page *p, double s)
{
    if (s < 99.95)
        buf_format(&p->piece, "%.1f s", s);
    else
        buf_format(&p->piece, "%.0f:%02.0f min", floor(s / 60), floor(fmod(s, 60)));
}

static void add_time(struct line *l, const struct render_progress *progress)
{
    struct page *p = l->p;
    if (isfinite(progress->elapsed_s))
        put_seconds(p, progress->elapsed_s);
    if (isfinite(progress->left_s)) {
        buf_str(&p->piece, p->piece.len ? ", at most " : "at most ");
        put_seconds(p, progress->left_s);
        buf_str(&p->piece, " left");
    }
    add(l);
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
    add_look(&l);
    add_time(&l, progress);
    hue_off(&p, out, HUE_DIM);
    buf_str(out, erase_to_end);
    page_finish(&p);
}

void render_live_clear(const struct render_options *o, struct buf *out)
{
    if (o->live)
        buf_format(out, "\r%s", erase_to_end);
}
