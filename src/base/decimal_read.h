/* SPDX-License-Identifier: MIT
 *
 * decimal_read.h - a decimal number as text into the nearest double, fast: for files of millions of them.
 *
 *     double x;
 *     if (decimal_read("12.5e-3", 7, &x)) ...
 *
 * Of up to 19 digits whose value is below 2^53, with a power of ten from -22 to 22, one multiplication or division of two exact doubles gives the
 * rounded result (Clinger, "How to read floating point numbers accurately", 1990); others, which are rare in files of measurements, go to strtod.
 * The results are those of strtod in the C locale.
 * What it does not do: white space, hexadecimal, "inf" and "nan", which are no decimal numbers.
 */
#ifndef DECIMAL_READ_H
#define DECIMAL_READ_H

#include <stdbool.h>
#include <stddef.h>

enum { DECIMAL_TEXT_MAX = 400 }; /* bytes */

/* A sign or none, digits with at most one point among them, e and a whole number or none: all of the n bytes, or false and *out untouched. Too large
 * is infinite, too small 0, as strtod has it. */
bool decimal_read(const char *text, size_t n, double *out);

#endif
