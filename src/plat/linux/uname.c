/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <string.h>
#include <sys/utsname.h>

static void copy_field(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);
    n = n < size ? n : size - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

void plat_uname(struct plat_uname *out)
{
    struct utsname u = {0};
    uname(&u);
    copy_field(out->os, sizeof out->os, u.sysname);
    copy_field(out->release, sizeof out->release, u.release);
    copy_field(out->version, sizeof out->version, u.version);
    copy_field(out->machine, sizeof out->machine, u.machine);
    copy_field(out->node, sizeof out->node, u.nodename);
}
