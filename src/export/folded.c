/* SPDX-License-Identifier: MIT
 * worker (4711);parse;a.c:12 → a.c:14 48213
 *
 * One stack a line with its nanoseconds, for flamegraph.pl, inferno, speedscope and others: scopes from outside to inside, then the arc. Of all
 * passages, the probe's weight taken off. With several tracks each has a stack of its own. The format has no place for remarks. */
#include "events_export.h"
#include "exporters.h"
#include "quote.h"

/* Without what separates frames and lines, and without blanks at its ends. */
static void frame_name(struct buf *b, const char *name)
{
    char escape[QUOTE_ESCAPE];
    if (!*name)
        buf_char(b, '?');
    for (int n; (n = quote_character(name, escape)); name += n)
        if (*name == ';')
            buf_char(b, ':');
        else if (*escape)
            buf_str(b, escape);
        else
            buf_add(b, name, (size_t)n);
}

static void stack(struct buf *b, const struct spans *s, int node)
{
    int path[600], n = 0; /* SCOPES_MAX, handlers between them, track and arc */
    for (; node >= 0 && n < 600; node = s->nodes[node].parent)
        if (s->nodes[node].parent >= 0 || s->n_tracks > 1)
            path[n++] = node;
    while (n--) {
        frame_name(b, s->frames[s->nodes[path[n]].frame].name);
        buf_str(b, n ? ";" : "");
    }
}

static enum tare_status write_all(struct events *e, const struct sink *sink, struct tare_err *err)
{
    struct export_out out;
    export_out_begin(&out, sink, err);
    for (int i = 0; i < e->spans.n_nodes; i++) {
        int64_t ns = events_self_ns(e, &e->spans.nodes[i]);
        if (ns <= 0)
            continue;
        stack(&out.text, &e->spans, i);
        buf_format(&out.text, " %lld\n", (long long)ns);
        export_out_pass(&out);
    }
    events_say_negative(e);
    return export_out_end(&out);
}

const struct exporter exporter_folded = {"folded", "folded", .events = write_all};
