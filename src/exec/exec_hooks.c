/* SPDX-License-Identifier: MIT */
#include "exec_state.h"
#include "exit_status.h"
#include <string.h>

const char *exec_cwd(const struct exec *x, const char *own)
{
    return own ? own : x->o->cwd;
}

enum tare_status exec_resolve(struct exec *x, const char *program, const char *const *environment, const char *cwd,
                              struct tare_err *err)
{
    buf_clear(&x->path);
    return plat_find_program(program, environment, cwd, &x->path, err);
}

struct plat_child_spec exec_spec_for(struct exec *x, const char *const *argv, const char *const *environment, const char *cwd)
{
    return (struct plat_child_spec){
        .path = buf_text(&x->path), .argv = argv, .envp = environment, .cwd = cwd, .pin_cpu = -1, .drain_fd = -1};
}

/* ---- hooks: `what` is setup, prepare, conclude or cleanup ---- */

/* Hooks that end what others began run although a signal came before. */
static bool ends_something(const char *what)
{
    return !strcmp(what, "conclude") || !strcmp(what, "cleanup");
}

enum tare_status exec_hook_in(struct exec *x, const struct exec_hook *hook, const char *what, const char *const *environment,
                              struct tare_err *err)
{
    if (!hook->argv)
        return TARE_OK;
    const char *cwd = exec_cwd(x, hook->cwd);
    enum tare_status status = exec_resolve(x, hook->argv[0], environment, cwd, err);
    if (status) {
        err_prefix(err, what);
        return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
    }
    struct plat_child_spec spec = exec_spec_for(x, hook->argv, environment, cwd);
    streams_for_hook(&x->streams, x->o->show_hook_output, &spec);
    spec.timeout_ns = x->o->timeout_ns;
    spec.after_signal = ends_something(what) && plat_signal();
    struct plat_child_result result;
    status = plat_child_run(x->spawner, &spec, &result, err);
    if (status)
        return status;
    if (result.end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted during %s", what);
    if (result.end == CHILD_NOT_STARTED)
        return exit_status_not_started(&result, what, hook->argv[0], err);
    if (!exit_status_failed(&result))
        return TARE_OK;
    struct buf b = BUF_INIT(256);
    exit_status_describe(&b, &result, x->o->timeout_ns);
    status = err_set(err, TARE_CHILD, "%s '%s' %s; %s", what, hook->text, buf_text(&b),
                     result.end == CHILD_TIMED_OUT
                         ? exit_status_advice(&result)
                         : "append '|| true' to its text if that is fine, or see its output with --show-output");
    buf_finish(&b);
    return status;
}

enum tare_status exec_run_hook(struct exec *x, const struct exec_hook *hook, const char *what, struct tare_err *err)
{
    return exec_hook_in(x, hook, what, x->o->environment, err);
}
