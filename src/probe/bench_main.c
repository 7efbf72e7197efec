/* SPDX-License-Identifier: MIT
 *
 * The main of a program with benchmarks and leak targets: what a runner asks for in the environment, else what the arguments ask for.
 */
#include "leak_part.h"
#include "plat_process.h"
#include "probe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUT_MAX = 1 << 28, FAILED = 5, COULD_NOT = 6 };

/* A session under a runner: what it asked for, and the frames that were not written yet. */
struct wired {
    const struct wire_request *request;
    struct buf out;
    uint32_t ran;
};

static enum tare_status flush_frames(struct wired *w)
{
    enum tare_status status = w->out.status;
    if (!status && w->out.len)
        status = plat_process_write(w->request->fd, w->out.data, w->out.len, NULL);
    buf_clear(&w->out);
    return status;
}

static enum tare_status say_hello(struct wired *w, const char *trouble)
{
    struct wire_hello hello = {.version = WIRE_VERSION,
                               .library = TARE_LIBRARY_VERSION,
                               .pid = (uint64_t)plat_process_id(),
                               .benchmarks = (uint32_t)probe_cases(),
                               .trouble = trouble,
                               .targets = (uint32_t)leak_part_targets(),
                               .taint = leak_part_taint_ways()};
    hello.n_notes = probe_notes(hello.notes);
    wire_put_hello(&w->out, &hello);
    return flush_frames(w);
}

static enum tare_status say_bye(struct wired *w, const struct wire_bye *bye)
{
    wire_put_bye(&w->out, bye);
    return flush_frames(w);
}

static void put_bench(struct buf *out, const struct probe_case *c)
{
    const struct tare_bench *b = c->bench;
    struct wire_bench w = {.index = (uint32_t)c->number,
                           .name = c->name,
                           .group = b->name,
                           .file = b->file,
                           .line = (uint32_t)b->line,
                           .threads = (uint32_t)c->threads,
                           .n_args = (uint32_t)c->n_args,
                           .version = b->version};
    w.flags =
        (b->baseline ? WIRE_BASELINE : 0u) | (b->complexity ? WIRE_COMPLEXITY : 0u) | (b->manual_time ? WIRE_MANUAL_TIME : 0u);
    for (int i = 0; i < c->n_args; i++)
        w.args[i] = c->args[i];
    wire_put_bench(out, &w);
}

static enum tare_status list_all_cases(struct wired *w)
{
    struct probe_case c;
    for (int64_t next = 0; probe_case_wanted(w->request, &next, &c);)
        put_bench(&w->out, &c);
    for (int i = 0; i < leak_part_targets(); i++)
        if (wire_request_wants(w->request, leak_part->name(i)))
            leak_part->put_target(&w->out, i);
    return say_bye(w, &(struct wire_bye){.drift_ppm = NAN, .drift_bound_ppm = NAN});
}

static enum tare_status put_result(void *context, const struct tare_state *states, const struct wire_end *end)
{
    struct buf *out = context;
    for (int i = 0; i < states->the_case->threads; i++)
        if (states[i].rows.n)
            wire_put_samples(out, end->bench, (uint32_t)i, (uint32_t)states[i].rows.n,
                             (const int64_t *const *)states[i].rows.column);
    wire_put_end(out, end);
    return out->status;
}

/* BENCH goes out before the benchmark runs, so that the runner knows which one it was when the program dies. */
static enum tare_status measure_one(struct wired *w, struct probe_session *s, const struct probe_case *c, uint64_t iterations)
{
    put_bench(&w->out, c);
    enum tare_status status = flush_frames(w);
    if (!status)
        status = probe_run(s, c, iterations, put_result, &w->out);
    w->ran++;
    return status ? status : flush_frames(w);
}

static bool find_case(const struct wire_run *run, struct probe_case *out)
{
    for (int64_t i = 0; probe_case_at(i, out); i++)
        if (strlen(out->name) == run->size && memcmp(out->name, run->name, run->size) == 0)
            return true;
    return false;
}

static enum tare_status measure_all(struct wired *w, struct probe_session *s)
{
    struct wire_run run;
    struct probe_case c;
    size_t at = 0;
    enum tare_status status = TARE_OK;
    bool named = false;
    while (!status && wire_request_run(w->request, &at, &run)) {
        named = true;
        if (find_case(&run, &c))
            status = measure_one(w, s, &c, run.iterations);
    }
    for (int64_t next = 0; !named && !status && probe_case_wanted(w->request, &next, &c);)
        status = measure_one(w, s, &c, 0);
    return status;
}

static enum tare_status flush_wired(void *context)
{
    return flush_frames(context);
}

/* Not for taint: under valgrind there is no clock that means anything. */
static bool is_timed(const struct wire_request *q)
{
    return q->mode == WIRE_MEASURE || (q->mode == WIRE_LEAK && q->leak_kind != WIRE_TAINT);
}

/* After a fault of a leak target its process is not to be trusted with anything more. */
static enum tare_status measure_wanted(struct wired *w)
{
    struct probe_session s;
    struct tare_err err = {{0}};
    struct wire_clock clock;
    const bool timed = is_timed(w->request);
    enum tare_status status = timed ? probe_session_open(&s, w->request, &err) : TARE_OK;
    if (status)
        return status;
    if (timed) {
        probe_clock_frame(&s, &clock);
        wire_put_clock(&w->out, &clock);
        status = flush_frames(w);
    }
    bool fault = false;
    if (!status && w->request->mode == WIRE_MEASURE)
        status = measure_all(w, &s);
    else if (!status && leak_part)
        status = leak_part->serve(w->request, timed ? &s : NULL, &w->out, flush_wired, w, &w->ran, &fault);
    struct wire_bye bye = {.drift_ppm = NAN, .drift_bound_ppm = NAN, .benchmarks = w->ran};
    if (timed && !fault) {
        struct clock_pair since = s.clock->start;
        bye.backwards = clock_drift(&since, &bye.drift_ppm, &bye.drift_bound_ppm, NULL) == TARE_INVALID;
    }
    status = status ? status : say_bye(w, &bye);
    if (fault)
        plat_process_end(FAILED);
    return status;
}

/* What keeps a whole session from running is known before HELLO. */
static enum tare_status trouble_of(const struct wire_request *q, struct tare_err *err)
{
    struct probe_session s;
    enum tare_status status = probe_check_list(err);
    status = status ? status : leak_part_check(err);
    return status || !is_timed(q) ? status : probe_session_open(&s, q, err);
}

static int serve_request(const struct wire_request *q)
{
    struct wired w = {.request = q, .out = BUF_INIT(OUT_MAX)};
    struct tare_err err = {{0}};
    enum tare_status trouble = trouble_of(q, &err);
    enum tare_status status = say_hello(&w, err.text);
    if (!status)
        status = trouble                ? say_bye(&w, &(struct wire_bye){.drift_ppm = NAN, .drift_bound_ppm = NAN})
                 : q->mode == WIRE_LIST ? list_all_cases(&w)
                                        : measure_wanted(&w);
    buf_finish(&w.out);
    return status ? COULD_NOT : 0;
}

static int run_asked(const char *asked)
{
    struct wire_request q;
    struct tare_err err = {{0}};
    enum tare_status status = wire_request_read(asked, &q, &err);
    if (status == TARE_OK)
        return serve_request(&q);
    if (q.fd >= 0) { /* who asks is told why not, where it said how */
        struct wired w = {.request = &q, .out = BUF_INIT(OUT_MAX)};
        say_hello(&w, err.text);
        buf_finish(&w.out);
    }
    return COULD_NOT;
}

static int run_program(int argc, char **argv, tare_write *write, void *context)
{
    const char *asked = getenv(WIRE_VARIABLE);
    if (!asked)
        return probe_alone(argc, argv, write, context);
    /* Out of the environment, so that what a benchmark starts is not taken for this program. It is read where it is: a copy would be an allocation,
     * which differs between two processes whose allocations are subtracted. */
    return plat_process_take_variable(WIRE_VARIABLE, NULL, 0) ? run_asked(asked) : COULD_NOT;
}

int tare_bench_main(int argc, char **argv, tare_write *write, void *context)
{
    leak_unwatched(true);
    int code = run_program(argc, argv, write, context);
    leak_unwatched(false);
    return code;
}
