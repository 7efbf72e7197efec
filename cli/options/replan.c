/* SPDX-License-Identifier: MIT */
#include "replan.h"
#include "buf.h"
#include "command.h"
#include "quote.h"
#include "record_kind.h"
#include "same_text.h"
#include <string.h>

enum { ADDED_MOST = 4, ADDED_BYTES = 64, GATE_BYTES = 350 /* struct tare_err has room for it */ };

static enum tare_status check_source(const struct record *r, struct tare_err *err)
{
    if (record_source(r))
        return err_set(
            err, TARE_INVALID,
            "a %s file says what came out and not how it was measured: it lacks the executed arguments, hooks, order and "
            "machine; measure with tare run --save, whose file can be repeated",
            record_source(r));
    if (record_kind(r)->again)
        return err_set(err, TARE_INVALID, "%s", record_kind(r)->again);
    if (!r->argv || !r->argv[0] || !r->argv[1])
        return err_set(err, TARE_INVALID, "the record lacks the command line that made it, so there is no plan to repeat");
    return TARE_OK;
}

bool replan_of_benchmarks(const struct replan *p)
{
    return !strcmp(p->command->name, "bench");
}

bool replan_of_traces(const struct replan *p)
{
    return !strcmp(p->command->name, "trace");
}

/* What tare rerun was told otherwise, as words. */
static int added_words(const struct replan *p, const struct rerun_options *o, struct arena *a, const char **out)
{
    struct buf b[ADDED_MOST] = {BUF_INIT(ADDED_BYTES), BUF_INIT(ADDED_BYTES), BUF_INIT(ADDED_BYTES), BUF_INIT(ADDED_BYTES)};
    int n = 0;
    if (o->runs)
        buf_format(&b[n++], "--%s=%d", option_lettered(&p->command->options, 'r')->name, o->runs);
    if (o->min_runs)
        buf_format(&b[n++], "--min-runs=%d", o->min_runs);
    if (o->max_time_ns)
        buf_format(&b[n++], "--max-time=%lldns", (long long)o->max_time_ns);
    if (RERUN_GIVEN(o, seed))
        buf_format(&b[n++], "--seed=%llu", (unsigned long long)o->seed);
    for (int i = 0; i < ADDED_MOST; i++) {
        if (i < n)
            out[i] = arena_strdup(a, buf_text(&b[i]));
        buf_finish(&b[i]);
    }
    return n;
}

static enum tare_status parse_words(struct replan *p, struct arena *a, struct tare_err *err)
{
    const struct option_set *set = &p->command->options;
    option_defaults(set, &p->options);
    return option_parse(set, &p->options, p->n_words - 2, (char *const *)(void *)(p->words + 2), &p->operands, a, err);
}

/* Later words win, so what is added stands last, but before the words that are no options. */
static enum tare_status add_words(struct replan *p, const struct rerun_options *o, struct arena *a, struct tare_err *err)
{
    const char *added[ADDED_MOST];
    int n = added_words(p, o, a, added), at = p->n_words;
    if (p->operands.dashes)
        at -= p->operands.n - p->operands.after + 1;
    for (int i = 0; i < n; i++)
        if (!added[i])
            return err_no_memory(err);
    memmove(p->words + at + n, p->words + at, (size_t)(p->n_words - at + 1) * sizeof *p->words);
    memcpy(p->words + at, added, (size_t)n * sizeof *added);
    p->n_words += n;
    return n ? parse_words(p, a, err) : TARE_OK;
}

static enum tare_status read_words(struct replan *p, const struct record *then, const struct rerun_options *o, struct arena *a,
                                   struct tare_err *err)
{
    int n = 0;
    while (then->argv[n])
        n++;
    p->n_words = n;
    p->words = arena_array(a, (size_t)p->n_words + ADDED_MOST + 1, sizeof *p->words);
    if (!p->words)
        return err_no_memory(err);
    memcpy(p->words, then->argv, (size_t)p->n_words * sizeof *p->words);
    p->words[0] = "tare"; /* wherever it was there */
    enum tare_status status = parse_words(p, a, err);
    const struct run_options *shared = &p->options.run;
    if (!status && (shared->base.help || shared->base.version))
        return err_set(err, TARE_INVALID, "it asks for help, which measures nothing");
    if (!status && shared->aa_sessions)
        return err_set(err, TARE_INVALID,
                       "it is of --aa, which asks about the machine and not about a %s; to ask again: tare %s --aa",
                       replan_of_benchmarks(p) ? "benchmark" : "command", p->command->name);
    return status ? status : add_words(p, o, a, err);
}

static void take_over(struct replan *p, const struct rerun_options *ours)
{
    struct run_options *o = &p->options.run;
    const struct option_set *set = &p->command->options;
    if (replan_of_benchmarks(p))
        p->options.bench.list = false;
    if (replan_of_traces(p))
        p->options.trace.trace_dir = NULL;
    option_forget(set, o, offsetof(struct run_options, every_ns));
    o->display = ours->display;
    o->save = ours->save;
    o->baseline = (struct option_list){0};
    o->history = o->class = NULL;
    o->sessions = 0; /* one is enough to compare with one */
    o->every_ns = 0;
    o->go_on = false;
    o->assume_no_drift = false;
    o->dry_run = false;
    o->fail_if_unstable = false;
    if (!RERUN_GIVEN(ours, seed))
        option_forget(set, o, offsetof(struct run_options, seed));
}

/* Revisions: the commits of then, whatever their names mean today. */

static bool hash_like(const char *text)
{
    size_t n = text ? strlen(text) : 0;
    return (n == 40 || n == 64) && strspn(text, "0123456789abcdef") == n;
}

static const char *revision_text(const struct record *then, int number, const char *what)
{
    const struct fact *f = revision_fact(then, number, what);
    return f ? f->text : NULL;
}

enum tare_status replan_commits(struct run_options *o, const struct record *then, struct arena *a, struct tare_err *err)
{
    int n = o->revisions.n == 1 ? 2 : o->revisions.n; /* one alone has the working tree beside it */
    if (!n)
        return TARE_OK;
    struct revision_commit *commits = arena_array(a, (size_t)n, sizeof *commits);
    if (!commits)
        return err_no_memory(err);
    for (int i = 0; i < n; i++) {
        commits[i] = (struct revision_commit){revision_text(then, i + 1, "_hash"), revision_text(then, i + 1, "_changes")};
        if (!hash_like(commits[i].hash) || (commits[i].changes && !hash_like(commits[i].changes)))
            return err_set(err, TARE_INVALID, "the record does not say which commit revision %d was", i + 1);
    }
    o->commits = commits;
    return TARE_OK;
}

/* Whether the word is one of the options whose place others take here, or that would write over what is there; all have a value. */
static bool left_out(const char *word, bool *value_follows)
{
    static const char *const names[] = {"base",     "head",         "save",        "seed",        "comment",   "summary",
                                        "annotate", "export-junit", "export-json", "export-html", "build-log", NULL};
    for (int i = 0; names[i] && !strncmp(word, "--", 2); i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(word + 2, names[i], n) != 0 || (word[2 + n] && word[2 + n] != '='))
            continue;
        *value_follows = !word[2 + n];
        return true;
    }
    return false;
}

/* Of a session of tare gate: the command line that makes the gate of the same two commits again, as somebody would type it. False: it is of no gate. */
static bool gate_again(const struct record *then, struct buf *out)
{
    const char *base = revision_text(then, 1, "_hash"), *head = revision_text(then, 2, "_hash");
    if (!facts_find(&then->build, "gate_phase") || !base || !head || !then->argv || !then->argv[0] || !then->argv[1])
        return false;
    buf_format(out, "tare gate --base %.12s --head %.12s", base, revision_text(then, 2, "_changes") ? "." : head);
    const size_t commits = out->len;
    bool value_follows, options = true;
    for (const char *const *word = then->argv + 2; *word; word++) {
        options = options && strcmp(*word, "--") != 0;
        if (options && left_out(*word, &value_follows)) {
            word += value_follows && word[1];
            continue;
        }
        buf_char(out, ' ');
        quote_word(out, *word, false);
    }
    if (out->len > GATE_BYTES) { /* half a command would be another one */
        out->len = commits;
        buf_str(out, " and the options that it had");
    }
    return true;
}

enum tare_status replan_refuse_gate(const struct record *r, const char *what, struct tare_err *err)
{
    struct buf again = BUF_INIT(1 << 16);
    const bool gate = gate_again(r, &again);
    if (gate)
        err_set(err, TARE_INVALID, "%s; to repeat that: %s", what, buf_text(&again));
    buf_finish(&again);
    return gate ? TARE_INVALID : TARE_OK;
}

enum tare_status replan_read(struct replan *out, const struct record *then, const struct rerun_options *o, struct arena *a,
                             struct tare_err *err)
{
    *out = (struct replan){0};
    enum tare_status status = check_source(then, err);
    if (status)
        return status;
    out->command = record_has_plan(then) ? command_named(then->argv[1]) : NULL;
    if (!out->command && replan_refuse_gate(then, "it is the record of a gate", err))
        return TARE_INVALID;
    if (!out->command)
        return err_set(err, TARE_INVALID,
                       "the record was made by tare %.40s, and only tare run, tare bench and tare trace can be repeated",
                       then->argv[1]);
    status = read_words(out, then, o, a, err);
    if (!status) {
        take_over(out, o);
        status = out->command->check(&out->options, &out->operands, a, err);
    }
    if (!status)
        status = replan_commits(&out->options.run, then, a, err);
    if (status && status != TARE_NO_MEMORY)
        err_prefix(err, "the recorded command line");
    return status;
}

static bool same_parameters(const struct subject *a, const struct subject *b)
{
    if (a->n_parameters != b->n_parameters)
        return false;
    for (int i = 0; i < a->n_parameters; i++)
        if (!same_text(a->parameters[i].name, b->parameters[i].name) ||
            !same_text(a->parameters[i].value, b->parameters[i].value))
            return false;
    return true;
}

/* NULL: nothing. */
static const char *what_differs(const struct subject *a, const struct subject *b)
{
    return a->shell != b->shell                   ? "whether it goes through a shell"
           : !same_words(a->argv, b->argv)        ? "the executed arguments"
           : !same_text(a->command, b->command)   ? "the command"
           : !same_text(a->name, b->name)         ? "the name"
           : !same_parameters(a, b)               ? "a parameter"
           : !same_text(a->setup, b->setup)       ? "the setup"
           : !same_text(a->prepare, b->prepare)   ? "the prepare hook"
           : !same_text(a->conclude, b->conclude) ? "the conclude hook"
           : !same_text(a->cleanup, b->cleanup)   ? "the cleanup"
                                                  : NULL;
}

/* Of benchmarks the programs alone are executed, which stand in the command line. */
static bool is_command(const struct subject *s)
{
    return s->kind == SUBJECT_COMMAND || s->kind == SUBJECT_TRACE;
}

static int commands_of(const struct record *r)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += is_command(&r->subjects[i]);
    return n;
}

enum tare_status replan_check(const struct record *then, const struct record *now, struct tare_err *err)
{
    int n = commands_of(now);
    if (commands_of(then) != n)
        return err_set(err, TARE_FORMAT, "the recorded command line makes %d command%s, and the record has %d", n, buf_plural(n),
                       commands_of(then));
    for (int i = 0; i < n; i++) {
        const struct subject *a = &then->subjects[i], *b = &now->subjects[i];
        const char *what = is_command(b) && a->kind == b->kind ? what_differs(a, b) : "its place";
        if (what)
            return err_set(err, TARE_FORMAT,
                           "command %d: %s would not be as recorded (another system, another tare, or a file that was made "
                           "up); nothing was run",
                           i + 1, what);
    }
    return TARE_OK;
}
