/* SPDX-License-Identifier: MIT
 *
 * Four bits at a time: a table of 16, which fits one cache line and needs no making. */
#include "crc.h"

static const uint32_t of_four_bits[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                          0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                          0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

uint32_t crc_more(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < n; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ of_four_bits[crc & 15];
        crc = crc >> 4 ^ of_four_bits[crc & 15];
    }
    return ~crc;
}

uint32_t crc_of(const void *bytes, size_t n)
{
    return crc_more(0, bytes, n);
}
