/* SPDX-License-Identifier: MIT
 *
 * A program that measures functions of its own by plain calls; its arguments must reach the processes that it is started in again.
 *
 *     plain_subject CALL            once, startup, georges, nothing, negative, doubtful, steady, unsteady, memory, unreached, dies, hangs, leaves, abandons, closes,
 *                                  ignores
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <time.h>
#include <unistd.h>

static int times;

static void sleep_2ms(void *context)
{
    (void)context;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    times++;
}

static void warm_up(void *context)
{
    (void)context;
    nanosleep(&(struct timespec){.tv_nsec = times < 3 ? 9000000 : 1000000}, NULL);
    times++;
}

static void touch(void *context)
{
    size_t bytes = *(const size_t *)context;
    char *p = malloc(bytes);
    if (p)
        memset(p, 1, bytes);
    tare_use_mem(p, bytes);
    free(p);
}

static void die(void *context)
{
    (void)context;
    abort();
}

static void hang(void *context)
{
    (void)context;
    for (;;)
        pause();
}

/* A process that stays behind, with all that it got. */
static void leave(void *context)
{
    (void)context;
    if (fork() == 0) {
        alarm(40);
        pause();
    }
}

static void abandon(void *context)
{
    leave(context);
    die(context);
}

/* As some servers do at their start, the descriptor of the answer too. */
static void close_all(void *context)
{
    for (int fd = 3; fd < 100; fd++)
        close(fd);
    hang(context);
}

/* In a process that was started again: times below zero, as calls have that take less than the overhead. */
static void answer_below_zero(void)
{
    const char *asked = getenv("TARE_CALL");
    const struct {
        uint64_t magic;
        double value, steady;
    } answer = {0x7461726531303031u, -1000 - getpid() % 10, 1};
    if (asked)
        _exit(write(atoi(strchr(asked, ' ')), &answer, sizeof answer) != sizeof answer);
}

static void line(void *context, const char *text)
{
    (void)context;
    printf("  %s\n", text);
}

static void nothing(void *context)
{
    (void)context;
}

static int report(enum tare_status status, const struct tare_measured *m, const struct tare_err *err)
{
    char text[TARE_MEASURED_TEXT];
    printf("%s n %d early %d unsteady %d mean %.0f low %.0f high %.0f\n", tare_status_name(status), m->n, m->stopped_early,
           m->unsteady, m->mean, m->low, m->high);
    puts(status ? err->text : tare_measured_text(m, text, sizeof text));
    return 0;
}

int main(int argc, char **argv)
{
    const char *call = argc > 1 ? argv[1] : "once";
    struct tare_measure how = TARE_MEASURE_DEFAULT;
    struct tare_measured m;
    struct tare_err err = {{0}};
    size_t bytes = 30 << 20;
    how.verbose = argc > 2 ? line : NULL;
    how.runs = 6;
    how.timeout = strcmp(call, "hangs") == 0 || strcmp(call, "closes") == 0      ? 0.3
                  : strcmp(call, "leaves") == 0 || strcmp(call, "abandons") == 0 ? 20
                                                                                 : 60;
    if (strcmp(call, "negative") == 0)
        answer_below_zero();
    tare_once(sleep_2ms, NULL, &how, &m, &err);
    if (strcmp(call, "once") == 0)
        return report(TARE_OK, &m, &err);
    if (strcmp(call, "startup") == 0)
        return report(tare_startup(sleep_2ms, NULL, &how, &m, &err), &m, &err);
    if (strcmp(call, "georges") == 0) {
        how.method = TARE_METHOD_GEORGES;
        how.precision = 100;
        return report(tare_startup(sleep_2ms, NULL, &how, &m, &err), &m, &err);
    }
    if (strcmp(call, "nothing") == 0 || strcmp(call, "negative") == 0) {
        how.runs = 12;
        return report(tare_startup(nothing, NULL, &how, &m, &err), &m, &err);
    }
    if (strcmp(call, "doubtful") == 0) {
        how.confidence = 1e-300;
        return report(tare_startup(nothing, NULL, &how, &m, &err), &m, &err);
    }
    if (strcmp(call, "steady") == 0) {
        how.cov = 0.5;
        return report(tare_steady(warm_up, NULL, &how, &m, &err), &m, &err);
    }
    if (strcmp(call, "unsteady") == 0) {
        how.cov = 1e-9;
        return report(tare_steady(warm_up, NULL, &how, &m, &err), &m, &err);
    }
    if (strcmp(call, "memory") == 0)
        return report(tare_memory(touch, &bytes, &how, &m, &err), &m, &err);
    if (strcmp(call, "dies") == 0)
        return report(tare_startup(die, NULL, &how, &m, &err), &m, &err);
    if (strcmp(call, "hangs") == 0)
        return report(tare_startup(hang, NULL, &how, &m, &err), &m, &err);
    if (strcmp(call, "leaves") == 0)
        return report(tare_startup(leave, NULL, &how, &m, &err), &m, &err);
    if (strcmp(call, "abandons") == 0)
        return report(tare_startup(abandon, NULL, &how, &m, &err), &m, &err);
    if (strcmp(call, "ignores") == 0)
        signal(SIGCHLD, SIG_IGN);
    if (strcmp(call, "closes") == 0)
        return report(tare_startup(close_all, NULL, &how, &m, &err), &m, &err);
    if (strcmp(call, "unreached") == 0 && m.n == 0) /* it was started again, and goes another way */
        return 0;
    return report(tare_startup(sleep_2ms, NULL, &how, &m, &err), &m, &err);
}
