/* SPDX-License-Identifier: MIT */
#include "gate_world.h"
#include "gate_answer.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct parameters {
    const char *name;
    double white, drift, burst_every_s, step_every_s, step, spikes, own;
} machines[GATE_MACHINES] = {
    [GATE_QUIET] = {"quiet", .006, .003, 60, 300, .01, .005, .001},
    [GATE_BUSY] = {"busy", .012, .015, 20, 100, .03, .02, .002},
    [GATE_LOADED] = {"loaded", .025, .03, 10, 50, .05, .04, .004},
};

enum { ROUNDS_MAX = GATE_ROUNDS_MOST };

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
    double confirming_s;
    bool together; /* one process a build for all benchmarks */
    int n;
    struct benchmark b[GATE_BENCHMARKS_MAX];
    struct gate_case c[GATE_BENCHMARKS_MAX];
    struct gate_found found[GATE_BENCHMARKS_MAX];
    double cost_s[GATE_BENCHMARKS_MAX];
};

const char *gate_machine_name(enum gate_machine m)
{
    return m == GATE_MIXED ? "mixed" : machines[m].name;
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

/* Each in a process of its own, behind that of the other build; benchmarks in an order drawn anew. */
static void round_of_pairs(struct sim *s, const int *at, int n, bool confirm)
{
    int order[GATE_BENCHMARKS_MAX];
    memcpy(order, at, (size_t)n * sizeof *order);
    rng_shuffle(&s->rng, order, n);
    for (int i = 0; i < n; i++)
        round_together(s, &order[i], 1, confirm);
}

static void measure(struct sim *s, const bool *chosen, int rounds, bool confirm)
{
    int at[GATE_BENCHMARKS_MAX], n = 0;
    for (int i = 0; i < s->n; i++)
        if (chosen[i])
            at[n++] = i;
    for (int r = 0; r < rounds && n; r++)
        (s->together ? round_together : round_of_pairs)(s, at, n, confirm);
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

static const char *name_of(int benchmark)
{
    static char names[GATE_BENCHMARKS_MAX][8];
    snprintf(names[benchmark], sizeof names[benchmark], "%d", benchmark);
    return names[benchmark];
}

static void begin(struct sim *s, const struct gate_world *w)
{
    memset(s, 0, sizeof *s);
    s->rng = rng_seeded(w->seed);
    s->m = &machines[w->machine == GATE_MIXED ? (int)rng_below(&s->rng, GATE_MACHINES) : (int)w->machine];
    s->n = w->benchmarks ? w->benchmarks : 40 + (int)rng_below(&s->rng, 161);
    s->together = rng_next(&s->rng) >> 63;
    s->drift = rng_normal(&s->rng);
    for (int i = 0; i < s->n; i++) {
        struct benchmark *b = &s->b[i];
        s->cost_s[i] = b->cost_s = .1 * exp(.3 * rng_normal(&s->rng));
        b->white = s->m->white * exp(.5 * rng_normal(&s->rng));
        b->truth = w->layout * (w->heavy ? student_4(&s->rng) : rng_normal(&s->rng)) + (i ? 0 : log1p(w->planted));
        s->c[i] = (struct gate_case){.name = name_of(i),
                                     .limit = log1p(w->limit),
                                     .layout = w->exceed,
                                     .screen = b->screen,
                                     .confirm = b->confirm,
                                     .found = &s->found[i]};
    }
}

static void fresh_processes(struct sim *s)
{
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 2; k++)
            s->b[i].own[k] = rng_normal(&s->rng);
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

static void make_gate(struct sim *s, double budget_s)
{
    bool chosen[GATE_BENCHMARKS_MAX];
    for (int i = 0; i < s->n; i++)
        chosen[i] = true;
    fresh_processes(s);
    measure(s, chosen, first_rounds(s, budget_s), false);
    for (int rounds; (rounds = gate_second(s->c, s->cost_s, s->n, budget_s - s->now_s, budget_s, .05, chosen)) > 0;)
        measure(s, chosen, rounds, false);
    const int third = gate_third(s->c, s->cost_s, s->n, budget_s - s->now_s, .05, chosen);
    fresh_processes(s);
    const double before_s = s->now_s;
    measure(s, chosen, third, true);
    s->confirming_s = s->now_s - before_s;
}

/* ---- the answer ---- */

static bool above_on_all(const struct sim *s, int runners, int benchmark)
{
    bool above = true;
    for (int i = 0; i < runners; i++)
        above = above && s[i].b[benchmark].truth >= s[i].c[benchmark].limit;
    return above;
}

static void judge(const struct sim *s, int runners, const struct gate_result *r, struct gate_outcome *out)
{
    out->benchmarks = s->n;
    out->named = r[0].verdict == GATE_FAIL;
    out->passed = r[0].verdict == GATE_PASS;
    out->above = above_on_all(s, runners, 0);
    for (int i = 0; i < s->n; i++) {
        const bool above = above_on_all(s, runners, i);
        out->any_above |= above;
        out->other |= i && !above && r[i].verdict == GATE_FAIL;
        out->open += r[i].verdict == GATE_CANNOT_TELL;
    }
    for (int i = 0; i < runners; i++) {
        out->seconds = fmax(out->seconds, s[i].now_s);
        out->confirming_s = fmax(out->confirming_s, s[i].confirming_s);
    }
}

static void answer_alone(const struct sim *s, struct gate_outcome *out)
{
    struct gate_result r[GATE_BENCHMARKS_MAX];
    out->verdict = gate_answer(s->c, s->n, .05, r);
    out->largest = gate_largest(s->c, s->n, .05, r);
    judge(s, 1, r, out);
}

static void answer_merged(const struct sim *s, int runners, struct gate_outcome *out)
{
    struct gate_runner of[GATE_RUNNERS_MAX];
    static struct gate_merged merged[GATE_RUNNERS_MAX * GATE_BENCHMARKS_MAX];
    struct gate_result r[GATE_BENCHMARKS_MAX];
    int n;
    for (int i = 0; i < runners; i++)
        of[i] = (struct gate_runner){s[i].c, s[i].n};
    out->verdict = gate_merge(of, runners, .05, merged, &n);
    for (int i = 0; i < n; i++)
        r[i] = merged[i].result;
    judge(s, runners, r, out);
}

/* ---- all runners ---- */

static void begin_runner(struct sim *s, const struct sim *first, const struct gate_world *w)
{
    begin(s, w);
    const double speed = exp(.3 * rng_normal(&s->rng));
    for (int i = 0; i < s->n; i++) {
        s->b[i].cost_s = s->cost_s[i] *= speed;
        if (!w->apart)
            s->b[i].truth = first->b[i].truth;
    }
}

void gate_simulate(const struct gate_world *w, struct gate_outcome *out)
{
    static struct sim s[GATE_RUNNERS_MAX];
    const int runners = w->runners ? w->runners : 1;
    struct gate_world of = *w;
    *out = (struct gate_outcome){.largest = -INFINITY};
    begin(s, w);
    of.benchmarks = s->n;
    for (int i = 1; i < runners; i++) {
        of.seed += UINT64_C(3000000019);
        begin_runner(&s[i], s, &of);
    }
    for (int i = 0; i < runners; i++)
        make_gate(&s[i], w->budget_s);
    if (w->runners)
        answer_merged(s, runners, out);
    else
        answer_alone(s, out);
}
