/* SPDX-License-Identifier: MIT
 *
 * plat_trace.h - what control points ask of the system: a file that is memory, a page that a forked child finds empty, quiet around
 * the slow path.
 *
 *     struct plat_quiet quiet;
 *     plat_quiet_begin(&quiet);                      // no signal handler runs in this thread, errno is kept
 *     int error = plat_window_grow(&w, offset, bytes);
 *     if (!error)
 *         plat_window_ready(&w, offset, bytes);
 *     plat_quiet_end(&quiet);
 *
 * All of it may be called from signal handlers and in forked children: system calls alone, none of them a point where a thread is cancelled,
 * no memory of the heap, but where it is said. Failures are the system's error numbers, which a file of traces keeps; 0 is success.
 */
#ifndef PLAT_TRACE_H
#define PLAT_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

/* ---- quiet ---- */

struct plat_quiet {
    uint64_t signals[16];
    int error;
};
void plat_quiet_begin(struct plat_quiet *q);
void plat_quiet_end(const struct plat_quiet *q);

/* ---- who we are ---- */

/* A variable of the environment; NULL too where this process has more rights than whoever set it (set-user-id programs). */
const char *plat_trusted_getenv(const char *name);

uint64_t plat_process_start(void); /* when this process began, as the system counts; with its number it names it. 0: not told */
int64_t plat_process_parent(void);
uint32_t plat_thread_number(void); /* as the system has it */
void plat_thread_title(char title[16]);
/* The file that is executed; a text closed by a zero, cut, empty where it is not told. */
void plat_process_program(char *out, size_t size);
/* The arguments, a zero behind each; those that do not fit are left out, the last cut. How many there are. */
uint64_t plat_process_arguments(char *out, size_t size);

/* ---- memory ---- */

/* Zeroed pages; NULL: there are none. */
void *plat_pages(size_t bytes);
void plat_pages_free(void *pages, size_t bytes);
/* From now on a forked child finds zeros in these whole pages, which are zeroed now too. False: this system has no such memory. Where the C
 * library forks, `forked` is called in the child as well, which may write zeros there. */
bool plat_wiped_on_fork(void *pages, size_t bytes, void (*forked)(void));

/* ---- a file that is memory ---- */

enum { PLAT_WINDOW_PATH = 3200 };

/* Its bytes stand at base + offset; those that were grown may be touched, and are in the file however the process ends. */
struct plat_window {
    unsigned char *base; /* NULL: there is none */
    uint64_t bytes;      /* addresses that are kept for it */
    uint64_t device, inode;
    int fd;          /* for growing; programs that close it do no harm as long as the path is there */
    uint64_t mapped; /* Windows: bytes from its begin on */
    char path[PLAT_WINDOW_PATH];
};
/* A new file, for its owner alone; path may be w->path. Room for addresses up to bytes_max, less where the process may not have so many. EEXIST, EACCES ... */
int plat_window_create(struct plat_window *w, const char *path, uint64_t bytes_max);
/* The bytes from offset on belong to the file and are zero: their room on the disk is certain. ENOSPC, EDQUOT, EFBIG (of ulimit too, without
 * its signal), ENOMEM; other threads may grow other parts meanwhile. offset and bytes: multiples of 16 KiB. */
int plat_window_grow(struct plat_window *w, uint64_t offset, uint64_t bytes);
/* Fetches them, so that no store meets a page fault. */
void plat_window_ready(const struct plat_window *w, uint64_t offset, uint64_t bytes);
/* They will hardly be touched again: they need not stay in memory. */
void plat_window_leave(const struct plat_window *w, uint64_t offset, uint64_t bytes);
/* Onto the disk. */
int plat_window_sync(const struct plat_window *w, uint64_t offset, uint64_t bytes);
/* Puts the number `to` in place of `from` at that place of another file, one of our own. */
void plat_window_mark(const char *path, uint64_t offset, uint32_t from, uint32_t to);
/* In a forked child, which inherited it: its addresses stay, as far as they were grown, the descriptor goes. */
void plat_window_inherited(struct plat_window *w, uint64_t grown_bytes);

/* ---- what points know of a thread ---- */

struct tare_trace_thread; /* tare/detail/point_hit.h */
/* The calling thread's, zeroed before its first call. NULL: there is no memory. */
struct tare_trace_thread *plat_trace_thread(void);
/* Before points look for it: whether they find it by themselves, where that needs one in the slot of this number. False: they are to ask us each time. */
bool plat_trace_thread_in_line(uint32_t *slot);
void plat_trace_thread_end(void); /* at the thread's end */

/* ---- the end of a thread ---- */

/* Calls ended(value) when a thread that called plat_thread_at_end ends, in that thread. False: the system gives no such key. */
bool plat_thread_ends_watch(void (*ended)(void *value));
void plat_thread_at_end(void *value); /* may allocate, in a thread with very many keys */
/* Before the code of `ended` goes away. */
void plat_thread_ends_forget(void);
/* This thread is the last: the system has ended the others, whatever they had in hand. Nobody waits for them. */
bool plat_process_ends(void);

#endif
