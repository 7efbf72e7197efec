/* SPDX-License-Identifier: MIT
 *
 * history_export.h - all results of a history as text for other tools. history_import.h reads the first three back.
 */
#ifndef HISTORY_EXPORT_H
#define HISTORY_EXPORT_H

#include "history_reading.h"

/* Which series; class and filters as history_wanted has them. */
struct history_choice {
    const char *class;
    const struct option_list *filters;
};

/* A line a result, in base units, with everything that import needs. */
enum tare_status history_export_csv(struct buf *b, const struct history_reading *r, const struct history_choice *which,
                                    struct tare_err *err);
/* A line a session, a column a series. */
enum tare_status history_export_otava(struct buf *b, const struct history_reading *r, const struct history_choice *which,
                                      struct arena *a, struct tare_err *err);
/* data.js: one suite of what is better when smaller, one of what is better when larger. */
enum tare_status history_export_action(struct buf *b, const struct history_reading *r, const struct history_choice *which,
                                       struct arena *a, struct tare_err *err);
/* Series with points and changes, sessions, events, problems. */
enum tare_status history_export_json(struct buf *b, const struct history_reading *r, const struct history_choice *which,
                                     struct arena *a, struct tare_err *err);

#endif
