/* SPDX-License-Identifier: MIT
 * What the options of `tare run` must satisfy together. One small function for each question; the first that objects ends it. */
#include "buf.h"
#include "option_value.h"
#include "run_options.h"
#include "same_text.h"
#include <math.h>
#include <string.h>

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

/* What does not go together and needs no other words. */
enum tare_status run_options_refuse(const struct refusal *table, size_t n, struct tare_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].wrong)
            REFUSE("%s", table[i].why);
    return TARE_OK;
}

enum tare_status run_options_check_runs(struct run_options *o, int usual_most, struct tare_err *err)
{
    const bool min = RUN_GIVEN(o, min_runs), max = RUN_GIVEN(o, max_runs), georges = o->method == METHOD_GEORGES;
    const struct refusal table[] = {
        {o->runs && max, "--runs fixes the number of runs and --max-runs limits it; give only one"},
        {georges && max, "--max-runs has no meaning with --method georges; --runs is its limit"},
        {o->runs && min && !georges, "--runs fixes the number of runs and --min-runs asks for more of them; give only one"},
        {o->runs && RUN_GIVEN(o, precision) && !georges,
         "--runs fixes the number of runs and --precision makes it depend on the data; give only one"},
    };
    enum tare_status s = RUN_REFUSE(table);
    if (s)
        return s;
    if (georges) {
        o->runs = o->runs ? o->runs : 30;
        o->min_runs = min ? o->min_runs : o->runs < 5 ? o->runs : 5;
        if (o->min_runs > o->runs)
            REFUSE("--min-runs %d is more than --runs %d; lower one or raise the other", o->min_runs, o->runs);
        return TARE_OK;
    }
    if (!max && !o->runs)
        o->max_runs = usual_most && min && o->min_runs > usual_most ? o->min_runs : usual_most;
    if (max && !min && o->max_runs < o->min_runs)
        o->min_runs = o->max_runs;
    if (max && o->min_runs > o->max_runs)
        REFUSE("--min-runs %d is more than --max-runs %d; lower one or raise the other", o->min_runs, o->max_runs);
    return TARE_OK;
}

enum tare_status run_options_check_rule(const struct run_options *o, struct tare_err *err)
{
    const bool georges = o->method == METHOD_GEORGES, rerun = o->on_dirty == DIRTY_RERUN, slower = !isnan(o->fail_if_slower);
    const struct refusal table[] = {
        {o->min_time_ns && RUN_GIVEN(o, runs),
         "--runs fixes the number of runs and --min-benchmarking-time makes it depend on time; give only one"},
        {o->min_time_ns && o->max_time_ns && o->min_time_ns > o->max_time_ns,
         "--min-benchmarking-time is more than --max-time; lower one or raise the other"},
        {rerun && RUN_GIVEN(o, runs),
         "--runs fixes their number and --on-dirty=rerun adds some; give only one, or use --on-dirty=drop"},
        {rerun && georges, "--method georges counts every run, as published; omit --on-dirty=rerun, or use --on-dirty=drop"},
        {o->no_interleave && RUN_GIVEN(o, margin),
         "--no-interleave gives no verdict, so --margin has no meaning; give only one of them"},
        {o->no_interleave && slower,
         "--no-interleave gives no verdict, so --fail-if-slower has no answer; give only one of them"},
        {georges && RUN_GIVEN(o, margin), "--method georges gives no verdict, so --margin has no meaning; give only one of them"},
        {georges && slower, "--method georges gives no verdict, so --fail-if-slower has no answer; give only one of them"},
        {georges && o->min_time_ns, "--method georges stops by its own rule; omit --min-benchmarking-time"},
        /* what is compared with itself has neither a better side nor one that was there before */
        {o->aa_sessions && georges,
         "--aa asks how often a verdict is wrong, and --method georges gives none; give only one of them"},
        {o->aa_sessions && o->no_interleave,
         "--aa asks how often a verdict is wrong, and --no-interleave gives none; give only one of them"},
        {o->aa_sessions && o->baseline.n,
         "--aa compares a command with itself, so --baseline has no answer; give only one of them"},
        {o->aa_sessions && slower,
         "--aa compares a command with itself, so --fail-if-slower has no answer; give only one of them"},
        {o->aa_sessions && o->sessions,
         "--aa makes its own sessions of one command, so --sessions has no meaning; give only one of them"},
        {o->aa_sessions && o->revisions.n,
         "--aa makes its own sessions of one command, so --rev has no meaning; give only one of them"},
    };
    enum tare_status s = RUN_REFUSE(table);
    if (!s && o->aa_sessions && o->names.n > 1)
        REFUSE("--aa measures one command, and -n is given %d times; give it once", o->names.n);
    return s;
}

static const struct own_metric *own_named(const struct run_options *o, const char *id)
{
    for (int i = 0; i < o->n_own; i++)
        if (!strcmp(o->own[i].name, id))
            return &o->own[i];
    return NULL;
}

/* The unit of a metric by its id; NULL for one that is not known. */
static const char *metric_unit(const struct run_options *o, const char *id)
{
    const struct own_metric *own = own_named(o, id);
    if (own)
        return own->unit;
    const struct metric *m = metric_builtin_find(id);
    if (!m)
        m = metric_followed_find(id);
    return m ? m->unit : !strncmp(id, "perf:", 5) ? "1" : NULL;
}

static enum tare_status unknown_metric(const char *id, struct tare_err *err)
{
    char room[240];
    struct buf list = buf_over(room, sizeof room);
    for (int i = 0; metric_builtin(i); i++)
        buf_format(&list, "%s, ", metric_builtin(i)->id);
    for (int i = 0; metric_followed(i); i++)
        buf_format(&list, "%s, ", metric_followed(i)->id);
    REFUSE("--metric: '%.60s' is not known; choose one of: %sperf:EVENT, regex:NAME=PATTERN, cmd:NAME=CMD", id, room);
}

bool run_column_taken(const char *name)
{
    static const char *const columns[] = {
        OUTPUT_COLUMN,
        CPU_STEP_COLUMN,
#define COVARIATE(id, title, unit) #id,
#include "covariates.def"
    };
    return text_among(name, columns, sizeof columns / sizeof *columns) || metric_builtin_find(name) || metric_followed_find(name);
}

/* Parses the own ones; in `ids` they stand by their names. */
static enum tare_status read_own(struct run_options *o, const char **ids, struct arena *a, struct tare_err *err)
{
    struct own_metric *own = arena_array(a, (size_t)o->metrics.n, sizeof *own);
    if (!own)
        return err_no_memory(err);
    o->own = own;
    for (int i = 0; i < o->metrics.n; i++) {
        ids[i] = o->metrics.items[i];
        if (!own_metric_is(ids[i]))
            continue;
        if (o->n_own == OWN_METRICS_MAX)
            REFUSE("--metric: more than %d metrics of your own; give fewer", OWN_METRICS_MAX);
        enum tare_status status = own_metric_parse(&own[o->n_own], ids[i], a, err);
        if (status)
            return status;
        ids[i] = own[o->n_own].name;
        if (run_column_taken(ids[i]))
            REFUSE("--metric: '%s' is a name of tare's own; choose another name for '%.60s'", ids[i], o->metrics.items[i]);
        o->n_own++;
    }
    return TARE_OK;
}

static enum tare_status check_metrics(struct run_options *o, struct arena *a, struct tare_err *err)
{
    if (o->metrics.n == 0 && option_list_add(&o->metrics, "wall", a))
        return err_no_memory(err);
    const char **ids = arena_array(a, (size_t)o->metrics.n, sizeof *ids);
    enum tare_status status = ids ? read_own(o, ids, a, err) : err_no_memory(err);
    if (status)
        return status;
    o->metrics.items = ids;
    for (int i = 0; i < o->metrics.n; i++) {
        const char *id = o->metrics.items[i];
        if (!metric_unit(o, id))
            return unknown_metric(id, err);
        if (!strncmp(id, "perf:", 5) && (!id[5] || strcspn(id, " \t\n") != strlen(id)))
            REFUSE("--metric: '%.60s' names no event; write it like perf:instructions", id);
        for (int j = 0; j < i; j++)
            if (!strcmp(id, o->metrics.items[j]))
                REFUSE("--metric %s is given twice; give it once", id);
    }
    return TARE_OK;
}

static enum tare_status check_memory(struct run_options *o, struct tare_err *err)
{
    for (int i = 0; i < o->metrics.n; i++) {
        if (!metric_followed_find(o->metrics.items[i]))
            continue;
        if (RUN_GIVEN(o, memory) && o->memory != RUN_MEMORY_EXACT)
            REFUSE("--metric %s is measured by --memory=exact; omit --memory", o->metrics.items[i]);
        o->memory = RUN_MEMORY_EXACT;
    }
    return TARE_OK;
}

static enum tare_status check_margin(struct run_options *o, struct tare_err *err)
{
    const char *metric = o->metrics.items[0], *unit = metric_unit(o, metric), *given = o->margin.unit;
    const struct own_metric *own = own_named(o, metric);
    if (own && given && !strcmp(given, own->given)) {
        o->margin = (struct option_margin){o->margin.value * own->factor, own->unit};
        return TARE_OK;
    }
    if (!given || !strcmp(given, unit))
        return TARE_OK;
    if (own)
        REFUSE("--margin must be a share or in the unit of --metric %s; write it like 1%% or 5%s", metric, own->given);
    if (strcmp(given, "ns") && strcmp(given, "bytes") && strcmp(given, "1") && strcmp(given, "cycles"))
        REFUSE("--margin: '%g%.60s' has an unknown unit; write it like 1%%, 5ns, 20cycles, 3kB, or 2 for a count",
               o->margin.value, given);
    if (!strcmp(given, "cycles")) {
        if (strncmp(metric, "perf:", 5) || !strstr(metric, "cycles"))
            REFUSE("--margin is in cycles and --metric %s is not; write it like 1%% or in the metric's own unit", metric);
        o->margin.unit = "1";
        return TARE_OK;
    }
    if (!strcmp(unit, "ns"))
        REFUSE("--margin must be a share or a time for --metric %s; write it like 1%% or 5us", metric);
    if (!strcmp(unit, "bytes"))
        REFUSE("--margin must be a share or a size for --metric %s; write it like 1%% or 100kB", metric);
    REFUSE("--margin must be a share or a plain number for --metric %s; write it like 1%% or 5", metric);
}

/* The commands; their texts, parameters and hooks are checked where they are put together, in subjects.h. */

static enum tare_status check_shell(struct run_options *o, struct tare_err *err)
{
    if (o->no_shell && o->shell)
        REFUSE("-N forbids a shell and --shell names one; give only one");
    if (o->no_shell || (o->shell && !strcmp(o->shell, "none")))
        o->shell_kind = RUN_SHELL_NONE;
    else if (!o->shell)
        o->shell_kind = RUN_SHELL_AUTO;
    else if (!strcmp(o->shell, "default"))
        o->shell_kind = RUN_SHELL_DEFAULT;
    else if (o->shell[strspn(o->shell, " \t\n")])
        o->shell_kind = RUN_SHELL_CUSTOM;
    else
        REFUSE("--shell is blank; name a shell, default or none");
    return TARE_OK;
}

enum tare_status run_options_check_output(struct run_options *o, struct arena *a, struct tare_err *err)
{
    static const char words[] = " null pipe inherit ";
    if (o->show_output && o->output.n)
        REFUSE("--show-output and --output contradict each other; give only one");
    if (o->show_output && option_list_add(&o->output, "inherit", a))
        return err_no_memory(err);
    for (int i = 0; i < o->output.n; i++) {
        const char *where = o->output.items[i];
        const char *word = *where && !strchr(where, ' ') ? strstr(words, where) : NULL;
        bool known = word && word[-1] == ' ' && word[strlen(where)] == ' ';
        if (!known && !strpbrk(where, "/\\"))
            REFUSE("--output: '%.60s' is not known; choose null, pipe, inherit, or a path with a slash, like ./%.60s", where,
                   where);
        bool live = o->display.style == RENDER_FULL || o->display.style == RENDER_NOCOLOR;
        if (live && !strcmp(where, "inherit"))
            REFUSE("the progress line of --style would run into the commands' output; use --style color or basic");
    }
    return TARE_OK;
}

static enum tare_status check_results(const struct run_options *o, struct tare_err *err)
{
    int asked = 0;
    for (int i = 0; i < o->n_own; i++)
        asked += o->own[i].kind == OWN_RESULT;
    if (asked && !o->results)
        REFUSE("--metric result: needs the file that each run writes: --results FILE");
    if (!asked && o->results)
        REFUSE(
            "--results: say what to compare in it: --metric 'result:NAME=BENCHMARK'; tare bench --results compares all that is "
            "in it");
    if (o->results_format && !o->results)
        REFUSE("--format is that of --results; give the file too");
    return TARE_OK;
}

/* Who reads the output must have it; where it would go else is decided against, not guessed. */
static enum tare_status check_kept_output(const struct run_options *o, struct tare_err *err)
{
    for (int i = 0; (o->n_own || o->check_output) && i < o->output.n; i++)
        if (strcmp(o->output.items[i], "null") && strcmp(o->output.items[i], "inherit"))
            REFUSE("%s keeps the output in memory, so --output %.60s cannot have it; omit it, or use inherit, which shows "
                   "it after "
                   "each run",
                   o->n_own ? "an own metric" : "--check-output", o->output.items[i]);
    return TARE_OK;
}

enum tare_status run_options_check_place(const struct run_options *o, struct tare_err *err)
{
    const struct refusal table[] = {
        {o->same_cpu && o->pin_cpu >= 0, "--pin names one CPU and --same-cpu draws them; give only one"},
        {o->same_cpu && o->tune, "--tune quiets one CPU and --same-cpu draws from all; give only one"},
        {o->sessions && o->tune,
         "--tune holds for one session and --sessions makes several; tune before them: sudo tare system tune"},
    };
    for (int i = 0; i < o->env.n; i++) {
        const char *entry = o->env.items[i], *equals = strchr(entry, '=');
        if (!equals || equals == entry)
            REFUSE("--env: '%.60s' sets nothing; write it like NAME=VALUE", entry);
    }
    return RUN_REFUSE(table);
}

/* A minus would be an option of git; what its commits are called, git knows. */
enum tare_status run_options_check_revisions(const struct run_options *o, struct tare_err *err)
{
    const struct option_list *revisions = &o->revisions;
    if (o->build && !revisions->n)
        REFUSE("--build builds the revisions of --rev, and none is given; to build before all runs use --setup");
    for (int i = 0; i < revisions->n; i++)
        if (!*revisions->items[i] || revisions->items[i][0] == '-')
            REFUSE("--rev: '%.60s' is not a revision; give a commit, tag or branch that git log accepts", revisions->items[i]);
    if (revisions->n > REVISIONS_MOST)
        REFUSE("--rev is given %d times; %d is the most", revisions->n, REVISIONS_MOST);
    if (revisions->n && o->reference)
        REFUSE("--reference has no revision; with --rev the first one is the reference");
    return TARE_OK;
}

/* Also of tare bench. */
enum tare_status run_options_check_anchor(const struct run_options *o, struct tare_err *err)
{
    const struct refusal table[] = {
        {o->anchor && o->no_interleave,
         "--anchor is measured in the rounds of the commands, and --no-interleave makes none; give only one of them"},
        {o->anchor && o->method == METHOD_GEORGES,
         "--anchor is measured in the rounds of the commands, and --method georges makes none; give only one of them"},
        {o->anchor && o->aa_sessions, "--aa compares a command with itself, so --anchor has no meaning; give only one of them"},
        {o->anchor && o->revisions.n,
         "--anchor has no revision; give its program as a file that is built, and measure one revision at a time"},
    };
    return RUN_REFUSE(table);
}

static enum tare_status check_sessions(const struct run_options *o, struct tare_err *err)
{
    const bool several = o->sessions;
    const struct refusal table[] = {
        {RUN_GIVEN(o, every_ns) && !several,
         "--every is the time between --sessions, and none are asked for; add --sessions NUM"},
        {o->go_on && !several, "--continue goes on with --sessions, and none are asked for; add --sessions NUM"},
        {o->go_on && (!o->save || !strcmp(o->save, "-")),
         "--continue needs the file that holds the sessions so far; name it with --save"},
        {several && o->display.export_file[EXPORT_TO_TIMELINE],
         "memory over time is that of one session; omit --sessions or --export-timeline"},
        {several && o->input && !strcmp(o->input, "-"), "standard input is there for one session only; give --input a file"},
        {o->memory_timeline && o->aa_sessions,
         "--aa makes no runs but those that it judges; omit --memory-timeline and --export-timeline"},
    };
    return RUN_REFUSE(table);
}

enum tare_status run_options_check_history(const struct run_options *o, struct tare_err *err)
{
    const struct refusal table[] = {
        {o->class && !o->history, "--class names the machine in a history; give --history too"},
        {o->history && o->revisions.n, "--history adds results of the commit that is checked out; omit --rev"},
        {o->history && o->aa_sessions,
         "--history follows results over commits, and --aa compares one with itself; give only one"},
    };
    return RUN_REFUSE(table);
}

enum tare_status run_options_check_all(struct run_options *o, const struct option_operands *operands, struct arena *a,
                                       struct tare_err *err)
{
    o->memory_timeline |= o->display.export_file[EXPORT_TO_TIMELINE] != NULL;
    enum tare_status s = run_options_check_runs(o, 0, err);
    s = s ? s : run_options_check_rule(o, err);
    s = s ? s : check_metrics(o, a, err);
    s = s ? s : check_memory(o, err);
    s = s ? s : check_margin(o, err);
    s = s ? s : check_shell(o, err);
    s = s ? s : check_results(o, err);
    s = s ? s : run_options_check_output(o, a, err);
    s = s ? s : check_kept_output(o, err);
    s = s ? s : run_options_check_place(o, err);
    s = s ? s : run_options_check_revisions(o, err);
    s = s ? s : display_options_check(&o->display, o->save, err);
    s = s ? s : check_sessions(o, err);
    s = s ? s : run_options_check_history(o, err);
    s = s ? s : run_options_check_anchor(o, err);
    if (s)
        return s;
    if (operands->n)
        return TARE_OK;
    err_set(err, TARE_INVALID, "no command given; write one in quotes, or after --");
    option_hint_taken(&o->base, err);
    return TARE_INVALID;
}

enum tare_status run_options_check_baseline(const struct run_options *o, struct tare_err *err)
{
    if (o->assume_no_drift && !o->baseline.n)
        REFUSE("--assume-no-drift is about a --baseline, and none is given; omit it");
    return TARE_OK;
}

enum tare_status run_options_check_counts(const struct run_options *o, int n_commands, struct tare_err *err)
{
    if (!isnan(o->fail_if_slower) && n_commands < 2 && !o->baseline.n)
        REFUSE("--fail-if-slower compares, but there is only one command; give a second one%s",
               option_named(o->set, "baseline") ? ", or a --baseline" : "");
    return run_options_check_baseline(o, err);
}

void run_options_rule(const struct run_options *o, int n_together, struct rule *out)
{
    bool georges = o->method == METHOD_GEORGES;
    double precision = georges ? 0.02 : n_together == 1 && !o->runs ? 0.01 : 0;
    *out = (struct rule){
        .method = georges ? METHOD_GEORGES : METHOD_TARE,
        .metric = o->metrics.items[0],
        .confidence = o->confidence,
        .precision = isnan(o->precision) ? precision : o->precision,
        .margin = o->margin.value,
        .margin_unit = o->margin.unit,
        .interleaved = !o->no_interleave,
        .against_itself = o->aa_sessions > 0,
        .fail_if_slower = o->fail_if_slower,
        .on_dirty = (enum on_dirty)o->on_dirty,
        .georges_runs = georges ? o->runs : 0,
        .georges_min = georges ? o->min_runs : 0,
    };
}

struct subject_input run_options_subjects(const struct run_options *o, const struct option_operands *words)
{
    return (struct subject_input){.before = words->items,
                                  .n_before = words->after,
                                  .after = words->items + words->after,
                                  .n_after = words->n - words->after,
                                  .copies = 2 * o->aa_sessions,
                                  .scans = o->scan.items,
                                  .n_scans = o->scan.n / 3,
                                  .scan_step = o->scan_step,
                                  .lists = o->lists.items,
                                  .n_lists = o->lists.n / 2,
                                  .names = o->names.items,
                                  .n_names = o->names.n,
                                  .reference = o->reference,
                                  .reference_name = o->reference_name,
                                  .anchor = o->anchor,
                                  .setup = o->setup,
                                  .cleanup = o->cleanup,
                                  .prepare = o->prepare.items,
                                  .n_prepare = o->prepare.n,
                                  .conclude = o->conclude.items,
                                  .n_conclude = o->conclude.n,
                                  .shell = o->shell_kind == RUN_SHELL_CUSTOM    ? o->shell
                                           : o->shell_kind == RUN_SHELL_DEFAULT ? "default"
                                                                                : NULL,
                                  .no_shell = o->shell_kind == RUN_SHELL_NONE};
}
