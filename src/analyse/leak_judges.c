/* SPDX-License-Identifier: MIT */
#include "leak_judges.h"
#include "leak_engine.h"
#include <math.h>
#include <string.h>

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

static bool not_drawn(const struct record *r)
{
    const struct fact *drawn = facts_find(&r->before, "csv_drawn");
    return drawn && drawn->number == 0;
}

/* Calls of a file that are missing may be the slow ones. */
static bool has_gaps(const struct record *r)
{
    const struct fact *torn = facts_find(&r->before, "csv_torn");
    return torn && torn->number > 0;
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
    struct leak_target t;
    char other[120];
    struct buf changed = buf_over(other, sizeof other);
    buf_str(&changed, "its program file ");
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
    } else if (not_drawn(r)) {
        t.verdict = VERDICT_INVALID;
        t.why = "the order within the blocks was not drawn at random, so the place in a block and the class cannot be told apart";
    } else if (has_gaps(r)) {
        t.verdict = VERDICT_INVALID;
        t.why = "calls are missing in some of its blocks, and which they are may depend on their times";
    } else if (record_other_program(&r->series[subject], &changed)) {
        t.verdict = VERDICT_INVALID;
        t.why = other;
    } else if (all->runs)
        leak_runs_apply(all->runs, r, leak_judge_log_e(all->of[subject]), &t);
    else
        leak_runs_again(old, r, leak_judge_log_e(all->of[subject]), &t);
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
            log_e[i] = leak_runs_log_e(t, log_e[i], log(all->n / alpha));
    }
    if (good && leak_claim_many(log_e, all->n, alpha, claimed, room) >= 0)
        take_back(all, r, claimed);
    arena_finish(&scratch);
    return good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for %d targets", all->n);
}

static void note_stopped(struct leak_judges *all, const struct record *r)
{
    for (int i = 0; i < r->n_leak_targets; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        if (t->decided && isnan(all->stopped_log_e[t->subject]))
            all->stopped_log_e[t->subject] = leak_judge_log_e(all->of[t->subject]);
    }
}

/* This session has one, or the one that is judged anew had. */
static bool with_ledger(const struct record *r)
{
    bool any = false;
    for (int i = 0; i < r->n_leak_targets; i++)
        any |= !isnan(r->leak_targets[i].ledger_others_log10_e);
    return any;
}

enum tare_status leak_judges_conclude(struct leak_judges *all, struct record *r, struct tare_err *err)
{
    for (int i = 0; i < all->n; i++)
        if (read_target(all, r, i))
            return err_set(err, TARE_NO_MEMORY, "no memory for what was found");
    bool growth = r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "growth");
    double alpha =
        growth ? (1 - r->rule.confidence) / 2 : r->rule.leaks.alpha; /* of growth that of its interval from end to end */
    bool several = all->n > 1 || with_ledger(r);
    enum tare_status status = several && !r->rule.leaks.dudect ? hold_together(all, r, alpha, err) : TARE_OK;
    note_stopped(all, r);
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
