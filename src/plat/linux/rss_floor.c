/* SPDX-License-Identifier: MIT
 *
 * What rss_bytes cannot tell: the helper's own peak is folded into it on exec, and since Linux 6.2 the kernel counts resident pages in
 * per-CPU batches (lib/percpu_counter.c: the larger of 32 and twice the CPUs), of which ru_maxrss reads only what was handed in. There are
 * three such counters: of anonymous, file and shared pages.
 */
#include "peak_status.h"
#include "plat.h"
#include "spawner.h"
#include <unistd.h>

enum { COUNTERS = 3, BATCH_LEAST = 32 };

/* "6.18.4-foo" is at least 6.2. */
static bool counts_in_batches(const char *release)
{
    int number[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        for (; *release >= '0' && *release <= '9' && number[i] < 10000; release++)
            number[i] = number[i] * 10 + (*release - '0');
        release += *release == '.';
    }
    return number[0] > 6 || (number[0] == 6 && number[1] >= 2);
}

enum tare_status plat_rss_floor(const struct plat_spawner *s, struct plat_rss_floor *out)
{
    struct peak_status helper;
    struct plat_uname name;
    if (!peak_status_ours() || !peak_status_read(&helper, plat_spawner_pid(s)))
        return TARE_UNSUPPORTED;
    plat_uname(&name);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), batch = 2 * cpus > BATCH_LEAST ? 2 * cpus : BATCH_LEAST;
    out->helper_bytes = helper.peak_kib * 1024;
    out->unseen_bytes = counts_in_batches(name.release) ? COUNTERS * (batch - 1) * sysconf(_SC_PAGESIZE) : 0;
    return TARE_OK;
}
