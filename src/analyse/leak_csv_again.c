/* SPDX-License-Identifier: MIT
 *
 * Calls that are there twice, as of a file that was joined with itself: evidence would grow, and bounds shrink, by nothing.
 *
 * Stretches that begin at each STRETCH-th call are found again, wherever they begin there, by a hash that rolls along the calls (Karp and Rabin). In so
 * many calls TELLING times that are not the one before come again by chance in no two measurements.
 */
#include "leak_csv.h"
#include <stdlib.h>
#include <string.h>

enum { STRETCH = 512, TELLING = 64 };

static const uint64_t ROLL = 0x9e3779b97f4a7c15;

static uint64_t hash_of_call(const struct leak_csv_call *c)
{
    uint64_t bits;
    memcpy(&bits, &c->time, sizeof bits);
    bits = (bits ^ c->label) * ROLL;
    return bits ^ bits >> 29;
}

static bool same_stretch(const struct leak_csv_call *a, const struct leak_csv_call *b)
{
    int telling = 0;
    for (int i = 0; i < STRETCH; i++) {
        if (a[i].time != b[i].time || a[i].label != b[i].label)
            return false;
        telling += i && a[i].time != a[i - 1].time;
    }
    return telling >= TELLING;
}

struct stretch {
    uint64_t hash;
    int64_t at; /* its first call + 1; 0: the place is free */
};

/* Where the hash is in a table with room, or would be. */
static struct stretch *place_of_stretch(struct stretch *table, uint64_t mask, uint64_t hash)
{
    uint64_t at = hash ^ hash >> 32;
    while (table[at & mask].at && table[at & mask].hash != hash)
        at++;
    return &table[at & mask];
}

enum tare_status leak_csv_each_once(const struct leak_csv *csv, struct tare_err *err)
{
    const struct leak_csv_call *calls = csv->calls;
    uint64_t places = 2, last = 1, hash = 0, before = 0; /* before: of the stretch that ends where one begins */
    while (places < 2 * (uint64_t)(csv->n / STRETCH + 1))
        places *= 2;
    for (int i = 0; i < STRETCH; i++)
        last *= ROLL;
    struct stretch *table = calloc(places, sizeof *table), *of;
    enum tare_status status = table ? TARE_OK : err_no_memory(err);
    for (int64_t i = 0; i < csv->n && !status; i++) {
        const int64_t from = i + 1 - STRETCH;
        hash = hash * ROLL + hash_of_call(&calls[i]) - (from > 0 ? last * hash_of_call(&calls[from - 1]) : 0);
        if (from < 0)
            continue;
        if (from % STRETCH == 0) {
            if (from && !(of = place_of_stretch(table, places - 1, before))->at)
                *of = (struct stretch){before, from - STRETCH + 1};
            before = hash;
        }
        of = place_of_stretch(table, places - 1, hash);
        if (of->at && same_stretch(&calls[of->at - 1], &calls[from]))
            status =
                err_set(err, TARE_TOO_FEW, "has the same calls twice: from its call %lld on, and from %lld on; give each once",
                        (long long)of->at, (long long)from + 1);
    }
    free(table);
    return status;
}
