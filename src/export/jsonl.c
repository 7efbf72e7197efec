/* SPDX-License-Identifier: MIT
 * {"type":"point","program":"./prog","file":"a.c","line":12,"ordinal":0,"func":"main","name":"","kind":"point","n":30}
 * {"type":"arc","program":"./prog","from":{"file":"a.c","line":12,"ordinal":0,"func":"main","name":"","kind":"point"},"to":{...},"n":30,"runs":30,"share":0.41,...}
 *
 * JSON Lines: every point, then every arc; the keys of --export-json. Times in nanoseconds; what is not known is null. */
#include "arcs_export.h"
#include "exporters.h"
#include "json_write.h"
#include "record_fields.h"

static void place(struct json_write *j, const struct point *p)
{
    static const char members[] = "file line ordinal func name kind";
    record_fields_pick(j, point_fields, members, p);
}

static void point(struct buf *b, const struct record *r, const struct point *p, uint64_t passes)
{
    struct json_write line = json_into(b, 0), *j = &line;
    json_object(j, NULL);
    json_string(j, "type", "point");
    json_bytes(j, "program", r->subjects[p->subject].name);
    place(j, p);
    json_unsigned(j, "n", passes);
    json_end(j);
}

static void end_of_arc(struct json_write *j, const char *key, const struct point *p)
{
    json_object(j, key);
    place(j, p);
    json_end(j);
}

static void arc(struct buf *b, const struct record *r, const struct arc_result *a)
{
    struct json_write line = json_into(b, 0), *j = &line;
    json_object(j, NULL);
    json_string(j, "type", "arc");
    json_bytes(j, "program", r->subjects[a->subject].name);
    end_of_arc(j, "from", &r->traced->points[a->from]);
    end_of_arc(j, "to", &r->traced->points[a->to]);
    record_fields_pick(j, arc_result_fields, "n=passes timed=n runs runs_passed", a);
    record_fields_pick(j, arc_result_fields, arcs_figures, a);
    json_bool(j, "below_resolution", a->below_resolution);
    json_object(j, "classes");
    record_fields_pick(j, arc_result_fields, arcs_classes, a);
    json_end(j);
    json_end(j);
}

static void end_line(struct export_out *out)
{
    buf_char(&out->text, '\n');
    export_out_pass(out);
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    (void)o; /* a file for programs leaves nothing out */
    const uint64_t *passes = arcs_passes(r, arena);
    for (int i = 0; passes && i < r->traced->n_points; i++)
        if (r->traced->points[i].subject == subject) {
            point(&out->text, r, &r->traced->points[i], passes[i]);
            end_line(out);
        }
    for (int i = 0; i < r->traced->n_results; i++)
        if (r->traced->results[i].subject == subject) {
            arc(&out->text, r, &r->traced->results[i]);
            end_line(out);
        }
    return passes ? TARE_OK : TARE_NO_MEMORY;
}

const struct exporter exporter_jsonl = {"jsonl", "jsonl", .arcs = program};
