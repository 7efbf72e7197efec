/* SPDX-License-Identifier: MIT
 *
 * No statistics of its own: bounds on estimates that are there, in a fixed order. A NaN satisfies no bound.
 */
#include "host_verdict.h"
#include "buf.h"
#include "units.h"
#include <string.h>

static const double HARDLY = 0.1; /* what cannot show ten per cent shows nothing that is argued about */
static const double FELL = 0.02;
static const double POWER = 0.9;       /* as aa_detectable promises */
static const double OTHERS_CPUS = 0.1; /* of one CPU */

static const char *const words[] = {
    [HOST_GOOD] = "good", [HOST_USABLE] = "usable", [HOST_UNFIT] = "unfit", [HOST_UNDECIDED] = "undecided"};

/* The last one of this metric and statistic, of whichever subject. */
static const struct estimate *find_estimate(const struct record *r, const char *metric, const char *statistic)
{
    for (int i = r->n_estimates - 1; i >= 0; i--)
        if (!strcmp(r->estimates[i].metric, metric) && !strcmp(r->estimates[i].statistic, statistic))
            return &r->estimates[i];
    return NULL;
}

struct seen {
    const struct estimate *false_positives, *detectable, *change, *found, *size;
    int sessions;
    double others;
};

/* As if the host had been alone. */
static enum host_word word_alone(const struct seen *s, double margin, double good_for, struct buf *why)
{
    if (good_for > HARDLY) {
        buf_format(why, "90 %% power only for differences of %s and more", figure_text(figure_rough, good_for).at);
        return HOST_UNFIT;
    }
    if (s->change && s->change->high < -FELL)
        buf_format(why, "with all CPUs busy the throughput fell by %s", figure_text(figure_rough, -expm1(s->change->point)).at);
    else if (s->found && s->found->high < POWER)
        buf_format(why, "a program with %s more work was found slower in %.0f of %d sessions",
                   figure_text(figure_rough, s->size->point).at, s->found->point * s->found->n, s->found->n);
    else if (good_for > margin)
        buf_format(why, "90 %% power for a difference of %s, more than the threshold of %s",
                   figure_text(figure_rough, good_for).at, figure_text(figure_level, margin).at);
    else {
        buf_format(why, "90 %% power for a difference of %s", figure_text(figure_rough, good_for).at);
        return HOST_GOOD;
    }
    return HOST_USABLE;
}

static enum host_word judge_host(const struct seen *s, const struct record *r, double good_for, struct buf *why)
{
    double promised = 1 - r->rule.confidence;
    if (s->false_positives && s->false_positives->low > promised) {
        buf_format(why,
                   "%.0f of %d sessions of a program against itself said faster or slower, false positives all: more than the %s "
                   "allowed",
                   s->false_positives->point * s->sessions, s->sessions, figure_text(figure_level, promised).at);
        return HOST_UNFIT;
    }
    if (s->sessions < HOST_SESSIONS) {
        buf_format(why, "%d session%s of a program against itself %s completed; %d are needed", s->sessions,
                   buf_plural(s->sessions), s->sessions == 1 ? "was" : "were", HOST_SESSIONS);
        return HOST_UNDECIDED;
    }
    if (isnan(good_for)) {
        buf_str(why, "no session has an interval, so the smallest detectable difference is not known");
        return HOST_UNDECIDED;
    }
    enum host_word word = word_alone(s, r->rule.margin, good_for, why);
    if (word == HOST_GOOD || !(s->others > OTHERS_CPUS))
        return word;
    buf_format(why, "; but other programs used %.2g CPUs meanwhile: repeat it when the host is idle", s->others);
    return HOST_UNDECIDED;
}

static enum tare_status keep_verdict(struct record *r, const struct host_verdict *v)
{
    enum tare_status status = facts_add_text(r, &r->after, "host_verdict", words[v->word]);
    if (!status)
        status = isnan(v->good_for) ? facts_add_unknown(r, &r->after, "host_good_for", v->why)
                                    : facts_add_number(r, &r->after, "host_good_for", v->good_for);
    return status ? status : facts_add_text(r, &r->after, "host_why", v->why);
}

enum tare_status analyse_host(struct record *r, struct host_verdict *out, struct tare_err *err)
{
    struct buf why = BUF_INIT(4096);
    struct seen s = {.false_positives = find_estimate(r, r->rule.metric, "aa_false_positives"),
                     .detectable = find_estimate(r, r->rule.metric, "aa_detectable"),
                     .change = find_estimate(r, "throughput", "all_change"),
                     .found = find_estimate(r, "planted", "found"),
                     .size = find_estimate(r, "planted", "size"),
                     .others = facts_cpus_of_others(&r->after)};
    s.sessions = s.false_positives ? s.false_positives->n : 0;
    out->good_for = s.detectable ? figure_to_side(s.detectable->point, true) : NAN;
    out->word = judge_host(&s, r, out->good_for, &why);
    out->why = arena_strdup(&r->arena, buf_text(&why));
    buf_finish(&why);
    return !out->why || keep_verdict(r, out) ? err_no_memory(err) : TARE_OK;
}

bool host_verdict_read(const struct record *r, struct host_verdict *out)
{
    const char *word = facts_text(&r->after, "host_verdict"), *why = facts_text(&r->after, "host_why");
    *out = (struct host_verdict){
        .word = HOST_UNDECIDED, .good_for = facts_number(&r->after, "host_good_for"), .why = why ? why : ""};
    for (int i = 0; word && i <= HOST_UNDECIDED; i++)
        if (!strcmp(word, words[i])) {
            out->word = (enum host_word)i;
            return true;
        }
    return false;
}
