/* SPDX-License-Identifier: MIT
 * The table of `tare run`. What the options must satisfy together is in run_check.c. */
#include "run_options.h"
#include "command.h"
#include "shared_options.h"

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
#define METRIC(id, title, unit, kind, direction) #id " "
#include "followed_metrics.def"
    "perf:instructions perf:cycles";

const char result_format_choices[] = "auto"
#define FOREIGN_FORMAT(word, source, maps, lost) " " word
#include "foreign_formats.def"
    ;

static const struct option items[] = {
    {.group = OFTEN, .name = "warmup", .letter = 'w', .type = OPTION_INT, .common = true, AT(warmup), .arg = "NUM", .unit = "run",
     .preset_note = "1; none with --runs or --method georges", .absent = -1, .min = 0, .max = 1e6,
     .help = "Make NUM warmup runs of each command first.",
     .detail = "They fill caches. The record keeps them, marked; no figure includes them."},
    {.group = OFTEN, .name = "runs", .letter = 'r', .type = OPTION_INT, .common = true, AT(runs), .arg = "NUM", .unit = "run",
     .preset_note = "as many as the answer needs", .absent = 0, .min = 1, .max = 1e7,
     .help = "Run each command exactly NUM times.",
     .detail = "The data are then analysed once, at the end. Excludes --min-runs, --max-runs and --precision. With --method "
               "georges NUM is the largest number of executions (default 30)."},
    SHARED_MIN_MAX_RUNS("run", 1e7, "no limit", "Run each command at least NUM times.", "Run each command at most NUM times."),
    SHARED_MAX_TIME(OFTEN, "5 s for each command", "End the session after TIME, hooks included; a bare number is seconds.",
        "If you set it, TIME is a hard limit: if fewer than 10 rounds fit, they are analysed once; with fewer than 6 there is no "
        "interval and the answer is undecided. One warm-up round and one round are made however long they take; --timeout ends a "
        "run. The default limits only the rounds and never prevents the first interim analysis; if that takes longer, a line says "
        "so before the rounds."),
    {.group = OFTEN, .name = "timeout", .type = OPTION_DURATION, AT(timeout_ns), .arg = "TIME", .preset_note = "none",
     .absent = 0, .min = 1e-3, .max = 1e6,
     .help = "Kill a run or a hook, and everything it started, when it takes longer than TIME.",
     .detail = "A run or hook (--setup, --prepare, --conclude, --cleanup) that times out ends the session as failed, even with "
               "--ignore-failure: its time is not known."},
    {.group = OFTEN, .name = "min-benchmarking-time", .type = OPTION_DURATION, .hidden = true, AT(min_time_ns), .arg = "TIME",
     .preset_note = "none", .absent = 0, .min = 0, .max = 1e6, .help = "Measure each command for at least about TIME.",
     .detail = "For compatibility with hyperfine; --precision states the aim directly."},
    SHARED_SESSIONS(OFTEN, "Measure NUM sessions and report their combined result.",
        "A result is valid for its session: between sessions, hours or a reboot apart, times shift by more than the interval of "
        "one session. The combined figure is the mean of the sessions' medians, or of their ratios in a comparison, with Student's "
        "t over sessions. Use six or more, spread over time. With --save the file holds one record per session; exports hold the "
        "combined result, with the median of a session in place of a run."),
    {.group = OFTEN, .name = "continue", .type = OPTION_FLAG, AT(go_on),
     .help = "With --sessions and --save: continue after the complete sessions in the file.",
     .detail = "Commands, hooks, rule, program files and machine must be the same. An interrupted session stays in the file and "
               "is measured again. If there is no file, the first session starts it, so the same command line can be repeated "
               "until all sessions are complete."},
    SHARED_PRECISION("1% for commands measured by themselves; none in rounds"),
    SHARED_CONFIDENCE("95%", "Confidence over all interim analyses and comparisons together."),
    SHARED_MARGIN("1%",
        "Smallest difference that matters, as 1%, 5us or 3kB. A bare number is a count; smaller differences are called the same.",
        "The unit must fit the metric that decides. For perf:cycles, use cycles, as in 20cycles."),
    {.group = SURE, .name = "metric", .type = OPTION_LIST, .common = true, AT(metrics), .arg = "ID", .preset_note = "wall",
     .choices = metric_choices,
     .help = "What to compare: wall, cpu, rss, peak, perf:EVENT or a metric of your own. Also user, sys, majflt, minflt, ctx, "
             "peak_tree; your own are regex:NAME[:UNIT][:higher]=PATTERN and cmd:NAME[:UNIT][:higher]=CMD. Repeatable; the first "
             "decides.",
     .detail = "The built-in metrics are always recorded; -v shows them all. A perf event is opened only if it is named; its cost "
               "on an empty program is shown, and a line says so if the machine has no such counter. For your own metrics see "
               "OWN METRICS."},
    SHARED_RESULTS(SURE, "A file with results that each run writes; --metric result:NAME=BENCHMARK compares one of them.",
        "FILE, in the folder in which the command runs, is deleted before each run and read after it. See OWN METRICS; tare bench "
        "--results compares all that is in it."),
    {.group = SURE, .name = "memory", .type = OPTION_CHOICE, AT(memory), .arg = "HOW", .preset = "wait4",
     .choices = "wait4 exact",
     .help = "How to measure peak memory: wait4, as the kernel reports it for each timed run, or exact, in additional untimed runs.",
     .detail = "exact runs each command once more in each of the first six rounds, with its hooks, follows all its processes with "
               "ptrace and reads the peak of each just before it exits. The metric peak is that of the largest process; peak_tree, "
               "where a control group is available, that of all together. With --metric peak every round has such a run. See "
               "MEMORY."},
    {.group = SURE, .name = "check-output", .type = OPTION_FLAG, AT(check_output),
     .help = "Compare what the runs write to standard output: if a command's output changes from run to run, the verdict is invalid; "
             "if the commands' outputs differ, a finding says so.",
     .detail = "A hash of up to 64 MiB is kept for each run. The output is held in memory during the run; see OWN METRICS."},
    SHARED_FAIL_IF_SLOWER("a command is P% or more slower than the reference", SHARED_ASKED_OF_METRIC),
    SHARED_BASELINE,
    SHARED_FAIL_IF_UNSTABLE("runs"),
    SHARED_ON_DIRTY("run", "runs", "--runs"),
    SHARED_AA(
        "Compare the command with itself in NUM short sessions: how often tare reports a false positive here, and the smallest "
        "difference that it can detect.",
        "Each session is a separate comparison with its own random order and ends as any other would. Every verdict faster or "
        "slower is a false positive; their share is shown with its exact interval. --max-time is divided among the sessions; the "
        "default is 1.5 s each. --setup and --cleanup run around each session. The exit code is 0 whatever the answer."),
    {.group = SURE, .name = "no-interleave", .type = OPTION_FLAG, AT(no_interleave),
     .help = "Measure one command after the other instead of in rounds. There is then no verdict."},
    SHARED_SEED("order within rounds, size of the environment"),
    SHARED_METHOD,
    {.group = AROUND, .name = "setup", .letter = 's', .type = OPTION_TEXT, .once = true, .may_be_empty = true, AT(setup),
     .arg = "CMD", .suggest = SUGGEST_COMMANDS, .help = "Run CMD once before the runs.",
     .detail = "If CMD is the same for all commands once parameters are filled in, it runs once, before the first round. "
               "Otherwise the commands are measured one after the other, each after its own setup, and there is no verdict."},
    {.group = AROUND, .name = "prepare", .letter = 'p', .type = OPTION_LIST, .common = true, AT(prepare), .arg = "CMD",
     .suggest = SUGGEST_COMMANDS, .help = "Run CMD before every run, untimed. Give it once for all commands, or once for each."},
    {.group = AROUND, .name = "conclude", .letter = 'C', .type = OPTION_LIST, AT(conclude), .arg = "CMD",
     .suggest = SUGGEST_COMMANDS, .help = "Run CMD after every run, untimed. Give it once for all commands, or once for each."},
    {.group = AROUND, .name = "cleanup", .letter = 'c', .type = OPTION_TEXT, .once = true, .may_be_empty = true, AT(cleanup),
     .arg = "CMD", .suggest = SUGGEST_COMMANDS, .help = "Run CMD once after the runs.",
     .detail = "It runs as often as --setup."},
    {.group = VARY, .name = "parameter-scan", .letter = 'P', .type = OPTION_LIST, .words = 3, .once = true, AT(scan),
     .arg = "VAR MIN MAX", .help = "Measure each command with every number from MIN to MAX in place of {VAR}.",
     .detail = "{VAR} is also replaced in hooks and names. Excludes --parameter-list."},
    {.group = VARY, .name = "parameter-step-size", .letter = 'D', .type = OPTION_TEXT, AT(scan_step), .arg = "DELTA",
     .preset_note = "1", .help = "Step of --parameter-scan."},
    {.group = VARY, .name = "parameter-list", .letter = 'L', .type = OPTION_LIST, .common = true, .words = 2, AT(lists), .arg = "VAR VALUES",
     .help = "Measure each command with each of the VALUES (1,2,4) for {VAR}. Repeated: all combinations.",
     .detail = "Write a comma inside a value as \\,. Two commas in a row make an empty value, as in hyperfine."},
    {.group = COMMANDS, .name = "command-name", .letter = 'n', .type = OPTION_LIST, .common = true, AT(names), .arg = "NAME",
     .help = "Name shown instead of the command; repeat it for the second command, the third and so on."},
    {.group = COMMANDS, .name = "reference", .type = OPTION_TEXT, .once = true, AT(reference), .arg = "CMD",
     .suggest = SUGGEST_COMMANDS, .preset_note = "the first command",
     .help = "Add CMD as the command that the others are compared with."},
    {.group = COMMANDS, .name = "reference-name", .type = OPTION_TEXT, .once = true, AT(reference_name), .arg = "NAME",
     .help = "Name shown instead of the reference command."},
    {.group = COMMANDS, .name = "anchor", .type = OPTION_TEXT, .once = true, AT(anchor), .arg = "CMD", .suggest = SUGGEST_COMMANDS,
     .help = "Run CMD in each round too, and report each command's time as a multiple of CMD's. For results that are compared "
             "over days or commits.",
     .detail = "Give a program that never changes: a pinned copy of the program or an old build of it. From one session to another "
               "the ratio to it varies much less than a time, because what slows the machine slows both. The anchor takes no part "
               "in any verdict and does not change when the session ends. It costs one run a round: -r 10 with one command "
               "makes 20 runs. --setup, --prepare and the like are for it too; options that are given once for each command count "
               "it as the last. Not with --method georges, --no-interleave, --aa or --rev."},
    {.group = COMMANDS, .name = "shell", .letter = 'S', .type = OPTION_TEXT, .common = true, AT(shell), .arg = "SHELL",
     .suggest = SUGGEST_COMMANDS, .preset_note = "none unless a command needs one", .choices = "default none sh bash zsh",
     .help = "Run all commands in SHELL, or without one. SHELL is default, none, a program, or a complete command line.",
     .detail = "By default a shell is used only if a command contains shell syntax or a shell builtin; then all commands get it, so "
               "that the comparison stays fair. The shell is timed with the command; nothing is subtracted."},
    {.group = COMMANDS, .letter = 'N', .type = OPTION_FLAG, AT(no_shell), .help = "The same as --shell=none."},
    {.group = COMMANDS, .name = "ignore-failure", .letter = 'i', .type = OPTION_CODES, .common = true, AT(ignore_failure), .arg = "CODES",
     .help = "Continue when a command fails. With CODES (1,2), only if it fails with one of them.",
     .detail = "The value needs the = sign: -i=1,2. all-non-zero is the same as no value; 128 + N is signal N, 0xc0000005 a code of Windows. Such runs are "
               "marked in the record. A run that --timeout ends is never accepted."},
    {.group = COMMANDS, .name = "output", .type = OPTION_LIST, .suggest = SUGGEST_FILES, AT(output), .arg = "WHERE",
     .preset_note = "null", .choices = "null pipe inherit",
     .help = "Where the commands' output goes: null, pipe (read and discarded), inherit, or a file's path with a slash in it, which "
             "each run overwrites.",
     .detail = "Give it once for all commands, or once for each. With pipe the clock stops when the command ends, not when the pipe "
               "closes. A file receives standard output only. With inherit the hooks' output is shown too."},
    {.group = COMMANDS, .name = "show-output", .type = OPTION_FLAG, AT(show_output), .help = "The same as --output=inherit."},
    SHARED_INPUT(COMMANDS, "the commands"),
    SHARED_WHERE(COMMANDS, "commands and hooks", "the commands", "not pinned"),
    {.group = COMMANDS, .name = "same-cpu", .type = OPTION_FLAG, AT(same_cpu),
     .help = "Run all commands of a round on one CPU, drawn at random for each round, so that CPUs of different speed do not "
             "disturb the comparison. For commands that use one CPU.",
     .detail = "CPUs differ in speed on hybrid processors, in virtual machines, and where hyper-threads share a core. Like --pin, "
               "this option slows a program with several threads or processes."},
    SHARED_QUIETED(COMMANDS, "the commands", "command"),
    {.group = EXTRA, .name = "memory-timeline", .type = OPTION_FLAG, AT(memory_timeline),
     .help = "Run each command once more, untimed, and draw its memory over time: resident memory and live heap.",
     .detail = "The run follows the timed ones, with the same hooks, and is not counted in --runs and --max-time. Its processes are "
               "observed from outside, and a library that counts allocations is preloaded into them; the timed runs have none "
               "of this. For a program that does not load it (a static or setuid one, or one with its own allocator) no heap is "
               "drawn, and the reason is shown. --export-timeline writes the picture or the samples, and implies this option."},
    SHARED_REVISIONS(REVISED, true, "the command", "To see whether the last commit made a program slower: --rev HEAD~1 --rev HEAD. See REVISIONS."),
#include "display_options.def"
    SHARED_SAVE(save, "Write the record of the session, for tare show.",
        "The file is written while measuring, so every finished run survives an interruption. The format is in tare-record(5). "),
    SHARED_HISTORY,
    {.group = KEPT, .name = "dry-run", .type = OPTION_FLAG, AT(dry_run),
     .help = "Print what would be run, how often and in which shell; run and write nothing."},
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

static const struct example examples[] = {
    {"tare run 'sleep 0.1'", "measure one command until its median is known to 1%"},
    {"tare run 'sort -u words' 'uniq words'", "compare two, in interleaved rounds"},
    {"tare run -L n 1,2,4 'make -j{n}' -p 'make clean'", "one command with several values; clean before each run"},
    {"tare run --fail-if-slower 2% ./old ./new", "exit 1 if the second is slower by 2% or more"},
    {"tare run --metric 'regex:rate:1/s:higher=rate: ([0-9.]+)' ./old ./new", "compare a number that the programs print"},
    {"tare run --metric 'cmd:size:B=wc -c' 'sort words' 'uniq words'", "compare how much they print"},
    {"tare run --rev HEAD~1 --rev HEAD --build make ./prog", "did the last commit make it slower?"},
    {"tare run -- ./prog --its-own 'options and words'", "one command with its arguments"},
};

const struct command command_run = {
    .name = "run",
    .group = "measure",
    .summary = "measure commands and compare them, round by round",
    .synopsis = (const char *const[]){"[OPTION...] CMD...", "[OPTION...] -- PROG [ARG...]", NULL},
    .description =
        "Each CMD is one quoted command, as in 'grep -c foo big.txt'. The first is the reference. Everything after -- is one "
        "command "
        "with its arguments, unless the first argument contains blanks and is not a file; then each argument is a command.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct run_options)},
    .operands = SUGGEST_COMMANDS,
    .quoted = true,
    .check = run_options_check,
};
