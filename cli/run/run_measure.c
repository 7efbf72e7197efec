/* SPDX-License-Identifier: MIT */
#include "machine.h"
#include "programs.h"
#include "quote.h"
#include "record_kind.h"
#include "result_file.h"
#include "run.h"
#include "self_trace.h"
#include "shell_line.h"
#include <math.h>
#include <string.h>

/* --results: what a run wrote into its file, by the names that own metrics of kind result ask for. One value a name and run: the mean of what the
 * file has for it, for values of one process are not independent. */

enum { NAMES_SHOWN = 4 };

static double mean_of(const struct series *s, int column)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->main.n; i++)
        if (!isnan(s->main.value[column][i])) {
            sum += s->main.value[column][i];
            n++;
        }
    return n ? sum / n : NAN;
}

/* The reason, or 0. Values rounded alike have a mean that may be off by as much as each: its step is theirs. */
static int find_value(const struct result_file *file, const struct own_metric *m, double *value, double *step)
{
    const struct record *r = &file->r;
    int subject = 0;
    while (subject < r->n_subjects && strcmp(r->subjects[subject].name, m->text) != 0)
        subject++;
    if (subject == r->n_subjects)
        return NULL_NO_RESULT;
    const struct series *s = &r->series[subject];
    if (result_file_partial(file, subject))
        return NULL_RESULT_PARTIAL;
    for (int i = 0; i < s->n_columns; i++) {
        const struct metric *of = record_metric(r, s->columns[i]);
        double mean = of && !strcmp(of->unit, m->unit) ? mean_of(s, i) : NAN;
        if (!isnan(mean)) {
            *value = mean;
            *step = series_step(s, s->columns[i]);
            return 0;
        }
    }
    return s->main.n ? NULL_RESULT_UNIT : NULL_NO_RESULT;
}

static bool asked_for(const struct run *run, const char *name)
{
    for (int i = 0; i < run->exec_options.n_own; i++)
        if (run->exec_options.own[i].kind == OWN_RESULT && !strcmp(run->exec_options.own[i].text, name))
            return true;
    return false;
}

/* What nobody asked for, once for each command. */
static void note_others(struct run *run, int subject, const char *path, const struct record *r)
{
    struct buf names = BUF_INIT(1 << 16);
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        if (asked_for(run, r->subjects[i].name))
            continue;
        if (n++ < NAMES_SHOWN)
            buf_format(&names, "%s'%s'", n > 1 ? ", " : "", r->subjects[i].name);
    }
    if (n > NAMES_SHOWN)
        buf_format(&names, " and %d more", n - NAMES_SHOWN);
    live_clear(&run->session.live);
    if (n)
        run_note(run, "'%s' wrote into %s results that no --metric asks for: %s", run->record.subjects[subject].name, path,
                 buf_text(&names));
    buf_finish(&names);
}

/* For exec_options.read_results; `context` is the run. What is amiss is noted at the first file of each of the first so many commands. */
enum { RUN_RESULTS_NOTED = 64 };

static enum tare_status run_read_results(void *context, int subject, const char *path, double *own, struct tare_err *err)
{
    struct run *run = context;
    struct result_file s = {.format = run->o->results_format};
    enum tare_status status = result_file_read(&s, path, err);
    const bool first = !status && !s.missing && subject < RUN_RESULTS_NOTED && !(run->results_noted & (UINT64_C(1) << subject));
    if (first && s.trouble[0]) {
        live_clear(&run->session.live);
        run_note(run, "'%s' %s", run->record.subjects[subject].name, s.trouble);
    } else if (first) {
        note_others(run, subject, path, &s.r);
    }
    if (first)
        run->results_noted |= UINT64_C(1) << subject;
    for (int i = 0; !status && i < run->exec_options.n_own; i++) {
        if (run->exec_options.own[i].kind != OWN_RESULT)
            continue;
        int reason = s.missing ? NULL_NO_RESULTS : s.trouble[0] ? NULL_BAD_RESULTS : 0;
        if (!reason)
            reason = find_value(&s, &run->exec_options.own[i], &own[OWN_COLUMNS * i], &own[OWN_COLUMNS * i + 2]);
        own[OWN_COLUMNS * i + 1] = reason;
    }
    result_file_finish(&s);
    return status;
}

/* The look at all processes before the first run. Where no empty program is run before, it delays the first run of all. */
enum { NOOP_RUNS = 15, LOOK_NS = 5000000, LOOK_FIRST_NS = 1000000 };

enum tare_status run_start_spawner(struct run *run, struct tare_err *err)
{
    if (run->session.spawner)
        return TARE_OK;
    enum tare_status status = TARE_OK;
    if (run->o->priority != RUN_PRIORITY_NORMAL || RUN_GIVEN(run->o, priority))
        status = plat_set_priority((enum plat_priority)run->o->priority, err);
    if (!status)
        status = plat_spawner_create(&run->session.spawner, NULL, err);
    return status == TARE_NOT_FOUND ? TARE_IO : status; /* a part of tare is missing, and nothing that the user named */
}

/* An empty program as one more subject: what a run costs before it does anything. */
static enum tare_status add_noop(struct run *run, const char *name, struct tare_err *err)
{
    struct subject noop = {.kind = SUBJECT_NOOP, .name = name, .command = run->noop_argv[0], .argv = run->noop_argv};
    int subject = record_add_subject(&run->record, &noop, NULL, 0);
    if (subject < 0)
        return err_no_memory(err);
    run->commands[run->n_commands++] =
        (struct exec_command){.subject = subject, .name = name, .argv = noop.argv, .own_part = true};
    return TARE_OK;
}

static bool counting(const struct run *run)
{
    return run->exec_options.n_counters > 0;
}

/* Once more with counters, when some are asked for: they have a weight of their own. */
static enum tare_status add_noops(struct run *run, struct tare_err *err)
{
    const char **argv = arena_array(run->cli->arena, 2, sizeof *argv);
    if (!argv)
        return err_no_memory(err);
    argv[0] = plat_noop_path(run->session.spawner);
    run->noop_argv = argv;
    enum tare_status status = add_noop(run, "an empty program", err);
    return status || !counting(run) ? status : add_noop(run, "an empty program under the counters", err);
}

static bool asked_for_user_only(const char *event)
{
    size_t n = strlen(event);
    return n > 2 && !strcmp(event + n - 2, ":u");
}

/* Without the metric that the question is about there is no answer, however long it is measured. */
static enum tare_status check_deciding_counter(const struct run *run, struct tare_err *err)
{
    const char *metric = run->record.rule.metric;
    for (int i = 0; i < run->exec_options.n_counters; i++) {
        const char *reason = exec_counter_reason(run->session.exec, i);
        if (reason && !strncmp(metric, "perf:", 5) && !strcmp(metric + 5, run->exec_options.counters[i]))
            return err_set(err, TARE_UNSUPPORTED,
                           "--metric %s decides and is not measurable here: %s; let another one decide: "
                           "--metric wall --metric %s",
                           metric, reason, metric);
    }
    return TARE_OK;
}

/* Names of files in commands and hooks mean those there. */
static enum tare_status add_folder(struct record *r)
{
    struct buf folder = BUF_INIT(1 << 16);
    struct tare_err why;
    bool found = !plat_working_folder(&folder, &why);
    enum tare_status status = found ? facts_add_text(r, &r->build, "working_folder", buf_text(&folder))
                                    : facts_add_unknown(r, &r->build, "working_folder", why.text);
    buf_finish(&folder);
    return status;
}

void run_put_option(struct buf *b, const char *name, const char *value)
{
    const char *const words[] = {name, value, NULL};
    if (b->len)
        buf_char(b, ' ');
    quote_words(b, words, false);
}

enum tare_status run_describe_options(struct run *run)
{
    static const char *const priorities[] = {"idle", "normal", "high", "realtime"};
    const struct run_options *o = run->o;
    char cpu[16];
    struct buf b = BUF_INIT(1 << 20), number = buf_over(cpu, sizeof cpu);
    buf_format(&number, "%d", o->pin_cpu);
    if (o->input && strcmp(o->input, "null") != 0)
        run_put_option(&b, "--input", o->input);
    for (int i = 0; i < o->output.n; i++)
        if (o->output.n > 1 || strcmp(o->output.items[i], "null") != 0)
            run_put_option(&b, "--output", o->output.items[i]);
    for (int i = 0; i < o->env.n; i++)
        run_put_option(&b, "--env", o->env.items[i]);
    if (o->cwd)
        run_put_option(&b, "--cwd", o->cwd);
    for (int i = 0; i < o->cwds.n; i++)
        run_put_option(&b, "--cwd", o->cwds.items[i]);
    if (o->results)
        run_put_option(&b, "--results", o->results);
    if (o->pin_cpu >= 0)
        run_put_option(&b, "--pin", cpu);
    if (o->same_cpu)
        run_put_option(&b, "--same-cpu", NULL);
    if (o->priority != RUN_PRIORITY_NORMAL)
        run_put_option(&b, "--priority", priorities[o->priority]);
    if (o->on_dirty == DIRTY_RERUN) /* the runs that count are the quiet ones */
        run_put_option(&b, "--on-dirty", "rerun");
    if (run->sampled_by && *run->sampled_by)
        buf_format(&b, "%s%s", b.len ? " " : "", run->sampled_by);
    enum tare_status status = b.status ? b.status : facts_add_text(&run->record, &run->record.before, "options", buf_text(&b));
    buf_finish(&b);
    return status;
}

enum tare_status run_find_file(const char *name, const char *const *environment, const char *cwd, struct buf *out,
                               struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = plat_find_program(name, environment, cwd, &path, err);
    const char *from = cwd && !plat_path_is_absolute(buf_text(&path)) ? cwd : "";
    buf_clear(out);
    if (!status)
        buf_format(out, "%s%s%s", from, *from ? "/" : "", buf_text(&path));
    buf_finish(&path);
    return status;
}

static const char *const *run_environment(const struct run *run, int command)
{
    const char *const *own = run->commands[command].environment;
    return own ? own : run->exec_options.environment;
}

/* A program within a command, by its path or by its name; NULL: it is no file. */
static const char *program_in(struct run *run, int command, const char *word, bool by_name, struct buf *path)
{
    struct plat_file_state state;
    const bool found = by_name == (plat_base_name(word) == word) &&
                       !run_find_file(word, run_environment(run, command), run_cwd(run, command), path, NULL);
    return found && !plat_file_state(buf_text(path), &state, NULL) && state.regular ? buf_text(path) : NULL;
}

/* The scripts that its interpreters are given, and what a shell line or a command such as nice runs: programs at a path first, because only so many are
 * noted and those of the system change least. What they read or write is data, and may change. A relative path behind a cd is not known. */
static enum tare_status describe_scripts(struct run *run, int i, struct programs *programs, struct buf *path)
{
    struct shell_word *words;
    const char *cwd = run_cwd(run, i);
    const int n = shell_line_words(run->cli->arena, run->commands[i].argv, &words);
    enum tare_status status = TARE_OK;
    for (int by_name = 0, scripts = 0; by_name < 2; by_name++) {
        bool elsewhere = false, wrapped;
        for (int at = 0; at < n && !status;) {
            const int first = at;
            const char *const *argv = shell_line_command(run->cli->arena, words, n, &at, &elsewhere, &wrapped);
            if (!argv)
                return TARE_NO_MEMORY;
            while (wrapped && argv[0] && argv[1] && run_find_file(argv[0], run_environment(run, i), cwd, path, NULL))
                argv++; /* the value of an option of what runs it */
            const bool within = first > 0 || argv[0] != words[0].text;
            for (int k = !within; k < 2 - by_name && argv[0] && !status; k++) {
                const char *found = k ? programs_script(argv, cwd, path) : program_in(run, i, argv[0], by_name, path);
                if (found && (!elsewhere || plat_path_is_absolute(found)))
                    status = programs_add_script(programs, &run->record, &run->record.build, i + 1, scripts++, found);
            }
        }
    }
    return status;
}

/* Sessions wait for each other; a single one does not wait for a large file, unless ratios to it are compared later. */
enum tare_status run_describe_programs(struct run *run)
{
    const struct exec_options *o = &run->exec_options;
    bool all = record_kind(&run->record)->targets || run->o->sessions || run->o->anchor;
    struct programs programs = programs_begin(all ? PROGRAMS_CLAIM_BYTES : PROGRAMS_BYTES, o->environment);
    struct buf path = BUF_INIT(1 << 17);
    enum tare_status status = TARE_OK;
    for (int i = 0; i < run->subjects.n && !status; i++) {
        struct tare_err why;
        /* What a ratio is to is known by its file. */
        if (i >= PROGRAMS_MOST && !(run->record.subjects[i].anchor && !run->record.subjects[i - 1].anchor))
            continue;
        bool found = !run_find_file(run->commands[i].argv[0], run_environment(run, i), run_cwd(run, i), &path, &why);
        status = programs_add(&programs, &run->record, &run->record.build, i + 1, found ? buf_text(&path) : NULL, why.text);
        status = status ? status : describe_scripts(run, i, &programs, &path);
    }
    buf_finish(&path);
    return status;
}

/* Below what the kernel's own figure of memory says nothing. */
static enum tare_status add_floor(struct run *run)
{
    struct plat_rss_floor floor;
    struct record *r = &run->record;
    if (plat_rss_floor(run->session.spawner, &floor))
        return TARE_OK;
    enum tare_status status = facts_add_number(r, &r->before, "memory_floor_bytes", (double)floor.helper_bytes);
    return status ? status : facts_add_number(r, &r->before, "memory_unseen_bytes", (double)floor.unseen_bytes);
}

/* What no run will have, and why: the estimates say it. */
static enum tare_status add_unknown_metrics(struct run *run)
{
    struct record *r = &run->record;
    enum tare_status status = TARE_OK;
    const struct metric *m;
    for (int i = 0; (m = metric_builtin(i)) && !status; i++) {
        const char *why = plat_metric_unknown(m->id);
        if (why)
            status = facts_add_unknown(r, &r->before, arena_format(run->cli->arena, "metric_%s", m->id), why);
    }
    return status;
}

static enum tare_status write_head(struct run *run, struct tare_err *err)
{
    struct record *r = &run->record;
    TARE_POINT_NAMED("machine");
    enum tare_status status = machine_identity(r, &r->machine);
    TARE_POINT_NAMED("conditions");
    if (!status)
        status = machine_conditions(r, &r->before);
    surroundings_open(&run->session.surroundings);
    if (!status)
        status = surroundings_add(&run->session.surroundings, r, &r->before);
    if (!status)
        status = tuning_add_facts(run->tuning, r, &r->before);
    if (!status)
        status = add_floor(run);
    if (!status)
        status = add_unknown_metrics(run);
    if (!status)
        status = add_folder(r);
    if (!status)
        status = run_describe_options(run);
    TARE_POINT_NAMED("programs");
    if (!status)
        status = run_describe_programs(run);
    if (status)
        return err_set(err, status, "cannot describe the machine");
    if (run->described && (status = run->described(run->context, run, err)))
        return status;
    if (!run->session.outputs.save)
        return TARE_OK;
    run->session.writer = &run->session.outputs.writer;
    return record_write_head(&run->session.outputs.writer, r, err);
}

/* `-i 1 cmd` takes 1 for a command. */
static void hint_codes(const struct run *run, const char *program, enum tare_status status, struct tare_err *err)
{
    if (!run->o->ignore_failure.all || program[strspn(program, "0123456789,")])
        return;
    const struct tare_err before = *err;
    err_set(err, status, "%s; exit codes follow an equals sign: -i=%.40s", before.text, program);
}

static enum tare_status look_up(const struct run *run, int command, const char *program, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = plat_find_program(program, run_environment(run, command), run_cwd(run, command), &path, err);
    buf_finish(&path);
    return status;
}

/* `ls file`: of bare words the first alone is a program. Where both are paths, the second is more likely misspelt. */
static void hint_quotes(const struct run *run, int command, struct tare_err *err)
{
    const struct cli *cli = run->cli;
    const char *const *words = cli->operands.items;
    int before = 2; /* "tare run" */
    if (command != 1 || cli->operands.n != run->n_commands ||
        (plat_base_name(words[0]) > words[0] && plat_base_name(words[1]) > words[1]))
        return;
    for (int i = 2; i < cli->operands.n; i++)
        if (!look_up(run, command, words[i], NULL))
            return;
    command_hint_quotes(cli->command, &cli->operands, cli->argc - before, cli->argv + before, err);
}

/* The message names the program already. */
static void name_command(const struct run *run, int command, struct tare_err *err)
{
    const struct exec_command *c = &run->commands[command];
    const bool reference = run->subjects.has_reference && command == 0, anchor = run->record.subjects[c->subject].anchor;
    if (reference || anchor)
        err_prefix(err, reference ? "--reference" : "--anchor");
    else if (strcmp(c->name, c->argv[0]) != 0)
        err_prefix(err, c->name);
}

/* A program that no hook can still make is looked for before anything runs or a file is opened. */
enum tare_status run_find_program(const struct run *run, int command, struct tare_err *err)
{
    const struct exec_command *c = &run->commands[command];
    if (c->prepare.argv || run->hooks[command].setup.argv)
        return TARE_OK;
    enum tare_status status = look_up(run, command, c->argv[0], err);
    if (status) {
        name_command(run, command, err);
        hint_codes(run, c->argv[0], status, err);
        hint_quotes(run, command, err);
    }
    return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
}

static enum tare_status find_programs(const struct run *run, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < run->n_commands && !status; i++)
        status = run_find_program(run, i, err);
    return status;
}

const char *run_revision_folder(const struct run *run, int i)
{
    const char *at = run->revisions.items[i].directory;
    return at && run->o->cwd ? arena_format(run->cli->arena, "%s/%s", at, run->o->cwd) : at;
}

/* Where each command and its hooks run, now that it is there. */
static enum tare_status enter_revisions(struct run *run, struct tare_err *err)
{
    for (int i = 0; i < run->n_commands; i++) {
        const char *cwd = run_revision_folder(run, i / run->subjects.per_revision);
        if (!cwd)
            return err_no_memory(err);
        struct exec_command *c = &run->commands[i];
        c->cwd = c->prepare.cwd = c->conclude.cwd = run->hooks[i].setup.cwd = run->hooks[i].cleanup.cwd = cwd;
    }
    return TARE_OK;
}

/* Where the word is, or names a program, in the folder in which this command runs; NULL: nowhere. */
static const char *place_of(const struct run *run, int command, const struct shell_word *word)
{
    struct buf path = BUF_INIT(1 << 16);
    struct arena *a = run->cli->arena;
    const char *cwd = run_cwd(run, command);
    if (!word->starts || plat_find_program(word->text, run_environment(run, command), cwd, &path, NULL)) {
        buf_clear(&path);
        buf_str(&path, word->text);
    }
    const char *place = arena_keep(a, &path);
    return !place || plat_path_is_absolute(place) ? place : arena_format(a, "%s/%s", cwd, place);
}

static const char *revision_of(const struct run *run, int command)
{
    return run->benchmarks ? run->subjects.subjects[command].program
                           : run->revisions.items[command / run->subjects.per_revision].label;
}

static enum tare_status check_word(const struct run *run, int command, const struct shell_word *word, int before,
                                   const struct shell_word *word_before, struct tare_err *err)
{
    const char *own = place_of(run, command, word), *other = place_of(run, before, word_before);
    if (!own || !other || !plat_same_file(own, other) || !revisions_wrote(&run->revisions, own))
        return TARE_OK;
    return err_set(err, TARE_CHILD,
                   "the builds of %s and %s make %s in one place outside of their work trees, so only the last one is left; "
                   "let --build write it below the folder in which it starts",
                   revision_of(run, before), revision_of(run, command), word->text);
}

/* Of a command and the same one of the revision before it; of a benchmark, its own and its reference's program. */
static enum tare_status check_command(const struct run *run, int command, struct tare_err *err)
{
    const struct subject *all = run->subjects.subjects;
    const int before = run->benchmarks ? all[command].reference : command - run->subjects.per_revision;
    struct shell_word *words, *others;
    if (before < 0 || (run->benchmarks && all[before].argv == all[command].argv))
        return TARE_OK;
    const int n = shell_line_words(run->cli->arena, run->commands[command].argv, &words),
              m = shell_line_words(run->cli->arena, run->commands[before].argv, &others);
    enum tare_status status = n && m ? TARE_OK : err_no_memory(err);
    for (int i = 0; i < n && i < m && !status; i++)
        status = check_word(run, command, &words[i], before, &others[i], err);
    return status;
}

enum tare_status run_build_revisions(struct run *run, struct tare_err *err)
{
    enum tare_status status = revisions_check_out(&run->revisions, err);
    if (!status)
        status = revisions_build(&run->revisions, err);
    return status || !revisions_describe(&run->revisions, &run->record) ? status : err_no_memory(err);
}

/* What a build makes is looked for after it. */
static enum tare_status make_revisions(struct run *run, struct tare_err *err)
{
    enum tare_status status = run->benchmarks ? TARE_OK : run_build_revisions(run, err); /* tare bench has asked its programs */
    if (!status && !run->benchmarks)
        status = enter_revisions(run, err);
    if (!status)
        status = find_programs(run, err);
    for (int i = 0; i < run->n_commands && !status; i++)
        status = check_command(run, i, err);
    return status;
}

static enum tare_status tune(struct run *run, struct tare_err *err)
{
    enum tare_status status = tuning_begin(run->tuning, err);
    if (status != TARE_PERMISSION || !run->tuned_before)
        return status;
    run_note(run, "the session that is repeated was tuned, which needs root; this one is not: sudo tare rerun does it");
    tuning_forgo(run->tuning);
    return TARE_OK;
}

static enum tare_status start_tuned(struct run *run, struct tare_err *err)
{
    /* What a tuner that was killed left says more about the figures to come than anything below. */
    struct buf notice = BUF_INIT(1 << 12);
    tuning_notice(&notice);
    if (notice.len)
        run_note(run, "%s", buf_text(&notice));
    buf_finish(&notice);
    enum tare_status status = tune(run, err);
    if (!status)
        status = run_start_spawner(run, err);
    return status ? status : tuning_enter(run->tuning, plat_spawner_pid(run->session.spawner), err);
}

enum tare_status run_open(struct run *run, struct tare_err *err)
{
    enum tare_status status = run->revisions.n ? TARE_OK : find_programs(run, err);
    if (!status && (status = plat_signals_watch())) /* before the exports, whose files have other names until they are whole */
        err_set(err, status, "cannot watch signals");
    if (!status)
        status = outputs_open(&run->session.outputs, &run->o->display, run->o->save, err);
    if (!status && run->revisions.n)
        status = make_revisions(run, err);
    if (!status && run->lent_save)
        outputs_lend(&run->session.outputs, run->lent_save);
    if (!status)
        status = start_tuned(run, err);
    if (!status && run_adaptive(run->o) && !run->benchmarks && !run->traced) /* a process's own time is no figure of these */
        status = add_noops(run, err);
    run->exec_options.context = run;
    if (!run->exec_options.read_results)
        run->exec_options.read_results = run_read_results;
    if (!status)
        status = exec_create(&run->session.exec, &run->exec_options, run->commands, run->n_commands, run->session.spawner,
                             &run->record, err);
    bool once = run->subjects.n == 1 && run->session.plan.runs == 1 && !run->session.plan.warmup;
    if (!status && !once && exec_input_reads_on(run->session.exec))
        run_note(run, "--input is a pipe: each run continues where the previous one stopped; use a file to let each read it all");
    return status ? status : write_head(run, err);
}

static enum tare_status weigh(struct run *run, int noop, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; run->noop_argv && i < NOOP_RUNS && !status; i++)
        status = session_round(&run->session, &noop, 1, i, false, err);
    return status == TARE_CHILD ? TARE_IO : status; /* it is a part of tare, and no measured program */
}

static enum tare_status weigh_and_open_counters(struct run *run, struct tare_err *err)
{
    enum tare_status status = weigh(run, run->subjects.n, err);
    if (status || !counting(run))
        return status;
    status = exec_open_counters(run->session.exec, err);
    if (!status)
        status = check_deciding_counter(run, err);
    if (status)
        return status;
    /* Counters that are not there, or not whole: said with the findings. */
    for (int i = 0; i < run->exec_options.n_counters; i++) {
        const char *event = run->exec_options.counters[i], *reason = exec_counter_reason(run->session.exec, i);
        const char *text = reason ? arena_format(run->cli->arena, "perf:%s is not measurable here: %s", event, reason)
                                  : arena_format(run->cli->arena, "perf:%s", event);
        if (reason && text)
            run->missing_counters[run->n_missing_counters++] = text;
        else if (text && exec_counter_user_only(run->session.exec, i) && !asked_for_user_only(event))
            run->user_only_counters[run->n_user_only_counters++] = text;
    }
    return weigh(run, run->subjects.n + 1, err);
}

/* The record then says so: without an end it would seem to be that of a killed session. */
static enum tare_status never_began(struct run *run, enum tare_status status, struct tare_err *err)
{
    bool interrupted = status == TARE_INTERRUPTED;
    run->record.ended = interrupted ? "interrupted" : "failed";
    run->record.partial = true;
    return interrupted ? err_set(err, status, "interrupted before the first round") : status;
}

enum tare_status run_measure(struct run *run, struct tare_err *err)
{
    const char *purpose;
    live_begin(&run->session.live, &run->render, run->cli->talk);
    run->session.untimed = run_untimed_purposes(run->o, &purpose, 1) ? run_untimed : NULL;
    run->session.untimed_context = run;
    TARE_POINT_NAMED("weigh");
    enum tare_status status = weigh_and_open_counters(run, err);
    TARE_POINT_NAMED("surroundings");
    cpu_watch_begin(&run->session.surroundings.users, plat_spawner_pid(run->session.spawner),
                    run->noop_argv ? LOOK_NS : LOOK_FIRST_NS);
    status = status ? never_began(run, status, err) : session_measure(&run->session, err);
    if (plat_signal())
        run->session.signal_number = plat_signal();
    live_end(&run->session.live);
    return status;
}

const char *run_cwd(const struct run *run, int command)
{
    return run->commands[command].cwd ? run->commands[command].cwd : run->exec_options.cwd;
}

/* After the spawner: what lives on a CPU of ours goes first. */
static enum exit_code put_back(struct run *run)
{
    struct tare_err err;
    struct buf said = BUF_INIT(1 << 16);
    enum tare_status status = tuning_end(run->tuning, &said, &err);
    enum exit_code code = status ? cli_fail(run->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
    cli_say(run->cli, false, &said);
    return code;
}

enum exit_code run_close(struct run *run)
{
    struct tare_err err;
    exec_destroy(run->session.exec);
    plat_spawner_destroy(run->session.spawner);
    enum exit_code code = put_back(run);
    outputs_finish(&run->session.outputs, NULL);
    surroundings_close(&run->session.surroundings);
    record_finish(&run->record);
    for (int i = 0; i < run->n_results; i++)
        result_file_finish(&run->results[i]);
    stored_side_finish(&run->baseline);
    if (run->folder && plat_directory_remove(run->folder, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    if (revisions_remove(&run->revisions, &err))
        code = cli_fail(run->cli, EXIT_TOOL, &err);
    return code;
}

enum exit_code run_end(struct run *run, enum exit_code code)
{
    TARE_POINT_NAMED("close");
    code = cli_worse(code, run_close(run));
    int signal_number = run->session.signal_number ? run->session.signal_number : plat_signal(); /* while all was written */
    if (signal_number)
        plat_die_of(signal_number);
    return code;
}
