/* SPDX-License-Identifier: MIT
 *
 * What is not written for Windows yet: everything links, and says so. A call that is written goes to a file of its subject and leaves this one.
 */
#include "plat_guard.h"
#include "plat_memory.h"
#include "plat_setting.h"
#include "win32.h"

static enum tare_status not_yet(struct tare_err *err, const char *what)
{
    return err_set(err, TARE_UNSUPPORTED, "%s: not written for Windows yet", what);
}

/* ---- children ---- */

enum tare_status plat_spawner_create(struct plat_spawner **out, const char *helper_path, struct tare_err *err)
{
    (void)helper_path;
    *out = NULL;
    return not_yet(err, "cannot run programs");
}

void plat_spawner_destroy(struct plat_spawner *s)
{
    (void)s;
}

enum tare_status plat_child_run(struct plat_spawner *s, const struct plat_child_spec *spec, struct plat_child_result *result,
                                struct tare_err *err)
{
    (void)s;
    (void)spec;
    *result = plat_child_unknown();
    return not_yet(err, "cannot run programs");
}

int plat_spawner_pid(const struct plat_spawner *s)
{
    (void)s;
    return -1;
}

enum tare_status plat_rss_floor(const struct plat_spawner *s, struct plat_rss_floor *out)
{
    (void)s;
    (void)out;
    return TARE_UNSUPPORTED;
}

const char *plat_noop_path(const struct plat_spawner *s)
{
    (void)s;
    return "";
}

const char *plat_work_path(const struct plat_spawner *s)
{
    (void)s;
    return "";
}

enum tare_status plat_find_program(const char *name, const char *const *envp, const char *cwd, struct buf *out,
                                   struct tare_err *err)
{
    (void)name;
    (void)envp;
    (void)cwd;
    (void)out;
    return not_yet(err, "cannot look for programs");
}

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

/* ---- counters ---- */

enum tare_status plat_counter_open(struct plat_counter **out, struct plat_spawner *s, const char *event, struct tare_err *err)
{
    (void)s;
    *out = NULL;
    return err_set(err, TARE_UNSUPPORTED, "Windows gives programs no counter of the processor, and so no %s", event);
}

enum tare_status plat_counter_read(struct plat_counter *c, double *total, double *running_ratio)
{
    (void)c;
    *total = *running_ratio = 0;
    return TARE_UNSUPPORTED;
}

bool plat_counter_user_only(const struct plat_counter *c)
{
    (void)c;
    return false;
}

void plat_counter_event(const struct plat_counter *c, uint64_t *type, uint64_t *config)
{
    (void)c;
    *type = *config = 0;
}

void plat_counter_close(struct plat_counter *c)
{
    (void)c;
}

/* ---- memory of what runs ---- */

enum tare_status plat_tree_create(struct plat_tree **out, struct plat_spawner *s, struct tare_err *err)
{
    (void)s;
    *out = NULL;
    return not_yet(err, "cannot watch the memory of programs");
}

int plat_tree_sample(struct plat_tree *t, bool new_ones, const struct plat_tree_process **processes)
{
    (void)t;
    (void)new_ones;
    *processes = NULL;
    return 0;
}

void plat_tree_destroy(struct plat_tree *t)
{
    (void)t;
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
