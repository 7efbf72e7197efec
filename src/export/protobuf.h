/* SPDX-License-Identifier: MIT
 *
 * protobuf.h - messages of protocol buffers into a buf: numbers, texts and messages within messages.
 *
 *     struct protobuf p = protobuf_into(&b);
 *     protobuf_begin(&p, 1);                     // field 1: a message
 *     protobuf_number(&p, 8, ns);
 *     protobuf_text(&p, 2, "name");
 *     protobuf_end(&p);
 *
 * A message's length stands before it: room for five bytes is kept and filled at its end, padded as the format allows. Knows no schema.
 * Failures stay in the buf's status. At most PROTOBUF_DEPTH messages within each other, each below 4 GiB.
 */
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include "buf.h"

enum { PROTOBUF_DEPTH = 8 };

struct protobuf {
    struct buf *out;
    size_t begins[PROTOBUF_DEPTH]; /* of contents */
    int depth;
};

struct protobuf protobuf_into(struct buf *out);
void protobuf_begin(struct protobuf *p, unsigned field);
void protobuf_end(struct protobuf *p);
void protobuf_number(struct protobuf *p, unsigned field, uint64_t value); /* varint: int32, uint64, enum, bool */
void protobuf_double(struct protobuf *p, unsigned field, double value);
void protobuf_text(struct protobuf *p, unsigned field, const char *text); /* bytes that are no UTF-8 become escapes */

#endif
