/* SPDX-License-Identifier: MIT
 *
 * What the script's CPUs get done when they are all busy, see fake.h.
 */
#include "fake_reading.h"
#include "fake_state.h"
#include "plat.h"
#include "posix.h"

static bool siblings(struct reading *r)
{
    struct fake_siblings *s = append(r, &r->s->stress.siblings);
    int64_t one, other;
    if (!s || !fake_words_integer(&r->w, "a CPU", 0, 65535, &one) || !fake_words_integer(&r->w, "a CPU", 0, 65535, &other))
        return false;
    s->one = (int)one;
    s->other = (int)other;
    return fake_words_percent(&r->w, &s->share);
}

static bool stealing(struct reading *r)
{
    struct fake_stealing *s = append(r, &r->s->stress.stealing);
    return s && fake_words_percent(&r->w, &s->share) && (!fake_words_accept(&r->w, "at") || fake_words_time(&r->w, &s->at_ns));
}

static bool rate(struct reading *r)
{
    struct fake_rate *fresh = append(r, &r->s->stress.rates);
    return fresh && fake_words_quantity(&r->w, "1", &fresh->hz) &&
           (!fake_words_accept(&r->w, "at") || fake_words_time(&r->w, &fresh->at_ns));
}

bool fake_set_stress(struct reading *r)
{
    char *reason;
    if (fake_words_accept(&r->w, "siblings"))
        return siblings(r);
    if (fake_words_accept(&r->w, "stolen"))
        return stealing(r);
    if (!fake_words_accept(&r->w, "unsupported"))
        return rate(r);
    if (!fake_words_text(&r->w, "the reason", &reason))
        return false;
    r->s->stress.reason = reason;
    return true;
}

static bool among(const int *cpus, int n, int cpu)
{
    for (int i = 0; i < n; i++)
        if (cpus[i] == cpu)
            return true;
    return false;
}

static double shared(const struct fake_stress *b, const int *cpus, int n, int cpu)
{
    double share = 1;
    for (const struct fake_siblings *s = b->siblings; s; s = s->next)
        if ((s->one == cpu && among(cpus, n, s->other)) || (s->other == cpu && among(cpus, n, s->one)))
            share *= s->share;
    return share;
}

static double stolen(const struct fake_state *w)
{
    double share = 0;
    for (const struct fake_stealing *s = w->script.stress.stealing; s; s = s->next)
        if (fake_elapsed(w) >= s->at_ns)
            share = s->share;
    return share;
}

static double rate_now(const struct fake_state *w)
{
    double hz = 3e9;
    for (const struct fake_rate *r = w->script.stress.rates; r; r = r->next)
        if (fake_elapsed(w) >= r->at_ns)
            hz = r->hz;
    return hz / fake_session_factor(w);
}

enum tare_status plat_stress(const int *cpus, int n, int64_t duration_ns, struct plat_stressed *out, struct tare_err *err)
{
    struct fake_state *w = fake_state();
    const struct fake_stress *b = &w->script.stress;
    if (b->reason)
        return err_set(err, TARE_UNSUPPORTED, "%s", b->reason);
    for (int i = 0; i < n; i++)
        if (!plat_cpu_allowed(cpus[i]))
            return posix_pin_refused(cpus[i], err);
    int64_t cpu_ns = (int64_t)((double)duration_ns * (1 - stolen(w)));
    for (int i = 0; i < n; i++)
        out[i] = (struct plat_stressed){.multiplies = rate_now(w) * shared(b, cpus, n, cpus[i]) * (double)cpu_ns / 1e9,
                                        .wall_ns = duration_ns,
                                        .cpu_ns = cpu_ns};
    fake_advance(w, duration_ns);
    return TARE_OK;
}
