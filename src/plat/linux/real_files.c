/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"

enum tare_status plat_file_read(const char *path, struct buf *out, struct tare_err *err)
{
    return posix_file_read(path, out, err);
}

enum tare_status plat_file_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    return posix_file_pour(path, sink, err);
}

enum tare_status plat_input_pour(const char *path, const struct sink *sink, struct tare_err *err)
{
    return posix_input_pour(path, sink, err);
}
