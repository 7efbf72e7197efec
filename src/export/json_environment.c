/* SPDX-License-Identifier: MIT
 * Where, when and by which rule the results were made: enough to repeat them and to see what is different elsewhere. */
#include "json_parts.h"
#include "record_fields.h"
#include "record_kind.h"
#include "record_write.h"
#include "results.h"
#include "utc.h"

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

void json_environment(struct json_write *j, const struct record *r)
{
    json_object(j, "environment");
    session(j, r);
    if (!record_kind(r)->id == RECORD_OF_clocks) {
        rule(j, &r->rule);
        empty_program(j, r);
    }
    facts(j, "machine", &r->machine);
    facts(j, "conditions_before", &r->before);
    facts(j, "conditions_after", &r->after);
    facts(j, "build", &r->build);
    json_end(j);
}
