/* SPDX-License-Identifier: MIT
 *
 * The clocks on the scripted platform, printed: the same lines on every processor.
 */
#include "clocks.h"
#include "fake.h"
#include <stdio.h>

static void print(const char *name, double value)
{
    char text[64];
    struct buf b = buf_over(text, sizeof text);
    buf_format(&b, "%.9g", value);
    printf("%s %s\n", name, text);
}

static void print_scales(void)
{
    const uint64_t micro_hz[] = {1000000,         32768000000,      3579545000000,    62500000000000,
                                 121875000000000, 2500003840000000, 10000000000000000};
    const int64_t ticks[] = {1, 999, 1000000007, INT64_C(1) << 40, INT64_C(1) << 62, -12345678901234567};
    for (size_t i = 0; i < sizeof micro_hz / sizeof *micro_hz; i++) {
        struct clock_scale scale = clock_scale_of(micro_hz[i]);
        printf("scale %llu %llu >> %d:", (unsigned long long)micro_hz[i], (unsigned long long)scale.multiplier, scale.shift);
        for (size_t k = 0; k < sizeof ticks / sizeof *ticks; k++)
            printf(" %lld", (long long)clock_ticks_ns(&scale, ticks[k]));
        puts("");
    }
}

static void print_state(void)
{
    const struct clock_state *c = clock_state();
    struct clock_core core;
    printf("%s %d %s%s\n", c->name, c->counter.trusted, clock_source_name(c->counter.chosen), c->counter.reason);
    print("hz", c->hz);
    print("error ppm", c->error_ppm);
    for (int i = 0; i < CLOCK_SOURCES; i++)
        printf("%s: %s\n", clock_source_name((enum clock_source)i), c->counter.sources[i].reason);
    if (clock_core_examine(&core, NULL))
        return;
    print("core", core.hz);
    print("ratio", core.ratio);
}

static void print_orders(void)
{
    struct clock_order o;
    for (int i = 0; clock_order(i, &o); i++) {
        printf("%s\n", o.order.name);
        for (int k = 0; k < CLOCK_CHAINS; k++)
            print("cycles", o.chain[k].cycles);
    }
}

static void print_bracket(void)
{
    struct tare_bracket t;
    char text[TARE_BRACKET_TEXT];
    TARE_START(t);
    cpu_chain_run(CHAIN_OF_MULTIPLIES, 12300);
    TARE_STOP(t);
    tare_bracket_text(&t, text, sizeof text);
    puts(text);
}

int main(void)
{
    static const char *const scripts[] = {
        "",
        "ticks 2500M\nticks kernel 2500M\ncore 2900M\n",
        "ticks name cntvct\nticks 62500k\nticks step 62\nticks register 62500000\ncore 2600M\ncore multiply 4\n",
        "ticks name cntvct\nticks 62M\nticks register 62500000\n",
        "ticks forbidden\n",
        "core add 0.4\n",
    };
    print_scales();
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct tare_err err = {{0}};
        if (fake_script_set(scripts[i], &err)) {
            puts(err.text);
            return 1;
        }
        clock_forget();
        print_state();
        print_orders();
        print_bracket();
    }
    return 0;
}
