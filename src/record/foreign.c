/* SPDX-License-Identifier: MIT */
#include "foreign.h"
#include <stdarg.h>
#include <string.h>

enum tare_status foreign_wrong(struct foreign *f, const char *what)
{
    return err_set(f->err, TARE_FORMAT, "%s", what);
}

void foreign_note(struct foreign *f, const char *format, ...)
{
    struct buf line = BUF_INIT(1 << 16), *notes = &f->out->notes;
    va_list ap;
    va_start(ap, format);
    buf_vformat(&line, format, ap);
    va_end(ap);
    buf_char(&line, '\n');
    if (line.status)
        notes->status = line.status;
    else if (!strstr(buf_text(notes), buf_text(&line))) /* a benchmark that fails does so in each repetition */
        buf_add(notes, line.data, line.len);
    buf_finish(&line);
}

/* ---- what the file is ---- */

static bool fact(struct foreign *f, const char *key, const char *text)
{
    return !facts_add_text(f->r, &f->r->before, key, text);
}

enum tare_status foreign_describe(struct foreign *f, const struct foreign_source *s)
{
    bool kept = fact(f, "source_format", s->format) && fact(f, "source_value", s->value) && fact(f, "source_order", s->order) &&
                fact(f, "source_limits", s->limits) &&
                fact(f, "source_subjects", s->alternatives ? "alternatives" : RECORD_SUITE);
    return kept ? TARE_OK : err_no_memory(f->err);
}

enum tare_status foreign_fact(struct foreign *f, struct facts *facts, const char *key, const struct json_value *v)
{
    const char *text;
    double number;
    bool truth;
    enum tare_status status = TARE_OK;
    if (json_text_of(v, &text))
        status = facts_add_text(f->r, facts, key, text);
    else if (json_number_of(v, &number))
        status = facts_add_number(f->r, facts, key, number);
    else if (json_bool_of(v, &truth))
        status = facts_add_text(f->r, facts, key, truth ? "yes" : "no");
    return status ? err_no_memory(f->err) : TARE_OK;
}

enum tare_status foreign_metric(struct foreign *f, const struct metric *m)
{
    if (f->r->n_metrics >= FOREIGN_METRICS_MAX)
        return err_set(f->err, TARE_TOO_LARGE, "more than %d metrics", (int)FOREIGN_METRICS_MAX);
    return record_add_metric(f->r, m) < 0 ? err_no_memory(f->err) : TARE_OK;
}

/* ---- subjects and rows ---- */

static bool name_taken(const struct record *r, const char *name)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (!strcmp(r->subjects[i].name, name))
            return true;
    return false;
}

/* "sleep 1", "sleep 1 #2" ...; NULL: no memory */
static const char *free_name(struct foreign *f, const char *name)
{
    const char *found = name;
    for (int number = 2; found && name_taken(f->r, found); number++) {
        struct buf b = BUF_INIT(1 << 24);
        buf_format(&b, "%s #%d", name, number);
        found = arena_keep(&f->arena, &b);
    }
    return found;
}

int foreign_add_column(const char **columns, int n, const char *id)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(columns[i], id))
            return n;
    columns[n] = id;
    return n + 1;
}

enum tare_status foreign_subject(struct foreign *f, const struct subject *s, const char *const *columns, int n, int *series)
{
    struct subject own = *s;
    if (f->r->n_subjects >= FOREIGN_SUBJECTS_MAX)
        return err_set(f->err, TARE_TOO_LARGE, "more than %d benchmarks", (int)FOREIGN_SUBJECTS_MAX);
    own.kind = SUBJECT_COMMAND;
    own.name = free_name(f, s->name);
    own.command = own.command ? own.command : s->name;
    for (int i = 0; i < n; i++)
        if (metric_builtin_find(columns[i]) && record_add_metric(f->r, metric_builtin_find(columns[i])) < 0)
            return err_no_memory(f->err);
    if (!own.name || (*series = record_add_subject(f->r, &own, columns, n)) < 0)
        return err_no_memory(f->err);
    return TARE_OK;
}

bool foreign_possible(const char *column, double value)
{
    static const char *const counted[] = {"iterations", "process", "memory", "B/op", "allocs/op", "MB/s"};
    bool never_negative = metric_builtin_find(column) != NULL;
    for (size_t i = 0; i < sizeof counted / sizeof *counted && !never_negative; i++)
        never_negative = !strcmp(counted[i], column);
    return !never_negative || !(value < 0);
}

enum tare_status foreign_row(struct foreign *f, int series, bool warmup)
{
    const struct series *s = &f->r->series[series];
    struct row row = {.round = (warmup ? &s->warmup : &s->main)->n, .flags = warmup ? ROW_WARMUP : 0, .values = f->values};
    int exit_code = series_column(s, "exit");
    if (exit_code >= 0 && f->values[exit_code] != 0) /* not known: killed by a signal */
        row.flags |= ROW_FAILED;
    return record_append_row(f->r, series, &row) ? err_no_memory(f->err) : TARE_OK;
}

/* ---- the end ---- */

static enum tare_status find_gaps(struct foreign *f)
{
    struct record *r = f->r;
    struct buf why = BUF_INIT(1 << 16);
    if (f->left_out)
        buf_str(&why, "values in it could not be read");
    else if (f->tests_failed)
        buf_str(&why, "the tests that it is of failed");
    for (const struct foreign_failure *one = f->failures; one && !why.len; one = one->next)
        if (name_taken(r, one->benchmark))
            buf_format(&why, "some repetitions of '%s' failed or were skipped", one->benchmark);
    if (why.len)
        r->unverified = arena_strdup(&r->arena, buf_text(&why));
    bool kept = !why.status && (!why.len || r->unverified);
    buf_finish(&why);
    return kept ? TARE_OK : err_no_memory(f->err);
}

static const char *deciding(const struct record *r)
{
    if (record_metric(r, "wall"))
        return "wall";
    return r->n_metrics ? r->metrics[0].id : NULL;
}

enum tare_status foreign_finish(struct foreign *f)
{
    struct record *r = f->r;
    int rows = 0;
    r->rounds = r->n_subjects ? INT32_MAX : 0;
    for (int i = 0; i < r->n_subjects; i++) {
        rows += r->series[i].main.n;
        r->rounds = r->series[i].main.n < r->rounds ? r->series[i].main.n : r->rounds;
    }
    if (f->left_out)
        foreign_note(f, "%lld value%s left out: not understood, or negative where nothing can be", (long long)f->left_out,
                     f->left_out == 1 ? " was" : "s were");
    if (!rows || !deciding(r))
        return foreign_wrong(f, "holds no measured value (summaries alone are no samples): nothing can be shown of it");
    r->rule.metric = arena_strdup(&r->arena, deciding(r));
    r->ended = "answered";
    return r->rule.metric ? find_gaps(f) : err_no_memory(f->err);
}
