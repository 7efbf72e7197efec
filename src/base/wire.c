/* SPDX-License-Identifier: MIT
 *
 * What the runner does with wire.h: writes the request and reads the frames. Their counterparts in measured programs are wire_request.c and wire_write.c.
 */
#include "wire_frame.h"
#include <math.h>
#include <string.h>

/* ---- the request ---- */

static void write_leak(struct buf *out, const struct wire_request *q)
{
    buf_format(out, "leak-kind %s\nleak-ns %lld\nspike-ns %.9f\nselfcheck %d\ncache %s\n", wire_leak_kind_word(q->leak_kind),
               (long long)q->leak_ns, q->spike_ns, q->selfcheck, wire_cache_word(q->cache));
    buf_format(out, "noise %d\nrepeat %d\nbits %d\n", q->noise, q->repeat, q->bits);
    if (q->spike_adds)
        buf_format(out, "spike-adds %d\n", q->spike_adds);
    if (q->dit >= 0)
        buf_format(out, "dit %d\n", q->dit);
    if (q->tick_hz > 0)
        buf_format(out, "tick-hz %.6f\ntick-ppm %.6f\ntick-step %d\nchain-cycles %d\n", q->tick_hz, q->tick_ppm, q->tick_step,
                   q->chain_cycles);
}

void wire_request_write(struct buf *out, const struct wire_request *q)
{
    buf_format(out, "tare-wire %d %d\nmode %s\nprofile %s\nseed %llu\n", WIRE_VERSION, q->fd, wire_mode_word(q->mode),
               wire_profile_word(q->profile), (unsigned long long)q->seed);
    buf_format(out, "sample_ns %lld\nsamples %d\n", (long long)q->sample_ns, q->samples);
    if (q->warmup >= 0)
        buf_format(out, "warmup %d\n", q->warmup);
    if (q->difference)
        buf_str(out, "difference 1\n");
    buf_format(out, "guard %d\nsignals %d\nclock %.*s\n", q->guard, q->signals, (int)q->clock_size, q->clock);
    if (q->mode == WIRE_LEAK)
        write_leak(out, q);
}

void wire_request_add(struct buf *out, const char *name, uint64_t iterations)
{
    buf_format(out, "run %llu %s\n", (unsigned long long)iterations, name);
}

void wire_request_count(struct buf *out, const char *name, uint64_t type, uint64_t config, bool user_only)
{
    buf_format(out, "count %d %llu %llu %s\n", user_only, (unsigned long long)type, (unsigned long long)config, name);
}

/* ---- the frames ---- */

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
    h->targets = take_u32(p);
    h->taint = take_u32(p);
    h->n_notes = take_below(p, WIRE_NOTES_MAX + 1);
    for (uint32_t i = 0; i < h->n_notes; i++) {
        h->notes[i].name = take_text(p, WIRE_LABEL_MAX);
        h->notes[i].text = take_text(p, WIRE_LABEL_MAX);
    }
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
    c->difference = take_below(p, 2);
    c->chain_drawn = take_below(p, 2);
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
    p->bad |= columns > left / column_size || (n && !columns); /* else nothing would bound n */
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
    e->label = take_text(p, WIRE_LABEL_MAX);
    for (uint32_t i = 0; i < e->n_counters; i++)
        e->counters[i].inverted = take_below(p, 2);
}

static void read_bye(struct payload *p, struct wire_bye *b)
{
    b->drift_ppm = take_double(p);
    b->drift_bound_ppm = take_double(p);
    b->backwards = take_below(p, 2);
    b->benchmarks = take_u32(p);
}

/* ---- reading, leaks ---- */

static void read_target(struct payload *p, struct wire_target *t)
{
    *t = (struct wire_target){.index = take_u32(p)};
    t->name = take_text(p, WIRE_NAME_MAX);
    t->file = take_text(p, WIRE_TEXT_MAX);
    t->line = take_u32(p);
    t->flags = take_u32(p);
    t->input_bytes = take_u32(p);
    t->secret_at = take_u32(p);
    t->secret_bytes = take_below(p, WIRE_SECRET_MAX + 1);
    t->n_classes = take_below(p, WIRE_CLASSES_MAX + 1);
    for (uint32_t i = 0; i < t->n_classes; i++)
        t->classes[i] = take_text(p, WIRE_TEXT_MAX);
    t->n_sizes = take_below(p, WIRE_SIZES_MAX + 1);
    for (uint32_t i = 0; i < t->n_sizes; i++) {
        t->sizes[i] = take_i64(p);
        p->bad |= i > 0 && t->sizes[i] <= t->sizes[i - 1];
    }
    t->dit = (enum wire_dit)take_below(p, WIRE_DITS);
    t->dit_words = take_text(p, WIRE_TEXT_MAX);
    t->trouble = take_text(p, WIRE_TEXT_MAX);
    p->bad |=
        !t->name[0] || t->n_classes == 1 || t->secret_at > t->input_bytes || t->secret_bytes > t->input_bytes - t->secret_at;
}

/* n entries of so many bytes; NULL and bad: they are not there. */
static const uint8_t *take_bytes(struct payload *p, uint64_t n, uint64_t size)
{
    uint64_t left = p->size - p->at;
    if (p->bad || (size && n > left / size)) {
        p->bad = true;
        return NULL;
    }
    const uint8_t *bytes = p->bytes + p->at;
    p->at += (size_t)(n * size);
    return bytes;
}

/* Of a block each class is there once. */
static bool classes_are_whole(const struct wire_blocks *b)
{
    for (size_t block = 0; block < b->n; block++) {
        uint64_t seen = 0;
        for (uint32_t i = 0; i < b->k; i++) {
            uint8_t class = b->classes[block * b->k + i];
            if (class >= b->k || seen >> class & 1)
                return false;
            seen |= (uint64_t)1 << class;
        }
    }
    return true;
}

static void read_blocks(struct payload *p, struct wire_blocks *b)
{
    *b = (struct wire_blocks){.target = take_u32(p)};
    b->kind = (enum wire_blocks_kind)take_below(p, WIRE_BLOCKS_KINDS);
    b->k = take_below(p, WIRE_SIZES_MAX + 1);
    b->n = take_u32(p);
    b->start_ns = take_i64(p);
    b->repeat = take_u32(p);
    p->bad |= !b->k || !b->repeat || ((b->kind == WIRE_AA || b->kind == WIRE_SPIKE) && b->k != 2);
    b->classes = take_bytes(p, (uint64_t)b->n * b->k, 1);
    b->ticks = take_bytes(p, (uint64_t)b->n * b->k, 4);
    p->bad = p->bad || !classes_are_whole(b);
}

static void read_calls(struct payload *p, struct wire_calls *c)
{
    *c = (struct wire_calls){.target = take_u32(p)};
    c->n = take_u32(p);
    c->secret_bytes = take_below(p, WIRE_SECRET_MAX + 1);
    c->start_ns = take_i64(p);
    c->repeat = take_u32(p);
    p->bad |= !c->secret_bytes || !c->repeat;
    c->secrets = take_bytes(p, c->n, c->secret_bytes);
    c->ticks = take_bytes(p, c->n, 4);
    c->kind = (enum wire_blocks_kind)take_below(p, WIRE_GROWTH_SIZES);
}

static void read_target_end(struct payload *p, struct wire_target_end *e)
{
    *e = (struct wire_target_end){.target = take_u32(p)};
    e->state = (enum wire_state)take_below(p, WIRE_STATES);
    e->reason = take_text(p, WIRE_TEXT_MAX);
    e->remark = take_text(p, WIRE_TEXT_MAX);
    e->facts = take_u32(p);
    e->checked = take_u32(p);
    e->repeat = take_u32(p);
    e->pair_ticks = take_finite(p);
    e->spike_ticks = take_double(p);
    e->spike_cycles = take_double(p);
    e->calls = (uint64_t)take_i64(p);
    e->saturated = (uint64_t)take_i64(p);
    e->migrated = (uint64_t)take_i64(p);
    e->elapsed_ns = take_i64(p);
    read_account(p, &e->account);
    e->core_hz = take_double(p);
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
    case WIRE_TARGET:
        read_target(p, &out->u.target);
        break;
    case WIRE_BLOCKS:
        read_blocks(p, &out->u.blocks);
        break;
    case WIRE_CALLS:
        read_calls(p, &out->u.calls);
        break;
    case WIRE_TARGET_END:
        read_target_end(p, &out->u.target_end);
        break;
    case WIRE_TYPES:
        break;
    }
    return !p->bad;
}

/* A frame that is not there to its end may still be seen to be none. */
static enum tare_status truncated(const uint8_t *bytes, size_t size, size_t at, struct tare_err *err)
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
        return truncated(frame, left, r->at, err);
    size_t payload = (size_t)number_at(frame + 8, 4);
    if (payload > WIRE_FRAME_MAX || left - HEAD < payload)
        return truncated(frame, left, r->at, err);
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

uint32_t wire_ticks_at(const void *ticks, size_t i)
{
    return (uint32_t)number_at((const uint8_t *)ticks + 4 * i, 4);
}

void wire_ticks_copy(const void *ticks, size_t n, uint32_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = wire_ticks_at(ticks, i);
}

/* ---- words ---- */

const char *wire_state_word(enum wire_state state)
{
    static const char *const words[WIRE_STATES] = {"ok", "skipped", "failed", "optimised-away"};
    return words[state];
}

const char *wire_dit_word(enum wire_dit dit)
{
    static const char *const words[WIRE_DITS] = {"unknown", "absent", "off", "on"};
    return words[dit];
}
