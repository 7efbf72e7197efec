/* SPDX-License-Identifier: MIT
 *
 * harness_frames.h - what programs of other harnesses and files with results say, as frames of wire.h. Inside of src/harness; not for others.
 */
#ifndef HARNESS_FRAMES_H
#define HARNESS_FRAMES_H

#include "harness.h"
#include "record_read.h"

void harness_put_hello(struct buf *frames, const struct harness *h, int benchmarks, const char *trouble);
void harness_put_bench(struct buf *frames, const struct harness *h, const char *name, uint32_t index);
/* HELLO to BYE of one that failed or was skipped. */
void harness_put_failure(const struct harness *h, const char *benchmark, const struct record_failure *failure,
                         struct buf *frames);
struct wire_end harness_end(void); /* of one that went well, of which nothing is known */
/* Of the wire, for a sample of `ns`: ticks are whole nanoseconds, and so many times them have its digits. 0: none has. */
double harness_scale(double ns, double iterations);
void harness_put_sample(struct buf *frames, double ns, double iterations);
/* All columns but `time` and a few that say how it was measured are counters: means of the samples. `steps`: out, HARNESS_STEPS of them. */
void harness_put_counters(const struct harness *h, const struct record *r, const struct series *s, const char *benchmark,
                          const char *time, struct wire_end *end, double *steps);

#endif
