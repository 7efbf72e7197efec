/* SPDX-License-Identifier: MIT */
#include "sample_length.h"
#include <math.h>
#include <stdbool.h>

enum { JUDGED_AT = 4 }; /* processes: fewer say little, more are short ones in vain */

static void become(struct sample_length *l, int64_t ns)
{
    *l = (struct sample_length){.ns = ns, .most_ns = l->most_ns, .process_ns = l->process_ns};
}

static bool may_double(const struct sample_length *l)
{
    return l->ns <= l->most_ns / 2 && !(l->process_ns > 0 && 2 * l->took_ns / l->n > l->process_ns);
}

void sample_length_take(struct sample_length *l, const double *values, int n, double took_ns)
{
    double mean = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        const double before = values[i] - mean;
        mean += before / (i + 1);
        squares += before * (values[i] - mean);
    }
    if (n < 2 || !isfinite(squares))
        return;
    const double before = mean - l->mean;
    l->within += squares / (n - 1) / n;
    l->n++;
    l->took_ns += took_ns;
    l->mean += before / l->n;
    l->squares += before * (mean - l->mean);
    if (l->n < JUDGED_AT)
        return;
    const double within = l->within / l->n, between = l->squares / (l->n - 1) - within;
    become(l, within > between && may_double(l) ? 2 * l->ns : l->ns);
}

void sample_length_share(struct sample_length *a, struct sample_length *b)
{
    if (a->ns < b->ns)
        become(a, b->ns);
    else if (b->ns < a->ns)
        become(b, a->ns);
}
