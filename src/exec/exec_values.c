/* SPDX-License-Identifier: MIT
 *
 * What a run came to: the columns of every row and their values, in one order. The commands of own metrics run here, between two runs.
 */
#include "exec_state.h"
#include "plat_clock.h"
#include "record_write.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND_OUTPUT_BYTES = 1 << 16 };

static void add_column(struct exec *x, const char *id)
{
    x->columns[x->n_columns++] = id;
}

/* With the reason for which it has no value. */
static void add_with_reason(struct exec *x, const char *id)
{
    char room[NULL_COLUMN_BYTES];
    add_column(x, id);
    add_column(x, arena_strdup(&x->arena, null_column(id, room)));
}

/* BENCH_STEP_COLUMN, the last before those of the kind. */
static bool has_bench_step(const struct exec *x)
{
    for (int i = 0; i < x->n_commands; i++)
        if (x->commands[i].bench && x->commands[i].bench->printed_steps)
            return true;
    return false;
}

/* As Windows counts it: the interrupts of a timer that meet the run. CPU_STEP_COLUMN, the last before that of has_bench_step. 0: too fine to matter. */
static int64_t cpu_step_ns(void)
{
    enum { MATTERS_NS = 1000000 };
    const int64_t step = plat_clock_step_ns(PLAT_CLOCK_PROCESS_CPU);
    return step < MATTERS_NS ? 0 : step;
}

static enum tare_status name_columns(struct exec *x, struct tare_err *err)
{
    const char *id;
    for (const struct metric *m; (m = metric_builtin(x->n_columns));)
        add_column(x, m->id);
    while (x->kind->column && x->kind->column(x->n_kind_columns))
        x->n_kind_columns++;
    const int others = x->n_columns + OWN_COLUMNS * x->o->n_own + FOLLOW_COLUMNS + RUN_STATS_COLUMNS + 1 + BENCH_COLUMNS +
                       LEAK_COLUMNS + TRACE_RUN_COLUMNS + 2; /* whatever is measured */
    if (others + x->o->n_counters > EXEC_COLUMNS_MAX)
        return err_set(err, TARE_TOO_LARGE, "%d counters asked for; %d is the most", x->o->n_counters, EXEC_COLUMNS_MAX - others);
    for (int i = 0; i < x->o->n_counters; i++)
        add_column(x, arena_format(&x->arena, "perf:%s", x->o->counters[i]));
    for (int i = 0; i < x->o->n_own; i++) {
        char room[NULL_COLUMN_BYTES];
        add_with_reason(x, x->o->own[i].name);
        add_column(x, arena_strdup(&x->arena, step_column(x->o->own[i].name, room)));
    }
    for (int i = 0; x->o->follow_rounds && i < FOLLOW_METRICS; i++)
        add_with_reason(x, metric_followed(i)->id);
    for (int i = 0; (id = account_column(i)); i++)
        add_column(x, id);
    if (x->o->compare_output)
        add_column(x, OUTPUT_COLUMN);
    if (cpu_step_ns())
        add_column(x, CPU_STEP_COLUMN);
    if (has_bench_step(x))
        add_column(x, BENCH_STEP_COLUMN);
    for (int i = 0; i < x->n_kind_columns; i++)
        add_column(x, x->kind->column(i));
    return TARE_OK;
}

enum tare_status exec_set_columns(struct exec *x, struct tare_err *err)
{
    int n_samples;
    const char *const *samples = bench_sample_columns(&n_samples);
    enum tare_status status = name_columns(x, err);
    for (int i = 0; i < x->n_commands && !status; i++) {
        const struct exec_command *c = &x->commands[i];
        if (record_set_columns(x->r, c->subject, x->columns, x->n_columns) ||
            (c->bench && record_set_sample_columns(x->r, c->subject, samples, n_samples)))
            status = err_set(err, TARE_NO_MEMORY, "no memory for columns");
    }
    return status;
}

enum {
    BUILTINS = 0
#define METRIC(id, title, unit, kind, direction) +1
#include "metrics.def"
};

/* its last run; NaN: not counted */
static double exec_counter_since(const struct exec *x, int counter)
{
    struct counter *c = x->counters ? &x->counters[counter] : NULL;
    double now, running;
    if (!c || !c->open || plat_counter_read(c->open, &now, &running) || running <= 0)
        return NAN;
    c->uncounted = fmax(c->uncounted, 1 - running);
    return now - c->before;
}

/* In the order of metrics.def, then the counters. */
static void fill_metrics(struct exec *x, const struct plat_child_result *result, double *values)
{
    const double builtin[] = {
        (double)(result->end_ns - result->start_ns),
        or_unknown(result->user_ns) + or_unknown(result->sys_ns),
        or_unknown(result->user_ns),
        or_unknown(result->sys_ns),
        or_unknown(result->rss_bytes),
        or_unknown(result->majflt),
        or_unknown(result->minflt),
        or_unknown(result->ctx_voluntary) + or_unknown(result->ctx_involuntary),
    };
    _Static_assert(sizeof builtin / sizeof *builtin == BUILTINS, "one value for each metric");
    int n = BUILTINS;
    memcpy(values, builtin, sizeof builtin);
    for (int i = 0; i < x->o->n_counters; i++)
        values[n++] = exec_counter_since(x, i);
}

int follow_reason(enum plat_peak_why why)
{
    static const int reasons[] = {[PEAK_NOT_ASKED] = NULL_NOT_ASKED,
                                  [PEAK_TRACED_ALREADY] = NULL_TRACED_ALREADY,
                                  [PEAK_FILTERED] = NULL_PTRACE_FILTERED,
                                  [PEAK_YAMA] = NULL_PTRACE_YAMA,
                                  [PEAK_FORBIDDEN] = NULL_PTRACE_FORBIDDEN,
                                  [PEAK_NO_PTRACE] = NULL_NO_PTRACE,
                                  [PEAK_PRIVILEGED] = NULL_PRIVILEGED,
                                  [PEAK_NOT_BEGUN] = NULL_NOT_BEGUN,
                                  [PEAK_LESS_PRIVILEGED] = NULL_LESS_PRIVILEGED,
                                  [PEAK_NO_GROUP] = NULL_NO_GROUP,
                                  [PEAK_UNREADABLE] = NULL_UNREADABLE};
    return reasons[why];
}

static void put_bytes(double *pair, int64_t bytes, enum plat_peak_why why)
{
    pair[0] = why ? NAN : (double)bytes;
    pair[1] = follow_reason(why);
}

void follow_nothing(double *values, int reason)
{
    for (int i = 0; i < FOLLOW_COLUMNS; i += 2) {
        values[i] = NAN;
        values[i + 1] = reason;
    }
}

void follow_fill(const struct plat_child_result *result, double *values)
{
    put_bytes(values, result->peak_bytes, result->peak_why);
    put_bytes(values + 2, result->tree_bytes, result->tree_why);
    _Static_assert(FOLLOW_COLUMNS == 4, "one value for each metric");
}

/* Standard output, then on a line of its own standard error. Of more than OWN_OUTPUT_BYTES it is not known what came last. */
struct output {
    char *text;
    size_t n, n_out; /* in all; of standard output */
    bool too_long, out_too_long;
};

static size_t kept_bytes(int64_t size)
{
    return size < OWN_OUTPUT_BYTES ? (size_t)size : OWN_OUTPUT_BYTES;
}

static void output_finish(struct output *h)
{
    free(h->text);
    *h = (struct output){0};
}

static enum tare_status output_read(struct output *h, int kept_out, int kept_err, struct tare_err *err)
{
    int64_t out = plat_scratch_size(kept_out), rest = plat_scratch_size(kept_err);
    *h = (struct output){.out_too_long = out > OWN_OUTPUT_BYTES, .too_long = out > OWN_OUTPUT_BYTES || rest > OWN_OUTPUT_BYTES};
    size_t n_out = kept_bytes(out), n_rest = kept_bytes(rest);
    h->text = malloc(n_out + n_rest + 2);
    if (!h->text)
        return err_set(err, TARE_NO_MEMORY, "no memory for %zu bytes of a command's output", n_out + n_rest);
    enum tare_status status = plat_scratch_read(kept_out, 0, h->text, n_out, err);
    h->n = h->n_out = n_out;
    if (n_out && n_rest && h->text[n_out - 1] != '\n')
        h->text[h->n++] = '\n';
    if (!status)
        status = plat_scratch_read(kept_err, 0, h->text + h->n, n_rest, err);
    h->n += n_rest;
    if (status)
        output_finish(h);
    return status;
}

static int output_search(const struct output *h, const struct own_metric *m, double *value, double *step)
{
    struct pattern_group g;
    *value = NAN;
    if (h->too_long)
        return NULL_TOO_LONG;
    switch (pattern_last(m->pattern, h->text, h->n, PATTERN_STEPS, &g)) {
    case PATTERN_NONE:
        return NULL_NO_MATCH;
    case PATTERN_GAVE_UP:
        return NULL_TOO_COSTLY;
    case PATTERN_FOUND:
        break;
    }
    /* A number whose scale the pattern leaves out is no count. */
    if (!g.start || !own_number(m, g.start, g.n, value, step))
        return NULL_NO_NUMBER;
    const char *rest = g.start + g.n;
    if (!*step && own_scaled_behind(rest, (size_t)(h->text + h->n - rest)))
        *step = 1;
    return 0;
}

static int output_as_input(const struct output *h, struct tare_err *err)
{
    int fd = plat_open_scratch(err);
    if (fd >= 0 && plat_scratch_write(fd, h->text, h->n, err)) {
        plat_close(fd);
        return -1;
    }
    plat_rewind(fd);
    return fd;
}

static int number_in(int fd, const struct own_metric *m, double *value, double *step)
{
    char text[1024];
    int64_t n = plat_scratch_size(fd);
    bool read = n > 0 && n <= (int64_t)sizeof text && !plat_scratch_read(fd, 0, text, (size_t)n, NULL);
    return read && own_number(m, text, (size_t)n, value, step) ? 0 : NULL_METRIC_NO_NUMBER;
}

static enum tare_status run_metric(struct exec *x, int index, const struct own_metric *m, int input, int output,
                                   struct plat_child_result *result, struct tare_err *err)
{
    const char *const *environment = padding_environment(&x->padding, index);
    const char *cwd = exec_cwd(x, x->commands[index].cwd);
    struct buf where = BUF_INIT(256);
    buf_format(&where, "metric %s", m->name);
    enum tare_status status = exec_resolve(x, m->words[0], environment, cwd, buf_text(&where), err);
    buf_finish(&where);
    struct plat_child_spec spec = exec_spec_for(x, m->words, environment, cwd);
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
static enum tare_status ask_command(struct exec *x, int index, const struct own_metric *m, const struct output *h, double *value,
                                    double *step, int *why, struct tare_err *err)
{
    struct plat_child_result result = {0};
    int input = output_as_input(h, err), output = input < 0 ? -1 : plat_open_scratch(err);
    enum tare_status status = output < 0 ? TARE_IO : run_metric(x, index, m, input, output, &result, err);
    if (!status)
        *why = result.end == CHILD_TIMED_OUT ? NULL_METRIC_LATE
               : exit_status_failed(&result) ? NULL_METRIC_FAILED
                                             : number_in(output, m, value, step);
    plat_close(input);
    plat_close(output);
    return status;
}

static enum tare_status gather(struct exec *x, int index, const struct output *h, double *values, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->o->n_own && !status; i++) {
        const struct own_metric *m = &x->o->own[i];
        double value = NAN, step = NAN, *const out = values + OWN_COLUMNS * i;
        int why = NULL_TOO_LONG;
        if (m->kind == OWN_COUNTER || m->kind == OWN_RESULT)
            continue;
        if (m->kind == OWN_REGEX)
            why = output_search(h, m, &value, &step);
        else if (!h->too_long)
            status = ask_command(x, index, m, h, &value, &step, &why, err);
        out[0] = why ? NAN : value;
        out[1] = why;
        out[2] = why ? NAN : step;
    }
    return status;
}

/* The output of the run just made, between runs. A failure that ends the session is not searched: its own message counts. */
static enum tare_status take_output(struct exec *x, int index, bool good, double *own, double *hash, struct tare_err *err)
{
    struct output h;
    enum tare_status status = output_read(&h, x->streams.kept_out, x->streams.kept_err, err);
    if (status)
        return status;
    if (x->commands[index].output == OUTPUT_INHERIT) {
        /* Where the command would have written. A reader that went away takes nothing from the measurement. */
        size_t rest = h.n_out < h.n && h.n_out && h.text[h.n_out - 1] != '\n' ? h.n_out + 1 : h.n_out;
        struct tare_err ignored;
        if (!plat_scratch_write(1, h.text, h.n_out, &ignored))
            plat_scratch_write(2, h.text + rest, h.n - rest, &ignored);
    }
    if (x->o->compare_output && hash)
        *hash = h.out_too_long ? NAN : (double)(fnv1a64(FNV1A64_EMPTY, h.text, h.n_out) >> 12);
    if (good)
        status = gather(x, index, &h, own, err);
    output_finish(&h);
    return status;
}

enum tare_status exec_show_kept(struct exec *x, int index, struct tare_err *err)
{
    const bool shown = x->streams.kept_out >= 0 && x->commands[index].output == OUTPUT_INHERIT;
    return shown ? take_output(x, index, false, NULL, NULL, err) : TARE_OK;
}

static double *own_values(const struct exec *x, struct exec_run *run)
{
    return run->values + BUILTINS + x->o->n_counters;
}

void exec_take_counter(const struct exec *x, struct exec_run *run, const char *name, double value, double step)
{
    double *own = own_values(x, run);
    for (int i = 0; i < x->o->n_own; i++)
        if (x->o->own[i].kind == OWN_COUNTER && !strcmp(x->o->own[i].text, name)) {
            own[OWN_COLUMNS * i] = value;
            own[OWN_COLUMNS * i + 1] = isfinite(value) ? 0 : NULL_NOT_COUNTED;
            own[OWN_COLUMNS * i + 2] = isfinite(value) ? step : NAN;
        }
}

static enum tare_status find_results(const char *results, const char *cwd, struct buf *path, struct tare_err *err)
{
    buf_clear(path);
    if (cwd && !plat_path_is_absolute(results))
        buf_format(path, "%s/", cwd);
    buf_str(path, results);
    return path->status ? err_set(err, TARE_NO_MEMORY, "no memory for the name of the result file") : TARE_OK;
}

enum tare_status exec_clear_results(const char *results, const char *cwd, struct buf *path, struct tare_err *err)
{
    struct plat_file_state state;
    enum tare_status status = find_results(results, cwd, path, err);
    if (status || plat_file_state(buf_text(path), &state, NULL))
        return status;
    if (!state.regular)
        return err_set(err, TARE_INVALID, "--results '%s' is no regular file; give the file that each run writes",
                       buf_text(path));
    status = plat_file_remove(buf_text(path), err);
    if (status)
        err_prefix(err, "--results");
    return status;
}

/* What a failed run wrote counts where several benchmarks share it: only some may have failed. */
static enum tare_status take_results(struct exec *x, const struct exec_run *run, double *own, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[run->command];
    if (!x->o->results || c->own_part || (!c->bench && exit_status_bad(x->o, &run->result)))
        return TARE_OK;
    enum tare_status status = find_results(x->o->results, exec_cwd(x, c->cwd), &x->results, err);
    return status ? status : x->o->read_results(x->o->context, run->subject, buf_text(&x->results), own, err);
}

enum tare_status exec_collect(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    const struct plat_child_result *result = &run->result;
    fill_metrics(x, result, run->values);
    double *own = own_values(x, run), *followed = own + OWN_COLUMNS * x->o->n_own;
    double *account = followed + (x->o->follow_rounds ? FOLLOW_COLUMNS : 0), *hash = account + RUN_STATS_COLUMNS;
    run->row = (struct row){.round = run->round,
                            .slot = run->slot,
                            .start_ns = result->start_ns - x->start_ns,
                            .flags = (run->warmup ? ROW_WARMUP : 0u) | (exit_status_failed(result) ? ROW_FAILED : 0u) |
                                     (result->end == CHILD_TIMED_OUT ? ROW_TIMED_OUT : 0u) |
                                     (x->state[run->command].replaced ? ROW_OTHER_PROGRAM : 0u),
                            .values = run->values};
    run->followed = x->o->follow_rounds ? followed : NULL;
    run->kind_values = run->values + x->n_columns - x->n_kind_columns;
    if (run->followed)
        follow_nothing(run->followed, NULL_NOT_ASKED);
    run->row.flags |= run_stats_fill(&x->account, run->command, result, account); /* before the metrics' commands run */
    for (int i = 0; i < x->o->n_own; i++) {
        own[OWN_COLUMNS * i] = own[OWN_COLUMNS * i + 2] = NAN;
        own[OWN_COLUMNS * i + 1] = x->o->own[i].kind == OWN_COUNTER ? NULL_NOT_COUNTED : NULL_NOT_MADE;
    }
    *hash = NAN;
    const int64_t step = cpu_step_ns();
    const int bench_step = has_bench_step(x);
    if (step)
        run->kind_values[-1 - bench_step] = (double)step;
    if (bench_step)
        run->kind_values[-1] = NAN;
    enum tare_status status = take_results(x, run, own, err);
    if (status || x->streams.kept_out < 0)
        return status;
    return take_output(x, run->command, !exit_status_bad(x->o, result), own, hash, err);
}
