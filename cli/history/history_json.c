/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "history_words.h"
#include "utc.h"

static void put_time(struct json_write *j, const char *key, int64_t utc_ns)
{
    struct buf b = BUF_INIT(64);
    utc_text(&b, utc_ns);
    json_string(j, key, buf_text(&b));
    buf_finish(&b);
}

static void put_point(struct json_write *j, const struct view_point *p)
{
    json_string(j, "revision", p->revision);
    json_number(j, "value", p->value);
    json_number(j, "low", p->low);
    json_number(j, "high", p->high);
    json_integer(j, "sessions", p->sessions);
    json_integer(j, "runs", p->n);
}

void history_json_change(struct json_write *j, const struct view_change *c)
{
    json_string(j, "revision", c->revision);
    json_string(j, "after", *c->prior ? c->prior : NULL);
    json_string(j, "until", c->until);
    json_string(j, "state", history_state(c->state));
    json_bool(j, "maybe_drift", c->maybe_drift);
    json_bool(j, "worse", c->worse);
    json_integer(j, "commits", c->commits);
    json_number(j, "before", c->before);
    json_number(j, "now", c->after);
    json_number(j, c->difference ? "difference" : "ratio", c->ratio);
    json_number(j, "low", c->low);
    json_number(j, "high", c->high);
    json_string(j, "verdict", c->said ? c->said->verdict : NULL);
    json_string(j, "who", c->said ? c->said->who : NULL);
    json_string(j, "note", c->said ? c->said->note : NULL);
}

static void put_series(struct json_write *j, const struct history_series *s)
{
    json_string(j, "id", s->id);
    json_string(j, "project", s->project);
    json_string(j, "benchmark", s->benchmark);
    json_string(j, "arguments", s->arguments);
    json_string(j, "version", s->version);
    json_string(j, "class", s->class);
    json_string(j, "anchor", s->anchor);
    json_string(j, "metric", s->metric.id);
    json_string(j, "unit", history_unit_id(s));
}

void history_json_series(struct json_write *j, const struct history_reading *r, const struct history_view *v, bool points)
{
    static const char *const courses[] = {[STATS_COURSE_SHORT] = "too short",
                                          [STATS_COURSE_FLAT] = "flat",
                                          [STATS_COURSE_STEPS] = "steps",
                                          [STATS_COURSE_DRIFT] = "drift",
                                          [STATS_COURSE_EITHER] = "step or drift"};
    json_object(j, NULL);
    put_series(j, history_series_at(r->h, v->series));
    json_integer(j, "commits", v->n);
    json_integer(j, "off_line", v->off_line);
    json_string(j, "course", courses[v->course]);
    json_number(j, "noise", v->noise);
    json_number(j, "drift", v->drift_ratio);
    json_object(j, "last");
    if (v->n)
        put_point(j, &v->points[points ? v->n - 1 : 0]);
    json_end(j);
    json_array(j, "changes");
    for (int i = 0; i < v->n_changes; i++) {
        json_object(j, NULL);
        history_json_change(j, &v->changes[i]);
        json_end(j);
    }
    json_end(j);
    if (points)
        json_array(j, "points");
    for (int i = 0; points && i < v->n; i++) {
        json_object(j, NULL);
        put_point(j, &v->points[i]);
        json_end(j);
    }
    if (points)
        json_end(j);
    json_end(j);
}

static void put_sessions(struct json_write *j, const struct history *h)
{
    json_array(j, "sessions");
    for (int i = 0; i < history_n_sessions(h); i++) {
        const struct history_session *s = history_session_at(h, i);
        json_object(j, NULL);
        json_string(j, "id", s->id);
        json_string(j, "revision", s->revision);
        json_bool(j, "dirty", s->dirty);
        put_time(j, "time", s->measured_utc_ns);
        json_string(j, "tool", s->tool);
        json_string(j, "class", s->class);
        json_string(j, "machine", s->machine);
        json_string(j, "note", s->note);
        json_end(j);
    }
    json_end(j);
}

static void put_events(struct json_write *j, const struct history *h)
{
    json_array(j, "events");
    for (int i = 0; i < history_n_events(h); i++) {
        const struct history_event *e = history_event_at(h, i);
        json_object(j, NULL);
        json_string(j, "id", e->id);
        json_string(j, "kind", history_event_name(e->kind));
        json_string(j, "series", e->series);
        json_string(j, "revision", e->revision);
        json_string(j, "from", e->from);
        json_string(j, "to", e->to);
        json_string(j, "verdict", e->verdict);
        json_string(j, "reference", e->reference);
        json_number(j, "shift", e->shift);
        json_number(j, "low", e->low);
        json_number(j, "high", e->high);
        json_string(j, "who", e->who);
        json_string(j, "note", e->note);
        put_time(j, "time", e->at_utc_ns);
        json_end(j);
    }
    json_end(j);
}

void history_json_problems(struct json_write *j, const struct history *h)
{
    json_array(j, "problems");
    for (int i = 0; i < history_n_problems(h); i++) {
        const struct history_problem *p = history_problem_at(h, i);
        json_object(j, NULL);
        json_string(j, "path", p->path);
        json_string(j, "text", p->text);
        json_end(j);
    }
    json_end(j);
}

void history_json_rest(struct json_write *j, const struct history *h)
{
    put_sessions(j, h);
    put_events(j, h);
    history_json_problems(j, h);
}
