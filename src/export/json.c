/* SPDX-License-Identifier: MIT
 * {"results": [...], "comparisons": [...], "findings": [...], "environment": {...}}; the members are fixed in design section 5.
 * A session of tare clock has "clocks", "serialisers", "timers" and "experiments" before the findings, and no results. One of tare
 * system qualify has "host" there.
 */
#include "export_kind.h"
#include "exporters.h"
#include "json_parts.h"
#include "results.h"

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
    json_environment(&j, r);
    json_end(&j);
    buf_char(&out.text, '\n');
    arena_finish(&arena);
    return export_out_end(&out);
}

const struct exporter exporter_json = {"json", "json", write_json};
