/* SPDX-License-Identifier: MIT
 * The table of `tare leak`, and what its options must satisfy together. */
#include "leak_options.h"
#include "buf.h"
#include "command.h"
#include "option_value.h"
#include "shared_options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define T     struct leak_options
#define AT(f) .offset = offsetof(T, f)

#define WHAT   "What is asked"
#define SURE   "How sure"
#define LONG   "How long"
#define HOW    "How it is measured"
#define OTHERS "Without a program"
#define DUDECT "As dudect does"
#define AROUND "The programs"
#define SHOWN  "What is shown"
#define KEPT   "What is kept"

static const struct option items[] = {
    SHARED_FILTER(WHAT, filters, "targets"),
    SHARED_LIST(WHAT, list, "targets"),
    {.group = WHAT,
     .name = "scan",
     .type = OPTION_FLAG,
     AT(scan),
     .help = "Which bits of the secret change the time? All inputs are random; each bit is judged, and the number of ones.",
     .detail = "Bits are seen one by one: what only two of them together change is not."},
    {.group = WHAT,
     .name = "growth",
     .type = OPTION_FLAG,
     AT(growth),
     .help = "Does the time grow with the size? Of the targets that have sizes.",
     .detail = "--margin is then the growth that is tolerated from the smallest to the largest size; without it four accesses to "
               "memory or "
               "half of the time, whichever is more."},
    {.group = WHAT,
     .name = "taint",
     .type = OPTION_FLAG,
     AT(taint),
     .help = "Also run each target under valgrind with its input marked as secret, and name the lines where it decides.",
     .detail = "It follows the paths that are executed and is blind to instructions whose time depends on their operands; the "
               "report says so."},
    {.group = WHAT,
     .name = "suppressions",
     .type = OPTION_FILE,
     .once = true,
     AT(suppressions),
     .arg = "FILE",
     .help = "With --taint: what valgrind shall not report, in its own format."},
    {.group = SURE,
     .name = "margin",
     .type = OPTION_MARGIN,
     AT(run.margin),
     .arg = "SIZE",
     .preset = "1ns",
     .help = "Largest difference that is tolerated, as 1ns, 5cycles or 1% (of the typical time).",
     .detail = "A leak within it is called small. \"No leak\" always means none larger than this."},
    {.group = SURE,
     .name = "advantage",
     .type = OPTION_NUMBER,
     AT(advantage),
     .arg = "A",
     .preset = "0.01",
     .min = 0.0001,
     .max = 1,
     .help = "Largest tolerated advantage of an attacker who sees one call and compares it with the best single limit: 0 (a "
             "coin) to 1."},
    {.group = SURE,
     .name = "alpha",
     .type = OPTION_NUMBER,
     AT(alpha),
     .arg = "P",
     .preset = "1e-5",
     .min = 1e-12,
     .max = 0.1,
     .help = "Chance of calling a leak what is none, over the whole run and however often it is looked at.",
     .detail = "Of several targets it is the expected share of false claims among all claims (e-BH)."},
    SHARED_CONFIDENCE(run.confidence, "99%", "Confidence of the sizes, of a target's all together and at every look."),
    {.group = SURE,
     .name = "exact",
     .type = OPTION_FLAG,
     AT(exact),
     .help = "Sizes by betting, whose intervals hold for any number of calls; the default ones hold asymptotically.",
     .detail = "It takes about 100 ns more for each block and needs more calls."},
    {.group = SURE, .name = "strict", .type = OPTION_FLAG, AT(strict), .help = "Exit 1 for a small leak too."},
    {.group = SURE,
     .name = "ledger",
     .type = OPTION_FILE,
     .once = true,
     AT(ledger),
     .arg = "FILE",
     .help = "Count all runs of the same question together: those that FILE holds, and this one, which is added.",
     .detail = "Evidence of independent runs multiplies, that of runs without a finding too, so running again until it passes "
               "does not help. "
               "The same question is the same target of the same program file with the same options on the same processor."},
    SHARED_SEED(run.seed, "inputs, order within blocks, order within rounds"),
    {.group = LONG,
     .name = "max-time",
     .type = OPTION_DURATION,
     AT(run.max_time_ns),
     .arg = "TIME",
     .preset_note = "10 s for each target",
     .absent = 0,
     .min = 1e-3,
     .max = 1e6,
     .help = "End after TIME, for all targets together; a bare number is seconds. A target that is decided leaves its time to "
             "the others."},
    {.group = LONG,
     .name = "max-calls",
     .type = OPTION_UINT64,
     AT(max_calls),
     .arg = "NUM",
     .preset_note = "no limit",
     .help = "End a target after NUM timed calls or little more."},
    SHARED_PROCESS_TIMEOUT(LONG, run.timeout_ns, "target"),
    {.group = LONG,
     .name = "continue",
     .type = OPTION_FILE,
     .once = true,
     AT(go_on),
     .arg = "FILE",
     .help = "Go on with the session that --save FILE left, also one that was interrupted: its calls count, whatever they say.",
     .detail =
         "Rule and targets are those of FILE; the programs must be the same files. With --save, the new record holds both."},
    {.group = HOW,
     .name = "cache",
     .type = OPTION_CHOICE,
     AT(cache),
     .arg = "WHAT",
     .preset = "warm",
     .choices = "warm cold random",
     .help =
         "Where the input is before each call: warm, as it was just written; cold, out of all caches; random, either by a coin.",
     .detail = "Tables that are looked up by secret bytes often show only when they are cold."},
    {.group = HOW,
     .name = "noise",
     .type = OPTION_FLAG,
     AT(noise),
     .help = "Let a second thread walk through memory meanwhile, as a busy neighbour would."},
    {.group = HOW,
     .name = "dit",
     .type = OPTION_FLAG,
     AT(dit),
     .help = "Switch data-independent timing on where the processor lets a program do it; what it came to is shown."},
    {.group = HOW,
     .name = "repeat",
     .type = OPTION_INT,
     AT(repeat),
     .arg = "NUM",
     .unit = "call",
     .preset_note = "as many as the clock needs, often 1",
     .absent = 0,
     .min = 1,
     .max = 65536,
     .help = "Calls of one input between two readings of the clock.",
     .detail = "More make rare effects hard to see; the clock's step may need them."},
    {.group = HOW,
     .name = "selfcheck",
     .type = OPTION_INT,
     AT(selfcheck),
     .arg = "NUM",
     .unit = "block",
     .preset = "5",
     .min = 1,
     .max = 45,
     .help = "Of a hundred blocks so many compare a class with itself, and as many have a known delay planted.",
     .detail = "Without them no run could say \"no leak\": silence proves nothing unless the same run would have seen one."},
    {.group = OTHERS,
     .name = "symbol",
     .type = OPTION_TEXT,
     AT(symbol),
     .arg = "SPEC",
     .help = "Time a function of a shared library without writing a program: LIBRARY:FUNCTION(ARGUMENT,...)[->RESULT].",
     .detail = "As in libc.so.6:memcmp(in:32,in:32,len). Arguments, at most 6: in:N is a pointer to N secret bytes of the input, "
               "public:N to bytes that are "
               "not, out:N to bytes that it may write, len the N of the pointer to the left, u8 to u64 a secret number, else "
               "this number or null. Results: "
               "int, u32, i64, u64, pointer, void. The claim is about the library as it was loaded, whose file is not hashed."},
    {.group = OTHERS,
     .name = "class",
     .type = OPTION_LIST,
     AT(classes),
     .arg = "NAME",
     .choices = "equal random zero ones differs-first differs-middle differs-last low-weight high-weight",
     .help = "With --symbol: compare these classes of inputs, two or more, the ready ones of tare/leak.h. Repeatable.",
     .detail = "By default equal and random where the input is two parts of one length, else zero and random."},
    {.group = OTHERS,
     .name = "csv",
     .type = OPTION_FILE,
     .once = true,
     AT(csv),
     .arg = "FILE",
     .help = "Judge times that something else measured: lines label,time[,block]; - is standard input.",
     .detail = "Times are nanoseconds. A first line that is no data is a header. With blocks, each holding every label once in "
               "an order drawn at random, the "
               "claim is as strong as for a program; without them it rests on calls that do not depend on each other, and the "
               "result says so."},
    {.group = OTHERS,
     .name = "replay",
     .type = OPTION_FILE,
     .once = true,
     AT(replay),
     .arg = "FILE",
     .help = "Judge the calls that --save FILE kept once more; by the rule of FILE, or by what is given here.",
     .detail = "By the same rule the verdicts are the same."},
    {.group = DUDECT,
     .name = "method",
     .type = OPTION_CHOICE,
     AT(method),
     .arg = "NAME",
     .preset = "tare",
     .choices = "tare dudect",
     .help = "What decides: tare, or what dudect would say of the same calls, for comparison.",
     .detail = "dudect's words are given as published, and once more with its plain defects taken out; the exit code follows the "
               "latter."},
    {.group = DUDECT,
     .name = "measurements",
     .type = OPTION_INT,
     AT(measurements),
     .arg = "NUM",
     .unit = "call",
     .preset = "10000",
     .min = 50,
     .max = 1e6,
     .help = "dudect: calls in a batch."},
    {.group = DUDECT,
     .name = "drop",
     .type = OPTION_INT,
     AT(drop),
     .arg = "NUM",
     .unit = "call",
     .preset = "10",
     .min = 0,
     .max = 1000,
     .help = "dudect: calls at the start of a batch that are not used; 20 as in lab0-c."},
    {.group = DUDECT,
     .name = "threshold",
     .type = OPTION_NUMBER,
     AT(threshold),
     .arg = "T",
     .preset = "10",
     .min = 1,
     .max = 1000,
     .help = "dudect: from which |t| on it is no longer maybe constant time; the paper has 4.5."},
    {.group = DUDECT,
     .name = "percentiles",
     .type = OPTION_TEXT,
     AT(percentiles),
     .arg = "NUM",
     .preset = "100",
     .choices = "off 100",
     .help = "dudect: cropped tests, or off."},
    {.group = DUDECT,
     .name = "order",
     .type = OPTION_INT,
     AT(order),
     .arg = "NUM",
     .preset = "2",
     .min = 1,
     .max = 2,
     .help = "dudect: 1 compares means, 2 squares too."},
    SHARED_SHOW_OUTPUT(AROUND, run.show_output),
    SHARED_ENV(AROUND, run.env, "the programs"),
    SHARED_CWD(AROUND, run.cwd, "the programs"),
    SHARED_PIN(AROUND, run.pin_cpu, "the programs", "each process stays on one, which the system chooses"),
    SHARED_PRIORITY(AROUND, run.priority, "the programs"),
#define display run.display
#include "style_option.def"
#undef display
    {.group = SHOWN,
     .name = "quiet",
     .letter = 'q',
     .type = OPTION_FLAG,
     AT(run.display.quiet),
     .help = "Print only the verdicts."},
    {.group = SHOWN,
     .name = "verbose",
     .letter = 'v',
     .type = OPTION_COUNT,
     AT(run.display.verbose),
     .help = "Explain more: every figure behind a verdict, the self-checks, pictures. Given twice: every process."},
    {.group = KEPT,
     .name = "export-json",
     .type = OPTION_FILE,
     .once = true,
     .arg = "FILE",
     AT(run.display.export_file[EXPORT_TO_JSON]),
     .help = "Write verdicts, figures, findings and environment as JSON.",
     .detail = "FILE may be - for standard output. It appears whole or not at all: it is written beside FILE and renamed at the "
               "end. tare-export(5) lists its members."},
    {.group = KEPT,
     .name = "export-svg",
     .type = OPTION_FILE,
     .once = true,
     .arg = "FILE",
     AT(run.display.export_file[EXPORT_TO_SVG]),
     .help = "Draw distributions, their difference, evidence and size over the calls as SVG."},
    {.group = KEPT,
     .name = "export-html",
     .type = OPTION_FILE,
     .once = true,
     .arg = "FILE",
     AT(html),
     .help = "The same as one page with every figure as text; it needs neither script nor other files."},
    {.group = KEPT,
     .name = "save",
     .type = OPTION_FILE,
     .once = true,
     AT(run.save),
     .arg = "FILE",
     .help = "Write the record of the session, and beside it as FILE.raw the time of every call.",
     .detail = "Both are written while measuring: whatever happens, every finished process is readable, and tare leak --replay "
               "or tare show judge "
               "them anew, with the same verdicts. FILE.raw takes five bytes a call: some 10 MB a second. The format is in "
               "tare-record(5)."},
    {.group = KEPT,
     .name = "dry-run",
     .type = OPTION_FLAG,
     AT(run.dry_run),
     .help = "Print what would be measured and for how long; measure and write nothing.",
     .detail = "The programs are started once, to ask them for their targets."},
#include "common_options.def"
};

const struct option_set leak_option_set = {items, sizeof items / sizeof *items, sizeof(struct leak_options)};

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

/* ---- what is judged ---- */

static enum tare_status check_sources(const struct leak_options *o, const struct option_operands *operands, struct tare_err *err)
{
    int sources = (o->csv != NULL) + (o->replay != NULL) + (o->symbol != NULL) + (operands->n > 0);
    if (o->go_on && (o->csv || o->replay || o->symbol))
        REFUSE("--continue goes on with its own session; leave --csv, --replay and --symbol away");
    if (sources > 1)
        REFUSE("give one of programs, --symbol, --csv and --replay");
    if (o->classes.n && !o->symbol)
        REFUSE("--class belongs to --symbol; a program has its own classes");
    if (o->classes.n == 1)
        REFUSE("--class is given once; a leak is a difference between two classes");
    if (o->symbol && o->growth)
        REFUSE("--symbol has no sizes; leave --growth away");
    if (sources || o->go_on)
        return TARE_OK;
    err_set(err, TARE_INVALID,
            "no program given; name one that was built with libtare, as in tare leak ./ct_tests, or --csv FILE");
    option_hint_taken(&o->run.base, err);
    return TARE_INVALID;
}

/* Nothing is measured: what says how has no meaning. */
static enum tare_status check_stored(const struct leak_options *o, struct tare_err *err)
{
    const char *source = o->csv ? "--csv" : "--replay";
    if (!o->csv && !o->replay)
        return TARE_OK;
    const struct {
        bool given;
        const char *name;
    } measuring[] = {{o->taint, "--taint"},
                     {LEAK_GIVEN(o, cache), "--cache"},
                     {o->noise, "--noise"},
                     {o->dit, "--dit"},
                     {LEAK_GIVEN(o, repeat), "--repeat"},
                     {LEAK_GIVEN(o, selfcheck), "--selfcheck"},
                     {LEAK_GIVEN(o, run.timeout_ns), "--timeout"},
                     {LEAK_GIVEN(o, run.max_time_ns), "--max-time"},
                     {o->run.pin_cpu >= 0, "--pin"},
                     {LEAK_GIVEN(o, run.seed), "--seed"},
                     {o->filters.n > 0, "--filter"},
                     {o->list, "--list"},
                     {o->run.dry_run, "--dry-run"},
                     {o->run.show_output, "--show-output"},
                     {o->run.env.n > 0, "--env"},
                     {o->run.cwd != NULL, "--cwd"},
                     {o->csv && o->max_calls, "--max-calls"},
                     {o->growth || o->scan, o->growth ? "--growth" : "--scan"},
                     {o->replay && o->run.save, "--save"},
                     {o->replay && o->ledger, "--ledger"}};
    for (size_t i = 0; i < sizeof measuring / sizeof *measuring; i++)
        if (measuring[i].given)
            REFUSE("%s judges times that are there, so %s has no meaning; leave it away", source, measuring[i].name);
    return TARE_OK;
}

static enum tare_status check_kind(const struct leak_options *o, struct tare_err *err)
{
    if (o->suppressions && !o->taint)
        REFUSE("--suppressions are of --taint; give both, or neither");
    if (o->taint && o->growth)
        REFUSE("--taint follows secret inputs, and --growth has none; ask one at a time");
    if (o->scan && o->growth)
        REFUSE("--scan and --growth are two questions; ask one at a time");
    if (o->method == LEAK_BY_DUDECT && (o->scan || o->growth))
        REFUSE("--method dudect compares two classes; leave --scan and --growth away");
    if (o->go_on && o->filters.n)
        REFUSE("--continue goes on with the targets of its session; leave --filter away");
    if (o->go_on && (o->scan || o->growth || LEAK_GIVEN(o, method) || LEAK_GIVEN(o, run.margin) || LEAK_GIVEN(o, cache)))
        REFUSE("--continue has the rule of its session; leave --scan, --growth, --method, --margin and --cache away");
    return TARE_OK;
}

/* ---- the rule ---- */

static enum tare_status check_margin(const struct leak_options *o, struct tare_err *err)
{
    const char *unit = o->run.margin.unit;
    if (unit && strcmp(unit, "ns") != 0 && strcmp(unit, "cycles") != 0)
        REFUSE("--margin is a time: write it like 1ns, 5cycles or 1%%");
    if (!(o->run.margin.value > 0))
        REFUSE("--margin of nothing cannot be held: no finite number of calls proves that there is no difference at all; give it "
               "a size");
    return TARE_OK;
}

static enum tare_status check_dudect(struct leak_options *o, struct tare_err *err)
{
    bool of_dudect = LEAK_GIVEN(o, measurements) || LEAK_GIVEN(o, drop) || LEAK_GIVEN(o, threshold) ||
                     LEAK_GIVEN(o, percentiles) || LEAK_GIVEN(o, order);
    if (of_dudect && o->method != LEAK_BY_DUDECT)
        REFUSE("--measurements, --drop, --threshold, --percentiles and --order belong to --method dudect; add it, or leave them "
               "away");
    char *end;
    long cropped = strtol(o->percentiles, &end, 10);
    bool off = !strcmp(o->percentiles, "off");
    if (!off && (end == o->percentiles || *end || cropped < 1 || cropped > 100))
        REFUSE("--percentiles '%.40s' is neither off nor 1 to 100", o->percentiles);
    o->cropped = off ? 0 : (int)cropped;
    return TARE_OK;
}

/* What `tare run` reads of its options and this command does not have. */
static enum tare_status fill_others(struct leak_options *o, struct arena *a, struct tare_err *err)
{
    o->run.precision = 0;
    o->run.fail_if_slower = NAN;
    return option_list_add(&o->run.metrics, "wall", a) ? err_set(err, TARE_NO_MEMORY, "no memory for options") : TARE_OK;
}

static enum tare_status check_save(const struct leak_options *o, struct tare_err *err)
{
    if (o->run.save && !strcmp(o->run.save, "-"))
        REFUSE("--save needs a file: the times of all calls are kept beside it");
    return TARE_OK;
}

static enum tare_status check(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct leak_options *o = options;
    o->run.set = &leak_option_set;
    enum tare_status s = check_sources(o, operands, err);
    s = s ? s : check_stored(o, err);
    s = s ? s : check_kind(o, err);
    s = s ? s : check_margin(o, err);
    s = s ? s : check_dudect(o, err);
    s = s ? s : fill_others(o, a, err);
    s = s ? s : run_options_check_output(&o->run, a, err);
    s = s ? s : run_options_check_place(&o->run, err);
    s = s ? s : check_save(o, err);
    s = s ? s : display_options_check(&o->run.display, o->run.save, err);
    if (!s && o->html && !strcmp(o->html, "-"))
        o->run.display.stdout_taken = true;
    return s;
}

static const char *const synopsis[] = {"[OPTION...] PROG...",       "[OPTION...] --csv FILE",      "[OPTION...] --replay FILE",
                                       "[OPTION...] --symbol SPEC", "[OPTION...] --continue FILE", NULL};

static const struct example examples[] = {
    {"tare leak ./ct_tests", "is each target's time independent of its secret, to within 1 ns?"},
    {"tare leak --margin 5cycles -f memcmp ./ct_tests", "those with memcmp in their names, to within 5 core cycles"},
    {"tare leak --scan -f aes ./ct_tests", "which bits of the key change the time"},
    {"tare leak --growth ./queue_tests", "is it O(1)?"},
    {"tare leak --csv times.csv", "times that another program measured: label,time[,block]"},
    {"tare leak --save s.jsonl --export-html s.html ./ct_tests", "keep all calls, and pictures of them"},
};

const struct command command_leak = {
    .name = "leak",
    .group = "measure",
    .summary = "is this code constant time, and how do we know?",
    .synopsis = synopsis,
    .description =
        "Calls each target of each PROG with inputs of its classes, in blocks of random order, until it is proven that the time "
        "tells the classes "
        "apart, or that it does so by no more than a margin. The error rates hold however long and often it is looked at. Every "
        "run checks itself: a class against itself, and a planted delay that must be found.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct leak_options)},
    .operands = SUGGEST_COMMANDS,
    .check = check,
};
