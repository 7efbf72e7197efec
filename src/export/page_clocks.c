/* SPDX-License-Identifier: MIT
 *
 * The page of tare clock: which clock tare measures with and why, its resolution, cost and agreement; what a reading of each clock costs, how fast each runs
 * and how late sleeps end as pictures; and all figures, by groups. */
#include "chart_svg.h"
#include "export_kind.h"
#include "html.h"
#include <math.h>
#include <string.h>

enum { CLOCKS_MOST = 32 };

/* NULL: it is not known. */
static const struct estimate *known(const struct record *r, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(r, subject, metric, statistic);
    return e && isfinite(e->point) ? e : NULL;
}

static void put_figure(struct buf *b, const char *before, const struct estimate *e, const char *base)
{
    if (!e)
        return;
    buf_format(b, "%s%s", before, scaled_text(base, e->point).at);
}

/* "−0.14 ppm ±0.05" */
static void put_signed(struct buf *b, const struct estimate *e, const struct estimate *bound, const char *unit)
{
    const double digits = bound ? fmax(bound->point, 0.01) : fmax(fabs(e->point), 1);
    figure_signed(b, e->point, figure_digits(digits, 2));
    buf_format(b, " %s", unit);
    if (!bound)
        return;
    buf_str(b, " ±");
    figure_put(b, bound->point, figure_digits(digits, 2));
}

static void put_answer(struct buf *b, const char *name, struct buf *value)
{
    if (value->len) {
        buf_str(b, "<tr>");
        html_element(b, "th scope=\"row\"", name);
        html_element(b, "td", buf_text(value));
        buf_str(b, "</tr>\n");
    }
    buf_clear(value);
}

/* Of the counter that was not taken; NULL: there is none. */
static const char *why_not_counter(const struct record *r, const char **name)
{
    for (int i = 0; i < r->n_subjects; i++) {
        const char *why = subject_parameter(&r->subjects[i], "distrusted");
        *name = r->subjects[i].name;
        if (r->subjects[i].kind == SUBJECT_CLOCK && why)
            return why;
    }
    return NULL;
}

static void put_why(struct buf *b, const struct record *r, int used)
{
    const struct subject *s = &r->subjects[used];
    const char *source = subject_parameter(s, "frequency_source"), *counter, *why = why_not_counter(r, &counter),
               *steady = subject_parameter(s, "steady"), *vdso = subject_parameter(s, "vdso");
    const struct estimate *frequency = source ? known(r, used, "frequency", source) : NULL;
    if (source || (vdso && !strcmp(vdso, "yes")))
        buf_str(b, "read without a system call");
    const struct estimate *backward = known(r, used, "backward", "count");
    if (backward && backward->point > 0)
        buf_format(b, "%swent backward %.0f times in this session", b->len ? ", " : "", backward->point);
    else if (steady && !strcmp(steady, "yes"))
        buf_format(b, "%sis never set to another time", b->len ? ", " : "");
    if (source) {
        buf_format(b, "%scounts at a frequency that is known", b->len ? ", " : "");
        put_figure(b, ": ", frequency, "Hz");
        buf_format(b, " (%s)", source);
    }
    if (!source && why)
        buf_format(b, "%sthe %s is not used: %s", b->len ? "; " : "", counter, why);
}

static void put_agreement(struct buf *b, const struct record *r, int used)
{
    const struct estimate *rate = known(r, used, "rate", "session"), *apart = known(r, used, "apart", "frequency"),
                          *skew = known(r, used, "skew", "max"), *chain = known(r, used, "ordering", "of 1000");
    if (rate) {
        put_signed(b, rate, known(r, used, "rate", "bound"), "ppm");
        buf_format(b, " against %s over the session", record_reference_clock(r));
    }
    put_figure(b,
               b->len ? "; the sources of its frequency differ by at most " : "the sources of its frequency differ by at most ",
               apart, "ppm");
    if (skew) {
        buf_str(b, b->len ? "; " : "");
        put_signed(b, skew, known(r, used, "skew", "bound"), "ns");
        buf_str(b, " between CPUs");
    }
    if (chain) {
        buf_str(b, b->len ? "; off by " : "off by ");
        put_signed(b, chain, NULL, "%");
        buf_str(b, " in timing a known chain of multiplies");
    }
}

static void answer(struct buf *b, const struct record *r, int used)
{
    struct buf value = BUF_INIT(1 << 16);
    buf_str(b, "<table class=\"facts\">\n");
    buf_str(&value, r->subjects[used].name);
    put_answer(b, "tare measures with", &value);
    put_why(&value, r, used);
    put_answer(b, "why", &value);
    put_figure(&value, "", known(r, used, "step", "min"), "ns");
    put_answer(b, "resolution (smallest step)", &value);
    put_figure(&value, "", known(r, used, "cost", "median"), "ns");
    put_figure(&value, "; means of 16 readings are in 99 % of cases at most ", known(r, used, "cost", "p99"), "ns");
    put_answer(b, "cost of one reading", &value);
    put_agreement(&value, r, used);
    put_answer(b, "agreement", &value);
    buf_str(b, "</table>\n");
    buf_finish(&value);
}

/* A row for each clock that has a figure; NaN: it has none. */
typedef struct ranged clock_row(const struct record *r, int subject, struct buf *words);

static struct ranged cost_row(const struct record *r, int subject, struct buf *words)
{
    const struct estimate *median = known(r, subject, "cost", "median"), *low = known(r, subject, "cost", "p10"),
                          *high = known(r, subject, "cost", "p99");
    put_figure(words, "", median, "ns");
    put_figure(words, ", step ", known(r, subject, "step", "min"), "ns");
    return (struct ranged){
        .low = low ? low->point : NAN, .point = median ? median->point : NAN, .high = high ? high->point : NAN};
}

static struct ranged rate_row(const struct record *r, int subject, struct buf *words)
{
    const struct estimate *rate = known(r, subject, "rate", "session"), *bound = known(r, subject, "rate", "bound");
    const double point = rate ? rate->point : NAN, reach = bound ? bound->point : NAN;
    if (rate)
        put_signed(words, rate, bound, "ppm");
    return (struct ranged){.low = point - reach, .point = point, .high = point + reach};
}

static bool rows_of(struct ranges *m, struct ranged *rows, const struct record *r, clock_row *make, struct arena *a)
{
    const int used = record_clock_in_use(r);
    m->items = rows;
    for (int i = 0; i < r->n_subjects && m->n < CLOCKS_MOST; i++) {
        struct buf words = BUF_INIT(1 << 10);
        struct ranged row = r->subjects[i].kind == SUBJECT_CLOCK ? make(r, i, &words) : (struct ranged){.point = NAN};
        row.name = i == used ? arena_format(a, "%s (in use)", r->subjects[i].name) : r->subjects[i].name;
        row.words = arena_keep(a, &words);
        if (!row.name || !row.words)
            return false;
        if (isfinite(row.point))
            rows[m->n++] = row;
    }
    return true;
}

static void extent(const struct ranges *m, double *low, double *high)
{
    *low = *high = isnan(m->rule) ? m->items[0].point : m->rule;
    for (int i = 0; i < m->n; i++) {
        *low = fmin(*low, fmin(m->items[i].point, m->items[i].low));
        *high = fmax(*high, fmax(m->items[i].point, m->items[i].high));
    }
}

/* With some room, so that no mark is cut. */
static struct axis axis_of(const struct ranges *m)
{
    double low, high;
    extent(m, &low, &high);
    const bool logarithmic = axis_wants_logarithm(low, high);
    const double factor = logarithmic ? pow(high / low, .04) : 1, room = logarithmic ? 0 : fmax((high - low) * .04, 1e-9);
    return axis_over(low / factor - room, high * factor + room, logarithmic);
}

static bool ranges_of(struct picture *p, struct ranges m, clock_row *make)
{
    struct arena arena = {0};
    struct ranged rows[CLOCKS_MOST];
    m.shaded.low = NAN;
    const bool good = rows_of(&m, rows, p->r, make, &arena);
    if (good && m.n) {
        m.x = axis_of(&m); /* which says whether it is logarithmic */
        html_ranges(p, &m);
    }
    arena_finish(&arena);
    return good;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, x[i]);
    return most;
}

/* How late each sleep ended, by its length. */
static bool sleeps_of(struct picture *p, const struct series *s)
{
    struct arena arena = {0};
    struct chart chart;
    struct chart_maker make = {.arena = &arena, .out = &chart};
    const double *asked = series_values(s, "asked"), *late = series_values(s, "late");
    const int n = asked && late ? s->main.n : 0;
    const struct unit x = unit_for("ns", largest(asked, n)), y = unit_for("ns", largest(late, n));
    double *across = chart_column(&make, n), *up = chart_column(&make, n);
    for (int i = 0; i < n && !make.failed; i++) {
        across[i] = asked[i] / x.factor;
        up[i] = late[i] / y.factor;
    }
    if (n && !make.failed) {
        struct chart *c = chart_add(&make, "sleeps", "Sleeps", "How much later each sleep ended than was asked for.");
        c->x_title = chart_text(&make, "asked for, %s", x.name);
        c->y_title = chart_text(&make, "later, %s", y.name);
        c->lines[c->n_lines++] = (struct chart_line){NULL, CHART_POINTS, n, across, up, NULL, NULL};
        html_chart(p, c);
    }
    arena_finish(&arena);
    return !make.failed;
}

static bool pictures(struct picture *p)
{
    const struct record *r = p->r;
    char against[120];
    buf_print(against, sizeof against, "Rate of each clock against %s, with error bounds", record_reference_clock(r));
    bool good = ranges_of(p,
                          (struct ranges){.heading = "Cost of one reading, means of 16: median, from p10 to p99",
                                          .x_title = "cost of one reading, ns",
                                          .rule = NAN},
                          cost_row);
    good = good && ranges_of(p, (struct ranges){.heading = against, .x_title = "rate, ppm"}, rate_row);
    for (int i = 0; i < r->n_subjects && good; i++)
        good = sleeps_of(p, &r->series[i]);
    return good;
}

static bool has_figures(const struct record *r, enum subject_kind kind)
{
    for (int i = 0; i < r->n_estimates; i++)
        if (r->estimates[i].subject >= 0 && r->subjects[r->estimates[i].subject].kind == kind)
            return true;
    return false;
}

static enum tare_status group(struct picture *p, const char *name, enum subject_kind kind, const struct sink *sink,
                              struct tare_err *err)
{
    struct buf *b = &p->out.text;
    if (!has_figures(p->r, kind))
        return TARE_OK;
    buf_str(b, "<details><summary>");
    html_element(b, "h2", name);
    buf_format(b, "</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n", name);
    enum tare_status status = export_out_flush(&p->out);
    if (!status)
        status = figures_of_kind_write(&markup_html, p->r, kind, sink, err);
    buf_str(b, "</div></details>\n");
    return status;
}

enum tare_status html_clocks_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                                   struct tare_err *err)
{
    static const struct {
        const char *name;
        enum subject_kind kind;
    } groups[] = {{"All figures of the clocks", SUBJECT_CLOCK},
                  {"Orders of reading the counter", SUBJECT_SERIALISER},
                  {"Timers of the system", SUBJECT_TIMER},
                  {"Experiments", SUBJECT_EXPERIMENT}};
    const int used = record_clock_in_use(r);
    struct picture p = {.r = r, .unit = unit_one};
    struct export_options own = *o;
    struct buf style = BUF_INIT(1 << 16);
    own.answer = used >= 0 ? NULL : o->answer;
    own.answer_narrow = used >= 0 ? NULL : o->answer_narrow;
    buf_format(&style, "%s.facts td,.facts th{text-align:left;vertical-align:top;white-space:normal}%s%s", html_table_style,
               svg_style, chart_svg_style);
    export_out_begin(&p.out, sink, err);
    html_begin_answer(&p.out, r, &own, o->title ? o->title : "tare: clocks", buf_text(&style));
    if (used >= 0)
        answer(&p.out.text, r, used);
    html_remarks(&p.out.text, r, "Remarks", own.answer);
    enum tare_status status = pictures(&p) ? TARE_OK : TARE_NO_MEMORY;
    for (size_t i = 0; i < sizeof groups / sizeof *groups && !status; i++)
        status = group(&p, groups[i].name, groups[i].kind, sink, err);
    html_end(&p.out, r, o);
    buf_finish(&style);
    const enum tare_status written = export_out_end(&p.out);
    return written ? written : status == TARE_NO_MEMORY ? err_no_memory(err) : status;
}
