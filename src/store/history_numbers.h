/* SPDX-License-Identifier: MIT
 *
 * history_numbers.h - the values of a result as a member of a line, exactly and in few bytes.
 *
 *     history_numbers_write(&j, "values", x, n);              // "values":{"vlq":"qpgtB0G9..."}
 *     status = history_numbers_read(json_member(line, "values"), &x, &n, &err);
 *
 * Where all values are whole numbers once they are multiplied by a power of ten up to 10^12, which stands as `decimals`, they are written as the numbers of source
 * maps are: base 64 VLQ, the sign in the lowest bit, five bits a digit, lowest first. The first number is the median, the others are differences
 * from it, in the order of measuring: 30 times that scatter by 1 % take some 100 bytes. Other values, and null for what is none, make an
 * array of the shortest decimals that read back to the same double. Inside of src/store; pure.
 */
#ifndef HISTORY_NUMBERS_H
#define HISTORY_NUMBERS_H

#include "json_read.h"
#include "json_write.h"

/* Failures stay in the buf of j. */
void history_numbers_write(struct json_write *j, const char *key, const double *x, int n);
/* FORMAT, TOO_LARGE, NO_MEMORY. The caller frees *x. */
enum tare_status history_numbers_read(const struct json_value *v, double **x, int *n, struct tare_err *err);

#endif
