/* SPDX-License-Identifier: MIT
 * What is estimated, by what, under which assumptions: analyse_stored.h. */
#include "analyse_stored.h"
#include "comparable.h"
#include "record_kind.h"
#include "stats_nodes.h"
#include "verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct joining {
    struct record *over;
    const struct record *sessions;
    int n;
    int *command;            /* index in a session of each subject of `over` */
    double *values, *errors; /* of each session */
    struct tare_err *err;
};

static enum tare_status add_head(struct joining *x)
{
    struct record *over = x->over;
    const struct record *first = &x->sessions[0];
    over->rule = first->rule;
    over->rule.metric = arena_strdup(&over->arena, first->rule.metric);
    over->rule.margin_unit = arena_strdup(&over->arena, first->rule.margin_unit);
    over->rule.leaks.kind = arena_strdup(&over->arena, first->rule.leaks.kind);
    over->rule.leaks.cache = arena_strdup(&over->arena, first->rule.leaks.cache);
    over->rule.leaks.clock = arena_strdup(&over->arena, first->rule.leaks.clock);
    over->rule.n_looks = 1;
    over->rule.look_at[0] = x->n;
    over->rule.look_level[0] = 1 - first->rule.confidence;
    over->rule.method = METHOD_TARE;
    over->tool_version = arena_strdup(&over->arena, first->tool_version ? first->tool_version : "");
    over->seed = first->seed;
    over->start_utc_ns = first->start_utc_ns;
    over->sessions = x->n;
    over->every_ns = first->every_ns;
    over->rounds = x->n;
    over->look = 1;
    over->ended = "answered";
    for (int i = 0; i < x->n && !over->unverified; i++) { /* one alone, whose other side is a set; others are complete */
        const char *undeciding = record_undeciding(&x->sessions[i]),
                   *why = undeciding || !x->sessions[i].partial ? undeciding : "its session did not come to its end";
        if (why && !(over->unverified = arena_strdup(&over->arena, why)))
            return err_no_memory(x->err);
    }
    for (int i = 0; i < first->n_metrics; i++)
        if (record_add_metric(over, &first->metrics[i]) < 0)
            return err_no_memory(x->err);
    /* those of the first session: what all of one plan and machine share */
    bool copied = !facts_copy(over, &over->machine, &first->machine) && !facts_copy(over, &over->before, &first->before) &&
                  !facts_copy(over, &over->build, &first->build) && !facts_add_number(over, &over->before, "sessions", x->n);
    return copied && over->rule.metric && over->tool_version ? TARE_OK : err_no_memory(x->err);
}

static enum tare_status add_subject(struct joining *x, int command)
{
    const struct record *first = &x->sessions[0];
    const struct subject *s = &first->subjects[command];
    const char **columns = arena_array(&x->over->arena, 2 * (size_t)first->n_metrics + 3, sizeof *columns);
    char room[NULL_COLUMN_BYTES];
    int n = 0;
    for (int i = 0; columns && i < first->n_metrics; i++)
        if (series_column(&first->series[command], first->metrics[i].id) >= 0)
            columns[n++] = first->metrics[i].id;
    for (int i = 0; columns && i < first->n_metrics; i++)
        if (series_column(&first->series[command], step_column(first->metrics[i].id, room)) >= 0)
            columns[n++] = arena_strdup(&x->over->arena, room);
    if (columns && series_column(&first->series[command], "exit") >= 0)
        columns[n++] = "exit";
    if (columns && record_ratio_to_anchor(first, command))
        columns[n++] = STATISTIC_OF_ANCHOR;
    int subject = columns ? record_add_subject(x->over, s, columns, n) : -1;
    if (subject < 0)
        return err_no_memory(x->err);
    if (command == first->rule.reference)
        x->over->rule.reference = subject;
    x->command[subject] = command;
    return TARE_OK;
}

static enum tare_status add_subjects(struct joining *x)
{
    enum tare_status status = TARE_OK;
    x->over->rule.reference = 0;
    for (int i = 0; i < x->sessions[0].n_subjects && !status; i++)
        if (x->sessions[0].subjects[i].kind == SUBJECT_COMMAND || x->sessions[0].subjects[i].kind == SUBJECT_BENCH)
            status = add_subject(x, i);
    return status;
}

/* 0 when all of its runs ended so; else what one of the others ended with. */
static double exit_of(const struct record *r, int subject)
{
    const double *values = series_values(&r->series[subject], "exit");
    const int n = values ? record_rounds(r, &subject, 1) : 0;
    for (int i = 0; i < n; i++)
        if (values[i] != 0)
            return values[i];
    return 0;
}

/* -1: the session does not have it, as a benchmark that failed in its program. */
static int in_session(const struct joining *x, int subject, int session)
{
    const struct record *r = &x->sessions[session];
    const int command = x->command[subject];
    return command < r->n_subjects && !strcmp(r->subjects[command].name, x->over->subjects[subject].name)
               ? command
               : planned_partner(x->over, subject, r);
}

static double value_of(const struct record *r, int command, const char *column)
{
    char room[NULL_COLUMN_BYTES];
    if (command < 0 || r->subjects[command].failure) /* what a benchmark did before it failed is no result of it */
        return NAN;
    if (!strcmp(column, "exit"))
        return exit_of(r, command);
    for (int i = 0; i < r->n_metrics; i++)
        if (!strcmp(column, step_column(r->metrics[i].id, room)))
            return series_step(&r->series[command], r->metrics[i].id);
    const bool joined = !r->session && r->sessions > 1; /* by analyse_sessions: of a node with several blocks */
    const struct estimate *e = !strcmp(column, STATISTIC_OF_ANCHOR)
                                   ? record_ratio_to_anchor(r, command)
                                   : record_estimate(r, command, column, joined ? "mean" : "median");
    return e ? e->point : NAN;
}

static enum tare_status add_row(struct joining *x, int subject, int session)
{
    const struct record *r = &x->sessions[session];
    const struct series *s = &x->over->series[subject];
    double *values = arena_array(&x->over->arena, (size_t)s->n_columns + 1, sizeof *values);
    if (!values)
        return err_no_memory(x->err);
    for (int k = 0; k < s->n_columns; k++)
        values[k] = value_of(r, in_session(x, subject, session), s->columns[k]);
    const struct row row = {
        .round = session, .slot = subject, .start_ns = r->start_utc_ns - x->over->start_utc_ns, .values = values};
    return record_append_row(x->over, subject, &row) ? err_no_memory(x->err) : TARE_OK;
}

static enum tare_status add_rows(struct joining *x)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < x->over->n_subjects && !status; k++)
            status = add_row(x, k, i);
    for (int i = 0; i < x->n; i++)
        x->over->seconds += x->sessions[i].seconds;
    return status;
}

/* Medians do not show what few runs cost. */
static enum tare_status add_mean_of_runs(struct joining *x, int subject)
{
    const char *metric = x->over->rule.metric;
    const double confidence = x->over->rule.confidence;
    struct tare_interval i;
    for (int k = 0; k < x->n; k++) {
        const struct record *r = &x->sessions[k];
        const int command = in_session(x, subject, k);
        const struct estimate *runs = command < 0 ? NULL : record_estimate(r, command, metric, STATISTIC_OF_RUNS);
        x->values[k] = runs ? runs->point : command < 0 ? NAN : record_point(r, command, metric, "mean");
    }
    if (tare_mean_ci_student(x->values, x->n, 1 - confidence, &i))
        return TARE_OK;
    const struct estimate e = estimate_bounded(estimate_point(subject, metric, STATISTIC_OF_RUNS, "Student t", i.point, x->n), &i,
                                               confidence, 1 - confidence);
    return record_add_estimate(x->over, &e) < 0 ? err_no_memory(x->err) : TARE_OK;
}

static enum tare_status estimate(struct joining *x)
{
    const struct look look = {.number = 1, .rounds = x->n, .level = 1 - x->over->rule.confidence};
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->over->n_subjects && !status; i++) {
        status = analyse_group(x->over, &i, 1, &look, x->err);
        status = status ? status : add_mean_of_runs(x, i);
    }
    return status;
}

/* The session's comparison of this command; NULL: commands were measured one after the other. */
static const struct comparison *comparison_in(const struct joining *x, int session, int subject)
{
    const struct record *r = &x->sessions[session];
    const struct comparison *c = record_comparison(r, x->command[subject], r->rule.metric);
    return c && c->verdict != VERDICT_NONE ? c : NULL;
}

static const char *without_ratio(struct joining *x, int session, const struct comparison *c)
{
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "session %d has no ratio: %s", session + 1, c->reason ? c->reason : "its values cannot be compared");
    return keep_reason(&x->over->arena, &b);
}

/* Of a shift, by its interval, whose place follows from the rounds (of a node with several blocks: from these). NaN: it is unbounded. */
static double error_of(const struct comparison *c)
{
    const double half = (c->high - c->low) / 2;
    return c->rounds > 1 && isfinite(half) ? -half / tare_student_quantile(c->level / 2, c->rounds - 1) : NAN;
}

/* The shifts with their errors, and kind and margin: of counts the sessions' own, in the mean. False: a session has no shift, or one of another kind, and *out says so. */
static bool take_shifts(struct joining *x, int subject, struct comparison *out)
{
    double margins = 0;
    for (int i = 0; i < x->n; i++) {
        const struct comparison *c = comparison_in(x, i, subject);
        const bool refused = c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE;
        if (refused || !isfinite(c->shift) || (i && c->kind != out->kind)) {
            out->reason = i && c->kind != out->kind ? "some sessions compare ratios, others differences" : without_ratio(x, i, c);
            out->verdict = refused ? VERDICT_INVALID : VERDICT_UNDECIDED;
            return false;
        }
        out->kind = c->kind;
        x->values[i] = c->shift;
        x->errors[i] = error_of(c);
        margins += c->margin;
    }
    if (out->kind == METRIC_COUNT)
        out->margin = margins / x->n;
    return true;
}

/* The geometric mean of the sessions' own. */
static void mean_ratio(struct joining *x, struct comparison *c)
{
    struct tare_interval i;
    for (int k = 0; k < x->n; k++)
        x->values[k] = log(comparison_in(x, k, c->subject)->mean_ratio);
    if (tare_mean_ci_student(x->values, x->n, c->level, &i))
        return;
    c->mean_ratio = exp(i.point);
    c->mean_low = exp(i.low);
    c->mean_high = exp(i.high);
}

/* How the shifts scatter, as estimates of the subject: their deviation, what of it is no error of measuring, where one more session would lie. */
static bool add_scatter(struct joining *x, int subject, const struct stats_nodes *of)
{
    const char *metric = x->over->rule.metric;
    struct estimate e[] = {
        estimate_point(subject, metric, STATISTIC_OF_SHIFTS, "as observed", of->sd, x->n),
        estimate_point(subject, metric, STATISTIC_OF_TAU, "Hedges and Olkin", of->tau, x->n),
        estimate_point(subject, metric, STATISTIC_OF_SHARE, "Higgins and Thompson", of->share, x->n),
        estimate_bounded(estimate_point(subject, metric, STATISTIC_OF_ANOTHER, "Student t", of->predicted.point, x->n),
                         &of->predicted, x->over->rule.confidence, of->predicted.level)};
    bool kept = true;
    for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
        e[i].reason = x->n < 2 ? "one session alone" : isnan(e[i].point) ? "a session has no interval" : NULL;
        kept = kept && record_add_estimate(x->over, &e[i]) >= 0;
    }
    return kept;
}

static enum tare_status compare(struct joining *x, int subject)
{
    const struct look look = {.number = 1,
                              .rounds = x->n,
                              .level = (1 - x->over->rule.confidence) / (x->over->n_subjects - 1 - record_anchors(x->over))};
    struct comparison c = comparison_undecided(x->over, x->over->rule.reference, subject, &look);
    const struct metric *metric = record_metric(x->over, x->over->rule.metric);
    struct stats_nodes of;
    for (int k = 0; k < x->n; k++)
        if (!metric || !comparison_in(x, k, subject))
            return TARE_OK;
    if (!take_shifts(x, subject, &c))
        return record_add_comparison(x->over, &c) >= 0 ? TARE_OK : err_no_memory(x->err);
    if (stats_nodes(x->values, x->errors, x->n, look.level, &of))
        return TARE_OK;
    const struct series *series = x->over->series;
    const bool opened = printed_open_series(&series[c.reference], &series[subject], metric, c.kind, &of.mean);
    comparison_conclude(&c, metric, &of.mean);
    if (opened && c.verdict == VERDICT_UNDECIDED)
        c.reason = PRINTED_REASON;
    if (x->n < 2)
        c.reason = "one session does not show how results vary between sessions";
    const bool kept = add_scatter(x, subject, &of);
    mean_ratio(x, &c);
    return kept && record_add_comparison(x->over, &c) >= 0 ? TARE_OK : err_no_memory(x->err);
}

static enum tare_status compare_all(struct joining *x)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->over->n_subjects && !status && !record_kind(x->over)->processes; i++)
        if (i != x->over->rule.reference && !x->over->subjects[i].anchor)
            status = compare(x, i);
    return status;
}

static bool same_values(const struct series *a, const struct series *b, const char *metric)
{
    const double *x = series_values(a, metric), *y = series_values(b, metric);
    bool same = a->main.n == b->main.n && !x == !y;
    for (int i = 0; x && same && i < a->main.n; i++)
        same = x[i] == y[i] || (isnan(x[i]) && isnan(y[i]));
    return same;
}

bool session_is_again(const struct record *a, const struct record *b)
{
    bool same = a->start_utc_ns && a->start_utc_ns == b->start_utc_ns && a->seed == b->seed && a->seconds == b->seconds &&
                a->n_subjects == b->n_subjects;
    for (int i = 0; same && i < a->n_subjects; i++)
        same = same_values(&a->series[i], &b->series[i], a->rule.metric);
    return same;
}

/* Files that were joined may hold one twice, and the interval would be narrower than what was measured. */
static enum tare_status check_each_once(const struct joining *x)
{
    for (int i = 1; i < x->n; i++)
        for (int k = 0; k < i; k++)
            if (session_is_again(&x->sessions[i], &x->sessions[k]))
                return err_set(x->err, TARE_INVALID, "session %d is session %d again; give a file that has each once", i + 1,
                               k + 1);
    return TARE_OK;
}

static void release(struct joining *x)
{
    free(x->command);
    free(x->values);
    free(x->errors);
}

enum tare_status analyse_sessions(struct record *over, const struct record *sessions, int n, struct tare_err *err)
{
    struct joining x = {.over = over,
                        .sessions = sessions,
                        .n = n,
                        .command = calloc((size_t)sessions[0].n_subjects + 1, sizeof *x.command),
                        .values = calloc((size_t)n, sizeof *x.values),
                        .errors = calloc((size_t)n, sizeof *x.errors),
                        .err = err};
    record_init(over);
    enum tare_status status = x.command && x.values && x.errors ? check_each_once(&x) : err_no_memory(x.err);
    if (!status)
        status = add_head(&x);
    if (!status && record_kind(&sessions[0])->targets) {
        status = leak_sessions(over, sessions, n) ? err_no_memory(x.err) : TARE_OK;
        release(&x);
        return status;
    }
    if (!status)
        status = add_subjects(&x);
    if (!status)
        status = add_rows(&x);
    if (!status)
        status = estimate(&x);
    if (!status)
        status = compare_all(&x);
    release(&x);
    return status;
}
