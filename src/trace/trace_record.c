/* SPDX-License-Identifier: MIT
 * The sums of a run as lines of a record. */
#include "arena.h"
#include "record_arcs.h"
#include "trace_file.h"
#include "trace_sums.h"
#include <math.h>

/* What is not in a trace, in sentences. */

static void line(struct buf *out, uint64_t n, const char *one, const char *many)
{
    if (n)
        buf_format(out, "%llu %s\n", (unsigned long long)n, n == 1 ? one : many);
}

void trace_loss_text(const struct trace_loss *l, struct buf *out)
{
    line(out, l->files, "process left an unreadable file: nothing of it is included",
         "processes left unreadable files: nothing of them is included");
    line(out, l->unfiled, "forked process could create no file: nothing of it is included",
         "forked processes could create no files: nothing of them is included");
    line(out, l->gone, "forked process made a file that was not read: nothing of it is included",
         "forked processes made files that were not read: nothing of them is included");
    line(out, l->words, "entry was not stored: no room was left", "entries were not stored: no room was left");
    line(out, l->segments, "segment is missing: it was never stored", "segments are missing: they were never stored");
    line(out, l->truncated_units, "block of 16 KiB is damaged and was skipped", "blocks of 16 KiB are damaged and were skipped");
    line(out, l->truncated_points, "description of a point is damaged", "descriptions of points are damaged");
    line(out, l->unknown_points, "hit is of a point without a description", "hits are of points without a description");
    line(out, l->damaged_arcs, "arc of a table is damaged and was skipped", "arcs of tables are damaged and were skipped");
    line(out, l->unwritten, "entry was begun and not written: the process ended in it, or a signal handler did not return",
         "entries were begun and not written: the process ended in them, or signal handlers did not return");
    line(out, l->alive, "process was still running when its file was read: its later hits are missing",
         "processes were still running when their files were read: their later hits are missing");
    line(out, l->silent, "process without a hit was still running after the run: its later hits are missing",
         "processes without a hit were still running after the run: their later hits are missing");
    if (l->cut)
        buf_str(out, "the file is shorter than its header says\n");
    if (l->truncated_head)
        buf_str(out, "the header of the file is damaged: its clock data may be wrong\n");
}

bool trace_loss_of_hits(const struct trace_loss *l)
{
    return l->files || l->unfiled || l->gone || l->words || l->segments || l->truncated_units || l->truncated_points ||
           l->unknown_points || l->damaged_arcs || l->cut || l->truncated_head || l->alive || l->silent;
}

static const char *clock_word(uint32_t clock)
{
    static const char *const words[] = {[TRACE_CLOCK_TSC] = "tsc", [TRACE_CLOCK_CNTVCT] = "cntvct", [TRACE_CLOCK_RAW] = "raw"};
    return clock >= TRACE_CLOCK_TSC && clock <= TRACE_CLOCK_RAW ? words[clock] : "unknown";
}

enum point_kind trace_record_kind(uint8_t kind)
{
    return kind == TRACE_SCOPE_BEGIN ? POINT_BEGIN
           : kind == TRACE_SCOPE_END ? POINT_END
           : kind == TRACE_COUNTER   ? POINT_COUNTER
                                     : POINT_PLAIN;
}

struct recording {
    struct record *r;
    const struct trace_sums *s;
    int subject;
    int *points; /* the record's numbers */
    struct arena arena;
};

static bool add_points(struct recording *c, struct point_passes *passes, int *n_passes)
{
    const struct trace_sum_point *points;
    int n = trace_sums_points(c->s, &points);
    for (int i = 0; i < n; i++) {
        const struct trace_place *p = &points[i].place;
        c->points[i] = record_add_point(c->r, &(struct point){.subject = c->subject,
                                                              .kind = trace_record_kind(p->kind),
                                                              .file = p->file,
                                                              .func = p->func,
                                                              .name = p->name,
                                                              .line = (int)p->line,
                                                              .group = p->group,
                                                              .ordinal = (int)p->ordinal,
                                                              .partner = -1});
        if (c->points[i] < 0)
            return false;
        if (points[i].passes)
            passes[(*n_passes)++] = (struct point_passes){c->points[i], points[i].passes};
    }
    return true;
}

/* A hit that was begun and not written is of a process that ended in it, and so the last of a thread. Where there are many, handlers of signals leave by longjmp. */
static bool lost_hits_of(const struct trace_run *run)
{
    return trace_loss_of_hits(&run->loss) || run->loss.unwritten > run->events / 1000 + (uint64_t)run->threads;
}

static double known_weight(double weight)
{
    return weight > 0 ? weight : 0;
}

static double loose_of(const struct trace_weight *w, enum trace_weighed what)
{
    return known_weight(w->bare[what] - w->of[what]);
}

static int add_run(struct recording *c, int round, const struct point_passes *passes, int n_passes)
{
    const struct trace_run *run = trace_sums_run(c->s);
    struct buf lost = BUF_INIT(1 << 14);
    trace_loss_text(&run->loss, &lost);
    int index = record_add_traced_run(
        c->r, &(struct traced_run){.subject = c->subject,
                                   .round = round,
                                   .clock = clock_word(run->clock),
                                   .order = run->order == TRACE_FAST      ? "fast"
                                            : run->order == TRACE_PRECISE ? "precise"
                                                                          : "ordered",
                                   .hz = run->hz > 0 ? run->hz : NAN,
                                   .step = run->step,
                                   .repeat = run->files ? (int)run->repeat : 1,
                                   .processes = run->files,
                                   .threads = run->threads,
                                   .events = run->events,
                                   .merged = run->merged,
                                   .degraded = run->degraded,
                                   .burst = run->burst,
                                   .weight = run->weight.mean,
                                   .weight_sd = run->weight.sd,
                                   .weight_fast = known_weight(run->weight.of[WEIGHED_FAST]),
                                   .weight_word = known_weight(run->weight.of[WEIGHED_WORD]),
                                   .weight_added = known_weight(run->weight.of[WEIGHED_ADDED]),
                                   .loose = loose_of(&run->weight, WEIGHED_POINT),
                                   .loose_fast = loose_of(&run->weight, WEIGHED_FAST),
                                   .loose_added = loose_of(&run->weight, WEIGHED_ADDED),
                                   .weight_around = known_weight(run->weight.of[WEIGHED_AROUND]),
                                   .weight_moved = known_weight(run->weight.of[WEIGHED_MOVED]),
                                   .weight_rows = run->weight.rows,
                                   .residual_ppm = run->residual_ppm,
                                   .jumps = run->jumps,
                                   .steps = run->steps,
                                   .jump_ns = run->jump_ns,
                                   .step_ns = run->step_ns,
                                   /* Hostile files have times that lie further apart than signed numbers reach. */
                                   .span_ns = (double)((uint64_t)run->last_ns - (uint64_t)run->first_ns),
                                   .lost = lost.len ? buf_text(&lost) : NULL,
                                   .incomplete = lost_hits_of(run),
                                   .lost_hits = run->loss.words + run->loss.unknown_points,
                                   .passes = passes,
                                   .n_passes = n_passes});
    bool whole = !lost.status;
    buf_finish(&lost);
    return whole ? index : -1;
}

static bool add_arc(struct recording *c, int run, const struct trace_arc_sum *a)
{
    struct arc_bin bins[TRACE_HISTOGRAM];
    for (int i = 0; i < a->n_bins; i++)
        bins[i] = (struct arc_bin){a->bins[i].bin, a->bins[i].n};
    const struct traced_arc own = {
#define UNSIGNED(id, sparse, meaning) .id = a->id,
#define SIGNED(id, meaning)           .id = a->id,
#define FLAG(id, meaning)             .id = a->id,
#include "traced_sums.def"
        .run = run, .from = c->points[a->from], .to = c->points[a->to], .bins = bins, .n_bins = a->n_bins};
    return record_add_traced_arc(c->r, &own) >= 0;
}

static bool add_all(struct recording *c, int round)
{
    const struct trace_sum_point *points;
    const struct trace_arc_sum *arcs;
    int n_points = trace_sums_points(c->s, &points), n_arcs = trace_sums_arcs(c->s, &arcs), n_passes = 0;
    struct point_passes *passes = arena_array(&c->arena, (size_t)n_points + 1, sizeof *passes);
    c->points = arena_array(&c->arena, (size_t)n_points + 1, sizeof *c->points);
    if (!passes || !c->points || !add_points(c, passes, &n_passes))
        return false;
    int run = add_run(c, round, passes, n_passes);
    for (int i = 0; run >= 0 && i < n_arcs; i++)
        if (!add_arc(c, run, &arcs[i]))
            return false;
    return run >= 0;
}

enum tare_status trace_sums_record(const struct trace_sums *s, struct record *r, int subject, int round, struct tare_err *err)
{
    struct recording c = {.r = r, .s = s, .subject = subject};
    bool ok = add_all(&c, round);
    arena_finish(&c.arena);
    return ok ? TARE_OK : err_no_memory(err);
}
