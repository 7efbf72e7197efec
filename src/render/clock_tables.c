/* SPDX-License-Identifier: MIT
 *
 * The clocks and the serialisers, each a table; below it why something in it could not be measured.
 */
#include "clock_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

static const struct estimate *find(const struct page *p, int subject, const char *metric, const char *statistic)
{
    return page_estimate(p, subject, metric, statistic);
}

/* "-" where a reason stands below the table. */
static bool put_missing(struct page *p, const struct estimate *e)
{
    if (e && isnan(e->point))
        buf_char(&p->piece, '-');
    return !e || isnan(e->point);
}

static void figure_cell(struct page *p, struct table *t, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = find(p, subject, metric, statistic);
    if (!put_missing(p, e))
        put_number(p, e->point, fabs(e->point) >= 100 ? 0 : 1);
    table_cell(p, t);
}

static void signed_cell(struct page *p, struct table *t, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = find(p, subject, metric, statistic);
    if (!put_missing(p, e))
        put_signed(p, e->point, fabs(e->point) >= 100 ? 0 : fabs(e->point) >= 10 ? 1 : 2);
    table_cell(p, t);
}

static void quantity_cell(struct page *p, struct table *t, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = find(p, subject, metric, statistic);
    if (!put_missing(p, e)) {
        struct unit u = unit_for(base_unit(p->r, metric), e->point);
        double shown = e->point / u.factor;
        put_number(p, shown, shown == floor(shown) ? 0 : significant_decimals(shown, 3));
        put_unit(p, u);
    }
    table_cell(p, t);
}

/* With what it may be wrong by: "-3±40". */
static void skew_cell(struct page *p, struct table *t, int subject)
{
    const struct estimate *skew = find(p, subject, "skew", "max"), *bound = find(p, subject, "skew", "bound");
    if (!put_missing(p, skew)) {
        put_signed(p, skew->point, 0);
        if (bound && !isnan(bound->point))
            buf_format(&p->piece, "%s%.0f", p->sym->plus_minus, bound->point);
    }
    table_cell(p, t);
}

static void name_cell(struct page *p, struct table *t, int subject)
{
    put_text(p, p->r->subjects[subject].name);
    table_cell(p, t);
}

/* ---- what is missing, once for all that lack it for the same reason ---- */

static bool same_lack(const struct page *p, const struct estimate *a, const struct estimate *b)
{
    return isnan(b->point) && b->reason && *b->reason && !strcmp(a->metric, b->metric) && !strcmp(a->reason, b->reason) &&
           p->r->subjects[a->subject].kind == p->r->subjects[b->subject].kind;
}

static bool told_before(const struct page *p, int index)
{
    for (int i = 0; i < index; i++)
        if (same_lack(p, &p->r->estimates[index], &p->r->estimates[i]))
            return true;
    return false;
}

static void put_names_of_lack(struct page *p, int index)
{
    enum { NAMED = 3 };
    int last = -1, n = 0;
    for (int i = index; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (e->subject == last || !same_lack(p, &p->r->estimates[index], e))
            continue;
        if (n < NAMED) {
            buf_str(&p->piece, n ? ", " : "");
            put_text(p, p->r->subjects[e->subject].name);
        }
        last = e->subject;
        n++;
    }
    if (n > NAMED)
        buf_format(&p->piece, " and %d more", n - NAMED);
}

static void render_missing(struct page *p, enum subject_kind kind)
{
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (p->r->subjects[e->subject].kind != kind || !isnan(e->point) || !e->reason || !*e->reason || told_before(p, i))
            continue;
        if (!strcmp(e->metric, "frequency") && p->o->verbosity <= 0)
            continue; /* the line of the frequency names these sources */
        flow_begin(p, 2, 4);
        buf_str(&p->piece, "- ");
        put_names_of_lack(p, i);
        buf_str(&p->piece, ": ");
        put_title(p, e->metric, 0);
        buf_str(&p->piece, ": ");
        put_text(p, e->reason);
        flow_spread(p, "", HUE_DIM);
        flow_end(p);
    }
}

/* ---- clocks ---- */

static const struct table_column clock_columns[] = {
    {"clock", SIDE_LEFT, 0},  {"p10", SIDE_POINT, 3},  {"median", SIDE_POINT, 0}, {"p99", SIDE_POINT, 5}, {"step", SIDE_RIGHT, 9},
    {"chain", SIDE_POINT, 7}, {"rate", SIDE_POINT, 8}, {"skew", SIDE_POINT, 6},   {"vDSO", SIDE_LEFT, 1},
};
enum { CLOCK_COLUMNS = sizeof clock_columns / sizeof *clock_columns };

static void clock_row(struct page *p, struct table *t, int subject)
{
    static const char *const statistics[] = {"p10", "median", "p99"};
    name_cell(p, t, subject);
    for (int i = 0; i < 3; i++)
        figure_cell(p, t, subject, "cost", statistics[i]);
    quantity_cell(p, t, subject, "step", "min");
    signed_cell(p, t, subject, "ordering", "of 1000");
    signed_cell(p, t, subject, "rate", "session");
    skew_cell(p, t, subject);
    put_text(p, subject_parameter(&p->r->subjects[subject], "vdso"));
    table_cell(p, t);
}

static bool is_known_apart(const struct page *p, int subject)
{
    const struct estimate *e = page_estimate(p, subject, "apart", "frequency");
    return e && !isnan(e->point);
}

static void put_silent_sources(struct page *p, int subject)
{
    bool any = false;
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (e->subject != subject || strcmp(e->metric, "frequency") || !isnan(e->point))
            continue;
        buf_str(&p->piece, any ? ", " : "; not told by: ");
        put_text(p, e->statistic);
        any = true;
    }
}

/* "tsc runs at 2.000000 GHz (measured), 2 GHz (kernel); 0.12 ppm apart; not told by: CPUID 15h" */
static void frequency_line(struct page *p, int subject)
{
    bool first = true;
    flow_begin(p, 2, 4);
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (e->subject != subject || strcmp(e->metric, "frequency") || isnan(e->point))
            continue;
        struct unit u = unit_for("Hz", e->point);
        buf_str(&p->piece, first ? "" : ", ");
        if (first)
            put_text(p, p->r->subjects[subject].name);
        buf_str(&p->piece, first ? " runs at " : "");
        put_number(p, e->point / u.factor, e->point / u.factor == floor(e->point / u.factor) ? 0 : 6);
        put_unit(p, u);
        buf_str(&p->piece, " (");
        put_text(p, e->statistic);
        buf_char(&p->piece, ')');
        first = false;
    }
    if (!first && is_known_apart(p, subject)) {
        double apart = page_estimate(p, subject, "apart", "frequency")->point;
        buf_str(&p->piece, "; ");
        put_number(p, apart, significant_decimals(apart, 2));
        buf_str(&p->piece, " ppm apart");
    }
    if (!first)
        put_silent_sources(p, subject);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

struct meaning {
    const char *title, *text;
};

/* What the columns above are, a line each; closed by NULL. */
static void put_legend(struct page *p, const struct meaning *m)
{
    for (; m->title; m++) {
        flow_begin(p, 4, 6);
        buf_format(&p->piece, "%s: %s", m->title, m->text);
        flow_spread(p, "", HUE_DIM);
        flow_end(p);
    }
}

void clock_table(struct page *p)
{
    struct table t;
    bool any = false;
    for (int i = 0; i < p->r->n_subjects; i++)
        any |= p->r->subjects[i].kind == SUBJECT_CLOCK;
    if (!any)
        return;
    clock_heading(p, "Clocks");
    flow_end(p);
    table_begin(&t, clock_columns, CLOCK_COLUMNS);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_CLOCK)
            clock_row(p, &t, i);
    table_end(p, &t, 2);
    if (p->o->verbosity >= 0)
        put_legend(p, (const struct meaning[]){{"p10, median, p99", "cost of a reading, ns"},
                                               {"chain", "error of a bracket around a known chain, %"},
                                               {"rate", "against CLOCK_MONOTONIC_RAW, ppm"},
                                               {"skew", "between CPUs, ns"},
                                               {NULL, NULL}});
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_CLOCK)
            frequency_line(p, i);
    if (p->o->verbosity >= 0)
        render_missing(p, SUBJECT_CLOCK);
}

/* ---- all that is known of each clock ---- */

/* The record's keys are for programs; of yes and no a sentence is made. NULL: said elsewhere, or nothing worth saying. */
static void put_property(struct page *p, const struct parameter *property)
{
    static const struct {
        const char *key, *yes, *no;
    } known[] = {
        {"vdso", "read without a system call", "read by a system call"},
        {"steady", "never steps", "may step"},
        {"slewed", "made faster or slower by time keeping", "its rate is left alone"},
        {"counts_suspend", "goes on while the machine sleeps", "stands still while the machine sleeps"},
        {"used_by_brackets", "what tare measures with", NULL},
        {"frequency_source", NULL, NULL}, /* in the line below the table */
        {"sequence", NULL, NULL},         /* in the table of orders */
        {"asked_ns", NULL, NULL},         /* in its name */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].key, property->name))
            continue;
        const char *text = !strncmp(property->value, "yes", 3) ? known[i].yes : known[i].no;
        buf_str(&p->piece, text ? text : "");
        return;
    }
    put_text(p, property->name);
    buf_char(&p->piece, ' ');
    put_text(p, property->value);
}

static void property_line(struct page *p, int subject)
{
    const struct subject *s = &p->r->subjects[subject];
    struct buf line = BUF_INIT(1 << 20);
    for (int i = 0; i < s->n_parameters; i++) {
        put_property(p, &s->parameters[i]);
        if (p->piece.len)
            buf_format(&line, "%s%s", line.len ? "; " : "", buf_text(&p->piece));
        piece_clear(p);
    }
    flow_begin(p, 2, 4);
    if (line.len) {
        put_text(p, s->name);
        buf_char(&p->piece, ':');
        flow_put_hued(p, "", HUE_BOLD);
        buf_str(&p->piece, buf_text(&line));
        flow_spread(p, " ", HUE_PLAIN);
    }
    flow_end(p);
    buf_finish(&line);
}

void clock_properties(struct page *p)
{
    int n = 0;
    for (int i = 0; i < p->r->n_subjects; i++)
        n += p->r->subjects[i].n_parameters;
    if (!n)
        return;
    clock_heading(p, "Properties");
    flow_end(p);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].n_parameters)
            property_line(p, i);
}

/* ---- serialisers ---- */

static const struct table_column serialiser_columns[] = {
    {"order", SIDE_LEFT, 0},  {"p10", SIDE_POINT, 3},    {"median", SIDE_POINT, 0},  {"p99", SIDE_POINT, 4},
    {"whole", SIDE_POINT, 5}, {"of 100", SIDE_POINT, 8}, {"of 1000", SIDE_POINT, 7}, {"begin ... end", SIDE_LEFT, 2},
};

static void serialiser_row(struct page *p, struct table *t, int subject)
{
    static const char *const statistics[] = {"p10", "median", "p99"};
    const struct subject *s = &p->r->subjects[subject];
    name_cell(p, t, subject);
    for (int i = 0; i < 3; i++)
        figure_cell(p, t, subject, "weight", statistics[i]);
    figure_cell(p, t, subject, "cost_ticks", "median");
    signed_cell(p, t, subject, "ordering", "of 100");
    signed_cell(p, t, subject, "ordering", "of 1000");
    put_text(p, subject_parameter(s, "sequence"));
    table_cell(p, t);
}

void clock_serialisers(struct page *p)
{
    struct table t;
    if (clock_subject(p, SUBJECT_SERIALISER, "weight") < 0)
        return;
    clock_heading(p, "Orders of reading the counter");
    flow_end(p);
    table_begin(&t, serialiser_columns, sizeof serialiser_columns / sizeof *serialiser_columns);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_SERIALISER)
            serialiser_row(p, &t, i);
    table_end(p, &t, 2);
    put_legend(p, (const struct meaning[]){{"p10, median, p99", "what an empty bracket sees of itself, ticks"},
                                           {"whole", "what making it takes, ticks"},
                                           {"of 100, of 1000", "error around so many dependent multiplies, %"},
                                           {NULL, NULL}});
    render_missing(p, SUBJECT_SERIALISER);
}
