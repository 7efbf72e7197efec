/* SPDX-License-Identifier: MIT */
#include "made_sums.h"
#include "record_arcs.h"
#include "rng.h"
#include "trace_sums_state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arcs ---- */

static void passages_are_added_up_by_arc(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 4);
    struct made_thread *t = made_thread(&m, 0, 1);
    const unsigned ids[] = {1, 2, 3, 1, 2, 3};
    const uint64_t ticks[] = {1000, 1010, 1030, 1100, 1111, 1150};
    for (int i = 0; i < 6; i++)
        made_pass(&m, t, ids[i], ticks[i]);
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(arc_count(s), 3);
    assert_sum(arc(s, 1, 2), 2, 21);
    assert_sum(arc(s, 2, 3), 2, 59);
    assert_sum(arc(s, 3, 1), 1, 70);
    assert_int_equal(arc(s, 1, 2)->square_low, 221);
    assert_int_equal(arc(s, 1, 2)->min, 10);
    assert_int_equal(arc(s, 1, 2)->max, 11);
    assert_int_equal(passes(s, 1), 2);
    assert_int_equal(passes(s, 4), 0);
    assert_int_equal(trace_sums_run(s)->events, 6);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void times_may_lie_further_apart_than_signed_numbers_reach(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_pass(&m, t, 2, 1010);
    struct trace_sums *s = sums_of(&m, 1);
    s->run.first_ns = INT64_MIN / 4 * 3;
    s->run.last_ns = INT64_MAX / 4 * 3;
    struct record r;
    record_init(&r);
    const struct subject subject = {.kind = SUBJECT_TRACE, .name = "x", .command = "x", .reference = -1};
    assert_int_equal(record_add_subject(&r, &subject, NULL, 0), 0);
    assert_int_equal(trace_sums_record(s, &r, 0, 0, NULL), TARE_OK);
    assert_true(r.traced->runs[0].span_ns > 1.3e19);
    record_finish(&r);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void arcs_cross_the_borders_of_segments_whatever_the_number_of_workers(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 4; workers++) {
        struct made m;
        struct rng rng = rng_seeded(7);
        uint64_t n[5][5] = {0}, sum[5][5] = {0};
        begin_with(&m, 4);
        for (int thread = 0; thread < 3; thread++) {
            struct made_thread *t = made_thread(&m, (uint32_t)thread, 1);
            uint64_t tick = UINT64_C(0xFFFFFFFFF000), d;
            for (unsigned from = 0, to, i = 0; i < 30000; i++, from = to) {
                to = 1 + (unsigned)rng_below(&rng, 4);
                tick += d = 5 + rng_below(&rng, 500);
                made_pass(&m, t, to, tick);
                n[from][to] += from > 0;
                sum[from][to] += from ? d : 0;
            }
        }
        struct trace_sums *s = sums_of(&m, workers);
        for (uint32_t from = 1; from <= 4; from++)
            for (uint32_t to = 1; to <= 4; to++)
                assert_sum(arc(s, from, to), n[from][to], sum[from][to]);
        assert_int_equal(trace_sums_run(s)->events, 90000);
        assert_int_equal(trace_sums_run(s)->threads, 3);
        trace_sums_destroy(s);
        made_finish(&m);
    }
}

static void what_libtare_took_is_taken_off(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_word(&m, t, CONTROL_GAP, 1100, (uint64_t[]){5100}, 1);
    for (unsigned i = 0; i < 17; i++)
        made_word(&m, t, CONTROL_WEIGH, 1200 + 23 * i, NULL, 0);
    made_pass(&m, t, 2, 5300);
    made_pass(&m, t, 1, 5310);
    made_pass(&m, t, 2, 5320);
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 2), 2, 310);
    assert_int_equal(arc(s, 1, 2)->gaps, 1);
    assert_int_equal(arc(s, 1, 2)->gap_units, 4000);
    const struct trace_weight *w = &trace_sums_run(s)->weight;
    assert_int_equal(w->rows, 1);
    assert_true(w->mean == 23);
    trace_sums_destroy(s);
    made_finish(&m);
}

/* They are written from the moment of writing on, and the pass that they were written in had its tick already. */
static void rows_that_weigh_may_lie_behind_the_next_pass(void **state)
{
    (void)state;
    static const unsigned rows[] = {CONTROL_WEIGH, CONTROL_WEIGH_BARE};
    struct made m;
    begin_with(&m, 3);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_word(&m, t, CONTROL_GAP, 1100, (uint64_t[]){5000}, 1);
    for (unsigned row = 0; row < 2; row++)
        for (unsigned i = 0; i < 17; i++)
            made_word(&m, t, rows[row], 4900 + 23 * i, NULL, 0);
    made_pass(&m, t, 2, 5250); /* between the last two of the row, as a handler's would */
    made_pass(&m, t, 3, 5260);
    made_pass(&m, t, 1, 5500);
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(arc_count(s), 3);
    assert_sum(arc(s, 1, 2), 1, 350);
    assert_sum(arc(s, 2, 3), 1, 10);
    assert_sum(arc(s, 3, 1), 1, 240);
    assert_int_equal(arc(s, 1, 2)->handlers + arc(s, 2, 3)->handlers, 0);
    assert_int_equal(trace_sums_run(s)->weight.rows, 1);
    assert_true(trace_sums_run(s)->weight.mean == 23);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void words_beside_the_chain_are_counted_in_the_arc_they_stand_in(void **state)
{
    (void)state;
    for (int workers = 1; workers < 3; workers++) {
        struct made m;
        begin_with(&m, 2);
        struct trace_point *counter = made_point(&m, 3, "/src/a.c", 3, "main", "");
        counter->kind = TRACE_COUNTER;
        counter->value = TRACE_VALUE_U64;
        made_seal(counter);
        struct made_thread *t = made_thread(&m, 0, 1);
        for (uint64_t i = 0; i < 4000; i++) {
            made_pass(&m, t, 1, 1000 + 100 * i);
            made_word(&m, t, CONTROL_ITERATION, 1010 + 100 * i, &i, 1);
            made_word(&m, t, 3, 1020 + 100 * i, &i, 1);
            made_pass(&m, t, 2, 1040 + 100 * i);
            if (i % 2)
                made_word(&m, t, CONTROL_MARK, 1050 + 100 * i, (uint64_t[]){1, 65}, 2);
        }
        struct trace_sums *s = sums_of(&m, workers);
        assert_sum(arc(s, 1, 2), 4000, 160000);
        assert_int_equal(arc(s, 1, 2)->words, 8000);
        assert_sum(arc(s, 2, 1), 3999, 239940);
        assert_int_equal(arc(s, 2, 1)->words, 1999);
        trace_sums_destroy(s);
        made_finish(&m);
    }
}

static void unordered_readings_have_a_weight_of_their_own(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct trace_point *fast = made_point(&m, 3, "/src/a.c", 3, "main", "");
    fast->fast = 1;
    made_seal(fast);
    struct made_thread *t = made_thread(&m, 0, 1);
    for (unsigned i = 0; i < 17; i++)
        made_word(&m, t, CONTROL_WEIGH, 1000 + 23 * i, NULL, 0);
    for (unsigned i = 0; i < 17; i++)
        made_word(&m, t, CONTROL_WEIGH_FAST, 2000 + 16 * i, NULL, 0);
    made_pass(&m, t, 1, 5000);
    made_pass(&m, t, 3, 5100);
    made_pass(&m, t, 2, 5200);
    struct trace_sums *s = sums_of(&m, 1);
    const struct trace_weight *w = &trace_sums_run(s)->weight;
    assert_int_equal(w->rows, 1);
    assert_true(w->mean == 23);
    assert_true(w->of[WEIGHED_FAST] == 16);
    assert_true(arc(s, 1, 3)->fast);
    assert_false(arc(s, 3, 2)->fast);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void rows_of_empty_passes_are_pooled_over_threads(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 1);
    for (uint32_t thread = 0; thread < 2; thread++) {
        struct made_thread *t = made_thread(&m, thread, 1);
        for (uint64_t row = 0, tick = 1000; row < 400; row++, tick += 10000) {
            made_pass(&m, t, 1, tick);
            for (uint64_t i = 0; i < 17; i++) /* one passage of each row lasts 5 us: it was interrupted */
                made_word(&m, t, CONTROL_WEIGH, tick + 100 + (20 + thread) * i + (i > 8 ? 5000 : 0), NULL, 0);
        }
    }
    struct trace_sums *s = sums_of(&m, 2);
    const struct trace_weight *all = &trace_sums_run(s)->weight;
    assert_int_equal(all->rows, 800);
    assert_true(fabs(all->mean - 20.5) < 1e-9 && all->sd > .4 && all->sd < .6);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void a_break_ends_a_chain(void **state)
{
    (void)state;
    static const unsigned ids[] = {CONTROL_BREAK, CONTROL_BURST, CONTROL_BURST_END, CONTROL_MASKED};
    struct made m;
    begin_with(&m, 2);
    struct made_thread *t = made_thread(&m, 0, 1);
    uint64_t tick = 1000;
    for (int i = 0; i < 4; i++) {
        made_pass(&m, t, 1, tick += 10);
        made_pass(&m, t, 2, tick += 10);
        made_word(&m, t, ids[i], tick += 10, NULL, 0);
    }
    made_pass(&m, t, 1, tick += 10);
    made_word(&m, t, CONTROL_LOST, tick += 10, (uint64_t[]){9}, 1);
    made_pass(&m, t, 2, tick += 10);
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(arc_count(s), 1);
    assert_sum(arc(s, 1, 2), 4, 40);
    assert_int_equal(passes(s, 2), 5);
    assert_int_equal(trace_sums_run(s)->loss.words, 9);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void values_and_controls_are_data_whatever_they_hold(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 3);
    struct trace_point *p = made_point(&m, 4, "a.c", 40, "f", "value");
    p->value = TRACE_VALUE_U64;
    made_seal(p);
    p = made_point(&m, 5, "a.c", 50, "f", "counter");
    p->kind = TRACE_COUNTER;
    p->value = TRACE_VALUE_F64;
    made_seal(p);
    struct made_thread *t = made_thread(&m, 0, 1);
    uint64_t hostile = UINT64_C(5000) << 16 | 2;
    made_pass(&m, t, 1, 1000);
    made_word(&m, t, 4, 1010, &hostile, 1);
    made_word(&m, t, 5, 1015, (uint64_t[]){0}, 1);
    made_word(&m, t, CONTROL_MARK, 1016, (uint64_t[]){2, hostile, hostile}, 3);
    made_word(&m, t, 0xFFA0, 1017, &hostile, 1);
    made_pass(&m, t, 2, 1030);
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(arc_count(s), 2);
    assert_sum(arc(s, 1, 40), 1, 10);
    assert_sum(arc(s, 40, 2), 1, 20);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void a_handler_that_came_between_reserving_and_reading_has_its_own_path(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 6);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_pass(&m, t, 2, 1500); /* reserved at 1010, then a handler */
    made_pass(&m, t, 4, 1100);
    made_pass(&m, t, 5, 1300); /* itself interrupted */
    made_pass(&m, t, 6, 1150);
    made_pass(&m, t, 6, 1160);
    made_pass(&m, t, 4, 1400);
    made_pass(&m, t, 3, 1520);
    made_pass(&m, t, 1, 1530);
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 2), 1, 500);
    assert_int_equal(arc(s, 1, 2)->handlers, 1);
    assert_sum(arc(s, 2, 3), 1, 20);
    assert_sum(arc(s, 3, 1), 1, 10);
    assert_sum(arc(s, 4, 5), 1, 200);
    assert_int_equal(arc(s, 4, 5)->nested, 1);
    assert_int_equal(arc(s, 4, 5)->handlers, 1);
    assert_sum(arc(s, 6, 6), 1, 10);
    assert_sum(arc(s, 5, 4), 1, 100);
    assert_int_equal(arc_count(s), 6);
    trace_sums_destroy(s);
    made_finish(&m);
}

/* The last word of a segment is reserved, and the handler's words stand in the next one. */
static void a_handler_s_path_crosses_the_border_of_segments(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 4; workers++) {
        struct made m;
        uint64_t tick = 1000, d[3] = {10, 500, 20}, n = 0;
        begin_with(&m, 4);
        m.silent = true;
        struct made_thread *t = made_thread(&m, 0, 1);
        for (int segment = 0; segment < 40; segment++) {
            do
                made_pass(&m, t, 1, tick += d[0]);
            while (t->at + 16 <= t->end);
            made_pass(&m, t, 2, tick + d[1]); /* fills the segment */
            made_pass(&m, t, 4, tick + 100);
            made_pass(&m, t, 4, tick + 130);
            made_pass(&m, t, 3, tick += d[1] + d[2]);
            n++;
        }
        struct trace_sums *s = sums_of(&m, workers);
        assert_sum(arc(s, 1, 2), n, n * d[1]);
        assert_sum(arc(s, 2, 3), n, n * d[2]);
        assert_sum(arc(s, 4, 4), n, n * 30);
        assert_int_equal(arc(s, 4, 4)->nested, n);
        assert_int_equal(arc_count(s), 5); /* and 1 to 1, 3 to 1 */
        trace_sums_destroy(s);
        made_finish(&m);
    }
}

/* Of a process that was killed: nobody knows how much it had reserved. */
static struct trace_sums *sums_of_killed(struct made *m, const struct made_thread *t)
{
    struct trace_file *f;
    struct trace_sums *s = new_sums(1);
    struct tare_err err = {{0}};
    ((struct trace_segment *)(void *)(m->bytes + t->segment))->used = 0;
    check(trace_file_open_bytes(&f, "killed", m->bytes, m->n, &err), &err);
    check(trace_sums_add(s, f, &err), &err);
    check(trace_sums_finish(s, &err), &err);
    trace_file_close(f);
    return s;
}

/* A word whose process ended in it is no lost hit; more of them than a point reserves are. */
static void a_hole_in_a_segment_is_a_loss_of_hits(void **state)
{
    (void)state;
    static const int zeros[] = {0, 2, 131, 512};
    for (int i = 0; i < 4; i++) {
        struct made m;
        begin_with(&m, 2);
        struct made_thread *t = made_thread(&m, 0, 1);
        made_pass(&m, t, 1, 1000);
        for (int k = 0; k < zeros[i]; k++)
            made_zero(&m, t);
        made_pass(&m, t, 2, 1500);
        for (int k = 0; k < zeros[i]; k++)
            made_zero(&m, t);
        struct trace_sums *s = sums_of(&m, 1);
        const struct trace_loss *loss = &trace_sums_run(s)->loss;
        assert_int_equal(loss->unwritten, zeros[i] == 2 ? 4 : zeros[i] < 512 ? zeros[i] : 0);
        assert_int_equal(loss->truncated_units, (zeros[i] == 512) + (zeros[i] > 5));
        assert_int_equal(trace_loss_of_hits(loss), zeros[i] > 5);
        trace_sums_destroy(s);
        s = sums_of_killed(&m, t);
        assert_int_equal(trace_sums_run(s)->loss.unwritten, zeros[i] < 512 ? zeros[i] : 0);
        assert_int_equal(trace_sums_run(s)->loss.truncated_units, zeros[i] == 512);
        trace_sums_destroy(s);
        made_finish(&m);
    }
}

/* One word of a thread may be what its process ended in. Hits that handlers of signals left by longjmp are lost. */
static void many_hits_that_were_begun_and_not_written_are_lost(void **state)
{
    (void)state;
    for (int zeros = 1; zeros <= 20; zeros += 19) {
        struct made m;
        begin_with(&m, 2);
        struct made_thread *t = made_thread(&m, 0, 1);
        for (int i = 0; i < 20; i++) {
            made_pass(&m, t, 1 + (unsigned)i % 2, 1000 + 100 * (uint64_t)i);
            if (i < zeros)
                made_zero(&m, t);
        }
        struct trace_sums *s = sums_of(&m, 1);
        struct record r;
        struct tare_err err = {{0}};
        static const char *const columns[] = {"wall"};
        record_init(&r);
        record_add_metric(&r, metric_builtin_find("wall"));
        record_add_subject(&r, &(struct subject){.kind = SUBJECT_TRACE, .name = "a", .command = "a"}, columns, 1);
        check(trace_sums_record(s, &r, 0, 0, &err), &err);
        assert_int_equal(r.traced->runs[0].incomplete, zeros > 1);
        record_finish(&r);
        trace_sums_destroy(s);
        made_finish(&m);
    }
}

static void a_clock_that_goes_back_is_told_and_in_no_sum(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct made_thread *t = made_thread(&m, 0, 1);
    const uint64_t ticks[] = {10000, 10010, 5000, 5010, 5020};
    for (unsigned i = 0; i < 5; i++)
        made_pass(&m, t, 1 + i % 2, ticks[i]);
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 2), 2, 20);
    assert_sum(arc(s, 2, 1), 1, 10);
    assert_int_equal(arc(s, 2, 1)->backwards, 1);
    assert_int_equal(arc(s, 2, 1)->passes, 2);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void lanes_are_chains_across_threads(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct made m;
        int workers = 1 + i / 2;
        begin_with(&m, 3);
        m.silent = i % 2;
        struct made_thread *t[2] = {made_thread(&m, 0, 1), made_thread(&m, 1, 1)};
        uint64_t tick = 1000, lane = 0;
        int switches = 6000;
        for (int k = 0; k < 2; k++)
            made_pass(&m, t[k], 3, tick += 1);
        for (int k = 0; k < switches; k++) { /* the lane's points: 1 2 1 2 ..., 10 ticks apart, by one thread and the other */
            lane = 77;
            made_word(&m, t[k % 2], CONTROL_LANE, tick += 4, &lane, 1);
            made_pass(&m, t[k % 2], 1, tick += 6);
            made_pass(&m, t[k % 2], 2, tick += 10);
            lane = 0;
            made_word(&m, t[k % 2], CONTROL_LANE, tick, &lane, 1);
        }
        for (int k = 0; k < 2; k++)
            made_pass(&m, t[k], 3, tick += 1);
        struct trace_sums *s = sums_of(&m, workers);
        assert_sum(arc(s, 1, 2), switches, 10 * switches);
        assert_sum(arc(s, 2, 1), switches - 1, 10 * (switches - 1));
        assert_sum(arc(s, 3, 3), 2, 2 * (tick - 1000) - 4);
        assert_int_equal(arc_count(s), 3);
        trace_sums_destroy(s);
        made_finish(&m);
    }
}

static void a_lane_in_which_the_work_is_divided_is_one_chain(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct made_thread *t = made_thread(&m, 0, 1);
    for (uint64_t lane = 1, tick = 1000; lane <= 20000; lane++) {
        made_word(&m, t, CONTROL_LANE, tick += 4, &lane, 1);
        for (unsigned k = 0; k < 8; k++)
            made_pass(&m, t, k ? 2 : 1, tick += 10);
    }
    struct trace_sums *s = sums_of(&m, 3);
    assert_int_equal(arc_count(s), 2); /* none from 2 to 1 */
    trace_sums_destroy(s);
    made_finish(&m);
}

static void four_stamps_are_the_published_formula(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    made_head(&m)->order = TRACE_PRECISE;
    struct made_thread *t = made_thread(&m, 0, 1);
    /* t3, t4, t1, t2 */
    const uint64_t stamps[][4] = {{1000, 1030, 1400, 1431}, {1500, 1530, 1900, 1925}, {1940, 1990, 2500, 2540}};
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t data[] = {1 + i % 2, stamps[i][1], stamps[i][2], stamps[i][3]};
        made_word(&m, t, CONTROL_STAMPS, stamps[i][0], data, 4);
    }
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(trace_sums_run(s)->units_per_tick, 2);
    assert_true(trace_sums_run(s)->hz == 2e9);
    assert_sum(arc(s, 1, 2), 1, 2 * (1500 - 1431) - (31 + 30)); /* half ticks */
    assert_sum(arc(s, 2, 1), 1, 2 * (1940 - 1925) - (25 + 50)); /* below 0, and that is a figure */
    assert_int_equal(arc(s, 2, 1)->min, -45);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void passes_that_are_written_thrice_are_one(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    made_head(&m)->repeat = 3;
    struct made_thread *t = made_thread(&m, 0, 1);
    uint64_t tick = 1000;
    const unsigned ids[] = {1, 1, 2};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            made_pass(&m, t, ids[i], tick += 20 + (k == 0 ? 7 : 0));
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 1), 1, 67);
    assert_sum(arc(s, 1, 2), 1, 67);
    assert_int_equal(trace_sums_run(s)->events, 3);
    assert_int_equal(trace_sums_run(s)->repeat, 3);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void long_passages_are_classed_as_interrupted(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 1);
    struct made_thread *t = made_thread(&m, 0, 1);
    uint64_t tick = 1000;
    made_pass(&m, t, 1, tick);
    for (int i = 0; i < 1000; i++)
        made_pass(&m, t, 1, tick += i == 500 ? 4000000 : i == 600 ? 900 : 23 + (i & 1)); /* 900 ns is below a microsecond */
    struct trace_sums *s = sums_of(&m, 1);
    const struct trace_arc_sum *a = arc(s, 1, 1);
    assert_int_equal(a->interrupted, 1);
    assert_int_equal(a->clean_n, 999);
    assert_int_equal(a->clean_sum, a->sum - 4000000);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void tables_of_a_program_are_merged(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 3);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_pass(&m, t, 2, 1010);
    struct trace_arc *a = made_table(&m, TRACE_ARCS, 0, 1);
    a[1] = (struct trace_arc){.from = 1, .to = 2, .n = 3, .sum = 36, .square_low = 440, .min = 10, .max = 14, .negative = 1};
    a[1].bins[trace_bin(10)] = 1;
    a[1].bins[trace_bin(12)] = 1;
    a[1].bins[trace_bin(14)] = 1;
    a[3] = (struct trace_arc){.to = 3, .n = 5};
    struct trace_count *c = made_table(&m, TRACE_COUNTS, 1, 1);
    c[7] = (struct trace_count){2, 3, 1000};
    made_head(&m)->full_at = 5;
    struct trace_sums *s = sums_of(&m, 1);
    const struct trace_arc_sum *written = arc_in(s, 1, 2, 0), *added = arc_in(s, 1, 2, TRACE_ADDED_APART);
    assert_sum(written, 1, 10);
    assert_int_equal(written->added, 0);
    assert_int_equal(written->passes, 1);
    assert_int_equal(written->square_low, 100);
    assert_false(written->estimated);
    assert_sum(added, 3, 36);
    assert_int_equal(added->added, 3);
    assert_int_equal(added->backwards, 1);
    assert_int_equal(added->passes, 4);
    assert_int_equal(added->square_low, 440);
    assert_int_equal(added->max, 14);
    assert_true(added->estimated);
    assert_int_equal(passes(s, 2), 5);
    assert_sum(arc(s, 2, 3), 0, 0);
    assert_int_equal(arc(s, 2, 3)->passes, 1000);
    assert_int_equal(passes(s, 3), 1005);
    assert_true(trace_sums_run(s)->degraded);
    trace_sums_destroy(s);
    made_finish(&m);
}

/* A program that is killed while it adds a time has it in the sum, and not in the bins. */
static void a_table_may_be_off_by_one_passage(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 3);
    struct trace_arc *a = made_table(&m, TRACE_ARCS, 0, 1);
    a[1] = (struct trace_arc){.from = 1, .to = 2, .n = 101, .sum = 101 * 30, .square_low = 101 * 900, .min = 30, .max = 30};
    a[1].bins[trace_bin(30)] = 100;
    a[2] = (struct trace_arc){.from = 2, .to = 1, .n = 2, .sum = UINT64_C(1) << 60, .min = 30, .max = 30};
    a[2].bins[trace_bin(30)] = 2;
    struct trace_sums *s = sums_of(&m, 1);
    const struct trace_arc_sum *whole = arc(s, 1, 2);
    assert_sum(whole, 100, 3000);
    assert_true(whole->min == 30 && whole->max == 30);
    assert_int_equal(trace_sums_run(s)->loss.damaged_arcs, 1);
    assert_int_equal(trace_sums_run(s)->loss.words, 0);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void passages_that_a_full_bin_did_not_count_are_counted(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct trace_arc *a = made_table(&m, TRACE_ARCS, 0, 1);
    const uint64_t n = UINT64_C(6000000000);
    a[0] = (struct trace_arc){.from = 1, .to = 2, .n = n, .sum = 50 * n, .square_low = 2500 * n, .min = 10, .max = 50};
    a[0].bins[trace_bin(10)] = 3;
    a[0].bins[trace_bin(50)] = UINT32_MAX;
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 2), n, 50 * n);
    assert_int_equal(arc(s, 1, 2)->bins[0].n, 3);
    assert_int_equal(arc(s, 1, 2)->bins[1].n, n - 3);
    trace_sums_destroy(s);
    made_finish(&m);
}

/* Its program died between the least and the largest. */
static void a_torn_cell_of_a_table_takes_its_ends_from_its_bins(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    struct trace_arc *a = made_table(&m, TRACE_ARCS, 0, 1);
    a[0] = (struct trace_arc){.from = 1, .to = 2, .n = 1, .sum = 12, .square_low = 144, .min = 12};
    a[0].bins[trace_bin(12)] = 1;
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 2), 1, 12);
    assert_int_equal(arc(s, 1, 2)->min, 12);
    assert_int_equal(arc(s, 1, 2)->max, 12);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void in_bursts_times_are_of_windows_and_passes_of_all(void **state)
{
    (void)state;
    struct made m;
    begin_with(&m, 2);
    memset(made_head(&m)->modes, TRACE_BURST, TRACE_GROUPS);
    struct made_thread *t = made_thread(&m, 0, 1);
    made_word(&m, t, CONTROL_BURST, 900, NULL, 0);
    made_pass(&m, t, 1, 1000);
    made_pass(&m, t, 2, 1010);
    made_word(&m, t, CONTROL_BURST_END, 1011, NULL, 0);
    struct trace_count *c = made_table(&m, TRACE_COUNTS, 0, 1);
    c[0] = (struct trace_count){1, 2, 50};
    c[1] = (struct trace_count){2, 1, 49};
    c[2] = (struct trace_count){0, 1, 1};
    struct trace_sums *s = sums_of(&m, 1);
    assert_sum(arc(s, 1, 2), 1, 10);
    assert_int_equal(arc(s, 1, 2)->passes, 50);
    assert_int_equal(passes(s, 1), 50); /* the one that begins a window is among those counted */
    assert_int_equal(passes(s, 2), 50);
    assert_true(trace_sums_run(s)->burst);
    trace_sums_destroy(s);
    made_finish(&m);
}

static void processes_of_a_run_meet_at_their_points(void **state)
{
    (void)state;
    struct made a, b;
    begin_with(&a, 2);
    made_begin(&b); /* other numbers for the same places */
    made_point(&b, 1, "/src/a.c", 2, "main", "");
    made_point(&b, 2, "/src/a.c", 1, "main", "");
    struct made_thread *t = made_thread(&a, 0, 1), *u = made_thread(&b, 0, 1);
    made_pass(&a, t, 1, 1000);
    made_pass(&a, t, 2, 1010);
    made_pass(&b, u, 2, 1000);
    made_pass(&b, u, 1, 1020);
    struct trace_sums *s = new_sums(1);
    struct tare_err err;
    add(s, &a);
    add(s, &b);
    check(trace_sums_finish(s, &err), &err);
    assert_int_equal(arc_count(s), 1);
    assert_sum(arc(s, 1, 2), 2, 30);
    assert_int_equal(trace_sums_run(s)->files, 2);
    trace_sums_destroy(s);
    made_finish(&a);
    made_finish(&b);
}

static void units_of_another_clock_are_converted(void **state)
{
    (void)state;
    struct made a, b;
    begin_with(&a, 2);
    begin_with(&b, 2);
    b.hz = 2e9;
    made_head(&b)->hz = 2e9;
    struct made_thread *t = made_thread(&a, 0, 1), *u = made_thread(&b, 0, 1);
    made_pass(&a, t, 1, 1000);
    made_pass(&a, t, 2, 1010);
    made_pass(&b, u, 1, 1000);
    made_pass(&b, u, 2, 1040);
    struct trace_sums *s = new_sums(1);
    struct tare_err err;
    add(s, &a);
    add(s, &b);
    check(trace_sums_finish(s, &err), &err);
    assert_sum(arc(s, 1, 2), 2, 30);
    assert_int_equal(trace_sums_run(s)->other_clocks, 1);
    trace_sums_destroy(s);
    made_finish(&a);
    made_finish(&b);
}

static void many_points_and_wide_ids_are_added_up_too(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    char *at = made_table(&m, TRACE_POINTS, 0, 16);
    size_t table = (size_t)((uint8_t *)at - m.bytes), first = m.table;
    m.table = table;
    for (uint32_t id = 1; id <= 900; id++)
        made_point(&m, id, "w.c", id, "f", "");
    made_point(&m, 70000, "w.c", 70000, "f", "");
    (void)first;
    struct made_thread *t = made_thread(&m, 0, 1);
    uint64_t tick = 1000;
    for (unsigned id = 1; id <= 900; id++)
        made_pass(&m, t, id, tick += id);
    made_word(&m, t, CONTROL_WIDE, tick += 5, (uint64_t[]){70000}, 1);
    made_word(&m, t, CONTROL_WIDE, tick += 6, (uint64_t[]){70000}, 1);
    struct trace_sums *s = sums_of(&m, 1);
    assert_int_equal(arc_count(s), 901);
    assert_sum(arc(s, 899, 900), 1, 900);
    assert_sum(arc(s, 900, 70000), 1, 5);
    assert_sum(arc(s, 70000, 70000), 1, 6);
    trace_sums_destroy(s);
    made_finish(&m);
}

/* ---- the record ---- */

static void a_run_goes_into_a_record(void **state)
{
    (void)state;
    struct made m;
    struct record r;
    struct tare_err err;
    begin_with(&m, 3);
    struct made_thread *t = made_thread(&m, 0, 1);
    for (unsigned i = 0; i < 10; i++)
        made_pass(&m, t, 1 + i % 2, 1000 + 10 * i);
    struct trace_sums *s = sums_of(&m, 1);
    record_init(&r);
    const struct subject subject = {.kind = SUBJECT_TRACE, .name = "x", .command = "x"};
    record_add_subject(&r, &subject, NULL, 0);
    for (int round = 0; round < 2; round++)
        check(trace_sums_record(s, &r, 0, round, &err), &err);
    assert_int_equal(r.traced->n_points, 3);
    assert_int_equal(r.traced->n_runs, 2);
    assert_int_equal(r.traced->n_arcs, 4);
    assert_int_equal(r.traced->arcs[0].sum, 50);
    assert_int_equal(r.traced->arcs[0].bins[0].n, 5);
    struct arc_coverage c = record_arc_coverage(&r, 0);
    assert_int_equal(c.points, 3);
    assert_int_equal(c.points_passed, 2);
    assert_int_equal(c.arcs, 2);
    assert_int_equal(c.arcs_in_all, 2);
    record_finish(&r);
    trace_sums_destroy(s);
    made_finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passages_are_added_up_by_arc),
        cmocka_unit_test(times_may_lie_further_apart_than_signed_numbers_reach),
        cmocka_unit_test(arcs_cross_the_borders_of_segments_whatever_the_number_of_workers),
        cmocka_unit_test(what_libtare_took_is_taken_off),
        cmocka_unit_test(rows_that_weigh_may_lie_behind_the_next_pass),
        cmocka_unit_test(words_beside_the_chain_are_counted_in_the_arc_they_stand_in),
        cmocka_unit_test(unordered_readings_have_a_weight_of_their_own),
        cmocka_unit_test(rows_of_empty_passes_are_pooled_over_threads),
        cmocka_unit_test(a_break_ends_a_chain),
        cmocka_unit_test(values_and_controls_are_data_whatever_they_hold),
        cmocka_unit_test(a_handler_that_came_between_reserving_and_reading_has_its_own_path),
        cmocka_unit_test(a_handler_s_path_crosses_the_border_of_segments),
        cmocka_unit_test(a_hole_in_a_segment_is_a_loss_of_hits),
        cmocka_unit_test(many_hits_that_were_begun_and_not_written_are_lost),
        cmocka_unit_test(a_clock_that_goes_back_is_told_and_in_no_sum),
        cmocka_unit_test(lanes_are_chains_across_threads),
        cmocka_unit_test(a_lane_in_which_the_work_is_divided_is_one_chain),
        cmocka_unit_test(four_stamps_are_the_published_formula),
        cmocka_unit_test(passes_that_are_written_thrice_are_one),
        cmocka_unit_test(long_passages_are_classed_as_interrupted),
        cmocka_unit_test(tables_of_a_program_are_merged),
        cmocka_unit_test(a_table_may_be_off_by_one_passage),
        cmocka_unit_test(passages_that_a_full_bin_did_not_count_are_counted),
        cmocka_unit_test(a_torn_cell_of_a_table_takes_its_ends_from_its_bins),
        cmocka_unit_test(in_bursts_times_are_of_windows_and_passes_of_all),
        cmocka_unit_test(processes_of_a_run_meet_at_their_points),
        cmocka_unit_test(units_of_another_clock_are_converted),
        cmocka_unit_test(many_points_and_wide_ids_are_added_up_too),
        cmocka_unit_test(a_run_goes_into_a_record),
    };
    return cmocka_run_group_tests_name("trace_sums", tests, NULL, NULL);
}
