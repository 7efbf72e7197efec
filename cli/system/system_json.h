/* SPDX-License-Identifier: MIT
 *
 * system_json.h - what the commands of tare system export has in common.
 */
#ifndef SYSTEM_JSON_H
#define SYSTEM_JSON_H

#include "json_write.h"
#include "knob.h"
#include "tune.h"

/* "cpus": online, present, isolated, bench, reserved, housekeeping; "why_bench". */
void system_json_place(struct json_write *j, const struct look *l);
/* The list of what tune would write. */
void system_json_settings(struct json_write *j, const struct look *l);
/* "changes": what came of each. */
void system_json_changes(struct json_write *j, const struct tune_report *r);

#endif
