/* SPDX-License-Identifier: MIT
 * "clocks": [{"name", "parameters", "estimates": [...], "series": [...]}], and serialisers, timers, experiments alike.
 * "host": {"verdict", "good_for", "why", "figures": [{"name", "parameters", "estimates", "series"}]}: a figure is a pair of CPUs, a CPU, its throughput ... */
#include "json_parts.h"
#include "record_fields.h"

static void estimates(struct json_write *j, const struct record *r, int subject)
{
    json_array(j, "estimates");
    for (int i = 0; i < r->n_estimates; i++) {
        const struct estimate *e = &r->estimates[i];
        const struct metric *m = e->subject == subject ? record_metric(r, e->metric) : NULL;
        if (!m)
            continue;
        json_object(j, NULL);
        record_fields_pick(j, estimate_fields, "metric", e);
        json_string(j, "unit", m->unit);
        record_fields_pick(j, estimate_fields, "statistic value=point", e);
        if (e->confidence > 0)
            record_fields_pick(j, estimate_fields, "low high confidence", e);
        record_fields_pick(j, estimate_fields, "n reason", e);
        json_end(j);
    }
    json_end(j);
}

static void figures(struct json_write *j, struct export_out *out, const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    json_object(j, NULL);
    json_bytes(j, "name", s->name);
    json_parameters(j, "parameters", s);
    estimates(j, r, subject);
    json_array(j, "series");
    for (int i = 0; i < r->series[subject].n_columns && r->series[subject].main.n; i++) {
        const struct metric *m = record_metric(r, r->series[subject].columns[i]);
        json_object(j, NULL);
        json_string(j, "metric", r->series[subject].columns[i]);
        json_string(j, "unit", m ? m->unit : NULL);
        json_numbers(j, "values", r->series[subject].main.value[i], r->series[subject].main.n);
        json_end(j);
    }
    json_end(j);
    json_end(j);
    export_out_pass(out);
}

void json_clocks(struct json_write *j, struct export_out *out, const struct record *r)
{
    static const struct {
        const char *key;
        enum subject_kind kind;
    } lists[] = {{"clocks", SUBJECT_CLOCK},
                 {"serialisers", SUBJECT_SERIALISER},
                 {"timers", SUBJECT_TIMER},
                 {"experiments", SUBJECT_EXPERIMENT}};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        json_array(j, lists[l].key);
        for (int i = 0; i < r->n_subjects; i++)
            if (r->subjects[i].kind == lists[l].kind)
                figures(j, out, r, i);
        json_end(j);
    }
}

void json_host(struct json_write *j, struct export_out *out, const struct record *r)
{
    json_object(j, "host");
    json_string(j, "verdict", facts_text(&r->after, "host_verdict"));
    json_number(j, "good_for", facts_number(&r->after, "host_good_for"));
    json_string(j, "why", facts_text(&r->after, "host_why"));
    json_array(j, "figures");
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_HOST)
            figures(j, out, r, i);
    json_end(j);
    json_end(j);
}
