/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"

enum tare_status plat_file_state(const char *path, struct plat_file_state *out, struct tare_err *err)
{
    return posix_file_state(path, out, err);
}
