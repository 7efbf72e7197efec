/* SPDX-License-Identifier: MIT
 *
 * The loop of benchmarks and its guard on the fake counter, with steps of 10 and 41.7 ns: code that does its work is never called OPTIMISED-AWAY,
 * an emptied and a hoisted loop are, and core cycles are those of the script.
 */
#include "cpu.h"
#include "fake.h"
#include "probe.h"
#include "repeated.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double CORE_HZ = 3e9;
static const char *const counters[] = {"ticks 2600M\nticks step 26\nticks cost normal 50 3\n",
                                       "ticks name cntvct\nticks 24M\nticks cost uniform 0.4 0.6\n"};

/* An iteration of nothing takes a cycle; the fake world does not see it. */
double __wrap_probe_floor_once(const struct probe_session *s);
double __wrap_probe_floor_ticks(const struct probe_session *s);

double __wrap_probe_floor_once(const struct probe_session *s)
{
    return s->hz / CORE_HZ;
}

double __wrap_probe_floor_ticks(const struct probe_session *s)
{
    return s->hz / CORE_HZ;
}

/* ---- code under test ---- */

static int cycles, once_cycles; /* of an iteration; of the first one of a pass, more */
static double slowed = 1;       /* the core is so many times slower than when the session began */
static unsigned every = 1;      /* so many iterations take these cycles together, as where the processor adds them up */

static void body(struct tare_state *st)
{
    TARE_LOOP(st)
    {
        if (tare_left_ == tare_loop_.count)
            cpu_chain_run(CHAIN_OF_ADDS, once_cycles);
        if (tare_left_ % every == 0)
            cpu_chain_run(CHAIN_OF_ADDS, cycles);
    }
}

struct told {
    enum wire_state state;
    char reason[256]; /* or remark */
    double cycles;    /* of an iteration; NaN: not known */
};

static double mean_of(const struct probe_rows *r, int column)
{
    double sum = 0;
    for (int i = 0; i < r->n; i++)
        sum += (double)r->column[column][i] / r->n;
    return sum;
}

static enum tare_status take(void *context, const struct tare_state *st, const struct wire_end *end)
{
    struct told *t = context;
    const struct probe_session *s = st->session;
    struct buf reason = buf_over(t->reason, sizeof t->reason);
    buf_str(&reason, end->state == WIRE_OK ? end->remark : end->reason);
    t->state = end->state;
    if (!st->rows.n || !s->chains)
        return TARE_OK;
    const double net = mean_of(&st->rows, WIRE_TICKS) - mean_of(&st->rows, WIRE_EMPTY_TICKS);
    const double chain = (mean_of(&st->rows, WIRE_CHAIN_BEFORE) + mean_of(&st->rows, WIRE_CHAIN_AFTER)) / 2;
    t->cycles = net / mean_of(&st->rows, WIRE_ITERATIONS) / (chain - s->chain_empty_ticks) * s->chain_cycles;
    return TARE_OK;
}

/* A process on its own. */
static struct told run(const char *counter, int seed, int samples)
{
    char script[200];
    struct tare_bench bench = {.name = "it", .run = body, .file = ""};
    const struct probe_case c = {.bench = &bench, .threads = 1, .name = "it"};
    struct probe_session s;
    struct tare_err err = {{0}};
    struct wire_request q = wire_request_default(-1);
    struct told t = {.cycles = NAN};
    snprintf(script, sizeof script, "seed %d\nclock start %dns\ncore %.0f\n%s", seed, 1000000000 + seed * 7, CORE_HZ, counter);
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    clock_forget();
    q.samples = samples;
    q.warmup = 0;
    q.sample_ns = 10000;
    q.seed = (uint64_t)seed;
    if (probe_session_open(&s, &q, &err))
        fail_msg("%s", err.text);
    s.pair_ticks /= slowed;
    assert_int_equal(probe_run(&s, &c, 0, take, &t), TARE_OK);
    return t;
}

/* ---- the guard ---- */

enum { SESSIONS = REPEATED(1000), TRAPS = 30 };

static void code_that_does_its_work_is_never_said_to_be_gone(void **state)
{
    (void)state;
    /* A chain of one cycle is not told from counting down; what a pass takes once tells. Short ones are few, as they need the most iterations. */
    static const int lengths[] = {1, 15, 60, 3, 40, 15, 60, 6, 40, 60, 2, 15, 60, 4, 40, 15, 60, 9, 40, 60};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < SESSIONS; i++) {
            cycles = lengths[i % LENGTHS];
            once_cycles = i / LENGTHS % 3 * 6; /* what a pass takes once, as the end of a loop that is foretold wrongly */
            const struct told t = run(counters[k], i, 3);
            if (t.state != WIRE_OK)
                fail_msg("%d cycles, session %d of %s: %s", cycles, i, counters[k], t.reason);
        }
}

static void a_core_that_slows_down_does_no_work_before_the_loop(void **state)
{
    (void)state;
    cycles = 1, once_cycles = 0, slowed = 3;
    for (int i = 0; i < TRAPS; i++) {
        const struct told t = run(counters[0], i, 6);
        if (t.state != WIRE_OK)
            fail_msg("session %d: %s", i, t.reason);
    }
    slowed = 1;
}

static void work_that_is_done_once_is_found(void **state)
{
    (void)state;
    cycles = 1;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TRAPS; i++) {
            once_cycles = 60 + 20 * i;
            const struct told t = run(counters[k], i, 6);
            if (t.state != WIRE_OPTIMISED_AWAY || !strstr(t.reason, "is done once"))
                fail_msg("%d cycles once, session %d of %s: %s %s", once_cycles, i, counters[k], wire_state_word(t.state),
                         t.reason);
        }
}

/* A chain of x += 1 as some cores run it. No time tells it from a loop that the compiler emptied. */
static void less_than_a_cycle_is_remarked(void **state)
{
    (void)state;
    cycles = 1, once_cycles = 0, every = 4;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < TRAPS; i++) {
            const struct told t = run(counters[k], i, 6);
            if (t.state != WIRE_OK || !strstr(t.reason, "less than a cycle"))
                fail_msg("session %d of %s: %s %s", i, counters[k], wire_state_word(t.state), t.reason);
        }
    every = 1;
}

/* ---- core cycles ---- */

static void core_cycles_are_those_of_the_script(void **state)
{
    (void)state;
    once_cycles = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 12; i++) {
            cycles = 1 + 5 * i;
            const struct told t = run(counters[k], i, 50);
            const double tolerance =
                k ? 6e-3 : 1.5e-3; /* four standard errors of 100 phases: a step is 1 % and 0.25 % of a chain */
            if (!(fabs(t.cycles / cycles - 1) <= tolerance))
                fail_msg("%d cycles by %s: %g", cycles, counters[k], t.cycles);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_that_does_its_work_is_never_said_to_be_gone),
        cmocka_unit_test(a_core_that_slows_down_does_no_work_before_the_loop),
        cmocka_unit_test(work_that_is_done_once_is_found),
        cmocka_unit_test(less_than_a_cycle_is_remarked),
        cmocka_unit_test(core_cycles_are_those_of_the_script),
    };
    return cmocka_run_group_tests_name("a counter in steps", tests, NULL, NULL);
}
