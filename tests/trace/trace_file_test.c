/* SPDX-License-Identifier: MIT */
#include "made_trace.h"
#include "rng.h"
#include "trace_sums.h"
#include "trace_time.h"
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct trace_file *open_made(struct made *m)
{
    struct trace_file *f;
    struct tare_err err = {0};
    made_end(m);
    if (trace_file_open_bytes(&f, "made", m->bytes, m->n, &err))
        fail_msg("%s", err.text);
    return f;
}

static void assert_refused(const void *bytes, size_t n, enum tare_status expected, const char *words)
{
    struct trace_file *f;
    struct tare_err err = {0};
    enum tare_status status = trace_file_open_bytes(&f, "x.trace", bytes, n, &err);
    if (status != expected || !strstr(err.text, words) || !strstr(err.text, "x.trace"))
        fail_msg("%s: '%s', not %s: '%s'", tare_status_name(status), err.text, tare_status_name(expected), words);
    assert_null(f);
}

/* Two threads, some segments each. */
static void make_some(struct made *m)
{
    made_begin(m);
    made_point(m, 1, "a.c", 10, "main", "");
    made_point(m, 2, "a.c", 20, "main", "b");
    struct made_thread *t[2] = {made_thread(m, 0, 1), made_thread(m, 1, 2)};
    for (unsigned i = 0; i < 12000; i++)
        made_pass(m, t[i % 2], 1 + i / 2 % 2, 1000 + 10 * i);
    made_end(m);
}

/* ---- what is no trace ---- */

static void what_is_no_trace_is_refused_with_a_reason(void **state)
{
    (void)state;
    struct made m;
    make_some(&m);
    assert_refused("", 0, TARE_TRUNCATED, "is empty");
    assert_refused("{\"type\":\"header\"}", 17, TARE_FORMAT, "no trace");
    assert_refused("tareTRC\n", 8, TARE_TRUNCATED, "within its head");
    assert_refused(m.bytes, 1000, TARE_TRUNCATED, "within its head");
    made_head(&m)->version = TRACE_VERSION + 1;
    assert_refused(m.bytes, m.n, TARE_VERSION, "newer libtare");
    made_head(&m)->version = 0;
    assert_refused(m.bytes, m.n, TARE_FORMAT, "damaged");
    made_head(&m)->version = TRACE_VERSION;
    made_head(&m)->unit_bytes = 4096;
    assert_refused(m.bytes, m.n, TARE_FORMAT, "damaged");
    made_finish(&m);
    struct trace_file *f;
    struct tare_err err = {0};
    assert_int_not_equal(trace_file_open(&f, "/nowhere/x.trace", &err), TARE_OK);
    assert_non_null(strstr(err.text, "/nowhere/x.trace"));
    assert_null(f);
}

static void a_file_on_disk_is_read_as_one_in_memory(void **state)
{
    (void)state;
    struct made m;
    struct trace_file *f;
    struct tare_err err = {0};
    char path[] = "/tmp/tare-trace-test-XXXXXX";
    make_some(&m);
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "wb");
    assert_int_equal(fwrite(m.bytes, 1, m.n, out), m.n);
    fclose(out);
    if (trace_file_open(&f, path, &err))
        fail_msg("%s", err.text);
    const struct trace_thread *threads;
    assert_int_equal(trace_file_threads(f, &threads), 2);
    assert_string_equal(threads[1].name, "made");
    assert_int_equal(threads[1].tid, 1001);
    assert_string_equal(trace_file_point(f, 2)->name, "b");
    assert_null(trace_file_point(f, 3));
    assert_int_equal(trace_file_head(f)->pid, 4711);
    struct buf text = BUF_INIT(1000);
    trace_loss_text(trace_file_loss(f), &text);
    assert_int_equal(text.len, 0);
    buf_finish(&text);
    trace_file_close(f);
    remove(path);
    made_finish(&m);
}

/* A program that lies can claim 4 TB and write none of it: read unit by unit that takes a quarter of an hour. */
static void holes_of_a_file_are_not_read(void **state)
{
    (void)state;
    struct made m;
    struct trace_file *f;
    struct tare_err err = {0};
    char path[] = "/tmp/tare-trace-test-XXXXXX";
    const off_t bytes = (off_t)1 << 42;
    make_some(&m);
    made_head(&m)->units = (uint64_t)(bytes / TRACE_UNIT);
    int fd = mkstemp(path);
    assert_int_equal(write(fd, m.bytes, m.n), m.n);
    if (ftruncate(fd, bytes) == 0) { /* else this file system has no files of that size */
        if (trace_file_open(&f, path, &err))
            fail_msg("%s", err.text);
        assert_int_equal(trace_file_loss(f)->unused_units, (bytes - (off_t)m.n) / TRACE_UNIT);
        assert_false(trace_loss_of_hits(trace_file_loss(f)));
        trace_file_close(f);
    }
    close(fd);
    remove(path);
    made_finish(&m);
}

/* ---- damage ---- */

static void times_of_a_damaged_head_count_as_lost(void **state)
{
    (void)state;
    struct made m;
    make_some(&m);
    made_head(&m)->hz = 2e9; /* the checksum was of another */
    struct trace_file *f;
    struct tare_err err = {0};
    assert_int_equal(trace_file_open_bytes(&f, "made", m.bytes, m.n, &err), TARE_OK);
    assert_true(trace_file_loss(f)->truncated_head);
    assert_true(trace_loss_of_hits(trace_file_loss(f)));
    trace_file_close(f);
    made_finish(&m);
}

static uint64_t events_of(struct trace_file *f)
{
    struct trace_sums *s;
    struct tare_err err = {0};
    if (trace_sums_create(&s, &(struct trace_sums_options){.workers = 1}, &err) || trace_sums_add(s, f, &err) ||
        trace_sums_finish(s, &err))
        fail_msg("%s", err.text);
    uint64_t n = trace_sums_run(s)->events;
    trace_sums_destroy(s);
    return n;
}

static void a_file_that_was_cut_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct made m;
    make_some(&m);
    uint64_t before = 0;
    for (size_t n = TRACE_UNIT; n <= m.n; n += 1000 + (n + 1000 > m.n && n < m.n ? m.n - n - 1000 : 0)) {
        struct trace_file *f;
        struct tare_err err = {0};
        if (trace_file_open_bytes(&f, "cut", m.bytes, n, &err))
            fail_msg("%zu: %s", n, err.text);
        uint64_t events = events_of(f);
        assert_true(events >= before);
        assert_int_equal(trace_file_loss(f)->cut, n < m.n);
        before = events;
        trace_file_close(f);
    }
    assert_int_equal(before, 12000);
    made_finish(&m);
}

static void a_torn_segment_costs_itself_and_is_told(void **state)
{
    (void)state;
    struct made m;
    make_some(&m);
    m.bytes[TRACE_UNIT + 20] ^= 1; /* in the header of the first segment */
    struct trace_file *f = open_made(&m);
    const struct trace_thread *threads;
    trace_file_threads(f, &threads);
    assert_int_equal(trace_file_loss(f)->truncated_units, 1);
    assert_int_equal(trace_file_loss(f)->segments, 1);
    assert_int_equal(events_of(f), 12000 - (TRACE_UNIT - sizeof(struct trace_segment)) / 8);
    struct buf text = BUF_INIT(1000);
    trace_loss_text(trace_file_loss(f), &text);
    assert_non_null(strstr(buf_text(&text), "1 block of 16 KiB is damaged"));
    assert_non_null(strstr(buf_text(&text), "1 segment is missing"));
    buf_finish(&text);
    trace_file_close(f);
    made_finish(&m);
}

static void units_that_were_claimed_and_not_begun_are_passed_over(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    made_point(&m, 1, "a.c", 10, "main", "");
    m.n += 2 * TRACE_UNIT;
    struct made_thread *t = made_thread(&m, 0, 1);
    made_pass(&m, t, 1, 1000);
    made_zero(&m, t);
    made_pass(&m, t, 1, 1010);
    made_zero(&m, t);
    made_end(&m);
    ((struct trace_segment *)(void *)(m.bytes + t->segment))->used = 0; /* the process was killed in it */
    made_head(&m)->end = TRACE_RUNNING;
    struct trace_file *f;
    struct tare_err err = {0};
    if (trace_file_open_bytes(&f, "made", m.bytes, m.n, &err))
        fail_msg("%s", err.text);
    assert_int_equal(trace_file_loss(f)->unused_units, 2);
    assert_true(trace_file_loss(f)->running);
    const struct trace_stretch *s;
    assert_int_equal(trace_file_stretches(f, &s), 1);
    assert_true(s->open);
    assert_int_equal(s->bytes, 24); /* up to the last word that is not zero */
    assert_int_equal(events_of(f), 2);
    trace_file_close(f);
    made_finish(&m);
}

static void damaged_descriptions_are_left_out_and_their_points_are_still_passed(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    struct trace_point *p = made_point(&m, 1, "a.c", 10, "main", "");
    made_point(&m, 2, "a.c", 20, "main", "");
    p->line++;
    struct made_thread *t = made_thread(&m, 0, 1);
    for (unsigned i = 0; i < 4; i++)
        made_pass(&m, t, 1 + i % 2, 1000 + 10 * i);
    struct trace_file *f = open_made(&m);
    const struct trace_place *points;
    assert_int_equal(trace_file_points(f, &points), 1);
    assert_int_equal(trace_file_loss(f)->truncated_points, 1);
    assert_int_equal(events_of(f), 4);
    trace_file_close(f);
    made_finish(&m);
}

/* ---- clocks ---- */

static struct trace_time *time_of(struct trace_file *f)
{
    struct trace_time *t;
    struct tare_err err;
    assert_int_equal(trace_time_create(&t, f, &err), TARE_OK);
    return t;
}

static void ticks_become_nanoseconds_by_moments(void **state)
{
    (void)state;
    struct made m;
    made_begin(&m);
    m.hz = 2.5e9;
    made_head(&m)->hz = 0;
    made_head(&m)->start = (struct trace_moment){2500, 1000000, 5000000000, 10, 0};
    made_head(&m)->last = (struct trace_moment){2500 + 25000000, 1000000 + 10000000, 5010000000, 10, 0};
    struct trace_file *f = open_made(&m);
    struct trace_time *t = time_of(f);
    double rest;
    assert_true(fabs(trace_time_check(t)->hz - 2.5e9) < 1e-3);
    assert_false(trace_time_check(t)->known);
    assert_int_equal(trace_time_ns(t, 2500, NULL), 1000000);
    assert_int_equal(trace_time_ns(t, 2501, &rest), 1000000);
    assert_true(fabs(rest - .4) < 1e-9);
    assert_int_equal(trace_time_ns(t, 2500 + 50000000, NULL), 1000000 + 20000000);
    assert_int_equal(trace_time_ns(t, 0, NULL), 1000000 - 1000);
    trace_time_destroy(t);
    trace_file_close(f);
    made_finish(&m);
}

static void clocks_that_jump_and_machines_that_sleep_are_noticed(void **state)
{
    (void)state;
    struct made m;
    make_some(&m);
    struct trace_moment *last = &made_head(&m)->last;
    *last = (struct trace_moment){2000000100, 2000001100 - 3000000, 1000000002000000000, 20, 0};
    struct trace_file *f = open_made(&m);
    struct trace_time *t = time_of(f);
    assert_int_equal(trace_time_check(t)->jumps, 1);
    assert_true(fabs(trace_time_check(t)->jump_ns - 3e6) < 1e5);
    assert_int_equal(trace_time_check(t)->steps, 0);
    trace_time_destroy(t);
    trace_file_close(f);
    last->raw_ns = 2000001100;
    last->real_ns += 3600 * UINT64_C(1000000000);
    f = open_made(&m);
    t = time_of(f);
    assert_int_equal(trace_time_check(t)->jumps, 0);
    assert_int_equal(trace_time_check(t)->steps, 1);
    assert_true(fabs(trace_time_check(t)->step_ns - 3600e9) < 1e9);
    trace_time_destroy(t);
    trace_file_close(f);
    made_finish(&m);
}

static void differences_of_times_stay_signed_numbers_whatever_the_ticks(void **state)
{
    (void)state;
    struct made m;
    make_some(&m);
    struct trace_file *f = open_made(&m);
    struct trace_time *t = time_of(f);
    static const uint64_t ticks[] = {0, UINT64_MAX / 4, UINT64_MAX / 2, UINT64_MAX / 2 + UINT64_MAX / 4, UINT64_MAX};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        int64_t ns = trace_time_ns(t, ticks[i], NULL);
        if (ns > INT64_MAX / 4 || ns < -(INT64_MAX / 4))
            fail_msg("tick %llu is at %lld ns", (unsigned long long)ticks[i], (long long)ns);
    }
    trace_time_destroy(t);
    trace_file_close(f);
    made_finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_trace_is_refused_with_a_reason),
        cmocka_unit_test(a_file_on_disk_is_read_as_one_in_memory),
        cmocka_unit_test(holes_of_a_file_are_not_read),
        cmocka_unit_test(times_of_a_damaged_head_count_as_lost),
        cmocka_unit_test(a_file_that_was_cut_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_torn_segment_costs_itself_and_is_told),
        cmocka_unit_test(units_that_were_claimed_and_not_begun_are_passed_over),
        cmocka_unit_test(damaged_descriptions_are_left_out_and_their_points_are_still_passed),
        cmocka_unit_test(ticks_become_nanoseconds_by_moments),
        cmocka_unit_test(clocks_that_jump_and_machines_that_sleep_are_noticed),
        cmocka_unit_test(differences_of_times_stay_signed_numbers_whatever_the_ticks),
    };
    return cmocka_run_group_tests_name("trace_file", tests, NULL, NULL);
}
