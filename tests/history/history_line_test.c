/* SPDX-License-Identifier: MIT
 * The commits of a history as git tells them. */
#include "history_view.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* ---- a git of our own ---- */

static const char *log_text, *others_text = "";
static size_t log_bytes;
static int n_logs;

enum tare_status git_ask(struct git *g, struct buf *out, struct tare_err *err, ...)
{
    va_list words;
    (void)g;
    va_start(words, err);
    if (!strcmp(va_arg(words, const char *), "rev-list"))
        buf_str(out, others_text);
    else if (n_logs++ == 0)
        buf_add(out, log_text, log_bytes);
    va_end(words);
    return TARE_OK;
}

enum tare_status git_text(struct git *g, const char **out, struct tare_err *err, ...)
{
    va_list words;
    (void)g;
    va_start(words, err);
    const char *first = va_arg(words, const char *), *second = va_arg(words, const char *);
    va_end(words);
    *out = !strcmp(first, "rev-list") ? others_text : !strcmp(second, "--is-shallow-repository") ? "false" : "h3";
    return strcmp(first, "rev-parse") || log_text ? TARE_OK : err_set(err, TARE_CHILD, "not a git repository");
}

enum tare_status git_commit(struct git *g, const char *name, const char **hash, struct tare_err *err)
{
    (void)g, (void)name, (void)err;
    *hash = "h3";
    return TARE_OK;
}

const char *git_no_such_commit(struct git *g)
{
    (void)g;
    return "no such commit";
}

enum tare_status git_patch_ids(struct git *g, struct buf *out, struct tare_err *err, const char *most, const char *hash)
{
    (void)g, (void)out, (void)most, (void)hash;
    return err_set(err, TARE_CHILD, "not asked here");
}

/* ---- commits ---- */

static void commits_are_read_newest_first_and_stand_oldest_first(void **state)
{
    static const char text[] = "h3\0"
                               "30\0Ann\0third: with | and \\n\n"
                               "h1\0"
                               "10\0Bob\0\n"
                               "h2\0"
                               "20\0\0second";
    struct history_line line;
    struct git git = {0};
    struct arena arena = {0};
    struct tare_err err;
    (void)state;
    n_logs = 0;
    log_text = text;
    log_bytes = sizeof text - 1;
    assert_int_equal(history_line_read(&line, &git, "HEAD", &arena, &err), TARE_OK);
    assert_int_equal(line.n, 3);
    assert_string_equal(line.root, "h2");
    assert_string_equal(line.commits[2].subject, "third: with | and \\n");
    assert_string_equal(line.commits[1].author, "Bob");
    assert_string_equal(line.commits[1].subject, "");
    assert_true(line.commits[0].time_s == 20);
    assert_int_equal(history_position(&line, "h3"), 2);
    assert_int_equal(history_position(&line, "h1"), 1);
    assert_int_equal(history_position(&line, "h4"), -1);
    arena_finish(&arena);
}

static void commits_that_change_only_the_history_are_known(void **state)
{
    struct history_commit commits[6];
    int sorted[6];
    struct git git = {0};
    struct arena arena = {0};
    struct history_line line = {.commits = commits, .n = 6, .sorted = sorted, .git = &git, .arena = &arena};
    static const char *const hashes[] = {"h0", "h1", "h2", "h3", "h4", "h5"};
    struct tare_err err;
    (void)state;
    for (int i = 0; i < 6; i++) {
        commits[i] = (struct history_commit){.hash = hashes[i]};
        sorted[i] = i;
    }
    others_text = "";
    assert_int_equal(history_line_results(&line, ".tare/history", &err), TARE_OK);
    assert_false(history_only_results(&line, 4)); /* no commit has results */
    others_text = "h0\nh2\nh3\nh5";
    assert_int_equal(history_line_results(&line, ".tare/history", &err), TARE_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(history_only_results(&line, i), i == 1 || i == 4);
    assert_int_equal(history_candidates(&line, 1, 4), 2);
    arena_finish(&arena);
}

static void without_a_repository_there_is_no_line(void **state)
{
    struct history_line line;
    struct git git = {0};
    struct arena arena = {0};
    struct tare_err err;
    (void)state;
    log_text = NULL;
    assert_int_equal(history_line_read(&line, &git, "HEAD", &arena, &err), TARE_NOT_FOUND);
    arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commits_are_read_newest_first_and_stand_oldest_first),
        cmocka_unit_test(commits_that_change_only_the_history_are_known),
        cmocka_unit_test(without_a_repository_there_is_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
