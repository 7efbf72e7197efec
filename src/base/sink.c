/* SPDX-License-Identifier: MIT */
#include "sink.h"

static enum tare_status into_buf(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    struct buf *b = context;
    buf_add(b, bytes, n);
    return b->status ? err_set(err, b->status, "the text does not fit, or there is no memory for it") : TARE_OK;
}

static enum tare_status discard(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)context, (void)bytes, (void)n, (void)err;
    return TARE_OK;
}

const struct sink sink_nowhere = {.write = discard};

struct sink sink_to_buf(struct buf *b)
{
    return (struct sink){into_buf, b};
}
