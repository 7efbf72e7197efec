/* SPDX-License-Identifier: MIT */
#include "history_found.h"
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
    history_close(f->r.h);
    f->r.h = NULL;
    return history_open(&f->r.h, f->r.place.folder, err);
}

/* ---- changes ---- */

double found_change_size(const struct found_change *f)
{
    const struct view_change *c = &f->change;
    double size = !f->difference ? fabs(log(c->ratio)) : c->before != 0 ? fabs(c->ratio / c->before) : fabs(c->ratio);
    return c->worse ? size : -size;
}

bool found_undecided(const struct found_change *f)
{
    const struct history_event *said = f->change.said;
    return f->change.state == CHANGE_NOMINATED && said && said->kind == HISTORY_REFUTED;
}

static bool open_question(const struct found_change *f)
{
    return f->change.state == CHANGE_NOMINATED || f->change.state == CHANGE_CONFIRMED;
}

static int compare_changes(const void *a, const void *b)
{
    const struct found_change *x = a, *y = b;
    if (open_question(x) != open_question(y))
        return open_question(y) - open_question(x);
    double s = found_change_size(x), t = found_change_size(y);
    if (s != t)
        return (s < t) - (s > t);
    return strcmp(x->series->id, y->series->id);
}

static const char *commit_at(const struct history_line *line, int position)
{
    return position >= 0 && position < line->n ? line->commits[position].hash : "";
}

static enum tare_status add(struct history_found *f, const struct history_view *v, const struct view_change *c,
                            struct tare_err *err)
{
    struct found_change *grown = array_grown(f->changes, f->n_changes, &f->room, sizeof *grown);
    if (!grown)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d changes", f->n_changes);
    f->changes = grown;
    const struct view_point *last = &v->points[c->last];
    grown[f->n_changes++] = (struct found_change){.series = history_series_at(f->r.h, v->series),
                                                  .change = *c,
                                                  .difference = v->difference,
                                                  .session = last->last,
                                                  .before = f->r.line ? commit_at(f->r.line, c->from - 1)
                                                                      : v->points[c->first - (c->first > 0)].revision,
                                                  .after = f->r.line ? commit_at(f->r.line, c->to) : last->revision};
    return TARE_OK;
}

static enum tare_status look_at(struct history_found *f, int series, const struct view_options *o, struct tare_err *err)
{
    struct arena arena = {0};
    struct history_view v;
    enum tare_status status = history_view_make(&v, f->r.h, series, f->r.line, o, &arena, err);
    for (int i = 0; !status && i < v.n_changes; i++)
        status = add(f, &v, &v.changes[i], err);
    if (!status)
        f->of_kind[v.kind == VIEW_STEPS && !v.n_changes ? VIEW_FLAT : v.kind]++;
    arena_finish(&arena);
    return status;
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
    struct view_options o = {.margin = w->margin};
    enum tare_status status = history_since(&f->r, w->since, &o.since, err);
    f->n_changes = 0;
    memset(f->of_kind, 0, sizeof f->of_kind);
    for (int i = 0; !status && i < history_n_series(f->r.h); i++)
        if (wanted(w, history_series_at(f->r.h, i), i))
            status = look_at(f, i, &o, err);
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
