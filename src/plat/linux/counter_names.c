/* SPDX-License-Identifier: MIT */
#include "counter_names.h"
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    bool kernel_side;
} events[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, false},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, false},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, false},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, false},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, false},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, false},
};

/* A cache event is the name of a cache, of an operation, and of a result: L1-dcache + -load + -misses. */
static const struct {
    const char *name;
    uint64_t id;
} caches[] =
    {
        {"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I}, {"LLC", PERF_COUNT_HW_CACHE_LL},
        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},     {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
        {"node", PERF_COUNT_HW_CACHE_NODE},
},
  accesses[] = {
      {"-loads", PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 8},
      {"-load-misses", PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_RESULT_MISS << 8},
      {"-stores", PERF_COUNT_HW_CACHE_OP_WRITE | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 8},
      {"-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE | PERF_COUNT_HW_CACHE_RESULT_MISS << 8},
      {"-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 8},
      {"-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH | PERF_COUNT_HW_CACHE_RESULT_MISS << 8},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool same(const char *name, size_t len, const char *whole)
{
    return strlen(whole) == len && !memcmp(name, whole, len);
}

static bool plain_event(const char *name, size_t len, struct counter_event *out)
{
    for (size_t i = 0; i < COUNT(events); i++) {
        if (!same(name, len, events[i].name))
            continue;
        out->type = events[i].type;
        out->config = events[i].config;
        out->kernel_side = events[i].kernel_side;
        return true;
    }
    return false;
}

static bool cache_event(const char *name, size_t len, struct counter_event *out)
{
    for (size_t i = 0; i < COUNT(caches); i++) {
        size_t prefix = strlen(caches[i].name);
        if (len <= prefix || memcmp(name, caches[i].name, prefix))
            continue;
        for (size_t j = 0; j < COUNT(accesses); j++) {
            if (!same(name + prefix, len - prefix, accesses[j].name))
                continue;
            out->type = PERF_TYPE_HW_CACHE;
            out->config = caches[i].id | accesses[j].id << 8;
            return true;
        }
    }
    return false;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | ('A' <= c && c <= 'F' ? 0x20 : 0)) : NULL;
    return at ? (int)(at - digits) : -1;
}

static bool raw_event(const char *name, size_t len, struct counter_event *out)
{
    if (len < 2 || len > 17 || *name != 'r')
        return false;
    out->config = 0;
    for (size_t i = 1; i < len; i++) {
        if (hex_digit(name[i]) < 0)
            return false;
        out->config = out->config << 4 | (uint64_t)hex_digit(name[i]);
    }
    out->type = PERF_TYPE_RAW;
    return true;
}

bool counter_event_named(const char *name, struct counter_event *out)
{
    size_t len = strlen(name);
    *out = (struct counter_event){.user_only = len > 2 && !strcmp(name + len - 2, ":u")};
    if (out->user_only)
        len -= 2;
    if (!plain_event(name, len, out) && !cache_event(name, len, out) && !raw_event(name, len, out))
        return false;
    out->hardware = out->type != PERF_TYPE_SOFTWARE;
    return !out->user_only || !out->kernel_side;
}
