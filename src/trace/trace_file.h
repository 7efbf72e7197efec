/* SPDX-License-Identifier: MIT
 *
 * trace_file.h - one file that a traced process left (base/trace_format.h): opened, checked, and its parts found.
 *
 *     struct trace_file *f;
 *     enum tare_status status = trace_file_open(&f, "/tmp/x/4711-9.trace", &err);
 *     if (status == TARE_OK) ... trace_file_point(f, id)->name ..., trace_sums_add(sums, f, &err);
 *     trace_file_close(f);
 *
 * Nothing in the file is trusted: what is torn, cut or damaged is passed over and counted in the loss, and what is whole is read. The file is
 * read in pieces, never mapped, so that one which is cut meanwhile is an error and no signal. Memory: what its points and segments
 * take, some 100 bytes each; never its words.
 * It does not add up anything (trace_sums.h) and does not go through events (trace_events.h).
 * Ownership: all that is returned belongs to the file and lives as long. After opening the calls that look are for any thread.
 */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include "buf.h"
#include "trace_format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

struct trace_file;

/* A point as the program describes it. */
struct trace_place {
    uint32_t id; /* in this file */
    uint32_t line, partner;
    uint8_t kind, value, group, fast; /* enum trace_point_kind, trace_value */
    uint64_t unit;                    /* the object file; 0: not known */
    uint32_t count, namesake;         /* trace_origin */
    uint64_t source;  /* of a source file by which it is told from others of its name: its points; 0: not known, or a header */
    uint32_t ordinal; /* which of the points of its function on the line, from 0: by rising count within a unit */
    const char *file, *func, *name; /* never NULL */
};

/* A segment of words. */
struct trace_stretch {
    int64_t at;    /* of its first word in the file */
    int64_t bytes; /* of words: whole ones */
    bool open;     /* it is not known how much was reserved: zeros at the end are what was not written */
    int64_t idle;  /* words at the end that may be zero: nothing was reserved there */
    uint64_t sequence;
    int thread; /* index */
    uint32_t last_point;
    uint64_t last_tick, lane;
    struct trace_moment moment;
};

struct trace_thread {
    uint32_t number, tid;
    char name[64]; /* the last one told, or "" */
    int first, n;  /* its stretches: they stand together, by rising sequence */
};

/* What is not there. All counts are exact but where said. */
struct trace_loss {
    uint64_t files;   /* whole ones, that could not be opened: of as many processes nothing is there */
    uint64_t unfiled; /* children of the process that could make no file: likewise */
    uint64_t gone; /* forked processes that made one, which is not among the files: likewise; known when the last one was added */
    uint64_t words;            /* that the program says it could not keep */
    uint64_t segments;         /* of which others say that they must have been there (written over, or never stored) */
    uint64_t truncated_units;  /* neither a segment nor empty, or with holes */
    uint64_t unused_units;     /* claimed and never begun: the process died in between */
    uint64_t truncated_points; /* descriptors */
    uint64_t unknown_points;   /* words of points without descriptor; known once the words were read */
    uint64_t damaged_arcs;     /* cells of tables whose times cannot be; known once they were read */
    uint64_t unwritten;        /* words reserved and not stored; likewise */
    uint64_t alive;            /* processes that went on when their file was read; who knows says so: trace_sums_outlived */
    uint64_t
        silent; /* processes with points that went on when their run was over and had no file yet; likewise: trace_sums_silent */
    bool cut;   /* the file is shorter than it says */
    bool truncated_head; /* its checksum is wrong: what it says of clock and modes may be */
    bool full;           /* room ended; how that went on is in the head: enum trace_full */
    bool running;        /* not ended in order: killed, or not over */
};

/* FORMAT: no trace (empty, foreign, a head that makes no sense); VERSION: of a newer tare; TRUNCATED: ends within its head. */
enum tare_status trace_file_open(struct trace_file **out, const char *path, struct tare_err *err);
/* The same from memory, which must stay; `name` is for messages. */
enum tare_status trace_file_open_bytes(struct trace_file **out, const char *name, const void *bytes, size_t n,
                                       struct tare_err *err);
void trace_file_close(struct trace_file *f); /* NULL is fine */

const char *trace_file_name(const struct trace_file *f);
const struct trace_head *trace_file_head(const struct trace_file *f); /* texts are closed by zeros, numbers within their ranges */
const struct trace_loss *trace_file_loss(const struct trace_file *f);
/* A sentence a line about what is lost; nothing when nothing is. */
void trace_loss_text(const struct trace_loss *loss, struct buf *out);
/* Whether passes are missing, or their times may be wrong. Of a process that goes on, those of its longest arcs are. Not what a process that was ended had begun. */
bool trace_loss_of_hits(const struct trace_loss *loss);

int trace_file_points(const struct trace_file *f, const struct trace_place **out);   /* how many; by rising id */
const struct trace_place *trace_file_point(const struct trace_file *f, uint32_t id); /* NULL: none */
int trace_file_threads(const struct trace_file *f, const struct trace_thread **out);
int trace_file_stretches(const struct trace_file *f, const struct trace_stretch **out);

/* The tables of modes count and aggregate: one after the other, each all cells that hold something, of any thread. False ends it. */
bool trace_file_next_arc(const struct trace_file *f, int64_t *cursor, uint32_t *thread, struct trace_arc *out);
bool trace_file_next_count(const struct trace_file *f, int64_t *cursor, uint32_t *thread, struct trace_count *out);

/* Bytes of the file; whole or error. */
enum tare_status trace_file_read(const struct trace_file *f, int64_t at, void *bytes, size_t n, struct tare_err *err);

#endif
