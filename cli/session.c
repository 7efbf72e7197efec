/* SPDX-License-Identifier: MIT */
#include "session.h"
#include "analyse.h"
#include "causes.h"
#include "leak_target.h"
#include "plat.h"
#include "record_kind.h"
#include "render.h"
#include "self_trace.h"
#include "units.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Commands that share rounds, and how many such groups there are. */
static int group_size(const struct session *s)
{
    return s->blocks ? 1 : s->pairs ? 2 : s->n_commands;
}

static int groups_of(const struct session *s)
{
    return s->n_commands / group_size(s);
}

static void save_row(struct session *s, int subject, bool warmup)
{
    const struct series *series = &s->record->series[subject];
    int index = (warmup ? series->warmup.n : series->main.n) - 1;
    if (!s->writer || s->save_failed)
        return;
    int first = series->samples.n;
    while (!warmup && first && series->samples.round[first - 1] == series->main.round[index])
        first--;
    if (record_write_samples(s->writer, s->record, subject, first, &s->save_error) ||
        record_write_row(s->writer, s->record, subject, warmup, index, &s->save_error) ||
        record_write_traced(s->writer, s->record, &s->save_error))
        s->save_failed = true; /* said at the end; what is measured from now on is still shown */
}

static void show_progress(struct session *s, const struct plan *plan)
{
    live_progress(&s->live, s->record, plan, s->group, groups_of(s), s->pairs ? "session" : "command");
}

void session_after_row(struct session *s, int subject, bool warmup)
{
    TARE_POINT_NAMED("row");
    analyse_process(s->record, subject, warmup);
    save_row(s, subject, warmup);
}

/* Who took the CPU from a run may be gone by the end of the session, so it is looked for now, before the next one. */
static enum tare_status keep_row(struct session *s, const struct exec_run *run, struct tare_err *err)
{
    if (record_append_row(s->record, run->subject, &run->row))
        return err_no_memory(err);
    session_after_row(s, run->subject, run->warmup);
    if (s->surroundings.presence) /* other sessions that call us are heard */
        plat_presence_listen(s->surroundings.presence);
    if (run->row.flags & ROW_PREEMPTED)
        surroundings_look(&s->surroundings);
    return TARE_OK;
}

enum tare_status session_round(struct session *s, const int *order, int n, int round, bool warmup, struct tare_err *err)
{
    struct exec_run run;
    struct tare_err later; /* the first reason counts */
    enum tare_status status = exec_round(s->exec, order, n, round, warmup, err);
    for (int slot = 0; slot < n && !status; slot++) {
        if (s->current)
            show_progress(s, s->current);
        status = exec_run(s->exec, slot, &run, err);
        enum tare_status kept = run.made ? keep_row(s, &run, status ? &later : err) : TARE_OK;
        status = exec_run_end(s->exec, &run, status ? status : kept, err);
    }
    return status;
}

void session_note(struct session *s, const char *format, ...)
{
    struct buf text = BUF_INIT(1 << 20);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&text, format, ap);
    va_end(ap);
    live_clear(&s->live);
    cli_say(s->cli, s->quiet, &text);
}

struct group {
    int *subjects; /* those that were given up stand behind the first `left` */
    int n, left;
    struct look look; /* the last one */
    enum plan_end end;
    bool short_of_time; /* a target left because its time was over, not because it was answered */
    int rounds;
    enum tare_status extra; /* of the runs that nobody times */
};

enum { OUTLOOK_AT = 2 }; /* the look from which a projection is worth something */

static void report_outlook(struct session *s, const struct comparison *c)
{
    struct outlook o = analyse_outlook(s->record, c);
    if (!o.futile || c->kind == METRIC_COUNT)
        return;
    const struct render_outlook told = {o.rounds_planned, o.half_width, o.rounds};
    struct buf b = BUF_INIT(1 << 20);
    render_outlook(s->record, c, &told, &b);
    session_note(s, "%s", buf_text(&b));
    buf_finish(&b);
}

static void report_outlooks(struct session *s, const struct step *step)
{
    if (!s->outlooks || record_kind(s->record)->own_commands || step->look != OUTLOOK_AT || (s->pairs && s->group) ||
        step->share == 1)
        return;
    for (int i = 0; i < s->record->n_comparisons; i++)
        report_outlook(s, &s->record->comparisons[i]);
}

/* The i-th of the group takes part in no further round. */
static void leave(struct group *g, struct plan *plan, int i)
{
    int subject = g->subjects[i];
    plan_drop(plan, subject);
    memmove(g->subjects + i, g->subjects + i + 1, (size_t)(g->n - i - 1) * sizeof *g->subjects);
    g->subjects[g->n - 1] = subject;
    g->left--;
}

/* The group's look as the last one of this series. */
static void keep_look(struct session *s, const struct group *g, int series)
{
    s->record->series[series].look = (struct own_look){g->look.number, g->look.rounds, g->look.level, g->look.share};
    if (s->writer && !s->save_failed && record_write_own_look(s->writer, s->record, series, &s->save_error))
        s->save_failed = true;
}

/* They stay in the group: what this look has found of them is what the session says. */
static void release_answered(struct session *s, const struct group *g, struct plan *plan)
{
    int left[PLAN_SUBJECTS_MAX];
    const int n = plan_release(plan, s->record, left);
    for (int i = 0; i < n; i++)
        keep_look(s, g, left[i]);
}

static enum tare_status look_at_group(struct session *s, struct group *g, struct plan *plan, const struct step *step,
                                      struct tare_err *err)
{
    g->look = (struct look){.number = step->look, .rounds = step->rounds, .level = step->level, .share = step->share};
    if (s->writer && !s->save_failed && record_write_plan(s->writer, s->record, &s->save_error))
        s->save_failed = true;
    if (groups_of(s) > 1)
        keep_look(s, g, g->subjects[0]);
    if (s->judge) {
        enum tare_status judged = s->judge(s->judge_context, g->subjects, g->n, err);
        for (int i = g->left - 1; i >= 0; i--) {
            const struct leak_target *target = record_leak_target(s->record, g->subjects[i]);
            if (target && target->decided)
                leave(g, plan, i);
        }
        show_progress(s, plan);
        return judged;
    }
    record_clear_results(s->record);
    enum tare_status status = analyse_group(s->record, g->subjects, g->left, &g->look, err);
    if (!status) {
        report_outlooks(s, step);
        release_answered(s, g, plan);
    }
    return status;
}

/* Whether a run of the round just made was disturbed from outside the program. Which command it was must not matter: a rule that saw
 * one side only would favour the other. */
static bool disturbed(const struct record *r, const struct step *step)
{
    uint32_t exogenous = causes_exogenous();
    for (int i = 0; i < step->n; i++) {
        const struct rows *rows = &r->series[step->order[i]].main;
        if (rows->n && rows->round[rows->n - 1] == step->round && rows->flags[rows->n - 1] & exogenous)
            return true;
    }
    return false;
}

static enum tare_status make_again(struct session *s, struct plan *plan, const struct step *step, int64_t elapsed_ns,
                                   struct tare_err *err)
{
    if (s->record->rule.on_dirty != DIRTY_RERUN || step->kind != STEP_ROUND || !disturbed(s->record, step) ||
        !plan_again(plan, elapsed_ns))
        return TARE_OK;
    return record_replace_round(s->record, step->order, step->n, step->round) ? err_no_memory(err) : TARE_OK;
}

static void save_failure(struct session *s, int subject)
{
    if (s->writer && !s->save_failed && record_write_failure(s->writer, s->record, subject, &s->save_error))
        s->save_failed = true;
}

/* Of --aa: why an earlier copy of this one was given up; NULL: none was. */
static const char *given_up_before(const struct session *s, int subject)
{
    const struct record *r = s->record;
    int first = record_first_copy(r, subject);
    for (int i = first; i < subject; i++)
        if (r->subjects[i].failure && record_first_copy(r, i) == first)
            return r->subjects[i].failure;
    return NULL;
}

static void report_failure(struct session *s, int subject)
{
    save_failure(s, subject);
    if (given_up_before(s, subject))
        return;
    const struct subject *given_up = &s->record->subjects[subject];
    session_note(s, "'%s' %s%s", given_up->name,
                 strcmp(subject_given_up(given_up), "failed") ? "" : "is given up: ", given_up->failure);
}

/* A benchmark that failed leaves its group; the others go on. */
static enum tare_status drop_failed(struct session *s, struct group *g, struct plan *plan, struct tare_err *err)
{
    for (int i = 0; i < g->left; i++) {
        int subject = g->subjects[i];
        const char *why = exec_failure(s->exec, subject);
        bool out_of_time = exec_out_of_time(s->exec, subject);
        if (!why && !out_of_time)
            continue;
        g->short_of_time = g->short_of_time || out_of_time;
        if (why && record_set_failure(s->record, subject, why))
            return err_no_memory(err);
        if (why)
            report_failure(s, subject);
        leave(g, plan, i--); /* once, whatever the reasons: it is no longer there */
    }
    return TARE_OK;
}

static enum tare_status carry_out(struct session *s, struct group *g, struct plan *plan, const struct step *step,
                                  struct tare_err *err)
{
    if (step->kind == STEP_LOOK) {
        TARE_POINT_NAMED("look");
        return look_at_group(s, g, plan, step, err);
    }
    TARE_POINT_NAMED("round");
    enum tare_status status =
        session_round(s, step->order, step->n, s->rounds_before + step->round, step->kind == STEP_WARMUP, err);
    return status ? status : drop_failed(s, g, plan, err);
}

/* what: "one round is" */
static void note_of_budget(struct session *s, const char *what, double takes_ns)
{
    session_note(s, "%s over after about %s: more than the %s of --max-time%s", what, scaled_text("ns", takes_ns).at,
                 scaled_text("ns", (double)s->plan.budget_ns).at, groups_of(s) > 1 ? " for each" : "");
}

/* The usual budget is for commands that fit it; a look at less than ten rounds would have no verdict, and no round no figure. Said once, before those
 * rounds. */
static bool report_overrun(struct session *s, const struct plan *plan, int64_t elapsed_ns)
{
    int64_t takes_ns = plan_overrun_ns(plan, elapsed_ns);
    int64_t budget_s = plan->options.budget_ns / 1000000000;
    int rounds = plan_first_look(&plan->options, &s->record->rule);
    const char *what = s->record->rule.method == METHOD_GEORGES ? "--method georges makes" : "a verdict takes";
    if (!takes_ns || record_kind(s->record)->own_commands)
        return false;
    if (plan->options.budget_hard)
        note_of_budget(s, "one round is", (double)takes_ns);
    else
        session_note(s, "%s %d %s, which is about %s: more than the usual budget of %lld s%s; --max-time %lld keeps to that",
                     what, rounds, plan->options.n_subjects > 1 ? "rounds" : "runs",
                     figure_text(figure_duration, (double)takes_ns / 1e9).at, (long long)budget_s,
                     groups_of(s) > 1 ? " for each" : "", (long long)budget_s * groups_of(s));
    return true;
}

int64_t spent_ns(struct spent *s)
{
    const int64_t now_ns = plat_now_ns();
    s->start_ns -= now_ns < s->last_ns ? s->last_ns - now_ns : 0;
    s->last_ns = now_ns;
    return now_ns - s->start_ns;
}

static enum tare_status run_group(struct session *s, struct group *g, int64_t start_ns, struct tare_err *err)
{
    struct plan plan;
    struct spent budget = {start_ns, start_ns};
    struct plan_options options = s->plan;
    options.subjects = g->subjects;
    options.n_subjects = g->n;
    options.seed ^= (uint64_t)s->group << 48; /* a coin of its own; seeds that we draw end below */
    plan_init(&plan, &options, &s->record->rule);
    s->current = &plan;
    enum tare_status status = TARE_OK;
    while (!status) {
        TARE_POINT_NAMED("plan");
        s->record->seconds = (double)spent_ns(&s->spent) / 1e9;
        const int64_t elapsed = spent_ns(&budget);
        struct step step = plan_next(&plan, s->record, elapsed);
        if (step.kind == STEP_END)
            break;
        if (step.kind == STEP_ROUND && !s->overrun_told)
            s->overrun_told = report_overrun(s, &plan, elapsed);
        status = plat_signal()
                     ? err_set(err, TARE_INTERRUPTED, "interrupted after %d round%s", plan.rounds, buf_plural(plan.rounds))
                     : carry_out(s, g, &plan, &step, err);
        if (!status)
            status = make_again(s, &plan, &step, spent_ns(&budget), err);
    }
    g->end = g->short_of_time && plan.end == PLAN_ANSWERED ? PLAN_BUDGET_SPENT : plan.end;
    g->rounds = plan.rounds;
    s->current = NULL;
    return status;
}

/* Commands of one group differ in their hooks only by the folder: once in each. */
static bool first_in_folder(const struct session *s, const struct group *g, int i)
{
    const char *cwd = s->hooks[g->subjects[i]].setup.cwd;
    for (int j = 0; j < i; j++) {
        const char *other = s->hooks[g->subjects[j]].setup.cwd;
        if (other == cwd || (cwd && other && !strcmp(other, cwd)))
            return false;
    }
    return true;
}

/* *done: how many commands of the group are set up; in the folder of the next one it failed. */
static enum tare_status set_up(struct session *s, const struct group *g, int *done, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (*done = 0; *done < g->n && !status; *done += !status)
        if (first_in_folder(s, g, *done))
            status = exec_run_hook(s->exec, &s->hooks[g->subjects[*done]].setup, "setup", err);
    return status;
}

/* Runs after a signal too; a second one ends everything at once. */
static enum tare_status clean_up(struct session *s, const struct group *g, int done, enum tare_status so_far,
                                 struct tare_err *err)
{
    if (plat_signal()) {
        s->signal_number = plat_signal();
        plat_signal_clear();
    }
    for (int i = 0; i < done; i++) {
        struct tare_err later;
        if (!first_in_folder(s, g, i))
            continue;
        enum tare_status status = exec_run_hook(s->exec, &s->hooks[g->subjects[i]].cleanup, "cleanup", so_far ? &later : err);
        so_far = so_far ? so_far : status;
    }
    return so_far;
}

/* Each takes as long as the last run of its command, at least. */
static void report_untimed(struct session *s, const struct group *g, int64_t start_ns)
{
    double takes_ns = (double)(plat_now_ns() - start_ns);
    for (int i = 0; i < g->n; i++) {
        const struct series *of = &s->record->series[g->subjects[i]];
        const double *wall = series_values(of, "wall");
        takes_ns += wall && of->main.n ? wall[of->main.n - 1] : 0;
    }
    if (!s->plan.budget_hard || s->overrun_told || takes_ns <= PLAN_OVERRUN * (double)s->plan.budget_ns)
        return;
    note_of_budget(s, "the untimed runs are", takes_ns);
    s->overrun_told = true;
}

static enum tare_status run_between_hooks(struct session *s, struct group *g, struct tare_err *err)
{
    /* When the budget of the group begins, as seen before its set-up; -1: after that. A given --max-time holds for the session, set-up
     * and empty program included, and in blocks each share for one command with its set-up; the usual one is for the rounds alone. */
    int64_t start_ns = !s->plan.budget_hard ? -1 : s->group == 0 ? exec_start_ns(s->exec) : plat_now_ns();
    int done;
    enum tare_status status = set_up(s, g, &done, err);
    if (status && !done)
        return status;
    if (!status)
        status = run_group(s, g, start_ns < 0 ? plat_now_ns() : start_ns, err);
    if (!status && s->untimed)
        report_untimed(s, g, start_ns);
    if (!status && s->untimed)
        g->extra = s->untimed(s->untimed_context, g->subjects, g->n, err);
    struct tare_err later; /* the first reason counts */
    enum tare_status cleaned = clean_up(s, g, done, status, g->extra ? &later : err);
    return g->extra ? TARE_OK : cleaned;
}

/* A benchmark that was given up in a session before is not tried again in each. */
static enum tare_status give_up_again(struct session *s, struct group *g, const char *why, struct tare_err *err)
{
    for (g->left = 0; g->left < g->n; g->left++) {
        if (record_set_failure(s->record, g->subjects[g->left], why))
            return err_no_memory(err);
        save_failure(s, g->subjects[g->left]);
    }
    g->left = 0;
    return TARE_OK;
}

static enum tare_status measure_group(struct session *s, struct group *g, struct tare_err *err)
{
    const char *why = s->pairs ? given_up_before(s, g->subjects[0]) : NULL;
    return why ? give_up_again(s, g, why, err) : run_between_hooks(s, g, err);
}

static const char *end_name(enum tare_status status, const struct group *groups, int n)
{
    if (status == TARE_INTERRUPTED)
        return "interrupted";
    if (status)
        return "failed";
    bool runs = false;
    for (int i = 0; i < n; i++) {
        if (groups[i].end == PLAN_BUDGET_SPENT)
            return "budget";
        runs |= groups[i].end == PLAN_RUNS_MADE;
    }
    return runs ? "runs" : "answered";
}

/* Of what was given up the figures of the processes that were made, without intervals. */
static enum tare_status settle_group(struct session *s, const struct group *g, struct tare_err *err)
{
    if (s->judge)
        return s->judge(s->judge_context, g->subjects, g->n, err);
    struct record *r = s->record;
    const struct look none = {0};
    enum tare_status status = g->left ? analyse_group(r, g->subjects, g->left, &g->look, err) : TARE_OK;
    for (int i = g->left; i < g->n && !status; i++)
        status = analyse_group(r, g->subjects + i, 1, &none, err);
    return status;
}

static enum tare_status analyse_between(struct session *s, int n, struct tare_err *err)
{
    if (s->pairs)
        return analyse_against_itself(s->record, err);
    return n == 1 ? TARE_OK : analyse_side_by_side(s->record, s->why_blocks, err);
}

/* The results once more from the last look of each of the first n groups: later rounds count in the descriptions. */
static enum tare_status settle(struct session *s, struct group *groups, int n, struct tare_err *err)
{
    TARE_POINT_NAMED("settle");
    record_clear_results(s->record);
    s->record->look = groups[0].look.number;
    s->record->rounds = groups[0].rounds;
    enum tare_status status = analyse_others(s->record, err);
    for (int i = 0; i < n && !status; i++)
        status = settle_group(s, &groups[i], err);
    return status ? status : analyse_between(s, n, err);
}

/* Of --aa: each session takes a round at least, and they are as many as fit into the time that was given. */
static bool time_is_over(struct session *s, int n)
{
    return s->pairs && s->plan.budget_hard && s->group && spent_ns(&s->spent) >= n * s->plan.budget_ns;
}

static enum tare_status measure_groups(struct session *s, struct group *groups, int n, struct tare_err *err)
{
    enum tare_status status = TARE_OK, extra = TARE_OK;
    s->spent = (struct spent){exec_start_ns(s->exec), exec_start_ns(s->exec)};
    for (s->group = 0; s->group < n && !status && !extra && !time_is_over(s, n); s->group++) {
        if (s->signal_number) /* it came when the block before was just over */
            status = err_set(err, TARE_INTERRUPTED, "interrupted after %d of %d blocks", s->group, n);
        else
            status = measure_group(s, &groups[s->group], err);
        extra = groups[s->group].extra;
    }
    s->record->seconds = (double)spent_ns(&s->spent) / 1e9;
    const bool left = s->group < n, over = left && !status && !extra;
    s->record->ended = over ? "budget" : end_name(status ? status : left ? extra : TARE_OK, groups, n);
    s->record->partial = status || left;
    status = status ? status : extra;
    struct tare_err settling;
    int complete = s->pairs && status ? s->group - 1 : over ? s->group : n; /* half a session proves nothing */
    enum tare_status settled = settle(s, groups, complete, status ? &settling : err);
    return status ? status : settled;
}

enum tare_status session_measure(struct session *s, struct tare_err *err)
{
    int n = s->n_commands, size = group_size(s), n_groups = groups_of(s);
    int *subjects = malloc((size_t)n * sizeof *subjects);
    struct group *groups = calloc((size_t)n_groups, sizeof *groups);
    enum tare_status status = err_no_memory(err);
    if (subjects && groups) {
        for (int i = 0; i < n; i++)
            subjects[i] = i;
        for (int i = 0; i < n_groups; i++)
            groups[i] = (struct group){.subjects = subjects + (ptrdiff_t)i * size, .n = size, .left = size};
        status = measure_groups(s, groups, n_groups, err);
    }
    free(groups);
    free(subjects);
    return status;
}
