/* SPDX-License-Identifier: MIT
 *
 * The line below the table: what was measured, and what else is short and needed.
 *
 *     10 rounds, interleaved, 41 s · 95 % for the 5 comparisons together · #3: about 309 rounds would decide (2.1 min)
 *     ! invalid: 'false': one failed where the other did not: ...
 */
#include "layout.h"
#include "record_kind.h"
#include <limits.h>
#include <math.h>
#include <string.h>

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

static bool has_timeline(const struct record *r, int subject)
{
    int i = 0;
    while (i < r->n_timelines && r->timelines[i].subject != subject)
        i++;
    return i < r->n_timelines;
}

struct run_counts count_runs(const struct record *r)
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
        c.untimed += has_timeline(r, i);
    }
    return c;
}

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

static bool any_verdict(const struct record *r, enum verdict v)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].verdict == v && comparison_has_interval(&r->comparisons[i]))
            return true;
    return false;
}

const char *drift_words(const struct comparison *c)
{
    return c->assumed_no_drift ? "no drift assumed" : "not interleaved";
}

/* "60 vs 60 runs, two sessions, not interleaved"; "7 vs 8 sessions, two sets": of these a remark says where they were not measured in turns. */
void put_two_sessions(struct page *p)
{
    const struct comparison *c = &p->r->comparisons[0];
    const bool sets = record_is_over_sessions(p->r);
    const char *what = sets && !c->assumed_no_drift                            ? "session"
                       : record_kind(p->r)->processes                          ? "process"
                       : record_source(p->r) && !record_has_alternatives(p->r) ? "value"
                                                                               : "run";
    bool alike = true;
    for (int i = 1; i < p->r->n_comparisons; i++)
        alike &= p->r->comparisons[i].rounds == c->rounds && p->r->comparisons[i].reference_rounds == c->reference_rounds;
    if (alike)
        buf_format(&p->piece, "%d vs %d %s%s, ", c->reference_rounds, c->rounds, what,
                   c->rounds == 1                 ? ""
                   : strcmp(what, "process") != 0 ? "s"
                                                  : "es");
    const bool says_drift = !sets || c->assumed_no_drift;
    summary_format(p, "two %s%s%s%s", sets ? "sets" : "sessions", c->by_anchor ? ", by ratios to the anchor" : "",
                   says_drift ? ", " : "", says_drift ? drift_words(c) : "");
}

static void put_runs(struct page *p)
{
    const struct record *r = p->r;
    const bool several = command_count(r) > 1, rounds = several && r->rule.interleaved;
    const struct run_counts c = count_runs(r);
    const int n = rounds ? rounds_made(r, true) : c.most;
    const char *unit = rounds ? "round" : record_source(r) && !record_has_alternatives(r) ? "value" : "run";
    const bool verdicts_alone = p->o->verbosity < 0 && r->n_comparisons; /* they are of the pairs: no figure is a median */
    if (strcmp(r->rule.metric, "wall") != 0 && !verdicts_alone)
        buf_format(&p->piece, "%ss of ", r->rule.method == METHOD_GEORGES ? "mean" : "median");
    buf_format(&p->piece, "%s%d %s%s%s", !rounds && c.least < c.most ? "up to " : "", n, unit, buf_plural(n),
               rounds                                            ? ", interleaved"
               : !several                                        ? ""
               : record_has_alternatives(r) || !record_source(r) ? " each, one command after the other"
                                                                 : " each");
    if (rounds && record_anchors(r))
        buf_format(&p->piece, ", %d runs with the anchor", n * command_count(r));
    if (isfinite(r->seconds) && r->seconds > 0)
        buf_format(&p->piece, ", %s", figure_text(figure_duration, r->seconds).at);
    summary_part(p);
    if (!isnan(r->rule.fail_if_slower) && r->ended && !strcmp(r->ended, "answered") && any_verdict(r, VERDICT_UNDECIDED))
        summary_format(p, "ended when --fail-if-slower was answered");
}

static int failed_runs(const struct record *r, int subject)
{
    const struct rows *rows = &r->series[subject].main;
    return subject_measured(&r->subjects[subject]) ? rows_failed(rows, rows->n) : 0;
}

/* One that was not accepted ended the session, which is told by itself. */
static bool run_failed(const struct record *r)
{
    bool any = false;
    for (int i = 0; i < r->n_subjects && r->partial && r->ended && strcmp(r->ended, "interrupted") != 0; i++)
        any |= failed_runs(r, i) > 0;
    return any;
}

/* Where all of them ended with the same one; 129 to 192 are of signals. */
static void put_exit_code(struct page *p, int subject)
{
    const struct rows *rows = &p->r->series[subject].main;
    const double *exits = series_values(&p->r->series[subject], "exit");
    double code = 0;
    for (int i = 0; exits && i < rows->n; i++)
        if (rows->flags[i] & (ROW_FAILED | ROW_TIMED_OUT))
            code = !code || code == exits[i] ? exits[i] : NAN;
    if (code > 0 && (code <= 128 || code > 192))
        buf_format(&p->piece, " (exit code %.0f)", code);
}

static void put_failed(struct page *p)
{
    enum { NAMED_MOST = 2, NAME_COLUMNS = 30 };
    int commands = 0;
    for (int i = 0; i < p->r->n_subjects && !run_failed(p->r); i++) {
        const int n = failed_runs(p->r, i);
        if (!n || commands++ >= NAMED_MOST)
            continue;
        buf_format(&p->piece, commands == 1 ? "failed: %d of %d run%s" : ", %d of %d", n, p->r->series[i].main.n,
                   buf_plural(p->r->series[i].main.n));
        if (command_count(p->r) > 1) {
            buf_str(&p->piece, " of ");
            put_short_name(p, i, NAME_COLUMNS);
        }
        put_exit_code(p, i);
    }
    if (commands > NAMED_MOST)
        buf_format(&p->piece, " and of %d more", commands - NAMED_MOST);
    summary_part(p);
}

/* At the level of its interval; 0: it has one, or is no median. */
static int rounds_for_interval(const struct page *p)
{
    int most = 0;
    for (int i = 0; i < p->r->n_subjects; i++) {
        const struct estimate *e = subject_measured(&p->r->subjects[i]) ? lead_estimate(p, i) : NULL;
        if (!is_known(e) || has_interval(e) || strcmp(e->statistic, "median") != 0)
            continue;
        const double level = e->level > 0 && e->level < 1 ? e->level : 1 - p->r->rule.confidence;
        const double needed = ceil(1 + log2(1 / level));
        most = needed > most && needed < 1e6 ? (int)needed : most;
    }
    return most;
}

/* Else its time, at a pace that is known. */
static bool bounded_by_runs(const struct record *r)
{
    return (r->ended && !strcmp(r->ended, "runs")) || !(r->seconds > 0) || r->rounds < 1;
}

/* By what bounded the session. */
static void put_option_for(struct page *p, int rounds)
{
    const struct record *r = p->r;
    if (bounded_by_runs(r))
        buf_format(&p->piece, ": -r %d", rounds);
    else
        buf_format(&p->piece, ": --max-time %.0f", ceil(1.1 * r->seconds / r->rounds * rounds));
}

static void put_needed(struct page *p)
{
    const int rounds = rounds_for_interval(p);
    if (p->r->partial || p->r->rounds >= rounds || record_is_of_two_sessions(p->r) || record_source(p->r))
        return;
    buf_format(&p->piece, "a %s interval needs %d", figure_text(figure_level, p->r->rule.confidence).at, rounds);
    put_option_for(p, rounds);
    summary_part(p);
}

static void put_about_verdicts(struct page *p)
{
    const struct record *r = p->r;
    const struct comparison *hardest = hardest_comparison(r);
    const int comparisons = record_is_of_two_sessions(r) ? r->n_comparisons : asked_count(r) - 1;
    if (comparisons > 1 && r->n_comparisons && comparison_has_interval(&r->comparisons[0]))
        summary_format(p, "%s for the %d comparisons together", figure_text(figure_level, r->comparisons[0].confidence).at,
                       comparisons);
    if (any_verdict(r, VERDICT_SAME) || any_verdict(r, VERDICT_LIKELY_SAME)) {
        buf_str(&p->piece, "same: within ±");
        put_margin(p, &r->comparisons[0]);
        summary_part(p);
    }
    if (hardest && comparison_has_interval(hardest)) {
        const bool option = can_project(hardest) && !record_is_of_two_sessions(r);
        put_way_on(p, hardest, !option || bounded_by_runs(r)); /* --max-time says how long it takes */
        if (option)
            put_option_for(p, (int)two_digits_up(hardest->rounds_needed));
    }
    summary_part(p);
}

static void put_tuned(struct page *p)
{
    const char *knobs = facts_text(&p->r->before, "tune_knobs");
    if (!knobs || !(facts_number(&p->r->before, "tune_files") > 0))
        return;
    buf_str(&p->piece, "tuned: ");
    put_text(p, knobs);
    summary_part(p);
}

static void put_made_again(struct page *p)
{
    int most = 0;
    for (int i = 0; i < p->r->n_subjects; i++)
        most = p->r->series[i].replaced.n > most ? p->r->series[i].replaced.n : most;
    if (!most)
        return;
    summary_format(p, "%d round%s made again", most, buf_plural(most));
}

static bool same_reason(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* Of the comparisons of the same reason the first. */
static bool told_before(const struct record *r, int index)
{
    for (int i = 0; i < index; i++)
        if (same_reason(r->comparisons[i].reason, r->comparisons[index].reason))
            return true;
    return false;
}

static void render_reason(struct page *p, const struct comparison *c)
{
    enum { NAME_COLUMNS = 30 };
    int alike = 0;
    for (int i = 0; i < p->r->n_comparisons; i++)
        alike += same_reason(p->r->comparisons[i].reason, c->reason);
    warn_of_verdict(p, c->verdict);
    if (alike < p->r->n_comparisons) {
        put_short_name(p, c->subject, NAME_COLUMNS);
        if (alike > 1)
            buf_format(&p->piece, " and %d more", alike - 1);
        buf_char(&p->piece, ':');
        flow_put(p, " ");
    }
    put_text(p, alike > 1 ? reason_of_several(short_reason(c)) : short_reason(c));
    flow_rest(p);
}

static void render_reasons(struct page *p)
{
    for (int i = 0; i < p->r->n_comparisons; i++) {
        const struct comparison *c = &p->r->comparisons[i];
        const bool needs_rounds = !c->look && c->verdict == VERDICT_UNDECIDED && rounds_for_interval(p) > p->r->rounds;
        if (short_reason(c) && !needs_rounds && !told_before(p->r, i)) /* the summary says how many it needs */
            render_reason(p, c);
    }
}

static const char *why_unknown(const struct page *p, int subject, const char *metric)
{
    const struct estimate *e = record_estimate(p->r, subject, metric, "median");
    const bool main = !strcmp(metric, p->r->rule.metric), asked = main || metric_is_asked(metric);
    if (is_known(e) || !asked)
        return NULL;
    return (e && e->reason) || main ? why_no_value(p, e, subject, metric) : NULL;
}

/* The metrics of one reason stand in one line, with the first command that has it. */
static void render_unknown(struct page *p, int subject, int first, const char *why)
{
    const bool main = !strcmp(p->r->metrics[first].id, p->r->rule.metric);
    flow_warning(p, "not measured");
    if (main && command_count(p->r) > 1) {
        put_short_name(p, subject, name_columns(p, 2));
        buf_char(&p->piece, ':');
        flow_put(p, " ");
    }
    for (int m = first; m < p->r->n_metrics && !(main && !strcmp(p->r->rule.metric, "wall")); m++)
        if (same_reason(why_unknown(p, subject, p->r->metrics[m].id), why)) {
            buf_str(&p->piece, m > first ? ", " : "");
            put_title(p, p->r->metrics[m].id, 0);
        }
    buf_str(&p->piece, p->piece.len ? ": " : "");
    put_text(p, why);
    flow_rest(p);
}

static bool has_finding(const struct record *r, int subject, const char *id)
{
    for (int i = 0; i < r->n_findings; i++)
        if ((r->findings[i].subject == subject || r->findings[i].subject < 0) && !strcmp(r->findings[i].id, id))
            return true;
    return false;
}

/* By a finding, by an earlier metric of this command, or, where it does not decide, by an earlier command. */
static bool is_told(const struct page *p, int subject, int metric, const char *why)
{
    const char *id = p->r->metrics[metric].id;
    if (has_finding(p->r, subject, "no_value") && !strncmp(why, "no value", strlen("no value")))
        return true;
    for (int m = 0; m < metric; m++)
        if (same_reason(why_unknown(p, subject, p->r->metrics[m].id), why))
            return true;
    for (int i = 0; i < subject && strcmp(id, p->r->rule.metric) != 0; i++)
        if (subject_measured(&p->r->subjects[i]) && same_reason(why_unknown(p, i, id), why))
            return true;
    return false;
}

static void render_unmeasured(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects; i++)
        for (int m = 0; subject_measured(&p->r->subjects[i]) && m < p->r->n_metrics; m++) {
            const char *why = why_unknown(p, i, p->r->metrics[m].id);
            if (why && !is_told(p, i, m, why))
                render_unknown(p, i, m, why);
        }
}

/* Why the first that lacks it has no ratio to the anchor; where no look was made all lack it, and that is told. */
static void render_without_ratio(struct page *p)
{
    for (int i = 0; i < p->r->n_subjects && p->r->look > 0; i++) {
        const struct estimate *e = record_ratio_to_anchor(p->r, i);
        if (!e || is_known(e))
            continue;
        flow_warning(p, "no ratio to the anchor");
        if (asked_count(p->r) > 1) {
            put_short_name(p, i, name_columns(p, 2));
            buf_char(&p->piece, ':');
            flow_put(p, " ");
        }
        put_text(p, e->reason);
        flow_rest(p);
        return;
    }
}

static void put_made(struct page *p)
{
    const struct record *r = p->r;
    const bool several = command_count(r) > 1;
    const int made = r->rule.against_itself ? r->n_comparisons : rounds_made(r, several);
    const int planned = !r->rule.against_itself && r->rule.n_looks == 1 ? r->rule.look_at[0] : 0; /* by -r */
    buf_format(&p->piece, " after %d", made);
    if (planned > made)
        buf_format(&p->piece, " of %d", planned);
    buf_format(&p->piece, " %s%s",
               r->rule.against_itself ? "complete session"
               : several              ? "complete round"
                                      : "run",
               buf_plural(planned > made ? planned : made));
    if (r->rule.against_itself)
        return;
    if (r->look > 0 && r->look <= r->rule.n_looks && r->rule.look_at[r->look - 1] < made)
        buf_format(&p->piece, "; intervals are of the first %d", r->rule.look_at[r->look - 1]);
    else if (r->look <= 0)
        buf_str(&p->piece, planned > made ? "; intervals are made after the last" : ", before there were intervals");
}

void render_interruption(struct page *p)
{
    const struct record *r = p->r;
    if (!r->partial && r->ended)
        return;
    flow_warning(p, "partial");
    buf_str(&p->piece, !r->ended                          ? "killed"
                       : !strcmp(r->ended, "interrupted") ? "interrupted"
                       : !strcmp(r->ended, "budget")      ? "--max-time was over"
                       : run_failed(r)                    ? "a run failed"
                                                          : "stopped by an error");
    if (command_count(r) || r->rule.against_itself)
        put_made(p);
    flow_rest(p);
}

void render_run_design(struct page *p)
{
    flow_begin(p, 2, 4);
    if (record_is_of_two_sessions(p->r))
        put_two_sessions(p);
    else
        put_runs(p);
    put_failed(p);
    put_made_again(p);
    put_needed(p);
    put_about_verdicts(p);
    put_tuned(p);
    flow_end(p);
}

void render_run_summary(struct page *p)
{
    render_run_design(p);
    render_interruption(p);
    render_reasons(p);
    render_unmeasured(p);
    render_without_ratio(p);
}
