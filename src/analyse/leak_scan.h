/* SPDX-License-Identifier: MIT
 *
 * leak_scan.h - which bits of a secret change the time. All inputs random, every bit a coin of its own.
 *
 *     struct leak_scan *s;
 *     leak_scan_create(secret_bytes, &rule, &s, &err);
 *     for each round, a process of its own:
 *         leak_scan_calls(s, LEAK_MAIN, n, secret, ticks);   // secret[i * secret_bytes + b], each bit fair and independent
 *         leak_scan_calls(s, LEAK_AA, ...); leak_scan_calls(s, LEAK_SPIKE, ...);
 *         leak_scan_facts(s, &facts);
 *         leak_scan_round(s);
 *     struct leak_bit *bits = calloc(8 * secret_bytes, sizeof *bits);
 *     leak_scan_read(s, &reading, bits);
 *     leak_scan_destroy(s);
 *
 * How: leak_scan.c. Bit b of the secret is bit b % 8 (1 << b % 8) of byte b / 8. It sees bits one by one, and the number of ones; what
 * only a pair of bits together changes it does not see. Memory: about 200 bytes a bit, and 250 KB.
 */
#ifndef LEAK_SCAN_H
#define LEAK_SCAN_H

#include "leak_engine.h"

enum { LEAK_SECRET_MAX = 8192 }; /* bytes */

struct leak_scan;

/* Of the rule: alpha, confidence, warmup_blocks (here calls), tight_blocks (of the self-checks), margin, selfchecks and their alpha. INVALID: bytes not in 1..LEAK_SECRET_MAX. */
enum tare_status leak_scan_create(int secret_bytes, const struct leak_rule *rule, struct leak_scan **out, struct tare_err *err);
void leak_scan_destroy(struct leak_scan *s);
/* MAIN: the secret of the input of each call. AA: that of another input, which was made for the call and not called with. SPIKE: likewise, bit 0
 * being a coin, and the call delayed where it is set. */
void leak_scan_calls(struct leak_scan *s, enum leak_kind kind, int64_t n, const uint8_t *secret, const uint32_t *ticks);
void leak_scan_facts(struct leak_scan *s, const struct leak_facts *f); /* as leak_engine_facts */
void leak_scan_round(struct leak_scan *s);                             /* the end of a process: a look */

struct leak_bit {
    double log_e;
    struct tare_interval
        ticks;  /* mean time with the bit set less without, clipped at 99 %, over processes; holds for all bits at once */
    bool leaks; /* by e-BH over all bits and the weight */
};

struct leak_scan_reading {
    enum leak_verdict verdict; /* leak, no_leak (all intervals inside the margin), leak_small, undecided, invalid */
    enum leak_reason why;
    bool stop;
    int64_t calls, processes; /* processes: that the sizes are over */
    double margin_ticks, median_ticks;
    double log_e; /* of everything: the average over bits and the weight */
    double log_e_most;
    int fixed;                         /* bits that never changed: not judged, and with any of them the number of ones is not */
    int bits, leaking;                 /* bits that leak */
    int worst;                         /* the bit of strongest evidence */
    double weight_log_e;               /* of the number of ones */
    struct tare_interval weight_ticks; /* for one more bit set */
    bool weight_leaks;
    bool unfair;                 /* it cannot be by chance: 1 in 10^9; then the verdict is invalid */
    double calls_needed;         /* more, until a word; NaN */
    struct leak_selfcheck check; /* calls for blocks; order is not looked at */
};
/* bits: 8 * secret_bytes, written. False: no memory for e-BH; nothing is written. */
bool leak_scan_read(const struct leak_scan *s, struct leak_scan_reading *out, struct leak_bit *bits);

#endif
