/* SPDX-License-Identifier: MIT
 * The table of `tare run`. What the options must satisfy together is in run_check.c. */
#include "run_options.h"
#include "command.h"
#include "shared_options.h"
#include <math.h>

#define T         struct run_options
#define AT(f)     .offset = offsetof(T, f)
#define AT_RUN(f) AT(f)

#define OFTEN    "How often"
#define SURE     "How sure"
#define AROUND   "Around the runs"
#define VARY     "Parameters"
#define COMMANDS "The commands"
#define EXTRA    "Untimed runs"
#define REVISED  "Revisions"
#define KEPT     "What is kept"

/* clang-format off */
const char metric_choices[] =
#define METRIC(id, title, unit, kind, direction) #id " "
#include "metrics.def"
#include "followed_metrics.def"
#undef METRIC
    "perf:instructions perf:cycles";

static const struct option items[] = {
    {.group = OFTEN, .name = "warmup", .letter = 'w', .type = OPTION_INT, .common = true, AT(warmup), .arg = "NUM", .unit = "run",
     .preset_note = "1; none with --runs or --method georges", .absent = -1, .min = 0, .max = 1e6,
     .help = "Make NUM runs of each command first that do not count.",
     .detail = "Fills caches. These runs are kept in the record, marked; they enter no figure."},
    {.group = OFTEN, .name = "runs", .letter = 'r', .type = OPTION_INT, .common = true, AT(runs), .arg = "NUM", .unit = "run",
     .preset_note = "as many as the answer needs", .absent = 0, .min = 1, .max = 1e7,
     .help = "Run each command exactly NUM times.",
     .detail = "The data is then analysed once, at the end. Excludes --min-runs, --max-runs and --precision. With --method "
               "georges it is the largest number of executions (default 30), and 1 is a single execution."},
    SHARED_MIN_MAX_RUNS("run", 1e7, "no limit", "Run each command at least NUM times.", "Run each command at most NUM times."),
    SHARED_MAX_TIME(OFTEN, "5 s for each command", "End the session after TIME, hooks included; a bare number is seconds.",
        "A given value is hard: when fewer than 10 rounds fit, those that do are analysed once, and with fewer than 6 the "
        "figures come without interval and the answer is undecided. One round is made whatever it takes. The default is for the "
        "rounds alone and never prevents the first interim analysis; where that takes longer a line says so before the rounds."),
    {.group = OFTEN, .name = "timeout", .type = OPTION_DURATION, AT(timeout_ns), .arg = "TIME", .preset_note = "none",
     .absent = 0, .min = 1e-3, .max = 1e6,
     .help = "Kill a run or a hook, with all that it started, when it takes longer than TIME.",
     .detail = "A run that timed out ends the session as failed, with --ignore-failure too: its time is not known. So does a "
               "hook: --setup, --prepare, --conclude, --cleanup."},
    {.group = OFTEN, .name = "min-benchmarking-time", .type = OPTION_DURATION, .hidden = true, AT(min_time_ns), .arg = "TIME",
     .preset_note = "none", .absent = 0, .min = 0, .max = 1e6, .help = "Measure each command for about TIME in all, or longer.",
     .detail = "Understood because hyperfine has it; --precision asks for what it can only approximate."},
    SHARED_SESSIONS(OFTEN, "Measure NUM sessions and say what they have in common.",
        "What one session says of a command holds in that session: from one to the next, hours or a restart apart, times move by "
        "more than its interval. Over sessions the figure is the mean of their medians, with Student's t over sessions; of a "
        "comparison the mean of their ratios. Six or more, spread over time, are worth something. With --save the file holds one "
        "record a session; exports hold what they say together, with the median of a session in the place of a run."),
    {.group = OFTEN, .name = "continue", .type = OPTION_FLAG, AT(go_on),
     .help = "With --sessions and --save: go on after the complete sessions in the file.",
     .detail = "They must be of the same commands, hooks, rule and program files on the same machine. A session that was cut off "
               "stays in the file and is measured again. Where there is no file it begins, so that the same line can be given "
               "until all are there."},
    SHARED_PRECISION("1% for commands measured by themselves; none in rounds"),
    SHARED_CONFIDENCE("95%", "Confidence over all interim analyses and comparisons together."),
    SHARED_MARGIN("1%",
        "Smallest difference that matters, as 1%, 5us or 3kB. A bare number is a count; smaller differences are called the same.",
        "The unit must fit the metric that decides. For perf:cycles, 20cycles is understood."),
    {.group = SURE, .name = "metric", .type = OPTION_LIST, .common = true, AT(metrics), .arg = "ID", .preset_note = "wall",
     .choices = metric_choices,
     .help = "What to compare: wall, cpu, rss, peak, perf:EVENT or a metric of your own. Also user, sys, majflt, minflt, ctx, "
             "peak_tree; your own are regex:NAME[:UNIT][:higher]=PATTERN and cmd:NAME[:UNIT][:higher]=CMD. Repeatable; the first "
             "decides.",
     .detail = "The built-in metrics are always recorded; -v shows them all. A perf event is opened only when named, its cost on "
               "an empty program is shown, and where the machine has no such counter the figure says so. OWN METRICS says more "
               "of those."},
    {.group = SURE, .name = "memory", .type = OPTION_CHOICE, AT(memory), .arg = "HOW", .preset = "wait4",
     .choices = "wait4 exact",
     .help = "How peak memory is measured: wait4, what the kernel says of each timed run, or exact, by untimed runs besides.",
     .detail = "exact runs each command once more in each of the first six rounds, with its hooks, follows it and all that it "
               "starts by ptrace and reads the peak of each process just before its end: the metric peak, of the largest one, "
               "and where a control group can be had peak_tree, of all together. With --metric peak every round has such a run. "
               "MEMORY says more."},
    {.group = SURE, .name = "check-output", .type = OPTION_FLAG, AT(check_output),
     .help = "Compare what the runs write to standard output: a command that does not repeat itself makes the verdict invalid, "
             "and commands that differ are a finding.",
     .detail = "A hash of up to 64 MiB is kept of each run. The output goes to memory meanwhile, see OWN METRICS."},
    SHARED_FAIL_IF_SLOWER("a command is P% or more slower than the reference", SHARED_ASKED_OF_METRIC),
    SHARED_BASELINE,
    SHARED_FAIL_IF_UNSTABLE("runs"),
    SHARED_ON_DIRTY("run", "runs", "--runs"),
    SHARED_AA(
        "Compare the command with itself in NUM short sessions: how often tare reports a false positive here, and the smallest "
        "difference that it can show.",
        "Each session is a comparison of its own, with new coins, and ends as any would. Every verdict faster or slower among them "
        "is a false positive; their share is shown with its exact interval. --max-time is for all sessions together, each gets its "
        "part; the default is 1.5 s each. --setup and --cleanup run around each session. An answer of this kind exits 0, "
        "whatever it is."),
    {.group = SURE, .name = "no-interleave", .type = OPTION_FLAG, AT(no_interleave),
     .help = "Measure one command after the other, not in rounds. No command is then called faster, slower or the same."},
    SHARED_SEED("order within rounds, size of the environment"),
    SHARED_METHOD,
    {.group = AROUND, .name = "setup", .letter = 's', .type = OPTION_TEXT, .once = true, .may_be_empty = true, AT(setup),
     .arg = "CMD", .suggest = SUGGEST_COMMANDS, .help = "Run CMD once before the runs.",
     .detail = "If, parameters filled in, CMD is the same for all commands, it runs once before all rounds. If it differs, the "
               "commands are measured one after the other, each after its own set-up, and no verdict is reached."},
    {.group = AROUND, .name = "prepare", .letter = 'p', .type = OPTION_LIST, .common = true, AT(prepare), .arg = "CMD",
     .suggest = SUGGEST_COMMANDS, .help = "Run CMD before every run, untimed. Once for all commands, or once for each."},
    {.group = AROUND, .name = "conclude", .letter = 'C', .type = OPTION_LIST, AT(conclude), .arg = "CMD",
     .suggest = SUGGEST_COMMANDS, .help = "Run CMD after every run, untimed. Once for all commands, or once for each."},
    {.group = AROUND, .name = "cleanup", .letter = 'c', .type = OPTION_TEXT, .once = true, .may_be_empty = true, AT(cleanup),
     .arg = "CMD", .suggest = SUGGEST_COMMANDS, .help = "Run CMD once after the runs.",
     .detail = "When and how often: as for --setup."},
    {.group = VARY, .name = "parameter-scan", .letter = 'P', .type = OPTION_LIST, .words = 3, .once = true, AT(scan),
     .arg = "VAR MIN MAX", .help = "Measure each command with every number from MIN to MAX in place of {VAR}.",
     .detail = "Also in hooks and names. Excludes --parameter-list."},
    {.group = VARY, .name = "parameter-step-size", .letter = 'D', .type = OPTION_TEXT, AT(scan_step), .arg = "DELTA",
     .preset_note = "1", .help = "Step of --parameter-scan."},
    {.group = VARY, .name = "parameter-list", .letter = 'L', .type = OPTION_LIST, .common = true, .words = 2, AT(lists), .arg = "VAR VALUES",
     .help = "Measure each command with each of the VALUES (1,2,4) for {VAR}. Repeated: all combinations.",
     .detail = "A comma inside a value is written \\,. Nothing between two commas is an empty value, as in hyperfine."},
    {.group = COMMANDS, .name = "command-name", .letter = 'n', .type = OPTION_LIST, .common = true, AT(names), .arg = "NAME",
     .help = "Name shown instead of the command; repeat it for the second command, the third and so on."},
    {.group = COMMANDS, .name = "reference", .type = OPTION_TEXT, .once = true, AT(reference), .arg = "CMD",
     .suggest = SUGGEST_COMMANDS, .preset_note = "the first command",
     .help = "One more command, against which the others are compared."},
    {.group = COMMANDS, .name = "reference-name", .type = OPTION_TEXT, .once = true, AT(reference_name), .arg = "NAME",
     .help = "Name shown instead of the reference command."},
    {.group = COMMANDS, .name = "shell", .letter = 'S', .type = OPTION_TEXT, .common = true, AT(shell), .arg = "SHELL",
     .suggest = SUGGEST_COMMANDS, .preset_note = "none unless a command needs one", .choices = "default none sh bash zsh",
     .help = "Run all commands by SHELL, or by none. SHELL is default, a program, or a complete command line.",
     .detail = "Without it a shell is used only if a command holds shell syntax or a shell's own word; then all get it, so that "
               "the comparison stays fair. The shell is timed with the command; nothing is subtracted."},
    {.group = COMMANDS, .letter = 'N', .type = OPTION_FLAG, AT(no_shell), .help = "The same as --shell=none."},
    {.group = COMMANDS, .name = "ignore-failure", .letter = 'i', .type = OPTION_CODES, .common = true, AT(ignore_failure), .arg = "CODES",
     .help = "Go on when a command fails. With CODES (1,2), only when it fails with one of them.",
     .detail = "The value needs its = sign: -i=1,2. all-non-zero is the same as no value, 128 + N is signal N. Such runs are "
               "marked in the record. A run that --timeout ends is never accepted."},
    {.group = COMMANDS, .name = "output", .type = OPTION_LIST, .suggest = SUGGEST_FILES, AT(output), .arg = "WHERE",
     .preset_note = "null", .choices = "null pipe inherit",
     .help = "Where the commands' output goes: null, pipe (read and dropped), inherit, or a file's path with a slash in it; each "
             "run writes the file anew.",
     .detail = "Once for all commands, or once for each. With pipe the clock stops when the command ends, not when the pipe "
               "does. A file is written anew by each run and takes standard output alone. With inherit the hooks' output shows "
               "too."},
    {.group = COMMANDS, .name = "show-output", .type = OPTION_FLAG, AT(show_output), .help = "The same as --output=inherit."},
    SHARED_INPUT(COMMANDS, "the commands"),
    SHARED_WHERE(COMMANDS, "commands and hooks", "the commands", "not pinned"),
    {.group = COMMANDS, .name = "same-cpu", .type = OPTION_FLAG, AT(same_cpu),
     .help = "Run all commands of a round on one CPU, drawn anew for each round: where CPUs differ in speed, commands are then "
             "compared on the same one. For commands that use one CPU.",
     .detail = "Hybrid processors, hyper-threads that share a core and virtual machines have CPUs of different speed. A program "
               "with several threads or processes is slowed by this option, as by --pin."},
    SHARED_QUIETED(COMMANDS, "the commands", "command"),
    {.group = EXTRA, .name = "memory-timeline", .type = OPTION_FLAG, AT(memory_timeline),
     .help = "Run each command once more, untimed, and draw its memory over time: what is resident, and the live heap.",
     .detail = "The run comes after the timed ones, with the same hooks, and on top of --runs and --max-time. Its processes are "
               "observed from outside, and a library that counts allocations is preloaded into them; no timed run carries any "
               "of it. A program that takes no preloaded library (static, with rights of its own, with an allocator of its own) "
               "has no heap, and the reason is shown. --export-timeline writes the picture or the samples, and implies this "
               "option."},
    {.group = REVISED, .name = "rev", .type = OPTION_LIST, .common = true, AT(revisions), .arg = "REV",
     .help = "Run the command in this git revision. Each is checked out aside; repeat it for those to compare with. "
             "The first is the reference. . is the working tree, which is also taken when only one REV is given.",
     .detail = "Did my commit hurt? --rev HEAD~1 --rev HEAD. REVISIONS says how it is done."},
    {.group = REVISED, .name = "build", .type = OPTION_TEXT, .once = true, AT(build), .arg = "CMD", .suggest = SUGGEST_COMMANDS,
     .help = "Run CMD by the shell in each revision before all else. What it writes is shown only if it fails.",
     .detail = "{rev} in it is the revision's hash. A revision that does not build ends the session, exit code 5."},
#include "display_options.def"
    SHARED_SAVE(save, "Write the record of the session, for tare show.",
        "It is written while measuring: whatever happens, every finished run is readable. The format is in tare-record(5)."),
    {.group = KEPT, .name = "dry-run", .type = OPTION_FLAG, AT(dry_run),
     .help = "Print what would be run, how often and by which shell; run and write nothing."},
#include "common_options.def"
};
/* clang-format on */

const struct option_set run_option_set = {items, sizeof items / sizeof *items, sizeof(struct run_options)};

enum tare_status run_options_check(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct run_options *o = options;
    o->set = &run_option_set;
    return run_options_check_all(o, operands, a, err);
}

static const char *const synopsis[] = {"[OPTION...] CMD...", "[OPTION...] -- PROG [ARG...]", NULL};

static const struct example examples[] = {
    {"tare run 'sleep 0.1'", "measure one command until its median is known to 1%"},
    {"tare run 'sort -u words' 'uniq words'", "compare two, in interleaved rounds"},
    {"tare run -L n 1,2,4 'make -j{n}' -p 'make clean'", "one command with several values, each run prepared"},
    {"tare run --fail-if-slower 2% ./old ./new", "exit 1 if the second is slower by 2% or more"},
    {"tare run --metric 'regex:rate:1/s:higher=rate: ([0-9.]+)' ./old ./new", "compare what the programs say of themselves"},
    {"tare run --metric 'cmd:size:B=wc -c' 'sort words' 'uniq words'", "compare how much they print"},
    {"tare run --rev HEAD~1 --rev HEAD --build make ./prog", "did the last commit make it slower?"},
    {"tare run -- ./prog --its-own 'options and words'", "one command with its arguments"},
};

const struct command command_run = {
    .name = "run",
    .group = "measure",
    .summary = "measure commands and compare them, round by round",
    .synopsis = synopsis,
    .description =
        "Each CMD is one command, as in 'grep -c foo big.txt'. The first is the reference. What follows -- is one command and "
        "its arguments, unless the first argument holds blanks and is no file: then each argument is a command.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct run_options)},
    .operands = SUGGEST_COMMANDS,
    .quoted = true,
    .check = run_options_check,
};
