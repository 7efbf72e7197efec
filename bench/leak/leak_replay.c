/* SPDX-License-Identifier: MIT
 *
 * leak_replay RAW SEED DELAY SHARE MARGIN: recorded calls once more, with new labels and a planted leak, to tare's engine and to dudect's
 * statistics.
 *
 * RAW is what `tare leak --save FILE` left as FILE.raw, of one target whose classes are the same. A coin of SEED for each block says
 * which of its two calls is class 0: the times are real, with all that this machine does to them, and the labels mean nothing, until DELAY ticks
 * (fractions by chance) are added to SHARE of the calls of class 1. MARGIN in ticks is the margin of the verdict. One line:
 *
 *     seed delay share margin calls  tare_verdict tare_after  t10_after t4.5_after t10_corrected_after t4.5_corrected_after
 *     t_most t_most_corrected  looks missed_50 missed_90 missed_99
 *
 * after: calls until it was found; -1: never. looks, missed: how often the interval of a clipped mean did not hold the planted difference,
 * which is known for each call, at any of the looks before. */
#include "leak_dudect.h"
#include "leak_engine.h"
#include "rng.h"
#include "wire.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DUDECTS = 2, PLANTED_CLIPS = 3, WARMUP_BLOCKS = 500, FIRST_LOOK = 500, LOOK_BLOCKS = 2000 };

struct replay {
    struct rng rng;
    double delay, share;
    struct leak_engine *engine;
    struct leak_dudect *dudect[DUDECTS]; /* thresholds 10 and 4.5 */
    struct leak_reading *reading;
    int64_t calls, found_after;
    uint32_t step;                                      /* all times are multiples of it */
    double planted[PLANTED_CLIPS], clip[PLANTED_CLIPS]; /* sums of the true differences, by the level of that time */
    int64_t counted;                                    /* calls behind the warm-up */
    int64_t looks, missed[PLANTED_CLIPS];
    int64_t blocks, next_look; /* behind the warm-up */
};

static void fail(const char *what, const char *more)
{
    fprintf(stderr, "leak_replay: %s%s%s\n", what, more && *more ? ": " : "", more ? more : "");
    exit(6);
}

static char *read_uint(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && !fseek(f, 0, SEEK_END))
        size = ftell(f);
    char *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!bytes || fseek(f, 0, SEEK_SET) || fread(bytes, 1, (size_t)size, f) != (size_t)size)
        fail("cannot read", path);
    fclose(f);
    *n = (size_t)size;
    return bytes;
}

/* Of one bracket with `repeat` calls: whole steps of the clock, fractions by chance, as a clock of that step would read it. */
static uint32_t planted_ticks(struct replay *p, uint32_t repeat)
{
    double sum = 0;
    for (uint32_t i = 0; i < repeat; i++)
        sum += p->share >= 1 || rng_uniform(&p->rng) < p->share ? p->delay : 0;
    return (uint32_t)floor(sum / p->step + rng_uniform(&p->rng)) * p->step;
}

static double clipped(double ticks, double level)
{
    return ticks < level ? ticks : level;
}

/* What the planted delay makes of the clipped mean, had this call been of class 1: known, for we plant it. */
static void count_truth(struct replay *p, uint32_t ticks, uint32_t more)
{
    if (!p->looks)
        return;
    for (int i = 0; i < PLANTED_CLIPS; i++)
        p->planted[i] += clipped((double)ticks + more, p->clip[i]) - clipped(ticks, p->clip[i]);
    p->counted++;
}

static void plant(struct replay *p, const struct wire_blocks *b, uint32_t from, uint32_t n, uint8_t *class, uint32_t *ticks)
{
    for (uint32_t i = 0; i < n; i++) {
        bool turned = rng_next(&p->rng) >> 63;
        for (uint32_t j = 0; j < 2; j++) {
            size_t at = (size_t)i * 2 + j, source = (size_t)(from + i) * 2 + j;
            uint32_t more = planted_ticks(p, b->repeat ? b->repeat : 1), time = wire_ticks_at(b->ticks, source);
            class[at] = (uint8_t)(b->classes[source] ^ turned);
            count_truth(p, time, more);
            ticks[at] = time + (class[at] ? more : 0);
        }
    }
}

/* Each interval against the difference that was planted in the calls so far. */
static void check_intervals(struct replay *p)
{
    const struct leak_pair *pair = &p->reading->pair[p->reading->worst];
    for (int i = 0; i < PLANTED_CLIPS; i++) {
        const struct leak_difference *d = &pair->at[i];
        double truth = p->counted ? p->planted[i] / (double)p->counted : NAN;
        if (p->counted && isfinite(d->ticks.low) && (truth < d->ticks.low || truth > d->ticks.high))
            p->missed[i]++;
        p->clip[i] = d->clip_ticks;
    }
}

static void look(struct replay *p)
{
    leak_engine_round(p->engine);
    leak_engine_read(p->engine, p->reading);
    check_intervals(p);
    if (p->found_after < 0 && p->reading->found_after >= 0)
        p->found_after = p->calls;
    p->next_look = !p->looks++ ? FIRST_LOOK : p->next_look < LOOK_BLOCKS ? 2 * p->next_look : p->next_look + LOOK_BLOCKS;
}

static void give(struct replay *p, enum leak_kind kind, uint32_t n, const uint8_t *class, const uint32_t *ticks)
{
    struct tare_err err;
    if (leak_engine_blocks(p->engine, kind, 2, n, class, ticks, &err))
        fail("the engine refuses the calls", err.text);
}

/* In pieces, with a look after each: the first one ends the warm-up, which sets the levels of the clips, and later ones are where the engine
 * moves them (500, 1000, 2000, 4000 ... blocks), so that it is known which level was when. */
static void take_main(struct replay *p, const struct wire_blocks *b, uint8_t *class, uint32_t *ticks)
{
    for (uint32_t from = 0, n; from < b->n; from += n) {
        int64_t until = (p->looks ? p->next_look : WARMUP_BLOCKS) - p->blocks;
        n = b->n - from < until ? b->n - from : (uint32_t)until;
        plant(p, b, from, n, class, ticks);
        give(p, LEAK_MAIN, n, class, ticks);
        p->calls += 2 * (int64_t)n;
        p->blocks += n;
        for (int i = 0; i < DUDECTS; i++)
            leak_dudect_calls(p->dudect[i], 2 * (int64_t)n, class, ticks);
        if (n == until) {
            p->blocks = p->looks ? p->blocks : 0;
            look(p);
        }
    }
}

static void take_blocks(struct replay *p, const struct wire_blocks *b)
{
    size_t n = (size_t)b->n * b->k;
    uint8_t *class = malloc(n + 1);
    uint32_t *ticks = malloc((n + 1) * sizeof *ticks);
    if (b->kind > WIRE_SPIKE || b->k != 2 || !class || !ticks)
        fail("the file is of another kind", "two classes are needed");
    if (b->kind == WIRE_MAIN) {
        take_main(p, b, class, ticks);
    } else {
        wire_ticks_copy(b->ticks, n, ticks);
        give(p, b->kind == WIRE_AA ? LEAK_AA : LEAK_SPIKE, b->n, b->classes, ticks);
    }
    free(class);
    free(ticks);
}

static void take_frame(struct replay *p, const struct wire_frame *f)
{
    if (f->type == WIRE_BLOCKS) {
        take_blocks(p, &f->u.blocks);
    } else if (f->type == WIRE_TARGET_END) {
        struct leak_facts facts = leak_facts_none();
        facts.spike_ticks = f->u.target_end.spike_ticks;
        leak_engine_facts(p->engine, &facts);
    }
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint32_t clock_step(const void *bytes, size_t size)
{
    struct wire_reader reader = {bytes, size, 0};
    struct wire_frame f;
    uint32_t step = 0;
    while (wire_next(&reader, &f, NULL) == TARE_OK)
        for (size_t i = 0; f.type == WIRE_BLOCKS && i < (size_t)f.u.blocks.n * f.u.blocks.k; i++)
            step = common_divisor(step, wire_ticks_at(f.u.blocks.ticks, i));
    return step ? step : 1;
}

static void open_engines(struct replay *p, double margin)
{
    static const double thresholds[DUDECTS] = {10, 4.5};
    struct tare_err err;
    struct leak_rule rule = leak_rule_default(2);
    rule.margin_ticks = margin;
    rule.processes = false; /* one stream */
    p->reading = calloc(1, sizeof *p->reading);
    if (!p->reading || leak_engine_create(&rule, &p->engine, &err))
        fail("no engine", p->reading ? err.text : "no memory");
    for (int i = 0; i < DUDECTS; i++) {
        struct leak_dudect_rule d = leak_dudect_rule_default();
        d.threshold = thresholds[i];
        if (leak_dudect_create(&d, &p->dudect[i], &err))
            fail("no dudect", err.text);
    }
    for (int i = 0; i < PLANTED_CLIPS; i++)
        p->clip[i] = NAN;
}

static void tell(const struct replay *p, const char *seed, double margin)
{
    struct leak_dudect_reading d[DUDECTS];
    for (int i = 0; i < DUDECTS; i++)
        leak_dudect_read(p->dudect[i], &d[i]);
    printf("%s\t%g\t%g\t%g\t%lld\t%s\t%lld", seed, p->delay, p->share, margin, (long long)p->calls,
           leak_verdict_name(p->reading->verdict), (long long)p->found_after);
    printf("\t%lld\t%lld\t%lld\t%lld\t%.3g\t%.3g", (long long)d[0].published.over_after, (long long)d[1].published.over_after,
           (long long)d[0].corrected.over_after, (long long)d[1].corrected.over_after, d[0].published.t_most,
           d[0].corrected.t_most);
    printf("\t%lld", (long long)p->looks);
    for (int i = 0; i < PLANTED_CLIPS; i++)
        printf("\t%lld", (long long)p->missed[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fputs("usage: leak_replay RAW SEED DELAY SHARE MARGIN\n", stderr);
        return 2;
    }
    struct replay p = {
        .rng = rng_seeded(strtoull(argv[2], NULL, 10)), .delay = atof(argv[3]), .share = atof(argv[4]), .found_after = -1};
    size_t n;
    char *bytes = read_uint(argv[1], &n);
    struct wire_reader reader = {bytes, n, 0};
    struct wire_frame frame;
    struct tare_err err;
    enum tare_status status;
    p.step = clock_step(bytes, n);
    open_engines(&p, atof(argv[5]));
    while ((status = wire_next(&reader, &frame, &err)) == TARE_OK)
        take_frame(&p, &frame);
    if (status == TARE_FORMAT)
        fail("the file cannot be read", err.text);
    look(&p);
    tell(&p, argv[2], atof(argv[5]));
    leak_engine_destroy(p.engine);
    for (int i = 0; i < DUDECTS; i++)
        leak_dudect_destroy(p.dudect[i]);
    free(p.reading);
    free(bytes);
    return 0;
}
