/* SPDX-License-Identifier: MIT
 *
 * Records that ask to be repeated: any bytes end in a plan or in a reason. A plan of commands that passes the check has the very words,
 * shells and hooks that the record shows. Its own command line makes the same plan again.
 */
#include "command.h"
#include "record_read.h"
#include "replan.h"
#include "require.h"
#include "stored_options.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_path(void *context, const char *name)
{
    (void)context;
    return strlen(name) % 2;
}

static bool described(struct record *now, const struct replan *p, struct arena *a)
{
    struct option_operands words = p->operands;
    if (replan_of_traces(p) && !words.dashes && words.n > 1)
        words.after = words.n % 2 ? 0 : words.after; /* one program, or several, as files on disk would tell */
    struct subject_input in = run_options_subjects(&p->options.run, &words);
    struct subject_plan plan;
    struct tare_err err = {""};
    in.program_exists = on_path;
    record_init(now);
    if (subjects_make(&in, a, &plan, &err)) {
        require(*err.text, "no subjects without a reason", "");
        return false;
    }
    for (int i = 0; i < plan.n && replan_of_traces(p); i++)
        plan.subjects[i].kind = SUBJECT_TRACE;
    for (int i = 0; i < plan.n; i++)
        require(record_add_subject(now, &plan.subjects[i], NULL, 0) == i, "no memory", "");
    return true;
}

static void same_as_shown(const struct record *then, const struct record *now)
{
    for (int i = 0; i < now->n_subjects; i++) {
        const struct subject *a = &then->subjects[i], *b = &now->subjects[i];
        int k = 0;
        for (; a->argv[k] && b->argv[k]; k++)
            require(!strcmp(a->argv[k], b->argv[k]), "another word", b->argv[k]);
        require(!a->argv[k] && !b->argv[k] && a->shell == b->shell, "more words, or another shell", b->command);
    }
}

static void read_again(const struct replan *p, const struct rerun_options *o, struct replan *second, struct arena *a)
{
    struct record line = {.argv = p->words};
    struct tare_err err = {""};
    require(!replan_read(second, &line, o, a, &err), "its own command line is refused", err.text);
}

/* Of benchmarks the programs are all that is executed. */
static void check_programs(const struct replan *p, const struct rerun_options *o, struct arena *a)
{
    struct replan second;
    read_again(p, o, &second, a);
    require(!p->options.bench.list && !p->options.run.dry_run && !p->options.run.save, "it lists, plans or writes", "");
    require(p->operands.n == second.operands.n, "its own command line has other programs", "");
    for (int i = 0; i < p->operands.n; i++)
        require(!strcmp(p->operands.items[i], second.operands.items[i]), "another program", p->operands.items[i]);
}

static void check_again(const struct replan *p, const struct record *first, const struct rerun_options *o, struct arena *a)
{
    struct record again = {0};
    struct replan second;
    struct tare_err err = {""};
    read_again(p, o, &second, a);
    require(described(&again, &second, a), "its own command line makes no commands", "");
    require(!replan_check(first, &again, &err), "its own command line makes another plan", err.text);
    record_finish(&again);
}

static void replan(const struct record *then, const struct rerun_options *o)
{
    struct arena a = {0};
    struct replan p;
    struct record now = {0};
    struct tare_err err = {""};
    enum tare_status status = replan_read(&p, then, o, &a, &err);
    require(!status || *err.text, "refused without a reason", "");
    require(status || !replan_of_traces(&p) || (!p.options.trace.trace_dir && !p.options.run.save), "it writes files", "");
    if (!status && replan_of_benchmarks(&p)) {
        check_programs(&p, o, &a);
    } else if (!status && described(&now, &p, &a)) {
        status = replan_check(then, &now, &err);
        require(!status || *err.text, "refused without a reason", "");
        if (!status) {
            same_as_shown(then, &now);
            check_again(&p, &now, o, &a);
        }
    }
    record_finish(&now);
    arena_finish(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record r = {0};
    struct record_reading reading;
    struct rerun_options plain, other;
    option_defaults(&rerun_option_set, &plain);
    option_defaults(&rerun_option_set, &other);
    other.runs = 7;
    other.max_time_ns = 1500000000;
    if (!record_read(&r, size ? (const char *)data : "", size, &reading, NULL)) {
        replan(&r, &plain);
        replan(&r, &other);
    }
    record_reading_finish(&reading);
    record_finish(&r);
    return 0;
}
