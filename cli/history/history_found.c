/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "history_share.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* On the logarithmic scale, above 0 where it is worse; of a difference relative to the level before. */
static double found_change_size(const struct found_change *f)
{
    const struct view_change *c = &f->change;
    double size = !c->difference ? fabs(log(c->ratio)) : c->before != 0 ? fabs(c->ratio / c->before) : fabs(c->ratio);
    return c->worse ? size : -size;
}

bool found_undecided(const struct found_change *f)
{
    const struct history_event *said = f->change.said;
    return f->change.state == CHANGE_NOMINATED && said && said->kind == HISTORY_REFUTED;
}

static int compare_changes(const void *a, const void *b)
{
    const struct found_change *x = a, *y = b;
    if (change_open(&x->change) != change_open(&y->change))
        return change_open(&y->change) - change_open(&x->change);
    double s = found_change_size(x), t = found_change_size(y);
    if (s != t)
        return (s < t) - (s > t);
    return strcmp(x->series->id, y->series->id);
}

struct looking {
    struct history_reading *r;
    struct view_options o;
    int *series; /* that are wanted */
};

struct head {
    int course;
    bool noisy;
};

/* Changes as large as this cannot be seen, and there is a remedy. Where a time is 0, as one printed in few digits, the noise is not relative. */
static bool is_noisy(const struct history_view *v, const struct history_series *s)
{
    static const double MUCH = 0.1;
    return v->course != STATS_COURSE_SHORT && s->metric.kind == METRIC_TIME && !s->anchor && !v->difference && v->noise > MUCH;
}

/* For history_share: the head, then the changes. */
static enum tare_status make(void *context, int item, struct buf *out, struct tare_err *err)
{
    const struct looking *x = context;
    struct history_reading *r = x->r;
    struct arena arena = {0};
    struct history_view v;
    enum tare_status status = history_view_make(&v, r->h, x->series[item], r->line, &x->o, &arena, err);
    const struct head head = {.course = v.course == STATS_COURSE_STEPS && !v.n_changes ? STATS_COURSE_FLAT : (int)v.course,
                              .noisy = !status && is_noisy(&v, history_series_at(r->h, v.series))};
    buf_add(out, &head, sizeof head);
    for (int i = 0; !status && i < v.n_changes; i++) {
        const struct found_change c = {history_series_at(r->h, v.series), v.changes[i], v.points[v.changes[i].last].last};
        buf_add(out, &c, sizeof c);
    }
    arena_finish(&arena);
    return status;
}

static enum tare_status take(void *context, int item, const char *bytes, size_t n, struct tare_err *err)
{
    struct history_reading *r = ((const struct looking *)context)->r;
    struct head head;
    (void)item;
    memcpy(&head, bytes, sizeof head);
    r->of_course[head.course]++;
    r->n_noisy += head.noisy;
    for (size_t at = sizeof head; at < n; at += sizeof(struct found_change)) {
        struct found_change *grown = array_grown(r->changes, r->n_changes, &r->room, sizeof *grown);
        if (!grown)
            return err_set(err, TARE_NO_MEMORY, "no memory for %d changes", r->n_changes);
        r->changes = grown;
        memcpy(&grown[r->n_changes++], bytes + at, sizeof *grown);
    }
    return TARE_OK;
}

enum tare_status history_find_changes(struct history_reading *r, int series, struct tare_err *err)
{
    const int all = history_n_series(r->h);
    struct looking x = {.r = r, .o = {.margin = r->o->margin, .places = r->places}};
    struct history_share share = {.r = r, .make = make, .take = take, .context = &x};
    enum tare_status status = history_since(r, &x.o.since, err);
    r->n_changes = r->n_noisy = 0;
    memset(r->of_course, 0, sizeof r->of_course);
    x.series = arena_array(r->place.arena, (size_t)all + 1, sizeof *x.series);
    if (!status && !x.series)
        status = err_set(err, TARE_NO_MEMORY, "no memory for %d series", all);
    for (int i = 0; !status && i < all; i++)
        if ((series < 0 || series == i) && history_wanted(history_series_at(r->h, i), r->o))
            x.series[share.n++] = i;
    if (!status)
        status = history_share(&share, err);
    if (!status && r->n_changes)
        qsort(r->changes, (size_t)r->n_changes, sizeof *r->changes, compare_changes);
    return status;
}

/* It was built when it was measured: what failed later was the machine. */
static bool measured(const struct history *h, const char *revision)
{
    for (int i = 0; i < history_n_sessions(h); i++)
        if (!history_session_at(h, i)->dirty && !strcmp(history_session_at(h, i)->revision, revision))
            return true;
    return false;
}

bool history_unbuildable(const struct history *h, const struct history_series *s, const char *words, const char *revision)
{
    for (int i = 0; i < history_n_events(h); i++) {
        const struct history_event *e = history_event_at(h, i);
        if (e->kind == HISTORY_UNBUILDABLE && same_text(e->revision, revision) &&
            (!e->series || (s && !strcmp(e->series, s->id))) && (e->note ? same_text(e->note, words) : !measured(h, revision)))
            return true;
    }
    return false;
}
