/* SPDX-License-Identifier: MIT
 * Work in several processes of our own: what comes back, and what of a worker that fails or dies. */
#include "plat_world.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 3, LONG = 300000 /* more than a pipe holds */ };

static struct buf made[WORKERS];
static int changed;

static enum tare_status share(plat_share_work *work, size_t room, struct tare_err *err)
{
    changed = 0;
    for (int i = 0; i < WORKERS; i++) {
        buf_finish(&made[i]);
        made[i] = BUF_INIT(room);
    }
    return plat_share(WORKERS, work, NULL, made, err);
}

static enum tare_status long_text(void *context, int i, struct buf *out, struct tare_err *err)
{
    (void)context, (void)err;
    changed++;
    buf_repeat(out, (char)('a' + i), LONG + i);
    return TARE_OK;
}

static void each_worker_sends_back_what_it_made(void **state)
{
    struct tare_err err;
    (void)state;
    assert_ok(share(long_text, 1 << 20, &err));
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(made[i].len, LONG + i);
        assert_int_equal(strspn(made[i].data, (char[]){(char)('a' + i), 0}), LONG + i);
    }
    assert_int_equal(changed, 0);
    assert_true(waitpid(-1, NULL, WNOHANG) <= 0); /* none of them is left */
}

static enum tare_status fail_in_the_middle(void *context, int i, struct buf *out, struct tare_err *err)
{
    (void)context;
    buf_str(out, "something");
    return i == 1 ? err_set(err, TARE_FORMAT, "series %d is damaged", i) : TARE_OK;
}

static void a_failure_comes_back_with_its_message(void **state)
{
    struct tare_err err;
    (void)state;
    assert_int_equal(share(fail_in_the_middle, 1 << 20, &err), TARE_FORMAT);
    assert_string_equal(err.text, "series 1 is damaged");
}

static enum tare_status die(void *context, int i, struct buf *out, struct tare_err *err)
{
    (void)context, (void)err;
    buf_str(out, "something");
    if (i == 2)
        kill(getpid(), SIGKILL);
    return TARE_OK;
}

static void a_worker_that_dies_is_a_failure(void **state)
{
    struct tare_err err;
    (void)state;
    assert_int_equal(share(die, 1 << 20, &err), TARE_CHILD);
    assert_string_equal(err.text, "a process of tare's own died (signal 9)");
}

static enum tare_status stop(void *context, int i, struct buf *out, struct tare_err *err)
{
    (void)context, (void)out, (void)err;
    if (i == 1)
        raise(SIGSTOP);
    return TARE_OK;
}

static void one_that_is_stopped_and_does_not_go_on_is_not_waited_for(void **state)
{
    struct tare_err err;
    (void)state;
    assert_int_equal(share(stop, 1000, &err), TARE_CHILD);
    assert_string_equal(err.text, "a process of tare's own was stopped and did not go on");
    assert_true(waitpid(-1, NULL, WNOHANG) <= 0);
}

static enum tare_status leave(void *context, int i, struct buf *out, struct tare_err *err)
{
    (void)context, (void)err, (void)out;
    if (i == 0)
        _exit(0);
    return TARE_OK;
}

static void one_that_ends_without_an_outcome_has_failed(void **state)
{
    struct tare_err err;
    (void)state;
    assert_int_equal(share(leave, 1 << 20, &err), TARE_CHILD);
}

static void what_has_no_room_is_a_failure_and_nobody_waits(void **state)
{
    struct tare_err err;
    (void)state;
    assert_int_equal(share(long_text, 1000, &err), TARE_TOO_LARGE);
    assert_text_has(err.text, "no room");
}

static int begun;

/* In the parent, behind each of its forks. */
static void signal_after_last(void)
{
    if (++begun == WORKERS)
        raise(SIGTERM);
}

static enum tare_status wait_for_signal(void *context, int i, struct buf *out, struct tare_err *err)
{
    (void)context, (void)i, (void)out;
    for (int tries = 0; tries < 600 && !plat_signal(); tries++)
        plat_sleep_ns(100000000);
    return plat_signal() ? TARE_OK : err_set(err, TARE_IO, "no signal came");
}

/* In a process of its own, for it is noted there from then on. */
static void a_signal_just_before_the_wait_is_handed_on(void **state)
{
    int ended;
    struct tare_err err;
    (void)state;
    const pid_t pid = fork();
    if (!pid) {
        begun = 0;
        _exit(plat_signals_watch() || pthread_atfork(NULL, signal_after_last, NULL) || share(wait_for_signal, 1000, &err));
    }
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
}

/* A terminal's reaches a worker and us, who hand it on later than a person would think. */
static enum tare_status take_it_twice(void *context, int i, struct buf *out, struct tare_err *err)
{
    if (i)
        return wait_for_signal(context, i, out, err);
    raise(SIGTERM);
    usleep(150000);
    kill(getppid(), SIGTERM);
    usleep(300000);
    return TARE_OK;
}

static void a_worker_takes_a_signal_that_is_handed_on_late_for_the_same(void **state)
{
    int ended;
    struct tare_err err;
    (void)state;
    const pid_t pid = fork();
    if (!pid)
        _exit(plat_signals_watch() || share(take_it_twice, 1000, &err));
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
}

static enum tare_status get_two(void *context, int i, struct buf *out, struct tare_err *err)
{
    (void)context, (void)out, (void)err;
    if (!i) {
        raise(SIGTERM);
        usleep(150000);
        raise(SIGTERM);
    }
    return TARE_OK;
}

/* It may hang in what no signal ends, and we may be gone. */
static void a_second_signal_of_somebody_else_ends_a_worker(void **state)
{
    int ended;
    struct tare_err err;
    (void)state;
    const pid_t pid = fork();
    if (!pid)
        _exit(plat_signals_watch() || share(get_two, 1000, &err) != TARE_CHILD ||
              strcmp(err.text, "a process of tare's own died (signal 15)") != 0);
    assert_int_equal(waitpid(pid, &ended, 0), pid);
    assert_int_equal(ended, 0);
}

TESTS(share, cmocka_unit_test(each_worker_sends_back_what_it_made), cmocka_unit_test(a_failure_comes_back_with_its_message),
      cmocka_unit_test(a_worker_that_dies_is_a_failure),
      cmocka_unit_test(one_that_is_stopped_and_does_not_go_on_is_not_waited_for),
      cmocka_unit_test(one_that_ends_without_an_outcome_has_failed),
      cmocka_unit_test(what_has_no_room_is_a_failure_and_nobody_waits),
      cmocka_unit_test(a_signal_just_before_the_wait_is_handed_on),
      cmocka_unit_test(a_worker_takes_a_signal_that_is_handed_on_late_for_the_same),
      cmocka_unit_test(a_second_signal_of_somebody_else_ends_a_worker));
