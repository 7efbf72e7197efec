/* SPDX-License-Identifier: MIT */
#include "worlds.h"
#include <math.h>

const struct world_model world_models[] = {
    {.name = "iid", .white = 0.015},
    {.name = "iid5", .white = 0.05},
    {.name = "spike", .white = 0.01, .spike_share = 0.02, .spike_median = 0.15},
    {.name = "bimod", .white = 0.01, .mode_share = 0.3, .mode_step = 0.04},
    {.name = "quiet", .white = 0.006, .ar = 0.002, .ar_phi = 0.9, .spike_share = 0.005, .spike_median = 0.15},
    {.name = "ar", .white = 0.005, .ar = 0.015, .ar_phi = 0.9},
    {.name = "drift", .white = 0.01, .slope = 0.03},
    {.name = "mixed",
     .white = 0.01,
     .ar = 0.01,
     .ar_phi = 0.9,
     .spike_share = 0.02,
     .spike_median = 0.10,
     .mode_share = 0.25,
     .mode_step = 0.02,
     .slope = 0.02},
};

struct world world_begin(const struct world_model *model, double effect, uint64_t seed)
{
    struct world w = {.model = model, .rng = rng_seeded(seed), .effect = effect, .base_ns = 5e6, .span_ns = 1e9};
    w.state = model->ar * rng_normal(&w.rng);
    w.slope = model->slope * rng_normal(&w.rng);
    return w;
}

double world_run_ns(void *world, int subject, int round, int slot, double elapsed_ns)
{
    (void)round, (void)slot;
    struct world *w = world;
    const struct world_model *m = w->model;
    w->state = m->ar_phi * w->state + m->ar * sqrt(1 - m->ar_phi * m->ar_phi) * rng_normal(&w->rng);
    double noise = m->white * rng_normal(&w->rng) + w->state + w->slope * elapsed_ns / w->span_ns;
    if (rng_uniform(&w->rng) < m->spike_share)
        noise += log1p(m->spike_median * exp(rng_normal(&w->rng)));
    if (rng_uniform(&w->rng) < m->mode_share)
        noise += log1p(m->mode_step);
    return w->base_ns * exp(noise + (subject ? w->effect : 0));
}
