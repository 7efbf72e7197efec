/* SPDX-License-Identifier: MIT
 *
 * record_write.h - the record as JSON Lines, written while it grows (docs/record-format.md).
 *
 *     struct record_writer w;
 *     record_writer_begin(&w, &sink);
 *     record_write_head(&w, &r, &err);                 // once subjects, columns and the facts of before are known
 *     record_write_row(&w, &r, 0, false, i, &err);     // after each run; one write of one whole line
 *     record_write_plan(&w, &r, &err);                 // at each look
 *     record_write_tail(&w, &r, &err);
 *     record_writer_finish(&w);
 *
 * Killed at any moment, all lines written so far stay readable. The first failure is kept: later calls write nothing
 * and return the same status again, with its text. Does not open, flush or close anything.
 * Ownership: the writer owns one line of memory; sink and record are the caller's. One thread at a time.
 */
#ifndef RECORD_WRITE_H
#define RECORD_WRITE_H

#include "fnv.h"
#include "json_write.h"
#include "record.h"
#include "sink.h"

enum { RECORD_LINE_MAX = 16 << 20 }; /* bytes of one line, its end included; a longer one is TOO_LARGE */

struct record_writer {
    const struct sink *sink;
    struct buf line;
    uint64_t hash; /* FNV-1a of all bytes written */
    int64_t bytes, lines, rows, warmup_rows, samples;
    int timelines;                        /* of the record's, written */
    int points, traced_runs, traced_arcs; /* likewise */
    bool worthwhile; /* once there is a run that did not end the session, or a regular end: worth an older record's place */
    uint64_t plan;   /* hash of the plan that was written; 0: none */
    enum tare_status status;
    struct tare_err err;
};

void record_writer_begin(struct record_writer *w, const struct sink *sink);
void record_writer_finish(struct record_writer *w); /* a zeroed one is fine */

enum tare_status record_write_head(struct record_writer *w, const struct record *r, struct tare_err *err);
/* Row `index` of series.main or series.warmup. */
enum tare_status record_write_row(struct record_writer *w, const struct record *r, int series, bool warmup, int index,
                                  struct tare_err *err);
/* The samples from `first` on. */
enum tare_status record_write_samples(struct record_writer *w, const struct record *r, int series, int first,
                                      struct tare_err *err);
/* That the subject was given up; at once, for who reads the file of a killed session. The tail says it again. */
enum tare_status record_write_failure(struct record_writer *w, const struct record *r, int subject, struct tare_err *err);
/* Nothing where none were made or planned, or these looks were the last ones written. Commands measured in blocks have looks each. */
enum tare_status record_write_plan(struct record_writer *w, const struct record *r, struct tare_err *err);
/* The look of the block or session that begins with the series; nothing where it has none of its own. */
enum tare_status record_write_own_look(struct record_writer *w, const struct record *r, int series, struct tare_err *err);
/* Those that are new since the last call. */
enum tare_status record_write_timelines(struct record_writer *w, const struct record *r, struct tare_err *err);
/* Points, runs and arcs that are new since the last call: after each run's row. */
enum tare_status record_write_traced(struct record_writer *w, const struct record *r, struct tare_err *err);
/* The last value of one count that came after its process's row was written. Nothing where there is no such count. */
enum tare_status record_write_count(struct record_writer *w, const struct record *r, int series, const char *name,
                                    struct tare_err *err);
/* The plan and timelines if they are missing, conditions after, results, trailer. */
enum tare_status record_write_tail(struct record_writer *w, const struct record *r, struct tare_err *err);

/* A whole record at once; rows in the order in which they were started. */
enum tare_status record_write(const struct record *r, const struct sink *sink, struct tare_err *err);

/* The members "facts" {key: text, number or null}, "reasons" {key: why null} and "hex" {key: bytes of a text that is not
 * UTF-8}, the last two only where needed, into the object that is open in j. */
void record_facts_json(struct json_write *j, const struct facts *f);

#endif
