/* SPDX-License-Identifier: MIT
 *
 * Any bytes as any file of /proc or of a control group: parsed or refused, never read past their end, no figure below 0.
 */
#include "proc_text.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Those that take a length get exactly these bytes, without a closing zero. */
static void counted(const char *text, size_t n)
{
    struct proc_cpu cpu;
    struct proc_process process;
    int64_t value;
    double cpus;
    if (proc_cpu_parse(text, n, &cpu))
        assert(cpu.busy >= 0 && cpu.idle >= 0 && cpu.steal >= 0);
    if (proc_process_parse(text, n, &process))
        assert(process.ticks >= 0 && process.children_ticks >= 0 && process.started >= 0 && strlen(process.name) < PROC_NAME_MAX);
    if (proc_pressure_parse(text, n, &value))
        assert(value >= 0);
    if (proc_value_parse(text, n, "nr_throttled", &value))
        assert(value >= 0);
    if (proc_cpu_max_parse(text, n, &cpus))
        assert(cpus >= 0);
}

static void closed(const char *text)
{
    for (int version = PROC_GROUPS_1; version <= PROC_GROUPS_2; version++) {
        struct buf path = BUF_INIT(1 << 16), root = BUF_INIT(1 << 16), point = BUF_INIT(1 << 16);
        proc_group_parse(text, (enum proc_groups)version, &path);
        proc_mount_parse(text, (enum proc_groups)version, &root, &point);
        buf_finish(&path);
        buf_finish(&root);
        buf_finish(&point);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1), *text = malloc(size + 1);
    if (exact && text) {
        memcpy(exact, data, size);
        memcpy(text, data, size);
        text[size] = 0;
        counted(exact, size);
        closed(text);
    }
    free(exact);
    free(text);
    return 0;
}
