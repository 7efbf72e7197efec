/* SPDX-License-Identifier: MIT
 *
 * Which benchmarks there are: what the programs say when they are asked, or what a stored session has, to show what would run while nothing has run yet. Of them those
 * that are wanted: words that a name contains, and /patterns/ that it matches. Words alone are the programs' own to look for.
 */
#include "bench_session.h"
#include "pattern.h"
#include "run_ask.h"
#include <string.h>

/* ---- which are wanted ---- */

struct bench_filter {
    const struct option_list *words;
    struct pattern **patterns; /* NULL: a plain word */
};

static bool is_pattern(const char *word)
{
    size_t n = strlen(word);
    return n > 2 && word[0] == '/' && word[n - 1] == '/';
}

/* A group around it, which is what a search tells of. */
static enum tare_status compile(struct pattern **out, const char *option, const char *word, struct arena *a, struct tare_err *err)
{
    struct buf text = BUF_INIT(1 << 20);
    buf_format(&text, "(%.*s)", (int)strlen(word) - 2, word + 1);
    enum tare_status status = pattern_compile(out, buf_text(&text), a, err);
    buf_finish(&text);
    if (status == TARE_INVALID) {
        err_prefix(err, word);
        err_prefix(err, option);
    }
    return status;
}

enum tare_status bench_filter_make(struct bench_filter **out, const char *option, const struct option_list *words,
                                   struct arena *a, struct tare_err *err)
{
    struct bench_filter *f = arena_array(a, 1, sizeof *f);
    struct pattern **patterns = arena_array(a, (size_t)words->n + 1, sizeof(struct pattern *));
    if (!f || !patterns)
        return err_set(err, TARE_NO_MEMORY, "no memory for %s", option);
    *f = (struct bench_filter){words, patterns};
    *out = f;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < words->n && !status; i++) {
        patterns[i] = NULL;
        if (is_pattern(words->items[i]))
            status = compile(&patterns[i], option, words->items[i], a, err);
    }
    return status;
}

static bool filter_any(const struct bench_filter *f, const char *name)
{
    struct pattern_group g;
    bool fits = false;
    for (int i = 0; i < f->words->n && !fits; i++)
        fits = f->patterns[i] ? pattern_last(f->patterns[i], name, strlen(name), PATTERN_STEPS, &g) == PATTERN_FOUND
                              : strstr(name, f->words->items[i]) != NULL;
    return fits;
}

static bool has_patterns(const struct bench_filter *f)
{
    for (int i = 0; i < f->words->n; i++)
        if (f->patterns[i])
            return true;
    return false;
}

bool bench_wants(const struct bench *b, const char *name)
{
    return (!b->o->filters.n || filter_any(b->only, name)) && !filter_any(b->not, name);
}

/* ---- asked ---- */

static bool take_case(const struct bench *b, const struct wire_bench *from, struct bench_case *c)
{
    struct arena *a = b->run.cli->arena;
    *c = (struct bench_case){.name = arena_strdup(a, from->name),
                             .group = arena_strdup(a, from->group),
                             .baseline = from->flags & WIRE_BASELINE,
                             .complexity = from->flags & WIRE_COMPLEXITY && from->n_args && !*from->args[0].word,
                             .n_args = (int)from->n_args};
    bool ok = c->name && c->group;
    for (uint32_t i = 0; i < from->n_args; i++) {
        const struct wire_arg *arg = &from->args[i];
        c->args[i] = (struct parameter){*arg->name ? arena_strdup(a, arg->name) : arena_format(a, "arg%u", i + 1),
                                        *arg->word ? arena_strdup(a, arg->word) : arena_format(a, "%lld", (long long)arg->value)};
        ok = ok && c->args[i].name && c->args[i].value;
    }
    return ok;
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
        const char *key = arena_format(b->run.cli->arena, RECORD_NOTE "%s%s%s%s", hello->notes[i].name, p->label ? " (" : "",
                                       p->label ? p->label : "", p->label ? ")" : "");
        status = key ? facts_add_text(r, &r->build, key, hello->notes[i].text) : TARE_NO_MEMORY;
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
    enum tare_status status = run_ask(&b->run, p->path, p->argv, has_patterns(b->only) ? &all : &b->o->filters, NULL, &a, err);
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

/* ---- recorded ---- */

static bool of_program(const struct subject *s, const struct bench_program *p)
{
    return s->kind == SUBJECT_BENCH && s->argv && s->argv[0] && !s->argv[1] && !strcmp(s->argv[0], p->path) &&
           !strcmp(s->program, p->path);
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
                           .baseline = is_baseline(r, subject),
                           .complexity = s->complexity,
                           .n_args = s->n_parameters < WIRE_ARGS_MAX ? s->n_parameters : WIRE_ARGS_MAX};
    for (int i = 0; i < c.n_args; i++)
        c.args[i] = s->parameters[i];
    return c;
}

static int count_cases(const struct record *r, const struct bench_program *p)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += of_program(&r->subjects[i], p);
    return n;
}

static enum tare_status take_recorded(const struct bench *b, struct bench_program *p, struct tare_err *err)
{
    const struct record *r = b->recorded;
    int n = count_cases(r, p);
    if (!n)
        return err_set(err, TARE_FORMAT,
                       "the recorded command line names %.200s, of which the record has no benchmark; nothing was run", p->path);
    p->cases = arena_array(b->run.cli->arena, (size_t)n, sizeof *p->cases);
    if (!p->cases)
        return err_set(err, TARE_NO_MEMORY, "no memory for %d benchmarks", n);
    for (int i = 0; i < r->n_subjects; i++)
        if (of_program(&r->subjects[i], p))
            p->cases[p->n_cases++] = case_of(r, i);
    return TARE_OK;
}

enum tare_status bench_take_recorded(struct bench *b, struct tare_err *err)
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
