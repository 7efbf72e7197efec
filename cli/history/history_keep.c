/* SPDX-License-Identifier: MIT */
#include "history_keep.h"
#include "command.h"
#include "history_words.h"
#include "quote.h"
#include <math.h>
#include <string.h>

enum tare_status history_keep_begin(struct history_keep *k, const char *dir, const char *revision, const char *class,
                                    struct arena *a, struct tare_err *err)
{
    *k = (struct history_keep){
        .session = {.class = class}, .shown = dir ? dir : ".tare/history", .as_it_is = !strcmp(revision, ".")};
    enum tare_status status = history_place_open(&k->place, dir, a, err);
    if (!status)
        status = history_place_session(&k->place, revision, &k->session, err);
    return status ? status : history_place_make(&k->place, err);
}

enum tare_status history_keep_open(struct history_keep *k, const char *dir, const char *revision, const char *class,
                                   struct arena *a, struct tare_err *err)
{
    enum tare_status status = history_keep_begin(k, dir, revision, class, a, err);
    history_place_close(&k->place);
    return status;
}

static enum tare_status check_record(const struct record *r, struct tare_err *err)
{
    if (!record_is_complete(r))
        return err_set(err, TARE_INVALID, "the session is not complete");
    if (facts_find(&r->build, "revision_1"))
        return err_set(err, TARE_INVALID, "the session is of several revisions");
    return r->rule.against_itself ? err_set(err, TARE_INVALID, "the session compares with itself (--aa)") : TARE_OK;
}

/* How it looks and where it goes is no part of what measures. */
static bool of_showing(const struct option *o)
{
    return !strcmp(o->group, "What is shown") || !strcmp(o->group, "What is kept");
}

const char *const *history_measuring_words(const char *const *argv, struct arena *a)
{
    const struct command *c = argv && argv[0] && argv[1] ? command_named(argv[1]) : NULL;
    int n = 0;
    while (c && argv[n])
        n++;
    char *const *given = (char *const *)(const void *)argv;
    const char **rest = c ? option_words_without(&c->options, of_showing, n - 2, given + 2, a) : NULL;
    const char **words = rest ? arena_array(a, (size_t)n + 1, sizeof *words) : NULL;
    if (!words)
        return NULL;
    words[0] = "tare";
    words[1] = argv[1];
    for (int i = 0; rest[i]; i++)
        words[i + 2] = rest[i];
    return words;
}

static bool lacks_ratio(const struct history_entry *e)
{
    for (int i = 0; i < e->n; i++)
        if (isfinite(e->results[i].point.ratio))
            return false;
    return e->session.anchor;
}

enum tare_status history_keep_add(struct history_keep *k, const struct record *r, struct tare_err *err)
{
    struct history_entry e = {.session = k->session};
    struct arena arena = {0};
    e.session.words = history_measuring_words(r->argv, &arena);
    enum tare_status status = check_record(r, err);
    if (!status)
        status = history_of_record(&e, r, &arena, err);
    if (!status && !e.session.measured_utc_ns)
        e.session.measured_utc_ns = k->session.measured_utc_ns;
    if (!status)
        status = history_add(k->place.folder, &e, k->id, &k->added, err);
    k->n = status ? 0 : e.n;
    k->lacks_ratio = !status && lacks_ratio(&e);
    k->unsound += status ? 0 : e.unsound;
    k->failed += status ? 0 : e.failed;
    arena_finish(&arena);
    return status;
}

/* "1a2b3c4", "1a2b3c4 (with uncommitted changes, so in no series)" */
static void put_commit(const struct history_keep *k, struct buf *b)
{
    history_put_brief(b, k->session.revision);
    if (k->as_it_is)
        buf_str(b, k->session.dirty ? " (with uncommitted changes, so in no series)" : "");
}

static void put_left_out(const struct history_keep *k, struct buf *b)
{
    if (k->failed)
        buf_format(b, "; %d result%s left out: the benchmark failed", k->failed, k->failed == 1 ? " is" : "s are");
    if (k->unsound)
        buf_format(b, "; %d arc%s left out: hits were lost, or the clock was wrong", k->unsound,
                   k->unsound == 1 ? " is" : "s are");
}

void history_keep_notes(const struct history_keep *k, struct buf *b)
{
    put_left_out(k, b);
    if (k->lacks_ratio)
        buf_str(b, "; too few rounds for a ratio to the anchor, so it is not in that series; give a longer --max-time");
}

void history_keep_line(const struct history_keep *k, struct buf *b)
{
    buf_str(b, k->added ? "added to " : "already in ");
    quote_mask(b, k->shown, true);
    buf_str(b, " for ");
    put_commit(k, b);
    history_keep_notes(k, b);
}

void history_keep_total(const struct history_keep *k, int added, int known, bool commit, struct buf *b)
{
    buf_format(b, "%d session%s added to ", added, buf_plural(added));
    quote_mask(b, k->shown, true);
    if (commit) {
        buf_str(b, " for ");
        put_commit(k, b);
    }
    if (known)
        buf_format(b, "; %d %s there already", known, known == 1 ? "was" : "were");
    put_left_out(k, b);
}
