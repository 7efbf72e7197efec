/* SPDX-License-Identifier: MIT */
#include "cpu_list.h"
#include "whole.h"
#include <string.h>

bool cpu_list_has(const struct cpu_list *list, int cpu)
{
    return cpu >= 0 && cpu < CPU_LIST_MAX && (list->words[cpu / 64] >> (cpu % 64) & 1);
}

void cpu_list_add(struct cpu_list *list, int cpu)
{
    if (cpu >= 0 && cpu < CPU_LIST_MAX)
        list->words[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

void cpu_list_remove(struct cpu_list *list, const struct cpu_list *others)
{
    for (int i = 0; i < CPU_LIST_MAX / 64; i++)
        list->words[i] &= ~others->words[i];
}

void cpu_list_keep(struct cpu_list *list, const struct cpu_list *others)
{
    for (int i = 0; i < CPU_LIST_MAX / 64; i++)
        list->words[i] &= others->words[i];
}

int cpu_list_count(const struct cpu_list *list)
{
    int n = 0;
    for (int i = 0; i < CPU_LIST_MAX / 64; i++)
        for (uint64_t w = list->words[i]; w; w &= w - 1)
            n++;
    return n;
}

int cpu_list_next(const struct cpu_list *list, int from)
{
    for (int cpu = from < 0 ? 0 : from; cpu < CPU_LIST_MAX;) {
        uint64_t rest = list->words[cpu / 64] >> (cpu % 64);
        if (rest & 1)
            return cpu;
        cpu = rest ? cpu + 1 : (cpu / 64 + 1) * 64;
    }
    return -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(const char **p)
{
    while (is_blank(**p))
        ++*p;
}

/* CPU_LIST_MAX stands for all above it, also for what no integer holds. */
static bool read_number(const char **p, int *out)
{
    int64_t value = CPU_LIST_MAX;
    size_t digits = strspn(*p, "0123456789");
    if (!digits)
        return false;
    if (!whole_take(p, *p + digits, 10, &value))
        *p += digits;
    *out = value < CPU_LIST_MAX ? (int)value : CPU_LIST_MAX;
    return true;
}

struct range {
    int first, last, used, group;
};

/* "3", "0-7" or "0-31:2/8" */
static bool read_range(const char **p, struct range *r)
{
    if (!read_number(p, &r->first))
        return false;
    *r = (struct range){r->first, r->first, 1, 1};
    if (**p != '-')
        return true;
    ++*p;
    if (!read_number(p, &r->last))
        return false;
    if (**p != ':')
        return r->last >= r->first;
    ++*p;
    if (!read_number(p, &r->used) || **p != '/')
        return false;
    ++*p;
    return read_number(p, &r->group) && r->last >= r->first && r->used > 0 && r->used <= r->group;
}

static enum tare_status parse(struct cpu_list *out, const char *p)
{
    skip_blanks(&p);
    while (*p) {
        struct range r;
        if (!read_range(&p, &r))
            return TARE_FORMAT;
        if (r.first >= CPU_LIST_MAX || r.last >= CPU_LIST_MAX)
            return TARE_TOO_LARGE;
        for (int cpu = r.first; cpu <= r.last; cpu++)
            if ((cpu - r.first) % r.group < r.used)
                cpu_list_add(out, cpu);
        skip_blanks(&p);
        if (!*p)
            break;
        if (*p++ != ',')
            return TARE_FORMAT;
        skip_blanks(&p);
        if (!*p)
            return TARE_FORMAT;
    }
    return TARE_OK;
}

enum tare_status cpu_list_parse(struct cpu_list *out, const char *text)
{
    *out = (struct cpu_list){{0}};
    enum tare_status status = parse(out, text);
    if (status)
        *out = (struct cpu_list){{0}};
    return status;
}

void cpu_list_write(struct buf *out, const struct cpu_list *list)
{
    const char *between = "";
    for (int first = cpu_list_next(list, 0); first >= 0;) {
        int last = first;
        while (cpu_list_has(list, last + 1))
            last++;
        buf_format(out, last > first ? "%s%d-%d" : "%s%d", between, first, last);
        between = ",";
        first = cpu_list_next(list, last + 1);
    }
}

enum { GROUP_BITS = 32, GROUP_DIGITS = 8, GROUPS_MAX = CPU_LIST_MAX / GROUP_BITS };

/* Groups above what a list holds are read too, as long as they are empty. */
enum { GROUPS_READ = 4 * GROUPS_MAX };

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One to eight digits. */
static bool take_group(const char **p, uint32_t *out)
{
    int digits = 0;
    for (*out = 0; digit_of(**p) >= 0 && digits <= GROUP_DIGITS; ++*p, digits++)
        *out = *out << 4 | (uint32_t)digit_of(**p);
    return digits > 0 && digits <= GROUP_DIGITS;
}

static int count_groups(const char *p)
{
    uint32_t group;
    int n = 0;
    do {
        if (!take_group(&p, &group) || ++n > GROUPS_READ)
            return 0;
    } while (*p++ == ',');
    p--;
    return p[strspn(p, " \t\r\n")] ? 0 : n;
}

enum tare_status cpu_mask_parse(struct cpu_list *out, int *groups, const char *text)
{
    *out = (struct cpu_list){{0}};
    *groups = count_groups(text);
    if (!*groups)
        return TARE_FORMAT;
    for (int place = *groups - 1; place >= 0; place--, text++) {
        uint32_t bits;
        take_group(&text, &bits);
        if (bits && place >= GROUPS_MAX) {
            *out = (struct cpu_list){{0}};
            return TARE_TOO_LARGE;
        }
        for (int i = 0; i < GROUP_BITS; i++)
            if (bits >> i & 1)
                cpu_list_add(out, place * GROUP_BITS + i);
    }
    return TARE_OK;
}

static uint32_t group_of(const struct cpu_list *cpus, int place)
{
    return place < GROUPS_MAX ? (uint32_t)(cpus->words[place / 2] >> (place % 2 * GROUP_BITS)) : 0;
}

void cpu_mask_write(struct buf *out, const struct cpu_list *cpus, int groups)
{
    int highest = GROUPS_MAX;
    while (highest > 1 && !group_of(cpus, highest - 1))
        highest--;
    int places = groups > highest ? groups : highest;
    for (int place = places - 1; place >= 0; place--)
        buf_format(out, places == 1 ? "%x" : place ? "%08x," : "%08x", (unsigned)group_of(cpus, place));
}
