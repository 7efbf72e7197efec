/* SPDX-License-Identifier: MIT */
#include "live.h"
#include "plat.h"
#include <math.h>
#include <string.h>

static const int64_t between_ns = 100000000;

void live_begin(struct live *l, const struct render_options *options, struct sink talk)
{
    *l = (struct live){.options = options, .talk = talk, .begun_ns = plat_now_ns(), .line = BUF_INIT(1 << 12)};
}

static void send_text(struct live *l)
{
    if (l->line.len)
        l->talk.write(l->talk.context, l->line.data, l->line.len, NULL);
}

static void show_live(struct live *l, const struct record *r, const struct render_progress *progress)
{
    buf_clear(&l->line);
    render_live(r, progress, l->options, &l->line);
    send_text(l);
    l->shown = l->line.len > 0;
    l->drawn_ns = plat_now_ns();
}

/* Until rounds can be projected, and where only time ends the session, the time is what is known. */
static struct render_progress progress_of(const struct plan *p, int group, int groups, const char *of, double elapsed_s)
{
    const int planned = plan_rounds_planned(p);
    const int64_t left_ns = plan_time_left_ns(p), limit_ns = p->options.budget_ns - p->issued_ns;
    const bool projected = plan_end_known(p) && planned > 0, limited = !projected && p->options.budget_ns > 0 && limit_ns > 0;
    const double share = projected ? (double)p->rounds / planned
                         : limited ? (double)p->issued_ns / (double)p->options.budget_ns
                                   : NAN;
    return (struct render_progress){.phase = p->last == STEP_WARMUP ? "warm-up" : NULL,
                                    .group = group,
                                    .groups = groups,
                                    .of = of,
                                    .rounds = p->rounds,
                                    .rounds_planned = projected ? planned : 0,
                                    .share = groups > 1 ? (group + share) / groups : share,
                                    .elapsed_s = elapsed_s,
                                    .left_s = projected && left_ns >= 0 ? (double)left_ns / 1e9
                                              : limited                 ? (double)limit_ns / 1e9
                                                                        : NAN,
                                    .at_most = limited};
}

void live_progress(struct live *l, const struct record *r, const struct plan *p, int group, int groups, const char *of)
{
    if (!l->options->live)
        return;
    int64_t now_ns = plat_now_ns();
    if (l->shown && now_ns - l->drawn_ns < between_ns)
        return;
    const struct render_progress progress = progress_of(p, group, groups, of, (double)(now_ns - l->begun_ns) / 1e9);
    show_live(l, r, &progress);
}

static double elapsed_s(const struct live *l)
{
    return (double)(plat_now_ns() - l->begun_ns) / 1e9;
}

void live_phase(struct live *l, const struct record *r, const char *phase, double share)
{
    show_live(l, r,
              &(struct render_progress){.phase = phase, .share = share, .groups = 1, .elapsed_s = elapsed_s(l), .left_s = NAN});
}

void live_wait(struct live *l, const struct record *r, const char *phase, double left_s)
{
    if (strncmp(l->waits_for, phase, sizeof l->waits_for - 1)) { /* each wait has a bar of its own */
        l->begun_ns = plat_now_ns();
        struct buf copy = buf_over(l->waits_for, sizeof l->waits_for);
        buf_format(&copy, "%.*s", (int)sizeof l->waits_for - 1, phase);
    }
    const double over_s = elapsed_s(l), share = over_s / (over_s + left_s);
    show_live(l, r,
              &(struct render_progress){.phase = phase, .share = share, .groups = 1, .elapsed_s = over_s, .left_s = left_s});
}

void live_clear(struct live *l)
{
    if (!l->shown)
        return;
    buf_clear(&l->line);
    render_live_clear(l->options, &l->line);
    send_text(l);
    l->shown = false;
}

void live_end(struct live *l)
{
    live_clear(l);
    buf_finish(&l->line);
}
