/* SPDX-License-Identifier: MIT */
#include "exec_state.h"
#include "memory_watch.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t CPU_STREAM = 0x63707573; /* so that CPUs, seeds and padding are drawn apart from one seed */
static const uint64_t SEED_STREAM = 0x73656564;

static const struct exec_kind *kind_of(const struct exec_command *c)
{
    static const struct exec_kind commands;
    return c->bench ? &exec_benchmarks : c->leak ? &exec_targets : c->trace ? &exec_traces : &commands;
}

/* A program that is not there yet (a setup hook may build it) gets its path at its first run. */
static enum tare_status pad_command(struct exec *x, int index, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    const char *const *environment = c->environment ? c->environment : x->o->environment;
    enum tare_status status = padding_add(&x->padding, c->argv, c->environment, err);
    if (!status && !exec_resolve(x, c->argv[0], environment, exec_cwd(x, c->cwd), "", NULL))
        padding_set_path(&x->padding, index, buf_text(&x->path));
    return status;
}

static bool make_states(struct exec *x)
{
    const int cpus = x->o->cpu_each_run ? x->o->n_pin_cpus : 0;
    x->state = calloc((size_t)x->n_commands + 1, sizeof *x->state);
    x->decks = calloc((size_t)x->n_commands * (size_t)cpus + 1, sizeof *x->decks);
    for (int i = 0; cpus && x->state && x->decks && i < x->n_commands; i++)
        x->state[i].deck = x->decks + (ptrdiff_t)i * cpus;
    bool several = false;
    for (int i = 0; i < x->n_commands; i++)
        several |= x->commands[i].process > 0;
    x->processes = several ? calloc((size_t)x->n_commands, sizeof *x->processes) : NULL;
    return x->state && x->decks && (x->processes || !several) && !run_stats_open(&x->account, x->n_commands);
}

enum tare_status exec_create(struct exec **out, const struct exec_options *options, struct exec_command *commands, int n_commands,
                             struct plat_spawner *spawner, struct record *r, struct tare_err *err)
{
    *out = NULL;
    struct exec *x = calloc(1, sizeof *x);
    if (!x)
        return err_set(err, TARE_NO_MEMORY, "no memory to run commands");
    *x = (struct exec){.o = options,
                       .commands = commands,
                       .n_commands = n_commands,
                       .kind = kind_of(&commands[0]),
                       .spawner = spawner,
                       .r = r,
                       .path = BUF_INIT(1 << 16),
                       .results = BUF_INIT(1 << 16),
                       .variable = BUF_INIT(1 << 26),
                       .folder = BUF_INIT(TRACE_FOLDER_MAX + 1),
                       .cpus = rng_seeded(options->seed ^ CPU_STREAM),
                       .seeds = rng_seeded(options->seed ^ SEED_STREAM),
                       .round_cpu = -1};
    x->asleep_ns = x->kind->reports ? exec_asleep_ns() : 0;
    x->start_ns = plat_now_ns();
    enum tare_status status = streams_open(&x->streams, options, err);
    if (!status && !make_states(x))
        status = err_set(err, TARE_NO_MEMORY, "no memory to run commands");
    if (!status)
        status = padding_init(&x->padding, options->environment, options->seed, err);
    for (int i = 0; i < n_commands && !status; i++)
        status = pad_command(x, i, err);
    if (!status)
        status = exec_set_columns(x, err);
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
    for (int i = 0; x->state && i < x->n_commands; i++) {
        free(x->state[i].program_path);
        free(x->state[i].printed);
    }
    free(x->state);
    free(x->processes);
    free(x->decks);
    run_stats_close(&x->account);
    streams_close(&x->streams);
    padding_finish(&x->padding);
    buf_finish(&x->path);
    buf_finish(&x->results);
    buf_finish(&x->variable);
    buf_finish(&x->folder);
    arena_finish(&x->arena);
    free(x);
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

const char *exec_failure(const struct exec *x, int command)
{
    const char *failure = x->commands[command].failure;
    return failure[0] ? failure : NULL;
}

bool exec_out_of_time(const struct exec *x, int command)
{
    const struct leak_request *q = x->commands[command].leak;
    return q && q->out_of_time;
}

/* One variable more, of this command alone; the same number of them for all. Its length counts from the next padding_round on; NULL: none. Returns the
 * one before. */
static const char *padding_set_variable(struct padding *p, int command, const char *variable)
{
    assert(command >= 0 && command < p->n_commands);
    const char *before = p->commands[command].variable;
    p->commands[command].variable = variable;
    return before;
}

/* All requests of a round are made before its environments are sized. */
static enum tare_status make_requests(struct exec *x, struct tare_err *err)
{
    const uint64_t seed = rng_next(&x->seeds);
    enum tare_status status = TARE_OK;
    buf_clear(&x->variable);
    for (int i = 0; i < x->n_commands; i++)
        padding_set_variable(&x->padding, i,
                             NULL); /* of a command that is not in this round it would point into the text of another */
    for (int i = 0; i < x->slots && !status; i++) {
        const struct exec_run next = {.command = x->order[i], .round = x->round, .warmup = x->warmup};
        status = x->kind->request(x, &next, seed, &x->variable, err);
        buf_char(&x->variable, 0);
    }
    if (!status && x->variable.status)
        status = err_set(err, TARE_NO_MEMORY, "no memory for the requests to the programs");
    const char *at = x->variable.data;
    for (int i = 0; i < x->slots && !status; i++) {
        padding_set_variable(&x->padding, x->order[i], *at ? at : NULL);
        at += strlen(at) + 1;
    }
    return status;
}

enum tare_status exec_round(struct exec *x, const int *order, int n, int round, bool warmup, struct tare_err *err)
{
    x->order = order;
    x->slots = n;
    x->round = round;
    x->warmup = warmup;
    for (int i = 0; i < x->n_commands; i++)
        x->state[i].has_process = false;
    if (x->o->n_pin_cpus && !x->o->cpu_each_run)
        x->round_cpu = x->o->pin_cpus[rng_below(&x->cpus, (uint64_t)x->o->n_pin_cpus)];
    enum tare_status status = x->kind->request ? make_requests(x, err) : TARE_OK;
    return status ? status : padding_round(&x->padding, round, warmup, err);
}

enum { GRACE_NS = 500000000 };

/* The runs still to be made in the round share what is left evenly: one that hangs does not take it all from the others. */
static int64_t share_ns(const struct exec *x, int slot)
{
    int64_t left = x->o->end_ns - plat_now_ns();
    return (left > 0 ? left / (x->slots - slot) : 0) + GRACE_NS;
}

static bool is_over(const struct exec *x, int slot)
{
    return x->o->end_ns && plat_now_ns() >= x->o->end_ns && (x->round || slot);
}

static bool target_rests(const struct exec *x, int command)
{
    const struct leak_request *q = x->commands[command].leak;
    return exec_failure(x, command) || (q && (q->rests || q->out_of_time));
}

static enum tare_status judge_end(const struct exec *x, int command, const struct plat_child_result *result, const char *where,
                                  struct tare_err *err)
{
    if (!exit_status_bad(x->o, result))
        return TARE_OK;
    struct buf b = BUF_INIT(256);
    exit_status_describe(&b, result, x->o->timeout_ns);
    const char *advice = x->o->no_advice ? NULL : exit_status_advice(result, x->commands[command].output == OUTPUT_INHERIT);
    err_set(err, TARE_CHILD, "'%s' %s in %s%s%s", x->commands[command].name, buf_text(&b), where, advice ? "; " : "",
            advice ? advice : "");
    buf_finish(&b);
    return TARE_CHILD;
}

static enum tare_status run_untimed(struct exec *x, int index, const struct exec_untimed *how, struct plat_child_result *result,
                                    struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    struct plat_child_spec spec;
    enum tare_status status = exec_prepare_run(x, index, &spec, err);
    if (!status) {
        spec.peak = how->peak;
        if (how->watch)
            memory_watch_adjust(how->watch, &spec);
        status = plat_child_run(x->spawner, &spec, result, err);
    }
    if (!status)
        status = exec_show_kept(x, index, err);
    if (!status && how->reported)
        status = exec_reported_read(x, index, result, how->reported, err);
    streams_after_run(&x->streams);
    if (status)
        return status;
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted in %s", how->what);
    if (result->end == CHILD_NOT_STARTED)
        return exit_status_not_started(result, c->name, c->argv[0], err);
    return judge_end(x, index, result, how->what, err);
}

enum tare_status exec_untimed(struct exec *x, int command, const struct exec_untimed *how, struct plat_child_result *result,
                              struct tare_err *err)
{
    const struct exec_command *c = &x->commands[command];
    *result = (struct plat_child_result){0};
    enum tare_status status = exec_run_prepare(x, command, err);
    if (status)
        return status;
    const char *variable = how->variable ? padding_set_variable(&x->padding, command, how->variable) : NULL;
    status = run_untimed(x, command, how, result, err);
    if (how->variable)
        padding_set_variable(&x->padding, command, variable);
    struct tare_err later;
    enum tare_status concluded =
        exec_hook_in(x, &c->conclude, "conclude", padding_environment(&x->padding, command), status ? &later : err);
    return status ? status : concluded;
}

/* Of the metric that decides: why this machine cannot have it; 0: it can, or this run alone lacks it. */
static int deciding_is_missing(const struct exec *x, const double *values)
{
    for (int i = 0; x->o->follow_decides && i < FOLLOW_METRICS; i++) {
        int reason = strcmp(metric_followed(i)->id, x->o->follow_decides) ? 0 : (int)values[2 * i + 1];
        if (reason == NULL_NO_GROUP)
            return reason;
    }
    return 0;
}

static enum tare_status nothing_decides(const struct exec *x, int reason, struct tare_err *err)
{
    return err_set(err, TARE_UNSUPPORTED,
                   "--metric %s decides and is not measurable here: %s; let another one decide: --metric wall --memory=exact",
                   x->o->follow_decides, null_reason_text(reason));
}

/* A run that fails only when it is followed takes nothing from the timed ones: it has no value. */
static enum tare_status run_followed(struct exec *x, int index, double *values, struct tare_err *err)
{
    static const struct exec_untimed how = {.what = "an untimed run for --memory=exact", .peak = true};
    struct plat_child_result result = {0};
    int *refusal = &x->state[index].refused;
    enum tare_status status = run_untimed(x, index, &how, &result, err);
    bool refused = result.end == CHILD_NOT_STARTED && !result.code;
    if (status && status != TARE_CHILD)
        return status;
    if (refused)
        *refusal = follow_reason(result.peak_why);
    if (status)
        follow_nothing(values, refused ? *refusal : NULL_NOT_MADE);
    else
        follow_fill(&result, values);
    int missing = !x->o->follow_decides ? 0 : refused ? *refusal : deciding_is_missing(x, values);
    return missing ? nothing_decides(x, missing, err) : TARE_OK;
}

static bool to_be_followed(const struct exec *x, const struct exec_run *run)
{
    return run->round < x->o->follow_rounds && !run->warmup && !x->kind->reports && !x->commands[run->command].own_part &&
           !exit_status_bad(x->o, &run->result);
}

/* Between the hooks once more: what prepare began is ended, and begun anew. */
static enum tare_status follow_run(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[run->command];
    const char *const *environment = padding_environment(&x->padding, run->command);
    if (x->state[run->command].refused) {
        follow_nothing(run->followed, x->state[run->command].refused);
        return TARE_OK;
    }
    run->begun = false;
    enum tare_status status = exec_hook_in(x, &c->conclude, "conclude", environment, err);
    if (!status)
        status = exec_run_prepare(x, run->command, err);
    if (status)
        return status;
    run->begun = true;
    return run_followed(x, run->command, run->followed, err);
}

static enum tare_status make_process(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    enum tare_status status = x->kind->begin ? x->kind->begin(x, run, err) : TARE_OK;
    if (!status)
        status = exec_measure(x, run, err);
    return status ? status : exec_collect(x, run, err);
}

/* *run gets its row, if it has one. */
static enum tare_status run_measured(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    const struct exec_kind *kind = x->kind;
    enum tare_status status = make_process(x, run, err);
    if (!status && kind->take)
        status = kind->take(x, run, err);
    else
        run->made = !status;
    streams_after_run(&x->streams);
    if (kind->end)
        kind->end(x);
    return status;
}

/* The run is this command's, whoever it was collected for. */
static void run_is_of(const struct exec *x, struct exec_run *run, int command, int slot)
{
    run->command = command;
    run->subject = x->commands[command].subject;
    run->slot = run->row.slot = slot;
    run->row.values = run->values;
    run->kind_values = run->values + x->n_columns - x->n_kind_columns;
}

/* What stands where the run is to write its results is removed. */
static enum tare_status remove_results(struct exec *x, int index, struct tare_err *err)
{
    const struct exec_command *c = &x->commands[index];
    return x->o->results && !c->own_part ? exec_clear_results(x->o->results, exec_cwd(x, c->cwd), &x->results, err) : TARE_OK;
}

/* The process of this round that reports the benchmark among others: it is made for the first of them that is asked for, as a run of the same
 * command always, so that what is learnt from run to run is of one. */
static enum tare_status run_shared(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    const int command = run->command, slot = run->slot, first = x->commands[command].process - 1;
    struct exec_run *process = &x->processes[first];
    enum tare_status status = TARE_OK;
    if (!x->state[first].has_process) {
        *process = *run;
        run_is_of(x, process, first, slot);
        status = remove_results(x, first, err);
        if (!status)
            status = make_process(x, process, err);
        if (!status)
            status = exec_keep_printed(x, first, err);
        x->state[first].has_process = !status;
    }
    if (!status) {
        *run = *process;
        run_is_of(x, run, command, slot);
        status = x->kind->take(x, run, err);
    }
    streams_after_run(&x->streams);
    return status;
}

static enum tare_status run_alone(struct exec *x, struct exec_run *run, struct tare_err *err)
{
    enum tare_status status = exec_run_prepare(x, run->command, err);
    if (!status)
        status = remove_results(x, run->command, err);
    if (status)
        return status;
    run->begun = true;
    return run_measured(x, run, err);
}

enum tare_status exec_run(struct exec *x, int slot, struct exec_run *run, struct tare_err *err)
{
    const int command = x->order[slot];
    struct exec_command *c = &x->commands[command];
    *run = (struct exec_run){.command = command, .subject = c->subject, .round = x->round, .slot = slot, .warmup = x->warmup};
    if (x->kind->reports && (target_rests(x, command) || is_over(x, slot)))
        return TARE_OK;
    x->limit_ns = x->kind->reports && x->o->end_ns ? share_ns(x, slot) : 0;
    enum tare_status status = c->process ? run_shared(x, run, err) : run_alone(x, run, err);
    if (status == TARE_CHILD && x->kind->reports) {
        exec_give_up(c, err ? err->text : "could not be started", "", run->round);
        return TARE_OK;
    }
    return !status && run->made && to_be_followed(x, run) ? follow_run(x, run, err) : status;
}

enum tare_status exec_run_end(struct exec *x, const struct exec_run *run, enum tare_status status, struct tare_err *err)
{
    char room[64];
    struct buf where = buf_over(room, sizeof room);
    struct tare_err later; /* the first reason counts */
    if (!run->begun)
        return status;
    buf_format(&where, "%s %d", run->warmup ? "warm-up run" : "run", run->round + 1);
    if (!status && !x->kind->reports)
        status = judge_end(x, run->command, &run->result, room, err);
    enum tare_status concluded = exec_hook_in(x, &x->commands[run->command].conclude, "conclude",
                                              padding_environment(&x->padding, run->command), status ? &later : err);
    return status ? status : concluded;
}
