/* SPDX-License-Identifier: MIT
 *
 * Below the table of benchmarks: what qualifies their figures, once for all that it is true of, and with -v each benchmark by itself.
 *
 *       ! probe: hardly slower than an empty loop
 *       1 of 12 in several modes (rare), 2 of 12 not steady (a, b): details with -v
 */
#include "bench_lines.h"
#include <math.h>
#include <string.h>

enum { NOTE = 4 }; /* where lines about one benchmark begin */

static void render_note(struct page *p, const char *text)
{
    put_text(p, text);
    flow_line(p, NOTE, HUE_PLAIN);
}

static void render_counts(struct page *p, int subject)
{
    const struct series *s = &p->r->series[subject];
    for (int i = 0; i < s->n_counts; i++) {
        const struct estimate *e = benchmark_count(p, subject, &s->counts[i]);
        if (!e)
            continue;
        buf_str(&p->piece, p->piece.len ? ", " : "");
        put_count_name(p, &s->counts[i]);
        buf_char(&p->piece, ' ');
        put_count(p, &s->counts[i], e->point, false);
    }
    flow_line(p, NOTE, HUE_PLAIN);
}

static const struct estimate *mode_estimate(const struct page *p, int subject, int number, const char *more)
{
    char name[32];
    buf_print(name, sizeof name, "mode_%d%s", number, more);
    return record_estimate(p->r, subject, "ns", name);
}

/* A valley between them is proven; a long tail lies apart too. */
static bool has_modes(const struct page *p, int subject, const void *none)
{
    const struct estimate *e = mode_estimate(p, subject, 1, "");
    (void)none;
    return e && record_is_by_valley(e);
}

static bool has_groups(const struct page *p, int subject, const void *none)
{
    return mode_estimate(p, subject, 1, "") && !has_modes(p, subject, none);
}

static void render_modes(struct page *p, int subject)
{
    const struct estimate *mode;
    if (!mode_estimate(p, subject, 1, ""))
        return;
    buf_str(&p->piece, has_modes(p, subject, NULL) ? "modes of its processes: " : "groups of its processes: ");
    for (int i = 1; (mode = mode_estimate(p, subject, i, "")); i++) {
        const struct estimate *share = mode_estimate(p, subject, i, "_share");
        buf_str(&p->piece, i > 1 ? "; " : "");
        put_time(p, mode->point);
        buf_format(&p->piece, " in %d of %d", mode->n, share ? share->n : 0);
        if (share && share->point < 0.2) {
            const struct estimate *seen = mode_estimate(p, subject, i, "_seen");
            buf_format(&p->piece, " (%s to %s of all", figure_text(figure_share, share->low).at,
                       figure_text(figure_share, share->high).at);
            if (seen)
                buf_format(&p->piece, "; as many processes show so rare a group in %s of sessions",
                           figure_text(figure_share, seen->point).at);
            buf_char(&p->piece, ')');
        }
    }
    flow_line(p, NOTE, HUE_PLAIN);
}

static const struct {
    const char *statistic, *words;
} steady_words[] = {{"steady_flat", "flat"},
                    {"steady_warm_up", "with a warm-up"},
                    {"steady_slow_down", "slowing down"},
                    {"steady_none", "without a steady state"},
                    {"steady_unknown", "with too few samples"}};
enum { STEADY_WORDS = sizeof steady_words / sizeof *steady_words };

static int steady_processes(const struct page *p, int subject)
{
    for (int i = 0; i < STEADY_WORDS; i++) {
        const struct estimate *e = record_estimate(p->r, subject, "ns", steady_words[i].statistic);
        if (e)
            return e->n;
    }
    return 0;
}

static void render_steady(struct page *p, int subject)
{
    const int all = steady_processes(p, subject);
    int kinds = 0;
    if (!all)
        return;
    buf_format(&p->piece, "steady state of %d process%s: ", all, all == 1 ? "" : "es");
    for (int i = 0; i < STEADY_WORDS; i++) {
        const struct estimate *e = record_estimate(p->r, subject, "ns", steady_words[i].statistic);
        if (e)
            buf_format(&p->piece, "%s%g %s", kinds++ ? ", " : "", e->point, steady_words[i].words);
    }
    double onset = record_point(p->r, subject, "ns", "onset");
    if (onset > 0)
        buf_format(&p->piece, "; reached after %.0f iterations (median)", onset);
    flow_line(p, NOTE, HUE_PLAIN);
}

static void render_levels(struct page *p, int subject)
{
    double within = record_point(p->r, subject, "ns", "within_sd"), between = record_point(p->r, subject, "ns", "between_sd"),
           best = record_point(p->r, subject, "ns", "samples_best"), samples = record_point(p->r, subject, "ns", "samples");
    if (isnan(within))
        return;
    buf_str(&p->piece, "standard deviation ");
    put_time(p, within);
    buf_str(&p->piece, " within a process, ");
    put_time(p, between);
    buf_str(&p->piece, " between processes; ");
    if (!isnan(best))
        buf_format(&p->piece, "best with %.0f sample%s a process, taken were %.0f%s", best, best == 1 ? "" : "s", samples,
                   facts_find(&p->r->build, RECORD_NOTE "results") ? "" : " (--samples)");
    else
        buf_str(&p->piece, "more samples a process would do as well as more processes");
    flow_line(p, NOTE, HUE_PLAIN);
}

static const double SHOWN_BIAS = 0.001;

static void render_core(struct page *p, int subject)
{
    const struct estimate *e = record_estimate(p->r, subject, "cycles", "frequency_exponent");
    double hz = record_point(p->r, subject, "cycles", "core_hz");
    if (isnan(hz))
        return;
    buf_format(&p->piece, "core at %s, from the reference chains; ", scaled_text("Hz", hz).at);
    if (e) {
        buf_str(&p->piece, "its time goes with the frequency to the power ");
        put_estimate(p, e, unit_one);
        buf_str(&p->piece, e->reason ? ", not used: " : "");
        put_text(p, e->reason);
    } else {
        buf_str(&p->piece, "dependence on the frequency unknown: cycles vary as much as times");
    }
    const struct estimate *bias = record_estimate(p->r, subject, "cycles", "control_bias");
    if (bias && bias->point >= SHOWN_BIAS)
        buf_format(&p->piece, "; cycles too high by up to %s, as disturbances of samples spare the chains",
                   figure_text(figure_share, bias->point).at);
    flow_line(p, NOTE, HUE_PLAIN);
}

static void render_resolution(struct page *p, int subject)
{
    if (!benchmark_below_resolution(p, subject))
        return;
    buf_str(&p->piece, "below the resolution of the clock");
    flow_line(p, NOTE, HUE_PLAIN);
}

static void render_disturbed_samples(struct page *p, int subject)
{
    const struct estimate *e = record_estimate(p->r, subject, "ns", "disturbed_samples");
    if (!e || !(e->point > 0))
        return;
    buf_format(&p->piece, "disturbed from outside: %g of %d samples, which count all the same", e->point, e->n);
    flow_line(p, NOTE, HUE_PLAIN);
}

void render_benchmark_notes(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (p->r->subjects[i].kind == SUBJECT_BENCH) {
            const struct subject *s = &p->r->subjects[i];
            put_benchmark_name(p, i, name_columns(p, 1));
            flow_line(p, 2, HUE_BOLD);
            if (s->failure) {
                put_benchmark_failure(p, i);
                flow_line(p, NOTE, HUE_PLAIN);
            }
            render_note(p, s->label);
            render_note(p, s->remark);
            render_counts(p, i);
            render_resolution(p, i);
            render_modes(p, i);
            render_steady(p, i);
            render_disturbed_samples(p, i);
            render_levels(p, i);
            render_core(p, i);
        }
}

struct kind { /* a benchmark of which it is true on one side of a pair is one */
    bool (*is)(const struct page *, int, const void *);
    const void *context;
    const char *words;
};

static bool is_other_side(const struct page *p, int subject)
{
    return benchmarks_are_pairs(p) && record_comparison(p->r, subject, p->r->rule.metric);
}

static int other_side(const struct page *p, int subject)
{
    return record_comparison(p->r, subject, p->r->rule.metric)->reference;
}

/* Its benchmarks are named, some of them; returns how many there are. */
static int put_names_of(struct page *p, const struct kind *kind)
{
    enum { NAMED_MOST = 2 };
    const bool pairs = benchmarks_are_pairs(p);
    int n = 0;
    for (int i = 0; i < p->r->n_subjects; i++) {
        const bool hidden = p->r->subjects[i].anchor && p->o->verbosity <= 0; /* it has no row */
        if (hidden || !kind->is(p, i, kind->context) || (is_other_side(p, i) && kind->is(p, other_side(p, i), kind->context)))
            continue;
        if (n++ >= NAMED_MOST)
            continue;
        buf_str(&p->piece, n > 1 ? ", " : "");
        (pairs ? put_benchmark_base : put_short_name)(p, i, benchmark_name_columns(p));
    }
    if (n > NAMED_MOST)
        buf_format(&p->piece, " and %d more", n - NAMED_MOST);
    return n;
}

static int count_of(struct page *p, const struct kind *kind)
{
    const int n = put_names_of(p, kind);
    piece_clear(p);
    return n;
}

static bool has_remark(const struct page *p, int subject, const void *text)
{
    const char *remark = p->r->subjects[subject].remark;
    return remark && !strcmp(remark, text);
}

static bool remarked_before(const struct page *p, int subject)
{
    for (int i = 0; i < subject; i++)
        if (has_remark(p, i, p->r->subjects[subject].remark))
            return true;
    return false;
}

/* What a program says of several figures is written once. */
static void render_own_remarks(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const char *remark = p->r->subjects[i].remark;
        if (!remark || remarked_before(p, i))
            continue;
        buf_str(&p->piece, "! ");
        put_names_of(p, &(struct kind){has_remark, remark, NULL});
        buf_str(&p->piece, ": ");
        put_text(p, remark);
        flow_line(p, 2, HUE_PLAIN);
    }
}

static bool is_unsteady(const struct page *p, int subject, const void *none)
{
    const double some = 0.1 * steady_processes(p, subject);
    (void)none;
    return record_point(p->r, subject, "ns", "steady_slow_down") > some ||
           record_point(p->r, subject, "ns", "steady_none") > some;
}

static bool is_disturbed(const struct page *p, int subject, const void *none)
{
    const struct estimate *e = record_estimate(p->r, subject, "ns", "disturbed_samples");
    (void)none;
    return e && e->point > 0.1 * e->n;
}

static bool is_any(const struct page *p, int subject, const void *none)
{
    (void)none;
    return p->r->subjects[subject].kind == SUBJECT_BENCH;
}

static void render_kinds(struct page *p)
{
    static const struct kind kinds[] = {{is_unsteady, NULL, "not steady"},
                                        {has_modes, NULL, "in several modes"},
                                        {has_groups, NULL, "with groups of processes"},
                                        {is_disturbed, NULL, "with many disturbed samples"}};
    const int all = count_of(p, &(struct kind){is_any, NULL, NULL});
    struct buf line = BUF_INIT(1 << 16);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const int n = put_names_of(p, &kinds[k]);
        if (n)
            buf_format(&line, "%s%d of %d %s", line.len ? ", " : "", n, all, kinds[k].words);
        if (n && n < all)
            buf_format(&line, " (%s)", buf_text(&p->piece));
        piece_clear(p);
    }
    buf_format(&p->piece, "%s%s", buf_text(&line), line.len && p->o->verbosity == 0 ? ": details with -v" : "");
    buf_finish(&line);
    flow_line(p, 2, HUE_PLAIN);
}

static const char *reason_of(const struct page *p, const struct comparison *c)
{
    return p->o->verbosity > 0 ? c->reason : short_reason(c);
}

/* The row of a benchmark that failed says why there is none. */
static bool has_untold_reason(const struct page *p, const struct comparison *c)
{
    const struct subject *s = p->r->subjects;
    return reason_of(p, c) && !strcmp(c->metric, p->r->rule.metric) && !s[c->subject].failure && !s[c->reference].failure;
}

static bool has_reason_of(const struct page *p, int subject, const void *comparison)
{
    const struct comparison *c = comparison, *its = record_comparison(p->r, subject, p->r->rule.metric);
    return its && has_untold_reason(p, its) && its->verdict == c->verdict && !strcmp(its->reason, c->reason);
}

static bool told_before(const struct page *p, int index)
{
    const struct comparison *c = p->r->comparisons;
    for (int i = 0; i < index; i++)
        if (has_reason_of(p, c[i].subject, &c[index]))
            return true;
    return false;
}

void render_benchmark_remarks(struct page *p)
{
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        if (!has_untold_reason(p, c) || told_before(p, i))
            continue;
        const struct kind kind = {has_reason_of, c, NULL};
        const int n = count_of(p, &kind);
        warn_of_verdict(p, c->verdict);
        if (n > 1)
            buf_format(&p->piece, "%d benchmarks", n);
        else
            put_names_of(p, &kind);
        buf_str(&p->piece, ": ");
        put_text(p, n > 1 ? reason_of_several(reason_of(p, c)) : reason_of(p, c));
        flow_rest(p);
    }
    if (p->o->verbosity >= 0 || p->o->design) {
        render_own_remarks(p);
        render_kinds(p);
    }
}
