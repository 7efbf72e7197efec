/* SPDX-License-Identifier: MIT */
#include "random_record.h"
#include "record_fields.h"
#include "record_write.h"
#include "utc.h"
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

struct lines {
    int writes;
    bool whole;  /* every write was one line */
    int fail_at; /* this write fails; 0: none */
};

static enum tare_status count_lines(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct lines *l = context;
    if (++l->writes == l->fail_at)
        return err_set(err, TARE_IO, "disk full");
    const char *text = bytes;
    l->whole = l->whole && n > 2 && text[0] == '{' && memchr(text, '\n', n) == text + n - 1;
    return TARE_OK;
}

static void every_write_is_one_whole_line(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 200; seed++) {
        struct record r = {0};
        random_record(&r, seed);
        struct lines l = {.whole = true};
        struct sink sink = {count_lines, &l};
        assert_int_equal(record_write(&r, &sink, NULL), TARE_OK);
        assert_true(l.whole);
        assert_true(l.writes > 6);
        record_finish(&r);
    }
}

static void after_a_failed_write_nothing_more_is_written_and_the_reason_is_kept(void **state)
{
    (void)state;
    struct record r = {0};
    random_record(&r, 3);
    struct lines l = {.fail_at = 5};
    struct sink sink = {count_lines, &l};
    struct tare_err err;
    assert_int_equal(record_write(&r, &sink, &err), TARE_IO);
    assert_int_equal(l.writes, 5);
    assert_string_equal(err.text, "disk full");
    record_finish(&r);
}

static void assert_utc(int64_t ns, const char *expected)
{
    struct buf b = BUF_INIT(100);
    utc_text(&b, ns);
    assert_string_equal(buf_text(&b), expected);
    buf_finish(&b);
}

static void moments_are_written_in_utc_with_nanoseconds(void **state)
{
    (void)state;
    assert_utc(0, "1970-01-01T00:00:00.000000000Z");
    assert_utc(-1, "1969-12-31T23:59:59.999999999Z");
    assert_utc(INT64_C(951782400) * 1000000000, "2000-02-29T00:00:00.000000000Z");
    assert_utc(INT64_C(4107542399) * 1000000000 + 5, "2100-02-28T23:59:59.000000005Z");
    assert_utc(INT64_C(4107542400) * 1000000000, "2100-03-01T00:00:00.000000000Z");
    assert_utc(INT64_MIN, "1677-09-21T00:12:43.145224192Z");
    assert_utc(INT64_MAX, "2262-04-11T23:47:16.854775807Z");
}

static void a_row_costs_at_most_256_bytes(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    const char *columns[32];
    int n = 0;
    while (metric_builtin(n)) {
        columns[n] = metric_builtin(n)->id;
        n++;
    }
#define COVARIATE(id, title, unit) columns[n++] = #id;
#include "covariates.def"
    record_add_subject(&r, &(struct subject){.name = "a"}, columns, n);
    double values[32] = {0};
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(record_append_row(&r, 0, &(struct row){.round = i, .values = values}), TARE_OK);
        const struct rows *rows = &r.series[0].main;
        size_t bytes = (size_t)rows->room * (sizeof *rows->round + sizeof *rows->slot + sizeof *rows->start_ns +
                                             sizeof *rows->flags + (size_t)n * sizeof **rows->value);
        assert_true(rows->n < 1000 || bytes <= 256 * (size_t)rows->n);
    }
    record_finish(&r);
}

static void facts_keep_their_place_and_take_their_last_value(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    facts_add_text(&r, &r.machine, "a", "1");
    facts_add_number(&r, &r.machine, "b", 2);
    facts_add_unknown(&r, &r.machine, "a", "gone");
    facts_add_number(&r, &r.machine, "b", INFINITY);
    assert_int_equal(r.machine.n, 2);
    assert_ptr_equal(facts_find(&r.machine, "a"), &r.machine.items[0]);
    assert_null(r.machine.items[0].text);
    assert_string_equal(r.machine.items[0].reason, "gone");
    assert_true(isnan(r.machine.items[1].number));
    assert_string_equal(r.machine.items[1].reason, "not a finite number");
    assert_null(facts_find(&r.machine, "c"));
    record_finish(&r);
}

static void columns_change_only_while_there_are_no_rows(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    assert_int_equal(record_add_subject(&r, &(struct subject){.name = "a"}, NULL, 0), 0);
    assert_int_equal(record_set_columns(&r, 0, (const char *[]){"wall", "wall"}, 2), TARE_INVALID);
    assert_int_equal(record_set_columns(&r, 0, (const char *[]){"wall", "exit"}, 2), TARE_OK);
    assert_null(series_values(&r.series[0], "exit"));
    assert_int_equal(record_append_row(&r, 0, &(struct row){.values = (double[]){5, 1}}), TARE_OK);
    assert_true(series_values(&r.series[0], "exit")[0] == 1);
    assert_null(series_values(&r.series[0], "rss"));
    assert_int_equal(record_set_columns(&r, 0, (const char *[]){"wall"}, 1), TARE_INVALID);
    record_finish(&r);
    record_finish(&r);
}

static void the_last_result_of_a_name_counts(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    record_add_estimate(&r, &(struct estimate){.subject = 1, .metric = "wall", .statistic = "mean", .point = 1});
    record_add_estimate(&r, &(struct estimate){.subject = 1, .metric = "wall", .statistic = "mean", .point = 2});
    record_add_comparison(&r, &(struct comparison){.subject = 1, .metric = "wall", .look = 3});
    assert_true(record_estimate(&r, 1, "wall", "mean")->point == 2);
    assert_null(record_estimate(&r, 0, "wall", "mean"));
    assert_false(record_is_by_valley(&(struct estimate){.method = NULL}) ||
                 record_is_by_valley(&(struct estimate){.method = "gaps"}));
    assert_true(record_is_by_valley(&(struct estimate){.method = record_by_valley}));
    assert_int_equal(record_comparison(&r, 1, "wall")->look, 3);
    record_clear_results(&r);
    assert_null(record_estimate(&r, 1, "wall", "mean"));
    assert_null(record_comparison(&r, 1, "wall"));
    record_finish(&r);
}

static void add_numbered(struct record *r, int subject, const char *statistic, double point)
{
    assert_true(record_add_estimate(
                    r, &(struct estimate){.subject = subject, .metric = "wall", .statistic = statistic, .point = point}) >= 0);
}

/* Each is found by its subject, whichever was added last, before and after some subjects are gone. */
static void estimates_are_found_among_those_of_their_subject(void **state)
{
    (void)state;
    enum { SUBJECTS = 100 };
    static const char *const statistics[] = {"mean", "median", "min"};
    struct record r = {0};
    bool keep[SUBJECTS];
    record_init(&r);
    for (int i = 0; i < SUBJECTS; i++) {
        assert_int_equal(record_add_subject(&r, &(struct subject){.name = "a"}, NULL, 0), i);
        keep[i] = i % 3 == 1;
    }
    for (int k = 0; k < 3; k++)
        for (int i = SUBJECTS - 1; i >= 0; i--)
            add_numbered(&r, i, statistics[k], 10 * i + k);
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < 3; k++)
            assert_true(record_estimate(&r, i, "wall", statistics[k])->point == 10 * i + k);
    assert_null(record_estimate(&r, SUBJECTS, "wall", "mean"));
    assert_null(record_estimate(&r, 1000000, "wall", "mean"));
    assert_null(record_estimate(&r, -1, "wall", "mean"));
    record_keep_subjects(&r, keep);
    for (int i = 0; i < r.n_subjects; i++)
        for (int k = 0; k < 3; k++)
            assert_true(record_estimate(&r, i, "wall", statistics[k])->point == 10 * (3 * i + 1) + k);
    assert_null(record_estimate(&r, r.n_subjects, "wall", "mean"));
    add_numbered(&r, 2, "mean", -1);
    assert_true(record_estimate(&r, 2, "wall", "mean")->point == -1);
    record_finish(&r);
}

static void every_word_finds_its_way_back(void **state)
{
    (void)state;
    for (int v = VERDICT_NONE; v <= VERDICT_NO_LEAK; v++)
        assert_int_equal(words_value(&verdict_words, verdict_name((enum verdict)v)), v);
    assert_int_equal(words_value(&severity_words, "bad"), -1);
    assert_string_equal(row_flag_name(ROW_TIMED_OUT), "timed_out");
    assert_null(row_flag_name((enum row_flag)(1 << 30)));
}

static void add_run(struct record *r, int subject, int round, uint32_t flags)
{
    struct row row = {.round = round, .start_ns = r->rounds++, .flags = flags, .values = (double[]){5}};
    assert_int_equal(record_append_row(r, subject, &row), TARE_OK);
}

static void the_run_by_which_a_session_failed_is_in_no_complete_round(void **state)
{
    (void)state;
    static const int both[] = {0, 1};
    struct record r = {0};
    record_init(&r);
    for (int i = 0; i < 2; i++)
        record_add_subject(&r, &(struct subject){.name = i ? "b" : "a"}, (const char *[]){"wall"}, 1);
    assert_int_equal(record_rounds(&r, both, 2), 0);
    for (int i = 0; i < 3; i++) {
        add_run(&r, 0, i, ROW_FAILED); /* as allowed */
        add_run(&r, 1, i, i < 2 ? 0 : ROW_FAILED);
    }
    r.ended = "answered";
    assert_int_equal(record_rounds(&r, both, 2), 3);
    r.ended = "failed";
    assert_int_equal(record_rounds(&r, both, 2), 2);
    assert_int_equal(record_rounds(&r, both, 1), 3);
    assert_int_equal(record_rounds(&r, both + 1, 1), 2);
    add_run(&r, 1, 3, 0); /* then it was a hook */
    assert_int_equal(record_rounds(&r, both, 2), 3);
    assert_int_equal(record_rounds(&r, both + 1, 1), 4);
    record_finish(&r);
}

static void each_plan_is_written_once(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    struct lines l = {.whole = true};
    struct sink sink = {count_lines, &l};
    struct record_writer w;
    record_writer_begin(&w, &sink);
    record_write_plan(&w, &r, NULL);
    assert_int_equal(l.writes, 0);
    r.rule.n_looks = 2;
    r.rule.look_at[0] = 10;
    r.rule.look_at[1] = 14;
    for (int i = 0; i < 2; i++)
        assert_int_equal(record_write_plan(&w, &r, NULL), TARE_OK);
    assert_int_equal(l.writes, 1);
    r.rule.look_at[1] = 15; /* of the next command's block */
    for (int i = 0; i < 2; i++)
        assert_int_equal(record_write_plan(&w, &r, NULL), TARE_OK);
    assert_int_equal(l.writes, 2);
    record_writer_finish(&w);
    record_finish(&r);
}

static void counts_of_processes_keep_their_order_and_their_last_value(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    assert_int_equal(record_add_subject(&r, &(struct subject){.kind = SUBJECT_BENCH, .name = "a"}, NULL, 0), 0);
    const struct count hits = {.name = "hits", .unit = "1", .per = COUNT_TOTAL};
    for (int i = 0; i < 40; i++)
        assert_int_equal(record_add_count(&r, 0, i, &hits, i), TARE_OK);
    assert_int_equal(record_add_count(&r, 0, 39, &hits, 7), TARE_OK); /* the round was made again */
    assert_int_equal(record_add_count(&r, 0, 38, &hits, 9), TARE_INVALID);
    assert_int_equal(r.series[0].n_counts, 1);
    const struct count *c = r.series[0].counts;
    assert_int_equal(c->n, 40);
    assert_int_equal(c->per, COUNT_TOTAL);
    assert_true(c->value[38] == 38 && c->value[39] == 7);
    record_finish(&r);
}

static void a_benchmark_has_so_many_counts_and_no_more(void **state)
{
    (void)state;
    struct record r = {0};
    record_init(&r);
    assert_int_equal(record_add_subject(&r, &(struct subject){.kind = SUBJECT_BENCH, .name = "a"}, NULL, 0), 0);
    for (int i = 0; i <= COUNTS_MAX; i++) {
        char name[2] = {(char)('0' + i), 0};
        assert_int_equal(record_add_count(&r, 0, 0, &(struct count){.name = name}, 1), i < COUNTS_MAX ? TARE_OK : TARE_INVALID);
    }
    assert_int_equal(r.series[0].n_counts, COUNTS_MAX);
    record_finish(&r);
}

static void who_was_given_up_has_a_word_for_it(void **state)
{
    (void)state;
    assert_null(subject_given_up(&(struct subject){.failure = NULL}));
    assert_string_equal(subject_given_up(&(struct subject){.failure = "skipped: no moon"}), "skipped");
    assert_string_equal(subject_given_up(&(struct subject){.failure = "optimised-away: a constant"}), "optimised-away");
    assert_string_equal(subject_given_up(&(struct subject){.failure = "was ended by SIGSEGV"}), "failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_write_is_one_whole_line),
        cmocka_unit_test(after_a_failed_write_nothing_more_is_written_and_the_reason_is_kept),
        cmocka_unit_test(moments_are_written_in_utc_with_nanoseconds),
        cmocka_unit_test(a_row_costs_at_most_256_bytes),
        cmocka_unit_test(facts_keep_their_place_and_take_their_last_value),
        cmocka_unit_test(columns_change_only_while_there_are_no_rows),
        cmocka_unit_test(the_last_result_of_a_name_counts),
        cmocka_unit_test(estimates_are_found_among_those_of_their_subject),
        cmocka_unit_test(the_run_by_which_a_session_failed_is_in_no_complete_round),
        cmocka_unit_test(each_plan_is_written_once),
        cmocka_unit_test(counts_of_processes_keep_their_order_and_their_last_value),
        cmocka_unit_test(a_benchmark_has_so_many_counts_and_no_more),
        cmocka_unit_test(who_was_given_up_has_a_word_for_it),
        cmocka_unit_test(every_word_finds_its_way_back),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
