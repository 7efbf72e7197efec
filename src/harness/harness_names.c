/* SPDX-License-Identifier: MIT */
#include "harness.h"
#include <string.h>

enum tare_status harness_add_name(struct harness_names *names, char *name, struct tare_err *err)
{
    if (names->n == HARNESS_LISTED_MAX)
        return err_set(err, TARE_TOO_LARGE, "it lists more than %d benchmarks", (int)HARNESS_LISTED_MAX);
    if (strlen(name) >= WIRE_NAME_MAX)
        return err_set(err, TARE_TOO_LARGE, "it lists a name of more than %d bytes: %.60s...", WIRE_NAME_MAX - 1, name);
    names->items[names->n++] = name;
    return TARE_OK;
}

void harness_put_pattern(struct buf *b, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_format(b, "%s%c", strchr("\\.[]{}()*+?|^$", text[i]) ? "\\" : "", text[i]);
}
