/* SPDX-License-Identifier: MIT
 *
 * plan.h - what is measured next, in what order, when to look, when to stop. Pure: it sees no process and no clock; the
 * caller tells it how much time has passed.
 *
 *     struct plan p;
 *     plan_init(&p, &options, &record.rule);
 *     for (;;) {
 *         struct step s = plan_next(&p, &record, elapsed_ns);
 *         if (s.kind == STEP_END) break;
 *         if (s.kind == STEP_LOOK) analyse the first s.rounds rounds at s.level into the record;
 *         else                     run the commands in s.order once each and append their rows;
 *         if (s.kind == STEP_ROUND && disturbed && plan_again(&p, elapsed_ns)) take the rows of the round back;
 *         if (s.kind == STEP_LOOK) for the plan_release(&p, &record, subjects) that leave: the look is their last;
 *     }
 *
 * A group of commands shares rounds: each runs once a round, in an order drawn anew by a fair coin (seeded). The same
 * benchmark of two programs runs next to each other: a coin draws which is first, for what disturbs the machine for longer hits both then. Looks need no schedule: the
 * error that may be spent by a look is (1 - confidence) share^PLAN_SPENDING, its share of the session max(rounds / max_rounds, time / budget)
 * taken before its data are read, and its level follows from the looks made so far (tare_looks_spent). So it ends where it ends, and no finished round is left
 * out. Groups of one (block order, --method georges) use the one-command rule.
 *
 *   first look   max(10, min_rounds) rounds; then x 1.5, but none in the last sixth of the session or before an interval exists
 *   last look    when time or rounds are over: all finished rounds, at the level that is left
 *   exact runs   one look, at its end
 *   hard budget  when fewer rounds than the first look fit: one look at the n >= 6 that fits; below 6 none; one round is always made
 *   georges      a look after each round from georges_min to georges_runs, each at the full level, as published
 *   anytime      a look after each round, which costs nothing (leaks); a subject that is answered is dropped by the caller
 *   again        a disturbed round is made again (plan_again) at most PLAN_AGAIN_MOST times, in all at most as often as rounds
 *                are planned, and never past the budget
 *   stop         first look at which every question is answered, or the last look, or the end of the budget
 *
 * Time ends a session and says how much of it is used; under the null the coin is independent of how long a round takes in all, and of whether
 * any of its runs was disturbed: a round that is repeated for that, with a new coin, favours neither command.
 *
 * A subject may leave: a benchmark whose process crashed (plan_drop), and of many that are compared those whose question is answered (plan_release).
 * The others go on. A look spends the error of each comparison apart, so who leaves at it takes nothing from those that stay.
 * Ownership: the plan owns nothing; `subjects` and `rule` belong to the caller; `rule` must outlive it.
 */
#ifndef PLAN_H
#define PLAN_H

#include "record.h"
#include "rng.h"

enum { PLAN_SUBJECTS_MAX = 1024, PLAN_FIRST_LOOK = 10, PLAN_FEWEST = 6, PLAN_TIMED_ROUNDS = 64, PLAN_AGAIN_MOST = 3 };

struct plan_options {
    const int *subjects; /* indexes in the record: the group */
    int n_subjects;      /* 1..PLAN_SUBJECTS_MAX */
    int warmup;          /* rounds made and set aside first */
    int runs;            /* exactly so many rounds; 0 = adaptive, and with georges (its number is in the rule) */
    int min_rounds;      /* 0 = no wish */
    int max_rounds;      /* 0 = no limit */
    int64_t budget_ns;   /* of the group, warm-up and hooks included; ignored when runs is given, unless hard */
    bool budget_hard;    /* the user's own --max-time: it may prevent the first look */
    int64_t min_time_ns; /* no answer ends the group before so much time went by; 0 = none */
    int sharing;         /* comparisons that share the confidence; 0: all of the group, its subjects less one */
    uint64_t seed;
};

enum step_kind { STEP_WARMUP, STEP_ROUND, STEP_LOOK, STEP_END };

struct step {
    enum step_kind kind;
    int round;        /* 0-based, of its kind */
    const int *order; /* subjects, first runs first; valid until the next call */
    int n;
    int look;     /* 1-based */
    int rounds;   /* LOOK: rounds it covers */
    double level; /* LOOK: two-sided error of each interval */
    double share; /* LOOK: of the session; 1 at the last one, 0 where none is planned to end it */
};

/* Of Kim and DeMets' power family: of the exponents and families that docs/how-it-works/figures-run.md shows the one with the shortest sessions. */
#define PLAN_SPENDING 0.25
#define PLAN_OVERRUN  1.2 /* a budget that is missed by less is kept, as far as one round can tell */

enum plan_end { PLAN_RUNNING, PLAN_ANSWERED, PLAN_RUNS_MADE, PLAN_BUDGET_SPENT };

struct plan {
    struct plan_options options;
    struct rule *rule;
    int subjects[PLAN_SUBJECTS_MAX], n_subjects; /* those that are left */
    bool released;                               /* some left because they were answered */
    struct rng rng;
    enum step_kind last; /* step handed out by the last call */
    bool started;
    int warmups, rounds, looks; /* made so far */
    int next_look;              /* rounds before it */
    int64_t warmup_ns;          /* what the last warm-up took */
    int64_t issued_ns;          /* elapsed time when the last step was handed out; of a round made again: the first time */
    bool again;                 /* the last round does not count */
    int repeats, repeats_of_round;
    double round_ns[PLAN_TIMED_ROUNDS];
    int order[PLAN_SUBJECTS_MAX];
    enum plan_end end;
};

/* Sets rule->n_looks 0 and its spending; the rest of rule (method, metric, confidence, precision, margin ...) must be set. */
void plan_init(struct plan *p, const struct plan_options *options, struct rule *rule);

/* elapsed_ns: since the group began, never falling. The record holds all rows and the results of the last look. */
struct step plan_next(struct plan *p, const struct record *r, int64_t elapsed_ns);

/* After a round and before the next call of plan_next: may it be made again? Then it does not count, the next step is the same round
 * with a new coin, and the caller takes its rows out of the figures (record_replace_round). False: it counts as it is. */
bool plan_again(struct plan *p, int64_t elapsed_ns);

/* The subject takes part in no further round. Without any left the plan ends. */
void plan_drop(struct plan *p, int subject);

/* After a look and before the next call of plan_next, where benchmarks are compared (record_kind.processes): those whose question the look has answered take
 * part in no further round. Who is compared with others, or is their anchor, stays as long as they do; so do those whose growth is asked for, which needs rounds
 * of all. left: room for all subjects; returns how many left: 0 where the session ends now, or nobody may leave. */
int plan_release(struct plan *p, const struct record *r, int *left);

/* Where the usual budget ends before the first look, which is made all the same, or a given one before the first round, likewise: how long it takes
 * until then, by the rounds so far, the warm-up, or what was spent before. 0: it fits, or there is nothing to judge it by. Call after plan_next. */
int64_t plan_overrun_ns(const struct plan *p, int64_t elapsed_ns);

/* Rounds before the first look. */
int plan_first_look(const struct plan_options *options, const struct rule *rule);

/* Rounds in all, as far as time and the median round tell; before the first look those to it. For progress. */
int plan_rounds_planned(const struct plan *p);
/* Whether that is the end: the first look is reached, or the number of runs was given. */
bool plan_end_known(const struct plan *p);
/* Time that the rest of them takes by the median round; -1 unknown. For progress. */
int64_t plan_time_left_ns(const struct plan *p);

/* Whether --fail-if-slower is asked of the comparison: of traced programs of arcs with a hundredth of the time or more; of benchmarks of two
 * programs of those of one name, not of what either program compares within itself; of others of all, but for what the reference skips: there is nothing to be slower than. */
bool plan_asks(const struct record *r, const struct comparison *c);
/* Whether benchmarks of two programs were compared. */
bool plan_two_programs(const struct record *r);

/* A program in which the reference program's benchmark `subject` is missing or skipped, so that nothing answers for it. NULL: there is none, or it is
 * another subject, or was given up itself. */
const char *plan_missing_in(const struct record *r, int subject);

enum plan_slower { SLOWER_NOT, SLOWER_YES, SLOWER_UNDECIDED };
/* --fail-if-slower P over one comparison: whether it is slower than allowed. Yes needs a difference that is proven: what is not, as one of
 * many, is no reason to fail, whatever its interval alone says. Where the interval is one of differences P is a share of the reference's median,
 * which stands in the record; where more is better, P / (1 + P) of it. */
enum plan_slower plan_slower_than(const struct record *r, const struct comparison *c, double allowed);

/* --fail-if-slower of benchmarks over sessions or nodes, as in tare gate: one fails where it is slower at the level that Holm's procedure ends at, and all pass where
 * each one does by itself. Of other records each is asked by itself. */
struct plan_together {
    double level; /* NaN: each is asked by itself */
    int asked;
};
struct plan_together plan_slower_together(const struct record *r);
/* Whether it is slower than allowed at another level. Over sessions only, whose interval is Student's t. */
bool plan_slower_at(const struct record *r, const struct comparison *c, double level);

#endif
