/* SPDX-License-Identifier: MIT
 *
 * Files that are memory, into which traced programs write, and the memory that each of their threads has for itself.
 */
#include "plat_process.h"
#include "plat_state.h"
#include "plat_thread.h"
#include "plat_trace.h"
#include "win32.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/detail/point_hit.h>

#include <cmocka.h>

/* Started once more by a test, it writes and is killed. */
#define VARIABLE "TARE_WINDOW_TEST"

static void ok(enum tare_status status, const struct tare_err *err)
{
    if (status)
        fail_msg("%s", err->text);
}

/* ---- files that are memory ---- */

enum { UNIT = 16384, UNITS = 40 };

static char *new_path(struct buf *path)
{
    struct tare_err err;
    ok(plat_directory_private(path, "tare-window-", &err), &err);
    buf_str(path, "/a.trace");
    return path->data;
}

static void remove_folder_of(struct buf *path)
{
    path->len -= sizeof "/a.trace" - 1;
    path->data[path->len] = 0;
    assert_int_equal(plat_directory_remove(path->data, NULL), TARE_OK);
    buf_finish(path);
}

/* Units of 16 KiB lie four to a piece that the system maps, and come in any order. */
static void a_window_grows_where_it_is(void **state)
{
    (void)state;
    static struct plat_window w, other;
    struct buf path = BUF_INIT(1 << 16), bytes = BUF_INIT(1 << 22);
    struct tare_err err;
    new_path(&path);
    assert_int_equal(plat_window_create(&w, path.data, (uint64_t)UNITS * UNIT), 0);
    assert_int_equal(plat_window_create(&other, path.data, UNIT), EEXIST);
    const unsigned char *const base = w.base;
    static const int order[] = {0, 3, 1, 9, 2, 4, UNITS - 1};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const uint64_t at = (uint64_t)order[i] * UNIT;
        assert_int_equal(plat_window_grow(&w, at, UNIT), 0);
        plat_window_ready(&w, at, UNIT);
        assert_int_equal(w.base[at] | w.base[at + UNIT - 1], 0);
        memset(w.base + at, order[i] + 1, UNIT);
    }
    assert_ptr_equal(w.base, base);
    assert_int_equal(plat_window_grow(&w, (uint64_t)UNITS * UNIT, UNIT), ENOMEM); /* the limit */
    plat_window_leave(&w, 0, 4 * UNIT);
    assert_int_equal(plat_window_sync(&w, 0, (uint64_t)UNITS * UNIT), 0);
    ok(plat_file_read(path.data, &bytes, &err), &err); /* while it is open there */
    assert_int_equal(bytes.len, (uint64_t)UNITS * UNIT);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        assert_int_equal(bytes.data[(size_t)order[i] * UNIT + UNIT - 1], order[i] + 1);
    buf_finish(&bytes);
    for (unsigned char *at = w.base; at < base + UNITS * UNIT; at += 4 * UNIT)
        UnmapViewOfFile(at);
    plat_window_inherited(&w, 0);
    remove_folder_of(&path);
}

static void a_window_that_cannot_be_made_says_why(void **state)
{
    (void)state;
    static struct plat_window w;
    static char longest[PLAT_WINDOW_PATH + 1];
    memset(longest, 'x', sizeof longest - 1);
    assert_int_equal(plat_window_create(&w, "Z:/no such folder/a.trace", UNIT), ENOENT);
    assert_int_equal(plat_window_create(&w, longest, UNIT), ENAMETOOLONG);
    assert_null(w.base);
}

/* What comes behind the grown part belongs to somebody else: no more room, and nothing of his is touched. */
static void a_window_meets_memory_of_others(void **state)
{
    (void)state;
    static struct plat_window w;
    struct buf path = BUF_INIT(1 << 16);
    new_path(&path);
    assert_int_equal(plat_window_create(&w, path.data, (uint64_t)UNITS * UNIT), 0);
    assert_int_equal(plat_window_grow(&w, 0, UNIT), 0);
    unsigned char *others = VirtualAlloc(w.base + 4 * UNIT, UNIT, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    assert_ptr_equal(others, w.base + 4 * UNIT);
    *others = 7;
    assert_int_equal(plat_window_grow(&w, 4 * UNIT, UNIT), ENOMEM);
    assert_int_equal(*others, 7);
    VirtualFree(others, 0, MEM_RELEASE);
    assert_int_equal(plat_window_grow(&w, 4 * UNIT, UNIT), 0);
    UnmapViewOfFile(w.base);
    UnmapViewOfFile(w.base + 4 * UNIT);
    plat_window_inherited(&w, 0);
    remove_folder_of(&path);
}

static struct plat_window shared_window;
static volatile LONG next_unit;

static void grow_in_turn(void *failed, int thread)
{
    (void)thread;
    for (LONG i; (i = InterlockedIncrement(&next_unit) - 1) < UNITS;) {
        const uint64_t at = (uint64_t)i * UNIT;
        if (plat_window_grow(&shared_window, at, UNIT))
            InterlockedIncrement(failed);
        else
            memset(shared_window.base + at, i + 1, UNIT);
    }
}

static void threads_grow_one_window(void **state)
{
    (void)state;
    struct buf path = BUF_INIT(1 << 16);
    struct tare_err err;
    volatile LONG failed = 0;
    new_path(&path);
    assert_int_equal(plat_window_create(&shared_window, path.data, (uint64_t)UNITS * UNIT), 0);
    ok(plat_threads_run(4, grow_in_turn, (void *)(uintptr_t)&failed, &err), &err);
    assert_int_equal(failed, 0);
    for (int i = 0; i < UNITS; i++)
        assert_int_equal(shared_window.base[i * UNIT + UNIT - 1], i + 1);
    plat_window_inherited(&shared_window, 0);
    buf_finish(&path); /* mapped as long as this process is, so the file stays */
}

/* "PATH DESCRIPTOR": writes and is ended like a program that somebody kills. */
static void write_and_be_killed(const char *words)
{
    static struct plat_window w;
    char path[1024] = "";
    memcpy(path, words, (size_t)(strrchr(words, ' ') - words));
    if (!plat_window_create(&w, path, UNITS * UNIT) && !plat_window_grow(&w, 0, UNITS * UNIT))
        memset(w.base, 'k', UNITS * UNIT);
    TerminateProcess(GetCurrentProcess(), 0);
}

static void what_a_killed_process_wrote_is_in_the_file(void **state)
{
    (void)state;
    struct buf path = BUF_INIT(1 << 16), request = BUF_INIT(1 << 16), bytes = BUF_INIT(1 << 22);
    struct tare_err err;
    size_t n;
    char none;
    buf_format(&request, "window %s", new_path(&path));
    ok(plat_process_again(VARIABLE, request.data, INT64_C(60000000000), &none, 1, &n, &err), &err);
    ok(plat_file_read(path.data, &bytes, &err), &err);
    assert_int_equal(bytes.len, UNITS * UNIT);
    for (size_t i = 0; i < bytes.len; i++)
        assert_int_equal(bytes.data[i], 'k');
    buf_finish(&bytes);
    buf_finish(&request);
    remove_folder_of(&path);
}

/* ---- memory of threads ---- */

static void look_at_block(void *blocks, int thread)
{
    uint32_t slot;
    struct tare_trace_thread *block = plat_trace_thread(), **found = blocks;
    found[thread] = plat_trace_thread_in_line(&slot) && TlsGetValue(slot) == block && !block->cpu ? block : NULL;
    block->cpu = 1;
    if (plat_trace_thread() != block)
        found[thread] = NULL;
    if (thread)
        plat_trace_thread_end();
}

static void each_thread_has_a_block_of_zeros_behind_one_slot(void **state)
{
    (void)state;
    struct tare_trace_thread *blocks[3] = {NULL};
    struct tare_err err;
    ok(plat_threads_run(3, look_at_block, blocks, &err), &err);
    assert_non_null(blocks[0]);
    assert_non_null(blocks[1]);
    assert_non_null(blocks[2]);
    plat_trace_thread_end();
    assert_int_equal(plat_trace_thread()->cpu, 0);
}

int main(void)
{
    char request[1024];
    if (plat_process_take_variable(VARIABLE, request, sizeof request))
        write_and_be_killed(request + sizeof "window " - 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_grows_where_it_is),
        cmocka_unit_test(a_window_that_cannot_be_made_says_why),
        cmocka_unit_test(a_window_meets_memory_of_others),
        cmocka_unit_test(threads_grow_one_window),
        cmocka_unit_test(what_a_killed_process_wrote_is_in_the_file),
        cmocka_unit_test(each_thread_has_a_block_of_zeros_behind_one_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
