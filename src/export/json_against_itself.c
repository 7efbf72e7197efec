/* SPDX-License-Identifier: MIT
 * "against_itself": {"command", "sessions", "words", "same", ..., "false_words", "false_words_low", ...}: what the sessions of --aa say together. Each
 * of them stands in "comparisons". Of benchmarks "command" is null and "benchmarks" has such an object, with "name", for each of them. */
#include "json_parts.h"
#include "record_kind.h"
#include "results.h"

enum { OF_ALL = -1 };

static void words(struct json_write *j, const struct record *r, int subject)
{
    int n = 0, same = 0, undecided = 0, invalid = 0;
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (subject != OF_ALL && record_first_copy(r, c->reference) != subject)
            continue;
        n++;
        invalid += !comparison_judged(c);
        same += c->verdict == VERDICT_SAME;
        undecided += c->verdict == VERDICT_UNDECIDED && comparison_judged(c);
    }
    json_integer(j, "sessions", n);
    json_integer(j, "words", n - same - undecided - invalid);
    json_integer(j, "same", same);
    json_integer(j, "undecided", undecided);
    json_integer(j, "invalid", invalid);
}

static void share(struct json_write *j, const struct record *r, const struct estimate *e)
{
    json_number(j, "false_words", e->point);
    json_number(j, "false_words_low", e->confidence > 0 ? e->low : NAN);
    json_number(j, "false_words_high", e->confidence > 0 ? e->high : NAN);
    json_number(j, "confidence", e->confidence > 0 ? e->confidence : NAN);
    json_string(j, "method", e->method);
    json_string(j, "reason", e->reason);
    json_number(j, "promised", 1 - r->rule.confidence);
}

static void figure(struct json_write *j, const struct record *r, int subject, const char *key, const char *statistic)
{
    json_number(j, key, results_point(r, subject, r->rule.metric, statistic));
}

static void figures(struct json_write *j, const struct record *r, int subject, const struct estimate *e)
{
    words(j, r, subject);
    share(j, r, e);
    figure(j, r, subject, "half_width", "aa_half_width");
    figure(j, r, subject, "pair_sd", "aa_pair_sd");
    figure(j, r, subject, "detectable", "aa_detectable");
}

static const struct estimate *false_words(const struct record *r, int subject)
{
    bool counts = r->rule.against_itself && subject_measured(&r->subjects[subject]) && record_first_copy(r, subject) == subject;
    return counts ? record_estimate(r, subject, r->rule.metric, "aa_false_words") : NULL;
}

static void benchmarks(struct json_write *j, const struct record *r)
{
    json_array(j, "benchmarks");
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *e = false_words(r, i);
        if (!e)
            continue;
        json_object(j, NULL);
        json_bytes(j, "name", r->subjects[i].benchmark);
        figures(j, r, i, e);
        json_end(j);
    }
    json_end(j);
}

void json_against_itself(struct json_write *j, const struct record *r)
{
    const struct estimate *e = r->n_subjects ? false_words(r, 0) : NULL;
    if (!e)
        return;
    json_object(j, "against_itself");
    if (record_kind(r)->processes) {
        /* Of all benchmarks together, or of the only one. */
        const struct estimate *all = record_estimate(r, 0, r->rule.metric, "aa_false_words_of_all");
        json_string(j, "command", NULL);
        words(j, r, OF_ALL);
        share(j, r, all ? all : e);
        benchmarks(j, r);
    } else {
        json_bytes(j, "command", r->subjects[0].name);
        figures(j, r, 0, e);
    }
    json_end(j);
}
