/* SPDX-License-Identifier: MIT */
#include "arcs_export.h"
#include "quote.h"
#include "record_kind.h"

enum tare_status arcs_refuse(const struct record *r, struct tare_err *err)
{
    (void)r;
    return err_set(err, TARE_UNSUPPORTED,
                   "this format shows the arcs of traced programs, and the record has none; tare trace records them");
}

enum tare_status arcs_show(const struct record *r, int subject, const struct export_options *o, int most, struct arena *arena,
                           struct arcs_shown *s)
{
    enum tare_status status = graph_of_record(r, subject, arena, &s->graph);
    if (!status)
        status = graph_select(&s->graph, o->least_share, o->most_arcs ? o->most_arcs : most, arena, &s->view);
    if (status || !o->left_out || !(s->view.arcs_left || s->view.nodes_left))
        return status;
    buf_format(o->left_out, "%s", o->left_out->len ? " " : "");
    if (r->n_subjects > 1) {
        quote_name(o->left_out, s->graph.title, 60, true);
        buf_str(o->left_out, ": ");
    }
    graph_left_out(o->left_out, &s->view);
    return TARE_OK;
}

const uint64_t *arcs_passes(const struct record *r, struct arena *arena)
{
    uint64_t *passes = arena_array(arena, (size_t)r->traced->n_points + 1, sizeof *passes);
    for (int i = 0; passes && i < r->traced->n_runs; i++)
        for (int k = 0; r->traced->runs[i].round >= 0 && k < r->traced->runs[i].n_passes; k++)
            passes[r->traced->runs[i].passes[k].point] += r->traced->runs[i].passes[k].n;
    return passes;
}

enum tare_status arcs_write(const struct record *r, const struct export_options *o, const struct sink *sink, struct tare_err *err,
                            arcs_part *part)
{
    if (!record_kind(r)->arcs)
        return arcs_refuse(r, err);
    struct export_out out;
    enum tare_status status = TARE_OK;
    export_out_begin(&out, sink, err);
    for (int i = 0; i < r->n_subjects && !status; i++) {
        struct arena arena = {0};
        if (r->subjects[i].kind == SUBJECT_TRACE)
            status = part(&out, r, i, o, &arena);
        arena_finish(&arena);
        export_out_pass(&out);
    }
    if (status && !out.status)
        out.status = err_set(err, status, "%s", tare_status_text(status));
    return export_out_end(&out);
}

static bool traced_within(const struct record *r, int from, int to)
{
    for (int i = from; i < to; i++)
        if (r->subjects[i].kind == SUBJECT_TRACE)
            return true;
    return false;
}

bool arcs_is_first(const struct record *r, int subject)
{
    return !traced_within(r, 0, subject);
}

bool arcs_is_last(const struct record *r, int subject)
{
    return !traced_within(r, subject + 1, r->n_subjects);
}

static int points_hit(const struct graph *g)
{
    int passed = 0;
    for (int i = 0; i < g->n_nodes; i++)
        passed += g->nodes[i].n > 0;
    return passed;
}

void arcs_summary(struct buf *b, const struct graph *g)
{
    int passed = points_hit(g);
    buf_format(b, "%d of %d point%s hit", passed, g->n_nodes, buf_plural(g->n_nodes));
    if (g->n_nodes) {
        buf_str(b, " (");
        graph_share(b, (double)passed / g->n_nodes);
        buf_char(b, ')');
    }
    buf_format(b, ", %d arc%s, %d run%s", g->n_arcs, buf_plural(g->n_arcs), g->runs, buf_plural(g->runs));
    if (g->confidence > 0)
        buf_format(b, "; in brackets the %s interval of the mean over runs", figure_text(figure_level, g->confidence).at);
    buf_char(b, '.');
}
