/* SPDX-License-Identifier: MIT
 *
 * catch2_walk.h - the benchmarks in what Catch2's XML reporter prints. For the reader of such files in the record, and for who wants the names only.
 *
 *     static enum tare_status take(void *context, const struct catch2_item *item) { ... }
 *     status = catch2_walk(text, n, take, context, &err);
 *
 * A benchmark is named by its test case, the sections that it is in, and itself: "parser/empty input/parse". A test case that is run once for each of
 * its sections brings the benchmarks outside of them as often.
 */
#ifndef CATCH2_WALK_H
#define CATCH2_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/status.h>

enum catch2_kind { CATCH2_BEGINS, CATCH2_BENCHMARK, CATCH2_ENDS }; /* a test case begins; a benchmark in it; it ends */

struct catch2_item {
    enum catch2_kind kind;
    const char *name; /* of the test case, or the full one of the benchmark */
    /* Of a benchmark: the mean time of an iteration, of how many in all; NaN: none is given. */
    double mean_ns, iterations;
    /* Why the benchmark, or at its end the test case, failed or was skipped; "": it did not. */
    const char *failure;
    bool skipped;
};

/* A text that is cut brings what is there, and then FORMAT. A status of `take` ends it. */
enum tare_status catch2_walk(const char *text, size_t n, enum tare_status (*take)(void *context, const struct catch2_item *item),
                             void *context, struct tare_err *err);

#endif
