/* SPDX-License-Identifier: MIT
 *
 * Other processes, and a name for one. When one began is a time of day in units of 100 ns, so number and beginning together are not used twice.
 */
#include "fnv.h"
#include "nt.h"
#include "plat_state.h"
#include "plat_trace.h"
#include <psapi.h>
#include <stdlib.h>
#include <string.h>

int plat_process_ids(int *ids, int room)
{
    enum { MOST = 1 << 16 };
    DWORD *all = calloc(MOST, sizeof *all), bytes = 0;
    int n = -1;
    if (all && K32EnumProcesses(all, MOST * sizeof *all, &bytes))
        n = (int)(bytes / sizeof *all);
    for (int i = 0; i < n && i < room; i++)
        ids[i] = (int)all[i];
    free(all);
    return n > 0 ? n : -1;
}

enum life { LIVES, HAS_ENDED, NOT_TOLD };

/* A number that nobody has is refused as a wrong parameter; whoever has it and is not ours may not be asked. */
static enum life look_at(int id, int64_t *start)
{
    HANDLE h = id > 0 ? nt()->open_process(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, (DWORD)id) : NULL;
    *start = -1;
    if (!h)
        return id <= 0 || GetLastError() == ERROR_INVALID_PARAMETER ? HAS_ENDED : NOT_TOLD;
    const bool ended = WaitForSingleObject(h, 0) == WAIT_OBJECT_0;
    *start = ended ? -1 : win32_began(h);
    CloseHandle(h);
    return ended ? HAS_ENDED : *start < 0 ? NOT_TOLD : LIVES;
}

int64_t plat_process_began(int id)
{
    int64_t start;
    look_at(id, &start);
    return start;
}

bool win32_may_live(int id, int64_t began)
{
    int64_t start;
    const enum life life = look_at(id, &start);
    return life == NOT_TOLD || (life == LIVES && (start == began || began < 0));
}

/* What others have in their environment is not for us to read. */
int plat_process_below(int id, const char *text, int *ids, int room)
{
    (void)id;
    (void)text;
    (void)ids;
    (void)room;
    return 0;
}

void plat_process_image(int id, struct buf *path)
{
    enum { LONGEST = 1 << 15 };
    wchar_t *wide = malloc(LONGEST * sizeof *wide);
    DWORD n = LONGEST;
    HANDLE h = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)id);
    if (wide && h && QueryFullProcessImageNameW(h, 0, wide, &n))
        utf8_add(path, wide);
    if (h)
        CloseHandle(h);
    free(wide);
}

int win32_parent(int id)
{
    struct nt_process p;
    HANDLE h = nt()->open_process(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)id);
    const bool told = h && nt()->process && nt()->process(h, 0, &p, sizeof p, NULL) >= 0;
    if (h)
        CloseHandle(h);
    return told ? (int)p.parent : -1;
}

/* A name for a process: "6f0c2a91b3d4e5f7-4711-133700000000000000". */

/* Windows gives each installation a number. 0: not told. */
static uint64_t world(void)
{
    struct buf guid = BUF_INIT(256);
    const bool told = nt_registry_text(HKEY_LOCAL_MACHINE, L"SOFTWARE\\Microsoft\\Cryptography", L"MachineGuid", &guid);
    const uint64_t hash = told ? fnv1a64(FNV1A64_EMPTY, guid.data, guid.len) : 0;
    buf_finish(&guid);
    return hash;
}

static void mark_add(struct buf *out, uint64_t where, int id, uint64_t start)
{
    buf_format(out, "%016llx-%d-%llu", (unsigned long long)where, id, (unsigned long long)start);
}

bool plat_process_mark(struct buf *out)
{
    const uint64_t where = world(), start = plat_process_start();
    if (!where || !start)
        return false;
    mark_add(out, where, plat_pid(), start);
    return !out->status;
}

bool plat_process_mark_ended(const char *mark)
{
    enum { WORLD_DIGITS = 16, LONGEST = 48 };
    char again[LONGEST];
    struct buf b = buf_over(again, sizeof again);
    if (strcspn(mark, "-") != WORLD_DIGITS || strlen(mark) >= LONGEST)
        return false;
    char *end;
    const long id = strtol(mark + WORLD_DIGITS + 1, &end, 10);
    const uint64_t where = world(), start = *end == '-' ? strtoull(end + 1, NULL, 10) : 0;
    if (!where || id <= 0 || !start)
        return false;
    mark_add(&b, where, (int)id, start);
    int64_t found;
    const enum life life = strcmp(mark, again) ? NOT_TOLD : look_at((int)id, &found);
    return life == HAS_ENDED || (life == LIVES && found != (int64_t)start);
}

bool plat_is_root(void)
{
    HANDLE token;
    TOKEN_ELEVATION elevation = {0};
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    const BOOL told = GetTokenInformation(token, TokenElevation, &elevation, sizeof elevation, &size);
    CloseHandle(token);
    return told && elevation.TokenIsElevated;
}
