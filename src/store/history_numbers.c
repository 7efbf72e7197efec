/* SPDX-License-Identifier: MIT */
#include "history_numbers.h"
#include "history_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS_MAX = 12, DIGITS_MAX = 11 /* of a number below 2^54 */ };

static const double powers[DECIMALS_MAX + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
static const double exact = 9007199254740992.0; /* 2^53 */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- writing ---- */

/* The value of so many decimals as a whole number, exactly: the quotient of two exact numbers is what reads back. */
static bool whole_of(double x, int decimals, int64_t *out)
{
    const double scaled = round(x * powers[decimals]);
    if (!(fabs(scaled) < exact) || scaled / powers[decimals] != x || (x == 0 && signbit(x)))
        return false;
    *out = (int64_t)scaled;
    return true;
}

static bool all_whole(const double *x, int n, int decimals, int64_t *out)
{
    for (int i = 0; i < n; i++)
        if (!whole_of(x[i], decimals, &out[i]))
            return false;
    return true;
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static char *put_number(char *at, int64_t x)
{
    uint64_t rest = x < 0 ? (uint64_t)-x << 1 | 1 : (uint64_t)x << 1;
    do {
        const unsigned five = rest & 31;
        rest >>= 5;
        *at++ = digits[five | (rest ? 32 : 0)];
    } while (rest);
    return at;
}

/* whole: room for 2 n. NULL: no memory. */
static char *as_text(int64_t *whole, int n)
{
    char *text = malloc((size_t)(n + 1) * DIGITS_MAX + 1), *at = text;
    if (!text)
        return NULL;
    memcpy(whole + n, whole, (size_t)n * sizeof *whole);
    qsort(whole + n, (size_t)n, sizeof *whole, by_size);
    const int64_t median = whole[n + n / 2];
    at = put_number(at, median);
    for (int i = 0; i < n; i++)
        at = put_number(at, whole[i] - median);
    *at = 0;
    return text;
}

static bool write_short(struct json_write *j, const double *x, int n)
{
    int64_t *whole = malloc(2 * (size_t)n * sizeof *whole);
    int decimals = 0;
    while (whole && decimals <= DECIMALS_MAX && !all_whole(x, n, decimals, whole))
        decimals++;
    char *text = whole && decimals <= DECIMALS_MAX ? as_text(whole, n) : NULL;
    if (text) {
        if (decimals)
            json_integer(j, "decimals", decimals);
        json_string(j, "vlq", text);
    }
    free(text);
    free(whole);
    return text;
}

void history_numbers_write(struct json_write *j, const double *x, int n)
{
    if (write_short(j, x, n))
        return;
    json_array(j, "values");
    for (int i = 0; i < n; i++)
        json_number(j, NULL, x[i]);
    json_end(j);
}

/* ---- reading ---- */

static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* NULL: no number, or one that is too large. */
static const char *take_number(const char *at, int64_t *out)
{
    uint64_t x = 0;
    for (int i = 0; i < DIGITS_MAX; i++) {
        const int d = digit_of(*at);
        if (d < 0)
            return NULL;
        at++;
        x |= (uint64_t)(d & 31) << (5 * i);
        if (d < 32) {
            *out = x & 1 ? -(int64_t)(x >> 1) : (int64_t)(x >> 1);
            return at;
        }
    }
    return NULL;
}

static int numbers_in(const char *text)
{
    int n = 0;
    for (; *text; text++) {
        const int d = digit_of(*text);
        n += d >= 0 && d < 32;
    }
    return n;
}

static bool take_all(const char *text, int decimals, double *x, int n)
{
    int64_t median, difference;
    const char *at = take_number(text, &median);
    for (int i = 0; at && i < n; i++) {
        at = take_number(at, &difference);
        const double whole = (double)(median + difference);
        x[i] = whole / powers[decimals];
        if (fabs(whole) > exact)
            return false;
    }
    return at && !*at;
}

static enum tare_status read_short(const struct json_value *line, double *x, int n, const char *text, struct tare_err *err)
{
    int64_t decimals = 0;
    const struct json_value *d = json_member(line, "decimals");
    if ((d && !json_integer_of(d, 0, DECIMALS_MAX, &decimals)) || !take_all(text, (int)decimals, x, n))
        return err_set(err, TARE_FORMAT, "values that cannot be understood");
    return TARE_OK;
}

static enum tare_status read_plain(const struct json_value *list, double *x, struct tare_err *err)
{
    for (const struct json_value *v = json_first(list); v; v = json_next(v), x++)
        if (!json_number_of(v, x)) {
            if (!json_is_null(v))
                return err_set(err, TARE_FORMAT, "a value that is no number");
            *x = NAN;
        }
    return TARE_OK;
}

/* How many there are; -1: they are no list. */
static int count_of(const struct json_value *line, const struct json_value *list, const char **text)
{
    const struct json_value *vlq = json_member(line, "vlq");
    *text = NULL;
    if (vlq)
        return json_text_of(vlq, text) ? numbers_in(*text) - 1 : -1;
    return !list ? 0 : json_is_array(list) ? json_count(list) : -1;
}

enum tare_status history_numbers_read(const struct json_value *line, double **x, int *n, struct tare_err *err)
{
    const char *text;
    const struct json_value *list = json_member(line, "values");
    const int found = count_of(line, list, &text);
    *x = NULL;
    *n = 0;
    if (found < 0 || found > HISTORY_VALUES_MAX)
        return err_set(err, found < 0 ? TARE_FORMAT : TARE_TOO_LARGE, "values that are no list, or more than %d",
                       (int)HISTORY_VALUES_MAX);
    double *values = malloc(((size_t)found + 1) * sizeof *values);
    if (!values)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d values", found);
    enum tare_status status = text ? read_short(line, values, found, text, err) : read_plain(list, values, err);
    if (status) {
        free(values);
        return status;
    }
    *x = values;
    *n = found;
    return TARE_OK;
}
