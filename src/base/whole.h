/* SPDX-License-Identifier: MIT
 *
 * whole.h - whole numbers as kernels write them: digits alone, without sign, blanks or locale.
 *
 *     const char *p = "0-7\n";
 *     int64_t first;
 *     if (whole_take(&p, p + strlen(p), 10, &first)) ...      // 0, and p is at the "-"
 */
#ifndef WHOLE_H
#define WHOLE_H

#include <stdbool.h>
#include <stdint.h>

/* The digits at *p, up to `end` or what is no digit of the base (10 or 16); *p is then behind them. False where there is none, or more
 * than an int64_t holds: *p and *out are left alone. */
bool whole_take(const char **p, const char *end, int base, int64_t *out);

#endif
