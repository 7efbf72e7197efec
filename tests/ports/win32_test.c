/* SPDX-License-Identifier: MIT
 *
 * What Windows is asked of processes, sessions, memory, state and files, as plat.h promises it.
 */
#include "nt.h"
#include "plat_guard.h"
#include "plat_memory.h"
#include "plat_process.h"
#include "plat_state.h"
#include "plat_thread.h"
#include "plat_trace.h"
#include "win32.h"
#include <aclapi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winioctl.h>

#include <cmocka.h>

/* Started once more by a test, it does what the variable says. */
#define VARIABLE "TARE_WIN32_TEST"

static void ok(enum tare_status status, const struct tare_err *err)
{
    if (status)
        fail_msg("%s", err->text);
}

/* ---- processes ---- */

static void a_process_has_a_beginning_an_image_and_a_mark(void **state)
{
    (void)state;
    struct buf image = BUF_INIT(1 << 16), mark = BUF_INIT(256);
    const int64_t began = plat_process_began(plat_pid());
    assert_true(began > 0);
    assert_int_equal(began, (int64_t)plat_process_start());
    plat_process_image(plat_pid(), &image);
    assert_non_null(strstr(buf_text(&image), "test_win32.exe"));
    assert_true(plat_process_mark(&mark));
    assert_false(plat_process_mark_ended(mark.data));
    buf_finish(&image);
    buf_finish(&mark);
}

static void a_mark_of_a_process_that_ended_is_known(void **state)
{
    (void)state;
    struct buf mark = BUF_INIT(256);
    assert_true(plat_process_mark(&mark));
    char *last = mark.data + mark.len - 1;
    *last = *last == '1' ? '2' : '1'; /* our number, begun at another time */
    assert_true(plat_process_mark_ended(mark.data));
    mark.data[0] = mark.data[0] == '0' ? '1' : '0'; /* of another machine */
    assert_false(plat_process_mark_ended(mark.data));
    assert_false(plat_process_mark_ended("no mark"));
    assert_int_equal(plat_process_began(0x7ffffff0), -1);
    buf_finish(&mark);
}

static void all_processes_are_listed(void **state)
{
    (void)state;
    int ids[4096], n = plat_process_ids(ids, 4096);
    bool found = false;
    assert_true(n > 0);
    for (int i = 0; i < n && i < 4096; i++)
        found |= ids[i] == plat_pid();
    assert_true(found);
    assert_true(plat_process_parent() >= 0); /* Wine starts its first program out of nothing */
}

static enum tare_status again(const char *what, char *answer, size_t size, size_t *n, struct tare_err *err)
{
    return plat_process_again(VARIABLE, what, 20000000000, answer, size, n, err);
}

static void this_program_is_started_again_and_answers(void **state)
{
    (void)state;
    struct tare_err err = {""};
    char answer[64] = "";
    size_t n;
    ok(again("answer", answer, sizeof answer, &n, &err), &err);
    assert_int_equal(n, 5);
    assert_memory_equal(answer, "hello", 5);
    assert_int_equal(again("fault", answer, sizeof answer, &n, &err), TARE_CHILD);
    assert_non_null(strstr(err.text, "ended by exception 0xc0000005"));
    assert_int_equal(plat_process_again(VARIABLE, "hang", 300000000, answer, sizeof answer, &n, &err), TARE_CHILD);
    assert_non_null(strstr(err.text, "longer than it may"));
    assert_int_equal(plat_process_again(VARIABLE, "silent", 300000000, answer, sizeof answer, &n, &err), TARE_CHILD);
    assert_non_null(strstr(err.text, "longer than it may")); /* it closed its end, and lives on */
}

/* ---- a guard ---- */

static char guarded[512]; /* the file that the guard makes */

static bool is_made(const char *path)
{
    struct plat_file_state found;
    for (int i = 0; i < 100; i++) {
        if (!plat_file_state(path, &found, NULL))
            return true;
        Sleep(50);
    }
    return false;
}

static void a_guard_works_when_its_process_was_killed(void **state)
{
    (void)state;
    struct tare_err err = {""};
    char answer[sizeof guarded + 1] = "";
    size_t n;
    assert_int_equal(plat_process_again(VARIABLE, "guarded", 1500000000, answer, sizeof answer - 1, &n, &err), TARE_CHILD);
    answer[n] = 0;
    assert_true(n > 0);
    assert_true(is_made(answer));
    ok(plat_file_remove(answer, &err), &err);
    ok(again("unguarded", answer, sizeof answer - 1, &n, &err), &err);
    answer[n] = 0;
    Sleep(500);
    struct plat_file_state found;
    assert_int_equal(plat_file_state(answer, &found, NULL), TARE_NOT_FOUND);
}

/* ---- sessions ---- */

static void another_session_is_seen_but_not_one_that_we_started(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_presence *first, *second;
    char answer[8];
    int pids[4];
    size_t n;
    ok(plat_presence_create(&first, &err), &err);
    assert_int_equal(plat_presence_others(first, pids, 4), 0);
    ok(again("present", answer, sizeof answer, &n, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(answer[0], '0'); /* it sees nobody, as we started it */
    assert_int_equal(plat_presence_others(first, pids, 4), 0);
    ok(plat_presence_create(&second, &err), &err);
    assert_int_equal(plat_presence_others(second, pids, 4), 0); /* ourselves */
    plat_presence_destroy(second);
    plat_presence_destroy(first);
}

/* Nobody's child, as far as it can tell. */
static void a_stranger_is_seen_whatever_rights_it_has(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_presence *first;
    char answer[8];
    int pids[4];
    size_t n;
    ok(plat_presence_create(&first, &err), &err);
    ok(again("stranger", answer, sizeof answer, &n, &err), &err);
    assert_int_equal(answer[0], '1');
    assert_int_equal(plat_presence_others(first, pids, 4), 1);
    ok(again("barred", answer, sizeof answer, &n, &err), &err);
    assert_int_equal(answer[0], '1'); /* it may not ask the system about us: we are an administrator's */
    ok(again("reused", answer, sizeof answer, &n, &err), &err);
    assert_int_equal(answer[0], '1'); /* its parent has ended, and we have its number */
    plat_presence_destroy(first);
}

/* ---- memory ---- */

static void shared_memory_is_found_by_its_name(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_shared s;
    ok(plat_shared_create(&s, 100000, &err), &err);
    HANDLE h = OpenFileMappingA(FILE_MAP_ALL_ACCESS, FALSE, s.path);
    assert_non_null(h);
    char *other = MapViewOfFile(h, FILE_MAP_ALL_ACCESS, 0, 0, 100000);
    assert_non_null(other);
    assert_int_equal(other[99999], 0);
    ((char *)s.memory)[99999] = 7;
    assert_int_equal(other[99999], 7);
    UnmapViewOfFile(other);
    CloseHandle(h);
    plat_shared_destroy(&s);
    plat_shared_destroy(&s);
}

static void shared_memory_that_somebody_else_made_is_not_taken(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_shared s;
    char next[sizeof s.path + 16];
    ok(plat_shared_create(&s, 4096, &err), &err);
    const char *number = strrchr(s.path, '-') + 1;
    snprintf(next, sizeof next, "%.*s%d", (int)(number - s.path), s.path, atoi(number) + 1);
    plat_shared_destroy(&s);
    HANDLE h = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, 4096, next);
    assert_non_null(h);
    assert_int_not_equal(plat_shared_create(&s, 4096, &err), TARE_OK);
    CloseHandle(h);
    ok(plat_shared_create(&s, 4096, &err), &err);
    plat_shared_destroy(&s);
}

static void this_process_knows_its_memory(void **state)
{
    (void)state;
    struct plat_process_memory m;
    assert_true(plat_process_memory(&m));
    assert_true(m.now_bytes > 0 && m.peak_bytes >= m.now_bytes);
}

/* ---- state ---- */

static struct buf folder_for(const char *name)
{
    struct tare_err err = {""};
    struct buf path = BUF_INIT(1 << 12);
    ok(plat_directory_private(&path, "tare-test-", &err), &err);
    buf_str(&path, name);
    return path;
}

static void state_is_kept_for_one_at_a_time(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_state *s, *other;
    struct buf path = folder_for("/upper/\xc3\xa4pfel"), text = BUF_INIT(1 << 12);
    assert_int_equal(plat_state_look(&s, path.data, &err), TARE_NOT_FOUND);
    ok(plat_state_open(&s, path.data, &err), &err);
    assert_int_equal(plat_state_open(&other, path.data, &err), TARE_BUSY);
    ok(plat_state_create(s, "journal", &err), &err);
    ok(plat_state_append(s, "one\n", 4, true, &err), &err);
    ok(plat_state_append(s, "tw", 2, false, &err), &err);
    ok(plat_state_look(&other, path.data, &err), &err);
    ok(plat_state_read(other, "journal", &text, &err), &err);
    assert_string_equal(text.data, "one\ntw");
    plat_state_close(other);
    plat_state_close(s);
    ok(plat_state_open(&s, path.data, &err), &err); /* the lock went with it */
    ok(plat_state_continue(s, "journal", 4, &err), &err);
    ok(plat_state_append(s, "two\n", 4, true, &err), &err);
    buf_clear(&text);
    ok(plat_state_read(s, "journal", &text, &err), &err);
    assert_string_equal(text.data, "one\ntwo\n");
    ok(plat_state_remove(s, "journal", &err), &err);
    ok(plat_state_remove(s, "journal", &err), &err);
    assert_int_equal(plat_state_read(s, "journal", &text, &err), TARE_NOT_FOUND);
    plat_state_close(s);
    path.data[strlen(path.data) - strlen("/upper/\xc3\xa4pfel")] = 0;
    ok(plat_directory_remove(path.data, &err), &err);
    assert_false(plat_is_directory(path.data));
    buf_finish(&path);
    buf_finish(&text);
}

/* ---- rights ---- */

/* Whether the system lets every user do any of this there. */
static bool everyone_may(const char *path, DWORD mask)
{
    ACL *list;
    PSECURITY_DESCRIPTOR all;
    bool may = false;
    wchar_t *wide = wide_path(path);
    assert_int_equal(GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, &list, NULL, &all), 0);
    for (DWORD i = 0; i < list->AceCount; i++) {
        ACCESS_ALLOWED_ACE *ace;
        assert_true(GetAce(list, i, (void **)&ace));
        may |= IsWellKnownSid(&ace->SidStart, WinWorldSid) && ace->Mask & mask;
    }
    LocalFree(all);
    free(wide);
    return may;
}

static void let_everyone_write(const char *path)
{
    EXPLICIT_ACCESSW entry = {
        .grfAccessPermissions = FILE_ALL_ACCESS, .grfAccessMode = GRANT_ACCESS, .grfInheritance = NO_INHERITANCE};
    wchar_t *wide = wide_path(path);
    ACL *list;
    char room[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof room;
    assert_true(CreateWellKnownSid(WinWorldSid, NULL, room, &size));
    entry.Trustee = (TRUSTEEW){.TrusteeForm = TRUSTEE_IS_SID, .ptstrName = (wchar_t *)(void *)room};
    assert_int_equal(SetEntriesInAclW(1, &entry, NULL, &list), 0);
    assert_int_equal(SetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, list, NULL), 0);
    LocalFree(list);
    free(wide);
}

static void what_is_for_us_alone_others_may_not_even_read(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_state *s;
    struct buf path = folder_for(""), scratch = BUF_INIT(1 << 12);
    assert_false(everyone_may(path.data, FILE_READ_DATA));
    buf_str(&path, "/state");
    ok(plat_state_open(&s, path.data, &err), &err);
    ok(plat_state_create(s, "journal", &err), &err);
    plat_state_close(s);
    assert_false(everyone_may(path.data, FILE_READ_DATA));
    const int fd = plat_open_scratch(&err);
    assert_true(fd >= 0);
    plat_scratch_path(fd, &scratch);
    assert_false(everyone_may(scratch.data, FILE_READ_DATA));
    plat_close(fd);
    struct plat_file_state gone;
    assert_int_equal(plat_file_state(scratch.data, &gone, &err), TARE_NOT_FOUND);
    let_everyone_write(path.data);
    assert_true(everyone_may(path.data, FILE_WRITE_DATA));
    assert_int_equal(plat_state_look(&s, path.data, &err), TARE_PERMISSION);
    assert_non_null(strstr(err.text, "other users may write there"));
    assert_int_equal(plat_state_open(&s, path.data, &err), TARE_PERMISSION);
    buf_finish(&path);
    buf_finish(&scratch);
}

static void state_has_a_home(void **state)
{
    (void)state;
    struct buf home = BUF_INIT(1 << 12);
    assert_true(plat_state_home(false, &home));
    assert_true(plat_is_directory(home.data));
    buf_finish(&home);
}

/* ---- files and words ---- */

static void a_file_is_read_again_from_its_start(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct buf path = folder_for("/value");
    char text[8];
    ok(plat_file_put(path.data, "12", 2, &err), &err);
    const int fd = plat_reread_open(path.data, &err);
    assert_true(fd >= 0);
    assert_int_equal(plat_reread(fd, text, sizeof text), 2);
    assert_int_equal(plat_reread(fd, text, sizeof text), 2);
    assert_memory_equal(text, "12", 2);
    plat_reread_close(fd);
    assert_int_equal(plat_reread(-1, text, sizeof text), -1);
    assert_int_equal(plat_reread_open("/proc/stat", &err), -1);
    assert_string_equal(err.text, "Windows has no /proc/stat");
    buf_finish(&path);
}

/* ---- the disk ---- */

static int flushed;

static BOOL WINAPI count_flush(HANDLE h)
{
    (void)h;
    flushed++;
    return TRUE;
}

static void what_can_be_made_again_waits_for_no_disk(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct nt_calls counting = *nt();
    struct buf path = folder_for("/value"), text = BUF_INIT(64);
    counting.flush = count_flush;
    nt_replace(&counting);
    ok(plat_file_put(path.data, "12", 2, &err), &err);
    const int waited = flushed;
    ok(plat_file_replace(path.data, "123", 3, &err), &err);
    nt_replace(NULL);
    assert_int_equal(waited, 0);
    assert_int_equal(flushed, 1);
    ok(plat_file_read(path.data, &text, &err), &err);
    assert_string_equal(text.data, "123");
    buf_finish(&path);
    buf_finish(&text);
}

static void a_lost_file_is_made_anew_where_it_was(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct plat_file *f, *again;
    struct buf path = folder_for("/upper/record"), text = BUF_INIT(64);
    path.data[path.len - 7] = 0;
    ok(plat_directory_make(path.data, &err), &err);
    path.data[path.len - 7] = '/';
    ok(plat_file_create(&f, path.data, PLAT_FILE_APPEND_NEW, &err), &err);
    ok(plat_file_write(f, "one", 3, &err), &err);
    assert_true(plat_file_intact(f));
    struct buf away = folder_for("/away");
    wchar_t *from = wide_path(path.data), *to = wide_path(away.data);
    assert_true(MoveFileExW(from, to, 0));
    free(from);
    free(to);
    buf_finish(&away);
    path.data[path.len - 7] = 0;
    ok(plat_directory_remove(path.data, &err), &err);
    path.data[path.len - 7] = '/';
    assert_false(plat_file_intact(f));
    ok(plat_file_renew(&again, f, &err), &err);
    ok(plat_file_write(again, "two", 3, &err), &err);
    ok(plat_file_commit(again, &err), &err);
    ok(plat_file_read(path.data, &text, &err), &err);
    assert_string_equal(text.data, "two");
    ok(plat_file_remove(path.data, &err), &err);
    ok(plat_directory_make(path.data, &err), &err);
    assert_int_equal(plat_file_renew(&again, f, &err), TARE_IO);
    assert_non_null(strstr(err.text, "it is no longer a regular file"));
    plat_file_abandon(f);
    buf_finish(&path);
    buf_finish(&text);
}

static int64_t on_the_disk(int fd)
{
    FILE_STANDARD_INFO i;
    assert_true(GetFileInformationByHandleEx(win32_handle(fd), FileStandardInfo, &i, sizeof i));
    return i.AllocationSize.QuadPart;
}

static void what_is_trimmed_is_given_back_and_the_size_stays(void **state)
{
    (void)state;
    enum { ALL = 1 << 22, KEPT = 1 << 16 };
    struct tare_err err = {""};
    char *bytes = malloc(ALL), some[4];
    const int fd = plat_open_scratch(&err);
    assert_true(bytes && fd >= 0);
    memset(bytes, 'x', ALL);
    ok(plat_scratch_write(fd, bytes, ALL, &err), &err);
    plat_scratch_trim(fd, KEPT);
    assert_int_equal(plat_scratch_size(fd), ALL);
    assert_true(on_the_disk(fd) < ALL / 2);
    ok(plat_scratch_read(fd, KEPT - 2, some, 4, &err), &err);
    assert_memory_equal(some, "xx\0\0", 4);
    ok(plat_scratch_write(fd, "more", 4, &err), &err); /* where it stood */
    assert_int_equal(plat_scratch_size(fd), ALL + 4);
    plat_close(fd);
    free(bytes);
}

static void no_character_is_cut(void **state)
{
    (void)state;
    const char *text = "ab\xe2\x82\xac\xf0\x9d\x84\x9e";
    assert_int_equal(utf8_piece(text, 9, 20), 9);
    assert_int_equal(utf8_piece(text, 9, 8), 5);
    assert_int_equal(utf8_piece(text, 9, 5), 5);
    assert_int_equal(utf8_piece(text, 9, 4), 2);
    assert_int_equal(utf8_piece(text, 9, 2), 2);
    assert_int_equal(utf8_piece("\x82\x82\x82\x82\x82\x82", 6, 5), 5); /* no text at all */
    assert_int_equal(utf8_piece("\xe2\x82\xac", 3, 2), 2);             /* no room for one */
}

static void names_may_have_any_letters_and_be_long(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct buf path = folder_for(""), text = BUF_INIT(64), names = BUF_INIT(1 << 12);
    const size_t before = path.len;
    for (int i = 0; i < 6; i++) {
        buf_str(&path,
                "/\xd0\xbf\xd0\xb0\xd0\xbf\xd0\xba\xd0\xb0-\xe6\xb8\xac\xe5\xae\x9a-0123456789-0123456789-0123456789-0123456789");
        ok(plat_directory_make(path.data, &err), &err);
    }
    assert_true(path.len > 400);
    buf_str(&path, "/\xe2\x82\xac.txt");
    ok(plat_file_put(path.data, "x", 1, &err), &err);
    ok(plat_file_read(path.data, &text, &err), &err);
    assert_string_equal(text.data, "x");
    path.data[path.len - 8] = 0;
    int n;
    ok(plat_directory_list(path.data, &names, &n, &err), &err);
    assert_int_equal(n, 1);
    assert_string_equal(names.data, "\xe2\x82\xac.txt");
    path.data[before] = 0;
    ok(plat_directory_remove(path.data, &err), &err);
    assert_false(plat_is_directory(path.data));
    buf_finish(&path);
    buf_finish(&text);
    buf_finish(&names);
}

static void paths_of_files_not_yet_there_are_compared_in_full(void **state)
{
    (void)state;
    char one[512], other[512];
    memset(one, 'a', sizeof one - 1);
    for (size_t i = 100; i < sizeof one - 1; i += 100)
        one[i] = '/';
    one[sizeof one - 1] = 0;
    memcpy(other, one, sizeof one);
    assert_true(plat_same_file("no/such.txt", ".\\NO\\SUCH.TXT"));
    assert_false(plat_same_file("no/such.txt", "no/other.txt"));
    assert_true(plat_same_file(one, other));
    other[sizeof other - 2] = 'b';
    assert_false(plat_same_file(one, other));
    assert_false(plat_same_file("NUL", "NUL"));
    assert_false(plat_same_file("/dev/null", "/dev/null"));
}

static void a_batch_file_is_known_behind_dots_and_blanks(void **state)
{
    (void)state;
    struct tare_err err = {""};
    struct buf path = folder_for("/x.bat"), found = BUF_INIT(1 << 12);
    ok(plat_file_put(path.data, "@exit", 5, &err), &err);
    buf_str(&path, " .");
    assert_int_equal(plat_find_program(path.data, plat_environment(), NULL, &found, &err), TARE_PERMISSION);
    assert_non_null(strstr(err.text, "a batch file needs cmd.exe"));
    buf_finish(&path);
    buf_finish(&found);
}

static void an_error_names_no_placeholder(void **state)
{
    (void)state;
    assert_null(strstr(plat_errno_text(ERROR_BAD_EXE_FORMAT), "%1"));
}

static void a_variable_is_taken_from_the_environment(void **state)
{
    (void)state;
    char value[8];
    assert_false(plat_process_take_variable("TARE_NO_SUCH_VARIABLE", value, sizeof value));
    assert_non_null(plat_getenv("path")); /* as PATH */
}

/* ---- Ctrl-C ---- */

static void the_same_key_delivered_twice_is_one(void **state)
{
    (void)state;
    int64_t first = 0;
    assert_true(control_is_first(&first, 2, 5000000000));
    assert_true(control_is_same(&first, 2, 5000000000)); /* in another thread, at the same time */
    assert_true(control_is_same(&first, 2, 5099999999));
    assert_false(control_is_same(&first, 2, 5100000000));
    assert_false(control_is_same(&first, 21, 5000000001));
    assert_false(control_is_first(&first, 2, 9000000000));
}

/* Wine presses no Ctrl-Break for a program, so what Windows then calls is called. */
static void ctrl_break_is_noted_and_a_second_one_ends_the_program(void **state)
{
    (void)state;
    struct tare_err err = {""};
    char answer[8] = "";
    size_t n;
    assert_int_equal(again("break", answer, sizeof answer, &n, &err), TARE_CHILD);
    assert_memory_equal(answer, "21", 2);
    assert_non_null(strstr(err.text, "0xc000013a")); /* as those who started it know it from Ctrl-C */
}

/* ---- threads ---- */

static volatile LONG ended;

static void note_end(void *value)
{
    InterlockedExchangeAdd(&ended, (LONG)(intptr_t)value);
}

static DWORD WINAPI end_with(void *value)
{
    plat_thread_at_end(value);
    return 0;
}

static void the_end_of_a_thread_is_told_until_it_is_forgotten(void **state)
{
    (void)state;
    char title[16];
    assert_true(plat_thread_ends_watch(note_end));
    HANDLE thread = CreateThread(NULL, 0, end_with, (void *)5, 0, NULL);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    assert_int_equal(ended, 5);
    plat_thread_at_end((void *)7);
    plat_thread_ends_forget();
    assert_int_equal(ended, 5);
    assert_int_equal(plat_thread_number(), GetCurrentThreadId());
    plat_thread_title(title);
    assert_true(strlen(title) < sizeof title);
}

static void no_thread_counts_are_invented(void **state)
{
    (void)state;
    struct plat_thread_counts c;
    assert_false(plat_thread_counts(&c));
    assert_true(c.voluntary == -1 && c.involuntary == -1 && c.minflt == -1 && c.majflt == -1);
}

/* ---- what it does when it was started by a test ---- */

static const struct nt_calls *real;
static bool told_once;

static LONG WINAPI nobody(HANDLE process, int class, void *out, ULONG size, ULONG *needed)
{
    (void)process, (void)class, (void)out, (void)size, (void)needed;
    return (LONG)0xC0000022;
}

static HANDLE WINAPI bar(DWORD access, BOOL inherit, DWORD id)
{
    if (id == GetCurrentProcessId())
        return real->open_process(access, inherit, id);
    SetLastError(ERROR_ACCESS_DENIED);
    return NULL;
}

/* What is asked first of another process is our parent's beginning: another process had its number then. */
static BOOL WINAPI older(HANDLE of, FILETIME *born, FILETIME *end, FILETIME *kernel, FILETIME *user)
{
    const BOOL told = real->process_times(of, born, end, kernel, user);
    if (GetProcessId(of) != GetCurrentProcessId() && !told_once) {
        told_once = true;
        born->dwLowDateTime -= 1000000;
    }
    return told;
}

static void script_strangers(const char *request)
{
    static struct nt_calls scripted;
    real = nt();
    scripted = *real;
    if (!strncmp(request, "reused", 6))
        scripted.process_times = older;
    else
        scripted.process = nobody;
    if (!strncmp(request, "barred", 6))
        scripted.open_process = bar;
    nt_replace(&scripted);
}

static DWORD WINAPI press(void *key)
{
    return (DWORD)signal_control((DWORD)(intptr_t)key);
}

static void press_in_a_thread(DWORD key)
{
    HANDLE thread = CreateThread(NULL, 0, press, (void *)(intptr_t)key, 0, NULL);
    WaitForSingleObject(thread, 5000);
    CloseHandle(thread);
}

static int be_broken(int fd)
{
    char number[8];
    if (plat_signals_watch() || plat_signals_watch())
        return 1;
    press_in_a_thread(CTRL_BREAK_EVENT);
    press_in_a_thread(CTRL_BREAK_EVENT); /* the same one, delivered twice */
    if (WaitForSingleObject(signal_event(), 0) != WAIT_OBJECT_0)
        return 2;
    snprintf(number, sizeof number, "%d", plat_signal());
    plat_process_write(fd, number, strlen(number), NULL);
    Sleep(200);
    press_in_a_thread(CTRL_BREAK_EVENT);
    return 3;
}

static int guard_us(int fd, bool ends)
{
    struct tare_err err = {""};
    struct plat_guard *g;
    char program[512];
    const char *const words[] = {"guard", guarded, NULL};
    plat_process_program(program, sizeof program);
    snprintf(guarded, sizeof guarded, "%s.%d", program, plat_pid());
    if (plat_guard_start(&g, &(struct plat_guard_spec){.again = words}, &err))
        return 1;
    plat_process_write(fd, guarded, strlen(guarded), NULL);
    if (ends)
        return plat_guard_end(g, &err) != TARE_OK;
    Sleep(INFINITE);
    return 0;
}

static int as_child(const char *request)
{
    struct tare_err err = {""};
    const int fd = atoi(strrchr(request, ' ') + 1);
    if (!strncmp(request, "answer", 6))
        return plat_process_write(fd, "hello", 5, &err) ? 1 : 3;
    volatile uintptr_t nowhere = 8;
    if (!strncmp(request, "fault", 5))
        *(volatile int *)nowhere = 1;
    if (!strncmp(request, "guarded", 7) || !strncmp(request, "unguarded", 9))
        return guard_us(fd, *request == 'u');
    if (!strncmp(request, "break", 5))
        return be_broken(fd);
    if (!strncmp(request, "silent", 6))
        plat_close(fd);
    if (!strncmp(request, "hang", 4) || !strncmp(request, "silent", 6))
        Sleep(INFINITE);
    if (strncmp(request, "present", 7))
        script_strangers(request);
    struct plat_presence *p;
    int pids[4];
    if (plat_presence_create(&p, &err))
        return 1;
    const char digit = (char)('0' + plat_presence_others(p, pids, 4));
    plat_presence_destroy(p);
    return plat_process_write(fd, &digit, 1, &err) != TARE_OK;
}

int main(int argc, char **argv)
{
    char request[64];
    plat_arguments(&argc, &argv);
    if (argc > 1) /* a guard of a test */
        return plat_file_put(argv[1], "made", 4, NULL) != TARE_OK;
    if (plat_process_take_variable(VARIABLE, request, sizeof request)) {
        SetErrorMode(SEM_NOGPFAULTERRORBOX | SEM_FAILCRITICALERRORS);
        return as_child(request);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_has_a_beginning_an_image_and_a_mark),
        cmocka_unit_test(a_mark_of_a_process_that_ended_is_known),
        cmocka_unit_test(all_processes_are_listed),
        cmocka_unit_test(this_program_is_started_again_and_answers),
        cmocka_unit_test(a_guard_works_when_its_process_was_killed),
        cmocka_unit_test(another_session_is_seen_but_not_one_that_we_started),
        cmocka_unit_test(a_stranger_is_seen_whatever_rights_it_has),
        cmocka_unit_test(what_is_for_us_alone_others_may_not_even_read),
        cmocka_unit_test(what_can_be_made_again_waits_for_no_disk),
        cmocka_unit_test(a_lost_file_is_made_anew_where_it_was),
        cmocka_unit_test(what_is_trimmed_is_given_back_and_the_size_stays),
        cmocka_unit_test(no_character_is_cut),
        cmocka_unit_test(the_same_key_delivered_twice_is_one),
        cmocka_unit_test(ctrl_break_is_noted_and_a_second_one_ends_the_program),
        cmocka_unit_test(shared_memory_is_found_by_its_name),
        cmocka_unit_test(shared_memory_that_somebody_else_made_is_not_taken),
        cmocka_unit_test(this_process_knows_its_memory),
        cmocka_unit_test(state_is_kept_for_one_at_a_time),
        cmocka_unit_test(state_has_a_home),
        cmocka_unit_test(a_file_is_read_again_from_its_start),
        cmocka_unit_test(names_may_have_any_letters_and_be_long),
        cmocka_unit_test(paths_of_files_not_yet_there_are_compared_in_full),
        cmocka_unit_test(a_batch_file_is_known_behind_dots_and_blanks),
        cmocka_unit_test(an_error_names_no_placeholder),
        cmocka_unit_test(a_variable_is_taken_from_the_environment),
        cmocka_unit_test(the_end_of_a_thread_is_told_until_it_is_forgotten),
        cmocka_unit_test(no_thread_counts_are_invented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
