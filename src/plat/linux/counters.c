/* SPDX-License-Identifier: MIT */
#include "plat.h"

enum tare_status plat_counter_open(struct plat_counter **out, struct plat_spawner *s, const char *event, struct tare_err *err)
{
    (void)out;
    (void)s;
    return err_set(err, TARE_UNSUPPORTED, "counting %s is not supported here", event);
}

enum tare_status plat_counter_read(struct plat_counter *c, double *total, double *running_ratio)
{
    (void)c;
    *total = *running_ratio = 0;
    return TARE_UNSUPPORTED;
}

void plat_counter_close(struct plat_counter *c)
{
    (void)c;
}
