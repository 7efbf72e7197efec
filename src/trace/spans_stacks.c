/* SPDX-License-Identifier: MIT
 *
 * What each stack of a traced run took, with the overhead of the probes subtracted. */
#include "record_arcs.h"
#include "spans.h"
#include "trace_sums.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MOST = 40 };
static const double SHARE_LEAST = 0.001; /* about a pixel of a flame graph */

const char *frame_kind_name(enum frame_kind kind)
{
    static const char *const names[] = {[FRAME_ARC] = "arc", [FRAME_SCOPE] = "scope",       [FRAME_HANDLER] = "handler",
                                        [FRAME_GAP] = "gap", [FRAME_LEFT_OUT] = "left_out", [FRAME_TRACK] = "track"};
    return names[kind];
}

/* From arcs that end at fast points or have words in them more or less is subtracted than one probe. */
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

/* An arc of the record by its ends, whatever its subject is. */
struct weighed {
    struct point from, to;
    double probe_ns;
};

static int by_point(const struct point *a, const struct point *b)
{
    const int numbers[] = {a->line - b->line, a->ordinal - b->ordinal, (int)a->kind - (int)b->kind};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i])
            return numbers[i];
    const int file = strcmp(a->file, b->file), func = file ? file : strcmp(a->func, b->func);
    return func ? func : strcmp(a->name, b->name);
}

static int by_ends(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    const int from = by_point(&x->from, &y->from);
    return from ? from : by_point(&x->to, &y->to);
}

static struct point point_of(const struct span_place *p)
{
    return (struct point){.kind = trace_record_kind(p->kind),
                          .file = p->file,
                          .func = p->func,
                          .name = p->name,
                          .line = p->line,
                          .ordinal = p->ordinal};
}

enum tare_status spans_weigh(struct spans *s, const struct record *r, struct tare_err *err)
{
    const struct traced *t = r->traced;
    const double usual = spans_probe_ns(r);
    struct weighed *w = malloc((size_t)t->n_results * sizeof *w + 1);
    int n = 0;
    for (int i = 0; w && i < t->n_results; i++) {
        const struct arc_result *x = &t->results[i];
        if (isfinite(x->probe_ns))
            w[n++] = (struct weighed){t->points[x->from], t->points[x->to], x->probe_ns};
    }
    if (n)
        qsort(w, (size_t)n, sizeof *w, by_ends);
    for (int i = 0; w && i < s->n_frames; i++) {
        struct span_frame *f = &s->frames[i];
        if (f->kind != FRAME_ARC)
            continue;
        const struct weighed key = {point_of(&s->places[f->from]), point_of(&s->places[f->to]), 0};
        const struct weighed *found = n ? bsearch(&key, w, (size_t)n, sizeof *w, by_ends) : NULL;
        f->probe_ns = found ? found->probe_ns : usual;
    }
    free(w);
    return w ? TARE_OK : err_no_memory(err);
}

int64_t spans_self_ns(const struct spans *s, const struct span_node *n)
{
    return (int64_t)llround(n->self_ns - (double)n->n * s->frames[n->frame].probe_ns);
}

/* Of each node. */
struct sums {
    double *total;      /* ns with all below it */
    int *level, *stack; /* stack: its index in the record */
    int *subject;       /* of each frame: whose track it is */
    int *program;       /* of each subject: the index of its stack; -1: it has none */
};

static double add_up(const struct spans *s, const struct sums *of)
{
    double all = 0;
    for (int i = s->n_nodes - 1; i >= 0; i--) {
        of->total[i] += fmax(0, (double)spans_self_ns(s, &s->nodes[i]));
        *(s->nodes[i].parent >= 0 ? &of->total[s->nodes[i].parent] : &all) += of->total[i];
    }
    return all;
}

/* In the order of the programs, which that of their last runs need not be. One alone needs none. */
static bool keep_programs(struct record *r, const struct spans *s, const struct sums *of)
{
    bool kept = true;
    for (int i = 0; i < r->n_subjects && kept; i++) {
        struct traced_stack stack = {.parent = -1, .kind = "program", .name = r->subjects[i].name};
        for (int k = 0; k < s->n_nodes; k++)
            stack.ns += s->nodes[k].parent < 0 && of->subject[s->nodes[k].frame] == i ? of->total[k] : 0;
        const bool wanted = r->n_subjects > 1 && stack.ns > 0;
        of->program[i] = wanted ? record_add_stack(r, &stack) : -1;
        kept = of->program[i] >= 0 || !wanted;
    }
    return kept;
}

static bool keep_stack(struct record *r, const struct spans *s, const struct sums *of, double least, int i)
{
    const struct span_node *n = &s->nodes[i];
    const struct span_frame *frame = &s->frames[n->frame];
    of->level[i] = n->parent >= 0 ? of->level[n->parent] + 1 : 0;
    of->stack[i] = -1;
    if (of->level[i] >= LEVELS_MOST || !(of->total[i] >= least) || (n->parent >= 0 && of->stack[n->parent] < 0))
        return true;
    const struct traced_stack stack = {.parent = n->parent >= 0 ? of->stack[n->parent] : of->program[of->subject[n->frame]],
                                       .kind = frame_kind_name(frame->kind),
                                       .name = frame->name,
                                       .ns = of->total[i],
                                       .n = n->n};
    of->stack[i] = record_add_stack(r, &stack);
    return of->stack[i] >= 0;
}

enum tare_status spans_keep_stacks(struct record *r, const struct trace_file *const *files, const int *subjects, int n_files,
                                   struct tare_err *err)
{
    struct spans s = {0};
    struct arena arena = {0};
    enum tare_status status = spans_read(&s, files, n_files, &(struct spans_options){0}, err);
    status = status ? status : spans_weigh(&s, r, err);
    const size_t nodes = (size_t)s.n_nodes + 1;
    const struct sums of = {.total = arena_array(&arena, nodes, sizeof *of.total),
                            .level = arena_array(&arena, nodes, sizeof *of.level),
                            .stack = arena_array(&arena, nodes, sizeof *of.stack),
                            .program = arena_array(&arena, (size_t)r->n_subjects + 1, sizeof *of.program),
                            .subject = arena_array(&arena, (size_t)s.n_frames + 1, sizeof *of.subject)};
    if (!status && (!of.total || !of.level || !of.stack || !of.program || !of.subject))
        status = err_no_memory(err);
    for (int i = 0; i < s.n_tracks && !status; i++)
        of.subject[s.tracks[i].frame] = subjects[s.tracks[i].process];
    const double least = status ? 0 : add_up(&s, &of) * SHARE_LEAST;
    if (!status && !keep_programs(r, &s, &of))
        status = err_no_memory(err);
    for (int i = 0; i < s.n_nodes && !status && least > 0; i++)
        if (!keep_stack(r, &s, &of, least, i))
            status = err_no_memory(err);
    arena_finish(&arena);
    spans_finish(&s);
    return status == TARE_NO_MEMORY ? status : TARE_OK;
}
