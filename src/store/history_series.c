/* SPDX-License-Identifier: MIT */
#include "history_series.h"
#include "record_fields.h"
#include "sha2.h"
#include <string.h>

void history_series_identity(struct buf *b, const struct history_series *s)
{
    const char *const parts[] = {s->project,
                                 s->benchmark,
                                 s->arguments,
                                 s->class,
                                 s->version,
                                 s->anchor,
                                 s->metric.id,
                                 s->metric.unit,
                                 metric_kind_name(s->metric.kind),
                                 words_name(&metric_direction_words, (int)s->metric.direction),
                                 s->metric.definition};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        buf_add(b, parts[i] ? parts[i] : "", (parts[i] ? strlen(parts[i]) : 0) + 1);
}

enum tare_status history_series_id(const struct history_series *s, char id[HISTORY_SERIES_ID])
{
    struct buf b = BUF_INIT(HISTORY_IDENTITY_MAX);
    history_series_identity(&b, s);
    const enum tare_status status = b.status;
    if (!status)
        sha256_digits(b.data, b.len, id, HISTORY_SERIES_ID);
    buf_finish(&b);
    return status;
}

bool history_keep(struct arena *a, const char **const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (*texts[i] && !(*texts[i] = arena_strdup(a, *texts[i])))
            return false;
    return true;
}

bool history_series_keep(struct history_series *s, struct arena *a)
{
    return HISTORY_KEEP(a, &s->id, &s->project, &s->benchmark, &s->arguments, &s->class, &s->version, &s->anchor, &s->metric.id,
                        &s->metric.title, &s->metric.unit, &s->metric.definition);
}
