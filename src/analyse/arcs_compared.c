/* SPDX-License-Identifier: MIT
 *
 * Two traced programs, arc by arc: which arcs are the same, how an arc's two means differ in the rounds of a session or between two sessions, and
 * which verdict that gives.
 *
 * Which points of two builds are the same. Lines move when code is edited, so a point without a name is known by its place among those of its
 * function, in the order of lines, of one line in the order of the source; one with a name by that name. Trees are built in different folders, so a
 * file is known by its name, and where a build has several of that name by the most folders in common at its end: each must be the other's only best one.
 * Ties: several points with one name are matched in the order of file, function and line. Where one build has more of a name than the other, those
 * of one function are matched alike. Where it has more of a function, none can be known by its place among them: they match by line and place on the
 * line if all of the build with fewer are in the other and the last is the same, so that no line moved; else none does.
 *
 * One session. Both ran in every round, in an order drawn by a coin, so the means of an arc in the two runs of a round are a
 * pair: they are compared as the times of commands are (compare.c), by the logarithm of their ratio, or by difference where one is not above
 * 0. Rounds in which one of them did not pass the arc are left out. Off each mean comes what a probe weighed in that very run, so that the error of
 * weighing differs from pair to pair and the interval and p have it in them; a weight that all runs of a program share would have an error that
 * no pair shows. A round in which one of the two was not weighed is left out. Weighed in no run of either, nothing comes off: the ratio is drawn
 * towards 1. Weighed in one program alone, or a mean below its resolution: no verdict. The loose part of the probe, which the pairs cannot show, opens the
 * interval: a true mean m lies between m - l and m, with l the loose part and Student's t times its standard error, so a low end of the ratio b / a is
 * lower by the factor 1 - l / b and a high end higher by 1 / (1 - l / a). Where both are one program file with the same arguments, l is the same in
 * both, and nothing is opened. A clock in coarse steps opens the interval to that of the means' own ratio (open_to_means). Verdicts follow from the open
 * interval, as some of many (verdict.h).
 *
 * Two sessions. The ratio q = m2 / m1 of an arc's two means; u_i = e_i / m_i from the standard error e_i of the session, in which the probe's uncertainty
 * is, with its degrees of freedom f_i. Interval by Fieller (1954) for independent means: q (1 -+ sqrt(a1^2 + a2^2 - a1^2 a2^2)) / (1 - a1^2) with
 * a_i = t(1 - l/2, f) u_i and f by Welch and Satterthwaite from u_i and f_i (B. L. Welch, 1947). Where an a_i is 1 or more, the interval of that mean
 * reaches 0, and the ratio may be anything. A record without e_i and f_i: from the upper half of its own interval (the lower has the loose part in it), by
 * Student's t with one less than its runs, which is what it was made of but for runs that were not weighed.
 * Where the arc's means in the runs of a session are like their neighbours, m effective runs of n (dependence_effective_size) make e_i larger by
 * sqrt(n / m) and f_i smaller by (m - 1) / (n - 1).
 * Assumes means near normal. Smallest n: 2 and 2; below, for a mean that is not above 0 and without an interval in its
 * session there is no interval here, and the reason says so. The probe's loose part is in no e_i: it opens the interval as above. Many arcs: by the p values of
 * the same t.
 */
#include "arc_runs.h"
#include "comparable.h"
#include "compare.h"
#include "dependence.h"
#include "verdict.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { LOSS_TEXT = 160 };

struct known {
    const struct point *p;
    const char *base; /* of its file, without folders */
    const char *file; /* as the reference calls it, see name_files */
    int index;
};

static int by_file(const struct known *a, const struct known *b)
{
    const int order = strcmp(a->base, b->base);
    return order ? order : strcmp(a->file, b->file);
}

/* What two points of one kind must have in common. */
static int by_group(const struct known *a, const struct known *b)
{
    if (a->p->kind != b->p->kind)
        return a->p->kind < b->p->kind ? -1 : 1;
    int order = strcmp(a->p->name, b->p->name);
    if (order || *a->p->name)
        return order;
    order = by_file(a, b);
    return order ? order : strcmp(a->p->func, b->p->func);
}

static int by_function(const struct known *a, const struct known *b)
{
    int order = by_group(a, b);
    order = order ? order : by_file(a, b);
    return order ? order : strcmp(a->p->func, b->p->func);
}

static int by_point(const struct known *a, const struct known *b)
{
    int order = by_function(a, b);
    order = order ? order : a->p->line - b->p->line;
    return order ? order : a->p->ordinal - b->p->ordinal;
}

static int by_place(const void *x, const void *y)
{
    const struct known *a = x, *b = y;
    const int order = by_point(a, b);
    return order ? order : a->index - b->index;
}

struct path {
    const char *file;
    int side;
    int best, shared; /* of the other side: the one with most folders in common at its end, -1: none, or several; how many */
    int same;         /* of the other side, -1: not known */
};

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* -1: they have other names. */
static int folders_shared(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    int folders = -1; /* and the name */
    for (; n && m && a[n - 1] == b[m - 1]; n--, m--)
        folders += is_separator(a[n - 1]);
    return folders + ((!n || is_separator(a[n - 1])) && (!m || is_separator(b[m - 1])));
}

/* The end of a name before all that may stand there. */
static int rank_before(const char *file, size_t n)
{
    return !n ? 0 : file[n - 1] == '/' ? 1 : file[n - 1] == '\\' ? 2 : 3 + (unsigned char)file[n - 1];
}

/* From their ends: those next to each other share most. */
static int by_end(const void *x, const void *y)
{
    const struct path *a = x, *b = y;
    size_t n = strlen(a->file), m = strlen(b->file);
    while (n && m && a->file[n - 1] == b->file[m - 1])
        n--, m--;
    const int order = rank_before(a->file, n) - rank_before(b->file, m);
    return order ? order : a->side - b->side;
}

/* last, before: of the other side, the two visited last; -1: none. */
static void take_best(struct path *all, struct path *p, int last, int before)
{
    const int shared = last >= 0 ? folders_shared(p->file, all[last].file) : -1;
    if (shared < 0 || shared < p->shared)
        return;
    const bool one = shared > p->shared && (before < 0 || folders_shared(p->file, all[before].file) < shared);
    p->best = one ? last : -1;
    p->shared = shared;
}

static void find_best(struct path *all, int from, int to, int step)
{
    int last[2] = {-1, -1}, before[2] = {-1, -1};
    for (int i = from; i != to; i += step) {
        const int own = all[i].side;
        if (all[i].same >= 0)
            continue;
        take_best(all, &all[i], last[!own], before[!own]);
        before[own] = last[own];
        last[own] = i;
    }
}

/* Each is the other's best. */
static void match_files(struct path *all, int n)
{
    for (int i = 0; i < n; i++)
        all[i].best = all[i].shared = -1;
    find_best(all, 0, n, 1);
    find_best(all, n - 1, -1, -1);
    for (int i = 0; i < n; i++)
        if (all[i].same < 0 && all[i].best >= 0 && all[all[i].best].best == i)
            all[i].same = all[i].best;
}

/* Sorted, each of a side once; returns how many. */
static int paths_of(const struct known *const of[2], const int n[2], struct path *all)
{
    int all_n = 0, kept = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n[side]; i++)
            all[all_n++] = (struct path){of[side][i].file, side, -1, -1, -1};
    qsort(all, (size_t)all_n, sizeof *all, by_end);
    for (int i = 0; i < all_n; i++)
        if (!kept || by_end(&all[kept - 1], &all[i]) != 0)
            all[kept++] = all[i];
    match_files(all, kept);
    match_files(all, kept); /* those that are left: x.c, once a/x.c is known */
    return kept;
}

/* As the reference calls a file that both have. */
static const char *name_of_file(const struct path *all, int n, const char *file, int side)
{
    const struct path *own = bsearch(&(struct path){.file = file, .side = side}, all, (size_t)n, sizeof *all, by_end);
    return own->same >= 0 && side ? all[own->same].file : own->file;
}

static int points_of(const struct traced *t, int subject, struct known *out)
{
    int n = 0;
    for (int i = 0; i < t->n_points; i++)
        if (t->points[i].subject == subject)
            out[n++] = (struct known){&t->points[i], point_base(t->points[i].file), t->points[i].file, i};
    return n;
}

static void name_files(struct known *const of[2], const int n[2], struct path *room)
{
    const int files = paths_of((const struct known *const[]){of[0], of[1]}, n, room);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n[side]; i++)
            of[side][i].file = name_of_file(room, files, of[side][i].file, side);
        qsort(of[side], (size_t)n[side], sizeof *of[side], by_place);
    }
}

/* Whether the points of one have the places that they have in the other, which has more. An inserted point takes the line of the one that it pushes
 * down, so equal lines say nothing unless the last one is where it was too. */
static bool lines_stayed(const struct known *fewer, int n, const struct known *more, int m)
{
    int found = 0;
    for (int k = 0; k < m && found < n; k++)
        found += !by_point(&fewer[found], &more[k]);
    return found == n && !by_point(&fewer[n - 1], &more[m - 1]);
}

static void match_function(const struct known *a, int n, const struct known *b, int m, int *of)
{
    const bool in_order = n == m;
    if (n < m ? !lines_stayed(a, n, b, m) : n > m && !lines_stayed(b, m, a, n))
        return;
    for (int i = 0, k = 0; i < n && k < m;) {
        const int order = in_order ? 0 : by_point(&a[i], &b[k]);
        if (!order)
            of[b[k].index] = a[i].index;
        i += order <= 0;
        k += order >= 0;
    }
}

typedef int known_order(const struct known *, const struct known *);
typedef void known_match(const struct known *a, int n, const struct known *b, int m, int *of);

static int alike(const struct known *first, int n, known_order *by)
{
    int size = 1;
    while (size < n && !by(first, first + size))
        size++;
    return size;
}

/* `match` of each stretch that is alike by this order in both. */
static void match_each(const struct known *a, int n, const struct known *b, int m, known_order *by, known_match *match, int *of)
{
    for (int i = 0, k = 0; i < n && k < m;) {
        const int order = by(&a[i], &b[k]);
        const int of_a = order <= 0 ? alike(a + i, n - i, by) : 0, of_b = order >= 0 ? alike(b + k, m - k, by) : 0;
        if (!order)
            match(a + i, of_a, b + k, of_b, of);
        i += of_a;
        k += of_b;
    }
}

/* Where both have as many of a name, in the order of all of them: a function may have another name now. */
static void match_group(const struct known *a, int n, const struct known *b, int m, int *of)
{
    if (n == m)
        match_function(a, n, b, m, of);
    else
        match_each(a, n, b, m, by_function, match_function, of);
}

enum tare_status arc_matches(const struct record *r, int reference, int subject, int *of)
{
    const struct traced *t = r->traced;
    struct known *a = malloc(((size_t)t->n_points + 1) * sizeof *a), *b = malloc(((size_t)t->n_points + 1) * sizeof *b);
    struct path *files = malloc((2 * (size_t)t->n_points + 1) * sizeof *files);
    const bool ok = a && b && files;
    for (int i = 0; i < t->n_points; i++)
        of[i] = -1;
    if (ok) {
        const int n[2] = {points_of(t, reference, a), points_of(t, subject, b)};
        name_files((struct known *const[]){a, b}, n, files);
        match_each(a, n[0], b, n[1], by_group, match_group, of);
    }
    free(a);
    free(b);
    free(files);
    return ok ? TARE_OK : TARE_NO_MEMORY;
}

struct arc_ends { /* of a comparison */
    const struct arc_result *reference, *subject;
    bool
        one_code; /* both are one program with the same arguments: what the probe shows too much of its arcs is the same on both sides */
};

static struct comparison unbounded(struct comparison x)
{
    x.sign_proven = x.beyond_margin = false;
    x.verdict = VERDICT_UNDECIDED;
    x.better = -1;
    x.p = x.rounds_needed = NAN;
    x.low = -INFINITY;
    x.high = INFINITY;
    return x;
}

static void take_verdict_back(struct comparison *x, const char *reason)
{
    *x = unbounded(*x);
    x->reason = reason;
}

/* What is in the times of one is not in those of the other. */
static void take_back_half_known(struct comparison *x, bool reference_unknown, bool subject_unknown)
{
    if (reference_unknown != subject_unknown)
        take_verdict_back(x, "the probe overhead is known in only one of the two programs");
}

/* The most that a passage of it may show too much, at the level of the interval. */
static double loose_at_most(const struct arc_result *a, double level)
{
    const double error = a->loose_error_ns > 0 && a->runs_passed > 1 ? a->loose_error_ns : 0;
    return a->loose_ns > 0 ? a->loose_ns + (error > 0 ? tare_student_quantile(1 - level / 2, a->runs_passed - 1) * error : 0) : 0;
}

/* By the probe's loose part: of each mean as much as that may be too much, since the work of one may hide of the probe what that of the other does
 * not. Not for one code. The interval is bounded. */
static void open_interval(struct comparison *x, const struct arc_ends *ends)
{
    const double of_reference = loose_at_most(ends->reference, x->level), of_subject = loose_at_most(ends->subject, x->level);
    if (ends->one_code)
        return;
    if (x->kind == METRIC_COUNT) {
        x->low -= of_subject;
        x->high += of_reference;
    } else { /* all of a mean, and the ratio is not bounded */
        x->low += log1p(-fmin(1, of_subject / ends->subject->mean_ns));
        x->high -= log1p(-fmin(1, of_reference / ends->reference->mean_ns));
    }
}

static enum verdict judge(struct comparison *x)
{
    static const struct metric time = {.id = ARCS_METRIC, .unit = "ns", .kind = METRIC_TIME, .direction = METRIC_LOWER};
    x->better = -1;
    comparison_judge(x, &time);
    return x->verdict;
}

/* Whether there would be a word if rounds without end showed the ratio to be that. */
static bool would_decide(const struct comparison *x, const struct arc_ends *ends, double shift)
{
    struct comparison known = *x;
    known.low = known.high = shift;
    open_interval(&known, ends);
    return judge(&known) != VERDICT_UNDECIDED;
}

/* Opens the interval, and the verdict that follows from it. Where a mean is below its resolution there is none, and no part in the many that
 * verdicts stand among. A comparison without an interval stays as it is. */
static void judge_arc(struct comparison *x, const struct arc_ends *ends)
{
    if (ends->reference->below_resolution || ends->subject->below_resolution) {
        take_verdict_back(x, "a mean is below the resolution of the probe");
        x->shift = x->mean_ratio = x->mean_low = x->mean_high = NAN; /* of a bound there is none */
        return;
    }
    if (!isfinite(x->low) || !isfinite(x->high))
        return;
    const enum verdict closed = judge(x);
    const double nearest_to_same = x->low > 0 ? x->low : x->high < 0 ? x->high : 0;
    if (!would_decide(x, ends, x->low) && !would_decide(x, ends, x->high) && !would_decide(x, ends, nearest_to_same))
        x->rounds_needed = INFINITY; /* whatever the ratio is by the closed interval */
    open_interval(x, ends);
    if (judge(x) != VERDICT_UNDECIDED || closed == VERDICT_UNDECIDED)
        return;
    x->reason = closed == VERDICT_SAME ? "the overlap bias of the probe is larger than the margin"
                                       : "the means differ by no more than the overlap bias of the probe";
}

/* Arcs have no verdict where one program failed and the other did not (other_work, rounds as there), nor in runs that lost hits: which passes are
 * missing is not known, and the time between those that are there is that of other arcs. Nor where the clock was wrong. INVALID then, and the reason, in
 * `text` or the record, which copies it. Else x stays as it is. */
static void judge_runs(struct record *r, struct comparison *x, const struct arc_ends *ends, int rounds, char text[LOSS_TEXT])
{
    const char *why = other_work(r, x->reference, x->subject, rounds);
    const struct arcs_unsound u = record_arcs_unsound(r->traced, x->reference), v = record_arcs_unsound(r->traced, x->subject);
    const int runs = u.runs + v.runs, jumped = u.jumped + v.jumped;
    const uint64_t hits = u.hits + v.hits;
    const bool now_back = arc_goes_back(ends->subject, &v), back = now_back || arc_goes_back(ends->reference, &u);
    struct buf b = buf_over(text, LOSS_TEXT);
    if (why)
        *x = comparison_invalid(unbounded(*x), why);
    if (runs && hits)
        buf_format(&b, "%" PRIu64 " hit%s lost in %d run%s", hits, hits > 1 ? "s" : "", runs, buf_plural(runs));
    else if (runs)
        buf_format(&b, "hits were lost in %d run%s", runs, buf_plural(runs));
    else if (jumped)
        buf_format(&b, "the counter and the system clock diverged in %d run%s", jumped, buf_plural(jumped));
    else if (back)
        buf_format(&b, "the clock ran backwards in %" PRIu64 " of %" PRIu64 " traversals of all arcs",
                   now_back ? v.backwards : u.backwards, now_back ? v.passes : u.passes);
    if (b.len)
        *x = comparison_invalid(unbounded(*x), text);
}

/* What the two means say; false: there is nothing to compare. */
typedef bool arc_fill(void *context, struct comparison *x, const struct arc_ends *ends);

/* Index of what an arc of a subject came to; -1: there is none. */
static int record_arc_result(const struct traced *t, int subject, int from, int to)
{
    for (int i = 0; i < t->n_results; i++)
        if (t->results[i].subject == subject && t->results[i].from == from && t->results[i].to == to)
            return i;
    return -1;
}

/* A comparison for each. like: reference, subject, what is to be said of all; rounds: that both share, 0 of two sessions. */
static enum tare_status compare_each(struct record *r, const struct comparison *like, int rounds, bool one_code, arc_fill *fill,
                                     void *context)
{
    const struct traced *t = r->traced;
    int *of = malloc(((size_t)t->n_points + 1) * sizeof *of);
    enum tare_status status = of ? arc_matches(r, like->reference, like->subject, of) : TARE_NO_MEMORY;
    for (int i = 0; i < t->n_results && !status; i++) {
        const struct arc_result *own = &t->results[i];
        const bool known = own->subject == like->subject && of[own->from] >= 0 && of[own->to] >= 0;
        const int other = known ? record_arc_result(t, like->reference, of[own->from], of[own->to]) : -1;
        struct comparison x = *like;
        char text[LOSS_TEXT];
        x.metric = ARCS_METRIC;
        x.arc = i + 1;
        x.reference_arc = other + 1;
        const struct arc_ends ends = {other < 0 ? NULL : &t->results[other], own, one_code};
        if (other < 0 || !fill(context, &x, &ends))
            continue;
        judge_runs(r, &x, &ends, rounds, text);
        status = record_add_comparison(r, &x) < 0 ? TARE_NO_MEMORY : TARE_OK;
    }
    free(of);
    return status;
}

struct side {
    struct arc_scope scope;
    int *arcs, n; /* sorted */
    int *run;
    double *room;
};

struct comparing {
    struct record *r;
    const struct look *look;
    struct side a, b; /* reference and subject */
    double *x, *y;
    void *scratch;
};

static void side_finish(struct side *s)
{
    free(s->arcs);
    free(s->run);
    free(s->room);
}

static bool side_fill(struct comparing *c, struct side *s, int subject)
{
    size_t rows = (size_t)c->r->series[subject].main.n + 1;
    s->arcs = malloc(((size_t)c->r->traced->n_arcs + 1) * sizeof *s->arcs);
    s->run = malloc((rows + (size_t)c->r->traced->n_runs) * sizeof *s->run);
    s->room = malloc(ARC_RUNS_ROOM * rows * sizeof *s->room);
    if (!s->arcs || !s->run || !s->room)
        return false;
    arc_scope_fill(&s->scope, c->r, c->look, subject, s->run);
    s->n = arcs_sorted(&s->scope, s->arcs);
    return s->n >= 0;
}

/* Where the arc's entries begin among the sorted ones; -1: it has none. */
static int find_arc(const struct side *s, int from, int to)
{
    const struct traced_arc *all = s->scope.r->traced->arcs;
    int low = 0, high = s->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct traced_arc *a = &all[s->arcs[middle]];
        if (a->from < from || (a->from == from && a->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->n && all[s->arcs[low]].from == from && all[s->arcs[low]].to == to ? low : -1;
}

/* Mean of the passages of a round, less what their probes weighed in it; NaN: there is none. */
static double mean_in(const struct side *s, const struct arc_runs *arc, int round)
{
    if (!(arc->n[round] > 0) || (!isnan(s->scope.probe.ns) && isnan(arc_weight_in(&s->scope, round))))
        return NAN;
    return (arc->ns[round] - arc->weight[round]) / arc->n[round];
}

/* Of the arc whose entries begin there. */
static void fill_runs(const struct side *s, int at, struct arc_runs *out)
{
    const int n = arc_end(&s->scope, s->arcs, s->n, at) - at;
    arc_runs_fill(&s->scope, s->arcs + at, n, s->room, out);
    arc_runs_weigh(&s->scope, s->arcs + at, n, out);
}

/* Of the logarithm of an arc's mean over n runs, as in arcs.c: what readings that are all alike leave open. */
static double step_error(const struct side *s, int at, double mean, int n)
{
    const bool in_step = arc_keeps_in_step(&s->scope, s->arcs + at, arc_end(&s->scope, s->arcs, s->n, at) - at);
    return in_step ? s->scope.probe.step / mean * sqrt(2 / ((double)n * (n - 1))) : 0;
}

/* Whether the clock's steps are a part of the mean that the margin does not hold ten of. */
static bool is_coarse(const struct comparing *c, const struct comparison *x, const struct arc_ends *ends)
{
    const double step = fmax(c->a.scope.probe.step, c->b.scope.probe.step);
    return step >= ARC_COARSE_NS && 10 * step > x->margin * fmin(ends->reference->mean_ns, ends->subject->mean_ns);
}

/* A few readings of such a clock scatter about their mean as nothing symmetric does, and where most of them are alike the estimate by ranks is a step or
 * none. So the ratio of the means lies in the interval too, by Fieller and by the steps' own error. */
static void open_to_means(struct comparing *c, struct comparison *x, const struct arc_ends *ends, int at, int mine)
{
    static const char *const why = "the clock moves in steps that are too coarse for these means";
    const int n = x->rounds;
    if (!isfinite(x->low) || !isfinite(x->high) || !is_coarse(c, x, ends))
        return;
    if (n < 2 || !(x->mean_low > 0) || !isfinite(x->mean_high)) { /* or by difference, as one of them is not above 0 */
        take_verdict_back(x, why);
        return;
    }
    const double of_steps = hypot(step_error(&c->a, at, ends->reference->mean_ns, n),
                                  step_error(&c->b, mine, ends->subject->mean_ns, n)),
                 half = of_steps > 0 ? tare_student_quantile(1 - x->level / 2, n - 1) * of_steps : 0;
    const enum verdict before = x->verdict;
    x->low = fmin(x->low, log(x->mean_ratio) - hypot(log(x->mean_ratio / x->mean_low), half));
    x->high = fmax(x->high, log(x->mean_ratio) + hypot(log(x->mean_high / x->mean_ratio), half));
    if (before != VERDICT_UNDECIDED && judge(x) == VERDICT_UNDECIDED)
        x->reason = why;
}

static bool fill_from_rounds(void *context, struct comparison *x, const struct arc_ends *ends)
{
    struct comparing *c = context;
    const int at = find_arc(&c->a, ends->reference->from, ends->reference->to),
              mine = find_arc(&c->b, ends->subject->from, ends->subject->to);
    struct arc_runs a, b;
    if (at < 0 || mine < 0)
        return false;
    fill_runs(&c->a, at, &a);
    fill_runs(&c->b, mine, &b);
    /* Means of the rounds that both passed. */
    int n = 0, rounds = c->a.scope.rounds < c->b.scope.rounds ? c->a.scope.rounds : c->b.scope.rounds;
    for (int i = 0; i < rounds; i++) {
        c->x[n] = mean_in(&c->a, &a, i);
        c->y[n] = mean_in(&c->b, &b, i);
        n += !isnan(c->x[n]) && !isnan(c->y[n]);
    }
    x->rounds = n;
    if (!c->look->number || x->rounds < 1)
        x->reason = c->look->number ? "no round traversed it in both programs with the probe overhead measured"
                                    : "too few rounds for an interim analysis";
    else
        compare_pairs(c->r, x, record_metric(c->r, ARCS_METRIC), c->x, c->y, x->rounds, c->scratch);
    open_to_means(c, x, ends, at, mine);
    judge_arc(x, ends);
    take_back_half_known(x, isnan(c->a.scope.probe.ns), isnan(c->b.scope.probe.ns));
    return true;
}

static bool comparing_start(struct comparing *c, struct record *r, int reference, int subject, const struct look *look)
{
    const int a = r->series[reference].main.n, b = r->series[subject].main.n, rounds = (a > b ? a : b) + 1;
    *c = (struct comparing){.r = r, .look = look};
    c->x = malloc(2 * (size_t)rounds * sizeof *c->x);
    c->scratch = malloc(compare_scratch_bytes(rounds));
    c->y = c->x ? c->x + rounds : NULL;
    return c->x && c->scratch && side_fill(c, &c->a, reference) && side_fill(c, &c->b, subject);
}

static void comparing_finish(struct comparing *c)
{
    side_finish(&c->a);
    side_finish(&c->b);
    free(c->x);
    free(c->scratch);
}

static enum tare_status compare_subject(struct record *r, int reference, int subject, const struct look *look)
{
    const struct comparison like = comparison_undecided(r, reference, subject, look);
    struct comparing c;
    enum tare_status status =
        comparing_start(&c, r, reference, subject, look)
            ? compare_each(r, &like, look->rounds, comparable_one_code(r, reference, r, subject), fill_from_rounds, &c)
            : TARE_NO_MEMORY;
    comparing_finish(&c);
    return status;
}

enum tare_status arcs_compare(struct record *r, const int *subjects, int n_subjects, const struct look *look)
{
    int reference = subjects[0], first = r->n_comparisons;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < n_subjects; i++)
        reference = subjects[i] == r->rule.reference ? subjects[i] : reference;
    for (int i = 0; i < n_subjects && !status; i++)
        if (subjects[i] != reference && r->subjects[subjects[i]].kind == SUBJECT_TRACE &&
            r->subjects[reference].kind == SUBJECT_TRACE)
            status = compare_subject(r, reference, subjects[i], look);
    if (!status)
        correct_for_many(r, first);
    return status;
}

/* Of the mean's logarithm. */
static struct doubt doubt_of(const struct arc_result *a)
{
    static const struct doubt none = {NAN, NAN};
    if (a->runs_passed < 2 || !(a->mean_ns > 0))
        return none;
    if (!isnan(a->mean_error_ns))
        return (struct doubt){a->mean_error_ns / a->mean_ns, isnan(a->mean_df) ? INFINITY : a->mean_df};
    double half = a->high_ns - a->mean_ns, df = a->runs_passed - 1;
    if (!isfinite(half) || !(a->level > 0))
        return none;
    return (struct doubt){half / tare_student_quantile(1 - a->level / 2, df) / a->mean_ns, df};
}

/* Of the runs of a session whose passages the mean is of. */
static struct doubt with_dependence(struct comparing *c, const struct side *s, const struct arc_result *of, struct doubt d)
{
    const int at = find_arc(s, of->from, of->to);
    struct arc_runs arc;
    int n = 0;
    if (at < 0)
        return d;
    fill_runs(s, at, &arc);
    arc_runs_keep_plain(&s->scope, &arc);
    for (int i = 0; i < s->scope.rounds; i++) {
        c->x[n] = mean_in(s, &arc, i);
        n += !isnan(c->x[n]);
    }
    const double m = dependence_effective_size(c->x, n, 0.05, c->scratch);
    return m < n ? (struct doubt){d.error * sqrt(n / m), d.df * (m - 1) / (n - 1)} : d;
}

static struct doubt doubt_of_both(struct doubt u, struct doubt v)
{
    return arc_doubts(u.error * u.error, u.df, v.error * v.error, v.df);
}

static void fill_from_means(struct comparing *x, struct comparison *c, const struct arc_result *reference,
                            const struct arc_result *a)
{
    const struct doubt u0 = doubt_of(reference), v0 = doubt_of(a), independent = doubt_of_both(u0, v0);
    const struct doubt u = with_dependence(x, &x->a, reference, u0), v = with_dependence(x, &x->b, a, v0);
    const struct doubt both = doubt_of_both(u, v);
    c->kind = METRIC_TIME;
    c->rounds = a->runs_passed;
    c->reference_rounds = reference->runs_passed;
    if (!(reference->mean_ns > 0) || !(a->mean_ns > 0)) {
        c->verdict = VERDICT_INVALID;
        c->reason = "a mean is not above 0, so there is no ratio";
        return;
    }
    c->shift = log(a->mean_ns / reference->mean_ns);
    if (isnan(both.error)) {
        c->reason = "one of the sessions has no interval of this arc";
        return;
    }
    if (both.error > independent.error)
        compare_set_widened(c, pow(both.error / independent.error, 2), both.df, independent.df);
    const double t = both.error > 0 ? tare_student_quantile(1 - c->level / 2, both.df) : 0;
    const double p = pow(t * u.error, 2), q = pow(t * v.error, 2), ratio = exp(c->shift);
    if (!(p < 1) || !(q < 1)) {
        c->reason = "a mean is not known well enough: its interval reaches 0";
        return;
    }
    const double half = sqrt(p + q - p * q), error = hypot(u.error, ratio * v.error);
    c->low = c->shift + log((1 - half) / (1 - p));
    c->high = c->shift + log((1 + half) / (1 - p));
    c->p = error > 0 ? 2 * tare_student_cdf(-fabs(ratio - 1) / error, both.df) : c->shift == 0;
}

struct between {
    struct comparing runs;
    bool judged;
};

static bool fill_from_sessions(void *context, struct comparison *x, const struct arc_ends *ends)
{
    struct between *b = context;
    fill_from_means(&b->runs, x, ends->reference, ends->subject);
    if (!isfinite(x->low) || !isfinite(x->high))
        return true;
    if (b->judged)
        judge_arc(x, ends);
    else
        open_interval(x, ends);
    take_back_half_known(x, isnan(ends->reference->probe_ns), isnan(ends->subject->probe_ns));
    return true;
}

enum tare_status arcs_compare_sessions(struct record *out, const struct comparison *like, bool judged, bool one_code)
{
    static const struct look all = {.number = 0};
    struct between b = {.judged = judged};
    if (!out->traced)
        return TARE_OK;
    enum tare_status status = comparing_start(&b.runs, out, like->reference, like->subject, &all)
                                  ? compare_each(out, like, 0, one_code, fill_from_sessions, &b)
                                  : TARE_NO_MEMORY;
    comparing_finish(&b.runs);
    return status;
}
