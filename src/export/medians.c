/* SPDX-License-Identifier: MIT */
#include "medians.h"
#include "export_kind.h"
#include "record_kind.h"
#include "same_text.h"
#include <math.h>
#include <string.h>

bool medians_takes(const struct medians *m, const struct metric *metric)
{
    return !record_kind(m->r)->processes || !metric_builtin_find(metric->id);
}

bool medians_get(const struct medians *m, int subject, const struct metric *metric, struct median *x)
{
    const struct estimate *e = record_estimate(m->r, subject, metric->id, "median");
    if (!e || !isfinite(e->point) || !medians_takes(m, metric))
        return false;
    x->subject = subject;
    x->metric = metric;
    x->e = e;
    x->has_interval = isfinite(e->low) && isfinite(e->high);
    return true;
}

bool medians_next(const struct medians *m, struct median *x)
{
    for (; m->order[x->next_place] >= 0; x->next_place++) {
        while (x->next_metric < m->r->n_metrics)
            if (medians_get(m, m->order[x->next_place], &m->r->metrics[x->next_metric++], x))
                return true;
        x->next_metric = 0;
    }
    return false;
}

bool medians_is_time(const struct medians *m, const struct metric *metric)
{
    return !strcmp(metric->id, results_time(m->r));
}

static void put_name(struct buf *b, const struct medians *m, const struct metric *metric, const char *time, char filler)
{
    for (const char *id = medians_is_time(m, metric) ? time : metric->id; *id; id++) {
        const char c = *id >= 'A' && *id <= 'Z' ? (char)(*id | 32) : *id;
        buf_char(b, (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : filler);
    }
}

const char *const *medians_names(const struct medians *m, const char *time, char filler,
                                 const char *(*unit)(const struct metric *metric), void (*mend)(struct buf *name))
{
    const char **names = arena_array(m->arena, (size_t)m->r->n_metrics + 1, sizeof *names);
    for (int i = 0; names && i < m->r->n_metrics; i++) {
        const struct metric *metric = &m->r->metrics[i];
        struct buf name = BUF_INIT(1 << 16);
        int same = 0;
        do {
            buf_clear(&name);
            put_name(&name, m, metric, time, filler);
            if (mend)
                mend(&name);
            if (same++)
                buf_format(&name, "%c%d", filler, same);
            if (unit && *unit(metric))
                buf_format(&name, "%c%s", filler, unit(metric));
        } while (text_among(buf_text(&name), names, (size_t)i));
        if (!(names[i] = arena_keep(m->arena, &name)))
            return NULL;
    }
    return names;
}

/* A run whose failure ended the session is in no figure. */
int medians_runs(const struct medians *m, int subject)
{
    return m->r->series[subject].main.n - (subject == record_series_that_failed(m->r));
}

/* Without what was given up; none of these formats has a place for a failure. False: no memory. */
static bool choose_subjects(struct medians *m)
{
    const int *all = results_order(m->r, false, m->arena);
    int *order = all ? arena_array(m->arena, (size_t)m->r->n_subjects + 1, sizeof *order) : NULL;
    int n = 0, given_up = 0, failed = 0;
    struct buf *note = m->o->left_out;
    if (!order)
        return false;
    for (; *all >= 0; all++) {
        given_up += m->r->subjects[*all].failure != NULL;
        if (m->r->subjects[*all].failure)
            continue;
        failed += rows_failed(&m->r->series[*all].main, medians_runs(m, *all)) > 0;
        order[n++] = *all;
    }
    order[n] = -1;
    m->order = order;
    if (given_up && note)
        buf_format(note, "%d benchmark%s left out: not measured to the end", given_up, given_up == 1 ? " was" : "s were");
    if (failed && note)
        buf_format(note, "%s%d command%s had runs that failed, which this format does not say", note->len ? "; " : "", failed,
                   buf_plural(failed));
    return true;
}

enum tare_status medians_write(const struct record *r, const struct export_options *o, const struct sink *sink,
                               struct tare_err *err, void (*put)(struct export_out *out, const struct medians *m))
{
    struct arena arena = {0};
    struct export_out out;
    if (!kind_export(r)->json)
        return err_set(err, TARE_UNSUPPORTED, "this format has no form for %s; --export-json has", record_kind(r)->results);
    struct medians m = {.r = r, .o = o, .arena = &arena};
    const bool chosen = choose_subjects(&m);
    export_out_begin(&out, sink, err);
    if (chosen)
        put(&out, &m);
    else
        out.text.status = TARE_NO_MEMORY;
    arena_finish(&arena);
    return export_out_end(&out);
}
