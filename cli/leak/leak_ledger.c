/* SPDX-License-Identifier: MIT */
#include "leak_ledger.h"
#include "json_read.h"
#include "json_write.h"
#include "plat.h"
#include "record_write.h"
#include "utc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEDGER_MAX = 64 << 20 };

struct leak_ledger {
    struct plat_file *file;
    struct leak_runs runs;
    int room;
    int64_t truncated_at; /* where its last line begins, which is none; -1: there is no such line */
    bool open_line;       /* the last line has no end yet */
};

/* ---- reading ---- */

static bool add_entry(struct leak_ledger *l, const struct leak_run *entry)
{
    if (l->runs.n == l->room) {
        int room = l->room ? 2 * l->room : 64;
        struct leak_run *more = realloc(l->runs.run, (size_t)room * sizeof *more);
        if (!more)
            return false;
        l->runs.run = more;
        l->room = room;
    }
    l->runs.run[l->runs.n++] = *entry;
    return true;
}

static void keep_text(char out[LEAK_QUESTION_BYTES], const char *text)
{
    struct buf b = buf_over(out, LEAK_QUESTION_BYTES);
    buf_str(&b, text ? text : "");
}

static enum tare_status read_line(struct leak_ledger *l, const char *line, size_t n, int number, struct tare_err *err)
{
    struct json_value *v;
    const char *type = NULL, *question = NULL, *verdict = "", *data = "";
    struct leak_run e = {.log_e = 0};
    enum tare_status status = json_parse(&v, line, n, err);
    if (status == TARE_UNSUPPORTED)
        return status;
    bool good = !status && json_text_of(json_member(v, "type"), &type) && !strcmp(type, "tare-ledger") &&
                json_text_of(json_member(v, "question"), &question) && json_number_of(json_member(v, "log_e"), &e.log_e);
    json_text_of(json_member(v, "verdict"), &verdict);
    json_text_of(json_member(v, "data"), &data);
    json_unsigned_of(json_member(v, "seed"), &e.seed);
    e.leak = !strcmp(verdict, verdict_name(VERDICT_LEAK));
    keep_text(e.question, question);
    keep_text(e.data, data);
    if (!good)
        status = err_set(err, TARE_FORMAT,
                         "line %d is not a line of a tare leak ledger; is it the right file? If it is, remove the damaged line",
                         number);
    else if (!add_entry(l, &e))
        status = err_set(err, TARE_NO_MEMORY, "no memory for the ledger");
    if (v)
        json_free(v);
    return status;
}

static const char begins[] = "{\"type\":\"tare-ledger\"";

/* The beginning of a line of ours: no other file's last line is taken for one, for it will be cut off. */
static bool is_truncated(const char *line, size_t n)
{
    size_t known = n < sizeof begins - 1 ? n : sizeof begins - 1;
    return !memcmp(line, begins, known);
}

static enum tare_status read_text(struct leak_ledger *l, const char *text, size_t n, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int number = 1;
    l->truncated_at = -1;
    for (size_t at = 0; at < n && !status; number++) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - text) - at : n - at;
        l->open_line = !end;
        if (length)
            status = read_line(l, text + at, length, number, err);
        if (status == TARE_FORMAT && !end && is_truncated(text + at, length)) {
            l->truncated_at = (int64_t)at;
            return TARE_OK;
        }
        at += length + 1;
    }
    return status;
}

static void note_truncated(const struct leak_ledger *l, const char *path, struct buf *note)
{
    if (l->truncated_at >= 0)
        buf_format(note,
                   "%s: its last line was cut off (a full disk, or a machine that stopped) and is left out: that run does not "
                   "count; the %d before "
                   "it do%s",
                   path, l->runs.n, l->runs.n == 1 ? "es" : "");
}

enum tare_status leak_ledger_open(struct leak_ledger **out, const char *path, struct buf *note, struct tare_err *err)
{
    struct leak_ledger *l = *out = calloc(1, sizeof *l);
    struct buf text = BUF_INIT(LEDGER_MAX);
    enum tare_status status = l ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the ledger");
    if (!status) /* locked before it is read */
        status = plat_file_create(&l->file, path, PLAT_FILE_APPEND, err);
    if (!status)
        status = plat_file_read(path, &text, err);
    if (!status) {
        status = read_text(l, buf_text(&text), text.len, err);
        if (status)
            err_prefix(err, path);
        else
            note_truncated(l, path, note);
    }
    buf_finish(&text);
    if (status) {
        err_prefix(err, "--ledger");
        leak_ledger_close(l);
        *out = NULL;
    }
    return status;
}

void leak_ledger_close(struct leak_ledger *l)
{
    if (!l)
        return;
    if (l->file)
        plat_file_commit(l->file, NULL);
    free(l->runs.run);
    free(l);
}

/* ---- writing ---- */

const struct leak_runs *leak_ledger_runs(const struct leak_ledger *l)
{
    return l ? &l->runs : NULL;
}

/* A line of our own begins where the last whole one ends. */
static enum tare_status write_line(struct leak_ledger *l, const struct buf *line, struct tare_err *err)
{
    enum tare_status status = line->status ? err_set(err, TARE_NO_MEMORY, "no memory for the ledger") : TARE_OK;
    if (!status && l->truncated_at >= 0)
        status = plat_file_cut(l->file, l->truncated_at, err);
    else if (!status && l->open_line)
        status = plat_file_write(l->file, "\n", 1, err);
    if (status)
        return status;
    l->truncated_at = -1;
    l->open_line = false;
    return plat_file_write(l->file, line->data, line->len, err);
}

enum tare_status leak_ledger_add(struct leak_ledger *l, const struct record *r, const struct leak_target *t, double log_e,
                                 struct tare_err *err)
{
    char start[40];
    struct buf text = buf_over(start, sizeof start), line = BUF_INIT(1 << 20);
    if (t->verdict == VERDICT_INVALID || t->verdict == VERDICT_NONE || !(t->calls > 0))
        return TARE_OK;
    const struct leak_run run = leak_run_of(r, t, log_e);
    if (leak_runs_have(&l->runs, &run))
        return TARE_OK;
    utc_text(&text, r->start_utc_ns);
    struct json_write j = json_into(&line, 0);
    json_object(&j, NULL);
    json_string(&j, "type", "tare-ledger");
    json_string(&j, "question", run.question);
    json_bytes(&j, "target", r->subjects[t->subject].benchmark);
    json_string(&j, "start", start);
    json_number(&j, "log_e", log_e);
    json_string(&j, "verdict", verdict_name(t->verdict));
    json_number(&j, "calls", t->calls);
    json_unsigned(&j, "seed", run.seed);
    if (run.data[0])
        json_string(&j, "data", run.data);
    json_end(&j);
    buf_char(&line, '\n');
    enum tare_status status = write_line(l, &line, err);
    buf_finish(&line);
    return status;
}
