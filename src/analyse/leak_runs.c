/* SPDX-License-Identifier: MIT */
#include "leak_runs.h"
#include "buf.h"
#include "record_write.h"
#include <math.h>
#include <string.h>

/* ---- what a run is about ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    const char *t = text ? text : "";
    return record_hash(hash, t, strlen(t) + 1);
}

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
        hash = hash_text(hash, parts[i]);
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

/* ---- together ---- */

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

/* Where it reached the limit it was at least that: what e-BH asks of a claim among others is less. */
double leak_runs_log_e(const struct leak_target *t, double log_e, double limit)
{
    if (isnan(t->ledger_others_log10_e))
        return log_e;
    const struct together now = together_of(t, log_e);
    return now.most * log(10) >= limit ? limit : now.sum * log(10);
}

static void conclude(const struct record *r, double log_e, struct leak_target *t)
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

void leak_runs_apply(const struct leak_runs *all, const struct record *r, double log_e, struct leak_target *t)
{
    remember(all, r, t);
    conclude(r, log_e, t);
}

void leak_runs_again(const struct leak_target *then, const struct record *r, double log_e, struct leak_target *t)
{
    if (!then || isnan(then->ledger_others_log10_e))
        return;
    t->ledger_runs = then->ledger_runs;
    t->ledger_others_log10_e = then->ledger_others_log10_e;
    t->ledger_most_log10_e = then->ledger_most_log10_e;
    t->ledger_seed_runs = then->ledger_seed_runs;
    t->ledger_seed_log10_e = then->ledger_seed_log10_e;
    t->ledger_leak = then->ledger_leak;
    conclude(r, log_e, t);
}
