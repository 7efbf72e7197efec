/* SPDX-License-Identifier: MIT
 * The tables of the commands of `tare history`. */
#include "history_options.h"
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include <stdlib.h>
#include <string.h>

#define WHERE "Which history"
#define WHICH "Which results"
#define SURE  "How sure"
#define RUNS  "What is run"
#define KEPT  "What is kept"
#define SAID  "What is noted"

#define T         struct history_options
#define AT(f)     .offset = offsetof(T, f)
#define AT_RUN(f) AT(f)

/* clang-format off */
#define DIR_OPTION \
    {.group = WHERE, .name = "dir", .type = OPTION_DIRECTORY, .common = true, AT(dir), .arg = "DIR", \
     .preset_note = ".tare/history in the repository", .help = "The folder of the history, or the URL of a database: postgresql://HOST/NAME."}
#define CLASS_OPTION(text) \
    {.group = WHERE, .name = "class", .type = OPTION_TEXT, AT(class), .arg = "NAME", .preset_note = "all", .help = text}
#define CLASS_OF_MACHINES CLASS_OPTION("Only results of this class of machines.")
#define CLASS_OF_RESULTS \
    {.group = WHERE, .name = "class", .type = OPTION_TEXT, AT(class), .arg = "NAME", \
     .preset_note = "processor and number of cores", .help = "The class of the machine that was measured on. Results of " \
     "different classes are different series."}
#define FILTER_OPTION \
    {.group = WHICH, .name = "filter", .letter = 'f', .type = OPTION_LIST, .common = true, AT(filters), .arg = "WORD", \
     .help = "Only benchmarks whose name contains WORD. Repeatable: those that match any."}
#define SINCE_OPTION(text) \
    {.group = WHICH, .name = "since", .type = OPTION_TEXT, .common = true, AT(since), .arg = "REV", .preset_note = "all", .help = text}
#define MARGIN_OPTION \
    {.group = SURE, .name = "margin", .type = OPTION_PERCENT, .common = true, AT(margin), .arg = "P%", .preset = "1%", .min = 0, \
     .max = 1000, .help = "Smallest change that matters."}
#define BUILD_OPTION \
    {.group = RUNS, .name = "build", .type = OPTION_TEXT, .common = true, AT(build), .arg = "CMD", .preset_note = "as in the history", \
     .help = "Build each revision with this shell command, in its own work tree."}
#define YES_OPTION \
    {.group = RUNS, .name = "yes", .letter = 'y', .type = OPTION_FLAG, .common = true, AT(yes), \
     .help = "Run what the history names without asking.", \
     .detail = "The files of a history say what is executed, so check those from somebody else first. Without this option tare " \
               "shows what it would run and asks; without a terminal nothing runs."}
#define STEP_TIME(text) \
    {.group = RUNS, .name = "max-time", .type = OPTION_DURATION, AT(max_time_ns), .arg = "TIME", .preset_note = "as in the history", \
     .absent = 0, .min = 1e-3, .max = 1e6, .help = text}
#define DRY_RUN(group_, text) {.group = group_, .name = "dry-run", .type = OPTION_FLAG, .common = true, AT(dry_run), .help = text}
#define QUIET_VERBOSE(less, more) SHARED_QUIET_VERBOSE(display, less, more)

/* What every command has, by its name. */
#define PARTS(id) \
    .group = "remember", .examples = id##_examples, .n_examples = sizeof id##_examples / sizeof *id##_examples, \
    .options = {id##_items, sizeof id##_items / sizeof *id##_items, sizeof(T)}, .check = check_##id

/* The check of a command: `status` of its operands, then what all have. */
#define CHECK(id, status_) \
    static enum tare_status check_##id(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err) \
    { \
        struct history_options *o = options; \
        (void)a; \
        enum tare_status status = (status_); \
        return status ? status : display_options_check(&o->display, NULL, err); \
    }

static enum tare_status need_operands(const struct option_operands *operands, const char *missing, const char *example, struct tare_err *err)
{
    return operands->n ? TARE_OK : err_set(err, TARE_INVALID, "%s; as in: %s", missing, example);
}

/* What follows --, from the operand `at` on. That trace cannot be measured at other commits is said later. */
static enum tare_status look_at_words(const struct option_operands *operands, int at, const char *example, struct tare_err *err)
{
    static const char *const measuring[] = {"run", "bench", "trace"};
    for (size_t i = 0; at < operands->n && i < sizeof measuring / sizeof *measuring; i++)
        if (!strcmp(operands->items[at], measuring[i]))
            return TARE_OK;
    return at == operands->n ? TARE_OK
                             : err_set(err, TARE_INVALID, "after -- comes run or bench, and not '%.60s'; as in: %s",
                                       operands->items[at], example);
}

static enum tare_status look_at_run(const struct option_operands *operands, struct tare_err *err)
{
    static const char example[] = "tare history run --every 10 -- run -r 20 ./parse";
    enum tare_status status = need_operands(operands, "nothing to measure", example, err);
    return status ? status : look_at_words(operands, 0, example, err);
}

const struct command_family family_history = {
    .name = "history",
    .group = "remember",
    .summary = "keep results over commits, find and confirm changes",
    .description = "tare run, bench and trace add their results with --history. tare history list shows all series, check finds changes "
                   "and says which are confirmed by a new measurement, html writes pages with charts.",
};

static const struct option add_items[] = {
    DIR_OPTION,
    CLASS_OF_RESULTS,
    {.group = WHICH, .name = "rev", .type = OPTION_TEXT, .common = true, AT(revision), .arg = "REV", .preset = "HEAD",
     .help = "The commit that was measured; . is the working tree as it is.",
     .detail = "With . and changes that are not committed, the results are marked as such: they are listed, and are no point of a series."},
    {.group = WHICH, .name = "build", .type = OPTION_TEXT, AT(build), .arg = "CMD", .preset_note = "as in the record",
     .help = "The shell command that builds a revision; check --confirm and bisect use it."},
#include "style_option.def"
    QUIET_VERBOSE("Print only errors.", "Also print each result that is added."),
#include "common_options.def"
};

CHECK(add, need_operands(operands, "no file given", "tare history add session.jsonl", err))

static const struct example add_examples[] = {
    {"tare history add session.jsonl", "add a stored session, measured at HEAD"},
    {"tare history add --rev v1.2 --class ci results/", "all files of a folder, measured at v1.2 on machines called ci"},
};

const struct command command_history_add = {
    .name = "history add",
    .summary = "add stored results to a history",
    .synopsis = (const char *const[]){"[OPTION...] FILE...", NULL},
    PARTS(add),
    .description = "Adds the sessions of each FILE, which tare or another tool has written; of a folder, of each such file in it. A session "
                   "that is there already is not added again. tare run, bench and trace add theirs with --history.",
    .operands = SUGGEST_FILES,
};

static const struct option list_items[] = {
    DIR_OPTION,
    CLASS_OF_MACHINES,
    FILTER_OPTION,
#include "style_option.def"
    QUIET_VERBOSE("Print only the table.", "Also print the sessions and the events."),
    SHARED_EXPORT_JSON(display, "Write the series, sessions, events and problems as JSON."),
#include "common_options.def"
};

CHECK(list, option_operands_end(operands, 0, "; tare history show SERIES shows one series", err))

static const struct example list_examples[] = {
    {"tare history list", "every series with its last value and its last change"},
    {"tare history list -f sort", "only benchmarks with sort in their names"},
};

const struct command command_history_list = {
    .name = "history list",
    .summary = "list all series with their last values and changes",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    PARTS(list),
    .description = "Lists every series: a benchmark in one metric on one class of machines. Files that cannot be read are named on standard error.",
};

static const struct option show_items[] = {
    DIR_OPTION,
    CLASS_OF_MACHINES,
    SINCE_OPTION("Only commits from REV on."),
    MARGIN_OPTION,
#include "style_option.def"
    QUIET_VERBOSE("Print only the changes.", "Also print every point."),
    SHARED_EXPORT_JSON(display, "Write points, changes and events of the series as JSON."),
#include "common_options.def"
};

CHECK(show, option_operands_end(operands, 1, "; give one series", err))

static const struct example show_examples[] = {
    {"tare history show parse", "chart and changes of the benchmark parse"},
    {"tare history show 1398 --since v1.0", "of the series whose id begins so, from v1.0 on"},
};

const struct command command_history_show = {
    .name = "history show",
    .summary = "show one series over commits with its changes",
    .synopsis = (const char *const[]){"[OPTION...] [SERIES]", NULL},
    PARTS(show),
    .description = "SERIES is the beginning of an id from tare history list, or the name of a benchmark, or a part of it that only one has. It may be "
                   "omitted if there is only one series.",
};

static const struct option check_items[] = {
    DIR_OPTION,
    CLASS_OF_MACHINES,
    SINCE_OPTION("Only changes after REV."),
    {.group = WHICH, .name = "metric", .type = OPTION_LIST, AT(metrics), .arg = "ID", .preset_note = "all",
     .help = "Only series of this metric, such as wall or rss. Repeatable."},
    MARGIN_OPTION,
    {.group = RUNS, .name = "confirm", .type = OPTION_FLAG, .common = true, AT(confirm),
     .help = "Build and measure the commits before and after each nominated change again, in interleaved rounds."},
    BUILD_OPTION,
    YES_OPTION,
    STEP_TIME("End each confirmation after TIME."),
#include "style_option.def"
    QUIET_VERBOSE("Print only confirmed changes.", "Also print changes that were accepted, fixed or refuted."),
    SHARED_EXPORT_JSON(display, "Write the changes of all series as JSON."),
#include "common_options.def"
};

CHECK(check, option_operands_end(operands, 0, "; tare history check looks at all series", err))

static const struct example check_examples[] = {
    {"tare history check --since v1.2", "is anything slower since v1.2?"},
    {"tare history check --confirm -y --build 'make -s'", "measure each nominated change again; exit 1 if one is confirmed"},
};

const struct command command_history_check = {
    .name = "history check",
    .summary = "find changes, and confirm them by measuring again",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    PARTS(check),
    .description = "Finds the commits at which a series changed its level. Such a change is nominated; with --confirm the commits on both sides are "
                   "measured again, and it is confirmed or refuted. Exit 1 if a confirmed worsening was neither accepted nor fixed, 3 if a worsening "
                   "is only nominated.",
};

static const struct option import_items[] = {
    DIR_OPTION,
    CLASS_OF_RESULTS,
    {.group = WHICH, .name = "format", .type = OPTION_CHOICE, .common = true, AT(format), .arg = "NAME", .preset = "auto",
     .choices = "csv otava github-action-benchmark auto",
     .help = "csv (columns commit, benchmark, metric, value), otava (its CSV), or github-action-benchmark (its data.js)."},
    {.group = WHICH, .name = "rev", .type = OPTION_TEXT, AT(revision), .arg = "REV", .preset = "HEAD",
     .help = "The commit of results that name none."},
#include "style_option.def"
    QUIET_VERBOSE("Print only errors.", "Also print each session that is added."),
#include "common_options.def"
};

CHECK(import, need_operands(operands, "no file given", "tare history import results.csv", err))

static const struct example import_examples[] = {
    {"tare history import results.csv", "results of many commits, one a line"},
    {"tare history import data.js", "what github-action-benchmark has stored"},
};

const struct command command_history_import = {
    .name = "history import",
    .summary = "take over the results that another tool kept",
    .synopsis = (const char *const[]){"[OPTION...] FILE...", NULL},
    PARTS(import),
    .description = "Adds results of many commits from the file of another tool. Results of one commit and one time become one session.",
    .operands = SUGGEST_FILES,
};

static const struct option export_items[] = {
    DIR_OPTION,
    CLASS_OF_MACHINES,
    FILTER_OPTION,
    {.group = KEPT, .name = "format", .type = OPTION_CHOICE, .common = true, AT(format), .arg = "NAME", .preset = "csv",
     .choices = "csv otava github-action-benchmark json",
     .help = "csv (a line for each result), otava (a column for each series), github-action-benchmark (its data.js), or json."},
#include "style_option.def"
    QUIET_VERBOSE("Print only errors.", "Also print how many results were written."),
#include "common_options.def"
};

CHECK(export, option_operands_end(operands, 1, "; give one file", err))

static const struct example export_examples[] = {
    {"tare history export results.csv", "every result on a line"},
    {"tare history export --format json -", "as JSON, on standard output"},
};

const struct command command_history_export = {
    .name = "history export",
    .summary = "write all results for other tools",
    .synopsis = (const char *const[]){"[OPTION...] [FILE]", NULL},
    PARTS(export),
    .description = "Writes the results of all series into FILE, which may be - for standard output, the default. tare history import reads what it "
                   "writes, except json.",
    .operands = SUGGEST_FILES,
};

static const struct option bisect_items[] = {
    DIR_OPTION,
    CLASS_OF_MACHINES,
    {.group = WHICH, .name = "benchmark", .type = OPTION_TEXT, AT(benchmark), .arg = "NAME", .preset_note = "that of SERIES",
     .help = "The benchmark that decides, if the history has no series of it."},
    {.group = WHICH, .name = "good", .type = OPTION_TEXT, .common = true, AT(good), .arg = "REV", .preset_note = "before the last nominated change",
     .help = "A commit before the change."},
    {.group = WHICH, .name = "bad", .type = OPTION_TEXT, .common = true, AT(bad), .arg = "REV", .preset_note = "after the last nominated change",
     .help = "A commit with the change."},
    MARGIN_OPTION,
    {.group = SURE, .name = "error", .type = OPTION_PERCENT, AT(error), .arg = "P%", .preset = "5%", .min = 0.01, .max = 50,
     .help = "Probability of a wrong answer, over all steps of the search together."},
    BUILD_OPTION,
    YES_OPTION,
    STEP_TIME("End each step after TIME."),
#include "style_option.def"
    QUIET_VERBOSE("Print only the commit.", "Also print the result of each step."),
    SHARED_EXPORT_JSON(display, "Write the steps and the answer as JSON."),
#include "common_options.def"
};

static enum tare_status look_at_ends(const struct history_options *o, const struct option_operands *operands, struct tare_err *err)
{
    if (operands->after > 1)
        return option_operands_end(operands, 1, "; the command line that measures follows --", err);
    if (!o->good != !o->bad)
        return err_set(err, TARE_INVALID, "give --good and --bad together");
    return look_at_words(operands, operands->after, "tare history bisect --good v1.0 --bad HEAD -- bench ./bench", err);
}

CHECK(bisect, look_at_ends(o, operands, err))

static const struct example bisect_examples[] = {
    {"tare history bisect parse", "find the commit of the last nominated change of parse"},
    {"tare history bisect --good v1.0 --bad HEAD -- bench ./bench", "without a history of it"},
};

const struct command command_history_bisect = {
    .name = "history bisect",
    .summary = "find the commit that made a benchmark slower or faster",
    .synopsis = (const char *const[]){"[OPTION...] [SERIES] [-- COMMAND...]", NULL},
    PARTS(bisect),
    .description = "Narrows an interval of commits to one. Each step builds a commit in the middle and compares it with the good one in interleaved "
                   "rounds. COMMAND is a command line of tare run or bench, without tare.",
    .operands = SUGGEST_COMMANDS,
};

static const struct option html_items[] = {
    DIR_OPTION,
    CLASS_OF_MACHINES,
    {.group = KEPT, .name = "commit-url", .type = OPTION_TEXT, .common = true, AT(commit_url), .arg = "TEMPLATE",
     .help = "Link each commit to this address, in which {rev} becomes the commit's hash."},
    {.group = KEPT, .name = "title", .type = OPTION_TEXT, AT(title), .arg = "TEXT", .preset_note = "name of the repository",
     .help = "The heading of the pages."},
    {.group = KEPT, .name = "feed-url", .type = OPTION_TEXT, AT(feed_url), .arg = "URL",
     .help = "Where the pages will be published, for the links of the Atom feed."},
#include "style_option.def"
    QUIET_VERBOSE("Print only errors.", "Also print each page that is written."),
#include "common_options.def"
};

/* What ends in its first colon is its scheme, unless a path comes first. A commit in front could be made up to be one. */
static enum tare_status check_url(const char *option, const char *url, struct tare_err *err)
{
    const size_t n = url ? strcspn(url, ":/?#") : 0;
    const bool other = url && url[n] == ':' && strncmp(url, "https:", n + 1) != 0 && strncmp(url, "http:", n + 1) != 0;
    if (other || (url && !strncmp(url, "{rev}", 5)))
        return err_set(err, TARE_INVALID, "%s takes an address that begins with https:// or http://, or a path", option);
    return TARE_OK;
}

static enum tare_status look_at_folder(const struct history_options *o, const struct option_operands *operands, struct tare_err *err)
{
    if (o->commit_url && !strstr(o->commit_url, "{rev}"))
        return err_set(err, TARE_INVALID,
                       "--commit-url has no {rev}, the place of the commit; as in https://example.org/commit/{rev}");
    enum tare_status status = check_url("--commit-url", o->commit_url, err);
    if (!status)
        status = check_url("--feed-url", o->feed_url, err);
    if (!status)
        status = need_operands(operands, "no folder given", "tare history html public", err);
    return status ? status : option_operands_end(operands, 1, "; give one folder", err);
}

CHECK(html, look_at_folder(o, operands, err))

static const struct example html_examples[] = {
    {"tare history html public", "an index and a page for each benchmark, in the folder public"},
    {"tare history html --commit-url https://example.org/c/{rev} public", "with links to the commits"},
};

const struct command command_history_html = {
    .name = "history html",
    .summary = "write pages with charts of all series",
    .synopsis = (const char *const[]){"[OPTION...] FOLDER", NULL},
    PARTS(html),
    .description = "Writes static pages: an index with a small chart for each benchmark, a page for each benchmark, and an Atom feed of confirmed "
                   "changes. Pages that would not change are not written again.",
    .operands = SUGGEST_DIRECTORIES,
};

static const struct option run_items[] = {
    DIR_OPTION,
    CLASS_OF_RESULTS,
    SINCE_OPTION("Only commits after REV."),
    {.group = WHICH, .name = "every", .type = OPTION_INT, .common = true, AT(every), .arg = "NUM", .unit = "commit", .preset = "1", .min = 1,
     .max = 1e6, .help = "Measure every NUM-th commit, and the last one."},
    {.group = WHICH, .name = "again", .type = OPTION_FLAG, AT(again),
     .help = "Also measure commits that have results of COMMAND already, or did not build."},
    {.group = RUNS, .name = "build", .type = OPTION_TEXT, .common = true, AT(build), .arg = "CMD",
     .help = "Build each revision with this shell command, in its own work tree."},
    DRY_RUN(RUNS, "Print which commits would be measured and how; build and run nothing."),
#include "style_option.def"
    QUIET_VERBOSE("Print only the last line and errors.", "Also print each session's result."),
#include "common_options.def"
};

CHECK(run, look_at_run(operands, err))

static const struct example run_examples[] = {
    {"tare history run --since v1.0 --every 10 -- run -r 20 ./parse", "measure every tenth commit since v1.0"},
    {"tare history run --dry-run -- bench ./bench", "show which commits would be measured"},
};

const struct command command_history_run = {
    .name = "history run",
    .summary = "measure old commits that have no results yet",
    .synopsis = (const char *const[]){"[OPTION...] -- COMMAND...", NULL},
    PARTS(run),
    .description = "Checks out old commits, each in a work tree of its own, builds and measures them, and adds the results. Commits with results "
                   "of the same COMMAND are skipped, so that it can be interrupted and started again. COMMAND is a command line of tare run or "
                   "bench, without tare.",
    .operands = SUGGEST_COMMANDS,
};

static const struct option prune_items[] = {
    DIR_OPTION,
    {.group = WHICH, .name = "older-than", .type = OPTION_TEXT, .common = true, AT(age_text), .arg = "AGE", .preset = "90d",
     .help = "Thin sessions that were measured longer ago, as 90d, 12w or 2y."},
    {.group = KEPT, .name = "keep-quantiles", .type = OPTION_INT, AT(quantiles), .arg = "NUM", .unit = "value", .preset = "21", .min = 3, .max = 10000,
     .help = "Keep so many quantiles of the values of each result; the median and its interval are always kept."},
    DRY_RUN(KEPT, "Print what would be thinned; change nothing."),
#include "style_option.def"
    QUIET_VERBOSE("Print only errors.", "Also print each session that is thinned."),
#include "common_options.def"
};

enum { AGE_DAYS_MAX = 36500 };

/* "90d", "12w", "2y" in nanoseconds; 0: something else. */
static int64_t read_age(const char *text)
{
    static const struct {
        char letter;
        int days;
    } units[] = {{'d', 1}, {'w', 7}, {'y', 365}};
    size_t digits = strspn(text, "0123456789");
    unsigned long n = digits && digits < 6 ? strtoul(text, NULL, 10) : 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text[digits] == units[i].letter && !text[digits + 1] && n * (unsigned long)units[i].days <= AGE_DAYS_MAX)
            return (int64_t)n * units[i].days * 24 * 3600 * 1000000000;
    return 0;
}

static enum tare_status look_at_age(struct history_options *o, const struct option_operands *operands, struct tare_err *err)
{
    enum tare_status status = option_operands_end(operands, 0, "; the folder of the history is given with --dir", err);
    o->older_ns = read_age(o->age_text);
    if (!status && !o->older_ns)
        status = err_set(err, TARE_INVALID, "--older-than: '%.60s' is not an age; write it like 90d, 12w or 2y", o->age_text);
    return status;
}

CHECK(prune, look_at_age(o, operands, err))

static const struct example prune_examples[] = {
    {"tare history prune --dry-run", "show what would be thinned"},
    {"tare history prune --older-than 1y", "keep every single value for a year only"},
};

const struct command command_history_prune = {
    .name = "history prune",
    .summary = "replace the values of old sessions by their quantiles",
    .synopsis = (const char *const[]){"[OPTION...]", NULL},
    PARTS(prune),
    .description = "Replaces the single values of old results by quantiles, which makes the files smaller. No result is removed: its median and "
                   "interval stay as they are.",
};

static const struct option note_items[] = {
    DIR_OPTION,
    CLASS_OF_MACHINES,
    {.group = SAID, .name = "accepted", .type = OPTION_FLAG, .common = true, AT(accepted), .help = "The change is meant: check no longer fails for it."},
    {.group = SAID, .name = "false", .type = OPTION_FLAG, .common = true, AT(wrong), .help = "There is no change."},
    {.group = SAID, .name = "fixed", .type = OPTION_FLAG, .common = true, AT(fixed), .help = "A later commit fixed it."},
    {.group = SAID, .name = "reset", .type = OPTION_FLAG, AT(reset),
     .help = "Ignore all results before REV from now on, as after a change of the machine or of the benchmark."},
    {.group = SAID, .name = "note", .type = OPTION_TEXT, .common = true, AT(note), .arg = "TEXT", .help = "A sentence, alone or with one of the above."},
    {.group = SAID, .name = "who", .type = OPTION_TEXT, AT(who), .arg = "NAME", .preset_note = "user.name of git", .help = "Who says so."},
    {.group = SAID, .name = "alias", .type = OPTION_TEXT, AT(alias), .arg = "OLD=NEW", .help = "The benchmark OLD is called NEW now; both become one series."},
#include "style_option.def"
    QUIET_VERBOSE("Print only errors.", "Also print the file that is written."),
#include "common_options.def"
};

static enum tare_status read_alias(struct history_options *o, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    const char *equals = strchr(o->alias, '=');
    if (!equals || equals == o->alias || !equals[1])
        return err_set(err, TARE_INVALID, "--alias: '%.60s' is not OLD=NEW", o->alias);
    if (o->accepted || o->wrong || o->fixed || o->reset)
        return err_set(err, TARE_INVALID, "--alias is about a name; give --accepted, --false, --fixed or --reset in a call of their own");
    o->from = arena_copy(a, o->alias, (size_t)(equals - o->alias));
    o->to = equals + 1;
    return o->from ? option_operands_end(operands, 0, "; --alias takes no series", err) : err_no_memory(err);
}

static enum tare_status look_at_note(struct history_options *o, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    int states = o->accepted + o->wrong + o->fixed + o->reset;
    enum tare_status status = o->alias ? read_alias(o, operands, a, err) : TARE_OK;
    if (!status && !o->alias && operands->n != 2)
        status = err_set(err, TARE_INVALID, "a series and a commit are needed; as in: tare history note parse 1a2b3c4 --accepted");
    if (!status && states > 1)
        status = err_set(err, TARE_INVALID, "give one of --accepted, --false, --fixed and --reset");
    if (!status && !o->alias && !states && !o->note)
        status = err_set(err, TARE_INVALID, "nothing to note; give --accepted, --false, --fixed, --reset or --note");
    return status;
}

CHECK(note, look_at_note(o, operands, a, err))

static const struct example note_examples[] = {
    {"tare history note parse 711ff00 --accepted --note 'checks UTF-8 now'", "the change is meant"},
    {"tare history note --alias parse=parse_json", "a benchmark was renamed"},
};

const struct command command_history_note = {
    .name = "history note",
    .summary = "record that a change is meant, false or fixed",
    .synopsis = (const char *const[]){"[OPTION...] SERIES REV", "[OPTION...] --alias OLD=NEW", NULL},
    PARTS(note),
    .description = "Adds a statement about the change of SERIES at the commit REV; SERIES may be all. Nothing that is in the history is changed: the "
                   "latest statement counts.",
};
/* clang-format on */
