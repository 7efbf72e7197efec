/* SPDX-License-Identifier: MIT
 * "targets": [{"name", "verdict", "calls", "log10_e", "component", "difference_ns", ... "seconds"}] of a record of tare leak. */
#include "json_parts.h"
#include "leak_target.h"
#include "record_fields.h"
#include <math.h>

/* An object of these figures and texts; null where there is none. Not finite is null, and so is what has no value. */
static void part(struct json_write *j, const char *key, const char *members, const struct leak_target *t, bool there)
{
    if (!there) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    record_fields_pick(j, leak_target_fields, members, t);
    json_end(j);
}

static const char selfcheck[] =
    "aa_blocks aa_log10_e aa_limit_log10_e aa_ns aa_low_ns aa_high_ns spike_blocks spike_planted_ns "
    "spike_found_after spike_replanted spike_ns spike_low_ns spike_high_ns spike_power spike_power_low "
    "spike_power_high power_blocks power_stretches power_found beyond_harness visible_ns order_ns "
    "drift_share drift_cusum drift_after";
static const char growth[] = "class=complexity not_told_from=complexity_or first=growth_first last=growth_last growth_ns "
                             "low_ns=growth_low_ns high_ns=growth_high_ns bound_ns=growth_bound_ns slope=growth_slope "
                             "slope_low=growth_slope_low slope_high=growth_slope_high element_ns=growth_element_ns "
                             "processes=growth_processes";
static const char dudect[] = "published=dudect published_t=dudect_t published_over_after=dudect_over_after corrected corrected_t "
                             "corrected_over_after published_passed=dudect_passed corrected_passed threshold=dudect_threshold";
static const char scan[] = "bits=scan_bits leaking=scan_leaking which=bits worst_bit=scan_worst_bit weight_ns=scan_weight_ns";

static void scan_part(struct json_write *j, const struct leak_target *t)
{
    if (isnan(t->scan_bits)) {
        json_null(j, "scan");
        return;
    }
    json_object(j, "scan");
    record_fields_pick(j, leak_target_fields, scan, t);
    json_bool(j, "weight_leaks", t->scan_weight_leaks > 0);
    json_end(j);
}

static void taint(struct json_write *j, const struct leak_target *t)
{
    if (!t->taint) {
        json_null(j, "taint");
        return;
    }
    json_object(j, "taint");
    json_string(j, "verdict", t->taint_verdict);
    json_string(j, "tool", t->taint_tool);
    json_bytes(j, "text", t->taint);
    json_array(j, "sites");
    for (int i = 0; i < t->n_taint_sites; i++) {
        const struct leak_site *s = &t->taint_sites[i];
        json_object(j, NULL);
        json_string(j, "kind", s->kind);
        json_bytes(j, "file", s->file);
        json_number(j, "line", s->line ? s->line : NAN);
        record_fields_pick(j, leak_site_fields, "function object count", s);
        json_end(j);
    }
    json_end(j);
    json_number(j, "sites_left_out", isnan(t->taint_left_out) ? 0 : t->taint_left_out);
    json_end(j);
}

/* By the CPU of its processes. */
static void put_places(struct json_write *j, const struct leak_target *t)
{
    static const char places[] = "cpu processes difference_ns=ns low_ns high_ns";
    json_array(j, "places");
    for (int i = 0; i < t->n_places; i++) {
        json_object(j, NULL);
        record_fields_pick(j, leak_place_fields, places, &t->places[i]);
        json_end(j);
    }
    json_end(j);
}

/* By quantile of the times; null with the reason where the clock does not resolve it. */
static void put_shift(struct json_write *j, const struct leak_target *t)
{
    static const char quantiles[] = "quantile difference_ns=ns low_ns high_ns";
    json_array(j, "shift");
    for (int i = 0; i < t->n_shift; i++) {
        json_object(j, NULL);
        record_fields_pick(j, leak_quantile_fields, quantiles, &t->shift[i]);
        json_string(j, "why", isnan(t->shift[i].ns) ? t->shift_why : NULL);
        json_end(j);
    }
    json_end(j);
}

/* All figures by their names in leak_figures.def: for who needs one that has no member of its own. */
static void figures(struct json_write *j, const struct leak_target *found)
{
    struct leak_target t = *found;
    json_object(j, "figures");
    for (int i = 0; leak_figure_at(i); i++)
        if (isfinite(*leak_figure_of(&t, leak_figure_at(i))))
            json_number(j, leak_figure_at(i)->id, *leak_figure_of(&t, leak_figure_at(i)));
    json_end(j);
}

static void one(struct json_write *j, struct export_out *out, const struct record *r, int subject, const struct leak_target *t)
{
    static const char difference[] =
        "kind cache program_fnv1a64=program_hash calls log10_e=log10_e_most component family classes first "
        "second difference_ns low_ns high_ns difference_cycles low_cycles high_cycles margin_ns step_ns";
    static const char attack[] = "exact advantage advantage_low advantage_high calls_to_distinguish seconds_needed";
    const struct subject *s = &r->subjects[subject];
    json_object(j, NULL);
    json_bytes(j, "name", s->benchmark);
    json_bytes(j, "program", s->program);
    json_string(j, "verdict", verdict_name(t->verdict));
    json_string(j, "why", t->why);
    json_string(j, "state", s->failure ? t->unfit > 0 ? "unfit" : "failed" : t->calls > 0 ? "ok" : "not measured");
    record_fields_pick(j, leak_target_fields, difference, t);
    json_bool(j, "starved", t->starved > 0);
    json_number(j, "confidence", r->rule.confidence);
    record_fields_pick(j, leak_target_fields, attack, t);
    put_places(j, t);
    put_shift(j, t);
    part(j, "selfcheck", selfcheck, t, true);
    taint(j, t);
    part(j, "growth", growth, t, !isnan(t->growth_last));
    scan_part(j, t);
    part(j, "dudect", dudect, t, t->dudect);
    json_number(j, "seconds", t->seconds);
    figures(j, t);
    json_end(j);
    export_out_pass(out);
}

void json_targets(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_array(j, "targets");
    for (int i = 0; i < r->n_subjects; i++) {
        const struct leak_target *t = record_leak_target(r, i);
        struct leak_target none;
        leak_target_init(&none, i);
        none.verdict = VERDICT_UNDECIDED;
        if (r->subjects[i].kind == SUBJECT_LEAK)
            one(j, out, r, i, t ? t : &none);
    }
    json_end(j);
}
