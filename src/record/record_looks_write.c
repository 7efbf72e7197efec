/* SPDX-License-Identifier: MIT
 * The lines of a record that hold its looks. */
#include "record_write.h"
#include "record_writing.h"

static uint64_t plan_hash(const struct rule *u)
{
    size_t n = (size_t)u->n_looks;
    uint64_t hash = record_hash(RECORD_HASH_EMPTY, &u->spending, sizeof u->spending);
    return record_hash(record_hash(hash, u->look_at, n * sizeof *u->look_at), u->look_level, n * sizeof *u->look_level);
}

static void look_members(struct json_write *j, int rounds, double share, double level)
{
    json_integer(j, "rounds", rounds);
    if (share > 0)
        json_number(j, "share", share);
    json_number(j, "level", level);
}

enum tare_status record_write_own_look(struct record_writer *w, const struct record *r, int series, struct tare_err *err)
{
    const struct own_look *look = &r->series[series].look;
    if (!look->number)
        return record_write_outcome(w, err);
    struct json_write j = record_line_begin(w, "look");
    json_integer(&j, "series", series);
    json_integer(&j, "look", look->number);
    look_members(&j, look->rounds, look->share, look->level);
    record_line_end(w, &j);
    return record_write_outcome(w, err);
}

enum tare_status record_write_plan(struct record_writer *w, const struct record *r, struct tare_err *err)
{
    const struct rule *u = &r->rule;
    if ((!u->n_looks && !(u->spending > 0)) || w->plan == plan_hash(u))
        return record_write_outcome(w, err);
    struct json_write j = record_line_begin(w, "plan");
    if (u->spending > 0)
        json_number(&j, "spending", u->spending);
    json_array(&j, "looks");
    for (int i = 0; i < u->n_looks; i++) {
        json_object(&j, NULL);
        look_members(&j, u->look_at[i], u->spending > 0 ? u->look_share[i] : 0, u->look_level[i]);
        json_end(&j);
    }
    json_end(&j);
    record_line_end(w, &j);
    w->plan = plan_hash(u);
    return record_write_outcome(w, err);
}
