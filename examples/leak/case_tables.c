/* SPDX-License-Identifier: MIT
 *
 * Tables that are read by a secret index, and a table of chains. Warm, all lines of a table are in the nearest cache and nothing
 * shows; cold (--cache cold) each line that is touched costs. */
#include "leak_cases.h"
#include <stdlib.h>

enum { INDICES = 32, LINE = 64 };

/* ---- one line, many lines, and all of them whatever the index ---- */

static _Alignas(4096) unsigned char one_line[LINE] = {7, 1, 14, 3, 9};
static _Alignas(4096) unsigned char many_lines[256 * LINE];

static void *fill_tables(void *context)
{
    (void)context;
    for (size_t i = 0; i < sizeof many_lines; i++)
        many_lines[i] = (unsigned char)(i * 167 + i / 256);
    return tare_leak_memory(one_line, sizeof one_line) && tare_leak_memory(many_lines, sizeof many_lines) ? many_lines : NULL;
}

TARE_LEAK(table_one_line, .bytes = INDICES, .classes = TARE_CLASSES("zero", "random"), .setup = fill_tables)
{
    uint64_t sum = 0;
    for (int i = 0; i < INDICES; i++)
        sum += one_line[in[i] % LINE];
    return sum;
}

TARE_LEAK(table_many_lines, .bytes = INDICES, .classes = TARE_CLASSES("zero", "random"), .setup = fill_tables)
{
    uint64_t sum = 0;
    for (int i = 0; i < INDICES; i++)
        sum += many_lines[in[i] * LINE];
    return sum;
}

TARE_LEAK(table_full_scan, .bytes = 4, .classes = TARE_CLASSES("zero", "random"), .setup = fill_tables)
{
    unsigned found = 0;
    for (int k = 0; k < 4; k++)
        for (unsigned i = 0; i < 256; i++) {
            unsigned differs = i ^ in[k];
            found += many_lines[i * LINE] & ((differs - 1) >> 24); /* all ones where they are equal */
        }
    return found;
}

/* ---- a load of eight bytes within a line, or from two ---- */

static _Alignas(LINE) unsigned char two_lines[2 * LINE]; /* zeros */

static void offsets(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    bit_of_class(in, 8, which, random);
}

TARE_LEAK(line_split_load, .bytes = 8, .classes = TARE_CLASSES("within", "across"), .make = offsets)
{
    uint64_t offset = in[0] & 1 ? LINE - 4 : 0;
    for (int i = 0; i < 4; i++) {
        offset += load64(two_lines + tare_opaque(offset)); /* each address waits for the load before */
    }
    return offset;
}

/* ---- a cipher by tables: four of 1 KiB, as AES has them, four rounds ---- */

static _Alignas(4096) uint32_t round_tables[4][256];

static void *fill_round_tables(void *context)
{
    (void)context;
    for (uint32_t t = 0; t < 4; t++)
        for (uint32_t i = 0; i < 256; i++)
            round_tables[t][i] = (i + 1) * 2654435761u ^ t * 0x9e3779b9u;
    return tare_leak_memory(round_tables, sizeof round_tables) ? round_tables : NULL;
}

TARE_LEAK(cipher_by_tables, .bytes = 16, .classes = TARE_CLASSES("fixed", "random"), .setup = fill_round_tables)
{
    uint32_t s[4], t[4];
    memcpy(s, in, sizeof s);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 4; i++)
            t[i] = round_tables[0][s[i] & 255] ^ round_tables[1][s[(i + 1) % 4] >> 8 & 255] ^
                   round_tables[2][s[(i + 2) % 4] >> 16 & 255] ^ round_tables[3][s[(i + 3) % 4] >> 24];
        memcpy(s, t, sizeof s);
    }
    return s[0] ^ s[1] ^ s[2] ^ s[3];
}

/* ---- a hash table whose attacker knows which keys collide ---- */

enum { CHAINS = 64, IN_LONG_CHAIN = 64 };

struct entry {
    uint64_t key;
    struct entry *next;
};
struct chains {
    struct entry entries[CHAINS + IN_LONG_CHAIN];
    struct entry *first[CHAINS];
};

/* One entry in each chain, and many more in the first. */
static void *chains_open(void *context)
{
    struct chains *c = calloc(1, sizeof *c);
    (void)context;
    for (uint64_t i = 0; c && i < CHAINS + IN_LONG_CHAIN; i++) {
        uint64_t chain = i < CHAINS ? i : 0;
        c->entries[i] = (struct entry){.key = (i + 1) * CHAINS + chain, .next = c->first[chain]};
        c->first[chain] = &c->entries[i];
    }
    return c;
}

static void keys(void *state, int which, unsigned char *in, struct tare_random *random)
{
    (void)state;
    uint64_t any = tare_random_next(random) | (uint64_t)1 << 63, chain = 1 + tare_random_below(random, CHAINS - 1);
    uint64_t key = (any & ~(uint64_t)(CHAINS - 1)) | (which ? 0 : chain);
    memcpy(in, &key, sizeof key);
}

TARE_LEAK(hash_collisions, .bytes = 8, .classes = TARE_CLASSES("usual", "colliding"), .make = keys, .setup = chains_open,
          .teardown = free)
{
    const struct chains *c = state;
    uint64_t key = load64(in), steps = 0;
    for (const struct entry *e = c->first[key % CHAINS]; e && e->key != key; e = e->next)
        steps++;
    return steps;
}
