/* SPDX-License-Identifier: MIT
 * What tare trace found, in every format. Golden files: arcs.EXTENSION and arcs_hostile.EXTENSION; `test_export_arcs --record` writes them anew. */
#include "arcs_data.h"
#include "export.h"
#include "golden.h"
#include "graph_layout.h"
#include "graph_picture.h"
#include "json_write.h"
#include "quote.h"
#include "rng.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool recording;
static const char *const formats[] = {"csv", "dot", "html", "json", "jsonl", "latex", "markdown", "mermaid", "svg"};
enum { FORMATS = sizeof formats / sizeof *formats };

static void begin(struct record *r)
{
    record_init(r);
    r->rule.metric = "wall";
    r->rule.confidence = 0.95;
    r->tool_version = "0.1.0";
}

static void export_text(const struct record *r, const char *name, const struct export_options *o, struct buf *out)
{
    struct sink sink = sink_to_buf(out);
    struct tare_err err;
    if (exporter_write(exporter_find(name), r, o, &sink, &err))
        fail_msg("%s: %s", name, err.text);
}

/* ---- golden files ---- */

static void golden(const struct record *r, const char *format, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/golden/%s.%s", TESTS_DIR, name, exporter_find(format)->extension);
    struct buf text = BUF_INIT(1 << 24), expected = BUF_INIT(1 << 24);
    export_text(r, format, &(struct export_options){0}, &text);
    golden_without_record(&text);
    FILE *f = fopen(path, recording ? "wb" : "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    char block[4096];
    if (recording)
        fwrite(buf_text(&text), 1, text.len, f);
    else
        for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
            buf_add(&expected, block, n);
    fclose(f);
    if (!recording && strcmp(buf_text(&text), buf_text(&expected)))
        fail_msg("%s.%s is now:\n%s", name, exporter_find(format)->extension, buf_text(&text));
    buf_finish(&expected);
    buf_finish(&text);
}

static void arcs_in_every_format_are_as_agreed(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_usual(&r);
    for (int i = 0; i < FORMATS; i++)
        golden(&r, formats[i], "arcs");
    record_finish(&r);
}

/* Read back by readers of these formats in check_exports.py. */
static void no_name_of_a_point_breaks_out_of_its_place(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_hostile(&r);
    for (int i = 0; i < FORMATS; i++)
        golden(&r, formats[i], "arcs_hostile");
    record_finish(&r);
}

/* Nothing that steers a terminal or turns text round is in any of them, but for JSON and CSV, whose escapes and line ends are their own. */
static void no_format_lets_control_characters_through(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_hostile(&r);
    for (int i = 0; i < FORMATS; i++) {
        struct buf b = BUF_INIT(1 << 24);
        export_text(&r, formats[i], &(struct export_options){0}, &b);
        assert_true(utf8_valid(buf_text(&b)) && strlen(buf_text(&b)) == b.len);
        for (size_t k = 0; k < b.len; k++)
            if ((unsigned char)b.data[k] < 0x20 && b.data[k] != '\n' && b.data[k] != '\t')
                fail_msg("%s: byte %zu is %d", formats[i], k, b.data[k]);
        const char *script = strstr(buf_text(&b), "<script");
        if (script && !strcmp(formats[i], "html"))
            assert_true(!strncmp(script, "<script>/* SPDX", 15) &&
                        !strstr(script + 1, "<script")); /* the page's own and no other */
        else if (script)
            assert_true(!strcmp(formats[i], "csv") || !strncmp(formats[i], "json", 4) || !strcmp(formats[i], "dot") ||
                        !strcmp(formats[i], "markdown")); /* in quotation marks or code there */
        buf_finish(&b);
    }
    record_finish(&r);
}

/* ---- figures ---- */

static double sum_of_column(const char *csv, int column)
{
    double sum = 0;
    for (const char *line = strchr(csv, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *field = line + 1;
        for (int i = 0; i < column; i++)
            field = strchr(field, ',') + 1;
        sum += strtod(field, NULL);
    }
    return sum;
}

static void totals_in_csv_and_json_are_those_of_the_record(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_large(&r, 50);
    double total = 0, json = 0;
    for (int i = 0; i < r.traced->n_results; i++)
        total += r.traced->results[i].total_ns;
    struct buf csv = BUF_INIT(1 << 24), lines = BUF_INIT(1 << 24);
    export_text(&r, "csv", &(struct export_options){0}, &csv);
    export_text(&r, "jsonl", &(struct export_options){0}, &lines);
    for (const char *p = buf_text(&lines); (p = strstr(p, "\"total_ns\":")); p++)
        json += strtod(p + strlen("\"total_ns\":"), NULL);
    assert_true(fabs(sum_of_column(buf_text(&csv), 14) - total) < 1e-6 * total);
    assert_true(fabs(json - total) < 1e-6 * total);
    buf_finish(&csv);
    buf_finish(&lines);
    record_finish(&r);
}

static void what_is_left_out_is_said_in_the_file_and_to_who_asked(void **state)
{
    (void)state;
    static const char *const pictures[] = {"dot", "html", "latex", "mermaid", "svg"};
    struct record r;
    begin(&r);
    arcs_data_large(&r, 50);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        struct buf b = BUF_INIT(1 << 24), left = BUF_INIT(1 << 14);
        export_text(&r, pictures[i], &(struct export_options){.most_arcs = 10, .left_out = &left}, &b);
        const char *said = strcmp(pictures[i], "latex") ? buf_text(&b) : "140 of 150 arcs"; /* \% there */
        assert_non_null(strstr(buf_text(&left), "140 of 150 arcs are left out, with "));
        assert_non_null(strstr(said, "140 of 150 arcs"));
        buf_clear(&b);
        buf_clear(&left);
        export_text(&r, pictures[i], &(struct export_options){.most_arcs = 1000, .left_out = &left}, &b);
        assert_string_equal(buf_text(&left), "");
        assert_null(strstr(buf_text(&b), "left out"));
        buf_finish(&left);
        buf_finish(&b);
    }
    record_finish(&r);
}

static void arcs_with_less_than_a_share_can_be_left_out(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_usual(&r);
    struct buf b = BUF_INIT(1 << 24);
    export_text(&r, "markdown", &(struct export_options){.least_share = 0.1}, &b);
    assert_non_null(strstr(buf_text(&b), "5 of 8 arcs are left out, with 5.6 % of the time"));
    assert_null(strstr(buf_text(&b), "950 ns"));
    assert_non_null(strstr(buf_text(&b), "15.2 ms"));
    buf_finish(&b);
    record_finish(&r);
}

/* ---- the layout ---- */

static bool apart(double x1, double w1, double x2, double w2)
{
    return x1 + w1 / 2 <= x2 - w2 / 2 + 0.01 || x2 + w2 / 2 <= x1 - w1 / 2 + 0.01;
}

static bool on_one_row(double y1, double h1, double y2, double h2)
{
    return fabs(y1 - y2) < (h1 + h2) / 2 - 0.01;
}

/* Where the probe's overhead that is subtracted is more than what an arc took. */
static void an_arc_whose_time_is_below_zero_is_shown(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_usual(&r);
    r.traced->results[0].total_ns = -3040;
    r.traced->results[0].share = -2.2e-4;
    struct buf b = BUF_INIT(1 << 24), left = BUF_INIT(1 << 14);
    export_text(&r, "svg", &(struct export_options){.left_out = &left}, &b);
    assert_string_equal(buf_text(&left), "");
    assert_null(strstr(buf_text(&b), "left out"));
    assert_non_null(strstr(buf_text(&b), "−3.04 µs"));
    buf_finish(&left);
    buf_finish(&b);
    record_finish(&r);
}

static void check_layout(const struct layout *l)
{
    for (int i = 0; i < l->n_boxes; i++) {
        const struct layout_box *a = &l->boxes[i];
        assert_true(a->x - a->width / 2 >= 0 && a->x + a->width / 2 <= l->width && a->y - a->height / 2 >= 0 &&
                    a->y + a->height / 2 <= l->height);
        for (int k = 0; k < i; k++)
            assert_true(apart(a->x, a->width, l->boxes[k].x, l->boxes[k].width) ||
                        !on_one_row(a->y, a->height, l->boxes[k].y, l->boxes[k].height));
        for (int k = 0; k < l->n_lines; k++) {
            const struct layout_line *line = &l->lines[k];
            if (line->from == line->to)
                continue;
            assert_true(apart(a->x, a->width, line->label_x + line->label_width / 2, line->label_width) ||
                        !on_one_row(a->y, a->height, line->label_y, line->label_height));
            for (int m = 1; m + 1 < line->n_runs; m++) /* runs within are in rows of their own */
                if (line->runs[m].top < a->y && line->runs[m].bottom > a->y)
                    assert_true(apart(a->x, a->width, line->runs[m].x, 0));
        }
    }
    for (int i = 0; i < l->n_lines; i++)
        for (int k = 0; k < i; k++) {
            const struct layout_line *a = &l->lines[i], *b = &l->lines[k];
            if (a->from != a->to && b->from != b->to)
                assert_true(
                    apart(a->label_x + a->label_width / 2, a->label_width, b->label_x + b->label_width / 2, b->label_width) ||
                    !on_one_row(a->label_y, a->label_height, b->label_y, b->label_height));
        }
}

static void check_line_ends(const struct layout *l)
{
    for (int i = 0; i < l->n_lines; i++) {
        const struct layout_line *a = &l->lines[i];
        if (a->from == a->to) {
            assert_int_equal(a->n_runs, 0);
            continue;
        }
        const struct layout_box *upper = &l->boxes[a->upward ? a->to : a->from], *lower = &l->boxes[a->upward ? a->from : a->to];
        assert_true(fabs(a->runs[0].x - upper->x) <= upper->width / 2 &&
                    fabs(a->runs[0].top - upper->y - upper->height / 2) < 0.01);
        assert_true(fabs(a->runs[a->n_runs - 1].x - lower->x) <= lower->width / 2 &&
                    fabs(a->runs[a->n_runs - 1].bottom - lower->y + lower->height / 2) < 0.01);
        for (int k = 1; k < a->n_runs; k++)
            assert_true(a->runs[k - 1].bottom < a->runs[k].top);
    }
}

/* Random graphs of all sizes: boxes and labels never overlap, lines cross neither and end at their boxes. */
static void nothing_in_a_picture_overlaps(void **state)
{
    (void)state;
    struct rng rng = rng_seeded(7);
    for (int round = 0; round < 200; round++) {
        struct arena arena = {0};
        struct layout_box boxes[30];
        struct layout_line lines[60];
        struct layout l = {boxes, 1 + (int)rng_below(&rng, 30), lines, (int)rng_below(&rng, 60), 0, 0};
        for (int i = 0; i < l.n_boxes; i++)
            boxes[i] = (struct layout_box){.width = 40 + (double)rng_below(&rng, 150),
                                           .height = 20 + (double)rng_below(&rng, 30),
                                           .beside = rng_below(&rng, 4) ? 0 : 90};
        for (int i = 0; i < l.n_lines; i++)
            lines[i] = (struct layout_line){.from = (int)rng_below(&rng, (uint64_t)l.n_boxes),
                                            .to = (int)rng_below(&rng, (uint64_t)l.n_boxes),
                                            .weight = 1 + rng_uniform(&rng),
                                            .label_width = 20 + (double)rng_below(&rng, 150),
                                            .label_height = 30};
        struct tare_err err;
        assert_int_equal(layout_make(&l, &arena, &err), TARE_OK);
        check_layout(&l);
        check_line_ends(&l);
        arena_finish(&arena);
    }
}

static void a_chain_is_drawn_straight_and_a_cycle_goes_back_up(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct layout_box boxes[3] = {{.width = 80, .height = 30}, {.width = 80, .height = 30}, {.width = 80, .height = 30}};
    struct layout_line lines[3] = {{.from = 0, .to = 1, .weight = 1, .label_width = 50, .label_height = 30},
                                   {.from = 1, .to = 2, .weight = 1, .label_width = 50, .label_height = 30},
                                   {.from = 2, .to = 0, .weight = 1, .label_width = 50, .label_height = 30}};
    struct layout l = {boxes, 3, lines, 2, 0, 0};
    struct tare_err err;
    assert_int_equal(layout_make(&l, &arena, &err), TARE_OK);
    assert_true(fabs(boxes[0].x - boxes[1].x) < 1 && fabs(boxes[1].x - boxes[2].x) < 1);
    assert_true(boxes[0].y < boxes[1].y && boxes[1].y < boxes[2].y);
    l.n_lines = 3;
    assert_int_equal(layout_make(&l, &arena, &err), TARE_OK);
    assert_true(!lines[0].upward && !lines[1].upward && lines[2].upward);
    assert_true(boxes[0].y < boxes[1].y && boxes[1].y < boxes[2].y);
    arena_finish(&arena);
}

/* ---- what is not there ---- */

static void a_program_without_arcs_can_be_exported(void **state)
{
    (void)state;
    static const struct point idle[] = {{.file = "a.c", .func = "f", .name = "", .line = 1}};
    for (int points = 0; points < 2; points++) {
        struct record r;
        begin(&r);
        arcs_data_add(&r, "./idle", idle, points, NULL, 0, 0);
        for (int i = 0; i < FORMATS && r.traced; i++) {
            struct buf b = BUF_INIT(1 << 20);
            export_text(&r, formats[i], &(struct export_options){0}, &b);
            assert_null(strstr(buf_text(&b), "nan"));
            if (points)
                assert_non_null(strstr(buf_text(&b), strcmp(formats[i], "latex") ? "a.c" : "tabular"));
            buf_finish(&b);
        }
        record_finish(&r);
    }
}

static void arcs_whose_times_are_not_known_have_none(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_usual(&r);
    for (int i = 0; i < r.traced->n_results; i++) {
        struct arc_result *a = &r.traced->results[i], none;
        arc_result_init(&none, a->subject, a->from, a->to);
        none.runs = none.runs_passed = 30;
        none.passes = a->passes;
        *a = none;
    }
    for (int i = 0; i < FORMATS; i++) {
        struct buf b = BUF_INIT(1 << 20);
        export_text(&r, formats[i], &(struct export_options){0}, &b);
        assert_null(strstr(buf_text(&b), "nan"));
        assert_null(strstr(buf_text(&b), "inf"));
        buf_finish(&b);
    }
    record_finish(&r);
}

static enum tare_status refuse(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)bytes;
    (void)n;
    ++*(int *)context;
    return err_set(err, TARE_IO, "disk full");
}

static void a_full_disk_is_reported_once(void **state)
{
    (void)state;
    struct record r;
    begin(&r);
    arcs_data_large(&r, 400);
    for (int i = 0; i < FORMATS; i++) {
        int calls = 0;
        struct sink sink = {refuse, &calls};
        struct tare_err err;
        assert_int_equal(exporter_write(exporter_find(formats[i]), &r, &(struct export_options){0}, &sink, &err), TARE_IO);
        assert_string_equal(err.text, "disk full");
        assert_int_equal(calls, 1);
    }
    record_finish(&r);
}

int main(int argc, char **argv)
{
    recording = argc > 1 && !strcmp(argv[1], "--record");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_in_every_format_are_as_agreed),
        cmocka_unit_test(no_name_of_a_point_breaks_out_of_its_place),
        cmocka_unit_test(no_format_lets_control_characters_through),
        cmocka_unit_test(totals_in_csv_and_json_are_those_of_the_record),
        cmocka_unit_test(what_is_left_out_is_said_in_the_file_and_to_who_asked),
        cmocka_unit_test(arcs_with_less_than_a_share_can_be_left_out),
        cmocka_unit_test(an_arc_whose_time_is_below_zero_is_shown),
        cmocka_unit_test(nothing_in_a_picture_overlaps),
        cmocka_unit_test(a_chain_is_drawn_straight_and_a_cycle_goes_back_up),
        cmocka_unit_test(a_program_without_arcs_can_be_exported),
        cmocka_unit_test(arcs_whose_times_are_not_known_have_none),
        cmocka_unit_test(a_full_disk_is_reported_once),
    };
    return cmocka_run_group_tests_name("export_arcs", tests, NULL, NULL);
}
