/* SPDX-License-Identifier: MIT
 * [{"name": "grep foo [wall]", "unit": "ns", "value": 12300000, "range": "± 175000", "extra": "10 runs"}]
 *
 * What the action github-action-benchmark reads as its tool customSmallerIsBetter: medians of the metrics of which less is better, in base units,
 * with half their interval. */
#include "exporters.h"
#include "json_write.h"
#include "medians.h"

static void put(struct export_out *out, const struct medians *m)
{
    struct json_write j = json_into(&out->text, 2);
    int left_out = 0;
    json_array(&j, NULL);
    for (struct median x = {.subject = -1}; medians_next(m, &x);) {
        if (x.metric->direction == METRIC_LOWER) {
            struct buf text = BUF_INIT(1 << 20);
            json_object(&j, NULL);
            series_name_put(&text, m->r->subjects[x.subject].name, "", x.metric->id);
            json_string(&j, "name", buf_text(&text));
            json_string(&j, "unit", x.metric->unit);
            json_number(&j, "value", x.e->point);
            buf_clear(&text);
            buf_format(&text, "± %.6g", (x.e->high - x.e->low) / 2);
            if (x.has_interval)
                json_string(&j, "range", buf_text(&text));
            buf_clear(&text);
            buf_format(&text, "%d %s%s", x.e->n, record_is_over_sessions(m->r) ? "session" : "run", buf_plural(x.e->n));
            json_string(&j, "extra", buf_text(&text));
            json_end(&j);
            buf_finish(&text);
        } else
            left_out++;
        export_out_pass(out);
    }
    json_end(&j);
    buf_char(&out->text, '\n');
    if (left_out && m->o->left_out)
        buf_format(m->o->left_out, "%s%d median%s left out: this format is only for metrics of which less is better",
                   m->o->left_out->len ? "; " : "", left_out, left_out == 1 ? " was" : "s were");
}

const struct exporter exporter_action = {"action", "action.json", .medians = put};
