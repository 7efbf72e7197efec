/* SPDX-License-Identifier: MIT */
#include "export_out.h"

enum { PIECE_BYTES = 64 << 10, TEXT_MAX = 256 << 20 };

void export_out_begin(struct export_out *out, const struct sink *sink, struct tare_err *err)
{
    *out = (struct export_out){.text = BUF_INIT(TEXT_MAX), .sink = sink, .err = err};
}

static void hand_on(struct export_out *out)
{
    if (!out->status && out->text.status)
        out->status = err_set(out->err, out->text.status, "a part of the export could not be made (%s)",
                              tare_status_text(out->text.status));
    if (!out->status && out->text.len)
        out->status = out->sink->write(out->sink->context, out->text.data, out->text.len, out->err);
    out->handed_on += out->text.len;
    buf_clear(&out->text);
}

void export_out_pass(struct export_out *out)
{
    if (out->text.len >= PIECE_BYTES || out->text.status)
        hand_on(out);
}

enum tare_status export_out_flush(struct export_out *out)
{
    hand_on(out);
    return out->status;
}

enum tare_status export_out_end(struct export_out *out)
{
    hand_on(out);
    buf_finish(&out->text);
    return out->status;
}
