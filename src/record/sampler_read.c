/* SPDX-License-Identifier: MIT
 *
 * Files of SAMPLER v2, whose programs write a line for each arc, an empty one at the end of a run:
 *     {"prev":{"file","line","func"},"curr":{...},"dt":858,"ref_start":42,"ref_end":40}
 * and of its process.py, a graph over all runs (times in ns, whatever their keys say):
 *     [{"file","line","func","edges":[{"dest":1,"total-usec","total-count","usec","count","attrs":{"avg","var","std"}}]}]
 * They become runs of a traced program with four stamps, in half nanoseconds: 2 dt - ref_start - ref_end. Runs may take different ways, and a
 * torn line is left out and counted; both made its own tools refuse the file. A graph has no runs: it becomes one, the average run, or where
 * an arc was not passed in every run all runs together; in units of 1/1024 ns.
 */
#include "foreign.h"
#include "record_arcs.h"
#include "trace_format.h"
#include <limits.h>
#include <math.h>
#include <string.h>

static const struct foreign_source lines_source = {
    .format = "SAMPLER lines",
    .value = "one run",
    .order = "one run after the other",
    .limits = "lines of SAMPLER do not name the machine or the program, nor points that were never hit",
    .alternatives = true,
};
static const struct foreign_source graph_source = {
    .format = "SAMPLER graph",
    .value = "the average run",
    .order = "one run after the other",
    .limits = "a graph of SAMPLER holds means over its runs and traversals: no intervals, no least and no largest time",
    .alternatives = true,
};

enum { UNITS_OF_LINES = 2, UNITS_OF_GRAPH = 1024, SLOTS = 1 << 16, ARCS_MAX = SLOTS / 2, ARC_BINS = TRACE_HISTOGRAM };
static const int64_t TIME_MAX = INT64_C(1) << 53; /* ns: 104 days */
__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

struct arc_sum {
    int from, to;
    uint64_t n;
    int64_t sum, min, max;
    wide square;
    uint64_t bins[ARC_BINS];
};

struct sampled {
    struct foreign *f;
    int units; /* of a nanosecond */
    int rounds;
    int64_t truncated;
    struct arc_sum **arcs; /* of this run; those beyond n are kept for the next ones */
    int n, room;
    int *slots; /* 1 + index */
};

static int point_of(struct sampled *s, const struct json_value *v)
{
    struct point p = {.name = "", .partner = -1};
    int64_t line;
    if (!json_text_of(json_member(v, "file"), &p.file) || !json_text_of(json_member(v, "func"), &p.func) ||
        !json_integer_of(json_member(v, "line"), 0, INT_MAX, &line))
        return -1;
    p.line = (int)line;
    if (json_integer_of(json_member(v, "ordinal"), 0, TRACE_POINTS_MAX, &line)) /* as tare writes it */
        p.ordinal = (int)line;
    return record_add_point(s->f->r, &p);
}

static struct arc_sum *another_arc(struct sampled *s)
{
    if (!arena_room(&s->f->arena, &s->arcs, s->n, &s->room, sizeof *s->arcs))
        return NULL;
    if (!s->arcs[s->n])
        s->arcs[s->n] = arena_array(&s->f->arena, 1, sizeof **s->arcs);
    return s->arcs[s->n] ? s->arcs[s->n++] : NULL;
}

static uint32_t slot_of(int from, int to)
{
    return ((uint32_t)from * UINT32_C(2654435761) + (uint32_t)to * UINT32_C(40503)) % SLOTS;
}

/* NULL: no memory, or too many. */
static struct arc_sum *arc_of(struct sampled *s, int from, int to)
{
    uint32_t at = slot_of(from, to);
    for (; s->slots[at]; at = (at + 1) % SLOTS) {
        struct arc_sum *a = s->arcs[s->slots[at] - 1];
        if (a->from == from && a->to == to)
            return a;
    }
    struct arc_sum *a = s->n < ARCS_MAX ? another_arc(s) : NULL;
    if (!a)
        return NULL;
    memset(a, 0, sizeof *a);
    a->from = from;
    a->to = to;
    s->slots[at] = s->n;
    return a;
}

static bool time_of(const struct json_value *v, int64_t *out)
{
    return json_integer_of(v, -TIME_MAX, TIME_MAX, out);
}

static enum tare_status too_many(struct sampled *s)
{
    return s->n < ARCS_MAX ? err_no_memory(s->f->err)
                           : err_set(s->f->err, TARE_TOO_LARGE, "more than %d arcs in a run", ARCS_MAX);
}

static enum tare_status add_passage(struct sampled *s, int from, int to, int64_t units)
{
    struct arc_sum *a = arc_of(s, from, to);
    if (!a)
        return too_many(s);
    a->min = !a->n || units < a->min ? units : a->min;
    a->max = !a->n || units > a->max ? units : a->max;
    if (__builtin_add_overflow(a->sum, units, &a->sum))
        return err_set(s->f->err, TARE_TOO_LARGE, "the times of an arc add up to more than can be counted");
    a->n++;
    a->square += (wide)((signed_wide)units * units);
    a->bins[trace_bin(units > 0 ? (uint64_t)units : 0)]++;
    return TARE_OK;
}

static bool add_arc(struct sampled *s, int run, const struct arc_sum *a)
{
    struct arc_bin bins[ARC_BINS];
    int n_bins = 0;
    for (int i = 0; i < ARC_BINS; i++)
        if (a->bins[i])
            bins[n_bins++] = (struct arc_bin){i, a->bins[i]};
    const struct traced_arc own = {.run = run,
                                   .from = a->from,
                                   .to = a->to,
                                   .passes = a->n,
                                   .n = a->n,
                                   .sum = a->sum,
                                   .square_low = (uint64_t)a->square,
                                   .square_high = (uint64_t)(a->square >> 64),
                                   .min = a->min,
                                   .max = a->max,
                                   .clean_n = a->n,
                                   .clean_sum = a->sum,
                                   .bins = bins,
                                   .n_bins = n_bins};
    return record_add_traced_arc(s->f->r, &own) >= 0;
}

/* A line tells the arc that ended; a chain's first point has none before it, so passes are those that arcs lead to, and of points that only
 * begin chains those that lead away. */
static int passes_of(const struct sampled *s, struct point_passes *out)
{
    const int n = s->f->r->traced ? s->f->r->traced->n_points : 0;
    int found = 0;
    for (int p = 0; p < n; p++) {
        uint64_t in = 0, away = 0;
        for (int i = 0; i < s->n; i++) {
            in += s->arcs[i]->to == p ? s->arcs[i]->n : 0;
            away += s->arcs[i]->from == p ? s->arcs[i]->n : 0;
        }
        if (in || away)
            out[found++] = (struct point_passes){p, in > away ? in : away};
    }
    return found;
}

static enum tare_status end_run(struct sampled *s)
{
    struct record *r = s->f->r;
    uint64_t events = 0;
    if (!s->n)
        return TARE_OK;
    struct point_passes *passes = arena_array(&s->f->arena, (size_t)r->traced->n_points + 1, sizeof *passes);
    if (!passes)
        return err_no_memory(s->f->err);
    const int n_passes = passes_of(s, passes);
    for (int i = 0; i < n_passes; i++)
        events += passes[i].n;
    int run = record_add_traced_run(r, &(struct traced_run){.round = s->rounds,
                                                            .clock = "raw",
                                                            .order = "precise",
                                                            .hz = s->units * 1e9,
                                                            .step = s->units,
                                                            .repeat = 1,
                                                            .processes = 1,
                                                            .threads = 1,
                                                            .events = events,
                                                            .weight = NAN,
                                                            .weight_sd = NAN,
                                                            .residual_ppm = NAN,
                                                            .passes = passes,
                                                            .n_passes = n_passes});
    for (int i = 0; i < s->n && run >= 0; i++) {
        for (uint32_t at = slot_of(s->arcs[i]->from, s->arcs[i]->to); s->slots[at]; at = (at + 1) % SLOTS)
            s->slots[at] = 0;
        run = add_arc(s, run, s->arcs[i]) ? run : -1;
    }
    double values[] = {1, (double)events, 0, NAN, NAN, NAN};
    struct row row = {.round = s->rounds++, .values = values};
    s->n = 0;
    return run < 0 || record_append_row(r, 0, &row) ? err_no_memory(s->f->err) : TARE_OK;
}

static enum tare_status begin_sampled(struct sampled *s, struct foreign *f, int units)
{
    static const char *const columns[] = {
#define TRACE_COLUMN(id, title, unit) #id,
#include "trace_columns.def"
    };
    const struct subject subject = {.kind = SUBJECT_TRACE, .name = "program", .command = "program", .reference = -1};
    *s = (struct sampled){.f = f, .units = units};
    s->slots = arena_array(&f->arena, SLOTS, sizeof *s->slots);
    const bool begun = s->slots && !record_add_arc_metric(f->r) &&
                       record_add_subject(f->r, &subject, columns, sizeof columns / sizeof *columns) >= 0;
    return begun ? TARE_OK : err_no_memory(f->err);
}

static enum tare_status conclude_sampled(struct sampled *s)
{
    struct record *r = s->f->r;
    if (s->truncated)
        foreign_note(s->f, "%lld line%s left out: not complete arcs of SAMPLER", (long long)s->truncated,
                     s->truncated == 1 ? " was" : "s were");
    if (!s->rounds)
        return foreign_wrong(s->f, "holds no complete arc of SAMPLER: nothing can be shown of it");
    r->rule.metric = "arc";
    r->rule.interleaved = true;
    r->rule.fail_if_slower = NAN;
    r->rule.correction = CORRECTION_BH;
    r->rule.n_looks = 1;
    r->rule.look_at[0] = s->rounds;
    r->rule.look_level[0] = 1 - r->rule.confidence;
    r->rounds = s->rounds;
    r->ended = "runs";
    s->f->left_out += s->truncated;
    return foreign_gaps(s->f);
}

static enum tare_status read_arc(struct sampled *s, const struct json_value *root)
{
    int64_t dt, start, end;
    const struct json_value *prev = json_member(root, "prev"), *curr = json_member(root, "curr");
    if (!time_of(json_member(root, "dt"), &dt) || !time_of(json_member(root, "ref_start"), &start) ||
        !time_of(json_member(root, "ref_end"), &end)) {
        s->truncated++;
        return TARE_OK;
    }
    const int from = point_of(s, prev), to = from < 0 ? -1 : point_of(s, curr);
    if (to < 0) {
        s->truncated++;
        return TARE_OK;
    }
    return add_passage(s, from, to, UNITS_OF_LINES * dt - start - end);
}

static enum tare_status read_line(struct sampled *s, const char *line, size_t n)
{
    struct json_value *root;
    enum tare_status status = json_parse(&root, line, n, s->f->err);
    if (status == TARE_FORMAT || status == TARE_TOO_LARGE) {
        s->truncated++;
        return TARE_OK;
    }
    if (!status)
        status = read_arc(s, root);
    json_free(root);
    return status;
}

static bool sampler_line(const char *text, size_t n)
{
    size_t at = 1;
    while (at < n && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return n > at + 6 && text[0] == '{' && !memcmp(text + at, "\"prev\"", 6);
}

static enum tare_status sampler_lines_read(struct foreign *f, const char *text, size_t n)
{
    struct sampled s;
    enum tare_status status = begin_sampled(&s, f, UNITS_OF_LINES);
    for (size_t at = 0, next; at < n && !status; at = next) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (text + at)) : n - at;
        next = at + length + 1;
        length -= length && text[at + length - 1] == '\r';
        status = length ? read_line(&s, text + at, length) : end_run(&s);
    }
    if (!status)
        status = end_run(&s);
    return status ? status : conclude_sampled(&s);
}

struct edge {
    double count, avg, var;
    int64_t dest;
};

/* Whether each arc has a whole number of passages in the average run. */
static bool average_run_is_whole(const struct json_value *root)
{
    for (const struct json_value *v = json_first(root); v; v = json_next(v))
        for (const struct json_value *e = json_first(json_member(v, "edges")); e; e = json_next(e)) {
            double count;
            if (json_number_of(json_member(e, "count"), &count) && count != round(count))
                return false;
        }
    return true;
}

static bool edge_of(const struct json_value *v, int n, const char *count, struct edge *e)
{
    const struct json_value *attrs = json_member(v, "attrs");
    return json_integer_of(json_member(v, "dest"), 0, n - 1, &e->dest) && json_number_of(json_member(v, count), &e->count) &&
           json_number_of(json_member(attrs, "avg"), &e->avg) && json_number_of(json_member(attrs, "var"), &e->var) &&
           e->count >= 1 && e->count < 1e15 && e->var >= 0 && fabs(e->avg) * e->count < 1e15 && sqrt(e->var) * e->count < 1e15;
}

/* process.py divides its variance by n. */
static enum tare_status add_edge(struct sampled *s, int from, int to, const struct edge *e)
{
    struct arc_sum *a = arc_of(s, from, to);
    if (!a)
        return too_many(s);
    a->n = (uint64_t)round(e->count);
    a->sum = (int64_t)round(UNITS_OF_GRAPH * e->avg * (double)a->n);
    a->square =
        (wide)((long double)(UNITS_OF_GRAPH * UNITS_OF_GRAPH) * (long double)a->n * (e->var + (long double)e->avg * e->avg));
    a->min = a->max = (int64_t)round(UNITS_OF_GRAPH * e->avg);
    return TARE_OK;
}

static enum tare_status read_edges(struct sampled *s, const struct json_value *edges, const int *points, int n, int from,
                                   const char *count)
{
    enum tare_status status = TARE_OK;
    for (const struct json_value *v = json_first(edges); v && !status; v = json_next(v)) {
        struct edge e;
        if (edge_of(v, n, count, &e))
            status = add_edge(s, from, points[e.dest], &e);
        else
            s->f->left_out++;
    }
    return status;
}

static bool sampler_graph(const struct json_value *root)
{
    return json_is_array(root) && json_is_array(json_member(json_first(root), "edges"));
}

static enum tare_status sampler_graph_read(struct foreign *f, const struct json_value *root)
{
    struct sampled s;
    int n = json_count(root), i = 0;
    enum tare_status status = begin_sampled(&s, f, UNITS_OF_GRAPH);
    int *points = arena_array(&f->arena, (size_t)n + 1, sizeof *points);
    if (!status && !points)
        status = err_no_memory(f->err);
    for (const struct json_value *v = json_first(root); v && !status; v = json_next(v))
        if ((points[i++] = point_of(&s, v)) < 0)
            status = foreign_wrong(f, "a graph of SAMPLER with a node without file, line or function");
    const char *count = average_run_is_whole(root) ? "count" : "total-count";
    if (!status && !strcmp(count, "total-count"))
        foreign_note(f, "not every arc was traversed in every run: the figures are of all runs together");
    i = 0;
    for (const struct json_value *v = json_first(root); v && !status; v = json_next(v))
        status = read_edges(&s, json_member(v, "edges"), points, n, points[i++], count);
    if (!status && f->left_out)
        foreign_note(f, "%lld edge%s left out: not understood", (long long)f->left_out, f->left_out == 1 ? " was" : "s were");
    if (!status)
        status = end_run(&s);
    return status ? status : conclude_sampled(&s);
}

const struct text_format sampler_lines_format = {sampler_line, sampler_lines_read, &lines_source};
const struct json_format sampler_graph_format = {sampler_graph, sampler_graph_read, &graph_source};
