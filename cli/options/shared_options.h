/* SPDX-License-Identifier: MIT
 *
 * shared_options.h - rows that stand in several tables, alone or in groups, with what differs as arguments. Used by the files of tables only,
 * which define T, AT, the headings that they use (SURE, OFTEN, KEPT ...) and AT_RUN: where a field of struct run_options is in theirs.
 *
 *     #define AT_RUN(f) AT(run.f)
 *     static const struct option items[] = {
 *         ...
 *         SHARED_WHERE(AROUND, "the programs", "not pinned"),
 *     };
 *
 * The texts given are literals. A row that has nothing but its name in common with another table's stays where it is.
 */
#ifndef SHARED_OPTIONS_H
#define SHARED_OPTIONS_H

/* The names of the metrics of runs as their lists have them (metrics.def, followed_metrics.def), and of two perf events: choices of --metric. */
extern const char metric_choices[];
extern const char result_format_choices[]; /* of --format: foreign_formats.def */

/* clang-format off */

/* ---- how often ---- */

/* of: "run"; most: of them; usual: of --max-runs */
#define SHARED_MIN_MAX_RUNS(of, most, usual, least_text, most_text) \
    {.group = OFTEN, .name = "min-runs", .letter = 'm', .type = OPTION_INT, AT_RUN(min_runs), .arg = "NUM", .unit = of, \
     .preset = "10", .min = 1, .max = most, .help = least_text, \
     .detail = "There is no interim analysis before that. With --method georges the default is 5."}, \
    SHARED_MAX_RUNS(of, most, usual, most_text)

#define SHARED_MAX_RUNS(of, most, usual, text) \
    {.group = OFTEN, .name = "max-runs", .letter = 'M', .type = OPTION_INT, AT_RUN(max_runs), .arg = "NUM", .unit = of, \
     .preset_note = usual, .absent = 0, .min = 1, .max = most, .help = text, \
     .detail = "A value below the default of --min-runs lowers that default too."}

#define SHARED_MAX_TIME(heading, usual, text, more) \
    {.group = heading, .name = "max-time", .type = OPTION_DURATION, .common = true, AT_RUN(max_time_ns), .arg = "TIME", .preset_note = usual, \
     .absent = 0, .min = 1e-3, .max = 1e6, .help = text, .detail = more}

/* what: "benchmark" */
#define SHARED_PROCESS_TIMEOUT(heading, what) \
    {.group = heading, .name = "timeout", .type = OPTION_DURATION, AT_RUN(timeout_ns), .arg = "TIME", .preset = "60s", \
     .min = 1e-3, .max = 1e6, .help = "Kill a process that takes longer than TIME and give up on its " what "; the others go on."}

/* --sessions and --every */
#define SHARED_SESSIONS(heading, text, more) \
    {.group = heading, .name = "sessions", .type = OPTION_INT, AT_RUN(sessions), .arg = "NUM", .unit = "session", \
     .preset_note = "one", .absent = 0, .min = 2, .max = 10000, .help = text, .detail = more}, \
    {.group = heading, .name = "every", .type = OPTION_DURATION, AT_RUN(every_ns), .arg = "TIME", \
     .preset_note = "back to back", .absent = 0, .min = 0, .max = 1e7, \
     .help = "With --sessions: start one every TIME (10m, 2h).", \
     .detail = "If a session takes longer than TIME, the next one starts at once. Ctrl-C, also while waiting, ends with the " \
               "sessions measured so far."}

/* what: "the command"; more: a sentence, or "" */
#define SHARED_REVISIONS(heading, is_common, what, more) \
    {.group = heading, .name = "rev", .type = OPTION_LIST, .common = is_common, AT_RUN(revisions), .arg = "REV", \
     .help = "Run " what " in this git revision. Repeat the option to compare several; the first is the reference. Each is " \
             "checked out into its own folder. . is the working tree, which is added if there is only one REV.", \
     .detail = more}, \
    {.group = heading, .name = "build", .type = OPTION_TEXT, .once = true, AT_RUN(build), .arg = "CMD", .suggest = SUGGEST_COMMANDS, \
     .help = "Run CMD in a shell in each revision first, to build it. Its output is shown only if it fails.", \
     .detail = "{rev} in CMD is the revision's hash. A revision that does not build ends the session with exit code 5."}

/* ---- how sure ---- */

#define SHARED_PRECISION(usual) \
    {.group = SURE, .name = "precision", .type = OPTION_PERCENT, AT_RUN(precision), .arg = "P%", .preset_note = usual, \
     .absent = NAN, .min = 0.001, .max = 100, .help = "Continue until the interval is at most P% to either side.", \
     .detail = "In a comparison every verdict must be decided as well. With --method georges P% is the width of the " \
               "entire interval, and the default is 2%."}

#define SHARED_CONFIDENCE(usual, text) \
    {.group = SURE, .name = "confidence", .type = OPTION_PERCENT, AT_RUN(confidence), .arg = "P%", .preset = usual, .min = 50, \
     .max = 99.9999, .help = text}

/* usual: the smallest difference that matters */
#define SHARED_MARGIN(usual, text, more) \
    {.group = SURE, .name = "margin", .type = OPTION_MARGIN, .common = true, AT_RUN(margin), .arg = "SIZE", .preset = usual, .help = text, \
     .detail = more}

/* what: "a command is P% or more slower than the reference"; more: sentences or NULL */
#define SHARED_FAIL_IF_SLOWER(what, more) \
    {.group = SURE, .name = "fail-if-slower", .type = OPTION_PERCENT, .common = true, AT_RUN(fail_if_slower), .arg = "P%", \
     .preset_note = "off", .absent = NAN, .min = 0, .max = 1e6, \
     .help = "Exit 1 if " what "; 3 if that is undecided.", .detail = more}
#define SHARED_ASKED_OF_METRIC \
    "The session continues until this is decided. It applies to the metric that decides; slower then means more of it."

/* units: "runs" */
#define SHARED_FAIL_IF_UNSTABLE(units) \
    {.group = SURE, .name = "fail-if-unstable", .type = OPTION_FLAG, AT_RUN(fail_if_unstable), \
     .help = "Exit 4 if the " units " vary so much that the figures are doubtful.", \
     .detail = "The limits are a standard deviation of 10% of the mean, and a minimum or maximum 50% away from it. " \
               "Exit 3 if this cannot be tested: with fewer than six values, if some " units \
               " have no value, or if the median is not above 0."}

/* --baseline and --assume-no-drift */
#define SHARED_BASELINE \
    {.group = SURE, .name = "baseline", .type = OPTION_LIST, AT_RUN(baseline), .suggest = SUGGEST_FILES, .arg = "FILE", \
     .help = "Also compare with what has the same name in a stored session, as tare compare does. Repeatable: several sessions.", \
     .detail = "FILE is a record written by --save or a file of another tool that tare show reads. The answer is undecided " \
               "or not comparable unless --assume-no-drift is given, because the sessions were not interleaved. It appears " \
               "on the screen and, with --fail-if-slower, in the exit code, which is undecided if a name of FILE was not measured " \
               "now; the record and the exports hold this session only. " \
               "To compare two versions reliably, run both in one session."}, \
    {.group = SURE, .name = "assume-no-drift", .type = OPTION_FLAG, AT_RUN(assume_no_drift), \
     .help = "With --baseline: assume that nothing drifted since then or between its sessions, and reach a verdict; it is marked as such."}

/* unit, units: "run", "runs"; fixed: the option that fixes their number */
#define SHARED_ON_DIRTY(unit, units, fixed) \
    {.group = SURE, .name = "on-dirty", .type = OPTION_CHOICE, AT_RUN(on_dirty), .arg = "WHAT", .preset = "flag", \
     .choices = "flag rerun drop", \
     .help = "What to do with a round in which a " unit " was disturbed from outside: flag marks it, rerun repeats it, " \
             "drop also shows the figures of the undisturbed " units ".", \
     .detail = "A " unit " counts as disturbed if it waited for a CPU that others used, was migrated, lost its CPU to the " \
               "hypervisor or a quota, or ran at another frequency. What the program may cause itself, page faults and " \
               "waiting, never counts. rerun draws a new order and repeats a round at most three times; the repetitions are " \
               "at most as many as the planned rounds, within the time limit. The rows that it replaces stay in the record. " \
               "It favours " units " that are short enough to escape disturbances. With drop every verdict still comes from " \
               "all rounds. rerun excludes " fixed " and --method georges."}

#define SHARED_AA(text, more) \
    {.group = SURE, .name = "aa", .type = OPTION_INT, AT_RUN(aa_sessions), .bare = "40", .arg = "NUM", .unit = "session", \
     .preset_note = "off; 40 without NUM", .absent = 0, .min = 2, .max = 500, .help = text, .detail = more}

#define SHARED_SEED(what) \
    {.group = SURE, .name = "seed", .type = OPTION_UINT64, AT_RUN(seed), .arg = "NUM", .preset_note = "drawn and recorded", \
     .help = "Seed of every random choice: " what "."}

#define SHARED_METHOD \
    {.group = SURE, .name = "method", .type = OPTION_CHOICE, AT_RUN(method), .arg = "NAME", .preset = "tare", \
     .choices = "tare georges", \
     .help = "How to measure and when to stop; georges is the published rule of Georges, Buytaert and Eeckhout, which gives " \
             "no verdict."}

/* ---- which, of a program ---- */

/* which: "targets whose name contains WORD"; what: "targets" */
#define SHARED_FILTER(heading, which, more) \
    {.group = heading, .name = "filter", .letter = 'f', .type = OPTION_LIST, .common = true, AT(filters), .arg = "WORD", \
     .help = "Only " which ". Repeatable: those that match any.", .detail = more}
#define SHARED_LIST(heading, what) \
    {.group = heading, .name = "list", .type = OPTION_FLAG, .common = true, AT(list), \
     .help = "Print the names of the " what " and measure nothing."}

/* what: "samples" */
#define SHARED_CLOCK(heading, what, more) \
    {.group = heading, .name = "clock", .type = OPTION_WORD, AT(clock), .arg = "NAME", .preset = "auto", \
     .choices = "auto tsc cntvct raw monotonic", \
     .help = "Clock of the " what ": auto; tsc (x86) or cntvct (ARM), the processor's counter; raw or monotonic, the system's.", \
     .detail = "auto is the processor's counter if it can be trusted, else raw; tare clock measures all of them. " more}

/* ---- where it runs; whom: "the programs" ---- */

#define SHARED_SHOW_OUTPUT(heading) \
    {.group = heading, .name = "show-output", .type = OPTION_FLAG, AT_RUN(show_output), .help = "Show what the programs print."}

#define SHARED_INPUT(heading, whom) \
    {.group = heading, .name = "input", .type = OPTION_TEXT, .suggest = SUGGEST_FILES, AT_RUN(input), .arg = "WHERE", \
     .preset = "null", .choices = "null", \
     .help = "Standard input of " whom ": null (empty), a file, which each run reads from the start, or - for tare's own."}

/* --results and --format */
#define SHARED_RESULTS(heading, text, more) \
    {.group = heading, .name = "results", .type = OPTION_TEXT, AT_RUN(results), .suggest = SUGGEST_FILES, .arg = "FILE", \
     .help = text, .detail = more}, \
    {.group = heading, .name = "format", .type = OPTION_CHOICE, AT_RUN(results_format), .arg = "NAME", .preset = "auto", \
     .choices = result_format_choices, \
     .help = "The format of --results; a file of another one is not read."}

/* --env, --cwd and --pin; usual: of the last */
#define SHARED_WHERE(heading, around, whom, usual) \
    SHARED_ENV(heading, around, NULL), \
    {.group = heading, .name = "cwd", .type = OPTION_DIRECTORY, AT_RUN(cwd), .arg = "DIR", \
     .preset_note = "where tare runs", .help = "Run " around " in DIR."}, \
    SHARED_PIN(heading, whom, usual)

#define SHARED_ENV(heading, around, more) \
    {.group = heading, .name = "env", .type = OPTION_LIST, AT_RUN(env), .arg = "NAME=VALUE", \
     .help = "Set a variable in the environment of " around ". Repeatable.", .detail = more}

#define SHARED_PIN(heading, whom, usual) \
    {.group = heading, .name = "pin", .type = OPTION_INT, AT_RUN(pin_cpu), .arg = "CPU", .preset_note = usual, .absent = -1, \
     .min = 0, .max = 4095, .help = "Run " whom " on this one CPU (0, 1 ...)."}

/* --tune and --priority; unit: "command" */
#define SHARED_QUIETED(heading, whom, unit) \
    {.group = heading, .name = "tune", .type = OPTION_TEXT, .suggest = SUGGEST_KNOBS, AT_RUN(tune), .bare = "all", .arg = "LIST", \
     .preset_note = "off; all without LIST", \
     .help = "Quiet one CPU first, run " whom " on it, and restore every setting afterwards, as tare system tune and reset do. " \
             "LIST names settings, separated by commas.", \
     .detail = "Needs root. The CPU is that of --pin, else the one that tare system show chooses. Like --pin, this slows a " \
               unit " with several threads. The record says what was changed. A separate process restores the settings if tare " \
               "is killed."}, \
    {.group = heading, .name = "priority", .type = OPTION_CHOICE, AT_RUN(priority), .arg = "LEVEL", .preset = "normal", \
     .choices = "idle normal high realtime", .help = "Scheduling priority of " whom ".", \
     .detail = "high and realtime need a permission that users rarely have; without it tare says so and stops."}

/* ---- the machine itself ---- */

#define SHARED_CPUS(heading, text) \
    {.group = heading, .name = "cpus", .type = OPTION_TEXT, .common = true, AT(cpus), .arg = "LIST", \
     .preset_note = "one, away from CPU 0 and from most interrupts", .help = text}

#define SHARED_SYSROOT(heading) \
    {.group = heading, .name = "sysroot", .type = OPTION_DIRECTORY, AT(sysroot), .arg = "DIR", .preset_note = "this machine", \
     .help = "Read DIR instead of this machine: a tree with copies of /sys and /proc."}

/* ---- what is shown and kept; display: where struct display_options is ---- */

#define SHARED_QUIET_VERBOSE(display, less, more) \
    {.group = "What is shown", .name = "quiet", .letter = 'q', .type = OPTION_FLAG, .common = true, AT(display.quiet), .help = less}, \
    {.group = "What is shown", .name = "verbose", .letter = 'v', .type = OPTION_COUNT, .common = true, AT(display.verbose), .help = more}

/* text: "Write verdicts, figures, findings and environment as JSON." */
#define SHARED_EXPORT_JSON(display, text) \
    {.group = KEPT, .name = "export-json", .type = OPTION_FILE, .common = true, .once = true, .arg = "FILE", \
     AT(display.export_file[EXPORT_TO_JSON]), .help = text, \
     .detail = "FILE may be - for standard output. It appears complete or not at all: tare writes a temporary file beside FILE and " \
               "renames it at the end. tare-export(5) lists its members."}

#define SHARED_SAVE(field, text, more) \
    {.group = KEPT, .name = "save", .type = OPTION_FILE, .common = true, .once = true, AT(field), .arg = "FILE", .help = text, \
     .detail = more "Whatever FILE holds is replaced, unless that is a record of --sessions, or of tare leak with its FILE.raw (which " \
                    "only tare leak replaces)."}

/* --history and --class */
#define SHARED_HISTORY_DIR \
    {.group = KEPT, .name = "history", .type = OPTION_TEXT, .common = true, .may_be_empty = true, .suggest = SUGGEST_DIRECTORIES, \
     AT_RUN(history), .bare = "", .arg = "DIR", .preset_note = "off", \
     .help = "Add the results to the history of this repository.", \
     .detail = "They are those of the commit that is checked out. DIR is the folder of the history, .tare/history at the top of the " \
               "repository by default. Only a complete session is added. If files that git knows were changed, the results are kept " \
               "and are in no series. See tare-history(1)."}

#define SHARED_HISTORY_CLASS(field) \
    {.group = KEPT, .name = "class", .type = OPTION_TEXT, AT_RUN(field), .arg = "NAME", \
     .preset_note = "processor and number of cores", \
     .help = "With --history: the class of this machine. Results of different classes are different series."}

#define SHARED_HISTORY SHARED_HISTORY_DIR, SHARED_HISTORY_CLASS(class)

/* clang-format on */

#endif
