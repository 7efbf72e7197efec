/* SPDX-License-Identifier: MIT
 * The table of `tare leak`, and what its options must satisfy together. */
#include "leak_options.h"
#include "command.h"
#include "option_value.h"
#include "shared_options.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

static enum tare_status check_sources(const struct leak_options *o, const struct option_operands *operands, struct tare_err *err)
{
    int sources = (o->csv != NULL) + (o->replay != NULL) + (o->symbol != NULL) + (operands->n > 0);
    const struct refusal table[] = {
        {o->go_on && (o->csv || o->replay || (o->symbol && !o->run.sessions)),
         "--continue goes on with its own session; omit --csv, --replay and --symbol"},
        {o->yes && (!o->go_on || o->run.sessions), "--yes answers the question of --continue FILE; there is none to answer here"},
        {sources > 1, "give one of programs, --symbol, --csv and --replay"},
        {o->classes.n && !o->symbol, "--class belongs to --symbol; a program has its own classes"},
        {o->classes.n == 1, "--class is given once; a leak is a difference between two classes"},
        {o->symbol && o->growth, "--symbol has no sizes; omit --growth"},
    };
    enum tare_status status = RUN_REFUSE(table);
    if (!status && o->go_on && operands->n && !o->run.sessions)
        REFUSE("--continue measures the programs of its session; omit '%.60s'", operands->items[0]);
    if (status)
        return status;
    if (sources || (o->go_on && !o->run.sessions))
        return TARE_OK;
    err_set(err, TARE_INVALID,
            "no program given; name one that was built with libtare, as in tare leak ./ct_tests, or --csv FILE");
    option_hint_taken(&o->run.base, err);
    return TARE_INVALID;
}

/* Options that have none in a kind of work, or all that have one. An option is honoured or refused, never passed over. */
struct range {
    const char *mode; /* the option that makes it so */
    const char *words;
    bool only; /* words are all that have a meaning, but those that everything has; else they are those that have none */
    const char *does;
};

#define SCREEN " style quiet verbose "
#define JUDGED                                                                                                          \
    " margin advantage alpha confidence exact strict method measurements drop threshold percentiles order export-json " \
    "export-svg export-html export-csv export-markdown export-asciidoc export-orgmode "

static const struct range ranges[] = {
    {"--sessions", " csv replay scan growth taint ledger suppressions method export-html export-svg list tune ", false,
     "puts the sizes of pairs of classes together"},
    {"--csv", " csv ledger save" JUDGED, true, "judges times that are there"},
    {"--replay", " replay" JUDGED, true, "judges times that are there"},
    {"--list", " list filter scan growth symbol class continue max-time timeout show-output env cwd priority ", true,
     "measures nothing"},
    {"--continue", /* of one session */
     " scan growth cache dit repeat clock selfcheck margin advantage alpha confidence exact method measurements drop "
     "threshold "
     "percentiles order filter "
     "class ",
     false, "has the targets and the rule of its session"},
    {"--growth", " advantage alpha exact strict ledger ", false, "is judged by its intervals alone"},
    {"--scan", " advantage exact repeat ", false, "judges each bit by itself"},
};

static bool is_among(const char *words, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at += n)
        if (at > words && at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static bool is_given(const struct leak_options *o, const struct option *option)
{
    return option->name && option_given(&leak_option_set, o, option->offset);
}

static enum tare_status check_range(const struct leak_options *o, const struct range *r, struct tare_err *err)
{
    const struct option *mode = option_named(&leak_option_set, r->mode + 2);
    for (int i = 0; i < leak_option_set.n && is_given(o, mode); i++) {
        const struct option *option = &leak_option_set.items[i];
        if (!is_given(o, option) || is_among(SCREEN, option->name) || is_among(r->words, option->name) == r->only)
            continue;
        REFUSE("%s %s, so --%s has no meaning; omit it", r->mode, r->does, option->name);
    }
    return TARE_OK;
}

static enum tare_status check_ranges(const struct leak_options *o, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && !status; i++)
        if (!o->run.sessions || strcmp(ranges[i].mode, "--continue") != 0) /* of several, all is given again */
            status = check_range(o, &ranges[i], err);
    return status;
}

static enum tare_status check_kind(const struct leak_options *o, struct tare_err *err)
{
    const struct refusal table[] = {
        {o->suppressions && !o->taint, "--suppressions are of --taint; give both, or neither"},
        {o->taint && o->growth, "--taint follows secret inputs, and --growth has none; ask one at a time"},
        {o->scan && o->growth, "--scan and --growth are two questions; ask one at a time"},
        {o->repeat > 1 && o->cache,
         "--repeat leaves the caches warm for all calls of a reading but the first; omit it or --cache"},
        {o->method != LEAK_BY_TARE && (o->scan || o->growth),
         "--method dudect and lab0 compare two classes; omit --scan and --growth"},
    };
    return RUN_REFUSE(table);
}

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
    if (of_dudect && o->method == LEAK_BY_TARE)
        REFUSE(
            "--measurements, --drop, --threshold, --percentiles and --order belong to --method dudect or lab0; add one, or omit "
            "them");
    char *end;
    long cropped = strtol(o->percentiles, &end, 10);
    bool off = !strcmp(o->percentiles, "off");
    if (!off && (end == o->percentiles || *end || cropped < 1 || cropped > 100))
        REFUSE("--percentiles '%.40s' is neither off nor 1 to 100", o->percentiles);
    o->cropped = off ? 0 : (int)cropped;
    if (o->method == LEAK_BY_LAB0) {
        /* lab0-c's numbers, where none are given. */
        o->measurements = LEAK_GIVEN(o, measurements) ? o->measurements : 150;
        o->drop = LEAK_GIVEN(o, drop) ? o->drop : 20;
        o->cropped = LEAK_GIVEN(o, percentiles) ? o->cropped : 0;
        o->order = LEAK_GIVEN(o, order) ? o->order : 1;
    }
    if (o->method == LEAK_BY_LAB0 && 2 * o->drop >= o->measurements)
        REFUSE("--method lab0 drops %d at both ends of a batch of %d; nothing is left", o->drop, o->measurements);
    return TARE_OK;
}

/* What `tare run` reads of its options and this command does not have. */
static enum tare_status fill_others(struct leak_options *o, struct arena *a, struct tare_err *err)
{
    o->run.precision = 0;
    o->run.fail_if_slower = NAN;
    return option_list_add(&o->run.metrics, "wall", a) ? err_no_memory(err) : TARE_OK;
}

/* The file of sessions that is gone on with is the one that they are kept in. */
static enum tare_status check_sessions(struct leak_options *o, struct tare_err *err)
{
    if (LEAK_GIVEN(o, run.every_ns) && !o->run.sessions)
        REFUSE("--every is the time between --sessions, and none are asked for; add --sessions NUM");
    if (!o->run.sessions || !o->go_on)
        return TARE_OK;
    if (o->run.save)
        REFUSE("--continue names the file that holds the sessions, and new ones are added to it; omit --save");
    o->run.save = o->go_on;
    o->run.go_on = true;
    o->go_on = NULL;
    return TARE_OK;
}

static enum tare_status check_save(const struct leak_options *o, struct tare_err *err)
{
    if (o->run.save && !strcmp(o->run.save, "-"))
        REFUSE("--save needs a file: the times of all calls are kept beside it");
    return TARE_OK;
}

static enum tare_status check_leak_options(void *options, const struct option_operands *operands, struct arena *a,
                                           struct tare_err *err)
{
    struct leak_options *o = options;
    o->run.set = &leak_option_set;
    enum tare_status s = check_sources(o, operands, err);
    s = s ? s : check_kind(o, err);
    s = s ? s : check_ranges(o, err);
    s = s ? s : check_sessions(o, err);
    s = s ? s : check_margin(o, err);
    s = s ? s : check_dudect(o, err);
    s = s ? s : fill_others(o, a, err);
    s = s ? s : run_options_check_output(&o->run, a, err);
    s = s ? s : run_options_check_place(&o->run, err);
    s = s ? s : check_save(o, err);
    s = s ? s : display_options_check(&o->run.display, o->run.save, err);
    return s;
}

#define T         struct leak_options
#define AT(f)     .offset = offsetof(T, f)
#define AT_RUN(f) AT(run.f)

#define WHAT   "What is asked"
#define SURE   "How sure"
#define LONG   "How long"
#define HOW    "How it is measured"
#define OTHERS "Without a program"
#define DUDECT "As dudect does"
#define AROUND "The programs"
#define KEPT   "What is kept"

/* clang-format off */
static const struct option items[] = {
    SHARED_FILTER(WHAT, "targets whose name contains WORD", NULL),
    SHARED_LIST(WHAT, "targets"),
    {.group = WHAT, .name = "scan", .type = OPTION_FLAG, .common = true, AT(scan),
     .help = "Test which bits of the secret change the time. All inputs are random; each bit is tested, and the number of ones.",
     .detail = "Bits are tested one by one: an effect that needs two of them together is not found."},
    {.group = WHAT, .name = "growth", .type = OPTION_FLAG, .common = true, AT(growth),
     .help = "Test whether the time grows with the size. For targets that have sizes.",
     .detail = "--margin is then the growth that is tolerated from the smallest to the largest size. The default is four memory "
               "accesses or half of the time, whichever is more."},
    {.group = WHAT, .name = "taint", .type = OPTION_FLAG, .common = true, AT(taint),
     .help = "Also run each target under valgrind with its input marked as secret, and name the lines that use it.",
     .detail = "This follows only executed paths and does not see instructions whose time depends on their operands; the report says "
               "so. Options such as --clock and --repeat apply to the timing only."},
    {.group = WHAT, .name = "suppressions", .type = OPTION_FILE, .once = true, AT(suppressions), .arg = "FILE",
     .help = "With --taint: read suppressions from FILE, in valgrind's format."},
    SHARED_MARGIN("1ns", "Largest difference that is tolerated, as 1ns, 5cycles or 1% (of the typical time).",
        "A leak within the margin is called small. \"No leak\" always means none larger than this."),
    {.group = SURE, .name = "advantage", .type = OPTION_NUMBER, AT(advantage), .arg = "A", .preset = "0.01", .min = 0.0001,
     .max = 1,
     .help = "Largest tolerated advantage of an attacker who sees one call and applies the best single threshold, from 0 (a coin "
             "toss) to 1.",
     .detail = "\"No leak\" takes about 20/A^2 blocks, each with one call of each class: 200 000 for 0.01, 20 000 for 0.03. If a "
               "call takes tens of microseconds, this takes most of the time."},
    {.group = SURE, .name = "alpha", .type = OPTION_NUMBER, AT(alpha), .arg = "P", .preset = "1e-5", .min = 1e-12, .max = 0.1,
     .help = "Probability of reporting a leak if there is none, over all targets and interim analyses.",
     .detail = "For several targets it is the expected share of false reports among all reports (e-BH)."},
    SHARED_CONFIDENCE("99%", "Confidence of the intervals of a target, all together and over all interim analyses."),
    {.group = SURE, .name = "exact", .type = OPTION_FLAG, AT(exact),
     .help = "Estimate sizes by betting: the intervals hold for any number of calls and describe the calls that were made. The "
             "default ones describe the mean over processes.",
     .detail = "This takes about 100 ns more for each block and needs more calls."},
    {.group = SURE, .name = "strict", .type = OPTION_FLAG, AT(strict), .help = "Exit 1 for a small leak too."},
    {.group = SURE, .name = "ledger", .type = OPTION_FILE, .once = true, AT(ledger), .arg = "FILE",
     .help = "Combine the evidence of this run with that of earlier runs of the same test in FILE, and add this run to FILE.",
     .detail = "Evidence of independent runs multiplies, whether or not they found a leak, so repeating a test until it passes "
               "does not help. The same test means the same target of the same program file with the same options on the same "
               "processor."},
    SHARED_SEED("inputs, order within blocks, order within rounds"),
    SHARED_MAX_TIME(LONG, "10 s for each target",
        "End after TIME, for all targets together; a bare number is seconds. When a target is decided, the others get its remaining "
        "time.",
        "A process that is still running then, or that takes much more than its share, is stopped; it has half a second to end. A "
        "target without any data has failed; one that was not reached is undecided. The runs of --taint are not counted."),
    {.group = LONG, .name = "max-calls", .type = OPTION_UINT64, AT(max_calls), .arg = "NUM", .preset_note = "no limit",
     .help = "End a target after NUM timed calls or a few more."},
    SHARED_PROCESS_TIMEOUT(LONG, "target"),
    SHARED_SESSIONS(LONG, "Measure NUM sessions and report them together: the size of a leak over sessions, and one verdict.",
        "A size is valid for its session: between sessions it shifts by more than its interval, with the state of the CPUs. The "
        "combined size is the mean over sessions, with Student's t, and their evidence multiplies. Use six or more, spread over "
        "time. With --save the file holds one record per session, without the times of the calls."),
    {.group = LONG, .name = "continue", .type = OPTION_FILE, .once = true, AT(go_on), .arg = "FILE",
     .help = "Continue the session in FILE, written by --save, even if it was interrupted; all its calls count.",
     .detail = "Rule and targets are those of FILE; the programs must be the same files, which is checked before they run. With "
               "--save, the new record holds both and must be another file. With --sessions, the missing sessions are measured and "
               "added to FILE; give the same programs and options again."},
    {.group = LONG, .name = "yes", .type = OPTION_FLAG, AT(yes),
     .help = "With --continue: run the programs that FILE names without asking.",
     .detail = "FILE determines what is executed. Without this option tare shows the programs and asks first; without a terminal "
               "nothing runs."},
    {.group = HOW, .name = "cache", .type = OPTION_CHOICE, AT(cache), .arg = "WHAT", .preset = "warm",
     .choices = "warm cold random",
     .help = "Where the input is before each call: warm, in the caches, as it was just written; cold, flushed from all caches; "
             "random, either one at random.",
     .detail = "Table lookups by secret bytes often leak only when the table is cold."},
    {.group = HOW, .name = "dit", .type = OPTION_FLAG, AT(dit),
     .help = "Switch on data-independent timing if the processor lets a program do so; the resulting state is shown."},
    {.group = HOW, .name = "repeat", .type = OPTION_INT, AT(repeat), .arg = "NUM", .unit = "call", .preset = "1", .min = 1,
     .max = 65536, .help = "Calls between two clock readings, each with its own input of the class, prepared beforehand.",
     .detail = "With more than one, tare measures throughput, not the latency of a call: a difference in the first call only is "
               "divided by NUM, and no advantage is given. A coarse clock does not need this option: the phase of each reading is "
               "random."},
    SHARED_CLOCK(HOW, "readings",
        "The advantage is that of an attacker who times one call with this clock."),
    {.group = HOW, .name = "selfcheck", .type = OPTION_INT, AT(selfcheck), .arg = "NUM", .unit = "block", .preset = "5", .min = 1,
     .max = 45, .help = "In NUM of 100 blocks compare a class with itself, and in as many inject a known delay.",
     .detail = "Without them no run could report \"no leak\": finding nothing proves nothing unless the same run would have found a "
               "leak."},
    {.group = OTHERS, .name = "symbol", .type = OPTION_TEXT, .common = true, AT(symbol), .arg = "SPEC",
     .help = "Time a function of a shared library without writing a program: LIBRARY:FUNCTION(ARGUMENT,...)[->RESULT].",
     .detail = "For example libc.so.6:memcmp(in:32,in:32,len). Arguments, at most 6: in:N is a pointer to N secret bytes of the "
               "input, public:N to N bytes that are not secret, out:N to N bytes that the function may write; len is the N of the "
               "pointer to the left; u8 to u64 are secret numbers; anything else is a literal number or null. Results: int, u32, i64, "
               "u64, pointer, void. The verdict applies to the library's file as it was loaded; the record has its hash."},
    {.group = OTHERS, .name = "class", .type = OPTION_LIST, AT(classes), .arg = "NAME",
     .choices = "equal random zero ones differs-first differs-middle differs-last low-weight high-weight",
     .help = "With --symbol: compare these classes of inputs, two or more, as defined in tare/leak.h. Repeatable.",
     .detail = "The default is equal and random if the input consists of two parts of the same length, else zero and random."},
    {.group = OTHERS, .name = "csv", .type = OPTION_FILE, .common = true, .once = true, AT(csv), .arg = "FILE",
     .help = "Analyse times that another program measured: lines label,time[,block]; - is standard input.",
     .detail = "Times are nanoseconds, as decimal numbers that are not negative. A first line that is not data is a header. If every "
               "block has each label once, in random order, the verdict is as strong as for a program; without blocks it assumes "
               "that the calls are independent, and the result says so."},
    {.group = OTHERS, .name = "replay", .type = OPTION_FILE, .once = true, AT(replay), .arg = "FILE",
     .help = "Analyse the calls that --save FILE stored again, by the rule of FILE or by the options given here.",
     .detail = "By the same rule the verdicts are the same, including a ledger's part. The exit code is 4 if FILE or its times were "
               "changed, 6 if they cannot be read."},
    {.group = DUDECT, .name = "method", .type = OPTION_CHOICE, AT(method), .arg = "NAME", .preset = "tare",
     .choices = "tare dudect lab0",
     .help = "Rule that decides: tare's, or for comparison what dudect's or lab0-c's rule says about the same calls.",
     .detail = "Their verdicts are given as published, and again with their known defects corrected; the exit code follows the "
               "latter. lab0: batches of 150, of which the first and last 20 are dropped, one t-test, no cropping, no second order; "
               "a try has 91 batches, and one successful try in ten is enough. --percentiles 100 crops as lab0-c does since 2025."},
    {.group = DUDECT, .name = "measurements", .type = OPTION_INT, AT(measurements), .arg = "NUM", .unit = "call",
     .preset = "10000", .preset_note = "150 for lab0", .min = 50, .max = 1e6, .help = "dudect: calls in a batch."},
    {.group = DUDECT, .name = "drop", .type = OPTION_INT, AT(drop), .arg = "NUM", .unit = "call", .preset = "10", .min = 0,
     .max = 1000, .help = "dudect: calls dropped at the start of a batch. lab0: also at its end, 20 by default."},
    {.group = DUDECT, .name = "threshold", .type = OPTION_NUMBER, AT(threshold), .arg = "T", .preset = "10", .min = 1,
     .max = 1000, .help = "dudect: |t| above which it no longer reports maybe constant time; the paper uses 4.5."},
    {.group = DUDECT, .name = "percentiles", .type = OPTION_TEXT, AT(percentiles), .arg = "NUM", .preset = "100",
     .choices = "off 100", .help = "dudect: number of cropped tests, or off. lab0: off by default."},
    {.group = DUDECT, .name = "order", .type = OPTION_INT, AT(order), .arg = "NUM", .preset = "2", .min = 1, .max = 2,
     .help = "dudect: 1 compares means, 2 also squares. lab0: 1 by default."},
    SHARED_SHOW_OUTPUT(AROUND),
    SHARED_WHERE(AROUND, "the programs", "the programs", "drawn for each process, all in turn"),
    SHARED_QUIETED(AROUND, "the programs", "program"),
#define display run.display
#include "style_option.def"
#undef display
    SHARED_QUIET_VERBOSE(run.display, "Print only the verdicts.",
        "Explain more: every figure behind a verdict, the self-checks, pictures. Given twice: every process."),
#define display run.display
#define EXPORTERS_OF_TABLES
#include "export_options.def"
#undef EXPORTERS_OF_TABLES
#undef display
    {.group = KEPT, .name = "export-svg", .type = OPTION_FILE, .once = true, .arg = "FILE",
     AT(run.display.export_file[EXPORT_TO_SVG]),
     .help = "Draw distributions, their difference, evidence and size over the calls as SVG."},
    SHARED_SAVE(run.save, "Write the record of the session, and the time of every call to FILE.raw.",
        "Both are written while measuring, so every finished process survives an interruption; tare leak --replay and tare show "
        "analyse them again, with the same verdicts. FILE.raw takes five bytes a call, about 10 MB a second. The format is in "
        "tare-record(5). "),
    {.group = KEPT, .name = "dry-run", .type = OPTION_FLAG, AT(run.dry_run),
     .help = "Print what would be measured and for how long; measure and write nothing.",
     .detail = "The programs are started once, to list their targets."},
#include "common_options.def"
};
/* clang-format on */

const struct option_set leak_option_set = {items, sizeof items / sizeof *items, sizeof(struct leak_options)};

static const struct example examples[] = {
    {"tare leak ./ct_tests", "is each target's time independent of its secret, to within 1 ns?"},
    {"tare leak --margin 5cycles -f memcmp ./ct_tests", "only targets with memcmp in their names, to within 5 core cycles"},
    {"tare leak --scan -f aes ./ct_tests", "which bits of the key change the time?"},
    {"tare leak --growth ./queue_tests", "is it O(1)?"},
    {"tare leak --csv times.csv", "analyse times that another program measured"},
    {"tare leak --sessions 12 --every 10m --save s.jsonl ./ct_tests", "how large is the leak over several sessions?"},
    {"tare leak --save calls.jsonl --export-html calls.html ./ct_tests", "keep all calls, and draw them"},
};

static const struct command_elsewhere of_earlier[] = {
    {.name = "noise", .advice = "is no longer there; start a program that accesses memory beside tare, as stress-ng --cache 1"},
    {.name = NULL}};

const struct command command_leak = {
    .name = "leak",
    .group = "measure",
    .summary = "test whether a function's time depends on secret inputs",
    .synopsis = (const char *const[]){"[OPTION...] PROG...", "[OPTION...] --csv FILE", "[OPTION...] --replay FILE",
                                      "[OPTION...] --symbol SPEC", "[OPTION...] --continue FILE", NULL},
    .description =
        "Calls each target of each PROG with inputs of its classes, in blocks of random order, until it is shown that the time "
        "depends on the class, or that the difference is within the margin. The error rates hold however long the test runs and "
        "however often the data are analysed. Every run includes self-checks: a class against itself, and an injected delay that "
        "must be found.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct leak_options)},
    .operands = SUGGEST_COMMANDS,
    .elsewhere = of_earlier,
    .check = check_leak_options,
};
