/* SPDX-License-Identifier: MIT
 *
 * The leak engine as its callers see it: blocks in, words and figures out.
 */
#include "leak_engine.h"
#include "leak_test.h"
#include "leak_worlds.h"
#include "rng_normal.h"
#include <tare/status.h>

enum { ROUND = 4000 };

struct session {
    struct leak_engine *engine;
    struct leak_reading *reading;
    struct leak_world main, aa, spike;
    uint8_t class[2 * ROUND];
    uint32_t ticks[2 * ROUND];
};

static struct session *session_of(const struct leak_rule *rule, enum leak_world_kind kind, uint64_t seed, double effect,
                                  double spike)
{
    struct session *s = calloc(1, sizeof *s);
    struct tare_err err;
    assert_non_null(s);
    s->reading = calloc(1, sizeof *s->reading);
    assert_non_null(s->reading);
    assert_int_equal(leak_engine_create(rule, &s->engine, &err), TARE_OK);
    s->main = leak_world_start(kind, seed, effect);
    s->aa = leak_world_start(kind, seed + 1, 0);
    s->spike = leak_world_start(kind, seed + 2, spike);
    return s;
}

static void feed(struct session *s, enum leak_kind kind, struct leak_world *w, int n)
{
    leak_world_blocks(w, n, s->class, s->ticks);
    assert_int_equal(leak_engine_blocks(s->engine, kind, 2, n, s->class, s->ticks, NULL), TARE_OK);
}

/* Rounds until the engine says stop. */
static const struct leak_reading *sit(struct session *s, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        feed(s, LEAK_MAIN, &s->main, ROUND);
        feed(s, LEAK_AA, &s->aa, ROUND / 10);
        feed(s, LEAK_SPIKE, &s->spike, ROUND / 10);
        leak_engine_round(s->engine);
        leak_engine_read(s->engine, s->reading);
        if (s->reading->stop)
            break;
    }
    return s->reading;
}

/* The caller frees them. */
static struct leak_pictures *draw(const struct session *s, const struct leak_reading *r)
{
    struct leak_pictures *p = calloc(1, sizeof *p);
    assert_non_null(p);
    leak_engine_draw(s->engine, r, p);
    return p;
}

static void end(struct session *s)
{
    leak_engine_destroy(s->engine);
    free(s->reading);
    free(s);
}

static struct leak_rule rule_with(double margin_units)
{
    struct leak_rule rule = leak_rule_default(2);
    rule.margin_ticks = margin_units * LEAK_WORLD_UNIT;
    return rule;
}

static void assert_verdict(const struct leak_reading *r, enum leak_verdict verdict, enum leak_reason why)
{
    if (r->verdict == verdict && r->why == why)
        return;
    print_error("got %s, for %s; wanted %s, for %s (%lld blocks, log10 E %.2f)\n", leak_verdict_name(r->verdict),
                leak_reason_text(r->why), leak_verdict_name(verdict), leak_reason_text(why), (long long)r->blocks, r->log10_e);
    fail();
}

/* ---- words ---- */

static void no_difference_becomes_no_leak(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    rule.advantage = .05;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 100, 0, 1);
    struct leak_facts facts = leak_facts_none();
    facts.spike_ticks = LEAK_WORLD_UNIT;
    facts.step_ticks = 2 * LEAK_WORLD_UNIT;
    leak_engine_facts(s->engine, &facts);
    const struct leak_reading *r = sit(s, 60);
    assert_verdict(r, LEAK_NONE, LEAK_WHY_BOUNDED);
    assert_true(r->stop);
    assert_true(r->check.spike_found_after > 0);
    assert_true(r->check.power_stretches >= 1 && r->check.power_blocks <= r->blocks);
    assert_false(r->check.aa_fired);
    assert_true(!r->check.clock_stuck);
    const struct tare_interval *d = &r->pair[0].at[r->headline].ticks;
    assert_true(d->low >= -64 && d->high <= 64 && d->low <= 0 && 0 <= d->high);
    assert_near("blocks needed", r->blocks_needed, 0, 0);
    end(s);
}

static void a_large_difference_is_a_leak(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 200, 5, 1);
    const struct leak_reading *r = sit(s, 20);
    assert_verdict(r, LEAK_FOUND, LEAK_WHY_LARGER);
    assert_true(r->processes == leak_least_processes(rule.confidence) && r->pair[0].at[2].ticks.n == r->processes);
    assert_true(r->found_after > 0 && r->found_after < 1000);
    assert_true(r->log_e_most >= -log(rule.alpha));
    assert_true(r->check.beyond_harness && r->check.share_wanted == 0);
    assert_word(leak_family_name(r->component.family), "location");
    const struct leak_difference *d = &r->pair[0].at[2];
    assert_true(d->ticks.low <= 5 * 64 && 5 * 64 <= d->ticks.high);
    /* of the best limit: 2 Phi(5 / (2 * 10)) - 1 */
    assert_near("advantage", r->pair[0].advantage.point, 2 * tare_normal_cdf(.25) - 1, .03);
    assert_near("calls", r->calls_to_distinguish, 2 * log(100) / pow(r->pair[0].advantage.point, 2), 1e-12);
    end(s);
}

static void pictures_show_a_shift_at_every_quantile(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 200, 5, 1);
    struct leak_pictures *p = draw(s, sit(s, 5));
    for (int i = 0; i < LEAK_SHIFTS; i++) {
        const struct tare_interval *shift = &p->shift[i].ticks;
        assert_true(shift->low <= 5 * 64 && 5 * 64 <= shift->high);
    }
    assert_near("shift of the median", p->shift[4].ticks.point, 5 * 64, .15);
    assert_true(p->ecdf_points > 50);
    for (int i = 0; i < p->ecdf_points; i++)
        assert_true(p->ecdf[i].below[0] >= p->ecdf[i].below[1]);
    free(p);
    end(s);
}

static void a_difference_within_what_is_tolerated_is_a_small_leak(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(6);
    rule.advantage = .2;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 300, 2, 6);
    assert_verdict(sit(s, 30), LEAK_SMALL, LEAK_WHY_SMALLER);
    end(s);
}

static void few_calls_leave_it_undecided_and_say_how_many_more(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(.5);
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 400, 0, .5);
    const struct leak_reading *r = sit(s, 1);
    const double least = (double)leak_least_processes(rule.confidence);
    assert_verdict(r, LEAK_UNDECIDED, LEAK_WHY_PROCESSES);
    assert_false(r->stop);
    assert_true(isinf(r->pair[0].at[0].ticks.high) && r->pair[0].advantage.high == 1);
    assert_near("of one process: as many as are asked for", r->blocks_needed, (least - 1) * (double)r->blocks, 1e-9);
    r = sit(s, (int)least - 1);
    assert_verdict(r, LEAK_UNDECIDED, LEAK_WHY_ADVANTAGE);
    /* .01 of advantage at some 100 000 */
    assert_true(r->blocks_needed > 20000 && r->blocks_needed < 400000);
    r = sit(s, 100);
    assert_verdict(r, LEAK_NONE, LEAK_WHY_BOUNDED);
    end(s);
}

static void before_the_warm_up_is_over_nothing_is_said(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 450, 9, 1);
    leak_engine_read(s->engine, s->reading);
    assert_verdict(s->reading, LEAK_UNDECIDED, LEAK_WHY_FEW);
    feed(s, LEAK_MAIN, &s->main, 499);
    leak_engine_read(s->engine, s->reading);
    assert_int_equal(s->reading->blocks, 0);
    assert_int_equal(s->reading->warmup, 499);
    assert_true(isnan(leak_engine_visible(s->engine, 1000)));
    leak_engine_round(s->engine); /* ends it */
    assert_true(leak_engine_visible(s->engine, 1000) > leak_engine_visible(s->engine, 100000));
    end(s);
}

static void a_rare_tail_is_named(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_TAIL, 500, .02, 1);
    const struct leak_reading *r = sit(s, 10);
    assert_int_equal(r->verdict, LEAK_FOUND);
    assert_word(leak_family_name(r->component.family), "tail");
    end(s);
}

/* Of 1 call in 200 at +100: no clip at 99 % shows it, and no limit tells the classes apart by more than .005. */
static void a_tail_that_the_clips_hide_is_small_only_once_its_mean_is_settled(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(.75);
    rule.advantage = .03;
    struct session *s = session_of(&rule, LEAK_WORLD_TAIL, 550, .005, 1);
    while (sit(s, 1)->verdict != LEAK_FOUND && s->reading->blocks < 300000)
        ;
    while (sit(s, 1)->why == LEAK_WHY_UNSETTLED && s->reading->blocks < 300000)
        ;
    assert_verdict(s->reading, LEAK_FOUND, LEAK_WHY_TAIL);
    assert_false(s->reading->stop);
    assert_verdict(sit(s, 60), LEAK_SMALL, LEAK_WHY_SMALLER); /* .5 on average, where .75 is tolerated */
    end(s);
}

static void a_wider_class_is_named(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_SPREAD, 600, .2, 1);
    const struct leak_reading *r = sit(s, 20);
    assert_int_equal(r->verdict, LEAK_FOUND);
    assert_word(leak_family_name(r->component.family), "spread");
    end(s);
}

/* ---- what makes a run invalid ---- */

static void a_harness_that_makes_a_difference_is_invalid(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 700, 0, 1);
    s->aa = leak_world_start(LEAK_WORLD_GAUSS, 701, 4);
    assert_verdict(sit(s, 10), LEAK_INVALID, LEAK_WHY_AA);
    end(s);
}

static void a_blind_harness_is_invalid(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 800, 0, 0);
    struct leak_facts facts = leak_facts_none();
    facts.spike_ticks = 4 * LEAK_WORLD_UNIT;
    leak_engine_facts(s->engine, &facts);
    assert_verdict(sit(s, 60), LEAK_INVALID, LEAK_WHY_BLIND);
    end(s);
}

static void what_a_blind_harness_finds_is_there_but_never_small(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(20);
    rule.advantage = .9;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 850, 5, 0);
    struct leak_facts facts = leak_facts_none();
    facts.spike_ticks = 40 * LEAK_WORLD_UNIT;
    leak_engine_facts(s->engine, &facts);
    assert_verdict(sit(s, 2), LEAK_FOUND, LEAK_WHY_UNSETTLED); /* nothing small is said on the way to it either */
    assert_true(s->reading->check.spike_hides && !s->reading->check.spike_blind);
    assert_verdict(sit(s, 18), LEAK_FOUND, LEAK_WHY_UNSETTLED);
    assert_true(s->reading->check.spike_blind);
    end(s);
    s = session_of(&rule, LEAK_WORLD_GAUSS, 850, 5, 40); /* all the same but the delay, which is there */
    leak_engine_facts(s->engine, &facts);
    assert_verdict(sit(s, 20), LEAK_SMALL, LEAK_WHY_SMALLER);
    end(s);
    rule = rule_with(1);
    s = session_of(&rule, LEAK_WORLD_GAUSS, 850, 5, 0);
    leak_engine_facts(s->engine, &facts);
    assert_verdict(sit(s, 20), LEAK_FOUND, LEAK_WHY_LARGER);
    end(s);
}

/* A process of which the call hides so much of what it plants; 2^replanted times six units are asked of it. */
static void sit_hiding(struct session *s, double hidden)
{
    const double asked = 6 * ldexp(1, s->reading->check.spike_replanted);
    struct leak_facts facts = leak_facts_none();
    facts.spike_ticks = asked * LEAK_WORLD_UNIT;
    leak_engine_facts(s->engine, &facts);
    s->spike.effect = fmax(0, asked - hidden);
    sit(s, 1);
}

static void a_delay_that_is_hidden_is_planted_anew_and_then_found(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(6);
    rule.advantage = .2;
    rule.processes = false; /* the checks alone */
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 860, 0, 0);
    bool hidden = false;
    for (int process = 0; process < 30 && !s->reading->stop; process++) {
        const int before = s->reading->check.spike_replanted;
        sit_hiding(s, 6);
        if (s->reading->check.spike_replanted == before)
            continue;
        hidden = true; /* what was found of the first one is forgotten, and nothing is said meanwhile */
        assert_verdict(s->reading, LEAK_UNDECIDED, LEAK_WHY_NO_SPIKE);
        assert_int_equal(s->reading->check.spike_blocks, 0);
    }
    assert_true(hidden);
    assert_verdict(s->reading, LEAK_NONE, LEAK_WHY_BOUNDED);
    assert_int_equal(s->reading->check.spike_replanted, 1);
    assert_true(s->reading->check.spike_ticks.low < 6 * LEAK_WORLD_UNIT &&
                6 * LEAK_WORLD_UNIT < s->reading->check.spike_ticks.high);
    end(s);
}

static void a_delay_that_no_length_shows_makes_the_harness_blind(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(6);
    rule.advantage = .2;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 870, 0, 0);
    int most = 0;
    for (int process = 0; process < 60 && !s->reading->stop; process++) {
        sit_hiding(s, INFINITY);
        assert_true(s->reading->verdict != LEAK_NONE);
        most = s->reading->check.spike_replanted > most ? s->reading->check.spike_replanted : most;
    }
    assert_verdict(s->reading, LEAK_INVALID, LEAK_WHY_BLIND);
    assert_int_equal(most, 2);
    end(s);
    rule.replantings = 0; /* of a file nothing is planted anew */
    s = session_of(&rule, LEAK_WORLD_GAUSS, 870, 0, 0);
    for (int process = 0; process < 30 && !s->reading->stop; process++)
        sit_hiding(s, INFINITY);
    assert_verdict(s->reading, LEAK_INVALID, LEAK_WHY_BLIND);
    assert_int_equal(s->reading->check.spike_replanted, 0);
    end(s);
}

/* What is there is there, but as long as the delay does not show nothing small is said of it. */
static void a_leak_is_not_small_while_the_delay_waits_to_be_found(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(6);
    rule.advantage = .3;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 880, 3, 0);
    while (s->reading->check.spike_replanted == 0 && s->reading->blocks < 200000)
        sit_hiding(s, 6);
    assert_int_equal(s->reading->check.spike_replanted, 1);
    assert_verdict(s->reading, LEAK_FOUND, LEAK_WHY_UNSETTLED);
    while (!s->reading->stop && s->reading->blocks < 400000)
        sit_hiding(s, 6);
    assert_verdict(s->reading, LEAK_SMALL, LEAK_WHY_SMALLER);
    end(s);
}

static void without_a_delay_that_was_found_silence_is_no_answer(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(4);
    rule.advantage = .2;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 900, 0, 0);
    assert_verdict(sit(s, 17), LEAK_UNDECIDED, LEAK_WHY_NO_SPIKE);
    assert_int_equal(s->reading->check.share_wanted, 30);
    end(s);
    rule.selfchecks = false;
    s = session_of(&rule, LEAK_WORLD_GAUSS, 900, 0, 0);
    assert_verdict(sit(s, 17), LEAK_NONE, LEAK_WHY_BOUNDED);
    end(s);
}

static void a_clock_that_does_not_move_is_invalid(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 1000, 0, 0);
    for (int i = 0; i < 1000; i++) {
        s->class[2 * i] = (uint8_t)(i % 2);
        s->class[2 * i + 1] = (uint8_t) !(i % 2);
        s->ticks[2 * i] = s->ticks[2 * i + 1] = 42;
    }
    assert_int_equal(leak_engine_blocks(s->engine, LEAK_MAIN, 2, 1000, s->class, s->ticks, NULL), TARE_OK);
    leak_engine_read(s->engine, s->reading);
    assert_verdict(s->reading, LEAK_INVALID, LEAK_WHY_CLOCK);
    end(s);
}

static void facts_that_spoil_the_question_win_over_any_evidence(void **state)
{
    (void)state;
    const struct {
        struct leak_facts facts;
        enum leak_reason why;
    } cases[] = {
        {{.classes_equal = true, .spike_ticks = NAN, .step_ticks = NAN}, LEAK_WHY_CLASSES},
        {{.not_deterministic = true, .spike_ticks = NAN, .step_ticks = NAN}, LEAK_WHY_DETERMINISM},
        {{.wrote_outside = true, .spike_ticks = NAN, .step_ticks = NAN}, LEAK_WHY_OUTSIDE},
        {{.failed = true, .spike_ticks = NAN, .step_ticks = NAN}, LEAK_WHY_FAILED},
    };
    struct leak_rule rule = rule_with(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 1100, 8, 1);
        struct leak_facts none = leak_facts_none();
        leak_engine_facts(s->engine, &cases[i].facts);
        leak_engine_facts(s->engine, &none); /* once true, true for good */
        assert_verdict(sit(s, 2), LEAK_INVALID, cases[i].why);
        end(s);
    }
}

/* ---- replay, more classes, bad input ---- */

/* A copy of the strongest component has bytes between its members that mean nothing, so it is compared member by member. */
static void same_reading(struct leak_reading *x, struct leak_reading *y)
{
    struct leak_component *a = &x->component, *b = &y->component;
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->family, b->family);
    assert_memory_equal(&a->at, &b->at, sizeof a->at);
    assert_memory_equal(&a->log_e, &b->log_e, sizeof a->log_e);
    memset(a, 0, sizeof *a);
    memset(b, 0, sizeof *b);
    assert_memory_equal(x, y, sizeof *x);
}

static void the_same_blocks_give_the_same_reading_however_they_are_cut(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    struct session *whole = session_of(&rule, LEAK_WORLD_DRIFT, 1200, 1, 1),
                   *cut = session_of(&rule, LEAK_WORLD_DRIFT, 1200, 1, 1);
    for (int round = 0; round < 3; round++) {
        leak_world_blocks(&whole->main, ROUND, whole->class, whole->ticks);
        assert_int_equal(leak_engine_blocks(whole->engine, LEAK_MAIN, 2, ROUND, whole->class, whole->ticks, NULL), TARE_OK);
        for (int i = 0, n = 1; i < ROUND; i += n, n = n * 3 % 1000 + 1) {
            n = n < ROUND - i ? n : ROUND - i;
            assert_int_equal(leak_engine_blocks(cut->engine, LEAK_MAIN, 2, n, whole->class + 2 * i, whole->ticks + 2 * i, NULL),
                             0);
        }
        leak_engine_round(whole->engine);
        leak_engine_round(cut->engine);
    }
    leak_engine_read(whole->engine, whole->reading);
    leak_engine_read(cut->engine, cut->reading);
    assert_int_equal(whole->reading->blocks, 3 * ROUND - rule.warmup_blocks);
    struct leak_pictures *pictures[2] = {draw(whole, whole->reading), draw(cut, cut->reading)};
    assert_memory_equal(pictures[0], pictures[1], sizeof *pictures[0]);
    same_reading(whole->reading, cut->reading);
    free(pictures[0]);
    free(pictures[1]);
    end(whole);
    end(cut);
}

static void the_pair_that_differs_is_found_among_many_classes(void **state)
{
    (void)state;
    enum { K = 5, BLOCKS = 3000 };
    struct leak_rule rule = leak_rule_default(K);
    rule.margin_ticks = 3;
    struct leak_engine *e;
    struct leak_reading *r = calloc(1, sizeof *r);
    struct rng rng = rng_seeded(7);
    assert_non_null(r);
    assert_int_equal(leak_engine_create(&rule, &e, NULL), TARE_OK);
    for (int b = 0; b < BLOCKS; b++) {
        uint8_t class[K];
        uint32_t ticks[K];
        int order[K] = {0, 1, 2, 3, 4};
        rng_shuffle(&rng, order, K);
        for (int i = 0; i < K; i++) {
            class[i] = (uint8_t)order[i];
            ticks[i] = (uint32_t)(500 + (order[i] == 3 ? 10 : 0) + 20 * rng_normal(&rng));
        }
        assert_int_equal(leak_engine_blocks(e, LEAK_MAIN, K, 1, class, ticks, NULL), TARE_OK);
    }
    leak_engine_round(e);
    leak_engine_read(e, r);
    assert_int_equal(r->pairs, 10);
    assert_int_equal(r->verdict, LEAK_FOUND);
    assert_true(r->pair[r->worst].first == 3 || r->pair[r->worst].second == 3);
    for (int i = 0; i < r->pairs; i++) {
        double truth = r->pair[i].second == 3 ? 10 : r->pair[i].first == 3 ? -10 : 0;
        const struct tare_interval *d = &r->pair[i].at[2].ticks;
        assert_true(d->low <= truth && truth <= d->high);
    }
    leak_engine_destroy(e);
    free(r);
}

static void blocks_that_are_none_are_refused(void **state)
{
    (void)state;
    struct leak_rule rule = leak_rule_default(2);
    struct leak_engine *e;
    struct tare_err err;
    const uint8_t twice[4] = {0, 1, 1, 1}, high[2] = {0, 2};
    const uint32_t ticks[4] = {1, 2, 3, 4};
    assert_int_equal(leak_engine_create(&rule, &e, &err), TARE_OK);
    assert_int_equal(leak_engine_blocks(e, LEAK_MAIN, 3, 1, twice, ticks, &err), TARE_FORMAT);
    assert_int_equal(leak_engine_blocks(e, LEAK_MAIN, 2, 2, twice, ticks, &err), TARE_FORMAT);
    assert_string_equal(err.text, "block 1 does not have each of the 2 classes once");
    assert_int_equal(leak_engine_blocks(e, LEAK_MAIN, 2, 1, high, ticks, &err), TARE_FORMAT);
    leak_engine_destroy(e);
    leak_engine_destroy(NULL);
    rule.classes = 1;
    assert_int_equal(leak_engine_create(&rule, &e, &err), TARE_INVALID);
    rule = leak_rule_default(2);
    rule.margin_share = 0;
    assert_int_equal(leak_engine_create(&rule, &e, &err), TARE_INVALID);
    assert_string_equal(err.text, "the tolerated difference must be above 0");
}

static void a_share_is_taken_of_times_as_they_were_before_they_were_shifted(void **state)
{
    (void)state;
    struct leak_rule rule = leak_rule_default(2);
    rule.margin_share = .05;
    struct session *plain = session_of(&rule, LEAK_WORLD_GAUSS, 1350, 0, 1);
    sit(plain, 1);
    rule.zero_ticks = -100000;
    struct session *shifted = session_of(&rule, LEAK_WORLD_GAUSS, 1350, 0, 1);
    sit(shifted, 1);
    assert_near("margin", plain->reading->margin_ticks, .05 * plain->reading->median_ticks, 1e-9);
    assert_near("margin", shifted->reading->margin_ticks, .05 * (shifted->reading->median_ticks + 100000), 1e-9);
    end(plain);
    end(shifted);
}

static void betting_gives_sizes_that_hold_the_truth_too(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(3);
    rule.exact = true;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 1300, 5, 1);
    const struct leak_reading *r = sit(s, 2);
    assert_true(r->exact);
    const struct tare_interval *d = &r->pair[0].at[2].ticks;
    assert_true(d->low <= 5 * 64 && 5 * 64 <= d->high && d->high - d->low < 5 * 64);
    end(s);
}

/* ---- long runs ---- */

static void series_stay_bounded_and_in_order(void **state)
{
    (void)state;
    struct leak_rule rule = rule_with(1);
    rule.warmup_blocks = 20;
    struct session *s = session_of(&rule, LEAK_WORLD_GAUSS, 1400, 0, 1);
    for (int i = 0; i < 700; i++) {
        feed(s, LEAK_MAIN, &s->main, 100);
        leak_engine_round(s->engine);
    }
    leak_engine_read(s->engine, s->reading);
    const struct leak_reading *r = s->reading;
    struct leak_pictures *p = draw(s, r);
    assert_true(p->looks > 60 && p->looks <= LEAK_SERIES_MAX && p->epochs > 100 && p->epochs <= LEAK_EPOCHS_MAX);
    for (int i = 1; i < p->looks; i++)
        assert_true(p->look[i].blocks > p->look[i - 1].blocks);
    assert_int_equal(p->look[p->looks - 1].blocks, r->blocks);
    assert_true(leak_drift_share(&r->check, 0) < .1);
    free(p);
    end(s);
}

static void targets_share_their_errors(void **state)
{
    (void)state;
    const double log_e[3] = {log(20), log(.01), log(7)};
    double scratch[3];
    bool claimed[3];
    assert_int_equal(tare_e_bh(log_e, 3, .2, claimed, scratch), 1); /* 20 >= 3 / .2, 7 < 3 / (2 * .2) */
    assert_true(claimed[0] && !claimed[1] && !claimed[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_difference_becomes_no_leak),
        cmocka_unit_test(a_large_difference_is_a_leak),
        cmocka_unit_test(pictures_show_a_shift_at_every_quantile),
        cmocka_unit_test(a_difference_within_what_is_tolerated_is_a_small_leak),
        cmocka_unit_test(few_calls_leave_it_undecided_and_say_how_many_more),
        cmocka_unit_test(before_the_warm_up_is_over_nothing_is_said),
        cmocka_unit_test(a_rare_tail_is_named),
        cmocka_unit_test(a_tail_that_the_clips_hide_is_small_only_once_its_mean_is_settled),
        cmocka_unit_test(a_wider_class_is_named),
        cmocka_unit_test(a_harness_that_makes_a_difference_is_invalid),
        cmocka_unit_test(a_blind_harness_is_invalid),
        cmocka_unit_test(what_a_blind_harness_finds_is_there_but_never_small),
        cmocka_unit_test(a_delay_that_is_hidden_is_planted_anew_and_then_found),
        cmocka_unit_test(a_delay_that_no_length_shows_makes_the_harness_blind),
        cmocka_unit_test(a_leak_is_not_small_while_the_delay_waits_to_be_found),
        cmocka_unit_test(without_a_delay_that_was_found_silence_is_no_answer),
        cmocka_unit_test(a_clock_that_does_not_move_is_invalid),
        cmocka_unit_test(facts_that_spoil_the_question_win_over_any_evidence),
        cmocka_unit_test(the_same_blocks_give_the_same_reading_however_they_are_cut),
        cmocka_unit_test(the_pair_that_differs_is_found_among_many_classes),
        cmocka_unit_test(blocks_that_are_none_are_refused),
        cmocka_unit_test(a_share_is_taken_of_times_as_they_were_before_they_were_shifted),
        cmocka_unit_test(betting_gives_sizes_that_hold_the_truth_too),
        cmocka_unit_test(series_stay_bounded_and_in_order),
        cmocka_unit_test(targets_share_their_errors),
    };
    return cmocka_run_group_tests_name("leak engine", tests, NULL, NULL);
}
