/* SPDX-License-Identifier: MIT
 *
 * shared_options.h - rows that stand in several tables, with what differs as arguments. Used by the files of tables only, which define
 * T, AT and the headings that they use (SURE, AROUND ...).
 *
 *     static const struct option items[] = {
 *         ...
 *         SHARED_ENV(AROUND, run.env, "the programs"),
 *     };
 *
 * The texts given are literals. A row that has nothing but its name in common with another table's stays where it is.
 */
#ifndef SHARED_OPTIONS_H
#define SHARED_OPTIONS_H

/* clang-format off */

/* ---- how often ---- */

#define SHARED_MIN_RUNS(field, of, most, text)                                                                                  \
    {.group = OFTEN, .name = "min-runs", .letter = 'm', .type = OPTION_INT, AT(field), .arg = "NUM", .unit = of,                 \
     .preset = "10", .min = 1, .max = most, .help = text,                                                                        \
     .detail = "The first look at the data comes no earlier. With --method georges the default is 5."}

#define SHARED_MAX_RUNS(field, of, most, usual, text)                                                                           \
    {.group = OFTEN, .name = "max-runs", .letter = 'M', .type = OPTION_INT, AT(field), .arg = "NUM", .unit = of,                 \
     .preset_note = usual, .absent = 0, .min = 1, .max = most, .help = text,                                                     \
     .detail = "A value below the default of --min-runs lowers that too."}

/* what: "benchmark" */
#define SHARED_PROCESS_TIMEOUT(heading, field, what)                                                                            \
    {.group = heading, .name = "timeout", .type = OPTION_DURATION, AT(field), .arg = "TIME", .preset = "60s", .min = 1e-3,       \
     .max = 1e6, .help = "Kill a process that takes longer than TIME, and give its " what " up; the others go on."}

/* ---- how sure ---- */

#define SHARED_PRECISION(field, usual)                                                                                          \
    {.group = SURE, .name = "precision", .type = OPTION_PERCENT, AT(field), .arg = "P%", .preset_note = usual, .absent = NAN,    \
     .min = 0.001, .max = 100, .help = "Go on until the interval reaches no further than P% to either side.",                    \
     .detail = "In a comparison this comes on top of every verdict being decided. With --method georges it is the width of the " \
               "whole interval, default 2%."}

#define SHARED_CONFIDENCE(field, usual, text)                                                                                   \
    {.group = SURE, .name = "confidence", .type = OPTION_PERCENT, AT(field), .arg = "P%", .preset = usual, .min = 50,            \
     .max = 99.9999, .help = text}

/* what: "a command is P% or more slower than the reference"; further: " A sentence." or "" */
#define SHARED_FAIL_IF_SLOWER(field, what, further)                                                                             \
    {.group = SURE, .name = "fail-if-slower", .type = OPTION_PERCENT, AT(field), .arg = "P%", .preset_note = "not asked",        \
     .absent = NAN, .min = 0, .max = 1e6, .help = "Exit 1 if " what ", 3 if that stays undecided.",                              \
     .detail = "The session goes on until this question is answered. It is asked of the metric that decides: slower means "     \
               "more of it." further}

/* units: "runs" */
#define SHARED_FAIL_IF_UNSTABLE(field, units)                                                                                   \
    {.group = SURE, .name = "fail-if-unstable", .type = OPTION_FLAG, AT(field),                                                  \
     .help = "Exit 4 if the " units " scatter so much that the figures are doubtful.",                                           \
     .detail = "That is: a standard deviation above 10% of the mean, or a minimum or maximum 50% or more away from it. "  \
               "Where that cannot be told, with fewer than six values, without a value in some " units                            \
               ", or with a median that is not above 0: exit 3."}

/* unit, units: "run", "runs"; fixed: the option that fixes their number */
#define SHARED_ON_DIRTY(field, unit, units, fixed)                                                                              \
    {.group = SURE, .name = "on-dirty", .type = OPTION_CHOICE, AT(field), .arg = "WHAT", .preset = "flag",                       \
     .choices = "flag rerun drop",                                                                                               \
     .help = "What becomes of a round in which a " unit " was disturbed from outside: flag marks it, rerun makes it again, drop shows " \
             "the figures of the undisturbed " units " too.",                                                                    \
     .detail = "Disturbed is a " unit " that waited for a CPU that others used, was moved, lost its CPU to the hypervisor or a quota, " \
               "or ran at another frequency; what the program may do itself, page faults and waiting, never counts. rerun draws " \
               "a new coin, makes one round again at most three times and all together at most as often as rounds are planned, " \
               "within the budget; the rows that it replaces stay in the record. It favours " units " that are short enough to "  \
               "escape. With drop every verdict still comes from all rounds. rerun excludes " fixed " and --method georges."}

#define SHARED_AA(field, text, more)                                                                                            \
    {.group = SURE, .name = "aa", .type = OPTION_INT, AT(field), .bare = "40", .arg = "NUM", .unit = "session",                  \
     .preset_note = "not asked; 40 without NUM", .absent = 0, .min = 2, .max = 500, .help = text, .detail = more}

#define SHARED_SEED(field, what)                                                                                                \
    {.group = SURE, .name = "seed", .type = OPTION_UINT64, AT(field), .arg = "NUM", .preset_note = "drawn and recorded",         \
     .help = "Seed of every random choice: " what "."}

#define SHARED_METHOD(field)                                                                                                    \
    {.group = SURE, .name = "method", .type = OPTION_CHOICE, AT(field), .arg = "NAME", .preset = "tare",                         \
     .choices = "tare georges",                                                                                                  \
     .help = "How to measure and stop; georges is the published rule of Georges, Buytaert and Eeckhout, which gives no "         \
             "verdict."}

/* ---- which, of a program ---- */

/* which: "targets whose name contains WORD" */
#define SHARED_FILTER(heading, field, which, more)                                                                              \
    {.group = heading, .name = "filter", .letter = 'f', .type = OPTION_LIST, AT(field), .arg = "WORD",                           \
     .help = "Only the " which ". Repeatable: any of them.", .detail = more}

/* what: "benchmarks" */
#define SHARED_LIST(heading, field, what)                                                                                       \
    {.group = heading, .name = "list", .type = OPTION_FLAG, AT(field),                                                           \
     .help = "Print the names of the " what " and measure nothing."}

/* what: "samples" */
#define SHARED_CLOCK(heading, field, what, more)                                                                                \
    {.group = heading, .name = "clock", .type = OPTION_WORD, AT(field), .arg = "NAME", .preset = "auto",                         \
     .choices = "auto tsc cntvct raw monotonic",                                                                                \
     .help = "Clock of the " what ": auto; tsc (x86) or cntvct (ARM), the processor's counter; raw or monotonic, the system's.",  \
     .detail = "auto is the processor's counter where it can be trusted, else raw; tare clock measures all of them. " more}

/* ---- where it runs; whom: "the programs" ---- */

#define SHARED_SHOW_OUTPUT(heading, field)                                                                                      \
    {.group = heading, .name = "show-output", .type = OPTION_FLAG, AT(field), .help = "Show what the programs print."}

#define SHARED_ENV(heading, field, whom)                                                                                        \
    {.group = heading, .name = "env", .type = OPTION_LIST, AT(field), .arg = "NAME=VALUE",                                       \
     .help = "Set a variable in the environment of " whom ". Repeatable."}

#define SHARED_CWD(heading, field, whom)                                                                                        \
    {.group = heading, .name = "cwd", .type = OPTION_DIRECTORY, AT(field), .arg = "DIR", .preset_note = "where tare runs",       \
     .help = "Run " whom " in DIR."}

#define SHARED_PIN(heading, field, whom, usual)                                                                                 \
    {.group = heading, .name = "pin", .type = OPTION_INT, AT(field), .arg = "CPU", .preset_note = usual, .absent = -1, .min = 0, \
     .max = 4095, .help = "Run " whom " on this one CPU (0, 1 ...)."}

#define SHARED_PRIORITY(heading, field, whom)                                                                                   \
    {.group = heading, .name = "priority", .type = OPTION_CHOICE, AT(field), .arg = "LEVEL", .preset = "normal",                 \
     .choices = "idle normal high realtime", .help = "Scheduling priority of " whom ".",                                         \
     .detail = "high and realtime need a permission that users rarely have; tare then says so and stops."}

/* --tune of the measuring commands; whom: "the commands", unit: "command" */
#define SHARED_TUNE(heading, field, whom, unit)                                                                                 \
    {.group = heading, .name = "tune", .type = OPTION_TEXT, AT(field), .bare = "all", .arg = "LIST",                             \
     .preset_note = "not asked; all without LIST",                                                                              \
     .help = "Quiet one CPU before, run " whom " on it, and put everything back after: as tare system tune and reset. LIST "     \
             "names knobs, with commas between.",                                                                               \
     .detail = "Needs root. The CPU is that of --pin, else the one that tare system show chooses, so a " unit " with several "   \
               "threads is slowed as by --pin. What was changed stands in the record. A process of its own puts everything back " \
               "if tare is killed."}

/* ---- the machine itself ---- */

#define SHARED_CPUS(heading, field, text)                                                                                       \
    {.group = heading, .name = "cpus", .type = OPTION_TEXT, AT(field), .arg = "LIST",                                            \
     .preset_note = "one, away from CPU 0 and from most interrupts", .help = text}

#define SHARED_SYSROOT(heading, field)                                                                                          \
    {.group = heading, .name = "sysroot", .type = OPTION_DIRECTORY, AT(field), .arg = "DIR", .preset_note = "this machine",      \
     .help = "Take DIR for the machine: a tree with copies of /sys and /proc in it."}

/* ---- what is kept ---- */

/* text: "Write verdicts, figures, findings and environment as JSON." */
#define SHARED_EXPORT_JSON(field, text)                                                                                         \
    {.group = KEPT, .name = "export-json", .type = OPTION_FILE, .once = true, .arg = "FILE",                                     \
     AT(field.export_file[EXPORT_TO_JSON]), .help = text,                                                                        \
     .detail = "FILE may be - for standard output. It appears whole or not at all: it is written beside FILE and renamed at the " \
               "end. tare-export(5) lists its members."}

/* clang-format on */

#endif
