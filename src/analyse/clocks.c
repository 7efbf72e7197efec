/* SPDX-License-Identifier: MIT
 *
 * The estimates of tare clock that follow from rows: those of every subject as observed (estimate.c), and of the sleeps the granularity.
 *
 * Granularity: of each length asked for the least lateness seen, and of these the one that nine in ten do not exceed (the value of rank
 * floor(0.9 (k - 1)) of k). Where sleeps end anywhere it is the time that waking up takes; where they end on a tick most lengths miss one,
 * and it is nearly the tick. Assumes that of nine lengths in ten one sleep was undisturbed; if not, it is too large, never too small.
 * Lengths of one sleep count as they are. No rows, or a NaN among them: no value.
 */
#include "analyse.h"
#include "buf.h"
#include <stdlib.h>
#include <tare/stats.h>

static double least_lateness(const double *asked, const double *late, int n, double length)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        if (asked[i] == length)
            least = isnan(late[i]) || isnan(least) ? NAN : fmin(least, late[i]);
    return least;
}

static bool seen_before(const double *asked, int i)
{
    for (int k = 0; k < i; k++)
        if (asked[k] == asked[i])
            return true;
    return false;
}

/* room: n doubles. NaN without a value. */
static double granularity(const double *asked, const double *late, int n, double *room)
{
    int lengths = 0;
    for (int i = 0; i < n; i++)
        if (!seen_before(asked, i))
            room[lengths++] = least_lateness(asked, late, n, asked[i]);
    for (int i = 0; i < lengths; i++)
        if (!isfinite(room[i]))
            return NAN;
    tare_sort(room, lengths);
    return lengths ? room[(lengths - 1) * 9 / 10] : NAN;
}

static enum tare_status add_granularity(struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    const double *asked = series_values(s, "asked"), *late = series_values(s, "late");
    double *room = malloc((size_t)(s->main.n + 1) * sizeof *room);
    if (!room)
        return TARE_NO_MEMORY;
    double value = asked && late ? granularity(asked, late, s->main.n, room) : NAN;
    free(room);
    struct estimate e =
        estimate_point(subject, "late", "granularity", "nine in ten of the least lateness at each length", value, s->main.n);
    e.reason = isnan(value) ? "no sleep was measured" : NULL;
    return record_add_estimate(r, &e) < 0 ? TARE_NO_MEMORY : TARE_OK;
}

enum tare_status analyse_clocks(struct record *r, struct tare_err *err)
{
    const struct look none = {0};
    for (int i = 0; i < r->n_subjects; i++) {
        enum tare_status status = r->series[i].main.n ? analyse_group(r, &i, 1, &none, err) : TARE_OK;
        if (!status && series_column(&r->series[i], "late") >= 0 && add_granularity(r, i))
            status = err_no_memory(err);
        if (status)
            return status;
    }
    return TARE_OK;
}
