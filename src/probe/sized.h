/* SPDX-License-Identifier: MIT
 *
 * sized.h - an option struct that a program filled, with the fields that this libtare knows. Each begins with its size as the program's header has it
 * (TARE_INIT); fields only ever come at the end, and zero is the default of each.
 *
 *     const char *wrong = sized_read(&full, sizeof full, offsetof(struct tare_bench, args), bench);
 */
#ifndef SIZED_H
#define SIZED_H

#include <stddef.h>
#include <string.h>

/* room: of the struct here; least: what no program leaves out. NULL: it is read, else what is wrong with it. */
static inline const char *sized_read(void *out, size_t room, size_t least, const void *in)
{
    size_t size;
    memcpy(&size, in, sizeof size);
    if (size < least)
        return "without its size: begin with TARE_INIT";
    for (size_t i = room; i < size; i++)
        if (((const unsigned char *)in)[i])
            return "with options of a newer libtare than this one";
    memset(out, 0, room);
    memcpy(out, in, size < room ? size : room);
    return NULL;
}

#endif
