/* SPDX-License-Identifier: MIT
 *
 * arcs_record.h - records of traced programs, made run by run, for tests of what is said of arcs.
 *
 *     begin(&r, 1);
 *     int a = point(&r, 0, 1, "f", ""), b = point(&r, 0, 2, "f", "");
 *     for (int i = 0; i < 3; i++)
 *         passed(&r, run(&r, 0, i, 1, 40), a, b, 10, 200);      // ten passages of 200 units, the probe weighs 40
 *     analyse(&r, 3);
 *     ... result(&r, a, b)->mean_ns ...
 *
 * A unit is half a nanosecond.
 */
#ifndef ARCS_RECORD_H
#define ARCS_RECORD_H

#include "arcs.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void begin(struct record *r, int subjects); /* named a and b */
int point(struct record *r, int subject, int line, const char *func, const char *name);
int run(struct record *r, int subject, int round, int repeat, double weight);
void passed(struct record *r, int of_run, int from, int to, uint64_t n, int64_t units); /* all of the same time */
void analyse(struct record *r, int rounds);                                             /* one look, at 95 % */
const struct arc_result *result(const struct record *r, int from, int to);

void arcs_close_to(double actual, double expected, const char *what, int line);
#define assert_close(actual, expected) arcs_close_to(actual, expected, #actual, __LINE__)

#endif
