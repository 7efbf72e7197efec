/* SPDX-License-Identifier: MIT */
#include "leak_engine.h"
#include "leak_session.h"
#include "plat.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* ---- reports as they come ---- */

enum tare_status leak_take_report(void *run, const struct exec_left *left, double *values, struct tare_err *err)
{
    struct leak *k = run;
    struct tare_err why = {0};
    enum tare_status status = leak_judge_take(k->judges.of[left->subject], left->report, &why);
    const int64_t raw_at = leak_raw_add(&k->raw, left->report->bytes, left->report->n);
    leak_fill(left->report, raw_at, values);
    if (status == TARE_FORMAT || status == TARE_INVALID) { /* of this target alone */
        k->requests[left->subject].unfit = status == TARE_INVALID;
        return err_set(err, TARE_CHILD, "%s", why.text);
    }
    if (status && !k->take_status) {
        k->take_status = status;
        k->take_error = why;
    }
    return TARE_OK;
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
    double longer = k->o->growth ? 0 : longer_ns(&k->requests[subject], k->judges.of[subject]),
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
    const struct leak_judge *j = k->judges.of[subject];
    double spike_ns = leak_judge_spike_ns(j);
    q->ns = ns;
    q->spike_ns = spike_ns > 0 ? spike_ns : q->spike_ns;
    q->spike_adds = leak_judge_spike_adds(j, q->spike_ns);
    q->selfcheck = leak_judge_selfcheck(j, k->o->selfcheck);
    q->blocks = k->o->max_calls ? blocks_left(k, q, j) : 0;
}

static bool is_undecided(const struct record *r, int subject)
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
        left -= is_undecided(r, i) ? 0 : time_of(r, i, &next);
        sharing += is_undecided(r, i);
    }
    for (int i = 0; i < n; i++)
        within += is_undecided(r, subjects[i]) && time_of(r, subjects[i], &next) + next <= left / sharing;
    for (int i = 0; i < n; i++)
        k->requests[subjects[i]].rests = within && time_of(r, subjects[i], &next) + next > left / sharing;
}

static void set_requests(struct leak *k, const int *subjects, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += is_undecided(&k->run.record, subjects[i]);
    for (int i = 0; i < n; i++)
        if (is_undecided(&k->run.record, subjects[i]))
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
        double ns = leak_judge_visible_ns(k->judges.of[t->subject], seconds);
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
    buf_format(&text, ": in %.3g s the smallest difference that can be found is about ", seconds);
    figure_scaled(&text, "ns", least, FIGURE_DIGITS);
    buf_str(&text, ", and the margin is ");
    figure_scaled(&text, "ns", worst->margin_ns, FIGURE_DIGITS);
    buf_str(&text, "; use a longer --max-time or a wider --margin");
    run_note(&k->run, "%s", buf_text(&text));
    buf_finish(&text);
}

/* Given up for what it is, not for a failure. */
static bool is_unfit(const struct leak_request *q)
{
    return q->unfit || q->facts & (WIRE_EQUAL_CLASSES | WIRE_NOT_DETERMINISTIC | WIRE_TOO_COARSE | WIRE_LONG_READINGS);
}

enum tare_status leak_look(void *leak, const int *subjects, int n, struct tare_err *err)
{
    struct leak *k = leak;
    if (k->take_status) {
        *err = k->take_error;
        return k->take_status;
    }
    for (int i = 0; i < k->judges.n; i++)
        k->judges.unfit[i] = is_unfit(&k->requests[i]);
    enum tare_status status = leak_judges_conclude(&k->judges, &k->run.record, err);
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
