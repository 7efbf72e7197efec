/* SPDX-License-Identifier: MIT
 *
 * Settings and folders through the script: those of the machine beneath neither show nor change. What is canned can be read and listed, not written; trees
 * elsewhere are real ones. So are folders of state, but for that of the machine beneath, where nothing was ever tuned.
 */
#include "fake_real.h"
#include "fake_state.h"
#include "plat_state.h"
#include "posix.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- whose file it is ---- */

static bool under(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

static bool of_this_machine(const char *path)
{
    return under(path, "/proc") || under(path, "/sys") || under(path, "/dev");
}

static bool is_canned(const char *path)
{
    for (const struct fake_canned *f = fake_state()->script.files; f; f = f->next)
        if (under(f->path, path))
            return true;
    return false;
}

/* ---- folders ---- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The next part of each canned path below the folder; once each, as they come sorted. */
static enum tare_status list_canned(const char *path, struct buf *names, int *n, struct tare_err *err)
{
    int room = 0;
    for (const struct fake_canned *f = fake_state()->script.files; f; f = f->next)
        room++;
    const char **below = malloc((size_t)(room + 1) * sizeof *below);
    if (!below)
        return err_set(err, TARE_NO_MEMORY, "cannot read the folder %s: out of memory", path);
    int found = 0;
    for (const struct fake_canned *f = fake_state()->script.files; f; f = f->next)
        if (under(f->path, path) && f->path[strlen(path)])
            below[found++] = f->path + strlen(path) + 1;
    qsort(below, (size_t)found, sizeof *below, by_bytes);
    for (int i = 0; i < found; i++) {
        size_t length = strcspn(below[i], "/");
        if (i && !strncmp(below[i - 1], below[i], length) && strcspn(below[i - 1], "/") == length)
            continue;
        buf_add(names, below[i], length);
        buf_char(names, 0);
        ++*n;
    }
    free(below);
    return names->status ? err_set(err, names->status, "the folder %s holds too much", path) : TARE_OK;
}

enum tare_status plat_directory_list(const char *path, struct buf *names, int *n, struct tare_err *err)
{
    *n = 0;
    if (is_canned(path))
        return list_canned(path, names, n, err);
    if (of_this_machine(path))
        return posix_fail(err, ENOENT, "cannot read the folder %s", path);
    return real_directory_list(path, names, n, err);
}

/* ---- settings ---- */

static enum tare_status refused(const char *path, int *error, struct tare_err *err)
{
    *error = is_canned(path) ? EACCES : ENOENT;
    return posix_fail(err, *error, "cannot change %s", path);
}

enum tare_status plat_setting_write(const char *path, const char *text, enum plat_setting_mode mode, int *error,
                                    struct tare_err *err)
{
    return of_this_machine(path) ? refused(path, error, err) : real_setting_write(path, text, mode, error, err);
}

enum tare_status plat_setting_hold(const char *path, const char *text, int *fd, int *error, struct tare_err *err)
{
    *fd = -1;
    if (of_this_machine(path))
        return refused(path, error, err);
    enum tare_status status = real_setting_hold(path, text, fd, error, err);
    fake_state()->descriptors += !status; /* plat_close gives it back */
    return status;
}

bool plat_setting_there(const char *path)
{
    return is_canned(path) || (!of_this_machine(path) && real_setting_there(path));
}

bool plat_setting_read_only(const char *path)
{
    return !of_this_machine(path) && real_setting_read_only(path);
}

enum tare_status plat_setting_folder_make(const char *path, int *error, struct tare_err *err)
{
    return of_this_machine(path) ? refused(path, error, err) : real_setting_folder_make(path, error, err);
}

enum tare_status plat_setting_folder_remove(const char *path, int *error, struct tare_err *err)
{
    return of_this_machine(path) ? refused(path, error, err) : real_setting_folder_remove(path, error, err);
}

/* ---- state ---- */

static bool is_state_of_this_machine(const char *folder)
{
    return under(folder, "/var");
}

enum tare_status plat_state_open(struct plat_state **out, const char *folder, struct tare_err *err)
{
    *out = NULL;
    return is_state_of_this_machine(folder) ? posix_fail(err, EACCES, "cannot make the folder %s", folder)
                                            : real_state_open(out, folder, err);
}

enum tare_status plat_state_look(struct plat_state **out, const char *folder, struct tare_err *err)
{
    *out = NULL;
    return is_state_of_this_machine(folder) ? posix_fail(err, ENOENT, "cannot open the folder %s", folder)
                                            : real_state_look(out, folder, err);
}
