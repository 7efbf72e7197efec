/* SPDX-License-Identifier: MIT
 *
 * No program stands between us and the children: CreateProcess copies no memory of ours, so a helper would make nothing cheaper or more exact.
 */
#include "spawner.h"
#include "nt.h"
#include <stdlib.h>
#include <string.h>

/* From the folder of the program: beside it as installed, and in a build tree. */
static const char *const places[] = {".", "..\\libexec\\tare", "..\\..\\libexec\\tare"};

/* "\\?\C:\..." and "\\?\UNC\server\..." as everybody writes them: behind the prefix ".." would be a name. */
static wchar_t *without_prefix(wchar_t *path)
{
    static const wchar_t prefix[] = L"\\\\?\\", network[] = L"\\\\?\\UNC\\";
    enum { PREFIX = 4, SERVER = 6 };
    if (!wcsncmp(path, network, wcslen(network))) {
        path[SERVER] = L'\\';
        return path + SERVER;
    }
    return wcsncmp(path, prefix, PREFIX) ? path : path + PREFIX;
}

/* The system tells by which name we were started, and what winget puts on PATH is a link to the program. */
static wchar_t *behind_link(wchar_t *path, wchar_t *room, DWORD units)
{
    HANDLE h = CreateFileW(path, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
    const DWORD n = h == INVALID_HANDLE_VALUE ? 0 : nt()->final_path(h, room, units, 0);
    win32_close(&h);
    return n && n < units ? without_prefix(room) : path;
}

bool win32_own_folder(struct buf *out)
{
    enum { UNITS = 1 << 15 };
    wchar_t *path = malloc(2 * UNITS * sizeof *path);
    const DWORD n = path ? GetModuleFileNameW(NULL, path, UNITS) : 0;
    wchar_t *program = n && n < UNITS ? behind_link(path, path + UNITS, UNITS) : NULL,
            *slash = program ? wcsrchr(program, L'\\') : NULL;
    if (slash) {
        *slash = 0;
        utf8_add(out, program);
    }
    free(path);
    return slash && !out->status;
}

/* Where none is there: the first place, which the message of a run that cannot be started then names. */
static char *find_part(const char *folder, const char *name)
{
    char *first = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct buf path = BUF_INIT(1 << 16);
        struct plat_file_state state;
        buf_format(&path, "%s\\%s\\%s", folder, places[i], name);
        if (!path.status && !plat_file_state(path.data, &state, NULL)) {
            free(first);
            return path.data;
        }
        if (first)
            buf_finish(&path);
        else
            first = path.data;
    }
    return first;
}

enum tare_status plat_spawner_create(struct plat_spawner **out, const char *helper_path, struct tare_err *err)
{
    struct buf folder = BUF_INIT(1 << 16);
    struct plat_spawner *s = calloc(1, sizeof *s);
    (void)helper_path;
    /* Children have it from us: one that crashes or lacks a DLL ends at once, and no dialog waits for a click. */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    if (s && win32_own_folder(&folder)) {
        s->noop = find_part(folder.data, "tare-noop.exe");
        s->work = find_part(folder.data, "tare-work.exe");
    }
    buf_finish(&folder);
    if (s && s->noop && s->work) {
        *out = s;
        return TARE_OK;
    }
    plat_spawner_destroy(s);
    return err_set(err, TARE_NO_MEMORY, "cannot prepare to start programs: out of memory");
}

void plat_spawner_destroy(struct plat_spawner *s)
{
    if (!s)
        return;
    counters_orphan(s->counters);
    free(s->noop);
    free(s->work);
    free(s);
}

int plat_spawner_pid(const struct plat_spawner *s)
{
    (void)s;
    return plat_pid();
}

/* The system keeps a figure of each process alone, so there is no floor. */
enum tare_status plat_rss_floor(const struct plat_spawner *s, struct plat_rss_floor *out)
{
    (void)s;
    (void)out;
    return TARE_UNSUPPORTED;
}

const char *plat_noop_path(const struct plat_spawner *s)
{
    return s->noop;
}

const char *plat_work_path(const struct plat_spawner *s)
{
    return s->work;
}
