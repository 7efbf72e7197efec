/* SPDX-License-Identifier: MIT
 *
 * record_lines.h - what each type of line means for the record (record_lines.c, arc_lines.c, ...), and what all of them read with (line_reader.c).
 * Inside of record_read.h; not for others.
 */
#ifndef RECORD_LINES_H
#define RECORD_LINES_H

#include "json_read.h"
#include "record_fields.h"
#include "record_read.h"

enum { COLUMNS_MAX = 256, RESULTS_MAX = 1000000 /* estimates, comparisons, findings: each */ };

struct reader {
    struct record *r;
    struct record_reading *out;
    struct tare_err err; /* of the line at hand */
    const struct json_value *line;
    const char *text;     /* where it begins, behind all others from the header on */
    int64_t bytes, lines; /* of these */
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
/* The line is a row or a sample that is written as we write it, and needs no tree; *status as of a read. False: it is to be parsed. */
bool reader_plain_row(struct reader *rd, const char *line, size_t n, enum tare_status *status);
/* Its numbers (row_text.c); the values are in `room`. */
struct row_text {
    bool sample;
    int series, n; /* n values */
    struct row row;
};
bool row_from_text(const char *line, size_t n, double room[COLUMNS_MAX], struct row_text *out);

enum tare_status reader_wrong(struct reader *rd, const char *what); /* FORMAT */
enum tare_status reader_added(struct reader *rd, int index);        /* below 0: there was no memory for it */
/* A member that is a text, with its bytes where it is not UTF-8; NULL: it is none. Valid until the next line. */
const char *reader_text(struct reader *rd, const struct json_value *object, const char *key);
/* `text`, or the bytes of the hexadecimal member beside it; NULL when it is no text. */
const char *reader_text_with(struct reader *rd, const struct json_value *text, const struct json_value *hex);
/* The members of an object into the struct that the fields are of. What is not there, or no such value, leaves numbers `absent`, flags and texts empty and
 * whole numbers as they are; false where that is a field that is needed. */
bool reader_fields(struct reader *rd, const struct json_value *object, const struct field *fields, void *out);
bool reader_count_is(const struct json_value *counts, const char *key, int64_t expected); /* of the trailer */

/* Members of an object. */
static inline double number(const struct json_value *object, const char *key, double fallback)
{
    json_number_of(json_member(object, key), &fallback);
    return fallback;
}

/* False when the member is not an integer from low to high. */
static inline bool integer_in(const struct json_value *object, const char *key, int low, int high, int *out)
{
    int64_t x;
    if (!json_integer_of(json_member(object, key), low, high, &x))
        return false;
    *out = (int)x;
    return true;
}

/* -1 when null. */
static inline bool index_or_null(const struct json_value *object, const char *key, int n, int *out)
{
    *out = -1;
    return json_is_null(json_member(object, key)) || integer_in(object, key, 0, n - 1, out);
}

/* arc_lines.c */
enum tare_status read_point(struct reader *rd);
enum tare_status read_traced(struct reader *rd);
enum tare_status read_arc(struct reader *rd);
enum tare_status read_passage(struct reader *rd);
enum tare_status read_stack(struct reader *rd);
bool traced_counts_agree(const struct reader *rd, const struct json_value *counts);
/* A sentence for the user. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void reader_note(struct reader *rd, const char *format, ...);

#endif
