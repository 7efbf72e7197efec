/* SPDX-License-Identifier: MIT
 *
 * Forks of measured code, and the end of a process.
 */
#include "plat_process.h"
#include <pthread.h>
#include <unistd.h>

static volatile bool forked;

static void mark(void)
{
    forked = true;
}

void plat_forks_watch(void)
{
    static bool watching;
    if (!watching && !forked)
        watching = pthread_atfork(NULL, NULL, mark) == 0;
}

void plat_forked_end(void)
{
    if (forked)
        plat_process_end(0);
}

void plat_process_end(int code)
{
    _exit(code);
}
