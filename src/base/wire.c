/* SPDX-License-Identifier: MIT
 *
 * The frames of wire.h as the runner reads them. Their counterpart in measured programs is wire_write.c.
 */
#include "wire_frame.h"
#include <math.h>
#include <string.h>

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

/* limit 0: any. */
static uint32_t take_below(struct payload *p, uint32_t limit)
{
    uint32_t value = (uint32_t)take(p, 4);
    p->bad |= limit && value >= limit;
    return p->bad ? 0 : value;
}

static const char *take_text(struct payload *p, uint32_t longest)
{
    if (p->bad || p->at == p->size)
        return "";
    uint32_t n = (uint32_t)take(p, 4);
    size_t left = p->size - p->at;
    if (p->bad || n > longest || left <= n || memchr(p->bytes + p->at, 0, n + 1) != p->bytes + p->at + n) {
        p->bad = true;
        return "";
    }
    const char *text = (const char *)p->bytes + p->at;
    p->at += n + 1;
    return text;
}

static void take_fields(struct payload *p, const struct wire_field *fields, void *object)
{
    for (const struct wire_field *f = fields; f->form != FORM_END; f++) {
        char *at = (char *)object + f->offset;
        uint32_t value;
        uint64_t bits;
        double number;
        switch ((enum wire_form)f->form) {
        case FORM_U32:
            value = take_below(p, f->limit);
            memcpy(at, &value, sizeof value);
            break;
        case FORM_FLAG:
            *(bool *)at = take_below(p, 2);
            break;
        case FORM_64:
        case FORM_DOUBLE:
        case FORM_FINITE:
            for (int i = 0; i < f->limit; i++) {
                bits = take(p, 8);
                memcpy(&number, &bits, sizeof number);
                p->bad |= f->form == FORM_FINITE && !isfinite(number);
                memcpy(at + 8 * i, &bits, sizeof bits);
            }
            break;
        case FORM_TEXT:
            *(const char **)(void *)at = take_text(p, f->limit);
            break;
        case FORM_LIST:
            if (f->limit) {
                value = take_below(p, f->limit);
                memcpy((char *)object + f->count, &value, sizeof value);
            }
            memcpy(&value, (char *)object + f->count, sizeof value);
            for (uint32_t i = 0; i < value; i++)
                take_fields(p, f->items, at + (size_t)i * f->stride);
            break;
        case FORM_END:
            break;
        }
    }
}

static void take_samples(struct payload *p, struct wire_samples *s)
{
    size_t left = p->size - p->at, column_size = 2 + 8 * (size_t)s->n;
    p->bad |= s->columns > left / column_size || (s->n && !s->columns); /* else nothing would bound n */
    s->bytes = p->bytes + p->at;
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

static void take_blocks(struct payload *p, struct wire_blocks *b)
{
    p->bad |= !b->k || !b->repeat || ((b->kind == WIRE_AA || b->kind == WIRE_SPIKE) && b->k != 2);
    b->classes = take_bytes(p, (uint64_t)b->n * b->k, 1);
    b->ticks = take_bytes(p, (uint64_t)b->n * b->k, 4);
    p->bad = p->bad || !classes_are_whole(b);
}

static void take_calls(struct payload *p, struct wire_calls *c)
{
    p->bad |= !c->secret_bytes || !c->repeat;
    c->secrets = take_bytes(p, c->n, c->secret_bytes);
    c->ticks = take_bytes(p, c->n, 4);
    c->kind = (enum wire_blocks_kind)take_below(p, WIRE_GROWTH_SIZES);
}

static bool target_agrees(const struct wire_target *t)
{
    for (uint32_t i = 1; i < t->n_sizes; i++)
        if (t->sizes[i] <= t->sizes[i - 1])
            return false;
    return t->name[0] && t->n_classes != 1 && t->secret_at <= t->input_bytes && t->secret_bytes <= t->input_bytes - t->secret_at;
}

/* Of a version that is not ours nothing but that is known. */
static void take_hello(struct payload *p, struct wire_hello *h)
{
    h->version = (uint32_t)take(p, 4);
    h->library = h->trouble = "";
    if (h->version == WIRE_VERSION)
        take_fields(p, wire_fields[WIRE_HELLO] + 1, h);
}

static bool read_payload(struct payload *p, struct wire_frame *out)
{
    if (out->type == WIRE_HELLO)
        take_hello(p, &out->u.hello);
    else if (out->type > 0 && out->type < WIRE_TYPES)
        take_fields(p, wire_fields[out->type], &out->u);
    switch (out->type) {
    case WIRE_CLOCK:
        p->bad |= !(out->u.clock.hz > 0) || (out->u.clock.core && !(out->u.clock.chain_cycles > 0));
        break;
    case WIRE_BENCH:
        p->bad |= !out->u.bench.name[0] || !out->u.bench.threads;
        break;
    case WIRE_SAMPLES:
        take_samples(p, &out->u.samples);
        break;
    case WIRE_TARGET:
        p->bad |= !target_agrees(&out->u.target);
        break;
    case WIRE_BLOCKS:
        take_blocks(p, &out->u.blocks);
        break;
    case WIRE_CALLS:
        take_calls(p, &out->u.calls);
        break;
    default:
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

const char *wire_state_word(enum wire_state state)
{
    static const char *const words[WIRE_STATES] = {"ok", "skipped", "failed", "optimised-away"};
    return words[state];
}
