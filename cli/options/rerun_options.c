/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include "stored_options.h"
#include <string.h>

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
     .detail = "A record comes from whoever wrote it and says what is executed: look at it with --dry-run first. Without this "
               "option the plan is shown and a question asked, and where there is no terminal to ask nothing runs."},
    {.group = WHETHER, .name = "dry-run", .type = OPTION_FLAG, .common = true, AT(dry_run),
     .help = "Print what would be run, how often and by which shell; run and write nothing.",
     .detail = "Of benchmarks it shows those of FILE; which of them the programs still have shows when they run."},
    {.group = OTHER, .name = "runs", .letter = 'r', .type = OPTION_INT, .common = true, AT(runs), .arg = "NUM", .unit = "run",
     .preset_note = "as recorded", .absent = 0, .min = 1, .max = 1e7,
     .help = "Run each command exactly NUM times, or make NUM processes of each benchmark.",
     .detail = "Behaves as if added to the recorded command line, and must fit it."},
    {.group = OTHER, .name = "min-runs", .letter = 'm', .type = OPTION_INT, AT(min_runs), .arg = "NUM", .unit = "run",
     .preset_note = "as recorded", .absent = 0, .min = 1, .max = 1e7,
     .help = "Run each command at least NUM times, or make so many processes of each benchmark.",
     .detail = "More rounds show smaller changes."},
    SHARED_MAX_TIME(OTHER, "as recorded", "End the session after TIME, hooks included; a bare number is seconds.", NULL),
    {.group = OTHER, .name = "seed", .type = OPTION_UINT64, AT(seed), .arg = "NUM", .preset_note = "drawn anew",
     .help = "Seed of every random choice: order within rounds, size of the environment, inputs of benchmarks.",
     .detail = "A new one makes the repetition independent: what the order or the size of the environment did in the recorded "
               "session is not done again. The recorded seed is shown by tare show -v and can be given here."},
    {.group = SURE, .name = "assume-no-drift", .type = OPTION_FLAG, AT(assume_no_drift),
     .help = "Call changed times different, on the assumption that nothing drifted between the two sessions.",
     .detail = "It is about plans without a comparison. A ratio of commands that took turns does not drift and needs no such "
               "assumption."},
#include "display_options.def"
    SHARED_SAVE(save, "Write the record of the new session, run by run.", NULL),
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
        return err_set(err, TARE_INVALID, "one record is repeated, and %d %s given; as in: tare rerun session.jsonl", operands->n,
                       operands->n == 1 ? "is" : "are");
    return display_options_check(&o->display, o->save, err);
}

static const char *const synopsis[] = {"[OPTION...] FILE", NULL};

static const struct example examples[] = {
    {"tare rerun --dry-run session.jsonl", "what the file asks to run; nothing is"},
    {"tare rerun --yes --quiet session.jsonl", "measure again without a question, and print the answer alone"},
    {"tare rerun --yes --quiet -r 50 --save again.jsonl session.jsonl", "the same with 50 rounds; keep them"},
};

const struct command command_rerun = {
    .name = "rerun",
    .group = "remember",
    .summary = "repeat a stored session and say whether it agrees",
    .synopsis = synopsis,
    .description = "Measures anew what a record of tare run, tare bench or tare trace (--save) says was measured, and compares: "
                   "agrees, differs or "
                   "not comparable, of each benchmark and each arc too, with what is not the same in machine, programs and "
                   "conditions. The commands and "
                   "programs in FILE are executed: it asks before, unless --yes is given.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct rerun_options)},
    .operands = SUGGEST_FILES,
    .check = check_rerun_options,
};
