/* SPDX-License-Identifier: MIT
 *
 * What programs with control points leave, read by src/trace: of each point as many passes as the plain decoder of these tests finds, and no
 * loss that is none.
 */
#include "points_seen.h"
#include "points_world.h"
#include "trace_sums.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct trace_sums *sums_of(const struct seen *s)
{
    struct trace_sums *sums;
    struct tare_err err = {{0}};
    assert_int_equal(trace_sums_create(&sums, &(struct trace_sums_options){.workers = 2}, &err), TARE_OK);
    for (size_t i = 0; i < s->n; i++) {
        struct trace_file *f;
        if (trace_file_open(&f, s->files[i].path, &err) || trace_sums_add(sums, f, &err))
            fail_msg("%s", err.text);
        trace_file_close(f);
    }
    assert_int_equal(trace_sums_finish(sums, &err), TARE_OK);
    return sums;
}

/* Places of the same name are one here. In bursts what is written is counted already; but a handler that passes points between the counting of a pass
 * and its writing leaves one arc counted and another one timed, which are a pass each: never less is read than there were, and one more at most
 * for each time that the handler ran. */
static void compare(const struct seen *s, bool burst)
{
    struct trace_sums *sums = sums_of(s);
    const struct trace_sum_point *points;
    const int n = trace_sums_points(sums, &points);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        const char *name = points[i].place.name;
        if (!name[0] || points[i].place.kind == TRACE_COUNTER)
            continue;
        uint64_t read = 0, seen = burst ? seen_added(s, name) : seen_passes(s, name);
        for (int k = 0; k < n; k++)
            read += strcmp(points[k].place.name, name) ? 0 : points[k].passes;
        const uint64_t between = burst ? seen_added(s, "handled") : 0;
        if (read < seen || read - seen > between)
            fail_msg("%s: %llu passes are read, %llu were found", name, (unsigned long long)read, (unsigned long long)seen);
    }
    const struct trace_run *run = trace_sums_run(sums);
    assert_int_equal(run->files, s->n);
    assert_int_equal(run->loss.words, seen_lost(s));
    assert_int_equal(run->loss.segments, 0);
    assert_int_equal(run->loss.truncated_units, 0);
    assert_int_equal(run->loss.truncated_points, 0);
    assert_int_equal(run->loss.unknown_points, 0);
    assert_int_equal(run->loss.unwritten, 0);
    assert_false(run->loss.cut);
    trace_sums_destroy(sums);
}

static void check(const struct world *w, const char *name, int n, const char *file)
{
    struct seen *s = world_run(w, name, n, file);
    compare(s, w->request.mode == TRACE_BURST);
    world_clean(w);
    seen_free(s);
}

static void all_that_is_written_is_read(void **state)
{
    const struct world *w = *state;
    check(w, "plain", 100000, NULL);
    check(w, "values", 1, NULL);
    check(w, "scopes", 100, NULL);
    check(w, "threads", 50000, NULL);
    check(w, "short", 200, NULL);
    check(w, "forks", 20, NULL);
    check(w, "executes", 1000, NULL);
    check(w, "leaves", 1000, NULL);
    check(w, "plugins", 3, POINTS_PLUGIN);
    check(w, "modes", 1000, NULL);
}

static void points_of_handlers_are_read(void **state)
{
    const struct world *w = *state;
    check(w, "storm", 2000, NULL);
}

static void what_is_added_up_is_read(void **state)
{
    struct world *w = *state;
    static const enum trace_mode modes[] = {TRACE_COUNT, TRACE_AGGREGATE, TRACE_BURST};
    for (size_t i = 0; i < 3; i++) {
        w->request.mode = modes[i];
        w->request.burst = 100;
        w->request.burst_gap = 1000;
        check(w, "threads", 20000, NULL);
        check(w, "storm", 500, NULL);
    }
}

static void what_has_no_room_is_read(void **state)
{
    struct world *w = *state;
    w->request.limit_bytes = 1 << 20;
    check(w, "threads", 50000, NULL);
}

static void other_orders_are_read(void **state)
{
    struct world *w = *state;
    w->request.order = TRACE_PRECISE;
    check(w, "scopes", 100, NULL);
    w->request.order = TRACE_FAST;
    check(w, "threads", 5000, NULL);
    w->request.order = TRACE_ORDERED;
    snprintf(w->request.clock, sizeof w->request.clock, "raw");
    check(w, "threads", 5000, NULL);
}

/* ---- holes ---- */

enum { PAGE = 4096 };

/* All counts of a file, as text; empty: it cannot be opened. *lost: something is reported as missing. */
static void counts_of(const void *bytes, size_t n, struct buf *out, bool *lost)
{
    struct trace_file *f;
    struct trace_sums *sums;
    struct tare_err err = {{0}};
    buf_clear(out);
    *lost = true;
    if (trace_file_open_bytes(&f, "holed", bytes, n, &err))
        return;
    assert_int_equal(trace_sums_create(&sums, &(struct trace_sums_options){.workers = 1, .one_process = true}, &err), TARE_OK);
    assert_int_equal(trace_sums_add(sums, f, &err), TARE_OK);
    assert_int_equal(trace_sums_finish(sums, &err), TARE_OK);
    const struct trace_sum_point *points;
    const struct trace_arc_sum *arcs;
    for (int i = 0, all = trace_sums_points(sums, &points); i < all; i++)
        buf_format(out, "%s:%u %llu\n", points[i].place.name, points[i].place.line, (unsigned long long)points[i].passes);
    for (int i = 0, all = trace_sums_arcs(sums, &arcs); i < all; i++)
        buf_format(out, "%d-%d %llu %llu\n", arcs[i].from, arcs[i].to, (unsigned long long)arcs[i].passes,
                   (unsigned long long)arcs[i].n);
    struct buf text = BUF_INIT(1 << 16);
    trace_loss_text(&trace_sums_run(sums)->loss, &text);
    *lost = text.len > 0;
    buf_finish(&text);
    trace_sums_destroy(sums);
    trace_file_close(f);
}

struct holes {
    const char *what;
    unsigned char *intact, *holed;
    size_t bytes;
    struct buf counts, now;
    int untold;
};

static void zero_and_look(struct holes *h, size_t from, size_t to)
{
    bool lost;
    memcpy(h->holed, h->intact, h->bytes);
    memset(h->holed + from, 0, to - from);
    counts_of(h->holed, h->bytes, &h->now, &lost);
    if (lost || !strcmp(buf_text(&h->now), buf_text(&h->counts)))
        return;
    print_error("%s: bytes %zu to %zu of %zu are zero, counts differ, and nothing is said to be lost\n", h->what, from, to,
                h->bytes);
    h->untold++;
}

static void hole_a_file(struct holes *h, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    h->bytes = (size_t)ftell(file);
    rewind(file);
    h->intact = test_malloc(h->bytes);
    h->holed = test_malloc(h->bytes);
    assert_int_equal(fread(h->intact, 1, h->bytes, file), h->bytes);
    fclose(file);
    bool lost;
    counts_of(h->intact, h->bytes, &h->counts, &lost);
    if (lost)
        fail_msg("%s: something is said to be lost of an intact file", h->what);
    for (size_t at = 0; at < h->bytes; at += PAGE) {
        zero_and_look(h, at, at + PAGE < h->bytes ? at + PAGE : h->bytes);
        zero_and_look(h, at, h->bytes);
    }
    test_free(h->intact);
    test_free(h->holed);
}

static void hole_all(struct world *w, const char *name, int n, enum trace_mode mode)
{
    struct holes h = {.what = name, .counts = BUF_INIT(1 << 20), .now = BUF_INIT(1 << 20)};
    w->request.mode = mode;
    struct seen *s = world_run(w, name, n, NULL);
    for (size_t i = 0; i < s->n; i++)
        hole_a_file(&h, s->files[i].path);
    buf_finish(&h.counts);
    buf_finish(&h.now);
    world_clean(w);
    seen_free(s);
    if (h.untold)
        fail_msg("%s, mode %d: %d holes are not told of", name, (int)mode, h.untold);
}

static void holes_are_told_of(void **state)
{
    struct world *w = *state;
    hole_all(w, "plain", 20000, TRACE_TRACE);
    hole_all(w, "plain", 100, TRACE_TRACE);
    hole_all(w, "threads", 1000, TRACE_TRACE);
    hole_all(w, "short", 20, TRACE_TRACE);
    hole_all(w, "forks", 20, TRACE_TRACE);
}

static void holes_in_tables_are_told_of(void **state)
{
    struct world *w = *state;
    hole_all(w, "scopes", 100, TRACE_AGGREGATE);
    hole_all(w, "threads", 1000, TRACE_AGGREGATE);
    hole_all(w, "scopes", 100, TRACE_COUNT);
}

#define in_a_world(test) cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_world(all_that_is_written_is_read), in_a_world(points_of_handlers_are_read), in_a_world(what_is_added_up_is_read),
        in_a_world(what_has_no_room_is_read),    in_a_world(other_orders_are_read),       in_a_world(holes_are_told_of),
        in_a_world(holes_in_tables_are_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
