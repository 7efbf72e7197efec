/* SPDX-License-Identifier: MIT
 *
 * Inputs: a slot for each class, made before each block; the one buffer that the target gets, between two walls; and how all that is
 * put out of the caches. Where a reading has several calls, a slot and the buffer have an input for each of them.
 *
 *     wall | 5a 5a 5a ... [ the buffer ] | wall        placed right; placed left it begins where the first wall ends
 *
 * What lies between the buffer and the farther wall has a pattern, so that a write there is seen afterwards.
 */
#include "cpu.h"
#include "leak_harness.h"
#include <stdlib.h>
#include <string.h>

enum { PATTERN = 0x5a, PAGE = 4096, FAR_BYTES = 64 << 20 };

size_t leak_natural_align(const struct tare_leak *leak)
{
    size_t align = leak->bytes & (~leak->bytes + 1);
    return leak->align ? leak->align : align < LEAK_LINE && align ? align : LEAK_LINE;
}

/* Of so many inputs, from the first byte to the last. */
static size_t buffer_bytes(const struct leak_input *in, int inputs)
{
    return in->pitch * (size_t)(inputs - 1) + in->bytes;
}

void leak_input_place(struct leak_input *in, bool right, size_t align)
{
    size_t bytes = buffer_bytes(in, in->inputs), room = in->walls.size - bytes;
    memset(in->walls.memory, PATTERN, in->walls.size);
    in->at = in->walls.memory + (right ? room / align * align : 0);
    memset(in->at, 0, bytes);
}

void leak_input_take(struct leak_job *job, int inputs)
{
    job->input.inputs = inputs;
    leak_input_place(&job->input, job->q->seed & 1, leak_natural_align(job->target));
}

static bool has_pattern(const unsigned char *from, const unsigned char *to)
{
    for (; from < to; from++)
        if (*from != PATTERN)
            return false;
    return true;
}

bool leak_input_strayed(const struct leak_input *in)
{
    const unsigned char *first = in->walls.memory, *last = first + in->walls.size;
    return !has_pattern(first, in->at) || !has_pattern(in->at + buffer_bytes(in, in->inputs), last);
}

/* Calls that change what they work on are alone: the second one would find something else. */
const char *leak_one_because(const struct leak_job *job)
{
    return job->target->reset                  ? "it is put back before each call"
           : job->n_sizes && job->target->undo ? "each call is undone"
           : job->q->cache != WIRE_WARM        ? "only the first of several finds the caches cold"
           : job->q->leak_kind == WIRE_SCAN    ? "a scan is about single calls"
                                               : NULL;
}

static enum tare_status open_classes(struct leak_job *job, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    const struct tare_leak *t = job->target;
    for (int i = 0; i < t->classes.n && !t->make && !status; i++)
        status = leak_class_open(&job->input.classes[i], t, t->classes.names[i], err);
    return status;
}

/* Slots begin at a page, as the buffer may want any alignment and `make` fills the slot as if it were the buffer. */
static enum tare_status open_slots(struct leak_input *in, struct tare_err *err)
{
    size_t slots = (size_t)in->n * (size_t)in->room + 1;
    in->stride = wire_input_stride(in->bytes);
    if (in->room > wire_repeat_most(in->bytes, in->n))
        return err_set(err, TARE_TOO_LARGE, "%zu inputs of %zu bytes: too much memory", slots - 1, in->bytes);
    in->memory = malloc(slots * in->stride + PAGE);
    if (!in->memory)
        return err_set(err, TARE_NO_MEMORY, "no memory for %zu inputs of %zu bytes", slots - 1, in->bytes);
    in->slots = in->memory + (PAGE - (uintptr_t)in->memory % PAGE) % PAGE;
    in->chosen = in->slots + (slots - 1) * in->stride;
    memset(in->slots, 0, slots * in->stride);
    return TARE_OK;
}

enum tare_status leak_input_open(struct leak_job *job, struct tare_err *err)
{
    struct leak_input *in = &job->input;
    in->bytes = job->target->bytes;
    in->n = job->n_classes > 2 ? job->n_classes : 2;
    const size_t align = leak_natural_align(job->target);
    in->pitch = (in->bytes + align - 1) / align * align;
    in->inputs = 1;
    in->room = job->q->repeat > 1 && !leak_one_because(job) ? job->q->repeat : 1;
    enum tare_status status = open_slots(in, err);
    status = status ? status : plat_guarded_create(&in->walls, buffer_bytes(in, in->room) + align, err);
    status = status ? status : open_classes(job, err);
    if (!status)
        leak_input_place(in, job->q->seed & 1, align);
    return status;
}

void leak_input_close(struct leak_job *job)
{
    plat_guarded_destroy(&job->input.walls);
    free(job->input.memory);
    for (int i = 0; i < WIRE_CLASSES_MAX; i++)
        leak_class_close(&job->input.classes[i]);
    free(job->far);
    job->far = NULL;
    job->input.memory = NULL;
}

static void make_at(struct leak_job *job, int which, unsigned char *at)
{
    struct leak_input *in = &job->input;
    job->doing = DOING_MAKE;
    if (job->n_classes && job->target->make)
        job->target->make(job->state, which, at, &job->random);
    else if (job->n_classes)
        in->classes[which].fill(&in->classes[which], at, in->bytes, &job->random);
    else
        tare_random_bytes(&job->random, at, in->bytes);
    job->doing = DOING_OWN;
}

static unsigned char *input_of(const struct leak_input *in, int slot, int i)
{
    return in->slots + ((size_t)slot * (size_t)in->room + (size_t)i) * in->stride;
}

unsigned char *leak_slot(const struct leak_input *in, int slot)
{
    return input_of(in, slot, 0);
}

/* Of a target without classes: random. */
void leak_make(struct leak_job *job, int which, int slot)
{
    for (int i = 0; i < job->input.inputs; i++)
        make_at(job, which, input_of(&job->input, slot, i));
}

bool leak_make_between_walls(struct leak_job *job)
{
    for (int i = 0; i < job->n_classes; i++)
        make_at(job, i, job->input.at);
    return !leak_input_strayed(&job->input);
}

void leak_make_all(struct leak_job *job)
{
    for (int i = 0; i < job->n_classes; i++)
        leak_make(job, i, i);
}

/* All slots are read, and the same is written whichever it is; nothing here depends on the slot but values. */
static void choose_input(struct leak_input *in, int slot, int i)
{
    enum { WORD = sizeof(uint64_t) };
    for (size_t at = 0; at < in->stride; at += WORD) {
        uint64_t chosen = 0, word;
        for (int s = 0; s < in->n; s++) {
            uint64_t mask = (uint64_t)0 - (uint64_t)(s == slot);
            __asm__ volatile("" : "+r"(mask)); /* or the compiler might branch on what it knows of it */
            memcpy(&word, input_of(in, s, i) + at, WORD);
            chosen |= word & mask;
        }
        memcpy(in->chosen + at, &chosen, WORD);
    }
    memcpy(in->at + (size_t)i * in->pitch, in->chosen, in->bytes);
}

void leak_choose(struct leak_input *in, int slot)
{
    for (int i = 0; i < in->inputs; i++)
        choose_input(in, slot, i);
}

/* Every line of more than any cache holds; once per call, so the memory is had at the first. */
static void walk_far(struct leak_job *job)
{
    if (!job->far && (job->far = malloc(FAR_BYTES)))
        memset(job->far, 1, FAR_BYTES);
    volatile unsigned char *far = job->far;
    for (size_t i = 0; far && i < FAR_BYTES; i += LEAK_LINE)
        far[i]++;
}

void leak_evict(struct leak_job *job)
{
    bool out = cpu_evict(job->input.at, job->input.bytes);
    for (int i = 0; i < job->n_memories && out; i++)
        out = cpu_evict(job->memories[i].at, job->memories[i].bytes);
    if (!out)
        walk_far(job);
}
