/* SPDX-License-Identifier: MIT
 * "arcs": [{"from": {"file", "line", "func", "name"}, "to", "n", "runs", "share", "total_ns", "mean_ns", ...}] and "points": [{"file", ...,
 * "n"}] of a record of tare trace. */
#include "json_parts.h"
#include "record_arcs.h"
#include "record_fields.h"
#include <math.h>
#include <stdlib.h>

static void place(struct json_write *j, const struct point *p)
{
    static const char members[] = "file line ordinal func";
    record_fields_pick(j, point_fields, members, p);
    json_bytes(j, "name", *p->name ? p->name : NULL);
    record_fields_pick(j, point_fields, "kind", p);
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

static void dilation(struct json_write *j, const struct arc_result *a)
{
    if (isnan(a->dilated_ns)) {
        json_null(j, "proof");
        return;
    }
    static const char proof[] = "extrapolated_ns=dilated_ns low_ns=dilated_low high_ns=dilated_high probe_ns=dilated_probe_ns";
    json_object(j, "proof");
    record_fields_pick(j, arc_result_fields, proof, a);
    json_end(j);
}

static void points(struct json_write *j, struct export_out *out, const struct record *r)
{
    uint64_t *passes = r->traced ? record_point_passes(r->traced) : NULL;
    if (r->traced && !passes && !out->status)
        out->status = err_no_memory(out->err);
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

void json_traces(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_array(j, "arcs");
    for (int i = 0; r->traced && i < r->traced->n_results; i++) {
        static const char members[] =
            "n=passes timed=n added_up=added runs runs_passed share total_ns total_low_ns=total_low "
            "total_high_ns=total_high mean_ns mean_low_ns=low_ns mean_high_ns=high_ns confidence level var_ns2 "
            "std_ns within_sd_ns=within_sd between_sd_ns=between_sd min_ns median_ns p99_ns max_ns "
            "clean_mean_ns=clean_ns probe_ns probe_error_ns loose_ns loose_error_ns resolution_ns "
            "below_resolution all_timed=whole";
        static const char classes[] = "clean interrupted gap=gaps migrated handler=handlers in_handler=nested backwards stamps";
        json_object(j, NULL);
        subject_member(j, r, r->traced->results[i].subject);
        json_arc_ends(j, r, (int)(&r->traced->results[i] - r->traced->results));
        record_fields_pick(j, arc_result_fields, members, &r->traced->results[i]);
        json_object(j, "classes");
        record_fields_pick(j, arc_result_fields, classes, &r->traced->results[i]);
        json_end(j);
        dilation(j, &r->traced->results[i]);
        json_string(j, "reason", r->traced->results[i].reason);
        json_end(j);
        export_out_pass(out);
    }
    json_end(j);
    points(j, out, r);
}
