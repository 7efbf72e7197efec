/* SPDX-License-Identifier: MIT
 *
 * The tables of code names, held to their own rules: sorted, no key twice, every row with its source, every name that the
 * first list had is still there.
 */
#include "identity_tables.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void signatures_are_sorted_and_no_row_hides_another(void **state)
{
    (void)state;
    assert_true(n_x86_names > 100);
    for (const struct x86_name *n = x86_names; n < x86_names + n_x86_names; n++) {
        if (n->first_model > n->last_model || n->first_stepping > n->last_stepping || n->last_stepping > 15 ||
            n->last_model > 255)
            fail_msg("%s: an empty row", n->name);
        const struct x86_name *before = n - 1;
        if (n == x86_names || before->vendor != n->vendor || before->family != n->family) {
            if (n > x86_names && (before->vendor > n->vendor || (before->vendor == n->vendor && before->family > n->family)))
                fail_msg("%s of family %d stands too late", n->name, n->family);
            continue;
        }
        bool later = n->first_model > before->last_model ||
                     (n->first_model == before->first_model && n->last_model == before->last_model &&
                      n->first_stepping > before->last_stepping);
        if (!later)
            fail_msg("%s (family %d model 0x%x) does not come after %s", n->name, n->family, (unsigned)n->first_model,
                     before->name);
    }
}

static void every_signature_has_names_a_generation_and_a_source(void **state)
{
    (void)state;
    static const char *const sources[] = {"family", "microcode", "sdm", "xen", "pm", "linux", "llvm", "illumos", "ppr"};
    for (const struct x86_name *n = x86_names; n < x86_names + n_x86_names; n++) {
        bool known = false;
        for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
            known |= !strcmp(n->source, sources[i]);
        if (!known || !*n->name || !*n->core || n->generation == GENERATION_NONE ||
            x86_generations[n->generation].vendor != n->vendor)
            fail_msg("%s: source '%s', core '%s'", n->name, n->source, n->core);
    }
}

/* The list of the article that this table goes on from: the name may be that of the chip or of its core. */
static void every_name_of_the_first_list_is_found(void **state)
{
    (void)state;
    static const struct {
        int key;
        const char *name;
    } list[] = {
        {0x006d, "Dothan"},      {0x006e, "Yonah"},        {0x006f, "Conroe"},          {0x00f2, "NetBurst"},
        {0x00f4, "Prescott"},    {0x1067, "Wolfdale"},     {0x106a, "Bloomfield"},      {0x106e, "Lynnfield"},
        {0x206c, "Gulftown"},    {0x2065, "Arrandale"},    {0x206e, "Nehalem"},         {0x206f, "Westmere"},
        {0x3067, "Silvermont"},  {0x206a, "Sandy Bridge"}, {0x206d, "Sandy Bridge"},    {0x306a, "Ivy Bridge"},
        {0x306e, "Ivy Bridge"},  {0x306c, "Haswell"},      {0x306f, "Haswell"},         {0x4065, "Haswell"},
        {0x4066, "Haswell"},     {0x306d, "Broadwell"},    {0x4067, "Broadwell"},       {0x406f, "Broadwell"},
        {0x5066, "Broadwell"},   {0x406e, "Skylake"},      {0x5065, "Skylake"},         {0x506e, "Skylake"},
        {0x506c, "Apollo Lake"}, {0x806e, "Kaby Lake"},    {0x906e, "Kaby Lake"},       {0x706a, "Gemini Lake"},
        {0x406a, "Merrifield"},  {0x406c, "Cherry View"},  {0x406d, "Avoton"},          {0x5067, "Knights"},
        {0x506a, "Moorefield"},  {0x506f, "Denverton"},    {0x606e, "Cougar Mountain"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int family = list[i].key >> 4 & 15, model = (list[i].key & 15) | (list[i].key >> 8 & 0xf0);
        const struct x86_name *n = x86_name_find(VENDOR_INTEL, family, model, 0);
        if (!n || (strcmp(n->name, list[i].name) && strcmp(n->core, list[i].name)))
            fail_msg("%04x: '%s', expected '%s'", (unsigned)list[i].key, n ? n->name : "none", list[i].name);
    }
}

static void generations_build_on_older_ones_and_are_guessed_no_later(void **state)
{
    (void)state;
    for (int g = GENERATION_NONE + 1; g < X86_GENERATIONS; g++) {
        const struct x86_generation_row *row = &x86_generations[g];
        if ((int)row->parent >= g || (row->parent != GENERATION_NONE && x86_generations[row->parent].vendor != row->vendor))
            fail_msg("%s stands before its parent", row->name);
        /* What a generation adds is new: its parent has none of it. Those that are newer than the lists may have anything. */
        if (~row->adds && (row->adds & x86_generation_has(row->parent)))
            fail_msg("%s adds what its parent has", row->name);
        uint64_t all = x86_generation_has((enum x86_generation)g);
        enum x86_generation first = x86_generation_first(row->vendor, all);
        if (first == GENERATION_NONE || (int)first > g)
            fail_msg("all features of %s are guessed as the later %s", row->name, x86_generations[first].name);
        if (all & ~x86_generation_may_have((enum x86_generation)g))
            fail_msg("%s contradicts itself", row->name);
    }
    static const enum x86_generation own[] = {GENERATION_HASWELL,
                                              GENERATION_SKYLAKE,
                                              GENERATION_CASCADE_LAKE,
                                              GENERATION_ICE_LAKE,
                                              GENERATION_TREMONT,
                                              GENERATION_ALDER_LAKE,
                                              GENERATION_SAPPHIRE_RAPIDS,
                                              GENERATION_GRANITE_RAPIDS,
                                              GENERATION_SIERRA_FOREST,
                                              GENERATION_LUNAR_LAKE,
                                              GENERATION_PILEDRIVER,
                                              GENERATION_ZEN,
                                              GENERATION_ZEN2,
                                              GENERATION_ZEN3,
                                              GENERATION_ZEN4,
                                              GENERATION_ZEN5};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_int_equal(x86_generation_first(x86_generations[own[i]].vendor, x86_generation_has(own[i])), own[i]);
    assert_int_equal(x86_generation_first(VENDOR_OTHER, 0), GENERATION_NONE);
}

static void features_stand_in_their_places(void **state)
{
    (void)state;
    for (int i = 0; i < X86_FEATURES; i++) {
        const struct x86_feature_place *f = &x86_features[i];
        assert_in_range(f->reg, 0, 3);
        assert_in_range(f->bit, 0, 31);
        for (int j = 0; j < i; j++) {
            const struct x86_feature_place *other = &x86_features[j];
            if (!strcmp(f->flag, other->flag) || !strcmp(f->name, other->name) ||
                (f->leaf == other->leaf && f->subleaf == other->subleaf && f->reg == other->reg && f->bit == other->bit))
                fail_msg("%s and %s are one", f->name, other->name);
        }
    }
}

static void arm_parts_are_sorted_and_each_implementer_is_named(void **state)
{
    (void)state;
    assert_true(n_arm_names > 80);
    for (int i = 0; i < n_arm_names; i++) {
        const struct arm_name *n = &arm_names[i];
        if (i > 0 && (n->implementer << 12 | n->part) <= (n[-1].implementer << 12 | n[-1].part))
            fail_msg("%s does not come after %s", n->name, n[-1].name);
        if (!arm_implementer_name(n->implementer) || n->part > 0xfff || !*n->name)
            fail_msg("%s: implementer 0x%x", n->name, (unsigned)n->implementer);
        if (strcmp(n->source, "linux") && strcmp(n->source, "util-linux") && strcmp(n->source, "arm32"))
            fail_msg("%s: source '%s'", n->name, n->source);
        assert_ptr_equal(arm_name_find(n->implementer, n->part), n->name);
    }
    for (int i = 1; i < n_arm_implementers; i++)
        assert_true(arm_implementers[i].code > arm_implementers[i - 1].code);
    assert_null(arm_name_find(0x41, 0x001));
    assert_null(arm_implementer_name(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_sorted_and_no_row_hides_another),
        cmocka_unit_test(every_signature_has_names_a_generation_and_a_source),
        cmocka_unit_test(every_name_of_the_first_list_is_found),
        cmocka_unit_test(generations_build_on_older_ones_and_are_guessed_no_later),
        cmocka_unit_test(features_stand_in_their_places),
        cmocka_unit_test(arm_parts_are_sorted_and_each_implementer_is_named),
    };
    return cmocka_run_group_tests_name("identity_tables", tests, NULL, NULL);
}
