/* SPDX-License-Identifier: MIT
 *
 * copied_file.h - what a file of a copied tree holds after something was written to it: what the kernel would do, which is not there.
 *
 *     copied_file_takes(&b, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", "never");   // "always madvise [never]\n"
 *
 * The word in brackets moves; "+cpuset" and "-cpuset" in a group's cgroup.subtree_control add and take a word; a task written to a group's list joins it, by number.
 * Anything else takes the place of what was there. The line end stays as it was. Pure.
 */
#ifndef COPIED_FILE_H
#define COPIED_FILE_H

#include "buf.h"
#include <stdbool.h>

/* False: the kernel would not take it (a word that is not offered); out is then as it was. */
bool copied_file_takes(struct buf *out, const char *path, const char *held, const char *text);
/* A group's list without this task: in a machine it leaves by joining another. */
void copied_file_loses(struct buf *out, const char *held, const char *task);

#endif
