/* SPDX-License-Identifier: MIT
 *
 * clock_play.h - a world by a script, and figures that must be near.
 */
#ifndef CLOCK_PLAY_H
#define CLOCK_PLAY_H

#include "clocks.h"
#include "fake.h"
#include "rng.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void play(const char *script)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    clock_forget();
}

static inline void near(double value, double expected, double tolerance, const char *what)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g within %g", what, value, expected, tolerance);
}

#endif
