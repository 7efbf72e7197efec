/* SPDX-License-Identifier: MIT
 *
 * Files of times from clocks with steps, as `tare leak --csv` judges them: whatever the phase was, no bound excludes the true difference.
 *
 * A session is a file of blocks of two calls in drawn order; class 1 takes longer. The clock shows the difference of two readings that it rounded
 * down: with a drawn phase, with the phase at a step's begin or middle always, or at one of two places. The file goes through the reader and through the
 * engine by the rule of such files (leak_judges.c).
 */
#include "leak_csv.h"
#include "leak_engine.h"
#include "leak_test.h"
#include "wire.h"
#include <stdio.h>

enum { BLOCKS = 1300, CONFIDENCE_PERCENT = 99 };

enum phase { DRAWN, BEGIN, MIDDLE, EITHER, PHASES };
static const char *const phase_names[PHASES] = {"drawn phase", "phase 0", "phase 0.5", "phase 0.2 or 0.7"};

struct world {
    enum phase phase;
    double step, difference, spread; /* ns; the others in steps */
};

static double time_shown(struct rng *r, const struct world *w, double time)
{
    double phase = w->phase == DRAWN    ? rng_uniform(r)
                   : w->phase == BEGIN  ? 0
                   : w->phase == MIDDLE ? .5
                                        : .2 + .5 * (double)rng_below(r, 2);
    return floor(phase + time) * w->step; /* the first reading is at `phase` */
}

static void write_file(struct rng *r, const struct world *w, struct buf *out)
{
    double level = 3 + 4 * rng_uniform(r);
    for (int b = 0; b < BLOCKS; b++) {
        bool turned = rng_below(r, 2);
        for (int place = 0; place < 2; place++) {
            int class = place ^ turned;
            double t = level + class * w->difference + w->spread * (rng_uniform(r) + rng_uniform(r) + rng_uniform(r) - 1.5);
            buf_format(out, "%c,%.1f,%d\n", 'a' + class, time_shown(r, w, fmax(0, t)), b);
        }
    }
}

static void feed(struct leak_engine *e, const struct buf *report)
{
    static uint32_t ticks[2 * BLOCKS];
    static const enum leak_kind kinds[] = {[WIRE_MAIN] = LEAK_MAIN, [WIRE_AA] = LEAK_AA, [WIRE_SPIKE] = LEAK_SPIKE};
    struct wire_reader reader = {(const uint8_t *)report->data, report->len, 0};
    struct leak_facts facts = leak_facts_none();
    struct wire_frame f;
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type == WIRE_TARGET_END)
            facts.spike_ticks = f.u.target_end.spike_ticks;
        if (f.type != WIRE_BLOCKS)
            continue;
        wire_ticks_copy(f.u.blocks.ticks, (size_t)f.u.blocks.n * f.u.blocks.k, ticks);
        assert_int_equal(leak_engine_blocks(e, kinds[f.u.blocks.kind], 2, f.u.blocks.n, f.u.blocks.classes, ticks, NULL),
                         TARE_OK);
    }
    leak_engine_facts(e, &facts);
    leak_engine_round(e);
}

/* margin: in steps. blind: as if the clock had no steps. */
static void judge(const struct buf *text, double step, double margin, bool blind, struct leak_reading *out)
{
    struct leak_csv csv;
    struct buf report = BUF_INIT(1 << 22);
    struct leak_engine *e;
    assert_int_equal(leak_csv_read(&csv, buf_text(text), text->len, 1, NULL), TARE_OK);
    struct leak_rule rule = leak_rule_default(2);
    rule.margin_ticks = margin * step * csv.scale;
    rule.step_ticks = blind ? 0 : csv.step * csv.scale;
    rule.advantage = .9;
    rule.processes = false;
    rule.replantings = 0;
    assert_int_equal(leak_engine_create(&rule, &e, NULL), TARE_OK);
    for (; leak_csv_next(&csv, "file", margin * step, &report); buf_clear(&report))
        feed(e, &report);
    leak_engine_read(e, out);
    out->margin_ticks /= step * csv.scale; /* in steps from here on */
    out->step_ticks /= step * csv.scale;
    for (int c = 0; c < LEAK_CLIPS; c++) {
        struct tare_interval *ticks = &out->pair[0].at[c].ticks;
        double sign = csv.names[0][0] == 'a' ? 1 : -1,
               in_steps = sign / (step * csv.scale); /* the first in the file is class 0 */
        double low = (sign > 0 ? ticks->low : ticks->high) * in_steps, high = (sign > 0 ? ticks->high : ticks->low) * in_steps;
        ticks->low = low - out->step_ticks;
        ticks->high = high + out->step_ticks;
    }
    leak_engine_destroy(e);
    buf_finish(&report);
    leak_csv_finish(&csv);
}

struct count {
    int sessions, bounds, wrong_bounds, larger, wrong_larger, missed;
};

/* What the line says: an interval, the step in it, that lies beyond the margin. */
static bool is_said_larger(const struct leak_reading *r, double margin)
{
    bool any = false;
    for (int c = 0; c < LEAK_CLIPS; c++) {
        const struct leak_difference *d = &r->pair[0].at[c];
        any |= d->judged && (d->ticks.low > margin || d->ticks.high < -margin);
    }
    return any && r->verdict == LEAK_FOUND;
}

static void note(const struct leak_reading *r, const struct world *w, double margin, struct count *c)
{
    const double off = 1e-6; /* of what is exactly on the margin */
    bool bound = r->verdict == LEAK_NONE || r->verdict == LEAK_SMALL, larger = is_said_larger(r, margin);
    const struct tare_interval *plain = &r->pair[0].at[LEAK_CLIPS - 1].ticks; /* the others are of clipped times */
    c->sessions++;
    c->bounds += bound;
    c->wrong_bounds += bound && w->difference > margin + off;
    c->larger += larger;
    c->wrong_larger += larger && w->difference < margin - off;
    c->missed += !(plain->low - off <= w->difference && w->difference <= plain->high + off);
}

static const double steps[] = {1, 10, 41.7, 1000}, differences[] = {0, .01, .3, .6, 1.5, 4}, spreads[] = {0, .1, 2},
                    margins[] = {.5, 1.2, 2.6};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static struct count sessions_of(enum phase phase, bool blind, int each)
{
    struct count all = {0};
    static struct leak_reading r;
    for (int k = 0; k < each * COUNT(steps) * COUNT(differences) * COUNT(spreads); k++) {
        struct rng rng = rng_seeded((uint64_t)(k * PHASES) + phase);
        struct buf text = BUF_INIT(1 << 20);
        struct world w = {phase, steps[k % COUNT(steps)], differences[k / COUNT(steps) % COUNT(differences)],
                          spreads[k / COUNT(steps) / COUNT(differences) % COUNT(spreads)]};
        write_file(&rng, &w, &text);
        for (int m = 0; m < COUNT(margins); m++) {
            judge(&text, w.step, margins[m], blind, &r);
            if (r.verdict != LEAK_INVALID) /* all times alike */
                note(&r, &w, margins[m], &all);
        }
        buf_finish(&text);
    }
    return all;
}

static void no_bound_excludes_the_truth(void **state)
{
    (void)state;
    const double chance = 1 - CONFIDENCE_PERCENT / 100.;
    for (enum phase p = 0; p < PHASES; p++) {
        struct count c = sessions_of(p, false, 3);
        assert_at_most("bounds that exclude the difference", phase_names[p], c.wrong_bounds, c.sessions, chance);
        assert_at_most("\"larger\" that excludes the difference", phase_names[p], c.wrong_larger, c.sessions, chance);
        assert_at_most("intervals that miss the difference", phase_names[p], c.missed, c.sessions, chance);
        print_message("             %d bounds, %d larger\n", c.bounds, c.larger);
        assert_true(c.bounds > c.sessions / 10 && c.larger > c.sessions / 100);
    }
}

/* What the test would have seen. */
static void without_the_step_bounds_are_false(void **state)
{
    (void)state;
    struct count c = sessions_of(BEGIN, true, 2);
    print_message("             without the step: %d of %d bounds and %d of %d \"larger\" exclude the difference, %d of %d "
                  "intervals miss it\n",
                  c.wrong_bounds, c.bounds, c.wrong_larger, c.larger, c.missed, c.sessions);
    assert_true(c.wrong_bounds > 0 && c.wrong_larger > 0 && c.missed > c.sessions / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_excludes_the_truth),
        cmocka_unit_test(without_the_step_bounds_are_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
