/* SPDX-License-Identifier: MIT
 *
 * The fields of all frames of wire.h, and how measured programs write them: every frame is made between frame_begin and frame_end.
 */
#include "wire_frame.h"
#include <string.h>

#define FIELD(form, member, most)                             \
    {                                                         \
        form, .offset = offsetof(OF, member), .limit = (most) \
    }
#define LIST(member, n, most, item, fields)                                                                           \
    {                                                                                                                 \
        FORM_LIST, .offset = offsetof(OF, member), .limit = (most), .count = offsetof(OF, n), .stride = sizeof(item), \
                   .items = (fields)                                                                                  \
    }
#define U32(member)         FIELD(FORM_U32, member, 0)
#define BELOW(member, most) FIELD(FORM_U32, member, most)
#define FLAG(member)        FIELD(FORM_FLAG, member, 0)
#define I64(member)         FIELD(FORM_64, member, 1)
#define ACCOUNT(member)     FIELD(FORM_64, member, sizeof(struct wire_account) / sizeof(int64_t))
#define ANY(member)         FIELD(FORM_DOUBLE, member, 1)
#define FINITE(member)      FIELD(FORM_FINITE, member, 1)
#define TEXT(member)        FIELD(FORM_TEXT, member, WIRE_TEXT_MAX)
#define NAME(member)        FIELD(FORM_TEXT, member, WIRE_NAME_MAX)
#define LABEL(member)       FIELD(FORM_TEXT, member, WIRE_LABEL_MAX)

#define OF struct wire_note
static const struct wire_field note_fields[] = {LABEL(name), LABEL(text), {FORM_END}};
#undef OF

#define OF struct wire_hello
static const struct wire_field hello_fields[] = {
    U32(version),  TEXT(library), I64(pid),   U32(benchmarks),
    TEXT(trouble), U32(targets),  U32(taint), LIST(notes, n_notes, WIRE_NOTES_MAX + 1, struct wire_note, note_fields),
    {FORM_END}};
#undef OF

#define OF struct wire_clock
static const struct wire_field clock_fields[] = {
    TEXT(name),       TEXT(source),     FINITE(hz),        ANY(error_ppm), FINITE(step_ticks),   FINITE(pair_ticks),
    FLAG(counter),    TEXT(reason),     FLAG(core),        TEXT(no_core),  FINITE(chain_cycles), FINITE(chain_empty_ticks),
    ANY(chain_ratio), FLAG(difference), FLAG(chain_drawn), {FORM_END}};
#undef OF

#define OF struct wire_arg
static const struct wire_field arg_fields[] = {TEXT(name), I64(value), TEXT(word), {FORM_END}};
#undef OF

#define OF struct wire_bench
static const struct wire_field bench_fields[] = {
    U32(index),    NAME(name), NAME(group),  TEXT(file),
    U32(line),     U32(flags), U32(threads), LIST(args, n_args, WIRE_ARGS_MAX + 1, struct wire_arg, arg_fields),
    TEXT(version), {FORM_END}};
#undef OF

#define OF struct wire_samples
static const struct wire_field samples_fields[] = {U32(bench), U32(thread), U32(n), U32(columns), {FORM_END}};
#undef OF

#define OF struct wire_counter
static const struct wire_field counter_fields[] = {TEXT(name), TEXT(unit), FINITE(value), BELOW(per, WIRE_PERS), {FORM_END}};
#undef OF

#define OF struct wire_counter
static const struct wire_field inverted_fields[] = {FLAG(inverted), {FORM_END}};
#undef OF

#define OF struct wire_end
static const struct wire_field end_fields[] = {
    U32(bench),        BELOW(state, WIRE_STATES),
    TEXT(reason),      TEXT(remark),
    I64(iterations),   FINITE(items),
    FINITE(bytes),     I64(peak_bytes),
    I64(before_bytes), ACCOUNT(account),
    ANY(scaling),      ANY(lone_ticks),
    ANY(floor_ticks),  LIST(counters, n_counters, WIRE_COUNTERS_MAX + 1, struct wire_counter, counter_fields),
    LABEL(label),      LIST(counters, n_counters, 0, struct wire_counter, inverted_fields),
    {FORM_END}};
#undef OF

#define OF struct wire_bye
static const struct wire_field bye_fields[] = {
    ANY(drift_ppm), ANY(drift_bound_ppm), FLAG(backwards), U32(benchmarks), {FORM_END}};
#undef OF

static const struct wire_field class_fields[] = {{FORM_TEXT, .limit = WIRE_TEXT_MAX}, {FORM_END}},
                               size_fields[] = {{FORM_64, .limit = 1}, {FORM_END}};

#define OF struct wire_target
static const struct wire_field target_fields[] = {U32(index),
                                                  NAME(name),
                                                  TEXT(file),
                                                  U32(line),
                                                  U32(flags),
                                                  U32(input_bytes),
                                                  U32(secret_at),
                                                  BELOW(secret_bytes, WIRE_SECRET_MAX + 1),
                                                  LIST(classes, n_classes, WIRE_CLASSES_MAX + 1, const char *, class_fields),
                                                  LIST(sizes, n_sizes, WIRE_SIZES_MAX + 1, int64_t, size_fields),
                                                  BELOW(dit, WIRE_DITS),
                                                  TEXT(dit_words),
                                                  TEXT(trouble),
                                                  {FORM_END}};
#undef OF

#define OF struct wire_blocks
static const struct wire_field blocks_fields[] = {
    U32(target), BELOW(kind, WIRE_BLOCKS_KINDS), BELOW(k, WIRE_SIZES_MAX + 1), U32(n), I64(start_ns), U32(repeat), {FORM_END}};
#undef OF

#define OF struct wire_calls
static const struct wire_field calls_fields[] = {U32(target),   U32(n),      BELOW(secret_bytes, WIRE_SECRET_MAX + 1),
                                                 I64(start_ns), U32(repeat), {FORM_END}};
#undef OF

#define OF struct wire_target_end
static const struct wire_field target_end_fields[] = {
    U32(target),   BELOW(state, WIRE_STATES), TEXT(reason),     TEXT(remark),      U32(facts), U32(checked),
    U32(repeat),   FINITE(pair_ticks),        ANY(spike_ticks), ANY(spike_cycles), I64(calls), I64(saturated),
    I64(migrated), I64(elapsed_ns),           ACCOUNT(account), ANY(core_hz),      {FORM_END}};
#undef OF

const struct wire_field *const wire_fields[WIRE_TYPES] = {
    [WIRE_HELLO] = hello_fields,          [WIRE_CLOCK] = clock_fields,   [WIRE_BENCH] = bench_fields,
    [WIRE_SAMPLES] = samples_fields,      [WIRE_END] = end_fields,       [WIRE_BYE] = bye_fields,
    [WIRE_TARGET] = target_fields,        [WIRE_BLOCKS] = blocks_fields, [WIRE_CALLS] = calls_fields,
    [WIRE_TARGET_END] = target_end_fields};
#undef FIELD
#undef U32
#undef BELOW
#undef FLAG
#undef I64
#undef ACCOUNT
#undef ANY
#undef FINITE
#undef TEXT
#undef NAME
#undef LABEL
#undef LIST

static void put_number(struct buf *out, uint64_t value, int bytes)
{
    char raw[8];
    for (int i = 0; i < bytes; i++)
        raw[i] = (char)(value >> 8 * i);
    buf_add(out, raw, (size_t)bytes);
}

/* Cut to what a reader accepts. */
static void put_text(struct buf *out, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    if (n > WIRE_TEXT_MAX)
        n = WIRE_TEXT_MAX;
    put_number(out, n, 4);
    buf_add(out, text ? text : "", n);
    buf_add(out, "", 1);
}

static void put_fields(struct buf *out, const struct wire_field *fields, const void *object)
{
    for (const struct wire_field *f = fields; f->form != FORM_END; f++) {
        const char *at = (const char *)object + f->offset;
        uint32_t value;
        uint64_t bits;
        switch ((enum wire_form)f->form) {
        case FORM_U32:
            memcpy(&value, at, sizeof value);
            put_number(out, value, 4);
            break;
        case FORM_FLAG:
            put_number(out, *(const bool *)at, 4);
            break;
        case FORM_64:
        case FORM_DOUBLE:
        case FORM_FINITE:
            for (int i = 0; i < f->limit; i++) {
                memcpy(&bits, at + 8 * i, sizeof bits);
                put_number(out, bits, 8);
            }
            break;
        case FORM_TEXT:
            put_text(out, *(const char *const *)at);
            break;
        case FORM_LIST:
            memcpy(&value, (const char *)object + f->count, sizeof value);
            if (f->limit)
                put_number(out, value, 4);
            for (uint32_t i = 0; i < value; i++)
                put_fields(out, f->items, at + (size_t)i * f->stride);
            break;
        case FORM_END:
            break;
        }
    }
}

/* With the fields of the object; what else there is follows. */
static size_t frame_begin(struct buf *out, enum wire_type type, const void *object)
{
    size_t at = out->len;
    buf_add(out, MAGIC, sizeof MAGIC);
    put_number(out, type, 2);
    put_number(out, 0, 2);
    put_number(out, 0, 8); /* length and checksum */
    put_fields(out, wire_fields[type], object);
    return at;
}

static void set_u32(char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(value >> 8 * i);
}

/* What did not fit leaves nothing behind. */
static void frame_end(struct buf *out, size_t at)
{
    size_t payload = out->len - at - HEAD;
    if (!out->status && payload > WIRE_FRAME_MAX)
        out->status = TARE_TOO_LARGE;
    if (out->status) {
        out->len = at < out->len ? at : out->len;
        return;
    }
    set_u32(out->data + at + 8, (uint32_t)payload);
    set_u32(out->data + at + CHECKSUM_AT, frame_checksum((const uint8_t *)out->data + at, payload));
}

static void put_frame(struct buf *out, enum wire_type type, const void *object)
{
    size_t at = frame_begin(out, type, object);
    frame_end(out, at);
}

void wire_put_hello(struct buf *out, const struct wire_hello *h)
{
    put_frame(out, WIRE_HELLO, h);
}

void wire_put_clock(struct buf *out, const struct wire_clock *c)
{
    put_frame(out, WIRE_CLOCK, c);
}

void wire_put_bench(struct buf *out, const struct wire_bench *b)
{
    put_frame(out, WIRE_BENCH, b);
}

void wire_put_end(struct buf *out, const struct wire_end *e)
{
    put_frame(out, WIRE_END, e);
}

void wire_put_bye(struct buf *out, const struct wire_bye *b)
{
    put_frame(out, WIRE_BYE, b);
}

void wire_put_target(struct buf *out, const struct wire_target *t)
{
    put_frame(out, WIRE_TARGET, t);
}

void wire_put_target_end(struct buf *out, const struct wire_target_end *e)
{
    put_frame(out, WIRE_TARGET_END, e);
}

void wire_put_samples(struct buf *out, uint32_t bench, uint32_t thread, uint32_t n, const int64_t *const columns[WIRE_COLUMNS_N])
{
    struct wire_samples s = {.bench = bench, .thread = thread, .n = n};
    for (int i = 0; i < WIRE_COLUMNS_N; i++)
        s.columns += columns[i] != NULL;
    size_t at = frame_begin(out, WIRE_SAMPLES, &s);
    for (int i = 0; i < WIRE_COLUMNS_N; i++) {
        if (!columns[i])
            continue;
        put_number(out, (uint64_t)i, 2);
        for (uint32_t row = 0; row < n; row++)
            put_number(out, (uint64_t)columns[i][row], 8);
    }
    frame_end(out, at);
}

static void put_ticks(struct buf *out, const uint32_t *ticks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_number(out, ticks[i], 4);
}

void wire_put_blocks(struct buf *out, const struct wire_blocks *b, const uint8_t *classes, const uint32_t *ticks)
{
    size_t at = frame_begin(out, WIRE_BLOCKS, b), calls = (size_t)b->n * b->k;
    buf_add(out, classes, calls);
    put_ticks(out, ticks, calls);
    frame_end(out, at);
}

void wire_put_calls(struct buf *out, const struct wire_calls *c, const uint8_t *secrets, const uint32_t *ticks)
{
    size_t at = frame_begin(out, WIRE_CALLS, c);
    buf_add(out, secrets, (size_t)c->n * c->secret_bytes);
    put_ticks(out, ticks, c->n);
    put_number(out, c->kind, 4);
    frame_end(out, at);
}
