/* SPDX-License-Identifier: MIT
 *
 * Sessions that see each other, live. A real session may be measuring beside the test, so only our own are looked for.
 */
#include "plat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static bool sees(struct plat_presence *p, int pid)
{
    int pids[64], n = plat_presence_others(p, pids, 64);
    for (int i = 0; i < n && i < 64; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

static struct plat_presence *present(void)
{
    struct plat_presence *p;
    struct tare_err err = {{0}};
    if (plat_presence_create(&p, &err))
        fail_msg("%s", err.text);
    return p;
}

/* Both are children of one that is no session. `first` has left its place before or after it looks. */
struct pair {
    int begin[2], done[2];
};

static int session_beside(struct pair *link)
{
    struct plat_presence *p = present();
    char c = 0;
    bool good = write(link->begin[1], &c, 1) == 1 && read(link->done[0], &c, 1) == 1;
    int other;
    good &= read(link->done[0], &other, sizeof other) == sizeof other;
    good &= sees(p, other);
    plat_presence_destroy(p);
    return !good;
}

static void two_sessions_learn_of_each_other_whoever_came_first(void **state)
{
    (void)state;
    struct pair link;
    assert_int_equal(pipe(link.begin) | pipe(link.done), 0);
    pid_t first = fork();
    if (!first)
        _exit(session_beside(&link));
    char c;
    assert_int_equal(read(link.begin[0], &c, 1), 1);
    pid_t second = fork();
    if (!second) { /* comes later and ends first */
        struct plat_presence *p = present();
        _exit(!sees(p, first));
    }
    int status;
    waitpid(second, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(write(link.done[1], &c, 1), 1);
    assert_int_equal(write(link.done[1], &second, sizeof second), (int)sizeof second);
    waitpid(first, &status, 0);
    assert_int_equal(status, 0);
}

static void a_session_inside_another_disturbs_neither(void **state)
{
    (void)state;
    pid_t outer = fork();
    if (!outer) {
        struct plat_presence *p = present();
        pid_t inner = fork();
        if (!inner) {
            struct plat_presence *q = present();
            _exit(sees(q, getppid()));
        }
        int status;
        waitpid(inner, &status, 0);
        _exit(status || sees(p, inner));
    }
    int status;
    waitpid(outer, &status, 0);
    assert_int_equal(status, 0);
}

/* Listens whenever a byte comes, until there are no more. */
static int session_that_listens(const struct pair *link)
{
    struct plat_presence *p = present();
    char c = 0;
    bool good = true;
    do {
        plat_presence_listen(p);
        good &= write(link->begin[1], &c, 1) == 1;
    } while (read(link->done[0], &c, 1) == 1 && c);
    plat_presence_destroy(p);
    return !good;
}

static void a_session_that_listens_answers_any_number_of_callers(void **state)
{
    (void)state;
    enum { CALLERS = 80 }; /* more than can wait */
    struct pair link;
    assert_int_equal(pipe(link.begin) | pipe(link.done), 0);
    pid_t session = fork();
    if (!session)
        _exit(session_that_listens(&link));
    int status = 0, seen = 0;
    for (char c = 1; c <= CALLERS; c++) {
        char ready;
        assert_int_equal(read(link.begin[0], &ready, 1), 1);
        pid_t caller = fork();
        if (!caller)
            _exit(!sees(present(), session));
        waitpid(caller, &status, 0);
        seen += status == 0;
        ready = c < CALLERS;
        assert_int_equal(write(link.done[1], &ready, 1), 1);
    }
    waitpid(session, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(seen, CALLERS);
}

static void a_session_does_not_see_itself(void **state)
{
    (void)state;
    struct plat_presence *p = present(), *inner = present();
    assert_false(sees(p, getpid()));
    assert_false(sees(inner, getpid()));
    assert_false(sees(p, getpid()));
    plat_presence_destroy(inner);
    plat_presence_destroy(p);
    plat_presence_destroy(NULL);
}

static void we_are_among_the_processes(void **state)
{
    (void)state;
    int few[1], all[1 << 16], n = plat_process_ids(all, 1 << 16), found = 0;
    assert_true(n >= 1);
    for (int i = 0; i < n; i++)
        found += all[i] == plat_pid();
    assert_int_equal(found, 1);
    assert_true(plat_process_ids(few, 1) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sessions_learn_of_each_other_whoever_came_first),
        cmocka_unit_test(a_session_inside_another_disturbs_neither),
        cmocka_unit_test(a_session_that_listens_answers_any_number_of_callers),
        cmocka_unit_test(a_session_does_not_see_itself),
        cmocka_unit_test(we_are_among_the_processes),
    };
    return cmocka_run_group_tests_name("presence", tests, NULL, NULL);
}
