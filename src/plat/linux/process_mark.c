/* SPDX-License-Identifier: MIT
 *
 * "6f0c2a91b3d4e5f7-4711-903114": which numbers these are numbers of, the process, and when it began. The numbers of another boot, machine or
 * container are others, so that nobody is taken for dead who lives where we cannot see him.
 */
#include "plat.h"
#include "plat_trace.h"
#include <string.h>
#include <unistd.h>

enum { WORLD_DIGITS = 16 };

static uint64_t hash(uint64_t before, const char *text, size_t n) /* FNV-1a */
{
    for (size_t i = 0; i < n; i++)
        before = (before ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return before;
}

/* 0: not told. */
static uint64_t world(void)
{
    char space[64];
    struct buf boot = BUF_INIT(4096);
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space);
    bool told = n > 0 && n < (ssize_t)sizeof space && !plat_file_read("/proc/sys/kernel/random/boot_id", &boot, NULL) && boot.len;
    uint64_t both = told ? hash(hash(UINT64_C(0xcbf29ce484222325), space, (size_t)n), boot.data, boot.len) : 0;
    buf_finish(&boot);
    return both;
}

bool plat_process_mark(struct buf *out)
{
    const uint64_t where = world(), start = plat_process_start();
    if (!where || !start)
        return false;
    buf_format(out, "%016llx-%d-%llu", (unsigned long long)where, plat_pid(), (unsigned long long)start);
    return !out->status;
}

/* As we write them; *at goes behind the number and the character that ends it. */
static bool number(const char **at, unsigned base, size_t digits, char end, uint64_t *out)
{
    static const char all[] = "0123456789abcdef";
    size_t n = 0;
    *out = 0;
    for (const char *digit; **at && n < digits && (digit = strchr(all, **at)) && digit < all + base; n++, (*at)++)
        *out = *out * base + (uint64_t)(digit - all);
    return n && *(*at)++ == end;
}

bool plat_process_mark_ended(const char *mark)
{
    enum { PID_DIGITS = 9, START_DIGITS = 19 };
    uint64_t where, id, start;
    const bool is_mark = strcspn(mark, "-") == WORLD_DIGITS && number(&mark, 16, WORLD_DIGITS, '-', &where) &&
                         number(&mark, 10, PID_DIGITS, '-', &id) && number(&mark, 10, START_DIGITS, 0, &start);
    const bool ours = is_mark && id && start && where == world();
    return ours && plat_process_runs(plat_pid(), plat_process_start()) && !plat_process_runs((int)id, start);
}
