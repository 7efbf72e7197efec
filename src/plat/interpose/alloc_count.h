/* SPDX-License-Identifier: MIT
 *
 * alloc_count.h - inside libtare_alloc.so: the counts of this process. Safe in any thread, before main and after fork; allocates
 * nothing and keeps errno.
 */
#ifndef ALLOC_COUNT_H
#define ALLOC_COUNT_H

#include <stddef.h>

void count_new(size_t asked, size_t room);
void count_failure(void);
void count_changed(size_t asked, size_t room_before, size_t room);
void count_gone(size_t room);

#endif
