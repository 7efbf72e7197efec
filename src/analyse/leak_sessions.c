/* SPDX-License-Identifier: MIT
 *
 * What several sessions of one plan say of leak targets together.
 *
 *     status = leak_sessions(&over, sessions, n);        // over: with the rule of the first; its targets are then over sessions
 *
 * The session is the unit: what its processes share (the state of the CPUs, the machine's other guests, the minute) is in no interval over processes.
 *
 * Sizes. Of each pair of classes at each clip that counts the sessions' sizes x_1 .. x_n, in ns and in core cycles: their mean with Student's t over
 * sessions, mean -+ t(1 - a/2, n - 1) s / sqrt(n), a = (1 - confidence) / 2 over all of them (Bonferroni), the other half for the advantage. It is about the
 * mean over sessions like these. Printed is the pair, and its clip, that most sessions print, of several one at 90 %, of these the largest. The choice costs nothing, for all of
 * them hold together. Of readings with several calls there is no advantage. The advantage: the mean of the sessions' own, which is too large
 * rather than too small, for each is the largest over limits.
 * Evidence. Each session draws orders of its own, so that its E, where it stopped, is an e-value given the sessions before it: their product is one, and
 * reaches 1/alpha by chance in at most alpha of all sets of sessions, however many are made (Ville). Several targets: e-BH.
 *
 * Verdict:
 *     leak        the evidence of all sessions reaches 1/alpha
 *     leak_small  it does, all sizes lie within the margin and the advantage within what is tolerated, and no session was blind
 *     no_leak     it does not, sizes and advantage lie within, and every session could be judged and found its injected delay
 *     undecided   else
 *     invalid     more than half of the sessions could not be judged, or were blind and all together found nothing
 * A session in which the target failed or was invalid gives no size and no evidence; how many there were is told (sessions_left_out). One that is blind, which
 * found neither a difference nor its injected delay, gives both (sessions_blind): it is invalid for what it found, so without it the mean
 * would be of those that found something, and the product of the rest no e-value.
 *
 * Assumes sessions independent of each other and their sizes near normal, which three cannot show. What lasts longer than the time between sessions (a CPU
 * in another state for an hour) makes neighbours alike and intervals too short: spread them. Fixed n: an interval is for the number of sessions that was planned, not
 * for stopping where it suits. Smallest n: 2; one gives points without intervals. Equal sizes: no width. It reads and prints nothing.
 */
#include "analyse_stored.h"
#include "buf.h"
#include "leak_engine.h"
#include "leak_target.h"
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

enum { MOST_SESSIONS = 10000 };

struct joined {
    struct record *over;
    const struct record *sessions;
    int n, subject;
    const struct leak_target **of; /* of the sessions that count */
    int counts, blind, left_out;   /* counts: the blind ones too */
    double *values, *log_e;        /* of sessions; of targets */
    bool *claimed;
    double *scratch;
};

static bool targets_alike(const struct leak_target *a, const struct leak_target *b)
{
    bool same = a->n_sizes == b->n_sizes && a->repeat == b->repeat;
    for (int i = 0; same && i < a->n_sizes; i++)
        same = a->sizes[i].first == b->sizes[i].first && a->sizes[i].second == b->sizes[i].second &&
               a->sizes[i].clip == b->sizes[i].clip;
    return same;
}

/* Invalid for what it found: nothing, nor the injected delay. */
static bool is_blind(const struct leak_target *t)
{
    return t->verdict == VERDICT_INVALID && t->why && !strcmp(t->why, leak_reason_text(LEAK_WHY_BLIND));
}

static bool target_counts(const struct record *r, const struct leak_target *t)
{
    bool good = t && !r->subjects[t->subject].failure && t->n_sizes > 0 && (t->verdict != VERDICT_INVALID || is_blind(t)) &&
                t->verdict != VERDICT_NONE;
    for (int i = 0; good && i < t->n_sizes; i++)
        good = isfinite(t->sizes[i].ns);
    return good;
}

static void choose_targets(struct joined *x, int subject)
{
    x->subject = subject;
    x->counts = x->blind = 0;
    for (int i = 0; i < x->n; i++) {
        const struct leak_target *t = record_leak_target(&x->sessions[i], subject);
        if (!target_counts(&x->sessions[i], t) || (x->counts && !targets_alike(x->of[0], t)))
            continue;
        x->of[x->counts++] = t;
        x->blind += is_blind(t);
    }
    x->left_out = x->n - x->counts;
}

static struct tare_interval over_sessions(const struct joined *x, double level)
{
    struct tare_interval i = {NAN, -INFINITY, INFINITY, level, x->counts};
    tare_mean_ci_student(x->values, x->counts, level, &i);
    return i;
}

static struct tare_interval size_at(const struct joined *x, int size, bool cycles, double level)
{
    for (int i = 0; i < x->counts; i++)
        x->values[i] = cycles ? x->of[i]->sizes[size].cycles : x->of[i]->sizes[size].ns;
    return over_sessions(x, level);
}

static const char *class_name(struct record *over, const char *classes, int index)
{
    for (; classes && index > 0; index--) {
        classes = strstr(classes, ", ");
        classes = classes ? classes + 2 : NULL;
    }
    const char *end = classes ? strstr(classes, ", ") : NULL;
    char *name = arena_strdup(&over->arena, classes ? classes : "");
    if (name && end)
        name[end - classes] = 0;
    return name;
}

static bool headed_by(const struct joined *x, const struct leak_target *t, const struct leak_pair_size *s)
{
    const char *first = class_name(x->over, t->classes, s->first), *second = class_name(x->over, t->classes, s->second);
    return t->clip == s->clip && t->first && t->second && first && second && !strcmp(t->first, first) &&
           !strcmp(t->second, second);
}

/* The size that most sessions say; of several one at 90 %, of these the largest. To choose by these few values what is clearest would find what agrees by chance. */
static int headline(const struct joined *x, double level)
{
    int best = 0, most = -1;
    double largest = 0;
    for (int i = 0; i < x->of[0]->n_sizes; i++) {
        const double size = fabs(size_at(x, i, false, level).point);
        int votes = x->of[0]->sizes[i].clip == .9;
        for (int k = 0; k < x->counts; k++)
            votes += 2 * headed_by(x, x->of[k], &x->of[k]->sizes[i]);
        if (votes > most || (votes == most && size > largest)) {
            best = i;
            most = votes;
            largest = size;
        }
    }
    return best;
}

/* The largest step of a clock whose phase nobody drew: so much may be hidden of each session's mean, and of theirs. 0: none has one. */
static double hidden_ns(const struct joined *x)
{
    double step = 0;
    for (int i = 0; i < x->counts; i++)
        step = fmax(step, x->of[i]->step_ns); /* of a NaN the other */
    return step;
}

static struct tare_interval opened(struct tare_interval i, double by)
{
    i.low -= by > 0 ? by : 0;
    i.high += by > 0 ? by : 0;
    return i;
}

static void set_sizes(const struct joined *x, struct leak_target *t)
{
    const double level = (1 - x->over->rule.confidence) / 2 / x->of[0]->n_sizes, step = hidden_ns(x);
    const int at = headline(x, level);
    const struct leak_pair_size *s = &x->of[0]->sizes[at];
    const struct tare_interval ns = opened(size_at(x, at, false, level), step);
    t->size_sd_ns = x->counts > 1 ? tare_stddev(x->values, x->counts) : NAN;
    const struct tare_interval cycles =
        opened(size_at(x, at, true, level), step * x->of[0]->cycles_per_tick * x->of[0]->ticks_hz / 1e9);
    t->step_ns = step > 0 ? step : NAN;
    t->difference_ns = ns.point;
    t->low_ns = ns.low;
    t->high_ns = ns.high;
    t->difference_cycles = cycles.point;
    t->low_cycles = cycles.low;
    t->high_cycles = cycles.high;
    t->clip = s->clip;
    t->classes = x->of[0]->classes;
    t->first = class_name(x->over, t->classes, s->first);
    t->second = class_name(x->over, t->classes, s->second);
    t->least_ns = INFINITY;
    t->most_ns = -INFINITY;
    for (int i = 0; i < x->of[0]->n_sizes; i++) {
        const struct tare_interval one = opened(size_at(x, i, false, level), step);
        t->least_ns = fmin(t->least_ns, one.low);
        t->most_ns = fmax(t->most_ns, one.high);
    }
}

static double mean_of(const struct joined *x, size_t offset)
{
    double sum = 0;
    for (int i = 0; i < x->counts; i++)
        sum += *(const double *)(const void *)((const char *)x->of[i] + offset);
    return sum / x->counts;
}

static void set_advantage(const struct joined *x, struct leak_target *t)
{
    t->tolerated_advantage = x->over->rule.leaks.advantage;
    t->advantage = t->advantage_low = t->advantage_high = t->calls_to_distinguish = t->calls_to_distinguish_low = NAN;
    if (x->of[0]->repeat > 1) /* of several calls in a reading no advantage is said */
        return;
    for (int i = 0; i < x->counts; i++)
        x->values[i] = x->of[i]->advantage;
    const struct tare_interval a = over_sessions(x, (1 - x->over->rule.confidence) / 2);
    t->advantage = a.point;
    t->advantage_low = fmax(0, a.low);
    t->advantage_high = fmin(1, a.high);
    t->calls_to_distinguish = 2 * log(100) / (a.point * a.point);
    t->calls_to_distinguish_low = 2 * log(100) / (t->advantage_high * t->advantage_high);
}

static void set_other_figures(const struct joined *x, struct leak_target *t)
{
    const struct leak_target *first = x->of[0];
    double found = 0;
    t->calls = x->counts * mean_of(x, offsetof(struct leak_target, calls));
    t->blocks = x->counts * mean_of(x, offsetof(struct leak_target, blocks));
    t->seconds = x->counts * mean_of(x, offsetof(struct leak_target, seconds));
    t->margin_ns = mean_of(x, offsetof(struct leak_target, margin_ns));
    t->median_ns = mean_of(x, offsetof(struct leak_target, median_ns));
    t->cycles_per_tick = mean_of(x, offsetof(struct leak_target, cycles_per_tick));
    t->ticks_hz = first->ticks_hz;
    t->repeat = first->repeat;
    t->log10_e = x->counts * mean_of(x, offsetof(struct leak_target, log10_e));
    t->log10_e_most = 0;
    t->sessions_cpus_differ = 0;
    t->core_hz_low = t->core_hz_high = NAN;
    for (int i = 0; i < x->counts; i++) {
        t->core_hz_low = fmin(t->core_hz_low, x->of[i]->core_hz_low); /* of these a NaN is no end */
        t->core_hz_high = fmax(t->core_hz_high, x->of[i]->core_hz_high);
        t->sessions_cpus_differ += x->of[i]->cpus_differ > 0;
        found += x->of[i]->log10_e;
        t->log10_e_most = fmax(t->log10_e_most, found);
    }
    t->cache = first->cache;
    t->program_hash = first->program_hash;
    t->cpu = first->cpu;
}

static bool target_within(const struct leak_target *t)
{
    return t->least_ns >= -t->margin_ns && t->most_ns <= t->margin_ns && !(t->advantage_high > t->tolerated_advantage);
}

static bool all_saw(const struct joined *x)
{
    bool all = true;
    for (int i = 0; i < x->counts; i++)
        all &= x->of[i]->spike_found_after >= 0;
    return all;
}

/* Of so many sessions, were they to scatter as these, the printed size would lie within the margin or beyond it; 0: not to be said. */
static int sessions_needed(const struct joined *x, const struct leak_target *t)
{
    const double level = (1 - x->over->rule.confidence) / 2 / x->of[0]->n_sizes,
                 room = fabs(t->margin_ns - fabs(t->difference_ns)) - (t->step_ns > 0 ? t->step_ns : 0);
    for (int n = x->counts + 1; x->counts > 1 && n <= MOST_SESSIONS; n += 1 + n / 20)
        if (tare_student_quantile(1 - level / 2, n - 1) * t->size_sd_ns / sqrt(n) <= room)
            return n;
    return 0;
}

static const char *why_open(const struct joined *x, const struct leak_target *t)
{
    struct buf b = BUF_INIT(1 << 10);
    const int needed = sessions_needed(x, t);
    if (x->counts < 2)
        buf_str(&b, leak_reason_text(LEAK_WHY_ONE_SESSION));
    else if (t->least_ns >= -t->margin_ns && t->most_ns <= t->margin_ns && t->advantage_high > t->tolerated_advantage)
        buf_str(&b, leak_reason_text(LEAK_WHY_ADVANTAGE));
    else if (target_within(t) && x->left_out)
        buf_format(&b, "%d session%s of %d could not be judged", x->left_out, buf_plural(x->left_out), x->n);
    else if (target_within(t))
        buf_str(&b, leak_reason_text(LEAK_WHY_BLIND_SESSION));
    else if (t->least_ns + t->step_ns >= -t->margin_ns && t->most_ns - t->step_ns <= t->margin_ns)
        buf_str(&b, leak_reason_text(LEAK_WHY_RESOLUTION));
    else if (needed)
        buf_format(&b, "over %d sessions its size is not settled; about %d would do", x->counts, needed);
    else
        buf_format(&b, "over %d sessions its size is not settled", x->counts);
    const char *kept = arena_strdup(&x->over->arena, buf_text(&b));
    buf_finish(&b);
    return kept;
}

static void judge_target(const struct joined *x, bool claimed, struct leak_target *t)
{
    const bool beyond = t->low_ns > t->margin_ns || t->high_ns < -t->margin_ns || t->advantage_low > t->tolerated_advantage;
    const bool inside = x->counts > 1 && target_within(t);
    t->verdict = claimed                                ? inside && !x->blind ? VERDICT_LEAK_SMALL : VERDICT_LEAK
                 : inside && all_saw(x) && !x->left_out ? VERDICT_NO_LEAK
                                                        : VERDICT_UNDECIDED;
    t->why = (claimed && (beyond || t->verdict == VERDICT_LEAK_SMALL)) || t->verdict == VERDICT_NO_LEAK ? NULL : why_open(x, t);
    t->decided = true;
}

static const char *why_none(const struct joined *x)
{
    for (int i = 0; i < x->n; i++) {
        const struct leak_target *t = record_leak_target(&x->sessions[i], x->subject);
        if (target_counts(&x->sessions[i], t) && !is_blind(t))
            continue;
        const char *failure = x->sessions[i].subjects[x->subject].failure;
        if (failure || (t && t->why))
            return failure ? failure : t->why;
    }
    return leak_reason_text(LEAK_WHY_NO_SESSION);
}

static enum tare_status add_target(struct joined *x, int subject)
{
    struct leak_target t;
    choose_targets(x, subject);
    leak_target_init(&t, subject);
    t.kind = x->over->rule.leaks.kind;
    t.sessions = x->counts;
    t.sessions_left_out = x->left_out;
    t.sessions_blind = x->blind;
    const int bad = x->left_out + (x->claimed[subject] ? 0 : x->blind);
    if (!x->counts || 2 * bad > x->n) {
        t.verdict = VERDICT_INVALID;
        t.why = why_none(x);
        t.decided = true;
        return record_set_leak_target(x->over, &t);
    }
    set_sizes(x, &t);
    set_advantage(x, &t);
    set_other_figures(x, &t);
    /* Of the sessions that print the same size. */
    enum { LEAST = 3 }; /* processes, as in leak_processes.c */
    for (int i = 0; i < x->counts; i++) {
        const struct leak_target *one = x->of[i];
        const bool same = one->clip == t.clip && one->first && one->second && t.first && t.second &&
                          !strcmp(one->first, t.first) && !strcmp(one->second, t.second);
        for (int k = 0; same && k < one->n_places; k++)
            if (one->places[k].processes >= LEAST) {
                t.places_low_ns = fmin(t.places_low_ns, one->places[k].ns); /* of a NaN the other */
                t.places_high_ns = fmax(t.places_high_ns, one->places[k].ns);
            }
    }
    judge_target(x, x->claimed[subject], &t);
    return record_set_leak_target(x->over, &t);
}

/* All targets of a set are held together, as those of a session are. */
static void claim_targets(struct joined *x)
{
    const int n = x->over->n_subjects;
    for (int i = 0; i < n; i++) {
        choose_targets(x, i);
        x->log_e[i] = x->counts ? log(10) * x->counts * mean_of(x, offsetof(struct leak_target, log10_e)) : 0;
    }
    if (tare_e_bh(x->log_e, n, x->over->rule.leaks.alpha, x->claimed, x->scratch) < 0)
        memset(x->claimed, 0, (size_t)n * sizeof *x->claimed);
}

static enum tare_status add_targets(struct joined *x)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < x->sessions[0].n_subjects && !status; i++)
        status = record_add_subject(x->over, &x->sessions[0].subjects[i], NULL, 0) < 0 ? TARE_NO_MEMORY : TARE_OK;
    for (int s = 0; s < x->n && !status; s++)
        for (int i = 0; i < x->over->n_subjects && !status; i++) {
            const struct row row = {
                .round = s, .slot = i, .start_ns = x->sessions[s].start_utc_ns - x->over->start_utc_ns, .values = x->values};
            status = record_append_row(x->over, i, &row);
        }
    for (int s = 0; s < x->n; s++)
        x->over->seconds += x->sessions[s].seconds;
    return status;
}

enum tare_status leak_sessions(struct record *over, const struct record *sessions, int n)
{
    const size_t targets = (size_t)sessions[0].n_subjects + 1;
    struct joined x = {.over = over,
                       .sessions = sessions,
                       .n = n,
                       .of = calloc((size_t)n, sizeof *x.of),
                       .values = calloc((size_t)n, sizeof *x.values),
                       .log_e = calloc(targets, sizeof *x.log_e),
                       .claimed = calloc(targets, sizeof *x.claimed),
                       .scratch = calloc(targets, sizeof *x.scratch)};
    enum tare_status status = x.of && x.values && x.log_e && x.claimed && x.scratch ? add_targets(&x) : TARE_NO_MEMORY;
    if (!status)
        claim_targets(&x);
    for (int i = 0; i < over->n_subjects && !status; i++)
        status = add_target(&x, i);
    free(x.of);
    free(x.values);
    free(x.log_e);
    free(x.claimed);
    free(x.scratch);
    return status;
}
