/* SPDX-License-Identifier: MIT
 *
 * tare/detail/point_hit.h - what one hit of a point does, shared with libtare; a part of tare/point.h, which includes it. Nothing here is for programs.
 * These structs are shared by the object files of programs and by libtare: their layout is part of the ABI (docs/abi.md).
 */
#ifndef TARE_DETAIL_POINT_HIT_H
#define TARE_DETAIL_POINT_HIT_H

#include <stdbool.h>
#include <stdint.h>
#include <tare/ticks.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tare_point_order { TARE_ORDERED, TARE_FAST, TARE_PRECISE };

enum { TARE_GROUPS = 32 };

struct tare_point;
/* So many passes of p by the code that points of this object file have, each with `links` times a chain of steps behind it that wait for each
 * other. By it libtare measures the overhead of a pass as the program's compiler and its options made it. */
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
    const char *unit;    /* its own address in each object file; the name of the source file that this is of. NULL: not known */
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
    uint32_t
        slot; /* Windows: in which of its slots a thread has its tare_trace_thread; from before the first of words that is not 0 */
    unsigned char rest[TARE_TRACE_PAGE - 4 * TARE_GROUPS - 4];
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
 * clock unordered. By tare_point_slow: where count_word is, it may count arcs that have a place; where add_word is, it calls tare_point_add; where
 * again_word and again_fast_word are, it may write as above, each pass `repeat` times; with `fenced`, where the processor has no rdtscp, by lfence and rdtsc. */
struct tare_trace_thread {
    uint32_t word, fast_word, count_word, add_word;
    uint32_t repeat, cpu;
    uintptr_t cursor, room;       /* a word and its value fit at `at` when at < room */
    struct tare_trace_chain *own; /* NULL: it has nothing yet */
    uint32_t again_word, again_fast_word;
    bool fenced;
};
#ifdef _WIN32
/* A DLL cannot export memory of threads, and gcc makes calls of it. So each thread has a pointer in a slot of the system's: a hit takes it from there once, into
 * tare_self, which the functions below hand on. */
#define TARE_TRACE_SELF      (*tare_self)
#define TARE_SELF_FIND(word) struct tare_trace_thread *const tare_self = (word) ? tare_trace_self() : 0
#define TARE_SELF_KNOWN      tare_self
#define TARE_SELF_TAKEN      struct tare_trace_thread *const tare_self,
#define TARE_SELF_GIVEN      tare_self,
#else
#define TARE_TRACE_SELF      tare_trace_thread
#define TARE_SELF_FIND(word) (void)0
#define TARE_SELF_KNOWN      true
#define TARE_SELF_TAKEN
#define TARE_SELF_GIVEN
/* Shared objects may be loaded at any time, so their way to a thread's memory is the general one. */
#if defined(__PIC__) && !defined(__PIE__) && !defined(TARE_POINTS_INITIAL_EXEC)
extern __thread struct tare_trace_thread tare_trace_thread;
#else
extern __thread struct tare_trace_thread tare_trace_thread __attribute__((__tls_model__("initial-exec")));
#endif
#endif

/* A point may stand in a handler of signals, whose stack the loader's search for a function would take half of.
 * Programs that clang compiles, which has no such attribute, are spared it by -Wl,-z,now or libtare.a. */
#if defined(__x86_64__) && defined(__ELF__) && defined(__has_attribute)
#if __has_attribute(__noplt__)
#define TARE_BOUND __attribute__((__noplt__))
#endif
#endif
#ifndef TARE_BOUND
#define TARE_BOUND
#endif

/* All that cannot be done in line. left: of the words that this pass writes; 0: all. */
TARE_BOUND void tare_point_other(struct tare_point *p, uint32_t left);
TARE_BOUND void tare_point_other_value(struct tare_point *p, uint64_t value, uint32_t left);
TARE_BOUND void tare_point_moved(uint32_t cpu);
/* The thread is not on the CPU that its words say: it has migrated. */
TARE_BOUND void tare_point_migrated(void);
/* A pass that is counted already and brings `left` to 0: from here on passes are written. */
TARE_BOUND void tare_point_window(void);
/* A pass of this thread, whose chain is not NULL, that is added up. */
TARE_BOUND void tare_point_add(struct tare_trace_chain *chain, struct tare_point *p);
/* Those of a program or shared object. Called by its constructors and destructors. */
void tare_points_enter(struct tare_point **first, struct tare_point **end);
void tare_points_leave(struct tare_point **first);
/* One by one, for C++; those of a list go together. function of such a point is the name of a member of a type in it. */
void tare_points_add(struct tare_point *p);
void tare_points_remove(struct tare_point *first);

void tare_point_break(void);
extern struct tare_point tare_point_iterations[TARE_GROUPS]; /* write CONTROL_ITERATION, each in its group */

#define TARE_ALWAYS_INLINE static inline __attribute__((__always_inline__))

#ifdef _WIN32
#define TARE_HIDDEN /* nothing is exported there unless it is said */
#else
#define TARE_HIDDEN __attribute__((__visibility__("hidden")))
#endif

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

#ifdef _WIN32
/* The first 64 slots are in the thread's environment block, at this place in all versions (Go's programs use them too). NULL: it has hit no point yet. */
TARE_ALWAYS_INLINE struct tare_trace_thread *tare_trace_self(void)
{
    struct tare_trace_thread *self;
    const uint64_t slot = __atomic_load_n(&tare_trace_control.slot, __ATOMIC_RELAXED);
    __asm__ __volatile__("movq %%gs:0x1480(,%1,8), %0" : "=r"(self) : "r"(slot));
    return self;
}
#endif

#if defined(__x86_64__)
#include <tare/detail/point_x86_64.h>
#else
#include <tare/detail/point_aarch64.h>
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
#define TARE_OF_OBJECT TARE_HIDDEN inline __attribute__((__noinline__, __cold__))
#else
#define TARE_OF_OBJECT static __attribute__((__noinline__, __cold__, __unused__))
#endif

/* What is written more than once, or unordered because the run asks for it, as points in line do; else by libtare. */
TARE_OF_OBJECT void tare_point_again(struct tare_point *p, uint32_t word, bool has_value, uint64_t value)
{
    TARE_SELF_FIND(word);
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    const bool ordered = p->order == TARE_ORDERED && word == TARE_TRACE_SELF.again_word;
    const bool fast = p->order != TARE_PRECISE && word == TARE_TRACE_SELF.again_fast_word;
    uint32_t left = TARE_TRACE_SELF.repeat; /* 0: this thread is new, and has no room */
    for (bool fits = id && (ordered || fast); fits;) {
        if (ordered && TARE_TRACE_SELF.fenced)
            tare_point_fence();
        if (ordered && !TARE_TRACE_SELF.fenced)
            fits = has_value ? tare_point_put_value(TARE_SELF_GIVEN id, value) : tare_point_put(TARE_SELF_GIVEN id);
        else
            fits = has_value ? tare_point_put_fast_value(TARE_SELF_GIVEN id, value) : tare_point_put_fast(TARE_SELF_GIVEN id);
        if (fits && --left == 0)
            return;
    }
    if (has_value)
        tare_point_other_value(p, value, left);
    else
        tare_point_other(p, left);
}

/* False: it is neither counted nor added up. */
TARE_ALWAYS_INLINE bool tare_point_taken(TARE_SELF_TAKEN struct tare_point *p, uint32_t word)
{
    struct tare_trace_chain *const chain = TARE_TRACE_SELF.own;
    if (chain && word == TARE_TRACE_SELF.count_word)
        return tare_point_count(chain, p->number);
    if (!chain || word != TARE_TRACE_SELF.add_word)
        return false;
    tare_point_add(chain, p);
    return true;
}

TARE_OF_OBJECT void tare_point_slow(struct tare_point *p, uint32_t word)
{
    TARE_SELF_FIND(word);
    if (!TARE_SELF_KNOWN)
        tare_point_other(p, 0);
    else if (!tare_point_taken(TARE_SELF_GIVEN p, word))
        tare_point_again(p, word, false, 0);
}

TARE_OF_OBJECT void tare_point_slow_value(struct tare_point *p, uint32_t word, uint64_t value)
{
    TARE_SELF_FIND(word);
    if (!TARE_SELF_KNOWN)
        tare_point_other_value(p, value, 0);
    else if (!tare_point_taken(TARE_SELF_GIVEN p, word))
        tare_point_again(p, word, true, value);
}

/* ---- in line ---- */

TARE_ALWAYS_INLINE void tare_point_pass(struct tare_point *p, unsigned group)
{
    const uint32_t word = tare_trace_word(group);
    if (tare_trace_off(word))
        return;
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    TARE_SELF_FIND(word);
    if (!TARE_SELF_KNOWN || word != TARE_TRACE_SELF.word || !id || !tare_point_put(TARE_SELF_GIVEN id))
        tare_point_slow(p, word);
}

TARE_ALWAYS_INLINE void tare_point_pass_value(struct tare_point *p, unsigned group, uint64_t value)
{
    const uint32_t word = tare_trace_word(group);
    if (tare_trace_off(word))
        return;
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    TARE_SELF_FIND(word);
    if (!TARE_SELF_KNOWN || word != TARE_TRACE_SELF.word || !id || !tare_point_put_value(TARE_SELF_GIVEN id, value))
        tare_point_slow_value(p, word, value);
}

TARE_ALWAYS_INLINE void tare_point_pass_fast(struct tare_point *p, unsigned group)
{
    const uint32_t word = tare_trace_word(group);
    if (tare_trace_off(word))
        return;
    const uint64_t id = __atomic_load_n(&p->id, __ATOMIC_RELAXED);
    TARE_SELF_FIND(word);
    if (!TARE_SELF_KNOWN || word != TARE_TRACE_SELF.fast_word || !id || !tare_point_put_fast(TARE_SELF_GIVEN id))
        tare_point_slow(p, word);
}

TARE_ALWAYS_INLINE void tare_point_pass_precise(struct tare_point *p, unsigned group)
{
    const uint32_t word = tare_trace_word(group);
    if (!tare_trace_off(word))
        tare_point_slow(p, word);
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

#ifndef TARE_POINTS_OFF
#ifdef __cplusplus
inline TARE_HIDDEN
#else
static
    __attribute__((__unused__))
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

__attribute__((__unused__)) static char tare_point_unit[] = __BASE_FILE__;
#endif
#endif
