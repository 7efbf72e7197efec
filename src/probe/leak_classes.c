/* SPDX-License-Identifier: MIT
 *
 * The ready classes of tare/leak.h: each fills an input. A fixed value comes from the target's name, so that it is the same in all processes.
 * Big numbers have their most significant byte first; integers and floating-point numbers are of this machine.
 */
#include "leak_harness.h"
#include "plat.h"
#include <stdlib.h>
#include <string.h>

uint64_t tare_random_next(struct tare_random *random)
{
    return rng_next(&random->rng);
}

uint64_t tare_random_below(struct tare_random *random, uint64_t limit)
{
    return rng_below(&random->rng, limit);
}

void tare_random_bytes(struct tare_random *random, void *out, size_t n)
{
    unsigned char *at = out;
    for (; n >= 8; n -= 8, at += 8) {
        uint64_t bits = rng_next(&random->rng);
        memcpy(at, &bits, 8);
    }
    if (n) {
        uint64_t bits = rng_next(&random->rng);
        memcpy(at, &bits, n);
    }
    leak_written(out, (size_t)(at - (unsigned char *)out) + n);
}

#define FILL(name)                                                                                        \
    static void name(__attribute__((unused)) const struct leak_class *c, unsigned char *in, size_t bytes, \
                     __attribute__((unused)) struct tare_random *random)

FILL(fill_zero)
{
    memset(in, 0, bytes);
}

FILL(fill_ones)
{
    memset(in, 0xff, bytes);
}

FILL(fill_random)
{
    tare_random_bytes(random, in, bytes);
}

FILL(fill_fixed)
{
    struct tare_random own = {rng_seeded(c->fixed)};
    tare_random_bytes(&own, in, bytes);
}

/* A bit is set when four random ones are. */
FILL(fill_low_weight)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t bits = ~(uint64_t)0;
        for (int k = 0; k < 4; k++)
            bits &= tare_random_next(random);
        memcpy(in + i, &bits, bytes - i < 8 ? bytes - i : 8);
    }
}

FILL(fill_high_weight)
{
    fill_low_weight(c, in, bytes, random);
    for (size_t i = 0; i < bytes; i++)
        in[i] = (unsigned char)~in[i];
}

FILL(fill_one_hot)
{
    memset(in, 0, bytes);
    uint64_t bit = tare_random_below(random, 8 * (uint64_t)bytes);
    in[bit / 8] = (unsigned char)(1u << bit % 8);
}

/* The part that a comparison reads from the input, made equal to what it is compared with; how long it is in *n. */
static unsigned char *equal_part(const struct leak_class *c, unsigned char *in, size_t bytes, struct tare_random *random,
                                 size_t *n)
{
    tare_random_bytes(random, in, bytes);
    *n = c->reference ? bytes : bytes / 2;
    unsigned char *second = c->reference ? in : in + bytes / 2;
    memcpy(second, c->reference ? c->reference : in, *n);
    return second;
}

/* By a value that is never 0. */
static void change_byte(unsigned char *byte, struct tare_random *random)
{
    *byte ^= (unsigned char)(1 + tare_random_below(random, 255));
}

FILL(fill_equal)
{
    size_t n;
    equal_part(c, in, bytes, random, &n);
}

FILL(fill_differs_first)
{
    size_t n;
    change_byte(equal_part(c, in, bytes, random, &n), random);
}

FILL(fill_differs_middle)
{
    size_t n;
    unsigned char *second = equal_part(c, in, bytes, random, &n);
    change_byte(second + n / 2, random);
}

FILL(fill_differs_last)
{
    size_t n;
    unsigned char *second = equal_part(c, in, bytes, random, &n);
    change_byte(second + n - 1, random);
}

FILL(fill_prefix)
{
    size_t n;
    unsigned char *second = equal_part(c, in, bytes, random, &n);
    change_byte(second + c->number, random);
    tare_random_bytes(random, second + c->number + 1, n - c->number - 1);
}

FILL(fill_short)
{
    size_t zeros = bytes - (bytes + 3) / 4;
    memset(in, 0, zeros);
    tare_random_bytes(random, in + zeros, bytes - zeros);
}

FILL(fill_long)
{
    fill_random(c, in, bytes, random);
    in[0] |= 0x80;
}

FILL(fill_leading_zeros)
{
    fill_random(c, in, bytes, random);
    memset(in, 0, (bytes + 3) / 4);
}

FILL(fill_trailing_zeros)
{
    fill_random(c, in, bytes, random);
    memset(in + bytes - (bytes + 3) / 4, 0, (bytes + 3) / 4);
}

FILL(fill_sparse)
{
    memset(in, 0, bytes);
    for (size_t i = 0; i < bytes; i += 8)
        in[i + (size_t)tare_random_below(random, bytes - i < 8 ? bytes - i : 8)] =
            (unsigned char)(1 + tare_random_below(random, 255));
}

FILL(fill_length)
{
    for (size_t i = 0; i < c->number; i++)
        in[i] = (unsigned char)(1 + tare_random_below(random, 255));
    memset(in + c->number, 0, bytes - c->number);
}

/* Each 64-bit word of the input as `word` has it. */
static void fill_words(unsigned char *in, size_t bytes, struct tare_random *random, uint64_t (*word)(struct tare_random *))
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t value = word(random);
        memcpy(in + i, &value, bytes - i < 8 ? bytes - i : 8);
    }
}

#define FILL_WORDS(name, value)                             \
    static uint64_t name##_word(struct tare_random *random) \
    {                                                       \
        const uint64_t bits = tare_random_next(random);     \
        return value;                                       \
    }                                                       \
    FILL(fill_##name)                                       \
    {                                                       \
        fill_words(in, bytes, random, name##_word);         \
    }

#define MANTISSA  ((uint64_t)0xfffffffffffff)
#define MANTISSAS ((uint64_t)0x007fffff007fffff) /* of two floats */
#define LAST_BITS ((uint64_t)0x0000000100000001)
FILL_WORDS(small, 1 + bits % 15)
FILL_WORDS(large, bits | (uint64_t)1 << 63)
FILL_WORDS(power_of_two, (uint64_t)1 << bits % 64)
FILL_WORDS(normal, (bits & MANTISSA) | (uint64_t)1023 << 52)
FILL_WORDS(denormal, (bits & MANTISSA) | 1)
FILL_WORDS(infinite, (bits & (uint64_t)1 << 63) | (uint64_t)2047 << 52)
FILL_WORDS(nan, (bits & MANTISSA) | (uint64_t)4095 << 51)
FILL_WORDS(normal32, (bits & MANTISSAS) | (uint64_t)127 << 23 | (uint64_t)127 << 55)
FILL_WORDS(denormal32, (bits & MANTISSAS) | LAST_BITS)

FILL(fill_record)
{
    uint64_t record = tare_random_below(random, c->file.len / bytes);
    memcpy(in, c->file.data + record * bytes, bytes);
}

enum needs { NOTHING, PAIR, NUMBER_IN_PAIR, NUMBER, PATH };

static const struct {
    const char *name; /* up to and with a colon, where something follows */
    void (*fill)(const struct leak_class *c, unsigned char *in, size_t bytes, struct tare_random *random);
    enum needs needs;
} ready[] = {
    {"zero", fill_zero, NOTHING},
    {"ones", fill_ones, NOTHING},
    {"minus-one", fill_ones, NOTHING},
    {"random", fill_random, NOTHING},
    {"fixed", fill_fixed, NOTHING},
    {"fixed2", fill_fixed, NOTHING},
    {"low-weight", fill_low_weight, NOTHING},
    {"high-weight", fill_high_weight, NOTHING},
    {"one-hot", fill_one_hot, NOTHING},
    {"equal", fill_equal, PAIR},
    {"differs-first", fill_differs_first, PAIR},
    {"differs-middle", fill_differs_middle, PAIR},
    {"differs-last", fill_differs_last, PAIR},
    {"prefix:", fill_prefix, NUMBER_IN_PAIR},
    {"short", fill_short, NOTHING},
    {"long", fill_long, NOTHING},
    {"leading-zeros", fill_leading_zeros, NOTHING},
    {"trailing-zeros", fill_trailing_zeros, NOTHING},
    {"sparse", fill_sparse, NOTHING},
    {"length:", fill_length, NUMBER},
    {"small", fill_small, NOTHING},
    {"large", fill_large, NOTHING},
    {"power-of-two", fill_power_of_two, NOTHING},
    {"normal", fill_normal, NOTHING},
    {"denormal", fill_denormal, NOTHING},
    {"infinite", fill_infinite, NOTHING},
    {"nan", fill_nan, NOTHING},
    {"normal32", fill_normal32, NOTHING},
    {"denormal32", fill_denormal32, NOTHING},
    {"file:", fill_record, PATH},
};
enum { READY = sizeof ready / sizeof *ready };

static int find_class(const char *name)
{
    for (int i = 0; i < READY; i++) {
        size_t n = strlen(ready[i].name);
        if (ready[i].needs < NUMBER_IN_PAIR ? strcmp(name, ready[i].name) == 0 : strncmp(name, ready[i].name, n) == 0)
            return i;
    }
    return -1;
}

static void list_names(struct buf *out)
{
    for (int i = 0; i < READY; i++)
        buf_format(out, "%s%s%s", i ? " " : "", ready[i].name,
                   ready[i].needs == PATH             ? "PATH"
                   : ready[i].needs >= NUMBER_IN_PAIR ? "K"
                                                      : "");
}

static bool read_number(const char *text, size_t most, size_t *out)
{
    *out = 0;
    for (const char *at = text; *at; at++) {
        if (*at < '0' || *at > '9' || *out > most)
            return false;
        *out = *out * 10 + (size_t)(*at - '0');
    }
    return text[0] && *out <= most;
}

static enum tare_status read_class(const char *name, size_t bytes, bool has_reference, struct leak_class *out,
                                   struct tare_err *err)
{
    const int i = find_class(name);
    char names[400];
    struct buf all = buf_over(names, sizeof names);
    list_names(&all);
    if (i < 0)
        return err_set(err, TARE_INVALID, "there is no predefined class \"%s\"; there are %s", name, buf_text(&all));
    *out = (struct leak_class){.fill = ready[i].fill};
    const char *rest = name + strlen(ready[i].name);
    bool pair = ready[i].needs == PAIR || ready[i].needs == NUMBER_IN_PAIR;
    if (pair && !has_reference && (bytes < 2 || bytes % 2))
        return err_set(err, TARE_INVALID, "class %s: without .reference the input is two halves, so %zu bytes are none", name,
                       bytes);
    const size_t part = pair && !has_reference ? bytes / 2 : bytes;
    if (ready[i].needs == NUMBER_IN_PAIR && !read_number(rest, part - 1, &out->number))
        return err_set(err, TARE_INVALID, "class %s: prefix:K, K from 0 to %zu", name, part - 1);
    if (ready[i].needs == NUMBER && !read_number(rest, part, &out->number))
        return err_set(err, TARE_INVALID, "class %s: length:K, K from 0 to %zu", name, part);
    if (ready[i].needs == PATH && !rest[0])
        return err_set(err, TARE_INVALID, "class %s: file:PATH, records of %zu bytes", name, bytes);
    return TARE_OK;
}

enum tare_status leak_class_check(const char *name, size_t bytes, bool has_reference, struct tare_err *err)
{
    struct leak_class c;
    return read_class(name, bytes, has_reference, &c, err);
}

static enum tare_status read_records(struct leak_class *c, const char *path, size_t bytes, struct tare_err *err)
{
    enum { MOST = 1 << 28 };
    c->file = BUF_INIT(MOST);
    enum tare_status status = plat_file_read(path, &c->file, err);
    if (!status && (!c->file.len || c->file.len % bytes))
        status = err_set(err, TARE_FORMAT, "%s has %zu bytes, not a multiple of %zu", path, c->file.len, bytes);
    return status;
}

enum tare_status leak_class_open(struct leak_class *out, const struct tare_leak *leak, const char *name, struct tare_err *err)
{
    enum tare_status status = read_class(name, leak->bytes, leak->reference != NULL, out, err);
    if (status)
        return status;
    out->reference = leak->reference;
    uint64_t h = 14695981039346656037u;
    for (const char *at = leak->name; *at; at++)
        h = (h ^ (unsigned char)*at) * 1099511628211u;
    for (const char *at = name; *at; at++)
        h = (h ^ (unsigned char)*at) * 1099511628211u;
    out->fixed = h;
    return ready[find_class(name)].needs == PATH ? read_records(out, name + strlen("file:"), leak->bytes, err) : TARE_OK;
}

void leak_class_close(struct leak_class *c)
{
    buf_finish(&c->file);
}
