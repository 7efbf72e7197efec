/* SPDX-License-Identifier: MIT */
#include "history_words.h"
#include "layout.h"
#include "quote.h"
#include "utc.h"
#include <math.h>
#include <string.h>

enum { ANCHOR_HASH = 16 };

struct unit history_unit(const struct history_series *s, double value)
{
    return s->anchor ? (struct unit){"×", 1} : unit_for(s->metric.unit, value);
}

const char *history_unit_id(const struct history_series *s)
{
    return s->anchor ? "1" : s->metric.unit;
}

static void put_value(struct buf *b, const struct history_series *s, double value, struct unit u, int decimals)
{
    if (!s->anchor) {
        figure_with(b, value, u, decimals);
        return;
    }
    figure_put(b, value, decimals);
    buf_str(b, u.name);
}

void history_put_value(struct buf *b, const struct history_series *s, double value, double low, double high)
{
    const struct unit u = history_unit(s, value);
    put_value(b, s, value, u, interval_decimals(value / u.factor, low / u.factor, high / u.factor));
}

void history_put_value_to(struct buf *b, const struct history_series *s, const struct view_point *p, double step)
{
    const struct unit u = history_unit(s, p->value);
    const int decimals = interval_decimals(p->value / u.factor, p->low / u.factor, p->high / u.factor),
              apart = (int)fmin(fmax(rint(-log10(step / u.factor)), 0), 12);
    const bool open = !isfinite(p->low) || !isfinite(p->high);
    put_value(b, s, p->value, u, open && apart > decimals ? apart : decimals);
}

void history_put_interval(struct buf *b, const struct history_series *s, const struct view_point *p)
{
    const struct unit u = history_unit(s, p->value);
    const int decimals = interval_decimals(p->value / u.factor, p->low / u.factor, p->high / u.factor);
    if (isfinite(p->low) && isfinite(p->high))
        figure_range(b, p->low, p->high, u, decimals);
}

void history_put_time(struct buf *b, int64_t utc_ns, int digits)
{
    struct buf text = BUF_INIT(64);
    utc_text(&text, utc_ns);
    buf_format(b, "%.*s", digits, buf_text(&text));
    buf_finish(&text);
}

static bool ends_with_hash(const char *text, size_t n)
{
    return n > ANCHOR_HASH && text[n - ANCHOR_HASH - 1] == ' ' &&
           strspn(text + n - ANCHOR_HASH, "0123456789abcdef") == ANCHOR_HASH;
}

/* Its name, without the hashes of its program and script behind it. */
void history_put_anchor(struct buf *b, const char *anchor, int columns, bool unicode)
{
    size_t n = strlen(anchor);
    for (int i = 0; i < 2 && ends_with_hash(anchor, n); i++)
        n -= ANCHOR_HASH + 1;
    struct buf name = BUF_INIT(1 << 20);
    buf_add(&name, anchor, n);
    quote_cut(b, buf_text(&name), columns, unicode);
    buf_finish(&name);
}

void history_put_metric(struct buf *b, const struct history_series *s, int columns, bool unicode)
{
    const char *title = s->metric.title && *s->metric.title ? s->metric.title : s->metric.id;
    quote_cut(b, title, columns, unicode);
    if (!s->anchor)
        return;
    buf_str(b, " / ");
    history_put_anchor(b, s->anchor, columns, unicode);
}

void history_put_name(struct buf *b, const struct history_series *s, int columns, bool unicode)
{
    struct buf name = BUF_INIT(1 << 20);
    buf_format(&name, "%s%s%s", s->benchmark, *s->arguments ? " " : "", s->arguments);
    quote_cut(b, buf_text(&name), columns, unicode);
    buf_finish(&name);
}

void history_put_brief(struct buf *b, const char *hash)
{
    if (hash[strspn(hash, "0123456789abcdef")])
        quote_cut(b, hash, 2 * HISTORY_BRIEF, true);
    else
        buf_format(b, "%.*s", HISTORY_BRIEF, hash);
}

void history_put_commit(struct buf *b, const struct history_commit *c, int columns, bool unicode)
{
    history_put_brief(b, c->hash);
    buf_char(b, ' ');
    quote_cut(b, c->subject, columns, unicode);
}

void history_put_effect(struct buf *b, const struct history_series *s, const struct view_change *c)
{
    if (c->difference)
        figure_difference(b, history_unit_id(s), c->ratio, c->low, c->high);
    else
        figure_ratio(b, log(c->ratio), log(c->low), log(c->high),
                     s->metric.kind == METRIC_TIME ? words_of_times : words_of_others);
}

void history_put_measured(struct buf *b, const struct history_series *s, const struct history_event *e)
{
    if (e->kind != HISTORY_REFUTED || isnan(e->shift))
        return;
    buf_str(b, ": ");
    if (e->difference)
        figure_difference(b, history_unit_id(s), e->shift, e->low, e->high);
    else
        figure_ratio(b, e->shift, e->low, e->high, NULL);
}

void history_put_range(struct buf *b, const char *prior, const char *until, int n)
{
    if (n > 1 && *prior) {
        history_put_brief(b, prior);
        buf_str(b, "..");
    }
    history_put_brief(b, *until ? until : "?");
    if (n > 1)
        buf_format(b, " (%d)", n);
}

void history_put_commits(struct buf *b, const struct view_change *c)
{
    history_put_range(b, c->prior, c->until, c->commits);
}

const char *history_state(enum change_state state)
{
    static const char *const states[] = {
        [CHANGE_NOMINATED] = "nominated", [CHANGE_CONFIRMED] = "confirmed", [CHANGE_REFUTED] = "refuted",
        [CHANGE_ACCEPTED] = "accepted",   [CHANGE_FALSE] = "false",         [CHANGE_FIXED] = "fixed"};
    return states[state];
}

void history_put_state(struct buf *b, const struct view_change *c)
{
    buf_format(b, "%s%s", history_state(c->state), c->maybe_drift && c->state == CHANGE_NOMINATED ? ", may be a drift" : "");
}

void history_put_course(struct buf *b, const struct history_view *v)
{
    if (v->course == STATS_COURSE_SHORT) {
        buf_str(b, v->start ? "too few since the reset" : "too few commits");
    } else if (history_may_drift(v)) {
        buf_str(b, v->course == STATS_COURSE_EITHER ? "step or drift of " : "drift of ");
        if (v->difference)
            figure_signed(b, v->drift_ratio, figure_digits(v->drift_ratio, FIGURE_DIGITS));
        else
            figure_ratio(b, log(v->drift_ratio), NAN, NAN, NULL);
    } else {
        buf_str(b, "no change found");
    }
}
