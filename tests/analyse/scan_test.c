/* SPDX-License-Identifier: MIT
 *
 * How a metric grows with a parameter: the lines that a record holds, the functions of a round against known values, the estimates.
 */
#include "scan_fit.h"
#include "scan_lines.h"
#include "tabled_record.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- records of scans ---- */

struct given {
    const char *name;
    struct parameter parameters[2];
    int n_parameters;
};

/* Commands with these parameters; round i of command j takes times[j * rounds + i]. */
static void scanned(struct record *r, const struct given *commands, int n, int rounds, const double *times)
{
    static const char *const columns[] = {"wall", "exit", "wall:step"};
    record_init(r);
    assert_true(record_add_metric(r, metric_builtin_find("wall")) >= 0);
    for (int j = 0; j < n; j++) {
        const struct subject s = {.name = commands[j].name,
                                  .command = commands[j].name,
                                  .parameters = commands[j].parameters,
                                  .n_parameters = commands[j].n_parameters};
        assert_true(record_add_subject(r, &s, columns, 3) >= 0);
        for (int i = 0; i < rounds; i++) {
            const double values[] = {times[j * rounds + i], 0, NAN};
            const struct row row = {.round = i, .slot = (j + i) % n, .values = values};
            assert_int_equal(record_append_row(r, j, &row), TARE_OK);
        }
    }
    r->rounds = rounds;
    r->rule = (struct rule){.metric = "wall",
                            .confidence = 0.95,
                            .margin = 0.01,
                            .n_looks = 1,
                            .look_at = {rounds},
                            .look_level = {0.05 / (n > 1 ? n - 1 : 1)},
                            .interleaved = true,
                            .fail_if_slower = NAN};
}

static const struct estimate *of(const struct record *r, int subject, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, "wall", statistic);
    if (!e)
        fail_msg("no %s of command %d", statistic, subject);
    return e;
}

static void analysed(struct record *r)
{
    const struct look look = {.number = 1, .rounds = r->rounds, .level = r->rule.look_level[0]};
    tabled_analyse(r, &look);
}

static void assert_line(const struct scan_line *line, const char *parameter, int n, const int *subjects)
{
    assert_string_equal(line->parameter, parameter);
    assert_int_equal(line->n, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(line->subjects[i], subjects[i]);
}

/* ---- lines ---- */

static void commands_that_differ_in_one_number_are_one_line_by_rising_value(void **state)
{
    (void)state;
    const struct given commands[] = {{"f 10", {{"n", "10"}}, 1}, {"f 2", {{"n", "2"}}, 1}, {"f 1e2", {{"n", "1e2"}}, 1}};
    const double times[] = {1, 1, 1};
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, commands, 3, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 1);
    assert_line(&lines[0], "n", 3, (const int[]){1, 0, 2});
    assert_close(lines[0].values[2], 100, 0);
    assert_int_equal(lines[0].distinct, 3);
    assert_false(lines[0].several);
    assert_string_equal(scan_title(&r, &lines[0], &a), "f {n}");
    arena_finish(&a);
    record_finish(&r);
}

static void another_parameter_and_another_command_give_lines_of_their_own(void **state)
{
    (void)state;
    const struct given commands[] = {{"f 1 gcc", {{"n", "1"}, {"cc", "gcc"}}, 2}, {"g 1 gcc", {{"n", "1"}, {"cc", "gcc"}}, 2},
                                     {"f 2 gcc", {{"n", "2"}, {"cc", "gcc"}}, 2}, {"g 2 gcc", {{"n", "2"}, {"cc", "gcc"}}, 2},
                                     {"f 1 tcc", {{"n", "1"}, {"cc", "tcc"}}, 2}, {"g 1 tcc", {{"n", "1"}, {"cc", "tcc"}}, 2},
                                     {"f 2 tcc", {{"n", "2"}, {"cc", "tcc"}}, 2}, {"g 2 tcc", {{"n", "2"}, {"cc", "tcc"}}, 2}};
    const double times[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, commands, 8, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 4);
    assert_line(&lines[0], "n", 2, (const int[]){0, 2});
    assert_line(&lines[1], "n", 2, (const int[]){1, 3});
    assert_line(&lines[2], "n", 2, (const int[]){4, 6});
    assert_line(&lines[3], "n", 2, (const int[]){5, 7});
    assert_true(lines[3].several);
    assert_string_equal(scan_title(&r, &lines[3], &a), "g {n} tcc");
    arena_finish(&a);
    record_finish(&r);
}

static void lines_stand_as_their_first_commands_were_given(void **state)
{
    (void)state;
    const struct given commands[] = {{"f 2 gcc", {{"n", "2"}, {"cc", "gcc"}}, 2},
                                     {"f 1 tcc", {{"n", "1"}, {"cc", "tcc"}}, 2},
                                     {"f 2 tcc", {{"n", "2"}, {"cc", "tcc"}}, 2},
                                     {"f 1 gcc", {{"n", "1"}, {"cc", "gcc"}}, 2}};
    const double times[4] = {1, 1, 1, 1};
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, commands, 4, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 2);
    assert_line(&lines[0], "n", 2, (const int[]){3, 0}); /* though the command of its smallest value was given last */
    assert_line(&lines[1], "n", 2, (const int[]){1, 2});
    arena_finish(&a);
    record_finish(&r);
}

static void two_numbers_give_lines_over_both(void **state)
{
    (void)state;
    const struct given commands[] = {{"f 1 8", {{"n", "1"}, {"t", "8"}}, 2},
                                     {"f 2 8", {{"n", "2"}, {"t", "8"}}, 2},
                                     {"f 1 9", {{"n", "1"}, {"t", "9"}}, 2},
                                     {"f 2 9", {{"n", "2"}, {"t", "9"}}, 2}};
    const double times[4] = {1, 1, 1, 1};
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, commands, 4, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 4);
    assert_line(&lines[0], "n", 2, (const int[]){0, 1});
    assert_line(&lines[1], "n", 2, (const int[]){2, 3});
    assert_line(&lines[2], "t", 2, (const int[]){0, 2});
    assert_line(&lines[3], "t", 2, (const int[]){1, 3});
    arena_finish(&a);
    record_finish(&r);
}

static void words_are_no_scan_and_sizes_with_letters_are_named(void **state)
{
    (void)state;
    const struct given words[] = {{"gcc", {{"cc", "gcc"}}, 1}, {"tcc", {{"cc", "tcc"}}, 1}},
                       sizes[] = {{"f 1k", {{"n", "1k"}}, 1}, {"f 2k", {{"n", "2k"}}, 1}},
                       hexadecimal[] = {{"f 0x10", {{"n", "0x10"}}, 1}, {"f 0x20", {{"n", "0x20"}}, 1}};
    const double times[] = {1, 1};
    const char *value = NULL;
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, words, 2, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 0);
    assert_null(scan_unreadable(&r, &value));
    record_finish(&r);
    scanned(&r, sizes, 2, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 0);
    assert_string_equal(scan_unreadable(&r, &value), "n");
    assert_string_equal(value, "2k");
    record_finish(&r);
    scanned(&r, hexadecimal, 2, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 0);
    record_finish(&r);
    arena_finish(&a);
}

/* --rev: hashes that happen to read as numbers are no scale, and need no remark. */
static void revisions_are_no_scan(void **state)
{
    (void)state;
    const struct given commands[] = {{"old", {{"rev", "1234567"}}, 1}, {"new", {{"rev", "3082065"}}, 1}};
    const double times[] = {1, 1};
    const char *value = NULL;
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, commands, 2, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 1);
    assert_int_equal(facts_add_text(&r, &r.build, "revision_1", "1234567"), TARE_OK);
    assert_int_equal(scan_lines(&r, &a, &lines), 0);
    assert_null(scan_unreadable(&r, &value));
    record_finish(&r);
    arena_finish(&a);
}

static void a_title_is_found_behind_a_misleading_first_place(void **state)
{
    (void)state;
    const struct given commands[] = {{"f1 1", {{"n", "1"}}, 1}, {"f1 2", {{"n", "2"}}, 1}},
                       unlike[] = {{"one", {{"n", "1"}}, 1}, {"two", {{"n", "2"}}, 1}};
    const double times[] = {1, 1};
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, commands, 2, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 1);
    assert_string_equal(scan_title(&r, &lines[0], &a), "f1 {n}");
    record_finish(&r);
    scanned(&r, unlike, 2, 1, times);
    assert_int_equal(scan_lines(&r, &a, &lines), 1);
    assert_string_equal(scan_title(&r, &lines[0], &a), "one");
    record_finish(&r);
    arena_finish(&a);
}

/* Benchmarks of these names, "group/argument", from commands. */
static void become_benchmarks(struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++) {
        struct subject *s = &r->subjects[i];
        s->kind = SUBJECT_BENCH;
        s->program = "./prog";
        s->benchmark = s->name;
        s->reference = -1;
        s->group = arena_format(&r->arena, "%.*s", (int)strcspn(s->name, "/["), s->name);
    }
}

static void benchmarks_with_three_numbers_are_a_family_unless_they_ask(void **state)
{
    (void)state;
    const struct given commands[] = {{"find/32", {{"arg1", "32"}}, 1}, {"find/8", {{"arg1", "8"}}, 1},
                                     {"find/16", {{"arg1", "16"}}, 1}, {"pick/a", {{"arg1", "a"}}, 1},
                                     {"pick/b", {{"arg1", "b"}}, 1},   {"sum/1", {{"arg1", "1"}}, 1},
                                     {"sum/2", {{"arg1", "2"}}, 1}};
    const double times[7] = {1, 1, 1, 1, 1, 1, 1};
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    scanned(&r, commands, 7, 1, times);
    assert_int_equal(scan_families(&r, &a, &lines), 0);
    become_benchmarks(&r);
    assert_int_equal(scan_lines(&r, &a, &lines), 0);
    assert_int_equal(scan_families(&r, &a, &lines), 1);
    assert_line(&lines[0], "arg1", 3, (const int[]){1, 2, 0});
    for (int i = 0; i < 3; i++)
        r.subjects[i].complexity = true;
    assert_int_equal(scan_lines(&r, &a, &lines), 1);
    assert_int_equal(scan_families(&r, &a, &lines), 0);
    arena_finish(&a);
    record_finish(&r);
}

/* Few that lie close together may be part of what something is called. */
static void numbers_without_a_name_are_arguments_where_they_are_four_or_reach_far(void **state)
{
    (void)state;
    const struct given commands[] = {{"utf/8", {{0}}, 0}, {"utf/16", {{0}}, 0}, {"utf/32", {{0}}, 0}, /* formats */
                                     {"w/k:8", {{0}}, 0}, {"w/k:16", {{0}}, 0}, {"w/k:32", {{0}}, 0}, /* named */
                                     {"x[3]", {{0}}, 0},  {"x[9]", {{0}}, 0},   {"x[30]", {{0}}, 0},  /* ten times */
                                     {"d/1", {{0}}, 0},   {"d/2", {{0}}, 0},    {"d/3", {{0}}, 0},    {"d/4", {{0}}, 0}};
    double times[13];
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    for (int i = 0; i < 13; i++)
        times[i] = 1;
    scanned(&r, commands, 13, 1, times);
    become_benchmarks(&r);
    assert_int_equal(scan_families(&r, &a, &lines), 3);
    const bool nameless[] = {true, true, false};
    const double least[] = {3, 1, 8};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lines[i].nameless, nameless[i]);
        assert_close(lines[i].values[0], least[i], 0);
    }
    arena_finish(&a);
    record_finish(&r);
}

static void numbers_in_the_names_of_other_harnesses_make_families(void **state)
{
    (void)state;
    const struct given commands[] = {
        {"BM_x/8", {{0}}, 0},     {"BM_x/64", {{0}}, 0},    {"BM_x/512", {{0}}, 0},    /* google-benchmark, criterion.rs */
        {"X/size=8-2", {{0}}, 0}, {"X/size=1-2", {{0}}, 0}, {"X/size=16-2", {{0}}, 0}, /* Go, on two processors */
        {"test_s[8]", {{0}}, 0},  {"test_s[1]", {{0}}, 0},  {"test_s[27]", {{0}}, 0},  /* pytest */
        {"y/1/a", {{0}}, 0},      {"y/2/b", {{0}}, 0},      {"y/3/c", {{0}}, 0},       /* differ otherwise too */
        {"v1", {{0}}, 0},         {"v2", {{0}}, 0},         {"v3/x86", {{0}}, 0},      /* no parts of their own */
        {"z/n:4/k:1", {{0}}, 0},  {"z/n:4/k:2", {{0}}, 0},  {"z/n:4/k:3", {{0}}, 0},
    };
    double times[18];
    struct record r;
    struct arena a = {0};
    const struct scan_line *lines;
    for (int i = 0; i < 18; i++)
        times[i] = 1;
    scanned(&r, commands, 18, 1, times);
    assert_int_equal(scan_families(&r, &a, &lines), 0); /* commands of tare run are no benchmarks */
    become_benchmarks(&r);
    assert_int_equal(scan_lines(&r, &a, &lines), 0);
    assert_int_equal(scan_families(&r, &a, &lines), 4);
    assert_line(&lines[0], "arg1", 3, (const int[]){0, 1, 2});
    assert_line(&lines[1], "arg1", 3, (const int[]){7, 6, 8});
    assert_line(&lines[2], "size", 3, (const int[]){4, 3, 5});
    assert_line(&lines[3], "k", 3, (const int[]){15, 16, 17});
    assert_close(lines[0].values[2], 512, 0);
    assert_string_equal(scan_title(&r, &lines[0], &a), "BM_x/{arg1}");
    assert_string_equal(scan_title(&r, &lines[2], &a), "X/size={size}-2");
    assert_string_equal(scan_title(&r, &lines[1], &a), "test_s[{arg1}]");
    arena_finish(&a);
    record_finish(&r);
}

/* ---- one round ---- */

/* NIST's Norris data, sorted by x: certified slope 1.00211681802045, intercept -0.262323073774029. */
static const double norris[][2] = {{.2, .1},       {.3, .3},       {.3, .6},       {.4, .3},       {.5, .2},       {.6, .1},
                                   {10.1, 9.2},    {11.1, 10.2},   {11.6, 10.8},   {118.2, 118.1}, {118.3, 117.6}, {120.2, 119.6},
                                   {226.5, 228.1}, {228.1, 228.3}, {229.2, 228.9}, {337.4, 338.8}, {338, 339.3},   {339.1, 339.3},
                                   {447.5, 448.9}, {448.6, 449.1}, {448.9, 449.2}, {556, 557.7},   {556.8, 557.6}, {558.2, 559.2},
                                   {666.3, 668.5}, {666.9, 668.8}, {669.1, 668.4}, {775.5, 778.1}, {777, 778.9},   {779, 778.9},
                                   {884.6, 888},   {887.2, 888},   {887.6, 888.8}, {995.8, 998},   {996.3, 998.5}, {999, 998.5}};
enum { NORRIS = sizeof norris / sizeof *norris };

static double function_of(const double *w, const double *y, int k)
{
    double sum = 0;
    for (int j = 0; j < k; j++)
        sum += w[j] * y[j];
    return sum;
}

static void a_rounds_slope_is_the_certified_one(void **state)
{
    (void)state;
    double x[NORRIS], y[NORRIS], w[SCAN_CONTRASTS * NORRIS], mean = 0;
    for (int j = 0; j < NORRIS; j++) {
        x[j] = exp(norris[j][0] / 100);
        y[j] = norris[j][1];
        mean += norris[j][0] / NORRIS;
    }
    assert_true(scan_weights(x, NORRIS, w));
    assert_close(function_of(w + SCAN_SLOPE * NORRIS, y, NORRIS), 100.211681802045, 1e-13);
    assert_close(function_of(w + SCAN_MIDDLE * NORRIS, y, NORRIS), -0.262323073774029 + 1.00211681802045 * mean, 1e-13);
}

static void a_parabola_gives_its_slopes_at_both_ends(void **state)
{
    (void)state;
    enum { K = 6 };
    const double x[K] = {1, 2, 3, 7, 50, 51};
    double y[K], w[SCAN_CONTRASTS * K], u0 = log(x[0]), u1 = log(x[K - 1]);
    for (int j = 0; j < K; j++)
        y[j] = 3 + 0.7 * log(x[j]) - 0.2 * log(x[j]) * log(x[j]);
    assert_true(scan_weights(x, K, w));
    assert_close(function_of(w + SCAN_SLOPE_SMALLEST * K, y, K), 0.7 - 0.4 * u0, 1e-12);
    assert_close(function_of(w + SCAN_SLOPE_LARGEST * K, y, K), 0.7 - 0.4 * u1, 1e-12);
    assert_close(function_of(w + SCAN_SLOPE_CHANGE * K, y, K), -0.4 * (u1 - u0), 1e-12);
}

static void distances_are_those_from_the_least_squares_line(void **state)
{
    (void)state;
    enum { K = 5 };
    const double x[K] = {1, 2, 4, 8, 16}, y[K] = {0, 1, 5, 3, 6};
    double w[SCAN_CONTRASTS * K], d[K], sum = 0, moment = 0;
    assert_true(scan_weights(x, K, w));
    double slope = function_of(w + SCAN_SLOPE * K, y, K) * log(2); /* per doubling: 1.4 by hand */
    assert_close(slope, 1.4, 1e-13);
    for (int j = 0; j < K; j++) {
        double v[K];
        scan_distance_weights(x, K, j, w, v);
        d[j] = function_of(v, y, K);
        assert_close(d[j] + 1, y[j] - 3 - 1.4 * (j - 2) + 1, 1e-12);
        sum += d[j];
        moment += d[j] * j;
    }
    assert_true(fabs(sum) < 1e-13 && fabs(moment) < 1e-12);
}

static void fewer_than_three_different_values_have_no_line(void **state)
{
    (void)state;
    double w[SCAN_CONTRASTS * 4];
    assert_false(scan_weights((const double[]){1, 2}, 2, w));
    assert_false(scan_weights((const double[]){1, 1, 2, 2}, 4, w));
    assert_false(scan_weights((const double[]){0, 1, 2}, 3, w));
    assert_false(scan_weights((const double[]){1, 2, INFINITY}, 3, w));
    assert_false(scan_weights(NULL, 0, w));
    assert_true(scan_weights((const double[]){1, 1, 2, 3}, 4, w));
}

/* ---- whole records ---- */

enum { ROUNDS = 12 };

static const struct given doubling[] = {
    {"f 1", {{"n", "1"}}, 1}, {"f 2", {{"n", "2"}}, 1}, {"f 4", {{"n", "4"}}, 1}, {"f 8", {{"n", "8"}}, 1}};

/* t = 1000 (constant + x) e^drift: what a round shares differs wildly between the rounds, and comes once, unlike times of a coarse clock. */
static void fill_times(double *times, double constant)
{
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < ROUNDS; i++)
            times[j * ROUNDS + i] = 1000 * (constant + (1 << j)) * exp(((i * 7) % ROUNDS - 5) * 0.4);
}

static void drift_between_rounds_leaves_the_slope_alone(void **state)
{
    (void)state;
    double times[4 * ROUNDS];
    struct record r;
    fill_times(times, 0);
    scanned(&r, doubling, 4, ROUNDS, times);
    analysed(&r);
    const struct estimate *slope = of(&r, 0, "slope:n"), *change = of(&r, 0, "slope_change:n");
    assert_close(slope->point, 1, 1e-12);
    assert_close(slope->low, 1, 1e-12);
    assert_close(slope->high, 1, 1e-12);
    assert_int_equal(slope->n, ROUNDS);
    assert_close(slope->level, 0.05, 1e-9); /* one question, although three comparisons share the looks' level */
    assert_true(fabs(change->point) < 1e-12);
    assert_true(fabs(of(&r, 3, "off_line:n")->point) < 1e-12);
    assert_close(of(&r, 3, "off_line:n")->level, 0.05 / 4, 1e-9);
    record_finish(&r);
}

static void a_constant_part_bends_the_line(void **state)
{
    (void)state;
    double times[4 * ROUNDS];
    struct record r;
    fill_times(times, 8);
    scanned(&r, doubling, 4, ROUNDS, times);
    analysed(&r);
    assert_true(of(&r, 0, "slope_change:n")->low > 0.3);
    assert_true(of(&r, 0, "slope_smallest:n")->high < of(&r, 0, "slope_largest:n")->low);
    assert_true(of(&r, 0, "off_line:n")->low > 0);
    assert_true(of(&r, 1, "off_line:n")->high < 0);
    assert_true(of(&r, 3, "off_line:n")->low > 0);
    record_finish(&r);
}

/* The exponent is 0.02 in five rounds, then 0 in five, and so on. */
static void rounds_like_their_neighbours_widen_the_interval_of_the_exponent(void **state)
{
    (void)state;
    enum { N = 20 };
    double times[4 * N], d[N], scratch[2 * N + N * (N + 1) / 2 + 1];
    for (int i = 0; i < N; i++) {
        d[i] = (i / 5 % 2 ? 0 : 0.02) + 1e-5 * (i * 7 % N);
        for (int j = 0; j < 4; j++)
            times[j * N + i] = 1000 * pow(1 << j, d[i]);
    }
    struct tare_interval narrow;
    struct tare_dependence dependence;
    assert_int_equal(tare_hl_ci_walsh(d, N, 0.05, scratch, &narrow), TARE_OK);
    assert_int_equal(tare_serial_dependence(d, N, scratch, &dependence), TARE_OK);
    const double m = dependence.n_effective;
    const double factor = sqrt(N / m) * tare_student_quantile(0.975, m - 1) / tare_student_quantile(0.975, N - 1);
    struct record r;
    scanned(&r, doubling, 4, N, times);
    r.subjects[0].complexity = true;
    analysed(&r);
    const struct estimate *slope = of(&r, 0, "slope:n");
    assert_true(m > 4 && m < 10);
    assert_close(slope->n_effective, m, 1e-9);
    assert_close(slope->point, narrow.point, 1e-9);
    assert_close(slope->high - slope->point, (narrow.high - narrow.point) * factor, 1e-6);
    assert_close(slope->point - slope->low, (narrow.point - narrow.low) * factor, 1e-6);
    assert_true(narrow.low > 0 && slope->low < 0); /* by itself it would exclude the constant */
    assert_true(isfinite(of(&r, 0, "excess_1:n")->point));
    assert_true(of(&r, 0, "excess_square:n")->n_effective < N);
    record_finish(&r);
}

/* One that is answered leaves, and has no rounds behind its own look. */
static void a_family_has_the_rounds_of_the_one_that_left_first(void **state)
{
    (void)state;
    const struct given commands[] = {
        {"f/1", {{"n", "1"}}, 1}, {"f/2", {{"n", "2"}}, 1}, {"f/4", {{"n", "4"}}, 1}, {"f/8", {{"n", "8"}}, 1}};
    double times[4 * ROUNDS];
    struct record r;
    fill_times(times, 0);
    scanned(&r, commands, 4, ROUNDS, times);
    become_benchmarks(&r);
    r.series[2].main.n = 7;
    r.series[2].look = (struct own_look){1, 7, 0.05, 1};
    assert_true(subject_left(&r, 2));
    analysed(&r);
    assert_int_equal(of(&r, 0, "slope:n")->n, 7);
    assert_close(of(&r, 0, "slope:n")->point, 1, 1e-12);
    record_finish(&r);
}

static void two_values_and_values_without_logarithm_give_a_reason(void **state)
{
    (void)state;
    const struct given two[] = {
        {"f -1", {{"n", "-1"}}, 1}, {"f 0", {{"n", "0"}}, 1}, {"f 2", {{"n", "2"}}, 1}, {"f 4", {{"n", "4"}}, 1}};
    double times[4 * ROUNDS];
    struct record r;
    fill_times(times, 0);
    scanned(&r, two, 4, ROUNDS, times);
    analysed(&r);
    const struct estimate *slope = of(&r, 0, "slope:n");
    assert_true(isnan(slope->point));
    assert_string_equal(slope->reason, "3 different values above 0 are needed, and there are 2");
    record_finish(&r);
    times[2 * ROUNDS + 3] = 0;
    scanned(&r, doubling, 4, ROUNDS, times);
    analysed(&r);
    assert_string_equal(of(&r, 0, "slope:n")->reason, "a value of 0 or below has no logarithm");
    record_finish(&r);
}

static void a_value_of_zero_is_left_out_of_the_line(void **state)
{
    (void)state;
    const struct given from_zero[] = {
        {"f 0", {{"n", "0"}}, 1}, {"f 1", {{"n", "1"}}, 1}, {"f 2", {{"n", "2"}}, 1}, {"f 4", {{"n", "4"}}, 1}};
    double times[4 * ROUNDS];
    struct record r;
    fill_times(times, 0);
    scanned(&r, from_zero, 4, ROUNDS, times);
    analysed(&r);
    assert_close(of(&r, 0, "slope:n")->point, 1, 1e-12);
    assert_null(record_estimate(&r, 0, "wall", "off_line:n"));
    assert_non_null(record_estimate(&r, 1, "wall", "off_line:n"));
    record_finish(&r);
}

static void values_that_half_a_step_reaches_leave_the_exponent_open(void **state)
{
    (void)state;
    enum { N = 10 };
    const struct given commands[] = {{"f 1", {{"n", "1"}}, 1}, {"f 2", {{"n", "2"}}, 1}, {"f 4", {{"n", "4"}}, 1}};
    const double steps[] = {0.1, 2, 4};
    double times[3 * N];
    for (int i = 0; i < 3 * N; i++)
        times[i] = 1 << i / N;
    for (int k = 0; k < 3; k++) {
        struct record r;
        scanned(&r, commands, 3, N, times);
        for (int i = 0; i < 3 * N; i++)
            r.series[i / N].main.value[2][i % N] = steps[k];
        analysed(&r);
        const struct estimate *slope = of(&r, 0, "slope:n");
        assert_close(slope->point, 1, 1e-12);
        assert_int_equal(isfinite(slope->low) && isfinite(slope->high), k == 0);
        assert_true(slope->low < 0.99 && slope->high > 1.01);
        if (k)
            assert_string_equal(slope->reason, "a value may be 0 within its step");
        record_finish(&r);
    }
}

static void blocks_have_a_slope_without_interval(void **state)
{
    (void)state;
    double times[4 * ROUNDS];
    struct record r;
    fill_times(times, 0);
    scanned(&r, doubling, 4, ROUNDS, times);
    r.rule.interleaved = false;
    const struct look none = {0};
    for (int j = 0; j < 4; j++)
        assert_int_equal(analyse_group(&r, &j, 1, &none, NULL), TARE_OK);
    assert_null(record_estimate(&r, 0, "wall", "slope:n"));
    assert_int_equal(analyse_side_by_side(&r, "in blocks", NULL), TARE_OK);
    const struct estimate *slope = of(&r, 0, "slope:n");
    assert_close(slope->point, 1, 1e-12);
    assert_true(isinf(slope->low) && isinf(slope->high));
    assert_string_equal(slope->reason, "in blocks");
    assert_string_equal(slope->method, "least squares of the medians");
    record_finish(&r);
}

static void a_failure_at_one_value_leaves_no_slope(void **state)
{
    (void)state;
    double times[4 * ROUNDS];
    struct record r;
    fill_times(times, 0);
    scanned(&r, doubling, 4, ROUNDS, times);
    r.series[2].main.value[1][5] = 1;
    analysed(&r);
    assert_string_equal(of(&r, 0, "slope:n")->reason, "one command failed where another did not");
    record_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_that_differ_in_one_number_are_one_line_by_rising_value),
        cmocka_unit_test(another_parameter_and_another_command_give_lines_of_their_own),
        cmocka_unit_test(lines_stand_as_their_first_commands_were_given),
        cmocka_unit_test(two_numbers_give_lines_over_both),
        cmocka_unit_test(words_are_no_scan_and_sizes_with_letters_are_named),
        cmocka_unit_test(revisions_are_no_scan),
        cmocka_unit_test(a_title_is_found_behind_a_misleading_first_place),
        cmocka_unit_test(benchmarks_with_three_numbers_are_a_family_unless_they_ask),
        cmocka_unit_test(numbers_in_the_names_of_other_harnesses_make_families),
        cmocka_unit_test(numbers_without_a_name_are_arguments_where_they_are_four_or_reach_far),
        cmocka_unit_test(a_rounds_slope_is_the_certified_one),
        cmocka_unit_test(a_parabola_gives_its_slopes_at_both_ends),
        cmocka_unit_test(distances_are_those_from_the_least_squares_line),
        cmocka_unit_test(fewer_than_three_different_values_have_no_line),
        cmocka_unit_test(drift_between_rounds_leaves_the_slope_alone),
        cmocka_unit_test(a_constant_part_bends_the_line),
        cmocka_unit_test(rounds_like_their_neighbours_widen_the_interval_of_the_exponent),
        cmocka_unit_test(a_family_has_the_rounds_of_the_one_that_left_first),
        cmocka_unit_test(two_values_and_values_without_logarithm_give_a_reason),
        cmocka_unit_test(a_value_of_zero_is_left_out_of_the_line),
        cmocka_unit_test(values_that_half_a_step_reaches_leave_the_exponent_open),
        cmocka_unit_test(blocks_have_a_slope_without_interval),
        cmocka_unit_test(a_failure_at_one_value_leaves_no_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
