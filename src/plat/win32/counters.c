/* SPDX-License-Identifier: MIT
 *
 * What Windows counts of processes beyond the figures that every run has. Programs get no counters of the processor itself.
 */
#include "nt.h"
#include "spawner.h"
#include <stdlib.h>
#include <string.h>

struct plat_counter {
    struct plat_counter *next;
    struct plat_spawner *s;
    bool (*read)(HANDLE process, HANDLE job, double *value);
    double total;
    bool known; /* the last run had a value */
};

/* Of the process that was started, not of those that it starts: at the rate of the time-stamp counter, while its threads had a CPU. */
static bool read_cycles(HANDLE process, HANDLE job, double *value)
{
    ULONG64 cycles = 0;
    (void)job;
    const bool told = nt()->process_cycles(process, &cycles) && cycles;
    *value = (double)cycles;
    return told;
}

/* Wine's job objects count nothing. */
static bool job_io(HANDLE job, IO_COUNTERS *io)
{
    JOBOBJECT_BASIC_AND_IO_ACCOUNTING_INFORMATION all = {0};
    const bool told = !nt()->wine_version && nt()->job(job, JobObjectBasicAndIoAccountingInformation, &all, sizeof all, NULL);
    *io = all.IoInfo;
    return told;
}

static bool read_bytes_in(HANDLE process, HANDLE job, double *value)
{
    IO_COUNTERS io = {0};
    (void)process;
    const bool told = job_io(job, &io);
    *value = (double)io.ReadTransferCount;
    return told;
}

static bool read_bytes_out(HANDLE process, HANDLE job, double *value)
{
    IO_COUNTERS io = {0};
    (void)process;
    const bool told = job_io(job, &io);
    *value = (double)io.WriteTransferCount;
    return told;
}

static const struct {
    const char *event;
    bool (*read)(HANDLE process, HANDLE job, double *value);
} events[] = {
    {"ref-cycles", read_cycles},
    {"read-bytes", read_bytes_in},
    {"write-bytes", read_bytes_out},
};
enum { EVENTS = sizeof events / sizeof *events };

/* Whether this system tells it at all is asked of ourselves, and of an empty job. */
static bool told_here(int event)
{
    double value;
    HANDLE job = CreateJobObjectW(NULL, NULL);
    const bool told = job && events[event].read(GetCurrentProcess(), job, &value);
    if (job)
        CloseHandle(job);
    return told;
}

enum tare_status plat_counter_open(struct plat_counter **out, struct plat_spawner *s, const char *event, struct tare_err *err)
{
    int i = 0;
    *out = NULL;
    while (i < EVENTS && strcmp(events[i].event, event))
        i++;
    if (i == EVENTS)
        return err_set(err, TARE_UNSUPPORTED,
                       "Windows gives programs no counter of the processor; it counts ref-cycles, read-bytes and write-bytes");
    if (!told_here(i))
        return err_set(err, TARE_UNSUPPORTED, "this system does not count %s of processes", event);
    struct plat_counter *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, TARE_NO_MEMORY, "no memory for a counter");
    *c = (struct plat_counter){.next = s->counters, .s = s, .read = events[i].read};
    *out = s->counters = c;
    return TARE_OK;
}

void counters_collect(struct plat_counter *first, HANDLE process, HANDLE job)
{
    for (struct plat_counter *c = first; c; c = c->next) {
        double value = 0;
        c->known = c->read(process, job, &value);
        c->total += c->known ? value : 0;
    }
}

void counters_orphan(struct plat_counter *first)
{
    for (; first; first = first->next)
        first->s = NULL;
}

enum tare_status plat_counter_read(struct plat_counter *c, double *total, double *running_ratio)
{
    *total = c->total;
    *running_ratio = c->known;
    return TARE_OK;
}

bool plat_counter_user_only(const struct plat_counter *c)
{
    (void)c;
    return false;
}

void plat_counter_event(const struct plat_counter *c, uint64_t *type, uint64_t *config)
{
    (void)c;
    *type = *config = 0;
}

void plat_counter_close(struct plat_counter *c)
{
    if (!c)
        return;
    struct plat_counter **at = c->s ? &c->s->counters : NULL;
    while (at && *at && *at != c)
        at = &(*at)->next;
    if (at && *at)
        *at = c->next;
    free(c);
}
