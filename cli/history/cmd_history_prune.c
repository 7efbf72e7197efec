/* SPDX-License-Identifier: MIT */
#include "history_reading.h"
#include "screen.h"
#include "utc.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct old {
    struct history_result *results;
    int n, room;
    bool thinned; /* one of them was */
};

struct pruning {
    struct history_reading r;
    int64_t before_utc_ns;
    struct old *old;       /* one a session; those that are not old enough stay empty */
    int sessions, results; /* thinned */
    long long values;      /* that are left out */
};

/* A file with a damaged line would lose it for good, and with it what says so. */
static bool is_damaged(const struct pruning *x, const struct history_session *s)
{
    for (int i = 0; i < history_n_problems(x->r.h); i++) {
        const char *path = history_problem_at(x->r.h, i)->path, *slash = strrchr(path, '/');
        if (!strncmp(slash ? slash + 1 : path, s->id, strlen(s->id)))
            return true;
    }
    return false;
}

static bool is_old(const struct pruning *x, int session)
{
    const struct history_session *s = history_session_at(x->r.h, session);
    return s->measured_utc_ns < x->before_utc_ns && !is_damaged(x, s);
}

/* The values in order, or so many quantiles of them. */
static const double *kept_values(struct pruning *x, double *values, int n, int kept)
{
    double *out = arena_array(x->r.cli->arena, (size_t)kept + 1, sizeof *out);
    if (out && kept < n)
        tare_sort(values, n);
    for (int i = 0; out && i < kept; i++)
        out[i] = kept < n ? tare_quantile_sorted(values, n, (double)i / (kept - 1)) : values[i];
    return out;
}

static enum tare_status keep_result(struct pruning *x, const struct history_series *s, const struct history_point *p,
                                    struct tare_err *err)
{
    double *values = NULL, step;
    int n = 0;
    struct old *old = &x->old[p->session];
    struct history_result *grown = array_grown(old->results, old->n, &old->room, sizeof *grown);
    if (!grown)
        return err_no_memory(err);
    old->results = grown;
    enum tare_status status = history_values(x->r.h, p, &values, &n, &step, err);
    const int kept = n > x->r.o->quantiles ? x->r.o->quantiles : n;
    const double *out = status ? NULL : kept_values(x, values, n, kept);
    free(values);
    if (status || !out)
        return status ? status : err_no_memory(err);
    grown[old->n++] = (struct history_result){.benchmark = p->benchmark,
                                              .arguments = s->arguments,
                                              .version = s->version,
                                              .metric = &s->metric,
                                              .point = *p,
                                              .values = out,
                                              .n_values = kept,
                                              .step = step};
    old->thinned |= kept < n;
    x->results += kept < n;
    x->values += n - kept;
    return TARE_OK;
}

static enum tare_status read_all(struct pruning *x, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    x->old = arena_array(x->r.cli->arena, (size_t)history_n_sessions(x->r.h) + 1, sizeof *x->old);
    if (!x->old)
        return err_no_memory(err);
    for (int i = 0; i < history_n_series(x->r.h) && !status; i++) {
        struct history_points points;
        status = history_points(x->r.h, i, &points, err);
        for (int k = 0; !status && k < points.n; k++)
            if (is_old(x, points.items[k].session))
                status = keep_result(x, history_series_at(x->r.h, i), &points.items[k], err);
    }
    return status;
}

static const char *note_of(struct pruning *x, const char *before)
{
    const char *now = arena_format(x->r.cli->arena, "values thinned to %d quantiles", x->r.o->quantiles);
    return !before || !now || strstr(before, "thinned to") ? now : arena_format(x->r.cli->arena, "%s; %s", before, now);
}

static enum exit_code say_session(const struct pruning *x, const struct history_session *s)
{
    struct buf b = BUF_INIT(1 << 16);
    if (x->r.o->display.verbose) {
        buf_format(&b, "%.8s  ", s->id);
        utc_text(&b, s->measured_utc_ns);
        buf_char(&b, '\n');
    }
    return screen_text(x->r.cli, &x->r.o->display, &b);
}

static enum tare_status replace_all(struct pruning *x, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < history_n_sessions(x->r.h) && !status; i++) {
        if (!x->old[i].thinned)
            continue;
        struct history_entry e = {.session = *history_session_at(x->r.h, i), .results = x->old[i].results, .n = x->old[i].n};
        e.session.note = note_of(x, e.session.note);
        say_session(x, &e.session);
        if (!x->r.o->dry_run)
            status = e.session.note ? history_replace(x->r.place.folder, e.session.id, &e, err) : err_no_memory(err);
        x->sessions += !status;
    }
    return status;
}

static enum exit_code say_pruned(const struct pruning *x)
{
    struct buf b = BUF_INIT(1 << 16);
    if (!x->sessions)
        buf_format(&b, "nothing to thin: no session older than %s has a result with more than %d values\n", x->r.o->age_text,
                   x->r.o->quantiles);
    else
        buf_format(&b, "%s%d result%s in %d session%s thinned to %d quantiles, %lld values less; medians and intervals stay\n",
                   x->r.o->dry_run ? "would be done: " : "", x->results, buf_plural(x->results), x->sessions,
                   buf_plural(x->sessions), x->r.o->quantiles, x->values);
    const int damaged = history_n_problems(x->r.h);
    if (damaged)
        buf_format(&b, "%d damaged file%s left as %s\n", damaged, buf_plural(damaged), damaged == 1 ? "it is" : "they are");
    if (x->r.o->display.quiet)
        buf_clear(&b);
    return screen_text(x->r.cli, &x->r.o->display, &b);
}

static enum tare_status prune_work(void *context, enum exit_code *code, struct tare_err *err)
{
    struct pruning *x = context;
    x->before_utc_ns = plat_utc_ns() - x->r.o->older_ns;
    enum tare_status status = read_all(x, err);
    if (!status)
        status = replace_all(x, err);
    if (!status) {
        *code = history_say_empty(&x->r);
        *code = cli_worse(*code, say_pruned(x));
    }
    for (int i = 0; x->old && i < history_n_sessions(x->r.h); i++)
        free(x->old[i].results);
    return status;
}

int cmd_history_prune(struct cli *cli, const void *options)
{
    struct pruning x = {.sessions = 0};
    return history_command(&x.r, cli, options, prune_work, &x);
}
