/* SPDX-License-Identifier: MIT
 *
 * expected.h - what the tests of identity expect of it, and cpuinfo files in Linux's words.
 */
#ifndef EXPECTED_H
#define EXPECTED_H

#include "machines.h"

void assert_text(const char *what, struct identity_text text, const char *expected);
void assert_unknown(const char *what, struct identity_text text, const char *why);
void assert_number(const char *what, struct identity_number number, int64_t expected);
void assert_no_number(const char *what, struct identity_number number, const char *why);
void assert_confidence(const struct identity *id, enum identity_confidence expected);
void assert_says(const char *text, const char *part);

#define ASSERT_TEXT(field, expected)   assert_text(#field, id.field, expected)
#define ASSERT_UNKNOWN(field, why)     assert_unknown(#field, id.field, why)
#define ASSERT_NUMBER(field, expected) assert_number(#field, id.field, expected)
#define ASSERT_NO_NUMBER(field, why)   assert_no_number(#field, id.field, why)

/* ---- Linux's words for what processors have, generation by generation ---- */

#define WORDS_NEHALEM "fpu tsc msr cx8 mmx fxsr sse sse2 ht pni ssse3 sse4_1 sse4_2 popcnt"
#define WORDS_HASWELL WORDS_NEHALEM " aes avx f16c rdrand fsgsbase erms avx2 fma bmi1 bmi2 movbe invpcid"
#define WORDS_SKYLAKE WORDS_HASWELL " rdseed adx smap clflushopt xsavec mpx"
#define WORDS_ICE_LAKE \
    WORDS_SKYLAKE " sha_ni avx512f avx512bw avx512ifma avx512vbmi avx512_vbmi2 avx512_vnni gfni vaes fsrm rdpid"
#define WORDS_SAPPHIRE_RAPIDS                                                                                               \
    WORDS_ICE_LAKE " clwb avx512_bf16 avx512_fp16 avx_vnni amx_tile amx_int8 amx_bf16 movdiri movdir64b waitpkg serialize " \
                   "cldemote enqcmd wbnoinvd"
#define WORDS_ZEN \
    "fpu pni ssse3 sse4_1 sse4_2 sse4a popcnt aes avx f16c fma rdrand avx2 bmi1 bmi2 smap adx rdseed clflushopt sha_ni clzero"
#define WORDS_ZEN2 WORDS_ZEN " clwb rdpru rdpid wbnoinvd"
#define WORDS_ZEN3 WORDS_ZEN2 " vaes erms fsrm invpcid pku"
#define WORDS_ZEN4 WORDS_ZEN3 " avx512f avx512bw avx512ifma avx512vbmi avx512_vbmi2 avx512_vnni avx512_bf16 gfni"
#define WORDS_ZEN5 WORDS_ZEN4 " avx_vnni movdiri movdir64b avx512_vp2intersect prefetchi"

/* A cpuinfo of one CPU. The text lives until the next call. */
const struct file *cpuinfo(const char *vendor, int family, int model, int stepping, const char *brand, const char *flags);
struct identity intel(struct machine *m, int family, int model, int stepping, const char *flags);
struct identity amd(struct machine *m, int family, int model, const char *flags);

#endif
