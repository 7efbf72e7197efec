/* SPDX-License-Identifier: MIT
 *
 * record_writing.h - how one line of a record is made. Inside of record_write.h; not for others.
 *
 *     struct json_write j = record_line_begin(w, "finding");
 *     json_string(&j, "id", f->id);
 *     record_line_end(w, &j);
 */
#ifndef RECORD_WRITING_H
#define RECORD_WRITING_H

#include "record_write.h"

struct json_write record_line_begin(struct record_writer *w, const char *type);
void record_line_end(struct record_writer *w, struct json_write *j); /* hands the line to the sink in one piece */
enum tare_status record_write_outcome(const struct record_writer *w, struct tare_err *err);

/* record_arcs_write.c: the results of arcs, and the trailer's counts of what belongs to them. */
void record_write_passages(struct record_writer *w, const struct record *r);
void record_count_traced(struct json_write *j, const struct record *r);

#endif
