/* SPDX-License-Identifier: MIT
 *
 * tare/detail/point_pe.h - the points of a program or DLL of Windows; a part of tare/point.h and sampler.h, which include it there.
 *
 * The linker puts the pointers of all object files into one section, whose place the head of the image tells. Between those of two object files
 * may be zeros.
 */
#ifndef TARE_DETAIL_POINT_PE_H
#define TARE_DETAIL_POINT_PE_H

#include <stdint.h>

struct tare_section {
    void *first, *end;
};

/* The section of the image at `base` that `inside` lies in. */
__attribute__((__unused__)) static struct tare_section tare_section_of(char *base, const void *inside)
{
    int32_t head;
    uint16_t sections, optional;
    struct tare_section none = {0, 0};
    __builtin_memcpy(&head, base + 0x3c, sizeof head);
    __builtin_memcpy(&sections, base + head + 6, sizeof sections);
    __builtin_memcpy(&optional, base + head + 20, sizeof optional);
    for (const char *at = base + head + 24 + optional; sections > 0; at += 40, sections--) {
        uint32_t place[2]; /* bytes, and from where */
        __builtin_memcpy(place, at + 8, sizeof place);
        struct tare_section s = {base + place[1], base + place[1] + place[0] / sizeof(void *) * sizeof(void *)};
        if (inside >= s.first && inside < s.end)
            return s;
    }
    return none;
}

extern char tare_image[] __asm__("__ImageBase");

/* Says to PREFIX_enter and PREFIX_leave where the pointers are. The one here is NULL: it keeps those of its object file from linkers that remove what nobody
 * asks for. */
#define TARE_POINT_SECTION(prefix, type, name)                                                  \
    static struct type *prefix##_of_object __attribute__((__section__(name), __used__));        \
    void prefix##_enter(struct type **first, struct type **end);                                \
    void prefix##_leave(struct type **first);                                                   \
    __attribute__((__constructor__(200))) static void prefix##_here(void)                       \
    {                                                                                           \
        const struct tare_section s = tare_section_of(tare_image, &prefix##_of_object);         \
        prefix##_enter((struct type **)s.first, (struct type **)s.end);                         \
    }                                                                                           \
    __attribute__((__destructor__(200))) static void prefix##_no_more(void)                     \
    {                                                                                           \
        prefix##_leave((struct type **)tare_section_of(tare_image, &prefix##_of_object).first); \
    }

#endif
