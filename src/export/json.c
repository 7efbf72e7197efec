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
#include "results.h"
#include "utc.h"

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
        json_number(j, "median", results_point(r, i, "wall", "median") / 1e9);
        json_number(j, "min", results_point(r, i, "wall", "min") / 1e9);
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
