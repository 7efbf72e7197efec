/* SPDX-License-Identifier: MIT
 *
 * units.h - figures with units for people: which unit fits, and how many digits the uncertainty allows.
 *
 * A scale is a ladder of units for one base unit (ns, bytes, 1). Text is locale-free.
 */
#ifndef UNITS_H
#define UNITS_H

#include "buf.h"

struct unit {
    const char *name; /* "ms" */
    double factor;    /* base units in one of it */
};

/* The rung of the ladder of `base` ("ns", "bytes", "Hz", "1"; anything else: no ladder) in which `value` has 1 to 3 digits before the point. */
struct unit unit_for(const char *base, double value);
/* The rung by its name ("ns" "us" "µs" "ms" "s" "min"; "B" "kB"...). Returns false and leaves *out when the name is not on the ladder. */
bool unit_named(const char *base, const char *name, struct unit *out);

/* Decimals that show `value` down to the second significant digit of `uncertainty`, both in the unit shown; between 0 and 6.
 * Without an uncertainty (0, infinite or NaN) four significant digits of value. */
int unit_decimals(double value, double uncertainty);

/* "12.34" and "12.34 ms"; from 1e15 on rounded to four digits, "1.234e+23 ms" */
void unit_number(struct buf *b, double value, struct unit u, int decimals);
void unit_quantity(struct buf *b, double value, struct unit u, int decimals);

#endif
