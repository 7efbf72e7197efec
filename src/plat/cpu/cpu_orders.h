/* SPDX-License-Identifier: MIT
 *
 * cpu_orders.h - how a processor's cpu_reads.c makes its table of orders: one function for each order and subject, because between
 * the two reads nothing may stand but the subject, no call and no switch.
 *
 *     static inline uint64_t isb_begin(void) ...          // and isb_end; the subjects: subject_nothing() ...
 *     BRACKETS(isb)                                       // makes isb_around_nothing() ...
 *     const struct cpu_order_row cpu_order_rows[] = {{{"isb", "isb; mrs", "isb; mrs", NULL}, NULL, ROW(isb)}};
 *     const int n_cpu_order_rows = 1;
 *
 * cpu_order_calls.c answers cpu.h's calls from it. For the files of this folder only.
 */
#ifndef CPU_ORDERS_H
#define CPU_ORDERS_H

#include "cpu.h"

struct cpu_order_row {
    struct cpu_order order;
    const char *(*missing)(void); /* NULL: it is always there */
    int64_t (*bracket[SUBJECTS])(void);
};
extern const struct cpu_order_row cpu_order_rows[];
extern const int n_cpu_order_rows;

#define BRACKET(order, subject)                   \
    static int64_t order##_around_##subject(void) \
    {                                             \
        uint64_t begin = order##_begin();         \
        subject_##subject();                      \
        return (int64_t)(order##_end() - begin);  \
    }
#define BRACKETS(order)          \
    BRACKET(order, nothing)      \
    BRACKET(order, read)         \
    BRACKET(order, fence)        \
    BRACKET(order, multiply_20)  \
    BRACKET(order, multiply_100) \
    BRACKET(order, multiply_1000)
#define ROW(order)                                                                                     \
    {                                                                                                  \
        order##_around_nothing, order##_around_read, order##_around_fence, order##_around_multiply_20, \
            order##_around_multiply_100, order##_around_multiply_1000                                  \
    }

#endif
