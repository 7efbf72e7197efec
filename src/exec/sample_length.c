/* SPDX-License-Identifier: MIT */
#include "sample_length.h"
#include <math.h>
#include <stdbool.h>

/* Processes, and each time that they have doubled: fewer say little, and looked at after each one samples would grow by chance alone. */
enum { FIRST_JUDGED = 4 };

static void become(struct sample_length *l, int64_t ns)
{
    *l = (struct sample_length){.ns = ns, .most_ns = l->most_ns, .process_ns = l->process_ns};
}

static bool may_double(const struct sample_length *l)
{
    return l->ns <= l->most_ns / 2 && !(l->process_ns > 0 && (l->took_ns + l->asked_ns) / l->n > l->process_ns);
}

static bool judged_at(int n)
{
    return n >= FIRST_JUDGED && !(n & (n - 1));
}

static bool gains(const struct sample_length *l)
{
    const double within = l->within / l->n, between = fmax(l->squares / (l->n - 1) - within, 0);
    return within * (l->took_ns - l->asked_ns) > 2 * between * l->asked_ns;
}

void sample_length_take(struct sample_length *l, const double *values, int n, int samples, double took_ns)
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
    l->within += squares / (n - 1) / samples;
    l->n++;
    l->took_ns += took_ns;
    l->asked_ns += (double)l->ns * samples;
    l->mean += before / l->n;
    l->squares += before * (mean - l->mean);
    if (judged_at(l->n) && gains(l) && may_double(l))
        become(l, 2 * l->ns);
}

void sample_length_share(struct sample_length *a, struct sample_length *b)
{
    if (a->ns < b->ns)
        become(a, b->ns);
    else if (b->ns < a->ns)
        become(b, a->ns);
}
