/* SPDX-License-Identifier: MIT */
#include "clocks.h"
#include "history_keep.h"
#include "padding.h"
#include "plat.h"
#include "run.h"
#include "screen.h"
#include "shell_line.h"
#include <limits.h>
#include <stdarg.h>
#include <string.h>

enum { PINNABLE_CPUS = 8192 };

bool run_adaptive(const struct run_options *o)
{
    return !o->runs && o->method == METHOD_TARE;
}

enum exit_code run_code_of(enum tare_status status)
{
    return status == TARE_INVALID || status == TARE_NOT_FOUND ? EXIT_USAGE
           : status == TARE_CHILD || status == TARE_VERSION   ? EXIT_CHILD
                                                              : EXIT_TOOL;
}

enum exit_code run_open_code(enum tare_status status)
{
    return run_code_of(status == TARE_NOT_FOUND ? TARE_IO : status);
}

void run_note(const struct run *run, const char *format, ...)
{
    struct buf text = BUF_INIT(1 << 24);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&text, format, ap);
    va_end(ap);
    cli_say(run->cli, run->o->display.quiet, &text);
}

void run_print_notes(const struct run *run)
{
    for (int i = 0; i < run->subjects.n_notes; i++)
        run_note(run, "%s", run->subjects.notes[i]);
}

/* As the commands will be looked up. */
static bool program_exists(void *context, const char *name)
{
    const struct run *run = context;
    struct buf path = BUF_INIT(1 << 16);
    bool found = plat_find_program(name, run->exec_options.environment, run->o->cwd, &path, NULL) == TARE_OK;
    buf_finish(&path);
    return found;
}

static struct subject_input input_of(struct run *run)
{
    struct subject_input in = run_options_subjects(run->o, &run->cli->operands);
    in.revisions = run->revision_names;
    in.n_revisions = run->revisions.n;
    in.windows = plat_words_are_windows();
    in.program_exists = program_exists;
    in.context = run;
    in.reading_told = run->reading_told;
    return in;
}

enum tare_status run_resolve_revisions(struct run *run, struct tare_err *err)
{
    const struct run_options *o = run->o;
    struct revisions *rs = &run->revisions;
    if (!o->revisions.n || rs->n)
        return TARE_OK;
    if (o->cwd && plat_path_is_absolute(o->cwd))
        return err_set(err, TARE_INVALID, "--cwd %.100s is in no revision; with --rev write it as seen from here", o->cwd);
    *rs = (struct revisions){.arena = run->cli->arena,
                             .environment = run->exec_options.environment,
                             .commits = o->commits,
                             .build = o->build,
                             .ready = run->ready,
                             .cli = run->cli,
                             .quiet = o->display.quiet};
    for (int i = 0; i < o->output.n; i++)
        rs->show_output |= !strcmp(o->output.items[i], "inherit");
    enum tare_status status = revisions_resolve(rs, &o->revisions, err);
    struct subject_revision *names = arena_array(run->cli->arena, (size_t)rs->n + 1, sizeof *names);
    if (!status && (!names || revisions_describe(rs, &run->record)))
        status = err_no_memory(err);
    for (int i = 0; i < rs->n && !status; i++)
        names[i] = (struct subject_revision){rs->items[i].id, rs->items[i].label};
    run->revision_names = names;
    return status;
}

/* A program that is named by where it lies in the user's own work tree is that one in all revisions; elsewhere a build may have meant to make it. */
static void note_one_for_all(const struct run *run)
{
    const char *top = run->revisions.top, *program = top ? run->commands[0].argv[0] : "";
    const size_t n = top ? strlen(top) : 0;
    const bool own = top && !strncmp(program, top, n) && program[n] == '/';
    const bool built = top && run->revisions.build && plat_path_is_absolute(program) &&
                       !strcmp(program, run->commands[run->subjects.per_revision].argv[0]);
    if (own || built)
        run_note(run, "%s is one file for all revisions; to run each revision's own, give a relative path such as ./prog",
                 program);
}

static struct exec_hook exec_hook_of(const struct hook *h)
{
    return (struct exec_hook){.argv = h->argv, .text = h->text};
}

static void choose_output(struct exec_command *c, const char *where)
{
    if (!where || !strcmp(where, "null"))
        c->output = OUTPUT_NULL;
    else if (!strcmp(where, "pipe"))
        c->output = OUTPUT_PIPE;
    else if (!strcmp(where, "inherit"))
        c->output = OUTPUT_INHERIT;
    else {
        c->output = OUTPUT_FILE;
        c->output_file = where;
    }
}

static enum tare_status add_command(struct run *run, int i, struct tare_err *err)
{
    const struct subject_plan *plan = &run->subjects;
    const struct option_list *output = &run->o->output;
    int choice = output->n ? subjects_choice(plan, output->n, i) : 0;
    if (choice < 0)
        return err_set(err, TARE_INVALID, "--output was given %d times for %d command%s; give it once, or once for each",
                       output->n, plan->n, buf_plural(plan->n));
    run->commands[i] = (struct exec_command){.subject = i,
                                             .name = plan->subjects[i].name,
                                             .argv = plan->subjects[i].argv,
                                             .prepare = exec_hook_of(&plan->hooks[i].prepare),
                                             .conclude = exec_hook_of(&plan->hooks[i].conclude)};
    choose_output(&run->commands[i], output->n ? output->items[choice] : NULL);
    run->hooks[i] =
        (struct session_hooks){.setup = exec_hook_of(&plan->hooks[i].setup), .cleanup = exec_hook_of(&plan->hooks[i].cleanup)};
    return TARE_OK;
}

static enum tare_status add_commands(struct run *run, struct tare_err *err)
{
    int n = run->subjects.n;
    run->commands = arena_array(run->cli->arena, (size_t)n + 2, sizeof *run->commands);
    run->hooks = arena_array(run->cli->arena, (size_t)n, sizeof *run->hooks);
    if (!run->commands || !run->hooks)
        return err_no_memory(err);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++)
        status = add_command(run, i, err);
    run->n_commands = n;
    return status;
}

/* What the user wants to see of the commands, the hooks show too. */
static bool any_inherits(const struct run *run)
{
    for (int i = 0; i < run->n_commands; i++)
        if (run->commands[i].output == OUTPUT_INHERIT)
            return true;
    return false;
}

static const char perf_prefix[] = "perf:";

static enum tare_status choose_counters(struct run *run, struct tare_err *err)
{
    const struct option_list *metrics = &run->o->metrics;
    const char **events = arena_array(run->cli->arena, (size_t)metrics->n, sizeof *events);
    if (!events)
        return err_no_memory(err);
    int n = 0;
    for (int i = 0; i < metrics->n; i++)
        if (!strncmp(metrics->items[i], perf_prefix, sizeof perf_prefix - 1))
            events[n++] = metrics->items[i] + sizeof perf_prefix - 1;
    run->missing_counters = arena_array(run->cli->arena, (size_t)n + 1, sizeof *run->missing_counters);
    run->user_only_counters = arena_array(run->cli->arena, (size_t)n + 1, sizeof *run->user_only_counters);
    if (!run->missing_counters || !run->user_only_counters)
        return err_no_memory(err);
    run->exec_options.counters = events;
    run->exec_options.n_counters = n;
    return TARE_OK;
}

/* Their commands decide about a shell one by one, as hooks do. */
static enum tare_status choose_own(struct run *run, struct tare_err *err)
{
    const struct run_options *o = run->o;
    const struct subject_input input = input_of(run);
    struct own_metric *own = arena_array(run->cli->arena, (size_t)o->n_own + 1, sizeof *own);
    enum tare_status status = own ? TARE_OK : err_no_memory(err);
    for (int i = 0; i < o->n_own && !status; i++) {
        own[i] = o->own[i];
        if (own[i].kind != OWN_COMMAND)
            continue;
        struct hook command = {.text = own[i].text};
        status = subjects_add_hook(&input, run->cli->arena, &run->subjects, "--metric", &command, err);
        own[i].words = command.argv;
    }
    run->exec_options.own = own;
    run->exec_options.results = o->results;
    run->exec_options.n_own = o->n_own;
    run->exec_options.compare_output = o->check_output;
    return status;
}

static enum tare_status check_environment(const struct option_list *env, struct tare_err *err)
{
    for (int i = 0; i < env->n; i++)
        if (padding_owns(env->items[i]))
            return err_set(err, TARE_INVALID, "--env %s: tare sets this variable itself, anew in each round; choose another name",
                           env->items[i]);
    return TARE_OK;
}

const char *const *run_without_passwords(struct arena *a, const char *const *environment)
{
    static const char *const names[] = {"PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE"};
    return environment_with(a, environment, names, sizeof names / sizeof *names);
}

/* Whoever adds results to a database need not trust what is measured with it. */
static bool hides_passwords(const struct run *run)
{
    return run->hides_passwords || (run->o->history && history_is_url(run->o->history));
}

enum tare_status run_choose_environment(struct run *run, struct tare_err *err)
{
    enum tare_status status = check_environment(&run->o->env, err);
    if (status)
        return status;
    const char *const *ours = plat_environment();
    if (hides_passwords(run) && !(ours = run_without_passwords(run->cli->arena, ours)))
        return err_no_memory(err);
    if (run->o->revisions.n && !(ours = git_environment(run->cli->arena, ours)))
        return err_no_memory(err);
    run->exec_options.environment = environment_with(run->cli->arena, ours, run->o->env.items, run->o->env.n);
    return run->exec_options.environment ? TARE_OK : err_no_memory(err);
}

/* Every command and hook would fail by it, and none of them is to blame. */
static enum tare_status check_shell(const struct run *run, struct tare_err *err)
{
    if (run->o->shell_kind != RUN_SHELL_CUSTOM)
        return TARE_OK;
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status =
        plat_find_program(run->subjects.subjects[0].argv[0], run->exec_options.environment, run->o->cwd, &path, err);
    buf_finish(&path);
    if (status)
        err_prefix(err, "--shell");
    return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_INVALID : status;
}

static enum tare_status check_pin(struct run *run, int cpu, struct tare_err *err)
{
    if (plat_cpu_allowed(cpu) || tuning_has_group(run->tuning))
        return TARE_OK;
    return err_set(err, TARE_INVALID, "--pin %d: this CPU is offline or not allowed to us", cpu);
}

/* --pin: that CPU for all rounds; --tune: the one that is quieted; --same-cpu: any that we may use, one for each round; of targets one for each process. */
static enum tare_status choose_cpus(struct run *run, struct tare_err *err)
{
    const struct run_options *o = run->o;
    enum tare_status status = tuning_plan(&run->tuning, o->tune, o->pin_cpu, run->cli->arena, err);
    int pin = o->tune ? tuning_cpu(run->tuning) : o->pin_cpu;
    const bool any = o->same_cpu || (run->cpu_each_run && pin < 0);
    if (status || (pin < 0 && !any))
        return status;
    if (pin >= 0 && (status = check_pin(run, pin, err)))
        return status;
    int most = any ? plat_cpus_allowed() : 1, n = 0;
    int *cpus = arena_array(run->cli->arena, (size_t)most, sizeof *cpus);
    if (!cpus)
        return err_no_memory(err);
    if (pin >= 0)
        cpus[n++] = pin;
    for (int cpu = 0; cpu < PINNABLE_CPUS && n < most; cpu++)
        if (plat_cpu_allowed(cpu))
            cpus[n++] = cpu;
    run->exec_options.pin_cpus = cpus;
    run->exec_options.n_pin_cpus = n;
    run->exec_options.cpu_each_run = any && run->cpu_each_run;
    return TARE_OK;
}

static enum tare_status choose_execution(struct run *run, struct tare_err *err)
{
    const struct run_options *o = run->o;
    run->exec_options = (struct exec_options){.environment = run->exec_options.environment,
                                              .cwd = o->cwd,
                                              .input_file = o->input && strcmp(o->input, "null") ? o->input : NULL,
                                              .show_hook_output = any_inherits(run),
                                              .timeout_ns = o->timeout_ns,
                                              .ignore_all = o->ignore_failure.all,
                                              .ignore_codes = o->ignore_failure.items,
                                              .n_ignore_codes = o->ignore_failure.n,
                                              .seed = run->record.seed};
    /* Where it decides, each round needs a value. */
    const char *decides = run->o->metrics.items[0];
    if (run->o->memory == RUN_MEMORY_EXACT)
        run->exec_options.follow_rounds = metric_followed_find(decides) ? INT_MAX : FOLLOW_ROUNDS;
    run->exec_options.follow_decides = metric_followed_find(decides) ? decides : NULL;
    enum tare_status status = choose_cpus(run, err);
    if (!status)
        status = choose_counters(run, err);
    return status ? status : choose_own(run, err);
}

static const char *why_blocks(const struct run *run)
{
    if (run->subjects.n < 2)
        return NULL;
    if (run->o->method == METHOD_GEORGES)
        return "--method georges measures one command after the other; leave it out for a comparison with a verdict";
    if (!run->subjects.same_setup_cleanup)
        return "setup or cleanup differ between the commands, so each is measured in a block of its own and drift is not "
               "controlled";
    if (run->o->no_interleave)
        return "--no-interleave measures in blocks, where drift is not controlled";
    return NULL;
}

/* How many commands share rounds. */
static int together(const struct run *run)
{
    return why_blocks(run) ? 1 : run->o->aa_sessions ? 2 : run->subjects.n;
}

/* The anchor asks nothing. */
static int asked(const struct run *run)
{
    return run->subjects.n - run->subjects.has_anchor;
}

/* The two clocks among the kernel's events. */
static bool counts_time(const char *event)
{
    return !strcmp(event, "task-clock") || !strcmp(event, "cpu-clock");
}

static const char *kind_word(const struct own_metric *m)
{
    static const char *const names[] = {
        [OWN_REGEX] = "regex", [OWN_COMMAND] = "cmd", [OWN_RESULT] = "result", [OWN_COUNTER] = "counter"};
    return names[m->kind];
}

static enum tare_status add_metrics(struct run *run)
{
    int added = 0;
    for (int i = 0; metric_builtin(i) && added >= 0; i++)
        added = record_add_metric(&run->record, metric_builtin(i));
    for (int i = 0; run->exec_options.follow_rounds && metric_followed(i) && added >= 0; i++)
        added = record_add_metric(&run->record, metric_followed(i));
    for (int i = 0; i < run->exec_options.n_counters && added >= 0; i++) {
        struct buf id = BUF_INIT(256);
        buf_format(&id, "%s%s", perf_prefix, run->exec_options.counters[i]);
        struct metric m = {.id = buf_text(&id),
                           .title = run->exec_options.counters[i],
                           .unit = counts_time(run->exec_options.counters[i]) ? "ns" : "1",
                           .kind = METRIC_COUNT,
                           .direction = METRIC_LOWER};
        added = record_add_metric(&run->record, &m);
        buf_finish(&id);
    }
    for (int i = 0; i < run->exec_options.n_own && added >= 0; i++) {
        const struct own_metric *own = &run->exec_options.own[i];
        struct buf definition = BUF_INIT(1 << 20);
        buf_format(&definition, "%s=%s", kind_word(own), own->text);
        struct metric m = {.id = own->name,
                           .title = own->name,
                           .unit = own->unit,
                           .kind = own->kind == OWN_COUNTER && !strcmp(own->unit, "ns") ? METRIC_TIME : METRIC_OWN,
                           .direction = own->direction,
                           .definition = buf_text(&definition)};
        added = definition.status ? -1 : record_add_metric(&run->record, &m);
        buf_finish(&definition);
    }
    if (added >= 0 && run->benchmarks)
        return record_add_bench_metrics(&run->record);
    return added < 0 ? TARE_NO_MEMORY : TARE_OK;
}

static enum tare_status start_record(struct run *run, struct tare_err *err)
{
    struct record *r = &run->record;
    const char **argv = arena_array(&r->arena, (size_t)run->cli->argc + 1, sizeof *argv);
    if (!argv)
        return err_no_memory(err);
    for (int i = 0; i < run->cli->argc; i++)
        argv[i] = run->cli->argv[i];
    r->argv = argv;
    r->tool_version = CLI_VERSION;
    r->seed = RUN_GIVEN(run->o, seed) ? run->o->seed
              : run->shown_seed       ? *run->shown_seed
                                      : plat_random_seed() & 0xffffffffffff; /* short enough to type */
    r->start_utc_ns = plat_utc_ns();
    r->sessions = run->o->sessions;
    r->every_ns = run->o->every_ns;
    run_options_rule(run->o, together(run) - run->subjects.has_anchor, &r->rule);
    return TARE_OK;
}

static enum tare_status add_subjects(struct run *run, struct tare_err *err)
{
    for (int i = 0; i < run->subjects.n; i++)
        if (record_add_subject(&run->record, &run->subjects.subjects[i], NULL, 0) < 0)
            return err_no_memory(err);
    return TARE_OK;
}

/* Time of one group of commands that share rounds, when none was given; of a session of --aa less, for there are many. */
static int64_t usual_budget_ns(const struct run *run)
{
    int64_t min_time_ns = run->o->min_time_ns * together(run);
    int64_t usual_ns = run->o->aa_sessions ? INT64_C(1500000000) : INT64_C(5000000000) * together(run);
    return min_time_ns > usual_ns ? min_time_ns : usual_ns;
}

static void plan_session(struct run *run)
{
    const struct run_options *o = run->o;
    struct rule *rule = &run->record.rule;
    const char *why = why_blocks(run);
    int groups = run->subjects.n / together(run);
    rule->interleaved = !why;
    rule->reference = 0;
    run->session = (struct session){.record = &run->record,
                                    .cli = run->cli,
                                    .quiet = o->display.quiet,
                                    .outlooks = o->display.verbose > 0,
                                    .spawner = run->session.spawner,
                                    .hooks = run->hooks,
                                    .n_commands = run->subjects.n,
                                    .blocks = why != NULL,
                                    .why_blocks = why,
                                    .pairs = o->aa_sessions > 0,
                                    .plan = {.warmup = o->warmup >= 0 ? o->warmup : run_adaptive(o),
                                             .runs = o->method == METHOD_GEORGES ? 0 : o->runs,
                                             .min_rounds = RUN_GIVEN(o, min_runs) ? o->min_runs : 0,
                                             .max_rounds = o->max_runs,
                                             .budget_ns = o->max_time_ns ? o->max_time_ns / groups : usual_budget_ns(run),
                                             .budget_hard = o->max_time_ns != 0,
                                             .min_time_ns = o->min_time_ns * together(run),
                                             .sharing = !run->subjects.has_anchor ? 0
                                                        : asked(run) > 1          ? asked(run) - 1
                                                                                  : 1,
                                             .seed = run->record.seed}};
}

/* With several programs each word is one; else the first, and what follows are its arguments. */
static int named_programs(const struct run *run)
{
    const struct option_operands *words = &run->cli->operands;
    return run->benchmarks || !words->n ? words->n : 1;
}

/* The file that a word of a command may name; NULL: none. One without a slash may mean anything: it counts where it is the name of a file. */
static const char *file_of_word(const struct run *run, const char *word, bool is_program)
{
    struct plat_file_state state;
    const char *cwd = run->o->cwd;
    if (!plat_path_is_absolute(word) && run->o->revisions.n) /* which run in folders of their own */
        return NULL;
    const char *path = cwd && !plat_path_is_absolute(word) ? arena_format(run->cli->arena, "%s/%s", cwd, word) : word;
    const bool any =
        plat_base_name(word) == word && (is_program || !path || plat_file_state(path, &state, NULL) || !state.regular);
    return any ? NULL : path;
}

/* The command may well be told where to write them. */
static bool is_results(const struct run *run, const char *word)
{
    return run->o->results && !strcmp(word, run->o->results);
}

/* What commands, and the shell lines in them, may read (of "if=FILE" the file too); returns how many, which `out`, if not NULL, has room for. */
static int files_of_commands(const struct run *run, struct outputs_place *out)
{
    int n = 0;
    for (int i = 0; i < run->subjects.n; i++) {
        struct shell_word *words;
        const int n_words = shell_line_words(run->cli->arena, run->subjects.subjects[i].argv, &words);
        for (int k = 0; k < 2 * n_words; k++) {
            const char *value = strchr(words[k / 2].text, '='), *word = k % 2 ? (value ? value + 1 : "") : words[k / 2].text,
                       *path = *word && !is_results(run, word) ? file_of_word(run, word, k == 0) : NULL;
            if (path && out)
                out[n] = (struct outputs_place){"the command's file", path, true};
            n += path != NULL;
        }
    }
    return n;
}

enum tare_status run_check_places(const struct run *run, struct tare_err *err)
{
    const struct run_options *o = run->o;
    const bool any = o->save || outputs_wanted(&o->display);
    int programs = named_programs(run), files = any ? files_of_commands(run, NULL) : 0;
    struct outputs_place *places = arena_array(
        run->cli->arena, (size_t)(o->output.n + o->baseline.n) + (size_t)programs + (size_t)files + 5, sizeof *places);
    if (!places)
        return err_no_memory(err);
    int n = 0;
    places[n++] = (struct outputs_place){"--save", o->save, false};
    places[n++] = (struct outputs_place){"--results", o->results, false};
    for (int i = 0; i < o->baseline.n; i++) /* a session that fails would have replaced it */
        places[n++] = (struct outputs_place){"--baseline", o->baseline.items[i], true};
    places[n++] =
        (struct outputs_place){"--input", o->input && !strcmp(o->input, "-") ? o->input : run->exec_options.input_file, true};
    for (int i = 0; i < o->output.n; i++)
        if (plat_base_name(o->output.items[i]) > o->output.items[i])
            places[n++] = (struct outputs_place){"--output", o->output.items[i], false};
    for (int i = 0; i < programs; i++)
        if (plat_base_name(run->cli->operands.items[i]) > run->cli->operands.items[i])
            places[n++] = (struct outputs_place){"the command's file", run->cli->operands.items[i], true};
    if (run->benchmarks && o->anchor)
        places[n++] = (struct outputs_place){"--anchor", o->anchor, true};
    if (files)
        n += files_of_commands(run, places + n);
    return outputs_check(&o->display, places, n, err);
}

enum tare_status run_open_history(struct run *run, struct tare_err *err)
{
    const struct run_options *o = run->o;
    if (!o->history || o->dry_run)
        return TARE_OK;
    run->history = arena_alloc(run->cli->arena, sizeof *run->history);
    enum tare_status status =
        run->history ? history_keep_open(run->history, *o->history ? o->history : NULL, ".", o->class, run->cli->arena, err)
                     : err_no_memory(err);
    if (status)
        err_prefix(err, "--history");
    return status ? status : history_place_spared(&run->history->place, &o->display, "--save", o->save, err);
}

static enum tare_status make_subjects(struct run *run, struct tare_err *err)
{
    struct subject_input input = input_of(run);
    enum tare_status status = subjects_make(&input, run->cli->arena, &run->subjects, err);
    if (status == TARE_TOO_LARGE)
        return TARE_INVALID;
    if (!status)
        status = run_options_check_counts(run->o, asked(run), err);
    if (status)
        return status;
    if (why_blocks(run) || run->subjects.n <= PLAN_SUBJECTS_MAX)
        return TARE_OK;
    return err_set(err, TARE_INVALID,
                   "%d commands are more than one comparison can hold, which is %d; compare fewer, or add --no-interleave",
                   run->subjects.n, PLAN_SUBJECTS_MAX);
}

enum tare_status run_make_subjects(struct run *run, struct tare_err *err)
{
    enum tare_status status = run_resolve_revisions(run, err);
    return status ? status : make_subjects(run, err);
}

enum tare_status run_check_words(struct run *run, struct tare_err *err)
{
    const struct option_list *given = &run->o->revisions;
    const int n = given->n == 1 ? 2 : given->n; /* one alone gets the working tree beside it */
    struct subject_revision *names = arena_array(run->cli->arena, (size_t)n + 1, sizeof *names);
    if (!names)
        return err_no_memory(err);
    for (int i = 0; i < n; i++) {
        const char *name = i < given->n ? given->items[i] : ".";
        names[i] = (struct subject_revision){name, name};
    }
    run->revision_names = names;
    run->revisions.n = n;
    return make_subjects(run, err);
}

enum tare_status run_describe(struct run *run, struct tare_err *err)
{
    enum tare_status status = run_choose_environment(run, err);
    if (!status)
        status = run_make_subjects(run, err);
    return status ? status : run_describe_subjects(run, err);
}

enum tare_status run_describe_subjects(struct run *run, struct tare_err *err)
{
    enum tare_status status = start_record(run, err);
    if (!status)
        status = add_commands(run, err);
    if (!status)
        note_one_for_all(run);
    if (!status)
        status = choose_execution(run, err);
    if (!status)
        status = check_shell(run, err);
    if (!status)
        status = run_check_places(run, err);
    if (!status)
        status = run_open_history(run, err);
    if (!status && add_metrics(run))
        status = err_no_memory(err);
    if (!status)
        status = add_subjects(run, err);
    run->render = screen_options(&run->o->display);
    if (!status)
        plan_session(run);
    return status;
}

/* Of the processor's counters only its own is known here, and that one may be no clock in this process; the programs are started by it, and are no
 * better off. */
enum tare_status run_check_clock(const char *name, struct tare_err *err)
{
    const struct clock_kind *kind = clock_kind_named(name);
    if (!kind) /* auto */
        return TARE_OK;
    if (!(kind->properties & CLOCK_COUNTS_TICKS)) {
        enum tare_status status = kind->probe(err);
        return status ? err_set(err, TARE_UNSUPPORTED, "--clock %s: this system has no %s; see tare clock", name, kind->title)
                      : TARE_OK;
    }
    if (strcmp(name, cpu_ticks_name()) != 0)
        return err_set(err, TARE_INVALID,
                       "--clock %s is the counter of another kind of processor; here there are auto, %s, raw and monotonic", name,
                       cpu_ticks_name());
    const struct clock_counter *counter = &clock_state()->counter;
    return counter->trusted
               ? TARE_OK
               : err_set(err, TARE_UNSUPPORTED, "--clock %s cannot be used here: %s; omit --clock to use the system's", name,
                         counter->reason);
}
