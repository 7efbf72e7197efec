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

int bisect_next(const struct bisect_search *s)
{
    const int middle = s->good + (s->bad - s->good) / 2;
    if (!s->begun)
        return s->bad;
    for (int d = 0; !s->none && d <= s->bad - s->good; d++)
        for (int side = -1; side <= 1; side += 2) {
            const int at = middle + side * d;
            if (at > s->good && at < s->bad && !s->skipped[at])
                return at;
        }
    return -1;
}

void bisect_answer(struct bisect_search *s, int at, bool differs, double shift)
{
    if (!s->begun) {
        s->begun = true;
        s->none = !differs;
        s->shift = shift;
        s->margin = fmax(s->margin, expm1(fabs(shift) / 2));
    } else if (differs && (shift > 0) == (s->shift > 0)) {
        s->bad = at;
    } else {
        s->good = at;
    }
}
