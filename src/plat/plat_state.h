/* SPDX-License-Identifier: MIT
 *
 * plat_state.h - a folder for what must outlast us, used by one process at a time, and one file in it that only grows.
 *
 *     struct plat_state *s;
 *     status = plat_state_open(&s, "/var/lib/tare", &err);           // BUSY: another process has it
 *     status = plat_state_create(s, "journal", &err);
 *     status = plat_state_append(s, line, n, true, &err);            // on the disk when this returns
 *     status = plat_state_remove(s, "journal", &err);
 *     plat_state_close(s);
 *
 * Whoever reads the file acts by it, maybe as root. So no link is followed, and a folder or file that others could have written or put there is refused.
 * The lock is on the open folder: it ends with the last process that has inherited it, whatever ends that, and leaves no file behind.
 * Ownership: the struct is the caller's until plat_state_close. One thread.
 */
#ifndef PLAT_STATE_H
#define PLAT_STATE_H

#include "buf.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

struct plat_state;

/* Makes the folder, for us alone, and those above it that are missing; then locks it. BUSY: another holds the lock. PERMISSION: not ours, open to others to
 * write, or a link. */
enum tare_status plat_state_open(struct plat_state **out, const char *folder, struct tare_err *err);
/* Without making or locking anything, for a look: NOT_FOUND when it is not there. */
enum tare_status plat_state_look(struct plat_state **out, const char *folder, struct tare_err *err);
void plat_state_close(struct plat_state *s); /* NULL is fine */
/* Appends the folder in which tare's own folder of state lies: $XDG_STATE_HOME, else that of the user that we are, "/home/u/.local/state", of root "/var/lib".
 * of_machine: of root it is that whatever is set, so that all who change the machine meet there. False: nothing says where. */
bool plat_state_home(bool of_machine, struct buf *out);
bool plat_is_root(void);

/* Appended to out, whose cap holds. NOT_FOUND; PERMISSION: not a plain file, not ours, or others may write it. */
enum tare_status plat_state_read(struct plat_state *s, const char *name, struct buf *out, struct tare_err *err);
/* The file that plat_state_append writes: a new one, or one that is there, of which what stands behind so many bytes is cut off. */
enum tare_status plat_state_create(struct plat_state *s, const char *name, struct tare_err *err);
enum tare_status plat_state_continue(struct plat_state *s, const char *name, int64_t bytes, struct tare_err *err);
/* Whole or error; `durable`: flushed to the disk too. */
enum tare_status plat_state_append(struct plat_state *s, const void *bytes, size_t n, bool durable, struct tare_err *err);
enum tare_status plat_state_remove(struct plat_state *s, const char *name,
                                   struct tare_err *err); /* OK too when it is not there */

/* The descriptors that a process needs that goes on with it: how many, at most 2. */
int plat_state_descriptors(const struct plat_state *s, int fds[2]);

#endif
