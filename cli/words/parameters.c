/* SPDX-License-Identifier: MIT */
#include "parameters.h"
#include "buf.h"
#include <stdint.h>
#include <string.h>

static enum tare_status check_name(const char *name, struct tare_err *err)
{
    if (!*name)
        return err_set(err, TARE_INVALID, "a parameter needs a name");
    if (strpbrk(name, "{}"))
        return err_set(err, TARE_INVALID, "parameter '%s': give its name without braces, and write {name} in the command", name);
    return TARE_OK;
}

enum { DIGITS_MAX = 18 }; /* any number of that many digits fits in 64 bits, and so does the difference of two */

struct number {
    int64_t value;
    int scale;
};

/* Digits of `text` into n, with at most one point; false when there is anything else, or no digit at all. *kept counts the
 * significant ones; past DIGITS_MAX they are dropped. */
static bool read_digits(const char *text, struct number *n, int *kept)
{
    bool point = false, any = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        any = true;
        n->scale += point;
        *kept += n->value || *text != '0';
        if (*kept <= DIGITS_MAX)
            n->value = n->value * 10 + (*text - '0');
    }
    return any && !*text;
}

static enum tare_status parse_number(const char *text, struct number *n, struct tare_err *err)
{
    *n = (struct number){0};
    bool negative = *text == '-';
    int kept = 0;
    if (!read_digits(text + (*text == '-' || *text == '+'), n, &kept))
        return err_set(err, TARE_INVALID, "'%s' is not a plain decimal number (such as 10, -2 or 0.25)", text);
    if (kept > DIGITS_MAX || n->scale > DIGITS_MAX)
        return err_set(err, TARE_TOO_LARGE, "'%s' has more than %d digits", text, DIGITS_MAX);
    if (negative)
        n->value = -n->value;
    return TARE_OK;
}

static enum tare_status rescale_number(struct number *n, int scale, const char *text, struct tare_err *err)
{
    const int64_t limit = INT64_C(1000000000000000000); /* 10^DIGITS_MAX */
    for (; n->scale < scale; n->scale++) {
        if (n->value >= limit / 10 || n->value <= -limit / 10)
            return err_set(err, TARE_TOO_LARGE, "'%s' written with %d decimals has more than %d digits", text, scale, DIGITS_MAX);
        n->value *= 10;
    }
    return TARE_OK;
}

static char *number_text(struct arena *a, struct number n, int decimals)
{
    for (; n.scale > decimals; n.scale--)
        n.value /= 10; /* what falls off is zeros: the value lies on the grid of `decimals` */
    char array[48];
    struct buf b = buf_over(array, sizeof array);
    uint64_t magnitude = n.value < 0 ? 0 - (uint64_t)n.value : (uint64_t)n.value, unit = 1;
    for (int i = 0; i < n.scale; i++)
        unit *= 10;
    buf_format(&b, "%s%llu", n.value < 0 ? "-" : "", (unsigned long long)(magnitude / unit));
    if (n.scale)
        buf_format(&b, ".%0*llu", n.scale, (unsigned long long)(magnitude % unit));
    return arena_copy(a, array, b.len);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

struct range {
    struct number min, max, step;
    int min_decimals, step_decimals;
    uint64_t n; /* values; 0 until checked */
};

static enum tare_status read_range(const char *min, const char *max, const char *step, struct range *r, struct tare_err *err)
{
    enum tare_status status;
    if ((status = parse_number(min, &r->min, err)) || (status = parse_number(max, &r->max, err)) ||
        (status = parse_number(step ? step : "1", &r->step, err)))
        return status;
    if (!step && (strchr(min, '.') || strchr(max, '.')))
        return err_set(err, TARE_INVALID, "a scan over decimals needs a step: -D STEP");
    r->min_decimals = r->min.scale;
    r->step_decimals = r->step.scale;
    int scale = larger(larger(r->min.scale, r->max.scale), r->step.scale);
    if ((status = rescale_number(&r->min, scale, min, err)) || (status = rescale_number(&r->max, scale, max, err)))
        return status;
    return rescale_number(&r->step, scale, step ? step : "1", err);
}

static enum tare_status check_range(struct range *r, const char *min, const char *max, const char *step, struct tare_err *err)
{
    if (r->step.value == 0)
        return err_set(err, TARE_INVALID, "a step of 0 never ends; give -D a step above 0");
    if (r->step.value < 0)
        return err_set(err, TARE_INVALID, "the step %s is negative; scans go upwards, give -D a step above 0", step);
    if (r->min.value > r->max.value)
        return err_set(err, TARE_INVALID, "the smallest value %s is above the largest, %s; swap them", min, max);
    r->n = ((uint64_t)r->max.value - (uint64_t)r->min.value) / (uint64_t)r->step.value + 1;
    if (r->n > PARAMETERS_MAX)
        return err_set(err, TARE_TOO_LARGE, "%s to %s in steps of %s are %llu values, and the limit is %d; use a larger -D", min,
                       max, step ? step : "1", (unsigned long long)r->n, PARAMETERS_MAX);
    return TARE_OK;
}

static enum tare_status scan_values(struct arena *a, const char *min, const char *max, const char *step,
                                    struct parameter_values *out, struct tare_err *err)
{
    struct range r = {0};
    enum tare_status status;
    if ((status = read_range(min, max, step, &r, err)) || (status = check_range(&r, min, max, step, err)))
        return status;
    const char **values = arena_array(a, r.n, sizeof *values);
    if (!values)
        return err_no_memory(err);
    for (uint64_t i = 0; i < r.n; i++) {
        struct number v = {.value = r.min.value + (int64_t)i * r.step.value, .scale = r.min.scale};
        values[i] = number_text(a, v, i ? larger(r.min_decimals, r.step_decimals) : r.min_decimals);
        if (!values[i])
            return err_no_memory(err);
    }
    out->values = values;
    out->n = (int)r.n;
    return TARE_OK;
}

static enum tare_status with_name(enum tare_status status, const char *option, const char *name, struct tare_err *err)
{
    char where[80];
    buf_print(where, sizeof where, "%s %s", option, name);
    if (status)
        err_prefix(err, where);
    return status;
}

enum tare_status parameters_scan(struct arena *a, const char *name, const char *min, const char *max, const char *step,
                                 struct parameter_values *out, struct tare_err *err)
{
    *out = (struct parameter_values){.name = name};
    enum tare_status status = check_name(name, err);
    return status ? status : with_name(scan_values(a, min, max, step, out, err), "-P", name, err);
}

static int count_values(const char *list)
{
    int n = 1;
    for (; *list && n <= PARAMETERS_MAX; list++) {
        if (*list == '\\' && list[1])
            list++;
        else
            n += *list == ',';
    }
    return n;
}

/* One value into `to`, closed by a zero; returns where the next one begins. */
static const char *unescape(const char *list, char **to)
{
    for (; *list && *list != ','; list++) {
        if (*list == '\\' && (list[1] == ',' || list[1] == '\\'))
            list++;
        *(*to)++ = *list;
    }
    *(*to)++ = 0;
    return list + (*list == ',');
}

static enum tare_status split_list(struct arena *a, const char *list, struct parameter_values *out, struct tare_err *err)
{
    if (!*list)
        return err_set(err, TARE_INVALID, "the list is empty; write the values with commas between them: a,b");
    int n = count_values(list);
    if (n > PARAMETERS_MAX)
        return err_set(err, TARE_TOO_LARGE, "more than %d values", PARAMETERS_MAX);
    const char **values = arena_array(a, (size_t)n, sizeof *values);
    char *bytes = arena_alloc(a, strlen(list) + 1);
    if (!values || !bytes)
        return err_no_memory(err);
    for (int i = 0; i < n; i++) {
        values[i] = bytes;
        list = unescape(list, &bytes);
    }
    out->values = values;
    out->n = n;
    return TARE_OK;
}

enum tare_status parameters_list(struct arena *a, const char *name, const char *list, struct parameter_values *out,
                                 struct tare_err *err)
{
    *out = (struct parameter_values){.name = name};
    enum tare_status status = check_name(name, err);
    return status ? status : with_name(split_list(a, list, out, err), "-L", name, err);
}

/* The parameter whose {NAME} begins at `text`, or NULL. */
static const struct parameter *parameter_at(const char *text, const struct parameter *parameters, int n)
{
    if (*text != '{')
        return NULL;
    for (int i = 0; i < n; i++) {
        size_t len = strlen(parameters[i].name);
        if (strncmp(text + 1, parameters[i].name, len) == 0 && text[1 + len] == '}')
            return &parameters[i];
    }
    return NULL;
}

/* Writes to `out` unless it is NULL; returns the length. */
static size_t fill_text(char *out, const char *text, const struct parameter *parameters, int n)
{
    size_t len = 0;
    while (*text) {
        const struct parameter *p = parameter_at(text, parameters, n);
        const char *from = p ? p->value : text;
        size_t bytes = p ? strlen(p->value) : 1;
        if (out && bytes)
            memcpy(out + len, from, bytes);
        len += bytes;
        text += p ? strlen(p->name) + 2 : 1;
    }
    return len;
}

const char *parameters_fill(struct arena *a, const char *text, const struct parameter *parameters, int n)
{
    if (n == 0 || !strchr(text, '{'))
        return text;
    char *out = arena_alloc(a, fill_text(NULL, text, parameters, n) + 1);
    if (out)
        fill_text(out, text, parameters, n);
    return out;
}

bool parameters_used(const char *text, const char *name)
{
    const struct parameter p = {.name = name, .value = ""};
    for (; (text = strchr(text, '{')); text++)
        if (parameter_at(text, &p, 1))
            return true;
    return false;
}
