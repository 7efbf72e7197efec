/* SPDX-License-Identifier: MIT */
#include "history_models.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>

static const char *const names[HISTORY_MODELS] = {
    [HISTORY_WHITE] = "white",     [HISTORY_AR5] = "AR(1) 0.5",       [HISTORY_LOGNORMAL] = "log-normal",
    [HISTORY_SPIKES] = "outliers", [HISTORY_QUANTISED] = "quantised", [HISTORY_COARSE] = "coarse",
    [HISTORY_BIMODAL] = "bimodal", [HISTORY_AR8] = "AR(1) 0.8"};

const char *history_model_name(enum history_model model)
{
    return names[model];
}

struct source {
    struct rng rng;
    double ar;
};

static double correlated(struct source *s, double phi)
{
    return s->ar = phi * s->ar + sqrt(1 - phi * phi) * rng_normal(&s->rng);
}

/* The relative deviation of the next value. */
static double deviation(struct source *s, enum history_model model)
{
    switch (model) {
    case HISTORY_AR5:
        return .02 * correlated(s, .5);
    case HISTORY_AR8:
        return .02 * correlated(s, .8);
    case HISTORY_LOGNORMAL:
        return .02 * (exp(rng_normal(&s->rng)) - exp(.5)) / sqrt(exp(2) - exp(1));
    case HISTORY_SPIKES: {
        const double plain = .02 * rng_normal(&s->rng);
        return rng_uniform(&s->rng) < .03 ? plain + .15 * exp(rng_normal(&s->rng)) : plain;
    }
    case HISTORY_BIMODAL: {
        const double plain = .01 * rng_normal(&s->rng);
        return rng_uniform(&s->rng) < .3 ? plain + .04 : plain;
    }
    default:
        return .02 * rng_normal(&s->rng);
    }
}

void made_history_values(const struct made_history *h, uint64_t seed, double *x)
{
    struct source s = {.rng = rng_seeded(seed)};
    s.ar = rng_normal(&s.rng);
    const double of_model = h->model == HISTORY_QUANTISED ? 1 : h->model == HISTORY_COARSE ? 2.5 : 0;
    const double tick = h->noise * .02 * (h->tick > 0 ? h->tick : of_model);
    const double phase = rng_uniform(&s.rng); /* where between two ticks the level lies */
    for (int i = 0; i < h->n; i++) {
        const double level = (i >= h->at ? h->shift : 0) + (h->n > 1 ? h->drift * i / (h->n - 1) : 0);
        const double value = level + h->noise * deviation(&s, h->model);
        x[i] = 100 * (1 + (tick > 0 ? tick * rint(value / tick + phase) : value));
    }
}
