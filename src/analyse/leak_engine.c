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
#include "leak_state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CHECK_WARMUP = 20 };

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

/* ---- start and end ---- */

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

static enum tare_status start_batteries(struct leak_engine *e)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < LEAK_KINDS && !status; i++) {
        int64_t wanted = i == LEAK_MAIN || e->rule.warmup_blocks < LEAK_CHECK_WARMUP ? e->rule.warmup_blocks : LEAK_CHECK_WARMUP;
        status =
            leak_test_set_start(&e->at[i], &e->rule, i == LEAK_MAIN ? e->rule.classes : 2, wanted, e->scratch, i == LEAK_MAIN);
    }
    return status;
}

static enum tare_status start_parts(struct leak_engine *e)
{
    e->scratch = malloc(LEAK_SAMPLE_TIMES * sizeof *e->scratch);
    if (!e->scratch)
        return TARE_NO_MEMORY;
    enum tare_status status = start_batteries(e);
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
        return err_set(err, TARE_NO_MEMORY, "no memory to judge a target");
    e->rule = *rule;
    e->facts = leak_facts_none();
    e->found_after = -1;
    leak_spike_start(&e->spike);
    e->least = INFINITY;
    e->most = -INFINITY;
    e->look_every = e->epoch_rounds = 1;
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

/* ---- looks ---- */

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
    e->look[e->looks++] = leak_look_now(e);
}

static void look_at_main(struct leak_engine *e)
{
    struct leak_test_set *b = &e->at[LEAK_MAIN];
    leak_test_set_look(b);
    if (e->found_after < 0 && b->log_e >= -log(e->rule.alpha))
        e->found_after = b->n;
}

static void look(struct leak_engine *e, enum leak_kind kind)
{
    if (kind == LEAK_MAIN) {
        look_at_main(e);
        keep_look(e);
    } else if (kind == LEAK_SPIKE) {
        leak_spike_look(&e->spike, &e->at[LEAK_SPIKE]);
    } else {
        leak_test_set_look(&e->at[LEAK_AA]);
    }
}

/* ---- feeding ---- */

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
    for (int i = 0; i < b->k; i++) {
        e->least = fmin(e->least, by_class[i]);
        e->most = fmax(e->most, by_class[i]);
        leak_histogram_add(&e->histogram[i], e->base, by_class[i]);
        e->epoch_sum[i] += leak_clipped(&b->limits, LEAK_JUDGED - 1, by_class[i]);
    }
    e->epoch_blocks++;
    leak_running_add(&e->order,
                     leak_clipped(&b->limits, LEAK_JUDGED - 1, last) - leak_clipped(&b->limits, LEAK_JUDGED - 1, first),
                     1 / (double)b->n);
}

static void add_block(struct leak_engine *e, enum leak_kind kind, const double *by_class, double first, double last)
{
    struct leak_test_set *b = &e->at[kind];
    bool was_warm = b->warm;
    if (was_warm && kind == LEAK_SPIKE) /* before the limits move with this block */
        leak_spike_add(&e->spike, b, by_class);
    bool due = leak_test_set_add(b, by_class);
    e->calls += b->k;
    if (was_warm && kind == LEAK_MAIN)
        note_main(e, by_class, first, last);
    if (!was_warm && b->warm && kind == LEAK_MAIN)
        settle(e);
    if (due)
        look(e, kind);
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
        add_block(e, kind, by_class, ticks[i * k], ticks[i * k + k - 1]);
    }
    return TARE_OK;
}

bool leak_by_class(int k, const uint8_t *class, const uint32_t *ticks, double *by_class)
{
    uint32_t seen = 0;
    for (int i = 0; i < k; i++) {
        if (class[i] >= k || seen >> class[i] & 1)
            return false;
        seen |= UINT32_C(1) << class[i];
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

/* ---- the end of a process ---- */

static void merge_epochs(struct leak_engine *e)
{
    e->epoch_rounds *= 2;
    e->epochs /= 2;
    for (int i = 0; i < e->epochs; i++) {
        const struct leak_epoch a = e->epoch[2 * i], b = e->epoch[2 * i + 1];
        double all = (double)(a.blocks + b.blocks);
        e->epoch[i].blocks = a.blocks + b.blocks;
        for (int c = 0; c < e->rule.classes; c++)
            e->epoch[i].mean_ticks[c] = ((double)a.blocks * a.mean_ticks[c] + (double)b.blocks * b.mean_ticks[c]) / all;
    }
}

static void end_epoch(struct leak_engine *e)
{
    if (e->epoch_blocks == 0 || ++e->rounds_in_epoch < e->epoch_rounds)
        return;
    if (e->epochs == LEAK_EPOCHS_MAX)
        merge_epochs(e);
    struct leak_epoch *to = &e->epoch[e->epochs++];
    to->blocks = e->epoch_blocks;
    for (int c = 0; c < e->rule.classes; c++)
        to->mean_ticks[c] = e->epoch_sum[c] / (double)e->epoch_blocks;
    memset(e->epoch_sum, 0, sizeof e->epoch_sum);
    e->epoch_blocks = 0;
    e->rounds_in_epoch = 0;
}

void leak_engine_round(struct leak_engine *e)
{
    for (int i = 0; i < LEAK_KINDS; i++) {
        struct leak_test_set *b = &e->at[i];
        if (!b->warm && b->warmup >= (i == LEAK_MAIN ? LEAK_LEAST_WARMUP : LEAST_CHECK_WARMUP)) {
            leak_test_set_end_warmup(b);
            if (i == LEAK_MAIN)
                settle(e);
        }
    }
    end_epoch(e);
    leak_over_place(&e->at[LEAK_MAIN].over, e->facts.cpu, e->facts.cycles_per_tick);
    for (int i = 0; i < LEAK_KINDS; i++)
        leak_test_set_round(&e->at[i]);
    if (e->at[LEAK_MAIN].n)
        look_at_main(e);
    if (e->at[LEAK_AA].n)
        leak_test_set_look(&e->at[LEAK_AA]);
    if (e->at[LEAK_SPIKE].n)
        leak_spike_look(&e->spike, &e->at[LEAK_SPIKE]);
    leak_spike_end_process(&e->spike, &e->at[LEAK_SPIKE], e->facts.spike_ticks);
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
