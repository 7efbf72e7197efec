/* SPDX-License-Identifier: MIT */
#include "leak_worlds.h"
#include "rng_normal.h"
#include <math.h>

const char *leak_world_name(enum leak_world_kind kind)
{
    static const char *const names[LEAK_WORLDS] = {"gauss", "edge", "drift", "tail", "spread", "cauchy", "pareto", "ties"};
    return names[kind];
}

struct leak_world leak_world_start(enum leak_world_kind kind, uint64_t seed, double effect)
{
    return (struct leak_world){.kind = kind, .effect = effect, .rng = rng_seeded(seed)};
}

static double drift(struct leak_world *w)
{
    w->drift = .99 * w->drift + 10 * sqrt(1 - .99 * .99) * rng_normal(&w->rng);
    if (rng_uniform(&w->rng) < .001)
        w->regime = rng_below(&w->rng, 2) ? 30 : 0;
    return w->drift + w->regime;
}

static double units(struct leak_world *w, int class)
{
    double u = rng_uniform(&w->rng), shift = class ? w->effect : 0;
    switch (w->kind) {
    case LEAK_WORLD_EDGE:
        return 100 + shift - 1.6 * log1p(-u);
    case LEAK_WORLD_DRIFT:
        return 300 + shift + drift(w) + 7.3 * rng_normal(&w->rng);
    case LEAK_WORLD_TAIL:
        return 300 + 10 * rng_normal(&w->rng) + (class && u < w->effect ? 100 : 0);
    case LEAK_WORLD_SPREAD:
        return 300 + 10 * (1 + shift) * rng_normal(&w->rng);
    case LEAK_WORLD_CAUCHY:
        return fabs(300 + shift + 5 * tan(3.14159265358979 * (u - .5)));
    case LEAK_WORLD_PARETO:
        return 100 + shift + 10 * pow(1 - u, -1 / .8);
    case LEAK_WORLD_TIES:
        return 25 * floor((300 + shift + 10 * rng_normal(&w->rng)) / 25);
    case LEAK_WORLD_GAUSS:
    case LEAK_WORLDS:
        break;
    }
    return 300 + shift + 10 * rng_normal(&w->rng);
}

uint32_t leak_world_call(struct leak_world *w, int class)
{
    double ticks = floor(LEAK_WORLD_UNIT * units(w, class));
    return ticks < UINT32_MAX ? (uint32_t)fmax(ticks, 0) : UINT32_MAX;
}

void leak_world_blocks(struct leak_world *w, int n, uint8_t *class, uint32_t *ticks)
{
    for (int i = 0; i < n; i++) {
        class[2 * i] = (uint8_t)rng_below(&w->rng, 2);
        class[2 * i + 1] = !class[2 * i];
        for (int k = 0; k < 2; k++)
            ticks[2 * i + k] = leak_world_call(w, class[2 * i + k]);
    }
}
