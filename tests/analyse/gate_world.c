/* SPDX-License-Identifier: MIT */
#include "gate_world.h"
#include "gate_phases.h"
#include "rng.h"
#include <math.h>
#include <string.h>

static const struct parameters {
    const char *name;
    double white, drift, burst_every_s, step_every_s, step, spikes, own;
} machines[GATE_MACHINES] = {
    [GATE_QUIET] = {"quiet", .006, .003, 60, 300, .01, .005, .001},
    [GATE_BUSY] = {"busy", .012, .015, 20, 100, .03, .02, .002},
    [GATE_LOADED] = {"loaded", .025, .03, 10, 50, .05, .04, .004},
};

enum { ROUNDS_MAX = 600 };

static const double DRIFT_S = 20, OWN_PHI = .5;

struct benchmark {
    double cost_s, white, truth; /* of one round, both builds */
    double own[2];
    double screen[ROUNDS_MAX], confirm[ROUNDS_MAX];
};

struct sim {
    const struct parameters *m;
    struct rng rng;
    double now_s, drift, step, burst, burst_until_s;
    bool together; /* one process a build for all benchmarks */
    int n;
    struct benchmark b[GATE_BENCHMARKS_MAX];
    struct gate_case c[GATE_BENCHMARKS_MAX];
    double cost_s[GATE_BENCHMARKS_MAX];
};

const char *gate_machine_name(enum gate_machine m)
{
    return machines[m].name;
}

/* ---- one run ---- */

static bool happens(struct sim *s, double seconds, double every_s)
{
    return rng_uniform(&s->rng) < -expm1(-seconds / every_s);
}

static void pass_time(struct sim *s, double seconds)
{
    const double phi = exp(-seconds / DRIFT_S);
    s->now_s += seconds;
    s->drift = phi * s->drift + sqrt(1 - phi * phi) * rng_normal(&s->rng);
    if (happens(s, seconds, s->m->step_every_s))
        s->step = s->m->step * rng_normal(&s->rng);
    if (happens(s, seconds, s->m->burst_every_s)) {
        s->burst = log1p(.1 + .2 * rng_uniform(&s->rng));
        s->burst_until_s = s->now_s - log(1 - rng_uniform(&s->rng));
    }
}

/* ln of the time of one run of this build, less what both have in common. */
static double run(struct sim *s, struct benchmark *b, int build)
{
    pass_time(s, b->cost_s / 2);
    b->own[build] = OWN_PHI * b->own[build] + sqrt(1 - OWN_PHI * OWN_PHI) * rng_normal(&s->rng);
    double v =
        (build ? b->truth : 0) + b->white * rng_normal(&s->rng) + s->m->drift * s->drift + s->step + s->m->own * b->own[build];
    if (s->now_s < s->burst_until_s)
        v += s->burst;
    if (rng_uniform(&s->rng) < s->m->spikes)
        v += log1p(.15 * exp(rng_normal(&s->rng)));
    return v;
}

/* ---- a round ---- */

static void add(struct sim *s, int at, bool confirm, double d)
{
    struct gate_case *c = &s->c[at];
    int *n = confirm ? &c->n_confirm : &c->n_screen;
    if (*n < ROUNDS_MAX)
        (confirm ? s->b[at].confirm : s->b[at].screen)[(*n)++] = d;
}

/* All chosen ones of one build, then of the other. */
static void round_together(struct sim *s, const int *at, int n, bool confirm)
{
    const int first = (int)(rng_next(&s->rng) >> 63);
    double before[GATE_BENCHMARKS_MAX];
    for (int i = 0; i < n; i++)
        before[i] = run(s, &s->b[at[i]], first);
    for (int i = 0; i < n; i++) {
        struct benchmark *b = &s->b[at[i]];
        const double d = run(s, b, !first) - before[i];
        add(s, at[i], confirm, first ? -d : d);
    }
}

/* Each in a process of its own, in one order drawn for all. */
static void round_mixed(struct sim *s, const int *at, int n, bool confirm)
{
    int order[2 * GATE_BENCHMARKS_MAX];
    double value[2 * GATE_BENCHMARKS_MAX];
    for (int i = 0; i < 2 * n; i++)
        order[i] = i;
    rng_shuffle(&s->rng, order, 2 * n);
    for (int i = 0; i < 2 * n; i++)
        value[order[i]] = run(s, &s->b[at[order[i] / 2]], order[i] % 2);
    for (int i = 0; i < n; i++)
        add(s, at[i], confirm, value[2 * i + 1] - value[2 * i]);
}

static void measure(struct sim *s, const bool *chosen, int rounds, bool confirm)
{
    int at[GATE_BENCHMARKS_MAX], n = 0;
    for (int i = 0; i < s->n; i++)
        if (chosen[i])
            at[n++] = i;
    for (int r = 0; r < rounds && n; r++)
        (s->together ? round_together : round_mixed)(s, at, n, confirm);
    for (int i = 0; i < n && !confirm; i++)
        gate_look(&s->c[at[i]]);
}

/* ---- a gate ---- */

static double student_4(struct rng *r)
{
    double chi = 0;
    for (int i = 0; i < 4; i++) {
        const double z = rng_normal(r);
        chi += z * z;
    }
    return rng_normal(r) / sqrt(chi / 4) / sqrt(2);
}

static void begin(struct sim *s, const struct gate_world *w)
{
    memset(s, 0, sizeof *s);
    s->m = &machines[w->machine];
    s->rng = rng_seeded(w->seed);
    s->n = w->benchmarks ? w->benchmarks : 40 + (int)rng_below(&s->rng, 161);
    s->together = rng_next(&s->rng) >> 63;
    s->drift = rng_normal(&s->rng);
    for (int i = 0; i < s->n; i++) {
        struct benchmark *b = &s->b[i];
        s->cost_s[i] = b->cost_s = .1 * exp(.3 * rng_normal(&s->rng));
        b->white = s->m->white * exp(.5 * rng_normal(&s->rng));
        b->truth = w->layout * (w->heavy ? student_4(&s->rng) : rng_normal(&s->rng)) + (i ? 0 : log1p(w->planted));
        s->c[i] = (struct gate_case){.limit = log1p(w->limit), .layout = w->exceed, .screen = b->screen, .confirm = b->confirm};
    }
}

static void fresh_processes(struct sim *s)
{
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 2; k++)
            s->b[i].own[k] = rng_normal(&s->rng);
}

static void judge(struct sim *s, struct gate_outcome *out)
{
    struct gate_result r[GATE_BENCHMARKS_MAX];
    *out = (struct gate_outcome){.verdict = gate_answer(s->c, s->n, .05, r), .seconds = s->now_s, .benchmarks = s->n};
    out->largest = gate_largest(s->c, s->n, .05, r);
    out->named = r[0].verdict == GATE_FAIL;
    out->passed = r[0].verdict == GATE_PASS;
    out->above = s->b[0].truth >= s->c[0].limit;
    for (int i = 0; i < s->n; i++) {
        const bool above = s->b[i].truth >= s->c[i].limit;
        out->any_above |= above;
        out->other |= i && !above && r[i].verdict == GATE_FAIL;
        out->open += r[i].verdict == GATE_CANNOT_TELL;
    }
}

/* Of phase 1, as the command ends it by time. */
static int first_rounds(const struct sim *s, double total_s)
{
    double round_s = 0;
    for (int i = 0; i < s->n; i++)
        round_s += s->cost_s[i];
    const double share = floor(GATE_FIRST_SHARE * total_s / round_s), all = floor(total_s / round_s);
    return (int)(share >= GATE_FIRST_FEWEST ? fmin(share, GATE_FIRST_MOST) : fmin(all, GATE_FIRST_FEWEST));
}

void gate_simulate(const struct gate_world *w, struct gate_outcome *out)
{
    static struct sim s;
    bool chosen[GATE_BENCHMARKS_MAX];
    begin(&s, w);
    for (int i = 0; i < s.n; i++)
        chosen[i] = true;
    fresh_processes(&s);
    measure(&s, chosen, first_rounds(&s, w->budget_s), false);
    for (int rounds; (rounds = gate_second(s.c, s.cost_s, s.n, w->budget_s - s.now_s, w->budget_s, .05, chosen)) > 0;)
        measure(&s, chosen, rounds, false);
    const int third = gate_third(s.c, s.cost_s, s.n, w->budget_s - s.now_s, .05, chosen);
    fresh_processes(&s);
    measure(&s, chosen, third, true);
    judge(&s, out);
}
