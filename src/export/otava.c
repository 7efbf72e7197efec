/* SPDX-License-Identifier: MIT
 * time,commit,grep foo [wall],grep foo [rss]
 * 2026-11-27T08:40:00Z,,12300000,2000000
 *
 * CSV of otava, a line for the session: medians in base units. The lines of several sessions of the same commands, under one header, are its input. The
 * commit is left to who puts them together; tare history export fills it in. */
#include "exporters.h"
#include "medians.h"
#include "quote.h"
#include "utc.h"

static void put(struct export_out *out, const struct medians *m)
{
    struct buf *b = &out->text;
    buf_str(b, "time,commit");
    for (struct median x = {.subject = -1}; medians_next(m, &x); export_out_pass(out)) {
        struct buf name = BUF_INIT(1 << 20);
        series_name_put(&name, m->r->subjects[x.subject].name, "", x.metric->id);
        buf_char(b, ',');
        quote_csv(b, "", buf_text(&name));
        buf_finish(&name);
    }
    buf_char(b, '\n');
    if (m->r->start_utc_ns)
        utc_text(b, m->r->start_utc_ns);
    buf_char(b, ',');
    for (struct median x = {.subject = -1}; medians_next(m, &x); export_out_pass(out))
        buf_format(b, ",%g", x.e->point);
    buf_char(b, '\n');
}

const struct exporter exporter_otava = {"otava", "otava.csv", .medians = put};
