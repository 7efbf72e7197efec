/* SPDX-License-Identifier: MIT
 *
 * taint_report.h - where a program's control flow or addresses depended on bytes that were marked secret: what memcheck's XML and
 * MSan's text say, by source line.
 *
 *     struct taint_report report;
 *     status = taint_xml_read(bytes, n, &arena, &report, &err);      // or taint_msan_read
 *     for (int i = 0; i < report.n_places; i++)
 *         report.places[i] ...                                       // most often reported first
 *
 * What it does not do: run anything (taint.h), or know what was marked: all that the tool reports as uninitialised is taken for secret, so a
 * program that really uses uninitialised memory is reported too, which is right to be told. Pure. Texts live in the arena.
 */
#ifndef TAINT_REPORT_H
#define TAINT_REPORT_H

#include "arena.h"
#include "buf.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum { TAINT_FRAMES = 12, TAINT_PLACES_MAX = 4096 };

enum taint_kind {
    TAINT_JUMP,    /* a conditional jump or move depends on it: what is executed follows from the secret */
    TAINT_ADDRESS, /* an address, or a value that reaches memory by one, depends on it: caches tell */
    TAINT_SYSCALL, /* it was handed to the kernel */
    TAINT_USE,     /* used; the tool does not say how (MSan) */
    TAINT_MEMORY,  /* an error of memory that has nothing to do with secrets: invalid read or write, free */
    TAINT_KINDS
};
const char *taint_kind_word(enum taint_kind kind); /* "jump", "address", "system call", "use", "memory error" */

struct taint_frame {
    const char *function, *object, *file; /* file: without its folder; "" where not known */
    int line;                             /* 0: not known */
};

/* One source line (one function, where there are no lines) and one kind. */
struct taint_place {
    enum taint_kind kind;
    struct taint_frame at; /* the innermost frame of the program or of a library, not of the tool's own functions */
    const char *through;   /* "memcmp": the tool's stand-in for a library function in which it was seen; NULL */
    int64_t count;         /* how often it happened */
    int stacks;            /* by so many ways */
    struct taint_frame frames[TAINT_FRAMES]; /* of the first of them, innermost first */
    int n_frames;
};

struct taint_report {
    char tool[32]; /* "memcheck", "MemorySanitizer" */
    struct taint_place *places;
    int n_places;
    int64_t count[TAINT_KINDS];
    bool complete;      /* the tool came to its end: counts are all */
    bool crowded;       /* more than TAINT_PLACES_MAX places: the rest is only counted */
    int64_t unreadable; /* entries that made no sense */
};

/* FORMAT: no XML of valgrind's protocol 4; what was read before the break is in *out, complete is false. */
enum tare_status taint_xml_read(const char *bytes, size_t n, struct arena *arena, struct taint_report *out, struct tare_err *err);
/* The reports of MemorySanitizer in what a program wrote to its standard error; other text is passed over. */
enum tare_status taint_msan_read(const char *bytes, size_t n, struct arena *arena, struct taint_report *out,
                                 struct tare_err *err);

/* For readers of other formats: adds one stack that was seen `count` times. NO_MEMORY. */
enum tare_status taint_add(struct taint_report *r, struct arena *arena, enum taint_kind kind, const struct taint_frame *frames,
                           int n, int64_t count);
/* "compare.c:12 (naive_compare)", "BN_mod_exp in libcrypto.so.3" */
void taint_put_frame(struct buf *b, const struct taint_frame *f);
/* Where it is; of code without a line or a name also the first caller that has one. */
void taint_put_place(struct buf *b, const struct taint_place *p);

#endif
