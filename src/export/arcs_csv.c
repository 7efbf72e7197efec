/* SPDX-License-Identifier: MIT
 * program,from_file,from_line,from_func,from_name,to_file,...,runs,runs_passed,passes,n,share,total_ns,...,from_ordinal,to_ordinal
 * ./prog,a.c,12,main,,a.c,14,...
 *
 * All arcs, those with most time first; times in nanoseconds; below_resolution is 0 or 1. A point that was never passed is a line with its place and 0 runs_passed
 * and passes, without a target. */
#include "arcs_export.h"
#include "quote.h"
#include "record_fields.h"
#include <string.h>

/* "heading", or "heading=field" of record_fields.h. */
const char *const arcs_figures = "share total_ns total_low_ns=total_low total_high_ns=total_high mean_ns mean_low_ns=low_ns "
                                 "mean_high_ns=high_ns clean_ns var_ns2 std_ns within_sd_ns=within_sd between_sd_ns=between_sd "
                                 "min_ns median_ns p99_ns max_ns probe_ns probe_error_ns loose_ns loose_error_ns resolution_ns";
const char *const arcs_classes = "added_up=added clean gaps migrated handlers nested interrupted backwards stamps";
static const char *const places[] = {"file", "line", "func", "name"};

static void put_headings(struct buf *b, const char *columns)
{
    for (; *columns; columns += strspn(columns, " ")) {
        buf_format(b, ",%.*s", (int)strcspn(columns, " ="), columns);
        columns += strcspn(columns, " ");
    }
}

/* figures: those without a value are empty. a NULL: all are. */
static void put_values(struct buf *b, const char *columns, const struct arc_result *a)
{
    const struct field *f;
    while (record_fields_next(arc_result_fields, &columns, NULL, &f)) {
        const void *at = a ? (const char *)a + f->offset : NULL;
        buf_char(b, ',');
        if (a && f->kind == FIELD_UNSIGNED)
            buf_format(b, "%llu", (unsigned long long)*(const uint64_t *)at);
        else if (a && isfinite(*(const double *)at))
            buf_format(b, "%g", *(const double *)at);
    }
}

static void heading(struct buf *b)
{
    buf_str(b, "program");
    for (int end = 0; end < 2; end++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            buf_format(b, ",%s_%s", end ? "to" : "from", places[i]);
    buf_str(b, ",runs,runs_passed,passes,n");
    put_headings(b, arcs_figures);
    buf_str(b, ",below_resolution");
    put_headings(b, arcs_classes);
    buf_str(b, ",from_ordinal,to_ordinal\n");
}

static void place(struct buf *b, const struct point *p)
{
    buf_char(b, ',');
    quote_csv(b, "", p->file);
    buf_format(b, ",%d,", p->line);
    quote_csv(b, "", p->func);
    buf_char(b, ',');
    quote_csv(b, "", p->name);
}

static void arc(struct buf *b, const struct record *r, const struct arc_result *a)
{
    quote_csv(b, "", r->subjects[a->subject].name);
    place(b, &r->traced->points[a->from]);
    place(b, &r->traced->points[a->to]);
    buf_format(b, ",%d,%d,%llu,%llu", a->runs, a->runs_passed, (unsigned long long)a->passes, (unsigned long long)a->n);
    put_values(b, arcs_figures, a);
    buf_format(b, ",%d", a->below_resolution);
    put_values(b, arcs_classes, a);
    buf_format(b, ",%d,%d\n", r->traced->points[a->from].ordinal, r->traced->points[a->to].ordinal);
}

static void idle_point(struct buf *b, const struct record *r, const struct point *p)
{
    quote_csv(b, "", r->subjects[p->subject].name);
    place(b, p);
    buf_str(b, ",,,,,,0,0,0");
    put_values(b, arcs_figures, NULL);
    buf_char(b, ',');
    put_values(b, arcs_classes, NULL);
    buf_format(b, ",%d,\n", p->ordinal);
}

enum tare_status arcs_csv_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                struct tare_err *err)
{
    (void)o; /* neither unit nor order: a file for programs has one form */
    struct export_out out;
    struct arena arena = {0};
    const uint64_t *passes = arcs_passes(r, &arena);
    if (!passes)
        return err_no_memory(err);
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
