/* SPDX-License-Identifier: MIT
 * What an empty bracket weighs; apart from the bracket itself, which most programs with benchmarks do not use. */
#include "clock_core_state.h"

/* What a bracket reads where the counter cannot be read in line. */
struct tare_ticks tare_ticks_by_call(void)
{
    return (struct tare_ticks){clock_ticks_now()};
}

static int64_t between(const struct tare_bracket *b)
{
    return (int64_t)(b->stop.count - b->start.count);
}

/* Over a struct of our own, whose way the compiler keeps in a register. The caller's stop looks it up, five cycles that
 * pass while the caller's code still runs; only around nothing do they show, and that is the floor below. */
void clock_bracket_weigh(int64_t *empty, int n, enum tare_ticks_way way)
{
    struct tare_bracket b = {.way = way};
    for (int i = 0; i < n; i++) {
        tare_bracket_start(&b);
        tare_bracket_stop(&b);
        empty[i] = between(&b);
    }
}

static void weigh_with_look(struct tare_bracket *b, int64_t *empty, int n)
{
    for (int i = 0; i < n; i++) {
        tare_bracket_start(b);
        tare_bracket_stop(b);
        empty[i] = between(b);
    }
}

double clock_bracket_floor(enum tare_ticks_way way, double step)
{
    enum { SAMPLES = 101 };
    int64_t without[SAMPLES], with[SAMPLES];
    struct tare_bracket b = {.way = way};
    struct tare_bracket *volatile known_to_all = &b;
    clock_bracket_weigh(without, SAMPLES, way);
    weigh_with_look(known_to_all, with, SAMPLES);
    double floor = clock_spread_in_steps(with, SAMPLES, step).median - clock_spread_in_steps(without, SAMPLES, step).median;
    return floor > 0 ? floor : 0;
}
