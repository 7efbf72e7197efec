/* SPDX-License-Identifier: MIT
 *
 * Time and children of the fake platform.
 */
#include "fake_play.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- time ---- */

static void the_clock_moves_by_its_step_and_by_sleeping(void **state)
{
    (void)state;
    play("clock start 5s\nclock step 3us\n");
    assert_int_equal(plat_now_ns(), 5000003000);
    assert_int_equal(plat_now_ns(), 5000006000);
    plat_sleep_ns(1000000);
    assert_int_equal(plat_now_ns(), 5001009000);
}

static void the_wall_clock_jumps_and_the_other_does_not(void **state)
{
    (void)state;
    play("clock step 0\nclock utc 100s\nclock jump -7s at 2s\n");
    int64_t before = plat_now_ns();
    assert_int_equal(plat_utc_ns(), 100000000000);
    plat_sleep_ns(2000000000);
    assert_int_equal(plat_utc_ns(), 95000000000);
    assert_int_equal(plat_now_ns() - before, 2000000000);
}

/* 0: it is read. */
static int exit_of_reading(const char *script)
{
    pid_t child = fork();
    if (!child) {
        play(script);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void runs_are_timed_by_the_clock_that_is_set_back_alone(void **state)
{
    (void)state;
    assert_int_equal(exit_of_reading("clock back 1s at 1s children\n"), 0);
    assert_int_not_equal(exit_of_reading("clock jump 1s at 1s children\n"), 0);
}

static void a_signal_ends_a_sleep_and_can_be_forgotten(void **state)
{
    (void)state;
    play("clock step 0\nsignal TERM at 10ms\n");
    plat_signals_watch();
    int64_t before = plat_now_ns();
    plat_sleep_ns(1000000000);
    assert_int_equal(plat_now_ns() - before, 10000000);
    assert_int_equal(plat_signal(), SIGTERM);
    plat_signal_clear();
    assert_int_equal(plat_signal(), 0);
}

/* The signal that ended a process which slept for a second under this script; 0: it lived. */
static int deadly_signal(const char *script, bool watch, bool forget)
{
    pid_t child = fork();
    if (!child) {
        play(script);
        if (watch)
            plat_signals_watch();
        plat_sleep_ns(500000000);
        if (forget)
            plat_signal_clear();
        plat_sleep_ns(500000000);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_second_signal_kills_and_so_does_one_that_nobody_watches(void **state)
{
    (void)state;
    assert_int_equal(deadly_signal("signal INT at 1ms\n", true, false), 0);
    assert_int_equal(deadly_signal("signal INT at 1ms\n", false, false), SIGINT);
    assert_int_equal(deadly_signal("signal INT at 1ms\nsignal HUP at 400ms\n", true, false), SIGHUP);
    assert_int_equal(deadly_signal("signal HUP at 400ms\nsignal INT at 1ms\n", true, true), SIGHUP);
}

/* ---- children ---- */

static void a_child_costs_what_the_script_says(void **state)
{
    (void)state;
    play("clock step 0\nspawn 3us 4us\n"
         "program tool\n"
         "  wall 12.5ms  user 10ms sys 1.25ms rss 3MB\n"
         "  minflt 120 majflt 2 ctx 5 7\n");
    int64_t before = plat_now_ns();
    struct plat_child_result r = run("/usr/bin/tool");
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.start_ns, before + 3000);
    assert_int_equal(r.end_ns, before + 3000 + 12500000);
    assert_int_equal(plat_now_ns(), before + 3000 + 12500000 + 4000);
    assert_int_equal(r.user_ns, 10000000);
    assert_int_equal(r.sys_ns, 1250000);
    assert_int_equal(r.rss_bytes, 3000000);
    assert_int_equal(r.minflt, 120);
    assert_int_equal(r.majflt, 2);
    assert_int_equal(r.ctx_voluntary, 5);
    assert_int_equal(r.ctx_involuntary, 7);
}

static void what_is_not_said_has_a_value_and_shares_follow_the_wall_time(void **state)
{
    (void)state;
    play("program a\nprogram b\n wall list 10ms 20ms  user 50% + 1ms\n");
    assert_int_equal(wall(run("a")), 1000000);
    assert_int_equal(run("a").user_ns, 800000);
    assert_int_equal(run("b").user_ns, 6000000);
    assert_int_equal(run("b").user_ns, 11000000);
    assert_int_equal(wall(run("tare-noop")), 300000);
}

static void only_the_seventh_run_fails(void **state)
{
    (void)state;
    play("program tool\n exit 3 at 7\n");
    for (int i = 1; i <= 9; i++) {
        struct plat_child_result r = run("tool");
        assert_int_equal(r.end, CHILD_EXITED);
        assert_int_equal(r.code, i == 7 ? 3 : 0);
    }
}

static void fates_begin_with_a_run_and_the_last_line_wins(void **state)
{
    (void)state;
    play("program tool\n exit 1\n signal SEGV from 2\n notstarted 8 at 3\n");
    struct plat_child_result r[4];
    for (int i = 0; i < 4; i++)
        r[i] = run("tool");
    assert_int_equal(r[0].end, CHILD_EXITED);
    assert_int_equal(r[0].code, 1);
    assert_int_equal(r[1].end, CHILD_SIGNALLED);
    assert_int_equal(r[1].code, SIGSEGV);
    assert_int_equal(r[2].end, CHILD_NOT_STARTED);
    assert_int_equal(r[2].code, ENOEXEC);
    assert_int_equal(wall(r[2]), 0);
    assert_int_equal(r[3].end, CHILD_SIGNALLED);
}

static void a_timeout_ends_what_hangs_or_takes_longer(void **state)
{
    (void)state;
    play("program slow\n wall 2s\nprogram stuck\n hang\n");
    const char *const slow[] = {"slow", NULL}, *const stuck[] = {"stuck", NULL};
    struct plat_child_spec spec = spec_of(slow);
    spec.timeout_ns = 2000000000;
    assert_int_equal(run_spec(&spec).end, CHILD_EXITED);
    spec.timeout_ns--;
    struct plat_child_result r = run_spec(&spec);
    assert_int_equal(r.end, CHILD_TIMED_OUT);
    assert_int_equal(wall(r), 1999999999);
    spec.argv = stuck;
    r = run_spec(&spec);
    assert_int_equal(r.end, CHILD_TIMED_OUT);
    assert_int_equal(wall(r), 1999999999);
}

static void a_signal_of_the_session_ends_the_child_at_that_moment(void **state)
{
    (void)state;
    play("clock step 0\nspawn 0\nsignal INT at 25ms\nprogram tool\n wall 10ms\n");
    plat_signals_watch();
    assert_int_equal(run("tool").end, CHILD_EXITED);
    plat_sleep_ns(9000000);
    struct plat_child_result r = run("tool");
    assert_int_equal(r.end, CHILD_INTERRUPTED);
    assert_int_equal(wall(r), 25000000 - 19010000);
    assert_int_equal(plat_signal(), SIGINT);
    assert_int_equal(run("tool").end, CHILD_INTERRUPTED);
    plat_signal_clear();
    assert_int_equal(run("tool").end, CHILD_EXITED);
}

static void a_program_can_bring_the_signal_in_one_of_its_runs(void **state)
{
    (void)state;
    play("program tool\n wall 10ms interrupt HUP at 3\n");
    plat_signals_watch();
    for (int i = 1; i <= 2; i++)
        assert_int_equal(run("tool").end, CHILD_EXITED);
    struct plat_child_result r = run("tool");
    assert_int_equal(r.end, CHILD_INTERRUPTED);
    assert_int_equal(wall(r), 5000000);
    assert_int_equal(plat_signal(), SIGHUP);
}

static void cleaning_up_runs_on_after_a_signal(void **state)
{
    (void)state;
    play("clock step 0\nspawn 0 0\nsignal INT at 1ms\nprogram clean\n wall 10ms\n");
    plat_signals_watch();
    plat_sleep_ns(2000000);
    const char *const argv[] = {"clean", NULL};
    struct plat_child_spec spec = spec_of(argv);
    spec.after_signal = true;
    struct plat_child_result r = run_spec(&spec);
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(wall(r), 10000000);
    assert_int_equal(plat_signal(), SIGINT);
    spec.after_signal = false;
    assert_int_equal(run_spec(&spec).end, CHILD_INTERRUPTED);
    play("program clean\n wall 10ms interrupt HUP\n");
    plat_signals_watch();
    spec.after_signal = true;
    r = run_spec(&spec);
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(wall(r), 10000000);
    assert_int_equal(plat_signal(), SIGHUP);
}

static void first_runs_and_carry_over_stretch_the_time(void **state)
{
    (void)state;
    play("program a\n wall 10ms first 2 3x\nprogram b\n wall 10ms after a 1.5x\n");
    const int64_t ms = 1000000;
    assert_int_equal(wall(run("b")), 10 * ms);
    assert_int_equal(wall(run("a")), 30 * ms);
    assert_int_equal(wall(run("b")), 15 * ms);
    assert_int_equal(wall(run("b")), 10 * ms);
    assert_int_equal(wall(run("a")), 30 * ms);
    assert_int_equal(wall(run("a")), 10 * ms);
}

static void the_program_with_most_words_is_meant_in_argv_and_in_a_shell(void **state)
{
    (void)state;
    play("shell 1ms\nprogram sort\n wall 10ms\nprogram sort -n\n wall 20ms\nprogram sort -n big\n wall 30ms\n");
    const int64_t ms = 1000000;
    assert_int_equal(wall(run_argv((const char *const[]){"sort", "-r", NULL})), 10 * ms);
    assert_int_equal(wall(run_argv((const char *const[]){"/bin/sort", "-n", "small", NULL})), 20 * ms);
    assert_int_equal(wall(run_argv((const char *const[]){"sort", "-n", "big", "x", NULL})), 30 * ms);
    assert_int_equal(wall(run_shell("sort -n big | uniq")), 31 * ms);
    assert_int_equal(wall(run_shell("  LC_ALL=C X='1 2' sort '-n'>out")), 21 * ms);
    assert_int_equal(wall(run_shell("sort;sort -n")), 11 * ms);
}

static void what_no_script_knows_is_not_started_and_a_shell_says_127(void **state)
{
    (void)state;
    play("program known\n");
    struct plat_child_result r = run("unknown");
    assert_int_equal(r.end, CHILD_NOT_STARTED);
    assert_int_equal(r.code, ENOENT);
    r = run_shell("unknown --x");
    assert_int_equal(r.end, CHILD_EXITED);
    assert_int_equal(r.code, 127);
}

static void a_processor_that_is_not_allowed_cannot_be_used(void **state)
{
    (void)state;
    play("cpus 8\nprogram tool\n");
    const char *const argv[] = {"tool", NULL};
    struct plat_child_spec spec = spec_of(argv);
    assert_int_equal(plat_cpus_allowed(), 8);
    spec.pin_cpu = 7;
    assert_int_equal(run_spec(&spec).end, CHILD_EXITED);
    spec.pin_cpu = 8;
    assert_int_equal(run_spec(&spec).end, CHILD_NOT_STARTED);
}

static void a_folder_that_is_not_there_cannot_be_worked_in(void **state)
{
    (void)state;
    play("program tool\n");
    const char *const argv[] = {"tool", NULL};
    struct plat_child_spec spec = spec_of(argv);
    spec.cwd = "/";
    assert_int_equal(run_spec(&spec).end, CHILD_EXITED);
    spec.cwd = "/no/such/folder";
    struct plat_child_result r = run_spec(&spec);
    assert_int_equal(r.end, CHILD_NOT_STARTED);
    assert_int_equal(r.code, ENOENT);
}

static void the_spawner_can_be_missing_or_die(void **state)
{
    (void)state;
    struct plat_spawner *s;
    struct tare_err err = {{0}};
    play("helper missing\n");
    assert_int_equal(plat_spawner_create(&s, NULL, &err), TARE_NOT_FOUND);
    play("helper dies at 2\nprogram tool\n");
    run("tool");
    const char *const argv[] = {"tool", NULL};
    struct plat_child_spec spec = spec_of(argv);
    struct plat_child_result r;
    assert_int_equal(plat_child_run(spawner(), &spec, &r, &err), TARE_IO);
    assert_int_equal(plat_child_run(spawner(), &spec, &r, &err), TARE_IO);
}

/* ---- models ---- */

struct moments {
    double mean, sd, min, max, correlation;
};

/* Of the walls of n runs of "x", in ms; correlation between neighbours. */
static struct moments moments_of(const char *model, int n)
{
    char script[200] = "seed 11\nprogram x\n wall ";
    strcat(strcat(script, model), "\n");
    play(script);
    double *x = calloc((size_t)n, sizeof *x), sum = 0, squares = 0, products = 0;
    struct moments m = {.min = INFINITY, .max = -INFINITY};
    for (int i = 0; i < n; i++) {
        x[i] = (double)wall(run("x")) / 1e6;
        sum += x[i];
        m.min = fmin(m.min, x[i]);
        m.max = fmax(m.max, x[i]);
    }
    m.mean = sum / n;
    for (int i = 0; i < n; i++) {
        squares += (x[i] - m.mean) * (x[i] - m.mean);
        products += i ? (x[i] - m.mean) * (x[i - 1] - m.mean) : 0;
    }
    m.sd = sqrt(squares / (n - 1));
    m.correlation = products / squares;
    free(x);
    return m;
}

#define assert_near(value, expected, tolerance)                                                   \
    do {                                                                                          \
        double v_ = (value), e_ = (expected);                                                     \
        if (!(fabs(v_ - e_) <= (tolerance)))                                                      \
            fail_msg("%s is %.6f, expected %.6f within %g", #value, v_, e_, (double)(tolerance)); \
    } while (0)

/* Five standard errors either way: the seed is fixed, so that a model that is right stays right. */
static void models_have_the_moments_they_promise(void **state)
{
    (void)state;
    enum { N = 20000 };
    const double root = sqrt(N);
    struct moments m = moments_of("normal 10ms 2%", N);
    assert_near(m.mean, 10, 5 * 0.2 / root);
    assert_near(m.sd, 0.2, 5 * 0.2 / root);
    m = moments_of("normal 10ms 300us", N);
    assert_near(m.sd, 0.3, 5 * 0.3 / root);
    m = moments_of("uniform 1ms 3ms", N);
    assert_near(m.mean, 2, 5 * 0.58 / root);
    assert_true(m.min >= 1 && m.max <= 3 && m.max - m.min > 1.99);
    m = moments_of("lognormal 10ms 50%", N);
    assert_near(m.mean, 10 * exp(0.125), 5 * 6.1 / root);
    m = moments_of("bimodal 10ms 20ms 25%", N);
    assert_near(m.mean, 12.5, 5 * 4.4 / root);
    assert_true(m.min == 10 && m.max == 20);
    m = moments_of("spikes 10ms 10% 50ms", N);
    assert_near(m.mean, 15, 5 * 22 / root);
    assert_true(m.min == 10 && m.max > 200);
    m = moments_of("ar 10ms 10% 80%", N);
    assert_near(m.sd, 1, 0.1);
    assert_near(m.correlation, 0.8, 0.05);
    m = moments_of("normal 10ms 1ms + const 5ms", N);
    assert_near(m.mean, 15, 5 * 1 / root);
}

static void lists_cycle_and_drift_grows_by_the_run(void **state)
{
    (void)state;
    play("program x\n wall list 1ms 2ms 3ms\nprogram y\n wall drift 10ms 1%\n");
    static const int64_t cycle[] = {1, 2, 3, 1, 2};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(wall(run("x")), cycle[i] * 1000000);
        assert_int_equal(wall(run("y")), 10000000 + i * 100000);
    }
}

static void a_time_below_nought_becomes_a_nanosecond(void **state)
{
    (void)state;
    play("program x\n wall -5ms user -1ms\n");
    struct plat_child_result r = run("x");
    assert_int_equal(wall(r), 1);
    assert_int_equal(r.user_ns, 0);
}

static void draws_depend_on_the_seed_and_not_on_other_programs(void **state)
{
    (void)state;
    int64_t alone[5];
    play("seed 3\nprogram x\n wall normal 10ms 5%\nprogram y\n wall normal 10ms 5%\n");
    for (int i = 0; i < 5; i++)
        alone[i] = wall(run("x"));
    play("seed 3\nprogram x\n wall normal 10ms 5%\nprogram y\n wall normal 10ms 5%\n");
    for (int i = 0; i < 5; i++) {
        assert_int_not_equal(wall(run("y")), alone[i]);
        assert_int_equal(wall(run("x")), alone[i]);
    }
    play("seed 4\nprogram x\n wall normal 10ms 5%\n");
    assert_int_not_equal(wall(run("x")), alone[0]);
}

static void the_session_slows_all_programs_alike(void **state)
{
    (void)state;
    play("clock step 0\nspawn 0 0\nclock start 0\nsession drift 100% 1s\nprogram a\n wall 1ms\nprogram b\n wall 10ms\n");
    plat_sleep_ns(1000000000);
    assert_int_equal(wall(run("a")), 2000000);
    assert_int_equal(wall(run("b")), 20020000);
}

static void the_session_can_wave_and_step(void **state)
{
    (void)state;
    play("clock step 0\nspawn 0 0\nsession wave 50% 4s\nprogram a\n wall 1ms\n");
    plat_sleep_ns(1000000000);
    assert_int_equal(wall(run("a")), 1500000);
    play("clock step 0\nspawn 0 0\nsession steps 20% 1s\nprogram a\n wall 1ms\n");
    int64_t first = wall(run("a")), second = wall(run("a"));
    plat_sleep_ns(1000000000);
    int64_t third = wall(run("a"));
    assert_int_equal(first, second);
    assert_int_not_equal(first, third);
    assert_true(first >= 800000 && first <= 1200000 && third >= 800000 && third <= 1200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_moves_by_its_step_and_by_sleeping),
        cmocka_unit_test(the_wall_clock_jumps_and_the_other_does_not),
        cmocka_unit_test(runs_are_timed_by_the_clock_that_is_set_back_alone),
        cmocka_unit_test(a_signal_ends_a_sleep_and_can_be_forgotten),
        cmocka_unit_test(a_second_signal_kills_and_so_does_one_that_nobody_watches),
        cmocka_unit_test(a_child_costs_what_the_script_says),
        cmocka_unit_test(what_is_not_said_has_a_value_and_shares_follow_the_wall_time),
        cmocka_unit_test(only_the_seventh_run_fails),
        cmocka_unit_test(fates_begin_with_a_run_and_the_last_line_wins),
        cmocka_unit_test(a_timeout_ends_what_hangs_or_takes_longer),
        cmocka_unit_test(a_signal_of_the_session_ends_the_child_at_that_moment),
        cmocka_unit_test(a_program_can_bring_the_signal_in_one_of_its_runs),
        cmocka_unit_test(cleaning_up_runs_on_after_a_signal),
        cmocka_unit_test(first_runs_and_carry_over_stretch_the_time),
        cmocka_unit_test(the_program_with_most_words_is_meant_in_argv_and_in_a_shell),
        cmocka_unit_test(what_no_script_knows_is_not_started_and_a_shell_says_127),
        cmocka_unit_test(a_processor_that_is_not_allowed_cannot_be_used),
        cmocka_unit_test(a_folder_that_is_not_there_cannot_be_worked_in),
        cmocka_unit_test(the_spawner_can_be_missing_or_die),
        cmocka_unit_test(models_have_the_moments_they_promise),
        cmocka_unit_test(lists_cycle_and_drift_grows_by_the_run),
        cmocka_unit_test(a_time_below_nought_becomes_a_nanosecond),
        cmocka_unit_test(draws_depend_on_the_seed_and_not_on_other_programs),
        cmocka_unit_test(the_session_slows_all_programs_alike),
        cmocka_unit_test(the_session_can_wave_and_step),
    };
    return cmocka_run_group_tests_name("fake", tests, NULL, NULL);
}
