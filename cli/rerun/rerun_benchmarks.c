/* SPDX-License-Identifier: MIT
 *
 * `tare rerun` of a record of tare bench. The plan that is shown comes from the record, for a program would have to be started to name its
 * benchmarks; those that it then names are measured, by the same words, and each is held against the one of its name.
 */
#include "bench_session.h"
#include "rerun.h"
#include <string.h>

static bool is_in(const struct record *r, const char *name)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (!strcmp(r->subjects[i].name, name))
            return true;
    return false;
}

/* Those that are gone are in the answer. */
static void say_new(const struct rerun *x, const struct run *run)
{
    for (int i = 0; i < run->record.n_subjects; i++) {
        if (is_in(&x->then, run->record.subjects[i].name))
            continue;
        struct buf text = BUF_INIT(1 << 16);
        buf_format(&text, "%s is not in %.1000s: it is measured, and there is nothing to hold it against",
                   run->record.subjects[i].name, x->path);
        run_say(run, buf_text(&text));
        buf_finish(&text);
    }
}

static int fail(const struct rerun *x, enum tare_status status, struct tare_err *err)
{
    err_prefix(err, x->path);
    return cli_fail(x->cli, status == TARE_FORMAT ? EXIT_INVALID : bench_code_of(status), err);
}

static enum exit_code consent(const struct rerun *x, struct cli *as_recorded, uint64_t *seed, bool *agreed)
{
    struct bench planned;
    struct tare_err err;
    *agreed = false;
    bench_begin(&planned, as_recorded, &x->plan.options.bench);
    planned.recorded = &x->then;
    enum tare_status status = bench_describe(&planned, &err);
    enum exit_code code = status ? (enum exit_code)fail(x, status, &err) : rerun_consent(x, &planned.run, agreed);
    *seed = planned.run.record.seed;
    return cli_worse(code, run_close(&planned.run));
}

int rerun_benchmarks(struct rerun *x)
{
    struct cli as_recorded = rerun_cli(x);
    struct bench again;
    struct tare_err err;
    uint64_t seed;
    bool agreed;
    enum exit_code code = consent(x, &as_recorded, &seed, &agreed);
    if (!agreed)
        return (int)code;
    bench_begin(&again, &as_recorded, &x->plan.options.bench);
    again.run.shown_seed = &seed;
    again.run.concluded = rerun_answer;
    again.run.tuned_before = true;
    again.run.context = x;
    enum tare_status status = bench_describe(&again, &err);
    if (status) {
        code = (enum exit_code)fail(x, status, &err);
    } else {
        say_new(x, &again.run);
        code = (enum exit_code)run_whole(&again.run);
    }
    return run_end(&again.run, (int)code);
}
