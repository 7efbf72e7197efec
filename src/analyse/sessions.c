/* SPDX-License-Identifier: MIT
 * What is estimated, by what, under which assumptions: analyse_sessions.h. */
#include "analyse_sessions.h"
#include "buf.h"
#include "compare.h"
#include "leak_sessions.h"
#include "leak_target.h"
#include "record_kind.h"
#include "same_text.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct joining {
    struct record *over;
    const struct record *sessions;
    int n;
    int *command; /* index in a session of each subject of `over` */
    double *values;
    struct tare_err *err;
};

static enum tare_status no_memory(const struct joining *x)
{
    return err_set(x->err, TARE_NO_MEMORY, "no memory for what %d sessions say", x->n);
}

/* ---- a session as a run ---- */

static enum tare_status add_rule(struct joining *x)
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
    for (int i = 0; i < first->n_metrics; i++)
        if (record_add_metric(over, &first->metrics[i]) < 0)
            return no_memory(x);
    return over->rule.metric && over->tool_version ? TARE_OK : no_memory(x);
}

/* Those of the first session: what all of one plan and machine share. */
static enum tare_status add_facts(struct joining *x)
{
    struct record *over = x->over;
    const struct record *first = &x->sessions[0];
    bool copied = !facts_copy(over, &over->machine, &first->machine) && !facts_copy(over, &over->before, &first->before) &&
                  !facts_copy(over, &over->build, &first->build) && !facts_add_number(over, &over->before, "sessions", x->n);
    return copied ? TARE_OK : no_memory(x);
}

static enum tare_status add_subject(struct joining *x, int command)
{
    const struct record *first = &x->sessions[0];
    const struct subject *s = &first->subjects[command];
    const char **columns = arena_array(&x->over->arena, (size_t)first->n_metrics + 2, sizeof *columns);
    int n = 0;
    for (int i = 0; columns && i < first->n_metrics; i++)
        if (series_column(&first->series[command], first->metrics[i].id) >= 0)
            columns[n++] = first->metrics[i].id;
    if (columns && series_column(&first->series[command], "exit") >= 0)
        columns[n++] = "exit";
    int subject = columns ? record_add_subject(x->over, s, columns, n) : -1;
    if (subject < 0)
        return no_memory(x);
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
        if (x->sessions[0].subjects[i].kind == SUBJECT_COMMAND)
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

static enum tare_status add_row(struct joining *x, int subject, int session)
{
    const struct record *r = &x->sessions[session];
    const struct series *s = &x->over->series[subject];
    double *values = arena_array(&x->over->arena, (size_t)s->n_columns + 1, sizeof *values);
    if (!values)
        return no_memory(x);
    for (int k = 0; k < s->n_columns; k++) {
        const struct estimate *e = record_estimate(r, x->command[subject], s->columns[k], "median");
        values[k] = !strcmp(s->columns[k], "exit") ? exit_of(r, x->command[subject]) : e ? e->point : NAN;
    }
    const struct row row = {
        .round = session, .slot = subject, .start_ns = r->start_utc_ns - x->over->start_utc_ns, .values = values};
    return record_append_row(x->over, subject, &row) ? no_memory(x) : TARE_OK;
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

static enum tare_status estimate(struct joining *x)
{
    const struct look look = {.number = 1, .rounds = x->n, .level = 1 - x->over->rule.confidence};
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->over->n_subjects && !status; i++)
        status = analyse_group(x->over, &i, 1, &look, x->err);
    return status;
}

/* ---- comparisons ---- */

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
    const char *kept = arena_strdup(&x->over->arena, buf_text(&b));
    buf_finish(&b);
    return kept ? kept : "a session has no ratio";
}

/* The shifts, and the margin on their scale: of counts the sessions' own, in the mean. NaN: a session has no shift, or one of another kind, and *out
 * says so. */
static double common_limit(struct joining *x, int subject, struct comparison *out)
{
    double margins = 0;
    for (int i = 0; i < x->n; i++) {
        const struct comparison *c = comparison_in(x, i, subject);
        const bool refused = c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NOT_COMPARABLE;
        if (refused || !isfinite(c->shift) || (i && c->kind != out->kind)) {
            out->reason = i && c->kind != out->kind ? "some sessions compare ratios, others differences" : without_ratio(x, i, c);
            out->verdict = refused ? VERDICT_INVALID : VERDICT_UNDECIDED;
            return NAN;
        }
        out->kind = c->kind;
        x->values[i] = c->shift;
        margins += c->margin;
    }
    return out->kind == METRIC_COUNT ? margins / x->n : log1p(margins / x->n);
}

static enum tare_status add_deviation(struct joining *x, int subject)
{
    const struct estimate e = {.subject = subject,
                               .metric = x->over->rule.metric,
                               .statistic = STATISTIC_OF_SHIFTS,
                               .method = "as observed",
                               .point = x->n > 1 ? tare_stddev(x->values, x->n) : NAN,
                               .low = -INFINITY,
                               .high = INFINITY,
                               .n = x->n,
                               .n_effective = NAN,
                               .reason = x->n > 1 ? NULL : "one session alone"};
    return record_add_estimate(x->over, &e) < 0 ? no_memory(x) : TARE_OK;
}

static enum tare_status compare(struct joining *x, int subject)
{
    const struct look look = {.number = 1, .rounds = x->n, .level = (1 - x->over->rule.confidence) / (x->over->n_subjects - 1)};
    struct comparison c = comparison_without_word(x->over, x->over->rule.reference, subject, &look);
    const struct metric *metric = record_metric(x->over, x->over->rule.metric);
    struct tare_interval i;
    for (int k = 0; k < x->n; k++)
        if (!metric || !comparison_in(x, k, subject))
            return TARE_OK;
    double limit = common_limit(x, subject, &c);
    if (c.reason)
        return record_add_comparison(x->over, &c) >= 0 ? TARE_OK : no_memory(x);
    if (c.kind == METRIC_COUNT)
        c.margin = limit;
    if (tare_mean_ci_student(x->values, x->n, look.level, &i))
        return TARE_OK;
    c.shift = i.point;
    c.low = i.low;
    c.high = i.high;
    comparison_judge(&c, metric, limit);
    if (x->n < 2)
        c.reason = "one session alone says nothing of what changes from one to the next";
    enum tare_status status = add_deviation(x, subject);
    return status || record_add_comparison(x->over, &c) >= 0 ? status : no_memory(x);
}

static enum tare_status compare_all(struct joining *x)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->over->n_subjects && !status; i++)
        if (i != x->over->rule.reference)
            status = compare(x, i);
    return status;
}

/* ---- the whole ---- */

enum tare_status analyse_sessions(struct record *over, const struct record *sessions, int n, struct tare_err *err)
{
    struct joining x = {.over = over,
                        .sessions = sessions,
                        .n = n,
                        .command = calloc((size_t)sessions[0].n_subjects + 1, sizeof *x.command),
                        .values = calloc((size_t)n, sizeof *x.values),
                        .err = err};
    record_init(over);
    enum tare_status status = x.command && x.values ? add_rule(&x) : no_memory(&x);
    if (!status)
        status = add_facts(&x);
    if (!status && record_kind(&sessions[0])->targets) {
        status = leak_sessions(over, sessions, n) ? no_memory(&x) : TARE_OK;
        free(x.command);
        free(x.values);
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
    free(x.command);
    free(x.values);
    return status;
}

/* ---- one plan ---- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_rule(const struct rule *a, const struct rule *b)
{
    return a->method == b->method && same_text(a->metric, b->metric) && a->confidence == b->confidence &&
           a->precision == b->precision && a->margin == b->margin && same_text(a->margin_unit, b->margin_unit) &&
           a->interleaved == b->interleaved && same_number(a->fail_if_slower, b->fail_if_slower) && a->on_dirty == b->on_dirty &&
           a->reference == b->reference;
}

/* What one measures under a name is what the other does. */
static bool same_metrics(const struct record *a, const struct record *b)
{
    for (int i = 0; i < a->n_metrics; i++) {
        const struct metric *x = &a->metrics[i], *y = record_metric(b, x->id);
        if (y && (x->direction != y->direction || !same_text(x->unit, y->unit) ||
                  (x->definition && y->definition && strcmp(x->definition, y->definition) != 0)))
            return false;
    }
    return true;
}

/* What was given around the commands; a record that does not have it goes with any. */
static bool same_options(const struct record *a, const struct record *b)
{
    const struct fact *x = facts_find(&a->before, "options"), *y = facts_find(&b->before, "options");
    return !x || !y || same_text(x->text, y->text);
}

static bool same_argv(const char *const *a, const char *const *b)
{
    if (!a || !b)
        return a == b;
    for (; *a && *b; a++, b++)
        if (strcmp(*a, *b) != 0)
            return false;
    return !*a && !*b;
}

static bool same_leaks(const struct rule_leaks *a, const struct rule_leaks *b)
{
    return same_text(a->kind, b->kind) && same_text(a->cache, b->cache) && a->alpha == b->alpha && a->advantage == b->advantage &&
           a->exact == b->exact && a->noise == b->noise && a->dit == b->dit && a->selfcheck == b->selfcheck &&
           a->max_calls == b->max_calls && (a->repeat > 1 ? a->repeat : 1) == (b->repeat > 1 ? b->repeat : 1) &&
           same_text(a->clock, b->clock);
}

static bool of_a_plan(const struct subject *s)
{
    return s->kind == SUBJECT_COMMAND || s->kind == SUBJECT_LEAK;
}

static bool same_command(const struct subject *a, const struct subject *b)
{
    return a->kind == b->kind && same_text(a->name, b->name) && same_argv(a->argv, b->argv) && same_text(a->setup, b->setup) &&
           same_text(a->prepare, b->prepare) && same_text(a->conclude, b->conclude) && same_text(a->cleanup, b->cleanup);
}

/* The commands come first; what tare measures besides (the empty program) lies elsewhere from one session to the next. */
bool sessions_of_one_plan(const struct record *a, const struct record *b)
{
    int i = 0;
    while (i < a->n_subjects && i < b->n_subjects && of_a_plan(&a->subjects[i]) && same_command(&a->subjects[i], &b->subjects[i]))
        i++;
    bool all_a = i == a->n_subjects || !of_a_plan(&a->subjects[i]);
    bool all_b = i == b->n_subjects || !of_a_plan(&b->subjects[i]);
    return i > 0 && all_a && all_b && same_rule(&a->rule, &b->rule) && same_metrics(a, b) && same_options(a, b) &&
           same_leaks(&a->rule.leaks, &b->rule.leaks);
}

/* ---- the files that were measured ---- */

static const struct fact *fact_of(const struct record *r, int number, const char *what)
{
    char key[40];
    struct buf b = buf_over(key, sizeof key);
    if (number)
        buf_format(&b, "program_%d_%s", number, what);
    else
        buf_format(&b, "library_%s", what);
    return facts_find(&r->build, buf_text(&b));
}

/* A file that is too large to be read has a size all the same. Dates say nothing: the same program may be installed anew. */
static bool other_file(const struct record *a, const struct record *b, int number)
{
    const struct fact *x = fact_of(a, number, "fnv1a64"), *y = fact_of(b, number, "fnv1a64");
    if (x && y && x->text && y->text)
        return strcmp(x->text, y->text) != 0;
    x = fact_of(a, number, "bytes");
    y = fact_of(b, number, "bytes");
    return x && y && x->number != y->number;
}

const char *sessions_other_file(const struct record *a, const struct record *b)
{
    const struct fact *library = fact_of(a, 0, "path");
    if (library) /* the program that calls it is ours */
        return !other_file(a, b, 0) ? NULL : library->text ? library->text : "the library";
    if (facts_find(&a->build, "revision_1_hash"))
        return NULL;
    for (int i = 0; i < a->n_subjects && of_a_plan(&a->subjects[i]); i++)
        if (!a->subjects[i].setup && !a->subjects[i].prepare && other_file(a, b, i + 1))
            return a->subjects[i].program ? a->subjects[i].program : a->subjects[i].argv[0];
    return NULL;
}
