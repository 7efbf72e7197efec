/* SPDX-License-Identifier: MIT */
#include "analyse.h"
#include "clocks.h"
#include "consent.h"
#include "leak_session.h"
#include "plat.h"
#include "programs.h"
#include "quote.h"
#include "record_kind.h"
#include "same_text.h"
#include "screen.h"
#include "stored_file.h"
#include "stored_read.h"
#include <math.h>
#include <string.h>

static void note_left_out(struct cli *cli, bool quiet, const char *path, int n)
{
    struct buf line = BUF_INIT(1 << 16);
    if (n)
        buf_format(&line, "%.200s: the times of %d process%s could not be written and are left out", path, n, n == 1 ? "" : "es");
    cli_say(cli, quiet, &line);
}

enum tare_status leak_rejudge(struct cli *cli, bool quiet, const char *path, struct record *r, struct leak_judges *all,
                              struct tare_err *err)
{
    int left_out;
    enum tare_status status = leak_raw_judge(path, r, all->of, NULL, &left_out, err);
    if (!status)
        status = leak_judges_conclude(all, r, err);
    if (!status)
        note_left_out(cli, quiet, path, left_out);
    leak_note_unreached(r);
    return status;
}

enum exit_code leak_stored_code(enum tare_status status)
{
    return status == TARE_FORMAT ? EXIT_INVALID : status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL;
}

/* What stands behind the first session: another one, of which this command takes none, or nothing that can be read. */
static enum tare_status refuse_rest(const char *text, size_t n, struct tare_err *err)
{
    struct record other = {0};
    struct record_reading reading;
    enum tare_status status = stored_read(&other, text, n, &reading, err);
    record_reading_finish(&reading);
    record_finish(&other);
    return status ? TARE_UNSUPPORTED : err_set(err, TARE_INVALID, "holds several sessions; give a file with one");
}

static enum tare_status read_text(struct cli *cli, const char *path, bool quiet, const struct buf *text, struct record *r,
                                  struct tare_err *err)
{
    struct record_reading reading;
    enum tare_status status = stored_read(r, buf_text(text), text->len, &reading, err);
    if (status == TARE_FORMAT) /* none at all, which is no question of what it was before */
        status = TARE_UNSUPPORTED;
    if (!status) {
        stored_file_notes(cli, path, quiet, &reading);
        if (reading.changed)
            status = err_set(err, TARE_FORMAT, "not as it was written, so it is not judged again; see tare show");
        else if (!record_kind(r)->targets || !r->rule.leaks.kind)
            status = err_set(err, TARE_INVALID, "is not a record of tare leak; see tare show");
        else if (reading.consumed < text->len)
            status = refuse_rest(buf_text(text) + reading.consumed, text->len - reading.consumed, err);
    }
    record_reading_finish(&reading);
    return status;
}

static enum tare_status read_record(struct cli *cli, const char *path, bool quiet, struct record *r, struct tare_err *err)
{
    struct buf text = BUF_INIT(STORED_FILE_MAX);
    stored_file_note_pipe(cli, quiet, path);
    enum tare_status status = plat_input_read(path, &text, err);
    if (!status) {
        status = read_text(cli, path, quiet, &text, r, err);
        if (status)
            err_prefix(err, path);
    }
    buf_finish(&text);
    return status;
}

/* What is given counts in place of what the session had. */
static void override_rule(const struct leak_options *o, struct rule *u)
{
    if (LEAK_GIVEN(o, run.margin)) {
        u->margin = o->run.margin.value;
        u->margin_unit = o->run.margin.unit;
        u->leaks.latency_ns = 0;
    }
    if (LEAK_GIVEN(o, run.confidence))
        u->confidence = o->run.confidence;
    if (LEAK_GIVEN(o, alpha))
        u->leaks.alpha = o->alpha;
    if (LEAK_GIVEN(o, advantage))
        u->leaks.advantage = o->advantage;
    u->leaks.exact = u->leaks.exact || o->exact;
    u->leaks.strict = u->leaks.strict || o->strict;
    if (o->method == LEAK_BY_TARE)
        return;
    u->leaks.dudect = true;
    u->leaks.lab0 = o->method == LEAK_BY_LAB0;
    u->leaks.measurements = o->measurements;
    u->leaks.drop = o->drop;
    u->leaks.percentiles = o->cropped;
    u->leaks.order = o->order;
    u->leaks.threshold = o->threshold;
}

/* What has no meaning for the kind of session that it is, as the options say of a new one. */
static enum tare_status check_override(const struct leak_options *o, const struct rule *u, struct tare_err *err)
{
    const struct {
        bool given, scan_too;
        const char *name;
    } of_pairs[] = {{o->exact, true, "--exact"},
                    {LEAK_GIVEN(o, advantage), true, "--advantage"},
                    {o->method != LEAK_BY_TARE, true, "--method"},
                    {LEAK_GIVEN(o, alpha), false, "--alpha"},
                    {o->strict, false, "--strict"}};
    bool growth = !strcmp(u->leaks.kind, "growth"), scan = !strcmp(u->leaks.kind, "scan");
    for (size_t i = 0; i < sizeof of_pairs / sizeof *of_pairs; i++)
        if (of_pairs[i].given && (growth || (scan && of_pairs[i].scan_too)))
            return err_set(err, TARE_INVALID, "%s is of a session of --%s, where %s has no meaning; omit it", o->replay,
                           u->leaks.kind, of_pairs[i].name);
    return TARE_OK;
}

static enum tare_status replay_session(struct leak *k, struct tare_err *err)
{
    struct record *r = &k->run.record;
    enum tare_status status = leak_raw_check(k->o->replay, r, &k->o->run.display, NULL, err);
    if (!status)
        status = leak_judges_open(&k->judges, r, k->run.cli->arena, err);
    if (!status)
        status = leak_rejudge(k->run.cli, k->o->run.display.quiet, k->o->replay, r, &k->judges, err);
    return status ? status : outputs_open(&k->run.session.outputs, &k->o->run.display, NULL, err);
}

static enum exit_code show_replay(struct leak *k)
{
    struct run *run = &k->run;
    struct tare_err err;
    enum exit_code code = leak_draw(k);
    code = cli_worse(code, screen_result(run->cli, &k->o->run.display, &run->record, false));
    if (outputs_export(&run->session.outputs, &run->record, &err))
        code = cli_worse(code, cli_fail(run->cli, EXIT_TOOL, &err));
    code = cli_worse(code, leak_show_pictures(run->cli, &k->o->run.display, &run->record));
    if (!run->record.unverified)
        return cli_worse(code, leak_code(&run->record));
    err_set(&err, TARE_FORMAT, "%s: %s, so it decides nothing", k->o->replay, run->record.unverified);
    return cli_worse(code, cli_fail(run->cli, EXIT_UNDECIDED, &err));
}

enum exit_code leak_from_replay(struct leak *k)
{
    struct run *run = &k->run;
    struct tare_err err;
    enum tare_status status = read_record(run->cli, k->o->replay, k->o->run.display.quiet, &run->record, &err);
    if (!status)
        status = check_override(k->o, &run->record.rule, &err);
    if (!status) {
        override_rule(k->o, &run->record.rule);
        status = replay_session(k, &err);
    }
    if (!status)
        return (int)show_replay(k);
    return cli_fail(run->cli, leak_stored_code(status), &err);
}

/* A function of a library is called by a program of ours, whose words say which. */
static bool take_symbol(struct leak *k)
{
    const struct record *r = &k->before;
    const char *const *argv = r->n_subjects ? r->subjects[0].argv : NULL;
    int n = 0;
    if (!argv || !argv[0] || !argv[1])
        return false;
    while (argv[2 + n])
        n++;
    k->own.symbol = argv[1];
    k->own.classes = (struct option_list){n ? argv + 2 : NULL, n};
    return true;
}

/* The programs of its targets, as operands of this session. */
static enum tare_status take_programs(struct leak *k, struct tare_err *err)
{
    const struct record *r = &k->before;
    const char **words = arena_array(k->run.cli->arena, (size_t)r->n_subjects + 1, sizeof *words);
    int n = 0;
    if (!words)
        return err_no_memory(err);
    for (int i = 0; i < r->n_subjects; i++) {
        const struct subject *s = &r->subjects[i];
        if (s->kind != SUBJECT_LEAK || !s->program)
            return err_set(err, TARE_INVALID, "%.200s does not say which program has '%s', so the session cannot be continued",
                           k->o->go_on, s->name);
        if (!text_among(s->program, words, (size_t)n))
            words[n++] = s->program;
    }
    n = take_symbol(k) ? 0 : n;
    k->run.cli->operands = (struct option_operands){.items = words, .n = n, .after = n};
    return TARE_OK;
}

static const char *find_option(const char *options, const char *name)
{
    const char *at = strstr(options, name);
    while (at && at > options && at[-1] != ' ')
        at = strstr(at + 1, name);
    return at;
}

static bool begins_with(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Of the options around the programs, in their order: what was output, environment and folder (now), CPU and priority. */
static bool same_surroundings(const char *options, const char *now)
{
    const char *env = find_option(options, "--env "), *cwd = find_option(options, "--cwd "), *then = env ? env : cwd;
    if (!then || !*now)
        return !then && !*now;
    if (!begins_with(then, now))
        return false;
    const char *rest = then + strlen(now);
    return !*rest || begins_with(rest, " --pin ") || begins_with(rest, " --same-cpu") || begins_with(rest, " --priority ");
}

/* By another environment or folder a library may take another way, and all calls count together. */
static enum tare_status check_surroundings(const struct leak *k, struct tare_err *err)
{
    const char *then = facts_text(&k->before.before, "options");
    struct buf now = BUF_INIT(1 << 20);
    for (int i = 0; i < k->o->run.env.n; i++)
        run_put_option(&now, "--env", k->o->run.env.items[i]);
    if (k->o->run.cwd)
        run_put_option(&now, "--cwd", k->o->run.cwd);
    enum tare_status status = now.status;
    if (!status && then && !same_surroundings(then, buf_text(&now)))
        status = err_set(err, TARE_INVALID, "%.200s: give --env and --cwd as they were; its options were: %.300s", k->o->go_on,
                         *then ? then : "none");
    buf_finish(&now);
    return status;
}

enum tare_status leak_continue_load(struct leak *k, struct tare_err *err)
{
    static const char *const caches[] = {"warm", "cold", "random", NULL};
    const struct rule *u = &k->before.rule;
    enum tare_status status = read_record(k->run.cli, k->o->go_on, k->o->run.display.quiet, &k->before, err);
    if (!status && !strcmp(u->leaks.kind, "csv"))
        status = err_set(err, TARE_INVALID, "%s is of a file with times, which cannot be continued", k->o->go_on);
    else if (!status && u->leaks.noise)
        status = err_set(err, TARE_INVALID, "%s was measured with --noise, which this version no longer has", k->o->go_on);
    if (!status)
        status = leak_raw_check(k->o->go_on, &k->before, &k->o->run.display, k->o->run.save, err);
    k->own = *k->o;
    if (!status)
        status = check_surroundings(k, err);
    if (!status)
        status = take_programs(k, err);
    if (status)
        return status;
    k->own.growth = !strcmp(u->leaks.kind, "growth");
    k->own.scan = !strcmp(u->leaks.kind, "scan");
    int i = 0;
    while (caches[i] && strcmp(caches[i], u->leaks.cache) != 0)
        i++;
    k->own.cache = caches[i] ? i : 0;
    k->own.dit = u->leaks.dit;
    k->own.selfcheck = u->leaks.selfcheck;
    k->own.run.margin = (struct option_margin){u->margin, u->margin_unit};
    k->own.run.confidence = u->confidence;
    k->own.alpha = u->leaks.alpha;
    k->own.advantage = u->leaks.advantage;
    k->own.exact = u->leaks.exact;
    k->own.strict = u->leaks.strict || k->o->strict;
    k->own.repeat = u->leaks.repeat > 1 ? u->leaks.repeat : 1;
    k->own.clock = u->leaks.clock ? u->leaks.clock : "auto";
    k->o = &k->own;
    k->run.o = &k->own.run;
    return TARE_OK;
}

/* The subject of the session before, -1: it is not among them now. */
static int now_of(const struct leak *k, const struct subject *s)
{
    for (int i = 0; i < k->run.subjects.n; i++) {
        const struct subject *now = &k->run.subjects.subjects[i];
        if (!strcmp(now->benchmark, s->benchmark) && !strcmp(now->program, s->program))
            return i;
    }
    return -1;
}

static const char *hash_of(const struct record *r, int subject)
{
    char key[40];
    buf_print(key, sizeof key, "program_%d_fnv1a64", subject + 1);
    const char *hash = facts_text(&r->build, facts_find(&r->build, "library_fnv1a64") ? "library_fnv1a64" : key);
    return hash ? hash : "";
}

static enum tare_status say_other_file(const char *program, struct tare_err *err)
{
    return err_set(err, TARE_INVALID, "%s has changed since, so its stored calls are of another program", program);
}

static enum tare_status check_same(const struct leak *k, int before, int now, struct tare_err *err)
{
    const struct subject *s = &k->before.subjects[before];
    if (now < 0)
        return err_set(err, TARE_INVALID, "%s no longer has the target '%s', so the session cannot be continued", s->program,
                       s->benchmark);
    if (strcmp(hash_of(&k->before, before), hash_of(&k->run.record, now)) != 0)
        return say_other_file(s->program, err);
    return TARE_OK;
}

/* What is there now of the files that the earlier session measured, before any of them is executed. */
static enum tare_status describe_now(const struct leak *k, struct record *now, struct tare_err *err)
{
    struct programs programs = programs_begin(PROGRAMS_CLAIM_BYTES, plat_environment());
    struct buf path = BUF_INIT(1 << 16);
    const char *library = facts_text(&k->before.build, "library_path");
    enum tare_status status = TARE_OK;
    for (int i = 0; i < k->before.n_subjects && i < PROGRAMS_MOST && !status && !k->own.symbol; i++) {
        struct tare_err why;
        bool found = !run_find_file(k->before.subjects[i].program, plat_environment(), k->own.run.cwd, &path, &why);
        status = programs_add(&programs, now, &now->build, i + 1, found ? buf_text(&path) : NULL, why.text);
    }
    if (!status && library)
        status = programs_add_library(&programs, now, &now->build, library, NULL);
    buf_finish(&path);
    return status ? err_set(err, status, "no memory for programs") : TARE_OK;
}

static enum exit_code show_plan(const struct leak *k)
{
    const struct option_operands *programs = &k->run.cli->operands;
    struct buf text = BUF_INIT(1 << 26);
    buf_format(&text, "%.1000s asks to run:\n", k->o->go_on);
    for (int i = 0; i < programs->n; i++) {
        buf_str(&text, "  ");
        quote_word(&text, programs->items[i], false);
        buf_char(&text, '\n');
    }
    if (k->own.symbol) {
        buf_str(&text, "  a function of the library ");
        quote_word(&text, k->own.symbol, false);
        buf_char(&text, '\n');
    }
    return cli_show_plan(k->run.cli, &k->run.cli->talk, &text);
}

enum exit_code leak_continue_consent(const struct leak *k)
{
    struct tare_err err;
    struct record now;
    record_init(&now);
    enum tare_status status = describe_now(k, &now, &err);
    for (int i = 0; i < k->before.n_subjects && !status; i++)
        if (strcmp(hash_of(&k->before, i), hash_of(&now, i)) != 0)
            status = say_other_file(k->before.subjects[i].program, &err);
    record_finish(&now);
    if (status)
        return cli_fail(k->run.cli, leak_stored_code(status), &err);
    enum exit_code code = k->o->yes && k->o->run.display.quiet ? EXIT_ANSWERED : show_plan(k);
    return code ? code : cli_consent(k->run.cli, k->o->yes);
}

/* Its rows become ours, before those to come. */
static enum tare_status take_rows(struct leak *k, int before, int now, struct tare_err *err)
{
    struct record *r = &k->run.record;
    const struct series *from = &k->before.series[before];
    int64_t shift = k->before.start_utc_ns - r->start_utc_ns;
    double values[256];
    for (int row = 0; row < from->main.n; row++) {
        for (int c = 0; c < r->series[now].n_columns && c < 256; c++) {
            int column = series_column(from, r->series[now].columns[c]);
            values[c] = column < 0 ? NAN : from->main.value[column][row];
        }
        const struct row one = {.round = from->main.round[row],
                                .slot = from->main.slot[row],
                                .start_ns = from->main.start_ns[row] + shift,
                                .flags = from->main.flags[row],
                                .values = values};
        if (record_append_row(r, now, &one))
            return err_set(err, TARE_NO_MEMORY, "no memory for the rows of %s", k->o->go_on);
        session_after_row(&k->run.session, now, false);
    }
    return TARE_OK;
}

enum tare_status leak_continue_take(struct leak *k, struct tare_err *err)
{
    struct arena *a = k->run.cli->arena;
    struct leak_judge **judges = arena_array(a, (size_t)k->before.n_subjects + 1, sizeof *judges);
    enum tare_status status = judges ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for %s", k->o->go_on);
    for (int i = 0; i < k->before.n_subjects && !status; i++) {
        int now = now_of(k, &k->before.subjects[i]);
        status = check_same(k, i, now, err);
        judges[i] = now < 0 ? NULL : k->judges.of[now];
    }
    int left_out = 0;
    if (!status)
        status = leak_raw_judge(k->o->go_on, &k->before, judges, &k->raw, &left_out, err);
    if (!status)
        note_left_out(k->run.cli, k->o->run.display.quiet, k->o->go_on, left_out);
    for (int i = 0; i < k->before.n_subjects && !status; i++) {
        int now = now_of(k, &k->before.subjects[i]), column = series_column(&k->before.series[i], "repeat");
        const struct rows *rows = &k->before.series[i].main;
        const double repeat = column >= 0 && rows->n ? rows->value[column][rows->n - 1] : NAN;
        if (repeat >= 1 && repeat <= WIRE_REPEAT_MAX)
            k->requests[now].asked.repeat = (int)repeat;
        const char *clock = rows->n ? leak_judge_figures(judges[i]).clock : "";
        if (clock_kind_named(clock))
            k->requests[now].asked.clock = clock;
        status = take_rows(k, i, now, err);
        if (!status && k->before.subjects[i].failure && record_set_failure(&k->run.record, now, k->before.subjects[i].failure))
            status = err_set(err, TARE_NO_MEMORY, "no memory for what failed in %s", k->o->go_on);
        if (rows->n && rows->round[rows->n - 1] >= k->run.session.rounds_before)
            k->run.session.rounds_before = rows->round[rows->n - 1] + 1;
    }
    return status;
}
