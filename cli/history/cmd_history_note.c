/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "history_words.h"
#include "quote.h"
#include "screen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct noting {
    struct history_reading r;
    struct history_event event;
    int series; /* which event.series is the id of */
};

static const struct view_change *change_at(const struct history_view *v, int position)
{
    const struct view_change *best = NULL;
    int nearest = 0;
    for (int i = 0; i < v->n_changes; i++) {
        const struct view_change *c = &v->changes[i];
        const int distance = abs(v->points[c->at].position - position);
        if (position >= c->from && position <= c->to && (!best || distance < nearest)) {
            best = c;
            nearest = distance;
        }
    }
    return best;
}

/* A slip in the commit would be noticed late. */
static enum tare_status look_at_change(struct noting *n, int series, struct tare_err *err)
{
    const enum history_event_kind kind = n->event.kind;
    const struct view_options options = {.margin = HISTORY_MARGIN};
    struct history_view v = {.n = 0};
    const int position = n->r.line ? history_position(n->r.line, n->event.revision) : -1;
    if (position < 0 || kind == HISTORY_NOTE || kind == HISTORY_RESET)
        return TARE_OK;
    enum tare_status status = history_view_make(&v, n->r.h, series, n->r.line, &options, n->r.cli->arena, err);
    const struct view_change *c = change_at(&v, position);
    if (c) {
        /* What is said of a change holds for one of this size: if it grows later, that is news. With more results its place is better known, and may then leave
         * the revision that was named. */
        n->event.before = c->from > 0 ? n->r.line->commits[c->from - 1].hash : NULL;
        n->event.last = n->r.line->commits[c->to].hash;
        n->event.shift = c->difference ? c->ratio : log(c->ratio);
        n->event.low = c->difference ? c->low : log(c->low);
        n->event.high = c->difference ? c->high : log(c->high);
        n->event.difference = c->difference;
    }
    if (!status && !c && !n->r.o->display.quiet)
        cli_note(n->r.cli, "note", "no change of this series is known at that commit; tare history show lists them");
    return status;
}

static enum tare_status find_change(struct noting *n, struct tare_err *err)
{
    const char *const *words = n->r.cli->operands.items;
    const bool all = !strcmp(words[0], "all");
    enum tare_status status = all ? TARE_OK : history_find(&n->r, words[0], &n->series, err);
    if (!status)
        status = history_place_commit(&n->r.place, words[1], &n->event.revision, err);
    if (!status && !all)
        n->event.series = history_series_at(n->r.h, n->series)->id;
    if (!status && !all)
        status = look_at_change(n, n->series, err);
    return status || !n->r.line ? status : history_patch(n->r.line, n->event.revision, &n->event.patch, err);
}

static enum exit_code say_noted(const struct noting *n, const char *id)
{
    struct buf b = BUF_INIT(1 << 16);
    if (n->event.revision) {
        if (n->event.series)
            history_put_name(&b, history_series_at(n->r.h, n->series), 0, true);
        else
            buf_str(&b, "all series");
        buf_str(&b, " at ");
        history_put_brief(&b, n->event.revision);
        buf_str(&b, ": ");
    }
    buf_format(&b, "%s by ", history_event_name(n->event.kind));
    quote_mask(&b, n->event.who, true);
    if (n->r.o->alias) {
        buf_str(&b, ": ");
        quote_mask(&b, n->r.o->from, true);
        buf_str(&b, " is called ");
        quote_mask(&b, n->r.o->to, true);
        buf_str(&b, " now");
    }
    if (n->r.o->display.verbose)
        buf_format(&b, " (%s/%s.jsonl)", n->r.place.folder, id);
    buf_char(&b, '\n');
    if (n->r.o->display.quiet)
        buf_clear(&b);
    return screen_text(n->r.cli, &n->r.o->display, &b);
}

static enum tare_status note_event(void *context, enum exit_code *code, struct tare_err *err)
{
    struct noting *n = context;
    const struct history_options *o = n->r.o;
    char id[HISTORY_ID_BYTES];
    n->event = (struct history_event){.kind = o->alias      ? HISTORY_ALIAS
                                              : o->accepted ? HISTORY_ACCEPTED
                                              : o->wrong    ? HISTORY_FALSE
                                              : o->fixed    ? HISTORY_FIXED
                                              : o->reset    ? HISTORY_RESET
                                                            : HISTORY_NOTE,
                                      .note = o->note,
                                      .from = o->from,
                                      .to = o->to,
                                      .shift = NAN,
                                      .low = NAN,
                                      .high = NAN,
                                      .at_utc_ns = history_time_of_event(&n->r)};
    n->event.who = n->r.o->who;
    if (!n->r.o->who && n->r.place.repository)
        git_text(&n->r.place.git, &n->event.who, NULL, "config", "--get", "user.name", (char *)NULL);
    enum tare_status status =
        n->event.who && *n->event.who ? TARE_OK : err_set(err, TARE_INVALID, "git has no user.name; give --who NAME");
    if (!status && !o->alias)
        status = find_change(n, err);
    n->event.project = history_event_project(&n->r, n->event.series);
    if (!status)
        status = history_place_make(&n->r.place, err);
    if (!status)
        status = history_add_event(n->r.place.folder, &n->event, id, err);
    if (!status)
        *code = say_noted(n, id);
    return status;
}

int cmd_history_note(struct cli *cli, const void *options)
{
    struct noting n = {.series = 0};
    return history_command(&n.r, cli, options, note_event, &n);
}
