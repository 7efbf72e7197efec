/* SPDX-License-Identifier: MIT
 *
 * The order of a result: what the session was and how its intervals are made, the commands, the comparisons, the findings.
 */
#include "layout.h"
#include "record_arcs.h"
#include "record_kind.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the head ---- */

static const struct estimate *first_with_interval(const struct page *p, const char *statistic)
{
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = page_estimate(p, i, p->r->rule.metric, statistic);
        if (subject_measured(&p->r->subjects[i]) && has_interval(e))
            return e;
    }
    return NULL;
}

struct run_counts {
    int least, most, warmup, untimed, followed;
};

/* Runs that were made for exact memory, whatever came of them; where following was refused none was. */
static int followed_runs(const struct series *s)
{
    char room[NULL_COLUMN_BYTES];
    const double *reasons = series_values(s, null_column("peak", room));
    int n = 0;
    for (int i = 0; reasons && i < s->main.n; i++)
        n +=
            reasons[i] == 0 || reasons[i] == NULL_NOT_MADE || reasons[i] == NULL_UNREADABLE || reasons[i] == NULL_LESS_PRIVILEGED;
    return n;
}

static struct run_counts count_runs(const struct record *r)
{
    struct run_counts c = {.least = -1};
    for (int i = 0; i < r->n_subjects; i++) {
        if (!subject_measured(&r->subjects[i]))
            continue;
        int n = record_rounds(r, &i, 1), warmup = r->series[i].warmup.n;
        c.least = c.least < 0 || n < c.least ? n : c.least;
        c.most = n > c.most ? n : c.most;
        c.warmup = warmup > c.warmup ? warmup : c.warmup;
        int followed = followed_runs(&r->series[i]);
        c.followed = followed > c.followed ? followed : c.followed;
        c.untimed += record_timeline(r, i) != NULL;
    }
    return c;
}

static void put_session_words(struct page *p)
{
    const struct record *r = p->r;
    bool several = command_count(r) > 1, rounds = several && r->rule.interleaved;
    struct run_counts c = count_runs(r);
    int n = rounds ? r->rounds : c.most;
    if (record_kind(r)->processes) {
        bool two = record_is_of_two_sessions(r);
        buf_format(&p->piece, "%s: %s%d process%s of each benchmark%s", two ? "In each session" : "In this session",
                   c.least < c.most ? "up to " : "", n, n == 1 ? "" : "es",
                   two                   ? ""
                   : r->rule.interleaved ? ", in rounds of shuffled order"
                                         : ", in blocks, one benchmark after the other");
        if (c.warmup)
            buf_format(&p->piece, ", %d more for warm-up", c.warmup);
        buf_char(&p->piece, '.');
        return;
    }
    if (record_source(r)) {
        bool runs = record_has_alternatives(r);
        buf_format(&p->piece, "In %s file: %s%d %s%s", record_is_of_two_sessions(r) ? "each" : "this",
                   c.least < c.most ? "up to " : "", n, runs ? "run" : "value", buf_plural(n));
        buf_str(&p->piece, several ? runs ? " of each command." : " of each benchmark." : ".");
        return;
    }
    buf_format(&p->piece, "%s: %s%d %s%s", record_is_of_two_sessions(r) ? "In each session" : "In this session",
               !rounds && c.least < c.most ? "up to " : "", n, rounds ? "interleaved round" : "run", buf_plural(n));
    if (several && !rounds && !record_is_of_two_sessions(r))
        buf_str(&p->piece, " each, one command after the other");
    if (c.warmup)
        buf_format(&p->piece, ", %d more for warm-up", c.warmup);
    if (c.followed)
        buf_format(&p->piece, ", %d more untimed for exact memory", c.followed);
    if (c.untimed)
        buf_format(&p->piece, ", %d more run%s untimed", c.untimed, buf_plural(c.untimed));
    buf_char(&p->piece, '.');
}

static void put_interval_of(struct page *p, const struct estimate *e)
{
    buf_format(&p->piece, "of the %s", e->statistic);
    if (!e->method)
        return;
    buf_str(&p->piece, " (");
    put_text(p, e->method);
    buf_char(&p->piece, ')');
}

static void put_interval_words(struct page *p)
{
    const struct estimate *median = first_with_interval(p, "median"), *mean = first_with_interval(p, "mean");
    bool georges = p->r->rule.method == METHOD_GEORGES;
    if (georges)
        median = NULL;
    else if (median && (!page_roomy(p) || command_count(p->r) > LINES_UP_TO || record_kind(p->r)->processes))
        mean = NULL; /* its interval is not shown then */
    if (!median && !mean)
        return;
    buf_char(&p->piece, ' ');
    figure_level(&p->piece, (median ? median : mean)->confidence);
    buf_str(&p->piece, " intervals [a, b]");
    if (!georges)
        put_looks(p);
    buf_str(&p->piece, " ");
    if (median)
        put_interval_of(p, median);
    if (median && mean)
        buf_str(&p->piece, " and ");
    if (mean)
        put_interval_of(p, mean);
    buf_str(&p->piece, georges ? ", not corrected for looking after every run." : ".");
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
    if (several && !r->rule.interleaved)
        buf_str(&p->piece, " Runs after a command's last look (n of N runs) count in min, max and sd only.");
    else
        buf_format(&p->piece, " The last %d %s%s, made after the last look, count%s in min, max and sd only.", late,
                   several ? "round" : "run", buf_plural(late), late == 1 ? "s" : "");
}

/* For lines that are too short to say it themselves. */
static void put_words_on_medians(struct page *p)
{
    if (!page_roomy(p) && command_count(p->r) <= LINES_UP_TO && count_runs(p->r).most > 1)
        buf_str(&p->piece, " CPU and memory: medians.");
}

static void render_head(struct page *p)
{
    put_session_words(p);
    put_interval_words(p);
    put_words_on_medians(p);
    put_words_on_late_runs(p);
    flow_line(p, 0, HUE_DIM);
}

/* ---- a machine that was tuned for it ---- */

static double condition(const struct page *p, const char *key)
{
    const struct fact *f = facts_find(&p->r->before, key);
    return f ? f->number : NAN;
}

static void render_tuned(struct page *p)
{
    const struct fact *knobs = facts_find(&p->r->before, "tune_knobs");
    double cpu = condition(p, "tune_cpu"), files = condition(p, "tune_files"), refused = condition(p, "tune_refused");
    if (!knobs || !knobs->text || isnan(cpu) || p->o->verbosity < 0)
        return;
    buf_format(&p->piece, "Tuned for it, CPU %.0f: ", cpu);
    if (files > 0) {
        put_text(p, knobs->text);
        buf_format(&p->piece, " (%.0f file%s", files, files == 1 ? "" : "s");
    } else {
        buf_str(&p->piece, refused > 0 ? "nothing could be changed (" : "nothing had to be changed");
    }
    if (refused > 0)
        buf_format(&p->piece, "%s%.0f refused", files > 0 ? ", " : "", refused);
    buf_str(&p->piece, files > 0 || refused > 0 ? ")." : ".");
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

/* ---- a session that did not come to its end ---- */

/* The last one counts too where its runs were made, and what came after them was cut short. */
static int rounds_made(const struct record *r, bool several)
{
    int least = INT_MAX;
    if (several && !r->rule.interleaved)
        return r->rounds;
    for (int i = 0; i < r->n_subjects; i++) {
        int n = subject_measured(&r->subjects[i]) ? record_rounds(r, &i, 1) : INT_MAX;
        least = n < least ? n : least;
    }
    return least < INT_MAX && least > r->rounds ? least : r->rounds;
}

static void put_partial_words(struct page *p)
{
    const struct record *r = p->r;
    const char *how = !r->ended ? "it was killed" : !strcmp(r->ended, "interrupted") ? "interrupted" : "a run failed";
    if (r->rule.against_itself) {
        buf_format(&p->piece, "after %d whole session%s (%s).", r->n_comparisons, buf_plural(r->n_comparisons), how);
        return;
    }
    if (record_kind(r)->targets) {
        buf_format(&p->piece, "after %d round%s (%s); what is said holds for the calls that were made.", r->rounds,
                   buf_plural(r->rounds), how);
        return;
    }
    bool several = command_count(r) > 1;
    const char *unit = several ? "complete round" : "run";
    int made = rounds_made(r, several);
    buf_format(&p->piece, "after %d %s%s (%s);", made, unit, buf_plural(made), how);
    const char *what = r->n_comparisons ? "intervals and verdicts" : "intervals";
    if (r->look > 0 && r->look <= r->rule.n_looks)
        buf_format(&p->piece, " %s are those of look %d, at %d %ss%s.", what, r->look, r->rule.look_at[r->look - 1],
                   several ? "round" : "run", runs_after_look(r) ? "; later ones count in min, max and sd only" : "");
    else if (r->look <= 0)
        buf_format(&p->piece, " no look was completed, so there are no %s.", what);
    else
        buf_format(&p->piece, " %s are those of look %d.", what, r->look);
}

static void render_partial(struct page *p)
{
    if (!p->r->partial && p->r->ended)
        return;
    flow_label(p, 0, 2, "PARTIAL", HUE_BOLD);
    put_partial_words(p);
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

/* ---- the commands ---- */

static bool all_have_parameters(const struct record *r)
{
    enum { PARAMETERS_MAX = 4 };
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_measured(&r->subjects[i]) &&
            (has_revisions(r) || r->subjects[i].n_parameters < 1 || r->subjects[i].n_parameters > PARAMETERS_MAX))
            return false;
    return command_count(r) > 0;
}

static void render_commands(struct page *p)
{
    int n, *order = subject_order(p, p->o->sort, &n);
    for (int i = 0; i < n; i++)
        render_command(p, order[i]);
    free(order);
}

static void put_comparison_note(struct page *p)
{
    if (!p->r->n_comparisons || !p->r->rule.interleaved)
        return;
    const struct comparison *c = &p->r->comparisons[0];
    buf_str(&p->piece, "Comparisons: paired rounds, Hodges-Lehmann, ");
    figure_level(&p->piece, c->confidence);
    put_looks(p);
    buf_str(&p->piece, several_looks(&p->r->rule) ? " and" : " over");
    buf_format(&p->piece, " %d comparisons; margin ", command_count(p->r) - 1);
    put_margin(p, c);
    buf_char(&p->piece, '.');
}

static void render_table(struct page *p, bool parameters)
{
    render_command_table(p, parameters);
    put_comparison_note(p);
    if (parameters)
        buf_format(&p->piece, "%sFor a plot: --export-svg FILE, --export-csv FILE.", p->piece.len ? " " : "");
    if (p->piece.len) {
        flow_line(p, 2, HUE_DIM);
    }
    render_open_comparisons(p);
}

static void render_body(struct page *p)
{
    if (record_kind(p->r)->processes) {
        render_benchmarks(p);
        return;
    }
    bool many = command_count(p->r) > LINES_UP_TO;
    bool sessions = record_is_of_two_sessions(p->r); /* each pair has a reference of its own, which no table of ours shows */
    if (many && !sessions) {
        render_table(p, all_have_parameters(p->r));
        return;
    }
    if (p->o->verbosity >= 0 && !many)
        render_commands(p);
    render_comparisons(p);
}

/* ---- more, with -v ---- */

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
    render_partial(p);
    render_tuned(p);
    render_against_itself(p);
    if (p->o->verbosity > 0)
        render_own_weight(p);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_hosts(struct page *p)
{
    render_partial(p);
    render_host_result(p);
    if (p->o->verbosity < 0)
        return;
    if (p->o->verbosity > 0)
        render_against_itself(p);
    render_findings(p);
}

static void render_run_result(struct page *p)
{
    bool quiet = p->o->verbosity < 0;
    render_partial(p);
    if (!quiet) {
        render_head(p);
        render_tuned(p);
        render_program_notes(p);
        render_revisions(p);
    }
    if (quiet && command_count(p->r) == 1 && !record_kind(p->r)->processes)
        render_commands(p);
    else
        render_body(p);
    render_growth(p);
    render_percentiles(p);
    if (p->o->verbosity > (record_kind(p->r)->processes ? 1 : 0))
        render_more(p);
    if (!quiet) {
        render_timelines(p);
        render_findings(p);
    }
}

static void view_leaks(struct page *p)
{
    render_partial(p);
    render_tuned(p);
    render_leaks(p);
    if (p->o->verbosity > 1)
        for (int i = 0; i < p->r->n_subjects; i++)
            render_runs(p, i);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_traces(struct page *p)
{
    render_partial(p);
    render_tuned(p);
    render_traces(p);
    if (p->o->verbosity > 1)
        render_more(p);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void render_two_sets(struct page *p)
{
    if (p->o->verbosity >= 0)
        render_session_means(p);
    render_comparisons(p);
    if (p->o->verbosity >= 0)
        render_findings(p);
}

static void view_commands(struct page *p)
{
    const struct record *r = p->r;
    if (record_is_of_two_sessions(r) && record_is_over_sessions(r))
        render_two_sets(p);
    else if (r->rule.against_itself)
        render_sessions_against_itself(p);
    else
        render_run_result(p);
}

static void view_benchmarks(struct page *p)
{
    view_commands(p);
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
