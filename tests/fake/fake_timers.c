/* SPDX-License-Identifier: MIT
 *
 * What the scripted system does by the clock: naps, tick, slices, and what a script says of them.
 */
#include "fake_reading.h"
#include "fake_state.h"
#include "plat.h"

static bool time_or_unknown(struct fake_words *w, int64_t *out_ns)
{
    if (!fake_words_accept(w, "unknown"))
        return fake_words_time(w, out_ns);
    *out_ns = -1;
    return true;
}

static bool set_period(struct reading *r)
{
    struct fake_words *w = &r->w;
    char *reason;
    if (!fake_words_accept(w, "unknown")) {
        const bool good = fake_words_time(w, &r->s->period_coarsest_ns) && fake_words_time(w, &r->s->period_finest_ns);
        r->s->nap_tick_ns = r->s->period_coarsest_ns;
        return good;
    }
    if (!fake_words_text(w, "the reason", &reason))
        return false;
    r->s->period_reason = reason;
    return true;
}

bool fake_set_nap(struct reading *r)
{
    struct fake_words *w = &r->w;
    if (fake_words_accept(w, "late"))
        return fake_words_model(w, "ns", &r->s->nap_late);
    if (fake_words_accept(w, "tick"))
        return fake_words_time(w, &r->s->nap_tick_ns);
    if (fake_words_accept(w, "slack"))
        return time_or_unknown(w, &r->s->slack_ns);
    if (fake_words_accept(w, "period"))
        return set_period(r);
    return fake_words_fault(w, "nap has late, tick, slack and period");
}

bool fake_set_slice(struct reading *r)
{
    struct fake_words *w = &r->w;
    char *reason;
    if (fake_words_accept(w, "told"))
        return time_or_unknown(w, &r->s->slice_told_ns);
    if (!fake_words_accept(w, "unsupported"))
        return fake_words_model(w, "ns", &r->s->slice);
    if (!fake_words_text(w, "the reason", &reason))
        return false;
    r->s->slice_reason = reason;
    return true;
}

static int64_t rounded_up(int64_t ns, int64_t unit)
{
    return unit > 0 ? (ns + unit - 1) / unit * unit : ns;
}

void plat_nap_ns(int64_t ns)
{
    struct fake_state *w = fake_state();
    struct fake_script *s = &w->script;
    int64_t late = (int64_t)fake_model_draw(&s->nap_late, &s->timer_rng, ++w->naps, 0);
    int64_t end = rounded_up(fake_elapsed(w) + ns + late, s->nap_tick_ns), length = end - fake_elapsed(w);
    int64_t until_signal = fake_next_signal(w) - fake_elapsed(w);
    fake_advance(w, until_signal < length ? until_signal : length);
}

enum tare_status plat_timer_period(struct plat_timer_period *out, struct tare_err *err)
{
    const struct fake_script *s = &fake_state()->script;
    if (s->period_reason)
        return err_set(err, TARE_UNSUPPORTED, "%s", s->period_reason);
    if (!s->period_coarsest_ns)
        return err_set(err, TARE_NOT_FOUND, "each sleep has a timer of its own here");
    *out = (struct plat_timer_period){.now_ns = s->nap_tick_ns,
                                      .finest_ns = s->period_finest_ns,
                                      .coarsest_ns = s->period_coarsest_ns,
                                      .day_ns = s->period_coarsest_ns};
    return TARE_OK;
}

enum tare_status plat_timer_wish(int64_t ns, struct tare_err *err)
{
    struct fake_script *s = &fake_state()->script;
    struct plat_timer_period p;
    enum tare_status status = plat_timer_period(&p, err);
    if (!status)
        s->nap_tick_ns = ns ? ns : p.coarsest_ns;
    return status;
}

int64_t plat_timer_slack_ns(void)
{
    return fake_state()->script.slack_ns;
}

int64_t plat_slice_told_ns(void)
{
    return fake_state()->script.slice_told_ns;
}

enum tare_status plat_slices_measure(int cpu, int64_t duration_ns, double *slice_ns, int max, int *n, struct tare_err *err)
{
    struct fake_state *w = fake_state();
    struct fake_script *s = &w->script;
    *n = 0;
    if (!plat_cpu_allowed(cpu))
        return err_set(err, TARE_INVALID, "CPU %d is offline or not allowed to us", cpu);
    if (s->slice_reason)
        return err_set(err, TARE_UNSUPPORTED, "%s", s->slice_reason);
    int64_t spent = 0;
    while (*n < max) {
        double slice = fake_model_draw(&s->slice, &s->timer_rng, ++w->slices, 0);
        spent += (int64_t)slice + 1;
        if (spent > duration_ns)
            break;
        slice_ns[(*n)++] = slice;
    }
    fake_advance(w, duration_ns);
    return TARE_OK;
}
