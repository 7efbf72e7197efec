/* SPDX-License-Identifier: MIT
 *
 * site_data.h - series as they come out of a history, made by formulas.
 */
#ifndef SITE_DATA_H
#define SITE_DATA_H

#include "site.h"

struct history_line made_line(struct arena *a, int n);
/* n points of which those from `step` on are `ratio` times as high; noise is a share of the value. One commit in `each` has one. */
struct history_view *made_view(struct arena *a, uint64_t seed, int n, int each, double level, double noise, int step,
                               double ratio);
struct history_series *made_series(struct arena *a, const char *id, const char *benchmark, const char *class);
/* The step of a made view as one change. */
struct view_change made_change(const struct history_view *v, int step, double ratio, enum change_state state);
/* A site of ten series, with one of each kind and hostile names: *n of them. */
struct site_series *made_site(struct site *site, struct arena *a, int *n);

#endif
