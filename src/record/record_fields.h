/* SPDX-License-Identifier: MIT
 *
 * record_fields.h - the members of lines that hold a struct, each named once: writer, reader and exports walk over the same list.
 *
 *     record_fields_write(&j, comparison_fields, c);                  // {..., "low":-0.01,"high":0.02, ...}
 *     reader_fields(rd, v, comparison_fields, &c)                     // record_lines.h: false: one that is needed is missing
 *     record_fields_export(j, leak_place_fields, place);              // as exports have it
 *
 * A list ends with a field without key. What a line has beside (its own lists, what depends on the record) its writer and reader add by hand.
 */
#ifndef RECORD_FIELDS_H
#define RECORD_FIELDS_H

#include "json_write.h"
#include <stdbool.h>
#include <stddef.h>

/* The type of the member, and what stands for its special values. */
enum field_kind {
    FIELD_NUMBER,   /* double; null where it is not finite */
    FIELD_FLAG,     /* bool */
    FIELD_WHOLE,    /* int, from low to high (0: to INT32_MAX) */
    FIELD_SUBJECT,  /* int, a subject of the record */
    FIELD_INDEX,    /* int; -1: null */
    FIELD_PLACE,    /* int, 1 + what is written; 0: left out */
    FIELD_UNSIGNED, /* uint64_t; a file may lack it, then it is 0 */
    FIELD_SIGNED,   /* int64_t */
    FIELD_TEXT,     /* const char *; left out where it is NULL */
    FIELD_WORD      /* an enum by its words */
};

struct field_words { /* of an enum */
    const char *(*word)(int value);
    bool (*value)(const char *word, int *out);
};

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
    double absent; /* NUMBER: what null and a file without it mean */
    int low, high;
    bool needed;          /* without it the line is wrong */
    bool sparse;          /* left out where it is 0 or false; NUMBER: where it is as `absent`, below 0 or not finite */
    const char *given;    /* only where the int field of this key, which comes before, is not 0 */
    const char *exported; /* its key in exports, where that is another one */
    const struct field_words *words;
};

void record_fields_write(struct json_write *j, const struct field *fields, const void *object);
/* All of them: what the record leaves out is null here. */
void record_fields_export(struct json_write *j, const struct field *fields, const void *object);
/* Whether the field is there at all, as `given` says. */
bool record_field_given(const struct field *fields, const struct field *f, const void *object);

extern const struct field estimate_fields[], comparison_fields[], finding_fields[];
extern const struct field leak_place_fields[], leak_pair_size_fields[], leak_quantile_fields[], leak_site_fields[];
extern const struct field timeline_fields[], timeline_heap_fields[];
extern const struct field point_fields[], traced_run_fields[],
    traced_clock_fields[]; /* of a run: before and behind the probes' weights */
extern const struct field traced_arc_ends[], traced_arc_fields[];

#endif
