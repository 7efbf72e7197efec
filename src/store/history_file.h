/* SPDX-License-Identifier: MIT
 *
 * history_file.h - one file of a history as text (docs/record-format.md): made, and read again.
 *
 *     status = history_entry_text(&entry, &text, &err);
 *     history_file_name(text.data, text.len, id);
 *     ...
 *     status = history_text_read(text.data, text.len, &visit, &notes, &err);     // each line to the visitor
 *
 * The text is not trusted: a line that cannot be understood is left out and noted, and memory is bounded by the text's length. A head that cannot be
 * understood, or is of a newer schema, is a failure, before anything was visited. Inside of src/store; does no I/O.
 */
#ifndef HISTORY_FILE_H
#define HISTORY_FILE_H

#include "history.h"

enum {
    HISTORY_FILE_MAX = 1 << 28,   /* bytes of a file */
    HISTORY_LINE_MAX = 4 << 20,   /* of a line of it, its end included */
    HISTORY_TEXT_MAX = 1 << 16,   /* of a name or text in it */
    HISTORY_RESULTS_MAX = 100000, /* of a file; each may be a series of its own, which is kept in memory */
    HISTORY_METRICS_MAX = 1024,   /* of a file */
    HISTORY_VALUES_MAX = 200000,  /* of a result */
};

#define HISTORY_SUFFIX ".jsonl"

enum tare_status history_entry_text(const struct history_entry *e, struct buf *out, struct tare_err *err);
enum tare_status history_event_text(const struct history_event *e, struct buf *out, struct tare_err *err);
/* The id that a file with this content has. */
void history_text_id(const char *text, size_t n, char id[HISTORY_ID_BYTES]);

/* What it was given lives until the call returns. A status other than OK ends the reading and is returned. */
struct history_visit {
    enum tare_status (*session)(void *context, const struct history_session *s, struct tare_err *err);
    enum tare_status (*result)(void *context, const struct history_result *r,
                               struct tare_err *err); /* without values; with its place */
    enum tare_status (*event)(void *context, const struct history_event *e, struct tare_err *err);
    void *context;
};

/* FORMAT, VERSION, TOO_LARGE: of the head, or of all of it. */
enum tare_status history_text_read(const char *text, size_t n, const struct history_visit *visit, struct buf *notes,
                                   struct tare_err *err);
/* The values of one line and the step in which they were printed; *n 0: it has none. The caller frees *values. */
enum tare_status history_line_values(const char *line, size_t n, double **values, int *n_values, double *step,
                                     struct tare_err *err);

#endif
