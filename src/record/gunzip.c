/* SPDX-License-Identifier: MIT */
#include "gunzip.h"
#include <limits.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 1 << 16, GZIP_HEADER = 16 }; /* GZIP_HEADER added to the window's bits: gzip alone, no zlib stream */

struct inflating {
    z_stream z;
    const char *rest; /* of the file, not yet handed over */
    size_t n;
    struct buf *out;
    struct tare_err *err;
};

static void hand_over(struct inflating *f)
{
    size_t piece = f->n < INT_MAX ? f->n : INT_MAX;
    if (f->z.avail_in || !piece)
        return;
    memcpy(&f->z.next_in, &f->rest, sizeof f->rest); /* zlib's pointer is to bytes that it does not change */
    f->z.avail_in = (uInt)piece;
    f->rest += piece;
    f->n -= piece;
}

static enum tare_status wrong_gzip(struct inflating *f, int code)
{
    if (code == Z_MEM_ERROR)
        return err_no_memory(f->err);
    if (code == Z_BUF_ERROR)
        return err_set(f->err, TARE_TRUNCATED, "compressed with gzip, and ends too early");
    return err_set(f->err, TARE_FORMAT, "compressed with gzip, and damaged: %s", f->z.msg ? f->z.msg : "wrong check sum");
}

/* One member, to its end. */
static enum tare_status inflate_member(struct inflating *f)
{
    unsigned char block[BLOCK];
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        hand_over(f);
        f->z.next_out = block;
        f->z.avail_out = sizeof block;
        code = inflate(&f->z, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END)
            return wrong_gzip(f, code);
        buf_add(f->out, block, sizeof block - f->z.avail_out);
        if (f->out->status == TARE_TOO_LARGE)
            return err_set(f->err, TARE_TOO_LARGE, "compressed with gzip, and more than %zu bytes of text", f->out->cap);
        if (f->out->status)
            return err_set(f->err, f->out->status, "no memory to decompress the file");
    }
    return TARE_OK;
}

static bool another_member(struct inflating *f)
{
    hand_over(f);
    return f->z.avail_in >= 2 && f->z.next_in[0] == 0x1f && f->z.next_in[1] == 0x8b;
}

enum tare_status gunzip(const char *bytes, size_t n, struct buf *out, struct tare_err *err)
{
    struct inflating f = {.rest = bytes, .n = n, .out = out, .err = err};
    if (inflateInit2(&f.z, MAX_WBITS + GZIP_HEADER) != Z_OK)
        return err_no_memory(err);
    enum tare_status status;
    do
        status = inflate_member(&f);
    while (!status && another_member(&f) && inflateReset(&f.z) == Z_OK);
    inflateEnd(&f.z);
    return status;
}
