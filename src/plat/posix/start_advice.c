/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <errno.h>

const char *plat_start_advice(int error)
{
    switch (error) {
    case ENOEXEC:
        return " (no program of this machine; a script needs #! and its interpreter as the first line, or run it as 'sh FILE')";
    case ENOENT:
        return " (where the file is there: its interpreter, or its dynamic loader, is not)";
    case E2BIG:
        return " (arguments and environment are longer than the system takes; see ulimit -s)";
    default:
        return "";
    }
}
