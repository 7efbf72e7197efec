/* SPDX-License-Identifier: MIT
 *
 * parameters.h - parameter scans and lists: their values, and {VAR} filled in.
 *
 *     struct parameter_values v;
 *     parameters_scan(&arena, "delay", "0.3", "0.7", "0.2", &v, &err);   // 0.3, 0.5, 0.7
 *     parameters_list(&arena, "cc", "gcc,clang", &v, &err);              // gcc, clang
 *     parameters_fill(&arena, "sleep {delay}", parameters, 1);           // sleep 0.3
 *
 * Scans are exact: decimals are whole numbers with a scale, never doubles. The texts are those of hyperfine: the first
 * value has the decimals of MIN, each later one the larger of MIN's and the step's (1, 1.5, 2.0).
 * Ownership: results live in the caller's arena.
 */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include "arena.h"
#include "record.h"
#include <stdbool.h>
#include <tare/status.h>

enum { PARAMETERS_MAX = 100000 }; /* values of one parameter, and commands in all */

struct parameter_values {
    const char *name;
    const char *const *values;
    int n;
};

/* -P VAR MIN MAX with -D STEP (NULL: 1, for whole numbers only). MAX belongs to the range if a step meets it.
 * INVALID: a word that is no plain decimal number (nan, inf, 1e3), min > max, step <= 0, decimals without a step, a bad name;
 * TOO_LARGE: more than PARAMETERS_MAX values, or more than 18 digits. */
enum tare_status parameters_scan(struct arena *a, const char *name, const char *min, const char *max, const char *step,
                                 struct parameter_values *out, struct tare_err *err);

/* -L VAR LIST: values between commas; "\," is a comma and "\\" a backslash within a value; an empty value is a value, an empty list an error. */
enum tare_status parameters_list(struct arena *a, const char *name, const char *list, struct parameter_values *out,
                                 struct tare_err *err);

/* Replaces each {NAME} by its value, once: text that came in with a value is not looked at again. Text without any is returned
 * as it is, not copied. NULL: out of memory. */
const char *parameters_fill(struct arena *a, const char *text, const struct parameter *parameters, int n);

/* Does the text contain {name}? */
bool parameters_used(const char *text, const char *name);

#endif
