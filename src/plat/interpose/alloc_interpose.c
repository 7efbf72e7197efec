/* SPDX-License-Identifier: MIT
 *
 * libtare_alloc.so: the C library's allocation calls, each passed on to whoever had it before and counted (alloc_count.h). Preloaded
 * into programs that are observed and never timed. What does not pass these calls is not seen: memory mapped by the program itself, C++
 * allocators that replace operator new by something else, a program's own malloc.
 *
 * To find the next malloc is itself a call that may allocate: until that is known, blocks come from a small arena of ours, which is
 * never freed.
 */
#include "alloc_count.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

enum { ARENA_BYTES = 64 << 10, ALIGNMENT = alignof(max_align_t) };

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*usable)(void *);
} next;

static atomic_int state; /* enum below */
enum { UNKNOWN, FINDING, FOUND };

static alignas(max_align_t) char arena[ARENA_BYTES];
static atomic_size_t arena_used;

static void *from_arena(size_t n)
{
    if (n > ARENA_BYTES)
        return NULL;
    size_t rounded = (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t at = atomic_fetch_add(&arena_used, rounded);
    return at + rounded <= ARENA_BYTES ? arena + at : NULL;
}

static bool in_arena(const void *p)
{
    return (uintptr_t)p - (uintptr_t)arena < ARENA_BYTES;
}

/* A function pointer is stored as the object pointer that dlsym gives, as POSIX has it. */
static void find(void *where, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(where, &symbol, sizeof symbol);
}

static void find_all(void)
{
    int error = errno;
    find(&next.calloc, "calloc");
    find(&next.malloc, "malloc");
    find(&next.realloc, "realloc");
    find(&next.free, "free");
    find(&next.posix_memalign, "posix_memalign");
    find(&next.aligned_alloc, "aligned_alloc");
    find(&next.memalign, "memalign");
    find(&next.valloc, "valloc");
    find(&next.pvalloc, "pvalloc");
    find(&next.usable, "malloc_usable_size");
    errno = error;
}

/* Whether the calls can be passed on. The first allocations come before there is a second thread. */
static bool ready(void)
{
    int now = atomic_load_explicit(&state, memory_order_acquire);
    if (now == FOUND)
        return true;
    int unknown = UNKNOWN;
    if (now == FINDING || !atomic_compare_exchange_strong(&state, &unknown, FINDING))
        return false;
    find_all();
    atomic_store_explicit(&state, next.malloc && next.calloc && next.realloc && next.free ? FOUND : UNKNOWN,
                          memory_order_release);
    return atomic_load(&state) == FOUND;
}

static size_t room_of(void *p)
{
    return p && next.usable && !in_arena(p) ? next.usable(p) : 0;
}

static void *counted(void *p, size_t asked)
{
    if (p)
        count_new(asked, room_of(p));
    else
        count_failure();
    return p;
}

/* ---- the calls ---- */

SHOWN void *malloc(size_t n)
{
    return ready() ? counted(next.malloc(n), n) : from_arena(n);
}

SHOWN void *calloc(size_t n, size_t each)
{
    if (each && n > SIZE_MAX / each) {
        errno = ENOMEM;
        return NULL;
    }
    return ready() ? counted(next.calloc(n, each), n * each) : from_arena(n * each); /* the arena is zeroed, and used once */
}

SHOWN void free(void *p)
{
    if (!p || in_arena(p) || !ready())
        return;
    count_gone(room_of(p)); /* before it may be another thread's */
    next.free(p);
}

static void *moved_out_of_arena(const void *p, size_t n)
{
    void *block = malloc(n);
    size_t there = (size_t)(arena + ARENA_BYTES - (const char *)p);
    if (block)
        memcpy(block, p, n < there ? n : there);
    return block;
}

SHOWN void *realloc(void *p, size_t n)
{
    if (!p)
        return malloc(n);
    if (in_arena(p))
        return moved_out_of_arena(p, n);
    if (!ready())
        return NULL;
    size_t before = room_of(p);
    void *block = next.realloc(p, n);
    if (block)
        count_changed(n, before, room_of(block));
    else if (n)
        count_failure();
    else
        count_gone(before);
    return block;
}

SHOWN void *reallocarray(void *p, size_t n, size_t each)
{
    if (each && n > SIZE_MAX / each) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, n * each);
}

SHOWN int posix_memalign(void **out, size_t alignment, size_t n)
{
    if (!ready() || !next.posix_memalign)
        return ENOMEM;
    int error = next.posix_memalign(out, alignment, n);
    if (error)
        count_failure();
    else
        count_new(n, room_of(*out));
    return error;
}

static void *aligned(void *(*call)(size_t, size_t), size_t alignment, size_t n)
{
    if (ready() && call)
        return counted(call(alignment, n), n);
    errno = ENOMEM;
    return NULL;
}

SHOWN void *aligned_alloc(size_t alignment, size_t n)
{
    return ready() ? aligned(next.aligned_alloc, alignment, n) : NULL;
}

SHOWN void *memalign(size_t alignment, size_t n)
{
    return ready() ? aligned(next.memalign, alignment, n) : NULL;
}

static void *paged(void *(*call)(size_t), size_t n)
{
    if (call)
        return counted(call(n), n);
    errno = ENOMEM;
    return NULL;
}

SHOWN void *valloc(size_t n)
{
    return ready() ? paged(next.valloc, n) : NULL;
}

SHOWN void *pvalloc(size_t n)
{
    return ready() ? paged(next.pvalloc, n) : NULL;
}
