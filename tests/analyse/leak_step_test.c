/* SPDX-License-Identifier: MIT
 *
 * The step of a clock, found in the times of a file.
 */
#include "leak_csv.h"
#include "leak_test.h"
#include "rng.h"
#include "rng_normal.h"

enum { MOST = 4000 };
static double times[MOST];
static struct leak_step_value scratch[MOST];

/* A drawn phase: the lower or the upper neighbour, so that the mean is the time. */
static double shown(struct rng *r, double time, double step)
{
    return floor(time / step + rng_uniform(r)) * step;
}

static double rounded(double x, double unit)
{
    return rint(x / unit) * unit;
}

struct file {
    const char *name;
    double step, offset, unit, spread; /* spread: sd of the times, in steps */
    double off;                        /* share of values that are off the lattice */
    double least, most;                /* what may be found */
};

static const struct file files[] = {
    {"1 ns", 1, 0, 1, 5, 0, 1, 1},
    {"10 ns", 10, 0, 1, 2, 0, 10, 10},
    {"10 ns, offset", 10, 3, 1, 2, 0, 10, 10},
    {"10 ns, few values", 10, 0, 1, .1, 0, 10, 10},
    {"1000 ns", 1000, 0, 1, .01, 0, 1000, 1000},
    {"0.1 us in ns with a decimal", 100, 0, .1, 3, 0, 100, 100},
    {"0.25 ns", .25, 0, .01, 9, 0, .25, .25},
    {"41.7 ns, a decimal", 41.7, 0, .1, 3, 0, 41.7, 41.7},
    {"41.666 ns in whole ns", 1000. / 24, 0, 1, 3, 0, 1000. / 24, 44},
    {"41.666 ns in whole ns, offset", 1000. / 24, 17, 1, 3, 0, 1000. / 24, 44},
    {"41.666 ns in 10^-6 ns", 1000. / 24, 0, 1e-6, 3, 0, 1000. / 24, 41.8},
    {"7.027 ns in whole ns", 26 / 3.7, 0, 1, 4, 0, 7, 9},
    {"2.5 ns in whole ns", 2.5, 0, 1, 6, 0, 2.5, 4},
    {"10 ns, 1 % off", 10, 0, 1, 2, .01, 10, 10},
    {"1000 ns, 1 % off", 1000, 0, 1, .2, .01, 1000, 1000},
    {"no step, two decimals", .01, 0, .01, 300, 0, .01, .05},
    {"no step, six decimals", 1e-6, 0, 1e-6, 3e6, 0, 1e-6, 1e-5},
};

static void the_step_is_found(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            const struct file *x = &files[f];
            struct rng r = rng_seeded(seed * 1000 + f);
            int n = seed % 2 ? MOST : 800;
            double level = (3 + 20 * rng_uniform(&r)) * x->step + 100 * x->step * (seed % 3 == 0);
            for (int i = 0; i < n; i++) {
                double t = level + x->spread * x->step * rng_normal(&r);
                times[i] = rounded(fmax(0, shown(&r, t, x->step)) + x->offset, x->unit);
                if (rng_uniform(&r) < x->off)
                    times[i] = rounded(level * (1 + rng_uniform(&r)), x->unit);
            }
            double found = leak_step_of(times, n, x->unit, scratch);
            if (!(found >= x->least * (1 - 1e-9) && found <= x->most * (1 + 1e-9))) {
                print_error("%s, seed %d, n %d: found %g, wanted %g to %g\n", x->name, (int)seed, n, found, x->least, x->most);
                fail();
            }
        }
}

static void two_values_are_a_step_apart_and_one_has_none(void **state)
{
    (void)state;
    double two[] = {5, 5, 5, 5, 8, 5, 5}, one[] = {5, 5, 5};
    assert_near("two values", leak_step_of(two, 7, 1, scratch), 3, 0);
    assert_true(isnan(leak_step_of(one, 3, 1, scratch)));
    assert_true(isnan(leak_step_of(one, 1, 1, scratch)));
    assert_true(isnan(leak_step_of(one, 0, 1, scratch)));
    double huge[] = {0, 1e18, 3e18, 1e18};
    assert_near("beyond whole units", leak_step_of(huge, 4, 1e-6, scratch), 1e18, 1e-4);
}

/* 41.67 ns in whole ns are 83 or 84 by their phase, and a frequency that varies by 10^-5 makes five values of one: which step is behind them nobody can tell. */
static void values_that_rounding_makes_of_one_reading_have_no_step_of_their_own(void **state)
{
    (void)state;
    double rounded_ns[] = {83, 84, 83, 84, 83, 83, 84}, varying[] = {89.998, 89.999, 90, 90.001, 90.002, 90, 90, 89.999};
    assert_near("rounded", leak_step_of(rounded_ns, 7, 1, scratch), 83, 0);
    assert_near("varying", leak_step_of(varying, 8, .001, scratch), 89.998, 0);
    double apart[] = {83, 86, 83, 86, 84, 85};
    assert_near("further apart", leak_step_of(apart, 6, 1, scratch), 1, 0);
}

/* Paths of different length on a fine clock are no steps: what lies between is there. */
static void modes_of_a_fine_clock_are_no_steps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct rng r = rng_seeded(seed);
        for (int i = 0; i < MOST; i++)
            times[i] = rint((rng_below(&r, 2) ? 100 : 200) + 3 * rng_normal(&r));
        assert_near("two modes", leak_step_of(times, MOST, 1, scratch), 1, 0);
    }
}

/* Of a long file some calls are looked at: of labels that alternate both, though one has the decimals. */
static void labels_that_alternate_are_both_seen(void **state)
{
    (void)state;
    enum { BLOCKS = 40000 };
    struct buf text = BUF_INIT(1 << 24);
    struct leak_csv csv;
    for (int i = 0; i < BLOCKS; i++)
        buf_format(&text, "a,%d\nb,%d.5\n", 100 + i % 7, 100 + i % 7);
    assert_int_equal(leak_csv_read(&csv, buf_text(&text), text.len, 1, NULL), TARE_OK);
    assert_near("ticks a ns", csv.scale, 10, 0);
    leak_csv_finish(&csv);
    buf_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_is_found),
        cmocka_unit_test(two_values_are_a_step_apart_and_one_has_none),
        cmocka_unit_test(values_that_rounding_makes_of_one_reading_have_no_step_of_their_own),
        cmocka_unit_test(modes_of_a_fine_clock_are_no_steps),
        cmocka_unit_test(labels_that_alternate_are_both_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
