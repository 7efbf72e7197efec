/* SPDX-License-Identifier: MIT
 *
 * tare/point.h - control points: where a program goes, and how long each way takes.
 *
 *     #include <tare/point.h>
 *
 *     void serve(struct queue *q)
 *     {
 *         TARE_POINT();                              // a point: file, line and function
 *         parse(q);
 *         TARE_POINT_NAMED("parsed");                // with a name
 *         for (int i = 0; i < q->n; i++) {
 *             TARE_SCOPE("item");                    // from here to the end of the block
 *             if (cached(q, i))
 *                 TARE_POINT_NAMED("hit");
 *             else
 *                 TARE_POINT_VALUE("miss", i);       // with a number
 *         }
 *         TARE_POINT();
 *     }
 *
 *     cc -O2 serve.c $(pkg-config --cflags --libs tare) && tare trace -r 30 -- ./a.out
 *
 * The passage from one point to the next point that the same thread passes is an arc. `tare trace` runs the program and shows each arc: how
 * often it was taken, how long it took, with an interval, and what share of the whole that is; and the points that were never passed.
 * No call is needed at the start. Without `tare trace` around it the program runs as if there were no points, but for a load and a branch
 * at each.
 *
 * The points:
 *     TARE_POINT()                        an end of arcs, known by its place: file, line, and which of the line's points it is
 *     TARE_POINT_NAMED("x")               and a name; names of points are literals, and need not be different
 *     TARE_POINT_VALUE("x", n)            and a number that is kept with each pass, 64 bits; _I64 signed, _F64 a double
 *     TARE_SCOPE("x");                    a region: a point here and one where the block is left, by whatever way. A declaration: after a label
 *                                         or an `if` it needs braces, without them it does not compile. C++: one a line of each block
 *     TARE_SCOPE_BEGIN("x"), _END("x")    the same by hand, for regions that are no blocks
 *     TARE_BREAK()                        the next point begins a new chain: no arc leads to it. Before the program waits for something, so
 *                                         that waiting is not taken for work
 *     tare_lane(id)                       the next points belong to another chain: one of a fibre, a coroutine, a request, whichever threads work
 *                                         on it. tare_lane(0): the thread's own again
 *     TARE_ITERATION(i)                   what follows belongs to iteration i: iterations can then be compared
 *     TARE_COUNTER("x", n)                a number over time, beside the arcs: it ends none; _F64 a double
 *     tare_mark("text")                   a remark on the time line
 *     tare_trace_thread_name("x")         what this thread is called in the results
 *     TARE_POINT_FAST(), _NAMED           the clock is read without waiting for what comes before: cheaper, but the end of the work
 *                                         before it may be counted for the arc behind it. For long arcs and hot places
 *     TARE_POINT_PRECISE(), _NAMED        four readings at each pass. In runs of `tare trace --order precise` they say what each pass weighs by
 *                                         itself; in others the arcs end at the first and begin at the last of them
 *
 * What a pass costs: where nobody traces a load and a branch; else one reading of the processor's counter and a store of 8 bytes, 16 with
 * a value; a call and an addition where arcs are counted; two calls and the reading where they are added up. What it weighs is measured in the same
 * process, taken off the arcs and reported; iterations, counters, lanes and names of threads weigh as passes do, and are taken off too, of
 * marks a part. A point is some 150 bytes of code at -O2 and 300 to 400 at -O0; what else a pass may have to do, and the weighing, are 1.5 KB besides, once
 * an object file. Each thread has its own memory; a pass takes no lock, allocates nothing and leaves errno alone. Now and
 * then (first after some 1700 passes of a thread, later each 32 000 to 500 000) memory is fetched for the next ones; how long that took is
 * written down and taken off too. In runs of `--order fast` TARE_POINT costs a call more than TARE_POINT_FAST.
 *
 * Nothing is lost however the program ends: what was passed is in the file after abort, _exit, exec, kill -9. Points may stand in signal
 * handlers, in code before main and after exit, in destructors of threads, in shared objects that come and go. A forked child is traced
 * on its own, and so is a program that is executed. What a program does to its descriptors, folder, user or limits does not matter; where
 * a file cannot be made or become larger the program is not disturbed, and the results say what is missing.
 *
 * Without any: -DTARE_POINTS_OFF, or `#define TARE_POINTS_OFF` before the include. Arguments are still checked by the compiler, not evaluated, and
 * the object code is as if the points were not there. So never give a point an argument that does something.
 *
 * Programs that run with more rights than their caller (set-user-id) are not traced from outside.
 *
 * C11 and later; C++17 and later, where points may also stand in templates and inline functions (in C in static inline ones). gcc and clang.
 * Link with -ltare. Where several shared objects of one program have points, link them all with the shared library, so that arcs lead from one
 * to the other; each static copy leaves a file of its own. In position-independent code that is not for programs, a pass finds the thread's
 * memory by the general way, which may be a call; -DTARE_POINTS_INITIAL_EXEC takes the short one, for objects that are not loaded by dlopen.
 *
 * What it does not do: judge what a time means, count events of the processor, trace code that has no points.
 */
#ifndef TARE_POINT_H
#define TARE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>
#include <tare/ticks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- switching at run time ---- */

/* What is done at a pass. */
enum tare_trace_mode {
    TARE_TRACE_OFF,
    TARE_TRACE_COUNT,     /* arcs are counted, the clock is not read */
    TARE_TRACE_AGGREGATE, /* of each arc: number, sum, least, most and a histogram of its times; memory does not grow with time */
    TARE_TRACE_EVENTS,    /* each pass is written down with its time: 8 bytes */
    TARE_TRACE_BURST      /* all arcs are counted; at random intervals so many passes are written down */
};

/* Points belong to groups, numbered 0 to 31, each of which has its mode. Those after
 *     #undef TARE_GROUP
 *     #define TARE_GROUP 3
 * belong to group 3; 0 where nothing is said. */
#ifndef TARE_GROUP
#define TARE_GROUP 0
#endif
enum { TARE_GROUPS = 32 };

/* groups: bit g for group g. From now on, in all threads; where nobody traces this process it does nothing. */
void tare_trace_modes(uint32_t groups, enum tare_trace_mode mode);

/* Where nobody else asks: to trace without `tare trace`. Files of `folder` (absolute; it must exist) get the name PID-START.trace. */
struct tare_trace_options {
    const char *folder;
    enum tare_trace_mode mode; /* of all groups */
    uint64_t limit_bytes;      /* of the file; then arcs are added up as far as there is room; 0: 64 GiB */
};
/* BUSY: this process is traced already (by tare trace, or an earlier call). INVALID: the options. Others: the file cannot be made. */
enum tare_status tare_trace_start(const struct tare_trace_options *options, struct tare_err *err);
/* All groups off; what was written stays. tare_trace_modes switches on again. */
void tare_trace_stop(void);
/* Returns when what was written so far is on the disk: against loss of power; no crash of the program needs it. */
void tare_trace_flush(void);

/* ---- what is called, not marked ---- */

/* The points that this thread passes next belong to lane `lane`: a chain of its own, whichever threads go through it (a fibre, a
 * coroutine, a request). 0: the thread's own again. An arc goes from a point to the next of the same lane. */
void tare_lane(uint64_t lane);
/* A remark, shown on the time line; at most 1016 bytes of it. */
void tare_mark(const char *text);
/* How this thread is to be called; at most 1016 bytes. Where nothing is said: the system's name of it. */
void tare_trace_thread_name(const char *name);

/* ---- what the macros below are made of ---- */

enum tare_point_order { TARE_ORDERED, TARE_FAST, TARE_PRECISE };

struct tare_point;
/* So many passes of p by the code that points of this object file have, each with `links` times a chain of steps behind it that wait for each
 * other. By it libtare weighs a pass as the program's compiler and its options made it. */
typedef void tare_point_row(struct tare_point *p, int passes, int links);

/* One for each place in the source. Made by the macros; libtare's. */
struct tare_point {
    uint32_t id;     /* what a pass writes by itself; 0: libtare writes it */
    uint32_t number; /* 1 and on; 0: libtare has not met it */
    const char *file, *function, *name;
    uint32_t line;
    unsigned char kind, value, group, order;
    struct tare_point *partner, *next;
    tare_point_row *row; /* of the object file that the place is in; NULL: libtare's own */
    const char *unit;    /* its own address in each object file; NULL: not known */
    uint32_t count;      /* __COUNTER__ there: readers number the points of a line in its order. It depends on all code before */
};

/* For all threads, on a page of its own that is zero in a forked child. words: of each group. Negative: off. 0: libtare is to decide. */
#if defined(__aarch64__)
enum { TARE_TRACE_PAGE = 65536 };
#else
enum { TARE_TRACE_PAGE = 4096 };
#endif
struct tare_trace_control {
    uint32_t words[TARE_GROUPS];
    unsigned char rest[TARE_TRACE_PAGE - 4 * TARE_GROUPS];
};
extern struct tare_trace_control tare_trace_control;

/* Where an arc is counted: the arcs that a thread took last, each at the place that its ends say. */
enum { TARE_TRACE_PLACES = 256 };
struct tare_trace_place {
    uint64_t arc; /* number of the point it comes from above, of that it goes to below */
    void *cell;   /* of libtare's tables; where arcs are counted its second 8 bytes are how often */
};
struct tare_trace_chain {
    uint32_t last; /* number of the point passed last; 0: none */
    uint64_t left; /* passes that are counted until libtare is to be asked */
    struct tare_trace_place counts[TARE_TRACE_PLACES];
};

/* Of a thread. Where `word` is what control says, the thread may write in line from cursor up to room; where fast_word is, it may and reads the
 * clock unordered. By tare_point_away: where count_word is, it may count arcs that have a place; where add_word is, it calls tare_point_add; where
 * again_word and again_fast_word are, it may write as above, each pass `repeat` times; with `fenced`, where the processor has no rdtscp, by lfence and rdtsc. */
struct tare_trace_thread {
    uint32_t word, fast_word, count_word, add_word;
    uint32_t repeat, cpu;
    uintptr_t cursor, room;       /* a word and its value fit at `at` when at < room */
    struct tare_trace_chain *own; /* NULL: it has nothing yet */
    uint32_t again_word, again_fast_word;
    bool fenced;
};
/* Shared objects may be loaded at any time, so their way to a thread's memory is the general one. */
#if defined(__PIC__) && !defined(__PIE__) && !defined(TARE_POINTS_INITIAL_EXEC)
extern __thread struct tare_trace_thread tare_trace_thread;
#else
extern __thread struct tare_trace_thread tare_trace_thread __attribute__((tls_model("initial-exec")));
#endif

/* All that cannot be done in line. left: of the words that this pass writes; 0: all. */
void tare_point_other(struct tare_point *p, uint32_t left);
void tare_point_other_value(struct tare_point *p, uint64_t value, uint32_t left);
void tare_point_moved(uint32_t cpu);
/* The thread is not on the CPU that its words say. */
void tare_point_elsewhere(void);
/* A pass that is counted already and brings `left` to 0: from here on passes are written. */
void tare_point_window(void);
/* A pass of this thread, whose chain is not NULL, that is added up. */
void tare_point_add(struct tare_trace_chain *chain, struct tare_point *p);
/* Those of a program or shared object. Called by its constructors and destructors. */
void tare_points_enter(struct tare_point **first, struct tare_point **end);
void tare_points_leave(struct tare_point **first);
/* One by one, for C++; those of a list go together. function of such a point is the name of a member of a type in it. */
void tare_points_add(struct tare_point *p);
void tare_points_remove(struct tare_point *first);

void tare_point_break(void);
extern struct tare_point tare_point_iterations[TARE_GROUPS]; /* write CONTROL_ITERATION, each in its group */

#define TARE_ALWAYS_INLINE static inline __attribute__((always_inline))

TARE_ALWAYS_INLINE bool tare_trace_off(uint32_t word)
{
    return __builtin_expect(TARE_AS(int32_t, word) < 0, 1);
}

TARE_ALWAYS_INLINE uint32_t tare_trace_word(unsigned group)
{
    return __atomic_load_n(&tare_trace_control.words[group], __ATOMIC_RELAXED);
}

TARE_ALWAYS_INLINE unsigned tare_trace_place_of(uint32_t from, uint32_t to)
{
    return (4 * from + to) % TARE_TRACE_PLACES;
}

#if TARE_TICKS_INLINE && UINTPTR_MAX > 0xffffffff && !defined(TARE_POINTS_OFF)

#if defined(__x86_64__)

/* All before it is done. Costs what lfence and rdtsc do, and tells the CPU. */
TARE_ALWAYS_INLINE uint64_t tare_point_ticks(uint32_t *cpu)
{
    uint32_t low, high;
    __asm__ __volatile__("rdtscp" : "=a"(low), "=d"(high), "=c"(*cpu) : : "memory");
    return TARE_AS(uint64_t, high) << 32 | low;
}

TARE_ALWAYS_INLINE uint64_t tare_point_ticks_fast(void)
{
    uint32_t low, high;
    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return TARE_AS(uint64_t, high) << 32 | low;
}

/* Likewise, where there is no rdtscp. */
TARE_ALWAYS_INLINE void tare_point_fence(void)
{
    __asm__ __volatile__("lfence" : : : "memory");
}

/* One instruction each: a signal handler that passes points comes before it or after it. Other threads have their own, so no lock. */
TARE_ALWAYS_INLINE void tare_point_increment(uint64_t *n)
{
    __asm__ __volatile__("incq %0" : "+m"(*n) : : "cc");
}

/* True: that made it 0. */
TARE_ALWAYS_INLINE bool tare_point_decrement(uint64_t *n)
{
    bool zero;
    __asm__ __volatile__("decq %0" : "+m"(*n), "=@ccz"(zero));
    return zero;
}

/* What stands in line of a pass that is written: the same few instructions whatever the compiler and its options. Room for it is reserved by one of
 * them (xadd), as above; then the clock is read, the tick shifted and the id added in steps that do not wait for each other where they need not, and the
 * word stored. Whether there was room is asked where nothing waits for the answer. A signal handler in between may have gone on to another
 * segment, so that what was reserved behind the room of the old one seems to fit: so much stays free behind the room of each.
 * (The thread's struct is never reached through a pointer here: what sanitizers make of that breaks when linkers shorten it.) */
#define TARE_POINT_RESERVE(bytes) "movl $" #bytes ", %%esi\n\txaddq %%rsi, %[cursor]\n\t"
#define TARE_POINT_WORD                                           \
    "\n\tshlq $48, %%rdx\n\tshlq $16, %%rax\n\taddq %[id], %%rax" \
    "\n\tcmpq %[room], %%rsi\n\tjae %l[full]"                     \
    "\n\taddq %%rdx, %%rax\n\tmovq %%rax, (%%rsi)"
#define TARE_POINT_BEHIND "\n\tmovq %[value], 8(%%rsi)"
#define TARE_POINT_CPU    "\n\tcmpl %[cpu], %%ecx\n\tjne %l[moved]"
#define TARE_POINT_ROOM   [cursor] "m"(tare_trace_thread.cursor), [room] "m"(tare_trace_thread.room)

/* The whole of a function that returns false where there is no room. */
#define TARE_POINT_ORDERED(code, ...)                                             \
    __asm__ goto(code TARE_POINT_CPU                                              \
                 :                                                                \
                 : TARE_POINT_ROOM, [cpu] "m"(tare_trace_thread.cpu), __VA_ARGS__ \
                 : "rax", "rcx", "rdx", "rsi", "cc", "memory"                     \
                 : full, moved);                                                  \
    return true;                                                                  \
    moved:                                                                        \
    tare_point_elsewhere();                                                       \
    return true;                                                                  \
    full:                                                                         \
    return false
#define TARE_POINT_UNORDERED(code, ...)                                                               \
    __asm__ goto(code : : TARE_POINT_ROOM, __VA_ARGS__ : "rax", "rdx", "rsi", "cc", "memory" : full); \
    return true;                                                                                      \
    full:                                                                                             \
    return false

TARE_ALWAYS_INLINE bool tare_point_put(uint64_t id)
{
    TARE_POINT_ORDERED(TARE_POINT_RESERVE(8) "rdtscp" TARE_POINT_WORD, [id] "r"(id));
}

TARE_ALWAYS_INLINE bool tare_point_put_value(uint64_t id, uint64_t value)
{
    TARE_POINT_ORDERED(TARE_POINT_RESERVE(16) "rdtscp" TARE_POINT_WORD TARE_POINT_BEHIND, [id] "r"(id), [value] "r"(value));
}

TARE_ALWAYS_INLINE bool tare_point_put_fast(uint64_t id)
{
    TARE_POINT_UNORDERED(TARE_POINT_RESERVE(8) "rdtsc" TARE_POINT_WORD, [id] "r"(id));
}

TARE_ALWAYS_INLINE bool tare_point_put_fast_value(uint64_t id, uint64_t value)
{
    TARE_POINT_UNORDERED(TARE_POINT_RESERVE(16) "rdtsc" TARE_POINT_WORD TARE_POINT_BEHIND, [id] "r"(id), [value] "r"(value));
}

#undef TARE_POINT_RESERVE
#undef TARE_POINT_WORD
#undef TARE_POINT_BEHIND
#undef TARE_POINT_CPU
#undef TARE_POINT_ROOM
#undef TARE_POINT_ORDERED
#undef TARE_POINT_UNORDERED

#else

TARE_ALWAYS_INLINE uint64_t tare_point_ticks(uint32_t *cpu)
{
    uint64_t count;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
    *cpu = 0;
    return count;
}

TARE_ALWAYS_INLINE uint64_t tare_point_ticks_fast(void)
{
    uint64_t count;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(count) : : "memory");
    return count;
}

TARE_ALWAYS_INLINE void tare_point_fence(void)
{
    __asm__ __volatile__("isb" : : : "memory");
}

TARE_ALWAYS_INLINE void tare_point_increment(uint64_t *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

TARE_ALWAYS_INLINE bool tare_point_decrement(uint64_t *n)
{
    return __atomic_sub_fetch(n, 1, __ATOMIC_RELAXED) == 0;
}

/* Between reserving and storing stands the reading alone. A signal handler there may have gone on to another segment, so that what was reserved behind the
 * room of the old one seems to fit: so much stays free behind the room of each. */
TARE_ALWAYS_INLINE bool tare_point_put_as(uint64_t id, bool fast, bool has_value, uint64_t value)
{
    uint32_t cpu;
    const uintptr_t at = __atomic_fetch_add(&tare_trace_thread.cursor, has_value ? 16 : 8, __ATOMIC_RELAXED);
    const uint64_t word = (fast ? tare_point_ticks_fast() : tare_point_ticks(&cpu)) << 16 | id;
    if (__builtin_expect(at >= __atomic_load_n(&tare_trace_thread.room, __ATOMIC_RELAXED), 0))
        return false;
    __atomic_store_n((uint64_t *)at, word, __ATOMIC_RELAXED);
    if (has_value)
        __atomic_store_n((uint64_t *)(at + 8), value, __ATOMIC_RELAXED);
    return true;
}

TARE_ALWAYS_INLINE bool tare_point_put(uint64_t id)
{
    return tare_point_put_as(id, false, false, 0);
}

TARE_ALWAYS_INLINE bool tare_point_put_value(uint64_t id, uint64_t value)
{
    return tare_point_put_as(id, false, true, value);
}

TARE_ALWAYS_INLINE bool tare_point_put_fast(uint64_t id)
{
    return tare_point_put_as(id, true, false, 0);
}

TARE_ALWAYS_INLINE bool tare_point_put_fast_value(uint64_t id, uint64_t value)
{
    return tare_point_put_as(id, true, true, value);
}

#endif

/* ---- what is not done in line: by a function of the object file, so that a pass finds its thread as the compiler was told ---- */

/* False: libtare has to do it. A signal handler that passes points in between may give the place to another arc, so the cell is read before the
 * arc is compared; each pass is counted once, whichever frame comes first. */
TARE_ALWAYS_INLINE bool tare_point_count(struct tare_trace_chain *chain, uint32_t to)
{
    const uint32_t from = __atomic_load_n(&chain->last, __ATOMIC_RELAXED);
    struct tare_trace_place *place = &chain->counts[tare_trace_place_of(from, to)];
    void *const cell = __atomic_load_n(&place->cell, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(place->arc != (TARE_AS(uint64_t, from) << 32 | to), 0))
        return false;
    __atomic_store_n(&chain->last, to, __ATOMIC_RELAXED);
    tare_point_increment(TARE_AT(uint64_t, cell) + 1);
    if (__builtin_expect(tare_point_decrement(&chain->left), 0))
        tare_point_window();
    return true;
}

#ifdef __cplusplus
#define TARE_OF_OBJECT inline __attribute__((noinline, cold, visibility("hidden")))
#else
#define TARE_OF_OBJECT static __attribute__((noinline, cold, unused))
#endif

/* What is written more than once, or unordered because the run asks for it, as points in line do; else by libtare. */
TARE_OF_OBJECT void tare_point_again(struct tare_point *p, uint32_t word, bool has_value, uint64_t value)
{
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    const bool ordered = p->order == TARE_ORDERED && word == tare_trace_thread.again_word;
    const bool fast = p->order != TARE_PRECISE && word == tare_trace_thread.again_fast_word;
    uint32_t left = tare_trace_thread.repeat; /* 0: this thread is new, and has no room */
    for (bool fits = id && (ordered || fast); fits;) {
        if (ordered && tare_trace_thread.fenced)
            tare_point_fence();
        if (ordered && !tare_trace_thread.fenced)
            fits = has_value ? tare_point_put_value(id, value) : tare_point_put(id);
        else
            fits = has_value ? tare_point_put_fast_value(id, value) : tare_point_put_fast(id);
        if (fits && --left == 0)
            return;
    }
    if (has_value)
        tare_point_other_value(p, value, left);
    else
        tare_point_other(p, left);
}

/* False: it is neither counted nor added up. */
TARE_ALWAYS_INLINE bool tare_point_taken(struct tare_point *p, uint32_t word)
{
    struct tare_trace_chain *const chain = tare_trace_thread.own;
    if (chain && word == tare_trace_thread.count_word)
        return tare_point_count(chain, p->number);
    if (!chain || word != tare_trace_thread.add_word)
        return false;
    tare_point_add(chain, p);
    return true;
}

TARE_OF_OBJECT void tare_point_away(struct tare_point *p, uint32_t word)
{
    if (!tare_point_taken(p, word))
        tare_point_again(p, word, false, 0);
}

TARE_OF_OBJECT void tare_point_away_value(struct tare_point *p, uint32_t word, uint64_t value)
{
    if (!tare_point_taken(p, word))
        tare_point_again(p, word, true, value);
}

/* ---- in line ---- */

TARE_ALWAYS_INLINE void tare_point_pass(struct tare_point *p, unsigned group)
{
    const uint32_t word = tare_trace_word(group);
    if (tare_trace_off(word))
        return;
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    if (word != tare_trace_thread.word || !id || !tare_point_put(id))
        tare_point_away(p, word);
}

TARE_ALWAYS_INLINE void tare_point_pass_value(struct tare_point *p, unsigned group, uint64_t value)
{
    const uint32_t word = tare_trace_word(group);
    if (tare_trace_off(word))
        return;
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    if (word != tare_trace_thread.word || !id || !tare_point_put_value(id, value))
        tare_point_away_value(p, word, value);
}

TARE_ALWAYS_INLINE void tare_point_pass_fast(struct tare_point *p, unsigned group)
{
    const uint32_t word = tare_trace_word(group);
    if (tare_trace_off(word))
        return;
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    if (word != tare_trace_thread.fast_word || !id || !tare_point_put_fast(id))
        tare_point_away(p, word);
}

TARE_ALWAYS_INLINE void tare_point_pass_precise(struct tare_point *p, unsigned group)
{
    const uint32_t word = tare_trace_word(group);
    if (!tare_trace_off(word))
        tare_point_away(p, word);
}

#else

TARE_ALWAYS_INLINE void tare_point_pass(struct tare_point *p, unsigned group)
{
    if (!tare_trace_off(tare_trace_word(group)))
        tare_point_other(p, 0);
}

TARE_ALWAYS_INLINE void tare_point_pass_value(struct tare_point *p, unsigned group, uint64_t value)
{
    if (!tare_trace_off(tare_trace_word(group)))
        tare_point_other_value(p, value, 0);
}

#define tare_point_pass_fast    tare_point_pass
#define tare_point_pass_precise tare_point_pass

#endif

/* Where the processor has no multiplication that we know of, its compiler has. */
#if defined(__x86_64__)
#define TARE_POINT_LINKS(x) __asm__ __volatile__(".rept 16\n\timulq %0, %0\n\t.endr" : "+r"(x) : : "cc")
#elif defined(__aarch64__)
#define TARE_POINT_LINKS(x) __asm__ __volatile__(".rept 16\n\tmul %0, %0, %0\n\t.endr" : "+r"(x))
#else
#define TARE_POINT_LINKS(x) ((x) *= (x), (x) *= (x), (x) *= (x), (x) *= (x))
#endif

/* As little as can be stands between the pass and the chain. Four passes behind one another, as in a program whose points are different ones: a jump back
 * behind each reading costs a cycle or three more. passes: a multiple of 4. links below 0: so many, and the passes one by one in a loop. */
#define TARE_POINT_CHAIN                   \
    do {                                   \
        left = links < 0 ? -links : links; \
        do                                 \
            TARE_POINT_LINKS(x);           \
        while (--left > 0);                \
    } while (0)
#define TARE_POINT_ROW(pass)                                              \
    do {                                                                  \
        for (int tare_i = 0; tare_i < passes && !links; tare_i += 4) {    \
            pass(p, group);                                               \
            pass(p, group);                                               \
            pass(p, group);                                               \
            pass(p, group);                                               \
        }                                                                 \
        for (int tare_i = 0; tare_i < passes && links > 0; tare_i += 4) { \
            pass(p, group);                                               \
            TARE_POINT_CHAIN;                                             \
            pass(p, group);                                               \
            TARE_POINT_CHAIN;                                             \
            pass(p, group);                                               \
            TARE_POINT_CHAIN;                                             \
            pass(p, group);                                               \
            TARE_POINT_CHAIN;                                             \
        }                                                                 \
        for (int tare_i = 0; tare_i < passes && links < 0; tare_i++) {    \
            pass(p, group);                                               \
            TARE_POINT_CHAIN;                                             \
        }                                                                 \
    } while (0)

TARE_ALWAYS_INLINE uint64_t tare_point_bits(double value)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

enum { TARE_KIND_POINT = 1, TARE_KIND_BEGIN, TARE_KIND_END, TARE_KIND_COUNTER };
enum { TARE_VALUE_NONE, TARE_VALUE_U64, TARE_VALUE_F64, TARE_VALUE_I64 };

#define TARE_JOIN(a, b)     TARE_JOIN_NOW(a, b)
#define TARE_JOIN_NOW(a, b) a##b
#define TARE_GROUP_NOW      (TARE_AS(unsigned, TARE_GROUP) % TARE_GROUPS)

#ifdef __cplusplus
}
#endif

#ifdef TARE_POINTS_OFF

/* Checked, not evaluated: no code. */
#define TARE_CHECKED(type, value) ((void)sizeof((type)(value)))
#define TARE_TITLE(title)         ((void)sizeof("" title))

#define TARE_POINT()                       ((void)0)
#define TARE_POINT_NAMED(title)            TARE_TITLE(title)
#define TARE_POINT_VALUE(title, value)     (TARE_TITLE(title), TARE_CHECKED(uint64_t, value))
#define TARE_POINT_VALUE_I64(title, value) (TARE_TITLE(title), TARE_CHECKED(int64_t, value))
#define TARE_POINT_VALUE_F64(title, value) (TARE_TITLE(title), TARE_CHECKED(double, value))
#define TARE_POINT_FAST()                  ((void)0)
#define TARE_POINT_FAST_NAMED(title)       TARE_TITLE(title)
#define TARE_POINT_PRECISE()               ((void)0)
#define TARE_POINT_PRECISE_NAMED(title)    TARE_TITLE(title)
#define TARE_SCOPE(title)                  TARE_TITLE(title)
#define TARE_SCOPE_BEGIN(title)            TARE_TITLE(title)
#define TARE_SCOPE_END(title)              TARE_TITLE(title)
#define TARE_COUNTER(title, value)         (TARE_TITLE(title), TARE_CHECKED(int64_t, value))
#define TARE_COUNTER_F64(title, value)     (TARE_TITLE(title), TARE_CHECKED(double, value))
#define TARE_ITERATION(index)              TARE_CHECKED(uint64_t, index)
#define TARE_BREAK()                       ((void)0)

#define tare_lane(lane)                ((void)sizeof(lane))
#define tare_mark(text)                ((void)sizeof(*(text)))
#define tare_trace_thread_name(name)   ((void)sizeof(*(name)))
#define tare_trace_modes(groups, mode) ((void)sizeof((groups) + (uint32_t)(mode)))
#define tare_trace_start(options, err) ((void)sizeof((options)->folder), (void)sizeof(err), TARE_UNSUPPORTED)
#define tare_trace_stop()              ((void)0)
#define tare_trace_flush()             ((void)0)

#else

#ifdef __cplusplus
inline
    __attribute__((visibility("hidden")))
#else
static
    __attribute__((unused))
#endif
    void
    tare_point_row_here(struct tare_point *p, int passes, int links)
{
    const unsigned group = p->group;
    uint64_t x = 3;
    int left;
    if (p->order == TARE_FAST)
        TARE_POINT_ROW(tare_point_pass_fast);
    else
        TARE_POINT_ROW(tare_point_pass);
}

__attribute__((unused)) static char tare_point_unit;

#define TARE_POINT()                   TARE_PASS(NULL, TARE_KIND_POINT, TARE_ORDERED, tare_point_pass)
#define TARE_POINT_NAMED(title)        TARE_PASS("" title, TARE_KIND_POINT, TARE_ORDERED, tare_point_pass)
#define TARE_POINT_VALUE(title, value) TARE_PASS_VALUE("" title, TARE_KIND_POINT, TARE_VALUE_U64, TARE_AS(uint64_t, value))
#define TARE_POINT_VALUE_I64(title, value) \
    TARE_PASS_VALUE("" title, TARE_KIND_POINT, TARE_VALUE_I64, TARE_AS(uint64_t, TARE_AS(int64_t, value)))
#define TARE_POINT_VALUE_F64(title, value) TARE_PASS_VALUE("" title, TARE_KIND_POINT, TARE_VALUE_F64, tare_point_bits(value))
#define TARE_POINT_FAST()                  TARE_PASS(NULL, TARE_KIND_POINT, TARE_FAST, tare_point_pass_fast)
#define TARE_POINT_FAST_NAMED(title)       TARE_PASS("" title, TARE_KIND_POINT, TARE_FAST, tare_point_pass_fast)
#define TARE_POINT_PRECISE()               TARE_PASS(NULL, TARE_KIND_POINT, TARE_PRECISE, tare_point_pass_precise)
#define TARE_POINT_PRECISE_NAMED(title)    TARE_PASS("" title, TARE_KIND_POINT, TARE_PRECISE, tare_point_pass_precise)
#define TARE_SCOPE(title)                  TARE_SCOPE_AS("" title, __COUNTER__)
#define TARE_SCOPE_BEGIN(title)            TARE_PASS("" title, TARE_KIND_BEGIN, TARE_ORDERED, tare_point_pass)
#define TARE_SCOPE_END(title)              TARE_PASS("" title, TARE_KIND_END, TARE_ORDERED, tare_point_pass)
#define TARE_COUNTER(title, value) \
    TARE_PASS_VALUE("" title, TARE_KIND_COUNTER, TARE_VALUE_I64, TARE_AS(uint64_t, TARE_AS(int64_t, value)))
#define TARE_COUNTER_F64(title, value) TARE_PASS_VALUE("" title, TARE_KIND_COUNTER, TARE_VALUE_F64, tare_point_bits(value))
#define TARE_ITERATION(index) \
    tare_point_pass_value(&tare_point_iterations[TARE_GROUP_NOW], TARE_GROUP_NOW, TARE_AS(uint64_t, index))
#define TARE_BREAK() (tare_trace_off(tare_trace_word(TARE_GROUP_NOW)) ? (void)0 : tare_point_break())

#ifdef __cplusplus
#include <tare/point_cxx.hpp>
#else

/* The points of a program or shared object are found by a section of pointers to them, so those that are never passed are known too. */
#ifdef __ELF__
#if defined(__has_attribute)
#if __has_attribute(retain)
#define TARE_POINT_ENTRY __attribute__((section("tare_points"), used, retain))
#endif
#endif
#ifndef TARE_POINT_ENTRY
#define TARE_POINT_ENTRY __attribute__((section("tare_points"), used))
#endif

extern struct tare_point *__start_tare_points[] __attribute__((weak, visibility("hidden")));
extern struct tare_point *__stop_tare_points[] __attribute__((weak, visibility("hidden")));
#ifndef TARE_POINTS_LIBRARY
void tare_points_enter(struct tare_point **first, struct tare_point **end) __attribute__((weak));
void tare_points_leave(struct tare_point **first) __attribute__((weak));

__attribute__((constructor(200))) static void tare_points_here(void)
{
    if (tare_points_enter && &__start_tare_points[0] != &__stop_tare_points[0])
        tare_points_enter(__start_tare_points, __stop_tare_points);
}

__attribute__((destructor(200))) static void tare_points_no_more(void)
{
    if (tare_points_leave && &__start_tare_points[0] != &__stop_tare_points[0])
        tare_points_leave(__start_tare_points);
}
#endif
#else
#define TARE_POINT_ENTRY __attribute__((unused))
#endif

#define TARE_POINT_INIT(title, kind, value, order, partner, count)                                                         \
    {                                                                                                                      \
        0, 0, __FILE__, __func__, title, __LINE__, kind, value, TARE_GROUP_NOW, order, partner, NULL, tare_point_row_here, \
            &tare_point_unit, count                                                                                        \
    }
#define TARE_POINT_HERE(title, kind, value, order)                                                      \
    static struct tare_point tare_here = TARE_POINT_INIT(title, kind, value, order, NULL, __COUNTER__); \
    static struct tare_point *tare_here_entry TARE_POINT_ENTRY = &tare_here

#define TARE_PASS(title, kind, order, pass)                   \
    do {                                                      \
        TARE_POINT_HERE(title, kind, TARE_VALUE_NONE, order); \
        pass(&tare_here, TARE_GROUP_NOW);                     \
    } while (0)
#define TARE_PASS_VALUE(title, kind, type, value)                 \
    do {                                                          \
        TARE_POINT_HERE(title, kind, type, TARE_ORDERED);         \
        tare_point_pass_value(&tare_here, TARE_GROUP_NOW, value); \
    } while (0)

struct tare_scope {
    struct tare_point *end;
    unsigned group;
};
TARE_ALWAYS_INLINE void tare_scope_leave(struct tare_scope *scope)
{
    tare_point_pass(scope->end, scope->group);
}
/* One declaration, so that it cannot stand behind an `if` without braces; its first word is the one that compilers then complain of. */
typedef struct tare_scope TARE_SCOPE_needs_braces_around_it;
#define TARE_SCOPE_AS(title, number)                                                                                        \
    TARE_SCOPE_needs_braces_around_it TARE_JOIN(tare_scope_, number) __attribute__((cleanup(tare_scope_leave), unused)) = { \
        __extension__({                                                                                                     \
            static struct tare_point tare_ends[2] = {                                                                       \
                TARE_POINT_INIT(title, TARE_KIND_BEGIN, TARE_VALUE_NONE, TARE_ORDERED, &tare_ends[1], number),              \
                TARE_POINT_INIT(title, TARE_KIND_END, TARE_VALUE_NONE, TARE_ORDERED, &tare_ends[0], number)};               \
            static struct tare_point *tare_entries[2] TARE_POINT_ENTRY = {&tare_ends[0], &tare_ends[1]};                    \
            tare_point_pass(&tare_ends[0], TARE_GROUP_NOW);                                                                 \
            &tare_ends[1];                                                                                                  \
        }),                                                                                                                 \
        TARE_GROUP_NOW}

#endif
#endif
#endif
