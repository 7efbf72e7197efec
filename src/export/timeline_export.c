/* SPDX-License-Identifier: MIT
 * command,at,rss_bytes,heap_bytes
 * sort words,0.0124,8192000,6553600
 *
 * at is seconds from the start of that run; the values are the largest until the next line. An empty field: not known. */
#include "chart_export.h"
#include "export_out.h"
#include "exporters.h"
#include "quote.h"
#include "record_kind.h"
#include "units.h"
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
        quote_csv(&out->text, "", r->subjects[t->subject].name);
        buf_format(&out->text, ",%g", (double)t->at_ns[i] / 1e9);
        bytes(&out->text, t->rss[i]);
        bytes(&out->text, t->heap[i]);
        buf_char(&out->text, '\n');
        export_out_pass(out);
    }
}

static const double LARGEST = 1e24; /* what a foreign file may say beyond is no scale for a picture */

static bool has_heap(const struct timeline *t)
{
    return !t->heap_reason && t->heap_peak >= 0;
}

/* What the right edge stands for, ns. */
static double end_of(const struct timeline *t)
{
    const double last = t->n ? (double)t->at_ns[t->n - 1] + (double)t->period_ns : 0;
    return fmin(fmax(t->wall_ns > 0 ? t->wall_ns : last, 1), LARGEST);
}

static void put_peak(struct buf *b, double value, struct unit size, double at_ns, struct unit time)
{
    figure_with(b, value, size, figure_digits(value / size.factor, FIGURE_DIGITS));
    buf_str(b, " after ");
    figure_with(b, at_ns, time, figure_digits(at_ns / time.factor, FIGURE_DIGITS));
}

/* What the largest that was seen may lack: not every heap was watched, or not every allocation. */
static void put_inexact(struct buf *b, const struct timeline *t)
{
    const int unwatched = t->unwatched, left = t->left_count;
    if (t->processes - unwatched > 1 || !(unwatched || left))
        buf_str(b, "; the largest total of several processes seen at one time");
    if (unwatched)
        buf_format(b, "; %d process%s not in it", unwatched, unwatched == 1 ? " is" : "es are");
    if (left)
        buf_format(b, "; %d process%s not watched to the end", left, left == 1 ? " was" : "es were");
}

/* Between two samples. */
static void put_unseen(struct buf *b, const struct timeline *t)
{
    if (t->largest_process > TIMELINE_MISSED * fmax(t->rss_peak, 0))
        buf_format(b, "; %s by the kernel's count of the largest process", scaled_text("bytes", t->largest_process).at);
}

static const char *peaks_of(struct chart_maker *m, const struct timeline *t, struct unit size, struct unit time)
{
    struct buf b = BUF_INIT(1 << 12);
    if (t->rss_peak > 0) {
        buf_str(&b, "Peak resident memory: ");
        put_peak(&b, t->rss_peak, size, t->rss_peak_ns, time);
        if (t->processes > 1)
            buf_format(&b, ", %d processes in all; memory that they share counts in each", t->processes);
    } else
        buf_str(&b, "It ended before its memory was seen");
    put_unseen(&b, t);
    if (has_heap(t)) {
        buf_format(&b, ". Peak live heap: %s", t->heap_peak_exact ? "" : "at least ");
        put_peak(&b, t->heap_peak, size, t->heap_peak_ns, time);
        if (!t->heap_peak_exact)
            put_inexact(&b, t);
    } else {
        buf_format(&b, ". No heap: %s", t->heap_reason ? t->heap_reason : "the file does not tell");
    }
    buf_str(&b, ". From one additional run");
    if (t->wall_ns > 0)
        buf_format(&b, " of %s", scaled_text("ns", t->wall_ns).at);
    buf_str(&b, ", not one of the timed runs.");
    const char *kept = arena_keep(m->arena, &b);
    m->failed = m->failed || !kept;
    return kept;
}

/* A sample holds until the next one, the last until the end. */
static void add_line(struct chart_maker *m, struct chart *c, const struct timeline *t, const char *name, const double *bytes,
                     struct unit size, struct unit time)
{
    double *x = chart_column(m, t->n + 2), *y = chart_column(m, t->n + 2), *floor = chart_column(m, t->n + 2);
    int n = 1;
    if (m->failed)
        return;
    y[0] = NAN; /* at 0, where the axis begins */
    for (int i = 0; i < t->n; i++)
        if (!isnan(bytes[i])) {
            x[n] = fmin((double)t->at_ns[i], LARGEST) / time.factor;
            y[n++] = fmin(bytes[i], LARGEST) / size.factor;
        }
    if (n < 2)
        return;
    x[n] = fmax(end_of(t) / time.factor, x[n - 1]);
    y[n] = y[n - 1];
    c->lines[c->n_lines++] = (struct chart_line){name, CHART_STEPS, n + 1, x, y, floor, y};
}

static void add_timeline(struct chart_maker *m, const struct record *r, const struct timeline *t)
{
    /* by what was touched, not by what was reserved, as on the screen */
    const double largest = fmin(fmax(t->rss_peak > 0 ? t->rss_peak : t->heap_peak, 1), LARGEST);
    const struct unit time = unit_for("ns", end_of(t)), size = unit_for("bytes", largest);
    const char *name = r->subjects[t->subject].name;
    struct chart *c = chart_add(m, "memory", t->exit_status ? chart_text(m, "%.100s (%s)", name, t->exit_status) : name,
                                peaks_of(m, t, size, time));
    c->x_title = chart_text(m, "time, %s", time.name);
    c->y_title = chart_text(m, "memory, %s", size.name);
    add_line(m, c, t, "resident", t->rss, size, time);
    if (has_heap(t))
        add_line(m, c, t, "live heap", t->heap, size, time); /* of which not all need be resident */
}

int timeline_charts(const struct record *r, struct arena *arena, const struct chart **out)
{
    struct chart_maker m = {.arena = arena, .out = arena_array(arena, (size_t)r->n_timelines + 1, sizeof *m.out)};
    m.failed = !m.out;
    for (int i = 0; i < r->n_timelines && !m.failed; i++)
        add_timeline(&m, r, &r->timelines[i]);
    *out = m.out;
    return m.failed ? -1 : m.n;
}

static enum tare_status timeline_svg(const struct record *r, const struct sink *sink, struct tare_err *err)
{
    struct arena arena = {0};
    struct chart_page page = {.heading = "Memory over time",
                              .verdict = r->n_timelines ? NULL : "No memory over time was measured."};
    page.n_charts = timeline_charts(r, &arena, &page.charts);
    enum tare_status status = page.n_charts < 0 ? err_no_memory(err) : chart_pages_svg("Memory over time", &page, 1, sink, err);
    arena_finish(&arena);
    return status;
}

static bool is_picture(const char *file)
{
    size_t n = file ? strlen(file) : 0;
    return n > 4 && !strcmp(file + n - 4, ".svg");
}

static enum tare_status write_timeline(const struct record *r, const struct export_options *o, const struct sink *sink,
                                       struct tare_err *err)
{
    const enum record_kind_id kind = record_kind(r)->id;
    if (kind != RECORD_OF_commands && kind != RECORD_OF_benchmarks)
        return err_set(err, TARE_UNSUPPORTED, "memory over time is of commands, and the record is of %s",
                       record_kind(r)->results);
    if (!r->n_timelines && r->ended && !r->partial) /* one that ended too early has an empty one, as other exports are then */
        return err_set(err, TARE_UNSUPPORTED,
                       "the session holds no memory over time; measure it with tare run --memory-timeline");
    if (is_picture(o->file))
        return timeline_svg(r, sink, err);
    struct export_out out;
    export_out_begin(&out, sink, err);
    buf_str(&out.text, "command,at,rss_bytes,heap_bytes\n");
    for (int i = 0; i < r->n_timelines; i++)
        csv_of(&out, r, &r->timelines[i]);
    return export_out_end(&out);
}

const struct exporter exporter_timeline = {"timeline", "timeline.csv", .write = write_timeline};
