/* SPDX-License-Identifier: MIT
 *
 * The processes of the run in progress and what they have in memory: its job knows them, whoever started them. Nothing of an earlier run is in it.
 */
#include "plat_memory.h"
#include "spawner.h"
#include <psapi.h>
#include <stdlib.h>

enum { PROCESSES_MOST = 4096 };

struct plat_tree {
    struct plat_spawner *s;
    struct plat_tree_process processes[PROCESSES_MOST];
    union {
        JOBOBJECT_BASIC_PROCESS_ID_LIST ids;
        char room[sizeof(JOBOBJECT_BASIC_PROCESS_ID_LIST) + PROCESSES_MOST * sizeof(ULONG_PTR)];
    } list;
};

enum tare_status plat_tree_create(struct plat_tree **out, struct plat_spawner *s, struct tare_err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_set(err, TARE_NO_MEMORY, "no memory to watch that of programs");
    (*out)->s = s;
    return TARE_OK;
}

static int64_t working_set(DWORD id)
{
    PROCESS_MEMORY_COUNTERS now = {.cb = sizeof now};
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_VM_READ, FALSE, id);
    const bool told = process && GetProcessMemoryInfo(process, &now, sizeof now);
    if (process)
        CloseHandle(process);
    return told ? (int64_t)now.WorkingSetSize : -1;
}

int plat_tree_sample(struct plat_tree *t, bool new_ones, const struct plat_tree_process **processes)
{
    int n = 0;
    (void)new_ones;
    *processes = t->processes;
    if (!t->s->job)
        return 0;
    const bool told = QueryInformationJobObject(t->s->job, JobObjectBasicProcessIdList, &t->list, sizeof t->list, NULL);
    DWORD listed = told || GetLastError() == ERROR_MORE_DATA ? t->list.ids.NumberOfProcessIdsInList : 0;
    for (DWORD i = 0; i < listed && n < PROCESSES_MOST; i++) {
        const DWORD id = (DWORD)t->list.ids.ProcessIdList[i];
        const int64_t bytes = working_set(id);
        if (bytes >= 0)
            t->processes[n++] = (struct plat_tree_process){.pid = (int)id, .rss_bytes = bytes};
    }
    return n;
}

void plat_tree_destroy(struct plat_tree *t)
{
    free(t);
}
