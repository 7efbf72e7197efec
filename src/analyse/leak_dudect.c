/* SPDX-License-Identifier: MIT
 *
 * dudect (Reparaz, Balasch and Verbauwhede 2017; its library as of 2024) and the variant in lab0-c (2025), on a stream of calls.
 *
 * Batches of N. dudect: the first sets the cropping limits, element floor(p N) of its sorted times with p = 1 - 2^(-10 i/100), i = 1..100,
 * and is not used otherwise. From each later batch all but the first 10 and the last go into Welch's t-tests of the two classes: the raw times;
 * for each limit the times strictly below it; and, once class 0 has more than 10000 raw times, the squares of the distance from the running
 * raw mean of the own class. The largest |t| of the tests in which class 0 has more than 10000 counts: over 500 "definitely not", over the
 * threshold (10) "probably not", else "maybe".
 * lab0-c: N = 150, the first and last 20 of which are dropped; one test, of the raw times. No least count. The word of a try is that of its 91st
 * batch; one try of ten that passes is a pass. Since 2025 it crops too, by limits anew from each batch, which is sorted in place
 * for them: the times meet the labels of other calls, and what is dropped are the fastest and the slowest. Tests are not emptied between tries.
 *
 * Corrected, only where it is a plain defect:
 *   - second order: distance from the first batch's median, of times capped at the highest limit. With a running mean and no cap one
 *     preemption makes thousands of squares of its class too large
 *   - a test may speak when both classes have enough counts, not class 0 alone (lab0-c: at least 1000 each)
 *   - times at a limit are inside, and limits that coincide are one test: with < a coarse clock leaves crops empty
 *   - lab0-c: labels stay with their times; drops are of the first and last in time; limits are those of the first batch, so that no
 *     time is cropped by itself; tests are emptied between tries
 * Not corrected, for they are the method: one threshold for a hundred tests and any number of looks, limits that grow stale, Welch's assumption
 * of independent times, no size, no end.
 *
 * A sample goes into the bin between two limits; crops are sums of bins, merged when they are looked at (Chan, Golub and LeVeque),
 * which differs from feeding each crop by rounding alone. Smallest n: as said. Constant times: t is infinite where they are not those of the
 * other class, as in dudect; else it has no value, and is not the largest.
 */
#include "leak_dudect.h"
#include "buf.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { ENOUGH = 10000, LAB0_LEAST = 1000, CROPS_MAX = LEAK_DUDECT_TESTS_MAX - 2 };
static const double BANANAS = 500;

struct welch {
    struct tare_moments side[2];
};

struct judge {
    bool corrected, has_limits;
    struct welch raw, second, bin[CROPS_MAX + 1];
    double limit[CROPS_MAX], centre, cap;
    int batches, tries; /* of this try; over */
    bool done;
    struct leak_dudect_said said;
    double t_second;
};

struct leak_dudect {
    struct leak_dudect_rule rule;
    int64_t calls, batches;
    int n;
    uint8_t *class;
    double *ticks, *sorted;
    struct judge published, corrected;
};

struct leak_dudect_rule leak_dudect_rule_default(void)
{
    return (struct leak_dudect_rule){
        .measurements = 10000, .drop = 10, .drop_end = 1, .percentiles = 100, .order = 2, .threshold = 10, .least = 10000};
}

struct leak_dudect_rule leak_dudect_rule_lab0(void)
{
    return (struct leak_dudect_rule){
        .measurements = 150, .drop = 20, .drop_end = 20, .order = 1, .threshold = 10, .least = 0, .batches = 91, .tries = 10};
}

const char *leak_dudect_word_text(enum leak_dudect_word w)
{
    static const char *const texts[LEAK_DUDECT_WORDS] = {
        [LEAK_DUDECT_NOT_YET] = "not enough measurements",
        [LEAK_DUDECT_MAYBE] = "for the moment, maybe constant time",
        [LEAK_DUDECT_PROBABLY_NOT] = "probably not constant time",
        [LEAK_DUDECT_DEFINITELY_NOT] = "definitely not constant time",
    };
    return texts[w];
}

static double t_of(const struct welch *w)
{
    double error = 0;
    for (int i = 0; i < 2; i++)
        error += tare_moments_variance(&w->side[i]) / (double)w->side[i].n;
    const double off = w->side[0].mean - w->side[1].mean;
    return error > 0 ? off / sqrt(error) : error == 0 && off != 0 ? copysign(INFINITY, off) : NAN;
}

/* The first crop that takes x; beyond the last there is a bin too. */
static int bin_of(const struct judge *j, int crops, double x)
{
    int low = 0, high = crops;
    while (low < high) {
        int middle = (low + high) / 2;
        if (j->corrected ? x <= j->limit[middle] : x < j->limit[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void take_time(const struct leak_dudect *d, struct judge *j, int class, double x)
{
    tare_moments_add(&j->raw.side[class], x);
    if (d->rule.percentiles)
        tare_moments_add(&j->bin[bin_of(j, d->rule.percentiles, x)].side[class], x);
    if (d->rule.order < 2)
        return;
    if (j->corrected) {
        double off = fmin(x, j->cap) - j->centre;
        tare_moments_add(&j->second.side[class], off * off);
    } else if (j->raw.side[0].n > ENOUGH) {
        double off = x - j->raw.side[class].mean;
        tare_moments_add(&j->second.side[class], off * off);
    }
}

struct largest {
    double t;
    int test;
    double n;
};

static double t_of_enough(const struct leak_dudect *d, const struct judge *j, const struct welch *w)
{
    double least = j->corrected && d->rule.batches ? fmax(d->rule.least, LAB0_LEAST) : d->rule.least;
    bool may = (double)w->side[0].n > least && (!j->corrected || (double)w->side[1].n > least);
    return may ? t_of(w) : NAN;
}

static void consider(const struct leak_dudect *d, const struct judge *j, const struct welch *w, int test, struct largest *most)
{
    double t = t_of_enough(d, j, w);
    if (fabs(t) > fabs(most->t))
        *most = (struct largest){t, test, (double)(w->side[0].n + w->side[1].n)};
}

static bool is_own_crop(const struct leak_dudect *d, const struct judge *j, int i)
{
    return !j->corrected || i + 1 == d->rule.percentiles || j->limit[i] < j->limit[i + 1];
}

static void speak(const struct leak_dudect *d, struct judge *j)
{
    struct largest most = {0, 0, (double)(j->raw.side[0].n + j->raw.side[1].n)};
    struct welch crop = {0};
    j->t_second = d->rule.order > 1 ? t_of(&j->second) : NAN;
    consider(d, j, &j->raw, 0, &most);
    for (int i = 0; i < d->rule.percentiles; i++) {
        for (int side = 0; side < 2; side++)
            tare_moments_merge(&crop.side[side], &j->bin[i].side[side]);
        if (is_own_crop(d, j, i))
            consider(d, j, &crop, i + 1, &most);
    }
    if (d->rule.order > 1)
        consider(d, j, &j->second, d->rule.percentiles + 1, &most);
    double size = fabs(most.t);
    struct leak_dudect_said *s = &j->said;
    s->t = most.t;
    s->test = most.test;
    s->samples = most.n;
    double enough = d->rule.least > 0 ? most.n : (double)(j->raw.side[0].n + j->raw.side[1].n);
    s->word = enough < ENOUGH            ? LEAK_DUDECT_NOT_YET
              : size > BANANAS           ? LEAK_DUDECT_DEFINITELY_NOT
              : size > d->rule.threshold ? LEAK_DUDECT_PROBABLY_NOT
                                         : LEAK_DUDECT_MAYBE;
    if (s->word == LEAK_DUDECT_NOT_YET)
        return;
    s->t_most = fmax(s->t_most, size);
    if (s->over_after < 0 && size > d->rule.threshold)
        s->over_after = d->calls;
}

static void end_batch_of_try(const struct leak_dudect *d, struct judge *j)
{
    if (d->rule.batches == 0 || ++j->batches < d->rule.batches)
        return;
    j->batches = 0;
    j->said.tries = ++j->tries;
    j->said.passed = j->said.word == LEAK_DUDECT_MAYBE;
    j->done = j->said.over = j->said.passed || j->tries >= d->rule.tries;
    if (j->corrected && !j->done) {
        memset(&j->raw, 0, sizeof j->raw);
        memset(&j->second, 0, sizeof j->second);
        memset(j->bin, 0, sizeof j->bin);
        j->has_limits = false;
    }
}

/* Whether the batch is spent on limits alone. */
static bool limits_only(const struct leak_dudect *d, struct judge *j)
{
    bool every = d->rule.sorted_in_place && !j->corrected, first = !j->has_limits;
    if (d->rule.batches && !d->rule.percentiles && d->rule.order < 2) /* without crops no batch is spent on limits */
        return false;
    if (every || first) {
        int n = d->rule.measurements;
        for (int i = 0; i < d->rule.percentiles; i++)
            j->limit[i] = d->sorted[(int)((1 - pow(.5, 10.0 * (i + 1) / d->rule.percentiles)) * n)];
        j->centre = d->sorted[n / 2];
        j->cap = d->rule.percentiles ? j->limit[d->rule.percentiles - 1] : d->sorted[(int)(.999 * n)];
        j->has_limits = true;
    }
    return first && !every;
}

static void judge_batch(const struct leak_dudect *d, struct judge *j)
{
    if (j->done)
        return;
    const double *ticks = d->rule.sorted_in_place && !j->corrected ? d->sorted : d->ticks;
    if (limits_only(d, j))
        return;
    for (int i = d->rule.drop; i < d->rule.measurements - d->rule.drop_end; i++)
        take_time(d, j, d->class[i], ticks[i]);
    speak(d, j);
    end_batch_of_try(d, j);
}

static const char *fault_of(const struct leak_dudect_rule *r)
{
    if (r->measurements < 2 || r->measurements > LEAK_DUDECT_MEASUREMENTS_MAX)
        return "a batch has 2 to 1000000 measurements";
    if (r->drop < 0 || r->drop_end < 0 || r->drop + r->drop_end >= r->measurements)
        return "a batch cannot drop all of its measurements";
    if (r->percentiles < 0 || r->percentiles > CROPS_MAX)
        return "0 to 100 percentiles can be cropped at";
    if ((r->order != 1 && r->order != 2) || !(r->threshold > 0) || !(r->least >= 0) || r->batches < 0 || r->tries < 0)
        return "the order is 1 or 2, the threshold above 0";
    return NULL;
}

enum tare_status leak_dudect_create(const struct leak_dudect_rule *rule, struct leak_dudect **out, struct tare_err *err)
{
    *out = NULL;
    const char *fault = fault_of(rule);
    if (fault)
        return err_set(err, TARE_INVALID, "%s", fault);
    struct leak_dudect *d = calloc(1, sizeof *d);
    if (!d)
        return err_no_memory(err);
    d->rule = *rule;
    d->corrected.corrected = true;
    d->published.said.over_after = d->corrected.said.over_after = -1;
    d->class = malloc((size_t)rule->measurements);
    d->ticks = malloc((size_t)rule->measurements * sizeof *d->ticks);
    d->sorted = malloc((size_t)rule->measurements * sizeof *d->sorted);
    if (!d->class || !d->ticks || !d->sorted) {
        leak_dudect_destroy(d);
        return err_set(err, TARE_NO_MEMORY, "no memory for a batch of %d measurements", rule->measurements);
    }
    *out = d;
    return TARE_OK;
}

void leak_dudect_destroy(struct leak_dudect *d)
{
    if (!d)
        return;
    free(d->class);
    free(d->ticks);
    free(d->sorted);
    free(d);
}

void leak_dudect_calls(struct leak_dudect *d, int64_t n, const uint8_t *class, const uint32_t *ticks)
{
    for (int64_t i = 0; i < n; i++) {
        if (class[i] > 1)
            continue;
        d->class[d->n] = class[i];
        d->ticks[d->n++] = ticks[i];
        d->calls++;
        if (d->n == d->rule.measurements) {
            d->batches++;
            d->n = 0;
            memcpy(d->sorted, d->ticks, (size_t)d->rule.measurements * sizeof *d->sorted);
            tare_sort(d->sorted, d->rule.measurements);
            judge_batch(d, &d->published);
            judge_batch(d, &d->corrected);
        }
    }
}

void leak_dudect_read(const struct leak_dudect *d, struct leak_dudect_reading *out)
{
    *out = (struct leak_dudect_reading){
        .published = d->published.said, .corrected = d->corrected.said, .t_second = d->batches ? d->corrected.t_second : NAN};
    const struct judge *j = &d->corrected;
    const double all = (double)(j->raw.side[0].n + j->raw.side[1].n);
    struct welch crop = {0};
    out->n_crops = d->rule.percentiles;
    out->t_raw = t_of_enough(d, j, &j->raw);
    for (int i = 0; i < out->n_crops; i++) {
        for (int side = 0; side < 2; side++)
            tare_moments_merge(&crop.side[side], &j->bin[i].side[side]);
        out->crop_part[i] = all > 0 ? (double)(crop.side[0].n + crop.side[1].n) / all : NAN;
        out->crop_t[i] = is_own_crop(d, j, i) ? t_of_enough(d, j, &crop) : NAN;
    }
}
