/* SPDX-License-Identifier: MIT
 *
 * `tare gate --qualify N`: what a gate is worth on this machine. The base is built twice, so whatever differs between the two builds is no change. N gates
 * of it against itself: each FAIL is false. Before each of N more, some benchmarks are drawn whose figures of the head are multiplied by what an injected
 * delay would make of them: which of them does the gate name? */
#include "gate_page.h"
#include "layout.h"
#include "rng.h"
#include "screen.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

/* Multiples of the limit. */
static const double sizes[] = {1.25, 1.5, 2, 2.5, 3, 4, 6};
enum { SIZES = sizeof sizes / sizeof *sizes, ONE_IN = 4, ENOUGH = 10 };

struct qualification {
    struct gate *g;
    int n; /* gates that were made, of each kind */
    int verdicts[GATE_NO_RESULT + 1];
    int planted[SIZES], found[SIZES];
    int named; /* benchmarks that failed without a delay beside one */
    double seconds;
};

static double limit_of(const struct gate *g)
{
    return g->n ? expm1(g->cases[0].limit) : .02;
}

/* One in four benchmarks, one at least, of which each may be drawn twice. */
static void inject(struct qualification *q, struct rng *r, int *size)
{
    struct gate *g = q->g;
    const int n = 1 + (g->n - 1) / ONE_IN;
    for (int i = 0; i < g->n; i++)
        size[i] = -1;
    for (int i = 0; i < n; i++) {
        const int at = (int)rng_below(r, (uint64_t)g->n);
        size[at] = (q->n + i) % SIZES;
        g->items[at].injected = log1p(expm1(g->cases[at].limit) * sizes[size[at]]);
    }
}

static enum tare_status make_gate(struct qualification *q, struct tare_err *err)
{
    struct gate *g = q->g;
    enum tare_status status;
    g->number++;
    status = gate_measure(g, err);
    q->seconds += g->seconds;
    if (!status)
        gate_conclude(g);
    return status;
}

static void count(struct qualification *q, const int *size)
{
    for (int i = 0; i < q->g->n; i++) {
        const bool failed = q->g->items[i].result.verdict == GATE_FAIL;
        q->named += size[i] < 0 && failed;
        if (size[i] < 0)
            continue;
        q->planted[size[i]]++;
        q->found[size[i]] += failed;
    }
}

static enum tare_status make_gates(struct qualification *q, struct tare_err *err)
{
    struct gate *g = q->g;
    struct rng r = rng_seeded(GATE_GIVEN(g->o, seed) ? g->o->seed : (uint64_t)plat_utc_ns());
    int *size = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *size);
    enum tare_status status = size ? TARE_OK : err_no_memory(err);
    for (; q->n < g->o->qualify && !status; q->n++) {
        gate_note(g, "gate %d of %d", q->n + 1, g->o->qualify);
        gate_forget(g);
        if ((status = make_gate(q, err)))
            break;
        q->verdicts[g->verdict]++;
        gate_forget(g);
        inject(q, &r, size);
        if ((status = make_gate(q, err)))
            break;
        count(q, size);
    }
    return status;
}

/* ---- what they say ---- */

static void put_rate(struct buf *b, int k, int n)
{
    struct tare_interval i;
    tare_binomial_ci_clopper_pearson(k, n, .05, &i);
    buf_format(b, "%d of %d (", k, n);
    figure_share(b, k / (double)n);
    buf_str(b, ", 95 % CI ");
    figure_share(b, i.low);
    buf_str(b, " to ");
    figure_share(b, i.high);
    buf_char(b, ')');
}

/* The least that was found so often, and so were all larger ones, of as many delays in all. NaN: none. */
static double smallest_found(const struct qualification *q)
{
    double smallest = NAN;
    int planted = 0;
    for (int i = SIZES - 1; i >= 0; i--) {
        if (q->found[i] < .9 * q->planted[i])
            break;
        planted += q->planted[i];
        if (q->planted[i] && planted >= ENOUGH)
            smallest = sizes[i] * limit_of(q->g);
    }
    return smallest;
}

static bool enough_injected(const struct qualification *q)
{
    int n = 0;
    for (int i = 0; i < SIZES; i++)
        n += q->planted[i];
    return n >= ENOUGH;
}

static void put_result(const struct qualification *q, struct page *p)
{
    buf_str(&p->piece, "FAIL without a change: ");
    put_rate(&p->piece, q->verdicts[GATE_FAIL], q->n);
    flow_line(p, 2, q->verdicts[GATE_FAIL] ? HUE_BOLD : HUE_GOOD);
    buf_format(&p->piece, "PASS %d, CANNOT TELL %d", q->verdicts[GATE_PASS], q->verdicts[GATE_CANNOT_TELL]);
    if (q->verdicts[GATE_NO_RESULT])
        buf_format(&p->piece, ", NO RESULT %d", q->verdicts[GATE_NO_RESULT]);
    flow_line(p, 2, HUE_PLAIN);
    const double smallest = smallest_found(q);
    if (!enough_injected(q))
        buf_str(&p->piece, "90 % power: not known, as there were too few injected delays");
    else if (isnan(smallest))
        buf_format(&p->piece, "90 %% power: for no slowdown up to %.2g %%", 100 * sizes[SIZES - 1] * limit_of(q->g));
    else
        buf_format(&p->piece, "90 %% power for a slowdown of %.2g %%", 100 * smallest);
    flow_line(p, 2, HUE_BOLD);
}

static void put_injected(const struct qualification *q, struct page *p)
{
    blank_line(p);
    buf_str(&p->piece, "Injected delays (the head's figures multiplied), and how many of them FAIL named:");
    flow_line(p, 2, HUE_PLAIN);
    for (int i = 0; i < SIZES; i++) {
        if (!q->planted[i])
            continue;
        buf_format(&p->piece, "%.3g %%: %d of %d", 100 * sizes[i] * limit_of(q->g), q->found[i], q->planted[i]);
        flow_line(p, 4, HUE_PLAIN);
    }
    buf_format(&p->piece, "benchmarks without a delay that were named beside them: %d", q->named);
    flow_line(p, 2, HUE_PLAIN);
    blank_line(p);
}

static enum exit_code print(const struct qualification *q)
{
    struct render_options options = screen_options(&q->g->o->display);
    struct buf text = BUF_INIT(1 << 20);
    struct page p = page_over(NULL, &options, &text);
    put_result(q, &p);
    if (!q->g->o->display.quiet) {
        put_injected(q, &p);
        figure_duration(&p.piece, q->seconds / (2 * q->n));
        buf_format(&p.piece, " a gate of %d benchmark%s; base %s, built twice", q->g->n, buf_plural(q->g->n),
                   q->g->rs.items[GATE_BASE].label);
        flow_line(&p, 2, HUE_DIM);
        if (q->n < ENOUGH) {
            buf_format(&p.piece, "%d gates bound little; make %d or more", q->n, ENOUGH);
            flow_line(&p, 2, HUE_PLAIN);
        }
    }
    page_finish(&p);
    return screen_text(q->g->cli, &q->g->o->display, &text);
}

/* 1: it fails too often, beyond chance. */
enum exit_code gate_qualify(struct gate *g)
{
    struct qualification q = {.g = g};
    struct tare_err err;
    struct tare_interval i;
    const enum tare_status status = make_gates(&q, &err);
    if (status)
        return *err.text ? cli_fail(g->cli, status == TARE_CHILD ? EXIT_CHILD : EXIT_TOOL, &err) : EXIT_TOOL;
    const enum exit_code code = print(&q);
    tare_binomial_ci_clopper_pearson(q.verdicts[GATE_FAIL], q.n, .05, &i);
    return cli_worse(code, q.verdicts[GATE_NO_RESULT] ? EXIT_CHILD : i.low > .05 ? EXIT_BAD : EXIT_ANSWERED);
}
