/* SPDX-License-Identifier: MIT
 * {"grep foo": {"latency": {"value": 12300000, "lower_value": 12150000, "upper_value": 12500000}, "rss": {"value": 2000000, ...}}}
 *
 * Bencher's Metric Format: medians with their intervals in base units. Its measure "latency" is in ns and "build-time" in s; other names are ours
 * as slugs. */
#include "exporters.h"
#include "json_write.h"
#include "medians.h"
#include <string.h>

static void put_measure(struct json_write *j, const char *name, const struct median *x)
{
    const double unit = !strcmp(name, "build-time") && !strcmp(x->metric->unit, "ns") ? 1e9 : 1;
    json_object(j, name);
    json_number(j, "value", x->e->point / unit);
    if (x->has_interval) {
        json_number(j, "lower_value", x->e->low / unit);
        json_number(j, "upper_value", x->e->high / unit);
    }
    json_end(j);
}

static void put(struct export_out *out, const struct medians *m)
{
    struct json_write j = json_into(&out->text, 2);
    const char *const *names = medians_names(m, "latency", '-', NULL, NULL);
    if (!names)
        out->text.status = TARE_NO_MEMORY;
    int of = -1; /* whose object is open */
    json_object(&j, NULL);
    for (struct median x = {.subject = -1}; names && medians_next(m, &x); of = x.subject) {
        if (of != x.subject) {
            if (of >= 0)
                json_end(&j);
            json_object(&j, m->r->subjects[x.subject].name);
        }
        put_measure(&j, names[x.metric - m->r->metrics], &x);
        export_out_pass(out);
    }
    if (of >= 0)
        json_end(&j);
    json_end(&j);
    buf_char(&out->text, '\n');
}

const struct exporter exporter_bmf = {"bmf", "bmf.json", .medians = put};
