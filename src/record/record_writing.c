/* SPDX-License-Identifier: MIT */
#include "record_writing.h"

uint64_t record_hash(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void record_writer_begin(struct record_writer *w, const struct sink *sink)
{
    *w = (struct record_writer){.sink = sink, .line = BUF_INIT(RECORD_LINE_MAX), .hash = RECORD_HASH_EMPTY};
}

void record_writer_finish(struct record_writer *w)
{
    buf_finish(&w->line);
}

struct json_write record_line_begin(struct record_writer *w, const char *type)
{
    buf_clear(&w->line);
    struct json_write j = json_into(&w->line, 0);
    json_object(&j, NULL);
    json_string(&j, "type", type);
    return j;
}

/* Hands the line to the sink in one piece. */
void record_line_end(struct record_writer *w, struct json_write *j)
{
    json_end(j);
    buf_char(&w->line, '\n');
    if (w->status)
        return;
    if (w->line.status)
        w->status = err_set(&w->err, w->line.status, "record: a line could not be made (%s)", tare_status_text(w->line.status));
    else
        w->status = w->sink->write(w->sink->context, w->line.data, w->line.len, &w->err);
    if (w->status)
        return;
    w->hash = record_hash(w->hash, w->line.data, w->line.len);
    w->bytes += (int64_t)w->line.len;
    w->lines++;
}

enum tare_status record_write_outcome(const struct record_writer *w, struct tare_err *err)
{
    if (w->status && err)
        *err = w->err;
    return w->status;
}
