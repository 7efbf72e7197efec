/* SPDX-License-Identifier: MIT
 *
 * history_json.h - series, their points and changes, sessions and events of a history as JSON: members of tare-export(5).
 */
#ifndef HISTORY_JSON_H
#define HISTORY_JSON_H

#include "history_reading.h"
#include "json_write.h"

/* One object: what the series is, its last value, its changes; with `points` all of them. */
void history_json_series(struct json_write *j, const struct history_reading *r, const struct history_view *v, bool points);
/* Its members but for the commits: state, size, what was said of it. */
void history_json_change(struct json_write *j, const struct view_change *c);
void history_json_sessions(struct json_write *j, const struct history *h); /* the member "sessions" */
void history_json_events(struct json_write *j, const struct history *h);   /* "events" */
void history_json_problems(struct json_write *j, const struct history *h); /* "problems" */

#endif
