/* SPDX-License-Identifier: MIT
 *
 * One target in one process, from its set-up to its end, whatever that is.
 */
#include "cpu.h"
#include "leak_harness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Is a target fit to be measured? Some calls before the first timed one, with the buffer against either wall: does it stay within its input, leave
 * it as it was, compute the same again, allocate; and are its classes different at all?
 */

enum { CHECKS = 100, AT_LEAST = 2 };

/* Bit j of equal[i]: classes i < j have been the same so far. */
struct likeness {
    uint32_t equal[WIRE_CLASSES_MAX];
    int blocks;
};

static void compare_classes(const struct leak_job *job, struct likeness *l)
{
    const struct leak_input *in = &job->input;
    for (int i = 0; i < job->n_classes; i++)
        for (int j = i + 1; j < job->n_classes; j++)
            if (memcmp(leak_slot(in, i), leak_slot(in, j), in->bytes) != 0)
                l->equal[i] &= ~(1u << j);
    l->blocks++;
}

static void judge_classes(struct leak_job *job, const struct likeness *l)
{
    const struct tare_leak *t = job->target;
    job->checked |= WIRE_EQUAL_CLASSES;
    for (int i = 0; i < job->n_classes; i++)
        for (int j = i + 1; j < job->n_classes; j++)
            if (l->equal[i] >> j & 1) {
                job->facts |= WIRE_EQUAL_CLASSES;
                leak_end(job, WIRE_FAILED, "the classes %s and %s gave the same input %d times: they cannot be distinguished",
                         t->classes.names[i], t->classes.names[j], l->blocks);
            }
}

struct sameness {
    uint64_t first;
    bool differs; /* two inputs gave two results: there is a result */
};

static uint64_t checked_call(struct leak_job *job, int slot, void *state)
{
    const struct tare_leak *t = job->target;
    struct leak_input *in = &job->input;
    if (t->reset) {
        job->doing = DOING_RESET;
        t->reset(job->state);
    }
    leak_choose(in, slot);
    int64_t before = plat_heap_bytes();
    job->doing = DOING_CALL;
    uint64_t result = t->run(state, in->at);
    plat_forked_end();
    job->doing = DOING_OWN;
    int64_t after = plat_heap_bytes();
    if (before >= 0 && after > before)
        job->facts |= WIRE_ALLOCATED;
    if (in->bytes && memcmp(in->at, in->chosen, in->bytes) != 0)
        job->facts |= WIRE_INPUT_CHANGED;
    if (job->n_sizes && t->undo) {
        job->doing = DOING_UNDO;
        t->undo(state);
        job->doing = DOING_OWN;
    }
    return result;
}

/* Twice from the same input. */
static void check_input(struct leak_job *job, int slot, void *state, struct sameness *s)
{
    uint64_t once = checked_call(job, slot, state), again = checked_call(job, slot, state);
    s->differs |= once != s->first;
    if (once == again || job->target->varies)
        return;
    job->facts |= WIRE_NOT_DETERMINISTIC;
    leak_end(job, WIRE_FAILED,
             "the same input gave two results: %llu, then %llu. Put its state back in .reset, or say .varies if it is meant to",
             (unsigned long long)once, (unsigned long long)again);
}

static void check_strayed(struct leak_job *job)
{
    if (!leak_input_strayed(&job->input))
        return;
    job->facts |= WIRE_WROTE_OUTSIDE;
    leak_end(job, WIRE_FAILED, "it wrote outside of its input of %zu bytes", job->input.bytes);
}

/* Slots have neighbours, and what is written over one of them is seen by nobody; the buffer has walls. */
static void check_maker(struct leak_job *job)
{
    if (!job->target->make || leak_make_between_walls(job))
        return;
    job->facts |= WIRE_WROTE_OUTSIDE;
    leak_end(job, WIRE_FAILED, "its .make wrote outside of its input of %zu bytes", job->input.bytes);
}

/* Some blocks; at most a tenth of the time, but each class once. */
static void check_placed(struct leak_job *job, bool right, struct likeness *l, struct sameness *s)
{
    const int64_t until = leak_elapsed_ns(job) + leak_time_ns(job) / 20;
    const int slots = job->n_classes ? job->n_classes : 1;
    leak_input_place(&job->input, right, leak_natural_align(job->target));
    check_maker(job);
    for (int i = 0; i < CHECKS / 2 && job->end == WIRE_OK && (i == 0 || leak_elapsed_ns(job) < until); i++) {
        if (job->n_classes)
            leak_make_all(job);
        else
            leak_make(job, 0, 0);
        if (job->n_classes)
            compare_classes(job, l);
        for (int c = 0; c < slots && job->end == WIRE_OK; c++) {
            void *state = job->n_sizes ? job->structures[i % job->n_sizes] : job->state;
            if (right && i == 0 && c == 0 && !job->n_sizes)
                s->first = checked_call(job, c, state);
            check_input(job, c, state, s);
        }
    }
    check_strayed(job);
}

static void leak_check(struct leak_job *job)
{
    struct likeness l = {.blocks = 0};
    struct sameness s = {.differs = false};
    memset(l.equal, 0xff, sizeof l.equal);
    job->checked |= WIRE_READ_OUTSIDE | WIRE_WROTE_OUTSIDE | WIRE_INPUT_CHANGED | WIRE_CRASHED;
    check_placed(job, true, &l, &s);
    if (job->end == WIRE_OK)
        check_placed(job, false, &l, &s);
    if (job->end == WIRE_OK) {
        /* Inputs without calls, so that slow targets are not called a hundred times to learn about their classes. */
        while (job->n_classes && l.blocks < CHECKS) {
            leak_make_all(job);
            compare_classes(job, &l);
        }
    }
    if (s.differs && !job->target->varies)
        job->checked |= WIRE_NOT_DETERMINISTIC;
    if (job->n_classes && job->q->leak_kind == WIRE_PAIRS && job->end == WIRE_OK)
        judge_classes(job, &l);
    job->checked |= job->facts & WIRE_ALLOCATED; /* freed again within the call it may pass unseen */
    leak_input_place(&job->input, job->q->seed & 1, leak_natural_align(job->target));
}

/* Whose set-up runs; for tare_leak_memory, which has no job at hand. */
static struct leak_job *setting_up;

bool tare_leak_memory(const void *p, size_t n)
{
    struct leak_job *job = setting_up;
    if (!job || job->n_memories == LEAK_MEMORIES)
        return false;
    job->memories[job->n_memories].at = p;
    job->memories[job->n_memories++].bytes = n;
    return true;
}

/* What it has; of one that cannot be run nothing is believed but its kind. */
void leak_put_target(struct buf *out, const struct tare_leak *leak, int index)
{
    struct tare_err err = {{0}};
    int64_t sizes[WIRE_SIZES_MAX] = {0};
    struct wire_target w = {.index = (uint32_t)index, .name = leak_label(leak), .file = leak->file, .line = (uint32_t)leak->line};
    const bool sound = leak_check_target(leak, &err) == TARE_OK;
    w.trouble = err.text;
    w.dit = (enum wire_dit)cpu_dit(&w.dit_words);
    w.flags = (leak->build ? WIRE_TARGET_GROWTH : 0u) | (leak->classes.n ? WIRE_TARGET_CLASSES : 0u) |
              (leak->secret_bytes ? WIRE_TARGET_SECRET : 0u) | (leak->reset ? WIRE_TARGET_RESET : 0u);
    if (sound) {
        w.input_bytes = (uint32_t)leak->bytes;
        w.secret_at = leak_secret_at(leak, &w.secret_bytes);
        w.n_classes = (uint32_t)leak->classes.n;
        w.n_sizes = (uint32_t)leak_sizes(leak, sizes);
    }
    for (uint32_t i = 0; i < w.n_classes; i++)
        w.classes[i] = leak->classes.names[i];
    for (uint32_t i = 0; i < w.n_sizes; i++)
        w.sizes[i] = sizes[i];
    wire_put_target(out, &w);
}

_Static_assert((int)WIRE_DIT_UNKNOWN == (int)CPU_DIT_UNKNOWN && (int)WIRE_DIT_ABSENT == (int)CPU_DIT_ABSENT &&
                   (int)WIRE_DIT_OFF == (int)CPU_DIT_OFF && (int)WIRE_DIT_ON == (int)CPU_DIT_ON,
               "one list");

/* Of the core now; 0: not known. */
static double core_hz_now(void)
{
    double hz;
    return clock_core_hz(&hz, NULL) == TARE_OK ? hz : 0;
}

static void put_end(struct leak_job *job, const struct wire_account *account, double core_hz)
{
    const struct leak_timer *t = &job->timer;
    const bool delays = t->adds > 0;
    wire_put_target_end(job->out, &(struct wire_target_end){.target = job->index,
                                                            .state = job->end,
                                                            .reason = job->reason,
                                                            .remark = job->remark,
                                                            .facts = job->facts,
                                                            .checked = job->checked,
                                                            .repeat = (uint32_t)t->repeat,
                                                            .pair_ticks = t->pair_ticks,
                                                            .spike_ticks = delays ? t->delay_ticks : NAN,
                                                            .spike_cycles = delays ? t->adds : NAN,
                                                            .calls = t->calls,
                                                            .saturated = t->saturated,
                                                            .migrated = t->migrated,
                                                            .elapsed_ns = leak_elapsed_ns(job),
                                                            .account = *account,
                                                            .core_hz = core_hz});
}

static void build_all(struct leak_job *job)
{
    const struct tare_leak *t = job->target;
    const int n = leak_sizes(t, job->sizes);
    for (int i = 0; i < n && job->end == WIRE_OK; i++) {
        job->doing = DOING_BUILD;
        job->structures[i] = t->build(job->state, job->sizes[i]);
        job->doing = DOING_OWN;
        job->n_sizes = i + 1;
        if (!job->structures[i])
            leak_end(job, WIRE_FAILED, "its .build could not make a structure of %lld", (long long)job->sizes[i]);
    }
}

static void set_up(struct leak_job *job)
{
    const struct tare_leak *t = job->target;
    struct tare_err err = {{0}};
    setting_up = job;
    job->doing = DOING_SETUP;
    job->state = t->setup ? t->setup(t->context) : t->context;
    job->doing = DOING_OWN;
    if (t->setup && !job->state)
        leak_end(job, WIRE_FAILED, "its .setup returned NULL");
    if (t->memory_bytes)
        tare_leak_memory(t->memory, t->memory_bytes);
    job->n_classes = job->q->leak_kind == WIRE_GROWTH ? 0 : t->classes.n;
    if (job->q->leak_kind == WIRE_GROWTH && job->end == WIRE_OK)
        build_all(job);
    setting_up = NULL;
    if (job->end == WIRE_OK && leak_input_open(job, &err))
        leak_end(job, WIRE_FAILED, "%s", err.text);
    job->start_ns = plat_clock_ns(clock_reference()); /* what was built has its own time */
}

static void marked_call(struct leak_job *job, int class)
{
    const struct tare_leak *t = job->target;
    struct leak_input *in = &job->input;
    uint32_t bytes, at = leak_secret_at(t, &bytes);
    if (t->reset) {
        job->doing = DOING_RESET;
        t->reset(job->state);
    }
    leak_choose(in, class);
    tare_public(in->at, in->bytes);
    tare_secret(in->at + at, t->secret_bytes ? t->secret_bytes : in->bytes - at);
    leak_written_arguments(2);
    job->doing = DOING_CALL;
    leak_unwatched(false);
    job->timer.result = t->run(job->state, in->at);
    plat_forked_end();
    leak_unwatched(true);
    job->doing = DOING_OWN;
    tare_public(in->at, in->bytes);
    job->timer.calls++;
}

static void run_marked(struct leak_job *job)
{
    enum { TIMES = 4 };
    const int64_t times = job->limit ? job->limit : TIMES, before = plat_forks_seen();
    struct leak_input *in = &job->input;
    tare_public(in->slots, ((size_t)in->n * (size_t)in->room + 1) * in->stride);
    for (int64_t i = 0; i < times; i++) {
        leak_make_all(job);
        for (int class = 0; class < job->n_classes; class ++)
            marked_call(job, class);
    }
    if (plat_forks_seen() != before)
        leak_end(job, WIRE_FAILED, "it starts other processes, and what these do with the secret is not followed");
}

/* Why this kind of work is not for this target; NULL: it is. */
static const char *why_unfit(const struct leak_job *job)
{
    int64_t sizes[WIRE_SIZES_MAX];
    const struct tare_leak *t = job->target;
    switch (job->q->leak_kind) {
    case WIRE_PAIRS:
        return t->classes.n ? NULL : "it has no classes of inputs (.classes)";
    case WIRE_SCAN:
        return t->bytes ? leak_secret_at(t, &(uint32_t){0}) < t->bytes ? NULL : "it has no secret bytes"
                        : "it has no input (.bytes)";
    case WIRE_GROWTH:
        return leak_sizes(t, sizes) ? NULL : "it has no structures of a size (.build)";
    default:
        return !t->classes.n          ? "it has no classes of inputs (.classes)"
               : !tare_taint_active() ? "marks have no effect here: it runs neither under valgrind nor as an MSan build"
                                      : NULL;
    }
}

static void do_job(void *context)
{
    struct leak_job *job = context;
    set_up(job);
    if (job->end == WIRE_OK && job->q->leak_kind == WIRE_TAINT)
        run_marked(job);
    else if (job->end == WIRE_OK) {
        leak_check(job);
        if (job->end == WIRE_OK)
            leak_timer_open(job);
        if (job->end == WIRE_OK)
            leak_blocks(job);
    }
    if (job->end == WIRE_OK && leak_input_strayed(&job->input)) {
        job->facts |= WIRE_WROTE_OUTSIDE;
        leak_end(job, WIRE_FAILED, "it wrote outside of its input of %zu bytes", job->input.bytes);
    }
    const struct tare_leak *t = job->target;
    for (int i = 0; i < job->n_sizes && t->destroy; i++)
        if (job->structures[i])
            t->destroy(job->structures[i]);
    if (t->teardown && (job->state || !t->setup))
        t->teardown(job->state);
    leak_input_close(job);
}

static const char *doing_words(enum leak_doing doing)
{
    static const char *const words[] = {
        [DOING_SETUP] = "its .setup", [DOING_MAKE] = "making its input",  [DOING_RESET] = "its .reset",
        [DOING_CALL] = "a call",      [DOING_BUILD] = "its .build",       [DOING_TOUCH] = "its .touch",
        [DOING_UNDO] = "its .undo",   [DOING_OWN] = "the end of its work"};
    return words[doing];
}

static void report_wall(struct leak_job *job, const struct plat_fault *f)
{
    static const struct {
        const char *words;
        uint32_t fact;
    } steps[] = {[PLAT_ACCESS_UNKNOWN] = {"read or wrote", WIRE_READ_OUTSIDE | WIRE_WROTE_OUTSIDE},
                 [PLAT_ACCESS_READ] = {"read", WIRE_READ_OUTSIDE},
                 [PLAT_ACCESS_WRITE] = {"wrote", WIRE_WROTE_OUTSIDE}};
    const struct leak_input *in = &job->input;
    const uintptr_t first = (uintptr_t)in->at;
    const bool before = f->address < first;
    const size_t off = before ? first - f->address : f->address - first - in->bytes + 1;
    job->facts |= steps[f->access].fact;
    leak_end(job, WIRE_FAILED, "%s %s outside of its input of %zu bytes, %zu byte%s %s",
             job->doing == DOING_MAKE ? "its .make" : "it", steps[f->access].words, in->bytes, off, buf_plural((long long)off),
             before ? "before its first" : "behind its last");
}

static void report_fault(struct leak_job *job, const struct plat_fault *f)
{
    job->end = WIRE_OK; /* whatever it was about to say: this came after */
    if (f->address && plat_guarded_wall(&job->input.walls, f->address)) {
        report_wall(job, f);
        return;
    }
    job->facts |= WIRE_CRASHED;
    leak_end(job, WIRE_FAILED, "%s in %s", f->name, doing_words(job->doing));
}

static void prepare_job(struct leak_job *job)
{
    const char *words;
    const bool wanted = job->q->dit == 1 || (job->q->dit < 0 && job->target->dit);
    leak_seed(job, ~job->q->seed); /* until leak_start_over: no order that is judged may have been seen by the machine before */
    job->start_ns = plat_clock_ns(clock_reference());
    plat_forks_watch();
    job->dit_switched = wanted && cpu_dit_switch(true);
    if (!wanted || job->dit_switched)
        return;
    cpu_dit(&words);
    struct buf remark = buf_over(job->remark, sizeof job->remark);
    buf_format(&remark, "data-independent timing cannot be switched on here: %s", words);
}

enum tare_status leak_run(struct leak_job *job, bool *fault)
{
    struct plat_fault what = {.signal = 0};
    struct noise_thread noise;
    prepare_job(job);
    /* Memory for TARGET_END is had with TARGET: after a fault malloc may be locked for ever. */
    enum { ROOM = 16384 };
    static const char nothing[ROOM];
    buf_add(job->out, nothing, ROOM);
    buf_clear(job->out);
    leak_put_target(job->out, job->target, (int)job->index);
    job->status = job->flush(job->flush_context);
    struct tare_err err = {{0}};
    if (leak_check_target(job->target, &err))
        leak_end(job, WIRE_FAILED, "%s", err.text);
    const bool sound = job->end == WIRE_OK;
    const char *reason = sound ? why_unfit(job) : NULL;
    if (reason)
        leak_end(job, WIRE_SKIPPED, "%s", reason);
    noise_thread_open(&noise, NULL);
    noise_thread_begin(&noise);
    const int64_t begun_ns = plat_clock_ns(clock_reference());
    const double core_before = core_hz_now();
    *fault = sound && !reason && !job->status && !plat_fault_catch(do_job, job, &what);
    const double core_after = core_hz_now();
    struct wire_account account = probe_account(&noise, plat_clock_ns(clock_reference()) - begun_ns);
    if (*fault)
        report_fault(job, &what);
    noise_thread_close(&noise);
    if (job->dit_switched)
        cpu_dit_switch(false);
    buf_clear(job->out);
    put_end(job, &account, core_before > 0 && core_after > 0 ? (core_before + core_after) / 2 : fmax(core_before, core_after));
    return job->status ? job->status : job->flush(job->flush_context);
}
