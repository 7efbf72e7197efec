/* SPDX-License-Identifier: MIT
 *
 * The clocks of the processor that runs this, or is said to run it by an emulator: whatever they are worth, what is known must
 * not contradict itself, and what is not must have a reason. No figure is expected. Exit 1 and a line for each contradiction.
 */
#include "clocks.h"
#include "plat.h"
#include <math.h>
#include <stdio.h>

static int contradictions;

static void must(bool truth, const char *what)
{
    if (!truth)
        printf("CONTRADICTION: %s\n", what);
    contradictions += !truth;
}

static void counter(void)
{
    const struct clock_state *c = clock_state();
    printf("%s at %.6f MHz +- %.2f ppm by %s, step %llu ticks; %s\n", c->name, c->hz / 1e6, c->error_ppm,
           c->counter.trusted ? clock_source_name(c->counter.chosen) : "system", (unsigned long long)c->step_ticks,
           c->counter.reason);
    for (int i = 0; i < CLOCK_SOURCES; i++)
        printf("  %s: %.6f MHz %+.2f ppm %s\n", clock_source_name((enum clock_source)i), c->counter.sources[i].hz / 1e6,
               c->counter.sources[i].off_ppm, c->counter.sources[i].reason);
    must(c->counter.trusted == !c->counter.reason[0], "a counter is trusted or has a reason");
    must(c->hz > 0 && c->step_ticks > 0, "the clock runs");
}

static void core(void)
{
    struct clock_core found;
    struct tare_err err = {{0}};
    double hz = NAN;
    enum tare_status status = clock_core_examine(&found, &err);
    printf("core %.1f MHz, one multiply is %.4f adds, %d sets; %s%s\n", found.hz / 1e6, found.ratio, found.sets, found.reason,
           status ? err.text : "");
    must(status || found.agree == !found.reason[0], "chains agree or have a reason");
    must((clock_core_hz(&hz, &err) == TARE_OK) == isfinite(hz), "the core has a frequency or a reason");
}

static void clocks(void)
{
    const struct clock_kind *kind;
    struct tare_err err;
    for (int i = 0; (kind = clock_kind_at(i)); i++) {
        struct clock_step step;
        if (kind->probe(&err)) {
            printf("%s: %s\n", kind->id, err.text);
            continue;
        }
        enum tare_status status = clock_step(kind, &step, &err);
        struct clock_spread cost = clock_cost(kind);
        printf("%s: step %g ns, cost %.1f ns\n", kind->id, step.ns, cost.median);
        must(status || step.ns > 0, "a clock that changes has a step");
        must(!(kind->properties & CLOCK_STEADY) || !step.backwards, "a steady clock does not go back");
    }
}

static void orders(void)
{
    struct clock_order o;
    for (int i = 0; clock_order(i, &o); i++) {
        printf("%s: %s empty %.0f ticks\n", o.order.name, o.order.missing ? o.order.missing : "", o.empty.median);
        must((o.empty.n == 0) == (o.order.missing != NULL), "an order is there or has a reason");
    }
}

static void bracket(void)
{
    struct tare_bracket t;
    struct tare_elapsed e;
    char text[TARE_BRACKET_TEXT];
    int64_t before = plat_clock_ns(clock_reference());
    TARE_START(t);
    plat_clock_sleep_ns(5000000);
    TARE_STOP(t);
    int64_t outer = plat_clock_ns(clock_reference()) - before;
    tare_bracket_elapsed(&t, &e);
    tare_bracket_text(&t, text, sizeof text);
    printf("a sleep of 5 ms: %s\n", text);
    must(e.gross_ns >= 4990000 && e.gross_ns <= outer + outer / 500, "a bracket is not longer than what is around it");
}

int main(void)
{
    counter();
    core();
    clocks();
    orders();
    bracket();
    return contradictions ? 1 : 0;
}
