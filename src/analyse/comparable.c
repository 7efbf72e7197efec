/* SPDX-License-Identifier: MIT
 *
 * May two stored benchmarks be compared at all? The machine by stable facts alone (never frequency, free memory, load), the build by
 * its rule and not by its result (a new version of a program is what is compared), the benchmark by its text and hooks.
 * A fact that one side does not know is no difference.
 */
#include "analyse_stored.h"
#include "same_text.h"
#include <string.h>

static const char *const machine_keys[] = {"host_name",
                                           "machine_maker",
                                           "machine_product",
                                           "virtual_machine",
                                           "hypervisor",
                                           "architecture",
                                           "os",
                                           "cpu_vendor",
                                           "cpu_brand",
                                           "cpu_family",
                                           "cpu_model",
                                           "cpu_stepping",
                                           "packages",
                                           "cores",
                                           "cpus_online",
                                           "l1d_bytes",
                                           "l2_bytes",
                                           "l3_bytes",
                                           "memory_bytes",
                                           NULL};

static const char *const build_keys[] = {"compiler", "compiler_flags", "library_build_type", "python_version", NULL};

static const char *const kernel_keys[] = {"kernel", "cpu_microcode", NULL};

static const char *const condition_keys[] = {"governor",
                                             "intel_no_turbo",
                                             "cpufreq_boost",
                                             "smt_active",
                                             "isolated_cpus",
                                             "clocksource",
                                             "transparent_hugepages",
                                             "address_randomisation",
                                             "options",
                                             "frequency_scaling",
                                             "tune_knobs",
                                             NULL};

/* ---- facts ---- */

static bool known(const struct fact *f)
{
    return f && (f->text || !isnan(f->number));
}

static bool same(const struct fact *a, const struct fact *b)
{
    if (a->text && b->text)
        return !strcmp(a->text, b->text);
    return !a->text && !b->text && a->number == b->number;
}

static void put_fact(struct buf *out, const struct fact *f)
{
    if (f->text)
        buf_format(out, "'%.80s'", f->text);
    else
        buf_format(out, "%g", f->number);
}

/* Between two entries, and after an introduction that ends in a blank nothing. */
static void begin(struct buf *out)
{
    if (out->len && out->data[out->len - 1] != ' ')
        buf_str(out, "; ");
}

static void list_facts(const struct facts *a, const struct facts *b, const char *const *keys, struct buf *out)
{
    for (; *keys; keys++) {
        const struct fact *x = facts_find(a, *keys), *y = facts_find(b, *keys);
        if (!known(x) || !known(y) || same(x, y))
            continue;
        begin(out);
        buf_format(out, "%s ", *keys);
        put_fact(out, x);
        buf_str(out, " and ");
        put_fact(out, y);
    }
}

bool comparable_machine_known(const struct record *first, const struct record *second)
{
    for (const char *const *key = machine_keys; *key; key++)
        if ((!strcmp(*key, "cpu_brand") || !strcmp(*key, "cpu_model") || !strcmp(*key, "host_name")) &&
            known(facts_find(&first->machine, *key)) && known(facts_find(&second->machine, *key)))
            return true;
    return false;
}

void comparable_conditions(const struct record *first, const struct record *second, struct buf *out)
{
    list_facts(&first->machine, &second->machine, kernel_keys, out);
    list_facts(&first->before, &second->before, condition_keys, out);
}

void comparable_machines(const struct record *first, const struct record *second, struct buf *out)
{
    list_facts(&first->machine, &second->machine, machine_keys, out);
}

/* ---- the programs ---- */

/* The content by its hash where both have one, else by size and date. */
static void list_program(const struct record *a, const struct record *b, int number, struct buf *out)
{
    static const char *const what[] = {"fnv1a64", "bytes", "modified"};
    char keys[3][40];
    const char *list[4] = {NULL};
    for (int i = 0; i < 3; i++) {
        struct buf key = buf_over(keys[i], sizeof keys[i]);
        buf_format(&key, "program_%d_%s", number, what[i]);
        list[i] = keys[i];
    }
    if (known(facts_find(&a->build, list[0])) && known(facts_find(&b->build, list[0])))
        list[1] = NULL;
    list_facts(&a->build, &b->build, list, out);
}

void comparable_programs(const struct record *first, const struct record *second, struct buf *out)
{
    for (int i = 1; i <= first->n_subjects; i++)
        list_program(first, second, i, out);
    list_facts(&first->build, &second->build, build_keys, out);
}

/* ---- the benchmark ---- */

static void list_text(const char *what, const char *a, const char *b, struct buf *out)
{
    if (same_text(a, b))
        return;
    begin(out);
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

static bool same_arguments(const struct subject *a, const struct subject *b)
{
    int i = 1;
    while (a->argv[i] && b->argv[i] && !strcmp(a->argv[i], b->argv[i]))
        i++;
    return !a->argv[i] && !b->argv[i];
}

static void list_command(const struct subject *a, const struct subject *b, struct buf *out)
{
    if (!are_traced(a, b)) {
        list_text("command", a->command, b->command, out);
        return;
    }
    if (same_arguments(a, b))
        return;
    begin(out);
    buf_str(out, "arguments ");
    put_words(out, a->argv + 1);
    buf_str(out, " and ");
    put_words(out, b->argv + 1);
}

static const char *hash_of(const struct record *r, int subject)
{
    char key[40];
    struct buf b = buf_over(key, sizeof key);
    buf_format(&b, "program_%d_fnv1a64", subject + 1);
    const struct fact *f = facts_find(&r->build, key);
    return f ? f->text : NULL;
}

bool comparable_one_code(const struct record *first, int a, const struct record *second, int b)
{
    const struct subject *x = &first->subjects[a], *y = &second->subjects[b];
    const char *one = hash_of(first, a), *other = hash_of(second, b);
    return one && other && !strcmp(one, other) && are_traced(x, y) && same_arguments(x, y);
}

/* Hooks are in our own records alone. */
static void list_hooks(const struct subject *a, const struct subject *b, struct buf *out)
{
    list_text("setup", a->setup, b->setup, out);
    list_text("prepare", a->prepare, b->prepare, out);
    list_text("conclude", a->conclude, b->conclude, out);
    if (a->shell != b->shell) {
        begin(out);
        buf_format(out, "the %s goes through a shell", a->shell ? "first" : "second");
    }
}

static void list_metric(const struct metric *a, const struct metric *b, const char *id, struct buf *out)
{
    if (!a || !b) {
        begin(out);
        buf_format(out, "metric %s is missing in the %s", id, a ? "second" : "first");
        return;
    }
    list_text("unit", a->unit, b->unit, out);
    list_text("kind", metric_kind_name(a->kind), metric_kind_name(b->kind), out);
    list_text("better direction", metric_direction_name(a->direction), metric_direction_name(b->direction), out);
    if (a->definition && b->definition)
        list_text(id, a->definition, b->definition, out);
}

/* A first call, a peak of memory and the time in the long run are three quantities of one benchmark. */
static void list_profile(const struct record *first, int a, const struct record *second, int b, struct buf *out)
{
    if (first->subjects[a].kind == SUBJECT_BENCH && second->subjects[b].kind == SUBJECT_BENCH)
        list_text("--profile", profile_name(first->rule.profile), profile_name(second->rule.profile), out);
}

static const struct metric *measured(const struct record *r, int subject, const char *id)
{
    return series_column(&r->series[subject], id) >= 0 ? record_metric(r, id) : NULL;
}

void comparable_differences(const struct record *first, int a, const struct record *second, int b, const char *metric,
                            struct buf *out)
{
    const struct subject *x = &first->subjects[a], *y = &second->subjects[b];
    list_facts(&first->machine, &second->machine, machine_keys, out);
    list_facts(&first->build, &second->build, build_keys, out);
    list_metric(measured(first, a, metric), measured(second, b, metric), metric, out);
    list_profile(first, a, second, b, out);
    list_command(x, y, out);
    list_parameters(x, y, out);
    if (!record_source(first) && !record_source(second))
        list_hooks(x, y, out);
}
