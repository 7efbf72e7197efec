/* SPDX-License-Identifier: MIT
 *
 * sample_length.h - how long the samples of a benchmark of another harness are to be. They double until the noise within processes is below that between
 * processes: from then on longer samples would only make fewer processes of the same time.
 *
 *     struct sample_length l = {.ns = 15000000, .most_ns = 100000000};
 *     sample_length_take(&l, values, n);          // after each process, the times of an iteration in its samples
 *     sample_length_share(&l, twin);              // before each round
 *     ... ask for samples of l.ns ...
 */
#ifndef SAMPLE_LENGTH_H
#define SAMPLE_LENGTH_H

#include <stdint.h>

struct sample_length {
    int64_t ns, most_ns; /* no longer than that */
    /* Processes of this length so far: how many, the sum of the variances of their means as the samples say, and Welford's sums of the means. */
    int n;
    double within, mean, squares;
};

/* Some samples that are no times, or fewer than two, say nothing. */
void sample_length_take(struct sample_length *l, const double *values, int n);
/* What is compared has samples of one length: the longer one. */
void sample_length_share(struct sample_length *a, struct sample_length *b);

#endif
