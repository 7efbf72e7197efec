/* SPDX-License-Identifier: MIT */
#include "chart.h"
#include "arena.h"
#include <math.h>
#include <stdarg.h>

double *chart_column(struct chart_maker *m, int n)
{
    double *values = arena_array(m->arena, (size_t)n + 1, sizeof *values);
    m->failed = m->failed || !values;
    return values;
}

struct chart *chart_add(struct chart_maker *m, const char *id, const char *title, const char *says)
{
    struct chart *c = &m->out[m->n++];
    *c = (struct chart){.id = id, .title = title, .says = says, .shaded = {NAN, NAN, NULL}, .bars.furthest = NAN};
    return c;
}

const char *chart_text(struct chart_maker *m, const char *format, ...)
{
    char room[1024];
    struct buf b = buf_over(room, sizeof room);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    const char *kept = arena_strdup(m->arena, buf_text(&b));
    m->failed = m->failed || !kept;
    return kept ? kept : "";
}

/* Whether an interval is narrow enough to choose the scale with: at most 8 times as wide as half of the others are. One that is far
 * wider (of the 99.9 % quantile) would flatten all others; it ends at the edge. */
static bool ordinary(const struct chart_line *line, int i)
{
    int wide = 0, n = 0;
    for (int j = 0; j < line->n; j++) {
        n += isfinite(line->high[j] - line->low[j]);
        wide += isfinite(line->high[j] - line->low[j]) && 8 * (line->high[j] - line->low[j]) >= line->high[i] - line->low[i];
    }
    return 2 * wide >= n;
}

static bool has_range(const struct chart_line *line)
{
    return line->low && line->high;
}

/* Its interval says too little to choose the scale with. */
static bool is_vague(const struct chart_line *line, int i)
{
    return line->shape == CHART_POINTS && has_range(line) && !ordinary(line, i);
}

static void widen_by_line(const struct chart *c, const struct chart_line *line, struct extent *x, struct extent *y)
{
    for (int i = 0; i < line->n; i++) {
        if (c->logarithmic_x && !(line->x[i] > 0))
            continue;
        extent_widen(x, line->x[i]);
        if (c->settles && i < line->n / 2)
            continue;
        const bool vague = is_vague(line, i);
        if (vague && c->cuts_vague)
            continue;
        extent_widen(y, line->y[i]);
        if (has_range(line) && !vague) {
            extent_widen(y, line->low[i]);
            extent_widen(y, line->high[i]);
        }
    }
}

/* Vague points that lie near the others; one far from them ends at the edge, as its interval does. */
static void widen_by_vague(const struct chart_line *line, struct extent *y)
{
    const double room = y->high > y->low ? 2 * (y->high - y->low) : INFINITY, low = y->low - room, high = y->high + room;
    for (int i = 0; i < line->n; i++)
        if (is_vague(line, i) && line->y[i] >= low && line->y[i] <= high)
            extent_widen(y, line->y[i]);
}

static bool usable(const struct extent *e)
{
    return e->low <= e->high && isfinite(e->high - e->low);
}

/* A part of it on both sides, so that no line runs along the frame, and the first and the last mark are whole. */
static void add_room(struct extent *e, double part, bool logarithmic)
{
    double factor = logarithmic ? pow(e->high / e->low, part) : 1, room = logarithmic ? 0 : (e->high - e->low) * part;
    if (!isfinite(e->high * factor + room) || !isfinite(e->low - room) || !(e->low / factor > 0 || !logarithmic))
        return;
    e->low = e->low / factor - room;
    e->high = e->high * factor + room;
}

static bool has_points(const struct chart *c)
{
    for (int i = 0; i < c->n_lines; i++)
        if (c->lines[i].shape == CHART_POINTS)
            return true;
    return false;
}

static int64_t chart_most(const struct chart_bars *bars)
{
    int64_t most = 1;
    for (int row = 0; row < 2; row++)
        for (int i = 0; i <= bars->n; i++) {
            /* Bars of bin i in 0 .. n; n is the bin beyond. */
            int64_t count = !bars->count[row] ? 0 : i < bars->n ? bars->count[row][i] : bars->beyond[row];
            most = count > most ? count : most;
        }
    return most;
}

bool chart_axes(const struct chart *c, struct axis *x, struct axis *y)
{
    struct extent across = AXIS_NO_EXTENT, up = across;
    if (c->bars.n > 0) {
        *x = axis_over(c->bars.edge[0], c->bars.edge[c->bars.n], false);
        *y = axis_over(0, (double)chart_most(&c->bars), false);
        y->whole = true;
        return isfinite(x->high - x->low);
    }
    for (int i = 0; i < c->n_lines; i++)
        widen_by_line(c, &c->lines[i], &across, &up);
    for (int i = 0; i < c->n_lines && c->cuts_vague && usable(&up); i++)
        widen_by_vague(&c->lines[i], &up);
    if (!usable(&across) || !usable(&up) || (c->logarithmic_x && !isfinite(across.high / across.low)))
        return false;
    for (int i = 0; i < c->n_rules; i++)
        extent_widen(&up, c->rules[i].at);
    if (!isnan(c->shaded.low)) {
        extent_widen(&up, c->shaded.low);
        extent_widen(&up, c->shaded.high);
    }
    const bool logarithmic_y = c->logarithmic_y && up.low > 0;
    const double first = across.low;
    add_room(&up, 0.05, logarithmic_y);
    if (has_points(c))
        add_room(&across, 0.025, c->logarithmic_x);
    *x = axis_over(across.low, across.high, c->logarithmic_x);
    x->whole = c->whole_x;
    x->first = first;
    x->at = c->x_at;
    x->n_at = c->n_x_at;
    *y = axis_over(up.low, up.high, logarithmic_y);
    return usable(&up);
}

bool chart_is_drawn(const struct chart *c)
{
    return c->n_lines || c->bars.n || c->cells.n;
}

double chart_fullness(const struct chart_cells *cells, int i)
{
    double part = cells->value[i] / cells->full;
    return isnan(part) ? NAN : part < 0 ? 0 : part > 1 ? 1 : part;
}
