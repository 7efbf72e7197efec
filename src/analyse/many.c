/* SPDX-License-Identifier: MIT
 *
 * Many comparisons in one session: of a hundred pairs that are equal at 5 % each, five would be called different.
 *
 * Correction: over the signed-rank p values of one look, by Benjamini and Hochberg (1995: of the words given at most a share alpha is false) or
 * Holm (1979: the chance of any false word is at most alpha). Both hold a p value against a fraction of alpha: a i/m, a/(m-i+1). Looks
 * spend that fraction as they would spend alpha: the p value is held against their level for it, so that one
 * comparison alone is treated as everywhere. Levels are nested in alpha, so that who passes at one passes at each looser one. Only words of difference can be taken back; `same` is a statement about an
 * interval and needs no correction. The intervals stay those of each comparison.
 * Geometric mean of the ratios of one program: a summary for the eye. It has no interval, for benchmarks are no sample of anything.
 */
#include "benchmarks.h"
#include "buf.h"
#include "compare.h"
#include "record_arcs.h"
#include "record_kind.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

struct ranked {
    double p;
    int index;
};

static int by_p(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->p < y->p ? -1 : x->p > y->p ? 1 : x->index - y->index;
}

/* Whether p is below what it is held against at this look, when alpha may be spent in all. The level takes up to milliseconds; it lies
 * between what this look adds to the error and alpha, and few p values do. */
static bool passes_at_look(const struct record *r, const struct look *look, double p, double alpha)
{
    const struct rule *rule = &r->rule;
    bool looks = look->number > 0 && look->number <= rule->n_looks && (rule->spending > 0 || rule->n_looks > 1);
    double least = !looks ? alpha : rule->spending > 0 ? 0 : alpha / rule->n_looks;
    return p <= (p > least && p <= alpha ? level_at_look(rule, look->number, alpha) : alpha) * (1 + 1e-9);
}

/* How many of the m sorted p values survive. */
static int survivors(const struct record *r, const struct look *look, const struct ranked *p, int m)
{
    double alpha = 1 - r->rule.confidence;
    int kept = 0;
    for (int i = 1; i <= m; i++) {
        double share = r->rule.correction == CORRECTION_BH ? alpha * i / m : alpha / (m - i + 1);
        bool passes = passes_at_look(r, look, p[i - 1].p, share);
        if (r->rule.correction == CORRECTION_HOLM && !passes)
            break;
        if (passes)
            kept = i;
    }
    return kept;
}

static bool is_word_of_difference(enum verdict v)
{
    return v == VERDICT_FASTER || v == VERDICT_SLOWER || v == VERDICT_LOWER || v == VERDICT_HIGHER;
}

static void take_back(struct record *r, struct comparison *c, int m)
{
    c->sign_proven = c->beyond_margin = false;
    c->better = -1;
    if (!is_word_of_difference(c->verdict))
        return;
    struct buf b = BUF_INIT(256);
    buf_format(&b, "its interval alone would say %s; as one of %d comparisons it is not proven (%s)", verdict_name(c->verdict), m,
               r->rule.correction == CORRECTION_BH ? "Benjamini-Hochberg" : "Holm");
    c->reason = arena_strdup(&r->arena, buf_text(&b));
    c->verdict = VERDICT_UNDECIDED;
    buf_finish(&b);
}

enum tare_status correct_for_many(struct record *r, int first, const struct look *look)
{
    int m = 0;
    if (!record_kind(r)->many || r->rule.correction == CORRECTION_NONE)
        return TARE_OK;
    struct ranked *p = malloc((size_t)(r->n_comparisons - first + 1) * sizeof *p);
    if (!p)
        return TARE_NO_MEMORY;
    for (int i = first; i < r->n_comparisons; i++)
        if (!isnan(r->comparisons[i].p))
            p[m++] = (struct ranked){r->comparisons[i].p, i};
    qsort(p, (size_t)m, sizeof *p, by_p);
    for (int i = m > 1 ? survivors(r, look, p, m) : m; i < m; i++)
        take_back(r, &r->comparisons[p[i].index], m);
    free(p);
    return TARE_OK;
}

/* ---- summary ---- */

static bool first_of_program(const struct record *r, int subject)
{
    for (int i = 0; i < subject; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && !strcmp(r->subjects[i].program, r->subjects[subject].program))
            return false;
    return r->subjects[subject].kind == SUBJECT_BENCH;
}

static enum tare_status summarise(struct record *r, int first, int subject, double *ratios)
{
    int n = 0;
    for (int i = first; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        bool counts = c->kind != METRIC_COUNT && !isnan(c->shift) && c->verdict != VERDICT_INVALID &&
                      !strcmp(r->subjects[c->subject].program, r->subjects[subject].program) &&
                      strcmp(r->subjects[c->reference].program, r->subjects[subject].program) != 0;
        if (counts)
            ratios[n++] = exp(c->shift);
    }
    const struct estimate e = {.subject = subject,
                               .metric = r->rule.metric,
                               .statistic = "geometric_mean_ratio",
                               .method = "over the benchmarks, a summary",
                               .point = tare_geometric_mean(ratios, n),
                               .low = -INFINITY,
                               .high = INFINITY,
                               .n = n,
                               .n_effective = NAN};
    return n < 2 || record_add_estimate(r, &e) >= 0 ? TARE_OK : TARE_NO_MEMORY;
}

enum tare_status summarise_programs(struct record *r, int first)
{
    if (!record_kind(r)->processes || r->n_comparisons - first < 2)
        return TARE_OK;
    double *ratios = malloc((size_t)(r->n_comparisons - first) * sizeof *ratios);
    enum tare_status status = ratios ? TARE_OK : TARE_NO_MEMORY;
    for (int i = 0; i < r->n_subjects && !status; i++)
        if (first_of_program(r, i))
            status = summarise(r, first, i, ratios);
    free(ratios);
    return status;
}
