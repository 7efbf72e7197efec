/* SPDX-License-Identifier: MIT */
#include "render.h"
#include <math.h>

void render_outlook(const struct record *r, const struct comparison *c, const struct render_outlook *o, struct buf *out)
{
    double width = 100 * expm1(o->half_width);
    buf_format(out,
               "'%s': at this scatter the %d round%s that fit will know the ratio to about ±%.1f %% only, too wide for a margin "
               "of %g %%; "
               "--margin %.0f%% could be decided, or about %.0f rounds are needed (--max-time)",
               r->subjects[c->subject].name, o->rounds_planned, buf_plural(o->rounds_planned), width, 100 * c->margin,
               ceil(width), o->rounds_needed);
}
