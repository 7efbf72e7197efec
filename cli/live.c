/* SPDX-License-Identifier: MIT */
#include "live.h"
#include "plat.h"
#include <math.h>

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

void live_progress(struct live *l, const struct record *r, const struct plan *p, int group, int groups, const char *of)
{
    if (!l->options->live)
        return;
    int64_t now_ns = plat_now_ns();
    if (l->shown && now_ns - l->drawn_ns < between_ns)
        return;
    int64_t left_ns = plan_time_left_ns(p);
    const struct render_progress progress = {.phase = p->last == STEP_WARMUP ? "warm-up" : NULL,
                                             .group = group,
                                             .groups = groups,
                                             .of = of,
                                             .rounds = p->rounds,
                                             .rounds_planned = plan_rounds_planned(p),
                                             .elapsed_s = (double)(now_ns - l->begun_ns) / 1e9,
                                             .left_s = left_ns < 0 || !plan_end_known(p) ? NAN : (double)left_ns / 1e9};
    buf_clear(&l->line);
    render_live(r, &progress, l->options, &l->line);
    send_text(l);
    l->shown = true;
    l->drawn_ns = now_ns;
}

static void show_phase(struct live *l, const struct record *r, const struct render_progress *progress)
{
    buf_clear(&l->line);
    render_live(r, progress, l->options, &l->line);
    send_text(l);
    l->shown = l->line.len > 0;
}

void live_phase(struct live *l, const struct record *r, const char *phase)
{
    double elapsed_s = (double)(plat_now_ns() - l->begun_ns) / 1e9;
    show_phase(l, r, &(struct render_progress){.phase = phase, .groups = 1, .elapsed_s = elapsed_s, .left_s = NAN});
}

void live_wait(struct live *l, const struct record *r, const char *phase, double left_s)
{
    show_phase(l, r, &(struct render_progress){.phase = phase, .groups = 1, .elapsed_s = NAN, .left_s = left_s});
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
