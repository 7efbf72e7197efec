/* SPDX-License-Identifier: MIT
 *
 * `tare leak --csv FILE`: a file with times as if a program had sent them. Each stretch of blocks is a process, with a row and a look. */
#include "exec.h"
#include "leak_csv.h"
#include "leak_session.h"
#include "machine.h"
#include "record_write.h"
#include "screen.h"
#include "stored_file.h"
#include <math.h>
#include <string.h>

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

static enum tare_status open_files(struct file_session *f, struct tare_err *err)
{
    struct leak *k = f->k;
    struct record *r = &k->run.record;
    enum tare_status status = leak_open_files(k, err);
    if (!status)
        status = outputs_open(&k->run.session.outputs, &k->o->run.display, k->o->run.save, err);
    if (!status)
        status = leak_judges_open(&k->judges, r, k->run.cli->arena, err);
    k->judges.runs = leak_ledger_runs(k->ledger);
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
        run_note(&k->run, "%lld of %lld calls are in no complete block and were left out", (long long)f->csv.left_over,
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
    buf_finish(&text);
    if (!status)
        status = open_files(f, err);
    return status ? status : judge_calls(f, err);
}

enum exit_code leak_from_csv(struct leak *k)
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
