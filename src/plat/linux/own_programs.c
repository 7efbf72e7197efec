/* SPDX-License-Identifier: MIT */
#include "own_programs.h"
#include "buf.h"
#include <limits.h>

enum tare_status programs_name(char *paths[PROGRAMS], const char *folder, struct tare_err *err)
{
    static const char *const names[PROGRAMS] = {"tare-spawn", "tare-noop", "tare-work"};
    for (int i = 0; i < PROGRAMS; i++) {
        struct buf path = BUF_INIT(2 * PATH_MAX);
        buf_format(&path, "%s/%s", folder, names[i]);
        paths[i] = path.data;
        if (path.status)
            return err_set(err, TARE_NO_MEMORY, "cannot name %s: %s", names[i], tare_status_text(path.status));
    }
    return TARE_OK;
}
