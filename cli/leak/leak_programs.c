/* SPDX-License-Identifier: MIT */
#include "leak_session.h"
#include "machine.h"
#include "plat.h"
#include "programs.h"
#include "run_ask.h"
#include <math.h>
#include <string.h>

static enum tare_status name_programs(struct leak *k, struct tare_err *err)
{
    const struct option_operands *words = &k->run.cli->operands;
    k->n_programs = words->n;
    k->programs = arena_array(k->run.cli->arena, (size_t)words->n + 1, sizeof *k->programs);
    for (int i = 0; k->programs && i < words->n; i++) {
        const char **argv = run_program_argv(&k->run, words->items[i]);
        if (!argv)
            return err_no_memory(err);
        k->programs[i] =
            (struct leak_program){.path = words->items[i], .argv = argv, .label = words->n > 1 ? words->items[i] : NULL};
    }
    for (int i = 0; k->programs && i < words->n; i++)
        for (int other = 0; other < i; other++)
            if (!strcmp(words->items[i], words->items[other]))
                return err_set(err, TARE_INVALID, "%s is given twice", words->items[i]);
    return k->programs ? TARE_OK : err_no_memory(err);
}

/* The program that calls a function of a library stands beside the spawner's. */
static enum tare_status name_symbol(struct leak *k, struct tare_err *err)
{
    struct arena *a = k->run.cli->arena;
    const struct option_list *classes = &k->o->classes;
    const char *beside = plat_noop_path(k->run.session.spawner), *slash = strrchr(beside, '/');
    const char **argv = arena_array(a, (size_t)classes->n + 3, sizeof *argv);
    struct buf path = BUF_INIT(1 << 16);
    buf_add(&path, beside, slash ? (size_t)(slash - beside) + 1 : 0);
    buf_str(&path, "tare-symbol");
    const char *program = arena_strdup(a, buf_text(&path));
    buf_finish(&path);
    k->programs = arena_array(a, 1, sizeof *k->programs);
    if (!argv || !program || !k->programs)
        return err_no_memory(err);
    argv[0] = program;
    argv[1] = k->o->symbol;
    for (int i = 0; i < classes->n; i++)
        argv[2 + i] = classes->items[i];
    k->programs[0] = (struct leak_program){.path = k->o->symbol, .argv = argv};
    k->n_programs = 1;
    return TARE_OK;
}

/* Whether the target can be asked this. */
static bool target_fits(const struct leak_options *o, const struct wire_target *t)
{
    if (o->list && !o->growth && !o->scan)
        return true;
    const bool broken = t->trouble[0]; /* it says nothing but what it would be */
    if (o->growth)
        return t->flags & WIRE_TARGET_GROWTH;
    if (broken)
        return t->flags & WIRE_TARGET_CLASSES || !(t->flags & WIRE_TARGET_GROWTH);
    return o->scan ? t->input_bytes > 0 : t->n_classes >= 2;
}

static const char *wanted_of_targets(const struct leak_options *o)
{
    return o->growth ? "sizes" : o->scan ? "input" : "classes";
}

/* A session that goes on has the targets that it had, whatever else the program offers. */
static bool belongs_to_session(const struct leak *k, const struct leak_program *p, const char *name)
{
    bool found = !k->o->go_on;
    for (int i = 0; i < k->before.n_subjects && !found; i++) {
        const struct subject *s = &k->before.subjects[i];
        found = s->kind == SUBJECT_LEAK && s->program && !strcmp(s->program, p->path) && !strcmp(s->benchmark, name);
    }
    return found;
}

/* A target of another kind is left out, which is said once for all of them. */
static void say_left_out(const struct leak *k, const struct leak_program *p, int n, const char *one)
{
    if (n == 1)
        run_note(&k->run, "%s of %s has no %s and is left out", one, p->path, wanted_of_targets(k->o));
    else if (n)
        run_note(&k->run, "%s and %d other target%s of %s have no %s and are left out", one, n - 1, buf_plural(n - 1), p->path,
                 wanted_of_targets(k->o));
}

/* Each call of a reading has its own input. One that is put back before each call has a reading for each, whatever was asked for. */
static enum tare_status check_repeat(const struct leak_options *o, const struct wire_target *t, const char *name,
                                     struct tare_err *err)
{
    const int classes = o->growth ? 0 : (int)t->n_classes, most = wire_repeat_most(t->input_bytes, classes);
    if (o->repeat <= 1 || t->flags & WIRE_TARGET_RESET || o->repeat <= most)
        return TARE_OK;
    return err_set(err, TARE_INVALID,
                   "--repeat %d: so many inputs of %u bytes for each class of '%.200s' need more than %d MB; at most --repeat %d "
                   "has room, or leave the target out with --filter",
                   o->repeat, t->input_bytes, name, WIRE_INPUTS_BYTES / 1000000, most);
}

/* The words of a function's classes were given here, so that they are wrong use; of two targets of one name one stands for both. */
static enum tare_status take_target(struct leak *k, struct leak_program *p, const struct wire_target *t, const char *name,
                                    struct tare_err *err)
{
    if (t->trouble[0] && k->o->symbol)
        return err_set(err, TARE_INVALID, "--symbol: %s: %s", name, t->trouble);
    for (int i = 0; t->trouble[0] && i < p->n_targets; i++)
        if (!strcmp(p->targets[i], name))
            return TARE_OK;
    enum tare_status status = check_repeat(k->o, t, name, err);
    if (status)
        return status;
    const char *trouble = t->trouble[0] ? arena_strdup(k->run.cli->arena, t->trouble) : NULL;
    if (t->trouble[0] && !trouble)
        return err_set(err, TARE_NO_MEMORY, "no memory for the targets of %s", p->path);
    p->troubles[p->n_targets] = trouble;
    const uint32_t n = k->o->scan ? 1 : k->o->growth ? t->n_sizes : t->n_classes;
    p->calls[p->n_targets] = n ? (int)n : 1;
    p->targets[p->n_targets++] = name;
    return TARE_OK;
}

static enum tare_status take_targets(struct leak *k, struct leak_program *p, const struct program_answer *a, struct tare_err *err)
{
    struct wire_reader reader = {a->bytes, a->n, 0};
    struct wire_frame f;
    const char *other = NULL;
    int others = 0;
    enum tare_status status = TARE_OK;
    p->targets = arena_array(k->run.cli->arena, (size_t)a->targets + 1, sizeof *p->targets);
    p->troubles = arena_array(k->run.cli->arena, (size_t)a->targets + 1, sizeof *p->troubles);
    p->calls = arena_array(k->run.cli->arena, (size_t)a->targets + 1, sizeof *p->calls);
    while (p->targets && p->troubles && p->calls && !status && !wire_next(&reader, &f, NULL)) {
        if (f.type != WIRE_TARGET)
            continue;
        const char *name = arena_strdup(k->run.cli->arena, f.u.target.name);
        if (!name)
            return err_set(err, TARE_NO_MEMORY, "no memory for the targets of %s", p->path);
        if (!belongs_to_session(k, p, name))
            continue;
        if (k->o->symbol)
            p->library = arena_strdup(k->run.cli->arena, f.u.target.file);
        if (target_fits(k->o, &f.u.target))
            status = take_target(k, p, &f.u.target, name, err);
        else if (!others++)
            other = name;
    }
    if (status)
        return status;
    if (!p->targets || !p->troubles || !p->calls)
        return err_set(err, TARE_NO_MEMORY, "no memory for the targets of %s", p->path);
    if (!p->n_targets && k->o->go_on)
        return err_set(err, TARE_INVALID, "%s no longer has any target of the session, so it cannot be continued", p->path);
    if (!p->n_targets)
        return err_set(err, TARE_NOT_FOUND, "none of the targets of %s has %s; they are for %s", p->path, wanted_of_targets(k->o),
                       k->o->growth ? "tare leak without --growth" : "tare leak --growth");
    if (LEAK_GIVEN(k->o, filters) || k->o->growth || k->o->scan || !k->o->list)
        say_left_out(k, p, others, other);
    return TARE_OK;
}

/* In the words of tare-symbol: the first line that it wrote, else what its answer lacks. A library that ends the process says nothing. */
static enum tare_status refuse_symbol(struct buf *said, int exit_code, struct tare_err *err)
{
    static const char speaker[] = "tare-symbol: ";
    const char *text = buf_text(said);
    const bool spoke = !strncmp(text, speaker, sizeof speaker - 1);
    text += spoke ? sizeof speaker - 1 : 0;
    const enum tare_status status = spoke && exit_code == EXIT_USAGE ? TARE_INVALID : TARE_CHILD;
    const int n = (int)strcspn(text, "\n");
    if (n)
        return err_set(err, status, "--symbol: %.*s", n < 400 ? n : 400, text);
    if (exit_code < 0)
        return status;
    return err_set(err, status,
                   "--symbol: the library ended the process, or closed its descriptors, when it was loaded: exit code %d",
                   exit_code);
}

static enum tare_status ask_program(struct leak *k, struct leak_program *p, struct tare_err *err)
{
    struct program_answer a;
    struct buf said = BUF_INIT(1 << 16);
    bool symbol = k->o->symbol != NULL;
    const struct run_place where = {k->run.o->cwd, k->run.exec_options.environment};
    enum tare_status status =
        run_ask(&k->run, symbol ? "--symbol" : p->path, p->argv, &where, &k->o->filters, symbol ? &said : NULL, &a, err);
    if (status == TARE_CHILD && symbol)
        status = refuse_symbol(&said, a.exit_code, err);
    buf_finish(&said);
    if (status)
        return status;
    p->taint = a.hello.taint;
    if (p->taint & WIRE_TAINT_MSAN && !k->o->list)
        run_note(&k->run, "%s is an MSan build: its times are of that build, not of the program that is shipped", p->path);
    if (!a.hello.targets)
        status = err_set(err, TARE_NOT_FOUND, "%s has no targets%s; write one with TARE_LEAK, see tare/leak.h", p->path,
                         a.hello.benchmarks ? ", only benchmarks" : "");
    else if (!a.targets)
        status = err_set(err, TARE_NOT_FOUND, "%s has %u target%s, and no name fits --filter; see tare leak --list %s", p->path,
                         a.hello.targets, buf_plural((int64_t)a.hello.targets), p->path);
    else
        status = take_targets(k, p, &a, err);
    program_answer_finish(&a);
    return status;
}

static enum tare_status check_option(const char *name, bool given, struct tare_err *err)
{
    const char *why = given ? plat_option_unknown(name) : NULL;
    return why ? err_set(err, TARE_UNSUPPORTED, "%s: %s", name, why) : TARE_OK;
}

static enum tare_status ask_programs(struct leak *k, struct tare_err *err)
{
    enum tare_status status = plat_signals_watch();
    if (status)
        return err_set(err, status, "cannot watch signals");
    status = run_start_spawner(&k->run, err);
    if (!status)
        status = check_option("--symbol", k->o->symbol, err);
    if (!status)
        status = check_option("--taint", k->o->taint, err);
    if (!status && k->o->symbol)
        status = name_symbol(k, err);
    for (int i = 0; i < k->n_programs && !status; i++)
        status = ask_program(k, &k->programs[i], err);
    return status;
}

static enum tare_status room_for_subjects(struct leak *k, int n, struct tare_err *err)
{
    if (n > PLAN_SUBJECTS_MAX)
        return err_set(err, TARE_INVALID, "%d targets are more than one session can hold, which is %d; choose some with --filter",
                       n, PLAN_SUBJECTS_MAX);
    k->requests = arena_array(k->run.cli->arena, (size_t)n, sizeof *k->requests);
    return run_room_for_parts(&k->run, n) && k->requests ? TARE_OK : err_no_memory(err);
}

static enum tare_status make_subjects(struct leak *k, struct tare_err *err)
{
    int n = 0, next = 0;
    for (int i = 0; i < k->n_programs; i++)
        n += k->programs[i].n_targets;
    enum tare_status status = room_for_subjects(k, n, err);
    for (int i = 0; i < k->n_programs && !status; i++) {
        const struct leak_program *p = &k->programs[i];
        for (int t = 0; t < p->n_targets; t++)
            k->run.subjects.subjects[next++] = (struct subject){
                .kind = SUBJECT_LEAK,
                .name = p->label ? arena_format(k->run.cli->arena, "%s (%s)", p->targets[t], p->label) : p->targets[t],
                .command = arena_format(k->run.cli->arena, "%s: %s", p->path, p->targets[t]),
                .argv = p->argv,
                .program = p->path,
                .benchmark = p->targets[t],
                .reference = -1};
    }
    for (int i = 0; i < next; i++)
        if (!k->run.subjects.subjects[i].name || !k->run.subjects.subjects[i].command)
            return err_no_memory(err);
    return status;
}

enum tare_status leak_one_subject(struct leak *k, const char *name, const char *program, struct tare_err *err)
{
    const char **argv = run_program_argv(&k->run, program);
    enum tare_status status = argv ? room_for_subjects(k, 1, err) : err_no_memory(err);
    if (status)
        return status;
    k->run.subjects.subjects[0] = (struct subject){.kind = SUBJECT_LEAK,
                                                   .name = name,
                                                   .command = program,
                                                   .argv = argv,
                                                   .program = program,
                                                   .benchmark = name,
                                                   .reference = -1};
    return TARE_OK;
}

static void make_request(struct leak *k, int i, int calls, const char *trouble)
{
    const struct leak_options *o = k->o;
    const struct rule *u = &k->run.record.rule;
    /* 0: a share, cycles or a growth that rests on latencies, whose length the first process tells. A guess that is too long would be found too easily, and
     * count. */
    struct wire_request q = wire_request_default(CHILD_REPORT);
    q.leak_kind = o->growth ? WIRE_GROWTH : o->scan ? WIRE_SCAN : WIRE_PAIRS;
    q.spike_ns = u->margin_unit && !strcmp(u->margin_unit, "ns") ? u->margin : 0;
    q.selfcheck = o->selfcheck;
    q.cache = (enum wire_cache)o->cache;
    q.repeat = o->repeat;
    q.dit = o->dit ? 1 : -1;
    q.clock = o->clock;
    k->requests[i] = (struct leak_request){.target = k->run.subjects.subjects[i].benchmark, .asked = q, .calls = calls};
    struct buf failure = buf_over(k->run.commands[i].failure, sizeof k->run.commands[i].failure);
    if (trouble) /* no process of it is made */
        buf_format(&failure, "failed: %.550s", trouble);
    k->run.commands[i].leak = &k->requests[i];
}

void leak_rule_from_options(const struct leak_options *o, struct rule *u)
{
    static const char *const caches[] = {"warm", "cold", "random"};
    static const double tolerated_growth = .5; /* share of the time at the smallest size */
    u->method = METHOD_ANYTIME;
    u->metric = "wall";
    u->confidence = o->run.confidence;
    u->precision = 0;
    u->margin = o->run.margin.value;
    u->margin_unit = o->run.margin.unit;
    if (o->growth && !LEAK_GIVEN(o, run.margin)) {
        u->margin = tolerated_growth;
        u->margin_unit = NULL;
    }
    u->interleaved = false; /* a target that is decided leaves the rounds */
    u->fail_if_slower = NAN;
    u->leaks = (struct rule_leaks){.kind = o->csv      ? "csv"
                                           : o->growth ? "growth"
                                           : o->scan   ? "scan"
                                                       : "pairs",
                                   .cache = caches[o->cache],
                                   .alpha = o->alpha,
                                   .advantage = o->advantage,
                                   .exact = o->exact,
                                   .strict = o->strict,
                                   .dit = o->dit,
                                   .selfcheck = o->selfcheck,
                                   .repeat = o->repeat,
                                   .clock = o->clock && strcmp(o->clock, "auto") != 0 ? o->clock : NULL,
                                   .max_calls = (double)o->max_calls,
                                   .dudect = o->method != LEAK_BY_TARE,
                                   .lab0 = o->method == LEAK_BY_LAB0,
                                   .measurements = o->measurements,
                                   .drop = o->drop,
                                   .percentiles = o->cropped,
                                   .order = o->order,
                                   .threshold = o->threshold};
}

static void settle_rule(struct leak *k)
{
    struct rule *u = &k->run.record.rule;
    struct plan_options *plan = &k->run.session.plan;
    static const int64_t usual_ns = INT64_C(10000000000); /* of a target */
    leak_rule_from_options(k->o, u);
    if (k->o->go_on)
        u->leaks.latency_ns = k->before.rule.leaks.latency_ns;
    else if (k->o->growth && !LEAK_GIVEN(k->o, run.margin) && !k->o->run.dry_run && !k->o->list)
        u->leaks.latency_ns = fmax(memory_latency_ns(), 0); /* 0 where it is not known */
    plan->warmup = 0;
    plan->budget_ns = k->o->run.max_time_ns ? k->o->run.max_time_ns : usual_ns * k->run.subjects.n;
}

/* The claim is about its file, and not about the program that calls the function. */
static enum tare_status describe_library(struct leak *k, struct tare_err *err)
{
    struct record *r = &k->run.record;
    struct programs programs = programs_begin(PROGRAMS_CLAIM_BYTES, plat_environment());
    if (!k->o->symbol || !k->programs[0].library)
        return TARE_OK;
    const struct outputs_place places[] = {{"the library", k->programs[0].library, true}, {"--save", k->o->run.save, false}};
    enum tare_status status = outputs_check(&k->o->run.display, places, 2, err);
    if (status)
        return status;
    return programs_add_library(&programs, r, &r->build, k->programs[0].library, NULL) ? err_no_memory(err) : TARE_OK;
}

enum tare_status leak_describe(struct leak *k, struct tare_err *err)
{
    k->run.cpu_each_run = true;
    enum tare_status status = run_check_clock(k->o->clock, err);
    if (!status)
        status = run_choose_environment(&k->run, err);
    if (!status)
        status = name_programs(k, err);
    if (!status)
        status = ask_programs(k, err);
    if (!status)
        status = make_subjects(k, err);
    if (!status)
        status = run_describe_subjects(&k->run, err);
    if (!status)
        status = describe_library(k, err);
    if (status)
        return status;
    settle_rule(k);
    for (int i = 0; i < k->before.n_subjects; i++) /* other coins than before, whatever the seed: the evidence of both counts */
        k->run.exec_options.seed += UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)k->before.series[i].main.n;
    for (int i = 0, next = 0; i < k->n_programs; i++)
        for (int t = 0; t < k->programs[i].n_targets; t++)
            make_request(k, next++, k->programs[i].calls[t], k->programs[i].troubles[t]);
    return TARE_OK;
}
