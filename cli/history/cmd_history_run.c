/* SPDX-License-Identifier: MIT
 *
 * `tare history run`: commits that have no results of this command line yet are checked out, built and measured, the oldest first.
 *
 *       12 commits measured, 48 had results, 1 does not build or run
 */
#include "history_confirm.h"
#include "history_keep.h"
#include "history_words.h"
#include "plat.h"
#include "quote.h"
#include "same_text.h"
#include "screen.h"
#include "units.h"
#include <string.h>

enum { SUBJECT_COLUMNS = 50 };

struct lost {
    int position;
    bool built;
};

struct backfill {
    struct history_reading r;
    struct measure_question q;
    const char *const *words; /* those of q, as they are kept with a session */
    const char *called;       /* the same, in one line */
    int *chosen;              /* positions, rising */
    struct lost *lost;        /* those of them that do not build or run */
    int n, had, measured, failed, noted;
};

/* Of the same command line: results of another benchmark do not count. */
static bool has_results(const struct backfill *x, const char *revision)
{
    for (int i = 0; i < history_n_sessions(x->r.h); i++) {
        const struct history_session *s = history_session_at(x->r.h, i);
        if (!s->dirty && !strcmp(s->revision, revision) && (!x->r.o->class || !strcmp(s->class, x->r.o->class)) &&
            !strcmp(s->folder, x->r.place.prefix) && same_words(s->words, x->words))
            return true;
    }
    return history_unbuildable(x->r.h, NULL, x->called, revision);
}

/* Counted from the last one, so that it is among them. Commits that only add results are not counted. */
static void choose_commits(struct backfill *x, int since)
{
    const struct history_line *line = x->r.line;
    int after = history_candidates(line, since, line->n - 1);
    for (int i = since; i < line->n; i++) {
        if (history_only_results(line, i) || --after % x->r.o->every)
            continue;
        bool had = !x->r.o->again && has_results(x, line->commits[i].hash);
        x->had += had;
        if (!had)
            x->chosen[x->n++] = i;
    }
}

static enum tare_status prepare_backfill(struct backfill *x, struct tare_err *err)
{
    int since = 0;
    enum tare_status status = history_need_line(&x->r, err);
    if (!status)
        status = history_since(&x->r, &since, err);
    if (status)
        return status;
    /* Words that are no command line of tare are refused where the first commit is measured. */
    enum { CALLED_BYTES = 1 << 12 };
    struct buf b = BUF_INIT(CALLED_BYTES);
    x->q = history_question(&x->r, history_words_given(x->r.cli, 0));
    x->words = x->q.words ? history_measuring_words(x->q.words, x->r.cli->arena) : NULL;
    if (x->words)
        quote_words(&b, x->words, false);
    x->called = arena_strdup(x->r.cli->arena, buf_text(&b)); /* a very long one is cut */
    buf_finish(&b);
    const bool has_words = x->q.words && x->called;
    x->chosen = arena_array(x->r.cli->arena, (size_t)x->r.line->n + 1, sizeof *x->chosen);
    x->lost = arena_array(x->r.cli->arena, (size_t)x->r.line->n + 1, sizeof *x->lost);
    if (!has_words || !x->chosen || !x->lost)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d commits", x->r.line->n);
    choose_commits(x, since);
    return TARE_OK;
}

static void put_commit(const struct backfill *x, struct buf *b, int position)
{
    history_put_commit(b, &x->r.line->commits[position], SUBJECT_COLUMNS, false);
}

static void say_next(const struct backfill *x, int i, int64_t start_ns)
{
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%d of %d: ", i + 1, x->n);
    put_commit(x, &b, x->chosen[i]);
    if (i)
        buf_format(&b, ", about %s left",
                   figure_text(figure_duration, (double)(plat_now_ns() - start_ns) / 1e9 / i * (x->n - i)).at);
    cli_say(x->r.cli, x->r.o->display.quiet, &b);
}

static enum tare_status measure_position(struct backfill *x, int position, enum exit_code *code, struct tare_err *err)
{
    struct history_keep keep;
    struct measure_answer a;
    const char *hash = x->r.line->commits[position].hash;
    enum tare_status status = history_keep_open(&keep, x->r.o->dir, hash, x->r.o->class, x->r.cli->arena, err);
    if (status)
        return status;
    keep.session.build = x->r.o->build;
    measure_commit(&x->q, hash, &keep, &a);
    switch (a.end) {
    case MEASURE_DONE:
        x->measured++;
        if (keep.lacks_ratio || keep.unsound || keep.failed) {
            struct buf b = BUF_INIT(1 << 16);
            put_commit(x, &b, position);
            history_keep_notes(&keep, &b);
            cli_say(x->r.cli, x->r.o->display.quiet, &b);
        }
        return TARE_OK;
    case MEASURE_INTERRUPTED:
        x->r.signal = a.signal;
        *code = EXIT_TOOL;
        return TARE_OK;
    case MEASURE_FAILED:
        return err_set(err, TARE_IO, "%s", a.why.text);
    case MEASURE_IMPOSSIBLE:
        return err_set(err, TARE_INVALID, "%s", a.why.text);
    case MEASURE_UNBUILT:
        break;
    }
    x->lost[x->failed++] = (struct lost){position, a.unbuilt < 0};
    history_say_unbuilt(&x->r, &x->r.line->commits[position], &x->q, &a);
    return TARE_OK;
}

/* Where every commit fails, the command or its build is wrong rather than the commits; without a build they may lack nothing but that. */
static bool are_noted(const struct backfill *x)
{
    return x->measured && x->r.o->build;
}

static enum tare_status note_lost(struct backfill *x, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (; !status && are_noted(x) && x->noted < x->failed; x->noted++) {
        const struct lost *l = &x->lost[x->noted];
        status = history_note_unbuildable(&x->r, NULL, x->r.line->commits[l->position].hash, l->built ? x->called : NULL, err);
    }
    return status;
}

static void put_counts(const struct backfill *x, struct buf *b)
{
    buf_format(b, "  %d commit%s %s", x->r.o->dry_run ? x->n : x->measured, buf_plural(x->r.o->dry_run ? x->n : x->measured),
               x->r.o->dry_run ? "to measure" : "measured");
    if (x->had)
        buf_format(b, ", %d measured before or not buildable (--again tries them too)", x->had);
    if (x->failed)
        buf_format(b, ", %d %s not build or run%s", x->failed, x->failed == 1 ? "does" : "do",
                   are_noted(x)     ? ""
                   : x->failed == 1 ? " and is tried again next time"
                                    : " and are tried again next time");
    buf_char(b, '\n');
}

static enum exit_code print_plan(const struct backfill *x)
{
    struct buf b = BUF_INIT(1 << 26);
    for (int i = 0; x->r.o->dry_run && i < x->n; i++) {
        buf_str(&b, "  ");
        put_commit(x, &b, x->chosen[i]);
        buf_char(&b, '\n');
    }
    if (x->r.o->dry_run) {
        buf_str(&b, "  each by: ");
        measure_put_words(&x->q, &b);
        buf_char(&b, '\n');
    }
    put_counts(x, &b);
    return screen_text(x->r.cli, &x->r.o->display, &b);
}

static enum tare_status backfill_work(void *context, enum exit_code *code, struct tare_err *err)
{
    struct backfill *x = context;
    enum tare_status status = prepare_backfill(x, err);
    if (!status && (status = plat_signals_watch()))
        err_set(err, status, "cannot watch signals");
    const int64_t start_ns = plat_now_ns();
    for (int i = 0; i < x->n && !status && !*code && !x->r.o->dry_run; i++) {
        say_next(x, i, start_ns);
        status = measure_position(x, x->chosen[i], code, err);
        if (!status)
            status = note_lost(x, err);
    }
    if (!status && !*code && x->failed && !x->measured)
        *code = EXIT_CHILD;
    if (!status || x->measured)
        *code = cli_worse(*code, print_plan(x));
    return status;
}

int cmd_history_run(struct cli *cli, const void *options)
{
    struct backfill x = {.n = 0};
    return history_command(&x.r, cli, options, backfill_work, &x);
}
