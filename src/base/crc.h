/* SPDX-License-Identifier: MIT
 *
 * crc.h - CRC-32 as zip and Ethernet have it: reflected, polynomial 04C11DB7h, begun and ended with all ones. The nine digits
 * "123456789" give CBF43926h.
 *
 *     uint32_t crc = crc_of(bytes, n);
 *     uint32_t both = crc_more(crc_of(a, n), b, m);        // of a and b one behind the other
 *
 * Tells torn bytes from whole ones, not friends from enemies. Any thread; no state.
 */
#ifndef CRC_H
#define CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc_of(const void *bytes, size_t n);
uint32_t crc_more(uint32_t crc, const void *bytes, size_t n);

#endif
