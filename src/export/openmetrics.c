/* SPDX-License-Identifier: MIT
 * # TYPE tare_wall_seconds gauge
 * # UNIT tare_wall_seconds seconds
 * # HELP tare_wall_seconds Wall time, the median of the runs.
 * tare_wall_seconds{command="grep foo",statistic="median"} 0.0123
 *
 * OpenMetrics text, which Prometheus reads too: a family for each metric, times in seconds. */
#include "exporters.h"
#include "medians.h"
#include "quote.h"
#include "same_text.h"
#include <string.h>

struct family {
    const char *name, *unit; /* "tare_wall_seconds", "seconds"; "": without a unit */
};

/* A label, or with another sign for `"` a help text: there OpenMetrics wants it escaped, and Prometheus takes no such escape. */
static void put_text(struct buf *b, const char *text, const char *quotation_mark)
{
    char escape[QUOTE_ESCAPE];
    for (int n; (n = quote_character(text, escape)); text += n) {
        if (*text == '\n')
            buf_str(b, "\\n");
        else if (*text == '"')
            buf_str(b, quotation_mark);
        else if (*text == '\\' || *escape)
            buf_format(b, "\\%s", *escape ? escape : "\\");
        else
            buf_add(b, text, (size_t)n);
    }
}

static void put_sample(struct buf *b, const struct medians *m, const struct family *f, const struct median *x,
                       const char *statistic, double value)
{
    buf_format(b, "%s{command=\"", f->name);
    put_text(b, m->r->subjects[x->subject].name, "\\\"");
    buf_format(b, "\",statistic=\"%s\"} %g\n", statistic, *f->unit == 's' ? value / 1e9 : value);
}

static const char *unit_of(const struct metric *m)
{
    return !strcmp(m->unit, "ns") ? "seconds" : !strcmp(m->unit, "bytes") ? "bytes" : "";
}

/* Prometheus wants no type in a name: "counter_items" of benchmarks is none of its counters, and becomes "reported_items". */
static void without_types(struct buf *name)
{
    static const char types[] = "counter gauge histogram summary";
    struct buf rest = BUF_INIT(1 << 16);
    bool typed = false;
    for (const char *at = buf_text(name); *at;) {
        const size_t n = strcspn(at, "_");
        const bool type = text_lists(types, sizeof types - 1, " ", at, n);
        typed |= type;
        if (!type)
            buf_format(&rest, "_%.*s", (int)n, at);
        at += n + (at[n] == '_');
    }
    if (typed) {
        buf_clear(name);
        buf_format(name, "reported%s", buf_text(&rest));
    }
    name->status = name->status ? name->status : rest.status;
    buf_finish(&rest);
}

static void put(struct export_out *out, const struct medians *m)
{
    const char *const *names =
        medians_names(m, !strcmp(results_time(m->r), "wall") ? "wall" : "time", '_', unit_of, without_types);
    if (!names)
        out->text.status = TARE_NO_MEMORY;
    for (int i = 0; names && i < m->r->n_metrics; i++) {
        /* The name is NULL where there is no memory. */
        const struct family f = {arena_format(m->arena, "tare_%s", names[i]), unit_of(&m->r->metrics[i])};
        struct buf *b = &out->text;
        struct median x = {.subject = -1};
        bool begun = false;
        for (const int *subject = m->order; *subject >= 0 && f.name; subject++) {
            if (!medians_get(m, *subject, &m->r->metrics[i], &x))
                continue;
            if (!begun) {
                buf_format(b, "# TYPE %s gauge\n", f.name);
                if (*f.unit)
                    buf_format(b, "# UNIT %s %s\n", f.name, f.unit);
                buf_format(b, "# HELP %s ", f.name);
                put_text(b, x.metric->title, "'");
                buf_str(b, ", the median of the runs and its interval.\n");
            }
            begun = true;
            put_sample(b, m, &f, &x, "median", x.e->point);
            if (x.has_interval) {
                put_sample(b, m, &f, &x, "median_low", x.e->low);
                put_sample(b, m, &f, &x, "median_high", x.e->high);
            }
            export_out_pass(out);
        }
        if (!f.name)
            b->status = TARE_NO_MEMORY;
    }
    buf_str(&out->text, "# EOF\n");
}

const struct exporter exporter_openmetrics = {"openmetrics", "om", .medians = put};
