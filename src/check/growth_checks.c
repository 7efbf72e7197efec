/* SPDX-License-Identifier: MIT
 *
 * Is the power law of a scan true? Bent: the slope's change from end to end is proven and a tenth or more. A step: a value is proven to
 * lie more than 5 % off the straight line. Smaller departures are real in any program and mislead nobody about its growth.
 */
#include "finding.h"
#include "scan_lines.h"
#include <math.h>

static const double OFF = 0.05;

struct growth {
    struct check *c;
    const struct scan_line *line;
};

/* NULL: not there, or without an interval. */
static const struct estimate *proven(const struct growth *g, int index, const char *statistic)
{
    const struct estimate *e = scan_estimate(g->c->r, g->line, index, statistic);
    return e && isfinite(e->high - e->low) ? e : NULL;
}

static const char *value_of(const struct growth *g, int index)
{
    return subject_parameter(&g->c->r->subjects[g->line->subjects[index]], g->line->parameter);
}

static bool report_bend(const struct growth *g)
{
    struct check *c = g->c;
    int first = g->line->subjects[0];
    const struct estimate *change = proven(g, 0, "slope_change"), *low = proven(g, 0, "slope_smallest"),
                          *high = proven(g, 0, "slope_largest");
    if (!change || !low || !high || (change->low <= 0 && change->high >= 0) || fabs(change->point) < SCAN_BENT)
        return false;
    const char *p = g->line->parameter;
    finding_add(c, "not_a_power", SEVERITY_WARNING, first, 100 * fabs(change->point),
                change->point > 0 ? "use larger values" : "measure its parts separately",
                "not a power of %s: the slope changes from %s to %s, by %s (%s to %s)", p, finding_figure(c, low->point, 2),
                finding_figure(c, high->point, 2), finding_figure(c, change->point, 2), finding_figure(c, change->low, 2),
                finding_figure(c, change->high, 2));
    finding_detail(c, "Between %s = %s and %s. %s", p, value_of(g, g->line->positive), value_of(g, g->line->n - 1),
                   change->point > 0 ? "A constant part, such as start-up, has this effect."
                                     : "Growth that levels off has this effect, as at a limit or where work is shared.");
    return true;
}

static void report_step(const struct growth *g)
{
    const struct estimate *worst = NULL;
    int at = 0;
    for (int j = g->line->positive; j < g->line->n; j++) {
        const struct estimate *e = proven(g, j, "off_line");
        if (!e || !(e->low > OFF || e->high < -OFF) || (worst && fabs(worst->point) >= fabs(e->point)))
            continue;
        worst = e;
        at = j;
    }
    if (!worst)
        return;
    struct check *c = g->c;
    finding_add(c, "not_a_power", SEVERITY_WARNING, g->line->subjects[0], 100 * fabs(worst->point),
                "measure both sides of it separately", "not a power of %s: %s = %s is %s off the line (%s to %s)",
                g->line->parameter, g->line->parameter, value_of(g, at), finding_change(c, 100 * worst->point),
                finding_change(c, 100 * worst->low), finding_change(c, 100 * worst->high));
    finding_detail(c, "Possible causes: a cache that is full, another algorithm from there on.");
}

/* Classes with a constant part say how it grows, which no power does. */
static bool has_classes(const struct growth *g)
{
    return scan_estimate(g->c->r, g->line, 0, "excess_linear");
}

static void check_growth(struct check *c)
{
    struct arena arena = {0};
    const struct scan_line *lines;
    int n = scan_lines(c->r, &arena, &lines);
    c->failed |= n < 0;
    for (int i = 0; i < n; i++) {
        const struct growth g = {c, &lines[i]};
        if (!has_classes(&g) && !report_bend(&g))
            report_step(&g);
    }
    arena_finish(&arena);
}

const struct check_test growth_tests[] = {{.ids = "not_a_power", .session = check_growth}, {0}};
