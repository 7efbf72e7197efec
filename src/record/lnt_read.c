/* SPDX-License-Identifier: MIT
 *
 * Reports of LNT: {"format_version": "2", "machine", "run", "tests": [{"name", "execution_time": [0.5, ...], "execution_time_status"}]}, where a metric is a
 * number or a list, and the older {"Machine", "Run", "Tests": [{"Name": "nts.x.exec", "Data": [0.5, ...]}]}, where the metric ends the
 * name. The metrics are those of the suite nts; others are read without a unit.
 */
#include "foreign.h"
#include <string.h>

static const struct foreign_source source = {
    .format = "LNT JSON",
    .value = "one execution of the test",
    .order = "unknown: the file does not say in which order its tests ran",
    .limits = "a report of LNT does not say how a value was measured",
};

struct lnt_metric {
    const char *theirs, *old_end, *ours, *unit;
    double factor;
    enum metric_kind kind;
    enum metric_direction direction;
};

static const struct lnt_metric metrics[] = {
    {"execution_time", ".exec", "wall", "ns", 1e9, METRIC_TIME, METRIC_LOWER},
    {"compile_time", ".compile", "compile_time", "ns", 1e9, METRIC_TIME, METRIC_LOWER},
    {"score", ".score", "score", "1", 1, METRIC_COUNT, METRIC_HIGHER},
    {"mem_bytes", ".mem", "mem_bytes", "bytes", 1, METRIC_SIZE, METRIC_LOWER},
    {"code_size", ".code_size", "code_size", "bytes", 1, METRIC_SIZE, METRIC_LOWER},
};

bool lnt_file(const struct json_value *root)
{
    return (json_member(root, "format_version") && json_is_array(json_member(root, "tests"))) ||
           (json_member(root, "Machine") && json_is_array(json_member(root, "Tests")));
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

/* A number, or a list that begins with one; hash, profile and status are not measured. */
static bool is_measured(const struct json_value *member)
{
    double value;
    return !ends_with(json_key(member), "_status") && !ends_with(json_key(member), ".status") &&
           json_number_of(json_is_array(member) ? json_first(member) : member, &value);
}

static enum tare_status metric_of(struct foreign *f, const char *name, bool old, struct foreign_unit *to)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct lnt_metric *m = &metrics[i];
        if (old ? !ends_with(name, m->old_end) : strcmp(name, m->theirs) != 0)
            continue;
        *to = (struct foreign_unit){m->ours, m->factor};
        return foreign_metric(f, metric_builtin_find(m->ours) ? metric_builtin_find(m->ours)
                                                               : &(struct metric){m->ours, m->ours, m->unit, m->kind, m->direction,
                                                                                  NULL});
    }
    return foreign_named_unit(f, old ? NULL : name, "", to);
}

struct test {
    const char *name;
    const struct json_value *next[FOREIGN_COLUMNS_MAX]; /* value of each column */
    struct foreign_unit unit[FOREIGN_COLUMNS_MAX];
    int n;
};

static enum tare_status add_column(struct foreign *f, struct test *t, const char *metric, bool old, const struct json_value *values)
{
    if (t->n == FOREIGN_COLUMNS_MAX || !(json_is_array(values) ? json_first(values) : values))
        return TARE_OK;
    t->next[t->n] = json_is_array(values) ? json_first(values) : values;
    return metric_of(f, metric, old, &t->unit[t->n++]);
}

static bool next_row(struct foreign *f, struct test *t)
{
    bool any = false;
    double value;
    for (int i = 0; i < t->n; i++) {
        f->values[i] = json_number_of(t->next[i], &value) ? value * t->unit[i].factor : NAN;
        if (!isfinite(f->values[i]) || !foreign_possible(t->unit[i].column, f->values[i])) {
            f->left_out += t->next[i] != NULL;
            f->values[i] = NAN;
        }
        any |= t->next[i] != NULL;
        t->next[i] = t->next[i] && !json_key(t->next[i]) ? json_next(t->next[i]) : NULL; /* a number alone is a member */
    }
    return any;
}

static enum tare_status add_test(struct foreign *f, struct test *t)
{
    const struct subject s = {.name = t->name};
    const char *columns[FOREIGN_COLUMNS_MAX];
    int series;
    for (int i = 0; i < t->n; i++)
        columns[i] = t->unit[i].column;
    enum tare_status status = t->n ? foreign_subject(f, &s, columns, t->n, &series) : TARE_OK;
    while (!status && next_row(f, t))
        status = foreign_row(f, series, false);
    return status;
}

static enum tare_status read_test(struct foreign *f, const struct json_value *v)
{
    struct test t = {.n = 0};
    enum tare_status status = TARE_OK;
    bool old = json_text_of(json_member(v, "Name"), &t.name);
    if (!old && !json_text_of(json_member(v, "name"), &t.name))
        return foreign_wrong(f, "a test without its name");
    if (old && !ends_with(t.name, ".status") && !ends_with(t.name, ".hash"))
        status = add_column(f, &t, t.name, true, json_member(v, "Data"));
    for (const struct json_value *m = old ? NULL : json_first(v); m && !status; m = json_next(m))
        if (is_measured(m))
            status = add_column(f, &t, json_key(m), false, m);
    return status ? status : add_test(f, &t);
}

enum tare_status lnt_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *machine = json_member(root, "machine"), *tests = json_member(root, "tests");
    enum tare_status status = foreign_describe(f, &source);
    if (!status)
        status = foreign_fact(f, &f->r->machine, "host_name",
                              machine ? json_member(machine, "name") : json_member(json_member(root, "Machine"), "Name"));
    for (const struct json_value *v = json_first(tests ? tests : json_member(root, "Tests")); v && !status; v = json_next(v))
        status = read_test(f, v);
    return status;
}
