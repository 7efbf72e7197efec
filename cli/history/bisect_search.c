/* SPDX-License-Identifier: MIT */
#include "bisect_search.h"
#include <math.h>

void bisect_begin(struct bisect_search *s)
{
    int steps = 0;
    while (steps < 30 && 1 << steps < s->bad - s->good)
        steps++;
    s->planned = 1 + steps;
    s->level = s->error / (2 * s->planned);
}

/* That with as many that can be compared before it as behind it: by position, there could be more comparisons than planned. */
int bisect_next(const struct bisect_search *s)
{
    int n = 0, at = s->good;
    if (!s->begun)
        return s->bad;
    for (int i = s->good + 1; i < s->bad; i++)
        n += !s->skipped[i];
    if (s->none || !n)
        return -1;
    for (int before = (n + 1) / 2; before;)
        before -= !s->skipped[++at];
    return at;
}

void bisect_answer(struct bisect_search *s, int at, bool differs, double shift, double least)
{
    if (!s->begun) {
        s->begun = true;
        s->none = !differs;
        s->shift = shift;
        s->margin = expm1(fmax(fabs(shift) / 2, fmin(log1p(s->margin), fabs(least))));
    } else if (differs && (shift > 0) == (s->shift > 0)) {
        s->bad = at;
    } else {
        s->good = at;
    }
}
