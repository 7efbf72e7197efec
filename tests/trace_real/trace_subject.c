/* SPDX-License-Identifier: MIT
 * A program with control points that ends in the way its argument names. Its passes are counted, never timed. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <tare/point.h>
#include <unistd.h>

static void pass(int n)
{
    for (int i = 0; i < n; i++) {
        TARE_POINT_NAMED("one");
        TARE_POINT_NAMED("two");
    }
}

static void close_all(void)
{
    for (int fd = 0; fd < 64; fd++)
        close(fd);
}

static int in_a_child(void)
{
    pid_t child = fork();
    if (!child) {
        for (int i = 0; i < 7; i++)
            TARE_POINT_NAMED("child");
        _exit(0);
    }
    int state;
    return child < 0 || waitpid(child, &state, 0) != child || state;
}

/* Until somebody opens a file in the folder that the request names. */
static void wait_for_reader(void)
{
    char folder[4096] = "", event[4096];
    const char *request = getenv("TARE_TRACE"), *named = request ? strstr(request, "\nfolder ") : NULL;
    const int watch = inotify_init();
    if (named)
        memcpy(folder, named + 8, strcspn(named + 8, "\n"));
    if (inotify_add_watch(watch, folder, IN_OPEN) < 0 || read(watch, event, sizeof event) <= 0)
        _exit(1);
}

/* Goes on when its parent has ended, without a pass, until the file is there; half a minute at most. In turns: by a child, once the files of the run are
 * read. */
static int leave_behind(const char *file, bool in_turns)
{
    pid_t child = fork();
    if (child)
        return child < 0;
    setsid();
    if (in_turns) {
        wait_for_reader();
        if (fork())
            _exit(0);
    }
    for (int i = 0; i < 600 && access(file, F_OK); i++)
        usleep(50000);
    _exit(0);
}

static bool is(const char *word, const char *how)
{
    return !strcmp(word, how);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (is("none", how))
        return 0;
    if (is("elsewhere", how) && chdir("/"))
        return 1;
    if (is("closed", how))
        close_all();
    pass(50);
    if (is("aborts", how))
        abort();
    if (is("killed", how))
        kill(getpid(), SIGKILL);
    if (is("leaves", how))
        _exit(0);
    if (is("fails", how))
        return 3;
    if (is("executes", how))
        execl(argv[0], argv[0], "again", (char *)NULL);
    if (is("forks", how))
        return in_a_child();
    if (is("turns", how))
        pass(1 << 20); /* takes a while to read */
    if ((is("daemon", how) || is("turns", how)) && leave_behind(argc > 2 ? argv[2] : "/", is("turns", how)))
        return 1;
    TARE_POINT_NAMED("end");
    return 0;
}
