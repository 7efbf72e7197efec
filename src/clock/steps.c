/* SPDX-License-Identifier: MIT
 *
 * The step of a clock from the differences of readings in a row. A clock that mostly stands still between two readings is seen to
 * step, and its smallest difference is the step; one that always moves on shows only what all its differences are multiples of.
 */
#include "clock_core_state.h"

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void step_add(struct step_count *s, int64_t difference)
{
    s->backwards += difference < 0;
    s->still += difference == 0;
    if (difference <= 0)
        return;
    s->divisor = common_divisor(difference, s->divisor);
    s->closest = s->n++ && s->closest < difference ? s->closest : difference;
}

int64_t step_of(const struct step_count *s)
{
    return s->still > s->n ? s->closest : s->divisor;
}

/* A counter of 1 MHz needs some thousand readings for so many changes. */
int64_t step_in_a_row(uint64_t (*read)(void))
{
    enum { CHANGES = 200, READINGS = 100000 };
    struct step_count steps = {0};
    uint64_t last = read();
    for (int i = 0; i < READINGS && steps.n < CHANGES; i++) {
        uint64_t now = read();
        step_add(&steps, (int64_t)(now - last));
        last = now;
    }
    return step_of(&steps);
}
