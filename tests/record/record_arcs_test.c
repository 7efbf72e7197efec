/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "record_arcs.h"
#include "record_write.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void begin(struct record *r, int subjects)
{
    static const char *const names[] = {"a", "b", "c"}, *const columns[] = {"wall"};
    record_init(r);
    r->rule.interleaved = true;
    for (int i = 0; i < subjects; i++)
        record_add_subject(r, &(struct subject){.kind = SUBJECT_TRACE, .name = names[i], .command = names[i]}, columns, 1);
}

static int point(struct record *r, int subject, int line)
{
    return record_add_point(
        r, &(struct point){.subject = subject, .file = "/x/a.c", .func = "f", .name = "", .line = line, .partner = -1});
}

static int run(struct record *r, int subject, int round, int passed)
{
    struct point_passes passes = {passed, 7};
    return record_add_traced_run(
        r,
        &(struct traced_run){
            .subject = subject, .round = round, .clock = "tsc", .order = "fast", .repeat = 1, .passes = &passes, .n_passes = 1});
}

static void a_point_stands_once_and_is_found_again(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < 1000; i++)
            assert_int_equal(point(&r, i % 2, i / 2), i);
    assert_int_equal(r.traced->n_points, 1000);
    struct point other = r.traced->points[500];
    other.func = "g";
    assert_int_equal(record_add_point(&r, &other), 1000);
    record_finish(&r);
}

static void a_run_that_is_made_again_counts_nowhere(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int p = point(&r, 0, 1);
    const double wall = 5;
    for (int round = 0; round < 3; round++) {
        record_append_row(&r, 0, &(struct row){.round = round, .values = &wall});
        run(&r, 0, round, p);
    }
    assert_int_equal(record_replace_round(&r, (int[]){0}, 1, 2), TARE_OK);
    assert_int_equal(r.traced->runs[1].round, 1);
    assert_int_equal(r.traced->runs[2].round, -1);
    assert_int_equal(run(&r, 0, 2, p), 3);
    assert_int_equal(r.traced->runs[3].round, 2);
    run(&r, 0, 2, p); /* as a file has it: the new one takes the old one's place */
    assert_int_equal(r.traced->runs[3].round, -1);
    record_finish(&r);
}

static void subjects_that_go_take_their_points_runs_and_arcs_along(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 3);
    int p[3][2];
    for (int i = 0; i < 6; i++)
        p[i / 2][i % 2] = point(&r, i / 2, i % 2);
    for (int s = 0; s < 3; s++) {
        int at = run(&r, s, 0, p[s][1]);
        struct arc_result result;
        record_add_traced_arc(&r, &(struct traced_arc){.run = at, .from = p[s][0], .to = p[s][1], .passes = 10 + (uint64_t)s});
        arc_result_init(&result, s, p[s][0], p[s][1]);
        result.passes = 10 + (uint64_t)s;
        record_add_arc_result(&r, &result);
    }
    r.traced->points[p[2][0]].partner = p[2][1];
    record_add_comparison(&r, &(struct comparison){.subject = 2, .metric = "arc", .arc = 3, .reference_arc = 1, .better = -1});
    record_keep_subjects(&r, (bool[]){true, false, true});
    const struct traced *t = r.traced;
    assert_int_equal(t->n_points, 4);
    assert_int_equal(t->points[2].subject, 1);
    assert_int_equal(t->points[2].partner, 3);
    assert_int_equal(t->n_runs, 2);
    assert_int_equal(t->runs[1].subject, 1);
    assert_int_equal(t->runs[1].passes[0].point, 3);
    assert_int_equal(t->n_arcs, 2);
    assert_int_equal(t->arcs[1].run, 1);
    assert_int_equal(t->arcs[1].from, 2);
    assert_int_equal(t->arcs[1].passes, 12);
    assert_int_equal(t->n_results, 2);
    assert_int_equal(t->results[1].subject, 1);
    assert_int_equal(t->results[1].passes, 12);
    assert_int_equal(r.n_comparisons, 0); /* it named results by places that changed */
    assert_int_equal(point(&r, 1, 0), 2); /* and points are still found */
    assert_int_equal(point(&r, 1, 9), 4);
    record_finish(&r);
}

static void labels_are_short_and_tell_points_apart(void **state)
{
    (void)state;
    struct point points[] = {
        {.file = "/long/way/a.c", .func = "main", .name = "", .line = 12},
        {.file = "/long/way/a.c", .func = "main", .name = "ready", .line = 12},
        {.file = "/long/way/a.c", .func = "main", .name = "item", .line = 20, .kind = POINT_BEGIN},
        {.file = "/long/way/a.c", .func = "main", .name = "item", .line = 20, .kind = POINT_END},
        {.file = "/long/way/a.c", .func = "main", .name = "on", .line = 30},
        {.file = "/long/way/b.c", .func = "main", .name = "on", .line = 40},
        {.file = "/long/way/b.c", .func = "main", .name = "ready", .line = 50, .subject = 1},
        {.file = "/long/way/a.c", .func = "main", .name = "", .line = 12, .ordinal = 1},
        {.file = "/long/way/b.c", .func = "main", .name = "on", .line = 40, .ordinal = 2},
        {.file = "/tmp/x1/one/c.c", .func = "init", .name = "", .line = 60},
        {.file = "/tmp/x1/other/c.c", .func = "init", .name = "", .line = 60},
        {.file = "/one/c.c", .func = "go", .name = "", .line = 70, .kind = POINT_BEGIN},
        {.file = "/one/c.c", .func = "go", .name = "", .line = 70, .kind = POINT_END},
        {.file = "/tmp/x1/e/lib/d.c", .func = "f", .name = "", .line = 80},
        {.file = "/tmp/x1/e/d.c", .func = "f", .name = "", .line = 80},
        {.file = "/tmp/x1/g/lib/d.c", .func = "f", .name = "", .line = 80},
    };
    static const char *const labels[] = {
        "a.c:12 (main)",
        "ready",
        "item",
        "item end",
        "on (a.c:30)",
        "on (b.c:40)",
        "ready",
        "a.c:12#2 (main)",
        "on (b.c:40#3)",
        "one/c.c:60 (init)",
        "other/c.c:60 (init)",
        "c.c:70 (go)",
        "c.c:70 end (go)",
        "e/lib/d.c:80 (f)",
        "e/d.c:80 (f)",
        "g/lib/d.c:80 (f)",
    };
    enum { N = sizeof points / sizeof *points };
    struct record r;
    record_init(&r);
    for (int i = 0; i < N; i++)
        assert_int_equal(record_add_point(&r, &points[i]), i);
    for (int i = 0; i < N; i++) {
        struct buf b = BUF_INIT(100);
        point_label(&b, r.traced, i);
        assert_string_equal(buf_text(&b), labels[i]);
        buf_finish(&b);
    }
    record_finish(&r);
}

static void a_tail_has_the_folders_that_the_other_file_has_not(void **state)
{
    (void)state;
    static const struct {
        const char *file, *other, *tail;
    } cases[] = {{"/w/a/x.c", "/w/b/x.c", "a/x.c"},
                 {"/w/a/c/x.c", "/w/b/c/x.c", "a/c/x.c"},
                 {"/w/a/x.c", "/w/a/y.c", "x.c"},
                 {"x.c", "a/x.c", "x.c"},
                 {"a/x.c", "x.c", "a/x.c"},
                 {"/x.c", "x.c", "/x.c"},
                 {"w\\a\\x.c", "w\\b\\x.c", "a\\x.c"},
                 {"ba/x.c", "a/x.c", "ba/x.c"},
                 {"/w//a//x.c", "/w//b//x.c", "a//x.c"},
                 {"/w/a/x.c", "/w/a/x.c", "/w/a/x.c"},
                 {"", "x.c", ""},
                 {"a/", "", "a/"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(point_tail(cases[i].file, cases[i].other), cases[i].tail);
}

static void coverage_counts_points_and_arcs_of_counted_runs(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 1);
    int a = point(&r, 0, 1), b = point(&r, 0, 2), c = point(&r, 0, 3);
    for (int round = 0; round < 2; round++) {
        int at = run(&r, 0, round, round ? b : a);
        record_add_traced_arc(&r, &(struct traced_arc){.run = at, .from = a, .to = b, .passes = 1});
        if (round)
            record_add_traced_arc(&r, &(struct traced_arc){.run = at, .from = b, .to = a, .passes = 1});
    }
    record_add_traced_arc(&r, &(struct traced_arc){.run = run(&r, 0, -1, c), .from = c, .to = c, .passes = 1});
    struct arc_coverage x = record_arc_coverage(&r, 0);
    assert_int_equal(x.points, 3);
    assert_int_equal(x.points_passed, 2);
    assert_int_equal(x.arcs, 2);
    assert_int_equal(x.arcs_in_all, 1);
    record_finish(&r);
}

static enum tare_status count_bytes(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)bytes;
    (void)err;
    *(size_t *)context += n;
    return TARE_OK;
}

static void thirty_runs_of_a_thousand_arcs_stay_small(void **state)
{
    (void)state;
    struct record r;
    struct record_writer w;
    size_t bytes = 0;
    struct sink sink = {count_bytes, &bytes};
    begin(&r, 1);
    for (int i = 0; i < 1000; i++)
        point(&r, 0, i);
    struct arc_bin bins[20];
    for (int i = 0; i < 20; i++)
        bins[i] = (struct arc_bin){30 + i, 1000};
    for (int round = 0; round < 30; round++)
        for (int at = run(&r, 0, round, 0), i = 0; i < 1000; i++)
            record_add_traced_arc(&r, &(struct traced_arc){.run = at,
                                                           .from = i,
                                                           .to = (i + 1) % 1000,
                                                           .passes = 20000,
                                                           .n = 20000,
                                                           .sum = 123456789,
                                                           .square_low = 123456789012345,
                                                           .min = 20,
                                                           .max = 123456,
                                                           .clean_n = 20000,
                                                           .clean_sum = 123456789,
                                                           .bins = bins,
                                                           .n_bins = 20});
    record_writer_begin(&w, &sink);
    assert_int_equal(record_write_traced(&w, &r, NULL), TARE_OK);
    assert_true(bytes < 16u << 20);
    size_t before = bytes;
    assert_int_equal(record_write_traced(&w, &r, NULL), TARE_OK); /* nothing is new */
    assert_true(bytes == before);
    record_writer_finish(&w);
    record_finish(&r);
}

static void passes_of_points_are_added_up_over_all_runs(void **state)
{
    (void)state;
    struct record r;
    record_init(&r);
    record_add_subject(&r, &(struct subject){.kind = SUBJECT_TRACE, .name = "a", .command = "a"}, NULL, 0);
    for (int i = 0; i < 3; i++)
        record_add_point(&r, &(struct point){.file = "a.c", .func = "f", .name = "", .line = i, .partner = -1});
    for (int i = 0; i < 4; i++) {
        const struct point_passes passes[] = {{0, 5}, {2, (uint64_t)i}};
        record_add_traced_run(
            &r, &(struct traced_run){.round = i - 1, .clock = "tsc", .order = "ordered", .passes = passes, .n_passes = 2});
    }
    uint64_t *n = record_point_passes(r.traced);
    assert_non_null(n);
    assert_int_equal(n[0], 20);
    assert_int_equal(n[1], 0);
    assert_int_equal(n[2], 6);
    free(n);
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_stands_once_and_is_found_again),
        cmocka_unit_test(a_run_that_is_made_again_counts_nowhere),
        cmocka_unit_test(subjects_that_go_take_their_points_runs_and_arcs_along),
        cmocka_unit_test(a_tail_has_the_folders_that_the_other_file_has_not),
        cmocka_unit_test(labels_are_short_and_tell_points_apart),
        cmocka_unit_test(coverage_counts_points_and_arcs_of_counted_runs),
        cmocka_unit_test(thirty_runs_of_a_thousand_arcs_stay_small),
        cmocka_unit_test(passes_of_points_are_added_up_over_all_runs),
    };
    return cmocka_run_group_tests_name("record_arcs", tests, NULL, NULL);
}
