/* SPDX-License-Identifier: MIT */
#include "watchdog.h"
#include "plat.h"
#include "plat_guard.h"
#include "tune.h"
#include <stdlib.h>

struct watchdog {
    const struct system_root *root;
    struct journal *j;
    struct plat_guard *guard;
    int owner;
};

static void say_undone(const struct watchdog *g, const struct tune_report *r, enum tare_status status, const struct tare_err *err)
{
    struct buf b = BUF_INIT(1 << 12);
    int left = r->conflicts + r->refused + r->ineffective;
    buf_format(&b, "tare: process %d ended without undoing its tuning: %d change%s undone", g->owner, r->undone,
               buf_plural(r->undone));
    if (status)
        buf_format(&b, ", then: %s; `tare system reset` tries again", err->text);
    else if (left)
        buf_format(&b, ", %d left: `tare system reset` says which", left);
    buf_char(&b, '\n');
    plat_say_alone(buf_text(&b));
    buf_finish(&b);
}

/* In the guard. What the owner wrote is in the file alone. */
static int undo_all(void *context)
{
    const struct watchdog *g = context;
    struct arena arena = {0};
    struct tune_report report = {.arena = &arena};
    struct tare_err err = {.text = ""};
    enum tare_status status = journal_refresh(g->j, &err);
    if (!status)
        status = tune_reset(g->root, g->j, false, &report, &err);
    if (status || report.n)
        say_undone(g, &report, status, &err);
    arena_finish(&arena);
    return status != TARE_OK;
}

enum tare_status watchdog_start(struct watchdog **out, const struct system_root *root, struct journal *j, struct tare_err *err)
{
    int fds[2], n = journal_descriptors(j, fds);
    struct watchdog *g = *out = calloc(1, sizeof *g);
    if (!g)
        return err_set(err, TARE_NO_MEMORY, "cannot start a watchdog: out of memory");
    *g = (struct watchdog){.root = root, .j = j, .owner = plat_pid()};
    journal_guarded(j);
    static const char *const again[] = {"tare", "system", "reset", NULL};
    enum tare_status status = plat_guard_start(
        &g->guard, &(struct plat_guard_spec){.again = again, .when_gone = undo_all, .context = g, .keep = fds, .n_keep = n}, err);
    if (status) {
        free(g);
        *out = NULL;
    }
    return status;
}

int watchdog_pid(const struct watchdog *g)
{
    return plat_guard_pid(g->guard);
}

enum tare_status watchdog_end(struct watchdog *g, struct tare_err *err)
{
    if (!g)
        return TARE_OK;
    enum tare_status status = plat_guard_end(g->guard, err);
    free(g);
    return status;
}
