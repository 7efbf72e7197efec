/* SPDX-License-Identifier: MIT
 *
 * Memory with a name, of no file: programs of this logon open it by OpenFileMapping as long as it is there. One that is there already is somebody else's.
 */
#include "plat_memory.h"
#include "win32.h"

enum tare_status plat_shared_create(struct plat_shared *out, size_t bytes, struct tare_err *err)
{
    static volatile LONG number;
    *out = (struct plat_shared){.bytes = bytes, .fd = -1};
    struct buf b = buf_over(out->path, sizeof out->path);
    buf_format(&b, "Local\\tare-shared-%d-%ld", plat_pid(), InterlockedIncrement(&number));
    HANDLE h = CreateFileMappingA(INVALID_HANDLE_VALUE, win32_private(), PAGE_READWRITE, (DWORD)((uint64_t)bytes >> 32),
                                  (DWORD)bytes, out->path);
    if (h && GetLastError() == ERROR_ALREADY_EXISTS) {
        CloseHandle(h);
        h = NULL;
        SetLastError(ERROR_ALREADY_EXISTS);
    }
    out->memory = h ? MapViewOfFile(h, FILE_MAP_ALL_ACCESS, 0, 0, bytes) : NULL;
    const DWORD error = GetLastError();
    if (h)
        out->fd = (int)(intptr_t)h; /* handles have 32 bits that count */
    if (out->memory)
        return TARE_OK;
    plat_shared_destroy(out);
    return win32_fail(err, error, "cannot make memory to share with the commands");
}

void plat_shared_destroy(struct plat_shared *s)
{
    if (s->memory)
        UnmapViewOfFile(s->memory);
    if (s->bytes && s->fd >= 0)
        CloseHandle((HANDLE)(intptr_t)s->fd);
    *s = (struct plat_shared){0};
}
