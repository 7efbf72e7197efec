/* SPDX-License-Identifier: MIT
 *
 * decimal.h - doubles as decimal digits, exactly, without the C library's formatter and so without its locale.
 *
 * Digits are generated with big integers as in Steele and White, "How to print floating-point numbers accurately" (1990):
 * slow (about a microsecond) and never wrong.
 */
#ifndef DECIMAL_H
#define DECIMAL_H

enum { DECIMAL_DIGITS_MAX = 800 };

/* value = 0.DIGITS * 10^exponent, value finite and >= 0; 0 gives n = 1, digit 0, exponent 1. */
struct decimal {
    int n, exponent;
    char digits[DECIMAL_DIGITS_MAX]; /* 0..9, not characters */
};

void decimal_shortest(struct decimal *d, double value);            /* fewest digits that read back to the same double */
void decimal_fixed(struct decimal *d, double value, int decimals); /* rounded half to even after `decimals` places, 0..300 */
void decimal_cut(struct decimal *d, int digits); /* to at most so many, half up, no zeros at the end; < 1: nothing */

#endif
