/* SPDX-License-Identifier: MIT
 *
 *   68.8 MB                              ▽▼
 *                                      ▄▇█░
 *                                   ▃▆████░
 *                                ▃▅███████░     ▇▇▇▇▇▇░
 *                            ▂▅███████████▇▇▇▇▇▇███████
 *         0  ░▁▃▄▆█████████████████████████████████████
 *            0 ms                                740 ms
 *     ░ resident ▼ at most 68.8 MB after 473 ms
 *     █ live heap ▽ at most 67.4 MB after 470 ms, 64 allocations of 67.1 MB in all, 33.7 MB not freed
 *
 * A column shows the largest of its time; where nothing was seen the value before holds. Height and width are layout: nothing is
 * claimed from them but the peaks, which are the record's. */
#include "layout.h"
#include "quote.h"
#include <math.h>

enum { ROWS = 10, COLUMNS_MOST = 72, COLUMNS_LEAST = 10, LABEL = 9 };

struct picture {
    const struct timeline *t;
    bool has_heap;
    double end_ns, most;
    struct unit time, size;
    int columns, rss_mark, heap_mark; /* columns of the marks; -1: none */
    double rss[COLUMNS_MOST], heap[COLUMNS_MOST];
};

static int column_of(const struct picture *c, double ns)
{
    double at = ns / c->end_ns * c->columns;
    return !(at > 0) ? 0 : at >= c->columns ? c->columns - 1 : (int)at;
}

static void fill_picture(struct picture *c)
{
    const struct timeline *t = c->t;
    for (int i = 0; i < c->columns; i++)
        c->rss[i] = c->heap[i] = 0;
    for (int i = 0; i < t->n; i++) {
        double end = i + 1 < t->n ? (double)t->at_ns[i + 1] - 1 : c->end_ns;
        int last = column_of(c, end);
        for (int k = column_of(c, (double)t->at_ns[i]); k <= last; k++) {
            c->rss[k] = fmax(c->rss[k], t->rss[i]);
            c->heap[k] = fmax(c->heap[k], t->heap[i]);
        }
    }
}

enum { TEXT = 48 };

/* "63.0 MB" for a place of its own; its columns. */
static int quantity_text(double value, struct unit u, char text[TEXT])
{
    struct buf b = buf_over(text, TEXT);
    figure_with(&b, value, u, figure_digits(value / u.factor, FIGURE_DIGITS));
    return text_columns(text, b.len);
}

/* Right-aligned before the picture. */
static void put_label(struct page *p, const char *text, int columns)
{
    buf_repeat(&p->piece, ' ', columns < LABEL ? LABEL - columns : 0);
    buf_format(&p->piece, "%s  ", text);
}

/* Eighths of this row's cell that a value reaches; more than 8 above it. What there is shows in the lowest row. */
static int eighths(const struct picture *c, double value, int row)
{
    double cells = fmin(fmax(value / c->most, 0), 1) * ROWS;
    int n = (int)floor(cells * 8 + 0.5) - 8 * (ROWS - 1 - row);
    return row == ROWS - 1 && value > 0 && n < 1 ? 1 : n;
}

static const char *cell(const struct page *p, const struct picture *c, int column, int row)
{
    int rss = eighths(c, c->rss[column], row), heap = eighths(c, c->heap[column], row);
    bool fine = p->o->unicode;
    if (!c->has_heap) { /* alone it gets the finer signs */
        heap = rss;
        rss = 0;
    }
    if (c->has_heap && heap >= 8 && rss < 4)
        return "▒";
    if (heap >= (fine ? 1 : 4))
        return spark_levels[!fine || heap >= 8 ? 7 : heap - 1];
    bool lowest = row == ROWS - 1;
    return rss >= 4 || (lowest && rss > 0) ? "░" : heap > 0 && lowest ? spark_levels[0] : " ";
}

/* Without the blanks at its end. */
static void end_row(struct page *p)
{
    struct buf *b = &p->piece;
    while (b->len && b->data[b->len - 1] == ' ')
        b->data[--b->len] = 0;
    flow_begin(p, 2, 2);
    flow_put(p, "");
    flow_end(p);
}

static void draw_picture(struct page *p, const struct picture *c)
{
    char most[TEXT];
    int columns = quantity_text(c->most, c->size, most);
    put_label(p, most, columns);
    for (int i = 0; i < c->columns; i++)
        buf_str(&p->piece, i == c->rss_mark ? "▼" : i == c->heap_mark ? "▽" : " ");
    end_row(p);
    for (int row = 0; row < ROWS; row++) {
        put_label(p, row == ROWS - 1 ? "0" : "", row == ROWS - 1);
        for (int i = 0; i < c->columns; i++)
            buf_str(&p->piece, cell(p, c, i, row));
        end_row(p);
    }
    char start[TEXT], end[TEXT];
    int before = quantity_text(0, c->time, start), after = quantity_text(c->end_ns, c->time, end);
    int gap = c->columns - before - after;
    put_label(p, "", 0);
    buf_str(&p->piece, start);
    buf_repeat(&p->piece, ' ', gap > 1 ? gap : 1);
    buf_str(&p->piece, end);
    end_row(p);
}

static void put_peak(struct page *p, const char *sign, const char *what, const char *mark, bool exact, double bytes, double at_ns,
                     struct unit time)
{
    buf_format(&p->piece, "%s %s %s at %s %s%s", sign, what, mark, exact ? "most" : "least", scaled_text("bytes", bytes).at,
               exact ? " after " : " at its peak, after ");
    figure_with(&p->piece, at_ns, time, figure_digits(at_ns / time.factor, FIGURE_DIGITS));
}

static void say_resident(struct page *p, const struct picture *c)
{
    const struct timeline *t = c->t;
    put_peak(p, c->has_heap ? "░" : "█", "resident", "▼", true, t->rss_peak, t->rss_peak_ns, c->time);
    if (t->processes > 1)
        buf_format(&p->piece, ", %d processes in all; memory that they share counts in each", t->processes);
    if (t->largest_process > TIMELINE_MISSED * t->rss_peak)
        buf_format(&p->piece, "; between two samples it was larger: %s by the kernel's count of the largest process",
                   scaled_text("bytes", t->largest_process).at);
    flow_line(p, 4, HUE_PLAIN);
}

static void put_allocations(struct page *p, const struct timeline *t)
{
    double n = t->allocations;
    buf_format(&p->piece, "; %.0f allocation%s of %s in all, ", n, n == 1 ? "" : "s",
               scaled_text("bytes", t->allocated_bytes).at);
    if (t->heap_left > 0) {
        buf_format(&p->piece, "%s not freed", scaled_text("bytes", t->heap_left).at);
    } else {
        buf_str(&p->piece, "all freed");
    }
    if (t->failures > 0)
        buf_format(&p->piece, "; %.0f failed", t->failures);
    if (t->unwatched)
        buf_format(&p->piece, "; %d process%s not in it", t->unwatched, t->unwatched == 1 ? " is" : "es are");
    if (t->left_count)
        buf_format(&p->piece,
                   "; %d process%s not watched any more after executing another program (static, or without its environment)",
                   t->left_count, t->left_count == 1 ? " was" : "es were");
}

static bool any_hollow(const struct picture *c)
{
    for (int i = 0; i < c->columns; i++)
        for (int row = 0; row < ROWS; row++)
            if (eighths(c, c->heap[i], row) >= 8 && eighths(c, c->rss[i], row) < 4)
                return true;
    return false;
}

static void say_heap(struct page *p, const struct picture *c)
{
    const struct timeline *t = c->t;
    if (!c->has_heap) {
        buf_str(&p->piece, "no heap: ");
        put_text(p, t->heap_reason ? t->heap_reason : "not in the file");
    } else {
        put_peak(p, "█", "live heap", c->heap_mark == c->rss_mark ? "▼" : "▽", t->heap_peak_exact, t->heap_peak, t->heap_peak_ns,
                 c->time);
        if (t->heap_peak > c->most)
            buf_str(&p->piece, ", above the top of the picture");
        put_allocations(p, t);
        if (any_hollow(c))
            buf_str(&p->piece, "; ▒ was never touched or is not resident");
    }
    flow_line(p, 4, HUE_PLAIN);
}

static void put_head(struct page *p, const struct timeline *t)
{
    flow_label(p, 0, 2, "Memory over time", HUE_BOLD);
    buf_format(&p->piece, "of command %d ", command_number(p->r, t->subject));
    quote_name(&p->piece, p->r->subjects[t->subject].name, name_columns(p, 1), p->o->unicode);
    flow_put(p, " ");
    buf_str(&p->piece, "(from one additional run, not one of the timed runs");
    if (t->wall_ns > 0)
        buf_format(&p->piece, ": it took %s", scaled_text("ns", t->wall_ns).at);
    if (t->exit_status) {
        buf_str(&p->piece, t->wall_ns > 0 ? " and " : ": it ");
        put_text(p, t->exit_status);
    }
    buf_char(&p->piece, ')');
    flow_spread(p, " ", HUE_DIM);
    flow_end(p);
}

static void render_timeline(struct page *p, const struct timeline *t)
{
    blank_line(p);
    put_head(p, t);
    if (!t->n || !(t->rss_peak > 0)) {
        /* Too short for a picture; some of it is known all the same. */
        buf_str(&p->piece, "it ended before its memory was seen");
        if (t->largest_process > 0)
            buf_format(&p->piece, "; resident at most %s by the kernel's count of the largest process",
                       scaled_text("bytes", t->largest_process).at);
        if (!t->heap_reason && t->heap_peak >= 0) {
            buf_format(&p->piece, "; live heap at most %s", scaled_text("bytes", t->heap_peak).at);
            put_allocations(p, t);
        }
        flow_line(p, 4, HUE_PLAIN);
        return;
    }
    struct picture c = {
        .t = t, .has_heap = !t->heap_reason && t->heap_peak >= 0, .columns = COLUMNS_MOST, .rss_mark = -1, .heap_mark = -1};
    int room = p->o->width > 0 ? p->o->width - LABEL - 5 : COLUMNS_MOST;
    c.columns = room > COLUMNS_MOST ? COLUMNS_MOST : room < COLUMNS_LEAST ? COLUMNS_LEAST : room;
    c.end_ns = t->wall_ns > 0 ? t->wall_ns : (double)t->at_ns[t->n - 1] + (double)t->period_ns;
    c.most = t->rss_peak; /* not the heap's: a program that reserves far more than it touches would flatten the picture */
    c.time = unit_for("ns", c.end_ns);
    c.size = unit_for("bytes", c.most);
    fill_picture(&c);
    c.rss_mark = column_of(&c, t->rss_peak_ns);
    if (c.has_heap && t->heap_peak > 0) {
        c.heap_mark = column_of(&c, t->heap_peak_ns);
        c.heap[c.heap_mark] = fmax(c.heap[c.heap_mark], t->heap_peak);
    }
    draw_picture(p, &c);
    say_resident(p, &c);
    say_heap(p, &c);
}

void render_timeline_peaks(struct page *p)
{
    for (int i = 0; i < p->r->n_timelines; i++) {
        const struct timeline *t = &p->r->timelines[i];
        const bool heap = !t->heap_reason && t->heap_peak >= 0;
        const double resident = fmax(t->rss_peak, t->largest_process);
        if (!(resident > 0) && !heap)
            continue;
        put_name(p, t->subject, name_columns(p, 1));
        buf_str(&p->piece, ": peak memory ");
        if (resident > 0) {
            figure_scaled(&p->piece, "bytes", resident, FIGURE_DIGITS);
            buf_str(&p->piece, " resident");
            if (t->processes > 1)
                buf_format(&p->piece, " (%d processes, each with what they share)", t->processes);
            buf_str(&p->piece, heap ? ", " : "");
        }
        if (heap) {
            buf_str(&p->piece, t->heap_peak_exact ? "" : "at least ");
            figure_scaled(&p->piece, "bytes", t->heap_peak, FIGURE_DIGITS);
            buf_str(&p->piece, " live heap");
        }
        buf_str(&p->piece, ", from one additional run");
        flow_line(p, 0, HUE_PLAIN);
    }
}

void render_timelines(struct page *p)
{
    for (int i = 0; i < p->r->n_timelines; i++)
        render_timeline(p, &p->r->timelines[i]);
}
