/* SPDX-License-Identifier: MIT
 *
 * --results: the programs are commands that write a file with results, of any tool that tare show reads. Each name in it is a benchmark; one process
 * has values of all.
 */
#include "bench_session.h"
#include "padding.h"
#include "result_file.h"
#include <string.h>

/* How often the variable of this entry is given, among the first n. */
static int times_given(const struct option_list *env, int n, const char *entry)
{
    int times = 0;
    for (int i = 0; i < n; i++)
        times += environment_same_name(env->items[i], entry);
    return times;
}

static enum tare_status check_times(const struct bench *b, struct tare_err *err)
{
    const struct option_list *env = &b->run.o->env;
    for (int i = 0; i < env->n; i++) {
        const char *entry = env->items[i];
        const int times = times_given(env, env->n, entry);
        if (times > 1 && times != b->n_programs)
            return err_set(err, TARE_INVALID, "--env %.*s is given %d times for %d program%s; give it once, or once for each%s",
                           (int)strcspn(entry, "="), entry, times, b->n_programs, buf_plural(b->n_programs),
                           b->run.o->anchor ? ", for that of --anchor last" : "");
    }
    return TARE_OK;
}

static const char *const *environment_of(struct bench *b, int program)
{
    const struct option_list *env = &b->run.o->env;
    struct arena *a = b->run.cli->arena;
    const char **own = arena_array(a, (size_t)env->n + 1, sizeof *own);
    int n = 0;
    for (int i = 0; own && i < env->n; i++) {
        if (times_given(env, env->n, env->items[i]) == 1)
            continue; /* is set for all */
        b->places_differ = true;
        if (times_given(env, i, env->items[i]) == program)
            own[n++] = env->items[i];
    }
    return own ? environment_with(a, b->run.exec_options.environment, own, n) : NULL;
}

enum tare_status bench_choose_environments(struct bench *b, struct tare_err *err)
{
    enum tare_status status = b->given ? TARE_OK : check_times(b, err);
    b->places_differ = b->run.o->cwds.n > 0;
    for (int i = 0; i < b->n_programs && !status; i++)
        if (!(b->programs[i].environment = b->given ? b->run.exec_options.environment : environment_of(b, i)))
            status = err_no_memory(err);
    return status;
}

enum { NAMES_SHOWN = 4 };

enum tare_status bench_name_commands(struct bench *b, struct tare_err *err)
{
    struct run *run = &b->run;
    enum tare_status status = run_make_subjects(run, err);
    const struct subject_plan *plan = &run->subjects;
    if (status)
        return status;
    b->n_programs = run->o->aa_sessions ? 1 : plan->n; /* its copies are made of its benchmarks */
    b->programs = arena_array(run->cli->arena, (size_t)b->n_programs, sizeof *b->programs);
    run->results = arena_array(run->cli->arena, (size_t)b->n_programs, sizeof *run->results);
    if (!b->programs || !run->results)
        return err_no_memory(err);
    for (int i = 0; i < b->n_programs; i++) {
        const struct subject *s = &plan->subjects[i];
        const char *cwd = run->revisions.n ? run_revision_folder(run, i / plan->per_revision) : run->o->cwd;
        run->results[i] = (struct result_file){.format = run->o->results_format, .trouble = "nothing was read"};
        b->programs[i] = (struct bench_program){.path = s->name,
                                                .argv = s->argv,
                                                .label = b->n_programs > 1 ? s->name : NULL,
                                                .cwd = cwd,
                                                .anchor = s->anchor,
                                                .against = i > 0 && !s->anchor ? 0 : -1,
                                                .results = &run->results[i]};
    }
    run->n_results = b->n_programs;
    return TARE_OK;
}

enum tare_status bench_note_results(struct bench *b, const struct bench_program *p, struct tare_err *err)
{
    struct record *r = &b->run.record;
    const char *format = p->results->trouble[0] ? NULL : record_source(&p->results->r);
    return p == b->programs && format && facts_add_text(r, &r->build, RECORD_NOTE "results", format) ? err_no_memory(err)
                                                                                                     : TARE_OK;
}

static enum tare_status read_results(void *context, int subject, const char *path, double *own, struct tare_err *err)
{
    struct bench *b = context; /* it begins with its run */
    struct bench_program *p = &b->programs[bench_program_of(b, &b->run.subjects.subjects[subject]) - b->programs];
    (void)own;
    enum tare_status status = result_file_read(p->results, path, err);
    if (status)
        return status;
    /* Names that the first file did not have cannot be measured any more. */
    struct buf names = BUF_INIT(1 << 16);
    const char *name;
    int n = 0;
    for (int at = 0; !p->new_noted && (name = result_file_next(p->results, &at));) {
        if (!bench_wants(b, name) || bench_case_named(p, name))
            continue;
        if (n++ < NAMES_SHOWN)
            buf_format(&names, "%s'%s'", n > 1 ? ", " : "", name);
    }
    if (n > NAMES_SHOWN)
        buf_format(&names, " and %d more", n - NAMES_SHOWN);
    if (n) {
        p->new_noted = true;
        live_clear(&b->run.session.live);
        run_note(&b->run, "'%s' wrote results that are not in its first file and are left out: %s", p->path, buf_text(&names));
    }
    buf_finish(&names);
    return TARE_OK;
}

void bench_request_results(struct bench *b, const struct bench_program *p, int first_subject, int i)
{
    struct bench_request *q = &b->requests[i];
    q->translate = result_file_frames;
    q->context = p->results;
    q->others_iterations = true;
    q->failure_reported = &p->results->failure_reported;
    q->printed_steps = p->results->steps;
    b->run.exec_options.read_results = read_results;
    if (!b->run.o->aa_sessions) /* there the second one is to be another process */
        b->run.commands[i].process = 1 + first_subject;
}
