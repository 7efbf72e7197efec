/* SPDX-License-Identifier: MIT */
#include "real.h"

enum tare_status real_collect(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    const struct real_collecting *c = context;
    struct buf *out = c->out;
    buf_add(out, bytes, n);
    return out->status ? err_set(err, out->status, "cannot read %s: %s (limit %zu bytes)", c->name, tare_status_text(out->status),
                                 out->cap)
                       : TARE_OK;
}
