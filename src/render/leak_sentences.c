/* SPDX-License-Identifier: MIT */
#include "leak_sentences.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* ---- figures ---- */

/* "12.4 ns [12.1, 12.7]". "12.4 ns [at least 12.1]" where one end is unbounded, "12.4 ns (no interval yet)" where both are. */
static void put_size(struct buf *out, double point, double low, double high)
{
    const double half = half_width(low, high);
    struct unit u = unit_for("ns", isfinite(point) ? fmax(fabs(point), isfinite(half) ? half : 0) : 1);
    const int decimals =
        figure_apart(low / u.factor, 0, figure_apart(high / u.factor, 0, figure_decimals(point / u.factor, half / u.factor)));
    figure_with(out, point, u, decimals);
    if (isinf(low) && isinf(high)) {
        buf_str(out, " (no interval yet)");
        return;
    }
    buf_char(out, ' ');
    if (isfinite(half)) {
        figure_interval(out, low, high, u, decimals);
        return;
    }
    buf_str(out, isinf(high) ? "[at least " : "[at most ");
    figure_put(out, (isinf(high) ? low : high) / u.factor, decimals);
    buf_char(out, ']');
}

static void put_power_of_ten(struct buf *out, double log10_e)
{
    buf_str(out, "10^");
    figure_put(out, log10_e, fabs(log10_e) < 10 ? 1 : 0);
}

/* As it was asked for, and what that is in time. */
static void put_margin(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const char *unit = r->rule.margin_unit;
    bool cycles = unit && !strcmp(unit, "cycles"), share = !unit;
    if (cycles)
        buf_format(out, "%g cycle%s (", r->rule.margin, r->rule.margin == 1 ? "" : "s");
    if (share) {
        figure_level(out, r->rule.margin);
        buf_str(out, " (");
    }
    figure_chosen(out, "ns", t->margin_ns);
    if (cycles || share)
        buf_char(out, ')');
}

/* ---- words ---- */

static bool of_growth(const struct leak_target *t)
{
    return t->kind && !strcmp(t->kind, "growth");
}

static bool of_scan(const struct leak_target *t)
{
    return t->kind && !strcmp(t->kind, "scan");
}

/* It crashed, hung, broke its word: nobody can say anything of it. */
static bool failed(const struct record *r, const struct leak_target *t)
{
    return r->subjects[t->subject].failure && !(t->unfit > 0);
}

const char *leak_word(const struct record *r, const struct leak_target *t)
{
    if (failed(r, t))
        return "FAILED";
    switch (t->verdict) {
    case VERDICT_LEAK:
        return of_growth(t) ? "GROWS" : "LEAK";
    case VERDICT_LEAK_SMALL:
        return "SMALL LEAK";
    case VERDICT_NO_LEAK:
        return of_growth(t) ? "NO GROWTH" : "NO LEAK";
    case VERDICT_UNDECIDED:
        return "UNDECIDED";
    default:
        return "INVALID";
    }
}

/* A leak of a scan that no single bit shows, but the number of ones does. */
static bool by_weight(const struct leak_target *t)
{
    return of_scan(t) && t->scan_weight_leaks > 0 && !(t->scan_leaking > 0) && isfinite(t->scan_weight_ns) &&
           (t->verdict == VERDICT_LEAK || t->verdict == VERDICT_LEAK_SMALL);
}

static void put_classes(const struct leak_target *t, struct buf *out)
{
    if (by_weight(t))
        buf_format(out, " through the number of ones among the %g bits of the secret, and no single bit that is proven",
                   t->scan_bits);
    else if (of_scan(t) && (t->verdict == VERDICT_LEAK || t->verdict == VERDICT_LEAK_SMALL))
        buf_format(out, " through the %g bits of the secret together, and no single bit that is proven", t->scan_bits);
    else if (of_scan(t))
        buf_format(out, " through the %g bits of the secret", t->scan_bits);
    else if (t->first)
        buf_format(out, " between \"%s\" and \"%s\"", t->first, t->second);
}

/* It makes the interval half as wide again. */
static bool is_step_notable(const struct leak_target *t)
{
    double half = (t->high_ns - t->low_ns) / 2 - t->step_ns;
    return t->step_ns > 0 && !(t->step_ns < half / 2);
}

static void put_confidence(const struct record *r, const struct leak_target *t, struct buf *out)
{
    buf_str(out, ", with ");
    figure_level(out, r->rule.confidence);
    if (t->sessions > 0) {
        buf_format(out, " confidence over %g session%s", t->sessions, t->sessions == 1 ? "" : "s");
        return;
    }
    const double processes = of_growth(t) ? t->growth_processes : t->processes;
    if (processes > 0)
        buf_format(out, " confidence over %g process%s of this session", processes, processes == 1 ? "" : "es");
    else
        buf_str(out, t->exact ? " confidence about these calls" : " confidence about these calls (asymptotic)");
    if (is_step_notable(t)) {
        buf_str(out, " and any phase of a clock that steps by ");
        figure_chosen(out, "ns", t->step_ns);
    }
}

/* "random" takes 12.4 ns more than "equal". */
static void put_difference(const struct leak_target *t, struct buf *out)
{
    double point = t->difference_ns, low = t->low_ns, high = t->high_ns;
    if (by_weight(t)) {
        point = t->scan_weight_ns;
        low = t->scan_weight_low_ns;
        high = t->scan_weight_high_ns;
    }
    bool less = point < 0;
    if (less) {
        double end = low;
        low = -high;
        high = -end;
    }
    if (by_weight(t))
        buf_str(out, "each further bit that is set takes ");
    else if (of_scan(t))
        buf_format(out, "bit %d.%d set takes ", (int)t->scan_worst_bit / 8, (int)t->scan_worst_bit % 8);
    else
        buf_format(out, "\"%s\" takes ", t->second);
    put_size(out, fabs(point), low, high);
    buf_str(out, less ? " less" : " more");
    if (!of_scan(t))
        buf_format(out, " than \"%s\"", t->first);
    if (isfinite(t->difference_cycles) && !by_weight(t)) {
        buf_str(out, " (");
        figure_put(out, fabs(t->difference_cycles), figure_digits(t->difference_cycles, 2));
        buf_str(out, " cycles)");
    }
}

static void put_calls_to_distinguish(const struct leak_target *t, struct buf *out)
{
    if (!(t->calls_to_distinguish > 0) || of_scan(t))
        return;
    double calls = t->calls_to_distinguish;
    if (isinf(calls))
        return;
    buf_str(out, "; about ");
    figure_count(out, calls < 10 ? ceil(calls) : rint(calls));
    buf_format(out, " call%s tell%s them apart", ceil(calls) == 1 ? "" : "s", ceil(calls) == 1 ? "s" : "");
}

static const char *who_sees(const struct leak_target *t)
{
    return t->step_ns > 0 ? " for who sees one call by this file's clock" : " for who sees one call";
}

/* A/A has not yet shown that the harness makes less by itself. */
static void put_harness(const struct leak_target *t, struct buf *out)
{
    double most = fmax(-t->aa_low_ns, t->aa_high_ns);
    if (t->beyond_harness != 0 || t->verdict != VERDICT_LEAK)
        return;
    buf_str(out, "; how much of it the harness makes is known to ");
    figure_scaled(out, "ns", most, FIGURE_DIGITS);
    buf_str(out, " only");
}

static void put_leak(const struct record *r, const struct leak_target *t, struct buf *out)
{
    bool small = t->verdict == VERDICT_LEAK_SMALL, known = t->advantage_low > t->tolerated_advantage,
         larger =
             t->least_ns > t->margin_ns || t->most_ns < -t->margin_ns || t->low_ns > t->margin_ns || t->high_ns < -t->margin_ns;
    if (small || larger) {
        buf_str(out, small ? " within " : " larger than ");
        put_margin(r, t, out);
    }
    if (of_scan(t) && t->bits)
        buf_format(out, " through %g of %g bits (%s)", t->scan_leaking, t->scan_bits, t->bits);
    else
        put_classes(t, out);
    if (isfinite(t->difference_ns)) {
        buf_str(out, ": ");
        put_difference(t, out);
        put_confidence(r, t, out);
    }
    if (known && !larger && !small) {
        buf_format(out, "; its advantage of %.2g [%.2g, %.2g]", t->advantage, t->advantage_low, t->advantage_high);
        buf_format(out, "%s is more than the tolerated %g", who_sees(t), t->tolerated_advantage);
        put_calls_to_distinguish(t, out);
        put_harness(t, out);
        return;
    }
    put_calls_to_distinguish(t, out);
    if (!small && !larger && t->why)
        buf_format(out, "; %s", t->why);
    put_harness(t, out);
}

static void put_no_leak(const struct record *r, const struct leak_target *t, struct buf *out)
{
    buf_str(out, " larger than ");
    put_margin(r, t, out);
    put_classes(t, out);
    put_confidence(r, t, out);
    if (isfinite(t->least_ns)) {
        double most = fmax(fabs(t->least_ns), fabs(t->most_ns));
        buf_str(out, ": at most ");
        figure_scaled(out, "ns", most, FIGURE_DIGITS);
        if (t->cycles_per_tick > 0 && t->ticks_hz > 0) {
            double cycles = most * t->cycles_per_tick * t->ticks_hz / 1e9;
            buf_str(out, " (");
            figure_put(out, cycles, figure_digits(cycles, 2));
            buf_str(out, " cycles)");
        }
    }
    if (isfinite(t->advantage_high)) {
        buf_format(out, ", and an advantage of at most %.2g%s", t->advantage_high, who_sees(t));
    }
}

/* What makes it wait: of pairs whose sizes all lie within the margin it is the advantage. */
static bool waits_for_advantage(const struct leak_target *t)
{
    return fmax(fabs(t->least_ns), fabs(t->most_ns)) <= t->margin_ns && t->advantage_high >= t->tolerated_advantage;
}

enum { ENOUGH_TO_PROJECT = 200 }; /* blocks */

/* More than a thousand times as much, and not for the evidence of others. */
static bool is_beyond_projection(const struct record *r, const struct leak_target *t)
{
    bool held_back = t->ledger_runs > 0 || t->log10_e_most >= -log10(r->rule.leaks.alpha);
    return isnan(t->blocks_needed) && t->blocks >= ENOUGH_TO_PROJECT && !held_back && !of_growth(t) && !(t->processes < 2);
}

/* The time, or the calls, were over before there was what any verdict takes. */
static void put_least(const struct record *r, const struct leak_target *t, struct buf *out)
{
    bool calls = r->rule.leaks.max_calls > 0 && t->calls >= r->rule.leaks.max_calls;
    if (!(t->seconds_needed > 0) || isinf(t->seconds_needed) || !(t->seconds > 0))
        return;
    buf_str(out, "; a verdict takes at least about ");
    if (calls) {
        figure_count(out, ceil(t->seconds_needed * t->calls / t->seconds));
        buf_str(out, " calls more (more --max-calls)");
        return;
    }
    figure_duration(out, fmax(t->seconds_needed, .1));
    buf_format(out, " more%s (more --max-time)", r->n_subjects > 1 ? " of its own" : "");
}

static void put_needed(const struct record *r, const struct leak_target *t, struct buf *out)
{
    const char *knob = waits_for_advantage(t) ? "advantage" : "margin";
    if (t->sessions > 0) /* the reason says how many would do */
        return;
    if (t->blocks < 2 || (of_growth(t) && t->growth_processes < 2)) { /* nothing to project from */
        put_least(r, t, out);
        return;
    }
    if (t->step_ns >= t->margin_ns) {
        buf_str(out, "; a --margin of more than ");
        figure_chosen(out, "ns", t->step_ns);
        buf_str(out, " can be decided");
        return;
    }
    if (is_beyond_projection(r, t))
        buf_format(out, "; how much longer it would take cannot be said, a stiller machine or a wider --%s would help", knob);
    if (!(t->blocks_needed > 0) || isinf(t->blocks_needed))
        return;
    buf_str(out, "; about ");
    if (r->rule.leaks.max_calls > 0 && t->blocks > 0) {
        figure_count(out, ceil(t->blocks_needed * t->calls / t->blocks));
        buf_str(out, " calls more");
    } else if (t->seconds_needed > 0 && isfinite(t->seconds_needed)) {
        figure_duration(out, fmax(t->seconds_needed, .1));
        buf_str(out, r->n_subjects > 1 ? " more of its own" : " more");
    } else {
        figure_count(out, t->blocks_needed);
        buf_str(out, " blocks more");
    }
    const char *more = r->rule.leaks.max_calls > 0 ? "more --max-calls, or "
                       : t->seconds_needed > 0     ? "more --max-time, or "
                                                   : "";
    buf_format(out, " would decide (%sa wider --%s)", more, knob);
}

/* What is shown is not what it waits for. */
static void put_widest(const struct leak_target *t, struct buf *out)
{
    const double shown = fmax(-t->low_ns, t->high_ns), widest = fmax(-t->least_ns, t->most_ns);
    if (!isfinite(widest) || widest <= t->margin_ns || (shown > t->margin_ns && widest < 2 * shown))
        return;
    buf_format(out, ", and %s up to ", of_scan(t) ? "for other bits" : "at other clips");
    figure_scaled(out, "ns", widest, FIGURE_DIGITS);
}

static void put_undecided(const struct record *r, const struct leak_target *t, struct buf *out)
{
    if (t->margin_ns > 0) {
        buf_str(out, " whether there is a leak larger than ");
        put_margin(r, t, out);
    }
    put_classes(t, out);
    if (t->why)
        buf_format(out, ": %s", t->why);
    if (isfinite(t->low_ns) && isfinite(t->high_ns)) {
        buf_str(out, "; so far ");
        put_difference(t, out);
        put_confidence(r, t, out);
        put_widest(t, out);
    }
    if (waits_for_advantage(t))
        buf_format(out, "; the advantage is at most %.2g, and %g is tolerated", t->advantage_high, t->tolerated_advantage);
    put_needed(r, t, out);
}

/* "like n", "like n (or n log n)"; of many the class is not known. */
static void put_growth_class(const struct leak_target *t, struct buf *out)
{
    enum { MANY = 3 };
    int others = t->complexity_or != NULL;
    for (const char *at = t->complexity_or; at && (at = strstr(at, " or ")); at++)
        others++;
    if (others >= MANY) {
        buf_format(out, " (its class cannot be told: %s or %s)", t->complexity, t->complexity_or);
        return;
    }
    buf_format(out, " like %s", t->complexity);
    if (others)
        buf_format(out, " (or %s)", t->complexity_or);
}

static void put_growth(const struct record *r, const struct leak_target *t, struct buf *out)
{
    bool bounded = t->verdict == VERDICT_NO_LEAK;
    if (bounded) {
        buf_str(out, " beyond ");
        figure_chosen(out, "ns", t->growth_bound_ns);
    } else if (t->verdict == VERDICT_LEAK && t->complexity)
        put_growth_class(t, out);
    if (t->verdict == VERDICT_UNDECIDED)
        buf_str(out, " whether it grows");
    buf_format(out, " from %g to %g element%s", t->growth_first, t->growth_last, t->growth_last == 1 ? "" : "s");
    if (isfinite(t->growth_low_ns) && isfinite(t->growth_high_ns)) {
        buf_str(out, ": by ");
        put_size(out, t->growth_ns, t->growth_low_ns, t->growth_high_ns);
        put_confidence(r, t, out);
    } else if (isfinite(t->growth_ns)) {
        buf_str(out, ": so far by ");
        figure_scaled(out, "ns", t->growth_ns, FIGURE_DIGITS);
        buf_format(out, " in %g process%s", t->growth_processes, t->growth_processes == 1 ? "" : "es");
    }
    if (t->verdict == VERDICT_LEAK && isfinite(t->growth_element_ns)) {
        buf_str(out, "; for each element ");
        put_size(out, t->growth_element_ns, t->growth_element_low_ns, t->growth_element_high_ns);
    }
    if (t->verdict == VERDICT_UNDECIDED) {
        if (isfinite(t->growth_bound_ns)) {
            buf_str(out, "; ");
            figure_chosen(out, "ns", t->growth_bound_ns);
            buf_str(out, " are tolerated");
        }
        if (t->why)
            buf_format(out, "; %s", t->why);
        put_needed(r, t, out);
    }
}

void leak_rest(const struct record *r, const struct leak_target *t, struct buf *out)
{
    bool invalid = t->verdict == VERDICT_INVALID || t->verdict == VERDICT_NONE;
    static const char told[] = "failed: ";
    const char *why = t->why ? t->why : "nothing was measured";
    if (invalid || !(t->calls > 0))
        buf_format(out, ": %s", strncmp(why, told, sizeof told - 1) ? why : why + sizeof told - 1);
    else if (of_growth(t))
        put_growth(r, t, out);
    else if (t->verdict == VERDICT_NO_LEAK)
        put_no_leak(r, t, out);
    else if (t->verdict == VERDICT_UNDECIDED)
        put_undecided(r, t, out);
    else
        put_leak(r, t, out);
}

void leak_sentence(const struct record *r, const struct leak_target *t, struct buf *out)
{
    buf_str(out, leak_word(r, t));
    leak_rest(r, t, out);
    buf_char(out, '.');
}

/* ---- evidence ---- */

static void put_component(const struct leak_target *t, struct buf *out)
{
    if (!t->component)
        return;
    buf_format(out, " (%s, by %s", t->family, t->component);
    if (isfinite(t->component_at)) {
        buf_str(out, " at ");
        figure_level(out, t->component_at);
    }
    buf_char(out, ')');
}

/* ", in 14 of 15 stretches of 512 blocks (power at least 0.63)". */
static void put_power(const struct leak_target *t, struct buf *out)
{
    enum { FEW = 5 };
    if (!(t->spike_found_after >= 0))
        return;
    if (!(t->power_stretches >= FEW)) {
        buf_str(out, ", too few to say how often (power)");
        return;
    }
    buf_format(out, ", and by itself in %g of %g stretches of %g %s (power at least %.2g)", t->power_found, t->power_stretches,
               t->power_blocks, of_scan(t) ? "calls" : "blocks", t->spike_power_low);
}

/* What shows of it is then less than what was planted, so both are said. */
static void put_replanted(const struct leak_target *t, struct buf *out)
{
    if (!(t->spike_replanted > 0))
        return;
    if (t->spike_found_after >= 0) {
        buf_str(out, " as ");
        figure_scaled(out, "ns", t->spike_ns, FIGURE_DIGITS);
    }
    buf_str(out, t->spike_replanted == 1 ? " (one of half the length did not show)" : " (shorter ones did not show)");
}

static void put_checks(const struct leak_target *t, struct buf *out)
{
    if (t->aa_blocks > 0)
        buf_format(out, "; A/A %s", t->aa_log10_e >= t->aa_limit_log10_e ? "fired" : "quiet");
    if (!(t->spike_blocks > 0))
        return;
    buf_str(out, "; a planted ");
    figure_chosen(out, "ns", t->spike_planted_ns);
    if (t->spike_found_after >= 0) {
        buf_str(out, " was found after ");
        figure_count(out, t->spike_found_after);
        buf_format(out, " %s%s", of_scan(t) ? "call" : "block", buf_plural((int64_t)t->spike_found_after));
    } else {
        buf_str(out, " was not found in ");
        figure_count(out, t->spike_blocks);
        buf_str(out, of_scan(t) ? " calls" : " blocks");
    }
    put_replanted(t, out);
    put_power(t, out);
    if (t->drift_cusum > 1.63) /* by chance in 1 of 100 */
        buf_format(out, "; times moved by %.2g %% on the way", 100 * t->drift_share);
}

/* ---- where it ran ---- */

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

static void put_cycles(const struct leak_target *t, struct buf *out)
{
    const bool less = t->difference_cycles < 0;
    const double low = less ? -t->high_cycles : t->low_cycles, high = less ? -t->low_cycles : t->high_cycles;
    const int decimals = figure_decimals(low, half_width(low, high));
    buf_format(out, "the core ran at %.3g to %.3g GHz, and in its cycles the size is known better: ", t->core_hz_low / 1e9,
               t->core_hz_high / 1e9);
    figure_put(out, fabs(t->difference_cycles), decimals);
    buf_str(out, " cycles ");
    figure_interval(out, low, high, unit_one, decimals);
}

void leak_places(const struct leak_target *t, struct buf *out)
{
    if (t->cpus_differ > 0 && t->n_places > 1)
        put_places(t, out);
    if (!cycles_explain(t))
        return;
    buf_str(out, out->len ? "; " : "");
    put_cycles(t, out);
}

static void put_sessions(const struct leak_target *t, struct buf *out)
{
    if (t->size_sd_ns >= 0) {
        buf_str(out, "; sd between sessions ");
        figure_scaled(out, "ns", t->size_sd_ns, FIGURE_DIGITS);
    }
    if (t->sessions_cpus_differ > 0) {
        const bool less = t->difference_ns < 0;
        buf_format(out, "; CPUs differed in %g of %g sessions", t->sessions_cpus_differ, t->sessions);
        if (t->places_low_ns < t->places_high_ns) {
            buf_str(out, " (on one CPU in one session ");
            figure_scaled(out, "ns", less ? -t->places_high_ns : t->places_low_ns, FIGURE_DIGITS);
            buf_str(out, " to ");
            figure_scaled(out, "ns", less ? -t->places_low_ns : t->places_high_ns, FIGURE_DIGITS);
            buf_char(out, ')');
        }
    }
    if (t->sessions_blind > 0)
        buf_format(out, "; %g session%s found neither a difference nor the injected delay", t->sessions_blind,
                   t->sessions_blind == 1 ? "" : "s");
    if (t->sessions_left_out > 0)
        buf_format(out, "; %g session%s could not be judged and %s left out", t->sessions_left_out,
                   t->sessions_left_out == 1 ? "" : "s", t->sessions_left_out == 1 ? "was" : "were");
}

void leak_evidence(const struct leak_target *t, struct buf *out)
{
    figure_count(out, t->calls);
    if (t->repeat > 1)
        buf_format(out,
                   " reading%s of %s%g calls each (throughput: what only the first of them shows is divided by their number, and "
                   "an advantage is of one call)",
                   buf_plural((int64_t)t->calls), of_growth(t) ? "up to " : "", t->repeat);
    else
        buf_format(out, " call%s", buf_plural((int64_t)t->calls));
    if (t->seconds > 0) {
        buf_str(out, " in ");
        figure_duration(out, t->seconds);
    }
    if (isfinite(t->log10_e_most)) {
        buf_str(out, "; odds ");
        put_power_of_ten(out, t->log10_e_most);
        buf_str(out, " against \"no leak\"");
        if (t->log10_e_most > 1)
            put_component(t, out);
    }
    if (of_growth(t) && t->log10_e > 0) {
        buf_str(out, "; odds ");
        put_power_of_ten(out, t->log10_e);
        buf_str(out, " against no more growth than is tolerated");
    }
    put_sessions(t, out);
    put_checks(t, out);
    if (t->ledger_runs > 0) {
        buf_format(out, "; with %g run%s of the ledger ", t->ledger_runs, buf_plural((int64_t)t->ledger_runs));
        put_power_of_ten(out, t->ledger_log10_e);
    }
    if (isfinite(t->growth_slope)) {
        buf_format(out, "; slope of the logarithms %.2f", t->growth_slope);
        if (isfinite(t->growth_slope_low))
            buf_format(out, " [%.2f, %.2f]", t->growth_slope_low, t->growth_slope_high);
    }
}

/* ---- the claim ---- */

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

void leak_claim(const struct record *r, struct buf *out)
{
    const struct leak_target *t = r->n_leak_targets ? &r->leak_targets[0] : NULL;
    const struct rule_leaks *u = &r->rule.leaks;
    bool csv = u->kind && !strcmp(u->kind, "csv");
    if (!t)
        return;
    buf_str(out, csv ? "This is about the times in this file (" : "This is about this file (");
    put_files(r, out);
    buf_char(out, ')');
    if (!csv && t->cpu)
        buf_format(out, " on this processor (%s)", t->cpu);
    const bool growth = u->kind && !strcmp(u->kind, "growth"), scan = u->kind && !strcmp(u->kind, "scan");
    buf_str(out, csv ? " and their labels" : growth ? ", these sizes" : scan ? ", random inputs" : ", these classes of inputs");
    if (!csv)
        buf_format(out, " and %s caches%s", u->cache, u->noise ? " with a busy neighbour" : "");
    buf_str(out, ", and nothing else.");
    if (scan)
        buf_str(out, " It is about single bits and the number of ones: what only several bits together change is not seen.");
    buf_str(out, growth ? " Times are clipped far above the 90 % of each size: what rare calls cost beyond that is not in it."
                        : " Times are clipped: what fewer than one call in a hundred shows counts as evidence, but its "
                          "size is not bounded.");
    if (t->order)
        buf_format(out, " %s", t->order);
}

void leak_question(const struct record *r, struct buf *out)
{
    const struct rule_leaks *u = &r->rule.leaks;
    bool growth = u->kind && !strcmp(u->kind, "growth"), scan = u->kind && !strcmp(u->kind, "scan");
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
        buf_format(out, " False alarms %g", u->alpha);
    buf_str(out, growth ? " Confidence " : ", confidence ");
    figure_level(out, r->rule.confidence);
    buf_format(out, "%s, %s caches%s.", u->exact ? " (exact)" : "", u->cache ? u->cache : "warm",
               u->noise ? ", a busy neighbour" : "");
}

/* ---- dudect ---- */

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

static void put_said(struct buf *out, const char *words, double t, double test, double over)
{
    buf_format(out, "\"%s\" (|t| %.3g", words, fabs(t));
    if (test == 0)
        buf_str(out, ", uncropped");
    else if (test > 0)
        buf_format(out, ", test %g", test);
    if (over >= 0) {
        buf_str(out, ", over the threshold after ");
        figure_count(out, over);
        buf_str(out, " calls");
    }
    buf_char(out, ')');
}

void leak_dudect_sentence(const struct leak_target *t, struct buf *out)
{
    if (!t->dudect)
        return;
    buf_str(out, t->dudect_tries >= 0 ? "lab0-c, as published: " : "dudect, as published: ");
    put_tries(out, t->dudect_tries, t->dudect_passed);
    put_said(out, t->dudect, t->dudect_t, t->dudect_test, t->dudect_over_after);
    buf_str(out, "; with its plain defects taken out: ");
    put_tries(out, t->corrected_tries, t->corrected_passed);
    put_said(out, t->corrected, t->corrected_t, t->corrected_test, t->corrected_over_after);
}
