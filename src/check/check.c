/* SPDX-License-Identifier: MIT */
#include "causes.h"
#include "finding.h"
#include "record_kind.h"
#include "units.h"
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>

#define CHECK(kind, function, ids) CHECK_##kind(function)
#define CHECK_SESSION(function)    function,
#define CHECK_SAMPLE(function)
#define CHECK_PAIR(function)
static check_session *const session_checks[] = {
#include "checks.def"
};
#undef CHECK_SESSION
#undef CHECK_SAMPLE
#define CHECK_SESSION(function)
#define CHECK_SAMPLE(function) function,
static check_sample *const sample_checks[] = {
#include "checks.def"
};
#undef CHECK_SAMPLE
#undef CHECK_PAIR
#define CHECK_SAMPLE(function)
#define CHECK_PAIR(function) function,
static check_pair *const pair_checks[] = {
#include "checks.def"
};
#undef CHECK_SESSION
#undef CHECK_SAMPLE
#undef CHECK_PAIR
#undef CHECK

static const char *const all_ids[] = {
#define CHECK(kind, function, ids) ids,
#include "checks.def"
#undef CHECK
};

const char *check_ids(int check)
{
    return check >= 0 && (size_t)check < sizeof all_ids / sizeof *all_ids ? all_ids[check] : NULL;
}

enum { INTERVAL_FROM = 6 }; /* fewest values with an interval for the median without assumptions, at 95 % */

/* ---- reporting ---- */

static bool is_listed(const char *id)
{
    size_t n = strlen(id);
    for (size_t i = 0; i < sizeof all_ids / sizeof *all_ids; i++)
        for (const char *at = all_ids[i]; *at; at += strcspn(at, " "), at += strspn(at, " "))
            if (strcspn(at, " ") == n && !memcmp(at, id, n))
                return true;
    return false;
}

void finding_add(struct check *c, const char *id, enum severity severity, int subject, double weight, const char *advice,
                 const char *format, ...)
{
    bool listed = is_listed(id);
    assert(listed);
    (void)listed;
    if (c->failed)
        return;
    struct buf text = BUF_INIT(1 << 16);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&text, format, ap);
    va_end(ap);
    struct finding f = {
        .id = id, .severity = severity, .subject = subject, .text = buf_text(&text), .advice = advice, .weight = weight};
    c->failed = text.status || record_add_finding(c->r, &f) < 0;
    buf_finish(&text);
}

const char *finding_keep(struct check *c, struct buf *text)
{
    const char *copy = arena_strdup(&c->r->arena, buf_text(text));
    buf_finish(text);
    return copy ? copy : "?";
}

const char *finding_quantity(struct check *c, const char *unit, double value)
{
    struct buf text = BUF_INIT(256);
    struct unit u = unit_for(unit, value);
    unit_quantity(&text, value, u, unit_decimals(value / u.factor, 0));
    return finding_keep(c, &text);
}

const char *finding_change(struct check *c, double percent)
{
    struct buf text = BUF_INIT(64);
    buf_format(&text, "%s%.1f %%", percent < 0 ? "−" : "+", fabs(percent));
    return finding_keep(c, &text);
}

bool finding_of_benchmarks(const struct check *c)
{
    return record_kind(c->r)->processes;
}

const char *finding_runs(const struct check *c, ptrdiff_t n)
{
    if (finding_of_benchmarks(c))
        return n == 1 ? "process" : "processes";
    return n == 1 ? "run" : "runs";
}

const char *finding_p(struct check *c, double p)
{
    struct buf text = BUF_INIT(64);
    if (p < 1e-4)
        buf_str(&text, "p < 0.0001");
    else
        buf_format(&text, "p = %.4f", p);
    return finding_keep(c, &text);
}

/* ---- what several checks ask ---- */

bool finding_several_threads(const struct check *c, int subject)
{
    const struct series *series = &c->r->series[subject];
    const int delay = series_column(series, "delay"), switches = series_column(series, "voluntary");
    const struct rows *const parts[] = {&series->warmup, &series->main};
    bool told = false, several = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && delay >= 0 && switches >= 0; i++)
        for (int row = 0; row < parts[i]->n; row++) {
            told |= !isnan(parts[i]->value[switches][row]); /* else it is the platform that does not tell */
            several |= isnan(parts[i]->value[delay][row]);
        }
    return told && several;
}

double finding_unexplained(const struct check *c, int subject)
{
    const struct estimate *e = record_estimate(c->r, subject, "wall", "explained_variance_share");
    return e && e->point > 0 ? 1 - 0.8 * fmin(e->point, 1) : 1;
}

/* ---- what is checked ---- */

static bool fill_sample(struct check *c, int subject, const double *values, int n, struct sample *out)
{
    const struct metric *metric = record_metric(c->r, c->r->rule.metric);
    if (!metric || n < 1)
        return false;
    memcpy(c->scratch, values, (size_t)n * sizeof *values);
    tare_sort(c->scratch, n);
    *out = (struct sample){.subject = subject,
                           .unit = metric->unit,
                           .kind = metric->kind,
                           .values = values,
                           .n = n,
                           .median = tare_quantile_sorted(c->scratch, n, 0.5)};
    return out->median > 0;
}

static bool sample_of(struct check *c, int subject, int rounds, struct sample *out)
{
    const double *values = series_values(&c->r->series[subject], c->r->rule.metric);
    int n = record_rounds(c->r, &subject, 1);
    if (rounds && rounds < n)
        n = rounds;
    for (int i = 0; values && i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return values && fill_sample(c, subject, values, n, out);
}

/* Of a metric that some runs lack the values that there are. They are no rows, which the other checks need. */
static void check_known_values(struct check *c, int subject)
{
    const double *values = series_values(&c->r->series[subject], c->r->rule.metric);
    int rounds = record_rounds(c->r, &subject, 1), n = 0;
    double *known = c->scratch + rounds;
    struct sample s;
    for (int i = 0; values && i < rounds; i++)
        if (isfinite(values[i]))
            known[n++] = values[i];
    if (fill_sample(c, subject, known, n, &s))
        check_stability(c, &s);
}

static void check_subject(struct check *c, int subject)
{
    struct sample s;
    if (!subject_measured(&c->r->subjects[subject]) || c->r->subjects[subject].kind == SUBJECT_LEAK)
        return;
    if (!sample_of(c, subject, 0, &s)) {
        check_known_values(c, subject);
        return;
    }
    for (size_t i = 0; i < sizeof sample_checks / sizeof *sample_checks; i++)
        sample_checks[i](c, &s);
}

static void check_comparison(struct check *c, int index)
{
    const struct comparison *comparison = &c->r->comparisons[index];
    struct paired_sample p = {.comparison = comparison};
    if (comparison->look == 0 || comparison->verdict == VERDICT_NONE || comparison->arc) /* rows know nothing of single arcs */
        return;
    if (!sample_of(c, comparison->reference, comparison->rounds, &p.reference) ||
        !sample_of(c, comparison->subject, comparison->rounds, &p.subject))
        return;
    for (size_t i = 0; i < sizeof pair_checks / sizeof *pair_checks; i++)
        pair_checks[i](c, &p);
}

/* The empty program was run without and then with counters. */
void check_counter_cost(struct check *c)
{
    const struct estimate *without = NULL, *with = NULL;
    for (int i = 0; i < c->r->n_subjects; i++)
        if (c->r->subjects[i].kind == SUBJECT_NOOP) {
            without = with;
            with = record_estimate(c->r, i, "wall", "median");
        }
    if (without && with)
        finding_add(c, "counter_cost", SEVERITY_NOTE, -1, 1,
                    "It is in the times of all commands alike; measure without perf: metrics if it matters.",
                    "with the counters an empty program takes %s instead of %s", finding_quantity(c, "ns", with->point),
                    finding_quantity(c, "ns", without->point));
}

void check_counters(struct check *c)
{
    const struct check_facts *f = c->facts;
    for (int i = 0; i < f->n_missing_counters; i++)
        finding_add(c, "counter_missing", SEVERITY_WARNING, -1, 100, NULL, "%s", f->missing_counters[i]);
    for (int i = 0; i < f->n_user_only_counters; i++)
        finding_add(c, "counter_user_only", SEVERITY_WARNING, -1, 50, "kernel.perf_event_paranoid of 1 or less allows the rest.",
                    "%s counts user space only, as %s:u would: the kernel's part is not allowed", f->user_only_counters[i],
                    f->user_only_counters[i]);
}

/* Where a stack begins has an effect on speed (Mytkowicz and others, 2009). */
void check_padding(struct check *c)
{
    if (c->facts->unequal_padding)
        finding_add(c, "unequal_padding", SEVERITY_WARNING, -1, 2,
                    "Put the long arguments into a file, so that the command lines have about the same length.",
                    "the command lines differ by more than 100 kB, so the commands' stacks do not begin at the same place");
}

/* The kernel's ticks are those of all CPUs together, so their share is of the time of all CPUs. Told from 1 % of one CPU on: it may be ours. */
void check_steal(struct check *c)
{
    const struct fact *steal_before = facts_find(&c->r->before, "steal_ticks"),
                      *steal_after = facts_find(&c->r->after, "steal_ticks");
    if (!steal_before || !steal_after || !(steal_after->number > steal_before->number))
        return;
    double seconds = (steal_after->number - steal_before->number) / 100; /* the kernel's unit for users is 1/100 s everywhere */
    double of_session = seconds / c->r->seconds;
    if (!(of_session >= 0.01) || !(c->r->seconds > 0)) /* a session that ended before its first run has no length */
        return;
    const struct fact *online = facts_find(&c->r->machine, "cpus_online");
    double cpus = online && !online->reason && online->number > 1 ? online->number : 1, share = 100 * of_session / cpus;
    struct buf of = BUF_INIT(128);
    if (online && !online->reason)
        buf_format(&of, " (%.*f %% of the time of its %g CPU%s)", share < 9.95, share, cpus, buf_plural((int)cpus));
    finding_add(c, "steal", SEVERITY_WARNING, -1, share,
                "Other guests of this host compete with you; compare in interleaved rounds, or measure elsewhere.",
                "the hypervisor gave %.1f s of CPU time to others in a session of %.1f s%s", seconds, c->r->seconds,
                finding_keep(c, &of));
}

static const char *before_text(const struct check *c, const char *key)
{
    const struct fact *f = facts_find(&c->r->before, key);
    return f && f->text ? f->text : "not said";
}

/* What another tool's file does not say, no figure can. */
void check_source(struct check *c)
{
    if (record_source(c->r))
        finding_add(c, "foreign_file", SEVERITY_NOTE, -1, 1000, "For verdicts measure with tare run, in interleaved rounds.",
                    "read from %s, a description and no verdict: one value is %s; order: %s; %s", record_source(c->r),
                    before_text(c, "source_value"), before_text(c, "source_order"), before_text(c, "source_limits"));
}

/* Rounds that were made again, and those that stayed disturbed all the same. */
void check_reruns(struct check *c)
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
    finding_add(c, "rerun", SEVERITY_NOTE, -1, 2,
                finding_of_benchmarks(c) ? "Long processes are disturbed more often, so what is made again favours short ones; "
                                           "--on-dirty=flag counts them all."
                                         : "Long runs are disturbed more often, so what is made again favours short ones; "
                                           "--on-dirty=flag counts them all.",
                "%d round%s made again because a %s was disturbed%s", again, again == 1 ? " was" : "s were", finding_runs(c, 1),
                finding_keep(c, &rest));
}

/* Below 10 the figures hang on single runs, below 6 no interval without assumptions exists at 95 %. The published rule has numbers of
 * its own. */
void check_count(struct check *c)
{
    int fewest = INT_MAX;
    for (int i = 0; i < c->r->n_subjects; i++) {
        int n = record_rounds(c->r, &i, 1);
        if (subject_measured(&c->r->subjects[i]) && n < fewest)
            fewest = n;
    }
    if (fewest < 2 || fewest >= 10 || record_kind(c->r)->targets || c->r->rule.method != METHOD_TARE)
        return;
    finding_add(c, "few_runs", SEVERITY_NOTE, -1, 1,
                finding_of_benchmarks(c) ? "Ask for 10 processes or more with --processes, or leave their number to tare."
                                         : "Ask for 10 runs or more, or leave their number to tare.",
                "%d %s are few: %s", fewest, finding_runs(c, fewest),
                fewest < INTERVAL_FROM     ? "below 6 there is no interval for the median without assumptions"
                : finding_of_benchmarks(c) ? "below 10 an interval hangs on single processes"
                                           : "below 10 an interval hangs on single runs");
}

static int most_rounds(const struct record *r)
{
    int most = 0;
    for (int i = 0; i < r->n_subjects; i++)
        if (r->series[i].main.n > most)
            most = r->series[i].main.n;
    return most;
}

/* ---- copies ---- */

static int copies_of(const struct record *r, int first)
{
    int n = 0;
    for (int i = 0; i < r->n_subjects; i++)
        n += record_first_copy(r, i) == first;
    return n;
}

static struct finding *same_finding(struct record *r, int before, const char *id, int first)
{
    for (int i = 0; i < before; i++)
        if (r->findings[i].subject == first && !strcmp(r->findings[i].id, id))
            return &r->findings[i];
    return NULL;
}

static void say_copies(struct check *c, struct finding *f, int found)
{
    struct buf text = BUF_INIT(1 << 16);
    buf_format(&text, "%s; so it is in %d of %d copies", f->text, found, copies_of(c->r, f->subject));
    const char *kept = text.status ? NULL : arena_strdup(&c->r->arena, buf_text(&text));
    c->failed = c->failed || !kept;
    f->text = kept ? kept : f->text;
    buf_finish(&text);
}

/* --aa: what is found of many copies of the same is told once, of the first, by the heaviest of them. */
static void tell_copies_once(struct check *c)
{
    struct record *r = c->r;
    int n = 0, *found = calloc((size_t)r->n_findings + 1, sizeof *found);
    c->failed = c->failed || !found;
    for (int i = 0; found && i < r->n_findings; i++) {
        struct finding f = r->findings[i];
        f.subject = f.subject < 0 ? f.subject : record_first_copy(r, f.subject);
        struct finding *before = f.subject < 0 ? NULL : same_finding(r, n, f.id, f.subject);
        if (before)
            found[before - r->findings]++;
        else
            found[n] = 1;
        if (before && before->weight < f.weight)
            *before = f;
        else if (!before)
            r->findings[n++] = f;
    }
    r->n_findings = found ? n : r->n_findings;
    for (int i = 0; found && i < n; i++)
        if (r->findings[i].subject >= 0)
            say_copies(c, &r->findings[i], found[i]);
    free(found);
}

enum tare_status check_record(struct record *r, const struct check_facts *facts, struct tare_err *err)
{
    struct check c = {.r = r, .facts = facts, .scratch = malloc((size_t)(most_rounds(r) + 1) * 4 * sizeof(double))};
    if (!c.scratch)
        return err_set(err, TARE_NO_MEMORY, "no memory for the findings");
    for (size_t i = 0; i < sizeof session_checks / sizeof *session_checks; i++)
        session_checks[i](&c);
    bool of_commands = !record_kind(r)->own_commands; /* of a host the commands are tare's own, and dozens */
    for (int i = 0; i < r->n_subjects && of_commands; i++)
        check_subject(&c, i);
    for (int i = 0; i < r->n_comparisons && of_commands; i++)
        check_comparison(&c, i);
    if (r->rule.against_itself && !c.failed)
        tell_copies_once(&c);
    free(c.scratch);
    return c.failed ? err_set(err, TARE_NO_MEMORY, "no memory for the findings") : TARE_OK;
}

/* Of two values of a command whose standard deviation is 30 % of the mean, every fourth pair lies so close together that it looks stable; of six
 * every hundredth. */
bool check_stability_open(const struct record *r, int subject, struct buf *why)
{
    const char *metric = r->rule.metric;
    const struct metric *m = record_metric(r, metric);
    const bool counted = m && m->kind != METRIC_TIME; /* a time of 0 is one that was not seen */
    const struct estimate *median = record_estimate(r, subject, metric, "median"),
                          *min = record_estimate(r, subject, metric, "min"), *max = record_estimate(r, subject, metric, "max");
    if (r->subjects[subject].failure)
        buf_format(why, "it was given up: %s", r->subjects[subject].failure);
    else if (!median || isnan(median->point))
        buf_format(why, "%s: %s", metric, median && median->reason ? median->reason : "not measured");
    else if (median->n < INTERVAL_FROM)
        buf_format(why, "%d value%s, and %d are needed", median->n, buf_plural(median->n), INTERVAL_FROM);
    else if (!(median->point > 0) && !(counted && min && max && min->point == max->point))
        buf_str(why, "its median is not above 0, so that no spread is a share of it");
    else
        return false;
    return true;
}
