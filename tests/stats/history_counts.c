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

static void count_changes(struct history_counts *c, const struct made_history *h, ptrdiff_t n)
{
    if (n == 0)
        return;
    const struct stats_change *nearest = changes;
    for (ptrdiff_t i = 1; i < n; i++)
        if (labs((long)(changes[i].at - h->at)) < labs((long)(nearest->at - h->at)))
            nearest = &changes[i];
    const double shift = log1p(h->shift);
    c->one += n == 1;
    c->hit += labs((long)(nearest->at - h->at)) <= NEAR;
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
        stats_changes(x, one.n, 0, scratch, changes, HISTORY_LONGEST / 3, &found);
        c.seconds += (cpu_seconds() - start) / series;
        c.steps += found.course == STATS_COURSE_STEPS;
        c.drift += found.course == STATS_COURSE_DRIFT;
        c.unclear += found.course == STATS_COURSE_EITHER;
        if (found.course == STATS_COURSE_STEPS)
            count_changes(&c, &one, found.n);
        else if (found.n) for(int j=0;j<found.n;j++) if (labs(changes[j].at-one.at)<=5) {c.place++;break;}
    }
    c.width /= c.steps ? c.steps : 1;
    c.half_width /= c.steps ? c.steps : 1;
    free(scratch);
    return c;
}
