/* SPDX-License-Identifier: MIT
 *
 * tare's own programs where they are files: in the folder libexec of an installed tare or of a build tree.
 */
#include "linux.h"
#include "own_programs.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* From the folder of the program: installed (bin and libexec side by side), and in a build tree one or two folders down. */
static const char *const places[] = {TARE_LIBEXEC_FROM_BIN, "../libexec/tare", "../../libexec/tare"};

static char *program_path(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    if (path)
        return path;
    unsigned long started_as = getauxval(AT_EXECFN); /* without /proc: the path given to exec, kept by the kernel on our stack */
    return started_as ? realpath((const char *)started_as, NULL) : NULL;
}

enum tare_status libexec_find(struct buf *folder, struct tare_err *err)
{
    char *path = program_path();
    if (!path)
        return posix_fail(err, errno, "cannot find the folder of tare, in which tare-spawn is");
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = 0;
    struct buf tried = BUF_INIT(4 * PATH_MAX);
    enum tare_status status = TARE_NOT_FOUND;
    for (size_t i = 0; i < sizeof places / sizeof *places && status; i++) {
        if (i && !strcmp(places[i], places[0]))
            continue;
        struct buf program = BUF_INIT(2 * PATH_MAX);
        bool absolute = *places[i] == '/';
        buf_format(&program, "%s%s%s", absolute ? "" : path, absolute ? "" : "/", places[i]);
        size_t folder_len = program.len;
        buf_str(&program, "/tare-spawn");
        if (!program.status && !access(program.data, X_OK)) {
            buf_add(folder, program.data, folder_len);
            status = folder->status;
        } else {
            buf_format(&tried, "%s%s", tried.len ? ", " : "", buf_text(&program));
        }
        buf_finish(&program);
    }
    if (status == TARE_NOT_FOUND)
        err_set(err, status, "cannot find the program tare-spawn that starts the commands (tried %s): install tare again",
                buf_text(&tried));
    buf_finish(&tried);
    free(path);
    return status;
}

enum tare_status programs_find(char *paths[PROGRAMS], struct tare_err *err)
{
    struct buf folder = BUF_INIT(2 * PATH_MAX);
    enum tare_status status = libexec_find(&folder, err);
    if (!status)
        status = programs_name(paths, buf_text(&folder), err);
    buf_finish(&folder);
    return status;
}

const char *plat_option_unknown(const char *option)
{
    (void)option;
    return NULL;
}
