/* SPDX-License-Identifier: MIT
 *
 * leak_state.h - what the leak engine remembers between blocks. Used by leak_engine.c, which writes it, and leak_reading.c.
 */
#ifndef LEAK_STATE_H
#define LEAK_STATE_H

#include "leak_core.h"

struct leak_engine {
    struct leak_rule rule;
    struct leak_facts facts;
    struct leak_test_set at[LEAK_KINDS];
    struct leak_histogram histogram[LEAK_CLASSES_MAX]; /* of MAIN behind the warm-up */
    double base, margin;                               /* known once MAIN is warm */
    double least, most;                                /* times of MAIN behind the warm-up */
    struct leak_running order;                         /* last place less first */
    int64_t found_after, calls;
    struct leak_spike spike;
    int looks;
    int64_t looks_made, look_every;
    struct leak_look look[LEAK_SERIES_MAX];
    int epochs;
    int64_t epoch_rounds, rounds_in_epoch, epoch_blocks;
    double epoch_sum[LEAK_CLASSES_MAX];
    struct leak_epoch epoch[LEAK_EPOCHS_MAX];
    double *scratch;
};

struct leak_look leak_look_now(const struct leak_engine *e);

#endif
