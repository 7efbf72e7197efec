/* SPDX-License-Identifier: MIT
 *
 * A session of tare system qualify: what the host is good for, and what that rests on.
 *
 *     usable for differences of 2.1 % and more: one session shows 2.1 %, which is more than the margin of 1 %
 *
 *     CPUs        0 and 1 do 1.99 [1.97, 2.00] of 2 together: two cores
 *     CPU 1       3.10 GHz (p5 3.08, p95 3.12); 0.35 % [0.21, 0.49] of the time lost: others 0.12 %, hypervisor 0.00 %, interrupts 0.23 %
 *                 gaps a second: 291 [268, 315] of 1 µs and more, 272 of 10 µs, 10 of 100 µs; the largest 4.79 ms
 *     throughput  all busy for 120 s: −0.1 % [−0.4, +0.2] from the first quarter to the last; they worked for us 99.2 % of the time
 *     counters    +0.02 ppm off (at most 0.1 by the readings); CPUs at most 3.1 ns apart
 *     planted     0.9 % more work was found in 19 of 20 sessions: 95.0 % [75.1, 99.9]
 *
 * Below it what the sessions of a program against itself say, as of tare run --aa, and the findings.
 */
#include "layout.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 14 };

static bool is(const struct page *p, int subject, const char *what)
{
    const struct subject *s = &p->r->subjects[subject];
    const char *found = s->kind == SUBJECT_HOST ? subject_parameter(s, "what") : NULL;
    return found && !strcmp(found, what);
}

static const struct estimate *known(const struct page *p, int subject, const char *metric, const char *statistic)
{
    const struct estimate *e = page_estimate(p, subject, metric, statistic);
    return e && !isnan(e->point) ? e : NULL;
}

static void line_end(struct page *p)
{
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

/* ---- the word ---- */

static const struct fact *fact(const struct page *p, const char *key)
{
    return facts_find(&p->r->after, key);
}

static void render_word(struct page *p)
{
    const struct fact *word = fact(p, "host_verdict"), *least = fact(p, "host_good_for"), *why = fact(p, "host_why");
    bool good = word && word->text && !strcmp(word->text, "good"), usable = word && word->text && !strcmp(word->text, "usable");
    flow_begin(p, 0, 2);
    put_text(p, word && word->text ? word->text : "undecided");
    flow_put_hued(p, "", good ? HUE_GOOD : usable ? HUE_BOLD : HUE_BAD);
    if ((good || usable) && least && !isnan(least->number)) {
        buf_str(&p->piece, "for differences of ");
        figure_share(&p->piece, least->number);
        buf_str(&p->piece, " and more");
        flow_spread(p, " ", HUE_BOLD);
    }
    if (why && why->text) {
        buf_str(&p->piece, ": ");
        put_text(p, why->text);
        flow_spread(p, "", HUE_PLAIN);
    }
    flow_end(p);
}

/* ---- CPUs ---- */

static void put_pair(struct page *p, const struct estimate *e)
{
    int a = -1, b = -1;
    char *end;
    a = (int)strtol(e->statistic + strlen("cpus_"), &end, 10);
    b = *end == '_' ? (int)strtol(end + 1, NULL, 10) : -1;
    buf_format(&p->piece, "%d and %d together do ", a, b);
    figure_put(&p->piece, 2 * e->point, 2);
    buf_str(&p->piece, " of 2");
    if (has_interval(e)) {
        buf_char(&p->piece, ' ');
        figure_interval(&p->piece, 2 * e->low, 2 * e->high, unit_one, 2);
    }
    buf_str(&p->piece, e->high < 0.8  ? ": threads of one core"
                       : e->low > 0.9 ? ": two cores"
                                      : ": neither two cores nor clearly one");
}

enum { PAIRS_SHOWN = 6 };

static void render_sharing(struct page *p, int subject)
{
    int n = 0;
    for (int i = 0; i < p->r->n_estimates; i++) {
        const struct estimate *e = &p->r->estimates[i];
        if (e->subject != subject || strncmp(e->statistic, "cpus_", 5) || isnan(e->point))
            continue;
        if (n++ >= PAIRS_SHOWN && p->o->verbosity < 1)
            continue;
        flow_field(p, LABEL, n == 1 ? "CPUs" : "", HUE_DIM);
        put_pair(p, e);
        line_end(p);
    }
    if (n > PAIRS_SHOWN && p->o->verbosity < 1) {
        flow_field(p, LABEL, "", HUE_DIM);
        buf_format(&p->piece, "%d more pairs with -v", n - PAIRS_SHOWN);
        line_end(p);
    }
}

/* ---- gaps ---- */

static void put_frequency(struct page *p, int subject)
{
    const struct estimate *p5 = known(p, subject, "core_frequency", "p5"), *p95 = known(p, subject, "core_frequency", "p95"),
                          *median = known(p, subject, "core_frequency", "median");
    if (!median || !p5 || !p95) {
        buf_str(&p->piece, "core frequency not measurable; ");
        return;
    }
    figure_scaled(&p->piece, "Hz", median->point, FIGURE_DIGITS);
    buf_str(&p->piece, " (p5 ");
    figure_scaled(&p->piece, "Hz", p5->point, FIGURE_DIGITS);
    buf_str(&p->piece, ", p95 ");
    figure_scaled(&p->piece, "Hz", p95->point, FIGURE_DIGITS);
    buf_str(&p->piece, "); ");
}

static void put_lost(struct page *p, int subject, const struct estimate *lost)
{
    static const struct {
        const char *statistic, *name;
    } parts[] = {{"others", "others"}, {"throttled", "quota"}, {"stolen", "hypervisor"}, {"interrupts", "interrupts"}};
    put_share(p, lost);
    buf_str(&p->piece, " of the time lost");
    const char *between = ": ";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct estimate *e = known(p, subject, "lost_share", parts[i].statistic);
        if (!e || (!strcmp(parts[i].statistic, "throttled") && e->point == 0))
            continue;
        buf_format(&p->piece, "%s%s ", between, parts[i].name);
        figure_share(&p->piece, e->point);
        between = ", ";
    }
}

static void put_gap_rate(struct page *p, const struct estimate *e, const char *size)
{
    put_bare(p, e, unit_one);
    buf_format(&p->piece, " of %s µs and more", size);
}

static void render_jitter(struct page *p, int subject)
{
    const struct estimate *lost = known(p, subject, "lost_share", "mean"), *largest = known(p, subject, "gap", "max");
    static const char *const sizes[] = {"over_1us", "over_10us", "over_100us"}, *const names[] = {"1", "10", "100"};
    const char *cpu = subject_parameter(&p->r->subjects[subject], "cpu");
    char label[32];
    struct buf b = buf_over(label, sizeof label);
    if (!lost)
        return;
    buf_format(&b, "CPU %s", cpu ? cpu : "?");
    flow_field(p, LABEL, label, HUE_DIM);
    put_frequency(p, subject);
    put_lost(p, subject, lost);
    line_end(p);
    flow_field(p, LABEL, "", HUE_DIM);
    buf_str(&p->piece, "gaps a second: ");
    for (int i = 0, shown = 0; i < 3; i++) {
        const struct estimate *e = known(p, subject, "gaps", sizes[i]);
        if (!e)
            continue;
        buf_str(&p->piece, shown++ ? ", " : "");
        put_gap_rate(p, e, names[i]);
    }
    if (largest) {
        buf_str(&p->piece, "; the largest ");
        figure_scaled(&p->piece, "ns", largest->point, FIGURE_DIGITS);
    }
    line_end(p);
}

/* ---- throughput ---- */

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

static void render_throughput(struct page *p, int subject)
{
    const struct estimate *change = known(p, subject, "throughput", "all_change"),
                          *onset = known(p, subject, "throughput", "all_onset"),
                          *scatter = known(p, subject, "throughput", "all_scatter");
    double had = mean_had(p);
    flow_field(p, LABEL, "throughput", HUE_DIM);
    buf_str(&p->piece, "all busy for ");
    figure_duration(&p->piece, seconds_of(&p->r->series[subject]));
    buf_str(&p->piece, ": ");
    if (change && has_interval(change)) {
        figure_signed(&p->piece, 100 * expm1(change->point), 1);
        buf_str(&p->piece, " % ");
        figure_interval(&p->piece, 100 * expm1(change->low), 100 * expm1(change->high), unit_one, 1);
        buf_str(&p->piece, " from the first quarter to the last");
    } else {
        buf_str(&p->piece, "too short to tell a change");
    }
    if (onset && change && change->high < 0)
        buf_format(&p->piece, ", lower from %.0f s on", onset->point);
    if (scatter) {
        buf_str(&p->piece, "; scatter ");
        figure_share(&p->piece, scatter->point);
    }
    if (!isnan(had)) {
        buf_str(&p->piece, "; they worked for us ");
        figure_share(&p->piece, had);
        buf_str(&p->piece, " of the time");
    }
    line_end(p);
}

/* ---- counters, planted ---- */

static void render_counters(struct page *p, int subject)
{
    const struct estimate *rate = known(p, subject, "counter_rate", "session"),
                          *bound = known(p, subject, "counter_rate", "bound"),
                          *skew = known(p, subject, "counter_skew", "largest"),
                          *apart = known(p, subject, "counter_skew", "bound");
    if (!rate && !skew)
        return;
    flow_field(p, LABEL, "counters", HUE_DIM);
    if (rate) {
        figure_signed(&p->piece, rate->point, 2);
        buf_str(&p->piece, " ppm off the clock");
    }
    if (rate && bound) {
        buf_str(&p->piece, " (the reading allows ");
        figure_put(&p->piece, bound->point, 2);
        buf_char(&p->piece, ')');
    }
    if (skew) {
        buf_format(&p->piece, "%sCPUs ", rate ? "; " : "");
        figure_put(&p->piece, skew->point, 1);
        buf_str(&p->piece, " ns apart");
    }
    if (skew && apart) {
        buf_str(&p->piece, " (");
        figure_put(&p->piece, apart->point, 1);
        buf_char(&p->piece, ')');
    }
    line_end(p);
}

static void render_planted(struct page *p, int subject)
{
    const struct estimate *size = known(p, subject, "planted", "size"), *found = known(p, subject, "planted", "found"),
                          *wrong = known(p, subject, "planted", "wrong");
    if (!size || !found)
        return;
    flow_field(p, LABEL, "planted", HUE_DIM);
    figure_share(&p->piece, size->point);
    buf_format(&p->piece, " more work was found in %.0f of %d sessions: ", found->point * found->n, found->n);
    put_share(p, found);
    if (wrong && wrong->point > 0)
        buf_format(&p->piece, "; %.0f said the opposite", wrong->point * wrong->n);
    line_end(p);
}

void render_host_result(struct page *p)
{
    bool quiet = p->o->verbosity < 0, watched = false;
    render_word(p);
    if (quiet)
        return;
    blank_line(p);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (is(p, i, "sharing"))
            render_sharing(p, i);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (is(p, i, "jitter"))
            render_jitter(p, i);
    for (int i = 0; i < p->r->n_subjects && !watched; i++)
        if (is(p, i, "throughput") && (watched = p->r->series[i].main.n > 0))
            render_throughput(p, i);
    for (int i = 0; i < p->r->n_subjects; i++) {
        if (is(p, i, "counters"))
            render_counters(p, i);
        else if (is(p, i, "planted"))
            render_planted(p, i);
    }
}
