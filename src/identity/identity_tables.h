/* SPDX-License-Identifier: MIT
 *
 * identity_tables.h - the lists of x86_names.def, x86_generations.def, x86_features.def and arm_names.def as const tables.
 *
 *     const struct x86_name *n = x86_name_find(VENDOR_INTEL, 6, 0x8f, 8);
 *     uint64_t wrong = seen & ~x86_generation_may_have(n->generation);
 *
 * Private to the module and its tests. Nothing is read here; all calls are pure.
 */
#ifndef IDENTITY_TABLES_H
#define IDENTITY_TABLES_H

#include <stdint.h>

/* ---- x86 ---- */

enum x86_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD };

enum x86_feature {
#define FEATURE(id, name, flag, leaf, subleaf, reg, bit) FEATURE_##id,
#include "x86_features.def"
    X86_FEATURES
};

struct x86_feature_place {
    const char *name, *flag;
    uint32_t leaf, subleaf;
    int reg, bit;
};
extern const struct x86_feature_place x86_features[X86_FEATURES];

enum x86_generation {
    GENERATION_NONE,
#define GENERATION(id, vendor, name, parent, adds, drops, tolerated, l2_kib) GENERATION_##id,
#include "x86_generations.def"
    X86_GENERATIONS
};

/* Sets of features: bit 1 << FEATURE_X. */
struct x86_generation_row {
    enum x86_vendor vendor;
    const char *name;
    enum x86_generation parent;
    uint64_t adds, drops, tolerated;
    int l2_kib;
};
extern const struct x86_generation_row x86_generations[X86_GENERATIONS];

uint64_t x86_generation_has(enum x86_generation g);      /* instruction sets of the generation */
uint64_t x86_generation_may_have(enum x86_generation g); /* and those that a few samples show */
/* The first of the vendor in time that has all of `seen`; NONE: there is none. */
enum x86_generation x86_generation_first(enum x86_vendor vendor, uint64_t seen);

struct x86_name {
    enum x86_vendor vendor;
    int family, first_model, last_model, first_stepping, last_stepping;
    const char *name, *core, *small_core; /* small_core NULL: all cores are alike */
    enum x86_generation generation;
    const char *source;
};
extern const struct x86_name x86_names[];
extern const int n_x86_names;
/* NULL: in no row. */
const struct x86_name *x86_name_find(enum x86_vendor vendor, int family, int model, int stepping);

/* ---- Arm ---- */

struct arm_name {
    int implementer, part;
    const char *name, *source;
};
extern const struct arm_name arm_names[];
extern const int n_arm_names;
struct arm_implementer {
    int code;
    const char *name;
};
extern const struct arm_implementer arm_implementers[];
extern const int n_arm_implementers;
const char *arm_name_find(int implementer, int part); /* NULL: in no row */
const char *arm_implementer_name(int implementer);    /* NULL: in no row */

#endif
