/* SPDX-License-Identifier: MIT
 *
 * How long a load takes, from the first cache to memory: a walk along pointers.
 *
 * Each line of the block holds the address of the next one, so no load can begin before the one ahead of it has ended, and the order is
 * random, so nothing can be fetched in advance. The steps in the table are the cache sizes of the machine. From some size on the walk also
 * leaves the TLB, which is part of what a random access costs and is not taken off.
 */
#include <tare/tare.h>

/* As large as a cache line of today's x86-64 and most aarch64: two links in one line would make every second load free. */
union link {
    union link *next;
    char line[64];
};

static uint64_t random_below(uint64_t *seed, uint64_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % n;
}

/* One cycle through all n links, in random order: Sattolo's shuffle, which differs from the usual one in that no link ever trades places
 * with itself, and so never leaves a shorter cycle. Successors are indices first, kept in the links themselves. */
static void tie(union link *links, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++)
        links[i].next = &links[i];
    for (uint64_t i = n - 1; i > 0; i--) {
        uint64_t j = random_below(&seed, i);
        union link *other = links[j].next;
        links[j].next = links[i].next;
        links[i].next = other;
    }
}

TARE_BENCH(chase, .args = TARE_NAMED("KiB", 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072))
{
    size_t bytes = (size_t)tare_arg(st, 0) * 1024;
    union link *links = tare_alloc(st, bytes);
    if (!links)
        return;
    tie(links, bytes / sizeof *links, tare_seed(st));
    const union link *at = links;
    TARE_LOOP(st)
    {
        at = at->next;
        tare_chain(at);
    }
    tare_use(at);
}

TARE_MAIN()
