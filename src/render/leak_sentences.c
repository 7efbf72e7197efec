/* SPDX-License-Identifier: MIT */
#include "leak_sentences.h"
#include "leak_reason.h"
#include "units.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

static void put_reason(const char *why, struct buf *out)
{
    static const char failed[] = "failed: ";
    why = !why ? "nothing was measured" : strncmp(why, failed, sizeof failed - 1) ? why : why + sizeof failed - 1;
    const char *advice;
    buf_str(out, leak_reason_shown(why, &advice));
    if (advice)
        buf_format(out, "; %s", advice);
}

void leak_clause(struct buf *out)
{
    if (out->len)
        buf_str(out, "; ");
}

static bool of_growth(const struct leak_target *t)
{
    return t->kind && !strcmp(t->kind, "growth");
}

static bool of_scan(const struct leak_target *t)
{
    return t->kind && !strcmp(t->kind, "scan");
}

static bool is_leak(const struct leak_target *t)
{
    return t->verdict == VERDICT_LEAK || t->verdict == VERDICT_LEAK_SMALL;
}

/* It crashed, hung or was described wrongly: nothing is known of its time. */
static bool failed(const struct record *r, const struct leak_target *t)
{
    return r->subjects[t->subject].failure && !(t->unfit > 0);
}

/* "12.4 ns (12.1–12.7)"; "12.4 ns (at least 12.1)" where one end is unbounded, "12.4 ns (no interval yet)" where both are. */
static void put_size(struct buf *out, double point, double low, double high)
{
    figure_bounded(out, "ns", point, low, high);
    if (isinf(low) && isinf(high)) {
        buf_str(out, " (no interval yet)");
    } else if (isinf(low) || isinf(high)) {
        const double end = isinf(high) ? low : high, factor = unit_for("ns", point).factor;
        buf_str(out, isinf(high) ? " (at least " : " (at most ");
        figure_put(out, end / factor, figure_digits(end / factor, FIGURE_DIGITS));
        buf_char(out, ')');
    }
}

static void put_cycles(struct buf *out, double cycles)
{
    buf_char(out, '(');
    figure_put(out, fabs(cycles), figure_digits(cycles, 2));
    buf_str(out, " cycles)");
}

/* As it was asked for, and what that is in time: "1 ns", "5 cycles = 1.667 ns". */
static void put_margin(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const char *unit = r->rule.margin_unit;
    if (!unit) {
        buf_format(out, "%s = ", figure_text(figure_level, r->rule.margin).at);
    } else if (!strcmp(unit, "cycles"))
        buf_format(out, "%g cycle%s = ", r->rule.margin, r->rule.margin == 1 ? "" : "s");
    figure_chosen(out, "ns", t->margin_ns);
}

/* "99 % confidence", with what it is over where that is not this session. */
static void put_level(const struct record *r, const struct leak_target *t, struct buf *out)
{
    buf_format(out, "%s confidence", figure_text(figure_level, r->rule.confidence).at);
    if (t->sessions > 0)
        buf_format(out, " over %g session%s", t->sessions, t->sessions == 1 ? "" : "s");
}

/* It makes the interval half as wide again. */
static bool is_step_notable(const struct leak_target *t)
{
    double half = (t->high_ns - t->low_ns) / 2 - t->step_ns;
    return t->step_ns > 0 && !(t->step_ns < half / 2);
}

/* A leak of a scan that no single bit shows, but the number of ones does. */
static bool by_weight(const struct leak_target *t)
{
    return of_scan(t) && t->scan_weight_leaks > 0 && !(t->scan_leaking > 0) && isfinite(t->scan_weight_ns) && is_leak(t);
}

static struct leak_place difference_of(const struct leak_target *t)
{
    if (by_weight(t))
        return (struct leak_place){.ns = t->scan_weight_ns, .low_ns = t->scan_weight_low_ns, .high_ns = t->scan_weight_high_ns};
    return (struct leak_place){.ns = t->difference_ns, .low_ns = t->low_ns, .high_ns = t->high_ns};
}

static bool is_bounded(const struct leak_target *t)
{
    const struct leak_place d = difference_of(t);
    return of_growth(t) ? isfinite(t->growth_low_ns) || isfinite(t->growth_high_ns) : isfinite(d.low_ns) || isfinite(d.high_ns);
}

static double processes_of(const struct leak_target *t)
{
    return of_growth(t) ? t->growth_processes : t->processes;
}

/* "5 processes"; "38 processes in 10 groups" where several that had few calls each count as one. */
static void put_processes(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const struct rows *rows = &r->series[t->subject].main;
    const double units = processes_of(t), made = rows->n - rows_failed(rows, rows->n), all = made > units ? made : units;
    buf_format(out, "%g process%s", all, all == 1 ? "" : "es");
    if (all > units)
        buf_format(out, " in %g group%s", units, units == 1 ? "" : "s");
}

static bool says_processes(const struct leak_target *t)
{
    return of_growth(t) && t->starved > 0 && t->growth_processes > 0;
}

/* No confidence in what has no bound. */
static void put_confidence(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const double processes = processes_of(t);
    const bool bounded = is_bounded(t), undecided = t->verdict == VERDICT_UNDECIDED;
    if (!bounded && (t->sessions > 0 || !(processes > 0) || (undecided && says_processes(t))))
        return;
    leak_clause(out);
    if (bounded) {
        put_level(r, t, out);
        if (t->sessions > 0 || (undecided && says_processes(t)))
            return;
        buf_str(out, processes > 0 ? " " : "");
    }
    if (processes > 0) {
        buf_str(out, "over ");
        put_processes(r, t, out);
        buf_str(out, " of this session");
    } else
        buf_str(out, t->exact ? ", about these calls" : ", about these calls (asymptotic)");
    if (is_step_notable(t)) {
        buf_str(out, ", for any phase of a clock with steps of ");
        figure_chosen(out, "ns", t->step_ns);
    }
}

/* How large it is; with its sign where that is not settled. */
static void put_difference(const struct leak_target *t, struct buf *out)
{
    const struct leak_place d = difference_of(t);
    if (d.high_ns <= 0)
        put_size(out, -d.ns, -d.high_ns, -d.low_ns);
    else
        put_size(out, d.ns, d.low_ns, d.high_ns);
}

static double larger_end(double a, double b)
{
    return fmax(fabs(a), fabs(b));
}

static void put_sizes(const struct leak_target *t, struct buf *out)
{
    buf_format(out, " from %g to %g element%s", t->growth_first, t->growth_last, t->growth_last == 1 ? "" : "s");
}

const char *leak_word(const struct record *r, const struct leak_target *t)
{
    if (failed(r, t))
        return "failed";
    switch (t->verdict) {
    case VERDICT_LEAK:
        return of_growth(t) ? "GROWS" : "LEAK";
    case VERDICT_LEAK_SMALL:
        return "small leak";
    case VERDICT_NO_LEAK: /* a scan asks of each bit by itself, which says nothing of several together */
        return of_growth(t) ? "no growth" : of_scan(t) ? "no single bit" : "no leak";
    case VERDICT_UNDECIDED:
        return "undecided";
    default:
        return "invalid";
    }
}

static void put_where(const struct leak_target *t, struct buf *out)
{
    const bool leak = is_leak(t), several = t->scan_leaking > 1;
    if (!of_scan(t) && leak && t->first)
        buf_format(out, " between %s and %s", t->first, t->second);
    if (!of_scan(t))
        return;
    if (by_weight(t))
        buf_format(out, " for each further bit set, of %g; no single bit is proven", t->scan_bits);
    else if (leak && !t->bits)
        buf_format(out, " for the %g bits together; no single bit is proven", t->scan_bits);
    else
        buf_format(out, " for bit %d of byte %d, of %g bits", (int)t->scan_worst_bit % 8, (int)t->scan_worst_bit / 8,
                   t->scan_bits);
    if (leak && t->bits && several)
        buf_format(out, "; %g bits leak (byte.bit: %s)", t->scan_leaking, t->bits);
}

static void put_calls_to_distinguish(const struct leak_target *t, struct buf *out)
{
    const double calls = t->calls_to_distinguish < 10 ? ceil(t->calls_to_distinguish) : rint(t->calls_to_distinguish);
    if (!(calls > 0) || isinf(calls) || of_scan(t) || !(t->advantage_low > 0)) /* the advantage may be none */
        return;
    buf_format(out, "; about %s call%s enough for an attacker", figure_text(figure_count, calls).at,
               calls == 1 ? " is" : "s are");
}

static bool is_beyond_margin(const struct leak_target *t)
{
    return t->least_ns > t->margin_ns || t->most_ns < -t->margin_ns || t->low_ns > t->margin_ns || t->high_ns < -t->margin_ns;
}

static bool has_known_advantage(const struct leak_target *t)
{
    return t->advantage_low > t->tolerated_advantage;
}

/* A session of --method dudect is over with dudect's answer; of a file there are no more times. */
static bool ended_by_dudect(const struct record *r, const struct leak_target *t)
{
    return r->rule.leaks.dudect && r->ended && !strcmp(r->ended, "answered") && t->kind && !strcmp(t->kind, "pairs");
}

static void answer_leak(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const bool small = t->verdict == VERDICT_LEAK_SMALL;
    if (isfinite(difference_of(t).ns))
        put_difference(t, out);
    put_where(t, out);
    if (small) {
        buf_str(out, "; within ");
        put_margin(r, t, out);
    }
    if (!small && !is_beyond_margin(t) && !has_known_advantage(t) && t->why) {
        buf_str(out, "; ");
        put_reason(t->why, out);
        if (ended_by_dudect(r, t) && !strcmp(t->why, leak_reason_text(LEAK_WHY_UNSETTLED)))
            buf_str(out, "; without --method dudect the session goes on until it is");
    } else if (difference_of(t).low_ns < 0 && difference_of(t).high_ns > 0) {
        buf_str(out, "; the mean difference is not settled"); /* something else proves the leak */
    }
    put_calls_to_distinguish(t, out);
    if (!small && t->beyond_harness == 0) { /* A/A has not yet shown that the harness makes less by itself */
        buf_format(out, "; the harness itself may cause up to %s of it",
                   scaled_text("ns", fmax(-t->aa_low_ns, t->aa_high_ns)).at);
    }
}

static void answer_no_leak(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const double bound = of_growth(t) ? fmax(t->growth_high_ns, 0) : larger_end(t->least_ns, t->most_ns);
    if (of_scan(t))
        buf_format(out, "each of %g bits changes the time by less than ", t->scan_bits);
    else
        buf_str(out, "below ");
    if (of_growth(t)) {
        figure_chosen(out, "ns", t->growth_bound_ns);
        put_sizes(t, out);
    } else
        put_margin(r, t, out);
    buf_str(out, " (");
    if (isfinite(bound))
        buf_format(out, "bound %s, ", scaled_text("ns", bound).at);
    if (t->repeat > 1)
        buf_format(out, "mean of %g calls, ", t->repeat);
    put_level(r, t, out);
    buf_char(out, ')');
}

/* Classes that fit: "like n", "like n (or n log n)"; of many none is named first. */
static void put_growth_class(const struct leak_target *t, struct buf *out)
{
    enum { MANY = 3 };
    int others = t->complexity_or != NULL;
    for (const char *at = t->complexity_or; at && (at = strstr(at, " or ")); at++)
        others++;
    if (!t->complexity)
        return;
    if (others >= MANY)
        buf_format(out, "its class is one of %s or %s: ", t->complexity, t->complexity_or);
    else
        buf_format(out, others ? "like %s (or %s): " : "like %s: ", t->complexity, t->complexity_or);
}

static void answer_growth(const struct leak_target *t, struct buf *out)
{
    put_growth_class(t, out);
    put_size(out, t->growth_ns, t->growth_low_ns, t->growth_high_ns);
    put_sizes(t, out);
    if (isfinite(t->growth_element_ns)) {
        buf_str(out, "; ");
        put_size(out, t->growth_element_ns, t->growth_element_low_ns, t->growth_element_high_ns);
        buf_str(out, " for each element");
    }
}

/* What makes it wait: of pairs whose sizes all lie within the margin it is the advantage. */
static bool waits_for_advantage(const struct leak_target *t)
{
    return larger_end(t->least_ns, t->most_ns) <= t->margin_ns && t->advantage_high >= t->tolerated_advantage;
}

/* More than a thousand times as much, and not for the evidence of others. */
static bool is_beyond_projection(const struct record *r, const struct leak_target *t)
{
    enum { ENOUGH_TO_PROJECT = 200 }; /* blocks */
    bool held_back = t->ledger_runs > 0 || t->log10_e_most >= -log10(r->rule.leaks.alpha);
    return isnan(t->blocks_needed) && t->blocks >= ENOUGH_TO_PROJECT && !held_back && !of_growth(t) && !(t->processes < 2);
}

static double seconds_of_all(const struct record *r)
{
    double sum = r->seconds;
    for (int i = 0; i < r->n_leak_targets; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        if (t->verdict == VERDICT_UNDECIDED && t->seconds_needed > 0 && isfinite(t->seconds_needed))
            sum += t->seconds_needed;
    }
    return sum;
}

static void put_needed(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const char *option = waits_for_advantage(t) ? "advantage" : "margin";
    const bool too_few = t->blocks < 2 || (of_growth(t) && t->growth_processes < 2);
    /* Of one with too little to project from it is the least that any verdict takes. */
    const double calls =
        too_few ? ceil(t->seconds_needed * t->calls / t->seconds) : ceil(t->blocks_needed * t->calls / t->blocks);
    if (t->sessions > 0) /* the reason says how many would do */
        return;
    if (t->step_ns >= t->margin_ns && !too_few) {
        buf_str(out, "; use a --margin above ");
        figure_chosen(out, "ns", t->step_ns);
    } else if (is_beyond_projection(r, t))
        buf_format(out, "; use a quieter machine or a wider --%s", option);
    if (!(calls > 0) || isinf(calls) || (t->step_ns >= t->margin_ns && !too_few))
        return;
    buf_str(out, too_few ? "; at least " : "; about ");
    const double shown = figure_to_side(calls, true);
    buf_format(out, "%s call%s more %s", figure_text(figure_estimated_count, shown).at, shown == 1 ? "" : "s",
               too_few ? "are needed" : "would decide");
    if (r->rule.leaks.max_calls > 0)
        buf_format(out, " (--max-calls %.15g)", figure_to_side(t->calls + calls, true));
    else if (r->seconds > 0 && t->seconds_needed > 0)
        buf_format(out, " (--max-time %.15gs)", figure_to_side(seconds_of_all(r), true));
    else
        buf_format(out, " (or a wider --%s)", option);
}

/* What is shown is not what it waits for. */
static void put_widest(const struct leak_target *t, struct buf *out)
{
    const double shown = fmax(-t->low_ns, t->high_ns), widest = fmax(-t->least_ns, t->most_ns);
    if (!isfinite(widest) || widest <= t->margin_ns || (shown > t->margin_ns && widest < 2 * shown))
        return;
    buf_format(out, ", %s up to %s", of_scan(t) ? "others" : "at other clips", scaled_text("ns", widest).at);
}

static void put_so_far(const struct record *r, const struct leak_target *t, struct buf *out)
{
    if (of_growth(t) && isfinite(t->growth_ns)) {
        buf_str(out, "growth ");
        put_size(out, t->growth_ns, isnan(t->growth_low_ns) ? -INFINITY : t->growth_low_ns,
                 isnan(t->growth_high_ns) ? INFINITY : t->growth_high_ns);
        if (says_processes(t)) {
            buf_str(out, " over ");
            put_processes(r, t, out);
        }
        if (isfinite(t->growth_bound_ns)) {
            buf_str(out, ", ");
            figure_chosen(out, "ns", t->growth_bound_ns);
            buf_str(out, " tolerated");
        }
    } else if (!of_growth(t) && isfinite(t->low_ns) && isfinite(t->high_ns)) {
        buf_str(out, "difference ");
        put_difference(t, out);
        put_where(t, out);
        put_widest(t, out);
    }
    if (out->len && waits_for_advantage(t))
        buf_format(out, ", advantage up to %.2g (%g tolerated)", figure_to_side(t->advantage_high, true), t->tolerated_advantage);
}

static void answer_undecided(const struct record *r, const struct leak_target *t, struct buf *out)
{
    struct buf reason = BUF_INIT(1 << 16);
    put_so_far(r, t, out);
    put_reason(t->why ? t->why : out->len ? "" : NULL, &reason);
    if (reason.len) {
        leak_clause(out);
        buf_str(out, buf_text(&reason));
    }
    buf_finish(&reason);
    put_needed(r, t, out);
}

/* "passes in try 2", "fails in all 10 tries", "has failed in 3 tries so far" */
static void put_tries(struct buf *out, double tries, double passed)
{
    const char *s = tries == 1 ? "try" : "tries";
    if (passed == 1)
        buf_format(out, "passes in try %g: ", tries);
    else if (passed == 0)
        buf_format(out, "fails in all %g %s: ", tries, s);
    else if (tries >= 0)
        buf_format(out, "has failed in %g %s so far: ", tries, s);
}

static void put_dudect_verdict(struct buf *out, const char *verdict, double t)
{
    buf_format(out, "\"%s\" (|t| ", verdict);
    if (isfinite(t))
        buf_format(out, "%.3g", fabs(t));
    else
        buf_str(out, "unbounded");
}

static void put_dudect(struct buf *out, const char *verdict, double t, double test, double over)
{
    put_dudect_verdict(out, verdict, t);
    if (test == 0)
        buf_str(out, ", uncropped");
    else if (test > 0)
        buf_format(out, ", test %g", test);
    if (over >= 0)
        buf_format(out, ", over the threshold after %s calls", figure_text(figure_count, over).at);
    buf_char(out, ')');
}

void leak_dudect_sentence(const struct leak_target *t, struct buf *out)
{
    if (!t->dudect)
        return;
    buf_str(out, t->dudect_tries >= 0 ? "lab0-c, as published: " : "dudect, as published: ");
    put_tries(out, t->dudect_tries, t->dudect_passed);
    put_dudect(out, t->dudect, t->dudect_t, t->dudect_test, t->dudect_over_after);
    buf_str(out, "; with its known defects corrected: ");
    put_tries(out, t->corrected_tries, t->corrected_passed);
    put_dudect(out, t->corrected, t->corrected_t, t->corrected_test, t->corrected_over_after);
}

void leak_answer(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const bool invalid = t->verdict == VERDICT_INVALID || t->verdict == VERDICT_NONE;
    struct buf answer = BUF_INIT(1 << 16);
    if (invalid || !(t->calls > 0))
        put_reason(t->why, &answer);
    else if (t->verdict == VERDICT_NO_LEAK)
        answer_no_leak(r, t, &answer);
    else if (t->verdict == VERDICT_UNDECIDED)
        answer_undecided(r, t, &answer);
    else if (of_growth(t))
        answer_growth(t, &answer);
    else
        answer_leak(r, t, &answer);
    if (t->dudect && t->calls > 0) {
        /* What decides where its method was asked for. */
        leak_clause(&answer);
        buf_str(&answer, t->corrected_tries >= 0 ? "lab0-c " : "dudect: ");
        put_tries(&answer, t->corrected_tries, t->corrected_passed);
        put_dudect_verdict(&answer, t->corrected, t->corrected_t);
        buf_char(&answer, ')');
    }
    if (t->taint_verdict)
        buf_format(&answer, "; taint: %s", t->taint_verdict);
    buf_str(out, buf_text(&answer) + strspn(buf_text(&answer), " "));
    buf_finish(&answer);
}

/* "bit 4 of byte 5" */
static void put_bit(const struct leak_target *t, struct buf *out)
{
    buf_format(out, "bit %d of byte %d", (int)t->scan_worst_bit % 8, (int)t->scan_worst_bit / 8);
}

/* "bit 4 of byte 5 set", "each further bit that is set", "\"random\"" */
static void put_slower(const struct leak_target *t, struct buf *out)
{
    if (by_weight(t))
        buf_str(out, "each further bit that is set");
    else if (of_scan(t)) {
        put_bit(t, out);
        buf_str(out, " set");
    } else
        buf_format(out, "\"%s\"", t->second);
}

/* "random" takes 12.4 ns (12.1–12.7) less than "equal" (37 cycles); where it is not settled which takes more: "random" against "equal": −0.1 ns (−0.5 to
 * +0.3), which may be 0. */
static void describe_difference(const struct leak_target *t, struct buf *out)
{
    const struct leak_place d = difference_of(t);
    const bool settled = d.low_ns >= 0 || d.high_ns <= 0;
    if (settled || !of_scan(t) || by_weight(t))
        put_slower(t, out);
    else {
        buf_str(out, "the strongest evidence is for ");
        put_bit(t, out);
    }
    if (settled) {
        buf_str(out, " takes ");
        put_difference(t, out);
        buf_str(out, d.ns < 0 ? " less" : " more");
        if (!of_scan(t))
            buf_format(out, " than \"%s\"", t->first);
        if (isfinite(t->difference_cycles) && !by_weight(t)) {
            buf_char(out, ' ');
            put_cycles(out, t->difference_cycles);
        }
        return;
    }
    if (!of_scan(t))
        buf_format(out, " against \"%s\"", t->first);
    buf_str(out, ": ");
    put_difference(t, out);
    if (isfinite(d.low_ns) && isfinite(d.high_ns))
        buf_str(out, ", which may be 0");
}

static void describe_bound(const struct leak_target *t, struct buf *out)
{
    const double most = larger_end(t->least_ns, t->most_ns);
    if (!isfinite(most))
        return;
    leak_clause(out);
    buf_format(out, "means (of calls up to the clip) differ by at most %s", scaled_text("ns", most).at);
    if (t->cycles_per_tick > 0 && t->ticks_hz > 0) {
        buf_char(out, ' ');
        put_cycles(out, most * t->cycles_per_tick * t->ticks_hz / 1e9);
    }
}

static void describe_advantage(const struct leak_target *t, struct buf *out)
{
    const bool known = is_leak(t) && has_known_advantage(t);
    if (!known && !(isfinite(t->advantage_high) && !is_leak(t)))
        return;
    leak_clause(out);
    if (known) {
        buf_str(out, "the advantage is ");
        figure_bounded(out, "1", t->advantage, t->advantage_low, t->advantage_high);
    } else
        buf_format(out, "the advantage is at most %.2g", t->advantage_high);
    buf_format(out, " for an attacker who observes one call%s (%g tolerated)", t->step_ns > 0 ? " by this file's clock" : "",
               t->tolerated_advantage);
}

static void describe_margin(const struct record *r, const struct leak_target *t, struct buf *out)
{
    if (!is_leak(t) || !(t->margin_ns > 0) || (isinf(t->low_ns) && isinf(t->high_ns))) /* its size has no interval yet */
        return;
    leak_clause(out);
    buf_str(out, t->verdict == VERDICT_LEAK_SMALL ? "within the margin of "
                 : is_beyond_margin(t)            ? "larger than the margin of "
                                                  : "not known to be larger than the margin of ");
    put_margin(r, t, out);
}

void leak_details(const struct record *r, const struct leak_target *t, struct buf *out)
{
    struct buf text = BUF_INIT(1 << 16);
    const bool undecided = t->verdict == VERDICT_UNDECIDED, invalid = !is_leak(t) && t->verdict != VERDICT_NO_LEAK && !undecided;
    if (invalid || !(t->calls > 0))
        return;
    if (of_growth(t))
        put_confidence(r, t, &text);
    else if (isfinite(t->difference_ns) && (of_scan(t) || t->second)) {
        describe_difference(t, &text);
        put_confidence(r, t, &text);
        describe_margin(r, t, &text);
    }
    if (t->verdict == VERDICT_NO_LEAK && !of_growth(t))
        describe_bound(t, &text);
    if (!of_growth(t) && !of_scan(t))
        describe_advantage(t, &text);
    if (undecided && !(t->sessions > 0) && !(t->starved > 0)) { /* else calls or processes are what it lacks */
        leak_clause(&text);
        buf_format(&text, "a wider --%s needs fewer calls", waits_for_advantage(t) ? "advantage" : "margin");
    }
    buf_str(out, buf_text(&text));
    buf_finish(&text);
}

void leak_sentence(const struct record *r, const struct leak_target *t, struct buf *out)
{
    struct buf details = BUF_INIT(1 << 16);
    buf_format(out, "%s: ", leak_word(r, t));
    leak_answer(r, t, out);
    leak_details(r, t, &details);
    buf_str(out, details.len ? ". " : ".");
    if (details.len)
        buf_format(out, "%c%s.", toupper((unsigned char)*buf_text(&details)), buf_text(&details) + 1);
    buf_finish(&details);
}

static void put_files(const struct record *r, struct buf *out)
{
    const char *before = NULL;
    for (int i = 0; i < r->n_leak_targets; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        const char *program = r->subjects[t->subject].program;
        if (!program || (before && !strcmp(before, program)))
            continue;
        buf_format(out, "%s%s", before ? ", " : "", program);
        if (t->program_hash)
            buf_format(out, " %.16s", t->program_hash);
        before = program;
    }
}

static bool is_kind(const struct record *r, const char *kind)
{
    return r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, kind);
}

void leak_claim(const struct record *r, struct buf *out)
{
    const struct leak_target *t = r->n_leak_targets ? &r->leak_targets[0] : NULL;
    const struct rule_leaks *u = &r->rule.leaks;
    const bool csv = is_kind(r, "csv"), growth = is_kind(r, "growth"), scan = is_kind(r, "scan");
    if (!t)
        return;
    buf_str(out, csv ? "The verdict holds only for the times and labels in this file (" : "Verdicts hold only for this file (");
    put_files(r, out);
    buf_char(out, ')');
    if (!csv) {
        buf_str(out, growth ? ", these sizes" : scan ? ", random inputs" : ", these classes of inputs");
        if (t->cpu)
            buf_format(out, ", this processor (%s)", t->cpu);
        buf_format(out, " and %s caches%s", u->cache, u->noise ? " with a busy process beside the target" : "");
    }
    buf_char(out, '.');
    if (scan)
        buf_str(out,
                " A scan tests single bits and the number of ones: an effect of several bits in combination is not detected.");
    buf_str(out, growth ? " Times are clipped far above the 90 % quantile of each size: the cost of rarer calls is not included."
                        : " Times are clipped: effects in fewer than one call in a hundred count as evidence, but their size is "
                          "not bounded.");
    if (growth && u->latency_ns > 0) {
        buf_str(out, " Tolerated are four memory accesses of ");
        figure_chosen(out, "ns", u->latency_ns);
        buf_format(out, " each, or %s of the typical time at the smallest size in the warm-up if that is more.",
                   figure_text(figure_level, r->rule.margin).at);
    }
    if (t->order)
        buf_format(out, " %s", t->order);
}

void leak_question(const struct record *r, struct buf *out)
{
    const struct rule_leaks *u = &r->rule.leaks;
    const bool growth = is_kind(r, "growth"), scan = is_kind(r, "scan");
    buf_str(out, growth ? "does the time grow by more than "
                 : scan ? "does a bit of the secret change the time by more than "
                        : "do the classes differ in time by more than ");
    if (r->rule.margin_unit)
        buf_format(out, "%g %s", r->rule.margin, r->rule.margin_unit);
    else
        figure_level(out, r->rule.margin);
    if (!growth && !scan && !(r->n_leak_targets && r->leak_targets[0].repeat > 1))
        buf_format(out, ", or by an advantage of more than %g", u->advantage);
    buf_char(out, '?');
    if (!growth)
        buf_format(out, " False positives in at most %g of runs;", u->alpha);
    buf_format(out, " %s confidence%s", figure_text(figure_level, r->rule.confidence).at, u->exact ? " (exact)" : "");
    if (!is_kind(r, "csv"))
        buf_format(out, ", %s caches%s", u->cache ? u->cache : "warm", u->noise ? " with a busy process beside the target" : "");
    buf_char(out, '.');
}
