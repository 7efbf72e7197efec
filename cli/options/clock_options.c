/* SPDX-License-Identifier: MIT
 * The table of `tare clock`. */
#include "clock_options.h"
#include "command.h"
#include "shared_options.h"

#define T     struct clock_options
#define AT(f) .offset = offsetof(T, f)

#define HOW  "How it is measured"
#define KEPT "What is kept"

/* clang-format off */
static const struct option items[] = {
    {.group = HOW, .name = "runs", .letter = 'r', .type = OPTION_INT, .common = true, AT(runs), .arg = "NUM", .unit = "run", .preset = "5",
     .min = 1, .max = 1000, .help = "Run each experiment NUM times.",
     .detail = "One of them is a sleep of 500 ms, so each further run takes half a second."},
    {.group = HOW, .name = "pin", .type = OPTION_INT, .common = true, AT(pin_cpu), .arg = "CPU",
     .preset_note = "the one tare runs on", .absent = -1, .min = 0, .max = 8191,
     .help = "Measure on this one CPU (0, 1 ...).",
     .detail = "tare clock always measures on one CPU. Only the skew between CPUs involves others."},
    {.group = HOW, .name = "priority", .type = OPTION_CHOICE, AT(priority), .arg = "LEVEL", .preset = "normal",
     .choices = "idle normal high realtime",
     .help = "Scheduling priority while measuring; it is read back and shown.",
     .detail = "high and realtime need a permission that users rarely have; without it tare says so and stops."},
#include "style_option.def"
    SHARED_QUIET_VERBOSE(display, "Print only the clocks and the findings.",
        "Explain more: all that is known about each clock, every sleep length, all findings. Given twice: every row."),
#define EXPORTERS_OF_TABLES
#include "export_options.def"
#undef EXPORTERS_OF_TABLES
    SHARED_SAVE(save, "Write the record of the session, row by row, for tare show.", "The format is in tare-record(5). "),
#include "common_options.def"
};
/* clang-format on */

const struct option_set clock_option_set = {items, sizeof items / sizeof *items, sizeof(struct clock_options)};

static enum tare_status check_clock_options(void *options, const struct option_operands *operands, struct arena *a,
                                            struct tare_err *err)
{
    struct clock_options *o = options;
    (void)a;
    enum tare_status status = option_operands_end(operands, 0, ": tare clock measures this machine only", err);
    return status ? status : display_options_check(&o->display, o->save, err);
}

static const struct example examples[] = {
    {"tare clock", "show this machine's clocks, what they cost and how accurate they are"},
    {"tare clock -v --pin 1", "show all details, measured on CPU 1"},
    {"tare clock --save clock.jsonl --export-json clock.json", "keep the session, and export it for a script"},
};

const struct command command_clock = {
    .name = "clock",
    .group = "machine",
    .summary = "measure clocks, processor and timing overhead",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    .description =
        "Measures every clock of this machine: its frequency, its smallest step, the cost of a reading and whether it "
        "stays in order with the code around it; how long sleeps and time slices of the scheduler last; and the timing "
        "overhead. Three experiments check the result: reading the counter, a fence, and a sleep of 500 ms. Needs no "
        "permission, changes nothing, and takes a few seconds.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct clock_options)},
    .check = check_clock_options,
};
