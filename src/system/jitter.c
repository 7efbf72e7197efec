/* SPDX-License-Identifier: MIT */
#include "jitter.h"
#include "clocks.h"
#include "cpu.h"
#include "jitter_interrupts.h"
#include "noise_thread.h"
#include "plat.h"
#include "plat_clock.h"
#include <math.h>
#include <tare/clock.h>

const int64_t jitter_class_ns[JITTER_CLASSES] = {1000,     2000,      5000,      10000,     20000,     50000,    100000,
                                                 200000,   500000,    1000000,   2000000,   5000000,   10000000, 20000000,
                                                 50000000, 100000000, 200000000, 500000000, 1000000000};

/* ---- the loop ---- */

struct spin {
    uint64_t least, ticks; /* a step this long is a gap; so long it lasts */
    uint64_t begin, end, last;
    uint64_t class_ticks[JITTER_CLASSES];
    int64_t gaps[JITTER_CLASSES];
    uint64_t lost, largest; /* ticks */
    bool backwards;
};

/* Comes after a gap, when nothing is in a hurry: what it takes itself, some 20 ns, is in the next step and no gap of its own. */
static __attribute__((noinline)) void note(struct spin *s, uint64_t gap)
{
    if ((int64_t)gap < 0) {
        s->backwards = true;
        s->end = 0;
        return;
    }
    int size = 0;
    while (size + 1 < JITTER_CLASSES && gap >= s->class_ticks[size + 1])
        size++;
    s->gaps[size]++;
    s->lost += gap;
    s->largest = gap > s->largest ? gap : s->largest;
}

/* Sacred: the loop holds nothing but the reading and what must be asked of it: was that a gap, and is it over. Anything else would be counted as jitter, or hide some. */
static inline __attribute__((always_inline)) void spin_by(struct spin *s, struct tare_ticks (*read)(void))
{
    uint64_t last = read().count;
    s->begin = last;
    s->end = last + s->ticks;
    while (last < s->end) {
        uint64_t now = read().count;
        if (now - last >= s->least)
            note(s, now - last);
        last = now;
    }
    s->last = last;
}

static void spin(struct spin *s, bool in_line)
{
#if TARE_TICKS_INLINE
    if (in_line) {
        spin_by(s, tare_ticks_begin);
        return;
    }
#else
    (void)in_line;
#endif
    spin_by(s, tare_ticks_by_call);
}

/* ---- one stretch ---- */

struct probe {
    const struct clock_state *clock;
    bool in_line;
    uint64_t class_ticks[JITTER_CLASSES], stretch_ticks;
    int first_class; /* that a few readings in a row do not fill */
    struct noise_thread thread;
};

/* A clock that the kernel reads for us may take a microsecond itself. */
static int first_class(const struct probe *p)
{
    enum { READINGS = 101, ROOM = 4 };
    int64_t steps[READINGS];
    uint64_t last = tare_ticks_by_call().count;
    for (int i = 0; i < READINGS; i++) {
        uint64_t now = tare_ticks_by_call().count;
        steps[i] = (int64_t)(now - last);
        last = now;
    }
    double most = ROOM * clock_spread_of(steps, READINGS).median;
    int first = 0;
    while (first + 1 < JITTER_CLASSES && (double)p->class_ticks[first] < most)
        first++;
    return first;
}

static struct probe probe_begin(void)
{
    struct probe p = {.clock = clock_state()};
    p.in_line = p.clock->counter.trusted && cpu_ticks_way();
    for (int i = 0; i < JITTER_CLASSES; i++)
        p.class_ticks[i] = (uint64_t)((double)jitter_class_ns[i] * p.clock->hz / 1e9);
    p.stretch_ticks = (uint64_t)(JITTER_STRETCH_NS * p.clock->hz / 1e9);
    p.first_class = first_class(&p);
    noise_thread_open(&p.thread, NULL); /* a signal that is absent is NaN in each stretch */
    return p;
}

static double to_ns(const struct probe *p, uint64_t ticks)
{
    return (double)clock_ticks_ns(&p->clock->scale, (int64_t)ticks);
}

static void measure_stretch(struct probe *p, struct jitter_stretch *out)
{
    struct spin s = {.least = p->class_ticks[p->first_class] > 0 ? p->class_ticks[p->first_class] : 1, .ticks = p->stretch_ticks};
    for (int i = 0; i < JITTER_CLASSES; i++)
        s.class_ticks[i] = p->class_ticks[i];
    out->start_ns = plat_now_ns();
    noise_thread_begin(&p->thread);
    spin(&s, p->in_line);
    out->least_ns = (double)jitter_class_ns[p->first_class];
    out->wall_ns = s.backwards ? 0 : to_ns(p, s.last - s.begin);
    struct noise_delta d = noise_thread_end(&p->thread, out->wall_ns);
    out->lost_ns = to_ns(p, s.lost);
    out->largest_ns = to_ns(p, s.largest);
    for (int i = 0; i < JITTER_CLASSES; i++)
        out->gaps[i] = s.gaps[i];
    out->cpu_ns = d.cpu_ns;
    out->delay_ns = d.delay_ns;
    out->throttled_ns = d.throttled_ns;
    out->involuntary = d.involuntary;
    out->backwards = s.backwards;
    if (clock_core_hz(&out->core_hz, NULL))
        out->core_hz = NAN;
}

/* ---- one CPU ---- */

struct accounts {
    struct interrupt_counts interrupts;
    int64_t steal, at_ns;
};

static enum tare_status read_accounts(struct accounts *out, int cpu, struct arena *a)
{
    out->steal = steal_read(cpu);
    enum tare_status status = interrupts_read(&out->interrupts, cpu, a);
    out->at_ns = plat_now_ns();
    return status;
}

static void between_accounts(struct jitter_cpu *out, const struct accounts *from, const struct accounts *to)
{
    out->window_seconds = (double)(to->at_ns - from->at_ns) / 1e9;
    interrupts_between(out, &from->interrupts, &to->interrupts);
    bool known = from->steal >= 0 && to->steal >= from->steal;
    out->steal_seconds = known ? (double)(to->steal - from->steal) / 100 : NAN;
}

static enum tare_status interrupted(struct tare_err *err)
{
    return err_set(err, TARE_INTERRUPTED, "interrupted while gaps were counted");
}

static enum tare_status make_stretches(struct probe *p, struct jitter_cpu *out, int n, int before, const struct jitter_options *o,
                                       struct tare_err *err)
{
    struct jitter_stretch warm_up;
    measure_stretch(p, &warm_up);
    while (out->n < n) {
        if (plat_signal())
            return interrupted(err);
        measure_stretch(p, &out->stretches[out->n++]);
        if (o->progress)
            o->progress(o->context, out->cpu, (before + (double)out->n / n) / o->n_cpus);
    }
    return TARE_OK;
}

static enum tare_status no_memory(struct tare_err *err)
{
    return err_set(err, TARE_NO_MEMORY, "no memory for the gaps");
}

static int stretches_of(const struct jitter_options *o)
{
    int64_t n = o->duration_ns / JITTER_STRETCH_NS;
    return n < 2 ? 2 : n > 1000000 ? 1000000 : (int)n;
}

static enum tare_status measure_cpu(struct probe *p, struct jitter_cpu *out, int before, const struct jitter_options *o,
                                    struct arena *a, struct tare_err *err)
{
    int n = stretches_of(o);
    struct accounts from, to;
    out->stretches = arena_array(a, (size_t)n, sizeof *out->stretches);
    if (!out->stretches || read_accounts(&from, out->cpu, a))
        return no_memory(err);
    enum tare_status status = make_stretches(p, out, n, before, o, err);
    if (read_accounts(&to, out->cpu, a))
        return no_memory(err);
    between_accounts(out, &from, &to);
    return status;
}

static enum tare_status measure_each(struct jitter *out, const struct jitter_options *o, struct arena *a, struct tare_err *err)
{
    struct probe p = probe_begin();
    enum tare_status status = TARE_OK;
    for (int i = 0; i < o->n_cpus && !status; i++) {
        struct jitter_cpu *cpu = &out->cpus[i];
        *cpu = (struct jitter_cpu){.cpu = o->cpus[i], .interrupts = -1, .ticks_per_second = NAN, .steal_seconds = NAN};
        if (cpu->cpu >= 0)
            status = plat_thread_pin(cpu->cpu, err);
        if (status)
            break;
        out->n_cpus = i + 1;
        status = measure_cpu(&p, cpu, i, o, a, err);
    }
    noise_thread_close(&p.thread);
    return status;
}

enum tare_status jitter_measure(struct jitter *out, const struct jitter_options *o, struct arena *a, struct tare_err *err)
{
    const int64_t look_ns = 5000000;
    struct cpu_watch watch = {0};
    struct plat_cpus mine;
    *out = (struct jitter){.cpus = arena_array(a, (size_t)o->n_cpus, sizeof *out->cpus)};
    if (!out->cpus)
        return no_memory(err);
    plat_thread_cpus(&mine);
    cpu_watch_begin(&watch, 0, look_ns);
    enum tare_status status = measure_each(out, o, a, err);
    out->users_known = cpu_watch_end(&watch, &out->users, NULL) == TARE_OK;
    cpu_watch_finish(&watch);
    plat_thread_restore(&mine);
    return status;
}
