/* SPDX-License-Identifier: MIT
 * The tables of the commands of `tare fleet`. */
#include "fleet_options.h"
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include <math.h>
#include <string.h>

#define PLANNED "What is planned"
#define PLACED  "Where it runs"
#define WORKED  "What is done"
#define SURE    "How sure"
#define KEPT    "What is kept"

#define T         struct fleet_options
#define AT(f)     .offset = offsetof(T, f)
#define AT_RUN(f) AT(f)

/* clang-format off */
#define NODES_OPTION(least) \
    {.group = PLANNED, .name = "nodes", .type = OPTION_INT, .common = true, AT(nodes), .arg = "NUM", .unit = "node", .preset = "6", \
     .min = least, .max = 1000, .help = "Measure on NUM nodes.", \
     .detail = "The interval is over nodes, so their number decides how narrow it becomes. With three it is wide; from four on there is also " \
               "an interval for another node."}

#define SEED_OPTION \
    {.group = PLANNED, .name = "seed", .type = OPTION_UINT64, .common = true, AT(seed), .arg = "NUM", .preset_note = "drawn, and part of the plan", \
     .help = "Seed of every random choice: the order of the nodes, and in each session as in tare run."}

#define MIN_NODES_OPTION \
    {.group = SURE, .name = "min-nodes", .type = OPTION_INT, AT(min_nodes), .arg = "NUM", .unit = "node", .preset = "3", .min = 2, .max = 1000, \
     .help = "Give an answer only if NUM nodes or more have results.", \
     .detail = "At the same standard deviation between nodes the interval over two is 3.6 times as wide as over three (at 95 %)."}

#define PLAN_OPTIONS \
    NODES_OPTION(2), \
    {.group = PLANNED, .name = "blocks", .type = OPTION_INT, .common = true, AT(blocks), .arg = "NUM", .unit = "block", .preset = "1", .min = 1, \
     .max = 100, .help = "Measure NUM sessions on each node. A node counts once, by their mean.", \
     .detail = "Blocks make the figure of a node steadier; they do not replace nodes."}, \
    SEED_OPTION

#define ENGINE_OPTION(engines, more) \
    {.group = PLACED, .name = "engine", .type = OPTION_WORD, .common = true, AT(engine), .arg = "NAME", .preset = "local", .choices = engines, \
     .help = "local: this machine takes the place of all nodes. slurm: nodes of a Slurm cluster, all at once." more, \
     .detail = "slurm asks for one exclusive allocation and starts each session in it by srun. DIR and the programs must have the same path on all " \
               "nodes. Account, partition and time limit are those of SALLOC_ACCOUNT, SALLOC_PARTITION and SALLOC_TIMELIMIT."}

/* with: the engines that place sessions; class_more: what else the class means */
#define PLACE_OPTIONS(with, class_more) \
    {.group = PLACED, .name = "class", .type = OPTION_TEXT, AT(node_class), .arg = "FEATURE", .preset_note = "any node", \
     .help = "With --engine slurm: only nodes with this feature, as for --constraint of salloc." class_more}, \
    {.group = PLACED, .name = "step-timeout", .type = OPTION_DURATION, AT(step_timeout_ns), .arg = "S", \
     .preset_note = "an hour, and 4 times the --max-time of a session", .absent = 0, .min = 1, .max = 1e7, \
     .help = "With --engine " with ": a session that takes longer than S seconds is lost.", \
     .detail = "It is ended and placed again. Builds of --rev count too. Sessions without --max-time that take longer than an hour need this option."}, \
    {.group = PLACED, .name = "attempts", .type = OPTION_INT, AT(attempts), .arg = "NUM", .unit = "attempt", .preset = "3", .min = 1, .max = 100, \
     .help = "With --engine " with ": place a session at most NUM times if its step, host or node is lost."}, \
    {.group = PLACED, .name = "node", .type = OPTION_INT, .common = true, AT(node), .arg = "NUM", .preset_note = "all, one after the other", .absent = 0, \
     .min = 1, .max = 1000, .help = "This machine is node NUM: make its sessions only, and show no result.", \
     .detail = "Without it this machine takes the place of every node in turn. The result then holds for this machine only, and is labelled so."}

#define DIR_OPTION(text) \
    {.group = PLACED, .name = "dir", .type = OPTION_DIRECTORY, .common = true, AT(dir), .arg = "DIR", .preset_note = "none; it is needed", .help = text}

#define QUEUE_OPTION(text, more) \
    {.group = PLACED, .name = "queue", .type = OPTION_TEXT, AT(queue), .arg = "URL", .preset_note = "none", .help = text, .detail = more}

static const struct option plan_items[] = {
    PLAN_OPTIONS,
#include "common_options.def"
};

static const struct option run_items[] = {
    PLAN_OPTIONS,
    DIR_OPTION("The folder of plan and records. It is made if it is not there; one with the same plan is continued."),
    ENGINE_OPTION("local slurm queue", " queue: hosts where tare fleet work runs."),
    QUEUE_OPTION("With --engine queue: the database through which hosts get their sessions.",
                 "Its tables are made by the first use of the owner. The hosts need not be there yet: the plan waits for them, and this command for its "
                 "records."),
    PLACE_OPTIONS("slurm or queue", " With queue: only workers of this --class. With --history also the class there."),
    {.group = PLACED, .name = "lost-after", .type = OPTION_DURATION, AT(lost_after_ns), .arg = "S", .preset = "60", .min = 1, .max = 1e6,
     .help = "With --engine queue: a host that was not heard of for S seconds has lost its session, and another may get it.",
     .detail = "Hosts report four times in this time. One that comes back is still the one to measure it if nobody else has begun."},
    {.group = PLACED, .name = "block", .type = OPTION_INT, AT(block), .arg = "NUM", .preset_note = "all", .absent = 0, .min = 1, .max = 100,
     .help = "With --node: make only session NUM of this node."},
    {.group = PLACED, .name = "yes", .letter = 'y', .type = OPTION_FLAG, .common = true, AT(yes),
     .help = "Without COMMAND: run what the plan names without asking.",
     .detail = "The plan says what is executed, so check one from somebody else first. Without this option tare shows what it would run and asks; "
               "without a terminal nothing runs."},
    MIN_NODES_OPTION,
    SHARED_FAIL_IF_SLOWER("a command is P% or more slower than the reference, over all nodes", NULL),
#include "display_options.def"
    SHARED_HISTORY_DIR,
#include "common_options.def"
};

static const struct option status_items[] = {
    DIR_OPTION("The folder of plan and records."),
    QUEUE_OPTION("Also show which hosts of this queue are measuring.", NULL),
#include "style_option.def"
    SHARED_QUIET_VERBOSE(display, "Print only the line with the sums.", "Also print units that were not measured yet."),
#include "common_options.def"
};

static const struct option collect_items[] = {
    DIR_OPTION("The folder of plan and records."),
    MIN_NODES_OPTION,
    SHARED_FAIL_IF_SLOWER("a command is P% or more slower than the reference, over all nodes", NULL),
#include "display_options.def"
    SHARED_HISTORY_DIR,
    SHARED_HISTORY_CLASS(node_class),
#include "common_options.def"
};

static const struct option qualify_items[] = {
    NODES_OPTION(3),
    SEED_OPTION,
    {.group = PLANNED, .name = "aa", .type = OPTION_INT, AT(aa_sessions), .arg = "NUM", .unit = "session", .preset = "10", .min = 2, .max = 500,
     .help = "Compare the reference with itself in NUM sessions on each node, of at most 1.5 s each."},
    DIR_OPTION("The folder of tare fleet run. The class is kept in it as class.jsonl, the sessions in its folder qualify."),
    ENGINE_OPTION("local slurm", ""),
    PLACE_OPTIONS("slurm", ""),
    {.group = SURE, .name = "bound", .type = OPTION_PERCENT, .common = true, AT(bound), .arg = "P%", .preset = "5%", .min = 0.1, .max = 1000,
     .help = "Exclude a node whose reference is more than P% off the class, and more than like nodes vary."},
    {.group = SURE, .name = "load", .type = OPTION_NUMBER, AT(load), .arg = "NUM", .preset = "0.5", .min = 0, .max = 1e6,
     .help = "Exclude a node on which other programs used more than NUM CPUs meanwhile."},
#include "style_option.def"
    SHARED_QUIET_VERBOSE(display, "Print only how many hosts are of the class.", "Also print the output of each session."),
#include "common_options.def"
};

static const struct option work_items[] = {
    {.group = WORKED, .name = "allow", .type = OPTION_LIST, .common = true, AT(allow), .arg = "WORDS", .preset_note = "tare asks",
     .help = "Run plans with these words, such as 'run -r 30 ./old ./new'. A word * matches any one word. Can be given several times.",
     .detail = "Whoever can put plans into the queue can run what these words allow, as you. A * also matches an option that runs a command, such "
               "as --prepare=COMMAND, so use it only behind -- or as the value of an option."},
    {.group = WORKED, .name = "yes", .letter = 'y', .type = OPTION_FLAG, .common = true, AT(yes),
     .help = "Run whatever a plan of the queue names.",
     .detail = "Whoever can put plans into the queue can then run any command on this machine, as you. Without this option and --allow tare shows each "
               "plan and asks; without a terminal nothing runs."},
    {.group = WORKED, .name = "class", .type = OPTION_TEXT, .common = true, AT(node_class), .arg = "NAME", .preset_note = "only plans for any class",
     .help = "Also take plans that are for machines of this class."},
    {.group = WORKED, .name = "name", .type = OPTION_TEXT, .common = true, AT(host), .arg = "NAME", .preset_note = "the machine's own",
     .help = "How this machine is called in the queue and in records. All machines need different names."},
    {.group = WORKED, .name = "dir", .type = OPTION_DIRECTORY, AT(dir), .arg = "DIR", .preset_note = "in your folder for state",
     .help = "Where records are kept until their plan has left the queue. Only you may write there.",
     .detail = "Your folder for state is $XDG_STATE_HOME/tare/fleet; without it ~/.local/state/tare/fleet, for root /var/lib/tare/fleet. A key in it holds the "
               "name of this machine: without it the name is free a minute after the worker was last heard of, so do not copy the folder to another."},
    {.group = WORKED, .name = "idle", .type = OPTION_DURATION, AT(idle_ns), .arg = "S", .preset_note = "never", .absent = 0, .min = 0.1, .max = 1e7,
     .help = "End after S seconds without anything to measure, or without the database."},
    {.group = "What is shown", .name = "quiet", .letter = 'q', .type = OPTION_FLAG, .common = true, AT(display.quiet),
     .help = "Do not name plans and units."},
#include "common_options.def"
};

#define SET(id) {id##_items, sizeof id##_items / sizeof *id##_items, sizeof(T)}
const struct option_set fleet_run_option_set = SET(run), fleet_plan_option_set = SET(plan);

#define EXAMPLE "tare fleet run --dir fleet -- run ./old ./new"

bool fleet_measures(const char *command)
{
    return !strcmp(command, "run") || !strcmp(command, "bench");
}

static enum tare_status check_command(const struct option_operands *operands, bool needed, const char *example, struct tare_err *err)
{
    if (!operands->n)
        return needed ? err_set(err, TARE_INVALID, "nothing to measure; as in: %s", example) : TARE_OK;
    if (!operands->dashes || operands->after != 0)
        return err_set(err, TARE_INVALID, "write -- before '%.60s'; as in: %s", operands->items[0], example);
    if (!fleet_measures(operands->items[0]))
        return err_set(err, TARE_INVALID, "after -- comes run or bench, and not '%.60s'; as in: %s", operands->items[0], example);
    return TARE_OK;
}

static enum tare_status look_at_dir(const struct fleet_options *o, const char *example, struct tare_err *err)
{
    return o->dir ? TARE_OK : err_set(err, TARE_INVALID, "--dir is missing; as in: %s", example);
}

static enum tare_status check_plan(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    (void)options, (void)a;
    return check_command(operands, true, "tare fleet plan -- run ./old ./new", err);
}

static bool given(const struct fleet_options *o, size_t offset)
{
    return option_given(&fleet_run_option_set, o, offset);
}

static enum tare_status check_engine(const struct fleet_options *o, const struct option_set *set, struct tare_err *err)
{
    const bool local = !strcmp(o->engine, "local"), its_own = o->node_class || option_given(set, o, offsetof(T, attempts)) ||
                                                              option_given(set, o, offsetof(T, step_timeout_ns));
    if (o->node && !local)
        return err_set(err, TARE_INVALID, "--engine %s measures all nodes, and --node is for a machine that is one of them", o->engine);
    return its_own && local ? err_set(err, TARE_INVALID, "--class, --attempts and --step-timeout are not for --engine local") : TARE_OK;
}

static enum tare_status check_queue(const struct fleet_options *o, struct tare_err *err)
{
    const bool queue = !strcmp(o->engine, "queue");
    if (!queue && (o->queue || given(o, offsetof(T, lost_after_ns))))
        return err_set(err, TARE_INVALID, "--queue and --lost-after are for --engine queue");
    return queue && !o->queue ? err_set(err, TARE_INVALID, "--engine queue needs a database, as in --queue postgresql://HOST/NAME") : TARE_OK;
}

static enum tare_status check_run(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct fleet_options *o = options;
    (void)a;
    enum tare_status status = look_at_dir(o, EXAMPLE, err);
    if (!status)
        status = check_command(operands, false, EXAMPLE, err);
    if (!status && !operands->n && (given(o, offsetof(T, nodes)) || given(o, offsetof(T, blocks)) || given(o, offsetof(T, seed))))
        status = err_set(err, TARE_INVALID, "--nodes, --blocks and --seed are of a plan; say what it measures too, as in: " EXAMPLE);
    if (!status)
        status = check_engine(o, &fleet_run_option_set, err);
    if (!status)
        status = check_queue(o, err);
    if (!status && o->block && !o->node)
        status = err_set(err, TARE_INVALID, "--block is one of the sessions of a node; give --node too");
    if (!status && o->node && !isnan(o->fail_if_slower))
        status = err_set(err, TARE_INVALID, "--fail-if-slower is about all nodes, and --node measures one; give it to tare fleet collect");
    if (!status && o->node && o->history)
        status = err_set(err, TARE_INVALID, "--history is about all nodes, and --node measures one; give it to tare fleet collect");
    for (int i = 0; i < N_EXPORTS && !status && o->node; i++)
        if (o->display.export_file[i])
            status = err_set(err, TARE_INVALID, "%s is about all nodes, and --node measures one; give it to tare fleet collect",
                             display_export_name((enum display_export)i));
    return status ? status : display_options_check(&o->display, NULL, err);
}

static const struct option_set qualify_set = SET(qualify);
#define QUALIFY_EXAMPLE "tare fleet qualify --dir fleet -- run ./reference"

static enum tare_status check_qualify(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    struct fleet_options *o = options;
    (void)a;
    enum tare_status status = look_at_dir(o, "tare fleet qualify --engine slurm --dir fleet", err);
    if (!status)
        status = check_command(operands, false, QUALIFY_EXAMPLE, err);
    if (!status && operands->n && strcmp(operands->items[0], "run") != 0)
        status = err_set(err, TARE_INVALID, "the reference is a command, so after -- comes run; as in: " QUALIFY_EXAMPLE);
    if (!status)
        status = check_engine(o, &qualify_set, err);
    return status ? status : display_options_check(&o->display, NULL, err);
}

static enum tare_status check_stored(struct fleet_options *o, const struct option_operands *operands, const char *example,
                                     struct tare_err *err)
{
    enum tare_status status = option_operands_end(operands, 0, "; the folder is given with --dir", err);
    if (!status)
        status = look_at_dir(o, example, err);
    if (!status && o->node_class && !o->history)
        status = err_set(err, TARE_INVALID, "--class names the machines in a history; give --history too");
    return status ? status : display_options_check(&o->display, NULL, err);
}

static enum tare_status check_status(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    (void)a;
    return check_stored(options, operands, "tare fleet status --dir fleet", err);
}

static enum tare_status check_collect(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    (void)a;
    return check_stored(options, operands, "tare fleet collect --dir fleet", err);
}

static enum tare_status check_work(void *options, const struct option_operands *operands, struct arena *a, struct tare_err *err)
{
    const struct fleet_options *o = options;
    (void)a;
    if (!operands->n)
        return err_set(err, TARE_INVALID, "the queue is missing; as in: tare fleet work postgresql://HOST/NAME");
    if (o->yes && o->allow.n)
        return err_set(err, TARE_INVALID, "--yes allows everything, so --allow says nothing; give one of them");
    return option_operands_end(operands, 1, "; give one queue", err);
}

const struct command_family family_fleet = {
    .name = "fleet",
    .group = "measure",
    .summary = "measure on several machines of a class, for one answer",
    .description = "One machine can say what holds for it, and several what holds for their class. tare fleet plan draws a plan, run measures it or one node "
                   "of it, status shows how far it is, and collect gives the answer over all nodes.",
};

#define PARTS(id) \
    .group = "measure", .synopsis = id##_synopsis, .examples = id##_examples, .n_examples = sizeof id##_examples / sizeof *id##_examples, .options = SET(id)

static const char *const plan_synopsis[] = {"[OPTION...] -- run [OPTION...] COMMAND...", "[OPTION...] -- bench [OPTION...] PROG...", NULL};
static const struct example plan_examples[] = {
    {"tare fleet plan --nodes 8 --seed 7 -- run ./old ./new", "what eight nodes would measure; the same seed gives the same plan"},
};

const struct command command_fleet_plan = {
    .name = "fleet plan",
    .summary = "draw which node measures what, and print it",
    PARTS(plan),
    .description = "Prints a plan as JSON Lines and measures nothing. Put it as plan.jsonl into a folder that all nodes have, and start tare fleet run --dir DIR "
                   "--node N there. A unit is one session of tare run or tare bench: all builds run in every round on the same node.",
    .operands = SUGGEST_COMMANDS,
    .check = check_plan,
};

static const char *const run_synopsis[] = {"[OPTION...] --dir DIR [-- run [OPTION...] COMMAND...]", "[OPTION...] --dir DIR -- bench [OPTION...] PROG...", NULL};
static const struct example run_examples[] = {
    {"tare fleet run --dir fleet --nodes 6 -- run ./old ./new", "six blocks on this machine; the same line continues it"},
    {"tare fleet run --engine slurm --dir f --nodes 8 -- run ./old ./new", "eight nodes of a Slurm cluster"},
    {"tare fleet run --dir functions -- bench ./before ./after", "each benchmark of two builds"},
    {"tare fleet run --engine queue --queue postgresql://db/b --dir f -- run ./a ./b", "hosts that run tare fleet work"},
    {"tare fleet run --dir fleet --node 3 --yes --quiet", "on the third machine: its part of the plan in fleet/plan.jsonl"},
};

const struct command command_fleet_run = {
    .name = "fleet run",
    .summary = "measure a plan, or one node of it",
    PARTS(run),
    .description = "Makes the sessions that have no record that counts in DIR yet, and then gives the answer over all nodes. Each session has a record of its own, "
                   "which appears when it is complete; after an interruption the same command line continues. COMMAND is that of tare run, PROG that of tare "
                   "bench; what is shown and kept is for tare fleet, before --.",
    .operands = SUGGEST_COMMANDS,
    .check = check_run,
};

static const char *const status_synopsis[] = {"[OPTION...] --dir DIR", NULL};
static const struct example status_examples[] = {{"tare fleet status --dir fleet", "which nodes are measured, and what failed"}};

const struct command command_fleet_status = {
    .name = "fleet status",
    .summary = "show how far a plan is, and what failed",
    PARTS(status),
    .description = "Shows each session that was measured, failed or does not count, with its host or the reason; with -v also those that are not measured yet. "
                   "Nothing is measured.",
    .check = check_status,
};

static const char *const collect_synopsis[] = {"[OPTION...] --dir DIR", NULL};
static const struct example collect_examples[] = {
    {"tare fleet collect --dir fleet", "the answer from the records that are there"},
    {"tare fleet collect --dir fleet --fail-if-slower 2%", "exit 1 if the class of machines is slower by 2 % or more"},
};

const struct command command_fleet_collect = {
    .name = "fleet collect",
    .summary = "give the answer over all nodes from their records",
    PARTS(collect),
    .description = "Reads the records in DIR and gives the answer of tare fleet run. Nothing is measured. Records of another plan, of other programs or of another class "
                   "of machines are left out, with the reason. An answer needs three nodes (--min-nodes).",
    .check = check_collect,
};

static const char *const qualify_synopsis[] = {"[OPTION...] --dir DIR [-- run [OPTION...] COMMAND]", NULL};
static const struct example qualify_examples[] = {
    {"tare fleet qualify --engine slurm --dir f --nodes 8", "eight nodes of a Slurm cluster, with the reference of tare"},
    {"tare fleet qualify --dir f --nodes 3 --node 2 -- run ./old", "on the second of three machines, with a program of yours"},
};

const struct command command_fleet_qualify = {
    .name = "fleet qualify",
    .summary = "find the nodes that are not of the class",
    PARTS(qualify),
    .description = "Runs a reference workload against itself on each node, as tare run --aa does, and compares the nodes by it and by their conditions. A node that "
                   "is out of the bounds of the class is excluded with its reason: tare fleet run does not measure there, and what was measured there does not count. "
                   "Exits 1 if a node is excluded.",
    .operands = SUGGEST_COMMANDS,
    .check = check_qualify,
};

static const char *const work_synopsis[] = {"[OPTION...] URL", NULL};
static const struct example work_examples[] = {
    {"tare fleet work postgresql://db/bench --allow 'run ./old ./new'", "measure this comparison for whoever puts it into the queue"},
    {"tare fleet work postgresql://db/bench --class epyc --yes", "run all plans for this class; trust who can put them there"},
};

const struct command command_fleet_work = {
    .name = "fleet work",
    .summary = "measure sessions from a queue on this machine",
    PARTS(work),
    .description = "Takes sessions of plans from a PostgreSQL database (tare fleet run --engine queue), one at a time, measures them in this folder, and brings their "
                   "records back, until it is interrupted. A record that cannot be delivered is kept and delivered later.",
    .check = check_work,
};
/* clang-format on */
