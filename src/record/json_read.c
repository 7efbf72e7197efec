/* SPDX-License-Identifier: MIT */
#include "json_read.h"
#include "buf.h"
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tree is cJSON's; our type only hides it. */
static const cJSON *inside(const struct json_value *v)
{
    return (const cJSON *)v;
}

static const struct json_value *outside(const cJSON *v)
{
    return (const struct json_value *)v;
}

/* Depth and number of values without parsing: brackets and commas outside strings. */
static enum tare_status measure_depth(const char *text, size_t n, struct tare_err *err)
{
    int depth = 0, values = 1;
    bool in_string = false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (!c)
            return err_set(err, TARE_FORMAT, "a zero byte at byte %zu", i + 1);
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"')
            in_string = true;
        else if (c == '[' || c == '{')
            depth++, values++;
        else if (c == ']' || c == '}')
            depth--;
        else if (c == ',')
            values++;
        if (depth > JSON_DEPTH_MAX || values > JSON_VALUES_MAX)
            return err_set(err, TARE_TOO_LARGE, depth > JSON_DEPTH_MAX ? "more than %d levels deep" : "more than %d values",
                           depth > JSON_DEPTH_MAX ? (int)JSON_DEPTH_MAX : (int)JSON_VALUES_MAX);
    }
    return TARE_OK;
}

/* cJSON reads numbers with strtod, whose decimal point the locale may change; depending on how cJSON was built. */
static bool reads_numbers(void)
{
    cJSON *v = cJSON_Parse("1.5");
    bool ok = v && v->valuedouble == 1.5;
    cJSON_Delete(v);
    return ok;
}

/* cJSON says the same of a text that is none and of one that it had no memory for. */
static bool out_of_memory;

static void *CJSON_CDECL noting_malloc(size_t n)
{
    void *at = malloc(n);
    out_of_memory |= !at;
    return at;
}

static enum tare_status parse_copy(struct json_value **out, const char *copy, size_t n, struct tare_err *err)
{
    const char *end = copy;
    out_of_memory = false;
    cJSON_InitHooks(&(cJSON_Hooks){noting_malloc, free});
    cJSON *v = cJSON_ParseWithLengthOpts(copy, n + 1, &end, 0);
    if (v && end[strspn(end, " \t\r\n")] == 0) {
        *out = (struct json_value *)v;
        return TARE_OK;
    }
    cJSON_Delete(v);
    if (out_of_memory)
        return err_no_memory(err);
    if (!reads_numbers())
        return err_set(err, TARE_UNSUPPORTED, "the locale's decimal point is not '.': run with LC_NUMERIC=C");
    return err_set(err, TARE_FORMAT, "not JSON from byte %td on", end - copy + 1);
}

enum tare_status json_parse(struct json_value **out, const char *text, size_t n, struct tare_err *err)
{
    *out = NULL;
    enum tare_status status = measure_depth(text, n, err);
    if (status)
        return status;
    enum { PADDING = 16 }; /* cJSON before 1.7.18 may look a few bytes past the end */
    char *copy = calloc(1, n + PADDING);
    if (!copy)
        return err_no_memory(err);
    if (n)
        memcpy(copy, text, n);
    status = parse_copy(out, copy, n, err);
    free(copy);
    return status;
}

void json_free(struct json_value *v)
{
    cJSON_Delete((cJSON *)v);
}

const struct json_value *json_member(const struct json_value *object, const char *key)
{
    return json_is_object(object) ? outside(cJSON_GetObjectItemCaseSensitive(inside(object), key)) : NULL;
}

bool json_is_null(const struct json_value *v)
{
    return cJSON_IsNull(inside(v));
}

bool json_is_object(const struct json_value *v)
{
    return cJSON_IsObject(inside(v));
}

bool json_is_array(const struct json_value *v)
{
    return cJSON_IsArray(inside(v));
}

const struct json_value *json_first(const struct json_value *container)
{
    return json_is_array(container) || json_is_object(container) ? outside(inside(container)->child) : NULL;
}

const struct json_value *json_next(const struct json_value *item)
{
    return outside(inside(item)->next);
}

int json_count(const struct json_value *container)
{
    int n = 0;
    for (const struct json_value *v = json_first(container); v; v = json_next(v))
        n++;
    return n;
}

const char *json_key(const struct json_value *member)
{
    return inside(member)->string;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum tare_status json_repeated_key(const struct json_value *object, const char **out)
{
    const size_t n = json_is_object(object) ? (size_t)json_count(object) : 0;
    const char **keys = calloc(n + 1, sizeof *keys);
    *out = NULL;
    if (!keys)
        return TARE_NO_MEMORY;
    size_t k = 0;
    for (const struct json_value *v = n ? json_first(object) : NULL; v; v = json_next(v))
        keys[k++] = json_key(v);
    qsort(keys, n, sizeof *keys, by_text);
    for (size_t i = 1; i < n && !*out; i++)
        *out = strcmp(keys[i - 1], keys[i]) ? NULL : keys[i];
    free(keys);
    return TARE_OK;
}

bool json_number_of(const struct json_value *v, double *out)
{
    if (!cJSON_IsNumber(inside(v)) || !isfinite(inside(v)->valuedouble))
        return false;
    *out = inside(v)->valuedouble;
    return true;
}

double json_double(const struct json_value *v)
{
    double value = NAN;
    json_number_of(v, &value);
    return value;
}

bool json_flag(const struct json_value *object, const char *key)
{
    bool value = false;
    json_bool_of(json_member(object, key), &value);
    return value;
}

bool json_bool_of(const struct json_value *v, bool *out)
{
    if (!cJSON_IsBool(inside(v)))
        return false;
    *out = cJSON_IsTrue(inside(v));
    return true;
}

bool json_text_of(const struct json_value *v, const char **out)
{
    if (!cJSON_IsString(inside(v)) || !inside(v)->valuestring)
        return false;
    *out = inside(v)->valuestring;
    return true;
}

/* Digits up to the end of the text, at most `limit`. */
static bool digits_of(const char *text, uint64_t limit, uint64_t *out)
{
    uint64_t x = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = (unsigned)*text - '0';
        if (digit > 9 || x > (limit - digit) / 10)
            return false;
        x = x * 10 + digit;
    }
    *out = x;
    return true;
}

bool json_unsigned_of(const struct json_value *v, uint64_t *out)
{
    double x;
    const char *text;
    if (json_text_of(v, &text))
        return digits_of(text, UINT64_MAX, out);
    if (!json_number_of(v, &x) || x < 0 || x >= 0x1p64 || x != floor(x))
        return false;
    *out = (uint64_t)x;
    return true;
}

static bool integer_of(const struct json_value *v, int64_t *out)
{
    double x;
    const char *text;
    uint64_t magnitude;
    if (json_text_of(v, &text)) {
        bool negative = *text == '-';
        if (!digits_of(text + negative, (uint64_t)INT64_MAX + negative, &magnitude))
            return false;
        *out = negative ? (int64_t)-magnitude : (int64_t)magnitude;
        return true;
    }
    if (!json_number_of(v, &x) || x < -0x1p63 || x >= 0x1p63 || x != floor(x))
        return false;
    *out = (int64_t)x;
    return true;
}

bool json_integer_of(const struct json_value *v, int64_t low, int64_t high, int64_t *out)
{
    int64_t x;
    if (!integer_of(v, &x) || x < low || x > high)
        return false;
    *out = x;
    return true;
}
