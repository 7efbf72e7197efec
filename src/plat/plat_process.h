/* SPDX-License-Identifier: MIT
 *
 * plat_process.h - what a measured program asks of its own process: bytes through a descriptor that it inherited, its memory.
 *
 *     struct plat_process_memory m;
 *     plat_process_peak_forget();
 *     work();
 *     plat_process_memory(&m);            // m.peak_bytes: the most since
 *
 * One thread.
 */
#ifndef PLAT_PROCESS_H
#define PLAT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tare/status.h>

int64_t plat_process_id(void);
/* Whole or error. */
enum tare_status plat_process_write(int fd, const void *bytes, size_t n, struct tare_err *err);
/* Created or emptied; each write goes to its end, whichever process makes it; not inherited by programs that are executed. -1 on failure. */
int plat_process_open_output(const char *path, struct tare_err *err);

struct plat_process_memory {
    int64_t now_bytes, peak_bytes; /* resident; -1: the system does not say */
};
/* False: it tells neither. */
bool plat_process_memory(struct plat_process_memory *out);
/* The peak begins anew at what is resident now. False: it cannot be forgotten, and goes back to the start of the process. */
bool plat_process_peak_forget(void);

/* Whether of one file the last one of constructors without a priority is run first. */
bool plat_constructors_backwards(void);

/* Starts this program once more, with its arguments, its environment and one variable more, whose value is "VALUE DESCRIPTOR": the
 * descriptor takes the answer, of which up to size bytes are kept, *n of them. Its standard streams are /dev/null. Returns when it has
 * ended. CHILD: ended by a signal, or after timeout_ns by us. Nothing is asserted about its exit code. UNSUPPORTED, IO: it cannot be
 * started. */
enum tare_status plat_process_again(const char *variable, const char *value, int64_t timeout_ns, void *answer, size_t size,
                                    size_t *n, struct tare_err *err);
/* The value of a variable, which is taken out of the environment. False: it is not there, or not that short. out NULL: it is only taken out, and
 * what getenv gave before stays readable. */
bool plat_process_take_variable(const char *variable, char *out, size_t size);
/* Calls run(context, i) for i from 0 to n - 1, each in a thread of its own, the first in the calling one; returns when all have. Either all
 * run or none: IO, when the system gives no more threads. */
enum tare_status plat_threads_run(int n, void (*run)(void *context, int thread), void *context, struct tare_err *err);
/* Calls run(context); where that ends its thread, by pthread_exit or a cancellation, ended(context) is called before the thread is gone. */
void plat_thread_watched(void (*run)(void *context), void (*ended)(void *context), void *context);
void plat_thread_yield(void); /* gives the CPU to whoever waits for it */

/* ---- memory with walls, and what happens at them ---- */

struct plat_guarded {
    unsigned char *memory; /* zeroed, whole pages; the page before it and the page behind it cannot be touched */
    size_t size;           /* at least what was asked for */
    void *all;
    size_t all_size;
};
enum tare_status plat_guarded_create(struct plat_guarded *out, size_t bytes, struct tare_err *err);
void plat_guarded_destroy(struct plat_guarded *g); /* a zeroed one is fine */
/* Whether the address lies in one of its two walls. */
static inline bool plat_guarded_wall(const struct plat_guarded *g, uintptr_t address)
{
    uintptr_t first = (uintptr_t)g->all, memory = (uintptr_t)g->memory;
    bool within = g->all && address >= first && address < first + g->all_size;
    return within && !(address >= memory && address < memory + g->size);
}

enum plat_access { PLAT_ACCESS_UNKNOWN, PLAT_ACCESS_READ, PLAT_ACCESS_WRITE };
struct plat_fault {
    int signal;
    const char *name;  /* "SIGSEGV" */
    uintptr_t address; /* where it touched memory that it may not; 0 for other signals */
    enum plat_access access;
};
/* run(context), out of which signals that a fault of its code raises (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP) lead back here: false, and
 * *out says what it was. What the code held (memory, locks) it holds still: say what is to be said, from memory that is there,
 * and end the process. Only in the calling thread; the same signals in others end the process as ever. Not nested. */
bool plat_fault_catch(void (*run)(void *context), void *context, struct plat_fault *out);

/* Bytes that malloc has given out and not got back, what it keeps for itself of small ones included; -1: it does not tell. */
int64_t plat_heap_bytes(void);

/* From now on a process that is forked from this one knows that it was. */
void plat_forks_watch(void);
/* A number that grows when this process, watched, starts another by fork of the C library, and in whatever way when it waited for its end. */
int64_t plat_forks_seen(void);
/* In such a process: ends it at once. Else it does nothing, and costs a load. Behind code of others, that it forked and went on in both
 * must not make two of what follows. */
void plat_forked_end(void);
/* Ends this process at once: no handlers, no buffers written. */
_Noreturn void plat_process_end(int code);

#endif
