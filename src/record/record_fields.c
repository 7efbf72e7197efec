/* SPDX-License-Identifier: MIT */
#include "record_fields.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "trace_format.h"
#include <assert.h>
#include <string.h>

/* ---- words ---- */

#define WORDS(type)                                                             \
    static const char *type##_word(int value)                                   \
    {                                                                           \
        return type##_name((enum type)value);                                   \
    }                                                                           \
    static bool type##_value(const char *word, int *out)                        \
    {                                                                           \
        enum type value;                                                        \
        if (!type##_from_name(word, &value))                                    \
            return false;                                                       \
        *out = (int)value;                                                      \
        return true;                                                            \
    }                                                                           \
    static const struct field_words type##_words = {type##_word, type##_value}; \
    static_assert(sizeof(enum type) == sizeof(int), "read and written as one");

WORDS(verdict)
WORDS(metric_kind)
WORDS(severity)
WORDS(point_kind)
#undef WORDS

/* ---- the lists, in the order of their lines ---- */

#define AT(member) .offset = offsetof(struct estimate, member)
const struct field estimate_fields[] = {{"subject", FIELD_SUBJECT, AT(subject), .needed = true},
                                        {"metric", FIELD_TEXT, AT(metric), .needed = true},
                                        {"statistic", FIELD_TEXT, AT(statistic), .needed = true},
                                        {"method", FIELD_TEXT, AT(method)},
                                        {"point", FIELD_NUMBER, AT(point), .absent = NAN},
                                        {"low", FIELD_NUMBER, AT(low), .absent = -INFINITY},
                                        {"high", FIELD_NUMBER, AT(high), .absent = INFINITY},
                                        {"confidence", FIELD_NUMBER, AT(confidence)},
                                        {"level", FIELD_NUMBER, AT(level)},
                                        {"n", FIELD_WHOLE, AT(n), .needed = true},
                                        {"n_effective", FIELD_NUMBER, AT(n_effective), .absent = NAN},
                                        {"reason", FIELD_TEXT, AT(reason)},
                                        {0}};
#undef AT

#define AT(member) .offset = offsetof(struct comparison, member)
const struct field comparison_fields[] = {{"reference", FIELD_SUBJECT, AT(reference), .needed = true},
                                          {"subject", FIELD_SUBJECT, AT(subject), .needed = true},
                                          {"metric", FIELD_TEXT, AT(metric), .needed = true},
                                          {"kind", FIELD_WORD, AT(kind), .needed = true, .words = &metric_kind_words},
                                          {"shift", FIELD_NUMBER, AT(shift), .absent = NAN},
                                          {"low", FIELD_NUMBER, AT(low), .absent = -INFINITY},
                                          {"high", FIELD_NUMBER, AT(high), .absent = INFINITY},
                                          {"mean_ratio", FIELD_NUMBER, AT(mean_ratio), .absent = NAN},
                                          {"mean_low", FIELD_NUMBER, AT(mean_low), .absent = -INFINITY},
                                          {"mean_high", FIELD_NUMBER, AT(mean_high), .absent = INFINITY},
                                          {"confidence", FIELD_NUMBER, AT(confidence)},
                                          {"level", FIELD_NUMBER, AT(level)},
                                          {"look", FIELD_WHOLE, AT(look), .needed = true},
                                          {"looks_planned", FIELD_INDEX, AT(looks_planned), .needed = true},
                                          {"share", FIELD_NUMBER, AT(share), .sparse = true},
                                          {"margin", FIELD_NUMBER, AT(margin)},
                                          {"verdict", FIELD_WORD, AT(verdict), .needed = true, .words = &verdict_words},
                                          {"beyond_margin", FIELD_FLAG, AT(beyond_margin)},
                                          {"sign_proven", FIELD_FLAG, AT(sign_proven)},
                                          {"better", FIELD_INDEX, AT(better), .needed = true},
                                          {"rounds", FIELD_WHOLE, AT(rounds), .needed = true},
                                          {"reference_rounds", FIELD_WHOLE, AT(reference_rounds), .sparse = true},
                                          {"assumed_no_drift", FIELD_FLAG, AT(assumed_no_drift), .given = "reference_rounds"},
                                          {"seconds", FIELD_NUMBER, AT(seconds)},
                                          {"slot_effect", FIELD_NUMBER, AT(slot_effect), .absent = NAN},
                                          {"slot_p", FIELD_NUMBER, AT(slot_p), .absent = NAN},
                                          {"p", FIELD_NUMBER, AT(p), .absent = NAN, .sparse = true},
                                          {"rounds_needed", FIELD_NUMBER, AT(rounds_needed), .absent = NAN},
                                          {"arc", FIELD_PLACE, AT(arc)},
                                          {"reference_arc", FIELD_PLACE, AT(reference_arc), .given = "arc"},
                                          {"reason", FIELD_TEXT, AT(reason)},
                                          {0}};
#undef AT

#define AT(member) .offset = offsetof(struct finding, member)
const struct field finding_fields[] = {{"id", FIELD_TEXT, AT(id), .needed = true},
                                       {"severity", FIELD_WORD, AT(severity), .needed = true, .words = &severity_words},
                                       {"subject", FIELD_INDEX, AT(subject), .needed = true},
                                       {"text", FIELD_TEXT, AT(text), .needed = true},
                                       {"advice", FIELD_TEXT, AT(advice)},
                                       {"weight", FIELD_NUMBER, AT(weight)},
                                       {0}};
#undef AT

#define AT(member) .offset = offsetof(struct leak_place, member)
const struct field leak_place_fields[] = {
    {"cpu", FIELD_WHOLE, AT(cpu), .needed = true},
    {"processes", FIELD_NUMBER, AT(processes), .absent = NAN},
    {"ns", FIELD_NUMBER, AT(ns), .absent = NAN, .sparse = true, .exported = "difference_ns"},
    {"low_ns", FIELD_NUMBER, AT(low_ns), .absent = -INFINITY, .sparse = true},
    {"high_ns", FIELD_NUMBER, AT(high_ns), .absent = INFINITY, .sparse = true},
    {0}};
#undef AT

#define AT(member) .offset = offsetof(struct leak_pair_size, member)
const struct field leak_pair_size_fields[] = {{"first", FIELD_WHOLE, AT(first), .needed = true},
                                              {"second", FIELD_WHOLE, AT(second), .needed = true},
                                              {"clip", FIELD_NUMBER, AT(clip), .absent = NAN},
                                              {"ns", FIELD_NUMBER, AT(ns), .absent = NAN, .sparse = true},
                                              {"cycles", FIELD_NUMBER, AT(cycles), .absent = NAN, .sparse = true},
                                              {0}};
#undef AT

#define AT(member) .offset = offsetof(struct leak_quantile, member)
const struct field leak_quantile_fields[] = {
    {"quantile", FIELD_NUMBER, AT(quantile), .absent = NAN},
    {"ns", FIELD_NUMBER, AT(ns), .absent = NAN, .sparse = true, .exported = "difference_ns"},
    {"low_ns", FIELD_NUMBER, AT(low_ns), .absent = -INFINITY, .sparse = true},
    {"high_ns", FIELD_NUMBER, AT(high_ns), .absent = INFINITY, .sparse = true},
    {0}};
#undef AT

#define AT(member) .offset = offsetof(struct leak_site, member)
const struct field leak_site_fields[] = {{"kind", FIELD_TEXT, AT(kind), .needed = true},
                                         {"count", FIELD_NUMBER, AT(count), .absent = NAN},
                                         {"file", FIELD_TEXT, AT(file)},
                                         {"line", FIELD_WHOLE, AT(line), .sparse = true},
                                         {"function", FIELD_TEXT, AT(function)},
                                         {"object", FIELD_TEXT, AT(object)},
                                         {0}};
#undef AT

#define AT(member) .offset = offsetof(struct timeline, member)
const struct field timeline_fields[] = {{"wall_ns", FIELD_NUMBER, AT(wall_ns), .absent = NAN},
                                        {"fate", FIELD_TEXT, AT(exit_status)},
                                        {"rss_peak_bytes", FIELD_NUMBER, AT(rss_peak), .absent = NAN},
                                        {"rss_peak_ns", FIELD_NUMBER, AT(rss_peak_ns), .absent = NAN},
                                        {"largest_process_bytes", FIELD_NUMBER, AT(largest_process), .absent = NAN},
                                        {"processes", FIELD_WHOLE, AT(processes)},
                                        {0}};
const struct field timeline_heap_fields[] = {{"heap_peak_bytes", FIELD_NUMBER, AT(heap_peak), .absent = NAN},
                                             {"heap_peak_ns", FIELD_NUMBER, AT(heap_peak_ns), .absent = NAN},
                                             {"heap_peak_exact", FIELD_FLAG, AT(heap_peak_exact)},
                                             {"heap_left_bytes", FIELD_NUMBER, AT(heap_left), .absent = NAN},
                                             {"allocations", FIELD_NUMBER, AT(allocations), .absent = NAN},
                                             {"reallocations", FIELD_NUMBER, AT(reallocations), .absent = NAN},
                                             {"frees", FIELD_NUMBER, AT(frees), .absent = NAN},
                                             {"failures", FIELD_NUMBER, AT(failures), .absent = NAN},
                                             {"allocated_bytes", FIELD_NUMBER, AT(allocated_bytes), .absent = NAN},
                                             {"unwatched", FIELD_WHOLE, AT(unwatched)},
                                             {"left_count", FIELD_WHOLE, AT(left_count)}, /* older files have none */
                                             {0}};
#undef AT

#define AT(member) .offset = offsetof(struct point, member)
const struct field point_fields[] = {{"subject", FIELD_SUBJECT, AT(subject), .needed = true},
                                     {"kind", FIELD_WORD, AT(kind), .needed = true, .words = &point_kind_words},
                                     {"file", FIELD_TEXT, AT(file), .needed = true},
                                     {"line", FIELD_WHOLE, AT(line), .needed = true},
                                     {"func", FIELD_TEXT, AT(func), .needed = true},
                                     {"name", FIELD_TEXT, AT(name), .needed = true},
                                     {"group", FIELD_WHOLE, AT(group), .high = TRACE_GROUPS - 1, .needed = true},
                                     {"ordinal", FIELD_WHOLE, AT(ordinal), .high = TRACE_POINTS_MAX, .sparse = true},
                                     {"partner", FIELD_INDEX, AT(partner), .high = TRACE_POINTS_MAX},
                                     {0}};
#undef AT

#define AT(member) .offset = offsetof(struct traced_run, member)
const struct field traced_run_fields[] = {{"subject", FIELD_SUBJECT, AT(subject), .needed = true},
                                          {"round", FIELD_WHOLE, AT(round), .low = -1, .needed = true},
                                          {"clock", FIELD_TEXT, AT(clock), .needed = true},
                                          {"order", FIELD_TEXT, AT(order), .needed = true},
                                          {"hz", FIELD_NUMBER, AT(hz), .absent = NAN},
                                          {"step", FIELD_NUMBER, AT(step), .absent = NAN},
                                          {"repeat", FIELD_WHOLE, AT(repeat), .low = 1, .high = 16, .needed = true},
                                          {"processes", FIELD_WHOLE, AT(processes)},
                                          {"threads", FIELD_WHOLE, AT(threads)},
                                          {"events", FIELD_UNSIGNED, AT(events), .needed = true},
                                          {"merged", FIELD_WHOLE, AT(merged), .high = TRACE_POINTS_MAX, .sparse = true},
                                          {"degraded", FIELD_FLAG, AT(degraded)},
                                          {"burst", FIELD_FLAG, AT(burst)},
                                          {"weight", FIELD_NUMBER, AT(weight), .absent = NAN},
                                          {"weight_sd", FIELD_NUMBER, AT(weight_sd), .absent = NAN},
                                          {"weight_rows", FIELD_UNSIGNED, AT(weight_rows), .needed = true},
                                          {0}};
const struct field traced_clock_fields[] = {{"residual_ppm", FIELD_NUMBER, AT(residual_ppm), .absent = NAN},
                                            {"jumps", FIELD_WHOLE, AT(jumps)},
                                            {"jump_ns", FIELD_NUMBER, AT(jump_ns), .absent = NAN},
                                            {"steps", FIELD_WHOLE, AT(steps)},
                                            {"step_ns", FIELD_NUMBER, AT(step_ns), .absent = NAN},
                                            {"span_ns", FIELD_NUMBER, AT(span_ns)},
                                            {"lost", FIELD_TEXT, AT(lost)},
                                            {0}};
#undef AT

#define AT(member) .offset = offsetof(struct traced_arc, member)
const struct field traced_arc_ends[] = {{"run", FIELD_WHOLE, AT(run), .needed = true},
                                        {"from", FIELD_WHOLE, AT(from), .needed = true},
                                        {"to", FIELD_WHOLE, AT(to), .needed = true},
                                        {0}};
const struct field traced_arc_fields[] = {{"passes", FIELD_UNSIGNED, AT(passes), .needed = true},
                                          {"n", FIELD_UNSIGNED, AT(n), .needed = true},
                                          {"sum", FIELD_SIGNED, AT(sum), .needed = true},
                                          {"square_low", FIELD_UNSIGNED, AT(square_low), .needed = true},
                                          {"square_high", FIELD_UNSIGNED, AT(square_high), .needed = true, .sparse = true},
                                          {"min", FIELD_SIGNED, AT(min), .needed = true},
                                          {"max", FIELD_SIGNED, AT(max), .needed = true},
                                          {"clean_n", FIELD_UNSIGNED, AT(clean_n), .needed = true},
                                          {"clean_sum", FIELD_SIGNED, AT(clean_sum), .needed = true},
                                          {"words", FIELD_UNSIGNED, AT(words), .needed = true, .sparse = true},
                                          {"added", FIELD_UNSIGNED, AT(added), .needed = true, .sparse = true},
                                          {"gaps", FIELD_UNSIGNED, AT(gaps), .needed = true, .sparse = true},
                                          {"gap_units", FIELD_UNSIGNED, AT(gap_units), .needed = true, .sparse = true},
                                          {"migrated", FIELD_UNSIGNED, AT(migrated), .needed = true, .sparse = true},
                                          {"handlers", FIELD_UNSIGNED, AT(handlers), .needed = true, .sparse = true},
                                          {"nested", FIELD_UNSIGNED, AT(nested), .needed = true, .sparse = true},
                                          {"interrupted", FIELD_UNSIGNED, AT(interrupted), .needed = true, .sparse = true},
                                          {"backwards", FIELD_UNSIGNED, AT(backwards), .needed = true, .sparse = true},
                                          {"stamps", FIELD_UNSIGNED, AT(stamps), .needed = true, .sparse = true},
                                          {"estimated", FIELD_FLAG, AT(estimated), .sparse = true},
                                          {"fast", FIELD_FLAG, AT(fast), .sparse = true},
                                          {0}};
#undef AT

/* ---- writing ---- */

static int int_at(const struct field *f, const void *object)
{
    int value;
    memcpy(&value, (const char *)object + f->offset, sizeof value);
    return value;
}

bool record_field_given(const struct field *fields, const struct field *f, const void *object)
{
    for (const struct field *other = fields; f->given && other->key; other++)
        if (!strcmp(other->key, f->given))
            return int_at(other, object) != 0;
    return true;
}

static void write_number(struct json_write *j, const struct field *f, const char *key, double value, bool sparse)
{
    if (!sparse || (isfinite(value) && (f->absent != 0 || value > 0)))
        json_number(j, key, value);
}

static void write_int(struct json_write *j, const struct field *f, const char *key, int value, bool sparse)
{
    if (f->kind == FIELD_WORD)
        json_string(j, key, f->words->word(value));
    else if (f->kind == FIELD_INDEX && value < 0)
        json_null(j, key);
    else if (f->kind == FIELD_PLACE ? value != 0 : !sparse || value != 0)
        json_integer(j, key, f->kind == FIELD_PLACE ? value - 1 : value);
}

static void write_field(struct json_write *j, const struct field *f, const char *key, const void *object, bool sparse)
{
    const void *at = (const char *)object + f->offset;
    switch (f->kind) {
    case FIELD_NUMBER:
        write_number(j, f, key, *(const double *)at, sparse);
        return;
    case FIELD_FLAG:
        if (!sparse || *(const bool *)at)
            json_bool(j, key, *(const bool *)at);
        return;
    case FIELD_UNSIGNED:
        if (!sparse || *(const uint64_t *)at)
            json_unsigned(j, key, *(const uint64_t *)at);
        return;
    case FIELD_SIGNED:
        json_integer(j, key, *(const int64_t *)at);
        return;
    case FIELD_TEXT:
        if (f->needed || *(const char *const *)at)
            json_bytes(j, key, *(const char *const *)at);
        return;
    case FIELD_WHOLE:
    case FIELD_SUBJECT:
    case FIELD_INDEX:
    case FIELD_PLACE:
    case FIELD_WORD:
        write_int(j, f, key, int_at(f, object), sparse);
    }
}

void record_fields_write(struct json_write *j, const struct field *fields, const void *object)
{
    for (const struct field *f = fields; f->key; f++)
        if (record_field_given(fields, f, object))
            write_field(j, f, f->key, object, f->sparse);
}

void record_fields_export(struct json_write *j, const struct field *fields, const void *object)
{
    for (const struct field *f = fields; f->key; f++)
        write_field(j, f, f->exported ? f->exported : f->key, object, false);
}
