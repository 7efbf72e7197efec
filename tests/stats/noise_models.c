/* SPDX-License-Identifier: MIT */
#include "noise_models.h"
#include "rng_normal.h"
#include <math.h>

static const struct parameters {
    const char *name;
    double white, ar;               /* standard deviations */
    double spike_share, spike_size; /* share of runs; median of the slowdown */
    double mode_share, mode_size;
    double rise; /* standard deviation of the line's total rise */
} models[NOISE_MODELS] = {
    [NOISE_IID] = {.name = "iid", .white = .015},
    [NOISE_IID5] = {.name = "iid5", .white = .05},
    [NOISE_SPIKE] = {.name = "spike", .white = .01, .spike_share = .02, .spike_size = .15},
    [NOISE_BIMOD] = {.name = "bimod", .white = .01, .mode_share = .3, .mode_size = .04},
    [NOISE_AR] = {.name = "ar", .white = .005, .ar = .015},
    [NOISE_DRIFT] = {.name = "drift", .white = .01, .rise = .03},
    [NOISE_MIXED] = {.name = "mixed",
                     .white = .01,
                     .ar = .01,
                     .spike_share = .02,
                     .spike_size = .1,
                     .mode_share = .25,
                     .mode_size = .02,
                     .rise = .02},
    [NOISE_QUIET] = {.name = "quiet", .white = .006, .ar = .002, .spike_share = .005, .spike_size = .15},
};

static const double PHI = .9;

const char *noise_model_name(enum noise_model model)
{
    return models[model].name;
}

struct noise noise_start(enum noise_model model, uint64_t seed, int length)
{
    struct noise s = {.model = model, .rng = rng_seeded(seed), .length = length};
    s.ar = rng_normal(&s.rng);
    s.rise = models[model].rise * rng_normal(&s.rng);
    return s;
}

double noise_next(struct noise *s)
{
    const struct parameters *p = &models[s->model];
    double v = p->white * rng_normal(&s->rng);
    s->ar = PHI * s->ar + sqrt(1 - PHI * PHI) * rng_normal(&s->rng);
    v += p->ar * s->ar;
    if (rng_uniform(&s->rng) < p->spike_share)
        v += log1p(p->spike_size * exp(rng_normal(&s->rng)));
    if (rng_uniform(&s->rng) < p->mode_share)
        v += log1p(p->mode_size);
    return v + s->rise * s->run++ / s->length;
}

void noise_pairs(struct noise *s, double log_ratio, double *d, int n)
{
    for (int i = 0; i < n; i++) {
        double first = noise_next(s), second = noise_next(s);
        d[i] = log_ratio + (rng_next(&s->rng) >> 63 ? first - second : second - first);
    }
}
