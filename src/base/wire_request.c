/* SPDX-License-Identifier: MIT
 *
 * The request of wire.h: lines of text in one variable of the environment, written by the runner and read by the program.
 *
 *     tare-wire 1 5
 *     mode measure
 *     profile steady
 *     seed 42
 *     run 5000 sort_ints/100
 */
#include "request.h"
#include "wire.h"
#include <limits.h>
#include <string.h>

#define HOUR_NS 3600000000000u

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

static const char *const modes[WIRE_MODES] = {"list", "measure", "leak"};
static const char *const profiles[WIRE_PROFILES] = {"steady", "startup", "memory", "once"};
static const char *const leak_kinds[WIRE_LEAK_KINDS] = {"pairs", "scan", "growth", "taint"};
static const char *const caches[WIRE_CACHES] = {"warm", "cold", "random"};

#define AT(member) offsetof(struct wire_request, member)
static const struct request_field fields[] = {{"mode", REQUEST_INT, AT(mode), .most = WIRE_MODES - 1, .words = modes},
                                              {"profile", REQUEST_INT, AT(profile), .most = WIRE_PROFILES - 1, .words = profiles},
                                              {"seed", REQUEST_U64, AT(seed), .most = UINT64_MAX},
                                              {"sample_ns", REQUEST_U64, AT(sample_ns), .most = HOUR_NS},
                                              {"samples", REQUEST_INT, AT(samples), .most = 1000000},
                                              {"warmup", REQUEST_INT, AT(warmup), .most = 1000000},
                                              {"guard", REQUEST_INT, AT(guard), .most = 1},
                                              {"signals", REQUEST_INT, AT(signals), .most = 1},
                                              {0}};
static const struct request_field leak_fields[] = {
    {"leak-kind", REQUEST_INT, AT(leak_kind), .most = WIRE_LEAK_KINDS - 1, .words = leak_kinds},
    {"leak-ns", REQUEST_U64, AT(leak_ns), .most = HOUR_NS},
    {"spike-ns", REQUEST_DECIMAL, AT(spike_ns), .most = HOUR_NS},
    {"spike-adds", REQUEST_INT, AT(spike_adds), .most = WIRE_SPIKE_ADDS_MAX},
    {"selfcheck", REQUEST_INT, AT(selfcheck), .most = 45},
    {"cache", REQUEST_INT, AT(cache), .most = WIRE_CACHES - 1, .words = caches},
    {"repeat", REQUEST_INT, AT(repeat), .most = WIRE_REPEAT_MAX},
    {"dit", REQUEST_INT, AT(dit), .most = 1},
    {"bits", REQUEST_INT, AT(bits), .most = 8 * WIRE_SECRET_MAX},
    {0}};
static const struct request_field told_fields[] = {/* what an earlier process measured */
                                                   {"tick-hz", REQUEST_DECIMAL, AT(tick_hz), .most = (uint64_t)WIRE_HZ_MOST,
                                                    .least = (uint64_t)WIRE_HZ_LEAST},
                                                   {"tick-ppm", REQUEST_DECIMAL, AT(tick_ppm), .most = 1000000},
                                                   {"tick-step", REQUEST_INT, AT(tick_step), .most = 1000000000},
                                                   {"chain-cycles", REQUEST_INT, AT(chain_cycles), .most = 1000000},
                                                   {0}};
#undef AT

void wire_request_write(struct buf *out, const struct wire_request *q)
{
    buf_format(out, "tare-wire %d %d\n", WIRE_VERSION, q->fd);
    request_write(out, fields, q);
    buf_format(out, "clock %.*s\n", (int)q->clock_size, q->clock);
    if (q->mode == WIRE_LEAK)
        request_write(out, leak_fields, q);
    if (q->mode == WIRE_LEAK && q->tick_hz > 0)
        request_write(out, told_fields, q);
}

void wire_request_add(struct buf *out, const char *name, uint64_t iterations)
{
    buf_format(out, "run %llu %s\n", (unsigned long long)iterations, name);
}

void wire_request_count(struct buf *out, const char *name, uint64_t type, uint64_t config, bool user_only)
{
    buf_format(out, "count %d %llu %llu %s\n", user_only, (unsigned long long)type, (unsigned long long)config, name);
}

/* One line; those of other words are for wire_request_run, or of a later day. */
static bool read_line(const struct request_line *l, struct wire_request *q)
{
    if (request_is(l, "clock")) {
        q->clock = l->value;
        q->clock_size = (uint32_t)l->value_size;
        return l->value_size > 0 && l->value_size < 32;
    }
    return request_take(l, fields, q) && request_take(l, leak_fields, q) && request_take(l, told_fields, q);
}

/* "tare-wire VERSION FD" */
static enum tare_status read_first(const struct request_line *l, struct wire_request *q, struct tare_err *err)
{
    uint64_t version = 0, fd = 0;
    const char *end = l->value + l->value_size;
    const char *at = request_is(l, "tare-wire") ? request_digits(l->value, end, INT_MAX, &version) : NULL;
    if (!at || at == end || *at != ' ' || request_digits(at + 1, end, INT_MAX, &fd) != end)
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
    struct request_line l;
    if (!size || size > WIRE_REQUEST_MAX || !request_line(text, size, &at, &l))
        return err_set(err, TARE_FORMAT, "%s holds no request", WIRE_VARIABLE);
    enum tare_status status = read_first(&l, q, err);
    if (status)
        return status;
    q->lines = text;
    q->size = size;
    while (request_line(text, size, &at, &l))
        if (!read_line(&l, q))
            return request_wrong(&l, WIRE_VARIABLE, err);
    return TARE_OK;
}

bool wire_request_run(const struct wire_request *q, size_t *at, struct wire_run *out)
{
    struct request_line l;
    while (request_line(q->lines, q->size, at, &l)) {
        const char *end = l.value + l.value_size;
        const char *name = request_is(&l, "run") ? request_digits(l.value, end, UINT64_MAX, &out->iterations) : NULL;
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
    at = at ? request_digits(at, end, max, out) : NULL;
    return at && at < end && *at == ' ' ? at + 1 : NULL;
}

bool wire_request_event(const struct wire_request *q, size_t *at, struct wire_event *out)
{
    struct request_line l;
    while (request_line(q->lines, q->size, at, &l)) {
        const char *end = l.value + l.value_size;
        uint64_t user_only = 0;
        const char *name = request_is(&l, "count") ? read_column(l.value, end, 1, &user_only) : NULL;
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
    struct request_line l;
    for (size_t at = 0; request_line(q->lines, q->size, &at, &l);) {
        if (!request_is(&l, "filter"))
            continue;
        filtered = true;
        if (contains(name, l.value, l.value_size))
            return true;
    }
    return !filtered;
}

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
