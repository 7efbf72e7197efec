/* SPDX-License-Identifier: MIT
 *
 * record_fields.h - the members of lines that hold a struct, each named once: writer, reader and exports walk over the same list.
 *
 *     record_fields_write(&j, comparison_fields, c);                  // {..., "low":-0.01,"high":0.02, ...}
 *     reader_fields(rd, v, comparison_fields, &c)                     // record_lines.h: false: one that is needed is missing
 *     record_fields_pick(j, leak_place_fields, "cpu difference_ns=ns", place);      // as an export has it
 *
 * A list ends with a field without key. What a line has beside (its own lists, what depends on the record) its writer and reader add by hand.
 */
#ifndef RECORD_FIELDS_H
#define RECORD_FIELDS_H

#include "json_write.h"
#include "record.h"
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

struct words { /* of an enum, by its value */
    int n;
    const char *const *items;
};
extern const struct words verdict_words, severity_words, metric_kind_words, metric_direction_words, subject_kind_words,
    method_words;
extern const struct words on_dirty_words, profile_words, correction_words, count_per_words, point_kind_words, agreement_words;
const char *words_name(const struct words *w, int value); /* "unknown" where it has none */
int words_value(const struct words *w, const char *name); /* -1: none of them */

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
    double absent; /* NUMBER: what null and a file without it mean */
    int low, high;
    bool needed;       /* without it the line is wrong */
    bool known;        /* WORD: one that is none of its words makes the line wrong */
    bool sparse;       /* left out where it is false, `absent`, not finite, or not above `low` (NUMBER: if `absent` is 0) */
    bool null;         /* TEXT: null where it is NULL, not left out */
    const char *given; /* only where the int or text field of this key, which comes before, is not 0 */
    const struct words *words;
};

void record_fields_write(struct json_write *j, const struct field *fields, const void *object);
/* Some of them in this order, as an export has them: "key name=key", the latter under another name. What the record leaves out is null here. */
void record_fields_pick(struct json_write *j, const struct field *fields, const char *members, const void *object);
enum { FIELD_NAME_BYTES = 64 };
/* The first of those members, which *members moves behind, its name in `name` unless that is NULL; false: there are no more. */
bool record_fields_next(const struct field *fields, const char **members, char name[FIELD_NAME_BYTES], const struct field **out);
/* What a file that lacks all of them means, into NUMBERs. */
void record_fields_init(const struct field *fields, void *object);
/* Texts into the record; false: no memory. */
bool record_fields_own(struct record *r, const struct field *fields, void *object);
/* A copy of the item, its texts the record's, behind the *n others of an array (the address of a pointer to it); its place, below 0: no memory.
 * The item must not be in that array. */
int record_add_item(struct record *r, void *items, int *n, int *room, const struct field *fields, const void *item, size_t bytes);
/* Whether the field is there at all, as `given` says. */
bool record_field_given(const struct field *fields, const struct field *f, const void *object);

extern const struct field estimate_fields[], comparison_fields[], finding_fields[];
extern const struct field leak_place_fields[], leak_pair_size_fields[], leak_quantile_fields[], leak_site_fields[];
extern const struct field timeline_fields[], timeline_heap_fields[];
extern const struct field point_fields[], traced_run_fields[], stack_fields[];
extern const struct field traced_arc_ends[], traced_arc_fields[];
extern const struct field arc_result_ends[], arc_result_fields[]; /* figures, then the rest */
extern const struct field leak_target_ends[];
extern const struct field leak_target_fields[]; /* figures and texts, for exports alone */
extern const struct field rule_fields[], rule_georges_fields[], rule_bench_fields[], rule_leaks_fields[], rule_dudect_fields[];
extern const struct field metric_fields[], subject_texts[], hook_fields[];

#endif
