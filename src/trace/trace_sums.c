/* SPDX-License-Identifier: MIT
 *
 * A file is cut into tasks: stretches of one thread that follow each other. Workers take tasks, each with tables of its own, in batches; after a
 * batch the pieces of lanes that nothing can come before any more are joined. After the file the workers' tables go into that of the run,
 * where points have numbers of the run: files of other programs, or of the same one, may number theirs otherwise.
 *
 * A worker that begins in the middle of a thread goes through the stretch before without counting, and so knows the state exactly.
 */
#include "plat_process.h"
#include "trace_adding.h"
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
        return adding_no_memory(a);
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
        w->own_piece.first = 0; /* a pass that the task before counts */
        w->own_piece.broken_before = w->own_known;
        w->own_piece.tick = stretches[t->first].moment.tick;
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

/* ---- adding ---- */

static int workers_for(const struct trace_sums *s, const struct trace_file *f)
{
    int n = s->options.workers < 1 ? 1 : s->options.workers < WORKERS_MAX ? s->options.workers : WORKERS_MAX;
    return n < f->n_stretches ? n : f->n_stretches > 1 ? f->n_stretches : 1;
}

static enum tare_status make_walkers(struct adding *a)
{
    int n = workers_for(a->s, a->f);
    double hz = adding_frequency(a);
    const double us = hz * (a->f->head.order == TRACE_PRECISE ? 2 : 1) / 1e6;
    a->walkers = calloc((size_t)n, sizeof *a->walkers);
    a->errs = calloc((size_t)n, sizeof *a->errs);
    a->statuses = calloc((size_t)n, sizeof *a->statuses);
    if (!a->walkers || !a->errs || !a->statuses)
        return adding_no_memory(a);
    for (; a->n_walkers < n; a->n_walkers++)
        if (walker_init(&a->walkers[a->n_walkers], a->f, us))
            return adding_no_memory(a);
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
            status = adding_join(a, to < a->n_tasks ? a->tasks[to].tick : UINT64_MAX);
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

enum tare_status trace_sums_add(struct trace_sums *s, const struct trace_file *f, struct tare_err *err)
{
    struct adding a = {.s = s, .f = f, .err = err};
    enum tare_status status = trace_time_create(&a.time, f, err);
    if (!status) {
        adding_adopt_clock(&a);
        status = adding_map_points(&a);
    }
    if (!status)
        status = add_words(&a);
    if (!status)
        status = adding_merge(&a);
    if (!status) {
        adding_note_clock(&a);
        trace_loss_add(&s->run.loss, &f->loss);
        s->run.files++;
        s->run.threads += f->n_threads;
        s->run.stretches += (uint64_t)f->n_stretches;
    }
    adding_finish(&a);
    return status;
}

enum tare_status trace_sums_create(struct trace_sums **out, const struct trace_sums_options *o, struct tare_err *err)
{
    struct trace_sums *s = *out = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, TARE_NO_MEMORY, "no memory to add up traces");
    s->options = *o;
    s->weight_all = (struct cell){.min = INT64_MAX, .max = INT64_MIN};
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
    cells_finish(&s->cells);
    cells_finish(&s->weight_cells);
    arena_finish(&s->arena);
    free(s);
}
