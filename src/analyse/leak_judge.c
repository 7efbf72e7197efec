/* SPDX-License-Identifier: MIT */
#include "leak_judge.h"
#include "leak_method.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct leak_judge *leak_judge_create(const struct rule *rule)
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

void leak_judge_destroy(struct leak_judge *j)
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

/* ---- the first report ---- */

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
            return err_set(err, TARE_NO_MEMORY, "no memory for names of classes");
    for (int i = 0; j->classes && i < j->n_classes; i++)
        buf_format(&j->class_text, "%s%s", i ? ", " : "", j->classes[i]);
    return j->classes ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for names of classes");
}

static const struct leak_method *method_of(const struct rule *u)
{
    static const struct leak_method *const of_kinds[] = {&leak_by_scan, &leak_by_growth};
    for (size_t i = 0; i < sizeof of_kinds / sizeof *of_kinds; i++)
        if (!strcmp(of_kinds[i]->kind, u->leaks.kind))
            return of_kinds[i];
    return u->leaks.dudect ? &leak_by_dudect : &leak_by_pairs; /* of a file with times too */
}

static enum tare_status begin(struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    const struct leak_method *method = method_of(j->rule);
    j->hz = r->clock.hz;
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

/* ---- times ---- */

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

static void take_end(struct leak_judge *j, const struct leak_report *r)
{
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

enum tare_status leak_judge_take(struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    j->last_blocks = 0;
    if (core_hz(r) > 0)
        j->cycles_per_tick = core_hz(r) / r->clock.hz;
    j->why_no_core = r->clock.core || !r->clock.no_core ? "" : r->clock.no_core;
    enum tare_status status = j->method ? TARE_OK : begin(j, r, err);
    if (!status && j->repeat > 1 && j->own_inputs != !!(r->end.facts & WIRE_OWN_INPUTS))
        status = err_set(err, TARE_FORMAT, "its calls were repeated with one input before, and have their own now: start anew");
    if (!status)
        status = take_frames(j, r, err);
    if (!status)
        take_end(j, r);
    return status;
}

/* ---- reading ---- */

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
             {WIRE_TOO_SLOW, "a call is so long that few fit into a process"},
             {WIRE_LONG_READINGS, "so many calls in a reading last longer than a process"}};

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
        buf_str(dit, wire_dit_word((enum wire_dit)j->dit));
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

void leak_judge_read(struct leak_judge *j, struct leak_target *t)
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

double leak_judge_log_e(const struct leak_judge *j)
{
    return j->now.log_e;
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

const char *leak_judge_clock(const struct leak_judge *j)
{
    return j->clock;
}

int64_t leak_judge_calls(const struct leak_judge *j)
{
    return j->calls;
}

int64_t leak_judge_last_blocks(const struct leak_judge *j)
{
    return j->last_blocks;
}

int leak_judge_draw(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart out[LEAK_CHARTS_MAX])
{
    return j->method ? j->method->draw(j, t, arena, out) : 0;
}
