/* SPDX-License-Identifier: MIT
 *
 * The counter against the reference clock: two moments apart, at each of which both are read.
 *
 * A moment: the clock is read between two ordered reads of the counter, 31 times, and the narrowest bracket counts; that the
 * clock was read somewhere in it is certain, whatever interrupted the others. So the error of the frequency has a bound: half
 * of both widths, a step of the counter and one of the clock, over the time between. (Of a counter in coarse steps both reads of a bracket
 * are often equal: a width of 0, and yet the moment may lie anywhere in the step.) Reading in the middle, which is where the clock does
 * read, makes the error itself some twenty times smaller. The bound is against the reference clock: how true that one is nobody here knows.
 */
#include "buf.h"
#include "clock_core_state.h"
#include "cpu.h"
#include "wire.h"

enum { TRIES = 31 };

enum plat_clock clock_reference(void)
{
    return plat_clock_step_ns(PLAT_CLOCK_RAW) ? PLAT_CLOCK_RAW : PLAT_CLOCK_MONOTONIC;
}

static bool counter_is_read; /* made with the clock of this process, see clock_state.c */

void clock_brackets_read(bool counter)
{
    counter_is_read = counter;
}

uint64_t clock_ticks_now(void)
{
    return counter_is_read ? cpu_ticks_begin() : (uint64_t)plat_clock_ns(clock_reference());
}

/* False: the counter went backwards. */
static bool read_once(struct clock_pair *out, enum plat_clock clock)
{
    uint64_t before = cpu_ticks_begin();
    out->ns = plat_clock_ns(clock);
    uint64_t after = cpu_ticks_end(NULL);
    out->width_ticks = after - before;
    out->ticks = before + out->width_ticks / 2;
    return after >= before;
}

bool clock_pair_read(struct clock_pair *out)
{
    enum plat_clock clock = clock_reference();
    out->width_ticks = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        struct clock_pair one;
        if (!read_once(&one, clock))
            return false;
        if (one.width_ticks < out->width_ticks)
            *out = one;
    }
    return true;
}

double clock_reading_ppm(const struct clock_pair *from, const struct clock_pair *to, uint64_t step_ticks)
{
    double half_widths = ((double)from->width_ticks + (double)to->width_ticks) / 2;
    double ticks = (double)(to->ticks - from->ticks), ns = (double)(to->ns - from->ns);
    return ((half_widths + (double)step_ticks) / ticks + (double)plat_clock_step_ns(clock_reference()) / ns) * 1e6;
}

enum tare_status clock_calibrate(struct clock_calibration *out, int64_t over_ns, struct tare_err *err)
{
    out->step_ticks = (uint64_t)step_in_a_row(cpu_ticks_begin);
    bool forwards = clock_pair_read(&out->from);
    plat_clock_sleep_ns(over_ns);
    forwards = clock_pair_read(&out->to) && forwards && out->to.ticks >= out->from.ticks;
    if (!forwards)
        return err_set(err, TARE_INVALID, "the counter went backwards while it was calibrated");
    double ticks = (double)(out->to.ticks - out->from.ticks), ns = (double)(out->to.ns - out->from.ns);
    if (ns <= 0 || ticks <= 0)
        return err_set(err, TARE_INVALID, "%s stood still while the counter was calibrated",
                       ns <= 0 ? "the clock" : "the counter");
    out->hz = ticks / ns * 1e9;
    if (!(out->hz >= WIRE_HZ_LEAST && out->hz <= WIRE_HZ_MOST))
        return err_set(err, TARE_INVALID, "the counter or the clock jumped while it was calibrated: no counter runs at %.3g Hz",
                       out->hz);
    out->error_ppm = clock_reading_ppm(&out->from, &out->to, out->step_ticks);
    return TARE_OK;
}
