/* SPDX-License-Identifier: MIT
 *
 * The counters of two CPUs against each other. In each exchange the answer was stamped between question and arrival, so
 * offset = answer - middle is wrong by at most half of the way there and back. The truth lies in all of these intervals at
 * once; their intersection is what is known, its middle the estimate. When both counters agree, 0 is in it.
 * Assumes one rate on both, which the invariant counter of one machine has. One exchange suffices; empty intersection (a clock
 * that jumped meanwhile): the interval of the shortest exchange counts.
 */
#include "clocks.h"
#include <math.h>

enum { ROUNDS = 1000 };

struct range {
    double low, high;
};

/* There minus here lies between these: the answer came after the question and before the arrival. */
static struct range range_of(const struct plat_exchange *e)
{
    return (struct range){(double)(int64_t)(e->there - e->here_after), (double)(int64_t)(e->there - e->here_before)};
}

static struct range known(const struct plat_exchange *e, int n)
{
    struct range all = {-INFINITY, INFINITY}, shortest = all;
    for (int i = 0; i < n; i++) {
        struct range r = range_of(&e[i]);
        all.low = r.low > all.low ? r.low : all.low;
        all.high = r.high < all.high ? r.high : all.high;
        if (r.high - r.low < shortest.high - shortest.low)
            shortest = r;
    }
    return all.low <= all.high ? all : shortest;
}

enum tare_status clock_skew(int here, int there, struct clock_skew *out, struct tare_err *err)
{
    struct plat_exchange e[ROUNDS];
    enum tare_status status = plat_ticks_allowed(err);
    if (!status)
        status = plat_exchange(here, there, e, ROUNDS, err);
    if (status)
        return status;
    struct range r = known(e, ROUNDS);
    *out = (struct clock_skew){.ticks = (r.low + r.high) / 2, .bound_ticks = (r.high - r.low) / 2, .rounds = ROUNDS};
    for (int i = 0; i < ROUNDS; i++) {
        struct range one = range_of(&e[i]);
        out->impossible += one.low > 0 || one.high < 0;
    }
    return TARE_OK;
}
