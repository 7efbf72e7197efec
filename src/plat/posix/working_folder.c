/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum tare_status plat_working_folder(struct buf *path, struct tare_err *err)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return posix_fail(err, errno, "cannot tell the current folder");
    buf_str(path, folder);
    free(folder);
    return path->status ? err_set(err, path->status, "no memory for the current folder") : TARE_OK;
}
