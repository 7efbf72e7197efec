/* SPDX-License-Identifier: MIT
 * The table of `tare system qualify`. */
#include "command.h"
#include "shared_options.h"
#include "system_options.h"

#define T     struct qualify_options
#define AT(f) .offset = offsetof(T, f)

#define LOOKED "What is measured"
#define SURE   "How sure the answer has to be"
#define SHOWN  "What is shown"
#define KEPT   "What is kept"

/* clang-format off */
static const struct option items[] = {
    {.group = LOOKED, .name = "minutes", .type = OPTION_NUMBER, .common = true, AT(minutes), .arg = "M", .preset = "2", .min = 0.01, .max = 1440,
     .help = "Keep all CPUs busy for M minutes, to see whether their throughput lasts.",
     .detail = "An instance with CPU credits is fast until they are used up: measure for longer than the credits are said to "
               "last. Everything else is measured afterwards, in the lasting state."},
    {.group = LOOKED, .name = "cpus", .type = OPTION_TEXT, .common = true, AT(cpus), .arg = "LIST", .preset_note = "all that tare may use",
     .help = "Measure these CPUs: 1, or 2-5,7.",
     .detail = "Gaps are measured on at most four of them, spread evenly, and pairs are formed among these."},
    {.group = LOOKED, .name = "pin", .type = OPTION_INT, AT(pin_cpu), .arg = "CPU",
     .preset_note = "chosen by the scheduler", .absent = -1, .min = 0, .max = 4095,
     .help = "Run the programs of the sessions on this one CPU (0, 1 ...)."},
    {.group = SURE, .name = "aa", .type = OPTION_INT, .common = true, AT(sessions), .arg = "NUM", .unit = "session", .preset = "40", .min = 2,
     .max = 500,
     .help = "Compare a program of known work with itself in NUM sessions of at most 1.5 s, to see how often a verdict is "
             "wrong and how small a difference one session can detect.",
     .detail = "With fewer than 20 the answer is undecided."},
    {.group = SURE, .name = "planted", .type = OPTION_INT, AT(planted), .arg = "NUM", .unit = "session", .preset = "20", .min = 0,
     .max = 500,
     .help = "Check that answer in NUM more sessions, against a program with just that much more work. 0: skip this."},
    {.group = SURE, .name = "margin", .type = OPTION_PERCENT, AT(margin), .arg = "P%", .preset = "1%", .min = 0.01, .max = 50,
     .help = "A host is good if one session can detect a difference of P%."},
    {.group = SURE, .name = "seed", .type = OPTION_UINT64, AT(seed), .arg = "NUM", .preset_note = "drawn and recorded",
     .help = "Seed of every random choice: the order within rounds."},
#include "style_option.def"
    SHARED_QUIET_VERBOSE(display, "Print only the answer.",
        "Explain more: charts of gaps and throughput, every pair of CPUs, every session, all findings."),
    {.group = SHOWN, .name = "dry-run", .type = OPTION_FLAG, .common = true, AT(dry_run),
     .help = "Print what would be done and how long it would take; do nothing."},
#define EXPORTERS_OF_TABLES
#include "export_options.def"
#undef EXPORTERS_OF_TABLES
    {.group = KEPT, .name = "export-svg", .type = OPTION_FILE, .once = true, .arg = "FILE",
     AT(display.export_file[EXPORT_TO_SVG]), .help = "Draw gaps by size and the throughput over time, as SVG."},
    SHARED_SAVE(save, "Write the record, row by row, for tare show and for tare compare, which compares two hosts.",
        "The format is in tare-record(5). Keep the record with your results: readers need it to judge them. "),
#include "common_options.def"
};
/* clang-format on */

const struct option_set qualify_option_set = {items, sizeof items / sizeof *items, sizeof(struct qualify_options)};

static enum tare_status check_qualify_options(void *options, const struct option_operands *operands, struct arena *a,
                                              struct tare_err *err)
{
    struct qualify_options *o = options;
    (void)a;
    enum tare_status status =
        option_operands_end(operands, 0, ": tare system qualify measures this machine with a program of its own", err);
    return status ? status : display_options_check(&o->display, o->save, err);
}

static const struct example examples[] = {
    {"tare system qualify --save host.jsonl", "qualify this host in about four minutes, and keep the record"},
    {"tare system qualify --minutes 60", "does it stay fast once its CPU credits are used up?"},
    {"tare system qualify --aa 100 --planted 0", "find out more precisely how often a verdict is wrong"},
};

const struct command command_system_qualify = {
    .name = "system qualify",
    .group = "machine",
    .summary = "find out how small a difference a host can detect",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    .description =
        "Tests a host before you rely on it: do its CPUs share cores, is the frequency constant, who else takes CPU "
        "time, does the throughput last, how often is a verdict wrong, and how small a difference can one session "
        "detect? Needs no permission and changes nothing, but uses all CPUs meanwhile; run nothing else. Exits 0 if the "
        "host is good, 1 if it is unfit or usable for larger differences only, 3 if that is undecided.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct qualify_options)},
    .check = check_qualify_options,
};
