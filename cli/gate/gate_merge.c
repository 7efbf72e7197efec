/* SPDX-License-Identifier: MIT
 *
 * One answer from the records of several gates of the same two commits, each made on a machine of its own.
 *
 * The rounds of all are put together, and the gate's answer is taken of them. A slowdown must also be there on each machine: where the estimate of one alone
 * is below the limit, it does not fail. A pass of all together is one where no machine alone fails. */
#include "gate_session.h"
#include "stored_file.h"
#include <math.h>
#include <string.h>

struct merged {
    struct gate *g;
    const char *hashes[2];
    struct gate_case *own; /* of each machine, of each benchmark: n_files times the room for benchmarks */
    int room, files;
};

static const char *text_of(const struct record *r, const char *key)
{
    const struct fact *f = facts_find(&r->build, key);
    return f && f->text ? f->text : NULL;
}

static enum tare_status refuse(struct tare_err *err, const char *path, const char *why)
{
    return err_set(err, TARE_INVALID, "%s %s", path, why);
}

static enum tare_status check_record(struct merged *m, const struct record *r, const char *path, struct tare_err *err)
{
    static const char *const keys[2] = {"revision_1_hash", "revision_2_hash"};
    if (r->unverified)
        return refuse(err, path, "was changed or cut after it was written");
    if (!text_of(r, "gate_phase"))
        return refuse(err, path, "is no record of tare gate; --save of tare gate writes one");
    for (int i = 0; i < 2; i++) {
        const char *hash = text_of(r, keys[i]);
        if (!hash || (m->hashes[i] && strcmp(m->hashes[i], hash) != 0))
            return refuse(err, path, "is of other commits than the first record");
        m->hashes[i] = arena_strdup(m->g->cli->arena, hash);
    }
    return TARE_OK;
}

/* "head, build/bench" is of build/bench; "head" of the only one. */
static bool of_head(const struct subject *s)
{
    return !strncmp(s->program, gate_side_names[GATE_HEAD], strlen(gate_side_names[GATE_HEAD]));
}

static struct gate_benchmark *find_benchmark(struct merged *m, const struct subject *s)
{
    struct gate *g = m->g;
    struct arena *a = g->cli->arena;
    const char *program = strchr(s->program, ' ');
    const char *name = program ? arena_format(a, "%s: %s", program + 1, s->benchmark) : s->benchmark;
    for (int i = 0; name && i < g->n; i++)
        if (!strcmp(g->items[i].c->name, name))
            return &g->items[i];
    struct bench_case *of = arena_array(a, 1, sizeof *of);
    if (!name || !of || g->n == m->room || !(of->name = arena_strdup(a, s->benchmark)))
        return NULL;
    struct gate_benchmark *b = &g->items[g->n];
    *b = (struct gate_benchmark){.c = &g->cases[g->n], .kind = GATE_BOTH, .side = {of, of}, .ns = {NAN, NAN}};
    *b->c = (struct gate_case){.name = arena_strdup(a, name), .limit = log1p(gate_options_limit(g->o, of->name))};
    b->control = b->c->control = gate_name_in(&g->o->controls, of->name);
    b->c->accepted = gate_name_in(&g->o->accepted, of->name);
    g->n++;
    return b->c->name ? b : NULL;
}

static bool append(const double **to, int *n, const double *more, int n_more, struct arena *a)
{
    double *both = arena_array(a, (size_t)(*n + n_more) + 1, sizeof *both);
    if (!both)
        return false;
    if (*n)
        memcpy(both, *to, (size_t)*n * sizeof *both);
    memcpy(both + *n, more, (size_t)n_more * sizeof *both);
    *to = both;
    *n += n_more;
    return true;
}

/* Of one session of one machine. */
static enum tare_status take_record(struct merged *m, const struct record *r, int file, struct tare_err *err)
{
    enum { MOST = 4096 };
    struct arena *a = m->g->cli->arena;
    const bool confirm = !strcmp(text_of(r, "gate_phase"), gate_phase_names[GATE_CONFIRM]);
    double *d = arena_array(a, MOST, sizeof *d);
    if (!d)
        return err_no_memory(err);
    for (int i = 0; i < r->n_subjects; i++) {
        const struct subject *s = &r->subjects[i];
        if (s->kind != SUBJECT_BENCH || s->reference < 0 || !of_head(s))
            continue;
        struct gate_benchmark *b = find_benchmark(m, s);
        if (!b)
            return err_no_memory(err);
        struct gate_case *own = &m->own[file * m->room + (int)(b - m->g->items)];
        const struct subject *base = &r->subjects[s->reference];
        const char *failure = s->failure ? s->failure : base->failure;
        if (failure && !(subject_skipped(s) && subject_skipped(base)))
            b->c->failure = arena_strdup(a, failure);
        const int n = failure ? 0 : gate_ratios(r, s->reference, i, d, MOST);
        if (!append(confirm ? &own->confirm : &own->screen, confirm ? &own->n_confirm : &own->n_screen, d, n, a))
            return err_no_memory(err);
        if (!confirm && own->n_screen)
            gate_look(own);
        if (isnan(b->ns[GATE_BASE])) {
            b->ns[GATE_BASE] = gate_median(r, s->reference);
            b->ns[GATE_HEAD] = gate_median(r, i);
        }
    }
    return TARE_OK;
}

static enum tare_status take_file(struct merged *m, const struct kept_sessions *k, int file, const char *path,
                                  struct tare_err *err)
{
    enum tare_status status = k->n ? TARE_OK : refuse(err, path, "has no complete session");
    for (int i = 0; i < k->n && !status; i++) {
        status = check_record(m, &k->items[i], path, err);
        if (!status)
            status = stored_file_complete(&k->items[i], err);
        if (!status)
            status = take_record(m, &k->items[i], file, err);
    }
    return status;
}

/* A machine of which a benchmark has nothing measured leaves no gap: the benchmark has no result. */
static enum tare_status put_together(struct merged *m, struct tare_err *err)
{
    struct arena *a = m->g->cli->arena;
    for (int i = 0; i < m->g->n; i++) {
        struct gate_case *c = m->g->items[i].c;
        for (int file = 0; file < m->files; file++) {
            struct gate_case *own = &m->own[file * m->room + i];
            own->limit = c->limit;
            own->control = c->control;
            own->accepted = c->accepted;
            if (!own->n_screen && !c->failure)
                c->failure = "one of the records has no result of it";
            if (!append(&c->screen, &c->n_screen, own->screen, own->n_screen, a) ||
                !append(&c->confirm, &c->n_confirm, own->confirm, own->n_confirm, a))
                return err_no_memory(err);
        }
        gate_look(c);
    }
    return TARE_OK;
}

/* The estimate of each machine is of all of its rounds. */
static bool on_all(const struct merged *m, int benchmark, struct gate_result *room)
{
    for (int file = 0; file < m->files; file++) {
        gate_answer(&m->own[file * m->room + benchmark], 1, .05, room);
        if (!(room->shift >= m->g->cases[benchmark].limit))
            return false;
    }
    return true;
}

static bool on_any(const struct merged *m, int benchmark, struct gate_result *room)
{
    for (int file = 0; file < m->files; file++) {
        gate_answer(&m->own[file * m->room + benchmark], 1, .05, room);
        if (room->verdict == GATE_FAIL)
            return true;
    }
    return false;
}

static enum gate_verdict worst_of(const struct gate *g)
{
    static const int rank[] = {[GATE_PASS] = 0, [GATE_CANNOT_TELL] = 1, [GATE_FAIL] = 2, [GATE_NO_RESULT] = 3};
    enum gate_verdict worst = GATE_PASS;
    for (int i = 0; i < g->n; i++)
        if (gate_asked(&g->items[i]) && rank[g->items[i].result.verdict] > rank[worst])
            worst = g->items[i].result.verdict;
    return worst;
}

static void answer(struct merged *m)
{
    struct gate *g = m->g;
    struct gate_result room;
    gate_conclude(g);
    for (int i = 0; i < g->n && m->files > 1; i++) {
        struct gate_benchmark *b = &g->items[i];
        const enum gate_verdict v = b->result.verdict;
        if ((v == GATE_FAIL && !on_all(m, i, &room)) || (v == GATE_PASS && on_any(m, i, &room))) {
            b->result.verdict = GATE_CANNOT_TELL;
            b->result.decidable = NAN;
            b->remark = "not on all machines";
        }
    }
    if (g->verdict != GATE_NO_RESULT)
        g->verdict = worst_of(g);
}

static int count_subjects(const struct kept_sessions *files, int n)
{
    int subjects = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < files[i].n; k++)
            subjects += files[i].items[k].n_subjects;
    return subjects;
}

static enum tare_status merge(struct gate *g, const struct kept_sessions *files, struct tare_err *err)
{
    const struct option_operands *paths = &g->cli->operands;
    struct merged m = {.g = g, .files = paths->n, .room = count_subjects(files, paths->n) + 1};
    g->items = arena_array(g->cli->arena, (size_t)m.room, sizeof *g->items);
    g->cases = arena_array(g->cli->arena, (size_t)m.room, sizeof *g->cases);
    m.own = arena_array(g->cli->arena, (size_t)m.room * (size_t)m.files, sizeof *m.own);
    enum tare_status status = g->items && g->cases && m.own ? TARE_OK : err_no_memory(err);
    for (int i = 0; i < paths->n && !status; i++)
        status = take_file(&m, &files[i], i, paths->items[i], err);
    if (!status)
        status = put_together(&m, err);
    if (status)
        return status;
    g->runners = paths->n;
    g->hashes[GATE_BASE] = m.hashes[GATE_BASE];
    g->hashes[GATE_HEAD] = m.hashes[GATE_HEAD];
    answer(&m);
    return TARE_OK;
}

enum exit_code gate_merge(struct gate *g)
{
    const struct option_operands *paths = &g->cli->operands;
    struct tare_err err;
    struct kept_sessions *files = arena_array(g->cli->arena, (size_t)paths->n, sizeof *files);
    enum exit_code code = files ? EXIT_ANSWERED : cli_refuse(g->cli, err_no_memory(&err), &err);
    for (int i = 0; i < paths->n && !code; i++) {
        struct plat_file_state state;
        if (plat_file_state(paths->items[i], &state, &err))
            code = cli_refuse(g->cli, TARE_IO, &err);
        else
            code = sessions_load(g->cli, paths->items[i], g->o->display.quiet, &files[i]);
    }
    enum tare_status status = code ? TARE_OK : merge(g, files, &err);
    if (status)
        code = cli_refuse(g->cli, status, &err);
    for (int i = 0; files && i < paths->n; i++)
        sessions_finish(&files[i]);
    return code ? code : gate_code(g->verdict);
}
