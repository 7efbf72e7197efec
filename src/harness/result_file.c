/* SPDX-License-Identifier: MIT */
#include "result_file.h"
#include "harness_frames.h"
#include "plat.h"
#include "stored_read.h"
#include "units.h"
#include <math.h>
#include <string.h>

enum { RESULTS_BYTES = 64 << 20, OTHERS_SHOWN = 4, SAMPLES_MOST = 1000 };

/* In the order of the option's choices. */
static const char *const formats[] = {
    NULL,
#define FOREIGN_FORMAT(word, source, maps, lost) source,
#include "foreign_formats.def"
};

static const struct harness of_files = {.name = "results", .any_time = true};

void result_file_finish(struct result_file *s)
{
    if (!s->trouble[0])
        record_finish(&s->r);
    record_reading_finish(&s->reading);
    *s = (struct result_file){.format = s->format, .trouble = "nothing was read"};
}

static enum tare_status read_text(struct result_file *s, const char *text, size_t n, struct tare_err *err)
{
    const char *wanted = formats[s->format];
    enum tare_status status = stored_read(&s->r, text, n, &s->reading, err);
    if (status)
        return status;
    const char *source = record_source(&s->r);
    if (source && (!wanted || !strcmp(source, wanted)))
        return TARE_OK;
    err_set(err, TARE_FORMAT, "it is %s, not %s", source ? source : "a record of tare", wanted ? wanted : "another tool's file");
    record_finish(&s->r);
    return TARE_FORMAT;
}

static void set_trouble(struct result_file *s, const char *path, const struct tare_err *why)
{
    struct buf trouble = buf_over(s->trouble, sizeof s->trouble);
    buf_format(&trouble, "wrote %.150s, which could not be read: %.200s", path, why->text);
}

/* Where all failed there is no value, and yet it says so. */
enum tare_status result_file_take(struct result_file *s, const char *path, const char *text, size_t n, struct tare_err *err)
{
    struct tare_err why = {""};
    result_file_finish(s);
    s->trouble[0] = 0;
    const enum tare_status status = read_text(s, text, n, &why);
    if (status)
        set_trouble(s, path, &why);
    s->failure_reported = s->reading.n_failures > 0;
    return status == TARE_NO_MEMORY ? err_no_memory(err) : TARE_OK;
}

enum tare_status result_file_read(struct result_file *s, const char *path, struct tare_err *err)
{
    struct buf text = BUF_INIT(RESULTS_BYTES), trouble = buf_over(s->trouble, sizeof s->trouble);
    struct tare_err why = {""};
    struct plat_file_state state;
    /* A pipe or a device may have no end, or never begin. */
    enum tare_status status = plat_file_state(path, &state, &why);
    if (!status && !state.regular)
        status = err_set(&why, TARE_FORMAT, "it is no regular file");
    else if (!status && state.bytes > RESULTS_BYTES)
        status = err_set(&why, TARE_TOO_LARGE, "it has %s, and %s can be read; let the command write fewer values",
                         scaled_text("bytes", (double)state.bytes).at, scaled_text("bytes", RESULTS_BYTES).at);
    if (!status)
        status = plat_file_read(path, &text, &why);
    if (!status) {
        status = result_file_take(s, path, buf_text(&text), text.len, &why);
    } else {
        result_file_finish(s);
        set_trouble(s, path, &why);
        s->missing = status == TARE_NOT_FOUND;
    }
    if (s->missing) {
        buf_clear(&trouble);
        buf_format(&trouble, "did not write %.200s", path);
    }
    buf_finish(&text);
    return status == TARE_NO_MEMORY ? err_no_memory(err) : TARE_OK;
}

/* Nanoseconds of one operation at a rate of one per unit: "ops/ms"; 0: no such rate. */
static double ns_at_rate(const char *unit)
{
    static const struct {
        const char *unit;
        double ns;
    } rates[] = {{"ops/s", 1e9}, {"ops/ms", 1e6}, {"ops/us", 1e3}, {"ops/ns", 1}, {"ops/min", 6e10}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!strcmp(unit, rates[i].unit))
            return rates[i].ns;
    return 0;
}

struct times { /* of a benchmark */
    const char *id;
    const double *values, *iterations; /* iterations NULL: not told */
    double ns_at_rate;                 /* values are rates; 0: they are nanoseconds */
    bool lost;                         /* the digits of a value are */
};

static double ns_of(const struct times *t, int i)
{
    return t->ns_at_rate ? t->ns_at_rate / t->values[i] : t->values[i];
}

static double told_iterations(const struct times *t, int i)
{
    return t->iterations && t->iterations[i] >= 1 && t->iterations[i] < 1e15 ? t->iterations[i] : 1;
}

static bool times_of(const struct record *r, int subject, struct times *out)
{
    const struct series *s = &r->series[subject];
    *out = (struct times){.values = NULL};
    for (int i = 0; i < s->n_columns && s->main.n && !out->values; i++) {
        const struct metric *m = record_metric(r, s->columns[i]);
        const bool ns = !strcmp(s->columns[i], "wall");
        const double rate = m && i == 0 ? ns_at_rate(m->unit) : 0;
        if (ns || rate)
            *out = (struct times){.id = s->columns[i], .values = s->main.value[i], .ns_at_rate = ns ? 0 : rate};
    }
    out->iterations = out->values ? series_values(s, "iterations") : NULL;
    for (int i = 0; out->values && i < s->main.n; i++)
        out->lost |= !harness_scale(ns_of(out, i) * told_iterations(out, i), told_iterations(out, i));
    return out->values;
}

/* Of very many values several in a row are one sample: a session keeps them all. */
static void put_samples(struct buf *frames, const struct times *t, int n)
{
    const int each = (n + SAMPLES_MOST - 1) / SAMPLES_MOST;
    for (int first = 0; first < n; first += each) {
        double count = 0, ns = 0;
        for (int i = first; i < n && i < first + each; i++) {
            count += told_iterations(t, i);
            ns += ns_of(t, i) * told_iterations(t, i);
        }
        harness_put_sample(frames, ns, count);
    }
}

static void put_values(struct result_file *s, int subject, const struct times *t, const char *benchmark, struct buf *frames)
{
    static const char *const unknown = "times are those in the file";
    struct wire_end end = harness_end();
    harness_put_counters(&of_files, &s->r, &s->r.series[subject], benchmark, t->id, &end, s->steps);
    if (t->ns_at_rate)
        s->steps[0] = NAN;
    harness_put_hello(frames, &of_files, 1, "");
    wire_put_clock(frames, &(struct wire_clock){.name = record_source(&s->r),
                                                .source = "its own clock",
                                                .hz = 1e9,
                                                .step_ticks = 1,
                                                .reason = unknown,
                                                .no_core = unknown,
                                                .chain_ratio = NAN});
    harness_put_bench(frames, &of_files, benchmark, 0);
    put_samples(frames, t, s->r.series[subject].main.n);
    wire_put_end(frames, &end);
    wire_put_bye(frames, &(struct wire_bye){.drift_ppm = NAN, .drift_bound_ppm = NAN, .benchmarks = 1});
}

static const struct record_failure *failure_of(const struct result_file *s, const char *benchmark)
{
    for (int i = 0; i < s->reading.n_failures; i++)
        if (!strcmp(s->reading.failures[i].benchmark, benchmark))
            return &s->reading.failures[i];
    return NULL;
}

static int subjects_in(const struct result_file *s)
{
    return s->trouble[0] ? 0 : s->r.n_subjects;
}

static int subject_of(const struct result_file *s, const char *benchmark)
{
    for (int i = 0; i < subjects_in(s); i++)
        if (!strcmp(s->r.subjects[i].name, benchmark))
            return i;
    return -1;
}

static bool has_time(const struct result_file *s, const char *benchmark)
{
    const int subject = subject_of(s, benchmark);
    struct times t;
    return subject >= 0 && times_of(&s->r, subject, &t);
}

/* Subjects with a time, then failures that have none, each name once. */
const char *result_file_next(const struct result_file *s, int *at)
{
    const int n = subjects_in(s);
    struct times t;
    for (; *at < n; ++*at)
        if (times_of(&s->r, *at, &t))
            return s->r.subjects[(*at)++].name;
    for (; *at - n < s->reading.n_failures; ++*at) {
        const struct record_failure *one = &s->reading.failures[*at - n];
        if (failure_of(s, one->benchmark) == one && !has_time(s, one->benchmark)) {
            ++*at;
            return one->benchmark;
        }
    }
    return NULL;
}

bool result_file_any(const struct result_file *s)
{
    int at = 0;
    return result_file_next(s, &at) != NULL;
}

static const char *unit_of(const struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    const struct metric *m = s->main.n ? record_metric(r, s->columns[0]) : NULL;
    return !m ? "no value" : strcmp(m->unit, "1") ? m->unit : "no unit";
}

void result_file_say_others(const struct result_file *s, struct buf *out)
{
    int n = 0;
    for (int i = 0; i < subjects_in(s); i++) {
        const char *name = s->r.subjects[i].name;
        if (has_time(s, name) || failure_of(s, name))
            continue;
        if (n++ < OTHERS_SHOWN)
            buf_format(out, "%s'%.100s' (%s)", n > 1 ? ", " : "", name, unit_of(&s->r, i));
    }
    if (n > OTHERS_SHOWN)
        buf_format(out, " and %d more", n - OTHERS_SHOWN);
}

bool result_file_partial(const struct result_file *s, int subject)
{
    const struct rows *rows = &s->r.series[subject].main;
    bool any = failure_of(s, s->r.subjects[subject].name) || (s->r.unverified && !s->reading.n_failures);
    for (int i = 0; i < rows->n; i++)
        any = any || rows->flags[i] & ROW_FAILED;
    return any;
}

enum tare_status result_file_list(const struct result_file *s, struct buf *frames, struct tare_err *err)
{
    const char *name;
    int n = 0;
    for (int at = 0; (name = result_file_next(s, &at));) {
        if (strlen(name) >= WIRE_NAME_MAX)
            return err_set(err, TARE_TOO_LARGE, "a name of more than %d bytes: %.60s...", WIRE_NAME_MAX - 1, name);
        n++;
    }
    harness_put_hello(frames, &of_files, n, "");
    for (int at = 0, i = 0; (name = result_file_next(s, &at)); i++)
        harness_put_bench(frames, &of_files, name, (uint32_t)i);
    wire_put_bye(frames, &(struct wire_bye){.benchmarks = (uint32_t)n});
    return frames->status ? err_no_memory(err) : TARE_OK;
}

enum tare_status result_file_frames(void *results, const char *benchmark, char *text, size_t n, struct buf *frames,
                                    struct tare_err *err)
{
    static const struct record_failure partial = {.reason = "the file has values that failed or could not be read"},
                                       lost = {.reason = "the file has times that are too short to be kept"};
    struct result_file *s = results;
    const struct record_failure *failure = failure_of(s, benchmark);
    const int subject = subject_of(s, benchmark);
    struct times t;
    (void)text;
    (void)n;
    if (failure)
        harness_put_failure(&of_files, benchmark, failure, frames);
    else if (s->trouble[0])
        harness_put_hello(frames, &of_files, 0, s->trouble);
    else if (subject < 0)
        harness_put_hello(frames, &of_files, 0, "is not in the file any more");
    else if (!times_of(&s->r, subject, &t))
        harness_put_hello(frames, &of_files, 0, "has no time in the file any more");
    else if (result_file_partial(s, subject))
        harness_put_failure(&of_files, benchmark, &partial, frames);
    else if (t.lost)
        harness_put_failure(&of_files, benchmark, &lost, frames);
    else
        put_values(s, subject, &t, benchmark, frames);
    return frames->status ? err_no_memory(err) : TARE_OK;
}
