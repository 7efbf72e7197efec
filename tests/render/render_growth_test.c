/* SPDX-License-Identifier: MIT
 *
 * The growth section of a scan: words, remark and picture, held by golden files. */
#include "golden.h"
#include "render.h"
#include "sample_record.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES_MAX = 40 };

/* A command over n values of "size": t = ms[j]. */
static void add_line(struct record *r, const char *what, int n, const double *values, const double *ms)
{
    for (int j = 0; j < n; j++) {
        char name[64], value[32];
        static const char *const columns[] = {"wall"};
        snprintf(value, sizeof value, "%g", values[j]);
        snprintf(name, sizeof name, "%s %s", what, value);
        const struct parameter size = {"size", value};
        const struct subject s = {.name = name, .command = name, .parameters = &size, .n_parameters = 1};
        int i = record_add_subject(r, &s, columns, 1);
        sample_estimates(r, i, ms[j] * 1e6, ms[j] * 1e4);
    }
}

static void add_figure(struct record *r, int subject, const char *statistic, double point, double half, const char *reason)
{
    const struct estimate e = {.subject = subject,
                               .metric = "wall",
                               .statistic = statistic,
                               .method = "Hodges-Lehmann over rounds",
                               .point = point,
                               .low = half > 0 ? point - half : -INFINITY,
                               .high = half > 0 ? point + half : INFINITY,
                               .confidence = half > 0 ? 0.95 : 0,
                               .level = 0.05,
                               .n = 33,
                               .n_effective = NAN,
                               .reason = reason};
    assert_true(record_add_estimate(r, &e) >= 0);
}

static void check_view(const char *name, const char *suffix, struct render_options options, const struct record *r)
{
    char file[128];
    snprintf(file, sizeof file, "growth_%s.%s", name, suffix);
    struct buf b = BUF_INIT(1 << 20);
    render_result(r, &options, &b);
    const char *section = options.verbosity > 0 ? strstr(buf_text(&b), "Growth with") : buf_text(&b);
    assert_non_null(section);
    struct buf shown = BUF_INIT(1 << 20);
    buf_str(&shown, section);
    assert_golden(file, &shown);
    buf_finish(&shown);
    buf_finish(&b);
}

static void check_views(const char *name, const struct record *r)
{
    check_view(name, "80", (struct render_options){.width = 80, .unicode = true, .verbosity = 1}, r);
    check_view(name, "40", (struct render_options){.width = 40, .unicode = true, .verbosity = 1}, r);
    check_view(name, "ascii", (struct render_options){.width = 80, .verbosity = 1}, r);
    check_view(name, "default", (struct render_options){.width = 80, .unicode = true}, r);
    check_view(name, "quiet", (struct render_options){.width = 80, .unicode = true, .verbosity = -1}, r);
}

static void a_line_with_a_remark(void **state)
{
    (void)state;
    const double values[] = {1, 10, 100, 1000, 10000}, ms[] = {1.1, 1.3, 4, 31, 300};
    struct record r = {0};
    sample_begin(&r, 33, 4);
    add_line(&r, "sort", 5, values, ms);
    add_figure(&r, 0, "slope:size", 0.62, 0.013, NULL);
    add_figure(&r, 0, "line_middle:size", 8.7e6, 2e5, NULL);
    add_figure(&r, 0, "slope_change:size", 1.32, 0.11, NULL);
    const struct finding f = {.id = "not_a_power",
                              .severity = SEVERITY_WARNING,
                              .subject = 0,
                              .text = "not a power of size: the slope changes from −0.05 to 1.27, by 1.21 to 1.43",
                              .advice = "use larger values for the exponent",
                              .weight = 100};
    assert_true(record_add_finding(&r, &f) >= 0);
    check_views("bent", &r);
    record_finish(&r);
}

static void several_lines_share_a_picture(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3, 4}, a[] = {10, 20, 30, 40}, b[] = {10, 14, 17, 20};
    struct record r = {0};
    sample_begin(&r, 33, 4);
    add_line(&r, "sort", 4, values, a);
    add_line(&r, "merge", 4, values, b);
    add_figure(&r, 0, "slope:size", 1, 0.02, NULL);
    add_figure(&r, 4, "slope:size", 0.01, 0.02, NULL);
    check_views("two", &r);
    record_finish(&r);
}

static void many_values_get_round_marks_and_a_reason_stands_for_a_slope(void **state)
{
    (void)state;
    double values[VALUES_MAX], ms[VALUES_MAX];
    struct record r = {0};
    sample_begin(&r, 33, 4);
    for (int j = 0; j < VALUES_MAX; j++) {
        values[j] = 0.5 * (j - 2);
        ms[j] = 5 + 0.1 * j;
    }
    add_line(&r, "sort", VALUES_MAX, values, ms);
    add_figure(&r, 0, "slope:size", 0.5, 0, "the commands were measured in blocks, where drift is not controlled");
    check_views("blocks", &r);
    record_finish(&r);
    sample_begin(&r, 33, 4);
    add_line(&r, "sort", 2, values + 3, ms);
    add_figure(&r, 0, "slope:size", NAN, 0, "3 different values above 0 are needed, and there are 2");
    check_views("none", &r);
    record_finish(&r);
}

static void sort_line(struct record *r)
{
    const double values[] = {100, 1000, 10000, 100000}, ms[] = {0.18, 3, 71, 1295};
    sample_begin(r, 33, 4);
    add_line(r, "sort", 4, values, ms);
    add_figure(r, 0, "slope:size", 1.29, 0.013, NULL);
}

/* What is nearest and far off is named so; a tenth that is not proven is no reason. */
static void a_class_that_misses_a_value_does_not_fit(void **state)
{
    (void)state;
    const double off[] = {0.45, -0.3, 0.12, 0.02};
    for (int far = 0; far < 2; far++) {
        struct record r = {0};
        sort_line(&r);
        add_figure(&r, 0, "excess_linear:size", 0.2, 0.01, NULL);
        add_figure(&r, 0, "excess_n_log_n:size", 0, 1e-300, NULL);
        r.estimates[r.n_estimates - 1].low = r.estimates[r.n_estimates - 1].high = 0;
        for (int j = far ? 0 : 2; j < 4; j++)
            add_figure(&r, j, "off_class:size", off[j], 0.05, NULL);
        struct buf b = BUF_INIT(1 << 20);
        render_result(&r, &(struct render_options){.width = 120, .unicode = true, .verbosity = 1}, &b);
        const char *wanted = far ? "with a constant added, size log size is nearest, but misses size = 100 by 45 % (40–50)"
                                 : "with a constant added, size log size fits best, better than the other classes";
        if (!strstr(buf_text(&b), wanted))
            fail_msg("not \"%s\" in:\n%s", wanted, strstr(buf_text(&b), "Growth with"));
        buf_finish(&b);
        record_finish(&r);
    }
}

/* That nothing tells it apart does not hide that its times would have to begin below 0. A logarithm's constant is no such time. */
static void a_class_with_a_constant_below_0_says_so(void **state)
{
    (void)state;
    for (int below = 0; below < 2; below++) {
        struct record r = {0};
        sort_line(&r);
        add_figure(&r, 0, "excess_log:size", 0.01, 0.02, NULL);
        add_figure(&r, 0, "constant_log:size", -100, 5, NULL);
        add_figure(&r, 0, "excess_linear:size", 0.01, 0.02, NULL);
        add_figure(&r, 0, "constant_linear:size", -96, below ? 5 : 96, NULL);
        add_figure(&r, 0, "excess_n_log_n:size", 0, 1e-300, NULL);
        r.estimates[r.n_estimates - 1].low = r.estimates[r.n_estimates - 1].high = 0;
        struct buf b = BUF_INIT(1 << 20);
        render_result(&r, &(struct render_options){.width = 160, .unicode = true, .verbosity = 1}, &b);
        const char *wanted = below
                                 ? "size log size fits best; cannot separate from it: log size, size (its constant is below 0)\n"
                                 : "size log size fits best; cannot separate from it: log size, size\n";
        if (!strstr(buf_text(&b), wanted))
            fail_msg("not \"%s\" in:\n%s", wanted, strstr(buf_text(&b), "Growth with"));
        buf_finish(&b);
        record_finish(&r);
    }
}

static void hostile_values_end(void **state)
{
    (void)state;
    const double values[] = {1e-300, 1, 1e300}, ms[] = {1e-290, 1e5, 1e290}, same[] = {1, 1, 1}, nothing[] = {NAN, NAN, NAN},
                 huge[] = {-1e308, 0, 1e308}, flat[] = {0, 0, 0};
    const double *const cases[][2] = {{values, ms}, {values, same}, {values, nothing}, {huge, ms}, {huge, flat}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record r = {0};
        sample_begin(&r, 33, 4);
        add_line(&r, "sort", 3, cases[i][0], cases[i][1]);
        add_figure(&r, 0, "slope:size", 1e300, 1e299, NULL);
        add_figure(&r, 0, "line_middle:size", 1e300, 0, NULL);
        for (int unicode = 0; unicode < 2; unicode++) {
            const struct render_options o = {.width = 79, .unicode = unicode, .verbosity = 1};
            struct buf b = BUF_INIT(1 << 20);
            render_result(&r, &o, &b);
            assert_int_equal(b.status, TARE_OK);
            assert_non_null(strstr(buf_text(&b), "Growth with size"));
            buf_finish(&b);
        }
        record_finish(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_with_a_remark),
        cmocka_unit_test(several_lines_share_a_picture),
        cmocka_unit_test(many_values_get_round_marks_and_a_reason_stands_for_a_slope),
        cmocka_unit_test(a_class_that_misses_a_value_does_not_fit),
        cmocka_unit_test(a_class_with_a_constant_below_0_says_so),
        cmocka_unit_test(hostile_values_end),
    };
    return cmocka_run_group_tests_name("render_growth", tests, NULL, NULL);
}
