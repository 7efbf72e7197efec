/* SPDX-License-Identifier: MIT
 * What is estimated, by what, under which assumptions: analyse_stored.h. */
#include "analyse_stored.h"
#include "buf.h"
#include "comparable.h"
#include "compare.h"
#include "record_kind.h"
#include "stats_beyond.h"
#include "verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct joining {
    struct record *over;
    const struct record *sessions;
    int n;
    int *command;            /* of each subject of `over`, in the session that has it first */
    double *values, *errors; /* of each session */
    struct tare_err *err;
};

/* Sessions that another tare measured beside; of those that are a node's joined blocks, nodes with such a block. */
static int beside_another(const struct joining *x)
{
    int n = 0;
    for (int i = 0; i < x->n; i++) {
        const char *before = facts_text(&x->sessions[i].before, "other_tare"),
                   *after = facts_text(&x->sessions[i].after, "other_tare");
        n += (before && strcmp(before, "no") != 0) || (after && strcmp(after, "no") != 0) ||
             facts_number(&x->sessions[i].before, "sessions_beside_tare") > 0;
    }
    return n;
}

static const char *version_of(const struct record *r)
{
    return r->tool_version ? r->tool_version : "";
}

/* Sessions that another version measured than the first; likewise of nodes. */
static int by_another_version(const struct joining *x)
{
    int n = 0;
    for (int i = 0; i < x->n; i++)
        n += strcmp(version_of(&x->sessions[i]), version_of(&x->sessions[0])) != 0 ||
             facts_number(&x->sessions[i].before, "sessions_by_another_version") > 0;
    return n;
}

static bool follows(const struct record *sessions, int i)
{
    return i > 0 && sessions[i - 1].session == sessions[i].session - 1;
}

bool sessions_missing(const struct record *sessions, int n)
{
    for (int i = 0; i < n; i++) {
        const struct record *r = &sessions[i];
        const bool first = r->session <= 1, last = r->session == r->sessions;
        if (r->session && ((!first && !follows(sessions, i)) || (!last && (i + 1 == n || !follows(sessions, i + 1)))))
            return true;
    }
    return false;
}

const char *session_undeciding(const struct record *r)
{
    const char *why = record_undeciding(r);
    return why || !sessions_missing(r, 1) ? why : RECORD_SESSIONS_MISSING;
}

/* Nodes are in the order of their numbers, not of time. 0: of none it is known. */
static int64_t earliest_start(const struct joining *x)
{
    int64_t start = 0;
    for (int i = 0; i < x->n; i++) {
        const int64_t own = x->sessions[i].start_utc_ns;
        start = own && (!start || own < start) ? own : start;
    }
    return start;
}

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
    over->rule.look_share[0] = 1; /* spends all, however a session spent it */
    over->rule.look_level[0] = 1 - first->rule.confidence;
    over->rule.method = METHOD_TARE;
    over->tool_version = arena_strdup(&over->arena, version_of(first));
    over->seed = first->seed;
    over->start_utc_ns = earliest_start(x);
    over->sessions = x->n;
    over->every_ns = first->every_ns;
    over->rounds = x->n;
    over->look = 1;
    over->ended = "answered";
    over->partial = sessions_missing(x->sessions, x->n);
    for (int i = 0; i < x->n && !over->unverified; i++) { /* one alone, whose other side is a set; others are complete */
        const char *undeciding = record_undeciding(&x->sessions[i]),
                   *why = undeciding || !x->sessions[i].partial ? undeciding : "its session did not come to its end";
        if (why && !(over->unverified = arena_strdup(&over->arena, why)))
            return err_no_memory(x->err);
    }
    for (int i = 0; i < first->n_metrics; i++)
        if (record_add_metric(over, &first->metrics[i]) < 0)
            return err_no_memory(x->err);
    const int beside = beside_another(x), by_another = by_another_version(x);
    /* those of the first session: what all of one plan and machine share */
    bool copied = !facts_copy(over, &over->machine, &first->machine) && !facts_copy(over, &over->before, &first->before) &&
                  !facts_copy(over, &over->build, &first->build) && !facts_add_number(over, &over->before, "sessions", x->n) &&
                  (!beside || !facts_add_number(over, &over->before, "sessions_beside_tare", beside)) &&
                  (!by_another || !facts_add_number(over, &over->before, "sessions_by_another_version", by_another));
    return copied && over->rule.metric && over->tool_version ? TARE_OK : err_no_memory(x->err);
}

static enum tare_status add_subject(struct joining *x, const struct record *of, int command)
{
    const struct record *over = x->over;
    struct subject s = of->subjects[command];
    s.failure = NULL; /* of this session alone, as far as is known */
    const char **columns = arena_array(&x->over->arena, 2 * (size_t)over->n_metrics + 3, sizeof *columns);
    char room[NULL_COLUMN_BYTES];
    int n = 0;
    for (int i = 0; columns && i < over->n_metrics; i++)
        if (series_column(&of->series[command], over->metrics[i].id) >= 0)
            columns[n++] = over->metrics[i].id;
    for (int i = 0; columns && i < over->n_metrics; i++)
        if (series_column(&of->series[command], step_column(over->metrics[i].id, room)) >= 0 ||
            !isnan(series_step(&of->series[command], over->metrics[i].id)))
            columns[n++] = arena_strdup(&x->over->arena, room);
    if (columns && series_column(&of->series[command], "exit") >= 0)
        columns[n++] = "exit";
    if (columns && record_ratio_to_anchor(of, command))
        columns[n++] = STATISTIC_OF_ANCHOR;
    int subject = columns ? record_add_subject(x->over, &s, columns, n) : -1;
    if (subject < 0)
        return err_no_memory(x->err);
    if (of == x->sessions && command == of->rule.reference)
        x->over->rule.reference = subject;
    x->command[subject] = command;
    return TARE_OK;
}

static bool is_benchmark(const struct record *r, int i, const char *name)
{
    return i >= 0 && i < r->n_subjects && r->subjects[i].kind == SUBJECT_BENCH && !strcmp(r->subjects[i].name, name);
}

/* -1: there is none. The nearest to `at`, where it is but for others that are not there. */
static int benchmark_named(const struct record *r, const char *name, int at)
{
    for (int d = 0; d <= at || at + d < r->n_subjects; d++) {
        if (is_benchmark(r, at - d, name))
            return at - d;
        if (is_benchmark(r, at + d, name))
            return at + d;
    }
    return -1;
}

/* Commands are those of the first session. A benchmark that a later one alone has is there too. */
static bool is_new(const struct joining *x, const struct record *of, int command)
{
    const struct subject *s = &of->subjects[command];
    if (of == x->sessions)
        return s->kind == SUBJECT_COMMAND || s->kind == SUBJECT_BENCH;
    return s->kind == SUBJECT_BENCH && benchmark_named(x->over, s->name, command) < 0;
}

static enum tare_status add_subjects_of(struct joining *x, const struct record *of)
{
    const int before = x->over->n_subjects;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < of->n_subjects && !status; i++)
        if (is_new(x, of, i))
            status =
                x->over->n_subjects < RECORD_SUBJECTS_MAX
                    ? add_subject(x, of, i)
                    : err_set(x->err, TARE_INVALID, "the sessions have more than %d different benchmarks", RECORD_SUBJECTS_MAX);
    for (int i = before; i < x->over->n_subjects && !status; i++) {
        const int reference = of->subjects[x->command[i]].reference;
        if (x->over->subjects[i].kind == SUBJECT_BENCH && reference >= 0)
            x->over->subjects[i].reference = benchmark_named(x->over, of->subjects[reference].name, reference);
    }
    return status;
}

static enum tare_status add_subjects(struct joining *x)
{
    enum tare_status status = TARE_OK;
    x->over->rule.reference = 0;
    for (int i = 0; i < x->n && !status; i++)
        status = add_subjects_of(x, &x->sessions[i]);
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

/* -1: the session does not have it. */
static int in_session(const struct joining *x, int subject, int session)
{
    const struct record *r = &x->sessions[session];
    const struct subject *s = &x->over->subjects[subject];
    const int command = x->command[subject];
    if (s->kind == SUBJECT_BENCH)
        return benchmark_named(r, s->name, command);
    return command < r->n_subjects && !strcmp(r->subjects[command].name, s->name) ? command
                                                                                  : planned_partner(x->over, subject, r);
}

/* A benchmark that gave no result in any session that has it. What failed in some of them alone has the values of the others. */
static enum tare_status add_failure(struct joining *x, int subject)
{
    const char *failure = NULL;
    for (int k = 0; k < x->n; k++) {
        const int command = in_session(x, subject, k);
        if (command >= 0 && !x->sessions[k].subjects[command].failure)
            return TARE_OK;
        if (command >= 0 && !failure)
            failure = x->sessions[k].subjects[command].failure;
    }
    return failure && record_set_failure(x->over, subject, failure) ? err_no_memory(x->err) : TARE_OK;
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
            if (!x->over->subjects[k].failure)
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

/* The geometric mean of the sessions' own, which are Hodges-Lehmann's. */
static enum tare_status add_multiple_of_anchor(struct joining *x, int subject)
{
    const struct rows *rows = &x->over->series[subject].main;
    const double *ratios = series_values(&x->over->series[subject], STATISTIC_OF_ANCHOR), confidence = x->over->rule.confidence;
    struct tare_interval i;
    for (int k = 0; ratios && k < rows->n; k++)
        x->values[k] = log(ratios[k]);
    if (!ratios || tare_mean_ci_student(x->values, rows->n, 1 - confidence, &i))
        return TARE_OK;
    const struct tare_interval of = {.point = exp(i.point), .low = exp(i.low), .high = exp(i.high)};
    const struct estimate e = estimate_bounded(
        estimate_point(subject, x->over->rule.metric, STATISTIC_OF_ANCHOR, "Student t of logarithms", of.point, rows->n), &of,
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
        status = status ? status : add_multiple_of_anchor(x, i);
    }
    return status;
}

/* The session's comparison of this command; NULL: commands were measured one after the other, or it lacks the benchmark, has no result of it, or says to have compared
 * it with another one. */
static const struct comparison *comparison_in(const struct joining *x, int session, int subject)
{
    const struct record *r = &x->sessions[session];
    const int command = in_session(x, subject, session);
    const struct comparison *c = command < 0 ? NULL : record_comparison(r, command, r->rule.metric);
    const bool other = c && r->subjects[command].kind == SUBJECT_BENCH &&
                       c->reference != in_session(x, x->over->subjects[subject].reference, session);
    return c && !other && c->verdict != VERDICT_NONE ? c : NULL;
}

/* "node 3" of a fleet, "unit 5" of one node's blocks, else "session 2". */
static void put_session(const struct joining *x, int session, struct buf *b)
{
    const struct facts *of = &x->sessions[session].build, *other = &x->sessions[session ? 0 : x->n - 1].build;
    const double node = facts_number(of, "fleet_node"), unit = facts_number(of, "fleet_unit");
    if (isnan(node))
        buf_format(b, "session %d", session + 1);
    else if (node == facts_number(other, "fleet_node"))
        buf_format(b, "unit %.0f", unit);
    else
        buf_format(b, "node %.0f", node);
}

/* c NULL: it has no comparison of this benchmark. */
static const char *without_ratio(struct joining *x, int session, int subject, const struct comparison *c)
{
    const struct record *r = &x->sessions[session];
    const char *why = c && c->reason ? c->reason : "its values cannot be compared";
    struct buf b = BUF_INIT(1 << 16);
    put_session(x, session, &b);
    for (int i = 0; i < 2 && !c; i++) {
        const int which = i ? subject : x->over->subjects[subject].reference, command = in_session(x, which, session);
        if (command < 0 || r->subjects[command].failure) {
            buf_format(&b, " %s '%.200s'%s", command < 0 ? "does not have" : "has no result of", x->over->subjects[which].name,
                       command < 0 ? "" : ": ");
            buf_str(&b, command < 0 ? "" : r->subjects[command].failure);
            return keep_reason(&x->over->arena, &b);
        }
    }
    buf_format(&b, " has no ratio: %s", why);
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
            out->reason =
                i && c->kind != out->kind ? "some sessions compare ratios, others differences" : without_ratio(x, i, subject, c);
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

/* Of Student's t; all values equal: certain. */
static double p_value(const struct stats_nodes *of, int n)
{
    const double error = of->sd / sqrt(n), t = fabs(of->mean.point) / error;
    return isnan(error) ? NAN : error > 0 ? 2 * tare_student_cdf(-t, n - 1) : of->mean.point == 0;
}

/* Says why there is no ratio of a benchmark; nothing where it has no result in any session, for its row says that. */
static enum tare_status refuse_benchmark(struct joining *x, int session, struct comparison *c)
{
    const struct subject *s = x->over->subjects;
    if (s[c->subject].failure || s[c->reference].failure)
        return TARE_OK;
    c->reason = without_ratio(x, session, c->subject, NULL);
    return record_add_comparison(x->over, c) >= 0 ? TARE_OK : err_no_memory(x->err);
}

/* Commands share the error of all intervals. Of benchmarks each interval has it alone, and verdicts are corrected afterwards. */
static enum tare_status compare(struct joining *x, int subject)
{
    const bool many = record_kind(x->over)->processes;
    const int reference = record_reference(x->over, subject),
              sharing = many ? 1 : x->over->n_subjects - 1 - record_anchors(x->over);
    const struct look look = {.number = 1, .rounds = x->n, .level = (1 - x->over->rule.confidence) / sharing};
    struct comparison c = comparison_undecided(x->over, reference, subject, &look);
    const struct metric *metric = record_metric(x->over, x->over->rule.metric);
    struct stats_nodes of;
    for (int k = 0; k < x->n; k++)
        if (!metric || !comparison_in(x, k, subject))
            return many && metric ? refuse_benchmark(x, k, &c) : TARE_OK;
    if (!take_shifts(x, subject, &c))
        return record_add_comparison(x->over, &c) >= 0 ? TARE_OK : err_no_memory(x->err);
    if (stats_nodes(x->values, x->errors, x->n, look.level, &of))
        return TARE_OK;
    const struct series *over = x->over->series, *first = x->sessions->series;
    const bool opened = printed_open_series(&over[c.reference], &over[subject], metric, c.kind, &of.mean);
    comparison_conclude(&c, metric, &of.mean);
    if (opened && c.verdict == VERDICT_UNDECIDED)
        c.reason = printed_reason(x->sessions, &first[in_session(x, c.reference, 0)], &first[in_session(x, subject, 0)], metric);
    if (x->n < 2)
        c.reason = "one session does not show how results vary between sessions";
    if (many)
        c.p = p_value(&of, x->n);
    const bool kept = add_scatter(x, subject, &of);
    mean_ratio(x, &c);
    return kept && record_add_comparison(x->over, &c) >= 0 ? TARE_OK : err_no_memory(x->err);
}

static enum tare_status compare_all(struct joining *x)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->over->n_subjects && !status; i++)
        if (record_reference(x->over, i) >= 0)
            status = compare(x, i);
    if (!status && record_kind(x->over)->processes)
        status = compare_together(x->over, 0) ? err_no_memory(x->err) : TARE_OK;
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

static bool has_telling_values(const struct record *r)
{
    bool has = false;
    for (int i = 0; i < r->n_subjects && !has; i++)
        has = values_tell(series_values(&r->series[i], r->rule.metric), r->series[i].main.n);
    return has;
}

/* A file of another tool does not say when it was measured: a copy of it is told by its values. */
bool session_is_again(const struct record *a, const struct record *b)
{
    bool same = a->start_utc_ns == b->start_utc_ns && a->seed == b->seed && a->seconds == b->seconds &&
                a->n_subjects == b->n_subjects &&
                (a->start_utc_ns || (record_source(a) && record_source(b) && has_telling_values(a)));
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

/* At most so many subjects of all sessions. */
static size_t all_subjects(const struct record *sessions, int n)
{
    size_t all = 1;
    for (int i = 0; i < n; i++)
        all += (size_t)sessions[i].n_subjects;
    return all;
}

enum tare_status analyse_sessions(struct record *over, const struct record *sessions, int n, struct tare_err *err)
{
    struct joining x = {.over = over,
                        .sessions = sessions,
                        .n = n,
                        .command = calloc(all_subjects(sessions, n), sizeof *x.command),
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
    for (int i = 0; i < over->n_subjects && !status; i++)
        status = add_failure(&x, i);
    if (!status)
        status = add_rows(&x);
    if (!status)
        status = estimate(&x);
    if (!status)
        status = compare_all(&x);
    release(&x);
    return status;
}
