/* SPDX-License-Identifier: MIT */
#include "leak_engine.h"
#include "leak_ledger.h"
#include "leak_sentences.h"
#include "leak_session.h"
#include "plat.h"
#include <math.h>
#include <string.h>

/* ---- the judges ---- */

enum tare_status leak_bench_open(struct leak_bench *b, const struct record *r, struct arena *arena, struct tare_err *err)
{
    *b = (struct leak_bench){.judges = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *b->judges),
                             .stopped_log_e = arena_array(arena, (size_t)r->n_subjects + 1, sizeof *b->stopped_log_e)};
    bool good = b->judges && b->stopped_log_e;
    for (int i = 0; good && i < r->n_subjects; i++) {
        b->stopped_log_e[i] = NAN;
        good = (b->judges[i] = leak_judge_create(&r->rule)) != NULL;
        b->n += good;
    }
    return good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for %d targets", r->n_subjects);
}

void leak_bench_close(struct leak_bench *b)
{
    for (int i = 0; i < b->n; i++)
        leak_judge_destroy(b->judges[i]);
    *b = (struct leak_bench){0};
}

/* ---- one target's words ---- */

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

static enum tare_status read_target(struct leak_bench *b, struct record *r, int subject)
{
    const struct leak_target *old = record_leak_target(r, subject);
    const struct leak_request *q = b->requests ? &b->requests[subject] : NULL;
    bool unfit = q ? q->unfit || q->facts & (WIRE_EQUAL_CLASSES | WIRE_NOT_DETERMINISTIC | WIRE_TOO_COARSE | WIRE_LONG_READINGS)
                   : old && old->unfit > 0;
    const char *failure = r->subjects[subject].failure;
    struct leak_target t;
    char other[120];
    struct buf changed = buf_over(other, sizeof other);
    buf_str(&changed, "its program file ");
    leak_target_init(&t, subject);
    leak_judge_read(b->judges[subject], &t);
    t.seconds_needed *= with_starts(r, &t);
    leak_target_keep_taint(&t, old);
    name_machine(r, &t);
    if (failure) {
        t.verdict = VERDICT_INVALID;
        t.why = failure;
        t.unfit = unfit;
        t.decided = true;
    } else if (not_drawn(r)) {
        t.verdict = VERDICT_INVALID;
        t.why = "the order within the blocks was not drawn at random, so the place in a block and the class cannot be told apart";
    } else if (record_other_program(&r->series[subject], &changed)) {
        t.verdict = VERDICT_INVALID;
        t.why = other;
    } else if (b->ledger)
        leak_ledger_apply(b->ledger, r, leak_judge_log_e(b->judges[subject]), &t);
    else
        leak_ledger_again(old, r, leak_judge_log_e(b->judges[subject]), &t);
    return record_set_leak_target(r, &t);
}

/* ---- several targets ---- */

static bool claims(const struct leak_target *t)
{
    return t->verdict == VERDICT_LEAK || t->verdict == VERDICT_LEAK_SMALL;
}

/* What is proven of one target is not yet proven among many. Those that the claims of all together do not hold go on. */
static void take_back(const struct leak_bench *b, struct record *r, const bool *claimed)
{
    for (int i = 0; i < r->n_leak_targets; i++) {
        struct leak_target *t = &r->leak_targets[i];
        bool spent = r->rule.leaks.max_calls > 0 && t->calls >= r->rule.leaks.max_calls;
        if (!claims(t) || claimed[t->subject])
            continue;
        t->verdict = VERDICT_UNDECIDED;
        t->why = b->n == 1 ? "its evidence would do for this run alone, and is not enough with its earlier runs in the ledger"
                 : t->ledger_runs > 0 ? "its runs would prove it of one target alone, and are not enough among so many"
                                      : "its evidence would do for one target alone, and is not enough among so many";
        t->blocks_needed = t->seconds_needed = NAN; /* were for another word */
        t->decided = t->decided && (spent || !isnan(b->stopped_log_e[t->subject]));
    }
}

static enum tare_status hold_together(struct leak_bench *b, struct record *r, double alpha, struct tare_err *err)
{
    struct arena scratch = {0};
    size_t n = (size_t)b->n;
    double *log_e = arena_array(&scratch, n + 1, sizeof *log_e), *room = arena_array(&scratch, n + 1, sizeof *room);
    bool *claimed = arena_array(&scratch, n + 1, sizeof *claimed), good = log_e && room && claimed;
    for (int i = 0; good && i < b->n; i++) {
        const struct leak_target *t = record_leak_target(r, i);
        log_e[i] = isnan(b->stopped_log_e[i]) ? leak_judge_log_e(b->judges[i]) : b->stopped_log_e[i];
        if (t) /* runs multiply first, then targets are held together */
            log_e[i] = leak_ledger_log_e(t, log_e[i], log(b->n / alpha));
    }
    if (good && leak_claim_many(log_e, b->n, alpha, claimed, room) >= 0)
        take_back(b, r, claimed);
    arena_finish(&scratch);
    return good ? TARE_OK : err_set(err, TARE_NO_MEMORY, "no memory for %d targets", b->n);
}

static void note_stopped(struct leak_bench *b, const struct record *r)
{
    for (int i = 0; i < r->n_leak_targets; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        if (t->decided && isnan(b->stopped_log_e[t->subject]))
            b->stopped_log_e[t->subject] = leak_judge_log_e(b->judges[t->subject]);
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

enum tare_status leak_conclude(struct leak_bench *b, struct record *r, struct tare_err *err)
{
    for (int i = 0; i < b->n; i++)
        if (read_target(b, r, i))
            return err_set(err, TARE_NO_MEMORY, "no memory for what was found");
    bool growth = r->rule.leaks.kind && !strcmp(r->rule.leaks.kind, "growth");
    double alpha =
        growth ? (1 - r->rule.confidence) / 2 : r->rule.leaks.alpha; /* of growth that of its interval from end to end */
    bool several = b->n > 1 || with_ledger(r);
    enum tare_status status = several && !r->rule.leaks.dudect ? hold_together(b, r, alpha, err) : TARE_OK;
    note_stopped(b, r);
    return status;
}

/* ---- reports as they come ---- */

int64_t leak_take_report(void *run, int subject, const struct leak_report *report)
{
    struct leak *k = run;
    struct tare_err err = {0};
    enum tare_status status = leak_judge_take(k->bench.judges[subject], report, &err);
    if (status == TARE_FORMAT || status == TARE_INVALID) { /* of this target alone */
        struct buf why = buf_over(k->requests[subject].failure, sizeof k->requests[subject].failure);
        buf_format(&why, "%.200s", err.text);
        k->requests[subject].unfit = status == TARE_INVALID;
    } else if (status && !k->take_status) {
        k->take_status = status;
        k->take_error = err;
    }
    return leak_raw_add(&k->raw, report->bytes, report->n);
}

/* ---- the next round ---- */

enum {
    USEFUL_NS = 800000000,
    SHORTEST_NS = 20000000,
    PROCESS_NS = 50000000,
    GROWTH_NS = 300000000,
    LONGEST_NS = 1000000000,
    LEAST_BLOCKS = 128, /* of a process: limits of its own take 50 */
    OF_ITS_TIME = 300   /* a target's next process takes one part in so many of what it had, if that is longer */
};

/* The unit of a size is the process, so there are many of them, of one length: each counts alike. The first is short, so that there is something to see
 * within a second, however many targets share it. Of a target that takes minutes they get longer, for each has a line in the record. */
static double wanted_ns(const struct leak *k, int undecided)
{
    double each = k->o->growth ? GROWTH_NS : PROCESS_NS, so_far = (double)(plat_now_ns() - k->start_ns) / undecided;
    return !k->looks ? fmax(SHORTEST_NS, fmin(each, (double)USEFUL_NS / undecided))
                     : fmax(each, fmin(LONGEST_NS, so_far / OF_ITS_TIME));
}

/* A target whose calls are so long that few fit into a process gets twice the time in the next. */
static double longer_ns(const struct leak_request *q, const struct leak_judge *j)
{
    int64_t had = leak_judge_last_blocks(j);
    bool as_asked = q->blocks && had >= (int64_t)q->blocks / 2; /* the rest is self-checks */
    return !had || as_asked ? 0 : had < LEAST_BLOCKS ? 2 * (double)q->ns : had < 2 * LEAST_BLOCKS ? (double)q->ns : 0;
}

/* Never past the end of the budget. */
static int64_t process_ns(const struct leak *k, int subject, int undecided)
{
    double longer = k->o->growth ? 0 : longer_ns(&k->requests[subject], k->bench.judges[subject]),
           wanted = fmax(wanted_ns(k, undecided), longer);
    double left = (double)(k->run.session.plan.budget_ns - (plat_now_ns() - k->start_ns)) / undecided;
    return (int64_t)fmax(SHORTEST_NS, fmin(fmin(wanted, LONGEST_NS), left));
}

/* The calls that are left, shared by as many processes as an answer wants, and one, which the warm-up may take whole. */
static uint64_t blocks_left(const struct leak *k, const struct leak_request *q, const struct leak_judge *j)
{
    double left = (double)(k->o->max_calls - leak_judge_calls(j)),
           processes = fmax(1, (double)leak_least_processes(k->run.record.rule.confidence) + 1 - k->looks);
    return (uint64_t)fmax(1, ceil(left / processes / q->calls));
}

static void set_request(struct leak *k, int subject, int64_t ns)
{
    struct leak_request *q = &k->requests[subject];
    const struct leak_judge *j = k->bench.judges[subject];
    double spike_ns = leak_judge_spike_ns(j);
    q->ns = ns;
    q->spike_ns = spike_ns > 0 ? spike_ns : q->spike_ns;
    q->spike_adds = leak_judge_spike_adds(j, q->spike_ns);
    q->selfcheck = leak_judge_selfcheck(j, k->o->selfcheck);
    q->blocks = k->o->max_calls ? blocks_left(k, q, j) : 0;
}

static bool undecided(const struct record *r, int subject)
{
    const struct leak_target *t = record_leak_target(r, subject);
    return !r->subjects[subject].failure && !(t && t->decided);
}

/* With starts and set-ups; *next: what one more process is to take, by the last one. */
static double time_of(const struct record *r, int subject, double *next)
{
    const struct series *s = &r->series[subject];
    const double *wall = series_values(s, "wall");
    double sum = 0;
    *next = 0;
    for (int i = 0; wall && i < s->main.n; i++)
        if (isfinite(wall[i])) {
            sum += wall[i];
            *next = wall[i];
        }
    return sum;
}

/* Rounds give each target as many processes, not as much time: one whose calls or set-ups are long would take the time of the others. So one that
 * has had its share of the budget waits until the others have had theirs, or are decided and leave theirs to it. */
static void let_rest(struct leak *k, const int *subjects, int n)
{
    const struct record *r = &k->run.record;
    double left = (double)k->run.session.plan.budget_ns, next;
    int sharing = 0, within = 0;
    for (int i = 0; i < k->run.subjects.n; i++) {
        left -= undecided(r, i) ? 0 : time_of(r, i, &next);
        sharing += undecided(r, i);
    }
    for (int i = 0; i < n; i++)
        within += undecided(r, subjects[i]) && time_of(r, subjects[i], &next) + next <= left / sharing;
    for (int i = 0; i < n; i++)
        k->requests[subjects[i]].rests = within && time_of(r, subjects[i], &next) + next > left / sharing;
}

static void set_requests(struct leak *k, const int *subjects, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += undecided(&k->run.record, subjects[i]);
    for (int i = 0; i < n; i++)
        if (undecided(&k->run.record, subjects[i]))
            set_request(k, subjects[i], process_ns(k, subjects[i], left));
    let_rest(k, subjects, n);
}

/* Once, after the first look: what the budget cannot show is said before it is spent; of several targets the one that it shows least of. */
static void say_visible(struct leak *k)
{
    struct record *r = &k->run.record;
    const struct leak_target *worst = NULL;
    double seconds = (double)k->run.session.plan.budget_ns / 1e9 / (k->run.subjects.n > 0 ? k->run.subjects.n : 1), most = 1,
           least = 0;
    int n = 0;
    for (int i = 0; i < r->n_leak_targets && !k->o->max_calls; i++) {
        const struct leak_target *t = &r->leak_targets[i];
        double ns = leak_judge_visible_ns(k->bench.judges[t->subject], seconds);
        if (t->decided || !(ns > t->margin_ns))
            continue;
        n++;
        if (ns / t->margin_ns > most) {
            most = ns / t->margin_ns;
            least = ns;
            worst = t;
        }
    }
    if (!worst)
        return;
    struct buf text = BUF_INIT(1 << 12);
    buf_str(&text, r->subjects[worst->subject].name);
    if (n > 1)
        buf_format(&text, " (and %d more target%s)", n - 1, buf_plural(n - 1));
    buf_format(&text, ": %.3g s show differences from about ", seconds);
    leak_put_ns(&text, least);
    buf_str(&text, " on, and ");
    leak_put_ns(&text, worst->margin_ns);
    buf_str(&text, " are tolerated; give it more --max-time, or a wider --margin");
    run_say(&k->run, buf_text(&text));
    buf_finish(&text);
}

enum tare_status leak_look(void *leak, const int *subjects, int n, struct tare_err *err)
{
    struct leak *k = leak;
    if (k->take_status) {
        *err = k->take_error;
        return k->take_status;
    }
    enum tare_status status = leak_conclude(&k->bench, &k->run.record, err);
    if (!k->looks++)
        say_visible(k);
    set_requests(k, subjects, n);
    return status;
}

void leak_first_requests(struct leak *k)
{
    k->start_ns = plat_now_ns();
    for (int i = 0; i < k->run.subjects.n; i++)
        set_request(k, i, process_ns(k, i, k->run.subjects.n));
}
