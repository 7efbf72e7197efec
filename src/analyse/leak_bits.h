/* SPDX-License-Identifier: MIT
 *
 * leak_bits.h - one question of a scan (the target, A/A or the planted delay): what is kept of each bit, its evidence, and the size
 * of its effect.
 */
#ifndef LEAK_BITS_H
#define LEAK_BITS_H

#include "leak_core.h"
#include "leak_scan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHEET_MEANS = LEAK_JUDGED, SHEET_SCORES = SHEET_MEANS + 1, SHEET_COINS = 2, SHEET_FEELERS = SHEET_SCORES + SHEET_COINS };

struct leak_sheet_sums { /* over calls */
    int64_t n;
    double total[SHEET_FEELERS], square[SHEET_SCORES]; /* of the scores; of 1 for the coins */
};

struct leak_sheet_bit {
    double sum[SHEET_FEELERS]; /* over the calls with the bit set */
    int64_t set;
};

struct leak_sheet {
    const struct leak_rule *rule;
    int bytes, bits;
    bool warm;
    int64_t n, warmup, warmup_calls, next_look;
    struct leak_moves moves;
    struct leak_limits limits;
    double centre[SHEET_SCORES], scale[SHEET_SCORES]; /* mean of the scores in the past; mean square in the warm-up */
    double median;
    struct leak_sheet_sums all;
    struct leak_running weight[SHEET_MEANS];
    double weight_scale[SHEET_MEANS], least, most, log_e, log_e_most;
    int64_t found_after;
    struct leak_sample recent;
    struct leak_sheet_bit *bit;
    double *scratch; /* shared */
};

bool leak_sheet_start(struct leak_sheet *s, int bytes, const struct leak_rule *rule, int64_t warmup, double *scratch);
void leak_sheet_finish(struct leak_sheet *s);
void leak_sheet_call(struct leak_sheet *s, const uint8_t *secret, double t);
void leak_sheet_scores(const struct leak_sheet *s, double t, double *v); /* SHEET_FEELERS */

/* ---- sizes over processes ---- */

struct leak_bit_size {
    double sum, ones; /* at the end of the last process that counts */
    struct leak_running over;
};

struct leak_bit_sizes { /* over processes */
    int64_t processes, calls, warmup;
    double total;
    struct leak_bit_size *of; /* of each bit; behind them, of the weight */
};

bool leak_bit_sizes_start(struct leak_bit_sizes *z, int bits);
void leak_bit_sizes_finish(struct leak_bit_sizes *z);
void leak_bit_sizes_end_process(struct leak_bit_sizes *z, const struct leak_sheet *s);
/* bit: s->bits for the weight. NaN and unbounded: no process has ended, or the bit never changed (of the weight: any). */
struct tare_interval leak_bit_sizes_read(const struct leak_bit_sizes *z, const struct leak_sheet *s, int bit, double level);

#endif
