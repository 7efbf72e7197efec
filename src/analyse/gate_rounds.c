/* SPDX-License-Identifier: MIT
 *
 * A round counts where both builds have a ratio: both values above 0, or both 0, which are equal. One without makes the case one without a result: which rounds these
 * are may depend on what their values would have been. */
#include "gate_rounds.h"
#include "comparable.h"
#include <limits.h>
#include <math.h>
#include <string.h>

const char *const gate_side_names[2] = {"base", "head"};

static bool has_ratio(double base, double head)
{
    return (base > 0 && head > 0) || (base == 0 && head == 0);
}

int gate_ratios(const struct record *r, int base, int head, double *out, int room)
{
    const struct series *x = &r->series[base], *y = &r->series[head];
    const double *of_base = series_values(x, r->rule.metric), *of_head = series_values(y, r->rule.metric);
    int n = 0;
    for (int i = 0, k = 0; of_base && of_head && i < x->main.n && k < y->main.n && n < room;) {
        const int32_t round = x->main.round[i], other = y->main.round[k];
        if (round == other && !has_ratio(of_base[i], of_head[k]))
            return -1;
        if (round == other && out)
            out[n] = of_base[i] > 0 ? log(of_head[k] / of_base[i]) : 0;
        n += round == other;
        i += round <= other;
        k += other <= round;
    }
    return n;
}

void gate_add_printed(const struct record *r, int base, int head, struct printed *p)
{
    const struct series *x = &r->series[base], *y = &r->series[head];
    const struct metric *metric = record_metric(r, r->rule.metric);
    const struct values of_base = {series_values(x, r->rule.metric), x->main.n},
                        of_head = {series_values(y, r->rule.metric), y->main.n};
    if (!metric || !of_base.x || !of_head.x)
        return;
    const struct printed now = printed_values(metric, false, printed_step(x, y, metric), &of_base, &of_head);
    if (now.step > 0 && p->step > 0)
        *p = (struct printed){fmax(p->step, now.step), fmin(p->one, now.one), fmin(p->other, now.other)};
    else if (now.step > 0)
        *p = now;
}

bool gate_skipped(const struct record *r, int base, int head, int before)
{
    return !before && subject_skipped(&r->subjects[base]) && subject_skipped(&r->subjects[head]) &&
           !gate_ratios(r, base, head, NULL, INT_MAX);
}

const char *gate_failure(struct record *r, int base, int head, struct arena *a)
{
    const char *of_base = r->subjects[base].failure, *of_head = r->subjects[head].failure, *text;
    if (!of_base && !of_head) {
        text = gate_ratios(r, base, head, NULL, INT_MAX) < 0
                   ? "a value is missing, or is 0 or below in one build, so there is no ratio"
                   : other_work(r, base, head, 0);
        if (!text)
            return NULL;
        text = arena_strdup(a, text);
    } else if (of_base && of_head)
        text = strcmp(of_base, of_head) ? arena_format(a, "base: %s; head: %s", of_base, of_head)
                                        : arena_format(a, "base and head: %s", of_base);
    else
        text = arena_format(a, "%s: %s", gate_side_names[of_head ? GATE_HEAD : GATE_BASE], of_head ? of_head : of_base);
    return text ? text : "a process failed"; /* NULL says that none did */
}
