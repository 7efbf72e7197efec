/* SPDX-License-Identifier: MIT */
#include "comparable.h"
#include "estimates.h"
#include "scan_fit.h"
#include "scan_lines.h"
#include "verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const contrast_names[SCAN_CONTRASTS] = {
    [SCAN_SLOPE] = "slope",
    [SCAN_SLOPE_SMALLEST] = "slope_smallest",
    [SCAN_SLOPE_LARGEST] = "slope_largest",
    [SCAN_SLOPE_CHANGE] = "slope_change",
    [SCAN_MIDDLE] = "line_middle",
};

struct fitting {
    struct record *r;
    const struct scan_line *line;
    struct arena *arena; /* until the lines are done */
    int first, k;        /* of the line's values: those above 0 */
    int n;               /* rounds */
    const double *y;     /* logarithms, y[j * n + i] */
    double *w;
    double *d;                /* of one function, by round */
    void *scratch;            /* of Hodges and Lehmann's estimate */
    double level;             /* 0: no interval */
    const char *method, *why; /* why there is no interval */
    double *hidden;           /* of each value's logarithm, by the steps in which the program prints; NULL: none is */
};

static enum tare_status add_fit_estimate(struct fitting *f, int subject, const char *name, struct estimate e)
{
    e.subject = subject;
    e.metric = f->r->rule.metric;
    e.statistic = scan_statistic(f->arena, name, f->line->parameter);
    e.method = f->method;
    return e.statistic && record_add_estimate(f->r, &e) >= 0 ? TARE_OK : TARE_NO_MEMORY;
}

static enum tare_status add_reason(struct fitting *f, const char *reason)
{
    struct estimate e = estimate_point(0, NULL, NULL, NULL, NAN, f->n);
    e.reason = reason;
    return add_fit_estimate(f, f->line->subjects[0], "slope", e);
}

static const struct series *series_of(const struct fitting *f, int j)
{
    return &f->r->series[f->line->subjects[f->first + j]];
}

static struct values values_of(const struct fitting *f, int j)
{
    const struct series *s = series_of(f, j);
    return (struct values){series_values(s, f->r->rule.metric), s->main.n};
}

/* Half a step of each value at its least. */
static enum tare_status find_hidden(struct fitting *f)
{
    const struct metric *metric = record_metric(f->r, f->r->rule.metric);
    const struct values first = values_of(f, 0);
    double step = INFINITY;
    if (!(f->hidden = arena_array(f->arena, (size_t)f->k, sizeof *f->hidden)))
        return TARE_NO_MEMORY;
    for (int j = 0; j < f->k; j++) {
        const struct values values = values_of(f, j);
        const double known = printed_step(series_of(f, 0), series_of(f, j), metric);
        const struct printed printed = printed_values(metric, false, known, &first, &values);
        step = printed.step > 0 ? fmin(step, printed.step) : step;
        f->hidden[j] = printed.other;
    }
    for (int j = 0; j < f->k; j++)
        f->hidden[j] = isfinite(step) && isfinite(f->hidden[j]) ? -log1p(-fmin(step / 2 / f->hidden[j], 1)) : 0;
    return TARE_OK;
}

/* An interval that is narrower than what all values together may hide is opened by that. */
static void open_hidden(const struct fitting *f, const double *w, struct tare_interval *i)
{
    double hidden = 0;
    for (int j = 0; f->hidden && j < f->k; j++)
        hidden += w[j] != 0 ? fabs(w[j]) * f->hidden[j] : 0;
    if (!(i->high - i->low < 2 * hidden))
        return;
    i->low -= hidden;
    i->high += hidden;
}

/* What the logarithms of a function become where the reader expects a size. */
enum scale { AS_IT_IS, AS_SIZE, AS_CHANGE };

static double on_scale(enum scale scale, double value)
{
    return scale == AS_SIZE ? exp(value) : scale == AS_CHANGE && isfinite(value) ? expm1(value) : value;
}

static enum tare_status add_function(struct fitting *f, int subject, const char *name, const double *w, double level,
                                     enum scale scale)
{
    struct tare_interval i;
    double effective;
    if (scan_interval(f->y, f->k, f->n, w, level > 0 ? level : 0.05, f->d, f->scratch, &effective, &i))
        return TARE_OK; /* an overflow: nothing can be said */
    const bool few = !(level > 0) || !isfinite(i.high - i.low);
    open_hidden(f, w, &i);
    const bool open = few || !isfinite(i.high - i.low);
    return add_fit_estimate(f, subject, name,
                            (struct estimate){.point = on_scale(scale, i.point),
                                              .low = open ? -INFINITY : on_scale(scale, i.low),
                                              .high = open ? INFINITY : on_scale(scale, i.high),
                                              .confidence = level > 0 ? f->r->rule.confidence : 0,
                                              .level = level,
                                              .n = f->n,
                                              .n_effective = effective,
                                              .reason = !open    ? NULL
                                                        : f->why ? f->why
                                                        : few    ? "too few rounds for an interval at this level"
                                                                 : "a value may be 0 within its step"});
}

static int best_class(struct fitting *f, const double *misfit, int from)
{
    struct tare_interval i;
    int best = from;
    double least = INFINITY;
    for (int c = from; c < SCAN_CLASSES; c++)
        if (!scan_interval_over(misfit + c * f->n, f->n, 0.05, f->scratch, NULL, &i) && i.point < least) {
            least = i.point;
            best = c;
        }
    return best;
}

/* Over the rounds, of f->d. `exact`: it is 0, as it is the difference from itself. */
static enum tare_status add_of_class(struct fitting *f, int subject, const char *name, double level, bool exact)
{
    struct tare_interval i = {0};
    double effective = NAN;
    if (!exact && scan_interval_over(f->d, f->n, level > 0 ? level : 0.05, f->scratch, &effective, &i))
        return TARE_OK;
    const bool open = !exact && (!(level > 0) || !isfinite(i.high - i.low));
    return add_fit_estimate(f, subject, name,
                            (struct estimate){.point = i.point,
                                              .low = open ? -INFINITY : i.low,
                                              .high = open ? INFINITY : i.high,
                                              .confidence = level > 0 ? f->r->rule.confidence : 0,
                                              .level = level,
                                              .n = f->n,
                                              .n_effective = effective});
}

/* The best class has 0 exactly; another is told from it where its interval lies above 0. */
static enum tare_status add_class(struct fitting *f, const double *misfit, int class, int best)
{
    const double level = f->level / (SCAN_CLASSES - 1);
    for (int k = 0; k < f->n; k++)
        f->d[k] = misfit[class * f->n + k] - misfit[best * f->n + k];
    const enum tare_status status = add_of_class(f, f->line->subjects[0], scan_class_names[class].excess, level, class == best);
    scan_class_constants(f->line->values + f->first, f->y, f->k, f->n, (enum scan_class) class, f->d);
    return status ? status : add_of_class(f, f->line->subjects[0], scan_class_names[class].constant, level, false);
}

/* How far each value is off the best class. */
static enum tare_status add_off(struct fitting *f, int class, double *off)
{
    enum tare_status status = TARE_OK;
    scan_class_off(f->line->values + f->first, f->y, f->k, f->n, (enum scan_class) class, off);
    for (int j = 0; j < f->k && !status; j++) {
        memcpy(f->d, off + (ptrdiff_t)j * f->n, (size_t)f->n * sizeof *f->d);
        status = add_of_class(f, f->line->subjects[f->first + j], "off_class", f->level / f->k, false);
    }
    return status;
}

/* A proven slope excludes the constant, whose misfits need more rounds to be told apart; no class falls. */
static enum tare_status add_classes(struct fitting *f)
{
    const struct subject *s = &f->r->subjects[f->line->subjects[0]];
    const struct estimate *slope = scan_estimate(f->r, f->line, 0, contrast_names[SCAN_SLOPE]);
    if (!s->complexity || f->line->distinct < SCAN_CLASSES_LEAST || (slope && slope->high < 0))
        return TARE_OK;
    const int from = slope && slope->low > 0 ? SCAN_1 + 1 : SCAN_1;
    double *misfit = malloc(((size_t)SCAN_CLASSES + (size_t)f->k) * (size_t)f->n * sizeof *misfit);
    if (!misfit)
        return TARE_NO_MEMORY;
    scan_misfits(f->line->values + f->first, f->y, f->k, f->n, misfit);
    const int best = best_class(f, misfit, from);
    enum tare_status status = add_off(f, best, misfit + SCAN_CLASSES * (ptrdiff_t)f->n);
    for (int c = from; c < SCAN_CLASSES && !status; c++)
        status = add_class(f, misfit, c, best);
    free(misfit);
    return status;
}

static const char *too_few_values(struct fitting *f)
{
    struct buf b = BUF_INIT(256);
    buf_format(&b, "3 different values above 0 are needed, and there %s %d", f->line->distinct == 1 ? "is" : "are",
               f->line->distinct);
    return keep_reason(&f->r->arena, &b);
}

/* The rounds' logarithms into y (room for n of each value); returns how many rounds have all of them, -1: `why`. A missing value of
 * an own metric costs its round, as far as that is allowed there. */
static int take_rounds(struct fitting *f, double *y, int n, const char **why)
{
    const struct metric *metric = record_metric(f->r, f->r->rule.metric);
    int kept = 0;
    *why = NULL;
    for (int i = 0; i < n && !*why; i++) {
        bool whole = true;
        for (int j = 0; j < f->k; j++) {
            double t = series_values(&f->r->series[f->line->subjects[f->first + j]], metric->id)[i];
            whole &= !isnan(t);
            if (t <= 0)
                *why = "a value of 0 or below has no logarithm";
            y[j * n + kept] = log(t);
        }
        kept += whole;
    }
    if (!*why && n - kept > (metric->kind == METRIC_OWN ? OWN_NULL_SHARE * n : 0))
        *why = "the metric was not measurable in at least one run";
    return *why ? -1 : kept;
}

static bool some_failed(const struct fitting *f, int n)
{
    const struct series *all = f->r->series;
    for (int j = 1; j < f->k; j++)
        if (outcomes_differ(&all[f->line->subjects[f->first]], &all[f->line->subjects[f->first + j]], n))
            return true;
    return false;
}

static bool all_have_metric(const struct fitting *f)
{
    for (int j = 0; j < f->line->n; j++)
        if (!series_values(&f->r->series[f->line->subjects[j]], f->r->rule.metric))
            return false;
    return record_metric(f->r, f->r->rule.metric) != NULL;
}

struct room { /* of one line */
    double *y, *w, *d;
    void *scratch;
};

static struct room make_room(int k, int n)
{
    return (struct room){.y = calloc((size_t)k * (size_t)n + 1, sizeof(double)),
                         .w = calloc((size_t)k * (SCAN_CONTRASTS + 1), sizeof(double)),
                         .d = calloc((size_t)n + 1, sizeof(double)),
                         .scratch = malloc(tare_hl_scratch_bytes(n) + 64)};
}

static void free_room(struct room *m)
{
    free(m->y);
    free(m->w);
    free(m->d);
    free(m->scratch);
}

static enum tare_status fit(struct fitting *f, struct room *room, int n, const char *why)
{
    f->y = room->y;
    f->w = room->w;
    f->d = room->d;
    f->scratch = room->scratch;
    if (!why && !scan_weights(f->line->values + f->first, f->k, f->w))
        why = "the values lie too close together";
    if (why)
        return add_reason(f, why);
    f->n = n;
    enum tare_status status = TARE_OK;
    const double *x = f->line->values + f->first;
    double *w = f->w + SCAN_CONTRASTS * f->k;
    for (int c = 0; c < SCAN_CONTRASTS && !status; c++)
        status = add_function(f, f->line->subjects[0], contrast_names[c], f->w + c * f->k, f->level,
                              c == SCAN_MIDDLE ? AS_SIZE : AS_IT_IS);
    for (int j = 0; j < f->k && !status; j++) {
        scan_distance_weights(x, f->k, j, f->w, w);
        status = add_function(f, f->line->subjects[f->first + j], "off_line", w, f->level / f->k, AS_CHANGE);
    }
    return status ? status : add_classes(f);
}

static bool begin_fitting(struct fitting *f)
{
    f->first = f->line->positive;
    f->k = f->line->n - f->first;
    return f->line->distinct >= 3;
}

static enum tare_status fit_rounds(struct fitting *f, int n)
{
    const char *why;
    f->n = n;
    if (!begin_fitting(f))
        return add_reason(f, too_few_values(f));
    if (n < 1 || !all_have_metric(f))
        return add_reason(f, n < 1 ? "no complete round" : "the metric was not measured");
    struct room room = make_room(f->k, n);
    enum tare_status status = TARE_NO_MEMORY;
    if (room.y && room.w && room.d && room.scratch) {
        int kept = take_rounds(f, room.y, n, &why);
        if (!why && some_failed(f, n))
            why = "one command failed where another did not";
        for (int j = 1; !why && j < f->k && kept < n; j++) /* rows of n become rows of those that were kept */
            memmove(room.y + (ptrdiff_t)j * kept, room.y + (ptrdiff_t)j * n, (size_t)kept * sizeof *room.y);
        status = why ? TARE_OK : find_hidden(f);
        status = status ? status : fit(f, &room, kept, why);
    }
    free_room(&room);
    return status;
}

/* in[subject]: it belongs to the group. */
static bool in_group(const struct scan_line *line, const bool *in)
{
    for (int i = 0; i < line->n; i++)
        if (!in[line->subjects[i]])
            return false;
    return true;
}

/* A slope is one question, and the rule's levels are for all comparisons together: the level for one over the same looks. */
static double level_for_one(const struct record *r, const struct look *look)
{
    if (!look->number)
        return 0;
    bool planned = look->number <= r->rule.n_looks && look->level == r->rule.look_level[look->number - 1];
    return planned ? level_at_look(&r->rule, look->number, 1 - r->rule.confidence) : look->level;
}

/* Those that leave early have no later rounds; a family has the rounds, and the look, of the one that left first. */
static struct look look_of_line(const struct record *r, const struct scan_line *line, const struct look *look)
{
    struct look least = *look;
    for (int i = 0; i < line->n; i++) {
        const struct look its = look_of_subject(r, line->subjects[i], look);
        least = its.rounds < least.rounds ? its : least;
    }
    return least;
}

static enum tare_status fit_line(struct record *r, struct arena *arena, const struct scan_line *line, const struct look *look,
                                 int rounds)
{
    const struct look its = look_of_line(r, line, look);
    struct fitting f = {.r = r,
                        .line = line,
                        .arena = arena,
                        .level = level_for_one(r, &its),
                        .method = "Hodges-Lehmann over rounds",
                        .why = its.number ? NULL : "no interim analysis was made"};
    int n = its.number ? its.rounds : rounds;
    for (int i = 0; i < line->n; i++)
        n = r->series[line->subjects[i]].main.n < n ? r->series[line->subjects[i]].main.n : n;
    return fit_rounds(&f, n);
}

typedef int lines_fn(const struct record *r, struct arena *a, const struct scan_line **out);
static lines_fn *const all_lines[] = {scan_lines, scan_families};
enum { LINES = sizeof all_lines / sizeof *all_lines };

enum tare_status scan_group(struct record *r, const int *subjects, int n_subjects, const struct look *look)
{
    struct arena arena = {0};
    const int rounds = record_rounds(r, subjects, n_subjects);
    bool *in = arena_array(&arena, (size_t)r->n_subjects, sizeof *in);
    enum tare_status status = in ? TARE_OK : TARE_NO_MEMORY;
    for (int i = 0; in && i < n_subjects; i++)
        in[subjects[i]] = true;
    for (int k = 0; k < LINES && !status; k++) {
        const struct scan_line *lines;
        const int n = all_lines[k](r, &arena, &lines);
        status = n < 0 ? TARE_NO_MEMORY : TARE_OK;
        for (int i = 0; i < n && !status; i++)
            if (in_group(&lines[i], in))
                status = fit_line(r, &arena, &lines[i], look, rounds);
    }
    arena_finish(&arena);
    return status;
}

static enum tare_status fit_points(struct fitting *f, const char *statistic)
{
    const char *why = NULL;
    if (!begin_fitting(f))
        return add_reason(f, too_few_values(f));
    struct room room = make_room(f->k, 1);
    enum tare_status status = TARE_NO_MEMORY;
    if (room.y && room.w && room.d && room.scratch) {
        for (int j = 0; j < f->k; j++) {
            const struct estimate *e = record_estimate(f->r, f->line->subjects[f->first + j], f->r->rule.metric, statistic);
            if (!e || !(e->point > 0))
                why = "not all commands have a figure above 0";
            room.y[j] = e ? log(e->point) : NAN;
        }
        status = fit(f, &room, 1, why);
    }
    free_room(&room);
    return status;
}

enum tare_status scan_side_by_side(struct record *r, const char *statistic, const char *why)
{
    struct arena arena = {0};
    enum tare_status status = TARE_OK;
    const char *method = strcmp(statistic, "mean") ? "least squares of the medians" : "least squares of the means";
    for (int k = 0; k < LINES && !status; k++) {
        const struct scan_line *lines;
        const int n = all_lines[k](r, &arena, &lines);
        status = n < 0 ? TARE_NO_MEMORY : TARE_OK;
        for (int i = 0; i < n && !status; i++) {
            struct fitting f = {.r = r, .line = &lines[i], .arena = &arena, .method = method, .why = why};
            status = fit_points(&f, statistic);
        }
    }
    arena_finish(&arena);
    return status;
}
