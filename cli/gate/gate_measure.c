/* SPDX-License-Identifier: MIT
 *
 * The three sessions of a gate. The first measures all benchmarks of both builds in interleaved rounds. The second spends what is left on those
 * of which it is not yet clear that they are no slower than allowed. The third measures each slowdown that the others nominated once more, with
 * processes and an order of its own, and its data alone decide. */
#include "gate_session.h"
#include <math.h>
#include <string.h>

const char *const gate_phase_names[GATE_PHASES] = {"screen", "narrow", "confirm"};

/* Rounds of a session; a second or third one gets as many more as its benchmarks need. */
enum { SCREEN_ROUNDS = 20, FEWEST_ROUNDS = 10, MOST_ROUNDS = 60, CONFIRM_ROUNDS = 30, ROUNDS_ROOM = 200 };
/* Shares of --max-time: at most so much for the first, and so much is left for the third where something was nominated. */
#define SCREEN_SHARE  0.45
#define CONFIRM_SHARE 0.35

/* ---- one session ---- */

struct session_of { /* benchmarks of a gate that share a session */
    struct gate *g;
    enum gate_phase phase;
    const bool *chosen; /* of g->items */
    int runs;
    int64_t max_time_ns;
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

static enum tare_status choose_programs(struct session_of *s, struct tare_err *err)
{
    struct arena *a = s->g->cli->arena;
    const size_t programs = 2 * (size_t)s->g->n_programs, subjects = 2 * (size_t)s->g->n;
    s->programs = arena_array(a, programs, sizeof *s->programs);
    s->item = arena_array(a, subjects, sizeof *s->item);
    s->side = arena_array(a, subjects, sizeof *s->side);
    bool good = s->programs && s->item && s->side;
    for (int i = 0; good && i < s->g->n_programs; i++)
        good = add_side(s, i, GATE_BASE) && add_side(s, i, GATE_HEAD);
    return good ? TARE_OK : err_no_memory(err);
}

/* ---- what it found ---- */

static const char *failure_of(const struct session_of *s, const struct record *r, int subject)
{
    const struct subject *of = &r->subjects[subject];
    return of->failure ? arena_format(s->g->cli->arena, "%s: %s", gate_side_names[s->side[subject]], of->failure) : NULL;
}

static void take_failure(struct session_of *s, const struct record *r, int base, int head)
{
    struct gate_benchmark *b = &s->g->items[s->item[head]];
    const bool skipped[2] = {subject_skipped(&r->subjects[base]), subject_skipped(&r->subjects[head])};
    if (skipped[GATE_BASE] && skipped[GATE_HEAD])
        b->kind = GATE_SKIPPED;
    else if (r->subjects[head].failure)
        b->c.failure = failure_of(s, r, head);
    else
        b->c.failure = failure_of(s, r, base);
}

/* ln(head / base) of the rounds that both have. */
static int take_ratios(const struct record *r, int base, int head, double *out, int room)
{
    const struct series *x = &r->series[base], *y = &r->series[head];
    const double *of_base = series_values(x, r->rule.metric), *of_head = series_values(y, r->rule.metric);
    int n = 0;
    for (int i = 0, k = 0; of_base && of_head && i < x->main.n && k < y->main.n && n < room;) {
        const int32_t round = x->main.round[i], other = y->main.round[k];
        if (round == other && of_base[i] > 0 && of_head[k] > 0)
            out[n++] = log(of_head[k] / of_base[i]);
        i += round <= other;
        k += other <= round;
    }
    return n;
}

static double median_ns(const struct record *r, int subject)
{
    const struct estimate *e = record_estimate(r, subject, r->rule.metric, "median");
    return e ? e->point : NAN;
}

static void take_benchmark(struct session_of *s, const struct record *r, int base, int head)
{
    struct gate_benchmark *b = &s->g->items[s->item[head]];
    struct gate_case *c = &b->c;
    if (r->subjects[base].failure || r->subjects[head].failure) {
        take_failure(s, r, base, head);
        return;
    }
    if (s->phase == GATE_CONFIRM) {
        c->n_confirm += take_ratios(r, base, head, b->values[1] + c->n_confirm, ROUNDS_ROOM - c->n_confirm);
        return;
    }
    c->n_screen += take_ratios(r, base, head, b->values[0] + c->n_screen, ROUNDS_ROOM - c->n_screen);
    if (s->phase != GATE_SCREEN)
        return;
    c->n_first = c->n_screen;
    b->ns[GATE_BASE] = median_ns(r, base);
    b->ns[GATE_HEAD] = median_ns(r, head);
}

static void take_all(struct session_of *s, const struct record *r)
{
    const int n = count_chosen(s);
    const double round_s = r->rounds > 0 && n > 0 ? r->seconds / r->rounds / n : NAN;
    for (int i = 0; i < s->n; i++) {
        const int base = r->subjects[i].reference;
        if (s->side[i] != GATE_HEAD || base < 0)
            continue;
        take_benchmark(s, r, base, i);
        if (isfinite(round_s))
            s->g->items[s->item[i]].round_s = round_s;
    }
    s->g->sessions[s->g->n_sessions++] = (struct gate_session){s->phase, n, r->rounds, r->seconds};
}

/* ---- making it ---- */

static enum tare_status discard(void *context, const void *bytes, size_t n, struct tare_err *err)
{
    (void)context, (void)bytes, (void)n, (void)err;
    return TARE_OK;
}

static enum tare_status add_limit(struct record *r, const struct gate *g)
{
    struct buf b = BUF_INIT(1 << 16);
    for (int i = 0; i < g->o->limits.n; i++)
        buf_format(&b, "%s%s", i ? " " : "", g->o->limits.items[i]);
    enum tare_status status = facts_add_text(r, &r->build, "gate_limits", b.len ? buf_text(&b) : "2%");
    buf_clear(&b);
    for (int i = 0; i < g->o->accepted.n; i++)
        buf_format(&b, "%s%s", i ? " " : "", g->o->accepted.items[i]);
    if (!status && b.len)
        status = facts_add_text(r, &r->build, "gate_accepted", buf_text(&b));
    buf_clear(&b);
    for (int i = 0; i < g->o->controls.n; i++)
        buf_format(&b, "%s%s", i ? " " : "", g->o->controls.items[i]);
    if (!status && b.len)
        status = facts_add_text(r, &r->build, "gate_controls", buf_text(&b));
    buf_finish(&b);
    return status;
}

/* For run.described: what the record says of the gate that it is a part of. */
static enum tare_status describe(void *context, struct run *run, struct tare_err *err)
{
    const struct session_of *s = context;
    struct record *r = &run->record;
    enum tare_status status = revisions_describe(&s->g->rs, r);
    if (!status)
        status = facts_add_text(r, &r->build, "gate_phase", gate_phase_names[s->phase]);
    if (!status)
        status = add_limit(r, s->g);
    return status ? err_no_memory(err) : TARE_OK;
}

static uint64_t seed_of(const struct gate *g, enum gate_phase phase)
{
    return g->o->seed + phase;
}

static enum tare_status measure(struct session_of *s, struct run *run, struct tare_err *err)
{
    struct gate *g = s->g;
    const enum exit_code code = run_session(run);
    g->signal_number = run->session.signal_number ? run->session.signal_number : plat_signal();
    if (g->signal_number)
        return err_set(err, TARE_INTERRUPTED, "interrupted while measuring");
    if (run->record.ended && run->record.rounds > 0)
        take_all(s, &run->record);
    if (code == EXIT_TOOL || code == EXIT_USAGE)
        return err_set(err, TARE_IO, "the measurement could not be made");
    return TARE_OK;
}

/* The record of the first stays until the end. */
static void end_session(struct session_of *s, struct run *run)
{
    struct gate *g = s->g;
    if (s->phase == GATE_SCREEN && !g->has_first) {
        g->first = run->record;
        g->has_first = true;
        record_init(&run->record);
    }
    run_close(run);
}

static enum tare_status make_session(struct session_of *s, struct tare_err *err)
{
    struct gate *g = s->g;
    struct bench_options o;
    struct bench b;
    struct cli quiet = *g->cli;
    enum tare_status status = choose_programs(s, err);
    if (!status)
        status = gate_bench_options(g, s->runs, s->max_time_ns, &o, err);
    if (status)
        return status;
    if (GATE_GIVEN(g->o, seed)) {
        o.run.seed = seed_of(g, s->phase);
    }
    quiet.out = g->o->display.verbose > 0 ? g->cli->talk : (struct sink){.write = discard};
    o.run.display.quiet = g->o->display.quiet || s->phase != GATE_SCREEN;
    bench_begin(&b, &quiet, &o);
    b.given = s->programs;
    b.n_given = s->n_programs;
    b.run.described = describe;
    b.run.context = s;
    b.run.lent_save = g->save;
    status = bench_describe(&b, err);
    if (!status)
        status = measure(s, &b.run, err);
    end_session(s, &b.run);
    return status;
}

/* ---- the phases ---- */

static int64_t left_ns(const struct gate *g)
{
    return g->begun_ns + g->o->max_time_ns - plat_now_ns();
}

static bool open(const struct gate_benchmark *b)
{
    return b->kind == GATE_BOTH && !b->c.failure;
}

bool gate_asked(const struct gate_benchmark *b)
{
    return b->kind == GATE_BOTH && !b->c.control && !b->c.accepted;
}

static enum tare_status screen(struct gate *g, bool *chosen, struct tare_err *err)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        n += chosen[i] = open(&g->items[i]);
    if (!n)
        return TARE_OK;
    struct session_of s = {.g = g, .phase = GATE_SCREEN, .chosen = chosen, .runs = SCREEN_ROUNDS,
                           .max_time_ns = (int64_t)(SCREEN_SHARE * (double)g->o->max_time_ns)};
    return make_session(&s, err);
}

static int count_nominated(const struct gate *g, bool *chosen)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        n += chosen[i] = open(&g->items[i]) && gate_asked(&g->items[i]) && gate_nominated(&g->items[i].c);
    return n;
}

/* Those that need fewest rounds first, as far as the time goes. */
static enum tare_status narrow(struct gate *g, bool *chosen, struct tare_err *err)
{
    const int64_t kept_ns = count_nominated(g, chosen) ? (int64_t)(CONFIRM_SHARE * (double)g->o->max_time_ns) : 0;
    double budget_s = (double)(left_ns(g) - kept_ns) / 1e9, round_s = 0;
    int rounds = 0;
    memset(chosen, 0, (size_t)g->n * sizeof *chosen);
    for (;;) {
        int best = -1;
        double needed = MOST_ROUNDS;
        for (int i = 0; i < g->n; i++) {
            const double n = chosen[i] || !open(&g->items[i]) || !gate_asked(&g->items[i]) ? 0 : gate_rounds_needed(&g->items[i].c);
            if (n > 0 && n <= needed) {
                needed = n;
                best = i;
            }
        }
        const int more = best < 0 ? 0 : needed < FEWEST_ROUNDS ? FEWEST_ROUNDS : (int)ceil(needed);
        if (best < 0 || (round_s + g->items[best].round_s) * (more > rounds ? more : rounds) > budget_s)
            break;
        chosen[best] = true;
        round_s += g->items[best].round_s;
        rounds = more > rounds ? more : rounds;
    }
    if (!rounds)
        return TARE_OK;
    struct session_of s = {.g = g, .phase = GATE_NARROW, .chosen = chosen, .runs = rounds, .max_time_ns = (int64_t)(budget_s * 1e9)};
    return make_session(&s, err);
}

static enum tare_status confirm(struct gate *g, bool *chosen, struct tare_err *err)
{
    if (!count_nominated(g, chosen) || left_ns(g) <= 0)
        return TARE_OK;
    struct session_of s = {.g = g, .phase = GATE_CONFIRM, .chosen = chosen, .runs = CONFIRM_ROUNDS, .max_time_ns = left_ns(g)};
    return make_session(&s, err);
}

static enum tare_status make_room(struct gate *g, struct tare_err *err)
{
    for (int i = 0; i < g->n; i++) {
        struct gate_benchmark *b = &g->items[i];
        for (int k = 0; k < 2; k++)
            if (!(b->values[k] = arena_array(g->cli->arena, ROUNDS_ROOM, sizeof *b->values[k])))
                return err_no_memory(err);
        b->c.screen = b->values[0];
        b->c.confirm = b->values[1];
    }
    return TARE_OK;
}

enum tare_status gate_measure(struct gate *g, struct tare_err *err)
{
    bool *chosen = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *chosen);
    enum tare_status status = chosen ? make_room(g, err) : err_no_memory(err);
    g->begun_ns = plat_now_ns();
    if (!status)
        status = screen(g, chosen, err);
    if (!status)
        status = narrow(g, chosen, err);
    if (!status)
        status = confirm(g, chosen, err);
    g->seconds = (double)(plat_now_ns() - g->begun_ns) / 1e9;
    return status;
}

/* ---- the answer ---- */

static bool measured(const struct gate_benchmark *b)
{
    return b->kind == GATE_BOTH;
}

static bool any_equal(const struct gate *g)
{
    for (int i = 0; i < g->n; i++)
        if (g->items[i].kind == GATE_EQUAL)
            return true;
    return false;
}

void gate_conclude(struct gate *g)
{
    struct gate_case *cases = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *cases);
    struct gate_result *results = arena_array(g->cli->arena, (size_t)g->n + 1, sizeof *results);
    int n = 0, asked = 0;
    g->verdict = GATE_NO_RESULT;
    if (!cases || !results)
        return;
    for (int i = 0; i < g->n; i++)
        if (measured(&g->items[i])) {
            if (!g->items[i].c.failure && !g->items[i].c.n_screen)
                g->items[i].c.failure = "no complete round was measured; raise --max-time";
            cases[n++] = g->items[i].c;
            asked += gate_asked(&g->items[i]);
        }
    g->verdict = gate_answer(cases, n, 0.05, results);
    for (int i = 0, k = 0; i < g->n; i++)
        if (measured(&g->items[i]))
            g->items[i].result = results[k++];
    if (!asked && any_equal(g))
        g->verdict = GATE_PASS;
}

enum exit_code gate_code(enum gate_verdict v)
{
    return v == GATE_PASS ? EXIT_ANSWERED : v == GATE_FAIL ? EXIT_BAD : v == GATE_CANNOT_TELL ? EXIT_UNDECIDED : EXIT_CHILD;
}
