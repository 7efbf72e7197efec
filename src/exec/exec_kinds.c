/* SPDX-License-Identifier: MIT
 *
 * The kinds of subjects: what the processes of a benchmark, a leak target and a traced program are asked for in a round, and how what they leave becomes a row.
 */
#include "exec_state.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COULD_NOT_REPORT = 6 }; /* libtare's exit code */

/* The caller frees *bytes, also after a failure. */
static enum tare_status read_report(const struct exec *x, int index, int file, char **bytes, size_t *n, struct tare_err *err)
{
    int64_t size = plat_scratch_size(file);
    *n = size < BENCH_REPORT_BYTES ? (size_t)size : BENCH_REPORT_BYTES;
    *bytes = malloc(*n + 1);
    if (!*bytes)
        return err_set(err, TARE_NO_MEMORY, "no memory for the report of '%s'", x->commands[index].name);
    return plat_scratch_read(file, 0, *bytes, *n, err);
}

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
    buf_format(&b, "reports what is impossible: a rate of %s for %.20s, which runs at %s", scaled_text("Hz", c->hz).at, c->name,
               scaled_text("Hz", ours->hz).at);
}

void exec_give_up(struct exec_command *c, const char *what, const char *more, int round)
{
    struct buf b = buf_over(c->failure, sizeof c->failure);
    bool by_its_word = c->leak && !strncmp(what, "failed: ", 8);
    if (by_its_word || !strncmp(what, "skipped", 7) || !strncmp(what, "optimised-away", 14)) /* all its processes would */
        buf_format(&b, "%.200s", what);
    else
        buf_format(&b, "%.160s in process %d%s%s", what, round + 1, *more ? "; " : "", more);
}

enum { WROTE_BYTES = sizeof(((struct command_state *)0)->wrote) };

static void read_errors(const struct exec *x, char text[WROTE_BYTES])
{
    const int64_t size = x->streams.kept_err < 0 ? 0 : plat_scratch_size(x->streams.kept_err);
    const size_t n = size < WROTE_BYTES ? (size_t)size : WROTE_BYTES - 1;
    memset(text, 0, WROTE_BYTES);
    if (n && plat_scratch_read(x->streams.kept_err, 0, text, n, NULL))
        text[0] = 0;
}

/* The state of the process that this benchmark shares with others; NULL: it has its own. */
static struct command_state *shared_state(const struct exec *x, int command)
{
    const int process = x->commands[command].process;
    return process ? &x->state[process - 1] : NULL;
}

enum tare_status exec_keep_printed(struct exec *x, int command, struct tare_err *err)
{
    struct command_state *s = &x->state[command];
    if (!x->commands[command].bench->translate || x->o->results)
        return TARE_OK;
    free(s->printed);
    read_errors(x, s->wrote);
    return read_report(x, command, x->streams.kept_out, &s->printed, &s->n_printed, err);
}

/* The first line of what a program of another harness wrote to standard error; "" where nothing was kept. */
static void first_error(const struct exec *x, int command, struct buf *out)
{
    char text[WROTE_BYTES];
    const struct command_state *shared = shared_state(x, command);
    if (shared && shared->printed)
        memcpy(text, shared->wrote, sizeof text);
    else
        read_errors(x, text);
    const char *line = text + strspn(text, "\n");
    const int length = (int)strcspn(line, "\n");
    if (length)
        buf_format(out, "it wrote: %.*s", length, line);
}

/* A process that died is described by its end; what it reported may explain it. trouble: what is wrong with the report; told: by its own word. */
static void judge_report(const struct exec *x, const struct exec_run *run, const char *trouble, bool hello, bool told)
{
    struct exec_command *c = &x->commands[run->command];
    const struct plat_child_result *result = &run->result;
    char wrote[200];
    struct buf errors = buf_over(wrote, sizeof wrote);
    first_error(x, run->command, &errors);
    if (trouble[0] && (told || !exit_status_failed(result) || !hello))
        exec_give_up(c, trouble, told ? "" : buf_text(&errors), run->round);
    if (!exit_status_failed(result) || told)
        return;
    struct buf exit_status = BUF_INIT(256);
    exit_status_describe(&exit_status, result, x->o->timeout_ns);
    bool mute = result->end == CHILD_EXITED && result->code == COULD_NOT_REPORT && !(c->bench && c->bench->translate);
    exec_give_up(c, buf_text(&exit_status),
                 result->end == CHILD_TIMED_OUT ? "give more time with --timeout"
                 : mute                         ? "it could not report: does it close descriptors that are not its own?"
                                                : buf_text(&errors),
                 run->round);
    buf_finish(&exit_status);
}

/* What it printed becomes the frames that it did not write. */
static enum tare_status translate(const struct bench_request *q, char **bytes, size_t *n, struct tare_err *err)
{
    struct buf frames = BUF_INIT(BENCH_REPORT_BYTES);
    enum tare_status status = q->translate(q->context, q->benchmark, *bytes, *n, &frames, err);
    free(*bytes);
    *bytes = frames.data;
    *n = frames.len;
    return status;
}

static enum tare_status read_printed(const struct exec *x, int index, char **bytes, size_t *n, struct tare_err *err)
{
    const struct command_state *shared = shared_state(x, index);
    if (!shared || !shared->printed)
        return read_report(x, index, x->streams.kept_out, bytes, n, err);
    *n = shared->n_printed;
    *bytes = malloc(*n + 1);
    if (!*bytes)
        return err_no_memory(err);
    memcpy(*bytes, shared->printed, *n);
    return TARE_OK;
}

static enum tare_status read_bench(const struct exec *x, int index, const struct plat_child_result *result, char **bytes,
                                   struct bench_report *out, struct tare_err *err)
{
    const struct bench_request *q = x->commands[index].bench;
    size_t n = 0;
    enum tare_status status = TARE_OK;
    if (!q->translate)
        status = read_report(x, index, x->streams.report, bytes, &n, err);
    else if (!x->o->results)
        status = read_printed(x, index, bytes, &n, err);
    if (!status && q->translate)
        status = translate(q, bytes, &n, err);
    if (status)
        return status;
    bench_read(*bytes, n, q, had_ns(result), out);
    if (out->trouble[0])
        bench_read(*bytes, n, q, had_ns(result) + clocks_ran_on_ns(x), out);
    hold_rate(&out->clock, out->has_clock, out->trouble, sizeof out->trouble);
    return TARE_OK;
}

/* The time of an iteration in its samples, in ticks, of at most `room`; returns how many. */
static int bench_values(const struct bench_report *b, double *values, int room)
{
    struct wire_reader reader = {b->bytes, b->n, 0};
    struct wire_frame f;
    int n = 0;
    while (!wire_next(&reader, &f, NULL))
        for (uint32_t i = 0; f.type == WIRE_SAMPLES && i < f.u.samples.n && n < room; i++)
            values[n++] =
                (double)wire_sample(&f.u.samples, WIRE_TICKS, i) / (double)wire_sample(&f.u.samples, WIRE_ITERATIONS, i);
    return n;
}

/* How many iterations a sample has is found once, and whether there is anything to measure; twins get the smaller number, so that both run under the same terms. */
static void hand_down(struct bench_request *q, const struct bench_report *report, double took_ns)
{
    double values[64];
    if (q->set_length) {
        sample_length_take(&q->length, values, bench_values(report, values, sizeof values / sizeof *values), report->samples,
                           took_ns);
        sample_length_reach(&q->length, *q->least_ns);
    }
    if (report->end.iterations && !q->iterations)
        q->iterations = report->end.iterations;
    q->asked.guard = 0;
    if (q->twin && q->twin->iterations && q->iterations && q->twin->iterations < q->iterations)
        q->iterations = q->twin->iterations;
    else if (q->twin && q->twin->iterations > q->iterations)
        q->twin->iterations = q->iterations;
}

/* A rate that decides, though by its name alone less of it would be better. */
static void hold_direction(const struct exec *x, struct exec_run *run, const struct wire_end *end)
{
    struct exec_command *c = &x->commands[run->command];
    for (uint32_t i = 0; i < end->n_counters; i++) {
        const struct wire_counter *counter = &end->counters[i];
        const enum metric_direction meant = counter->inverted ? METRIC_LOWER : METRIC_HIGHER;
        for (int k = 0; k < x->o->n_own && counter->per == WIRE_PER_SECOND && !c->failure[0]; k++) {
            const struct own_metric *m = &x->o->own[k];
            struct buf what = BUF_INIT(256), more = BUF_INIT(256);
            if (m->kind != OWN_COUNTER || strcmp(m->text, counter->name) != 0 || m->direction_given || m->direction == meant)
                continue;
            buf_format(&what, "counts %s as %s", m->text, counter->inverted ? "the time of one" : "a rate");
            buf_format(&more, "say which is better: --metric counter:%s:%s", m->text, counter->inverted ? "lower" : "higher");
            exec_give_up(c, buf_text(&what), buf_text(&more), run->round);
            buf_finish(&what);
            buf_finish(&more);
        }
    }
}

/* Under other terms it is another benchmark, whose times do not belong to those before. */
static void hold_terms(struct exec_command *c, const struct wire_bench *b, int round)
{
    const uint64_t terms = c->failure[0] ? 0 : bench_terms(b);
    if (terms && c->bench->terms && terms != c->bench->terms)
        exec_give_up(c, "reports other arguments, threads, clock or version than before", "", round);
    c->bench->terms = c->bench->terms ? c->bench->terms : terms;
}

static enum tare_status keep_bench(struct exec *x, struct exec_run *run, const struct bench_report *report, struct tare_err *err)
{
    struct exec_command *c = &x->commands[run->command];
    const bool explained = c->bench->failure_reported && *c->bench->failure_reported && run->result.end == CHILD_EXITED;
    judge_report(x, run, report->trouble, report->has_hello, explained || (report->has_end && report->end.state != WIRE_OK));
    if (!c->failure[0] && !bench_samples_fit(report, x->r, c->subject))
        exec_give_up(c, "reported more samples than a session keeps", "ask for fewer with --samples", run->round);
    hold_terms(c, &report->bench, run->round);
    hold_direction(x, run, &report->end);
    if (c->failure[0])
        return TARE_OK;
    const int64_t took_ns = run->result.end_ns - run->result.start_ns;
    hand_down(c->bench, report, c->process ? 0 : (double)took_ns); /* one process of several benchmarks has the shares of all */
    bench_fill(report, run->kind_values);
    const double *steps = c->bench->printed_steps;
    if (steps)
        run->kind_values[-1] = steps[0]; /* has_bench_step */
    for (uint32_t i = 0; i < report->end.n_counters; i++)
        exec_take_counter(x, run, report->end.counters[i].name, report->end.counters[i].value, steps ? steps[1 + i] : 0);
    if (*report->end.remark && record_set_remark(x->r, c->subject, report->end.remark))
        return err_set(err, TARE_NO_MEMORY, "no memory for a remark");
    if (report->end.label && *report->end.label && record_set_label(x->r, c->subject, report->end.label))
        return err_set(err, TARE_NO_MEMORY, "no memory for a label");
    if (!run->warmup && (bench_samples(report, &run->row, x->r, c->subject) || bench_counts(report, &run->row, x->r, c->subject)))
        return err_set(err, TARE_NO_MEMORY, "no memory for another sample");
    run->made = true;
    return TARE_OK;
}

static enum tare_status take_bench(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    struct bench_report report;
    char *bytes = NULL;
    enum tare_status status = read_bench(x, run->command, &run->result, &bytes, &report, err);
    if (!status)
        status = keep_bench(x, run, &report, err);
    free(bytes);
    return status;
}

static enum tare_status request_bench(struct exec *x, const struct exec_run *run, uint64_t seed, struct buf *out,
                                      struct tare_err *err)
{
    struct bench_request *q = x->commands[run->command].bench;
    (void)err;
    if (!q->translate) {
        bench_variable(q, seed, out);
        return TARE_OK;
    }
    if (!q->set_length)
        return TARE_OK;
    if (q->twin && q->twin->set_length) {
        sample_length_share(&q->length, &q->twin->length);
        q->twin->set_length(q->twin->context, q->twin->length.ns);
    }
    q->set_length(q->context, q->length.ns);
    if (q->home)
        buf_format(out, "%s=%s", q->home_variable, q->home);
    return TARE_OK;
}

/* What an earlier process left in it would be taken for this one's. */
static enum tare_status make_home(struct exec *x, const struct exec_run *run, struct tare_err *err)
{
    const struct bench_request *q = x->commands[run->command].bench;
    buf_clear(&x->folder);
    if (!q->home)
        return TARE_OK;
    buf_str(&x->folder, q->home);
    enum tare_status status = x->folder.status ? err_no_memory(err) : plat_directory_remove(q->home, err);
    return status ? status : plat_directory_make(q->home, err);
}

/* As that of a traced run. */
static void remove_home(struct exec *x)
{
    if (x->folder.len)
        plat_directory_remove(buf_text(&x->folder), NULL);
}

const struct exec_kind exec_benchmarks = {.column = bench_column,
                                          .reports = true,
                                          .request = request_bench,
                                          .begin = make_home,
                                          .take = take_bench,
                                          .end = remove_home};

enum tare_status exec_reported_read(const struct exec *x, int command, const struct plat_child_result *result,
                                    struct exec_reported *out, struct tare_err *err)
{
    struct bench_report report;
    char *bytes = NULL;
    enum tare_status status = read_bench(x, command, result, &bytes, &report, err);
    if (!status) {
        *out = (struct exec_reported){.iterations = report.end.iterations, .threads = (int)report.bench.threads};
        memcpy(out->trouble, report.trouble, sizeof out->trouble);
        for (uint32_t i = 0; report.has_end && i < report.end.n_counters && out->n_events < WIRE_EVENTS_MAX; i++) {
            const struct wire_counter *c = &report.end.counters[i];
            if (out->n_events && !strncmp(c->name, WIRE_COUNTED_PREFIX, strlen(WIRE_COUNTED_PREFIX)))
                out->event[out->n_events - 1].counted = c->value;
            if (strncmp(c->name, WIRE_EVENT_PREFIX, strlen(WIRE_EVENT_PREFIX)) != 0)
                continue;
            struct buf name = buf_over(out->event[out->n_events].name, sizeof out->event->name);
            buf_str(&name, c->name);
            out->event[out->n_events].counted = 1;
            out->event[out->n_events++].value = c->value;
        }
    }
    free(bytes);
    return status;
}

void leak_variable(const struct leak_request *q, uint64_t seed, struct buf *out)
{
    struct wire_request w = q->asked;
    w.mode = WIRE_LEAK;
    w.seed = seed;
    w.clock_size = (uint32_t)strlen(q->asked.clock);
    buf_str(out, WIRE_VARIABLE "=");
    wire_request_write(out, &w);
    wire_request_add(out, q->target, q->blocks);
}

/* Of the processor's counter alone: other clocks need no measuring. What a program says may be anything, and what it would refuse is not sent. */
static bool can_be_told(const struct wire_clock *c)
{
    return c->counter && c->hz >= WIRE_HZ_LEAST && c->hz < WIRE_HZ_MOST && c->error_ppm >= 0 && c->error_ppm < 1e6 &&
           c->step_ticks >= 0 && c->step_ticks <= 1e9;
}

void leak_learn(struct leak_request *q, const struct leak_report *report)
{
    const struct wire_clock *c = &report->clock;
    if (q->asked.tick_hz == 0 && can_be_told(c)) {
        q->asked.tick_hz = c->hz;
        q->asked.tick_ppm = c->error_ppm;
        q->asked.tick_step = (int)c->step_ticks;
    }
    if (c->core && c->chain_cycles > 0 && c->chain_cycles <= 1e6)
        q->asked.chain_cycles = (int)c->chain_cycles;
}

static double column_value(const struct exec *x, const struct exec_run *run, const char *id)
{
    for (int i = 0; i < x->n_columns; i++)
        if (!strcmp(x->columns[i], id))
            return run->values[i];
    return NAN;
}

static bool stopped_at_share(const struct exec *x, const struct plat_child_result *result)
{
    return x->limit_ns && result->end == CHILD_TIMED_OUT && (!x->o->timeout_ns || x->limit_ns < x->o->timeout_ns);
}

/* A target of which something is known was asked once too often; one of which nothing is has had all that there is for it. */
static enum tare_status stop_at_share(struct exec *x, struct exec_command *c, int round, struct tare_err *err)
{
    char room[200];
    struct buf text = buf_over(room, sizeof room);
    c->leak->out_of_time = x->r->series[c->subject].main.n > 0;
    if (c->leak->out_of_time)
        return record_set_remark(x->r, c->subject,
                                 "its last process did not end with the time that there was for it; it does not count")
                   ? err_set(err, TARE_NO_MEMORY, "no memory for a remark")
                   : TARE_OK;
    buf_format(&text, "was stopped after %s, its share of --max-time,",
               figure_text(figure_duration, (double)x->limit_ns / 1e9).at);
    exec_give_up(c, buf_text(&text), "it hangs, or needs more (--max-time)", round);
    return TARE_OK;
}

/* What the times say is not exec's: who keeps them is told, and the row says where they are. */
static enum tare_status keep_leaks(struct exec *x, struct exec_run *run, struct leak_report *report, struct tare_err *err)
{
    struct exec_command *c = &x->commands[run->command];
    report->core_hz = column_value(x, run, "core_hz");
    report->cpu = leak_cpu(column_value(x, run, "first_cpu"), column_value(x, run, "last_cpu"));
    judge_report(x, run, report->trouble, report->has_hello, report->has_end && report->end.state != WIRE_OK);
    c->leak->facts |= report->has_end ? report->end.facts : 0;
    if (c->failure[0])
        return TARE_OK;
    leak_learn(c->leak, report);
    if (report->end.remark && *report->end.remark && record_set_remark(x->r, c->subject, report->end.remark))
        return err_set(err, TARE_NO_MEMORY, "no memory for a remark");
    const struct exec_left left = {.subject = c->subject, .round = run->round, .warmup = run->warmup, .report = report};
    enum tare_status status = x->o->take(x->o->context, &left, run->kind_values, err);
    if (status == TARE_CHILD) { /* its times cannot be judged */
        struct buf why = buf_over(c->failure, sizeof c->failure);
        buf_format(&why, "%.200s", err->text);
        return TARE_OK;
    }
    run->made = !status;
    return status;
}

static enum tare_status take_leaks(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    const char *target = x->commands[run->command].leak->target;
    struct leak_report report;
    char *bytes = NULL;
    size_t n;
    enum tare_status status = read_report(x, run->command, x->streams.report, &bytes, &n, err);
    if (!status && stopped_at_share(x, &run->result)) {
        status = stop_at_share(x, &x->commands[run->command], run->round, err);
    } else if (!status) {
        leak_read(bytes, n, target, had_ns(&run->result), &report);
        if (report.trouble[0])
            leak_read(bytes, n, target, had_ns(&run->result) + clocks_ran_on_ns(x), &report);
        hold_rate(&report.clock, report.has_clock, report.trouble, sizeof report.trouble);
        status = keep_leaks(x, run, &report, err);
    }
    free(bytes);
    return status;
}

static enum tare_status request_leaks(struct exec *x, const struct exec_run *run, uint64_t seed, struct buf *out,
                                      struct tare_err *err)
{
    (void)err;
    leak_variable(x->commands[run->command].leak, seed, out);
    return TARE_OK;
}

const struct exec_kind exec_targets = {.column = leak_column, .reports = true, .request = request_leaks, .take = take_leaks};

/* Traced programs: one folder for each run, named in the environment, read by who asked for it between two runs. */

static const char *const trace_ids[] = {
#define TRACE_COLUMN(id, title, unit) #id,
#include "trace_columns.def"
};

const char *trace_column(int index)
{
    return index >= 0 && index < TRACE_RUN_COLUMNS ? trace_ids[index] : NULL;
}

void trace_folder(struct buf *out, const char *base, const struct trace_asked *asked, int round, bool warmup)
{
    buf_format(out, "%s/%s-%04d%s", base, warmup ? "warmup" : "run", round + 1, asked->suffix);
}

int trace_repeat(const struct trace_asked *asked, uint64_t seed, int round, bool warmup)
{
    static const uint64_t stream = 0x70726f7665;
    int order[] = {1, 2, 3}, n = sizeof order / sizeof *order;
    if (!asked->prove || warmup)
        return asked->prove ? 1 : (int)asked->request.repeat;
    struct rng rng = rng_seeded(seed ^ stream ^ (uint64_t)(round / n) << 32);
    rng_shuffle(&rng, order, n);
    return order[round % n];
}

void trace_variable(const struct trace_asked *asked, const char *folder, uint64_t seed, int repeat, struct buf *out)
{
    struct trace_request q = asked->request;
    struct buf name = buf_over(q.folder, sizeof q.folder);
    buf_str(&name, folder);
    q.seed = seed;
    q.repeat = (uint32_t)repeat;
    buf_str(out, TRACE_VARIABLE "=");
    trace_request_write(out, &q);
}

static enum tare_status name_folder(struct exec *x, const struct exec_run *run, struct tare_err *err)
{
    buf_clear(&x->folder);
    trace_folder(&x->folder, x->o->trace_base, x->commands[run->command].trace, run->round, run->warmup);
    return x->folder.status ? err_set(err, TARE_TOO_LARGE,
                                      "the path of the folder for traces is longer than %d bytes; take a shorter one "
                                      "(--trace-dir, TMPDIR)",
                                      TRACE_FOLDER_MAX)
                            : TARE_OK;
}

/* The seed is the round's: what is compared has its windows at the same passes. */
static enum tare_status request_traces(struct exec *x, const struct exec_run *run, uint64_t seed, struct buf *out,
                                       struct tare_err *err)
{
    const struct trace_asked *asked = x->commands[run->command].trace;
    enum tare_status status = name_folder(x, run, err);
    if (!status)
        trace_variable(asked, buf_text(&x->folder), seed, trace_repeat(asked, x->o->seed, run->round, run->warmup), out);
    return status;
}

/* Of two sessions that began at once in one folder, the runs of neither are taken for those of the other. Only those whose folders have
 * the same names notice each other: a session of one program and one of several write side by side. */
static enum tare_status make_folder(struct exec *x, const struct exec_run *run, struct tare_err *err)
{
    enum tare_status status = name_folder(x, run, err);
    if (status)
        return status;
    status = plat_directory_new(buf_text(&x->folder), err);
    if (status && plat_is_directory(buf_text(&x->folder)))
        err_set(err, status, "%.1000s is there already: another session writes to this --trace-dir; give each its own",
                buf_text(&x->folder));
    return status;
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

static enum tare_status take_traces(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    enum { ALIVE_MOST = 64 };
    int alive[ALIVE_MOST], n_alive = who_is_alive(x, alive, ALIVE_MOST);
    for (int i = 0; i < TRACE_RUN_COLUMNS; i++)
        run->kind_values[i] = NAN;
    const struct exec_left left = {.subject = x->commands[run->command].subject,
                                   .round = run->round,
                                   .warmup = run->warmup,
                                   .failed = exit_status_failed(&run->result),
                                   .folder = buf_text(&x->folder),
                                   .had_ns = plat_now_ns() - run->result.start_ns,
                                   .alive = alive,
                                   .n_alive = n_alive};
    enum tare_status status = x->o->take(x->o->context, &left, run->kind_values, err);
    run->made = !status;
    return status;
}

/* A folder that cannot be removed lies in one that is removed at the end, which then says so. */
static void remove_folder(struct exec *x)
{
    if (!x->o->keep_traces)
        plat_directory_remove(buf_text(&x->folder), NULL);
}

const struct exec_kind exec_traces = {
    .column = trace_column, .request = request_traces, .begin = make_folder, .take = take_traces, .end = remove_folder};
