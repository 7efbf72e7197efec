/* SPDX-License-Identifier: MIT */
#include "cpu_mask.h"
#include <string.h>

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

static void add_group(struct cpu_list *out, int place, uint32_t bits)
{
    for (int i = 0; i < GROUP_BITS; i++)
        if (bits >> i & 1)
            cpu_list_add(out, place * GROUP_BITS + i);
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
        add_group(out, place, bits);
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
