/* SPDX-License-Identifier: MIT */
#include "expected.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void assert_text(const char *what, struct identity_text text, const char *expected)
{
    if (!text.text || text.unknown || strcmp(text.text, expected))
        fail_msg("%s: '%s' (%s), expected '%s'", what, text.text ? text.text : "unknown", text.unknown ? text.unknown : "known",
                 expected);
}

void assert_unknown(const char *what, struct identity_text text, const char *why)
{
    if (text.text || !text.unknown || strcmp(text.unknown, why))
        fail_msg("%s: '%s' (%s), expected to be unknown: %s", what, text.text ? text.text : "unknown",
                 text.unknown ? text.unknown : "known", why);
}

void assert_number(const char *what, struct identity_number number, int64_t expected)
{
    if (number.unknown || number.value != expected)
        fail_msg("%s: %lld (%s), expected %lld", what, (long long)number.value, number.unknown ? number.unknown : "known",
                 (long long)expected);
}

void assert_no_number(const char *what, struct identity_number number, const char *why)
{
    if (!number.unknown || strcmp(number.unknown, why))
        fail_msg("%s: %lld (%s), expected to be unknown: %s", what, (long long)number.value,
                 number.unknown ? number.unknown : "known", why);
}

void assert_confidence(const struct identity *id, enum identity_confidence expected)
{
    if (id->name.confidence != expected)
        fail_msg("'%s' is %s, expected %s: %s", id->name.name.text ? id->name.name.text : "unknown",
                 identity_confidence_text(id->name.confidence), identity_confidence_text(expected), id->name.reasoning);
}

void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

/* A cpuinfo of one CPU. The caller frees nothing: the text lives until the next call. */
const struct file *cpuinfo(const char *vendor, int family, int model, int stepping, const char *brand, const char *flags)
{
    static char text[4096];
    static struct file files[2] = {{"/proc/cpuinfo", text}};
    snprintf(text, sizeof text,
             "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: %s\nstepping\t: %d\n"
             "microcode\t: 0x2b000603\nflags\t\t: %s\nbugs\t\t:\n\n",
             vendor, family, model, brand, stepping, flags);
    return files;
}

struct identity intel(struct machine *m, int family, int model, int stepping, const char *flags)
{
    m->files = cpuinfo("GenuineIntel", family, model, stepping, "a processor @ 2.40GHz", flags);
    return machine_identify(m);
}

struct identity amd(struct machine *m, int family, int model, const char *flags)
{
    m->files = cpuinfo("AuthenticAMD", family, model, 1, "a processor", flags);
    return machine_identify(m);
}
