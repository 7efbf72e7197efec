/* SPDX-License-Identifier: MIT
 *
 * So many passages of one arc, each with so many multiplies in it: more hits than a small --limit keeps. A third argument:
 *     behind  a second arc, of a hundred times as many multiplies, after each passage
 *     later   a child goes on with an arc that does not end before it is killed; its number is written to the file `later`
 *     bare    a child passes as many and may open no file
 *     gone    a child passes as many and removes its file
 *     copied  it copies its own file to the name of another one
 *     forks   a child passes as many, and nothing is lost
 *
 *     points_losing PASSAGES MULTIPLIES [behind | later | bare | gone | copied | forks]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tare/point.h>
#include <unistd.h>

static void multiply(int n)
{
    uint64_t x = 3;
    for (int i = 0; i < n; i++) {
        x *= 5;
        __asm__ volatile("" : "+r"(x));
    }
}

static void passages(int n, int multiplies, bool behind)
{
    for (int i = 0; i < n; i++) {
        TARE_POINT_NAMED("begin");
        multiply(multiplies);
        TARE_POINT_NAMED("end");
        if (!behind)
            continue;
        multiply(100 * multiplies);
        TARE_POINT_NAMED("behind");
    }
}

static void bare(int n, int multiplies)
{
    if (!fork()) {
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
        passages(n, multiplies, false);
        _exit(0);
    }
    wait(NULL);
}

/* With the shell's command for it; $1 is where this process has its file. */
static void with_own_file(const char *command)
{
    const char *asked = getenv("TARE_TRACE"), *folder = asked ? strstr(asked, "\nfolder ") : NULL;
    char line[8192];
    if (!folder)
        return;
    folder += strlen("\nfolder ");
    snprintf(line, sizeof line, "set -- '%.*s'/%d-*.trace; %s", (int)strcspn(folder, "\n"), folder, (int)getpid(), command);
    if (system(line))
        abort();
}

static void gone(int n, int multiplies)
{
    if (!fork()) {
        passages(n, multiplies, false);
        with_own_file("rm \"$1\"");
        _exit(0);
    }
    wait(NULL);
}

static void forks(int n, int multiplies)
{
    if (!fork()) {
        passages(n, multiplies, false);
        _exit(0);
    }
    wait(NULL);
}

static void later(void)
{
    const pid_t child = fork();
    if (!child) {
        TARE_POINT_NAMED("long");
        for (;;)
            pause();
    }
    FILE *f = fopen("later", "a");
    if (f) {
        fprintf(f, "%d\n", (int)child);
        fclose(f);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1, multiplies = argc > 2 ? atoi(argv[2]) : 1;
    const char *what = argc > 3 ? argv[3] : "";
    passages(n, multiplies, !strcmp(what, "behind"));
    if (!strcmp(what, "later"))
        later();
    if (!strcmp(what, "bare"))
        bare(n, multiplies);
    if (!strcmp(what, "gone"))
        gone(n, multiplies);
    if (!strcmp(what, "forks"))
        forks(n, multiplies);
    if (!strcmp(what, "copied"))
        with_own_file("cp \"$1\" \"$1-2.trace\"");
    return 0;
}
