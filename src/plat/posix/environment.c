/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

const char *const *plat_environment(void)
{
    static const char *const none[] = {NULL};
    return environ ? (const char *const *)environ : none;
}

void plat_arguments(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

const char *plat_getenv(const char *name)
{
    return getenv(name);
}

int64_t plat_stack_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY ? INT64_MAX : (int64_t)limit.rlim_cur;
}

bool plat_words_are_windows(void)
{
    return false;
}
