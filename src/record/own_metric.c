/* SPDX-License-Identifier: MIT */
#include "own_metric.h"
#include "buf.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *prefix;
    const char *example;
} kinds[] = {[OWN_REGEX] = {"regex:", "'regex:rate:req/s:higher=([0-9.]+) req/s'"},
             [OWN_COMMAND] = {"cmd:", "'cmd:lines=wc -l'"},
             [OWN_RESULT] = {"result:", "'result:sort=tests/test_sort.py::test_sort'"}};

static int kind_of(const char *text)
{
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++)
        if (!strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)))
            return i;
    return -1;
}

bool own_metric_is(const char *text)
{
    return kind_of(text) >= 0;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool name_good(const char *name)
{
    size_t n = strlen(name);
    for (const char *c = name; *c; c++)
        if (!letter(*c) && (c == name || !((*c >= '0' && *c <= '9') || *c == '.' || *c == '-')))
            return false;
    return n >= 1 && n <= OWN_NAME_BYTES;
}

static bool unit_good(const char *unit)
{
    size_t n = strlen(unit);
    for (const char *c = unit; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return false;
    return n >= 1 && n <= OWN_UNIT_BYTES;
}

static bool direction_named(const char *word, enum metric_direction *out)
{
    if (!strcmp(word, "higher"))
        *out = METRIC_HIGHER;
    else if (!strcmp(word, "lower"))
        *out = METRIC_LOWER;
    else
        return false;
    return true;
}

static const char *const bases[] = {"ns", "bytes", "Hz"};

static void set_unit(struct own_metric *m, const char *given)
{
    struct unit u;
    m->given = m->unit = given;
    m->factor = 1;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (unit_named(bases[i], given, &u)) {
            m->unit = bases[i];
            m->factor = u.factor;
            return;
        }
}

static bool has_ladder(const struct own_metric *m)
{
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (m->unit == bases[i])
            return true;
    return false;
}

static enum tare_status read_head(struct own_metric *m, char *head, const char *text, struct tare_err *err)
{
    char *parts = strchr(head, ':');
    if (parts)
        *parts++ = 0;
    m->name = head;
    if (!name_good(head))
        return err_set(err, TARE_INVALID,
                       "--metric: the name in '%.60s' must begin with a letter and have at most %d letters, digits, _ . or -; "
                       "write it like %s",
                       text, OWN_NAME_BYTES, kinds[m->kind].example);
    /* The parts behind the name: a unit, then a direction; both may be absent. */
    char *second = parts ? strchr(parts, ':') : NULL;
    if (second)
        *second++ = 0;
    if (!parts || (!second && direction_named(parts, &m->direction)))
        return TARE_OK;
    if (!unit_good(parts))
        return err_set(err, TARE_INVALID, "--metric: the unit in '%.60s' must be 1 to %d signs without blanks", text,
                       OWN_UNIT_BYTES);
    if (second && !direction_named(second, &m->direction))
        return err_set(err, TARE_INVALID, "--metric: '%.20s' in '%.60s' must be higher or lower: which is better", second, text);
    set_unit(m, parts);
    return TARE_OK;
}

static enum tare_status read_text(struct own_metric *m, struct arena *a, struct tare_err *err)
{
    const char *prefix = kinds[m->kind].prefix;
    if (!m->text[strspn(m->text, " \t\n")])
        return err_set(err, TARE_INVALID, "--metric %s%s: nothing follows the equals sign; write it like %s", prefix, m->name,
                       kinds[m->kind].example);
    if (m->kind == OWN_RESULT && !*m->given)
        set_unit(m, "ns");
    if (m->kind != OWN_REGEX)
        return TARE_OK;
    struct tare_err why = {0};
    enum tare_status status = pattern_compile(&m->pattern, m->text, a, &why);
    return status
               ? err_set(err, status, "--metric %s%s: the pattern '%.60s' cannot be used: %s", prefix, m->name, m->text, why.text)
               : TARE_OK;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

enum tare_status own_metric_parse(struct own_metric *out, const char *text, struct arena *a, struct tare_err *err)
{
    int kind = kind_of(text);
    const char *head = strchr(text, ':') + 1, *equals = strchr(text, '=');
    *out = (struct own_metric){.kind = (enum own_kind)kind, .unit = "1", .given = "", .factor = 1, .direction = METRIC_NEUTRAL};
    if (!equals)
        return err_set(err, TARE_INVALID, "--metric: '%.60s' has no equals sign; write it like %s", text, kinds[kind].example);
    char *copy = arena_copy(a, head, (size_t)(equals - head));
    if (!copy)
        return err_no_memory(err);
    out->text = equals + 1;
    enum tare_status status = read_head(out, copy, text, err);
    if (out->direction == METRIC_NEUTRAL)
        out->direction = ends_with(out->given, "/s") || !strncmp(out->given, "ops/", 4) ? METRIC_HIGHER : METRIC_LOWER;
    return status ? status : read_text(out, a, err);
}

enum tare_status own_metric_counter(struct own_metric *out, const char *text, struct arena *a, struct tare_err *err)
{
    char *name = arena_strdup(a, text), *colon = name ? strrchr(name, ':') : NULL;
    if (!name)
        return err_no_memory(err);
    *out = (struct own_metric){.kind = OWN_COUNTER, .name = name, .given = "", .factor = 1, .text = name};
    out->direction_given = colon && direction_named(colon + 1, &out->direction);
    if (out->direction_given)
        *colon = 0;
    else
        out->direction = ends_with(name, "/s") || ends_with(name, "_per_second") ? METRIC_HIGHER : METRIC_LOWER;
    if (!*name || strlen(name) > OWN_NAME_BYTES)
        return err_set(err, TARE_INVALID,
                       "--metric: the name of a counter has 1 to %d bytes, and that in 'counter:%.60s' has not", OWN_NAME_BYTES,
                       text);
    out->unit = !strcmp(name, "cpu_time") ? "ns" : !strcmp(name, "B/op") ? "bytes" : "1";
    return TARE_OK;
}

/* The number at the start; *rest is what follows it. Locale: strtod's, which tare never sets. */
static bool scan_number(const char *text, double *value, const char **rest)
{
    const char *digits = text + (*text == '-' || *text == '+');
    bool fraction_first = digits[0] == '.' && digits[1] >= '0' && digits[1] <= '9';
    if (!fraction_first && !(digits[0] >= '0' && digits[0] <= '9'))
        return false;
    if (digits[0] == '0' && (digits[1] | 32) == 'x')
        return false;
    char *end;
    *value = strtod(text, &end);
    *rest = end;
    return true;
}

static bool prefixed(const struct own_metric *m, const char *rest, double *factor)
{
    static const struct {
        const char *name;
        double factor;
    } prefixes[] = {{"Ki", 1024.0},
                    {"Mi", 1048576.0},
                    {"Gi", 1073741824.0},
                    {"Ti", 1099511627776.0},
                    {"Pi", 1125899906842624.0},
                    {"k", 1e3},
                    {"K", 1e3},
                    {"M", 1e6},
                    {"G", 1e9},
                    {"T", 1e12},
                    {"P", 1e15},
                    {"m", 1e-3},
                    {"u", 1e-6},
                    {"\xc2\xb5", 1e-6},
                    {"n", 1e-9}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i].name);
        if (!strncmp(rest, prefixes[i].name, n) && (!rest[n] || !strcmp(rest + n, m->given))) {
            *factor = prefixes[i].factor * m->factor;
            return true;
        }
    }
    return false;
}

static bool suffix(const struct own_metric *m, const char *rest, double *factor)
{
    struct unit u;
    *factor = m->factor;
    if (!*rest || !strcmp(rest, m->given))
        return true;
    if (has_ladder(m) && unit_named(m->unit, rest, &u)) {
        *factor = u.factor;
        return true;
    }
    return prefixed(m, rest, factor);
}

enum { NUMBER_BYTES = 400 }; /* the longest double in plain digits has some 310 */

/* Of 1.20 it is 0.01, of 1.2e3 100. */
static double last_digit(const char *number, const char *end)
{
    const size_t mantissa = strcspn(number, "eE"), n = (size_t)(end - number), digits = mantissa < n ? mantissa : n;
    const char *point = memchr(number, '.', digits);
    const double exponent = mantissa < n ? strtod(number + mantissa + 1, NULL) : 0;
    const double power = exponent - (point ? (double)(number + digits - point - 1) : 0);
    return power < 0 ? 1 / pow(10, -power) : pow(10, power); /* Windows' pow is exact for whole results alone */
}

/* What nobody counts is rounded also where it has no fraction. */
static bool is_measured(const char *unit)
{
    return !strcmp(unit, "ns") || !strcmp(unit, "Hz") || !strcmp(unit, "%") || strstr(unit, "/s");
}

bool own_scaled_behind(const char *rest, size_t n)
{
    static const char *const sizes[] = {"", "i", "B", "iB", "b"};
    char word[OWN_UNIT_BYTES + 1];
    size_t len = 0;
    struct unit u;
    for (size_t i = n && *rest == ' '; i < n && len < OWN_UNIT_BYTES && ((unsigned char)rest[i] > ' ' && rest[i] != ','); i++)
        word[len++] = rest[i];
    word[len] = 0;
    if (is_measured(word) || unit_named("ns", word, &u) || unit_named("Hz", word, &u))
        return true;
    for (size_t i = 0; *word && strchr("kKMGTP", *word) && i < sizeof sizes / sizeof *sizes; i++)
        if (!strcmp(word + 1, sizes[i]))
            return true;
    return false;
}

bool own_number(const struct own_metric *m, const char *text, size_t n, double *out, double *step)
{
    char room[NUMBER_BYTES];
    double value, factor;
    const char *rest;
    while (n && strchr(" \t\r\n", *text) && *text) {
        text++;
        n--;
    }
    while (n && text[n - 1] && strchr(" \t\r\n", text[n - 1]))
        n--;
    if (!n || n >= sizeof room || memchr(text, 0, n))
        return false;
    memcpy(room, text, n);
    room[n] = 0;
    if (!scan_number(room, &value, &rest) || !suffix(m, rest + strspn(rest, " \t"), &factor) || !isfinite(value * factor))
        return false;
    *out = value * factor;
    *step = last_digit(room, rest) * factor;
    if (*step == 1 && !is_measured(m->unit))
        *step = 0;
    return true;
}
