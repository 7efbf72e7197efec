/* SPDX-License-Identifier: MIT
 * command,at,rss_bytes,heap_bytes
 * sort words,0.0124,8192000,6553600
 *
 * at is seconds from the start of that run; the values are the largest until the next line. An empty field: not known. */
#include "csv_text.h"
#include "export_kind.h"
#include "exporters.h"
#include "record_kind.h"
#include "results.h"
#include "timeline_out.h"
#include <math.h>
#include <string.h>

static void bytes(struct buf *b, double value)
{
    buf_char(b, ',');
    if (isfinite(value))
        buf_format(b, "%g", value);
}

static void csv_of(struct export_out *out, const struct record *r, const struct timeline *t)
{
    for (int i = 0; i < t->n; i++) {
        csv_text(&out->text, "", r->subjects[t->subject].name);
        buf_format(&out->text, ",%g", (double)t->at_ns[i] / 1e9);
        bytes(&out->text, t->rss[i]);
        bytes(&out->text, t->heap[i]);
        buf_char(&out->text, '\n');
        export_out_pass(out);
    }
}

static bool is_picture(const char *file)
{
    size_t n = file ? strlen(file) : 0;
    return n > 4 && !strcmp(file + n - 4, ".svg");
}

static enum tare_status write_timeline(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    if (kind_export(r)->table != markup_write)
        return err_set(err, TARE_UNSUPPORTED, "memory over time is of commands, and the record is of %s",
                       record_kind(r)->results);
    if (!r->n_timelines && r->ended && !r->partial) /* one that ended too early has an empty one, as other exports are then */
        return err_set(err, TARE_UNSUPPORTED,
                       "the session holds no memory over time; measure it with tare run --memory-timeline");
    struct export_out out;
    export_out_begin(&out, sink, err);
    if (is_picture(o->file))
        timeline_svg(&out, r);
    else {
        buf_str(&out.text, "command,at,rss_bytes,heap_bytes\n");
        for (int i = 0; i < r->n_timelines; i++)
            csv_of(&out, r, &r->timelines[i]);
    }
    return export_out_end(&out);
}

const struct exporter exporter_timeline = {"timeline", "timeline.csv", .write = write_timeline};
