/* SPDX-License-Identifier: MIT */
#include "bench_process.h"
#include "fnv.h"
#include "plat.h"
#include "units.h"
#include <math.h>
#include <string.h>

static const char *const ids[] = {
#define BENCH_METRIC(id, title, unit, kind, direction) #id,
#include "bench_metrics.def"
#define BENCH_COLUMN(id, title, unit) #id,
#include "bench_columns.def"
};

const char *bench_column(int index)
{
    return index >= 0 && index < BENCH_COLUMNS ? ids[index] : NULL;
}

static const struct {
    const char *id;
    enum wire_column column;
} sample_columns[] = {
    {"iterations", WIRE_ITERATIONS},
    {"ticks", WIRE_TICKS},
    {"empty_ticks", WIRE_EMPTY_TICKS},
    {"chain_before", WIRE_CHAIN_BEFORE},
    {"chain_after", WIRE_CHAIN_AFTER},
    {"first_cpu", WIRE_FIRST_CPU},
    {"last_cpu", WIRE_LAST_CPU},
    {"first_ticks", WIRE_FIRST_TICKS},
    {"cpu_ns", WIRE_CPU_NS},
    {"delay_ns", WIRE_DELAY_NS},
    {"throttled_ns", WIRE_THROTTLED_NS},
    {"voluntary", WIRE_VOLUNTARY},
    {"involuntary", WIRE_INVOLUNTARY},
    {"minflt", WIRE_MINFLT},
    {"majflt", WIRE_MAJFLT},
};

enum { SAMPLE_COLUMNS = sizeof sample_columns / sizeof *sample_columns };

const char *const *bench_sample_columns(int *n)
{
    static const char *names[SAMPLE_COLUMNS];
    for (int i = 0; i < SAMPLE_COLUMNS; i++)
        names[i] = sample_columns[i].id;
    *n = SAMPLE_COLUMNS;
    return names;
}

void bench_variable(const struct bench_request *q, uint64_t seed, struct buf *out)
{
    struct wire_request w = q->asked;
    w.seed = seed;
    w.clock_size = (uint32_t)strlen(q->asked.clock);
    buf_str(out, WIRE_VARIABLE "=");
    wire_request_write(out, &w);
    for (int i = 0; i < q->n_events; i++)
        wire_request_count(out, q->events[i].name, q->events[i].type, q->events[i].config, q->events[i].user_only);
    wire_request_add(out, q->benchmark, q->iterations);
}

static void trouble(struct bench_report *out, const char *text, const char *more)
{
    if (out->trouble[0])
        return;
    struct buf b = buf_over(out->trouble, sizeof out->trouble);
    buf_format(&b, "%s%s%.200s", text, more && *more ? ": " : "", more ? more : "");
}

static const char twice[] = "reported twice: a process that it forked went on measuring",
                  not_asked[] = "reports on a benchmark that was not asked for";

static void take_hello(struct bench_report *out, const struct wire_frame *f)
{
    if (out->has_hello)
        trouble(out, twice, NULL);
    out->has_hello = true;
    out->hello = f->u.hello;
    if (f->u.hello.version != WIRE_VERSION)
        trouble(out, "speaks another version of tare's record; build it with this tare's library", NULL);
    else if (*f->u.hello.trouble)
        trouble(out, f->u.hello.trouble, NULL);
}

static void take_bench(struct bench_report *out, const struct wire_frame *f, const struct bench_request *q)
{
    if (out->has_bench || strcmp(f->u.bench.name, q->benchmark) != 0)
        trouble(out, not_asked, f->u.bench.name);
    out->has_bench = true;
    out->bench = f->u.bench;
}

static void take_frame(struct bench_report *out, const struct wire_frame *f, const struct bench_request *q)
{
    switch (f->type) {
    case WIRE_HELLO:
        take_hello(out, f);
        break;
    case WIRE_CLOCK:
        if (out->has_clock)
            trouble(out, twice, NULL);
        out->has_clock = true;
        out->clock = f->u.clock;
        break;
    case WIRE_BENCH:
        take_bench(out, f, q);
        break;
    case WIRE_SAMPLES:
        if (!out->has_bench)
            trouble(out, "reports samples before the benchmark that they are of", NULL);
        else if (f->u.samples.bench != out->bench.index)
            trouble(out, not_asked, NULL);
        else if (out->has_end)
            trouble(out, twice, NULL);
        if (!f->u.samples.thread)
            out->samples += (int)f->u.samples.n;
        break;
    case WIRE_END:
        if (out->has_end)
            trouble(out, twice, NULL);
        if (!out->has_bench || f->u.end.bench != out->bench.index)
            trouble(out, not_asked, NULL);
        out->has_end = true;
        out->end = f->u.end;
        break;
    case WIRE_BYE:
        if (out->has_bye)
            trouble(out, twice, NULL);
        out->has_bye = true;
        out->bye = f->u.bye;
        break;
    default: /* of leak targets, or of a newer program */
        break;
    }
}

struct told {                               /* by thread 0 in all */
    double ticks, beside_ticks, iterations; /* beside: of the empty brackets and the reference chains */
    int samples, counted, backwards;
};

static double known_ticks(int64_t ticks)
{
    return ticks > 0 ? (double)ticks : 0;
}

static bool below_zero(int64_t value)
{
    return value < 0 && value != WIRE_NONE;
}

static double scale_of(const struct wire_samples *s, uint32_t row)
{
    const int64_t scale = wire_sample(s, WIRE_SCALE, row);
    return scale == WIRE_NONE ? 1 : (double)scale;
}

static struct told hold_samples(struct bench_report *out)
{
    struct told told = {0};
    struct wire_reader reader = {out->bytes, out->n, 0};
    struct wire_frame f;
    while (!out->trouble[0] && !wire_next(&reader, &f, NULL))
        for (uint32_t i = 0; f.type == WIRE_SAMPLES && !f.u.samples.thread && i < f.u.samples.n; i++) {
            /* Ticks below 0 are a clock that ran backwards, which its program notes in the flags. */
            const int64_t iterations = wire_sample(&f.u.samples, WIRE_ITERATIONS, i),
                          ticks = wire_sample(&f.u.samples, WIRE_TICKS, i),
                          empty = wire_sample(&f.u.samples, WIRE_EMPTY_TICKS, i),
                          chain = wire_sample(&f.u.samples, WIRE_CHAIN_AFTER, i),
                          flags = wire_sample(&f.u.samples, WIRE_FLAGS, i);
            const double scale = scale_of(&f.u.samples, i);
            told.samples++;
            told.counted += flags == WIRE_NONE || !(flags & WIRE_WARMUP);
            if (!(scale >= 1 && (double)iterations >= scale))
                trouble(out, "reports what is impossible", "a sample of less than 1 iteration");
            else if ((ticks < 0 || below_zero(empty)) && !(flags != WIRE_NONE && flags & ROW_CLOCK))
                trouble(out, "reports what is impossible", "a sample of less than 0 ticks");
            else if (ticks < 0 || below_zero(empty))
                told.backwards++;
            else {
                told.ticks += (double)ticks / scale;
                told.beside_ticks += known_ticks(empty) + known_ticks(chain); /* the chain before may be the last one's */
                told.iterations += (double)iterations / scale;
            }
        }
    return told;
}

/* Samples, and the empty brackets and reference chains next to them, follow one another, so all of them together fit into the time that the process had. What a program times by a clock of its own (manual time)
 * may be any time: of that only the iterations are held. No loop counts down faster than 64 times in a nanosecond; a reading may be off by a step. */
static void hold_report(struct bench_report *out, const struct bench_request *q, double had_ns)
{
    const double hz = out->clock.hz, per_ns = 64;
    const bool manual = out->bench.flags & WIRE_MANUAL_TIME;
    const struct told told = hold_samples(out);
    const double per_tick_ns = manual ? 1 : 1e9 / hz, took_ns = told.ticks * per_tick_ns,
                 all_ns = took_ns + told.beside_ticks * per_tick_ns, most_ns = manual ? RECORD_NS_MOST : had_ns,
                 rounding_ns = told.samples * fmax(1, fmax(1, out->clock.step_ticks) * per_tick_ns),
                 within_ns = manual ? had_ns : fmin(had_ns, took_ns + rounding_ns);
    char text[120];
    struct buf b = buf_over(text, sizeof text);
    if (told.samples && !told.counted)
        trouble(out, "measured no sample after its warmup", NULL);
    if (!(hz >= WIRE_HZ_LEAST && hz <= WIRE_HZ_MOST))
        buf_format(&b, "its clock cannot run at %s", scaled_text("Hz", hz).at);
    else if (2 * told.backwards >= told.samples)
        buf_str(&b, "its clock ran backwards in half of its samples");
    else if (all_ns > most_ns)
        buf_format(&b, "its samples cannot have taken %s: it had %s", scaled_text("ns", all_ns).at,
                   scaled_text("ns", most_ns).at);
    else if ((!q->others_iterations && told.iterations > per_ns * within_ns) || (double)out->end.iterations > per_ns * had_ns)
        buf_format(&b, "it cannot have made %.3g iterations in %s", fmax(told.iterations, (double)out->end.iterations),
                   scaled_text("ns", within_ns).at);
    else if (below_zero(out->end.peak_bytes) || below_zero(out->end.before_bytes))
        buf_str(&b, "memory of less than 0 bytes");
    if (b.len)
        trouble(out, "reports what is impossible", buf_text(&b));
}

static void judge_report(struct bench_report *out, const struct bench_request *q, double had_ns)
{
    if (!out->has_hello)
        trouble(out, "reported nothing: it closed descriptor 3, or is not built with libtare", NULL);
    else if (!out->has_bench)
        trouble(out, "has no such benchmark any more", NULL);
    else if (!out->has_end)
        trouble(out, "ended inside of the benchmark", NULL);
    else if (out->end.state != WIRE_OK)
        trouble(out, wire_state_word(out->end.state), out->end.reason);
    else if (!out->samples)
        trouble(out, "measured no sample", NULL);
    else if (!out->has_clock || !(out->clock.hz > 0))
        trouble(out, "does not say how fast its clock is", NULL);
    else if (!out->has_bye)
        trouble(out, "ended after the benchmark, before its report was complete", NULL);
    else
        hold_report(out, q, had_ns);
}

uint64_t bench_terms(const struct wire_bench *b)
{
    const uint32_t numbers[] = {b->flags & WIRE_MANUAL_TIME, b->threads, b->n_args};
    uint64_t hash = fnv1a64(FNV1A64_EMPTY, numbers, sizeof numbers);
    for (uint32_t i = 0; i < b->n_args; i++) {
        hash = fnv1a64(hash, &b->args[i].value, sizeof b->args[i].value);
        hash = fnv1a64(hash, b->args[i].word, strlen(b->args[i].word) + 1);
    }
    return fnv1a64(hash, b->version, strlen(b->version)) | 1;
}

void bench_read(const void *bytes, size_t n, const struct bench_request *q, double had_ns, struct bench_report *out)
{
    *out = (struct bench_report){.bytes = bytes, .n = n};
    struct wire_reader reader = {bytes, n, 0};
    struct wire_frame frame;
    struct tare_err err;
    enum tare_status status;
    while ((status = wire_next(&reader, &frame, &err)) == TARE_OK)
        take_frame(out, &frame, q);
    if (status == TARE_FORMAT)
        trouble(out, "reported what cannot be read", err.text);
    judge_report(out, q, had_ns);
}

static double known_count(int64_t value)
{
    return value == WIRE_NONE ? NAN : (double)value;
}

static double positive(double value)
{
    return value > 0 ? value : NAN;
}

/* Of a reference chain the ticks are a length: below 0 its clock ran backwards. */
static double sample_value(const struct wire_samples *s, enum wire_column column, uint32_t row)
{
    const int64_t value = wire_sample(s, column, row);
    const bool chain = column == WIRE_CHAIN_BEFORE || column == WIRE_CHAIN_AFTER,
               scaled = column == WIRE_ITERATIONS || column == WIRE_TICKS;
    return chain && value < 0 ? NAN : known_count(value) / (scaled ? scale_of(s, row) : 1);
}

void bench_fill(const struct bench_report *b, double *values)
{
    bool manual = b->has_bench && b->bench.flags & WIRE_MANUAL_TIME, chains = b->has_clock && b->clock.core && !manual;
    const double in_order[] = {
        NAN,
        NAN,
        b->has_end ? known_count(b->end.peak_bytes) : NAN,
        manual         ? 1e9
        : b->has_clock ? b->clock.hz
                       : NAN,
        b->has_clock && !manual ? b->clock.step_ticks : NAN,
        b->has_clock && !manual ? b->clock.pair_ticks : NAN,
        b->has_bye ? b->bye.drift_ppm : NAN,
        chains ? b->clock.chain_cycles : NAN,
        chains ? b->clock.chain_empty_ticks : NAN,
        chains && b->clock.chain_drawn ? 1 : NAN,
        b->has_end ? known_count(b->end.before_bytes) : NAN,
        b->has_end ? positive(b->end.items) : NAN,
        b->has_end ? positive(b->end.bytes) : NAN,
        b->has_end ? b->end.scaling : NAN,
        b->has_end ? b->end.floor_ticks : NAN,
        b->has_end ? b->end.lone_ticks : NAN,
        NAN,
        NAN,
        NAN,
        NAN,
    };
    _Static_assert(sizeof in_order / sizeof *in_order == BENCH_COLUMNS, "one value for each column");
    memcpy(values, in_order, sizeof in_order);
}

static uint32_t flags_of(int64_t flags)
{
    uint32_t causes = 0;
#define CAUSE(name, bit, word, exogenous, text) causes |= 1u << (bit);
#include "cause.def"
    if (flags == WIRE_NONE)
        return 0;
    return ((uint32_t)flags & causes) | (flags & WIRE_WARMUP ? (uint32_t)ROW_WARMUP : 0u);
}

static enum tare_status append_samples(const struct bench_report *b, const struct wire_samples *s, int *number,
                                       const struct row *process, struct record *r, int series)
{
    for (uint32_t i = 0; i < s->n; i++) {
        double values[SAMPLE_COLUMNS];
        for (int k = 0; k < SAMPLE_COLUMNS; k++)
            values[k] = sample_value(s, sample_columns[k].column, i);
        double since = known_count(wire_sample(s, WIRE_START_TICKS, i)) / b->clock.hz * 1e9;
        const struct row row = {.round = process->round,
                                .slot = (*number)++,
                                .start_ns = process->start_ns + (since >= 0 && since < 1e15 ? (int64_t)since : 0),
                                .flags = flags_of(wire_sample(s, WIRE_FLAGS, i)),
                                .values = values};
        if (record_append_sample(r, series, &row))
            return TARE_NO_MEMORY;
    }
    return TARE_OK;
}

bool bench_samples_fit(const struct bench_report *b, const struct record *r, int series)
{
    int64_t session = b->samples;
    for (int i = 0; i < r->n_subjects; i++)
        session += r->series[i].samples.n;
    return (int64_t)b->samples + r->series[series].samples.n <= BENCH_SAMPLES_MAX && session <= BENCH_SESSION_SAMPLES;
}

enum tare_status bench_samples(const struct bench_report *b, const struct row *process, struct record *r, int series)
{
    struct wire_reader reader = {b->bytes, b->n, 0};
    struct wire_frame frame;
    int number = 0;
    enum tare_status status = TARE_OK;
    while (!status && !wire_next(&reader, &frame, NULL))
        if (frame.type == WIRE_SAMPLES && !frame.u.samples.thread)
            status = append_samples(b, &frame.u.samples, &number, process, r, series);
    return status;
}

static const enum count_per count_pers[WIRE_PERS] = {[WIRE_PER_ITERATION] = COUNT_PER_ITERATION,
                                                     [WIRE_PER_SECOND] = COUNT_PER_SECOND,
                                                     [WIRE_TOTAL] = COUNT_TOTAL,
                                                     [WIRE_AS_GIVEN] = COUNT_AS_GIVEN};

enum tare_status bench_counts(const struct bench_report *b, const struct row *process, struct record *r, int series)
{
    for (uint32_t i = 0; i < b->end.n_counters; i++) {
        const struct wire_counter *c = &b->end.counters[i];
        const struct count what = {.name = c->name, .unit = c->unit, .per = count_pers[c->per], .inverted = c->inverted};
        if (isfinite(c->value) && record_add_count(r, series, process->round, &what, c->value) == TARE_NO_MEMORY)
            return TARE_NO_MEMORY;
    }
    return TARE_OK;
}
