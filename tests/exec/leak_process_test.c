/* SPDX-License-Identifier: MIT
 *
 * What the processes of a leak target are asked: what the first one found, the next ones are told.
 */
#include "exec.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct wire_clock measured = {
    .counter = true, .hz = 2.5e9, .error_ppm = 4, .step_ticks = 2, .core = true, .chain_cycles = 12000};

static struct leak_report report_of(const struct wire_clock *clock)
{
    return (struct leak_report){.clock = *clock};
}

static struct wire_request asked(const struct leak_request *q, struct buf *text)
{
    struct wire_request back;
    struct tare_err err = {{0}};
    buf_clear(text);
    leak_variable(q, 1, text);
    if (wire_request_read(strchr(buf_text(text), '=') + 1, &back, &err))
        fail_msg("%s", err.text);
    return back;
}

static void what_the_first_process_found_the_next_is_told(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(WIRE_REQUEST_MAX);
    struct leak_request q = {.target = "memcmp", .asked = wire_request_default(3)};
    q.asked.repeat = 5;
    assert_true(asked(&q, &text).tick_hz == 0);
    const struct leak_report first = report_of(&measured);
    leak_learn(&q, &first);
    struct wire_clock later = measured;
    later.hz = 2.6e9;
    const struct leak_report second = report_of(&later);
    leak_learn(&q, &second); /* the first counts */
    const struct wire_request back = asked(&q, &text);
    assert_true(back.tick_hz == 2.5e9 && back.tick_ppm == 4 && back.tick_step == 2 && back.chain_cycles == 12000 &&
                back.repeat == 5);
    buf_finish(&text);
}

static void core_cycles_are_told_once_a_process_could_count_them(void **state)
{
    (void)state;
    struct buf text = BUF_INIT(WIRE_REQUEST_MAX);
    struct leak_request q = {.target = "memcmp", .asked = wire_request_default(3)};
    struct wire_clock busy = measured;
    busy.core = false;
    const struct leak_report first = report_of(&busy), second = report_of(&measured);
    leak_learn(&q, &first);
    assert_true(asked(&q, &text).tick_hz == 2.5e9 && q.asked.chain_cycles == 0);
    leak_learn(&q, &second);
    assert_int_equal(asked(&q, &text).chain_cycles, 12000);
    buf_finish(&text);
}

static void what_is_no_frequency_of_a_counter_is_not_passed_on(void **state)
{
    (void)state;
    struct wire_clock clocks[] = {measured, measured, measured, measured, measured, measured, measured};
    clocks[0].counter = false;
    clocks[1].hz = .5;
    clocks[2].hz = 1e12;
    clocks[3].hz = NAN;
    clocks[4].error_ppm = -1;
    clocks[5].error_ppm = INFINITY;
    clocks[6].step_ticks = 2e9;
    struct buf text = BUF_INIT(WIRE_REQUEST_MAX);
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct leak_request q = {.target = "memcmp", .asked = wire_request_default(3)};
        const struct leak_report r = report_of(&clocks[i]);
        leak_learn(&q, &r);
        assert_true(asked(&q, &text).tick_hz == 0);
    }
    buf_finish(&text);
}

/* ---- what a report says of its times ---- */

struct told {
    uint32_t ticks; /* of each of the calls of ten blocks */
    int64_t elapsed_ns;
    uint64_t calls;
    double hz;
    enum wire_blocks_kind kind;
    uint32_t repeat;
};

/* target, end: that the blocks and the end are said to be of; the one that was asked for is 0. */
static const char *trouble_of(struct told told, uint32_t target, uint32_t end, double most_ns)
{
    enum { CALLS = 20 };
    static struct leak_report report;
    struct buf b = BUF_INIT(1 << 16);
    uint8_t classes[CALLS];
    uint32_t times[CALLS];
    for (int i = 0; i < CALLS; i++) {
        classes[i] = i % 2;
        times[i] = told.ticks;
    }
    wire_put_hello(&b, &(struct wire_hello){.version = WIRE_VERSION, .targets = 1});
    wire_put_clock(&b, &(struct wire_clock){.name = "tsc", .hz = told.hz});
    wire_put_target(&b, &(struct wire_target){.name = "memcmp"});
    wire_put_blocks(&b, &(struct wire_blocks){.target = target, .kind = told.kind, .k = 2, .n = CALLS / 2, .repeat = told.repeat},
                    classes, times);
    wire_put_target_end(
        &b, &(struct wire_target_end){.target = end, .repeat = told.repeat, .calls = told.calls, .elapsed_ns = told.elapsed_ns});
    wire_put_bye(&b, &(struct wire_bye){.benchmarks = 1});
    leak_read(b.data, b.len, "memcmp", most_ns, &report);
    buf_finish(&b);
    return report.trouble;
}

#define assert_impossible(most_ns, ...) \
    assert_non_null(strstr(trouble_of((struct told){__VA_ARGS__}, 0, 0, most_ns), "impossible"))
#define assert_possible(most_ns, ...) assert_string_equal(trouble_of((struct told){__VA_ARGS__}, 0, 0, most_ns), "")

static void times_that_a_process_did_not_have_are_impossible(void **state)
{
    (void)state;
    assert_possible(1000, 50, 1000, 20, 1e9, WIRE_MAIN, 1);
    assert_possible(1000, UINT32_MAX, 1000, 20, 1e9, WIRE_MAIN, 1); /* too long to be kept, by a clock that jumped */
    assert_impossible(1000, 51, 1000, 20, 1e9, WIRE_MAIN, 1);
    assert_impossible(1000, 50, 1001, 20, 1e9, WIRE_MAIN, 1);
    assert_impossible(1000, 50, -1, 20, 1e9, WIRE_MAIN, 1);
    assert_impossible(1000, 50, 1000, UINT64_MAX, 1e9, WIRE_MAIN, 1);
    assert_impossible(1000, 50, 1000, 19, 1e9, WIRE_MAIN, 1); /* of 20 that came */
}

static void a_reading_of_growth_lasted_at_least_its_time_by_the_calls_that_were_asked_for(void **state)
{
    (void)state;
    assert_possible(1000, 50000, 1000, 20, 1e9, WIRE_GROWTH_SIZES, 1000); /* of one call, written as of a thousand */
    assert_impossible(1000, 51000, 1000, 20, 1e9, WIRE_GROWTH_SIZES, 1000);
    assert_impossible(1000, 51, 1000, 20, 1e9, WIRE_MAIN, 1000);
}

static void what_no_process_measured_here_has_a_clock_of_any_rate(void **state)
{
    (void)state;
    assert_impossible(1000, 50, 1000, 20, 1e12, WIRE_MAIN, 1);
    assert_possible(INFINITY, 50, 1000, 20, 1e12, WIRE_MAIN, 1); /* a file's times in picoseconds */
}

static void times_of_another_target_are_refused(void **state)
{
    (void)state;
    assert_string_equal(trouble_of((struct told){50, 1000, 20, 1e9, WIRE_MAIN, 1}, 1, 0, 1000),
                        "reports times of a target that was not asked for");
    assert_string_equal(trouble_of((struct told){50, 1000, 20, 1e9, WIRE_MAIN, 1}, 0, 1, 1000),
                        "reports times of a target that was not asked for");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_that_a_process_did_not_have_are_impossible),
        cmocka_unit_test(a_reading_of_growth_lasted_at_least_its_time_by_the_calls_that_were_asked_for),
        cmocka_unit_test(what_no_process_measured_here_has_a_clock_of_any_rate),
        cmocka_unit_test(times_of_another_target_are_refused),
        cmocka_unit_test(what_the_first_process_found_the_next_is_told),
        cmocka_unit_test(core_cycles_are_told_once_a_process_could_count_them),
        cmocka_unit_test(what_is_no_frequency_of_a_counter_is_not_passed_on),
    };
    return cmocka_run_group_tests_name("leak_process", tests, NULL, NULL);
}
