/* SPDX-License-Identifier: MIT
 * "host": {"verdict", "good_for", "why", "figures": [{"name", "parameters", "estimates", "series"}]}: a figure is a pair of CPUs, a CPU, its throughput ... */
#include "json_parts.h"
#include <math.h>

static const struct fact *fact(const struct record *r, const char *key)
{
    return facts_find(&r->after, key);
}

void json_host(struct json_write *j, struct export_out *out, const struct record *r)
{
    const struct fact *verdict = fact(r, "host_verdict"), *least = fact(r, "host_good_for"), *why = fact(r, "host_why");
    json_object(j, "host");
    json_string(j, "verdict", verdict ? verdict->text : NULL);
    json_number(j, "good_for", least && !least->text ? least->number : NAN);
    json_string(j, "why", why ? why->text : NULL);
    json_array(j, "figures");
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_HOST)
            json_figures(j, out, r, i);
    json_end(j);
    json_end(j);
}
