/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "comparable.h"
#include "fleet.h"
#include "json_read.h"
#include "json_write.h"
#include "plan.h"
#include "plat.h"
#include "record_kind.h"
#include "run.h"
#include "same_text.h"
#include "stored_file.h"
#include <string.h>

enum { PLAN_BYTES = 1 << 26, NOTE_BYTES = 1 << 16 };

/* What is asked of all sessions together, or of none, and so is no part of a unit. */
static bool is_ours(const struct option *o)
{
    static const char *const names[] = {"seed",     "sessions",        "every",          "continue",
                                        "baseline", "assume-no-drift", "fail-if-slower", "fail-if-unstable",
                                        "dry-run",  "no-interleave",   "list",           NULL};
    bool ours = !strcmp(o->group, "What is shown") || !strcmp(o->group, "What is kept");
    for (int i = 0; names[i] && o->name; i++)
        ours |= !strcmp(o->name, names[i]);
    return ours;
}

static enum tare_status check_argv(const struct fleet *f, struct tare_err *err)
{
    const struct option_set *set = &f->command->options;
    for (int i = 0; i < set->n; i++) {
        const struct option *o = &set->items[i];
        if (o->type != OPTION_HELP && o->type != OPTION_HELP_ALL && o->type != OPTION_VERSION && is_ours(o) &&
            option_given(set, &f->measured, o->offset))
            return err_set(err, TARE_INVALID, "--%s cannot be part of a plan; options of tare fleet go before --", o->name);
    }
    for (int i = 0; i < f->plan.argc; i++)
        if (!utf8_valid(f->plan.argv[i]))
            return err_set(err, TARE_INVALID, "a plan is UTF-8, and word %d of the command is not", i + 1);
    if (f->measured.run.aa_sessions && (!f->qualifies || fleet_of_benchmarks(f)))
        return err_set(err, TARE_INVALID, "a plan compares builds, and --aa one with itself; see tare fleet qualify");
    return f->measured.run.base.help || f->measured.run.base.version
               ? err_set(err, TARE_INVALID, "after -- comes what to measure")
               : TARE_OK;
}

/* What each unit would stumble over. Only of words that were typed here: other hosts may have other rules for them. */
static enum tare_status check_words(const struct fleet *f, struct tare_err *err)
{
    struct cli own = *f->cli;
    struct run run = {.cli = &own, .o = &f->measured.run, .benchmarks = fleet_of_benchmarks(f)};
    own.operands = f->operands;
    const enum tare_status status = run_choose_environment(&run, err);
    return status || (run.benchmarks && !run.o->results) ? status : run_check_words(&run, err);
}

bool fleet_of_benchmarks(const struct fleet *f)
{
    return !strcmp(f->command->name, "bench");
}

/* By the table of its command and its check, as if they had been typed. */
static enum tare_status read_argv(struct fleet *f, struct tare_err *err)
{
    struct arena *a = f->cli->arena;
    const char *first = f->plan.argc ? f->plan.argv[0] : "";
    f->command = fleet_measures(first) ? command_named(first) : NULL;
    if (!f->command)
        return err_set(err, TARE_INVALID, "a plan measures by tare run or tare bench, and this one by '%.60s'", first);
    const char **argv = arena_array(a, (size_t)f->plan.argc, sizeof *argv);
    if (!argv)
        return err_no_memory(err);
    memcpy(argv, f->plan.argv + 1, (size_t)f->plan.argc * sizeof *argv); /* with the NULL that closes them */
    const struct option_set *set = &f->command->options;
    option_defaults(set, &f->measured);
    enum tare_status status =
        option_parse(set, &f->measured, f->plan.argc - 1, (char *const *)(void *)argv, &f->operands, a, err);
    if (!status)
        status = check_argv(f, err);
    return status ? status : f->command->check(&f->measured, &f->operands, a, err);
}

static enum tare_status make_units(struct fleet *f, struct tare_err *err)
{
    f->n = f->plan.nodes * f->plan.blocks;
    f->units = arena_array(f->cli->arena, (size_t)f->n, sizeof *f->units);
    f->results = arena_array(f->cli->arena, (size_t)f->n, sizeof *f->results);
    if (!f->units || !f->results)
        return err_no_memory(err);
    memset(f->results, 0, (size_t)f->n * sizeof *f->results);
    fleet_plan_units(&f->plan, f->units);
    return read_argv(f, err);
}

/* Without --step-timeout: more than any session takes that does not hang, as far as the plan says how long one is; its builds and hooks are of it too. */
int64_t fleet_step_limit_ns(const struct fleet *f)
{
    static const int64_t hour_ns = INT64_C(3600000000000);
    return f->o->step_timeout_ns ? f->o->step_timeout_ns : hour_ns + 4 * f->measured.run.max_time_ns;
}

static bool is_special(const char *path)
{
    struct plat_file_state state;
    return !plat_file_state(path, &state, NULL) && !state.regular;
}

enum tare_status fleet_check_file(const char *path, struct tare_err *err)
{
    return plat_is_link(path) || is_special(path) ? err_set(err, TARE_FORMAT, "%s is not a regular file", path) : TARE_OK;
}

/* A link may be read through, but a pipe behind it would be waited for. What is too large is not read to find that out: a file of holes is made at once. */
static enum tare_status read_file(const char *path, struct buf *out, struct tare_err *err)
{
    struct plat_file_state state;
    const bool there = !plat_file_state(path, &state, NULL);
    if (there && !state.regular)
        return err_set(err, TARE_FORMAT, "%s is not a regular file", path);
    if (there && state.bytes > (int64_t)out->cap)
        return err_set(err, TARE_FORMAT, "%s is larger than any of its kind", path);
    return plat_file_read(path, out, err);
}

static const char *plan_path(const struct fleet *f)
{
    return arena_format(f->cli->arena, "%s/plan.jsonl", f->o->dir);
}

static const char *class_path(const struct fleet *f)
{
    return arena_format(f->cli->arena, "%s/class.jsonl", f->o->dir);
}

const char *fleet_queue_path(const struct fleet *f)
{
    return arena_format(f->cli->arena, "%s/queue", f->o->dir);
}

static enum tare_status read_plan(const struct fleet *f, struct fleet_plan *out, struct tare_err *err)
{
    struct buf text = BUF_INIT(PLAN_BYTES);
    const char *path = plan_path(f);
    enum tare_status status = path ? read_file(path, &text, err) : err_no_memory(err);
    if (!status) {
        status = fleet_plan_read(out, buf_text(&text), text.len, f->cli->arena, err);
        if (status)
            err_prefix(err, path);
    }
    buf_finish(&text);
    return status;
}

/* By its beginning, where the id is: a session must not take longer the more units a plan has. */
static bool begins_plan(int fd, const char *id)
{
    char head[64] = "", member[32];
    buf_print(member, sizeof member, "\"id\":\"%s\"", id);
    return !plat_input_part(fd, 0, head, sizeof head - 1, NULL) && strstr(head, member);
}

enum tare_status fleet_check_folder(const struct fleet *f, struct tare_err *err)
{
    const char *path = plan_path(f);
    const int fd = !path || is_special(path) ? -1 : plat_open_input(path, NULL);
    const bool ours = fd >= 0 && begins_plan(fd, f->plan.id);
    plat_close(fd);
    return ours     ? TARE_OK
           : !path  ? err_no_memory(err)
           : fd < 0 ? err_set(err, TARE_FORMAT, "%s was deleted or moved while tare measured", f->o->dir)
                    : err_set(err, TARE_FORMAT, "%s was replaced by the folder of another plan while tare measured", f->o->dir);
}

static bool is_kept(const char *path)
{
    const int fd = fleet_check_file(path, NULL) ? -1 : plat_open_input(path, NULL);
    plat_close(fd);
    return fd >= 0;
}

enum exit_code fleet_check_kept(const struct fleet *f)
{
    struct tare_err err;
    int gone = 0;
    enum tare_status status = fleet_check_folder(f, &err);
    for (int i = 0; i < f->n; i++)
        if (f->results[i].there && (!f->o->node || f->units[i].node == f->o->node))
            gone += !is_kept(fleet_path(f, &f->units[i], "jsonl"));
    if (!status && gone)
        status = err_set(&err, TARE_IO, "%d record%s in %s %s deleted while tare measured", gone, buf_plural(gone), f->o->dir,
                         gone == 1 ? "was" : "were");
    return status ? cli_fail(f->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

static bool has_aa(const struct fleet_plan *p)
{
    return p->argc > 1 && !strncmp(p->argv[1], "--aa=", 5);
}

enum exit_code fleet_load_class(struct fleet *f)
{
    struct buf text = BUF_INIT(PLAN_BYTES);
    struct tare_err err;
    const char *path = class_path(f);
    enum tare_status status = path ? read_file(path, &text, &err) : err_no_memory(&err);
    if (!status) {
        status = fleet_class_read(&f->class, buf_text(&text), text.len, f->cli->arena, &err);
        if (status)
            err_prefix(&err, path);
    }
    buf_finish(&text);
    return status && status != TARE_NOT_FOUND ? cli_fail(f->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

enum exit_code fleet_make(struct fleet *f)
{
    const struct fleet_options *o = f->o;
    const struct option_set *set = &f->cli->command->options;
    struct tare_err err;
    struct fleet_plan there;
    const bool seeded = option_given(set, o, offsetof(struct fleet_options, seed));
    f->plan =
        (struct fleet_plan){.argv = f->cli->operands.items, .argc = f->cli->operands.n, .nodes = o->nodes, .blocks = o->blocks};
    /* The same line that is typed again goes on with its plan, whose seed was drawn. */
    enum tare_status status = !seeded && o->dir ? read_plan(f, &there, &err) : TARE_NOT_FOUND;
    if (status && status != TARE_NOT_FOUND)
        return cli_refuse(f->cli, status, &err);
    f->plan.seed = seeded ? o->seed : status ? plat_random_seed() : there.seed;
    fleet_plan_name(&f->plan);
    status = make_units(f, &err);
    if (!status)
        status = check_words(f, &err);
    return status ? cli_refuse(f->cli, status, &err) : EXIT_ANSWERED;
}

enum exit_code fleet_open(struct fleet *f)
{
    struct tare_err err;
    enum tare_status status = read_plan(f, &f->plan, &err);
    if (status)
        return cli_fail(f->cli, EXIT_TOOL, &err);
    f->qualifies = has_aa(&f->plan);
    status = make_units(f, &err);
    return status ? cli_refuse(f->cli, status, &err) : fleet_load_class(f);
}

/* Unless one is there by now: of two that begin at once, each with a seed of its own, one writes it. */
static enum tare_status write_plan(const struct fleet *f, struct fleet_plan *there, struct tare_err *err)
{
    struct buf text = BUF_INIT(PLAN_BYTES);
    struct plat_file *lock = NULL;
    const char *path = arena_format(f->cli->arena, "%s/plan.lock", f->o->dir);
    enum tare_status status = path ? fleet_check_file(path, err) : err_no_memory(err);
    if (!status)
        status = fleet_check_file(plan_path(f), err);
    if (!status)
        status = plat_file_create(&lock, path, PLAT_FILE_APPEND, err);
    if (status == TARE_BUSY)
        err_set(err, status, "another tare is writing the plan in %s; start again", f->o->dir);
    if (!status)
        status = read_plan(f, there, err);
    if (status == TARE_NOT_FOUND) {
        *there = f->plan;
        fleet_plan_put(&f->plan, &text);
        status = text.status ? err_no_memory(err) : plat_file_replace(plan_path(f), buf_text(&text), text.len, err);
    }
    if (lock)
        plat_file_remove(path, NULL);
    plat_file_abandon(lock);
    buf_finish(&text);
    return status;
}

enum exit_code fleet_keep_plan(struct fleet *f)
{
    struct fleet_plan there;
    struct tare_err err;
    enum tare_status status = plat_directory_make(f->o->dir, &err);
    if (!status)
        status = read_plan(f, &there, &err);
    if (status == TARE_NOT_FOUND)
        status = write_plan(f, &there, &err);
    if (!status && strcmp(there.id, f->plan.id) != 0)
        status =
            err_set(&err, TARE_INVALID,
                    f->qualifies ? "%s has the plan of another reference; give the same options and COMMAND, or remove the folder"
                                 : "%s has the plan of another measurement; give another folder, or no COMMAND to continue that",
                    f->o->dir);
    return status ? cli_refuse(f->cli, status, &err) : EXIT_ANSWERED;
}

const char *fleet_path(const struct fleet *f, const struct fleet_unit *u, const char *ending)
{
    const char *path = arena_format(f->cli->arena, "%s/unit-%04d.%s", f->o->dir, u->number, ending);
    return path ? path : "";
}

const char *fleet_host(const struct record *r)
{
    const char *host = facts_text(&r->build, "fleet_host");
    return host ? host : "";
}

const char *fleet_host_here(struct arena *a)
{
    struct plat_uname here;
    plat_uname(&here);
    const char *queue = plat_getenv(FLEET_HOST_VARIABLE), *slurm = plat_getenv("SLURMD_NODENAME");
    const char *host = arena_strdup(a, queue && *queue ? queue : slurm && *slurm ? slurm : here.node);
    return host && utf8_valid(host) ? host : ""; /* a fact of a record is UTF-8 */
}

static bool other_commits(const struct record *a, const struct record *b)
{
    bool other = false;
    for (int i = 1; !other; i++) {
        char key[40];
        buf_print(key, sizeof key, "revision_%d_hash", i);
        const char *one = facts_text(&a->build, key), *two = facts_text(&b->build, key);
        if (!one && !two)
            return false;
        other = !one || !two || strcmp(one, two) != 0;
    }
    return other;
}

/* Against those that count so far: the first of them, and those of the same node. */
static const char *check_beside(const struct fleet *f, int unit, const struct record *r)
{
    struct buf how = BUF_INIT(1 << 10);
    const char *why = NULL;
    bool first = true;
    for (int i = 0; i < f->n && !why; i++) {
        const struct record *other = &f->results[i].record;
        if (i == unit || !f->results[i].there)
            continue;
        if (first && (f->qualifies ? sessions_differ_in_work : sessions_differ)(other, r, &how))
            why = arena_format(f->cli->arena, "it %s than unit %d", buf_text(&how), i + 1);
        else if (first && other_commits(other, r))
            why = arena_format(f->cli->arena, "it is of other commits than unit %d", i + 1);
        else if (f->units[i].node == f->units[unit].node && strcmp(fleet_host(other), fleet_host(r)) != 0)
            why = arena_format(f->cli->arena, "its node was measured on another host in unit %d", i + 1);
        first = false;
    }
    buf_finish(&how);
    return why;
}

/* Which benchmarks there are the plan does not say. */
static const char *check_kind(const struct fleet *f, const struct record *r)
{
    if (record_kind(r)->processes != fleet_of_benchmarks(f))
        return "it is not of what the plan measures";
    return fleet_of_benchmarks(f) && r->n_subjects > PLAN_SUBJECTS_MAX ? "it has more benchmarks than a session" : NULL;
}

bool fleet_counts(struct fleet *f, int unit, const struct record *r)
{
    const struct fleet_unit *u = &f->units[unit];
    const char *plan = facts_text(&r->build, "fleet_plan"), *host = fleet_host(r);
    struct fleet_result *result = &f->results[unit];
    result->excluded = NULL;
    result->refused = r->unverified                                        ? "it was changed or cut after it was written"
                      : !plan || strcmp(plan, f->plan.id) != 0             ? "it is of another plan"
                      : facts_number(&r->build, "fleet_unit") != u->number ? "it is of another unit"
                      : facts_number(&r->build, "fleet_node") != u->node || r->seed != u->seed
                          ? "its node or seed is not that of the plan"
                          : check_kind(f, r);
    if (!result->refused && fleet_class_out(&f->class, host))
        result->excluded = arena_strdup(f->cli->arena, host);
    else if (!result->refused)
        result->refused = check_beside(f, unit, r);
    return !result->refused && !result->excluded;
}

/* A record for which there is no memory is none that does not count: it would be measured anew, over it. */
static enum exit_code load_record(struct fleet *f, int unit)
{
    struct kept_sessions k = {0};
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    struct fleet_result *result = &f->results[unit];
    const char *path = fleet_path(f, &f->units[unit], "jsonl");
    struct tare_err err;
    const enum tare_status status = path ? read_file(path, &text, &err) : err_no_memory(&err);
    const char *why = status && status != TARE_NOT_FOUND ? arena_strdup(f->cli->arena, err.text) : NULL;
    enum exit_code code = status == TARE_NO_MEMORY ? cli_fail(f->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
    result->refused = result->excluded = NULL;
    if (status != TARE_NOT_FOUND && (status || sessions_of_text(f->cli, path, true, &text, &k)))
        result->refused = why ? why : "it cannot be read";
    else if (!status && (k.n != 1 || k.cut))
        result->refused = "it does not hold one complete session";
    else if (!status && fleet_counts(f, unit, &k.items[0])) {
        result->record = k.items[0];
        result->there = true;
        record_init(&k.items[0]);
    }
    if (k.no_memory) /* which was said */
        code = EXIT_TOOL;
    buf_finish(&text);
    sessions_finish(&k);
    return code;
}

static enum exit_code load_note(struct fleet *f, int unit)
{
    struct buf text = BUF_INIT(NOTE_BYTES);
    struct json_value *v = NULL;
    int64_t attempts;
    const char *plan, *reason, *host;
    struct fleet_result *result = &f->results[unit];
    struct tare_err err;
    enum tare_status status = read_file(fleet_path(f, &f->units[unit], "failed"), &text, &err);
    if (!status)
        status = json_parse(&v, buf_text(&text), text.len, &err);
    const bool ours = !status && json_text_of(json_member(v, "plan"), &plan) && !strcmp(plan, f->plan.id);
    if (ours && json_text_of(json_member(v, "host"), &host)) {
        if (fleet_class_out(&f->class, host))
            result->excluded = arena_strdup(f->cli->arena, host);
    } else if (ours && json_integer_of(json_member(v, "attempts"), 1, 1000000, &attempts) &&
               json_text_of(json_member(v, "reason"), &reason)) {
        result->excluded = NULL; /* of a record that was there before, from another host */
        result->attempts = (int)attempts;
        result->failure = arena_strdup(f->cli->arena, reason);
    }
    json_free(v);
    buf_finish(&text);
    return status == TARE_NO_MEMORY ? cli_fail(f->cli, EXIT_TOOL, &err) : EXIT_ANSWERED;
}

static void put_note(const struct fleet *f, int at, struct buf *out)
{
    const struct fleet_result *result = &f->results[at];
    struct json_write j = json_into(out, 0);
    json_object(&j, NULL);
    json_string(&j, "type", result->excluded ? "excluded" : "failure");
    json_string(&j, "plan", f->plan.id);
    json_integer(&j, "unit", f->units[at].number);
    if (result->excluded) {
        json_string(&j, "host", result->excluded);
    } else {
        json_integer(&j, "attempts", result->attempts);
        json_string(&j, "reason", result->failure);
    }
    json_end(&j);
    buf_char(out, '\n');
}

static void keep_note(struct fleet *f, int at)
{
    struct buf text = BUF_INIT(NOTE_BYTES);
    struct tare_err err;
    put_note(f, at, &text);
    if (plat_file_put(fleet_path(f, &f->units[at], "failed"), buf_text(&text), text.len, &err))
        cli_note(f->cli, "warning", err.text);
    buf_finish(&text);
}

void fleet_keep_exclusion(struct fleet *f, int at, const char *host)
{
    f->results[at].refused = NULL;
    f->results[at].excluded = host;
    keep_note(f, at);
}

void fleet_keep_failure(struct fleet *f, int at, const char *why)
{
    struct fleet_result *result = &f->results[at];
    result->attempts++;
    result->failure = result->refused ? result->refused : why ? why : "its session did not come to its end";
    result->refused = result->excluded = NULL;
    keep_note(f, at);
}

enum exit_code fleet_load_unit(struct fleet *f, int unit)
{
    const enum exit_code code = load_record(f, unit);
    return code || f->results[unit].there ? code : load_note(f, unit);
}

/* One node that says nothing of the others needs of theirs the first that counts (check_beside): a step must not take longer the more records there are. */
enum exit_code fleet_load(struct fleet *f)
{
    const bool alone = f->o->node && f->o->display.quiet;
    enum exit_code code = EXIT_ANSWERED;
    bool any = false;
    for (int i = 0; i < f->n && !code; i++) {
        if (alone && any && f->units[i].node != f->o->node)
            continue;
        code = fleet_load_unit(f, i);
        any |= f->results[i].there;
    }
    return code;
}

/* One by one: of all at once each would be held against each. */
static enum tare_status spare(const struct fleet *f, const char *what, const char *path, struct tare_err *err)
{
    const struct outputs_place place = {what, path, true};
    return path ? outputs_check(&f->o->display, &place, 1, err) : err_no_memory(err);
}

enum exit_code fleet_check_places(const struct fleet *f)
{
    struct tare_err err;
    enum tare_status status = spare(f, "the plan", plan_path(f), &err);
    if (!status)
        status = spare(f, "the class", class_path(f), &err);
    if (!status)
        status = spare(f, "the plan's number in a queue", fleet_queue_path(f), &err);
    for (int i = 0; i < f->n && !status && outputs_wanted(&f->o->display); i++) {
        status = spare(f, "the record", fleet_path(f, &f->units[i], "jsonl"), &err);
        if (!status)
            status = spare(f, "the note of a failure", fleet_path(f, &f->units[i], "failed"), &err);
    }
    return status ? cli_refuse(f->cli, status, &err) : EXIT_ANSWERED;
}

int fleet_there(const struct fleet *f)
{
    int n = 0;
    for (int i = 0; i < f->n; i++)
        n += f->results[i].there;
    return n;
}

int fleet_excluded(const struct fleet *f)
{
    int n = 0;
    for (int i = 0; i < f->n; i++)
        n += f->results[i].excluded != NULL;
    return n;
}

void fleet_close(struct fleet *f)
{
    for (int i = 0; i < f->n && f->results; i++)
        if (f->results[i].there)
            record_finish(&f->results[i].record);
}
