/* SPDX-License-Identifier: MIT
 *
 * history_json.h - series, their points and changes, sessions and events of a history as JSON: members of tare-export(5).
 */
#ifndef HISTORY_JSON_H
#define HISTORY_JSON_H

#include "history_reading.h"

/* One object: what the series is, its last value, its changes, its points. Without `points` not these, and of v->points there is only the last one. */
void history_json_series(struct json_write *j, const struct history_reading *r, const struct history_view *v, bool points);
/* The members of a change: where it is, its state, size, what was said of it. */
void history_json_change(struct json_write *j, const struct view_change *c);
void history_json_problems(struct json_write *j, const struct history *h); /* the member "problems" */
void history_json_rest(struct json_write *j, const struct history *h);     /* "sessions", "events", "problems" */

#endif
