/* SPDX-License-Identifier: MIT
 *
 * How far clocks run apart over a session, and how far the counters of two CPUs are apart.
 *
 * Rates: a clock is read between two readings of the reference clock, the narrowest of some tries, at both ends; so the error is about
 * the cost of a reading over the length of the session: 10 ns in 3 s are 0.003 ppm.
 * Skew: of n exchanges the one that took least; there the counter of the other CPU was read between two readings of this one, and
 * nothing is known but that: the middle, give or take half of the way.
 */
#include "buf.h"
#include "ways.h"
#include <math.h>

enum { TRIES = 31, EXCHANGES = 1000 };

static enum plat_clock clock_of(int way)
{
    return (enum plat_clock)(way - 1);
}

static const char *no_rate(int way)
{
    if (way == CLOCK_COUNTER_WAY)
        return NULL;
    switch (clock_of(way)) {
    case PLAT_CLOCK_PROCESS_CPU:
    case PLAT_CLOCK_THREAD_CPU:
        return "it stands still while we sleep";
    case PLAT_CLOCK_COARSE:
        return "its step is too long";
    case PLAT_CLOCK_RAW:
        return clock_reference() == PLAT_CLOCK_RAW ? "" : "the system has no such clock";
    default:
        return plat_clock_ns(clock_of(way)) == INT64_MIN ? "the system has no such clock" : NULL;
    }
}

/* The reference and the clock at one moment. */
static void read_pair(enum plat_clock clock, int64_t *reference_ns, int64_t *clock_ns)
{
    int64_t narrowest = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t before = plat_clock_ns(clock_reference()), now = plat_clock_ns(clock), after = plat_clock_ns(clock_reference());
        if (after - before >= narrowest)
            continue;
        narrowest = after - before;
        *reference_ns = before + narrowest / 2;
        *clock_ns = now;
    }
}

void clock_rates_begin(struct clock_rates *r)
{
    for (int way = 0; way < CLOCK_WAYS; way++) {
        r->ppm[way] = NAN;
        r->reason[way] = no_rate(way);
        if (way != CLOCK_COUNTER_WAY && !r->reason[way])
            read_pair(clock_of(way), &r->raw_ns[way], &r->clock_ns[way]);
    }
}

static double counter_rate(const char **reason)
{
    double ppm, bound;
    enum tare_status status = clock_drift(&ppm, &bound, NULL);
    *reason = !status ? NULL : status == TARE_UNSUPPORTED ? "the counter is not trusted" : "it went backwards";
    return status ? NAN : ppm;
}

void clock_rates_end(struct clock_rates *r)
{
    r->ppm[CLOCK_COUNTER_WAY] = counter_rate(&r->reason[CLOCK_COUNTER_WAY]);
    for (int way = 1; way < CLOCK_WAYS; way++) {
        int64_t reference_ns = 0, clock_ns = 0;
        if (r->reason[way])
            continue;
        read_pair(clock_of(way), &reference_ns, &clock_ns);
        double span = (double)(reference_ns - r->raw_ns[way]);
        if (span > 0)
            r->ppm[way] = ((double)(clock_ns - r->clock_ns[way]) / span - 1) * 1e6;
        else
            r->reason[way] = "the reference clock stood still";
    }
}

/* ---- between CPUs ---- */

enum tare_status clock_skew(int here, int there, struct clock_skew_found *out, struct tare_err *err)
{
    struct plat_exchange rounds[EXCHANGES];
    const struct clock_state *c = clock_state();
    *out = (struct clock_skew_found){NAN, NAN};
    if (!c->counter.trusted)
        return err_set(err, TARE_UNSUPPORTED, "%s", c->counter.reason);
    enum tare_status status = plat_exchange(here, there, rounds, EXCHANGES, err);
    if (status)
        return status;
    const struct plat_exchange *best = &rounds[0];
    for (int i = 1; i < EXCHANGES; i++)
        if (rounds[i].here_after - rounds[i].here_before < best->here_after - best->here_before)
            best = &rounds[i];
    double way_ns = (double)(best->here_after - best->here_before) / c->hz * 1e9;
    out->ns = (double)(int64_t)(best->there - best->here_before) / c->hz * 1e9 - way_ns / 2;
    out->bound_ns = way_ns / 2;
    return TARE_OK;
}
