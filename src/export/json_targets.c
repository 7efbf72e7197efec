/* SPDX-License-Identifier: MIT
 * "targets": [{"name", "verdict", "calls", "log10_e", "component", "difference_ns", ... "seconds"}] of a record of tare leak. */
#include "json_parts.h"
#include "leak_target.h"
#include "record_fields.h"
#include <math.h>

/* Not finite is null, and so is what has no value. */
static void selfcheck(struct json_write *j, const struct leak_target *t)
{
    json_object(j, "selfcheck");
    json_number(j, "aa_blocks", t->aa_blocks);
    json_number(j, "aa_log10_e", t->aa_log10_e);
    json_number(j, "aa_limit_log10_e", t->aa_limit_log10_e);
    json_number(j, "aa_ns", t->aa_ns);
    json_number(j, "aa_low_ns", t->aa_low_ns);
    json_number(j, "aa_high_ns", t->aa_high_ns);
    json_number(j, "spike_blocks", t->spike_blocks);
    json_number(j, "spike_planted_ns", t->spike_planted_ns);
    json_number(j, "spike_found_after", t->spike_found_after);
    json_number(j, "spike_replanted", t->spike_replanted);
    json_number(j, "spike_ns", t->spike_ns);
    json_number(j, "spike_low_ns", t->spike_low_ns);
    json_number(j, "spike_high_ns", t->spike_high_ns);
    json_number(j, "spike_power", t->spike_power);
    json_number(j, "spike_power_low", t->spike_power_low);
    json_number(j, "spike_power_high", t->spike_power_high);
    json_number(j, "power_blocks", t->power_blocks);
    json_number(j, "power_stretches", t->power_stretches);
    json_number(j, "power_found", t->power_found);
    json_number(j, "beyond_harness", t->beyond_harness);
    json_number(j, "visible_ns", t->visible_ns);
    json_number(j, "order_ns", t->order_ns);
    json_number(j, "drift_share", t->drift_share);
    json_number(j, "drift_cusum", t->drift_cusum);
    json_number(j, "drift_after", t->drift_after);
    json_end(j);
}

static void growth(struct json_write *j, const struct leak_target *t)
{
    if (isnan(t->growth_last)) {
        json_null(j, "growth");
        return;
    }
    json_object(j, "growth");
    json_string(j, "class", t->complexity);
    json_string(j, "not_told_from", t->complexity_or);
    json_number(j, "first", t->growth_first);
    json_number(j, "last", t->growth_last);
    json_number(j, "growth_ns", t->growth_ns);
    json_number(j, "low_ns", t->growth_low_ns);
    json_number(j, "high_ns", t->growth_high_ns);
    json_number(j, "bound_ns", t->growth_bound_ns);
    json_number(j, "slope", t->growth_slope);
    json_number(j, "slope_low", t->growth_slope_low);
    json_number(j, "slope_high", t->growth_slope_high);
    json_number(j, "element_ns", t->growth_element_ns);
    json_number(j, "processes", t->growth_processes);
    json_end(j);
}

static void scan(struct json_write *j, const struct leak_target *t)
{
    if (isnan(t->scan_bits)) {
        json_null(j, "scan");
        return;
    }
    json_object(j, "scan");
    json_number(j, "bits", t->scan_bits);
    json_number(j, "leaking", t->scan_leaking);
    json_string(j, "which", t->bits);
    json_number(j, "worst_bit", t->scan_worst_bit);
    json_number(j, "weight_ns", t->scan_weight_ns);
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
        if (s->line)
            json_integer(j, "line", s->line);
        else
            json_null(j, "line");
        json_bytes(j, "function", s->function);
        json_bytes(j, "object", s->object);
        json_number(j, "count", s->count);
        json_end(j);
    }
    json_end(j);
    json_number(j, "sites_left_out", isnan(t->taint_left_out) ? 0 : t->taint_left_out);
    json_end(j);
}

static void dudect(struct json_write *j, const struct leak_target *t)
{
    if (!t->dudect) {
        json_null(j, "dudect");
        return;
    }
    json_object(j, "dudect");
    json_string(j, "published", t->dudect);
    json_number(j, "published_t", t->dudect_t);
    json_number(j, "published_over_after", t->dudect_over_after);
    json_string(j, "corrected", t->corrected);
    json_number(j, "corrected_t", t->corrected_t);
    json_number(j, "corrected_over_after", t->corrected_over_after);
    json_number(j, "published_passed", t->dudect_passed);
    json_number(j, "corrected_passed", t->corrected_passed);
    json_number(j, "threshold", t->dudect_threshold);
    json_end(j);
}

/* By the CPU of its processes. */
static void places(struct json_write *j, const struct leak_target *t)
{
    json_array(j, "places");
    for (int i = 0; i < t->n_places; i++) {
        json_object(j, NULL);
        record_fields_export(j, leak_place_fields, &t->places[i]);
        json_end(j);
    }
    json_end(j);
}

/* By quantile of the times; null with the reason where the clock does not resolve it. */
static void shift(struct json_write *j, const struct leak_target *t)
{
    json_array(j, "shift");
    for (int i = 0; i < t->n_shift; i++) {
        json_object(j, NULL);
        record_fields_export(j, leak_quantile_fields, &t->shift[i]);
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
    const struct subject *s = &r->subjects[subject];
    json_object(j, NULL);
    json_bytes(j, "name", s->benchmark);
    json_bytes(j, "program", s->program);
    json_string(j, "verdict", verdict_name(t->verdict));
    json_string(j, "why", t->why);
    json_string(j, "state", s->failure ? t->unfit > 0 ? "unfit" : "failed" : t->calls > 0 ? "ok" : "not measured");
    json_string(j, "kind", t->kind);
    json_string(j, "cache", t->cache);
    json_string(j, "program_fnv1a64", t->program_hash);
    json_number(j, "calls", t->calls);
    json_number(j, "log10_e", t->log10_e_most);
    json_string(j, "component", t->component);
    json_string(j, "family", t->family);
    json_string(j, "classes", t->classes);
    json_string(j, "first", t->first);
    json_string(j, "second", t->second);
    json_number(j, "difference_ns", t->difference_ns);
    json_number(j, "low_ns", t->low_ns);
    json_number(j, "high_ns", t->high_ns);
    json_number(j, "difference_cycles", t->difference_cycles);
    json_number(j, "low_cycles", t->low_cycles);
    json_number(j, "high_cycles", t->high_cycles);
    json_number(j, "margin_ns", t->margin_ns);
    json_number(j, "step_ns", t->step_ns);
    json_bool(j, "starved", t->starved > 0);
    json_number(j, "confidence", r->rule.confidence);
    json_bool(j, "exact", t->exact);
    json_number(j, "advantage", t->advantage);
    json_number(j, "advantage_low", t->advantage_low);
    json_number(j, "advantage_high", t->advantage_high);
    json_number(j, "calls_to_distinguish", t->calls_to_distinguish);
    json_number(j, "seconds_needed", t->seconds_needed);
    places(j, t);
    shift(j, t);
    selfcheck(j, t);
    taint(j, t);
    growth(j, t);
    scan(j, t);
    dudect(j, t);
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
