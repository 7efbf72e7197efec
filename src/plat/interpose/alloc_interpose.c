/* SPDX-License-Identifier: MIT
 *
 * libtare_alloc.so: the C library's allocation calls, each passed on to whoever had it before and counted. Preloaded
 * into programs that are observed and never timed. What does not pass these calls is not seen: memory mapped by the program itself, C++
 * allocators that replace operator new by something else, a program's own malloc.
 *
 * To find the next malloc is itself a call that may allocate: until that is known, blocks come from a small arena of ours, which is
 * never freed.
 *
 * Where the counts go: a slot of the board (alloc_board.h), or, before the constructor ran and where there is no board, a slot of
 * our own.
 *
 * A forked process must not go on counting in its parent's slot. The pointer to the slot lies in a page that the kernel empties
 * in the child of every fork, also of one that was made without the C library; where the kernel cannot do that each call asks for
 * the process id. A child of vfork shares our memory, heap and slot alike, which is right as it is.
 */
#include "alloc_board.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The counts of this process: safe in any thread, before main and after fork; they allocate nothing and keep errno. */

struct place {
    struct alloc_slot *_Atomic slot;
    _Atomic pid_t pid;
};

static struct alloc_slot early;
static struct alloc_board *board;
static struct place *place; /* NULL: no board */
static bool wiped_by_fork;
static uint64_t image; /* a forked process has its parent's */

static void add(_Atomic int64_t *count, int64_t n)
{
    atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

static int64_t value(const _Atomic int64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* The image that had this process id before is gone: replaced by exec, or its process ended long ago. */
static void leave_older(int32_t pid, uint32_t used)
{
    for (uint32_t i = 0; i < used; i++) {
        int32_t held = pid;
        atomic_compare_exchange_strong(&board->pid[i], &held, -pid);
    }
}

static struct alloc_slot *take_slot(void)
{
    pid_t pid = (pid_t)syscall(SYS_getpid);
    uint32_t used = atomic_load(&board->used);
    leave_older(pid, used < ALLOC_SLOTS ? used : ALLOC_SLOTS);
    struct alloc_slot *slot = &early;
    uint32_t i = used < ALLOC_SLOTS ? atomic_fetch_add(&board->used, 1) : ALLOC_SLOTS;
    if (i < ALLOC_SLOTS) {
        slot = &board->slot[i];
        atomic_store(&slot->image, image);
        atomic_store(&board->pid[i], pid);
    } else {
        atomic_fetch_add(&board->crowded, 1);
    }
    atomic_store(&place->pid, pid);
    atomic_store(&place->slot, slot);
    return slot;
}

static struct alloc_slot *own_slot(void)
{
    if (!place)
        return &early;
    struct alloc_slot *slot = atomic_load_explicit(&place->slot, memory_order_acquire);
    if (!slot || (!wiped_by_fork && atomic_load(&place->pid) != (pid_t)syscall(SYS_getpid))) {
        int error = errno;
        slot = take_slot();
        errno = error;
    }
    return slot;
}

static void after_fork(void)
{
    own_slot();
}

static struct alloc_board *map_board(const char *path)
{
    if (!path)
        return NULL;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct stat st;
    void *at = MAP_FAILED;
    if (!fstat(fd, &st) && st.st_size == (off_t)sizeof(struct alloc_board))
        at = mmap(NULL, sizeof(struct alloc_board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (at == MAP_FAILED)
        return NULL;
    if (((struct alloc_board *)at)->layout == ALLOC_BOARD_LAYOUT)
        return at;
    munmap(at, sizeof(struct alloc_board));
    return NULL;
}

/* From the kernel, as tare reads it: qemu-user answers /proc/self itself, with another number. Field 28, counted from 1; the name (field 2) may
 * hold anything, but no line is longer than the room. */
static uint64_t read_image(void)
{
    char text[1024];
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 28; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void move_early(struct alloc_slot *to)
{
    if (to == &early)
        return;
    add(&to->live_bytes, atomic_exchange(&early.live_bytes, 0));
    add(&to->allocations, atomic_exchange(&early.allocations, 0));
    add(&to->reallocations, atomic_exchange(&early.reallocations, 0));
    add(&to->frees, atomic_exchange(&early.frees, 0));
    add(&to->allocated_bytes, atomic_exchange(&early.allocated_bytes, 0));
    add(&to->failures, atomic_exchange(&early.failures, 0));
    if (value(&early.peak_bytes) > value(&to->peak_bytes)) {
        atomic_store(&to->peak_bytes, value(&early.peak_bytes));
        atomic_store(&to->peak_ns, value(&early.peak_ns));
    }
}

__attribute__((constructor)) static void attach(void)
{
    int error = errno;
    board = map_board(getenv(ALLOC_BOARD_VARIABLE));
    void *page = board ? mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (page != MAP_FAILED) {
        wiped_by_fork = !madvise(page, sizeof *place, MADV_WIPEONFORK);
        image = read_image();
        place = page;
        move_early(take_slot());
        pthread_atfork(NULL, NULL, after_fork); /* so that a child which allocates nothing is known too */
    }
    errno = error;
}

static int64_t now_ns(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) ? 0 : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void grow(struct alloc_slot *s, int64_t bytes)
{
    int64_t live = atomic_fetch_add_explicit(&s->live_bytes, bytes, memory_order_relaxed) + bytes;
    int64_t peak = value(&s->peak_bytes);
    while (live > peak)
        if (atomic_compare_exchange_weak_explicit(&s->peak_bytes, &peak, live, memory_order_relaxed, memory_order_relaxed)) {
            atomic_store_explicit(&s->peak_ns, now_ns(), memory_order_relaxed);
            break;
        }
}

static void count_new(size_t asked, size_t room)
{
    struct alloc_slot *s = own_slot();
    add(&s->allocations, 1);
    add(&s->allocated_bytes, (int64_t)asked);
    grow(s, (int64_t)room);
}

static void count_failure(void)
{
    add(&own_slot()->failures, 1);
}

static void count_changed(size_t asked, size_t room_before, size_t room)
{
    struct alloc_slot *s = own_slot();
    add(&s->reallocations, 1);
    if (asked > room_before)
        add(&s->allocated_bytes, (int64_t)(asked - room_before));
    grow(s, (int64_t)room - (int64_t)room_before);
}

static void count_gone(size_t room)
{
    struct alloc_slot *s = own_slot();
    add(&s->frees, 1);
    add(&s->live_bytes, -(int64_t)room);
}

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
