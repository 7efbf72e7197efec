/* SPDX-License-Identifier: MIT
 * Lines point, traced, arc and passage. */
#include "record_arcs.h"
#include "record_fields.h"
#include "record_writing.h"

static void point_line(struct record_writer *w, const struct point *p, int index)
{
    struct json_write j = record_line_begin(w, "point");
    json_integer(&j, "index", index);
    record_fields_write(&j, point_fields, p);
    record_line_end(w, &j);
}

static void traced_line(struct record_writer *w, const struct traced_run *t, int index)
{
    struct json_write j = record_line_begin(w, "traced");
    json_integer(&j, "index", index);
    record_fields_write(&j, traced_run_fields, t);
    for (int i = 0; traced_weight_at(i); i++) {
        const double weight = traced_weight(t, traced_weight_at(i));
        if (weight > 0)
            json_number(&j, traced_weight_at(i)->id, weight);
    }
    record_fields_write(&j, traced_clock_fields, t);
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
    record_fields_write(&j, traced_arc_ends, a);
    record_fields_write(&j, traced_arc_fields, a);
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
