/* SPDX-License-Identifier: MIT
 *
 * `tare history bisect`: from an interval of commits to the one with the change.
 *
 *       3f2a91c  parse: copy the table once more
 *       1.21× slower (1.18–1.24) · 5 comparisons, 95 % confidence for all of them together
 */
#include "bisect_search.h"
#include "history_confirm.h"
#include "history_options.h"
#include "history_words.h"
#include "json_write.h"
#include "layout.h"
#include "outputs.h"
#include "plat.h"
#include "screen.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECT_COLUMNS = 50, REPETITION = 4 /* times the time of the first try */, STEPS_MOST = 64 };

struct bisect_step {
    int position;
    const char *result; /* "slower", "same", "undecided", "does not build" */
    double shift, low, high;
    int rounds;
};

struct bisect {
    struct cli *cli;
    const struct history_bisect_options *o;
    struct history_found f;
    const struct history_series *series; /* NULL: none is known */
    struct measure_question q;
    struct bisect_search s;
    int base;                         /* the good end, against which all are compared */
    struct measure_kept built;        /* the base, built once */
    struct measure_answer ends, last; /* bad against good: of the first ends, and of the last ones that were compared */
    struct bisect_step steps[STEPS_MOST];
    int n_steps;
    int signal;
};

static const struct history_commit *commit(const struct bisect *x, int position)
{
    return &x->f.r.line->commits[position];
}

/* The good end as it is measured and named. */
static const char *good_hash(const struct bisect *x)
{
    return commit(x, history_code_of(x->f.r.line, x->base))->hash;
}

static void put_commit(const struct bisect *x, struct buf *b, int position)
{
    history_put_commit(b, commit(x, position), SUBJECT_COLUMNS, false);
}

static void put_shift(struct buf *b, double shift, double low, double high, enum verdict v)
{
    figure_ratio(b, shift, low, high,
                 !verdict_differs(v)                          ? NULL
                 : v == VERDICT_FASTER || v == VERDICT_SLOWER ? words_of_times
                                                              : words_of_others);
}

/* ---- comparing with the good end ---- */

static void add_step(struct bisect *x, int position, const char *result, const struct measure_answer *a)
{
    if (x->n_steps < STEPS_MOST)
        x->steps[x->n_steps++] = (struct bisect_step){position, result, a->shift, a->low, a->high, a->rounds};
}

static void say_step(const struct bisect *x, int position, const struct measure_answer *a)
{
    struct buf b = BUF_INIT(1 << 16);
    put_commit(x, &b, position);
    buf_str(&b, a->verdict == VERDICT_SAME ? ": no change, " : verdict_differs(a->verdict) ? ": " : ": undecided, ");
    if (isfinite(a->low) && isfinite(a->high))
        put_shift(&b, a->shift, a->low, a->high, a->verdict);
    buf_format(&b, " against %.*s", HISTORY_BRIEF, good_hash(x));
    cli_say(x->cli, x->o->display.quiet, &b);
}

static void say_skipped(const struct bisect *x, int position, const struct measure_answer *a)
{
    struct buf b = BUF_INIT(1 << 16);
    put_commit(x, &b, position);
    buf_str(&b, a->unbuilt < 0 ? " does not run" : " does not build");
    if (a->unbuilt < 0 && *a->why.text)
        buf_format(&b, ": %s", a->why.text);
    buf_str(&b, a->unbuilt < 0 && !x->q.build ? "; --build CMD would build it" : a->unbuilt ? "; it is skipped" : "");
    cli_say(x->cli, x->o->display.quiet, &b);
}

/* One that does not build is skipped from now on; of a failure to run it is not known which of the two is to blame, so it is the new one. Where nothing
 * was built it says nothing about the commit. */
static enum exit_code skip(struct bisect *x, int position, const struct measure_answer *a)
{
    struct tare_err err;
    const bool good = a->unbuilt == 0;
    say_skipped(x, good ? x->base : position, a);
    add_step(x, position, a->unbuilt < 0 ? "does not run" : "does not build", a);
    if (good) {
        err_set(&err, TARE_INVALID, "the good commit does not build; choose another one with --good");
        return (enum exit_code)cli_fail(x->cli, EXIT_INVALID, &err);
    }
    x->s.skipped[position] = true;
    const char *series = a->unbuilt < 0 && x->series ? x->series->id : NULL;
    if (x->q.build && (series || a->unbuilt > 0) && history_note_unbuildable(&x->f.r, series, commit(x, position)->hash, &err))
        return (enum exit_code)cli_fail(x->cli, EXIT_TOOL, &err);
    return EXIT_ANSWERED;
}

static enum exit_code not_measured(struct bisect *x, int position, const struct measure_answer *a)
{
    if (a->end == MEASURE_INTERRUPTED) {
        x->signal = a->signal;
        return EXIT_TOOL;
    }
    if (a->end == MEASURE_IMPOSSIBLE)
        return (enum exit_code)cli_fail(x->cli, EXIT_INVALID, &a->why);
    return skip(x, position, a);
}

/* Twice where there is no verdict, the second time for longer: *decided says whether there is. */
static void measure(struct bisect *x, int position, struct measure_answer *a, bool *decided)
{
    struct measure_kept kept = {.any = false};
    struct measure_question q = x->q;
    q.level = x->s.level;
    q.margin = x->s.margin;
    q.ready = &x->built;
    q.kept = &kept;
    *decided = false;
    for (int i = 0; i < 2 && !*decided; i++) {
        measure_pair(&q, good_hash(x), commit(x, position)->hash, a);
        if (a->end != MEASURE_DONE)
            break;
        say_step(x, position, a);
        add_step(x, position, verdict_name(a->verdict), a);
        *decided = verdict_differs(a->verdict) || a->verdict == VERDICT_SAME;
        q.max_time_ns = REPETITION * (q.max_time_ns ? q.max_time_ns : INT64_C(10000000000));
    }
    measure_kept_remove(&kept, x->cli);
}

/* EXIT_ANSWERED: there is an answer, or the commit is skipped. */
static enum exit_code compare(struct bisect *x, int position, struct measure_answer *a)
{
    bool decided;
    measure(x, position, a, &decided);
    if (a->end != MEASURE_DONE)
        return not_measured(x, position, a);
    return decided ? EXIT_ANSWERED : EXIT_UNDECIDED;
}

/* ---- the search ---- */

static bool only_results(const struct bisect *x, int position)
{
    return history_only_results(x->f.r.line, position);
}

static void say_plan(const struct bisect *x)
{
    struct buf b = BUF_INIT(1 << 12);
    const int commits = history_candidates(x->f.r.line, x->s.good + 1, x->s.bad);
    buf_format(
        &b, "%d commit%s, %d comparison%s if each one decides, with a probability of error of %.3g %% each and %.3g %% for all",
        commits, buf_plural(commits), x->s.planned, buf_plural(x->s.planned), 100 * x->s.level, 100 * x->o->error);
    cli_say(x->cli, x->o->display.quiet, &b);
}

static enum exit_code bad_is_skipped(const struct bisect *x)
{
    struct tare_err err;
    err_set(&err, TARE_INVALID, "the bad commit could not be measured; %s",
            x->q.build ? "choose another one with --bad" : "give --build CMD, or another commit with --bad");
    return (enum exit_code)cli_fail(x->cli, EXIT_INVALID, &err);
}

static enum exit_code step(struct bisect *x, int at)
{
    struct measure_answer a;
    const bool ends = !x->s.begun;
    enum exit_code code = compare(x, at, &a);
    if (ends)
        x->ends = a;
    if (code)
        return code;
    if (a.end != MEASURE_DONE)
        return ends ? bad_is_skipped(x) : EXIT_ANSWERED;
    bisect_answer(&x->s, at, verdict_differs(a.verdict), a.shift);
    if (x->s.bad == at)
        x->last = a;
    return EXIT_ANSWERED;
}

/* A commit that only adds results is at the level of the one before it. */
static void pass_results(struct bisect *x)
{
    while (x->s.bad - x->s.good > 1 && only_results(x, x->s.good + 1))
        x->s.good++;
    while (x->s.bad - x->s.good > 1 && only_results(x, x->s.bad))
        x->s.bad--;
}

static int next(struct bisect *x)
{
    pass_results(x);
    int at = bisect_next(&x->s);
    while (at > x->s.good + 1 && only_results(x, at) && !x->s.skipped[at - 1])
        at--;
    return at;
}

/* EXIT_ANSWERED: as far as it goes. */
static enum exit_code search(struct bisect *x)
{
    struct measure_answer a;
    pass_results(x);
    bisect_begin(&x->s);
    say_plan(x);
    x->base = x->s.good;
    measure_ready(&x->q, good_hash(x), &x->built, &a);
    enum exit_code code = a.end == MEASURE_DONE ? EXIT_ANSWERED : not_measured(x, x->base, &a);
    for (int at; !code && (at = next(x)) >= 0;)
        code = step(x, at);
    return code;
}

/* ---- what is searched ---- */

static enum tare_status find_ends(struct bisect *x, struct tare_err *err)
{
    const char *hashes[2];
    enum tare_status status = history_place_commit(&x->f.r.place, x->o->good, &hashes[0], err);
    if (!status)
        status = history_place_commit(&x->f.r.place, x->o->bad, &hashes[1], err);
    if (status)
        return status;
    x->s.good = history_position(x->f.r.line, hashes[0]);
    x->s.bad = history_position(x->f.r.line, hashes[1]);
    if (x->s.good < 0 || x->s.bad < 0)
        return err_set(err, TARE_INVALID, "--%s is not among the first parents of HEAD", x->s.good < 0 ? "good" : "bad");
    return x->s.good < x->s.bad ? TARE_OK : err_set(err, TARE_INVALID, "--good must be an older commit than --bad");
}

/* Of the newest change that nobody has settled. */
static const struct found_change *newest(const struct bisect *x)
{
    const struct found_change *best = NULL;
    for (int i = 0; i < x->f.n_changes; i++) {
        const struct found_change *c = &x->f.changes[i];
        if (c->change.state <= CHANGE_CONFIRMED && (!best || c->change.to > best->change.to))
            best = c;
    }
    return best;
}

/* A point of the series at or next after the bad end: by its session's words it is measured. */
static int session_of(struct bisect *x, int series, struct tare_err *err, enum tare_status *status)
{
    struct history_view v;
    const struct view_options o = {.margin = x->o->margin};
    *status = history_view_make(&v, x->f.r.h, series, x->f.r.line, &o, x->cli->arena, err);
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
    const struct wanted_changes w = {.class = x->o->class, .margin = x->o->margin, .series = series};
    enum tare_status status = history_found_changes(&x->f, &w, err);
    const struct found_change *c = status ? NULL : newest(x);
    if (status)
        return status;
    if (!c)
        return err_set(err, TARE_INVALID, "%.200s has no nominated change; give the interval with --good and --bad",
                       x->series->benchmark);
    if (c->change.from == c->change.to && c->change.state == CHANGE_CONFIRMED)
        return err_set(err, TARE_INVALID, "the change is confirmed and of one commit already: %.*s", HISTORY_BRIEF, c->after);
    x->s.good = c->change.from - 1;
    x->s.bad = c->change.to;
    return TARE_OK;
}

static const char *series_name(const struct bisect *x)
{
    return x->cli->operands.after > 0 && x->cli->operands.n > 0 ? x->cli->operands.items[0] : NULL;
}

static enum tare_status choose_series(struct bisect *x, struct tare_err *err)
{
    const bool by_words = x->cli->operands.n > x->cli->operands.after;
    int series, session;
    if (by_words && !series_name(x)) {
        x->q.benchmark = x->o->benchmark;
        return x->o->good ? find_ends(x, err) : err_set(err, TARE_INVALID, "without a series give --good and --bad");
    }
    enum tare_status status = history_find(&x->f.r, x->o->class, series_name(x) ? series_name(x) : x->o->benchmark, &series, err);
    if (status)
        return status;
    x->series = history_series_at(x->f.r.h, series);
    status = x->o->good ? find_ends(x, err) : choose_change(x, series, err);
    session = status ? -1 : session_of(x, series, err, &status);
    return status || history_question(&x->q, &x->f.r, x->series, session, x->o->class, err) ? status : TARE_INVALID;
}

/* The command line after --, as one that begins with tare. NULL: there is none. */
static const char *const *own_words(const struct bisect *x, struct arena *a)
{
    const struct option_operands *operands = &x->cli->operands;
    const int n = operands->n - operands->after;
    const char **words = n > 0 ? arena_array(a, (size_t)n + 2, sizeof *words) : NULL;
    if (words) {
        words[0] = "tare";
        memcpy(words + 1, operands->items + operands->after, (size_t)n * sizeof *words);
    }
    return words;
}

static enum tare_status prepare(struct bisect *x, struct tare_err *err)
{
    enum tare_status status = history_found_open(&x->f, x->o->dir, x->cli->arena, err);
    if (!status && !x->f.r.line)
        status = err_set(err, TARE_INVALID, "the commits are in a git repository; start tare in one");
    if (status)
        return status;
    x->q = (struct measure_question){.cli = x->cli,
                                     .words = own_words(x, x->cli->arena),
                                     .build = x->o->build,
                                     .max_time_ns = x->o->max_time_ns,
                                     .display = &x->o->display};
    x->s.margin = x->o->margin;
    x->s.error = x->o->error;
    status = choose_series(x, err);
    x->s.skipped = arena_array(x->cli->arena, (size_t)x->f.r.line->n + 1, sizeof *x->s.skipped);
    if (status || !x->s.skipped)
        return status ? status : err_set(err, TARE_NO_MEMORY, "no memory for the commits");
    for (int i = x->s.good; i <= x->s.bad; i++)
        x->s.skipped[i] = history_unbuildable(x->f.r.h, x->series, commit(x, i)->hash);
    return TARE_OK;
}

/* ---- the answer ---- */

static bool found_one(const struct bisect *x)
{
    return x->s.bad - x->s.good == 1 && verdict_differs(x->last.verdict);
}

static void put_answer_lines(const struct bisect *x, struct page *p)
{
    if (x->ends.end == MEASURE_DONE && x->ends.verdict == VERDICT_SAME) {
        buf_format(&p->piece, "no change between %.*s and %.*s: ", HISTORY_BRIEF, commit(x, x->s.good)->hash, HISTORY_BRIEF,
                   commit(x, x->s.bad)->hash);
        put_shift(&p->piece, x->ends.shift, x->ends.low, x->ends.high, VERDICT_SAME);
        flow_line(p, 2, HUE_PLAIN);
        return;
    }
    if (found_one(x)) {
        put_commit(x, &p->piece, x->s.bad);
    } else {
        buf_str(&p->piece, "one of the commits ");
        history_put_range(&p->piece, x->f.r.line, x->s.good, x->s.bad);
    }
    flow_line(p, 2, HUE_BOLD);
    if (x->o->display.quiet || x->ends.end != MEASURE_DONE)
        return;
    if (verdict_differs(x->last.verdict)) {
        put_shift(&p->piece, x->last.shift, x->last.low, x->last.high, x->last.verdict);
        buf_str(&p->piece, " · ");
    }
    buf_format(&p->piece, "%d comparison%s, ", x->n_steps, buf_plural(x->n_steps));
    figure_level(&p->piece, 1 - x->o->error);
    buf_str(&p->piece, " confidence for all of them together");
    flow_line(p, 2, HUE_PLAIN);
}

static enum exit_code print_answer(const struct bisect *x)
{
    struct render_options options = screen_options(&x->o->display);
    struct buf b = BUF_INIT(1 << 20);
    struct page p = page_over(NULL, &options, &b);
    put_answer_lines(x, &p);
    page_finish(&p);
    return screen_text(x->cli, &x->o->display, &b);
}

static void json_step(struct json_write *j, const struct bisect *x, const struct bisect_step *s)
{
    json_object(j, NULL);
    json_string(j, "commit", commit(x, s->position)->hash);
    json_string(j, "result", s->result);
    json_number(j, "ratio", exp(s->shift));
    json_number(j, "low", exp(s->low));
    json_number(j, "high", exp(s->high));
    json_integer(j, "rounds", s->rounds);
    json_end(j);
}

static void put_json(const struct bisect *x, struct buf *b)
{
    struct json_write j = json_into(b, 2);
    json_object(&j, NULL);
    json_string(&j, "commit", found_one(x) ? commit(x, x->s.bad)->hash : NULL);
    json_string(&j, "subject", found_one(x) ? commit(x, x->s.bad)->subject : NULL);
    json_string(&j, "good", commit(x, x->s.good)->hash);
    json_string(&j, "bad", commit(x, x->s.bad)->hash);
    json_number(&j, "ratio", exp(x->last.shift));
    json_number(&j, "low", exp(x->last.low));
    json_number(&j, "high", exp(x->last.high));
    json_number(&j, "error", x->o->error);
    json_number(&j, "error_of_a_comparison", x->s.level);
    json_array(&j, "steps");
    for (int i = 0; i < x->n_steps; i++)
        json_step(&j, x, &x->steps[i]);
    json_end(&j);
    json_end(&j);
    buf_char(b, '\n');
}

static enum exit_code write_json(const struct bisect *x, struct outputs *out)
{
    struct buf b = BUF_INIT(1 << 24);
    if (x->o->display.export_file[EXPORT_TO_JSON])
        put_json(x, &b);
    return outputs_json(out, x->cli, &b);
}

/* What the series then says of itself: the change is there, and here; or there is none between the ends. */
static enum exit_code keep(const struct bisect *x)
{
    struct tare_err err;
    const bool same = x->ends.verdict == VERDICT_SAME;
    if (!x->series || (!same && !verdict_differs(x->last.verdict)))
        return EXIT_ANSWERED;
    const struct measure_answer *a = same ? &x->ends : &x->last;
    if (history_note_measured(&x->f.r, x->series->id, commit(x, x->s.good)->hash, commit(x, x->s.bad)->hash, a, !same, &err))
        return (enum exit_code)cli_fail(x->cli, EXIT_TOOL, &err);
    return EXIT_ANSWERED;
}

static enum exit_code bisect(struct bisect *x, struct outputs *out)
{
    struct tare_err err;
    enum tare_status status = prepare(x, &err);
    if (status)
        return (enum exit_code)cli_fail(x->cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err);
    const bool asked = x->cli->operands.n <= x->cli->operands.after || (!x->o->build && x->q.build);
    enum exit_code code = asked ? history_consent(x->cli, &x->q, 1, x->o->yes, x->o->display.quiet) : EXIT_ANSWERED;
    if (!code && (status = plat_signals_watch())) {
        err_set(&err, status, "cannot watch signals");
        code = (enum exit_code)cli_fail(x->cli, EXIT_TOOL, &err);
    }
    if (!code)
        code = search(x);
    if (code && code != EXIT_UNDECIDED)
        return code;
    if (!code && !found_one(x) && x->ends.verdict != VERDICT_SAME)
        code = EXIT_UNDECIDED;
    code = cli_worse(code, keep(x));
    code = cli_worse(code, print_answer(x));
    return cli_worse(code, write_json(x, out));
}

int cmd_history_bisect(struct cli *cli, const void *options)
{
    struct bisect x = {.cli = cli, .o = options};
    struct outputs out;
    struct tare_err err;
    if (outputs_open(&out, &x.o->display, NULL, &err))
        return cli_fail(cli, EXIT_TOOL, &err);
    enum exit_code code = bisect(&x, &out);
    measure_kept_remove(&x.built, cli);
    history_found_close(&x.f);
    outputs_finish(&out, NULL);
    if (x.signal)
        plat_die_of(x.signal);
    return (int)code;
}
