/* SPDX-License-Identifier: MIT
 *
 * history_models.h - seeded histories of results with known truth, for changes_sim_test.c and bench/history.sh.
 *
 *     struct made_history h = {.model = HISTORY_AR5, .n = 300, .at = 150, .shift = .02, .noise = 1};
 *     made_history_values(&h, seed, x);     // 300 values about 100, from the 150th on 2 % more
 *
 * Noise, relative, about 2 % of standard deviation:
 *     white       normal 2 %                            lognormal   exp(normal), scaled to 2 %: a sharp lower end and a long upper tail
 *     ar5, ar8    AR(1), correlation 0.5, 0.8, 2 %      spikes      normal 2 %, 3 % of values slowed by a lognormal (median 15 %, log-sd 1)
 *     quantised   normal 2 %, rounded to ticks of 2 %   coarse      normal 2 %, rounded to ticks of 5 %
 *     bimodal     normal 1 %, 30 % of values 4 % slower
 */
#ifndef HISTORY_MODELS_H
#define HISTORY_MODELS_H

#include <stdint.h>

enum history_model {
    HISTORY_WHITE,
    HISTORY_AR5,
    HISTORY_LOGNORMAL,
    HISTORY_SPIKES,
    HISTORY_QUANTISED,
    HISTORY_COARSE,
    HISTORY_BIMODAL,
    HISTORY_AR8,
    HISTORY_MODELS
};

struct made_history {
    enum history_model model;
    int n, at;           /* from `at` on the level is higher by `shift`; at = n: never */
    double shift, drift; /* drift: from the first value to the last */
    double noise;        /* times the 2 % above */
    double tick;         /* values are rounded to ticks of so many times that; 0: to those of the model */
};

const char *history_model_name(enum history_model model);
void made_history_values(const struct made_history *h, uint64_t seed, double *x);

#endif
