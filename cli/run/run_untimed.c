/* SPDX-License-Identifier: MIT
 *
 * Runs that nobody times: what is asked about a command or benchmark that would change its time. They are made after the last round of their
 * commands, with the same hooks, one command after the other, and each is counted in the output. A timed run never carries any of it. What needs a
 * value in each round (--memory=exact) is made there, by exec.
 */
#include "memory_watch.h"
#include "plat.h"
#include "run.h"
#include "wire.h"
#include <math.h>
#include <string.h>

/* The request of a process of its own, "TARE_WIRE=...", the arena's. NULL: no memory. */
static const char *variable_of(struct run *run, const struct bench_request *q)
{
    enum { VARIABLE_MOST = 1 << 17 };
    struct buf text = BUF_INIT(VARIABLE_MOST);
    bench_variable(q, run->record.seed, &text);
    return arena_keep(run->cli->arena, &text);
}

/* A count of an iteration, into the record and, where there is one, its file. */
static enum tare_status keep_count(struct run *run, int subject, const char *name, const char *unit, double value,
                                   struct tare_err *err)
{
    struct session *s = &run->session;
    const struct rows *rows = &run->record.series[subject].main;
    const struct count what = {.name = name, .unit = unit, .per = COUNT_PER_ITERATION};
    const int last = rows->n ? rows->round[rows->n - 1] : 0;
    if (record_add_count(&run->record, subject, last, &what, value))
        return err_no_memory(err);
    if (s->writer && !s->save_failed)
        s->save_failed = record_write_count(s->writer, &run->record, subject, name, &s->save_error) != TARE_OK;
    return TARE_OK;
}

static enum tare_status keep_timeline(struct run *run, struct timeline *t, int command, int64_t start_ns, struct tare_err *err)
{
    t->subject = run->commands[command].subject;
    t->start_ns = start_ns;
    if (record_add_timeline(&run->record, t) < 0)
        return err_no_memory(err);
    struct session *s = &run->session;
    if (s->writer && !s->save_failed)
        s->save_failed = record_write_timelines(s->writer, &run->record, &s->save_error) != TARE_OK;
    return TARE_OK;
}

/* One that a signal cut short is no picture of the command; one that failed by itself is. */
static enum tare_status make_timeline(struct run *run, int command, struct tare_err *err)
{
    struct memory_watch *w;
    struct plat_child_result result;
    enum tare_status status = memory_watch_create(&w, run->session.spawner, err);
    if (status) {
        err_prefix(err, "--memory-timeline");
        return status;
    }
    const struct exec_untimed how = {.what = "the untimed run for --memory-timeline", .watch = w};
    live_phase(&run->session.live, &run->record, "memory over time", NAN);
    status = exec_untimed(run->session.exec, command, &how, &result, err);
    live_clear(&run->session.live);
    struct tare_err later;
    if (result.end_ns && result.end != CHILD_INTERRUPTED && result.end != CHILD_NOT_STARTED) {
        int64_t start_ns = result.start_ns - exec_start_ns(run->session.exec);
        enum tare_status kept = keep_timeline(run, memory_watch_end(w, &result), command, start_ns, status ? &later : err);
        status = status ? status : kept;
    }
    memory_watch_destroy(w);
    return status;
}

/* --allocs: what an iteration asks of the heap.
 * Two processes of each benchmark run under the library that counts allocations; they differ in how many iterations their one sample has, and in
 * nothing else. What one allocated beyond the other is what the additional iterations allocated: what the program does before its loop, and libtare itself, are in
 * both.
 */

enum { ITERATIONS_MOST = 1000 };

struct counted {
    double calls, bytes;
    double iterations; /* of all threads */
};

/* *why: what keeps them from being counted, the arena's; NULL: nothing. */
static enum tare_status count_once(struct run *run, int command, uint64_t iterations, struct counted *out, const char **why,
                                   struct tare_err *err)
{
    struct bench_request q = *run->commands[command].bench;
    q.asked.profile = WIRE_STEADY;
    q.asked.samples = 1;
    q.asked.warmup = q.asked.guard = q.asked.signals = 0;
    q.iterations = iterations;
    struct exec_reported reported;
    struct exec_untimed how = {
        .what = "an untimed process for --allocs", .variable = variable_of(run, &q), .reported = &reported};
    struct plat_child_result result;
    enum tare_status status = how.variable ? memory_watch_create(&how.watch, run->session.spawner, err) : err_no_memory(err);
    if (!status)
        status = exec_untimed(run->session.exec, command, &how, &result, err);
    if (!status) {
        const struct timeline *t = memory_watch_end(how.watch, &result);
        const char *reason = *reported.trouble ? reported.trouble : t->heap_reason;
        *why = reason ? arena_strdup(run->cli->arena, reason) : NULL;
        *out = (struct counted){t->allocations + t->reallocations, t->allocated_bytes,
                                (double)reported.iterations * reported.threads};
    }
    memory_watch_destroy(how.watch);
    return status;
}

static enum tare_status keep_both(struct run *run, int command, const struct counted *few, const struct counted *more,
                                  struct tare_err *err)
{
    const int subject = run->commands[command].subject;
    const double iterations = more->iterations - few->iterations;
    enum tare_status status = keep_count(run, subject, COUNT_ALLOCATIONS, "", (more->calls - few->calls) / iterations, err);
    return status ? status : keep_count(run, subject, COUNT_ALLOCATED, "bytes", (more->bytes - few->bytes) / iterations, err);
}

static uint64_t more_of(const struct bench_request *q)
{
    return q->iterations < 2 ? 2 : q->iterations < ITERATIONS_MOST + 1 ? q->iterations : ITERATIONS_MOST + 1;
}

static enum tare_status make_allocs(struct run *run, int command, struct tare_err *err)
{
    const struct bench_request *q = run->commands[command].bench;
    struct counted few = {0}, more = {0};
    const char *why = NULL;
    if (!q || exec_failure(run->session.exec, command))
        return TARE_OK;
    live_phase(&run->session.live, &run->record, "allocations", NAN);
    enum tare_status status = count_once(run, command, 1, &few, &why, err);
    if (!status && !why)
        status = count_once(run, command, more_of(q), &more, &why, err);
    live_clear(&run->session.live);
    if (status)
        return status;
    if (!why && more.iterations <= few.iterations)
        why = "the inputs of one iteration are as much as a sample holds";
    if (!why && (more.calls < few.calls || more.bytes < few.bytes))
        why = "its processes do not allocate alike before their loop";
    if (!why)
        return keep_both(run, command, &few, &more, err);
    session_note(&run->session, "allocations of %s are not counted: %s",
                 run->record.subjects[run->commands[command].subject].name, why);
    return TARE_OK;
}

/* --counters: events of the kernel or the processor in an iteration.
 * One more process of each benchmark counts them around its samples (src/probe/loop_rows.c). What an event's name means, and why one cannot be counted here, is
 * found out before.
 */

/* "instructions:u" where the kernel counts no more than that. */
static const char *name_of(struct run *run, const char *asked, bool user_only)
{
    const char *modifier = strrchr(asked, ':');
    if (!user_only || (modifier && !strcmp(modifier, ":u")))
        return asked;
    const char *kept = arena_format(run->cli->arena, "%s:u", asked);
    return kept ? kept : asked;
}

static enum tare_status keep_scaled(struct run *run, const char *name, double counted, struct tare_err *err)
{
    struct scaled_event *e = run->scaled, *const end = e + run->n_scaled;
    while (e < end && strcmp(e->name, name) != 0)
        e++;
    if (e < end) {
        e->counted = fmin(e->counted, counted);
        return TARE_OK;
    }
    if (run->n_scaled == WIRE_EVENTS_MAX)
        return TARE_OK;
    *e = (struct scaled_event){arena_strdup(run->cli->arena, name), counted};
    run->n_scaled += e->name != NULL;
    return e->name ? TARE_OK : err_no_memory(err);
}

static enum tare_status keep_all(struct run *run, int command, const struct exec_reported *r, int asked, struct tare_err *err)
{
    const int subject = run->commands[command].subject;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < r->n_events && !status; i++) {
        status = keep_count(run, subject, r->event[i].name, "", r->event[i].value, err);
        if (!status && r->event[i].counted < 1)
            status = keep_scaled(run, r->event[i].name + strlen(WIRE_EVENT_PREFIX), r->event[i].counted, err);
    }
    if (!status && r->n_events < asked) {
        session_note(&run->session, "%d of %d events of %s were not counted%s%s", asked - r->n_events, asked,
                     run->record.subjects[subject].name,
                     *r->trouble ? ": its process "
                                 : ": its process could not open them, or its libtare is older than --counters",
                     r->trouble);
    }
    return status;
}

static enum tare_status make_events(struct run *run, int command, struct tare_err *err)
{
    struct bench_event events[WIRE_EVENTS_MAX];
    if (!run->commands[command].bench || exec_failure(run->session.exec, command))
        return TARE_OK;
    /* Those that can be counted here; the others are told of once. */
    int n = 0;
    for (int i = 0; i < run->o->events.n; i++) {
        struct plat_counter *c = NULL;
        struct tare_err why = {{0}};
        if (plat_counter_open(&c, run->session.spawner, run->o->events.items[i], &why)) {
            if (!run->told_events)
                session_note(&run->session, "%s", why.text);
            continue;
        }
        bool user_only = plat_counter_user_only(c);
        events[n] = (struct bench_event){.name = name_of(run, run->o->events.items[i], user_only), .user_only = user_only};
        plat_counter_event(c, &events[n].type, &events[n].config);
        plat_counter_close(c);
        n++;
    }
    run->told_events = true;
    if (!n)
        return TARE_OK;
    struct bench_request q = *run->commands[command].bench;
    q.asked.guard = q.asked.signals = 0;
    q.events = events;
    q.n_events = n;
    struct exec_reported reported = {0};
    const struct exec_untimed how = {
        .what = "an untimed process for --counters", .variable = variable_of(run, &q), .reported = &reported};
    struct plat_child_result result;
    if (!how.variable)
        return err_no_memory(err);
    live_phase(&run->session.live, &run->record, "counters", NAN);
    enum tare_status status = exec_untimed(run->session.exec, command, &how, &result, err);
    live_clear(&run->session.live);
    return status ? status : keep_all(run, command, &reported, n, err);
}

static bool timeline_wanted(const struct run_options *o)
{
    return o->memory_timeline;
}

static bool allocs_wanted(const struct run_options *o)
{
    return o->allocs;
}

static bool events_wanted(const struct run_options *o)
{
    return o->events.n > 0;
}

static const struct {
    const char *purpose;
    bool (*wanted)(const struct run_options *o);
    enum tare_status (*make)(struct run *run, int command, struct tare_err *err);
} kinds[] = {{"Each command is run once more, untimed, for its memory over time.", timeline_wanted, make_timeline},
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
