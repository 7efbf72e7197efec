/* SPDX-License-Identifier: MIT
 *
 * history_series.h - what distinguishes a series from others, and a copy of it.
 *
 *     char id[HISTORY_SERIES_ID];
 *     if (!history_series_id(&series, id)) ...             // "1f3870be274f"
 *
 * Inside of src/store; does no I/O.
 */
#ifndef HISTORY_SERIES_H
#define HISTORY_SERIES_H

#include "history.h"

enum { HISTORY_SERIES_ID = 13, HISTORY_IDENTITY_MAX = 1 << 20 };

/* All that distinguishes it from others, each text closed by a zero byte: appended. */
void history_series_identity(struct buf *b, const struct history_series *s);
enum tare_status history_series_id(const struct history_series *s, char id[HISTORY_SERIES_ID]);
/* Its texts into the arena. False: no memory. */
bool history_series_keep(struct history_series *s, struct arena *a);
/* The same of texts by their places; NULL stays. HISTORY_KEEP(&arena, &x.name, &x.note) */
bool history_keep(struct arena *a, const char **const *texts, size_t n);
#define HISTORY_KEEP(arena, ...) \
    history_keep(arena, (const char **const[]){__VA_ARGS__}, sizeof((const char **const[]){__VA_ARGS__}) / sizeof(const char **))

#endif
