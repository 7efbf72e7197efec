/* SPDX-License-Identifier: MIT
 *
 * identity_reader.h - what the files of identity share: the source, the arena and the one buffer for files.
 *
 * Private to the module. A text from reader_file lives until the next call of it; everything kept is copied into the arena. When
 * memory is exhausted `no_memory` is set and the calls go on with harmless values, so it is checked once, at the end.
 */
#ifndef IDENTITY_READER_H
#define IDENTITY_READER_H

#include "identity.h"

struct reader {
    const struct identity_source *source;
    struct arena *arena;
    struct buf file;
    bool no_memory;
    bool x86, arm;
    bool translated;                      /* the program is built for another processor than the one that the system describes */
    uint32_t max_leaf, max_extended_leaf; /* 0: no such leaves */
    bool features_known, hypervisor_bit;  /* of x86 */
    uint64_t features;                    /* seen: 1 << FEATURE_X of identity_tables.h */
};

/* ---- values ---- */

struct identity_text text_unknown(const char *why);
struct identity_text text_known(struct reader *r, const char *text, size_t n);
struct identity_text text_constant(const char *text);
struct identity_text text_of_buf(struct reader *r, struct buf *b); /* its text, and finishes it */
struct identity_number number_unknown(const char *why);
struct identity_number number_known(int64_t value);

/* ---- files ---- */

/* The whole text, or its first 64 KiB; NULL: not there, or empty. */
const char *reader_file(struct reader *r, const char *path);
void reader_close(struct reader *r);
/* Its first `most` bytes, for files that are long and of which the beginning will do. */
const char *reader_file_start(struct reader *r, const char *path, size_t most);
/* The file's first line, without blanks around it. */
struct identity_text reader_line(struct reader *r, const char *path);
bool reader_number(struct reader *r, const char *path, int64_t *out); /* a whole number >= 0 and nothing else */
bool reader_list(struct reader *r, const char *path, struct cpu_list *out);

/* A whole number >= 0 at *p, decimal or with 0x hexadecimal; *p is moved behind it. False: none, or over 62 bits. */
bool read_integer(const char **p, int64_t *out);
/* Finds the line "key<blanks>:<blanks>value" or "key=value" in text; value without blanks at its end. */
bool find_value(const char *text, const char *key, const char **value, size_t *n);
bool find_number(const char *text, const char *key, int64_t *out); /* the value is a whole number and nothing else */

/* ---- the instruction ---- */

/* All zero where the leaf is above what the processor has. */
void reader_cpuid(struct reader *r, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

/* ---- the parts, in this order ---- */

void identity_processor(struct reader *r, struct identity *id);
void identity_topology(struct reader *r, struct identity *id);

#endif
