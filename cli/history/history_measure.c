/* SPDX-License-Identifier: MIT */
#include "analyse.h"
#include "bench_session.h"
#include "history_confirm.h"
#include "history_keep.h"
#include "padding.h"
#include "plat.h"
#include "quote.h"
#include "replan.h"
#include "run.h"
#include "same_text.h"
#include <math.h>
#include <string.h>

struct pair {
    const struct measure_question *q;
    const char *revisions[2];
    struct measure_answer *a;
    struct replan plan;
    struct cli cli;            /* ours with the words of the plan, which prints its result only with -v */
    struct history_keep *keep; /* NULL: two are compared */
    bool concluded;
};

/* A record that has these words alone, for that is all of a plan that is read. */
static enum tare_status read_plan(struct pair *p, struct tare_err *err)
{
    const struct measure_question *q = p->q;
    int n = 0;
    while (q->words[n])
        n++;
    const char **words = arena_array(q->cli->arena, (size_t)n + 1, sizeof *words);
    struct record *then = arena_array(q->cli->arena, 1, sizeof *then);
    struct rerun_options *o = arena_array(q->cli->arena, 1, sizeof *o);
    if (!words || !then || !o)
        return err_no_memory(err);
    memcpy(words, q->words, (size_t)n * sizeof *words);
    record_init(then);
    then->argv = words;
    *o = (struct rerun_options){.max_time_ns = q->max_time_ns, .display = *q->display};
    memset(o->display.export_file, 0, sizeof o->display.export_file);
    o->display.stdout_taken = false;
    return replan_read(&p->plan, then, o, q->cli->arena, err);
}

static const struct option_list none;

/* What a comparison of two commits has of its own: how sure it is, and that it goes on until there is a verdict. */
static void set_rule(const struct pair *p, struct run_options *o)
{
    o->margin = (struct option_margin){.value = p->q->margin};
    o->confidence = 1 - p->q->level;
    o->runs = o->max_runs = 0;
    o->min_time_ns = 0;
    o->precision = o->fail_if_slower = NAN;
    o->no_interleave = false;
    o->method = METHOD_TARE;
}

static int count_words(const char *const *items)
{
    int n = 0;
    while (items && items[n])
        n++;
    return n;
}

static void add_once(struct option_list *list, const char **items, const char *item)
{
    for (int i = 0; i < list->n; i++)
        if (!strcmp(items[i], item))
            return;
    items[list->n++] = item;
    list->items = items;
}

/* The series' metric decides, and comes first. */
static enum tare_status set_metric(const struct pair *p, struct run_options *o, struct tare_err *err)
{
    const struct measure_question *q = p->q;
    const int others = count_words(q->others);
    const char **items = arena_array(q->cli->arena, (size_t)(o->metrics.n + others) + 2, sizeof *items);
    struct option_list list = {.n = 0};
    if (!q->metric)
        return TARE_OK;
    if (!items)
        return err_no_memory(err);
    add_once(&list, items, q->metric);
    for (int i = 0; i < others; i++)
        add_once(&list, items, q->others[i]);
    for (int i = 0; i < o->metrics.n; i++)
        add_once(&list, items, o->metrics.items[i]);
    o->metrics = list;
    return TARE_OK;
}

/* "n=1000 k=3", as the history has them. */
static bool has_arguments(const struct subject *s, const char *text)
{
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < s->n_parameters; i++)
        buf_format(&b, "%s%s=%s", i ? " " : "", s->parameters[i].name, s->parameters[i].value);
    bool same = !text || !strcmp(buf_text(&b), text);
    buf_finish(&b);
    return same;
}

/* A benchmark is called in the history as it was registered. */
static bool is_benchmark(const struct pair *p, const struct subject *s)
{
    const char *name = p->q->benchmark;
    return !name ||
           ((!strcmp(s->group ? s->group : "", name) || !strcmp(s->benchmark, name)) && has_arguments(s, p->q->arguments));
}

/* A metric that is asked for by name alone may be one that nothing prints. */
static bool has_values(const struct record *r, int subject, const char *metric)
{
    const struct estimate *e = record_estimate(r, subject, metric, "median");
    return e && isfinite(e->point);
}

static bool is_asked_for(const struct pair *p, const struct record *r, const struct comparison *c, const char *metric)
{
    const struct subject *s = &r->subjects[c->subject], *reference = &r->subjects[c->reference];
    return c->arc == 0 && !strcmp(c->metric, metric) && has_values(r, c->subject, metric) &&
           has_values(r, c->reference, metric) &&
           (s->kind != SUBJECT_BENCH || (is_benchmark(p, s) && !strcmp(s->benchmark, reference->benchmark)));
}

static double ln_ratio(double before, double difference)
{
    return difference > -before ? log1p(difference / before) : -INFINITY;
}

/* Counts are compared by difference. */
static void take_shift(const struct record *r, const struct comparison *c, struct measure_answer *a)
{
    const struct estimate *median = c->kind == METRIC_COUNT ? record_estimate(r, c->reference, c->metric, "median") : NULL;
    const double before = median ? median->point : NAN;
    const bool ratio = before > 0 && c->shift > -before;
    a->shift = ratio ? ln_ratio(before, c->shift) : c->shift;
    a->low = ratio ? ln_ratio(before, c->low) : c->low;
    a->high = ratio ? ln_ratio(before, c->high) : c->high;
    a->difference = c->kind == METRIC_COUNT && !ratio;
}

static bool find_answer(const struct pair *p, const struct record *r, const char *metric, struct measure_answer *a)
{
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (!is_asked_for(p, r, c, metric))
            continue;
        a->verdict = c->verdict;
        take_shift(r, c, a);
        a->rounds = c->rounds;
        return true;
    }
    return false;
}

/* For run.concluded. */
static enum exit_code take_run(void *context, struct run *run)
{
    struct pair *p = context;
    struct record *r = &run->record;
    p->concluded = find_answer(p, r, p->q->metric ? p->q->metric : r->rule.metric, p->a);
    if (p->concluded) {
        /* The same rounds read by another metric. Their number was chosen by the first one, which the level of the last interim analysis allows for. */
        const struct measure_question *q = p->q;
        const char *first = r->rule.metric;
        struct tare_err ignored;
        for (int i = 0; i < count_words(q->others); i++) {
            r->rule.metric = q->others[i];
            if (!analyse_redo(r, &ignored) && find_answer(p, r, q->others[i], &q->answers[i]))
                q->answers[i].end = MEASURE_DONE;
        }
        r->rule.metric = first;
    }
    return EXIT_ANSWERED;
}

/* After the session; `unbuilt` of the work trees it had; code: how it ended, or why it did not begin. */
static void judge_pair(struct pair *p, const struct run *run, int unbuilt, enum exit_code code)
{
    struct measure_answer *a = p->a;
    a->signal = run->session.signal_number ? run->session.signal_number : plat_signal();
    a->unbuilt = unbuilt - 1;
    if (a->signal)
        a->end = MEASURE_INTERRUPTED;
    else if (unbuilt || code == EXIT_CHILD)
        a->end = MEASURE_UNBUILT;
    else if (p->keep ? p->keep->n > 0 : p->concluded)
        a->end = MEASURE_DONE;
    else {
        if (!*a->why.text)
            err_set(&a->why, TARE_INVALID, "the session gave no comparison in %s", p->q->metric ? p->q->metric : "its metric");
        a->end = code == EXIT_TOOL ? MEASURE_FAILED : MEASURE_IMPOSSIBLE;
    }
}

/* The session of what was described, unless status says that it was not. */
static void run_described(struct pair *p, struct run *run, enum tare_status status)
{
    const enum exit_code ended = status ? run_code_of(status) : run_session(run);
    judge_pair(p, run, run->revisions.unbuilt, ended);
    run_close(run);
}

/* The subject of the series among those of the words; -1: none. */
static int find_subject(const struct pair *p, const struct run *run)
{
    int found = -1, n = 0;
    for (int i = 0; i < run->subjects.n; i++) {
        const struct subject *s = &run->subjects.subjects[i];
        if (p->q->benchmark && (strcmp(s->name, p->q->benchmark) || !has_arguments(s, p->q->arguments)))
            continue;
        found = i;
        n++;
    }
    return run->subjects.n == 1 ? 0 : n == 1 ? found : -1;
}

static struct option_list list_of(struct arena *a, const char *text)
{
    const char **item = text ? arena_array(a, 2, sizeof *item) : NULL;
    if (item)
        *item = text;
    return item ? (struct option_list){item, 1} : none;
}

/* One command, with its parameters filled in, in place of all. */
static enum tare_status keep_one(struct pair *p, const struct run *all, struct run_options *o, struct tare_err *err)
{
    int i = find_subject(p, all);
    if (i < 0)
        return err_set(err, TARE_INVALID, "the session has not one command called '%.200s'",
                       p->q->benchmark ? p->q->benchmark : "");
    const struct subject *s = &all->subjects.subjects[i];
    struct arena *a = p->q->cli->arena;
    int output = o->output.n ? subjects_choice(&all->subjects, o->output.n, i) : -1;
    if (all->subjects.shell && o->shell_kind == RUN_SHELL_AUTO)
        o->shell_kind = RUN_SHELL_DEFAULT;
    o->scan = o->lists = o->names = none;
    o->scan_step = NULL;
    o->prepare = list_of(a, s->prepare);
    o->conclude = list_of(a, s->conclude);
    o->setup = s->setup;
    o->cleanup = s->cleanup;
    o->output = output < 0 ? none : list_of(a, o->output.items[output]);
    o->reference = o->reference_name = NULL;
    struct option_list command = list_of(a, s->command);
    p->cli.operands = (struct option_operands){.items = command.items, .n = command.n, .after = command.n};
    return command.n ? TARE_OK : err_no_memory(err);
}

static enum tare_status choose_command(struct pair *p, struct run_options *o, struct tare_err *err)
{
    struct run all = {.cli = &p->cli, .o = o};
    record_init(&all.record);
    enum tare_status status = run_describe(&all, err);
    if (!status)
        status = keep_one(p, &all, o, err);
    run_close(&all);
    return status;
}

static void measure_commands(struct pair *p, const struct revisions *rs)
{
    struct run_options o = p->plan.options.run;
    struct measure_answer *a = p->a;
    o.anchor = NULL; /* both sides share rounds */
    enum tare_status status = choose_command(p, &o, &a->why);
    o.revisions = (struct option_list){p->revisions, 2};
    o.build = p->q->build;
    set_rule(p, &o);
    if (!status)
        status = set_metric(p, &o, &a->why);
    struct run run = {.cli = &p->cli, .o = &o, .ready = rs, .concluded = take_run, .context = p};
    record_init(&run.record);
    if (!status)
        status = run_describe(&run, &a->why);
    run_described(p, &run, status);
}

/* As a pattern that fits what begins with this name: a benchmark with all of its arguments. */
static const char *pattern_of(struct arena *a, const char *name)
{
    struct buf b = BUF_INIT(1 << 16);
    buf_str(&b, "/^");
    for (; *name; name++) {
        if (strchr("\\^$.[]|()*+?{}", *name))
            buf_char(&b, '\\');
        buf_char(&b, *name);
    }
    buf_char(&b, '/');
    return arena_keep(a, &b);
}

/* The program of each work tree in place of the one that the words name. */
static enum tare_status set_programs(struct pair *p, const struct revisions *rs, struct tare_err *err)
{
    const char **items = arena_array(p->q->cli->arena, 3, sizeof *items);
    const char *program = p->plan.operands.n == 1 ? p->plan.operands.items[0] : NULL;
    if (!items)
        return err_no_memory(err);
    if (!program || plat_path_is_absolute(program) || plat_base_name(program) == program)
        return err_set(err, TARE_INVALID,
                       "only a session of one program with a relative path, such as ./bench, can be measured at other commits");
    for (int i = 0; i < rs->n; i++)
        if (!(items[i] = arena_format(p->q->cli->arena, "%s/%s", rs->items[i].directory, program)))
            return err_no_memory(err);
    p->cli.operands = (struct option_operands){.items = items, .n = rs->n, .after = rs->n};
    return TARE_OK;
}

static void measure_benchmarks(struct pair *p)
{
    struct bench_options o = p->plan.options.bench;
    struct bench b;
    if (!p->keep) {
        o.run.anchor = NULL;
        set_rule(p, &o.run);
    }
    if (!p->keep && p->q->benchmark) {
        o.filters = list_of(p->q->cli->arena, pattern_of(p->q->cli->arena, p->q->benchmark));
        o.excluded = none;
    }
    bench_begin(&b, &p->cli, &o);
    b.run.concluded = p->keep ? NULL : take_run;
    b.run.context = p;
    b.run.history = p->keep;
    b.run.hides_passwords = p->q->of_database;
    enum tare_status status = bench_describe(&b, &p->a->why);
    run_described(p, &b.run, status == TARE_NOT_FOUND ? TARE_CHILD : status);
}

/* By the words as they are, in the folder of the work tree. */
static void measure_in(struct pair *p, const char *folder)
{
    struct run_options o = p->plan.options.run;
    o.cwd = !o.cwd ? folder : plat_path_is_absolute(o.cwd) ? o.cwd : arena_format(p->q->cli->arena, "%s/%s", folder, o.cwd);
    struct run run = {.cli = &p->cli, .o = &o, .history = p->keep, .hides_passwords = p->q->of_database};
    record_init(&run.record);
    run_described(p, &run, o.cwd ? run_describe(&run, &p->a->why) : err_no_memory(&p->a->why));
}

void measure_kept_remove(struct measure_kept *k, struct cli *cli)
{
    struct tare_err err;
    if (k->any && revisions_remove(&k->rs, &err))
        cli_fail(cli, EXIT_TOOL, &err);
    *k = (struct measure_kept){.any = false};
}

static bool fits_pair(const struct measure_kept *k, const struct pair *p)
{
    return k->any && same_text(k->revisions[0], p->revisions[0]) && same_text(k->revisions[1], p->revisions[1]) &&
           same_text(k->build, p->q->build);
}

/* As that of a session by these words. */
static const char *const *build_environment(const struct pair *p)
{
    struct arena *a = p->q->cli->arena;
    const char *const *ours = p->q->of_database ? run_without_passwords(a, plat_environment()) : plat_environment();
    const char *const *environment = ours ? git_environment(a, ours) : NULL;
    const struct option_list *env = &p->plan.options.run.env;
    return environment && !replan_of_benchmarks(&p->plan) ? environment_with(a, environment, env->items, env->n) : environment;
}

static enum tare_status check_out(struct pair *p, struct measure_kept *k, int n)
{
    struct cli *cli = p->q->cli;
    struct tare_err *err = &p->a->why;
    measure_kept_remove(k, cli);
    *k = (struct measure_kept){.rs = {.arena = cli->arena,
                                      .environment = build_environment(p),
                                      .build = p->q->build,
                                      .cli = cli,
                                      .quiet = p->q->display->quiet,
                                      .alone = n == 1,
                                      .ready = p->q->ready ? &p->q->ready->rs : NULL},
                               .revisions = {p->revisions[0], p->revisions[1]},
                               .build = p->q->build,
                               .any = true};
    const struct option_list given = {p->revisions, n};
    enum tare_status status = k->rs.environment ? revisions_resolve(&k->rs, &given, err) : err_no_memory(err);
    if (!status && (status = plat_signals_watch()))
        err_set(err, status, "cannot watch signals");
    if (!status)
        status = revisions_check_out(&k->rs, err);
    if (!status)
        status = revisions_build(&k->rs, err);
    if (status == TARE_CHILD)
        cli_fail(&p->cli, EXIT_CHILD, err);
    return status;
}

static void in_work_trees(struct pair *p, int n)
{
    struct measure_kept own = {.any = false}, *k = p->q->kept ? p->q->kept : &own;
    const struct run nothing = {.session = {.signal_number = 0}};
    const bool benchmarks = replan_of_benchmarks(&p->plan);
    enum tare_status status = fits_pair(k, p) ? TARE_OK : check_out(p, k, n);
    if (!status && benchmarks)
        status = set_programs(p, &k->rs, &p->a->why);
    if (status)
        judge_pair(p, &nothing, k->rs.unbuilt, run_open_code(status));
    else if (benchmarks)
        measure_benchmarks(p);
    else if (n == 1)
        measure_in(p, k->rs.items[0].directory);
    else
        measure_commands(p, &k->rs);
    if (status || k == &own)
        measure_kept_remove(k, p->q->cli);
}

/* False: `a` says why. */
static bool begin_pair(struct pair *p)
{
    const struct measure_question *q = p->q;
    *p->a = (struct measure_answer){.end = MEASURE_IMPOSSIBLE, .unbuilt = -1, .shift = NAN, .low = NAN, .high = NAN};
    p->cli = *q->cli;
    if (read_plan(p, &p->a->why))
        return false;
    p->cli.operands = p->plan.operands;
    p->cli.argc = p->plan.n_words;
    p->cli.argv = (char *const *)(void *)p->plan.words;
    p->cli.command = p->plan.command;
    p->cli.out = q->display->verbose > 0 ? q->cli->talk : sink_nowhere;
    if (replan_of_traces(&p->plan))
        err_set(&p->a->why, TARE_UNSUPPORTED, "sessions of tare trace cannot be measured at other commits");
    return !replan_of_traces(&p->plan);
}

void measure_ready(const struct measure_question *q, const char *revision, struct measure_kept *k, struct measure_answer *a)
{
    struct pair p = {.q = q, .revisions = {revision}, .a = a};
    const struct run nothing = {.session = {.signal_number = 0}};
    if (!begin_pair(&p))
        return;
    const enum tare_status status = check_out(&p, k, 1);
    if (status)
        judge_pair(&p, &nothing, k->rs.unbuilt, run_open_code(status));
    else
        a->end = MEASURE_DONE;
}

void measure_pair(const struct measure_question *q, const char *before, const char *after, struct measure_answer *a)
{
    struct pair p = {.q = q, .revisions = {before, after}, .a = a};
    if (!begin_pair(&p))
        return;
    in_work_trees(&p, 2);
}

void measure_commit(const struct measure_question *q, const char *revision, struct history_keep *keep, struct measure_answer *a)
{
    struct pair p = {.q = q, .revisions = {revision}, .a = a, .keep = keep};
    if (begin_pair(&p))
        in_work_trees(&p, 1);
}

void measure_put_words(const struct measure_question *q, struct buf *b)
{
    buf_str(b, "tare ");
    quote_words(b, q->words + 1, false);
    if (!q->build)
        return;
    buf_str(b, ", built by ");
    quote_word(b, q->build, false);
}
