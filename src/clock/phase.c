/* SPDX-License-Identifier: MIT
 *
 * The phase of a counter that moves in steps, drawn: a chain of adds of drawn length before a reading.
 *
 * Length: the sum of two independent uniforms, each over WIDE steps. Each leaves of the phase's k-th harmonic no more than 1 / (pi k w), w its width in
 * steps, whatever w is exactly; the mean of a difference of two readings is then off by less than sum over k of 1 / (pi k) (1 / (pi k WIDE))^2
 * = 1.2 / (pi^3 WIDE^2) of a step: 1.5e-4 for WIDE = 16. So no width has to be calibrated, only not to be too small: a core of CLOCK_FASTEST_HZ
 * makes it as wide as it should be, a slower one wider. In the mean it takes the time of 16 steps on the fastest core, more on others.
 *
 * Assumes that what is timed takes whole cycles of the core, as the delay does; if not, and counter and core keep in step, up to half a cycle is left.
 */
#include "clocks.h"
#include "cpu.h"

enum { WIDE = 16, LEAST = 64, MOST = 100000 };

const double CLOCK_FASTEST_HZ = 1e10;

void clock_phase_open(struct clock_phase *p, uint64_t seed, double step_ns)
{
    const double wide = WIDE * step_ns * 1e-9 * CLOCK_FASTEST_HZ;
    *p = (struct clock_phase){.rng = rng_seeded(seed), .width_adds = wide < LEAST ? LEAST : wide > MOST ? MOST : (int)wide};
}

void clock_phase_draw(struct clock_phase *p)
{
    const uint64_t wide = (uint64_t)p->width_adds;
    cpu_delay(1 + (int)(rng_below(&p->rng, wide) + rng_below(&p->rng, wide)));
}
