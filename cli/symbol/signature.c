/* SPDX-License-Identifier: MIT */
#include "signature.h"
#include "buf.h"
#include <string.h>

struct cursor {
    const char *text, *at;
    struct tare_err *err;
};

static enum tare_status refuse_signature(const struct cursor *c, const char *wanted)
{
    return err_set(c->err, TARE_INVALID, "%s at \"%.40s\"; write LIBRARY:SYMBOL(in:32,in:32,len)", wanted, c->at);
}

static bool take_text(struct cursor *c, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

/* Whether the word ends here, so that u8 is not found in u800. */
static bool take_word(struct cursor *c, const char *word)
{
    const char *before = c->at;
    if (take_text(c, word) && (*c->at == ',' || *c->at == ')' || !*c->at))
        return true;
    c->at = before;
    return false;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static bool take_number(struct cursor *c, uint64_t most, uint64_t *out)
{
    const uint64_t base = take_text(c, "0x") ? 16 : 10;
    const char *first = c->at;
    *out = 0;
    for (; (uint64_t)digit_of(*c->at) < base; c->at++) {
        uint64_t digit = (uint64_t)digit_of(*c->at);
        if (digit > most || *out > (most - digit) / base)
            return false;
        *out = *out * base + digit;
    }
    return c->at != first;
}

static bool nearest_length(const struct signature *s, uint64_t *out)
{
    for (int i = s->n; i-- > 0;)
        if (s->args[i].kind == ARG_IN || s->args[i].kind == ARG_PUBLIC || s->args[i].kind == ARG_OUT) {
            *out = s->args[i].bytes;
            return true;
        }
    return false;
}

static enum tare_status read_pointer(struct cursor *c, struct signature_arg *a, enum signature_kind kind)
{
    uint64_t bytes;
    if (!take_number(c, SIGNATURE_BYTES_MAX, &bytes) || !bytes)
        return refuse_signature(c, "expected a number of bytes from 1 to 16777216");
    a->kind = kind;
    a->bytes = (size_t)bytes;
    return TARE_OK;
}

static bool read_value(struct cursor *c, struct signature_arg *a)
{
    static const char *const words[] = {"u8", "u16", "u32", "u64"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take_word(c, words[i])) {
            a->kind = ARG_VALUE;
            a->bytes = (size_t)1 << i;
            return true;
        }
    return false;
}

static enum tare_status read_arg(struct cursor *c, struct signature *s)
{
    struct signature_arg *a = &s->args[s->n];
    *a = (struct signature_arg){.kind = ARG_NUMBER};
    enum tare_status status = TARE_OK;
    if (take_text(c, "in:"))
        status = read_pointer(c, a, ARG_IN);
    else if (take_text(c, "public:"))
        status = read_pointer(c, a, ARG_PUBLIC);
    else if (take_text(c, "out:"))
        status = read_pointer(c, a, ARG_OUT);
    else if (take_word(c, "len"))
        status = nearest_length(s, &a->number) ? TARE_OK : refuse_signature(c, "len has no pointer to its left");
    else if (!take_word(c, "null") && !read_value(c, a) && !take_number(c, UINT64_MAX, &a->number))
        status = refuse_signature(c, "expected an argument (in:N, public:N, out:N, len, u8 to u64, null or a number)");
    s->n++;
    return status;
}

static enum tare_status read_args(struct cursor *c, struct signature *s)
{
    enum tare_status status = TARE_OK;
    if (take_text(c, ")"))
        return TARE_OK;
    while (!status) {
        if (s->n == SIGNATURE_ARGS)
            return refuse_signature(c, "at most 6 arguments are passed");
        status = read_arg(c, s);
        if (!status && take_text(c, ")"))
            return TARE_OK;
        if (!status && !take_text(c, ","))
            status = refuse_signature(c, "expected a comma or a closing parenthesis");
    }
    return status;
}

static enum tare_status read_result(struct cursor *c, struct signature *s)
{
    static const struct {
        const char *word;
        uint64_t mask;
    } results[] = {{"int", UINT32_MAX}, {"u32", UINT32_MAX},     {"i64", UINT64_MAX},
                   {"u64", UINT64_MAX}, {"pointer", UINT64_MAX}, {"void", 0}};
    s->result_mask = UINT32_MAX;
    if (!*c->at)
        return TARE_OK;
    if (!take_text(c, "->"))
        return refuse_signature(c, "expected the end or ->RESULT");
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(c->at, results[i].word) == 0) {
            s->result_mask = results[i].mask;
            return TARE_OK;
        }
    return refuse_signature(c, "expected a result (int, u32, i64, u64, pointer, void)");
}

static void place_args(struct signature *s, bool secret)
{
    for (int i = 0; i < s->n; i++) {
        struct signature_arg *a = &s->args[i];
        if (secret ? a->kind == ARG_IN || a->kind == ARG_VALUE : a->kind == ARG_PUBLIC) {
            a->at = s->input_bytes;
            s->input_bytes += a->bytes;
        }
    }
}

static enum tare_status place_all(const struct cursor *c, struct signature *s)
{
    int parts = 0;
    size_t first = 0;
    place_args(s, true);
    s->secret_bytes = s->input_bytes;
    place_args(s, false);
    for (int i = 0; i < s->n; i++) {
        struct signature_arg *a = &s->args[i];
        if (a->kind == ARG_OUT) {
            a->at = s->out_bytes;
            s->out_bytes += (a->bytes + 63) / 64 * 64;
        } else if (a->kind != ARG_NUMBER) {
            first = parts++ ? first : a->bytes;
        }
    }
    s->halves = parts == 2 && s->input_bytes == 2 * first;
    if (!s->secret_bytes)
        return refuse_signature(c, "there is no secret argument (in:N, u8 to u64)");
    if (s->input_bytes > SIGNATURE_BYTES_MAX)
        return refuse_signature(c, "an input has at most 16777216 bytes");
    return TARE_OK;
}

enum tare_status signature_read(const char *text, struct signature *out, struct tare_err *err)
{
    struct cursor c = {text, text, err};
    *out = (struct signature){.library = text};
    const char *open = strchr(text, '(');
    const char *colon = open;
    while (colon && colon > text && *colon != ':')
        colon--;
    if (!open || *colon != ':' || colon == text || colon + 1 == open)
        return refuse_signature(&c, "expected a library, a colon, a symbol and its arguments");
    out->library_size = (size_t)(colon - text);
    out->symbol = colon + 1;
    out->symbol_size = (size_t)(open - out->symbol);
    c.at = open + 1;
    enum tare_status status = read_args(&c, out);
    status = status ? status : read_result(&c, out);
    return status ? status : place_all(&c, out);
}
