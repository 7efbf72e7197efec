/* SPDX-License-Identifier: MIT
 *
 * The traced process and its threads: whether anybody traces, found out once in each process, forked children included; the modes; how
 * threads come and end.
 */
#include "cpu.h"
#include "crc.h"
#include "plat.h"
#include "plat_process.h"
#include "point_state.h"
#include <stddef.h>
#include <string.h>

/* The points of the process: those of each program and shared object, as their constructors name them, and the table in the file that
 * tells of each where it stands. Numbers are given once and are the same in forked children, whose tables begin as copies.
 */

/* The points of a program or shared object: in C a section of pointers to them, in C++ a list. */
enum { MODULES = 2048 };
static struct module {
    const void *key;         /* of a section its first pointer, of a list its newest point; NULL: the place is free */
    struct tare_point **end; /* NULL: it is a list */
} modules[MODULES];
static uint32_t modules_used;
static uint64_t numbers; /* given so far, those of parents included */
static struct {
    const char *unit; /* NULL: none */
    uint32_t namesake;
} numbered; /* unit that was numbered: its points come one after the other */

/* Where the next descriptor goes: unit 0, then segments of points. */
static struct {
    unsigned char *at;
    size_t left;
    struct trace_segment *segment;
} table;

static const char *cut_text(const char *text, size_t *n)
{
    text = text ? text : "";
    *n = strlen(text);
    *n = *n < TRACE_TEXT_MAX ? *n : TRACE_TEXT_MAX;
    return text;
}

static unsigned char *put_text(unsigned char *at, const char *text, size_t n)
{
    memcpy(at, text, n);
    at[n] = 0;
    return at + n + 1;
}

/* A segment more; each knows the one before it. */
static bool another_segment(void)
{
    struct trace_segment *s = point_segment(TRACE_POINTS, 1);
    if (!s)
        return false;
    s->spare[0] = table.segment ? point_offset(table.segment) : 0;
    point_segment_seal(s);
    table.segment = s;
    table.at = (unsigned char *)(s + 1);
    table.left = TRACE_UNIT - sizeof *s;
    return true;
}

/* Room for so many bytes in whole cells; NULL: none. */
static unsigned char *table_cells(size_t bytes)
{
    struct trace_head *h = point_process.head;
    bytes = (bytes + TRACE_CELL - 1) / TRACE_CELL * TRACE_CELL;
    if (!table.at) {
        table.at = point_process.window.base + TRACE_TABLE_AT + h->table_bytes;
        table.left = TRACE_UNIT - TRACE_TABLE_AT - h->table_bytes;
    }
    if (bytes > table.left && !another_segment())
        return NULL;
    unsigned char *at = table.at;
    table.at += bytes;
    table.left -= bytes;
    if (!table.segment)
        h->table_bytes += bytes;
    return at;
}

/* Of "static constexpr const char* work(int)::tare_where::function()" it is "work": what stands before the type of the place, without
 * the arguments, from the last blank on. Other names are what they are. */
static const char *function_of(const struct tare_point *p, size_t *n)
{
    const char *text = cut_text(p->function, n), *type = strstr(text, "::tare_where");
    if (!type)
        return text;
    const char *behind = type; /* "work() const &": of a member function */
    while (behind > text && strchr("abcdefghijklmnopqrstuvwxyz& ", behind[-1]))
        behind--;
    type = behind > text && behind[-1] == ')' ? behind : type;
    const char *end = type, *begin = text;
    int depth = 0;
    for (const char *at = type; at > text && !(depth == 0 && at[-1] == ' '); at--) {
        depth += at[-1] == ')' || at[-1] == '>';
        depth -= at[-1] == '(' || at[-1] == '<';
        end = at[-1] == '(' && depth == 0 ? at - 1 : end;
        begin = at - 1;
    }
    begin += *begin == '*'                ? 1
             : strncmp(begin, "char*", 5) ? 0
                                          : 5; /* clang puts the one of `const char *` there, gcc a lambda outside of functions */
    *n = (size_t)(end - begin);
    return begin;
}

/* Object files are told apart by `unit`, and those before one, in the order of the modules, whose source file has its name are counted: in other folders
 * there may be more of it. A point in a header is the same wherever that is included. */
struct namesakes {
    const struct tare_point *of;
    const char *last;
    uint32_t n;
};

static void count_namesake(struct namesakes *c, const struct tare_point *p)
{
    if (!p->unit || p->unit == c->last)
        return;
    c->last = p->unit;
    c->n += p->unit != c->of->unit && !strcmp(p->unit, c->of->unit);
}

static uint32_t namesakes_before(const struct tare_point *p, uint32_t module)
{
    struct namesakes c = {.of = p};
    for (uint32_t i = 0; i <= module && i < modules_used; i++) {
        const struct tare_point *list = modules[i].end || !modules[i].key ? NULL : i == module ? p->next : modules[i].key;
        for (; list; list = list->next)
            count_namesake(&c, list);
        struct tare_point *const *at = modules[i].end ? modules[i].key : NULL;
        for (; at && at < modules[i].end && !(*at && (*at)->unit == p->unit); at++)
            if (*at)
                count_namesake(&c, *at);
    }
    return c.n;
}

static uint32_t namesake_of(const struct tare_point *p, uint32_t module)
{
    if (!p->unit || !p->file || strcmp(p->unit, p->file) != 0)
        return 0;
    if (p->unit != numbered.unit) {
        numbered.namesake = 1 + namesakes_before(p, module);
        numbered.unit = p->unit;
    }
    return numbered.namesake;
}

static void describe_point(const struct tare_point *p, uint32_t partner, uint32_t module)
{
    size_t file_size, function_size, name_size;
    const char *file = cut_text(p->file, &file_size), *function = function_of(p, &function_size),
               *name = cut_text(p->name, &name_size);
    const size_t from = offsetof(struct trace_point, length);
    const struct trace_origin origin = {(uint32_t)(uintptr_t)p->unit, (uint32_t)((uint64_t)(uintptr_t)p->unit >> 32), p->count,
                                        namesake_of(p, module)};
    size_t bytes = sizeof(struct trace_point) + file_size + function_size + name_size + 3 + sizeof origin;
    unsigned char *at = table_cells(bytes);
    if (!at)
        return;
    struct trace_point *out = (struct trace_point *)at;
    out->length = (uint32_t)(bytes - from);
    out->id = p->number;
    out->line = p->line;
    out->partner = partner;
    out->kind = p->kind;
    out->value = p->value;
    out->group = p->group;
    out->fast = p->order == TARE_FAST;
    out->module = module;
    unsigned char *text = put_text((unsigned char *)(out + 1), file, file_size);
    text = put_text(text, function, function_size);
    text = put_text(text, name, name_size);
    memcpy(text, &origin, sizeof origin);
    out->crc = crc_of(at + from, bytes - from);
    __atomic_store_n(&out->magic, TRACE_POINT_MAGIC, __ATOMIC_RELEASE);
}

static void give_number(struct tare_point *p)
{
    if (p->number || numbers >= TRACE_POINTS_MAX)
        return;
    p->number = (uint32_t)++numbers;
    if (p->order == TARE_FAST)
        __atomic_store_n(&point_process.has_fast, true, __ATOMIC_RELAXED);
    __atomic_store_n(&p->id, p->number <= TRACE_ID_LAST && p->order != TARE_PRECISE ? p->number : 0, __ATOMIC_RELEASE);
    __atomic_store_n(&point_process.head->points, numbers, __ATOMIC_RELAXED); /* threads that hit points look at it */
}

static void number_one(struct tare_point *p, uint32_t module)
{
    if (p->number)
        return;
    give_number(p);
    if (p->partner)
        give_number(p->partner);
    if (p->number)
        describe_point(p, p->partner ? p->partner->number : 0, module);
    if (p->number && p->partner)
        describe_point(p->partner, p->number, module);
}

void point_number(struct tare_point *p)
{
    number_one(p, 0);
}

static void number_module(uint32_t i)
{
    if (modules[i].end)
        for (struct tare_point *const *p = modules[i].key; p < modules[i].end; p++) {
            if (*p)
                number_one(*p, i);
        }
    else
        for (struct tare_point *p = (struct tare_point *)(uintptr_t)modules[i].key; p; p = p->next)
            number_one(p, i);
}

/* Of NULL a free place; MODULES: there is none. */
static uint32_t module_at(const void *key)
{
    uint32_t i = 0;
    while (i < modules_used && modules[i].key != key)
        i++;
    return i;
}

static void set_module(uint32_t i, const void *key, struct tare_point **end)
{
    modules[i] = (struct module){key, end};
    modules_used += i == modules_used;
}

/* Those of a program or shared object, and of C++: its newest, whose `next` is the one before. */
static void point_modules_add(struct tare_point **first, struct tare_point **end)
{
    uint32_t i = module_at(NULL);
    if (module_at(first) < modules_used || i == MODULES)
        return;
    set_module(i, first, end);
    if (point_process.head)
        number_module(i);
}

static void point_lists_add(struct tare_point *p)
{
    uint32_t i = module_at(p->next); /* a first point's next is NULL, as is the key of a free place */
    if (i == MODULES)
        return;
    set_module(i, p, NULL);
    if (point_process.head)
        number_one(p, i);
}

/* the first pointer of the one, the newest point of the other */
static void point_modules_remove(const void *key)
{
    uint32_t i = module_at(key);
    numbered.unit = NULL;
    if (i < modules_used)
        modules[i] = (struct module){NULL, NULL};
}

static void point_number_all(void)
{
    for (uint32_t i = 0; i < modules_used; i++)
        number_module(i);
}

/* Those in segments, the oldest first. */
static bool copy_segments(const unsigned char *parent, uint64_t last)
{
    if (!last)
        return true;
    const struct trace_segment *s = (const struct trace_segment *)(parent + last);
    if (!copy_segments(parent, s->spare[0]) || !another_segment())
        return false;
    memcpy(table.at, s + 1, table.left);
    return true;
}

/* Copies what a parent wrote of its points. */
static void point_table_copy(const unsigned char *parent)
{
    struct trace_head *h = point_process.head;
    const struct trace_head *old = (const struct trace_head *)parent;
    const unsigned char *at = table.at;
    const size_t left = table.left;
    const struct trace_segment *last = table.segment;
    memset(&table, 0, sizeof table);
    memcpy((unsigned char *)h + TRACE_TABLE_AT, parent + TRACE_TABLE_AT, old->table_bytes);
    h->table_bytes = old->table_bytes;
    h->points = numbers;
    if (last && copy_segments(parent, (uint64_t)((const unsigned char *)last - parent))) {
        table.at += at - (const unsigned char *)(last + 1);
        table.left = left;
    }
}

static void forget_fork(void)
{
    memset(&tare_trace_control, 0, sizeof tare_trace_control);
}

/* Threads look at it without the lock. */
static void set_mode(int group, uint8_t mode)
{
    __atomic_store_n(&point_process.modes[group], mode, __ATOMIC_RELAXED);
}

static void all_off(void)
{
    for (int g = 0; g < TRACE_GROUPS; g++)
        set_mode(g, TRACE_OFF);
}

/* The first time in this process: signals off, lock held. */
static int begin_tracing(void)
{
    struct point_process *p = &point_process;
    struct trace_head *const forked = p->head; /* the parent's */
    bool made = true;
    const unsigned char *parent = p->window.base;
    uint64_t parent_units = forked ? forked->units : 0;
    if (forked) /* what was grown of it stays to be read */
        plat_window_inherited(&p->window, parent_units * TRACE_UNIT);
    __atomic_store_n(&p->head, NULL, __ATOMIC_RELAXED);
    int error = p->asked ? point_file_create(&made) : 0;
    if (error) {
        p->asked = false;
        all_off();
    }
    if (forked && !made)
        __atomic_fetch_add(&forked->unfiled, 1, __ATOMIC_RELAXED);
    if (forked && p->head) {
        p->head->forked = 1; /* first: one that is killed here has its file */
        __atomic_fetch_add(&forked->filed, 1, __ATOMIC_RELEASE);
        point_table_copy(parent);
    }
    if (p->head)
        point_number_all();
    atomic_store(&point_shared()->instance, ++p->instances);
    point_modes_set();
    return error;
}

/* By the system's clock: of the steps that it is seen to take. */
static double least_step(void)
{
    enum { READINGS = 64 };
    int64_t least = 0, before = plat_clock_ns(clock_reference());
    for (int i = 0; i < READINGS; i++) {
        const int64_t now = plat_clock_ns(clock_reference()), step = now - before;
        least = step > 0 && (!least || step < least) ? step : least;
        before = now;
    }
    return (double)least;
}

static void adopt_request(void)
{
    struct point_process *p = &point_process;
    p->asked = true;
    for (int g = 0; g < TRACE_GROUPS; g++)
        set_mode(g, p->request.modes[g] == 0xFF ? (uint8_t)p->request.mode : p->request.modes[g]);
    clock_counter_glance(&p->clock);
    p->counter = p->clock.trusted && strcmp(p->request.clock, "raw") != 0;
    p->step = p->counter ? (double)p->clock.step_ticks : least_step();
    p->way = p->counter ? cpu_ticks_way() : TARE_TICKS_BY_CALL;
}

/* A child begins with all of this zero, and so finds out that it is one. */
static void wipe_in_children(void)
{
    static bool done;
    if (!done)
        plat_wiped_on_fork(&tare_trace_control, sizeof tare_trace_control, forget_fork);
    done = true;
}

/* The page is replaced while nobody has a lock on it or anything in it, also where a program may begin to trace later. */
static void take_request(void)
{
    all_off();
    wipe_in_children();
    if (trace_request_read(plat_trusted_getenv(TRACE_VARIABLE), &point_process.request, NULL) == TARE_OK)
        adopt_request();
}

/* By the first thread; others that come meanwhile wait until it has done so. It cannot be done under the lock, which lies on the page that is wiped. A child
 * that was forked meanwhile by another thread finds the number of its parent, and does it again. */
static void read_request(void)
{
    enum { DONE = -1 };
    static _Atomic int64_t reader; /* 0: nobody yet; DONE; else the process that is at it */
    int64_t there = atomic_load(&reader);
    while (there != DONE) {
        const int64_t self = plat_process_id();
        if (there == self) {
            plat_thread_yield();
        } else if (atomic_compare_exchange_strong(&reader, &there, self)) {
            take_request();
            atomic_store(&reader, DONE);
        }
        there = atomic_load(&reader);
    }
}

bool point_start(const struct trace_request *q, int *error)
{
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
    own = chunk_left ? &chunk[--chunk_left] : NULL;
    return own;
}

static void thread_ended(void *value);

/* Passes that are added up before their overhead is measured: what they run is in the caches then. At the end of the thread they are, however few. */
enum { FIRST_ROW = 256 };

static struct point_thread *make_thread(struct tare_trace_thread *t)
{
    struct point_thread *own = point_own(t);
    *t = (struct tare_trace_thread){.own = t->own, .repeat = point_process.request.repeat};
    point_lock();
    own = own ? own : new_thread();
    point_unlock();
    t->own = own ? &own->chain : NULL;
    if (!own)
        return NULL;
    point_cells_free(&own->arcs);
    point_cells_free(&own->counts);
    memset(own, 0, sizeof *own); /* too large for a stack of signals to be copied over */
    own->instance = atomic_load(&point_shared()->instance);
    own->units = 1;
    own->until_row = FIRST_ROW;
    own->tid = plat_thread_number();
    own->chain.counts[0].arc = own->places[0].arc = POINT_NO_ARC;
    own->number = (uint32_t)__atomic_fetch_add(&point_process.head->threads, 1, __ATOMIC_RELAXED);
    own->arcs.thread = own->counts.thread = own->number;
    own->arcs.tid = own->counts.tid = own->tid;
    plat_thread_title(own->name);
    if (plat_thread_ends_watch(thread_ended))
        plat_thread_at_end(own);
    /* Arcs that take turns on a clock in steps (3 and 7 ns, 10 the step) read 0 and 10 or 10 and 0 all through a run: what the phase of the clock is at its
     * begin. So it is drawn for each thread, and is one of the things that runs differ by; for steps of up to 50 ns, since none was measured yet. */
    struct clock_phase p;
    clock_phase_open(&p, point_ticks() * UINT64_C(0x9E3779B97F4A7C15) ^ own->tid, 50);
    clock_phase_draw(&p);
    return own;
}

/* Exponential with mean 1, by comparisons alone (von Neumann 1951): no logarithm, which would have programs need libm. Of uniforms the first falling
 * run u > v > w ... has an odd number with probability exp(-u); then it is u, and 1 more for each time that it was not. */
static double draw_exponential(struct rng *r)
{
    for (int failures = 0;; failures++) {
        const double first = rng_uniform(r);
        bool odd = true;
        for (double last = first, next; (next = rng_uniform(r)) < last; last = next)
            odd = !odd;
        if (odd)
            return failures + first;
    }
}

void point_burst_gap(struct tare_trace_thread *t, struct point_thread *own)
{
    if (!own->burst_begun)
        own->random = rng_seeded(point_process.request.seed ^ (own->number + 1) * UINT64_C(0x9E3779B97F4A7C15));
    own->burst_begun = true;
    /* Without memory: a window is as likely to begin at one pass as at another, whatever the program's rhythm. */
    own->chain.left = (uint64_t)(draw_exponential(&own->random) * point_process.request.burst_gap) + 1;
    if (t->repeat == 1)
        t->count_word = point_word_of(own->epoch, TRACE_BURST);
}

/* What this thread may do by itself. */
static void allow_in_line(struct tare_trace_thread *t, struct point_thread *own, uint32_t epoch)
{
    const struct point_process *p = &point_process;
    const uint32_t word = point_word_of(epoch, TRACE_TRACE);
    const bool fits = __atomic_load_n(&p->head->points, __ATOMIC_RELAXED) <=
                      TRACE_ID_LAST; /* else the others would have more overhead than the rows say */
    const bool in_line = p->way == TARE_TICKS_IN_LINE, once = t->repeat == 1, ordered = p->request.order == TRACE_ORDERED;
    const uint32_t ordered_word = p->way && ordered && fits ? word : POINT_NEVER;
    const uint32_t fast_word = p->way && p->request.order != TRACE_PRECISE ? word : POINT_NEVER;
    t->word = once && in_line ? ordered_word : POINT_NEVER;
    t->fast_word = once ? fast_word : POINT_NEVER;
    t->again_word = once && in_line ? POINT_NEVER : ordered_word;
    t->fenced = p->way == TARE_TICKS_FENCED;
    t->again_fast_word = once && ordered ? POINT_NEVER : fast_word;
    t->count_word = once ? point_word_of(epoch, TRACE_COUNT) : POINT_NEVER;
    own->chain.left = UINT64_MAX / 2;
    own->burst_left = 0;
    if (point_group_in(TRACE_BURST) >= 0)
        point_burst_gap(t, own);
    t->add_word = once ? point_word_of(epoch, TRACE_AGGREGATE) : POINT_NEVER;
    point_set_timed(own, true);
}

struct point_thread *point_thread_here(struct tare_trace_thread *t)
{
    struct point_shared *shared = point_shared_here();
    struct point_thread *own = point_own(t);
    uint32_t epoch = atomic_load(&shared->epoch);
    if (own && own->instance == atomic_load(&shared->instance) && own->epoch == epoch)
        return own;
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    point_decide();
    own = point_own(t);
    if (!t) {
        plat_quiet_end(&quiet);
        return NULL;
    }
    bool known = own && own->instance == atomic_load(&shared->instance);
    if (!__atomic_load_n(&point_process.head, __ATOMIC_ACQUIRE))
        own = NULL;
    else if (!known)
        own = make_thread(t);
    if (own) {
        bool switched = known && own->epoch;
        epoch = atomic_load(&shared->epoch);
        own->epoch = epoch;
        own->chain.last = own->home_point = 0;
        allow_in_line(t, own, epoch);
        if (switched)
            point_control(t, CONTROL_MASKED, NULL, 0);
    }
    plat_quiet_end(&quiet);
    return own;
}

/* What changes the points of the process is done with signals off and the lock held. */
static void begin_change(struct plat_quiet *quiet)
{
    plat_quiet_begin(quiet);
    point_decide();
    point_lock();
}

static void end_change(struct plat_quiet *quiet)
{
    point_unlock();
    plat_quiet_end(quiet);
}

void tare_points_enter(struct tare_point **first, struct tare_point **end)
{
    struct plat_quiet quiet;
    begin_change(&quiet);
    point_modules_add(first, end);
    end_change(&quiet);
}

void tare_points_add(struct tare_point *p)
{
    struct plat_quiet quiet;
    begin_change(&quiet);
    point_lists_add(p);
    end_change(&quiet);
}

/* Their code goes too: the overhead of this thread's passes is measured before, and no thread runs it afterwards. */
static void remove_module(const void *key)
{
    struct tare_trace_thread *t = plat_trace_thread();
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    point_lock();
    point_measure_last(t, point_own(t));
    __atomic_store_n(&point_process.left, point_process.left + 1, __ATOMIC_RELAXED);
    point_modules_remove(key);
    end_change(&quiet);
}

void tare_points_leave(struct tare_point **first)
{
    remove_module(first);
}

void tare_points_remove(struct tare_point *newest)
{
    remove_module(newest);
}

static void note_used(const struct tare_trace_thread *t, const struct point_thread *own)
{
    if (own->segment)
        own->segment->used = (t->cursor < own->end ? t->cursor : own->end) - (uintptr_t)(own->segment + 1);
}

/* Points that come after this, in later destructors of the thread, begin anew. */
static void thread_ended(void *value)
{
    struct tare_trace_thread *t = plat_trace_thread();
    struct point_thread *own = point_own(t);
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    if (own == value && point_is_here(own)) { /* it may be that of a fibre which this thread ends */
        point_lock();
        point_measure_last(t, own);
        point_unlock();
        note_used(t, own);
        *t = (struct tare_trace_thread){0};
        point_cells_free(&own->arcs);
        point_cells_free(&own->counts);
        point_lock();
        own->next_free = free_threads;
        free_threads = own;
        point_unlock();
        plat_trace_thread_end();
    }
    plat_quiet_end(&quiet);
}

/* Behind the program's own destructors. Other threads may run on, and points may still be passed. */
__attribute__((destructor(101))) static void process_ended(void)
{
    const struct tare_trace_thread *t = plat_trace_thread();
    struct plat_quiet quiet;
    plat_quiet_begin(&quiet);
    plat_thread_ends_forget();
    if (point_is_here(point_own(t)))
        note_used(t, point_own(t));
    if (__atomic_load_n(&point_process.head, __ATOMIC_ACQUIRE) && atomic_load(&point_shared()->instance))
        point_file_end(TRACE_ENDED);
    plat_quiet_end(&quiet);
}
