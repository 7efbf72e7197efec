/* SPDX-License-Identifier: MIT
 *
 * timeline.h - memory over one run of a command that nobody timed: samples of what was resident and of the live heap, bounded however
 * long the run was.
 *
 *     struct timeline t;
 *     timeline_init(&t, &samples, 200000);                        // begins with a sample each 200 us
 *     timeline_add(&t, 1300000, 8192000, NAN);
 *     record_add_timeline(&record, &t);                           // copies
 *
 * Sample i stands for the time from at_ns[i] to at_ns[i] + period_ns, and holds the largest value that was seen in it. When the room
 * is full the period doubles and neighbours become one: nothing that was seen is lost but when exactly it was. Where nothing was seen
 * no sample stands, so at_ns may jump. Peaks are kept beside the samples.
 * Times are ns from the run's start. NaN is "not known". Ownership: the arrays are the caller's or the record's.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

enum { TIMELINE_MOST = 1024 }; /* samples; a full timeline has between half of it and this */

struct timeline_samples {
    int64_t at_ns[TIMELINE_MOST];
    double rss[TIMELINE_MOST], heap[TIMELINE_MOST]; /* bytes */
};

#define TIMELINE_MISSED 1.01 /* times what was seen: a kernel's peak beyond it was missed by the samples */

struct timeline {
    int subject;
    int64_t start_ns;        /* from the session's start; -1: it was not started */
    double wall_ns;          /* of this run, which carried the counter and was looked at: no measurement */
    const char *exit_status; /* "ended with exit code 3"; NULL: it ended well */
    int64_t period_ns;
    int n;
    int64_t *at_ns;
    double *rss, *heap; /* of all its processes; heap: in blocks that the C library's calls handed out */

    double rss_peak, rss_peak_ns; /* the largest that was seen, and when */
    double largest_process;       /* the kernel's own peak, of the largest single process */
    int processes;                /* that were seen */

    const char *heap_reason; /* why there is no heap; NULL: there is */
    double heap_peak, heap_peak_ns;
    bool heap_peak_exact; /* kept at each allocation; false: of several processes, the largest that was seen together */
    double heap_left;     /* live when its processes ended */
    double allocations, reallocations, frees, failures, allocated_bytes;
    int unwatched;  /* processes that were seen and could not be counted in */
    int left_count; /* processes that were counted in until they executed a program which could not be */
};

/* No samples yet; all figures not known. */
void timeline_init(struct timeline *t, struct timeline_samples *room, int64_t period_ns);
/* Times do not fall; one before the run's start counts as 0. */
void timeline_add(struct timeline *t, int64_t at_ns, double rss, double heap);

#endif
