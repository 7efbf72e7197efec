/* SPDX-License-Identifier: MIT
 *
 * Where the counts go: a slot of the board (alloc_board.h), or, before the constructor ran and where there is no board, a slot of
 * our own.
 *
 * A forked process must not go on counting in its parent's slot. The pointer to the slot lies in a page that the kernel empties
 * in the child of every fork, also of one that was made without the C library; where the kernel cannot do that each call asks for
 * the process id. A child of vfork shares our memory, heap and slot alike, which is right as it is.
 */
#include "alloc_count.h"
#include "alloc_board.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/* ---- the slot ---- */

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

/* ---- the board ---- */

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

/* Read where tare reads it, so that both have the same number. Field 28, counted from 1; the name, which is the second, may hold
 * anything, but no line is longer than the room. */
static uint64_t read_image(void)
{
    char text[1024];
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
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

/* ---- counting ---- */

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

void count_new(size_t asked, size_t room)
{
    struct alloc_slot *s = own_slot();
    add(&s->allocations, 1);
    add(&s->allocated_bytes, (int64_t)asked);
    grow(s, (int64_t)room);
}

void count_failure(void)
{
    add(&own_slot()->failures, 1);
}

void count_changed(size_t asked, size_t room_before, size_t room)
{
    struct alloc_slot *s = own_slot();
    add(&s->reallocations, 1);
    if (asked > room_before)
        add(&s->allocated_bytes, (int64_t)(asked - room_before));
    grow(s, (int64_t)room - (int64_t)room_before);
}

void count_gone(size_t room)
{
    struct alloc_slot *s = own_slot();
    add(&s->frees, 1);
    add(&s->live_bytes, -(int64_t)room);
}
