/* SPDX-License-Identifier: MIT
 *
 * Scripted programs that answer as those built with libtare: asked through the environment, by the record of wire.h on descriptor 3. A
 * process's time per iteration is drawn once; its samples are that time, exactly, and its core runs at 3 GHz or at `hz`.
 */
#include "fake_parts.h"
#include "fake_reading.h"
#include "wire.h"
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 20,
    ITERATIONS = 1000000,
    SAMPLE_NS = 400000 /* at most, where an iteration is not longer */,
    PAIR_TICKS = 20,
    CHAIN_CYCLES = 3000,
    REPORT_MAX = 1 << 20
};

static const double CLOCK_HZ = 1e9, USUAL_HZ = 3e9;

/* ---- the script ---- */

bool fake_program_libtare(struct reading *r)
{
    r->program->wire = WIRE_VERSION;
    return fake_words_left(&r->w) ? fake_words_integer(&r->w, "a version", 1, 1000, &r->program->wire) : true;
}

static bool read_count(struct reading *r, struct fake_bench *b)
{
    if (!fake_words_accept(&r->w, "counts"))
        return true;
    if (!fake_words_text(&r->w, "the counter", &b->count) || !fake_words_text(&r->w, "its unit", &b->unit))
        return false;
    b->per = fake_words_accept(&r->w, "iteration") ? WIRE_PER_ITERATION
             : fake_words_accept(&r->w, "second")  ? WIRE_PER_SECOND
                                                   : WIRE_TOTAL;
    if (b->per == WIRE_TOTAL && !fake_words_accept(&r->w, "total"))
        return fake_words_fault(&r->w, "a counter is per iteration, second or total");
    b->inverted = fake_words_accept(&r->w, "inverted");
    if (!fake_words_quantity(&r->w, "1", &b->counted))
        return false;
    return !fake_words_accept(&r->w, "for") || fake_words_percent(&r->w, &b->counted_share);
}

/* Any number. */
static bool read_lie(struct reading *r, const char *what, int64_t *out)
{
    char *text, *end;
    if (!fake_words_text(&r->w, what, &text))
        return false;
    *out = strtoll(text, &end, 10);
    return !*end || fake_words_fault(&r->w, "%s is no number", what);
}

bool fake_program_bench(struct reading *r)
{
    struct fake_bench *b = append(r, &r->program->benches);
    char *name;
    if (!b || !fake_words_text(&r->w, "a benchmark", &name))
        return false;
    b->name = name;
    r->program->wire = r->program->wire ? r->program->wire : WIRE_VERSION;
    if (fake_words_accept(&r->w, "skips"))
        return fake_words_text(&r->w, "the reason", &b->skips);
    if (fake_words_accept(&r->w, "away") && !fake_words_text(&r->w, "the reason", &b->away))
        return false;
    if (fake_words_accept(&r->w, "remarks") && !fake_words_text(&r->w, "the remark", &b->remark))
        return false;
    if (fake_words_accept(&r->w, "labelled") && !fake_words_text(&r->w, "the label", &b->label))
        return false;
    if (!read_count(r, b))
        return false;
    if (fake_words_accept(&r->w, "version") && !fake_words_text(&r->w, "the version", &b->version))
        return false;
    b->complexity = fake_words_accept(&r->w, "complexity");
    b->baseline = fake_words_accept(&r->w, "baseline");
    if (fake_words_accept(&r->w, "iterations") && !fake_words_integer(&r->w, "iterations", 1, ITERATIONS, &b->iterations))
        return false;
    if (fake_words_accept(&r->w, "dies") && !fake_words_integer(&r->w, "the process", 1, INT32_MAX, &b->dies_at))
        return false;
    if (fake_words_accept(&r->w, "turns") && !fake_words_integer(&r->w, "the process", 1, INT32_MAX, &b->turns_at))
        return false;
    b->lies = fake_words_accept(&r->w, "lies");
    if (b->lies && (!read_lie(r, "iterations", &b->lied_iterations) || !read_lie(r, "ticks", &b->lied_ticks)))
        return false;
    if (fake_words_accept(&r->w, "counter") && !fake_words_quantity(&r->w, "1", &b->claimed_hz))
        return false;
    return fake_words_model(&r->w, "ns", &b->ns);
}

bool fake_program_notes(struct reading *r)
{
    return fake_words_text(&r->w, "the note's name", &r->program->note_name) &&
           fake_words_text(&r->w, "the note", &r->program->note_text);
}

/* ---- the answer ---- */

static const char *value_of(const char *const *envp, const char *name)
{
    size_t n = strlen(name);
    for (; *envp; envp++)
        if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}

static size_t group_bytes(const char *name)
{
    return strcspn(name, "/");
}

/* "/100" */
static bool parse_number(const char *arg, int64_t *value)
{
    *value = 0;
    if (!arg[0] || !arg[1] || strlen(arg) > 18 || arg[1 + strspn(arg + 1, "0123456789")])
        return false;
    for (const char *digit = arg + 1; *digit; digit++)
        *value = *value * 10 + (*digit - '0');
    return true;
}

static void put_bench(struct buf *out, const struct fake_bench *b, uint32_t index)
{
    char group[WIRE_NAME_MAX];
    struct buf text = buf_over(group, sizeof group);
    buf_add(&text, b->name, group_bytes(b->name));
    buf_str(&text, "");
    const char *arg = b->name + group_bytes(b->name);
    struct wire_bench w = {.index = index,
                           .name = b->name,
                           .group = buf_text(&text),
                           .file = "fake.c",
                           .line = index + 1,
                           .flags = (b->baseline ? WIRE_BASELINE : 0u) | (b->complexity ? WIRE_COMPLEXITY : 0u),
                           .threads = b->turns_at && b->processes + 1 >= b->turns_at ? 2 : 1,
                           .n_args = *arg != 0,
                           .version = b->version};
    int64_t value = 0;
    bool number = parse_number(arg, &value);
    w.args[0] = (struct wire_arg){.name = "", .value = value, .word = *arg && !number ? arg + 1 : ""};
    wire_put_bench(out, &w);
}

static void put_samples(struct buf *out, struct fake_program *p, const struct fake_bench *b, uint32_t index, double ns, double hz,
                        int samples)
{
    const int64_t iterations = b->iterations;
    const double ticks = ns * (double)iterations * CLOCK_HZ / 1e9;
    const int64_t took = (int64_t)llrint(ticks) + PAIR_TICKS;
    int64_t column[WIRE_COLUMNS_N][SAMPLES];
    const int64_t *columns[WIRE_COLUMNS_N] = {0};
    for (int i = 0; i < samples; i++) {
        column[WIRE_ITERATIONS][i] = iterations;
        column[WIRE_TICKS][i] = took;
        column[WIRE_EMPTY_TICKS][i] = PAIR_TICKS;
        column[WIRE_CHAIN_BEFORE][i] = column[WIRE_CHAIN_AFTER][i] = (int64_t)llrint(CHAIN_CYCLES * CLOCK_HZ / hz);
        column[WIRE_START_TICKS][i] = i * (took + PAIR_TICKS);
        column[WIRE_FLAGS][i] = 0;
        p->measured_ns += (double)took / CLOCK_HZ * 1e9;
        if (b->lies) {
            column[WIRE_ITERATIONS][i] = b->lied_iterations;
            column[WIRE_TICKS][i] = b->lied_ticks;
        }
    }
    for (int i = WIRE_ITERATIONS; i <= WIRE_FLAGS; i++)
        columns[i] = column[i];
    wire_put_samples(out, index, 0, (uint32_t)samples, columns);
}

static int64_t iterations_of(double ns)
{
    const double fit = SAMPLE_NS / fabs(ns);
    return fit < 1 ? 1 : fit < ITERATIONS ? (int64_t)fit : ITERATIONS;
}

static bool put_run(struct buf *out, struct fake_program *p, struct fake_bench *b, uint32_t index, double hz,
                    const struct wire_request *q)
{
    const char *away = q->guard ? b->away : NULL;
    const bool measures = !b->skips && !away && b->processes + 1 != b->dies_at;
    const double ns = measures ? fake_model_draw(&b->ns, &p->rng, b->processes + 1, 0) : 1;
    b->iterations = b->iterations ? b->iterations : iterations_of(ns);
    const int64_t iterations = b->iterations;
    struct wire_end end = {.bench = index,
                           .state = b->skips ? WIRE_SKIPPED
                                    : away   ? WIRE_OPTIMISED_AWAY
                                             : WIRE_OK,
                           .reason = b->skips ? b->skips : away,
                           .remark = b->remark,
                           .iterations = (uint64_t)iterations,
                           .peak_bytes = 2000000,
                           .before_bytes = 1000000,
                           .account = {WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE, WIRE_NONE},
                           .scaling = NAN,
                           .lone_ticks = NAN,
                           .floor_ticks = NAN,
                           .label = b->label};
    if (b->count) {
        end.n_counters = 1;
        end.counters[0] = (struct wire_counter){b->count, b->unit, b->counted, (enum wire_per)b->per, b->inverted};
        if (b->counted_share > 0)
            end.counters[end.n_counters++] = (struct wire_counter){WIRE_COUNTED_PREFIX, "", b->counted_share, WIRE_TOTAL, false};
    }
    put_bench(out, b, index);
    if (++b->processes == b->dies_at)
        return false;
    if (measures)
        put_samples(out, p, b, index, ns, hz, q->profile == WIRE_STEADY ? SAMPLES : 1);
    wire_put_end(out, &end);
    return true;
}

static bool is(const struct wire_run *run, const char *name)
{
    return strlen(name) == run->size && !memcmp(run->name, name, run->size);
}

static bool measure(struct buf *out, struct fake_program *p, const struct wire_request *q, double hz)
{
    struct wire_clock clock = {.name = "fake",
                               .source = "script",
                               .hz = q->mode == WIRE_LEAK ? 2 * CLOCK_HZ : CLOCK_HZ,
                               .step_ticks = 1,
                               .pair_ticks = PAIR_TICKS,
                               .reason = "",
                               .core = true,
                               .no_core = "",
                               .chain_cycles = CHAIN_CYCLES,
                               .chain_ratio = 3,
                               .chain_drawn = true};
    struct wire_run run;
    bool lives = true;
    if (p->benches && p->benches->claimed_hz > 0) {
        clock.name = "tsc";
        clock.counter = true;
        clock.hz = p->benches->claimed_hz;
    }
    wire_put_clock(out, &clock);
    for (size_t at = 0; lives && wire_request_run(q, &at, &run);) {
        uint32_t index = 0;
        for (struct fake_bench *b = p->benches; b && lives; b = b->next, index++)
            if (q->mode == WIRE_MEASURE && is(&run, b->name))
                lives = put_run(out, p, b, index, hz > 0 ? hz : USUAL_HZ, q);
        index = 0;
        for (struct fake_leak *l = p->leaks; l && lives; l = l->next, index++)
            if (q->mode == WIRE_LEAK && is(&run, l->name))
                lives = fake_leak_run(out, p, l, index, q, run.iterations);
    }
    return lives;
}

static void list(struct buf *out, const struct fake_program *p, const struct wire_request *q)
{
    uint32_t index = 0;
    for (const struct fake_bench *b = p->benches; b; b = b->next, index++)
        if (wire_request_wants(q, b->name))
            put_bench(out, b, index);
    index = 0;
    for (const struct fake_leak *l = p->leaks; l; l = l->next, index++)
        if (wire_request_wants(q, l->name))
            fake_leak_target(out, l, index);
}

bool fake_bench_report(struct fake_program *p, const struct plat_child_spec *spec, double hz, struct buf *out)
{
    struct wire_request q;
    struct wire_hello hello = {.version = (uint32_t)p->wire, .library = "fake", .pid = 1, .trouble = ""};
    const struct wire_bye bye = {.drift_ppm = 0, .drift_bound_ppm = 1};
    if (!p->wire || !spec->fd_report || wire_request_read(value_of(spec->envp, WIRE_VARIABLE), &q, NULL))
        return true;
    for (const struct fake_bench *b = p->benches; b; b = b->next)
        hello.benchmarks++;
    for (const struct fake_leak *l = p->leaks; l; l = l->next)
        hello.targets++;
    if (p->note_name) {
        hello.n_notes = 1;
        hello.notes[0] = (struct wire_note){p->note_name, p->note_text};
    }
    wire_put_hello(out, &hello);
    bool lives = true;
    if (q.mode == WIRE_LIST)
        list(out, p, &q);
    else
        lives = measure(out, p, &q, hz);
    if (lives)
        wire_put_bye(out, &bye);
    return lives;
}
