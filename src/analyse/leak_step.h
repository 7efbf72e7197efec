/* SPDX-License-Identifier: MIT
 *
 * leak_step.h - the step of the clock that recorded times show.
 *
 *     double step = leak_step_of(times, n, .01, scratch);     // times of two decimals
 *
 * How, and what it cannot find: leak_step.c. It allocates nothing.
 */
#ifndef LEAK_STEP_H
#define LEAK_STEP_H

#include <stddef.h>
#include <stdint.h>

struct leak_step_value {
    double at;
    int64_t calls;
};
/* n finite times, which it uses as scratch memory; unit: the last decimal place that they have, above 0; scratch: n values. At least `unit`; NaN: fewer than two
 * different times. */
double leak_step_of(double *times, ptrdiff_t n, double unit, struct leak_step_value *scratch);

#endif
