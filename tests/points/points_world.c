/* SPDX-License-Identifier: MIT */
#include "points_world.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

int world_set_up(void **state)
{
    static struct world w;
    snprintf(w.folder, sizeof w.folder, "/tmp/tare-points-XXXXXX");
    if (!mkdtemp(w.folder))
        return -1;
    w.request = trace_request_default(w.folder);
    w.request.limit_bytes = 1 << 30; /* an emulator keeps a row for each page of addresses, and copies them all when it forks */
    w.request.session = 99;
    *state = &w;
    return 0;
}

int world_tear_down(void **state)
{
    struct world *w = *state;
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+w %s 2>/dev/null; rm -rf %s", w->folder, w->folder);
    return system(command);
}

void world_clean(const struct world *w)
{
    char command[256];
    snprintf(command, sizeof command, "rm -f %s/*", w->folder);
    assert_int_equal(system(command), 0);
}

pid_t world_start(const struct world *w, const char *program, const char *name, int n, const char *file)
{
    struct buf request = BUF_INIT(1 << 16);
    char number[16];
    snprintf(number, sizeof number, "%d", n);
    trace_request_write(&request, &w->request);
    pid_t child = fork();
    if (child == 0) {
        setenv(TRACE_VARIABLE, buf_text(&request), 1);
        execl(program, program, name, number, file, (char *)NULL);
        _exit(127);
    }
    buf_finish(&request);
    assert_true(child > 0);
    return child;
}

int world_finish(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

struct seen *world_run(const struct world *w, const char *name, int n, const char *file)
{
    assert_int_equal(world_finish(world_start(w, POINTS_SUBJECT, name, n, file)), 0);
    return seen_folder(w->folder);
}
