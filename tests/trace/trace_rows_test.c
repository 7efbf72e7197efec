/* SPDX-License-Identifier: MIT
 * Rows of passes that are added up at once, and what is counted beside. */
#include "made_sums.h"
#include "rng.h"
#include "trace_sums_state.h"
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* A bin holds 2^21 passages before it goes on elsewhere, squares 2^63; longer times and values stand between. */
static void rows_that_fill_their_bins_lose_nothing(void **state)
{
    (void)state;
    enum { MANY = (1 << 21) + 1000 };
    const uint64_t most = (UINT64_C(1) << 21) - 1;
    struct made m;
    begin_with(&m, 2);
    struct trace_point *valued = made_point(&m, 3, "/src/a.c", 3, "main", "");
    valued->value = TRACE_VALUE_U64;
    made_seal(valued);
    struct made_thread *t = made_thread(&m, 0, 1024);
    uint64_t tick = 1000, n = 0;
    int64_t sum = 0;
    made_pass(&m, t, 1, tick);
    for (int i = 0; i < MANY; i++) {
        const uint64_t apart = i % 1000 == 7 ? 5 * most : most - (uint64_t)(i % 3);
        made_pass(&m, t, 1, tick += apart);
        sum += (int64_t)apart;
        n++;
    }
    for (uint64_t i = 0; i < 1000; i++) { /* each with its value, which looks like a pass */
        made_word(&m, t, 3, tick += 10, (const uint64_t[]){2}, 1);
        t->last_point = 3;
        t->last_tick = tick;
    }
    struct trace_sums *s = sums_of(&m, 1);
    const struct trace_arc_sum *a = arc(s, 1, 1);
    assert_sum(a, n, sum);
    assert_int_equal(a->min, most - 2);
    assert_int_equal(a->max, 5 * most);
    cell_square square = 0;
    for (int i = 0; i < MANY; i++) {
        const uint64_t apart = i % 1000 == 7 ? 5 * most : most - (uint64_t)(i % 3);
        square += (cell_square)apart * apart;
    }
    assert_true(a->square_low == (uint64_t)square && a->square_high == (uint64_t)(square >> 64));
    assert_sum(arc(s, 3, 3), 999, 9990);
    assert_int_equal(passes(s, 3), 1000);
    assert_int_equal(arc_count(s), 3);
    trace_sums_destroy(s);
    made_finish(&m);
}

struct pair_sum {
    uint64_t n;
    int64_t sum;
};

/* Whether arcs have a table of all pairs or share places (900), and with more of them than have a place in a row. */
static void arcs_come_to_the_same_however_many_points_there_are(void **state)
{
    (void)state;
    static const int sizes[] = {5, 180, 900};
    enum { EVENTS = 60000 };
    for (int k = 0; k < 3; k++) {
        const int points = sizes[k];
        struct made m;
        struct rng rng = rng_seeded((uint64_t)points);
        struct pair_sum *expected = calloc((size_t)points * (size_t)points, sizeof *expected);
        made_begin(&m);
        m.table = (size_t)((uint8_t *)made_table(&m, TRACE_POINTS, 0, 16) - m.bytes);
        for (int i = 1; i <= points; i++)
            made_point(&m, (uint32_t)i, "/src/a.c", (uint32_t)i, "main", "");
        struct made_thread *t = made_thread(&m, 0, 64);
        uint64_t tick = 1000;
        int last = -1;
        for (int i = 0; i < EVENTS; i++) {
            const int to = (int)rng_below(&rng, (uint64_t)points);
            const uint64_t apart = rng_below(&rng, 100) ? rng_below(&rng, 5000) : UINT64_C(1) << rng_below(&rng, 30);
            made_pass(&m, t, (unsigned)to + 1, tick += apart);
            if (last >= 0) {
                expected[last * points + to].n++;
                expected[last * points + to].sum += (int64_t)apart;
            }
            last = to;
        }
        struct trace_sums *s = new_sums(1);
        struct tare_err err;
        const struct trace_arc_sum *arcs;
        const struct trace_sum_point *places;
        add(s, &m);
        check(trace_sums_finish(s, &err), &err);
        trace_sums_points(s, &places);
        uint64_t n = 0;
        for (int i = 0, all = trace_sums_arcs(s, &arcs); i < all; i++) {
            const struct pair_sum *e =
                &expected[(int)(places[arcs[i].from].place.line - 1) * points + (int)places[arcs[i].to].place.line - 1];
            if (arcs[i].n != e->n || arcs[i].sum != e->sum)
                fail_msg("%d points: an arc has %llu passages of %lld, not %llu of %lld", points, (unsigned long long)arcs[i].n,
                         (long long)arcs[i].sum, (unsigned long long)e->n, (long long)e->sum);
            n += arcs[i].n;
        }
        assert_int_equal(n, EVENTS - 1);
        trace_sums_destroy(s);
        free(expected);
        made_finish(&m);
    }
}

static void gaps_that_overlap_are_taken_off_once(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_word(&m, t, CONTROL_GAP, 1100, (const uint64_t[]){1500}, 1); /* the inner one stands first */
    made_word(&m, t, CONTROL_GAP, 1500, (const uint64_t[]){1600}, 1);
    made_word(&m, t, CONTROL_GAP, 1550, (const uint64_t[]){1650}, 1);
    made_word(&m, t, CONTROL_GAP, 1700, (const uint64_t[]){1750}, 1);
    made_pass(&m, t, 2, 2000);
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 2), 1, 1000 - (1650 - 1100) - 50);
    assert_int_equal(arc(s, 1, 2)->gap_units, 600);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void pairs_of_stamps_that_were_interrupted_are_counted(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    made_head(&m)->order = TRACE_PRECISE;
    struct made_thread *t = made_thread(&m, 0, 1);
    const uint64_t stamps[][4] = {{1000, 1030, 1400, 1430},
                                  {2000, 4500, 4600, 4630},
                                  {5000, 5030, 5100, 7000},
                                  {8000, 8030, 8100, 8130},
                                  {9000, 9030, 9100, 9130}};
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t data[] = {1 + i % 2, stamps[i][1], stamps[i][2], stamps[i][3]};
        made_word(&m, t, CONTROL_STAMPS, stamps[i][0], data, 4);
    }
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(arc(s, 1, 2)->n, 2); /* at its end of the first, at its begin of the third */
    assert_int_equal(arc(s, 1, 2)->stamps, 2);
    assert_int_equal(arc(s, 2, 1)->stamps, 0);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void points_of_one_place_are_one_and_counted(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    made_point(&m, 1, "/src/a.c", 7, "main", "x");
    made_point(&m, 2, "/src/a.c", 7, "main", "x");
    made_point(&m, 3, "/src/a.c", 7, "main", "y");
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_pass(&m, t, 2, 1100);
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(trace_sums_run(s)->merged, 1);
    assert_sum(arc(s, 7, 7), 1, 100);
    trace_sums_destroy(s);
    made_finish(&m);
}

/* Of two object files, with other counts; met in no order. Of the second's function a template was compiled twice. */
static void points_of_one_line_are_told_apart_by_their_order_on_it(void **state)
{
    (void)state;
    static const uint32_t made[][2] = {{7, 42}, {7, 40}, {3, 5}, {3, 7}, {3, 6}, {7, 42}, {7, 41}};
    static const uint32_t ordinals[] = {2, 0, 0, 2, 1, 2, 1};
    struct made m;
    made_begin(&m);
    for (uint32_t i = 0; i < 7; i++)
        made_origin(&m, made_point(&m, i + 1, "/src/a.h", 7, "main", ""), made[i][0], made[i][1]);
    made_origin(&m, made_point(&m, 8, "/src/a.h", 7, "other", ""), 3, 9);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 6, 1000);
    made_pass(&m, t, 2, 1100);
    made_pass(&m, t, 1, 1300);
    struct trace_file *f;
    struct tare_err err = {0};
    made_end(&m);
    assert_int_equal(trace_file_open_bytes(&f, "made", m.bytes, m.n, &err), TARE_OK);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(trace_file_point(f, i + 1)->ordinal, ordinals[i]);
    assert_int_equal(trace_file_point(f, 8)->ordinal, 0);
    trace_file_close(f);
    struct trace_sums *s = sums_of(&m, 1);
    const struct trace_sum_point *points;
    assert_int_equal(trace_sums_points(s, &points), 4);
    assert_int_equal(trace_sums_run(s)->merged, 0);
    assert_int_equal(points[0].place.ordinal, 2);
    assert_int_equal(points[0].passes, 2);
    assert_int_equal(points[1].place.ordinal, 0);
    assert_int_equal(points[1].passes, 1);
    trace_sums_destroy(s);
    made_finish(&m);
}

/* Added up they would be few again: 2^64 of them none. */
static void more_passages_than_can_be_are_damage(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 3);
    struct trace_arc *a = made_table(&m, TRACE_ARCS, 0, 1);
    a[0] = (struct trace_arc){.from = 1, .to = 2, .n = 2, .sum = 20, .square_low = 200, .min = 10, .max = 10};
    a[0].bins[trace_bin(10)] = 2;
    a[1] = (struct trace_arc){.from = 2, .to = 3, .n = 2, .sum = 20, .min = 10, .max = 10, .negative = UINT64_MAX - 1};
    a[1].bins[trace_bin(10)] = 2;
    a[2] = (struct trace_arc){.from = 3, .to = 1, .n = UINT64_MAX, .min = 0, .max = 0};
    a[2].bins[0] = UINT32_MAX;
    a[3] = (struct trace_arc){.to = 3, .n = UINT64_MAX};
    struct trace_count *c = made_table(&m, TRACE_COUNTS, 1, 1);
    c[0] = (struct trace_count){1, 2, UINT64_MAX};
    c[1] = (struct trace_count){0, 2, UINT64_C(1) << 63};
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(trace_sums_run(s)->loss.damaged_arcs, 5);
    assert_int_equal(arc_count(s), 1);
    assert_int_equal(arc(s, 1, 2)->passes, 2);
    assert_int_equal(passes(s, 2), 2);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void a_process_that_goes_on_is_a_loss_that_is_told(void **state)
{
    (void)state;
    struct trace_sums *s = new_sums(1);
    struct buf text = BUF_INIT(1 << 12);
    trace_sums_outlived(s);
    trace_sums_silent(s);
    trace_sums_silent(s);
    trace_loss_text(&trace_sums_run(s)->loss, &text);
    assert_non_null(strstr(buf_text(&text), "1 process was still running when its file was read"));
    assert_non_null(strstr(buf_text(&text), "2 processes without a hit were still running after the run"));
    buf_finish(&text);
    trace_sums_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_fill_their_bins_lose_nothing),
        cmocka_unit_test(arcs_come_to_the_same_however_many_points_there_are),
        cmocka_unit_test(gaps_that_overlap_are_taken_off_once),
        cmocka_unit_test(pairs_of_stamps_that_were_interrupted_are_counted),
        cmocka_unit_test(points_of_one_place_are_one_and_counted),
        cmocka_unit_test(points_of_one_line_are_told_apart_by_their_order_on_it),
        cmocka_unit_test(more_passages_than_can_be_are_damage),
        cmocka_unit_test(a_process_that_goes_on_is_a_loss_that_is_told),
    };
    return cmocka_run_group_tests_name("rows of passes", tests, NULL, NULL);
}
