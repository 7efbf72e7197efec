/* SPDX-License-Identifier: MIT */
#include "events_export.h"
#include "arcs_export.h"
#include "record_kind.h"

enum tare_status events_possible(const struct record *r, const struct export_options *o, struct tare_err *err)
{
    if (!record_kind(r)->arcs)
        return arcs_refuse(r, err);
    if (o->n_traces)
        return TARE_OK;
    return err_set(err, TARE_UNSUPPORTED,
                   "this format shows the events of a run, and a record has only their sums; give it to tare trace, or "
                   "keep the files with --trace-dir");
}

enum tare_status events_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                              struct tare_err *err, bool spans,
                              enum tare_status (*write)(struct events *e, const struct sink *sink, struct tare_err *err))
{
    struct events e = {.o = o, .title = r->n_subjects ? r->subjects[0].name : ""};
    enum tare_status status = events_possible(r, o, err);
    if (status)
        return status;
    e.probe_ns = spans_probe_ns(r);
    const struct spans_options options = {.most = !spans ? 0 : o->most_events ? o->most_events : EXPORT_EVENTS, .seed = r->seed};
    status = spans_read(&e.spans, o->traces, o->n_traces, &options, err);
    status = status ? status : spans_weigh(&e.spans, r, err);
    if (!status)
        status = write(&e, sink, err);
    if (o->left_out && e.spans.left_out.len)
        buf_format(o->left_out, "%s%s", o->left_out->len ? " " : "", buf_text(&e.spans.left_out));
    spans_finish(&e.spans);
    return status;
}

int64_t events_self_ns(const struct events *e, const struct span_node *n)
{
    return spans_self_ns(&e->spans, n);
}

void events_say_negative(struct events *e)
{
    int stacks = 0;
    int64_t ns = 0;
    for (int i = 0; i < e->spans.n_nodes; i++) {
        int64_t self = events_self_ns(e, &e->spans.nodes[i]);
        stacks += self < 0;
        ns += self < 0 ? self : 0;
    }
    if (stacks)
        buf_format(&e->spans.left_out, "%s%d sum%s below 0 after subtraction of the probe overhead, left out: %lld ns.",
                   e->spans.left_out.len ? " " : "", stacks, stacks == 1 ? " is" : "s are", (long long)ns);
}

const char *events_program(const struct events *e, int process)
{
    return trace_file_head(e->o->traces[process])->program;
}

const char *events_frame_file(const struct events *e, const struct span_frame *f)
{
    return f->from >= 0 ? e->spans.places[f->from].file : "";
}

int events_frame_line(const struct events *e, const struct span_frame *f)
{
    return f->from >= 0 ? e->spans.places[f->from].line : 0;
}
