/* SPDX-License-Identifier: MIT
 *
 * What may be compared, and why not (comparable.h). Two sessions: the machine by stable facts alone (never frequency, free memory, load), the build by
 * its rule and not by its result (a new version of a program is what is compared), the benchmark by its text and hooks.
 * A fact that one side does not know is no difference.
 */
#include "comparable.h"
#include "arcs.h"
#include "record_fields.h"
#include "record_kind.h"
#include "same_text.h"
#include "verdict.h"
#include <string.h>

static const char *const machine_keys[] = {
    "host_name", "machine_maker", "machine_product", "virtual_machine", "hypervisor", "architecture",
    "os",        "cpu_vendor",    "cpu_brand",       "cpu_family",      "cpu_model",  "cpu_stepping",
    "packages",  "cores",         "cpus_online",     "l1d_bytes",       "l2_bytes",   "l3_bytes",
    NULL};

/* A kernel reports less than there is, by what it keeps for itself, and that differs between versions. */
static const double MEMORY_ALIKE = 0.05;

static const char *const build_keys[] = {"compiler", "compiler_flags", "library_build_type", "python_version", NULL};

static const char *const kernel_keys[] = {"kernel", "cpu_microcode", NULL};

static const char *const condition_keys[] = {"governor",
                                             "intel_no_turbo",
                                             "cpufreq_boost",
                                             "cpus_allowed",
                                             "cpu_quota_cpus",
                                             "smt_active",
                                             "isolated_cpus",
                                             "clocksource",
                                             "transparent_hugepages",
                                             "address_randomisation",
                                             "options",
                                             "frequency_scaling",
                                             "tune_knobs",
                                             NULL};

static bool fact_known(const struct fact *f)
{
    return f && (f->text || !isnan(f->number));
}

static bool same_fact(const struct fact *a, const struct fact *b)
{
    if (a->text && b->text)
        return !strcmp(a->text, b->text);
    return !a->text && !b->text && a->number == b->number;
}

void comparable_put_fact(const struct fact *f, struct buf *out)
{
    if (f->text)
        buf_format(out, "'%.80s'", f->text);
    else
        buf_format(out, "%g", f->number);
}

/* Between two entries, and after an introduction that ends in a blank nothing. */
static void begin_text(struct buf *out)
{
    if (out->len && out->data[out->len - 1] != ' ')
        buf_str(out, "; ");
}

static void list_fact(const struct fact *x, const struct fact *y, struct buf *out)
{
    if (!fact_known(x) || !fact_known(y) || same_fact(x, y))
        return;
    begin_text(out);
    buf_format(out, "%s ", x->key);
    comparable_put_fact(x, out);
    buf_str(out, " and ");
    comparable_put_fact(y, out);
}

static void list_facts(const struct facts *a, const struct facts *b, const char *const *keys, struct buf *out)
{
    for (; *keys; keys++)
        list_fact(facts_find(a, *keys), facts_find(b, *keys), out);
}

bool comparable_machine_known(const struct record *first, const struct record *second)
{
    for (const char *const *key = machine_keys; *key; key++)
        if ((!strcmp(*key, "cpu_brand") || !strcmp(*key, "cpu_model") || !strcmp(*key, "host_name")) &&
            fact_known(facts_find(&first->machine, *key)) && fact_known(facts_find(&second->machine, *key)))
            return true;
    return false;
}

void comparable_conditions(const struct record *first, const struct record *second, struct buf *out)
{
    list_facts(&first->machine, &second->machine, kernel_keys, out);
    list_facts(&first->before, &second->before, condition_keys, out);
}

static const char memory[] = "memory_bytes";

bool comparable_alike(const struct fact *a, const struct fact *b)
{
    return same_fact(a, b) ||
           (!strcmp(a->key, memory) && fabs(a->number - b->number) <= MEMORY_ALIKE * fmax(a->number, b->number));
}

void comparable_machines(const struct record *first, const struct record *second, struct buf *out)
{
    const struct fact *a = facts_find(&first->machine, memory), *b = facts_find(&second->machine, memory);
    list_facts(&first->machine, &second->machine, machine_keys, out);
    if (fact_known(a) && fact_known(b) && !comparable_alike(a, b))
        list_fact(a, b, out);
}

enum {
    MACHINE_KEYS = sizeof machine_keys / sizeof *machine_keys - 1,
    KERNEL_KEYS = sizeof kernel_keys / sizeof *kernel_keys - 1
};

const char *comparable_key(int key)
{
    return key < MACHINE_KEYS                  ? machine_keys[key]
           : key == MACHINE_KEYS               ? memory
           : key <= MACHINE_KEYS + KERNEL_KEYS ? kernel_keys[key - MACHINE_KEYS - 1]
                                               : condition_keys[key - MACHINE_KEYS - KERNEL_KEYS - 1];
}

const struct fact *comparable_fact(const struct record *r, int key)
{
    const struct fact *f = facts_find(key <= MACHINE_KEYS + KERNEL_KEYS ? &r->machine : &r->before, comparable_key(key));
    return fact_known(f) ? f : NULL;
}

static const char of_interpreter[] = "interpreter_";

/* Of the program of a subject from 1 on, or of what runs it, or of the library: 0. */
static const struct fact *fact_of(const struct record *r, int number, const char *part, const char *what)
{
    char key[64];
    struct buf b = buf_over(key, sizeof key);
    if (number)
        buf_format(&b, "program_%d_%s%s", number, part, what);
    else
        buf_format(&b, "library_%s", what);
    return facts_find(&r->build, buf_text(&b));
}

static const char *hash_of(const struct record *r, int number, const char *part)
{
    const struct fact *f = fact_of(r, number, part, "fnv1a64");
    return f ? f->text : NULL;
}

static bool other_scripts(const struct record *first, int number, const struct record *second, int other)
{
    bool differ = false;
    for (int i = 0; i < SCRIPTS_MOST; i++) {
        char part[SCRIPT_PART_BYTES];
        record_script_part(i, part);
        const char *one = hash_of(first, number, part), *two = hash_of(second, other, part);
        differ |= one && two && strcmp(one, two) != 0;
    }
    return differ;
}

/* The content by its hash where both have one, else by size and date. */
static void list_file(const struct record *first, const struct record *second, int number, const char *part, struct buf *out)
{
    static const char *const all[] = {"fnv1a64", "bytes", "modified"};
    const bool hashed = hash_of(first, number, part) && hash_of(second, number, part);
    for (int k = !hashed; k < (hashed ? 1 : 3); k++)
        list_fact(fact_of(first, number, part, all[k]), fact_of(second, number, part, all[k]), out);
}

void comparable_programs(const struct record *first, const struct record *second, struct buf *out)
{
    for (int i = 1; i <= first->n_subjects; i++) {
        list_file(first, second, i, "", out);
        list_file(first, second, i, of_interpreter, out);
        for (int k = 0; k < SCRIPTS_MOST; k++) {
            char part[SCRIPT_PART_BYTES];
            list_file(first, second, i, record_script_part(k, part), out);
        }
    }
    list_facts(&first->build, &second->build, build_keys, out);
}

static void list_text(const char *what, const char *a, const char *b, struct buf *out)
{
    if (same_text(a, b))
        return;
    begin_text(out);
    buf_format(out, "%s '%.80s' and '%.80s'", what, a ? a : "none", b ? b : "none");
}

static void list_parameters(const struct subject *a, const struct subject *b, struct buf *out)
{
    for (int i = 0; i < a->n_parameters; i++)
        list_text(a->parameters[i].name, a->parameters[i].value, subject_parameter(b, a->parameters[i].name), out);
    for (int i = 0; i < b->n_parameters; i++)
        if (!subject_parameter(a, b->parameters[i].name))
            list_text(b->parameters[i].name, NULL, b->parameters[i].value, out);
}

static void put_words(struct buf *out, const char *const *words)
{
    buf_char(out, '\'');
    for (int i = 0; words[i]; i++)
        buf_format(out, "%s%.80s", i ? " " : "", words[i]);
    buf_char(out, '\'');
}

/* Of traced programs the words behind the program: where it lies says which build it is, and builds are what is compared. */
static bool are_traced(const struct subject *a, const struct subject *b)
{
    return a->kind == SUBJECT_TRACE && b->kind == SUBJECT_TRACE && a->argv && a->argv[0] && b->argv && b->argv[0];
}

static bool same_argv(const char *const *a, const char *const *b)
{
    if (!a || !b)
        return a == b;
    for (; *a && *b; a++, b++)
        if (strcmp(*a, *b) != 0)
            return false;
    return !*a && !*b;
}

/* All of "N=100 ./prog", which says how much work there is before it names the program. */
static const char *arguments_of(const char *command)
{
    const size_t n = strcspn(command, " ");
    return memchr(command, '=', n) ? command : command + n;
}

/* Of commands likewise: './old 100' and './new 100' are two programs at the same work. */
static bool same_arguments(const struct subject *a, const struct subject *b)
{
    return a->kind == SUBJECT_COMMAND && b->kind == SUBJECT_COMMAND && a->command && b->command &&
           !strcmp(arguments_of(a->command), arguments_of(b->command));
}

static void list_command(const struct subject *a, const struct subject *b, struct buf *out)
{
    if (same_arguments(a, b))
        return;
    if (!are_traced(a, b)) {
        list_text("command", a->command, b->command, out);
        return;
    }
    if (same_argv(a->argv + 1, b->argv + 1))
        return;
    begin_text(out);
    buf_str(out, "arguments ");
    put_words(out, a->argv + 1);
    buf_str(out, " and ");
    put_words(out, b->argv + 1);
}

bool comparable_one_code(const struct record *first, int a, const struct record *second, int b)
{
    const struct subject *x = &first->subjects[a], *y = &second->subjects[b];
    const char *one = hash_of(first, a + 1, ""), *other = hash_of(second, b + 1, "");
    return one && other && !strcmp(one, other) && are_traced(x, y) && same_argv(x->argv + 1, y->argv + 1);
}

/* All words but the last, which is the command. */
static bool same_shell(const char *const *a, const char *const *b)
{
    for (; a[0] && a[1] && b[0] && b[1]; a++, b++)
        if (strcmp(*a, *b) != 0)
            return false;
    return (!a[0] || !a[1]) && (!b[0] || !b[1]);
}

/* Hooks are in our own records alone. */
static void list_hooks(const struct subject *a, const struct subject *b, struct buf *out)
{
    list_text("setup", a->setup, b->setup, out);
    list_text("prepare", a->prepare, b->prepare, out);
    list_text("conclude", a->conclude, b->conclude, out);
    if (a->shell != b->shell) {
        begin_text(out);
        buf_format(out, "the %s goes through a shell", a->shell ? "first" : "second");
    } else if (a->shell && a->argv && b->argv && !same_shell(a->argv, b->argv)) {
        begin_text(out);
        buf_str(out, "executed as ");
        put_words(out, a->argv);
        buf_str(out, " and ");
        put_words(out, b->argv);
    }
}

/* Of the options around the commands, as words of a shell, what follows --input, which is the first; its length in *n. */
static const char *input_of(const struct fact *options, int *n)
{
    static const char name[] = "--input ";
    const bool given = !strncmp(options->text, name, sizeof name - 1);
    const char *value = given ? options->text + sizeof name - 1 : "null";
    bool quoted = false;
    for (*n = 0; value[*n] && (quoted || value[*n] != ' '); ++*n)
        if (!quoted && value[*n] == '\\' && value[*n + 1])
            ++*n;
        else
            quoted ^= value[*n] == '\'';
    return value;
}

/* Who reads something else does other work. */
static void list_input(const struct facts *first, const struct facts *second, struct buf *out)
{
    const struct fact *x = facts_find(first, "options"), *y = facts_find(second, "options");
    int n, m;
    if (!x || !x->text || !y || !y->text)
        return;
    const char *a = input_of(x, &n), *b = input_of(y, &m);
    if (n == m && !strncmp(a, b, (size_t)n))
        return;
    begin_text(out);
    buf_format(out, "--input %.*s and %.*s", n, a, m, b);
}

static void list_metric(const struct metric *a, const struct metric *b, const char *id, struct buf *out)
{
    if ((!a || !b) && !strcmp(id, ARCS_METRIC)) {
        begin_text(out);
        buf_str(out, "a SAMPLER file has no times of its runs; trace the programs with tare trace");
        return;
    }
    if (!a || !b) {
        begin_text(out);
        buf_format(out, "metric %s is missing in the %s", id, a ? "second" : "first");
        return;
    }
    list_text("unit", a->unit, b->unit, out);
    list_text("kind", metric_kind_name(a->kind), metric_kind_name(b->kind), out);
    list_text("better direction", words_name(&metric_direction_words, (int)a->direction),
              words_name(&metric_direction_words, (int)b->direction), out);
    if (a->definition && b->definition)
        list_text(id, a->definition, b->definition, out);
}

/* Another tool's file may name two commands alike, and then nothing but their order says which is which. */
static void list_repeated(const struct record *r, int subject, const char *which, struct buf *out)
{
    const struct subject *s = &r->subjects[subject];
    int alike = 0;
    for (int i = 0; record_source(r) && i < r->n_subjects; i++) {
        struct buf differences = BUF_INIT(1 << 16);
        if (!same_text(s->command, r->subjects[i].command))
            continue;
        list_parameters(s, &r->subjects[i], &differences);
        alike += !differences.len;
        buf_finish(&differences);
    }
    if (alike < 2)
        return;
    begin_text(out);
    buf_format(out, "the %s has %d results of this name", which, alike);
}

/* A first call, a peak of memory and the time in the long run are three quantities of one benchmark. */
static void list_profile(const struct record *first, int a, const struct record *second, int b, struct buf *out)
{
    if (first->subjects[a].kind == SUBJECT_BENCH && second->subjects[b].kind == SUBJECT_BENCH)
        list_text("--profile", words_name(&profile_words, (int)first->rule.profile),
                  words_name(&profile_words, (int)second->rule.profile), out);
}

/* By its version a benchmark says that it measures something else from now on. */
static void list_version(const struct subject *x, const struct subject *y, struct buf *out)
{
    if (x->kind == SUBJECT_BENCH && y->kind == SUBJECT_BENCH && same_text(x->benchmark, y->benchmark))
        list_text("benchmark version", x->version, y->version, out);
}

static const struct metric *measured(const struct record *r, int subject, const char *id)
{
    return series_column(&r->series[subject], id) >= 0 ? record_metric(r, id) : NULL;
}

bool metric_in_another_unit(const struct record *first, const struct record *second, const char *metric)
{
    const struct metric *a = record_metric(first, metric), *b = record_metric(second, metric);
    return a && b && strcmp(a->unit, b->unit) != 0;
}

void comparable_differences(const struct record *first, int a, const struct record *second, int b, const char *metric,
                            struct buf *out)
{
    const struct subject *x = &first->subjects[a], *y = &second->subjects[b];
    comparable_machines(first, second, out);
    list_facts(&first->build, &second->build, build_keys, out);
    list_metric(measured(first, a, metric), measured(second, b, metric), metric, out);
    list_profile(first, a, second, b, out);
    list_version(x, y, out);
    list_command(x, y, out);
    list_parameters(x, y, out);
    list_repeated(first, a, "first", out);
    list_repeated(second, b, "second", out);
    if (record_source(first) || record_source(second))
        return;
    list_hooks(x, y, out);
    list_input(&first->before, &second->before, out);
}

static int find_command(const struct record *r, const char *name)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_compared(&r->subjects[i]) && !strcmp(r->subjects[i].name, name))
            return i;
    return -1;
}

/* The only command or traced program; -1: there is none, or several. */
static int only_program(const struct record *r)
{
    int found = -1;
    for (int i = 0; i < r->n_subjects; i++)
        if (subject_compared(&r->subjects[i])) {
            if (found >= 0)
                return -1;
            found = i;
        }
    return found;
}

int stored_partner(const struct record *r, int subject, const struct record *other)
{
    const struct subject *s = &r->subjects[subject];
    const int same = subject_compared(s) ? find_command(other, s->name) : -1, only = same < 0 ? only_program(other) : -1;
    if (only < 0 || only_program(r) != subject)
        return same;
    const struct subject *there = &other->subjects[only];
    return are_traced(s, there) || same_arguments(s, there) ? only : -1;
}

int planned_partner(const struct record *r, int subject, const struct record *other)
{
    const struct subject *s = &r->subjects[subject];
    if (s->kind == SUBJECT_BENCH && !s->anchor)
        return find_command(other, s->name);
    return subject_compared(s) && subject < other->n_subjects && other->subjects[subject].kind == s->kind ? subject : -1;
}

/* A pinned copy may lie elsewhere: its file is what it is, and its arguments. */
static bool same_anchor(const struct record *first, int a, const struct record *second, int b)
{
    if (other_scripts(first, a + 1, second, b + 1))
        return false;
    const struct subject *x = &first->subjects[a], *y = &second->subjects[b];
    const char *one = hash_of(first, a + 1, ""), *other = hash_of(second, b + 1, "");
    if (x->kind != y->kind || x->shell != y->shell || !one || !other || x->shell)
        return x->kind == y->kind &&
               same_text(x->kind == SUBJECT_BENCH ? x->program : x->command,
                         y->kind == SUBJECT_BENCH ? y->program : y->command) &&
               (!one || !other || !strcmp(one, other));
    return !strcmp(one, other) && (x->kind == SUBJECT_BENCH || same_arguments(x, y));
}

void comparable_anchors(const struct record *first, const struct record *second, struct buf *out)
{
    const int a = record_first_anchor(first), b = record_first_anchor(second);
    if (a < 0 || b < 0 || same_anchor(first, a, second, b))
        return;
    begin_text(out);
    buf_char(out, '\'');
    record_put_anchor(first, out);
    buf_str(out, "' and '");
    record_put_anchor(second, out);
    buf_char(out, '\'');
}

static const char *outputs_differ(struct record *r, int subject, int n)
{
    const struct series *s = &r->series[subject];
    int one, other;
    if (!record_outputs_differ(s, n, &one, &other))
        return NULL;
    struct buf b = BUF_INIT(1 << 16);
    const double *hash = series_values(s, OUTPUT_COLUMN);
    if (isnan(hash[one]) || isnan(hash[other]))
        buf_format(&b, "standard output of '%s' is more than is kept, so that it cannot be compared", r->subjects[subject].name);
    else
        buf_format(&b, "standard output of '%s' differs between its runs %d and %d", r->subjects[subject].name,
                   s->main.round[one] + 1, s->main.round[other] + 1);
    return keep_reason(&r->arena, &b);
}

/* An exit code, 128 + N for signal N. A crash is no other way to say what a code says. */
static bool failed(double exit)
{
    return exit != 0;
}

static bool killed(double exit)
{
    return (exit > 128 && exit <= 128 + 64) || exit < -256; /* 255 is a code of many programs; an exception of Windows is below */
}

static bool paired_outcomes_differ(const struct series *a, const struct series *b, int n, bool (*is)(double exit))
{
    const double *x = series_values(a, "exit"), *y = series_values(b, "exit");
    for (int i = 0; x && y && i < n; i++)
        if (is(x[i]) != is(y[i]))
            return true;
    return false;
}

bool outcomes_differ(const struct series *a, const struct series *b, int n)
{
    return paired_outcomes_differ(a, b, n, failed) || paired_outcomes_differ(a, b, n, killed);
}

/* No round ties them together: all must have ended alike. */
static bool unpaired_outcomes_differ(const struct series *a, int n, const struct series *b, int m, bool (*is)(double exit))
{
    const double *x = series_values(a, "exit"), *y = series_values(b, "exit");
    for (int i = 0; x && y && i < n; i++)
        if (is(x[i]) != is(x[0]))
            return true;
    for (int i = 0; x && y && n && i < m; i++)
        if (is(y[i]) != is(x[0]))
            return true;
    return false;
}

static int failed_runs(const struct series *s, int n)
{
    const double *x = series_values(s, "exit");
    int found = 0;
    for (int i = 0; x && i < n; i++)
        found += failed(x[i]);
    return found;
}

static const char *failed_alone(struct record *r, int reference, int n, int subject, int m)
{
    const char *runs = r->subjects[subject].kind == SUBJECT_COMMAND ? "runs" : "processes";
    const int one = failed_runs(&r->series[reference], n), other = failed_runs(&r->series[subject], m);
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "%s: '%s' in %d of %d %s, '%s' in %d of %d",
               one && other ? "they did not fail alike" : "one failed where the other did not", r->subjects[reference].name, one,
               n, runs, r->subjects[subject].name, other, m);
    return keep_reason(&r->arena, &b);
}

/* Files of others may have no exit codes: then what failed on one side may not have on the other. */
static bool failed_against_unknown(const struct series *a, int n, const struct series *b, int m)
{
    const double *x = series_values(a, "exit"), *y = series_values(b, "exit");
    if (!x == !y || !n || !m)
        return false;
    for (int i = 0; i < (x ? n : m); i++)
        if (failed((x ? x : y)[i]))
            return true;
    return false;
}

static const char *given_up(struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject];
    if (!s->failure)
        return NULL;
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "'%s' was given up: %s", s->name, s->failure);
    return keep_reason(&r->arena, &b);
}

static const char *program_changed(struct record *r, int subject)
{
    struct buf b = BUF_INIT(1 << 16);
    buf_format(&b, "the program file of '%s' ", r->subjects[subject].name);
    if (record_other_program(&r->series[subject], &b))
        return keep_reason(&r->arena, &b);
    buf_finish(&b);
    return NULL;
}

/* How many of the processes reported times by a clock of their own. */
static int by_own_clock(const struct record *r, int subject, int n)
{
    const struct metric *metric = record_metric(r, r->rule.metric);
    int own = 0;
    for (int i = 0; metric && metric->kind == METRIC_TIME && i < n; i++)
        own += series_has_own_clock(&r->series[subject], i);
    return own;
}

static const char *other_version(struct record *r, int reference, int subject)
{
    struct buf b = BUF_INIT(1 << 12);
    list_version(&r->subjects[reference], &r->subjects[subject], &b);
    return b.len ? keep_reason(&r->arena, &b) : NULL;
}

const char *other_work(struct record *r, int reference, int subject, int rounds)
{
    const struct series *a = &r->series[reference], *b = &r->series[subject];
    const char *failure = given_up(r, subject);
    if (!failure)
        failure = given_up(r, reference);
    if (!failure)
        failure = other_version(r, reference, subject);
    if (failure)
        return failure;
    const int n = rounds ? rounds : record_rounds(r, &reference, 1), m = rounds ? rounds : record_rounds(r, &subject, 1);
    if (rounds ? paired_outcomes_differ(a, b, rounds, failed) : unpaired_outcomes_differ(a, n, b, m, failed))
        return failed_alone(r, reference, n, subject, m);
    if (failed_against_unknown(a, n, b, m))
        return "one command failed, and whether the other did is not known";
    if (rounds ? paired_outcomes_differ(a, b, rounds, killed) : unpaired_outcomes_differ(a, n, b, m, killed))
        return "one command was ended by a signal where the other failed by itself";
    const int own = by_own_clock(r, reference, n), others = by_own_clock(r, subject, m);
    if ((own && own < n) || (others && others < m) || !own != !others)
        return "one reports its times itself (manual time), the other is timed";
    const char *changed = program_changed(r, reference);
    if (!changed)
        changed = program_changed(r, subject);
    if (changed)
        return changed;
    const char *outputs = outputs_differ(r, reference, n);
    return outputs ? outputs : outputs_differ(r, subject, m);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_rule(const struct rule *a, const struct rule *b)
{
    return a->method == b->method && same_text(a->metric, b->metric) && a->confidence == b->confidence &&
           a->precision == b->precision && a->margin == b->margin && same_text(a->margin_unit, b->margin_unit) &&
           a->interleaved == b->interleaved && same_number(a->fail_if_slower, b->fail_if_slower) && a->on_dirty == b->on_dirty &&
           a->reference == b->reference;
}

/* What one measures under a name is what the other does. */
static bool same_metrics(const struct record *a, const struct record *b)
{
    for (int i = 0; i < a->n_metrics; i++) {
        const struct metric *x = &a->metrics[i], *y = record_metric(b, x->id);
        if (y && (x->direction != y->direction || !same_text(x->unit, y->unit) ||
                  (x->definition && y->definition && strcmp(x->definition, y->definition) != 0)))
            return false;
    }
    return true;
}

/* What was given around the commands; a record that does not have it goes with any. */
static bool same_options(const struct record *a, const struct record *b)
{
    const struct fact *x = facts_find(&a->before, "options"), *y = facts_find(&b->before, "options");
    return !x || !y || same_text(x->text, y->text);
}

static bool same_leaks(const struct rule_leaks *a, const struct rule_leaks *b)
{
    return same_text(a->kind, b->kind) && same_text(a->cache, b->cache) && a->alpha == b->alpha && a->advantage == b->advantage &&
           a->exact == b->exact && a->noise == b->noise && a->dit == b->dit && a->selfcheck == b->selfcheck &&
           a->max_calls == b->max_calls && (a->repeat > 1 ? a->repeat : 1) == (b->repeat > 1 ? b->repeat : 1) &&
           same_text(a->clock, b->clock);
}

static bool of_a_plan(const struct subject *s)
{
    return s->kind == SUBJECT_COMMAND || s->kind == SUBJECT_LEAK;
}

static bool same_command(const struct subject *a, const struct subject *b)
{
    return a->kind == b->kind && same_text(a->name, b->name) && same_argv(a->argv, b->argv) && same_text(a->setup, b->setup) &&
           same_text(a->prepare, b->prepare) && same_text(a->conclude, b->conclude) && same_text(a->cleanup, b->cleanup);
}

/* The commands come first; what tare measures besides (the empty program) lies elsewhere from one session to the next. */
static bool of_one_plan(const struct record *a, const struct record *b)
{
    int i = 0;
    while (i < a->n_subjects && i < b->n_subjects && of_a_plan(&a->subjects[i]) && same_command(&a->subjects[i], &b->subjects[i]))
        i++;
    bool all_a = i == a->n_subjects || !of_a_plan(&a->subjects[i]);
    bool all_b = i == b->n_subjects || !of_a_plan(&b->subjects[i]);
    const bool benchmarks = record_kind(a)->processes && record_kind(b)->processes;
    return (i > 0 || benchmarks) && all_a && all_b && same_rule(&a->rule, &b->rule) && same_metrics(a, b) && same_options(a, b) &&
           same_leaks(&a->rule.leaks, &b->rule.leaks);
}

/* A file that is too large to be read has a size all the same. Dates say nothing: the same program may be installed anew. */
static bool other_file(const struct record *a, const struct record *b, int number, const char *part)
{
    const char *one = hash_of(a, number, part), *other = hash_of(b, number, part);
    if (one && other)
        return strcmp(one, other) != 0;
    const struct fact *x = fact_of(a, number, part, "bytes"), *y = fact_of(b, number, part, "bytes");
    return x && y && x->number != y->number;
}

/* The name of the first program, or the library, whose file was another in `b`, by hashes and sizes; NULL: none is known to be. Programs that a
 * hook or a revision may make anew are not looked at. */
static const char *sessions_other_file(const struct record *a, const struct record *b)
{
    const struct fact *library = fact_of(a, 0, "", "path");
    if (library) /* the program that calls it is ours */
        return !other_file(a, b, 0, "") ? NULL : library->text ? library->text : "the library";
    if (facts_find(&a->build, "revision_1_hash"))
        return NULL;
    for (int i = 0; i < a->n_subjects && a->subjects[i].kind == SUBJECT_BENCH; i++)
        if (other_file(a, b, i + 1, "")) /* i: of a program, and there are no more of those than of benchmarks */
            return a->subjects[i].program;
    for (int i = 0; i < a->n_subjects && of_a_plan(&a->subjects[i]); i++)
        if (!a->subjects[i].setup && !a->subjects[i].prepare &&
            (other_file(a, b, i + 1, "") || other_file(a, b, i + 1, of_interpreter) || other_scripts(a, i + 1, b, i + 1)))
            return a->subjects[i].program ? a->subjects[i].program : a->subjects[i].argv[0];
    return NULL;
}

/* One of the same name that is measured in another way, as by another --profile. What one session alone has is no difference: it failed there. */
static bool other_benchmarks(const struct record *first, const struct record *next)
{
    struct buf differences = BUF_INIT(1 << 16);
    for (int i = 0; i < first->n_subjects && record_kind(first)->processes; i++) {
        const int partner = planned_partner(first, i, next);
        if (partner >= 0)
            comparable_differences(first, i, next, partner, first->rule.metric, &differences);
    }
    const bool any = differences.len > 0;
    buf_finish(&differences);
    return any;
}

static bool work_differs(const struct record *first, const struct record *next, const struct buf *machines, struct buf *how)
{
    const size_t before = how->len;
    const char *file = sessions_other_file(first, next);
    if (!of_one_plan(first, next) || other_benchmarks(first, next))
        buf_str(how, "is of other commands, hooks, options or another rule");
    else if (machines && machines->len)
        buf_format(how, "is of another machine (%.200s)", buf_text(machines));
    else if (file)
        buf_format(how, "is of another program file (%.200s)", file);
    return how->len > before;
}

bool sessions_differ_in_work(const struct record *first, const struct record *next, struct buf *how)
{
    return work_differs(first, next, NULL, how);
}

bool sessions_differ(const struct record *first, const struct record *next, struct buf *how)
{
    struct buf machines = BUF_INIT(1 << 16);
    comparable_machines(first, next, &machines);
    const bool differ = work_differs(first, next, &machines, how);
    buf_finish(&machines);
    return differ;
}
