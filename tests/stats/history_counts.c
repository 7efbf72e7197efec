/* SPDX-License-Identifier: MIT */
#include "history_counts.h"
#include "changes.h"
#include "rng.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { NEAR = 5 };

static double x[HISTORY_LONGEST];
static struct stats_change changes[HISTORY_LONGEST / 3];

static const struct stats_change *nearest_to(int at, ptrdiff_t n)
{
    const struct stats_change *nearest = changes;
    for (ptrdiff_t i = 1; i < n; i++)
        if (labs((long)(changes[i].at - at)) < labs((long)(nearest->at - at)))
            nearest = &changes[i];
    return nearest;
}

static void count_changes(struct history_counts *c, const struct made_history *h, const struct stats_changes *found)
{
    c->steps += found->course == STATS_COURSE_STEPS;
    c->drift += found->course == STATS_COURSE_DRIFT;
    c->either += found->course == STATS_COURSE_EITHER;
    if (found->n == 0)
        return;
    const struct stats_change *nearest = nearest_to(h->at, found->n);
    const bool hit = labs((long)(nearest->at - h->at)) <= NEAR;
    if (found->course == STATS_COURSE_EITHER) {
        c->either_hit += hit;
        return;
    }
    const double shift = log1p(h->shift);
    c->one += found->n == 1;
    c->hit += hit;
    c->in_place += nearest->first <= h->at && h->at <= nearest->last;
    c->in_shift += nearest->low <= shift && shift <= nearest->high;
    c->width += (double)(nearest->last - nearest->first);
    c->half_width += (nearest->high - nearest->low) / 2;
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

struct history_counts history_count(const struct made_history *h, int series, uint64_t seed)
{
    struct history_counts c = {.series = series};
    void *scratch = malloc(stats_changes_scratch_bytes(h->n));
    if (!scratch)
        abort();
    for (int i = 0; i < series; i++) {
        struct made_history one = *h;
        struct rng places = rng_seeded(~(seed + (uint64_t)i));
        if (one.at < 0)
            one.at = one.n / 6 + (int)rng_below(&places, (uint64_t)one.n * 2 / 3);
        made_history_values(&one, seed + (uint64_t)i, x);
        struct stats_changes found;
        const double start = cpu_seconds();
        stats_changes(x, one.n, 0, .02 * h->noise * h->tick, scratch, changes, HISTORY_LONGEST / 3, &found);
        c.seconds += (cpu_seconds() - start) / series;
        count_changes(&c, &one, &found);
    }
    c.width /= c.steps ? c.steps : 1;
    c.half_width /= c.steps ? c.steps : 1;
    free(scratch);
    return c;
}
