/* SPDX-License-Identifier: MIT */
#include "fake_model.h"
#include "rng_normal.h"
#include <math.h>
#include <stddef.h>

static double exponential(struct rng *r, double mean)
{
    return -mean * log1p(-rng_uniform(r));
}

/* Stationary from the first draw on: the standard deviation holds for every run. */
static double autoregressive(struct fake_term *t, struct rng *r, int64_t run)
{
    double fresh = rng_normal(r);
    t->state = run <= 1 ? fresh : t->chance * t->state + sqrt(1 - t->chance * t->chance) * fresh;
    return t->state;
}

static double draw_term(struct fake_term *t, struct rng *r, int64_t run, double wall)
{
    double a = t->a.share ? t->a.amount * wall : t->a.amount;
    double b = t->b.share ? t->b.amount * (t->kind == TERM_UNIFORM || t->kind == TERM_BIMODAL ? wall : a) : t->b.amount;
    switch (t->kind) {
    case TERM_CONST:
        return a;
    case TERM_UNIFORM:
        return a + (b - a) * rng_uniform(r);
    case TERM_NORMAL:
        return a + b * rng_normal(r);
    case TERM_LOGNORMAL:
        return a * exp(t->b.amount * rng_normal(r));
    case TERM_BIMODAL:
        return rng_uniform(r) < t->chance ? b : a;
    case TERM_SPIKES:
        return rng_uniform(r) < t->chance ? a + exponential(r, b) : a;
    case TERM_DRIFT:
        return a + b * (double)(run - 1);
    case TERM_AR:
        return a + b * autoregressive(t, r, run);
    case TERM_LIST: {
        const struct fake_value *v = &t->list[(run - 1) % t->n_list];
        return v->share ? v->amount * wall : v->amount;
    }
    }
    return 0;
}

double fake_model_draw(struct fake_model *m, struct rng *r, int64_t run, double wall)
{
    double sum = 0;
    for (struct fake_term *t = m->terms; t; t = t->next)
        sum += draw_term(t, r, run, wall);
    return sum > 0 ? sum : 0;
}
