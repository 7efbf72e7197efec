/* SPDX-License-Identifier: MIT
 *
 * The sizes of a scan, over simulated sessions of processes in which a bit costs what it costs there: how often an interval fails to hold the
 * mean over all processes at one look or more, how often one about the calls that were made does, and how often a
 * word on a size is wrong; and what is said to be missing against what it then took. Marks are exact binomial: an honest engine misses one in 10 000.
 */
#include "leak_core.h"
#include "leak_scan.h"
#include "leak_test.h"
#include "rng.h"
#include "rng_normal.h"

enum { BITS = 8, PROCESSES = 40, CALLS = 400, WARMUP = 100, SESSIONS = 150 };
static const double CONFIDENCE = .9, NOISE = 12, LEVELS = 3, SCATTER = 6, RARE = 16; /* ticks */

enum kind { SAME, NORMAL, LAYOUTS, OWN_LAYOUTS, SKEWED, EXPONENTIAL, QUARTER, KINDS };

struct world {
    const char *name;
    double truth; /* of bit 0, mean over processes; of the others 0 */
    double margin;
    bool early; /* holds from the first bounded interval on; else from the least number of processes for a word on */
    double
        times; /* as often as promised it may miss: 1, but where values are far from normal, as docs/how-it-works/leaks.md says */
};

static const struct world worlds[KINDS] = {
    [SAME] = {"all alike", 4, 3, true, 1},         [NORMAL] = {"normal", 0, 3, true, 1},
    [LAYOUTS] = {"two layouts", 0, 3, false, 1},   [OWN_LAYOUTS] = {"two for each bit", 0, 3, false, 1},
    [SKEWED] = {"skewed", 0, 3, false, 1},         [EXPONENTIAL] = {"exponential", 0, 3, false, 2},
    [QUARTER] = {"one in four", 4, 3.5, false, 1},
};

/* Mean 0, standard deviation 1, skewness 2 / sqrt shape. */
static double skewed(struct rng *r, int shape)
{
    double sum = 0;
    for (int i = 0; i < shape; i++)
        sum -= log(1 - rng_uniform(r));
    return (sum - shape) / sqrt(shape);
}

/* What each bit costs in a process. */
static void draw_effects(struct rng *r, enum kind kind, double *effect)
{
    const double layout = rng_below(r, 2) ? SCATTER : -SCATTER;
    for (int b = 0; b < BITS; b++)
        switch (kind) {
        case NORMAL:
            effect[b] = SCATTER * rng_normal(r);
            break;
        case LAYOUTS:
            effect[b] = b % 2 ? layout : -layout;
            break;
        case OWN_LAYOUTS:
            effect[b] = rng_below(r, 2) ? SCATTER : -SCATTER;
            break;
        case SKEWED:
        case EXPONENTIAL:
            effect[b] = SCATTER * skewed(r, kind == SKEWED ? 4 : 1);
            break;
        case QUARTER:
            effect[b] = b == 0 && rng_below(r, 4) == 0 ? RARE : 0;
            break;
        default:
            effect[b] = b == 0 ? worlds[kind].truth : 0;
        }
}

/* About the calls that were made. */
struct old {
    double n;
    struct leak_running of[BITS];
};

static void add_old(struct old *o, uint8_t secret, double t)
{
    o->n++;
    for (int b = 0; b < BITS; b++) {
        double x = 2 * (secret >> b & 1 ? t : -t), off = x - o->of[b].mean;
        o->of[b].mean += off / o->n;
        o->of[b].m2 += off * (x - o->of[b].mean);
    }
}

static bool old_misses(const struct old *o, const struct world *w, const struct leak_rule *rule)
{
    bool missed = false;
    for (int b = 0; b < BITS; b++) {
        struct tare_interval x =
            leak_running_interval(&o->of[b], (int64_t)o->n, rule->tight_blocks, (1 - CONFIDENCE) / (BITS + 1));
        double truth = b == 0 ? w->truth : 0;
        missed |= !(x.low <= truth && truth <= x.high);
    }
    return missed;
}

static bool misses(const struct leak_scan_reading *r, const struct leak_bit *bits, const struct world *w)
{
    double weight = w->truth / BITS; /* for one more bit set, whichever it is */
    bool missed = !(r->weight_ticks.low <= weight && weight <= r->weight_ticks.high);
    for (int b = 0; b < BITS; b++) {
        double truth = b == 0 ? w->truth : 0;
        missed |= !(bits[b].ticks.low <= truth && truth <= bits[b].ticks.high);
    }
    return missed;
}

struct session {
    bool old, any, later, wrong;
};

static void run_process(struct leak_scan *s, struct rng *r, enum kind kind, struct old *old, bool first)
{
    static uint8_t secret[WARMUP + CALLS];
    static uint32_t ticks[WARMUP + CALLS];
    const int n = CALLS + (first ? WARMUP : 0);
    double effect[BITS], level = 1000 + LEVELS * rng_normal(r);
    draw_effects(r, kind, effect);
    for (int i = 0; i < n; i++) {
        double t = level + NOISE * rng_normal(r) + rng_uniform(r); /* a clock that rounds at random keeps the mean */
        secret[i] = (uint8_t)rng_below(r, 256);
        for (int b = 0; b < BITS; b++)
            t += secret[i] >> b & 1 ? effect[b] : 0;
        ticks[i] = (uint32_t)t;
        if (!first || i >= WARMUP)
            add_old(old, secret[i], ticks[i] - 1000.);
    }
    leak_scan_calls(s, LEAK_MAIN, n, secret, ticks);
    leak_scan_round(s);
}

static struct session run_session(enum kind kind, uint64_t seed)
{
    const struct world *w = &worlds[kind];
    struct leak_rule rule = leak_rule_default(2);
    struct leak_scan *s;
    struct leak_bit bits[BITS];
    struct old old = {0};
    struct session out = {0};
    struct rng r = rng_seeded(seed);
    rule.confidence = CONFIDENCE;
    rule.margin_ticks = w->margin;
    rule.warmup_blocks = WARMUP;
    rule.selfchecks = false;
    assert_int_equal(leak_scan_create(BITS / 8, &rule, &s, NULL), TARE_OK);
    for (int p = 0; p < PROCESSES; p++) {
        struct leak_scan_reading reading;
        run_process(s, &r, kind, &old, p == 0);
        assert_true(leak_scan_read(s, &reading, bits));
        assert_int_equal(reading.processes, p + 1);
        const bool missed = misses(&reading, bits, w), bounded = reading.verdict == LEAK_NONE || reading.verdict == LEAK_SMALL,
                   larger = reading.why == LEAK_WHY_LARGER;
        out.old |= old_misses(&old, w, &rule);
        out.any |= missed;
        out.later |= missed && reading.processes >= leak_least_processes(CONFIDENCE);
        out.wrong |= w->truth > w->margin ? bounded : larger;
        assert_true((!bounded && !larger) || reading.processes >= leak_least_processes(CONFIDENCE));
    }
    leak_scan_destroy(s);
    return out;
}

static void sizes_of_bits_hold_the_mean_over_processes_at_every_look(void **state)
{
    (void)state;
    print_message("             sessions of %d with an interval that ever missed, %g promised: about the calls; over processes; "
                  "of these from %d "
                  "processes on; wrong words\n",
                  SESSIONS, (1 - CONFIDENCE) * SESSIONS, (int)leak_least_processes(CONFIDENCE));
    for (int kind = 0; kind < KINDS; kind++) {
        const struct world *w = &worlds[kind];
        int old = 0, any = 0, later = 0, wrong = 0;
        for (int i = 0; i < SESSIONS; i++) {
            struct session x = run_session((enum kind)kind, (uint64_t)(70000 + 1000 * kind + i));
            old += x.old;
            any += x.any;
            later += x.later;
            wrong += x.wrong;
        }
        print_message("             %-17s %4d %4d %4d %4d\n", w->name, old, any, later, wrong);
        assert_at_most(w->early ? "ever outside" : "ever outside, with enough processes", w->name, w->early ? any : later,
                       SESSIONS, w->times * (1 - CONFIDENCE));
        assert_at_most("ever a word that is wrong", w->name, wrong, SESSIONS, 1 - CONFIDENCE);
        assert_true(kind == SAME || old > SESSIONS / 4); /* what this is for */
    }
}

/* ---- what is missing ---- */

enum { LOOKS_MAX = 400 };

/* Calls that were said to do, half-way to the word, over those that did; NaN: no word. */
static double said_half_way(enum kind kind, double margin, uint64_t seed, int *processes)
{
    static double said[LOOKS_MAX];
    struct leak_rule rule = leak_rule_default(2);
    struct leak_scan *s;
    struct leak_scan_reading reading = {0};
    struct leak_bit bits[BITS];
    struct old old = {0};
    struct rng r = rng_seeded(seed);
    rule.margin_ticks = margin;
    rule.warmup_blocks = WARMUP;
    rule.selfchecks = false;
    assert_int_equal(leak_scan_create(BITS / 8, &rule, &s, NULL), TARE_OK);
    int n = 0;
    while (n < LOOKS_MAX && reading.verdict != LEAK_NONE && reading.verdict != LEAK_SMALL) {
        run_process(s, &r, kind, &old, n == 0);
        assert_true(leak_scan_read(s, &reading, bits));
        said[n++] = (double)reading.calls + reading.calls_needed;
    }
    leak_scan_destroy(s);
    *processes = n;
    return n < LOOKS_MAX ? said[n / 2] / (double)reading.calls : NAN;
}

static void what_is_said_to_be_missing_is_about_what_is(void **state)
{
    (void)state;
    enum { OUTLOOKS = 16 };
    static const struct {
        enum kind kind;
        double margin;
    } cases[] = {{SAME, 6}, {SAME, 5}, {NORMAL, 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double ratio[OUTLOOKS];
        int n = 0, least = LOOKS_MAX, most = 0;
        for (int i = 0; i < OUTLOOKS; i++) {
            int took;
            ratio[n] = said_half_way(cases[k].kind, cases[k].margin, (uint64_t)(90000 + 100 * k + i), &took);
            n += !isnan(ratio[n]);
            least = took < least ? took : least;
            most = took > most ? took : most;
        }
        assert_true(n >= OUTLOOKS / 2);
        tare_sort(ratio, n);
        double middle = tare_quantile_sorted(ratio, n, .5);
        print_message("             %s, margin %g: said half-way, over what it took: %.2f [%.2f, %.2f]; %d to %d processes\n",
                      worlds[cases[k].kind].name, cases[k].margin, middle, ratio[0], ratio[n - 1], least, most);
        assert_true(middle > .6 && middle < 1.7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_of_bits_hold_the_mean_over_processes_at_every_look),
                                       cmocka_unit_test(what_is_said_to_be_missing_is_about_what_is)};
    return cmocka_run_group_tests_name("sizes of a scan, simulated", tests, NULL, NULL);
}
