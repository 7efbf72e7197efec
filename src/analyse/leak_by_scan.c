/* SPDX-License-Identifier: MIT
 *
 * Which bits of a secret change the time (leak_scan.h). */
#include "leak_method.h"
#include "leak_scan.h"
#include <math.h>
#include <stdlib.h>

struct scan {
    struct leak_scan *engine;
    struct leak_scan_reading reading;
    struct leak_bit *bits;
    struct buf text; /* of those that leak */
};

static enum tare_status create(struct leak_judge *j, const struct wire_target *t, struct tare_err *err)
{
    struct leak_rule rule;
    (void)t;
    enum tare_status status = leak_rule_of(j, &rule, err);
    struct scan *s = j->state = status ? NULL : calloc(1, sizeof *s);
    if (status)
        return status;
    if (!s || !(s->bits = calloc((size_t)j->secret_bytes * 8 + 1, sizeof *s->bits)))
        return err_set(err, TARE_NO_MEMORY, "no memory for %d bytes of secret", j->secret_bytes);
    s->text = BUF_INIT(1 << 16);
    return leak_scan_create(j->secret_bytes, &rule, &s->engine, err);
}

static void destroy(void *state)
{
    struct scan *s = state;
    if (!s)
        return;
    leak_scan_destroy(s->engine);
    buf_finish(&s->text);
    free(s->bits);
    free(s);
}

static void take_calls(struct leak_judge *j, const struct wire_calls *c, const uint32_t *ticks)
{
    static const enum leak_kind kinds[WIRE_BLOCKS_KINDS] = {
        [WIRE_MAIN] = LEAK_MAIN, [WIRE_AA] = LEAK_AA, [WIRE_SPIKE] = LEAK_SPIKE, [WIRE_GROWTH_SIZES] = LEAK_MAIN};
    leak_scan_calls(((const struct scan *)j->state)->engine, kinds[c->kind], c->n, c->secrets, ticks);
}

static void end_process(void *state, const struct leak_facts *facts)
{
    const struct scan *s = state;
    leak_scan_facts(s->engine, facts);
    leak_scan_round(s->engine);
}

static void put_bits(struct buf *b, const struct leak_bit *bits, int n)
{
    enum { SHOWN = 24 };
    int shown = 0, leaking = 0;
    buf_clear(b);
    for (int i = 0; i < n; i++) {
        leaking += bits[i].leaks;
        if (bits[i].leaks && shown++ < SHOWN)
            buf_format(b, "%s%d.%d", b->len ? ", " : "", i / 8, i % 8);
    }
    if (leaking > SHOWN)
        buf_format(b, " and %d more", leaking - SHOWN);
}

static void read_scan(struct leak_judge *j, struct leak_target *t)
{
    struct scan *s = j->state;
    const struct leak_scan_reading *r = &s->reading;
    const struct leak_bit *bits = s->bits;
    leak_scan_read(s->engine, &s->reading, s->bits);
    const struct leak_bit *worst = &bits[r->worst];
    const double ns = leak_ns_per_tick(j), cycles = leak_cycles_per_tick(j);
    j->now.log_e = r->log_e;
    j->now.margin_ticks = r->margin_ticks;
    t->verdict = leak_verdict_of(r->verdict);
    t->why = leak_reason_text(r->why == LEAK_WHY_AA ? LEAK_WHY_AA_SCAN : r->why);
    t->decided = r->stop;
    t->log10_e = leak_decimal(r->log_e);
    t->log10_e_most = leak_decimal(r->log_e_most);
    t->blocks = (double)r->calls;
    t->blocks_needed = r->calls_needed;
    t->margin_ns = r->margin_ticks * ns;
    t->median_ns = (r->median_ticks - j->pair_ticks) * ns;
    t->scan_bits = r->bits;
    t->scan_leaking = r->leaking;
    t->scan_worst_bit = r->worst;
    t->scan_weight_leaks = r->weight_leaks;
    t->scan_weight_log10_e = leak_decimal(r->weight_log_e);
    t->exact = false;
    t->processes = (double)r->processes;
    leak_put_checks(j, &r->check, t);
    t->beyond_harness = r->check.aa_blocks > 1 ? r->check.beyond_harness : NAN;
    leak_scaled(&worst->ticks, ns, &t->difference_ns, &t->low_ns, &t->high_ns);
    leak_scaled(&worst->ticks, cycles, &t->difference_cycles, &t->low_cycles, &t->high_cycles);
    leak_scaled(&r->weight_ticks, ns, &t->scan_weight_ns, &t->scan_weight_low_ns, &t->scan_weight_high_ns);
    t->least_ns = INFINITY;
    t->most_ns = -INFINITY;
    for (int i = 0; i < r->bits; i++) {
        t->least_ns = fmin(t->least_ns, bits[i].ticks.low * ns);
        t->most_ns = fmax(t->most_ns, bits[i].ticks.high * ns);
    }
    put_bits(&s->text, bits, r->bits);
    t->bits = s->text.len ? buf_text(&s->text) : NULL;
}

static int draw(struct leak_judge *j, struct leak_target *t, struct arena *arena, struct chart *out)
{
    const struct scan *s = j->state;
    const struct leak_chart_words words = leak_chart_words_of(j, t);
    return leak_scan_charts(&s->reading, s->bits, &words, arena, out);
}

const struct leak_method leak_by_scan = {.kind = "scan",
                                         .create = create,
                                         .destroy = destroy,
                                         .calls = take_calls,
                                         .end_process = end_process,
                                         .read = read_scan,
                                         .draw = draw};
