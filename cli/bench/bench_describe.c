/* SPDX-License-Identifier: MIT
 * From options and words to a session: the programs, their benchmarks as subjects, what each process is asked for, the rule. */
#include "bench_session.h"
#include "plat.h"
#include "run_ask.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which benchmarks there are: what the programs say when they are asked, or what a stored session has, to show what would run while nothing has run yet.
 */

static bool take_case(const struct bench *b, const struct wire_bench *from, struct bench_case *c)
{
    struct arena *a = b->run.cli->arena;
    *c = (struct bench_case){.name = arena_strdup(a, from->name),
                             .group = arena_strdup(a, from->group),
                             .baseline = from->flags & WIRE_BASELINE,
                             .complexity = from->flags & WIRE_COMPLEXITY && from->n_args && !*from->args[0].word,
                             .n_args = (int)from->n_args,
                             .terms = bench_terms(from)};
    const bool versioned = from->version && *from->version;
    c->version = versioned ? arena_strdup(a, from->version) : NULL;
    bool ok = c->name && c->group && (c->version || !versioned);
    for (uint32_t i = 0; i < from->n_args; i++) {
        const struct wire_arg *arg = &from->args[i];
        c->args[i] = (struct parameter){*arg->name ? arena_strdup(a, arg->name) : arena_format(a, "arg%u", i + 1),
                                        *arg->word ? arena_strdup(a, arg->word) : arena_format(a, "%lld", (long long)arg->value)};
        ok = ok && c->args[i].name && c->args[i].value;
    }
    return ok;
}

static enum tare_status judge_answer(const struct bench *b, const struct bench_program *p, const struct program_answer *a,
                                     struct tare_err *err)
{
    const bool filters = b->o->filters.n > 0, excluded = b->o->excluded.n > 0;
    if (!a->hello.benchmarks)
        return err_set(err, TARE_NOT_FOUND, "%s has no benchmarks%s", p->path,
                       p->harness ? "" : "; write one with TARE_BENCH, see tare/bench.h");
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
        const char *key = arena_format(b->run.cli->arena, RECORD_NOTE "%s%s%s%s", hello->notes[i].name, p->label ? " (" : "",
                                       p->label ? p->label : "", p->label ? ")" : "");
        status = key ? facts_add_text(r, &r->build, key, hello->notes[i].text) : TARE_NO_MEMORY;
    }
    return status ? err_no_memory(err) : TARE_OK;
}

/* "note:harness", as one that the program made; once where all are of the same. */
static enum tare_status note_harness(struct bench *b, const struct bench_program *p, struct tare_err *err)
{
    const struct wire_hello hello = {.n_notes = 1, .notes = {{"harness", p->harness->name}}};
    struct bench_program all = *p;
    bool one = true;
    for (int i = 0; i < b->n_programs; i++)
        one = one && b->programs[i].harness == p->harness;
    all.label = NULL;
    return one && p > b->programs ? TARE_OK : take_notes(b, one ? &all : p, &hello, err);
}

/* Of what is wanted: two of one name could not be told apart. */
static enum tare_status check_names(const struct bench *b, const struct bench_program *p, struct tare_err *err)
{
    const char **names = arena_array(b->run.cli->arena, (size_t)p->n_cases + 1, sizeof *names);
    if (!names)
        return err_no_memory(err);
    for (int i = 0; i < p->n_cases; i++)
        names[i] = p->cases[i].name;
    qsort(names, (size_t)p->n_cases, sizeof *names, text_order);
    for (int i = 1; i < p->n_cases; i++)
        if (!strcmp(names[i - 1], names[i]))
            return err_set(err, TARE_CHILD, "%s: it lists two benchmarks of the name %.200s; --exclude leaves them out", p->path,
                           names[i]);
    return TARE_OK;
}

/* Asks the program for its benchmarks, those that the filters want. CHILD: it could not be started, or is no program of libtare;
 * VERSION: of another version; NOT_FOUND: it has none that is wanted; INTERRUPTED. */
static enum tare_status bench_program_list(struct bench *b, struct bench_program *p, struct tare_err *err)
{
    const struct option_list all = {0};
    const struct run_place where = {p->cwd, p->environment};
    struct program_answer a;
    enum tare_status status = p->results   ? run_ask_results(&b->run, p->path, p->argv, &where, p->results, &a, err)
                              : p->harness ? run_ask_harness(&b->run, p->harness, p->path, &where, &a, err)
                                           : run_ask(&b->run, p->path, p->argv, &where,
                                                     bench_filter_has_patterns(b->only) ? &all : &b->o->filters, NULL, &a, err);
    if (status)
        return status;
    struct wire_reader reader = {a.bytes, a.n, 0};
    struct wire_frame f;
    bool good = true;
    p->cases = arena_array(b->run.cli->arena, (size_t)a.benchmarks + 1, sizeof *p->cases);
    while (p->cases && good && !wire_next(&reader, &f, NULL))
        if (f.type == WIRE_BENCH && bench_wants(b, f.u.bench.name))
            good = take_case(b, &f.u.bench, &p->cases[p->n_cases++]);
    status = p->cases && good ? TARE_OK : err_no_memory(err);
    if (!status)
        status = judge_answer(b, p, &a, err);
    if (!status)
        status = check_names(b, p, err);
    if (!status)
        status = p->results   ? bench_note_results(b, p, err)
                 : p->harness ? note_harness(b, p, err)
                              : take_notes(b, p, &a.hello, err);
    program_answer_finish(&a);
    return status;
}

static bool of_program(const struct subject *s, const struct bench_program *p)
{
    return s->kind == SUBJECT_BENCH && same_words(s->argv, p->argv) && !strcmp(s->program, p->label ? p->label : p->path);
}

static bool is_baseline(const struct record *r, int subject)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && r->subjects[i].reference == subject &&
            !strcmp(r->subjects[i].program, r->subjects[subject].program))
            return true;
    return false;
}

static struct bench_case case_of(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    struct bench_case c = {.name = s->benchmark,
                           .group = s->group ? s->group : s->benchmark,
                           .version = s->version,
                           .baseline = is_baseline(r, subject),
                           .complexity = s->complexity,
                           .n_args = s->n_parameters < WIRE_ARGS_MAX ? s->n_parameters : WIRE_ARGS_MAX};
    for (int i = 0; i < c.n_args; i++)
        c.args[i] = s->parameters[i];
    return c;
}

static enum tare_status take_recorded(const struct bench *b, struct bench_program *p, struct tare_err *err)
{
    const struct record *r = b->recorded;
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += of_program(&r->subjects[i], p);
    if (!n)
        return err_set(err, TARE_FORMAT,
                       "the recorded command line names %.200s, of which the record has no benchmark; nothing was run", p->path);
    p->cases = arena_array(b->run.cli->arena, (size_t)n, sizeof *p->cases);
    if (!p->cases)
        return err_no_memory(err);
    for (int i = 0; i < r->n_subjects; i++)
        if (of_program(&r->subjects[i], p))
            p->cases[p->n_cases++] = case_of(r, i);
    return TARE_OK;
}

/* The benchmarks of the programs by b->recorded. FORMAT: its benchmarks are not those of these programs. */
static enum tare_status bench_take_recorded(struct bench *b, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int taken = 0;
    for (int i = 0; i < b->n_programs && !status; i++) {
        status = take_recorded(b, &b->programs[i], err);
        taken += b->programs[i].n_cases;
    }
    if (!status && taken != b->recorded->n_subjects)
        status =
            err_set(err, TARE_FORMAT, "the record has %d subjects, of which the recorded command line makes %d; nothing was run",
                    b->recorded->n_subjects, taken);
    return status;
}

static enum tare_status take_given(struct bench *b, struct tare_err *err)
{
    b->n_programs = b->n_given;
    b->programs = arena_array(b->run.cli->arena, (size_t)b->n_given, sizeof *b->programs);
    for (int i = 0; b->programs && i < b->n_given; i++) {
        b->programs[i] = b->given[i];
        if (!(b->programs[i].argv = run_program_argv(&b->run, b->given[i].path)))
            return err_no_memory(err);
    }
    return b->programs ? TARE_OK : err_no_memory(err);
}

/* "HEAD", and where it is given again "HEAD #2". */
static const char *name_revision(const struct bench *b, int i)
{
    const struct revision *rs = b->run.revisions.items;
    int copy = 1;
    for (int k = 0; k < i; k++)
        copy += !strcmp(rs[k].label, rs[i].label);
    return copy > 1 ? arena_format(b->run.cli->arena, "%s #%d", rs[i].label, copy) : rs[i].label;
}

/* --rev: the program of its work tree. */
static bool set_revised(struct bench *b, int i, const char *path)
{
    struct bench_program *p = &b->programs[i];
    *p = (struct bench_program){.path = path,
                                .argv = run_program_argv(&b->run, path),
                                .label = name_revision(b, i),
                                .cwd = run_revision_folder(&b->run, i),
                                .against = i ? 0 : -1};
    return p->argv && p->label && (p->cwd || b->recorded);
}

static enum tare_status build_revisions(struct bench *b, struct tare_err *err)
{
    const char *path = b->run.cli->operands.items[0];
    if (!b->run.o->revisions.n)
        return TARE_OK;
    if (!b->run.o->results && (plat_path_is_absolute(path) || plat_base_name(path) == path))
        return err_set(err, TARE_INVALID, "--rev: %.100s is in no revision; give a relative path, such as ./bench", path);
    enum tare_status status = plat_signals_watch();
    if (status)
        return err_set(err, status, "cannot watch signals");
    status = run_resolve_revisions(&b->run, err);
    return status || b->recorded ? status : run_build_revisions(&b->run, err);
}

static enum tare_status name_programs(struct bench *b, struct tare_err *err)
{
    if (b->given)
        return take_given(b, err);
    const struct option_operands *words = &b->run.cli->operands;
    const struct option_list *cwds = &b->run.o->cwds;
    const char *anchor = b->run.o->anchor;
    struct arena *a = b->run.cli->arena;
    const struct revisions *rs = &b->run.revisions;
    if (b->run.o->results)
        return bench_name_commands(b, err);
    b->n_programs = rs->n ? rs->n : words->n + (anchor != NULL);
    b->programs = arena_array(a, (size_t)b->n_programs, sizeof *b->programs);
    if (!b->programs)
        return err_no_memory(err);
    for (int i = 0; i < rs->n; i++)
        if (!set_revised(b, i, words->items[0]))
            return err_no_memory(err);
    for (int i = rs->n; i < b->n_programs; i++) {
        const char *path = i < words->n ? words->items[i] : anchor, **argv = run_program_argv(&b->run, path);
        if (!argv)
            return err_no_memory(err);
        b->programs[i] = (struct bench_program){.path = path,
                                                .argv = argv,
                                                .label = words->n > 1 || i == words->n ? path : NULL,
                                                .cwd = cwds->n ? cwds->items[i] : b->run.o->cwd,
                                                .anchor = i == words->n,
                                                .against = i > 0 && i < words->n ? 0 : -1};
    }
    return TARE_OK;
}

static bool asks_for(const struct run_options *o, const char *metric)
{
    return text_among(metric, o->metrics.items, (size_t)o->metrics.n);
}

/* What belongs to libtare's loop. */
static enum tare_status check_harness(const struct bench *b, const struct bench_program *p, struct tare_err *err)
{
    const struct bench_options *o = b->o;
    const struct {
        bool given;
        const char *option;
    } refused[] = {
        {o->profile != PROFILE_STEADY, "--profile"},
        {o->run.method == METHOD_GEORGES, "--method georges"},
        {o->iterations, "--iterations"},
        {strcmp(o->clock, "auto") != 0, "--clock"},
        {o->signals, "--signals"},
        {o->run.events.n, "--counters"},
        {o->run.allocs, "--allocs"},
        {asks_for(&o->run, "cycles"), "--metric cycles"},
        {asks_for(&o->run, "peak"), "--metric peak"},
    };
    for (size_t i = 0; p->harness && i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return err_set(err, TARE_INVALID, "%s belongs to programs of libtare, and %s is one of %s; omit it",
                           refused[i].option, p->path, p->harness->name);
    return TARE_OK;
}

static enum tare_status check_samples(const struct bench *b, const struct harness *h, struct tare_err *err)
{
    const int n = b->o->samples;
    if (n && h->most_samples == 1)
        return err_set(err, TARE_INVALID, "--samples: a process of %s has one value of a benchmark; omit it", h->name);
    if (n && n < h->least_samples)
        return err_set(err, TARE_INVALID, "--samples %d: a process of %s makes at least %d", n, h->name, h->least_samples);
    return TARE_OK;
}

static enum tare_status check_release(const struct bench_program *p, struct tare_err *err)
{
    const struct harness *h = p->harness;
    if (harness_knows(h, p->release))
        return TARE_OK;
    struct buf known = BUF_INIT(1 << 10);
    for (int i = 0; h->releases[i]; i++)
        buf_format(&known, "%s%.*s", i ? ", " : "", (int)strlen(h->releases[i]) - 1, h->releases[i]);
    enum tare_status status =
        err_set(err, TARE_VERSION, "%s: %s %s is not known, only %s", p->path, h->name, p->release, buf_text(&known));
    buf_finish(&known);
    return status;
}

/* Whose program it is, by its file, and of which release; NULL: libtare's, or not to be told. */
static const struct harness *harness_of(const char *path, const struct run_place *where, char release[HARNESS_RELEASE_MAX])
{
    struct buf file = BUF_INIT(1 << 16);
    const bool found = !run_find_file(path, where->environment, where->cwd, &file, NULL);
    const struct harness *h = found ? harness_of_file(buf_text(&file), release) : NULL;
    buf_finish(&file);
    return h;
}

static enum tare_status find_harness(struct bench *b, struct bench_program *p, struct tare_err *err)
{
    const struct harness *h = harness_of(p->path, &(struct run_place){p->cwd, p->environment}, p->release);
    p->harness = b->o->harness ? harness_at(b->o->harness - 2) : h;
    if (p->harness != h)
        p->release[0] = 0;
    enum tare_status status = check_harness(b, p, err);
    if (!status && p->harness)
        status = check_samples(b, p->harness, err);
    return status || !p->harness ? status : check_release(p, err);
}

static enum tare_status find_harnesses(struct bench *b, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < b->n_programs && !status && !b->run.o->results; i++)
        status = find_harness(b, &b->programs[i], err);
    return status;
}

static enum tare_status check_different(const struct bench *b, struct tare_err *err)
{
    for (int i = 0; i < b->n_programs; i++)
        for (int k = 0; k < i; k++)
            if (!b->run.revisions.n && !strcmp(b->programs[i].path, b->programs[k].path))
                return err_set(err, TARE_INVALID, "%s is given twice; %s", b->programs[i].path,
                               b->places_differ        ? "to tell them apart, give one by its absolute path"
                               : b->programs[i].anchor ? "as --anchor give a pinned copy or an older build"
                                                       : "to compare a program with itself: --aa");
    return TARE_OK;
}

static bool has_case(const struct bench_program *programs, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (bench_case_named(&programs[i], name))
            return true;
    return false;
}

/* Of the anchor those benchmarks stay that are measured. */
static void keep_needed(const struct bench *b, struct bench_program *anchor)
{
    int n = 0;
    for (int i = 0; i < anchor->n_cases; i++)
        if (has_case(b->programs, b->n_programs - 1, anchor->cases[i].name))
            anchor->cases[n++] = anchor->cases[i];
    anchor->n_cases = n;
}

/* Named before anything is measured: what the anchor lacks has no ratio to it. */
static void say_without_anchor(const struct bench *b, const struct bench_program *anchor)
{
    enum { NAMED_MOST = 5 };
    struct buf names = BUF_INIT(1 << 16);
    int n = 0;
    for (int i = 0; i < b->n_programs - 1; i++)
        for (int k = 0; k < b->programs[i].n_cases; k++) {
            const char *name = b->programs[i].cases[k].name;
            if (bench_case_named(anchor, name) || has_case(b->programs, i, name) || n++ >= NAMED_MOST)
                continue;
            buf_format(&names, "%s%.100s", n > 1 ? ", " : "", name);
        }
    if (n > NAMED_MOST)
        buf_format(&names, " and %d more", n - NAMED_MOST);
    if (n)
        run_note(&b->run, "--anchor %s lacks %s; no ratio to it", anchor->path, buf_text(&names));
    buf_finish(&names);
}

/* INVALID: --counters names what is no event. Needs the spawner. */
static enum tare_status check_event_names(struct run *run, struct tare_err *err)
{
    for (int i = 0; i < run->o->events.n; i++) {
        struct plat_counter *c = NULL;
        struct tare_err why = {{0}};
        enum tare_status status = plat_counter_open(&c, run->session.spawner, run->o->events.items[i], &why);
        if (!status)
            plat_counter_close(c);
        if (status == TARE_INVALID)
            return err_set(err, status, "--counters: %s", why.text);
    }
    return TARE_OK;
}

static enum tare_status ask_programs(struct bench *b, struct tare_err *err)
{
    enum tare_status status = plat_signals_watch();
    if (status)
        return err_set(err, status, "cannot watch signals");
    status = run_start_spawner(&b->run, err);
    if (!status)
        status = check_event_names(&b->run, err);
    for (int i = 0; i < b->n_programs && !status; i++)
        if (!b->programs[i].cases && (status = bench_program_list(b, &b->programs[i], err)) && i < b->run.revisions.n)
            err_prefix(err, b->programs[i].label);
    struct bench_program *last = &b->programs[b->n_programs - 1];
    if (!status && last->anchor) {
        keep_needed(b, last);
        say_without_anchor(b, last);
    }
    return status;
}

static bool same_args(const struct bench_case *a, const struct bench_case *b)
{
    bool same = a->n_args == b->n_args;
    for (int i = 0; same && i < a->n_args; i++)
        same = !strcmp(a->args[i].value, b->args[i].value);
    return same;
}

/* The baseline of the same program with the same arguments, of another group. */
static const struct bench_case *baseline_of(const struct bench_program *p, const struct bench_case *c)
{
    for (int i = 0; i < p->n_cases && !c->baseline; i++)
        if (p->cases[i].baseline && strcmp(p->cases[i].group, c->group) != 0 && same_args(&p->cases[i], c))
            return &p->cases[i];
    return NULL;
}

static int first_subject(const struct bench *b, int program)
{
    int first = 0;
    for (int i = 0; i < program; i++)
        first += b->programs[i].n_cases;
    return first;
}

static int subject_of(const struct bench *b, int program, const struct bench_case *c)
{
    return c ? first_subject(b, program) + (int)(c - b->programs[program].cases) : -1;
}

/* A second program's benchmarks are compared with the first's of the same name; those of an anchor with none. */
static int reference_of(const struct bench *b, int program, const struct bench_case *c)
{
    const int against = b->programs[program].against;
    if (b->programs[program].anchor)
        return -1;
    if (against >= 0)
        return subject_of(b, against, bench_case_named(&b->programs[against], c->name));
    return subject_of(b, program, baseline_of(&b->programs[program], c));
}

static struct subject subject_from(const struct bench *b, int program, const struct bench_case *c)
{
    const struct bench_program *p = &b->programs[program];
    struct arena *a = b->run.cli->arena;
    return (struct subject){.kind = SUBJECT_BENCH,
                            .name = p->label ? arena_format(a, "%s (%s)", c->name, p->label) : c->name,
                            .command = arena_format(a, "%s: %s", p->path, c->name),
                            .argv = p->argv,
                            .parameters = c->args,
                            .n_parameters = c->n_args,
                            .program = p->label ? p->label : p->path,
                            .benchmark = c->name,
                            .group = c->group,
                            .version = c->version,
                            .complexity = c->complexity,
                            .anchor = p->anchor,
                            .reference = reference_of(b, program, c)};
}

/* --aa: session after session each benchmark twice in a row, the second against the first. Copies of a name: "add", "add #2", as those of equal commands. */
static void make_copies(const struct bench *b, struct subject_plan *plan)
{
    const struct bench_program *p = &b->programs[0];
    for (int i = 0; i < plan->n; i++) {
        int copy = i / (2 * p->n_cases) * 2 + i % 2;
        struct subject *s = &plan->subjects[i];
        *s = subject_from(b, 0, &p->cases[i / 2 % p->n_cases]);
        s->name = copy ? arena_format(b->run.cli->arena, "%s #%d", s->name, copy + 1) : s->name;
        s->reference = i % 2 ? i - 1 : -1;
    }
}

static void make_all(const struct bench *b, struct subject_plan *plan)
{
    int next = 0;
    for (int i = 0; i < b->n_programs; i++)
        for (int k = 0; k < b->programs[i].n_cases; k++)
            plan->subjects[next++] = subject_from(b, i, &b->programs[i].cases[k]);
}

static enum tare_status check_number(const struct bench *b, int64_t n, struct tare_err *err)
{
    if (!b->run.o->aa_sessions && n > PLAN_SUBJECTS_MAX)
        return err_set(err, TARE_INVALID,
                       "%lld benchmarks are more than one session can hold, which is %d; choose some with --filter", (long long)n,
                       PLAN_SUBJECTS_MAX);
    if (n > RECORD_SUBJECTS_MAX)
        return err_set(err, TARE_INVALID,
                       "%d sessions of %d benchmarks are more than one record can hold; choose some with --filter, or ask for "
                       "fewer sessions",
                       b->run.o->aa_sessions, b->programs[0].n_cases);
    return TARE_OK;
}

static enum tare_status make_subjects(struct bench *b, struct tare_err *err)
{
    int sessions = b->run.o->aa_sessions;
    int64_t all = (int64_t)first_subject(b, b->n_programs) * (sessions ? 2 * sessions : 1);
    enum tare_status status = check_number(b, all, err);
    if (status)
        return status;
    int n = (int)all;
    b->requests = arena_array(b->run.cli->arena, (size_t)n, sizeof *b->requests);
    b->words = arena_array(b->run.cli->arena, (size_t)n, sizeof *b->words);
    if (!run_room_for_parts(&b->run, n) || !b->requests || !b->words)
        return err_no_memory(err);
    if (sessions)
        make_copies(b, &b->run.subjects);
    else
        make_all(b, &b->run.subjects);
    return TARE_OK;
}

/* The same benchmark of the first program that has it; NULL: this is that, or they are not held against each other. */
static struct bench_request *twin_of(const struct bench *b, int subject)
{
    const struct subject *all = b->run.subjects.subjects, *s = &all[subject];
    const bool two = s->reference >= 0 && !strcmp(all[s->reference].benchmark, s->benchmark);
    for (int i = 0; i < subject && s->anchor; i++)
        if (!strcmp(all[i].benchmark, s->benchmark))
            return &b->requests[i];
    return two ? &b->requests[s->reference] : NULL;
}

/* A session is to have some dozens of processes of each benchmark. */
static struct sample_length first_length(const struct bench *b, const struct harness *h, int samples)
{
    static const int64_t budget_ns = 5000000000, of_aa_ns = 750000000, least_ns = 1000000;
    enum { PROCESSES = 25 };
    const struct bench_options *o = b->o;
    const int64_t usual_ns = h->first_ns ? h->first_ns : HARNESS_USUAL_NS,
                  each_ns = o->run.max_time_ns   ? o->run.max_time_ns / b->run.subjects.n
                            : o->run.aa_sessions ? of_aa_ns
                                                 : budget_ns,
                  most_ns = each_ns / PROCESSES > least_ns ? each_ns / PROCESSES : least_ns;
    if (o->sample_ns)
        return (struct sample_length){.ns = o->sample_ns, .most_ns = o->sample_ns};
    struct sample_length l = {.ns = (most_ns < usual_ns ? most_ns : usual_ns) / samples, .most_ns = most_ns / samples};
    if (o->run.max_time_ns &&
        most_ns >
            least_ns) { /* a process takes about twice what it is asked for, as the harness starts and looks for iterations */
        l.process_ns = (double)most_ns;
        l.ns = (most_ns / 2 < usual_ns ? most_ns / 2 : usual_ns) / samples;
    }
    return l;
}

static void set_length(void *words, int64_t ns)
{
    harness_set_time(words, ns);
}

static enum tare_status translate(void *words, const char *benchmark, char *text, size_t n, struct buf *frames,
                                  struct tare_err *err)
{
    return harness_result(words, benchmark, text, n, frames, err);
}

/* A harness that writes its results into files gets a folder for them. */
static enum tare_status make_folder(struct bench *b, struct tare_err *err)
{
    bool wanted = false;
    for (int i = 0; i < b->n_programs; i++)
        wanted |= b->programs[i].harness && b->programs[i].harness->home;
    if (!wanted || b->o->list || b->run.o->dry_run)
        return TARE_OK;
    struct buf path = BUF_INIT(1 << 16);
    enum tare_status status = run_folder(&b->run, "tare-bench-", &path, err);
    if (!status && !(b->run.folder = arena_strdup(b->run.cli->arena, buf_text(&path)))) {
        plat_directory_remove(buf_text(&path), NULL);
        status = err_no_memory(err);
    }
    buf_finish(&path);
    return status;
}

/* A process that measures other benchmarks too is one for all that have the same words. With --aa each is to have its own. */
static void share_process(struct bench *b, const struct bench_program *p, int i)
{
    struct exec_command *all = b->run.commands;
    const struct subject *subjects = b->run.subjects.subjects;
    for (int first = 0; first < i && p->harness->runs_others && !b->run.o->aa_sessions; first++) {
        if (subjects[first].argv != subjects[i].argv || !same_words(all[first].argv, all[i].argv))
            continue;
        all[first].process = all[i].process = 1 + first;
        harness_share(&b->words[first], &b->words[i]);
        return;
    }
}

/* The process of another harness has the request in its words. */
static enum tare_status make_words(struct bench *b, int i, struct tare_err *err)
{
    struct bench_request *q = &b->requests[i];
    const struct bench_program *p = bench_program_of(b, &b->run.subjects.subjects[i]);
    struct arena *a = b->run.cli->arena;
    if (p->results)
        bench_request_results(b, p, first_subject(b, (int)(p - b->programs)), i);
    if (!p->harness)
        return TARE_OK;
    const int samples = q->asked.samples ? q->asked.samples : p->harness->samples;
    q->translate = translate;
    q->length = first_length(b, p->harness, samples);
    q->set_length = set_length;
    q->context = &b->words[i];
    q->least_ns = &b->words[i].least_ns;
    q->printed_steps = b->words[i].steps;
    b->run.commands[i].argv = harness_ask(p->harness, p->path, q->benchmark, samples, p->release, &b->words[i], a);
    q->home_variable = p->harness->home;
    q->home = b->words[i].home = p->harness->home && b->run.folder ? arena_format(a, "%s/home", b->run.folder) : NULL;
    if (b->run.commands[i].argv)
        share_process(b, p, i);
    return b->run.commands[i].argv && (q->home || !p->harness->home || !b->run.folder) ? TARE_OK : err_no_memory(err);
}

static enum tare_status make_request(struct bench *b, int i, struct tare_err *err)
{
    static const enum wire_profile profiles[] = {[PROFILE_STEADY] = WIRE_STEADY,
                                                 [PROFILE_STARTUP] = WIRE_STARTUP,
                                                 [PROFILE_MEMORY] = WIRE_MEMORY,
                                                 [PROFILE_ONCE] = WIRE_ONCE};
    const struct bench_options *o = b->o;
    const struct subject *s = &b->run.subjects.subjects[i];
    bool window = o->run.method == METHOD_GEORGES && o->profile == PROFILE_STEADY;
    struct wire_request q = wire_request_default(CHILD_REPORT);
    q.profile = profiles[o->profile];
    q.sample_ns = o->sample_ns;
    q.samples = window ? o->inner : o->samples;
    q.warmup = window ? 0 : -1;
    q.guard = !o->no_guard && !window;
    q.signals = o->signals;
    q.clock = o->clock;
    b->requests[i] = (struct bench_request){.benchmark = s->benchmark,
                                            .asked = q,
                                            .iterations = window ? 1 : (uint64_t)o->iterations,
                                            .terms = bench_case_named(bench_program_of(b, s), s->benchmark)->terms,
                                            .twin = twin_of(b, i)};
    b->run.commands[i].bench = &b->requests[i];
    b->run.commands[i].cwd = bench_program_of(b, s)->cwd;
    b->run.commands[i].environment = bench_program_of(b, s)->environment;
    return make_words(b, i, err);
}

static void put_number(struct buf *b, const char *name, int64_t value, const char *unit)
{
    char text[32];
    buf_print(text, sizeof text, "%lld%s", (long long)value, unit);
    if (value)
        run_put_option(b, name, text);
}

/* A sample of few iterations, or by another clock, is another figure of the same benchmark. */
static const char *sampled_by(const struct bench_options *o, struct arena *a)
{
    struct buf b = BUF_INIT(1 << 10);
    put_number(&b, "--sample-time", o->sample_ns, "ns");
    put_number(&b, "--iterations", o->iterations, "");
    put_number(&b, "--samples", o->samples, "");
    if (strcmp(o->clock, "auto") != 0)
        run_put_option(&b, "--clock", o->clock);
    if (o->signals)
        run_put_option(&b, "--signals", NULL);
    return arena_keep(a, &b);
}

static bool any_compared(const struct bench *b)
{
    for (int i = 0; i < b->run.subjects.n; i++)
        if (b->run.subjects.subjects[i].reference >= 0)
            return true;
    return false;
}

static bool of_libtare(const struct bench *b)
{
    for (int i = 0; i < b->n_programs; i++)
        if (!b->programs[i].harness && !b->run.o->results)
            return true;
    return false;
}

static enum tare_status settle_rule(struct bench *b, struct tare_err *err)
{
    struct rule *rule = &b->run.record.rule;
    const struct run_options *o = b->run.o;
    bool georges = o->method == METHOD_GEORGES;
    rule->profile = (enum profile)b->o->profile;
    rule->correction = (enum correction)b->o->correction;
    rule->window = georges ? b->o->window : 0;
    rule->cov = georges ? b->o->cov : 0;
    if (isnan(o->precision) && !georges)
        rule->precision = any_compared(b) || o->runs ? 0 : 0.01;
    b->run.session.plan.sharing = 1;
    if (!RUN_GIVEN(o, max_runs) && !of_libtare(b))
        b->run.session.plan.max_rounds = 0; /* processes of other harnesses take milliseconds or seconds: time limits them */
    if (!isnan(o->fail_if_slower) && !any_compared(b) && !o->baseline.n)
        return err_set(err, TARE_INVALID,
                       "--fail-if-slower compares, but nothing is compared here; give a second program or a --baseline, or mark "
                       "a .baseline");
    return TARE_OK;
}

/* What it had and its program has no more. */
static bool expects(const void *run, const struct subject *s)
{
    return bench_wants(run, s->benchmark ? s->benchmark : s->name); /* a struct bench begins with its run */
}

void bench_begin(struct bench *b, struct cli *cli, const struct bench_options *options)
{
    *b = (struct bench){.o = options};
    b->run = (struct run){.cli = cli, .o = &options->run, .benchmarks = true, .harnesses = true, .expects = expects};
    b->run.sampled_by = sampled_by(options, cli->arena);
    record_init(&b->run.record);
}

enum tare_status bench_describe(struct bench *b, struct tare_err *err)
{
    enum tare_status status = run_choose_environment(&b->run, err);
    if (!status)
        status = run_check_places(&b->run, err); /* programs are asked below */
    if (!status)
        status = run_open_history(&b->run, err);
    if (!status)
        status = bench_filter_make(&b->only, "--filter", &b->o->filters, b->run.cli->arena, err);
    if (!status)
        status = bench_filter_make(&b->not, "--exclude", &b->o->excluded, b->run.cli->arena, err);
    if (!status)
        status = build_revisions(b, err);
    if (!status)
        status = name_programs(b, err);
    if (!status)
        status = bench_choose_environments(b, err);
    if (!status)
        status = check_different(b, err);
    if (!status)
        status = find_harnesses(b, err);
    if (!status && !b->recorded)
        status = run_check_clock(b->o->clock, err);
    if (!status)
        status = b->recorded ? bench_take_recorded(b, err) : ask_programs(b, err);
    if (b->o->list) /* also of more than a session holds, to choose from */
        return status;
    if (!status)
        status = make_subjects(b, err);
    if (!status)
        status = run_describe_subjects(&b->run, err);
    if (!status)
        status = make_folder(b, err);
    for (int i = 0; i < b->run.subjects.n && !status; i++)
        status = make_request(b, i, err);
    return status ? status : settle_rule(b, err);
}
