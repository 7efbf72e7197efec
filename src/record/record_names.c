/* SPDX-License-Identifier: MIT
 * The words for enum values in files and on the screen, and the way back. */
#include "record_arcs.h"
#include "record_fields.h"
#include "repetition.h"
#include <string.h>

#define WORDS(name, ...)                                     \
    static const char *const name##_items[] = {__VA_ARGS__}; \
    const struct words name##_words = {sizeof name##_items / sizeof *name##_items, name##_items};

WORDS(verdict, [VERDICT_NONE] = "none", [VERDICT_FASTER] = "faster", [VERDICT_SLOWER] = "slower", [VERDICT_LOWER] = "lower",
      [VERDICT_HIGHER] = "higher", [VERDICT_SAME] = "same", [VERDICT_UNDECIDED] = "undecided", [VERDICT_INVALID] = "invalid",
      [VERDICT_NOT_COMPARABLE] = "not_comparable", [VERDICT_LEAK] = "leak", [VERDICT_LEAK_SMALL] = "leak_small",
      [VERDICT_NO_LEAK] = "no_leak", [VERDICT_LIKELY_FASTER] = "likely_faster", [VERDICT_LIKELY_SLOWER] = "likely_slower",
      [VERDICT_LIKELY_LOWER] = "likely_lower", [VERDICT_LIKELY_HIGHER] = "likely_higher", [VERDICT_LIKELY_SAME] = "likely_same")
WORDS(severity, [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error")
WORDS(metric_kind, [METRIC_TIME] = "time", [METRIC_SIZE] = "size", [METRIC_COUNT] = "count", [METRIC_OWN] = "own")
WORDS(metric_direction, [METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher", [METRIC_NEUTRAL] = "neutral")
WORDS(subject_kind, [SUBJECT_COMMAND] = "command", [SUBJECT_BENCH] = "benchmark", [SUBJECT_LEAK] = "target",
      [SUBJECT_TRACE] = "trace", [SUBJECT_NOOP] = "noop", [SUBJECT_CLOCK] = "clock", [SUBJECT_SERIALISER] = "serialiser",
      [SUBJECT_TIMER] = "timer", [SUBJECT_EXPERIMENT] = "experiment", [SUBJECT_HOST] = "host")
WORDS(method, [METHOD_TARE] = "tare", [METHOD_GEORGES] = "georges", [METHOD_ANYTIME] = "anytime")
WORDS(on_dirty, [DIRTY_FLAG] = "flag", [DIRTY_RERUN] = "rerun", [DIRTY_DROP] = "drop")
WORDS(profile, [PROFILE_STEADY] = "steady", [PROFILE_STARTUP] = "startup", [PROFILE_MEMORY] = "memory", [PROFILE_ONCE] = "once")
WORDS(correction, [CORRECTION_BH] = "bh", [CORRECTION_HOLM] = "holm", [CORRECTION_NONE] = "none")
WORDS(count_per, [COUNT_PER_ITERATION] = "iteration", [COUNT_PER_SECOND] = "second", [COUNT_TOTAL] = "total",
      [COUNT_AS_GIVEN] = "given")
WORDS(point_kind, [POINT_PLAIN] = "point", [POINT_BEGIN] = "begin", [POINT_END] = "end", [POINT_COUNTER] = "counter")
WORDS(agreement, [AGREES] = "agrees", [NOT_DECIDED] = "undecided", [DIFFERS] = "differs", [NOT_COMPARABLE] = "not_comparable")
#undef WORDS

const char *words_name(const struct words *w, int value)
{
    return value >= 0 && value < w->n ? w->items[value] : "unknown";
}

int words_value(const struct words *w, const char *name)
{
    for (int i = 0; i < w->n; i++)
        if (!strcmp(w->items[i], name))
            return i;
    return -1;
}

const char *verdict_name(enum verdict v)
{
    return words_name(&verdict_words, (int)v);
}

const char *severity_name(enum severity s)
{
    return words_name(&severity_words, (int)s);
}

/* Ids that do not read as a name. The others do, with blanks for underscores and without the "host_" or "trace_" of their command. */
static const char *const labels[][2] = {
    {"bracket_heavy", "overhead"},      {"cpu_placement", "CPU placement"},
    {"cpu_users", "CPU use"},           {"first_run", "cold start"},
    {"host_planted", "false verdicts"}, {"mean_against_typical", "mean"},
    {"not_a_power", "growth"},          {"slot_effect", "order effect"},
    {"spawn_floor", "process start"},   {"steal_in_cpu_time", "stolen time"},
    {"waiting_unseen", "CPU wait"},
};

void finding_label(const char *id, struct buf *b)
{
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (!strcmp(id, labels[i][0])) {
            buf_str(b, labels[i][1]);
            return;
        }
    id += !strncmp(id, "host_", 5) ? 5 : !strncmp(id, "trace_", 6) ? 6 : 0;
    for (; *id; id++)
        buf_char(b, *id == '_' ? ' ' : *id);
}

const char *metric_kind_name(enum metric_kind k)
{
    return words_name(&metric_kind_words, (int)k);
}

const char *subject_kind_name(enum subject_kind k)
{
    return words_name(&subject_kind_words, (int)k);
}

const char *count_per_name(enum count_per p)
{
    return words_name(&count_per_words, (int)p);
}

const char *agreement_name(enum agreement a)
{
    return words_name(&agreement_words, (int)a);
}

const char *null_reason_text(int code)
{
    switch ((enum null_reason)code) {
#define NULL_REASON(name, code, text) \
    case NULL_##name:                 \
        return text;
#include "null_reasons.def"
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
    }
    return NULL;
}

const char *record_script_part(int script, char room[SCRIPT_PART_BYTES])
{
    struct buf b = buf_over(room, SCRIPT_PART_BYTES);
    buf_str(&b, "script_");
    if (script)
        buf_format(&b, "%d_", script + 1);
    return buf_text(&b);
}
