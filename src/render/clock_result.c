/* SPDX-License-Identifier: MIT
 *
 * A session of tare clock: the machine, the clock in use, the experiments; with -v all clocks, orders of reading the counter, timers and runs.
 *
 *     Intel(R) Xeon(R) Processor, 2 CPUs, 25.3 GB, Linux 6.18.44, KVM
 *       clock in use        overhead      p99      step       rate
 *       time-stamp counter   32.6 ns  36.0 ns  0.952 ns  −0.14 ppm
 *       experiment      median      min–max       net  ticks  net ticks
 *       RDTSC            55 ns        51–59   21.7 ns    116       45.5
 *       5 runs each · net: less timing overhead (70.0 ticks at the start) · core at 2.81 GHz
 */
#include "layout.h"
#include "plots.h"
#include <math.h>
#include <string.h>

enum { RUNS_SHOWN = 10 }; /* more are listed with -vv only */

static void put_section(struct page *p, const char *heading)
{
    blank_line(p);
    buf_str(&p->piece, heading);
    flow_line(p, 0, HUE_BOLD);
}

static int count_kind(const struct page *p, enum subject_kind kind)
{
    int n = 0;
    for (int i = 0; i < p->r->n_subjects; i++)
        n += p->r->subjects[i].kind == kind;
    return n;
}

static bool has_reason(const struct estimate *e)
{
    return e->reason && *e->reason;
}

/* "-" where the reason is below the table. */
static bool put_missing(struct page *p, const struct estimate *e)
{
    buf_str(&p->piece, e && !is_known(e) ? "-" : "");
    return !is_known(e);
}

static void figure_cell(struct table *t, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = record_estimate(t->p->r, subject, metric, statistic);
    if (!put_missing(t->p, e))
        figure_put(&t->p->piece, e->point, figure_digits(fmax(fabs(e->point), 10), FIGURE_DIGITS));
    table_cell(t);
}

static void signed_cell(struct table *t, int subject, const char *metric, const char *statistic, const char *unit)
{
    const struct estimate *e = record_estimate(t->p->r, subject, metric, statistic);
    if (!put_missing(t->p, e)) {
        figure_signed(&t->p->piece, e->point, figure_digits(fmax(fabs(e->point), 1), FIGURE_DIGITS));
        buf_str(&t->p->piece, unit);
    }
    table_cell(t);
}

static void step_cell(struct table *t, int subject)
{
    struct page *p = t->p;
    const struct estimate *e = record_estimate(p->r, subject, "step", "min");
    if (!put_missing(p, e)) {
        const char *base = base_unit(p->r, e->metric);
        const double shown = e->point / unit_for(base, e->point).factor;
        if (shown == floor(shown))
            figure_chosen(&p->piece, base, e->point);
        else
            figure_scaled(&p->piece, base, e->point, FIGURE_DIGITS);
    }
    table_cell(t);
}

/* With what it may be wrong by: "−3±40". */
static void skew_cell(struct table *t, int subject)
{
    struct page *p = t->p;
    const struct estimate *skew = record_estimate(p->r, subject, "skew", "max"),
                          *bound = record_estimate(p->r, subject, "skew", "bound");
    if (!put_missing(p, skew)) {
        figure_signed(&p->piece, skew->point, 0);
        if (is_known(bound))
            buf_format(&p->piece, "±%.0f", bound->point);
    }
    table_cell(t);
}

static void text_cell(struct table *t, const char *text)
{
    put_text(t->p, text);
    table_cell(t);
}

static void clock_row(struct table *t, int subject)
{
    const struct subject *s = &t->p->r->subjects[subject];
    text_cell(t, s->name);
    figure_cell(t, subject, "cost", "p10");
    figure_cell(t, subject, "cost", "median");
    figure_cell(t, subject, "cost", "p99");
    step_cell(t, subject);
    signed_cell(t, subject, "ordering", "of 1000", "");
    signed_cell(t, subject, "rate", "session", "");
    skew_cell(t, subject);
    text_cell(t, subject_parameter(s, "vdso"));
}

static void serialiser_row(struct table *t, int subject)
{
    const struct subject *s = &t->p->r->subjects[subject];
    text_cell(t, s->name);
    figure_cell(t, subject, "weight", "p10");
    figure_cell(t, subject, "weight", "median");
    figure_cell(t, subject, "weight", "p99");
    figure_cell(t, subject, "cost_ticks", "median");
    signed_cell(t, subject, "ordering", "of 100", "");
    signed_cell(t, subject, "ordering", "of 1000", "");
    text_cell(t, subject_parameter(s, "sequence"));
}

/* A row for each subject of this kind. */
static void subject_table(struct page *p, enum subject_kind kind, const struct table_column *columns, int n_columns,
                          void (*row)(struct table *t, int subject))
{
    struct table t;
    table_begin(&t, p, columns, n_columns);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == kind)
            row(&t, i);
    table_end(&t, 2);
}

struct meaning {
    const char *title, *text;
};

/* What the columns above are, a line each; closed by NULL. */
static void put_legend(struct page *p, const struct meaning *m)
{
    for (; m->title; m++) {
        buf_format(&p->piece, "%s: %s", m->title, m->text);
        flow_line(p, 4, HUE_DIM);
    }
}

/* What is missing, once for all that lack it for the same reason. */

static bool same_lack(const struct page *p, const struct estimate *a, const struct estimate *b)
{
    return isnan(b->point) && has_reason(b) && !strcmp(a->metric, b->metric) && !strcmp(a->reason, b->reason) &&
           p->r->subjects[a->subject].kind == p->r->subjects[b->subject].kind;
}

static bool named_before(const struct page *p, int index)
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
        if (p->r->subjects[e->subject].kind != kind || is_known(e) || !has_reason(e) || named_before(p, i) ||
            !strncmp(e->metric, "net_", 4)) /* as the metric itself */
            continue;
        buf_str(&p->piece, "- ");
        put_names_of_lack(p, i);
        buf_str(&p->piece, ": ");
        put_title(p, e->metric, 0);
        buf_str(&p->piece, ": ");
        put_text(p, e->reason);
        flow_line(p, 2, HUE_DIM);
    }
}

static const struct table_column clock_columns[] = {{"clock", SIDE_LEFT, 0}, {"p10", SIDE_POINT, 3},  {"median", SIDE_POINT, 0},
                                                    {"p99", SIDE_POINT, 5},  {"step", SIDE_RIGHT, 9}, {"chain", SIDE_POINT, 7},
                                                    {"rate", SIDE_POINT, 8}, {"skew", SIDE_POINT, 6}, {"vDSO", SIDE_LEFT, 1}};

static void put_silent_sources(struct page *p, int subject)
{
    bool any = false;
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (e->subject != subject || strcmp(e->metric, "frequency") || !isnan(e->point))
            continue;
        buf_str(&p->piece, any ? ", " : "; not reported by: ");
        put_text(p, e->statistic);
        any = true;
    }
}

/* "tsc runs at 2.000000 GHz (measured), 2 GHz (kernel); 0.12 ppm apart; not reported by: CPUID 15h" */
static void clock_frequency_line(struct page *p, int subject)
{
    bool first = true;
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (e->subject != subject || strcmp(e->metric, "frequency") || isnan(e->point))
            continue;
        struct unit u = unit_for("Hz", e->point);
        buf_str(&p->piece, first ? "" : ", ");
        if (first)
            put_text(p, p->r->subjects[subject].name);
        buf_str(&p->piece, first ? " runs at " : "");
        figure_with(&p->piece, e->point, u, e->point / u.factor == floor(e->point / u.factor) ? 0 : 6);
        buf_str(&p->piece, " (");
        put_text(p, e->statistic);
        buf_char(&p->piece, ')');
        first = false;
    }
    if (!first && is_known(record_estimate(p->r, subject, "apart", "frequency"))) {
        double apart = record_estimate(p->r, subject, "apart", "frequency")->point;
        buf_str(&p->piece, "; ");
        figure_put(&p->piece, apart, figure_digits(apart, 2));
        buf_str(&p->piece, " ppm apart");
    }
    if (!first)
        put_silent_sources(p, subject);
    flow_line(p, 2, HUE_PLAIN);
}

static void render_clocks(struct page *p)
{
    if (!count_kind(p, SUBJECT_CLOCK))
        return;
    char against[80];
    buf_print(against, sizeof against, "against %s, ppm", record_reference_clock(p->r));
    put_section(p, "Clocks");
    subject_table(p, SUBJECT_CLOCK, clock_columns, sizeof clock_columns / sizeof *clock_columns, clock_row);
    put_legend(p, (const struct meaning[]){{"p10, median, p99", "cost of a reading, ns"},
                                           {"chain", "error in timing a known chain of multiplies, %"},
                                           {"rate", against},
                                           {"skew", "between CPUs, ns"},
                                           {NULL, NULL}});
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_CLOCK)
            clock_frequency_line(p, i);
    render_missing(p, SUBJECT_CLOCK);
}

/* The record's keys are for programs; of yes and no a sentence is made. "": said elsewhere, or nothing worth saying; the
 * name itself: it goes with its value. */
static const char *property_text(const struct parameter *property)
{
    static const struct {
        const char *key, *yes, *no;
    } known[] = {
        {"vdso", "read without a system call", "read by a system call"},
        {"steady", "never steps", "may step"},
        {"slewed", "its rate is adjusted (NTP)", "its rate is not adjusted"},
        {"counts_suspend", "runs while the machine sleeps", "stops while the machine sleeps"},
        {"used_by_brackets", "used by tare", NULL},
        {"frequency_source", NULL, NULL}, /* in the line below the table */
        {"sequence", NULL, NULL},         /* in the table of orders */
        {"asked_ns", NULL, NULL},         /* in its name */
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].key, property->name))
            continue;
        const char *text = !strncmp(property->value, "yes", 3) ? known[i].yes : known[i].no;
        return text ? text : "";
    }
    return property->name;
}

static void property_line(struct page *p, const struct subject *s)
{
    bool begun = false;
    flow_begin(p, 2, 4);
    for (int i = 0; i < s->n_parameters; i++) {
        const char *text = property_text(&s->parameters[i]);
        if (!*text)
            continue;
        if (!begun) {
            put_text(p, s->name);
            buf_char(&p->piece, ':');
            flow_put_hued(p, "", HUE_BOLD);
        }
        buf_str(&p->piece, begun ? "; " : "");
        begun = true;
        put_text(p, text);
        if (text == s->parameters[i].name) {
            buf_char(&p->piece, ' ');
            put_text(p, s->parameters[i].value);
        }
    }
    flow_rest(p);
}

static void render_properties(struct page *p)
{
    bool headed = false;
    for (int i = 0; i < p->r->n_subjects; i++) {
        if (!p->r->subjects[i].n_parameters)
            continue;
        if (!headed)
            put_section(p, "Properties");
        headed = true;
        property_line(p, &p->r->subjects[i]);
    }
}

static const struct table_column serialiser_columns[] = {
    {"order", SIDE_LEFT, 0},  {"p10", SIDE_POINT, 3},    {"median", SIDE_POINT, 0},  {"p99", SIDE_POINT, 4},
    {"total", SIDE_POINT, 5}, {"of 100", SIDE_POINT, 8}, {"of 1000", SIDE_POINT, 7}, {"begin ... end", SIDE_LEFT, 2}};

static void render_serialisers(struct page *p)
{
    if (subject_with(p, SUBJECT_SERIALISER, "weight") < 0)
        return;
    put_section(p, "Orders of reading the counter");
    subject_table(p, SUBJECT_SERIALISER, serialiser_columns, sizeof serialiser_columns / sizeof *serialiser_columns,
                  serialiser_row);
    put_legend(p, (const struct meaning[]){{"p10, median, p99", "timing overhead, ticks"},
                                           {"total", "cost of both readings, ticks"},
                                           {"of 100, of 1000", "error in timing so many dependent multiplies, %"},
                                           {NULL, NULL}});
    render_missing(p, SUBJECT_SERIALISER);
}

/* What the kernel reports, or that it reports nothing. */
static void put_reported(struct page *p, int subject, const char *before, const char *metric)
{
    bool reported = is_known(record_estimate(p->r, subject, metric, "told"));
    if (reported)
        put_figure(p, subject, before, metric, "told", FIGURE_DIGITS);
    else
        buf_str(&p->piece, before);
    buf_str(&p->piece, reported ? " (kernel)" : "not reported by the kernel");
}

static void put_slices(struct page *p, int subject)
{
    const struct estimate *median = record_estimate(p->r, subject, "slice", "median");
    if (!median)
        return;
    if (!is_known(median)) {
        buf_str(&p->piece, "; slices not measured: ");
        put_text(p, median->reason);
        return;
    }
    put_figure(p, subject, "; two threads on one CPU alternated every ", "slice", "median", FIGURE_DIGITS);
    put_figure(p, subject, " (median; ", "slice", "min", FIGURE_DIGITS);
    put_figure(p, subject, " to ", "slice", "max", FIGURE_DIGITS);
    buf_format(&p->piece, ", %d slices)", p->r->series[subject].main.n);
}

static void put_sleeps(struct page *p, int subject)
{
    int n = p->r->series[subject].main.n;
    if (n) {
        buf_format(&p->piece, "; %d sleeps of 1 to 20 ms ended later than asked by", n);
        put_figure(p, subject, " ", "late", "min", FIGURE_DIGITS);
        put_figure(p, subject, " to ", "late", "max", FIGURE_DIGITS);
        put_figure(p, subject, ", median ", "late", "median", FIGURE_DIGITS);
        put_figure(p, subject, "; granularity about ", "late", "granularity", FIGURE_DIGITS);
    }
    flow_line(p, 2, HUE_PLAIN);
}

static void sleep_lines(struct page *p)
{
    int subject = subject_with(p, SUBJECT_TIMER, "slack");
    if (subject < 0)
        return;
    put_reported(p, subject, "timer slack ", "slack");
    put_sleeps(p, subject);
}

/* "timer period 15.625 ms now, 500.00 us at the finest, 15.625 ms by default; the time of day moves by 15.625 ms, not slewed" */
static void period_lines(struct page *p)
{
    enum { DIGITS = 5 }; /* of 15.625 ms */
    int subject = subject_with(p, SUBJECT_TIMER, "period");
    if (subject < 0)
        return;
    const struct estimate *now = record_estimate(p->r, subject, "period", "now"),
                          *requested = record_estimate(p->r, subject, "period", "requested"),
                          *slew = record_estimate(p->r, subject, "period", "day slew");
    if (!is_known(now)) {
        put_text(p, now->reason);
        flow_line(p, 2, HUE_PLAIN);
        return;
    }
    put_figure(p, subject, "timer period ", "period", "now", DIGITS);
    put_figure(p, subject, " now, ", "period", "finest", DIGITS);
    put_figure(p, subject, " at the finest, ", "period", "coarsest", DIGITS);
    put_figure(p, subject, " by default; the time of day moves by ", "period", "day", DIGITS);
    if (is_known(slew) && slew->point != 0) {
        figure_signed(&p->piece, slew->point, 0);
        buf_str(&p->piece, " ns (slewed)");
    } else {
        buf_str(&p->piece, ", not slewed");
    }
    flow_line(p, 2, HUE_PLAIN);
    if (!requested)
        return;
    buf_str(&p->piece, "with the finest period asked for");
    put_figure(p, subject, " it is ", "period", "requested", DIGITS);
    if (!is_known(requested)) {
        buf_str(&p->piece, ": ");
        put_text(p, requested->reason);
    }
    put_sleeps(p, subject);
}

static void slice_lines(struct page *p)
{
    int subject = subject_with(p, SUBJECT_TIMER, "tick");
    if (subject < 0)
        return;
    put_figure(p, subject, "scheduler tick ", "tick", "told", FIGURE_DIGITS);
    const struct estimate *tick = record_estimate(p->r, subject, "tick", "told");
    if (tick && tick->point > 0)
        buf_format(&p->piece, " (%g Hz)", round(1e12 / tick->point) / 1e3);
    put_reported(p, subject, ", slice ", "slice");
    put_slices(p, subject);
    flow_line(p, 2, HUE_PLAIN);
}

/* The three sleeps of each length side by side. */
static void sleep_table(struct page *p, int subject)
{
    enum { SIDE_BY_SIDE = 3 };
    static const struct table_column columns[] = {
        {"asked, ms", SIDE_RIGHT, 0}, {"lasted, ms", SIDE_POINT, 0}, {"", SIDE_POINT, 1}, {"", SIDE_POINT, 2}};
    const struct series *s = &p->r->series[subject];
    const double *asked = series_values(s, "asked"), *wall = series_values(s, "wall");
    struct table t;
    table_begin(&t, p, columns, 1 + SIDE_BY_SIDE);
    for (int first = 0; asked && wall && first < s->main.n; first++) {
        int cells = 0;
        for (int i = 0; i < first; i++)
            cells += asked[i] == asked[first];
        if (cells)
            continue;
        figure_put(&p->piece, asked[first] / 1e6, 0);
        table_cell(&t);
        for (int i = first; i < s->main.n && cells < SIDE_BY_SIDE; i++)
            if (asked[i] == asked[first]) {
                figure_put(&p->piece, wall[i] / 1e6, 3);
                table_cell(&t);
                cells++;
            }
        for (; cells < SIDE_BY_SIDE; cells++)
            table_cell(&t);
    }
    table_end(&t, 4);
}

static void render_timers(struct page *p)
{
    const int sleeps = subject_with(p, SUBJECT_TIMER, "slack"), scheduler = subject_with(p, SUBJECT_TIMER, "tick");
    if (sleeps < 0 && scheduler < 0)
        return;
    put_section(p, "Timers of the system");
    sleep_lines(p);
    period_lines(p);
    slice_lines(p);
    if (sleeps >= 0)
        sleep_table(p, sleeps);
    const double *slices = scheduler < 0 ? NULL : series_values(&p->r->series[scheduler], "slice");
    if (!slices)
        return;
    buf_str(&p->piece, "slices");
    flow_line(p, 2, HUE_PLAIN);
    plot_histogram(p, slices, p->r->series[scheduler].main.n, unit_for("ns", 1e6));
}

static bool is_experiment(const struct page *p, int subject)
{
    return p->r->subjects[subject].kind == SUBJECT_EXPERIMENT && p->r->series[subject].main.n > 0;
}

static void overhead_cell(struct table *t, int subject, const char *statistic)
{
    const struct estimate *e = record_estimate(t->p->r, subject, "cost", statistic);
    if (!put_missing(t->p, e))
        figure_scaled(&t->p->piece, "ns", e->point, FIGURE_DIGITS);
    table_cell(t);
}

static void render_clock_in_use(struct page *p)
{
    static const struct table_column columns[] = {{"clock in use", SIDE_LEFT, 0},
                                                  {"overhead", SIDE_RIGHT, 0},
                                                  {"p99", SIDE_RIGHT, 2},
                                                  {"step", SIDE_RIGHT, 0},
                                                  {"rate", SIDE_RIGHT, 1}};
    const int subject = record_clock_in_use(p->r);
    struct table t;
    if (subject < 0)
        return;
    blank_line(p);
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    text_cell(&t, p->r->subjects[subject].name);
    overhead_cell(&t, subject, "median");
    overhead_cell(&t, subject, "p99");
    step_cell(&t, subject);
    signed_cell(&t, subject, "rate", "session", " ppm");
    table_end(&t, 2);
}

/* The unit of an experiment's line and its decimals: three digits, or as many as distinguish its runs, within reason. */
enum { DECIMALS = 3 };

static struct unit wall_unit(const struct page *p, const struct estimate *median, double half, int *decimals)
{
    const struct unit u = page_unit(p, "ns", median->point);
    const int three = figure_digits(median->point / u.factor, FIGURE_DIGITS);
    *decimals = figure_decimals(median->point / u.factor, half / u.factor);
    *decimals = *decimals > DECIMALS ? DECIMALS : *decimals;
    *decimals = *decimals < three ? three : *decimals;
    return u;
}

static void ticks_cell(struct table *t, int subject, const char *metric)
{
    const struct estimate *e = record_estimate(t->p->r, subject, metric, "median");
    if (!put_missing(t->p, e))
        figure_put(&t->p->piece, e->point, fabs(e->point) < 1e4 ? figure_digits(fmax(fabs(e->point), 10), FIGURE_DIGITS) : 0);
    table_cell(t);
}

static void experiment_row(struct table *t, int subject)
{
    struct page *p = t->p;
    const struct estimate *median = record_known(p->r, subject, "wall", "median"),
                          *net = record_known(p->r, subject, "net_wall", "median"),
                          *least = record_known(p->r, subject, "wall", "min"), *most = record_known(p->r, subject, "wall", "max");
    int decimals = 0;
    const double half = least && most ? half_width(least->point, most->point) : NAN;
    const struct unit u = median ? wall_unit(p, median, half, &decimals) : unit_one;
    text_cell(t, p->r->subjects[subject].name);
    if (median)
        figure_with(&p->piece, median->point, u, decimals);
    table_format(t, "%s", median ? "" : "-");
    if (median && least && most)
        figure_range(&p->piece, least->point, most->point, u, decimals);
    table_cell(t);
    if (median && net)
        figure_with(&p->piece, net->point, u, decimals);
    table_format(t, "%s", median && net ? "" : "-");
    ticks_cell(t, subject, "ticks");
    ticks_cell(t, subject, "net_ticks");
}

/* "5 runs each · net: less timing overhead (46.5 ticks at the start) · core at 2.81 GHz" */
static void put_basis(struct page *p, int runs)
{
    const int empty = subject_with(p, SUBJECT_EXPERIMENT, "weight"), chains = subject_with(p, SUBJECT_EXPERIMENT, "core_hz");
    flow_begin(p, 2, 4);
    if (runs)
        buf_format(&p->piece, "%d run%s each", runs, buf_plural(runs));
    summary_part(p);
    if (runs && empty >= 0 && is_known(record_estimate(p->r, empty, "weight", "median"))) {
        put_figure(p, empty, "net: less timing overhead (", "weight", "median", FIGURE_DIGITS);
        buf_str(&p->piece, " at the start)");
    }
    summary_part(p);
    if (chains >= 0 && is_known(record_estimate(p->r, chains, "core_hz", "multiplies")))
        put_figure(p, chains, "core at ", "core_hz", "multiplies", FIGURE_DIGITS);
    summary_part(p);
    flow_end(p);
}

static void render_experiments(struct page *p)
{
    static const struct table_column columns[] = {{"experiment", SIDE_LEFT, 0}, {"median", SIDE_RIGHT, 0},
                                                  {"min–max", SIDE_RIGHT, 3},   {"net", SIDE_RIGHT, 4},
                                                  {"ticks", SIDE_RIGHT, 2},     {"net ticks", SIDE_RIGHT, 1}};
    struct table t;
    int runs = 0;
    if (subject_with(p, SUBJECT_EXPERIMENT, "ticks") >= 0)
        blank_line(p);
    table_begin(&t, p, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_EXPERIMENT &&
            (is_experiment(p, i) || record_estimate(p->r, i, "ticks", "median"))) {
            experiment_row(&t, i);
            runs = p->r->series[i].main.n > runs ? p->r->series[i].main.n : runs;
        }
    table_end(&t, 2);
    put_basis(p, runs);
}

/* The runs of the experiments; with -vv those of more than fit too, every sleep and every slice. */
static void render_rows(struct page *p)
{
    const bool all = p->o->verbosity > 1;
    put_section(p, all ? "Rows" : "Experiments");
    for (int i = 0; i < p->r->n_subjects; i++) {
        const int n = p->r->series[i].main.n;
        if (!n || (!all && (!is_experiment(p, i) || n > RUNS_SHOWN)))
            continue;
        put_text(p, p->r->subjects[i].name);
        flow_line(p, 2, HUE_PLAIN);
        render_runs(p, i);
    }
    render_missing(p, SUBJECT_EXPERIMENT);
}

void render_clock_result(struct page *p)
{
    const int verbosity = p->o->verbosity;
    if (verbosity >= 0)
        render_machine_line(p);
    render_clock_in_use(p);
    if (verbosity >= 0)
        render_experiments(p);
    render_interruption(p);
    if (verbosity > 0) {
        render_machine(p);
        render_clocks(p);
        render_properties(p);
        render_serialisers(p);
        render_timers(p);
        if (subject_with(p, SUBJECT_EXPERIMENT, "ticks") >= 0)
            render_rows(p);
    }
    render_findings(p);
}
