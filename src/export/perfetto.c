/* SPDX-License-Identifier: MIT
 *
 * A trace of TracePackets (perfetto/trace/trace_packet.proto): descriptors of processes, threads and counters, names and places once each as interned
 * data, then a begin and an end for each span. One sequence of packets. Nanoseconds since the first event; as read, the probe's weight in them. */
#include "events_export.h"
#include "exporters.h"
#include "protobuf.h"

enum { /* fields, by message */
       TRACE_PACKET = 1,
       PACKET_TIMESTAMP = 8,
       PACKET_SEQUENCE = 10,
       PACKET_EVENT = 11,
       PACKET_INTERNED = 12,
       PACKET_FLAGS = 13,
       PACKET_TRACK = 60,
       TRACK_UUID = 1,
       TRACK_NAME = 2,
       TRACK_PROCESS = 3,
       TRACK_THREAD = 4,
       TRACK_PARENT = 5,
       TRACK_COUNTER = 8,
       PROCESS_PID = 1,
       PROCESS_NAME = 6,
       THREAD_PID = 1,
       THREAD_TID = 2,
       THREAD_NAME = 5,
       EVENT_ANNOTATION = 4,
       EVENT_TYPE = 9,
       EVENT_NAME_IID = 10,
       EVENT_TRACK = 11,
       EVENT_CATEGORY = 22,
       EVENT_NAME = 23,
       EVENT_PLACE_IID = 34,
       EVENT_VALUE = 44,
       INTERNED_NAME = 2,
       INTERNED_PLACE = 4,
       IID = 1,
       NAME_TEXT = 2,
       PLACE_FILE = 2,
       PLACE_FUNC = 3,
       PLACE_LINE = 4,
       ANNOTATION_UNSIGNED = 3,
       ANNOTATION_NAME = 10,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2, SEQUENCE = 1 };

struct perfetto {
    struct export_out out;
    struct protobuf p;
    const struct events *e;
    bool begun;
};

/* Numbers of tracks: processes, threads, counters and remarks never share one. */
static uint64_t process_uuid(int process)
{
    return UINT64_C(1) << 32 | (unsigned)process;
}

static uint64_t track_uuid(int track)
{
    return UINT64_C(2) << 32 | (unsigned)track;
}

static uint64_t counter_uuid(int track, int place)
{
    return UINT64_C(1) << 56 | (uint64_t)(unsigned)track << 32 | (unsigned)place;
}

static const uint64_t remarks_uuid = UINT64_C(3) << 32;

static void begin_packet(struct perfetto *w)
{
    protobuf_begin(&w->p, TRACE_PACKET);
    protobuf_number(&w->p, PACKET_SEQUENCE, SEQUENCE);
    protobuf_number(&w->p, PACKET_FLAGS, w->begun ? FLAG_NEEDS : FLAG_CLEARED);
    w->begun = true;
}

static void end_packet(struct perfetto *w)
{
    protobuf_end(&w->p);
    export_out_pass(&w->out);
}

/* ---- what is told once ---- */

static void process(struct perfetto *w, int process)
{
    const struct trace_head *head = trace_file_head(w->e->o->traces[process]);
    begin_packet(w);
    protobuf_begin(&w->p, PACKET_TRACK);
    protobuf_number(&w->p, TRACK_UUID, process_uuid(process));
    protobuf_begin(&w->p, TRACK_PROCESS);
    protobuf_number(&w->p, PROCESS_PID, head->pid);
    protobuf_text(&w->p, PROCESS_NAME, head->program);
    protobuf_end(&w->p);
    protobuf_end(&w->p);
    end_packet(w);
}

static void track(struct perfetto *w, int i)
{
    const struct span_track *t = &w->e->spans.tracks[i];
    begin_packet(w);
    protobuf_begin(&w->p, PACKET_TRACK);
    protobuf_number(&w->p, TRACK_UUID, track_uuid(i));
    protobuf_number(&w->p, TRACK_PARENT, process_uuid(t->process));
    if (t->lane) {
        protobuf_text(&w->p, TRACK_NAME, t->name);
    } else {
        protobuf_begin(&w->p, TRACK_THREAD);
        protobuf_number(&w->p, THREAD_PID, t->pid);
        protobuf_number(&w->p, THREAD_TID, t->tid);
        protobuf_text(&w->p, THREAD_NAME, t->name);
        protobuf_end(&w->p);
    }
    protobuf_end(&w->p);
    end_packet(w);
}

/* A track for each counter of each track, where it first has a value. */
static void counters(struct perfetto *w)
{
    const struct spans *s = &w->e->spans;
    for (int i = 0; i < s->n_counts; i++) {
        const struct span_place *p = &s->places[s->counts[i].place];
        bool known = i && s->counts[i - 1].place == s->counts[i].place && s->counts[i - 1].track == s->counts[i].track;
        if (known) /* telling it again changes nothing */
            continue;
        begin_packet(w);
        protobuf_begin(&w->p, PACKET_TRACK);
        protobuf_number(&w->p, TRACK_UUID, counter_uuid(s->counts[i].track, s->counts[i].place));
        protobuf_number(&w->p, TRACK_PARENT, process_uuid(s->tracks[s->counts[i].track].process));
        protobuf_text(&w->p, TRACK_NAME, *p->name ? p->name : p->func);
        protobuf_begin(&w->p, TRACK_COUNTER);
        protobuf_end(&w->p);
        protobuf_end(&w->p);
        end_packet(w);
    }
}

static void interned(struct perfetto *w)
{
    const struct spans *s = &w->e->spans;
    for (int i = 0; i < s->n_frames; i++) {
        begin_packet(w);
        protobuf_begin(&w->p, PACKET_INTERNED);
        protobuf_begin(&w->p, INTERNED_NAME);
        protobuf_number(&w->p, IID, (uint64_t)i + 1);
        protobuf_text(&w->p, NAME_TEXT, s->frames[i].name);
        protobuf_end(&w->p);
        protobuf_end(&w->p);
        end_packet(w);
    }
    for (int i = 0; i < s->n_places; i++) {
        begin_packet(w);
        protobuf_begin(&w->p, PACKET_INTERNED);
        protobuf_begin(&w->p, INTERNED_PLACE);
        protobuf_number(&w->p, IID, (uint64_t)i + 1);
        protobuf_text(&w->p, PLACE_FILE, s->places[i].file);
        protobuf_text(&w->p, PLACE_FUNC, s->places[i].func);
        protobuf_number(&w->p, PLACE_LINE, (uint64_t)s->places[i].line);
        protobuf_end(&w->p);
        protobuf_end(&w->p);
        end_packet(w);
    }
}

/* ---- events ---- */

static void begin_event(struct perfetto *w, int64_t ns, int type, uint64_t uuid)
{
    begin_packet(w);
    protobuf_number(&w->p, PACKET_TIMESTAMP, (uint64_t)ns);
    protobuf_begin(&w->p, PACKET_EVENT);
    protobuf_number(&w->p, EVENT_TYPE, (uint64_t)type);
    protobuf_number(&w->p, EVENT_TRACK, uuid);
}

static void end_event(struct perfetto *w)
{
    protobuf_end(&w->p);
    end_packet(w);
}

static void step(void *context, const struct span *x, bool begin)
{
    struct perfetto *w = context;
    const struct span_frame *f = &w->e->spans.frames[x->frame];
    begin_event(w, begin ? x->begin_ns : x->end_ns, begin ? TYPE_BEGIN : TYPE_END, track_uuid(x->track));
    if (begin) {
        protobuf_number(&w->p, EVENT_NAME_IID, (uint64_t)x->frame + 1);
        protobuf_text(&w->p, EVENT_CATEGORY, events_kind(f->kind));
        if (f->from >= 0)
            protobuf_number(&w->p, EVENT_PLACE_IID, (uint64_t)f->from + 1);
        if (f->kind == FRAME_LEFT_OUT) {
            protobuf_begin(&w->p, EVENT_ANNOTATION);
            protobuf_text(&w->p, ANNOTATION_NAME, "passages");
            protobuf_number(&w->p, ANNOTATION_UNSIGNED, x->left_out);
            protobuf_end(&w->p);
        }
    }
    end_event(w);
}

static void notes(struct perfetto *w)
{
    const struct spans *s = &w->e->spans;
    for (int i = 0; i < s->n_marks; i++) {
        begin_event(w, s->marks[i].ns, TYPE_INSTANT, track_uuid(s->marks[i].track));
        protobuf_text(&w->p, EVENT_NAME, s->marks[i].text);
        end_event(w);
    }
    for (int i = 0; i < s->n_counts; i++) {
        begin_event(w, s->counts[i].ns, TYPE_COUNTER, counter_uuid(s->counts[i].track, s->counts[i].place));
        protobuf_double(&w->p, EVENT_VALUE, s->counts[i].value);
        end_event(w);
    }
}

static void remarks(struct perfetto *w)
{
    if (!w->e->spans.left_out.len)
        return;
    begin_packet(w);
    protobuf_begin(&w->p, PACKET_TRACK);
    protobuf_number(&w->p, TRACK_UUID, remarks_uuid);
    protobuf_text(&w->p, TRACK_NAME, "what is left out");
    protobuf_end(&w->p);
    end_packet(w);
    begin_event(w, 0, TYPE_INSTANT, remarks_uuid);
    protobuf_text(&w->p, EVENT_NAME, buf_text(&w->e->spans.left_out));
    end_event(w);
}

static enum tare_status write_all(struct events *e, const struct sink *sink, struct tare_err *err)
{
    struct perfetto w = {.e = e};
    export_out_begin(&w.out, sink, err);
    w.p = protobuf_into(&w.out.text);
    for (int i = 0; i < e->o->n_traces; i++)
        process(&w, i);
    for (int i = 0; i < e->spans.n_tracks; i++)
        track(&w, i);
    counters(&w);
    interned(&w);
    remarks(&w);
    for (int i = 0; i < e->spans.n_tracks; i++)
        spans_walk(&e->spans, i, step, &w);
    notes(&w);
    return export_out_end(&w.out);
}

static enum tare_status write_perfetto(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    struct events e;
    enum tare_status status = events_open(&e, r, o, true, err);
    if (!status)
        status = write_all(&e, sink, err);
    events_close(&e);
    return status;
}

const struct exporter exporter_perfetto = {"perfetto", "pftrace", write_perfetto};
