/* SPDX-License-Identifier: MIT
 *
 * point_state.h - what the files of control points share: the traced process, its threads, and how words get into the file.
 *
 * Who may touch what. A thread's struct tare_trace_thread and struct point_thread belong to the thread and to handlers that interrupt it; what is
 * more than one word long is changed only with signals off (plat_quiet_begin). The process and the list of points are changed under the
 * lock, which is taken only with signals off, so nobody waits for a frame beneath himself. The lock lies on the page that a forked
 * child finds empty.
 * Nothing here uses the heap. Everything may run in a signal handler and in a forked child.
 */
#ifndef POINT_STATE_H
#define POINT_STATE_H

#define TARE_POINTS_LIBRARY
#include "clocks.h"
#include "plat_trace.h"
#include "rng.h"
#include "trace_format.h"
#include "trace_request.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <tare/point.h>

/* ---- the process ---- */

/* What tare_trace_control has behind its words; zero in a forked child. */
struct point_shared {
    _Atomic uint32_t lock;
    _Atomic uint32_t instance; /* of this process' tracing; 0: nothing is decided yet */
    _Atomic uint32_t epoch;    /* of the modes */
    _Atomic uint32_t full;     /* there is no more room */
};

struct point_process {
    struct trace_request request;
    bool asked;              /* the request is there */
    bool counter;            /* the processor's counter is read; else the system's clock */
    enum tare_ticks_way way; /* how points may do so by themselves */
    bool has_fast;           /* some point reads it unordered */
    struct clock_counter clock;
    double step; /* of what passes read, ticks: of the system's clock no less than it is */
    struct plat_window window;
    struct trace_head *head; /* NULL: no file */
    uint32_t instances;      /* so far, those of parents included */
    uint32_t epochs;
    uint32_t left; /* how often points of a program or shared object were unloaded; lock held */
    uint8_t modes[TRACE_GROUPS];
};
extern struct point_process point_process;

struct point_shared *point_shared(void);
/* For point_thread_here, which each pass calls. */
static inline struct point_shared *point_shared_here(void)
{
    return (struct point_shared *)tare_trace_control.rest;
}
void point_decide(void); /* asks, once in each process, whether anybody traces; signals are off */
/* Begins by the program's own wish; signals are off. False: it is traced already. *error: the system's, when the file cannot be made. */
bool point_start(const struct trace_request *q, int *error);
void point_modes_set(void); /* tells all threads of point_process.modes; lock held */
void point_lock(void);      /* signals are off */
void point_unlock(void);

/* ---- words of the groups ---- */

enum { POINT_CONTROL = 1 << 30 }; /* number of what is no point, but passes as one: its id is a control word's */
#define POINT_NEVER UINT32_MAX    /* no group's word */

/* From no point to the first: its place is another, so none at place 0 is ever taken for the one from no point to one without a number. */
#define POINT_NO_ARC UINT64_C(1)

/* epoch in bits 3 to 30, mode below; negative: off. */
static inline uint32_t point_word_of(uint32_t epoch, enum trace_mode mode)
{
    return mode == TRACE_OFF ? UINT32_C(1) << 31 : (epoch & 0xfffffff) << 3 | (uint32_t)mode;
}

static inline enum trace_mode point_mode_of(uint32_t word)
{
    return (enum trace_mode)(word & 7);
}

/* ---- cells: arcs added up by one thread, in segments of the file, and an index in memory that finds them ---- */

struct point_place {
    uint64_t key; /* 0: free */
    void *cell;
};

struct point_cells {
    struct point_place *places; /* a power of two, at most three quarters used */
    uint32_t size, used;
    uint64_t last_key;
    void *last_cell;
    struct trace_segment *segment; /* the newest */
    unsigned char *next, *end;     /* in it */
    uint32_t units;                /* of the next one */
    uint64_t sequence;
    uint32_t thread, tid;
};

/* That of the arc; a new one is empty but for its ends, and stays where it is as long as the file is mapped. NULL: there is no room. One thread; never
 * from two frames of it at once. */
void *point_cell(struct point_cells *c, enum trace_kind kind, uint32_t from, uint32_t to);
void point_cells_free(struct point_cells *c);

/* ---- threads ---- */

/* A pass of a signal handler that interrupts the adding of another one. */
enum { POINT_WAITING = 64, POINT_SCRATCH = 320 };
struct point_waiting {
    uint32_t to;
    uint64_t now; /* 0: it is only counted */
};

struct point_thread {
    struct tare_trace_chain chain; /* the first: tare_trace_thread.own is its address */
    uint32_t instance;             /* of the process' tracing that all of this belongs to */
    uint32_t epoch;                /* of the modes that this thread has seen */
    uint32_t number, tid;
    char name[16];
    struct point_thread *next_free;

    /* the overhead of a hit */
    tare_point_row *row;      /* of the point whose pass libtare has in hand; NULL: of none */
    tare_point_row *last_row; /* of the one before; the code is there as long as point_process.left is last_left */
    uint32_t last_left;
    union {
        uint64_t words[POINT_SCRATCH];
        struct trace_arc arc;
    } scratch;

    /* words */
    struct trace_segment *segment, *left_before;
    uint64_t sequence; /* of the next segment */
    uintptr_t end;     /* of the segment */
    uint32_t units;    /* of the next one */
    uint64_t written;  /* bytes of all segments left */
    uint64_t lane;

    /* arcs that are added up */
    struct point_cells arcs, counts;
    struct tare_trace_place places[TARE_TRACE_PLACES]; /* of arcs, as chain.counts */
    uint64_t last_tick;  /* of chain.last, if timed_left is chain.left: else that was counted since, */
    uint64_t timed_left; /* and nobody read the clock */
    uint32_t home_point; /* the same of the thread's own lane, while it works on another */
    bool home_timed;
    uint64_t home_tick;
    uint32_t until_row;   /* passes until the next row */
    volatile bool taking; /* one is in hand */
    uintptr_t waiting_given, waiting_taken;
    struct point_waiting waiting[POINT_WAITING];

    /* bursts */
    bool burst_begun;
    uint32_t burst_left; /* passes; until the next window: chain.left */
    struct rng random;
};

static inline struct point_thread *point_own(const struct tare_trace_thread *t)
{
    return t ? (struct point_thread *)t->own : NULL;
}

/* chain.last was timed, and last_tick is its tick; else it was counted. */
static inline bool point_timed(const struct point_thread *own)
{
    return own->timed_left == own->chain.left;
}
static inline void point_set_timed(struct point_thread *own, bool timed)
{
    own->timed_left = timed ? own->chain.left : UINT64_MAX;
}

/* Makes what the thread has fit this process: its own struct, its number. NULL: nobody traces, or there is no memory. */
struct point_thread *point_thread_here(struct tare_trace_thread *t);
/* Draws how many passes are counted until the next window, and lets points count them in line. */
void point_burst_gap(struct tare_trace_thread *t, struct point_thread *own);
uint64_t point_ticks(void);
/* What belongs to the thread belongs to this process, which is traced. */
bool point_is_here(const struct point_thread *own);
int point_group_in(enum trace_mode mode); /* one that is; -1: none */
bool point_writes(void);                  /* some group's passes are written down */

static inline uint64_t point_arc(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

/* By one instruction, where the processor has one, or an uninterrupted sequence: handlers come before it or after it. */
static inline uintptr_t point_fetch_add(uintptr_t *at, uintptr_t n)
{
#if defined(__x86_64__)
    __asm__ __volatile__("xaddq %0, %1" : "+r"(n), "+m"(*at) : : "memory", "cc");
    return n;
#else
    return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
#endif
}

#if !TARE_TICKS_INLINE || UINTPTR_MAX <= 0xffffffff /* what tare/point.h has for points in line */
static inline void tare_point_increment(uint64_t *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

static inline bool tare_point_decrement(uint64_t *n)
{
    return __atomic_sub_fetch(n, 1, __ATOMIC_RELAXED) == 0;
}

static inline void tare_point_fence(void)
{
}
#endif

/* The clock as passes read it. */
static inline uint64_t point_read(enum tare_point_order order)
{
#if TARE_TICKS_INLINE
    uint32_t cpu;
    const bool fast = order == TARE_FAST || point_process.request.order == TRACE_FAST;
    if (point_process.way == TARE_TICKS_IN_LINE && !fast)
        return tare_point_ticks(&cpu);
    if (point_process.way && !fast)
        tare_point_fence();
    if (point_process.way)
        return tare_point_ticks_fast();
#else
    (void)order;
#endif
    return point_ticks();
}

/* ---- words ---- */

/* Bytes behind the room of each segment. A pass in line reserves first and looks at the room later, which by then may be that of another segment: a signal
 * handler came in between. What it reserved behind the room of the old one then lies here. There are no more such frames than signals, of two
 * words each, and one of libtare's. */
enum { POINT_SLACK = TRACE_SLACK };

/* Room for n words (at most 130), reserved in one step; NULL: there is none. */
uint64_t *point_words_if_room(struct tare_trace_thread *t, uint32_t n);
static inline uint64_t point_word(uint64_t ticks, uint32_t id)
{
    return ticks << 16 | id;
}
/* The low 48 bits of the tick. */
static inline uint64_t point_tick_of(uint64_t word)
{
    return word >> 16;
}
static inline void point_store(uint64_t *at, uint64_t word)
{
    __atomic_store_n(at, word, __ATOMIC_RELAXED);
}
/* By libtare what else points do by themselves. False: no room. */
bool point_write_pass(struct tare_trace_thread *t, const struct tare_point *p, const uint64_t *value);
/* A control word with its data. */
void point_control(struct tare_trace_thread *t, enum trace_id id, const uint64_t *data, uint32_t n);

/* The overhead of a pass that is added up: rows of words, or sums in the head of the file where there is no room for these. Nothing where none is. Signals
 * are off. */
void point_measure_added(struct tare_trace_thread *t, struct point_thread *own);
/* By the code of points that may be unloaded after this, or at the end of the thread. */
void point_measure_last(struct tare_trace_thread *t, struct point_thread *own);

/* ---- the file ---- */

/* Opens it; signals off, lock held. 0 or the system's error; *made: there is a file all the same, an empty one. */
int point_file_create(bool *made);
/* Claims units and makes them a segment of that kind, the header filled but for `crc`, which point_segment_seal fills. NULL: no room. */
struct trace_segment *point_segment(enum trace_kind kind, uint32_t units);
void point_segment_seal(struct trace_segment *s);
void point_moment(struct trace_moment *m);
uint64_t point_offset(const void *at);
void point_file_end(enum trace_end end);

/* ---- the points ---- */

/* Gives p a number and writes what it is into the file; those that have one are left alone. Signals off, lock held. */
void point_number(struct tare_point *p);

#endif
