/* SPDX-License-Identifier: MIT */
#include "plat.h"
#include "posix.h"

enum tare_status posix_pin_refused(int cpu, struct tare_err *err)
{
    char path[64], text[16];
    struct buf name = buf_over(path, sizeof path), state = buf_over(text, sizeof text);
    buf_format(&name, "/sys/devices/system/cpu/cpu%d/online", cpu);
    if (!plat_file_read(path, &state, NULL) && buf_text(&state)[0] == '0')
        return err_set(err, TARE_INVALID,
                       "cannot run on CPU %d: it is offline; /sys/devices/system/cpu/online lists those that are not", cpu);
    return err_set(err, TARE_INVALID,
                   "cannot run on CPU %d: there is no such CPU, or it is not allowed to us (taskset -p $$ shows those that are)",
                   cpu);
}
