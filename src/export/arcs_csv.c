/* SPDX-License-Identifier: MIT
 * program,from_file,from_line,from_func,from_name,to_file,...,runs,runs_passed,passes,n,share,total_ns,...,from_ordinal,to_ordinal
 * ./prog,a.c,12,main,,a.c,14,...
 *
 * All arcs, those with most time first; times in nanoseconds; below_resolution is 0 or 1. A point that was never passed is a line with its place and 0 runs_passed
 * and passes, without a target. */
#include "arcs_export.h"
#include "csv_text.h"

static const char *const places[] = {"file", "line", "func", "name"};

static void heading(struct buf *b)
{
    buf_str(b, "program");
    for (int end = 0; end < 2; end++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            buf_format(b, ",%s_%s", end ? "to" : "from", places[i]);
    buf_str(b, ",runs,runs_passed,passes,n");
    for (int i = 0; arcs_figure_at(i); i++)
        buf_format(b, ",%s", arcs_figure_at(i)->id);
    buf_str(b, ",below_resolution");
    for (int i = 0; arcs_class_at(i); i++)
        buf_format(b, ",%s", arcs_class_at(i)->id);
    buf_str(b, ",from_ordinal,to_ordinal\n");
}

static void place(struct buf *b, const struct point *p)
{
    buf_char(b, ',');
    csv_text(b, "", p->file);
    buf_format(b, ",%d,", p->line);
    csv_text(b, "", p->func);
    buf_char(b, ',');
    csv_text(b, "", p->name);
}

static void arc(struct buf *b, const struct record *r, const struct arc_result *a)
{
    csv_text(b, "", r->subjects[a->subject].name);
    place(b, &r->traced->points[a->from]);
    place(b, &r->traced->points[a->to]);
    buf_format(b, ",%d,%d,%llu,%llu", a->runs, a->runs_passed, (unsigned long long)a->passes, (unsigned long long)a->n);
    for (int i = 0; arcs_figure_at(i); i++) {
        double value = arcs_figure_value(a, arcs_figure_at(i));
        buf_char(b, ',');
        if (isfinite(value))
            buf_format(b, "%g", value);
    }
    buf_format(b, ",%d", a->below_resolution);
    for (int i = 0; arcs_class_at(i); i++)
        buf_format(b, ",%llu", (unsigned long long)arcs_class_value(a, arcs_class_at(i)));
    buf_format(b, ",%d,%d\n", r->traced->points[a->from].ordinal, r->traced->points[a->to].ordinal);
}

static void idle_point(struct buf *b, const struct record *r, const struct point *p)
{
    csv_text(b, "", r->subjects[p->subject].name);
    place(b, p);
    buf_str(b, ",,,,,,0,0,0");
    for (int i = 0; arcs_figure_at(i); i++)
        buf_char(b, ',');
    buf_char(b, ',');
    for (int i = 0; arcs_class_at(i); i++)
        buf_char(b, ',');
    buf_format(b, ",%d,\n", p->ordinal);
}

enum tare_status arcs_csv_write(const struct record *r, const struct sink *sink, struct tare_err *err)
{
    struct export_out out;
    struct arena arena = {0};
    const uint64_t *passes = arcs_passes(r, &arena);
    if (!passes)
        return err_set(err, TARE_NO_MEMORY, "%s", tare_status_text(TARE_NO_MEMORY));
    export_out_begin(&out, sink, err);
    heading(&out.text);
    for (int i = 0; i < r->traced->n_results; i++) {
        arc(&out.text, r, &r->traced->results[i]);
        export_out_pass(&out);
    }
    for (int i = 0; i < r->traced->n_points; i++)
        if (!passes[i]) {
            idle_point(&out.text, r, &r->traced->points[i]);
            export_out_pass(&out);
        }
    arena_finish(&arena);
    return export_out_end(&out);
}
