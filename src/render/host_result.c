/* SPDX-License-Identifier: MIT
 *
 * A session of tare system qualify: what the host can resolve, and what that rests on.
 *
 *     usable: 90 % power for a difference of 2.1 %, more than the threshold of 1 %
 *       measured                      result          95 % CI
 *       false positives               1 of 40         0.1–13.2 %    at most 5 % allowed
 *       injected difference of 2.2 %  19 of 20 found  75.1–99.9 %
 *       time lost, CPU 1              0.35 %          0.21–0.49     largest gap 4.79 ms
 *       throughput over 120 s         −0.1 %          −0.4 to +0.2  CPU time ours: 99.2 %
 *       CPUs 0 and 1 together         1.99 of 2       1.97–2.00     two cores
 *
 * With -v all CPUs and pairs, how often gaps came and where the time went, the counters.
 */
#include "layout.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct estimate *of_sessions(const struct page *p, const char *statistic)
{
    return p->r->n_subjects ? record_known(p->r, 0, p->r->rule.metric, statistic) : NULL;
}

static void render_verdict(struct page *p)
{
    static const char power[] = "90 % power";
    const struct fact *word = facts_find(&p->r->after, "host_verdict"), *least = facts_find(&p->r->after, "host_good_for"),
                      *fact = facts_find(&p->r->after, "host_why");
    const char *verdict = word && word->text ? word->text : "undecided", *why = fact && fact->text ? fact->text : "";
    const bool good = !strcmp(verdict, "good"), usable = good || !strcmp(verdict, "usable");
    flow_begin(p, 0, 2);
    put_text(p, verdict);
    flow_put_hued(p, "", good ? HUE_GOOD : usable ? HUE_BOLD : HUE_BAD);
    buf_str(&p->piece, *why || usable ? ": " : "");
    if (usable && least && !least->text && !isnan(least->number) && strncmp(why, power, strlen(power)) != 0)
        buf_format(&p->piece, "%s for a difference of %s%s", power, figure_text(figure_share, least->number).at,
                   *why ? "; " : "");
    put_text(p, why);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

/* Rows: what, result, interval, note. */

static void interval_cell(struct table *t, const struct estimate *e, double factor, const char *unit)
{
    if (has_interval(e)) {
        const int known = figure_decimals(e->point * factor, half_width(e->low, e->high) * factor),
                  most = figure_digits(e->high * factor, FIGURE_DIGITS);
        figure_range(&t->p->piece, e->low * factor, e->high * factor, unit_one, known < most ? known : most);
        buf_str(&t->p->piece, unit);
    }
    table_cell(t);
}

static void false_positives_row(struct table *t)
{
    const struct estimate *wrong = of_sessions(t->p, "aa_false_positives");
    if (!wrong)
        return;
    table_format(t, "false positives");
    table_format(t, "%.0f of %d", wrong->point * wrong->n, wrong->n);
    interval_cell(t, wrong, 100, " %");
    buf_format(&t->p->piece, "at most %s", figure_text(figure_level, 1 - t->p->r->rule.confidence).at);
    table_format(t, " allowed");
}

static void injected_row(struct table *t, int subject)
{
    const struct estimate *size = record_known(t->p->r, subject, "planted", "size"),
                          *found = record_known(t->p->r, subject, "planted", "found"),
                          *wrong = record_known(t->p->r, subject, "planted", "wrong");
    if (!size || !found)
        return;
    table_format(t, "injected difference of %s", figure_text(figure_share, size->point).at);
    table_format(t, "%.0f of %d found", found->point * found->n, found->n);
    interval_cell(t, found, 100, " %");
    if (wrong && wrong->point > 0)
        buf_format(&t->p->piece, "%.0f said the opposite", wrong->point * wrong->n);
    table_cell(t);
}

static void gap_rows(struct table *t, int subject, const char *cpu)
{
    static const char *const sizes[] = {"over_1us", "over_10us", "over_100us"}, *const names[] = {"1", "10", "100"};
    for (int i = 0; i < 3; i++) {
        const struct estimate *e = record_known(t->p->r, subject, "gaps", sizes[i]);
        if (!e)
            continue;
        table_format(t, "gaps of %s µs and more, CPU %s", names[i], cpu);
        put_point(t->p, e, unit_one);
        table_format(t, " /s");
        interval_cell(t, e, 1, "");
        table_cell(t);
    }
}

/* "others 0.12 %, interrupts 0.23 %; " */
static void put_parts(struct page *p, int subject)
{
    static const struct {
        const char *statistic, *name;
    } parts[] = {{"others", "others"}, {"throttled", "quota"}, {"stolen", "hypervisor"}, {"interrupts", "interrupts"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct estimate *e = record_known(p->r, subject, "lost_share", parts[i].statistic);
        if (!e || (!strcmp(parts[i].statistic, "throttled") && e->point == 0))
            continue;
        buf_format(&p->piece, "%s%s %s", p->piece.len ? ", " : "", parts[i].name, figure_text(figure_share, e->point).at);
    }
    buf_str(&p->piece, p->piece.len ? "; " : "");
}

static void frequency_row(struct table *t, int subject, const char *cpu)
{
    const struct estimate *p5 = record_known(t->p->r, subject, "core_frequency", "p5"),
                          *p95 = record_known(t->p->r, subject, "core_frequency", "p95"),
                          *median = record_known(t->p->r, subject, "core_frequency", "median");
    if (!median || !p5 || !p95)
        return;
    table_format(t, "core frequency, CPU %s", cpu);
    figure_scaled(&t->p->piece, "Hz", median->point, FIGURE_DIGITS);
    table_cell(t);
    table_cell(t);
    buf_str(&t->p->piece, "p5–p95: ");
    figure_range(&t->p->piece, p5->point, p95->point, unit_for("Hz", median->point), 2);
    table_cell(t);
}

static void jitter_rows(struct table *t, int subject)
{
    const bool all = t->p->o->verbosity > 0;
    const struct estimate *lost = record_known(t->p->r, subject, "lost_share", "mean"),
                          *largest = record_known(t->p->r, subject, "gap", "max");
    const char *parameter = subject_parameter(&t->p->r->subjects[subject], "cpu"), *cpu = parameter ? parameter : "?";
    table_format(t, "time lost, CPU %s", cpu);
    figure_share(&t->p->piece, lost->point);
    table_cell(t);
    interval_cell(t, lost, 100, " %");
    if (all)
        put_parts(t->p, subject);
    if (largest)
        buf_format(&t->p->piece, "largest gap %s", scaled_text("ns", largest->point).at);
    table_cell(t);
    frequency_row(t, subject, cpu);
    if (all)
        gap_rows(t, subject, cpu);
}

/* The CPU that loses most; with -v all of them. */
static void cpu_rows(struct table *t)
{
    const struct estimate *worst = NULL;
    for (int i = 0; i < t->p->r->n_subjects; i++) {
        const struct estimate *lost =
            record_is_host_part(t->p->r, i, "jitter") ? record_known(t->p->r, i, "lost_share", "mean") : NULL;
        if (lost && t->p->o->verbosity > 0)
            jitter_rows(t, i);
        else if (lost && (!worst || lost->point > worst->point))
            worst = lost;
    }
    if (worst)
        jitter_rows(t, worst->subject);
}

static void pair_row(struct table *t, const struct estimate *e)
{
    char *end;
    const long a = strtol(e->statistic + strlen("cpus_"), &end, 10), b = *end == '_' ? strtol(end + 1, NULL, 10) : -1;
    table_format(t, "CPUs %ld and %ld together", a, b);
    figure_put(&t->p->piece, 2 * e->point, 2);
    table_format(t, " of 2");
    interval_cell(t, e, 2, "");
    table_format(t, "%s",
                 e->high < 0.8   ? "threads of one core"
                 : e->low > 0.9  ? "two cores"
                 : e->high < 0.9 ? "less than two cores"
                 : e->low > 0.8  ? "not threads of one core"
                                 : "two cores or threads of one: not decided");
}

/* The pair that shares most; with -v all of them. */
static void pair_rows(struct table *t)
{
    const struct estimate *least = NULL;
    for (int i = 0; i < t->p->r->n_estimates; i++) {
        const struct estimate *e = &t->p->r->estimates[i];
        if (!record_is_host_part(t->p->r, e->subject, "sharing") || strncmp(e->statistic, "cpus_", 5) != 0 || isnan(e->point))
            continue;
        if (t->p->o->verbosity > 0)
            pair_row(t, e);
        else if (!least || e->point < least->point)
            least = e;
    }
    if (least)
        pair_row(t, least);
}

/* From the start of the first row to the end of the last: others may have had the CPU between rows. */
static double seconds_of(const struct series *s)
{
    const double *wall = series_values(s, "wall");
    const int last = s->main.n - 1;
    return wall && last >= 0 ? ((double)(s->main.start_ns[last] - s->main.start_ns[0]) + wall[last]) / 1e9 : 0;
}

static void throughput_row(struct table *t, int subject)
{
    struct page *p = t->p;
    const struct estimate *change = record_known(p->r, subject, "throughput", "all_change"),
                          *onset = record_known(p->r, subject, "throughput", "all_onset"),
                          *scatter = record_known(p->r, subject, "throughput", "all_scatter");
    const bool known_change = change && has_interval(change), all = p->o->verbosity > 0;
    double sum = 0;
    int n = 0;
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = record_is_host_part(p->r, i, "throughput") ? record_known(p->r, i, "cpu_share", "mean") : NULL;
        sum += e ? e->point : 0;
        n += e != NULL;
    }
    const double had = n ? sum / n : NAN;
    buf_format(&p->piece, "throughput over %s", figure_text(figure_duration, seconds_of(&p->r->series[subject])).at);
    table_cell(t);
    if (known_change)
        figure_signed(&p->piece, 100 * expm1(change->point), 1);
    table_format(t, known_change ? " %%" : "too short");
    if (known_change) {
        figure_range(&p->piece, 100 * expm1(change->low), 100 * expm1(change->high), unit_one, 1);
        buf_str(&p->piece, " %");
    }
    table_cell(t);
    if (!isnan(had))
        buf_format(&p->piece, "CPU time ours: %s", figure_text(figure_share, had).at);
    if (scatter && all)
        buf_format(&p->piece, "; scatter %s", figure_text(figure_share, scatter->point).at);
    if (onset && known_change && change->high < 0 && all)
        buf_format(&p->piece, "; lower after %s", figure_text(figure_duration, onset->point).at);
    table_cell(t);
}

static void counter_row(struct table *t, const char *what, const struct estimate *e, const struct estimate *bound,
                        const char *unit, int decimals)
{
    if (!e)
        return;
    table_format(t, "%s", what);
    figure_put(&t->p->piece, e->point, decimals);
    table_format(t, "%s", unit);
    if (bound) {
        buf_str(&t->p->piece, "±");
        figure_put(&t->p->piece, bound->point, figure_digits(bound->point, FIGURE_DIGITS));
    }
    table_cell(t);
    table_cell(t);
}

static void render_basis(struct page *p)
{
    const struct estimate *sessions = of_sessions(p, "aa_false_positives");
    if (!sessions)
        return;
    flow_begin(p, 2, 4);
    summary_format(p, "%d sessions of a program against itself", sessions->n);
    figure_duration(&p->piece, p->r->seconds);
    summary_part(p);
    flow_end(p);
}

void render_host_result(struct page *p)
{
    render_verdict(p);
    if (p->o->verbosity < 0)
        return;
    struct table t;
    bool watched = false;
    table_begin(&t, p, (const struct table_column[]){{"measured", SIDE_LEFT, 0}, {"result", SIDE_LEFT, 0}}, 2);
    table_column(&t, (struct table_column){interval_title(&t, "", ""), SIDE_LEFT, 0});
    table_column(&t, (struct table_column){"", SIDE_LEFT, 1});
    false_positives_row(&t);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (record_is_host_part(p->r, i, "planted"))
            injected_row(&t, i);
    cpu_rows(&t);
    for (int i = 0; i < p->r->n_subjects && !watched; i++)
        if (record_is_host_part(p->r, i, "throughput") && (watched = p->r->series[i].main.n > 0))
            throughput_row(&t, i);
    pair_rows(&t);
    for (int i = 0; i < p->r->n_subjects && p->o->verbosity > 0; i++)
        if (record_is_host_part(p->r, i, "counters")) {
            counter_row(&t, "counter against the clock", record_known(p->r, i, "counter_rate", "session"),
                        record_known(p->r, i, "counter_rate", "bound"), " ppm", 2);
            counter_row(&t, "counters of two CPUs apart", record_known(p->r, i, "counter_skew", "largest"),
                        record_known(p->r, i, "counter_skew", "bound"), " ns", 1);
        }
    table_end(&t, 2);
    render_basis(p);
}
