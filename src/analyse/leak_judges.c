/* SPDX-License-Identifier: MIT */
#include "leak_judges.h"
#include "buf.h"
#include "fnv.h"
#include "leak_engine.h"
#include "leak_method.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NULL: no memory */
static struct leak_judge *leak_judge_create(const struct rule *rule)
{
    struct leak_judge *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->rule = rule;
    j->cycles_per_tick = NAN;
    j->why_no_core = "";
    j->dit = -1;
    j->class_text = j->facts_text = j->dit_text = BUF_INIT(1 << 16);
    return j;
}

/* NULL is fine */
static void leak_judge_destroy(struct leak_judge *j)
{
    if (!j)
        return;
    if (j->method)
        j->method->destroy(j->state);
    buf_finish(&j->class_text);
    buf_finish(&j->facts_text);
    buf_finish(&j->dit_text);
    free(j->ticks);
    arena_finish(&j->arena);
    free(j);
}

static int by_ticks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Median of the first calls of the report; class -1: of all. NaN: there are none. */
static double median_of_first(const struct leak_report *r, int class, bool drawn)
{
    enum { CALLS = 2000 };
    uint32_t ticks[CALLS];
    double sorted[CALLS];
    size_t taken = 0;
    struct wire_reader reader = {r->bytes, r->n, 0};
    struct wire_frame f;
    while (taken < CALLS && !wire_next(&reader, &f, NULL)) {
        bool blocks = f.type == WIRE_BLOCKS && (f.u.blocks.kind == WIRE_MAIN || f.u.blocks.kind == WIRE_GROWTH_SIZES);
        bool calls = f.type == WIRE_CALLS && f.u.calls.kind == WIRE_MAIN;
        size_t n = blocks ? (size_t)f.u.blocks.n * f.u.blocks.k : calls ? f.u.calls.n : 0;
        for (size_t i = 0; i < n && taken < CALLS; i++)
            if (!blocks || class < 0 || f.u.blocks.classes[i] == class)
                ticks[taken++] = wire_ticks_at(blocks ? f.u.blocks.ticks : f.u.calls.ticks, i);
    }
    qsort(ticks, taken, sizeof *ticks, by_ticks);
    for (size_t i = 0; i < taken; i++)
        sorted[i] = ticks[i];
    return !taken ? NAN : drawn ? leak_mid_median(sorted, (int)taken) : ticks[taken / 2];
}

static enum tare_status take_names(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    buf_clear(&j->class_text);
    j->n_classes = (int)t->n_classes;
    j->secret_bytes = (int)t->secret_bytes;
    j->classes = arena_array(&j->arena, t->n_classes + 1, sizeof *j->classes);
    for (uint32_t i = 0; j->classes && i < t->n_classes; i++)
        if (!(j->classes[i] = arena_strdup(&j->arena, t->classes[i])))
            return err_no_memory(err);
    for (int i = 0; j->classes && i < j->n_classes; i++)
        buf_format(&j->class_text, "%s%s", i ? ", " : "", j->classes[i]);
    return j->classes ? TARE_OK : err_no_memory(err);
}

/* What the times of all processes must share to be counted together. */
static uint64_t terms_of(const struct wire_target *t)
{
    const uint32_t numbers[] = {t->input_bytes, t->secret_at, t->secret_bytes, t->n_classes, t->n_sizes};
    uint64_t hash = fnv1a64(FNV1A64_EMPTY, numbers, sizeof numbers);
    hash = fnv1a64(hash, t->sizes, t->n_sizes * sizeof *t->sizes);
    for (uint32_t i = 0; i < t->n_classes; i++)
        hash = fnv1a64(hash, t->classes[i], strlen(t->classes[i]) + 1);
    return hash;
}

/* Times are ticks of the first process's clock, and a margin too. */
static enum tare_status hold_terms(const struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    if (j->terms != terms_of(&r->target))
        return err_set(err, TARE_FORMAT, "its classes, its input or its sizes are not those of the processes before");
    if (strncmp(j->clock, r->clock.name, sizeof j->clock - 1) != 0 || fabs(r->clock.hz / j->hz - 1) > .05)
        return err_set(err, TARE_FORMAT,
                       "its clock is %.20s with %.4g ticks a second, and was %.20s with %.4g: choose one with --clock",
                       r->clock.name, r->clock.hz, j->clock, j->hz);
    return TARE_OK;
}

static const struct leak_method *method_of(const struct rule *u)
{
    static const struct leak_method *const of_kinds[] = {&leak_by_scan, &leak_by_growth};
    for (size_t i = 0; i < sizeof of_kinds / sizeof *of_kinds; i++)
        if (!strcmp(of_kinds[i]->kind, u->leaks.kind))
            return of_kinds[i];
    return u->leaks.dudect ? &leak_by_dudect : &leak_by_pairs; /* of a file with times too */
}

static enum tare_status begin_target(struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    const struct leak_method *method = method_of(j->rule);
    j->hz = r->clock.hz;
    j->terms = terms_of(&r->target);
    j->repeat = r->end.repeat ? r->end.repeat : 1;
    const bool phase_unknown = !strcmp(j->rule->leaks.kind, "csv") || r->end.facts & WIRE_FIXED_PHASE;
    j->step_ticks = phase_unknown && r->clock.step_ticks > 0 ? r->clock.step_ticks : 0;
    j->drawn_step_ticks = r->end.facts & WIRE_DRAWN_PHASE && r->clock.step_ticks > 0 ? r->clock.step_ticks : 0;
    j->own_inputs = r->end.facts & WIRE_OWN_INPUTS;
    struct buf clock = buf_over(j->clock, sizeof j->clock);
    buf_str(&clock, r->clock.name ? r->clock.name : "");
    j->pair_ticks = isfinite(r->end.pair_ticks) ? r->end.pair_ticks : 0;
    const int smallest = r->target.n_sizes && !r->target.sizes[0];
    j->typical_ticks = median_of_first(r, method->sizes ? smallest : -1, j->drawn_step_ticks > 0) - j->pair_ticks;
    enum tare_status status = take_names(j, &r->target, err);
    if (!status)
        status = method->create(j, &r->target, err);
    if (status) {
        method->destroy(j->state);
        j->state = NULL;
        return status;
    }
    j->method = method;
    j->growth_calls = method->sizes ? (int)r->target.n_sizes : 0;
    return TARE_OK;
}

static bool room_for(struct leak_judge *j, size_t n)
{
    if (n <= j->room)
        return true;
    free(j->ticks);
    j->ticks = malloc(n * sizeof *j->ticks);
    j->room = j->ticks ? n : 0;
    return j->ticks != NULL;
}

static enum tare_status take_blocks(struct leak_judge *j, const struct wire_blocks *b, struct tare_err *err)
{
    const size_t n = (size_t)b->n * b->k;
    const bool check = b->kind == WIRE_AA || b->kind == WIRE_SPIKE;
    if (b->repeat != j->repeat)
        return err_set(err, TARE_FORMAT, "%u calls per reading, where %g were before", b->repeat, j->repeat);
    if (b->kind >= WIRE_BLOCKS_KINDS || !j->method->blocks || (!check && (b->kind == WIRE_GROWTH_SIZES) != j->method->sizes))
        return err_set(err, TARE_FORMAT, "blocks of a kind that was not asked for");
    if (!room_for(j, n))
        return err_set(err, TARE_NO_MEMORY, "no memory for %zu times", n);
    j->last_blocks += check ? 0 : b->n;
    wire_ticks_copy(b->ticks, n, j->ticks);
    return j->method->blocks(j, b, j->ticks, err);
}

static enum tare_status take_calls(struct leak_judge *j, const struct wire_calls *c, struct tare_err *err)
{
    if (!j->method->calls || (int)c->secret_bytes != j->secret_bytes || c->repeat != j->repeat)
        return err_set(err, TARE_FORMAT, "calls of a kind that was not asked for");
    if (!room_for(j, c->n))
        return err_set(err, TARE_NO_MEMORY, "no memory for %u times", c->n);
    j->last_blocks += c->kind == WIRE_MAIN ? c->n : 0;
    wire_ticks_copy(c->ticks, c->n, j->ticks);
    j->method->calls(j, c, j->ticks);
    return TARE_OK;
}

static enum tare_status take_frames(struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    struct wire_reader reader = {r->bytes, r->n, 0};
    struct wire_frame f;
    enum tare_status status = TARE_OK;
    while (!status && !wire_next(&reader, &f, NULL))
        status = f.type == WIRE_BLOCKS  ? take_blocks(j, &f.u.blocks, err)
                 : f.type == WIRE_CALLS ? take_calls(j, &f.u.calls, err)
                                        : TARE_OK;
    return status;
}

/* An add takes a cycle, and those that run beside the call none: what the next process is to plant follows from their number, however long it is to
 * be. The processes together tell it better than one: what a single one weighs is off by as much as it is wrong about a branch. */
static void take_spike(struct leak_judge *j, const struct wire_target_end *e)
{
    const double beside = e->spike_cycles - e->spike_ticks * j->cycles_per_tick;
    if (!isfinite(beside))
        return;
    j->spikes.n++;
    j->spikes.beside += (fmax(-e->spike_cycles, fmin(e->spike_cycles, beside)) - j->spikes.beside) / j->spikes.n;
}

/* The process's own figure, of several chains around its calls; that of a single chain before it may have been interrupted. NaN: not known. */
static double core_hz(const struct leak_report *r)
{
    return r->end.core_hz > 0 ? r->end.core_hz : r->core_hz > 0 ? r->core_hz : NAN;
}

enum tare_status leak_judge_take(struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    j->last_blocks = 0;
    if (core_hz(r) > 0)
        j->cycles_per_tick = core_hz(r) / r->clock.hz;
    j->why_no_core = r->clock.core || !r->clock.no_core ? "" : r->clock.no_core;
    enum tare_status status = j->method ? hold_terms(j, r, err) : begin_target(j, r, err);
    if (!status && j->repeat > 1 && j->own_inputs != !!(r->end.facts & WIRE_OWN_INPUTS))
        status = err_set(err, TARE_FORMAT, "its calls were repeated with one input before, and have their own now: start anew");
    if (!status)
        status = take_frames(j, r, err);
    if (!status) {
        struct leak_facts facts = leak_facts_none();
        facts.classes_equal = r->end.facts & WIRE_EQUAL_CLASSES;
        facts.not_deterministic = r->end.facts & WIRE_NOT_DETERMINISTIC;
        facts.wrote_outside = r->end.facts & WIRE_WROTE_OUTSIDE;
        facts.spike_ticks = r->end.spike_ticks * j->repeat; /* a bracket has one for each call */
        facts.step_ticks = r->clock.step_ticks;
        facts.cpu = r->cpu;
        facts.cycles_per_tick = core_hz(r) / r->clock.hz;
        take_spike(j, &r->end);
        j->method->end_process(j->state, &facts);
        j->calls += (int64_t)r->end.calls;
        j->elapsed_ns += r->end.elapsed_ns;
        j->saturated += (int64_t)r->end.saturated;
        j->migrated += (int64_t)r->end.migrated;
        j->facts |= r->end.facts;
        j->dit = (int)r->target.dit;
        struct buf b = buf_over(j->dit_words, sizeof j->dit_words);
        buf_str(&b, r->target.dit_words ? r->target.dit_words : "");
    }
    return status;
}

static const struct {
    uint32_t fact;
    const char *says;
} facts[] = {{WIRE_EQUAL_CLASSES, "two classes give the same input"},
             {WIRE_NOT_DETERMINISTIC, "the same input gives two results"},
             {WIRE_READ_OUTSIDE, "it reads outside of its input"},
             {WIRE_WROTE_OUTSIDE, "it writes outside of its input"},
             {WIRE_INPUT_CHANGED, "it changes its input"},
             {WIRE_ALLOCATED, "it allocates memory, whose time depends on what was allocated before"},
             {WIRE_TOO_COARSE, "the clock is too coarse for it"},
             {WIRE_TOO_SLOW, "the time of a process was over after fewer than two blocks of calls"},
             {WIRE_LONG_READINGS, "so many calls in a reading last longer than a process"}};

static const char *dit_word(enum wire_dit dit)
{
    static const char *const words[WIRE_DITS] = {"unknown", "absent", "off", "on"};
    return words[dit];
}

/* What all reports said beside the times. */
static void put_tally(struct leak_judge *j, struct leak_target *t)
{
    struct buf *said = &j->facts_text, *dit = &j->dit_text;
    buf_clear(said);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (j->facts & facts[i].fact)
            buf_format(said, "%s%s", said->len ? "; " : "", facts[i].says);
    buf_clear(dit);
    if (j->dit >= 0 && j->dit < WIRE_DITS) {
        buf_str(dit, dit_word((enum wire_dit)j->dit));
        if (j->dit_words[0])
            buf_format(dit, " (%s)", j->dit_words);
    }
    t->calls = (double)j->calls;
    t->seconds = (double)j->elapsed_ns / 1e9;
    t->saturated = (double)j->saturated;
    t->migrated = (double)j->migrated;
    t->ticks_hz = j->hz;
    t->repeat = j->repeat;
    t->cycles_per_tick = j->cycles_per_tick;
    t->facts = said->len ? buf_text(said) : NULL;
    t->dit = dit->len ? buf_text(dit) : NULL;
    t->classes = j->class_text.len ? buf_text(&j->class_text) : NULL;
}

/* All figures, and the texts that the times and the reports say; those of program, processor and ledger are the caller's. Before the first report:
 * undecided. *t was initialised. Texts live as long as the judge. */
static void leak_judge_read(struct leak_judge *j, struct leak_target *t)
{
    t->kind = j->rule->leaks.kind;
    t->cache = j->rule->leaks.cache;
    t->tolerated_advantage = j->rule->leaks.advantage;
    t->exact = j->rule->leaks.exact;
    t->verdict = VERDICT_UNDECIDED;
    if (!j->method)
        return;
    put_tally(j, t);
    j->method->read(j, t);
    const bool first = t->blocks < 2 || t->growth_processes < 2; /* much of what there is was warm-up */
    const double had = t->blocks + (first ? j->now.warmup : 0);
    if (t->blocks_needed > 0 && had > 0)
        t->seconds_needed = t->blocks_needed * t->seconds / had;
    if (j->rule->leaks.max_calls > 0 && t->calls >= j->rule->leaks.max_calls)
        t->decided = true;
}

struct leak_judge_figures leak_judge_figures(const struct leak_judge *j)
{
    return (struct leak_judge_figures){j->now.log_e, j->clock, j->calls, j->last_blocks};
}

/* One that did not show is planted twice as long, and so on. */
double leak_judge_spike_ns(const struct leak_judge *j)
{
    const double ticks = j->now.margin_ticks;
    return ticks > 0 && isfinite(ticks) ? ticks * leak_ns_per_tick(j) * ldexp(1, j->now.replanted) : 0;
}

int leak_judge_spike_adds(const struct leak_judge *j, double spike_ns)
{
    if (!j->spikes.n || !(spike_ns > 0))
        return 0;
    const double adds = spike_ns * j->hz / 1e9 * j->cycles_per_tick + fmax(0, j->spikes.beside);
    return (int)fmax(1, fmin(round(adds), WIRE_SPIKE_ADDS_MAX));
}

int leak_judge_selfcheck(const struct leak_judge *j, int asked)
{
    enum { GROWTH_MOST = 30 };
    /* a block of growth has many calls, one of the checks two: a like share of the time */
    const int like = asked * j->growth_calls / 2;
    const int growth = like < GROWTH_MOST ? like : GROWTH_MOST, wanted = j->growth_calls ? growth : j->now.share_wanted;
    return wanted > asked ? wanted : asked;
}

double leak_judge_visible_ns(const struct leak_judge *j, double seconds)
{
    const double took = (double)j->elapsed_ns / 1e9, n = j->now.blocks;
    return n > 0 && took > 0 && j->method->visible_ticks
               ? j->method->visible_ticks(j->state, (int64_t)fmax(1, n * seconds / took)) * leak_ns_per_tick(j)
               : NAN;
}

int leak_judge_draw(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart out[LEAK_CHARTS_MAX])
{
    return j->method ? j->method->draw(j, t, arena, out) : 0;
}

/* Of times that something else measured each file is a run. */
static bool of_file(const struct record *r)
{
    return r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "csv");
}

struct leak_run leak_run_of(const struct record *r, const struct leak_target *t, double log_e)
{
    struct leak_run run = {.log_e = log_e, .leak = t->verdict == VERDICT_LEAK, .seed = r->seed};
    struct buf data = buf_over(run.data, sizeof run.data);
    const struct rule_leaks *u = &r->rule.leaks;
    const char *parts[] = {r->subjects[t->subject].command,
                           of_file(r) ? "" : t->program_hash,
                           t->cpu,
                           t->classes,
                           u->kind,
                           u->cache,
                           u->noise ? "noise" : "", /* as it was when there was --noise: the lines of ledgers from then count */
                           u->dit ? "dit" : ""};
    uint64_t hash = FNV1A64_EMPTY;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = fnv1a64(hash, parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) + 1 : 1);
    struct buf b = buf_over(run.question, LEAK_QUESTION_BYTES);
    buf_format(&b, "%016llx", (unsigned long long)hash);
    buf_str(&data, of_file(r) && t->program_hash ? t->program_hash : "");
    const double bytes = of_file(r) ? facts_number(&r->build, "program_1_bytes") : 0;
    run.bytes = bytes > 0 ? (int64_t)bytes : 0;
    return run;
}

static bool same_calls(const struct leak_run *a, const struct leak_run *b)
{
    return a->data[0] && !strcmp(a->data, b->data);
}

bool leak_runs_have(const struct leak_runs *runs, const struct leak_run *run)
{
    for (int i = 0; i < runs->n; i++)
        if (!strcmp(runs->run[i].question, run->question) && same_calls(run, &runs->run[i]))
            return true;
    return false;
}

static double log_add(double a, double b)
{
    double most = fmax(a, b), least = fmin(a, b);
    return least == -INFINITY ? most : most + log1p(exp(least - most));
}

/* Questions apart, and in each runs whose choices were the same, in the order in which they were made. */
static int by_coins(const void *a, const void *b)
{
    const struct leak_run *x = *(struct leak_run *const *)a, *y = *(struct leak_run *const *)b;
    int order = strcmp(x->question, y->question);
    if (!order)
        order = strcmp(x->data, y->data);
    if (!order && !x->data[0])
        order = (x->seed > y->seed) - (x->seed < y->seed);
    return order ? order : (x > y) - (x < y);
}

static bool same_coins(const struct leak_run *a, const struct leak_run *b)
{
    return !strcmp(a->question, b->question) && !strcmp(a->data, b->data) && (a->data[0] || a->seed == b->seed);
}

/* Runs whose choices were the same are no independent evidence: they count as one, with the mean of their E, which is evidence however
 * they depend on each other. */
bool leak_runs_settle(struct leak_runs *all)
{
    struct leak_run **run = malloc(((size_t)all->n + 1) * sizeof *run);
    if (!run)
        return false;
    for (int i = 0; i < all->n; i++)
        run[i] = &all->run[i];
    qsort(run, (size_t)all->n, sizeof *run, by_coins);
    for (int first = 0, end; first < all->n; first = end) {
        double sum = -INFINITY;
        for (end = first; end < all->n && same_coins(run[first], run[end]); end++) {
            sum = log_add(sum, run[end]->log_e);
            run[end]->brings = 0;
        }
        run[first]->brings = sum - log(end - first);
    }
    free(run);
    return true;
}

/* The figures ledger_... of t: all that is needed of the earlier runs, so that who judges the calls anew has it without the ledger. */
static void remember(const struct leak_runs *all, const struct record *r, struct leak_target *t)
{
    const struct leak_run now = leak_run_of(r, t, 0);
    double sum = 0, most = 0, seed = -INFINITY;
    int runs = 0, of_seed = 0;
    bool leak = false;
    for (int i = 0; i < all->n; i++) {
        const struct leak_run *e = &all->run[i];
        if (strcmp(e->question, now.question) != 0 || same_calls(&now, e))
            continue;
        leak = leak || e->leak;
        runs++;
        if (same_coins(&now, e)) {
            seed = log_add(seed, e->log_e);
            of_seed++;
        } else
            sum += e->brings;
        most = fmax(most, sum);
    }
    t->ledger_runs = runs;
    t->ledger_others_log10_e = sum / log(10);
    t->ledger_most_log10_e = most / log(10);
    t->ledger_seed_runs = of_seed;
    t->ledger_seed_log10_e = of_seed ? seed / log(10) : NAN;
    t->ledger_leak = leak;
}

/* Of all runs, this one the last: decimal logarithms. */
struct together {
    double sum, most; /* their product now, and the largest it ever was */
};

static struct together together_of(const struct leak_target *t, double log_e)
{
    if (t->ledger_seed_runs > 0)
        log_e = log_add(t->ledger_seed_log10_e * log(10), log_e) - log(t->ledger_seed_runs + 1);
    double sum = t->ledger_others_log10_e + log_e / log(10);
    return (struct together){.sum = sum, .most = fmax(t->ledger_most_log10_e, sum)};
}

/* ln of an e-value of all runs of the target's question, this one with log_e the last: their product, stopped at the run with which it first reached
 * `limit`. Of several targets they are held together by e-BH, limit being what a claim of one alone takes. By the figures that apply_runs or
 * apply_runs_again put into t; without them log_e. Where
 * it reached the limit it was at least that: what e-BH asks of a claim among others is less. */
static double runs_log_e(const struct leak_target *t, double log_e, double limit)
{
    if (isnan(t->ledger_others_log10_e))
        return log_e;
    const struct together now = together_of(t, log_e);
    return now.most * log(10) >= limit ? limit : now.sum * log(10);
}

static void conclude_runs(const struct record *r, double log_e, struct leak_target *t)
{
    const struct together now = together_of(t, log_e);
    bool proven = now.most >= -log10(r->rule.leaks.alpha);
    t->ledger_log10_e = now.sum;
    if (!(t->ledger_runs > 0) || t->verdict == VERDICT_LEAK || t->verdict == VERDICT_INVALID ||
        (!proven && t->verdict != VERDICT_LEAK_SMALL))
        return;
    bool bounded = t->verdict != VERDICT_UNDECIDED, leak = t->ledger_leak > 0;
    if (bounded && leak) /* a size that one run bounds by chance does not undo what another found */
        t->why = leak_reason_text(LEAK_WHY_EARLIER);
    else if (proven)
        t->why = leak_reason_text(bounded ? LEAK_WHY_TOGETHER_BOUNDED : LEAK_WHY_TOGETHER);
    t->verdict = bounded && !leak ? VERDICT_LEAK_SMALL : VERDICT_LEAK;
}

/* From the figures that a session with a ledger left in its record: its calls are judged anew, and the runs before it count as they did then. */
static void apply_runs_again(const struct leak_target *then, const struct record *r, double log_e, struct leak_target *t)
{
    if (!then || isnan(then->ledger_others_log10_e))
        return;
    t->ledger_runs = then->ledger_runs;
    t->ledger_others_log10_e = then->ledger_others_log10_e;
    t->ledger_most_log10_e = then->ledger_most_log10_e;
    t->ledger_seed_runs = then->ledger_seed_runs;
    t->ledger_seed_log10_e = then->ledger_seed_log10_e;
    t->ledger_leak = then->ledger_leak;
    conclude_runs(r, log_e, t);
}

enum tare_status leak_judges_open(struct leak_judges *all, const struct record *r, struct arena *arena, struct tare_err *err)
{
    *all = (struct leak_judges){.of = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *all->of),
                                .stopped_log_e = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *all->stopped_log_e),
                                .unfit = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *all->unfit)};
    bool good = all->of && all->stopped_log_e && all->unfit;
    for (int i = 0; good && i < r->n_subjects; i++) {
        const struct leak_target *before = record_leak_target(r, i);
        all->stopped_log_e[i] = NAN;
        all->unfit[i] = before && before->unfit > 0;
        good = (all->of[i] = leak_judge_create(&r->rule)) != NULL;
        all->n += good;
    }
    return good ? TARE_OK : err_no_memory(err);
}

void leak_judges_close(struct leak_judges *all)
{
    for (int i = 0; i < all->n; i++)
        leak_judge_destroy(all->of[i]);
    *all = (struct leak_judges){0};
}

/* Which file, and which processor: a claim is about these. */
static void name_machine(const struct record *r, struct leak_target *t)
{
    char key[40];
    buf_print(key, sizeof key, "program_%d_fnv1a64", t->subject + 1);
    const char *const *argv = r->subjects[t->subject].argv;
    bool library = argv && argv[0] && argv[1]; /* words name a function of one */
    t->program_hash = facts_text(&r->build, library ? "library_fnv1a64" : key);
    t->cpu = facts_text(&r->machine, "cpu_brand");
    t->order = facts_text(&r->before, "csv_order");
}

static void add_gap(const struct record *r, const char *fact, const char *one, const char *several, struct buf *out)
{
    const struct fact *f = facts_find(&r->before, fact);
    if (f && f->number > 0)
        buf_format(out, "%s%.0f %s", out->len ? ", " : "", f->number, f->number == 1 ? one : several);
}

/* The time from the first process of this session to the end of the last one, analyses between them included, over what they took. */
static double with_analyses(const struct record *r)
{
    double sum = 0, from = INFINITY, to = 0;
    for (int i = 0; i < r->n_subjects; i++) {
        const struct rows *rows = &r->series[i].main;
        const double *wall = series_values(&r->series[i], "wall");
        for (int k = 0; wall && k < rows->n; k++) {
            if (rows->start_ns[k] < 0) /* of the session that this one continues */
                continue;
            sum += wall[k] / 1e9;
            from = fmin(from, (double)rows->start_ns[k] / 1e9);
            to = fmax(to, ((double)rows->start_ns[k] + wall[k]) / 1e9);
        }
    }
    return to - from > sum && sum > 0 ? (to - from) / sum : 1;
}

/* What its processes took with their starts, set-ups and analyses, over what they measured for. */
static double with_starts(const struct record *r, const struct leak_target *t)
{
    const struct series *s = &r->series[t->subject];
    const double *wall = series_values(s, "wall");
    double sum = 0;
    for (int i = 0; wall && i < s->main.n; i++)
        sum += wall[i] / 1e9;
    return with_analyses(r) * (sum > t->seconds ? sum / t->seconds : 1); /* NaN too is no more */
}

/* What taint found, from one to the other: times that are judged anew say nothing of it. `from` may be NULL. */
static void leak_target_keep_taint(struct leak_target *t, const struct leak_target *from)
{
    if (!from)
        return;
    t->taint = from->taint;
    t->taint_verdict = from->taint_verdict;
    t->taint_tool = from->taint_tool;
    t->taint_left_out = from->taint_left_out;
    t->taint_sites = from->taint_sites;
    t->n_taint_sites = from->n_taint_sites;
}

static enum tare_status read_target(struct leak_judges *all, struct record *r, int subject)
{
    const struct leak_target *old = record_leak_target(r, subject);
    const char *failure = r->subjects[subject].failure;
    const struct fact *drawn = facts_find(&r->before, "csv_drawn");
    struct leak_target t;
    char other[120], gaps[240];
    struct buf changed = buf_over(other, sizeof other), incomplete = buf_over(gaps, sizeof gaps);
    buf_str(&changed, "its program file ");
    /* What is wrong with the blocks of a file: calls that are missing may be the slow ones. Nothing where all is there. */
    add_gap(r, "csv_doubled", "block has a label more than once", "blocks have a label more than once", &incomplete);
    const size_t complete = incomplete.len;
    add_gap(r, "csv_torn", "block lacks a call", "blocks lack a call", &incomplete);
    add_gap(r, "csv_absent", "block number is skipped", "block numbers are skipped", &incomplete);
    buf_str(&incomplete, incomplete.len > complete ? "; which calls are missing may depend on their times" : "");
    buf_str(&incomplete, incomplete.len ? "; record each label once in every block" : "");
    leak_target_init(&t, subject);
    leak_judge_read(all->of[subject], &t);
    t.seconds_needed *= with_starts(r, &t);
    leak_target_keep_taint(&t, old);
    name_machine(r, &t);
    if (failure) {
        t.verdict = VERDICT_INVALID;
        t.why = failure;
        t.unfit = all->unfit[subject];
        t.decided = true;
    } else if (drawn && drawn->number == 0) {
        t.verdict = VERDICT_INVALID;
        t.why = leak_reason_text(LEAK_WHY_ORDER);
    } else if (incomplete.len) {
        t.verdict = VERDICT_INVALID;
        t.why = gaps;
    } else if (record_other_program(&r->series[subject], &changed)) {
        t.verdict = VERDICT_INVALID;
        t.why = other;
    } else if (all->runs) {
        remember(all->runs, r, &t);
        conclude_runs(r, all->of[subject]->now.log_e, &t);
    } else
        apply_runs_again(old, r, all->of[subject]->now.log_e, &t);
    return record_set_leak_target(r, &t);
}

static bool claims(const struct leak_target *t)
{
    return t->verdict == VERDICT_LEAK || t->verdict == VERDICT_LEAK_SMALL;
}

/* What is proven of one target is not yet proven among many. Those that the claims of all together do not hold go on. */
static void take_back(const struct leak_judges *all, struct record *r, const bool *claimed)
{
    for (int i = 0; i < r->n_leak_targets; i++) {
        struct leak_target *t = &r->leak_targets[i];
        bool spent = r->rule.leaks.max_calls > 0 && t->calls >= r->rule.leaks.max_calls;
        if (!claims(t) || claimed[t->subject])
            continue;
        t->verdict = VERDICT_UNDECIDED;
        t->why = leak_reason_text(all->n == 1          ? LEAK_WHY_NOT_TOGETHER
                                  : t->ledger_runs > 0 ? LEAK_WHY_RUNS_AMONG_MANY
                                                       : LEAK_WHY_AMONG_MANY);
        t->blocks_needed = t->seconds_needed = NAN; /* were for another word */
        t->decided = t->decided && (spent || !isnan(all->stopped_log_e[t->subject]));
    }
}

static enum tare_status hold_together(struct leak_judges *all, struct record *r, double alpha, struct tare_err *err)
{
    struct arena scratch = {0};
    size_t n = (size_t)all->n;
    double *log_e = arena_array(&scratch, n + 1, sizeof *log_e), *room = arena_array(&scratch, n + 1, sizeof *room);
    bool *claimed = arena_array(&scratch, n + 1, sizeof *claimed), good = log_e && room && claimed;
    for (int i = 0; good && i < all->n; i++) {
        const struct leak_target *t = record_leak_target(r, i);
        log_e[i] = isnan(all->stopped_log_e[i]) ? all->of[i]->now.log_e : all->stopped_log_e[i];
        if (t) /* runs multiply first, then targets are held together */
            log_e[i] = runs_log_e(t, log_e[i], log(all->n / alpha));
    }
    /* e-BH: the expected share of false claims is at most alpha. (log_e_most is no e-value.) */
    if (good && tare_e_bh(log_e, all->n, alpha, claimed, room) >= 0)
        take_back(all, r, claimed);
    arena_finish(&scratch);
    return good ? TARE_OK : err_no_memory(err);
}

enum tare_status leak_judges_conclude(struct leak_judges *all, struct record *r, struct tare_err *err)
{
    for (int i = 0; i < all->n; i++)
        if (read_target(all, r, i))
            return err_no_memory(err);
    bool growth = r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "growth");
    double alpha =
        growth ? (1 - r->rule.confidence) / 2 : r->rule.leaks.alpha; /* of growth that of its interval from end to end */
    bool several = all->n > 1;
    for (int i = 0; i < r->n_leak_targets; i++) /* this session has a ledger, or the one that is judged anew had */
        several |= !isnan(r->leak_targets[i].ledger_others_log10_e);
    enum tare_status status = several && !r->rule.leaks.dudect ? hold_together(all, r, alpha, err) : TARE_OK;
    for (int i = 0; i < r->n_leak_targets; i++) {
        double *stopped = &all->stopped_log_e[r->leak_targets[i].subject];
        if (r->leak_targets[i].decided && isnan(*stopped))
            *stopped = all->of[r->leak_targets[i].subject]->now.log_e;
    }
    return status;
}

void leak_note_unreached(struct record *r)
{
    bool budget = r->ended && !strcmp(r->ended, "budget");
    for (int i = 0; i < r->n_leak_targets; i++) {
        struct leak_target *t = &r->leak_targets[i];
        if (t->verdict == VERDICT_UNDECIDED && !(t->calls > 0) && !t->why)
            t->why = leak_reason_text(budget ? LEAK_WHY_NO_TIME : LEAK_WHY_ENDED);
    }
}
