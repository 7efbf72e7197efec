/* SPDX-License-Identifier: MIT
 * What SAMPLER v2 lost or crossed: one word says how the program goes on between its points, the second how often. */
#include <errno.h>
#include <pthread.h>
#include <sampler.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int often = 1;

static void *walk(void *unused)
{
    (void)unused;
    for (int i = 0; i < often; i++) {
        SAMPLE;
        SAMPLE;
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&all[i], NULL, walk, NULL))
            exit(1);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

static void children(void)
{
    SAMPLE;
    for (int i = 0; i < often; i++) {
        pid_t child = fork();
        if (child == 0) {
            SAMPLE;
            SAMPLE;
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    SAMPLE;
}

static void passed(int signal)
{
    (void)signal;
    SAMPLE;
}

static void signals(void)
{
    signal(SIGUSR1, passed);
    SAMPLE;
    for (int i = 0; i < often; i++)
        raise(SIGUSR1);
    SAMPLE;
}

int main(int argc, char **argv)
{
    sampler_init(&argc, argv);
    const char *how = argc > 1 ? argv[1] : "";
    often = argc > 2 ? atoi(argv[2]) : 1;
    errno = 77;
    if (!strcmp(how, "threads"))
        threads();
    else if (!strcmp(how, "children"))
        children();
    else if (!strcmp(how, "signals"))
        signals();
    else
        walk(NULL);
    if (errno != 77 && strcmp(how, "children") != 0)
        return 3;
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "arguments"))
        for (int i = 0; i <= argc; i++)
            printf("%s\n", argv[i] ? argv[i] : "(end)");
    return 0;
}
