/* SPDX-License-Identifier: MIT
 *
 * The files of `tare leak`: the ledger, the raw times beside a record, and pictures; what is shown of them, and the exit code.
 */
#include "exec.h"
#include "fnv.h"
#include "json_read.h"
#include "json_write.h"
#include "leak_sentences.h"
#include "leak_session.h"
#include "plat.h"
#include "render.h"
#include "screen.h"
#include "stored_file.h"
#include "taint.h"
#include "units.h"
#include "utc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The file of --ledger: runs of leak targets, which leak_judges.h takes together. It is JSON Lines, one object a run and target: question, target,
 * log_e, verdict, calls, start. */

enum { LEDGER_MAX = 64 << 20 };

struct leak_ledger {
    struct plat_file *file;
    struct leak_runs runs;
    int room;
    int64_t truncated_at; /* where its last line begins, which is none; -1: there is no such line */
    bool open_line;       /* the last line has no end yet */
};

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
    if (status == TARE_UNSUPPORTED || status == TARE_NO_MEMORY)
        return status;
    bool good = !status && json_text_of(json_member(v, "type"), &type) && !strcmp(type, "tare-ledger") &&
                json_text_of(json_member(v, "question"), &question) && json_number_of(json_member(v, "log_e"), &e.log_e);
    json_text_of(json_member(v, "verdict"), &verdict);
    json_text_of(json_member(v, "data"), &data);
    json_integer_of(json_member(v, "bytes"), 1, INT64_MAX, &e.bytes);
    json_unsigned_of(json_member(v, "seed"), &e.seed);
    e.leak = !strcmp(verdict, verdict_name(VERDICT_LEAK));
    keep_text(e.question, question);
    keep_text(e.data, data);
    if (!good)
        status = err_set(err, TARE_FORMAT,
                         "line %d is not a line of a tare leak ledger; is it the right file? If it is, remove the damaged line",
                         number);
    else if (!add_entry(l, &e))
        status = err_no_memory(err);
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

static void leak_ledger_close(struct leak_ledger *l)
{
    if (!l)
        return;
    if (l->file)
        plat_file_commit(l->file, NULL);
    free(l->runs.run);
    free(l);
}

static int by_bytes(const void *a, const void *b)
{
    const struct leak_run *x = *(struct leak_run *const *)a, *y = *(struct leak_run *const *)b;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The runs of a file that has grown since: their calls are among those of it as it is now. How many; -1: no memory. */
static int leave_out_parts(struct leak_runs *runs, const struct buf *file)
{
    enum { PART = -1 }; /* bytes of one */
    struct leak_run **run = malloc(((size_t)runs->n + 1) * sizeof *run);
    uint64_t hash = FNV1A64_EMPTY;
    int64_t at = 0;
    int n = 0, kept = 0;
    if (!run)
        return -1;
    for (int i = 0; i < runs->n; i++)
        if (runs->run[i].data[0] && runs->run[i].bytes && runs->run[i].bytes < (int64_t)file->len)
            run[n++] = &runs->run[i];
    qsort(run, (size_t)n, sizeof *run, by_bytes); /* the file is read once, however many lines the ledger has */
    for (int i = 0; i < n; i++) {
        char begins_with[LEAK_QUESTION_BYTES];
        hash = fnv1a64(hash, file->data + at, (size_t)(run[i]->bytes - at));
        at = run[i]->bytes;
        buf_print(begins_with, sizeof begins_with, "%016llx", (unsigned long long)hash);
        run[i]->bytes = strcmp(begins_with, run[i]->data) ? at : PART;
    }
    free(run);
    for (int i = 0; i < runs->n; i++)
        if (runs->run[i].bytes != PART)
            runs->run[kept++] = runs->run[i];
    const int parts = runs->n - kept;
    runs->n = kept;
    return parts;
}

static enum tare_status settle_runs(struct leak_ledger *l, const char *path, const struct buf *file, struct buf *note,
                                    struct tare_err *err)
{
    const int parts = file ? leave_out_parts(&l->runs, file) : 0;
    if (parts > 0)
        buf_format(note, "%s%s: the file of times has grown since %d run%s, whose calls count once", note->len ? "; " : "", path,
                   parts, buf_plural(parts));
    return parts >= 0 && leak_runs_settle(&l->runs) ? TARE_OK : err_no_memory(err);
}

/* The file need not be there; `file`: the times of --csv, or NULL. BUSY: another session has it; FORMAT: not a ledger; IO. A last line that was cut off, as by a full disk, is left out and
 * said in note, and goes when this run is added. */
static enum tare_status leak_ledger_open(struct leak_ledger **out, const char *path, const struct buf *file, struct buf *note,
                                         struct tare_err *err)
{
    struct leak_ledger *l = *out = calloc(1, sizeof *l);
    struct buf text = BUF_INIT(LEDGER_MAX);
    struct plat_file_state there;
    enum tare_status status = l ? TARE_OK : err_no_memory(err);
    if (!status && !plat_file_state(path, &there, NULL) && !there.regular) /* from a pipe nothing would ever come */
        status = err_set(err, TARE_INVALID, "%s is not a regular file", path);
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
    if (!status)
        status = settle_runs(l, path, file, note, err);
    buf_finish(&text);
    if (status) {
        err_prefix(err, "--ledger");
        leak_ledger_close(l);
        *out = NULL;
    }
    return status;
}

const struct leak_runs *leak_ledger_runs(const struct leak_ledger *l)
{
    return l ? &l->runs : NULL;
}

/* A line of our own begins where the last complete one ends. */
static enum tare_status write_line(struct leak_ledger *l, const struct buf *line, struct tare_err *err)
{
    enum tare_status status = line->status ? err_no_memory(err) : TARE_OK;
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

/* An invalid run, one without a call and a file that is there already are not added. */
static enum tare_status leak_ledger_add(struct leak_ledger *l, const struct record *r, const struct leak_target *t, double log_e,
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
    if (run.data[0]) {
        json_string(&j, "data", run.data);
        json_integer(&j, "bytes", run.bytes);
    }
    json_end(&j);
    buf_char(&line, '\n');
    enum tare_status status = write_line(l, &line, err);
    buf_finish(&line);
    return status;
}

/* The file holds the reports of all processes as they came, one behind the other. The rows of the record say which part is whose (columns raw_at,
 * raw_bytes, raw_hash), the fact raw_file names it. */

static const char suffix[] = ".raw";

static enum tare_status leak_raw_open(struct leak_raw *raw, const char *record_path, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    buf_format(&path, "%s%s", record_path, suffix);
    enum tare_status status = plat_file_create(&raw->file, buf_text(&path), PLAT_FILE_APPEND_ASIDE, err);
    raw->replaces = !status && stored_has_times(record_path);
    buf_finish(&path);
    if (status)
        err_prefix(err, "--save");
    return status;
}

int64_t leak_raw_add(struct leak_raw *raw, const void *bytes, size_t n)
{
    int64_t at = raw->at;
    if (!raw->file || raw->failed)
        return -1;
    raw->failed = plat_file_write(raw->file, bytes, n, &raw->err) != TARE_OK;
    raw->keeps_old = raw->failed && raw->replaces;
    raw->at += (int64_t)n;
    return raw->failed ? -1 : at;
}

static enum tare_status leak_raw_close(struct leak_raw *raw, struct tare_err *err)
{
    if (raw->file && !raw->replaces && !raw->failed) /* a session without a report has a file too, so that it can go on */
        raw->failed = plat_file_settle(raw->file, &raw->err) != TARE_OK;
    if (raw->file && !raw->failed && !plat_file_intact(raw->file))
        raw->failed = err_set(&raw->err, TARE_IO,
                              "the file was deleted, replaced or changed while tare measured, so they cannot be judged again");
    enum tare_status status = raw->file ? plat_file_commit(raw->file, err) : TARE_OK;
    raw->file = NULL;
    if (raw->failed && err)
        *err = raw->err;
    return raw->failed ? TARE_IO : status;
}

/* Into the record, before its end is written: how long the file is. */
static enum tare_status leak_raw_describe(const struct leak_raw *raw, struct record *r)
{
    bool kept = raw->at > 0 && !raw->failed;
    return kept ? facts_add_number(r, &r->after, "raw_file_bytes", (double)raw->at) : TARE_OK;
}

struct replay {
    struct record *r;
    struct leak_judge *const *judges;
    struct leak_raw *keep;
    int fd;
    char *bytes;
    size_t room;
};

static bool room_for(struct replay *p, size_t n)
{
    if (n <= p->room)
        return true;
    free(p->bytes);
    p->bytes = malloc(n);
    p->room = p->bytes ? n : 0;
    return p->bytes != NULL;
}

static double column_of(const struct series *s, const char *id, int row)
{
    int column = series_column(s, id);
    return column < 0 ? NAN : s->main.value[column][row];
}

static enum tare_status judge_bytes(struct replay *p, int subject, int row, double at, size_t n, struct tare_err *err)
{
    const struct subject *s = &p->r->subjects[subject];
    struct series *series = &p->r->series[subject];
    struct leak_report report;
    if (plat_scratch_read(p->fd, (int64_t)at, p->bytes, n, NULL))
        return err_set(err, TARE_FORMAT, "was changed after it was written: it ends before the times of process %d of '%s'",
                       row + 1, s->name);
    if (leak_hash(p->bytes, n) != column_of(series, "raw_hash", row))
        return err_set(err, TARE_FORMAT, "is not as it was written: the times of process %d of '%s' have changed", row + 1,
                       s->name);
    leak_read(p->bytes, n, s->benchmark, INFINITY, &report); /* was held when it came */
    if (report.trouble[0])
        return err_set(err, TARE_FORMAT, "process %d of '%s' %s", row + 1, s->name, report.trouble);
    report.core_hz = column_of(series, "core_hz", row);
    report.cpu = leak_cpu(column_of(series, "first_cpu", row), column_of(series, "last_cpu", row));
    int column = series_column(series, "raw_at");
    if (p->keep)
        series->main.value[column][row] = (double)leak_raw_add(p->keep, p->bytes, n);
    return leak_judge_take(p->judges[subject], &report, err);
}

static enum tare_status judge_row(struct replay *p, int subject, int row, struct tare_err *err)
{
    const struct series *s = &p->r->series[subject];
    double at = column_of(s, "raw_at", row), n = column_of(s, "raw_bytes", row);
    if (!(at >= 0) || !(n > 0) || at > 9e15 || n > BENCH_REPORT_BYTES)
        return err_set(err, TARE_UNSUPPORTED,
                       "the times of process %d of '%s' were not kept: the record does not say where they are", row + 1,
                       p->r->subjects[subject].name);
    if (!room_for(p, (size_t)n))
        return err_set(err, TARE_NO_MEMORY, "no memory for %.0f bytes of times", n);
    return judge_bytes(p, subject, row, at, (size_t)n, err);
}

/* No pipe, for which nobody may ever write. -1: err says why. */
static int open_times(const char *path, struct tare_err *err)
{
    struct plat_file_state state;
    if (plat_file_state(path, &state, NULL) || state.regular)
        return plat_open_input(path, err);
    err_set(err, TARE_IO, "%s is not a regular file", path);
    return -1;
}

/* Beside the record, wherever that was moved to: by the record's name now, or as it was. False: they were not kept. */
static bool put_path(const char *record_path, const struct record *r, struct buf *path)
{
    const char *name = facts_text(&r->before, "raw_file");
    if (!name || !*name || plat_base_name(name) > name)
        return false;
    buf_format(path, "%s%s", record_path, suffix);
    const int fd = open_times(buf_text(path), NULL);
    if (fd < 0) {
        buf_clear(path);
        buf_add(path, record_path, (size_t)(plat_base_name(record_path) - record_path));
        buf_str(path, name);
    }
    plat_close(fd);
    return true;
}

static enum tare_status open_beside(const char *record_path, const struct record *r, struct buf *path, int *fd,
                                    struct tare_err *err)
{
    if (!put_path(record_path, r, path)) {
        err_set(err, TARE_UNSUPPORTED, "%s: the times of the calls were not kept, so they cannot be judged again%s", record_path,
                r->n_leak_targets ? "; tare show has the verdicts" : "");
        return TARE_UNSUPPORTED;
    }
    *fd = open_times(buf_text(path), err);
    return *fd < 0 ? TARE_IO : TARE_OK;
}

enum tare_status leak_raw_check(const char *record_path, const struct record *r, const struct display_options *display,
                                const char *save, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    const bool kept = put_path(record_path, r, &path);
    const struct outputs_place places[] = {{"the file of times", kept ? buf_text(&path) : NULL, true}, {"--save", save, false}};
    enum tare_status status = kept ? outputs_check(display, places, 2, err) : TARE_OK;
    buf_finish(&path);
    return status;
}

/* A session that was killed does not know how long the file became. */
static enum tare_status check_length(const struct record *r, int fd, struct tare_err *err)
{
    const double then = facts_number(&r->after, "raw_file_bytes");
    const int64_t bytes = plat_scratch_size(fd);
    if (!(then > 0) || (double)bytes == then)
        return TARE_OK;
    return err_set(err, TARE_FORMAT, "was changed after it was written: it has %lld bytes, not %.0f", (long long)bytes, then);
}

/* Of a session that a full disk ended, the last processes have no times. Returns how many, which are then in the record no more. */
static int drop_without_times(struct record *r, int subject)
{
    const struct series *s = &r->series[subject];
    int n = s->main.n;
    while (!r->ended && n && isnan(column_of(s, "raw_at", n - 1)))
        n--;
    const int dropped = s->main.n - n;
    r->series[subject].main.n = n;
    return dropped;
}

enum tare_status leak_raw_judge(const char *record_path, struct record *r, struct leak_judge *const *judges,
                                struct leak_raw *keep, int *left_out, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    struct replay p = {.r = r, .judges = judges, .keep = keep, .fd = -1};
    enum tare_status status = open_beside(record_path, r, &path, &p.fd, err);
    bool opened = !status;
    if (!status)
        status = check_length(r, p.fd, err);
    *left_out = 0;
    for (int i = 0; i < r->n_subjects && !status; i++)
        *left_out += r->subjects[i].kind == SUBJECT_LEAK ? drop_without_times(r, i) : 0;
    for (int i = 0; i < r->n_subjects && !status; i++)
        for (int row = 0; r->subjects[i].kind == SUBJECT_LEAK && row < r->series[i].main.n && !status; row++)
            status = judge_row(&p, i, row, err);
    if (status && opened)
        err_prefix(err, buf_text(&path));
    plat_close(p.fd);
    free(p.bytes);
    buf_finish(&path);
    return status;
}

static enum exit_code verdict_code(const struct record *r, const struct leak_target *t)
{
    switch (t->verdict) {
    case VERDICT_LEAK:
        return EXIT_BAD;
    case VERDICT_LEAK_SMALL:
        return r->rule.leaks.strict ? EXIT_BAD : EXIT_ANSWERED;
    case VERDICT_NO_LEAK:
        return EXIT_ANSWERED;
    case VERDICT_UNDECIDED:
        return EXIT_UNDECIDED;
    default:
        return EXIT_INVALID;
    }
}

/* dudect has no word for "it does not leak"; lab0-c's pass is no proof of it. */
static enum exit_code dudect_code(const struct leak_target *t)
{
    bool lab0 = t->corrected_tries >= 0, bad = lab0 ? t->corrected_passed == 0 : t->corrected_over_after >= 0;
    return t->verdict == VERDICT_INVALID ? EXIT_INVALID : bad ? EXIT_BAD : EXIT_UNDECIDED;
}

static enum exit_code target_code(const struct record *r, int subject)
{
    const struct leak_target *t = record_leak_target(r, subject);
    if (r->subjects[subject].failure)
        return t && t->unfit > 0 ? EXIT_INVALID : EXIT_CHILD;
    return !t ? EXIT_UNDECIDED : r->rule.leaks.dudect ? dudect_code(t) : verdict_code(r, t);
}

/* Of a session that is judged anew too: its times say nothing of it. */
static enum exit_code taint_code(const struct leak_target *t)
{
    const char *word = t && t->taint_verdict ? t->taint_verdict : "";
    return !strcmp(word, taint_state_word(TAINT_FAILED))  ? EXIT_CHILD
           : !strcmp(word, taint_state_word(TAINT_FOUND)) ? EXIT_BAD
                                                          : EXIT_ANSWERED;
}

enum exit_code leak_code(const struct record *r)
{
    enum exit_code code = EXIT_ANSWERED;
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_LEAK)
            code = cli_worse(code, cli_worse(target_code(r, i), taint_code(record_leak_target(r, i))));
    return code;
}

/* The figures of a target as lines: all that have a value, by what people call them. */
enum { FACTS_MOST = 160 };

struct facts_maker {
    struct arena *arena;
    struct chart_fact *facts;
    int n;
    bool failed;
};

static void add_fact(struct facts_maker *m, const char *meaning, const char *value)
{
    const char *name = arena_copy(m->arena, meaning, strcspn(meaning, ";")), *kept = arena_strdup(m->arena, value);
    m->failed = m->failed || !kept || !name;
    if (kept && name && m->n < FACTS_MOST)
        m->facts[m->n++] = (struct chart_fact){name, kept};
}

static void put_figure(struct buf *b, const char *unit, double value)
{
    enum { DIGITS = 4 };
    if (isinf(value))
        buf_str(b, value > 0 ? "unbounded" : "unbounded below");
    else if (!strcmp(unit, "flag"))
        buf_str(b, value > 0 ? "yes" : "no");
    else if (!strcmp(unit, "share"))
        figure_share(b, value);
    else if (!strcmp(unit, "1") || !strcmp(unit, "10^") || !strcmp(unit, "cycles")) {
        buf_str(b, !strcmp(unit, "10^") ? unit : "");
        figure_put(b, value, value == rint(value) ? 0 : figure_digits(value, DIGITS));
        buf_str(b, *unit == 'c' ? " cycles" : "");
    } else
        figure_scaled(b, unit, value, DIGITS);
}

static void add_figure(struct facts_maker *m, const struct leak_figure *f, double value)
{
    char room[64];
    struct buf text = buf_over(room, sizeof room);
    if (isnan(value))
        return;
    put_figure(&text, f->unit, value);
    add_fact(m, f->meaning, buf_text(&text));
}

/* Of times in a file it is not known what measured them, and where. */
static const struct chart_fact *facts_of(struct leak_target *t, struct arena *arena, int *n)
{
    if (t->kind && !strcmp(t->kind, "csv")) {
        t->cache = t->cpu = t->dit = NULL;
        t->seconds = NAN;
    }
    struct facts_maker m = {.arena = arena, .facts = arena_array(arena, FACTS_MOST, sizeof *m.facts)};
    const bool by_classes = !t->kind || (strcmp(t->kind, "scan") != 0 && strcmp(t->kind, "growth") != 0);
    *n = 0;
    if (!m.facts)
        return NULL;
    for (int i = 0; leak_text_at(i); i++) {
        const char *value = *leak_text_of(t, leak_text_at(i));
        if (value && *value && (by_classes || value != t->classes)) /* a scan's inputs are random, whatever classes there are */
            add_fact(&m, leak_text_at(i)->meaning, value);
    }
    for (int i = 0; leak_figure_at(i); i++)
        add_figure(&m, leak_figure_at(i), *leak_figure_of(t, leak_figure_at(i)));
    *n = m.n;
    return m.failed ? NULL : m.facts;
}

static const char *sentence_of(const struct record *r, const struct leak_target *t, struct arena *arena)
{
    struct buf b = BUF_INIT(1 << 16);
    leak_sentence(r, t, &b);
    const char *kept = arena_strdup(arena, buf_text(&b));
    buf_finish(&b);
    return kept;
}

bool leak_make_pages(const struct leak_judges *all, struct record *r, struct arena *arena)
{
    struct chart_page *pages = arena_array(arena, (size_t)all->n + 1, sizeof *pages);
    int n = 0;
    for (int i = 0; pages && i < all->n; i++) {
        const struct leak_target *found = record_leak_target(r, i);
        struct chart *charts = arena_array(arena, LEAK_CHARTS_MAX, sizeof *charts);
        if (!charts)
            return false;
        if (!found || r->subjects[i].failure)
            continue;
        struct leak_target t = *found;
        const int drawn = leak_judge_draw(all->of[i], &t, arena, charts);
        if (record_set_leak_target(r, &t))
            return false;
        if (drawn > 0) {
            struct chart_page page = {
                .heading = r->subjects[i].name, .verdict = sentence_of(r, &t, arena), .charts = charts, .n_charts = drawn};
            page.facts = facts_of(&t, arena, &page.n_facts);
            pages[n++] = page;
        }
    }
    r->pages = pages;
    r->n_pages = pages ? n : 0;
    return pages != NULL;
}

static enum tare_status open_raw(struct leak *k, struct tare_err *err)
{
    if (!k->o->run.save)
        return TARE_OK;
    struct record *r = &k->run.record;
    struct buf name = BUF_INIT(1 << 16);
    /* The name for the fact raw_file: that of the record without its folders, and .raw. */
    buf_format(&name, "%s%s", plat_base_name(k->o->run.save), suffix);
    enum tare_status status = facts_add_text(r, &r->before, "raw_file", buf_text(&name));
    buf_finish(&name);
    return status ? err_set(err, status, "no memory for the record") : leak_raw_open(&k->raw, k->o->run.save, err);
}

enum tare_status leak_open_files(struct leak *k, const struct buf *file, struct tare_err *err)
{
    struct buf note = BUF_INIT(1 << 16);
    enum tare_status status = k->o->ledger ? leak_ledger_open(&k->ledger, k->o->ledger, file, &note, err) : TARE_OK;
    if (note.len)
        run_note(&k->run, "%s", buf_text(&note));
    buf_finish(&note);
    return status ? status : open_raw(k, err);
}

/* Also of a session that was interrupted: who stops when it goes badly has seen it too. */
enum exit_code leak_add_to_ledger(struct leak *k)
{
    const struct record *r = &k->run.record;
    struct tare_err err;
    enum tare_status status = TARE_OK;
    for (int i = 0; k->ledger && i < r->n_leak_targets && !status; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        if (!r->subjects[t->subject].failure)
            status = leak_ledger_add(k->ledger, r, t, leak_judge_figures(k->judges.of[t->subject]).log_e, &err);
    }
    if (!status && k->ledger && !plat_file_intact(k->ledger->file))
        status = err_set(&err, TARE_IO, "the file was deleted, replaced or changed while tare measured");
    if (!status && k->ledger) {
        status = plat_file_commit(k->ledger->file, &err); /* some file systems say only now that there is no room */
        k->ledger->file = NULL;
    }
    if (!status)
        return EXIT_ANSWERED;
    err_prefix(&err, "--ledger");
    return cli_fail(k->run.cli, EXIT_TOOL, &err);
}

void leak_save_raw(struct leak *k)
{
    k->run.session.outputs.beside = k->raw.file;
    k->run.session.outputs.held_back = &k->raw.keeps_old;
}

enum exit_code leak_close_raw(struct leak *k)
{
    struct outputs *o = &k->run.session.outputs;
    struct tare_err err;
    if (k->raw.replaces && !k->raw.failed && !o->writer.worthwhile) /* until the record has its end */
        return EXIT_ANSWERED;
    o->beside = NULL;
    enum tare_status status = leak_raw_close(&k->raw, &err);
    if (!status && leak_raw_describe(&k->raw, &k->run.record))
        status = err_no_memory(&err);
    if (!status)
        return EXIT_ANSWERED;
    err_prefix(&err, "the times of the calls");
    return cli_fail(k->run.cli, EXIT_TOOL, &err);
}

enum exit_code leak_draw(struct leak *k)
{
    struct tare_err err;
    if (!leak_make_pages(&k->judges, &k->run.record, k->run.cli->arena)) {
        err_no_memory(&err);
        return cli_fail(k->run.cli, EXIT_TOOL, &err);
    }
    return EXIT_ANSWERED;
}

enum exit_code leak_show_pictures(struct cli *cli, const struct display_options *d, const struct record *r)
{
    struct render_options options = screen_options(d);
    struct buf b = BUF_INIT(1 << 24);
    for (int i = 0; i < r->n_pages && d->verbose > 0; i++) {
        buf_char(&b, '\n');
        render_charts(&r->pages[i], &options, &b);
    }
    return screen_text(cli, d, &b);
}

void leak_close(struct leak *k)
{
    leak_raw_close(&k->raw, NULL);
    leak_ledger_close(k->ledger);
    leak_judges_close(&k->judges);
    record_finish(&k->before);
}
