/* SPDX-License-Identifier: MIT
 * The lines below a table of arcs: a sentence for each thing that is to be known of all of them. */
#include "quote.h"
#include "trace_page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_NAMED = 6, LOSSES_TOLD = 2 };

static void put_label(struct page *p, int point)
{
    struct buf label = BUF_INIT(1 << 14);
    point_label(&label, p->r->traced, point);
    quote_mask(&p->piece, buf_text(&label), p->o->unicode);
    buf_finish(&label);
}

void trace_begin_words(struct page *p, const char *head)
{
    flow_begin(p, 2, 4);
    buf_str(&p->piece, head);
    flow_put_hued(p, "", HUE_BOLD);
}

void trace_end_words(struct page *p)
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

void trace_say_coverage(struct page *p, int subject)
{
    struct arc_coverage c = record_arc_coverage(p->r, subject);
    if (!c.points)
        return;
    trace_begin_words(p, "Points:");
    buf_format(&p->piece, "%d of %d passed (", c.points_passed, c.points);
    trace_put_share(p, (double)c.points_passed / c.points);
    buf_char(&p->piece, ')');
    put_never_passed(p, subject, c.points - c.points_passed);
    buf_format(&p->piece, ". Arcs: %d passed", c.arcs);
    if (c.arcs) {
        buf_format(&p->piece, ", %d of them (", c.arcs_in_all);
        trace_put_share(p, (double)c.arcs_in_all / c.arcs);
        buf_str(&p->piece, ") in every run");
    }
    buf_char(&p->piece, '.');
    trace_end_words(p);
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

void trace_say_probe(struct page *p, int subject)
{
    const struct estimate *probe = page_estimate(p, subject, "arc", "probe");
    if (!probe || isnan(probe->point))
        return;
    double events = events_of_a_run(p->r->traced, subject);
    trace_begin_words(p, "Probe:");
    if (probe->point == 0) {
        buf_str(&p->piece, "a pass is stamped four times, and what the stamps weigh is taken off each passage by themselves.");
        trace_end_words(p);
        return;
    }
    buf_str(&p->piece, "a pass weighs ");
    trace_put_time(p, probe->point, half_width(probe->low, probe->high));
    if (has_interval(probe)) {
        struct unit u = trace_time_unit(p, probe->point);
        buf_char(&p->piece, ' ');
        put_interval(p, probe->low / u.factor, probe->high / u.factor,
                     figure_decimals(probe->point / u.factor, half_width(probe->low, probe->high) / u.factor));
    }
    buf_str(&p->piece, ", measured in these runs and taken off every passage");
    if (events > 0) {
        buf_str(&p->piece, ": ");
        trace_put_time(p, events * probe->point, NAN);
        buf_str(&p->piece, " of a run");
    }
    buf_char(&p->piece, '.');
    trace_end_words(p);
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
    trace_put_count(p, n);
    buf_format(&p->piece, " %s", words);
    *any = true;
}

void trace_say_classes(struct page *p, int subject)
{
    struct classes c = classes_of(p, subject);
    bool any = false;
    if (!(c.all > 0))
        return;
    trace_begin_words(p, "Disturbed:");
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
    trace_put_count(p, c.all);
    buf_str(&p->piece, " timed passages.");
    trace_end_words(p);
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

void trace_say_losses(struct page *p, int subject)
{
    const struct traced *t = p->r->traced;
    int runs = 0, with = 0, told = 0, most = p->o->verbosity > 0 ? t->n_runs : LOSSES_TOLD;
    for (int i = 0; i < t->n_runs; i++) {
        runs += t->runs[i].subject == subject;
        with += t->runs[i].subject == subject && t->runs[i].lost;
    }
    if (!runs)
        return;
    trace_begin_words(p, "Lost:");
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
    trace_end_words(p);
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

void trace_say_clocks(struct page *p, int subject)
{
    struct clock_story c = clocks_of(p->r->traced, subject);
    bool coarse = c.name && !strcmp(c.name, "raw");
    if (!c.unknown && !c.apart && !c.stepped && !coarse && p->o->verbosity < 1)
        return;
    trace_begin_words(p, "Clock:");
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
        trace_put_time(p, c.apart_ns, NAN);
        buf_str(&p->piece, " at most: do not trust their times");
    }
    if (c.stepped) {
        buf_format(&p->piece, "; in %d of %d runs the wall clock was set or the machine slept (", c.stepped, c.runs);
        trace_put_time(p, c.stepped_ns, NAN);
        buf_char(&p->piece, ')');
    }
    buf_char(&p->piece, '.');
    trace_end_words(p);
}

void trace_say_partly_timed(struct page *p, int subject)
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
        trace_begin_words(p, "Timed in part:");
        buf_format(&p->piece,
                   i ? "windows of passes, in %d of %d runs; counts are of all passes, times of those in windows."
                     : "room ended in %d of %d runs, and from then on passages were added up in the program.",
                   n[i], runs);
        trace_end_words(p);
    }
}

/* Of what another tool wrote down neither the clock nor what was lost is known. */
void trace_say_foreign(struct page *p)
{
    trace_begin_words(p, "Probe:");
    buf_str(&p->piece, "each pass read the clock four times; what these readings took is taken off every passage.");
    trace_end_words(p);
    trace_begin_words(p, "Lost:");
    buf_str(&p->piece, "not known; the file does not tell.");
    trace_end_words(p);
}
