/* SPDX-License-Identifier: MIT */
#ifndef TRAPS_OTHER_H
#define TRAPS_OTHER_H

#include <stdint.h>

__attribute__((const)) uint64_t other_pure(uint64_t x);
uint64_t other_plain(uint64_t x);
void other_into(uint64_t x, uint64_t *out);

#endif
