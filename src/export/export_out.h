/* SPDX-License-Identifier: MIT
 *
 * export_out.h - an export's text on its way to the sink, in pieces, so that memory does not grow with the record.
 *
 *     struct export_out out;
 *     export_out_begin(&out, sink, err);
 *     ... buf_format(&out.text, ...); export_out_pass(&out); ...    // whenever a piece is complete
 *     return export_out_end(&out);
 *
 * The first failure is kept and returned at the end; err is set then.
 */
#ifndef EXPORT_OUT_H
#define EXPORT_OUT_H

#include "buf.h"
#include "sink.h"

struct export_out {
    struct buf text;
    const struct sink *sink;
    struct tare_err *err;
    enum tare_status status;
    size_t handed_on; /* bytes */
};

void export_out_begin(struct export_out *out, const struct sink *sink, struct tare_err *err);
void export_out_pass(struct export_out *out);              /* hands the text on when there is enough of it */
enum tare_status export_out_flush(struct export_out *out); /* all of it: before somebody else writes to the sink */
enum tare_status export_out_end(struct export_out *out);

#endif
