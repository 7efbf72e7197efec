/* SPDX-License-Identifier: MIT
 *
 * What is not written for Windows yet: everything links, and says so. A call that is written goes to a file of its subject and leaves this one.
 */
#include "plat_guard.h"
#include "plat_memory.h"
#include "plat_setting.h"
#include "win32.h"
#include <string.h>

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

const char *plat_option_unknown(const char *option)
{
    if (!strcmp(option, "--taint"))
        return "valgrind does not run on Windows";
    if (!strcmp(option, "--symbol"))
        return "functions of a DLL are not called on Windows yet; write a target with TARE_LEAK (tare/leak.h)";
    return NULL;
}

/* ---- settings ---- */

enum tare_status plat_setting_write(const char *path, const char *text, enum plat_setting_mode mode, int *error,
                                    struct tare_err *err)
{
    (void)path;
    (void)text;
    (void)mode;
    *error = ERROR_NOT_SUPPORTED;
    return not_yet(err, "cannot change settings");
}

enum tare_status plat_setting_hold(const char *path, const char *text, int *fd, int *error, struct tare_err *err)
{
    *fd = -1;
    return plat_setting_write(path, text, PLAT_SETTING_THERE, error, err);
}

bool plat_setting_there(const char *path)
{
    (void)path;
    return false;
}

bool plat_setting_read_only(const char *path)
{
    (void)path;
    return false;
}

enum tare_status plat_setting_folder_make(const char *path, int *error, struct tare_err *err)
{
    return plat_setting_write(path, "", PLAT_SETTING_THERE, error, err);
}

enum tare_status plat_setting_folder_remove(const char *path, int *error, struct tare_err *err)
{
    return plat_setting_write(path, "", PLAT_SETTING_THERE, error, err);
}
