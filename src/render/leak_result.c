/* SPDX-License-Identifier: MIT
 *
 * Leak targets: a line each, then one for all of them; with -v what the lines rest on.
 *
 *     naive_memcmp  LEAK     7.2 ns (7.0–7.4) between equal and random; about 258 calls are enough for an attacker
 *     ct_memcmp     no leak  below 1 ns (bound 0.003 ns, 99 % confidence)
 *     self-checks passed (A/A, injected delay) · 1 leak: exit 1
 */
#include "layout.h"
#include "leak_sentences.h"
#include "quote.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* What a verdict rests on: evidence, self-checks, sessions, and the CPUs that it was measured on. */

static bool is_kind(const struct leak_target *t, const char *kind)
{
    return t->kind && !strcmp(t->kind, kind);
}

static void put_power_of_ten(struct buf *out, double log10_e)
{
    buf_str(out, "10^");
    figure_put(out, log10_e, fabs(log10_e) < 10 && log10_e != floor(log10_e) ? 1 : 0);
}

static void put_evidence(struct buf *out, double log10_e)
{
    leak_clause(out);
    if (isinf(log10_e)) { /* of bets that lost everything */
        buf_str(out, "no evidence (e = 0)");
        return;
    }
    buf_str(out, "evidence e = ");
    put_power_of_ten(out, log10_e);
}

static void put_component(const struct leak_target *t, struct buf *out)
{
    if (!t->component)
        return;
    buf_format(out, "; strongest: %s, %s", t->family, t->component);
    if (isfinite(t->component_at))
        buf_format(out, " at %s", figure_text(figure_level, t->component_at).at);
}

/* What shows of it is then less than what was injected, so both are said. */
static void put_replanted(const struct leak_target *t, struct buf *out)
{
    if (!(t->spike_replanted > 0))
        return;
    if (t->spike_found_after >= 0)
        buf_format(out, " as %s", scaled_text("ns", t->spike_ns).at);
    buf_str(out, t->spike_replanted == 1 ? " (half the delay was not found)" : " (shorter delays were not found)");
}

/* ", and in 14 of 15 separate stretches of 512 blocks (power at least 0.63)" */
static void put_power(const struct leak_target *t, struct buf *out)
{
    enum { FEW = 5 };
    const char *unit = is_kind(t, "scan") ? "calls" : "blocks";
    if (!(t->spike_found_after >= 0))
        return;
    if (t->power_stretches >= FEW && t->power_found >= 0 && t->power_blocks > 0 && t->spike_power_low >= 0)
        buf_format(out, ", and in %g of %g separate stretches of %g %s (power at least %.2g)", t->power_found, t->power_stretches,
                   t->power_blocks, unit, figure_to_side(t->spike_power_low, false));
    else
        buf_format(out, " (too few %s to estimate the power)", unit);
}

static void put_selfchecks(const struct leak_target *t, struct buf *out)
{
    const bool found = t->spike_found_after >= 0;
    const double after = found ? t->spike_found_after : t->spike_blocks;
    if (t->aa_blocks > 0)
        buf_format(out, "; A/A found %s difference", t->aa_log10_e >= t->aa_limit_log10_e ? "a" : "no");
    if (!(t->spike_blocks > 0))
        return;
    buf_str(out, "; the injected delay of ");
    figure_chosen(out, "ns", t->spike_planted_ns);
    buf_format(out, "%s%s %s%s", found ? " was found after " : " was not found in ", figure_text(figure_count, after).at,
               is_kind(t, "scan") ? "call" : "block", buf_plural((int64_t)after));
    put_replanted(t, out);
    put_power(t, out);
    if (t->drift_cusum > 1.63) { /* by chance in 1 of 100 */
        buf_str(out, "; times drifted ");
        if (!isnan(t->drift_share))
            buf_format(out, "by %s of their mean ", figure_text(figure_rough, t->drift_share).at);
        buf_str(out, "during the run");
    }
}

/* "3 sessions could", "1 session could" */
static void put_session_count(struct buf *out, double n)
{
    buf_format(out, "; %g session%s ", n, n == 1 ? "" : "s");
}

static void put_sessions(const struct leak_target *t, struct buf *out)
{
    const bool less = t->difference_ns < 0;
    if (t->size_sd_ns >= 0)
        buf_format(out, "; sd between sessions %s", scaled_text("ns", t->size_sd_ns).at);
    if (t->sessions_cpus_differ > 0) {
        buf_format(out, "; CPUs differed in %g of %g sessions", t->sessions_cpus_differ, t->sessions);
        if (t->places_low_ns < t->places_high_ns)
            buf_format(out, " (a CPU in a session: %s to %s)", scaled_text("ns", less ? -t->places_high_ns : t->places_low_ns).at,
                       scaled_text("ns", less ? -t->places_low_ns : t->places_high_ns).at);
    }
    if (t->sessions_blind > 0) {
        put_session_count(out, t->sessions_blind);
        buf_str(out, "found neither a difference nor the injected delay");
    }
    if (t->sessions_left_out > 0) {
        put_session_count(out, t->sessions_left_out);
        buf_format(out, "could not be judged and %s left out", t->sessions_left_out == 1 ? "was" : "were");
    }
}

void leak_evidence(const struct record *r, const struct leak_target *t, struct buf *out)
{
    figure_count(out, t->calls);
    if (t->repeat > 1)
        buf_format(out,
                   " reading%s of %s%g calls each (throughput: an effect on only the first call is divided by their number, and "
                   "the advantage is not measured)",
                   buf_plural((int64_t)t->calls), is_kind(t, "growth") ? "up to " : "", t->repeat);
    else
        buf_format(out, " call%s", buf_plural((int64_t)t->calls));
    if (t->seconds > 0)
        buf_format(out, " in %s", figure_text(figure_duration, t->seconds).at);
    if (!isnan(t->log10_e_most)) {
        put_evidence(out, t->log10_e_most);
        buf_str(out, " (");
        put_power_of_ten(out, -log10(r->rule.leaks.alpha));
        buf_str(out, " needed");
        if (t->log10_e_most > 1)
            put_component(t, out);
        buf_char(out, ')');
    }
    if (is_kind(t, "growth") && t->log10_e > 0) {
        put_evidence(out, t->log10_e);
        buf_str(out, " for more growth than is tolerated");
    }
    if (t->ledger_runs > 0) {
        buf_format(out, "; with %g earlier run%s of the ledger e = ", t->ledger_runs, buf_plural((int64_t)t->ledger_runs));
        put_power_of_ten(out, t->ledger_log10_e);
    }
    put_sessions(t, out);
    put_selfchecks(t, out);
    if (isfinite(t->growth_slope)) {
        buf_str(out, "; slope of the logarithms ");
        figure_bounded(out, "1", t->growth_slope, t->growth_slope_low, t->growth_slope_high);
    }
}

enum { PLACES_NAMED = 4 }; /* of more CPUs, the two ends */

/* As the difference is printed: without its sign. */
static void put_place(const struct leak_target *t, const struct leak_place *p, struct buf *out)
{
    figure_scaled(out, "ns", t->difference_ns < 0 ? -p->ns : p->ns, FIGURE_DIGITS);
    buf_format(out, " on CPU %d (%g process%s)", p->cpu, p->processes, p->processes == 1 ? "" : "es");
}

/* What is proven may be too small for anyone: below a tenth of the margin and a twentieth of the size it is not said. */
static void put_places(const struct leak_target *t, struct buf *out)
{
    const struct leak_place *least = &t->places[0], *most = least;
    for (int i = 1; i < t->n_places; i++) {
        least = t->places[i].ns < least->ns ? &t->places[i] : least;
        most = t->places[i].ns > most->ns ? &t->places[i] : most;
    }
    if (most->ns - least->ns < fmax(t->margin_ns / 10, fabs(t->difference_ns) / 20))
        return;
    buf_str(out, "the size differs between CPUs: ");
    for (int i = 0; t->n_places <= PLACES_NAMED && i < t->n_places; i++) {
        buf_str(out, i ? ", " : "");
        put_place(t, &t->places[i], out);
    }
    if (t->n_places > PLACES_NAMED) {
        put_place(t, least, out);
        buf_str(out, " to ");
        put_place(t, most, out);
        buf_format(out, ", %d CPUs in all", t->n_places);
    }
}

/* Its relative half width is a fifth shorter in cycles at least, of a size that is known to differ from 0 in both. */
static bool cycles_explain(const struct leak_target *t)
{
    const double ns = (t->high_ns - t->low_ns) / fabs(t->difference_ns),
                 cycles = (t->high_cycles - t->low_cycles) / fabs(t->difference_cycles);
    return isfinite(ns) && ns < 2 && cycles <= .8 * ns && t->core_hz_high > 1.01 * t->core_hz_low;
}

void leak_places(const struct leak_target *t, struct buf *out)
{
    if (t->cpus_differ > 0 && t->n_places > 1)
        put_places(t, out);
    if (!cycles_explain(t))
        return;
    const bool less = t->difference_cycles < 0;
    leak_clause(out);
    buf_format(out, "the core ran at %s to %s; in its cycles the size is known better: ", scaled_text("Hz", t->core_hz_low).at,
               scaled_text("Hz", t->core_hz_high).at);
    figure_bounded(out, "1", fabs(t->difference_cycles), less ? -t->high_cycles : t->low_cycles,
                   less ? -t->low_cycles : t->high_cycles);
    buf_str(out, " cycles");
}

/* A text of sentences with names in it, without blanks at its end: a text of the record may be empty. */
static void put_sentence(struct page *p, struct buf *text)
{
    while (text->len && text->data[text->len - 1] == ' ')
        text->data[--text->len] = 0;
    put_text(p, buf_text(text));
    buf_finish(text);
}

/* What was found of a subject; of one without a result what its failure says. */
static struct leak_target target_of(const struct record *r, int subject)
{
    const struct leak_target *found = record_leak_target(r, subject);
    struct leak_target none;
    if (found)
        return *found;
    leak_target_init(&none, subject);
    none.verdict = r->subjects[subject].failure ? VERDICT_INVALID : VERDICT_UNDECIDED;
    none.why = r->subjects[subject].failure;
    return none;
}

static bool is_target(const struct record *r, int subject)
{
    return r->subjects[subject].kind == SUBJECT_LEAK;
}

struct row_columns {
    int name, answer; /* columns that a name may take; where the answer begins */
};

static struct row_columns columns_of(struct page *p)
{
    enum { INDENT = 2, GAP = 2, NAME_MOST = 60, NAME_LEAST = 12, ANSWER_LEAST = 30, BESIDE_LITTLE = 4 };
    const int width = p->o->width;
    struct row_columns c = {.name = width <= 0 || width / 4 > NAME_MOST ? NAME_MOST
                                    : width / 4 < NAME_LEAST            ? NAME_LEAST
                                                                        : width / 4};
    int name = 0, word = 0;
    for (int i = 0; i < p->r->n_subjects; i++) {
        if (!is_target(p->r, i))
            continue;
        const struct leak_target t = target_of(p->r, i);
        put_short_name(p, i, c.name);
        const int columns = text_columns(buf_text(&p->piece), p->piece.len), length = (int)strlen(leak_word(p->r, &t));
        piece_clear(p);
        name = columns > name ? columns : name;
        word = length > word ? length : word;
    }
    c.name = name;
    c.answer = INDENT + name + GAP + word + GAP;
    if (width > 0 && width - c.answer < ANSWER_LEAST) /* no room for a column of its own */
        c.answer = BESIDE_LITTLE;
    return c;
}

/* So many blanks as lead to a column, two at least. */
static const char *gap_to(const struct page *p, int column)
{
    static const char blanks[] = "                                                                              ";
    const int n = column - p->column, most = (int)sizeof blanks - 1;
    return blanks + most - (n < 2 ? 2 : n > most ? most : n);
}

static void put_row(struct page *p, int subject, const struct row_columns *c)
{
    const struct leak_target t = target_of(p->r, subject);
    struct buf answer = BUF_INIT(1 << 16);
    if (p->o->stacked) { /* the name has a line of its own, and is not cut */
        quote_mask(&p->piece, p->r->subjects[subject].name, p->o->unicode);
        flow_line(p, 2, HUE_PLAIN);
        flow_begin(p, 4, 4);
    } else {
        flow_begin(p, 2, c->answer);
        put_short_name(p, subject, c->name);
        flow_put(p, "");
    }
    buf_str(&p->piece, leak_word(p->r, &t));
    flow_put_hued(p, p->o->stacked ? "" : gap_to(p, 2 + c->name + 2),
                  t.verdict == VERDICT_NO_LEAK                                ? HUE_GOOD
                  : t.verdict == VERDICT_LEAK || t.verdict == VERDICT_INVALID ? HUE_BAD
                                                                              : HUE_BOLD);
    leak_answer(p->r, &t, &answer);
    put_sentence(p, &answer);
    flow_spread(p, p->o->stacked ? "  " : gap_to(p, c->answer), HUE_PLAIN);
    flow_end(p);
}

/* How many of the targets failed a self-check, of those that had it. */
struct checks {
    int aa, aa_failed, delay, delay_missed;
};

static void put_checks(struct page *p)
{
    struct checks c = {0};
    for (int i = 0; i < p->r->n_leak_targets; i++) {
        const struct leak_target *t = &p->r->leak_targets[i];
        c.aa += t->aa_blocks > 0;
        c.aa_failed += t->aa_blocks > 0 && t->aa_log10_e >= t->aa_limit_log10_e;
        c.delay += t->spike_blocks > 0;
        c.delay_missed += t->spike_blocks > 0 && !(t->spike_found_after >= 0);
    }
    if (c.aa_failed)
        buf_format(&p->piece, "A/A failed in %d of %d", c.aa_failed, c.aa);
    summary_part(p);
    if (c.delay_missed)
        buf_format(&p->piece, "injected delay not found in %d of %d", c.delay_missed, c.delay);
    if (!c.aa_failed && !c.delay_missed && c.aa + c.delay)
        buf_format(&p->piece, "self-checks passed (%s%s%s)", c.aa ? "A/A" : "", c.aa && c.delay ? ", " : "",
                   c.delay ? "injected delay" : "");
    summary_part(p);
}

/* Targets by their verdict, those that decide the exit code first. */
enum tally { FAILED, INVALID, LEAKS, TAINTED, SMALL, UNDECIDED, CLEAN, TALLIES };

static enum tally tally_of(const struct record *r, const struct leak_target *t)
{
    if (r->subjects[t->subject].failure)
        return t->unfit > 0 ? INVALID : FAILED;
    return t->verdict == VERDICT_LEAK         ? LEAKS
           : t->verdict == VERDICT_LEAK_SMALL ? SMALL
           : t->verdict == VERDICT_NO_LEAK    ? CLEAN
           : t->verdict == VERDICT_UNDECIDED  ? UNDECIDED
                                              : INVALID;
}

/* Of dudect's method: by its verdict, which is never that there is none. */
static enum tally dudect_tally_of(const struct record *r, const struct leak_target *t)
{
    const enum tally own = tally_of(r, t);
    const bool bad = t->corrected_tries >= 0 ? t->corrected_passed == 0 : t->corrected_over_after >= 0;
    return own <= INVALID ? own : bad ? LEAKS : UNDECIDED;
}

static void count_verdicts(const struct record *r, int n[TALLIES])
{
    for (int i = 0; i < r->n_subjects; i++) {
        if (!is_target(r, i))
            continue;
        const struct leak_target t = target_of(r, i);
        n[r->rule.leaks.dudect ? dudect_tally_of(r, &t) : tally_of(r, &t)]++;
        n[TAINTED] += t.taint_verdict && !strcmp(t.taint_verdict, "found");
        n[FAILED] += t.taint_verdict && !strcmp(t.taint_verdict, "failed");
    }
}

static void put_tallies(struct page *p)
{
    static const char *const words[TALLIES] = {"failed",     "invalid",   "leak",   "found by taint",
                                               "small leak", "undecided", "no leak"};
    const struct rule_leaks *u = &p->r->rule.leaks;
    const bool growth = u->kind && !strcmp(u->kind, "growth"), scan = u->kind && !strcmp(u->kind, "scan");
    const int codes[TALLIES] = {[FAILED] = 5, [INVALID] = 4, [LEAKS] = 1, [TAINTED] = 1, [SMALL] = u->strict, [UNDECIDED] = 3};
    int n[TALLIES] = {0}, code = 0;
    count_verdicts(p->r, n);
    const char *gap = "";
    buf_str(&p->piece, !u->dudect ? "" : u->lab0 ? "by lab0: " : "by dudect: ");
    for (int i = 0; i < CLEAN; i++) {
        code = code || !n[i] ? code : codes[i];
        if (!n[i])
            continue;
        buf_format(&p->piece, "%s%d %s%s", gap, n[i], growth && i == LEAKS ? "growing" : words[i],
                   n[i] > 1 && ((i == LEAKS && !growth) || i == SMALL) ? "s" : "");
        gap = ", ";
    }
    if (!*gap)
        buf_str(&p->piece, growth ? "no growth" : scan ? "no single bit" : words[CLEAN]);
    if (!p->r->session && !p->r->partial &&
        !p->o->stored) /* one of a set decides no exit code, and a session that was stopped has another one */
        buf_format(&p->piece, ": exit %d", code);
    summary_part(p);
}

static void put_line(struct page *p, struct buf *text, enum hue hue)
{
    if (!text->len) {
        buf_finish(text);
        return;
    }
    put_sentence(p, text);
    flow_line(p, 2, hue);
}

static void put_words(struct page *p, const char *before, const char *text)
{
    struct buf b = BUF_INIT(1 << 16);
    if (text)
        buf_format(&b, "%s%s", before, text);
    put_line(p, &b, HUE_PLAIN);
}

static void put_figures(struct page *p, struct leak_target t)
{
    flow_begin(p, 4, 6);
    for (int i = 0; leak_figure_at(i); i++) {
        const struct leak_figure *f = leak_figure_at(i);
        const double value = *leak_figure_of(&t, f);
        if (isnan(value) || !strcmp(f->id, "seconds") || !strcmp(f->id, "unfit"))
            continue;
        buf_format(&p->piece, "%s ", f->id);
        if (isinf(value))
            buf_str(&p->piece, value > 0 ? "unbounded" : "unbounded below");
        else
            figure_put(&p->piece, value, figure_digits(value, 4));
        flow_put_hued(p, p->fresh ? "" : "   ", HUE_DIM);
    }
    flow_end(p);
}

static void render_basis(struct page *p, int subject)
{
    const struct leak_target t = target_of(p->r, subject);
    struct buf details = BUF_INIT(1 << 16), evidence = BUF_INIT(1 << 16), places = BUF_INIT(1 << 16), dudect = BUF_INIT(1 << 16);
    if (!(t.calls > 0))
        return;
    flow_begin(p, 0, 2);
    quote_mask(&p->piece, p->r->subjects[subject].name, p->o->unicode);
    buf_char(&p->piece, ':');
    flow_put_hued(p, "", HUE_BOLD);
    leak_details(p->r, &t, &details);
    put_sentence(p, &details);
    flow_rest(p);
    leak_dudect_sentence(&t, &dudect);
    put_line(p, &dudect, HUE_PLAIN);
    leak_evidence(p->r, &t, &evidence);
    put_line(p, &evidence, HUE_PLAIN);
    leak_places(&t, &places);
    put_line(p, &places, HUE_PLAIN);
    put_words(p, "beside the times: ", t.facts);
    put_words(p, "", p->r->subjects[subject].remark);
    put_words(p, "taint: ", t.taint);
    put_words(p, "data-independent timing: ", t.dit);
    put_figures(p, t);
}

void render_leaks(struct page *p)
{
    const struct row_columns columns = columns_of(p);
    for (int i = 0; i < p->r->n_subjects; i++)
        if (is_target(p->r, i))
            put_row(p, i, &columns);
    if (p->o->verbosity < 0)
        return;
    flow_begin(p, 2, 4);
    put_checks(p);
    put_tallies(p);
    flow_end(p);
    for (int i = 0; i < p->r->n_subjects && p->o->verbosity > 0; i++)
        if (is_target(p->r, i))
            render_basis(p, i);
    struct buf claim = BUF_INIT(1 << 16);
    if (p->o->verbosity > 0)
        leak_claim(p->r, &claim);
    put_sentence(p, &claim);
    flow_line(p, 0, HUE_DIM);
}

static void put_dry(struct page *p, const char *label, struct buf *text)
{
    flow_label(p, 0, 2, label, HUE_DIM);
    put_sentence(p, text);
    flow_rest(p);
}

void render_leak_dry_run(const struct record *r, double max_time_s, const struct render_options *o, struct buf *out)
{
    struct page page = page_over(r, o, out), *p = &page;
    struct buf text = BUF_INIT(1 << 16), question = BUF_INIT(1 << 16);
    buf_str(&text, "nothing was measured; the programs were only asked for their targets.");
    put_dry(p, "Dry run:", &text);
    for (int i = 0; i < r->n_subjects; i++) {
        text = BUF_INIT(1 << 16);
        buf_format(&text, "%s", r->subjects[i].command);
        put_dry(p, "Target:", &text);
    }
    text = BUF_INIT(1 << 16);
    buf_format(&text,
               "one process of each undecided target, in random order; %s, longer where calls or the session are long, at most 1 "
               "s; until all are decided, at most %s in all (seed %llu).",
               !strcmp(r->rule.leaks.kind, "growth") ? "0.3 s each" : "about 50 ms each",
               figure_text(figure_limit, max_time_s).at, (unsigned long long)r->seed);
    put_dry(p, "Rounds:", &text);
    if (r->sessions) {
        text = BUF_INIT(1 << 16);
        buf_format(&text, "%d, each as above", r->sessions);
        if (r->every_ns) {
            buf_str(&text, ", one every ");
            figure_chosen(&text, "ns", (double)r->every_ns);
        }
        buf_str(&text, "; then sizes and verdicts over all of them.");
        put_dry(p, "Sessions:", &text);
    }
    leak_question(r, &question);
    put_dry(p, "Question:", &question);
    page_finish(p);
}
