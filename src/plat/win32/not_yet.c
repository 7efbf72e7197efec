/* SPDX-License-Identifier: MIT
 *
 * What is not written for Windows yet: everything links, and says so. A call that is written goes to a file of its subject and leaves this one.
 */
#include "plat_guard.h"
#include "plat_memory.h"
#include "win32.h"

static enum tare_status not_yet(struct tare_err *err, const char *what)
{
    return err_set(err, TARE_UNSUPPORTED, "%s: not written for Windows yet", what);
}

/* ---- work for several processes ---- */

enum tare_status plat_share(int n, plat_share_work *work, void *context, struct buf out[], struct tare_err *err)
{
    enum tare_status status = TARE_OK; /* one after the other, in this process */
    for (int i = 0; i < n && !status; i++)
        status = work(context, i, &out[i], err);
    return status;
}

enum tare_status plat_guard_start(struct plat_guard **out, const struct plat_guard_spec *spec, struct tare_err *err)
{
    (void)spec;
    *out = NULL;
    return not_yet(err, "cannot start a watchdog");
}

int plat_guard_pid(const struct plat_guard *g)
{
    (void)g;
    return -1;
}

enum tare_status plat_guard_end(struct plat_guard *g, struct tare_err *err)
{
    (void)g;
    return not_yet(err, "cannot end a watchdog");
}

/* ---- memory shared with programs ---- */

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
