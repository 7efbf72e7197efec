/* SPDX-License-Identifier: MIT
 *
 *            CPU0       CPU2                                     columns: CPUs that are online
 *  24:       1234          0  PCI-MSI 49152-edge  virtio0-req.0  a line that has a number is a device's
 * LOC:      99999      88888  Local timer interrupts             one that has letters is the kernel's own
 * ERR:          0                                                and some are of no CPU
 */
#include "jitter_interrupts.h"
#include "buf.h"
#include "plat.h"
#include "whole.h"
#include <string.h>

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

enum tare_status interrupts_read(struct interrupt_counts *out, int cpu, struct arena *a)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    *out = (struct interrupt_counts){0};
    enum tare_status status = TARE_OK;
    if (cpu >= 0 && plat_file_read("/proc/interrupts", &text, NULL) == TARE_OK)
        status = interrupts_parse(out, buf_text(&text), cpu, a);
    buf_finish(&text);
    return status;
}

static const struct jitter_interrupt *find(const struct interrupt_counts *in, const char *id)
{
    for (int i = 0; i < in->n; i++)
        if (!strcmp(in->items[i].id, id))
            return &in->items[i];
    return NULL;
}

static void show(struct jitter_cpu *out, const struct jitter_interrupt *came)
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

static bool is_timer(const struct jitter_interrupt *i)
{
    return !strcmp(i->id, "LOC") || !strcmp(i->name, "arch_timer");
}

void interrupts_between(struct jitter_cpu *out, const struct interrupt_counts *from, const struct interrupt_counts *to)
{
    out->interrupts = -1;
    out->ticks_per_second = NAN;
    if (!from->known || !to->known)
        return;
    int64_t timer = -1;
    out->interrupts = 0;
    for (int i = 0; i < to->n; i++) {
        const struct jitter_interrupt *before = find(from, to->items[i].id);
        struct jitter_interrupt came = to->items[i];
        came.count -= before ? before->count : 0;
        if (is_timer(&came))
            timer = came.count;
        if (came.count <= 0) /* a counter of 32 bits may have begun anew */
            continue;
        out->interrupts += came.count;
        show(out, &came);
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

int64_t steal_read(int cpu)
{
    struct buf text = BUF_INIT(TEXT_MAX);
    int64_t ticks = -1;
    if (cpu >= 0 && plat_file_read("/proc/stat", &text, NULL) == TARE_OK)
        ticks = steal_parse(buf_text(&text), cpu);
    buf_finish(&text);
    return ticks;
}
