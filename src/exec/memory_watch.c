/* SPDX-License-Identifier: MIT */
#include "memory_watch.h"
#include "alloc_board.h"
#include "padding.h"
#include "plat_memory.h"
#include "record.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIDS = 1 << 22, BITS = 64, COST_SHARE = 5 }; /* process ids end there; a look takes at most a fifth of the time */

static const int64_t FIRST_PERIOD_NS = 200000;

/* Processes by id: seen once, and seen again. What is seen but once may not have had the time to load anything. */
struct seen {
    uint64_t once[PIDS / BITS], again[PIDS / BITS];
};

struct memory_watch {
    struct timeline t;
    struct timeline_samples samples;
    struct plat_tree *tree;
    struct plat_shared shared;
    struct alloc_board *board; /* NULL: no heap, see reason */
    struct buf library;
    struct arena arena; /* of its environment */
    struct seen *seen;
    bool other_image[ALLOC_SLOTS]; /* the slot's process had another one when it was last seen */
    uint32_t slots_known;
    int64_t origin_ns; /* 0: not begun */
    double heap_seen, heap_seen_ns;
    struct tare_err reason;
    char exit_status[96];
};

static void board_open(struct memory_watch *w)
{
    if (plat_alloc_library(&w->library, &w->reason) || plat_shared_create(&w->shared, sizeof *w->board, &w->reason))
        return;
    w->board = w->shared.memory;
    w->board->layout = ALLOC_BOARD_LAYOUT;
}

enum tare_status memory_watch_create(struct memory_watch **out, struct plat_spawner *s, struct tare_err *err)
{
    struct memory_watch *w = calloc(1, sizeof *w);
    if (w)
        w->seen = calloc(1, sizeof *w->seen);
    if (!w || !w->seen) {
        free(w);
        return err_set(err, TARE_NO_MEMORY, "no memory to watch a run's memory");
    }
    w->library = BUF_INIT(1 << 16);
    timeline_init(&w->t, &w->samples, FIRST_PERIOD_NS);
    enum tare_status status = plat_tree_create(&w->tree, s, err);
    if (status) {
        memory_watch_destroy(w);
        return status;
    }
    board_open(w);
    *out = w;
    return TARE_OK;
}

void memory_watch_destroy(struct memory_watch *w)
{
    if (!w)
        return;
    plat_tree_destroy(w->tree);
    plat_shared_destroy(&w->shared);
    buf_finish(&w->library);
    arena_finish(&w->arena);
    free(w->seen);
    free(w);
}

/* What the user preloads stays, behind ours. NULL: no memory. */
static const char *const *environment_of(struct memory_watch *w, const char *const *base)
{
    static const char preload[] = "LD_PRELOAD=";
    const char *users = "";
    for (int i = 0; base[i]; i++)
        if (!strncmp(base[i], preload, sizeof preload - 1))
            users = base[i] + sizeof preload - 1;
    const char *const changes[] = {arena_format(&w->arena, "%s%s%s%s", preload, buf_text(&w->library), *users ? ":" : "", users),
                                   arena_format(&w->arena, ALLOC_BOARD_VARIABLE "=%s", w->shared.path)};
    return changes[0] && changes[1] ? environment_with(&w->arena, base, changes, 2) : NULL;
}

/* Asked for beforehand: nothing is preloaded where it can do nothing, or the loader would complain in the program's output. */
static bool refused(struct memory_watch *w, const struct plat_child_spec *spec)
{
    struct buf path = BUF_INIT(1 << 17);
    bool relative = spec->cwd && !plat_path_is_absolute(spec->path);
    buf_format(&path, "%s%s%s", relative ? spec->cwd : "", relative ? "/" : "", spec->path);
    const char *why = plat_preload_refused(buf_text(&path));
    buf_finish(&path);
    if (why)
        err_set(&w->reason, TARE_UNSUPPORTED, "%s", why);
    return why != NULL;
}

static bool mark(uint64_t *bits, int pid)
{
    uint64_t bit = UINT64_C(1) << pid % BITS, before = bits[pid / BITS];
    bits[pid / BITS] |= bit;
    return before & bit;
}

static void note_process(struct memory_watch *w, int pid)
{
    if (pid <= 0 || pid >= PIDS)
        return;
    if (mark(w->seen->once, pid))
        mark(w->seen->again, pid);
    else
        w->t.processes++;
}

static const struct plat_tree_process *process_of(const struct plat_tree_process *p, int n, int pid)
{
    for (int i = 0; i < n; i++)
        if (p[i].pid == pid)
            return &p[i];
    return NULL;
}

/* A slot whose process runs another program now, which took none: its heap is gone. Seen so once, the process may have been looked
 * at just before the exec, and the slot be the new program's. */
static bool lost(struct memory_watch *w, uint32_t slot, const struct plat_tree_process *p)
{
    uint64_t image = atomic_load(&w->board->slot[slot].image);
    bool other = image && p->image && image != p->image, again = other && w->other_image[slot];
    int32_t pid = p->pid;
    w->other_image[slot] = other;
    if (again)
        atomic_compare_exchange_strong(&w->board->pid[slot], &pid, -pid);
    return other;
}

static uint32_t slots_used(const struct alloc_board *b)
{
    uint32_t used = atomic_load(&b->used);
    return used < ALLOC_SLOTS ? used : ALLOC_SLOTS;
}

static double live_of(const struct alloc_slot *s)
{
    int64_t live = atomic_load_explicit(&s->live_bytes, memory_order_relaxed);
    return live > 0 ? (double)live : 0;
}

/* Of the processes that live; not known where none of them is counted in. */
static double live_heap(struct memory_watch *w, const struct plat_tree_process *p, int n)
{
    uint32_t used = w->board ? slots_used(w->board) : 0;
    double sum = NAN;
    for (uint32_t i = 0; i < used; i++) {
        const struct plat_tree_process *owner = process_of(p, n, atomic_load(&w->board->pid[i]));
        if (owner && !lost(w, i, owner))
            sum = (isnan(sum) ? 0 : sum) + live_of(&w->board->slot[i]);
    }
    return sum;
}

static void take_sample(struct memory_watch *w, int64_t now_ns)
{
    const struct plat_tree_process *p;
    uint32_t used = w->board ? slots_used(w->board) : 0;
    int n = plat_tree_sample(w->tree, used > w->slots_known, &p);
    double rss = 0;
    w->slots_known = used;
    for (int i = 0; i < n; i++) {
        rss += (double)p[i].rss_bytes;
        note_process(w, p[i].pid);
    }
    if (!(rss > 0)) /* not begun, or ended and not yet reaped */
        return;
    double heap = live_heap(w, p, n);
    timeline_add(&w->t, now_ns - w->origin_ns, rss, heap);
    if (heap > w->heap_seen) {
        w->heap_seen = heap;
        w->heap_seen_ns = (double)(now_ns - w->origin_ns);
    }
}

static int64_t watch(void *context)
{
    struct memory_watch *w = context;
    int64_t now_ns = plat_now_ns();
    if (!w->origin_ns)
        w->origin_ns = now_ns;
    take_sample(w, now_ns);
    int64_t wait_ns = (COST_SHARE - 1) * (plat_now_ns() - now_ns);
    return wait_ns > w->t.period_ns ? wait_ns : w->t.period_ns;
}

void memory_watch_adjust(struct memory_watch *w, struct plat_child_spec *spec)
{
    const char *const *environment = w->board && !refused(w, spec) ? environment_of(w, spec->envp) : NULL;
    if (environment)
        spec->envp = environment;
    spec->watch = watch;
    spec->watch_context = w;
}

/* The program can write anything into the board. */
static double total(const _Atomic int64_t *count)
{
    const int64_t value = atomic_load_explicit(count, memory_order_relaxed);
    return value > 0 ? (double)value : 0;
}

static void sum_up(struct memory_watch *w, uint32_t used)
{
    struct timeline *t = &w->t;
    t->heap_left = t->allocations = t->reallocations = t->frees = t->failures = t->allocated_bytes = 0;
    t->heap_peak = w->heap_seen;
    t->heap_peak_ns = w->heap_seen_ns;
    for (uint32_t i = 0; i < used; i++) {
        const struct alloc_slot *s = &w->board->slot[i];
        if (atomic_load(&w->board->pid[i]) > 0)
            t->heap_left += live_of(s);
        t->allocations += total(&s->allocations);
        t->reallocations += total(&s->reallocations);
        t->frees += total(&s->frees);
        t->failures += total(&s->failures);
        t->allocated_bytes += total(&s->allocated_bytes);
        if (total(&s->peak_bytes) >= t->heap_peak) {
            t->heap_peak = total(&s->peak_bytes);
            t->heap_peak_ns = fmax(total(&s->peak_ns) - (double)w->origin_ns, 0);
        }
    }
}

/* Whether the process was seen again, which is then forgotten. */
static bool taken_off(struct seen *seen, int pid)
{
    if (pid <= 0 || pid >= PIDS)
        return false;
    uint64_t bit = UINT64_C(1) << pid % BITS, before = seen->again[pid / BITS];
    seen->again[pid / BITS] &= ~bit;
    return before & bit;
}

/* A process that has a slot was counted to its end; one that only had them ended as a program in which nothing is counted. */
static void count_unwatched(struct memory_watch *w, uint32_t used)
{
    for (uint32_t i = 0; i < used; i++)
        taken_off(w->seen, atomic_load(&w->board->pid[i]));
    for (uint32_t i = 0; i < used; i++) {
        const int32_t pid = atomic_load(&w->board->pid[i]);
        w->t.left_count += pid > -PIDS && taken_off(w->seen, -pid);
    }
    for (int i = 0; i < PIDS / BITS; i++)
        for (uint64_t left = w->seen->again[i]; left; left &= left - 1)
            w->t.unwatched++;
    const uint32_t crowded = atomic_load(&w->board->crowded);
    w->t.unwatched += (int)(crowded < PIDS ? crowded : PIDS);
    w->t.heap_peak_exact = used == 1 && !w->t.unwatched && !w->t.left_count;
}

static const char *why_no_heap(const struct memory_watch *w, uint32_t used)
{
    if (*w->reason.text)
        return w->reason.text;
    if (w->t.heap_peak > RECORD_NS_MOST || w->t.allocated_bytes > RECORD_NS_MOST) /* as a record has it */
        return "the program wrote impossible numbers where its allocations are counted";
    if (!used)
        return "the counter was not loaded: the program does not hand on its environment, or cannot see /proc";
    return w->t.allocations > 0 ? NULL
                                : "no allocation went through the C library: the program has an allocator of its own, or "
                                  "allocates nothing";
}

static void end_heap(struct memory_watch *w)
{
    struct timeline *t = &w->t;
    uint32_t used = w->board ? slots_used(w->board) : 0;
    if (used) {
        sum_up(w, used);
        count_unwatched(w, used);
    }
    t->heap_reason = why_no_heap(w, used);
    if (!t->heap_reason)
        return;
    t->heap_peak = t->heap_peak_ns = t->heap_left = t->allocations = t->reallocations = t->frees = t->failures =
        t->allocated_bytes = NAN;
    t->heap_peak_exact = false;
    t->unwatched = t->left_count = 0;
    for (int i = 0; i < t->n; i++)
        t->heap[i] = NAN;
}

static const char *name_exit(struct memory_watch *w, const struct plat_child_result *result)
{
    struct buf b = buf_over(w->exit_status, sizeof w->exit_status);
    switch (result->end) {
    case CHILD_EXITED:
        if (!result->code)
            return NULL;
        buf_format(&b, "ended with exit code %d", result->code);
        break;
    case CHILD_SIGNALLED:
        buf_format(&b, "was ended by signal %d, %s", result->code, plat_signal_name(result->code));
        break;
    case CHILD_TIMED_OUT:
        buf_str(&b, "was stopped at the timeout");
        break;
    case CHILD_NOT_STARTED:
        buf_str(&b, "was not started");
        break;
    case CHILD_INTERRUPTED:
        buf_str(&b, "was interrupted");
    }
    return w->exit_status;
}

struct timeline *memory_watch_end(struct memory_watch *w, const struct plat_child_result *result)
{
    bool started = result->end != CHILD_NOT_STARTED && result->end_ns > 0;
    if (!started) /* what was seen was the starter */
        timeline_init(&w->t, &w->samples, FIRST_PERIOD_NS);
    w->t.exit_status = name_exit(w, result);
    w->t.wall_ns = started ? (double)(result->end_ns - result->start_ns) : NAN;
    w->t.largest_process = started && result->rss_bytes > 0 ? (double)result->rss_bytes : NAN;
    end_heap(w);
    return &w->t;
}
