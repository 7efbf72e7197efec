/* SPDX-License-Identifier: MIT */
#include "made_trace.h"
#include "rng.h"
#include "trace_events.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct trace_window everything = {TRACE_ALL_THREADS, INT64_MIN, INT64_MAX};

struct reading {
    struct trace_file *f;
    struct trace_events *it;
};

static struct reading read_made(struct made *m, struct trace_window w)
{
    struct reading x;
    struct tare_err err = {0};
    made_end(m);
    if (trace_file_open_bytes(&x.f, "made", m->bytes, m->n, &err) || trace_events_open(&x.it, x.f, &w, &err))
        fail_msg("%s", err.text);
    return x;
}

static void done(struct reading *x, struct made *m)
{
    struct tare_err err = {0};
    struct trace_event e;
    if (trace_events_next(x->it, &e))
        fail_msg("one more event, of kind %d at %lld", e.kind, (long long)e.ns);
    if (trace_events_close(x->it, &err))
        fail_msg("%s", err.text);
    trace_file_close(x->f);
    made_finish(m);
}

/* The next event, which must be of this kind at this tick. Moments of made traces lie at tick + 1000 ns. */
static struct trace_event expect(struct reading *x, enum trace_event_kind kind, uint64_t tick, const char *file, int line)
{
    struct trace_event e;
    if (!trace_events_next(x->it, &e)) {
        print_error("no more events\n");
        _fail(file, line);
    }
    if (e.kind != kind || e.tick != tick || e.ns != (int64_t)tick + 1000) {
        print_error("kind %d tick %llu ns %lld, expected kind %d tick %llu\n", e.kind, (unsigned long long)e.tick,
                    (long long)e.ns, kind, (unsigned long long)tick);
        _fail(file, line);
    }
    return e;
}
#define EXPECT(kind, tick) expect(&x, kind, tick, __FILE__, __LINE__)

static void events_come_with_what_they_bring(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    made_point(&m, 1, "a.c", 10, "main", "");
    struct trace_point *p = made_point(&m, 2, "a.c", 20, "main", "size");
    p->value = TRACE_VALUE_I64;
    made_seal(p);
    p = made_point(&m, 3, "a.c", 30, "main", "heat");
    p->kind = TRACE_COUNTER;
    p->value = TRACE_VALUE_F64;
    made_seal(p);
    p = made_point(&m, 4, "a.c", 40, "main", "work");
    p->kind = TRACE_SCOPE_BEGIN;
    made_seal(p);
    p = made_point(&m, 70000, "w.c", 1, "f", "wide");
    p->value = TRACE_VALUE_U64;
    made_seal(p);
    struct made_thread *t = made_thread(&m, 5, 1);
    uint64_t text[] = {2, 0, 0}, heat;
    memcpy(text + 1, "hello world", 11);
    memcpy(&heat, &(double){1.5}, sizeof heat);
    made_word(&m, t, CONTROL_GAP, 1000, (uint64_t[]){1500}, 1);
    made_word(&m, t, CONTROL_WEIGH, 1100, NULL, 0);
    made_word(&m, t, CONTROL_WEIGH, 1120, NULL, 0);
    made_pass(&m, t, 1, 2000);
    made_word(&m, t, 2, 2100, (uint64_t[]){(uint64_t)-7}, 1);
    made_word(&m, t, 3, 2200, &heat, 1);
    made_word(&m, t, CONTROL_MARK, 2300, text, 3);
    made_pass(&m, t, 4, 2400);
    made_word(&m, t, CONTROL_WIDE_VALUE, 2500, (uint64_t[]){70000, 9, 0, 0}, 4);
    made_word(&m, t, CONTROL_LANE, 2600, (uint64_t[]){8}, 1);
    made_pass(&m, t, 1, 2700);
    made_word(&m, t, CONTROL_LOST, 2800, (uint64_t[]){33}, 1);
    made_pass(&m, t, 999, 2900);
    made_word(&m, t, CONTROL_STAMPS, 3000, (uint64_t[]){1, 3020, 3500, 3530}, 4);
    struct reading x = read_made(&m, everything);
    assert_int_equal(EXPECT(EVENT_GAP, 1000).end_ns, 2500);
    struct trace_event e = EXPECT(EVENT_POINT, 2000);
    assert_int_equal(e.point->line, 10);
    assert_int_equal(e.value, TRACE_VALUE_NONE);
    e = EXPECT(EVENT_POINT, 2100);
    assert_string_equal(e.point->name, "size");
    assert_int_equal(e.value, TRACE_VALUE_I64);
    assert_int_equal(e.i64, -7);
    e = EXPECT(EVENT_COUNTER, 2200);
    assert_true(e.value == TRACE_VALUE_F64 && e.f64 == 1.5);
    assert_string_equal(EXPECT(EVENT_MARK, 2300).text, "hello world");
    assert_string_equal(EXPECT(EVENT_SCOPE_BEGIN, 2400).point->name, "work");
    e = EXPECT(EVENT_POINT, 2500);
    assert_string_equal(e.point->name, "wide");
    assert_int_equal(e.u64, 9);
    assert_int_equal(EXPECT(EVENT_LANE, 2600).lane, 8);
    assert_int_equal(EXPECT(EVENT_POINT, 2700).lane, 8);
    assert_int_equal(EXPECT(EVENT_LOST, 2800).number, 33);
    assert_string_equal(EXPECT(EVENT_POINT, 2900).point->name, "?");
    assert_int_equal(EXPECT(EVENT_POINT, 3000).end_ns, 4530);
    done(&x, &m);
}

static void what_a_handler_passed_comes_before_what_it_interrupted(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    made_point(&m, 1, "a.c", 10, "main", "");
    struct made_thread *t = made_thread(&m, 0, 1);
    const uint64_t in_file[] = {1000, 1500, 1100, 1300, 1150, 1160, 1400, 1520, 1530};
    const uint64_t in_time[] = {1000, 1100, 1150, 1160, 1300, 1400, 1500, 1520, 1530};
    const int depth[] = {0, 1, 2, 2, 1, 1, 0, 0, 0};
    for (int i = 0; i < 9; i++)
        made_pass(&m, t, 1, in_file[i]);
    struct reading x = read_made(&m, everything);
    for (int i = 0; i < 9; i++)
        assert_int_equal(EXPECT(EVENT_POINT, in_time[i]).depth, depth[i]);
    done(&x, &m);
}

static void threads_come_in_the_order_of_time(void **state)
{
    (void)state;
    struct made m;
    struct rng rng = rng_seeded(3);
    made_begin(&m);
    made_point(&m, 1, "a.c", 10, "main", "");
    struct made_thread *t[8];
    uint64_t tick = 1000;
    for (uint32_t i = 0; i < 8; i++)
        t[i] = made_thread(&m, i, 1);
    static int of[50000];
    static uint64_t at[50000];
    for (int i = 0; i < 50000; i++) {
        of[i] = (int)rng_below(&rng, 1 + (uint64_t)i / 6250);
        at[i] = tick += 1 + rng_below(&rng, 90);
        made_pass(&m, t[of[i]], 1, at[i]);
    }
    struct reading x = read_made(&m, everything);
    for (int i = 0; i < 50000; i++)
        assert_int_equal(EXPECT(EVENT_POINT, at[i]).thread, of[i]);
    done(&x, &m);
}

static void a_window_is_cut_out_of_one_thread_or_all(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct made m;
        made_begin(&m);
        made_point(&m, 1, "a.c", 10, "main", "");
        struct made_thread *a = made_thread(&m, 0, 1), *b = made_thread(&m, 1, 1);
        for (uint64_t i = 0; i < 10000; i++) {
            made_pass(&m, a, 1, 1000 + 20 * i);
            made_pass(&m, b, 1, 1010 + 20 * i);
        }
        struct reading x = read_made(&m, (struct trace_window){all ? TRACE_ALL_THREADS : 1, 101000, 103000});
        for (uint64_t tick = 100000; tick < 102000; tick += 10)
            if (all || tick % 20)
                assert_int_equal(EXPECT(EVENT_POINT, tick).thread, tick % 20 ? 1 : 0);
        done(&x, &m);
    }
}

static void a_missing_segment_is_told_where_it_is_missing(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    made_point(&m, 1, "a.c", 10, "main", "");
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    t->end = t->at; /* the next word begins a segment */
    t->sequence += 2;
    made_pass(&m, t, 1, 5000);
    struct reading x = read_made(&m, everything);
    EXPECT(EVENT_POINT, 1000);
    assert_int_equal(EXPECT(EVENT_LOST, 5000).number, 0);
    EXPECT(EVENT_POINT, 5000);
    assert_int_equal(trace_file_loss(x.f)->segments, 2);
    done(&x, &m);
}

static void words_that_prove_the_probe_are_one_event(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    made_head(&m)->repeat = 3;
    made_point(&m, 1, "a.c", 10, "main", "");
    struct made_thread *t = made_thread(&m, 0, 1);
    for (uint64_t i = 0; i < 6; i++)
        made_pass(&m, t, 1, 1000 + 20 * i);
    struct reading x = read_made(&m, everything);
    EXPECT(EVENT_POINT, 1000);
    EXPECT(EVENT_POINT, 1060);
    done(&x, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_with_what_they_bring),
        cmocka_unit_test(what_a_handler_passed_comes_before_what_it_interrupted),
        cmocka_unit_test(threads_come_in_the_order_of_time),
        cmocka_unit_test(a_window_is_cut_out_of_one_thread_or_all),
        cmocka_unit_test(a_missing_segment_is_told_where_it_is_missing),
        cmocka_unit_test(words_that_prove_the_probe_are_one_event),
    };
    return cmocka_run_group_tests_name("trace_events", tests, NULL, NULL);
}
