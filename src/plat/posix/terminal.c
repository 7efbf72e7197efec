/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include <sys/ioctl.h>
#include <unistd.h>

bool plat_is_terminal(int fd)
{
    return isatty(fd) == 1;
}

int plat_terminal_width(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
        return 80;
    return size.ws_col;
}
