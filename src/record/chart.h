/* SPDX-License-Identifier: MIT
 *
 * chart.h - one picture as data: what render draws with characters and export with lines, from the same struct.
 *
 *     const struct chart c = {.id = "evidence", .title = "Evidence", .x_title = "calls", .y_title = "log10 E", .logarithmic_x = true,
 *                             .lines = {{.name = "log10 E", .n = n, .x = calls, .y = log10_e}}, .n_lines = 1,
 *                             .rules = {{5, "leak"}}, .n_rules = 1, .shaded = {NAN, NAN, NULL}};
 *     struct axis x, y;
 *     if (chart_axes(&c, &x, &y)) ... draw ...
 *
 * A chart is lines (with bands, rules and a shaded stretch), two rows of bars over the same bins, a field of cells, or its title and sentence
 * alone, which then say why there is no picture. Values are in the
 * unit that the titles name. It claims nothing: what is drawn was estimated before.
 * Ownership: arrays and texts are the caller's and outlive the drawing. NaN: no value there.
 */
#ifndef CHART_H
#define CHART_H

#include "axis.h"
#include "buf.h"
#include <stdbool.h>
#include <stdint.h>

enum chart_shape {
    CHART_LINE,  /* straight from point to point */
    CHART_STEPS, /* each value holds until the next x */
    CHART_POINTS /* marks, with their interval where there is one */
};

struct chart_line {
    const char *name;
    enum chart_shape shape;
    int n;
    const double *x, *y;
    const double *low, *high; /* a band around it; NULL: none */
};

struct chart_rule { /* a level to compare with, dashed from side to side */
    double at;
    const char *name;
};

struct chart_stretch { /* of y, shaded; low is NaN: none */
    double low, high;
    const char *name;
};

enum { CHART_LINES_MAX = 6, CHART_RULES_MAX = 3 };

struct chart_bars {
    int n; /* bins; 0: the chart has no bars */
    const char *name[2];
    const double *edge;      /* n + 1, ascending */
    const int64_t *count[2]; /* the second NULL: one row alone */
    int64_t beyond[2];       /* above the last edge: a bin of its own, to the same scale */
    double furthest;         /* the largest value; NaN: not known */
};

struct chart_cells {
    int n; /* 0: the chart has no cells */
    int per_row;
    const char *row_name, *cell_name; /* "byte", "bit" */
    const double *value;
    double full;         /* at and above this a cell has the fullest colour */
    const bool *special; /* marked: those that are proven; NULL: none */
};

struct chart {
    const char *id;    /* a word: "ecdf" */
    const char *title; /* "Evidence over time"; NULL: told elsewhere */
    const char *says;  /* one sentence: how to read it; NULL */
    const char *x_title, *y_title;
    bool logarithmic_x, logarithmic_y; /* of y where all of it is above 0 */
    const double *x_at;                /* n_x_at values to mark on x, rising, instead of round ones; NULL: none */
    int n_x_at;
    bool fitted;       /* its parts are curves that were fitted to the marks, and lie below them */
    bool whole_x;      /* numbers of rounds */
    bool legend_apart; /* its legend is drawn elsewhere */
    bool cuts_vague;   /* of points with intervals: one whose interval is far wider than the others' ends at the edge too */
    bool
        settles; /* the first half of each line may be wild: the scale is chosen by the second, and what lies beyond ends at the edge */
    struct chart_line lines[CHART_LINES_MAX];
    int n_lines;
    int part_of[CHART_LINES_MAX]; /* 1 + the line whose colour and shape it has, points hollow, a line broad; 0: its own */
    struct chart_rule rules[CHART_RULES_MAX];
    int n_rules;
    struct chart_stretch shaded;
    struct chart_bars bars;
    struct chart_cells cells;
};

/* The pictures of one target, under one heading. */
struct chart_fact {
    const char *name, *value;
};
struct chart_page {
    const char *heading;            /* "memcmp_32"; NULL: none */
    const char *verdict;            /* one sentence; NULL */
    const struct chart_fact *facts; /* figures beside the pictures, for pages with tables */
    int n_facts;
    const struct chart *charts;
    int n_charts;
};

/* ---- making them ---- */

struct arena;
struct chart_maker {
    struct arena *arena;
    struct chart *out; /* with room for all that are added */
    int n;
    bool failed; /* no memory: what was made is not to be used */
};
double *chart_column(struct chart_maker *m, int n); /* n values, 0; NULL where it failed */
struct chart *chart_add(struct chart_maker *m, const char *id, const char *title, const char *says);
BUF_FORMATS(2, 3) const char *chart_text(struct chart_maker *m, const char *format, ...); /* at most 1 kB; never NULL */

/* Scales of lines and bars. False: there is nothing to draw, or it has no finite extent; cells need no scale, and false is what
 * they get too. */
bool chart_axes(const struct chart *c, struct axis *x, struct axis *y);
bool chart_is_drawn(const struct chart *c); /* false: title and sentence are all of it */
/* 0 to 1: how full a cell's colour is; NaN where it has no value. */
double chart_fullness(const struct chart_cells *cells, int i);

#endif
