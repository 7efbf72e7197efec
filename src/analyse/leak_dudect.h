/* SPDX-License-Identifier: MIT
 *
 * leak_dudect.h - what dudect, and lab0-c's variants of it, would say of the same stream of calls: as published, and with its plain
 * defects taken out. For comparison; no verdict of ours comes from here.
 *
 *     struct leak_dudect_rule rule = leak_dudect_rule_default();      // or leak_dudect_rule_lab0()
 *     struct leak_dudect *d;
 *     leak_dudect_create(&rule, &d, &err);
 *     leak_dudect_calls(d, n, class, ticks);                          // in the order of the calls, classes 0 and 1; others are passed over
 *     leak_dudect_read(d, &reading);
 *     leak_dudect_destroy(d);
 *
 * How, and which defects: leak_dudect.c.
 */
#ifndef LEAK_DUDECT_H
#define LEAK_DUDECT_H

#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum { LEAK_DUDECT_TESTS_MAX = 102, LEAK_DUDECT_MEASUREMENTS_MAX = 1000000 };

struct leak_dudect_rule {
    int measurements; /* of a batch: 10000; lab0: 150 */
    int drop;         /* at each end of a batch that are not used: dudect 10 at its start and 1 at its end; lab0 20 at both */
    int drop_end;
    int percentiles;      /* cropped tests: 100; 0: off */
    int order;            /* 1: means; 2: squares too */
    double threshold;     /* 10, or 4.5 */
    double least;         /* samples of class 0 before a test may speak: 10000; lab0: 0 */
    bool sorted_in_place; /* lab0 of 2025: limits from each batch, which is sorted for them before its times meet their classes */
    int batches;          /* of a try; lab0: 91. 0: one try that never ends */
    int tries;            /* lab0: 10, any of which may pass */
};
struct leak_dudect_rule leak_dudect_rule_default(void);
/* As lab0-c had it until 2025: one Welch test of all times, uncropped, over up to ten tries. With percentiles set to 100 and sorted_in_place it is that of
 * 2025. */
struct leak_dudect_rule leak_dudect_rule_lab0(void);

enum leak_dudect_word {
    LEAK_DUDECT_NOT_YET,
    LEAK_DUDECT_MAYBE,
    LEAK_DUDECT_PROBABLY_NOT,
    LEAK_DUDECT_DEFINITELY_NOT,
    LEAK_DUDECT_WORDS
};
/* "not enough measurements", "for the moment, maybe constant time", "probably not constant time", "definitely not constant time" */
const char *leak_dudect_word_text(enum leak_dudect_word w);

struct leak_dudect_said {
    enum leak_dudect_word word; /* at the last batch */
    double t;                   /* of the test with the largest |t|, signed */
    double samples;             /* n of that test */
    int test;                   /* 0 raw, 1..percentiles cropped, percentiles + 1 second order */
    double t_most;              /* largest |t| at any batch: it looks at all of them */
    int64_t over_after;         /* calls until |t| first went over the threshold; -1: never */
    bool passed, over;          /* lab0: one of the tries did; that, or all failed: it says no more */
    int tries;                  /* that are over */
};

struct leak_dudect_reading {
    struct leak_dudect_said published, corrected;
    double t_second; /* of the test of the corrected set that no crop touches; NaN */
    /* Of the corrected set: t of each crop with how much of the calls it takes; NaN: too few calls, or no test of its own. */
    int n_crops;
    double crop_t[LEAK_DUDECT_TESTS_MAX], crop_part[LEAK_DUDECT_TESTS_MAX];
    double t_raw; /* of all times; NaN */
};

struct leak_dudect;
enum tare_status leak_dudect_create(const struct leak_dudect_rule *rule, struct leak_dudect **out, struct tare_err *err);
void leak_dudect_destroy(struct leak_dudect *d);
void leak_dudect_calls(struct leak_dudect *d, int64_t n, const uint8_t *class, const uint32_t *ticks);
void leak_dudect_read(const struct leak_dudect *d, struct leak_dudect_reading *out);

#endif
