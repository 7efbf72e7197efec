/* SPDX-License-Identifier: MIT
 * Runs of programs with control points: one folder each, named in the environment, read by who asked for it between two runs. */
#include "exec_state.h"
#include "exit_status.h"
#include <math.h>
#include <string.h>

static enum tare_status name_folder(struct exec *x, int index, int round, bool warmup, struct tare_err *err)
{
    buf_clear(&x->folder);
    trace_folder(&x->folder, x->o->trace_base, x->commands[index].trace, round, warmup);
    return x->folder.status ? err_set(err, TARE_TOO_LARGE,
                                      "the path of the folder for traces is longer than %d bytes; take a shorter one "
                                      "(--trace-dir, TMPDIR)",
                                      TRACE_FOLDER_MAX)
                            : TARE_OK;
}

enum tare_status exec_tracing_requests(struct exec *x, const int *order, int n, int round, bool warmup, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    if (!x->traced)
        return TARE_OK;
    uint64_t seed = rng_next(&x->seeds);
    buf_clear(&x->variable);
    for (int i = 0; i < n && !status; i++) { /* the seed is the round's: what is compared has its windows at the same passes */
        if (x->commands[order[i]].trace && !(status = name_folder(x, order[i], round, warmup, err)))
            trace_variable(x->commands[order[i]].trace, buf_text(&x->folder), seed,
                           trace_repeat(x->commands[order[i]].trace, x->o->seed, round, warmup), &x->variable);
        buf_char(&x->variable, 0);
    }
    if (!status && x->variable.status)
        status = err_set(err, TARE_NO_MEMORY, "no memory for the requests to the programs");
    const char *at = x->variable.data;
    for (int i = 0; i < n && !status; i++) {
        padding_set_variable(&x->padding, order[i], x->commands[order[i]].trace ? at : NULL);
        at += strlen(at) + 1;
    }
    return status;
}

enum tare_status exec_tracing_begin(struct exec *x, int index, int round, bool warmup, struct tare_err *err)
{
    if (!x->commands[index].trace)
        return TARE_OK;
    enum tare_status status = name_folder(x, index, round, warmup, err);
    return status ? status : plat_directory_make(buf_text(&x->folder), err);
}

/* Who goes on has the run's folder in its environment, as nobody of another run has. */
static int who_is_alive(const struct exec *x, int *ids, int room)
{
    struct buf line = BUF_INIT(1 << 16);
    buf_format(&line, "\nfolder %s\n", buf_text(&x->folder));
    int n = line.status ? 0 : plat_process_below(plat_spawner_pid(x->spawner), buf_text(&line), ids, room);
    buf_finish(&line);
    return n;
}

enum tare_status exec_tracing_take(struct exec *x, int index, int round, bool warmup, const struct plat_child_result *result,
                                   struct run_values *y, struct tare_err *err)
{
    if (!x->traced)
        return TARE_OK;
    enum { ALIVE_MOST = 64 };
    int alive[ALIVE_MOST], n_alive = x->commands[index].trace ? who_is_alive(x, alive, ALIVE_MOST) : 0;
    double *values = y->values + x->n_columns - TRACE_RUN_COLUMNS;
    for (int i = 0; i < TRACE_RUN_COLUMNS; i++)
        values[i] = NAN;
    const struct exec_traced run = {.subject = x->commands[index].subject,
                                    .round = round,
                                    .warmup = warmup,
                                    .failed = exit_status_failed(result),
                                    .folder = buf_text(&x->folder),
                                    .had_ns = plat_now_ns() - result->start_ns,
                                    .alive = alive,
                                    .n_alive = n_alive};
    return x->commands[index].trace ? x->o->take_trace(x->o->context, &run, values, err) : TARE_OK;
}

/* A folder that cannot be removed lies in one that is removed at the end, which then says so. */
void exec_tracing_end(struct exec *x, int index)
{
    if (x->commands[index].trace && !x->o->keep_traces)
        plat_directory_remove(buf_text(&x->folder), NULL);
}
