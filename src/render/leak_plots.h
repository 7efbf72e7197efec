/* SPDX-License-Identifier: MIT
 *
 * leak_plots.h - charts (chart.h) as characters, for the terminal.
 *
 *     render_charts(&page, &options, &buf);        // its heading, then one picture below the other
 *
 * Nothing is drawn where the terminal has no room for a picture. Colour carries no meaning. Failures are in buf.status.
 */
#ifndef LEAK_PLOTS_H
#define LEAK_PLOTS_H

#include "buf.h"
#include "chart.h"
#include "render.h"

void render_charts(const struct chart_page *page, const struct render_options *o, struct buf *out);

#endif
