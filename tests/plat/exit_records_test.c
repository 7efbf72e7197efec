/* SPDX-License-Identifier: MIT
 * What the tasks of a run waited: the kernel's messages, the sum over a tree, and both live where we are privileged.
 */
#include "exit_records.h"
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { FAMILY = 31, HELPER = 100, ROOT = 200 };
static const double MS = 1e6;

static void add(struct exit_records *e, int task, int parent, double run_ns, double delay_ns)
{
    static struct exit_record room[16];
    e->records = room;
    room[e->n++] = (struct exit_record){.task = task, .parent = parent, .run_ns = run_ns, .delay_ns = delay_ns, .forced = 3};
}

/* The root: a shell that used 1 ms and waited 0.1 ms; all used 31 ms. */
static struct tree_waits sum(struct exit_records *e)
{
    return exit_records_sum(e, HELPER, &(struct tree_root){ROOT, 1 * MS, 0.1 * MS, 31 * MS, 3});
}

static void only_the_tasks_of_the_run_count(void **state)
{
    (void)state;
    struct exit_records e = {.fd = -1};
    add(&e, 202, 201, 10 * MS, 1 * MS);      /* a grandchild */
    add(&e, 201, ROOT, 20 * MS, 2 * MS);     /* a child */
    add(&e, 203, HELPER, 0, 4 * MS);         /* an orphan, or a thread of the root */
    add(&e, 300, 299, 500 * MS, 800 * MS);   /* a stranger's child */
    add(&e, ROOT, HELPER, 1 * MS, 900 * MS); /* before its start: what was measured of it counts */
    struct tree_waits w = sum(&e);
    assert_true(w.known);
    assert_true(fabs(w.most_ns - 7.1 * MS) < 1);
}

static void a_long_program_in_a_script_waited_for_others(void **state)
{
    (void)state;
    struct exit_records e = {.fd = -1};
    add(&e, 201, ROOT, 30 * MS, 35 * MS);
    add(&e, ROOT, HELPER, 1 * MS, 0);
    struct tree_waits w = sum(&e);
    assert_true(fabs(w.least_ns - 34 * MS) < 1); /* one ms may have been for the shell */
}

static void two_that_share_a_cpu_waited_for_nobody_else(void **state)
{
    (void)state;
    struct exit_records e = {.fd = -1};
    add(&e, 201, ROOT, 15 * MS, 15 * MS);
    add(&e, 202, ROOT, 15 * MS, 15 * MS);
    add(&e, ROOT, HELPER, 1 * MS, 0);
    struct tree_waits w = sum(&e);
    assert_true(w.known && w.most_ns > 30 * MS && w.least_ns == 0);
}

static void what_is_waited_after_a_record_is_not_known(void **state)
{
    (void)state;
    struct exit_records e = {.fd = -1};
    add(&e, 201, ROOT, 30 * MS, 35 * MS);
    add(&e, ROOT, HELPER, 1 * MS, 0);
    e.records[0].forced = 2;
    e.records[1].forced = 0; /* of three */
    struct tree_waits w = sum(&e);
    assert_true(w.known && isnan(w.most_ns) && fabs(w.least_ns - 34 * MS) < 1);
    e.records[0].forced = 1; /* sorted: the root */
    assert_false(isnan(sum(&e).most_ns));
}

static void without_the_root_or_with_a_loss_nothing_is_known(void **state)
{
    (void)state;
    struct exit_records e = {.fd = -1};
    assert_false(sum(&e).known);
    add(&e, 201, ROOT, 1 * MS, 1 * MS);
    assert_false(sum(&e).known);
    add(&e, ROOT, HELPER, 1 * MS, 0);
    e.lost = true;
    assert_false(sum(&e).known);
    e.lost = false;
    assert_true(sum(&e).known);
}

/* ---- messages ---- */

static size_t put(char *at, int type, const void *content, size_t bytes)
{
    struct nlattr a = {.nla_len = (uint16_t)(NLA_HDRLEN + bytes), .nla_type = (uint16_t)type};
    memcpy(at, &a, sizeof a);
    memmove(at + NLA_HDRLEN, content, bytes);
    return NLA_ALIGN(a.nla_len);
}

/* As the kernel sends it: headers { AGGR_PID { PID, STATS } }. */
static size_t message_of(char *room, const struct taskstats *s)
{
    char inside[1024];
    size_t n = put(inside, TASKSTATS_TYPE_PID, &s->ac_pid, sizeof s->ac_pid);
    n += put(inside + n, TASKSTATS_TYPE_STATS, s, sizeof *s);
    struct nlmsghdr h = {.nlmsg_type = FAMILY};
    size_t headers = NLMSG_HDRLEN + GENL_HDRLEN;
    memset(room, 0, headers);
    h.nlmsg_len = (uint32_t)(headers + put(room + headers, TASKSTATS_TYPE_AGGR_PID, inside, n));
    memcpy(room, &h, sizeof h);
    return h.nlmsg_len;
}

static void a_message_of_the_kernel_is_read(void **state)
{
    (void)state;
    _Alignas(struct nlmsghdr) char room[2048];
    struct exit_records e = {.fd = -1, .family = FAMILY};
    struct taskstats s = {.ac_pid = 7, .ac_ppid = 8, .cpu_run_virtual_total = 9, .cpu_delay_total = 10, .nivcsw = 11};
    size_t n = message_of(room, &s);
    assert_true(exit_records_add(&e, room, n));
    assert_int_equal(e.n, 1);
    assert_int_equal(e.records[0].task, 7);
    assert_int_equal(e.records[0].parent, 8);
    assert_true(e.records[0].run_ns == 9 && e.records[0].delay_ns == 10 && e.records[0].forced == 11);
    for (size_t cut = 0; cut < n; cut++) {
        ((struct nlmsghdr *)(void *)room)->nlmsg_len = (uint32_t)cut;
        assert_false(exit_records_add(&e, room, cut));
    }
    assert_int_equal(e.n, 1);
    exit_records_finish(&e);
}

/* ---- live ---- */

static pid_t child_that_ends(void)
{
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    waitpid(pid, NULL, 0);
    return pid;
}

static void every_end_is_recorded(void **state)
{
    (void)state;
    struct exit_records e = {.fd = -1};
    if (!exit_records_begin(&e))
        skip();
    pid_t ended[20];
    for (int i = 0; i < 20; i++)
        ended[i] = child_that_ends();
    exit_records_end(&e);
    assert_false(e.lost);
    for (int i = 0; i < 20; i++) {
        int found = 0;
        for (int k = 0; k < e.n; k++)
            found += e.records[k].task == ended[i] && e.records[k].parent == getpid();
        assert_int_equal(found, 1);
    }
    child_that_ends(); /* between two runs */
    assert_true(exit_records_begin(&e));
    exit_records_end(&e);
    for (int k = 0; k < e.n; k++)
        assert_int_not_equal(e.records[k].parent, getpid());
    exit_records_finish(&e);
}

static void records_that_find_no_room_are_missed(void **state)
{
    (void)state;
    struct exit_records e = {.fd = -1};
    const int little = 1;
    if (!exit_records_begin(&e))
        skip();
    assert_int_equal(setsockopt(e.fd, SOL_SOCKET, SO_RCVBUFFORCE, &little, sizeof little), 0);
    for (int i = 0; i < 20; i++)
        child_that_ends();
    exit_records_end(&e);
    assert_true(e.lost);
    exit_records_finish(&e);
}

static void without_privilege_it_is_refused_for_good(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (!pid) {
        struct exit_records e = {.fd = -1};
        if (geteuid() == 0 && setresuid(65534, 65534, 65534))
            _exit(2);
        _exit(exit_records_begin(&e) || e.fd != -2 || exit_records_begin(&e));
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_tasks_of_the_run_count),
        cmocka_unit_test(a_long_program_in_a_script_waited_for_others),
        cmocka_unit_test(two_that_share_a_cpu_waited_for_nobody_else),
        cmocka_unit_test(what_is_waited_after_a_record_is_not_known),
        cmocka_unit_test(without_the_root_or_with_a_loss_nothing_is_known),
        cmocka_unit_test(a_message_of_the_kernel_is_read),
        cmocka_unit_test(every_end_is_recorded),
        cmocka_unit_test(records_that_find_no_room_are_missed),
        cmocka_unit_test(without_privilege_it_is_refused_for_good),
    };
    return cmocka_run_group_tests_name("exit_records", tests, NULL, NULL);
}
