/* SPDX-License-Identifier: MIT */
#include "gate.h"
#include "check.h"
#include "comparable.h"
#include "plan.h"
#include "quote.h"
#include "record_arcs.h"
#include "record_kind.h"
#include "units.h"
#include "verdict.h"
#include "verdict_text.h"
#include <math.h>
#include <string.h>

static enum exit_code slower_code(const struct record *r, const struct comparison *c)
{
    if (c->verdict == VERDICT_NONE || c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE)
        return EXIT_INVALID;
    if (c->reference_rounds && !c->assumed_no_drift && !comparison_over_sets(r, c))
        return EXIT_UNDECIDED; /* what drifted between two sessions is in the interval too */
    switch (plan_slower_than(r, c, r->rule.fail_if_slower)) {
    case SLOWER_NOT:
        return EXIT_ANSWERED;
    case SLOWER_YES:
        return EXIT_BAD;
    default:
        return EXIT_UNDECIDED;
    }
}

static const char *gate_word(enum exit_code code)
{
    return code == EXIT_ANSWERED  ? "passed: at most that much slower"
           : code == EXIT_BAD     ? "FAILED: slower than that"
           : code == EXIT_INVALID ? "no answer: the comparison has no verdict"
                                  : "undecided: it may be slower than that, or not";
}

/* As another tool's file has it. */
static bool is_neutral(const struct record *r, const struct comparison *c)
{
    const struct metric *m = record_metric(r, c->metric);
    return m && m->direction == METRIC_NEUTRAL;
}

static void put_arc(struct buf *said, const struct record *r, const struct arc_result *a, bool unicode)
{
    struct buf label = BUF_INIT(1 << 15);
    point_label(&label, r->traced, a->from);
    buf_str(&label, " -> ");
    point_label(&label, r->traced, a->to);
    buf_str(said, ", ");
    quote_mask(said, buf_text(&label), unicode);
    buf_char(said, ':');
    buf_finish(&label);
}

/* As it was given: 100 times 0.07 is not 7. */
static void put_limit(struct buf *said, double ratio)
{
    buf_format(said, "--fail-if-slower %.10g%%: ", 100 * ratio);
}

static void put_asked(struct buf *said, const struct record *r, int subject, int arc, bool unicode)
{
    put_limit(said, r->rule.fail_if_slower);
    quote_name(said, r->subjects[subject].name, 60, unicode);
    if (arc)
        put_arc(said, r, &r->traced->results[arc - 1], unicode);
}

static double hits_in_a_run(const struct arc_result *a)
{
    return (double)a->passes / a->runs;
}

/* Of an arc whose hit is no slower: more hits take longer all the same, and how much longer no interval says. */
static bool hit_more_often(const struct record *r, const struct comparison *c, struct buf *said)
{
    if (!c->arc)
        return false;
    const double before = hits_in_a_run(&r->traced->results[c->reference_arc - 1]),
                 now = hits_in_a_run(&r->traced->results[c->arc - 1]);
    if (now < before * (1 + r->rule.fail_if_slower) || now <= before)
        return false;
    buf_format(said, " undecided: a hit is at most that much slower, but a run has %.7g hits where the reference has %.7g\n", now,
               before);
    return true;
}

/* A difference as a ratio to the reference's median; NaN where there is none. */
static struct comparison as_ratio(const struct record *r, const struct comparison *c)
{
    const struct estimate *median = record_estimate(r, c->reference, c->metric, "median");
    const double of = median && median->point > 0 ? median->point : NAN;
    struct comparison ratio = *c;
    if (c->kind != METRIC_COUNT)
        return ratio;
    ratio.kind = METRIC_TIME;
    ratio.shift = log1p(c->shift / of);
    ratio.low = log1p(c->low / of);
    ratio.high = log1p(c->high / of);
    ratio.margin = isnan(c->margin) ? 0 : c->margin / of;
    return ratio;
}

/* Its typical run is no slower, but rare slow runs make all of them cost more. */
static bool mean_is_slower(const struct record *r, const struct comparison *c, struct buf *said)
{
    const struct metric *m = record_metric(r, c->metric);
    const struct comparison typical = as_ratio(r, c);
    const double ratio = m && m->direction == METRIC_HIGHER ? 1 / c->mean_ratio : c->mean_ratio;
    double means[2];
    if (comparison_means_worse(r, c, r->rule.fail_if_slower, means)) {
        buf_str(said, " undecided: typically it is at most that much slower, but the means are ");
        figure_scaled(said, m ? m->unit : "", means[0], 4);
        buf_str(said, " and ");
        figure_scaled(said, m ? m->unit : "", means[1], 4);
        buf_str(said, ": rare slow runs\n");
        return true;
    }
    /* Of an arc, which one interruption makes many times as long, by the interval of the means alone. */
    const bool apart = c->arc ? c->mean_low > exp(c->high) : comparison_mean_apart(&typical);
    if (!apart || ratio < 1 + r->rule.fail_if_slower || ratio <= 1)
        return false;
    buf_format(said, " undecided: the typical ratio is %.3f and that of the means %.3f: rare slow runs\n", exp(typical.shift),
               c->mean_ratio);
    return true;
}

/* An arc of little time is often known too badly to be asked, but what is proven of it counts: it was short, and need not stay so. */
static enum exit_code small_arcs(const struct record *r, bool unicode, struct buf *said)
{
    enum exit_code code = EXIT_ANSWERED;
    int open = 0;
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (!c->arc || !(r->traced->results[c->arc - 1].share < ARC_SHARE))
            continue;
        const enum exit_code one = slower_code(r, c);
        open += one == EXIT_UNDECIDED;
        if (one != EXIT_BAD)
            continue;
        put_asked(said, r, c->subject, c->arc, unicode);
        buf_format(said, " FAILED: slower than that, though it is below %s of the time\n",
                   figure_text(figure_level, ARC_SHARE).at);
        code = EXIT_BAD;
    }
    if (open) {
        put_limit(said, r->rule.fail_if_slower);
        buf_format(said, "%d arc%s below %s of the time may be slower than that; %s only if it is proven\n", open,
                   buf_plural(open), figure_text(figure_level, ARC_SHARE).at, open == 1 ? "it fails" : "they fail");
    }
    return code;
}

/* Of two stored sessions of traced programs that cannot be compared, or not for what became of one: there are no arcs in it. */
static bool is_refused(const struct record *r, const struct comparison *c)
{
    return r->traced && !c->arc && c->reference_rounds && (c->verdict == VERDICT_NOT_COMPARABLE || c->verdict == VERDICT_INVALID);
}

static bool is_compared(const struct record *r, int result)
{
    const int subject = r->traced->results[result].subject;
    bool reference = subject == 0, arc = false;
    for (int i = 0; i < r->n_comparisons && !arc; i++) {
        const struct comparison *c = &r->comparisons[i];
        reference |= c->reference == subject;
        arc = c->arc == result + 1 || (c->subject == subject && is_refused(r, c));
    }
    return arc || reference;
}

/* By its arcs that are compared; -1: none is, which is undecided anyway. */
static int reference_in(const struct record *r, int subject)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].arc && r->comparisons[i].subject == subject)
            return r->comparisons[i].reference;
    return -1;
}

static bool has_counterpart(const struct record *r, int result, int subject)
{
    for (int i = 0; i < r->n_comparisons; i++)
        if (r->comparisons[i].reference_arc == result + 1 && r->comparisons[i].subject == subject)
            return true;
    return false;
}

/* What they did may take any time now, where no points are. */
static enum exit_code arcs_of_the_reference(const struct record *r, int subject, bool unicode, struct buf *said)
{
    const int reference = reference_in(r, subject);
    double share = 0;
    int n = 0;
    for (int i = 0; reference >= 0 && i < r->traced->n_results; i++) {
        const struct arc_result *a = &r->traced->results[i];
        if (a->subject != reference || !(a->share >= ARC_SHARE) || has_counterpart(r, i, subject))
            continue;
        share += a->share;
        n++;
    }
    if (!n)
        return EXIT_ANSWERED;
    put_asked(said, r, subject, 0, unicode);
    buf_format(said, " undecided: %d arc%s with %s of the time of ", n, buf_plural(n), figure_text(figure_share, share).at);
    quote_name(said, r->subjects[reference].name, 60, unicode);
    buf_format(said, " %s not in it\n", n == 1 ? "is" : "are");
    return EXIT_UNDECIDED;
}

/* What became slower may be in them. */
static enum exit_code arcs_of_one_program(const struct record *r, bool unicode, struct buf *said)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; r->traced && i < r->traced->n_results; i++) {
        const struct arc_result *a = &r->traced->results[i];
        if (!(a->share >= ARC_SHARE) || is_compared(r, i))
            continue;
        put_asked(said, r, a->subject, i + 1, unicode);
        buf_str(said, " undecided: the program it is compared with has no such arc\n");
        code = EXIT_UNDECIDED;
    }
    for (int i = 0; r->traced && i < r->n_subjects; i++)
        code = cli_worse(code, arcs_of_the_reference(r, i, unicode, said));
    return code;
}

/* Of windows, and of points that only count: what was never timed may take any share of the time. */
static enum exit_code untimed_arcs(const struct record *r, bool unicode, struct buf *said)
{
    int n = 0, first = -1;
    for (int i = 0; r->traced && i < r->traced->n_results; i++) {
        const struct arc_result *a = &r->traced->results[i];
        if (a->subject == 0 || !isnan(a->share) || !a->passes)
            continue;
        first = n++ ? first : i;
    }
    if (!n)
        return EXIT_ANSWERED;
    put_asked(said, r, r->traced->results[first].subject, first + 1, unicode);
    buf_str(said, " undecided: its hits were counted and never timed, so it may take much of the time");
    if (n > 1)
        buf_format(said, " (and %d more arc%s)", n - 1, buf_plural(n - 1));
    buf_str(said, "; --mode aggregate times every hit\n");
    return EXIT_UNDECIDED;
}

/* Nothing is there to compare, or of arcs no share of the time is known or none is large enough. Hits that were lost may be the reason. */
static enum exit_code nothing_asked(const struct record *r, struct buf *said)
{
    const char *lost = NULL;
    for (int i = 0; r->traced && i < r->n_comparisons && !lost; i++)
        lost = r->comparisons[i].verdict == VERDICT_INVALID ? r->comparisons[i].reason : NULL;
    put_limit(said, r->rule.fail_if_slower);
    if (lost)
        buf_format(said, "no answer: invalid: %s\n", lost);
    else if (!r->traced)
        buf_str(said, "undecided: nothing was compared\n");
    else
        buf_format(said, "undecided: no arc that both programs have is known to take %s of the time or more\n",
                   figure_text(figure_level, ARC_SHARE).at);
    return lost ? EXIT_INVALID : EXIT_UNDECIDED;
}

static void put_missing(struct buf *said, const struct record *r, const char *name, const char *where, bool unicode)
{
    put_limit(said, r->rule.fail_if_slower);
    quote_name(said, name, 60, unicode);
    buf_str(said, " undecided: not measured in ");
    quote_mask(said, where, unicode);
    buf_char(said, '\n');
}

static enum exit_code missing_benchmarks(const struct record *r, bool unicode, struct buf *said)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < r->n_subjects; i++) {
        const char *where = plan_missing_in(r, i);
        if (!where)
            continue;
        put_missing(said, r, r->subjects[i].name, where, unicode);
        code = EXIT_UNDECIDED;
    }
    return code;
}

/* After how many processes a benchmark that is compared was skipped, which may be slower since; 0: it was not, or from the start, and has nothing to be
 * slower than. */
static int skipped_after(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    return subject_compared(s) && subject_skipped(s) ? r->series[subject].main.n : 0;
}

static enum exit_code stopped_benchmarks(const struct record *r, bool unicode, struct buf *said)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < r->n_subjects; i++) {
        const int n = skipped_after(r, i);
        if (!n)
            continue;
        put_asked(said, r, i, 0, unicode);
        buf_format(said, " undecided: skipped after %d process%s\n", n, n == 1 ? "" : "es");
        code = EXIT_UNDECIDED;
    }
    return code;
}

/* What the first session does not have is in no comparison, and its failure in none either. */
static enum exit_code failed_alone(const struct record *r, const struct gate_sides *s, bool unicode, struct buf *said)
{
    enum exit_code code = EXIT_ANSWERED;
    const int ended_by = record_series_that_failed(s->second);
    for (int i = 0; i < s->second->n_subjects; i++) {
        const struct subject *subject = &s->second->subjects[i];
        const bool failed = i == ended_by || (subject->failure && !subject_skipped(subject));
        if (!failed || !subject_compared(subject) || stored_partner(s->second, i, s->first) >= 0)
            continue;
        put_limit(said, r->rule.fail_if_slower);
        quote_name(said, subject->name, 60, unicode);
        buf_str(said, " undecided: it failed, and there is nothing to compare it with\n");
        code = EXIT_UNDECIDED;
    }
    return code;
}

enum exit_code gate_missing(const struct record *r, const struct gate_sides *s, bool unicode, struct buf *said)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < s->first->n_subjects; i++) {
        const struct subject *subject = &s->first->subjects[i];
        if (!subject_compared(subject) || subject->failure || stored_partner(s->first, i, s->second) >= 0 ||
            (s->asks && !s->asks(s->context, subject)))
            continue;
        put_missing(said, r, subject->name, s->second_name, unicode);
        code = EXIT_UNDECIDED;
    }
    return cli_worse(code, failed_alone(r, s, unicode, said));
}

enum exit_code gate_undecided(const char *gate, const char *why, struct buf *said)
{
    buf_format(said, "%s: undecided: %s, so nothing is decided by it\n", gate, why);
    return EXIT_UNDECIDED;
}

/* What is missing could be slower, and whoever asks again and again while it is measured passes by chance. */
static enum exit_code unfinished(const struct record *r, struct buf *said)
{
    if (!r->partial)
        return EXIT_ANSWERED;
    put_limit(said, r->rule.fail_if_slower);
    buf_str(said, "undecided: a part of it is not measured\n");
    return EXIT_UNDECIDED;
}

enum exit_code gate_slower(const struct record *r, bool unicode, struct buf *said)
{
    if (r->unverified)
        return gate_undecided("--fail-if-slower", r->unverified, said);
    const struct plan_together all = plan_slower_together(r);
    enum exit_code code = EXIT_ANSWERED;
    int asked = 0;
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (!plan_asks(r, c) && !is_refused(r, c))
            continue;
        enum exit_code one = slower_code(r, c);
        asked++;
        put_asked(said, r, c->subject, c->arc, unicode);
        if (one == EXIT_BAD && !isnan(all.level) && !plan_slower_at(r, c, all.level)) {
            buf_format(said, " undecided: as one of %d benchmarks it is not proven (Holm)\n", all.asked);
            one = EXIT_UNDECIDED;
        } else if (c->verdict == VERDICT_INVALID && c->reason)
            buf_format(said, " no answer: invalid: %s\n", c->reason);
        else if (one == EXIT_UNDECIDED && c->reason && !c->reference_rounds)
            buf_format(said, " undecided: %s\n", c->reason);
        else if (one == EXIT_UNDECIDED && is_neutral(r, c))
            buf_str(said, " undecided: the file does not say whether more of it is better\n");
        else if (one == EXIT_ANSWERED && (hit_more_often(r, c, said) || mean_is_slower(r, c, said)))
            one = EXIT_UNDECIDED;
        else
            buf_format(said, " %s\n", gate_word(one));
        code = cli_worse(code, one);
    }
    code = cli_worse(asked ? code : nothing_asked(r, said), missing_benchmarks(r, unicode, said));
    code = cli_worse(code, stopped_benchmarks(r, unicode, said));
    code = cli_worse(code, small_arcs(r, unicode, said));
    code = cli_worse(code, untimed_arcs(r, unicode, said));
    code = cli_worse(code, arcs_of_one_program(r, unicode, said));
    return code == EXIT_ANSWERED ? unfinished(r, said) : code;
}

/* A line for the first subject of which it is not known; false: there is none. */
static bool put_open(const struct record *r, const char *option, bool unicode, struct buf *said)
{
    struct buf why = BUF_INIT(1 << 16);
    int asked = 0, open = -1;
    if (record_kind(r)->id == RECORD_OF_hosts) {
        buf_format(said, "%s: undecided: the scatter of a host is not judged; see its verdict\n", option);
        return true;
    }
    for (int i = 0; i < r->n_subjects && open < 0; i++) {
        if (!subject_compared(&r->subjects[i]) || subject_skipped(&r->subjects[i]))
            continue;
        asked++;
        if (check_stability_open(r, i, &why))
            open = i;
    }
    if (open >= 0 || !asked)
        buf_format(said, "%s: undecided: ", option);
    if (open >= 0) {
        quote_name(said, r->subjects[open].name, 60, unicode);
        buf_str(said, ": ");
        quote_mask(said, buf_text(&why), unicode);
        buf_char(said, '\n');
    } else if (!asked) {
        buf_str(said, "nothing in it has values that scatter\n");
    }
    buf_finish(&why);
    return open >= 0 || !asked;
}

enum exit_code gate_unstable(const struct record *r, const char *option, bool unicode, struct buf *said)
{
    enum { SHOWN = 3 };
    int found = 0;
    const char *undeciding = record_failed_unseen(r) ? "its session ended by a failure" : record_undeciding(r);
    if (undeciding)
        return gate_undecided(option, undeciding, said);
    for (int i = 0; i < r->n_findings; i++) {
        const struct finding *f = &r->findings[i];
        if (strcmp(f->id, "unstable") != 0 || (f->subject >= 0 && r->subjects[f->subject].anchor) || found++ >= SHOWN)
            continue;
        buf_format(said, "%s: FAILED: ", option);
        if (f->subject >= 0) {
            quote_name(said, r->subjects[f->subject].name, 60, unicode);
            buf_str(said, ": ");
        }
        quote_mask(said, f->text, unicode);
        buf_char(said, '\n');
    }
    if (found > SHOWN)
        buf_format(said, "%s: and %d more\n", option, found - SHOWN);
    bool open = !found && put_open(r, option, unicode, said);
    if (!found && !open)
        buf_format(said, "%s: passed\n", option);
    return found ? EXIT_INVALID : open ? EXIT_UNDECIDED : EXIT_ANSWERED;
}
