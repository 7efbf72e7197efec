/* SPDX-License-Identifier: MIT
 *
 * Files of JMH (-rf json): a list of benchmarks with params, mode and primaryMetric, whose rawData has a list of values for each fork (a process),
 * one an iteration, in scoreUnit. secondaryMetrics, of profilers, have lists of the same form. With -bm sample JMH writes histograms
 * in place of the values: of such a benchmark the median is the one value, unless another mode has its values (-bm all).
 */
#include "foreign.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "JMH JSON",
    .value = "the score of one iteration of one fork",
    .order = "one benchmark after the other, as JMH does",
    .limits = "iterations of one JMH fork share a process, its compiled code and its memory layout, and are not independent",
};

struct jmh {
    struct foreign *f;
    int n;                                              /* columns, of which the last is the fork */
    const struct json_value *fork[FOREIGN_COLUMNS_MAX]; /* of each column's raw data */
    struct foreign_unit unit[FOREIGN_COLUMNS_MAX];
};

static bool jmh_file(const struct json_value *root)
{
    return json_is_array(root) && json_is_object(json_member(json_first(root), "primaryMetric"));
}

/* One that has not a value for each of the primary one's cannot stand beside it. */
static bool same_form(const struct json_value *a, const struct json_value *b)
{
    bool same = json_count(a) == json_count(b);
    for (a = json_first(a), b = json_first(b); a && b && same; a = json_next(a), b = json_next(b))
        same = json_count(a) == json_count(b);
    return same;
}

/* By their own names: several may have one unit. */
static enum tare_status add_secondary(struct jmh *j, const struct json_value *metric)
{
    const char *unit = "1", *key = json_key(metric);
    json_text_of(json_member(metric, "scoreUnit"), &unit);
    const char *named = arena_format(&j->f->arena, "jmh:%s", key);
    const char *id = named ? foreign_metric_id(j->f, named, unit) : NULL;
    if (!id)
        return err_no_memory(j->f->err);
    for (int i = 0; i < j->n; i++)
        if (!strcmp(j->unit[i].column, id))
            return TARE_OK;
    size_t n = strlen(unit);
    bool per_op = n > 3 && !strcmp(unit + n - 3, "/op");
    const struct metric m = {id, id + sizeof "jmh:" - 1, unit, METRIC_COUNT, per_op ? METRIC_LOWER : METRIC_NEUTRAL, NULL};
    j->fork[j->n] = json_first(json_member(metric, "rawData"));
    j->unit[j->n++] = (struct foreign_unit){id, 1};
    return foreign_metric(j->f, &m);
}

static int parameters_of(const struct json_value *b, struct parameter parameters[FOREIGN_PARAMETERS_MAX])
{
    int n = 0;
    for (const struct json_value *p = json_first(json_member(b, "params")); p && n < FOREIGN_PARAMETERS_MAX; p = json_next(p)) {
        const char *text = "";
        json_text_of(p, &text);
        if (json_key(p))
            parameters[n++] = (struct parameter){json_key(p), text};
    }
    return n;
}

/* "org.Sort.quick:size=10" */
static enum tare_status full_name(struct foreign *f, const struct json_value *b, const char **name)
{
    struct parameter parameters[FOREIGN_PARAMETERS_MAX];
    struct buf full = BUF_INIT(1 << 24);
    if (!json_text_of(json_member(b, "benchmark"), name))
        return foreign_wrong(f, "a benchmark without its name");
    buf_str(&full, *name);
    for (int i = 0, n = parameters_of(b, parameters); i < n; i++)
        buf_format(&full, ":%s=%s", parameters[i].name, parameters[i].value);
    *name = arena_keep(&f->arena, &full);
    return *name ? TARE_OK : err_no_memory(f->err);
}

static enum tare_status add_benchmark(struct jmh *j, const struct json_value *b, const char *name, int *series)
{
    struct parameter parameters[FOREIGN_PARAMETERS_MAX];
    struct subject s = {.name = name, .parameters = parameters, .n_parameters = parameters_of(b, parameters)};
    const char *columns[FOREIGN_COLUMNS_MAX];
    json_text_of(json_member(b, "benchmark"), &s.command);
    for (int i = 0; i < j->n; i++)
        columns[i] = j->unit[i].column;
    columns[j->n] = "process";
    return foreign_subject(j->f, &s, columns, j->n + 1, series);
}

static enum tare_status read_fork(struct jmh *j, int series, int fork)
{
    const struct json_value *value[FOREIGN_COLUMNS_MAX] = {NULL};
    enum tare_status status = TARE_OK;
    double x;
    for (int i = 0; i < j->n; i++)
        value[i] = json_first(j->fork[i]);
    if (!value[0])
        status = foreign_left_out(j->f, j->f->r->subjects[series].name);
    while (value[0] && !status) {
        for (int i = 1; i < j->n; i++) {
            j->f->values[i] = json_number_of(value[i], &x) ? x : NAN;
            value[i] = json_next(value[i]);
        }
        j->f->values[j->n] = fork;
        status = foreign_value(j->f, series, json_number_of(value[0], &x) ? x : NAN, j->unit[0].factor);
        value[0] = json_next(value[0]);
    }
    for (int i = 0; i < j->n; i++)
        j->fork[i] = json_next(j->fork[i]);
    return status;
}

static const struct json_value *values_of(const struct json_value *b)
{
    return json_member(json_member(b, "primaryMetric"), "rawData");
}

static enum tare_status add_primary(struct jmh *j, const struct json_value *b)
{
    const char *unit = "";
    json_text_of(json_member(json_member(b, "primaryMetric"), "scoreUnit"), &unit);
    j->fork[j->n] = json_first(values_of(b));
    return foreign_unit(j->f, unit, &j->unit[j->n++]);
}

static enum tare_status read_summary(struct foreign *f, const struct json_value *b, const char *name,
                                     const struct foreign_names *measured)
{
    struct jmh j = {.f = f};
    const struct json_value *primary = json_member(b, "primaryMetric"), *mean = json_member(primary, "score"),
                            *median = json_member(json_member(primary, "scorePercentiles"), "50.0");
    int series;
    if (!foreign_is_summary(median, mean))
        return foreign_without_values(f, name, "it has no values");
    if (foreign_names_have(measured, name)) {
        foreign_note(f, "the summary of '%s' was left out: another mode has its values", name);
        return TARE_OK;
    }
    if (json_count(json_member(b, "secondaryMetrics")))
        foreign_note(f, "secondary metrics of benchmarks without samples were left out");
    f->values[1] = NAN;
    enum tare_status status = add_primary(&j, b);
    if (!status)
        status = add_benchmark(&j, b, name, &series);
    return status ? status : foreign_summary(f, series, median, mean, j.unit[0].factor);
}

static enum tare_status read_values(struct foreign *f, const struct json_value *b, const char *name)
{
    struct jmh j = {.f = f};
    const struct json_value *raw = values_of(b);
    int series;
    enum tare_status status = add_primary(&j, b);
    for (const struct json_value *m = json_first(json_member(b, "secondaryMetrics")); m && !status; m = json_next(m)) {
        if (!json_key(m) || j.n == FOREIGN_COLUMNS_MAX - 1)
            break;
        if (same_form(raw, json_member(m, "rawData")))
            status = add_secondary(&j, m);
        else
            foreign_note(j.f, "'%s' was left out: it has not a value for each iteration", json_key(m));
    }
    if (!status)
        status = add_benchmark(&j, b, name, &series);
    for (int fork = 0; !status && j.fork[0]; fork++)
        status = read_fork(&j, series, fork);
    return status;
}

/* Of these no summary is read, be it before them. */
static enum tare_status find_measured(struct foreign *f, const struct json_value *root, struct foreign_names *out)
{
    enum tare_status status = foreign_names_room(f, out, json_count(root));
    for (const struct json_value *b = json_first(root); b && !status; b = json_next(b))
        if (json_count(values_of(b)))
            status = full_name(f, b, &out->names[out->n++]);
    if (!status)
        foreign_names_sort(out);
    return status;
}

static enum tare_status read_benchmark(struct foreign *f, const struct json_value *b, const struct foreign_names *measured)
{
    const char *name;
    enum tare_status status = full_name(f, b, &name);
    if (status)
        return status;
    return json_count(values_of(b)) ? read_values(f, b, name) : read_summary(f, b, name, measured);
}

static enum tare_status jmh_read(struct foreign *f, const struct json_value *root)
{
    struct foreign_names measured;
    enum tare_status status = foreign_fact(f, &f->r->build, "jdk_version", json_member(json_first(root), "jdkVersion"));
    if (!status)
        status = foreign_fact(f, &f->r->build, "vm_name", json_member(json_first(root), "vmName"));
    if (!status)
        status = find_measured(f, root, &measured);
    for (const struct json_value *b = json_first(root); b && !status; b = json_next(b))
        status = read_benchmark(f, b, &measured);
    return status;
}

const struct json_format jmh_format = {jmh_file, jmh_read, &source};
