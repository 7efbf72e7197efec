/* SPDX-License-Identifier: MIT
 *
 * `tare history bisect`: from an interval of commits to the one with the change.
 *
 *       3f2a91c  parse: copy the table once more
 *       1.21× slower (1.18–1.24) against 8f0c113 · 5 comparisons, 95 % confidence for all of them together
 */
#include "bisect_search.h"
#include "history_confirm.h"
#include "history_words.h"
#include "layout.h"
#include "plat.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

enum { SUBJECT_COLUMNS = 50, STEPS_MOST = 64 };

struct bisect_step {
    int position;
    const char *result; /* "slower", "same", "undecided", "does not build" */
    struct measure_answer a;
};

struct bisect {
    struct history_reading r;
    const struct history_series *series; /* NULL: none is known */
    struct measure_question q;
    struct bisect_search s;
    int base;                         /* the good end, against which all are compared */
    struct measure_kept built;        /* the base, built once */
    struct measure_answer ends, last; /* bad against good: of the first ends, and of the last ones that were compared */
    struct bisect_step steps[STEPS_MOST];
    int n_steps;
};

static const struct history_commit *commit_at(const struct bisect *x, int position)
{
    return &x->r.line->commits[position];
}

/* The good end as it is measured and named. */
static const char *good_hash(const struct bisect *x)
{
    return commit_at(x, history_code_of(x->r.line, x->base))->hash;
}

/* The good end, where the last good commit may be at another level; else NULL. */
static const char *reference_of(const struct bisect *x)
{
    const struct history_line *line = x->r.line;
    return history_code_of(line, x->s.good) == history_code_of(line, x->base) ? NULL : good_hash(x);
}

static void put_commit(const struct bisect *x, struct buf *b, int position)
{
    history_put_commit(b, commit_at(x, position), SUBJECT_COLUMNS, false);
}

static void put_shift(const struct bisect *x, struct buf *b, const struct measure_answer *a)
{
    const enum verdict v = a->verdict;
    if (a->difference)
        figure_difference(b, x->series ? x->series->metric.unit : "1", a->shift, a->low, a->high);
    else
        figure_ratio(b, a->shift, a->low, a->high,
                     !verdict_differs(v)                          ? NULL
                     : v == VERDICT_FASTER || v == VERDICT_SLOWER ? words_of_times
                                                                  : words_of_others);
}

static void add_step(struct bisect *x, int position, const char *result, const struct measure_answer *a)
{
    if (x->n_steps < STEPS_MOST)
        x->steps[x->n_steps++] = (struct bisect_step){position, result, *a};
}

/* One that does not build is skipped from now on; of a failure to run it is not known which of the two is to blame, so it is the new one. Where nothing
 * was built it says nothing about the commit. */
static enum exit_code skip_commit(struct bisect *x, int position, const struct measure_answer *a)
{
    struct tare_err err;
    const bool good = a->unbuilt == 0;
    history_say_unbuilt(&x->r, commit_at(x, good ? x->base : position), &x->q, a);
    add_step(x, position, a->unbuilt < 0 ? "does not run" : "does not build", a);
    if (good) {
        err_set(&err, TARE_INVALID, "the good commit does not build; choose another one with --good");
        return cli_fail(x->r.cli, EXIT_INVALID, &err);
    }
    x->s.skipped[position] = true;
    const char *series = a->unbuilt < 0 && x->series ? x->series->id : NULL;
    if (x->q.build && (series || a->unbuilt > 0) &&
        history_note_unbuildable(&x->r, series, commit_at(x, position)->hash, NULL, &err))
        return cli_refuse(x->r.cli, TARE_IO, &err);
    return EXIT_ANSWERED;
}

static enum exit_code not_measured(struct bisect *x, int position, const struct measure_answer *a)
{
    if (a->end == MEASURE_INTERRUPTED) {
        x->r.signal = a->signal;
        return EXIT_TOOL;
    }
    if (a->end == MEASURE_IMPOSSIBLE || a->end == MEASURE_FAILED)
        return cli_fail(x->r.cli, a->end == MEASURE_FAILED ? EXIT_TOOL : EXIT_INVALID, &a->why);
    return skip_commit(x, position, a);
}

/* Twice where there is no verdict, the second time for longer: *decided says whether there is. */
static void measure_position(struct bisect *x, int position, struct measure_answer *a, bool *decided)
{
    struct measure_kept kept = {.any = false};
    struct measure_question q = x->q;
    q.level = x->s.level;
    q.margin = x->s.margin;
    q.ready = &x->built;
    q.kept = &kept;
    *decided = false;
    for (int i = 0; i < 2 && !*decided; i++) {
        measure_pair(&q, good_hash(x), commit_at(x, position)->hash, a);
        if (a->end != MEASURE_DONE)
            break;
        struct buf b = BUF_INIT(1 << 16);
        put_commit(x, &b, position);
        buf_str(&b, a->verdict == VERDICT_SAME ? ": no change" : verdict_differs(a->verdict) ? ":" : ": undecided");
        if (isfinite(a->low) && isfinite(a->high)) {
            buf_str(&b, verdict_differs(a->verdict) ? " " : ", ");
            put_shift(x, &b, a);
        }
        buf_format(&b, " against %.*s", HISTORY_BRIEF, good_hash(x));
        cli_say(x->r.cli, x->r.o->display.quiet, &b);
        add_step(x, position, verdict_name(a->verdict), a);
        *decided = !history_open_answer(a);
        q = history_longer(&q);
    }
    measure_kept_remove(&kept, x->r.cli);
}

/* EXIT_ANSWERED: there is an answer, or the commit is skipped. */
static enum exit_code compare_position(struct bisect *x, int position, struct measure_answer *a)
{
    bool decided;
    measure_position(x, position, a, &decided);
    if (a->end != MEASURE_DONE)
        return not_measured(x, position, a);
    return decided ? EXIT_ANSWERED : EXIT_UNDECIDED;
}

static enum exit_code bad_is_skipped(const struct bisect *x)
{
    struct tare_err err;
    err_set(&err, TARE_INVALID, "the bad commit could not be measured; %s",
            x->q.build ? "choose another one with --bad" : "give --build CMD, or another commit with --bad");
    return cli_fail(x->r.cli, EXIT_INVALID, &err);
}

static enum exit_code step_to(struct bisect *x, int at)
{
    struct measure_answer a;
    const bool ends = !x->s.begun;
    enum exit_code code = compare_position(x, at, &a);
    if (ends)
        x->ends = a;
    if (code)
        return code;
    if (a.end != MEASURE_DONE)
        return ends ? bad_is_skipped(x) : EXIT_ANSWERED;
    /* a difference has a direction and no relative size */
    const double unit = copysign(x->s.margin, a.shift);
    bisect_answer(&x->s, at, verdict_differs(a.verdict), a.difference ? unit : a.shift,
                  a.difference ? unit : fmin(fabs(a.low), fabs(a.high)));
    if (x->s.bad == at)
        x->last = a;
    return EXIT_ANSWERED;
}

/* A commit that only adds results is at the level of the one before it. */
static void pass_results(struct bisect *x)
{
    while (x->s.bad - x->s.good > 1 && history_only_results(x->r.line, x->s.good + 1))
        x->s.good++;
    while (x->s.bad - x->s.good > 1 && history_only_results(x->r.line, x->s.bad))
        x->s.bad--;
}

/* EXIT_ANSWERED: as far as it goes. */
static enum exit_code search_commits(struct bisect *x)
{
    struct measure_answer a;
    pass_results(x);
    bisect_begin(&x->s);
    struct buf b = BUF_INIT(1 << 12);
    const int commits = history_candidates(x->r.line, x->s.good + 1, x->s.bad);
    buf_format(&b, "%d commit%s, %d comparison%s if each one decides, with a probability of error of %s each and %s for all",
               commits, buf_plural(commits), x->s.planned, buf_plural(x->s.planned), figure_text(figure_rough, x->s.level).at,
               figure_text(figure_level, x->r.o->error).at);
    cli_say(x->r.cli, x->r.o->display.quiet, &b);
    x->base = x->s.good;
    measure_ready(&x->q, good_hash(x), &x->built, &a);
    enum exit_code code = a.end == MEASURE_DONE ? EXIT_ANSWERED : not_measured(x, x->base, &a);
    for (int at; !code && (at = bisect_next(&x->s)) >= 0;)
        code = step_to(x, at);
    pass_results(x);
    return code;
}

static enum tare_status find_ends(struct bisect *x, struct tare_err *err)
{
    const char *hashes[2];
    enum tare_status status = history_place_commit(&x->r.place, x->r.o->good, &hashes[0], err);
    if (!status)
        status = history_place_commit(&x->r.place, x->r.o->bad, &hashes[1], err);
    if (status)
        return status;
    x->s.good = history_position(x->r.line, hashes[0]);
    x->s.bad = history_position(x->r.line, hashes[1]);
    if (x->s.good < 0 || x->s.bad < 0)
        return err_set(err, TARE_INVALID, "--%s is not among the first parents of HEAD%s", x->s.good < 0 ? "good" : "bad",
                       x->r.line->shallow ? " " GIT_OF_SHALLOW : "");
    return x->s.good < x->s.bad ? TARE_OK : err_set(err, TARE_INVALID, "--good must be an older commit than --bad");
}

/* Of the newest change that nobody has settled. */
static const struct found_change *newest_change(const struct bisect *x)
{
    const struct found_change *best = NULL;
    for (int i = 0; i < x->r.n_changes; i++) {
        const struct found_change *c = &x->r.changes[i];
        if (change_open(&c->change) && (!best || c->change.to > best->change.to))
            best = c;
    }
    return best;
}

/* A point of the series at or next after the bad end: by its session's words it is measured. */
static int session_of(struct bisect *x, int series, struct tare_err *err, enum tare_status *status)
{
    struct history_view v;
    const struct view_options o = {.margin = x->r.o->margin};
    *status = history_view_make(&v, x->r.h, series, x->r.line, &o, x->r.cli->arena, err);
    int session = -1;
    for (int i = 0; !*status && i < v.n; i++)
        if (session < 0 || v.points[i].position <= x->s.bad)
            session = v.points[i].last;
    if (!*status && session < 0)
        *status = err_set(err, TARE_INVALID, "the series has no results of commits");
    return session;
}

static enum tare_status choose_change(struct bisect *x, int series, struct tare_err *err)
{
    enum tare_status status = history_find_changes(&x->r, series, err);
    const struct found_change *c = status ? NULL : newest_change(x);
    if (status)
        return status;
    if (!c)
        return err_set(err, TARE_INVALID, "%.200s has no nominated change; give the interval with --good and --bad",
                       x->series->benchmark);
    if (c->change.from == c->change.to && c->change.state == CHANGE_CONFIRMED)
        return err_set(err, TARE_INVALID, "the change is confirmed and of one commit already: %.*s", HISTORY_BRIEF,
                       c->change.until);
    x->s.good = c->change.from - 1;
    x->s.bad = c->change.to;
    return TARE_OK;
}

static enum tare_status choose_series(struct bisect *x, struct tare_err *err)
{
    const char *name = x->r.cli->operands.after > 0 && x->r.cli->operands.n > 0 ? x->r.cli->operands.items[0] : NULL;
    int series, session;
    if (x->q.words && !name) {
        x->q.benchmark = x->r.o->benchmark;
        return x->r.o->good ? find_ends(x, err) : err_set(err, TARE_INVALID, "without a series give --good and --bad");
    }
    enum tare_status status = history_find(&x->r, name ? name : x->r.o->benchmark, &series, err);
    if (status)
        return status;
    x->series = history_series_at(x->r.h, series);
    status = x->r.o->good ? find_ends(x, err) : choose_change(x, series, err);
    session = status ? -1 : session_of(x, series, err, &status);
    return status ? status : history_question_of(&x->q, &x->r, x->series, session, err);
}

static enum tare_status prepare_search(struct bisect *x, struct tare_err *err)
{
    enum tare_status status = history_need_line(&x->r, err);
    x->q = history_question(&x->r, history_words_given(x->r.cli, x->r.cli->operands.after));
    x->s.margin = x->r.o->margin;
    x->s.error = x->r.o->error;
    if (!status)
        status = choose_series(x, err);
    if (status)
        return status;
    x->s.skipped = arena_array(x->r.cli->arena, (size_t)x->r.line->n + 1, sizeof *x->s.skipped);
    if (!x->s.skipped)
        return err_set(err, TARE_NO_MEMORY, "no memory for the commits");
    for (int i = x->s.good; i <= x->s.bad; i++)
        x->s.skipped[i] =
            history_only_results(x->r.line, i) || history_unbuildable(x->r.h, x->series, NULL, commit_at(x, i)->hash);
    return TARE_OK;
}

static bool found_one(const struct bisect *x)
{
    return x->s.bad - x->s.good == 1 && verdict_differs(x->last.verdict);
}

static void put_result(const void *context, struct page *p)
{
    const struct bisect *x = context;
    if (x->ends.end == MEASURE_DONE && x->ends.verdict == VERDICT_SAME) {
        buf_format(&p->piece, "no change between %.*s and %.*s: ", HISTORY_BRIEF, commit_at(x, x->s.good)->hash, HISTORY_BRIEF,
                   commit_at(x, x->s.bad)->hash);
        put_shift(x, &p->piece, &x->ends);
        flow_line(p, 2, HUE_PLAIN);
        return;
    }
    if (found_one(x)) {
        put_commit(x, &p->piece, x->s.bad);
    } else {
        buf_str(&p->piece,
                verdict_differs(x->last.verdict) ? "one of the commits " : "undecided: if there is a change, it is in ");
        history_put_range(&p->piece, commit_at(x, x->s.good)->hash, commit_at(x, x->s.bad)->hash,
                          history_candidates(x->r.line, x->s.good + 1, x->s.bad));
    }
    flow_line(p, 2, HUE_BOLD);
    if (x->r.o->display.quiet || x->ends.end != MEASURE_DONE)
        return;
    if (verdict_differs(x->last.verdict)) {
        put_shift(x, &p->piece, &x->last);
        if (reference_of(x))
            buf_format(&p->piece, " against %.*s", HISTORY_BRIEF, reference_of(x));
        buf_str(&p->piece, " · ");
    }
    buf_format(&p->piece, "%d comparison%s, %s confidence for all of them together", x->n_steps, buf_plural(x->n_steps),
               figure_text(figure_level, 1 - x->r.o->error).at);
    flow_line(p, 2, HUE_PLAIN);
}

/* Of an end that is unbounded no number. */
static double as_told(const struct measure_answer *a, double x)
{
    return a->difference || !isfinite(x) ? x : exp(x);
}

static void json_size(struct json_write *j, const struct measure_answer *a)
{
    json_number(j, a->difference ? "difference" : "ratio", as_told(a, a->shift));
    json_number(j, "low", as_told(a, a->low));
    json_number(j, "high", as_told(a, a->high));
}

static void put_json(const void *context, struct json_write *j)
{
    const struct bisect *x = context;
    json_object(j, NULL);
    json_string(j, "commit", found_one(x) ? commit_at(x, x->s.bad)->hash : NULL);
    json_string(j, "subject", found_one(x) ? commit_at(x, x->s.bad)->subject : NULL);
    json_string(j, "good", commit_at(x, x->s.good)->hash);
    json_string(j, "bad", commit_at(x, x->s.bad)->hash);
    json_size(j, &x->last);
    json_string(j, "reference", good_hash(x));
    json_number(j, "error", x->r.o->error);
    json_number(j, "error_of_a_comparison", x->s.level);
    json_array(j, "steps");
    for (int i = 0; i < x->n_steps; i++) {
        json_object(j, NULL);
        json_string(j, "commit", commit_at(x, x->steps[i].position)->hash);
        json_string(j, "result", x->steps[i].result);
        json_size(j, &x->steps[i].a);
        json_integer(j, "rounds", x->steps[i].a.rounds);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static enum tare_status bisect_work(void *context, enum exit_code *code, struct tare_err *err)
{
    struct bisect *x = context;
    enum tare_status status = prepare_search(x, err);
    if (status)
        return status;
    const bool asked = x->r.cli->operands.n <= x->r.cli->operands.after || (!x->r.o->build && x->q.build);
    *code = asked ? history_consent(&x->r, &x->q, 1) : EXIT_ANSWERED;
    if (!*code && (status = plat_signals_watch()))
        return err_set(err, status, "cannot watch signals");
    if (!*code)
        *code = search_commits(x);
    measure_kept_remove(&x->built, x->r.cli);
    if (*code && *code != EXIT_UNDECIDED)
        return TARE_OK;
    if (!found_one(x) && x->ends.verdict != VERDICT_SAME)
        *code = EXIT_UNDECIDED;
    *code = cli_worse(*code, history_print(&x->r, put_result, x));
    *code = cli_worse(*code, history_write_json(&x->r, put_json, x));
    /* What the series then says of itself: the change is there, and here; or there is none between the ends. */
    const bool same = x->ends.verdict == VERDICT_SAME;
    if (!x->series || (!same && !verdict_differs(x->last.verdict)))
        return TARE_OK;
    const struct history_event e = {.kind = same ? HISTORY_REFUTED : HISTORY_CONFIRMED,
                                    .series = x->series->id,
                                    .revision = commit_at(x, x->s.bad)->hash,
                                    .before = commit_at(x, x->s.good)->hash,
                                    .reference = reference_of(x)};
    return history_note_measured(&x->r, e, same ? &x->ends : &x->last, err);
}

int cmd_history_bisect(struct cli *cli, const void *options)
{
    struct bisect x = {.last = {.shift = NAN, .low = NAN, .high = NAN}};
    return history_command(&x.r, cli, options, bisect_work, &x);
}
