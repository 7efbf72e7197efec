/* SPDX-License-Identifier: MIT
 * The run of all tests, and what of the findings is reported once. */
#include "finding.h"
#include "number_sort.h"
#include "record_kind.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

/* In the order in which they are made. */
static const struct check_test *const lists[] = {session_tests, clock_tests, host_tests,     own_tests,
                                                 growth_tests,  trace_tests, cause_tests,    sample_tests,
                                                 bench_tests,   pair_tests,  placement_tests};

/* NULL past the end. */
static const struct check_test *test_at(int index)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct check_test *t = lists[i]; t->ids; t++)
            if (!index--)
                return t;
    return NULL;
}

const char *check_ids(int check)
{
    const struct check_test *t = test_at(check);
    return t ? t->ids : NULL;
}

static bool fill_sample(struct check *c, int subject, const double *values, int n, struct sample *out)
{
    const struct metric *metric = record_metric(c->r, c->r->rule.metric);
    if (!metric || n < 1)
        return false;
    memcpy(c->sorted, values, (size_t)n * sizeof *values);
    number_sort(c->sorted, n, c->scratch);
    *out = (struct sample){.subject = subject,
                           .unit = metric->unit,
                           .kind = metric->kind,
                           .values = values,
                           .n = n,
                           .median = tare_quantile_sorted(c->sorted, n, 0.5)};
    return out->median > 0;
}

static bool sample_of(struct check *c, int subject, int rounds, struct sample *out)
{
    const double *values = series_values(&c->r->series[subject], c->r->rule.metric);
    int n = record_rounds(c->r, &subject, 1);
    if (rounds && rounds < n)
        n = rounds;
    for (int i = 0; values && i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return values && fill_sample(c, subject, values, n, out);
}

/* Of a metric that some runs lack the values that there are. They are no rows, which the other checks need. */
static void check_known_values(struct check *c, int subject)
{
    const double *values = series_values(&c->r->series[subject], c->r->rule.metric);
    int rounds = record_rounds(c->r, &subject, 1), n = 0;
    double *known = c->scratch + rounds;
    struct sample s;
    for (int i = 0; values && i < rounds; i++)
        if (isfinite(values[i]))
            known[n++] = values[i];
    if (fill_sample(c, subject, known, n, &s))
        check_stability(c, &s);
}

static void check_subject(struct check *c, int subject)
{
    struct sample s;
    if (!subject_measured(&c->r->subjects[subject]) || c->r->subjects[subject].kind == SUBJECT_LEAK)
        return;
    if (!sample_of(c, subject, 0, &s)) {
        check_known_values(c, subject);
        return;
    }
    for (int i = 0; (c->test = test_at(i)); i++)
        if (c->test->sample)
            c->test->sample(c, &s);
}

static void check_comparison(struct check *c, int index)
{
    const struct comparison *comparison = &c->r->comparisons[index];
    struct paired_sample p = {.comparison = comparison};
    if (comparison->look == 0 || comparison->verdict == VERDICT_NONE || comparison->arc) /* rows know nothing of single arcs */
        return;
    if (!sample_of(c, comparison->reference, comparison->rounds, &p.reference) ||
        !sample_of(c, comparison->subject, comparison->rounds, &p.subject))
        return;
    for (int i = 0; (c->test = test_at(i)); i++)
        if (c->test->pair)
            c->test->pair(c, &p);
}

static int most_rounds(const struct record *r)
{
    int most = 0;
    for (int i = 0; i < r->n_subjects; i++)
        if (r->series[i].main.n > most)
            most = r->series[i].main.n;
    return most;
}

/* Among the first `of` subjects. */
static int copies_of(const struct record *r, int first, int of)
{
    int n = 0;
    for (int i = 0; i < of; i++)
        n += record_first_copy(r, i) == first;
    return n;
}

/* Each made of two of the copies. */
static bool is_of_pairs(const char *id)
{
    const struct check_test *t;
    for (int i = 0; (t = test_at(i)); i++)
        if (t->pair && text_lists(t->ids, strlen(t->ids), " ", id, strlen(id)))
            return true;
    return false;
}

static struct finding *same_finding(struct record *r, int before, const char *id, int first)
{
    for (int i = 0; i < before; i++)
        if (r->findings[i].subject == first && !strcmp(r->findings[i].id, id))
            return &r->findings[i];
    return NULL;
}

/* --aa: what is found of many copies of the same is told once, of the first, by the heaviest of them. */
static void report_copies_once(struct check *c)
{
    struct record *r = c->r;
    int n = 0, *found = calloc(2 * (size_t)r->n_findings + 1, sizeof *found), *heaviest = found ? found + r->n_findings : NULL;
    c->failed = c->failed || !found;
    for (int i = 0; found && i < r->n_findings; i++) {
        struct finding f = r->findings[i];
        const int copy = f.subject;
        f.subject = f.subject < 0 ? f.subject : record_first_copy(r, f.subject);
        struct finding *before = f.subject < 0 ? NULL : same_finding(r, n, f.id, f.subject);
        if (before)
            found[before - r->findings]++;
        else
            found[n] = 1;
        if (before && !(before->weight < f.weight))
            continue;
        const int at = before ? (int)(before - r->findings) : n++;
        r->findings[at] = f;
        heaviest[at] = copy;
    }
    r->n_findings = found ? n : r->n_findings;
    for (int i = 0; found && i < n; i++)
        if (r->findings[i].subject >= 0) {
            const int first = r->findings[i].subject, each = is_of_pairs(r->findings[i].id) ? 2 : 1,
                      which = (copies_of(r, first, heaviest[i] + 1) + each - 1) / each,
                      all = copies_of(r, first, r->n_subjects) / each;
            const char *kept =
                arena_format(&r->arena, "%s (of %s%d%s; in %d of %d %s)", r->findings[i].text, each == 2 ? "pair " : "#", which,
                             found[i] > 1 ? ", where it matters most" : "", found[i], all, each == 2 ? "pairs" : "copies");
            c->failed = c->failed || !kept;
            r->findings[i].text = kept ? kept : r->findings[i].text;
            r->findings[i].trend = 0; /* which copy's nobody can say */
        }
    free(found);
}

/* False: no memory. */
static bool begin_check(struct check *c, struct record *r, const struct check_facts *facts)
{
    const size_t most = (size_t)most_rounds(r) + 1;
    *c = (struct check){.r = r, .facts = facts, .scratch = malloc(most * 5 * sizeof(double))};
    c->sorted = c->scratch ? c->scratch + 4 * most : NULL;
    return c->scratch;
}

enum tare_status check_record(struct record *r, const struct check_facts *facts, struct tare_err *err)
{
    struct check c;
    if (!begin_check(&c, r, facts))
        return err_no_memory(err);
    for (int i = 0; (c.test = test_at(i)); i++)
        if (c.test->session)
            c.test->session(&c);
    bool of_commands = !record_kind(r)->own_commands; /* of a host the commands are tare's own, and dozens */
    for (int i = 0; i < r->n_subjects && of_commands; i++)
        check_subject(&c, i);
    for (int i = 0; i < r->n_comparisons && of_commands; i++)
        check_comparison(&c, i);
    if (r->rule.against_itself && !c.failed)
        report_copies_once(&c);
    free(c.scratch);
    return c.failed ? err_no_memory(err) : TARE_OK;
}

enum tare_status check_stored(struct record *r, struct tare_err *err)
{
    struct check c;
    if (!begin_check(&c, r, NULL))
        return err_no_memory(err);
    for (int i = 0; i < r->n_subjects; i++) {
        const struct comparison *widest = NULL;
        struct sample s;
        if (subject_measured(&r->subjects[i]) && !record_is_over_sessions(r) && sample_of(&c, i, 0, &s))
            check_trend(&c, &s);
        for (int k = 0; k < r->n_comparisons; k++)
            if (r->comparisons[k].subject == i && (!widest || r->comparisons[k].widened > widest->widened))
                widest = &r->comparisons[k];
        if (widest)
            check_dependent_rounds(&c, &(struct paired_sample){.comparison = widest});
        if (widest && !widest->arc)
            check_mean_ratio(&c, &(struct paired_sample){.comparison = widest});
    }
    free(c.scratch);
    return c.failed ? err_no_memory(err) : TARE_OK;
}

/* Of two values of a command whose standard deviation is 30 % of the mean, every fourth pair lies so close together that it looks stable; of six
 * every hundredth. */
bool check_stability_open(const struct record *r, int subject, struct buf *why)
{
    const char *metric = r->rule.metric;
    const struct metric *m = record_metric(r, metric);
    const bool counted = m && m->kind != METRIC_TIME; /* a time of 0 is one that was not seen */
    const struct estimate *median = record_estimate(r, subject, metric, "median"),
                          *min = record_estimate(r, subject, metric, "min"), *max = record_estimate(r, subject, metric, "max");
    if (r->subjects[subject].failure)
        buf_format(why, "it was given up: %s", r->subjects[subject].failure);
    else if (r->ended && !strcmp(r->ended, "failed"))
        buf_str(why, "the session ended by a failure");
    else if (!median || isnan(median->point))
        buf_format(why, "%s: %s", metric, median && median->reason ? median->reason : "not measured");
    else if (median->n < INTERVAL_FROM)
        buf_format(why, "%d value%s, and %d are needed", median->n, buf_plural(median->n), INTERVAL_FROM);
    else if (!(median->point > 0) && !(counted && min && max && min->point == max->point))
        buf_str(why, "its median is not above 0, so that no spread is a share of it");
    else
        return false;
    return true;
}
