/* SPDX-License-Identifier: MIT
 *
 * Files of Windows that others hold, or that are devices, and their names.
 */
#include "win32.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void ok(enum tare_status status, const struct tare_err *err)
{
    if (status)
        fail_msg("%s", err->text);
}

static struct buf folder_for(const char *name)
{
    struct tare_err err = {""};
    struct buf path = BUF_INIT(1 << 12);
    ok(plat_directory_private(&path, "tare-test-", &err), &err);
    buf_str(&path, name);
    return path;
}

static void remove_folder_of(struct buf *path)
{
    path->data[plat_base_name(path->data) - path->data] = 0;
    plat_directory_remove(path->data, NULL);
    buf_finish(path);
}

static void the_name_of_a_file_is_behind_slashes_backslashes_and_drives(void **state)
{
    (void)state;
    assert_string_equal(plat_base_name("C:\\a b\\x.exe"), "x.exe");
    assert_string_equal(plat_base_name("a\\b/x"), "x");
    assert_string_equal(plat_base_name("C:x"), "x");
    assert_string_equal(plat_base_name("x"), "x");
}

/* Before anything is measured, for to write it comes last. */
static void a_file_that_cannot_be_replaced_is_known_when_it_is_opened(void **state)
{
    (void)state;
    enum { LOCKED = FILE_ATTRIBUTE_READONLY };
    struct tare_err err = {""};
    struct plat_file *f;
    struct buf path = folder_for("/locked");
    ok(plat_file_put(path.data, "12", 2, &err), &err);
    assert_true(SetFileAttributesA(path.data, LOCKED));
    assert_int_equal(plat_file_create(&f, path.data, PLAT_FILE_REPLACE, &err), TARE_PERMISSION);
    assert_true(SetFileAttributesA(path.data, FILE_ATTRIBUTE_NORMAL));
    HANDLE theirs = CreateFileA(path.data, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    assert_int_equal(plat_file_create(&f, path.data, PLAT_FILE_REPLACE, &err), TARE_BUSY);
    assert_non_null(strstr(err.text, "another program has it open"));
    CloseHandle(theirs);
    ok(plat_file_create(&f, path.data, PLAT_FILE_REPLACE, &err), &err);
    ok(plat_file_commit(f, &err), &err);
    remove_folder_of(&path);
}

static void names_of_devices_make_no_files(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_file *f;
    struct buf path = folder_for("/nul"), names = BUF_INIT(1 << 10);
    int n;
    ok(plat_file_create(&f, path.data, PLAT_FILE_REPLACE, &err), &err);
    ok(plat_file_write(f, "x", 1, &err), &err);
    ok(plat_file_commit(f, &err), &err);
    if (!plat_file_create(&f, "CON", PLAT_FILE_REPLACE, &err)) /* there may be no console */
        ok(plat_file_commit(f, &err), &err);
    path.data[strlen(path.data) - strlen("nul")] = 0;
    ok(plat_directory_list(path.data, &names, &n, &err), &err);
    assert_int_equal(n, 0);
    buf_finish(&names);
    remove_folder_of(&path);
}

static DWORD WINAPI close_soon(void *handle)
{
    Sleep(300);
    CloseHandle(handle);
    return 0;
}

/* As the trace of a program that is just ending is. */
static void a_folder_goes_once_its_last_file_is_closed(void **state)
{
    (void)state;
    enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
    struct tare_err err = {""};
    struct buf path = folder_for("/held");
    ok(plat_file_put(path.data, "12", 2, &err), &err);
    HANDLE theirs = CreateFileA(path.data, GENERIC_READ, SHARED, NULL, OPEN_EXISTING, 0, NULL);
    HANDLE thread = CreateThread(NULL, 0, close_soon, theirs, 0, NULL);
    path.data[plat_base_name(path.data) - path.data] = 0;
    ok(plat_directory_remove(path.data, &err), &err);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    buf_finish(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_of_a_file_is_behind_slashes_backslashes_and_drives),
        cmocka_unit_test(a_file_that_cannot_be_replaced_is_known_when_it_is_opened),
        cmocka_unit_test(names_of_devices_make_no_files),
        cmocka_unit_test(a_folder_goes_once_its_last_file_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
