/* SPDX-License-Identifier: MIT */
#include "exec_state.h"
#include "fate.h"
#include <stdlib.h>
#include <string.h>

static void give_up(struct bench_request *q, const char *what, const char *more, int round)
{
    struct buf b = buf_over(q->failure, sizeof q->failure);
    if (!strncmp(what, "skipped", 7) || !strncmp(what, "optimised-away", 14)) /* all its processes would */
        buf_format(&b, "%.200s", what);
    else
        buf_format(&b, "%.160s in process %d%s%s", what, round + 1, *more ? "; " : "", more);
}

/* A process that died is described by its end; what it reported may explain it. */
static void judge_process(struct exec *x, int index, int round, const struct plat_child_result *result,
                          const struct bench_report *report)
{
    struct bench_request *q = x->commands[index].bench;
    bool told = report->has_end && report->end.state != WIRE_OK;
    if (report->trouble[0] && (told || !fate_failed(result) || !report->has_hello))
        give_up(q, report->trouble, "", round);
    if (!fate_failed(result) || told)
        return;
    struct buf fate = BUF_INIT(256);
    fate_describe(&fate, result, x->o->timeout_ns);
    give_up(q, buf_text(&fate), result->end == CHILD_TIMED_OUT ? "give more time with --timeout" : "", round);
    buf_finish(&fate);
}

/* How many iterations a sample has is found once; twins get the smaller number, so that both run under the same terms. */
static void hand_down(struct bench_request *q, const struct bench_report *report)
{
    if (report->end.iterations && !q->iterations)
        q->iterations = report->end.iterations;
    if (q->twin && q->twin->iterations && q->iterations && q->twin->iterations < q->iterations)
        q->iterations = q->twin->iterations;
    else if (q->twin && q->twin->iterations > q->iterations)
        q->twin->iterations = q->iterations;
}

static enum tare_status take_report(struct exec *x, int index, int round, int slot, bool warmup,
                                    const struct plat_child_result *result, struct yield *y, const struct bench_report *report,
                                    struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    judge_process(x, index, round, result, report);
    if (c->bench->failure[0])
        return TARE_OK;
    hand_down(c->bench, report);
    bench_fill(report, y->values + x->n_columns - BENCH_COLUMNS);
    const struct row process = {.round = round, .start_ns = result->start_ns - x->start_ns};
    if (*report->end.remark && record_set_remark(x->r, c->subject, report->end.remark))
        return err_set(err, TARE_NO_MEMORY, "no memory for a remark");
    if (!warmup && (bench_samples(report, &process, x->r, c->subject) || bench_counts(report, &process, x->r, c->subject)))
        return err_set(err, TARE_NO_MEMORY, "no memory for another sample");
    return exec_append(x, index, round, slot, warmup, result, y, err);
}

static enum tare_status collect_report(struct exec *x, int index, int round, int slot, bool warmup,
                                       const struct plat_child_result *result, struct yield *y, struct tare_err *err)
{
    int64_t size = plat_scratch_size(x->streams.report);
    size_t n = size < BENCH_REPORT_BYTES ? (size_t)size : BENCH_REPORT_BYTES;
    char *bytes = malloc(n + 1);
    if (!bytes)
        return err_set(err, TARE_NO_MEMORY, "no memory for the report of '%s'", x->commands[index].name);
    enum tare_status status = plat_scratch_read(x->streams.report, 0, bytes, n, err);
    if (!status) {
        struct bench_report report;
        bench_read(bytes, n, x->commands[index].bench, &report);
        status = take_report(x, index, round, slot, warmup, result, y, &report, err);
    }
    free(bytes);
    return status;
}

enum tare_status exec_bench_run(struct exec *x, int index, int round, int slot, bool warmup, struct tare_err *err)
{
    struct bench_request *q = x->commands[index].bench;
    struct plat_child_result result = {0};
    struct yield y;
    if (q->failure[0])
        return TARE_OK;
    enum tare_status status = exec_measure(x, index, round, &result, err);
    if (!status)
        status = exec_collect(x, index, &result, &y, err);
    if (!status)
        status = collect_report(x, index, round, slot, warmup, &result, &y, err);
    streams_after_run(&x->streams);
    if (status != TARE_CHILD)
        return status;
    give_up(q, err ? err->text : "could not be started", "", round);
    return TARE_OK;
}

const char *exec_failure(const struct exec *x, int command)
{
    const struct bench_request *q = x->commands[command].bench;
    return q && q->failure[0] ? q->failure : NULL;
}

enum tare_status exec_bench_requests(struct exec *x, const int *order, int n, struct tare_err *err)
{
    uint64_t seed = rng_next(&x->seeds);
    buf_clear(&x->variable);
    for (int i = 0; i < n; i++) { /* the seed is the round's: what is compared gets the same inputs */
        bench_variable(x->commands[order[i]].bench, seed, &x->variable);
        buf_char(&x->variable, 0);
    }
    if (x->variable.status)
        return err_set(err, TARE_NO_MEMORY, "no memory for the requests to the benchmarks");
    const char *at = x->variable.data;
    for (int i = 0; i < n; i++) {
        padding_set_variable(&x->padding, order[i], at);
        at += strlen(at) + 1;
    }
    return TARE_OK;
}
