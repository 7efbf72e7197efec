/* SPDX-License-Identifier: MIT
 *
 * What a script says of the processor: its counter, core frequency and cpuid.
 */
#include "fake_reading.h"
#include <string.h>

static bool hertz(struct fake_words *w, double *out)
{
    if (!fake_words_quantity(w, "1", out))
        return false;
    return (*out >= 1 && *out <= 1e11) || fake_words_fault(w, "a frequency lies between 1 and 100G");
}

static bool rate(struct reading *r, struct fake_rate **list)
{
    struct fake_rate *fresh = append(r, list);
    if (!fresh || !hertz(&r->w, &fresh->hz))
        return false;
    return !fake_words_accept(&r->w, "at") || fake_words_time(&r->w, &fresh->at_ns);
}

static bool count(struct fake_words *w, int64_t *out)
{
    double number;
    if (!fake_words_quantity(w, "1", &number))
        return false;
    *out = (int64_t)number;
    return true;
}

static bool tick_jump(struct reading *r)
{
    struct fake_tick_jump *j = append(r, &r->s->ticks.jumps);
    if (!j || !count(&r->w, &j->by_ticks))
        return false;
    return fake_words_accept(&r->w, "at") ? fake_words_time(&r->w, &j->at_ns)
                                          : fake_words_fault(&r->w, "ticks jump needs `at TIME`");
}

static bool tick_skew(struct reading *r)
{
    struct fake_tick_skew *s = append(r, &r->s->ticks.skews);
    int64_t cpu;
    if (!s || !fake_words_integer(&r->w, "a CPU", 0, 65535, &cpu))
        return false;
    s->cpu = (int)cpu;
    return count(&r->w, &s->by_ticks);
}

static bool tick_text(struct reading *r, const char **out)
{
    char *text;
    if (!fake_words_text(&r->w, "a word", &text))
        return false;
    *out = text;
    return true;
}

bool fake_set_ticks(struct reading *r)
{
    struct fake_words *w = &r->w;
    struct fake_ticks *t = &r->s->ticks;
    if (fake_words_accept(w, "forbidden"))
        return t->forbidden = true;
    if (fake_words_accept(w, "missing"))
        return tick_text(r, &t->missing);
    if (fake_words_accept(w, "name"))
        return tick_text(r, &t->name);
    if (fake_words_accept(w, "cost"))
        return fake_words_model(w, "1", &t->cost);
    if (fake_words_accept(w, "step"))
        return fake_words_integer(w, "a step", 1, 1000000000, &t->step);
    if (fake_words_accept(w, "jump"))
        return tick_jump(r);
    if (fake_words_accept(w, "skew"))
        return tick_skew(r);
    if (fake_words_accept(w, "kernel"))
        return hertz(w, &t->kernel_hz);
    if (fake_words_accept(w, "register"))
        return count(w, &t->register_hz);
    return rate(r, &t->rates);
}

static bool cycles(struct fake_words *w, double *out)
{
    if (!fake_words_quantity(w, "1", out))
        return false;
    return *out > 0 || fake_words_fault(w, "an instruction takes some part of a cycle");
}

bool fake_set_core(struct reading *r)
{
    struct fake_ticks *t = &r->s->ticks;
    if (fake_words_accept(&r->w, "multiply"))
        return cycles(&r->w, &t->multiply_cycles);
    if (fake_words_accept(&r->w, "add"))
        return cycles(&r->w, &t->add_cycles) && (!fake_words_accept(&r->w, "until") || fake_words_time(&r->w, &t->add_until_ns));
    return rate(r, &t->core_rates);
}

static bool hexadecimal(struct fake_words *w, uint32_t *out)
{
    static const char digits[] = "0123456789abcdef";
    char *text;
    if (!fake_words_text(w, "LEAF SUBLEAF EAX EBX ECX EDX", &text))
        return false;
    *out = 0;
    const char *s = text;
    for (const char *d; *s && s - text < 8 && (d = strchr(digits, *s)); s++)
        *out = *out << 4 | (uint32_t)(d - digits);
    return (s > text && !*s) || fake_words_fault(w, "'%s' is not a hexadecimal number of up to 8 digits", text);
}

bool fake_set_cpuid(struct reading *r)
{
    if (fake_words_accept(&r->w, "denied"))
        return r->s->ticks.cpuid_denied = true;
    struct fake_cpuid *c = append(r, &r->s->ticks.cpuid);
    bool good = c && hexadecimal(&r->w, &c->leaf) && hexadecimal(&r->w, &c->subleaf);
    for (int i = 0; good && i < 4; i++)
        good = hexadecimal(&r->w, &c->registers[i]);
    return good;
}

static bool step(struct fake_words *w, int64_t *out)
{
    return fake_words_time(w, out) && (*out || fake_words_fault(w, "a step cannot be nought"));
}

bool fake_set_clock_kind(struct reading *r)
{
    struct fake_words *w = &r->w;
    struct fake_ticks *t = &r->s->ticks;
    if (fake_words_accept(w, "raw"))
        return fake_words_percent(w, &t->raw_ratio);
    if (fake_words_accept(w, "coarse"))
        return step(w, &t->coarse_step_ns);
    if (fake_words_accept(w, "cpu"))
        return step(w, &t->cpu_step_ns);
    if (fake_words_accept(w, "kernel"))
        return fake_words_time(w, &t->kernel_cost_ns);
    return fake_words_fault(w, "clock has step, start, utc, jump, back, raw, coarse, cpu and kernel");
}
