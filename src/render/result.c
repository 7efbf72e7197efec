/* SPDX-License-Identifier: MIT
 *
 * The order of a result: the table with its verdicts, the summary, the two findings that matter most; with -v what the session was and how its
 * intervals are made, the lines of each command, the sentences of each comparison, and all findings.
 */
#include "layout.h"
#include "record_kind.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct estimate *first_with_interval(const struct page *p, const char *statistic)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = record_estimate(p->r, i, p->r->rule.metric, statistic);
        if (subject_measured(&p->r->subjects[i]) && has_interval(e))
            return e;
    }
    return NULL;
}

static void next_sentence(struct page *p)
{
    buf_str(&p->piece, p->piece.len ? " " : "");
}

/* Beside those that the line below the table counts. */
static void put_more_runs(struct page *p)
{
    const struct run_counts c = count_runs(p->r);
    const char *gap = "";
    if (!c.warmup && !c.followed && !c.untimed)
        return;
    next_sentence(p);
    buf_str(&p->piece, "Also made: ");
    if (c.warmup)
        buf_format(&p->piece, "%d warm-up %s%s", c.warmup, command_count(p->r) > 1 ? "round" : "run", buf_plural(c.warmup));
    gap = c.warmup ? ", " : gap;
    if (c.followed)
        buf_format(&p->piece, "%s%d untimed for exact memory", gap, c.followed);
    gap = c.followed ? ", " : gap;
    if (c.untimed)
        buf_format(&p->piece, "%s%d run%s untimed", gap, c.untimed, buf_plural(c.untimed));
    buf_char(&p->piece, '.');
}

static void put_interval_words(struct page *p)
{
    const bool georges = p->r->rule.method == METHOD_GEORGES;
    const struct estimate *median = georges ? NULL : first_with_interval(p, "median"),
                          *e = median ? median : first_with_interval(p, "mean");
    if (!e)
        return;
    buf_format(&p->piece, "%s intervals", figure_text(figure_level, e->confidence).at);
    if (!georges)
        put_looks(p);
    buf_format(&p->piece, " of the %s", e->statistic);
    if (e->method) {
        buf_str(&p->piece, " (");
        put_text(p, e->method);
        buf_char(&p->piece, ')');
    }
    buf_str(&p->piece, georges ? ", not corrected for an analysis after every run." : ".");
}

/* Runs that came after the last look: they enter no interval and no verdict. */
static int runs_after_look(const struct record *r)
{
    bool looked = r->rule.method == METHOD_TARE && r->look > 0 && r->look <= r->rule.n_looks;
    if (r->rule.spending > 0 && r->ended && !r->partial)
        return 0; /* what ended by itself was looked at to its end; r->rule has the looks of the last block alone */
    return looked && r->rounds > r->rule.look_at[r->look - 1] ? r->rounds - r->rule.look_at[r->look - 1] : 0;
}

static void put_words_on_late_runs(struct page *p)
{
    const struct record *r = p->r;
    bool several = command_count(r) > 1;
    int late = runs_after_look(r);
    if (!late || r->partial)
        return;
    next_sentence(p);
    if (several && !r->rule.interleaved)
        buf_str(&p->piece, "Runs after a command's last interim analysis (n of N runs) count in min, max and sd only.");
    else
        buf_format(&p->piece, "The last %d %s%s, made after the last interim analysis, count%s in min, max and sd only.", late,
                   several ? "round" : "run", buf_plural(late), late == 1 ? "s" : "");
}

static void render_head(struct page *p)
{
    put_interval_words(p);
    if (!record_kind(p->r)->processes && count_runs(p->r).most > 1) {
        next_sentence(p);
        buf_str(&p->piece, "Other metrics: medians.");
    }
    put_words_on_late_runs(p);
    put_more_runs(p);
    flow_line(p, 0, HUE_DIM);
}

static void render_tuned(struct page *p)
{
    const struct facts *before = &p->r->before;
    const char *knobs = facts_text(before, "tune_knobs"), *warning = facts_text(before, "tune_warning");
    const double cpu = facts_number(before, "tune_cpu"), files = facts_number(before, "tune_files"),
                 refused = facts_number(before, "tune_refused");
    if (!knobs || isnan(cpu) || p->o->verbosity < 0)
        return;
    buf_format(&p->piece, "Tuned for it, CPU %.0f: ", cpu);
    if (files > 0) {
        put_text(p, knobs);
        buf_format(&p->piece, " (%.0f file%s", files, files == 1 ? "" : "s");
    } else {
        buf_str(&p->piece, warning       ? "nothing stays changed"
                           : refused > 0 ? "nothing could be changed"
                                         : "nothing had to be changed");
    }
    if (refused > 0)
        buf_format(&p->piece, "%s%.0f refused", files > 0 ? ", " : " (", refused);
    buf_str(&p->piece, files > 0 || refused > 0 ? ")." : ".");
    if (warning) {
        buf_char(&p->piece, ' ');
        put_text(p, warning);
        buf_char(&p->piece, '.');
    }
    flow_line(p, 0, HUE_DIM);
}

/* What programs say of themselves, beside the first figures. */
static void render_program_notes(struct page *p)
{
    const size_t n = strlen(RECORD_NOTE);
    for (int i = 0; i < p->r->build.n; i++) {
        const struct fact *f = &p->r->build.items[i];
        if (strncmp(f->key, RECORD_NOTE, n) != 0 || !f->text)
            continue;
        put_text(p, f->key + n);
        buf_str(&p->piece, ": ");
        put_text(p, f->text);
        flow_line(p, 0, HUE_DIM);
    }
}

static void render_more(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        if (subject_measured(&p->r->subjects[i]))
            render_details(p, i);
    render_own_weight(p);
    render_schedule(p);
}

static void render_sessions_against_itself(struct page *p)
{
    render_against_itself(p);
    render_interruption(p);
    render_tuned(p);
    if (p->o->verbosity > 0)
        render_own_weight(p);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_hosts(struct page *p)
{
    render_host_result(p);
    render_interruption(p);
    if (p->o->verbosity < 0)
        return;
    if (p->o->verbosity > 0)
        render_against_itself(p);
    render_findings(p);
}

static void render_bench_result(struct page *p)
{
    bool quiet = p->o->verbosity < 0;
    render_benchmarks(p);
    render_interruption(p);
    if (!quiet) {
        render_tuned(p);
        render_program_notes(p);
        render_findings(p);
    }
    render_growth(p);
    render_percentiles(p);
    if (p->o->verbosity > 0) {
        blank_line(p);
        render_head(p);
        render_benchmark_details(p);
    }
    if (p->o->verbosity > 1)
        render_more(p);
}

/* All that the table leaves out. */
static void render_verbose(struct page *p)
{
    blank_line(p);
    render_head(p);
    render_tuned(p);
    render_program_notes(p);
    render_revisions(p);
    /* The lines of one command, which have no place in a table: with -v. */
    int n, *order = subject_order(p, RENDER_SORT_COMMAND, &n);
    for (int i = 0; i < n; i++)
        render_command(p, order[i]);
    free(order);
    render_comparisons(p);
    render_more(p);
    render_growth(p);
}

static void render_run_result(struct page *p)
{
    if (p->o->verbosity < 0) {
        render_interruption(p);
        /* The verdicts; without any the figures that there are. */
        if (p->r->n_comparisons)
            render_verdicts(p);
        else
            render_lead_lines(p);
        render_growth(p);
        render_percentiles(p);
        render_timeline_peaks(p);
        return;
    }
    if (record_is_of_two_sessions(p->r))
        render_pair_table(p);
    else
        render_command_table(p);
    if (p->o->verbosity == 0)
        render_growth(p);
    render_run_summary(p);
    if (p->o->verbosity == 0)
        render_findings(p);
    render_percentiles(p);
    render_timelines(p);
    if (p->o->verbosity == 0)
        return;
    render_verbose(p);
    render_findings(p);
}

static void view_leaks(struct page *p)
{
    render_leaks(p);
    render_interruption(p);
    render_tuned(p);
    if (p->o->verbosity > 1)
        for (int i = 0; i < p->r->n_subjects; i++)
            render_runs(p, i);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_traces(struct page *p)
{
    render_traces(p);
    render_interruption(p);
    render_tuned(p);
    if (p->o->verbosity > 1)
        render_more(p);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_commands(struct page *p)
{
    if (p->r->rule.against_itself)
        render_sessions_against_itself(p);
    else
        render_run_result(p);
}

static void view_benchmarks(struct page *p)
{
    if (p->r->rule.against_itself)
        render_sessions_against_itself(p);
    else
        render_bench_result(p);
}

static void view_clocks(struct page *p)
{
    render_clock_result(p);
}

void render_result(const struct record *r, const struct render_options *o, struct buf *out)
{
    static void (*const views[RECORD_KINDS])(struct page * p) = {
#define RECORD_KIND(id) [RECORD_OF_##id] = view_##id,
#include "record_kinds.def"
#undef RECORD_KIND
    };
    struct page p = page_over(r, o, out);
    views[record_kind(r)->id](&p);
    page_finish(&p);
}
