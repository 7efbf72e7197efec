/* SPDX-License-Identifier: MIT
 *
 * A file that grows in place: pieces of it are mapped one behind the other from an address on behind which nothing is. That lies in the middle of the
 * addresses of a process, which the system fills from both ends, so nobody is given what is not mapped yet; where somebody asks for it by number, growing
 * fails. Windows allocates the blocks of a file when it grows, so that a store never fails; Wine does not. What is mapped is the system's, which writes
 * it however the process ends.
 */
#include "plat_process.h"
#include "plat_trace.h"
#include "win32.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, PIECE = 65536 }; /* views begin at multiples of it */
static const uint64_t LEAST_ADDRESSES = 1 << 20, STEP = UINT64_C(1) << 44, PLACES = 7;

/* In the numbers of C, as every reader of traces knows them. */
static int errno_of(DWORD error)
{
    switch (error) {
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
        return ENOENT;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
    case ERROR_INVALID_ADDRESS:
        return ENOMEM;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    default:
        return EIO;
    }
}

static HANDLE handle_of(const struct plat_window *w)
{
    return (HANDLE)(intptr_t)w->fd; /* handles have 32 bits that count */
}

static HANDLE create_private(const char *path)
{
    enum { SHARE = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
    SECURITY_ATTRIBUTES *mine = win32_private();
    wchar_t *wide = mine ? wide_path(path) : NULL;
    HANDLE h = wide ? CreateFileW(wide, GENERIC_READ | GENERIC_WRITE, SHARE, mine, CREATE_NEW, 0, NULL) : INVALID_HANDLE_VALUE;
    const DWORD error = GetLastError();
    free(wide);
    SetLastError(error);
    return h;
}

/* Free addresses, as many as there are up to *bytes; 0: none. */
static unsigned char *find_addresses(uint64_t *bytes)
{
    MEMORY_BASIC_INFORMATION m;
    for (const uint64_t least = *bytes < LEAST_ADDRESSES ? *bytes : LEAST_ADDRESSES; *bytes && *bytes >= least; *bytes /= 2)
        for (uint64_t i = 1; i <= PLACES; i++) {
            void *at = (void *)(uintptr_t)(i * STEP);
            if (VirtualQuery(at, &m, sizeof m) && m.State == MEM_FREE && m.RegionSize >= *bytes)
                return at;
        }
    return NULL;
}

int plat_window_create(struct plat_window *w, const char *path, uint64_t bytes_max)
{
    size_t n = strlen(path);
    if (n >= sizeof w->path)
        return ENAMETOOLONG;
    memmove(w->path, path, n + 1);
    w->base = NULL;
    w->bytes = bytes_max;
    w->mapped = 0;
    w->fd = -1;
    HANDLE h = create_private(w->path);
    if (h == INVALID_HANDLE_VALUE)
        return errno_of(GetLastError());
    w->fd = (int)(intptr_t)h;
    w->base = find_addresses(&w->bytes);
    if (w->base)
        return 0;
    plat_window_inherited(w, 0);
    return ENOMEM;
}

/* The system may have ended whoever had it. */
static volatile LONG lock;

static void take_lock(void)
{
    while (InterlockedExchange(&lock, 1) && !plat_process_ends())
        SwitchToThread();
}

static int map_up_to(struct plat_window *w, uint64_t end)
{
    end = (end + PIECE - 1) / PIECE * PIECE;
    end = end < w->bytes ? end : w->bytes;
    HANDLE section = CreateFileMappingW(handle_of(w), NULL, PAGE_READWRITE, (DWORD)(end >> 32), (DWORD)end, NULL);
    if (!section)
        return errno_of(GetLastError());
    void *at = MapViewOfFileEx(section, FILE_MAP_READ | FILE_MAP_WRITE, (DWORD)(w->mapped >> 32), (DWORD)w->mapped,
                               (SIZE_T)(end - w->mapped), w->base + w->mapped);
    const DWORD error = GetLastError();
    CloseHandle(section);
    w->mapped = at ? end : w->mapped;
    return at ? 0 : errno_of(error);
}

int plat_window_grow(struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    if (offset + bytes > w->bytes)
        return ENOMEM;
    take_lock();
    const int error = offset + bytes > w->mapped ? map_up_to(w, offset + bytes) : 0;
    InterlockedExchange(&lock, 0);
    return error;
}

/* The pages are their writer's alone, and zero. */
void plat_window_ready(const struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    for (uint64_t at = offset; at < offset + bytes; at += PAGE)
        *(volatile unsigned char *)(w->base + at) = 0;
}

/* To unlock what is not locked takes it out of the working set. */
void plat_window_leave(const struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    VirtualUnlock(w->base + offset, (SIZE_T)bytes);
}

int plat_window_sync(const struct plat_window *w, uint64_t offset, uint64_t bytes)
{
    const unsigned char *at = w->base + offset, *const end = at + bytes;
    MEMORY_BASIC_INFORMATION m;
    for (; at < end && VirtualQuery(at, &m, sizeof m); at = (unsigned char *)m.BaseAddress + m.RegionSize)
        if (m.State == MEM_COMMIT && !FlushViewOfFile(at, 0)) /* to the end of that view */
            return errno_of(GetLastError());
    return FlushFileBuffers(handle_of(w)) ? 0 : errno_of(GetLastError());
}

/* No process of Windows goes on as another program. */
void plat_window_mark(const char *path, uint64_t offset, uint32_t from, uint32_t to)
{
    (void)path;
    (void)offset;
    (void)from;
    (void)to;
}

/* Nothing is inherited here; what could not be used is closed. */
void plat_window_inherited(struct plat_window *w, uint64_t grown_bytes)
{
    (void)grown_bytes;
    if (w->fd != -1)
        CloseHandle(handle_of(w));
    *w = (struct plat_window){.fd = -1};
}
