/* SPDX-License-Identifier: MIT
 * What the options of `tare run` must satisfy together. One small function for each question; the first that objects ends it. */
#include "buf.h"
#include "option_value.h"
#include "run_options.h"
#include <math.h>
#include <string.h>

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

enum { SCAN_MAX = 100000 }; /* values of one parameter scan */

/* ---- how often ---- */

static enum tare_status check_runs(struct run_options *o, struct tare_err *err)
{
    bool min = RUN_GIVEN(o, min_runs), max = RUN_GIVEN(o, max_runs);
    if (o->runs && max)
        REFUSE("--runs fixes the number of runs and --max-runs limits it; leave one away");
    if (o->method == METHOD_GEORGES) {
        if (max)
            REFUSE("--max-runs has no meaning with --method georges; --runs is its limit");
        o->runs = o->runs ? o->runs : 30;
        o->min_runs = min ? o->min_runs : o->runs < 5 ? o->runs : 5;
        if (o->min_runs > o->runs)
            REFUSE("--min-runs %d is more than --runs %d; lower one or raise the other", o->min_runs, o->runs);
        return TARE_OK;
    }
    if (o->runs && min)
        REFUSE("--runs fixes the number of runs and --min-runs asks for more of them; leave one away");
    if (max && !min && o->max_runs < o->min_runs)
        o->min_runs = o->max_runs;
    if (max && o->min_runs > o->max_runs)
        REFUSE("--min-runs %d is more than --max-runs %d; lower one or raise the other", o->min_runs, o->max_runs);
    return TARE_OK;
}

static enum tare_status check_times(const struct run_options *o, struct tare_err *err)
{
    if (o->min_time_ns && RUN_GIVEN(o, runs))
        REFUSE("--runs fixes the number of runs and --min-benchmarking-time makes it depend on time; leave one away");
    if (o->min_time_ns && o->max_time_ns && o->min_time_ns > o->max_time_ns)
        REFUSE("--min-benchmarking-time is more than --max-time; lower one or raise the other");
    return TARE_OK;
}

/* ---- how sure ---- */

static enum tare_status check_method(const struct run_options *o, struct tare_err *err)
{
    if (o->method == METHOD_TARE) {
        const char *name = RUN_GIVEN(o, georges_k) ? "--k" : RUN_GIVEN(o, georges_cov) ? "--cov" : "--max-inner";
        if (RUN_GIVEN(o, georges_k) || RUN_GIVEN(o, georges_cov) || RUN_GIVEN(o, georges_inner))
            REFUSE("%s has a meaning only with --method georges; add that, or leave %s away", name, name);
        if (o->runs && !isnan(o->precision))
            REFUSE("--runs fixes the number of runs and --precision makes it depend on the data; leave one away");
        return TARE_OK;
    }
    if (RUN_GIVEN(o, margin))
        REFUSE("--method georges gives no verdict, so --margin has no meaning; leave one of them away");
    if (!isnan(o->fail_if_slower))
        REFUSE("--method georges gives no verdict, so --fail-if-slower has no answer; leave one of them away");
    if (o->min_time_ns)
        REFUSE("--method georges stops by its own rule; leave --min-benchmarking-time away");
    if (o->georges_k > o->georges_inner)
        REFUSE("--k %d is more than --max-inner %d; lower one or raise the other", o->georges_k, o->georges_inner);
    return TARE_OK;
}

static const struct {
    const char *id, *unit;
} builtin_metrics[] = {
#define METRIC(id, title, unit, kind, direction) {#id, unit},
#include "metrics.def"
#undef METRIC
};

/* The unit of a metric by its id; NULL for one that is not known. */
static const char *metric_unit(const char *id)
{
    if (!strncmp(id, "perf:", 5))
        return "1";
    for (size_t i = 0; i < sizeof builtin_metrics / sizeof *builtin_metrics; i++)
        if (!strcmp(id, builtin_metrics[i].id))
            return builtin_metrics[i].unit;
    return NULL;
}

static enum tare_status unknown_metric(const char *id, struct tare_err *err)
{
    char room[160];
    struct buf list = buf_over(room, sizeof room);
    for (size_t i = 0; i < sizeof builtin_metrics / sizeof *builtin_metrics; i++)
        buf_format(&list, "%s, ", builtin_metrics[i].id);
    REFUSE("--metric: '%.60s' is not known; choose one of: %sperf:EVENT", id, room);
}

static enum tare_status check_metrics(struct run_options *o, struct arena *a, struct tare_err *err)
{
    if (o->metrics.n == 0 && option_list_add(&o->metrics, "wall", a))
        return err_set(err, TARE_NO_MEMORY, "out of memory");
    for (int i = 0; i < o->metrics.n; i++) {
        const char *id = o->metrics.items[i];
        if (!metric_unit(id))
            return unknown_metric(id, err);
        if (!strncmp(id, "perf:", 5) && (!id[5] || strcspn(id, " \t\n") != strlen(id)))
            REFUSE("--metric: '%.60s' names no event; write it like perf:instructions", id);
        for (int j = 0; j < i; j++)
            if (!strcmp(id, o->metrics.items[j]))
                REFUSE("--metric %s is given twice; give it once", id);
    }
    return TARE_OK;
}

static enum tare_status check_margin(struct run_options *o, struct tare_err *err)
{
    const char *metric = o->metrics.items[0], *unit = metric_unit(metric), *given = o->margin.unit;
    if (!given || !strcmp(given, unit))
        return TARE_OK;
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

/* ---- parameters ---- */

static enum tare_status check_variable(const char *option, const char *name, struct tare_err *err)
{
    if (!*name || strpbrk(name, "{} \t\n"))
        REFUSE("%s: '%.60s' is no name for a parameter; write it without blanks and braces", option, name);
    return TARE_OK;
}

static bool is_number(const char *text, double *value)
{
    const char *rest;
    return option_scan_number(text, value, &rest) && !*rest;
}

static enum tare_status check_scan(const struct run_options *o, struct tare_err *err)
{
    if (!o->scan.n && o->scan_step)
        REFUSE("--parameter-step-size needs --parameter-scan; add that, or leave it away");
    if (!o->scan.n)
        return TARE_OK;
    if (o->lists.n)
        REFUSE("--parameter-scan and --parameter-list exclude each other; write the scan's values as a list");
    double min, max, step = 1;
    const char *from = o->scan.items[1], *to = o->scan.items[2];
    enum tare_status s = check_variable("--parameter-scan", o->scan.items[0], err);
    if (s)
        return s;
    if (!is_number(from, &min) || !is_number(to, &max))
        REFUSE("--parameter-scan: '%.60s' is not a number; write VAR MIN MAX, like threads 1 8",
               is_number(from, &min) ? to : from);
    if (o->scan_step && (!is_number(o->scan_step, &step) || step == 0))
        REFUSE("--parameter-step-size: '%.60s' is not a step; give a number other than 0", o->scan_step);
    if ((max - min) / step < 0)
        REFUSE("--parameter-scan: no value lies between %.60s and %.60s in steps of %g; swap the bounds or turn the step's sign",
               from, to, step);
    if ((max - min) / step >= SCAN_MAX)
        REFUSE("--parameter-scan: more than %d values; take a larger step", SCAN_MAX);
    return TARE_OK;
}

static enum tare_status check_lists(const struct run_options *o, struct tare_err *err)
{
    for (int i = 0; i < o->lists.n; i += 2) {
        const char *name = o->lists.items[i];
        enum tare_status s = check_variable("--parameter-list", name, err);
        if (s)
            return s;
        if (!*o->lists.items[i + 1])
            REFUSE("--parameter-list %s: the list is empty; give values with commas between", name);
        for (int j = 0; j < i; j += 2)
            if (!strcmp(name, o->lists.items[j]))
                REFUSE("--parameter-list %s is given twice; put all its values into one list", name);
    }
    return TARE_OK;
}

/* ---- the commands ---- */

static enum tare_status check_commands(const struct run_options *o, const struct option_operands *operands, struct tare_err *err)
{
    if (operands->n == 0)
        REFUSE("no command given; say what to measure, like tare run 'sleep 0.1'");
    for (int i = 0; i < operands->after; i++)
        if (!operands->items[i][strspn(operands->items[i], " \t\n")])
            REFUSE("command %d is empty; say what to measure", i + 1);
    if (operands->after < operands->n && !*operands->items[operands->after])
        REFUSE("the program's name after -- is empty; say what to measure");
    if (o->reference_name && !o->reference)
        REFUSE("--reference-name needs --reference; use --command-name for the first command");
    return TARE_OK;
}

static enum tare_status check_shell(struct run_options *o, struct tare_err *err)
{
    if (o->no_shell && o->shell)
        REFUSE("-N forbids a shell and --shell asks for one; leave one away");
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

static enum tare_status check_output(struct run_options *o, struct arena *a, struct tare_err *err)
{
    static const char words[] = " null pipe inherit ";
    if (o->show_output && o->output.n)
        REFUSE("--show-output and --output contradict each other; leave one away");
    if (o->show_output && option_list_add(&o->output, "inherit", a))
        return err_set(err, TARE_NO_MEMORY, "out of memory");
    for (int i = 0; i < o->output.n; i++) {
        const char *where = o->output.items[i];
        const char *word = *where && !strchr(where, ' ') ? strstr(words, where) : NULL;
        bool known = word && word[-1] == ' ' && word[strlen(where)] == ' ';
        if (!known && !strchr(where, '/'))
            REFUSE("--output: '%.60s' is not known; choose null, pipe, inherit, or a path with a slash, like ./%.60s", where,
                   where);
        bool live = o->display.style == STYLE_FULL || o->display.style == STYLE_NOCOLOR;
        if (live && !strcmp(where, "inherit"))
            REFUSE("the live line of --style would run into the commands' output; take --style color or basic");
    }
    return TARE_OK;
}

static enum tare_status check_environment(const struct run_options *o, struct tare_err *err)
{
    for (int i = 0; i < o->env.n; i++) {
        const char *entry = o->env.items[i], *equals = strchr(entry, '=');
        if (!equals || equals == entry)
            REFUSE("--env: '%.60s' sets nothing; write it like NAME=VALUE", entry);
    }
    return TARE_OK;
}

static enum tare_status check_hooks(const struct run_options *o, struct tare_err *err)
{
    const struct option_list *lists[] = {&o->prepare, &o->conclude, &o->names};
    const char *names[] = {"--prepare", "--conclude", "--command-name"};
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < lists[l]->n; i++)
            if (!*lists[l]->items[i] && l == 2)
                REFUSE("%s is empty; give a name, or leave the option away", names[l]);
    return TARE_OK;
}

static enum tare_status check_files(const struct run_options *o, struct tare_err *err)
{
    for (int i = 0; o->save && strcmp(o->save, "-") && i < N_EXPORTS; i++)
        if (o->display.export_file[i] && !strcmp(o->save, o->display.export_file[i]))
            REFUSE("--save and %s would both write '%.100s'; give two names", display_export_name(i), o->save);
    return display_options_check(&o->display, err);
}

enum tare_status run_options_check(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct run_options *o = options;
    enum tare_status s = check_commands(o, operands, err);
    s = s ? s : check_runs(o, err);
    s = s ? s : check_times(o, err);
    s = s ? s : check_method(o, err);
    s = s ? s : check_metrics(o, a, err);
    s = s ? s : check_margin(o, err);
    s = s ? s : check_scan(o, err);
    s = s ? s : check_lists(o, err);
    s = s ? s : check_shell(o, err);
    s = s ? s : check_output(o, a, err);
    s = s ? s : check_environment(o, err);
    s = s ? s : check_hooks(o, err);
    return s ? s : check_files(o, err);
}

/* ---- once the commands are counted ---- */

enum tare_status run_options_check_counts(const struct run_options *o, int n_commands, struct tare_err *err)
{
    const struct option_list *lists[] = {&o->prepare, &o->conclude, &o->output};
    const char *names[] = {"--prepare", "--conclude", "--output"};
    for (int i = 0; i < 3; i++)
        if (lists[i]->n > 1 && lists[i]->n != n_commands)
            REFUSE("%s is given %d times for %d command%s; give it once for all, or once for each", names[i], lists[i]->n,
                   n_commands, n_commands == 1 ? "" : "s");
    if (o->names.n > n_commands)
        REFUSE("--command-name is given %d times for %d command%s; give it at most once for each", o->names.n, n_commands,
               n_commands == 1 ? "" : "s");
    if (!isnan(o->fail_if_slower) && n_commands < 2)
        REFUSE("--fail-if-slower compares, but there is only one command; give a second one");
    return TARE_OK;
}

const char *run_for_command(const struct option_list *list, int index)
{
    if (list->n == 0)
        return NULL;
    return list->items[list->n == 1 ? 0 : index];
}

void run_options_rule(const struct run_options *o, int n_commands, struct rule *out)
{
    bool georges = o->method == METHOD_GEORGES;
    double precision = georges ? 0.02 : n_commands == 1 && !o->runs ? 0.01 : 0;
    *out = (struct rule){
        .method = georges ? METHOD_GEORGES : METHOD_TARE,
        .metric = o->metrics.items[0],
        .confidence = o->confidence,
        .precision = isnan(o->precision) ? precision : o->precision,
        .margin = o->margin.value,
        .margin_unit = o->margin.unit,
        .interleaved = !o->no_interleave,
        .fail_if_slower = o->fail_if_slower,
        .georges_runs = georges ? o->runs : 0,
        .georges_min = georges ? o->min_runs : 0,
        .georges_k = georges ? o->georges_k : 0,
        .georges_inner = georges ? o->georges_inner : 0,
        .georges_cov = georges ? o->georges_cov : 0,
    };
}
