/* SPDX-License-Identifier: MIT */
#include "bench_session.h"
#include "plat.h"
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES = 16 << 20 };

/* ---- the question ---- */

static const char *request_text(const struct bench *b)
{
    struct wire_request q = wire_request_default(CHILD_REPORT);
    q.mode = WIRE_LIST;
    struct buf text = BUF_INIT(1 << 20);
    buf_str(&text, WIRE_VARIABLE "=");
    wire_request_write(&text, &q);
    for (int i = 0; i < b->o->filters.n; i++)
        wire_request_filter(&text, b->o->filters.items[i]);
    const char *kept = text.status ? NULL : arena_strdup(b->run.cli->arena, buf_text(&text));
    buf_finish(&text);
    return kept;
}

static const char *const *environment_with(const struct bench *b, const char *variable)
{
    const char *const *base = b->run.exec_options.environment;
    int n = 0;
    while (base[n])
        n++;
    const char **all = arena_array(b->run.cli->arena, (size_t)n + 2, sizeof *all);
    for (int i = 0; all && i < n; i++)
        all[i] = base[i];
    if (all)
        all[n] = variable;
    return variable ? all : NULL;
}

static enum tare_status ask(const struct bench *b, const struct bench_program *p, int report, struct plat_child_result *result,
                            struct tare_err *err)
{
    struct buf path = BUF_INIT(1 << 16);
    const char *const *environment = environment_with(b, request_text(b));
    int null = plat_open_null();
    enum tare_status status =
        environment && null >= 0 ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory to ask for benchmarks");
    if (!status)
        status = plat_find_program(p->argv[0], environment, b->run.o->cwd, &path, err);
    const struct plat_child_spec spec = {.path = buf_text(&path),
                                         .argv = p->argv,
                                         .envp = environment,
                                         .cwd = b->run.o->cwd,
                                         .fd_in = null,
                                         .fd_out = b->run.o->show_output ? 1 : null,
                                         .fd_err = b->run.o->show_output ? 2 : null,
                                         .timeout_ns = b->run.o->timeout_ns,
                                         .pin_cpu = -1,
                                         .drain_fd = -1,
                                         .fd_report = report,
                                         .report_bytes = LIST_BYTES};
    if (!status)
        status = plat_child_run(b->run.spawner, &spec, result, err);
    plat_close(null);
    buf_finish(&path);
    return status == TARE_NOT_FOUND || status == TARE_PERMISSION ? TARE_CHILD : status;
}

/* ---- the answer ---- */

static const char *arg_text(const struct bench *b, const struct wire_arg *arg)
{
    char number[24];
    struct buf text = buf_over(number, sizeof number);
    buf_format(&text, "%lld", (long long)arg->value);
    return arena_strdup(b->run.cli->arena, *arg->word ? arg->word : number);
}

static const char *arg_name(const struct bench *b, const struct wire_arg *arg, uint32_t index)
{
    char name[16];
    struct buf text = buf_over(name, sizeof name);
    buf_format(&text, "arg%u", index + 1);
    return arena_strdup(b->run.cli->arena, *arg->name ? arg->name : name);
}

static bool take_case(const struct bench *b, const struct wire_bench *from, struct bench_case *c)
{
    *c = (struct bench_case){.name = arena_strdup(b->run.cli->arena, from->name),
                             .group = arena_strdup(b->run.cli->arena, from->group),
                             .baseline = from->flags & WIRE_BASELINE,
                             .complexity = from->flags & WIRE_COMPLEXITY && from->n_args && !*from->args[0].word,
                             .n_args = (int)from->n_args};
    bool ok = c->name && c->group;
    for (uint32_t i = 0; i < from->n_args; i++) {
        c->args[i] = (struct parameter){arg_name(b, &from->args[i], i), arg_text(b, &from->args[i])};
        ok = ok && c->args[i].name && c->args[i].value;
    }
    return ok;
}

struct answer {
    bool hello, bye;
    uint32_t version, registered;
    int benchmarks;
    const char *trouble;
};

/* One walk over the frames; with `cases` they are filled. */
static enum tare_status walk(const struct bench *b, const char *bytes, size_t n, struct answer *a, struct bench_case *cases)
{
    struct wire_reader reader = {bytes, n, 0};
    struct wire_frame f;
    *a = (struct answer){.trouble = ""};
    while (!wire_next(&reader, &f, NULL)) {
        if (f.type == WIRE_HELLO) {
            a->hello = true;
            a->version = f.u.hello.version;
            a->registered = f.u.hello.benchmarks;
            a->trouble = f.u.hello.trouble ? f.u.hello.trouble : "";
        } else if (f.type == WIRE_BENCH) {
            if (cases && !take_case(b, &f.u.bench, &cases[a->benchmarks]))
                return TARE_NO_MEMORY;
            a->benchmarks++;
        } else if (f.type == WIRE_BYE) {
            a->bye = true;
        }
    }
    return TARE_OK;
}

static enum tare_status judge(const struct bench_program *p, const struct answer *a, const struct plat_child_result *result,
                              int64_t timeout_ns, struct tare_err *err)
{
    if (result->end == CHILD_INTERRUPTED)
        return err_set(err, TARE_INTERRUPTED, "interrupted before the first process");
    if (result->end == CHILD_NOT_STARTED)
        return err_set(err, TARE_CHILD, "%s could not be started: %s%s", p->path, plat_errno_text(result->code),
                       plat_start_advice(result->code));
    if (!a->hello && result->end == CHILD_TIMED_OUT)
        return err_set(err, TARE_CHILD,
                       "%s was stopped after %g s without an answer: a program built with libtare names its benchmarks at once",
                       p->path, (double)timeout_ns / 1e9);
    if (!a->hello)
        return err_set(err, TARE_CHILD,
                       "%s is no program built with libtare: it did not answer when it was asked for its benchmarks "
                       "(#include <tare/tare.h>, TARE_MAIN())",
                       p->path);
    if (a->version != WIRE_VERSION)
        return err_set(err, TARE_VERSION,
                       "%s speaks version %u of tare's record and this tare version %d: build it with %s libtare", p->path,
                       a->version, WIRE_VERSION, a->version < WIRE_VERSION ? "a newer" : "this tare's");
    if (*a->trouble)
        return err_set(err, TARE_CHILD, "%s: %s", p->path, a->trouble);
    if (!a->bye)
        return err_set(err, TARE_CHILD, "%s ended before it had named all its benchmarks", p->path);
    if (!a->registered)
        return err_set(err, TARE_NOT_FOUND, "%s has no benchmarks; write one with TARE_BENCH, see tare/bench.h", p->path);
    if (!a->benchmarks)
        return err_set(err, TARE_NOT_FOUND, "%s has %u benchmark%s, and no name fits --filter; see tare bench --list %s", p->path,
                       a->registered, buf_plural((int64_t)a->registered), p->path);
    return TARE_OK;
}

static enum tare_status read_answer(const struct bench *b, struct bench_program *p, int report,
                                    const struct plat_child_result *result, struct tare_err *err)
{
    int64_t size = plat_scratch_size(report);
    size_t n = size < LIST_BYTES ? (size_t)size : LIST_BYTES;
    char *bytes = malloc(n + 1);
    struct answer a;
    enum tare_status status = bytes ? plat_scratch_read(report, 0, bytes, n, err) : TARE_NO_MEMORY;
    if (!status)
        status = walk(b, bytes, n, &a, NULL);
    if (!status)
        status = judge(p, &a, result, b->run.o->timeout_ns, err);
    if (!status) {
        p->n_cases = a.benchmarks;
        p->cases = arena_array(b->run.cli->arena, (size_t)a.benchmarks, sizeof *p->cases);
        status = p->cases ? walk(b, bytes, n, &a, p->cases) : TARE_NO_MEMORY;
    }
    free(bytes);
    return status == TARE_NO_MEMORY ? err_set(err, status, "no memory for the benchmarks of %s", p->path) : status;
}

enum tare_status bench_program_list(struct bench *b, struct bench_program *p, struct tare_err *err)
{
    struct plat_child_result result = {0};
    int report = plat_open_scratch(err);
    enum tare_status status = report < 0 ? TARE_IO : ask(b, p, report, &result, err);
    if (!status)
        status = read_answer(b, p, report, &result, err);
    plat_close(report);
    return status;
}
