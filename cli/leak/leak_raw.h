/* SPDX-License-Identifier: MIT
 *
 * leak_raw.h - the file of raw times beside a record: the reports of all processes as they came, one behind the other. The rows of the record say
 * which part is whose (columns raw_at, raw_bytes, raw_hash), the fact raw_file names it.
 *
 *     leak_raw_open(&raw, "s.jsonl", &err);              // writes s.jsonl.raw
 *     int64_t at = leak_raw_add(&raw, bytes, n);
 *     leak_raw_close(&raw, &err);
 *     leak_raw_describe(&raw, &record);
 *
 *     leak_raw_judge("s.jsonl", &record, judges, &err);  // every row's report to its subject's judge, in the order of the rows
 *
 * Ownership: the struct is the caller's; a zeroed one is closed.
 */
#ifndef LEAK_RAW_H
#define LEAK_RAW_H

#include "leak_judge.h"
#include "plat.h"

struct leak_raw {
    struct plat_file *file; /* NULL: nothing is kept */
    int64_t at;
    struct tare_err err; /* of the first write that failed */
    bool failed;
    bool replaces; /* a file with times */
};

enum tare_status leak_raw_open(struct leak_raw *raw, const char *record_path, struct tare_err *err);
/* Where it begins; -1: it was not kept. */
int64_t leak_raw_add(struct leak_raw *raw, const void *bytes, size_t n);
enum tare_status leak_raw_close(struct leak_raw *raw, struct tare_err *err);
/* Into the record, before its end is written: how long the file is. */
enum tare_status leak_raw_describe(const struct leak_raw *raw, struct record *r);
/* The name for the fact raw_file: that of the record without its folders, and .raw. */
void leak_raw_name(const char *record_path, struct buf *out);

/* The reports of all rows to the judges of their subjects. `keep`, if given, gets them all, and the rows' raw_at become places in it. FORMAT: the file is
 * not as it was written (its length, where the session came to its end, and the hash of each report are held against the record), or is of another
 * record; IO: it is not there or cannot be read; UNSUPPORTED: the record has none; else as leak_judge_take. */
enum tare_status leak_raw_judge(const char *record_path, struct record *r, struct leak_judge *const *judges,
                                struct leak_raw *keep, struct tare_err *err);

#endif
