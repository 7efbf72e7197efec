/* SPDX-License-Identifier: MIT */
#include "regression_guard.h"
#include "plat.h"

static const int64_t measure_ns = 300000000, settle_ns = 200000000;
static const double level = 0.001; /* of a false alarm in one comparison; there are some ten */

static bool write_pid(const struct look *l, const char *path, int pid)
{
    char room[24];
    struct buf text = buf_over(room, sizeof room);
    struct tare_err err;
    int error;
    buf_format(&text, "%d", pid);
    return path && root_exists(l->root, path) && !root_write(l->root, path, room, &error, &err);
}

bool system_enter(const struct look *l, int pid)
{
    return write_pid(l, l->bench_tasks, pid);
}

static enum tare_status measure_here(struct regression_guard *w, struct jitter *out)
{
    struct tare_err err;
    if (w->known)
        plat_sleep_ns(settle_ns);
    int cpus[NEVER_WORSE_CPUS], n = 0;
    for (int cpu = cpu_list_next(&w->look->bench, 0); cpu >= 0 && n < NEVER_WORSE_CPUS;
         cpu = cpu_list_next(&w->look->bench, cpu + 1))
        cpus[n++] = cpu;
    struct jitter_options o = {.cpus = cpus, .n_cpus = n, .duration_ns = measure_ns};
    bool entered = system_enter(w->look, plat_pid());
    enum tare_status status = jitter_measure(out, &o, w->arena, &err);
    if (entered) {
        /* It goes to where the others are. */
        const char *others = NULL;
        for (int i = 0; i < w->look->n_settings; i++) {
            const struct setting *s = &w->look->settings[i];
            if (s->kind == SETTING_TASKS)
                others = s->wanted ? s->path : s->from; /* all were moved there, or all stayed where they were */
        }
        write_pid(w->look, others, plat_pid());
    }
    return status;
}

static enum tare_status measure_jitter(struct regression_guard *w, struct jitter *out)
{
    return w->measure ? w->measure(w, out) : measure_here(w, out);
}

static bool grown(const struct jitter_change *c, enum jitter_question q)
{
    static const double least = 2; /* less comes and goes with what others do on a machine that is used */
    return c->grown[q] && c->after[q] >= least * c->before[q];
}

/* What makes it worse, JITTER_QUESTIONS: nothing. Who shares its CPU has few gaps, and long ones: with the CPU for itself more of them are seen, and far less is lost. */
static enum jitter_question worst(const struct jitter_change *c)
{
    if (c->by_others)
        return JITTER_QUESTIONS;
    if (grown(c, JITTER_GAPS) && c->after[JITTER_LOST] >= c->before[JITTER_LOST])
        return JITTER_GAPS;
    return grown(c, JITTER_LOST) ? JITTER_LOST : grown(c, JITTER_FREQUENCY) ? JITTER_FREQUENCY : JITTER_QUESTIONS;
}

static void put_figure(struct buf *why, double value)
{
    buf_format(why, value < 100 ? "%.3g" : "%.0f", value);
}

static void put_change(struct buf *why, const struct jitter_change *c, enum jitter_question q)
{
    static const struct {
        double factor;
        const char *unit;
    } shown[JITTER_QUESTIONS] = {
        [JITTER_GAPS] = {1, " a second"}, [JITTER_LOST] = {100, " % of the time"}, [JITTER_FREQUENCY] = {100, " % of spread"}};
    buf_format(why, "%s rose from ", jitter_question_text(q));
    put_figure(why, c->before[q] * shown[q].factor);
    buf_str(why, " to ");
    put_figure(why, c->after[q] * shown[q].factor);
    buf_str(why, shown[q].unit);
}

bool regression_guard(void *context, const char *group, struct buf *why)
{
    enum { LOOKS = 3 };
    struct regression_guard *w = context;
    struct jitter now;
    struct jitter_change change;
    struct tare_err err;
    if (!group) {
        w->known = !measure_jitter(w, &w->before);
        return false;
    }
    for (int i = 0; i < LOOKS && w->known; i++) {
        if (measure_jitter(w, &now) || jitter_worse(&w->before, &now, level, &change, &err))
            return false;
        if (worst(&change) == JITTER_QUESTIONS) {
            w->before = now;
            return false;
        }
    }
    if (w->known)
        put_change(why, &change, worst(&change));
    return w->known;
}
