/* SPDX-License-Identifier: MIT
 *
 * Arcs between control points: a line each, by share, and below the table what is to be known of all of them.
 *
 *     In this session: 30 runs of './queue 1000', 1 more for warm-up; a run is the unit, 95 % intervals [a, b] of the means by Student's t.
 *       from               to                 n per run     total   share  a passage  interval          probe
 *       queue.c:41 (fill)  queue.c:52 (fill)       1000  1.204 ms  61.2 %  1.204 us   [1.198, 1.211]  23.1 ns
 *     Points: 7 of 8 were passed (87.5 %); never: queue.c:90 (drop). Arcs: 9 were passed, 8 of them (88.9 %) in every run.
 *     A pass weighs 23.1 ns [23.0, 23.2], measured in these runs and taken off every passage: 0.2 ms of a run.
 *     Disturbed: 12 of 30 000 passages were interrupted.
 *     Nothing was lost.
 */
#include "layout.h"
#include "quote.h"
#include "record_arcs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARCS_SHOWN = 20, POINTS_NAMED = 6, LOSSES_TOLD = 2 };

/* ---- pieces ---- */

static double half_of(const struct arc_result *a)
{
    return half_width(a->low_ns, a->high_ns);
}

static void put_mean(struct page *p, const struct arc_result *a)
{
    if (a->below_resolution) {
        buf_str(&p->piece, "≤ ");
        put_time(p, fmax(a->resolution_ns, fabs(a->mean_ns)), NAN);
    } else if (!isnan(a->mean_ns))
        put_time(p, a->mean_ns, half_of(a));
}

/* ---- the lines below the table: a sentence for each thing that is to be known of all arcs ---- */

static void put_label(struct page *p, int point)
{
    struct buf label = BUF_INIT(1 << 14);
    point_label(&label, p->r->traced, point);
    quote_mask(&p->piece, buf_text(&label), p->o->unicode);
    buf_finish(&label);
}

static void begin_words(struct page *p, const char *head)
{
    flow_label(p, 2, 4, head, HUE_BOLD);
}

static void end_words(struct page *p)
{
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

static void put_never_passed(struct page *p, int subject, int never)
{
    const struct traced *t = p->r->traced;
    int most = p->o->verbosity > 0 ? never : POINTS_NAMED, named = 0;
    uint64_t *passes = record_point_passes(t);
    for (int i = 0; passes && i < t->n_points && named < most; i++) {
        if (t->points[i].subject != subject || passes[i])
            continue;
        buf_str(&p->piece, named++ ? ", " : "; never: ");
        put_label(p, i);
    }
    if (never > named)
        buf_format(&p->piece, " and %d more (-v)", never - named);
    free(passes);
}

static void say_coverage(struct page *p, int subject)
{
    struct arc_coverage c = record_arc_coverage(p->r, subject);
    if (!c.points)
        return;
    begin_words(p, "Points:");
    buf_format(&p->piece, "%d of %d passed (", c.points_passed, c.points);
    figure_share(&p->piece, (double)c.points_passed / c.points);
    buf_char(&p->piece, ')');
    put_never_passed(p, subject, c.points - c.points_passed);
    buf_format(&p->piece, ". Arcs: %d passed", c.arcs);
    if (c.arcs) {
        buf_format(&p->piece, ", %d of them (", c.arcs_in_all);
        figure_share(&p->piece, (double)c.arcs_in_all / c.arcs);
        buf_str(&p->piece, ") in every run");
    }
    buf_char(&p->piece, '.');
    end_words(p);
}

static double events_of_a_run(const struct traced *t, int subject)
{
    double events = 0;
    int runs = 0;
    for (int i = 0; i < t->n_runs; i++)
        if (t->runs[i].subject == subject && t->runs[i].repeat == 1) {
            events += (double)t->runs[i].events;
            runs++;
        }
    return runs ? events / runs : NAN;
}

static void say_probe(struct page *p, int subject)
{
    const struct estimate *probe = page_estimate(p, subject, "arc", "probe");
    if (!probe || isnan(probe->point))
        return;
    double events = events_of_a_run(p->r->traced, subject);
    begin_words(p, "Probe:");
    if (probe->point == 0) {
        buf_str(&p->piece, "a pass is stamped four times, and what the stamps weigh is taken off each passage by themselves.");
        end_words(p);
        return;
    }
    buf_str(&p->piece, "a pass weighs ");
    put_estimate(p, probe, page_unit(p, "ns", probe->point));
    buf_str(&p->piece, ", measured in these runs and taken off every passage");
    if (events > 0) {
        buf_str(&p->piece, ": ");
        put_time(p, events * probe->point, NAN);
        buf_str(&p->piece, " of a run");
    }
    buf_char(&p->piece, '.');
    end_words(p);
}

struct classes {
    double all, interrupted, gaps, migrated, handlers, nested, backwards, stamps;
};

static struct classes classes_of(const struct page *p, int subject)
{
    struct classes c = {0};
    for (int i = 0; i < p->r->traced->n_results; i++) {
        const struct arc_result *a = &p->r->traced->results[i];
        if (a->subject != subject)
            continue;
        c.all += (double)a->n;
        c.interrupted += (double)a->interrupted;
        c.gaps += (double)a->gaps;
        c.migrated += (double)a->migrated;
        c.handlers += (double)a->handlers;
        c.nested += (double)a->nested;
        c.backwards += (double)a->backwards;
        c.stamps += (double)a->stamps;
    }
    return c;
}

static void put_class(struct page *p, double n, const char *words, bool *any)
{
    if (!(n > 0))
        return;
    if (*any)
        buf_str(&p->piece, ", ");
    figure_count(&p->piece, n);
    buf_format(&p->piece, " %s", words);
    *any = true;
}

static void say_classes(struct page *p, int subject)
{
    struct classes c = classes_of(p, subject);
    bool any = false;
    if (!(c.all > 0))
        return;
    begin_words(p, "Disturbed:");
    put_class(p, c.interrupted, "interrupted (they count in the means; -v has the means without them)", &any);
    put_class(p, c.gaps, "in which libtare made room (its time is taken off)", &any);
    put_class(p, c.stamps, "interrupted within a pair of stamps (what is taken off is off by that)", &any);
    put_class(p, c.migrated, "moved to another CPU", &any);
    put_class(p, c.handlers, "in which a signal handler passed points", &any);
    put_class(p, c.nested, "within such handlers", &any);
    put_class(p, c.backwards, "whose clock went backwards (they are in no sum)", &any);
    if (!any)
        buf_str(&p->piece, "none");
    buf_str(&p->piece, " of ");
    figure_count(&p->piece, c.all);
    buf_str(&p->piece, " timed passages.");
    end_words(p);
}

/* A line each, as one sentence. */
static void put_sentences(struct page *p, const char *lines)
{
    struct buf b = BUF_INIT(1 << 20);
    for (const char *c = lines; *c; c++)
        if (*c != '\n')
            buf_char(&b, *c);
        else if (c[1])
            buf_str(&b, "; ");
    quote_mask(&p->piece, buf_text(&b), p->o->unicode);
    buf_char(&p->piece, '.');
    buf_finish(&b);
}

static void say_losses(struct page *p, int subject)
{
    const struct traced *t = p->r->traced;
    int runs = 0, with = 0, told = 0, most = p->o->verbosity > 0 ? t->n_runs : LOSSES_TOLD;
    for (int i = 0; i < t->n_runs; i++) {
        runs += t->runs[i].subject == subject;
        with += t->runs[i].subject == subject && t->runs[i].lost;
    }
    if (!runs)
        return;
    begin_words(p, "Lost:");
    if (!with)
        buf_format(&p->piece, "nothing, in %d run%s.", runs, buf_plural(runs));
    else
        buf_format(&p->piece, "something in %d of %d run%s.", with, runs, buf_plural(runs));
    for (int i = 0; i < t->n_runs && told < most; i++) {
        if (t->runs[i].subject != subject || !t->runs[i].lost)
            continue;
        buf_format(&p->piece, " Run %d: ", t->runs[i].round + 1);
        put_sentences(p, t->runs[i].lost);
        told++;
    }
    end_words(p);
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
    struct clock_story c = clocks_of(p->r->traced, subject);
    bool coarse = c.name && !strcmp(c.name, "raw");
    if (!c.unknown && !c.apart && !c.stepped && !coarse && p->o->verbosity < 1)
        return;
    begin_words(p, "Clock:");
    buf_str(&p->piece,
            coarse ? "that of the system, which weighs more than the processor's counter" : "the processor's counter (");
    if (!coarse) {
        put_text(p, c.name);
        buf_char(&p->piece, ')');
    }
    if (c.unknown)
        buf_format(&p->piece, "; in %d of %d runs nothing tells how fast it is, so these have no times", c.unknown, c.runs);
    if (c.apart) {
        buf_format(&p->piece, "; in %d of %d runs it and the system's clock went apart, by ", c.apart, c.runs);
        put_time(p, c.apart_ns, NAN);
        buf_str(&p->piece, " at most: do not trust their times");
    }
    if (c.stepped) {
        buf_format(&p->piece, "; in %d of %d runs the wall clock was set or the machine slept (", c.stepped, c.runs);
        put_time(p, c.stepped_ns, NAN);
        buf_char(&p->piece, ')');
    }
    buf_char(&p->piece, '.');
    end_words(p);
}

static void say_partly_timed(struct page *p, int subject)
{
    const struct traced *t = p->r->traced;
    int runs = 0, n[2] = {0};
    for (int i = 0; i < t->n_runs; i++)
        if (t->runs[i].subject == subject) {
            runs++;
            n[0] += t->runs[i].degraded;
            n[1] += t->runs[i].burst;
        }
    for (int i = 0; i < 2; i++) {
        if (!n[i])
            continue;
        begin_words(p, "Timed in part:");
        buf_format(&p->piece,
                   i ? "windows of passes, in %d of %d runs; counts are of all passes, times of those in windows."
                     : "room ended in %d of %d runs, and from then on passages were added up in the program.",
                   n[i], runs);
        end_words(p);
    }
}

/* Of what another tool wrote down neither the clock nor what was lost is known. */
static void say_foreign(struct page *p)
{
    begin_words(p, "Probe:");
    buf_str(&p->piece, "each pass read the clock four times; what these readings took is taken off every passage.");
    end_words(p);
    begin_words(p, "Lost:");
    buf_str(&p->piece, "not known; the file does not tell.");
    end_words(p);
}

/* ---- the tables: a row is an arc ---- */

static void label_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    struct buf label = BUF_INIT(1 << 14);
    point_label(&label, p->r->traced, !strcmp(p->cell->title, "from") ? a->from : a->to);
    quote_cut(&p->piece, buf_text(&label), p->o->width > 0 ? p->o->width / 4 : 0, p->o->unicode);
    buf_finish(&label);
}

static void count_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    figure_count(&p->piece, a->runs ? (double)a->passes / a->runs : 0);
}

static void share_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    if (!isnan(a->share))
        figure_share(&p->piece, a->share);
}

static void mean_cell(struct page *p, const void *row)
{
    put_mean(p, row);
}

static void put_time_interval(struct page *p, double ns, double low, double high)
{
    const struct unit u = page_unit(p, "ns", ns);
    const double half = half_width(low, high);
    if (!isnan(half))
        figure_interval(&p->piece, low, high, u, figure_decimals(ns / u.factor, half / u.factor));
}

static void interval_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    put_time_interval(p, a->mean_ns, a->low_ns, a->high_ns);
}

static double time_of(const struct arc_result *a, const char *what)
{
    const struct {
        const char *title;
        double ns;
    } times[] = {{"total", a->total_ns},
                 {"probe", a->probe_ns > 0 ? a->probe_ns : NAN},
                 {"min", a->min_ns},
                 {"median", a->median_ns},
                 {"99 %", a->p99_ns},
                 {"max", a->max_ns},
                 {"sd within", a->within_sd},
                 {"sd of runs", a->between_sd},
                 {"uninterrupted", a->clean_ns},
                 {"by dilation", a->dilated_probe_ns}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!strcmp(times[i].title, what))
            return times[i].ns;
    return NAN;
}

/* A time that has no interval. */
static void time_cell(struct page *p, const void *row)
{
    double ns = time_of(row, p->cell->title);
    if (!isnan(ns))
        put_time(p, ns, NAN);
}

static void runs_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    buf_format(&p->piece, "%d", a->runs_passed);
}

static const struct table_column arc_columns[] = {
    {"from", SIDE_LEFT, 0, label_cell},        {"to", SIDE_LEFT, 0, label_cell},     {"n per run", SIDE_RIGHT, 3, count_cell},
    {"total", SIDE_RIGHT, 4, time_cell},       {"share", SIDE_RIGHT, 0, share_cell}, {"a passage", SIDE_RIGHT, 0, mean_cell},
    {"interval", SIDE_LEFT, 5, interval_cell}, {"probe", SIDE_RIGHT, 1, time_cell}};
static const struct table_column spread_columns[] = {
    {"from", SIDE_LEFT, 0, label_cell},          {"to", SIDE_LEFT, 0, label_cell},
    {"min", SIDE_RIGHT, 2, time_cell},           {"median", SIDE_RIGHT, 0, time_cell},
    {"99 %", SIDE_RIGHT, 0, time_cell},          {"max", SIDE_RIGHT, 0, time_cell},
    {"sd within", SIDE_RIGHT, 4, time_cell},     {"sd of runs", SIDE_RIGHT, 4, time_cell},
    {"uninterrupted", SIDE_RIGHT, 3, time_cell}, {"runs", SIDE_RIGHT, 1, runs_cell}};

static int shown_of(const struct page *p, int n)
{
    return p->o->verbosity > 0 || n <= ARCS_SHOWN ? n : ARCS_SHOWN;
}

static int results_of(const struct page *p, int subject)
{
    int n = 0;
    for (int i = 0; i < p->r->traced->n_results; i++)
        n += p->r->traced->results[i].subject == subject;
    return n;
}

static void arc_table(struct page *p, int subject, const struct table_column *columns, int n_columns)
{
    const struct traced *traced = p->r->traced;
    struct table t;
    int left = shown_of(p, results_of(p, subject));
    table_begin(&t, columns, n_columns);
    for (int i = 0; i < traced->n_results && left; i++)
        if (traced->results[i].subject == subject) {
            table_row(p, &t, &traced->results[i]);
            left--;
        }
    table_end(p, &t, 2);
}

/* Of arcs that are counted, or whose passages met no window of a burst, no time is known: they have no share, and not one of nothing. */
static void render_rest(struct page *p, int subject)
{
    const struct traced *traced = p->r->traced;
    int n = results_of(p, subject), shown = shown_of(p, n), seen = 0, unknown = 0;
    double share = 0;
    if (shown == n)
        return;
    for (int i = 0; i < traced->n_results; i++)
        if (traced->results[i].subject == subject && seen++ >= shown) {
            bool known = !isnan(traced->results[i].share);
            share += known ? traced->results[i].share : 0;
            unknown += !known;
        }
    buf_format(&p->piece, "and %d more arcs", n - shown);
    if (unknown && unknown < n - shown)
        buf_format(&p->piece, ": %d", n - shown - unknown);
    if (unknown < n - shown) {
        buf_str(&p->piece, " with ");
        figure_share(&p->piece, share);
        buf_str(&p->piece, " of the time");
    }
    if (unknown)
        buf_format(&p->piece, unknown < n - shown ? ", %d of which no time is known" : ", of which no time is known", unknown);
    buf_str(&p->piece, "; -v shows all");
    flow_line(p, 2, HUE_DIM);
}

/* ---- proof by dilation ---- */

static void dilated_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    if (!isnan(a->dilated_ns))
        put_time(p, a->dilated_ns, half_width(a->dilated_low, a->dilated_high));
}

static void dilated_interval_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    put_time_interval(p, a->dilated_ns, a->dilated_low, a->dilated_high);
}

static void agreement_cell(struct page *p, const void *row)
{
    const struct arc_result *a = row;
    if (isnan(half_width(a->dilated_low, a->dilated_high)) || isnan(half_of(a)))
        return;
    buf_str(&p->piece, a->dilated_low <= a->high_ns && a->low_ns <= a->dilated_high ? "agrees" : "differs");
}

static void render_proof(struct page *p, int subject)
{
    static const struct table_column columns[] = {{"from", SIDE_LEFT, 0, label_cell},
                                                  {"to", SIDE_LEFT, 0, label_cell},
                                                  {"weighed off", SIDE_RIGHT, 0, mean_cell},
                                                  {"extrapolated", SIDE_RIGHT, 0, dilated_cell},
                                                  {"interval", SIDE_LEFT, 3, dilated_interval_cell},
                                                  {"probe", SIDE_RIGHT, 2, time_cell},
                                                  {"by dilation", SIDE_RIGHT, 1, time_cell},
                                                  {"", SIDE_LEFT, 0, agreement_cell}};
    bool any = false;
    for (int i = 0; i < p->r->traced->n_results; i++)
        any = any || (p->r->traced->results[i].subject == subject && !isnan(p->r->traced->results[i].dilated_ns));
    if (!any)
        return;
    begin_words(p, "Proof:");
    buf_str(&p->piece,
            "runs with 1, 2 and 3 passes written for each one made, extrapolated to none; where that differs from what the probe "
            "weighed by itself, it changes the program beyond its own weight.");
    end_words(p);
    arc_table(p, subject, columns, sizeof columns / sizeof *columns);
}

/* ---- two programs ---- */

static const struct arc_result *result_at(const struct page *p, int one_based)
{
    return one_based > 0 && one_based <= p->r->traced->n_results ? &p->r->traced->results[one_based - 1] : NULL;
}

static const struct arc_result *arc_of(const struct page *p, const void *row)
{
    return result_at(p, ((const struct comparison *)row)->arc);
}

/* Of the arc that is compared the cell that it has in a table of arcs. */
static void arc_cell(struct page *p, const void *row)
{
    (!strcmp(p->cell->title, "share")       ? share_cell
     : !strcmp(p->cell->title, "a passage") ? mean_cell
                                            : label_cell)(p, arc_of(p, row));
}

static void reference_cell(struct page *p, const void *row)
{
    put_mean(p, result_at(p, ((const struct comparison *)row)->reference_arc));
}

/* Of two stored sessions what all their ratios rest on is said above them. */
static bool is_caveat(const struct comparison *c)
{
    return c->reference_rounds && c->reason && strstr(c->reason, "nothing drifted between the two");
}

static bool is_open(const struct comparison *c, int subject)
{
    return c->arc && c->subject == subject && c->verdict == VERDICT_UNDECIDED && c->reason && !is_caveat(c);
}

/* Each reason once, with the number of arcs that it holds for. */
static void say_why_undecided(struct page *p, int subject)
{
    const struct record *r = p->r;
    for (int i = 0; i < r->n_comparisons; i++) {
        int arcs = 0, first = -1;
        for (int k = 0; is_open(&r->comparisons[i], subject) && k < r->n_comparisons; k++)
            if (is_open(&r->comparisons[k], subject) && !strcmp(r->comparisons[k].reason, r->comparisons[i].reason)) {
                first = first < 0 ? k : first;
                arcs++;
            }
        if (first != i)
            continue;
        flow_begin(p, 2, 4);
        buf_format(&p->piece, "%d arc%s undecided:", arcs, buf_plural(arcs));
        flow_put(p, "");
        put_text(p, r->comparisons[i].reason);
        flow_spread(p, " ", HUE_DIM);
        flow_end(p);
    }
}

static void render_compared(struct page *p, int subject)
{
    static const struct table_column columns[] = {{"from", SIDE_LEFT, 0, arc_cell},
                                                  {"to", SIDE_LEFT, 0, arc_cell},
                                                  {"reference", SIDE_RIGHT, 3, reference_cell},
                                                  {"a passage", SIDE_RIGHT, 4, arc_cell},
                                                  {"ratio", SIDE_LEFT, 5, effect_cell},
                                                  {"verdict", SIDE_LEFT, 0, verdict_cell},
                                                  {"share", SIDE_RIGHT, 2, arc_cell}};
    const struct comparison *one = NULL;
    struct table t;
    int n = 0, most = p->o->verbosity > 0 ? p->r->n_comparisons : ARCS_SHOWN;
    table_begin(&t, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (c->subject != subject || !result_at(p, c->arc) || !result_at(p, c->reference_arc))
            continue;
        one = c;
        if (n++ < most)
            table_row(p, &t, c);
    }
    if (!one)
        return; /* the table has no row */
    put_name(p, subject, name_columns(p, 2));
    buf_str(&p->piece, " against ");
    put_name(p, one->reference, name_columns(p, 2));
    buf_str(&p->piece, ", arc by arc");
    if (n > 1 && !(one->reference_rounds && !one->assumed_no_drift))
        buf_format(&p->piece, " (words hold together for all %d: Benjamini-Hochberg)", n);
    flow_line(p, 0, HUE_BOLD);
    table_end(p, &t, 2);
    if (p->o->verbosity >= 0)
        say_why_undecided(p, subject);
}

/* Programs that cannot be compared, as wholes. */
static void render_open(struct page *p)
{
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (c->arc || c->verdict != VERDICT_NOT_COMPARABLE)
            continue;
        put_name(p, c->subject, name_columns(p, 2));
        buf_str(&p->piece, " is ");
        put_verdict(p, c);
        buf_str(&p->piece, " with ");
        put_name(p, c->reference, name_columns(p, 2));
        buf_str(&p->piece, ": ");
        put_text(p, c->reason);
        flow_line(p, 0, HUE_PLAIN);
    }
}

/* ---- the whole ---- */

static int runs_of(const struct traced *t, int subject)
{
    int runs = 0;
    for (int i = 0; i < t->n_runs; i++)
        runs += t->runs[i].subject == subject;
    return runs;
}

/* Without a look the run that failed counts too. */
static int most_rounds(const struct traced *t)
{
    int most = 0;
    for (int i = 0; i < t->n_runs; i++)
        most = t->runs[i].round + 1 > most ? t->runs[i].round + 1 : most;
    return most;
}

/* Two stored sessions: who was run how often, and what that allows to say. */
static void render_two_sessions(struct page *p)
{
    const struct record *r = p->r;
    buf_str(&p->piece, "Two sessions, not interleaved: ");
    for (int i = 0; i < r->n_subjects; i++) {
        int runs = r->traced ? runs_of(r->traced, i) : 0;
        buf_format(&p->piece, "%s%d run%s of ", i ? ", " : "", runs, buf_plural(runs));
        put_name(p, i, name_columns(p, 2));
    }
    buf_char(&p->piece, '.');
    for (int i = 0; i < r->n_comparisons; i++)
        if (is_caveat(&r->comparisons[i])) {
            buf_str(&p->piece, " Ratios hold ");
            put_text(p, r->comparisons[i].reason);
            buf_char(&p->piece, '.');
            break;
        }
    flow_line(p, 0, HUE_DIM);
}

static void render_session(struct page *p)
{
    const struct record *r = p->r;
    int n = command_count(r), warmup = 0;
    for (int i = 0; i < r->n_subjects; i++)
        warmup = r->series[i].warmup.n > warmup ? r->series[i].warmup.n : warmup;
    int rounds = r->look > 0 || !r->traced ? r->rounds : most_rounds(r->traced);
    buf_format(&p->piece, "In this session: %d %s%s", rounds, n > 1 ? "interleaved round" : "run", buf_plural(rounds));
    if (n == 1) {
        buf_str(&p->piece, " of ");
        put_name(p, 0, name_columns(p, 1));
    }
    if (warmup)
        buf_format(&p->piece, ", %d more for warm-up", warmup);
    buf_str(&p->piece, "; a run is the unit");
    if (r->look > 0) {
        buf_str(&p->piece, ", ");
        figure_level(&p->piece, r->rule.confidence);
        buf_str(&p->piece, " intervals [a, b] of the means");
        put_looks(p);
    }
    buf_char(&p->piece, '.');
    flow_line(p, 0, HUE_DIM);
}

static void render_subject(struct page *p, int subject)
{
    if (command_count(p->r) > 1) {
        put_name(p, subject, name_columns(p, 1));
        flow_line(p, 0, HUE_BOLD);
    }
    arc_table(p, subject, arc_columns, sizeof arc_columns / sizeof *arc_columns);
    render_rest(p, subject);
    if (p->o->verbosity > 0)
        arc_table(p, subject, spread_columns, sizeof spread_columns / sizeof *spread_columns);
    if (p->o->verbosity < 0)
        return;
    say_coverage(p, subject);
    if (record_source(p->r)) {
        say_foreign(p);
        return;
    }
    say_partly_timed(p, subject);
    say_probe(p, subject);
    say_clocks(p, subject);
    say_classes(p, subject);
    say_losses(p, subject);
    render_proof(p, subject);
}

void render_traces(struct page *p)
{
    if (p->o->verbosity >= 0)
        (record_is_of_two_sessions(p->r) ? render_two_sessions : render_session)(p);
    bool answer_alone = p->o->verbosity < 0 && p->r->n_comparisons;
    for (int i = 0; i < p->r->n_subjects && p->r->traced && !answer_alone; i++)
        if (p->r->subjects[i].kind == SUBJECT_TRACE)
            render_subject(p, i);
    for (int i = 0; i < p->r->n_subjects && p->r->traced; i++)
        if (p->r->subjects[i].kind == SUBJECT_TRACE)
            render_compared(p, i);
    render_open(p);
}
