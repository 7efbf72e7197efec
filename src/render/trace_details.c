/* SPDX-License-Identifier: MIT
 *
 * What -v adds to the table of arcs: their spread, then a line for each thing that qualifies all of them.
 *
 *     Points: 7 of 8 hit (87.5 %); never: queue.c:90 (drop). Arcs: 9, 8 of them (88.9 %) in every run.
 *     Probe overhead: 23.1 ns (23.0–23.2) a hit, measured in these runs and subtracted from every call: 0.2 ms of a run.
 *     Disturbed: 12 of 30 000 calls were interrupted.
 */
#include "quote.h"
#include "trace_lines.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARCS_SHOWN = 20 };

/* Where lines are short, without the function behind a place, which says enough. */
static void put_place_alone(const struct page *p, int point, struct buf *out)
{
    const struct point *at = &p->r->traced->points[point];
    point_label(out, p->r->traced, point);
    if (!*at->name && *at->func && !out->status)
        out->data[out->len -= strlen(" ()") + strlen(at->func)] = 0;
}

static void put_point_name(struct page *p, int point, int columns)
{
    const struct name_list places = {p->r->traced->n_points, false, put_place_alone, NULL};
    struct buf label = BUF_INIT(1 << 14);
    point_label(&label, p->r->traced, point);
    if (columns && text_columns(buf_text(&label), label.len) > columns)
        put_listed_name(p, &places, point, columns);
    else
        put_cut(p, buf_text(&label), columns);
    buf_finish(&label);
}

void arc_cell(struct table *t, const struct arc_result *a)
{
    enum { BESIDE = 28 }; /* mean and interval */
    struct page *p = t->p;
    const int width = cutting_width(p), columns = width <= 0                         ? 0
                                                  : width / 5 < (width - BESIDE) / 2 ? width / 5
                                                                                     : (width - BESIDE) / 2;
    put_point_name(p, a->from, columns);
    buf_str(&p->piece, " → ");
    put_point_name(p, a->to, columns);
    table_cell(t);
}

int arcs_of(const struct page *p, int subject)
{
    int n = 0;
    for (int i = 0; i < p->r->traced->n_results; i++)
        n += p->r->traced->results[i].subject == subject;
    return n;
}

int arcs_shown(const struct page *p, int n)
{
    return p->o->verbosity > 0 || n <= ARCS_SHOWN ? n : ARCS_SHOWN;
}

void arc_rows(struct table *t, int subject, void (*row)(struct table *t, const struct arc_result *a))
{
    const struct traced *traced = t->p->r->traced;
    int left = arcs_shown(t->p, arcs_of(t->p, subject));
    for (int i = 0; i < traced->n_results && left; i++)
        if (traced->results[i].subject == subject) {
            row(t, &traced->results[i]);
            left--;
        }
}

struct run_tally tally_runs(const struct page *p, int subject)
{
    struct run_tally t = {0};
    for (int i = 0; i < p->r->traced->n_runs; i++) {
        const struct traced_run *run = &p->r->traced->runs[i];
        if (run->subject != subject)
            continue;
        t.runs++;
        t.lossy += run->lost != NULL;
        t.lost_hits += (double)run->lost_hits;
        t.degraded += run->degraded;
        t.burst += run->burst;
    }
    return t;
}

void put_runs(struct page *p, int n, int of)
{
    if (of > 1)
        buf_format(&p->piece, n == of ? " in all %d runs" : " in %d of %d runs", n, of);
}

void time_cell(struct table *t, double ns)
{
    if (!isnan(ns))
        put_time(t->p, ns);
    table_cell(t);
}

static void spread_row(struct table *t, const struct arc_result *a)
{
    const double times[] = {a->min_ns,     a->median_ns, a->p99_ns,   a->max_ns,          a->within_sd,
                            a->between_sd, a->clean_ns,  a->probe_ns, a->dilated_probe_ns};
    arc_cell(t, a);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        time_cell(t, times[i]);
    table_format(t, "%d", a->runs_passed);
}

static void render_spread(struct page *p, int subject)
{
    static const struct table_column columns[] = {
        {"from → to", SIDE_LEFT, 0},    {"min", SIDE_RIGHT, 2},           {"median", SIDE_RIGHT, 8},
        {"99 %", SIDE_RIGHT, 8},        {"max", SIDE_RIGHT, 7},           {"sd within", SIDE_RIGHT, 4},
        {"sd of runs", SIDE_RIGHT, 4},  {"uninterrupted", SIDE_RIGHT, 3}, {"overhead", SIDE_RIGHT, 5},
        {"by dilation", SIDE_RIGHT, 6}, {"runs", SIDE_RIGHT, 1}};
    struct table t;
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    arc_rows(&t, subject, spread_row);
    table_end(&t, 2);
}

static void begin_line(struct page *p, const char *head)
{
    flow_label(p, 2, 4, head, HUE_BOLD);
}

static void end_line(struct page *p)
{
    buf_char(&p->piece, '.');
    flow_rest(p);
}

static void say_session(struct page *p, int subject)
{
    const struct record *r = p->r;
    const int runs = tally_runs(p, subject).runs, warmup = r->series[subject].warmup.n;
    begin_line(p, "Session:");
    buf_format(&p->piece, "%d run%s of ", runs, buf_plural(runs));
    put_name(p, subject, name_columns(p, 1));
    if (warmup)
        buf_format(&p->piece, ", %d more for warm-up", warmup);
    if (r->look > 0) {
        buf_str(&p->piece, "; intervals are those of the mean over runs (Student's t)");
        put_looks(p);
    }
    end_line(p);
}

/* Who reads the names of more will take them from a file. */
static void put_never_hit(struct page *p, int subject)
{
    enum { ENOUGH_BYTES = 1 << 16 };
    const struct traced *t = p->r->traced;
    int named = 0, more = 0;
    uint64_t *hits = record_point_passes(t);
    for (int i = 0; hits && i < t->n_points; i++) {
        if (t->points[i].subject != subject || hits[i])
            continue;
        if (p->piece.len > ENOUGH_BYTES) {
            more++;
            continue;
        }
        buf_str(&p->piece, named++ ? ", " : "; never: ");
        put_point_name(p, i, 0);
    }
    if (more)
        buf_format(&p->piece, ", and %d more (--export-json has all)", more);
    free(hits);
}

static void say_coverage(struct page *p, int subject)
{
    struct arc_coverage c = record_arc_coverage(p->r, subject);
    if (!c.points)
        return;
    begin_line(p, "Points:");
    buf_format(&p->piece, "%d of %d hit (%s)", c.points_passed, c.points,
               figure_text(figure_share, (double)c.points_passed / c.points).at);
    put_never_hit(p, subject);
    buf_format(&p->piece, ". Arcs: %d", c.arcs);
    if (c.arcs)
        buf_format(&p->piece, ", %d of them (%s) in every run", c.arcs_in_all,
                   figure_text(figure_share, (double)c.arcs_in_all / c.arcs).at);
    end_line(p);
}

static double hits_of_a_run(const struct traced *t, int subject)
{
    double hits = 0;
    int runs = 0;
    for (int i = 0; i < t->n_runs; i++)
        if (t->runs[i].subject == subject && t->runs[i].repeat == 1) {
            hits += (double)t->runs[i].events;
            runs++;
        }
    return runs ? hits / runs : NAN;
}

static void put_overhead(struct page *p, const struct estimate *probe)
{
    const struct unit u = page_unit(p, "ns", probe->point);
    const int decimals = estimate_decimals(probe, u);
    figure_with(&p->piece, probe->point, u, decimals);
    if (!has_interval(probe))
        return;
    buf_str(&p->piece, " (");
    figure_range(&p->piece, probe->low, probe->high, u, decimals);
    buf_char(&p->piece, ')');
}

static void say_overhead(struct page *p, int subject)
{
    const struct estimate *probe = record_estimate(p->r, subject, "arc", "probe");
    const double hits = hits_of_a_run(p->r->traced, subject);
    if (!is_known(probe))
        return;
    begin_line(p, "Probe overhead:");
    if (probe->point == 0) {
        buf_str(&p->piece, "each hit has four time stamps, and the time between those of a pair is subtracted from each call");
    } else {
        put_overhead(p, probe);
        buf_str(&p->piece, " a hit, measured in these runs and subtracted from every call");
        if (hits > 0) {
            buf_str(&p->piece, ": ");
            put_time(p, hits * probe->point);
            buf_str(&p->piece, " of a run");
        }
    }
    end_line(p);
}

struct clock_story {
    int runs, unknown, apart, stepped;
    double apart_ns, stepped_ns;
    const char *name;
};

static struct clock_story clocks_of(const struct traced *t, int subject)
{
    struct clock_story c = {0};
    for (int i = 0; i < t->n_runs; i++) {
        const struct traced_run *run = &t->runs[i];
        if (run->subject != subject)
            continue;
        c.runs++;
        c.name = run->clock;
        c.unknown += !(run->hz > 0) && record_run_is_timed(t, i);
        c.apart += run->jumps > 0;
        c.stepped += run->steps > 0;
        c.apart_ns = run->jumps > 0 ? fmax(c.apart_ns, fabs(run->jump_ns)) : c.apart_ns;
        c.stepped_ns = run->steps > 0 ? fmax(c.stepped_ns, fabs(run->step_ns)) : c.stepped_ns;
    }
    return c;
}

static void say_clocks(struct page *p, int subject)
{
    const struct clock_story c = clocks_of(p->r->traced, subject);
    if (!c.runs)
        return;
    begin_line(p, "Clock:");
    if (c.name && !strcmp(c.name, "raw"))
        buf_str(&p->piece, "the system's, with a larger overhead than the processor's counter");
    else {
        buf_str(&p->piece, "the processor's counter (");
        put_text(p, c.name);
        buf_char(&p->piece, ')');
    }
    if (c.unknown) {
        buf_str(&p->piece, "; its frequency is unknown");
        put_runs(p, c.unknown, c.runs);
        buf_str(&p->piece, ", so there are no times");
    }
    if (c.apart) {
        buf_str(&p->piece, "; it and the system's clock diverged");
        put_runs(p, c.apart, c.runs);
        buf_str(&p->piece, ", by up to ");
        put_time(p, c.apart_ns);
        buf_str(&p->piece, ": do not trust these times");
    }
    if (c.stepped) {
        buf_str(&p->piece, "; the wall clock was set or the machine slept");
        put_runs(p, c.stepped, c.runs);
        buf_str(&p->piece, " (");
        put_time(p, c.stepped_ns);
        buf_char(&p->piece, ')');
    }
    end_line(p);
}

static void put_class(struct page *p, double n, const char *what, bool *any)
{
    if (!(n > 0))
        return;
    if (*any)
        buf_str(&p->piece, ", ");
    buf_format(&p->piece, "%s %s", figure_text(figure_count, n).at, what);
    *any = true;
}

static void say_disturbed(struct page *p, int subject)
{
    static const struct {
        size_t at;
        const char *what;
    } classes[] = {
        {offsetof(struct arc_result, interrupted), "interrupted (in the means; the column 'uninterrupted' leaves them out)"},
        {offsetof(struct arc_result, gaps), "in which libtare flushed its buffer (that time is subtracted)"},
        {offsetof(struct arc_result, stamps), "interrupted between two stamps of a hit (too much is subtracted)"},
        {offsetof(struct arc_result, migrated), "moved to another CPU"},
        {offsetof(struct arc_result, handlers), "in which a signal handler hit points"},
        {offsetof(struct arc_result, nested), "within such handlers"},
        {offsetof(struct arc_result, backwards), "in which the clock went backwards (in no sum)"}};
    enum { CLASSES = sizeof classes / sizeof *classes };
    double n[CLASSES] = {0}, all = 0;
    bool any = false;
    for (int i = 0; i < p->r->traced->n_results; i++) {
        const struct arc_result *a = &p->r->traced->results[i];
        all += a->subject == subject ? (double)a->n : 0;
        for (int k = 0; k < CLASSES && a->subject == subject; k++) {
            uint64_t of_arc;
            memcpy(&of_arc, (const char *)a + classes[k].at, sizeof of_arc);
            n[k] += (double)of_arc;
        }
    }
    if (!(all > 0))
        return;
    begin_line(p, "Disturbed:");
    for (int k = 0; k < CLASSES; k++)
        put_class(p, n[k], classes[k].what, &any);
    if (!any)
        buf_str(&p->piece, "none");
    buf_format(&p->piece, " of %s timed calls", figure_text(figure_count, all).at);
    end_line(p);
}

static void say_partly_timed(struct page *p, int subject)
{
    const struct run_tally t = tally_runs(p, subject);
    for (int i = 0; i < 2; i++) {
        const int n = i ? t.burst : t.degraded;
        if (!n)
            continue;
        begin_line(p, "Timed in part:");
        buf_str(&p->piece, i ? "only windows of hits were timed" : "the space limit was reached");
        put_runs(p, n, t.runs);
        buf_str(&p->piece, i ? "; counts are of all hits" : "; later calls were aggregated in the program");
        end_line(p);
    }
}

/* Lines of text as one sentence. */
static void put_sentences(struct page *p, const char *lines)
{
    struct buf b = BUF_INIT(1 << 20);
    for (const char *c = lines; *c; c++)
        if (*c != '\n')
            buf_char(&b, *c);
        else if (c[1])
            buf_str(&b, "; ");
    quote_mask(&p->piece, buf_text(&b), p->o->unicode);
    buf_finish(&b);
}

static void say_losses(struct page *p, int subject)
{
    const struct traced *t = p->r->traced;
    const struct run_tally c = tally_runs(p, subject);
    if (!c.lossy)
        return; /* the line below the table says it */
    begin_line(p, "Lost:");
    buf_str(&p->piece, "data");
    put_runs(p, c.lossy, c.runs);
    for (int i = 0; i < t->n_runs; i++) {
        if (t->runs[i].subject != subject || !t->runs[i].lost)
            continue;
        buf_format(&p->piece, ". Run %d: ", t->runs[i].round + 1);
        put_sentences(p, t->runs[i].lost);
    }
    end_line(p);
}

static void say_proof(struct page *p, int subject)
{
    const struct traced *t = p->r->traced;
    bool any = false;
    for (int i = 0; i < t->n_results; i++)
        any = any || (t->results[i].subject == subject && !isnan(t->results[i].dilated_ns));
    if (!any)
        return;
    begin_line(p, "Proof:");
    buf_str(&p->piece, "'extrapolated' is what runs with 1, 2 and 3 records of each hit say of none; where it differs from the "
                       "mean, the probe slows the program by more than its own overhead");
    end_line(p);
}

void render_trace_details(struct page *p, int subject)
{
    blank_line(p);
    render_spread(p, subject);
    say_session(p, subject);
    say_coverage(p, subject);
    if (record_source(p->r)) {
        begin_line(p, "Probe overhead:");
        buf_str(&p->piece, "each hit read the clock four times; the time of these readings is subtracted from every call");
        end_line(p);
        return;
    }
    say_partly_timed(p, subject);
    say_overhead(p, subject);
    say_clocks(p, subject);
    say_disturbed(p, subject);
    say_losses(p, subject);
    say_proof(p, subject);
}
