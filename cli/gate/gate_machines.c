/* SPDX-License-Identifier: MIT
 *
 * One answer from the records of several gates of the same two commits, each made on a machine of its own; and that of one gate from its own record.
 */
#include "comparable.h"
#include "gate_answer.h"
#include "gate_page.h"
#include "gate_show.h"
#include "same_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct merged {
    struct gate *g;
    const char *const *carried;           /* sorted, closed by NULL */
    const struct kept_sessions *sessions; /* of each file */
    /* of each machine, of each benchmark that was measured: `measured` times the machines; name NULL: not asked there */
    struct gate_case *own;
    struct shown { /* of each benchmark, by the file at hand */
        double ns[2];
        int rounds;
    } * shown;
    int measured, files; /* so many different names at most, which come first among the gate's */
};

static enum tare_status refuse_record(struct tare_err *err, const char *path, const char *why)
{
    return err_set(err, TARE_INVALID, "%s %s", path, why);
}

static int count_lines(const char *text)
{
    int n = text && *text;
    for (; text && *text; text++)
        n += *text == '\n';
    return n;
}

/* The lines of a fact, closed by NULL; none where it is not there. NULL: no memory. */
static const char **lines_of(const struct record *r, const char *key, struct arena *a, int *n)
{
    const char *text = facts_text(&r->build, key);
    const char **items = arena_array(a, (size_t)count_lines(text) + 1, sizeof *items);
    for (*n = 0; items && text && *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (!(items[(*n)++] = arena_copy(a, text, strcspn(text, "\n"))))
            return NULL;
    return items;
}

static enum tare_status check_record(struct merged *m, const struct record *r, const char *path, struct tare_err *err)
{
    static const char *const keys[2] = {"revision_1_hash", "revision_2_hash"}, *const of_changes[2] = {"revision_1_changes",
                                                                                                       "revision_2_changes"};
    if (r->unverified)
        return refuse_record(err, path, "was changed or cut after it was written");
    if (!facts_text(&r->build, "gate_phase"))
        return refuse_record(err, path, "is no record of tare gate; --save of tare gate writes one");
    for (int i = 0; i < 2; i++) {
        const char *hash = facts_text(&r->build, keys[i]);
        if (!hash || (m->g->hashes[i] && strcmp(m->g->hashes[i], hash) != 0))
            return refuse_record(err, path, "is of other commits than the first record");
        m->g->hashes[i] = arena_strdup(m->g->cli->arena, hash);
        const char *changes = facts_text(&r->build, of_changes[i]) ? facts_text(&r->build, of_changes[i]) : "";
        if (m->g->changes[i] && strcmp(m->g->changes[i], changes) != 0)
            return refuse_record(err, path,
                                 "is of other uncommitted changes than the first record; commit them and measure again");
        m->g->changes[i] = arena_strdup(m->g->cli->arena, changes);
    }
    int n;
    const char **carried = lines_of(r, "gate_carried", m->g->cli->arena, &n);
    if (!carried)
        return err_no_memory(err);
    qsort(carried, (size_t)n, sizeof *carried, text_order); /* in any order they are the same files */
    if (m->carried && !same_words(m->carried, carried))
        return refuse_record(err, path, "carried other paths into the base than the first record");
    m->carried = carried;
    const struct record *first = &m->sessions[0].items[0];
    const struct metric *metric = record_metric(r, r->rule.metric), *of_first = record_metric(first, first->rule.metric);
    if (!metric || strcmp(metric->id, of_first->id) != 0)
        return refuse_record(err, path, "compares another metric than the first record");
    if (strcmp(metric->unit, of_first->unit) != 0)
        return refuse_record(err, path, "has its metric in another unit than the first record");
    if (metric->kind != of_first->kind || metric->direction != of_first->direction)
        return refuse_record(err, path, "has its metric of another kind or direction than the first record");
    m->g->unit = arena_strdup(m->g->cli->arena, metric->unit);
    return m->g->unit ? TARE_OK : err_no_memory(err);
}

/* A command's base is the reference, its own too. */
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
    const char *benchmark = s->kind == SUBJECT_COMMAND ? s->command : s->benchmark, *name = gate_name_of(a, s);
    for (int i = 0; name && i < g->n; i++)
        if (!strcmp(g->items[i].c->name, name))
            return &g->items[i];
    struct bench_case *of = arena_array(a, 1, sizeof *of);
    if (!name || !of || g->n == m->measured || !(of->name = arena_strdup(a, benchmark)))
        return NULL;
    struct gate_benchmark *b = &g->items[g->n];
    *b = (struct gate_benchmark){
        .c = &g->cases[g->n], .kind = GATE_BOTH, .side = {of, of}, .ns = {NAN, NAN}, .most_ns = {NAN, NAN}};
    if (strcmp(name, benchmark) != 0)
        b->program_name = arena_copy(a, name, strlen(name) - strlen(benchmark) - strlen(": "));
    *b->c = (struct gate_case){.name = arena_strdup(a, name), .limit = log1p(gate_options_limit(g->o, of->name))};
    b->control = b->c->control = gate_name_in(&g->o->controls, of->name);
    b->c->accepted = gate_name_in(&g->o->accepted, of->name);
    g->n++;
    return b->c->name ? b : NULL;
}

static bool append_ratios(const double **to, int *n, const double *more, int n_more, struct arena *a)
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

static enum gate_phase phase_of(const struct record *r)
{
    int phase = 0;
    while (phase < GATE_CONFIRM && strcmp(facts_text(&r->build, "gate_phase"), gate_phase_names[phase]) != 0)
        phase++;
    return (enum gate_phase)phase;
}

static const struct shown nothing_shown = {{NAN, NAN}, 0};

/* By one more machine. */
static void widen_times(struct gate_benchmark *b, enum gate_side side, double ns)
{
    b->ns[side] = fmin(b->ns[side], ns);
    b->most_ns[side] = fmax(b->most_ns[side], ns);
}

/* Of one session of one machine. */
static enum tare_status take_record(struct merged *m, struct record *r, int file, struct tare_err *err)
{
    enum { MOST = 4096 };
    struct arena *a = m->g->cli->arena;
    m->g->seconds += r->seconds;
    const enum gate_phase phase = phase_of(r);
    const bool confirm = phase == GATE_CONFIRM;
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
        struct gate_case *own = &m->own[file * m->measured + (int)(b - m->g->items)];
        const char *failure = gate_failure(r, s->reference, i, a);
        if (gate_skipped(r, s->reference, i, own->n_screen))
            continue;
        own->name = b->c->name;
        if (failure)
            b->c->failure = own->failure = failure;
        else
            gate_add_printed(r, s->reference, i, &own->printed);
        const int n = failure ? 0 : gate_ratios(r, s->reference, i, d, MOST);
        if (!append_ratios(confirm ? &own->confirm : &own->screen, confirm ? &own->n_confirm : &own->n_screen, d, n, a))
            return err_no_memory(err);
        if (own->n_screen)
            gate_end_phase(own, phase);
        struct shown *shown = &m->shown[b - m->g->items];
        if (!gate_shows(phase, n, &shown->rounds))
            continue;
        shown->ns[GATE_BASE] = record_point(r, s->reference, r->rule.metric, "median");
        shown->ns[GATE_HEAD] = record_point(r, i, r->rule.metric, "median");
    }
    return TARE_OK;
}

static bool holds_record(const struct kept_sessions *k, int n, const struct record *r)
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
    if (holds_record(&m->sessions[file], session, r))
        return err_set(err, TARE_INVALID, "%s holds the same session twice", path);
    for (int i = 0; i < file; i++)
        if (holds_record(&m->sessions[i], m->sessions[i].n, r))
            return err_set(err, TARE_INVALID, "%s is the same record as %s", path, m->g->cli->operands.items[i]);
    return TARE_OK;
}

static bool read_question(struct gate_options *o, const struct record *r, struct arena *a)
{
    const struct fact *layout = facts_find(&r->build, "gate_layout");
    o->layout = layout && layout->number > 0 ? layout->number : 0;
    return (o->limits.items = lines_of(r, "gate_limits", a, &o->limits.n)) &&
           (o->accepted.items = lines_of(r, "gate_accepted", a, &o->accepted.n)) &&
           (o->controls.items = lines_of(r, "gate_controls", a, &o->controls.n));
}

static void put_list(struct buf *b, const char *option, const struct option_list *list)
{
    for (int i = 0; i < list->n; i++)
        buf_format(b, " %s %s", option, list->items[i]);
}

static void put_question(struct buf *b, const struct gate_options *o)
{
    buf_str(b, "--fail-if-slower ");
    gate_put_limits(o, " ", b);
    put_list(b, "--accept", &o->accepted);
    put_list(b, "--control", &o->controls);
    if (o->layout > 0)
        buf_format(b, " --layout %.10g%%", 100 * o->layout);
}

/* Which rounds were made depended on it, and so did its answer. */
static void note_question(const struct merged *m, const struct record *r, const char *path)
{
    struct gate_options then = {.limits = {NULL, 0}};
    struct buf now = BUF_INIT(1 << 20), was = BUF_INIT(1 << 20);
    if (!read_question(&then, r, m->g->cli->arena))
        return;
    put_question(&now, m->g->o);
    put_question(&was, &then);
    if (then.limits.n && strcmp(buf_text(&was), buf_text(&now)) != 0)
        gate_note(m->g, "%s was measured with %s, and this answer is for %s", path, buf_text(&was), buf_text(&now));
    buf_finish(&now);
    buf_finish(&was);
}

static const char *options_of(const struct record *r)
{
    const char *options = facts_text(&r->before, "options");
    return options ? options : "";
}

/* Machines may need other ones, so it is no reason to refuse. */
static void note_options(const struct merged *m, const struct record *r, const char *path)
{
    const char *first = options_of(&m->sessions[0].items[0]), *own = options_of(r);
    if (strcmp(first, own) != 0)
        gate_note(m->g, "%s was measured with %s, and the first record with %s", path, *own ? own : "none of these options",
                  *first ? first : "none of these options");
}

/* As of the gate itself: with a session that failed it has no result, whatever those before found. */
static void take_failed(struct merged *m, int file)
{
    for (int i = 0; i < m->g->n; i++)
        if (m->own[file * m->measured + i].name)
            m->own[file * m->measured + i].failure = m->g->cases[i].failure = "its session ended by a failure";
}

/* The rounds of a file count as those of one machine. */
static enum tare_status check_machine(const struct kept_sessions *k, int session, const char *path, struct tare_err *err)
{
    struct buf differ = BUF_INIT(1 << 16);
    comparable_machines(&k->items[0], &k->items[session], &differ);
    const bool other = differ.len > 0;
    buf_finish(&differ);
    return other ? refuse_record(err, path, "holds sessions of several machines; give a file for each") : TARE_OK;
}

static enum tare_status take_file(struct merged *m, const struct kept_sessions *k, int file, const char *path,
                                  struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    if (k->cut > k->failed)
        status = refuse_record(err, path, "has a session that was cut short, so its gate came to no answer");
    else if (!k->n)
        status =
            refuse_record(err, path, k->failed ? "has a session that failed, and no complete one" : "has no complete session");
    for (int i = 0; i < k->n && !status; i++) {
        status = check_new(m, file, i, path, err);
        if (!status)
            status = check_record(m, &k->items[i], path, err);
        if (!status && (phase_of(&k->items[i]) == GATE_SCREEN) != (i == 0))
            status =
                refuse_record(err, path, i ? "holds several gates; give a file for each" : "lacks the first phase of its gate");
        if (!status)
            status = check_machine(k, i, path, err);
        if (!status)
            status = stored_file_complete(&k->items[i], err);
        if (!status)
            status = take_record(m, &k->items[i], file, err);
    }
    for (int i = 0; i < m->g->n; i++)
        for (int side = 0; side < 2; side++)
            widen_times(&m->g->items[i], (enum gate_side)side, m->shown[i].ns[side]);
    for (int i = 0; i < m->g->n; i++)
        m->shown[i] = nothing_shown;
    if (!status && k->failed)
        take_failed(m, file);
    if (!status) {
        note_question(m, &k->items[0], path);
        note_options(m, &k->items[0], path);
    }
    return status;
}

/* Of a machine the cases that it has, without gaps. */
static int own_cases(const struct merged *m, int machine, struct gate_case *out)
{
    int n = 0;
    for (int i = 0; i < m->g->n && i < m->measured; i++) {
        struct gate_case *own = &m->own[machine * m->measured + i];
        struct gate_case *c = &m->g->cases[i];
        if (!own->name)
            continue;
        if (!own->n_screen && !own->failure && !own->equal)
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
        for (int k = 0; k < m->files; k++) {
            b->c->n_screen += m->own[k * m->measured + i].n_screen;
            b->c->n_confirm += m->own[k * m->measured + i].n_confirm;
        }
        if (of->result.verdict != GATE_CANNOT_TELL || !of->failed)
            continue;
        b->remark = arena_format(g->cli->arena, "fails in %d of %d records", of->failed, of->runners);
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
            asked = asked || m->own[k * m->measured + i].name;
        if (asked)
            continue;
        g->items[i].kind = GATE_SKIPPED;
        g->cases[i].control = true;
    }
}

static int count_unmeasured(const struct record *r)
{
    int n = 0;
    for (int i = GATE_NEW; i < GATE_SKIPPED; i++)
        n += count_lines(facts_text(&r->build, gate_kind_keys[i]));
    return n;
}

/* A gate of several programs puts the program before it: gate_name_of. */
static const char *bare_name(const struct record *r, const char *name)
{
    const char *program = r->n_subjects ? r->subjects[0].program : NULL,
               *end = program && strchr(program, ' ') ? strstr(name, ": ") : NULL;
    return end ? end + 2 : name;
}

static struct gate_benchmark *add_unmeasured(struct gate *g, const struct record *r, const char *name, enum gate_kind kind)
{
    struct gate_benchmark *b = &g->items[g->n];
    struct bench_case *of = arena_array(g->cli->arena, 1, sizeof *of);
    if (!of)
        return NULL;
    of->name = bare_name(r, name);
    g->cases[g->n] = (struct gate_case){.name = name,
                                        .limit = log1p(gate_options_limit(g->o, of->name)),
                                        .control = true,
                                        .accepted = gate_name_in(&g->o->accepted, of->name)};
    *b = (struct gate_benchmark){.c = &g->cases[g->n++], .kind = kind, .side = {of, of}, .ns = {NAN, NAN}, .most_ns = {NAN, NAN}};
    if (of->name != name)
        b->program_name = arena_copy(g->cli->arena, name, (size_t)(of->name - name) - strlen(": "));
    return b;
}

struct named {
    const char *name; /* first: text_order */
    int at;
};

/* Those that the gate has so far, sorted: a record may list 100 000. */
static struct named *names_so_far(const struct gate *g)
{
    struct named *all = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *all);
    for (int i = 0; i < g->n && all; i++)
        all[i] = (struct named){g->items[i].c->name, i};
    if (all)
        qsort(all, (size_t)g->n, sizeof *all, text_order);
    return all;
}

/* A benchmark may be equal in both builds on one machine, and measured on another: on the first it is not slower. */
static bool take_unmeasured(struct merged *m, const struct record *r, int file)
{
    struct gate *g = m->g;
    const int n_known = g->n;
    const struct named *known = names_so_far(g);
    if (!known)
        return false;
    for (int kind = GATE_NEW; kind < GATE_SKIPPED; kind++) {
        int n;
        const char **names = lines_of(r, gate_kind_keys[kind], g->cli->arena, &n);
        if (!names)
            return false;
        for (int i = 0; i < n; i++) {
            const struct named *of =
                bsearch(&(struct named){.name = names[i]}, known, (size_t)n_known, sizeof *known, text_order);
            if (!of) {
                if (!add_unmeasured(g, r, names[i], (enum gate_kind)kind))
                    return false;
                continue;
            }
            if (kind != GATE_EQUAL || g->items[of->at].kind != GATE_BOTH)
                continue;
            struct gate_case *own = &m->own[file * m->measured + of->at];
            if (!own->name)
                *own = (struct gate_case){.name = of->name, .equal = true};
        }
    }
    return true;
}

static enum tare_status answer_merged(struct merged *m, struct tare_err *err)
{
    struct gate *g = m->g;
    struct arena *a = g->cli->arena;
    struct gate_runner *runners = arena_array(a, (size_t)m->files, sizeof *runners);
    int n = 0, most = 0;
    for (int i = 0; runners && i < m->files; i++) {
        struct gate_case *cases = arena_array(a, (size_t)m->measured, sizeof *cases);
        if (!cases)
            return err_no_memory(err);
        runners[i] = (struct gate_runner){cases, own_cases(m, i, cases)};
        most += runners[i].n;
    }
    struct gate_merged *all = arena_array(a, (size_t)most, sizeof *all);
    if (!runners || !all)
        return err_no_memory(err);
    g->verdict = gate_merge(runners, m->files, GATE_ALPHA, all, &n);
    if (gate_nothing_to_ask(g))
        g->verdict = GATE_PASS;
    for (int i = 0; i < n; i++)
        take_answer(m, &all[i]);
    return TARE_OK;
}

/* The different names in all sessions; -1: no memory. */
static int count_measured(const struct kept_sessions *files, int n, struct arena *a)
{
    int most = 0, names = 0, different = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < files[i].n; k++)
            most += files[i].items[k].n_subjects;
    const char **all = arena_array(a, (size_t)most, sizeof *all);
    for (int i = 0; all && i < n; i++)
        for (int k = 0; k < files[i].n; k++)
            for (int s = 0; s < files[i].items[k].n_subjects; s++)
                if (of_head(&files[i].items[k], &files[i].items[k].subjects[s]) &&
                    !(all[names++] = gate_name_of(a, &files[i].items[k].subjects[s])))
                    return -1;
    if (!all)
        return -1;
    qsort(all, (size_t)names, sizeof *all, text_order);
    for (int i = 0; i < names; i++)
        different += !i || strcmp(all[i - 1], all[i]) != 0;
    return different;
}

static enum tare_status begin_merged(struct merged *m, struct gate *g, const struct kept_sessions *files, int n,
                                     struct tare_err *err)
{
    const int measured = count_measured(files, n, g->cli->arena);
    *m = (struct merged){.g = g, .sessions = files, .files = n, .measured = measured};
    if (measured < 0)
        return err_no_memory(err);
    size_t room = (size_t)measured + 1;
    for (int i = 0; i < n; i++)
        room += files[i].n ? (size_t)count_unmeasured(&files[i].items[0]) : 0;
    g->items = arena_array(g->cli->arena, room, sizeof *g->items);
    g->cases = arena_array(g->cli->arena, room, sizeof *g->cases);
    g->cost_s = arena_array(g->cli->arena, room, sizeof *g->cost_s);
    m->own = arena_array(g->cli->arena, (size_t)measured * (size_t)n, sizeof *m->own);
    m->shown = arena_array(g->cli->arena, (size_t)measured, sizeof *m->shown);
    for (int i = 0; m->shown && i < measured; i++)
        m->shown[i] = nothing_shown;
    return g->items && g->cases && g->cost_s && m->own && m->shown ? TARE_OK : err_no_memory(err);
}

static enum tare_status merge_records(struct gate *g, const struct kept_sessions *files, struct tare_err *err)
{
    const struct option_operands *paths = &g->cli->operands;
    struct merged m;
    if (paths->n > GATE_RUNNERS_MOST)
        return err_set(err, TARE_INVALID, "--merge takes at most %d records", GATE_RUNNERS_MOST);
    enum tare_status status = begin_merged(&m, g, files, paths->n, err);
    for (int i = 0; i < paths->n && !status; i++)
        status = take_file(&m, &files[i], i, paths->items[i], err);
    g->runners = paths->n;
    if (status)
        return status;
    find_skipped(&m);
    for (int i = 0; i < paths->n; i++)
        if (!take_unmeasured(&m, &files[i].items[0], i))
            return err_no_memory(err);
    gate_note_unused(g);
    return answer_merged(&m, err);
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
    enum tare_status status = code ? TARE_OK : merge_records(g, files, &err);
    if (status)
        code = cli_refuse(g->cli, status, &err);
    for (int i = 0; files && i < paths->n; i++)
        sessions_finish(&files[i]);
    return code ? code : gate_code(g->verdict);
}

static void take_session(struct gate *g, const struct record *r)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += of_head(r, &r->subjects[i]);
    if (r->rounds > 0 && g->n_sessions < GATE_SESSIONS_MAX)
        g->sessions[g->n_sessions++] = (struct gate_session){phase_of(r), n, r->rounds, r->seconds};
    for (int i = 0; i < g->n && n && r->rounds > 0; i++)
        g->cost_s[i] = r->seconds / r->rounds / n;
}

static enum tare_status read_gate(struct gate *g, const struct kept_sessions *k, const char *path, struct tare_err *err)
{
    struct merged m;
    enum tare_status status = begin_merged(&m, g, k, 1, err);
    if (!status)
        status = take_file(&m, k, 0, path, err);
    if (status)
        return status;
    find_skipped(&m);
    for (int i = 0; i < g->n; i++)
        if (m.own[i].name) {
            const struct gate_case asked = g->cases[i];
            g->cases[i] = m.own[i];
            g->cases[i].limit = asked.limit;
            g->cases[i].control = asked.control;
            g->cases[i].accepted = asked.accepted;
            g->cases[i].layout = g->o->layout > 0 ? log1p(g->o->layout) : 0;
        }
    for (int i = 0; i < k->n; i++)
        take_session(g, &k->items[i]);
    if (!take_unmeasured(&m, &k->items[0], 0))
        return err_no_memory(err);
    return TARE_OK;
}

bool gate_recorded_alone(const struct kept_sessions *k)
{
    for (int i = 0; i < k->n; i++)
        if (!facts_text(&k->items[i].build, "gate_phase") || (phase_of(&k->items[i]) == GATE_SCREEN) != (i == 0))
            return false;
    return k->n > 0;
}

enum exit_code gate_show(struct cli *cli, const struct display_options *d, const char *path, const struct kept_sessions *k,
                         struct outputs *files)
{
    struct cli own = *cli;
    struct gate_options o;
    struct gate g = {.cli = &own, .o = &o, .records = k->items, .n_records = k->n};
    struct tare_err err;
    option_defaults(&gate_option_set, &o);
    o.display = *d;
    own.operands = (struct option_operands){.items = &path, .n = 1};
    enum tare_status status = read_question(&o, &k->items[0], cli->arena) ? read_gate(&g, k, path, &err) : err_no_memory(&err);
    if (status)
        return cli_fail(cli, EXIT_USAGE, &err);
    for (int i = 0; i < k->n; i++)
        gate_keep_disturbance(&g, &k->items[i]);
    gate_conclude(&g);
    const enum exit_code code = d->export_file[EXPORT_TO_HTML] ? gate_write_html(&g, files) : EXIT_ANSWERED;
    return cli_worse(code, gate_print(&g));
}
