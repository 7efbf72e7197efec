/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the file of a traced program. The first byte says whether the checksums in it are made right, so that what stands behind them is
 * reached; the file follows. Whatever comes of it keeps its own rules, is the same number of words with one worker or three, and goes through
 * a record.
 */
#include "crc.h"
#include "record_arcs.h"
#include "record_read.h"
#include "record_write.h"
#include "require.h"
#include "trace_events.h"
#include "trace_sums.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void seal_points(uint8_t *at, size_t n)
{
    for (size_t i = 0; i + sizeof(struct trace_point) <= n; i += TRACE_CELL) {
        struct trace_point p;
        const size_t covered = offsetof(struct trace_point, length);
        memcpy(&p, at + i, sizeof p);
        if (p.magic != TRACE_POINT_MAGIC || p.length > n - i - covered)
            continue;
        p.crc = crc_of(at + i + covered, p.length);
        memcpy(at + i, &p, sizeof p);
    }
}

static void seal(uint8_t *at, size_t n)
{
    for (size_t i = TRACE_UNIT; i + sizeof(struct trace_segment) <= n; i += TRACE_UNIT) {
        struct trace_segment s;
        memcpy(&s, at + i, sizeof s);
        if (s.magic != TRACE_SEGMENT_MAGIC)
            continue;
        s.crc = 0;
        s.crc = crc_of(&s, offsetof(struct trace_segment, used));
        memcpy(at + i, &s, sizeof s);
        if (s.kind == TRACE_POINTS)
            seal_points(at + i + sizeof s, n - i - sizeof s);
    }
    if (n > TRACE_TABLE_AT)
        seal_points(at + TRACE_TABLE_AT, (n < TRACE_UNIT ? n : TRACE_UNIT) - TRACE_TABLE_AT);
}

static void check_arc(const struct trace_arc_sum *a, int n_points)
{
    uint64_t n = 0;
    int before = -1;
    require(a->from >= 0 && a->from < n_points && a->to >= 0 && a->to < n_points, "an arc between points that are not there", "");
    for (int i = 0; i < a->n_bins; i++) {
        require(a->bins[i].bin > before && a->bins[i].bin < TRACE_HISTOGRAM && a->bins[i].n, "bins that are not in order", "");
        before = a->bins[i].bin;
        n += a->bins[i].n;
    }
    require(n == a->n, "bins that do not add up", "");
    require(a->n + a->backwards <= a->passes, "more times than passages", "");
    require(a->clean_n + a->interrupted == a->n, "classes that do not add up", "");
    require(a->min <= a->max, "a least time above the largest", "");
}

static void into_a_record(const struct trace_sums *s)
{
    struct record r, again = {0};
    struct record_reading reading;
    struct tare_err err = {0};
    const char *columns[] = {"wall"};
    struct buf text = BUF_INIT(1 << 26);
    struct sink sink = sink_to_buf(&text);
    record_init(&r);
    r.tool_version = "0";
    r.rule.metric = "wall";
    r.rule.confidence = .95;
    record_add_metric(&r, metric_builtin_find("wall"));
    record_add_subject(&r, &(struct subject){.kind = SUBJECT_TRACE, .name = "x", .command = "x"}, columns, 1);
    if (!trace_sums_record(s, &r, 0, 0, &err) && !record_write(&r, &sink, &err)) {
        enum tare_status status = record_read(&again, text.data, text.len, &reading, &err);
        require(!status, "the record is not read again", err.text);
        require(!again.unverified && !reading.damaged, "the record is not read as it was written", buf_text(&reading.notes));
        record_reading_finish(&reading);
        record_finish(&again);
    }
    buf_finish(&text);
    record_finish(&r);
}

static uint64_t add_up(const struct trace_file *f, int workers)
{
    struct trace_sums *s;
    struct tare_err err = {0};
    uint64_t words = 0;
    if (trace_sums_create(&s, &(struct trace_sums_options){.workers = workers}, &err))
        return 0;
    enum tare_status status = trace_sums_add(s, f, &err);
    if (!status && !trace_sums_finish(s, &err)) {
        const struct trace_arc_sum *arcs;
        const struct trace_sum_point *points;
        int n_points = trace_sums_points(s, &points), n = trace_sums_arcs(s, &arcs);
        for (int i = 0; i < n; i++)
            check_arc(&arcs[i], n_points);
        words = trace_sums_run(s)->words;
        if (workers == 1)
            into_a_record(s);
    }
    require(!status || *err.text, "a failure without a reason", "");
    trace_sums_destroy(s);
    return words;
}

static void go_through(const struct trace_file *f, uint64_t words)
{
    struct trace_events *it;
    struct trace_event e;
    struct tare_err err = {0};
    uint64_t n = 0;
    const struct trace_thread *threads;
    int n_threads = trace_file_threads(f, &threads);
    uint64_t most = words;
    for (int i = 0; i < n_threads; i++)
        most += (uint64_t)threads[i].n;
    if (trace_events_open(&it, f, &(struct trace_window){TRACE_ALL_THREADS, INT64_MIN, INT64_MAX}, &err))
        return;
    while (trace_events_next(it, &e)) {
        require(e.kind < EVENT_KINDS && (e.kind > EVENT_COUNTER || e.point), "an event of no kind, or without its point", "");
        require(e.thread >= 0 && e.thread < n_threads && e.depth >= 0, "an event of no thread", "");
        require(strlen(e.text) <= 1024, "a text that is too long", "");
        require(++n <= most, "more events than words", "");
    }
    trace_events_close(it, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace_file *f;
    struct tare_err err = {0};
    uint8_t *bytes = size ? malloc(size) : NULL;
    if (!bytes)
        return 0;
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1)
        seal(bytes, size - 1);
    enum tare_status status = trace_file_open_bytes(&f, "fuzz", bytes, size - 1, &err);
    require(!status || *err.text, "a failure without a reason", "");
    if (!status) {
        struct buf text = BUF_INIT(1 << 16);
        trace_loss_text(trace_file_loss(f), &text);
        buf_finish(&text);
        uint64_t words = add_up(f, 1);
        const struct trace_stretch *stretches; /* workers share these */
        if (trace_file_stretches(f, &stretches) > 1)
            require(add_up(f, 3) == words, "other words with three workers", "");
        go_through(f, words);
        trace_file_close(f);
    }
    free(bytes);
    return 0;
}
