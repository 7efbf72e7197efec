/* SPDX-License-Identifier: MIT
 *
 * leak_charts.h - what the engine read of a target, as pictures (chart.h).
 *
 *     const struct leak_scale scale = {.per_tick = ns_per_tick / repeat, .empty_ticks = pair_ticks, .unit = "ns"};
 *     const struct leak_chart_words words = {.class_names = names, .n_classes = 2, .alpha = 1e-5, .confidence = .99, .scale = scale};
 *     struct chart charts[LEAK_CHARTS_MAX];
 *     int n = leak_charts(&reading, &pictures, &words, &arena, charts);
 *     page = (struct chart_page){.heading = name, .verdict = sentence, .charts = charts, .n_charts = n};
 *
 * Arrays and texts live in the arena. A picture for which there are no values is left out; without memory all are.
 */
#ifndef LEAK_CHARTS_H
#define LEAK_CHARTS_H

#include "arena.h"
#include "chart.h"
#include "leak_engine.h"
#include "leak_growth.h"
#include "leak_scan.h"

/* Ticks of a bracket in what is shown: a time is (ticks - empty_ticks) * per_tick, a difference ticks * per_tick. */
struct leak_scale {
    double per_tick; /* of the unit, calls in a bracket taken into account */
    double empty_ticks;
    const char *unit; /* "ns", "cycles", "ticks" */
};

struct leak_chart_words {
    const char *const *class_names; /* n_classes of them */
    int n_classes;
    double alpha, confidence;
    const char *unresolved; /* why quantiles have no value; NULL: all have */
    struct leak_scale scale;
};

/* Of pairs of classes: two-class histogram, distributions, their difference, shift function, evidence, size over calls, epochs. */
int leak_charts(const struct leak_reading *reading, const struct leak_pictures *pictures, const struct leak_chart_words *words,
                struct arena *arena, struct chart *out);
/* Time over size. */
int leak_growth_charts(const struct leak_growth_reading *reading, const struct leak_chart_words *words, struct arena *arena,
                       struct chart *out);
/* Evidence of each bit. bits: reading->bits of them. */
int leak_scan_charts(const struct leak_scan_reading *reading, const struct leak_bit *bits, const struct leak_chart_words *words,
                     struct arena *arena, struct chart *out);

#endif
