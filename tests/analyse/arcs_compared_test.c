/* SPDX-License-Identifier: MIT
 * Which points of two builds are the same, and the words on their arcs, in one session and in two. */
#include "analyse_stored.h"
#include "arcs_record.h"
#include "rng.h"
#include "rng_normal.h"
#include <math.h>
#include <string.h>
#include <tare/stats.h>

/* ---- points of two builds ---- */

static void points_are_matched_by_name_or_by_order_in_their_function(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int a[] = {point(&r, 0, 10, "f", ""), point(&r, 0, 20, "f", ""), point(&r, 0, 30, "g", "load"), point(&r, 0, 40, "h", "")};
    int b[] = {point(&r, 1, 13, "f", ""), point(&r, 1, 29, "f", ""), point(&r, 1, 99, "k", "load"), point(&r, 1, 50, "i", "")};
    int of[8];
    assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(of[b[i]], a[i]);
    assert_int_equal(of[b[3]], -1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(of[a[i]], -1);
    record_finish(&r);
}

static int point_of_line(struct record *r, int subject, int line, int ordinal, const char *name)
{
    return record_add_point(r, &(struct point){.subject = subject,
                                               .file = subject ? "new/a.c" : "old/a.c",
                                               .func = "f",
                                               .name = name,
                                               .line = line,
                                               .ordinal = ordinal,
                                               .partner = -1});
}

static void points_of_one_line_are_matched_by_their_order_on_it(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int a[] = {point_of_line(&r, 0, 10, 0, ""), point_of_line(&r, 0, 10, 1, ""), point_of_line(&r, 0, 10, 2, "")};
    int b[] = {point_of_line(&r, 1, 12, 2, ""), point_of_line(&r, 1, 12, 0, ""), point_of_line(&r, 1, 12, 1, "")};
    int of[6];
    assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
    assert_int_equal(of[b[1]], a[0]);
    assert_int_equal(of[b[2]], a[1]);
    assert_int_equal(of[b[0]], a[2]);
    record_finish(&r);
}

/* By their order a point would be matched with another one: the new one stands before it. */
static void where_one_build_has_more_points_those_of_one_place_are_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"", "load"};
    for (int i = 0; i < 2; i++) {
        struct record r;
        begin(&r, 2);
        int a[] = {point_of_line(&r, 0, 10, 0, names[i]), point_of_line(&r, 0, 20, 1, names[i])};
        int b[] = {point_of_line(&r, 1, 9, 0, names[i]), point_of_line(&r, 1, 10, 0, names[i]),
                   point_of_line(&r, 1, 20, 0, names[i]), point_of_line(&r, 1, 20, 1, names[i])};
        int of[6];
        assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
        assert_int_equal(of[b[0]], -1);
        assert_int_equal(of[b[1]], a[0]);
        assert_int_equal(of[b[2]], -1);
        assert_int_equal(of[b[3]], a[1]);
        record_finish(&r);
    }
}

/* A new point before others takes the line of the one that it pushes down, and the others' lines may be taken in turn. */
static void points_whose_lines_may_have_moved_are_no_partners(void **state)
{
    (void)state;
    static const struct {
        int before[4], after[4]; /* lines; 0: the end */
    } cases[] = {{{10, 20}, {10, 11, 21}}, {{10, 11, 12}, {10, 11, 12, 13}}, {{10, 11, 12}, {10, 11}}, {{10}, {10, 11}}};
    static const char *const names[] = {"", "load"};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct record r;
        int of[8], n = 0;
        begin(&r, 2);
        for (const int *line = cases[i / 2].before; line < cases[i / 2].before + 4 && *line; line++)
            n = 1 + point_of_line(&r, 0, *line, 0, names[i % 2]);
        for (const int *line = cases[i / 2].after; line < cases[i / 2].after + 4 && *line; line++)
            n = 1 + point_of_line(&r, 1, *line, 0, names[i % 2]);
        assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
        for (int k = 0; k < n; k++)
            if (of[k] >= 0)
                fail_msg("case %zu: point %d has partner %d", i, k, of[k]);
        record_finish(&r);
    }
}

static void points_of_one_name_go_by_their_function_where_one_build_has_more(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int a[] = {point(&r, 0, 10, "f", "load"), point(&r, 0, 20, "g", "load")};
    int b[] = {point(&r, 1, 12, "f", "load"), point(&r, 1, 22, "g", "load"), point(&r, 1, 23, "g", "load"),
               point(&r, 1, 30, "h", "load")};
    int of[6];
    assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
    assert_int_equal(of[b[0]], a[0]);
    for (int i = 1; i < 4; i++)
        assert_int_equal(of[b[i]], -1);
    record_finish(&r);
}

static int point_of_file(struct record *r, int subject, const char *file, int line)
{
    return record_add_point(
        r, &(struct point){.subject = subject, .file = file, .func = "init", .name = "", .line = line, .partner = -1});
}

/* Files of one name in several folders, of which the lines cross. */
static void files_of_one_name_are_matched_by_their_folders(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int a[] = {point_of_file(&r, 0, "/t/1/net/init.c", 10), point_of_file(&r, 0, "/t/1/disk/init.c", 20),
               point_of_file(&r, 0, "/t/1/main.c", 5), point_of_file(&r, 0, "/t/1/init.c", 7)};
    int b[] = {point_of_file(&r, 1, "/t/2/net/init.c", 30), point_of_file(&r, 1, "/t/2/disk/init.c", 20),
               point_of_file(&r, 1, "/t/2/src/main.c", 6), point_of_file(&r, 1, "/t/2/init.c", 1)};
    int of[8];
    assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(of[b[i]], a[i]);
    record_finish(&r);
}

/* One build has another file of the name: of the one that both have the points are known, and where it could be either, none is. */
static void a_further_file_of_one_name_has_no_partner(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int a = point_of_file(&r, 0, "/t/1/net/init.c", 10), either = point_of_file(&r, 0, "/t/1/x.c", 1);
    int b[] = {point_of_file(&r, 1, "/t/2/disk/init.c", 10), point_of_file(&r, 1, "/t/2/net/init.c", 12),
               point_of_file(&r, 1, "/t/2/p/x.c", 1), point_of_file(&r, 1, "/t/2/q/x.c", 1)};
    int of[6];
    assert_int_equal(arc_matches(&r, 0, 1, of), TARE_OK);
    assert_int_equal(of[b[0]], -1);
    assert_int_equal(of[b[1]], a);
    assert_int_equal(of[b[2]], -1);
    assert_int_equal(of[b[3]], -1);
    assert_int_equal(of[either], -1);
    record_finish(&r);
}

static void two_builds_are_compared_arc_by_arc(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int p[2][3];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++)
            p[s][i] = point(&r, s, 10 * i + s, "f", "");
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++) {
            int at = run(&r, s, i, 1, 40);
            passed(&r, at, p[s][0], p[s][1], 100, 2000 + i * 5 % 12);
            passed(&r, at, p[s][1], p[s][2], 100, (s ? 1200 : 1000) + i * 5 % 12);
        }
    analyse(&r, 12);
    int same = 0, slower = 0;
    for (int i = 0; i < r.n_comparisons; i++) {
        const struct comparison *c = &r.comparisons[i];
        if (!c->arc)
            continue;
        const struct arc_result *own = &r.traced->results[c->arc - 1], *other = &r.traced->results[c->reference_arc - 1];
        assert_int_equal(own->subject, 1);
        assert_int_equal(other->subject, 0);
        assert_int_equal(c->rounds, 12);
        if (own->from == p[1][0]) {
            assert_int_equal(c->verdict, VERDICT_SAME);
            same++;
        } else {
            assert_int_equal(c->verdict, VERDICT_SLOWER);
            assert_true(c->shift > log(1.2) && c->shift < log(1.23)); /* the probe is no part of either */
            slower++;
        }
    }
    assert_int_equal(same, 1);
    assert_int_equal(slower, 1);
    record_finish(&r);
}

/* 20 ns more, of which 30 may be what the work of one hides of the probe and that of the other does not. */
static void a_difference_within_the_loose_part_of_the_probe_has_no_word(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int p[2][3];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++)
            p[s][i] = point(&r, s, 10 * i + s, "f", "");
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++) {
            int at = run(&r, s, i, 1, 40);
            r.traced->runs[at].loose = 60;
            passed(&r, at, p[s][0], p[s][1], 100, (s ? 240 : 200) + i * 5 % 12);
            passed(&r, at, p[s][1], p[s][2], 100, (s ? 280 : 200) + i * 5 % 12);
        }
    analyse(&r, 12);
    int seen = 0;
    for (int i = 0; i < r.n_comparisons; i++) {
        const struct comparison *c = &r.comparisons[i];
        if (!c->arc)
            continue;
        bool within = r.traced->results[c->arc - 1].from == p[1][0];
        assert_true(c->shift > 0);
        assert_int_equal(c->low > 0, !within); /* by the pairs alone both are slower */
        assert_int_equal(c->verdict, within ? VERDICT_UNDECIDED : VERDICT_SLOWER);
        assert_int_equal(c->better, within ? -1 : 0);
        assert_int_equal(c->sign_proven, !within);
        seen++;
    }
    assert_int_equal(seen, 2);
    record_finish(&r);
}

/* Two builds whose arc takes 80 ns, some more each round, with a loose part of the probe of 4 ns; the same arguments where `arguments` are. */
static const struct comparison *alike(struct record *r, double margin, bool one_file, const char *const arguments[2])
{
    static const char *const columns[] = {"wall"}, *const keys[] = {"program_1_fnv1a64", "program_2_fnv1a64"};
    record_init(r);
    assert_int_equal(record_add_arc_metric(r), TARE_OK);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    for (int s = 0; s < 2; s++) {
        const char *words[] = {s ? "./new" : "./old", arguments[s], NULL};
        struct subject program = {.kind = SUBJECT_TRACE, .name = words[0], .command = words[0], .argv = words};
        assert_int_equal(record_add_subject(r, &program, columns, 1), s);
        assert_int_equal(facts_add_text(r, &r->build, keys[s], s && !one_file ? "0123456789abcdef" : "fedcba9876543210"),
                         TARE_OK);
    }
    r->rule = (struct rule){.metric = "wall", .confidence = .95, .margin = margin, .interleaved = true, .fail_if_slower = NAN};
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++) {
            int at = run(r, s, i, 1, 40), from = point(r, s, 1, "f", ""), to = point(r, s, 2, "f", "");
            r->traced->runs[at].loose = 8;
            passed(r, at, from, to, 1000, 200 + i);
        }
    analyse(r, 12);
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].arc)
            return &r->comparisons[i];
    fail_msg("no comparison of the arc");
    return NULL;
}

static void two_means_are_the_same_only_where_the_margin_holds_the_loose_part_or_it_cancels(void **state)
{
    (void)state;
    static const char *const one[] = {"10", "10"}, *const two[] = {"10", "20"};
    static const struct {
        double margin;
        bool one_file;
        const char *const *arguments;
        enum verdict word;
    } cases[] = {
        {.01, false, one, VERDICT_UNDECIDED}, {.04, false, one, VERDICT_UNDECIDED}, {.06, false, one, VERDICT_SAME},
        {.01, true, one, VERDICT_SAME},       {.01, true, two, VERDICT_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r;
        const struct comparison *c = alike(&r, cases[i].margin, cases[i].one_file, cases[i].arguments);
        const bool cancels = cases[i].one_file && cases[i].arguments == one;
        if (c->verdict != cases[i].word)
            fail_msg("case %zu: the word is %s, not %s", i, verdict_name(c->verdict), verdict_name(cases[i].word));
        assert_close(c->shift, 0);
        const double mean = r.traced->results[c->arc - 1].mean_ns;
        assert_close(c->low, cancels ? 0 : log1p(-4 / mean));
        assert_close(c->high, cancels ? 0 : -log1p(-4 / mean));
        assert_true(cases[i].word == VERDICT_UNDECIDED ? isinf(c->rounds_needed) : isnan(c->rounds_needed));
        if (cases[i].word == VERDICT_UNDECIDED)
            assert_string_equal(c->reason, "the overlap bias of the probe is larger than the margin");
        record_finish(&r);
    }
}

static void one_program_whose_probe_was_not_weighed_has_no_word(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int p[2][2];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2; i++)
            p[s][i] = point(&r, s, 10 * i, "f", "");
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++)
            passed(&r, run(&r, s, i, 1, s ? NAN : 40), p[s][0], p[s][1], 100, 200 + i);
    analyse(&r, 12);
    int seen = 0;
    for (int i = 0; i < r.n_comparisons; i++) {
        if (!r.comparisons[i].arc)
            continue;
        seen++;
        assert_int_equal(r.comparisons[i].verdict, VERDICT_UNDECIDED);
        assert_int_equal(r.comparisons[i].better, -1);
        assert_non_null(r.comparisons[i].reason);
    }
    assert_int_equal(seen, 1);
    record_finish(&r);
}

/* ---- clocks that cannot be believed ---- */

/* One arc of both programs in twelve rounds, the second 1.5 times as slow. */
static void twelve_rounds(struct record *r, int *last_run, int *last_arc)
{
    begin(r, 2);
    int p[2][2];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2; i++)
            p[s][i] = point(r, s, 10 * i, "f", "");
    for (int i = 0; i < 12; i++)
        for (int s = 0; s < 2; s++) {
            *last_run = run(r, s, i, 1, 40);
            passed(r, *last_run, p[s][0], p[s][1], 1000, (s ? 3000 : 2000) + i);
            *last_arc = r->traced->n_arcs - 1;
        }
}

static const struct comparison *of_the_arc(const struct record *r)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].arc)
            return &r->comparisons[i];
    fail_msg("no arc was compared");
    return NULL;
}

static void a_run_whose_counter_left_the_system_clock_decides_nothing(void **state)
{
    (void)state;
    struct record r;
    int last, arc;
    twelve_rounds(&r, &last, &arc);
    analyse(&r, 12);
    assert_int_equal(of_the_arc(&r)->verdict, VERDICT_SLOWER);
    r.traced->runs[last].jumps = 1;
    r.traced->runs[last].jump_ns = 1e6;
    analyse(&r, 12);
    assert_int_equal(of_the_arc(&r)->verdict, VERDICT_INVALID);
    assert_string_equal(of_the_arc(&r)->reason, "the counter and the system clock diverged in 1 run");
    record_finish(&r);
}

static void an_arc_in_which_the_clock_went_back_decides_nothing(void **state)
{
    (void)state;
    static const struct {
        uint64_t back;
        enum verdict verdict;
    } all[] = {{3, VERDICT_SLOWER}, {300, VERDICT_INVALID}}; /* of some 12 000 traversals */
    for (int k = 0; k < 2; k++) {
        struct record r;
        int last, arc;
        twelve_rounds(&r, &last, &arc);
        r.traced->arcs[arc].backwards = all[k].back;
        r.traced->arcs[arc].passes += all[k].back;
        analyse(&r, 12);
        assert_int_equal(of_the_arc(&r)->verdict, all[k].verdict);
        if (k)
            assert_string_equal(of_the_arc(&r)->reason, "the clock ran backwards in 300 of 12300 traversals of all arcs");
        record_finish(&r);
    }
}

/* Each reading is the same as the one before it, in both programs and in the rows that measure the probe: a clock in steps of 1 ms. */
static void arcs_that_a_coarse_clock_reads_as_nothing_are_undecided(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int of_a[] = {point(&r, 0, 1, "f", ""), point(&r, 0, 2, "f", "")},
        of_b[] = {point(&r, 1, 1, "f", ""), point(&r, 1, 2, "f", "")};
    for (int round = 0; round < 12; round++)
        for (int subject = 0; subject < 2; subject++) {
            int at = run(&r, subject, round, 1, 0);
            r.traced->runs[at].step = 2e6; /* half nanoseconds */
            passed(&r, at, subject ? of_b[0] : of_a[0], subject ? of_b[1] : of_a[1], 100, 0);
        }
    analyse(&r, 12);
    assert_int_equal(of_the_arc(&r)->verdict, VERDICT_UNDECIDED);
    assert_string_equal(of_the_arc(&r)->reason, "a mean is below the resolution of the probe");
    record_finish(&r);
}

/* 40 and 42 ns by a clock in steps of 20, whose phase is drawn for each run: all of the first read 40, and of the second two in twenty 60. By ranks nothing
 * differs; the means do, by 2 ns. */
static void what_a_coarse_clock_rounds_away_is_not_the_same(void **state)
{
    (void)state;
    struct record r;
    begin(&r, 2);
    int p[2][2];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2; i++)
            p[s][i] = point(&r, s, 10 * i, "f", "");
    for (int i = 0; i < 20; i++)
        for (int s = 0; s < 2; s++) {
            const int at = run(&r, s, i, 1, 0);
            r.traced->runs[at].step = 40; /* half nanoseconds */
            passed(&r, at, p[s][0], p[s][1], 1, s && i % 10 == 2 ? 120 : 80);
        }
    analyse(&r, 20);
    const struct comparison *c = of_the_arc(&r);
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    assert_true(c->low < 0 && c->high > log(1.05));
    assert_string_equal(c->reason, "the clock moves in steps that are too coarse for these means");
    record_finish(&r);
}

/* ---- two sessions ---- */

static void session_of_one_arc(struct record *r, double mean, double error, double df)
{
    begin(r, 1);
    int a = point(r, 0, 1, "f", ""), b = point(r, 0, 2, "f", "");
    for (int i = 0; i < 3; i++)
        passed(r, run(r, 0, i, 1, 40), a, b, 10, 200);
    struct arc_result x;
    arc_result_init(&x, 0, a, b);
    x.runs = x.runs_passed = 3;
    x.mean_ns = mean;
    x.mean_error_ns = error;
    x.mean_df = df;
    x.level = .05;
    x.low_ns = mean - 1; /* what a reader of older files would go by */
    x.high_ns = mean + 1;
    x.passes = x.n = 30;
    assert_true(record_add_arc_result(r, &x) >= 0);
}

/* By numerical integration of Student's density, t(.975, 19.3417) = 2.0905239894, and the roots q of (230 - 200 q)^2 = t^2 (5^2 + 4^2 q^2). */
static void stored_sessions_are_compared_by_each_mean_s_own_error_and_freedom(void **state)
{
    (void)state;
    struct record old, new, out;
    session_of_one_arc(&old, 200, 4, 7.3);
    session_of_one_arc(&new, 230, 5, 12.8);
    record_init(&out);
    const struct stored_question q = {
        .confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}, .assume_no_drift = true};
    assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
    assert_int_equal(out.n_comparisons, 1);
    const struct comparison *c = &out.comparisons[0];
    assert_close(c->shift, 0.13976194237515863);
    assert_close(c->low, 0.07780038679000712);
    assert_close(c->high, 0.20140565344091652);
    if (fabs(c->p - 0.00015431055270157272) > 1e-12)
        fail_msg("p is %.17g, not 0.00015431055270157272", c->p);
    assert_int_equal(c->verdict, VERDICT_SLOWER);
    record_finish(&old);
    record_finish(&new);
    record_finish(&out);
}

/* 230 ns against 200: the low end of the ratio is 1.0809, so that a loose part of 17.22 ns takes the word. */
static enum verdict word_on_stored_with(double loose, double error, bool below, double new_probe)
{
    struct record old, new, out;
    session_of_one_arc(&old, 200, 4, 7.3);
    session_of_one_arc(&new, 230, 5, 12.8);
    for (int i = 0; i < 2; i++) {
        (i ? &new : &old)->traced->results[0].loose_ns = loose;
        (i ? &new : &old)->traced->results[0].loose_error_ns = error;
    }
    new.traced->results[0].below_resolution = below;
    old.traced->results[0].probe_ns = 20;
    new.traced->results[0].probe_ns = new_probe;
    record_init(&out);
    const struct stored_question q = {
        .confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}, .assume_no_drift = true};
    assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
    assert_int_equal(out.n_comparisons, 1);
    enum verdict word = out.comparisons[0].verdict;
    assert_int_equal(isfinite(out.comparisons[0].low) != 0, !below && !isnan(new_probe)); /* a gate would go by it */
    assert_int_equal(isnan(out.comparisons[0].shift) != 0, below);
    record_finish(&old);
    record_finish(&new);
    record_finish(&out);
    return word;
}

static enum verdict word_on_stored(double loose, double error, bool below)
{
    return word_on_stored_with(loose, error, below, 20);
}

static void stored_means_have_no_word_where_one_alone_has_the_probe_in_it(void **state)
{
    (void)state;
    assert_int_equal(word_on_stored_with(0, 0, false, 20), VERDICT_SLOWER);
    assert_int_equal(word_on_stored_with(0, 0, false, NAN), VERDICT_UNDECIDED);
}

static void stored_means_have_no_word_below_resolution_or_within_the_loose_part(void **state)
{
    (void)state;
    assert_int_equal(word_on_stored(17, 0, false), VERDICT_SLOWER);
    assert_int_equal(word_on_stored(18, 0, false), VERDICT_UNDECIDED);
    assert_int_equal(word_on_stored(17, 1, false), VERDICT_UNDECIDED); /* 4.3 standard errors of it more, as three runs know it */
    assert_int_equal(word_on_stored(0, 0, true), VERDICT_UNDECIDED);
}

static void without_error_and_freedom_they_are_compared_by_the_interval(void **state)
{
    (void)state;
    struct record old, new, out;
    session_of_one_arc(&old, 200, NAN, NAN);
    session_of_one_arc(&new, 230, NAN, NAN);
    record_init(&out);
    const struct stored_question q = {.confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}};
    assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
    const struct comparison *c = &out.comparisons[0];
    const double t = tare_student_quantile(.975, 2), u = 1 / t / 200, v = 1 / t / 230, both = hypot(u, v);
    const double freedom = pow(both, 4) / (pow(u, 4) / 2 + pow(v, 4) / 2);
    const double a = pow(tare_student_quantile(.975, freedom) / t,
                         2); /* of a mean's error, which is 1 / t: q from (230 - 200 q)^2 = a (1 + q^2) */
    assert_close(c->high,
                 log((230. * 200 + sqrt(230. * 230 * 200 * 200 - (200. * 200 - a) * (230. * 230 - a))) / (200. * 200 - a)));
    assert_int_equal(c->verdict, VERDICT_UNDECIDED);
    record_finish(&old);
    record_finish(&new);
    record_finish(&out);
}

/* Its standard error is nearly itself, as where a few runs were interrupted for long: what it is a multiple of is not known. */
static void a_mean_whose_interval_reaches_zero_has_no_ratio(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        struct record old, new, out;
        session_of_one_arc(turned ? &new : &old, 7, 1, 7);
        session_of_one_arc(turned ? &old : &new, 10000, 9700, 7);
        record_init(&out);
        const struct stored_question q = {
            .confidence = .95, .margin = .01, .fail_if_slower = NAN, .names = {"old", "new"}, .assume_no_drift = true};
        assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
        assert_int_equal(out.comparisons[0].verdict, VERDICT_UNDECIDED);
        assert_true(isinf(out.comparisons[0].low) && isinf(out.comparisons[0].high));
        assert_non_null(out.comparisons[0].reason);
        record_finish(&old);
        record_finish(&new);
        record_finish(&out);
    }
}

/* 40 runs of one arc, whose mean is 500 ns times what the machine is like in that run: AR(1) of standard deviation 1 %. */
static void session_with_lasting_noise(struct record *r, struct rng *rng, double phi)
{
    begin(r, 1);
    const int a = point(r, 0, 10, "f", ""), b = point(r, 0, 20, "f", "");
    double state = rng_normal(rng);
    for (int i = 0; i < 40; i++) {
        passed(r, run(r, 0, i, 1, 40), a, b, 10, 40 + (int64_t)lrint(1000 * exp(.01 * state)));
        state = phi * state + sqrt(1 - phi * phi) * rng_normal(rng);
    }
    analyse(r, 40);
}

/* Of 400 pairs of sessions of one program. */
static int false_changes(double phi, int *widened)
{
    int n = 0;
    *widened = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct rng rng = rng_seeded(seed);
        struct record old, new, out;
        session_with_lasting_noise(&old, &rng, phi);
        session_with_lasting_noise(&new, &rng, phi);
        record_init(&out);
        const struct stored_question q = {
            .confidence = .95, .margin = 1e-9, .fail_if_slower = NAN, .names = {"old", "new"}, .assume_no_drift = true};
        assert_int_equal(analyse_stored(&out, &old, &new, &q, NULL), TARE_OK);
        const struct comparison *c = &out.comparisons[0];
        assert_true(c->widened > 0 ? c->effective_rounds < c->rounds : c->effective_rounds == 0);
        n += c->sign_proven;
        *widened += c->widened > 1;
        record_finish(&old);
        record_finish(&new);
        record_finish(&out);
    }
    return n;
}

/* As of commands (stored.c): independent runs pay in 1 session of 10, and noise that lasts gives a false change seldom, where it was 185 of 400 pairs. */
static void runs_that_are_like_their_neighbours_widen_the_interval_of_an_arc(void **state)
{
    (void)state;
    int widened;
    const int independent = false_changes(0, &widened);
    print_message("             false changes of 400: %d, %d widened, of independent runs; ", independent, widened);
    assert_in_range(independent, 0, 34); /* of 20, passed once in a thousand times */
    assert_in_range(widened, 0, 60);
    const int lasting = false_changes(.7, &widened);
    print_message("%d, %d widened, of AR(1) with 0.7\n", lasting, widened);
    assert_in_range(lasting, 0, 48);
    assert_in_range(widened, 360, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_matched_by_name_or_by_order_in_their_function),
        cmocka_unit_test(points_of_one_line_are_matched_by_their_order_on_it),
        cmocka_unit_test(where_one_build_has_more_points_those_of_one_place_are_the_same),
        cmocka_unit_test(points_whose_lines_may_have_moved_are_no_partners),
        cmocka_unit_test(points_of_one_name_go_by_their_function_where_one_build_has_more),
        cmocka_unit_test(files_of_one_name_are_matched_by_their_folders),
        cmocka_unit_test(a_further_file_of_one_name_has_no_partner),
        cmocka_unit_test(two_builds_are_compared_arc_by_arc),
        cmocka_unit_test(a_difference_within_the_loose_part_of_the_probe_has_no_word),
        cmocka_unit_test(two_means_are_the_same_only_where_the_margin_holds_the_loose_part_or_it_cancels),
        cmocka_unit_test(one_program_whose_probe_was_not_weighed_has_no_word),
        cmocka_unit_test(a_run_whose_counter_left_the_system_clock_decides_nothing),
        cmocka_unit_test(an_arc_in_which_the_clock_went_back_decides_nothing),
        cmocka_unit_test(arcs_that_a_coarse_clock_reads_as_nothing_are_undecided),
        cmocka_unit_test(what_a_coarse_clock_rounds_away_is_not_the_same),
        cmocka_unit_test(stored_means_have_no_word_where_one_alone_has_the_probe_in_it),
        cmocka_unit_test(stored_means_have_no_word_below_resolution_or_within_the_loose_part),
        cmocka_unit_test(stored_sessions_are_compared_by_each_mean_s_own_error_and_freedom),
        cmocka_unit_test(without_error_and_freedom_they_are_compared_by_the_interval),
        cmocka_unit_test(a_mean_whose_interval_reaches_zero_has_no_ratio),
        cmocka_unit_test(runs_that_are_like_their_neighbours_widen_the_interval_of_an_arc),
    };
    return cmocka_run_group_tests_name("arcs compared", tests, NULL, NULL);
}
