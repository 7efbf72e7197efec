/* SPDX-License-Identifier: MIT
 *
 * sample_length.h - how long the samples of a benchmark of another harness are to be. A process takes s besides the m of its samples, and its value has
 * the variance w / m + b, within and between processes. In a given time the mean is most precise where (s + m) (w / m + b) is least. Samples double where
 * that becomes less by a fifth. Both variances are robust, as the comparison is: those of normal values with the same medians. What a harness runs beyond
 * what it is asked for counts as s. The shorter the processes, the closer are the two that are compared, too: what disturbs the machine for longer than a
 * pair cancels. Nor do samples double where a process would then take longer than its share of the session: harnesses run more than they are asked for, and
 * on a busy machine a process waits.
 *
 *     struct sample_length l = {.ns = 15000000, .most_ns = 100000000, .process_ns = 200000000};
 *     sample_length_take(&l, values, n, n, took_ns); // after each process, the times of an iteration in its samples
 *     sample_length_share(&l, twin);              // before each round
 *     ... ask for samples of l.ns ...
 */
#ifndef SAMPLE_LENGTH_H
#define SAMPLE_LENGTH_H

#include <stdint.h>

enum { SAMPLE_LENGTH_SEEN = 32 };

struct sample_length {
    int64_t ns, most_ns; /* no longer than that */
    double process_ns;   /* of a process's time; 0: any */
    /* Processes of this length so far, the first of them: the variance of each one's mean as its samples say, its mean, its time. */
    int n;
    float within[SAMPLE_LENGTH_SEEN], means[SAMPLE_LENGTH_SEEN], took_ns[SAMPLE_LENGTH_SEEN];
};

/* Some values of a process that made so many samples. took_ns: of the process; 0: not known, the length stays. Some samples that are no times, or fewer than two, say nothing. */
void sample_length_take(struct sample_length *l, const double *values, int n, int samples, double took_ns);
/* No longer than most_ns; half of it where a process has a share of the time, as it takes about twice what it is asked for. */
void sample_length_reach(struct sample_length *l, int64_t least_ns);
/* What is compared has samples of one length: the longer one. */
void sample_length_share(struct sample_length *a, struct sample_length *b);

#endif
