/* SPDX-License-Identifier: MIT
 *
 * A process of growth keeps to its time, with several calls a reading too, where the clock and the calls are a script: a tick is a nanosecond, and a call
 * takes two for each element.
 */
#include "leak_harness.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { READ = 10, SIZES = 15, PROCESS_NS = 300000000, BATCH_NS = 20000000 };

static struct {
    int64_t now, calls, paused_call; /* in which the machine stands still for longer than a batch; 0: none */
} script;

static struct seen {
    int64_t blocks, checks, least[SIZES], most[SIZES]; /* ticks at each size */
} seen;

int64_t __wrap_plat_clock_ns(enum plat_clock clock);

int64_t __wrap_plat_clock_ns(enum plat_clock clock)
{
    (void)clock;
    return script.now;
}

static struct tare_ticks read_script(void)
{
    script.now += READ;
    return (struct tare_ticks){(uint64_t)script.now};
}

static uint64_t walk(void *state, const unsigned char *in)
{
    (void)in;
    script.now += 2 * *(const int64_t *)state;
    if (++script.calls == script.paused_call)
        script.now += 5 * (int64_t)BATCH_NS;
    return 0;
}

static enum tare_status take(void *context)
{
    struct buf *out = context;
    struct wire_reader reader = {out->data, out->len, 0};
    struct wire_frame f;
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type != WIRE_BLOCKS || f.u.blocks.kind != WIRE_GROWTH_SIZES) {
            seen.checks += f.type == WIRE_BLOCKS ? f.u.blocks.n : 0;
            continue;
        }
        seen.blocks += f.u.blocks.n;
        for (size_t i = 0; i < (size_t)f.u.blocks.n * f.u.blocks.k; i++) {
            const int size = f.u.blocks.classes[i];
            const int64_t ticks = wire_ticks_at(f.u.blocks.ticks, i);
            seen.least[size] = ticks < seen.least[size] || !seen.least[size] ? ticks : seen.least[size];
            seen.most[size] = ticks > seen.most[size] ? ticks : seen.most[size];
        }
    }
    buf_clear(out);
    return TARE_OK;
}

/* Sizes are `first`, twice that, and so on. */
static void measure(int64_t first, int repeat, int selfcheck)
{
    static int64_t sizes[SIZES];
    struct tare_leak target = {.name = "walk", .run = walk};
    struct wire_request q = wire_request_default(-1);
    struct probe_session session = {.read = read_script, .hz = 1e9};
    struct buf out = BUF_INIT(1 << 26);
    struct leak_job job = {
        .session = &session, .q = &q, .target = &target, .n_sizes = SIZES, .out = &out, .flush = take, .flush_context = &out};
    script.now = script.calls = 0;
    memset(&seen, 0, sizeof seen);
    for (int i = 0; i < SIZES; i++) {
        sizes[i] = job.sizes[i] = first << i;
        job.structures[i] = &sizes[i];
    }
    job.order = chacha_seeded(1);
    job.timer = (struct leak_timer){.session = &session, .repeat = repeat, .pair_ticks = READ};
    q.leak_ns = PROCESS_NS;
    q.leak_kind = WIRE_GROWTH;
    q.selfcheck = selfcheck;
    leak_blocks(&job);
    assert_int_equal(job.end, WIRE_OK);
    buf_finish(&out);
}

static void assert_kept_to_its_time(int64_t blocks)
{
    if (script.now > PROCESS_NS + 2 * BATCH_NS || seen.blocks < blocks || seen.checks < 2)
        fail_msg("%lld ns, %lld blocks, %lld checks", (long long)script.now, (long long)seen.blocks, (long long)seen.checks);
}

static void a_process_keeps_to_its_time(void **state)
{
    (void)state;
    measure(1, 1, 30);
    assert_kept_to_its_time(100);
    for (int share = 5; share <= 45; share++) { /* whichever kind the last block of the warm-up is */
        measure(64, 1, share);
        assert_kept_to_its_time(5);
    }
}

/* Of 67 ms. */
static void blocks_longer_than_a_batch_fill_a_process_too(void **state)
{
    (void)state;
    measure(1024, 1, 0);
    if (seen.blocks < 3 || script.now > PROCESS_NS + BATCH_NS)
        fail_msg("%lld ns, %lld blocks", (long long)script.now, (long long)seen.blocks);
}

static void so_does_one_with_several_calls_a_reading(void **state)
{
    (void)state;
    measure(1, 100, 30);
    assert_kept_to_its_time(100);
    for (int i = 0; i < SIZES; i++) { /* as long as so many calls, to what a reading itself takes; large ones are one call */
        const int64_t wanted = 100 * 2 * (INT64_C(1) << i);
        if (seen.least[i] < wanted || seen.most[i] > wanted + 100 * READ)
            fail_msg("size %d: %lld to %lld ticks for %lld", i, (long long)seen.least[i], (long long)seen.most[i],
                     (long long)wanted);
    }
    assert_true(script.calls < 60 * seen.blocks * SIZES);
}

static void one_that_is_interrupted_goes_on_while_there_is_time(void **state)
{
    (void)state;
    script.paused_call = 40; /* of the first batch, of few blocks */
    measure(64, 1, 5);
    script.paused_call = 0;
    if (script.now < PROCESS_NS - 2 * BATCH_NS)
        fail_msg("%lld ns, %lld blocks", (long long)script.now, (long long)seen.blocks);
}

/* Opened, as before the blocks of a process. */
static void open_timer(int64_t elements, int repeat, struct leak_job *out)
{
    static int64_t size;
    static struct tare_leak target = {.name = "walk", .run = walk};
    static struct wire_request q;
    static struct probe_session session = {.read = read_script, .hz = 1e9};
    size = elements;
    q = wire_request_default(-1);
    q.leak_ns = PROCESS_NS;
    q.leak_kind = WIRE_GROWTH;
    q.repeat = repeat;
    *out = (struct leak_job){.session = &session, .q = &q, .target = &target, .n_sizes = 1, .structures = {&size}};
    script.now = script.calls = 0;
    assert_int_equal(leak_input_open(out, NULL), TARE_OK);
    leak_timer_open(out);
    leak_input_close(out);
}

static void readings_longer_than_a_process_are_refused_before_the_first(void **state)
{
    struct leak_job job;
    (void)state;
    open_timer(50000, 9000, &job); /* 0.1 ms a call */
    assert_int_equal(job.end, WIRE_OK);
    open_timer(50000, 11000, &job);
    assert_int_equal(job.end, WIRE_FAILED);
    assert_true(job.facts & WIRE_LONG_READINGS);
    assert_true(script.calls < 10);
    assert_non_null(strstr(job.reason, "give --repeat 99"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_process_keeps_to_its_time),
                                       cmocka_unit_test(blocks_longer_than_a_batch_fill_a_process_too),
                                       cmocka_unit_test(so_does_one_with_several_calls_a_reading),
                                       cmocka_unit_test(one_that_is_interrupted_goes_on_while_there_is_time),
                                       cmocka_unit_test(readings_longer_than_a_process_are_refused_before_the_first)};
    return cmocka_run_group_tests_name("sizes of growth", tests, NULL, NULL);
}
