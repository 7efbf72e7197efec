/* SPDX-License-Identifier: MIT
 *
 * record_lines.h - what each type of line means for the record. Inside of record_read.h; not for others.
 */
#ifndef RECORD_LINES_H
#define RECORD_LINES_H

#include "json_read.h"
#include "record_read.h"

enum { COLUMNS_MAX = 256 };

struct reader {
    struct record *r;
    struct record_reading *out;
    struct tare_err err; /* of the line at hand */
    const struct json_value *line;
    uint64_t hash;
    int64_t bytes, lines; /* before this line, from the header on */
    int64_t rows, warmup_rows, samples;
    int subjects_with_columns;
    bool has_header, has_trailer, agrees, contradicts; /* agrees: checked and right; contradicts: checked and wrong */
    double values[COLUMNS_MAX];                        /* of the row being read */
    struct arena arena;                                /* for the line being read */
};

struct line_type {
    const char *name;
    /* The line into the record. FORMAT: rd->err says what is wrong with it, the record is as before. */
    enum tare_status (*read)(struct reader *rd);
    bool head; /* without it nothing after can be understood */
};

const struct line_type *line_type_of(const struct json_value *line); /* NULL: not one of ours */

enum tare_status reader_wrong(struct reader *rd, const char *what); /* FORMAT */
enum tare_status reader_no_memory(struct reader *rd);
/* A sentence for the user. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void reader_note(struct reader *rd, const char *format, ...);

#endif
