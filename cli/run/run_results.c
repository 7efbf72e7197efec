/* SPDX-License-Identifier: MIT
 *
 * --results: what a run wrote into its file, by the names that own metrics of kind result ask for. One value a name and run: the mean of what the
 * file has for it, for values of one process are not independent.
 */
#include "plat.h"
#include "run.h"
#include "stored_read.h"
#include <math.h>
#include <string.h>

enum { RESULTS_BYTES = 64 << 20, NAMES_SHOWN = 4 };

/* In the order of the option's choices. */
static const char *const formats[] = {
    NULL,       "hyperfine JSON",       "google-benchmark JSON", "Go benchmark text", "pyperf JSON",    "pytest-benchmark JSON",
    "JMH JSON", "BenchmarkDotNet JSON", "tinybench JSON",        "JUnit XML",         "lines of values"};

static enum tare_status read_file(const struct run *run, const char *path, struct record *r, struct tare_err *err)
{
    struct buf text = BUF_INIT(RESULTS_BYTES);
    struct record_reading reading = {0};
    const char *wanted = formats[run->o->results_format];
    struct plat_file_state state;
    enum tare_status status = plat_file_state(path, &state, err);
    if (!status && !state.regular) /* nobody may ever write into a pipe */
        status = err_set(err, TARE_FORMAT, "it is no regular file");
    if (!status)
        status = plat_file_read(path, &text, err);
    if (!status && (status = stored_read(r, buf_text(&text), text.len, &reading, err)) == TARE_NOT_FOUND)
        status = TARE_FORMAT;
    buf_finish(&text);
    record_reading_finish(&reading);
    if (status)
        return status;
    const char *source = record_source(r);
    if (source && (!wanted || !strcmp(source, wanted)))
        return TARE_OK;
    err_set(err, TARE_FORMAT, "it is %s, not %s", source ? source : "a record of tare", wanted ? wanted : "another tool's file");
    record_finish(r);
    return TARE_FORMAT;
}

static double mean_of(const struct series *s, int column)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < s->main.n; i++)
        if (!isnan(s->main.value[column][i])) {
            sum += s->main.value[column][i];
            n++;
        }
    return n ? sum / n : NAN;
}

static bool any_failed(const struct rows *rows)
{
    for (int i = 0; i < rows->n; i++)
        if (rows->flags[i] & ROW_FAILED)
            return true;
    return false;
}

/* The reason, or 0. */
static int find_value(const struct record *r, const struct own_metric *m, double *value)
{
    int subject = 0;
    while (subject < r->n_subjects && strcmp(r->subjects[subject].name, m->text) != 0)
        subject++;
    if (subject == r->n_subjects)
        return NULL_NO_RESULT;
    const struct series *s = &r->series[subject];
    if (r->unverified || any_failed(&s->main)) /* which values are missing may depend on what they would have been */
        return NULL_RESULT_PARTIAL;
    for (int i = 0; i < s->n_columns; i++) {
        const struct metric *of = record_metric(r, s->columns[i]);
        double mean = of && !strcmp(of->unit, m->unit) ? mean_of(s, i) : NAN;
        if (!isnan(mean)) {
            *value = mean;
            return 0;
        }
    }
    return s->main.n ? NULL_RESULT_UNIT : NULL_NO_RESULT;
}

static bool asked_for(const struct run *run, const char *name)
{
    for (int i = 0; i < run->exec_options.n_own; i++)
        if (run->exec_options.own[i].kind == OWN_RESULT && !strcmp(run->exec_options.own[i].text, name))
            return true;
    return false;
}

/* What nobody asked for, once for each command. */
static void note_others(struct run *run, int subject, const char *path, const struct record *r)
{
    struct buf names = BUF_INIT(1 << 16);
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        if (asked_for(run, r->subjects[i].name))
            continue;
        if (n++ < NAMES_SHOWN)
            buf_format(&names, "%s'%s'", n > 1 ? ", " : "", r->subjects[i].name);
    }
    if (n > NAMES_SHOWN)
        buf_format(&names, " and %d more", n - NAMES_SHOWN);
    live_clear(&run->session.live);
    if (n)
        run_note(run, "'%s' wrote into %s results that no --metric asks for: %s", run->record.subjects[subject].name, path,
                 buf_text(&names));
    buf_finish(&names);
}

static void note_failure(struct run *run, int subject, const char *path, const struct tare_err *why)
{
    live_clear(&run->session.live);
    run_note(run, "'%s': %s: %s", run->record.subjects[subject].name, path, why->text);
}

enum tare_status run_read_results(void *context, int subject, const char *path, double *own, struct tare_err *err)
{
    struct run *run = context;
    struct record r = {0};
    struct tare_err why = {""};
    (void)err;
    enum tare_status status = read_file(run, path, &r, &why);
    bool first = subject < RUN_RESULTS_NOTED && !(run->results_noted & (UINT64_C(1) << subject));
    if (first && status && status != TARE_NOT_FOUND)
        note_failure(run, subject, path, &why);
    else if (first && !status)
        note_others(run, subject, path, &r);
    if (first && status != TARE_NOT_FOUND)
        run->results_noted |= UINT64_C(1) << subject;
    for (int i = 0; i < run->exec_options.n_own; i++) {
        if (run->exec_options.own[i].kind != OWN_RESULT)
            continue;
        int reason = status == TARE_NOT_FOUND ? NULL_NO_RESULTS : status ? NULL_BAD_RESULTS : 0;
        if (!reason)
            reason = find_value(&r, &run->exec_options.own[i], &own[OWN_COLUMNS * i]);
        own[OWN_COLUMNS * i + 1] = reason;
    }
    if (!status)
        record_finish(&r);
    return TARE_OK;
}
