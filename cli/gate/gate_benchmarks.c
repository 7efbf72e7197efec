/* SPDX-License-Identifier: MIT
 *
 * Which benchmarks the two builds have, and what is asked of each. */
#include "gate_session.h"
#include "quote.h"
#include "same_program.h"
#include "same_text.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Programs that are equal in both builds need not be measured: the program itself, every shared library in the work trees, and every tracked file but
 * documentation, because a program may read it. Which ones it does read cannot be seen from outside, nor from where it stands: a path may be in a file
 * of settings, and a folder of shared data beside all packages. So only somebody who knows can say so (--inputs). */

enum { FILE_MAX = 1 << 30, DEPTH_MAX = 32, LIBRARIES_MAX = 10000 };

/* A pipe may have no end. */
static bool read_image(const char *path, const char *folder, struct buf *text, struct program_image *out)
{
    struct plat_file_state state;
    *text = BUF_INIT(FILE_MAX);
    if (plat_file_state(path, &state, NULL) || !state.regular || plat_file_read(path, text, NULL) || text->status)
        return false;
    *out = (struct program_image){buf_text(text), text->len, folder};
    return true;
}

/* Both are programs or libraries of the kind that is looked into. */
static bool same_files(const struct gate *g, const char *base, const char *head)
{
    struct buf of_base, of_head;
    struct program_image a, b;
    const bool same = read_image(base, g->rs.items[GATE_BASE].worktree, &of_base, &a) &
                          read_image(head, g->rs.items[GATE_HEAD].worktree, &of_head, &b) &&
                      is_program(&a) && is_program(&b) && same_program(&a, &b);
    buf_finish(&of_base);
    buf_finish(&of_head);
    return same;
}

struct search {
    const struct gate *g;
    int found;
    bool same;
};

static bool same_library(struct search *s, const char *below)
{
    struct arena *a = s->g->cli->arena;
    const char *base = arena_format(a, "%s/%s", s->g->rs.items[GATE_BASE].worktree, below),
               *head = arena_format(a, "%s/%s", s->g->rs.items[GATE_HEAD].worktree, below);
    return base && head && ++s->found <= LIBRARIES_MAX && same_files(s->g, base, head);
}

/* Of one work tree: each must be in the other, and equal. Links are files of the tree, or lead out of it to what both share. */
static void search_libraries(struct search *s, enum gate_side side, const char *below, int depth)
{
    struct arena *a = s->g->cli->arena;
    const char *folder = arena_format(a, "%s%s%s", s->g->rs.items[side].worktree, *below ? "/" : "", below);
    struct buf names = BUF_INIT(1 << 26);
    int n = 0;
    s->same = s->same && folder && depth < DEPTH_MAX && !plat_directory_list(folder, &names, &n, NULL);
    const char *name = buf_text(&names);
    for (int i = 0; s->same && i < n; i++, name += strlen(name) + 1) {
        if (!strcmp(name, ".git"))
            continue;
        const char *inner = arena_format(a, "%s%s%s", below, *below ? "/" : "", name),
                   *path = arena_format(a, "%s/%s", folder, name);
        if (!inner || !path)
            s->same = false;
        else if (plat_directory_own(path))
            search_libraries(s, side, inner, depth + 1);
        else if (named_as_library(name))
            s->same = same_library(s, inner);
    }
    buf_finish(&names);
}

/* Below a path as git takes it. -z: each name is closed by a zero byte, so no name is quoted. Settings of the user or the repository can make git diff
 * leave out submodules, or what is not below the current folder; diff-tree asks none of them, and .gitmodules only without the option. */
static bool files_equal(struct gate *g, const struct program_image *program, const char *path, bool all_are_read)
{
    struct buf names = BUF_INIT(16 << 20);
    bool equal = !git_ask(&g->rs.git, &names, NULL, "diff-tree", "-r", "--name-only", "--no-renames", "--ignore-submodules=none",
                          "-z", g->rs.items[GATE_BASE].taken, g->rs.items[GATE_HEAD].taken, "--", path, (char *)NULL);
    const char *text = buf_text(&names);
    for (size_t at = 0; equal && at < names.len; at += strlen(text + at) + 1)
        equal = !all_are_read && read_by_nobody(text + at) && !program_names(program, text + at);
    buf_finish(&names);
    return equal;
}

/* A name with a slip in it would make all programs equal. */
static bool is_tracked(struct gate *g, const char *path)
{
    struct buf names = BUF_INIT(16 << 20);
    const bool there = !git_ask(&g->rs.git, &names, NULL, "ls-files", "-z", "--with-tree", g->rs.items[GATE_HEAD].taken, "--",
                                path, (char *)NULL) &&
                       names.len;
    buf_finish(&names);
    return there;
}

/* Paths are taken from the current folder, as that of the program, in the head's work tree. */
static bool inputs_equal(struct gate *g, const struct gate_program *p)
{
    struct buf bytes;
    struct program_image program;
    const char *cwd = g->rs.git.cwd;
    bool told = false, equal = read_image(p->side[GATE_HEAD].path, "", &bytes, &program);
    g->rs.git.cwd = g->rs.items[GATE_HEAD].directory;
    for (int i = 0; i < g->o->inputs.n && equal; i++) {
        const char *given = gate_inputs_of(g->o->inputs.items[i], p->name),
                   *path = given ? arena_format(g->cli->arena, ":(literal)%s", given) : NULL;
        if (!given)
            continue;
        told = true;
        equal = path && is_tracked(g, path) && files_equal(g, &program, path, true);
    }
    equal = equal && (told || files_equal(g, &program, ":/", false));
    g->rs.git.cwd = cwd;
    buf_finish(&bytes);
    return equal;
}

/* Why both programs do the same, as a sentence; NULL: they may differ. */
static const char *gate_programs_equal(struct gate *g, const struct gate_program *p)
{
    if (!p->side[GATE_BASE].path || !p->side[GATE_HEAD].path || g->o->qualify)
        return NULL;
    if (!same_files(g, p->side[GATE_BASE].path, p->side[GATE_HEAD].path) || !inputs_equal(g, p))
        return NULL;
    struct search s = {.g = g, .same = true};
    search_libraries(&s, GATE_BASE, "", 0);
    search_libraries(&s, GATE_HEAD, "", 0);
    return s.same
               ? arena_format(g->cli->arena,
                              "both builds make the same %s, apart from build IDs, debug information and folder names", p->name)
               : NULL;
}

void gate_note(const struct gate *g, const char *format, ...)
{
    struct buf text = BUF_INIT(1 << 20);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&text, format, ap);
    va_end(ap);
    cli_say(g->cli, g->o->display.quiet, &text);
}

struct words {
    const char **items;
    int n;
};

static void add_word(struct words *w, const char *option, const char *value)
{
    if (!value)
        return;
    w->items[w->n++] = option;
    w->items[w->n++] = value;
}

static void add_list(struct words *w, const char *option, const struct option_list *list)
{
    for (int i = 0; i < list->n; i++)
        add_word(w, option, list->items[i]);
}

/* As somebody would type them. */
static bool bench_words(const struct gate *g, struct words *w)
{
    const struct gate_options *o = g->o;
    enum { OTHERS = 4 };
    w->items = arena_array(g->cli->arena, 2 * (size_t)(o->filters.n + o->excluded.n + o->env.n + OTHERS), sizeof *w->items);
    if (!w->items)
        return false;
    add_list(w, "--filter", &o->filters);
    add_list(w, "--exclude", &o->excluded);
    add_list(w, "--env", &o->env);
    add_word(w, "--metric", o->metric);
    add_word(w, "--harness", o->harness);
    return true;
}

static void set_session(const struct gate *g, int runs, int64_t max_time_ns, struct run_options *out)
{
    out->runs = runs;
    out->max_time_ns = max_time_ns;
    out->timeout_ns = g->o->timeout_ns;
    out->pin_cpu = g->o->pin_cpu;
    out->display = g->o->display;
    memset(out->display.export_file, 0, sizeof out->display.export_file);
    out->display.stdout_taken = false;
}

enum tare_status gate_bench_options(const struct gate *g, int runs, int64_t max_time_ns, struct bench_options *out,
                                    struct tare_err *err)
{
    const struct command *bench = command_named("bench");
    struct option_operands operands;
    struct words w = {.n = 0};
    option_defaults(&bench_option_set, out);
    if (!bench_words(g, &w))
        return err_no_memory(err);
    enum tare_status status =
        option_parse(&bench_option_set, out, w.n, (char *const *)(void *)w.items, &operands, g->cli->arena, err);
    operands = (struct option_operands){.items = g->o->programs.items, .n = g->o->programs.n, .after = g->o->programs.n};
    if (!status)
        status = bench->check(out, &operands, g->cli->arena, err);
    for (int i = 0; i < out->run.n_own && !status; i++)
        if (out->run.own[i].direction == METRIC_HIGHER)
            status =
                err_set(err, TARE_INVALID,
                        "--metric %.60s: more of it is better, and a gate compares what is better when it is less; tare bench "
                        "--fail-if-slower compares both",
                        g->o->metric);
    if (!status)
        set_session(g, runs, max_time_ns, &out->run);
    return status;
}

/* A work tree is found by its commit: of uncommitted changes and of --carry that which holds them. */
enum tare_status gate_run_options(const struct gate *g, int runs, int64_t max_time_ns, struct run_options *out,
                                  struct tare_err *err)
{
    const char **commits = arena_array(g->cli->arena, 3, sizeof *commits), **name = commits + 2;
    const struct option_operands words = {.items = g->o->command.items, .n = g->o->command.n};
    option_defaults(&run_option_set, out);
    if (!commits)
        return err_no_memory(err);
    for (int i = 0; i < 2; i++)
        commits[i] = g->rs.items[i].taken;
    *name = g->items[0].c->name;
    out->revisions = (struct option_list){commits, 2};
    out->names = (struct option_list){name, 1};
    out->env = g->o->env;
    out->cwd = g->o->cwd;
    const enum tare_status status = command_named("run")->check(out, &words, g->cli->arena, err);
    if (!status)
        set_session(g, runs, max_time_ns, out);
    return status;
}

/* Where builds add an ending to its name (.exe), it needs none here. NULL: it is not there. */
static const char *find_program(const struct gate *g, const char *path)
{
    struct plat_file_state state;
    struct buf found = BUF_INIT(1 << 16);
    if (!plat_file_state(path, &state, NULL))
        return path;
    const char *other =
        plat_find_program(path, plat_environment(), NULL, &found, NULL) ? NULL : arena_keep(g->cli->arena, &found);
    buf_finish(&found);
    return other;
}

static enum tare_status find_side(struct gate *g, struct gate_program *p, enum gate_side side, struct tare_err *err)
{
    struct arena *a = g->cli->arena;
    const char *directory = g->rs.items[side].directory, *path = arena_format(a, "%s/%s", directory, p->name);
    const char *cwd = g->o->cwd ? arena_format(a, "%s/%s", directory, g->o->cwd) : directory;
    const char *label = g->n_programs > 1 ? arena_format(a, "%s, %s", gate_side_names[side], p->name) : gate_side_names[side];
    if (!path || !cwd || !label)
        return err_no_memory(err);
    p->side[side] = (struct bench_program){.path = find_program(g, path), .label = label, .cwd = cwd, .against = -1};
    return TARE_OK;
}

/* --bench is taken from the folder in which tare starts, which may be below the top. */
static enum tare_status refuse_missing(const struct gate *g, const struct gate_program *p, struct tare_err *err)
{
    const struct revision *head = &g->rs.items[GATE_HEAD];
    const char *folder = head->directory + strlen(head->worktree);
    return err_set(err, TARE_CHILD, "the build of the head makes no %.200s: it has no file ./%.200s%s%.200s", p->name,
                   folder + (*folder == '/'), folder[0] && folder[1] ? "/" : "", p->name);
}

static enum tare_status find_programs(struct gate *g, struct tare_err *err)
{
    const struct option_list *names = &g->o->programs;
    enum tare_status status = TARE_OK;
    g->programs = arena_array(g->cli->arena, (size_t)names->n, sizeof *g->programs);
    g->n_programs = names->n;
    if (!g->programs)
        return err_no_memory(err);
    for (int i = 0; i < names->n && !status; i++) {
        struct gate_program *p = &g->programs[i];
        p->name = names->items[i];
        status = find_side(g, p, GATE_BASE, err);
        if (!status)
            status = find_side(g, p, GATE_HEAD, err);
        if (!status && !p->side[GATE_HEAD].path)
            status = refuse_missing(g, p, err);
        if (!status && p->side[GATE_BASE].path && plat_same_file(p->side[GATE_BASE].path, p->side[GATE_HEAD].path))
            status = err_set(err, TARE_CHILD,
                             "both builds make %s in one place outside of their work trees, so only the head's is left; let "
                             "--build write it below the folder in which it starts",
                             p->name);
        if (!status && !p->side[GATE_BASE].path)
            gate_note(g, "the build of the base makes no %s, so all of its benchmarks are new", p->name);
    }
    return status;
}

/* A program that lacks all that the filters want has no benchmark here: that is found out by what the other build has. */
static enum tare_status ask_program(struct gate *g, const struct bench_options *o, struct bench_program *p, struct tare_err *err)
{
    struct bench b;
    bench_begin(&b, g->cli, o);
    b.given = p;
    b.n_given = 1;
    enum tare_status status = bench_describe(&b, err);
    if (!status) {
        p->cases = b.programs[0].cases;
        p->n_cases = b.programs[0].n_cases;
    }
    if (status == TARE_NOT_FOUND)
        status = TARE_OK;
    g->signal_number = plat_signal();
    run_close(&b.run);
    return status == TARE_VERSION ? TARE_CHILD : status;
}

static enum tare_status ask_all(struct gate *g, struct tare_err *err)
{
    struct bench_options o;
    enum tare_status status = gate_bench_options(g, 1, 0, &o, err);
    for (int i = 0; i < g->n_programs; i++)
        for (int side = 0; side < 2 && !status; side++) {
            struct bench_program *p = &g->programs[i].side[side];
            if (!p->path)
                continue;
            status = ask_program(g, &o, p, err);
            if (status)
                err_prefix(err, gate_side_names[side]);
        }
    return status;
}

/* "head, build/bench" is of build/bench; "head" of the only one. */
const char *gate_name_of(struct arena *a, const struct subject *s)
{
    const char *program = s->kind == SUBJECT_COMMAND ? NULL : strchr(s->program, ' ');
    return program                      ? arena_format(a, "%s: %s", program + 1, s->benchmark)
           : s->kind == SUBJECT_COMMAND ? s->command
                                        : s->benchmark;
}

bool gate_name_in(const struct option_list *globs, const char *name)
{
    for (int i = 0; i < globs->n; i++)
        if (gate_name_fits(globs->items[i], name))
            return true;
    return false;
}

/* By its version a benchmark says that it measures something else from now on: that is another one. */
static const struct bench_case *same_in(const struct bench_program *p, const struct bench_case *c)
{
    const struct bench_case *named = bench_case_named(p, c->name);
    return named && same_text(named->version, c->version) ? named : NULL;
}

static void add_benchmark(struct gate *g, int program, const struct bench_case *base, const struct bench_case *head)
{
    const struct bench_case *c = head ? head : base;
    const char *name = c->name;
    const char *shown = (base && head) || !c->version ? name : arena_format(g->cli->arena, "%s (version %s)", name, c->version);
    const bool control = gate_name_in(&g->o->controls, name), equal = g->programs[program].equal && !control;
    struct gate_benchmark *b = &g->items[g->n];
    *b = (struct gate_benchmark){.c = &g->cases[g->n],
                                 .kind = !base   ? GATE_NEW
                                         : !head ? GATE_DELETED
                                         : equal ? GATE_EQUAL
                                                 : GATE_BOTH,
                                 .control = control,
                                 .program = program,
                                 .side = {base, head},
                                 .ns = {NAN, NAN}};
    *b->c = (struct gate_case){.name = g->n_programs > 1 ? arena_format(g->cli->arena, "%s: %s", g->programs[program].name, shown)
                                                         : shown,
                               .limit = log1p(gate_options_limit(g->o, name)),
                               .layout = g->o->layout > 0 ? log1p(g->o->layout) : 0,
                               .control = control || b->kind != GATE_BOTH,
                               .found = &g->found[g->n],
                               .accepted = gate_name_in(&g->o->accepted, name)};
    g->n++;
}

static void add_program(struct gate *g, int program)
{
    const struct bench_program *base = &g->programs[program].side[GATE_BASE], *head = &g->programs[program].side[GATE_HEAD];
    for (int i = 0; i < head->n_cases; i++)
        add_benchmark(g, program, same_in(base, &head->cases[i]), &head->cases[i]);
    for (int i = 0; i < base->n_cases; i++)
        if (!same_in(head, &base->cases[i]))
            add_benchmark(g, program, &base->cases[i], NULL);
}

/* The record has a line for each. */
static enum tare_status check_lines(const struct gate *g, struct tare_err *err)
{
    for (int i = 0; i < g->n; i++)
        if (strchr(g->items[i].c->name, '\n'))
            return err_set(err, TARE_CHILD, "the benchmark '%.200s' has a line feed in its name; --exclude leaves it out",
                           g->items[i].c->name);
    return TARE_OK;
}

static void note_unused(const struct gate *g, const char *option, const struct option_list *globs,
                        bool (*fits)(const char *given, const char *name))
{
    for (int i = 0; i < globs->n; i++) {
        bool used = false;
        for (int k = 0; k < g->n && !used; k++) {
            const struct gate_benchmark *b = &g->items[k];
            used = fits(globs->items[i], (b->side[GATE_HEAD] ? b->side[GATE_HEAD] : b->side[GATE_BASE])->name);
        }
        if (!used)
            gate_note(g, "%s %s fits no benchmark", option, globs->items[i]);
    }
}

void gate_note_unused(const struct gate *g)
{
    note_unused(g, "--accept", &g->o->accepted, gate_name_fits);
    note_unused(g, "--control", &g->o->controls, gate_name_fits);
    note_unused(g, "--fail-if-slower", &g->o->limits, gate_limit_fits);
}

enum { COMPARED_MOST = PLAN_SUBJECTS_MAX / 2 }; /* base and head share a session */

static int count_compared(const struct gate *g)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        n += g->items[i].kind == GATE_BOTH;
    return n;
}

static enum tare_status make_items(struct gate *g, size_t most, struct tare_err *err)
{
    g->items = arena_array(g->cli->arena, most, sizeof *g->items);
    g->cases = arena_array(g->cli->arena, most, sizeof *g->cases);
    g->found = arena_array(g->cli->arena, most, sizeof *g->found);
    g->cost_s = arena_array(g->cli->arena, most, sizeof *g->cost_s);
    return g->items && g->cases && g->found && g->cost_s ? TARE_OK : err_no_memory(err);
}

/* A command is one benchmark that both builds have, and always measured: it may be anything. */
static enum tare_status find_command(struct gate *g, struct tare_err *err)
{
    struct bench_case *c = arena_array(g->cli->arena, 1, sizeof *c);
    struct buf text = BUF_INIT(1 << 20);
    quote_words(&text, g->o->command.items, false);
    g->programs = arena_array(g->cli->arena, 1, sizeof *g->programs);
    g->n_programs = 1;
    if (!c || !g->programs || !(c->name = arena_keep(g->cli->arena, &text)) || make_items(g, 1, err))
        return err_no_memory(err);
    g->programs[0] = (struct gate_program){.name = c->name};
    g->n = 0;
    add_benchmark(g, 0, c, c);
    return TARE_OK;
}

enum tare_status gate_benchmarks_find(struct gate *g, struct tare_err *err)
{
    if (g->o->command.n)
        return find_command(g, err);
    enum tare_status status = find_programs(g, err);
    if (!status)
        status = ask_all(g, err);
    size_t most = 1;
    for (int i = 0; i < g->n_programs && !status; i++)
        most += (size_t)g->programs[i].side[GATE_BASE].n_cases + (size_t)g->programs[i].side[GATE_HEAD].n_cases;
    if (!status)
        status = make_items(g, most, err);
    if (status)
        return status;
    g->n = 0;
    for (int i = 0; i < g->n_programs; i++) {
        g->programs[i].equal = gate_programs_equal(g, &g->programs[i]);
        add_program(g, i);
    }
    if (count_compared(g) > COMPARED_MOST)
        return err_set(err, TARE_INVALID,
                       "both builds have %d benchmarks, and a gate compares at most %d; choose some with --filter, in several "
                       "gates if all are wanted",
                       count_compared(g), COMPARED_MOST);
    if (!g->n && (g->o->filters.n || g->o->excluded.n))
        return err_set(err, TARE_INVALID, "no benchmark of either build matches --filter and --exclude");
    if (!g->n)
        return err_set(err, TARE_CHILD, "no build has a benchmark");
    if (check_lines(g, err))
        return TARE_CHILD;
    if (!g->number)
        gate_note_unused(g);
    return TARE_OK;
}
