/* SPDX-License-Identifier: MIT
 *
 * sample_charts.h - one chart of each kind that `tare leak` draws, from formulas, so that every machine draws the same.
 *
 *     struct samples s;
 *     struct chart_page page = sample_page(&s);
 */
#ifndef SAMPLE_CHARTS_H
#define SAMPLE_CHARTS_H

#include "chart.h"

enum { SAMPLE_POINTS = 60, SAMPLE_CHARTS = 9, SAMPLE_BITS = 32 };

struct samples {
    double x[SAMPLE_CHARTS][SAMPLE_POINTS], y[SAMPLE_CHARTS][SAMPLE_POINTS], z[SAMPLE_CHARTS][SAMPLE_POINTS],
        low[SAMPLE_CHARTS][SAMPLE_POINTS], high[SAMPLE_CHARTS][SAMPLE_POINTS];
    int64_t count[2][SAMPLE_POINTS];
    bool special[SAMPLE_BITS];
    struct chart charts[SAMPLE_CHARTS];
};

struct chart_page sample_page(struct samples *s); /* points into s */

#endif
