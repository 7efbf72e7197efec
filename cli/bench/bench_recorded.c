/* SPDX-License-Identifier: MIT
 * The benchmarks of a stored session in the place of what the programs would say: to show what would run while nothing has run yet. */
#include "bench_session.h"
#include <string.h>

static bool of_program(const struct subject *s, const struct bench_program *p)
{
    return s->kind == SUBJECT_BENCH && s->argv && s->argv[0] && !s->argv[1] && !strcmp(s->argv[0], p->path) &&
           !strcmp(s->program, p->path);
}

static bool is_baseline(const struct record *r, int subject)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && r->subjects[i].reference == subject &&
            !strcmp(r->subjects[i].program, r->subjects[subject].program))
            return true;
    return false;
}

static struct bench_case case_of(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    struct bench_case c = {.name = s->benchmark,
                           .group = s->group ? s->group : s->benchmark,
                           .baseline = is_baseline(r, subject),
                           .complexity = s->complexity,
                           .n_args = s->n_parameters < WIRE_ARGS_MAX ? s->n_parameters : WIRE_ARGS_MAX};
    for (int i = 0; i < c.n_args; i++)
        c.args[i] = s->parameters[i];
    return c;
}

static int count(const struct record *r, const struct bench_program *p)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += of_program(&r->subjects[i], p);
    return n;
}

static enum tare_status take(const struct bench *b, struct bench_program *p, struct tare_err *err)
{
    const struct record *r = b->recorded;
    int n = count(r, p);
    if (!n)
        return err_set(err, TARE_FORMAT,
                       "the recorded command line names %.200s, of which the record has no benchmark; nothing was run", p->path);
    p->cases = arena_array(b->run.cli->arena, (size_t)n, sizeof *p->cases);
    if (!p->cases)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d benchmarks", n);
    for (int i = 0; i < r->n_subjects; i++)
        if (of_program(&r->subjects[i], p))
            p->cases[p->n_cases++] = case_of(r, i);
    return TARE_OK;
}

enum tare_status bench_take_recorded(struct bench *b, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int taken = 0;
    for (int i = 0; i < b->n_programs && !status; i++) {
        status = take(b, &b->programs[i], err);
        taken += b->programs[i].n_cases;
    }
    if (!status && taken != b->recorded->n_subjects)
        status =
            err_set(err, TARE_FORMAT, "the record has %d subjects, of which the recorded command line makes %d; nothing was run",
                    b->recorded->n_subjects, taken);
    return status;
}
