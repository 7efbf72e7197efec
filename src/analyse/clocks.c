/* SPDX-License-Identifier: MIT
 *
 * The estimates of tare clock that follow from rows: those of every subject as observed (estimate.c), and of the sleeps the granularity.
 *
 * Granularity: the largest, over the lengths asked for, of the least lateness seen at that length. Where sleeps end anywhere it is
 * the time a wake-up takes; where they end on a tick, some length just misses one, and it is nearly the tick. Assumes that each length
 * was undisturbed at least once; a disturbance of all its sleeps makes it too large, never too small. Lengths of one sleep count as they are.
 * No rows, or a NaN among them: no value.
 */
#include "analyse.h"
#include "buf.h"

static double least_lateness(const double *asked, const double *late, int n, double length)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        if (asked[i] == length)
            least = fmin(least, late[i]);
    return least;
}

static enum tare_status add_granularity(struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    const double *asked = series_values(s, "asked"), *late = series_values(s, "late");
    double largest = -INFINITY;
    for (int i = 0; asked && late && i < s->main.n; i++) {
        double least = isnan(late[i]) ? NAN : least_lateness(asked, late, s->main.n, asked[i]);
        largest = isnan(least) || isnan(largest) ? NAN : fmax(largest, least);
    }
    bool known = isfinite(largest);
    const struct estimate e = {.subject = subject,
                               .metric = "late",
                               .statistic = "granularity",
                               .method = "largest of the least lateness at each length",
                               .point = known ? largest : NAN,
                               .low = -INFINITY,
                               .high = INFINITY,
                               .n = s->main.n,
                               .n_effective = NAN,
                               .reason = known ? NULL : "no sleep was measured"};
    return record_add_estimate(r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status analyse_clocks(struct record *r, struct tare_err *err)
{
    const struct look none = {0};
    for (int i = 0; i < r->n_subjects; i++) {
        enum tare_status status = r->series[i].main.n ? analyse_group(r, &i, 1, &none, err) : TARE_OK;
        if (!status && series_column(&r->series[i], "late") >= 0 && add_granularity(r, i))
            status = err_set(err, TARE_NO_MEMORY, "no memory for the results");
        if (status)
            return status;
    }
    return TARE_OK;
}
