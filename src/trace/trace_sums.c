/* SPDX-License-Identifier: MIT
 *
 * A file is cut into tasks: stretches of one thread that follow each other. Workers take tasks, each with tables of its own, in batches; after a
 * batch the pieces of lanes that nothing can come before any more are joined. After the file the workers' tables go into that of the run,
 * where points have numbers of the run: files of other programs, or of the same one, may number theirs otherwise.
 *
 * A worker that begins in the middle of a thread goes through the stretch before without counting, and so knows the state exactly.
 */
#include "plat_process.h"
#include "record_write.h"
#include "trace_sums_state.h"
#include "trace_time.h"
#include "trace_walk.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKERS_MAX = 256,
    TASK_MOST = 64,  /* stretches of a task, where there are several workers */
    BATCH_TASKS = 16 /* for each worker */
};

struct task {
    uint64_t tick;
    int first, n; /* stretches */
    int before;   /* the one that tells the state; -1: its header */
};

struct lane { /* where the next arc of a lane begins */
    uint64_t lane, gap, words;
    int64_t base;
    uint32_t from;
    bool used;
};

/* A file on its way into a run's sums. */
struct adding {
    struct trace_sums *s;
    const struct trace_file *f;
    struct trace_time *time;
    struct task *tasks;
    int n_tasks;
    int next_batch; /* first task behind the batch */
    atomic_int next;
    struct walker *walkers;
    int n_walkers;
    struct tare_err *errs;
    enum tare_status *statuses;
    uint32_t *points; /* number in the run, by 1 + index in the file */
    struct lane *lanes;
    uint32_t n_lanes, room_lanes;
    struct piece *pieces;
    int n_pieces, room_pieces;
    double factor; /* to units of the run */
    struct tare_err *err;
};

static uint64_t place_hash(const struct trace_place *p)
{
    uint32_t numbers[] = {p->line, p->kind, p->group, p->ordinal};
    uint64_t h = fnv1a64(FNV1A64_EMPTY, numbers, sizeof numbers);
    h = fnv1a64(h, p->file, strlen(p->file) + 1);
    h = fnv1a64(h, p->func, strlen(p->func) + 1);
    return fnv1a64(h, p->name, strlen(p->name) + 1);
}

static bool same_place(const struct trace_place *a, const struct trace_place *b)
{
    return a->line == b->line && a->kind == b->kind && a->group == b->group && a->ordinal == b->ordinal &&
           !strcmp(a->file, b->file) && !strcmp(a->func, b->func) && !strcmp(a->name, b->name);
}

static int *slot_of(const struct trace_sums *s, const struct trace_place *p)
{
    size_t mask = (size_t)s->room_index - 1, at = (size_t)place_hash(p) & mask;
    while (s->index[at] && !same_place(&s->points[s->index[at] - 1].place, p))
        at = (at + 1) & mask;
    return &s->index[at];
}

static bool index_points(struct trace_sums *s)
{
    int room = s->room_index ? 2 * s->room_index : 128;
    free(s->index);
    s->index = calloc((size_t)room, sizeof *s->index);
    s->room_index = s->index ? room : 0;
    for (int i = 0; s->index && i < s->n_points; i++)
        *slot_of(s, &s->points[i].place) = i + 1;
    return s->index != NULL;
}

/* The run's point that is there, or a new one: 1 + number; 0: no memory. */
static int point_of(struct trace_sums *s, const struct trace_place *p)
{
    if (2 * s->n_points >= s->room_index && !index_points(s))
        return 0;
    int *slot = slot_of(s, p);
    if (*slot)
        return *slot;
    if (!array_room(&s->points, s->n_points, &s->room_points, sizeof *s->points))
        return 0;
    struct trace_place own = *p;
    own.file = arena_strdup(&s->arena, p->file);
    own.func = arena_strdup(&s->arena, p->func);
    own.name = arena_strdup(&s->arena, p->name);
    own.id = own.partner = 0;
    if (!own.file || !own.func || !own.name)
        return 0;
    s->points[s->n_points] = (struct trace_sum_point){.place = own};
    return *slot = ++s->n_points;
}

/* Those of which is not known where on their line they are, and of those of source files of one name in several programs: that they are one is taken for
 * granted. Of the run the most of a file: each of its processes has the same points. */
static bool count_merged(struct adding *a)
{
    bool *seen = calloc((size_t)a->s->n_points + 1, sizeof *seen);
    int n = 0;
    for (int i = 1; seen && i <= a->f->n_points; i++) {
        const struct trace_place *own = &a->f->points[i - 1], *first = &a->s->points[a->points[i] - 1].place;
        n += (seen[a->points[i]] && !own->unit) || (own->source && first->source && own->source != first->source);
        seen[a->points[i]] = true;
    }
    a->s->run.merged = n > a->s->run.merged ? n : a->s->run.merged;
    free(seen);
    return seen != NULL;
}

static enum tare_status map_points(struct adding *a)
{
    a->points = calloc((size_t)a->f->n_points + 1, sizeof *a->points);
    if (!a->points)
        return err_no_memory(a->err);
    for (int i = 0; i < a->f->n_points; i++)
        if (!(a->points[i + 1] = (uint32_t)point_of(a->s, &a->f->points[i])))
            return err_no_memory(a->err);
    return count_merged(a) ? TARE_OK : err_no_memory(a->err);
}

/* Points that nothing describes are one point of the run, which is there only when one of them was passed. */
static enum tare_status map_unknown(struct adding *a)
{
    bool any = false;
    struct trace_place p = {.kind = TRACE_POINT, .file = "?", .func = "", .name = "?"};
    for (int i = 0; i < a->n_walkers; i++)
        any |= a->walkers[i].unknown > 0;
    if (any)
        a->points[0] = (uint32_t)point_of(a->s, &p);
    return any && !a->points[0] ? err_no_memory(a->err) : TARE_OK;
}

static bool in_burst(const struct trace_file *f, const struct trace_place *p)
{
    return p && f->head.modes[p->group] == TRACE_BURST;
}

static void add_starts(struct adding *a, uint32_t point, uint64_t n)
{
    if (point)
        a->s->points[point - 1].passes += n;
}

static enum tare_status too_many(const struct adding *a)
{
    return a->s->cells.n < CELLS_MAX ? err_no_memory(a->err)
                                     : err_set(a->err, TARE_TOO_LARGE, "more than %d arcs", (int)CELLS_MAX);
}

static enum tare_status merge_walker(struct adding *a, const struct walker *w)
{
    for (uint32_t i = 0; i < w->cells.n; i++) {
        const struct cell *from = cells_nth(&w->cells, i);
        struct cell *to = cells_at(&a->s->cells, a->points[from->from], a->points[from->to], 0);
        if (!to || !cell_merge(&a->s->cells, to, from, a->factor))
            return too_many(a);
    }
    for (int i = 0; i <= a->f->n_points; i++)
        if (!i || !in_burst(a->f, &a->f->points[i - 1])) /* those that begin a window are counted like all others */
            add_starts(a, a->points[i], w->starts[i]);
    return TARE_OK;
}

static bool add_weight(struct trace_sums *s, struct weight w)
{
    if (!array_room(&s->weights, s->n_weights, &s->room_weights, sizeof *s->weights))
        return false;
    s->weights[s->n_weights++] = w;
    return true;
}

static enum tare_status merge_rows(struct adding *a, const struct walker *w)
{
    struct trace_sums *s = a->s;
    for (int i = 0; i < w->n_rows; i++) {
        const struct weight_row *row = &w->rows[i];
        if (!add_weight(s, (struct weight){trace_time_ns(a->time, row->tick, NULL), row->thread, s->run.files,
                                           row->mean * a->factor, row->what, row->bare}))
            return err_no_memory(a->err);
    }
    return TARE_OK;
}

/* Those that found no room as words. */
static enum tare_status add_rows_of_head(struct adding *a)
{
    const struct trace_head *h = &a->f->head;
    const double per = 256.0 * (double)h->added_rows / (h->order == TRACE_PRECISE ? 2 : 1) / a->factor;
    struct weight w = {.file = a->s->run.files, .what = WEIGHED_ADDED, .mean = (double)(int64_t)h->added_sum / per};
    if (!h->added_rows)
        return TARE_OK;
    bool ok = add_weight(a->s, w);
    w.bare = true;
    w.mean = (double)(int64_t)h->added_bare_sum / per;
    return ok && add_weight(a->s, w) ? TARE_OK : err_no_memory(a->err);
}

/* The run's number of a point of a table, 0 for none; false: nothing describes it. */
static bool known_point(const struct adding *a, uint32_t id, uint32_t *point)
{
    *point = a->points[trace_point_index(a->f, id) + 1];
    return *point || !id;
}

static enum tare_status add_tables(struct adding *a)
{
    struct trace_arc t;
    struct trace_count n;
    uint32_t thread, from, to;
    int units = a->f->head.order == TRACE_PRECISE ? 2 : 1;
    for (int64_t cursor = 0; trace_file_next_arc(a->f, &cursor, &thread, &t);) {
        struct cells alone = {0};
        if (!cell_can_be(&t, units)) {
            a->s->run.loss.damaged_arcs++;
            continue;
        }
        if (!known_point(a, t.to, &to) || !known_point(a, t.from, &from)) {
            a->s->run.loss.unknown_points += t.n;
            continue;
        }
        if (!t.from) {
            add_starts(a, to, t.n);
            continue;
        }
        /* Passages that were added up once room had ended weigh more than those that were written down before: they stay apart. */
        struct cell *c = cells_at(&a->s->cells, from, to, a->f->head.full_at ? TRACE_ADDED_APART : 0),
                    *own = cells_at(&alone, from, to, 0);
        bool ok = c && own && cell_take(&alone, own, &t, units) && cell_merge(&a->s->cells, c, own, a->factor);
        cells_finish(&alone);
        if (!ok)
            return too_many(a);
        a->s->run.degraded |= a->f->head.full_at != 0;
    }
    for (int64_t cursor = 0; trace_file_next_count(a->f, &cursor, &thread, &n);) {
        if (n.n >= CELL_MOST) {
            a->s->run.loss.damaged_arcs++;
            continue;
        }
        if (!known_point(a, n.to, &to) || !known_point(a, n.from, &from)) {
            a->s->run.loss.unknown_points += n.n;
            continue;
        }
        if (!n.from) {
            add_starts(a, to, n.n);
            continue;
        }
        struct cell *c = cells_at(&a->s->cells, from, to, 0);
        if (!c)
            return too_many(a);
        bool burst = in_burst(a->f, trace_file_point(a->f, n.to));
        *(burst ? &c->all : &c->counted) += n.n;
        a->s->run.burst |= burst;
    }
    return TARE_OK;
}

static double frequency_of(const struct adding *a)
{
    const struct trace_clock_check *c = trace_time_check(a->time);
    bool counter = a->f->head.clock == TRACE_CLOCK_TSC || a->f->head.clock == TRACE_CLOCK_CNTVCT;
    return counter && !c->known && a->s->options.hz > 0 ? a->s->options.hz : c->hz;
}

/* What turns this file's units into those of the run, which are the first file's. The same kind of clock is the same clock: what the files
 * say of its frequency is their own measurement of it. */
static void adopt_clock(struct adding *a)
{
    struct trace_run *r = &a->s->run;
    const struct trace_head *h = &a->f->head;
    int units = h->order == TRACE_PRECISE ? 2 : 1;
    double hz = frequency_of(a) * units;
    a->factor = 1;
    if (!r->files) {
        r->hz = hz;
        r->units_per_tick = units;
        r->clock = h->clock;
        r->order = h->order;
        r->repeat = h->repeat;
        r->step = (double)h->step_ticks * units;
        r->residual_ppm = NAN;
        return;
    }
    bool same = h->clock == r->clock && fabs(hz / units * r->units_per_tick / r->hz - 1) < 1e-3;
    if (same && units == r->units_per_tick)
        return;
    a->factor = same ? (double)r->units_per_tick / units : r->hz > 0 && hz > 0 ? r->hz / hz : 1;
    r->other_clocks++;
}

static void note_clock(struct adding *a)
{
    struct trace_run *r = &a->s->run;
    const struct trace_clock_check *c = trace_time_check(a->time);
    r->residual_ppm = fmax(r->residual_ppm, c->residual_ppm);
    r->jumps += c->jumps;
    r->steps += c->steps;
    r->jump_ns = fabs(c->jump_ns) > fabs(r->jump_ns) ? c->jump_ns : r->jump_ns;
    r->step_ns = fabs(c->step_ns) > fabs(r->step_ns) ? c->step_ns : r->step_ns;
}

static void note_walker(struct adding *a, const struct walker *w)
{
    struct trace_run *r = &a->s->run;
    r->events += w->passes;
    r->words += w->n_words;
    r->loss.words += w->lost;
    r->loss.unknown_points += w->unknown;
    r->loss.unwritten += w->unwritten;
    r->loss.truncated_units += w->holes;
    if (w->first_tick > w->last_tick)
        return;
    int64_t first = trace_time_ns(a->time, w->first_tick, NULL), last = trace_time_ns(a->time, w->last_tick, NULL);
    bool none = !r->first_ns && !r->last_ns;
    r->first_ns = none || first < r->first_ns ? first : r->first_ns;
    r->last_ns = none || last > r->last_ns ? last : r->last_ns;
}

static enum tare_status merge_all(struct adding *a)
{
    enum tare_status status = map_unknown(a);
    for (int i = 0; i < a->n_walkers && !status; i++) {
        status = walker_settle(&a->walkers[i]) ? merge_walker(a, &a->walkers[i]) : err_no_memory(a->err);
        if (!status)
            status = merge_rows(a, &a->walkers[i]);
        note_walker(a, &a->walkers[i]);
    }
    if (!status)
        status = add_rows_of_head(a);
    return status ? status : add_tables(a);
}

/* Lanes that belong to no thread, and threads' own ones over the borders of tasks: pieces of them, one behind the other. */

enum { LANES_MIN = 64 };

static struct lane *lane_slot(const struct adding *a, uint64_t lane)
{
    uint32_t mask = a->room_lanes - 1, at = (uint32_t)(lane * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (a->lanes[at].used && a->lanes[at].lane != lane)
        at = (at + 1) & mask;
    return &a->lanes[at];
}

static bool widen_lanes(struct adding *a)
{
    struct lane *old = a->lanes;
    uint32_t before = a->room_lanes;
    a->room_lanes = before ? 2 * before : LANES_MIN;
    a->lanes = a->room_lanes ? calloc(a->room_lanes, sizeof *a->lanes) : NULL;
    for (uint32_t i = 0; a->lanes && i < before; i++)
        if (old[i].used)
            *lane_slot(a, old[i].lane) = old[i];
    free(old);
    return a->lanes != NULL;
}

/* Lanes and threads' own ones have one table: the latter count from the end. */
static uint64_t lane_key(const struct piece *p)
{
    return p->own ? UINT64_MAX - p->lane : p->lane;
}

/* The first worker's tables take what joins two pieces. */
static enum tare_status join(struct adding *a, const struct piece *p)
{
    struct walker *w = &a->walkers[0];
    if (2 * a->n_lanes >= a->room_lanes && !widen_lanes(a))
        return err_no_memory(a->err);
    struct lane *l = lane_slot(a, lane_key(p));
    a->n_lanes += !l->used;
    if (!l->used)
        *l = (struct lane){.lane = lane_key(p), .used = true};
    if (p->broken_before) {
        l->from = 0;
        l->gap = l->words = 0;
    }
    uint64_t gap = l->gap + p->gap_before, words = l->words + p->words_before;
    if (p->first && l->from) {
        uint64_t units = (uint64_t)p->arrival - (uint64_t)l->base - gap * (uint64_t)w->units;
        w->depth = 0;
        walker_arc(w, l->from, p->first, (int64_t)units, gap, words, p->migrated);
    } else if (p->first) {
        w->starts[p->first]++;
    }
    if (p->first || (p->own && p->broken_before)) {
        l->from = p->broken_after ? 0 : p->last;
        l->base = p->base;
        l->gap = p->gap_after;
        l->words = p->words_after;
    } else {
        l->gap += p->gap_after;
        l->words += p->words_after;
    }
    return w->status ? err_no_memory(a->err) : TARE_OK;
}

static int by_lane_and_tick(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->own != y->own)
        return x->own ? 1 : -1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static bool gather_pieces(struct adding *a)
{
    for (int i = 0; i < a->n_walkers; i++) {
        struct walker *w = &a->walkers[i];
        for (int k = 0; k < w->n_pieces; k++) {
            if (!array_room(&a->pieces, a->n_pieces, &a->room_pieces, sizeof *a->pieces))
                return false;
            a->pieces[a->n_pieces++] = w->pieces[k];
        }
        w->n_pieces = 0;
    }
    return true;
}

/* Joins what began before `until`; the rest waits, as earlier pieces may come. */
static enum tare_status join_pieces(struct adding *a, uint64_t until)
{
    int left = 0;
    enum tare_status status = gather_pieces(a) ? TARE_OK : err_no_memory(a->err);
    if (a->n_pieces)
        qsort(a->pieces, (size_t)a->n_pieces, sizeof *a->pieces, by_lane_and_tick);
    for (int i = 0; i < a->n_pieces && !status; i++)
        if (a->pieces[i].tick < until || until == UINT64_MAX)
            status = join(a, &a->pieces[i]);
        else
            a->pieces[left++] = a->pieces[i];
    a->n_pieces = left;
    return status;
}

static int by_tick(const void *a, const void *b)
{
    const struct task *x = a, *y = b;
    return x->tick != y->tick ? (x->tick < y->tick ? -1 : 1) : x->first - y->first;
}

/* Whether a stretch follows its neighbour in the list without one missing between them. */
static bool follows(const struct trace_stretch *s)
{
    return s->sequence == (s - 1)->sequence + 1;
}

static enum tare_status make_tasks(struct adding *a)
{
    const struct trace_stretch *stretches = a->f->stretches;
    int most = a->n_walkers < 2 ? INT32_MAX : a->f->n_stretches / (4 * a->n_walkers) + 1;
    most = most > TASK_MOST && a->n_walkers > 1 ? TASK_MOST : most;
    a->tasks = malloc(((size_t)a->f->n_stretches + 1) * sizeof *a->tasks);
    if (!a->tasks)
        return err_no_memory(a->err);
    for (int i = 0; i < a->f->n_stretches; i++) {
        struct task *last = a->n_tasks ? &a->tasks[a->n_tasks - 1] : NULL;
        bool same = last && stretches[last->first].thread == stretches[i].thread && follows(&stretches[i]);
        if (same && last->n < most)
            last->n++;
        else
            a->tasks[a->n_tasks++] = (struct task){stretches[i].moment.tick, i, 1, same ? i - 1 : -1};
    }
    if (a->n_tasks)
        qsort(a->tasks, (size_t)a->n_tasks, sizeof *a->tasks, by_tick);
    return TARE_OK;
}

static enum tare_status do_task(struct adding *a, struct walker *w, const struct task *t, struct tare_err *err)
{
    const struct trace_stretch *stretches = a->f->stretches;
    int thread = stretches[t->first].thread;
    enum tare_status status = TARE_OK;
    walker_begin(w, &stretches[t->before >= 0 ? t->before : t->first], t->before >= 0, a->f->threads[thread].number);
    if (t->before >= 0) {
        w->mute = true;
        status = walker_stretch(w, &stretches[t->before], err);
        w->mute = false;
        walker_resume(w, &stretches[t->first]);
    }
    for (int i = 0; i < t->n && !status; i++)
        status = walker_stretch(w, &stretches[t->first + i], err);
    int end = t->first + t->n;
    bool goes_on = end < a->f->n_stretches && stretches[end].thread == thread && follows(&stretches[end]);
    enum tare_status ended = walker_end(w, a->n_walkers > 1 ? thread : -1, goes_on);
    return status ? status : ended;
}

static void work(void *context, int worker)
{
    struct adding *a = context;
    struct walker *w = &a->walkers[worker];
    for (int i; (i = atomic_fetch_add(&a->next, 1)) < a->next_batch && !a->statuses[worker];)
        a->statuses[worker] = do_task(a, w, &a->tasks[i], &a->errs[worker]);
}

/* Where the system gives no more threads this one does all. */
static enum tare_status do_batch(struct adding *a, int from, int to)
{
    atomic_store(&a->next, from);
    a->next_batch = to;
    if (a->n_walkers < 2 || to - from < 2 || plat_threads_run(a->n_walkers, work, a, NULL))
        work(a, 0);
    for (int i = 0; i < a->n_walkers; i++)
        if (a->statuses[i]) {
            if (a->err)
                *a->err = a->errs[i];
            return a->statuses[i];
        }
    return TARE_OK;
}

static int workers_for(const struct trace_sums *s, const struct trace_file *f)
{
    int n = s->options.workers < 1 ? 1 : s->options.workers < WORKERS_MAX ? s->options.workers : WORKERS_MAX;
    return n < f->n_stretches ? n : f->n_stretches > 1 ? f->n_stretches : 1;
}

static enum tare_status make_walkers(struct adding *a)
{
    int n = workers_for(a->s, a->f);
    double hz = frequency_of(a);
    const double us = hz * (a->f->head.order == TRACE_PRECISE ? 2 : 1) / 1e6;
    a->walkers = calloc((size_t)n, sizeof *a->walkers);
    a->errs = calloc((size_t)n, sizeof *a->errs);
    a->statuses = calloc((size_t)n, sizeof *a->statuses);
    if (!a->walkers || !a->errs || !a->statuses)
        return err_no_memory(a->err);
    for (; a->n_walkers < n; a->n_walkers++)
        if (walker_init(&a->walkers[a->n_walkers], a->f, us))
            return err_no_memory(a->err);
    return TARE_OK;
}

static enum tare_status add_words(struct adding *a)
{
    enum tare_status status = make_walkers(a);
    if (!status)
        status = make_tasks(a);
    for (int from = 0; from < a->n_tasks && !status;) {
        int to = a->n_tasks - from < BATCH_TASKS * a->n_walkers ? a->n_tasks : from + BATCH_TASKS * a->n_walkers;
        status = do_batch(a, from, to);
        if (!status)
            status = join_pieces(a, to < a->n_tasks ? a->tasks[to].tick : UINT64_MAX);
        from = to;
    }
    return status;
}

static void adding_finish(struct adding *a)
{
    for (int i = 0; i < a->n_walkers; i++)
        walker_finish(&a->walkers[i]);
    free(a->walkers);
    free(a->errs);
    free(a->statuses);
    free(a->tasks);
    free(a->points);
    free(a->lanes);
    free(a->pieces);
    trace_time_destroy(a->time);
}

void trace_sums_miss(struct trace_sums *s)
{
    s->run.loss.files++;
}

void trace_sums_outlived(struct trace_sums *s)
{
    s->run.loss.alive++;
}

void trace_sums_silent(struct trace_sums *s)
{
    s->run.loss.silent++;
}

static void trace_loss_add(struct trace_loss *into, const struct trace_loss *from)
{
    into->files += from->files;
    into->unfiled += from->unfiled;
    into->words += from->words;
    into->segments += from->segments;
    into->truncated_units += from->truncated_units;
    into->unused_units += from->unused_units;
    into->truncated_points += from->truncated_points;
    into->unknown_points += from->unknown_points;
    into->damaged_arcs += from->damaged_arcs;
    into->unwritten += from->unwritten;
    into->alive += from->alive;
    into->silent += from->silent;
    into->cut |= from->cut;
    into->truncated_head |= from->truncated_head;
    into->full |= from->full;
    into->running |= from->running;
}

struct trace_identity { /* a process may execute a program after another */
    uint64_t process_start, start_ns;
    uint32_t pid, crc;
};

bool trace_sums_again(const struct trace_sums *s, const struct trace_file *f)
{
    const struct trace_head *h = &f->head;
    for (int i = 0; i < s->n_added; i++) {
        const struct trace_identity *a = &s->added[i];
        if (a->pid == h->pid && a->process_start == h->process_start && a->start_ns == h->start.raw_ns && a->crc == h->crc)
            return true;
    }
    return false;
}

void trace_sums_follow(struct trace_sums *s, struct trace_sums *before)
{
    s->added = before->added;
    s->n_added = before->n_added;
    s->room_added = before->room_added;
    before->added = NULL;
    before->n_added = before->room_added = 0;
}

static enum tare_status identify(struct trace_sums *s, const struct trace_head *h, struct tare_err *err)
{
    if (!array_room(&s->added, s->n_added, &s->room_added, sizeof *s->added))
        return err_no_memory(err);
    s->added[s->n_added++] = (struct trace_identity){h->process_start, h->start.raw_ns, h->pid, h->crc};
    return TARE_OK;
}

enum tare_status trace_sums_add(struct trace_sums *s, const struct trace_file *f, struct tare_err *err)
{
    struct adding a = {.s = s, .f = f, .err = err};
    enum tare_status status = identify(s, &f->head, err);
    if (!status)
        status = trace_time_create(&a.time, f, err);
    if (!status) {
        adopt_clock(&a);
        status = map_points(&a);
    }
    if (!status)
        status = add_words(&a);
    if (!status)
        status = merge_all(&a);
    if (!status) {
        note_clock(&a);
        trace_loss_add(&s->run.loss, &f->loss);
        s->run.files++;
        s->run.threads += f->n_threads;
        s->filed += f->head.filed;
        s->forked += f->head.forked != 0;
    }
    adding_finish(&a);
    return status;
}

enum tare_status trace_sums_create(struct trace_sums **out, const struct trace_sums_options *o, struct tare_err *err)
{
    struct trace_sums *s = *out = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(err);
    s->options = *o;
    return TARE_OK;
}

void trace_sums_destroy(struct trace_sums *s)
{
    if (!s)
        return;
    trace_sums_forget(s);
    free(s->points);
    free(s->index);
    free(s->weights);
    free(s->added);
    cells_finish(&s->cells);
    arena_finish(&s->arena);
    free(s);
}
