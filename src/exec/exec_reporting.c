/* SPDX-License-Identifier: MIT */
#include "exec_state.h"
#include "reporting.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many iterations a sample has is found once, and whether there is anything to measure; twins get the smaller number, so that both run under the same terms. */
static void hand_down(struct bench_request *q, const struct bench_report *report)
{
    if (report->end.iterations && !q->iterations)
        q->iterations = report->end.iterations;
    q->guard = false;
    if (q->twin && q->twin->iterations && q->iterations && q->twin->iterations < q->iterations)
        q->iterations = q->twin->iterations;
    else if (q->twin && q->twin->iterations > q->iterations)
        q->twin->iterations = q->iterations;
}

static enum tare_status take_report(struct exec *x, int index, int round, int slot, bool warmup,
                                    const struct plat_child_result *result, struct run_values *y,
                                    const struct bench_report *report, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    reporting_judge(c, round, result, x->o->timeout_ns, report->trouble, report->has_hello,
                    report->has_end && report->end.state != WIRE_OK);
    if (!c->bench->failure[0] && !bench_samples_fit(report, x->r, c->subject))
        reporting_give_up(c, "reported more samples than a session keeps", "ask for fewer with --samples", round);
    if (c->bench->failure[0])
        return TARE_OK;
    hand_down(c->bench, report);
    bench_fill(report, y->values + x->n_columns - BENCH_COLUMNS);
    const struct row process = {.round = round, .start_ns = result->start_ns - x->start_ns};
    if (*report->end.remark && record_set_remark(x->r, c->subject, report->end.remark))
        return err_set(err, TARE_NO_MEMORY, "no memory for a remark");
    if (report->end.label && *report->end.label && record_set_label(x->r, c->subject, report->end.label))
        return err_set(err, TARE_NO_MEMORY, "no memory for a label");
    if (!warmup && (bench_samples(report, &process, x->r, c->subject) || bench_counts(report, &process, x->r, c->subject)))
        return err_set(err, TARE_NO_MEMORY, "no memory for another sample");
    return exec_append(x, index, round, slot, warmup, result, y, err);
}

static double column_value(const struct exec *x, const struct run_values *y, const char *id)
{
    for (int i = 0; i < x->n_columns; i++)
        if (!strcmp(x->columns[i], id))
            return y->values[i];
    return NAN;
}

/* ---- the end of the time there is ---- */

enum { GRACE_NS = 500000000 };

/* The runs still to be made in the round share what is left evenly: one that hangs does not take it all from the others. */
static int64_t share_ns(const struct exec *x, const struct exec_place *place)
{
    int64_t left = x->o->end_ns - plat_now_ns();
    return (left > 0 ? left / (place->slots - place->slot) : 0) + GRACE_NS;
}

static bool is_over(const struct exec *x, const struct exec_place *place)
{
    return x->o->end_ns && plat_now_ns() >= x->o->end_ns && (place->round || place->slot);
}

static bool stopped_at_share(const struct exec *x, const struct plat_child_result *result)
{
    return x->limit_ns && result->end == CHILD_TIMED_OUT && (!x->o->timeout_ns || x->limit_ns < x->o->timeout_ns);
}

/* A target of which something is known was asked once too often; one of which nothing is has had all that there is for it. */
static enum tare_status stop_at_share(struct exec *x, const struct exec_command *c, int round, struct tare_err *err)
{
    char room[200];
    struct buf text = buf_over(room, sizeof room);
    c->leak->out_of_time = x->r->series[c->subject].main.n > 0;
    if (c->leak->out_of_time)
        return record_set_remark(x->r, c->subject,
                                 "its last process did not end with the time that there was for it; it does not count")
                   ? err_set(err, TARE_NO_MEMORY, "no memory for a remark")
                   : TARE_OK;
    buf_format(&text, "was stopped after %.2g s, its share of --max-time,", (double)x->limit_ns / 1e9);
    reporting_give_up(c, buf_text(&text), "it hangs, or needs more (--max-time)", round);
    return TARE_OK;
}

bool exec_out_of_time(const struct exec *x, int command)
{
    const struct leak_request *q = x->commands[command].leak;
    return q && q->out_of_time;
}

/* ---- a process of a target ---- */

/* What the times say is not exec's: who keeps them is told, and the row says where they are. */
static enum tare_status take_leaks(struct exec *x, int index, int round, int slot, const struct plat_child_result *result,
                                   struct run_values *y, struct leak_report *report, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    if (stopped_at_share(x, result))
        return stop_at_share(x, c, round, err);
    report->core_hz = column_value(x, y, "core_hz");
    report->cpu = leak_cpu(column_value(x, y, "first_cpu"), column_value(x, y, "last_cpu"));
    reporting_judge(c, round, result, x->o->timeout_ns, report->trouble, report->has_hello,
                    report->has_end && report->end.state != WIRE_OK);
    c->leak->facts |= report->has_end ? report->end.facts : 0;
    if (c->leak->failure[0])
        return TARE_OK;
    leak_learn(c->leak, report);
    if (report->end.remark && *report->end.remark && record_set_remark(x->r, c->subject, report->end.remark))
        return err_set(err, TARE_NO_MEMORY, "no memory for a remark");
    int64_t at = x->o->take_report ? x->o->take_report(x->o->context, c->subject, report) : -1;
    if (c->leak->failure[0]) /* its times cannot be judged */
        return TARE_OK;
    leak_fill(report, at, y->values + x->n_columns - LEAK_COLUMNS);
    return exec_append(x, index, round, slot, false, result, y, err);
}

/* ---- the time that a process had ---- */

int64_t exec_asleep_ns(void)
{
    const int64_t all = plat_clock_ns(PLAT_CLOCK_BOOTTIME), awake = plat_clock_ns(PLAT_CLOCK_MONOTONIC);
    return all > INT64_MIN && awake > INT64_MIN ? all - awake : 0;
}

/* Some clocks go on while the machine sleeps, or jump with a virtual machine, and the one by which runs are timed does not. */
static double clocks_ran_on_ns(const struct exec *x)
{
    struct clock_pair since = clock_state()->start;
    const int64_t before = since.ns;
    double ppm, bound_ppm, ahead_ns = 0;
    if (!clock_drift(&since, &ppm, &bound_ppm, NULL))
        ahead_ns = ppm / 1e6 * (double)(since.ns - before);
    return fmax(0, ahead_ns) + fmax(0, (double)(exec_asleep_ns() - x->asleep_ns));
}

/* Clocks that nobody calibrated are known to some per cent. */
static double had_ns(const struct plat_child_result *result)
{
    enum { SLACK_NS = 10000000 };
    return 1.05 * (double)(result->end_ns - result->start_ns) + SLACK_NS;
}

/* A counter has one rate, for us as for the process. */
static void hold_rate(const struct wire_clock *c, bool has_clock, char *trouble, size_t room)
{
    const struct clock_counter *ours = has_clock && c->counter ? &clock_state()->counter : NULL;
    if (trouble[0] || !ours || !ours->trusted || strcmp(c->name, ours->name) != 0 || fabs(c->hz / ours->hz - 1) <= 0.05)
        return;
    struct buf b = buf_over(trouble, room);
    buf_format(&b, "reports what is impossible: a rate of %.0f MHz for %.20s, which runs at %.0f", c->hz / 1e6, c->name,
               ours->hz / 1e6);
}

static void read_bench(struct exec *x, int index, const char *bytes, size_t n, const struct plat_child_result *result,
                       struct bench_report *out)
{
    const struct bench_request *q = x->commands[index].bench;
    bench_read(bytes, n, q, had_ns(result), out);
    if (out->trouble[0])
        bench_read(bytes, n, q, had_ns(result) + clocks_ran_on_ns(x), out);
    hold_rate(&out->clock, out->has_clock, out->trouble, sizeof out->trouble);
}

static void read_leaks(struct exec *x, int index, const char *bytes, size_t n, const struct plat_child_result *result,
                       struct leak_report *out)
{
    const char *target = x->commands[index].leak->target;
    leak_read(bytes, n, target, had_ns(result), out);
    if (out->trouble[0])
        leak_read(bytes, n, target, had_ns(result) + clocks_ran_on_ns(x), out);
    hold_rate(&out->clock, out->has_clock, out->trouble, sizeof out->trouble);
}

/* ---- its report ---- */

/* The caller frees *bytes, also after a failure. */
static enum tare_status read_report(struct exec *x, int index, char **bytes, size_t *n, struct tare_err *err)
{
    int64_t size = plat_scratch_size(x->streams.report);
    *n = size < BENCH_REPORT_BYTES ? (size_t)size : BENCH_REPORT_BYTES;
    *bytes = malloc(*n + 1);
    if (!*bytes)
        return err_set(err, TARE_NO_MEMORY, "no memory for the report of '%s'", x->commands[index].name);
    return plat_scratch_read(x->streams.report, 0, *bytes, *n, err);
}

static enum tare_status collect_report(struct exec *x, int index, int round, int slot, bool warmup,
                                       const struct plat_child_result *result, struct run_values *y, struct tare_err *err)
{
    char *bytes;
    size_t n;
    enum tare_status status = read_report(x, index, &bytes, &n, err);
    if (!status && x->commands[index].bench) {
        struct bench_report report;
        read_bench(x, index, bytes, n, result, &report);
        status = take_report(x, index, round, slot, warmup, result, y, &report, err);
    } else if (!status) {
        struct leak_report report;
        read_leaks(x, index, bytes, n, result, &report);
        status = take_leaks(x, index, round, slot, result, y, &report, err);
    }
    free(bytes);
    return status;
}

enum tare_status exec_reporting_run(struct exec *x, int index, const struct exec_place *place, bool warmup, struct tare_err *err)
{
    const int round = place->round, slot = place->slot;
    const struct exec_command *c = &x->commands[index];
    struct plat_child_result result = {0};
    struct run_values y;
    const bool rests = c->leak && c->leak->rests;
    if (reporting_failure(c)[0] || rests || exec_out_of_time(x, index) || is_over(x, place))
        return TARE_OK;
    x->limit_ns = x->o->end_ns ? share_ns(x, place) : 0;
    enum tare_status status = exec_measure(x, index, round, &result, err);
    if (!status)
        status = exec_collect(x, index, &result, &y, err);
    if (!status)
        status = collect_report(x, index, round, slot, warmup, &result, &y, err);
    streams_after_run(&x->streams);
    if (status != TARE_CHILD)
        return status;
    reporting_give_up(c, err ? err->text : "could not be started", "", round);
    return TARE_OK;
}

const char *exec_failure(const struct exec *x, int command)
{
    const char *failure = reporting_failure(&x->commands[command]);
    return failure && failure[0] ? failure : NULL;
}

enum tare_status exec_reporting_requests(struct exec *x, const int *order, int n, struct tare_err *err)
{
    uint64_t seed = rng_next(&x->seeds);
    buf_clear(&x->variable);
    for (int i = 0; i < n; i++) { /* the seed is the round's: what is compared gets the same inputs */
        if (x->targets)
            leak_variable(x->commands[order[i]].leak, seed, &x->variable);
        else
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

static void take_events(const struct bench_report *report, struct exec_reported *out)
{
    for (uint32_t i = 0; report->has_end && i < report->end.n_counters && out->n_events < WIRE_EVENTS_MAX; i++) {
        const struct wire_counter *c = &report->end.counters[i];
        if (strncmp(c->name, WIRE_EVENT_PREFIX, strlen(WIRE_EVENT_PREFIX)) != 0)
            continue;
        struct buf name = buf_over(out->event[out->n_events].name, sizeof out->event->name);
        buf_str(&name, c->name);
        out->event[out->n_events++].value = c->value;
    }
}

enum tare_status exec_reported_read(struct exec *x, int command, const struct plat_child_result *result,
                                    struct exec_reported *out, struct tare_err *err)
{
    struct bench_report report;
    char *bytes;
    size_t n;
    enum tare_status status = read_report(x, command, &bytes, &n, err);
    if (!status) {
        read_bench(x, command, bytes, n, result, &report);
        *out = (struct exec_reported){.iterations = report.end.iterations, .threads = (int)report.bench.threads};
        memcpy(out->trouble, report.trouble, sizeof out->trouble);
        take_events(&report, out);
    }
    free(bytes);
    return status;
}
