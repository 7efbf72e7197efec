/* SPDX-License-Identifier: MIT */
#include "identity_tables.h"
#include <stddef.h>

const struct x86_feature_place x86_features[X86_FEATURES] = {
#define FEATURE(id, name, flag, leaf, subleaf, reg, bit) {name, flag, leaf, subleaf, reg, bit},
#include "x86_features.def"
};
_Static_assert(X86_FEATURES <= 64, "a set of features is one word");

const struct x86_generation_row x86_generations[X86_GENERATIONS] = {
    {VENDOR_OTHER, "", GENERATION_NONE, 0, 0, 0, 0},
#define GENERATION(id, vendor, name, parent, adds, drops, tolerated, l2_kib) \
    {vendor, name, GENERATION_##parent, adds, drops, tolerated, l2_kib},
#include "x86_generations.def"
};

/* The key is CPUID.1 EAX >> 4: extended family 23:16, extended model 15:12, family 7:4, model 3:0. */
#define KEY_FAMILY(key) (((key) >> 4 & 15) == 15 ? 15 + ((key) >> 16 & 255) : ((key) >> 4 & 15))
#define KEY_MODEL(key)  (((key)&15) | ((key) >> 8 & 0xf0))
const struct x86_name x86_names[] = {
#define INTEL(key, first, last, name, core, small, generation, source)                          \
    {VENDOR_INTEL, KEY_FAMILY(key), KEY_MODEL(key),          KEY_MODEL(key), first, last, name, \
     core,         small,           GENERATION_##generation, source},
#define AMD(family, first, last, name, core, generation, source) \
    {VENDOR_AMD, family, first, last, 0, 15, name, core, NULL, GENERATION_##generation, source},
#include "x86_names.def"
};
#undef KEY_FAMILY
#undef KEY_MODEL
const int n_x86_names = sizeof x86_names / sizeof *x86_names;

#define IMPLEMENTER(code, name)
const struct arm_name arm_names[] = {
#define ARM(implementer, part, name, source) {implementer, part, name, source},
#include "arm_names.def"
#undef ARM
};
#undef IMPLEMENTER
const int n_arm_names = sizeof arm_names / sizeof *arm_names;

#define ARM(implementer, part, name, source)
const struct arm_implementer arm_implementers[] = {
#define IMPLEMENTER(code, name) {code, name},
#include "arm_names.def"
#undef IMPLEMENTER
};
#undef ARM
const int n_arm_implementers = sizeof arm_implementers / sizeof *arm_implementers;

/* Looking things up: some hundred rows, once a session. */

uint64_t x86_generation_has(enum x86_generation g)
{
    const struct x86_generation_row *row = &x86_generations[g];
    return g == GENERATION_NONE ? 0 : (x86_generation_has(row->parent) | row->adds) & ~row->drops;
}

uint64_t x86_generation_may_have(enum x86_generation g)
{
    uint64_t tolerated = 0;
    for (enum x86_generation older = g; older != GENERATION_NONE; older = x86_generations[older].parent)
        tolerated |= x86_generations[older].tolerated;
    return x86_generation_has(g) | tolerated;
}

enum x86_generation x86_generation_first(enum x86_vendor vendor, uint64_t seen)
{
    for (int g = GENERATION_NONE + 1; g < X86_GENERATIONS; g++)
        if (x86_generations[g].vendor == vendor && !(seen & ~x86_generation_has((enum x86_generation)g)))
            return (enum x86_generation)g;
    return GENERATION_NONE;
}

const struct x86_name *x86_name_find(enum x86_vendor vendor, int family, int model, int stepping)
{
    for (const struct x86_name *n = x86_names; n < x86_names + n_x86_names; n++)
        if (n->vendor == vendor && n->family == family && model >= n->first_model && model <= n->last_model &&
            stepping >= n->first_stepping && stepping <= n->last_stepping)
            return n;
    return NULL;
}

const char *arm_name_find(int implementer, int part)
{
    for (int i = 0; i < n_arm_names; i++)
        if (arm_names[i].implementer == implementer && arm_names[i].part == part)
            return arm_names[i].name;
    return NULL;
}

const char *arm_implementer_name(int implementer)
{
    for (int i = 0; i < n_arm_implementers; i++)
        if (arm_implementers[i].code == implementer)
            return arm_implementers[i].name;
    return NULL;
}
