/* SPDX-License-Identifier: MIT
 *
 * A benchmark whose clock does not go, or that reports no time: it fails, says so and ends; and the passes of its samples, counted.
 */
#include "probe.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t reading;
static int64_t step;
static int readings;

static struct tare_ticks read_script(void)
{
    readings++;
    reading += (uint64_t)step;
    return (struct tare_ticks){reading};
}

static void body(struct tare_state *st)
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
        reading += 1000;
    }
}

static void idle(struct tare_state *st)
{
    uint64_t x = 1;
    TARE_LOOP(st)
    {
        x *= 3;
        tare_chain(x);
    }
}

/* Iterations of a millisecond, of which they report nothing; and of a microsecond, as many as there are inputs. */
static void silent(struct tare_state *st)
{
    TARE_LOOP(st)
    {
        reading += 1000000;
    }
}

static void silent_of_inputs(struct tare_state *st)
{
    TARE_EACH(st, int, v, 1, *v = 1)
    {
        tare_use_mem(v, 1);
        reading += 1000;
    }
}

static int every, calls;

static void seldom(struct tare_state *st)
{
    TARE_LOOP(st)
    {
        reading += 1000;
        if (++calls % every == 0)
            tare_manual_ns(st, 1000 * every);
    }
}

struct told {
    enum wire_state state;
    char reason[256];
    int rows;
    int64_t ticks, empty;
};

static enum tare_status take(void *context, const struct tare_state *states, const struct wire_end *end)
{
    struct told *t = context;
    struct buf reason = buf_over(t->reason, sizeof t->reason);
    buf_str(&reason, end->reason);
    t->state = end->state;
    t->rows = states->rows.n;
    if (t->rows) {
        t->ticks = states->rows.column[WIRE_TICKS][t->rows - 1];
        t->empty = states->rows.column[WIRE_EMPTY_TICKS][t->rows - 1];
    }
    return TARE_OK;
}

static struct told run(void (*what)(struct tare_state *st), int64_t of_step, int samples, uint64_t iterations)
{
    struct tare_bench bench = {.name = "it", .run = what, .file = "", .manual_time = what != body && what != idle};
    struct probe_case c = {.bench = &bench, .threads = 1, .name = "it"};
    struct probe_session s = {.request = wire_request_default(-1),
                              .read = read_script,
                              .hz = 1e9,
                              .pair_ticks = (double)of_step,
                              .sample_ticks = 100000};
    struct told t = {0};
    s.request.samples = samples;
    s.request.warmup = 0;
    s.request.guard = 0;
    s.request.sample_ns = 100000;
    reading = 1000000;
    step = of_step;
    readings = 0;
    assert_int_equal(probe_run(&s, &c, iterations, take, &t), TARE_OK);
    return t;
}

static void a_clock_that_stands_still_fails_the_benchmark(void **state)
{
    (void)state;
    struct told t = run(idle, 0, 5, 0);
    if (t.state != WIRE_FAILED || !strstr(t.reason, "its clock does not advance: 0 ticks in "))
        fail_msg("%s (%s)", wire_state_word(t.state), t.reason);
}

static void a_clock_that_runs_backwards_fails_the_benchmark(void **state)
{
    (void)state;
    struct told t = run(idle, -7, 5, 0);
    if (t.state != WIRE_FAILED || !strstr(t.reason, "its clock runs backwards: -7 ticks in "))
        fail_msg("%s (%s)", wire_state_word(t.state), t.reason);
}

static void a_benchmark_that_reports_no_time_ends_within_seconds(void **state)
{
    (void)state;
    for (int inputs = 0; inputs < 2; inputs++) {
        struct told t = run(inputs ? silent_of_inputs : silent, 10, 5, 0);
        if (t.state != WIRE_FAILED ||
            !strstr(t.reason, inputs ? "does not advance: 0 ns in 8192 iterations" : "does not advance: 0 ns in 4096 iterations"))
            fail_msg("%s (%s)", wire_state_word(t.state), t.reason);
    }
}

static void no_time_is_reported_in_a_given_number_of_iterations_either(void **state)
{
    (void)state;
    struct told t = run(silent, 10, 5, 100);
    if (t.state != WIRE_FAILED || strcmp(t.reason, "it reports no time (tare_manual_ns)"))
        fail_msg("%s (%s)", wire_state_word(t.state), t.reason);
}

static void a_sample_in_which_no_time_is_reported_measures_nothing(void **state)
{
    (void)state;
    static const char *const reasons[] = {[1] = "",
                                          [10] = "",
                                          [20] = "it reports no time (tare_manual_ns) in 3 of 6 samples",
                                          [99] = "it reports no time (tare_manual_ns)"};
    for (every = 1, calls = 0; every < 100; every++, calls = 0) {
        if (!reasons[every])
            continue;
        struct told t = run(seldom, 10, 6, 10);
        assert_string_equal(t.reason, reasons[every]);
        assert_int_equal(t.state, reasons[every][0] ? WIRE_FAILED : WIRE_OK);
        assert_true(t.state || t.ticks == 10000);
    }
}

/* Two readings a pass; one at the first sample of the process. The first sample has four empty passes, each of the others one. */
static void each_sample_is_weighed(void **state)
{
    (void)state;
    struct told t = run(body, 10, 1, 3);
    const int of_one = readings;
    assert_int_equal(t.state, WIRE_OK);
    assert_int_equal(of_one, 1 + 2 * 5);
    t = run(body, 10, 9, 3);
    assert_int_equal(t.rows, 9);
    assert_int_equal(readings - of_one, 2 * (8 + 8));
    assert_int_equal(t.ticks, 3 * 1000 + 10);
    assert_int_equal(t.empty, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_that_stands_still_fails_the_benchmark),
        cmocka_unit_test(a_clock_that_runs_backwards_fails_the_benchmark),
        cmocka_unit_test(a_benchmark_that_reports_no_time_ends_within_seconds),
        cmocka_unit_test(no_time_is_reported_in_a_given_number_of_iterations_either),
        cmocka_unit_test(a_sample_in_which_no_time_is_reported_measures_nothing),
        cmocka_unit_test(each_sample_is_weighed),
    };
    return cmocka_run_group_tests_name("clockwork", tests, NULL, NULL);
}
