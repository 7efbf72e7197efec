/* SPDX-License-Identifier: MIT */
#include "protobuf.h"
#include "quote.h"
#include <assert.h>
#include <string.h>

enum { VARINT, FIXED64, LENGTH, LENGTH_BYTES = 5 };

static void varint(struct buf *b, uint64_t value)
{
    char bytes[10];
    size_t n = 0;
    for (; value > 0x7f; value >>= 7)
        bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    buf_add(b, bytes, n);
}

static void tag(struct protobuf *p, unsigned field, unsigned type)
{
    varint(p->out, (uint64_t)field << 3 | type);
}

struct protobuf protobuf_into(struct buf *out)
{
    return (struct protobuf){.out = out};
}

void protobuf_begin(struct protobuf *p, unsigned field)
{
    assert(p->depth < PROTOBUF_DEPTH);
    tag(p, field, LENGTH);
    buf_add(p->out, "\0\0\0\0", LENGTH_BYTES);
    p->begins[p->depth++] = p->out->len;
}

void protobuf_end(struct protobuf *p)
{
    size_t begin = p->begins[--p->depth];
    if (p->out->status)
        return;
    uint64_t length = p->out->len - begin;
    for (int i = 0; i < LENGTH_BYTES; i++)
        p->out->data[begin - LENGTH_BYTES + (size_t)i] = (char)((length >> (7 * i) & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0));
}

void protobuf_number(struct protobuf *p, unsigned field, uint64_t value)
{
    tag(p, field, VARINT);
    varint(p->out, value);
}

void protobuf_double(struct protobuf *p, unsigned field, double value)
{
    uint64_t bits;
    char bytes[8];
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (char)(bits >> (8 * i));
    tag(p, field, FIXED64);
    buf_add(p->out, bytes, sizeof bytes);
}

void protobuf_text(struct protobuf *p, unsigned field, const char *text)
{
    struct buf masked = BUF_INIT(1 << 16);
    quote_mask(&masked, text, true);
    tag(p, field, LENGTH);
    varint(p->out, masked.len);
    buf_add(p->out, buf_text(&masked), masked.len);
    buf_finish(&masked);
}
