/* SPDX-License-Identifier: MIT
 *
 * A session of tare system qualify: what the host can resolve, and what that rests on.
 *
 *     usable: 90 % power for a difference of 2.1 %, more than the threshold of 1 %
 *       measured                   result         95 % CI
 *       false positives            1 of 40        0.1–13.2 %   at most 5 % allowed
 *       injected 2.2 % found       19 of 20       75.1–99.9 %
 *       time lost, CPU 1           0.35 %         0.21–0.49    largest gap 4.79 ms
 *       throughput over 120 s      −0.1 %         −0.4 to +0.2 CPU time ours: 99.2 %
 *       CPUs 0 and 1 together      1.99 of 2      1.97–2.00    two cores
 *
 * With -v all CPUs and pairs, how often gaps came and where the time went, the counters.
 */
#include "layout.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct page *p, int subject, const char *what)
{
    const struct subject *s = &p->r->subjects[subject];
    const char *found = s->kind == SUBJECT_HOST ? subject_parameter(s, "what") : NULL;
    return found && !strcmp(found, what);
}

static const struct estimate *known(const struct page *p, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = page_estimate(p, subject, metric, statistic);
    return is_known(e) ? e : NULL;
}

static const struct estimate *of_sessions(const struct page *p, const char *statistic)
{
    return p->r->n_subjects ? known(p, 0, p->r->rule.metric, statistic) : NULL;
}

/* ---- the verdict ---- */

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
    if (usable && least && !least->text && !isnan(least->number) && strncmp(why, power, strlen(power)) != 0) {
        buf_format(&p->piece, "%s for a difference of ", power);
        figure_share(&p->piece, least->number);
        buf_str(&p->piece, *why ? "; " : "");
    }
    put_text(p, why);
    flow_spread(p, "", HUE_PLAIN);
    flow_end(p);
}

/* ---- rows: four cells, each put by who knows it ---- */

struct host_table {
    struct page *p;
    struct table t;
};

static void cell(struct host_table *h)
{
    table_cell(h->p, &h->t);
}

/* The last two cells: interval, note. */
static void end_row(struct host_table *h, const struct estimate *e, double factor, const char *unit, const char *note)
{
    if (has_interval(e) && factor > 0) {
        const int known = figure_decimals(e->point * factor, half_width(e->low, e->high) * factor),
                  most = figure_digits(e->high * factor, FIGURE_DIGITS);
        figure_range(&h->p->piece, e->low * factor, e->high * factor, unit_one, known < most ? known : most);
        buf_str(&h->p->piece, unit);
    }
    cell(h);
    buf_str(&h->p->piece, note);
    cell(h);
}

static void put_count_of(struct host_table *h, const struct estimate *e)
{
    buf_format(&h->p->piece, "%.0f of %d", e->point * e->n, e->n);
    cell(h);
}

static void session_rows(struct host_table *h)
{
    struct page *p = h->p;
    const struct estimate *wrong = of_sessions(p, "aa_false_words");
    if (!wrong)
        return;
    char note[64];
    struct buf text = buf_over(note, sizeof note);
    buf_str(&text, "at most ");
    figure_level(&text, 1 - p->r->rule.confidence);
    buf_str(&text, " allowed");
    buf_str(&p->piece, "false positives");
    cell(h);
    put_count_of(h, wrong);
    end_row(h, wrong, 100, " %", note);
}

static void injected_row(struct host_table *h, int subject)
{
    const struct estimate *size = known(h->p, subject, "planted", "size"), *found = known(h->p, subject, "planted", "found"),
                          *wrong = known(h->p, subject, "planted", "wrong");
    char note[64] = "";
    struct buf text = buf_over(note, sizeof note);
    if (!size || !found)
        return;
    if (wrong && wrong->point > 0)
        buf_format(&text, "%.0f said the opposite", wrong->point * wrong->n);
    buf_str(&h->p->piece, "injected ");
    figure_share(&h->p->piece, size->point);
    buf_str(&h->p->piece, " found");
    cell(h);
    put_count_of(h, found);
    end_row(h, found, 100, " %", note);
}

/* ---- CPUs ---- */

static void gap_rows(struct host_table *h, int subject, const char *cpu)
{
    static const char *const sizes[] = {"over_1us", "over_10us", "over_100us"}, *const names[] = {"1", "10", "100"};
    for (int i = 0; i < 3; i++) {
        const struct estimate *e = known(h->p, subject, "gaps", sizes[i]);
        if (!e)
            continue;
        buf_format(&h->p->piece, "gaps of %s µs and more, CPU %s", names[i], cpu);
        cell(h);
        put_point(h->p, e, unit_one);
        buf_str(&h->p->piece, " /s");
        cell(h);
        end_row(h, e, 1, "", "");
    }
}

static void put_parts(struct page *p, int subject, struct buf *note)
{
    static const struct {
        const char *statistic, *name;
    } parts[] = {{"others", "others"}, {"throttled", "quota"}, {"stolen", "hypervisor"}, {"interrupts", "interrupts"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct estimate *e = known(p, subject, "lost_share", parts[i].statistic);
        if (!e || (!strcmp(parts[i].statistic, "throttled") && e->point == 0))
            continue;
        buf_format(note, "%s%s ", note->len ? ", " : "", parts[i].name);
        figure_share(note, e->point);
    }
}

static void frequency_row(struct host_table *h, int subject, const char *cpu)
{
    const struct estimate *p5 = known(h->p, subject, "core_frequency", "p5"),
                          *p95 = known(h->p, subject, "core_frequency", "p95"),
                          *median = known(h->p, subject, "core_frequency", "median");
    char note[64];
    struct buf text = buf_over(note, sizeof note);
    if (!median || !p5 || !p95)
        return;
    buf_format(&h->p->piece, "core frequency, CPU %s", cpu);
    cell(h);
    figure_scaled(&h->p->piece, "Hz", median->point, FIGURE_DIGITS);
    cell(h);
    buf_str(&text, "p5–p95: ");
    figure_range(&text, p5->point, p95->point, unit_for("Hz", median->point), 2);
    end_row(h, NULL, 0, "", note);
}

static void jitter_rows(struct host_table *h, int subject)
{
    struct page *p = h->p;
    const bool all = p->o->verbosity > 0;
    const struct estimate *lost = known(p, subject, "lost_share", "mean"), *largest = known(p, subject, "gap", "max");
    const char *parameter = subject_parameter(&p->r->subjects[subject], "cpu"), *cpu = parameter ? parameter : "?";
    char note[160];
    struct buf text = buf_over(note, sizeof note);
    buf_str(&text, "");
    buf_format(&p->piece, "time lost, CPU %s", cpu);
    cell(h);
    figure_share(&p->piece, lost->point);
    cell(h);
    if (all)
        put_parts(p, subject, &text);
    if (largest) {
        buf_str(&text, text.len ? "; largest gap " : "largest gap ");
        figure_scaled(&text, "ns", largest->point, FIGURE_DIGITS);
    }
    end_row(h, lost, 100, " %", note);
    frequency_row(h, subject, cpu);
    if (all)
        gap_rows(h, subject, cpu);
}

/* The CPU that loses most; with -v all of them. */
static void cpu_rows(struct host_table *h)
{
    const struct estimate *worst = NULL;
    for (int i = 0; i < h->p->r->n_subjects; i++) {
        const struct estimate *lost = is(h->p, i, "jitter") ? known(h->p, i, "lost_share", "mean") : NULL;
        if (lost && h->p->o->verbosity > 0)
            jitter_rows(h, i);
        else if (lost && (!worst || lost->point > worst->point))
            worst = lost;
    }
    if (worst)
        jitter_rows(h, worst->subject);
}

static void pair_row(struct host_table *h, const struct estimate *e)
{
    char *end;
    const long a = strtol(e->statistic + strlen("cpus_"), &end, 10), b = *end == '_' ? strtol(end + 1, NULL, 10) : -1;
    buf_format(&h->p->piece, "CPUs %ld and %ld together", a, b);
    cell(h);
    figure_put(&h->p->piece, 2 * e->point, 2);
    buf_str(&h->p->piece, " of 2");
    cell(h);
    end_row(h, e, 2, "",
            e->high < 0.8  ? "threads of one core"
            : e->low > 0.9 ? "two cores"
                           : "neither two cores nor clearly one");
}

/* The pair that shares most; with -v all of them. */
static void pair_rows(struct host_table *h)
{
    const struct estimate *least = NULL;
    for (int i = 0; i < h->p->r->n_estimates; i++) {
        const struct estimate *e = &h->p->r->estimates[i];
        if (!is(h->p, e->subject, "sharing") || strncmp(e->statistic, "cpus_", 5) != 0 || isnan(e->point))
            continue;
        if (h->p->o->verbosity > 0)
            pair_row(h, e);
        else if (!least || e->point < least->point)
            least = e;
    }
    if (least)
        pair_row(h, least);
}

/* ---- throughput, counters ---- */

static double seconds_of(const struct series *s)
{
    const double *wall = series_values(s, "wall");
    double ns = 0;
    for (int i = 0; wall && i < s->main.n; i++)
        ns += wall[i];
    return ns / 1e9;
}

static double mean_had(const struct page *p)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = is(p, i, "throughput") ? known(p, i, "cpu_share", "mean") : NULL;
        sum += e ? e->point : 0;
        n += e != NULL;
    }
    return n ? sum / n : NAN;
}

static void throughput_row(struct host_table *h, int subject)
{
    struct page *p = h->p;
    const struct estimate *change = known(p, subject, "throughput", "all_change"),
                          *onset = known(p, subject, "throughput", "all_onset"),
                          *scatter = known(p, subject, "throughput", "all_scatter");
    const double had = mean_had(p);
    char note[160];
    struct buf text = buf_over(note, sizeof note);
    buf_str(&text, "");
    buf_str(&p->piece, "throughput over ");
    figure_duration(&p->piece, seconds_of(&p->r->series[subject]));
    cell(h);
    if (change && has_interval(change)) {
        figure_signed(&p->piece, 100 * expm1(change->point), 1);
        buf_str(&p->piece, " %");
    } else {
        buf_str(&p->piece, "too short");
    }
    cell(h);
    if (change && has_interval(change)) {
        figure_range(&p->piece, 100 * expm1(change->low), 100 * expm1(change->high), unit_one, 1);
        buf_str(&p->piece, " %");
    }
    cell(h);
    if (!isnan(had)) {
        buf_str(&text, "CPU time ours: ");
        figure_share(&text, had);
    }
    if (scatter && p->o->verbosity > 0) {
        buf_str(&text, "; scatter ");
        figure_share(&text, scatter->point);
    }
    if (onset && change && change->high < 0 && p->o->verbosity > 0) {
        buf_str(&text, "; lower after ");
        figure_duration(&text, onset->point);
    }
    buf_str(&p->piece, note);
    cell(h);
}

static void counter_row(struct host_table *h, const char *what, const struct estimate *e, const struct estimate *bound,
                        const char *unit, int decimals)
{
    if (!e)
        return;
    buf_str(&h->p->piece, what);
    cell(h);
    figure_put(&h->p->piece, e->point, decimals);
    buf_str(&h->p->piece, unit);
    cell(h);
    if (bound) {
        buf_str(&h->p->piece, "±");
        figure_put(&h->p->piece, bound->point, figure_digits(bound->point, FIGURE_DIGITS));
    }
    cell(h);
    cell(h);
}

static void counter_rows(struct host_table *h, int subject)
{
    counter_row(h, "counter against the clock", known(h->p, subject, "counter_rate", "session"),
                known(h->p, subject, "counter_rate", "bound"), " ppm", 2);
    counter_row(h, "counters of two CPUs apart", known(h->p, subject, "counter_skew", "largest"),
                known(h->p, subject, "counter_skew", "bound"), " ns", 1);
}

static void render_basis(struct page *p)
{
    const struct estimate *sessions = of_sessions(p, "aa_false_words");
    if (sessions)
        buf_format(&p->piece, "%d sessions of a program against itself · ", sessions->n);
    if (sessions)
        figure_duration(&p->piece, p->r->seconds);
    flow_line(p, 2, HUE_DIM);
}

void render_host_result(struct page *p)
{
    render_verdict(p);
    if (p->o->verbosity < 0)
        return;
    struct host_table h = {.p = p};
    bool watched = false;
    table_begin(&h.t, NULL, 0);
    table_column(&h.t, (struct table_column){.title = "measured", .side = SIDE_LEFT});
    table_column(&h.t, (struct table_column){.title = "result", .side = SIDE_LEFT});
    figure_level(&p->piece, p->r->rule.confidence);
    buf_str(&p->piece, " CI");
    table_column(&h.t, (struct table_column){.title = table_text(p, &h.t), .side = SIDE_LEFT});
    table_column(&h.t, (struct table_column){.title = "", .side = SIDE_LEFT, .weight = 1});
    session_rows(&h);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (is(p, i, "planted"))
            injected_row(&h, i);
    cpu_rows(&h);
    for (int i = 0; i < p->r->n_subjects && !watched; i++)
        if (is(p, i, "throughput") && (watched = p->r->series[i].main.n > 0))
            throughput_row(&h, i);
    pair_rows(&h);
    for (int i = 0; i < p->r->n_subjects && p->o->verbosity > 0; i++)
        if (is(p, i, "counters"))
            counter_rows(&h, i);
    table_end(p, &h.t, 2);
    render_basis(p);
}
