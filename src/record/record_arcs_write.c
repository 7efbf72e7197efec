/* SPDX-License-Identifier: MIT
 * Lines point, traced, arc and passage. */
#include "record_arcs.h"
#include "record_writing.h"

static void index_or_null(struct json_write *j, const char *key, int index)
{
    if (index < 0)
        json_null(j, key);
    else
        json_integer(j, key, index);
}

static void unless_zero(struct json_write *j, const char *key, uint64_t n)
{
    if (n)
        json_unsigned(j, key, n);
}

static void point_line(struct record_writer *w, const struct point *p, int index)
{
    struct json_write j = record_line_begin(w, "point");
    json_integer(&j, "index", index);
    json_integer(&j, "subject", p->subject);
    json_string(&j, "kind", point_kind_name(p->kind));
    json_bytes(&j, "file", p->file);
    json_integer(&j, "line", p->line);
    json_bytes(&j, "func", p->func);
    json_bytes(&j, "name", p->name);
    json_integer(&j, "group", p->group);
    unless_zero(&j, "ordinal", (uint64_t)p->ordinal);
    index_or_null(&j, "partner", p->partner);
    record_line_end(w, &j);
}

static void traced_line(struct record_writer *w, const struct traced_run *t, int index)
{
    struct json_write j = record_line_begin(w, "traced");
    json_integer(&j, "index", index);
    json_integer(&j, "subject", t->subject);
    json_integer(&j, "round", t->round);
    json_bytes(&j, "clock", t->clock);
    json_bytes(&j, "order", t->order);
    json_number(&j, "hz", t->hz);
    json_number(&j, "step", t->step);
    json_integer(&j, "repeat", t->repeat);
    json_integer(&j, "processes", t->processes);
    json_integer(&j, "threads", t->threads);
    json_unsigned(&j, "events", t->events);
    unless_zero(&j, "merged", (uint64_t)t->merged);
    json_bool(&j, "degraded", t->degraded);
    json_bool(&j, "burst", t->burst);
    json_number(&j, "weight", t->weight);
    json_number(&j, "weight_sd", t->weight_sd);
    json_unsigned(&j, "weight_rows", t->weight_rows);
    for (int i = 0; traced_weight_at(i); i++) {
        const double weight = traced_weight(t, traced_weight_at(i));
        if (weight > 0)
            json_number(&j, traced_weight_at(i)->id, weight);
    }
    json_number(&j, "residual_ppm", t->residual_ppm);
    json_integer(&j, "jumps", t->jumps);
    json_number(&j, "jump_ns", t->jump_ns);
    json_integer(&j, "steps", t->steps);
    json_number(&j, "step_ns", t->step_ns);
    json_number(&j, "span_ns", t->span_ns);
    if (t->lost)
        json_bytes(&j, "lost", t->lost);
    if (t->lost)
        json_bool(&j, "incomplete", t->incomplete);
    if (t->lost_hits)
        json_unsigned(&j, "lost_hits", t->lost_hits);
    json_array(&j, "passes");
    for (int i = 0; i < t->n_passes; i++) {
        json_integer(&j, NULL, t->passes[i].point);
        json_unsigned(&j, NULL, t->passes[i].n);
    }
    json_end(&j);
    record_line_end(w, &j);
}

static void arc_line(struct record_writer *w, const struct traced_arc *a)
{
    struct json_write j = record_line_begin(w, "arc");
    json_integer(&j, "run", a->run);
    json_integer(&j, "from", a->from);
    json_integer(&j, "to", a->to);
    json_unsigned(&j, "passes", a->passes);
    json_unsigned(&j, "n", a->n);
    json_integer(&j, "sum", a->sum);
    json_unsigned(&j, "square_low", a->square_low);
    unless_zero(&j, "square_high", a->square_high);
    json_integer(&j, "min", a->min);
    json_integer(&j, "max", a->max);
    json_unsigned(&j, "clean_n", a->clean_n);
    json_integer(&j, "clean_sum", a->clean_sum);
    unless_zero(&j, "words", a->words);
    unless_zero(&j, "added", a->added);
    unless_zero(&j, "gaps", a->gaps);
    unless_zero(&j, "gap_units", a->gap_units);
    unless_zero(&j, "migrated", a->migrated);
    unless_zero(&j, "handlers", a->handlers);
    unless_zero(&j, "nested", a->nested);
    unless_zero(&j, "interrupted", a->interrupted);
    unless_zero(&j, "backwards", a->backwards);
    unless_zero(&j, "stamps", a->stamps);
    if (a->estimated)
        json_bool(&j, "estimated", true);
    if (a->fast)
        json_bool(&j, "fast", true);
    json_array(&j, "bins");
    for (int i = 0; i < a->n_bins; i++) {
        json_integer(&j, NULL, a->bins[i].bin);
        json_unsigned(&j, NULL, a->bins[i].n);
    }
    json_end(&j);
    record_line_end(w, &j);
}

enum tare_status record_write_traced(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    const struct traced *t = r->traced;
    for (; t && w->points < t->n_points; w->points++)
        point_line(w, &t->points[w->points], w->points);
    for (; t && w->traced_runs < t->n_runs; w->traced_runs++)
        traced_line(w, &t->runs[w->traced_runs], w->traced_runs);
    for (; t && w->traced_arcs < t->n_arcs; w->traced_arcs++)
        arc_line(w, &t->arcs[w->traced_arcs]);
    return record_write_outcome(w, err);
}

static void passage_line(struct record_writer *w, const struct arc_result *found)
{
    struct arc_result a = *found;
    struct json_write j = record_line_begin(w, "passage");
    json_integer(&j, "subject", a.subject);
    json_integer(&j, "from", a.from);
    json_integer(&j, "to", a.to);
    for (int i = 0; arc_figure_at(i); i++)
        json_number(&j, arc_figure_at(i)->id, *arc_figure_of(&a, arc_figure_at(i)));
    for (int i = 0; arc_count_at(i); i++)
        json_unsigned(&j, arc_count_at(i)->id, *arc_count_of(&a, arc_count_at(i)));
    json_integer(&j, "runs", a.runs);
    json_integer(&j, "runs_passed", a.runs_passed);
    json_bool(&j, "below_resolution", a.below_resolution);
    json_bool(&j, "whole", a.whole);
    if (a.reason)
        json_bytes(&j, "reason", a.reason);
    record_line_end(w, &j);
}

void record_write_passages(struct record_writer *w, const struct record *r)
{
    for (int i = 0; r->traced && i < r->traced->n_results; i++)
        passage_line(w, &r->traced->results[i]);
}

void record_count_traced(struct json_write *j, const struct record *r)
{
    const struct traced *t = r->traced;
    if (!t)
        return;
    json_integer(j, "points", t->n_points);
    json_integer(j, "traced", t->n_runs);
    json_integer(j, "arcs", t->n_arcs);
    json_integer(j, "passages", t->n_results);
}
