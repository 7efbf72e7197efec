/* SPDX-License-Identifier: MIT
 *
 * The search of exec: a name with a slash is a path; any other is tried in each folder of PATH, where an empty folder
 * means the current one. What is there but cannot be executed is remembered and the search goes on; it is named if
 * nothing better comes. The answer is a path as seen from the folder the program will start in.
 */
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char DEFAULT_PATH[] = "/usr/local/bin:/bin:/usr/bin"; /* when the environment has none */

static const char *path_of(const char *const *envp)
{
    for (; *envp; envp++)
        if (!strncmp(*envp, "PATH=", 5))
            return *envp + 5;
    return DEFAULT_PATH;
}

/* 0, or why the file cannot be executed. */
static int refusal(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? errno : 0;
}

/* Whether `candidate` can be executed by a process that starts in cwd; 0 or errno. */
static int try(const char *candidate, const char *cwd)
{
    struct buf full = BUF_INIT(2 * PATH_MAX);
    if (cwd && *candidate != '/')
        buf_format(&full, "%s/", cwd);
    buf_str(&full, candidate);
    int error = full.status ? ENAMETOOLONG : refusal(full.data);
    buf_finish(&full);
    return error;
}

static enum tare_status refuse(struct tare_err *err, int error, const char *path)
{
    if (error == EISDIR)
        return err_set(err, TARE_PERMISSION, "cannot execute %s: it is a directory", path);
    if (error == EACCES)
        return err_set(err, TARE_PERMISSION, "cannot execute %s: no permission (chmod +x, or a file system mounted noexec)",
                       path);
    return posix_fail(err, error, "cannot execute %s", path);
}

static enum tare_status search(const char *name, const char *path, const char *cwd, struct buf *out, struct tare_err *err)
{
    struct buf refused = BUF_INIT(2 * PATH_MAX);
    int reason = 0, error = ENOENT;
    for (const char *at = path, *end; error && at; at = *end ? end + 1 : NULL) {
        end = strchrnul(at, ':');
        struct buf candidate = BUF_INIT(2 * PATH_MAX);
        buf_format(&candidate, "%.*s%s%s", (int)(end - at), at, end == at ? "./" : "/", name);
        error = candidate.status ? ENAMETOOLONG : try(candidate.data, cwd);
        if (!error)
            buf_add(out, candidate.data, candidate.len);
        if ((error == EACCES || error == EISDIR) && !reason) {
            reason = error;
            buf_str(&refused, candidate.data);
        }
        buf_finish(&candidate);
    }
    enum tare_status status = TARE_OK;
    if (error)
        status = reason ? refuse(err, reason, buf_text(&refused))
                        : err_set(err, TARE_NOT_FOUND, "cannot find the program %s on PATH", name);
    buf_finish(&refused);
    return status;
}

enum tare_status plat_find_program(const char *name, const char *const *envp, const char *cwd, struct buf *out,
                                   struct tare_err *err)
{
    if (!*name)
        return err_set(err, TARE_NOT_FOUND, "the name of the program is empty");
    enum tare_status status = TARE_OK;
    if (!strchr(name, '/')) {
        status = search(name, path_of(envp), cwd, out, err);
    } else {
        int error = try(name, cwd);
        if (error)
            return refuse(err, error, name);
        buf_str(out, name);
    }
    if (!status && out->status)
        status = err_set(err, out->status, "cannot name the program %s: %s", name, tare_status_text(out->status));
    return status;
}
