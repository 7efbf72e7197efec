/* SPDX-License-Identifier: MIT
 * "arcs": [{"from": {"file", "line", "func", "name"}, "to", "n", "runs", "share", "total_ns", "mean_ns", ...}] and "points": [{"file", ...,
 * "n"}] of a record of tare trace. */
#include "json_parts.h"
#include "record_arcs.h"
#include <math.h>
#include <stdlib.h>

static void place(struct json_write *j, const struct point *p)
{
    json_bytes(j, "file", p->file);
    json_integer(j, "line", p->line);
    json_integer(j, "ordinal", p->ordinal);
    json_bytes(j, "func", p->func);
    json_bytes(j, "name", *p->name ? p->name : NULL);
    json_string(j, "kind", point_kind_name(p->kind));
}

static void end_point(struct json_write *j, const char *key, const struct point *p)
{
    json_object(j, key);
    place(j, p);
    json_end(j);
}

void json_arc_ends(struct json_write *j, const struct record *r, int result)
{
    const struct arc_result *a = &r->traced->results[result];
    end_point(j, "from", &r->traced->points[a->from]);
    end_point(j, "to", &r->traced->points[a->to]);
}

static void subject_member(struct json_write *j, const struct record *r, int subject)
{
    json_bytes(j, "command", r->subjects[subject].name);
}

static void classes(struct json_write *j, const struct arc_result *a)
{
    json_object(j, "classes");
    json_unsigned(j, "clean", a->clean);
    json_unsigned(j, "interrupted", a->interrupted);
    json_unsigned(j, "gap", a->gaps);
    json_unsigned(j, "migrated", a->migrated);
    json_unsigned(j, "handler", a->handlers);
    json_unsigned(j, "in_handler", a->nested);
    json_unsigned(j, "backwards", a->backwards);
    json_unsigned(j, "stamps", a->stamps);
    json_end(j);
}

static void dilation(struct json_write *j, const struct arc_result *a)
{
    if (isnan(a->dilated_ns)) {
        json_null(j, "proof");
        return;
    }
    json_object(j, "proof");
    json_number(j, "extrapolated_ns", a->dilated_ns);
    json_number(j, "low_ns", a->dilated_low);
    json_number(j, "high_ns", a->dilated_high);
    json_number(j, "probe_ns", a->dilated_probe_ns);
    json_end(j);
}

static void arc(struct json_write *j, const struct record *r, const struct arc_result *a)
{
    json_object(j, NULL);
    subject_member(j, r, a->subject);
    json_arc_ends(j, r, (int)(a - r->traced->results));
    json_unsigned(j, "n", a->passes);
    json_unsigned(j, "timed", a->n);
    json_unsigned(j, "added_up", a->added);
    json_integer(j, "runs", a->runs);
    json_integer(j, "runs_passed", a->runs_passed);
    json_number(j, "share", a->share);
    json_number(j, "total_ns", a->total_ns);
    json_number(j, "total_low_ns", a->total_low);
    json_number(j, "total_high_ns", a->total_high);
    json_number(j, "mean_ns", a->mean_ns);
    json_number(j, "mean_low_ns", a->low_ns);
    json_number(j, "mean_high_ns", a->high_ns);
    json_number(j, "confidence", a->confidence);
    json_number(j, "level", a->level);
    json_number(j, "var_ns2", a->var_ns2);
    json_number(j, "std_ns", a->std_ns);
    json_number(j, "within_sd_ns", a->within_sd);
    json_number(j, "between_sd_ns", a->between_sd);
    json_number(j, "min_ns", a->min_ns);
    json_number(j, "median_ns", a->median_ns);
    json_number(j, "p99_ns", a->p99_ns);
    json_number(j, "max_ns", a->max_ns);
    json_number(j, "clean_mean_ns", a->clean_ns);
    json_number(j, "probe_ns", a->probe_ns);
    json_number(j, "probe_error_ns", a->probe_error_ns);
    json_number(j, "loose_ns", a->loose_ns);
    json_number(j, "loose_error_ns", a->loose_error_ns);
    json_number(j, "resolution_ns", a->resolution_ns);
    json_bool(j, "below_resolution", a->below_resolution);
    json_bool(j, "all_timed", a->whole);
    classes(j, a);
    dilation(j, a);
    json_string(j, "reason", a->reason);
    json_end(j);
}

void json_arcs(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_array(j, "arcs");
    for (int i = 0; r->traced && i < r->traced->n_results; i++) {
        arc(j, r, &r->traced->results[i]);
        export_out_pass(out);
    }
    json_end(j);
}

/* ---- points ---- */

void json_points(struct json_write *j, struct export_out *out, const struct record *r)
{
    uint64_t *passes = r->traced ? record_point_passes(r->traced) : NULL;
    if (r->traced && !passes && !out->status)
        out->status = err_set(out->err, TARE_NO_MEMORY, "no memory for the passes of points");
    json_array(j, "points");
    for (int i = 0; passes && i < r->traced->n_points; i++) {
        const struct point *p = &r->traced->points[i];
        json_object(j, NULL);
        subject_member(j, r, p->subject);
        place(j, p);
        json_integer(j, "group", p->group);
        json_unsigned(j, "n", passes[i]);
        json_end(j);
        export_out_pass(out);
    }
    json_end(j);
    free(passes);
}
