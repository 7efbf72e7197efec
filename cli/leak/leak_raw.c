/* SPDX-License-Identifier: MIT */
#include "leak_raw.h"
#include "exec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".raw";

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void leak_raw_name(const char *record_path, struct buf *out)
{
    buf_format(out, "%s%s", name_of(record_path), suffix);
}

/* ---- writing ---- */

enum tare_status leak_raw_open(struct leak_raw *raw, const char *record_path, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    buf_format(&path, "%s%s", record_path, suffix);
    enum tare_status status = plat_file_create(&raw->file, buf_text(&path), PLAT_FILE_APPEND_ASIDE, err);
    struct plat_file_state before;
    raw->replaces = !status && !plat_file_state(buf_text(&path), &before, NULL) && before.bytes > 0;
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
    raw->failed = plat_file_write(raw->file, bytes, n, &raw->err) || plat_file_settle(raw->file, &raw->err);
    raw->at += (int64_t)n;
    return raw->failed ? -1 : at;
}

enum tare_status leak_raw_close(struct leak_raw *raw, struct tare_err *err)
{
    if (raw->file && !raw->replaces && !raw->failed) /* a session without a report has a file too, so that it can go on */
        raw->failed = plat_file_settle(raw->file, &raw->err) != TARE_OK;
    enum tare_status status = raw->file ? plat_file_commit(raw->file, err) : TARE_OK;
    raw->file = NULL;
    if (raw->failed && err)
        *err = raw->err;
    return raw->failed ? TARE_IO : status;
}

enum tare_status leak_raw_describe(const struct leak_raw *raw, struct record *r)
{
    bool kept = raw->at > 0 && !raw->failed;
    return kept ? facts_add_number(r, &r->after, "raw_file_bytes", (double)raw->at) : TARE_OK;
}

/* ---- reading ---- */

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

/* Beside the record, wherever that was moved to: by the record's name now, or as it was. */
static enum tare_status open_beside(const char *record_path, const struct record *r, struct buf *path, int *fd,
                                    struct tare_err *err)
{
    const struct fact *name = facts_find(&r->before, "raw_file");
    if (!name || !name->text || !*name->text || strchr(name->text, '/')) {
        err_set(err, TARE_UNSUPPORTED,
                "%s: the times of the calls were not kept, so they cannot be judged again; tare show has the verdicts",
                record_path);
        return TARE_UNSUPPORTED;
    }
    buf_format(path, "%s.raw", record_path);
    *fd = plat_open_input(buf_text(path), NULL);
    if (*fd >= 0)
        return TARE_OK;
    buf_clear(path);
    buf_add(path, record_path, (size_t)(name_of(record_path) - record_path));
    buf_str(path, name->text);
    *fd = plat_open_input(buf_text(path), err);
    return *fd < 0 ? TARE_IO : TARE_OK;
}

/* A session that was killed does not know how long the file became. */
static enum tare_status check_length(const struct record *r, int fd, struct tare_err *err)
{
    const struct fact *f = facts_find(&r->after, "raw_file_bytes");
    int64_t bytes = plat_scratch_size(fd);
    if (!f || !(f->number > 0) || (double)bytes == f->number)
        return TARE_OK;
    return err_set(err, TARE_FORMAT, "was changed after it was written: it has %lld bytes, not %.0f", (long long)bytes,
                   f->number);
}

enum tare_status leak_raw_judge(const char *record_path, struct record *r, struct leak_judge *const *judges,
                                struct leak_raw *keep, struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    struct replay p = {.r = r, .judges = judges, .keep = keep, .fd = -1};
    enum tare_status status = open_beside(record_path, r, &path, &p.fd, err);
    bool opened = !status;
    if (!status)
        status = check_length(r, p.fd, err);
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
