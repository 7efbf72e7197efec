/* SPDX-License-Identifier: MIT */
#include "record_arcs.h"
#include "buf.h"
#include "record_fields.h"
#include "record_write.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void arc_result_init(struct arc_result *a, int subject, int from, int to)
{
    *a = (struct arc_result){.subject = subject, .from = from, .to = to, .whole = true};
    record_fields_init(arc_result_fields, a);
}

double arc_mean_most(const struct arc_result *a)
{
    return a->below_resolution && isfinite(a->resolution_ns)
               ? fmax(fmax(a->resolution_ns, fabs(a->mean_ns)), isfinite(a->high_ns) ? a->high_ns : 0)
               : a->mean_ns;
}

double arc_share_most(const struct arc_result *a)
{
    return !a->below_resolution ? a->share : a->mean_ns > 0 ? fmin(1, a->share * (arc_mean_most(a) / a->mean_ns)) : NAN;
}

static struct traced *traced_of(struct record *r)
{
    if (!r->traced)
        r->traced = calloc(1, sizeof *r->traced);
    return r->traced;
}

bool record_begin_traced(struct record *r)
{
    return traced_of(r) != NULL;
}

static const void *copied_items(struct record *r, const void *items, int n, size_t item_bytes, bool *ok)
{
    if (n <= 0)
        return NULL;
    void *own = arena_array(&r->arena, (size_t)n, item_bytes);
    *ok = *ok && own;
    return own ? memcpy(own, items, (size_t)n * item_bytes) : NULL;
}

static bool same_point(const struct point *a, const struct point *b)
{
    return a->subject == b->subject && a->line == b->line && a->kind == b->kind && a->group == b->group &&
           a->ordinal == b->ordinal && !strcmp(a->file, b->file) && !strcmp(a->func, b->func) && !strcmp(a->name, b->name);
}

static uint64_t text_hash(uint64_t hash, const char *text)
{
    return fnv1a64(hash, text, strlen(text) + 1);
}

/* Of what put_place holds against each other. */
static uint64_t place_hash(const struct point *p)
{
    const int numbers[] = {p->subject, p->line, p->ordinal};
    uint64_t hash = fnv1a64(FNV1A64_EMPTY, numbers, sizeof numbers);
    return text_hash(text_hash(text_hash(hash, p->func), p->name), point_base(p->file));
}

static uint64_t name_hash(const struct point *p)
{
    const int numbers[] = {p->subject, (int)p->kind};
    return text_hash(fnv1a64(FNV1A64_EMPTY, numbers, sizeof numbers), p->name);
}

/* The index has each point at the hash of its place, and the first two of a name at that of their name. From such a hash on, up to the next free
 * place, stand all of it, among others; -1: no more. */
static int next_indexed(const struct traced *t, uint64_t *at)
{
    return t->index[(*at)++ & (uint64_t)(t->room_index - 1)] - 1;
}

static void put_index(struct traced *t, uint64_t at, int point)
{
    const uint64_t mask = (uint64_t)t->room_index - 1;
    while (t->index[at & mask])
        at++;
    t->index[at & mask] = point + 1;
}

/* Up to two points with this name and kind, of this subject; how many. */
static int named_alike(const struct traced *t, const struct point *p, int two[2])
{
    int n = 0, i;
    for (uint64_t at = name_hash(p); n < 2 && (i = next_indexed(t, &at)) >= 0;) {
        const struct point *other = &t->points[i];
        if (other->subject == p->subject && other->kind == p->kind && !strcmp(other->name, p->name) && (!n || two[0] != i))
            two[n++] = i;
    }
    return n;
}

static void index_point(struct traced *t, int point)
{
    const struct point *p = &t->points[point];
    int two[2];
    put_index(t, place_hash(p), point);
    if (*p->name && named_alike(t, p, two) < 2)
        put_index(t, name_hash(p), point);
}

/* Makes the index anew, with room for twice the points; false: no memory, there is none then. */
static bool index_points(struct traced *t)
{
    int room = 64;
    while (room / 4 <= t->n_points)
        room *= 2;
    free(t->index);
    t->index = calloc((size_t)room, sizeof *t->index);
    t->room_index = t->index ? room : 0;
    for (int i = 0; t->index && i < t->n_points; i++)
        index_point(t, i);
    return t->index != NULL;
}

int record_add_point(struct record *r, const struct point *p)
{
    struct traced *t = traced_of(r);
    if (!t || (t->n_points >= t->room_index / 4 && !index_points(t)))
        return -1;
    int there;
    for (uint64_t at = place_hash(p); (there = next_indexed(t, &at)) >= 0;)
        if (same_point(&t->points[there], p))
            return there;
    const int at = record_add_item(r, &t->points, &t->n_points, &t->room_points, point_fields, p, sizeof *p);
    if (at >= 0)
        index_point(t, at);
    return at;
}

int record_add_traced_run(struct record *r, const struct traced_run *run)
{
    struct traced *t = traced_of(r);
    if (!t)
        return -1;
    if (run->round >= 0)
        record_drop_traced(r, run->subject, run->round);
    struct traced_run own = *run;
    bool ok = array_room(&t->runs, t->n_runs, &t->room_runs, sizeof own) && record_fields_own(r, traced_run_fields, &own);
    own.passes = copied_items(r, run->passes, run->n_passes, sizeof *run->passes, &ok);
    if (!ok)
        return -1;
    t->runs[t->n_runs] = own;
    return t->n_runs++;
}

int record_add_traced_arc(struct record *r, const struct traced_arc *a)
{
    struct traced *t = traced_of(r);
    if (!t)
        return -1;
    assert(a->run >= 0 && a->run < t->n_runs && a->from >= 0 && a->from < t->n_points && a->to >= 0 && a->to < t->n_points);
    struct traced_arc own = *a;
    bool ok = array_room(&t->arcs, t->n_arcs, &t->room_arcs, sizeof own);
    own.bins = copied_items(r, a->bins, a->n_bins, sizeof *a->bins, &ok);
    if (!ok)
        return -1;
    t->arcs[t->n_arcs] = own;
    return t->n_arcs++;
}

int record_add_arc_result(struct record *r, const struct arc_result *a)
{
    struct traced *t = traced_of(r);
    return t ? record_add_item(r, &t->results, &t->n_results, &t->room_results, arc_result_fields, a, sizeof *a) : -1;
}

int record_add_stack(struct record *r, const struct traced_stack *s)
{
    struct traced *t = traced_of(r);
    return t ? record_add_item(r, &t->stacks, &t->n_stacks, &t->room_stacks, stack_fields, s, sizeof *s) : -1;
}

void record_clear_arc_results(struct record *r)
{
    if (r->traced)
        r->traced->n_results = 0;
}

void record_traced_finish(struct record *r)
{
    if (!r->traced)
        return;
    free(r->traced->points);
    free(r->traced->runs);
    free(r->traced->arcs);
    free(r->traced->results);
    free(r->traced->stacks);
    free(r->traced->index);
    free(r->traced);
    r->traced = NULL;
}

void record_drop_traced(struct record *r, int subject, int round)
{
    for (int i = 0; r->traced && i < r->traced->n_runs; i++)
        if (r->traced->runs[i].subject == subject && r->traced->runs[i].round == round)
            r->traced->runs[i].round = -1;
}

/* New index of each item whose subject stays, -1: gone. */
static void moved(const bool *keep, int *subject, int *to, int *n)
{
    int left = 0;
    for (int i = 0; i < *subject; i++)
        left += keep[i];
    *to = keep[*subject] ? (*n)++ : -1;
    *subject = left;
}

static void keep_points(struct traced *t, const bool *keep, int *to)
{
    int n = 0, before = t->n_points;
    for (int i = 0; i < before; i++) {
        struct point p = t->points[i];
        moved(keep, &p.subject, &to[i], &n);
        if (to[i] >= 0)
            t->points[to[i]] = p;
    }
    t->n_points = n;
    for (int i = 0; i < n; i++)
        if (t->points[i].partner >= 0)
            t->points[i].partner = to[t->points[i].partner];
}

/* What a run passed is of its own subject: the list may be renumbered in place, for it is the record's own. */
static void keep_runs(struct record *r, const bool *keep, const int *point_to, int *to)
{
    struct traced *t = r->traced;
    int n = 0, before = t->n_runs;
    for (int i = 0; i < before; i++) {
        struct traced_run run = t->runs[i];
        moved(keep, &run.subject, &to[i], &n);
        if (to[i] < 0)
            continue;
        struct point_passes *own = arena_array(&r->arena, (size_t)run.n_passes + 1, sizeof *own);
        for (int k = 0; own && k < run.n_passes; k++)
            own[k] = (struct point_passes){point_to[run.passes[k].point], run.passes[k].n};
        run.passes = own;
        run.n_passes = own ? run.n_passes : 0;
        t->runs[to[i]] = run;
    }
    t->n_runs = n;
}

static void keep_arcs(struct traced *t, const int *point_to, const int *run_to)
{
    int n = 0;
    for (int i = 0; i < t->n_arcs; i++) {
        struct traced_arc a = t->arcs[i];
        a.run = run_to[a.run];
        a.from = point_to[a.from];
        a.to = point_to[a.to];
        if (a.run >= 0)
            t->arcs[n++] = a;
    }
    t->n_arcs = n;
}

static void keep_results(struct traced *t, const bool *keep, const int *point_to)
{
    int n = 0, unused = 0;
    for (int i = 0; i < t->n_results; i++) {
        struct arc_result a = t->results[i];
        int to;
        moved(keep, &a.subject, &to, &unused);
        a.from = point_to[a.from];
        a.to = point_to[a.to];
        if (to >= 0)
            t->results[n++] = a;
    }
    t->n_results = n;
}

void record_keep_traced(struct record *r, const bool *keep)
{
    struct traced *t = r->traced;
    if (!t)
        return;
    struct arena scratch = {0};
    int *point_to = arena_array(&scratch, (size_t)t->n_points + 1, sizeof *point_to);
    int *run_to = arena_array(&scratch, (size_t)t->n_runs + 1, sizeof *run_to);
    if (point_to && run_to) {
        keep_points(t, keep, point_to);
        keep_runs(r, keep, point_to, run_to);
        keep_arcs(t, point_to, run_to);
        keep_results(t, keep, point_to);
    }
    if (!point_to || !run_to || !index_points(t)) {
        t->n_points = t->n_runs = t->n_arcs = t->n_results = 0;
    }
    for (int i = 0; i < r->n_subjects; i++)
        t->n_stacks = keep[i] ? t->n_stacks : 0; /* they do not say whose they are */
    /* Comparisons of arcs name results by their place, which may move: they are to be made anew. */
    int n = 0;
    for (int i = 0; i < r->n_comparisons; i++)
        if (!r->comparisons[i].arc)
            r->comparisons[n++] = r->comparisons[i];
    r->n_comparisons = n;
    arena_finish(&scratch);
}

static bool parts_folders(char c)
{
    return c == '/' || c == '\\';
}

const char *point_tail(const char *file, const char *other)
{
    const char *at = file + strlen(file), *same = at, *of_other = other + strlen(other);
    while (same > file && of_other > other && same[-1] == of_other[-1])
        same--, of_other--;
    do {
        while (at > file && parts_folders(at[-1]))
            at--;
        while (at > file && !parts_folders(at[-1]))
            at--;
    } while (at > file && at >= same);
    return at;
}

const char *point_base(const char *file)
{
    return file ? point_tail(file, "") : "?";
}

void point_put_line(struct buf *out, int line, int ordinal)
{
    buf_format(out, "%d", line);
    if (ordinal)
        buf_format(out, "#%d", ordinal + 1);
}

/* Files of one name are told apart by the folders in which they differ, for those above may have another name the next time, and the ends of a scope
 * without a name by what they are. */
static void put_place(struct buf *out, const struct traced *t, int point)
{
    const struct point *p = &t->points[point];
    const char *const base = point_base(p->file), *shown = base;
    bool other_end = false;
    int i;
    for (uint64_t at = place_hash(p); (i = next_indexed(t, &at)) >= 0;) {
        const struct point *other = &t->points[i];
        if (i == point || other->subject != p->subject || other->line != p->line || other->ordinal != p->ordinal ||
            strcmp(other->func, p->func) != 0 || strcmp(other->name, p->name) != 0 || strcmp(point_base(other->file), base) != 0)
            continue;
        other_end |= other->kind != p->kind;
        if (other->kind == p->kind && strcmp(other->file, p->file) != 0) {
            const char *tail = point_tail(p->file, other->file);
            shown = tail < shown ? tail : shown;
        }
    }
    buf_format(out, "%s:", shown);
    point_put_line(out, p->line, p->ordinal);
    buf_str(out, other_end && !*p->name && p->kind == POINT_END ? " end" : "");
}

static bool shares_name(const struct traced *t, int point)
{
    int two[2];
    const int n = named_alike(t, &t->points[point], two);
    return n == 2 || (n && two[0] != point);
}

void point_label(struct buf *out, const struct traced *t, int point)
{
    const struct point *p = &t->points[point];
    if (!*p->name) {
        put_place(out, t, point);
        if (*p->func)
            buf_format(out, " (%s)", p->func);
        return;
    }
    buf_format(out, "%s%s", p->name, p->kind == POINT_END ? " end" : "");
    if (shares_name(t, point)) {
        buf_str(out, " (");
        put_place(out, t, point);
        buf_char(out, ')');
    }
}

struct arcs_unsound record_arcs_unsound(const struct traced *t, int subject)
{
    struct arcs_unsound u = {0};
    for (int i = 0; i < t->n_runs; i++) {
        const struct traced_run *run = &t->runs[i];
        if (run->round < 0 || run->subject != subject)
            continue;
        u.runs += run->incomplete;
        u.hits += run->incomplete ? run->lost_hits : 0;
        u.jumped += run->jumps > 0;
    }
    for (int i = 0; i < t->n_results; i++) {
        u.backwards += t->results[i].subject == subject ? t->results[i].backwards : 0;
        u.passes += t->results[i].subject == subject ? t->results[i].passes : 0;
    }
    return u;
}

bool arc_goes_back(const struct arc_result *a, const struct arcs_unsound *of_its_subject)
{
    return a->backwards > a->passes / 1000 || of_its_subject->backwards > of_its_subject->passes / 1000;
}

bool record_run_is_timed(const struct traced *t, int run)
{
    bool timed = t->runs[run].events > 0;
    for (int i = 0; i < t->n_arcs && !timed; i++)
        timed = t->arcs[i].run == run && t->arcs[i].n;
    return timed;
}

struct arc_key {
    int from, to, run;
};

static int by_arc(const struct arc_key *x, const struct arc_key *y)
{
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to != y->to ? (x->to < y->to ? -1 : 1) : 0;
}

static int by_key(const void *a, const void *b)
{
    const struct arc_key *x = a, *y = b;
    int order = by_arc(x, y);
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

static void cover_arcs(const struct traced *t, int subject, struct arc_key *keys, struct arc_coverage *c)
{
    int n = 0, runs = 0;
    for (int i = 0; i < t->n_runs; i++)
        runs += t->runs[i].subject == subject && t->runs[i].round >= 0;
    for (int i = 0; i < t->n_arcs; i++) {
        const struct traced_run *run = &t->runs[t->arcs[i].run];
        if (run->subject == subject && run->round >= 0 && t->arcs[i].passes)
            keys[n++] = (struct arc_key){t->arcs[i].from, t->arcs[i].to, t->arcs[i].run};
    }
    qsort(keys, (size_t)n, sizeof *keys, by_key);
    for (int i = 0, k, in; i < n; i = k) {
        for (k = i, in = 0; k < n && !by_arc(&keys[i], &keys[k]); k++)
            in += k == i || keys[k].run != keys[k - 1].run; /* a run may have two entries of it */
        c->arcs++;
        c->arcs_in_all += in >= runs;
    }
}

struct arc_coverage record_arc_coverage(const struct record *r, int subject)
{
    struct arc_coverage c = {0};
    struct arena scratch = {0};
    const struct traced *t = r->traced;
    if (!t)
        return c;
    bool *passed = arena_array(&scratch, (size_t)t->n_points + 1, sizeof *passed);
    struct arc_key *keys = arena_array(&scratch, (size_t)t->n_arcs + 1, sizeof *keys);
    if (passed && keys) {
        for (int i = 0; i < t->n_runs; i++)
            for (int k = 0; t->runs[i].subject == subject && t->runs[i].round >= 0 && k < t->runs[i].n_passes; k++)
                passed[t->runs[i].passes[k].point] |= t->runs[i].passes[k].n > 0;
        for (int i = 0; i < t->n_points; i++) {
            c.points += t->points[i].subject == subject;
            c.points_passed += t->points[i].subject == subject && passed[i];
        }
        cover_arcs(t, subject, keys, &c);
    }
    arena_finish(&scratch);
    return c;
}

uint64_t *record_point_passes(const struct traced *t)
{
    uint64_t *n = calloc((size_t)t->n_points + 1, sizeof *n);
    for (int i = 0; n && i < t->n_runs; i++)
        for (int k = 0; k < t->runs[i].n_passes; k++)
            n[t->runs[i].passes[k].point] += t->runs[i].passes[k].n;
    return n;
}
