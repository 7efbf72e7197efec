/* SPDX-License-Identifier: MIT
 *
 * A counter is opened on each child anew, while it is held before its exec; the exec enables it. Opening it once on the spawn
 * helper, to be inherited by its children, would be simpler and is wrong: when the helper sleeps and its child is next on
 * the CPU, the kernel may swap their counter contexts as clones of each other (perf_event_context_sched_out), and then the
 * child's exec enables the helper's own event, once and for all. Seen on Linux 6.18: from some run on, every count was 0.
 */
#include "linux.h"
#include "plat.h"
#include "posix.h"
#include "spawner.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const double ENABLED_LEAST =
    0.1; /* of the CPU time of a child; of one that does nothing it is about 0.8, seldom under 0.5 */

/* From an event's name, as perf spells it, to what perf_event_open takes. */

struct counter_event {
    uint32_t type;
    uint64_t config;
    bool user_only;   /* ":u" was asked for */
    bool kernel_side; /* happens inside the kernel: counted in user space alone it would always read 0 */
    bool hardware;    /* needs a performance monitoring unit */
};

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

/* False when there is no such event. It says what a name means, not whether this machine can count it. */
static bool event_named(const char *name, struct counter_event *out)
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

/* What read() gives for our read_format. */
struct reading {
    uint64_t value, enabled_ns, running_ns;
};

struct plat_counter {
    struct plat_counter *next;  /* in the spawner's list */
    struct plat_counter **head; /* NULL: the spawner is gone */
    struct counter_event event;
    bool user_only;
    int fd; /* of the running child, else -1 */
    double total;
    uint64_t enabled_ns, running_ns; /* since the last read */
    bool missed;                     /* a child since then that could not be counted */
};

static int open_event(const struct counter_event *event, int pid, bool user_only)
{
    struct perf_event_attr attr = {
        .type = event->type,
        .size = sizeof attr,
        .config = event->config,
        .disabled = 1,
        .inherit = 1,
        .enable_on_exec = 1,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int paranoia(void)
{
    struct buf text = BUF_INIT(64);
    int level = -100;
    if (!plat_file_read("/proc/sys/kernel/perf_event_paranoid", &text, NULL) && text.len)
        level = atoi(text.data);
    buf_finish(&text);
    return level;
}

static enum tare_status denied(const struct counter_event *event, const char *name, struct tare_err *err)
{
    int level = paranoia(), needed = event->kernel_side ? 1 : 2;
    if (level > needed)
        return err_set(err, TARE_PERMISSION,
                       "cannot count %s: kernel.perf_event_paranoid is %d (sudo sysctl kernel.perf_event_paranoid=%d)", name,
                       level, needed);
    return err_set(
        err, TARE_PERMISSION,
        "cannot count %s: perf events are forbidden here, possibly by the container's system call filter (needs CAP_PERFMON)",
        name);
}

static enum tare_status cannot_open(const struct counter_event *event, const char *name, int error, struct tare_err *err)
{
    if (error == EACCES || error == EPERM)
        return denied(event, name, err);
    if (error == ENOSYS)
        return err_set(err, TARE_UNSUPPORTED, "cannot count %s: this kernel has no perf events", name);
    if (event->hardware && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == EINVAL))
        return err_set(err, TARE_UNSUPPORTED,
                       "cannot count %s: the processor, or the virtual machine, has no such hardware counter", name);
    return posix_fail(err, error, "cannot count %s", name);
}

enum tare_status plat_counter_open(struct plat_counter **out, struct plat_spawner *s, const char *name, struct tare_err *err)
{
    struct counter_event event;
    if (!event_named(name, &event))
        return err_set(err, TARE_INVALID,
                       "no event is called %s (cycles, instructions, branch-misses, page-faults ...; perf list names them)",
                       name);
    bool user_only = event.user_only;
    int fd = open_event(&event, s->pid, user_only); /* as it will be on each child */
    if (fd < 0 && (errno == EACCES || errno == EPERM) && !user_only && !event.kernel_side) {
        user_only = true;
        fd = open_event(&event, s->pid, user_only);
    }
    if (fd < 0)
        return cannot_open(&event, name, errno, err);
    close(fd);
    struct plat_counter *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, TARE_NO_MEMORY, "cannot count %s: out of memory", name);
    *c = (struct plat_counter){.next = s->counters, .head = &s->counters, .event = event, .user_only = user_only, .fd = -1};
    *out = s->counters = c;
    return TARE_OK;
}

void counters_attach(struct plat_counter *list, int pid)
{
    for (struct plat_counter *c = list; c; c = c->next) {
        c->fd = open_event(&c->event, pid, c->user_only);
        c->missed |= c->fd < 0;
    }
}

/* Scaled child by child: a ratio over the whole session would move the counts of runs that were complete. When a program with more rights than its user,
 * or one that the user may not read, is begun, the kernel stops counting, and the rest of its CPU time is missing. */
static void collect(struct plat_counter *c, double cpu_ns)
{
    struct reading now;
    ssize_t n;
    do
        n = read(c->fd, &now, sizeof now);
    while (n < 0 && errno == EINTR);
    close(c->fd);
    c->fd = -1;
    if (n != sizeof now || (double)now.enabled_ns < ENABLED_LEAST * cpu_ns) {
        c->missed = true;
        return;
    }
    c->enabled_ns += now.enabled_ns;
    c->running_ns += now.running_ns;
    if (now.running_ns)
        c->total += (double)now.value * ((double)now.enabled_ns / (double)now.running_ns);
}

void counters_collect(struct plat_counter *list, double cpu_ns)
{
    for (struct plat_counter *c = list; c; c = c->next)
        if (c->fd >= 0)
            collect(c, cpu_ns);
}

void counters_orphan(struct plat_counter *list)
{
    for (; list; list = list->next)
        list->head = NULL;
}

enum tare_status plat_counter_read(struct plat_counter *c, double *total, double *running_ratio)
{
    *total = c->total;
    *running_ratio = c->missed ? 0 : c->enabled_ns ? (double)c->running_ns / (double)c->enabled_ns : 1;
    c->enabled_ns = c->running_ns = 0;
    c->missed = false;
    return TARE_OK;
}

bool plat_counter_user_only(const struct plat_counter *c)
{
    return c->user_only;
}

void plat_counter_event(const struct plat_counter *c, uint64_t *type, uint64_t *config)
{
    *type = c->event.type;
    *config = c->event.config;
}

void plat_counter_close(struct plat_counter *c)
{
    if (!c)
        return;
    for (struct plat_counter **at = c->head; at && *at; at = &(*at)->next) {
        if (*at == c) {
            *at = c->next;
            break;
        }
    }
    free(c);
}
