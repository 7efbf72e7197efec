/* SPDX-License-Identifier: MIT */
#include "sample_charts.h"
#include <math.h>
#include <stddef.h>

enum { N = SAMPLE_POINTS };

/* 1 / (1 + e^-x), by a quotient that is the same on every machine. */
static double step(double x)
{
    return .5 + .5 * x / (1 + fabs(x));
}

static struct chart *blank(struct samples *s, int i, const char *id, const char *title, const char *says)
{
    s->charts[i] = (struct chart){.id = id, .title = title, .says = says, .shaded = {NAN, NAN, NULL}};
    return &s->charts[i];
}

static void distributions(struct samples *s)
{
    for (int i = 0; i < N; i++) {
        s->x[0][i] = s->x[1][i] = 20 + i;
        s->y[0][i] = step((i - 20) / 3.0);
        s->z[0][i] = step((i - 26) / 3.0);
        s->y[1][i] = s->z[0][i] - s->y[0][i];
        s->low[1][i] = s->y[1][i] - .08;
        s->high[1][i] = s->y[1][i] + .08;
    }
    struct chart *c = blank(s, 0, "ecdf", "Distributions", "Share of the calls that took at most so long.");
    c->x_title = "time of a call, ns";
    c->y_title = "share of calls";
    c->n_lines = 2;
    c->lines[0] = (struct chart_line){"equal", CHART_STEPS, N, s->x[0], s->y[0], NULL, NULL};
    c->lines[1] = (struct chart_line){"random", CHART_STEPS, N, s->x[0], s->z[0], NULL, NULL};
    c = blank(
        s, 1, "ecdf_difference", "Difference of the distributions",
        "With the band that holds at all times and all looks at once, 99 %. Where the band leaves 0, an attacker can tell the "
        "classes apart.");
    c->x_title = "time of a call, ns";
    c->y_title = "difference of the shares";
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){"random less equal", CHART_STEPS, N, s->x[1], s->y[1], s->low[1], s->high[1]};
    c->rules[0] = (struct chart_rule){0, "no difference"};
}

static void shifts(struct samples *s)
{
    for (int i = 0; i < 12; i++) {
        s->x[2][i] = i < 9 ? 10 * (i + 1) : i == 9 ? 95 : i == 10 ? 99 : 99.9;
        s->y[2][i] = 1 + i * i / 30.0;
        s->low[2][i] = s->y[2][i] - .5 - i / 8.0;
        s->high[2][i] = s->y[2][i] + .5 + i / 8.0;
    }
    struct chart *c = blank(s, 2, "shift", "Shift function", "How much later each quantile comes.");
    c->x_title = "quantile, %";
    c->y_title = "difference, ns";
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){"random less equal", CHART_POINTS, 12, s->x[2], s->y[2], s->low[2], s->high[2]};
    c->rules[0] = (struct chart_rule){0, "no difference"};
    c->shaded = (struct chart_stretch){-1, 1, "within the margin of 1 ns"};
}

static void over_the_run(struct samples *s)
{
    for (int i = 0; i < N; i++) {
        double n = 100 * (i + 1) * (i + 1);
        s->x[3][i] = s->x[4][i] = n;
        s->y[3][i] = -1 + i * i / 250.0;
        s->y[4][i] = 2 + 30.0 / (i + 1) * (i % 2 ? 1 : -1);
        s->low[4][i] = s->y[4][i] - 60.0 / (i + 1);
        s->high[4][i] = s->y[4][i] + 60.0 / (i + 1);
    }
    s->low[4][0] = -INFINITY;
    s->high[4][0] = INFINITY;
    struct chart *c = blank(s, 3, "evidence", "Evidence", "Odds as a power of ten.");
    c->x_title = "blocks";
    c->y_title = "log10 E";
    c->logarithmic_x = true;
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){"log10 E", CHART_LINE, N, s->x[3], s->y[3], NULL, NULL};
    c->rules[0] = (struct chart_rule){5, "a difference is proven: 1/1e-05"};
    c = blank(s, 4, "funnel", "Size, as it became known", NULL);
    c->x_title = "blocks";
    c->y_title = "difference, ns";
    c->logarithmic_x = c->settles = true;
    c->n_lines = 1;
    c->lines[0] = (struct chart_line){"random less equal", CHART_LINE, N, s->x[4], s->y[4], s->low[4], s->high[4]};
    c->shaded = (struct chart_stretch){-1, 1, "within the margin of 1 ns"};
}

static void drift_and_growth(struct samples *s)
{
    for (int i = 0; i < N; i++) {
        s->x[5][i] = i + 1;
        s->y[5][i] = 40 + (i > 30 ? 6 : 0) + i % 3;
        s->z[5][i] = s->y[5][i] + 2;
    }
    struct chart *c = blank(s, 5, "epochs", "Drift", "Both move together when the machine changes.");
    c->x_title = "stretch of the run";
    c->y_title = "time of a call, ns";
    c->n_lines = 2;
    c->lines[0] = (struct chart_line){"equal", CHART_LINE, N, s->x[5], s->y[5], NULL, NULL};
    c->lines[1] = (struct chart_line){"random", CHART_LINE, N, s->x[5], s->z[5], NULL, NULL};
    for (int i = 0; i < 16; i++) {
        s->x[6][i] = 1 << i;
        s->y[6][i] = 20 + (i > 10 ? 3 * (i - 10) : 0);
        s->low[6][i] = s->y[6][i] - 2;
        s->high[6][i] = s->y[6][i] + 2;
    }
    c = blank(s, 6, "growth", "Growth", "Mean time of an operation, clipped, with its interval.");
    c->x_title = "size";
    c->y_title = "time of a call, ns";
    c->logarithmic_x = true;
    c->n_lines = c->n_rules = 1;
    c->lines[0] = (struct chart_line){"mean, clipped", CHART_POINTS, 16, s->x[6], s->y[6], s->low[6], s->high[6]};
    c->rules[0] = (struct chart_rule){60, "the tolerated growth"};
}

static void bars_and_cells(struct samples *s)
{
    for (int i = 0; i <= 40; i++)
        s->x[7][i] = 20 + i;
    for (int i = 0; i < 40; i++) {
        s->count[0][i] = 4000 / (1 + (i - 12) * (i - 12));
        s->count[1][i] = 4000 / (1 + (i - 18) * (i - 18));
    }
    struct chart *c = blank(s, 7, "histogram", "Both classes", "How many calls took how long; all beyond is one bar.");
    c->x_title = "time of a call, ns";
    c->y_title = "calls";
    c->bars = (struct chart_bars){.n = 40,
                                  .name = {"equal", "random & \"odd\" <name>"},
                                  .edge = s->x[7],
                                  .count = {s->count[0], s->count[1]},
                                  .beyond = {120, 154},
                                  .furthest = 12345};
    for (int i = 0; i < SAMPLE_BITS; i++) {
        s->y[8][i] = i == 5 ? 40 : i == 17 ? 4 : i == 30 ? NAN : i % 7 / 10.0 - .3;
        s->special[i] = i == 5;
    }
    c = blank(s, 8, "bits", "Bits of the secret", "Evidence that a bit changes the time, each by itself.");
    c->y_title = "log10 E";
    c->cells = (struct chart_cells){SAMPLE_BITS, 8, "byte", "bit", s->y[8], 5, s->special};
}

struct chart_page sample_page(struct samples *s)
{
    static const struct chart_fact facts[] = {
        {"difference", "2.1 ns [1.9, 2.3]"}, {"calls", "400000"}, {"<odd> & name", "\"value\""}};
    distributions(s);
    shifts(s);
    over_the_run(s);
    drift_and_growth(s);
    bars_and_cells(s);
    return (struct chart_page){.heading = "memcmp_32",
                               .verdict = "LEAK: random takes 2.1 ns [1.9, 2.3] longer than equal",
                               .facts = facts,
                               .n_facts = 3,
                               .charts = s->charts,
                               .n_charts = SAMPLE_CHARTS};
}
