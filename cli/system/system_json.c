/* SPDX-License-Identifier: MIT
 * {"ready": false, "verdict": "...", "cpus": {...}, "rows": [...], "settings": [...], "command_line": "...", "probe": {...}}
 */
#include "json_write.h"
#include "system_report.h"
#include "system_shown.h"

static void put_list(struct json_write *j, const char *key, const struct cpu_list *list)
{
    struct buf text = BUF_INIT(1 << 16);
    cpu_list_write(&text, list);
    json_string(j, key, buf_text(&text));
    buf_finish(&text);
}

static void put_place(struct json_write *j, const struct look *l)
{
    json_object(j, "cpus");
    put_list(j, "online", &l->online);
    put_list(j, "present", &l->present);
    put_list(j, "isolated", &l->isolated);
    put_list(j, "bench", &l->bench);
    put_list(j, "reserved", &l->reserved);
    put_list(j, "housekeeping", &l->housekeeping);
    json_end(j);
    json_string(j, "why_bench", l->why_bench);
}

static const char *quieted_by(const struct look *l, const struct knob_row *r)
{
    static const char *const words[RELIEFS] = {
        [RELIEF_TUNE] = "tune", [RELIEF_PEOPLE] = "people", [RELIEF_HELD] = "run --tune", [RELIEF_OUTSIDE] = "restart or host"};
    return r->state == KNOB_NOISY ? words[system_relief(l, r)] : NULL;
}

static void put_rows(struct json_write *j, const struct look *l)
{
    json_array(j, "rows");
    for (int i = 0; i < l->n_rows; i++) {
        const struct knob_row *r = &l->rows[i];
        json_object(j, NULL);
        json_string(j, "id", r->knob->id);
        json_string(j, "title", r->knob->title);
        json_string(j, "group", r->knob->group);
        json_string(j, "state", knob_state_text(r->state));
        json_bytes(j, "value", r->value);
        json_bytes(j, "why", r->why);
        json_bytes(j, "advice", r->advice);
        json_string(j, "quieted_by", quieted_by(l, r));
        json_bool(j, "tunable", system_row_tunable(l, r));
        json_string(j, "risk", knob_risk_text(r->knob->risk));
        json_integer(j, "effect", r->knob->effect);
        json_string(j, "keep", r->knob->keep);
        json_end(j);
    }
    json_end(j);
}

static void put_settings(struct json_write *j, const struct look *l)
{
    json_array(j, "settings");
    for (int i = 0; i < l->n_settings; i++) {
        const struct setting *s = &l->settings[i];
        json_object(j, NULL);
        json_string(j, "knob", s->knob->id);
        json_bytes(j, "path", s->path);
        json_bytes(j, "now", s->now);
        json_bytes(j, "wanted", s->wanted);
        json_bool(j, "pending", system_setting_pending(s));
        json_string(j, "risk", knob_risk_text(s->knob->risk));
        json_string(j, "why_not", s->why_not);
        json_end(j);
    }
    json_end(j);
}

static void put_changes(struct json_write *j, const struct tune_report *r)
{
    json_array(j, "changes");
    for (int i = 0; i < r->n; i++) {
        const struct change *c = &r->changes[i];
        json_object(j, NULL);
        json_string(j, "knob", c->knob);
        json_bytes(j, "path", c->path);
        json_bytes(j, "from", c->from);
        json_bytes(j, "to", c->to);
        json_string(j, "outcome", change_outcome_text(c->outcome));
        json_integer(j, "error", c->error);
        json_bytes(j, "note", c->note);
        json_end(j);
    }
    json_end(j);
}

static void put_interval(struct json_write *j, const char *key, const struct tare_interval *i)
{
    json_object(j, key);
    json_number(j, "point", i->point);
    json_number(j, "low", i->low);
    json_number(j, "high", i->high);
    json_number(j, "level", 1 - i->level);
    json_end(j);
}

static void put_users(struct json_write *j, const struct jitter *probe)
{
    json_array(j, "users");
    for (int i = 0; probe->users_known && i < probe->users.n; i++) {
        const struct cpu_user *u = &probe->users.top[i];
        json_object(j, NULL);
        json_bytes(j, "name", u->name);
        json_integer(j, "id", u->id);
        json_integer(j, "processes", u->processes);
        json_number(j, "seconds", u->seconds);
        json_end(j);
    }
    json_end(j);
    if (probe->users_known)
        json_number(j, "users_unnamed_seconds", probe->users.unnamed_seconds);
}

static void put_probe(struct json_write *j, const struct system_shown *s)
{
    if (!s->jitter) {
        json_null(j, "probe");
        return;
    }
    json_object(j, "probe");
    json_array(j, "measured");
    for (int i = 0; i < s->jitter->n_cpus; i++) {
        json_object(j, NULL);
        json_integer(j, "cpu", s->jitter->cpus[i].cpu);
        json_number(j, "seconds", s->figures[i].seconds);
        put_interval(j, "gaps_over_1_us", &s->figures[i].gaps[JITTER_OVER_1_US]);
        put_interval(j, "gaps_over_10_us", &s->figures[i].gaps[JITTER_OVER_10_US]);
        put_interval(j, "gaps_over_100_us", &s->figures[i].gaps[JITTER_OVER_100_US]);
        put_interval(j, "lost_share", &s->figures[i].lost_share);
        json_number(j, "largest_ns", s->figures[i].largest_ns);
        put_interval(j, "core_hz_p5", &s->figures[i].core_hz[0]);
        put_interval(j, "core_hz_median", &s->figures[i].core_hz[1]);
        put_interval(j, "core_hz_p95", &s->figures[i].core_hz[2]);
        json_number(j, "others_seconds", s->figures[i].others_seconds);
        json_number(j, "stolen_seconds", s->figures[i].stolen_seconds);
        json_number(j, "interrupt_seconds", s->figures[i].interrupt_seconds);
        json_number(j, "steal_seconds", s->jitter->cpus[i].steal_seconds);
        json_number(j, "ticks_per_second", s->jitter->cpus[i].ticks_per_second);
        json_end(j);
    }
    json_end(j);
    put_users(j, s->jitter);
    json_end(j);
}

void system_show_json(const struct system_shown *s, struct buf *out)
{
    struct json_write j = json_into(out, 2);
    struct buf verdict = BUF_INIT(1 << 12);
    system_verdict(&verdict, s);
    json_object(&j, NULL);
    json_bool(&j, "ready", !s->noisy);
    json_string(&j, "verdict", buf_text(&verdict));
    put_place(&j, s->look);
    put_rows(&j, s->look);
    put_settings(&j, s->look);
    json_string(&j, "command_line", s->look->command_line);
    put_probe(&j, s);
    json_end(&j);
    buf_char(out, '\n');
    buf_finish(&verdict);
}

enum exit_code system_export(struct outputs *outputs, struct cli *cli, const char *command, bool dry_run, const struct look *look,
                             const struct tune_report *report)
{
    struct buf text = BUF_INIT(1 << 26);
    struct json_write j = json_into(&text, 2);
    json_object(&j, NULL);
    json_string(&j, "command", command);
    json_bool(&j, "dry_run", dry_run);
    if (look) {
        put_place(&j, look);
        put_settings(&j, look);
    }
    if (report) {
        put_changes(&j, report);
        json_string(&j, "warning", report->warning);
    }
    json_end(&j);
    buf_char(&text, '\n');
    return outputs_text(outputs, cli, EXPORT_TO_JSON, &text);
}
