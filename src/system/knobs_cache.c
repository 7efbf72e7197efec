/* SPDX-License-Identifier: MIT
 *
 * The last cache and what lies behind it, which all cores share: who has which part of it, and how fast it runs.
 */
#include "knob_look.h"
#include "whole.h"
#include <string.h>

#define CPU     "/sys/devices/system/cpu/"
#define CONTROL "/sys/fs/resctrl"

/* ---- the last cache, split ---- */

/* What of one cache is whose: a bit a part ("way"). */
struct parts {
    struct look *l;
    int64_t cache; /* the one of the first CPU to measure on */
    uint64_t ours, others;
    int groups; /* that the CPUs to measure on are in */
};

/* Of the cache with the highest level that this CPU has: that is how the lines of the control are numbered. */
static bool last_cache(struct look *l, int cpu, int64_t *id)
{
    enum { CACHES_MAX = 10 };
    int64_t level, highest = 0, found;
    for (int i = 0; i < CACHES_MAX && look_number(l, &level, CPU "cpu%d/cache/index%d/level", cpu, i); i++)
        if (level > highest && look_number(l, &found, CPU "cpu%d/cache/index%d/id", cpu, i)) {
            highest = level;
            *id = found;
        }
    return highest == 3;
}

/* "L3:0=fff;1=0ff": the bits of one cache. Code and data have a line each where they are split too ("L3CODE:", "L3DATA:"). */
static uint64_t bits_of(const char *schemata, int64_t cache)
{
    uint64_t bits = 0;
    for (const char *line = schemata; *line;) {
        const char *end = line + strcspn(line, "\n"), *p = line + strspn(line, " ");
        bool ours = !strncmp(p, "L3:", 3) || !strncmp(p, "L3CODE:", 7) || !strncmp(p, "L3DATA:", 7);
        for (p += strcspn(p, ":\n"); ours && p < end;) {
            int64_t id, mask;
            p++;
            if (!whole_take(&p, end, 10, &id) || p == end || *p != '=' || (++p, !whole_take(&p, end, 16, &mask)))
                break;
            bits |= id == cache ? (uint64_t)mask : 0;
        }
        line = *end ? end + 1 : end;
    }
    return bits;
}

/* A group of CPUs is one folder, the rest of all is the top folder. Those for watching alone have no CPUs of their own. */
static void add_group(struct parts *s, const char *folder)
{
    struct look *l = s->l;
    struct cpu_list cpus;
    if (!look_cpus(l, &cpus, "%s/cpus_list", folder))
        return;
    const char *schemata = look_text(l, "%s/schemata", folder);
    bool ours = cpus_overlap(&cpus, &l->bench);
    uint64_t bits = schemata ? bits_of(schemata, s->cache) : 0;
    s->groups += ours;
    s->ours |= ours ? bits : 0;
    s->others |= ours && cpus_within(&cpus, &l->sources->measured) ? 0 : bits;
}

static void add_groups(struct parts *s)
{
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n;
    add_group(s, CONTROL);
    if (!root_list(s->l->root, CONTROL, &names, &n, NULL))
        for (const char *p = names.data; n > 0; n--, p += strlen(p) + 1)
            add_group(s, look_say(s->l, CONTROL "/%s", p));
    buf_finish(&names);
}

static int ones(uint64_t bits)
{
    int n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* "" : no part is theirs alone. */
static const char *own_part(struct look *l)
{
    struct parts s = {.l = l};
    if (!last_cache(l, cpu_list_next(&l->bench, 0), &s.cache))
        return "";
    add_groups(&s);
    if (s.groups != 1 || !s.ours || s.ours & s.others)
        return "";
    return look_say(l, "%d of %d parts of the last cache are theirs alone", ones(s.ours), ones(s.ours | s.others));
}

/* Who else uses them is seen by its effect alone, and the way to memory stays shared: so it is never quiet. */
enum tare_status look_neighbours(struct look *l, const struct knob *k)
{
    static const char why[] = "programs on other CPUs share the last cache and the memory with this one";
    if (l->sources->hypervisor)
        return row_unknown(l, k, "", "other machines of the same host use its caches and memory, unseen",
                           "a dedicated host; 'tare system qualify' shows what is left");
    if (cpu_list_count(&l->online) == 1)
        return row_none(l, k, "there is one CPU");
    bool mounted = root_exists(l->root, CONTROL "/schemata");
    bool splits = mounted || text_has_word(l->sources->flags, "cat_l3") || text_has_word(l->sources->flags, "mba");
    const char *part = mounted ? own_part(l) : "";
    if (*part)
        return row_unknown(l, k, part, "programs on other CPUs share the memory with this one", "end them");
    if (mounted)
        return row_unknown(l, k, "not split (resctrl)", why,
                           "end them, or give the CPUs measured on a group of their own in " CONTROL
                           ", with bits of L3 in its schemata that no other has");
    return row_unknown(l, k, splits ? "can be split (resctrl, not mounted)" : "cannot be split", why,
                       splits ? "end them, or 'mount -t resctrl resctrl " CONTROL
                                "' and give the CPUs measured on a part of their own"
                              : "end them");
}

/* ---- its frequency ---- */

enum tare_status look_uncore(struct look *l, const struct knob *k)
{
    static const char folder[] = CPU "intel_uncore_frequency";
    struct buf names = BUF_INIT(ROOT_FILE_MAX);
    int n, domains = 0, moving = 0;
    int64_t lowest, highest;
    l->sources->read = root_list(l->root, folder, &names, &n, NULL);
    for (const char *p = names.data; !l->sources->read && n > 0; n--, p += strlen(p) + 1) {
        bool told =
            look_number(l, &lowest, "%s/%s/min_freq_khz", folder, p) && look_number(l, &highest, "%s/%s/max_freq_khz", folder, p);
        domains += told;
        moving += told && lowest != highest;
        l->sources->read = TARE_OK;
    }
    buf_finish(&names);
    if (!domains)
        return row_hidden(l, k, "no driver of the kernel shows it");
    if (!moving)
        return row_ok(l, k, "fixed");
    return row_noisy(l, k, look_say(l, "moving in %d of %d domains", moving, domains),
                     "the speed of the last cache and of the memory follows the load",
                     "write max_freq_khz of each folder in " CPU "intel_uncore_frequency into its min_freq_khz");
}
