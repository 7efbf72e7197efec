/* SPDX-License-Identifier: MIT
 *
 * Control points: what a pass does that cannot be done in line. In order of how often it happens: the segment is full; the modes
 * have changed; the thread is new; the process is a forked child; it has not been asked yet whether anybody traces.
 */
#include "cpu.h"
#include "plat.h"
#include "plat_process.h"
#include "point_modes.h"
#include "point_state.h"
#include <string.h>

__attribute__((aligned(TARE_TRACE_PAGE))) struct tare_trace_control tare_trace_control;
__thread struct tare_trace_thread tare_trace_thread;
struct tare_point tare_point_iteration = {.id = CONTROL_ITERATION, .number = POINT_CONTROL};
struct point_process point_process;

_Static_assert(sizeof(struct tare_trace_control) == TARE_TRACE_PAGE, "the page that is wiped on fork is whole");
_Static_assert((int)TARE_TRACE_BURST == TRACE_BURST && (int)TARE_TRACE_EVENTS == TRACE_TRACE, "modes are those of the file");
_Static_assert((int)TARE_KIND_COUNTER == TRACE_COUNTER && (int)TARE_VALUE_I64 == TRACE_VALUE_I64, "kinds are those of the file");

struct point_shared *point_shared(void)
{
    return (struct point_shared *)tare_trace_control.rest;
}

void point_lock(void)
{
    while (atomic_exchange_explicit(&point_shared()->lock, 1, memory_order_acquire))
        plat_thread_yield();
}

void point_unlock(void)
{
    atomic_store_explicit(&point_shared()->lock, 0, memory_order_release);
}

/* ---- words of the groups ---- */

/* epoch in bits 3 to 30, mode below; negative: off. */
static uint32_t word_of(uint32_t epoch, enum trace_mode mode)
{
    return mode == TRACE_OFF ? UINT32_C(1) << 31 : (epoch & 0xfffffff) << 3 | (uint32_t)mode;
}

static enum trace_mode mode_of(uint32_t word)
{
    return (enum trace_mode)(word & 7);
}

void point_modes_set(void)
{
    uint32_t epoch = ++point_process.epochs;
    atomic_store(&point_shared()->epoch, epoch);
    for (int g = 0; g < TRACE_GROUPS; g++)
        __atomic_store_n(&tare_trace_control.words[g], word_of(epoch, (enum trace_mode)point_process.modes[g]), __ATOMIC_RELEASE);
}

static const uint32_t NEVER = UINT32_MAX; /* no group's word */

/* ---- the process ---- */

uint64_t point_ticks(void)
{
    return point_process.counter ? cpu_ticks_begin() : (uint64_t)plat_clock_ns(clock_reference());
}

static void forget_fork(void)
{
    memset(&tare_trace_control, 0, sizeof tare_trace_control);
}

static void all_off(void)
{
    memset(point_process.modes, TRACE_OFF, sizeof point_process.modes);
}

/* The first time in this process: signals off, lock held. */
static int begin_tracing(void)
{
    struct point_process *p = &point_process;
    bool forked = p->head != NULL;
    const unsigned char *parent = p->window.base;
    uint64_t parent_units = forked ? p->head->units : 0;
    struct plat_window inherited = p->window;
    p->head = NULL;
    int error = p->asked ? point_file_create() : 0;
    if (error) {
        p->asked = false;
        all_off();
    }
    if (forked && p->head)
        point_table_copy(parent);
    if (forked)
        plat_window_inherited(&inherited, parent_units * TRACE_UNIT);
    if (p->head)
        point_number_all();
    atomic_store(&point_shared()->instance, ++p->instances);
    point_modes_set();
    return error;
}

static void adopt_request(void)
{
    struct point_process *p = &point_process;
    p->asked = true;
    for (int g = 0; g < TRACE_GROUPS; g++)
        p->modes[g] = p->request.modes[g] == 0xFF ? (uint8_t)p->request.mode : p->request.modes[g];
    clock_counter_glance(&p->clock);
    p->counter = p->clock.trusted && strcmp(p->request.clock, "raw") != 0;
    p->in_line = p->counter && cpu_ticks_in_line();
}

/* A child begins with all of this zero, and so finds out that it is one. */
static void wipe_in_children(void)
{
    static bool done;
    if (!done)
        plat_wiped_on_fork(&tare_trace_control, sizeof tare_trace_control, forget_fork);
    done = true;
}

static void read_request(void)
{
    static bool read;
    if (read)
        return;
    read = true;
    all_off();
    if (trace_request_read(plat_getenv(TRACE_VARIABLE), &point_process.request, NULL) == TARE_OK) {
        adopt_request();
        wipe_in_children();
    }
}

bool point_start(const struct trace_request *q, int *error)
{
    wipe_in_children();
    point_lock();
    const bool free = !point_process.head;
    if (free) {
        point_process.request = *q;
        adopt_request();
        *error = begin_tracing();
    }
    point_unlock();
    return free;
}

void point_decide(void)
{
    if (atomic_load(&point_shared()->instance))
        return;
    read_request();
    point_lock();
    if (!atomic_load(&point_shared()->instance))
        begin_tracing();
    point_unlock();
}

/* ---- threads ---- */

static struct point_thread *free_threads;
static struct point_thread *chunk;
static size_t chunk_left;

/* Lock held. */
static struct point_thread *new_thread(void)
{
    enum { CHUNK = 65536 };
    struct point_thread *own = free_threads;
    if (own) {
        free_threads = own->next_free;
        return own;
    }
    if (!chunk_left) {
        chunk = plat_pages(CHUNK);
        chunk_left = chunk ? CHUNK / sizeof *chunk : 0;
    }
    return chunk_left ? &chunk[--chunk_left] : NULL;
}

static void thread_ended(void *value);

static struct point_thread *make_thread(struct tare_trace_thread *t)
{
    struct point_thread *own = t->own;
    *t = (struct tare_trace_thread){.own = own, .repeat = point_process.request.repeat};
    point_lock();
    own = own ? own : new_thread();
    point_unlock();
    t->own = own;
    if (!own)
        return NULL;
    point_cells_free(&own->arcs);
    point_cells_free(&own->counts);
    *own = (struct point_thread){.instance = atomic_load(&point_shared()->instance), .units = 1, .tid = plat_thread_number()};
    own->number = (uint32_t)__atomic_fetch_add(&point_process.head->threads, 1, __ATOMIC_RELAXED);
    own->arcs.thread = own->counts.thread = own->number;
    own->arcs.tid = own->counts.tid = own->tid;
    plat_thread_title(own->name);
    if (plat_thread_ends_watch(thread_ended))
        plat_thread_at_end(own);
    return own;
}

/* What this thread may write by itself. */
static void allow(struct tare_trace_thread *t, uint32_t epoch)
{
    const struct point_process *p = &point_process;
    const uint32_t word = word_of(epoch, TRACE_TRACE);
    t->word = p->in_line && p->request.order == TRACE_ORDERED ? word : NEVER;
    t->fast_word = p->in_line && p->request.order != TRACE_PRECISE ? word : NEVER;
}

struct point_thread *point_thread_here(struct tare_trace_thread *t)
{
    struct point_shared *shared = point_shared();
    struct point_thread *own = t->own;
    uint32_t epoch = atomic_load(&shared->epoch);
    if (own && own->instance == atomic_load(&shared->instance) && own->epoch == epoch)
        return own;
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    point_decide();
    own = t->own;
    bool known = own && own->instance == atomic_load(&shared->instance);
    if (!point_process.head)
        own = NULL;
    else if (!known)
        own = make_thread(t);
    if (own) {
        bool switched = known && own->epoch;
        epoch = atomic_load(&shared->epoch);
        own->epoch = epoch;
        own->last_point = 0;
        allow(t, epoch);
        if (switched)
            point_control(t, CONTROL_MASKED, NULL, 0);
    }
    plat_quiet_end(&quiet);
    return own;
}

bool point_writes(void)
{
    for (int g = 0; g < TRACE_GROUPS; g++)
        if (point_process.modes[g] == TRACE_TRACE || point_process.modes[g] == TRACE_BURST)
            return true;
    return false;
}

/* ---- one word of a pass ---- */

/* Points beyond those that fit into a word. */
static bool write_wide(struct tare_trace_thread *t, const struct tare_point *p, const uint64_t *value)
{
    uint64_t *at = point_words_if_room(t, value ? 5 : 2);
    if (!at)
        return false;
    point_store(at, point_word(point_read((enum tare_point_order)p->order), value ? CONTROL_WIDE_VALUE : CONTROL_WIDE));
    point_store(at + 1, p->number);
    if (value)
        point_store(at + 2, *value);
    return true;
}

static bool write_pass(struct tare_trace_thread *t, const struct tare_point *p, const uint64_t *value)
{
    if (!p->id)
        return write_wide(t, p, value);
    uint64_t *at = point_words_if_room(t, value ? 2 : 1);
    if (!at)
        return false;
    point_store(at, point_word(point_read((enum tare_point_order)p->order), p->id));
    if (value)
        point_store(at + 1, *value);
    return true;
}

/* ---- room ---- */

enum { FIRST_STEPS = 16, STEP = FIRST_STEPS * TRACE_UNIT };

/* By the same code as the program's points. */
static void weigh(struct tare_trace_thread *t)
{
    static struct tare_point empty = {.id = CONTROL_WEIGH, .number = POINT_CONTROL};
    if (!point_writes())
        return;
    for (int i = 0; i < 17; i++)
        if (t->word != NEVER)
            tare_point_write(&empty, t->word, TARE_ORDERED, false, 0);
        else
            write_pass(t, &empty, NULL);
}

static uint32_t next_units(const struct point_thread *own)
{
    uint32_t most = own->written < (UINT64_C(16) << 20) ? 16 : 256;
    return own->units * 2 < most ? own->units * 2 : most;
}

static void fill_header(struct point_thread *own, struct trace_segment *s)
{
    s->sequence = own->sequence++;
    s->thread = own->number;
    s->tid = own->tid;
    s->last_point = own->last_point;
    s->last_tick = own->last_tick;
    s->lane = own->lane;
    memcpy(s->thread_name, own->name, sizeof s->thread_name);
    point_moment(&s->moment);
    point_segment_seal(s);
}

/* The oldest segment of the thread becomes the newest: its words are lost, and counted. */
static struct trace_segment *oldest_again(struct point_thread *own)
{
    struct trace_segment *s = own->oldest;
    if (point_process.request.full != TRACE_FULL_WRAP || !s)
        return NULL;
    own->oldest = s->spare[0] ? (struct trace_segment *)(point_process.window.base + s->spare[0]) : NULL;
    const uint32_t units = s->units;
    const uint64_t body = (uint64_t)units * TRACE_UNIT - sizeof *s, used = s->used ? s->used : body;
    __atomic_fetch_add(&point_process.head->lost, used / 8, __ATOMIC_RELAXED);
    __atomic_store_n(&s->magic, 0, __ATOMIC_RELEASE);
    memset(s, 0, sizeof *s + body);
    s->kind = TRACE_EVENTS;
    s->units = units;
    return s;
}

static struct trace_segment *any_segment(struct point_thread *own)
{
    struct trace_segment *s = point_segment(TRACE_EVENTS, own->units);
    if (!s && own->units > 1)
        s = point_segment(TRACE_EVENTS, own->units = 1);
    return s ? s : oldest_again(own);
}

static void leave_segment(struct point_thread *own, struct trace_segment *left)
{
    const uint64_t bytes = (uint64_t)left->units * TRACE_UNIT, offset = point_offset(left);
    left->used = bytes - sizeof *left;
    own->written += bytes;
    if (point_process.request.sync)
        plat_window_sync(&point_process.window, offset, bytes);
    if (own->left_before) /* not the last one: a frame that a handler interrupted may be about to store there */
        plat_window_leave(&point_process.window, point_offset(own->left_before), own->left_before->units * (uint64_t)TRACE_UNIT);
    own->left_before = left;
}

/* Another segment for this thread; signals off. */
static bool next_segment(struct tare_trace_thread *t, struct point_thread *own)
{
    struct trace_segment *left = own->segment, *s = any_segment(own);
    if (!s)
        return false;
    if (left && left != s) {
        leave_segment(own, left);
        left->spare[0] = point_offset(s);
    }
    own->oldest = own->oldest ? own->oldest : s;
    fill_header(own, s);
    own->units = next_units(own);
    own->segment = s;
    own->end = (uintptr_t)s + (uintptr_t)s->units * TRACE_UNIT;
    __atomic_store_n(&t->room, own->end - 7, __ATOMIC_RELAXED);
    __atomic_store_n(&t->cursor, (uintptr_t)(s + 1), __ATOMIC_RELAXED);
    return true;
}

/* True: there may be room now. What we do here is marked, to be taken off the arc that it falls into. */
static bool make_room(struct tare_trace_thread *t, struct point_thread *own, uintptr_t bytes)
{
    struct plat_quiet quiet;
    uint64_t began = point_ticks();
    plat_quiet_begin(&quiet);
    bool room = t->cursor + bytes < t->room || next_segment(t, own);
    if (room) {
        uint64_t *gap = point_words(t, 2);
        point_store(gap, point_word(began, CONTROL_GAP));
        weigh(t);
        point_store(gap + 1, point_ticks());
    }
    plat_quiet_end(&quiet);
    return room;
}

/* There was none: words cannot be kept, for good. */
static bool no_more_room(void)
{
    return atomic_load_explicit(&point_shared()->full, memory_order_relaxed) && point_process.request.full != TRACE_FULL_WRAP;
}

uint64_t *point_words_if_room(struct tare_trace_thread *t, uint32_t n)
{
    for (;;) {
        const uintptr_t room = __atomic_load_n(&t->room, __ATOMIC_RELAXED), bytes = 8 * (uintptr_t)n;
        const uintptr_t at = point_fetch_add(&t->cursor, bytes);
        if (at + (bytes - 8) < room)
            return (uint64_t *)at;
        if (no_more_room() || !make_room(t, t->own, bytes))
            return NULL;
    }
}

uint64_t *point_words(struct tare_trace_thread *t, uint32_t n)
{
    uint64_t *at = point_words_if_room(t, n);
    if (!at)
        __atomic_fetch_add(&point_process.head->lost, n, __ATOMIC_RELAXED);
    return at;
}

void point_control(struct tare_trace_thread *t, enum trace_id id, const uint64_t *data, uint32_t n)
{
    uint64_t *at = point_words(t, n + 1);
    if (!at)
        return;
    point_store(at, point_word(point_ticks(), id));
    for (uint32_t i = 0; i < n; i++)
        point_store(at + 1 + i, data[i]);
}

/* ---- a pass ---- */

/* Counters and indices of iterations stand beside the chain. */
static bool chained(const struct tare_point *p)
{
    return p->kind != TRACE_COUNTER && p->number < POINT_CONTROL;
}

static void meet(struct tare_point *p)
{
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    point_lock();
    point_number(p);
    point_unlock();
    plat_quiet_end(&quiet);
}

/* Four readings: the arc that ends here ends between t3 and t4, the next begins between t1 and t2. */
static bool write_stamps(struct tare_trace_thread *t, const struct tare_point *p)
{
    const uint64_t t3 = point_read(TARE_ORDERED), t4 = point_read(TARE_ORDERED);
    uint64_t *at = point_words_if_room(t, 5);
    if (!at)
        return false;
    point_store(at, point_word(t3, CONTROL_STAMPS));
    point_store(at + 1, p->number);
    point_store(at + 2, t4);
    const uint64_t t1 = point_read(TARE_ORDERED), t2 = point_read(TARE_ORDERED);
    point_store(at + 3, t1);
    point_store(at + 4, t2);
    return true;
}

static bool write_one(struct tare_trace_thread *t, const struct tare_point *p, const uint64_t *value)
{
    if (!value && p->number < POINT_CONTROL && (p->order == TARE_PRECISE || point_process.request.order == TRACE_PRECISE))
        return write_stamps(t, p);
    return write_pass(t, p, value);
}

/* Where there is no more room, arcs are added up, if the runner wants that and the point is one of a chain. */
static void write_or_add(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p, const uint64_t *value)
{
    if (write_one(t, p, value))
        return;
    if (point_process.request.full == TRACE_FULL_AGGREGATE && chained(p))
        point_add(t, own, p);
    else
        __atomic_fetch_add(&point_process.head->lost, value ? 2 : 1, __ATOMIC_RELAXED);
}

static void write_burst(struct tare_trace_thread *t, struct point_thread *own, const struct tare_point *p, const uint64_t *value)
{
    const enum point_burst place = point_burst(own, p);
    if (place == BURST_OUTSIDE)
        return;
    if (place == BURST_FIRST)
        point_control(t, CONTROL_BURST, NULL, 0);
    else if (!write_one(t, p, value))
        __atomic_fetch_add(&point_process.head->lost, 1, __ATOMIC_RELAXED);
    if (place == BURST_LAST)
        point_control(t, CONTROL_BURST_END, NULL, 0);
}

static void pass(struct tare_point *p, const uint64_t *value, uint32_t left)
{
    struct tare_trace_thread *t = &tare_trace_thread;
    struct point_thread *own = point_thread_here(t);
    const uint32_t word = tare_trace_word(p->group);
    if (!own || tare_trace_off(word))
        return;
    if (!p->number)
        meet(p);
    const enum trace_mode mode = mode_of(word);
    if (mode != TRACE_TRACE && !chained(p))
        return;
    for (left = left ? left : t->repeat; left > 0; left--)
        if (mode == TRACE_TRACE)
            write_or_add(t, own, p, value);
        else if (mode == TRACE_AGGREGATE)
            point_add(t, own, p);
        else if (mode == TRACE_COUNT)
            point_count(own, p);
        else
            write_burst(t, own, p, value);
}

void tare_point_other(struct tare_point *p, uint32_t left)
{
    pass(p, NULL, left);
}

void tare_point_other_value(struct tare_point *p, uint64_t value, uint32_t left)
{
    pass(p, &value, left);
}

void tare_point_moved(uint32_t cpu)
{
    struct tare_trace_thread *t = &tare_trace_thread;
    uint64_t began = point_ticks(), *at = point_words_if_room(t, 4);
    t->cpu = cpu;
    if (!at)
        return;
    point_store(at, point_word(began, CONTROL_CPU));
    point_store(at + 1, cpu & 0xfff);
    point_store(at + 2, point_word(began, CONTROL_GAP));
    point_store(at + 3, point_ticks());
}

/* ---- the end ---- */

static uint64_t used_bytes(const struct tare_trace_thread *t, const struct point_thread *own)
{
    const uintptr_t body = (uintptr_t)(own->segment + 1);
    return (t->cursor < own->end ? t->cursor : own->end) - body;
}

/* What a pass weighs at the end, where there is room without more ado. */
static void weigh_last(struct tare_trace_thread *t, struct point_thread *own)
{
    if (own->added)
        point_weigh_added(t, own);
    else if (own->segment && t->cursor + 20 * 8 * (uintptr_t)t->repeat < t->room) {
        uint64_t began = point_ticks(), *gap = point_words_if_room(t, 2);
        point_store(gap, point_word(began, CONTROL_GAP));
        weigh(t);
        point_store(gap + 1, point_ticks());
    }
}

static bool is_here(const struct point_thread *own)
{
    return own && point_process.head && own->instance == atomic_load(&point_shared()->instance);
}

/* Points that come after this, in later destructors of the thread, begin anew. */
static void thread_ended(void *value)
{
    struct tare_trace_thread *t = &tare_trace_thread;
    struct point_thread *own = t->own;
    struct plat_quiet quiet;
    (void)value;
    plat_quiet_begin(&quiet);
    if (is_here(own)) {
        weigh_last(t, own);
        if (own->segment)
            own->segment->used = used_bytes(t, own);
        *t = (struct tare_trace_thread){0};
        point_cells_free(&own->arcs);
        point_cells_free(&own->counts);
        point_lock();
        own->next_free = free_threads;
        free_threads = own;
        point_unlock();
    }
    plat_quiet_end(&quiet);
}

/* Behind the program's own destructors. Other threads may run on, and points may still be passed. */
__attribute__((destructor(101))) static void process_ended(void)
{
    struct tare_trace_thread *t = &tare_trace_thread;
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    plat_thread_ends_forget();
    if (is_here(t->own))
        weigh_last(t, t->own);
    if (point_process.head && atomic_load(&point_shared()->instance))
        point_file_end(TRACE_ENDED);
    plat_quiet_end(&quiet);
}
