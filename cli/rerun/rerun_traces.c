/* SPDX-License-Identifier: MIT
 *
 * `tare rerun` of a record of tare trace. The programs are those of the record; what of them is traced is theirs to say, so the points and arcs
 * of the new session are matched with the recorded ones when it is over.
 */
#include "rerun.h"
#include "trace_session.h"

static int run_again(struct rerun *x, struct trace *t)
{
    bool agreed;
    trace_say_notes(t);
    enum exit_code code = rerun_consent(x, &t->run, &agreed);
    return agreed ? trace_measure(t) : (int)code;
}

int rerun_traces(struct rerun *x)
{
    struct cli as_recorded = rerun_cli(x);
    struct trace t;
    struct tare_err err;
    trace_begin(&t, &as_recorded, &x->plan.options.trace);
    t.run.concluded = rerun_answer;
    t.run.context = x;
    t.run.tuned_before = true;
    enum tare_status status = trace_describe(&t, &err);
    if (!status)
        status = replan_check(&x->then, &t.run.record, &err);
    int code;
    if (status) {
        err_prefix(&err, x->path);
        code = cli_fail(x->cli, status == TARE_FORMAT ? EXIT_INVALID : trace_code_of(status), &err);
    } else {
        code = run_again(x, &t);
    }
    return trace_end(&t, code);
}
