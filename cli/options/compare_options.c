/* SPDX-License-Identifier: MIT */
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include "stored_options.h"
#include <math.h>
#include <string.h>

#define SURE  "How sure"
#define AT(f) .offset = offsetof(struct compare_options, f)

/* clang-format off */
static const struct option items[] = {
    {.group = SURE, .name = "metric", .type = OPTION_TEXT, .common = true, AT(metric), .arg = "ID", .preset_note = "the one that decided in B",
     .choices = metric_choices,
     .help = "Metric to compare, by its name in the files: wall, cpu, rss, B/op."},
    {.group = SURE, .name = "confidence", .type = OPTION_PERCENT, AT(confidence), .arg = "P%", .preset = "95%", .min = 50,
     .max = 99.9999, .help = "Confidence of all intervals together."},
    {.group = SURE, .name = "margin", .type = OPTION_MARGIN, .common = true, AT(margin), .arg = "SIZE", .preset = "1%",
     .help = "Smallest difference that matters, as 1%, 5us or 3kB. A bare number is a count; smaller differences are called the same."},
    {.group = SURE, .name = "baseline", .type = OPTION_LIST, .common = true, AT(baseline), .suggest = SUGGEST_FILES, .arg = "FILE",
     .help = "A session of the reference; repeatable. All FILEs after the options are then sessions of the other side.",
     .detail = "With three sessions or more on each side the verdict is likely_faster, likely_slower or likely_same, by what they "
               "scatter from one to the next."},
    {.group = SURE, .name = "assume-no-drift", .type = OPTION_FLAG, .common = true, AT(assume_no_drift),
     .help = "Assume that nothing drifted from one session to another, and reach a verdict; it is marked as such.",
     .detail = "Between sessions, clocks, temperature, other virtual machines and caches change the times by more than most "
               "differences of interest, and no statistic can separate the two. tare run can, because it interleaves the commands."},
    {.group = SURE, .name = "fail-if-slower", .type = OPTION_PERCENT, .common = true, AT(fail_if_slower), .arg = "P%", .preset_note = "not asked",
     .absent = NAN, .min = 0, .max = 1e6,
     .help = "Exit 1 if a command of B is P% or more slower than in A, 3 if that is undecided, 4 if they are not comparable.",
     .detail = "With fewer than three sessions on a side it is undecided without --assume-no-drift."},
#define T struct compare_options
#define EXPORTERS_WITHOUT_MEMORY
#include "display_options.def"
#undef EXPORTERS_WITHOUT_MEMORY
#undef T
#include "common_options.def"
};
/* clang-format on */

static int standard_inputs(const char *const *paths, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found += !strcmp(paths[i], "-");
    return found;
}

static enum tare_status check_compare_options(void *options, const struct option_operands *operands, struct arena *a,
                                              struct tare_err *err)
{
    struct compare_options *o = options;
    (void)a;
    if (!o->baseline.n && operands->n > 2)
        return err_set(err, TARE_INVALID,
                       "%d files are given; name those of the reference with --baseline, as in: tare compare --baseline old1 "
                       "--baseline old2 new1 new2",
                       operands->n);
    if (!o->baseline.n && operands->n != 2)
        return err_set(err, TARE_INVALID,
                       "two stored sessions are needed, and %d %s given; as in: tare compare old.jsonl new.jsonl", operands->n,
                       operands->n == 1 ? "is" : "are");
    if (!operands->n)
        return err_set(err, TARE_INVALID,
                       "what is to be compared with the baseline? as in: tare compare --baseline old.jsonl new.jsonl");
    if (standard_inputs(o->baseline.items, o->baseline.n) + standard_inputs(operands->items, operands->n) > 1)
        return err_set(err, TARE_INVALID, "standard input can be only one of the files");
    if (o->margin.unit && !strcmp(o->margin.unit, "cycles"))
        o->margin.unit = "1";
    return display_options_check(&o->display, NULL, err);
}

static const struct example examples[] = {
    {"tare compare old.jsonl new.jsonl", "show the ratios; a drift between the sessions may be part of them"},
    {"tare compare --assume-no-drift old.jsonl new.jsonl", "reach a verdict, assuming that nothing drifted"},
    {"tare compare --baseline o1 --baseline o2 --baseline o3 n1 n2 n3",
     "compare sets of sessions: likely faster, slower or the same"},
    {"tare compare before.json after.json", "compare two files of hyperfine, google-benchmark or pyperf"},
};

const struct command command_compare = {
    .name = "compare",
    .group = "remember",
    .summary = "compare stored sessions, as far as they allow it",
    .synopsis = (const char *const[]){"[OPTION...] A B", "[OPTION...] --baseline A [--baseline A...] B...", NULL},
    .description =
        "Compares the commands of session B with those of the same name in session A, the reference. If machine, build, "
        "metric or benchmark differ, they are not comparable, and the differences are listed. Nothing is measured.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct compare_options)},
    .operands = SUGGEST_FILES,
    .check = check_compare_options,
};
