/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include "stored_options.h"

#define T         struct rerun_options
#define AT(f)     .offset = offsetof(T, f)
#define AT_RUN(f) AT(f)

#define KEPT    "What is kept"
#define WHETHER "Whether it runs"
#define OTHER   "Overrides"
#define SURE    "How sure"

/* clang-format off */
static const struct option items[] = {
    {.group = WHETHER, .name = "yes", .letter = 'y', .type = OPTION_FLAG, .common = true, AT(yes),
     .help = "Run the commands or programs of FILE without asking.",
     .detail = "The record determines what is executed, so check one from somebody else with --dry-run first. Without this "
               "option tare shows the plan and asks first; without a terminal nothing runs."},
    {.group = WHETHER, .name = "dry-run", .type = OPTION_FLAG, .common = true, AT(dry_run),
     .help = "Print what would be run, how often and in which shell; run and write nothing.",
     .detail = "For benchmarks it lists those of FILE; whether the programs still have them is known only when they run."},
    {.group = OTHER, .name = "runs", .letter = 'r', .type = OPTION_INT, .common = true, AT(runs), .arg = "NUM", .unit = "run",
     .preset_note = "as recorded", .absent = 0, .min = 1, .max = 1e7,
     .help = "Run each command exactly NUM times, or make NUM processes of each benchmark.",
     .detail = "It acts as if it were added to the recorded command line, and must fit it."},
    {.group = OTHER, .name = "min-runs", .letter = 'm', .type = OPTION_INT, AT(min_runs), .arg = "NUM", .unit = "run",
     .preset_note = "as recorded", .absent = 0, .min = 1, .max = 1e7,
     .help = "Run each command at least NUM times, or make at least NUM processes of each benchmark.",
     .detail = "More rounds detect smaller changes."},
    SHARED_MAX_TIME(OTHER, "as recorded", "End the session after TIME, hooks included; a bare number is seconds.", NULL),
    {.group = OTHER, .name = "seed", .type = OPTION_UINT64, AT(seed), .arg = "NUM", .preset_note = "drawn anew",
     .help = "Seed of every random choice: order within rounds, size of the environment, inputs of benchmarks.",
     .detail = "A new seed makes the repetition independent: effects of the order or of the size of the environment are not "
               "repeated. To repeat them, give the recorded seed, which tare show -v prints."},
    {.group = SURE, .name = "assume-no-drift", .type = OPTION_FLAG, AT(assume_no_drift),
     .help = "Assume that nothing drifted between the two sessions, so that a changed time counts as a difference.",
     .detail = "For sessions without a comparison. The ratio of interleaved commands does not drift and needs no such "
               "assumption."},
#include "display_options.def"
    SHARED_SAVE(save, "Write the record of the new session, run by run.", ""),
#include "common_options.def"
};
/* clang-format on */

const struct option_set rerun_option_set = {items, sizeof items / sizeof *items, sizeof(struct rerun_options)};

static enum tare_status check_rerun_options(void *options, const struct option_operands *operands, struct arena *a,
                                            struct tare_err *err)
{
    struct rerun_options *o = options;
    (void)a;
    if (operands->n != 1)
        return err_set(err, TARE_INVALID, "one record is needed, and %d %s given; as in: tare rerun session.jsonl", operands->n,
                       operands->n == 1 ? "is" : "are");
    return display_options_check(&o->display, o->save, err);
}

static const struct example examples[] = {
    {"tare rerun --dry-run session.jsonl", "show what would be run; run nothing"},
    {"tare rerun --yes --quiet session.jsonl", "measure again without asking, and print only the answer"},
    {"tare rerun --yes --quiet -r 50 --save again.jsonl session.jsonl", "the same with 50 rounds, stored"},
};

const struct command command_rerun = {
    .name = "rerun",
    .group = "remember",
    .summary = "repeat a stored session and say whether it agrees",
    .synopsis = (const char *const[]){"[OPTION...] FILE", NULL},
    .description = "Repeats the session that tare run, tare bench or tare trace stored with --save, and says for each command, "
                   "benchmark and arc whether the results are reproduced. Differences in machine, programs and conditions are "
                   "listed. The commands and programs in FILE are executed; tare asks first unless --yes is "
                   "given.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct rerun_options)},
    .operands = SUGGEST_FILES,
    .check = check_rerun_options,
};
