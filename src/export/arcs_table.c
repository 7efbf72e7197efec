/* SPDX-License-Identifier: MIT
 * | from | to | total, ns | calls | mean, ns |
 * |-----:|---:|----------:|---------:|---------:|
 * |   30 | 32 | 7617199.643 |      1 | 7617199.643 |
 *
 * SAMPLER v2's table: source line, target line, total and passages of a run, mean of a passage; in the order of the source. For pandoc, as it
 * stands. Where points lie in several files a line has its file's name before it. */
#include "arcs_export.h"
#include "exporters.h"
#include "quote.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_source(const void *a, const void *b)
{
    const struct arc_result *x = *(const struct arc_result *const *)a, *y = *(const struct arc_result *const *)b;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* The array is the arena's; NULL: no memory. */
static const struct arc_result *const *arcs_by_source(const struct record *r, int subject, struct arena *arena, int *n)
{
    const struct traced *t = r->traced;
    const struct arc_result **all = arena_array(arena, (size_t)t->n_results + 1, sizeof *all);
    *n = 0;
    for (int i = 0; all && i < t->n_results; i++)
        if (t->results[i].subject == subject)
            all[(*n)++] = &t->results[i];
    if (all)
        qsort(all, (size_t)*n, sizeof *all, by_source);
    return all;
}

static bool arcs_in_one_file(const struct record *r)
{
    for (int i = 1; i < r->traced->n_points; i++)
        if (strcmp(r->traced->points[i].file, r->traced->points[0].file) != 0)
            return false;
    return true;
}

/* To three decimals. */
static double arcs_passes_of_a_run(const struct arc_result *a)
{
    return a->runs > 0 ? round(1000 * (double)a->passes / a->runs) / 1000 : 0;
}

static void place(struct buf *b, const struct point *p, bool with_file)
{
    struct buf name = BUF_INIT(1 << 14);
    if (with_file) {
        quote_cut(&name, point_base(p->file), 60, true);
        for (const char *at = buf_text(&name); *at; at++)
            buf_format(b, strchr("|\\*_`<[", *at) ? "\\%c" : "%c", *at);
        buf_char(b, ':');
    }
    point_put_line(b, p->line, p->ordinal);
    buf_finish(&name);
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    int n;
    struct buf *b = &out->text;
    const struct arc_result *const *arcs = arcs_by_source(r, subject, arena, &n);
    const bool with_file = !arcs_in_one_file(r);
    (void)o;
    if (!arcs)
        return TARE_NO_MEMORY;
    buf_str(b, arcs_is_first(r, subject) ? "" : "\n");
    buf_str(b, "| from | to | total, ns | calls | mean, ns |\n|-----:|---:|----------:|---------:|---------:|\n");
    for (int i = 0; i < n; i++) {
        const struct arc_result *a = arcs[i];
        buf_str(b, "| ");
        place(b, &r->traced->points[a->from], with_file);
        buf_str(b, " | ");
        place(b, &r->traced->points[a->to], with_file);
        buf_format(b, " | %.3f | %g | %.3f |\n", a->total_ns, arcs_passes_of_a_run(a), a->mean_ns);
        export_out_pass(out);
    }
    return TARE_OK;
}

const struct exporter exporter_table = {"table", "md", .arcs = program};

/* a.c:30 -> a.c:32  T=7617199.643 n=1 avg=7617199.643 var=12.500 std=3.536
 *
 * A line for each arc, in the order of the source: total and passages of a run, then mean, variance and deviation of a passage, in nanoseconds. */
static void plain_place(struct buf *b, const struct point *p)
{
    quote_cut(b, point_base(p->file), 60, true);
    buf_char(b, ':');
    point_put_line(b, p->line, p->ordinal);
}

static enum tare_status plain_lines(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                    struct arena *arena)
{
    int n;
    struct buf *b = &out->text;
    const struct arc_result *const *arcs = arcs_by_source(r, subject, arena, &n);
    (void)o;
    for (int i = 0; arcs && i < n; i++) {
        const struct arc_result *a = arcs[i];
        plain_place(b, &r->traced->points[a->from]);
        buf_str(b, " -> ");
        plain_place(b, &r->traced->points[a->to]);
        buf_format(b, "  T=%.3f n=%g avg=%.3f", a->total_ns, arcs_passes_of_a_run(a), a->mean_ns);
        if (a->n > 1)
            buf_format(b, " var=%.3f std=%.3f", a->var_ns2, a->std_ns);
        buf_char(b, '\n');
        export_out_pass(out);
    }
    return arcs ? TARE_OK : TARE_NO_MEMORY;
}

const struct exporter exporter_short = {"short", "txt", .arcs = plain_lines};
