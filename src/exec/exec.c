/* SPDX-License-Identifier: MIT */
#include "exec.h"
#include "account.h"
#include "fate.h"
#include "follow.h"
#include "harvest.h"
#include "padding.h"
#include "reporting.h"
#include "rng.h"
#include "streams.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 96, COMMAND_OUTPUT_BYTES = 1 << 16 };

static const uint64_t CPU_STREAM = 0x63707573; /* so that CPUs, seeds and padding are drawn apart from one seed */
static const uint64_t SEED_STREAM = 0x73656564;

struct counter {
    struct plat_counter *open; /* NULL: not to be had */
    double before;
    char *reason;
};

struct exec {
    const struct exec_options *o;
    const struct exec_command *commands;
    int n_commands;
    struct plat_spawner *spawner;
    struct record *r;
    struct streams streams;
    struct padding padding;
    struct account account;
    int *refused; /* of each command, enum null_reason: it cannot be followed; 0: not known */
    struct counter *counters;
    const char *columns[COLUMNS_MAX];
    int n_columns;
    struct arena arena;  /* column names and reasons */
    struct buf path;     /* of the program about to run */
    struct buf variable; /* of the benchmarks of this round, one after the other */
    struct rng cpus;     /* of the CPUs of rounds */
    struct rng seeds;    /* of benchmarks, a new one each round */
    bool benchmarks;     /* commands are */
    bool targets;        /* commands are targets of leaks */
    int round_cpu;       /* -1: as we run */
    int64_t start_ns;
};

/* ---- columns and counters ---- */

static const char *counter_column(struct exec *x, const char *event)
{
    struct buf b = BUF_INIT(256);
    buf_format(&b, "perf:%s", event);
    const char *id = arena_strdup(&x->arena, buf_text(&b));
    buf_finish(&b);
    return id;
}

static enum tare_status name_columns(struct exec *x, struct tare_err *err)
{
    for (const struct metric *m; (m = metric_builtin(x->n_columns)); x->n_columns++)
        x->columns[x->n_columns] = m->id;
    int others = x->n_columns + 2 * x->o->n_own + FOLLOW_COLUMNS + ACCOUNT_COLUMNS + 1 + BENCH_COLUMNS + LEAK_COLUMNS;
    if (others + x->o->n_counters > COLUMNS_MAX)
        return err_set(err, TARE_TOO_LARGE, "%d counters asked for; %d is the most", x->o->n_counters, COLUMNS_MAX - others);
    for (int i = 0; i < x->o->n_counters; i++)
        x->columns[x->n_columns++] = counter_column(x, x->o->counters[i]);
    for (int i = 0; i < x->o->n_own; i++) {
        char room[NULL_COLUMN_BYTES];
        x->columns[x->n_columns++] = x->o->own[i].name;
        x->columns[x->n_columns++] = arena_strdup(&x->arena, null_column(x->o->own[i].name, room));
    }
    for (int i = 0; x->o->follow_rounds && i < FOLLOW_METRICS; i++) {
        char room[NULL_COLUMN_BYTES];
        x->columns[x->n_columns++] = metric_followed(i)->id;
        x->columns[x->n_columns++] = arena_strdup(&x->arena, null_column(metric_followed(i)->id, room));
    }
    for (int i = 0; i < ACCOUNT_COLUMNS; i++)
        x->columns[x->n_columns++] = account_column(i);
    if (x->o->compare_output)
        x->columns[x->n_columns++] = OUTPUT_COLUMN;
    for (int i = 0; i < BENCH_COLUMNS && x->benchmarks; i++)
        x->columns[x->n_columns++] = bench_column(i);
    for (int i = 0; i < LEAK_COLUMNS && x->targets; i++)
        x->columns[x->n_columns++] = leak_column(i);
    return TARE_OK;
}

enum tare_status exec_open_counters(struct exec *x, struct tare_err *err)
{
    x->counters = calloc((size_t)x->o->n_counters + 1, sizeof *x->counters);
    if (!x->counters)
        return err_set(err, TARE_NO_MEMORY, "no memory for counters");
    for (int i = 0; i < x->o->n_counters; i++) {
        struct tare_err why = {0};
        enum tare_status status = plat_counter_open(&x->counters[i].open, x->spawner, x->o->counters[i], &why);
        if (status == TARE_INVALID) /* a misspelt name is wrong use, not a property of this machine */
            return err_set(err, status, "--metric perf:%s: %s", x->o->counters[i], why.text);
        if (status) {
            x->counters[i].open = NULL;
            x->counters[i].reason = arena_strdup(&x->arena, why.text);
        }
    }
    return TARE_OK;
}

const char *exec_counter_reason(const struct exec *x, int counter)
{
    return x->counters[counter].reason;
}

bool exec_counter_user_only(const struct exec *x, int counter)
{
    return x->counters[counter].open && plat_counter_user_only(x->counters[counter].open);
}

const char *const *exec_columns(const struct exec *x, int *n_columns)
{
    *n_columns = x->n_columns;
    return x->columns;
}

bool exec_padding_equal(const struct exec *x, int n)
{
    return padding_equal(&x->padding, n);
}

bool exec_input_reads_on(const struct exec *x)
{
    int fd = x->streams.input;
    return fd != x->streams.null && !plat_rewinds(fd) && !plat_is_terminal(fd);
}

int64_t exec_start_ns(const struct exec *x)
{
    return x->start_ns;
}

/* ---- life ---- */

static const char *cwd_of(const struct exec *x, const char *own)
{
    return own ? own : x->o->cwd;
}

static enum tare_status resolve(struct exec *x, const char *program, const char *const *environment, const char *cwd,
                                struct tare_err *err)
{
    buf_clear(&x->path);
    return plat_find_program(program, environment, cwd, &x->path, err);
}

/* A program that is not there yet (a setup hook may build it) gets its path at its first run. */
static enum tare_status pad(struct exec *x, int index, struct tare_err *err)
{
    const char *const *argv = x->commands[index].argv;
    enum tare_status status = padding_add(&x->padding, argv, err);
    if (!status && !resolve(x, argv[0], x->o->environment, cwd_of(x, x->commands[index].cwd), NULL))
        padding_set_path(&x->padding, index, buf_text(&x->path));
    return status;
}

enum tare_status exec_create(struct exec **out, const struct exec_options *options, const struct exec_command *commands,
                             int n_commands, struct plat_spawner *spawner, struct record *r, struct tare_err *err)
{
    *out = NULL;
    struct exec *x = calloc(1, sizeof *x);
    if (!x)
        return err_set(err, TARE_NO_MEMORY, "no memory to run commands");
    *x = (struct exec){.o = options,
                       .commands = commands,
                       .n_commands = n_commands,
                       .spawner = spawner,
                       .r = r,
                       .path = BUF_INIT(1 << 16),
                       .variable = BUF_INIT(1 << 26)};
    x->cpus = rng_seeded(options->seed ^ CPU_STREAM);
    x->seeds = rng_seeded(options->seed ^ SEED_STREAM);
    for (int i = 0; i < n_commands; i++) {
        x->benchmarks |= commands[i].bench != NULL;
        x->targets |= commands[i].leak != NULL;
    }
    x->round_cpu = -1;
    x->start_ns = plat_now_ns();
    enum tare_status status = streams_open(&x->streams, options, err);
    x->refused = calloc((size_t)n_commands + 1, sizeof *x->refused);
    if (!status && (!x->refused || account_open(&x->account, n_commands)))
        status = err_set(err, TARE_NO_MEMORY, "no memory to run commands");
    if (!status)
        status = padding_init(&x->padding, options->environment, options->seed, err);
    for (int i = 0; i < n_commands && !status; i++)
        status = pad(x, i, err);
    if (!status)
        status = name_columns(x, err);
    if (status)
        exec_destroy(x);
    else
        *out = x;
    return status;
}

void exec_destroy(struct exec *x)
{
    if (!x)
        return;
    for (int i = 0; x->counters && i < x->o->n_counters; i++)
        if (x->counters[i].open)
            plat_counter_close(x->counters[i].open);
    free(x->counters);
    free(x->refused);
    account_close(&x->account);
    streams_close(&x->streams);
    padding_finish(&x->padding);
    buf_finish(&x->path);
    buf_finish(&x->variable);
    arena_finish(&x->arena);
    free(x);
}

/* ---- hooks: `what` is setup, prepare, conclude or cleanup ---- */

static struct plat_child_spec spec_for(struct exec *x, const char *const *argv, const char *const *environment, const char *cwd)
{
    return (struct plat_child_spec){
        .path = buf_text(&x->path), .argv = argv, .envp = environment, .cwd = cwd, .pin_cpu = -1, .drain_fd = -1};
}

/* Hooks that end what others began run although a signal came before. */
static bool ends_something(const char *what)
{
    return !strcmp(what, "conclude") || !strcmp(what, "cleanup");
}

static enum tare_status run_hook(struct exec *x, const struct exec_hook *hook, const char *what, const char *const *environment,
                                 struct tare_err *err)
{
    if (!hook->argv)
        return TARE_OK;
    const char *cwd = cwd_of(x, hook->cwd);
    enum tare_status status = resolve(x, hook->argv[0], environment, cwd, err);
    if (status) {
        err_prefix(err, what);
        return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
    }
    struct plat_child_spec spec = spec_for(x, hook->argv, environment, cwd);
    streams_for_hook(&x->streams, x->o->show_hook_output, &spec);
    spec.after_signal = ends_something(what) && plat_signal();
    struct plat_child_result result;
    status = plat_child_run(x->spawner, &spec, &result, err);
    if (status)
        return status;
    if (result.end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted during %s", what);
    if (result.end == CHILD_NOT_STARTED)
        return fate_not_started(&result, what, hook->argv[0], err);
    if (!fate_failed(&result))
        return TARE_OK;
    struct buf b = BUF_INIT(256);
    fate_describe(&b, &result, 0);
    status =
        err_set(err, TARE_CHILD, "%s '%s' %s; append '|| true' to its text if that is fine, or see its output with --show-output",
                what, hook->text, buf_text(&b));
    buf_finish(&b);
    return status;
}

enum tare_status exec_run_hook(struct exec *x, const struct exec_hook *hook, const char *what, struct tare_err *err)
{
    return run_hook(x, hook, what, x->o->environment, err);
}

/* ---- one run ---- */

static void counters_before(struct exec *x)
{
    double running;
    for (int i = 0; x->counters && i < x->o->n_counters; i++)
        if (!x->counters[i].open || plat_counter_read(x->counters[i].open, &x->counters[i].before, &running))
            x->counters[i].before = NAN;
}

static double counter_since(struct counter *c)
{
    double now, running;
    if (!c->open || plat_counter_read(c->open, &now, &running) || running <= 0)
        return NAN;
    return now - c->before;
}

enum {
    BUILTINS = 0
#define METRIC(id, title, unit, kind, direction) +1
#include "metrics.def"
#undef METRIC
};

/* In the order of metrics.def, then the counters. Returns how many. */
static int fill_metrics(struct exec *x, const struct plat_child_result *result, double *values)
{
    const double builtin[] = {
        (double)(result->end_ns - result->start_ns),
        (double)(result->user_ns + result->sys_ns),
        (double)result->user_ns,
        (double)result->sys_ns,
        (double)result->rss_bytes,
        (double)result->majflt,
        (double)result->minflt,
        (double)(result->ctx_voluntary + result->ctx_involuntary),
    };
    _Static_assert(sizeof builtin / sizeof *builtin == BUILTINS, "one value for each metric");
    int n = BUILTINS;
    memcpy(values, builtin, sizeof builtin);
    for (int i = 0; i < x->o->n_counters; i++)
        values[n++] = x->counters ? counter_since(&x->counters[i]) : NAN;
    return n;
}

/* What a run came to: its row's values, in the order of the columns. */
struct yield {
    double values[COLUMNS_MAX];
    double *followed; /* those of followed_metrics.def; NULL: not asked for */
    uint32_t flags;
};

static enum tare_status append(struct exec *x, int index, int round, int slot, bool warmup,
                               const struct plat_child_result *result, const struct yield *y, struct tare_err *err)
{
    uint32_t flags = y->flags | (warmup ? ROW_WARMUP : 0u) | (fate_failed(result) ? ROW_FAILED : 0u) |
                     (result->end == CHILD_TIMED_OUT ? ROW_TIMED_OUT : 0u);
    struct row row = {
        .round = round, .slot = slot, .start_ns = result->start_ns - x->start_ns, .flags = flags, .values = y->values};
    enum tare_status status = record_append_row(x->r, x->commands[index].subject, &row);
    if (status)
        return err_set(err, status, "no memory for another row");
    if (x->o->after_row)
        x->o->after_row(x->o->context, x->commands[index].subject, warmup);
    return TARE_OK;
}

/* ---- own metrics ---- */

/* One that is not there is a slip, and would be missing in every run. */
static enum tare_status find_metric_program(struct exec *x, const struct own_metric *m, const char *const *environment,
                                            const char *cwd, struct tare_err *err)
{
    enum tare_status status = resolve(x, m->words[0], environment, cwd, err);
    if (!status)
        return status;
    struct buf where = BUF_INIT(256);
    buf_format(&where, "metric %s", m->name);
    err_prefix(err, buf_text(&where));
    buf_finish(&where);
    return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
}

static enum tare_status run_metric(struct exec *x, int index, const struct own_metric *m, int input, int output,
                                   struct plat_child_result *result, struct tare_err *err)
{
    const char *const *environment = padding_environment(&x->padding, index);
    const char *cwd = cwd_of(x, x->commands[index].cwd);
    enum tare_status status = find_metric_program(x, m, environment, cwd, err);
    struct plat_child_spec spec = spec_for(x, m->words, environment, cwd);
    streams_for_hook(&x->streams, x->o->show_hook_output, &spec);
    spec.fd_in = input;
    spec.fd_out = output;
    spec.scratch_bytes = COMMAND_OUTPUT_BYTES;
    spec.timeout_ns = x->o->timeout_ns;
    if (!status)
        status = plat_child_run(x->spawner, &spec, result, err);
    if (!status && result->end == CHILD_INTERRUPTED)
        status = err_set(err, TARE_INTERRUPTED, "interrupted in the command of metric %s", m->name);
    return status;
}

/* One metric's command, the run's output as its input; its error output goes where the hooks' does. */
static enum tare_status tell(struct exec *x, int index, const struct own_metric *m, const struct harvest *h, double *value,
                             int *why, struct tare_err *err)
{
    struct plat_child_result result = {0};
    int input = harvest_as_input(h, err), output = input < 0 ? -1 : plat_open_scratch(err);
    enum tare_status status = output < 0 ? TARE_IO : run_metric(x, index, m, input, output, &result, err);
    if (!status)
        *why = fate_failed(&result) ? NULL_METRIC_FAILED : harvest_number(output, m, value);
    plat_close(input);
    plat_close(output);
    return status;
}

static enum tare_status gather(struct exec *x, int index, const struct harvest *h, double *values, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->o->n_own && !status; i++) {
        const struct own_metric *m = &x->o->own[i];
        double value = NAN;
        int why = NULL_TOO_LONG;
        if (m->kind == OWN_REGEX)
            why = harvest_search(h, m, &value);
        else if (!h->too_long)
            status = tell(x, index, m, h, &value, &why, err);
        values[2 * i] = why ? NAN : value;
        values[2 * i + 1] = why;
    }
    return status;
}

/* The output of the run just made, between runs. A failure that ends the session is not searched: its own message counts. */
static enum tare_status harvest_run(struct exec *x, int index, bool good, double *own, double *hash, struct tare_err *err)
{
    struct harvest h;
    enum tare_status status = harvest_read(&h, x->streams.kept_out, x->streams.kept_err, err);
    if (status)
        return status;
    if (x->commands[index].output == OUTPUT_INHERIT)
        harvest_show(&h, 1, 2);
    if (x->o->compare_output)
        *hash = harvest_hash(&h);
    if (good)
        status = gather(x, index, &h, own, err);
    harvest_finish(&h);
    return status;
}

static enum tare_status collect(struct exec *x, int index, const struct plat_child_result *result, struct yield *y,
                                struct tare_err *err)
{
    int n = fill_metrics(x, result, y->values);
    double *own = y->values + n, *followed = own + 2 * x->o->n_own;
    double *account = followed + (x->o->follow_rounds ? FOLLOW_COLUMNS : 0), *hash = account + ACCOUNT_COLUMNS;
    y->followed = x->o->follow_rounds ? followed : NULL;
    if (y->followed)
        follow_nothing(y->followed, NULL_NOT_ASKED);
    y->flags = account_fill(&x->account, index, result, account); /* before the metrics' commands run */
    for (int i = 0; i < x->o->n_own; i++) {
        own[2 * i] = NAN;
        own[2 * i + 1] = NULL_NOT_MADE;
    }
    *hash = NAN;
    if (x->streams.kept_out < 0)
        return TARE_OK;
    return harvest_run(x, index, !fate_failed(result) || fate_ignored(x->o, result), own, hash, err);
}

/* The spec of a command's next run; its streams are open, also after a failure. */
static enum tare_status prepare_run(struct exec *x, int index, struct plat_child_spec *spec, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    const char *const *environment = padding_environment(&x->padding, index);
    const char *cwd = cwd_of(x, c->cwd);
    enum tare_status status = resolve(x, c->argv[0], environment, cwd, err);
    if (status) {
        err_prefix(err, c->name);
        return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
    }
    padding_set_path(&x->padding, index, buf_text(&x->path));
    *spec = spec_for(x, c->argv, environment, cwd);
    spec->timeout_ns = x->o->timeout_ns;
    spec->pin_cpu = x->round_cpu;
    status = streams_for_run(&x->streams, c, spec, err);
    if (c->bench || c->leak) {
        spec->fd_report = x->streams.report;
        spec->report_bytes = BENCH_REPORT_BYTES;
    }
    return status;
}

static enum tare_status measure(struct exec *x, int index, int round, struct plat_child_result *result, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_spec spec;
    enum tare_status status = prepare_run(x, index, &spec, err);
    if (!status) {
        spec.chain = account_wants_chain(&x->account);
        counters_before(x);
        account_before(&x->account);
        status = plat_child_run(x->spawner, &spec, result, err);
    }
    if (status)
        return status;
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted in round %d", round + 1);
    return result->end == CHILD_NOT_STARTED ? fate_not_started(result, c->name, c->argv[0], err) : TARE_OK;
}

static enum tare_status judge(struct exec *x, int index, int round, bool warmup, const struct plat_child_result *result,
                              struct tare_err *err)
{
    if (!fate_failed(result) || fate_ignored(x->o, result))
        return TARE_OK;
    struct buf b = BUF_INIT(256);
    fate_describe(&b, result, x->o->timeout_ns);
    err_set(err, TARE_CHILD, "'%s' %s in %s %d; %s", x->commands[index].name, buf_text(&b), warmup ? "warm-up run" : "run",
            round + 1, fate_advice(result));
    buf_finish(&b);
    return TARE_CHILD;
}

/* ---- a process of a benchmark or target ---- */

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
    reporting_judge(c, round, result, x->o->timeout_ns, report->trouble, report->has_hello,
                    report->has_end && report->end.state != WIRE_OK);
    if (c->bench->failure[0])
        return TARE_OK;
    hand_down(c->bench, report);
    bench_fill(report, y->values + x->n_columns - BENCH_COLUMNS);
    const struct row process = {.round = round, .start_ns = result->start_ns - x->start_ns};
    if (*report->end.remark && record_set_remark(x->r, c->subject, report->end.remark))
        return err_set(err, TARE_NO_MEMORY, "no memory for a remark");
    if (!warmup && (bench_samples(report, &process, x->r, c->subject) || bench_counts(report, &process, x->r, c->subject)))
        return err_set(err, TARE_NO_MEMORY, "no memory for another sample");
    return append(x, index, round, slot, warmup, result, y, err);
}

static double column_value(const struct exec *x, const struct yield *y, const char *id)
{
    for (int i = 0; i < x->n_columns; i++)
        if (!strcmp(x->columns[i], id))
            return y->values[i];
    return NAN;
}

/* What the times say is not exec's: who keeps them is told, and the row says where they are. */
static enum tare_status take_leaks(struct exec *x, int index, int round, int slot, const struct plat_child_result *result,
                                   struct yield *y, struct leak_report *report, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    report->core_hz = column_value(x, y, "core_hz");
    reporting_judge(c, round, result, x->o->timeout_ns, report->trouble, report->has_hello,
                    report->has_end && report->end.state != WIRE_OK);
    c->leak->facts |= report->has_end ? report->end.facts : 0;
    if (c->leak->failure[0])
        return TARE_OK;
    if (!c->leak->repeat)
        c->leak->repeat = (int)report->end.repeat;
    if (report->end.remark && *report->end.remark && record_set_remark(x->r, c->subject, report->end.remark))
        return err_set(err, TARE_NO_MEMORY, "no memory for a remark");
    double *values = y->values + x->n_columns - LEAK_COLUMNS;
    leak_fill(report, values);
    int64_t at = x->o->take_report ? x->o->take_report(x->o->context, c->subject, report) : -1;
    if (c->leak->failure[0]) /* its times cannot be judged */
        return TARE_OK;
    for (int i = 0; i < LEAK_COLUMNS; i++)
        if (!strcmp(leak_column(i), "raw_at") && at >= 0)
            values[i] = (double)at;
    return append(x, index, round, slot, false, result, y, err);
}

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
                                       const struct plat_child_result *result, struct yield *y, struct tare_err *err)
{
    char *bytes;
    size_t n;
    enum tare_status status = read_report(x, index, &bytes, &n, err);
    if (!status && x->commands[index].bench) {
        struct bench_report report;
        bench_read(bytes, n, x->commands[index].bench, &report);
        status = take_report(x, index, round, slot, warmup, result, y, &report, err);
    } else if (!status) {
        struct leak_report report;
        leak_read(bytes, n, x->commands[index].leak->target, &report);
        status = take_leaks(x, index, round, slot, result, y, &report, err);
    }
    free(bytes);
    return status;
}

/* A program that is not there any more, or cannot be started, gives up its benchmarks, not the session. */
static enum tare_status run_reporting(struct exec *x, int index, int round, int slot, bool warmup, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_result result = {0};
    struct yield y;
    if (reporting_failure(c)[0])
        return TARE_OK;
    enum tare_status status = measure(x, index, round, &result, err);
    if (!status)
        status = collect(x, index, &result, &y, err);
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

/* Their requests, all made before the round's environments are sized. */
static enum tare_status write_requests(struct exec *x, const int *order, int n, struct tare_err *err)
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

/* ---- one run that is no row ---- */

/* Output that was kept for own metrics is shown where it would have been seen. */
static enum tare_status show_kept(struct exec *x, int index, struct tare_err *err)
{
    if (x->streams.kept_out < 0 || x->commands[index].output != OUTPUT_INHERIT)
        return TARE_OK;
    struct harvest h;
    enum tare_status status = harvest_read(&h, x->streams.kept_out, x->streams.kept_err, err);
    if (!status)
        harvest_show(&h, 1, 2);
    harvest_finish(&h);
    return status;
}

static enum tare_status take_reported(struct exec *x, int command, struct exec_reported *out, struct tare_err *err)
{
    struct bench_report report;
    char *bytes;
    size_t n;
    enum tare_status status = read_report(x, command, &bytes, &n, err);
    if (!status) {
        bench_read(bytes, n, x->commands[command].bench, &report);
        *out = (struct exec_reported){.iterations = report.end.iterations, .threads = (int)report.bench.threads};
        memcpy(out->trouble, report.trouble, sizeof out->trouble);
    }
    free(bytes);
    return status;
}

static enum tare_status run_untimed(struct exec *x, int index, const struct exec_untimed *how, struct plat_child_result *result,
                                    struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_spec spec;
    enum tare_status status = prepare_run(x, index, &spec, err);
    if (!status) {
        if (how->adjust)
            how->adjust(how->context, &spec);
        status = plat_child_run(x->spawner, &spec, result, err);
    }
    if (!status)
        status = show_kept(x, index, err);
    if (!status && how->reported)
        status = take_reported(x, index, how->reported, err);
    streams_after_run(&x->streams);
    if (status)
        return status;
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted in %s", how->what);
    if (result->end == CHILD_NOT_STARTED)
        return fate_not_started(result, c->name, c->argv[0], err);
    if (!fate_failed(result) || fate_ignored(x->o, result))
        return TARE_OK;
    struct buf b = BUF_INIT(256);
    fate_describe(&b, result, x->o->timeout_ns);
    err_set(err, TARE_CHILD, "'%s' %s in %s; %s", c->name, buf_text(&b), how->what, fate_advice(result));
    buf_finish(&b);
    return TARE_CHILD;
}

enum tare_status exec_untimed(struct exec *x, int command, const struct exec_untimed *how, struct plat_child_result *result,
                              struct tare_err *err)
{
    const struct exec_command *c = &x->commands[command];
    *result = (struct plat_child_result){0};
    enum tare_status status = run_hook(x, &c->prepare, "prepare", padding_environment(&x->padding, command), err);
    if (status)
        return status;
    status = run_untimed(x, command, how, result, err);
    struct tare_err later;
    enum tare_status concluded =
        run_hook(x, &c->conclude, "conclude", padding_environment(&x->padding, command), status ? &later : err);
    return status ? status : concluded;
}

/* ---- the same run once more, followed ---- */

static void ask_for_peak(void *context, struct plat_child_spec *spec)
{
    (void)context;
    spec->peak = true;
}

static enum tare_status deciding_is_missing(int reason, struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED,
                   "--metric peak decides and is not measurable here: %s; let another one decide: --metric wall --memory=exact",
                   null_reason_text(reason));
}

/* A run that fails only when it is followed takes nothing from the timed ones: it has no value. */
static enum tare_status follow(struct exec *x, int index, double *values, struct tare_err *err)
{
    static const struct exec_untimed how = {.what = "an untimed run for --memory=exact", .adjust = ask_for_peak};
    struct plat_child_result result = {0};
    enum tare_status status = run_untimed(x, index, &how, &result, err);
    bool refused = result.end == CHILD_NOT_STARTED && !result.code;
    if (status && status != TARE_CHILD)
        return status;
    if (refused)
        x->refused[index] = follow_reason(result.peak_why);
    if (status)
        follow_nothing(values, refused ? x->refused[index] : NULL_NOT_MADE);
    else
        follow_fill(&result, values);
    return x->o->follow_decides && refused ? deciding_is_missing(x->refused[index], err) : TARE_OK;
}

static bool to_be_followed(const struct exec *x, int index, int round, bool warmup, const struct plat_child_result *result)
{
    return round < x->o->follow_rounds && !warmup && !x->commands[index].own_part &&
           (!fate_failed(result) || fate_ignored(x->o, result));
}

/* *begun: what prepare began is to be ended once more. */
static enum tare_status follow_between_hooks(struct exec *x, int index, double *values, bool *begun, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    const char *const *environment = padding_environment(&x->padding, index);
    if (x->refused[index]) {
        follow_nothing(values, x->refused[index]);
        return TARE_OK;
    }
    *begun = false;
    enum tare_status status = run_hook(x, &c->conclude, "conclude", environment, err);
    if (!status)
        status = run_hook(x, &c->prepare, "prepare", environment, err);
    if (status)
        return status;
    *begun = true;
    return follow(x, index, values, err);
}

/* ---- rounds ---- */

static enum tare_status run_one(struct exec *x, int index, int round, int slot, bool warmup, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_result result = {0};
    enum tare_status status = run_hook(x, &c->prepare, "prepare", padding_environment(&x->padding, index), err);
    if (status)
        return status;
    struct yield y;
    status = measure(x, index, round, &result, err);
    if (!status)
        status = collect(x, index, &result, &y, err);
    streams_after_run(&x->streams);
    bool made = !status, begun = true;
    if (made && to_be_followed(x, index, round, warmup, &result))
        status = follow_between_hooks(x, index, y.followed, &begun, err);
    struct tare_err later; /* the first reason counts */
    if (made) {
        enum tare_status kept = append(x, index, round, slot, warmup, &result, &y, status ? &later : err);
        status = status ? status : kept;
    }
    if (!status)
        status = judge(x, index, round, warmup, &result, err);
    if (!begun)
        return status;
    /* After a failure or a signal too: what prepare began must be ended. */
    enum tare_status concluded =
        run_hook(x, &c->conclude, "conclude", padding_environment(&x->padding, index), status ? &later : err);
    return status ? status : concluded;
}

static void draw_cpu(struct exec *x)
{
    if (x->o->n_pin_cpus)
        x->round_cpu = x->o->pin_cpus[rng_below(&x->cpus, (uint64_t)x->o->n_pin_cpus)];
}

enum tare_status exec_round(struct exec *x, const int *order, int n, int round, bool warmup, struct tare_err *err)
{
    draw_cpu(x);
    bool reporting = x->benchmarks || x->targets;
    enum tare_status status = reporting ? write_requests(x, order, n, err) : TARE_OK;
    if (!status)
        status = padding_round(&x->padding, round, warmup, err);
    for (int slot = 0; slot < n && !status; slot++)
        status = reporting ? run_reporting(x, order[slot], round, slot, warmup, err)
                           : run_one(x, order[slot], round, slot, warmup, err);
    return status;
}
