/* SPDX-License-Identifier: MIT
 * The table of `tare gate`, and the file that holds a repository's own options. */
#include "gate_options.h"
#include "buf.h"
#include "command.h"
#include "shared_options.h"
#include <string.h>

#define T     struct gate_options
#define AT(f) .offset = offsetof(T, f)

#define COMPARED "What is compared"
#define SURE     "How sure the answer has to be"
#define WHICH    "Which benchmarks, and how"
#define SHOWN    "What is shown"
#define KEPT     "What is kept"

/* clang-format off */
static const struct option items[] = {
    {.group = COMPARED, .name = "build", .letter = 'b', .type = OPTION_TEXT, .common = true, AT(build), .arg = "CMD",
     .help = "Build each revision with this shell command, in its own work tree.",
     .detail = "Both are built before anything is measured. If one does not build, the end of its output is shown and the exit code is 5. "
               "{rev} in CMD is the hash of the commit."},
    {.group = COMPARED, .name = "bench", .type = OPTION_LIST, .common = true, AT(programs), .arg = "PROGRAM", .suggest = SUGGEST_FILES,
     .help = "A benchmark program that the build makes, relative to the current folder. Repeatable.",
     .detail = "It is built with libtare, google/benchmark, Go (go test -c), Catch2 or criterion.rs, as for tare bench."},
    {.group = COMPARED, .name = "base", .type = OPTION_TEXT, .common = true, AT(base_revision), .arg = "REV",
     .preset_note = "where the head left the default branch", .help = "The revision to compare with.",
     .detail = "By default it is the merge base of the head and origin/HEAD, main or master, the first that exists."},
    {.group = COMPARED, .name = "head", .type = OPTION_TEXT, .common = true, AT(head_revision), .arg = "REV", .preset_note = "HEAD",
     .help = "The revision that is tested; . is the working tree as it is."},
    {.group = COMPARED, .name = "carry", .type = OPTION_LIST, AT(carried), .arg = "PATH", .suggest = SUGGEST_FILES,
     .help = "Also build the base with PATH as the head has it: the sources of the benchmarks. Repeatable.",
     .detail = "Without it a benchmark that only the head has is new and is not compared."},
    {.group = COMPARED, .name = "inputs", .type = OPTION_LIST, AT(inputs), .arg = "PATH", .preset_note = "the repository", .suggest = SUGGEST_FILES,
     .help = "The tracked files that programs may read, from the current folder. GLOB=PATH is for programs of these names only. Repeatable.",
     .detail = "A program that is equal in both builds is measured all the same if a file that it may read differs. In a repository of many packages "
               "a change in one then leaves the programs of the others unmeasured: --inputs 'a/build/*=a' --inputs 'b/build/*=b'."},
    {.group = SURE, .name = "fail-if-slower", .type = OPTION_LIST, .common = true, AT(limits), .arg = "P%", .preset_note = "2%",
     .help = "Fail if a benchmark is slower by P% or more. GLOB=P% is for benchmarks of these names only. Repeatable.",
     .detail = "In GLOB * is any characters and ? is one; the last option that fits a name counts: "
               "--fail-if-slower 3% --fail-if-slower 'hash/*=10%'."},
    {.group = SURE, .name = "max-time", .type = OPTION_DURATION, .common = true, AT(max_time_ns), .arg = "TIME", .preset = "5min", .min = 1e-3,
     .max = 1e6, .help = "Measure for at most TIME in all, after the builds.",
     .detail = "All benchmarks are measured first; what is left is spent on those that are not yet clear, and on measuring each "
               "slowdown again. It ends sooner if all is clear."},
    {.group = SURE, .name = "control", .type = OPTION_LIST, AT(controls), .arg = "GLOB",
     .help = "Measure these benchmarks as a control: they are known to be equal, are reported, and decide nothing. Repeatable.",
     .detail = "If a program is equal in both builds, only its controls are measured."},
    {.group = SURE, .name = "accept", .type = OPTION_LIST, AT(accepted), .arg = "GLOB",
     .help = "Accept a slowdown of these benchmarks: they are reported and do not fail. Repeatable.",
     .detail = "The record says which were accepted."},
    {.group = SURE, .name = "qualify", .type = OPTION_INT, AT(qualify), .arg = "NUM", .unit = "gate", .preset_note = "off", .absent = 0, .min = 2,
     .max = 1000, .help = "Test the gate on this machine: make NUM gates of the base against itself, built twice for each.",
     .detail = "Each also measures with an injected delay. It prints how often the gate fails without a reason, how small a slowdown it "
               "finds with 90 % power, and how long it takes. --max-time is that of each gate."},
    {.group = SURE, .name = "layout", .type = OPTION_PERCENT, AT(layout), .arg = "P%", .preset_note = "not known", .absent = 0, .min = 0,
     .max = 100, .help = "To fail, a slowdown must exceed P%: what two builds of one source differ by, as --qualify finds it.",
     .detail = "Code that the compiler or linker puts elsewhere can be slower although its source did not change."},
    {.group = SURE, .name = "merge", .type = OPTION_FLAG, .common = true, AT(merge),
     .help = "Answer from records that gates on several machines have saved; a slowdown must be found on all of them.",
     .detail = "Nothing is built or measured."},
    {.group = SURE, .name = "seed", .type = OPTION_UINT64, AT(seed), .arg = "NUM", .preset_note = "drawn and recorded",
     .help = "Seed of every random choice: the order within rounds, the size of the environment."},
    {.group = WHICH, .name = "filter", .letter = 'f', .type = OPTION_LIST, .common = true, AT(filters), .arg = "WORD",
     .help = "Only benchmarks whose name contains WORD or matches /PATTERN/. Repeatable: those that match any."},
    {.group = WHICH, .name = "exclude", .type = OPTION_LIST, AT(excluded), .arg = "WORD",
     .help = "Leave out those whose name contains WORD or matches /PATTERN/. Repeatable."},
    {.group = WHICH, .name = "metric", .type = OPTION_TEXT, AT(metric), .arg = "ID", .choices = "ns cycles peak rss cpu_time", .preset_note = "ns",
     .help = "What is compared, as in tare bench."},
    {.group = WHICH, .name = "harness", .type = OPTION_WORD, AT(harness), .arg = "NAME", .preset = "auto",
     .choices = "auto tare google-benchmark go catch2 criterion", .help = "What the programs were built with; auto looks into their files."},
    {.group = WHICH, .name = "timeout", .type = OPTION_DURATION, AT(timeout_ns), .arg = "TIME", .preset = "60s", .min = 1e-3, .max = 1e6,
     .help = "Kill a process that takes longer than TIME; its benchmark has no result."},
    {.group = WHICH, .name = "env", .type = OPTION_LIST, AT(env), .arg = "NAME=VALUE",
     .help = "Set a variable in the environment of the programs. Repeatable."},
    {.group = WHICH, .name = "cwd", .type = OPTION_DIRECTORY, AT(cwd), .arg = "DIR", .preset_note = "the current folder, in each work tree",
     .help = "Run the programs in this folder of their work tree."},
    {.group = WHICH, .name = "pin", .type = OPTION_INT, AT(pin_cpu), .arg = "CPU", .preset_note = "not pinned", .absent = -1, .min = 0, .max = 4095,
     .help = "Run the programs on this one CPU (0, 1 ...)."},
#include "style_option.def"
    SHARED_QUIET_VERBOSE(display, "Print only the answer.", "Also list the benchmarks that did not change. Given twice: the result of each session."),
    {.group = SHOWN, .name = "annotate", .type = OPTION_CHOICE, AT(annotate), .arg = "WHERE", .preset = "none", .choices = "none github",
     .help = "github: print the worst 10 benchmarks as annotations of a GitHub workflow."},
    {.group = SHOWN, .name = "dry-run", .letter = 'n', .type = OPTION_FLAG, .common = true, AT(dry_run),
     .help = "Print what would be compared; build and measure nothing."},
    {.group = KEPT, .name = "summary", .type = OPTION_CHOICE, .common = true, AT(summary), .arg = "WHERE", .preset = "none", .choices = "none github",
     .help = "github: add the result to the summary of the GitHub job (GITHUB_STEP_SUMMARY)."},
    {.group = KEPT, .name = "comment", .type = OPTION_FILE, .once = true, AT(comment), .arg = "FILE",
     .help = "Write the result as Markdown for a comment at the pull request.",
     .detail = "It has fewer than 65 536 characters and begins with a marker, by which a workflow finds the comment again to update it."},
    {.group = KEPT, .name = "export-junit", .type = OPTION_FILE, .once = true, AT(junit), .arg = "FILE",
     .help = "Write the answers as a JUnit report: a test case for each benchmark."},
    SHARED_EXPORT_JSON(display, "Write the answer and every benchmark as JSON."),
    {.group = KEPT, .name = "export-html", .type = OPTION_FILE, .once = true, AT(display.export_file[EXPORT_TO_HTML]), .arg = "FILE",
     .help = "Write a page with the benchmarks of the first phase as a table and a chart."},
    {.group = KEPT, .name = "build-log", .type = OPTION_FILE, .once = true, AT(build_log), .arg = "FILE",
     .help = "Keep what both builds print."},
    SHARED_SAVE(save, "Write the record of each phase, row by row, for tare show and --merge.", "The format is in tare-record(5). "),
#include "common_options.def"
};
/* clang-format on */

const struct option_set gate_option_set = {items, sizeof items / sizeof *items, sizeof(struct gate_options)};

#define REFUSE(...) return err_set(err, TARE_INVALID, __VA_ARGS__)

/* Up to `end`. A star takes as little as does; where that was too little, the last one takes one character more. */
static bool glob_fits(const char *glob, const char *end, const char *name)
{
    const char *star = NULL, *taken = NULL;
    while (*name) {
        if (glob < end && *glob == '*') {
            star = glob++;
            taken = name;
        } else if (glob < end && (*glob == '?' || *glob == *name)) {
            glob++;
            name++;
        } else if (star) {
            glob = star + 1;
            name = ++taken;
        } else {
            return false;
        }
    }
    while (glob < end && *glob == '*')
        glob++;
    return glob == end;
}

bool gate_name_fits(const char *glob, const char *name)
{
    return glob_fits(glob, glob + strlen(glob), name);
}

static const struct option percent = {.name = "fail-if-slower", .type = OPTION_PERCENT, .arg = "P%", .min = 0.01, .max = 1e6};

/* "2%" or "GLOB=2%": the value follows the last equals sign. */
static enum tare_status read_limit(const char *given, double *limit, struct tare_err *err)
{
    const char *equals = strrchr(given, '=');
    enum tare_status status = option_value_set(&percent, equals ? equals + 1 : given, limit, NULL, err);
    if (status)
        err_prefix(err, "--fail-if-slower");
    return status;
}

bool gate_limit_fits(const char *given, const char *benchmark)
{
    const char *equals = strrchr(given, '=');
    return !equals || equals == given || glob_fits(given, equals, benchmark);
}

const char *gate_inputs_of(const char *given, const char *program)
{
    const char *equals = strchr(given, '=');
    return !equals ? given : glob_fits(given, equals, program) ? equals + 1 : NULL;
}

double gate_options_limit(const struct gate_options *o, const char *benchmark)
{
    double limit = 0.02, read;
    for (int i = 0; i < o->limits.n; i++)
        if (!read_limit(o->limits.items[i], &read, NULL) && gate_limit_fits(o->limits.items[i], benchmark))
            limit = read;
    return limit;
}

static bool ends_in_percent(const char *given)
{
    const char *percent_sign = strrchr(given, '%');
    return percent_sign && !percent_sign[1];
}

void gate_put_limits(const struct gate_options *o, const char *between, struct buf *b)
{
    for (int i = 0; i < o->limits.n; i++)
        buf_format(b, "%s%s%s", i ? between : "", o->limits.items[i], ends_in_percent(o->limits.items[i]) ? "" : "%");
    if (!o->limits.n)
        buf_str(b, "2%");
}

static enum tare_status check_limits(const struct gate_options *o, struct tare_err *err)
{
    double limit;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < o->limits.n && !status; i++)
        status = read_limit(o->limits.items[i], &limit, err);
    return status;
}

/* The record has a line for each. */
static enum tare_status check_lines(const struct gate_options *o, struct tare_err *err)
{
    const struct {
        const char *option;
        const struct option_list *list;
    } kept[] = {{"--bench", &o->programs},
                {"--carry", &o->carried},
                {"--fail-if-slower", &o->limits},
                {"--control", &o->controls},
                {"--accept", &o->accepted}};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        for (int k = 0; k < kept[i].list->n; k++)
            if (strchr(kept[i].list->items[k], '\n'))
                REFUSE("%s '%.200s' contains a line feed, and a record stores one per line", kept[i].option,
                       kept[i].list->items[k]);
    return TARE_OK;
}

static enum tare_status check_programs(const struct gate_options *o, struct tare_err *err)
{
    for (int i = 0; i < o->programs.n; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(o->programs.items[i], o->programs.items[k]))
                REFUSE("--bench %.200s is given twice", o->programs.items[i]);
    return TARE_OK;
}

/* After `--` stands one command, measured as by tare run. */
static enum tare_status take_command(struct gate_options *o, const struct option_operands *operands, struct tare_err *err)
{
    if (o->merge || !operands->n)
        return TARE_OK;
    if (operands->after > 0)
        REFUSE("unexpected argument '%.60s'; benchmark programs are named with --bench, a command follows --",
               operands->items[0]);
    if (o->programs.n || o->filters.n || o->excluded.n || o->metric || option_given(&gate_option_set, o, offsetof(T, harness)))
        REFUSE(
            "a command after -- is measured alone, by its wall time; omit --bench, --filter, --exclude, --metric and --harness");
    o->command = (struct option_list){operands->items, operands->n};
    return TARE_OK;
}

enum tare_status gate_options_check(struct gate_options *o, const struct option_operands *operands, struct tare_err *err)
{
    if (o->merge && !operands->n)
        REFUSE("--merge needs the records; as in: tare gate --merge a.jsonl b.jsonl");
    if (o->merge && (o->save || o->qualify || o->dry_run))
        REFUSE("--merge measures nothing, so --save, --qualify and --dry-run have no meaning; omit them");
    if (o->merge &&
        (o->base_revision || o->head_revision || o->carried.n || o->inputs.n || o->filters.n || o->excluded.n || o->metric))
        REFUSE("--merge uses all that its records measured, so --base, --head, --carry, --inputs, --filter, --exclude and "
               "--metric have no meaning; omit them");
    enum tare_status status = take_command(o, operands, err);
    if (status)
        return status;
    if (!o->merge && !o->programs.n && !o->command.n)
        REFUSE("no benchmark program given, and no command after --; as in: tare gate --build make --bench ./bench, or "
               "tare gate --build make -- ./prog input.txt");
    if (!o->merge && !o->build)
        REFUSE("no build command given; as in: tare gate --build 'cmake --build build' --bench build/bench");
    status = check_limits(o, err);
    if (!status)
        status = check_lines(o, err);
    if (!status)
        status = check_programs(o, err);
    if (!status)
        status = display_options_check(&o->display, o->save, err);
    o->display.stdout_taken |= display_is_stdout(o->comment) || display_is_stdout(o->junit) || display_is_stdout(o->build_log);
    return status;
}

/* Read as the shell does; "it's" opens none. */
static bool leaves_quote_open(const char *text, size_t n)
{
    char mark = 0;
    for (size_t i = 0; i < n && strchr("'\"", *text); i++) {
        if (text[i] == '\\' && mark != '\'')
            i++;
        else if (!mark && strchr("'\"", text[i]))
            mark = text[i];
        else if (text[i] == mark)
            mark = 0;
    }
    return mark;
}

/* Without quotes around it; those of "a b" "c" are the shell's. */
static const char *value_of(struct arena *a, const char *text, size_t n)
{
    const bool quoted = n > 1 && (*text == '\'' || *text == '"') && memchr(text + 1, *text, n - 1) == text + n - 1;
    return arena_copy(a, text + quoted, n - 2 * (size_t)quoted);
}

static const struct option *named_at(const char *word)
{
    char name[64];
    buf_print(name, sizeof name, "%.*s", (int)strcspn(word, " \t\r\n="), word);
    return option_named(&gate_option_set, name);
}

/* "a --accept b" as the value of an option with its full name; NULL: there is none within. Commands of a shell, and what a variable holds for others,
 * may have options of these names. */
static const struct option *option_within(const char *line, size_t start, size_t length)
{
    const struct option *of = named_at(line + strspn(line, "-"));
    bool any = !of || (!strcmp(of->name, "build") || !strcmp(of->name, "env"));
    for (size_t i = start; i + 2 < length && !any; i++)
        if (strchr(" \t", line[i]) && !strncmp(line + i + 1, "--", 2) && named_at(line + i + 3))
            return named_at(line + i + 3);
    return NULL;
}

/* "--build cmake --build build" is two words, "--dry-run" one, "--build=make" too. */
static enum tare_status add_line(const char **words, int *n, const char *line, size_t length, int number, struct arena *a,
                                 struct tare_err *err)
{
    while (length && strchr(" \t\r", line[length - 1]))
        length--;
    const size_t name = strcspn(line, " \t\r\n="), start = name + (line[name] == '=' ? 1 : strspn(line + name, " \t"));
    const char *value = start < length ? value_of(a, line + start, length - start) : "";
    if (start < length && leaves_quote_open(line + start, length - start))
        return err_set(err, TARE_INVALID, "line %d: a quotation mark is not closed", number);
    const struct option *within = option_within(line, start, length);
    if (within)
        return err_set(err, TARE_INVALID, "line %d: --%s is within the value of %.*s; each option needs a line of its own",
                       number, within->name, (int)name, line);
    const bool joined = line[name] == '=';
    const char *word = !value ? NULL : joined ? arena_format(a, "%.*s=%s", (int)name, line, value) : arena_copy(a, line, name);
    if (!word)
        return err_no_memory(err);
    words[(*n)++] = word;
    if (!joined && start < length)
        words[(*n)++] = value;
    return TARE_OK;
}

/* Each line is an option with its value, of which none is the next line's. */
static enum tare_status check_line(char *const *words, int n, int number, struct arena *a, struct tare_err *err)
{
    struct gate_options o;
    struct option_operands operands;
    option_defaults(&gate_option_set, &o);
    enum tare_status status = option_parse(&gate_option_set, &o, n, words, &operands, a, err);
    if (!status && (operands.n || operands.dashes))
        status = err_set(err, TARE_INVALID, "%s is not an option of tare gate; its options begin with --",
                         operands.n ? operands.items[0] : "--");
    if (!status && (o.base.help || o.base.version || o.dry_run || o.merge || o.qualify))
        status = err_set(err, TARE_INVALID, "--help, --version, --dry-run, --merge and --qualify belong on the command line");
    if (status == TARE_INVALID) {
        const struct tare_err before = *err;
        err_set(err, status, "line %d: %s", number, before.text);
    }
    return status;
}

enum tare_status gate_file_words(const char *text, const char ***words, int *n, struct arena *a, struct tare_err *err)
{
    size_t lines = 1;
    int number = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    *words = arena_array(a, 2 * lines + 1, sizeof **words);
    *n = 0;
    enum tare_status status = *words ? TARE_OK : err_no_memory(err);
    for (const char *line = text; !status && *line; line += strcspn(line, "\n"), line += *line == '\n', number++) {
        const int before = *n;
        line += strspn(line, " \t\r");
        if (*line && !strchr("#\n", *line))
            status = add_line(*words, n, line, strcspn(line, "\n"), number, a, err);
        if (!status && *n > before)
            status = check_line((char *const *)(void *)(*words + before), *n - before, number, a, err);
    }
    return status;
}

/* Of the command line alone: .tare/gate is for every gate. */
static enum tare_status check_line_given(void *options, const struct option_operands *operands, struct arena *a,
                                         struct tare_err *err)
{
    const struct gate_options *o = options;
    (void)operands, (void)a;
    bool page = o->comment || o->junit || o->summary || o->annotate;
    for (int i = 0; i < N_EXPORTS; i++)
        page |= i != EXPORT_TO_HTML && o->display.export_file[i];
    if (o->qualify && page)
        REFUSE("--qualify says what gates on this machine are worth, and --comment, --summary, --annotate and exports but HTML "
               "have the answer of a single gate; omit them");
    return TARE_OK;
}

static const struct example examples[] = {
    {"tare gate --build 'make bench' --bench ./bench", "is HEAD slower than the commit where it left main?"},
    {"tare gate --build 'go test -c -o x.test ./sum' --bench x.test --base v1.2", "the same of a Go package, against a tag"},
    {"tare gate --build make -- ./prog input.txt", "the same of a command, by its wall time"},
    {"tare gate --merge a.jsonl b.jsonl", "one answer from the records of two machines"},
};

const struct command command_gate = {
    .name = "gate",
    .group = "measure",
    .summary = "tell whether a change makes benchmarks slower",
    .synopsis = (const char *const[]){"[OPTION...] --build CMD --bench PROGRAM...", "[OPTION...] --build CMD -- PROG [ARG...]",
                                      "[OPTION...] --merge FILE...", NULL},
    .description =
        "Builds two revisions of a repository, measures the benchmarks of both in interleaved rounds, measures what looks slower "
        "again, and answers PASS (exit code 0), FAIL (1) or CANNOT TELL (3). If a build or a benchmark fails, the answer is NO "
        "RESULT (5). "
        "Options can stand in the file .tare/gate at the top of the repository, one a line.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .options = {items, sizeof items / sizeof *items, sizeof(struct gate_options)},
    .check = check_line_given,
    .operands = SUGGEST_FILES,
};
