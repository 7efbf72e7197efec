/* SPDX-License-Identifier: MIT
 * fl=(1) a.c
 * fn=(2) main
 * 12 48213 3
 * calls=3 20
 * 14 9120 9
 *
 * For callgrind_annotate and KCachegrind: nanoseconds and passages by line. A line's time is that from its point to the next one. Scopes are
 * functions that are called where they begin; what lies in none belongs to the C function of its point. Of all passages, the probe's weight
 * taken off. */
#include "events_export.h"
#include "exporters.h"
#include "quote.h"
#include <stdlib.h>

struct cost {
    int fn;     /* frame of a scope or handler; n_frames + place of a C function */
    int callee; /* likewise; -1: its own time */
    int place;  /* where; -1: nowhere */
    uint64_t calls;
    int64_t ns;
    uint64_t passages;
};

struct callgrind {
    struct export_out out;
    struct events *e;
    struct cost *costs;
    int n;
    bool *told_files, *told_functions;
};

static int fn_of_node(const struct spans *s, int node)
{
    enum frame_kind kind = s->frames[s->nodes[node].frame].kind;
    return kind == FRAME_SCOPE || kind == FRAME_HANDLER ? s->nodes[node].frame : -1;
}

/* In which function the node's own place lies. */
static int fn_around(const struct spans *s, int node)
{
    const struct span_frame *f = &s->frames[s->nodes[node].frame];
    int fn = s->nodes[node].parent >= 0 ? fn_of_node(s, s->nodes[node].parent) : -1;
    return fn >= 0 || f->from < 0 ? fn : s->n_frames + s->places[f->from].func_first;
}

static bool collect(struct callgrind *c)
{
    const struct spans *s = &c->e->spans;
    int64_t *ns = calloc((size_t)s->n_nodes + 1, sizeof *ns);
    uint64_t *passages = calloc((size_t)s->n_nodes + 1, sizeof *passages);
    c->costs = calloc((size_t)s->n_nodes + 1, sizeof *c->costs);
    c->told_files = calloc((size_t)s->n_places + 1, sizeof *c->told_files);
    c->told_functions = calloc((size_t)s->n_places + (size_t)s->n_frames + 1, sizeof *c->told_functions);
    for (int i = s->n_nodes - 1; ns && passages && c->costs && i >= 0; i--) {
        const struct span_node *node = &s->nodes[i];
        const struct span_frame *f = &s->frames[node->frame];
        int64_t self = events_self_ns(c->e, node);
        ns[i] += self > 0 ? self : 0;
        passages[i] += f->kind == FRAME_ARC ? node->n : 0;
        if (node->parent >= 0) { /* stands before: all below it are done when it is reached */
            ns[node->parent] += ns[i];
            passages[node->parent] += passages[i];
        }
        int fn = fn_around(s, i);
        if (fn >= 0)
            c->costs[c->n++] = (struct cost){fn, f->kind == FRAME_ARC ? -1 : node->frame, f->from, node->n, ns[i], passages[i]};
    }
    bool made = ns && passages && c->costs && c->told_files && c->told_functions;
    free(ns);
    free(passages);
    return made;
}

static int by_function(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    int order = (x->fn > y->fn) - (x->fn < y->fn);
    order = order ? order : (x->callee > y->callee) - (x->callee < y->callee);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void merge(struct callgrind *c)
{
    int kept = 0;
    if (c->n)
        qsort(c->costs, (size_t)c->n, sizeof *c->costs, by_function);
    for (int i = 0; i < c->n; i++) {
        if (!kept || by_function(&c->costs[kept - 1], &c->costs[i])) {
            c->costs[kept++] = c->costs[i];
            continue;
        }
        c->costs[kept - 1].calls += c->costs[i].calls;
        c->costs[kept - 1].ns += c->costs[i].ns;
        c->costs[kept - 1].passages += c->costs[i].passages;
    }
    c->n = kept;
}

static const struct span_place *place_of(const struct spans *s, int fn)
{
    int place = fn >= s->n_frames ? fn - s->n_frames : s->frames[fn].from;
    return place >= 0 ? &s->places[place] : NULL;
}

/* A name is told with its number once, then the number stands for it. */
static void name(struct callgrind *c, const char *key, int id, const char *text, bool *told)
{
    buf_format(&c->out.text, "%s=(%d)", key, id + 1);
    if (!told[id]) {
        buf_char(&c->out.text, ' ');
        quote_mask(&c->out.text, *text ? text : "???", true);
        told[id] = true;
    }
    buf_char(&c->out.text, '\n');
}

/* Files have the number of their first place; after them comes that of no file. */
static void file(struct callgrind *c, const char *key, const struct span_place *p)
{
    name(c, key, p ? p->file_first : c->e->spans.n_places, p ? p->file : "", c->told_files);
}

static void function(struct callgrind *c, const char *file_key, const char *name_key, int fn)
{
    const struct spans *s = &c->e->spans;
    const struct span_place *p = place_of(s, fn);
    file(c, file_key, p);
    name(c, name_key, fn, fn >= s->n_frames ? p->func : s->frames[fn].name, c->told_functions);
}

static void cost(struct callgrind *c, const struct cost *x)
{
    const struct spans *s = &c->e->spans;
    const struct span_place *home = place_of(s, x->fn), *here = x->place >= 0 ? &s->places[x->place] : home;
    bool elsewhere = home && here && home->file_first != here->file_first;
    if (elsewhere)
        file(c, "fe", here);
    if (x->callee >= 0) {
        const struct span_place *target = place_of(s, x->callee);
        function(c, "cfi", "cfn", x->callee);
        buf_format(&c->out.text, "calls=%llu %d\n", (unsigned long long)x->calls, target ? target->line : 0);
    }
    buf_format(&c->out.text, "%d %lld %llu\n", x->place >= 0 ? c->e->spans.places[x->place].line : 0, (long long)x->ns,
               (unsigned long long)x->passages);
    if (elsewhere)
        file(c, "fe", home);
}

static void head(struct callgrind *c)
{
    struct buf *b = &c->out.text;
    int64_t ns = 0;
    uint64_t passages = 0;
    for (int i = 0; i < c->n; i++)
        if (c->costs[i].callee < 0) {
            ns += c->costs[i].ns;
            passages += c->costs[i].passages;
        }
    buf_str(b, "# callgrind format\nversion: 1\ncreator: tare\ncmd: ");
    quote_mask(b, c->e->title, true);
    if (c->e->spans.left_out.len)
        buf_format(b, "\ndesc: Left out: %s", buf_text(&c->e->spans.left_out));
    buf_format(b, "\npositions: line\nevents: ns Traversals\nsummary: %lld %llu\n", (long long)ns, (unsigned long long)passages);
}

static enum tare_status write_all(struct events *e, const struct sink *sink, struct tare_err *err)
{
    struct callgrind c = {.e = e};
    export_out_begin(&c.out, sink, err);
    events_say_negative(e);
    if (!collect(&c)) {
        c.out.status = err_no_memory(err);
        c.n = 0;
    }
    merge(&c);
    head(&c);
    for (int i = 0; i < c.n; i++) {
        if (!i || c.costs[i].fn != c.costs[i - 1].fn) {
            buf_char(&c.out.text, '\n');
            function(&c, "fl", "fn", c.costs[i].fn);
        }
        cost(&c, &c.costs[i]);
        export_out_pass(&c.out);
    }
    free(c.costs);
    free(c.told_files);
    free(c.told_functions);
    return export_out_end(&c.out);
}

const struct exporter exporter_callgrind = {"callgrind", "callgrind", .events = write_all};
