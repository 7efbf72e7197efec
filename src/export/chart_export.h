/* SPDX-License-Identifier: MIT
 *
 * chart_export.h - the pictures of leak targets, or of a host, as files: one SVG, or one HTML page that needs neither script nor other files.
 *
 *     status = chart_pages_svg("Timing leaks", pages, n, &sink, &err);
 *     status = chart_pages_html("Timing leaks", &record, &options, &sink, &err);
 *
 * The same charts give the same bytes. Colour never carries meaning alone: lines differ in dashes and are named. The page holds every
 * figure as text too. Pure but for the sink, which may be called several times.
 */
#ifndef CHART_EXPORT_H
#define CHART_EXPORT_H

#include "chart.h"
#include "export.h"

/* All pictures below each other, a heading for each target. */
enum tare_status chart_pages_svg(const char *title, const struct chart_page *pages, int n, const struct sink *sink,
                                 struct tare_err *err);
/* Those of the record, r->pages. */
enum tare_status chart_pages_html(const char *title, const struct record *r, const struct export_options *o,
                                  const struct sink *sink, struct tare_err *err);

/* Memory over time, a chart for each command that has some; they are in the arena. -1: no memory. */
int timeline_charts(const struct record *r, struct arena *arena, const struct chart **out);

#endif
