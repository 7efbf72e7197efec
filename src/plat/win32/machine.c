/* SPDX-License-Identifier: MIT
 *
 * The system and its scheduler.
 */
#include "win32.h"

void plat_uname(struct plat_uname *out)
{
    *out = (struct plat_uname){.os = "Windows", .machine = "x86_64"};
}

enum tare_status plat_set_priority(enum plat_priority p, struct tare_err *err)
{
    (void)p;
    return err_set(err, TARE_UNSUPPORTED, "cannot set a priority: not written for Windows yet");
}

enum tare_status plat_scheduling(struct plat_scheduling *out, struct tare_err *err)
{
    (void)out;
    return err_set(err, TARE_UNSUPPORTED, "not written for Windows yet");
}
