/* SPDX-License-Identifier: MIT
 *
 * The kernel's signals of one thread, live: what must hold whatever else the machine does. No time is asserted to be short.
 */
#include "plat.h"
#include "plat_thread.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static struct plat_thread opened(void)
{
    struct plat_thread t;
    struct tare_err err = {{0}};
    if (plat_thread_open(&t, &err) && !strstr(err.text, "/proc/thread-self/schedstat"))
        fail_msg("%s", err.text);
    return t;
}

static void cpu_time_grows_with_work_and_never_beyond_wall_time(void **state)
{
    (void)state;
    int64_t wall = plat_now_ns(), cpu = plat_thread_cpu_ns();
    for (volatile int i = 0; i < 3000000; i++)
        ;
    int64_t used = plat_thread_cpu_ns() - cpu, passed = plat_now_ns() - wall;
    if (used <= 0 || used > passed + passed / 8) /* the scheduler's clock is not slewed as ours may be */
        fail_msg("%lld ns of CPU in %lld ns", (long long)used, (long long)passed);
}

static void sleeping_is_a_voluntary_switch_and_no_cpu_time(void **state)
{
    (void)state;
    struct plat_thread_counts before, after;
    int64_t least = INT64_MAX; /* a guest's CPU that stands still may be taken for work of ours */
    for (int i = 0; i < 10; i++) {
        assert_true(plat_thread_counts(&before));
        int64_t cpu = plat_thread_cpu_ns();
        plat_sleep_ns(2000000);
        cpu = plat_thread_cpu_ns() - cpu;
        assert_true(plat_thread_counts(&after));
        assert_true(after.voluntary - before.voluntary >= 1);
        least = cpu < least ? cpu : least;
    }
    if (least >= 2000000)
        fail_msg("%lld ns of CPU at least in each sleep of 2 ms", (long long)least);
}

static void touching_fresh_pages_is_a_fault_each(void **state)
{
    (void)state;
    enum { PAGES = 64 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    madvise(p, size, MADV_NOHUGEPAGE);
    struct plat_thread_counts before, after;
    plat_thread_counts(&before);
    for (int i = 0; i < PAGES; i++)
        p[(size_t)i * page] = 1;
    plat_thread_counts(&after);
    munmap(p, size);
    if (after.minflt - before.minflt < PAGES)
        fail_msg("%lld faults for %d pages", (long long)(after.minflt - before.minflt), PAGES);
}

static void the_delay_never_falls(void **state)
{
    (void)state;
    struct plat_thread t = opened();
    if (t.delay_fd < 0)
        skip();
    int64_t last = plat_thread_delay_ns(&t);
    assert_true(last >= 0);
    for (int i = 0; i < 1000; i++) {
        int64_t now = plat_thread_delay_ns(&t);
        assert_true(now >= last);
        last = now;
    }
    plat_thread_close(&t);
    assert_int_equal(plat_thread_delay_ns(&t), -1);
    plat_thread_close(&t);
    plat_thread_close(NULL);
}

static void the_descriptor_is_not_handed_to_children(void **state)
{
    (void)state;
    struct plat_thread t = opened();
    if (t.delay_fd < 0)
        skip();
    char path[64];
    struct buf name = buf_over(path, sizeof path), info = BUF_INIT(4096);
    buf_format(&name, "/proc/self/fdinfo/%d", t.delay_fd);
    assert_int_equal(plat_file_read(path, &info, NULL), TARE_OK);
    assert_non_null(strstr(info.data, "flags:\t02")); /* O_CLOEXEC, in octal */
    buf_finish(&info);
    plat_thread_close(&t);
}

static void the_cpu_is_one_that_is_allowed(void **state)
{
    (void)state;
    int cpu = plat_thread_cpu();
    if (!plat_cpu_allowed(cpu))
        fail_msg("CPU %d is not allowed", cpu);
}

static void suspension_stays_while_we_are_awake(void **state)
{
    (void)state;
    int64_t first = plat_suspended_ns();
    assert_true(first >= 0);
    int64_t apart = plat_suspended_ns() - first;
    if (apart < -1000000000 || apart > 1000000000)
        fail_msg("%lld ns apart", (long long)apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_time_grows_with_work_and_never_beyond_wall_time),
        cmocka_unit_test(sleeping_is_a_voluntary_switch_and_no_cpu_time),
        cmocka_unit_test(touching_fresh_pages_is_a_fault_each),
        cmocka_unit_test(the_delay_never_falls),
        cmocka_unit_test(the_descriptor_is_not_handed_to_children),
        cmocka_unit_test(the_cpu_is_one_that_is_allowed),
        cmocka_unit_test(suspension_stays_while_we_are_awake),
    };
    return cmocka_run_group_tests_name("plat_thread", tests, NULL, NULL);
}
