/* SPDX-License-Identifier: MIT
 *
 * sink.h - where text goes: a file, a terminal, a buffer. Writers, exporters and renderers know only this.
 */
#ifndef SINK_H
#define SINK_H

#include "buf.h"
#include <stddef.h>
#include <tare/status.h>

struct sink {
    /* Writes all n bytes or fails. */
    enum tare_status (*write)(void *context, const void *bytes, size_t n, struct tare_err *err);
    void *context;
};

/* Appends to b, which must outlive the sink. Fails with the buf's own status, when it is full or without memory. */
struct sink sink_to_buf(struct buf *b);
extern const struct sink sink_nowhere; /* takes everything */

#endif
