/* SPDX-License-Identifier: MIT */
#include "plan.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "record_kind.h"
#include <assert.h>
#include <math.h>
#include <string.h>
#include <tare/stats.h>

void plan_init(struct plan *p, const struct plan_options *options, struct rule *rule)
{
    assert(options->n_subjects >= 1 && options->n_subjects <= PLAN_SUBJECTS_MAX);
    *p = (struct plan){.options = *options, .rule = rule, .rng = rng_seeded(options->seed), .n_subjects = options->n_subjects};
    memcpy(p->subjects, options->subjects, (size_t)p->n_subjects * sizeof *p->subjects);
    rule->n_looks = 0;
    rule->spending = rule->method == METHOD_TARE ? PLAN_SPENDING : 0;
    p->next_look = plan_first_look(options, rule);
}

static bool is_anytime(const struct plan *p)
{
    return p->rule->method == METHOD_ANYTIME;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

int plan_first_look(const struct plan_options *options, const struct rule *rule)
{
    if (rule->method == METHOD_GEORGES)
        return rule->georges_min < rule->georges_runs ? rule->georges_min : rule->georges_runs;
    if (rule->method == METHOD_ANYTIME)
        return 1;
    if (options->runs)
        return options->runs;
    int n = at_least(PLAN_FIRST_LOOK, options->min_rounds);
    return options->max_rounds && options->max_rounds < n ? options->max_rounds : n;
}

static int first_look(const struct plan *p)
{
    return plan_first_look(&p->options, p->rule);
}

static double median_round_ns(const struct plan *p)
{
    double sorted[PLAN_TIMED_ROUNDS];
    int n = p->rounds < PLAN_TIMED_ROUNDS ? p->rounds : PLAN_TIMED_ROUNDS;
    if (!n)
        return NAN;
    memcpy(sorted, p->round_ns, (size_t)n * sizeof *sorted);
    tare_sort(sorted, n);
    return tare_quantile_sorted(sorted, n, 0.5);
}

static double session_alpha(const struct plan *p)
{
    int comparisons = p->options.sharing ? p->options.sharing : at_least(1, p->options.n_subjects - 1);
    return (1 - p->rule->confidence) / comparisons;
}

/* Whether another round would run past the end of the budget. The default budget never prevents the first look. */
static bool budget_spent(const struct plan *p, int64_t elapsed_ns)
{
    if (p->rule->method == METHOD_GEORGES && !p->options.budget_hard)
        return false; /* the published rule knows no budget */
    if (!p->options.budget_hard && (p->options.runs || p->rounds < first_look(p)))
        return false;
    double next = p->rounds && !is_anytime(p) ? median_round_ns(p) : 0; /* anytime: a round fits itself into what is left */
    return (double)elapsed_ns + next > (double)p->options.budget_ns;
}

/* An interval exists from here on; those who ask for fewer rounds get their look at them. */
static int fewest_rounds(const struct plan *p)
{
    return p->options.runs || first_look(p) < PLAN_FEWEST ? first_look(p) : PLAN_FEWEST;
}

/* Whether no further round is made: all that were asked for are, or another one would run past the end of the budget. */
static bool rounds_over(const struct plan *p, int64_t elapsed_ns)
{
    int most = p->options.runs ? p->options.runs : p->options.max_rounds;
    return (most && p->rounds >= most) || budget_spent(p, elapsed_ns);
}

/* Share of the session that is used, known before the data of the look are read. A clock that was set back takes back nothing that was spent. */
static double share_used(const struct plan *p, int64_t elapsed_ns)
{
    const double of_rounds = p->options.max_rounds ? (double)p->rounds / p->options.max_rounds : 0,
                 of_time = (double)elapsed_ns / (double)p->options.budget_ns,
                 before = p->looks ? p->rule->look_share[p->looks - 1] : 0;
    return rounds_over(p, elapsed_ns) ? 1 : fmin(1, fmax(before, fmax(of_rounds, of_time)));
}

/* Level of a look at the rounds made so far, with the looks before it in the rule. */
static double spend_error(const struct plan *p, double share)
{
    struct rule *rule = p->rule;
    double spent[LOOKS_MAX], level;
    rule->look_at[p->looks] = p->rounds;
    rule->look_share[p->looks] = share;
    for (int i = 0; i <= p->looks; i++)
        spent[i] = tare_spending(TARE_SPEND_POWER, rule->spending, rule->look_share[i], session_alpha(p));
    enum tare_status status = tare_looks_spent(rule->look_at, spent, p->looks + 1, &level);
    assert(status == TARE_OK);
    (void)status;
    return level;
}

/* A look within a fifth of the end would tell nothing new and is left out, and so is one at which no interval by ranks can exist: neither
 * spends anything. */
static bool look_worthwhile(const struct plan *p, double share, double level)
{
    return share == 1 || (share * 1.2 < 1 && p->looks < LOOKS_MAX - 1 && level >= ldexp(1, 1 - p->rounds));
}

/* Whether the rounds made so far end at a look: 10, x 1.5, ..., and all of them when rounds or time are over. */
static bool look_due(struct plan *p, int64_t elapsed_ns)
{
    if (p->last != STEP_ROUND)
        return false;
    if (p->rule->method == METHOD_GEORGES || is_anytime(p))
        return p->rounds >= first_look(p);
    bool over = rounds_over(p, elapsed_ns);
    if (p->rounds < (over ? fewest_rounds(p) : p->next_look))
        return false;
    p->next_look = (int)fmin(rint(p->rounds * 1.5), 1e9);
    double share = share_used(p, elapsed_ns), level = spend_error(p, share);
    if (!look_worthwhile(p, share, level))
        return false;
    p->rule->look_level[p->rule->n_looks++] = level;
    return true;
}

static bool last_look_made(const struct plan *p)
{
    if (!p->looks)
        return false;
    if (p->rule->method == METHOD_GEORGES)
        return p->last == STEP_LOOK && p->rounds >= p->rule->georges_runs;
    if (is_anytime(p))
        return p->last == STEP_LOOK && p->options.max_rounds && p->rounds >= p->options.max_rounds;
    return p->rule->look_share[p->looks - 1] == 1;
}

int64_t plan_overrun_ns(const struct plan *p, int64_t elapsed_ns)
{
    const struct plan_options *o = &p->options;
    const int least = o->budget_hard ? 1 : first_look(p); /* that are made whatever they take */
    if (is_anytime(p) || (o->runs && !o->budget_hard) || p->rounds >= least || !(p->rounds || p->warmups || o->budget_hard))
        return 0;
    double round = p->rounds ? median_round_ns(p) : (double)p->warmup_ns;
    double takes = (double)elapsed_ns + (least - p->rounds) * round;
    return takes > PLAN_OVERRUN * (double)o->budget_ns ? (int64_t)fmin(takes, 9e18) : 0;
}

/* A share of the reference, on the scale of the interval: its logarithm, or for differences what it is of the median. */
static double on_scale(const struct record *r, const struct comparison *c, double share)
{
    if (c->kind != METRIC_COUNT)
        return log1p(share);
    const struct estimate *median = record_estimate(r, c->reference, c->metric, "median");
    return median ? share * fabs(median->point) : NAN;
}

enum plan_slower plan_slower_than(const struct record *r, const struct comparison *c, double allowed)
{
    /* Where more is better, slower is less of it: the interval seen from the other side. */
    const struct metric *m = record_metric(r, c->metric);
    const bool turned = m && m->direction == METRIC_HIGHER, neutral = m && m->direction == METRIC_NEUTRAL;
    /* A ratio of 1 + P either way: a rate that is slower by 100 % is half of what it was, not 0. */
    double limit = on_scale(r, c, turned && c->kind == METRIC_COUNT ? allowed / (1 + allowed) : allowed);
    double low = turned ? -c->high : c->low, high = turned ? -c->low : c->high;
    if (neutral) /* either way may be the worse one */
        return fmax(fabs(low), fabs(high)) < limit || (low == 0 && high == 0) ? SLOWER_NOT : SLOWER_UNDECIDED;
    if (limit == 0) /* nothing allowed, or a share of nothing: only more than nothing is too much */
        return low > 0 && c->sign_proven ? SLOWER_YES : high <= 0 ? SLOWER_NOT : SLOWER_UNDECIDED;
    return low >= limit && c->sign_proven ? SLOWER_YES : high < limit ? SLOWER_NOT : SLOWER_UNDECIDED;
}

/* An interval over sessions is Student's t: the same at another level. */
static struct comparison at_level(const struct comparison *c, double level)
{
    const double df = c->rounds - 1, factor = tare_student_quantile(level / 2, df) / tare_student_quantile(c->level / 2, df);
    struct comparison at = *c;
    at.low = c->shift - (c->shift - c->low) * factor;
    at.high = c->shift + (c->high - c->shift) * factor;
    at.sign_proven = at.low > 0 || at.high < 0;
    return at;
}

bool plan_slower_at(const struct record *r, const struct comparison *c, double level)
{
    const struct comparison at = at_level(c, level);
    return plan_slower_than(r, &at, r->rule.fail_if_slower) == SLOWER_YES;
}

struct plan_together plan_slower_together(const struct record *r)
{
    const double alpha = 1 - r->rule.confidence;
    struct plan_together x = {.level = NAN};
    if (!record_kind(r)->processes || !record_is_over_sessions(r) || record_is_of_two_sessions(r))
        return x;
    for (int i = 0; i < r->n_comparisons; i++)
        x.asked += plan_asks(r, &r->comparisons[i]);
    for (int slower = 0, now; x.asked; slower = now) {
        now = 0;
        x.level = alpha / (x.asked - slower);
        for (int i = 0; i < r->n_comparisons; i++)
            now += plan_asks(r, &r->comparisons[i]) && plan_slower_at(r, &r->comparisons[i], x.level);
        if (now <= slower || now == x.asked)
            break;
    }
    return x;
}

/* A benchmark against that of the same name in another program, not against another benchmark of its own. */
static bool of_two_programs(const struct record *r, int subject, int reference)
{
    const struct subject *a = &r->subjects[subject], *b = &r->subjects[reference];
    return a->benchmark && b->benchmark && !strcmp(a->benchmark, b->benchmark);
}

bool plan_two_programs(const struct record *r)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && r->subjects[i].reference >= 0 &&
            of_two_programs(r, i, r->subjects[i].reference))
            return true;
    return false;
}

static bool runs_benchmark(const struct record *r, const char *program, const char *name)
{
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && !strcmp(r->subjects[i].program, program) &&
            !strcmp(r->subjects[i].benchmark, name))
            return !subject_skipped(&r->subjects[i]);
    return false;
}

const char *plan_missing_in(const struct record *r, int subject)
{
    const struct subject *s = &r->subjects[subject], *first = r->subjects; /* of the reference program */
    if (s->kind != SUBJECT_BENCH || first->kind != SUBJECT_BENCH || s->failure || strcmp(s->program, first->program) != 0 ||
        !plan_two_programs(r))
        return NULL;
    for (int i = 0; i < r->n_subjects; i++)
        if (r->subjects[i].kind == SUBJECT_BENCH && !r->subjects[i].anchor &&
            !runs_benchmark(r, r->subjects[i].program, s->benchmark))
            return r->subjects[i].program;
    return NULL;
}

bool plan_asks(const struct record *r, const struct comparison *c)
{
    const struct subject *s = &r->subjects[c->subject];
    if (subject_skipped(&r->subjects[c->reference]))
        return false;
    if (s->kind == SUBJECT_BENCH)
        return !plan_two_programs(r) || of_two_programs(r, c->subject, c->reference);
    if (s->kind != SUBJECT_TRACE)
        return true;
    return c->arc && r->traced->results[c->arc - 1].share >= ARC_SHARE;
}

static bool comparison_answered(const struct record *r, const struct comparison *c)
{
    const struct rule *rule = &r->rule;
    if (c->verdict == VERDICT_INVALID || c->verdict == VERDICT_NONE)
        return true;
    if (rule->precision > 0 && !((c->high - c->low) / 2 <= on_scale(r, c, rule->precision)))
        return false;
    if (!isnan(rule->fail_if_slower) && plan_asks(r, c))
        return plan_slower_than(r, c, rule->fail_if_slower) != SLOWER_UNDECIDED;
    return c->verdict != VERDICT_UNDECIDED || isinf(c->rounds_needed);
}

static const double PRECISION_ALONE = 0.01; /* of a benchmark that is not compared, among others that are */

static bool interval_answered(const struct plan *p, const struct estimate *e)
{
    double width = e->high - e->low;
    bool georges = p->rule->method == METHOD_GEORGES;
    double precision = p->rule->precision > 0 ? p->rule->precision : PRECISION_ALONE;
    return isfinite(width) && (georges ? width : width / 2) <= precision * fabs(e->point);
}

static bool in_group(const struct plan *p, int subject)
{
    for (int i = 0; i < p->n_subjects; i++)
        if (p->subjects[i] == subject)
            return true;
    return false;
}

void plan_drop(struct plan *p, int subject)
{
    int kept = 0;
    for (int i = 0; i < p->n_subjects; i++)
        if (p->subjects[i] != subject)
            p->subjects[kept++] = p->subjects[i];
    p->n_subjects = kept;
}

static int reference_in_group(const struct plan *p, const struct record *r, int subject)
{
    int reference = record_reference(r, subject);
    return reference >= 0 && in_group(p, reference) ? reference : -1;
}

/* Of one that is in the group. */
static bool is_reference(const struct plan *p, const struct record *r, int subject)
{
    for (int i = 0; i < p->n_subjects; i++)
        if (record_reference(r, p->subjects[i]) == subject)
            return true;
    return false;
}

/* Without a value more runs answer nothing. */
static bool alone_answered(const struct plan *p, const struct record *r, int subject)
{
    const char *statistic = p->rule->method == METHOD_GEORGES ? "mean" : "median";
    const struct estimate *e = record_estimate(r, subject, p->rule->metric, statistic);
    return e && (isnan(e->point) || interval_answered(p, e));
}

/* Of a traced program: every arc that counts, against the reference's, or by itself as the look has found the widest of them. */
static bool arcs_answered(const struct plan *p, const struct record *r, int subject)
{
    const struct estimate *widest = record_estimate(r, subject, "arc", "arcs_half_width");
    if (reference_in_group(p, r, subject) < 0)
        return is_reference(p, r, subject) || (widest && (isnan(widest->point) || widest->point <= p->rule->precision));
    for (int i = 0; i < r->n_comparisons; i++) {
        const struct comparison *c = &r->comparisons[i];
        if (c->subject == subject && plan_asks(r, c) && !comparison_answered(r, c))
            return false;
    }
    return widest != NULL;
}

static bool subject_answered(const struct plan *p, const struct record *r, int subject)
{
    const struct leak_target *target = is_anytime(p) ? record_leak_target(r, subject) : NULL;
    if (r->subjects[subject].anchor) /* nothing is asked of it */
        return true;
    if (is_anytime(p))
        return target && target->decided;
    if (r->subjects[subject].kind == SUBJECT_TRACE)
        return arcs_answered(p, r, subject);
    if (reference_in_group(p, r, subject) >= 0) {
        const struct comparison *c = record_comparison(r, subject, p->rule->metric);
        return c && comparison_answered(r, c);
    }
    return is_reference(p, r, subject) || alone_answered(p, r, subject);
}

/* Whether the results in the record answer what was asked for each subject of the group:
 * one that is compared (record_reference): --fail-if-slower decided if given, else the word decided; and the ratio within `precision` if given;
 * one that is not, and with which none is compared: the median's interval has a relative half-width within `precision`; georges: the mean's full width is. */
static bool is_answered(const struct plan *p, const struct record *r)
{
    for (int i = 0; i < p->n_subjects; i++)
        if (!subject_answered(p, r, p->subjects[i]))
            return false;
    return p->n_subjects > 0;
}

static bool depends_on(const struct record *r, int subject, int other)
{
    return record_reference(r, subject) == other || (r->subjects[other].anchor && record_anchor(r, subject) == other);
}

static bool stays_for_others(const struct plan *p, const struct record *r, const bool *leaves, int index)
{
    for (int i = 0; i < p->n_subjects; i++)
        if (!leaves[i] && i != index && depends_on(r, p->subjects[i], p->subjects[index]))
            return true;
    return false;
}

/* Who stays keeps those with which it is compared, and these keep theirs. */
static void choose_leavers(const struct plan *p, const struct record *r, bool *leaves)
{
    for (int i = 0; i < p->n_subjects; i++)
        leaves[i] = !r->subjects[p->subjects[i]].complexity && subject_answered(p, r, p->subjects[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->n_subjects; i++)
            if (leaves[i] && stays_for_others(p, r, leaves, i)) {
                leaves[i] = false;
                changed = true;
            }
    }
}

/* An answer ends the group, or lets who has one leave: at a look, when the time that was asked for is over, and where no number of runs was given. */
static bool answers_count(const struct plan *p, int64_t elapsed_ns)
{
    return p->started && p->last == STEP_LOOK && !p->options.runs && elapsed_ns >= p->options.min_time_ns;
}

int plan_release(struct plan *p, const struct record *r, int *left)
{
    bool leaves[PLAN_SUBJECTS_MAX];
    int n = 0, before = p->n_subjects;
    if (!record_kind(r)->processes || !r->n_comparisons || p->rule->method != METHOD_TARE || !answers_count(p, p->issued_ns) ||
        p->rule->look_share[p->looks] == 1 || is_answered(p, r))
        return 0;
    choose_leavers(p, r, leaves);
    for (int i = 0; i < before; i++)
        if (leaves[i])
            left[n++] = p->subjects[i];
    for (int i = 0; i < n; i++)
        plan_drop(p, left[i]);
    /* Rounds take less time from now on; what each subject takes is taken to be alike. */
    for (int i = 0; i < PLAN_TIMED_ROUNDS; i++)
        p->round_ns[i] *= (double)p->n_subjects / before;
    p->released = p->released || n;
    return n;
}

/* Counts the step that was just carried out. */
static void account_time(struct plan *p, int64_t elapsed_ns)
{
    if (!p->started)
        return;
    if (p->last == STEP_WARMUP) {
        p->warmups++;
        p->warmup_ns = elapsed_ns - p->issued_ns;
    }
    if (p->last == STEP_ROUND && !p->again) {
        p->repeats_of_round = 0;
        p->round_ns[p->rounds % PLAN_TIMED_ROUNDS] = (double)(elapsed_ns - p->issued_ns);
        p->rounds++;
    }
    if (p->last == STEP_LOOK)
        p->looks++;
}

static struct step hand_out(struct plan *p, struct step s, int64_t elapsed_ns)
{
    p->started = true;
    p->last = s.kind;
    if (!p->again) /* what a round costs includes what was made in vain */
        p->issued_ns = elapsed_ns;
    p->again = false;
    return s;
}

/* -1: it has none in the group. */
static int twin_of(const struct plan *p, const struct record *r, int subject)
{
    const int reference = reference_in_group(p, r, subject);
    return reference >= 0 && of_two_programs(r, subject, reference) ? reference : -1;
}

/* Each with its twins next to it. */
static void draw_order(struct plan *p, const struct record *r)
{
    int first[PLAN_SUBJECTS_MAX], twin[PLAN_SUBJECTS_MAX], pairs = 0, n = 0;
    for (int i = 0; i < p->n_subjects; i++)
        if ((twin[i] = twin_of(p, r, p->subjects[i])) < 0)
            first[pairs++] = p->subjects[i];
    rng_shuffle(&p->rng, first, pairs);
    for (int i = 0; i < pairs; i++) {
        const int from = n;
        p->order[n++] = first[i];
        for (int k = 0; k < p->n_subjects; k++)
            if (twin[k] == first[i])
                p->order[n++] = p->subjects[k];
        rng_shuffle(&p->rng, p->order + from, n - from);
    }
}

static struct step round_step(struct plan *p, const struct record *r, enum step_kind kind, int round)
{
    draw_order(p, r);
    return (struct step){.kind = kind, .round = round, .order = p->order, .n = p->n_subjects};
}

static struct step look_step(const struct plan *p)
{
    bool full = p->rule->method == METHOD_GEORGES || is_anytime(p);
    double level = full ? 1 - p->rule->confidence : p->rule->look_level[p->looks],
           share = full ? 0 : p->rule->look_share[p->looks];
    return (struct step){.kind = STEP_LOOK, .look = p->looks + 1, .rounds = p->rounds, .level = level, .share = share};
}

static struct step end_step(struct plan *p, enum plan_end end)
{
    p->end = end;
    return (struct step){.kind = STEP_END};
}

/* The budget is spent, and what rounds there are have been looked at, but for --method georges when its first look is not reached. */
static struct step out_of_time(struct plan *p)
{
    bool look = p->rule->method == METHOD_GEORGES && !p->looks && p->last == STEP_ROUND && p->rounds >= PLAN_FEWEST;
    return look ? look_step(p) : end_step(p, PLAN_BUDGET_SPENT);
}

/* The last look did not answer: the largest number of runs is made, or else the time is used up. */
static enum plan_end out_of_plan(const struct plan *p)
{
    const bool most = p->options.max_rounds && p->rounds >= p->options.max_rounds;
    return most || p->rule->method == METHOD_GEORGES ? PLAN_RUNS_MADE : PLAN_BUDGET_SPENT;
}

static struct step decide_step(struct plan *p, const struct record *r, int64_t elapsed_ns)
{
    if (!p->n_subjects) /* who is answered leaves; the others failed */
        return end_step(p, is_anytime(p) || p->released ? PLAN_ANSWERED : PLAN_RUNS_MADE);
    if (p->again)
        return round_step(p, r, STEP_ROUND, p->rounds);
    if (answers_count(p, elapsed_ns) && is_answered(p, r))
        return end_step(p, PLAN_ANSWERED);
    if (last_look_made(p))
        return end_step(p, p->options.runs ? PLAN_RUNS_MADE : is_answered(p, r) ? PLAN_ANSWERED : out_of_plan(p));
    if (look_due(p, elapsed_ns))
        return look_step(p);
    if (budget_spent(p, elapsed_ns))
        return p->rounds ? out_of_time(p) : round_step(p, r, STEP_ROUND, 0);
    if (p->warmups < p->options.warmup)
        return round_step(p, r, STEP_WARMUP, p->warmups);
    return round_step(p, r, STEP_ROUND, p->rounds);
}

struct step plan_next(struct plan *p, const struct record *r, int64_t elapsed_ns)
{
    account_time(p, elapsed_ns);
    return hand_out(p, decide_step(p, r, elapsed_ns), elapsed_ns);
}

bool plan_again(struct plan *p, int64_t elapsed_ns)
{
    bool budget_counts = p->options.budget_hard || !(p->options.runs || p->rule->method == METHOD_GEORGES);
    double end_ns = (double)elapsed_ns + (double)(elapsed_ns - p->issued_ns) / (p->repeats_of_round + 1);
    if (!p->started || p->last != STEP_ROUND || p->again || p->repeats_of_round >= PLAN_AGAIN_MOST ||
        p->repeats >= plan_rounds_planned(p) || (budget_counts && end_ns > (double)p->options.budget_ns))
        return false;
    p->again = true;
    p->repeats++;
    p->repeats_of_round++;
    return true;
}

int plan_rounds_planned(const struct plan *p)
{
    if (p->rule->method == METHOD_GEORGES)
        return p->rule->georges_runs;
    if (p->options.runs)
        return p->options.runs;
    if (is_anytime(p))
        return p->options.max_rounds;
    if (!plan_end_known(p))
        return first_look(p);
    double left = fmax(0, (double)(p->options.budget_ns - p->issued_ns) / median_round_ns(p));
    return (int)fmin(fmax(p->rounds + left, first_look(p)), p->options.max_rounds ? p->options.max_rounds : 1e9);
}

bool plan_end_known(const struct plan *p)
{
    return p->rule->method == METHOD_GEORGES || p->options.runs || p->rounds >= first_look(p);
}

int64_t plan_time_left_ns(const struct plan *p)
{
    int planned = plan_rounds_planned(p);
    if (!planned || !p->rounds)
        return -1;
    return (int64_t)(median_round_ns(p) * (planned - p->rounds));
}
