/* SPDX-License-Identifier: MIT */
#include "history_found.h"
#include "history_share.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum tare_status history_found_open(struct history_found *f, const char *dir, struct arena *a, struct tare_err *err)
{
    *f = (struct history_found){.changes = NULL};
    return history_reading_open(&f->r, dir, a, err);
}

void history_found_close(struct history_found *f)
{
    free(f->changes);
    history_reading_close(&f->r);
    *f = (struct history_found){.changes = NULL};
}

enum tare_status history_found_again(struct history_found *f, struct tare_err *err)
{
    return history_reading_again(&f->r, err);
}

/* ---- changes ---- */

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

static const char *commit_at(const struct history_line *line, int position)
{
    return position >= 0 && position < line->n ? line->commits[position].hash : "";
}

static struct found_change found(const struct history_found *f, const struct history_view *v, const struct view_change *c)
{
    const struct view_point *last = &v->points[c->last];
    return (struct found_change){.series = history_series_at(f->r.h, v->series),
                                 .change = *c,
                                 .session = last->last,
                                 .before = f->r.line ? commit_at(f->r.line, c->from - 1)
                                                     : v->points[c->first - (c->first > 0)].revision,
                                 .after = f->r.line ? commit_at(f->r.line, c->to) : last->revision};
}

/* ---- of all series ---- */

struct found_work {
    struct history_found *f;
    struct view_options o;
    int *series; /* that are wanted */
};

/* For history_share: the kind, then the changes. */
static enum tare_status make(void *context, int item, struct buf *out, struct tare_err *err)
{
    const struct found_work *x = context;
    struct history_reading *r = &x->f->r;
    struct arena arena = {0};
    struct history_view v;
    enum tare_status status = history_view_make(&v, r->h, x->series[item], r->line, &x->o, &arena, err);
    const int kind = v.kind == VIEW_STEPS && !v.n_changes ? VIEW_FLAT : (int)v.kind;
    buf_add(out, &kind, sizeof kind);
    for (int i = 0; !status && i < v.n_changes; i++) {
        const struct found_change c = found(x->f, &v, &v.changes[i]);
        buf_add(out, &c, sizeof c);
    }
    arena_finish(&arena);
    return status;
}

static enum tare_status take(void *context, int item, const char *bytes, size_t n, struct tare_err *err)
{
    struct history_found *f = ((const struct found_work *)context)->f;
    int kind;
    (void)item;
    memcpy(&kind, bytes, sizeof kind);
    f->of_kind[kind]++;
    for (size_t at = sizeof kind; at < n; at += sizeof(struct found_change)) {
        struct found_change *grown = array_grown(f->changes, f->n_changes, &f->room, sizeof *grown);
        if (!grown)
            return err_set(err, TARE_NO_MEMORY, "no memory for %d changes", f->n_changes);
        f->changes = grown;
        memcpy(&grown[f->n_changes++], bytes + at, sizeof *grown);
    }
    return TARE_OK;
}

static bool wanted(const struct wanted_changes *w, const struct history_series *s, int i)
{
    bool metric = !w->metrics || !w->metrics->n;
    for (int k = 0; !metric && k < w->metrics->n; k++)
        metric = !strcmp(w->metrics->items[k], s->metric.id);
    return metric && (w->series < 0 || w->series == i) && history_wanted(s, w->class, NULL);
}

enum tare_status history_found_changes(struct history_found *f, const struct wanted_changes *w, struct tare_err *err)
{
    const int all = history_n_series(f->r.h);
    struct found_work x = {.f = f, .o = {.margin = w->margin, .places = f->r.places}};
    struct history_share share = {.r = &f->r, .make = make, .take = take, .context = &x};
    enum tare_status status = history_since(&f->r, w->since, &x.o.since, err);
    f->n_changes = 0;
    memset(f->of_kind, 0, sizeof f->of_kind);
    x.series = malloc(((size_t)all + 1) * sizeof *x.series);
    if (!status && !x.series)
        status = err_set(err, TARE_NO_MEMORY, "no memory for %d series", all);
    for (int i = 0; !status && i < all; i++)
        if (wanted(w, history_series_at(f->r.h, i), i))
            x.series[share.n++] = i;
    if (!status)
        status = history_share(&share, err);
    free(x.series);
    if (!status && f->n_changes)
        qsort(f->changes, (size_t)f->n_changes, sizeof *f->changes, compare_changes);
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

bool history_unbuildable(const struct history *h, const struct history_series *s, const char *revision)
{
    for (int i = 0; i < history_n_events(h); i++) {
        const struct history_event *e = history_event_at(h, i);
        if (e->kind == HISTORY_UNBUILDABLE && same_text(e->revision, revision) &&
            (!e->series || (s && !strcmp(e->series, s->id))))
            return !measured(h, revision);
    }
    return false;
}
