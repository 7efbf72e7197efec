/* SPDX-License-Identifier: MIT */
#include "rng.h"
#include "spans_work.h"
#include <stdlib.h>

struct candidate {
    int64_t ns;
    int track, window;
};

static int by_time(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return (x->window > y->window) - (x->window < y->window);
}

static int by_place(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return (x->window > y->window) - (x->window < y->window);
}

static struct candidate *candidates(const struct spans *s, int *n)
{
    size_t all = 0;
    for (int i = 0; i < s->n_tracks; i++)
        all += (size_t)s->work->states[i]->n_windows;
    struct candidate *c = malloc((all + 1) * sizeof *c);
    *n = 0;
    for (int i = 0; c && i < s->n_tracks; i++)
        for (int k = 0; k < s->work->states[i]->n_windows; k++) {
            const struct window *w = &s->work->states[i]->windows[k];
            c[(*n)++] = (struct candidate){w->end_ns - w->begin_ns, i, k};
        }
    return c;
}

static void show(struct spans *s, const struct candidate *c)
{
    s->work->states[c->track]->windows[c->window].shown = true;
}

/* One of each of so many equal stretches. */
static void show_random(struct spans *s, const struct candidate *c, int n, int wanted, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    for (int i = 0; i < wanted; i++) {
        int64_t from = (int64_t)n * i / wanted, to = (int64_t)n * (i + 1) / wanted;
        if (to > from)
            show(s, &c[from + (int64_t)rng_below(&rng, (uint64_t)(to - from))]);
    }
}

static void describe(struct spans *s, int slowest, int random, int n)
{
    buf_format(&s->left_out,
               "Of %d windows of %d passages the %d that took longest and %d drawn at random are shown, one from each of %d "
               "equal stretches of the "
               "others; sums are of all passages. ",
               n, s->work->per_window, slowest, random, random);
}

void spans_choose(struct spans *s, uint64_t seed)
{
    s->work->all = s->work->most < 0 || s->passages <= (uint64_t)s->work->most;
    if (s->work->all)
        return;
    int n;
    struct candidate *c = candidates(s, &n);
    if (!c) {
        s->work->status = TARE_NO_MEMORY;
        return;
    }
    int64_t wanted = s->work->most / s->work->per_window;
    int shown = wanted < 2 ? 2 : wanted > n ? n : (int)wanted, slowest = (shown + 1) / 2, rest = n - slowest;
    int random = shown - slowest < rest ? shown - slowest : rest;
    qsort(c, (size_t)n, sizeof *c, by_time);
    for (int i = 0; i < slowest && i < n; i++)
        show(s, &c[i]);
    if (rest > 0) {
        qsort(c + slowest, (size_t)rest, sizeof *c, by_place);
        show_random(s, c + slowest, rest, random, seed);
    }
    describe(s, slowest < n ? slowest : n, random > 0 ? random : 0, n);
    free(c);
}

/* ---- while events go by ---- */

static void open_window(struct spans *s, struct track_state *t, int64_t begin_ns)
{
    void *grown = span_grown(t->windows, t->n_windows, &t->room_windows, sizeof *t->windows);
    if (!grown) {
        s->work->status = TARE_NO_MEMORY;
        return;
    }
    t->windows = grown;
    t->windows[t->n_windows++] = (struct window){.begin_ns = begin_ns, .end_ns = begin_ns};
}

static bool window_shown(const struct spans *s, const struct track_state *t, int window)
{
    return s->work->all || (window >= 0 && window < t->n_windows && t->windows[window].shown);
}

bool spans_shown(const struct spans *s, const struct track_state *t)
{
    return window_shown(s, t, t->in_window ? t->window : t->window + 1);
}

static void end_left_out(struct spans *s, int track, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    if (t->left)
        spans_add(s, &(struct span){.begin_ns = t->left_from,
                                    .end_ns = end_ns,
                                    .track = track,
                                    .left_out = t->left,
                                    .frame = spans_frame(s, FRAME_LEFT_OUT, -1, -1),
                                    .level = -1});
    t->left = 0;
}

void spans_enter_window(struct spans *s, int track, int64_t begin_ns)
{
    struct track_state *t = s->work->states[track];
    if (!s->work->second && !t->in_window)
        open_window(s, t, begin_ns);
    if (s->work->second && !t->in_window) {
        t->window++;
        if (window_shown(s, t, t->window) && !t->stretch) {
            end_left_out(s, track, begin_ns);
            t->stretch = true;
            t->shown_from = begin_ns;
        }
    }
    if (s->work->second && !t->stretch && !t->left++)
        t->left_from = begin_ns;
    t->in_window++;
}

void spans_close_stretch(struct spans *s, int track, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    end_left_out(s, track, end_ns);
    for (int i = 0; t->stretch && i < t->n_scopes; i++)
        spans_add(s, &(struct span){.begin_ns = t->scopes[i].begin_ns > t->shown_from ? t->scopes[i].begin_ns : t->shown_from,
                                    .end_ns = end_ns,
                                    .frame = t->scopes[i].frame,
                                    .track = track,
                                    .level = spans_scope_level(t, i)});
    t->stretch = false;
}

void spans_leave_window(struct spans *s, int track, int64_t end_ns)
{
    struct track_state *t = s->work->states[track];
    if (!s->work->second && t->n_windows)
        t->windows[t->n_windows - 1].end_ns = end_ns;
    if (t->in_window < s->work->per_window)
        return;
    t->in_window = 0;
    if (s->work->second && t->stretch && !window_shown(s, t, t->window + 1))
        spans_close_stretch(s, track, end_ns);
}
