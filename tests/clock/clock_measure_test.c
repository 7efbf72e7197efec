/* SPDX-License-Identifier: MIT
 *
 * Brackets, and what is measured of each clock, on the fake platform. There a reading of a system clock takes 1 us, one of the
 * counter 20 ticks at 2 GHz, and the core runs at 3 GHz, unless a test says otherwise.
 */
#include "clock_play.h"
#include "plat.h"

/* ---- brackets ---- */

static struct tare_elapsed around_multiplies(int n, char *text, size_t size)
{
    struct tare_bracket t;
    struct tare_elapsed e;
    TARE_START(t);
    if (n)
        cpu_chain_run(CHAIN_OF_MULTIPLIES, n);
    TARE_STOP(t);
    tare_bracket_elapsed(&t, &e);
    size_t length = tare_bracket_text(&t, text, size);
    assert_int_equal(length, strlen(text));
    return e;
}

static void the_weight_of_the_clock_is_taken_off(void **state)
{
    (void)state;
    char text[TARE_BRACKET_TEXT];
    play("");
    struct tare_elapsed e = around_multiplies(1000, text, sizeof text); /* 3000 cycles, 1 us, 2000 ticks */
    assert_int_equal(e.ticks, 2000);
    assert_int_equal(e.gross_ticks, 2020);
    assert_int_equal(e.empty_ticks, 20);
    assert_int_equal(e.spread_ticks, 0);
    assert_int_equal(e.ns, 1000);
    assert_int_equal(e.gross_ns, 1010);
    assert_false(e.below_resolution || e.moved || e.backwards);
    assert_string_equal(text, "2000 ticks, 1.000 us");
}

static void known_chains_come_out_right(void **state)
{
    (void)state;
    char text[TARE_BRACKET_TEXT];
    const int multiplies[] = {20, 100, 1000};
    play("ticks 2500M\ncore 2900M\nticks cost normal 30 2\n");
    for (int i = 0; i < 3; i++) {
        struct tare_elapsed e = around_multiplies(multiplies[i], text, sizeof text);
        near((double)e.ticks * 2.9 / 2.5, 3 * multiplies[i], 12, "cycles");
    }
}

static void nothing_is_below_resolution(void **state)
{
    (void)state;
    char text[TARE_BRACKET_TEXT];
    play("");
    struct tare_elapsed e = around_multiplies(0, text, sizeof text);
    assert_int_equal(e.ticks, 0);
    assert_true(e.below_resolution);
    assert_string_equal(text, "0 ticks, 0.000 us; below resolution");
}

static void a_negative_result_is_said_not_hidden(void **state)
{
    (void)state;
    char text[TARE_BRACKET_TEXT];
    play("ticks cost 200\n");
    struct tare_bracket t;
    struct tare_elapsed e;
    TARE_START(t);
    TARE_STOP(t);
    t.stop.count = t.start.count + 50;
    tare_bracket_elapsed(&t, &e);
    assert_int_equal(e.ticks, -150);
    assert_int_equal(e.ns, -75);
    assert_true(e.below_resolution); /* a reading takes 200 ticks, so steps finer than that are never seen */
    for (int i = 0; i < TARE_BRACKET_EMPTIES; i++)
        t.empty[i] = 2000;
    tare_bracket_elapsed(&t, &e);
    assert_false(e.below_resolution);
    tare_bracket_text(&t, text, sizeof text);
    assert_string_equal(text, "-1950 ticks, -0.975 us; negative: less than the timing overhead around it");
}

static void a_sample_that_moved_says_so(void **state)
{
    (void)state;
    char text[TARE_BRACKET_TEXT];
    struct tare_bracket t;
    play("");
    TARE_START(t);
    assert_int_equal(plat_thread_pin(2, NULL), TARE_OK);
    cpu_chain_run(CHAIN_OF_MULTIPLIES, 1000);
    TARE_STOP(t);
    tare_bracket_text(&t, text, sizeof text);
    assert_string_equal(text, "2000 ticks, 1.000 us; moved from CPU 0 to CPU 2");
}

static void a_clock_that_ran_backwards_says_so(void **state)
{
    (void)state;
    char text[TARE_BRACKET_TEXT];
    struct tare_bracket t;
    struct tare_elapsed e;
    play("ticks jump -1G at 100ms\n");
    TARE_START(t);
    plat_clock_sleep_ns(100000000);
    TARE_STOP(t);
    tare_bracket_elapsed(&t, &e);
    assert_true(e.backwards);
    assert_true(e.gross_ticks < 0 && e.ns < 0);
    tare_bracket_text(&t, text, sizeof text);
    assert_non_null(strstr(text, "; the clock ran backwards"));
}

static void a_bracket_falls_back_to_the_system(void **state)
{
    (void)state;
    char text[TARE_BRACKET_TEXT];
    play("ticks forbidden\n");
    struct tare_elapsed e = around_multiplies(30000, text, sizeof text);
    assert_int_equal(e.empty_ticks, 1000);
    assert_int_equal(e.ns, 30000);
    assert_string_equal(text, "30000 ticks, 30.000 us");
    struct tare_clock_info info;
    tare_clock_describe(&info);
    assert_string_equal(info.name, "raw");
    assert_string_equal(info.source, "system");
    assert_non_null(strstr(info.reason, "may not read"));
    assert_false(info.counter);
    assert_int_equal(tare_ticks_ns(123), 123);
}

static void text_is_cut_to_its_room(void **state)
{
    (void)state;
    struct tare_bracket t;
    char text[8] = "xxxxxxx";
    play("");
    TARE_START(t);
    cpu_chain_run(CHAIN_OF_MULTIPLIES, 1000);
    TARE_STOP(t);
    assert_int_equal(tare_bracket_text(&t, text, 0), 0);
    assert_string_equal(text, "xxxxxxx");
    assert_int_equal(tare_bracket_text(&t, text, sizeof text), 7);
    assert_string_equal(text, "2000 ti");
}

static void the_longest_text_has_room(void **state)
{
    (void)state;
    struct tare_bracket t;
    char text[1000];
    play("");
    TARE_START(t);
    TARE_STOP(t);
    t.start.count = UINT64_C(1) << 63;
    t.stop.count = 0;
    t.start_cpu = 0x7fffffff;
    t.stop_cpu = 0x7ffffffe;
    assert_true(tare_bracket_text(&t, text, sizeof text) < TARE_BRACKET_TEXT);
    for (int i = 0; i < TARE_BRACKET_EMPTIES; i++)
        t.empty[i] = INT64_MAX / 2;
    t.stop.count = t.start.count;
    assert_true(tare_bracket_text(&t, text, sizeof text) < TARE_BRACKET_TEXT);
}

static void the_clock_describes_itself(void **state)
{
    (void)state;
    struct tare_clock_info info;
    play("ticks 2000M\nticks kernel 2000M\n");
    tare_clock_describe(&info);
    assert_string_equal(info.name, "tsc");
    assert_string_equal(info.source, "kernel");
    assert_string_equal(info.reason, "");
    assert_true(info.counter);
    near(info.hz, 2e9, 0, "hz");
    near(info.step_ns, 10, 0, "readings are 10 ns apart");
    assert_int_equal(tare_ticks_ns(2000000001), 1000000001);
}

/* ---- the table ---- */

static const struct clock_kind *kind(const char *id)
{
    const struct clock_kind *k = clock_kind_named(id);
    assert_non_null(k);
    assert_int_equal(k->probe(NULL), TARE_OK);
    return k;
}

static void the_table_is_whole(void **state)
{
    (void)state;
    int n = 0;
    const struct clock_kind *k;
    play("");
    for (; (k = clock_kind_at(n)); n++) {
        assert_ptr_equal(clock_kind_named(k->id), k);
        assert_true(k->title[0] && k->probe && k->read && k->hz && k->promised_ns);
        assert_int_equal(!(k->properties & CLOCK_COUNTS_TICKS), k->read_kernel != NULL);
    }
    assert_int_equal(n, 9);
    assert_null(clock_kind_at(-1));
    assert_null(clock_kind_named("sundial"));
    struct tare_err err = {{0}};
    assert_int_equal(clock_kind_named("cntvct")->probe(&err), TARE_UNSUPPORTED);
    assert_string_equal(err.text, "the counter of this processor is tsc");
    play("ticks forbidden\n");
    assert_int_equal(clock_kind_named("tsc")->probe(&err), TARE_PERMISSION);
}

static void steps_are_found(void **state)
{
    (void)state;
    struct clock_step step;
    play("clock coarse 10ms\nticks step 8\nticks cost uniform 10 60\n");
    assert_int_equal(clock_step(kind("coarse"), &step, NULL), TARE_OK);
    near(step.ns, 10e6, 0, "coarse");
    assert_true(step.changes >= 4 && step.changes <= 6);
    assert_int_equal(clock_step(kind("tsc"), &step, NULL), TARE_OK);
    near(step.ns, 4, 1e-3, "8 ticks of 2 GHz");
    assert_int_equal(clock_step(kind("monotonic"), &step, NULL), TARE_OK);
    near(step.closest_ns, 1000, 0, "a reading");
    struct tare_err err = {{0}};
    play("clock coarse 200ms\n");
    assert_int_equal(clock_step(kind("coarse"), &step, &err), TARE_TOO_FEW);
    assert_string_equal(err.text, "CLOCK_MONOTONIC_COARSE did not change in 60 ms");
}

/* As on a CPU that two spinning threads share: each loses it at every second or third tick. */
static int64_t read_on_a_shared_cpu(void)
{
    static const int64_t tick_ns = 4000000, asleep_ns = 100000;
    static int64_t last_ns, seen;
    int64_t now = plat_clock_ns(PLAT_CLOCK_MONOTONIC), ticks = now - last_ns > asleep_ns ? 1 : 3;
    last_ns = now;
    int64_t value = now / (ticks * tick_ns) * ticks * tick_ns;
    seen = value > seen ? value : seen;
    return seen;
}

static void a_step_is_not_what_a_shared_cpu_makes_of_it(void **state)
{
    (void)state;
    play("clock coarse 4ms\n");
    struct clock_kind shared = *kind("coarse");
    shared.read = read_on_a_shared_cpu;
    struct clock_step step;
    assert_int_equal(clock_step(&shared, &step, NULL), TARE_OK);
    near(step.ns, 4e6, 0, "between sleeps");
}

static void a_clock_that_steps_back_is_seen(void **state)
{
    (void)state;
    struct clock_step step;
    play("clock jump -1s at 30ms\n");
    assert_int_equal(clock_step(kind("realtime"), &step, NULL), TARE_OK);
    assert_false(step.backwards);
    plat_clock_sleep_ns(27000000);
    assert_int_equal(clock_step(kind("realtime"), &step, NULL), TARE_OK);
    assert_int_equal(step.backwards, 1);
    play("clock jump -1s at 310us\nclock jump -1s at 437us\nclock jump -1s at 551us\n");
    assert_int_equal(clock_step(kind("realtime"), &step, NULL), TARE_OK);
    assert_int_equal(step.backwards, 3);
}

static void costs_are_those_of_the_script(void **state)
{
    (void)state;
    play("clock step 40ns\nclock kernel 300ns\nticks cost 24\n");
    struct clock_spread user = clock_cost(kind("monotonic")), kernel = clock_kernel_cost(kind("monotonic"));
    near(user.median, 40, 0.1, "user");
    near(user.p99, 40, 0.1, "p99");
    near(kernel.median, 300, 0.1, "kernel");
    assert_int_equal(clock_path(kind("monotonic"), user.median, kernel.median), CLOCK_IN_USER_SPACE);
    assert_int_equal(clock_path(kind("monotonic"), 300, 310), CLOCK_IN_KERNEL);
    near(clock_cost(kind("tsc")).median, 12, 0.1, "counter");
    assert_int_equal(clock_path(kind("tsc"), 12, NAN), CLOCK_BY_INSTRUCTION);
    assert_int_equal(clock_kernel_cost(kind("tsc")).n, 0);
    play("ticks forbidden\nclock step 40ns\n");
    near(clock_cost(kind("monotonic")).median, 40, 0.1, "without a counter");
}

static void order_is_kept_by_clocks_of_the_fake(void **state)
{
    (void)state;
    double error = NAN;
    struct tare_err err = {{0}};
    play("clock step 40ns\n");
    assert_int_equal(clock_order_error(kind("tsc"), &error, NULL), TARE_OK);
    near(error, 0, 1e-3, "tsc");
    assert_int_equal(clock_order_error(kind("raw"), &error, NULL), TARE_OK);
    near(error, 0, 2e-3, "raw"); /* of 1000 ns the clock shows whole ones */
    assert_int_equal(clock_order_error(kind("coarse"), &error, &err), TARE_UNSUPPORTED);
    assert_string_equal(err.text, "its step of 4000000 ns is too coarse for a chain of 1000 ns");
    play("core add 0.4\n");
    assert_int_equal(clock_order_error(kind("raw"), &error, &err), TARE_UNSUPPORTED);
}

static void rates_are_those_of_the_script(void **state)
{
    (void)state;
    struct clock_moment from, to;
    double ppm = NAN, bound = NAN;
    struct tare_err err = {{0}};
    play("clock raw -0.005%\n"); /* the others run faster than the reference */
    clock_moment(kind("monotonic"), &from);
    plat_clock_sleep_ns(1000000000);
    clock_moment(kind("monotonic"), &to);
    assert_int_equal(clock_ppm(kind("monotonic"), &from, &to, &ppm, &bound, NULL), TARE_OK);
    near(ppm, 50, bound, "ppm");
    assert_true(bound < 5);
    assert_int_equal(clock_ppm(kind("monotonic"), &to, &from, &ppm, &bound, &err), TARE_INVALID);
    assert_int_equal(clock_ppm(kind("thread_cpu"), &from, &to, &ppm, &bound, &err), TARE_UNSUPPORTED);
    assert_non_null(strstr(err.text, "CLOCK_THREAD_CPUTIME_ID runs only while"));
    play("ticks step 15600000\n");
    clock_moment(kind("tsc"), &from);
    plat_clock_sleep_ns(1000000000);
    clock_moment(kind("tsc"), &to);
    assert_int_equal(clock_ppm(kind("tsc"), &from, &to, &ppm, &bound, &err), TARE_UNSUPPORTED);
    assert_non_null(strstr(err.text, "moves too seldom for its step to be seen"));
}

/* ---- two processors ---- */

static void skew_is_within_its_bound(void **state)
{
    (void)state;
    struct clock_skew skew;
    struct tare_err err = {{0}};
    const int64_t planted[] = {0, 4, -50, 5000, -123456};
    for (int i = 0; i < 5; i++) {
        char script[100];
        struct buf b = buf_over(script, sizeof script);
        buf_format(&b, "ticks skew 3 %lld\n", (long long)planted[i]);
        play(script);
        assert_int_equal(clock_skew(1, 3, &skew, NULL), TARE_OK);
        near(skew.ticks, (double)planted[i], skew.bound_ticks, "skew");
        assert_true(skew.bound_ticks < 200);
        assert_int_equal(skew.impossible > 0, planted[i] > 1000 || planted[i] < -1000);
    }
    assert_int_equal(clock_skew(0, 0, &skew, &err), TARE_INVALID);
    assert_int_equal(clock_skew(0, 9, &skew, &err), TARE_INVALID);
    play("ticks forbidden\n");
    assert_int_equal(clock_skew(0, 1, &skew, &err), TARE_PERMISSION);
}

static void a_processor_that_is_offline_is_named(void **state)
{
    (void)state;
    struct tare_err err = {{0}};
    play("cpus 2\nfile /sys/devices/system/cpu/cpu2/online \"0\\n\"\n");
    assert_int_equal(plat_thread_pin(2, &err), TARE_INVALID);
    assert_non_null(strstr(err.text, "cannot run on CPU 2: it is offline"));
    assert_int_equal(plat_thread_pin(3, &err), TARE_INVALID);
    assert_non_null(strstr(err.text, "no such CPU"));
    assert_int_equal(plat_thread_pin(-1, &err), TARE_INVALID);
}

/* ---- orders ---- */

static void orders_stand_side_by_side(void **state)
{
    (void)state;
    struct clock_order o;
    play("");
    assert_true(clock_order(0, &o));
    assert_string_equal(o.order.name, "fence");
    near(o.empty.median, 20, 0, "empty");
    near(o.pair_ticks, 40, 3, "both reads"); /* and an eighth of the bracket around */
    const double cycles[] = {0, 60, 300, 3000};
    for (int i = 0; i < CLOCK_CHAINS; i++) {
        near(o.chain[i].expected_cycles, cycles[i], 0, "expected");
        near(o.chain[i].cycles, cycles[i], 2, "fenced");
    }
    assert_true(clock_order(1, &o));
    near(o.chain[3].cycles, 300, 2, "a bare read sees a tenth");
    assert_true(clock_order(2, &o));
    assert_string_equal(o.order.missing, "the fake processor lacks it");
    assert_true(o.empty.n == 0 && isnan(o.chain[3].cycles) && isnan(o.pair_ticks));
    assert_false(clock_order(3, &o));
    play("ticks forbidden\n");
    assert_true(clock_order(0, &o));
    assert_non_null(o.order.missing);
}

/* Steps of 10 and of 41.7 ns. */
static const char *const in_steps[] = {"ticks 2600M\nticks step 26\nticks cost normal 50 3\ncore 3000M\n",
                                       "ticks name cntvct\nticks 24M\nticks cost uniform 0.4 0.6\ncore 3000M\ncore multiply 3\n"};

/* A median would be off by up to half a step: 15 and 62 cycles. */
static void chains_of_all_orders_come_out_right_on_a_counter_in_steps(void **state)
{
    (void)state;
    static const double tolerance[] = {6, 25}; /* four standard errors of two means of 201 readings: 0.05 step */
    struct clock_order o;
    for (int k = 0; k < 2; k++) {
        play(in_steps[k]);
        assert_true(clock_order(0, &o));
        for (int i = 1; i < CLOCK_CHAINS; i++)
            near(o.chain[i].cycles, o.chain[i].expected_cycles, tolerance[k] + 2e-3 * o.chain[i].expected_cycles, in_steps[k]);
    }
}

/* Wherever the bracket begins in a step: nothing, and what is shorter than a step, is never told from nothing; six steps always are. */
static void a_step_belongs_to_the_resolution_of_every_bracket(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        play(in_steps[k]);
        const double step_ns = (double)clock_state()->step_ticks / clock_state()->hz * 1e9;
        for (int i = 0; i < 300; i++) {
            const double ns[] = {0, 0.3 * step_ns, 6 * step_ns + 1};
            for (int what = 0; what < 3; what++) {
                struct tare_bracket t;
                struct tare_elapsed e;
                TARE_START(t);
                cpu_chain_run(CHAIN_OF_ADDS, (int)(ns[what] * 3));
                TARE_STOP(t);
                tare_bracket_elapsed(&t, &e);
                if (e.below_resolution != (what < 2))
                    fail_msg("%g ns on %s: %lld ticks, empty %lld, spread %lld", ns[what], in_steps[k], (long long)e.ticks,
                             (long long)e.empty_ticks, (long long)e.spread_ticks);
            }
            plat_clock_sleep_ns(1 + i * 7 % 43);
        }
    }
}

static void orders_without_cycles_show_ticks(void **state)
{
    (void)state;
    struct clock_order o;
    play("core add 0.4\n");
    assert_true(clock_order(0, &o));
    assert_true(isnan(o.chain[3].cycles) && isnan(o.chain[3].expected_cycles));
    near(o.chain[3].net_ticks, 2000, 2, "net ticks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weight_of_the_clock_is_taken_off),
        cmocka_unit_test(known_chains_come_out_right),
        cmocka_unit_test(nothing_is_below_resolution),
        cmocka_unit_test(a_negative_result_is_said_not_hidden),
        cmocka_unit_test(a_sample_that_moved_says_so),
        cmocka_unit_test(a_clock_that_ran_backwards_says_so),
        cmocka_unit_test(a_bracket_falls_back_to_the_system),
        cmocka_unit_test(text_is_cut_to_its_room),
        cmocka_unit_test(the_longest_text_has_room),
        cmocka_unit_test(the_clock_describes_itself),
        cmocka_unit_test(the_table_is_whole),
        cmocka_unit_test(steps_are_found),
        cmocka_unit_test(a_step_is_not_what_a_shared_cpu_makes_of_it),
        cmocka_unit_test(a_clock_that_steps_back_is_seen),
        cmocka_unit_test(costs_are_those_of_the_script),
        cmocka_unit_test(order_is_kept_by_clocks_of_the_fake),
        cmocka_unit_test(rates_are_those_of_the_script),
        cmocka_unit_test(skew_is_within_its_bound),
        cmocka_unit_test(a_processor_that_is_offline_is_named),
        cmocka_unit_test(orders_stand_side_by_side),
        cmocka_unit_test(chains_of_all_orders_come_out_right_on_a_counter_in_steps),
        cmocka_unit_test(a_step_belongs_to_the_resolution_of_every_bracket),
        cmocka_unit_test(orders_without_cycles_show_ticks),
    };
    return cmocka_run_group_tests_name("clock_measure", tests, NULL, NULL);
}
