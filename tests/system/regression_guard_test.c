/* SPDX-License-Identifier: MIT
 *
 * What is taken back because the CPUs got worse by it, and what is said: a machine of files is tuned, and the probe finds what it is told to find.
 */
#include "poisson.h"
#include "regression_guard.h"
#include "rng_normal.h"
#include "tune_world.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define IRQ   "/proc/irq/24/smp_affinity"
#define ASLR  "/proc/sys/kernel/randomize_va_space"
#define TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"

enum { STRETCHES = 30, LOOKS_MAX = 16 };

/* What one look at the CPU finds. */
struct state {
    double gaps;   /* of 20 us, mean of a stretch of 10 ms */
    double spread; /* relative standard deviation of the frequency */
    double
        slice; /* share of stretches in which 5 ms go to another program: its time by the scheduler's account, or the hypervisor's */
    bool hypervisor;
    bool fails; /* it cannot be measured */
};

static const struct state quiet = {.gaps = 2, .spread = .001}, many_gaps = {.gaps = 40, .spread = .001},
                          a_little_more = {.gaps = 3, .spread = .001}, moving = {.gaps = 2, .spread = .05},
                          shared = {.gaps = .5, .spread = .001, .slice = .9},
                          stolen = {.gaps = .5, .spread = .001, .slice = .9, .hypervisor = true}, blind = {.fails = true};

struct probed {
    struct regression_guard watch; /* the first member: what the probe is given */
    const struct state *looks[LOOKS_MAX];
    int n, at;
    struct rng random;
    struct world w;
};

static void draw(struct jitter_stretch *out, const struct state *s, struct rng *r)
{
    int64_t gaps = poisson(r, s->gaps);
    double slice = rng_uniform(r) < s->slice ? 5e6 : 0;
    *out = (struct jitter_stretch){.wall_ns = JITTER_STRETCH_NS,
                                   .least_ns = 1000,
                                   .lost_ns = 20000 * (double)gaps + slice,
                                   .cpu_ns = JITTER_STRETCH_NS - slice,
                                   .delay_ns = s->hypervisor ? 0 : slice,
                                   .core_hz = 3e9 * (1 + s->spread * rng_normal(r))};
    out->gaps[4] = gaps;
    out->gaps[11] = slice > 0;
}

static enum tare_status found(struct regression_guard *watch, struct jitter *out)
{
    struct probed *p = (struct probed *)(void *)watch;
    assert_true(p->at < p->n); /* it looks no oftener than it should */
    const struct state *s = p->looks[p->at++];
    *out = (struct jitter){.cpus = arena_array(watch->arena, 1, sizeof *out->cpus), .n_cpus = 1};
    *out->cpus = (struct jitter_cpu){
        .cpu = 1, .n = STRETCHES, .stretches = arena_array(watch->arena, STRETCHES, sizeof *out->cpus->stretches)};
    for (int i = 0; i < STRETCHES; i++)
        draw(&out->cpus->stretches[i], s, &p->random);
    return s->fails ? TARE_UNSUPPORTED : TARE_OK;
}

/* Three groups with a file each: frequency, interrupts, settings of the kernel. */
static void open_three(struct probed *p)
{
    *p = (struct probed){.random = rng_seeded(7)};
    world_open(&p->w);
    world_put(&p->w, TURBO, "0\n");
    world_put(&p->w, IRQ, "3\n");
    world_put(&p->w, ASLR, "1\n");
    world_add(&p->w, SETTING_FILE, FORM_NUMBER, STAGE_TURBO, TURBO, "0", "1");
    world_add(&p->w, SETTING_FILE, FORM_MASK, STAGE_MASKS, IRQ, "3", "1");
    world_add(&p->w, SETTING_FILE, FORM_NUMBER, STAGE_SYSCTL, ASLR, "1", "2");
    p->watch = (struct regression_guard){.look = &p->w.look, .arena = &p->w.arena, .measure = found};
}

/* Tunes, with one look after the other: the first is before any change. All of them are taken. */
static struct tune_report tune_seeing(struct probed *p, const struct state *const *looks, int n)
{
    struct tune_report report = {.arena = &p->w.arena};
    struct journal *j;
    memcpy(p->looks, looks, (size_t)n * sizeof *looks);
    p->n = n;
    const struct tune_options options = {.worse = regression_guard, .context = &p->watch};
    assert_int_equal(journal_open(&j, NULL, &p->w.root, NULL), TARE_OK);
    assert_int_equal(tune_apply(&p->w.look, j, &options, &report, NULL), TARE_OK);
    journal_close(j);
    assert_int_equal(p->at, n);
    return report;
}

#define SEEING(p, ...)                                         \
    tune_seeing(p, (const struct state *const[]){__VA_ARGS__}, \
                sizeof((const struct state *const[]){__VA_ARGS__}) / sizeof(void *))

/* Which files are as tuned. */
static void stands(struct probed *p, bool turbo, bool irq, bool aslr)
{
    world_expect(&p->w, TURBO, turbo ? "1\n" : "0\n");
    world_expect(&p->w, IRQ, irq ? "1\n" : "3\n");
    world_expect(&p->w, ASLR, aslr ? "2\n" : "1\n");
}

static void close_three(struct probed *p)
{
    world_reset(&p->w, false);
    stands(p, false, false, false);
    world_close(&p->w);
}

static void what_got_better_or_stayed_stands_and_nothing_is_said(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &many_gaps, &many_gaps, &quiet, &quiet);
    assert_null(r.warning);
    assert_int_equal(r.undone, 0);
    stands(&p, true, true, true);
    close_three(&p);
}

static void what_got_worse_three_times_over_goes_back_alone_and_is_named(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &quiet, &quiet, &many_gaps, &many_gaps, &many_gaps, &quiet);
    stands(&p, true, false, true);
    assert_int_equal(r.undone, 1);
    assert_int_equal(world_change(&r, IRQ)->outcome, CHANGE_UNDONE);
    assert_non_null(r.warning);
    const char *begin = "interrupts and kernel threads: undone, because it made things worse (gaps of 10 us and more rose from ";
    if (strncmp(r.warning, begin, strlen(begin)) || !strstr(r.warning, " a second)"))
        fail_msg("'%s'", r.warning);
    close_three(&p);
}

static void what_was_worse_at_one_look_stands(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &quiet, &many_gaps, &quiet, &moving, &moving, &quiet, &quiet);
    assert_null(r.warning);
    stands(&p, true, true, true);
    close_three(&p);
}

static void less_than_twice_as_bad_stands(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &quiet, &a_little_more, &a_little_more, &a_little_more);
    assert_null(r.warning);
    stands(&p, true, true, true);
    close_three(&p);
}

static void a_frequency_that_begins_to_move_is_taken_back(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &quiet, &moving, &moving, &moving, &quiet, &quiet);
    stands(&p, false, true, true);
    assert_non_null(
        strstr(r.warning, "frequency: undone, because it made things worse (spread of the core's frequency rose from "));
    assert_non_null(strstr(r.warning, " % of spread)"));
    close_three(&p);
}

static void each_group_is_held_against_the_last_state_that_was_kept(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    /* many gaps, then few: to have many again is worse than that, and the state after it went back is the one before */
    struct tune_report r = SEEING(&p, &many_gaps, &quiet, &many_gaps, &many_gaps, &many_gaps, &quiet);
    stands(&p, true, false, true);
    assert_int_equal(r.undone, 1);
    close_three(&p);
}

static void time_that_other_programs_had_is_no_settings_doing(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &quiet, &shared, &shared, &shared);
    assert_null(r.warning);
    stands(&p, true, true, true);
    close_three(&p);
}

/* Long gaps that nobody here had; of small ones there are fewer. */
static void time_lost_to_nobody_here_is_taken_for_the_settings_doing(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &quiet, &stolen, &stolen, &stolen, &quiet, &quiet);
    stands(&p, false, true, true);
    assert_non_null(strstr(r.warning, "(time lost rose from "));
    assert_non_null(strstr(r.warning, " % of the time)"));
    close_three(&p);
}

/* With the CPU for itself the probe sees more small gaps, and far less is lost: that is what tuning is for. */
static void more_gaps_and_less_lost_time_stand(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &shared, &many_gaps, &many_gaps, &many_gaps);
    assert_null(r.warning);
    stands(&p, true, true, true);
    close_three(&p);
}

static void what_cannot_be_measured_is_not_worse(void **state)
{
    (void)state;
    struct probed p;
    open_three(&p);
    struct tune_report r = SEEING(&p, &blind); /* and is not looked at again */
    assert_null(r.warning);
    stands(&p, true, true, true);
    close_three(&p);
    open_three(&p);
    r = SEEING(&p, &quiet, &many_gaps, &blind, &quiet, &quiet);
    assert_null(r.warning);
    stands(&p, true, true, true);
    close_three(&p);
}

/* The same state before and after, drawn anew each time: it is to be taken back in at most 1 of 1000 looks thrice in a row, so never in these. */
static void noise_alone_takes_nothing_back(void **state)
{
    (void)state;
    static const struct state states[] = {{.gaps = 2.5, .spread = .005},
                                          {.gaps = .02, .spread = .02},
                                          {.gaps = 1, .spread = .001, .slice = .2, .hypervisor = true}};
    enum { TIMES = 2000 };
    for (size_t s = 0; s < sizeof states / sizeof *states; s++) {
        struct probed p;
        struct arena looks = {0};
        struct buf why = BUF_INIT(1 << 12);
        int again = 0;
        open_three(&p);
        p.watch.arena = &looks;
        for (int i = 0; i < LOOKS_MAX; i++)
            p.looks[i] = &states[s];
        p.n = LOOKS_MAX;
        for (int i = 0; i < TIMES; i++) {
            p.at = 0;
            regression_guard(&p.watch, NULL, &why);
            if (regression_guard(&p.watch, "a group", &why))
                fail_msg("state %zu: taken back: %s", s, buf_text(&why));
            again += p.at > 2;
            arena_finish(&looks);
        }
        print_message("             state %zu: looked at again %d times of %d\n", s, again, TIMES);
        buf_finish(&why);
        world_close(&p.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_got_better_or_stayed_stands_and_nothing_is_said),
        cmocka_unit_test(what_got_worse_three_times_over_goes_back_alone_and_is_named),
        cmocka_unit_test(what_was_worse_at_one_look_stands),
        cmocka_unit_test(less_than_twice_as_bad_stands),
        cmocka_unit_test(a_frequency_that_begins_to_move_is_taken_back),
        cmocka_unit_test(each_group_is_held_against_the_last_state_that_was_kept),
        cmocka_unit_test(time_that_other_programs_had_is_no_settings_doing),
        cmocka_unit_test(time_lost_to_nobody_here_is_taken_for_the_settings_doing),
        cmocka_unit_test(more_gaps_and_less_lost_time_stand),
        cmocka_unit_test(what_cannot_be_measured_is_not_worse),
        cmocka_unit_test(noise_alone_takes_nothing_back),
    };
    return cmocka_run_group_tests_name("never worse", tests, NULL, NULL);
}
