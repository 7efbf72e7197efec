/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <stdlib.h>
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

enum tare_status plat_working_folder(struct buf *path, struct tare_err *err)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return posix_fail(err, errno, "cannot determine the current folder");
    buf_str(path, folder);
    free(folder);
    return path->status ? err_set(err, path->status, "no memory for the current folder") : TARE_OK;
}
