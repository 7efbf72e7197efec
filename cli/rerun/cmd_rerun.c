/* SPDX-License-Identifier: MIT
 *
 * `tare rerun FILE`: the plan of a stored session once more, and whether what comes of it agrees.
 *
 *     session.jsonl asks to run:
 *     Command 1: ./old
 *     ...
 *     Run this? [y/N]
 */
#include "analyse_stored.h"
#include "bench_session.h"
#include "consent.h"
#include "plat.h"
#include "quote.h"
#include "repetition.h"
#include "replan.h"
#include "run.h"
#include "screen.h"
#include "stored_file.h"
#include "trace_session.h"
#include "utc.h"
#include <string.h>

struct rerun {
    struct cli *cli;
    const struct rerun_options *o;
    const char *path;
    struct record then;
    struct replan plan;
    struct repetition found; /* once rerun_answer was called */
};

enum { PLAN_TEXT_MAX = 1 << 26 };

/* All of the plan, and the command line it comes from, which alone names files, variables and folders. Nothing is shortened, and only
 * ASCII: what looks like another word is not to be taken for it. */
static void put_plan(const struct rerun *x, const struct run *run, const char *heading, struct buf *b)
{
    struct run plain = *run;
    plain.render = (struct render_options){.verbosity = 0};
    buf_str(b, "");
    run_plan_text(&plain, heading, b);
    for (int i = 0; i < run->n_commands; i++)
        if (run->commands[i].output == OUTPUT_FILE) {
            buf_str(b, "Each run writes anew: ");
            quote_mask(b, run->commands[i].output_file, false);
            buf_char(b, '\n');
        }
    /* Nothing where the record does not tell, or it is this one. */
    const struct fact *then = facts_find(&x->then.build, "working_folder");
    struct buf now = BUF_INIT(1 << 16);
    if (then && then->text && !plat_working_folder(&now, NULL) && strcmp(then->text, buf_text(&now)) != 0) {
        buf_str(b, "It was measured in ");
        quote_word(b, then->text, false);
        buf_str(b, " and runs here, in ");
        quote_word(b, buf_text(&now), false);
        buf_str(b, ": names of files are looked up here\n");
    }
    buf_finish(&now);
    buf_str(b, "By the command line: ");
    quote_words(b, x->plan.words, false);
    buf_format(b, "\n(of which --save, --export-*, %s, --fail-if-* and what the screen shows are not taken over)\n",
               replan_of_traces(&x->plan) ? "--trace-dir" : "--baseline");
}

static enum exit_code show_plan(const struct rerun *x, const struct run *run, const char *heading, const struct sink *where)
{
    struct buf b = BUF_INIT(PLAN_TEXT_MAX);
    put_plan(x, run, heading, &b);
    return cli_show_plan(x->cli, where, &b);
}

static enum exit_code ask_consent(const struct rerun *x, const struct run *run)
{
    struct buf heading = BUF_INIT(1 << 16);
    buf_format(&heading, "%.1000s asks to run:", x->path);
    enum exit_code code = EXIT_ANSWERED;
    if (!x->o->yes || !x->o->display.quiet)
        code = show_plan(x, run, buf_text(&heading), &x->cli->talk);
    buf_finish(&heading);
    return code ? code : cli_consent(x->cli, x->o->yes);
}

static const char *title_of(const struct rerun *x, struct buf *b)
{
    const char *names[2];
    char start[40];
    struct buf when = buf_over(start, sizeof start);
    stored_file_names(x->path, "", names);
    utc_text(&when, x->then.start_utc_ns);
    buf_format(b, "%s (measured %.*sZ)", names[0], (int)strcspn(start, "."), start); /* to the second */
    return buf_text(b);
}

/* So that record and exports say it too. */
static enum tare_status add_finding(struct rerun *x, struct record *now, const struct repetition *found, const char *title)
{
    static const char *const words[] = {[AGREES] = "the answers agree",
                                        [NOT_DECIDED] = "whether the answers agree is undecided",
                                        [DIFFERS] = "the answers differ",
                                        [NOT_COMPARABLE] = "the answers are not comparable"};
    struct buf id = BUF_INIT(64), text = BUF_INIT(1 << 16);
    buf_format(&id, "rerun_%s", agreement_name(found->word));
    buf_format(&text, "repeats %.1000s, seed %llu: %s", title, (unsigned long long)x->then.seed, words[found->word]);
    const struct finding f = {.id = buf_text(&id),
                              .severity = found->word == AGREES ? SEVERITY_NOTE : SEVERITY_WARNING,
                              .subject = -1,
                              .text = buf_text(&text)};
    enum tare_status status = record_add_finding(now, &f) < 0 ? TARE_NO_MEMORY : TARE_OK;
    buf_finish(&id);
    buf_finish(&text);
    return status;
}

/* For run.concluded, with the rerun as context: whether the new session agrees. */
static enum exit_code rerun_answer(void *context, struct run *run)
{
    struct rerun *x = context;
    struct tare_err err;
    struct repetition *found = &x->found;
    enum tare_status status = analyse_repetition(found, &x->then, &run->record, x->o->assume_no_drift, x->cli->arena, &err);
    if (status)
        return cli_fail(x->cli, EXIT_TOOL, &err);
    const char *names[2];
    stored_file_names(x->path, "", names);
    struct buf title = BUF_INIT(1 << 16), text = BUF_INIT(PLAN_TEXT_MAX);
    struct render_options o = screen_options(&x->o->display);
    if (o.verbosity >= 0)
        buf_char(&text, '\n');
    render_repetition(&run->record, found, title_of(x, &title), &o, &text);
    static const enum exit_code codes[] = {EXIT_ANSWERED, EXIT_UNDECIDED, EXIT_BAD, EXIT_INVALID}; /* by enum agreement */
    enum exit_code code = record_undeciding(&x->then) ? EXIT_UNDECIDED : codes[found->word];
    code = cli_worse(code, screen_text(x->cli, &x->o->display, &text));
    found->name = names[0];
    run->record.repetition = found;
    if (add_finding(x, &run->record, found, buf_text(&title))) {
        err_no_memory(&err);
        code = cli_worse(code, cli_fail(x->cli, EXIT_TOOL, &err));
    }
    buf_finish(&title);
    if (!record_undeciding(&x->then))
        return code;
    err_set(&err, TARE_FORMAT, "%s: %s, so nothing is decided by it", names[0], record_undeciding(&x->then));
    return cli_worse(code, cli_fail(x->cli, EXIT_UNDECIDED, &err));
}

/* Shows what would run, and asks unless --yes was given. *agreed false with EXIT_ANSWERED: --dry-run wanted no more than that. */
static enum exit_code rerun_consent(const struct rerun *x, const struct run *run, bool *agreed)
{
    *agreed = false;
    if (x->o->dry_run)
        return show_plan(x, run, NULL, &x->cli->out);
    enum exit_code code = ask_consent(x, run);
    *agreed = code == EXIT_ANSWERED;
    return code;
}

/* Ours, with the words of the plan. */
static struct cli rerun_cli(const struct rerun *x)
{
    struct cli as_recorded = *x->cli;
    as_recorded.operands = x->plan.operands;
    as_recorded.argc = x->plan.n_words;
    as_recorded.argv = (char *const *)(void *)x->plan.words;
    return as_recorded;
}

/* Of a run that is described: its end is ours. */
static void attach_record(struct rerun *x, struct run *run)
{
    run->concluded = rerun_answer;
    run->context = x;
    run->tuned_before = true;
}

/* EXIT_ANSWERED, or a line was said. */
static enum exit_code refuse_rerun(const struct rerun *x, enum tare_status status, struct tare_err *err)
{
    if (!status)
        return EXIT_ANSWERED;
    err_prefix(err, x->path);
    return cli_fail(x->cli, status == TARE_FORMAT ? EXIT_INVALID : run_code_of(status), err);
}

static enum exit_code run_again(struct rerun *x, struct run *run)
{
    bool agreed;
    run_print_notes(run);
    enum exit_code code = rerun_consent(x, run, &agreed);
    return agreed ? run_session(run) : code;
}

static enum exit_code rerun_commands(struct rerun *x)
{
    struct tare_err err;
    struct cli as_run = rerun_cli(x);
    struct run run = {.cli = &as_run, .o = &x->plan.options.run};
    attach_record(x, &run);
    record_init(&run.record);
    enum tare_status status = run_describe(&run, &err);
    if (!status)
        status = replan_check(&x->then, &run.record, &err);
    enum exit_code code = refuse_rerun(x, status, &err);
    return run_end(&run, code ? code : run_again(x, &run));
}

/* A record of tare bench:
 * The plan that is shown comes from the record, for a program would have to be started to name its benchmarks; those that it then names
 * are measured, by the same words, and each is held against the one of its name. */

static bool is_in(const struct record *r, const char *name)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (!strcmp(r->subjects[i].name, name))
            return true;
    return false;
}

static enum exit_code consent_to(const struct rerun *x, struct cli *as_recorded, uint64_t *seed, bool *agreed)
{
    struct bench planned;
    struct tare_err err;
    *agreed = false;
    bench_begin(&planned, as_recorded, &x->plan.options.bench);
    planned.recorded = &x->then;
    enum tare_status status = bench_describe(&planned, &err);
    enum exit_code code = refuse_rerun(x, status, &err);
    if (!code)
        code = rerun_consent(x, &planned.run, agreed);
    *seed = planned.run.record.seed;
    return cli_worse(code, run_close(&planned.run));
}

static enum exit_code rerun_benchmarks(struct rerun *x)
{
    struct cli as_recorded = rerun_cli(x);
    struct bench again;
    struct tare_err err;
    uint64_t seed;
    bool agreed;
    enum exit_code code = consent_to(x, &as_recorded, &seed, &agreed);
    if (!agreed)
        return code;
    bench_begin(&again, &as_recorded, &x->plan.options.bench);
    attach_record(x, &again.run);
    again.run.shown_seed = &seed;
    enum tare_status status = bench_describe(&again, &err);
    code = refuse_rerun(x, status, &err);
    if (!code) {
        /* Those that are gone are in the answer. */
        for (int i = 0; i < again.run.record.n_subjects; i++) {
            const char *name = again.run.record.subjects[i].name;
            if (!is_in(&x->then, name))
                run_note(&again.run, "%s is not in %.1000s: it is measured, but there is nothing to compare it with", name,
                         x->path);
        }
        code = run_session(&again.run);
    }
    return run_end(&again.run, code);
}

/* A record of tare trace:
 * The programs are those of the record; what of them is traced is theirs to say, so the points and arcs of the new session are matched with the recorded
 * ones when it is over. */

static enum exit_code run_traces_again(struct rerun *x, struct trace *t)
{
    bool agreed;
    run_print_notes(&t->run);
    enum exit_code code = rerun_consent(x, &t->run, &agreed);
    return agreed ? trace_measure(t) : code;
}

static enum exit_code rerun_traces(struct rerun *x)
{
    struct cli as_recorded = rerun_cli(x);
    struct trace t;
    struct tare_err err;
    trace_begin(&t, &as_recorded, &x->plan.options.trace);
    attach_record(x, &t.run);
    enum tare_status status = trace_describe(&t, &err);
    if (!status)
        status = replan_check(&x->then, &t.run.record, &err);
    enum exit_code code = refuse_rerun(x, status, &err);
    return trace_end(&t, code ? code : run_traces_again(x, &t));
}

static enum exit_code check_places(const struct rerun *x)
{
    struct tare_err err;
    const struct outputs_place places[] = {{"the record", x->path, true}, {"--save", x->o->save, false}};
    enum tare_status status = outputs_check(&x->o->display, places, 2, &err);
    return status ? cli_refuse(x->cli, status, &err) : EXIT_ANSWERED;
}

static enum exit_code rerun_session(struct rerun *x)
{
    struct tare_err err;
    enum exit_code code = check_places(x);
    if (!code)
        code = stored_file_load(x->cli, x->path, x->o->display.quiet, &x->then);
    if (code)
        return code;
    enum tare_status status = replan_read(&x->plan, &x->then, x->o, x->cli->arena, &err);
    if (!status)
        return replan_of_benchmarks(&x->plan) ? rerun_benchmarks(x)
               : replan_of_traces(&x->plan)   ? rerun_traces(x)
                                              : rerun_commands(x);
    err_prefix(&err, x->path);
    return cli_fail(x->cli, run_code_of(status), &err);
}

int cmd_rerun(struct cli *cli, const void *options)
{
    struct rerun x = {.cli = cli, .o = options, .path = cli->operands.items[0]};
    enum exit_code code = rerun_session(&x);
    record_finish(&x.then);
    return code;
}
