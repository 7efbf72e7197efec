/* SPDX-License-Identifier: MIT
 *
 * history_numbers.h - the values of a result as members of its line, exactly and in few bytes.
 *
 *     history_numbers_write(&j, x, n);                        // "vlq":"qpgtB0G9...", or "values":[0.1,...]
 *     status = history_numbers_read(line, &x, &n, &err);
 *
 * Where all values are whole numbers once they are multiplied by a power of ten up to 10^12, which stands as `decimals` unless it is 10^0, they are written as the numbers
 * of source maps are: base 64 VLQ, the sign in the lowest bit, five bits a digit, lowest first. The first number is the median, the others are differences
 * from it, in the order of measuring: 30 times that scatter by 1 % take some 100 bytes. Other values, and null for what is none, make an
 * array of the shortest decimals that read back to the same double. Inside of src/store; pure.
 */
#ifndef HISTORY_NUMBERS_H
#define HISTORY_NUMBERS_H

#include "json_read.h"
#include "json_write.h"

/* Into the object that is open in j, where failures stay; n above 0. */
void history_numbers_write(struct json_write *j, const double *x, int n);
/* *n 0: the line has none. FORMAT, TOO_LARGE, NO_MEMORY. The caller frees *x. */
enum tare_status history_numbers_read(const struct json_value *line, double **x, int *n, struct tare_err *err);

#endif
