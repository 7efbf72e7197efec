/* SPDX-License-Identifier: MIT */
#include "plat.h"

enum tare_status plat_file_replace(const char *path, const void *bytes, size_t n, struct tare_err *err)
{
    struct plat_file *f;
    enum tare_status status = plat_file_create(&f, path, PLAT_FILE_REPLACE, err);
    if (status)
        return status;
    status = plat_file_write(f, bytes, n, err);
    if (!status)
        return plat_file_commit(f, err);
    plat_file_abandon(f);
    return status;
}
