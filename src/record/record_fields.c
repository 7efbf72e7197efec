/* SPDX-License-Identifier: MIT */
#include "record_fields.h"
#include "leak_target.h"
#include "record_arcs.h"
#include "trace_format.h"
#include <assert.h>
#include <limits.h>
#include <string.h>

#define AT(of, member) .offset = offsetof(struct of, member)
const struct field estimate_fields[] = {{"subject", FIELD_SUBJECT, AT(estimate, subject), .needed = true},
                                        {"metric", FIELD_TEXT, AT(estimate, metric), .needed = true},
                                        {"statistic", FIELD_TEXT, AT(estimate, statistic), .needed = true},
                                        {"method", FIELD_TEXT, AT(estimate, method)},
                                        {"point", FIELD_NUMBER, AT(estimate, point), .absent = NAN},
                                        {"low", FIELD_NUMBER, AT(estimate, low), .absent = -INFINITY},
                                        {"high", FIELD_NUMBER, AT(estimate, high), .absent = INFINITY},
                                        {"confidence", FIELD_NUMBER, AT(estimate, confidence)},
                                        {"level", FIELD_NUMBER, AT(estimate, level)},
                                        {"n", FIELD_WHOLE, AT(estimate, n), .needed = true},
                                        {"n_effective", FIELD_NUMBER, AT(estimate, n_effective), .absent = NAN},
                                        {"reason", FIELD_TEXT, AT(estimate, reason)},
                                        {0}};

const struct field comparison_fields[] = {
    {"reference", FIELD_SUBJECT, AT(comparison, reference), .needed = true},
    {"subject", FIELD_SUBJECT, AT(comparison, subject), .needed = true},
    {"metric", FIELD_TEXT, AT(comparison, metric), .needed = true},
    {"kind", FIELD_WORD, AT(comparison, kind), .needed = true, .words = &metric_kind_words},
    {"shift", FIELD_NUMBER, AT(comparison, shift), .absent = NAN},
    {"low", FIELD_NUMBER, AT(comparison, low), .absent = -INFINITY},
    {"high", FIELD_NUMBER, AT(comparison, high), .absent = INFINITY},
    {"mean_ratio", FIELD_NUMBER, AT(comparison, mean_ratio), .absent = NAN},
    {"mean_low", FIELD_NUMBER, AT(comparison, mean_low), .absent = -INFINITY},
    {"mean_high", FIELD_NUMBER, AT(comparison, mean_high), .absent = INFINITY},
    {"confidence", FIELD_NUMBER, AT(comparison, confidence)},
    {"level", FIELD_NUMBER, AT(comparison, level)},
    {"look", FIELD_WHOLE, AT(comparison, look), .needed = true},
    {"looks_planned", FIELD_INDEX, AT(comparison, looks_planned), .needed = true},
    {"share", FIELD_NUMBER, AT(comparison, share), .sparse = true},
    {"margin", FIELD_NUMBER, AT(comparison, margin), .absent = NAN},
    {"verdict", FIELD_WORD, AT(comparison, verdict), .needed = true, .words = &verdict_words},
    {"beyond_margin", FIELD_FLAG, AT(comparison, beyond_margin)},
    {"sign_proven", FIELD_FLAG, AT(comparison, sign_proven)},
    {"better", FIELD_INDEX, AT(comparison, better), .needed = true},
    {"rounds", FIELD_WHOLE, AT(comparison, rounds), .needed = true},
    {"effective_rounds", FIELD_NUMBER, AT(comparison, effective_rounds), .sparse = true},
    {"widened", FIELD_NUMBER, AT(comparison, widened), .sparse = true},
    {"reference_rounds", FIELD_WHOLE, AT(comparison, reference_rounds), .sparse = true},
    {"assumed_no_drift", FIELD_FLAG, AT(comparison, assumed_no_drift), .given = "reference_rounds"},
    {"by_anchor", FIELD_FLAG, AT(comparison, by_anchor), .given = "reference_rounds"},
    {"seconds", FIELD_NUMBER, AT(comparison, seconds)},
    {"slot_effect", FIELD_NUMBER, AT(comparison, slot_effect), .absent = NAN},
    {"slot_p", FIELD_NUMBER, AT(comparison, slot_p), .absent = NAN},
    {"p", FIELD_NUMBER, AT(comparison, p), .absent = NAN, .sparse = true},
    {"rounds_needed", FIELD_NUMBER, AT(comparison, rounds_needed), .absent = NAN},
    {"arc", FIELD_PLACE, AT(comparison, arc)},
    {"reference_arc", FIELD_PLACE, AT(comparison, reference_arc), .given = "arc"},
    {"reason", FIELD_TEXT, AT(comparison, reason)},
    {0}};

const struct field finding_fields[] = {{"id", FIELD_TEXT, AT(finding, id), .needed = true},
                                       {"severity", FIELD_WORD, AT(finding, severity), .needed = true, .words = &severity_words},
                                       {"subject", FIELD_INDEX, AT(finding, subject), .needed = true},
                                       {"text", FIELD_TEXT, AT(finding, text), .needed = true},
                                       {"advice", FIELD_TEXT, AT(finding, advice)},
                                       {"detail", FIELD_TEXT, AT(finding, detail)},
                                       {"weight", FIELD_NUMBER, AT(finding, weight)},
                                       {"trend", FIELD_NUMBER, AT(finding, trend), .low = INT_MIN, .sparse = true},
                                       {0}};

const struct field leak_place_fields[] = {{"cpu", FIELD_WHOLE, AT(leak_place, cpu), .needed = true},
                                          {"processes", FIELD_NUMBER, AT(leak_place, processes), .absent = NAN},
                                          {"ns", FIELD_NUMBER, AT(leak_place, ns), .absent = NAN, .sparse = true},
                                          {"low_ns", FIELD_NUMBER, AT(leak_place, low_ns), .absent = -INFINITY, .sparse = true},
                                          {"high_ns", FIELD_NUMBER, AT(leak_place, high_ns), .absent = INFINITY, .sparse = true},
                                          {0}};

const struct field leak_pair_size_fields[] = {{"first", FIELD_WHOLE, AT(leak_pair_size, first), .needed = true},
                                              {"second", FIELD_WHOLE, AT(leak_pair_size, second), .needed = true},
                                              {"clip", FIELD_NUMBER, AT(leak_pair_size, clip), .absent = NAN},
                                              {"ns", FIELD_NUMBER, AT(leak_pair_size, ns), .absent = NAN, .sparse = true},
                                              {"cycles", FIELD_NUMBER, AT(leak_pair_size, cycles), .absent = NAN, .sparse = true},
                                              {0}};

const struct field leak_quantile_fields[] = {
    {"quantile", FIELD_NUMBER, AT(leak_quantile, quantile), .absent = NAN},
    {"ns", FIELD_NUMBER, AT(leak_quantile, ns), .absent = NAN, .sparse = true},
    {"low_ns", FIELD_NUMBER, AT(leak_quantile, low_ns), .absent = -INFINITY, .sparse = true},
    {"high_ns", FIELD_NUMBER, AT(leak_quantile, high_ns), .absent = INFINITY, .sparse = true},
    {0}};

const struct field leak_site_fields[] = {{"kind", FIELD_TEXT, AT(leak_site, kind), .needed = true},
                                         {"count", FIELD_NUMBER, AT(leak_site, count), .absent = NAN},
                                         {"file", FIELD_TEXT, AT(leak_site, file)},
                                         {"line", FIELD_WHOLE, AT(leak_site, line), .sparse = true},
                                         {"function", FIELD_TEXT, AT(leak_site, function)},
                                         {"object", FIELD_TEXT, AT(leak_site, object)},
                                         {0}};

const struct field timeline_fields[] = {{"wall_ns", FIELD_NUMBER, AT(timeline, wall_ns), .absent = NAN},
                                        {"exit_status", FIELD_TEXT, AT(timeline, exit_status)},
                                        {"rss_peak_bytes", FIELD_NUMBER, AT(timeline, rss_peak), .absent = NAN},
                                        {"rss_peak_ns", FIELD_NUMBER, AT(timeline, rss_peak_ns), .absent = NAN},
                                        {"largest_process_bytes", FIELD_NUMBER, AT(timeline, largest_process), .absent = NAN},
                                        {"processes", FIELD_WHOLE, AT(timeline, processes)},
                                        {0}};
const struct field timeline_heap_fields[] = {{"heap_peak_bytes", FIELD_NUMBER, AT(timeline, heap_peak), .absent = NAN},
                                             {"heap_peak_ns", FIELD_NUMBER, AT(timeline, heap_peak_ns), .absent = NAN},
                                             {"heap_peak_exact", FIELD_FLAG, AT(timeline, heap_peak_exact)},
                                             {"heap_left_bytes", FIELD_NUMBER, AT(timeline, heap_left), .absent = NAN},
                                             {"allocations", FIELD_NUMBER, AT(timeline, allocations), .absent = NAN},
                                             {"reallocations", FIELD_NUMBER, AT(timeline, reallocations), .absent = NAN},
                                             {"frees", FIELD_NUMBER, AT(timeline, frees), .absent = NAN},
                                             {"failures", FIELD_NUMBER, AT(timeline, failures), .absent = NAN},
                                             {"allocated_bytes", FIELD_NUMBER, AT(timeline, allocated_bytes), .absent = NAN},
                                             {"unwatched", FIELD_WHOLE, AT(timeline, unwatched)},
                                             {"left_count", FIELD_WHOLE, AT(timeline, left_count)}, /* older files have none */
                                             {0}};

const struct field point_fields[] = {{"subject", FIELD_SUBJECT, AT(point, subject), .needed = true},
                                     {"kind", FIELD_WORD, AT(point, kind), .needed = true, .words = &point_kind_words},
                                     {"file", FIELD_TEXT, AT(point, file), .needed = true},
                                     {"line", FIELD_WHOLE, AT(point, line), .needed = true},
                                     {"func", FIELD_TEXT, AT(point, func), .needed = true},
                                     {"name", FIELD_TEXT, AT(point, name), .needed = true},
                                     {"group", FIELD_WHOLE, AT(point, group), .high = TRACE_GROUPS - 1, .needed = true},
                                     {"ordinal", FIELD_WHOLE, AT(point, ordinal), .high = TRACE_POINTS_MAX, .sparse = true},
                                     {"partner", FIELD_INDEX, AT(point, partner), .high = TRACE_POINTS_MAX},
                                     {0}};

const struct field traced_run_fields[] = {
    {"subject", FIELD_SUBJECT, AT(traced_run, subject), .needed = true},
    {"round", FIELD_WHOLE, AT(traced_run, round), .low = -1, .needed = true},
    {"clock", FIELD_TEXT, AT(traced_run, clock), .needed = true},
    {"order", FIELD_TEXT, AT(traced_run, order), .needed = true},
    {"hz", FIELD_NUMBER, AT(traced_run, hz), .absent = NAN},
    {"step", FIELD_NUMBER, AT(traced_run, step), .absent = NAN},
    {"repeat", FIELD_WHOLE, AT(traced_run, repeat), .low = 1, .high = 16, .needed = true},
    {"processes", FIELD_WHOLE, AT(traced_run, processes)},
    {"threads", FIELD_WHOLE, AT(traced_run, threads)},
    {"events", FIELD_UNSIGNED, AT(traced_run, events), .needed = true},
    {"merged", FIELD_WHOLE, AT(traced_run, merged), .high = TRACE_POINTS_MAX, .sparse = true},
    {"degraded", FIELD_FLAG, AT(traced_run, degraded)},
    {"burst", FIELD_FLAG, AT(traced_run, burst)},
    {"weight", FIELD_NUMBER, AT(traced_run, weight), .absent = NAN},
    {"weight_sd", FIELD_NUMBER, AT(traced_run, weight_sd), .absent = NAN},
    {"weight_rows", FIELD_UNSIGNED, AT(traced_run, weight_rows), .needed = true},
    {"weight_fast", FIELD_NUMBER, AT(traced_run, weight_fast), .sparse = true},
    {"weight_word", FIELD_NUMBER, AT(traced_run, weight_word), .sparse = true},
    {"weight_added", FIELD_NUMBER, AT(traced_run, weight_added), .sparse = true},
    {"loose", FIELD_NUMBER, AT(traced_run, loose), .sparse = true},
    {"loose_fast", FIELD_NUMBER, AT(traced_run, loose_fast), .sparse = true},
    {"loose_added", FIELD_NUMBER, AT(traced_run, loose_added), .sparse = true},
    {"weight_around", FIELD_NUMBER, AT(traced_run, weight_around), .sparse = true},
    {"weight_moved", FIELD_NUMBER, AT(traced_run, weight_moved), .sparse = true},
    {"residual_ppm", FIELD_NUMBER, AT(traced_run, residual_ppm), .absent = NAN},
    {"jumps", FIELD_WHOLE, AT(traced_run, jumps)},
    {"jump_ns", FIELD_NUMBER, AT(traced_run, jump_ns), .absent = NAN},
    {"steps", FIELD_WHOLE, AT(traced_run, steps)},
    {"step_ns", FIELD_NUMBER, AT(traced_run, step_ns), .absent = NAN},
    {"span_ns", FIELD_NUMBER, AT(traced_run, span_ns)},
    {"lost", FIELD_TEXT, AT(traced_run, lost)},
    {"incomplete", FIELD_FLAG, AT(traced_run, incomplete), .given = "lost"},
    {"lost_hits", FIELD_UNSIGNED, AT(traced_run, lost_hits), .sparse = true},
    {0}};

const struct field traced_arc_ends[] = {{"run", FIELD_WHOLE, AT(traced_arc, run), .needed = true},
                                        {"from", FIELD_WHOLE, AT(traced_arc, from), .needed = true},
                                        {"to", FIELD_WHOLE, AT(traced_arc, to), .needed = true},
                                        {0}};
const struct field traced_arc_fields[] = {
#define UNSIGNED(id, may_lack, meaning) {#id, FIELD_UNSIGNED, AT(traced_arc, id), .needed = true, .sparse = (may_lack)},
#define SIGNED(id, meaning)             {#id, FIELD_SIGNED, AT(traced_arc, id), .needed = true},
#define FLAG(id, meaning)               {#id, FIELD_FLAG, AT(traced_arc, id), .sparse = true},
#include "traced_sums.def"
    {0}};

const struct field stack_fields[] = {{"parent", FIELD_INDEX, AT(traced_stack, parent), .high = STACKS_MAX},
                                     {"kind", FIELD_TEXT, AT(traced_stack, kind), .needed = true},
                                     {"name", FIELD_TEXT, AT(traced_stack, name), .needed = true},
                                     {"ns", FIELD_NUMBER, AT(traced_stack, ns), .absent = NAN},
                                     {"n", FIELD_UNSIGNED, AT(traced_stack, n), .sparse = true},
                                     {0}};

const struct field arc_result_ends[] = {{"subject", FIELD_SUBJECT, AT(arc_result, subject), .needed = true},
                                        {"from", FIELD_WHOLE, AT(arc_result, from), .needed = true},
                                        {"to", FIELD_WHOLE, AT(arc_result, to), .needed = true},
                                        {0}};
const struct field arc_result_fields[] = {
#define FIGURE(id, unknown, meaning) {#id, FIELD_NUMBER, AT(arc_result, id), .absent = (unknown)},
#define COUNT(id, meaning)           {#id, FIELD_UNSIGNED, AT(arc_result, id), .needed = true},
#include "arc_figures.def"
    {"runs", FIELD_WHOLE, AT(arc_result, runs)},
    {"runs_passed", FIELD_WHOLE, AT(arc_result, runs_passed)},
    {"below_resolution", FIELD_FLAG, AT(arc_result, below_resolution)},
    {"whole", FIELD_FLAG, AT(arc_result, whole)},
    {"reason", FIELD_TEXT, AT(arc_result, reason)},
    {0}};

const struct field leak_target_ends[] = {
    {"subject", FIELD_SUBJECT, AT(leak_target, subject), .needed = true},
    {"verdict", FIELD_WORD, AT(leak_target, verdict), .needed = true, .words = &verdict_words},
    {"exact", FIELD_FLAG, AT(leak_target, exact)},
    {"decided", FIELD_FLAG, AT(leak_target, decided)},
    {0}};
const struct field leak_target_fields[] = {
#define FIGURE(id, unit, meaning) {#id, FIELD_NUMBER, AT(leak_target, id), .absent = NAN},
#include "leak_figures.def"
#define TEXT(id, meaning) {#id, FIELD_TEXT, AT(leak_target, id)},
#include "leak_texts.def"
    {"exact", FIELD_FLAG, AT(leak_target, exact)}, {0}};

const struct field rule_fields[] = {{"method", FIELD_WORD, AT(rule, method), .known = true, .words = &method_words},
                                    {"metric", FIELD_TEXT, AT(rule, metric), .null = true},
                                    {"confidence", FIELD_NUMBER, AT(rule, confidence), .absent = 0.95},
                                    {"precision", FIELD_NUMBER, AT(rule, precision)},
                                    {"margin", FIELD_NUMBER, AT(rule, margin), .absent = 0.01},
                                    {"margin_unit", FIELD_TEXT, AT(rule, margin_unit), .null = true},
                                    {"interleaved", FIELD_FLAG, AT(rule, interleaved)},
                                    {"against_itself", FIELD_FLAG, AT(rule, against_itself), .sparse = true},
                                    {"fail_if_slower", FIELD_NUMBER, AT(rule, fail_if_slower), .absent = NAN},
                                    {"reference", FIELD_WHOLE, AT(rule, reference), .high = RECORD_SUBJECTS_MAX},
                                    /* of a later tare: what it did stands in the rows */
                                    {"on_dirty", FIELD_WORD, AT(rule, on_dirty), .sparse = true, .words = &on_dirty_words},
                                    {0}};
const struct field rule_georges_fields[] = {{"runs", FIELD_WHOLE, AT(rule, georges_runs)},
                                            {"min_runs", FIELD_WHOLE, AT(rule, georges_min)},
                                            {"window", FIELD_WHOLE, AT(rule, window), .sparse = true},
                                            {"cov", FIELD_NUMBER, AT(rule, cov), .given = "window"},
                                            {0}};
const struct field rule_bench_fields[] = {
    {"profile", FIELD_WORD, AT(rule, profile), .known = true, .words = &profile_words},
    {"correction", FIELD_WORD, AT(rule, correction), .known = true, .words = &correction_words},
    {0}};

const struct field rule_leaks_fields[] = {{"kind", FIELD_TEXT, AT(rule_leaks, kind)},
                                          {"cache", FIELD_TEXT, AT(rule_leaks, cache), .null = true},
                                          {"alpha", FIELD_NUMBER, AT(rule_leaks, alpha), .absent = 1e-5},
                                          {"advantage", FIELD_NUMBER, AT(rule_leaks, advantage), .absent = .01},
                                          {"exact", FIELD_FLAG, AT(rule_leaks, exact)},
                                          {"strict", FIELD_FLAG, AT(rule_leaks, strict)},
                                          {"noise", FIELD_FLAG, AT(rule_leaks, noise), .sparse = true},
                                          {"dit", FIELD_FLAG, AT(rule_leaks, dit)},
                                          {"selfcheck", FIELD_WHOLE, AT(rule_leaks, selfcheck), .high = 45},
                                          {"max_calls", FIELD_NUMBER, AT(rule_leaks, max_calls)},
                                          {"repeat", FIELD_WHOLE, AT(rule_leaks, repeat), .low = 1, .sparse = true},
                                          {"clock", FIELD_TEXT, AT(rule_leaks, clock)},
                                          {"latency_ns", FIELD_NUMBER, AT(rule_leaks, latency_ns), .sparse = true},
                                          {0}};
const struct field rule_dudect_fields[] = {{"lab0", FIELD_FLAG, AT(rule_leaks, lab0), .sparse = true},
                                           {"measurements", FIELD_WHOLE, AT(rule_leaks, measurements), .low = 1},
                                           {"drop", FIELD_WHOLE, AT(rule_leaks, drop)},
                                           {"percentiles", FIELD_WHOLE, AT(rule_leaks, percentiles)},
                                           {"order", FIELD_WHOLE, AT(rule_leaks, order), .low = 1, .high = 2},
                                           {"threshold", FIELD_NUMBER, AT(rule_leaks, threshold), .absent = 10},
                                           {0}};

const struct field metric_fields[] = {
    {"id", FIELD_TEXT, AT(metric, id), .needed = true},
    {"title", FIELD_TEXT, AT(metric, title), .null = true},
    {"unit", FIELD_TEXT, AT(metric, unit), .needed = true},
    {"kind", FIELD_WORD, AT(metric, kind), .needed = true, .words = &metric_kind_words},
    {"direction", FIELD_WORD, AT(metric, direction), .needed = true, .words = &metric_direction_words},
    {"definition", FIELD_TEXT, AT(metric, definition)},
    {0}};

const struct field hook_fields[] = {{"setup", FIELD_TEXT, AT(subject, setup)},
                                    {"prepare", FIELD_TEXT, AT(subject, prepare)},
                                    {"conclude", FIELD_TEXT, AT(subject, conclude)},
                                    {"cleanup", FIELD_TEXT, AT(subject, cleanup)},
                                    {0}};
const struct field subject_texts[] = {{"name", FIELD_TEXT, AT(subject, name), .null = true},
                                      {"command", FIELD_TEXT, AT(subject, command), .null = true},
                                      {"program", FIELD_TEXT, AT(subject, program)},
                                      {"benchmark", FIELD_TEXT, AT(subject, benchmark)},
                                      {"group", FIELD_TEXT, AT(subject, group)},
                                      {"version", FIELD_TEXT, AT(subject, version)},
                                      {"failure", FIELD_TEXT, AT(subject, failure)},
                                      {"remark", FIELD_TEXT, AT(subject, remark)},
                                      {"label", FIELD_TEXT, AT(subject, label)},
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
    if (!sparse || (isfinite(value) && value != f->absent && (f->absent != 0 || value > f->low)))
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
