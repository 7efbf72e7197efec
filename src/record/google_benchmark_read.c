/* SPDX-License-Identifier: MIT
 *
 * Files of google-benchmark, --benchmark_format=json: `context`, and `benchmarks[]` with one entry a repetition, and after them
 * entries for mean, median, stddev, cv, BigO and RMS, which are no samples: the median is the one value of a benchmark without repetitions,
 * unless these failed. An entry's value is the mean time of `iterations` passes in the unit `time_unit`. The aggregates are told by run_type; in
 * files older than that by aggregate_name or the end of the name.
 */
#include "foreign.h"
#include <math.h>
#include <string.h>

static const struct foreign_source source = {
    .format = "google-benchmark JSON",
    .value = "the mean of one repetition's iterations",
    .order = "unknown: the file does not say whether the repetitions were interleaved",
    .limits =
        "all repetitions of a google-benchmark file come from one process; each value is a mean over iterations, so neither its "
        "spread nor its extremes are those of single passes",
};

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static bool is_sample(const struct json_value *entry, const char *name)
{
    static const char *const summaries[] = {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"};
    const char *type;
    if (json_text_of(json_member(entry, "run_type"), &type))
        return !strcmp(type, "iteration");
    if (json_member(entry, "aggregate_name"))
        return false;
    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
        if (ends_with(name, summaries[i]))
            return false;
    return true;
}

/* Nanoseconds in the entry's unit; 0: an unknown unit. */
static double unit_of(const struct json_value *entry)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const char *name = "ns"; /* left out by old versions */
    json_text_of(json_member(entry, "time_unit"), &name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].name, name))
            return units[i].ns;
    return 0;
}

/* Counters: numbers beside the members that every entry has. */

static bool is_counter(const struct json_value *member)
{
    static const char *const known[] = {"family_index",   "per_family_instance_index",
                                        "repetitions",    "repetition_index",
                                        "threads",        "iterations",
                                        "real_time",      "cpu_time",
                                        "error_occurred", "skipped",
                                        "aggregate_unit"};
    double number;
    if (!json_key(member) || !*json_key(member) || !json_number_of(member, &number))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], json_key(member)))
            return false;
    return true;
}

/* "counter:items_per_second": never the name of a metric of ours. */
static enum tare_status counter_id(struct foreign *f, const char *key, const char **out)
{
    const char *id = *out = arena_format(&f->arena, "counter:%s", key);
    if (!id)
        return err_no_memory(f->err);
    const struct metric m = {.id = id,
                             .title = key,
                             .unit = "1",
                             .kind = METRIC_COUNT,
                             .direction = ends_with(key, "_per_second") ? METRIC_HIGHER : METRIC_NEUTRAL};
    return foreign_metric(f, &m);
}

/* The first repetition says which counters there are. */
static enum tare_status add_benchmark(struct foreign *f, const struct json_value *entry, const char *name, int *series)
{
    const char *columns[FOREIGN_COLUMNS_MAX] = {"wall", "cpu", "iterations"};
    int n = 3;
    for (const struct json_value *m = json_first(entry); m && n < FOREIGN_COLUMNS_MAX; m = json_next(m)) {
        if (!is_counter(m))
            continue;
        const char *id;
        enum tare_status status = counter_id(f, json_key(m), &id);
        if (status)
            return status;
        n = foreign_add_column(columns, n, id);
    }
    const struct subject s = {.name = name};
    return foreign_subject(f, &s, columns, n, series);
}

static bool has_counter(const struct series *s, const char *key)
{
    int i = 3;
    while (i < s->n_columns && strcmp(s->columns[i] + sizeof "counter:" - 1, key) != 0)
        i++;
    return i < s->n_columns;
}

static enum tare_status add_values(struct foreign *f, const struct json_value *entry, double unit_ns, int series)
{
    const struct series *s = &f->r->series[series];
    for (const struct json_value *m = json_first(entry); m; m = json_next(m))
        if (is_counter(m) && !has_counter(s, json_key(m)))
            foreign_note(f, "'%s': counter '%s' was left out: its first repetition has no room for it, or lacks it",
                         f->r->subjects[series].name, json_key(m));
    f->values[0] = unit_ns * json_double(json_member(entry, "real_time"));
    f->values[1] = unit_ns * json_double(json_member(entry, "cpu_time"));
    f->values[2] = json_member(entry, "aggregate_name") ? NAN : json_double(json_member(entry, "iterations"));
    for (int i = 3; i < s->n_columns; i++)
        f->values[i] = json_double(json_member(entry, s->columns[i] + sizeof "counter:" - 1));
    for (int i = 0; i < s->n_columns; i++)
        f->values[i] = isfinite(f->values[i]) ? f->values[i] : NAN;
    return foreign_row(f, series, false);
}

static bool possible(const struct json_value *entry)
{
    static const char *const members[][2] = {{"real_time", "wall"}, {"cpu_time", "cpu"}, {"iterations", "iterations"}};
    double value, real;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (json_number_of(json_member(entry, members[i][0]), &value) &&
            !foreign_possible(members[i][1], i < 2 ? value * unit_of(entry) : value)) /* times have the unit of the entry */
            return false;
    if (json_number_of(json_member(entry, "iterations"), &value) && value != floor(value))
        return false;
    return json_number_of(json_member(entry, "real_time"), &real) && unit_of(entry) != 0;
}

/* Repetitions are of one; two benchmarks that were registered by one name are of two. Older files do not say: below 0. */
static double family_of(const struct json_value *entry)
{
    double family = -1, instance = 0;
    json_number_of(json_member(entry, "family_index"), &family);
    json_number_of(json_member(entry, "per_family_instance_index"), &instance);
    return family * 1e6 + instance;
}

static int find_benchmark(const struct foreign *f, const char *name, double family)
{
    const int first = foreign_find(f, name);
    for (int i = first; i >= 0 && i < f->r->n_subjects; i++)
        if (f->families[i] == family && !strcmp(f->r->subjects[i].command, name))
            return i;
    return -1;
}

static bool has_samples(const struct foreign *f, const struct json_value *entry, const char *name)
{
    return family_of(entry) < 0 ? foreign_find(f, name) >= 0 : find_benchmark(f, name, family_of(entry)) >= 0;
}

static enum tare_status read_values(struct foreign *f, const struct json_value *entry, const char *name)
{
    int series = find_benchmark(f, name, family_of(entry));
    enum tare_status status = series < 0 ? add_benchmark(f, entry, name, &series) : TARE_OK;
    if (!status)
        f->families[series] = family_of(entry);
    return status ? status : add_values(f, entry, unit_of(entry), series);
}

static bool is_aggregate(const struct json_value *entry, const char *given)
{
    const char *type;
    return json_text_of(json_member(entry, "aggregate_name"), &type) && !strcmp(type, given);
}

/* Behind the mean, before the next benchmark's. */
static bool median_follows(const struct json_value *mean)
{
    const struct json_value *v = json_next(mean);
    const char *name, *other;
    bool same = json_text_of(json_member(mean, "run_name"), &name);
    while (v && same && !is_aggregate(v, "median")) {
        same = json_text_of(json_member(v, "run_name"), &other) && !strcmp(other, name) && !is_aggregate(v, "mean");
        v = json_next(v);
    }
    return v && same && json_text_of(json_member(v, "run_name"), &other) && !strcmp(other, name);
}

/* Those of a benchmark stand behind its repetitions, if these are written at all (ReportAggregatesOnly, DisplayAggregatesOnly). */
static enum tare_status read_summary(struct foreign *f, const struct json_value *entry, const struct foreign_names *failed)
{
    const char *name;
    const bool median = is_aggregate(entry, "median");
    if ((!median && !is_aggregate(entry, "mean")) || !json_text_of(json_member(entry, "run_name"), &name) ||
        has_samples(f, entry, name) || foreign_names_have(failed, name))
        return TARE_OK;
    if (!median)
        return median_follows(entry) ? TARE_OK : foreign_without_values(f, name, "it has no repetitions and no median");
    if (!possible(entry))
        return foreign_left_out(f, name);
    enum tare_status status = read_values(f, entry, name);
    if (!status)
        foreign_summed(f, f->r->n_subjects - 1, true);
    return status;
}

static bool has_failed(const struct json_value *entry)
{
    return json_flag(entry, "skipped") || json_flag(entry, "error_occurred");
}

/* What remains of these is not what they measure. */
static enum tare_status find_failed(struct foreign *f, const struct json_value *entries, struct foreign_names *out)
{
    const char *name;
    enum tare_status status = foreign_names_room(f, out, json_count(entries));
    for (const struct json_value *v = status ? NULL : json_first(entries); v; v = json_next(v)) {
        if (!json_text_of(json_member(v, "name"), &name) || !is_sample(v, name) || (!has_failed(v) && possible(v)))
            continue;
        json_text_of(json_member(v, "run_name"), &name);
        out->names[out->n++] = name;
    }
    if (!status)
        foreign_names_sort(out);
    return status;
}

static enum tare_status read_entry(struct foreign *f, const struct json_value *entry, const struct foreign_names *failed)
{
    const char *name, *run_name, *message = "no reason given";
    if (!json_text_of(json_member(entry, "name"), &name))
        return foreign_wrong(f, "a benchmark without its name");
    if (!is_sample(entry, name))
        return read_summary(f, entry, failed);
    if (has_failed(entry)) {
        if (!json_text_of(json_member(entry, "error_message"), &message))
            json_text_of(json_member(entry, "skip_message"), &message); /* from 1.8 on */
        foreign_note(f, "'%s' was left out: it failed or was skipped (%s)", name, message);
        json_text_of(json_member(entry, "run_name"), &name);
        return foreign_failed(f, name, json_flag(entry, "skipped"), message);
    }
    if (json_text_of(json_member(entry, "run_name"), &run_name))
        name = run_name;
    return possible(entry) ? read_values(f, entry, name) : foreign_left_out(f, name);
}

static enum tare_status read_context(struct foreign *f, const struct json_value *context)
{
    struct record *r = f->r;
    const struct json_value *mhz = json_member(context, "mhz_per_cpu");
    double value;
    enum tare_status status = foreign_fact(f, &r->machine, "host_name", json_member(context, "host_name"));
    if (!status)
        status = foreign_fact(f, &r->machine, "cpus_online", json_member(context, "num_cpus"));
    if (!status && json_number_of(mhz, &value) && facts_add_number(r, &r->machine, "nominal_hz", value * 1e6))
        status = err_no_memory(f->err);
    if (!status)
        status = foreign_fact(f, &r->before, "frequency_scaling", json_member(context, "cpu_scaling_enabled"));
    if (!status)
        status = foreign_fact(f, &r->before, "date", json_member(context, "date"));
    if (!status)
        status = foreign_fact(f, &r->build, "library_build_type", json_member(context, "library_build_type"));
    return status ? status : foreign_fact(f, &r->build, "executable", json_member(context, "executable"));
}

static bool google_benchmark_file(const struct json_value *root)
{
    const struct json_value *benchmarks = json_member(root, "benchmarks");
    return json_is_array(benchmarks) &&
           (json_is_object(json_member(root, "context")) || json_member(json_first(benchmarks), "real_time"));
}

static enum tare_status google_benchmark_read(struct foreign *f, const struct json_value *root)
{
    f->families = arena_array(&f->arena, FOREIGN_SUBJECTS_MAX, sizeof *f->families);
    const struct json_value *entries = json_member(root, "benchmarks");
    struct foreign_names failed;
    enum tare_status status = f->families ? read_context(f, json_member(root, "context")) : err_no_memory(f->err);
    if (!status)
        status = find_failed(f, entries, &failed);
    for (const struct json_value *v = json_first(entries); v && !status; v = json_next(v))
        status = read_entry(f, v, &failed);
    return status;
}

const struct json_format google_benchmark_format = {google_benchmark_file, google_benchmark_read, &source};
