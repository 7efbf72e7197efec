/* SPDX-License-Identifier: MIT */
#include "leak_judges.h"
#include "buf.h"
#include "leak_engine.h"
#include "record_write.h"
#include <math.h>
#include <string.h>

/* ---- several runs of one question ---- */

/* Of times that something else measured each file is a run. */
static bool of_file(const struct record *r)
{
    return r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "csv");
}

static void question_of(const struct record *r, const struct leak_target *t, char out[LEAK_QUESTION_BYTES])
{
    const struct rule_leaks *u = &r->rule.leaks;
    const char *parts[] = {r->subjects[t->subject].command,
                           of_file(r) ? "" : t->program_hash,
                           t->cpu,
                           t->classes,
                           u->kind,
                           u->cache,
                           u->noise ? "noise" : "",
                           u->dit ? "dit" : ""};
    uint64_t hash = RECORD_HASH_EMPTY;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = record_hash(hash, parts[i] ? parts[i] : "", parts[i] ? strlen(parts[i]) + 1 : 1);
    struct buf b = buf_over(out, LEAK_QUESTION_BYTES);
    buf_format(&b, "%016llx", (unsigned long long)hash);
}

struct leak_run leak_run_of(const struct record *r, const struct leak_target *t, double log_e)
{
    struct leak_run run = {.log_e = log_e, .leak = t->verdict == VERDICT_LEAK, .seed = r->seed};
    struct buf data = buf_over(run.data, sizeof run.data);
    question_of(r, t, run.question);
    buf_str(&data, of_file(r) && t->program_hash ? t->program_hash : "");
    return run;
}

static bool same_calls(const struct leak_run *a, const struct leak_run *b)
{
    return a->data[0] && !strcmp(a->data, b->data);
}

bool leak_runs_have(const struct leak_runs *runs, const struct leak_run *run)
{
    for (int i = 0; i < runs->n; i++)
        if (!strcmp(runs->run[i].question, run->question) && same_calls(run, &runs->run[i]))
            return true;
    return false;
}

static double log_add(double a, double b)
{
    double most = fmax(a, b), least = fmin(a, b);
    return least == -INFINITY ? most : most + log1p(exp(least - most));
}

/* Runs whose choices were the same are no independent evidence: they count as one, with the mean of their E, which is evidence however
 * they depend on each other. Their sum; *n: how many there are. */
static double sum_of_seed(const struct leak_runs *all, const char *question, uint64_t seed, int *n)
{
    double sum = -INFINITY;
    *n = 0;
    for (int i = 0; i < all->n; i++)
        if (all->run[i].seed == seed && !strcmp(all->run[i].question, question)) {
            sum = log_add(sum, all->run[i].log_e);
            ++*n;
        }
    return sum;
}

static bool first_of_seed(const struct leak_runs *all, int entry)
{
    const struct leak_run *e = &all->run[entry];
    for (int i = 0; i < entry; i++)
        if (all->run[i].seed == e->seed && !strcmp(all->run[i].question, e->question))
            return false;
    return true;
}

/* What an earlier run brings to the product of all; 0 where it is counted with another. */
static double brings(const struct leak_runs *all, const struct record *r, int entry)
{
    const struct leak_run *e = &all->run[entry];
    int n;
    if (of_file(r))
        return e->log_e;
    if (e->seed == r->seed || !first_of_seed(all, entry))
        return 0;
    double sum = sum_of_seed(all, e->question, e->seed, &n);
    return sum - log(n);
}

/* The figures ledger_... of t: all that is needed of the earlier runs, so that who judges the calls anew has it without the ledger. */
static void remember(const struct leak_runs *all, const struct record *r, struct leak_target *t)
{
    const struct leak_run now = leak_run_of(r, t, 0);
    double sum = 0, most = 0;
    int runs = 0, of_seed = 0;
    bool leak = false;
    for (int i = 0; i < all->n; i++) {
        const struct leak_run *e = &all->run[i];
        if (strcmp(e->question, now.question) != 0 || same_calls(&now, e))
            continue;
        leak = leak || e->leak;
        runs++;
        sum += brings(all, r, i);
        most = fmax(most, sum);
    }
    double seed = of_file(r) ? -INFINITY : sum_of_seed(all, now.question, r->seed, &of_seed);
    t->ledger_runs = runs;
    t->ledger_others_log10_e = sum / log(10);
    t->ledger_most_log10_e = most / log(10);
    t->ledger_seed_runs = of_seed;
    t->ledger_seed_log10_e = of_seed ? seed / log(10) : NAN;
    t->ledger_leak = leak;
}

/* Of all runs, this one the last: decimal logarithms. */
struct together {
    double sum, most; /* their product now, and the largest it ever was */
};

static struct together together_of(const struct leak_target *t, double log_e)
{
    if (t->ledger_seed_runs > 0)
        log_e = log_add(t->ledger_seed_log10_e * log(10), log_e) - log(t->ledger_seed_runs + 1);
    double sum = t->ledger_others_log10_e + log_e / log(10);
    return (struct together){.sum = sum, .most = fmax(t->ledger_most_log10_e, sum)};
}

/* ln of an e-value of all runs of the target's question, this one with log_e the last: their product, stopped at the run with which it first reached
 * `limit`. Of several targets they are held together by e-BH, limit being what a claim of one alone takes. By the figures that apply_runs or
 * apply_runs_again put into t; without them log_e. Where
 * it reached the limit it was at least that: what e-BH asks of a claim among others is less. */
static double runs_log_e(const struct leak_target *t, double log_e, double limit)
{
    if (isnan(t->ledger_others_log10_e))
        return log_e;
    const struct together now = together_of(t, log_e);
    return now.most * log(10) >= limit ? limit : now.sum * log(10);
}

static void conclude_runs(const struct record *r, double log_e, struct leak_target *t)
{
    const struct together now = together_of(t, log_e);
    bool proven = now.most >= -log10(r->rule.leaks.alpha);
    t->ledger_log10_e = now.sum;
    if (!(t->ledger_runs > 0) || t->verdict == VERDICT_LEAK || t->verdict == VERDICT_INVALID ||
        (!proven && t->verdict != VERDICT_LEAK_SMALL))
        return;
    bool bounded = t->verdict != VERDICT_UNDECIDED, leak = t->ledger_leak > 0;
    if (bounded && leak) /* a size that one run bounds by chance does not undo what another found */
        t->why = "this run bounds its size, but an earlier one in the ledger did not";
    else if (proven)
        t->why = bounded ? "the runs in the ledger prove it together, and this one bounds its size"
                         : "the runs in the ledger prove it together";
    t->verdict = bounded && !leak ? VERDICT_LEAK_SMALL : VERDICT_LEAK;
}

/* The figures ledger_..., and a leak that all runs prove together becomes the verdict. t as for leak_run_of. */
static void apply_runs(const struct leak_runs *all, const struct record *r, double log_e, struct leak_target *t)
{
    remember(all, r, t);
    conclude_runs(r, log_e, t);
}

/* The same from the figures that a session with a ledger left in its record: its calls are judged anew, and the runs before it count as they did then. */
static void apply_runs_again(const struct leak_target *then, const struct record *r, double log_e, struct leak_target *t)
{
    if (!then || isnan(then->ledger_others_log10_e))
        return;
    t->ledger_runs = then->ledger_runs;
    t->ledger_others_log10_e = then->ledger_others_log10_e;
    t->ledger_most_log10_e = then->ledger_most_log10_e;
    t->ledger_seed_runs = then->ledger_seed_runs;
    t->ledger_seed_log10_e = then->ledger_seed_log10_e;
    t->ledger_leak = then->ledger_leak;
    conclude_runs(r, log_e, t);
}

/* ---- judges ---- */

enum tare_status leak_judges_open(struct leak_judges *all, const struct record *r, struct arena *arena, struct tare_err *err)
{
    *all = (struct leak_judges){.of = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *all->of),
                                .stopped_log_e = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *all->stopped_log_e),
                                .unfit = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *all->unfit)};
    bool good = all->of && all->stopped_log_e && all->unfit;
    for (int i = 0; good && i < r->n_subjects; i++) {
        const struct leak_target *before = record_leak_target(r, i);
        all->stopped_log_e[i] = NAN;
        all->unfit[i] = before && before->unfit > 0;
        good = (all->of[i] = leak_judge_create(&r->rule)) != NULL;
        all->n += good;
    }
    return good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for %d targets", r->n_subjects);
}

void leak_judges_close(struct leak_judges *all)
{
    for (int i = 0; i < all->n; i++)
        leak_judge_destroy(all->of[i]);
    *all = (struct leak_judges){0};
}

/* ---- one target ---- */

static const char *fact_text(const struct facts *f, const char *key)
{
    const struct fact *found = facts_find(f, key);
    return found ? found->text : NULL;
}

/* Which file, and which processor: a claim is about these. */
static void name_machine(const struct record *r, struct leak_target *t)
{
    char key[40];
    struct buf b = buf_over(key, sizeof key);
    buf_format(&b, "program_%d_fnv1a64", t->subject + 1);
    const char *const *argv = r->subjects[t->subject].argv;
    bool library = argv && argv[0] && argv[1]; /* words name a function of one */
    t->program_hash = fact_text(&r->build, library ? "library_fnv1a64" : key);
    t->cpu = fact_text(&r->machine, "cpu_brand");
    t->order = fact_text(&r->before, "csv_order");
}

static void add_gap(const struct record *r, const char *fact, const char *one, const char *several, struct buf *out)
{
    const struct fact *f = facts_find(&r->before, fact);
    if (f && f->number > 0)
        buf_format(out, "%s%.0f %s", out->len ? ", " : "", f->number, f->number == 1 ? one : several);
}

/* What is wrong with the blocks of a file: calls that are missing may be the slow ones. Nothing where all is there. */
static void put_gaps(const struct record *r, struct buf *out)
{
    add_gap(r, "csv_doubled", "block has a label more than once", "blocks have a label more than once", out);
    const size_t complete = out->len;
    add_gap(r, "csv_torn", "block lacks a call", "blocks lack a call", out);
    add_gap(r, "csv_absent", "block number is skipped", "block numbers are skipped", out);
    buf_str(out, out->len > complete ? "; which calls are missing may depend on their times" : "");
    buf_str(out, out->len ? "; record each label once in every block" : "");
}

/* What its processes took with their starts and set-ups, over what they took without. */
static double with_starts(const struct record *r, const struct leak_target *t)
{
    const struct series *s = &r->series[t->subject];
    const double *wall = series_values(s, "wall");
    double sum = 0;
    for (int i = 0; wall && i < s->main.n; i++)
        sum += wall[i] / 1e9;
    return sum > t->seconds ? sum / t->seconds : 1; /* NaN too is no more */
}

static enum tare_status read_target(struct leak_judges *all, struct record *r, int subject)
{
    const struct leak_target *old = record_leak_target(r, subject);
    const char *failure = r->subjects[subject].failure;
    const struct fact *drawn = facts_find(&r->before, "csv_drawn");
    struct leak_target t;
    char other[120], gaps[240];
    struct buf changed = buf_over(other, sizeof other), incomplete = buf_over(gaps, sizeof gaps);
    buf_str(&changed, "its program file ");
    put_gaps(r, &incomplete);
    leak_target_init(&t, subject);
    leak_judge_read(all->of[subject], &t);
    t.seconds_needed *= with_starts(r, &t);
    leak_target_keep_taint(&t, old);
    name_machine(r, &t);
    if (failure) {
        t.verdict = VERDICT_INVALID;
        t.why = failure;
        t.unfit = all->unfit[subject];
        t.decided = true;
    } else if (drawn && drawn->number == 0) {
        t.verdict = VERDICT_INVALID;
        t.why =
            "the order within the blocks was not drawn at random, so the position in a block and the class cannot be separated";
    } else if (incomplete.len) {
        t.verdict = VERDICT_INVALID;
        t.why = gaps;
    } else if (record_other_program(&r->series[subject], &changed)) {
        t.verdict = VERDICT_INVALID;
        t.why = other;
    } else if (all->runs)
        apply_runs(all->runs, r, leak_judge_log_e(all->of[subject]), &t);
    else
        apply_runs_again(old, r, leak_judge_log_e(all->of[subject]), &t);
    return record_set_leak_target(r, &t);
}

/* ---- several targets ---- */

static bool claims(const struct leak_target *t)
{
    return t->verdict == VERDICT_LEAK || t->verdict == VERDICT_LEAK_SMALL;
}

/* What is proven of one target is not yet proven among many. Those that the claims of all together do not hold go on. */
static void take_back(const struct leak_judges *all, struct record *r, const bool *claimed)
{
    for (int i = 0; i < r->n_leak_targets; i++) {
        struct leak_target *t = &r->leak_targets[i];
        bool spent = r->rule.leaks.max_calls > 0 && t->calls >= r->rule.leaks.max_calls;
        if (!claims(t) || claimed[t->subject])
            continue;
        t->verdict = VERDICT_UNDECIDED;
        t->why = all->n == 1 ? "its evidence would do for this run alone, and is not enough with its earlier runs in the ledger"
                 : t->ledger_runs > 0 ? "its runs would prove it of one target alone, and are not enough among so many"
                                      : "its evidence would do for one target alone, and is not enough among so many";
        t->blocks_needed = t->seconds_needed = NAN; /* were for another word */
        t->decided = t->decided && (spent || !isnan(all->stopped_log_e[t->subject]));
    }
}

static enum tare_status hold_together(struct leak_judges *all, struct record *r, double alpha, struct tare_err *err)
{
    struct arena scratch = {0};
    size_t n = (size_t)all->n;
    double *log_e = arena_array(&scratch, n + 1, sizeof *log_e), *room = arena_array(&scratch, n + 1, sizeof *room);
    bool *claimed = arena_array(&scratch, n + 1, sizeof *claimed), good = log_e && room && claimed;
    for (int i = 0; good && i < all->n; i++) {
        const struct leak_target *t = record_leak_target(r, i);
        log_e[i] = isnan(all->stopped_log_e[i]) ? leak_judge_log_e(all->of[i]) : all->stopped_log_e[i];
        if (t) /* runs multiply first, then targets are held together */
            log_e[i] = runs_log_e(t, log_e[i], log(all->n / alpha));
    }
    /* e-BH: the expected share of false claims is at most alpha. (log_e_most is no e-value.) */
    if (good && tare_e_bh(log_e, all->n, alpha, claimed, room) >= 0)
        take_back(all, r, claimed);
    arena_finish(&scratch);
    return good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for %d targets", all->n);
}

enum tare_status leak_judges_conclude(struct leak_judges *all, struct record *r, struct tare_err *err)
{
    for (int i = 0; i < all->n; i++)
        if (read_target(all, r, i))
            return err_set(err, TARE_NO_MEMORY, "no memory for what was found");
    bool growth = r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "growth");
    double alpha =
        growth ? (1 - r->rule.confidence) / 2 : r->rule.leaks.alpha; /* of growth that of its interval from end to end */
    bool several = all->n > 1;
    for (int i = 0; i < r->n_leak_targets; i++) /* this session has a ledger, or the one that is judged anew had */
        several |= !isnan(r->leak_targets[i].ledger_others_log10_e);
    enum tare_status status = several && !r->rule.leaks.dudect ? hold_together(all, r, alpha, err) : TARE_OK;
    for (int i = 0; i < r->n_leak_targets; i++) {
        double *stopped = &all->stopped_log_e[r->leak_targets[i].subject];
        if (r->leak_targets[i].decided && isnan(*stopped))
            *stopped = leak_judge_log_e(all->of[r->leak_targets[i].subject]);
    }
    return status;
}

void leak_note_unreached(struct record *r)
{
    bool budget = r->ended && !strcmp(r->ended, "budget");
    for (int i = 0; i < r->n_leak_targets; i++) {
        struct leak_target *t = &r->leak_targets[i];
        if (t->verdict == VERDICT_UNDECIDED && !(t->calls > 0) && !t->why)
            t->why = budget ? "the time was over before its first process" : "the session ended before its first process";
    }
}
