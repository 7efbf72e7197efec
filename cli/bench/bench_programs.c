/* SPDX-License-Identifier: MIT */
#include "bench_session.h"
#include "run_ask.h"

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

bool bench_wants(const struct bench *b, const char *name)
{
    return (!b->o->filters.n || bench_filter_any(b->only, name)) && !bench_filter_any(b->not, name);
}

static enum tare_status judge(const struct bench *b, const struct bench_program *p, const struct program_answer *a,
                              struct tare_err *err)
{
    const bool filters = b->o->filters.n > 0, excluded = b->o->excluded.n > 0;
    if (!a->hello.benchmarks)
        return err_set(err, TARE_NOT_FOUND, "%s has no benchmarks; write one with TARE_BENCH, see tare/bench.h", p->path);
    if (!p->n_cases)
        return err_set(err, TARE_NOT_FOUND, "%s has %u benchmark%s, and no name fits --%s%s; see tare bench --list %s", p->path,
                       a->hello.benchmarks, buf_plural((int64_t)a->hello.benchmarks), filters ? "filter" : "exclude",
                       filters && excluded ? " and --exclude" : "", p->path);
    return TARE_OK;
}

/* What the program says of itself is a fact of the build: "note:allocator", and of several programs "note:allocator (./old)". */
static enum tare_status take_notes(struct bench *b, const struct bench_program *p, const struct wire_hello *hello,
                                   struct tare_err *err)
{
    struct record *r = &b->run.record;
    enum tare_status status = TARE_OK;
    for (uint32_t i = 0; i < hello->n_notes && !status; i++) {
        struct buf key = BUF_INIT(1 << 16);
        buf_format(&key, RECORD_NOTE "%s%s%s%s", hello->notes[i].name, p->label ? " (" : "", p->label ? p->label : "",
                   p->label ? ")" : "");
        status = facts_add_text(r, &r->build, buf_text(&key), hello->notes[i].text);
        buf_finish(&key);
    }
    return status ? err_set(err, TARE_NO_MEMORY, "no memory for the notes of %s", p->path) : TARE_OK;
}

static enum tare_status take_cases(const struct bench *b, struct bench_program *p, const struct program_answer *a,
                                   struct tare_err *err)
{
    struct wire_reader reader = {a->bytes, a->n, 0};
    struct wire_frame f;
    bool good = true;
    p->cases = arena_array(b->run.cli->arena, (size_t)a->benchmarks + 1, sizeof *p->cases);
    while (p->cases && good && !wire_next(&reader, &f, NULL))
        if (f.type == WIRE_BENCH && bench_wants(b, f.u.bench.name))
            good = take_case(b, &f.u.bench, &p->cases[p->n_cases++]);
    return p->cases && good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for the benchmarks of %s", p->path);
}

enum tare_status bench_program_list(struct bench *b, struct bench_program *p, struct tare_err *err)
{
    const struct option_list all = {0};
    struct program_answer a;
    enum tare_status status =
        run_ask(&b->run, p->path, p->argv, bench_filter_has_patterns(b->only) ? &all : &b->o->filters, NULL, &a, err);
    if (status)
        return status;
    status = take_cases(b, p, &a, err);
    if (!status)
        status = judge(b, p, &a, err);
    if (!status)
        status = take_notes(b, p, &a.hello, err);
    program_answer_finish(&a);
    return status;
}
