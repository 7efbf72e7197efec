/* SPDX-License-Identifier: MIT
 * "against_itself": {"command", "sessions", "words", "same", ..., "false_words", "false_words_low", ...}: what the sessions of --aa say together. Each
 * of them stands in "comparisons". */
#include "json_parts.h"
#include "results.h"

static void words(struct json_write *j, const struct record *r)
{
    int same = 0, undecided = 0, invalid = 0;
    for (int i = 0; i < r->n_comparisons; i++) {
        enum verdict v = r->comparisons[i].verdict;
        same += v == VERDICT_SAME;
        undecided += v == VERDICT_UNDECIDED;
        invalid += v == VERDICT_INVALID || v == VERDICT_NONE;
    }
    json_integer(j, "sessions", r->n_comparisons);
    json_integer(j, "words", r->n_comparisons - same - undecided - invalid);
    json_integer(j, "same", same);
    json_integer(j, "undecided", undecided);
    json_integer(j, "invalid", invalid);
}

static void figure(struct json_write *j, const struct record *r, const char *key, const char *statistic)
{
    json_number(j, key, results_point(r, 0, r->rule.metric, statistic));
}

void json_against_itself(struct json_write *j, const struct record *r)
{
    const struct estimate *e = r->n_subjects ? record_estimate(r, 0, r->rule.metric, "aa_false_words") : NULL;
    if (!r->rule.against_itself || !e)
        return;
    json_object(j, "against_itself");
    json_bytes(j, "command", r->subjects[0].name);
    words(j, r);
    json_number(j, "false_words", e->point);
    json_number(j, "false_words_low", e->confidence > 0 ? e->low : NAN);
    json_number(j, "false_words_high", e->confidence > 0 ? e->high : NAN);
    json_number(j, "confidence", e->confidence > 0 ? e->confidence : NAN);
    json_string(j, "method", e->method);
    json_string(j, "reason", e->reason);
    json_number(j, "promised", 1 - r->rule.confidence);
    figure(j, r, "half_width", "aa_half_width");
    figure(j, r, "pair_sd", "aa_pair_sd");
    figure(j, r, "detectable", "aa_detectable");
    json_end(j);
}
