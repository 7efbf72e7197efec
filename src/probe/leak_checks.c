/* SPDX-License-Identifier: MIT
 *
 * Is a target fit to be measured? Some calls before the first timed one, with the buffer against either wall: does it stay within its input, leave
 * it as it was, compute the same again, allocate; and are its classes different at all?
 */
#include "leak_harness.h"
#include <string.h>

enum { CHECKS = 100, AT_LEAST = 2 };

/* ---- classes ---- */

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

/* ---- calls ---- */

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

/* Inputs without calls, so that slow targets are not called a hundred times to learn about their classes. */
static void see_classes(struct leak_job *job, struct likeness *l)
{
    while (job->n_classes && l->blocks < CHECKS) {
        leak_make_all(job);
        compare_classes(job, l);
    }
}

void leak_check(struct leak_job *job)
{
    struct likeness l = {.blocks = 0};
    struct sameness s = {.differs = false};
    memset(l.equal, 0xff, sizeof l.equal);
    job->checked |= WIRE_READ_OUTSIDE | WIRE_WROTE_OUTSIDE | WIRE_INPUT_CHANGED | WIRE_CRASHED;
    check_placed(job, true, &l, &s);
    if (job->end == WIRE_OK)
        check_placed(job, false, &l, &s);
    if (job->end == WIRE_OK)
        see_classes(job, &l);
    if (s.differs && !job->target->varies)
        job->checked |= WIRE_NOT_DETERMINISTIC;
    if (job->n_classes && job->q->leak_kind == WIRE_PAIRS && job->end == WIRE_OK)
        judge_classes(job, &l);
    job->checked |= job->facts & WIRE_ALLOCATED; /* freed again within the call it may pass unseen */
    leak_input_place(&job->input, job->q->seed & 1, leak_natural_align(job->target));
}
