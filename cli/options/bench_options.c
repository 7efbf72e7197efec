/* SPDX-License-Identifier: MIT
 * The table of `tare bench`, and what its options must satisfy together. */
#include "bench_options.h"
#include "command.h"
#include "option_value.h"
#include "same_text.h"
#include "shared_options.h"
#include <string.h>

#define T         struct bench_options
#define AT(f)     .offset = offsetof(T, f)
#define AT_RUN(f) AT(run.f)

#define OFTEN  "How often"
#define SURE   "How sure"
#define WHICH  "Which benchmarks, and how"
#define AROUND "The programs"
#define KEPT   "What is kept"

/* clang-format off */
static const struct option items[] = {
    {.group = OFTEN, .name = "runs", .letter = 'r', .type = OPTION_INT, .common = true, AT(run.runs), .arg = "NUM", .unit = "process",
     .preset_note = "as many as the answer needs, within --max-runs and --max-time", .absent = 0, .min = 1, .max = 1e6,
     .help = "Make exactly NUM processes of each benchmark.",
     .detail = "The data are then analysed once, at the end. Excludes --min-runs, --max-runs and --precision. With --method "
               "georges NUM is the largest number of executions (default 30)."},
    SHARED_MIN_MAX_RUNS("process", 1e6, "33; with other harnesses and --results no limit but the time", "Make at least NUM processes of each benchmark.",
        "Make at most NUM processes of each benchmark."),
    {.group = OFTEN, .name = "warmup", .letter = 'w', .type = OPTION_INT, AT(run.warmup), .arg = "NUM", .unit = "process",
     .preset_note = "1; none with --runs or --method georges", .absent = -1, .min = 0, .max = 1e6,
     .help = "Make NUM warmup processes of each benchmark first.",
     .detail = "The very first process determines how many iterations a sample needs; all others use this number."},
    {.group = OFTEN, .name = "sample-time", .type = OPTION_DURATION, AT(sample_ns), .arg = "TIME",
     .preset_note = "chosen by the library from the clock", .absent = 0, .min = 1e-7, .max = 3600,
     .help = "Length of one sample; it has as many iterations as fit.",
     .detail = "Longer samples have a smaller clock error and are disturbed more often."},
    {.group = OFTEN, .name = "iterations", .type = OPTION_INT, AT(iterations), .arg = "NUM", .unit = "iteration",
     .preset_note = "as many as --sample-time holds", .absent = 0, .min = 1, .max = 2e9,
     .help = "Make exactly NUM iterations per sample in all benchmarks.",
     .detail = "For code that must run a known number of times; with TARE_EACH, at most as often as there are inputs. With few "
               "iterations of short code the clock error dominates, and the code may look as if the compiler had removed it. "
               "Excludes --sample-time."},
    {.group = OFTEN, .name = "samples", .type = OPTION_INT, AT(samples), .arg = "NUM", .unit = "sample",
     .preset_note = "chosen by the library", .absent = 0, .min = 1, .max = 1e6, .help = "Samples in each process.",
     .detail = "-v prints the number that the variance within and between processes suggests."},
    SHARED_MAX_TIME(OFTEN, "5 s for each benchmark", "End the session after TIME; a bare number is seconds.",
        "If you set it, TIME is a hard limit: if fewer than 10 processes of each fit, they are analysed once; with fewer than 6 "
        "there is no interval. The default never prevents the first interim analysis; if that takes longer, a line says so before "
        "the rounds."),
    SHARED_PROCESS_TIMEOUT(OFTEN, "benchmark"),
    SHARED_PRECISION("1% for what is not compared"),
    SHARED_CONFIDENCE("95%", "Confidence of each interval over all interim analyses."),
    SHARED_MARGIN("1%", "Smallest difference that matters, as 1%, 5ns or 20cycles; smaller ones are called the same.",
        "The unit must fit the metric that decides."),
    {.group = SURE, .name = "metric", .type = OPTION_LIST, .common = true, AT(run.metrics), .arg = "ID", .choices = "ns cycles peak rss cpu_time",
     .preset_note = "ns; peak with --profile memory",
     .help = "What decides: ns, cycles (core cycles), peak (memory since the benchmark began), rss (of the process), cpu_time or "
             "counter:NAME.",
     .detail = "The first four are recorded always. Core cycles come from reference chains around each sample; if those cannot be "
               "trusted, there are no cycles. cpu_time is the CPU time of an iteration, of google-benchmark programs: on a loaded "
               "machine it varies less than the time. counter:NAME is a counter of the programs, as in counter:B/op, compared as its "
               "column shows it: a rate as a rate. Less of it is better, and more of one that ends in /s or _per_second. Append "
               ":higher or :lower to say which."},
    {.group = SURE, .name = "correction", .type = OPTION_CHOICE, AT(correction), .arg = "NAME", .preset = "bh",
     .choices = "bh holm none",
     .help = "Correction for many comparisons: bh (at most 5% of the reported differences are false), holm "
             "(5% chance of any false one), or none."},
    SHARED_FAIL_IF_SLOWER("a benchmark is P% or more slower than its reference",
        SHARED_ASKED_OF_METRIC " With two programs or a --baseline it applies only to old against new, not to what a program "
        "compares with its own .baseline."),
    SHARED_BASELINE,
    SHARED_FAIL_IF_UNSTABLE("processes"),
    SHARED_ON_DIRTY("process", "processes", "--runs"),
    SHARED_AA(
        "Compare each benchmark with itself in NUM short sessions: how often tare reports a false positive here, and the smallest "
        "difference that it can detect.",
        "Each session compares one benchmark with itself, with its own random order, and ends as any other would; the benchmarks "
        "take turns. Every verdict faster or slower is a false positive; their share is shown with its exact interval. --max-time "
        "is divided among the sessions; the default is 1.5 s each, so use --filter if there are many benchmarks. The exit code is "
        "0 whatever the answer."),
    SHARED_SEED("order within rounds, size of the environment, inputs of the benchmarks"),
    SHARED_METHOD,
    {.group = SURE, .name = "k", .type = OPTION_INT, AT(window), .arg = "NUM", .preset = "10", .min = 2, .max = 1e6,
     .help = "With --method georges and --profile steady: consecutive values that must be steady."},
    {.group = SURE, .name = "cov", .type = OPTION_PERCENT, AT(cov), .arg = "P%", .preset = "2%", .min = 0.001, .max = 100,
     .help = "With --method georges and --profile steady: largest coefficient of variation of these values."},
    {.group = SURE, .name = "max-inner", .type = OPTION_INT, AT(inner), .arg = "NUM", .unit = "execution", .preset = "30",
     .min = 2, .max = 1e6, .help = "With --method georges and --profile steady: executions in one process."},
    SHARED_FILTER(WHICH, "benchmarks whose name contains WORD or matches /PATTERN/",
        "A pattern is a POSIX extended regular expression, as in -f '/^sort.*:64$/'; it matches anywhere in the name unless it is anchored."),
    {.group = WHICH, .name = "exclude", .type = OPTION_LIST, AT(excluded), .arg = "WORD",
     .help = "Leave out those whose name contains WORD or matches /PATTERN/. Repeatable."},
    SHARED_LIST(WHICH, "benchmarks"),
    {.group = WHICH, .name = "harness", .type = OPTION_CHOICE, .once = true, AT(harness), .arg = "NAME", .preset = "auto",
     .choices = "auto tare google-benchmark go catch2 criterion",
     .help = "What the programs were built with: libtare (tare), google/benchmark, Go (a test binary of go test -c), Catch2 or "
             "criterion.rs; auto looks into their files.",
     .detail = "Programs of other harnesses are run as they are, one benchmark a process; see PROGRAMS OF OTHER HARNESSES. Name the "
               "harness where a script starts the program."},
    SHARED_RESULTS(WHICH, "Each PROG is a command that writes benchmark results into FILE; compare all of them by name.",
        "FILE, in the folder in which the command runs, is deleted before each process and read after it. See FILES WITH RESULTS."),
    {.group = WHICH, .name = "profile", .type = OPTION_CHOICE, AT(profile), .arg = "WHAT", .preset = "steady",
     .choices = "steady startup memory once",
     .help = "What a process measures: steady, the time in the steady state; startup, the first call in a fresh process; memory, "
             "peak memory; once, one call in one process."},
    SHARED_CLOCK(WHICH, "samples",
        "A counter of another kind of processor is a usage error; a counter that cannot be trusted or read ends tare with exit code "
        "6 before anything runs."),
    {.group = WHICH, .name = "signals", .type = OPTION_FLAG, AT(signals),
     .help = "Read the kernel's counts around each sample: CPU time, waiting, page faults. This costs about 1 us a sample.",
     .detail = "For a benchmark with two or more levels of times: the counts say whether its slow samples waited for a CPU."},
    {.group = WHICH, .name = "allocs", .type = OPTION_FLAG, .common = true, AT(run.allocs),
     .help = "Count allocations per iteration, in two more, untimed processes of each benchmark.",
     .detail = "Counts the calls that allocate or resize a block, and the bytes that they request, per iteration of one thread. The "
               "processes follow the timed ones and are not counted in --runs and --max-time; they differ in their number of "
               "iterations, and a counting library is preloaded into them. A program that does not load it (a static one, or one "
               "with its own allocator) has no such figures, and the reason is shown."},
    {.group = WHICH, .name = "counters", .type = OPTION_LIST, AT(run.events), .arg = "EVENT",
     .help = "Count EVENT (instructions, branch-misses, page-faults ...) per iteration, in one more, untimed process.",
     .detail = "Repeatable, at most 8; the names are those of perf. tare counts what the benchmark's first thread does between the "
               "two clock readings. System calls switch the counter on and off, and their own part is measured and subtracted. The "
               "process follows the timed ones and is not counted in --runs and --max-time. If this machine does not count an "
               "event, there is no figure, and the reason is shown. Core cycles do not need this option."},
    {.group = WHICH, .name = "no-guard", .type = OPTION_FLAG, AT(no_guard),
     .help = "Do not check for code that the compiler removed.",
     .detail = "For a loop that is empty on purpose, as one that shows what the loop itself takes."},
    {.group = AROUND, .name = "command-name", .letter = 'n', .type = OPTION_LIST, .common = true, AT(run.names), .arg = "NAME",
     .help = "With --results: name shown instead of the command; repeat it for the second command, the third and so on."},
    {.group = AROUND, .name = "anchor", .type = OPTION_TEXT, .once = true, AT(run.anchor), .arg = "PROG", .suggest = SUGGEST_FILES,
     .help = "Measure PROG's benchmarks of the same names in each round too, and report each time as a multiple of PROG's. For "
             "results that are compared over days or commits.",
     .detail = "Give a program that never changes: a pinned copy or an old build. From one session to another the ratio to it "
               "varies much less than a time, because what slows the machine slows both. The anchor takes no part in any verdict "
               "and does not change when the session ends. It costs one more process of each benchmark in a round. Benchmarks that "
               "PROG lacks are named and have no ratio. Not with --method georges or --aa."},
    SHARED_SHOW_OUTPUT(AROUND),
    SHARED_ENV(AROUND, "the programs",
        "A NAME that is given once for each program, in their order, is set in each one's own environment: --env GOGC=50 --env GOGC=200."),
    {.group = AROUND, .name = "cwd", .type = OPTION_LIST, .suggest = SUGGEST_DIRECTORIES, AT(run.cwds), .arg = "DIR",
     .preset_note = "where tare runs", .help = "Run the programs in DIR. Given once for each program, in their order: each in its own.",
     .detail = "A relative PROG is looked up in its folder."},
    SHARED_PIN(AROUND, "the programs", "not pinned"),
    {.group = AROUND, .name = "same-cpu", .type = OPTION_FLAG, AT(run.same_cpu),
     .help = "Run all processes of a round on one CPU, drawn at random for each round, so that CPUs of different speed do not "
             "disturb the comparison."},
    SHARED_QUIETED(AROUND, "the programs", "program"),
    SHARED_REVISIONS(AROUND, false, "the program", "PROG is one relative path, such as ./bench. See REVISIONS in tare-run(1)."),
#define display run.display
#define EXPORTERS_WITHOUT_MEMORY
#include "display_options.def"
#undef EXPORTERS_WITHOUT_MEMORY
#undef display
    SHARED_SAVE(run.save, "Write the record of the session, for tare show.",
        "The file is written while measuring, so every finished process survives an interruption. The format is in tare-record(5). "),
    SHARED_HISTORY,
    {.group = KEPT, .name = "dry-run", .type = OPTION_FLAG, AT(run.dry_run),
     .help = "Print what would be measured and how often; measure and write nothing.",
     .detail = "The programs are started once, to list their benchmarks; with --rev they are built first."},
#include "common_options.def"
};
/* clang-format on */

const struct option_set bench_option_set = {items, sizeof items / sizeof *items, sizeof(struct bench_options)};

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

static enum tare_status check_once(struct bench_options *o, struct tare_err *err)
{
    if (o->profile != PROFILE_ONCE)
        return TARE_OK;
    if (o->run.runs > 1 || BENCH_GIVEN(o, run.min_runs) || BENCH_GIVEN(o, run.max_runs))
        REFUSE("--profile once makes one process; omit --runs, --min-runs and --max-runs, or use --profile startup");
    o->run.runs = 1;
    return TARE_OK;
}

/* The other profiles make one call in a process; the published rule takes executions one by one. */
static enum tare_status check_samples(const struct bench_options *o, struct tare_err *err)
{
    const bool georges = o->run.method == METHOD_GEORGES, steady = o->profile == PROFILE_STEADY;
    const bool of_georges = BENCH_GIVEN(o, window) || BENCH_GIVEN(o, cov) || BENCH_GIVEN(o, inner);
    const bool of_samples = BENCH_GIVEN(o, samples) || BENCH_GIVEN(o, sample_ns) || o->iterations;
    const struct refusal table[] = {
        {!georges && of_georges, "--k, --cov and --max-inner belong to --method georges; add it, or omit them"},
        {!steady && of_georges, "--k, --cov and --max-inner belong to --profile steady; omit them"},
        {o->iterations && BENCH_GIVEN(o, sample_ns),
         "--iterations fixes their number and --sample-time the time that they take; give only one"},
        {!steady && of_samples, "--samples, --sample-time and --iterations belong to --profile steady; omit them"},
        {georges && of_samples, "--method georges takes single executions, so --samples, --sample-time and --iterations have no "
                                "meaning; see --max-inner"},
        {georges && o->run.baseline.n, "--method georges gives no verdict, so --baseline has no meaning; omit it"},
    };
    if (georges && o->inner < o->window)
        REFUSE("--max-inner %d is less than --k %d; raise it", o->inner, o->window);
    return RUN_REFUSE(table);
}

/* The command decides how its values are measured. */
static enum tare_status check_results(const struct bench_options *o, struct tare_err *err)
{
    const struct run_options *r = &o->run;
    const char *metric = r->metrics.items[0];
    const struct {
        bool given;
        const char *option;
    } of_programs[] = {
        {BENCH_GIVEN(o, harness), "--harness"},
        {o->profile == PROFILE_MEMORY, "--profile memory"},
        {BENCH_GIVEN(o, samples), "--samples"},
        {BENCH_GIVEN(o, sample_ns), "--sample-time"},
        {o->iterations, "--iterations"},
        {BENCH_GIVEN(o, inner), "--max-inner"},
        {strcmp(o->clock, "auto") != 0, "--clock"},
        {o->signals, "--signals"},
        {r->events.n, "--counters"},
        {r->allocs, "--allocs"},
        {o->no_guard, "--no-guard"},
        {!strcmp(metric, "cycles") || !strcmp(metric, "peak"), "--metric cycles or peak"},
    };
    if (!r->results && (r->results_format || r->names.n))
        REFUSE("--%s belongs to --results; give the file too", r->results_format ? "format" : "command-name");
    for (size_t i = 0; r->results && i < sizeof of_programs / sizeof *of_programs; i++)
        if (of_programs[i].given)
            REFUSE("%s belongs to benchmark programs, and with --results the command measures; omit it", of_programs[i].option);
    return TARE_OK;
}

static const struct {
    const char *id, *unit;
} metrics[] = {{"ns", "ns"}, {"cycles", "cycles"}, {"peak", "bytes"}, {"rss", "bytes"}};

static const char *unit_of(const struct bench_options *o, const char *metric)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (!strcmp(metrics[i].id, metric))
            return metrics[i].unit;
    for (int i = 0; i < o->run.n_own; i++)
        if (!strcmp(o->run.own[i].name, metric))
            return o->run.own[i].unit;
    return NULL;
}

static bool column_taken(const char *name)
{
    static const char *const columns[] = {
#define BENCH_METRIC(id, title, unit, kind, direction) #id,
#include "bench_metrics.def"
#define BENCH_COLUMN(id, title, unit) #id,
#include "bench_columns.def"
    };
    return text_among(name, columns, sizeof columns / sizeof *columns) || run_column_taken(name);
}

static enum tare_status add_counter(struct bench_options *o, struct own_metric *own, const char **id, struct arena *a,
                                    struct tare_err *err)
{
    static const char prefix[] = "counter:", cpu[] = "cpu_time";
    const bool prefixed = !strncmp(*id, prefix, sizeof prefix - 1);
    if (!prefixed && strcmp(*id, cpu) != 0)
        REFUSE("--metric %.60s is not known here; there are ns, cycles, peak, rss, cpu_time and counter:NAME", *id);
    if (o->run.n_own == OWN_METRICS_MAX)
        REFUSE("--metric: more than %d counters; give fewer", OWN_METRICS_MAX);
    struct own_metric *m = &own[o->run.n_own];
    enum tare_status status = own_metric_counter(m, prefixed ? *id + sizeof prefix - 1 : cpu, a, err);
    if (status)
        return status;
    if (column_taken(m->name) && !(m->name = arena_format(a, "%s%s", prefix, m->text)))
        return err_no_memory(err);
    *id = m->name;
    o->run.n_own++;
    return TARE_OK;
}

static enum tare_status check_metrics(struct bench_options *o, struct arena *a, struct tare_err *err)
{
    struct option_list *list = &o->run.metrics;
    struct own_metric *own = arena_array(a, (size_t)list->n + 1, sizeof *own);
    const char **ids = arena_array(a, (size_t)list->n + 1, sizeof *ids);
    if (!own || !ids || (!list->n && option_list_add(list, o->profile == PROFILE_MEMORY ? "peak" : "ns", a)))
        return err_no_memory(err);
    o->run.own = own;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < list->n && !status; i++) {
        ids[i] = list->items[i];
        if (!unit_of(o, ids[i]))
            status = add_counter(o, own, &ids[i], a, err);
        for (int j = 0; j < i && !status; j++)
            if (!strcmp(ids[i], ids[j]))
                REFUSE("--metric %s is given twice; give it once", ids[i]);
    }
    list->items = ids;
    return status;
}

static enum tare_status check_events(const struct bench_options *o, struct tare_err *err)
{
    enum { EVENTS_MAX = 8 };
    if (o->run.events.n > EVENTS_MAX)
        REFUSE("--counters takes at most %d events, not %d", EVENTS_MAX, o->run.events.n);
    for (int i = 0; i < o->run.events.n; i++)
        if (!*o->run.events.items[i] || strlen(o->run.events.items[i]) > 40 || strpbrk(o->run.events.items[i], " \n"))
            REFUSE("--counters: '%.40s' is not an event name", o->run.events.items[i]);
    if (o->run.events.n && (o->profile != PROFILE_STEADY || o->run.method == METHOD_GEORGES || o->run.aa_sessions))
        REFUSE("--counters belongs to --profile steady and --method tare, without --aa; omit it");
    return TARE_OK;
}

static enum tare_status check_margin(const struct bench_options *o, struct tare_err *err)
{
    const char *metric = o->run.metrics.items[0], *given = o->run.margin.unit;
    if (given && strcmp(given, unit_of(o, metric)) != 0)
        REFUSE("--margin must be a share or in %s for --metric %s; write it like 1%%", unit_of(o, metric), metric);
    return TARE_OK;
}

/* One for all, or one for each. */
static enum tare_status check_folders(struct bench_options *o, const struct option_operands *operands, struct tare_err *err)
{
    struct option_list *given = &o->run.cwds;
    const int programs = operands->n + (o->run.anchor != NULL);
    if (given->n == 1) {
        o->run.cwd = given->items[0];
        given->n = 0;
    }
    if (given->n && o->run.results)
        REFUSE("--cwd is given %d times; with --results give it once, for all commands", given->n);
    if (given->n && given->n != programs)
        REFUSE("--cwd is given %d times for %d program%s; give it once, or once for each%s", given->n, programs,
               buf_plural(programs), o->run.anchor ? ", for that of --anchor last" : "");
    return TARE_OK;
}

static enum tare_status check_bench_options(void *options, const struct option_operands *operands, struct arena *a,
                                            struct tare_err *err)
{
    struct bench_options *o = options;
    o->run.set = &bench_option_set;
    enum tare_status s = check_once(o, err);
    s = s ? s : run_options_check_runs(&o->run, 33, err);
    s = s ? s : run_options_check_rule(&o->run, err);
    s = s ? s : check_samples(o, err);
    s = s ? s : check_metrics(o, a, err);
    s = s ? s : check_results(o, err);
    s = s ? s : check_events(o, err);
    s = s ? s : check_margin(o, err);
    s = s ? s : run_options_check_output(&o->run, a, err);
    s = s ? s : check_folders(o, operands, err);
    s = s ? s : run_options_check_place(&o->run, err);
    s = s ? s : run_options_check_revisions(&o->run, err);
    s = s ? s : run_options_check_anchor(&o->run, err);
    s = s ? s : run_options_check_baseline(&o->run, err);
    s = s ? s : display_options_check(&o->run.display, o->run.save, err);
    s = s ? s : run_options_check_history(&o->run, err);
    if (s)
        return s;
    if (!operands->n) {
        err_set(err, TARE_INVALID, "no program given; name one with benchmarks, as in tare bench ./mine");
        option_hint_taken(&o->run.base, err);
        return TARE_INVALID;
    }
    if (o->run.revisions.n && !o->run.results && operands->n > 1)
        REFUSE("--rev measures one program of each revision, and %d are given", operands->n);
    if (o->run.aa_sessions && operands->n > 1)
        REFUSE("--aa compares the benchmarks of one program with themselves; give one");
    if (o->run.aa_sessions && o->profile == PROFILE_ONCE)
        REFUSE("--profile once makes one process, so there is nothing to compare; omit --aa, or use --profile startup");
    return TARE_OK;
}

static const struct example examples[] = {
    {"tare bench ./mine", "measure every benchmark in the program over many processes"},
    {"tare bench ./before ./after", "did the change help? function by function"},
    {"tare bench -f sort --metric cycles ./mine", "only those with sort in their names, compared by core cycles"},
    {"tare bench --profile startup ./mine", "time the first call in each of many fresh processes"},
    {"tare bench --fail-if-slower 2% ./before ./after", "exit 1 if a function became slower by 2% or more"},
    {"tare bench --aa -f sort ./mine", "how often a verdict is wrong here: benchmarks against themselves"},
};

#define HOOK                                                                                                                 \
    "belongs to tare run; here a program prepares in its own code (a fixture), and a command of --results in its own line: " \
    "'make "                                                                                                                 \
    "clean && ./suite'"
#define SCAN "belongs to tare run; give each value as a program or command of its own"
static const struct command_elsewhere of_run[] = {{"setup", 's', HOOK},
                                                  {"prepare", 'p', HOOK},
                                                  {"conclude", 'C', HOOK},
                                                  {"cleanup", 'c', HOOK},
                                                  {"parameter-list", 'L', SCAN},
                                                  {"parameter-scan", 'P', SCAN},
                                                  {"parameter-step-size", 'D', SCAN},
                                                  {.name = NULL}};

const struct command command_bench = {
    .name = "bench",
    .group = "measure",
    .summary = "measure benchmarks of libtare and of other harnesses",
    .synopsis = (const char *const[]){"[OPTION...] PROG...", NULL},
    .description =
        "Measures each benchmark of each PROG in many fresh processes, in rounds of random order; each process gives one value. "
        "With two programs, benchmarks of the same name are compared, and the first program is the reference. Within one program "
        "they are compared with the one marked .baseline.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct bench_options)},
    .operands = SUGGEST_COMMANDS,
    .elsewhere = of_run,
    .check = check_bench_options,
};
