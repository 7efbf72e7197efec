/* SPDX-License-Identifier: MIT
 *
 * What Windows has nothing like: it says so.
 */
#include "plat_memory.h"
#include "win32.h"
#include <string.h>

/* Not by threads either: such work may change what is its own after a fork. */
enum tare_status plat_share(int n, plat_share_work *work, void *context, struct buf out[], struct tare_err *err)
{
    (void)n;
    (void)work;
    (void)context;
    (void)out;
    return err_set(err, TARE_UNSUPPORTED, "Windows copies no processes, so nothing is shared out between several");
}

enum tare_status plat_alloc_library(struct buf *path, struct tare_err *err)
{
    (void)path;
    return err_set(err, TARE_UNSUPPORTED, "Windows preloads no libraries, so allocations are not counted");
}

const char *plat_preload_refused(const char *program)
{
    (void)program;
    return "Windows preloads no libraries";
}

const char *plat_option_unknown(const char *option)
{
    if (!strcmp(option, "--taint"))
        return "valgrind does not run on Windows";
    if (!strcmp(option, "--symbol"))
        return "functions of a DLL are not called on Windows yet; write a target with TARE_LEAK (tare/leak.h)";
    return NULL;
}
