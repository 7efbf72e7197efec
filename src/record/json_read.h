/* SPDX-License-Identifier: MIT
 *
 * json_read.h - one JSON text as a tree of values: the only place that knows which JSON library we use.
 *
 *     struct json_value *v;
 *     enum tare_status s = json_parse(&v, text, n, &err);
 *     double x;
 *     if (!s && json_number_of(json_member(v, "mean"), &x)) ...
 *     json_free(v);
 *
 * Meant for text that nobody checked: at most JSON_DEPTH_MAX levels and JSON_VALUES_MAX values, no zero bytes; the price is
 * bounded by the length of the text. Of members with the same key the first one counts. Numbers are doubles.
 * Strings are passed on as they stand and need not be valid UTF-8; one with \u0000 in it ends there.
 * Calls that look at a value accept NULL (no such member) and then fail. Ownership: the tree is the caller's.
 */
#ifndef JSON_READ_H
#define JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

enum { JSON_DEPTH_MAX = 16, JSON_VALUES_MAX = 1000000 };

struct json_value;

/* FORMAT: not one JSON value; TOO_LARGE: over a limit; UNSUPPORTED: the process has a locale that changes how numbers are read. */
enum tare_status json_parse(struct json_value **out, const char *text, size_t n, struct tare_err *err);
void json_free(struct json_value *v); /* NULL is fine */

const struct json_value *json_member(const struct json_value *object, const char *key); /* NULL: absent, or not an object */
bool json_is_null(const struct json_value *v);                                          /* the value null; false when absent */
bool json_is_object(const struct json_value *v);
bool json_is_array(const struct json_value *v);

/* Items of an array or members of an object, in their order:
 * for (v = json_first(a); v; v = json_next(v)) */
const struct json_value *json_first(const struct json_value *container); /* NULL: empty, or no container */
const struct json_value *json_next(const struct json_value *item);
int json_count(const struct json_value *container);
const char *json_key(const struct json_value *member); /* NULL for an item of an array */
/* A key that two of its members have, in *out; NULL: none. O(n log n). OK or NO_MEMORY. */
enum tare_status json_repeated_key(const struct json_value *object, const char **out);

/* Each is true and writes *out when v is of that kind. */
bool json_number_of(const struct json_value *v, double *out); /* finite */
double json_double(const struct json_value *v);               /* NaN: it is none */
bool json_bool_of(const struct json_value *v, bool *out);
bool json_flag(const struct json_value *object, const char *key); /* it has the member true */
bool json_text_of(const struct json_value *v, const char **out);  /* lives as long as the tree */
bool json_integer_of(const struct json_value *v, int64_t low, int64_t high,
                     int64_t *out);                               /* whole and within; a string of digits is fine */
bool json_unsigned_of(const struct json_value *v, uint64_t *out); /* as above */

#endif
