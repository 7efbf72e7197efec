/* SPDX-License-Identifier: MIT */
#include "history_view.h"
#include "same_text.h"
#include "verdict.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { WINDOW = 100, LEAST_BETWEEN = 3 /* points between changes, at least */ };

struct making {
    struct history_view *v;
    struct history *h;
    const struct history_series *series;
    const struct history_line *line; /* NULL: none */
    const struct view_options *o;
    struct arena *arena;
    struct tare_err *err;
    double tick;       /* that the values are rounded to, relative; 0: none */
    const int *places; /* of the sessions */
    double *x;         /* the values of the points, for the detector; room for as many behind them */
};

struct placed {
    int position;
    const struct history_point *point; /* of an array by time, and there session by session */
};

static int compare_rows(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->position != y->position ? (x->position > y->position) - (x->position < y->position)
                                      : (x->point > y->point) - (x->point < y->point);
}

static double value_of(const struct making *m, const struct history_point *p)
{
    return m->series->anchor ? p->ratio : p->median;
}

/* One session in two files, as when a branch with it is merged into one where it was pruned. Equal results in one file are several. */
static bool same_session(const struct making *m, const struct placed *x, const struct placed *y)
{
    const struct history_point *p = x->point, *q = y->point;
    return x->position == y->position && p->session != q->session && p->median == q->median && p->n == q->n &&
           history_session_at(m->h, p->session)->measured_utc_ns == history_session_at(m->h, q->session)->measured_utc_ns;
}

static int drop_copies(const struct making *m, struct placed *rows, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!kept || !same_session(m, &rows[kept - 1], &rows[i]))
            rows[kept++] = rows[i];
    return kept;
}

static void sort_rows(struct placed *rows, int n)
{
    for (int i = 1; i < n; i++)
        if (compare_rows(&rows[i - 1], &rows[i]) > 0) { /* most are in order: commits are measured one after the other */
            qsort(rows, (size_t)n, sizeof *rows, compare_rows);
            return;
        }
}

static int fill_rows(const struct making *m, const struct history_points *points, struct placed *rows)
{
    int n = 0;
    for (int i = 0; i < points->n; i++) {
        const struct history_point *p = &points->items[i];
        if (!isfinite(value_of(m, p)))
            continue;
        const int position = m->places[p->session];
        if (position < 0)
            m->v->off_line++;
        else
            rows[n++] = (struct placed){position, p};
    }
    sort_rows(rows, n);
    return drop_copies(m, rows, n);
}

static double median_in_place(double *x, int n)
{
    if (n < 2)
        return n ? *x : NAN;
    tare_sort(x, n);
    return tare_quantile_sorted(x, n, 0.5);
}

/* Its value, or the lower or upper end of the interval. */
static double end_of(const struct making *m, const struct history_point *p, int end)
{
    const bool anchored = m->series->anchor;
    if (!end)
        return value_of(m, p);
    return end < 0 ? (anchored ? p->ratio_low : p->low) : anchored ? p->ratio_high : p->high;
}

/* Of the rows' sessions; those without one are left out. A session that has several results, as of two programs with a benchmark of one name, counts
 * once, with their median: they share what the session shares, so their number says nothing about how far sessions differ. */
static double middle_of_rows(const struct making *m, const struct placed *rows, int n, int end)
{
    double *within = m->x + n;
    int sessions = 0;
    for (int from = 0, to; from < n; from = to) {
        int kept = 0;
        for (to = from; to < n && rows[to].point->session == rows[from].point->session; to++) {
            within[kept] = end_of(m, rows[to].point, end);
            kept += !isnan(within[kept]);
        }
        if (kept)
            m->x[sessions++] = median_in_place(within, kept);
    }
    return median_in_place(m->x, sessions);
}

static void merge_rows(const struct making *m, const struct placed *rows, int n)
{
    struct view_point *p = &m->v->points[m->v->n++];
    *p = (struct view_point){.position = m->line ? rows->position : m->v->n - 1,
                             .revision = history_session_at(m->h, rows->point->session)->revision,
                             .value = middle_of_rows(m, rows, n, 0),
                             .low = middle_of_rows(m, rows, n, -1),
                             .high = middle_of_rows(m, rows, n, 1),
                             .last = rows[n - 1].point->session};
    for (int i = 0; i < n; i++) {
        p->sessions += !i || rows[i].point->session != rows[i - 1].point->session;
        p->n += rows[i].point->n < INT_MAX - p->n ? rows[i].point->n : INT_MAX - p->n;
    }
}

/* In which the oldest and the newest results were printed, as far as their files say; NaN: they do not. */
static double recorded_step(const struct making *m, const struct placed *rows, int n)
{
    double largest = 0;
    for (int i = 0; i < n && m->series->metric.definition; i += n > 1 ? n - 1 : 1) {
        double *values, step;
        int unused;
        struct tare_err not_said;
        if (!history_values(m->h, rows[i].point, &values, &unused, &step, &not_said))
            largest = fmax(largest, step);
        free(values);
    }
    return largest > 0 ? largest : NAN;
}

/* What a program that prints its times in few digits rounds them to, as a share of the least; 0: of no such program. The median of an even number of
 * runs may lie between two ticks. */
static double tick_of(const struct making *m, const struct placed *rows, int n)
{
    for (int i = 0; i < n; i++)
        m->x[i] = 2 * rows[i].point->median;
    const struct values twice = {m->x, n};
    const struct printed p = printed_values(&m->series->metric, false, recorded_step(m, rows, n), &twice, &twice);
    return isfinite(p.step) && p.step > 0 ? 2 * p.step / p.one : 0;
}

static enum tare_status make_points(struct making *m)
{
    struct history_points points;
    enum tare_status status = history_points(m->h, m->v->series, &points, m->err);
    if (status)
        return status;
    size_t room = (size_t)points.n + 1;
    struct placed *rows = arena_array(m->arena, room, sizeof *rows);
    m->v->points = arena_array(m->arena, room, sizeof *m->v->points);
    m->x = arena_array(m->arena, 2 * room, sizeof *m->x);
    if (!rows || !m->v->points || !m->x)
        return err_no_memory(m->err);
    m->places = m->o->places ? m->o->places : history_places(m->h, m->line, m->arena);
    if (!m->places)
        return err_no_memory(m->err);
    int n = fill_rows(m, &points, rows);
    m->tick = tick_of(m, rows, n);
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && rows[to].position == rows[from].position; to++)
            ;
        merge_rows(m, rows + from, to - from);
    }
    history_forget_points(m->h, m->v->series);
    for (int i = 0; i < m->v->n; i++)
        m->x[i] = m->v->points[i].value;
    return TARE_OK;
}

static bool is_about(const struct making *m, const struct history_event *e)
{
    return e->kind != HISTORY_ALIAS && e->revision && (!e->series || !strcmp(e->series, m->series->id)) &&
           (!e->project || !strcmp(e->project, m->series->project));
}

static int position_of(const struct making *m, const char *revision)
{
    if (!revision)
        return -1;
    if (m->line)
        return history_position(m->line, revision);
    for (int i = 0; i < m->v->n; i++)
        if (!strcmp(m->v->points[i].revision, revision))
            return m->v->points[i].position;
    return -1;
}

/* The commit among [from, to] that is the event's after a rebase; -1: none. */
static enum tare_status find_patch(const struct making *m, const char *patch, int from, int to, int *found)
{
    *found = -1;
    if (!m->line || !m->line->git || !patch || !*patch)
        return TARE_OK;
    enum tare_status status = history_patches(m->line, from, to, m->err);
    for (int i = from; !status && i <= to; i++)
        if (m->line->patches[i] && !strcmp(m->line->patches[i], patch))
            *found = i;
    return status;
}

/* After a rebase, around the commit that was the last one when the event was noted. */
static enum tare_status find_later(const struct making *m, const struct history_event *e, int *found)
{
    *found = -1;
    if (!m->line || !m->line->n)
        return TARE_OK;
    int at = m->line->n - 1;
    while (at > 0 && m->line->commits[at].time_s > e->at_utc_ns / 1000000000)
        at--;
    int from = at < WINDOW ? 0 : at - WINDOW + 1;
    int to = at + WINDOW >= m->line->n ? m->line->n - 1 : at + WINDOW;
    return find_patch(m, e->patch, from, to, found);
}

static enum tare_status find_reset(const struct making *m, const struct history_event *e, int *found)
{
    *found = position_of(m, e->revision);
    return *found < 0 ? find_later(m, e, found) : TARE_OK;
}

static int point_from(const struct history_view *v, int position)
{
    int i = 0;
    while (i < v->n && v->points[i].position < position)
        i++;
    return i;
}

static double ratio_of(const struct making *m, double shift)
{
    return m->v->difference ? shift : exp(shift);
}

static bool is_worse(const struct making *m, double shift)
{
    enum metric_direction d = m->series->metric.direction;
    return (d == METRIC_LOWER && shift > 0) || (d == METRIC_HIGHER && shift < 0);
}

/* Commits that only add results have made no change. */
static void pass_results(const struct making *m, int *from, int *to)
{
    while (m->line && *from < *to && history_only_results(m->line, *from))
        ++*from;
    while (m->line && *from < *to && history_only_results(m->line, *to))
        --*to;
}

/* The points since the last reset. */
static enum tare_status detect_changes(struct making *m, int start, int end, struct stats_change *room, void *scratch)
{
    struct stats_changes found;
    enum tare_status status =
        stats_changes(m->x + start, end - start, m->o->margin, m->tick, scratch, room, m->v->n / LEAST_BETWEEN + 1, &found);
    if (status)
        return err_set(m->err, status, "%.200s: its changes cannot be looked for", m->series->benchmark);
    m->v->course = found.n ? STATS_COURSE_STEPS : found.course;
    m->v->drift_ratio = found.n ? NAN : ratio_of(m, found.drift);
    m->v->noise = found.sigma;
    for (ptrdiff_t i = 0; i < found.n && i < m->v->n / LEAST_BETWEEN + 1; i++) {
        struct history_view *v = m->v;
        int first = start + (int)room[i].first > start ? start + (int)room[i].first : start + 1, last = start + (int)room[i].last;
        struct view_change *added = &v->changes[v->n_changes++];
        *added = (struct view_change){.at = start + (int)room[i].at,
                                      .first = first,
                                      .last = last,
                                      .from = v->points[first - 1].position + 1,
                                      .to = v->points[last].position,
                                      .before = room[i].before,
                                      .after = room[i].after,
                                      .ratio = ratio_of(m, room[i].shift),
                                      .low = ratio_of(m, room[i].low),
                                      .high = ratio_of(m, room[i].high),
                                      .difference = m->v->difference,
                                      .worse = is_worse(m, room[i].shift),
                                      .maybe_drift = (found.course == STATS_COURSE_EITHER)};
        pass_results(m, &added->from, &added->to);
    }
    return TARE_OK;
}

/* The first point of the baseline. */
static enum tare_status last_reset(struct making *m)
{
    for (int i = 0; i < history_n_events(m->h); i++) {
        const struct history_event *e = history_event_at(m->h, i);
        int position = -1;
        enum tare_status status = e->kind == HISTORY_RESET && is_about(m, e) ? find_reset(m, e, &position) : TARE_OK;
        if (status)
            return status;
        int point = position < 0 ? 0 : point_from(m->v, position);
        m->v->start = point > m->v->start ? point : m->v->start;
    }
    return TARE_OK;
}

static enum tare_status find_changes(struct making *m)
{
    const int n = m->v->n, most = n / LEAST_BETWEEN + 1;
    struct stats_change *room = arena_array(m->arena, (size_t)most, sizeof *room);
    m->v->changes = arena_array(m->arena, (size_t)(most + history_n_events(m->h)), sizeof *m->v->changes);
    void *scratch = malloc(stats_changes_scratch_bytes(n) + 1);
    enum tare_status status = !room || !m->v->changes || !scratch ? err_no_memory(m->err) : last_reset(m);
    for (int i = m->v->start; i < n; i++)
        m->v->difference |= !(m->x[i] > 0);
    if (!status && m->v->start < n)
        status = detect_changes(m, m->v->start, n, room, scratch);
    free(scratch);
    return status;
}

struct said {
    int from, to; /* positions: the event is about a change here, */
    int near;     /* most likely here */
};

static bool is_triage(enum history_event_kind kind)
{
    return kind == HISTORY_ACCEPTED || kind == HISTORY_FALSE || kind == HISTORY_FIXED;
}

bool history_undecided(const struct history_event *e)
{
    return e->kind == HISTORY_REFUTED &&
           (same_text(e->verdict, verdict_name(VERDICT_UNDECIDED)) || same_text(e->verdict, verdict_name(VERDICT_INVALID)));
}

/* A size that the event names, as the series has them: by ratio or by difference from this level. NaN: it has none there, as that of a difference of
 * values, which were measured without the anchor, in a series of ratios to one. */
static double on_scale(const struct making *m, const struct history_event *e, double size, double before)
{
    if (m->series->anchor && e->difference && !is_triage(e->kind))
        return NAN;
    if (e->difference == m->v->difference)
        return size;
    if (!(before > 0))
        return NAN;
    return e->difference ? log1p(size / before) : before * expm1(size);
}

static double margin_of(const struct making *m, double before)
{
    return m->v->difference ? m->o->margin * fabs(before) : log1p(m->o->margin);
}

/* "same" is with the margin of that time, and settles nothing where that of now is narrower. Counts are compared by difference: hence log(1 - margin). */
static bool is_settled(const struct making *m, const struct view_change *c, const struct history_event *e)
{
    const double most = margin_of(m, c->before), least = m->v->difference ? -most : log1p(-m->o->margin);
    return !same_text(e->verdict, verdict_name(VERDICT_SAME)) ||
           !(on_scale(m, e, e->high, c->before) > most || on_scale(m, e, e->low, c->before) < least);
}

/* A supposed improvement was measured, and it is a worsening: known as well as one that was nominated. */
static bool is_opposite(const struct making *m, const struct view_change *c, const struct history_event *e)
{
    return e->kind == HISTORY_REFUTED && !history_undecided(e) && !same_text(e->verdict, verdict_name(VERDICT_SAME)) &&
           !c->worse && is_worse(m, e->shift);
}

/* What was measured says whether there is a change, and what people say decides whether anyone is told. */
static void judge_change(const struct making *m, struct view_change *c, const struct history_event *e)
{
    static const enum change_state states[] = {[HISTORY_CONFIRMED] = CHANGE_CONFIRMED,
                                               [HISTORY_REFUTED] = CHANGE_REFUTED,
                                               [HISTORY_ACCEPTED] = CHANGE_ACCEPTED,
                                               [HISTORY_FALSE] = CHANGE_FALSE,
                                               [HISTORY_FIXED] = CHANGE_FIXED};
    const bool opposite = is_opposite(m, c, e);
    const enum history_event_kind kind = opposite ? HISTORY_CONFIRMED : e->kind;
    c->said = e;
    c->worse |= opposite;
    if (is_triage(kind) || (kind != HISTORY_NOTE && !history_undecided(e) && c->state <= CHANGE_REFUTED))
        c->state = states[kind];
    if (kind == HISTORY_CONFIRMED && !c->confirmed)
        c->confirmed = e;
    const double shift = on_scale(m, e, e->shift, c->before);
    if (kind == HISTORY_CONFIRMED && isfinite(shift) && !e->reference) { /* against another level it has its direction only */
        c->measured = true;
        c->ratio = ratio_of(m, shift);
        c->low = ratio_of(m, on_scale(m, e, e->low, c->before));
        c->high = ratio_of(m, on_scale(m, e, e->high, c->before));
    }
}

static bool event_fits(const struct making *m, const struct view_change *c, const struct history_event *e, const struct said *s)
{
    if (s->to < c->from || s->from > c->to)
        return false;
    if (e->kind == HISTORY_REFUTED && !history_undecided(e) && (c->from < s->from || c->to > s->to || !is_settled(m, c, e)))
        return false; /* a commit that may have made the change was not measured, or not as closely */
    const bool difference = m->v->difference;
    const double shift = difference ? c->ratio : log(c->ratio), low = difference ? c->low : log(c->low),
                 high = difference ? c->high : log(c->high);
    if ((e->kind != HISTORY_CONFIRMED && !is_triage(e->kind)) || !isfinite(e->shift))
        return true;
    if ((e->shift > 0) != (shift > 0))
        return false;
    const double most = on_scale(m, e, shift > 0 ? e->high : e->low, c->before);
    return !is_triage(e->kind) || (shift > 0 ? !(low > most) : !(high < most)); /* what grew since is another change */
}

/* The change whose most likely commit is nearest. */
static struct view_change *change_of(const struct making *m, const struct history_event *e, const struct said *s)
{
    struct view_change *best = NULL;
    int nearest = 0;
    for (int i = 0; i < m->v->n_changes; i++) {
        struct view_change *c = &m->v->changes[i];
        int distance = abs(m->v->points[c->at].position - s->near);
        if (!event_fits(m, c, e, s) || (best && distance >= nearest))
            continue;
        best = c;
        nearest = distance;
    }
    return best;
}

static enum tare_status find_moved(const struct making *m, const struct history_event *e, struct said *s)
{
    enum tare_status status = TARE_OK;
    int found = -1;
    for (int i = 0; i < m->v->n_changes && found < 0 && !status; i++)
        status = find_patch(m, e->patch, m->v->changes[i].from, m->v->changes[i].to, &found);
    if (!status && found < 0 && e->kind == HISTORY_CONFIRMED)
        status = find_later(m, e, &found);
    *s = (struct said){e->kind == HISTORY_REFUTED && found > 0 ? 0 : found, found,
                       found}; /* which one was before it nothing says any more */
    return status;
}

static double level_of(const struct making *m, int from, int to)
{
    double *x = m->x + m->v->n;
    memcpy(x, m->x + from, (size_t)(to - from) * sizeof *x);
    return median_in_place(x, to - from);
}

/* What was measured stays known where the history alone does not show it, or no longer does. */
static void add_confirmed(const struct making *m, const struct history_event *e, const struct said *s)
{
    struct history_view *v = m->v;
    int first = point_from(v, s->from), last = point_from(v, s->to), place = 0;
    if (e->kind != HISTORY_CONFIRMED || !isfinite(e->shift) || first <= v->start || last >= v->n || v->n_changes >= v->n)
        return;
    while (place < v->n_changes && v->changes[place].at < last)
        place++;
    int from = place ? v->changes[place - 1].at : v->start, to = place < v->n_changes ? v->changes[place].at : v->n;
    if (from >= last || to <= last)
        return;
    const double before = level_of(m, from, last), after = level_of(m, last, to);
    memmove(v->changes + place + 1, v->changes + place, (size_t)(v->n_changes++ - place) * sizeof *v->changes);
    v->changes[place] = (struct view_change){.at = last,
                                             .first = first,
                                             .last = last,
                                             .from = s->from,
                                             .to = s->to,
                                             .before = before,
                                             .after = after,
                                             .ratio = m->v->difference ? after - before : after / before,
                                             .low = NAN,
                                             .high = NAN,
                                             .difference = m->v->difference,
                                             .worse = is_worse(m, e->shift)};
    pass_results(m, &v->changes[place].from, &v->changes[place].to);
    judge_change(m, &v->changes[place], e);
    v->course = STATS_COURSE_STEPS;
}

static enum tare_status apply_event(const struct making *m, const struct history_event *e)
{
    int to = position_of(m, e->revision), before = position_of(m, e->before);
    const int last = position_of(m, e->last);
    struct said s = {before >= 0 && before < to ? before + 1 : to, last > to ? last : to, to};
    enum tare_status status = to < 0 ? find_moved(m, e, &s) : TARE_OK;
    struct view_change *c = status || s.to < 0 ? NULL : change_of(m, e, &s);
    if (!c && !status && s.to >= 0)
        add_confirmed(m, e, &s);
    if (!c)
        return status;
    judge_change(m, c, e);
    if (e->kind == HISTORY_CONFIRMED) {
        /* What was confirmed lies where both say that it does. */
        c->from = s.from > c->from ? s.from : c->from;
        c->to = s.to < c->to ? s.to : c->to;
        pass_results(m, &c->from, &c->to);
        c->first = point_from(m->v, c->from);
        c->last = point_from(m->v, c->to);
        c->at = c->at < c->first ? c->first : c->at > c->last ? c->last : c->at;
    }
    return TARE_OK;
}

static enum tare_status apply_events(struct making *m)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < history_n_events(m->h) && !status; i++) {
        const struct history_event *e = history_event_at(m->h, i);
        const bool wanted = m->v->n_changes || e->kind == HISTORY_CONFIRMED;
        if (wanted && e->kind != HISTORY_RESET && e->kind != HISTORY_UNBUILDABLE && is_about(m, e))
            status = apply_event(m, e);
    }
    return status;
}

/* Whether a confirmed worsening is undone by later confirmed changes: what is left of all of them together may be below the threshold. So an improvement
 * takes back one of two worsenings, not both. */
static bool is_undone(const struct making *m, const struct view_change *c)
{
    const bool difference = m->v->difference;
    const double most = margin_of(m, c->before);
    double left = 0, variance = 0;
    for (const struct view_change *k = c; k < m->v->changes + m->v->n_changes; k++) {
        if (k->state != CHANGE_CONFIRMED)
            continue;
        left += difference ? k->ratio : log(k->ratio);
        const double half = (difference ? k->high - k->low : log(k->high / k->low)) / 2;
        variance += isnan(half) ? 0 : half * half; /* of one that was measured against another level it is not known */
        if (k->worse != c->worse && copysign(1, difference ? c->ratio : log(c->ratio)) * left - sqrt(variance) <= most)
            return true;
    }
    return false;
}

static void settle_undone(const struct making *m)
{
    for (int i = 0; i < m->v->n_changes; i++) {
        struct view_change *c = &m->v->changes[i];
        c->undone = c->state == CHANGE_CONFIRMED && c->worse && is_undone(m, c);
    }
    for (int i = 0; i < m->v->n_changes; i++)
        if (m->v->changes[i].undone)
            m->v->changes[i].state = CHANGE_FIXED;
}

/* What those need that have neither points nor commits. */
static void name_commits(const struct making *m)
{
    const struct view_point *points = m->v->points;
    for (int i = 0; i < m->v->n_changes; i++) {
        struct view_change *c = &m->v->changes[i];
        const struct history_commit *commits = m->line ? m->line->commits : NULL;
        c->commits = commits ? history_candidates(m->line, c->from, c->to) : c->to - c->from + 1;
        c->revision = points[c->at].revision;
        c->subject = commits ? commits[points[c->at].position].subject : "";
        c->until = commits ? commits[c->to].hash : points[c->last].revision;
        c->prior = commits ? (c->from > 0 ? commits[c->from - 1].hash : "") : c->first > 0 ? points[c->first - 1].revision : "";
    }
}

struct session_place {
    const char *revision;
    int session;
};

static int compare_places(const void *a, const void *b)
{
    const struct session_place *x = a, *y = b;
    const int order = strcmp(x->revision, y->revision);
    return order ? order : x->session - y->session;
}

/* Sessions are by time. Those of one revision stand where its first one does; what has none stands alone. */
static bool place_by_time(const struct history *h, int *places, int n)
{
    struct session_place *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (int i = 0; i < n; i++)
        sorted[i] = (struct session_place){history_session_at(h, i)->revision, i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_places);
    for (int i = 0, first = 0; i < n; i++) {
        if (!*sorted[i].revision || strcmp(sorted[i].revision, sorted[first].revision) != 0)
            first = i;
        places[sorted[i].session] = sorted[first].session;
    }
    free(sorted);
    return true;
}

const int *history_places(const struct history *h, const struct history_line *line, struct arena *a)
{
    const int n = history_n_sessions(h);
    int *places = arena_array(a, (size_t)n + 1, sizeof *places);
    if (!places || (!line && !place_by_time(h, places, n)))
        return NULL;
    for (int i = 0; i < n; i++) {
        const struct history_session *s = history_session_at(h, i);
        places[i] = s->dirty ? -1 : line ? history_position(line, s->revision) : places[i];
    }
    return places;
}

enum tare_status history_view_make(struct history_view *v, struct history *h, int series, const struct history_line *line,
                                   const struct view_options *o, struct arena *a, struct tare_err *err)
{
    *v = (struct history_view){.series = series, .drift_ratio = NAN, .noise = NAN};
    struct making m = {.v = v, .h = h, .series = history_series_at(h, series), .line = line, .o = o, .arena = a, .err = err};
    enum tare_status status = make_points(&m);
    if (!status)
        status = find_changes(&m);
    if (!status)
        status = apply_events(&m);
    settle_undone(&m);
    if (!status) {
        int kept = 0;
        for (int i = 0; i < v->n_changes; i++)
            if (v->changes[i].to >= o->since)
                v->changes[kept++] = v->changes[i];
        v->n_changes = kept;
    }
    name_commits(&m);
    return status;
}
