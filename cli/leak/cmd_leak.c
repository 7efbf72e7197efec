/* SPDX-License-Identifier: MIT
 *
 * `tare leak`: does the time of this code depend on its secret input?
 *
 *     memcmp_32  LEAK     12.4 ns (12.1–12.7) between equal and random; about 11 calls are enough for an attacker
 *     self-checks passed (A/A, injected delay) · 1 leak: exit 1
 */
#include "exec.h"
#include "leak_csv.h"
#include "leak_engine.h"
#include "leak_session.h"
#include "machine.h"
#include "plat.h"
#include "plat_clock.h"
#include "record_write.h"
#include "screen.h"
#include "stored_file.h"
#include "taint.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* `tare leak --csv FILE`: a file with times as if a program had sent them. Each stretch of blocks is a process, with a row and a look. */

enum { CSV_MAX = 1 << 30, REPORT_MAX = 64 << 20 };

struct file_session {
    struct leak *k;
    struct leak_csv csv;
    const char *name;
    struct tare_err save_error;
    bool save_failed;
};

static const char *order_words(const struct leak_csv *csv)
{
    if (csv->neighbours)
        return "The file has no block column: adjacent calls with each label once form the blocks. Dropped calls cannot be "
               "detected, and "
               "a file cannot prove that the label of each call was drawn at random; the verdict assumes both.";
    if (!csv->blocks)
        return "The file has no block column: dropped calls cannot be detected, and the verdict assumes that each call's time is "
               "independent of the calls before it, which drift violates. A column of blocks in random order removes both.";
    return "The verdict assumes that the order within each block was drawn at random, which a file cannot prove.";
}

static enum tare_status describe_file(struct file_session *f, const struct buf *text, struct tare_err *err)
{
    struct leak *k = f->k;
    struct record *r = &k->run.record;
    const char *path = k->o->csv;
    f->name = !strcmp(path, "-") ? "standard input" : path;
    enum tare_status status = run_choose_environment(&k->run, err);
    if (!status)
        status = leak_one_subject(k, f->name, f->name, err);
    if (!status)
        status = run_describe_subjects(&k->run, err);
    if (status)
        return status;
    leak_rule_from_options(k->o, &r->rule);
    char hash[20];
    buf_print(hash, sizeof hash, "%016llx", (unsigned long long)fnv1a64(FNV1A64_EMPTY, buf_text(text), text->len));
    const char *columns[LEAK_COLUMNS];
    for (int i = 0; i < LEAK_COLUMNS; i++)
        columns[i] = leak_column(i);
    bool good = !facts_add_text(r, &r->build, "program_1_path", f->name) &&
                !facts_add_text(r, &r->build, "program_1_fnv1a64", hash) &&
                !facts_add_number(r, &r->build, "program_1_bytes", (double)text->len) &&
                !record_set_columns(r, 0, columns, LEAK_COLUMNS) &&
                !facts_add_number(r, &r->before, "csv_blocks", (double)f->csv.n_blocks) &&
                !facts_add_number(r, &r->before, "csv_left_over", (double)f->csv.left_over) &&
                !facts_add_number(r, &r->before, "csv_torn", (double)f->csv.torn) &&
                !facts_add_number(r, &r->before, "csv_doubled", (double)f->csv.doubled) &&
                !facts_add_number(r, &r->before, "csv_absent", (double)f->csv.absent) &&
                !facts_add_number(r, &r->before, "csv_drawn", f->csv.drawn) &&
                !facts_add_text(r, &r->before, "csv_order", order_words(&f->csv)) && !machine_identity(r, &r->machine);
    return good ? TARE_OK : err_no_memory(err);
}

static enum tare_status open_files(struct file_session *f, const struct buf *text, struct tare_err *err)
{
    struct leak *k = f->k;
    struct record *r = &k->run.record;
    enum tare_status status = leak_open_files(k, text, err);
    if (!status)
        status = outputs_open(&k->run.session.outputs, &k->o->run.display, k->o->run.save, err);
    if (!status)
        status = leak_judges_open(&k->judges, r, k->run.cli->arena, err);
    k->judges.runs = leak_ledger_runs(k->ledger);
    leak_save_raw(k);
    if (!status && k->run.session.outputs.save)
        status = record_write_head(&k->run.session.outputs.writer, r, err);
    return status;
}

static enum tare_status take_report(struct file_session *f, const struct buf *bytes, struct tare_err *err)
{
    struct leak *k = f->k;
    struct record *r = &k->run.record;
    struct leak_report report;
    double values[LEAK_COLUMNS];
    leak_read(bytes->data, bytes->len, f->name, INFINITY, &report);
    if (report.trouble[0])
        return err_set(err, TARE_FORMAT, "%s", report.trouble);
    enum tare_status status = leak_judge_take(k->judges.of[0], &report, err);
    if (status)
        return status;
    leak_fill(&report, leak_raw_add(&k->raw, bytes->data, bytes->len), values);
    const struct row row = {.round = k->looks++, .values = values};
    if (record_append_row(r, 0, &row))
        return err_no_memory(err);
    if (k->run.session.outputs.save && !f->save_failed)
        f->save_failed =
            record_write_row(&k->run.session.outputs.writer, r, 0, false, r->series[0].main.n - 1, &f->save_error) != TARE_OK;
    return leak_judges_conclude(&k->judges, r, err);
}

/* All of it, whatever is found on the way: the calls are there. */
static enum tare_status judge_calls(struct file_session *f, struct tare_err *err)
{
    struct leak *k = f->k;
    const struct rule *u = &k->run.record.rule;
    double spike_ns = u->margin_unit && !strcmp(u->margin_unit, "ns") ? u->margin : 0;
    struct buf bytes = BUF_INIT(REPORT_MAX);
    enum tare_status status = TARE_OK;
    while (!status && leak_csv_next(&f->csv, f->name, spike_ns, &bytes)) {
        status =
            bytes.status ? err_set(err, TARE_NO_MEMORY, "no memory for the times of %s", f->name) : take_report(f, &bytes, err);
        spike_ns = spike_ns > 0 ? spike_ns : leak_judge_spike_ns(k->judges.of[0]);
        /* A delay that so many stretches were searched for tells nothing new. */
        enum { ENOUGH = 200, FEWER = 16 };
        const struct leak_target *t = record_leak_target(&f->k->run.record, 0);
        if (t && t->power_stretches >= ENOUGH)
            f->csv.spike_every = FEWER;
        buf_clear(&bytes);
    }
    buf_finish(&bytes);
    return status;
}

static enum exit_code keep_result(struct file_session *f)
{
    struct leak *k = f->k;
    struct run *run = &k->run;
    struct tare_err err;
    enum exit_code code = leak_close_raw(k);
    if (f->save_failed)
        code = cli_worse(code, cli_fail(run->cli, EXIT_TOOL, &f->save_error));
    else if (run->session.outputs.save && record_write_tail(&run->session.outputs.writer, &run->record, &err))
        code = cli_worse(code, cli_fail(run->cli, EXIT_TOOL, &err));
    if (outputs_export(&run->session.outputs, &run->record, &err))
        code = cli_worse(code, cli_fail(run->cli, EXIT_TOOL, &err));
    if (outputs_finish(&run->session.outputs, &err))
        code = cli_worse(code, cli_fail(run->cli, EXIT_TOOL, &err));
    return cli_worse(code, leak_add_to_ledger(k));
}

static enum exit_code show_result(struct file_session *f)
{
    struct leak *k = f->k;
    struct record *r = &k->run.record;
    r->ended = arena_strdup(&r->arena, "answered");
    r->rounds = r->look = k->looks;
    if (f->csv.left_over)
        run_note(&k->run, "left out, as in no complete block: %lld of %lld calls", (long long)f->csv.left_over,
                 (long long)f->csv.n);
    enum exit_code code = leak_draw(k);
    code = cli_worse(code, screen_result(k->run.cli, &k->o->run.display, r, false));
    code = cli_worse(code, leak_show_pictures(k->run.cli, &k->o->run.display, r));
    return cli_worse(code, keep_result(f));
}

static enum tare_status measure_file(struct file_session *f, struct tare_err *err)
{
    struct buf text = BUF_INIT(CSV_MAX);
    const char *path = f->k->o->csv;
    enum { SEED = 1 }; /* the same file gives the same answer */
    stored_file_note_pipe(f->k->run.cli, f->k->o->run.display.quiet, path);
    enum tare_status status = plat_input_read(path, &text, err);
    if (!status) {
        status = leak_csv_read(&f->csv, buf_text(&text), text.len, SEED, err);
        if (status)
            err_prefix(err, path);
    }
    if (!status)
        status = describe_file(f, &text, err);
    if (!status)
        status = open_files(f, &text, err);
    buf_finish(&text);
    return status ? status : judge_calls(f, err);
}

static enum exit_code leak_from_csv(struct leak *k)
{
    struct file_session f = {.k = k};
    struct tare_err err;
    enum tare_status status = measure_file(&f, &err);
    enum exit_code code = status ? cli_fail(k->run.cli,
                                            status == TARE_TOO_FEW   ? EXIT_INVALID
                                            : status == TARE_INVALID ? EXIT_USAGE
                                                                     : EXIT_TOOL,
                                            &err)
                                 : cli_worse(show_result(&f), leak_code(&k->run.record));
    leak_csv_finish(&f.csv);
    return code;
}

/* --taint: after the timing the same targets once more, marked; the result stands beside the verdicts. */

/* What is asked of one program. Its targets are the subjects from `first` on. */
static struct taint_request request_of(const struct leak *k, const struct leak_program *p)
{
    return (struct taint_request){.argv = p->argv,
                                  .environment = k->run.exec_options.environment,
                                  .cwd = k->run.o->cwd,
                                  .targets = (const char *const *)p->targets,
                                  .n_targets = p->n_targets,
                                  .suppressions = k->o->suppressions,
                                  .known = p->taint,
                                  .timeout_ns = k->run.o->timeout_ns,
                                  .seed = k->run.record.seed,
                                  .show_output = k->run.o->show_output};
}

/* What can be known before anything runs: UNSUPPORTED, INVALID. */
static enum tare_status leak_taint_check(const struct leak *k, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < k->n_programs && k->o->taint && !status; i++) {
        const struct taint_request q = request_of(k, &k->programs[i]);
        status = taint_check(&q, err);
    }
    return status;
}

static const char *known_text(const char *text)
{
    return text && *text ? text : NULL;
}

static int sites_of(const struct taint_target *t, struct leak_site out[LEAK_SITES_MAX])
{
    const struct taint_report *r = &t->report;
    int n = r->n_places < LEAK_SITES_MAX ? r->n_places : LEAK_SITES_MAX;
    for (int i = 0; i < n; i++) {
        const struct taint_place *p = &r->places[i];
        out[i] = (struct leak_site){.kind = taint_kind_word(p->kind),
                                    .file = known_text(p->at.file),
                                    .function = known_text(p->at.function),
                                    .object = known_text(p->at.object),
                                    .line = p->at.line,
                                    .count = (double)p->count};
    }
    return n;
}

/* What was found of each target goes into the record. */
static enum tare_status keep_lines(struct leak *k, const struct taint_result *result, int first, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    struct leak_site sites[LEAK_SITES_MAX];
    for (int i = 0; i < result->n_targets && !status; i++) {
        struct buf line = BUF_INIT(1 << 16);
        struct leak_target t;
        const struct leak_target *timed = record_leak_target(&k->run.record, first + i);
        leak_target_init(&t, first + i);
        t = timed ? *timed : t;
        taint_line(&result->targets[i], &line);
        t.taint = buf_text(&line);
        t.taint_verdict = taint_state_word(result->targets[i].state);
        t.taint_tool = result->tool;
        t.n_taint_sites = sites_of(&result->targets[i], sites);
        t.taint_sites = sites;
        t.taint_left_out = result->targets[i].report.n_places - t.n_taint_sites;
        status = line.status ? line.status : record_set_leak_target(&k->run.record, &t);
        buf_finish(&line);
    }
    return status ? err_set(err, status, "no memory for the result of --taint") : TARE_OK;
}

/* All targets once more; what was found goes into the record. As taint_run. */
static enum tare_status leak_taint(struct leak *k, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int first = 0;
    if (!k->o->taint)
        return TARE_OK;
    k->taint = arena_array(k->run.cli->arena, (size_t)k->n_programs + 1, sizeof *k->taint);
    if (!k->taint)
        return err_no_memory(err);
    for (int i = 0; i < k->n_programs && !status; i++) {
        const struct taint_request q = request_of(k, &k->programs[i]);
        status = taint_run(k->run.session.spawner, &q, k->run.cli->arena, &k->taint[i], err);
        enum tare_status kept = keep_lines(k, &k->taint[i], first, err);
        status = status ? status : kept;
        first += k->programs[i].n_targets;
    }
    return status;
}

/* Beside the verdicts, on the screen; leak_code has what it says. */
static enum exit_code leak_taint_show(struct leak *k)
{
    struct render_options options = screen_options(&k->o->run.display);
    struct buf b = BUF_INIT(1 << 24);
    for (int i = 0; i < k->n_programs && k->taint && options.verbosity >= 0; i++)
        taint_text(&k->taint[i], &options, &b);
    return screen_text(k->run.cli, &k->o->run.display, &b);
}

/* For exec_options.take; the context is its run. */
static enum tare_status leak_take_report(void *run, const struct exec_left *left, double *values, struct tare_err *err)
{
    struct leak *k = run;
    struct tare_err why = {0};
    enum tare_status status = leak_judge_take(k->judges.of[left->subject], left->report, &why);
    const int64_t raw_at = leak_raw_add(&k->raw, left->report->bytes, left->report->n);
    leak_fill(left->report, raw_at, values);
    if (status == TARE_FORMAT || status == TARE_INVALID) { /* of this target alone */
        k->requests[left->subject].unfit = status == TARE_INVALID;
        return err_set(err, TARE_CHILD, "%s", why.text);
    }
    if (status && !k->take_status) {
        k->take_status = status;
        k->take_error = why;
    }
    return TARE_OK;
}

enum {
    USEFUL_NS = 800000000,
    SHORTEST_NS = 20000000,
    PROCESS_NS = 50000000,
    GROWTH_NS = 300000000,
    LONGEST_NS = 1000000000,
    LEAST_BLOCKS = 128, /* of a process: limits of its own take 50 */
    OF_ITS_TIME = 300   /* a target's next process takes one part in so many of what it had, if that is longer */
};

/* The unit of a size is the process, so there are many of them, of one length: each counts alike. The first is short, so that there is something to see
 * within a second, however many targets share it. Of a target that takes minutes they get longer, for each has a line in the record. */
static double wanted_ns(struct leak *k, int undecided)
{
    double each = k->o->growth ? GROWTH_NS : PROCESS_NS, so_far = (double)spent_ns(&k->spent) / undecided;
    return !k->looks ? fmax(SHORTEST_NS, fmin(each, (double)USEFUL_NS / undecided))
                     : fmax(each, fmin(LONGEST_NS, so_far / OF_ITS_TIME));
}

/* A target whose calls are so long that few fit into a process gets twice the time in the next. */
static double longer_ns(const struct leak_request *q, const struct leak_judge *j)
{
    int64_t had = leak_judge_figures(j).last_blocks;
    bool as_asked = q->blocks && had >= (int64_t)q->blocks / 2; /* the rest is self-checks */
    return !had || as_asked         ? 0
           : had < LEAST_BLOCKS     ? 2 * (double)q->asked.leak_ns
           : had < 2 * LEAST_BLOCKS ? (double)q->asked.leak_ns
                                    : 0;
}

/* Never past the end of the budget. */
static int64_t process_ns(struct leak *k, int subject, int undecided)
{
    double longer = k->o->growth ? 0 : longer_ns(&k->requests[subject], k->judges.of[subject]),
           wanted = fmax(wanted_ns(k, undecided), longer);
    double left = (double)(k->run.session.plan.budget_ns - spent_ns(&k->spent)) / undecided;
    return (int64_t)fmax(SHORTEST_NS, fmin(fmin(wanted, LONGEST_NS), left));
}

/* The calls that are left, shared by as many processes as an answer wants, and one, all of which the warm-up may take. */
static uint64_t blocks_left(const struct leak *k, const struct leak_request *q, const struct leak_judge *j)
{
    double left = (double)(k->o->max_calls - leak_judge_figures(j).calls),
           processes = fmax(1, (double)leak_least_processes(k->run.record.rule.confidence) + 1 - k->looks);
    return (uint64_t)fmax(1, ceil(left / processes / q->calls));
}

static void set_request(struct leak *k, int subject, int64_t ns)
{
    struct leak_request *q = &k->requests[subject];
    const struct leak_judge *j = k->judges.of[subject];
    double spike_ns = leak_judge_spike_ns(j);
    q->asked.leak_ns = ns;
    q->asked.spike_ns = spike_ns > 0 ? spike_ns : q->asked.spike_ns;
    q->asked.spike_adds = leak_judge_spike_adds(j, q->asked.spike_ns);
    q->asked.selfcheck = leak_judge_selfcheck(j, k->o->selfcheck);
    q->blocks = k->o->max_calls ? blocks_left(k, q, j) : 0;
}

static bool is_undecided(const struct record *r, int subject)
{
    const struct leak_target *t = record_leak_target(r, subject);
    return !r->subjects[subject].failure && !(t && t->decided);
}

/* With starts and set-ups; *last: of the last process. */
static double time_of(const struct record *r, int subject, double *last)
{
    const struct series *s = &r->series[subject];
    const double *wall = series_values(s, "wall");
    double sum = 0;
    *last = 0;
    for (int i = 0; wall && i < s->main.n; i++)
        if (isfinite(wall[i])) {
            sum += wall[i];
            *last = wall[i];
        }
    return sum;
}

/* With one more process, as long as the last one. */
static double time_with_next(const struct record *r, int subject)
{
    double last;
    const double sum = time_of(r, subject, &last);
    return sum + last;
}

/* Rounds give each target as many processes, not as much time: one whose calls or set-ups are long would take the time of the others. So one that
 * has had its share of the budget waits until the others have had theirs, or are decided and leave theirs to it. */
static void let_rest(struct leak *k, const int *subjects, int n)
{
    const struct record *r = &k->run.record;
    double left = (double)k->run.session.plan.budget_ns, last;
    int sharing = 0, within = 0;
    for (int i = 0; i < k->run.subjects.n; i++) {
        left -= is_undecided(r, i) ? 0 : time_of(r, i, &last);
        sharing += is_undecided(r, i);
    }
    for (int i = 0; i < n; i++)
        within += is_undecided(r, subjects[i]) && time_with_next(r, subjects[i]) <= left / sharing;
    for (int i = 0; i < n; i++)
        k->requests[subjects[i]].rests = within && time_with_next(r, subjects[i]) > left / sharing;
}

static void set_requests(struct leak *k, const int *subjects, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += is_undecided(&k->run.record, subjects[i]);
    for (int i = 0; i < n; i++)
        if (is_undecided(&k->run.record, subjects[i]))
            set_request(k, subjects[i], process_ns(k, subjects[i], left));
    let_rest(k, subjects, n);
}

/* Once, after the first look: what the budget cannot show is said before it is spent; of several targets the one that it shows least of. */
static void say_visible(struct leak *k)
{
    struct record *r = &k->run.record;
    const struct leak_target *worst = NULL;
    double seconds = (double)k->run.session.plan.budget_ns / 1e9 / (k->run.subjects.n > 0 ? k->run.subjects.n : 1), most = 1,
           least = 0;
    int n = 0;
    for (int i = 0; i < r->n_leak_targets && !k->o->max_calls; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        double ns = leak_judge_visible_ns(k->judges.of[t->subject], seconds);
        if (t->decided || !(ns > t->margin_ns))
            continue;
        n++;
        if (ns / t->margin_ns > most) {
            most = ns / t->margin_ns;
            least = ns;
            worst = t;
        }
    }
    if (!worst)
        return;
    struct buf text = BUF_INIT(1 << 12);
    buf_str(&text, r->subjects[worst->subject].name);
    if (n > 1)
        buf_format(&text, " (and %d more target%s)", n - 1, buf_plural(n - 1));
    buf_format(&text,
               ": in %s the smallest difference that can be found is about %s, and the margin is %s; use a longer --max-time or "
               "a wider --margin",
               figure_text(figure_duration, seconds).at, scaled_text("ns", least).at, scaled_text("ns", worst->margin_ns).at);
    run_note(&k->run, "%s", buf_text(&text));
    buf_finish(&text);
}

/* For session.judge; the context is the leak. After it the requests of the next round are set. */
static enum tare_status leak_look(void *leak, const int *subjects, int n, struct tare_err *err)
{
    struct leak *k = leak;
    if (k->take_status) {
        *err = k->take_error;
        return k->take_status;
    }
    /* Given up for what it is, not for a failure. */
    for (int i = 0; i < k->judges.n; i++)
        k->judges.unfit[i] = k->requests[i].unfit || k->requests[i].facts & (WIRE_EQUAL_CLASSES | WIRE_NOT_DETERMINISTIC |
                                                                             WIRE_TOO_COARSE | WIRE_LONG_READINGS);
    enum tare_status status = leak_judges_conclude(&k->judges, &k->run.record, err);
    if (!k->looks++)
        say_visible(k);
    set_requests(k, subjects, n);
    return status;
}

static enum exit_code print_list(const struct leak *k)
{
    struct buf text = BUF_INIT(1 << 24);
    for (int i = 0; i < k->n_programs; i++)
        for (int t = 0; t < k->programs[i].n_targets; t++)
            cli_put_name(&text, k->programs[i].label, k->programs[i].targets[t]);
    return cli_print(k->run.cli, &text);
}

static enum exit_code print_dry(const struct leak *k)
{
    struct buf text = BUF_INIT(1 << 24);
    render_leak_dry_run(&k->run.record, (double)k->run.session.plan.budget_ns / 1e9, &k->run.render, &text);
    return cli_print(k->run.cli, &text);
}

/* Before the first process. Where the kernel refuses to pin, as some sandboxes let it, the system chooses the CPUs. Tried on this thread, which goes back at once. */
static void leak_try_pinning(struct leak *k)
{
    struct exec_options *o = &k->run.exec_options;
    struct tare_err err;
    struct plat_cpus before;
    if (!o->cpu_each_run || !o->n_pin_cpus)
        return;
    plat_thread_cpus(&before);
    enum tare_status status = plat_thread_pin(o->pin_cpus[0], &err);
    plat_thread_restore(&before);
    if (!status)
        return;
    run_note(&k->run, "the system chooses the CPU of each process: %s", err.text);
    o->n_pin_cpus = 0;
    o->cpu_each_run = false;
}

static enum tare_status open_all(struct leak *k, struct tare_err *err)
{
    struct run *run = &k->run;
    enum tare_status status = leak_open_files(k, NULL, err);
    run->exec_options.take = leak_take_report;
    leak_try_pinning(k);
    if (!status)
        status = run_open(run, err);
    if (!status)
        status = leak_judges_open(&k->judges, &run->record, run->cli->arena, err);
    k->judges.runs = leak_ledger_runs(k->ledger);
    leak_save_raw(k);
    run->session.judge = leak_look;
    run->session.judge_context = k;
    return status;
}

static enum exit_code measure_leaks(struct leak *k)
{
    struct run *run = &k->run;
    struct tare_err err;
    enum tare_status status = open_all(k, &err);
    if (status)
        return cli_fail(run->cli, run_open_code(status), &err);
    if (k->o->go_on && (status = leak_continue_take(k, &err)))
        return cli_fail(run->cli, leak_stored_code(status), &err);
    /* An explicit --max-time holds for processes that do not come back too. */
    if (k->o->run.max_time_ns)
        run->exec_options.end_ns = exec_start_ns(run->session.exec) + k->o->run.max_time_ns;
    /* before the first round */
    k->spent.start_ns = k->spent.last_ns = plat_now_ns();
    for (int i = 0; i < k->run.subjects.n; i++)
        set_request(k, i, process_ns(k, i, k->run.subjects.n));
    status = run_measure(run, &err);
    leak_note_unreached(&run->record);
    if (!status)
        status = leak_taint(k, &err);
    enum exit_code code = leak_close_raw(k);
    code = cli_worse(code, leak_draw(k));
    code = cli_worse(code, run_report(run, status, &err));
    code = cli_worse(code, leak_show_pictures(run->cli, &k->o->run.display, &run->record));
    code = cli_worse(code, leak_taint_show(k));
    code = cli_worse(code, leak_add_to_ledger(k));
    if (status == TARE_INTERRUPTED && k->o->run.save && !run->session.save_failed && !k->raw.failed) {
        /* What was measured is not lost, which is worth saying when somebody just pressed a key. */
        run_note(&k->run, "to continue: tare leak --continue %s", k->o->run.save);
    }
    return status ? code : cli_worse(code, leak_code(&run->record));
}

struct several {
    const struct leak_options *o;
    struct leak_options one; /* of the session at hand */
    struct leak k;
};

static struct run *begin_session(void *context, struct cli *cli, const struct run_options *o)
{
    struct several *s = context;
    s->one = *s->o;
    s->one.run = *o;
    s->k = (struct leak){.o = &s->one, .run = {.cli = cli, .o = &s->one.run, .benchmarks = true}};
    return &s->k.run;
}

static enum tare_status describe_session(void *context, struct run *run, struct tare_err *err)
{
    (void)run;
    return leak_describe(&((struct several *)context)->k, err);
}

/* A verdict of one session is no answer of the set; what failed is. */
static enum exit_code measure_session(void *context, struct run *run)
{
    (void)run;
    const enum exit_code code = measure_leaks(&((struct several *)context)->k);
    return code == EXIT_CHILD || code == EXIT_TOOL || code == EXIT_USAGE ? code : EXIT_ANSWERED;
}

static void end_session(void *context, struct run *run)
{
    leak_close(&((struct several *)context)->k);
    run->record.pages = NULL; /* were of its judges */
    run->record.n_pages = 0;
}

static enum exit_code in_sessions(struct leak *described)
{
    struct several s = {.o = described->o};
    const struct session_maker maker = {.context = &s,
                                        .begin = begin_session,
                                        .describe = describe_session,
                                        .measure = measure_session,
                                        .end = end_session,
                                        .answer = leak_code};
    return run_sessions(&described->run, &maker);
}

static enum exit_code with_programs(struct leak *k)
{
    struct tare_err err;
    enum tare_status status = k->o->go_on ? leak_continue_load(k, &err) : TARE_OK;
    if (status)
        return cli_fail(k->run.cli, leak_stored_code(status), &err);
    const enum exit_code agreed = k->o->go_on ? leak_continue_consent(k) : EXIT_ANSWERED;
    if (agreed)
        return agreed;
    status = leak_describe(k, &err);
    if (!status)
        status = leak_taint_check(k, &err);
    enum exit_code code = status               ? cli_fail(k->run.cli, run_code_of(status), &err)
                          : k->o->list         ? print_list(k)
                          : k->o->run.dry_run  ? print_dry(k)
                          : k->o->run.sessions ? in_sessions(k)
                                               : measure_leaks(k);
    return code;
}

/* Nothing that is read is written over, and no file is written twice. */
static enum tare_status check_places(struct cli *cli, const struct leak_options *o, struct tare_err *err)
{
    const char *beside[] = {o->run.save, o->go_on, o->replay}, *raw[3];
    for (int i = 0; i < 3; i++)
        raw[i] = beside[i] ? arena_format(cli->arena, "%s.raw", beside[i]) : NULL;
    const struct outputs_place places[] = {{"--save", o->run.save, false},
                                           {"the file of times beside --save", raw[0], false},
                                           {"--continue", o->go_on, true},
                                           {"the file of times beside --continue", raw[1], true},
                                           {"--replay", o->replay, true},
                                           {"the file of times beside --replay", raw[2], true},
                                           {"--csv", o->csv, true},
                                           {"--ledger", o->ledger, false},
                                           {"--suppressions", o->suppressions, true}};
    struct outputs_place given[sizeof places / sizeof *places];
    int n = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].path)
            given[n++] = places[i];
    return outputs_check(&o->run.display, given, n, err);
}

int cmd_leak(struct cli *cli, const void *options)
{
    struct tare_err err;
    struct leak k = {.o = options};
    enum tare_status status = check_places(cli, k.o, &err);
    if (!status && !k.o->run.go_on)
        status = stored_keep(k.o->run.save, (struct stored_keep){k.o->run.sessions > 0, true}, &err);
    if (status)
        return cli_refuse(cli, status, &err);
    k.run = (struct run){.cli = cli, .o = &k.o->run, .benchmarks = true};
    record_init(&k.run.record);
    enum exit_code code = k.o->csv ? leak_from_csv(&k) : k.o->replay ? leak_from_replay(&k) : with_programs(&k);
    leak_close(&k);
    return run_end(&k.run, code);
}
