/* SPDX-License-Identifier: MIT */
#include "exec_state.h"
#include "exit_status.h"
#include "follow.h"
#include "record_write.h"
#include "self_trace.h"
#include <stdlib.h>
#include <string.h>

static const uint64_t CPU_STREAM = 0x63707573; /* so that CPUs, seeds and padding are drawn apart from one seed */
static const uint64_t SEED_STREAM = 0x73656564;

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
    int others = x->n_columns + 2 * x->o->n_own + FOLLOW_COLUMNS + RUN_STATS_COLUMNS + 1 + BENCH_COLUMNS + LEAK_COLUMNS +
                 TRACE_RUN_COLUMNS;
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
    for (int i = 0; i < RUN_STATS_COLUMNS; i++)
        x->columns[x->n_columns++] = account_column(i);
    if (x->o->compare_output)
        x->columns[x->n_columns++] = OUTPUT_COLUMN;
    for (int i = 0; i < BENCH_COLUMNS && x->benchmarks; i++)
        x->columns[x->n_columns++] = bench_column(i);
    for (int i = 0; i < LEAK_COLUMNS && x->targets; i++)
        x->columns[x->n_columns++] = leak_column(i);
    for (int i = 0; i < TRACE_RUN_COLUMNS && x->traced; i++)
        x->columns[x->n_columns++] = trace_column(i);
    return TARE_OK;
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

/* A program that is not there yet (a setup hook may build it) gets its path at its first run. */
static enum tare_status pad(struct exec *x, int index, struct tare_err *err)
{
    const char *const *argv = x->commands[index].argv;
    enum tare_status status = padding_add(&x->padding, argv, err);
    if (!status && !exec_resolve(x, argv[0], x->o->environment, exec_cwd(x, x->commands[index].cwd), NULL))
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
                       .variable = BUF_INIT(1 << 26),
                       .folder = BUF_INIT(TRACE_FOLDER_MAX + 1)};
    x->cpus = rng_seeded(options->seed ^ CPU_STREAM);
    x->seeds = rng_seeded(options->seed ^ SEED_STREAM);
    for (int i = 0; i < n_commands; i++) {
        x->benchmarks |= commands[i].bench != NULL;
        x->targets |= commands[i].leak != NULL;
        x->traced |= commands[i].trace != NULL;
    }
    x->round_cpu = -1;
    x->asleep_ns = x->benchmarks || x->targets ? exec_asleep_ns() : 0;
    x->start_ns = plat_now_ns();
    enum tare_status status = streams_open(&x->streams, options, err);
    x->refused = calloc((size_t)n_commands + 1, sizeof *x->refused);
    x->programs = calloc((size_t)n_commands + 1, sizeof *x->programs);
    x->replaced = calloc((size_t)n_commands + 1, sizeof *x->replaced);
    if (options->cpu_each_run && options->n_pin_cpus > 0) {
        x->deck = calloc((size_t)n_commands * (size_t)options->n_pin_cpus + 1, sizeof *x->deck);
        x->dealt = calloc((size_t)n_commands + 1, sizeof *x->dealt);
    }
    const bool drawn = !options->cpu_each_run || options->n_pin_cpus < 1 || (x->deck && x->dealt);
    if (!status && (!drawn || !x->refused || !x->programs || !x->replaced || run_stats_open(&x->account, n_commands)))
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
    free(x->programs);
    free(x->replaced);
    free(x->deck);
    free(x->dealt);
    run_stats_close(&x->account);
    streams_close(&x->streams);
    padding_finish(&x->padding);
    buf_finish(&x->path);
    buf_finish(&x->variable);
    buf_finish(&x->folder);
    arena_finish(&x->arena);
    free(x);
}

/* ---- one run ---- */

enum tare_status exec_append(struct exec *x, int index, int round, int slot, bool warmup, const struct plat_child_result *result,
                             const struct run_values *y, struct tare_err *err)
{
    uint32_t flags = y->flags | (warmup ? ROW_WARMUP : 0u) | (exit_status_failed(result) ? ROW_FAILED : 0u) |
                     (result->end == CHILD_TIMED_OUT ? ROW_TIMED_OUT : 0u) | (x->replaced[index] ? ROW_OTHER_PROGRAM : 0u);
    struct row row = {
        .round = round, .slot = slot, .start_ns = result->start_ns - x->start_ns, .flags = flags, .values = y->values};
    enum tare_status status = record_append_row(x->r, x->commands[index].subject, &row);
    if (status)
        return err_set(err, status, "no memory for another row");
    if (x->o->after_row)
        x->o->after_row(x->o->context, x->commands[index].subject, warmup);
    return TARE_OK;
}

/* A permuted block: of the next n runs of the command each CPU has one. So every CPU has its share at any moment, and who changes with the time, as CPUs
 * do, cannot be in step with it. */
static int deal_cpu(struct exec *x, int index)
{
    const int n = x->o->n_pin_cpus, at = x->dealt[index]++ % n;
    int *deck = x->deck + (ptrdiff_t)index * n;
    if (!at) {
        memcpy(deck, x->o->pin_cpus, (size_t)n * sizeof *deck);
        rng_shuffle(&x->cpus, deck, n);
    }
    return plat_cpu_allowed(deck[at]) ? deck[at] : -1;
}

static enum tare_status hash_piece(void *hash, const void *bytes, size_t n, struct tare_err *err)
{
    (void)err;
    *(uint64_t *)hash = record_hash(*(uint64_t *)hash, bytes, n);
    return TARE_OK;
}

/* Whether the file has the content that the session noted of it before its runs; false where it noted none. */
static bool same_content(const struct exec *x, int index, const char *path)
{
    uint64_t hash = RECORD_HASH_EMPTY;
    char text[48];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, "program_%d_fnv1a64", x->commands[index].subject + 1);
    const struct fact *noted = facts_find(&x->r->build, text);
    if (!noted || !noted->text || plat_file_pour(path, &(struct sink){hash_piece, &hash}, NULL))
        return false;
    buf_clear(&b);
    buf_format(&b, "%016llx", (unsigned long long)hash);
    return !strcmp(noted->text, buf_text(&b));
}

static bool same_state(const struct plat_file_state *a, const struct plat_file_state *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes && a->modified_utc_ns == b->modified_utc_ns;
}

/* Whether the file that is about to run is that of the first run, or has its content: a build that made the same again changes nothing, and some
 * file systems number files anew. What a prepare hook makes anew is meant to be another. */
static void watch_program(struct exec *x, int index, const char *cwd)
{
    struct plat_file_state now, *first = &x->programs[index];
    struct buf full = BUF_INIT(1 << 17);
    if (cwd && *buf_text(&x->path) != '/')
        buf_format(&full, "%s/", cwd);
    buf_str(&full, buf_text(&x->path));
    const bool told = !x->commands[index].prepare.argv && !full.status && !plat_file_state(full.data, &now, NULL);
    if (told && (!first->regular || (!same_state(&now, first) && same_content(x, index, full.data))))
        *first = now;
    x->replaced[index] = told && !same_state(&now, first);
    buf_finish(&full);
}

enum tare_status exec_prepare_run(struct exec *x, int index, struct plat_child_spec *spec, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    const char *const *environment = padding_environment(&x->padding, index);
    const char *cwd = exec_cwd(x, c->cwd);
    enum tare_status status = exec_resolve(x, c->argv[0], environment, cwd, err);
    if (status) {
        err_prefix(err, c->name);
        return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
    }
    padding_set_path(&x->padding, index, buf_text(&x->path));
    watch_program(x, index, cwd);
    *spec = exec_spec_for(x, c->argv, environment, cwd);
    spec->timeout_ns = x->limit_ns && (!x->o->timeout_ns || x->limit_ns < x->o->timeout_ns) ? x->limit_ns : x->o->timeout_ns;
    spec->pin_cpu = x->deck ? deal_cpu(x, index) : x->round_cpu;
    status = streams_for_run(&x->streams, c, spec, err);
    if (c->bench || c->leak) {
        spec->fd_report = x->streams.report;
        spec->report_bytes = BENCH_REPORT_BYTES;
    }
    return status;
}

enum tare_status exec_measure(struct exec *x, int index, int round, struct plat_child_result *result, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_spec spec;
    enum tare_status status = exec_prepare_run(x, index, &spec, err);
    if (!status) {
        spec.chain = run_stats_wants_chain(&x->account);
        spec.count_waits = !c->bench && !c->leak && run_stats_wants_waits(&x->account, index);
        exec_counters_before(x);
        run_stats_before(&x->account);
        TARE_POINT_NAMED("child");
        status = plat_child_run(x->spawner, &spec, result, err);
        TARE_POINT_NAMED("child ended");
    }
    if (status)
        return status;
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted in round %d", round + 1);
    return result->end == CHILD_NOT_STARTED ? exit_status_not_started(result, c->name, c->argv[0], err) : TARE_OK;
}

static enum tare_status judge(struct exec *x, int index, int round, bool warmup, const struct plat_child_result *result,
                              struct tare_err *err)
{
    if (!exit_status_failed(result) || exit_status_ignored(x->o, result))
        return TARE_OK;
    struct buf b = BUF_INIT(256);
    exit_status_describe(&b, result, x->o->timeout_ns);
    err_set(err, TARE_CHILD, "'%s' %s in %s %d; %s", x->commands[index].name, buf_text(&b), warmup ? "warm-up run" : "run",
            round + 1, exit_status_advice(result));
    buf_finish(&b);
    return TARE_CHILD;
}

/* ---- rounds ---- */

static enum tare_status run_one(struct exec *x, int index, int round, int slot, bool warmup, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_result result = {0};
    enum tare_status status = exec_hook_in(x, &c->prepare, "prepare", padding_environment(&x->padding, index), err);
    if (status)
        return status;
    struct run_values y;
    status = exec_tracing_begin(x, index, round, warmup, err);
    if (!status)
        status = exec_measure(x, index, round, &result, err);
    if (!status)
        status = exec_collect(x, index, &result, &y, err);
    if (!status)
        status = exec_tracing_take(x, index, round, warmup, &result, &y, err);
    streams_after_run(&x->streams);
    exec_tracing_end(x, index);
    bool made = !status, begun = true;
    if (made && exec_to_be_followed(x, index, round, warmup, &result))
        status = exec_follow(x, index, y.followed, &begun, err);
    struct tare_err later; /* the first reason counts */
    if (made) {
        enum tare_status kept = exec_append(x, index, round, slot, warmup, &result, &y, status ? &later : err);
        status = status ? status : kept;
    }
    if (!status)
        status = judge(x, index, round, warmup, &result, err);
    if (!begun)
        return status;
    /* After a failure or a signal too: what prepare began must be ended. */
    enum tare_status concluded =
        exec_hook_in(x, &c->conclude, "conclude", padding_environment(&x->padding, index), status ? &later : err);
    return status ? status : concluded;
}

static void draw_cpu(struct exec *x)
{
    if (x->o->n_pin_cpus && !x->deck)
        x->round_cpu = x->o->pin_cpus[rng_below(&x->cpus, (uint64_t)x->o->n_pin_cpus)];
}

enum tare_status exec_round(struct exec *x, const int *order, int n, int round, bool warmup, struct tare_err *err)
{
    draw_cpu(x);
    const bool reporting = x->benchmarks || x->targets;
    enum tare_status status =
        reporting ? exec_reporting_requests(x, order, n, err) : exec_tracing_requests(x, order, n, round, warmup, err);
    if (!status)
        status = padding_round(&x->padding, round, warmup, err);
    for (int slot = 0; slot < n && !status; slot++)
        status = reporting ? exec_reporting_run(x, order[slot], &(struct exec_place){round, slot, n}, warmup, err)
                           : run_one(x, order[slot], round, slot, warmup, err);
    return status;
}
