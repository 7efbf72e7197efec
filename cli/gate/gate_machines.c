/* SPDX-License-Identifier: MIT
 *
 * One answer from the records of several gates of the same two commits, each made on a machine of its own.
 */
#include "gate_merge.h"
#include "gate_session.h"
#include "stored_file.h"
#include <math.h>
#include <string.h>

struct merged {
    struct gate *g;
    const char *hashes[2], *changes[2], *metric; /* changes: the commit that holds what was not committed, else "" */
    const struct kept_sessions *sessions;        /* of each file */
    /* of each machine, of each benchmark: as many times the room for benchmarks; name NULL: not asked there */
    struct gate_case *own;
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
    static const char *const keys[2] = {"revision_1_hash", "revision_2_hash"}, *const of_changes[2] = {"revision_1_changes",
                                                                                                       "revision_2_changes"};
    if (r->unverified)
        return refuse(err, path, "was changed or cut after it was written");
    if (!text_of(r, "gate_phase"))
        return refuse(err, path, "is no record of tare gate; --save of tare gate writes one");
    for (int i = 0; i < 2; i++) {
        const char *hash = text_of(r, keys[i]);
        if (!hash || (m->hashes[i] && strcmp(m->hashes[i], hash) != 0))
            return refuse(err, path, "is of other commits than the first record");
        m->hashes[i] = arena_strdup(m->g->cli->arena, hash);
        const char *changes = text_of(r, of_changes[i]) ? text_of(r, of_changes[i]) : "";
        if (m->changes[i] && strcmp(m->changes[i], changes) != 0)
            return refuse(err, path, "is of other uncommitted changes than the first record; commit them and measure again");
        m->changes[i] = arena_strdup(m->g->cli->arena, changes);
    }
    const struct metric *metric = record_metric(r, r->rule.metric);
    if (!metric || (m->metric && strcmp(m->metric, metric->id) != 0))
        return refuse(err, path, "compares another metric than the first record");
    m->metric = arena_strdup(m->g->cli->arena, metric->id);
    m->g->unit = arena_strdup(m->g->cli->arena, metric->unit);
    return m->metric && m->g->unit ? TARE_OK : err_no_memory(err);
}

/* "head, build/bench" is of build/bench; "head" of the only one. A command's base is the reference, its own too. */
static bool of_head(const struct record *r, const struct subject *s)
{
    if (s->reference < 0 || s == &r->subjects[s->reference] || (s->kind != SUBJECT_BENCH && s->kind != SUBJECT_COMMAND))
        return false;
    return s->kind == SUBJECT_COMMAND || !strncmp(s->program, gate_side_names[GATE_HEAD], strlen(gate_side_names[GATE_HEAD]));
}

static struct gate_benchmark *find_benchmark(struct merged *m, const struct subject *s)
{
    struct gate *g = m->g;
    struct arena *a = g->cli->arena;
    const char *benchmark = s->kind == SUBJECT_COMMAND ? s->command : s->benchmark;
    const char *program = s->kind == SUBJECT_COMMAND ? NULL : strchr(s->program, ' ');
    const char *name = program ? arena_format(a, "%s: %s", program + 1, benchmark) : benchmark;
    for (int i = 0; name && i < g->n; i++)
        if (!strcmp(g->items[i].c->name, name))
            return &g->items[i];
    struct bench_case *of = arena_array(a, 1, sizeof *of);
    if (!name || !of || g->n == m->room || !(of->name = arena_strdup(a, benchmark)))
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
    const bool confirm = !strcmp(text_of(r, "gate_phase"), gate_phase_names[GATE_CONFIRM]),
               screen = !strcmp(text_of(r, "gate_phase"), gate_phase_names[GATE_SCREEN]);
    double *d = arena_array(a, MOST, sizeof *d);
    if (!d)
        return err_no_memory(err);
    for (int i = 0; i < r->n_subjects; i++) {
        const struct subject *s = &r->subjects[i];
        if (!of_head(r, s))
            continue;
        struct gate_benchmark *b = find_benchmark(m, s);
        if (!b)
            return err_no_memory(err);
        struct gate_case *own = &m->own[file * m->room + (int)(b - m->g->items)];
        const struct subject *base = &r->subjects[s->reference];
        const char *failure = s->failure ? s->failure : base->failure;
        if (subject_skipped(s) && subject_skipped(base))
            continue;
        own->name = b->c->name;
        if (failure)
            b->c->failure = own->failure = arena_strdup(a, failure);
        const int n = failure ? 0 : gate_ratios(r, s->reference, i, d, MOST);
        if (!append(confirm ? &own->confirm : &own->screen, confirm ? &own->n_confirm : &own->n_screen, d, n, a))
            return err_no_memory(err);
        if (!confirm && own->n_screen >= (screen ? GATE_FIRST_FEWEST : 1)) /* as the gate did */
            gate_look(own);
        if (isnan(b->ns[GATE_BASE])) {
            b->ns[GATE_BASE] = gate_median(r, s->reference);
            b->ns[GATE_HEAD] = gate_median(r, i);
        }
    }
    return TARE_OK;
}

static bool holds(const struct kept_sessions *k, int n, const struct record *r)
{
    for (int i = 0; i < n; i++)
        if (k->items[i].seed == r->seed && k->items[i].start_utc_ns == r->start_utc_ns)
            return true;
    return false;
}

/* Of a file that is given twice, or holds a session twice, the same rounds would count as more. */
static enum tare_status check_new(const struct merged *m, int file, int session, const char *path, struct tare_err *err)
{
    const struct record *r = &m->sessions[file].items[session];
    if (holds(&m->sessions[file], session, r))
        return err_set(err, TARE_INVALID, "%s holds the same session twice", path);
    for (int i = 0; i < file; i++)
        if (holds(&m->sessions[i], m->sessions[i].n, r))
            return err_set(err, TARE_INVALID, "%s is the same record as %s", path, m->g->cli->operands.items[i]);
    return TARE_OK;
}

/* Which rounds were made depended on it. */
static void note_limits(const struct merged *m, const struct record *r, const char *path)
{
    const char *then = text_of(r, "gate_limits");
    struct buf now = BUF_INIT(1 << 20);
    gate_put_limits(m->g->o, " ", &now);
    if (then && strcmp(then, buf_text(&now)) != 0)
        gate_note(m->g, "%s was measured with --fail-if-slower %s, and this answer is for %s", path, then, buf_text(&now));
    buf_finish(&now);
}

static enum tare_status take_file(struct merged *m, const struct kept_sessions *k, int file, const char *path,
                                  struct tare_err *err)
{
    enum tare_status status = k->n ? TARE_OK : refuse(err, path, "has no complete session");
    for (int i = 0; i < k->n && !status; i++) {
        status = check_new(m, file, i, path, err);
        if (!status)
            status = check_record(m, &k->items[i], path, err);
        if (!status)
            status = stored_file_complete(&k->items[i], err);
        if (!status)
            status = take_record(m, &k->items[i], file, err);
    }
    if (!status)
        note_limits(m, &k->items[0], path);
    return status;
}

/* Of a machine the cases that it has, without gaps. */
static int own_cases(const struct merged *m, int machine, struct gate_case *out)
{
    int n = 0;
    for (int i = 0; i < m->g->n; i++) {
        struct gate_case *own = &m->own[machine * m->room + i];
        struct gate_case *c = &m->g->cases[i];
        if (!own->name)
            continue;
        if (!own->n_screen && !own->failure)
            own->failure = c->failure = "no complete round was measured";
        own->limit = c->limit;
        own->layout = m->g->o->layout > 0 ? log1p(m->g->o->layout) : 0;
        own->control = c->control;
        own->accepted = c->accepted;
        out[n++] = *own;
    }
    return n;
}

/* What the page shows of a benchmark. */
static void take_answer(struct merged *m, const struct gate_merged *of)
{
    struct gate *g = m->g;
    for (int i = 0; i < g->n; i++) {
        struct gate_benchmark *b = &g->items[i];
        if (strcmp(b->c->name, of->name) != 0)
            continue;
        b->result = of->result;
        for (int k = 0; k < m->files; k++)
            b->c->n_confirm += m->own[k * m->room + i].n_confirm;
        if (of->result.verdict != GATE_CANNOT_TELL || !of->failed)
            continue;
        b->remark = arena_format(g->cli->arena, "fails on %d of %d machines", of->failed, of->runners);
        b->result.low = -INFINITY; /* none holds for machines that differ */
        b->result.high = INFINITY;
    }
}

static void find_skipped(struct merged *m)
{
    struct gate *g = m->g;
    for (int i = 0; i < g->n; i++) {
        bool asked = false;
        for (int k = 0; k < m->files; k++)
            asked = asked || m->own[k * m->room + i].name;
        if (!asked)
            g->items[i].kind = GATE_SKIPPED;
    }
}

static enum tare_status answer(struct merged *m, struct tare_err *err)
{
    struct gate *g = m->g;
    struct arena *a = g->cli->arena;
    struct gate_runner *runners = arena_array(a, (size_t)m->files, sizeof *runners);
    struct gate_merged *all = arena_array(a, (size_t)m->room * (size_t)m->files, sizeof *all);
    int n = 0;
    for (int i = 0; runners && i < m->files; i++) {
        struct gate_case *cases = arena_array(a, (size_t)m->room, sizeof *cases);
        if (!cases)
            return err_no_memory(err);
        runners[i] = (struct gate_runner){cases, own_cases(m, i, cases)};
    }
    if (!runners || !all)
        return err_no_memory(err);
    g->verdict = gate_merge(runners, m->files, .05, all, &n);
    for (int i = 0; i < n; i++)
        take_answer(m, &all[i]);
    return TARE_OK;
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
    struct merged m = {.g = g, .sessions = files, .files = paths->n, .room = count_subjects(files, paths->n) + 1};
    g->items = arena_array(g->cli->arena, (size_t)m.room, sizeof *g->items);
    g->cases = arena_array(g->cli->arena, (size_t)m.room, sizeof *g->cases);
    m.own = arena_array(g->cli->arena, (size_t)m.room * (size_t)m.files, sizeof *m.own);
    enum tare_status status = g->items && g->cases && m.own ? TARE_OK : err_no_memory(err);
    for (int i = 0; i < paths->n && !status; i++)
        status = take_file(&m, &files[i], i, paths->items[i], err);
    g->runners = paths->n;
    g->hashes[GATE_BASE] = m.hashes[GATE_BASE];
    g->hashes[GATE_HEAD] = m.hashes[GATE_HEAD];
    if (status)
        return status;
    gate_note_unused(g);
    find_skipped(&m);
    return answer(&m, err);
}

enum exit_code gate_of_machines(struct gate *g)
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
