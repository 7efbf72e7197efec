/* SPDX-License-Identifier: MIT */
#include "leak_judge.h"
#include "leak_words.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct leak_judge {
    const struct rule *rule;
    struct arena arena; /* names of classes, sizes */
    bool begun;
    /* of the first report */
    const char **classes;
    int n_classes, per_block, secret_bytes;
    double typical_ticks;    /* median without the empty bracket, of growth at the smallest size above 0; what shares are of */
    double step_ticks;       /* of a file's clock, whose phase nobody drew; else 0 */
    double drawn_step_ticks; /* of a clock whose phase the processes drew, as the first of them says; else 0 */
    double hz, pair_ticks, repeat, cycles_per_tick; /* cycles: of the last report that knew it */
    const char *why_no_core;                        /* while a report is taken: why its process has no core cycles; "" */
    bool own_inputs;                                /* of each call of a reading */
    char clock[32];
    /* of all */
    struct {
        int n;         /* processes that planted one */
        double beside; /* adds that ran beside a call of theirs, so that they did not lengthen it; mean */
    } spikes;
    struct leak_tally tally;
    int64_t last_blocks; /* of the last report */
    struct leak_engine *engine;
    struct leak_scan *scan;
    struct leak_growth *growth;
    struct leak_dudect *dudect;
    struct leak_reading reading;
    struct leak_pictures pictures; /* of the reading, once they were asked for */
    struct leak_scan_reading scan_reading;
    struct leak_bit *bits;
    struct leak_growth_reading growth_reading;
    struct leak_dudect_reading dudect_reading;
    uint8_t *class; /* of a frame */
    uint32_t *ticks;
    size_t room;
    struct buf words[LEAK_WORDS];
    struct leak_lists lists;
};

struct leak_judge *leak_judge_create(const struct rule *rule)
{
    struct leak_judge *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->rule = rule;
    j->cycles_per_tick = NAN;
    j->why_no_core = "";
    j->tally.dit = -1;
    for (int i = 0; i < LEAK_WORDS; i++)
        j->words[i] = BUF_INIT(1 << 16);
    return j;
}

void leak_judge_destroy(struct leak_judge *j)
{
    if (!j)
        return;
    leak_engine_destroy(j->engine);
    leak_scan_destroy(j->scan);
    leak_growth_destroy(j->growth);
    leak_dudect_destroy(j->dudect);
    for (int i = 0; i < LEAK_WORDS; i++)
        buf_finish(&j->words[i]);
    free(j->bits);
    free(j->class);
    free(j->ticks);
    arena_finish(&j->arena);
    free(j);
}

/* ---- the first report ---- */

static double ns_per_tick(const struct leak_judge *j)
{
    return 1e9 / j->hz / j->repeat;
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

/* In ticks of a bracket; 0: it is a share of what is too short to tell. */
static enum tare_status margin_ticks(const struct leak_judge *j, double *out, struct tare_err *err)
{
    const struct rule *u = j->rule;
    *out = 0;
    if (!u->margin_unit) {
        *out = j->typical_ticks > 0 ? u->margin * j->typical_ticks : 0;
        return TARE_OK;
    }
    if (!strcmp(u->margin_unit, "ns")) {
        *out = u->margin / ns_per_tick(j);
        return TARE_OK;
    }
    if (!(j->cycles_per_tick > 0))
        return err_set(err, TARE_INVALID, "its core cycles are not known here%s%s; give --margin in ns",
                       j->why_no_core[0] ? ": " : "", j->why_no_core);
    *out = u->margin / j->cycles_per_tick * j->repeat;
    return TARE_OK;
}

static enum tare_status rule_of(const struct leak_judge *j, struct leak_rule *out, struct tare_err *err)
{
    const struct rule *u = j->rule;
    *out = leak_rule_default(j->n_classes ? j->n_classes : 2);
    out->alpha = u->leaks.alpha;
    out->confidence = u->confidence;
    out->advantage = u->leaks.advantage;
    out->exact = u->leaks.exact;
    out->sizes_alone = j->own_inputs;
    out->margin_share = u->margin_unit ? out->margin_share : u->margin;
    out->processes = strcmp(u->leaks.kind, "csv") != 0;
    out->step_ticks = j->step_ticks;
    out->drawn_step_ticks = j->drawn_step_ticks;
    out->replantings = out->processes ? out->replantings : 0; /* there is no next process */
    out->zero_ticks = fmin(0, j->pair_ticks); /* of a file whose times were shifted; that of an empty bracket is above */
    return margin_ticks(j, &out->margin_ticks, err);
}

static enum tare_status make_dudect(struct leak_judge *j, struct tare_err *err)
{
    const struct rule_leaks *u = &j->rule->leaks;
    struct leak_dudect_rule rule = u->lab0 ? leak_dudect_rule_lab0() : leak_dudect_rule_default();
    rule.measurements = u->measurements;
    rule.drop = u->drop;
    rule.drop_end = u->lab0 ? u->drop : rule.drop_end;
    rule.sorted_in_place = u->lab0 && u->percentiles > 0;
    rule.percentiles = u->percentiles;
    rule.order = u->order;
    rule.threshold = u->threshold;
    return leak_dudect_create(&rule, &j->dudect, err);
}

static enum tare_status make_pairs(struct leak_judge *j, struct tare_err *err)
{
    struct leak_rule rule;
    if (j->n_classes < 2)
        return err_set(err, TARE_FORMAT, "has no two classes to compare; does it want --scan or --growth?");
    enum tare_status status = rule_of(j, &rule, err);
    if (!status)
        status = leak_engine_create(&rule, &j->engine, err);
    return status || !j->rule->leaks.dudect ? status : make_dudect(j, err);
}

static enum tare_status make_scan(struct leak_judge *j, struct tare_err *err)
{
    struct leak_rule rule;
    enum tare_status status = rule_of(j, &rule, err);
    if (!status)
        status = leak_scan_create(j->secret_bytes, &rule, &j->scan, err);
    if (!status && !(j->bits = calloc((size_t)j->secret_bytes * 8 + 1, sizeof *j->bits)))
        status = err_set(err, TARE_NO_MEMORY, "no memory for %d bytes of secret", j->secret_bytes);
    return status;
}

static enum tare_status make_growth(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    double sizes[WIRE_SIZES_MAX];
    for (uint32_t i = 0; i < t->n_sizes; i++)
        sizes[i] = (double)t->sizes[i];
    struct leak_growth_rule rule = leak_growth_rule_default(sizes, (int)t->n_sizes);
    rule.confidence = j->rule->confidence;
    rule.drawn_step_ticks = j->drawn_step_ticks;
    rule.repeat = j->repeat;
    if (!j->rule->margin_unit && j->rule->margin > 0)
        rule.bound_share = j->rule->margin;
    enum tare_status status = margin_ticks(j, &rule.bound_ticks, err);
    if (j->rule->leaks.latency_ns > 0)
        rule.latency_ticks = j->rule->leaks.latency_ns / ns_per_tick(j);
    if (!j->rule->margin_unit && rule.latency_ticks > 0) /* a share of what is short is no allowance for what leaves the caches */
        rule.bound_ticks = fmax(rule.bound_ticks, 4 * rule.latency_ticks);
    return status ? status : leak_growth_create(&rule, &j->growth, err);
}

static enum tare_status take_names(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    j->n_classes = (int)t->n_classes;
    j->secret_bytes = (int)t->secret_bytes;
    j->classes = arena_array(&j->arena, t->n_classes + 1, sizeof *j->classes);
    for (uint32_t i = 0; j->classes && i < t->n_classes; i++)
        if (!(j->classes[i] = arena_strdup(&j->arena, t->classes[i])))
            return err_set(err, TARE_NO_MEMORY, "no memory for names of classes");
    return j->classes ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for names of classes");
}

static enum tare_status begin(struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    const char *kind = j->rule->leaks.kind;
    bool scan = !strcmp(kind, "scan"), growth = !strcmp(kind, "growth");
    j->hz = r->clock.hz;
    j->repeat = r->end.repeat ? r->end.repeat : 1;
    const bool phase_unknown = !strcmp(kind, "csv") || r->end.facts & WIRE_FIXED_PHASE;
    j->step_ticks = phase_unknown && r->clock.step_ticks > 0 ? r->clock.step_ticks : 0;
    j->drawn_step_ticks = r->end.facts & WIRE_DRAWN_PHASE && r->clock.step_ticks > 0 ? r->clock.step_ticks : 0;
    j->own_inputs = r->end.facts & WIRE_OWN_INPUTS;
    struct buf clock = buf_over(j->clock, sizeof j->clock);
    buf_str(&clock, r->clock.name ? r->clock.name : "");
    j->pair_ticks = isfinite(r->end.pair_ticks) ? r->end.pair_ticks : 0;
    int smallest = growth && r->target.n_sizes && !r->target.sizes[0];
    j->typical_ticks = median_of_first(r, growth ? smallest : -1, j->drawn_step_ticks > 0) - j->pair_ticks;
    enum tare_status status = take_names(j, &r->target, err);
    if (!status)
        status = scan ? make_scan(j, err) : growth ? make_growth(j, &r->target, err) : make_pairs(j, err);
    j->per_block = scan ? 1 : growth ? (int)r->target.n_sizes : j->n_classes;
    j->begun = !status;
    return status;
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

static const enum leak_kind kinds[WIRE_BLOCKS_KINDS] = {
    [WIRE_MAIN] = LEAK_MAIN, [WIRE_AA] = LEAK_AA, [WIRE_SPIKE] = LEAK_SPIKE, [WIRE_GROWTH_SIZES] = LEAK_MAIN};

static enum tare_status take_blocks(struct leak_judge *j, const struct wire_blocks *b, struct tare_err *err)
{
    size_t n = (size_t)b->n * b->k;
    if (b->repeat != j->repeat)
        return err_set(err, TARE_FORMAT, "%u calls in a bracket, where %g were before", b->repeat, j->repeat);
    bool check = b->kind == WIRE_AA || b->kind == WIRE_SPIKE;
    if (b->kind >= WIRE_BLOCKS_KINDS || (!check && (b->kind == WIRE_GROWTH_SIZES) != (j->growth != NULL)))
        return err_set(err, TARE_FORMAT, "blocks of a kind that was not asked for");
    if (!room_for(j, n))
        return err_set(err, TARE_NO_MEMORY, "no memory for %zu times", n);
    j->last_blocks += check ? 0 : b->n;
    wire_ticks_copy(b->ticks, n, j->ticks);
    if (j->growth && check)
        return leak_growth_checks(j->growth, kinds[b->kind], b->n, b->classes, j->ticks, err);
    if (j->growth)
        return leak_growth_blocks(j->growth, (int)b->k, b->n, b->classes, j->ticks, err);
    if (!j->engine)
        return err_set(err, TARE_FORMAT, "blocks of a kind that was not asked for");
    if (j->dudect && b->kind == WIRE_MAIN)
        leak_dudect_calls(j->dudect, (int64_t)n, b->classes, j->ticks);
    return leak_engine_blocks(j->engine, kinds[b->kind], (int)b->k, b->n, b->classes, j->ticks, err);
}

static enum tare_status take_calls(struct leak_judge *j, const struct wire_calls *c, struct tare_err *err)
{
    if (!j->scan || (int)c->secret_bytes != j->secret_bytes || c->repeat != j->repeat)
        return err_set(err, TARE_FORMAT, "calls of a kind that was not asked for");
    if (!room_for(j, c->n))
        return err_set(err, TARE_NO_MEMORY, "no memory for %u times", c->n);
    j->last_blocks += c->kind == WIRE_MAIN ? c->n : 0;
    wire_ticks_copy(c->ticks, c->n, j->ticks);
    leak_scan_calls(j->scan, kinds[c->kind], c->n, c->secrets, j->ticks);
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
    if (j->engine) {
        leak_engine_facts(j->engine, &facts);
        leak_engine_round(j->engine);
    }
    if (j->scan) {
        leak_scan_facts(j->scan, &facts);
        leak_scan_round(j->scan);
    }
    if (j->growth) {
        leak_growth_facts(j->growth, &facts);
        leak_growth_round(j->growth);
    }
}

enum tare_status leak_judge_take(struct leak_judge *j, const struct leak_report *r, struct tare_err *err)
{
    j->last_blocks = 0;
    if (core_hz(r) > 0)
        j->cycles_per_tick = core_hz(r) / r->clock.hz;
    j->why_no_core = r->clock.core || !r->clock.no_core ? "" : r->clock.no_core;
    enum tare_status status = j->begun ? TARE_OK : begin(j, r, err);
    if (!status && j->repeat > 1 && j->own_inputs != !!(r->end.facts & WIRE_OWN_INPUTS))
        status = err_set(err, TARE_FORMAT, "its calls were repeated with one input before, and have their own now: start anew");
    if (!status)
        status = take_frames(j, r, err);
    if (status)
        return status;
    take_end(j, r);
    leak_tally_add(&j->tally, r);
    return TARE_OK;
}

/* ---- reading ---- */

static struct leak_units units_of(const struct leak_judge *j)
{
    return (struct leak_units){.ns = ns_per_tick(j),
                               .cycles = j->cycles_per_tick / j->repeat,
                               .empty_ticks = j->pair_ticks,
                               .hz = j->hz,
                               .repeat = j->repeat,
                               .cycles_per_tick = j->cycles_per_tick};
}

static void read_all(struct leak_judge *j)
{
    if (j->engine)
        leak_engine_read(j->engine, &j->reading);
    if (j->scan)
        leak_scan_read(j->scan, &j->scan_reading, j->bits);
    if (j->growth)
        leak_growth_read(j->growth, &j->growth_reading);
    if (j->dudect)
        leak_dudect_read(j->dudect, &j->dudect_reading);
}

static double warmup_blocks(const struct leak_judge *j)
{
    return (double)(j->engine ? j->reading.warmup : j->growth ? j->growth_reading.warmup : 0);
}

void leak_judge_read(struct leak_judge *j, struct leak_target *t)
{
    t->kind = j->rule->leaks.kind;
    t->cache = j->rule->leaks.cache;
    t->tolerated_advantage = j->rule->leaks.advantage;
    t->exact = j->rule->leaks.exact;
    t->verdict = VERDICT_UNDECIDED;
    if (!j->begun)
        return;
    struct leak_units units = units_of(j);
    read_all(j);
    leak_words_names(j->words, j->classes, j->n_classes);
    leak_words_tally(j->words, &j->tally, &units, t);
    if (j->engine) {
        leak_words_pairs(&j->lists, &j->reading, j->classes, &units, t);
        t->visible_ns = leak_engine_visible(j->engine, j->reading.blocks) * units.ns;
    }
    if (j->scan)
        leak_words_scan(j->words, &j->scan_reading, j->bits, &units, t);
    if (j->growth)
        leak_words_growth(j->words, &j->growth_reading, &units, t);
    if (j->dudect)
        leak_words_dudect(j->words, &j->dudect_reading, j->rule->leaks.threshold, j->rule->leaks.lab0, t);
    const bool first = t->blocks < 2 || t->growth_processes < 2; /* much of what there is was warm-up */
    const double had = t->blocks + (first ? warmup_blocks(j) : 0);
    if (t->blocks_needed > 0 && had > 0)
        t->seconds_needed = t->blocks_needed * t->seconds / had;
    if (j->rule->leaks.max_calls > 0 && t->calls >= j->rule->leaks.max_calls)
        t->decided = true;
}

double leak_judge_log_e(const struct leak_judge *j)
{
    return !j->begun   ? 0
           : j->engine ? j->reading.log_e
           : j->scan   ? j->scan_reading.log_e
           : j->growth ? j->growth_reading.log_e
                       : 0;
}

/* One that did not show is planted twice as long, and so on. */
static double times_planted(const struct leak_judge *j)
{
    return ldexp(1, j->engine ? j->reading.check.spike_replanted
                    : j->scan ? j->scan_reading.check.spike_replanted
                              : j->growth_reading.check.spike_replanted);
}

double leak_judge_spike_ns(const struct leak_judge *j)
{
    double ticks = !j->begun   ? NAN
                   : j->engine ? j->reading.margin_ticks
                   : j->scan   ? j->scan_reading.margin_ticks
                               : j->growth_reading.bound_ticks;
    return ticks > 0 && isfinite(ticks) ? ticks * ns_per_tick(j) * times_planted(j) : 0;
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
    int wanted = !j->begun ? 0 : j->engine ? j->reading.check.share_wanted : j->scan ? j->scan_reading.check.share_wanted : 0;
    if (j->begun && j->growth) { /* its blocks have many calls, those of the checks two: a like share of the time */
        int like = asked * j->per_block / 2;
        wanted = like < GROWTH_MOST ? like : GROWTH_MOST;
    }
    return wanted > asked ? wanted : asked;
}

double leak_judge_visible_ns(const struct leak_judge *j, double seconds)
{
    double took = (double)j->tally.elapsed_ns / 1e9, n = j->begun && j->engine ? (double)j->reading.blocks : 0;
    return n > 0 && took > 0 ? leak_engine_visible(j->engine, (int64_t)fmax(1, n * seconds / took)) * ns_per_tick(j) : NAN;
}

const char *leak_judge_clock(const struct leak_judge *j)
{
    return j->clock;
}

int64_t leak_judge_calls(const struct leak_judge *j)
{
    return j->tally.calls;
}

int64_t leak_judge_last_blocks(const struct leak_judge *j)
{
    return j->last_blocks;
}

int leak_judge_draw(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart out[LEAK_CHARTS_MAX])
{
    if (!j->begun)
        return 0;
    const struct leak_units units = units_of(j);
    if (j->engine)
        leak_engine_draw(j->engine, &j->reading, &j->pictures);
    if (j->engine && j->reading.blocks > 0)
        leak_words_shift(&j->lists, j->words, j->pictures.shift, fmax(j->step_ticks, j->drawn_step_ticks), &units, t);
    const struct leak_chart_words words = {.class_names = j->classes,
                                           .n_classes = j->n_classes,
                                           .alpha = j->rule->leaks.alpha,
                                           .confidence = j->rule->confidence,
                                           .unresolved = t->shift_why,
                                           .scale = {.per_tick = ns_per_tick(j), .empty_ticks = j->pair_ticks, .unit = "ns"}};
    return j->scan     ? leak_scan_charts(&j->scan_reading, j->bits, &words, arena, out)
           : j->growth ? leak_growth_charts(&j->growth_reading, &words, arena, out)
                       : leak_charts(&j->reading, &j->pictures, &words, arena, out);
}
