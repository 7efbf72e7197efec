/* SPDX-License-Identifier: MIT */
#include "command.h"
#include "stored_options.h"

/* clang-format off */
static const struct option items[] = {
    {.group = "What is shown", .name = "filter", .type = OPTION_TEXT, .common = true, .offset = offsetof(struct show_options, filter),
     .arg = "TEXT", .help = "Show only commands whose name contains TEXT.",
     .detail = "Findings about other commands, and comparisons with them, are left out too. Exports hold the same."},
    {.group = "What is shown", .name = "check", .type = OPTION_FLAG, .offset = offsetof(struct show_options, check),
     .help = "Exit 4 if the runs vary so much that the figures are doubtful.",
     .detail = "The limits are a standard deviation of 10% of the mean, and a minimum or maximum 50% away from it."},
    {.group = "What is shown", .name = "percentiles", .type = OPTION_FLAG, .common = true, .offset = offsetof(struct show_options, percentiles),
     .help = "Show p1, p5, p25, p50, p75, p90, p95 and p99 with their intervals.",
     .detail = "The intervals assume no distribution; p99 needs hundreds of runs to have one. Percentiles are shown for the metric "
               "that decides; with --verbose, and in the JSON export, for all. For benchmarks those of the single samples are shown "
               "too, without intervals, because the samples of a process are not independent."},
#define T struct show_options
#define DISPLAY_ARCS
#include "display_options.def"
#undef DISPLAY_ARCS
#undef T
#include "common_options.def"
};
/* clang-format on */

static enum tare_status check_show_options(void *options, const struct option_operands *operands, struct arena *a,
                                           struct tare_err *err)
{
    struct show_options *o = options;
    (void)a;
    (void)operands; /* without any it is ./sampler.out, where that is there */
    return display_options_check(&o->display, NULL, err);
}

static const struct example examples[] = {
    {"tare show session.jsonl", "show a stored session again"},
    {"tare show --export-markdown table.md session.jsonl", "write it as a Markdown table"},
    {"tare show --filter sort --check session.jsonl", "only commands with sort in their names; exit 4 if unstable"},
    {"tare show --percentiles session.jsonl", "how the runs are distributed, with intervals"},
    {"tare show -v - < session.jsonl", "with schedule and histogram, from standard input"},
};

const struct command command_show = {
    .name = "show",
    .group = "remember",
    .summary = "show a stored session, in any format",
    .synopsis = (const char *const[]){"[OPTION...] [FILE...]", NULL},
    .description =
        "Shows stored sessions as tare showed them when they were measured. FILE is a record written by --save, also of an "
        "interrupted session, a raw file of tare trace, or a file of another tool; the default is ./sampler.out, if it exists. "
        "Nothing is measured.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct show_options)},
    .operands = SUGGEST_FILES,
    .check = check_show_options,
};
