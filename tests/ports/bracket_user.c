/* SPDX-License-Identifier: MIT
 * A program of somebody else's that times a piece of itself, built as its author would build it. */
#include <stdio.h>
#include <tare/clock.h>

static volatile unsigned sum;

int main(void)
{
    enum { RUNS = 5 };
    struct tare_clock_info clock;
    tare_clock_describe(&clock);
    printf("%s at %.0f MHz, by %s%s\n", clock.name, clock.hz / 1e6, clock.source, clock.reason);
    for (int i = 0; i < RUNS; i++) {
        struct tare_bracket t;
        char text[TARE_BRACKET_TEXT];
        TARE_START(t);
        for (unsigned k = 0; k < 100000; k++)
            sum += k;
        TARE_STOP(t);
        tare_bracket_text(&t, text, sizeof text);
        puts(text);
    }
    return 0;
}
