/* SPDX-License-Identifier: MIT
 *
 * Pages between two that nobody may touch, and what malloc says of its heap.
 */
#include "plat_process.h"
#include "posix.h"
#include <errno.h>
#include <features.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__has_feature)
#define IN_MSAN_BUILD \
    __has_feature(memory_sanitizer) /* it has its own malloc, and takes what mallinfo2 fills in for uninitialised */
#else
#define IN_MSAN_BUILD 0
#endif
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33) && !IN_MSAN_BUILD
#include <malloc.h>
#define HAS_MALLINFO2 1
#else
#define HAS_MALLINFO2 0
#endif

enum tare_status plat_guarded_create(struct plat_guarded *out, size_t bytes, struct tare_err *err)
{
    const long known = sysconf(_SC_PAGESIZE);
    const size_t page = known > 0 ? (size_t)known : 4096;
    *out = (struct plat_guarded){.size = bytes ? (bytes + page - 1) / page * page : page};
    out->all_size = out->size + 2 * page;
    void *all = mmap(NULL, out->all_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return posix_fail(err, errno, "no memory for %zu bytes between guard pages", bytes);
    out->all = all;
    out->memory = (unsigned char *)all + page;
    if (mprotect(out->memory, out->size, PROT_READ | PROT_WRITE) != 0) {
        int error = errno;
        plat_guarded_destroy(out);
        return posix_fail(err, error, "no memory for %zu bytes between guard pages", bytes);
    }
    memset(out->memory, 0, out->size); /* the pages are there before anything is timed */
    return TARE_OK;
}

void plat_guarded_destroy(struct plat_guarded *g)
{
    if (g->all)
        munmap(g->all, g->all_size);
    *g = (struct plat_guarded){.size = 0};
}

int64_t plat_heap_bytes(void)
{
#if HAS_MALLINFO2
    struct mallinfo2 info = mallinfo2();
    return info.arena + info.hblkhd ? (int64_t)(info.uordblks + info.hblkhd) : -1; /* another malloc stands in its place */
#else
    return -1;
#endif
}
