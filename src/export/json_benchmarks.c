/* SPDX-License-Identifier: MIT
 * "benchmarks": [{"name", "args", "program", "state", "ns": {...}, "cycles": {...} or null, ...}] of a record of tare bench. */
#include "json_parts.h"
#include <math.h>

static void figure(struct json_write *j, const struct record *r, int subject, const char *metric)
{
    if (isnan(record_point(r, subject, metric, "median"))) {
        json_null(j, metric);
        return;
    }
    json_object(j, metric);
    json_interval(j, r, subject, metric, "median", json_median_keys);
    json_number(j, "mean", record_point(r, subject, metric, "mean"));
    json_number(j, "min", record_point(r, subject, metric, "min"));
    json_end(j);
}

static void steady(struct json_write *j, const struct record *r, int subject)
{
    static const char *const kinds[][2] = {{"flat", "steady_flat"},
                                           {"warm_up", "steady_warm_up"},
                                           {"slow_down", "steady_slow_down"},
                                           {"none", "steady_none"},
                                           {"unknown", "steady_unknown"}};
    json_object(j, "steady");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double n = record_point(r, subject, "ns", kinds[i][1]);
        json_number(j, kinds[i][0], isnan(n) ? 0 : n);
    }
    json_number(j, "onset_iterations", record_point(r, subject, "ns", "onset"));
    json_end(j);
}

static void modes(struct json_write *j, const struct record *r, int subject)
{
    json_array(j, "modes");
    for (int i = 1;; i++) {
        char name[32], share[32];
        struct buf a = buf_over(name, sizeof name), b = buf_over(share, sizeof share);
        buf_format(&a, "mode_%d", i);
        buf_format(&b, "mode_%d_share", i);
        const struct estimate *e = record_estimate(r, subject, "ns", name);
        if (!e)
            break;
        json_object(j, NULL);
        json_number(j, "ns", e->point);
        json_integer(j, "processes", e->n);
        json_bool(j, "proven", record_is_by_valley(e));
        json_interval(j, r, subject, "ns", share, (const char *const[]){"share", "share_low", "share_high"});
        json_end(j);
    }
    json_end(j);
}

static double iterations(const struct series *s)
{
    const double *values = series_samples(s, "iterations");
    return values ? values[s->samples.n - 1] : NAN;
}

static void counters(struct json_write *j, const struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    double ns = record_point(r, subject, "ns", r->rule.method == METHOD_GEORGES ? "mean" : "median");
    ns = ns > 0 ? ns : NAN; /* what the overhead exceeds has no rate */
    json_object(j, "counters");
    json_number(j, "items_per_second", record_point(r, subject, "ns", "items") / ns * 1e9);
    json_number(j, "bytes_per_second", record_point(r, subject, "ns", "bytes") / ns * 1e9);
    json_end(j);
    json_array(j, "own_counters");
    for (int i = 0; i < s->n_counts; i++) {
        if (count_is_ours(&s->counts[i]))
            continue;
        struct buf name = BUF_INIT(1 << 13);
        buf_format(&name, "count:%s", s->counts[i].name);
        json_object(j, NULL);
        json_bytes(j, "name", s->counts[i].name);
        json_bytes(j, "unit", s->counts[i].unit);
        json_string(j, "per", count_per_name(s->counts[i].per));
        json_bool(j, "inverted", s->counts[i].inverted);
        json_number(j, "median", record_point(r, subject, "ns", buf_text(&name)));
        json_end(j);
        buf_finish(&name);
    }
    json_end(j);
}

static double count_median(const struct record *r, int subject, const char *name)
{
    struct buf id = BUF_INIT(1 << 13);
    buf_format(&id, "count:%s", name);
    double median = record_point(r, subject, "ns", buf_text(&id));
    buf_finish(&id);
    return median;
}

static void allocs(struct json_write *j, const struct record *r, int subject)
{
    double calls = count_median(r, subject, COUNT_ALLOCATIONS);
    if (isnan(calls)) {
        json_null(j, "allocs");
        return;
    }
    json_object(j, "allocs");
    json_number(j, "calls_per_iteration", calls);
    json_number(j, "bytes_per_iteration", count_median(r, subject, COUNT_ALLOCATED));
    json_end(j);
}

static void one(struct json_write *j, struct export_out *out, const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    const struct series *series = &r->series[subject];
    json_object(j, NULL);
    json_bytes(j, "name", s->benchmark);
    json_parameters(j, "args", s);
    json_bytes(j, "program", s->program);
    json_string(j, "state", s->failure ? subject_given_up(s) : series->main.n ? "ok" : "not measured");
    json_string(j, "reason", s->failure);
    json_string(j, "remark", s->remark);
    json_bytes(j, "label", s->label);
    figure(j, r, subject, "ns");
    figure(j, r, subject, "cycles");
    json_anchor(j, r, subject);
    json_number(j, "resolution_ns", record_point(r, subject, "ns", "resolution"));
    json_number(j, "iterations", iterations(series));
    json_integer(j, "processes", series->main.n);
    json_number(j, "samples", record_point(r, subject, "ns", "samples"));
    json_number(j, "within_sd_ns", record_point(r, subject, "ns", "within_sd"));
    json_number(j, "between_sd_ns", record_point(r, subject, "ns", "between_sd"));
    json_number(j, "samples_best", record_point(r, subject, "ns", "samples_best"));
    steady(j, r, subject);
    modes(j, r, subject);
    counters(j, r, subject);
    allocs(j, r, subject);
    json_number(j, "peak_rss_bytes", record_point(r, subject, "rss", "median"));
    json_number(j, "peak_bytes", record_point(r, subject, "peak", "median"));
    json_end(j);
    export_out_pass(out);
}

void json_benchmarks(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_array(j, "benchmarks");
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH)
            one(j, out, r, i);
    json_end(j);
}
