/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <stdlib.h>
#include <unistd.h>

const char *const *plat_environment(void)
{
    static const char *const none[] = {NULL};
    return environ ? (const char *const *)environ : none;
}

const char *plat_getenv(const char *name)
{
    return getenv(name);
}
