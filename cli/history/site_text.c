/* SPDX-License-Identifier: MIT */
#include "html.h"
#include "site.h"
#include "svg_parts.h"
#include "utc.h"
#include <math.h>
#include <string.h>

enum { SHORT_HASH = 7, URL_MOST = 2000, NAME_MOST = 300 };

void site_int(struct buf *b, long value)
{
    char digits[24], *at = digits + sizeof digits;
    unsigned long left = value < 0 ? 0UL - (unsigned long)value : (unsigned long)value;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    buf_add(b, at, (size_t)(digits + sizeof digits - at));
}

/* ---- what a series is ---- */

static bool stands(const struct view_change *c)
{
    return c->state == CHANGE_CONFIRMED || c->state == CHANGE_NOMINATED;
}

static enum site_state state_of(const struct view_change *c)
{
    if (!stands(c))
        return SITE_SETTLED;
    return c->state == CHANGE_NOMINATED ? SITE_NOMINATED : c->worse ? SITE_WORSE : SITE_BETTER;
}

const struct view_change *site_change(const struct history_view *v)
{
    const struct view_change *found = NULL;
    for (int i = 0; i < v->n_changes; i++)
        if (!found || state_of(&v->changes[i]) <= state_of(found))
            found = &v->changes[i];
    return found;
}

enum site_state site_state(const struct history_view *v)
{
    const struct view_change *c = site_change(v);
    if (c && state_of(c) != SITE_SETTLED)
        return state_of(c);
    return v->kind == VIEW_DRIFT ? SITE_DRIFT : c ? SITE_SETTLED : v->kind == VIEW_TOO_SHORT ? SITE_SHORT : SITE_FLAT;
}

const char *site_change_name(enum change_state s)
{
    static const char *const names[] = {[CHANGE_NOMINATED] = "nominated", [CHANGE_CONFIRMED] = "confirmed",
                                        [CHANGE_REFUTED] = "refuted",     [CHANGE_ACCEPTED] = "accepted",
                                        [CHANGE_FALSE] = "false",         [CHANGE_FIXED] = "fixed"};
    return names[s];
}

const char *site_change_class(const struct view_change *c)
{
    return c->state == CHANGE_NOMINATED ? "nominated" : c->state != CHANGE_CONFIRMED ? "settled" : c->worse ? "worse" : "better";
}

/* ---- figures ---- */

bool site_is_ratio(const struct site_series *x)
{
    return x->s->anchor && *x->s->anchor;
}

double site_level(const struct site_series *x)
{
    const struct history_view *v = x->v;
    if (v->n_changes)
        return v->changes[v->n_changes - 1].after;
    return v->n ? v->points[v->n - 1].value : NAN;
}

struct unit site_unit(const struct site_series *x)
{
    return site_is_ratio(x) ? unit_one : unit_for(x->s->metric.unit, site_level(x));
}

void site_metric(struct buf *b, const struct site_series *x)
{
    const struct metric *m = &x->s->metric;
    html_attribute(b, m->title && *m->title ? m->title : m->id, NAME_MOST);
    if (site_is_ratio(x)) {
        buf_str(b, ", relative to ");
        html_attribute(b, x->s->anchor, NAME_MOST);
    }
}

void site_effect(struct buf *b, const struct site_series *x, const struct view_change *c)
{
    static const char *const of_times[] = {"faster", "slower"}, *const of_others[] = {"less", "more"};
    const struct metric *m = &x->s->metric;
    if (m->kind == METRIC_COUNT && !site_is_ratio(x))
        figure_difference(b, m->unit, c->ratio, c->low, c->high);
    else
        figure_ratio(b, log(c->ratio), log(c->low), log(c->high), m->kind == METRIC_TIME ? of_times : of_others);
}

/* ---- commits ---- */

void site_date(struct buf *b, int64_t time_s)
{
    struct buf text = BUF_INIT(64);
    if (time_s > -9e9 && time_s < 9e9) /* what nanoseconds since 1970 can say */
        utc_text(&text, time_s * 1000000000);
    buf_format(b, "%.10s", buf_text(&text));
    buf_finish(&text);
}

static void put_url(struct buf *b, const char *template, const char *hash)
{
    const char *place = strstr(template, "{rev}");
    struct buf url = BUF_INIT(1 << 16);
    buf_add(&url, template, place ? (size_t)(place - template) : strlen(template));
    if (place)
        buf_format(&url, "%s%s", hash, place + strlen("{rev}"));
    html_attribute(b, buf_text(&url), URL_MOST);
    buf_finish(&url);
}

void site_commit(struct buf *b, const struct site *site, int position, bool link)
{
    const struct history_commit *c = &site->line->commits[position];
    link = link && site->commit_url;
    if (link) {
        buf_str(b, "<a href=\"");
        put_url(b, site->commit_url, c->hash);
        buf_str(b, "\">");
    }
    svg_text(b, c->hash, SHORT_HASH);
    if (strlen(c->hash) > SHORT_HASH) /* svg_text says that there is more, which everybody knows of a commit */
        b->len -= strlen("\xe2\x80\xa6");
    buf_str(b, link ? "</a>" : "");
}

void site_where(struct buf *b, const struct site *site, const struct history_view *v, const struct view_change *c, bool links)
{
    const int to = v->points[c->last].position, from = c->first ? v->points[c->first - 1].position : to;
    const char *of = site->by_time ? "measurement" : "commit";
    if (to - from <= 1) {
        buf_str(b, "in ");
        site_commit(b, site, to, links);
        return;
    }
    buf_str(b, "between ");
    site_commit(b, site, from, links);
    buf_str(b, " and ");
    site_commit(b, site, to, links);
    buf_format(b, " (%d %ss)", to - from, of);
}

/* ---- sentences ---- */

static void count_changes(struct buf *b, const struct history_view *v)
{
    int n[CHANGE_FIXED + 1] = {0};
    for (int i = 0; i < v->n_changes; i++)
        n[v->changes[i].state]++;
    buf_format(b, "%d change%s in %d commits", v->n_changes, buf_plural(v->n_changes), v->n);
    const char *before = ": ";
    for (int s = 0; s <= CHANGE_FIXED; s++)
        if (n[s]) {
            buf_format(b, "%s%d %s", before, n[s], site_change_name((enum change_state)s));
            before = ", ";
        }
}

static void say_kind(struct buf *b, const struct site_series *x)
{
    const struct history_view *v = x->v;
    if (v->kind == VIEW_TOO_SHORT) {
        buf_format(b, "too short: %d commit%s", v->n, buf_plural(v->n));
    } else if (v->kind == VIEW_DRIFT) {
        buf_str(b, "drift: ");
        figure_ratio(b, log1p(v->drift_ratio), NAN, NAN, NULL);
        buf_format(b, " over %d commits, without a step", v->n);
    } else if (v->n_changes) {
        count_changes(b, v);
    } else {
        buf_format(b, "flat: no change in %d commit%s", v->n, buf_plural(v->n));
    }
}

void site_sentence(struct buf *b, const struct site_series *x)
{
    const struct history_view *v = x->v;
    say_kind(b, x);
    if (isfinite(v->noise)) {
        buf_str(b, "; results of one level vary by ");
        figure_share(b, v->noise);
    }
    if (v->off_line)
        buf_format(b, "; %d result%s of other branches or changed working trees left out", v->off_line, buf_plural(v->off_line));
}
