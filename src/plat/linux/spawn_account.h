/* SPDX-License-Identifier: MIT
 *
 * spawn_account.h - what explains a run, read from /proc by the spawn helper and put into the block as it is.
 *
 *     spawn_account_own(own_pid);                 // once
 *     spawn_account_open(pid);                    // by the child while it is parked, else by the helper once it is made
 *     spawn_account_waiter(block, 0);             // by the helper, before it lets the child go
 *     spawn_account_start(block);                 // by the child, just before its stamp
 *     ...                                         // the run
 *     spawn_account_waiter(block, 1);             // by the helper, of the zombie, as what follows
 *     ...                                         // its usage into the block
 *     all = spawn_account_zombie(block);          // whether the first thread speaks for all of that, or has no account
 *     spawn_account_end(block, pid);
 *     spawn_account_close();
 *
 * What cannot be read is an empty text. One child at a time; no C library.
 */
#ifndef SPAWN_ACCOUNT_H
#define SPAWN_ACCOUNT_H

#include "spawn_block.h"

void spawn_account_own(int pid);
void spawn_account_open(int pid);
void spawn_account_waiter(struct spawn_block *b, int after);
void spawn_account_start(struct spawn_block *b);
int spawn_account_zombie(struct spawn_block *b);
void spawn_account_end(struct spawn_block *b, int pid);
void spawn_account_close(void);

#endif
