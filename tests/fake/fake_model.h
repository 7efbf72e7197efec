/* SPDX-License-Identifier: MIT
 *
 * fake_model.h - how a scripted quantity comes about: a sum of terms, drawn once per run. Language: fake.h.
 *
 *     double ns = fake_model_draw(&program->wall, &program->rng, run, 0);
 *
 * Pure but for the state that ar keeps. Terms live in the script's arena.
 */
#ifndef FAKE_MODEL_H
#define FAKE_MODEL_H

#include "rng.h"
#include <stdbool.h>
#include <stdint.h>

enum fake_term_kind {
    TERM_CONST,
    TERM_UNIFORM,
    TERM_NORMAL,
    TERM_LOGNORMAL,
    TERM_BIMODAL,
    TERM_SPIKES,
    TERM_DRIFT,
    TERM_AR,
    TERM_LIST
};

struct fake_value { /* a quantity in base units, or a share of something */
    double amount;
    bool share;
};

struct fake_term {
    enum fake_term_kind kind;
    struct fake_value a, b;
    double chance; /* share of spikes or of the second mode; correlation of ar */
    const struct fake_value *list;
    int n_list;
    double state; /* of ar: last deviation in standard deviations */
    struct fake_term *next;
};

struct fake_model {
    struct fake_term *terms; /* NULL: nothing was said */
};

/* run: 1 for the first. wall: what shares are taken of. The result is finite and not negative, in base units, not rounded. */
double fake_model_draw(struct fake_model *m, struct rng *r, int64_t run, double wall);

#endif
