/* SPDX-License-Identifier: MIT
 *
 * The folder of the pages: what is written and removed there, and what never is. */
#include "site_files.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct buf folder;

static const char *at(const char *name)
{
    static char path[4096];
    struct buf b = buf_over(path, sizeof path);
    buf_format(&b, "%s/%s", buf_text(&folder), name);
    return path;
}

static bool there(const char *name)
{
    struct stat st;
    return !lstat(at(name), &st);
}

static void put_foreign(const char *name, const char *text)
{
    struct tare_err err;
    assert_int_equal(plat_file_put(at(name), text, strlen(text), &err), 0);
}

static void assert_content(const char *name, const char *text)
{
    struct tare_err err;
    struct buf b = BUF_INIT(1 << 16);
    assert_int_equal(plat_file_read(at(name), &b, &err), 0);
    assert_string_equal(buf_text(&b), text);
    buf_finish(&b);
}

static int make_folder(void **state)
{
    (void)state;
    struct tare_err err;
    folder = BUF_INIT(1 << 12);
    return plat_directory_private(&folder, "site", &err);
}

static int remove_folder(void **state)
{
    (void)state;
    struct tare_err err;
    int status = plat_directory_remove(buf_text(&folder), &err);
    buf_finish(&folder);
    return status;
}

struct run {
    struct arena arena;
    struct site_files files;
    int written;
    struct tare_err err;
};

static enum tare_status begin(struct run *r, const char *state)
{
    *r = (struct run){0};
    return site_files_open(&r->files, buf_text(&folder), state, &r->arena, &r->err);
}

static void page(struct run *r, const char *name, const char *content)
{
    bool written;
    site_files_keep(&r->files, name);
    assert_int_equal(site_files_begin(&r->files, &r->err), 0);
    assert_int_equal(site_files_put(&r->files, name, content, strlen(content), &written, &r->err), 0);
    r->written += written;
}

static void end(struct run *r)
{
    assert_int_equal(site_files_close(&r->files, &r->err), 0);
    arena_finish(&r->arena);
}

#define ONE   "000000000001.html"
#define OTHER "000000000002.html"

static void write_two(void)
{
    struct run r;
    assert_int_equal(begin(&r, "s"), 0);
    assert_false(r.files.same);
    assert_false(site_files_keep(&r.files, ONE));
    page(&r, ONE, "one");
    page(&r, OTHER, "other");
    assert_int_equal(r.written, 2);
    end(&r);
}

static void with_the_same_state_there_is_nothing_to_do(void **state)
{
    (void)state;
    write_two();
    struct run r;
    assert_int_equal(begin(&r, "s"), 0);
    assert_true(r.files.same);
    assert_true(site_files_keep(&r.files, ONE));
    assert_true(site_files_keep(&r.files, OTHER));
    assert_false(site_files_keep(&r.files, "000000000003.html"));
    arena_finish(&r.arena);
    assert_int_equal(begin(&r, "another state"), 0);
    assert_false(r.files.same);
    arena_finish(&r.arena);
}

static void a_page_that_comes_out_the_same_is_not_written(void **state)
{
    (void)state;
    write_two();
    struct run r;
    struct stat before, after;
    assert_int_equal(lstat(at(ONE), &before), 0);
    assert_int_equal(begin(&r, "another state"), 0);
    page(&r, ONE, "one");
    assert_int_equal(r.written, 0);
    page(&r, OTHER, "new");
    assert_int_equal(r.written, 1);
    end(&r);
    assert_int_equal(lstat(at(ONE), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_content(OTHER, "new");
}

static void a_page_that_was_deleted_or_is_of_no_series_any_more(void **state)
{
    (void)state;
    write_two();
    assert_int_equal(unlink(at(ONE)), 0);
    struct run r;
    assert_int_equal(begin(&r, "s"), 0);
    assert_false(site_files_keep(&r.files, ONE));
    page(&r, ONE, "one");
    end(&r);
    assert_content(ONE, "one");
    assert_false(there(OTHER));
}

static void a_folder_of_others_is_refused(void **state)
{
    (void)state;
    struct run r;
    put_foreign(".nojekyll", "");
    assert_int_equal(begin(&r, "s"), 0);
    arena_finish(&r.arena);
    put_foreign("thesis.txt", "years of work");
    assert_int_equal(begin(&r, "s"), TARE_INVALID);
    assert_non_null(strstr(r.err.text, "thesis.txt"));
    arena_finish(&r.arena);
    put_foreign("site.manifest", "something else");
    assert_int_equal(begin(&r, "s"), TARE_INVALID);
    arena_finish(&r.arena);
    assert_content("thesis.txt", "years of work");
}

static void files_of_others_that_came_later_stay(void **state)
{
    (void)state;
    write_two();
    put_foreign("CNAME", "example.org");
    put_foreign("site.manifest", "tare history html 1\nstate\ts\nfile\tCNAME\n");
    struct run r;
    assert_int_equal(begin(&r, "s"), 0);
    assert_false(r.files.same);
    end(&r);
    assert_content("CNAME", "example.org");
}

static void temporary_files_of_others_stay(void **state)
{
    (void)state;
    write_two();
    put_foreign("thesis.txt.0123abcd.tmp", "years of work");
    struct run r;
    assert_int_equal(begin(&r, "s"), 0);
    end(&r);
    assert_content("thesis.txt.0123abcd.tmp", "years of work");
}

static void a_pipe_in_place_of_the_manifest_is_refused(void **state)
{
    (void)state;
    struct run r;
    assert_int_equal(mkfifo(at("site.manifest"), 0600), 0);
    assert_int_equal(begin(&r, "s"), TARE_INVALID);
    assert_non_null(strstr(r.err.text, "regular"));
    arena_finish(&r.arena);
}

static void a_run_that_was_ended_early_leaves_nothing_known(void **state)
{
    (void)state;
    write_two();
    struct run r;
    assert_int_equal(begin(&r, "s"), 0);
    page(&r, ONE, "half a site");
    arena_finish(&r.arena); /* never closed */
    put_foreign(ONE ".0123abcd.tmp", "killed while it was written");
    put_foreign("index.html.0123abcd.tmp", "the same");
    assert_int_equal(begin(&r, "s"), 0);
    assert_false(r.files.same);
    assert_false(there(ONE ".0123abcd.tmp"));
    assert_false(there("index.html.0123abcd.tmp"));
    page(&r, OTHER, "other");
    end(&r);
    assert_false(there(ONE));
}

static void a_link_is_replaced_and_not_followed(void **state)
{
    (void)state;
    write_two();
    put_foreign(".elsewhere", "stays");
    char target[4096];
    strcpy(target, at(".elsewhere"));
    assert_int_equal(unlink(at(ONE)), 0);
    assert_int_equal(symlink(target, at(ONE)), 0);
    struct run r;
    assert_int_equal(begin(&r, "other"), 0);
    page(&r, ONE, "one");
    end(&r);
    assert_content(".elsewhere", "stays");
    assert_content(ONE, "one");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(with_the_same_state_there_is_nothing_to_do),
        IN_FOLDER(a_page_that_comes_out_the_same_is_not_written),
        IN_FOLDER(a_page_that_was_deleted_or_is_of_no_series_any_more),
        IN_FOLDER(a_folder_of_others_is_refused),
        IN_FOLDER(files_of_others_that_came_later_stay),
        IN_FOLDER(temporary_files_of_others_stay),
        IN_FOLDER(a_pipe_in_place_of_the_manifest_is_refused),
        IN_FOLDER(a_run_that_was_ended_early_leaves_nothing_known),
        IN_FOLDER(a_link_is_replaced_and_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
