/* SPDX-License-Identifier: MIT
 *
 * The evidence against "the classes make no difference", as it comes in: an e-process over blocks of calls in drawn order.
 *
 * Design-based (Fisher's randomisation): no assumption is made about times, their tails, their dependence or their drift; the coin is ours.
 * What is assumed: that the order in a block was drawn fairly and independently of all before it, and that under the null no call's time
 * depends on the class of any call. Which bets there are, and what they cost: leak_components.c. E at a stop is an
 * e-value, so runs multiply; that it ever reaches 1/alpha has a chance of at most alpha under the null (Ville 1939).
 *
 * The same machinery serves three questions, fed by the same processes in blocks of their own between those of the main one:
 *   MAIN   the classes
 *   AA     class 0 twice, by the two slots: what is found there the harness made
 *   SPIKE  class 0 and class 0 with a known delay: what is not found there would not be found in MAIN. leak_selfcheck.c says how
 * Looks lie at n = 1, 2 .. and then 1/12 apart, and at the end of each process. Smallest n: evidence is possible from the first block behind
 * the warm-up; sizes from 2. All times equal: no evidence, and the clock counts as stuck from 50 blocks on.
 */
#include "buf.h"
#include "leak_core.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CHECK_WARMUP = 20, HEADLINE = 1, CLOCK_STUCK_FROM = 50 }; /* HEADLINE: the clip at 90 % */
static const double CHECK_LEVEL = .01;

struct leak_engine {
    struct leak_rule rule;
    struct leak_facts facts;
    struct leak_test_set at[LEAK_KINDS];
    struct leak_histogram histogram[LEAK_CLASSES_MAX]; /* of MAIN behind the warm-up */
    double base, margin;                               /* known once MAIN is warm */
    double least, most;                                /* times of MAIN behind the warm-up */
    struct leak_running order;                         /* last place less first */
    int64_t found_after;
    struct injected_delay spike;
    int looks;
    int64_t looks_made, look_every;
    struct leak_look look[LEAK_SERIES_MAX];
    struct leak_levels levels; /* of MAIN behind the warm-up, clipped at 99 % */
    double *scratch;
};

struct leak_rule leak_rule_default(int classes)
{
    return (struct leak_rule){.classes = classes,
                              .alpha = 1e-5,
                              .confidence = .99,
                              .margin_share = .01,
                              .advantage = .01,
                              .alpha_selfcheck = 1e-3,
                              .warmup_blocks = 500,
                              .tight_blocks = 20000,
                              .replantings = 2,
                              .processes = true,
                              .selfchecks = true};
}

struct leak_facts leak_facts_none(void)
{
    return (struct leak_facts){.spike_ticks = NAN, .step_ticks = NAN, .cpu = -1, .cycles_per_tick = NAN};
}

static const char *fault_of(const struct leak_rule *r)
{
    if (r->classes < 2 || r->classes > LEAK_CLASSES_MAX)
        return "a leak is looked for between 2 to 16 classes";
    if (!(r->alpha > 0 && r->alpha < 1) || !(r->alpha_selfcheck > 0 && r->alpha_selfcheck < 1))
        return "the chance of a false alarm must lie between 0 and 1";
    if (!(r->confidence > 0 && r->confidence < 1))
        return "the confidence must lie between 0 and 1";
    if (!(r->margin_ticks >= 0) || isinf(r->margin_ticks) || !(r->margin_share > 0 || r->margin_ticks > 0) ||
        isinf(r->margin_share))
        return "the tolerated difference must be above 0";
    if (!(r->step_ticks >= 0) || isinf(r->step_ticks) || !(r->drawn_step_ticks >= 0) || isinf(r->drawn_step_ticks))
        return "a clock's step cannot be below 0";
    if (!(r->zero_ticks <= 0) || isinf(r->zero_ticks))
        return "a time of 0 cannot stand above 0";
    if (!(r->advantage > 0 && r->advantage <= 1))
        return "the tolerated advantage must lie between 0 and 1";
    if (r->warmup_blocks < 1 || r->tight_blocks < 1)
        return "warm-up and the tightest point of the intervals need one block at least";
    return NULL;
}

static enum tare_status start_parts(struct leak_engine *e)
{
    e->scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *e->scratch);
    if (!e->scratch)
        return TARE_NO_MEMORY;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < LEAK_KINDS && !status; i++) {
        const bool main = i == LEAK_MAIN;
        int64_t wanted = main || e->rule.warmup_blocks < LEAK_CHECK_WARMUP ? e->rule.warmup_blocks : LEAK_CHECK_WARMUP;
        status = leak_test_set_start(&e->at[i], &e->rule, main ? e->rule.classes : 2, wanted, e->scratch, main);
    }
    for (int i = 0; i < e->rule.classes && !status; i++)
        status = leak_histogram_start(&e->histogram[i]);
    return status;
}

enum tare_status leak_engine_create(const struct leak_rule *rule, struct leak_engine **out, struct tare_err *err)
{
    *out = NULL;
    const char *fault = fault_of(rule);
    if (fault)
        return err_set(err, TARE_INVALID, "%s", fault);
    struct leak_engine *e = calloc(1, sizeof *e);
    if (!e)
        return err_no_memory(err);
    e->rule = *rule;
    e->facts = leak_facts_none();
    e->found_after = -1;
    injected_delay_start(&e->spike);
    e->least = INFINITY;
    e->most = -INFINITY;
    e->look_every = 1;
    enum tare_status status = start_parts(e);
    if (!status) {
        *out = e;
        return TARE_OK;
    }
    leak_engine_destroy(e);
    return err_set(err, status, "no memory to judge a target");
}

void leak_engine_destroy(struct leak_engine *e)
{
    if (!e)
        return;
    for (int i = 0; i < LEAK_KINDS; i++)
        leak_test_set_finish(&e->at[i]);
    for (int i = 0; i < LEAK_CLASSES_MAX; i++)
        leak_histogram_finish(&e->histogram[i]);
    free(e->scratch);
    free(e);
}

static struct leak_look look_now(const struct leak_engine *e)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    struct leak_difference d;
    leak_size_at_clip(b, b->worst, HEADLINE, &d);
    return (struct leak_look){.blocks = b->n, .log10_e = b->log_e / log(10), .ticks = d.ticks};
}

static void keep_look(struct leak_engine *e)
{
    if (e->looks_made++ % e->look_every)
        return;
    if (e->looks == LEAK_SERIES_MAX) {
        e->looks /= 2;
        e->look_every *= 2;
        for (int i = 1; i < e->looks; i++)
            e->look[i] = e->look[2 * i];
        if ((e->looks_made - 1) % e->look_every)
            return;
    }
    e->look[e->looks++] = look_now(e);
}

static void look_at_main(struct leak_engine *e)
{
    struct leak_test_set *b = &e->at[LEAK_MAIN];
    leak_test_set_look(b);
    if (e->found_after < 0 && b->log_e >= -log(e->rule.alpha))
        e->found_after = b->n;
}

/* What the warm-up of MAIN settles besides its limits. */
static void settle(struct leak_engine *e)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    e->base = floor(b->first.low - fmax(16, b->median - b->first.low));
    e->margin = e->rule.margin_ticks > 0 ? e->rule.margin_ticks : e->rule.margin_share * (b->median - e->rule.zero_ticks);
}

static void note_main(struct leak_engine *e, const double *by_class, double first, double last)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    double clipped[LEAK_CLASSES_MAX];
    for (int i = 0; i < b->k; i++) {
        e->least = fmin(e->least, by_class[i]);
        e->most = fmax(e->most, by_class[i]);
        leak_histogram_add(&e->histogram[i], e->base, by_class[i]);
        clipped[i] = leak_clipped(&b->limits, LEAK_JUDGED - 1, by_class[i]);
    }
    leak_levels_add(&e->levels, clipped, b->k);
    leak_running_add(&e->order,
                     leak_clipped(&b->limits, LEAK_JUDGED - 1, last) - leak_clipped(&b->limits, LEAK_JUDGED - 1, first),
                     1 / (double)b->n);
}

enum tare_status leak_engine_blocks(struct leak_engine *e, enum leak_kind kind, int k, int64_t n, const uint8_t *class,
                                    const uint32_t *ticks, struct tare_err *err)
{
    if (k != e->at[kind].k)
        return err_set(err, TARE_FORMAT, "blocks of %d calls, where there are %d classes", k, e->at[kind].k);
    for (int64_t i = 0; i < n; i++) {
        double by_class[LEAK_CLASSES_MAX];
        if (!leak_by_class(k, class + i * k, ticks + i * k, by_class))
            return err_set(err, TARE_FORMAT, "block %lld does not have each of the %d classes once", (long long)i, k);
        if (kind == LEAK_MAIN) {
            struct leak_test_set *b = &e->at[LEAK_MAIN];
            const bool was_warm = b->warm, due = leak_test_set_add(b, by_class);
            if (was_warm)
                note_main(e, by_class, ticks[i * k], ticks[i * k + k - 1]);
            else if (b->warm)
                settle(e);
            if (due) {
                look_at_main(e);
                keep_look(e);
            }
        } else
            leak_check_block(e->at, &e->spike, kind, by_class);
    }
    return TARE_OK;
}

bool leak_by_class(int k, const uint8_t *class, const uint32_t *ticks, double *by_class)
{
    uint64_t seen = 0;
    for (int i = 0; i < k; i++) {
        if (class[i] >= k || seen >> class[i] & 1)
            return false;
        seen |= UINT64_C(1) << class[i];
        by_class[class[i]] = ticks[i];
    }
    return true;
}

void leak_facts_add(struct leak_facts *all, const struct leak_facts *f)
{
    all->classes_equal |= f->classes_equal;
    all->not_deterministic |= f->not_deterministic;
    all->wrote_outside |= f->wrote_outside;
    all->failed |= f->failed;
    if (!isnan(f->spike_ticks))
        all->spike_ticks = f->spike_ticks;
    if (!isnan(f->step_ticks))
        all->step_ticks = f->step_ticks;
    all->cpu = f->cpu;
    all->cycles_per_tick = f->cycles_per_tick;
}

void leak_engine_facts(struct leak_engine *e, const struct leak_facts *f)
{
    leak_facts_add(&e->facts, f);
}

void leak_engine_round(struct leak_engine *e)
{
    struct leak_test_set *b = &e->at[LEAK_MAIN];
    if (!b->warm && b->warmup >= LEAK_LEAST_WARMUP) {
        leak_test_set_end_warmup(b);
        settle(e);
    }
    leak_levels_round(&e->levels);
    leak_over_place(&b->over, e->facts.cpu, e->facts.cycles_per_tick);
    leak_test_set_round(b);
    if (b->n)
        look_at_main(e);
    leak_check_end_process(e->at, &e->spike, LEAST_CHECK_WARMUP, e->facts.spike_ticks);
}

/* ln E of the mean clipped at 99 %, of which the average keeps a share: five of all components feel a shift about alike. For each of the
 * scales of tare_log_e_symmetric: ln E = d^2 n^2 / (2 v (n + scale)) - ln(1 + n / scale) / 2 - ln 3. */
double leak_engine_visible(const struct leak_engine *e, int64_t blocks)
{
    static const double scales[] = {1e3, 3e4, 1e6};
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    if (!b->warm || blocks < 1)
        return NAN;
    double n = (double)blocks, least = INFINITY, toll = -log(e->rule.alpha) + log(3 * LEAK_COMPONENTS * b->pairs / 5.0);
    for (int i = 0; i < 3; i++)
        least = fmin(least, 2 * (n + scales[i]) / n / n * (toll + .5 * log1p(n / scales[i])));
    return sqrt(b->mean_scale[LEAK_JUDGED - 1] * least);
}

static void read_pairs(const struct leak_engine *e, struct leak_reading *out)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    int pair = 0;
    out->pairs = b->pairs;
    out->worst = 0;
    for (int first = 0; first < b->k; first++)
        for (int second = first + 1; second < b->k; second++, pair++) {
            struct leak_pair *p = &out->pair[pair];
            *p = (struct leak_pair){.first = first, .second = second, .log_e = leak_pair_log_e(b, pair)};
            leak_size_of_pair(b, pair, p);
            if (p->log_e > out->pair[out->worst].log_e)
                out->worst = pair;
        }
}

/* How far the interval lies from 0, in its widths; below 0 where it holds it. */
static double clear_of_zero(const struct leak_difference *d)
{
    double clear = fmax(d->ticks.low, -d->ticks.high) / (d->ticks.high - d->ticks.low);
    return isnan(clear) ? -INFINITY : clear;
}

/* The same in each session where it can be: sizes at different clips are different figures. Where it shows no difference, the one that shows it best. */
static int headline_of(const struct leak_pair *p)
{
    int best = HEADLINE;
    if (clear_of_zero(&p->at[HEADLINE]) > 0)
        return HEADLINE;
    for (int c = 0; c < LEAK_JUDGED; c++)
        if (clear_of_zero(&p->at[c]) > fmax(0, clear_of_zero(&p->at[best])))
            best = c;
    return best;
}

static void read_components(const struct leak_test_set *b, struct leak_reading *out)
{
    struct leak_component c[LEAK_COMPONENTS];
    int n = leak_components(b, out->worst, c);
    double shape = -INFINITY; /* of what speaks for a location and cannot be a spread: signs and means */
    out->component = c[0];
    for (int f = 0; f < LEAK_FAMILIES; f++)
        out->family_log_e[f] = -INFINITY;
    for (int i = 0; i < n; i++) {
        if (c[i].log_e > out->component.log_e)
            out->component = c[i];
        out->family_log_e[c[i].family] = fmax(out->family_log_e[c[i].family], c[i].log_e);
        if (c[i].family == LEAK_LOCATION && strcmp(c[i].name, "mcnemar") != 0)
            shape = fmax(shape, c[i].log_e);
    }
    /* The mean without a clip feels what those with one do; a tail is what they do not. */
    if (!strcmp(out->component.name, "mean") && out->family_log_e[LEAK_LOCATION] > out->component.log_e / 2)
        out->component.family = LEAK_LOCATION;
    /* A limit far from the middle feels a wider class too. */
    if (out->component.family == LEAK_LOCATION && out->family_log_e[LEAK_SPREAD] > shape)
        out->component.family = LEAK_SPREAD;
}

static void read_evidence(const struct leak_engine *e, struct leak_reading *out)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    out->blocks = b->n;
    out->warmup = b->warmup;
    out->log_e = b->log_e;
    out->log_e_most = b->most;
    out->log10_e = b->log_e / log(10);
    out->found_after = e->found_after;
    out->exact = e->rule.exact;
    out->processes = b->over.pair ? b->over.processes : -1;
    out->median_ticks = b->median;
    out->margin_ticks = b->warm ? e->margin : NAN;
    out->step_ticks = e->rule.step_ticks;
    out->bits_per_call = b->n ? fmax(0, b->log_e) / log(2) / ((double)b->n * b->k) : 0;
    read_components(b, out);
}

void leak_engine_draw(const struct leak_engine *e, const struct leak_reading *read, struct leak_pictures *out)
{
    const struct leak_pair *p = &read->pair[read->worst];
    const struct leak_histogram *first = &e->histogram[p->first], *second = &e->histogram[p->second];
    memset(out, 0, sizeof *out);
    leak_shift_function(first, second, e->base, &e->rule, out->shift);
    out->ecdf_points = leak_ecdf(first, second, e->base, &e->rule, out->ecdf);
    out->looks = e->looks;
    memcpy(out->look, e->look, (size_t)e->looks * sizeof *e->look);
    if (out->looks < LEAK_SERIES_MAX && read->blocks && (out->looks == 0 || out->look[out->looks - 1].blocks < read->blocks))
        out->look[out->looks++] = look_now(e);
    out->epochs = e->levels.n;
    out->epoch_rounds = e->levels.each;
    for (int i = 0; i < out->epochs; i++) {
        const struct leak_level *l = &e->levels.at[i];
        for (int c = 0; c < e->rule.classes; c++)
            out->epoch[i].mean_ticks[c] = l->sum[c] / (double)l->n;
    }
}

static void read_advice(const struct leak_engine *e, struct leak_reading *out)
{
    const struct tare_interval *own = &out->check.aa_ticks, *found = &out->pair[out->worst].at[out->headline].ticks;
    const bool waits = e->rule.selfchecks && out->check.spike_found_after < 0;
    /* judged sizes are inside or will be before as many blocks again */
    const bool nearly =
        out->why == LEAK_WHY_NO_SPIKE || (out->verdict == LEAK_UNDECIDED && out->blocks_to_bound < (double)out->blocks);
    out->check.share_wanted = waits && nearly ? 30 : 0;
    out->check.beyond_harness = fmax(-own->low, own->high) < fabs(found->point);
}

void leak_engine_read(const struct leak_engine *e, struct leak_reading *out)
{
    const struct leak_test_set *b = &e->at[LEAK_MAIN];
    memset(out, 0, sizeof *out);
    read_pairs(e, out);
    read_evidence(e, out);
    leak_selfcheck_read(&e->at[LEAK_AA], &e->spike, e->facts.spike_ticks, b->n, &out->check);
    out->check.order_ticks = leak_running_interval(&e->order, b->n, e->rule.tight_blocks, CHECK_LEVEL);
    out->check.clock_stuck = b->n >= CLOCK_STUCK_FROM && e->least == e->most;
    leak_levels_read(&e->levels, e->rule.classes, &out->check);
    out->headline = headline_of(&out->pair[out->worst]);
    const struct tare_interval *a = &out->pair[out->worst].advantage;
    out->calls_to_distinguish = 2 * log(100) / (a->point * a->point);
    out->calls_to_distinguish_low = 2 * log(100) / (a->high * a->high);
    const bool known = b->over.pair && b->over.with_cycles > 0; /* where its processes ran */
    out->cpus_differ = -1;
    out->cycles_per_tick_low = known ? b->over.cycles_low : NAN;
    out->cycles_per_tick_high = known ? b->over.cycles_high : NAN;
    if (b->over.pair)
        leak_strata_read(&b->over.strata, b->pairs, out->worst, out->headline, 1 - e->rule.confidence, out);
    leak_decide(&e->rule, &e->facts, out);
    read_advice(e, out);
}
