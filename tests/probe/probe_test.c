/* SPDX-License-Identifier: MIT
 *
 * Each benchmark of subject.c ends as it must, in a real process, as a runner sees it. No time is asserted.
 */
#include "wire.h"
#include "wire_child.h"
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 7 };

struct seen {
    struct wire_end end;
    struct wire_bench bench;
    uint32_t rows, threads_rows;
    int64_t first_iterations, first_ticks, first_scale;
    char reason[512], label[64], names[2048], notes[256];
    int hellos, clocks, benches, ends, byes;
};

static void keep_notes(struct seen *s, const struct wire_hello *hello)
{
    struct buf notes = buf_over(s->notes, sizeof s->notes);
    for (uint32_t i = 0; i < hello->n_notes; i++)
        buf_format(&notes, "%s=%s;", hello->notes[i].name, hello->notes[i].text);
}

static struct seen look(const char *lines)
{
    struct buf record = BUF_INIT(1 << 24), all = BUF_INIT(8192);
    struct seen s = {.rows = 0};
    buf_format(&all, "sample_ns 20000\nsamples %d\nwarmup 2\n%s", SAMPLES, lines);
    int code = wire_child(SUBJECT, buf_text(&all), &record);
    if (code)
        fail_msg("exit code %d", code);
    struct wire_reader r = {record.data, record.len, 0};
    struct wire_frame f;
    enum tare_status status;
    while ((status = wire_next(&r, &f, NULL)) == TARE_OK) {
        s.hellos += f.type == WIRE_HELLO;
        if (f.type == WIRE_HELLO)
            keep_notes(&s, &f.u.hello);
        if (f.type == WIRE_BENCH) {
            struct buf names = buf_over(s.names + strlen(s.names), sizeof s.names - strlen(s.names));
            buf_format(&names, "%s ", f.u.bench.name);
        }
        s.clocks += f.type == WIRE_CLOCK;
        s.byes += f.type == WIRE_BYE;
        if (f.type == WIRE_BENCH && ++s.benches)
            s.bench = f.u.bench;
        if (f.type == WIRE_SAMPLES) {
            s.rows = f.u.samples.thread ? s.rows : f.u.samples.n;
            s.threads_rows += f.u.samples.n;
            s.first_iterations = wire_sample(&f.u.samples, WIRE_ITERATIONS, 0);
            s.first_ticks = wire_sample(&f.u.samples, WIRE_TICKS, 0);
            s.first_scale = wire_sample(&f.u.samples, WIRE_SCALE, 0);
        }
        if (f.type == WIRE_END && ++s.ends) {
            s.end = f.u.end;
            struct buf reason = buf_over(s.reason, sizeof s.reason);
            buf_str(&reason, f.u.end.reason);
            struct buf label = buf_over(s.label, sizeof s.label);
            buf_str(&label, f.u.end.label);
        }
    }
    assert_int_equal(status, TARE_TRUNCATED);
    assert_int_equal(r.at, record.len);
    buf_finish(&record);
    buf_finish(&all);
    return s;
}

static void ends(const char *name, enum wire_state state, const char *reason)
{
    char lines[256];
    struct buf b = buf_over(lines, sizeof lines);
    buf_format(&b, "run 0 %s\n", name);
    struct seen s = look(lines);
    if (s.end.state != state || !strstr(s.reason, reason) || s.ends != 1)
        fail_msg("%s: %s (%s), expected %s (%s)", name, wire_state_word(s.end.state), s.reason, wire_state_word(state), reason);
}

static void a_benchmark_gives_warm_up_and_samples(void **state)
{
    (void)state;
    struct seen s = look("run 0 chain_15\n");
    assert_int_equal(s.end.state, WIRE_OK);
    assert_int_equal(s.rows, SAMPLES + 2);
    assert_true(s.end.iterations > 0 && (uint64_t)s.first_iterations == s.end.iterations);
    assert_true(s.hellos == 1 && s.clocks == 1 && s.benches == 1 && s.byes == 1);
}

static void a_count_handed_down_is_the_count_used(void **state)
{
    (void)state;
    struct seen s = look("guard 0\nrun 123 chain_3\n");
    assert_int_equal(s.first_iterations, 123);
    assert_true(s.end.iterations == 123);
}

static void startup_is_one_sample_of_one_iteration(void **state)
{
    (void)state;
    struct seen s = look("profile startup\nrun 0 chain_3\n");
    assert_int_equal(s.rows, 1);
    assert_int_equal(s.first_iterations, 1);
}

/* Ticks are whole nanoseconds, and 12.4 of them may not become 12. */
static void a_short_time_of_its_own_keeps_its_digits(void **state)
{
    (void)state;
    const struct seen s = look("profile startup\nrun 0 own_short\n");
    assert_int_equal(s.end.state, WIRE_OK);
    if (s.first_iterations != s.first_scale || fabs((double)s.first_ticks / (double)s.first_scale - 12.4) > 1e-6)
        fail_msg("%lld ticks in %lld iterations, both %lld times what they were", (long long)s.first_ticks,
                 (long long)s.first_iterations, (long long)s.first_scale);
    assert_int_equal(look("profile startup\nrun 0 own_backwards\n").first_scale, 1);
    assert_true(look("profile startup\nrun 0 chain_3\n").first_scale == WIRE_NONE);
    assert_int_equal(look("run 1000000 own_clock\n").first_iterations, 1000000);
}

static void a_list_names_each_combination(void **state)
{
    (void)state;
    struct seen s = look("mode list\nfilter copy\n");
    assert_int_equal(s.benches, 4); /* 16 256 4096 65536 */
    assert_int_equal(s.ends, 0);
    s = look("mode list\nfilter together\n");
    assert_int_equal(s.benches, 2);
    s = look("mode list\nfilter no such thing\n");
    assert_true(s.benches == 0 && s.byes == 1);
    s = look("mode list\nfilter steps\n");
    assert_string_equal(s.names, "steps/load:-30/size:8 steps/load:-30/size:16 steps/load:-30/size:20 steps/load:10/size:8 "
                                 "steps/load:10/size:16 steps/load:10/size:20 steps/load:50/size:8 steps/load:50/size:16 "
                                 "steps/load:50/size:20 ");
}

static void up_to_six_lists_of_arguments_are_combined(void **state)
{
    (void)state;
    assert_string_equal(look("mode list\nfilter six/\n").names,
                        "six/1/3/c:4/d:x/5/6 six/1/3/c:4/d:x/5/7 six/1/3/c:4/d:y/5/6 six/1/3/c:4/d:y/5/7 "
                        "six/2/3/c:4/d:x/5/6 six/2/3/c:4/d:x/5/7 six/2/3/c:4/d:y/5/6 six/2/3/c:4/d:y/5/7 ");
    ends("six/2/3/c:4/d:y/5/7", WIRE_OK, "");
}

static void notes_of_the_program_come_first_and_the_last_text_counts(void **state)
{
    (void)state;
    assert_string_equal(look("mode list\nfilter no such thing\n").notes, "allocator=the C library's;data=made up;");
}

static void counters_are_those_of_the_first_thread_or_of_all(void **state)
{
    (void)state;
    struct seen s = look("run 500 says_much/threads:3\n");
    assert_int_equal(s.end.n_counters, 3);
    assert_true(s.end.counters[0].value == 1 && s.end.counters[1].value == 6 && s.end.counters[2].value == 2);
    assert_int_equal(s.end.counters[1].per, WIRE_PER_SECOND);
    assert_true(!s.end.counters[1].inverted && s.end.counters[2].inverted);
    assert_string_equal(s.label, "by multiplying");
    assert_true(s.end.items == 1 + 2 + 3 && s.end.bytes == 3 * 16);
}

static void each_fate_is_told_with_its_reason(void **state)
{
    (void)state;
    ends("not_here", WIRE_SKIPPED, "it needs a moon");
    ends("wrong", WIRE_FAILED, "sum < 1000");
    ends("nothing_left", WIRE_OPTIMISED_AWAY, "the compiler took the loop away");
    ends("leaves_by_break", WIRE_FAILED, "break");
    ends("two_loops", WIRE_FAILED, "one loop");
    ends("no_loop", WIRE_FAILED, "without a loop");
    ends("own_clock", WIRE_OK, "");
    ends("stands_still", WIRE_FAILED, "the time that it reports (tare_manual_ns) does not advance: 0 ns in ");
    ends("together/rows:2/order:down", WIRE_OK, "");
}

static void threads_measure_together_and_fall_together(void **state)
{
    (void)state;
    struct seen s = look("run 500 threads/threads:2\n");
    assert_int_equal(s.end.state, WIRE_OK);
    assert_int_equal(s.threads_rows, 2 * (SAMPLES + 2));
    ends("one_thread_is_wrong/threads:3", WIRE_FAILED, "thread 1: ");
    ends("one_thread_returns/threads:3", WIRE_FAILED, "thread 2: it returned from inside");
    ends("first_thread_returns/threads:3", WIRE_FAILED, "it returned from inside");
    ends("first_thread_skips/threads:3", WIRE_SKIPPED, "no");
    ends("thread_inputs/threads:2", WIRE_OK, "");
    ends("input_maker_returns/threads:3", WIRE_FAILED, "thread 1: it returned from inside");
    ends("first_input_maker_returns/threads:3", WIRE_FAILED, "it returned from inside");
    ends("input_user_returns/threads:3", WIRE_FAILED, "thread 2: it returned from inside");
}

/* One CPU for two threads: what they wait for each other is longer than what they measure. */
static void waiting_for_a_cpu_is_not_taken_for_an_empty_loop(void **state)
{
    (void)state;
    enum { TIMES = 20 };
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int taken = 0;
    for (int i = 0; i < TIMES; i++)
        taken += look("run 500 threads/threads:2\n").end.state != WIRE_OK;
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(taken, 0);
}

static void hooks_stand_around_each_sample(void **state)
{
    (void)state;
    struct seen s = look("run 0 hooks\n");
    assert_int_equal(s.end.n_counters, 3);
    assert_true(s.end.counters[0].value == 0 && s.end.counters[1].value == 1);
    assert_int_equal(s.end.counters[2].per, WIRE_PER_SECOND);
}

static void rates_are_per_iteration(void **state)
{
    (void)state;
    assert_true(look("run 0 sort_ints/100\n").end.items == 100);
    assert_true(look("run 0 copy/4096\n").end.bytes == 4096);
}

static void signals_are_taken_only_when_asked_for(void **state)
{
    (void)state;
    struct buf record = BUF_INIT(1 << 20);
    struct wire_frame f;
    int taken = 0;
    assert_int_equal(wire_child(SUBJECT, "signals 1\nsamples 3\nrun 1000 chain_3\n", &record), 0);
    for (struct wire_reader r = {record.data, record.len, 0}; wire_next(&r, &f, NULL) == TARE_OK;)
        if (f.type == WIRE_SAMPLES)
            taken += wire_sample(&f.u.samples, WIRE_CPU_NS, 0) != WIRE_NONE;
    assert_int_equal(taken, 1);
    buf_finish(&record);
}

static void an_unknown_clock_is_said_before_anything_runs(void **state)
{
    (void)state;
    struct buf record = BUF_INIT(1 << 20);
    struct wire_frame f;
    assert_int_equal(wire_child(SUBJECT, "clock sundial\nrun 0 chain_3\n", &record), 0);
    struct wire_reader r = {record.data, record.len, 0};
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    if (f.type != WIRE_HELLO || !strstr(f.u.hello.trouble, "sundial"))
        fail_msg("said: %s", f.u.hello.trouble);
    assert_int_equal(wire_next(&r, &f, NULL), TARE_OK);
    assert_int_equal(f.type, WIRE_BYE);
    buf_finish(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_benchmark_gives_warm_up_and_samples),
        cmocka_unit_test(a_count_handed_down_is_the_count_used),
        cmocka_unit_test(startup_is_one_sample_of_one_iteration),
        cmocka_unit_test(a_short_time_of_its_own_keeps_its_digits),
        cmocka_unit_test(a_list_names_each_combination),
        cmocka_unit_test(up_to_six_lists_of_arguments_are_combined),
        cmocka_unit_test(notes_of_the_program_come_first_and_the_last_text_counts),
        cmocka_unit_test(counters_are_those_of_the_first_thread_or_of_all),
        cmocka_unit_test(each_fate_is_told_with_its_reason),
        cmocka_unit_test(threads_measure_together_and_fall_together),
        cmocka_unit_test(waiting_for_a_cpu_is_not_taken_for_an_empty_loop),
        cmocka_unit_test(hooks_stand_around_each_sample),
        cmocka_unit_test(rates_are_per_iteration),
        cmocka_unit_test(signals_are_taken_only_when_asked_for),
        cmocka_unit_test(an_unknown_clock_is_said_before_anything_runs),
    };
    return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
