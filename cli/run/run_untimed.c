/* SPDX-License-Identifier: MIT
 *
 * Runs of `tare run` that nobody times: what is asked about a command that would change its time. They are made after the
 * last round of their commands, with the same hooks, one command after the other, and each is counted in the output. A timed run
 * never carries any of it. What needs a value in each round (--memory=exact) is made there, by exec.
 */
#include "memory_watch.h"
#include "plat.h"
#include "run.h"
#include "run_untimed_kinds.h"

/* One kind of such runs. */
struct untimed_kind {
    const char *purpose; /* "Each command is run once more, untimed, for its memory over time." */
    bool (*wanted)(const struct run_options *o);
    enum tare_status (*make)(struct run *run, int command, struct tare_err *err);
};

/* ---- memory over time ---- */

static bool timeline_wanted(const struct run_options *o)
{
    return o->memory_timeline;
}

static enum tare_status keep_timeline(struct run *run, struct timeline *t, int command, int64_t start_ns, struct tare_err *err)
{
    t->subject = run->commands[command].subject;
    t->start_ns = start_ns;
    if (record_add_timeline(&run->record, t) < 0)
        return err_set(err, TARE_NO_MEMORY, "no memory for the memory over time");
    struct session *s = &run->session;
    if (s->writer && !s->save_failed && record_write_timelines(s->writer, &run->record, &s->save_error))
        s->save_failed = true;
    return TARE_OK;
}

/* One that a signal cut short is no picture of the command; one that failed by itself is. */
static enum tare_status make_timeline(struct run *run, int command, struct tare_err *err)
{
    struct memory_watch *w;
    struct plat_child_result result;
    enum tare_status status = memory_watch_create(&w, run->spawner, err);
    if (status) {
        err_prefix(err, "--memory-timeline");
        return status;
    }
    const struct exec_untimed how = {
        .what = "the untimed run for --memory-timeline", .adjust = memory_watch_adjust, .context = w};
    live_phase(&run->live, &run->record, "memory over time");
    status = exec_untimed(run->exec, command, &how, &result, err);
    live_clear(&run->live);
    struct tare_err later;
    if (result.end_ns && result.end != CHILD_INTERRUPTED && result.end != CHILD_NOT_STARTED) {
        int64_t start_ns = result.start_ns - exec_start_ns(run->exec);
        enum tare_status kept = keep_timeline(run, memory_watch_end(w, &result), command, start_ns, status ? &later : err);
        status = status ? status : kept;
    }
    memory_watch_destroy(w);
    return status;
}

/* ---- all kinds ---- */

static bool allocs_wanted(const struct run_options *o)
{
    return o->allocs;
}

static bool events_wanted(const struct run_options *o)
{
    return o->events.n > 0;
}

static const struct untimed_kind kinds[] = {
    {"Each command is run once more, untimed, for its memory over time.", timeline_wanted, make_timeline},
    {"Each benchmark has two more processes, untimed, for what it allocates.", allocs_wanted, make_allocs},
    {"Each benchmark has one more process, untimed, for its counters.", events_wanted, make_events}};

static enum tare_status make_all(struct run *run, int command, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !status; i++) {
        if (!kinds[i].wanted(run->o))
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

int run_untimed_purposes(const struct run_options *o, const char **purposes, int room)
{
    int n = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && n < room; i++)
        if (kinds[i].wanted(o))
            purposes[n++] = kinds[i].purpose;
    return n;
}
