/* SPDX-License-Identifier: MIT
 *
 * From a word of the command line to a field. Numbers are read by strtod, which is free of the locale as long as nothing
 * calls setlocale; tare never does. What strtod accepts beyond decimal numbers (hexadecimal, nan, inf) is refused before.
 */
#include "option_value.h"
#include "buf.h"
#include "option.h"
#include "record.h"
#include "units.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 60 }; /* bytes of a wrong value that a message repeats */

/* A decimal number at the start of text, not nan, inf or hexadecimal; *rest is what follows it. */
static bool scan_number(const char *text, double *value, const char **rest)
{
    const char *digits = text + (*text == '-' || *text == '+');
    bool fraction_first = digits[0] == '.' && isdigit((unsigned char)digits[1]);
    if (!isdigit((unsigned char)digits[0]) && !fraction_first)
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return false;
    char *end;
    *value = strtod(text, &end);
    *rest = end;
    return isfinite(*value);
}

static bool has_limits(const struct option *o)
{
    return o->min != 0 || o->max != 0;
}

/* "1 run", "1000 runs", "0.01%", "2 s": a limit as the user would write it. */
static void put_limit(struct buf *b, const struct option *o, double limit)
{
    const char *unit = o->type == OPTION_PERCENT    ? "%"
                       : o->type == OPTION_DURATION ? " s"
                       : o->type == OPTION_SIZE     ? " bytes"
                       : o->unit                    ? o->unit
                                                    : "";
    buf_format(b, o->type == OPTION_INT && o->unit ? "%g %s" : "%g%s", limit, unit);
    if (o->type == OPTION_INT && o->unit && limit != 1)
        buf_str(b, o->unit[strlen(o->unit) - 1] == 's' ? "es" : "s");
}

void option_put_range(struct buf *b, const struct option *o)
{
    if (!has_limits(o))
        return;
    if (isinf(o->max)) {
        put_limit(b, o, o->min);
        buf_str(b, " or more");
        return;
    }
    buf_format(b, "%g to ", o->min);
    put_limit(b, o, o->max);
}

static enum tare_status refuse_value(const struct option *o, const char *text, const char *why, struct tare_err *err)
{
    char room[160];
    struct buf range = buf_over(room, sizeof room);
    option_put_range(&range, o);
    return err_set(err, TARE_INVALID, "'%.60s' %s%s%s", text, why, range.len ? "; allowed: " : "", buf_text(&range));
}

static enum tare_status in_range(const struct option *o, const char *text, double value, struct tare_err *err)
{
    if (!has_limits(o))
        return TARE_OK;
    if (value < o->min)
        return refuse_value(o, text, "is too small", err);
    if (value > o->max)
        return refuse_value(o, text, "is too large", err);
    return TARE_OK;
}

static bool whole_digits(const char *text)
{
    const char *digits = text + (*text == '-');
    return *digits && digits[strspn(digits, "0123456789")] == '\0';
}

static enum tare_status set_int(const struct option *o, const char *text, int *out, struct tare_err *err)
{
    if (!whole_digits(text))
        return refuse_value(o, text, "is not a whole number", err);
    double value = strtod(text, NULL);
    enum tare_status s = in_range(o, text, value, err);
    if (s)
        return s;
    if (fabs(value) > INT32_MAX)
        return refuse_value(o, text, "is too large", err);
    *out = (int)value;
    return TARE_OK;
}

static enum tare_status set_uint64(const struct option *o, const char *text, uint64_t *out, struct tare_err *err)
{
    uint64_t value = 0;
    if (!whole_digits(text) || *text == '-')
        return refuse_value(o, text, "is not a whole number from 0 to 18446744073709551615", err);
    for (const char *p = text; *p; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return refuse_value(o, text, "is too large; the largest is 18446744073709551615", err);
        value = value * 10 + digit;
    }
    *out = value;
    return TARE_OK;
}

static enum tare_status set_number(const struct option *o, const char *text, double *out, struct tare_err *err)
{
    const char *rest;
    if (!scan_number(text, out, &rest) || *rest)
        return refuse_value(o, text, "is not a number", err);
    return in_range(o, text, *out, err);
}

static enum tare_status set_percent(const struct option *o, const char *text, double *out, struct tare_err *err)
{
    double value;
    const char *rest;
    if (!scan_number(text, &value, &rest) || (*rest && strcmp(rest, "%")))
        return refuse_value(o, text, "is not a percentage; write it like 2%", err);
    enum tare_status s = in_range(o, text, value, err);
    if (s == TARE_OK)
        *out = value / 100;
    else if (!*rest && value > 0 && value < 1 && 100 * value >= o->min && 100 * value <= o->max)
        return err_set(err, TARE_INVALID, "'%.60s' is too small; write %.6g for %s", text, 100 * value,
                       figure_text(figure_level, value).at);
    return s;
}

/* Nanoseconds in the unit; a bare number is seconds. */
static bool duration_factor(const char *unit, double *factor)
{
    struct unit u;
    if (!*unit)
        *factor = 1e9;
    else if (!strcmp(unit, "m"))
        *factor = 60e9;
    else if (!strcmp(unit, "h"))
        *factor = 3600e9;
    else if (unit_named("ns", unit, &u))
        *factor = u.factor;
    else
        return false;
    return true;
}

static enum tare_status set_duration(const struct option *o, const char *text, int64_t *out, struct tare_err *err)
{
    double value, factor;
    const char *rest;
    if (!scan_number(text, &value, &rest) || !duration_factor(rest, &factor))
        return refuse_value(o, text,
                            "is not a duration; write it like 5ns, 20us, 500ms, 2s, 1min or 1h (a bare number is seconds)", err);
    enum tare_status s = in_range(o, text, value * factor / 1e9, err);
    if (s)
        return s;
    if (!(fabs(value * factor) < 9.2e18))
        return refuse_value(o, text, "is too large", err);
    *out = (int64_t)round(value * factor);
    return TARE_OK;
}

static enum tare_status set_size(const struct option *o, const char *text, int64_t *out, struct tare_err *err)
{
    double value;
    const char *rest;
    struct unit u = {"B", 1};
    if (!scan_number(text, &value, &rest) || (*rest && !unit_named("bytes", rest, &u)))
        return refuse_value(o, text, "is not a size; write it like 64kB, 500MB or 2GB (a bare number is bytes)", err);
    enum tare_status s = in_range(o, text, value * u.factor, err);
    if (s)
        return s;
    if (!(fabs(value * u.factor) < 9.2e18))
        return refuse_value(o, text, "is too large", err);
    *out = (int64_t)round(value * u.factor);
    return TARE_OK;
}

static enum tare_status set_margin(const struct option *o, const char *text, struct option_margin *out, struct tare_err *err)
{
    double value;
    const char *rest;
    struct unit u;
    if (!scan_number(text, &value, &rest))
        return refuse_value(o, text, "is not a margin; write it like 1%, 5ns, 20cycles, 3kB, or 2 for a count", err);
    if (value < 0)
        return refuse_value(o, text, "is negative; a margin is a size, so omit the minus sign", err);
    if (!strcmp(rest, "%"))
        *out = (struct option_margin){value / 100, NULL};
    else if (!*rest)
        *out = (struct option_margin){value, "1"};
    else if (!strcmp(rest, "cycles") || !strcmp(rest, "cycle"))
        *out = (struct option_margin){value, "cycles"};
    else if (unit_named("ns", rest, &u))
        *out = (struct option_margin){value * u.factor, "ns"};
    else if (unit_named("bytes", rest, &u))
        *out = (struct option_margin){value * u.factor, "bytes"};
    else if (strpbrk(rest, " \t\n"))
        return refuse_value(o, text, "has an unknown unit; write it like 1%, 5ns, 20cycles, 3kB, or 2 for a count", err);
    else
        *out = (struct option_margin){value, rest}; /* of a metric that the user defined, or unknown: the command's check knows */
    if (!(out->value <= RECORD_MARGIN_MAX))
        return refuse_value(o, text, "is too large: every difference would be the same", err);
    return TARE_OK;
}

bool option_choice(const struct option *o, int index, const char **word, int *len)
{
    const char *p = o->choices;
    for (; p && *p; index--) {
        *word = p;
        *len = (int)strcspn(p, " ");
        if (index == 0)
            return true;
        p += *len + (p[*len] == ' ');
    }
    return false;
}

static int choice_index(const struct option *o, const char *text)
{
    const char *word;
    int len;
    for (int i = 0; option_choice(o, i, &word, &len); i++)
        if (strlen(text) == (size_t)len && !memcmp(text, word, (size_t)len))
            return i;
    return -1;
}

static enum tare_status set_text(const struct option *o, const char *text, const char **out, struct tare_err *err)
{
    if (!*text && !o->may_be_empty)
        return err_set(err, TARE_INVALID, "the value is empty; give a text, or omit the option");
    *out = text;
    return TARE_OK;
}

/* Room doubles at each power of two, so that many uses stay linear. */
static void *room_for_one_more(struct arena *a, const void *old, int n, size_t item_bytes)
{
    if (n & (n - 1))
        return (void *)(uintptr_t)old;
    void *items = arena_array(a, n ? 2 * (size_t)n : 1, item_bytes);
    if (items && n)
        memcpy(items, old, (size_t)n * item_bytes);
    return items;
}

enum tare_status option_list_add(struct option_list *list, const char *word, struct arena *a)
{
    const char **items = room_for_one_more(a, list->items, list->n, sizeof *items);
    if (!items)
        return TARE_NO_MEMORY;
    items[list->n] = word;
    *list = (struct option_list){items, list->n + 1};
    return TARE_OK;
}

/* One code of "1,2"; *text moves past it and its comma. 0 when it is not one. Windows' have 32 bits: "0xc0000005". */
static int next_code(const char **text)
{
    const char *p = *text + strspn(*text, " ");
    const bool hex = p[0] == '0' && p[1] == 'x';
    const int most = hex ? 8 : 4;
    uint32_t code = 0;
    p += hex ? 2 : 0;
    for (int n = 0; n < most && (hex ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p)); p++, n++)
        code = code * (hex ? 16 : 10) + (uint32_t)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
    p += strspn(p, " ");
    bool last = *p == '\0';
    if ((!hex && code > 255) || (!last && *p != ',') || (*p == ',' && !p[1]))
        return 0;
    *text = last ? p : p + 1;
    return (int)code;
}

static enum tare_status set_codes(const char *text, struct option_codes *out, struct arena *a, struct tare_err *err)
{
    if (!text || !*text || !strcmp(text, "all-non-zero")) {
        *out = (struct option_codes){.any = true, .all = true};
        return TARE_OK;
    }
    struct option_codes codes = {.any = true};
    for (const char *p = text; *p;) {
        int code = next_code(&p);
        if (code == 0)
            return err_set(err, TARE_INVALID,
                           "'%.60s' is not a list of exit codes from 1 to 255; write it like 1,2 or all-non-zero", text);
        int *items = room_for_one_more(a, codes.items, codes.n, sizeof *items);
        if (!items)
            return err_no_memory(err);
        items[codes.n] = code;
        codes = (struct option_codes){.any = true, .items = items, .n = codes.n + 1};
    }
    *out = codes;
    return TARE_OK;
}

static enum tare_status set_choice(const struct option *o, const char *text, void *field, struct tare_err *err)
{
    int index = choice_index(o, text);
    if (index < 0) {
        char room[200];
        struct buf list = buf_over(room, sizeof room);
        const char *word;
        int len;
        for (int i = 0; option_choice(o, i, &word, &len); i++)
            buf_format(&list, "%s%.*s", i ? ", " : "", len, word);
        return err_set(err, TARE_INVALID, "'%.60s' is not known; choose one of: %s", text, buf_text(&list));
    }
    if (o->type == OPTION_CHOICE)
        *(int *)field = index;
    else
        *(const char **)field = text;
    return TARE_OK;
}

enum tare_status option_value_set(const struct option *o, const char *text, void *field, struct arena *a, struct tare_err *err)
{
    switch (o->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return TARE_OK;
    case OPTION_COUNT:
        *(int *)field += *(int *)field < INT32_MAX;
        return TARE_OK;
    case OPTION_INT:
        return set_int(o, text ? text : o->bare, field, err);
    case OPTION_UINT64:
        return set_uint64(o, text, field, err);
    case OPTION_NUMBER:
        return set_number(o, text, field, err);
    case OPTION_PERCENT:
        return set_percent(o, text, field, err);
    case OPTION_DURATION:
        return set_duration(o, text, field, err);
    case OPTION_SIZE:
        return set_size(o, text, field, err);
    case OPTION_MARGIN:
        return set_margin(o, text, field, err);
    case OPTION_TEXT:
        return set_text(o, text ? text : o->bare, field, err);
    case OPTION_FILE:
    case OPTION_DIRECTORY:
        return set_text(o, text, field, err);
    case OPTION_WORD:
    case OPTION_CHOICE:
        return set_choice(o, text, field, err);
    case OPTION_CODES:
        return set_codes(text, field, a, err);
    case OPTION_LIST:
        return option_list_add(field, text, a) ? err_no_memory(err) : TARE_OK;
    case OPTION_HELP:
    case OPTION_HELP_ALL:
    case OPTION_VERSION:
        return TARE_OK;
    }
    return err_set(err, TARE_UNSUPPORTED, "option of an unknown type");
}
