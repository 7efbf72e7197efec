/* SPDX-License-Identifier: MIT
 * target,program,verdict,calls,difference_ns,low_ns,high_ns,margin_ns,advantage,log10_e,reason
 * memcmp_32,./leak-cases,leak,150000,7.2,7.0,7.4,1,0.4,14908,
 *
 * name,metric,statistic,value,low,high,unit
 * CLOCK_MONOTONIC,cost,median,21.3,,,ns */
#include "export_kind.h"
#include "leak_target.h"
#include "quote.h"
#include "units.h"
#include <math.h>
#include <string.h>

enum { COLUMNS_MOST = 11 };

struct cell { /* a text, or a number in base units; neither: empty, in tables for people with the reason */
    const char *text, *unit;
    double value;
    const char *reason;
    const char *said; /* for people, instead of the text; NULL: the text */
};

struct column {
    const char *key, *title;
};

struct listing {
    struct column columns[COLUMNS_MOST];
    int n_columns;
    int (*rows)(const struct record *r);
    bool (*row)(const struct listing *l, const struct record *r, int index,
                struct cell *cells); /* false: there is none of this number */
    const enum subject_kind *only;   /* figures of subjects of this kind; NULL: of all */
};

static struct cell text_cell(const char *text)
{
    return (struct cell){text, NULL, NAN, NULL, NULL};
}

static struct cell number_cell(double value, const char *unit)
{
    return (struct cell){NULL, unit, value, NULL, NULL};
}

static int subjects(const struct record *r)
{
    return r->n_subjects;
}

/* Why the verdict is what it is; a leak that only taint found changes no verdict. */
static const char *target_reason(const struct subject *s, const struct leak_target *t)
{
    const bool found = t && t->taint_verdict && !strcmp(t->taint_verdict, "found");
    const char *why = s->failure ? s->failure : found ? "found by taint" : t ? t->why : "not measured";
    return why ? why : "";
}

static bool is_of(const struct leak_target *t, const char *kind)
{
    return t && t->kind && !strcmp(t->kind, kind);
}

/* Growth is no leak, and a scan asks of each bit by itself, which says nothing of several together. */
static struct cell verdict_cell(const struct subject *s, const struct leak_target *t)
{
    if (s->failure && !(t && t->unfit > 0))
        return text_cell("failed");
    const enum verdict verdict = t ? t->verdict : VERDICT_UNDECIDED;
    const bool growth = is_of(t, "growth");
    struct cell c = text_cell(verdict_name(verdict));
    if (growth && verdict == VERDICT_LEAK)
        c.said = "grows";
    else if (verdict == VERDICT_NO_LEAK)
        c.said = growth ? "no growth" : is_of(t, "scan") ? "no single bit" : NULL;
    return c;
}

/* Of growth that from end to end. */
static struct leak_place size_of(const struct leak_target *t)
{
    struct leak_place size = {.ns = NAN, .low_ns = NAN, .high_ns = NAN};
    if (is_of(t, "growth"))
        size = (struct leak_place){.ns = t->growth_ns, .low_ns = t->growth_low_ns, .high_ns = t->growth_high_ns};
    else if (t)
        size = (struct leak_place){.ns = t->difference_ns, .low_ns = t->low_ns, .high_ns = t->high_ns};
    return size;
}

static bool target_row(const struct listing *l, const struct record *r, int index, struct cell *cells)
{
    (void)l;
    const struct subject *s = &r->subjects[index];
    const struct leak_target *t = record_leak_target(r, index);
    if (s->kind != SUBJECT_LEAK)
        return false;
    const struct leak_place size = size_of(t);
    const struct cell row[COLUMNS_MOST] = {text_cell(s->benchmark),
                                           text_cell(s->program),
                                           verdict_cell(s, t),
                                           number_cell(t ? t->calls : 0, "1"),
                                           number_cell(size.ns, "ns"),
                                           number_cell(size.low_ns, "ns"),
                                           number_cell(size.high_ns, "ns"),
                                           number_cell(t ? t->margin_ns : NAN, "ns"),
                                           number_cell(t ? t->advantage : NAN, "1"),
                                           number_cell(t ? t->log10_e_most : NAN, "1"),
                                           text_cell(target_reason(s, t))};
    memcpy(cells, row, sizeof row);
    return true;
}

static const struct listing targets = {.columns = {{"target", "Target"},
                                                   {"program", "Program"},
                                                   {"verdict", "Verdict"},
                                                   {"calls", "Calls"},
                                                   {"difference_ns", "Difference"},
                                                   {"low_ns", "Low"},
                                                   {"high_ns", "High"},
                                                   {"margin_ns", "Margin"},
                                                   {"advantage", "Advantage"},
                                                   {"log10_e", "log10 of the e-value"},
                                                   {"reason", "Reason"}},
                                       .n_columns = 11,
                                       .rows = subjects,
                                       .row = target_row};

static int estimates(const struct record *r)
{
    return r->n_estimates;
}

static bool estimate_row(const struct listing *l, const struct record *r, int index, struct cell *cells)
{
    const struct estimate *e = &r->estimates[index];
    const struct metric *m = record_metric(r, e->metric);
    if (!m || e->subject < 0 || e->subject >= r->n_subjects || (l->only && r->subjects[e->subject].kind != *l->only))
        return false;
    const bool bounded = e->confidence > 0;
    cells[0] = text_cell(r->subjects[e->subject].name);
    cells[1] = text_cell(e->metric);
    cells[2] = text_cell(e->statistic);
    cells[3] = number_cell(e->point, m->unit);
    cells[3].reason = e->reason;
    cells[4] = number_cell(bounded ? e->low : NAN, m->unit);
    cells[5] = number_cell(bounded ? e->high : NAN, m->unit);
    cells[6] = text_cell(m->unit);
    return true;
}

static struct listing figures_of(const enum subject_kind *only)
{
    return (struct listing){.columns = {{"name", "Name"},
                                        {"metric", "Metric"},
                                        {"statistic", "Statistic"},
                                        {"value", "Value"},
                                        {"low", "Low"},
                                        {"high", "High"},
                                        {"unit", "Base unit"}},
                            .n_columns = 7,
                            .rows = estimates,
                            .row = estimate_row,
                            .only = only};
}

static enum tare_status write_csv(const struct listing *l, const struct record *r, const struct sink *sink, struct tare_err *err)
{
    struct export_out out;
    struct cell cells[COLUMNS_MOST];
    export_out_begin(&out, sink, err);
    for (int i = 0; i < l->n_columns; i++)
        buf_format(&out.text, "%s%s", i ? "," : "", l->columns[i].key);
    buf_char(&out.text, '\n');
    for (int row = 0; row < l->rows(r); row++) {
        if (!l->row(l, r, row, cells))
            continue;
        for (int i = 0; i < l->n_columns; i++) {
            buf_str(&out.text, i ? "," : "");
            if (cells[i].text)
                quote_csv(&out.text, "", cells[i].text);
            else if (isfinite(cells[i].value))
                buf_format(&out.text, "%.9g", cells[i].value);
        }
        buf_char(&out.text, '\n');
        export_out_pass(&out);
    }
    return export_out_end(&out);
}

enum tare_status targets_csv_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                   struct tare_err *err)
{
    (void)o; /* neither unit nor order: a file for programs has one form */
    return write_csv(&targets, r, sink, err);
}

enum tare_status figures_csv_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                   struct tare_err *err)
{
    (void)o;
    const struct listing l = figures_of(NULL);
    return write_csv(&l, r, sink, err);
}

static void markup_cell(const struct markup *m, struct buf *b, const struct cell *c)
{
    struct buf shown = BUF_INIT(1 << 20);
    const char *text = c->text ? c->text : isfinite(c->value) ? NULL : c->reason;
    buf_clear(b);
    if (text) {
        quote_mask(&shown, text, true);
        m->command(b, buf_text(&shown));
    } else if (isfinite(c->value)) {
        figure_scaled(b, c->unit, c->value, FIGURE_DIGITS);
    }
    buf_finish(&shown);
}

/* People read what a metric is called, and its unit beside each value. */
static struct cell cell_for_people(const struct record *r, const struct column *column, struct cell c)
{
    const struct metric *metric = !strcmp(column->key, "metric") ? record_metric(r, c.text) : NULL;
    if (metric)
        c.text = metric->title;
    else if (c.said)
        c.text = c.said;
    return c;
}

/* Columns that say something, all where there are no rows; how many. */
static int columns_shown(const struct listing *l, const struct record *r, int *shown)
{
    struct cell cells[COLUMNS_MOST];
    bool any[COLUMNS_MOST] = {false};
    int n = 0;
    for (int row = 0; row < l->rows(r); row++)
        for (int i = 0; l->row(l, r, row, cells) && i < l->n_columns; i++)
            any[i] = any[i] || (cells[i].text ? *cells[i].text : isfinite(cells[i].value) || cells[i].reason);
    for (int i = 0; i < l->n_columns; i++)
        if ((any[i] || !l->rows(r)) && strcmp(l->columns[i].key, "unit") != 0)
            shown[n++] = i;
    return n;
}

static enum tare_status write_table(const struct listing *l, const struct markup *m, const struct record *r,
                                    const struct sink *sink, struct tare_err *err)
{
    struct export_out out;
    struct cell cells[COLUMNS_MOST];
    struct buf texts[COLUMNS_MOST];
    int shown[COLUMNS_MOST];
    const int n = columns_shown(l, r, shown);
    export_out_begin(&out, sink, err);
    for (int i = 0; i < l->n_columns; i++)
        texts[i] = BUF_INIT(1 << 20);
    for (int i = 0; i < n; i++)
        buf_str(&texts[i], l->columns[shown[i]].title);
    m->head(&out.text, texts, n);
    for (int row = 0; row < l->rows(r); row++) {
        if (!l->row(l, r, row, cells))
            continue;
        for (int i = 0; i < n; i++) {
            const struct cell c = cell_for_people(r, &l->columns[shown[i]], cells[shown[i]]);
            markup_cell(m, &texts[i], &c);
        }
        m->row(&out.text, texts, n);
        export_out_pass(&out);
    }
    if (m->foot)
        m->foot(&out.text);
    for (int i = 0; i < l->n_columns; i++) {
        out.text.status = out.text.status ? out.text.status : texts[i].status;
        buf_finish(&texts[i]);
    }
    return export_out_end(&out);
}

enum tare_status targets_table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                                     const struct sink *sink, struct tare_err *err)
{
    (void)o; /* each figure has the unit that fits it */
    return write_table(&targets, m, r, sink, err);
}

enum tare_status figures_table_write(const struct markup *m, const struct record *r, const struct export_options *o,
                                     const struct sink *sink, struct tare_err *err)
{
    (void)o;
    const struct listing l = figures_of(NULL);
    return write_table(&l, m, r, sink, err);
}

enum tare_status figures_of_kind_write(const struct markup *m, const struct record *r, enum subject_kind kind,
                                       const struct sink *sink, struct tare_err *err)
{
    const struct listing l = figures_of(&kind);
    return write_table(&l, m, r, sink, err);
}
