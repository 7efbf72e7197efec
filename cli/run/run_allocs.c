/* SPDX-License-Identifier: MIT
 *
 * `tare bench --allocs`: what an iteration of a benchmark asks of the heap. Two more processes of each benchmark, which nobody times, run
 * under the library that counts allocations; they differ in how many iterations their one sample has, and in nothing else. What one
 * allocated beyond the other is what the additional iterations allocated: what the program does before its loop, and libtare itself, are in
 * both.
 */
#include "memory_watch.h"
#include "plat.h"
#include "run.h"
#include "run_untimed_kinds.h"
#include <math.h>
#include <string.h>

enum { ITERATIONS_MOST = 1000 };

struct counting {
    struct run *run;
    struct memory_watch *watch;
    const char *variable; /* "TARE_WIRE=...": the request of this process */
};

struct counted {
    double calls, bytes;
    double iterations; /* of all threads */
};

/* ---- one process ---- */

/* The benchmark's request of the last round goes; the counting library comes. */
static void adjust(void *context, struct plat_child_spec *spec)
{
    struct counting *c = context;
    counted_ask(c->run, spec, c->variable);
    memory_watch_adjust(c->watch, spec);
}

static const char *request_of(struct run *run, int command, uint64_t iterations)
{
    struct bench_request q = *run->commands[command].bench;
    q.profile = PROFILE_STEADY;
    q.samples = 1;
    q.warmup = 0;
    q.guard = q.signals = false;
    q.iterations = iterations;
    return counted_variable(run, &q);
}

/* *why: what keeps them from being counted, the arena's; NULL: nothing. */
static enum tare_status count_once(struct run *run, int command, uint64_t iterations, struct counted *out, const char **why,
                                   struct tare_err *err)
{
    struct counting c = {.run = run, .variable = request_of(run, command, iterations)};
    struct exec_reported reported;
    const struct exec_untimed how = {
        .what = "an untimed process for --allocs", .adjust = adjust, .context = &c, .reported = &reported};
    struct plat_child_result result;
    enum tare_status status = c.variable ? memory_watch_create(&c.watch, run->spawner, err)
                                         : err_set(err, TARE_NO_MEMORY, "no memory to count allocations");
    if (!status)
        status = exec_untimed(run->exec, command, &how, &result, err);
    if (!status) {
        const struct timeline *t = memory_watch_end(c.watch, &result);
        const char *reason = *reported.trouble ? reported.trouble : t->heap_reason;
        *why = reason ? arena_strdup(run->cli->arena, reason) : NULL;
        *out = (struct counted){t->allocations + t->reallocations, t->allocated_bytes,
                                (double)reported.iterations * reported.threads};
    }
    memory_watch_destroy(c.watch);
    return status;
}

/* ---- an iteration ---- */

static void say_not_counted(struct run *run, int command, const char *why)
{
    struct buf text = BUF_INIT(1 << 16);
    buf_format(&text, "allocations of %s are not counted: %s", run->record.subjects[run->commands[command].subject].name, why);
    counted_say(run, buf_text(&text));
    buf_finish(&text);
}

static enum tare_status keep_both(struct run *run, int command, const struct counted *few, const struct counted *more,
                                  struct tare_err *err)
{
    const int subject = run->commands[command].subject;
    const double iterations = more->iterations - few->iterations;
    enum tare_status status = counted_keep(run, subject, COUNT_ALLOCATIONS, "", (more->calls - few->calls) / iterations, err);
    return status ? status : counted_keep(run, subject, COUNT_ALLOCATED, "bytes", (more->bytes - few->bytes) / iterations, err);
}

static uint64_t more_of(const struct bench_request *q)
{
    return q->iterations < 2 ? 2 : q->iterations < ITERATIONS_MOST + 1 ? q->iterations : ITERATIONS_MOST + 1;
}

enum tare_status make_allocs(struct run *run, int command, struct tare_err *err)
{
    const struct bench_request *q = run->commands[command].bench;
    struct counted few = {0}, more = {0};
    const char *why = NULL;
    if (!q || q->failure[0])
        return TARE_OK;
    live_phase(&run->live, &run->record, "allocations");
    enum tare_status status = count_once(run, command, 1, &few, &why, err);
    if (!status && !why)
        status = count_once(run, command, more_of(q), &more, &why, err);
    live_clear(&run->live);
    if (status)
        return status;
    if (!why && more.iterations <= few.iterations)
        why = "the inputs of one iteration are as much as a sample holds";
    if (!why)
        return keep_both(run, command, &few, &more, err);
    say_not_counted(run, command, why);
    return TARE_OK;
}
