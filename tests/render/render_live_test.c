/* SPDX-License-Identifier: MIT
 *
 * What is shown while a session runs, and before one. */
#include "golden.h"
#include "quote.h"
#include "render.h"
#include "sample_record.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- the live line ---- */

static struct record r;

static void two_commands(int looks_made)
{
    r = (struct record){0};
    sample_begin(&r, 50, 9);
    sample_command(&r, "old", 12.30e6, 0.085e6);
    sample_command(&r, "new", 11.70e6, 0.085e6);
    if (!looks_made)
        record_clear_results(&r);
    for (int i = 0; i < looks_made; i++) {
        struct comparison c = sample_comparison(&r, 1, VERDICT_FASTER, -0.05, -0.058, -0.042);
        c.look = 4, c.rounds = 33;
        record_add_comparison(&r, &c);
    }
}

/* The line without its control sequences. */
static const char *line(const struct render_progress *progress, int width, bool unicode)
{
    static char text[512];
    struct buf b = BUF_INIT(1 << 16);
    const struct render_options o = {.width = width, .unicode = unicode, .live = true};
    render_live(&r, progress, &o, &b);
    assert_int_equal(b.status, TARE_OK);
    assert_int_equal(b.data[0], '\r');
    assert_memory_equal(b.data + b.len - 3, "\033[K", 3);
    snprintf(text, sizeof text, "%.*s", (int)b.len - 4, b.data + 1);
    buf_finish(&b);
    return text;
}

static void the_line_has_rounds_time_left_and_the_estimate(void **state)
{
    (void)state;
    const struct render_progress progress = {
        .rounds = 37, .rounds_planned = 252, .share = 37. / 252, .groups = 1, .elapsed_s = 3.21, .left_s = 16.7};
    two_commands(1);
    assert_string_equal(line(&progress, 120, true),
                        "█░░░░░░░░░ 37 of 252 rounds · about 17 s left · 4.9 % faster (4.1–5.6) so far");
    assert_string_equal(line(&progress, 120, false),
                        "#::::::::: 37 of 252 rounds | about 17 s left | 4.9 % faster (4.1-5.6) so far");
    record_finish(&r);
    two_commands(0);
    assert_string_equal(line(&progress, 120, true), "█░░░░░░░░░ 37 of 252 rounds · about 17 s left");
    record_finish(&r);
    two_commands(3);
    assert_string_equal(line(&progress, 120, true), "█░░░░░░░░░ 37 of 252 rounds · about 17 s left · 3 of 3 decided so far");
    record_finish(&r);
}

static void the_line_knows_when_it_does_not_know(void **state)
{
    (void)state;
    two_commands(0);
    struct render_progress progress = {.rounds = 1, .share = NAN, .groups = 1, .elapsed_s = 3599.6, .left_s = NAN};
    assert_string_equal(line(&progress, 80, true), "1 round · 60 min");
    progress.phase = "warm-up \033[31m";
    progress.elapsed_s = NAN;
    assert_string_equal(line(&progress, 80, true), "warm-up \\x1b[31m");
    progress.phase = NULL;
    progress.groups = 3, progress.group = 1;
    assert_string_equal(line(&progress, 80, true), "command 2 of 3: 1 round");
    progress.groups = 1;
    progress.left_s = 90, progress.at_most = true;
    assert_string_equal(line(&progress, 80, true), "1 round · at most 90 s left");
    record_finish(&r);
}

static void one_command_shows_its_precision(void **state)
{
    (void)state;
    r = (struct record){0};
    sample_begin(&r, 33, 9);
    sample_command(&r, "old", 12.30e6, 0.085e6);
    const struct render_progress progress = {.rounds = 37, .share = 0.5, .groups = 1, .elapsed_s = 3.21, .left_s = NAN};
    assert_string_equal(line(&progress, 100, true), "█████░░░░░ 37 rounds · 3.2 s · median 12.30 ms (12.21–12.38) so far");
    record_finish(&r);
}

static void the_line_never_reaches_the_last_column(void **state)
{
    (void)state;
    two_commands(1);
    const struct render_progress progress = {
        .rounds = 37, .rounds_planned = 252, .share = 37. / 252, .groups = 1, .elapsed_s = 3.21, .left_s = 16.7};
    for (int width = 1; width < 130; width++) {
        const char *text = line(&progress, width, true);
        int columns = text_columns(text, strlen(text));
        if (columns >= width && columns)
            fail_msg("%d columns on a terminal of %d: %s", columns, width, text);
    }
    assert_string_equal(line(&progress, 60, true), "█░░░░░░░░░ 37 of 252 rounds · about 17 s left");
    record_finish(&r);
}

static void nothing_is_drawn_where_nothing_can_be_erased(void **state)
{
    (void)state;
    two_commands(1);
    const struct render_progress progress = {.rounds = 37, .groups = 1};
    struct render_options o = {.width = 80};
    struct buf b = BUF_INIT(1 << 10);
    render_live(&r, &progress, &o, &b);
    render_live_clear(&o, &b);
    assert_int_equal(b.len, 0);
    o.live = true;
    render_live_clear(&o, &b);
    assert_string_equal(buf_text(&b), "\r\033[K");
    buf_finish(&b);
    record_finish(&r);
}

/* ---- dry runs ---- */

static void add_planned(const char *name, const char *const *argv, const char *setup, const char *prepare)
{
    const struct subject s = {.kind = SUBJECT_COMMAND,
                              .name = name,
                              .command = name,
                              .argv = argv,
                              .shell = !strcmp(argv[0], "sh"),
                              .setup = setup,
                              .prepare = prepare,
                              .cleanup = setup ? "make clean" : NULL};
    record_add_subject(&r, &s, NULL, 0);
}

static void plan_of(const struct render_plan *plan, struct buf *out)
{
    static const struct render_options wide = {.width = 100, .unicode = true}, narrow = {.width = 50};
    render_dry_run(&r, plan, &wide, out);
    buf_char(out, '\n');
    render_dry_run(&r, plan, &narrow, out);
    buf_char(out, '\n');
    record_finish(&r);
}

static void begin(void)
{
    r = (struct record){0};
    sample_begin(&r, 0, 0);
}

static void a_dry_run_lists_what_would_be_executed(void **state)
{
    (void)state;
    static const char *const old[] = {"old", "--in", "big file.dat", "it's", "", "\n", NULL}, *const new[] = {"sh", "-c",
                                                                                                              "new | wc -l",
                                                                                                              NULL};
    struct buf b = BUF_INIT(1 << 16);
    begin();
    add_planned("old --in 'big file.dat' \"it's\" '' $'\\n'", old, "make", "sync");
    add_planned("new | wc -l", new, "make", "sync");
    const struct render_plan adaptive = {.warmup = 1, .first_look = 10, .max_time_s = 10, .empty_program = true};
    plan_of(&adaptive, &b);
    begin();
    r.rule.fail_if_slower = 0.02;
    add_planned("old", old, "git checkout a", NULL);
    add_planned("new", new, "git checkout b", NULL);
    const struct render_plan blocks = {.runs = 20, .max_time_s = NAN, .why_blocks = "their setup hooks differ"};
    plan_of(&blocks, &b);
    begin();
    add_planned("old", old, NULL, NULL);
    const struct render_plan one = {.first_look = 12, .max_rounds = 100, .max_time_s = 7.5};
    plan_of(&one, &b);
    begin();
    r.rule.method = METHOD_GEORGES, r.rule.precision = 0.02, r.rule.margin_unit = "ns", r.rule.margin = 5000;
    add_planned("old", old, NULL, NULL);
    const struct render_plan georges = {.first_look = 5, .max_rounds = 30, .max_time_s = NAN};
    plan_of(&georges, &b);
    assert_golden("dry-run", &b);
    buf_finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_has_rounds_time_left_and_the_estimate),
        cmocka_unit_test(the_line_knows_when_it_does_not_know),
        cmocka_unit_test(one_command_shows_its_precision),
        cmocka_unit_test(the_line_never_reaches_the_last_column),
        cmocka_unit_test(nothing_is_drawn_where_nothing_can_be_erased),
        cmocka_unit_test(a_dry_run_lists_what_would_be_executed),
    };
    return cmocka_run_group_tests_name("render_live", tests, NULL, NULL);
}
