/* SPDX-License-Identifier: MIT
 *
 * --results: what a run wrote into its file, by the names that own metrics of kind result ask for. One value a name and run: the mean of what the
 * file has for it, for values of one process are not independent.
 */
#include "result_file.h"
#include "run.h"
#include <math.h>
#include <string.h>

enum { NAMES_SHOWN = 4 };

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

/* The reason, or 0. Values rounded alike have a mean that may be off by as much as each: its step is theirs. */
static int find_value(const struct result_file *file, const struct own_metric *m, double *value, double *step)
{
    const struct record *r = &file->r;
    int subject = 0;
    while (subject < r->n_subjects && strcmp(r->subjects[subject].name, m->text) != 0)
        subject++;
    if (subject == r->n_subjects)
        return NULL_NO_RESULT;
    const struct series *s = &r->series[subject];
    if (result_file_partial(file, subject))
        return NULL_RESULT_PARTIAL;
    for (int i = 0; i < s->n_columns; i++) {
        const struct metric *of = record_metric(r, s->columns[i]);
        double mean = of && !strcmp(of->unit, m->unit) ? mean_of(s, i) : NAN;
        if (!isnan(mean)) {
            *value = mean;
            *step = series_step(s, s->columns[i]);
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

enum tare_status run_read_results(void *context, int subject, const char *path, double *own, struct tare_err *err)
{
    struct run *run = context;
    struct result_file s = {.format = run->o->results_format};
    (void)err;
    result_file_read(&s, path);
    const bool first = !s.missing && subject < RUN_RESULTS_NOTED && !(run->results_noted & (UINT64_C(1) << subject));
    if (first && s.trouble[0]) {
        live_clear(&run->session.live);
        run_note(run, "'%s' %s", run->record.subjects[subject].name, s.trouble);
    } else if (first) {
        note_others(run, subject, path, &s.r);
    }
    if (first)
        run->results_noted |= UINT64_C(1) << subject;
    for (int i = 0; i < run->exec_options.n_own; i++) {
        if (run->exec_options.own[i].kind != OWN_RESULT)
            continue;
        int reason = s.missing ? NULL_NO_RESULTS : s.trouble[0] ? NULL_BAD_RESULTS : 0;
        if (!reason)
            reason = find_value(&s, &run->exec_options.own[i], &own[OWN_COLUMNS * i], &own[OWN_COLUMNS * i + 2]);
        own[OWN_COLUMNS * i + 1] = reason;
    }
    result_file_finish(&s);
    return TARE_OK;
}
