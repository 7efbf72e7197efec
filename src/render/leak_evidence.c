/* SPDX-License-Identifier: MIT
 *
 * What a verdict rests on: evidence, self-checks, sessions, and the CPUs that it was measured on. */
#include "leak_sentences.h"
#include "units.h"
#include <math.h>
#include <string.h>

static void clause(struct buf *out)
{
    if (out->len)
        buf_str(out, "; ");
}

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
    clause(out);
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
    if (isfinite(t->component_at)) {
        buf_str(out, " at ");
        figure_level(out, t->component_at);
    }
}

/* What shows of it is then less than what was injected, so both are said. */
static void put_replanted(const struct leak_target *t, struct buf *out)
{
    if (!(t->spike_replanted > 0))
        return;
    if (t->spike_found_after >= 0) {
        buf_str(out, " as ");
        figure_scaled(out, "ns", t->spike_ns, FIGURE_DIGITS);
    }
    buf_str(out, t->spike_replanted == 1 ? " (half the delay was not found)" : " (shorter delays were not found)");
}

/* ", and in 14 of 15 separate stretches of 512 blocks (power at least 0.63)" */
static void put_power(const struct leak_target *t, struct buf *out)
{
    enum { FEW = 5 };
    const char *unit = is_kind(t, "scan") ? "calls" : "blocks";
    if (!(t->spike_found_after >= 0))
        return;
    if (t->power_stretches >= FEW)
        buf_format(out, ", and in %g of %g separate stretches of %g %s (power at least %.2g)", t->power_found, t->power_stretches,
                   t->power_blocks, unit, t->spike_power_low);
    else
        buf_format(out, " (too few %s to estimate the power)", unit);
}

static void put_checks(const struct leak_target *t, struct buf *out)
{
    const bool found = t->spike_found_after >= 0;
    const double after = found ? t->spike_found_after : t->spike_blocks;
    if (t->aa_blocks > 0)
        buf_format(out, "; A/A found %s difference", t->aa_log10_e >= t->aa_limit_log10_e ? "a" : "no");
    if (!(t->spike_blocks > 0))
        return;
    buf_str(out, "; the injected delay of ");
    figure_chosen(out, "ns", t->spike_planted_ns);
    buf_str(out, found ? " was found after " : " was not found in ");
    figure_count(out, after);
    buf_format(out, " %s%s", is_kind(t, "scan") ? "call" : "block", buf_plural((int64_t)after));
    put_replanted(t, out);
    put_power(t, out);
    if (t->drift_cusum > 1.63) /* by chance in 1 of 100 */
        buf_format(out, "; times drifted by %.2g %% during the run", 100 * t->drift_share);
}

/* "3 sessions could", "1 session could" */
static void put_session_count(struct buf *out, double n)
{
    buf_format(out, "; %g session%s ", n, n == 1 ? "" : "s");
}

static void put_sessions(const struct leak_target *t, struct buf *out)
{
    const bool less = t->difference_ns < 0;
    if (t->size_sd_ns >= 0) {
        buf_str(out, "; sd between sessions ");
        figure_scaled(out, "ns", t->size_sd_ns, FIGURE_DIGITS);
    }
    if (t->sessions_cpus_differ > 0) {
        buf_format(out, "; CPUs differed in %g of %g sessions", t->sessions_cpus_differ, t->sessions);
        if (t->places_low_ns < t->places_high_ns) {
            buf_str(out, " (a CPU in a session: ");
            figure_scaled(out, "ns", less ? -t->places_high_ns : t->places_low_ns, FIGURE_DIGITS);
            buf_str(out, " to ");
            figure_scaled(out, "ns", less ? -t->places_low_ns : t->places_high_ns, FIGURE_DIGITS);
            buf_char(out, ')');
        }
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
    if (t->seconds > 0) {
        buf_str(out, " in ");
        figure_duration(out, t->seconds);
    }
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
    put_checks(t, out);
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
    clause(out);
    buf_format(out, "the core ran at %.3g to %.3g GHz; in its cycles the size is known better: ", t->core_hz_low / 1e9,
               t->core_hz_high / 1e9);
    figure_bounded(out, "1", fabs(t->difference_cycles), less ? -t->high_cycles : t->low_cycles,
                   less ? -t->low_cycles : t->high_cycles);
    buf_str(out, " cycles");
}
