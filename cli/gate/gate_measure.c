/* SPDX-License-Identifier: MIT
 *
 * The three sessions of a gate. The first measures all benchmarks of both builds in interleaved rounds. The second spends what is left on those
 * of which it is not yet clear that they are no slower than allowed. The third measures each slowdown that the others nominated once more, with
 * processes and an order of its own, and its data alone decide. */
#include "gate_session.h"
#include "machine.h"
#include "record_write.h"
#include <math.h>

const char *const gate_phase_names[GATE_PHASES] = {"screen", "narrow", "confirm"};
const char *const gate_kind_keys[] = {[GATE_NEW] = "gate_new", [GATE_DELETED] = "gate_deleted", [GATE_EQUAL] = "gate_equal"};

struct session_of { /* benchmarks of a gate that share a session */
    struct gate *g;
    enum gate_phase phase;
    const bool *chosen; /* of g->items */
    int runs;
    int64_t max_time_ns;
    uint64_t seed;
    struct bench_program *programs; /* base and head of each */
    int n_programs;
    int *item; /* of each subject, in the order of the session */
    int *side;
    int n;
};

static int count_chosen(const struct session_of *s)
{
    int n = 0;
    for (int i = 0; i < s->g->n; i++)
        n += s->chosen[i];
    return n;
}

static bool add_side(struct session_of *s, int program, enum gate_side side)
{
    struct gate *g = s->g;
    struct bench_program *p = &s->programs[s->n_programs];
    *p = g->programs[program].side[side];
    p->against = side == GATE_HEAD ? s->n_programs - 1 : -1;
    p->cases = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *p->cases);
    p->n_cases = 0;
    for (int i = 0; p->cases && i < g->n; i++) {
        if (!s->chosen[i] || g->items[i].program != program)
            continue;
        s->item[s->n] = i;
        s->side[s->n++] = side;
        p->cases[p->n_cases++] = *g->items[i].side[side];
    }
    s->n_programs += p->n_cases > 0;
    return p->cases != NULL;
}

static enum tare_status choose_command(struct session_of *s, struct tare_err *err)
{
    static int both[2] = {0, 0}, sides[2] = {GATE_BASE, GATE_HEAD};
    (void)err;
    s->item = both;
    s->side = sides;
    s->n = 2;
    return TARE_OK;
}

static enum tare_status choose_room(struct session_of *s, struct tare_err *err)
{
    struct arena *a = s->g->cli->arena;
    const size_t programs = 2 * (size_t)s->g->n_programs, subjects = 2 * (size_t)s->g->n;
    s->programs = arena_array(a, programs, sizeof *s->programs);
    s->item = arena_array(a, subjects, sizeof *s->item);
    s->side = arena_array(a, subjects, sizeof *s->side);
    return s->programs && s->item && s->side ? TARE_OK : err_no_memory(err);
}

static enum tare_status choose_programs(struct session_of *s, struct tare_err *err)
{
    if (s->g->o->command.n)
        return choose_command(s, err);
    bool good = !choose_room(s, err);
    for (int i = 0; good && i < s->g->n_programs; i++)
        good = add_side(s, i, GATE_BASE) && add_side(s, i, GATE_HEAD);
    return good ? TARE_OK : err_no_memory(err);
}

static void take_failure(struct session_of *s, const struct record *r, int base, int head, const char *failure)
{
    struct gate_benchmark *b = &s->g->items[s->item[head]];
    if (gate_skipped(r, base, head, b->c->n_screen)) {
        b->kind = GATE_SKIPPED;
        b->c->control = true;
    } else
        b->c->failure = failure;
    b->c->n_screen = b->c->n_confirm = b->c->n_looks = 0;
}

bool gate_shows(enum gate_phase phase, int rounds, int *most)
{
    if (rounds <= 0 || (phase != GATE_CONFIRM && rounds < *most))
        return false;
    *most = rounds;
    return true;
}

void gate_end_phase(struct gate_case *c, enum gate_phase phase)
{
    if (phase != GATE_CONFIRM && c->n_screen >= (phase == GATE_SCREEN ? GATE_FIRST_FEWEST : 1))
        gate_look(c);
}

static void take_benchmark(struct session_of *s, struct record *r, int base, int head)
{
    struct gate_benchmark *b = &s->g->items[s->item[head]];
    struct gate_case *c = b->c;
    const char *failure = gate_failure(r, base, head, s->g->cli->arena);
    if (failure) {
        take_failure(s, r, base, head, failure);
        return;
    }
    gate_add_printed(r, base, head, &c->printed);
    int *n = s->phase == GATE_CONFIRM ? &c->n_confirm : &c->n_screen;
    double *to = b->values[s->phase == GATE_CONFIRM] + *n;
    const int more = gate_ratios(r, base, head, to, GATE_ROUNDS_MOST - *n);
    for (int i = 0; i < more; i++)
        to[i] += b->injected;
    *n += more;
    gate_end_phase(c, s->phase);
    if (!gate_shows(s->phase, more, &b->ns_rounds))
        return;
    b->ns[GATE_BASE] = record_point(r, base, r->rule.metric, "median");
    b->ns[GATE_HEAD] = record_point(r, head, r->rule.metric, "median") * exp(b->injected);
}

static void take_all(struct session_of *s, struct record *r)
{
    const int n = count_chosen(s);
    const double round_s = r->rounds > 0 && n > 0 ? r->seconds / r->rounds / n : 0;
    for (int i = 0; i < s->n; i++) {
        const int base = r->subjects[i].reference;
        if (s->side[i] != GATE_HEAD || base < 0)
            continue;
        take_benchmark(s, r, base, i);
        if (round_s > 0)
            s->g->cost_s[s->item[i]] = round_s;
    }
    s->g->sessions[s->g->n_sessions++] = (struct gate_session){s->phase, n, r->rounds, r->seconds};
}

/* A line each, as names and patterns may have anything else in them; nothing where there are none. */
static enum tare_status add_lines(struct record *r, const char *key, const struct option_list *list)
{
    struct buf b = BUF_INIT(1 << 20);
    for (int i = 0; i < list->n; i++)
        buf_format(&b, "%s%s", i ? "\n" : "", list->items[i]);
    enum tare_status status = b.len ? facts_add_text(r, &r->build, key, buf_text(&b)) : TARE_OK;
    buf_finish(&b);
    return status;
}

/* Those that no session measures. */
static enum tare_status add_kind(struct record *r, const struct gate *g, const char *key, enum gate_kind kind)
{
    const char **names = arena_array(g->cli->arena, (size_t)g->n, sizeof *names);
    int n = 0;
    for (int i = 0; names && i < g->n; i++)
        if (g->items[i].kind == kind)
            names[n++] = g->items[i].c->name;
    return names ? add_lines(r, key, &(struct option_list){names, n}) : TARE_NO_MEMORY;
}

static enum tare_status add_question(struct record *r, const struct gate *g)
{
    static const char *const usual[] = {"2%"};
    enum tare_status status = add_lines(r, "gate_limits", g->o->limits.n ? &g->o->limits : &(struct option_list){usual, 1});
    if (!status)
        status = add_lines(r, "gate_accepted", &g->o->accepted);
    if (!status)
        status = add_lines(r, "gate_controls", &g->o->controls);
    if (!status)
        status = add_lines(r, "gate_carried", &g->o->carried);
    if (!status && g->o->layout > 0)
        status = facts_add_number(r, &r->build, "gate_layout", g->o->layout);
    for (int i = GATE_NEW; i < GATE_SKIPPED && !status; i++)
        status = add_kind(r, g, gate_kind_keys[i], (enum gate_kind)i);
    return status;
}

/* For run.described: what the record says of the gate that it is a part of. */
static enum tare_status describe_session(void *context, struct run *run, struct tare_err *err)
{
    const struct session_of *s = context;
    struct record *r = &run->record;
    enum tare_status status = revisions_describe(&s->g->rs, r);
    if (!status)
        status = facts_add_text(r, &r->build, "gate_phase", gate_phase_names[s->phase]);
    if (!status)
        status = add_question(r, s->g);
    return status ? err_no_memory(err) : TARE_OK;
}

/* Another one for each session. */
static uint64_t seed_of(const struct gate *g)
{
    return g->o->seed + (uint64_t)(g->number * GATE_SESSIONS_MAX + g->n_sessions);
}

static enum tare_status measure_session(struct session_of *s, struct run *run, struct tare_err *err)
{
    struct gate *g = s->g;
    const enum exit_code code = run_session(run);
    g->signal_number = run->session.signal_number ? run->session.signal_number : plat_signal();
    if (g->signal_number)
        return err_set(err, TARE_INTERRUPTED, "%s", ""); /* the session has said it */
    if (run->record.ended && run->record.rounds > 0)
        take_all(s, &run->record);
    if (code == EXIT_CHILD && g->o->command.n)
        g->items[0].c->failure = "a run failed";
    if (code == EXIT_TOOL || code == EXIT_USAGE)
        return err_set(err, TARE_IO, "%s", "");
    return TARE_OK;
}

void gate_keep_disturbance(struct gate *g, const struct record *r)
{
    for (int i = 0; i < r->n_findings; i++) {
        const struct finding *f = &r->findings[i];
        if (f->subject >= 0 || f->severity == SEVERITY_NOTE || (g->disturbance && f->weight <= g->disturbance_weight))
            continue;
        g->disturbance = arena_strdup(g->cli->arena, f->text);
        g->disturbance_weight = f->weight;
    }
}

/* The record of the first stays until the end; those of later ones where a page is to show them. */
static void end_session(struct session_of *s, struct run *run)
{
    struct gate *g = s->g;
    const struct sink saved = sink_to_buf(&g->saved);
    if (g->save && run->record.ended && record_write(&run->record, &saved, NULL) && !g->saved.status)
        g->saved.status = TARE_NO_MEMORY;
    g->save_failed |= run->session.save_failed;
    gate_keep_disturbance(g, &run->record);
    const bool wanted = !g->n_records || (g->o->display.export_file[EXPORT_TO_HTML] && run->record.rounds > 0);
    if (!g->records)
        g->records = arena_array(g->cli->arena, GATE_SESSIONS_MAX, sizeof *g->records);
    if (wanted && g->records && g->n_records < GATE_SESSIONS_MAX) { /* a first one is kept also without a round */
        g->records[g->n_records++] = run->record;
        record_init(&run->record);
    }
    run_close(run);
}

static void join_session(struct session_of *s, struct run *run)
{
    const struct gate *g = s->g;
    s->seed = seed_of(g);
    run->described = describe_session;
    run->shown_seed = GATE_GIVEN(g->o, seed) ? &s->seed : NULL;
    run->context = s;
    run->lent_save = g->save;
}

static enum tare_status measure_programs(struct session_of *s, struct cli *cli, struct bench_options *o, struct tare_err *err)
{
    struct bench b;
    bench_begin(&b, cli, o);
    b.given = s->programs;
    b.n_given = s->n_programs;
    join_session(s, &b.run);
    enum tare_status status = bench_describe(&b, err);
    if (!status)
        status = measure_session(s, &b.run, err);
    end_session(s, &b.run);
    return status;
}

/* Of the benchmarks as the base has them, without rounds. */
static enum tare_status write_equal(struct session_of *s, struct bench *b, struct tare_err *err)
{
    struct record *r = &b->run.record;
    struct buf *text = &s->g->saved;
    const struct sink saved = sink_to_buf(text);
    const size_t before = text->len; /* of a session without a round, which is in the file */
    b->given = s->programs;
    b->n_given = s->n_programs;
    enum tare_status status = bench_describe(b, err);
    if (!status && machine_identity(r, &r->machine))
        status = err_no_memory(err);
    if (!status)
        status = describe_session(s, &b->run, err);
    r->ended = "answered";
    if (!status)
        status = record_write(r, &saved, err);
    if (!status)
        status = plat_file_write(s->g->save, text->data + before, text->len - before, err);
    return status ? status : plat_file_settle(s->g->save, err); /* without a row it is worth an older one's place all the same */
}

enum tare_status gate_keep_equal(struct gate *g, struct tare_err *err)
{
    struct arena *a = g->cli->arena;
    bool *chosen = arena_array(a, (size_t)g->n, sizeof *chosen);
    struct session_of s = {.g = g, .phase = GATE_SCREEN, .chosen = chosen};
    struct bench_options o;
    struct bench b;
    enum tare_status status = chosen ? choose_room(&s, err) : err_no_memory(err);
    for (int i = 0, n = 0; !status && i < g->n; i++) /* the names of all are among the facts */
        n += chosen[i] = g->items[i].kind == GATE_EQUAL && n < PLAN_SUBJECTS_MAX;
    for (int i = 0; !status && i < g->n_programs; i++)
        status = add_side(&s, i, GATE_BASE) ? TARE_OK : err_no_memory(err);
    if (!status)
        status = gate_bench_options(g, 1, 0, &o, err);
    if (status || !s.n_programs)
        return status;
    bench_begin(&b, g->cli, &o);
    status = write_equal(&s, &b, err);
    run_close(&b.run);
    return status;
}

/* The command in both work trees, which are there. */
static enum tare_status measure_command(struct session_of *s, struct cli *cli, struct run_options *o, struct tare_err *err)
{
    struct run run = {.cli = cli, .o = o, .ready = &s->g->rs};
    const struct option_list *words = &s->g->o->command;
    cli->operands = (struct option_operands){.items = words->items, .n = words->n};
    record_init(&run.record);
    join_session(s, &run);
    enum tare_status status = run_describe(&run, err);
    run.exec_options.no_advice = true;
    if (!status)
        status = measure_session(s, &run, err);
    end_session(s, &run);
    return status;
}

static enum tare_status make_session(struct session_of *s, struct tare_err *err)
{
    struct gate *g = s->g;
    const bool command = g->o->command.n > 0;
    struct bench_options o;
    struct run_options run;
    struct cli quiet = *g->cli;
    enum tare_status status = choose_programs(s, err);
    if (!status)
        status = command ? gate_run_options(g, s->runs, s->max_time_ns, &run, err)
                         : gate_bench_options(g, s->runs, s->max_time_ns, &o, err);
    if (status)
        return status;
    quiet.out = g->o->display.verbose > 1 ? g->cli->talk : sink_nowhere;
    (command ? &run : &o.run)->display.quiet = g->o->display.quiet || s->phase != GATE_SCREEN;
    return command ? measure_command(s, &quiet, &run, err) : measure_programs(s, &quiet, &o, err);
}

static double left_s(struct gate *g)
{
    return (double)(g->o->max_time_ns - spent_ns(&g->spent)) / 1e9;
}

bool gate_asked(const struct gate_benchmark *b)
{
    return b->kind == GATE_BOTH && !b->control && (!b->c->accepted || b->c->failure);
}

static enum tare_status session(struct gate *g, enum gate_phase phase, bool *chosen, int rounds, double most_s,
                                struct tare_err *err)
{
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        chosen[i] = chosen[i] && g->items[i].kind == GATE_BOTH && !g->items[i].c->failure;
        n += chosen[i];
    }
    struct session_of s = {.g = g, .phase = phase, .chosen = chosen, .runs = rounds, .max_time_ns = (int64_t)(most_s * 1e9)};
    return n && rounds > 0 && s.max_time_ns > 0 && g->n_sessions < GATE_SESSIONS_MAX ? make_session(&s, err) : TARE_OK;
}

/* Rounds that all benchmarks have. */
static int fewest_screened(const struct gate *g)
{
    int n = GATE_FIRST_MOST;
    for (int i = 0; i < g->n; i++)
        if (g->items[i].kind == GATE_BOTH && !g->items[i].c->failure && g->items[i].c->n_screen < n)
            n = g->items[i].c->n_screen;
    return n;
}

/* All benchmarks. Where its share of the time has not the fewest rounds that give a bound, it gets the rest. */
static enum tare_status screen_all(struct gate *g, bool *chosen, struct tare_err *err)
{
    for (int i = 0; i < g->n; i++)
        chosen[i] = true;
    enum tare_status status =
        session(g, GATE_SCREEN, chosen, GATE_FIRST_MOST, GATE_FIRST_SHARE * (double)g->o->max_time_ns / 1e9, err);
    const int n = fewest_screened(g);
    return status || n >= GATE_FIRST_FEWEST ? status : session(g, GATE_NARROW, chosen, GATE_FIRST_FEWEST - n, left_s(g), err);
}

static enum tare_status narrow_down(struct gate *g, bool *chosen, struct tare_err *err)
{
    const double total_s = (double)g->o->max_time_ns / 1e9;
    enum tare_status status = TARE_OK;
    while (!status && g->n_sessions < GATE_SESSIONS_MAX - 1) {
        const int rounds = gate_second(g->cases, g->cost_s, g->n, left_s(g), total_s, GATE_ALPHA, chosen);
        if (rounds <= 0)
            break;
        status = session(g, GATE_NARROW, chosen, rounds,
                         gate_second_most(g->cases, g->cost_s, g->n, left_s(g), total_s, chosen, rounds), err);
    }
    return status;
}

static enum tare_status confirm_slower(struct gate *g, bool *chosen, struct tare_err *err)
{
    const int rounds = gate_third(g->cases, g->cost_s, g->n, left_s(g), GATE_ALPHA, chosen);
    return session(g, GATE_CONFIRM, chosen, rounds, left_s(g), err);
}

static enum tare_status make_room(struct gate *g, struct tare_err *err)
{
    for (int i = 0; i < g->n; i++) {
        struct gate_benchmark *b = &g->items[i];
        for (int k = 0; k < 2; k++)
            if (!b->values[k] && !(b->values[k] = arena_array(g->cli->arena, GATE_ROUNDS_MOST, sizeof *b->values[k])))
                return err_no_memory(err);
        b->c->screen = b->values[0];
        b->c->confirm = b->values[1];
    }
    return TARE_OK;
}

enum tare_status gate_measure(struct gate *g, struct tare_err *err)
{
    bool *chosen = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *chosen);
    enum tare_status status = chosen ? make_room(g, err) : err_no_memory(err);
    g->spent.start_ns = g->spent.last_ns = plat_now_ns();
    if (!status)
        status = screen_all(g, chosen, err);
    if (!status)
        status = narrow_down(g, chosen, err);
    if (!status)
        status = confirm_slower(g, chosen, err);
    g->seconds = (double)spent_ns(&g->spent) / 1e9;
    return status;
}

void gate_forget(struct gate *g)
{
    for (int i = 0; i < g->n; i++) {
        struct gate_case *c = g->items[i].c;
        c->n_screen = c->n_confirm = c->n_looks = 0;
        c->failure = NULL;
        g->items[i].injected = 0;
    }
    g->n_sessions = 0;
    g->disturbance = NULL;
    gate_drop_records(g);
}

void gate_drop_records(struct gate *g)
{
    while (g->n_records)
        record_finish(&g->records[--g->n_records]);
}

double gate_largest_of(const struct gate *g)
{
    struct gate_result *results = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *results);
    for (int i = 0; results && i < g->n; i++)
        results[i] = g->items[i].result;
    return results ? gate_largest(g->cases, g->n, GATE_ALPHA, results) : -INFINITY;
}

bool gate_nothing_to_ask(const struct gate *g)
{
    bool any = false;
    for (int i = 0; i < g->n; i++) {
        if (gate_asked(&g->items[i]))
            return false;
        any = any || g->items[i].kind == GATE_EQUAL ||
              (g->items[i].kind == GATE_BOTH && g->items[i].c->accepted && !g->items[i].control);
    }
    return any;
}

/* Of many benchmarks some have a bound below 0 by chance: Bonferroni. */
static void find_faster(struct gate *g, struct gate_result *room)
{
    int asked = 0;
    for (int i = 0; i < g->n; i++)
        asked += gate_asked(&g->items[i]);
    if (asked)
        gate_answer(g->cases, g->n, GATE_ALPHA / asked, room);
    for (int i = 0; i < g->n; i++)
        g->items[i].faster = asked && gate_asked(&g->items[i]) && room[i].high <= -g->cases[i].limit;
}

void gate_conclude(struct gate *g)
{
    struct gate_result *results = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *results);
    g->verdict = GATE_NO_RESULT;
    for (int i = 0; results && i < g->n; i++)
        if (g->items[i].kind == GATE_BOTH && !g->items[i].c->failure && !g->items[i].c->n_screen)
            g->items[i].c->failure = "no complete round was measured; raise --max-time";
    if (results)
        g->verdict = gate_answer(g->cases, g->n, GATE_ALPHA, results);
    for (int i = 0; results && i < g->n; i++)
        g->items[i].result = results[i];
    if (results)
        g->advice = gate_advise(g->cases, results, g->cost_s, g->n, g->seconds, (double)g->o->max_time_ns / 1e9, GATE_ALPHA);
    if (results)
        find_faster(g, results);
    if (gate_nothing_to_ask(g))
        g->verdict = GATE_PASS;
}

enum exit_code gate_code(enum gate_verdict v)
{
    return v == GATE_PASS ? EXIT_ANSWERED : v == GATE_FAIL ? EXIT_BAD : v == GATE_CANNOT_TELL ? EXIT_UNDECIDED : EXIT_CHILD;
}
