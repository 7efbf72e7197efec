/* SPDX-License-Identifier: MIT
 *
 * Sizes over sessions, simulated: how often the interval over few sessions holds the mean over all there could be, where sessions scatter normally and where
 * two CPUs are now in one state and now in another; and what several sessions come to as a verdict.
 */
#include "analyse_stored.h"
#include "leak_engine.h"
#include "leak_target.h"
#include "leak_test.h"
#include "rng.h"
#include "rng_normal.h"
#include <string.h>

enum { MOST = 12 };

/* ---- records of sessions ---- */

struct made {
    double ns, advantage, log10_e, step_ns;
    enum verdict verdict;
    bool blind, cpus_differ;
    const char *why;
};

static void make(struct record *r, int number, const struct made *m)
{
    const struct subject s = {
        .kind = SUBJECT_LEAK, .name = "t", .command = "t", .program = "p", .benchmark = "t", .reference = -1};
    const struct leak_pair_size sizes[] = {
        {0, 1, .5, m->ns, 3 * m->ns}, {0, 1, .9, m->ns, 3 * m->ns}, {0, 1, .99, m->ns, 3 * m->ns}};
    struct leak_target t;
    record_init(r);
    r->rule = (struct rule){.method = METHOD_ANYTIME,
                            .metric = "wall",
                            .confidence = .99,
                            .margin = 1,
                            .margin_unit = "ns",
                            .leaks = {.kind = "pairs", .cache = "warm", .alpha = 1e-5, .advantage = .01}};
    r->session = number;
    leak_target_init(&t, record_add_subject(r, &s, NULL, 0));
    t.verdict = m->verdict;
    t.why = m->why;
    t.classes = "equal, random";
    t.sizes = sizes;
    t.n_sizes = 3;
    t.margin_ns = 1;
    t.advantage = m->advantage;
    t.log10_e = m->log10_e;
    t.spike_found_after = m->blind ? NAN : 300;
    t.cpus_differ = m->cpus_differ;
    t.step_ns = m->step_ns > 0 ? m->step_ns : NAN;
    t.clip = .9;
    t.first = "equal";
    t.second = "random";
    const struct leak_place places[] = {{0, 9, m->ns, -INFINITY, INFINITY},
                                        {1, 8, (m->cpus_differ ? 2 : 1) * m->ns, -INFINITY, INFINITY},
                                        {2, 2, 100, -INFINITY, INFINITY}};
    t.places = places;
    t.n_places = 3;
    t.calls = t.blocks = 1000;
    t.seconds = t.repeat = 1;
    assert_int_equal(record_set_leak_target(r, &t), TARE_OK);
}

/* What n sessions say together; kept until the next one. */
static const struct leak_target *together(const struct made *made, int n)
{
    static struct record sessions[MOST], over;
    static struct leak_target out;
    struct tare_err err;
    for (int i = 0; i < n; i++)
        make(&sessions[i], i + 1, &made[i]);
    record_finish(&over);
    memset(&over, 0, sizeof over);
    assert_int_equal(analyse_sessions(&over, sessions, n, &err), TARE_OK);
    for (int i = 0; i < n; i++)
        record_finish(&sessions[i]);
    assert_true(record_is_over_sessions(&over) && over.n_leak_targets == 1);
    out = over.leak_targets[0];
    return &out;
}

/* ---- coverage ---- */

enum { PROCESSES = 18 };

static double normal(struct rng *r)
{
    return .75 + .2 * rng_normal(r);
}

/* Each of two CPUs is in one of two states for a whole session. */
static double in_states(struct rng *r)
{
    double sum = 0;
    for (int cpu = 0; cpu < 2; cpu++)
        sum += (rng_below(r, 2) ? .95 : .55) / 2;
    return sum + .03 * rng_normal(r) / 4;
}

/* Each changes its state at a moment of its own; processes take turns. */
static double changing(struct rng *r)
{
    double sum = 0;
    for (int cpu = 0; cpu < 2; cpu++) {
        const bool first = rng_below(r, 2);
        const int moment = (int)rng_below(r, PROCESSES / 2 + 1);
        for (int i = 0; i < PROCESSES / 2; i++)
            sum += ((i < moment) == first ? .95 : .55) + .03 * rng_normal(r);
    }
    return sum / PROCESSES;
}

/* most: of sets whose interval (at 0.17 %, one of six) misses the mean, 0.75 in all of them. */
static const struct {
    const char *name;
    double (*draw)(struct rng *r);
    int sessions;
    double most;
} worlds[] = {
    {"normal, 3 sessions", normal, 3, .01 / 6},
    {"normal, 6 sessions", normal, 6, .01 / 6},
    {"CPUs change state on the way, 3", changing, 3, .01},
    {"CPUs change state on the way, 6", changing, 6, .01},
    {"CPUs in one of two states, 3", in_states, 3, .04}, /* all alike, and both at one end: 2 of 64 */
    {"CPUs in one of two states, 6", in_states, 6, .01},
};

static void intervals_over_sessions_hold_the_mean_over_all(void **state)
{
    (void)state;
    enum { SETS = 4000 };
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++) {
        struct rng r = rng_seeded(600 + k);
        int missed = 0;
        for (int i = 0; i < SETS; i++) {
            struct made made[MOST];
            for (int s = 0; s < worlds[k].sessions; s++)
                made[s] = (struct made){.ns = worlds[k].draw(&r), .verdict = VERDICT_LEAK};
            const struct leak_target *t = together(made, worlds[k].sessions);
            missed += t->low_ns > .75 || t->high_ns < .75;
            assert_near("cycles", t->difference_cycles, 3 * t->difference_ns, 1e-9);
        }
        assert_at_most("missed", worlds[k].name, missed, SETS, worlds[k].most);
    }
}

/* ---- verdicts ---- */

static void evidence_of_sessions_multiplies(void **state)
{
    (void)state;
    const struct made weak = {.ns = 5, .advantage = .2, .log10_e = 2, .verdict = VERDICT_UNDECIDED};
    struct made made[] = {weak, weak, weak};
    made[1].ns = 5.01;
    made[2].ns = 4.99;
    made[1].cpus_differ = true;
    const struct leak_target *t = together(made, 2);
    assert_int_equal(t->verdict, VERDICT_UNDECIDED);
    t = together(made, 3);
    assert_int_equal(t->verdict, VERDICT_LEAK);
    assert_near("log10 E", t->log10_e, 6, 1e-9);
    assert_string_equal(t->first, "equal");
    assert_string_equal(t->second, "random");
    assert_near("size", t->difference_ns, 5, 1e-9);
    assert_near("deviation", t->size_sd_ns, .01, 1e-9);
    assert_near("low", t->low_ns, 5 - 24.46 * .01 / sqrt(3), 1e-4); /* t at 1 - .01/12 with 2 degrees of freedom */
    assert_near("clip", t->clip, .9, 0);
    assert_true(t->sessions == 3 && t->sessions_cpus_differ == 1);
    assert_near("least on a CPU", t->places_low_ns, 4.99, 1e-9);
    assert_near("most on a CPU", t->places_high_ns, 10.02, 1e-9); /* of few processes nothing is said */
}

static void sizes_within_the_margin_make_a_small_leak_or_none(void **state)
{
    (void)state;
    const struct made small = {.ns = .2, .advantage = .004, .log10_e = 4, .verdict = VERDICT_LEAK_SMALL},
                      none = {.ns = .01, .advantage = .004, .log10_e = -3, .verdict = VERDICT_NO_LEAK};
    struct made made[] = {small, small, small}, quiet[] = {none, none, none, none};
    assert_int_equal(together(made, 3)->verdict, VERDICT_LEAK_SMALL);
    assert_int_equal(together(quiet, 4)->verdict, VERDICT_NO_LEAK);
    assert_int_equal(together(quiet, 1)->verdict, VERDICT_UNDECIDED);
    quiet[2].blind = true; /* silence of one that sees nothing */
    assert_int_equal(together(quiet, 4)->verdict, VERDICT_UNDECIDED);
    quiet[2] = none;
    quiet[0].ns = 3; /* one session is far off */
    const struct leak_target *t = together(quiet, 4);
    assert_int_equal(t->verdict, VERDICT_UNDECIDED);
    assert_non_null(strstr(t->why, "would do"));
    quiet[0].ns = .01;
    quiet[0].advantage = .05;
    t = together(quiet, 4);
    assert_int_equal(t->verdict, VERDICT_UNDECIDED);
    assert_non_null(strstr(t->why, "advantage"));
}

/* As of each session: what the clock shows may be a step more or less. */
static void steps_of_an_undrawn_phase_bound_no_size(void **state)
{
    (void)state;
    const struct made none = {.ns = .1, .advantage = .004, .log10_e = -3, .step_ns = .5, .verdict = VERDICT_NO_LEAK},
                      hidden = {.ns = .1, .advantage = .004, .log10_e = -3, .step_ns = .95, .verdict = VERDICT_UNDECIDED},
                      leak = {.ns = 1.5, .advantage = .004, .log10_e = 9, .step_ns = .95, .verdict = VERDICT_LEAK};
    struct made fine[] = {none, none, none}, coarse[] = {none, hidden, none}, found[] = {leak, leak, leak};
    const struct leak_target *t = together(fine, 3);
    assert_int_equal(t->verdict, VERDICT_NO_LEAK);
    assert_near("high", t->high_ns, .6, 1e-9);
    assert_near("step", t->step_ns, .5, 0);
    t = together(coarse, 3);
    assert_int_equal(t->verdict, VERDICT_UNDECIDED);
    assert_string_equal(t->why, leak_reason_text(LEAK_WHY_RESOLUTION));
    t = together(found, 3); /* a leak it is; how large is open */
    assert_int_equal(t->verdict, VERDICT_LEAK);
    assert_near("low", t->low_ns, .55, 1e-9);
    assert_non_null(t->why);
}

static void a_session_that_cannot_be_judged_is_left_out_and_told(void **state)
{
    (void)state;
    const struct made good = {.ns = 5, .advantage = .2, .log10_e = 9, .verdict = VERDICT_LEAK},
                      bad = {.ns = 50, .log10_e = 900, .verdict = VERDICT_INVALID};
    struct made made[] = {good, bad, good, good}, most[] = {bad, good, bad};
    const struct leak_target *t = together(made, 4);
    assert_int_equal(t->verdict, VERDICT_LEAK);
    assert_true(t->sessions == 3 && t->sessions_left_out == 1 && t->difference_ns == 5 && t->log10_e == 27);
    assert_int_equal(together(most, 3)->verdict, VERDICT_INVALID);
}

/* Without them the mean would be of those sessions that found something. */
static void a_blind_session_counts_and_is_told(void **state)
{
    (void)state;
    const struct made found = {.ns = 5, .advantage = .2, .log10_e = 9, .verdict = VERDICT_LEAK},
                      blind = {.ns = 1,
                               .advantage = .001,
                               .log10_e = -2,
                               .verdict = VERDICT_INVALID,
                               .blind = true,
                               .why = leak_reason_text(LEAK_WHY_BLIND)};
    struct made made[] = {found, blind, blind, found}, most[] = {blind, blind, found}, all[] = {blind, blind};
    const struct leak_target *t = together(made, 4);
    assert_int_equal(t->verdict, VERDICT_LEAK);
    assert_true(t->sessions == 4 && t->sessions_blind == 2 && t->sessions_left_out == 0);
    assert_near("size", t->difference_ns, 3, 1e-9);
    assert_near("log10 E", t->log10_e, 14, 1e-9);
    assert_int_equal(together(most, 3)->verdict, VERDICT_LEAK); /* 10^5 */
    most[2].log10_e = 8;
    t = together(most, 3);
    assert_int_equal(t->verdict, VERDICT_INVALID);
    assert_string_equal(t->why, leak_reason_text(LEAK_WHY_BLIND));
    assert_int_equal(together(all, 2)->verdict, VERDICT_INVALID);
    for (int i = 0; i < 4; i++)
        made[i].ns = .2, made[i].advantage = .001;
    assert_int_equal(together(made, 4)->verdict, VERDICT_LEAK); /* a small one would have to be seen by all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_over_sessions_hold_the_mean_over_all),
        cmocka_unit_test(evidence_of_sessions_multiplies),
        cmocka_unit_test(sizes_within_the_margin_make_a_small_leak_or_none),
        cmocka_unit_test(steps_of_an_undrawn_phase_bound_no_size),
        cmocka_unit_test(a_session_that_cannot_be_judged_is_left_out_and_told),
        cmocka_unit_test(a_blind_session_counts_and_is_told),
    };
    return cmocka_run_group_tests_name("leak sizes over sessions", tests, NULL, NULL);
}
