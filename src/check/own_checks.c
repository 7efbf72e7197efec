/* SPDX-License-Identifier: MIT
 *
 * What the runs printed: own metrics without a value, and standard output that is not what it should be; and how many there are.
 */
#include "causes.h"
#include "finding.h"
#include "record_kind.h"
#include <limits.h>
#include <math.h>
#include <string.h>

/* For the same reason in each run of each command, which one finding says. */
static bool nobody_has_it(const struct record *r, const char *metric)
{
    const char *first = NULL, *why;
    for (int i = 0; i < r->n_subjects; i++) {
        const int rounds = record_rounds(r, &i, 1), asked = record_asked(&r->series[i], metric, rounds);
        if (!subject_measured(&r->subjects[i]))
            continue;
        if (!asked || record_nulls(&r->series[i], metric, rounds, &why) < asked || (first && strcmp(first, why) != 0))
            return false;
        first = why;
    }
    return first;
}

static void check_nulls(struct check *c, int subject, const struct metric *m, bool all)
{
    const char *why;
    int rounds = record_rounds(c->r, &subject, 1), nulls = record_nulls(&c->r->series[subject], m->id, rounds, &why);
    int n = record_asked(&c->r->series[subject], m->id, rounds);
    if (!nulls)
        return;
    bool many = nulls > OWN_NULL_SHARE * n, followed = metric_followed_find(m->id);
    if (followed && !strcmp(m->id, "peak_tree") && strcmp(c->r->rule.metric, m->id) != 0)
        return; /* most machines have no group for us; it was not asked for by its name */
    const bool in_file = m->definition && !strncmp(m->definition, "result=", 7);
    const char *advice = followed                 ? "see docs/memory.md"
                         : in_file                ? "look at the file: tare show FILE"
                         : c->facts->shows_output ? NULL
                                                  : "check its output with --show-output";
    if (all)
        finding_add(c, "no_value", SEVERITY_WARNING, -1, followed ? 100 : 1000, advice, "%s has no value in any run: %s", m->id,
                    why);
    else
        finding_add(c, "no_value", SEVERITY_WARNING, subject, many ? 100 : 100.0 * nulls / n, advice,
                    "%s has no value in %d of %d run%s: %s", m->id, nulls, n, buf_plural(n), why);
    finding_detail(c, "%s",
                   followed ? "The figure of wait4 is shown instead."
                            : "Up to a tenth of the runs may be without a value; they are left out.");
}

static void check_own_values(struct check *c)
{
    const struct record *r = c->r;
    for (int m = 0; m < r->n_metrics; m++) {
        const bool all = nobody_has_it(r, r->metrics[m].id);
        for (int i = 0; i < r->n_subjects; i++) {
            if (!subject_measured(&r->subjects[i]) || !series_has_nulls(&r->series[i], r->metrics[m].id))
                continue;
            check_nulls(c, i, &r->metrics[m], all);
            if (all)
                break;
        }
    }
}

/* The kernel's figure decides and lies where all small programs look alike. */
static void check_rss_floor(struct check *c, int subject, double floor, double unseen)
{
    const struct estimate *rss = record_estimate(c->r, subject, "rss", "median");
    if (!rss || !(rss->point <= floor))
        return;
    finding_add(c, "memory_floor", SEVERITY_WARNING, subject, 100, "use --metric peak",
                "the peak of %s is at the floor of what wait4 measures", finding_quantity(c, "bytes", rss->point));
    finding_detail(c, "Programs that need up to about %s look alike.", finding_quantity(c, "bytes", floor + fmax(unseen, 0)));
}

static void check_memory(struct check *c)
{
    const struct fact *floor = facts_find(&c->r->before, "memory_floor_bytes"),
                      *unseen = facts_find(&c->r->before, "memory_unseen_bytes");
    for (int i = 0; floor && !strcmp(c->r->rule.metric, "rss") && i < c->r->n_subjects; i++)
        if (c->r->subjects[i].kind == SUBJECT_COMMAND)
            check_rss_floor(c, i, floor->number, unseen ? unseen->number : 0);
}

static void check_programs(struct check *c)
{
    for (int i = 0; i < c->r->n_subjects; i++) {
        struct buf text = BUF_INIT(128);
        if (subject_measured(&c->r->subjects[i]) && record_other_program(&c->r->series[i], &text)) {
            finding_add(c, "program_changed", SEVERITY_WARNING, i, 1000, "measure again and build nothing meanwhile",
                        "its program file %s", buf_text(&text));
            finding_detail(c, "The figures are those of two programs. A program that --prepare makes anew does not "
                              "count as changed.");
        }
        buf_finish(&text);
    }
}

/* True: every run printed the same. */
static bool check_repeated(struct check *c, int subject)
{
    const struct series *s = &c->r->series[subject];
    int one, other, n = record_rounds(c->r, &subject, 1);
    if (!record_outputs_differ(s, n, &one, &other))
        return n > 0;
    const double *hash = series_values(s, OUTPUT_COLUMN);
    if (isnan(hash[one]) || isnan(hash[other]))
        finding_add(c, "output_changes", SEVERITY_WARNING, subject, 100, NULL, "its standard output is too long to be compared");
    else {
        finding_add(c, "output_changes", SEVERITY_WARNING, subject, 100, "omit --check-output if that is expected",
                    "its standard output differs between runs %d and %d", s->main.round[one] + 1, s->main.round[other] + 1);
        finding_detail(c, "Runs that print different things may do different work.");
    }
    return false;
}

static void check_outputs(struct check *c)
{
    const double *reference = NULL;
    for (int i = 0; i < c->r->n_subjects; i++) {
        const double *hash = series_values(&c->r->series[i], OUTPUT_COLUMN);
        if (!subject_measured(&c->r->subjects[i]) || !hash || !check_repeated(c, i))
            continue;
        if (i == c->r->rule.reference)
            reference = hash;
        else if (reference && hash[0] != reference[0])
            finding_add(c, "outputs_differ", SEVERITY_WARNING, i, 100, "check that both do the same work",
                        "its standard output differs from the reference's");
    }
}

/* Rounds that were made again, and those that stayed disturbed all the same. */
static void check_reruns(struct check *c)
{
    int again = 0, still = 0;
    for (int i = 0; i < c->r->n_subjects; i++) {
        const struct series *s = &c->r->series[i];
        again = s->replaced.n > again ? s->replaced.n : again;
        int dirty = 0;
        for (int k = 0; k < s->main.n && subject_measured(&c->r->subjects[i]); k++)
            dirty += (s->main.flags[k] & causes_exogenous()) != 0;
        still = dirty > still ? dirty : still;
    }
    if (c->r->rule.on_dirty != DIRTY_RERUN || !again)
        return;
    struct buf rest = BUF_INIT(256);
    if (still)
        buf_format(&rest, "; up to %d %s of a %s stayed disturbed", still, finding_runs(c, still),
                   finding_of_benchmarks(c) ? "benchmark" : "command");
    finding_add(c, "rerun", SEVERITY_NOTE, -1, 2, "use --on-dirty=flag to count them all",
                "%d round%s repeated because a %s was disturbed", again, again == 1 ? " was" : "s were", finding_runs(c, 1));
    finding_detail(c, "Long %s are disturbed more often, so repetition favours short ones%s.", finding_runs(c, 2),
                   finding_keep(c, &rest));
}

/* What raises the limit that ended the session after so many; NULL: not known, or something else ended it. */
static const char *to_run_more(const struct check *c, int fewest)
{
    const char *ended = c->r->ended;
    if (!ended || !strcmp(ended, "interrupted") || !strcmp(ended, "failed") || !c->facts->runs_most)
        return NULL;
    return fewest < c->facts->runs_most ? "use a longer --max-time"
           : c->facts->adaptive         ? "use 10 or more (--max-runs)"
                                        : "use 10 or more (--runs), or omit --runs";
}

/* Below 10 the figures hang on single runs, below 6 no interval without assumptions exists at 95 %. The published rule has numbers of
 * its own. */
static void check_count(struct check *c)
{
    int fewest = INT_MAX;
    for (int i = 0; i < c->r->n_subjects; i++) {
        int n = record_rounds(c->r, &i, 1);
        if (subject_measured(&c->r->subjects[i]) && n < fewest)
            fewest = n;
    }
    if (fewest < 2 || fewest >= 10 || record_source(c->r) || record_kind(c->r)->targets || c->r->rule.method != METHOD_TARE)
        return;
    finding_add(c, "few_runs", SEVERITY_NOTE, -1, 1, to_run_more(c, fewest), "only %d %s: %s", fewest, finding_runs(c, fewest),
                fewest < INTERVAL_FROM ? "an interval needs 6" : "each run affects the interval");
}

const struct check_test own_tests[] = {{.ids = "no_value", .session = check_own_values},
                                       {.ids = "memory_floor", .session = check_memory},
                                       {.ids = "program_changed", .session = check_programs},
                                       {.ids = "output_changes outputs_differ", .session = check_outputs},
                                       {.ids = "rerun", .session = check_reruns},
                                       {.ids = "few_runs", .session = check_count},
                                       {0}};
