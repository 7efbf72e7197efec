/* SPDX-License-Identifier: MIT
 *
 * What a pass weighs, to the tick, on a clock that goes on by a step at each reading (points_steady.c): once what the rows say is taken off, an arc comes to
 * the readings that the program made in it, in each mode and order, and where there is no more room. So rows and passes take one way.
 */
#include "points_seen.h"
#include "points_world.h"
#include "trace_sums.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEP_NS = 7 };

/* The clock rounded down to whole steps of so many ns; so many readings later. */
struct rounding {
    int step, later;
};

static struct trace_sums *sums_rounded(const struct world *w, int times, struct rounding to)
{
    struct buf request = BUF_INIT(1 << 16);
    char number[16], step[16], later[16];
    snprintf(step, sizeof step, "%d", to.step);
    snprintf(later, sizeof later, "%d", to.later);
    snprintf(number, sizeof number, "%d", times);
    trace_request_write(&request, &w->request);
    pid_t child = fork();
    if (child == 0) {
        setenv(TRACE_VARIABLE, buf_text(&request), 1);
        setenv("STEADY_STEP", step, 1);
        setenv("STEADY_LATER", later, 1);
        execl(POINTS_STEADY, POINTS_STEADY, number, (char *)NULL);
        _exit(127);
    }
    buf_finish(&request);
    assert_int_equal(world_finish(child), 0);
    struct seen *s = seen_folder(w->folder);
    struct trace_sums *sums;
    struct trace_file *f;
    struct tare_err err = {{0}};
    assert_int_equal(s->n, 1);
    assert_int_equal(trace_sums_create(&sums, &(struct trace_sums_options){.workers = 1}, &err), TARE_OK);
    if (trace_file_open(&f, s->files[0].path, &err) || trace_sums_add(sums, f, &err) || trace_sums_finish(sums, &err))
        fail_msg("%s", err.text);
    trace_file_close(f);
    world_clean(w);
    seen_free(s);
    return sums;
}

static struct trace_sums *sums_of(const struct world *w, int times)
{
    return sums_rounded(w, times, (struct rounding){1, 0});
}

static double or_else(double weight, double otherwise)
{
    return isnan(weight) ? otherwise : weight;
}

/* Steps in a passage, what its probes weigh taken off. */
static double net(const struct trace_run *run, const struct trace_arc_sum *a)
{
    const double *of = run->weight.of, end = a->fast ? or_else(of[WEIGHED_FAST], run->weight.mean) : run->weight.mean;
    const double added = or_else(of[WEIGHED_ADDED], end), word = or_else(of[WEIGHED_WORD], run->weight.mean);
    const double weight = (double)(a->n - a->added) * end + (double)a->added * added + (double)a->words * word;
    return ((double)a->sum - weight) / (double)a->n / (STEP_NS * run->units_per_tick);
}

/* With four stamps passes with a value have one: half a reading of their neighbours' is in the arcs beside them. */
static bool one_stamp(const struct trace_sum_point *from, const struct trace_sum_point *to)
{
    return from->place.value || to->place.value;
}

static void check(struct world *w, int times, const char *what)
{
    struct trace_sums *s = sums_of(w, times);
    const struct trace_run *run = trace_sums_run(s);
    const struct trace_sum_point *points;
    const struct trace_arc_sum *arcs;
    const int n = trace_sums_arcs(s, &arcs);
    trace_sums_points(s, &points);
    int timed = 0;
    for (int i = 0; i < n; i++) {
        const char *name = points[arcs[i].to].place.name;
        if (!arcs[i].n || (run->order == TRACE_PRECISE && one_stamp(&points[arcs[i].from], &points[arcs[i].to])))
            continue;
        timed++;
        const double is = net(run, &arcs[i]), wanted = atof(strchr(name, ' '));
        if (!(fabs(is - wanted) < 1e-9))
            fail_msg("%s: %s to %s: %g steps instead of %g; a pass weighs %g, added up %g, a word %g", what,
                     points[arcs[i].from].place.name, name, is, wanted, run->weight.mean, run->weight.of[WEIGHED_ADDED],
                     run->weight.of[WEIGHED_WORD]);
        if (!(fabs(run->weight.bare[WEIGHED_POINT] - run->weight.mean) < 1e-9))
            fail_msg("%s: a pass in an empty arc weighs %g instead of %g", what, run->weight.bare[WEIGHED_POINT],
                     run->weight.mean);
    }
    if (timed < 8)
        fail_msg("%s: %d arcs have a time", what, timed);
    trace_sums_destroy(s);
}

static struct world *steady(void **state)
{
    struct world *w = *state;
    snprintf(w->request.clock, sizeof w->request.clock, "raw");
    return w;
}

static void passes_that_are_written_weigh_what_their_rows_say(void **state)
{
    struct world *w = steady(state);
    check(w, 2, "two times");
    check(w, 20000, "many segments");
}

static void in_each_order(void **state)
{
    struct world *w = steady(state);
    w->request.order = TRACE_FAST;
    check(w, 20000, "fast");
    w->request.order = TRACE_PRECISE;
    check(w, 20000, "precise");
}

static void and_added_up_or_in_bursts(void **state)
{
    struct world *w = steady(state);
    w->request.mode = TRACE_AGGREGATE;
    check(w, 20000, "aggregate");
    w->request.mode = TRACE_BURST;
    w->request.burst = 200;
    w->request.burst_gap = 500;
    check(w, 20000, "burst");
}

static void each_part_of_a_file_without_more_room_has_its_weight(void **state)
{
    struct world *w = steady(state);
    w->request.limit_bytes = 1 << 20;
    check(w, 20000, "degraded");
    w->request.order = TRACE_PRECISE;
    check(w, 20000, "degraded, precise");
}

/* ---- a clock in coarse steps ---- */

/* Each phase of the clock once: the mean over them is what a phase drawn for each run comes to. `off`: of all arcs, net steps less those that are true, by
 * the end's name; passages of an arc keep in step with the clock, so a single phase may be off by a whole step of it. */
enum { ENDS = 32 };
struct off {
    char name[32];
    double sum;
    int n;
};

static void add_off(struct off *all, const char *name, double off)
{
    int i = 0;
    while (i < ENDS - 1 && all[i].n && strcmp(all[i].name, name) != 0)
        i++;
    snprintf(all[i].name, sizeof all[i].name, "%s", name);
    all[i].sum += off;
    all[i].n++;
}

static void off_in_a_phase(const struct world *w, struct rounding to, struct off *all)
{
    enum { TIMES = 300 };
    struct trace_sums *s = sums_rounded(w, TIMES, to);
    const struct trace_run *run = trace_sums_run(s);
    const struct trace_sum_point *points;
    const struct trace_arc_sum *arcs;
    const int n = trace_sums_arcs(s, &arcs);
    trace_sums_points(s, &points);
    for (int i = 0; i < n; i++) {
        const char *name = points[arcs[i].to].place.name;
        const bool usual = arcs[i].n + arcs[i].backwards >= TIMES - 2 && !arcs[i].words;
        if (usual)
            add_off(all, name, STEP_NS * (net(run, &arcs[i]) - atof(strchr(name, ' '))));
    }
    trace_sums_destroy(s);
}

static void check_steps_of(const struct world *w, int step, const char *what)
{
    struct off all[ENDS] = {{.n = 0}};
    int ends = 0;
    for (int later = 1; later <= step; later++) /* STEP_NS and step have no divisor in common: all phases */
        off_in_a_phase(w, (struct rounding){step, later}, all);
    for (int i = 0; i < ENDS && all[i].n; i++, ends++)
        if (!(fabs(all[i].sum / all[i].n) < 0.03 * step))
            fail_msg("%s, a step of %d ns: %s is off by %.3f ns", what, step, all[i].name, all[i].sum / all[i].n);
    assert_true(ends >= 6);
}

/* Steps of 10 and 41 ns where a pass takes 7. Not with four stamps: their weight is 0 here, and a row cannot say that it is less in a phase. */
static void on_a_clock_in_coarse_steps_arcs_are_right_over_its_phases(void **state)
{
    struct world *w = steady(state);
    static const int steps[] = {10, 41};
    for (int i = 0; i < 2; i++) {
        w->request.mode = TRACE_TRACE;
        w->request.order = TRACE_ORDERED;
        check_steps_of(w, steps[i], "ordered");
        w->request.order = TRACE_FAST;
        check_steps_of(w, steps[i], "fast");
        w->request.order = TRACE_ORDERED;
        w->request.mode = TRACE_AGGREGATE;
        check_steps_of(w, steps[i], "aggregate");
    }
}

#define in_a_world(test) cmocka_unit_test_setup_teardown(test, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_a_world(passes_that_are_written_weigh_what_their_rows_say),
        in_a_world(in_each_order),
        in_a_world(and_added_up_or_in_bursts),
        in_a_world(each_part_of_a_file_without_more_room_has_its_weight),
        in_a_world(on_a_clock_in_coarse_steps_arcs_are_right_over_its_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
