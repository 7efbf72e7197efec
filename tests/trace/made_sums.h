/* SPDX-License-Identifier: MIT
 *
 * made_sums.h - sums of made traces, found by lines. A failure fails the test.
 */
#ifndef MADE_SUMS_H
#define MADE_SUMS_H

#include "made_trace.h"
#include "trace_sums.h"
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

void check(enum tare_status status, const struct tare_err *err);
void add(struct trace_sums *s, struct made *m);
struct trace_sums *new_sums(int workers);
struct trace_sums *sums_of(struct made *m, int workers);
int number_of(const struct trace_sums *s, uint32_t line);
const struct trace_arc_sum *arc(const struct trace_sums *s, uint32_t from, uint32_t to); /* between two lines */
const struct trace_arc_sum *arc_in(const struct trace_sums *s, uint32_t from, uint32_t to, int group);
int arc_count(const struct trace_sums *s);
uint64_t passes(const struct trace_sums *s, uint32_t line);
void begin_with(struct made *m, int n); /* points of the lines 1 to n, whose ids are those of the lines */

#define assert_sum(a, count, total)                                                                                              \
    do {                                                                                                                         \
        const struct trace_arc_sum *arc_ = (a);                                                                                  \
        if (arc_->n != (uint64_t)(count) || arc_->sum != (int64_t)(total))                                                       \
            fail_msg("line %d: n %llu sum %lld, not %llu and %lld", __LINE__, (unsigned long long)arc_->n, (long long)arc_->sum, \
                     (unsigned long long)(count), (long long)(total));                                                           \
    } while (0)

#endif
