/* SPDX-License-Identifier: MIT
 *
 * Results of asv (results/MACHINE/COMMIT-ENVIRONMENT.json, version 2): "results" has for each benchmark a list in the order of "result_columns", of
 * which "result" is a list with a median for each combination of the parameters in "params", and "samples", where asv kept them, a list of lists. null
 * is a benchmark that failed, NaN one that was skipped. Units are elsewhere (benchmarks.json): they follow from what a name begins with.
 */
#include "foreign.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "asv JSON",
    .value = "one sample, the mean of its calls, or the median of all where the samples were not kept",
    .order = "unknown: the file does not say in which order its processes ran",
    .limits = "samples of an asv file come from a few processes, and it does not say which; its medians have five digits",
};

struct asv {
    struct foreign *f;
    int result, params, samples; /* places in a benchmark's list; -1: none */
    int n;                       /* combinations so far */
};

static bool asv_file(const struct json_value *root)
{
    return json_is_object(json_member(root, "results")) && json_member(root, "commit_hash") && json_member(root, "env_name");
}

static int place_of(const struct json_value *columns, const char *name)
{
    const char *text;
    int i = 0;
    for (const struct json_value *c = json_first(columns); c; c = json_next(c), i++)
        if (json_text_of(c, &text) && !strcmp(text, name))
            return i;
    return -1;
}

/* NULL: the list ends before it, or there is no such place. */
static const struct json_value *item_at(const struct json_value *list, int place)
{
    const struct json_value *v = place < 0 ? NULL : json_first(list);
    for (; v && place > 0; place--)
        v = json_next(v);
    return v;
}

/* "(10, 'a')" of the combination with that number: the last parameter changes first. */
static void put_parameters(struct buf *b, const struct json_value *params, int number, int n)
{
    int rest = n;
    for (const struct json_value *p = json_first(params); p; p = json_next(p)) {
        const char *text = "";
        rest /= json_count(p);
        json_text_of(item_at(p, number / rest % json_count(p)), &text);
        buf_format(b, "%s%s", p == json_first(params) ? "(" : ", ", text);
    }
    if (json_first(params))
        buf_char(b, ')');
}

/* The parameters have so many combinations; so none of their lists is empty unless there are none. */
static bool has_combinations(const struct json_value *params, int n)
{
    int64_t product = 1;
    for (const struct json_value *p = json_first(params); p && product <= n; p = json_next(p))
        product *= json_count(p);
    return product == n && json_count(params) <= FOREIGN_PARAMETERS_MAX;
}

/* "sorts.Suite.time_quick" is a time, in seconds; "mem_" and "peakmem_" are bytes. */
static const char *unit_of(const char *benchmark)
{
    const char *point = strrchr(benchmark, '.'), *name = point ? point + 1 : benchmark;
    return !strncmp(name, "time", 4) ? "s" : !strncmp(name, "mem", 3) || !strncmp(name, "peakmem", 7) ? "B" : "";
}

static enum tare_status read_values(struct asv *a, const char *name, const char *unit, const struct json_value *result,
                                    const struct json_value *samples)
{
    const struct subject s = {.name = name};
    const struct json_value *v = json_count(samples) ? json_first(samples) : result;
    struct foreign_unit to;
    double value;
    int series;
    enum tare_status status = foreign_unit(a->f, unit, &to);
    if (!status)
        status = foreign_subject(a->f, &s, &to.column, 1, &series);
    for (; v && !status; v = v == result ? NULL : json_next(v))
        status = foreign_value(a->f, series, json_number_of(v, &value) ? value : NAN, to.factor);
    return status;
}

static enum tare_status leave_out(struct asv *a, const char *name, bool skipped)
{
    const char *reason = skipped ? "it was skipped" : "it failed";
    foreign_note(a->f, "'%s' was left out: %s", name, reason);
    return foreign_failed(a->f, name, skipped, reason);
}

static enum tare_status read_benchmark(struct asv *a, const struct json_value *b)
{
    const struct json_value *params = item_at(b, a->params), *samples = json_first(item_at(b, a->samples));
    const struct json_value *results = item_at(b, a->result);
    enum tare_status status = TARE_OK;
    int number = 0, n = json_count(results);
    if (json_is_null(results)) /* of all its combinations */
        return leave_out(a, json_key(b), false);
    if ((a->n += n) > FOREIGN_SUBJECTS_MAX)
        return err_set(a->f->err, TARE_TOO_LARGE, "more than %d benchmarks", (int)FOREIGN_SUBJECTS_MAX);
    if (n && !has_combinations(params, n))
        return foreign_wrong(a->f, "a benchmark of asv whose results are not those of its parameters");
    for (const struct json_value *v = json_first(results); v && !status; v = json_next(v), number++) {
        struct buf name = BUF_INIT(1 << 16);
        buf_str(&name, json_key(b));
        put_parameters(&name, params, number, n);
        const char *kept = arena_keep(&a->f->arena, &name);
        double value;
        if (!kept)
            return err_no_memory(a->f->err);
        if (json_number_of(v, &value))
            status = read_values(a, kept, unit_of(json_key(b)), v, samples);
        else
            status = leave_out(a, kept, !json_is_null(v));
        samples = samples ? json_next(samples) : NULL;
    }
    return status;
}

static enum tare_status asv_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *columns = json_member(root, "result_columns"), *machine = json_member(root, "params");
    struct asv a = {f, place_of(columns, "result"), place_of(columns, "params"), place_of(columns, "samples"), 0};
    if (a.result < 0)
        return foreign_wrong(f, "results of asv in a form older than version 2 (asv 0.5), which asv update brings up to date");
    enum tare_status status = foreign_fact(f, &f->r->machine, "host_name", json_member(machine, "machine"));
    if (!status)
        status = foreign_fact(f, &f->r->machine, "cpu_brand", json_member(machine, "cpu"));
    if (!status)
        status = foreign_fact(f, &f->r->build, "environment", json_member(root, "env_name"));
    for (const struct json_value *b = json_first(json_member(root, "results")); b && !status; b = json_next(b))
        status = read_benchmark(&a, b);
    return status;
}

const struct json_format asv_format = {asv_file, asv_read, &source};
