/* SPDX-License-Identifier: MIT
 *
 * The request of wire.h as its program reads it: lines of text in one variable of the environment. Who writes one: wire.c.
 *
 *     tare-wire 1 5
 *     mode measure
 *     profile steady
 *     seed 42
 *     run 5000 sort_ints/100
 */
#include "wire.h"
#include <limits.h>
#include <string.h>

#define HOUR_NS 3600000000000u

/* ---- words ---- */

const char *wire_mode_word(enum wire_mode mode)
{
    static const char *const words[WIRE_MODES] = {"list", "measure", "leak"};
    return words[mode];
}

const char *wire_profile_word(enum wire_profile profile)
{
    static const char *const words[WIRE_PROFILES] = {"steady", "startup", "memory", "once"};
    return words[profile];
}

const char *wire_leak_kind_word(enum wire_leak_kind kind)
{
    static const char *const words[WIRE_LEAK_KINDS] = {"pairs", "scan", "growth", "taint"};
    return words[kind];
}

const char *wire_cache_word(enum wire_cache cache)
{
    static const char *const words[WIRE_CACHES] = {"warm", "cold", "random"};
    return words[cache];
}

/* ---- the request ---- */

struct wire_request wire_request_default(int fd)
{
    return (struct wire_request){.version = WIRE_VERSION,
                                 .fd = fd,
                                 .mode = WIRE_MEASURE,
                                 .profile = WIRE_STEADY,
                                 .warmup = -1,
                                 .guard = 1,
                                 .selfcheck = 5,
                                 .dit = -1,
                                 .clock = "auto",
                                 .clock_size = 4};
}

void wire_request_filter(struct buf *out, const char *word)
{
    buf_format(out, "filter %s\n", word);
}

/* ---- reading ---- */

struct line {
    const char *word, *value;
    size_t word_size, value_size;
};

/* The line at *at, which moves to the next. */
static bool next_line(const char *text, size_t size, size_t *at, struct line *out)
{
    if (*at >= size)
        return false;
    const char *begin = text + *at, *end = memchr(begin, '\n', size - *at);
    size_t length = end ? (size_t)(end - begin) : size - *at;
    const char *blank = memchr(begin, ' ', length);
    out->word = begin;
    out->word_size = blank ? (size_t)(blank - begin) : length;
    out->value = blank ? blank + 1 : begin + length;
    out->value_size = blank ? length - out->word_size - 1 : 0;
    *at += length + (end != NULL);
    return true;
}

static bool is(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Digits up to `end`, at most `max`. Returns what follows them; NULL: none, or too large. */
static const char *read_digits(const char *at, const char *end, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    const char *begin = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (digit > max || value > (max - digit) / 10)
            return NULL;
        value = value * 10 + digit;
    }
    *out = value;
    return at == begin ? NULL : at;
}

static bool read_uint(const struct line *l, uint64_t max, uint64_t *out)
{
    return read_digits(l->value, l->value + l->value_size, max, out) == l->value + l->value_size;
}

static bool read_int(const struct line *l, int max, int *out)
{
    uint64_t value = 0;
    bool good = read_uint(l, (uint64_t)max, &value);
    *out = good ? (int)value : *out;
    return good;
}

static int read_word(const struct line *l, const char *(*word)(int), int n)
{
    for (int i = 0; i < n; i++)
        if (is(l->value, l->value_size, word(i)))
            return i;
    return -1;
}

static const char *mode_word(int mode)
{
    return wire_mode_word((enum wire_mode)mode);
}

static const char *profile_word(int profile)
{
    return wire_profile_word((enum wire_profile)profile);
}

static const char *leak_kind_word(int kind)
{
    return wire_leak_kind_word((enum wire_leak_kind)kind);
}

static const char *cache_word(int cache)
{
    return wire_cache_word((enum wire_cache)cache);
}

static bool read_leak_chosen(const struct line *l, struct wire_request *q)
{
    int kind = is(l->word, l->word_size, "leak-kind") ? read_word(l, leak_kind_word, WIRE_LEAK_KINDS) : (int)q->leak_kind;
    int cache = is(l->word, l->word_size, "cache") ? read_word(l, cache_word, WIRE_CACHES) : (int)q->cache;
    q->leak_kind = kind < 0 ? q->leak_kind : (enum wire_leak_kind)kind;
    q->cache = cache < 0 ? q->cache : (enum wire_cache)cache;
    return kind >= 0 && cache >= 0;
}

/* Digits, with or without others after a point. */
static bool read_decimal(const struct line *l, uint64_t most, double *out)
{
    uint64_t whole = 0, part = 0;
    const char *end = l->value + l->value_size, *at = read_digits(l->value, end, most, &whole);
    const char *point = at && at < end && *at == '.' ? at + 1 : NULL;
    const char *after = point ? read_digits(point, end, 1000000000000000u, &part) : at;
    if (!after || after != end)
        return false;
    double scale = 1;
    for (const char *digit = point; digit && digit < end; digit++)
        scale *= 10;
    *out = (double)whole + (double)part / scale;
    return true;
}

/* Of what an earlier process measured. */
static bool read_told(const struct line *l, struct wire_request *q)
{
    if (is(l->word, l->word_size, "tick-hz"))
        return read_decimal(l, 100000000000u, &q->tick_hz) && q->tick_hz >= WIRE_HZ_LEAST && q->tick_hz <= WIRE_HZ_MOST;
    return !is(l->word, l->word_size, "tick-ppm") || read_decimal(l, 1000000, &q->tick_ppm);
}

static bool read_chosen(const struct line *l, struct wire_request *q)
{
    int mode = is(l->word, l->word_size, "mode") ? read_word(l, mode_word, WIRE_MODES) : (int)q->mode;
    int profile = is(l->word, l->word_size, "profile") ? read_word(l, profile_word, WIRE_PROFILES) : (int)q->profile;
    q->mode = mode < 0 ? q->mode : (enum wire_mode)mode;
    q->profile = profile < 0 ? q->profile : (enum wire_profile)profile;
    if (is(l->word, l->word_size, "clock")) {
        q->clock = l->value;
        q->clock_size = (uint32_t)l->value_size;
        return l->value_size > 0 && l->value_size < 32;
    }
    return mode >= 0 && profile >= 0 && read_leak_chosen(l, q) && read_told(l, q);
}

/* One line; those of other words are for wire_request_run, or of a later day. */
static bool read_line(const struct line *l, struct wire_request *q)
{
    static const struct {
        const char *word;
        size_t offset;
        int max;
    } ints[] = {{"samples", offsetof(struct wire_request, samples), 1000000},
                {"warmup", offsetof(struct wire_request, warmup), 1000000},
                {"guard", offsetof(struct wire_request, guard), 1},
                {"difference", offsetof(struct wire_request, difference), 1},
                {"signals", offsetof(struct wire_request, signals), 1},
                {"spike-adds", offsetof(struct wire_request, spike_adds), WIRE_SPIKE_ADDS_MAX},
                {"selfcheck", offsetof(struct wire_request, selfcheck), 45},
                {"noise", offsetof(struct wire_request, noise), 1},
                {"repeat", offsetof(struct wire_request, repeat), WIRE_REPEAT_MAX},
                {"dit", offsetof(struct wire_request, dit), 1},
                {"bits", offsetof(struct wire_request, bits), 8 * WIRE_SECRET_MAX},
                {"tick-step", offsetof(struct wire_request, tick_step), 1000000000},
                {"chain-cycles", offsetof(struct wire_request, chain_cycles), 1000000}};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        if (is(l->word, l->word_size, ints[i].word))
            return read_int(l, ints[i].max, (int *)((char *)q + ints[i].offset));
    uint64_t number = 0;
    if (is(l->word, l->word_size, "seed"))
        return read_uint(l, UINT64_MAX, &q->seed);
    if (is(l->word, l->word_size, "spike-ns"))
        return read_decimal(l, HOUR_NS, &q->spike_ns);
    if (is(l->word, l->word_size, "sample_ns") || is(l->word, l->word_size, "leak-ns")) {
        bool good = read_uint(l, HOUR_NS, &number);
        *(l->word[0] == 's' ? &q->sample_ns : &q->leak_ns) = (int64_t)number;
        return good;
    }
    return read_chosen(l, q);
}

/* "tare-wire VERSION FD" */
static enum tare_status read_first(const struct line *l, struct wire_request *q, struct tare_err *err)
{
    uint64_t version = 0, fd = 0;
    const char *end = l->value + l->value_size;
    const char *at = is(l->word, l->word_size, "tare-wire") ? read_digits(l->value, end, INT_MAX, &version) : NULL;
    if (!at || at == end || *at != ' ' || read_digits(at + 1, end, INT_MAX, &fd) != end)
        return err_set(err, TARE_FORMAT, "%s does not begin with \"tare-wire VERSION DESCRIPTOR\"", WIRE_VARIABLE);
    q->version = (int)version;
    q->fd = (int)fd;
    if (version != WIRE_VERSION)
        return err_set(err, TARE_VERSION,
                       "this program speaks version %d of tare's record, the runner version %d: build both from one tare",
                       WIRE_VERSION, q->version);
    return TARE_OK;
}

enum tare_status wire_request_read(const char *text, struct wire_request *q, struct tare_err *err)
{
    *q = wire_request_default(-1);
    size_t size = text ? strlen(text) : 0, at = 0;
    struct line l;
    if (!size || size > WIRE_REQUEST_MAX || !next_line(text, size, &at, &l))
        return err_set(err, TARE_FORMAT, "%s holds no request", WIRE_VARIABLE);
    enum tare_status status = read_first(&l, q, err);
    if (status)
        return status;
    q->lines = text;
    q->size = size;
    while (next_line(text, size, &at, &l))
        if (!read_line(&l, q))
            return err_set(err, TARE_FORMAT, "%s: the line \"%.*s %.*s\" is not understood", WIRE_VARIABLE, (int)l.word_size,
                           l.word, (int)l.value_size, l.value);
    return TARE_OK;
}

bool wire_request_run(const struct wire_request *q, size_t *at, struct wire_run *out)
{
    struct line l;
    while (next_line(q->lines, q->size, at, &l)) {
        const char *end = l.value + l.value_size;
        const char *name = is(l.word, l.word_size, "run") ? read_digits(l.value, end, UINT64_MAX, &out->iterations) : NULL;
        if (!name || name == end || *name != ' ')
            continue;
        out->name = name + 1;
        out->size = (uint32_t)(end - out->name);
        return true;
    }
    return false;
}

/* A number and the blank behind it; NULL: that is not there. */
static const char *read_column(const char *at, const char *end, uint64_t max, uint64_t *out)
{
    at = at ? read_digits(at, end, max, out) : NULL;
    return at && at < end && *at == ' ' ? at + 1 : NULL;
}

bool wire_request_event(const struct wire_request *q, size_t *at, struct wire_event *out)
{
    struct line l;
    while (next_line(q->lines, q->size, at, &l)) {
        const char *end = l.value + l.value_size;
        uint64_t user_only = 0;
        const char *name = is(l.word, l.word_size, "count") ? read_column(l.value, end, 1, &user_only) : NULL;
        name = read_column(name, end, UINT32_MAX, &out->type);
        name = read_column(name, end, UINT64_MAX, &out->config);
        if (!name || name == end)
            continue;
        out->user_only = user_only;
        out->name = name;
        out->size = (uint32_t)(end - name);
        return true;
    }
    return false;
}

static bool contains(const char *name, const char *word, size_t size)
{
    for (size_t n = strlen(name), i = 0; i + size <= n; i++)
        if (memcmp(name + i, word, size) == 0)
            return true;
    return false;
}

bool wire_request_wants(const struct wire_request *q, const char *name)
{
    bool filtered = false;
    struct line l;
    for (size_t at = 0; next_line(q->lines, q->size, &at, &l);) {
        if (!is(l.word, l.word_size, "filter"))
            continue;
        filtered = true;
        if (contains(name, l.value, l.value_size))
            return true;
    }
    return !filtered;
}

/* ---- what a process can hold ---- */

size_t wire_input_stride(size_t bytes)
{
    size_t unit = bytes > 2048 ? 4096 : 64; /* a page, a line of the cache */
    return (bytes + unit - 1) / unit * unit;
}

int wire_repeat_most(size_t input_bytes, int classes)
{
    size_t stride = wire_input_stride(input_bytes);
    if (!stride)
        return WIRE_REPEAT_MAX;
    size_t slots = WIRE_INPUTS_BYTES / stride, most = slots ? (slots - 1) / (size_t)(classes > 2 ? classes : 2) : 0;
    return most < WIRE_REPEAT_MAX ? (int)most : WIRE_REPEAT_MAX;
}
