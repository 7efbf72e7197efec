/* SPDX-License-Identifier: MIT
 * From the points and tables of workers and programs into those of the run: of points one for each place, whatever the files number it. */
#include "record_write.h"
#include "trace_adding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum tare_status adding_no_memory(const struct adding *a)
{
    return err_set(a->err, TARE_NO_MEMORY, "%s: no memory to add it up", trace_file_name(a->f));
}

/* ---- points ---- */

static uint64_t place_hash(const struct trace_place *p)
{
    uint32_t numbers[] = {p->line, p->kind, p->group, p->ordinal};
    uint64_t h = record_hash(RECORD_HASH_EMPTY, numbers, sizeof numbers);
    h = record_hash(h, p->file, strlen(p->file) + 1);
    h = record_hash(h, p->func, strlen(p->func) + 1);
    return record_hash(h, p->name, strlen(p->name) + 1);
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
    struct trace_sum_point *more = trace_grown(s->points, s->n_points, &s->room_points, sizeof *more);
    if (!more)
        return 0;
    s->points = more;
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

/* Those of which is not known where on their line they are: that they are one is taken for granted. Of the run the most of a file: each of its processes
 * has the same points. */
static bool count_merged(struct adding *a)
{
    bool *seen = calloc((size_t)a->s->n_points + 1, sizeof *seen);
    int n = 0;
    for (int i = 1; seen && i <= a->f->n_points; i++) {
        n += seen[a->points[i]] && !a->f->points[i - 1].unit;
        seen[a->points[i]] = true;
    }
    a->s->run.merged = n > a->s->run.merged ? n : a->s->run.merged;
    free(seen);
    return seen != NULL;
}

enum tare_status adding_map_points(struct adding *a)
{
    a->points = calloc((size_t)a->f->n_points + 1, sizeof *a->points);
    if (!a->points)
        return adding_no_memory(a);
    for (int i = 0; i < a->f->n_points; i++)
        if (!(a->points[i + 1] = (uint32_t)point_of(a->s, &a->f->points[i])))
            return adding_no_memory(a);
    return count_merged(a) ? TARE_OK : adding_no_memory(a);
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
    return any && !a->points[0] ? adding_no_memory(a) : TARE_OK;
}

/* ---- tables ---- */

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
    return a->s->cells.n < CELLS_MAX
               ? adding_no_memory(a)
               : err_set(a->err, TARE_TOO_LARGE, "%s: more than %d arcs", trace_file_name(a->f), (int)CELLS_MAX);
}

static enum tare_status merge_walker(struct adding *a, const struct walker *w)
{
    for (uint32_t i = 0; i < w->cells.n; i++) {
        const struct cell *from = cells_nth(&w->cells, i);
        struct cell *to = cells_at(&a->s->cells, a->points[from->from], a->points[from->to], from->group);
        if (!to || !cell_merge(&a->s->cells, to, from, a->factor))
            return too_many(a);
    }
    for (int i = 0; i <= a->f->n_points; i++)
        if (!i || !in_burst(a->f, &a->f->points[i - 1])) /* those that begin a window are counted like all others */
            add_starts(a, a->points[i], w->starts[i]);
    return cell_merge(&a->s->weight_cells, &a->s->weight_all, &w->weights, a->factor) ? TARE_OK : adding_no_memory(a);
}

static bool add_weight(struct trace_sums *s, struct weight w)
{
    struct weight *more = trace_grown(s->weights, s->n_weights, &s->room_weights, sizeof *more);
    if (!more)
        return false;
    s->weights = more;
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
            return adding_no_memory(a);
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
    return ok && add_weight(a->s, w) ? TARE_OK : adding_no_memory(a);
}

/* The run's number of a point of a table, 0 for none; false: nothing describes it. */
static bool known(const struct adding *a, uint32_t id, uint32_t *point)
{
    *point = a->points[trace_point_index(a->f, id) + 1];
    return *point || !id;
}

/* Passages that were added up once room had ended weigh more than those that were written down before: they stay apart. */
static int32_t group_of_tables(const struct adding *a)
{
    return a->f->head.full_at && !a->s->options.by_thread ? TRACE_ADDED_APART : 0;
}

static enum tare_status add_tables(struct adding *a)
{
    struct trace_arc t;
    struct trace_count n;
    uint32_t thread, from, to;
    int units = a->f->head.order == TRACE_PRECISE ? 2 : 1;
    for (int64_t cursor = 0; trace_file_next_arc(a->f, &cursor, &thread, &t);) {
        struct cells alone = {0};
        if (!known(a, t.to, &to) || !known(a, t.from, &from))
            continue;
        if (!t.from) {
            add_starts(a, to, t.n);
            continue;
        }
        struct cell *c = cells_at(&a->s->cells, from, to, group_of_tables(a)), *own = cells_at(&alone, from, to, 0);
        bool ok = c && own && cell_take(&alone, own, &t, units) && cell_merge(&a->s->cells, c, own, a->factor);
        cells_finish(&alone);
        if (!ok)
            return too_many(a);
        a->s->run.degraded |= a->f->head.full_at != 0;
    }
    for (int64_t cursor = 0; trace_file_next_count(a->f, &cursor, &thread, &n);) {
        if (!known(a, n.to, &to) || !known(a, n.from, &from))
            continue;
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

/* ---- the run's own figures ---- */

double adding_frequency(const struct adding *a)
{
    const struct trace_clock_check *c = trace_time_check(a->time);
    bool counter = a->f->head.clock == TRACE_CLOCK_TSC || a->f->head.clock == TRACE_CLOCK_CNTVCT;
    return counter && !c->known && a->s->options.hz > 0 ? a->s->options.hz : c->hz;
}

/* What turns this file's units into those of the run, which are the first file's. The same kind of clock is the same clock: what the files
 * say of its frequency is their own measurement of it. */
void adding_adopt_clock(struct adding *a)
{
    struct trace_run *r = &a->s->run;
    const struct trace_head *h = &a->f->head;
    int units = h->order == TRACE_PRECISE ? 2 : 1;
    double hz = adding_frequency(a) * units;
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

void adding_note_clock(struct adding *a)
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

enum tare_status adding_merge(struct adding *a)
{
    enum tare_status status = map_unknown(a);
    for (int i = 0; i < a->n_walkers && !status; i++) {
        status = walker_settle(&a->walkers[i]) ? merge_walker(a, &a->walkers[i]) : adding_no_memory(a);
        if (!status)
            status = merge_rows(a, &a->walkers[i]);
        note_walker(a, &a->walkers[i]);
    }
    if (!status)
        status = add_rows_of_head(a);
    return status ? status : add_tables(a);
}
