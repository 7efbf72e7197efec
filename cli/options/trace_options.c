/* SPDX-License-Identifier: MIT
 * The table of `tare trace`, and what its options must satisfy together. */
#include "trace_options.h"
#include "buf.h"
#include "command.h"
#include "option_value.h"
#include "shared_options.h"
#include <math.h>
#include <string.h>

#define T         struct trace_options
#define AT(f)     .offset = offsetof(T, f)
#define AT_RUN(f) AT(run.f)

#define OFTEN  "How often"
#define SURE   "How sure"
#define TRACED "What is traced, and how"
#define AROUND "The programs"
#define KEPT   "What is kept"

/* clang-format off */
static const struct option items[] = {
    {.group = OFTEN, .name = "runs", .letter = 'r', .type = OPTION_INT, .common = true, AT(run.runs), .arg = "NUM", .unit = "run",
     .preset_note = "as many as the answer needs", .absent = 0, .min = 1, .max = 1e6,
     .help = "Run each program exactly NUM times.",
     .detail = "The data are then analysed once, at the end. Excludes --min-runs, --max-runs and --precision."},
    {.group = OFTEN, .name = "warmup", .letter = 'w', .type = OPTION_INT, .common = true, AT(run.warmup), .arg = "NUM", .unit = "run",
     .preset_note = "1; none with --runs", .absent = -1, .min = 0, .max = 1e6,
     .help = "Make NUM warmup runs of each program first.",
     .detail = "These are in addition to --runs: -w 5 -r 5 makes ten runs, and five of them count. They are traced like the others, "
               "to warm up the same code and data."},
    {.group = OFTEN, .name = "min-runs", .letter = 'm', .type = OPTION_INT, AT(run.min_runs), .arg = "NUM", .unit = "run",
     .preset = "10", .min = 1, .max = 1e6, .help = "Run each program at least NUM times.",
     .detail = "There is no interim analysis before that."},
    SHARED_MAX_RUNS("run", 1e6, "no limit", "Run each program at most NUM times."),
    SHARED_MAX_TIME(OFTEN, "5 s for each program", "End the session after TIME; a bare number is seconds.",
        "If you set it, TIME is a hard limit: if fewer than 10 rounds fit, they are analysed once; with fewer than 6 there is no "
        "interval. One warm-up round and one round are made however long they take; --timeout ends a run. The default never prevents "
        "the first interim analysis; if that takes longer, a line says so before the rounds."),
    {.group = OFTEN, .name = "timeout", .type = OPTION_DURATION, AT(run.timeout_ns), .arg = "TIME", .preset_note = "none",
     .absent = 0, .min = 1e-3, .max = 1e6, .help = "Kill a run, and everything it started, when it takes longer than TIME.",
     .detail = "What its points recorded until then is shown; the session ends as failed."},
    {.group = SURE, .name = "precision", .type = OPTION_PERCENT, AT(run.precision), .arg = "P%",
     .preset_note = "2%; none if programs are compared", .absent = NAN, .min = 0.001, .max = 100,
     .help = "Continue until the mean of each arc that takes 1% of the time or more is known to P%.",
     .detail = "In a comparison every verdict on these arcs must be decided as well."},
    SHARED_CONFIDENCE("95%", "Confidence of each interval over all interim analyses."),
    SHARED_MARGIN("1%", "Smallest difference that matters, in percent; smaller ones are called the same.", NULL),
    SHARED_FAIL_IF_SLOWER("an arc that takes 1% of the time or more is P% or more slower than in the first program",
        "The session continues until this is decided. An arc that takes less time fails too if it is proven to be slower by P%, but "
        "does not make the answer undecided."),
    {.group = SURE, .name = "prove", .type = OPTION_FLAG, .common = true, AT(prove),
     .help = "Test the probe overhead: run the program with one, two and three hits recorded for each, and "
             "extrapolate to none.",
     .detail = "Every three runs include one of each kind, in random order. If the line through them disagrees with the overhead "
               "measured in the same runs, the probe affects the program in other ways too (caches, overlap), and the result says "
               "by how much. Only with --mode trace."},
    SHARED_SEED("order within rounds, size of the environment, windows of --mode burst"),
    {.group = TRACED, .name = "mode", .type = OPTION_LIST, .common = true, AT(modes), .arg = "[GROUP=]MODE", .preset_note = "trace",
     .choices = "off count aggregate trace burst",
     .help = "What a point does: off, count, aggregate, trace or burst. count counts hits, without a clock; aggregate sums arcs up in "
             "the program; trace records every hit; burst counts hits and records windows of them. 2=off applies to the points of "
             "group 2. Repeatable.",
     .detail = "trace keeps everything: single hits, order, values. What exceeds --limit is summed up. "
               "aggregate keeps counts, sums, extremes and a histogram of each arc, and its memory does not grow with the run. "
               "burst costs a few nanoseconds a hit on average, and its windows begin at random."},
    {.group = TRACED, .name = "order", .type = OPTION_CHOICE, AT(order), .arg = "HOW", .preset = "ordered",
     .choices = "ordered fast precise",
     .help = "How to read the clock: ordered waits for earlier instructions; fast does not, and may attribute part of a short arc to "
             "the next one; precise takes four timestamps per hit, for arcs below 20 ns.",
     .detail = "ordered costs some nanoseconds more than fast and is correct for short arcs. Sums over several arcs are correct "
               "with all three. precise needs recorded hits: it excludes --mode aggregate, and hits that do not fit into the buffer "
               "count as lost."},
    {.group = TRACED, .name = "limit", .type = OPTION_SIZE, AT(limit_bytes), .arg = "SIZE", .preset_note = "64 GiB", .absent = 0,
     .min = 65536, .max = 1e18, .help = "Largest size of the files of one process, as 500MB; a hit takes 8 bytes."},
    {.group = TRACED, .name = "burst-gap", .type = OPTION_INT, AT(burst_gap), .arg = "NUM", .unit = "point",
     .preset_note = "100 000", .absent = 0, .min = 1, .max = 1e9,
     .help = "With --mode burst: average number of hits between windows."},
    {.group = TRACED, .name = "clock", .type = OPTION_WORD, AT(clock), .arg = "NAME", .preset = "auto", .choices = "auto raw",
     .help = "Clock of the points: auto, the processor's counter if it can be trusted; raw, the system's."},
    {.group = AROUND, .name = "command-name", .letter = 'n', .type = OPTION_LIST, AT(run.names), .arg = "NAME",
     .help = "Name shown instead of the program; repeat it for the second."},
    {.group = AROUND, .name = "ignore-failure", .letter = 'i', .type = OPTION_CODES, AT(run.ignore_failure), .arg = "CODES",
     .help = "Continue when a program fails. With CODES (1,2), only if it fails with one of them.",
     .detail = "The value needs the = sign: -i=1,2. 128 + N is signal N. Such runs are marked in the record and count."},
    SHARED_SHOW_OUTPUT(AROUND),
    SHARED_INPUT(AROUND, "the programs"),
    SHARED_WHERE(AROUND, "the programs", "the programs", "not pinned"),
    {.group = AROUND, .name = "same-cpu", .type = OPTION_FLAG, AT(run.same_cpu),
     .help = "Run all programs of a round on one CPU, drawn at random for each round, so that CPUs of different speed do not "
             "disturb the comparison."},
    SHARED_QUIETED(AROUND, "the programs", "program"),
#define display run.display
#define DISPLAY_ARCS
#define EXPORTERS_WITHOUT_MEMORY
#include "display_options.def"
#undef EXPORTERS_WITHOUT_MEMORY
#undef DISPLAY_ARCS
#undef display
    SHARED_SAVE(run.save, "Write the record of the session, run by run and arc by arc, for tare show and tare compare.",
        "The file is written while measuring, so every finished run survives an interruption. It holds sums and histograms, not "
        "single hits; those are in the raw files of --trace-dir. The format is in tare-record(5). "),
    SHARED_HISTORY,
    {.group = KEPT, .name = "trace-dir", .type = OPTION_DIRECTORY, .common = true, .once = true, AT(trace_dir), .arg = "DIR",
     .preset_note = "a temporary folder, removed at the end",
     .help = "Keep the raw files of every run in DIR, in a folder for each run. DIR is created if needed and must be empty.",
     .detail = "tare show reads such folders and files. Without this option the files of a run are deleted once they are read."},
    {.group = KEPT, .name = "dry-run", .type = OPTION_FLAG, AT(run.dry_run),
     .help = "Print what would be run and how often; run and write nothing."},
#include "common_options.def"
};
/* clang-format on */

const struct option_set trace_option_set = {items, sizeof items / sizeof *items, sizeof(struct trace_options)};

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

static const char *const mode_words[TRACE_MODES] = {"off", "count", "aggregate", "trace", "burst"};

/* "trace", "aggregate"; false: an unknown word. */
static bool trace_mode_named(const char *word, enum trace_mode *out)
{
    for (int i = 0; i < TRACE_MODES; i++)
        if (!strcmp(word, mode_words[i])) {
            *out = (enum trace_mode)i;
            return true;
        }
    return false;
}

/* The number in front of the sign; -1: it is none, or too large. */
static int group_number(const char *text, const char *sign)
{
    int value = 0;
    for (const char *c = text; c < sign; c++) {
        if (*c < '0' || *c > '9' || value >= TRACE_GROUPS)
            return -1;
        value = 10 * value + *c - '0';
    }
    return sign > text && value < TRACE_GROUPS ? value : -1;
}

static enum tare_status read_mode(struct trace_options *o, const char *text, struct tare_err *err)
{
    const char *sign = strchr(text, '=');
    enum trace_mode mode;
    int group = sign ? group_number(text, sign) : -1;
    if (!trace_mode_named(sign ? sign + 1 : text, &mode))
        REFUSE("--mode: '%.60s' is not known; choose off, count, aggregate, trace or burst, or for one group of points 2=off",
               text);
    if (sign && group < 0)
        REFUSE("--mode: '%.60s' names no group of points; they are 0 to %d, as in 2=off", text, TRACE_GROUPS - 1);
    if (group < 0)
        o->mode = mode;
    else
        o->group_modes[group] = (uint8_t)mode;
    return TARE_OK;
}

static bool any_mode(const struct trace_options *o, enum trace_mode mode)
{
    bool found = o->mode == mode;
    for (int i = 0; i < TRACE_GROUPS; i++)
        found = found || o->group_modes[i] == (uint8_t)mode;
    return found;
}

static bool only_mode(const struct trace_options *o, enum trace_mode mode)
{
    bool only = o->mode == mode;
    for (int i = 0; i < TRACE_GROUPS; i++)
        only = only && (o->group_modes[i] == 0xFF || o->group_modes[i] == (uint8_t)mode);
    return only;
}

static enum tare_status check_modes(struct trace_options *o, struct tare_err *err)
{
    o->mode = TRACE_TRACE;
    memset(o->group_modes, 0xFF, sizeof o->group_modes);
    for (int i = 0; i < o->modes.n; i++) {
        enum tare_status status = read_mode(o, o->modes.items[i], err);
        if (status)
            return status;
    }
    if (only_mode(o, TRACE_OFF))
        REFUSE("--mode off traces nothing; to see what the points cost then, take tare run");
    if (TRACE_GIVEN(o, burst_gap) && !any_mode(o, TRACE_BURST))
        REFUSE("--burst-gap belongs to --mode burst; add it, or omit it");
    return TARE_OK;
}

/* Arcs that are added up have one reading a pass, whose overhead is not subtracted where hits have four. */
static enum tare_status check_order(struct trace_options *o, struct tare_err *err)
{
    if (o->order + 1 != TRACE_PRECISE)
        return TARE_OK;
    if (any_mode(o, TRACE_AGGREGATE))
        REFUSE("--order precise writes down four stamps of each hit and --mode aggregate writes none; give only one of them");
    return TARE_OK;
}

static enum tare_status check_prove(const struct trace_options *o, struct tare_err *err)
{
    const struct refusal table[] = {
        {!only_mode(o, TRACE_TRACE),
         "--prove holds single passes against each other, so --mode must be trace; give only one of them"},
        {o->order + 1 == TRACE_PRECISE, "--prove repeats a stamp and --order precise makes four of it; give only one of them"},
        {!isnan(o->run.fail_if_slower),
         "--prove measures the probe in one program and --fail-if-slower compares two; give only one of them"},
    };
    return o->prove ? RUN_REFUSE(table) : TARE_OK;
}

static enum tare_status check_trace_options(void *options, const struct option_operands *operands, struct arena *a,
                                            struct tare_err *err)
{
    struct trace_options *o = options;
    o->run.set = &trace_option_set;
    enum tare_status s = check_modes(o, err);
    s = s ? s : check_prove(o, err);
    s = s ? s : check_order(o, err);
    s = s ? s : run_options_check_runs(&o->run, 0, err);
    if (!s && o->run.margin.unit)
        REFUSE("--margin is a share here, for arcs differ in length by powers of ten; write it like 1%%");
    /* The arcs have their metric of their own; what rows of runs decide by is wall time. */
    s = s ? s : option_list_add(&o->run.metrics, "wall", a) ? err_no_memory(err) : TARE_OK;
    s = s ? s : run_options_check_output(&o->run, a, err);
    s = s ? s : run_options_check_place(&o->run, err);
    s = s ? s : display_options_check(&o->run.display, o->run.save, err);
    s = s ? s : run_options_check_history(&o->run, err);
    if (s)
        return s;
    if (operands->n)
        return TARE_OK;
    err_set(err, TARE_INVALID, "no program given; name one with points in it, as in tare trace ./mine");
    option_hint_taken(&o->run.base, err);
    return TARE_INVALID;
}

static const struct example examples[] = {
    {"tare trace ./mine input.txt", "the arcs between the points of a program, until their means are known"},
    {"tare trace -r 30 -w 3 -- ./mine --its-own option", "exactly 30 runs, after 3 warmup runs"},
    {"tare trace ./old ./new", "did the change help? arc by arc, in interleaved rounds"},
    {"tare trace --mode aggregate ./mine", "sum the arcs up in the program: for billions of hits"},
    {"tare trace --prove ./mine", "test the probe overhead itself"},
    {"tare trace --trace-dir raw --save mine.jsonl ./mine", "keep the record and every single hit"},
};

const struct command command_trace = {
    .name = "trace",
    .group = "measure",
    .summary = "measure the arcs between the points of a program",
    .synopsis = (const char *const[]){"[OPTION...] PROG [ARG...]", "[OPTION...] CMD CMD...", NULL},
    .description =
        "Runs PROG, whose source marks control points with tare/point.h, many times and shows the graph of its arcs: from which "
        "point to which, how often, how long. Each run gives one value. Arguments that are programs with a slash in their "
        "names, or that contain blanks, are commands to compare, as in tare run; otherwise all arguments are one program and its "
        "arguments. Write options of the program after --.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct trace_options)},
    .operands = SUGGEST_COMMANDS,
    .check = check_trace_options,
};
