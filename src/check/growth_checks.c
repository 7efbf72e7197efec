/* SPDX-License-Identifier: MIT
 *
 * Is the power law of a scan true? It is not where the line is bent, or else a value lies off it (scan_lines.h).
 */
#include "finding.h"
#include "scan_lines.h"
#include <math.h>

struct growth {
    struct check *c;
    const struct scan_line *line;
};

static const struct estimate *estimate_of(const struct growth *g, int index, const char *statistic)
{
    return scan_estimate(g->c->r, g->line, index, statistic);
}

static const char *value_of(const struct growth *g, int index)
{
    return subject_parameter(&g->c->r->subjects[g->line->subjects[index]], g->line->parameter);
}

static bool report_bend(const struct growth *g)
{
    struct check *c = g->c;
    int first = g->line->subjects[0];
    const struct estimate *change = estimate_of(g, 0, "slope_change"), *low = estimate_of(g, 0, "slope_smallest"),
                          *high = estimate_of(g, 0, "slope_largest");
    if (!scan_is_bent(c->r, g->line) || !low || !high)
        return false;
    const char *p = g->line->parameter;
    finding_add(c, "not_a_power", SEVERITY_WARNING, first, 100 * fabs(change->point),
                change->point > 0 ? "use larger values" : "measure its parts separately",
                "not a power of %s: the slope changes from %s to %s, by %s to %s", p, finding_figure(c, low->point, 2),
                finding_figure(c, high->point, 2), finding_figure(c, change->low, 2), finding_figure(c, change->high, 2));
    finding_detail(c, "Between %s = %s and %s. %s", p, value_of(g, g->line->positive), value_of(g, g->line->n - 1),
                   change->point > 0 ? "A constant part, such as start-up, has this effect."
                                     : "Growth that levels off has this effect, as at a limit or where work is shared.");
    return true;
}

static void report_step(const struct growth *g)
{
    struct check *c = g->c;
    const int at = scan_off_power(c->r, g->line);
    if (at < 0)
        return;
    const struct estimate *worst = estimate_of(g, at, "off_line");
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
