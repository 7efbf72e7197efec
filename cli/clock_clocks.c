/* SPDX-License-Identifier: MIT
 *
 * The clocks of this machine as subjects of the record. */
#include "clock_session.h"
#include "plat.h"
#include <tare/stats.h>

enum { BATCHES = 201, BATCH = 100 };

enum tare_status clock_measure_clocks(struct clock_session *s, struct tare_err *err)
{
    const struct subject clock = {.kind = SUBJECT_CLOCK, .name = "CLOCK_MONOTONIC", .command = "CLOCK_MONOTONIC"};
    int subject = record_add_subject(&s->record, &clock, NULL, 0);
    double cost[BATCHES], step = INFINITY;
    for (int i = 0; i < BATCHES; i++) {
        int64_t start = plat_now_ns(), before = start;
        for (int k = 0; k < BATCH; k++) {
            int64_t now = plat_now_ns();
            step = now > before ? fmin(step, (double)(now - before)) : step;
            before = now;
        }
        cost[i] = (double)(before - start) / BATCH;
    }
    tare_sort(cost, BATCHES);
    bool good = subject >= 0 &&
                !clock_estimate(s, subject, "cost", "p10", tare_quantile_sorted(cost, BATCHES, 0.1), BATCHES, NULL) &&
                !clock_estimate(s, subject, "cost", "median", tare_quantile_sorted(cost, BATCHES, 0.5), BATCHES, NULL) &&
                !clock_estimate(s, subject, "cost", "p99", tare_quantile_sorted(cost, BATCHES, 0.99), BATCHES, NULL) &&
                !clock_estimate(s, subject, "step", "min", step, BATCHES * BATCH, NULL);
    good = good && !clock_add_frequency(s, subject);
    return good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the clocks");
}
