/* SPDX-License-Identifier: MIT
 *
 * What this machine is, under the names that Linux has for it, so that one reader (src/identity) does for all. Only what Windows knows is there.
 */
#include "nt.h"
#include "windows_tables.h"
#include <stdlib.h>
#include <string.h>

enum { GROUP = 64 };

typedef SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX relation;

/* Read once: the shape of a machine does not change. NULL: not told. */
static const char *topology(DWORD *size)
{
    static char *all;
    static DWORD bytes;
    if (!all && !GetLogicalProcessorInformationEx(RelationAll, NULL, &bytes) && GetLastError() == ERROR_INSUFFICIENT_BUFFER) {
        char *room = malloc(bytes);
        if (room && GetLogicalProcessorInformationEx(RelationAll, (relation *)(void *)room, &bytes))
            all = room;
        else
            free(room);
    }
    *size = all ? bytes : 0;
    return all;
}

/* The next one of this kind behind `last` (NULL: the first); NULL: there is none. */
static const relation *next(LOGICAL_PROCESSOR_RELATIONSHIP kind, const relation *last)
{
    DWORD size;
    const char *all = topology(&size), *at = last ? (const char *)last + last->Size : all;
    for (; at && at < all + size; at += ((const relation *)(const void *)at)->Size)
        if (((const relation *)(const void *)at)->Relationship == kind)
            return (const relation *)(const void *)at;
    return NULL;
}

static bool has(const GROUP_AFFINITY *masks, int n, int cpu)
{
    for (int i = 0; i < n; i++)
        if (masks[i].Group == cpu / GROUP && masks[i].Mask >> cpu % GROUP & 1)
            return true;
    return false;
}

/* "0-3,8"; false: none. */
static bool add_list(struct buf *out, const GROUP_AFFINITY *masks, int n)
{
    enum { CPUS_MAX = 8192 };
    const size_t before = out->len;
    for (int cpu = 0, first = -1; cpu <= CPUS_MAX; cpu++) {
        const bool there = cpu < CPUS_MAX && has(masks, n, cpu);
        if (there && first < 0)
            first = cpu;
        if (there || first < 0)
            continue;
        buf_format(out, out->len > before ? ",%d" : "%d", first);
        if (cpu - 1 > first)
            buf_format(out, "-%d", cpu - 1);
        first = -1;
    }
    return out->len > before;
}

/* The cores, or packages, that hold this CPU. */
static bool siblings(struct buf *out, int cpu, LOGICAL_PROCESSOR_RELATIONSHIP kind)
{
    for (const relation *r = NULL; (r = next(kind, r));)
        if (has(r->Processor.GroupMask, r->Processor.GroupCount, cpu))
            return add_list(out, r->Processor.GroupMask, r->Processor.GroupCount);
    return false;
}

static bool groups(struct buf *out, bool possible)
{
    GROUP_AFFINITY masks[GROUP];
    const relation *r = next(RelationGroup, NULL);
    const int n = r ? r->Group.ActiveGroupCount < GROUP ? r->Group.ActiveGroupCount : GROUP : 0;
    for (int i = 0; i < n; i++) {
        const PROCESSOR_GROUP_INFO *g = &r->Group.GroupInfo[i];
        const KAFFINITY most = g->MaximumProcessorCount >= GROUP ? ~(KAFFINITY)0 : ((KAFFINITY)1 << g->MaximumProcessorCount) - 1;
        masks[i] = (GROUP_AFFINITY){.Mask = possible ? most : g->ActiveProcessorMask, .Group = (WORD)i};
    }
    return add_list(out, masks, n);
}

static bool online(struct buf *out)
{
    return groups(out, false);
}

static bool possible(struct buf *out)
{
    return groups(out, true);
}

static bool smt(struct buf *out)
{
    bool any = false;
    const relation *r = NULL;
    while ((r = next(RelationProcessorCore, r)))
        any |= r->Processor.Flags == LTP_PC_SMT;
    buf_str(out, any ? "1\n" : "0\n");
    return next(RelationProcessorCore, NULL) != NULL;
}

/* The byte behind the flags; headers before mingw-w64 11 do not name it. */
static int efficiency(const relation *core)
{
    return (&core->Processor.Flags)[1];
}

/* Cores of the highest class of efficiency are the fastest. False: there is one class. */
static bool of_class(struct buf *out, bool fastest)
{
    int low = 256, high = -1, n = 0;
    const relation *r = NULL;
    while ((r = next(RelationProcessorCore, r))) {
        const int class = efficiency(r);
        low = class < low ? class : low;
        high = class > high ? class : high;
        n++;
    }
    if (high <= low)
        return false;
    GROUP_AFFINITY *masks = calloc((size_t)n, sizeof *masks);
    int found = 0;
    while (masks && (r = next(RelationProcessorCore, r)))
        if (efficiency(r) == (fastest ? high : low))
            masks[found++] = r->Processor.GroupMask[0];
    const bool some = masks && add_list(out, masks, found);
    free(masks);
    return some;
}

static bool performance_cores(struct buf *out)
{
    return of_class(out, true);
}

static bool efficient_cores(struct buf *out)
{
    return of_class(out, false);
}

static const CACHE_RELATIONSHIP *cache_of(int cpu, int index)
{
    const relation *r = NULL;
    while ((r = next(RelationCache, r)))
        if (has(&r->Cache.GroupMask, 1, cpu) && index-- == 0)
            return &r->Cache;
    return NULL;
}

static bool cache_fact(struct buf *out, int cpu, int index, const char *file)
{
    static const char *const types[] = {[CacheUnified] = "Unified", [CacheInstruction] = "Instruction", [CacheData] = "Data"};
    const CACHE_RELATIONSHIP *c = cache_of(cpu, index);
    if (!c)
        return false;
    if (!strcmp(file, "level"))
        buf_format(out, "%d\n", c->Level);
    else if (!strcmp(file, "type") && c->Type < CacheTrace)
        buf_format(out, "%s\n", types[c->Type]);
    else if (!strcmp(file, "size"))
        buf_format(out, "%uK\n", (unsigned)c->CacheSize / 1024);
    else if (!strcmp(file, "coherency_line_size"))
        buf_format(out, "%d\n", c->LineSize);
    else if (!strcmp(file, "ways_of_associativity") && c->Associativity != CACHE_FULLY_ASSOCIATIVE)
        buf_format(out, "%d\n", c->Associativity);
    else
        return !strcmp(file, "shared_cpu_list") && add_list(out, &c->GroupMask, 1);
    return true;
}

static bool node_fact(struct buf *out, int node)
{
    const relation *r = NULL;
    while ((r = next(RelationNumaNode, r)))
        if ((int)r->NumaNode.NodeNumber == node)
            return add_list(out, &r->NumaNode.GroupMask, 1);
    return false;
}

static bool nodes(struct buf *out)
{
    const size_t before = out->len;
    const relation *r = NULL;
    while ((r = next(RelationNumaNode, r)))
        buf_format(out, out->len > before ? ",%u" : "%u", (unsigned)r->NumaNode.NodeNumber);
    return out->len > before;
}

#define FIRMWARE L"HARDWARE\\DESCRIPTION\\System\\BIOS"

static bool maker(struct buf *out)
{
    return nt_registry_text(HKEY_LOCAL_MACHINE, FIRMWARE, L"SystemManufacturer", out);
}

static bool product(struct buf *out)
{
    return nt_registry_text(HKEY_LOCAL_MACHINE, FIRMWARE, L"SystemProductName", out);
}

static bool release(struct buf *out)
{
    buf_str(out, "PRETTY_NAME=");
    return windows_product(out);
}

static bool memory(struct buf *out)
{
    MEMORYSTATUSEX m = {.dwLength = sizeof m};
    const BOOL told = GlobalMemoryStatusEx(&m);
    buf_format(out, "MemTotal: %llu kB\n", (unsigned long long)m.ullTotalPhys / 1024);
    return told;
}

/* The firmware's or the system's update of the processor: the upper half of eight bytes. */
static bool processor(struct buf *out)
{
    uint32_t revision[2];
    DWORD size = sizeof revision;
    if (!nt()->registry ||
        nt()->registry(HKEY_LOCAL_MACHINE, NT_PROCESSOR, L"Update Revision", RRF_RT_REG_BINARY, NULL, revision, &size))
        return false;
    buf_format(out, "microcode : 0x%x\n", size == sizeof revision ? (unsigned)revision[1] : (unsigned)revision[0]);
    return size >= sizeof *revision;
}

static const char *counter_source(const char **words, int64_t *hz)
{
    LARGE_INTEGER f;
    uint32_t mhz = 0;
    QueryPerformanceFrequency(&f);
    nt_registry_number(HKEY_LOCAL_MACHINE, NT_PROCESSOR, L"~MHz", &mhz);
    *hz = f.QuadPart;
    return windows_counter_source(f.QuadPart, mhz * 1e6, words);
}

static bool clock_source(struct buf *out)
{
    const char *words;
    int64_t hz;
    const char *source = counter_source(&words, &hz);
    buf_str(out, source ? source : "");
    return source != NULL;
}

const char *plat_clock_source(enum plat_clock clock)
{
    static __thread char text[96];
    const char *words;
    int64_t hz;
    if (clock != PLAT_CLOCK_RAW)
        return NULL;
    struct buf b = buf_over(text, sizeof text);
    counter_source(&words, &hz);
    buf_format(&b, "%lld Hz, %s", (long long)hz, words);
    return text;
}

#define CPUS "/sys/devices/system/cpu/"

static const struct {
    const char *path;
    bool (*read)(struct buf *out);
} files[] = {
    {"/etc/os-release", release},
    {"/proc/cpuinfo", processor},
    {"/proc/meminfo", memory},
    {"/sys/class/dmi/id/product_name", product},
    {"/sys/class/dmi/id/sys_vendor", maker},
    {"/sys/devices/cpu_atom/cpus", efficient_cores},
    {"/sys/devices/cpu_core/cpus", performance_cores},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", clock_source},
    {CPUS "online", online},
    {CPUS "possible", possible},
    {CPUS "present", online},
    {CPUS "smt/active", smt},
    {"/sys/devices/system/node/online", nodes},
};

/* "<prefix>12<rest>": the number, and *rest. -1: not of that form. */
static int numbered(const char *path, const char *prefix, const char **rest)
{
    const size_t n = strlen(prefix);
    char *end;
    if (strncmp(path, prefix, n) || path[n] < '0' || path[n] > '9')
        return -1;
    const long number = strtol(path + n, &end, 10);
    *rest = end;
    return number >= 0 && number < 1 << 20 ? (int)number : -1;
}

static bool cpu_fact(struct buf *out, int cpu, const char *file)
{
    const char *rest;
    const int index = numbered(file, "/cache/index", &rest);
    if (index >= 0)
        return *rest == '/' && cache_fact(out, cpu, index, rest + 1);
    if (!strcmp(file, "/topology/thread_siblings_list"))
        return siblings(out, cpu, RelationProcessorCore);
    return !strcmp(file, "/topology/package_cpus_list") && siblings(out, cpu, RelationProcessorPackage);
}

bool facts_read(const char *path, struct buf *out)
{
    const char *rest;
    int number;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(path, files[i].path))
            return files[i].read(out);
    if ((number = numbered(path, CPUS "cpu", &rest)) >= 0)
        return cpu_fact(out, number, rest);
    number = numbered(path, "/sys/devices/system/node/node", &rest);
    return number >= 0 && !strcmp(rest, "/cpulist") && node_fact(out, number);
}
