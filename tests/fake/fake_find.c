/* SPDX-License-Identifier: MIT
 *
 * Looking up programs: those of the script, and the shells, are on the PATH.
 */
#include "fake_command.h"
#include "fake_state.h"
#include "plat.h"
#include "posix.h"
#include <errno.h>
#include <string.h>

static enum fake_found found_now(const struct fake_program *p)
{
    enum fake_found found = FOUND_OK;
    for (const struct fake_lookup *l = p->lookups; l; l = l->next)
        if (p->runs + 1 >= l->from_run)
            found = l->found;
    return found;
}

static enum fake_found look_up(const struct fake_script *s, const char *name)
{
    for (const struct fake_program *p = s->programs; p; p = p->next)
        if (fake_program_named(p, name))
            return found_now(p);
    return fake_is_shell(name) ? FOUND_OK : FOUND_NOT;
}

enum tare_status plat_find_program(const char *name, const char *const *envp, const char *cwd, struct buf *out,
                                   struct tare_err *err)
{
    (void)envp, (void)cwd;
    bool on_path = !strchr(name, '/');
    switch (look_up(&fake_state()->script, name)) {
    case FOUND_OK:
        break;
    case FOUND_NOT:
        return on_path ? err_set(err, TARE_NOT_FOUND, "cannot find the program %s on PATH", name)
                       : posix_fail(err, ENOENT, "cannot execute %s", name);
    case FOUND_DENIED:
        return posix_fail(err, EACCES, "cannot execute %s", name);
    case FOUND_DIRECTORY:
        return err_set(err, TARE_PERMISSION, "cannot execute %s: it is a directory", name);
    }
    buf_format(out, "%s%s", on_path ? "/fake/bin/" : "", name);
    return out->status;
}
