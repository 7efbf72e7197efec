/* SPDX-License-Identifier: MIT
 *
 * `tare trace`: the arcs between the points of a program.
 *
 *       from → to                  time   share  calls     mean  95 % CI
 *       queue.c:41 → queue.c:52  1.20 ms  61.2 %   1000  1.20 µs  1.19–1.22
 *       30 runs · 8 of 8 points hit · probe overhead 23.1 ns, subtracted · nothing lost
 */
#include "plat.h"
#include "record_arcs.h"
#include "trace_session.h"
#include <string.h>

static bool has_arc(const struct traced *traced, int subject)
{
    for (int i = 0; i < traced->n_results; i++)
        if (traced->results[i].subject == subject)
            return true;
    return false;
}

/* What the first run lacks; NULL: nothing is missing. */
static const char *what_is_lost(const struct traced *traced, int subject)
{
    for (int i = 0; i < traced->n_runs; i++)
        if (traced->runs[i].subject == subject && traced->runs[i].lost)
            return traced->runs[i].lost;
    return NULL;
}

/* All went well, and nothing can be said. */
static int say_no_arc(const struct trace *t)
{
    const struct record *r = &t->run.record;
    struct tare_err err;
    for (int i = 0; i < r->n_subjects && r->traced; i++) {
        if (has_arc(r->traced, i))
            continue;
        struct arc_coverage c = record_arc_coverage(r, i);
        const char *lost = what_is_lost(r->traced, i);
        if (lost)
            err_set(&err, TARE_IO, "no arc of '%s' is left: %.*s; raise --limit, or use another --trace-dir", r->subjects[i].name,
                    (int)strcspn(lost, "\n"), lost);
        else
            err_set(&err, TARE_CHILD, "'%s' hit %d of its %d points and no arc: an arc goes from one point to the next",
                    r->subjects[i].name, c.points_passed, c.points);
        return cli_fail(t->run.cli, lost ? EXIT_TOOL : EXIT_CHILD, &err);
    }
    return EXIT_ANSWERED;
}

int trace_measure(struct trace *t)
{
    struct tare_err err;
    enum tare_status status = trace_make_base(t, &err);
    if (status)
        return cli_fail(t->run.cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err);
    t->run.exec_options.take = trace_take;
    const int code = run_session(&t->run);
    return code == EXIT_ANSWERED || code == EXIT_UNDECIDED ? (int)cli_worse((enum exit_code)code, (enum exit_code)say_no_arc(t))
                                                           : code;
}

void trace_begin(struct trace *t, struct cli *cli, const struct trace_options *options)
{
    *t = (struct trace){.o = options};
    t->run = (struct run){.cli = cli, .o = &options->run, .traced = true};
    record_init(&t->run.record);
}

int trace_end(struct trace *t, int code)
{
    code = (int)cli_worse((enum exit_code)code, trace_remove_base(t));
    code = run_end(&t->run, code);
    trace_kept_close(&t->kept);
    return code;
}

int cmd_trace(struct cli *cli, const void *options)
{
    struct trace t;
    struct tare_err err;
    trace_begin(&t, cli, options);
    enum tare_status status = trace_describe(&t, &err);
    int code;
    if (status) {
        code = cli_fail(cli, run_code_of(status), &err);
    } else {
        run_say_notes(&t.run);
        code = t.run.o->dry_run ? run_dry(&t.run) : trace_measure(&t);
    }
    return trace_end(&t, code);
}
