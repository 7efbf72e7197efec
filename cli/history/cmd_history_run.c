/* SPDX-License-Identifier: MIT
 *
 * `tare history run`: commits that have no results yet are checked out, built and measured, the oldest first.
 *
 *       12 commits measured, 48 had results, 1 does not build or run
 */
#include "history_confirm.h"
#include "history_keep.h"
#include "history_options.h"
#include "history_words.h"
#include "layout.h"
#include "plat.h"
#include "screen.h"
#include "units.h"
#include <string.h>

enum { SUBJECT_COLUMNS = 50 };

struct backfill {
    struct cli *cli;
    const struct history_run_options *o;
    struct history_found f;
    struct measure_question q;
    int *chosen; /* positions, rising */
    int n, had, measured, failed;
    int signal;
};

/* ---- which commits ---- */

static bool has_results(const struct backfill *x, const char *revision)
{
    for (int i = 0; i < history_n_sessions(x->f.r.h); i++) {
        const struct history_session *s = history_session_at(x->f.r.h, i);
        if (!s->dirty && !strcmp(s->revision, revision) && (!x->o->class || !strcmp(s->class, x->o->class)))
            return true;
    }
    return history_unbuildable(x->f.r.h, NULL, revision);
}

/* Counted from the last one, so that it is among them. Commits that only add results are not counted. */
static void choose(struct backfill *x, int since)
{
    const struct history_line *line = x->f.r.line;
    int after = history_candidates(line, since, line->n - 1);
    for (int i = since; i < line->n; i++) {
        if (history_only_results(line, i) || --after % x->o->every)
            continue;
        bool had = !x->o->again && has_results(x, line->commits[i].hash);
        x->had += had;
        if (!had)
            x->chosen[x->n++] = i;
    }
}

static enum tare_status prepare(struct backfill *x, struct tare_err *err)
{
    int since = 0;
    enum tare_status status = history_found_open(&x->f, x->o->dir, x->cli->arena, err);
    if (!status && !x->f.r.line)
        status = err_set(err, TARE_INVALID, "the commits are in a git repository; start tare in one");
    if (!status)
        status = history_since(&x->f.r, x->o->since, &since, err);
    if (status)
        return status;
    struct arena *a = x->cli->arena;
    const char **words = arena_array(a, (size_t)x->cli->operands.n + 2, sizeof *words);
    x->chosen = arena_array(a, (size_t)x->f.r.line->n + 1, sizeof *x->chosen);
    if (!words || !x->chosen)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d commits", x->f.r.line->n);
    words[0] = "tare";
    memcpy(words + 1, x->cli->operands.items, (size_t)x->cli->operands.n * sizeof *words);
    x->q = (struct measure_question){.cli = x->cli, .words = words, .build = x->o->build, .display = &x->o->display};
    choose(x, since);
    return TARE_OK;
}

/* ---- one commit ---- */

static void put_commit(const struct backfill *x, struct buf *b, int position)
{
    history_put_commit(b, &x->f.r.line->commits[position], SUBJECT_COLUMNS, false);
}

static void say_next(const struct backfill *x, int i, int64_t start_ns)
{
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%d of %d: ", i + 1, x->n);
    put_commit(x, &b, x->chosen[i]);
    if (i) {
        buf_str(&b, ", about ");
        figure_duration(&b, (double)(plat_now_ns() - start_ns) / 1e9 / i * (x->n - i));
        buf_str(&b, " left");
    }
    cli_say(x->cli, x->o->display.quiet, &b);
}

static void say_failed(const struct backfill *x, int position, const struct measure_answer *a)
{
    struct buf b = BUF_INIT(1 << 16);
    put_commit(x, &b, position);
    buf_str(&b, a->unbuilt < 0 ? " does not run" : " does not build");
    if (a->unbuilt < 0 && *a->why.text)
        buf_format(&b, ": %s", a->why.text);
    buf_str(&b, x->o->build ? "" : "; --build CMD would build it");
    if (!x->o->display.quiet)
        cli_note(x->cli, "note", buf_text(&b));
    buf_finish(&b);
}

static enum exit_code measure(struct backfill *x, int position)
{
    struct tare_err err;
    struct history_keep keep;
    struct measure_answer a;
    const char *hash = x->f.r.line->commits[position].hash;
    enum tare_status status = history_keep_open(&keep, x->o->dir, hash, x->o->class, x->cli->arena, &err);
    if (status)
        return (enum exit_code)cli_fail(x->cli, EXIT_TOOL, &err);
    keep.session.build = x->o->build;
    measure_commit(&x->q, hash, &keep, &a);
    switch (a.end) {
    case MEASURE_DONE:
        x->measured++;
        return EXIT_ANSWERED;
    case MEASURE_INTERRUPTED:
        x->signal = a.signal;
        return EXIT_TOOL;
    case MEASURE_IMPOSSIBLE:
        return (enum exit_code)cli_fail(x->cli, EXIT_USAGE, &a.why);
    case MEASURE_UNBUILT:
        break;
    }
    x->failed++;
    say_failed(x, position, &a);
    if (!x->o->build) /* it may lack nothing but a build */
        return EXIT_ANSWERED;
    return history_note_unbuildable(&x->f.r, NULL, hash, &err) ? (enum exit_code)cli_fail(x->cli, EXIT_TOOL, &err)
                                                               : EXIT_ANSWERED;
}

/* ---- all of them ---- */

static void put_counts(const struct backfill *x, struct buf *b)
{
    buf_format(b, "  %d commit%s %s", x->o->dry_run ? x->n : x->measured, buf_plural(x->o->dry_run ? x->n : x->measured),
               x->o->dry_run ? "to measure" : "measured");
    if (x->had)
        buf_format(b, ", %d measured before or not buildable (--again tries them too)", x->had);
    if (x->failed)
        buf_format(b, ", %d %s not build or run", x->failed, x->failed == 1 ? "does" : "do");
    buf_char(b, '\n');
}

static enum exit_code print(const struct backfill *x)
{
    struct buf b = BUF_INIT(1 << 26);
    for (int i = 0; x->o->dry_run && i < x->n; i++) {
        buf_str(&b, "  ");
        put_commit(x, &b, x->chosen[i]);
        buf_char(&b, '\n');
    }
    if (x->o->dry_run) {
        buf_str(&b, "  each by: ");
        measure_put_words(&x->q, &b);
        buf_char(&b, '\n');
    }
    put_counts(x, &b);
    return screen_text(x->cli, &x->o->display, &b);
}

static enum exit_code backfill(struct backfill *x)
{
    struct tare_err err;
    enum tare_status status = prepare(x, &err);
    if (!status && (status = plat_signals_watch()))
        err_set(&err, status, "cannot watch signals");
    if (status)
        return (enum exit_code)cli_fail(x->cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err);
    enum exit_code code = EXIT_ANSWERED;
    const int64_t start_ns = plat_now_ns();
    for (int i = 0; i < x->n && !code && !x->o->dry_run; i++) {
        say_next(x, i, start_ns);
        code = measure(x, x->chosen[i]);
    }
    if (!code && x->failed && !x->measured)
        code = EXIT_CHILD;
    return cli_worse(code, print(x));
}

int cmd_history_run(struct cli *cli, const void *options)
{
    struct backfill x = {.cli = cli, .o = options};
    enum exit_code code = backfill(&x);
    history_found_close(&x.f);
    if (x.signal)
        plat_die_of(x.signal);
    return (int)code;
}
