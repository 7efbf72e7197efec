/* SPDX-License-Identifier: MIT
 *
 * The harness itself on a counter that steps by 10 and by 41.7 ns: real blocks, real brackets, virtual time. A class costs some ns more than the other; the
 * plain means of its readings must say how much, and the injected delay must be measured as long as it is. Time passes by calls, by adds and by
 * readings, in a core whose frequency moves.
 */
#include "leak_harness.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const double READ_NS = 11.3, CALL_NS = 23.7;

static struct {
    double now_ns, step_ns, cycle_ns;
    double second_ns; /* what an input that is no zero costs more */
} script;

int64_t __wrap_plat_clock_ns(enum plat_clock clock);
uintptr_t __wrap_cpu_delay(int adds);
enum tare_status __wrap_clock_core_hz(double *hz, struct tare_err *err);

int64_t __wrap_plat_clock_ns(enum plat_clock clock)
{
    (void)clock;
    return (int64_t)script.now_ns;
}

uintptr_t __wrap_cpu_delay(int adds)
{
    script.now_ns += adds * script.cycle_ns;
    return 0;
}

enum tare_status __wrap_clock_core_hz(double *hz, struct tare_err *err)
{
    (void)err;
    *hz = 1e9 / script.cycle_ns;
    return TARE_OK;
}

/* A tick is a step of the slow counter, and a 26th of one of the other. The reading is made in the middle of what it takes. */
static double ticks_in_step(void)
{
    return script.step_ns > 20 ? 1 : 26;
}

static struct tare_ticks read_script(void)
{
    const double steps = floor((script.now_ns + READ_NS / 2) / script.step_ns);
    script.now_ns += READ_NS;
    return (struct tare_ticks){(uint64_t)(steps * ticks_in_step())};
}

/* Every call moves the frequency a little, up and down by 4 % in all. */
static uint64_t call(void *state, const unsigned char *in)
{
    static unsigned calls;
    (void)state;
    script.now_ns += CALL_NS + (in[0] ? script.second_ns : 0);
    script.cycle_ns = .3241 * (1 + .04 * sin(calls++ / 5e4));
    return in[0];
}

/* ---- what came of it ---- */

struct found {
    double sum[WIRE_BLOCKS_KINDS], square[WIRE_BLOCKS_KINDS]; /* of second less first, in ticks */
    int64_t n[WIRE_BLOCKS_KINDS];
};

static enum tare_status take(void *context)
{
    struct leak_job *job = context;
    struct found *f = job->flush_context == job ? job->target->context : NULL;
    struct wire_reader reader = {buf_text(job->out), job->out->len, 0};
    struct wire_frame frame;
    while (wire_next(&reader, &frame, NULL) == TARE_OK) {
        const struct wire_blocks *b = &frame.u.blocks;
        for (uint32_t i = 0; frame.type == WIRE_BLOCKS && i < b->n; i++) {
            const double first = wire_ticks_at(b->ticks, 2 * i), second = wire_ticks_at(b->ticks, 2 * i + 1);
            const double d = b->classes[2 * i] ? first - second : second - first;
            f->sum[b->kind] += d;
            f->square[b->kind] += d * d;
            f->n[b->kind]++;
        }
    }
    buf_clear(job->out);
    return TARE_OK;
}

/* The mean difference of a kind of blocks in ns, and its standard error. */
static double mean_ns(const struct found *f, enum wire_blocks_kind kind, double *error)
{
    const double n = (double)f->n[kind], mean = f->sum[kind] / n, tick = script.step_ns / ticks_in_step();
    *error = sqrt((f->square[kind] / n - mean * mean) / n) * tick;
    return mean * tick;
}

static struct leak_timer measure(double step_ns, double second_ns, double spike_ns, uint64_t seed, struct found *f)
{
    static const char *const names[] = {"zero", "ones"};
    const struct tare_leak target = {.name = "t", .run = call, .bytes = 8, .classes = {names, 2}, .context = f};
    struct wire_request q = wire_request_default(-1);
    struct buf out = BUF_INIT(1 << 26);
    struct tare_err err = {{0}};
    memset(f, 0, sizeof *f);
    script.now_ns = 1e6 + (double)seed;
    script.step_ns = step_ns;
    script.cycle_ns = .3241;
    script.second_ns = second_ns;
    q.seed = seed;
    q.leak_ns = INT64_C(1) << 40;
    q.spike_ns = spike_ns;
    q.selfcheck = 20;
    struct probe_session session = {
        .request = q, .read = read_script, .hz = ticks_in_step() * 1e9 / step_ns, .step_ticks = ticks_in_step()};
    struct leak_job job = {
        .session = &session, .q = &q, .target = &target, .out = &out, .flush = take, .n_classes = 2, .limit = 60000};
    job.flush_context = &job;
    job.order = chacha_seeded(seed);
    job.random = (struct tare_random){rng_seeded(seed)};
    assert_int_equal(leak_input_open(&job, &err), TARE_OK);
    leak_timer_open(&job);
    assert_true(job.facts & WIRE_DRAWN_PHASE);
    leak_blocks(&job);
    assert_int_equal(job.end, WIRE_OK);
    leak_input_close(&job);
    buf_finish(&out);
    return job.timer;
}

static void assert_near(const char *what, double found, double error, double right)
{
    if (!(fabs(found - right) < 4 * error + .002 * script.step_ns) || !(error < .05 * script.step_ns))
        fail_msg("%s: %g +- %g ns, not %g, of a clock that steps by %g ns", what, found, error, right, script.step_ns);
}

static const double STEPS_NS[] = {10, 125. / 3};

static void sizes_are_right_below_a_step(void **state)
{
    (void)state;
    static const double sizes_ns[] = {0, .31, 2.9, -5.1, 10, 47};
    for (size_t s = 0; s < sizeof STEPS_NS / sizeof *STEPS_NS; s++)
        for (size_t i = 0; i < sizeof sizes_ns / sizeof *sizes_ns; i++) {
            struct found f;
            double error;
            measure(STEPS_NS[s], sizes_ns[i], 0, 100 * s + i, &f);
            const double mean = mean_ns(&f, WIRE_MAIN, &error);
            assert_near("a difference", mean, error, sizes_ns[i]);
            const double own = mean_ns(&f, WIRE_AA, &error);
            assert_near("of a class and itself", own, error, 0);
        }
}

static void an_empty_bracket_is_a_reading_long(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof STEPS_NS / sizeof *STEPS_NS; s++) {
        struct found f;
        const struct leak_timer t = measure(STEPS_NS[s], 0, 0, s, &f);
        assert_near("empty", t.pair_ticks * script.step_ns / ticks_in_step(), script.step_ns / 2 / sqrt(2001), READ_NS);
    }
}

static void an_injected_delay_is_as_long_as_its_cycles(void **state)
{
    (void)state;
    static const double delays_ns[] = {1, 4.9};
    for (size_t s = 0; s < sizeof STEPS_NS / sizeof *STEPS_NS; s++)
        for (size_t i = 0; i < 2; i++) {
            struct found f;
            double error;
            const struct leak_timer t = measure(STEPS_NS[s], 0, delays_ns[i], 7 + s, &f);
            const double tick = script.step_ns / ticks_in_step(), right = t.adds * .3241;
            const double found = mean_ns(&f, WIRE_SPIKE, &error);
            assert_near("injected, as found", found, error, right);
            if (!(fabs(t.delay_ticks * tick - right) < .06 * script.step_ns))
                fail_msg("injected, as measured before: %g ns, not %g", t.delay_ticks * tick, right);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_right_below_a_step),
        cmocka_unit_test(an_empty_bracket_is_a_reading_long),
        cmocka_unit_test(an_injected_delay_is_as_long_as_its_cycles),
    };
    return cmocka_run_group_tests_name("leak_coarse", tests, NULL, NULL);
}
