/* SPDX-License-Identifier: MIT
 *
 * The runs of `tare run` that nobody times: what is asked about a command that would change its time. They are made after the
 * last round of their commands, with the same hooks, one command after the other, and each is counted in the output. A timed run
 * never carries any of it.
 */
#include "plat.h"
#include "run.h"

/* One kind of such runs. */
struct untimed_kind {
    bool (*wanted)(const struct run_options *o);
    enum tare_status (*make)(struct run *run, int command, struct tare_err *err);
};

static const struct untimed_kind kinds[] = {{NULL, NULL}};

static enum tare_status make_all(struct run *run, int command, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !status; i++) {
        if (!kinds[i].wanted || !kinds[i].wanted(run->o))
            continue;
        status =
            plat_signal() ? err_set(err, TARE_INTERRUPTED, "interrupted after the last round") : kinds[i].make(run, command, err);
    }
    return status;
}

enum tare_status run_untimed(void *context, const int *subjects, int n, struct tare_err *err)
{
    struct run *run = context;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n && !status; i++)
        status = make_all(run, subjects[i], err);
    return status;
}
