/* SPDX-License-Identifier: MIT
 * The words for enum values in files and on the screen, and the way back. */
#include "record.h"
#include "repetition.h"
#include <string.h>

struct words {
    int n;
    const char *const *items; /* by enum value; NULL: the value has no word */
};

#define WORDS(name, ...)                                     \
    static const char *const name##_items[] = {__VA_ARGS__}; \
    static const struct words name = {sizeof name##_items / sizeof *name##_items, name##_items};

WORDS(verdicts, [VERDICT_NONE] = "none", [VERDICT_FASTER] = "faster", [VERDICT_SLOWER] = "slower", [VERDICT_LOWER] = "lower",
      [VERDICT_HIGHER] = "higher", [VERDICT_SAME] = "same", [VERDICT_UNDECIDED] = "undecided", [VERDICT_INVALID] = "invalid",
      [VERDICT_NOT_COMPARABLE] = "not_comparable", [VERDICT_LEAK] = "leak", [VERDICT_LEAK_SMALL] = "leak_small",
      [VERDICT_NO_LEAK] = "no_leak")
WORDS(severities, [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error")
WORDS(kinds, [METRIC_TIME] = "time", [METRIC_SIZE] = "size", [METRIC_COUNT] = "count", [METRIC_OWN] = "own")
WORDS(directions, [METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher", [METRIC_NEUTRAL] = "neutral")
WORDS(subject_kinds, [SUBJECT_COMMAND] = "command", [SUBJECT_BENCH] = "benchmark", [SUBJECT_LEAK] = "target",
      [SUBJECT_TRACE] = "trace", [SUBJECT_NOOP] = "noop", [SUBJECT_CLOCK] = "clock", [SUBJECT_SERIALISER] = "serialiser",
      [SUBJECT_TIMER] = "timer", [SUBJECT_EXPERIMENT] = "experiment", [SUBJECT_HOST] = "host")
WORDS(methods, [METHOD_TARE] = "tare", [METHOD_GEORGES] = "georges", [METHOD_ANYTIME] = "anytime")
WORDS(on_dirties, [DIRTY_FLAG] = "flag", [DIRTY_RERUN] = "rerun", [DIRTY_DROP] = "drop")
WORDS(profiles, [PROFILE_STEADY] = "steady", [PROFILE_STARTUP] = "startup", [PROFILE_MEMORY] = "memory", [PROFILE_ONCE] = "once")
WORDS(corrections, [CORRECTION_BH] = "bh", [CORRECTION_HOLM] = "holm", [CORRECTION_NONE] = "none")
WORDS(count_pers, [COUNT_PER_ITERATION] = "iteration", [COUNT_PER_SECOND] = "second", [COUNT_TOTAL] = "total")
WORDS(agreements, [AGREES] = "agrees", [DIFFERS] = "differs", [NOT_COMPARABLE] = "not_comparable")
#undef WORDS

static const char *word(const struct words *w, int value)
{
    return value >= 0 && value < w->n ? w->items[value] : "unknown";
}

static int value_of(const struct words *w, const char *name)
{
    for (int i = 0; i < w->n; i++)
        if (!strcmp(w->items[i], name))
            return i;
    return -1;
}

#define NAMED(type, words, to_name, from_name)       \
    const char *to_name(enum type value)             \
    {                                                \
        return word(&words, (int)value);             \
    }                                                \
    bool from_name(const char *name, enum type *out) \
    {                                                \
        int value = value_of(&words, name);          \
        if (value >= 0)                              \
            *out = (enum type)value;                 \
        return value >= 0;                           \
    }

NAMED(verdict, verdicts, verdict_name, verdict_from_name)
NAMED(severity, severities, severity_name, severity_from_name)
NAMED(metric_kind, kinds, metric_kind_name, metric_kind_from_name)
NAMED(metric_direction, directions, metric_direction_name, metric_direction_from_name)
NAMED(subject_kind, subject_kinds, subject_kind_name, subject_kind_from_name)
NAMED(method, methods, method_name, method_from_name)
NAMED(on_dirty, on_dirties, on_dirty_name, on_dirty_from_name)
NAMED(count_per, count_pers, count_per_name, count_per_from_name)
NAMED(profile, profiles, profile_name, profile_from_name)
NAMED(correction, corrections, correction_name, correction_from_name)
#undef NAMED

const char *agreement_name(enum agreement a)
{
    return word(&agreements, (int)a);
}

const char *null_reason_text(int code)
{
    switch ((enum null_reason)code) {
#define NULL_REASON(name, code, text) \
    case NULL_##name:                 \
        return text;
#include "null_reasons.def"
#undef NULL_REASON
    }
    return "not known";
}

const char *row_flag_name(enum row_flag bit)
{
    switch (bit) {
    case ROW_FAILED:
        return "failed";
    case ROW_TIMED_OUT:
        return "timed_out";
    case ROW_WARMUP:
        return "warmup";
    case ROW_OTHER_PROGRAM:
        return "other_program";
#define CAUSE(name, bit, word, exogenous, text) \
    case ROW_##name:                            \
        return word;
#include "cause.def"
#undef CAUSE
    }
    return NULL;
}
