/* SPDX-License-Identifier: MIT
 *
 * `tare gate --qualify N`: what a gate is worth on this machine. N gates of two builds of the base, made anew for each: what differs between
 * them is no change, so each FAIL is false. N more of the same builds, in each of which one benchmark is drawn whose figures of the head are multiplied by
 * what an injected delay would make of them: does the gate name it? */
#include "gate_page.h"
#include "gate_qualify.h"
#include "layout.h"
#include "rng.h"
#include "screen.h"
#include <math.h>

/* Multiples of the limit, one after the other. */
static const double sizes[] = {1.5, 2.5, 5};
enum { SIZES = sizeof sizes / sizeof *sizes, ENOUGH = 20 };

struct trials {
    struct gate *g;
    struct gate_trial *items; /* without an injected delay and with one in turns */
    int n;
    int beside; /* benchmarks that failed without a delay beside one */
    double seconds;
    double limit; /* the largest before the first gate: in a later one its benchmark may be skipped */
};

/* The largest of those that can fail: a delay that the gate finds there it finds where less is allowed. */
static double largest_limit(const struct gate *g)
{
    double limit = 0;
    for (int i = 0; i < g->n; i++)
        limit = gate_asked(&g->items[i]) ? fmax(limit, expm1(g->cases[i].limit)) : limit;
    return limit;
}

static int draw_benchmark(const struct gate *g, struct rng *r)
{
    int at = (int)rng_below(r, (uint64_t)g->n);
    for (int i = 0; i < g->n && !gate_asked(&g->items[at]); i++)
        at = (at + 1) % g->n;
    return at;
}

/* What two builds of one source differ by is drawn once a gate. */
static enum tare_status build_again(struct gate *g, struct tare_err *err)
{
    const enum tare_status status = gate_sides_build_again(g, err);
    return status ? status : gate_benchmarks_find(g, err);
}

/* at: the benchmark with the delay, -1: none. */
static enum tare_status make_gate(struct trials *t, int at, double size, struct tare_err *err)
{
    struct gate *g = t->g;
    gate_forget(g);
    enum tare_status status = at < 0 && t->n ? build_again(g, err) : TARE_OK;
    if (at >= 0)
        g->items[at].injected = log1p(size);
    g->number++;
    if (!status)
        status = gate_measure(g, err);
    if (status)
        return status;
    gate_conclude(g);
    t->seconds += g->seconds;
    struct gate_trial *trial = &t->items[t->n++];
    *trial = (struct gate_trial){.planted = at < 0 ? 0 : size, .verdict = g->verdict, .largest = gate_largest_of(g)};
    for (int i = 0; at >= 0 && i < g->n; i++) {
        const bool failed = g->items[i].result.verdict == GATE_FAIL;
        trial->named = trial->named || (failed && i == at);
        t->beside += failed && i != at;
    }
    return TARE_OK;
}

static enum tare_status make_gates(struct trials *t, struct tare_err *err)
{
    struct gate *g = t->g;
    t->limit = largest_limit(g);
    struct rng r = rng_seeded(GATE_GIVEN(g->o, seed) ? g->o->seed : (uint64_t)plat_utc_ns());
    enum tare_status status = TARE_OK;
    t->items = arena_array(g->cli->arena, 2 * (size_t)g->o->qualify, sizeof *t->items);
    if (!t->items)
        return err_no_memory(err);
    for (int i = 0; i < g->o->qualify && !status; i++) {
        gate_note(g, "gate %d of %d", i + 1, g->o->qualify);
        status = make_gate(t, -1, 0, err);
        if (!status)
            status = make_gate(t, draw_benchmark(g, &r), sizes[i % SIZES] * t->limit, err);
    }
    return status;
}

static void put_interval(struct buf *b, const struct tare_interval *i)
{
    buf_str(b, " (95 % CI ");
    figure_share(b, i->low);
    buf_str(b, " to ");
    figure_share(b, i->high);
    buf_char(b, ')');
}

static void put_rate(const struct gate_qualified *q, struct page *p)
{
    buf_format(&p->piece, "without a change: %d of %d FAIL", q->failed, q->equal);
    put_interval(&p->piece, &q->false_positive);
    buf_format(&p->piece, ", %d PASS, %d CANNOT TELL", q->passed, q->undecided);
    flow_line(p, 2, q->failed ? HUE_BOLD : HUE_GOOD);
}

static void put_seen(const struct trials *t, const struct gate_qualified *q, struct page *p)
{
    const double most = sizes[SIZES - 1] * t->limit;
    if (isnan(q->seen))
        buf_format(&p->piece, "90 %% power for no slowdown up to %.3g %%", 100 * most);
    else {
        buf_format(&p->piece, "90 %% power for a slowdown of %.3g %%", 100 * q->seen);
        put_interval(&p->piece, &q->seen_share);
    }
    flow_line(p, 2, HUE_BOLD);
}

static void put_injected(const struct trials *t, struct page *p)
{
    buf_str(&p->piece, "injected delays (one benchmark of the head, its figures multiplied) that FAIL named:");
    for (int k = 0; k < SIZES; k++) {
        int n = 0, named = 0;
        for (int i = 0; i < t->n; i++) {
            const bool of = fabs(t->items[i].planted - sizes[k] * t->limit) < 1e-12 && t->items[i].verdict != GATE_NO_RESULT;
            n += of;
            named += of && t->items[i].named;
        }
        if (n)
            buf_format(&p->piece, "%s %.3g %%: %d of %d", k ? "," : "", 100 * sizes[k] * t->limit, named, n);
    }
    buf_format(&p->piece, "; others named beside them: %d", t->beside);
    flow_line(p, 2, HUE_PLAIN);
}

static void put_layout(const struct gate_qualified *q, struct page *p)
{
    if (q->layout > 0)
        buf_format(&p->piece, "--layout %.2g%% makes a FAIL exceed what the two builds differ by here", 100 * expm1(q->layout));
    flow_line(p, 2, HUE_PLAIN);
}

static enum exit_code print(const struct trials *t, const struct gate_qualified *q)
{
    const struct gate *g = t->g;
    struct render_options options = screen_options(&g->o->display);
    struct buf text = BUF_INIT(1 << 20);
    struct page p = page_over(NULL, &options, &text);
    put_rate(q, &p);
    put_seen(t, q, &p);
    if (!g->o->display.quiet) {
        put_injected(t, &p);
        put_layout(q, &p);
        figure_duration(&p.piece, t->seconds / t->n);
        buf_format(&p.piece, " a gate of %d benchmark%s; base %s, built twice for each", g->n, buf_plural(g->n),
                   g->rs.items[GATE_BASE].label);
        flow_line(&p, 2, HUE_DIM);
        if (q->equal < ENOUGH)
            buf_format(&p.piece, "%d gates show little: --qualify %d", q->equal, ENOUGH);
        flow_line(&p, 2, HUE_PLAIN);
    }
    page_finish(&p);
    return screen_text(g->cli, &g->o->display, &text);
}

static bool asks_any(const struct gate *g)
{
    bool any = false;
    for (int i = 0; i < g->n; i++)
        any |= gate_asked(&g->items[i]);
    return any;
}

/* 1: it fails too often, beyond chance. */
enum exit_code gate_try(struct gate *g)
{
    struct trials t = {.g = g};
    struct gate_qualified q;
    struct tare_err err;
    if (!asks_any(g)) {
        err_set(&err, TARE_INVALID, "--qualify: every benchmark is a control or accepted, so no gate of them can fail");
        return cli_refuse(g->cli, TARE_INVALID, &err);
    }
    const enum tare_status status = make_gates(&t, &err);
    if (status)
        return *err.text ? cli_fail(g->cli, status == TARE_CHILD ? EXIT_CHILD : EXIT_TOOL, &err) : EXIT_TOOL;
    gate_qualify(t.items, t.n, &q);
    const enum exit_code code = print(&t, &q);
    return cli_worse(code, q.equal < g->o->qualify ? EXIT_CHILD : q.false_positive.low > .05 ? EXIT_BAD : EXIT_ANSWERED);
}
