/* SPDX-License-Identifier: MIT
 *
 * wire.h - what a runner and a program built with libtare say to each other: a request in the environment, a binary record back
 * through a descriptor that the program inherits.
 *
 *     // the runner                                             // the program
 *     struct wire_request q = wire_request_default(fd);         if (!wire_request_read(plat_getenv(WIRE_VARIABLE), &q, &err))
 *     q.mode = WIRE_MEASURE;                                        ... measure ...
 *     wire_request_write(&env, &q);                             wire_put_hello(&b, &hello);
 *     wire_request_add(&env, "sort/100", 5000);                 wire_put_samples(&b, &samples);
 *     ... start the program, read its bytes ...                 write b.data, b.len to q.fd; buf_clear(&b)
 *     struct wire_reader r = {bytes, n, 0};
 *     while ((status = wire_next(&r, &frame, &err)) == TARE_OK)
 *         switch (frame.type) ...
 *     // TARE_TRUNCATED: the rest has not come yet, or never will; keep bytes from r.at on and try again with more
 *
 * Request: lines "word value", the first "tare-wire 1 FD". Unknown words are passed over. A program that does not know the version
 * answers with a HELLO of its own version and nothing else, so that the runner can say which of the two is older.
 *
 * Record: frames, each
 *     4 bytes "tWr\1" · u16 type · u16 zero · u32 length of payload · u32 checksum of type, length and payload · payload
 * little endian, doubles by their bits, texts as u32 length, bytes, a zero byte. Each frame is written in one piece when it is whole, so a program
 * that dies leaves whole frames and at most one torn one at the end. Order of a measuring program: HELLO, CLOCK, then for each
 * benchmark BENCH, SAMPLES (any number, in order, for each thread), END; last BYE. A list is HELLO, BENCH..., BYE. A BENCH
 * without an END: the program ended inside of that benchmark.
 * A program that looks for timing leaks: HELLO, CLOCK, then for each target TARGET, BLOCKS or CALLS (any number, one of each kind for
 * a batch), TARGET_END; last BYE. A list has the TARGETs after the BENCHes. A TARGET without a TARGET_END: the program ended inside of that
 * target, by a signal that it could not say.
 * To add a field: at the end of its frame; readers pass over what they do not know, and what is missing is zero. To change one:
 * a new WIRE_VERSION.
 *
 * The reader trusts nothing: every length is held against what is there, every enum against its range, each text has its zero and
 * no other, numbers that must be finite are. It allocates nothing; what it returns points into the caller's bytes.
 * Ownership: structs and bytes are the caller's; writers append to a buf, whose status holds the first failure.
 */
#ifndef WIRE_H
#define WIRE_H

#include "buf.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

#define WIRE_VARIABLE "TARE_WIRE"

enum {
    WIRE_VERSION = 1,
    WIRE_REQUEST_MAX = 120000, /* bytes of the variable: Linux allows 131072 for one */
    WIRE_NAME_MAX = 512,       /* bytes of a benchmark's full name */
    WIRE_TEXT_MAX = 4096,      /* of any other text */
    WIRE_FRAME_MAX = 1 << 26,  /* bytes of a payload */
    WIRE_ARGS_MAX = 8,
    WIRE_COUNTERS_MAX = 32,
    WIRE_NOTES_MAX = 16,    /* of a program */
    WIRE_EVENTS_MAX = 8,    /* that a process counts around its samples */
    WIRE_LABEL_MAX = 256,   /* bytes of a label, a note's name or text, zero included */
    WIRE_CLASSES_MAX = 16,  /* of a target */
    WIRE_SIZES_MAX = 32,    /* of a growth target */
    WIRE_SECRET_MAX = 1024, /* bytes of a secret that a scan looks at */
    WIRE_SPIKE_ADDS_MAX = 10000000,
    WIRE_REPEAT_MAX = 65536,     /* calls of a target between two readings */
    WIRE_INPUTS_BYTES = 1 << 28, /* of all inputs that a process holds at a time */
};
#define WIRE_HZ_LEAST 1.0 /* of a clock */
#define WIRE_HZ_MOST  1e11

/* Bytes from one input of a target to the next; and the most calls between two readings whose inputs, one for each class, have room. */
size_t wire_input_stride(size_t bytes);
int wire_repeat_most(size_t input_bytes, int classes);

/* ---- the request ---- */

enum wire_mode {
    WIRE_LIST,
    WIRE_MEASURE, /* benchmarks */
    WIRE_LEAK,    /* targets; a run's iterations are then the blocks to be made at most, 0: as many as fit leak_ns */
    WIRE_MODES
};

/* What is done with each benchmark in this process. */
enum wire_profile {
    WIRE_STEADY,  /* calibrate, guard against dead code, warm up, take samples */
    WIRE_STARTUP, /* one sample of one iteration, and nothing before it */
    WIRE_MEMORY,  /* as WIRE_STARTUP; the peak of memory is what counts */
    WIRE_ONCE,    /* as WIRE_STARTUP */
    WIRE_PROFILES
};

/* What is done with each target in this process. */
enum wire_leak_kind {
    WIRE_PAIRS,  /* blocks of its classes */
    WIRE_SCAN,   /* single calls with random input; the secret goes with each time */
    WIRE_GROWTH, /* blocks of its sizes */
    WIRE_TAINT,  /* each class some times, the secret marked, nothing timed: for valgrind or an MSan build */
    WIRE_LEAK_KINDS
};

/* Where the input and what the target declared as its memory are before each call. */
enum wire_cache {
    WIRE_WARM,   /* input just written, the rest where the last call left it */
    WIRE_COLD,   /* out of all caches */
    WIRE_RANDOM, /* warm or cold by a coin of each block */
    WIRE_CACHES
};

struct wire_request {
    int version; /* as read; a reader of another version sets nothing but this and fd */
    int fd;      /* where the record goes */
    enum wire_mode mode;
    enum wire_profile profile;
    uint64_t seed;
    int64_t sample_ns; /* length of a sample to aim at; 0: the library's choice */
    int samples;       /* counted samples of each benchmark; 0: the library's choice */
    int warmup;        /* samples before them, written too and marked; -1: the library's choice */
    int guard;         /* 0: no check for code that the compiler took away; only where an earlier process made it */
    int signals; /* 1: what the kernel counts is read around each sample by system calls, about 1 us; else only around all of them */
    enum wire_leak_kind leak_kind; /* these until bits: WIRE_LEAK */
    int64_t leak_ns;               /* time of a target in this process; 0: the library's choice, 0.2 s */
    double spike_ns;               /* delay of the spikes, whole cycles, at least one; 0: no spikes */
    int spike_adds; /* adds of a spike before one call, as earlier processes found them; 0: look for those that last spike_ns */
    int selfcheck;  /* blocks in a hundred that are A/A, and as many that are spikes; at most 45 */
    enum wire_cache cache;
    int repeat; /* calls of one class in one bracket, each with an input of its own; 0: 1 */
    int dit;    /* 1: data-independent timing is switched on where the processor lets a program do it; -1: as the target says */
    int bits;   /* of the secret, the first ones, that a scan sends (whole bytes); 0: all, at most WIRE_SECRET_MAX bytes */
    /* Handed down from an earlier process of the same target, as its CLOCK had them where it read the processor's counter: hz, error_ppm, step_ticks,
     * chain_cycles. tick_hz of 0: nothing is, and the process measures; chain_cycles of 0: that one is not. */
    double tick_hz, tick_ppm; /* WIRE_HZ_LEAST to WIRE_HZ_MOST; 0 to 1e6 */
    int tick_step, chain_cycles;
    const char *clock;   /* "auto", or the id of a clock; points into the request */
    uint32_t clock_size; /* bytes of it */
    const char *lines;   /* the whole request, for the calls below */
    size_t size;
};

struct wire_request wire_request_default(int fd);
/* Appends the head of a request to out. */
void wire_request_write(struct buf *out, const struct wire_request *q);
/* Measure this benchmark, and no others but those added so, in this order. iterations per sample; 0: calibrate. */
void wire_request_add(struct buf *out, const char *name, uint64_t iterations);
/* List or measure those benchmarks whose full name contains one of the words so added. */
void wire_request_filter(struct buf *out, const char *word);

/* FORMAT: no request (NULL, other text, numbers out of range), with fd set unless the first line is none; VERSION: of another version, with
 * version and fd set. */
enum tare_status wire_request_read(const char *text, struct wire_request *q, struct tare_err *err);

struct wire_run {
    const char *name; /* not closed by a zero */
    uint32_t size;
    uint64_t iterations; /* 0: calibrate */
};
/* The next run at or behind *at (begin with 0), which moves behind it. False: no more. */
bool wire_request_run(const struct wire_request *q, size_t *at, struct wire_run *out);
/* Count this event of the kernel or the processor around each counted sample, by system calls: type and config are perf_event_open's. What comes of
 * it is a counter WIRE_EVENT_PREFIX name, per iteration; one that cannot be had is left out. */
#define WIRE_EVENT_PREFIX "perf:"
/* Before the name of an event, behind its counter: in which share of the time it was counted, where that is not all; the rest is extrapolated. */
#define WIRE_COUNTED_PREFIX "counted:"
struct wire_event {
    const char *name; /* not closed by a zero */
    uint32_t size;
    uint64_t type, config;
    bool user_only;
};
void wire_request_count(struct buf *out, const char *name, uint64_t type, uint64_t config, bool user_only);
/* The next event at or behind *at, as wire_request_run. */
bool wire_request_event(const struct wire_request *q, size_t *at, struct wire_event *out);
/* Whether the request wants this benchmark: no filters, or one of them is in the name. */
bool wire_request_wants(const struct wire_request *q, const char *name);

/* ---- frames ---- */

enum wire_type {
    WIRE_HELLO = 1,
    WIRE_CLOCK,
    WIRE_BENCH,
    WIRE_SAMPLES,
    WIRE_END,
    WIRE_BYE,
    WIRE_TARGET,
    WIRE_BLOCKS,
    WIRE_CALLS,
    WIRE_TARGET_END,
    WIRE_TYPES
};

enum wire_taint {
    WIRE_TAINT_MEMCHECK = 1, /* libtare was built with memcheck's requests */
    WIRE_TAINT_MSAN = 2,     /* the program is an MSan build */
    WIRE_TAINT_ACTIVE = 4    /* marks have an effect in this process: it runs under valgrind, or is an MSan build */
};

/* What the program says of itself: "allocator", "jemalloc 5.3". */
struct wire_note {
    const char *name, *text;
};

struct wire_hello {
    uint32_t version;    /* of the protocol */
    const char *library; /* version of libtare: "0.1.0" */
    uint64_t pid;
    uint32_t benchmarks; /* registered in the program */
    const char *trouble; /* why none can be had: two of one name, bad arguments. "" otherwise; then a BYE follows */
    uint32_t targets;    /* registered too; 0 from programs older than targets */
    uint32_t taint;      /* bits of enum wire_taint */
    uint32_t n_notes;
    struct wire_note notes[WIRE_NOTES_MAX];
};

struct wire_clock {
    const char *name;   /* "tsc", "raw": ticks of the samples are of this one */
    const char *source; /* where its frequency comes from */
    double hz;          /* ticks per second */
    double error_ppm;
    double step_ticks;
    double pair_ticks;   /* an empty bracket, before the first benchmark; that of each sample is with it */
    bool counter;        /* the processor's own counter */
    const char *reason;  /* why it is not */
    bool core;           /* reference chains give core cycles */
    const char *no_core; /* why they do not */
    /* cycles per second around a sample = chain_cycles * hz / (chain ticks - chain_empty_ticks) */
    double chain_cycles, chain_empty_ticks;
    double chain_ratio; /* one multiply in adds; NaN: not measured */
    bool difference;    /* always false: samples are no differences of two passes */
    bool chain_drawn;   /* chains were read in drawn phases of the counter's steps; false too from programs older than that */
};

/* An argument or named parameter of a benchmark. */
struct wire_arg {
    const char *name; /* "" has none */
    int64_t value;    /* of a word: its place in the list */
    const char *word; /* "" is a number */
};

enum { WIRE_BASELINE = 1, WIRE_COMPLEXITY = 2, WIRE_MANUAL_TIME = 4 };

struct wire_bench {
    uint32_t index;    /* in the program; what SAMPLES and END refer to */
    const char *name;  /* full and unique: "sort_ints/1000" */
    const char *group; /* as registered: "sort_ints" */
    const char *file;  /* where */
    uint32_t line;
    uint32_t
        flags; /* WIRE_BASELINE: alternatives of its group of arguments are compared with it; WIRE_COMPLEXITY: over args[0] */
    uint32_t threads; /* at least 1 */
    uint32_t n_args;
    struct wire_arg args[WIRE_ARGS_MAX];
    const char *version; /* of what it measures; "": none, or of an older program */
};

/* Columns of samples: COLUMN(NAME, meaning). Values are int64; WIRE_NONE: not to be had. New ones go to the end. */
#define WIRE_COLUMNS(COLUMN)                                                                                                 \
    COLUMN(ITERATIONS, "how often the body ran, times SCALE")                                                                \
    COLUMN(TICKS, "between the two reads, their overhead included; manual time: nanoseconds as reported, times SCALE")       \
    COLUMN(EMPTY_TICKS,                                                                                                      \
           "median of the timing overhead measured next to it; subtract it from TICKS; may exceed it; manual time: 0")       \
    COLUMN(CHAIN_BEFORE, "ticks of the reference chain just before")                                                         \
    COLUMN(CHAIN_AFTER, "and just after")                                                                                    \
    COLUMN(START_TICKS, "since the first sample of the process")                                                             \
    COLUMN(FLAGS, "bits of cause.def, and enum wire_flag")                                                                   \
    COLUMN(FIRST_CPU, "CPU on which it began")                                                                               \
    COLUMN(LAST_CPU, "CPU on which it ended")                                                                                \
    COLUMN(FIRST_TICKS, "threads: ticks until the first of them was done; TICKS is until the last, in the rows of thread 0") \
    COLUMN(CPU_NS, "CPU time; this and those below only with `signals`")                                                     \
    COLUMN(DELAY_NS, "runnable, but without a CPU")                                                                          \
    COLUMN(THROTTLED_NS, "stopped by the CPU quota")                                                                         \
    COLUMN(VOLUNTARY, "context switches of its own accord")                                                                  \
    COLUMN(INVOLUNTARY, "context switches forced on it")                                                                     \
    COLUMN(MINFLT, "pages made or mapped")                                                                                   \
    COLUMN(MAJFLT, "pages read from disk")                                                                                   \
    COLUMN(SCALE, "what ITERATIONS and TICKS are to be divided by: a short time has digits behind the point; NONE: 1")

enum wire_column {
#define COLUMN(name, meaning) WIRE_##name,
    WIRE_COLUMNS(COLUMN)
#undef COLUMN
        WIRE_COLUMNS_N
};
#define WIRE_NONE INT64_MIN

/* Beyond the bits of cause.def. */
enum wire_flag {
    WIRE_WARMUP = 1 << 24,      /* before the counted samples */
    WIRE_INTERRUPTED = 1 << 25, /* the kernel took the thread off its CPU, or sent it a signal, at least once within it */
};

struct wire_samples {
    uint32_t bench, thread;
    uint32_t n;        /* rows */
    uint32_t columns;  /* as written; those of a newer program too */
    const void *bytes; /* of the reader: u16 id and n values for each column */
};

/* Why a benchmark ended. */
enum wire_state {
    WIRE_OK,
    WIRE_SKIPPED,        /* by its own word; reason */
    WIRE_FAILED,         /* a check failed, it left its loop early, has no loop ...; reason */
    WIRE_OPTIMISED_AWAY, /* what ran is not what was written; reason. Its samples are no figures */
    WIRE_STATES
};

enum wire_per { WIRE_PER_ITERATION, WIRE_PER_SECOND, WIRE_TOTAL, WIRE_AS_GIVEN, WIRE_PERS };

struct wire_counter {
    const char *name, *unit;
    double
        value; /* as counted per iteration; WIRE_TOTAL, WIRE_AS_GIVEN: as it is. WIRE_PER_SECOND: per iteration too, to be shown as a rate */
    enum wire_per per;
    bool inverted; /* what one of them takes is to be shown */
};

/* What the kernel counted from before the first to after the last sample. WIRE_NONE: not to be had. */
struct wire_account {
    int64_t wall_ns, cpu_ns, delay_ns, throttled_ns, voluntary, involuntary, minflt, majflt;
};

struct wire_end {
    uint32_t bench;
    enum wire_state state;
    const char *reason;   /* "" for WIRE_OK */
    const char *remark;   /* "" or what to know of a figure: "hardly slower than an empty loop" */
    uint64_t iterations;  /* of a sample, to be handed down; 0: none was found */
    double items, bytes;  /* per iteration; 0: not said */
    int64_t peak_bytes;   /* of memory, from before its set-up on; WIRE_NONE */
    int64_t before_bytes; /* in memory before its set-up; WIRE_NONE */
    struct wire_account account;
    double scaling;     /* time of 2 n iterations in times of n; NaN: not asked */
    double lone_ticks;  /* what one iteration adds to the timing overhead; NaN: not asked */
    double floor_ticks; /* an iteration of a loop that only counts down; NaN: not asked */
    uint32_t n_counters;
    struct wire_counter counters[WIRE_COUNTERS_MAX];
    const char *label; /* "" or a text that stands with the figure */
};

enum wire_target_flag {
    WIRE_TARGET_GROWTH = 1,  /* has sizes: growth is what it is for */
    WIRE_TARGET_CLASSES = 2, /* has classes: pairs */
    WIRE_TARGET_SECRET = 4,  /* says which bytes of its input are secret; else all of them are taken for it */
    WIRE_TARGET_RESET = 8,   /* is put back between calls, untimed */
};

/* Data-independent timing of the processor. */
enum wire_dit {
    WIRE_DIT_UNKNOWN, /* not to be seen from a program; dit_words says why */
    WIRE_DIT_ABSENT,  /* the processor has no such mode */
    WIRE_DIT_OFF,
    WIRE_DIT_ON,
    WIRE_DITS
};

struct wire_target {
    uint32_t index; /* in the program; what BLOCKS, CALLS and TARGET_END refer to */
    const char *name, *file;
    uint32_t line;
    uint32_t flags;                        /* bits of enum wire_target_flag */
    uint32_t input_bytes;                  /* 0: growth */
    uint32_t secret_at, secret_bytes;      /* within the input; what a scan sends, at most WIRE_SECRET_MAX */
    uint32_t n_classes;                    /* 0, or 2 and more */
    const char *classes[WIRE_CLASSES_MAX]; /* names; class 0 is what the others are compared with, and what A/A and spikes use */
    uint32_t n_sizes;                      /* of growth */
    int64_t sizes[WIRE_SIZES_MAX];         /* rising */
    enum wire_dit dit;
    const char *dit_words; /* "" or why: "DOITM is in a register that only the kernel reads" */
    const char *trouble; /* "", or why it cannot be run: all above but name, file, line and flags is then zero; the others can */
};

enum wire_blocks_kind {
    WIRE_MAIN,         /* each class once */
    WIRE_AA,           /* classes 0 and 1, both made by generator 0 */
    WIRE_SPIKE,        /* both made by generator 0, both behind a delay of a few cycles; class 1 behind the known one too */
    WIRE_GROWTH_SIZES, /* class: index of the size */
    WIRE_BLOCKS_KINDS
};

/* Some blocks of one kind. A block is k calls, one of each class, in an order that was drawn at random before. Of one batch there is at
 * most one frame of each kind; its blocks were interleaved at random. */
struct wire_blocks {
    uint32_t target;
    enum wire_blocks_kind kind;
    uint32_t k, n;          /* calls of a block, blocks */
    int64_t start_ns;       /* of the batch, since work with the target began */
    uint32_t repeat;        /* calls in each bracket */
    const uint8_t *classes; /* n * k, in the order of the calls: block b is at b * k */
    const void *ticks;      /* n * k of the bracket, its own weight included: wire_ticks_at */
};

/* Single calls of a scan: random input. For each call two inputs are made, in drawn order, and one of them, by a coin, is called with. */
struct wire_calls {
    uint32_t target;
    uint32_t n, secret_bytes;
    int64_t start_ns;
    uint32_t repeat;
    const uint8_t *secrets; /* n * secret_bytes: call i is at i * secret_bytes */
    const void *ticks;      /* n: wire_ticks_at */
    /* WIRE_MAIN: secrets of the inputs that were called with. WIRE_AA: of the others. WIRE_SPIKE: of the others too, but bit 0 of each is a coin, and
     * where it is set the call has the known delay. */
    enum wire_blocks_kind kind;
};

/* What was found of a target. `checked` says which of them were looked for. */
enum wire_fact {
    WIRE_EQUAL_CLASSES = 1,     /* two classes gave the same input always: FAILED */
    WIRE_NOT_DETERMINISTIC = 2, /* same input, other result */
    WIRE_READ_OUTSIDE = 4,      /* of its input: FAILED */
    WIRE_WROTE_OUTSIDE = 8,     /* FAILED */
    WIRE_INPUT_CHANGED = 16,    /* by the target */
    WIRE_ALLOCATED = 32,        /* by malloc, within calls */
    WIRE_CRASHED = 64,          /* a signal ended it; reason names it: FAILED */
    WIRE_TOO_COARSE = 128,      /* of older programs: the clock's step was larger than what 65536 calls took: FAILED */
    WIRE_TOO_SLOW = 256,        /* the time was over after fewer than two blocks */
    WIRE_DRAWN_PHASE =
        512, /* not of the target: the clock steps so seldom that the phase of each reading in its step was drawn */
    WIRE_OWN_INPUTS = 1024,   /* not of the target: each of the calls of a reading had an input of its own */
    WIRE_FIXED_PHASE = 2048,  /* not of the target: the clock steps more seldom than a phase can be drawn for */
    WIRE_LONG_READINGS = 4096 /* so many calls were asked for in a reading that a block lasts longer than a process: FAILED */
};

struct wire_target_end {
    uint32_t target;
    enum wire_state state;
    const char *reason;          /* "" for WIRE_OK */
    const char *remark;          /* "" or what to know of it */
    uint32_t facts, checked;     /* bits of enum wire_fact */
    uint32_t repeat;             /* calls per reading; 0: it was not opened */
    double pair_ticks;           /* empty bracket: take it off each time before dividing by repeat */
    double spike_ticks;          /* what the delay adds to one call, as measured before the blocks; NaN: no spikes */
    double spike_cycles;         /* adds of its chain, for one call; NaN */
    uint64_t calls;              /* timed brackets */
    uint64_t saturated;          /* that did not fit 32 bits */
    uint64_t migrated;           /* that began and ended on different CPUs */
    int64_t elapsed_ns;          /* of the target in this process */
    struct wire_account account; /* what the kernel counted meanwhile */
    double core_hz;              /* of the core, by reference chains just before the target and just behind; 0: not known */
};

struct wire_bye {
    double drift_ppm, drift_bound_ppm; /* counter against the reference clock, from start to end; NaN: not to be had */
    bool backwards;                    /* one of the clocks went backwards */
    uint32_t benchmarks;               /* that ran */
};

/* Each appends one whole frame to out, or nothing when it does not fit (out->status says so). Texts may be NULL for "". */
void wire_put_hello(struct buf *out, const struct wire_hello *h);
void wire_put_clock(struct buf *out, const struct wire_clock *c);
void wire_put_bench(struct buf *out, const struct wire_bench *b);
void wire_put_end(struct buf *out, const struct wire_end *e);
void wire_put_bye(struct buf *out, const struct wire_bye *b);
/* columns[i]: n values, or NULL: the column is left out. */
void wire_put_samples(struct buf *out, uint32_t bench, uint32_t thread, uint32_t n, const int64_t *const columns[WIRE_COLUMNS_N]);

void wire_put_target(struct buf *out, const struct wire_target *t);
/* classes and ticks of b are not read: those of the arrays are. */
void wire_put_blocks(struct buf *out, const struct wire_blocks *b, const uint8_t *classes, const uint32_t *ticks);
void wire_put_calls(struct buf *out, const struct wire_calls *c, const uint8_t *secrets, const uint32_t *ticks);
void wire_put_target_end(struct buf *out, const struct wire_target_end *e);

struct wire_frame {
    enum wire_type type; /* which of the union; WIRE_TYPES and above: of a newer program, pass over it */
    union {
        struct wire_hello hello;
        struct wire_clock clock;
        struct wire_bench bench;
        struct wire_samples samples;
        struct wire_end end;
        struct wire_bye bye;
        struct wire_target target;
        struct wire_blocks blocks;
        struct wire_calls calls;
        struct wire_target_end target_end;
    } u;
};

struct wire_reader {
    const void *bytes;
    size_t size, at;
};

/* The frame at r->at, which moves behind it. TRUNCATED: there is no whole frame; r->at stays. FORMAT: this is no frame, or one that
 * contradicts itself; nothing behind it can be read. A HELLO of another version is a frame like others: look at hello.version, which
 * may then be the only field that is set. */
enum tare_status wire_next(struct wire_reader *r, struct wire_frame *out, struct tare_err *err);
/* One value; WIRE_NONE where there is no such column or row. */
int64_t wire_sample(const struct wire_samples *s, enum wire_column column, uint32_t row);
/* Entry i of the ticks of BLOCKS or CALLS, which lie unaligned in the caller's bytes; UINT32_MAX: it was longer. */
uint32_t wire_ticks_at(const void *ticks, size_t i);
/* n of them, from entry 0 on. */
void wire_ticks_copy(const void *ticks, size_t n, uint32_t *out);

const char *wire_state_word(enum wire_state state); /* "ok", "skipped", "failed", "optimised-away" */

#endif
