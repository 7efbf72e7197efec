/* SPDX-License-Identifier: MIT
 *
 * The frames of wire.h: writing and reading. The request is in wire_request.c.
 *
 * The checksum is FNV-1a of 32 bits: it is there to tell a torn or overwritten frame from a whole one, not to resist anybody.
 */
#include "wire.h"
#include <math.h>
#include <string.h>

enum { HEAD = 16, CHECKSUM_AT = 12 };

static const uint8_t MAGIC[4] = {'t', 'W', 'r', 1};

static uint32_t checksum(uint32_t h, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * 16777619u;
    return h;
}

/* Of type, zero and length, then the payload. */
static uint32_t frame_checksum(const uint8_t *frame, size_t payload)
{
    return checksum(checksum(2166136261u, frame + 4, 8), frame + HEAD, payload);
}

/* ---- writing ---- */

static void put_number(struct buf *out, uint64_t value, int bytes)
{
    char raw[8];
    for (int i = 0; i < bytes; i++)
        raw[i] = (char)(value >> 8 * i);
    buf_add(out, raw, (size_t)bytes);
}

static void put_u32(struct buf *out, uint32_t value)
{
    put_number(out, value, 4);
}

static void put_i64(struct buf *out, int64_t value)
{
    put_number(out, (uint64_t)value, 8);
}

static void put_double(struct buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(out, bits, 8);
}

/* Cut to what a reader accepts. */
static void put_text(struct buf *out, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    if (n > WIRE_TEXT_MAX)
        n = WIRE_TEXT_MAX;
    put_u32(out, (uint32_t)n);
    buf_add(out, text ? text : "", n);
    buf_add(out, "", 1);
}

static size_t frame_begin(struct buf *out, enum wire_type type)
{
    size_t at = out->len;
    buf_add(out, MAGIC, sizeof MAGIC);
    put_number(out, type, 2);
    put_number(out, 0, 2);
    put_number(out, 0, 8); /* length and checksum */
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

void wire_put_hello(struct buf *out, const struct wire_hello *h)
{
    size_t at = frame_begin(out, WIRE_HELLO);
    put_u32(out, h->version);
    put_text(out, h->library);
    put_i64(out, (int64_t)h->pid);
    put_u32(out, h->benchmarks);
    put_text(out, h->trouble);
    frame_end(out, at);
}

void wire_put_clock(struct buf *out, const struct wire_clock *c)
{
    size_t at = frame_begin(out, WIRE_CLOCK);
    put_text(out, c->name);
    put_text(out, c->source);
    put_double(out, c->hz);
    put_double(out, c->error_ppm);
    put_double(out, c->step_ticks);
    put_double(out, c->pair_ticks);
    put_u32(out, c->counter);
    put_text(out, c->reason);
    put_u32(out, c->core);
    put_text(out, c->no_core);
    put_double(out, c->chain_cycles);
    put_double(out, c->chain_empty_ticks);
    put_double(out, c->chain_ratio);
    frame_end(out, at);
}

void wire_put_bench(struct buf *out, const struct wire_bench *b)
{
    size_t at = frame_begin(out, WIRE_BENCH);
    put_u32(out, b->index);
    put_text(out, b->name);
    put_text(out, b->group);
    put_text(out, b->file);
    put_u32(out, b->line);
    put_u32(out, b->flags);
    put_u32(out, b->threads);
    put_u32(out, b->n_args);
    for (uint32_t i = 0; i < b->n_args; i++) {
        put_text(out, b->args[i].name);
        put_i64(out, b->args[i].value);
        put_text(out, b->args[i].word);
    }
    frame_end(out, at);
}

static void put_account(struct buf *out, const struct wire_account *a)
{
    const int64_t values[] = {a->wall_ns,   a->cpu_ns,      a->delay_ns, a->throttled_ns,
                              a->voluntary, a->involuntary, a->minflt,   a->majflt};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        put_i64(out, values[i]);
}

void wire_put_end(struct buf *out, const struct wire_end *e)
{
    size_t at = frame_begin(out, WIRE_END);
    put_u32(out, e->bench);
    put_u32(out, e->state);
    put_text(out, e->reason);
    put_text(out, e->remark);
    put_i64(out, (int64_t)e->iterations);
    put_double(out, e->items);
    put_double(out, e->bytes);
    put_i64(out, e->peak_bytes);
    put_i64(out, e->before_bytes);
    put_account(out, &e->account);
    put_double(out, e->scaling);
    put_double(out, e->lone_ticks);
    put_double(out, e->floor_ticks);
    put_u32(out, e->n_counters);
    for (uint32_t i = 0; i < e->n_counters; i++) {
        put_text(out, e->counters[i].name);
        put_text(out, e->counters[i].unit);
        put_double(out, e->counters[i].value);
        put_u32(out, e->counters[i].per);
    }
    frame_end(out, at);
}

void wire_put_bye(struct buf *out, const struct wire_bye *b)
{
    size_t at = frame_begin(out, WIRE_BYE);
    put_double(out, b->drift_ppm);
    put_double(out, b->drift_bound_ppm);
    put_u32(out, b->backwards);
    put_u32(out, b->benchmarks);
    frame_end(out, at);
}

void wire_put_samples(struct buf *out, uint32_t bench, uint32_t thread, uint32_t n, const int64_t *const columns[WIRE_COLUMNS_N])
{
    size_t at = frame_begin(out, WIRE_SAMPLES);
    uint32_t there = 0;
    for (int i = 0; i < WIRE_COLUMNS_N; i++)
        there += columns[i] != NULL;
    put_u32(out, bench);
    put_u32(out, thread);
    put_u32(out, n);
    put_u32(out, there);
    for (int i = 0; i < WIRE_COLUMNS_N; i++) {
        if (!columns[i])
            continue;
        put_number(out, (uint64_t)i, 2);
        for (uint32_t row = 0; row < n; row++)
            put_i64(out, columns[i][row]);
    }
    frame_end(out, at);
}

/* ---- reading ---- */

/* What is left of a payload. After its end every field reads as zero or "": an older program did not write it. One that is cut in the
 * middle, or a text that is none, is bad. */
struct payload {
    const uint8_t *bytes;
    size_t size, at;
    bool bad;
};

static uint64_t number_at(const uint8_t *bytes, int n)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static uint64_t take(struct payload *p, int n)
{
    size_t left = p->size - p->at;
    if (p->bad || !left)
        return 0;
    if (left < (size_t)n) {
        p->bad = true;
        return 0;
    }
    p->at += (size_t)n;
    return number_at(p->bytes + p->at - n, n);
}

static uint32_t take_u32(struct payload *p)
{
    return (uint32_t)take(p, 4);
}

static uint32_t take_below(struct payload *p, uint32_t limit)
{
    uint32_t value = take_u32(p);
    p->bad |= value >= limit;
    return p->bad ? 0 : value;
}

static int64_t take_i64(struct payload *p)
{
    return (int64_t)take(p, 8);
}

static double take_double(struct payload *p)
{
    uint64_t bits = take(p, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double take_finite(struct payload *p)
{
    double value = take_double(p);
    p->bad |= !isfinite(value);
    return p->bad ? 0 : value;
}

static const char *take_text(struct payload *p, uint32_t longest)
{
    if (p->bad || p->at == p->size)
        return "";
    uint32_t n = take_u32(p);
    size_t left = p->size - p->at;
    if (p->bad || n > longest || left <= n || memchr(p->bytes + p->at, 0, n + 1) != p->bytes + p->at + n) {
        p->bad = true;
        return "";
    }
    const char *text = (const char *)p->bytes + p->at;
    p->at += n + 1;
    return text;
}

/* Of a version that is not ours nothing but that is known. */
static void read_hello(struct payload *p, struct wire_hello *h)
{
    *h = (struct wire_hello){.version = take_u32(p), .library = "", .trouble = ""};
    if (h->version != WIRE_VERSION)
        return;
    h->library = take_text(p, WIRE_TEXT_MAX);
    h->pid = (uint64_t)take_i64(p);
    h->benchmarks = take_u32(p);
    h->trouble = take_text(p, WIRE_TEXT_MAX);
}

static void read_clock(struct payload *p, struct wire_clock *c)
{
    c->name = take_text(p, WIRE_TEXT_MAX);
    c->source = take_text(p, WIRE_TEXT_MAX);
    c->hz = take_finite(p);
    c->error_ppm = take_double(p);
    c->step_ticks = take_finite(p);
    c->pair_ticks = take_finite(p);
    c->counter = take_below(p, 2);
    c->reason = take_text(p, WIRE_TEXT_MAX);
    c->core = take_below(p, 2);
    c->no_core = take_text(p, WIRE_TEXT_MAX);
    c->chain_cycles = take_finite(p);
    c->chain_empty_ticks = take_finite(p);
    c->chain_ratio = take_double(p);
    p->bad |= !(c->hz > 0) || (c->core && !(c->chain_cycles > 0));
}

static void read_bench(struct payload *p, struct wire_bench *b)
{
    *b = (struct wire_bench){.index = take_u32(p)};
    b->name = take_text(p, WIRE_NAME_MAX);
    b->group = take_text(p, WIRE_NAME_MAX);
    b->file = take_text(p, WIRE_TEXT_MAX);
    b->line = take_u32(p);
    b->flags = take_u32(p);
    b->threads = take_u32(p);
    b->n_args = take_below(p, WIRE_ARGS_MAX + 1);
    for (uint32_t i = 0; i < b->n_args; i++) {
        b->args[i].name = take_text(p, WIRE_TEXT_MAX);
        b->args[i].value = take_i64(p);
        b->args[i].word = take_text(p, WIRE_TEXT_MAX);
    }
    p->bad |= !b->name[0] || !b->threads;
}

static void read_samples(struct payload *p, struct wire_samples *s)
{
    *s = (struct wire_samples){.bench = take_u32(p), .thread = take_u32(p)};
    uint32_t n = take_u32(p), columns = take_u32(p);
    size_t left = p->size - p->at, column_size = 2 + 8 * (size_t)n;
    p->bad |= columns > left / column_size;
    if (p->bad)
        return;
    s->n = n;
    s->columns = columns;
    s->bytes = p->bytes + p->at;
}

static void read_account(struct payload *p, struct wire_account *a)
{
    int64_t *const values[] = {&a->wall_ns,   &a->cpu_ns,      &a->delay_ns, &a->throttled_ns,
                               &a->voluntary, &a->involuntary, &a->minflt,   &a->majflt};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = take_i64(p);
}

static void read_end(struct payload *p, struct wire_end *e)
{
    *e = (struct wire_end){.bench = take_u32(p)};
    e->state = (enum wire_state)take_below(p, WIRE_STATES);
    e->reason = take_text(p, WIRE_TEXT_MAX);
    e->remark = take_text(p, WIRE_TEXT_MAX);
    e->iterations = (uint64_t)take_i64(p);
    e->items = take_finite(p);
    e->bytes = take_finite(p);
    e->peak_bytes = take_i64(p);
    e->before_bytes = take_i64(p);
    read_account(p, &e->account);
    e->scaling = take_double(p);
    e->lone_ticks = take_double(p);
    e->floor_ticks = take_double(p);
    e->n_counters = take_below(p, WIRE_COUNTERS_MAX + 1);
    for (uint32_t i = 0; i < e->n_counters; i++) {
        e->counters[i].name = take_text(p, WIRE_TEXT_MAX);
        e->counters[i].unit = take_text(p, WIRE_TEXT_MAX);
        e->counters[i].value = take_finite(p);
        e->counters[i].per = (enum wire_per)take_below(p, WIRE_PERS);
    }
}

static void read_bye(struct payload *p, struct wire_bye *b)
{
    b->drift_ppm = take_double(p);
    b->drift_bound_ppm = take_double(p);
    b->backwards = take_below(p, 2);
    b->benchmarks = take_u32(p);
}

static bool read_payload(struct payload *p, struct wire_frame *out)
{
    switch (out->type) {
    case WIRE_HELLO:
        read_hello(p, &out->u.hello);
        break;
    case WIRE_CLOCK:
        read_clock(p, &out->u.clock);
        break;
    case WIRE_BENCH:
        read_bench(p, &out->u.bench);
        break;
    case WIRE_SAMPLES:
        read_samples(p, &out->u.samples);
        break;
    case WIRE_END:
        read_end(p, &out->u.end);
        break;
    case WIRE_BYE:
        read_bye(p, &out->u.bye);
        break;
    }
    return !p->bad;
}

/* A frame that is not there to its end may still be seen to be none. */
static enum tare_status torn(const uint8_t *bytes, size_t size, size_t at, struct tare_err *err)
{
    if (memcmp(bytes, MAGIC, size < sizeof MAGIC ? size : sizeof MAGIC) != 0 ||
        (size >= CHECKSUM_AT && number_at(bytes + 8, 4) > WIRE_FRAME_MAX))
        return err_set(err, TARE_FORMAT, "byte %zu of the program's record begins no frame", at);
    return err_set(err, TARE_TRUNCATED, "the program's record ends at byte %zu, in the middle of a frame", at + size);
}

enum tare_status wire_next(struct wire_reader *r, struct wire_frame *out, struct tare_err *err)
{
    const uint8_t *frame = (const uint8_t *)r->bytes + r->at;
    size_t left = r->size - r->at;
    if (!left)
        return err_set(err, TARE_TRUNCATED, "there is no more of the program's record");
    if (left < HEAD || memcmp(frame, MAGIC, sizeof MAGIC) != 0)
        return torn(frame, left, r->at, err);
    size_t payload = (size_t)number_at(frame + 8, 4);
    if (payload > WIRE_FRAME_MAX || left - HEAD < payload)
        return torn(frame, left, r->at, err);
    struct payload p = {.bytes = frame + HEAD, .size = payload};
    *out = (struct wire_frame){.type = (enum wire_type)number_at(frame + 4, 2)};
    if (number_at(frame + CHECKSUM_AT, 4) != frame_checksum(frame, payload) || !read_payload(&p, out))
        return err_set(err, TARE_FORMAT, "the frame at byte %zu of the program's record contradicts itself", r->at);
    r->at += HEAD + payload;
    return TARE_OK;
}

int64_t wire_sample(const struct wire_samples *s, enum wire_column column, uint32_t row)
{
    const uint8_t *at = s->bytes;
    for (uint32_t i = 0; row < s->n && i < s->columns; i++, at += 2 + 8 * (size_t)s->n)
        if (number_at(at, 2) == (uint64_t)column)
            return (int64_t)number_at(at + 2 + 8 * (size_t)row, 8);
    return WIRE_NONE;
}

/* ---- words ---- */

const char *wire_state_word(enum wire_state state)
{
    static const char *const words[WIRE_STATES] = {"ok", "skipped", "failed", "optimised-away"};
    return words[state];
}

const char *wire_profile_word(enum wire_profile profile)
{
    static const char *const words[WIRE_PROFILES] = {"steady", "startup", "memory", "once"};
    return words[profile];
}

const char *wire_per_word(enum wire_per per)
{
    static const char *const words[WIRE_PERS] = {"iteration", "second", "total"};
    return words[per];
}
