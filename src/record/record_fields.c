/* SPDX-License-Identifier: MIT */
#include "record_fields.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "trace_format.h"
#include <assert.h>
#include <string.h>

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
                                          {"margin", FIELD_NUMBER, AT(margin), .absent = NAN},
                                          {"verdict", FIELD_WORD, AT(verdict), .needed = true, .words = &verdict_words},
                                          {"beyond_margin", FIELD_FLAG, AT(beyond_margin)},
                                          {"sign_proven", FIELD_FLAG, AT(sign_proven)},
                                          {"better", FIELD_INDEX, AT(better), .needed = true},
                                          {"rounds", FIELD_WHOLE, AT(rounds), .needed = true},
                                          {"effective_rounds", FIELD_NUMBER, AT(effective_rounds), .sparse = true},
                                          {"widened", FIELD_NUMBER, AT(widened), .sparse = true},
                                          {"reference_rounds", FIELD_WHOLE, AT(reference_rounds), .sparse = true},
                                          {"assumed_no_drift", FIELD_FLAG, AT(assumed_no_drift), .given = "reference_rounds"},
                                          {"by_anchor", FIELD_FLAG, AT(by_anchor), .given = "reference_rounds"},
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
                                       {"detail", FIELD_TEXT, AT(detail)},
                                       {"weight", FIELD_NUMBER, AT(weight)},
                                       {"trend", FIELD_NUMBER, AT(trend), .sparse = true},
                                       {0}};
#undef AT

#define AT(member) .offset = offsetof(struct leak_place, member)
const struct field leak_place_fields[] = {{"cpu", FIELD_WHOLE, AT(cpu), .needed = true},
                                          {"processes", FIELD_NUMBER, AT(processes), .absent = NAN},
                                          {"ns", FIELD_NUMBER, AT(ns), .absent = NAN, .sparse = true},
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
const struct field leak_quantile_fields[] = {{"quantile", FIELD_NUMBER, AT(quantile), .absent = NAN},
                                             {"ns", FIELD_NUMBER, AT(ns), .absent = NAN, .sparse = true},
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
                                        {"exit_status", FIELD_TEXT, AT(exit_status)},
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
                                          {"weight_fast", FIELD_NUMBER, AT(weight_fast), .sparse = true},
                                          {"weight_word", FIELD_NUMBER, AT(weight_word), .sparse = true},
                                          {"weight_added", FIELD_NUMBER, AT(weight_added), .sparse = true},
                                          {"loose", FIELD_NUMBER, AT(loose), .sparse = true},
                                          {"loose_fast", FIELD_NUMBER, AT(loose_fast), .sparse = true},
                                          {"loose_added", FIELD_NUMBER, AT(loose_added), .sparse = true},
                                          {"weight_around", FIELD_NUMBER, AT(weight_around), .sparse = true},
                                          {"weight_moved", FIELD_NUMBER, AT(weight_moved), .sparse = true},
                                          {"residual_ppm", FIELD_NUMBER, AT(residual_ppm), .absent = NAN},
                                          {"jumps", FIELD_WHOLE, AT(jumps)},
                                          {"jump_ns", FIELD_NUMBER, AT(jump_ns), .absent = NAN},
                                          {"steps", FIELD_WHOLE, AT(steps)},
                                          {"step_ns", FIELD_NUMBER, AT(step_ns), .absent = NAN},
                                          {"span_ns", FIELD_NUMBER, AT(span_ns)},
                                          {"lost", FIELD_TEXT, AT(lost)},
                                          {"incomplete", FIELD_FLAG, AT(incomplete), .given = "lost"},
                                          {"lost_hits", FIELD_UNSIGNED, AT(lost_hits), .sparse = true},
                                          {0}};
#undef AT

#define AT(member) .offset = offsetof(struct traced_arc, member)
const struct field traced_arc_ends[] = {{"run", FIELD_WHOLE, AT(run), .needed = true},
                                        {"from", FIELD_WHOLE, AT(from), .needed = true},
                                        {"to", FIELD_WHOLE, AT(to), .needed = true},
                                        {0}};
const struct field traced_arc_fields[] = {
#define UNSIGNED(id, may_lack, meaning) {#id, FIELD_UNSIGNED, AT(id), .needed = true, .sparse = (may_lack)},
#define SIGNED(id, meaning)             {#id, FIELD_SIGNED, AT(id), .needed = true},
#define FLAG(id, meaning)               {#id, FIELD_FLAG, AT(id), .sparse = true},
#include "traced_sums.def"
#undef UNSIGNED
#undef SIGNED
#undef FLAG
    {0}};
#undef AT

#define AT(member) .offset = offsetof(struct traced_stack, member)
const struct field stack_fields[] = {{"parent", FIELD_INDEX, AT(parent), .high = STACKS_MAX},
                                     {"kind", FIELD_TEXT, AT(kind), .needed = true},
                                     {"name", FIELD_TEXT, AT(name), .needed = true},
                                     {"ns", FIELD_NUMBER, AT(ns), .absent = NAN},
                                     {"n", FIELD_UNSIGNED, AT(n), .sparse = true},
                                     {0}};
#undef AT

#define AT(member) .offset = offsetof(struct arc_result, member)
const struct field arc_result_ends[] = {{"subject", FIELD_SUBJECT, AT(subject), .needed = true},
                                        {"from", FIELD_WHOLE, AT(from), .needed = true},
                                        {"to", FIELD_WHOLE, AT(to), .needed = true},
                                        {0}};
const struct field arc_result_fields[] = {
#define FIGURE(id, unknown, meaning) {#id, FIELD_NUMBER, AT(id), .absent = (unknown)},
#define COUNT(id, meaning)           {#id, FIELD_UNSIGNED, AT(id), .needed = true},
#include "arc_figures.def"
#undef FIGURE
#undef COUNT
    {"runs", FIELD_WHOLE, AT(runs)},
    {"runs_passed", FIELD_WHOLE, AT(runs_passed)},
    {"below_resolution", FIELD_FLAG, AT(below_resolution)},
    {"whole", FIELD_FLAG, AT(whole)},
    {"reason", FIELD_TEXT, AT(reason)},
    {0}};
#undef AT

#define AT(member) .offset = offsetof(struct leak_target, member)
const struct field leak_target_ends[] = {{"subject", FIELD_SUBJECT, AT(subject), .needed = true},
                                         {"verdict", FIELD_WORD, AT(verdict), .needed = true, .words = &verdict_words},
                                         {"exact", FIELD_FLAG, AT(exact)},
                                         {"decided", FIELD_FLAG, AT(decided)},
                                         {0}};
const struct field leak_target_fields[] = {
#define FIGURE(id, unit, meaning) {#id, FIELD_NUMBER, AT(id), .absent = NAN},
#include "leak_figures.def"
#undef FIGURE
#define TEXT(id, meaning) {#id, FIELD_TEXT, AT(id)},
#include "leak_texts.def"
#undef TEXT
    {"exact", FIELD_FLAG, AT(exact)}, {0}};
#undef AT

#define AT(member) .offset = offsetof(struct rule, member)
const struct field rule_fields[] = {{"method", FIELD_WORD, AT(method), .known = true, .words = &method_words},
                                    {"metric", FIELD_TEXT, AT(metric), .null = true},
                                    {"confidence", FIELD_NUMBER, AT(confidence), .absent = 0.95},
                                    {"precision", FIELD_NUMBER, AT(precision)},
                                    {"margin", FIELD_NUMBER, AT(margin), .absent = 0.01},
                                    {"margin_unit", FIELD_TEXT, AT(margin_unit), .null = true},
                                    {"interleaved", FIELD_FLAG, AT(interleaved)},
                                    {"against_itself", FIELD_FLAG, AT(against_itself), .sparse = true},
                                    {"fail_if_slower", FIELD_NUMBER, AT(fail_if_slower), .absent = NAN},
                                    {"reference", FIELD_WHOLE, AT(reference), .high = RECORD_SUBJECTS_MAX},
                                    /* of a later tare: what it did stands in the rows */
                                    {"on_dirty", FIELD_WORD, AT(on_dirty), .sparse = true, .words = &on_dirty_words},
                                    {0}};
const struct field rule_georges_fields[] = {{"runs", FIELD_WHOLE, AT(georges_runs)},
                                            {"min_runs", FIELD_WHOLE, AT(georges_min)},
                                            {"window", FIELD_WHOLE, AT(window), .sparse = true},
                                            {"cov", FIELD_NUMBER, AT(cov), .given = "window"},
                                            {0}};
const struct field rule_bench_fields[] = {{"profile", FIELD_WORD, AT(profile), .known = true, .words = &profile_words},
                                          {"correction", FIELD_WORD, AT(correction), .known = true, .words = &correction_words},
                                          {0}};
#undef AT

#define AT(member) .offset = offsetof(struct rule_leaks, member)
const struct field rule_leaks_fields[] = {{"kind", FIELD_TEXT, AT(kind)},
                                          {"cache", FIELD_TEXT, AT(cache), .null = true},
                                          {"alpha", FIELD_NUMBER, AT(alpha), .absent = 1e-5},
                                          {"advantage", FIELD_NUMBER, AT(advantage), .absent = .01},
                                          {"exact", FIELD_FLAG, AT(exact)},
                                          {"strict", FIELD_FLAG, AT(strict)},
                                          {"noise", FIELD_FLAG, AT(noise)},
                                          {"dit", FIELD_FLAG, AT(dit)},
                                          {"selfcheck", FIELD_WHOLE, AT(selfcheck), .high = 45},
                                          {"max_calls", FIELD_NUMBER, AT(max_calls)},
                                          {"repeat", FIELD_WHOLE, AT(repeat), .low = 1, .sparse = true},
                                          {"clock", FIELD_TEXT, AT(clock)},
                                          {"latency_ns", FIELD_NUMBER, AT(latency_ns), .sparse = true},
                                          {0}};
const struct field rule_dudect_fields[] = {{"lab0", FIELD_FLAG, AT(lab0), .sparse = true},
                                           {"measurements", FIELD_WHOLE, AT(measurements), .low = 1},
                                           {"drop", FIELD_WHOLE, AT(drop)},
                                           {"percentiles", FIELD_WHOLE, AT(percentiles)},
                                           {"order", FIELD_WHOLE, AT(order), .low = 1, .high = 2},
                                           {"threshold", FIELD_NUMBER, AT(threshold), .absent = 10},
                                           {0}};
#undef AT

#define AT(member) .offset = offsetof(struct metric, member)
const struct field metric_fields[] = {{"id", FIELD_TEXT, AT(id), .needed = true},
                                      {"title", FIELD_TEXT, AT(title), .null = true},
                                      {"unit", FIELD_TEXT, AT(unit), .needed = true},
                                      {"kind", FIELD_WORD, AT(kind), .needed = true, .words = &metric_kind_words},
                                      {"direction", FIELD_WORD, AT(direction), .needed = true, .words = &metric_direction_words},
                                      {"definition", FIELD_TEXT, AT(definition)},
                                      {0}};
#undef AT

#define AT(member) .offset = offsetof(struct subject, member)
const struct field hook_fields[] = {{"setup", FIELD_TEXT, AT(setup)},
                                    {"prepare", FIELD_TEXT, AT(prepare)},
                                    {"conclude", FIELD_TEXT, AT(conclude)},
                                    {"cleanup", FIELD_TEXT, AT(cleanup)},
                                    {0}};
const struct field subject_texts[] = {{"name", FIELD_TEXT, AT(name), .null = true},
                                      {"command", FIELD_TEXT, AT(command), .null = true},
                                      {"program", FIELD_TEXT, AT(program)},
                                      {"benchmark", FIELD_TEXT, AT(benchmark)},
                                      {"group", FIELD_TEXT, AT(group)},
                                      {"version", FIELD_TEXT, AT(version)},
                                      {"failure", FIELD_TEXT, AT(failure)},
                                      {"remark", FIELD_TEXT, AT(remark)},
                                      {"label", FIELD_TEXT, AT(label)},
                                      {0}};
#undef AT

static int int_at(const struct field *f, const void *object)
{
    int value;
    memcpy(&value, (const char *)object + f->offset, sizeof value);
    return value;
}

static const char *text_at(const struct field *f, const void *object)
{
    const char *text;
    memcpy(&text, (const char *)object + f->offset, sizeof text);
    return text;
}

/* It must be there. */
static const struct field *field_of(const struct field *fields, const char *key, size_t n)
{
    const struct field *f = fields;
    while (f->key && (strncmp(f->key, key, n) != 0 || f->key[n]))
        f++;
    assert(f->key);
    return f;
}

bool record_field_given(const struct field *fields, const struct field *f, const void *object)
{
    const struct field *other = f->given ? field_of(fields, f->given, strlen(f->given)) : NULL;
    return !other || (other->kind == FIELD_TEXT ? text_at(other, object) != NULL : int_at(other, object) != 0);
}

static void write_number(struct json_write *j, const struct field *f, const char *key, double value, bool sparse)
{
    if (!sparse || (isfinite(value) && (f->absent != 0 || value > 0)))
        json_number(j, key, value);
}

static void write_int(struct json_write *j, const struct field *f, const char *key, int value, bool sparse)
{
    if (sparse && value <= f->low)
        return;
    if (f->kind == FIELD_WORD)
        json_string(j, key, words_name(f->words, value));
    else if (f->kind == FIELD_INDEX && value < 0)
        json_null(j, key);
    else if (f->kind != FIELD_PLACE)
        json_integer(j, key, value);
    else if (value)
        json_integer(j, key, value - 1);
}

/* all: also what the record leaves out. */
static void write_field(struct json_write *j, const struct field *f, const char *key, const void *object, bool all)
{
    const void *at = (const char *)object + f->offset;
    const bool sparse = f->sparse && !all;
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
        if (f->needed || f->null || all || *(const char *const *)at)
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
            write_field(j, f, f->key, object, false);
}

bool record_fields_next(const struct field *fields, const char **members, char name[FIELD_NAME_BYTES], const struct field **out)
{
    const char *at = *members + strspn(*members, " ");
    const size_t n = strcspn(at, " "), head = strcspn(at, "= ");
    const char *key = head < n ? at + head + 1 : at;
    if (name) {
        struct buf b = buf_over(name, FIELD_NAME_BYTES);
        buf_add(&b, at, head);
    }
    *members = at + n;
    *out = n ? field_of(fields, key, (size_t)(at + n - key)) : NULL;
    return n > 0;
}

void record_fields_pick(struct json_write *j, const struct field *fields, const char *members, const void *object)
{
    char name[FIELD_NAME_BYTES];
    for (const struct field *f; record_fields_next(fields, &members, name, &f);)
        write_field(j, f, name, object, true);
}

void record_fields_init(const struct field *fields, void *object)
{
    for (const struct field *f = fields; f->key; f++)
        if (f->kind == FIELD_NUMBER)
            memcpy((char *)object + f->offset, &f->absent, sizeof f->absent);
}

bool record_fields_own(struct record *r, const struct field *fields, void *object)
{
    bool owned = true;
    for (const struct field *f = fields; f->key; f++) {
        const char *text = f->kind == FIELD_TEXT ? text_at(f, object) : NULL, *own = arena_strdup(&r->arena, text);
        if (f->kind == FIELD_TEXT)
            memcpy((char *)object + f->offset, &own, sizeof own);
        owned = owned && (own || !text);
    }
    return owned;
}

int record_add_item(struct record *r, void *items, int *n, int *room, const struct field *fields, const void *item, size_t bytes)
{
    char *all;
    if (!array_room(items, *n, room, bytes))
        return -1;
    memcpy(&all, items, sizeof all);
    memcpy(all + (size_t)*n * bytes, item, bytes);
    return record_fields_own(r, fields, all + (size_t)*n * bytes) ? (*n)++ : -1;
}
