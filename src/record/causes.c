/* SPDX-License-Identifier: MIT */
#include "causes.h"

enum cause_bit {
#define CAUSE(name, bit, word, exogenous, text) CAUSE_BIT_##name = bit,
#include "cause.def"
#undef CAUSE
};

static const struct cause causes[] = {
#define CAUSE(name, bit, word, exogenous, text) {UINT32_C(1) << (bit), word, exogenous, text},
#include "cause.def"
#undef CAUSE
};

enum { CAUSES = sizeof causes / sizeof *causes };

const struct cause *cause_at(int index)
{
    return index >= 0 && index < CAUSES ? &causes[index] : NULL;
}

const char *cause_column(const struct cause *c)
{
    return c->bit == UINT32_C(1) << CAUSE_BIT_PREEMPTED   ? "delay"
           : c->bit == UINT32_C(1) << CAUSE_BIT_STOLEN    ? "steal"
           : c->bit == UINT32_C(1) << CAUSE_BIT_THROTTLED ? "throttled"
                                                          : NULL;
}

uint32_t causes_all(void)
{
    uint32_t all = 0;
    for (int i = 0; i < CAUSES; i++)
        all |= causes[i].bit;
    return all;
}

uint32_t causes_exogenous(void)
{
    uint32_t all = 0;
    for (int i = 0; i < CAUSES; i++)
        all |= causes[i].exogenous ? causes[i].bit : 0;
    return all;
}

bool series_has_account(const struct series *s)
{
    return series_column(s, "delay") >= 0;
}
