/* SPDX-License-Identifier: MIT
 *
 * plat_guard.h - a process that does something when this one has ended, whatever ended it.
 *
 *     struct plat_guard *g;
 *     status = plat_guard_start(&g, &(struct plat_guard_spec){.when_gone = undo, .context = x, .keep = fds, .n_keep = 2}, &err);
 *     ...
 *     status = plat_guard_end(g, &err);        // all is well: it goes, and nothing is called
 *
 * The guard is, but on Windows, a fork of this process in a session of its own: start it before any thread. It keeps the descriptors named and standard error, no others; no
 * signal but SIGKILL ends it. It waits on this process itself (a pidfd), so that nothing that our children inherit keeps it waiting. Kernels before 5.3 have no such
 * descriptor: there it waits on a socket whose other end is ours, and looks ten times a second whether it still is our child, for a child of ours that started no other
 * program holds that end too.
 */
#ifndef PLAT_GUARD_H
#define PLAT_GUARD_H

#include <stdint.h>
#include <tare/status.h>

struct plat_guard;

struct plat_guard_spec {
    /* The words, our name first, that this program is started with to do the same after our end, where no process can be copied (Windows). NULL: none. */
    const char *const *again;
    int (*when_gone)(void *context); /* in the guard, after our end; what it returns is its exit code */
    void *context;                   /* as it was when the guard was started */
    const int *keep;                 /* descriptors that when_gone needs */
    int n_keep;
};

/* IO: no further process is to be had. UNSUPPORTED: this system has no such thing. */
enum tare_status plat_guard_start(struct plat_guard **out, const struct plat_guard_spec *spec, struct tare_err *err);
int plat_guard_pid(const struct plat_guard *g);
/* g is gone either way. IO: it had ended before, err says how; nothing would have been done after our end. */
enum tare_status plat_guard_end(struct plat_guard *g, struct tare_err *err);

/* Says one line on standard error, where anybody listens; for a process that has no one else to tell. */
void plat_say_alone(const char *line);

#endif
