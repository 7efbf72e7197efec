/* SPDX-License-Identifier: MIT
 *
 * trace_format.h - the file that a traced process leaves: its points, and when each thread passed them. Written by libtare through a
 * shared mapping, so that what was stored is in the file however the process ends; read by src/trace, which trusts nothing in it.
 *
 *     units of 16 KiB          | head + point table | EVENTS of thread 0 | EVENTS of thread 1 ... | ARCS | EVENTS of thread 0 | ...
 *     unit 0 is the head; then segments of one or more whole units. A segment's units are claimed by adding to head.units; a process
 *     that dies in between leaves units of zeros, and so does room that was kept for tables and not needed; readers go on with the next
 *     unit that begins with TRACE_SEGMENT_MAGIC. An empty file: a process that found no room for even a head.
 *
 * Words. The body of an EVENTS segment is a sequence of words of 8 bytes, of one thread, in the order in which they were reserved:
 *     bits 0 to 15 id | bits 16 to 63 the low 48 bits of the tick
 *     id 0             never written: a word of zero is one that was reserved and not stored (the process died, or a signal handler is
 *                      in between); passed over
 *     id 1 .. 65279    a point; as many data words follow as its descriptor says (0 or 1)
 *     id from 65280    control words, below; how many data words follow is seen from the id, known or not
 * Data words hold anything, zero included, and are reserved in one step with their word, never over the end of a segment. The
 * word is stored before its data.
 * Each word with a tick costs a reading of the clock, so each of CONTROL_ITERATION, CONTROL_LANE, CONTROL_GAP (what it spans is taken off besides), marks, names of
 * threads and counters (TRACE_COUNTER) puts the weight of one more probe into the arc that it stands in; readers count them, to take it off.
 * Ticks go up within a thread but for signal handlers: a handler's words may stand between a word's reserving and its reading of the
 * clock, so that a word's tick lies before that of the word in front of it. Such a run of words is an arc path of its own.
 * The whole 64 bits: from the segment's clock reading on, as the nearest value with those low 48 bits.
 *
 * An arc goes from a point to the next point of the same lane. A lane is a chain of points: each thread is one (lane 0 of that thread);
 * CONTROL_LANE switches to a lane that belongs to no thread, until the next CONTROL_LANE. CONTROL_BREAK: the next point begins a chain.
 *
 * Little endian. Numbers that more than one thread writes are written by atomic operations. To add a field: at the end of its
 * struct, where there is room kept; what is missing is zero. To change one: a new TRACE_VERSION.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stdint.h>

#define TRACE_MAGIC "tareTRC\n" /* 8 bytes, no zero */

enum {
    TRACE_VERSION = 1,
    TRACE_UNIT = 16384,
    TRACE_TABLE_AT = 4096, /* where in unit 0 the point table begins; it goes on in POINTS segments */
    TRACE_CELL = 64,       /* bytes: descriptors begin at multiples of it */
    TRACE_GROUPS = 32,
    TRACE_TEXT_MAX = 1023, /* bytes of a file, function or point name; longer ones are cut */
    TRACE_POINTS_MAX = 1 << 24,
    TRACE_SEGMENT_UNITS_MAX = 4096, /* 64 MiB */
    TRACE_SLACK = 2048,             /* bytes at the end of an EVENTS segment that passes reserve in vain */
    TRACE_WORDS_MAX = 130,          /* reserved in one step at most */
};
#define TRACE_SEGMENT_MAGIC UINT32_C(0x67655374) /* "tSeg" */
#define TRACE_POINT_MAGIC   UINT32_C(0x746e5074) /* "tPnt" */

/* ---- words ---- */

enum trace_id {
    TRACE_ID_FIRST = 1,
    TRACE_ID_LAST = 0xFEFF,
    TRACE_CONTROL = 0xFF00,  /* to 0xFF7F: no data */
    TRACE_CONTROL1 = 0xFF80, /* to 0xFFDF: 1 data word */
    TRACE_CONTROL4 = 0xFFE0, /* to 0xFFEF: 4 */
    TRACE_CONTROLN = 0xFFF0, /* to 0xFFFF: a word n, at most 128, and n words more */

    CONTROL_BREAK = TRACE_CONTROL, /* no arc from the last point of this lane to the next */
    CONTROL_WEIGH, /* one of a row, in the slow path: from one to the next is what a probe weighs in an arc with work in it. Not part of an arc */
    CONTROL_BURST,     /* a window of burst mode begins; as CONTROL_BREAK */
    CONTROL_BURST_END, /* and ends */
    CONTROL_MASKED,    /* points were switched off or on here by the program; as CONTROL_BREAK */
    CONTROL_WEIGH_FAST, /* as CONTROL_WEIGH, of points that read the clock unordered (trace_point.fast), where the process has any */
    CONTROL_WEIGH_WORD,  /* of words that are no points, where these weigh otherwise: beside passes with four stamps */
    CONTROL_WEIGH_ADDED, /* of passes that are added up, where others are written down */
    CONTROL_WEIGH_BARE,  /* as CONTROL_WEIGH, in an arc without anything in it; the others likewise, in their order */
    CONTROL_WEIGH_BARE_FAST,
    CONTROL_WEIGH_BARE_WORD,
    CONTROL_WEIGH_BARE_ADDED,
    CONTROL_NOTHING, /* room that was reserved for a pass that then was written behind this, or for its value */

    CONTROL_WEIGH_AROUND, /* as CONTROL_WEIGH: by how much the weight differs with the code around a pass */
    CONTROL_WEIGH_MOVED,  /* the same: how much of an arc its neighbour gets at most where the clock is read unordered */

    CONTROL_GAP =
        TRACE_CONTROL1, /* data: a tick, whole: from the word's own tick to that one libtare worked in the slow path; taken off */
    CONTROL_LANE,       /* data: the lane that the next points belong to; 0: the thread's own */
    CONTROL_LOST,       /* data: how many words were not kept before this one; as CONTROL_BREAK */
    CONTROL_CPU,        /* data: the CPU this thread runs on from here; where the clock tells it for nothing */
    CONTROL_WIDE, /* data: id of the point in bits 0 to 31; for ids above TRACE_ID_LAST. If that point has a value: CONTROL_WIDE_VALUE */
    CONTROL_ITERATION, /* data: the index the program gave; what follows belongs to it */
    CONTROL_SIGNAL,    /* data: signal number; by programs that say so */

    CONTROL_STAMPS =
        TRACE_CONTROL4, /* a pass with four stamps: own tick is t3; data: point id, t4, t1, t2 (whole ticks). The arc that ends
                                        here ends between t3 and t4, the next begins between t1 and t2 */
    CONTROL_WIDE_VALUE, /* data: id, value, 0, 0 */

    CONTROL_MARK = TRACE_CONTROLN, /* data: text of n words, filled with zeros */
    CONTROL_THREAD_NAME,
};

/* What a row weighs. */
enum trace_weighed { WEIGHED_POINT, WEIGHED_FAST, WEIGHED_WORD, WEIGHED_ADDED, WEIGHED_AROUND, WEIGHED_MOVED, TRACE_WEIGHED };

static inline int trace_control_words(unsigned id) /* data words behind; -1: the next word says */
{
    return id < TRACE_CONTROL1 ? 0 : id < TRACE_CONTROL4 ? 1 : id < TRACE_CONTROLN ? 4 : -1;
}

/* ---- clock ---- */

/* One moment on three clocks. width: the reading of raw lies in tick -+ half of it. */
struct trace_moment {
    uint64_t tick, raw_ns, real_ns;
    uint32_t width, zero;
};

/* ---- the head ---- */

enum trace_clock {
    TRACE_CLOCK_TSC = 1,
    TRACE_CLOCK_CNTVCT,
    TRACE_CLOCK_RAW /* CLOCK_MONOTONIC_RAW or CLOCK_MONOTONIC: ticks are ns */
};
enum trace_order { TRACE_ORDERED = 1, TRACE_FAST, TRACE_PRECISE /* four stamps each pass */ };
/* What is done at a pass; of each group. */
enum trace_mode { TRACE_OFF, TRACE_COUNT, TRACE_AGGREGATE, TRACE_TRACE, TRACE_BURST, TRACE_MODES };
/* When there is no more room: arcs are added up in the tables that exist; or words are counted as lost. */
enum trace_full { TRACE_FULL_AGGREGATE = 1, TRACE_FULL_STOP };
enum trace_end { TRACE_RUNNING, TRACE_ENDED /* exit, with destructors */, TRACE_EXECED };

struct trace_head {
    char magic[8];
    uint32_t version, head_bytes; /* sizeof(struct trace_head) of the writer */
    uint32_t unit_bytes, crc;     /* CRC-32 of what stands between `session` and `counted`, as first written */
    uint64_t session;             /* of the runner; 0: none */
    uint32_t pid, parent;
    uint64_t process_start;              /* as the kernel has it: with pid it names the process */
    uint32_t clock, order, full, repeat; /* repeat: passes written for each one made, 1; to prove the probe's weight by 2 and 3 */
    double hz, error_ppm;                /* of ticks, as known at the start; 0: not known */
    uint64_t step_ticks;
    struct trace_moment start;
    uint8_t modes[TRACE_GROUPS];
    uint64_t argc;
    char program[512], arguments[1024]; /* zero between arguments; cut */
    char reason[256];                   /* why the clock is not the processor's counter; or empty */
    uint64_t counted;                   /* zero; from here on all may change */
    uint64_t units;                     /* claimed, this one included */
    uint64_t points;                    /* descriptors reserved so far: ids 1 .. points */
    uint64_t table_bytes;               /* reserved in the table of unit 0 */
    uint64_t lost;                      /* words that were not kept */
    uint64_t threads;                   /* numbers given out */
    uint64_t full_at;                   /* tick at which room ended first; 0: never */
    uint32_t full_error, end;           /* errno of that; enum trace_end */
    struct trace_moment last;           /* at an orderly end */
    /* Of passes that are added up where there is no room for rows: how many rows there were, and the sums over them of the mean of a row, in 1/256
     * ticks: with work in the arc, and without. */
    uint64_t added_rows, added_sum, added_bare_sum;
    uint64_t unfiled;  /* forked children that could make no file (another root, user or limit), and so are not traced */
    uint64_t segments; /* whose headers are complete; counted after them. 0: an older writer */
    uint64_t filed;    /* forked children that made a file */
    uint64_t forked;   /* 1: this process is one of those */
};

/* ---- segments ---- */

enum trace_kind {
    TRACE_EVENTS = 1, /* words */
    TRACE_POINTS,     /* descriptors */
    TRACE_ARCS,       /* cells of struct trace_arc: a hash table with open addressing, of one thread */
    TRACE_COUNTS,     /* cells of struct trace_count, likewise */
};

struct trace_segment { /* 128 bytes, then the body */
    uint32_t magic, kind;
    uint32_t units, crc; /* of all before `used`, with crc as 0 */
    uint64_t sequence;   /* of this thread's segments of this kind, from 0 */
    uint32_t thread, tid;
    uint32_t cpu, last_point; /* the point before the first word here, on the thread's lane; 0: none */
    uint64_t last_tick, lane; /* of that point; the lane that is current at the first word */
    struct trace_moment moment;
    char thread_name[16];
    /* Bytes of the body: of words those that were reserved when the thread left the segment or ended, or the process did in order; of cells those that are
     * taken. What was written behind them counts too. 0: not known (the process was killed, executed another program, or ended beside this
     * thread), so zeros at the end are what was not written, or what was lost. */
    uint64_t used;
    uint64_t spare[2];
};

/* ---- points ---- */

enum trace_point_kind {
    TRACE_POINT = 1,
    TRACE_SCOPE_BEGIN,
    TRACE_SCOPE_END,
    TRACE_COUNTER, /* a value; not a point of the chain */
};
enum trace_value { TRACE_VALUE_NONE, TRACE_VALUE_U64, TRACE_VALUE_F64, TRACE_VALUE_I64 };

/* In cells of TRACE_CELL bytes: this, then file, function and name, each closed by a zero, then struct trace_origin, which older files
 * lack. Written whole but for magic, which is stored last. A reader that finds something else goes on with the next cell. */
struct trace_point {
    uint32_t magic, crc; /* of all that follows, length bytes from `length` on */
    uint32_t length, id;
    uint32_t line, partner; /* id of the other end of a scope; or 0 */
    uint8_t kind, value, group, fast;
    uint32_t module; /* number of the program or shared object, 0 the first */
};

/* Where the compiler met the point. Points of one unit, file and line are in the order of their counts; of equal count are those that the
 * compiler made several of (templates) and the two ends of a scope. What a count is means nothing elsewhere: it depends on all code before. */
struct trace_origin {
    uint32_t unit_low, unit_high; /* a number of the object file; 0: not known */
    uint32_t count;
    uint32_t
        namesake; /* the object files of source files of one name, as of several folders, by number from 1; 0 in headers, and of older writers */
};

/* ---- tables ---- */

enum { TRACE_HISTOGRAM = 392, TRACE_ARC_BYTES = 2048 };
/* Bin of a time of so many ticks: 0 to 7 themselves; then eight to the octave, up to 2^51. */
static inline int trace_bin(uint64_t ticks)
{
    if (ticks < 8)
        return (int)ticks;
    int octave = 63 - __builtin_clzll(ticks);
    if (octave > 50)
        return TRACE_HISTOGRAM - 1;
    return 8 * (octave - 2) + (int)(ticks >> (octave - 3) & 7);
}

/* The least time of a bin; of the number behind the last one where that ends. */
static inline int64_t trace_bin_low(int bin)
{
    return bin < 8 ? bin : (int64_t)(8 | (bin & 7)) << ((bin >> 3) - 1);
}

/* Whole ticks, the probe's weight included. Ticks below 0 (a clock that went backwards) are counted apart and in nothing else. */
struct trace_arc {
    uint32_t from, to; /* 0, 0: empty cell; to is stored last */
    uint64_t n, sum;
    uint64_t square_low, square_high; /* sum of squares, 128 bits */
    uint64_t min, max;
    uint64_t negative, gaps; /* of n: passes that libtare's slow path fell into, their time taken off */
    uint64_t spare[4];
    uint32_t bins[TRACE_HISTOGRAM]; /* saturate; n and sum go on */
    uint32_t room[TRACE_ARC_BYTES / 4 - 26 - TRACE_HISTOGRAM];
};

struct trace_count {
    uint32_t from, to;
    uint64_t n;
};

_Static_assert(sizeof(struct trace_arc) == TRACE_ARC_BYTES, "cells of arcs are 2 KiB");
_Static_assert(sizeof(struct trace_segment) == 128, "the head of a segment is 128 bytes");
_Static_assert(sizeof(struct trace_head) <= TRACE_TABLE_AT, "the head lies before the table");

#endif
