/* SPDX-License-Identifier: MIT
 *
 * What is not written for Windows yet: everything links, and says so. A call that is written goes to a file of its subject and leaves this one.
 */
#include "plat_guard.h"
#include "plat_memory.h"
#include "plat_setting.h"
#include "plat_state.h"
#include "plat_thread.h"
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

enum tare_status plat_shared_create(struct plat_shared *out, size_t bytes, struct tare_err *err)
{
    *out = (struct plat_shared){.bytes = 0, .fd = -1};
    (void)bytes;
    return not_yet(err, "cannot share memory with programs");
}

void plat_shared_destroy(struct plat_shared *s)
{
    (void)s;
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

/* ---- other processes ---- */

int plat_process_ids(int *ids, int room)
{
    (void)ids;
    (void)room;
    return -1;
}

int64_t plat_process_began(int id)
{
    (void)id;
    return -1;
}

int plat_process_below(int id, const char *text, int *ids, int room)
{
    (void)id;
    (void)text;
    (void)ids;
    (void)room;
    return 0;
}

void plat_process_image(int id, struct buf *path)
{
    (void)id;
    (void)path;
}

bool plat_process_mark(struct buf *out)
{
    (void)out;
    return false;
}

bool plat_process_mark_ended(const char *mark)
{
    (void)mark;
    return false;
}

enum tare_status plat_presence_create(struct plat_presence **out, struct tare_err *err)
{
    *out = NULL;
    return not_yet(err, "cannot be seen by other sessions");
}

int plat_presence_others(struct plat_presence *p, int *pids, int room)
{
    (void)p;
    (void)pids;
    (void)room;
    return 0;
}

void plat_presence_listen(struct plat_presence *p)
{
    (void)p;
}

void plat_presence_destroy(struct plat_presence *p)
{
    (void)p;
}

/* ---- the scheduler ---- */

bool plat_thread_counts(struct plat_thread_counts *out)
{
    *out = (struct plat_thread_counts){-1, -1, -1, -1};
    return false;
}

/* ---- files that are read again and again ---- */

int plat_reread_open(const char *path, struct tare_err *err)
{
    err_set(err, TARE_NOT_FOUND, "Windows has no %s", path);
    return -1;
}

int64_t plat_reread(int fd, char *text, int64_t size)
{
    (void)fd;
    (void)text;
    (void)size;
    return -1;
}

void plat_reread_close(int fd)
{
    (void)fd;
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

/* ---- state ---- */

enum tare_status plat_state_open(struct plat_state **out, const char *folder, struct tare_err *err)
{
    (void)folder;
    *out = NULL;
    return not_yet(err, "cannot keep a journal");
}

/* Nothing that would be kept can have been written. */
enum tare_status plat_state_look(struct plat_state **out, const char *folder, struct tare_err *err)
{
    *out = NULL;
    return err_set(err, TARE_NOT_FOUND, "there is no %s", folder);
}

void plat_state_close(struct plat_state *s)
{
    (void)s;
}

bool plat_is_root(void)
{
    return false;
}

enum tare_status plat_state_read(struct plat_state *s, const char *name, struct buf *out, struct tare_err *err)
{
    (void)s;
    (void)name;
    (void)out;
    return not_yet(err, "cannot keep a journal");
}

enum tare_status plat_state_create(struct plat_state *s, const char *name, struct tare_err *err)
{
    (void)s;
    (void)name;
    return not_yet(err, "cannot keep a journal");
}

enum tare_status plat_state_continue(struct plat_state *s, const char *name, int64_t bytes, struct tare_err *err)
{
    (void)bytes;
    return plat_state_create(s, name, err);
}

enum tare_status plat_state_append(struct plat_state *s, const void *bytes, size_t n, bool durable, struct tare_err *err)
{
    (void)s;
    (void)bytes;
    (void)n;
    (void)durable;
    return not_yet(err, "cannot keep a journal");
}

enum tare_status plat_state_remove(struct plat_state *s, const char *name, struct tare_err *err)
{
    return plat_state_create(s, name, err);
}

int plat_state_descriptors(const struct plat_state *s, int fds[2])
{
    (void)s;
    (void)fds;
    return 0;
}
