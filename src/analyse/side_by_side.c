/* SPDX-License-Identifier: MIT
 *
 * Commands that did not share rounds (block order, --method georges). Drift between the blocks is indistinguishable from a
 * difference, so there is no word; the ratio of the typical times stands there as what it is, and whether the intervals overlap.
 */
#include "analyse.h"
#include "record_kind.h"
#include "scan.h"
#include "verdict.h"
#include <string.h>

static bool overlap(const struct estimate *a, const struct estimate *b)
{
    return a->low <= b->high && b->low <= a->high;
}

static const char *explain(struct record *r, const struct estimate *a, const struct estimate *b, const char *why)
{
    bool both = isfinite(a->high - a->low) && isfinite(b->high - b->low);
    struct buf text = BUF_INIT(512);
    buf_format(&text, "%s; the intervals of the %ss %s", why, a->statistic,
               !both           ? "are not both known"
               : overlap(a, b) ? "overlap"
                               : "do not overlap");
    return keep_reason(&r->arena, &text);
}

static struct comparison side_by_side(struct record *r, int subject, const struct estimate *a, const struct estimate *b,
                                      const char *why)
{
    const struct look none = {.rounds = a->n < b->n ? a->n : b->n};
    struct comparison c = comparison_undecided(r, r->rule.reference, subject, &none);
    const struct metric *metric = record_metric(r, r->rule.metric);
    bool difference = !metric || metric->kind == METRIC_COUNT || !(a->point > 0 && b->point > 0);
    c.kind = difference ? METRIC_COUNT : metric->kind;
    c.shift = difference ? b->point - a->point : log(b->point / a->point);
    c.verdict = VERDICT_NONE;
    c.reason = explain(r, a, b, why);
    return c;
}

enum tare_status analyse_side_by_side(struct record *r, const char *why, struct tare_err *err)
{
    const char *statistic = r->rule.method == METHOD_GEORGES ? "mean" : "median";
    const struct estimate *a = record_estimate(r, r->rule.reference, r->rule.metric, statistic);
    for (int i = 0; i < r->n_subjects; i++) {
        const struct estimate *b = record_estimate(r, i, r->rule.metric, statistic);
        if (record_kind(r)->processes || i == r->rule.reference || !subject_measured(&r->subjects[i]) || !a || !b)
            continue;
        struct estimate first = *a, second = *b; /* adding may move the array */
        struct comparison c = side_by_side(r, i, &first, &second, why);
        if (record_add_comparison(r, &c) < 0)
            return err_set(err, TARE_NO_MEMORY, "no memory for the results");
    }
    return scan_side_by_side(r, statistic, why) ? err_set(err, TARE_NO_MEMORY, "no memory for the results") : TARE_OK;
}
