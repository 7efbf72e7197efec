/* SPDX-License-Identifier: MIT
 *
 * trace_sums.h - what all passages of a run come to, arc by arc, as exact whole numbers.
 *
 *     struct trace_sums *s;
 *     trace_sums_create(&s, &(struct trace_sums_options){.workers = 2}, &err);
 *     for each file of the run's folder: trace_file_open(&f, ...); trace_sums_add(s, f, &err); trace_file_close(f);
 *     trace_sums_finish(s);
 *     ... trace_sums_run(s), trace_sums_arcs(s, &arcs) ...; trace_sums_record(s, record, subject, round, &err)
 *     trace_sums_destroy(s);
 *
 * Words are added up in parallel by stretches; arcs cross their borders exactly. Tables of the modes count and aggregate are merged in.
 * Sums are exact and do not depend on the order or on the number of workers, but where a table without times of bins was merged (`estimated`).
 * Memory: some 2 KB for each arc and worker, and a window of words for each worker; not more for more events. Lanes that belong to no thread:
 * 24 bytes for each that was ever used.
 *
 * Time of a passage: tick of its end less tick of its begin, less what libtare's slow path took in between. The probe's own weight is in it
 * once, and once for each of the words that count beside the chain (trace_arc_sum.words); it stands beside it: nothing is subtracted here. With four stamps (TRACE_PRECISE) it is (t3 - t2) - ((t2 - t1) + (t4 - t3)) / 2, as
 * published, and may be negative; units are then half ticks. Written more than once for each pass (head.repeat), a passage is
 * that from the first word of one pass to the first of the next.
 *
 * Classes of passages: gaps (the slow path fell into it), migrated (the CPU changed in it), handlers (a signal handler passed points in
 * it), nested (it is within such a handler), stamps (with four timestamps: more than 1 us is between two of a pair), interrupted (longer than median + 20 MAD and 1 us, of its arc in this run: bins, so to within an
 * eighth), backwards (the clock went back; in no sum). clean: all that is not interrupted.
 */
#ifndef TRACE_SUMS_H
#define TRACE_SUMS_H

#include "record_arcs.h"
#include "trace_file.h"

struct record;
struct trace_sums;

struct trace_sums_options {
    int workers; /* 0: one */
    double
        hz; /* of the processor's counter, where the caller knows it better than files that had to find it out in a short run; 0 */
    bool one_process; /* of a run that may have left more files: those of its children are not missed */
};

struct trace_bin_sum {
    int bin; /* trace_bin() of the time; of negative ones 0 */
    uint64_t n;
    int64_t sum; /* of the times that fell into it */
};

/* The group of passages that a program added up when room had ended: the same arc may be there without them too. */
enum { TRACE_ADDED_APART = -1 };

/* Times in units: ticks, or half of them (trace_run.units_per_tick). Indexes of points are those of trace_sums_points. */
struct trace_arc_sum {
    int from, to;
    int group; /* 0, or TRACE_ADDED_APART */
#define UNSIGNED(id, sparse, meaning) uint64_t id;
#define SIGNED(id, meaning)           int64_t id;
#define FLAG(id, meaning)             bool id;
#include "traced_sums.def"
    const struct trace_bin_sum *bins; /* rising; those with n above 0 */
    int n_bins;
};

struct trace_sum_point {
    struct trace_place place; /* as of the first file that has it; its id means nothing here */
    uint64_t passes;
};

/* Of the weight of a probe: rows of passes that the slow path makes, and what it says of them. */
struct trace_weight {
    uint64_t rows;              /* of points that are written down or, where none are, added up */
    double mean, sd;            /* over these rows, each its mean without interrupted ones; units. NaN: fewer than one, two */
    double of[TRACE_WEIGHED];   /* mean over the rows of each kind, units; NaN: there are none. WEIGHED_POINT is `mean` */
    double bare[TRACE_WEIGHED]; /* the same in an arc without anything in it */
};
struct trace_run {
    int files, threads;
    uint64_t events; /* passes of points that were read as words */
    uint64_t words;
    double hz;                     /* units per second; 0: no moments and no frequency: nothing can be turned into time */
    int units_per_tick;            /* 1, 2 with four stamps */
    double step;                   /* of the clock, units */
    uint32_t clock, order, repeat; /* of the first file */
    int other_clocks;              /* files whose units were another's, and were converted */
    int merged;                    /* points of a file that are one here: same file, line, function, name and kind */
    int64_t first_ns, last_ns;     /* raw clock: from the first to the last event; both 0: there is none */
    bool degraded;                 /* a part is from tables that took over when room ended */
    bool burst;                    /* times are of windows, passes of all */
    struct trace_loss loss;
    double residual_ppm; /* trace_clock_check, the worst of the files */
    int jumps, steps;
    double jump_ns, step_ns;
    struct trace_weight weight;
};

enum tare_status trace_sums_create(struct trace_sums **out, const struct trace_sums_options *o, struct tare_err *err);
void trace_sums_destroy(struct trace_sums *s); /* NULL is fine */
/* Adds a process. NO_MEMORY, IO, TOO_LARGE (more arcs than 2^20): what was added of this file stays undefined, give the sums up. */
enum tare_status trace_sums_add(struct trace_sums *s, const struct trace_file *f, struct tare_err *err);
/* A process whose file could not be opened: it is counted in loss.files. */
void trace_sums_miss(struct trace_sums *s);
/* Whether a file of the same process was added, of which this is a copy. */
bool trace_sums_again(const struct trace_sums *s, const struct trace_file *f);
/* Before the first file: those of the runs before are known too, and `before` forgets them. */
void trace_sums_follow(struct trace_sums *s, struct trace_sums *before);
/* A process whose file was added goes on: it is counted in loss.alive. */
void trace_sums_outlived(struct trace_sums *s);
/* A process with points goes on that has no file, for it has passed none of them: it is counted in loss.silent. */
void trace_sums_silent(struct trace_sums *s);
/* After the last file: classes that need all of them. Adding goes on afterwards; then finish again. */
enum tare_status trace_sums_finish(struct trace_sums *s, struct tare_err *err);

const struct trace_run *trace_sums_run(const struct trace_sums *s);
int trace_sums_points(const struct trace_sums *s, const struct trace_sum_point **out); /* all described ones, passed or not */
int trace_sums_arcs(const struct trace_sums *s, const struct trace_arc_sum **out);     /* by from, to, group */

/* Of a trace's point (enum trace_point_kind), in a record. */
enum point_kind trace_record_kind(uint8_t kind);
/* As one run of the subject: record_arcs.h. Points that the record has already are found again. */
enum tare_status trace_sums_record(const struct trace_sums *s, struct record *r, int subject, int round, struct tare_err *err);

#endif
