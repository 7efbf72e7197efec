/* SPDX-License-Identifier: MIT
 *
 * A copied tree in the place of a machine: nothing of it leads out, nothing is created that a kernel would not create.
 */
#include "cpu_list.h"
#include "knob.h"
#include "machine_tree.h"
#include "root.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct system_root root;
static char *folder;

static int set_up(void **state)
{
    (void)state;
    folder = tree_make(NULL);
    root = (struct system_root){.path = folder};
    return 0;
}

static int take_down(void **state)
{
    (void)state;
    tree_remove(folder);
    return 0;
}

static void assert_read(const char *path, enum tare_status status, const char *text)
{
    struct buf b = BUF_INIT(2 * ROOT_FILE_MAX);
    struct tare_err err = {{0}};
    buf_str(&b, "before");
    enum tare_status got = root_read(&root, path, &b, &err);
    if (got != status || (text && strcmp(buf_text(&b), text)))
        fail_msg("%s: %s '%.60s' (%s), expected %s '%s'", path, tare_status_name(got), buf_text(&b), err.text,
                 tare_status_name(status), text ? text : "");
    buf_finish(&b);
}

static void link_to(const char *target, const char *path)
{
    char full[1024];
    tree_put(folder, "/sys/keep", "");
    strcat(strcpy(full, folder), path);
    assert_int_equal(symlink(target, full), 0);
}

static void a_text_comes_without_its_line_end(void **state)
{
    (void)state;
    tree_put(folder, "/sys/a", "one\n");
    tree_put(folder, "/sys/b", "two");
    tree_put(folder, "/sys/c", "\n");
    tree_put(folder, "/sys/d", "");
    tree_put(folder, "/sys/e", "x\n\n");
    assert_read("/sys/a", TARE_OK, "one");
    assert_read("/sys/b", TARE_OK, "two");
    assert_read("/sys/c", TARE_OK, "");
    assert_read("/sys/d", TARE_OK, "");
    assert_read("/sys/e", TARE_OK, "x\n");
    assert_read("/sys/nothing", TARE_NOT_FOUND, NULL);
}

static void a_huge_file_is_too_large(void **state)
{
    (void)state;
    char *huge = malloc(ROOT_FILE_MAX + 2);
    memset(huge, '9', ROOT_FILE_MAX + 1);
    huge[ROOT_FILE_MAX + 1] = 0;
    tree_put(folder, "/sys/huge", huge);
    free(huge);
    assert_read("/sys/huge", TARE_TOO_LARGE, NULL);
}

static void links_are_followed_within_the_tree_and_not_out_of_it(void **state)
{
    (void)state;
    tree_put(folder, "/sys/target", "inside\n");
    link_to("target", "/sys/near");
    link_to("/etc/passwd", "/sys/far");
    link_to("../../../../../../../../etc/passwd", "/sys/up");
    link_to("round", "/sys/round");
    assert_read("/sys/near", TARE_OK, "inside");
    assert_read("/sys/far", TARE_NOT_FOUND, NULL);
    assert_read("/sys/up", TARE_NOT_FOUND, NULL);
    assert_read("/sys/round", TARE_NOT_FOUND, NULL);
    assert_read("/sys/../../../../../../../etc/passwd", TARE_NOT_FOUND, NULL);
    assert_false(root_exists(&root, "/sys/far"));
    assert_true(root_exists(&root, "/sys/near"));
}

static void a_pipe_in_a_tree_is_neither_read_nor_written_nor_waited_for(void **state)
{
    (void)state;
    char full[1024];
    int error;
    tree_put(folder, "/sys/keep", "");
    strcat(strcpy(full, folder), "/sys/pipe");
    assert_int_equal(mkfifo(full, 0600), 0);
    alarm(20); /* without the check it would be for good */
    assert_read("/sys/pipe", TARE_FORMAT, NULL);
    assert_int_equal(root_write(&root, "/sys/pipe", "1", &error, NULL), TARE_FORMAT);
    alarm(0);
}

static void nothing_is_written_through_a_link_that_leads_out(void **state)
{
    char *other = tree_make(NULL), target[1024];
    int error;
    (void)state;
    tree_put(other, "/file", "theirs");
    strcat(strcpy(target, other), "/file");
    link_to(target, "/sys/far");
    assert_int_equal(root_write(&root, "/sys/far", "ours", &error, NULL), TARE_NOT_FOUND);
    /* Files of a control group are made where none is, but not where a link is. */
    tree_put(folder, "/sys/fs/cgroup/tare/cpuset.mems", "0\n");
    link_to(target, "/sys/fs/cgroup/tare/cpuset.cpus");
    link_to(target, "/sys/fs/cgroup/tare/cgroup.procs");
    assert_int_not_equal(root_write(&root, "/sys/fs/cgroup/tare/cpuset.cpus", "3", &error, NULL), TARE_OK);
    assert_int_not_equal(root_write(&root, "/sys/fs/cgroup/tare/cgroup.procs", "3", &error, NULL), TARE_OK);
    char *text = tree_get(other, "/file");
    assert_string_equal(text, "theirs");
    free(text);
    strcat(target, "-new");
    link_to(target, "/sys/fs/cgroup/tare/tasks");
    assert_int_not_equal(root_write(&root, "/sys/fs/cgroup/tare/tasks", "3", &error, NULL), TARE_OK);
    assert_int_not_equal(access(target, F_OK), 0);
    tree_remove(other);
}

static void a_shorter_value_takes_the_whole_place(void **state)
{
    int error = 1;
    (void)state;
    tree_put(folder, "/proc/sys/x", "performance\n");
    assert_int_equal(root_write(&root, "/proc/sys/x", "no", &error, NULL), TARE_OK);
    assert_int_equal(error, 0);
    assert_read("/proc/sys/x", TARE_OK, "no");
}

static void a_line_end_stays_as_it_was(void **state)
{
    int error;
    char text[16] = "", path[1024];
    (void)state;
    tree_put(folder, "/proc/sys/x", "1\r\n");
    assert_int_equal(root_write(&root, "/proc/sys/x", "10", &error, NULL), TARE_OK);
    assert_int_equal(root_write(&root, "/proc/sys/x", "1", &error, NULL), TARE_OK);
    snprintf(path, sizeof path, "%s/proc/sys/x", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof text - 1, f), 3);
    fclose(f);
    assert_string_equal(text, "1\r\n");
}

static void only_files_of_control_groups_are_made(void **state)
{
    int error;
    (void)state;
    tree_put(folder, "/sys/fs/cgroup/cgroup.procs", "1\n");
    tree_put(folder, "/sys/kernel/x", "1\n");
    assert_int_equal(root_write(&root, "/sys/kernel/y", "1", &error, NULL), TARE_NOT_FOUND);
    assert_false(root_exists(&root, "/sys/kernel/y"));
    assert_int_equal(root_make_folder(&root, "/sys/fs/cgroup/tare", &error, NULL), TARE_OK);
    assert_int_equal(root_write(&root, "/sys/fs/cgroup/tare/cpuset.cpus", "3", &error, NULL), TARE_OK);
    assert_read("/sys/fs/cgroup/tare/cpuset.cpus", TARE_OK, "3");
    assert_int_not_equal(root_make_folder(&root, "/sys/fs/cgroup/tare", &error, NULL), TARE_OK);
    assert_int_not_equal(error, 0);
    assert_int_equal(root_make_folder(&root, "/sys/fs/cgroup/tare/inner", &error, NULL), TARE_OK);
    assert_int_not_equal(root_remove_folder(&root, "/sys/fs/cgroup/tare", &error, NULL), TARE_OK);
    assert_int_equal(root_remove_folder(&root, "/sys/fs/cgroup/tare/inner", &error, NULL), TARE_OK);
    assert_int_equal(root_remove_folder(&root, "/sys/fs/cgroup/tare", &error, NULL), TARE_OK);
    assert_false(root_exists(&root, "/sys/fs/cgroup/tare"));
    assert_int_equal(root_remove_folder(&root, "/sys/fs/cgroup/tare", &error, NULL), TARE_OK);
}

static enum tare_status refuse(void *context, const char *path, struct tare_err *err)
{
    int *left = context;
    (void)path;
    return (*left)-- > 0 ? TARE_OK : err_set(err, TARE_PERMISSION, "the test refuses");
}

static void a_test_can_refuse_any_change(void **state)
{
    int left = 1, error, fd;
    struct tare_err err;
    (void)state;
    root.before_write = refuse;
    root.context = &left;
    tree_put(folder, "/sys/x", "1\n");
    assert_int_equal(root_write(&root, "/sys/x", "2", &error, &err), TARE_OK);
    assert_int_equal(root_write(&root, "/sys/x", "3", &error, &err), TARE_PERMISSION);
    assert_string_equal(err.text, "the test refuses");
    assert_int_equal(root_make_folder(&root, "/sys/f", &error, &err), TARE_PERMISSION);
    assert_int_equal(root_hold(&root, "/sys/x", "4", &fd, &error, &err), TARE_PERMISSION);
    assert_int_equal(fd, -1);
    assert_read("/sys/x", TARE_OK, "2");
}

static void what_nobody_may_write_is_seen(void **state)
{
    char full[1024];
    (void)state;
    tree_put(folder, "/sys/x", "1\n");
    assert_false(root_read_only(&root, "/sys/x"));
    strcat(strcpy(full, folder), "/sys/x");
    assert_int_equal(chmod(full, 0444), 0);
    assert_true(root_read_only(&root, "/sys/x"));
    assert_false(root_read_only(&root, "/sys/nothing"));
}

static void a_folder_is_listed_in_order(void **state)
{
    struct buf names = BUF_INIT(1 << 12);
    int n;
    (void)state;
    tree_put(folder, "/sys/d/b", "");
    tree_put(folder, "/sys/d/a", "");
    assert_int_equal(root_list(&root, "/sys/d", &names, &n, NULL), TARE_OK);
    assert_int_equal(n, 2);
    assert_memory_equal(names.data, "a\0b", 4);
    assert_int_equal(root_list(&root, "/sys/none", &names, &n, NULL), TARE_NOT_FOUND);
    assert_int_equal(n, 0);
    buf_finish(&names);
}

/* ---- masks ---- */

static void assert_mask(const char *text, enum tare_status status, const char *list, int groups)
{
    struct cpu_list cpus;
    struct buf b = BUF_INIT(1 << 16);
    int n;
    enum tare_status got = cpu_mask_parse(&cpus, &n, text);
    cpu_list_write(&b, &cpus);
    if (got != status || strcmp(buf_text(&b), list) || (!got && n != groups))
        fail_msg("'%.80s': %s '%s' %d, expected %s '%s' %d", text, tare_status_name(got), buf_text(&b), n,
                 tare_status_name(status), list, groups);
    buf_finish(&b);
}

static void masks_are_read_in_groups_of_32(void **state)
{
    char wide[9 * 400];
    (void)state;
    assert_mask("f", TARE_OK, "0-3", 1);
    assert_mask(" 0000000F\n" + 1, TARE_OK, "0-3", 1);
    assert_mask("00000001,80000000", TARE_OK, "31-32", 2);
    assert_mask("1,0,0", TARE_OK, "64", 3);
    assert_mask("0", TARE_OK, "", 1);
    for (const char *const *bad =
             (const char *const[]){"", "\n", ",", "1,", ",1", "123456789", "g", "0x1", "1 2", "-1", "nan", NULL};
         *bad; bad++)
        assert_mask(*bad, TARE_FORMAT, "", 0);
    strcpy(wide, "1");
    for (int i = 0; i < CPU_LIST_MAX / 32; i++)
        strcat(wide, ",00000000");
    assert_mask(wide, TARE_TOO_LARGE, "", 0);
    wide[0] = '0';
    assert_mask(wide, TARE_OK, "", CPU_LIST_MAX / 32 + 1);
    assert_mask(wide + 2, TARE_OK, "", CPU_LIST_MAX / 32);
}

static void a_mask_comes_back_as_it_was(void **state)
{
    static const char *const texts[] = {"f", "0", "00000001,80000000", "ffffffff,00000000,00000001", "80000000"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct cpu_list cpus;
        struct buf b = BUF_INIT(1 << 16);
        int groups;
        assert_int_equal(cpu_mask_parse(&cpus, &groups, texts[i]), TARE_OK);
        cpu_mask_write(&b, &cpus, groups);
        assert_string_equal(buf_text(&b), texts[i]);
        buf_finish(&b);
    }
}

/* ---- what a file answers against what was written ---- */

static void a_value_is_known_in_the_form_that_the_kernel_gives_it(void **state)
{
    static const struct {
        enum setting_form form;
        const char *read, *value;
        bool same;
    } cases[] = {
        {FORM_TEXT, "performance\n", "performance", true},
        {FORM_TEXT, "isolated invalid (x)", "isolated", false},
        {FORM_TEXT, "", "\n", true},
        {FORM_NUMBER, "0x10", "16", true},
        {FORM_NUMBER, "010", "10", true},
        {FORM_NUMBER, "1", "10", false},
        {FORM_NUMBER, "-1", "-1", true},
        {FORM_NUMBER, "nan", "0", false},
        {FORM_SELECTED, "always [madvise] never", "madvise", true},
        {FORM_SELECTED, "always [madvise] never", "always", false},
        {FORM_SELECTED, "[always madvise", "always", false},
        {FORM_LIST, "0-3\n", "0,1,2-3", true},
        {FORM_LIST, "", "\n", true},
        {FORM_LIST, "0-3", "0-2", false},
        {FORM_LIST, "x", "x", true},
        {FORM_MASK, "00000000,0000000f", "f", true},
        {FORM_MASK, "00000001,00000000", "1", false},
        {FORM_SWITCH, "cpu cpuset io", "+cpuset", true},
        {FORM_SWITCH, "cpu cpusets", "+cpuset", false},
        {FORM_SWITCH, "", "-cpuset", true},
        {FORM_SWITCH, "cpuset", "-cpuset", false},
        {FORM_SWITCH, "cpuset", "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (setting_holds(cases[i].form, cases[i].read, cases[i].value) != cases[i].same)
            fail_msg("form %d: '%s' and '%s' are %sthe same", cases[i].form, cases[i].read, cases[i].value,
                     cases[i].same ? "not " : "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_comes_without_its_line_end, set_up, take_down),
        cmocka_unit_test_setup_teardown(a_huge_file_is_too_large, set_up, take_down),
        cmocka_unit_test_setup_teardown(links_are_followed_within_the_tree_and_not_out_of_it, set_up, take_down),
        cmocka_unit_test_setup_teardown(a_pipe_in_a_tree_is_neither_read_nor_written_nor_waited_for, set_up, take_down),
        cmocka_unit_test_setup_teardown(nothing_is_written_through_a_link_that_leads_out, set_up, take_down),
        cmocka_unit_test_setup_teardown(a_shorter_value_takes_the_whole_place, set_up, take_down),
        cmocka_unit_test_setup_teardown(a_line_end_stays_as_it_was, set_up, take_down),
        cmocka_unit_test_setup_teardown(only_files_of_control_groups_are_made, set_up, take_down),
        cmocka_unit_test_setup_teardown(a_test_can_refuse_any_change, set_up, take_down),
        cmocka_unit_test_setup_teardown(what_nobody_may_write_is_seen, set_up, take_down),
        cmocka_unit_test_setup_teardown(a_folder_is_listed_in_order, set_up, take_down),
        cmocka_unit_test(masks_are_read_in_groups_of_32),
        cmocka_unit_test(a_mask_comes_back_as_it_was),
        cmocka_unit_test(a_value_is_known_in_the_form_that_the_kernel_gives_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
