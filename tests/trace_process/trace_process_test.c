/* SPDX-License-Identifier: MIT */
#include "exec.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct trace_asked asked_of(const char *suffix, bool prove)
{
    struct trace_asked a = {.request = trace_request_default("/nowhere"), .suffix = suffix, .prove = prove};
    return a;
}

static const char *folder_of(const struct trace_asked *a, int round, bool warmup)
{
    static char room[4][200];
    static int next;
    char *at = room[next++ % 4];
    struct buf b = buf_over(at, sizeof room[0]);
    trace_folder(&b, "/base", a, round, warmup);
    return at;
}

static void runs_have_folders_of_their_own_named_by_round(void **state)
{
    (void)state;
    const struct trace_asked one = asked_of("", false), other = asked_of("-002", false);
    assert_string_equal(folder_of(&one, 0, false), "/base/run-0001");
    assert_string_equal(folder_of(&one, 11, false), "/base/run-0012");
    assert_string_equal(folder_of(&one, 0, true), "/base/warmup-0001");
    assert_string_equal(folder_of(&other, 0, false), "/base/run-0001-002");
    assert_string_equal(folder_of(&one, 123456, false), "/base/run-123457");
}

static void the_variable_asks_for_the_runs_folder_seed_and_words(void **state)
{
    (void)state;
    struct trace_asked a = asked_of("", false);
    struct trace_request q;
    struct buf text = BUF_INIT(1 << 16);
    a.request.mode = TRACE_BURST;
    a.request.modes[7] = TRACE_OFF;
    trace_variable(&a, "/base/run-0003", 99, 2, &text);
    assert_memory_equal(buf_text(&text), TRACE_VARIABLE "=", sizeof TRACE_VARIABLE);
    assert_int_equal(trace_request_read(buf_text(&text) + sizeof TRACE_VARIABLE, &q, NULL), TARE_OK);
    assert_string_equal(q.folder, "/base/run-0003");
    assert_int_equal(q.seed, 99);
    assert_int_equal(q.repeat, 2);
    assert_int_equal(q.mode, TRACE_BURST);
    assert_int_equal(q.modes[7], TRACE_OFF);
    assert_int_equal(q.modes[8], 0xFF);
    buf_finish(&text);
}

static void a_proof_has_each_repetition_once_in_three_rounds(void **state)
{
    (void)state;
    const struct trace_asked a = asked_of("", true), plain = asked_of("", false);
    int orders_that_differ = 0;
    for (int block = 0; block < 40; block++) {
        int seen = 0, first = trace_repeat(&a, 5, 3 * block, false);
        for (int i = 0; i < 3; i++) {
            int repeat = trace_repeat(&a, 5, 3 * block + i, false);
            assert_in_range(repeat, 1, 3);
            assert_int_equal(repeat, trace_repeat(&a, 5, 3 * block + i, false)); /* a round that is made again */
            seen |= 1 << repeat;
        }
        assert_int_equal(seen, 14);
        orders_that_differ += first != trace_repeat(&a, 5, 0, false);
        assert_int_equal(trace_repeat(&plain, 5, block, false), 1);
        assert_int_equal(trace_repeat(&a, 5, block, true), 1);
    }
    assert_in_range(orders_that_differ, 10, 39);
}

static void every_column_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < TRACE_RUN_COLUMNS; i++)
        assert_memory_equal(trace_column(i), "trace_", 6);
    assert_null(trace_column(TRACE_RUN_COLUMNS));
    assert_null(trace_column(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_have_folders_of_their_own_named_by_round),
                                       cmocka_unit_test(the_variable_asks_for_the_runs_folder_seed_and_words),
                                       cmocka_unit_test(a_proof_has_each_repetition_once_in_three_rounds),
                                       cmocka_unit_test(every_column_has_a_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
