/* SPDX-License-Identifier: MIT
 *
 * harness_frames.h - what programs of other harnesses and files with results say, as frames of wire.h. Inside of src/harness; not for others.
 */
#ifndef HARNESS_FRAMES_H
#define HARNESS_FRAMES_H

#include "harness.h"
#include "record_read.h"

#define HARNESS_ITERATIONS_MOST 1e18 /* of all samples */

void harness_put_hello(struct buf *frames, const struct harness *h, int benchmarks, const char *trouble);
void harness_put_bench(struct buf *frames, const struct harness *h, const char *name, uint32_t index);
/* HELLO to BYE of one that failed or was skipped. */
void harness_put_failure(const struct harness *h, const char *benchmark, const struct record_failure *failure,
                         struct buf *frames);
struct wire_end harness_end(void); /* of one that went well, of which nothing is known */
/* Ticks are whole nanoseconds. *scale becomes larger, in steps of 1000, until so many times `ns`, of a sample, has the digits of a short time; `iterations`:
 * of all samples, which are put so many times too. False: no scale keeps them. */
bool harness_keep_digits(double ns, double iterations, double *scale);
/* All columns but `time` and a few that say how it was measured are counters: means of the samples. `steps`: out, HARNESS_STEPS of them. */
void harness_put_counters(const struct harness *h, const struct record *r, const struct series *s, const char *benchmark,
                          const char *time, struct wire_end *end, double *steps);

#endif
