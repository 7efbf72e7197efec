/* SPDX-License-Identifier: MIT */
#include "record_write.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "record_fields.h"
#include "record_kind.h"
#include "utc.h"
#include <assert.h>
#include <string.h>

void record_writer_begin(struct record_writer *w, const struct sink *sink)
{
    *w = (struct record_writer){.sink = sink, .line = BUF_INIT(RECORD_LINE_MAX), .hash = FNV1A64_EMPTY};
}

void record_writer_finish(struct record_writer *w)
{
    buf_finish(&w->line);
}

static struct json_write line_begin(struct record_writer *w, const char *type)
{
    buf_clear(&w->line);
    struct json_write j = json_into(&w->line, 0);
    json_object(&j, NULL);
    json_string(&j, "type", type);
    return j;
}

/* Hands the line to the sink in one piece. */
static void line_end(struct record_writer *w, struct json_write *j)
{
    json_end(j);
    buf_char(&w->line, '\n');
    if (w->status)
        return;
    if (w->line.status)
        w->status = err_set(&w->err, w->line.status, "record: a line could not be made (%s)", tare_status_text(w->line.status));
    else
        w->status = w->sink->write(w->sink->context, w->line.data, w->line.len, &w->err);
    if (w->status)
        return;
    w->hash = fnv1a64(w->hash, w->line.data, w->line.len);
    w->bytes += (int64_t)w->line.len;
    w->lines++;
}

static enum tare_status writer_outcome(const struct record_writer *w, struct tare_err *err)
{
    if (w->status && err)
        *err = w->err;
    return w->status;
}

static void put_optional(struct json_write *j, const char *key, const char *text)
{
    if (text)
        json_bytes(j, key, text);
}

static void put_words(struct json_write *j, const char *key, const char *key_hex, const char *const *items)
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

static void fields_member(struct json_write *j, const char *key, const struct field *fields, const void *object)
{
    json_object(j, key);
    record_fields_write(j, fields, object);
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

static void put_header(struct record_writer *w, const struct record *r)
{
    char start[40];
    struct buf b = buf_over(start, sizeof start);
    utc_text(&b, r->start_utc_ns);
    struct json_write j = line_begin(w, "header");
    json_integer(&j, "schema", RECORD_SCHEMA);
    json_string(&j, "tool", "tare");
    json_bytes(&j, "version", r->tool_version);
    put_words(&j, "argv", "argv_hex", r->argv);
    json_unsigned(&j, "seed", r->seed);
    json_string(&j, "start", start);
    session_member(&j, r);
    json_object(&j, "rule");
    record_fields_write(&j, rule_fields, &r->rule);
    if (r->rule.method == METHOD_GEORGES)
        fields_member(&j, "georges", rule_georges_fields, &r->rule);
    if (record_kind(r)->processes)
        record_fields_write(&j, rule_bench_fields, &r->rule);
    if (r->rule.leaks.kind) {
        json_object(&j, "leaks");
        record_fields_write(&j, rule_leaks_fields, &r->rule.leaks);
        if (r->rule.leaks.dudect)
            fields_member(&j, "dudect", rule_dudect_fields, &r->rule.leaks);
        json_end(&j);
    }
    json_end(&j);
    line_end(w, &j);
}

static void facts_line(struct record_writer *w, const char *type, const char *when, const struct facts *f)
{
    struct json_write j = line_begin(w, type);
    if (when)
        json_string(&j, "when", when);
    record_facts_json(&j, f);
    line_end(w, &j);
}

/* A line of nothing but fields. */
static void fields_line(struct record_writer *w, const char *type, const struct field *fields, const void *object)
{
    struct json_write j = line_begin(w, type);
    record_fields_write(&j, fields, object);
    line_end(w, &j);
}

static void subject_line(struct record_writer *w, const struct record *r, int index)
{
    const struct subject *s = &r->subjects[index];
    struct json_write j = line_begin(w, "subject");
    json_integer(&j, "index", index);
    json_string(&j, "kind", subject_kind_name(s->kind));
    json_bytes(&j, "name", s->name);
    json_bytes(&j, "command", s->command);
    if (s->argv)
        put_words(&j, "argv", "argv_hex", s->argv);
    if (s->kind == SUBJECT_LEAK || s->kind == SUBJECT_BENCH) {
        put_optional(&j, "program", s->program);
        put_optional(&j, "benchmark", s->benchmark);
    }
    if (s->kind == SUBJECT_BENCH) {
        put_optional(&j, "group", s->group);
        put_optional(&j, "version", s->version);
        if (s->reference < 0)
            json_null(&j, "reference");
        else
            json_integer(&j, "reference", s->reference);
        json_bool(&j, "complexity", s->complexity);
    }
    json_bool(&j, "shell", s->shell);
    if (s->anchor)
        json_bool(&j, "anchor", true);
    record_fields_write(&j, hook_fields, s);
    json_array(&j, "parameters");
    for (int i = 0; i < s->n_parameters; i++) {
        json_object(&j, NULL);
        json_bytes(&j, "name", s->parameters[i].name);
        json_bytes(&j, "value", s->parameters[i].value);
        json_end(&j);
    }
    json_end(&j);
    line_end(w, &j);
}

static void ids_line(struct record_writer *w, const char *type, int series, const char *const *ids, int n)
{
    struct json_write j = line_begin(w, type);
    json_integer(&j, "series", series);
    json_integer(&j, "subject", series);
    json_array(&j, "ids");
    for (int i = 0; i < n; i++)
        json_string(&j, NULL, ids[i]);
    json_end(&j);
    line_end(w, &j);
}

static uint64_t plan_hash(const struct rule *u)
{
    size_t n = (size_t)u->n_looks;
    uint64_t hash = fnv1a64(FNV1A64_EMPTY, &u->spending, sizeof u->spending);
    return fnv1a64(fnv1a64(hash, u->look_at, n * sizeof *u->look_at), u->look_level, n * sizeof *u->look_level);
}

static void look_members(struct json_write *j, int rounds, double share, double level)
{
    json_integer(j, "rounds", rounds);
    if (share > 0)
        json_number(j, "share", share);
    json_number(j, "level", level);
}

enum tare_status record_write_own_look(struct record_writer *w, const struct record *r, int series, struct tare_err *err)
{
    const struct own_look *look = &r->series[series].look;
    if (!look->number)
        return writer_outcome(w, err);
    struct json_write j = line_begin(w, "look");
    json_integer(&j, "series", series);
    json_integer(&j, "look", look->number);
    look_members(&j, look->rounds, look->share, look->level);
    line_end(w, &j);
    return writer_outcome(w, err);
}

enum tare_status record_write_plan(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    const struct rule *u = &r->rule;
    if ((!u->n_looks && !(u->spending > 0)) || w->plan == plan_hash(u))
        return writer_outcome(w, err);
    struct json_write j = line_begin(w, "plan");
    if (u->spending > 0)
        json_number(&j, "spending", u->spending);
    json_array(&j, "looks");
    for (int i = 0; i < u->n_looks; i++) {
        json_object(&j, NULL);
        look_members(&j, u->look_at[i], u->spending > 0 ? u->look_share[i] : 0, u->look_level[i]);
        json_end(&j);
    }
    json_end(&j);
    line_end(w, &j);
    w->plan = plan_hash(u);
    return writer_outcome(w, err);
}

enum tare_status record_write_head(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    put_header(w, r);
    facts_line(w, "machine", NULL, &r->machine);
    facts_line(w, "conditions", "before", &r->before);
    facts_line(w, "build", NULL, &r->build);
    for (int i = 0; i < r->n_metrics; i++)
        fields_line(w, "metric", metric_fields, &r->metrics[i]);
    for (int i = 0; i < r->n_subjects; i++) {
        subject_line(w, r, i);
        ids_line(w, "columns", i, r->series[i].columns, r->series[i].n_columns);
        if (r->series[i].n_sample_columns)
            ids_line(w, "sample_columns", i, r->series[i].sample_columns, r->series[i].n_sample_columns);
    }
    record_write_plan(w, r, NULL);
    for (int i = 0; i < r->n_subjects; i++)
        record_write_own_look(w, r, i, NULL);
    return writer_outcome(w, err);
}

static void values_line(struct record_writer *w, const char *type, int series, const struct rows *rows, int n_columns, int index)
{
    assert(index >= 0 && index < rows->n);
    struct json_write j = line_begin(w, type);
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
    line_end(w, &j);
}

static void count_line(struct record_writer *w, int series, const struct count *c, int index)
{
    struct json_write j = line_begin(w, "count");
    json_integer(&j, "series", series);
    json_integer(&j, "process", c->round[index]);
    json_bytes(&j, "name", c->name);
    json_bytes(&j, "unit", c->unit);
    json_string(&j, "per", count_per_name(c->per));
    if (c->inverted)
        json_bool(&j, "inverted", true);
    json_number(&j, "value", c->value[index]);
    line_end(w, &j);
}

enum tare_status record_write_count(struct record_writer *w, const struct record *r, int series, const char *name,
                                    struct tare_err *err)
{
    const struct series *s = &r->series[series];
    for (int i = 0; i < s->n_counts; i++)
        if (s->counts[i].n && !strcmp(s->counts[i].name, name))
            count_line(w, series, &s->counts[i], s->counts[i].n - 1);
    return writer_outcome(w, err);
}

static void text_line(struct record_writer *w, const char *type, int subject, const char *text)
{
    if (!text)
        return;
    struct json_write j = line_begin(w, type);
    json_integer(&j, "subject", subject);
    json_bytes(&j, "text", text);
    line_end(w, &j);
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
    if (rows == &s->main) {
        for (int i = 0; i < s->n_counts; i++)
            for (int k = s->counts[i].n - 1; k >= 0 && s->counts[i].round[k] >= rows->round[index]; k--)
                if (s->counts[i].round[k] == rows->round[index])
                    count_line(w, series, &s->counts[i], k);
    }
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
        w->worthwhile |= good || s->main.n + s->warmup.n > 1; /* its second one: failures are ignored */
    write_row(w, r, series, rows, index);
    return writer_outcome(w, err);
}

enum tare_status record_write_samples(struct record_writer *w, const struct record *r, int series, int first,
                                      struct tare_err *err)
{
    for (int i = first; i < r->series[series].samples.n; i++)
        write_row(w, r, series, &r->series[series].samples, i);
    return writer_outcome(w, err);
}

enum tare_status record_write_failure(struct record_writer *w, const struct record *r, int subject, struct tare_err *err)
{
    text_line(w, "failure", subject, r->subjects[subject].failure);
    return writer_outcome(w, err);
}

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
    struct json_write j = line_begin(w, "timeline");
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
    line_end(w, &j);
}

enum tare_status record_write_timelines(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    for (; w->timelines < r->n_timelines; w->timelines++)
        timeline_line(w, &r->timelines[w->timelines]);
    return writer_outcome(w, err);
}

static void traced_line(struct record_writer *w, const struct traced_run *t, int index)
{
    struct json_write j = line_begin(w, "traced");
    json_integer(&j, "index", index);
    record_fields_write(&j, traced_run_fields, t);
    json_array(&j, "passes");
    for (int i = 0; i < t->n_passes; i++) {
        json_integer(&j, NULL, t->passes[i].point);
        json_unsigned(&j, NULL, t->passes[i].n);
    }
    json_end(&j);
    line_end(w, &j);
}

static void arc_line(struct record_writer *w, const struct traced_arc *a)
{
    struct json_write j = line_begin(w, "arc");
    record_fields_write(&j, traced_arc_ends, a);
    record_fields_write(&j, traced_arc_fields, a);
    json_array(&j, "bins");
    for (int i = 0; i < a->n_bins; i++) {
        json_integer(&j, NULL, a->bins[i].bin);
        json_unsigned(&j, NULL, a->bins[i].n);
    }
    json_end(&j);
    line_end(w, &j);
}

enum tare_status record_write_traced(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    const struct traced *t = r->traced;
    for (; t && w->points < t->n_points; w->points++) {
        struct json_write j = line_begin(w, "point");
        json_integer(&j, "index", w->points);
        record_fields_write(&j, point_fields, &t->points[w->points]);
        line_end(w, &j);
    }
    for (; t && w->traced_runs < t->n_runs; w->traced_runs++)
        traced_line(w, &t->runs[w->traced_runs], w->traced_runs);
    for (; t && w->traced_arcs < t->n_arcs; w->traced_arcs++)
        arc_line(w, &t->arcs[w->traced_arcs]);
    return writer_outcome(w, err);
}

static void passage_lines(struct record_writer *w, const struct record *r)
{
    for (int i = 0; r->traced && i < r->traced->n_results; i++) {
        struct json_write j = line_begin(w, "passage");
        record_fields_write(&j, arc_result_ends, &r->traced->results[i]);
        record_fields_write(&j, arc_result_fields, &r->traced->results[i]);
        line_end(w, &j);
    }
}

static void stack_lines(struct record_writer *w, const struct record *r)
{
    for (int i = 0; r->traced && i < r->traced->n_stacks; i++)
        fields_line(w, "stack", stack_fields, &r->traced->stacks[i]);
}

static void count_traced(struct json_write *j, const struct record *r)
{
    const struct traced *t = r->traced;
    if (!t)
        return;
    json_integer(j, "points", t->n_points);
    json_integer(j, "traced", t->n_runs);
    json_integer(j, "arcs", t->n_arcs);
    json_integer(j, "passages", t->n_results);
    if (t->n_stacks)
        json_integer(j, "stacks", t->n_stacks);
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
    struct json_write j = line_begin(w, "target");
    record_fields_write(&j, leak_target_ends, found);
    for (int i = 0; leak_text_at(i); i++)
        put_optional(&j, leak_text_at(i)->id, *leak_text_of(&t, leak_text_at(i)));
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
    line_end(w, &j);
}

static void put_trailer(struct record_writer *w, const struct record *r)
{
    char hash[20];
    buf_print(hash, sizeof hash, "%016llx", (unsigned long long)w->hash);
    struct json_write j = line_begin(w, "trailer");
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
    count_traced(&j, r);
    json_integer(&j, "lines", w->lines);
    json_integer(&j, "bytes", w->bytes);
    json_end(&j);
    json_string(&j, "hash_name", "fnv1a-64");
    json_string(&j, "hash", hash);
    line_end(w, &j);
}

static bool all_failed(const struct record *r)
{
    int failed = 0;
    while (failed < r->n_subjects && r->subjects[failed].failure)
        failed++;
    return failed && failed == r->n_subjects;
}

enum tare_status record_write_tail(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    w->worthwhile |= r->ended && strcmp(r->ended, "failed") != 0 && strcmp(r->ended, "interrupted") != 0 && !all_failed(r);
    record_write_plan(w, r, NULL);
    record_write_timelines(w, r, NULL);
    record_write_traced(w, r, NULL);
    facts_line(w, "conditions", "after", &r->after);
    for (int i = 0; i < r->n_subjects; i++)
        text_line(w, "failure", i, r->subjects[i].failure);
    for (int i = 0; i < r->n_subjects; i++)
        said_lines(w, r, i);
    for (int i = 0; i < r->n_estimates; i++)
        fields_line(w, "estimate", estimate_fields, &r->estimates[i]);
    for (int i = 0; i < r->n_comparisons; i++)
        fields_line(w, "comparison", comparison_fields, &r->comparisons[i]);
    for (int i = 0; i < r->n_leak_targets; i++)
        leak_target_line(w, &r->leak_targets[i]);
    passage_lines(w, r);
    stack_lines(w, r);
    for (int i = 0; i < r->n_findings; i++)
        fields_line(w, "finding", finding_fields, &r->findings[i]);
    put_trailer(w, r);
    return writer_outcome(w, err);
}

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
    enum tare_status status = writer_outcome(&w, err);
    record_writer_finish(&w);
    arena_finish(&scratch);
    return status;
}
