/* SPDX-License-Identifier: MIT
 * {"type":"point","program":"./prog","file":"a.c","line":12,"ordinal":0,"func":"main","name":"","kind":"point","n":30}
 * {"type":"arc","program":"./prog","from":{"file":"a.c","line":12,"ordinal":0,"func":"main","name":"","kind":"point"},"to":{...},"n":30,"runs":30,"share":0.41,...}
 *
 * JSON Lines: every point, then every arc; the keys of --export-json. Times in nanoseconds; what is not known is null. */
#include "arcs_export.h"
#include "exporters.h"
#include "json_write.h"

static void place(struct json_write *j, const struct point *p)
{
    json_bytes(j, "file", p->file);
    json_integer(j, "line", p->line);
    json_integer(j, "ordinal", p->ordinal);
    json_bytes(j, "func", p->func);
    json_bytes(j, "name", p->name);
    json_string(j, "kind", point_kind_name(p->kind));
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
    json_unsigned(j, "n", a->passes);
    json_unsigned(j, "timed", a->n);
    json_integer(j, "runs", a->runs);
    json_integer(j, "runs_passed", a->runs_passed);
    for (int i = 0; arcs_figure_at(i); i++)
        json_number(j, arcs_figure_at(i)->id, arcs_figure_value(a, arcs_figure_at(i)));
    json_bool(j, "below_resolution", a->below_resolution);
    json_object(j, "classes");
    for (int i = 0; arcs_class_at(i); i++)
        json_unsigned(j, arcs_class_at(i)->id, arcs_class_value(a, arcs_class_at(i)));
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

static enum tare_status write_jsonl(const struct record *r, const struct export_options *o, const struct sink *sink,
                                    struct tare_err *err)
{
    return arcs_write(r, o, sink, err, program);
}

const struct exporter exporter_jsonl = {"jsonl", "jsonl", write_jsonl};
