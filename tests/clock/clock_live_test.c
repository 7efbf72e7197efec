/* SPDX-License-Identifier: MIT
 *
 * The clocks of this machine, whatever it is: no figure is expected, only that they do not contradict each other and that what
 * cannot be had says why.
 */
#include "clocks.h"
#include "plat.h"
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#endif

#include <cmocka.h>

static void the_counter_is_trusted_or_says_why_not(void **state)
{
    (void)state;
    const struct clock_state *c = clock_state();
    print_message("# %s at %.6f MHz +- %.2f ppm by %s, step %llu ticks; %s\n", c->name, c->hz / 1e6, c->error_ppm,
                  clock_source_name(c->counter.chosen), (unsigned long long)c->step_ticks, c->counter.reason);
    assert_int_equal(c->counter.trusted, !c->counter.reason[0]);
    assert_true(c->hz > 0);
}

static void *make_clock(void *context)
{
    clock_state();
    return context;
}

/* In a child that is forked while another thread makes the clock, which takes milliseconds, nobody goes on with it. */
static void a_child_that_is_forked_meanwhile_makes_its_own_clock(void **state)
{
    enum { TRIES = 4, HANGS_S = 60 };
    (void)state;
    /* Its malloc keeps its lock in a child where another thread held it: one try in fifty never ended. */
#if defined(__SANITIZE_ADDRESS__)
    skip();
#endif
    for (int i = 0; i < TRIES; i++) {
        pthread_t maker;
        int ended = -1;
        clock_forget();
        assert_int_equal(pthread_create(&maker, NULL, make_clock, NULL), 0);
        plat_clock_sleep_ns(1000000 << i);
        pid_t child = fork();
        if (!child) {
            alarm(HANGS_S);
            _exit(clock_state()->hz > 0 ? 0 : 1);
        }
        assert_true(child > 0 && waitpid(child, &ended, 0) == child);
        assert_int_equal(ended, 0);
        pthread_join(maker, NULL);
    }
}

static void the_core_has_a_frequency_or_a_reason(void **state)
{
    (void)state;
    struct clock_core core;
    struct tare_err err = {{0}};
    double hz = NAN;
    enum tare_status status = clock_core_examine(&core, &err);
    print_message("# core %.1f MHz by multiplies, %.1f by adds, ratio %.4f %s%s\n", core.hz / 1e6, core.adds_hz / 1e6, core.ratio,
                  core.reason, err.text);
    status = clock_core_hz(&hz, &err);
    print_message("# core %.1f MHz %s\n", hz / 1e6, err.text);
    assert_int_equal(status == TARE_OK, isfinite(hz));
}

static void every_clock_is_measured_or_says_why_not(void **state)
{
    (void)state;
    struct tare_err err;
    const struct clock_kind *kind;
    for (int i = 0; (kind = clock_kind_at(i)); i++) {
        if (kind->probe(&err)) {
            print_message("# %s: %s\n", kind->id, err.text);
            assert_true(err.text[0]);
            continue;
        }
        struct clock_step step;
        struct clock_moment from, to;
        double error = NAN, ppm = NAN, bound = NAN;
        clock_moment(kind, &from);
        struct clock_spread cost = clock_cost(kind), kernel = clock_kernel_cost(kind);
        enum clock_path path = clock_path(kind, cost.median, kernel.median);
        enum tare_status stepped = clock_step(kind, &step, &err);
        assert_true(stepped == TARE_OK || stepped == TARE_TOO_FEW);
        err.text[0] = 0;
        enum tare_status ordered = clock_order_error(kind, &error, &err);
        clock_moment(kind, &to);
        enum tare_status paced = clock_ppm(kind, &from, &to, &ppm, &bound, NULL);
        print_message(
            "# %s: step %g ns (closest %g), cost %.1f %.1f %.1f ns, kernel %.1f, path %d, order %+.4f %s, %+.2f +- %.2f ppm\n",
            kind->id, step.ns, step.closest_ns, cost.p10, cost.median, cost.p99, kernel.median, path, error, err.text, ppm,
            bound);
        assert_int_equal(ordered == TARE_OK, isfinite(error));
        assert_int_equal(paced == TARE_OK, isfinite(ppm));
        if (kind->properties & CLOCK_STEADY)
            assert_false(step.backwards);
    }
}

static void orders_are_shown_or_missing_with_a_reason(void **state)
{
    (void)state;
    struct clock_order o;
    for (int i = 0; clock_order(i, &o); i++) {
        print_message("# %s [%s ... %s] %s: empty %.0f %.0f %.0f ticks;", o.order.name, o.order.begin, o.order.end,
                      o.order.missing ? o.order.missing : "", o.empty.p10, o.empty.median, o.empty.p99);
        for (int k = 0; k < CLOCK_CHAINS; k++)
            print_message(" %d: %.1f of %.0f", o.chain[k].multiplies, o.chain[k].cycles, o.chain[k].expected_cycles);
        print_message("\n");
        assert_int_equal(o.empty.n == 0, o.order.missing != NULL);
    }
}

static void two_processors_agree_or_there_is_only_one(void **state)
{
    (void)state;
    struct clock_skew skew;
    struct tare_err err = {{0}};
    if (!plat_cpu_allowed(0) || !plat_cpu_allowed(1) || !clock_state()->counter.readable)
        skip();
    int before = plat_cpus_allowed();
    if (clock_skew(0, 1, &skew, &err))
        print_message("# skew: %s\n", err.text);
    else
        print_message("# skew %g +- %g ticks, %d impossible\n", skew.ticks, skew.bound_ticks, skew.impossible);
    assert_int_equal(plat_cpus_allowed(), before);
    assert_int_equal(clock_skew(0, 0, &skew, &err), TARE_INVALID);
    assert_int_equal(clock_skew(0, 8000, &skew, &err), TARE_INVALID);
    print_message("# %s\n", err.text);
    assert_int_equal(plat_cpus_allowed(), before);
}

static void a_bracket_says_what_it_found(void **state)
{
    (void)state;
    struct tare_bracket t;
    char text[TARE_BRACKET_TEXT];
    for (int i = 0; i < 3; i++) {
        TARE_START(t);
        TARE_STOP(t);
        size_t n = tare_bracket_text(&t, text, sizeof text);
        assert_int_equal(n, strlen(text));
        print_message("# nothing: %s\n", text);
    }
}

/* ---- in a process of its own, as what is forbidden stays so ---- */

static int in_child(int (*act)(void))
{
    pid_t child = fork();
    if (!child)
        _exit(act());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("the child died of signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

enum { AS_EXPECTED, OTHERWISE, CANNOT_FORBID };

static int forbidden_counter(void)
{
    if (!clock_state()->counter.readable || prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
        return CANNOT_FORBID;
    clock_forget();
    struct tare_bracket t;
    struct tare_elapsed e;
    struct clock_order o;
    struct clock_skew skew;
    double hz;
    TARE_START(t);
    plat_clock_sleep_ns(1000000);
    TARE_STOP(t);
    tare_bracket_elapsed(&t, &e);
    const struct clock_state *c = clock_state();
    bool good = !c->counter.readable && strstr(c->counter.reason, "forbade") && e.ns >= 1000000 && !strcmp(c->name, "raw");
    good = good && clock_core_hz(&hz, NULL) == TARE_UNSUPPORTED && clock_order(0, &o) && o.order.missing;
    good = good && clock_skew(0, 1, &skew, NULL) == TARE_PERMISSION;
    return good ? AS_EXPECTED : OTHERWISE;
}

static void a_forbidden_counter_is_not_read(void **state)
{
    (void)state;
    int found = in_child(forbidden_counter);
    if (found == CANNOT_FORBID)
        skip();
    assert_int_equal(found, AS_EXPECTED);
}

#if defined(__x86_64__)
static int forbidden_cpuid(void)
{
    if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0))
        return CANNOT_FORBID;
    clock_forget();
    uint32_t r[4] = {1, 1, 1, 1};
    cpu_cpuid(0, 0, r);
    bool good = cpu_cpuid_available(NULL) == TARE_PERMISSION && !r[0] && !r[1] && !r[2] && !r[3];
    const struct clock_state *c = clock_state();
    good = good && c->counter.readable && c->counter.sources[SOURCE_CPUID_15].status == TARE_PERMISSION;
    struct clock_order o;
    for (int i = 0; clock_order(i, &o); i++)
        good = good && (strcmp(o.order.name, "cpuid") || o.order.missing);
    return good ? AS_EXPECTED : OTHERWISE;
}

static void a_forbidden_cpuid_is_not_executed(void **state)
{
    (void)state;
    int found = in_child(forbidden_cpuid);
    if (found == CANNOT_FORBID)
        skip();
    assert_int_equal(found, AS_EXPECTED);
}
#endif

static void *first_use(void *seen)
{
    *(const struct clock_state **)seen = clock_state();
    double hz;
    return clock_core_hz(&hz, NULL) ? NULL : seen;
}

static void threads_that_ask_at_once_get_one_clock(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    const struct clock_state *seen[THREADS] = {0};
    clock_forget();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, first_use, &seen[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_ptr_equal(seen[i], clock_state());
        assert_true(seen[i]->hz > 0);
    }
}

static void clocks_do_not_contradict_each_other(void **state)
{
    (void)state;
    struct tare_bracket t;
    struct tare_elapsed e;
    int64_t before = plat_clock_ns(PLAT_CLOCK_MONOTONIC), raw = plat_clock_ns(PLAT_CLOCK_RAW);
    TARE_START(t);
    int64_t inner = plat_clock_ns(PLAT_CLOCK_MONOTONIC);
    plat_clock_sleep_ns(20000000);
    inner = plat_clock_ns(PLAT_CLOCK_MONOTONIC) - inner;
    TARE_STOP(t);
    raw = plat_clock_ns(PLAT_CLOCK_RAW) - raw;
    int64_t outer = plat_clock_ns(PLAT_CLOCK_MONOTONIC) - before;
    tare_bracket_elapsed(&t, &e);
    /* The clocks may be slewed against each other by 500 ppm, and by far more where one was just set: the kernel's two say by how much now. */
    int64_t slack = outer / 1000 + (outer > raw ? outer - raw : raw - outer);
    if (e.gross_ns < inner - slack || e.gross_ns > outer + slack)
        fail_msg("a bracket of %lld ns around %lld ns and inside of %lld ns", (long long)e.gross_ns, (long long)inner,
                 (long long)outer);
    assert_false(e.backwards);
}

static void the_counter_never_steps_back_on_one_thread(void **state)
{
    (void)state;
    if (!clock_state()->counter.trusted)
        skip();
    uint64_t last = cpu_ticks_begin();
    for (int i = 0; i < 1000000; i++) {
        uint64_t now = i % 2 ? cpu_ticks_end(NULL) : cpu_ticks_begin();
        if (now < last)
            fail_msg("%llu after %llu", (unsigned long long)now, (unsigned long long)last);
        last = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_is_trusted_or_says_why_not),
        cmocka_unit_test(a_child_that_is_forked_meanwhile_makes_its_own_clock),
        cmocka_unit_test(the_core_has_a_frequency_or_a_reason),
        cmocka_unit_test(every_clock_is_measured_or_says_why_not),
        cmocka_unit_test(orders_are_shown_or_missing_with_a_reason),
        cmocka_unit_test(two_processors_agree_or_there_is_only_one),
        cmocka_unit_test(a_forbidden_counter_is_not_read),
#if defined(__x86_64__)
        cmocka_unit_test(a_forbidden_cpuid_is_not_executed),
#endif
        cmocka_unit_test(threads_that_ask_at_once_get_one_clock),
        cmocka_unit_test(clocks_do_not_contradict_each_other),
        cmocka_unit_test(the_counter_never_steps_back_on_one_thread),
        cmocka_unit_test(a_bracket_says_what_it_found),
    };
    return cmocka_run_group_tests_name("clock_live", tests, NULL, NULL);
}
