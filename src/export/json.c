/* SPDX-License-Identifier: MIT
 * {"results": [...], "comparisons": [...], "findings": [...], "environment": {...}}; the members are fixed in design section 5.
 * A session of tare clock has "clocks", "serialisers", "timers" and "experiments" before the findings, and no results. One of tare
 * system qualify has "host" there.
 */
#include "export_kind.h"
#include "exporters.h"
#include "json_parts.h"
#include "record_fields.h"
#include "record_kind.h"
#include "record_write.h"
#include "repetition.h"
#include "results.h"
#include "scan_lines.h"
#include "utc.h"

/* "scans": [{"parameter", "title", "commands": [...], "values": [...], "slope", "slope_low", ...}]: how the metric grows with each parameter, a member
 * for each line of a scan (scan_lines.h). */

static void scan_figure(struct json_write *j, const struct estimate *e, const char *key, const char *low, const char *high)
{
    json_number(j, key, e ? e->point : NAN);
    json_number(j, low, e ? e->low : NAN);
    json_number(j, high, e ? e->high : NAN);
}

static void scan_points(struct json_write *j, const struct record *r, const struct scan_line *line)
{
    json_array(j, "points");
    for (int i = 0; i < line->n; i++) {
        const struct estimate *off = scan_estimate(r, line, i, "off_line"), *of_class = scan_estimate(r, line, i, "off_class");
        json_object(j, NULL);
        json_number(j, "value", line->values[i]);
        json_bytes(j, "command", r->subjects[line->subjects[i]].name);
        json_interval(j, r, line->subjects[i], r->rule.metric, "median", json_median_keys);
        scan_figure(j, off, "off_line", "off_line_low", "off_line_high");
        if (of_class)
            scan_figure(j, of_class, "off_class", "off_class_low", "off_class_high");
        json_end(j);
    }
    json_end(j);
}

/* By how much each class of complexity misses more than the best one, whose excess is 0, and its constant. Nothing where none was asked for. */
static void scan_classes(struct json_write *j, const struct record *r, const struct scan_line *line)
{
    json_array(j, "classes");
    for (int i = 0; i < SCAN_CLASSES; i++) {
        const struct scan_class_names *names = &scan_class_names[i];
        const struct estimate *e = scan_estimate(r, line, 0, names->excess);
        if (!e)
            continue;
        json_object(j, NULL);
        json_string(j, "class", names->name);
        scan_figure(j, e, "excess", "excess_low", "excess_high");
        scan_figure(j, scan_estimate(r, line, 0, names->constant), "constant", "constant_low", "constant_high");
        json_end(j);
    }
    json_end(j);
}

static void one_line(struct json_write *j, const struct record *r, const struct scan_line *line, struct arena *a)
{
    const struct estimate *slope = scan_estimate(r, line, 0, "slope");
    json_object(j, NULL);
    json_bytes(j, "title", scan_title(r, line, a));
    json_string(j, "parameter", line->parameter);
    json_string(j, "metric", r->rule.metric);
    scan_figure(j, slope, "slope", "slope_low", "slope_high");
    scan_figure(j, scan_estimate(r, line, 0, "slope_change"), "slope_change", "slope_change_low", "slope_change_high");
    json_number(j, "confidence", slope && slope->confidence > 0 ? slope->confidence : NAN);
    json_number(j, "level", slope && slope->confidence > 0 ? slope->level : NAN);
    json_string(j, "method", slope ? slope->method : NULL);
    json_integer(j, "rounds", slope ? slope->n : 0);
    json_string(j, "reason", slope ? slope->reason : "not computed");
    scan_classes(j, r, line);
    scan_points(j, r, line);
    json_end(j);
}

/* "scans": the growth with each parameter. */
static void json_scans(struct json_write *j, struct export_out *out, const struct record *r)
{
    struct arena a = {0};
    const struct scan_line *lines;
    int n = scan_lines(r, &a, &lines);
    if (n < 0)
        out->text.status = TARE_NO_MEMORY;
    if (n > 0)
        json_array(j, "scans");
    for (int i = 0; i < n; i++) {
        one_line(j, r, &lines[i], &a);
        export_out_pass(out);
    }
    if (n > 0)
        json_end(j);
    arena_finish(&a);
}

/* What several sessions say: those of --aa together, and a repeated one beside the first. */

/* "against_itself": {"command", "sessions", "false_positives", "same", ..., "false_positive_share", "false_positive_share_low", ...}: what the sessions of --aa say together. Each
 * of them stands in "comparisons". Of benchmarks "command" is null and "benchmarks" has such an object, with "name", for each of them. */
enum { OF_ALL = -1 };

static void aa_verdicts(struct json_write *j, const struct record *r, int subject)
{
    int n = 0, same = 0, undecided = 0, invalid = 0;
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (subject != OF_ALL && record_first_copy(r, c->reference) != subject)
            continue;
        n++;
        invalid += !comparison_judged(c);
        same += c->verdict == VERDICT_SAME;
        undecided += c->verdict == VERDICT_UNDECIDED && comparison_judged(c);
    }
    json_integer(j, "sessions", n);
    json_integer(j, "false_positives", n - same - undecided - invalid);
    json_integer(j, "same", same);
    json_integer(j, "undecided", undecided);
    json_integer(j, "invalid", invalid);
}

static void aa_share(struct json_write *j, const struct record *r, const struct estimate *e)
{
    json_number(j, "false_positive_share", e->point);
    json_number(j, "false_positive_share_low", e->confidence > 0 ? e->low : NAN);
    json_number(j, "false_positive_share_high", e->confidence > 0 ? e->high : NAN);
    json_number(j, "confidence", e->confidence > 0 ? e->confidence : NAN);
    json_string(j, "method", e->method);
    json_string(j, "reason", e->reason);
    json_number(j, "promised", 1 - r->rule.confidence);
}

static void aa_figure(struct json_write *j, const struct record *r, int subject, const char *key, const char *statistic)
{
    json_number(j, key, record_point(r, subject, r->rule.metric, statistic));
}

static void aa_figures(struct json_write *j, const struct record *r, int subject, const struct estimate *e)
{
    aa_verdicts(j, r, subject);
    aa_share(j, r, e);
    aa_figure(j, r, subject, "half_width", "aa_half_width");
    aa_figure(j, r, subject, "pair_sd", "aa_pair_sd");
    aa_figure(j, r, subject, "detectable", "aa_detectable");
}

static const struct estimate *false_positives(const struct record *r, int subject)
{
    bool counts = r->rule.against_itself && subject_measured(&r->subjects[subject]) && record_first_copy(r, subject) == subject;
    return counts ? record_estimate(r, subject, r->rule.metric, "aa_false_positives") : NULL;
}

static void aa_benchmarks(struct json_write *j, const struct record *r)
{
    json_array(j, "benchmarks");
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *e = false_positives(r, i);
        if (!e)
            continue;
        json_object(j, NULL);
        json_bytes(j, "name", r->subjects[i].benchmark);
        aa_figures(j, r, i, e);
        json_end(j);
    }
    json_end(j);
}

/* "against_itself": what the sessions of --aa say together. */
static void json_against_itself(struct json_write *j, const struct record *r)
{
    const struct estimate *e = r->n_subjects ? false_positives(r, 0) : NULL;
    if (!e)
        return;
    json_object(j, "against_itself");
    if (record_kind(r)->processes) {
        /* Of all benchmarks together, or of the only one. */
        const struct estimate *all = record_estimate(r, 0, r->rule.metric, "aa_false_positives_of_all");
        json_string(j, "command", NULL);
        aa_verdicts(j, r, OF_ALL);
        aa_share(j, r, all ? all : e);
        aa_benchmarks(j, r);
    } else {
        json_bytes(j, "command", r->subjects[0].name);
        aa_figures(j, r, 0, e);
    }
    json_end(j);
}

/* "repetition": {"of", "measured", "seed", "word", "machine", ..., "items": [{"command", "reference", "from", "to", "word", ...}]}: what tare rerun says,
 * item by item in the order in which the screen has them. */

/* A ratio where they are compared by ratios, else a difference; null: not known. */
static void repeated_size(struct json_write *j, const struct repeated *p, double value, double low, double high)
{
    const bool difference = p->kind == METRIC_COUNT;
    const double all[] = {value, low, high};
    static const char *const ratio[] = {"ratio", "ratio_low", "ratio_high"}, *const differ[] = {"difference", "difference_low",
                                                                                                "difference_high"};
    for (int i = 0; i < 3; i++)
        json_number(j, difference ? differ[i] : ratio[i], difference || !isfinite(all[i]) ? all[i] : exp(all[i]));
}

/* Null for what was measured alone. */
static void repeated_side(struct json_write *j, const char *key, const struct repeated *p, const struct repeated_side *s)
{
    if (!s->rounds) {
        json_null(j, key);
        return;
    }
    json_object(j, key);
    json_string(j, "verdict", verdict_name(s->verdict));
    repeated_size(j, p, s->shift, s->low, s->high);
    json_integer(j, "rounds", s->rounds);
    json_end(j);
}

static void repeated_item(struct json_write *j, const struct record *now, const struct repetition *all, int index)
{
    const struct repeated *p = &all->items[index];
    const bool decides = index < all->n_deciding, arc = p->from != NULL;
    json_object(j, NULL);
    json_bytes(j, "command", p->name);
    json_bytes(j, "reference", p->reference >= 0 ? now->subjects[p->reference].name : NULL);
    if (p->now_arc)
        json_arc_ends(j, now, p->now_arc - 1);
    else if (p->then_arc)
        json_arc_ends(j, all->then, p->then_arc - 1);
    json_string(j, "metric", p->metric);
    json_bool(j, "decides", decides);
    json_string(j, "word", decides ? agreement_name(p->word) : NULL);
    json_string(j, "reason", p->reason);
    if (arc) {
        json_number(j, "then_ns", p->then_ns);
        json_number(j, "now_ns", p->now_ns);
        json_number(j, "share", p->share);
    }
    json_object(j, "change");
    repeated_size(j, p, p->change, p->low, p->high);
    json_number(j, "confidence", p->confidence > 0 ? p->confidence : NAN);
    json_end(j);
    repeated_side(j, "then", p, &p->then);
    repeated_side(j, "now", p, &p->now);
    json_end(j);
}

/* "repetition": what tare rerun says of the record. */
static void json_repetition(struct json_write *j, struct export_out *out, const struct record *r)
{
    const struct repetition *x = r->repetition;
    if (!x)
        return;
    char start[40];
    struct buf when = buf_over(start, sizeof start);
    utc_text(&when, x->then->start_utc_ns);
    json_object(j, "repetition");
    json_bytes(j, "of", x->name);
    json_string(j, "measured", start);
    json_unsigned(j, "seed", x->then->seed);
    json_string(j, "word", agreement_name(x->word));
    json_string(j, "machine", x->machine);
    json_bool(j, "machine_known", x->machine_known);
    json_string(j, "programs", x->programs);
    json_string(j, "conditions", x->conditions);
    json_string(j, "tool", x->tool);
    json_array(j, "items");
    for (int i = 0; i < x->n; i++) {
        repeated_item(j, r, x, i);
        export_out_pass(out);
    }
    json_end(j);
    json_end(j);
}

/* "timelines": [{"command", "wall_ns", "rss_peak_bytes", ..., "at_ns": [...], "rss_bytes": [...], "heap_bytes": [...]}], memory over one run of each
 * command that nobody timed (timeline.h). */
static void timeline(struct json_write *j, const struct record *r, const struct timeline *t)
{
    static const char run[] = "wall_ns exit_status processes rss_peak_bytes rss_peak_ns largest_process_bytes";
    static const char peak[] = "heap_peak_bytes heap_peak_ns heap_peak_exact";
    static const char heap[] = "heap_left_bytes allocations reallocations frees failures allocated_bytes unwatched left_count";
    json_object(j, NULL);
    json_bytes(j, "command", r->subjects[t->subject].name);
    record_fields_pick(j, timeline_fields, run, t);
    record_fields_pick(j, timeline_heap_fields, peak, t);
    json_bytes(j, "heap_reason", t->heap_reason);
    record_fields_pick(j, timeline_heap_fields, heap, t);
    json_integer(j, "period_ns", t->period_ns);
    int indent = j->indent;
    json_array(j, "at_ns");
    j->indent = 0;
    for (int i = 0; i < t->n; i++)
        json_integer(j, NULL, t->at_ns[i]);
    json_end(j);
    j->indent = indent;
    json_numbers(j, "rss_bytes", t->rss, t->n);
    json_numbers(j, "heap_bytes", t->heap, t->n);
    json_end(j);
}

static void json_timelines(struct json_write *j, struct export_out *out, const struct record *r)
{
    if (r->n_timelines)
        json_array(j, "timelines");
    for (int i = 0; i < r->n_timelines; i++) {
        timeline(j, r, &r->timelines[i]);
        export_out_pass(out);
    }
    if (r->n_timelines)
        json_end(j);
}

static void finding(struct json_write *j, const struct record *r, const struct finding *f)
{
    json_object(j, NULL);
    record_fields_pick(j, finding_fields, "id severity text", f);
    json_subject(j, "subject", r, f->subject);
    json_string(j, "advice", f->advice);
    json_end(j);
}

static void findings(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_array(j, "findings");
    for (int i = 0; i < r->n_findings; i++) {
        finding(j, r, &r->findings[i]);
        export_out_pass(out);
    }
    json_end(j);
}

/* Where, when and by which rule the results were made: enough to repeat them and to see what is different elsewhere. */

static void session(struct json_write *j, const struct record *r)
{
    char start[40];
    struct buf b = buf_over(start, sizeof start);
    utc_text(&b, r->start_utc_ns);
    json_string(j, "tool", "tare");
    json_bytes(j, "version", r->tool_version);
    json_array(j, "argv");
    for (int i = 0; r->argv && r->argv[i]; i++)
        json_string(j, NULL, r->argv[i]);
    json_end(j);
    json_unsigned(j, "seed", r->seed);
    json_string(j, "start", start);
    json_number(j, "seconds", r->seconds);
    json_integer(j, "rounds", r->rounds);
    json_integer(j, "look", r->look);
    json_string(j, "ended", r->ended);
    json_bool(j, "partial", r->partial);
}

static void rule(struct json_write *j, const struct rule *u)
{
    json_object(j, "rule");
    static const char members[] = "method metric confidence precision margin margin_unit";
    record_fields_pick(j, rule_fields, members, u);
    json_string(j, "order", u->interleaved ? "interleaved" : "blocks");
    json_end(j);
}

static void facts(struct json_write *j, const char *key, const struct facts *f)
{
    json_object(j, key);
    record_facts_json(j, f);
    json_end(j);
}

/* What an empty program costs: tare's own weight, which is in every time. */
static void empty_program(struct json_write *j, const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++) {
        if (r->subjects[i].kind != SUBJECT_NOOP)
            continue;
        json_object(j, "empty_program");
        json_integer(j, "runs", r->series[i].main.n);
        json_number(j, "median", record_point(r, i, "wall", "median") / 1e9);
        json_number(j, "min", record_point(r, i, "wall", "min") / 1e9);
        json_end(j);
        return;
    }
    json_null(j, "empty_program");
}

static void environment(struct json_write *j, const struct record *r)
{
    json_object(j, "environment");
    session(j, r);
    if (record_kind(r)->id != RECORD_OF_clocks) {
        rule(j, &r->rule);
        empty_program(j, r);
    }
    facts(j, "machine", &r->machine);
    facts(j, "conditions_before", &r->before);
    facts(j, "conditions_after", &r->after);
    facts(j, "build", &r->build);
    json_end(j);
}

static enum tare_status write_json(const struct record *r, const struct export_options *o, const struct sink *sink,
                                   struct tare_err *err)
{
    (void)o; /* neither unit nor order: a file for programs has one form */
    struct arena arena = {0};
    const int *order = results_order(r, false, &arena);
    if (!order)
        return err_no_memory(err);
    struct export_out out;
    export_out_begin(&out, sink, err);
    struct json_write j = json_into(&out.text, 2);
    json_object(&j, NULL);
    const struct kind_export *kind = kind_export(r);
    if (kind->json)
        kind->json(&j, &out, r, order);
    json_against_itself(&j, r);
    json_scans(&j, &out, r);
    json_timelines(&j, &out, r);
    if (kind->json_more)
        kind->json_more(&j, &out, r);
    json_repetition(&j, &out, r);
    findings(&j, &out, r);
    environment(&j, r);
    json_end(&j);
    buf_char(&out.text, '\n');
    arena_finish(&arena);
    return export_out_end(&out);
}

const struct exporter exporter_json = {"json", "json", .write = write_json};
