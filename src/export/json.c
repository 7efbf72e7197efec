/* SPDX-License-Identifier: MIT
 * {"results": [...], "comparisons": [...], "findings": [...], "environment": {...}}; the members are fixed in design section 5.
 * A session of tare clock has "clocks", "serialisers", "timers" and "experiments" before the findings, and no results. One of tare
 * system qualify has "host" there.
 */
#include "exporters.h"
#include "json_parts.h"
#include "record_arcs.h"
#include "results.h"

static void results(struct json_write *j, struct export_out *out, const struct record *r, const int *order)
{
    json_array(j, "results");
    for (; *order >= 0; order++)
        json_result(j, out, r, *order);
    json_end(j);
}

static void comparisons(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_array(j, "comparisons");
    for (int i = 0; i < r->n_comparisons; i++) {
        json_comparison(j, r, &r->comparisons[i]);
        export_out_pass(out);
    }
    json_end(j);
}

static void findings(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_array(j, "findings");
    for (int i = 0; i < r->n_findings; i++) {
        json_finding(j, r, &r->findings[i]);
        export_out_pass(out);
    }
    json_end(j);
}

static enum tare_status write_json(const struct record *r, const struct export_options *o, const struct sink *sink,
                                   struct tare_err *err)
{
    (void)o; /* neither unit nor order: a file for programs has one form */
    struct arena arena = {0};
    const int *order = results_order(r, false, &arena);
    if (!order)
        return err_set(err, TARE_NO_MEMORY, "%s", tare_status_text(TARE_NO_MEMORY));
    struct export_out out;
    export_out_begin(&out, sink, err);
    struct json_write j = json_into(&out.text, 2);
    json_object(&j, NULL);
    if (record_is_of_leaks(r))
        json_targets(&j, &out, r);
    else if (!record_is_of_clocks(r)) {
        results(&j, &out, r, order);
        comparisons(&j, &out, r);
    }
    json_against_itself(&j, r);
    json_scans(&j, &out, r);
    json_timelines(&j, &out, r);
    if (record_is_of_benchmarks(r))
        json_benchmarks(&j, &out, r);
    if (record_is_of_traces(r)) {
        json_arcs(&j, &out, r);
        json_points(&j, &out, r);
    }
    if (record_is_of_clocks(r))
        json_clocks(&j, &out, r);
    if (record_is_of_hosts(r))
        json_host(&j, &out, r);
    json_repetition(&j, &out, r);
    findings(&j, &out, r);
    json_environment(&j, r);
    json_end(&j);
    buf_char(&out.text, '\n');
    arena_finish(&arena);
    return export_out_end(&out);
}

const struct exporter exporter_json = {"json", "json", write_json};
