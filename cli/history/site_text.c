/* SPDX-License-Identifier: MIT */
#include "history_words.h"
#include "html.h"
#include "json_write.h"
#include "quote.h"
#include "sha2.h"
#include "site.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { SHORT_HASH = 7, URL_MOST = 2000, NAME_MOST = 300, UNIT_MOST = 30, SUBJECT_COLUMNS = 80 };

void site_put(struct buf *b, const char *format, ...)
{
    va_list texts;
    va_start(texts, format);
    for (; *format; format++)
        if (*format == '%')
            html_attribute(b, va_arg(texts, const char *), NAME_MOST);
        else
            buf_char(b, *format);
    va_end(texts);
}

const struct site_state_text site_states[N_SITE_STATES] = {
    [SITE_WORSE] = {"worse", "confirmed worse"},
    [SITE_NOMINATED] = {"nominated", "with a nominated change"},
    [SITE_DRIFT] = {"drift", "with drift"},
    [SITE_BETTER] = {"better", "confirmed better"},
    [SITE_SETTLED] = {"settled", "with changes that were judged"},
    [SITE_FLAT] = {"flat", "flat"},
    [SITE_SHORT] = {"short", "too short"},
};

static enum site_state state_of(const struct view_change *c)
{
    if (!change_open(c))
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
    return history_may_drift(v) ? SITE_DRIFT : c ? SITE_SETTLED : v->course == STATS_COURSE_SHORT ? SITE_SHORT : SITE_FLAT;
}

const char *site_change_class(const struct view_change *c)
{
    return site_states[state_of(c)].class;
}

enum tare_status site_series_make(struct site_series *x, const struct history_series *s, const struct history_view *v,
                                  struct arena *a)
{
    struct buf unit = BUF_INIT(1 << 16);
    *x = (struct site_series){.s = s, .v = v, .escaped = *s};
    html_attribute(&unit, s->metric.unit, UNIT_MOST);
    x->escaped.metric.unit = arena_keep(a, &unit);
    return x->escaped.metric.unit ? TARE_OK : TARE_NO_MEMORY;
}

void site_metric(struct buf *b, const struct site_series *x)
{
    const struct metric *m = &x->s->metric;
    html_attribute(b, m->title && *m->title ? m->title : m->id, NAME_MOST);
    if (!x->s->anchor)
        return;
    struct buf anchor = BUF_INIT(1 << 16);
    history_put_anchor(&anchor, x->s->anchor, 0, true);
    site_put(b, ", relative to %", buf_text(&anchor));
    buf_finish(&anchor);
}

void site_effect(struct buf *b, const struct site_series *x, const struct view_change *c)
{
    history_put_effect(b, &x->escaped, c);
}

#define UNKNOWN "unknown" /* what a session without a revision was of */

void site_date(struct buf *b, int64_t time_s)
{
    if (time_s > -9e9 && time_s < 9e9) /* what nanoseconds since 1970 can say */
        history_put_time(b, time_s * 1000000000, strlen("2026-01-31"));
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

const char *site_hash(const struct site *site, const struct history_view *v, int position)
{
    const char *hash = site->line ? site->line->commits[position].hash : v->points[position].revision;
    return *hash ? hash : UNKNOWN;
}

int64_t site_time_s(const struct site *site, const struct history_view *v, int position)
{
    if (site->line)
        return site->line->commits[position].time_s;
    return site->session_s ? site->session_s[v->points[position].last] : 0;
}

void site_commit(struct buf *b, const struct site *site, const struct history_view *v, int position, bool link)
{
    const char *hash = site_hash(site, v, position);
    link = link && site->commit_url && strcmp(hash, UNKNOWN);
    if (link) {
        buf_str(b, "<a href=\"");
        put_url(b, site->commit_url, hash);
        buf_str(b, "\">");
    }
    struct buf first = BUF_INIT(64);
    buf_format(&first, "%.7s", hash); /* of a hash, which is ASCII; what is none is escaped as it comes */
    html_attribute(b, buf_text(&first), SHORT_HASH);
    buf_finish(&first);
    buf_str(b, link ? "</a>" : "");
}

static void count_changes(struct buf *b, const struct history_view *v)
{
    int n[CHANGE_FIXED + 1] = {0};
    for (int i = 0; i < v->n_changes; i++)
        n[v->changes[i].state]++;
    buf_format(b, "%d change%s in %d commits", v->n_changes, buf_plural(v->n_changes), v->n);
    const char *before = ": ";
    for (int s = 0; s <= CHANGE_FIXED; s++)
        if (n[s]) {
            buf_format(b, "%s%d %s", before, n[s], history_state((enum change_state)s));
            before = ", ";
        }
}

void site_brief(struct buf *b, const struct site_series *x)
{
    const struct history_view *v = x->v;
    if (v->course == STATS_COURSE_SHORT) {
        buf_format(b, "Too short: %d commit%s%s", v->n - v->start, buf_plural(v->n - v->start),
                   v->start ? " since the reset" : "");
    } else if (history_may_drift(v)) {
        buf_str(b, v->course == STATS_COURSE_EITHER ? "Step or drift: " : "Drift: ");
        if (v->difference)
            figure_difference(b, history_unit_id(&x->escaped), v->drift_ratio, NAN, NAN);
        else
            figure_ratio(b, log(v->drift_ratio), NAN, NAN, NULL);
        buf_format(b, " over %d commits%s", v->n, v->course == STATS_COURSE_EITHER ? "" : ", without a step");
    } else if (v->n_changes) {
        count_changes(b, v);
    } else {
        buf_format(b, "No change found in %d commit%s", v->n, buf_plural(v->n));
    }
}

void site_sentence(struct buf *b, const struct site_series *x)
{
    const struct history_view *v = x->v;
    site_brief(b, x);
    if (isfinite(v->noise) && v->n > 1) {
        buf_str(b, v->course == STATS_COURSE_DRIFT ? "; results vary by " : "; results of one level vary by ");
        if (v->difference)
            figure_scaled(b, history_unit_id(&x->escaped), v->noise, FIGURE_DIGITS);
        else
            figure_share(b, v->noise);
    }
    if (v->off_line)
        buf_format(b, "; %d result%s of other branches or changed working trees left out", v->off_line, buf_plural(v->off_line));
}

void site_name(char name[SITE_NAME_BYTES], const struct history_series *s)
{
    const char *const parts[] = {s->project, s->benchmark, s->arguments};
    struct sha256 hash = sha256_begin();
    char text[SHA256_TEXT];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sha256_add(&hash, parts[i], strlen(parts[i]) + 1);
    sha256_text(&hash, text);
    memcpy(name, text, SITE_NAME_BYTES - 1);
    name[SITE_NAME_BYTES - 1] = 0;
}

/* In a script of its own, but what ends a script is escaped all the same. */
static void put_script_text(struct buf *b, const char *text)
{
    struct buf masked = BUF_INIT(1 << 16), quoted = BUF_INIT(1 << 17);
    quote_cut(&masked, text, SUBJECT_COLUMNS, true);
    struct json_write j = json_into(&quoted, 0);
    json_string(&j, NULL, buf_text(&masked));
    for (const char *c = buf_text(&quoted); *c; c++)
        if (*c == '<')
            buf_str(b, "\\u003c");
        else
            buf_char(b, *c);
    buf_finish(&masked);
    buf_finish(&quoted);
}

void site_commits(struct buf *b, const struct site *site, const bool *shown)
{
    const char *before = "";
    buf_str(b, "window.tareCommits={");
    for (int i = 0; site->line && i < site->line->n; i++) {
        if (!shown[i])
            continue;
        buf_format(b, "%s\n%d:[\"%.7s\",\"", before, i, site->line->commits[i].hash);
        site_date(b, site->line->commits[i].time_s);
        buf_str(b, "\",");
        put_script_text(b, site->line->commits[i].subject);
        buf_char(b, ']');
        before = ",";
    }
    buf_str(b, "};\n");
}
