/* SPDX-License-Identifier: MIT
 *
 * Quotas of control groups of both versions, on canned trees: deep, moved by containers, malformed, unreadable.
 */
#include "fake.h"
#include "quota.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct noise_quota opened(const char *script)
{
    struct tare_err err = {{0}};
    struct noise_quota q;
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
    noise_quota_open(&q, &err);
    return q;
}

#define TWO                                                                                                               \
    "file /proc/self/cgroup \"0::/a/b\\n\"\nfile /proc/self/mountinfo \"22 1 0:5 / /proc rw - proc proc rw\\n30 1 0:1 / " \
    "/cg rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate\\n\"\n"
#define ONE                                                                                                                 \
    "file /proc/self/cgroup \"5:cpuset:/x\\n4:cpu,cpuacct:/a\\n0::/\\n\"\nfile /proc/self/mountinfo \"31 1 0:2 / /cs rw - " \
    "cgroup "                                                                                                               \
    "cgroup rw,cpuset\\n30 1 0:1 / /cpu rw - cgroup cgroup rw,cpu,cpuacct\\n\"\n"

static void the_tightest_quota_up_to_the_root_counts(void **state)
{
    (void)state;
    struct noise_quota q =
        opened(TWO "file /cg/a/b/cpu.max \"200000 100000\\n\"\nfile /cg/a/b/cpu.stat \"nr_throttled 2\\nthrottled_usec 5\\n\"\n"
                   "file /cg/a/cpu.max \"50000 100000\\n\"\nfile /cg/a/cpu.stat \"nr_throttled 3\\nthrottled_usec 10\\n\"\n"
                   "file /cg/cpu.max \"max 100000\\n\"\n");
    assert_int_equal(q.n, 2);
    assert_true(q.cpus == 0.5);
    assert_string_equal(q.group, "/cg/a");
    assert_int_equal(noise_quota_throttled_ns(&q), 15000);
    assert_int_equal(noise_quota_periods(&q), 5);
    noise_quota_close(&q);
    assert_int_equal(q.n, 0);
}

static void version_1_counts_in_its_own_files(void **state)
{
    (void)state;
    struct noise_quota q = opened(ONE "file /cpu/a/cpu.cfs_quota_us \"30000\\n\"\nfile /cpu/a/cpu.cfs_period_us \"20000\\n\"\n"
                                      "file /cpu/a/cpu.stat \"nr_periods 9\\nnr_throttled 4\\nthrottled_time 123\\n\"\n"
                                      "file /cpu/cpu.cfs_quota_us \"-1\\n\"\nfile /cpu/cpu.cfs_period_us \"100000\\n\"\n");
    assert_int_equal(q.n, 1);
    assert_true(q.cpus == 1.5);
    assert_string_equal(q.group, "/cpu/a");
    assert_int_equal(noise_quota_throttled_ns(&q), 123);
    assert_int_equal(noise_quota_periods(&q), 4);
}

static void no_quota_is_known_to_be_none(void **state)
{
    (void)state;
    struct noise_quota q = opened(TWO);
    assert_true(q.known);
    assert_int_equal(q.n, 0);
    assert_true(q.cpus == 0);
    assert_string_equal(q.group, "");
    assert_int_equal(noise_quota_throttled_ns(&q), 0);
}

static void a_container_sees_its_own_group_as_the_root(void **state)
{
    (void)state;
    struct noise_quota q =
        opened("file /proc/self/cgroup \"0::/docker/abc/sub\\n\"\nfile /proc/self/mountinfo \"30 1 0:1 /docker/abc "
               "/sys/fs/my\\\\040cg rw - cgroup2 c rw\\n\"\nfile \"/sys/fs/my cg/sub/cpu.max\" \"10000 "
               "100000\"\nfile \"/sys/fs/my cg/cpu.max\" \"5000 100000\"\nfile /sys/fs/cpu.max \"1 100000\"\n");
    assert_int_equal(q.n, 2);
    assert_true(q.cpus == 0.05);
    assert_string_equal(q.group, "/sys/fs/my cg");
    q = opened("file /proc/self/cgroup \"0::/elsewhere\\n\"\nfile /proc/self/mountinfo \"30 1 0:1 /docker/abc /cg rw - cgroup2 c "
               "rw\\n\"\nfile /cg/cpu.max \"5000 100000\"\nfile /cg/elsewhere/cpu.max \"1 100000\"\n");
    assert_int_equal(q.n, 1);
    assert_string_equal(q.group, "/cg");
}

static void what_cannot_be_read_is_unknown(void **state)
{
    (void)state;
    struct noise_quota q = opened("");
    assert_false(q.known);
    assert_int_equal(noise_quota_throttled_ns(&q), -1);
    q = opened("file /proc/self/cgroup denied\n");
    assert_false(q.known);
    q = opened("file /proc/self/cgroup \"\"\nfile /proc/self/mountinfo \"\"\n");
    assert_false(q.known);
    q = opened(TWO "file /cg/a/b/cpu.max \"50000 100000\"\nfile /cg/a/b/cpu.stat denied\n"); /* a quota, but no account of it */
    assert_int_equal(q.n, 1);
    assert_int_equal(noise_quota_throttled_ns(&q), -1);
    q = opened(TWO "file /cg/a/b/cpu.max \"50000 100000\"\nfile /cg/a/b/cpu.stat \"throttled_usec many\"\n");
    assert_int_equal(noise_quota_throttled_ns(&q), -1);
    q = opened(TWO "file /cg/a/b/cpu.max \"50000 100000\"\nfile /cg/a/b/cpu.stat \"throttled_usec 9223372036854775807\"\n");
    assert_int_equal(noise_quota_throttled_ns(&q), -1);
}

static void nonsense_is_no_quota(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "max", "50000", "0 100000", "50000 0", "-5 100000", "1e5 100000", "x y", "99999999999999999999 1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char script[1000];
        strcpy(script, TWO "file /cg/a/b/cpu.max \"");
        strcat(script, texts[i]);
        strcat(script, "\"\n");
        struct noise_quota q = opened(script);
        if (q.n)
            fail_msg("'%s' is a quota of %g CPUs", texts[i], q.cpus);
    }
}

static void a_deep_tree_keeps_its_innermost_groups(void **state)
{
    (void)state;
    char *script = malloc(100000), path[500] = "";
    strcpy(script, "file /proc/self/mountinfo \"30 1 0:1 / /cg rw - cgroup2 c rw\\n\"\n");
    for (int i = 0; i < 40; i++) {
        strcat(path, "/d");
        strcat(strcat(strcat(script, "file /cg"), path), "/cpu.max \"50000 100000\"\n");
    }
    strcat(strcat(strcat(script, "file /proc/self/cgroup \"0::"), path), "\\n\"\n");
    struct noise_quota q = opened(script);
    assert_int_equal(q.n, QUOTA_LEVELS);
    assert_true(q.cpus == 0.5);
    free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tightest_quota_up_to_the_root_counts),
        cmocka_unit_test(version_1_counts_in_its_own_files),
        cmocka_unit_test(no_quota_is_known_to_be_none),
        cmocka_unit_test(a_container_sees_its_own_group_as_the_root),
        cmocka_unit_test(what_cannot_be_read_is_unknown),
        cmocka_unit_test(nonsense_is_no_quota),
        cmocka_unit_test(a_deep_tree_keeps_its_innermost_groups),
    };
    return cmocka_run_group_tests_name("quota", tests, NULL, NULL);
}
