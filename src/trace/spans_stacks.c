/* SPDX-License-Identifier: MIT
 *
 * What each stack of a traced run took, with the overhead of the probes subtracted. */
#include "record_arcs.h"
#include "spans.h"
#include <math.h>
#include <string.h>

enum { LEVELS_MOST = 40 };
static const double SHARE_LEAST = 0.001; /* about a pixel of a flame graph */

const char *frame_kind_name(enum frame_kind kind)
{
    static const char *const names[] = {[FRAME_ARC] = "arc", [FRAME_SCOPE] = "scope",       [FRAME_HANDLER] = "handler",
                                        [FRAME_GAP] = "gap", [FRAME_LEFT_OUT] = "left_out", [FRAME_TRACK] = "track"};
    return names[kind];
}

/* Of arcs that end at fast points or have words in them more or less is taken off than one probe. */
static bool is_plain(const struct traced *t, const struct arc_result *x)
{
    for (int i = 0; i < t->n_arcs; i++)
        if (t->arcs[i].from == x->from && t->arcs[i].to == x->to && (t->arcs[i].words || t->arcs[i].fast))
            return false;
    return true;
}

double spans_probe_ns(const struct record *r)
{
    const struct traced *t = r->traced;
    double any = 0;
    for (int i = 0; i < t->n_results; i++)
        if (isfinite(t->results[i].probe_ns) && is_plain(t, &t->results[i]))
            return t->results[i].probe_ns;
        else if (isfinite(t->results[i].probe_ns))
            any = t->results[i].probe_ns;
    return any;
}

int64_t spans_self_ns(const struct spans *s, const struct span_node *n, double probe_ns)
{
    const bool arc = s->frames[n->frame].kind == FRAME_ARC;
    return (int64_t)llround(n->self_ns - (arc ? (double)n->n * probe_ns : 0));
}

/* Of each node. */
struct sums {
    double *total;      /* ns with all below it */
    double *probe_ns;   /* of each frame: overhead of a traversal */
    int *level, *stack; /* stack: its index in the record */
};

static bool is_point(const struct span_place *p, const struct point *q)
{
    const enum point_kind kind = p->kind == TRACE_SCOPE_BEGIN ? POINT_BEGIN
                                 : p->kind == TRACE_SCOPE_END ? POINT_END
                                 : p->kind == TRACE_COUNTER   ? POINT_COUNTER
                                                              : POINT_PLAIN;
    return p->line == q->line && p->ordinal == q->ordinal && kind == q->kind && !strcmp(p->func, q->func) &&
           !strcmp(p->name, q->name) && !strcmp(p->file, q->file);
}

/* What the table subtracts from this arc, whose ends may weigh more or less than others do; of what is none what most weigh. */
static double probe_of(const struct record *r, const struct spans *s, const struct span_frame *f, double usual)
{
    for (int i = 0; f->kind == FRAME_ARC && i < r->traced->n_results; i++) {
        const struct arc_result *x = &r->traced->results[i];
        if (isfinite(x->probe_ns) && is_point(&s->places[f->from], &r->traced->points[x->from]) &&
            is_point(&s->places[f->to], &r->traced->points[x->to]))
            return x->probe_ns;
    }
    return usual;
}

static bool find_probes(const struct record *r, const struct spans *s, struct sums *of, struct arena *a)
{
    const double usual = spans_probe_ns(r);
    of->probe_ns = arena_array(a, (size_t)s->n_frames + 1, sizeof *of->probe_ns);
    for (int i = 0; of->probe_ns && i < s->n_frames; i++)
        of->probe_ns[i] = probe_of(r, s, &s->frames[i], usual);
    return of->probe_ns;
}

static double add_up(const struct spans *s, const struct sums *of)
{
    double all = 0;
    for (int i = s->n_nodes - 1; i >= 0; i--) {
        of->total[i] += fmax(0, (double)spans_self_ns(s, &s->nodes[i], of->probe_ns[s->nodes[i].frame]));
        *(s->nodes[i].parent >= 0 ? &of->total[s->nodes[i].parent] : &all) += of->total[i];
    }
    return all;
}

static bool keep_stack(struct record *r, const struct spans *s, const struct sums *of, double least, int i)
{
    const struct span_node *n = &s->nodes[i];
    const struct span_frame *frame = &s->frames[n->frame];
    of->level[i] = n->parent >= 0 ? of->level[n->parent] + 1 : 0;
    of->stack[i] = -1;
    if (of->level[i] >= LEVELS_MOST || !(of->total[i] >= least) || (n->parent >= 0 && of->stack[n->parent] < 0))
        return true;
    const struct traced_stack stack = {.parent = n->parent >= 0 ? of->stack[n->parent] : -1,
                                       .kind = frame_kind_name(frame->kind),
                                       .name = frame->name,
                                       .ns = of->total[i],
                                       .n = n->n};
    of->stack[i] = record_add_stack(r, &stack);
    return of->stack[i] >= 0;
}

enum tare_status spans_keep_stacks(struct record *r, const struct trace_file *const *files, int n_files, struct tare_err *err)
{
    struct spans s = {0};
    struct arena arena = {0};
    enum tare_status status = spans_read(&s, files, n_files, &(struct spans_options){0}, err);
    const size_t nodes = (size_t)s.n_nodes + 1;
    struct sums of = {.total = arena_array(&arena, nodes, sizeof *of.total),
                      .level = arena_array(&arena, nodes, sizeof *of.level),
                      .stack = arena_array(&arena, nodes, sizeof *of.stack)};
    if (!status && (!of.total || !of.level || !of.stack || !find_probes(r, &s, &of, &arena)))
        status = err_no_memory(err);
    const double least = status ? 0 : add_up(&s, &of) * SHARE_LEAST;
    for (int i = 0; i < s.n_nodes && !status && least > 0; i++)
        if (!keep_stack(r, &s, &of, least, i))
            status = err_no_memory(err);
    arena_finish(&arena);
    spans_finish(&s);
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}
