/* SPDX-License-Identifier: MIT
 * a.c:30 -> a.c:32  T=7617199.643 n=1 avg=7617199.643 var=12.500 std=3.536
 *
 * A line for each arc, in the order of the source: total and passages of a run, then mean, variance and deviation of a passage, in nanoseconds. */
#include "arcs_export.h"
#include "exporters.h"
#include "graph_picture.h"
#include "quote.h"

static void place(struct buf *b, const struct point *p)
{
    quote_cut(b, point_base(p->file), 60, true);
    buf_char(b, ':');
    point_put_line(b, p->line, p->ordinal);
}

static enum tare_status program(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                                struct arena *arena)
{
    int n;
    struct buf *b = &out->text;
    const struct arc_result *const *arcs = arcs_by_source(r, subject, arena, &n);
    (void)o;
    for (int i = 0; arcs && i < n; i++) {
        const struct arc_result *a = arcs[i];
        place(b, &r->traced->points[a->from]);
        buf_str(b, " -> ");
        place(b, &r->traced->points[a->to]);
        buf_format(b, "  T=%.3f n=%g avg=%.3f", a->total_ns, arcs_passes_of_a_run(a), a->mean_ns);
        if (a->n > 1)
            buf_format(b, " var=%.3f std=%.3f", a->var_ns2, a->std_ns);
        buf_char(b, '\n');
        export_out_pass(out);
    }
    return arcs ? TARE_OK : TARE_NO_MEMORY;
}

const struct exporter exporter_short = {"short", "txt", .arcs = program};
