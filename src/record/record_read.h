/* SPDX-License-Identifier: MIT
 *
 * record_read.h - a record file's text back into a record (docs/record-format.md).
 *
 *     struct record r = {0};
 *     struct record_reading reading;
 *     while (n && !(status = record_read(&r, text, n, &reading, &err))) {
 *         ... reading.notes has a sentence a line for the user, often none ...
 *         text += reading.consumed, n -= reading.consumed;      // `cat a b` is two records
 *         record_reading_finish(&reading);
 *         record_finish(&r);
 *     }
 *
 * What was measured is kept where that is possible: a session that was killed (no trailer) and a file that was cut are read
 * up to their last whole line, a damaged line after the first row is left out; each is noted. Row i of every command stays of the
 * same round: of interleaved rounds that lost a run the others are left out too. Unknown keys are ignored, lines of unknown type
 * too (noted).
 * Refused: text that is no record (FORMAT), a newer schema (VERSION), a file that ends before its first subject (TRUNCATED),
 * a damaged head (FORMAT), a line over the limits (TOO_LARGE).
 * The text is not trusted: every index and count in the record is checked, memory is bounded by the text's length.
 * Does no I/O and no analysis. The text may be freed afterwards.
 */
#ifndef RECORD_READ_H
#define RECORD_READ_H

#include "buf.h"
#include "record.h"

struct record_failure {
    const char *benchmark, *reason; /* by its own word; "": it said none */
    bool skipped;                   /* else it failed */
    bool unmeasured;                /* an entry without values, where no other of that name has any */
};

struct record_reading {
    size_t consumed; /* bytes of this record, blank lines after it included */
    int64_t lines;   /* of them */
    int64_t damaged; /* lines left out because they could not be understood */
    int64_t unknown; /* lines of a type that this version does not know */
    bool cut;        /* the last line was not complete */
    bool changed;    /* lines are damaged, or the trailer contradicts what stands before it: not as it was written */
    struct buf notes;
    /* Of another tool's file: benchmarks, or repetitions of them, that have no value, in the order of the file. */
    struct record_failure *failures;
    int n_failures, failures_room;
    struct arena arena; /* of them */
};

/* The beginning of a record's first line, which tells what follows; of fewer bytes than RECORD_START_MAX that is not to be known. */
enum { RECORD_START_MAX = 17 };
bool record_starts(const char *line, size_t n);
/* Where the next record begins behind the first byte of a text, even behind bytes that belong to none; n: nowhere. */
size_t record_next(const char *text, size_t n);

/* `r` zeroed; on failure it is zeroed again. `reading` need not be initialised; finish it in any case. err says what and where. */
enum tare_status record_read(struct record *r, const char *text, size_t n, struct record_reading *reading, struct tare_err *err);
void record_reading_finish(struct record_reading *reading);

#endif
