/* SPDX-License-Identifier: MIT */
#include "record_write.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "record_fields.h"
#include "record_kind.h"
#include "record_writing.h"
#include "utc.h"
#include <assert.h>
#include <string.h>

/* ---- parts of lines ---- */

static void optional(struct json_write *j, const char *key, const char *text)
{
    if (text)
        json_bytes(j, key, text);
}

static void index_or_null(struct json_write *j, const char *key, int index)
{
    if (index < 0)
        json_null(j, key);
    else
        json_integer(j, key, index);
}

static void words(struct json_write *j, const char *key, const char *key_hex, const char *const *items)
{
    bool valid = true;
    json_array(j, key);
    for (int i = 0; items && items[i]; i++) {
        json_string(j, NULL, items[i]);
        valid = valid && utf8_valid(items[i]);
    }
    json_end(j);
    if (valid)
        return;
    json_array(j, key_hex);
    for (int i = 0; items[i]; i++)
        json_hex(j, NULL, utf8_valid(items[i]) ? NULL : items[i]);
    json_end(j);
}

static void leaks_member(struct json_write *j, const struct rule_leaks *u)
{
    if (!u->kind)
        return;
    json_object(j, "leaks");
    json_string(j, "kind", u->kind);
    json_string(j, "cache", u->cache);
    json_number(j, "alpha", u->alpha);
    json_number(j, "advantage", u->advantage);
    json_bool(j, "exact", u->exact);
    json_bool(j, "strict", u->strict);
    json_bool(j, "noise", u->noise);
    json_bool(j, "dit", u->dit);
    json_integer(j, "selfcheck", u->selfcheck);
    json_number(j, "max_calls", u->max_calls);
    if (u->repeat > 1)
        json_integer(j, "repeat", u->repeat);
    if (u->clock)
        json_string(j, "clock", u->clock);
    if (u->latency_ns > 0)
        json_number(j, "latency_ns", u->latency_ns);
    if (u->dudect) {
        json_object(j, "dudect");
        if (u->lab0)
            json_bool(j, "lab0", true);
        json_integer(j, "measurements", u->measurements);
        json_integer(j, "drop", u->drop);
        json_integer(j, "percentiles", u->percentiles);
        json_integer(j, "order", u->order);
        json_number(j, "threshold", u->threshold);
        json_end(j);
    }
    json_end(j);
}

static void rule_member(struct json_write *j, const struct rule *u, bool of_benchmarks)
{
    json_object(j, "rule");
    json_string(j, "method", method_name(u->method));
    json_bytes(j, "metric", u->metric);
    json_number(j, "confidence", u->confidence);
    json_number(j, "precision", u->precision);
    json_number(j, "margin", u->margin);
    json_string(j, "margin_unit", u->margin_unit);
    json_bool(j, "interleaved", u->interleaved);
    if (u->against_itself)
        json_bool(j, "against_itself", true);
    json_number(j, "fail_if_slower", u->fail_if_slower);
    json_integer(j, "reference", u->reference);
    if (u->on_dirty != DIRTY_FLAG)
        json_string(j, "on_dirty", on_dirty_name(u->on_dirty));
    if (u->method == METHOD_GEORGES) {
        json_object(j, "georges");
        json_integer(j, "runs", u->georges_runs);
        json_integer(j, "min_runs", u->georges_min);
        if (u->window) {
            json_integer(j, "window", u->window);
            json_number(j, "cov", u->cov);
        }
        json_end(j);
    }
    if (of_benchmarks) {
        json_string(j, "profile", profile_name(u->profile));
        json_string(j, "correction", correction_name(u->correction));
    }
    leaks_member(j, &u->leaks);
    json_end(j);
}

static bool any_reason(const struct facts *f)
{
    for (int i = 0; i < f->n; i++)
        if (f->items[i].reason)
            return true;
    return false;
}

static bool any_invalid(const struct facts *f)
{
    for (int i = 0; i < f->n; i++)
        if (f->items[i].text && !utf8_valid(f->items[i].text))
            return true;
    return false;
}

void record_facts_json(struct json_write *j, const struct facts *f)
{
    json_object(j, "facts");
    for (int i = 0; i < f->n; i++)
        if (f->items[i].text)
            json_string(j, f->items[i].key, f->items[i].text);
        else
            json_number(j, f->items[i].key, f->items[i].number);
    json_end(j);
    if (any_reason(f)) {
        json_object(j, "reasons");
        for (int i = 0; i < f->n; i++)
            if (f->items[i].reason)
                json_string(j, f->items[i].key, f->items[i].reason);
        json_end(j);
    }
    if (any_invalid(f)) {
        json_object(j, "hex");
        for (int i = 0; i < f->n; i++)
            if (f->items[i].text && !utf8_valid(f->items[i].text))
                json_hex(j, f->items[i].key, f->items[i].text);
        json_end(j);
    }
}

static void session_member(struct json_write *j, const struct record *r)
{
    if (!r->session)
        return;
    json_object(j, "session");
    json_integer(j, "number", r->session);
    json_integer(j, "of", r->sessions);
    json_integer(j, "every_ns", r->every_ns);
    json_end(j);
}

/* ---- the lines, in their order ---- */

static void header(struct record_writer *w, const struct record *r)
{
    char start[40];
    struct buf b = buf_over(start, sizeof start);
    utc_text(&b, r->start_utc_ns);
    struct json_write j = record_line_begin(w, "header");
    json_integer(&j, "schema", RECORD_SCHEMA);
    json_string(&j, "tool", "tare");
    json_bytes(&j, "version", r->tool_version);
    words(&j, "argv", "argv_hex", r->argv);
    json_unsigned(&j, "seed", r->seed);
    json_string(&j, "start", start);
    session_member(&j, r);
    rule_member(&j, &r->rule, record_kind(r)->processes);
    record_line_end(w, &j);
}

static void facts_line(struct record_writer *w, const char *type, const char *when, const struct facts *f)
{
    struct json_write j = record_line_begin(w, type);
    if (when)
        json_string(&j, "when", when);
    record_facts_json(&j, f);
    record_line_end(w, &j);
}

static void metric_line(struct record_writer *w, const struct metric *m)
{
    struct json_write j = record_line_begin(w, "metric");
    json_bytes(&j, "id", m->id);
    json_bytes(&j, "title", m->title);
    json_bytes(&j, "unit", m->unit);
    json_string(&j, "kind", metric_kind_name(m->kind));
    json_string(&j, "direction", metric_direction_name(m->direction));
    if (m->definition)
        json_bytes(&j, "definition", m->definition);
    record_line_end(w, &j);
}

static void subject_line(struct record_writer *w, const struct record *r, int index)
{
    const struct subject *s = &r->subjects[index];
    struct json_write j = record_line_begin(w, "subject");
    json_integer(&j, "index", index);
    json_string(&j, "kind", subject_kind_name(s->kind));
    json_bytes(&j, "name", s->name);
    json_bytes(&j, "command", s->command);
    if (s->argv)
        words(&j, "argv", "argv_hex", s->argv);
    if (s->kind == SUBJECT_LEAK) {
        optional(&j, "program", s->program);
        optional(&j, "benchmark", s->benchmark);
    }
    if (s->kind == SUBJECT_BENCH) {
        optional(&j, "program", s->program);
        optional(&j, "benchmark", s->benchmark);
        optional(&j, "group", s->group);
        index_or_null(&j, "reference", s->reference);
        json_bool(&j, "complexity", s->complexity);
    }
    json_bool(&j, "shell", s->shell);
    optional(&j, "setup", s->setup);
    optional(&j, "prepare", s->prepare);
    optional(&j, "conclude", s->conclude);
    optional(&j, "cleanup", s->cleanup);
    json_array(&j, "parameters");
    for (int i = 0; i < s->n_parameters; i++) {
        json_object(&j, NULL);
        json_bytes(&j, "name", s->parameters[i].name);
        json_bytes(&j, "value", s->parameters[i].value);
        json_end(&j);
    }
    json_end(&j);
    record_line_end(w, &j);
}

static void ids_line(struct record_writer *w, const char *type, int series, const char *const *ids, int n)
{
    struct json_write j = record_line_begin(w, type);
    json_integer(&j, "series", series);
    json_integer(&j, "subject", series);
    json_array(&j, "ids");
    for (int i = 0; i < n; i++)
        json_string(&j, NULL, ids[i]);
    json_end(&j);
    record_line_end(w, &j);
}

static void columns_line(struct record_writer *w, const struct series *s, int index)
{
    ids_line(w, "columns", index, s->columns, s->n_columns);
    if (s->n_sample_columns)
        ids_line(w, "sample_columns", index, s->sample_columns, s->n_sample_columns);
}

enum tare_status record_write_head(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    header(w, r);
    facts_line(w, "machine", NULL, &r->machine);
    facts_line(w, "conditions", "before", &r->before);
    facts_line(w, "build", NULL, &r->build);
    for (int i = 0; i < r->n_metrics; i++)
        metric_line(w, &r->metrics[i]);
    for (int i = 0; i < r->n_subjects; i++) {
        subject_line(w, r, i);
        columns_line(w, &r->series[i], i);
    }
    record_write_plan(w, r, NULL);
    for (int i = 0; i < r->n_subjects; i++)
        record_write_own_look(w, r, i, NULL);
    return record_write_outcome(w, err);
}

static void values_line(struct record_writer *w, const char *type, int series, const struct rows *rows, int n_columns, int index)
{
    assert(index >= 0 && index < rows->n);
    struct json_write j = record_line_begin(w, type);
    json_integer(&j, "series", series);
    json_array(&j, "row");
    json_array(&j, NULL);
    json_integer(&j, NULL, rows->round[index]);
    json_integer(&j, NULL, rows->slot[index]);
    json_end(&j);
    json_integer(&j, NULL, rows->start_ns[index]);
    json_integer(&j, NULL, rows->flags[index]);
    for (int i = 0; i < n_columns; i++)
        json_number(&j, NULL, rows->value[i][index]);
    json_end(&j);
    record_line_end(w, &j);
}

static void count_line(struct record_writer *w, int series, const struct count *c, int index)
{
    struct json_write j = record_line_begin(w, "count");
    json_integer(&j, "series", series);
    json_integer(&j, "process", c->round[index]);
    json_bytes(&j, "name", c->name);
    json_bytes(&j, "unit", c->unit);
    json_string(&j, "per", count_per_name(c->per));
    if (c->inverted)
        json_bool(&j, "inverted", true);
    json_number(&j, "value", c->value[index]);
    record_line_end(w, &j);
}

static void count_lines(struct record_writer *w, const struct series *s, int series, int round)
{
    for (int i = 0; i < s->n_counts; i++)
        for (int k = s->counts[i].n - 1; k >= 0 && s->counts[i].round[k] >= round; k--)
            if (s->counts[i].round[k] == round)
                count_line(w, series, &s->counts[i], k);
}

enum tare_status record_write_count(struct record_writer *w, const struct record *r, int series, const char *name,
                                    struct tare_err *err)
{
    const struct series *s = &r->series[series];
    for (int i = 0; i < s->n_counts; i++)
        if (s->counts[i].n && !strcmp(s->counts[i].name, name))
            count_line(w, series, &s->counts[i], s->counts[i].n - 1);
    return record_write_outcome(w, err);
}

static void text_line(struct record_writer *w, const char *type, int subject, const char *text)
{
    if (!text)
        return;
    struct json_write j = record_line_begin(w, type);
    json_integer(&j, "subject", subject);
    json_bytes(&j, "text", text);
    record_line_end(w, &j);
}

static void said_lines(struct record_writer *w, const struct record *r, int subject)
{
    text_line(w, "remark", subject, r->subjects[subject].remark);
    text_line(w, "label", subject, r->subjects[subject].label);
}

static void write_row(struct record_writer *w, const struct record *r, int series, const struct rows *rows, int index)
{
    const struct series *s = &r->series[series];
    bool sample = rows == &s->samples;
    if (rows == &s->main)
        count_lines(w, s, series, rows->round[index]);
    if (rows == &s->main && !index)
        said_lines(w, r, series);
    values_line(w, sample ? "sample" : "row", series, rows, sample ? s->n_sample_columns : s->n_columns, index);
    if (!w->status)
        ++*(sample ? &w->samples : rows == &s->warmup ? &w->warmup_rows : &w->rows);
}

enum tare_status record_write_row(struct record_writer *w, const struct record *r, int series, bool warmup, int index,
                                  struct tare_err *err)
{
    const struct series *s = &r->series[series];
    const struct rows *rows = warmup ? &s->warmup : &s->main;
    bool good = !(rows->flags[index] & (ROW_FAILED | ROW_TIMED_OUT));
    if (r->subjects[series].kind != SUBJECT_NOOP)
        w->worthwhile |= good || w->runs++ > 0; /* the second one: failures are ignored */
    write_row(w, r, series, rows, index);
    return record_write_outcome(w, err);
}

enum tare_status record_write_samples(struct record_writer *w, const struct record *r, int series, int first,
                                      struct tare_err *err)
{
    for (int i = first; i < r->series[series].samples.n; i++)
        write_row(w, r, series, &r->series[series].samples, i);
    return record_write_outcome(w, err);
}

enum tare_status record_write_failure(struct record_writer *w, const struct record *r, int subject, struct tare_err *err)
{
    struct json_write j = record_line_begin(w, "failure");
    json_integer(&j, "subject", subject);
    json_bytes(&j, "text", r->subjects[subject].failure);
    record_line_end(w, &j);
    return record_write_outcome(w, err);
}

/* ---- memory over time ---- */

static void timeline_figures(struct json_write *j, const struct timeline *t)
{
    record_fields_write(j, timeline_fields, t);
    if (!t->heap_reason) {
        record_fields_write(j, timeline_heap_fields, t);
        return;
    }
    json_number(j, "heap_peak_bytes", t->heap_peak);
    json_bytes(j, "heap_reason", t->heap_reason);
}

static void timeline_line(struct record_writer *w, const struct timeline *t)
{
    struct json_write j = record_line_begin(w, "timeline");
    json_integer(&j, "subject", t->subject);
    json_integer(&j, "start_ns", t->start_ns);
    timeline_figures(&j, t);
    json_integer(&j, "period_ns", t->period_ns);
    json_array(&j, "ids");
    json_string(&j, NULL, "at_ns");
    json_string(&j, NULL, "rss");
    json_string(&j, NULL, "heap");
    json_end(&j);
    json_array(&j, "samples");
    for (int i = 0; i < t->n; i++) {
        json_array(&j, NULL);
        json_integer(&j, NULL, t->at_ns[i]);
        json_number(&j, NULL, t->rss[i]);
        json_number(&j, NULL, t->heap[i]);
        json_end(&j);
    }
    json_end(&j);
    record_line_end(w, &j);
}

enum tare_status record_write_timelines(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    for (; w->timelines < r->n_timelines; w->timelines++)
        timeline_line(w, &r->timelines[w->timelines]);
    return record_write_outcome(w, err);
}

/* ---- results ---- */

/* A line of nothing but fields. */
static void fields_line(struct record_writer *w, const char *type, const struct field *fields, const void *object)
{
    struct json_write j = record_line_begin(w, type);
    record_fields_write(&j, fields, object);
    record_line_end(w, &j);
}

/* An array of n objects of `size` bytes each; nothing where there are none. */
static void fields_list(struct json_write *j, const char *key, const struct field *fields, const void *items, int n, size_t size)
{
    if (!n)
        return;
    json_array(j, key);
    for (int i = 0; i < n; i++) {
        json_object(j, NULL);
        record_fields_write(j, fields, (const char *)items + (size_t)i * size);
        json_end(j);
    }
    json_end(j);
}

static void leak_target_line(struct record_writer *w, const struct leak_target *found)
{
    struct leak_target t = *found;
    struct json_write j = record_line_begin(w, "target");
    json_integer(&j, "subject", t.subject);
    json_string(&j, "verdict", verdict_name(t.verdict));
    json_bool(&j, "exact", t.exact);
    json_bool(&j, "decided", t.decided);
    for (int i = 0; leak_text_at(i); i++)
        optional(&j, leak_text_at(i)->id, *leak_text_of(&t, leak_text_at(i)));
    json_object(&j, "figures");
    for (int i = 0; leak_figure_at(i); i++) {
        double value = *leak_figure_of(&t, leak_figure_at(i));
        if (isinf(value))
            json_string(&j, leak_figure_at(i)->id, value < 0 ? "-inf" : "inf");
        else if (!isnan(value))
            json_number(&j, leak_figure_at(i)->id, value);
    }
    json_end(&j);
    fields_list(&j, "taint_sites", leak_site_fields, t.taint_sites, t.n_taint_sites, sizeof *t.taint_sites);
    fields_list(&j, "places", leak_place_fields, t.places, t.n_places, sizeof *t.places);
    fields_list(&j, "sizes", leak_pair_size_fields, t.sizes, t.n_sizes, sizeof *t.sizes);
    fields_list(&j, "shift", leak_quantile_fields, t.shift, t.n_shift, sizeof *t.shift);
    record_line_end(w, &j);
}

static void trailer(struct record_writer *w, const struct record *r)
{
    char hash[20];
    struct buf b = buf_over(hash, sizeof hash);
    buf_format(&b, "%016llx", (unsigned long long)w->hash);
    struct json_write j = record_line_begin(w, "trailer");
    json_number(&j, "seconds", r->seconds);
    json_integer(&j, "look", r->look);
    json_integer(&j, "rounds", r->rounds);
    json_string(&j, "ended", r->ended);
    json_bool(&j, "partial", r->partial);
    json_object(&j, "counts");
    json_integer(&j, "subjects", r->n_subjects);
    json_integer(&j, "rows", w->rows);
    json_integer(&j, "warmup_rows", w->warmup_rows);
    if (w->samples)
        json_integer(&j, "samples", w->samples);
    json_integer(&j, "estimates", r->n_estimates);
    json_integer(&j, "comparisons", r->n_comparisons);
    json_integer(&j, "findings", r->n_findings);
    if (r->n_leak_targets)
        json_integer(&j, "targets", r->n_leak_targets);
    if (r->n_timelines)
        json_integer(&j, "timelines", r->n_timelines);
    record_count_traced(&j, r);
    json_integer(&j, "lines", w->lines);
    json_integer(&j, "bytes", w->bytes);
    json_end(&j);
    json_string(&j, "hash_name", "fnv1a-64");
    json_string(&j, "hash", hash);
    record_line_end(w, &j);
}

enum tare_status record_write_tail(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    w->worthwhile |= r->ended && strcmp(r->ended, "failed") != 0 && strcmp(r->ended, "interrupted") != 0;
    record_write_plan(w, r, NULL);
    record_write_timelines(w, r, NULL);
    record_write_traced(w, r, NULL);
    facts_line(w, "conditions", "after", &r->after);
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].failure)
            record_write_failure(w, r, i, NULL);
    for (int i = 0; i < r->n_subjects; i++)
        said_lines(w, r, i);
    for (int i = 0; i < r->n_estimates; i++)
        fields_line(w, "estimate", estimate_fields, &r->estimates[i]);
    for (int i = 0; i < r->n_comparisons; i++)
        fields_line(w, "comparison", comparison_fields, &r->comparisons[i]);
    for (int i = 0; i < r->n_leak_targets; i++)
        leak_target_line(w, &r->leak_targets[i]);
    record_write_passages(w, r);
    for (int i = 0; i < r->n_findings; i++)
        fields_line(w, "finding", finding_fields, &r->findings[i]);
    trailer(w, r);
    return record_write_outcome(w, err);
}

/* ---- the whole ---- */

struct cursor {
    const struct record *r;
    int *next; /* LISTS per series: samples, warm-up, replaced and counted rows */
};

enum { LISTS = 4 };

static const struct rows *rows_of(const struct record *r, int list)
{
    const struct series *s = &r->series[list / LISTS];
    const struct rows *const lists[LISTS] = {&s->samples, &s->warmup, &s->replaced, &s->main};
    return lists[list % LISTS];
}

/* The list whose next row started first, -1 when all are written. */
static int earliest(const struct cursor *c)
{
    int best = -1;
    int64_t start = 0;
    for (int list = 0; list < LISTS * c->r->n_subjects; list++) {
        const struct rows *rows = rows_of(c->r, list);
        int i = c->next[list];
        if (i < rows->n && (best < 0 || rows->start_ns[i] < start)) {
            best = list;
            start = rows->start_ns[i];
        }
    }
    return best;
}

enum tare_status record_write(const struct record *r, const struct sink *sink, struct tare_err *err)
{
    struct arena scratch = {0};
    struct record_writer w;
    record_writer_begin(&w, sink);
    struct cursor c = {r, arena_array(&scratch, LISTS * (size_t)r->n_subjects + 1, sizeof(int))};
    if (!c.next)
        w.status = err_set(&w.err, TARE_NO_MEMORY, "record: %s", tare_status_text(TARE_NO_MEMORY));
    record_write_head(&w, r, NULL);
    for (int list; !w.status && (list = earliest(&c)) >= 0;)
        write_row(&w, r, list / LISTS, rows_of(r, list), c.next[list]++);
    record_write_tail(&w, r, NULL);
    enum tare_status status = record_write_outcome(&w, err);
    record_writer_finish(&w);
    arena_finish(&scratch);
    return status;
}
