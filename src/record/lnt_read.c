/* SPDX-License-Identifier: MIT
 *
 * Reports of LNT: {"format_version": "2", "machine", "run", "tests": [{"name", "execution_time": [0.5, ...], "execution_time_status"}]}, where a metric is a
 * number or a list, and the older {"Machine", "Run", "Tests": [{"Name": "nts.x.exec", "Data": [0.5, ...]}]}, where the metric ends the
 * name. The metrics are those of the suite nts; others are read without a unit. What failed by its status, "execution_status", "compile_status" or
 * that of another metric, in the older form another test "nts.x.exec.status", has no value.
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
    const char *theirs, *status, *old_end, *ours, *unit;
    double factor;
    enum metric_kind kind;
    enum metric_direction direction;
};

static const struct lnt_metric metrics[] = {
    {"execution_time", "execution_status", ".exec", "wall", "ns", 1e9, METRIC_TIME, METRIC_LOWER},
    {"compile_time", "compile_status", ".compile", "compile_time", "ns", 1e9, METRIC_TIME, METRIC_LOWER},
    {"score", "execution_status", ".score", "score", "1", 1, METRIC_COUNT, METRIC_HIGHER},
    {"mem_bytes", "execution_status", ".mem", "mem_bytes", "bytes", 1, METRIC_SIZE, METRIC_LOWER},
    {"code_size", "code_size_status", ".code_size", "code_size", "bytes", 1, METRIC_SIZE, METRIC_LOWER},
};

static bool lnt_file(const struct json_value *root)
{
    return (json_member(root, "format_version") && json_is_array(json_member(root, "tests"))) ||
           (json_member(root, "Machine") && json_is_array(json_member(root, "Tests")));
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

/* A number, or a list with one; hash, profile and status are not measured. */
static bool is_measured(const struct json_value *member)
{
    double value;
    bool any = json_number_of(member, &value);
    for (const struct json_value *v = json_is_array(member) ? json_first(member) : NULL; v && !any; v = json_next(v))
        any = json_number_of(v, &value);
    return any && !ends_with(json_key(member), "_status") && !ends_with(json_key(member), ".status");
}

static const struct lnt_metric *known(const char *name)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!strcmp(name, metrics[i].theirs))
            return &metrics[i];
    return NULL;
}

/* lnt.testing: PASS is 0, XFAIL 2. */
static bool says_failed(const struct json_value *status)
{
    enum { FAIL = 1 };
    double code;
    bool failed = json_number_of(status, &code) && code == FAIL;
    for (const struct json_value *v = json_is_array(status) ? json_first(status) : NULL; v && !failed; v = json_next(v))
        failed = json_number_of(v, &code) && code == FAIL;
    return failed;
}

static enum tare_status leave_test_out(struct foreign *f, const char *test)
{
    foreign_note(f, "'%s' was left out: its status says that it failed", test);
    return foreign_failed(f, test, false, "its status says that it failed");
}

/* Of the older form, whose status is another test. */
static enum tare_status find_failed(struct foreign *f, const struct json_value *tests, struct foreign_names *failed)
{
    enum tare_status status = foreign_names_room(f, failed, json_count(tests));
    const char *name, *of;
    for (const struct json_value *v = status ? NULL : json_first(tests); v && !status; v = json_next(v)) {
        if (!json_text_of(json_member(v, "Name"), &name) || !ends_with(name, ".status") || ends_with(name, ".hash.status") ||
            !says_failed(json_member(v, "Data")))
            continue;
        of = failed->names[failed->n++] = arena_copy(&f->arena, name, strlen(name) - strlen(".status"));
        status = of ? leave_test_out(f, of) : err_no_memory(f->err);
    }
    if (!status)
        foreign_names_sort(failed);
    return status;
}

static enum tare_status leave_out(struct foreign *f, const char *test, const char *metric)
{
    foreign_note(f, "the %s of '%s' was left out: it has no value, as of a test that failed", metric, test);
    f->left_out++;
    return TARE_OK;
}

static enum tare_status metric_of(struct foreign *f, const char *name, bool old, struct foreign_unit *to)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct lnt_metric *m = &metrics[i];
        if (old ? !ends_with(name, m->old_end) : strcmp(name, m->theirs) != 0)
            continue;
        *to = (struct foreign_unit){m->ours, m->factor};
        return foreign_metric(f, metric_builtin_find(m->ours)
                                     ? metric_builtin_find(m->ours)
                                     : &(struct metric){m->ours, m->ours, m->unit, m->kind, m->direction, NULL});
    }
    return foreign_named_unit(f, old ? NULL : name, "", to);
}

struct test {
    const char *name;
    const struct json_value *next[FOREIGN_COLUMNS_MAX]; /* value of each column */
    struct foreign_unit unit[FOREIGN_COLUMNS_MAX];
    int rows[FOREIGN_COLUMNS_MAX]; /* that are left */
    int n;
    const char *failed[FOREIGN_COLUMNS_MAX]; /* statuses of the newer form */
    int n_failed;
};

/* More than can be kept are a damaged file's: then all metrics have failed. */
static void find_failed_statuses(struct test *t, const struct json_value *test)
{
    for (const struct json_value *m = json_first(test); m && t->n_failed < FOREIGN_COLUMNS_MAX; m = json_next(m))
        if (ends_with(json_key(m), "_status") && strcmp(json_key(m), "hash_status") != 0 && says_failed(m))
            t->failed[t->n_failed++] = json_key(m);
}

static bool metric_failed(const struct test *t, const char *metric)
{
    const size_t n = strlen(metric);
    bool failed = t->n_failed == FOREIGN_COLUMNS_MAX;
    for (int i = 0; i < t->n_failed && !failed; i++)
        failed = (known(metric) && !strcmp(t->failed[i], known(metric)->status)) ||
                 (!strncmp(t->failed[i], metric, n) && !strcmp(t->failed[i] + n, "_status"));
    return failed;
}

static enum tare_status add_column(struct foreign *f, struct test *t, const char *metric, bool old,
                                   const struct json_value *values)
{
    const bool list = json_is_array(values);
    if (t->n == FOREIGN_COLUMNS_MAX || !(list ? json_first(values) : values))
        return TARE_OK;
    t->rows[t->n] = list ? json_count(values) : 1;
    t->next[t->n] = list ? json_first(values) : values;
    return metric_of(f, metric, old, &t->unit[t->n++]);
}

/* The values of these columns; one that is not there is a gap, and a row of gaps alone is none. */
static enum tare_status add_row(struct foreign *f, struct test *t, const int *columns, int n, int series)
{
    double value;
    bool any = false;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++) {
        const int c = columns[i];
        f->values[i] = json_number_of(t->next[c], &value) ? value * t->unit[c].factor : NAN;
        const bool good = isfinite(f->values[i]) && foreign_possible(t->unit[c].column, f->values[i]);
        any |= good;
        if (!good) {
            f->values[i] = NAN;
            status = foreign_left_out(f, f->r->subjects[series].name);
        }
        t->next[c] = --t->rows[c] ? json_next(t->next[c]) : NULL;
    }
    return any && !status ? foreign_row(f, series, false) : status;
}

/* Metrics with as many values as this one are its runs; others are another subject, as their values are of other runs. */
static enum tare_status add_metrics(struct foreign *f, struct test *t, int first)
{
    const struct subject s = {.name = t->name};
    const char *ids[FOREIGN_COLUMNS_MAX];
    int columns[FOREIGN_COLUMNS_MAX], n = 0, series;
    const int rows = t->rows[first];
    for (int i = first; i < t->n; i++)
        if (t->rows[i] == rows) {
            ids[n] = t->unit[i].column;
            columns[n++] = i;
        }
    enum tare_status status = foreign_subject(f, &s, ids, n, &series);
    for (int i = 0; i < rows && !status; i++)
        status = add_row(f, t, columns, n, series);
    return status;
}

/* The others are of a part that passed: what a program that failed took to compile is known. */
static enum tare_status note_failed(struct foreign *f, const struct test *t)
{
    if (!t->n)
        return leave_test_out(f, t->name);
    for (int i = 0; i < t->n_failed; i++)
        foreign_note(f, "'%s': what it measured was left out where its %s says that it failed", t->name, t->failed[i]);
    return foreign_failed(f, t->name, false, "its status says that it failed");
}

static enum tare_status read_metrics(struct foreign *f, struct test *t, const struct json_value *test)
{
    enum tare_status status = TARE_OK;
    find_failed_statuses(t, test);
    for (const struct json_value *m = json_first(test); m && !status; m = json_next(m)) {
        if (metric_failed(t, json_key(m)))
            continue;
        if (is_measured(m))
            status = add_column(f, t, json_key(m), false, m);
        else if (known(json_key(m)))
            status = leave_out(f, t->name, json_key(m));
    }
    return !status && t->n_failed ? note_failed(f, t) : status;
}

static enum tare_status read_old(struct foreign *f, struct test *t, const struct json_value *data)
{
    double only;
    if (ends_with(t->name, ".status") || ends_with(t->name, ".hash"))
        return TARE_OK;
    return json_first(data) || json_number_of(data, &only) ? add_column(f, t, t->name, true, data)
                                                           : leave_out(f, t->name, "Data");
}

static enum tare_status read_test(struct foreign *f, const struct json_value *v, const struct foreign_names *failed)
{
    struct test t = {.n = 0};
    const int64_t left_out = f->left_out;
    const bool old = json_text_of(json_member(v, "Name"), &t.name);
    if (!old && !json_text_of(json_member(v, "name"), &t.name))
        return foreign_wrong(f, "a test without its name");
    if (foreign_names_have(failed, t.name))
        return TARE_OK;
    enum tare_status status = old ? read_old(f, &t, json_member(v, "Data")) : read_metrics(f, &t, v);
    if (!status && !t.n && f->left_out > left_out) {
        f->left_out = left_out;
        status = t.n_failed ? TARE_OK : foreign_failed(f, t.name, false, "it has no value");
    }
    for (int i = 0; i < t.n && !status; i++)
        status = t.rows[i] ? add_metrics(f, &t, i) : TARE_OK;
    return status;
}

static enum tare_status lnt_read(struct foreign *f, const struct json_value *root)
{
    const struct json_value *machine = json_member(root, "machine"), *tests = json_member(root, "tests");
    enum tare_status status =
        foreign_fact(f, &f->r->machine, "host_name",
                     machine ? json_member(machine, "name") : json_member(json_member(root, "Machine"), "Name"));
    struct foreign_names failed;
    tests = tests ? tests : json_member(root, "Tests");
    if (!status)
        status = find_failed(f, tests, &failed);
    for (const struct json_value *v = json_first(tests); v && !status; v = json_next(v))
        status = read_test(f, v, &failed);
    return status;
}

const struct json_format lnt_format = {lnt_file, lnt_read, &source};
