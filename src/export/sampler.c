/* SPDX-License-Identifier: MIT
 * [{"file":"a.c","line":12,"func":"main","edges":[{"dest":1,"total-usec":76075.2,"total-count":30,"usec":2535.8,"count":1,
 *   "attrs":{"avg":2535.8,"var":12.5,"std":3.5}}]}]
 *
 * The graph JSON of SAMPLER v2's process.py, for scripts that read it; with "ordinal" for points that are not the first of their line. Nanoseconds, whatever its keys say; usec and count are of a run, total-...
 * of all runs; var is divided by n, as there. A count a run that is not whole is written with its fraction. */
#include "arcs_export.h"
#include "exporters.h"
#include "json_write.h"
#include <math.h>

static void edge(struct json_write *j, const struct arc_result *a)
{
    const double n = (double)a->n, var = a->n > 1 ? a->var_ns2 * (n - 1) / n : 0;
    json_object(j, NULL);
    json_integer(j, "dest", a->to);
    json_number(j, "total-usec", a->total_ns * a->runs);
    json_unsigned(j, "total-count", a->passes);
    json_number(j, "usec", a->total_ns);
    json_number(j, "count", a->runs > 0 ? (double)a->passes / a->runs : NAN);
    json_object(j, "attrs");
    json_number(j, "avg", a->mean_ns);
    json_number(j, "var", var);
    json_number(j, "std", sqrt(var));
    json_end(j);
    json_end(j);
}

/* One array holds the points of all programs. */
static enum tare_status nodes(struct export_out *out, const struct record *r, int subject, const struct export_options *o,
                              struct arena *arena)
{
    (void)o;
    (void)arena;
    if (!arcs_is_first(r, subject))
        return TARE_OK;
    struct json_write json = json_into(&out->text, 0), *j = &json;
    json_array(j, NULL);
    for (int i = 0; i < r->traced->n_points; i++) {
        const struct point *p = &r->traced->points[i];
        json_object(j, NULL);
        json_string(j, "file", p->file);
        json_integer(j, "line", p->line);
        if (p->ordinal)
            json_integer(j, "ordinal", p->ordinal);
        json_string(j, "func", p->func);
        json_array(j, "edges");
        for (int k = 0; k < r->traced->n_results; k++)
            if (r->traced->results[k].from == i)
                edge(j, &r->traced->results[k]);
        json_end(j);
        json_end(j);
        export_out_pass(out);
    }
    json_end(j);
    buf_char(&out->text, '\n');
    export_out_pass(out);
    return TARE_OK;
}

const struct exporter exporter_sampler = {"sampler", "json", .arcs = nodes};
