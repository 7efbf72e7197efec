/* SPDX-License-Identifier: MIT
 * Folders: made, listed, and removed with all in them. */
#include "plat_world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void a_private_folder_goes_with_all_in_it_and_nothing_else(void **state)
{
    (void)state;
    struct tare_err err;
    struct buf path = BUF_INIT(4096);
    const char *place = scratch("");
    assert_int_equal(setenv("TMPDIR", place, 1), 0);
    assert_ok(plat_directory_private(&path, "ours-", &err));
    assert_int_equal(unsetenv("TMPDIR"), 0);
    struct stat st;
    assert_int_equal(stat(buf_text(&path), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    write_text(scratch("outside"), "stays");
    char command[8192];
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p a/b/c 'odd\nname' && echo x >a/b/c/d && ln -s '%s' a/b/outside && ln -s / a/root && ln -s "
             "nowhere dangling && "
             "chmod 500 a/b/c && chmod 000 a/b && echo made",
             buf_text(&path), scratch("outside"));
    assert_string_equal(output_of(ARGS("/bin/sh", "-c", command)), "made\n");
    assert_ok(plat_directory_remove(buf_text(&path), &err));
    assert_int_equal(access(buf_text(&path), F_OK), -1);
    assert_string_equal(read_text(scratch("outside")), "stays");
    assert_ok(plat_directory_remove(buf_text(&path), &err)); /* once more: it is not there */
    buf_finish(&path);
}

static char nested[256];

/* The folder, and beside what goes deep those whose names others might want. */
static bool make_nested(void)
{
    bool made = !mkdir(nested, 0755) && !chdir(nested) && !mkdir("0", 0755) && !mkdir("0/full", 0755) && !mkdir("0/full/x", 0755);
    for (int depth = 0; made && depth < 300; depth++)
        made = !mkdir("1", 0755) && !chdir("1") && !mkdir("closed", 0755) && !mkdir("closed/x", 0755) && !chmod("closed", 0500);
    return made && !chdir("/");
}

static int remove_nested(void)
{
    struct rlimit few = {32, 32};
    struct tare_err err = {{0}};
    if (!geteuid() && (setgid(65534) || setuid(65534)))
        return 77;
    if (!make_nested())
        return unless(false, "the folders are made");
    setrlimit(RLIMIT_NOFILE, &few);
    enum tare_status status = plat_directory_remove(nested, &err);
    return unless(!status, err.text) | unless(access(nested, F_OK) == -1, "the folder is gone");
}

static void a_folder_goes_however_deep_it_is(void **state)
{
    (void)state;
    const char *place = scratch("open");
    assert_int_equal(mkdir(place, 0755), 0);
    assert_int_equal(chmod(place, 01777), 0);
    snprintf(nested, sizeof nested, "%s", scratch("open/nested"));
    int answer = in_process(remove_nested);
    if (answer == 77)
        skip();
    assert_int_equal(answer, 0);
}

static void a_private_folder_needs_a_place(void **state)
{
    (void)state;
    struct tare_err err;
    struct buf path = BUF_INIT(4096);
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_int_equal(plat_directory_private(&path, "ours-", &err), TARE_NOT_FOUND);
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_string_equal(err.text, "cannot use TMPDIR (/nowhere/at/all): No such file or directory");
    buf_finish(&path);
}

static void a_folder_is_made_once_and_listed_in_the_order_of_bytes(void **state)
{
    (void)state;
    struct tare_err err;
    struct buf names = BUF_INIT(4096);
    int n = -1;
    const char *folder = scratch("listed");
    assert_ok(plat_directory_new(folder, &err));
    assert_ok(plat_directory_make(folder, &err));
    assert_int_equal(plat_directory_new(folder, &err), TARE_IO);
    assert_ok(plat_directory_list(folder, &names, &n, &err));
    assert_int_equal(n, 0);
    write_text(scratch("listed/b"), "x");
    write_text(scratch("listed/.a"), "x");
    write_text(scratch("listed/B"), "x");
    assert_ok(plat_directory_list(folder, &names, &n, &err));
    assert_int_equal(n, 3);
    assert_int_equal(names.len, sizeof ".a\0B\0b");
    assert_memory_equal(names.data, ".a\0B\0b", sizeof ".a\0B\0b");
    struct buf path = BUF_INIT(4096), again = BUF_INIT(4096);
    char round_about[4096];
    snprintf(round_about, sizeof round_about, "%s/../listed/.", folder);
    assert_ok(plat_directory_path(folder, &path, &err));
    assert_ok(plat_directory_path(round_about, &again, &err));
    assert_int_equal(buf_text(&path)[0], '/');
    assert_string_equal(buf_text(&path), buf_text(&again));
    assert_int_equal(plat_directory_path(scratch("nowhere"), &again, &err), TARE_NOT_FOUND);
    buf_finish(&path);
    buf_finish(&again);
    assert_int_equal(plat_directory_make(scratch("listed/b"), &err), TARE_IO);
    assert_int_equal(plat_directory_make(scratch("nowhere/new"), &err), TARE_NOT_FOUND);
    assert_int_equal(plat_directory_list(scratch("listed/b"), &names, &n, &err), TARE_NOT_FOUND);
    assert_text_has(err.text, "cannot read the folder ");
    buf_finish(&names);
}

TESTS(directory, cmocka_unit_test(a_private_folder_goes_with_all_in_it_and_nothing_else),
      cmocka_unit_test(a_folder_goes_however_deep_it_is), cmocka_unit_test(a_private_folder_needs_a_place),
      cmocka_unit_test(a_folder_is_made_once_and_listed_in_the_order_of_bytes));
