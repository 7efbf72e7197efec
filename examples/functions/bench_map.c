/* SPDX-License-Identifier: MIT
 *
 * A small hash map: finding keys that are there, keys that are not, and filling the map.
 *
 * Open addressing, linear probing, at most half full, keys and values of 64 bits. `find` and `find_chained` look up the same keys, but in the
 * second the next key waits for the answer before it: what a look-up costs when the processor can do several at once (throughput), and
 * when it cannot (latency). Both are true; know which one your program meets.
 */
#include <string.h>
#include <tare/tare.h>

/* Key 0 marks an empty slot. The number of slots is a power of two. */
struct slot {
    uint64_t key, value;
};
struct map {
    struct slot *slots;
    uint64_t mask;
};

/* A bijection whose low bits depend on all bits of x (multiply and fold, twice). */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static struct slot *slot_of(const struct map *m, uint64_t key)
{
    uint64_t i = mix(key) & m->mask;
    while (m->slots[i].key != 0 && m->slots[i].key != key)
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

static void map_set(struct map *m, uint64_t key, uint64_t value)
{
    *slot_of(m, key) = (struct slot){key, value};
}

static uint64_t map_get(const struct map *m, uint64_t key)
{
    return slot_of(m, key)->value; /* 0 where there is none */
}

/* Room for n keys (a power of two). NULL slots: no memory. */
static struct map map_for(struct tare_state *st, uint64_t n)
{
    struct map m = {tare_alloc(st, 2 * n * sizeof(struct slot)), 2 * n - 1};
    if (m.slots)
        memset(m.slots, 0, 2 * n * sizeof(struct slot));
    return m;
}

/* Key number i: odd, so never 0; numbers from n on are not in a map of n keys. */
static uint64_t key_of(uint64_t seed, uint64_t i)
{
    return mix(seed + i) | 1;
}

#define SIZES TARE_NAMED("keys", 64, 4096, 262144)

/* A full map and its keys, in one order for all processes with one seed. */
struct subject {
    struct map map;
    uint64_t *keys;
    uint64_t n;
};

static bool subject_make(struct subject *s, struct tare_state *st)
{
    s->n = (uint64_t)tare_arg(st, 0);
    s->map = map_for(st, s->n);
    s->keys = tare_alloc(st, s->n * sizeof *s->keys);
    if (!s->map.slots || !s->keys)
        return false;
    for (uint64_t i = 0; i < s->n; i++) {
        s->keys[i] = key_of(tare_seed(st), i);
        map_set(&s->map, s->keys[i], i + 1);
    }
    return true;
}

TARE_BENCH(find, .args = SIZES)
{
    struct subject s;
    if (!subject_make(&s, st))
        return;
    uint64_t at = 0;
    TARE_LOOP(st)
    {
        tare_use(map_get(&s.map, s.keys[at]));
        at = (at + 1) & (s.n - 1);
    }
    tare_check(st, map_get(&s.map, s.keys[0]) != 0);
    tare_items(st, 1);
}

TARE_BENCH(find_chained, .args = SIZES)
{
    struct subject s;
    if (!subject_make(&s, st))
        return;
    uint64_t at = 0;
    TARE_LOOP(st)
    {
        /* The value of key number i is i + 1: each answer is the number of the next key. */
        at = map_get(&s.map, s.keys[at]) & (s.n - 1);
        tare_chain(at);
    }
    tare_items(st, 1);
}

TARE_BENCH(miss, .args = SIZES)
{
    struct subject s;
    if (!subject_make(&s, st))
        return;
    uint64_t at = 0;
    for (uint64_t i = 0; i < s.n; i++)
        s.keys[i] = key_of(tare_seed(st), s.n + i);
    TARE_LOOP(st)
    {
        tare_use(map_get(&s.map, s.keys[at]));
        at = (at + 1) & (s.n - 1);
    }
    tare_items(st, 1);
}

/* One iteration fills a map from empty: emptying it is part of the work, as there is no map to fill otherwise. */
TARE_BENCH(fill, .args = SIZES)
{
    struct subject s;
    if (!subject_make(&s, st))
        return;
    TARE_LOOP(st)
    {
        memset(s.map.slots, 0, 2 * s.n * sizeof(struct slot));
        for (uint64_t i = 0; i < s.n; i++)
            map_set(&s.map, s.keys[i], i + 1);
        tare_clobber();
    }
    tare_check(st, map_get(&s.map, s.keys[s.n - 1]) != 0);
    tare_items(st, (double)s.n);
}

TARE_MAIN()
