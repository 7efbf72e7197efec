/* SPDX-License-Identifier: MIT */
#include "history_confirm.h"
#include "consent.h"
#include "history_words.h"
#include "machine.h"
#include "plat.h"
#include "same_text.h"
#include <math.h>
#include <string.h>

enum { TRIES = 5, NAME_COLUMNS = 60, REPETITION = 4 /* times the time of the first try */ };

static enum tare_status add_event(const struct history_reading *r, struct history_event *e, struct tare_err *err)
{
    char id[HISTORY_ID_BYTES];
    e->who = "tare";
    e->project = history_event_project(r, e->series);
    e->at_utc_ns = history_time_of_event(r);
    if (r->line)
        (void)history_patch(r->line, e->revision, &e->patch, NULL);
    return history_add_event(r->place.folder, e, id, err);
}

enum tare_status history_note_unbuildable(const struct history_reading *r, const char *series, const char *revision,
                                          const char *words, struct tare_err *err)
{
    struct history_event e = {.kind = HISTORY_UNBUILDABLE,
                              .series = series,
                              .revision = revision,
                              .note = words,
                              .shift = NAN,
                              .low = NAN,
                              .high = NAN};
    return add_event(r, &e, err);
}

enum tare_status history_note_measured(const struct history_reading *r, struct history_event e, const struct measure_answer *a,
                                       struct tare_err *err)
{
    e.verdict = verdict_name(a->verdict);
    e.shift = a->shift;
    e.low = isfinite(a->low) ? a->low : NAN;
    e.high = isfinite(a->high) ? a->high : NAN;
    e.difference = a->difference;
    return add_event(r, &e, err);
}

bool history_is_here(const char *class)
{
    struct record r;
    struct arena a = {0};
    record_init(&r);
    const char *here = machine_identity(&r, &r.machine) ? NULL : history_class_of(&r, &a);
    const bool same = !here || !strcmp(here, class);
    arena_finish(&a);
    record_finish(&r);
    return same;
}

struct measure_question history_question(const struct history_reading *r, const char *const *words)
{
    return (struct measure_question){.cli = r->cli,
                                     .words = words,
                                     .build = r->o->build,
                                     .of_database = history_is_url(r->place.folder),
                                     .margin = r->o->margin,
                                     .max_time_ns = r->o->max_time_ns,
                                     .display = &r->o->display};
}

const char *const *history_words_given(const struct cli *cli, int first)
{
    const int n = cli->operands.n - first;
    const char **words = n > 0 ? arena_array(cli->arena, (size_t)n + 2, sizeof *words) : NULL;
    if (words) {
        words[0] = "tare";
        memcpy(words + 1, cli->operands.items + first, (size_t)n * sizeof *words);
    }
    return words;
}

enum tare_status history_question_of(struct measure_question *q, const struct history_reading *r, const struct history_series *s,
                                     int session, struct tare_err *err)
{
    const struct history_session *from = history_session_at(r->h, session);
    if (!q->words)
        q->words = from->words;
    if (!q->build)
        q->build = from->build;
    q->benchmark = s->benchmark;
    q->arguments = s->arguments;
    q->metric = s->metric.id;
    if (!r->line)
        return err_set(err, TARE_INVALID, "there is no repository here with the commits");
    if (!q->words || !q->words[0])
        return err_set(err, TARE_INVALID, "its results do not say how they were measured (%.60s)", from->tool);
    if (strcmp(from->folder ? from->folder : "", r->place.prefix) != 0)
        return err_set(err, TARE_INVALID, "it was measured in the folder '%.200s' of the repository; start tare there",
                       *from->folder ? from->folder : "/");
    if (!r->o->class && !history_is_here(s->class))
        return err_set(err, TARE_INVALID,
                       "its results are of the machine class '%.100s', and this machine is of another; where that is meant, add "
                       "--class '%.100s'",
                       s->class, s->class);
    return TARE_OK;
}

static bool same_question(const struct measure_question *a, const struct measure_question *b)
{
    return same_words(a->words, b->words) && same_text(a->build, b->build);
}

enum exit_code history_consent(const struct history_reading *r, const struct measure_question *questions, int n)
{
    struct buf b = BUF_INIT(1 << 24);
    buf_str(&b, "The history asks to run, at other commits in work trees:\n");
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < i && !same_question(&questions[k], &questions[i]))
            k++;
        if (k < i)
            continue;
        buf_str(&b, "  ");
        measure_put_words(&questions[i], &b);
        buf_char(&b, '\n');
    }
    const bool silent = r->o->yes && r->o->display.quiet;
    const enum exit_code code = cli_show_plan(r->cli, silent ? &sink_nowhere : &r->cli->talk, &b);
    return code ? code : cli_consent(r->cli, r->o->yes);
}

void history_say_unbuilt(const struct history_reading *r, const struct history_commit *c, const struct measure_question *q,
                         const struct measure_answer *a)
{
    enum { SUBJECT_COLUMNS = 50 };
    struct buf b = BUF_INIT(1 << 16);
    history_put_commit(&b, c, SUBJECT_COLUMNS, false);
    buf_str(&b, a->unbuilt < 0 ? " does not run" : " does not build");
    if (a->unbuilt < 0 && *a->why.text)
        buf_format(&b, ": %s", a->why.text);
    buf_str(&b, !q->build        ? "; --build CMD would build it"
                : a->unbuilt < 0 ? "; its work tree has only what is committed and what --build makes"
                                 : "");
    cli_say(r->cli, r->o->display.quiet, &b);
}

struct confirmation {
    struct history_reading *r;
    int at, n; /* which one is measured, and of how many */
};

struct sides {
    int before, after; /* positions */
};

static void put_sides(const struct confirmation *c, const struct found_change *f, const struct sides *s, struct buf *b)
{
    const struct history_commit *commits = c->r->line->commits;
    history_put_name(b, f->series, NAME_COLUMNS, false);
    buf_format(b, ", %s: %.*s and %.*s", f->series->metric.title, HISTORY_BRIEF, commits[s->before].hash, HISTORY_BRIEF,
               commits[s->after].hash);
}

/* Away from the change, where the levels are still the same; the next change ends that. False: there is none left. */
static bool step_aside(const struct confirmation *c, const struct found_change *f, struct sides *s, bool after)
{
    const struct history_line *line = c->r->line;
    const struct found_change *others = c->r->changes;
    int at = after ? s->after : s->before, step = after ? 1 : -1;
    for (at += step; at >= 0 && at < line->n; at += step) {
        for (int i = 0; i < c->r->n_changes; i++)
            if (others[i].series == f->series && &others[i] != f && at >= others[i].change.from - 1 && at <= others[i].change.to)
                return false;
        if (history_only_results(line, at) || history_unbuildable(c->r->h, f->series, NULL, line->commits[at].hash))
            continue;
        *(after ? &s->after : &s->before) = at;
        return true;
    }
    return false;
}

static enum tare_status note_unbuilt(const struct confirmation *c, const struct sides *s, bool after, struct tare_err *err)
{
    const struct history_reading *r = c->r;
    const char *hash = r->line->commits[after ? s->after : s->before].hash;
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "%.*s does not build; the next commit takes its place", HISTORY_BRIEF, hash);
    cli_say(c->r->cli, c->r->o->display.quiet, &b);
    return history_note_unbuildable(r, NULL, hash, NULL, err);
}

bool history_open_answer(const struct measure_answer *a)
{
    return a->end == MEASURE_DONE && !verdict_differs(a->verdict) && a->verdict != VERDICT_SAME;
}

struct measure_question history_longer(const struct measure_question *q)
{
    struct measure_question longer = *q;
    longer.max_time_ns = REPETITION * (q->max_time_ns ? q->max_time_ns : INT64_C(10000000000));
    return longer;
}

/* Where there is no verdict, once more with more time. */
static void compare_commits(const struct confirmation *c, const struct measure_question *q, const char *before, const char *after,
                            struct measure_answer *a)
{
    measure_pair(q, before, after, a);
    if (!history_open_answer(a))
        return;
    const struct measure_question longer = history_longer(q);
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "undecided after %d round%s; measuring once more, for longer", a->rounds, buf_plural(a->rounds));
    cli_say(c->r->cli, c->r->o->display.quiet, &b);
    measure_pair(&longer, before, after, a);
}

/* With another commit where one does not build. */
static void measure_sides(const struct confirmation *c, const struct found_change *f, const struct measure_question *q,
                          struct sides *s, struct measure_answer *a)
{
    const struct history_commit *commits = c->r->line->commits;
    for (int i = 0; i < TRIES; i++) {
        struct buf b = BUF_INIT(1 << 16);
        buf_str(&b, "measuring ");
        if (c->n > 1)
            buf_format(&b, "%d of %d: ", c->at + 1, c->n);
        put_sides(c, f, s, &b);
        cli_say(c->r->cli, c->r->o->display.quiet, &b);
        compare_commits(c, q, commits[s->before].hash, commits[s->after].hash, a);
        if (a->end != MEASURE_UNBUILT || a->unbuilt < 0 || note_unbuilt(c, s, a->unbuilt, &a->why) ||
            !step_aside(c, f, s, a->unbuilt))
            return;
    }
}

/* The same direction as in the history: then the change is there. */
static bool answer_agrees(const struct found_change *f, const struct measure_answer *a)
{
    double up = f->change.difference ? f->change.ratio : log(f->change.ratio);
    return verdict_differs(a->verdict) && (a->shift > 0) == (up > 0);
}

static enum exit_code conclude_change(struct confirmation *c, const struct found_change *f, const struct sides *s,
                                      const struct measure_question *q, const struct measure_answer *a)
{
    const struct history_commit *commits = c->r->line->commits;
    struct buf b = BUF_INIT(1 << 16);
    struct tare_err err;
    if (a->end == MEASURE_INTERRUPTED) {
        c->r->signal = a->signal;
        return EXIT_TOOL;
    }
    if (a->end == MEASURE_FAILED) {
        err_set(&err, TARE_IO, "not measured again: %s", a->why.text);
        return cli_fail(c->r->cli, EXIT_TOOL, &err);
    }
    if (a->end != MEASURE_DONE) {
        put_sides(c, f, s, &b);
        buf_format(&b, ": not measured%s%s%s", *a->why.text ? ": " : "", a->why.text,
                   a->end != MEASURE_UNBUILT || q->build ? "" : "; --build CMD would build the commits");
        cli_say(c->r->cli, c->r->o->display.quiet, &b);
        return EXIT_ANSWERED;
    }
    const bool confirmed = answer_agrees(f, a), open = history_open_answer(a);
    put_sides(c, f, s, &b);
    buf_format(&b, ": %s%s after %d round%s",
               confirmed ? "confirmed, "
               : open    ? ""
                         : "refuted, ",
               verdict_name(a->verdict), a->rounds, buf_plural(a->rounds));
    cli_say(c->r->cli, c->r->o->display.quiet, &b);
    const struct history_event e = {.kind = confirmed ? HISTORY_CONFIRMED : HISTORY_REFUTED,
                                    .series = f->series->id,
                                    .revision = commits[s->after].hash,
                                    .before = commits[s->before].hash};
    if (history_note_measured(c->r, e, a, &err))
        return cli_fail(c->r->cli, EXIT_TOOL, &err);
    return EXIT_ANSWERED;
}

/* s: the commits that were measured. */
static void measure_change(const struct confirmation *c, const struct found_change *f, const struct measure_question *q,
                           struct sides *s, struct measure_answer *a)
{
    const struct history_commit *commits = c->r->line->commits;
    bool known = true;
    if (history_unbuildable(c->r->h, f->series, NULL, commits[s->before].hash))
        known = step_aside(c, f, s, false);
    if (known && history_unbuildable(c->r->h, f->series, NULL, commits[s->after].hash))
        known = step_aside(c, f, s, true);
    if (known)
        measure_sides(c, f, q, s, a);
}

struct chosen {
    const struct found_change *f;
    struct measure_question *q;
    bool done;
};

/* Of one command or benchmark in another metric, between the same commits. */
static bool shares_commits(const struct chosen *a, const struct chosen *b)
{
    const struct history_series *s = a->f->series, *t = b->f->series;
    return !b->done && a->f->change.from == b->f->change.from && a->f->change.to == b->f->change.to &&
           !strcmp(s->benchmark, t->benchmark) && !strcmp(s->arguments, t->arguments) && !strcmp(s->class, t->class) &&
           !strcmp(s->version, t->version) && same_question(a->q, b->q);
}

/* The change and those that share its session. An answer without a verdict is none for these: they get a session of their own. */
static enum exit_code confirm_one(struct confirmation *c, struct chosen *all, struct chosen *x, int n)
{
    enum { OTHERS_MOST = 8 };
    const char *metrics[OTHERS_MOST + 1] = {NULL};
    struct measure_answer answers[OTHERS_MOST] = {{.end = MEASURE_UNBUILT}}, a = {.end = MEASURE_UNBUILT};
    struct chosen *others[OTHERS_MOST];
    struct sides s = {history_code_of(c->r->line, x->f->change.from - 1), x->f->change.to};
    int m = 0;
    x->done = true;
    for (int i = 0; i < n && m < OTHERS_MOST; i++)
        if (shares_commits(x, &all[i])) {
            answers[m].end = MEASURE_UNBUILT;
            metrics[m] = all[i].q->metric;
            others[m++] = &all[i];
        }
    x->q->others = metrics;
    x->q->answers = answers;
    measure_change(c, x->f, x->q, &s, &a);
    enum exit_code code = conclude_change(c, x->f, &s, x->q, &a);
    for (int i = 0; i < m && !code && a.end == MEASURE_DONE; i++) {
        others[i]->done = answers[i].end == MEASURE_DONE && !history_open_answer(&answers[i]);
        c->at += others[i]->done;
        if (others[i]->done)
            code = conclude_change(c, others[i]->f, &s, others[i]->q, &answers[i]);
    }
    return code;
}

/* Those that can be measured: how many. What cannot be is said. */
static int plan_questions(const struct history_reading *r, struct chosen *chosen, struct measure_question *questions)
{
    int n = 0;
    for (int i = 0; i < r->n_changes; i++) {
        const struct found_change *f = &r->changes[i];
        struct tare_err err = {"there is no commit before it"};
        if (f->change.state != CHANGE_NOMINATED || (found_undecided(f) && !r->o->max_time_ns))
            continue; /* each repetition of an undecided one would be another chance to be wrong */
        questions[n] = history_question(r, NULL);
        if (!history_question_of(&questions[n], r, f->series, f->session, &err) && f->change.from > 0) {
            chosen[n] = (struct chosen){.f = f, .q = &questions[n]};
            n++;
            continue;
        }
        struct buf b = BUF_INIT(1 << 16);
        history_put_name(&b, f->series, NAME_COLUMNS, false);
        buf_format(&b, " is not measured again: %s", err.text);
        cli_say(r->cli, r->o->display.quiet, &b);
    }
    return n;
}

/* Those of the same commits come after each other, and are built once. */
static struct chosen *pick_next(struct chosen *chosen, int n, const struct chosen *last)
{
    struct chosen *first = NULL;
    for (int i = 0; i < n; i++) {
        struct chosen *x = &chosen[i];
        if (x->done)
            continue;
        if (last && x->f->change.from == last->f->change.from && x->f->change.to == last->f->change.to)
            return x;
        first = first ? first : x;
    }
    return first;
}

enum exit_code history_confirm(struct history_reading *r, double error)
{
    const size_t room = (size_t)r->n_changes + 1;
    struct chosen *chosen = arena_array(r->cli->arena, room, sizeof *chosen);
    struct measure_question *questions = arena_array(r->cli->arena, room, sizeof *questions);
    struct measure_kept kept = {.any = false};
    struct tare_err err;
    if (!chosen || !questions)
        return cli_refuse(r->cli, err_set(&err, TARE_NO_MEMORY, "no memory for %d changes", r->n_changes), &err);
    struct confirmation c = {.r = r, .n = plan_questions(r, chosen, questions)};
    enum exit_code code = c.n ? history_consent(r, questions, c.n) : EXIT_ANSWERED;
    if (c.n && !code) {
        struct buf b = BUF_INIT(1 << 12);
        buf_format(&b, "%d change%s measured again", c.n, c.n == 1 ? " is" : "s are");
        if (c.n > 1)
            buf_format(&b, ", each with a probability of error of %s, which is %s for all together",
                       figure_text(figure_rough, error / c.n).at, figure_text(figure_level, error).at);
        cli_say(r->cli, r->o->display.quiet, &b);
    }
    for (struct chosen *x = NULL; !code && (x = pick_next(chosen, c.n, x)); c.at++) {
        x->q->level = error / c.n;
        x->q->kept = &kept;
        code = confirm_one(&c, chosen, x, c.n);
    }
    measure_kept_remove(&kept, r->cli);
    return code;
}
