/* SPDX-License-Identifier: MIT
 *
 * leak_harness.h - what the files of src/probe that look for timing leaks know of each other: the list of targets, one target's work in one
 * process. Users read tare/leak.h; what goes to the runner is in wire.h.
 *
 *     leak_run(&session, target, limit, out)      // TARGET is written; BLOCKS or CALLS and TARGET_END follow
 *         leak_input_open     memory for inputs, the buffer between walls        leak_input.c, leak_classes.c
 *         leak_check          is it fit to be measured?                          leak_run.c
 *         leak_timer_open     calls in a reading, phase, empty bracket, delay    leak_delay.c, leak_timed.c
 *         leak_blocks         pairs, growth, scan                                leak_blocks.c
 *         run_marked          marks, without a clock                             leak_run.c, leak_marks.c
 *
 * From the first block of a batch to its last nothing here calls the kernel, allocates, locks or writes where no page is yet. A fault of the
 * target leads back to leak_run, which says what it was doing. Nothing is printed.
 */
#ifndef LEAK_HARNESS_H
#define LEAK_HARNESS_H

#include "chacha.h"
#include "leak_part.h"
#include "plat_process.h"
#include "probe.h"
#include <tare/leak.h>

enum {
    LEAK_TARGETS_MAX = 100000,
    LEAK_BYTES_MAX = 1 << 24,
    LEAK_ALIGN_MAX = 4096,
    LEAK_MEMORIES = 64,
    LEAK_LINE = 64,
};

/* ---- the list ---- */

void leak_list(const struct tare_leak *leak);                  /* adds a copy, once */
enum tare_status leak_list_copy(const struct tare_leak *leak); /* its texts too, and each time; INVALID, NO_MEMORY */
int leak_targets(void);
const struct tare_leak *leak_target_at(int index); /* NULL: there are no more */
/* INVALID: it cannot be run; err says why. The others can. */
enum tare_status leak_check_target(const struct tare_leak *leak, struct tare_err *err);
/* INVALID: there are too many for any to be run. */
enum tare_status leak_check_list(struct tare_err *err);
const char *leak_label(const struct tare_leak *leak); /* its name, or what stands for one that cannot be printed */
void leak_forget(void);                               /* empties the list; for tests */
/* Its sizes of growth: how many, 0 when growth is not what it is for. */
int leak_sizes(const struct tare_leak *leak, int64_t sizes[WIRE_SIZES_MAX]);
uint32_t leak_secret_at(const struct tare_leak *leak, uint32_t *bytes); /* the secret part of its input */

/* ---- classes ---- */

struct tare_random {
    struct rng rng;
};

/* A ready class, its name understood. */
struct leak_class {
    void (*fill)(const struct leak_class *c, unsigned char *in, size_t bytes, struct tare_random *random);
    size_t number;                  /* of prefix:K and length:K */
    const unsigned char *reference; /* NULL: the first half of the input */
    struct buf file;                /* of file:PATH */
    uint64_t fixed;                 /* seed of a fixed value */
};
/* INVALID: there is no such ready class, or not for so many bytes. Files are not read. */
enum tare_status leak_class_check(const char *name, size_t bytes, bool has_reference, struct tare_err *err);
/* The same, with its file; seed: of fixed values, the same in all processes. Finish it by leak_class_close. */
enum tare_status leak_class_open(struct leak_class *out, const struct tare_leak *leak, const char *name, struct tare_err *err);
void leak_class_close(struct leak_class *c);

/* ---- one target in one process ---- */

/* Readings around calls. */
struct leak_timer {
    const struct probe_session *session;
    int repeat;               /* calls in a reading, each with an input of its own */
    size_t pitch;             /* from one input to the next */
    bool fixed_phase;         /* it ought to be drawn, and the step is too long for it */
    struct clock_phase phase; /* width_adds measured; 0: none is drawn */
    int adds;                 /* of the injected delay; 0: there is none */
    double pair_ticks;        /* bracket around calls of nothing */
    double delay_ticks;       /* what `adds` add to one call, beside the short delay */
    int cpu;
    uint64_t calls, saturated, migrated;
    volatile uint64_t result; /* of the last call */
};

struct leak_input {
    struct plat_guarded walls;
    unsigned char *at;    /* the buffer that the target gets: `inputs` of them, `pitch` apart */
    size_t bytes, stride; /* of an input in a slot: whole lines */
    size_t pitch;
    int n;            /* slots, of `room` inputs each */
    int room, inputs; /* of a reading: at most; now, which is 1 until the calls are timed */
    unsigned char *memory, *slots, *chosen;
    struct leak_class classes[WIRE_CLASSES_MAX];
};

enum leak_doing { DOING_SETUP, DOING_MAKE, DOING_RESET, DOING_CALL, DOING_BUILD, DOING_TOUCH, DOING_UNDO, DOING_OWN };

struct leak_job {
    struct probe_session *session;
    const struct wire_request *q;
    const struct tare_leak *target;
    uint32_t index;
    int64_t limit; /* blocks or calls at most; 0: as many as fit */
    struct buf *out;
    enum tare_status (*flush)(void *context); /* writes what is in out */
    void *flush_context;

    void *state;
    struct tare_random random; /* of inputs */
    struct chacha order;       /* of turns */
    struct leak_input input;
    struct leak_timer timer;
    struct {
        const void *at;
        size_t bytes;
    } memories[LEAK_MEMORIES];
    int n_memories;
    unsigned char *far; /* walked through where lines cannot be put out of caches one by one */
    int n_classes;
    int n_sizes;
    int64_t sizes[WIRE_SIZES_MAX];
    void *structures[WIRE_SIZES_MAX];

    bool dit_switched;

    volatile enum leak_doing doing; /* when a fault comes */
    int64_t start_ns;
    enum tare_status status; /* our own trouble */

    /* What came of it. */
    enum wire_state end;
    char reason[WIRE_TEXT_MAX / 4], remark[256];
    uint32_t facts, checked;
};

/* TARGET of the list. */
void leak_put_target(struct buf *out, const struct tare_leak *leak, int index);
/* Sets up, checks, measures and writes TARGET, data and TARGET_END. job: session (not for taint), q, target, index, limit, out, flush are
 * set, the rest is zero. The status is our own trouble. *fault: the target ended by a fault, so that the process is not to go on. */
enum tare_status leak_run(struct leak_job *job, bool *fault);
/* leak_job.c: the first reason counts. */
BUF_FORMATS(3, 4) void leak_end(struct leak_job *job, enum wire_state end, const char *format, ...);
void leak_seed(struct leak_job *job, uint64_t seed);
/* Random numbers from the seed on, and no call counted: how much was drawn before, for checks and warming up, depends on the time. */
void leak_start_over(struct leak_job *job);
int64_t leak_elapsed_ns(const struct leak_job *job);
int64_t leak_time_ns(const struct leak_job *job); /* in all */

/* leak_input.c */
enum tare_status leak_input_open(struct leak_job *job, struct tare_err *err);
void leak_input_close(struct leak_job *job);
void leak_input_place(struct leak_input *in, bool right, size_t align); /* against the one wall or the other */
bool leak_input_strayed(const struct leak_input *in);                   /* something was written beside the buffer */
void leak_input_take(struct leak_job *job, int inputs);                 /* so many of them lie in the buffer from now on */
unsigned char *leak_slot(const struct leak_input *in, int slot);        /* its first input */
void leak_make(struct leak_job *job, int which, int slot);              /* inputs of class `which`, as many as a reading takes */
bool leak_make_between_walls(struct leak_job *job); /* all, in the buffer of the target; false: something was written beside it */
void leak_make_all(struct leak_job *job);           /* each class into its slot */
void leak_choose(struct leak_input *in, int slot);  /* copies them into the buffer */
const char *leak_one_because(
    const struct leak_job *job); /* why there is one call in a reading, however many were asked for; NULL: there need not be */
void leak_evict(struct leak_job *job);
size_t leak_natural_align(const struct tare_leak *leak);

void *leak_base(const struct leak_job *job); /* what self-checks call: of growth the smallest structure above 0; else its state */

/* leak_timed.c */
typedef uint64_t leak_body(void *state, const unsigned char *in);
/* What stands in front of the calls of a bracket: nothing; in the blocks of self-checks a short delay for both of their calls, and that and the known one for
 * one of them. So the two go the same way, by functions of one text whose branches and lines are as seldom used, and differ by the known delay alone. */
enum leak_delay { LEAK_NO_DELAY, LEAK_SHORT_DELAY, LEAK_LONG_DELAY };
/* How many adds last a whole number of steps of so many cycles, as nearly as is needed to draw a phase of the step by two uniforms. */
int leak_phase_width(double step_cycles);
/* Before each batch: the core's frequency moves. */
void leak_phase_calibrate(struct leak_timer *t);
/* Ticks of one bracket around timer->repeat calls. UINT32_MAX: more. */
uint32_t leak_time(struct leak_timer *t, leak_body *run, void *state, const unsigned char *in, enum leak_delay delay);
uint64_t leak_nothing(void *state, const unsigned char *in); /* a body that does nothing */
double leak_empty_ticks(struct leak_timer *t);               /* mean of brackets around it */

/* leak_delay.c */
void leak_timer_open(struct leak_job *job);

/* leak_blocks.c */
void leak_blocks(struct leak_job *job);

/* leak_marks.c */
uint32_t leak_taint_ways(void);             /* bits of enum wire_taint */
void leak_written(const void *p, size_t n); /* by us, whom MSan does not see */
void leak_written_arguments(size_t n);      /* the first n of the call that comes next */

/* One call of the target, its number of the class chosen before, all untimed hooks around it. slot: of the input; state: what run gets. */
uint32_t leak_one_call(struct leak_job *job, int slot, void *state, bool cold, enum leak_delay delay);

#endif
