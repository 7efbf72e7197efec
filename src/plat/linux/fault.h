/* SPDX-License-Identifier: MIT
 *
 * fault.h - between fault.c and the file of each processor: whether a faulting access was a write.
 */
#ifndef FAULT_H
#define FAULT_H

#include "plat_process.h"

/* ucontext: the third argument of a handler. */
enum plat_access fault_access(const void *ucontext);

#endif
