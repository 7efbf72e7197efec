/* SPDX-License-Identifier: MIT */
#include "jitter.h"
#include "buf.h"
#include "clocks.h"
#include "cpu.h"
#include "noise_thread.h"
#include "plat.h"
#include "plat_clock.h"
#include "whole.h"
#include <math.h>
#include <string.h>
#include <tare/clock.h>

const int64_t jitter_class_ns[JITTER_CLASSES] = {1000,     2000,      5000,      10000,     20000,     50000,    100000,
                                                 200000,   500000,    1000000,   2000000,   5000000,   10000000, 20000000,
                                                 50000000, 100000000, 200000000, 500000000, 1000000000};

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

/* False: a signal or a page on disk made the probe, which never sleeps by itself, wait; the stretch says nothing about the CPU. */
static bool measure_stretch(struct probe *p, struct jitter_stretch *out)
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
    return !(d.voluntary > 0);
}

/* What interrupted a CPU:
 *            CPU0       CPU2                                     columns: CPUs that are online
 *  24:       1234          0  PCI-MSI 49152-edge  virtio0-req.0  a line that has a number is a device's
 * LOC:      99999      88888  Local timer interrupts             one that has letters is the kernel's own
 * ERR:          0                                                and some are of no CPU
 */
enum { TEXT_MAX = 64 << 20, LINES_MAX = 65536 };

static const int64_t count_most = 1000000000000000; /* of one line: all of them together stay within a whole number */

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/* How many columns there are, and which is this CPU's: -1, none. */
static int columns(const char *p, const char *end, int cpu, int *ours)
{
    int n = 0;
    *ours = -1;
    for (p = skip_blanks(p, end); end - p > 3 && !memcmp(p, "CPU", 3); p = skip_blanks(p, end), n++) {
        int64_t number;
        p += 3;
        if (!whole_take(&p, end, 10, &number))
            break;
        if (number == cpu)
            *ours = n;
    }
    return n;
}

/* A device is named by the line's last word, what stands before it says how it is wired. */
static const char *name_of(const char *id, const char *p, const char *end, struct arena *a)
{
    p = skip_blanks(p, end);
    while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    if (*id >= '0' && *id <= '9')
        for (const char *last = end; last > p; last--)
            if (last[-1] == ' ') {
                p = last;
                break;
            }
    return arena_copy(a, p, (size_t)(end - p));
}

/* False: the line has no count for the column; name NULL: no memory. */
static bool line(struct jitter_interrupt *out, const char *p, const char *end, int n_columns, int ours, struct arena *a)
{
    p = skip_blanks(p, end);
    const char *colon = p < end ? memchr(p, ':', (size_t)(end - p)) : NULL;
    if (!colon || colon == p)
        return false;
    const char *id = p;
    p = colon + 1;
    int64_t count, mine = -1;
    for (int i = 0; i < n_columns; i++) {
        p = skip_blanks(p, end);
        if (!whole_take(&p, end, 10, &count) || count > count_most)
            return false;
        mine = i == ours ? count : mine;
    }
    out->count = mine;
    out->id = arena_copy(a, id, (size_t)(colon - id));
    out->name = out->id ? name_of(id, p, end, a) : NULL;
    return true;
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; (text = strchr(text, '\n')) && n < LINES_MAX; text++)
        n++;
    return n + 1;
}

enum tare_status interrupts_parse(struct interrupt_counts *out, const char *text, int cpu, struct arena *a)
{
    *out = (struct interrupt_counts){0};
    const char *end = text + strcspn(text, "\n");
    int ours, n_columns = columns(text, end, cpu, &ours), room = count_lines(text);
    if (ours < 0)
        return TARE_OK;
    out->items = arena_array(a, (size_t)room, sizeof *out->items);
    if (!out->items)
        return TARE_NO_MEMORY;
    out->known = true;
    while (*end && out->n < room) {
        const char *begin = end + 1;
        end = begin + strcspn(begin, "\n");
        if (!line(&out->items[out->n], begin, end, n_columns, ours, a))
            continue;
        if (!out->items[out->n].name)
            return TARE_NO_MEMORY;
        out->n++;
    }
    return TARE_OK;
}

static enum tare_status interrupts_read(struct interrupt_counts *out, int cpu, struct arena *a)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    *out = (struct interrupt_counts){0};
    enum tare_status status = TARE_OK;
    if (cpu >= 0 && plat_file_read("/proc/interrupts", &text, NULL) == TARE_OK)
        status = interrupts_parse(out, buf_text(&text), cpu, a);
    buf_finish(&text);
    return status;
}

static const struct jitter_interrupt *find_interrupt(const struct interrupt_counts *in, const char *id)
{
    for (int i = 0; i < in->n; i++)
        if (!strcmp(in->items[i].id, id))
            return &in->items[i];
    return NULL;
}

static void show_interrupt(struct jitter_cpu *out, const struct jitter_interrupt *came)
{
    int at = out->n_interrupts;
    while (at > 0 && out->top[at - 1].count < came->count)
        at--;
    if (at >= JITTER_INTERRUPTS_SHOWN)
        return;
    int last = out->n_interrupts < JITTER_INTERRUPTS_SHOWN ? out->n_interrupts++ : JITTER_INTERRUPTS_SHOWN - 1;
    memmove(&out->top[at + 1], &out->top[at], (size_t)(last - at) * sizeof *came);
    out->top[at] = *came;
}

/* Those that came between two readings, into *out: how many in all, the most frequent by name, the timer's. */
static void interrupts_between(struct jitter_cpu *out, const struct interrupt_counts *from, const struct interrupt_counts *to)
{
    out->interrupts = -1;
    out->ticks_per_second = NAN;
    if (!from->known || !to->known)
        return;
    int64_t timer = -1;
    out->interrupts = 0;
    for (int i = 0; i < to->n; i++) {
        const struct jitter_interrupt *before = find_interrupt(from, to->items[i].id);
        struct jitter_interrupt came = to->items[i];
        came.count -= before ? before->count : 0;
        if (!strcmp(came.id, "LOC") || !strcmp(came.name, "arch_timer"))
            timer = came.count;
        if (came.count <= 0) /* a counter of 32 bits may have begun anew */
            continue;
        out->interrupts += came.count;
        show_interrupt(out, &came);
    }
    if (timer >= 0 && out->window_seconds > 0)
        out->ticks_per_second = (double)timer / out->window_seconds;
}

/* "cpu1 user nice system idle iowait irq softirq steal ...": the eighth number. */
int64_t steal_parse(const char *text, int cpu)
{
    enum { STEAL = 8 };
    char key[32];
    struct buf b = buf_over(key, sizeof key);
    buf_format(&b, "\ncpu%d ", cpu);
    const char *p = strstr(text, key);
    if (!p)
        return -1;
    p += b.len;
    const char *end = p + strcspn(p, "\n");
    int64_t value = -1;
    for (int i = 0; i < STEAL; i++) {
        p = skip_blanks(p, end);
        if (!whole_take(&p, end, 10, &value))
            return -1;
    }
    return value;
}

struct accounts {
    struct interrupt_counts interrupts;
    int64_t steal, at_ns;
};

static enum tare_status read_accounts(struct accounts *out, int cpu, struct arena *a)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    int64_t ticks = -1;
    if (cpu >= 0 && plat_file_read("/proc/stat", &text, NULL) == TARE_OK)
        ticks = steal_parse(buf_text(&text), cpu);
    buf_finish(&text);
    out->steal = ticks;
    enum tare_status status = interrupts_read(&out->interrupts, cpu, a);
    out->at_ns = plat_now_ns();
    return status;
}

static enum tare_status make_stretches(struct probe *p, struct jitter_cpu *out, int n, int before, const struct jitter_options *o,
                                       struct tare_err *err)
{
    struct jitter_stretch warm_up;
    int again = 0; /* at most as many as there are to be */
    measure_stretch(p, &warm_up);
    while (out->n < n) {
        if (plat_signal())
            return err_set(err, TARE_INTERRUPTED, "interrupted while gaps were counted");
        const bool good = measure_stretch(p, &out->stretches[out->n]);
        out->n += good || ++again > n;
        if (o->progress)
            o->progress(o->context, out->cpu, (before + (double)out->n / n) / o->n_cpus);
    }
    return TARE_OK;
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
        return err_no_memory(err);
    enum tare_status status = make_stretches(p, out, n, before, o, err);
    if (read_accounts(&to, out->cpu, a))
        return err_no_memory(err);
    out->window_seconds = (double)(to.at_ns - from.at_ns) / 1e9;
    interrupts_between(out, &from.interrupts, &to.interrupts);
    bool known = from.steal >= 0 && to.steal >= from.steal;
    out->steal_seconds = known ? (double)(to.steal - from.steal) / 100 : NAN;
    return status;
}

enum tare_status jitter_measure(struct jitter *out, const struct jitter_options *o, struct arena *a, struct tare_err *err)
{
    const int64_t look_ns = 5000000;
    struct cpu_watch watch = {0};
    struct plat_cpus mine;
    *out = (struct jitter){.cpus = arena_array(a, (size_t)o->n_cpus, sizeof *out->cpus)};
    if (!out->cpus)
        return err_no_memory(err);
    plat_thread_cpus(&mine);
    cpu_watch_begin(&watch, 0, look_ns);
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
    out->users_known = cpu_watch_end(&watch, &out->users, NULL) == TARE_OK;
    cpu_watch_finish(&watch);
    plat_thread_restore(&mine);
    return status;
}
