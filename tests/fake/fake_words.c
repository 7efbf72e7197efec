/* SPDX-License-Identifier: MIT */
#include "fake_words.h"
#include "units.h"
#include <math.h>
#include <string.h>

bool fake_words_fault(struct fake_words *w, const char *format, ...)
{
    if (w->failed)
        return false;
    w->failed = true;
    struct buf b = BUF_INIT(4096);
    va_list ap;
    va_start(ap, format);
    buf_vformat(&b, format, ap);
    va_end(ap);
    err_set(w->err, TARE_FORMAT, "fake script, line %d: %s", w->line, buf_text(&b));
    buf_finish(&b);
    return false;
}

/* ---- splitting ---- */

static bool escaped(char c, char *out)
{
    static const char from[] = "nt0\\\"", to[] = "\n\t\0\\\"";
    const char *at = c ? strchr(from, c) : NULL;
    if (at)
        *out = to[at - from];
    return at;
}

/* *p stands behind the opening quote and ends behind the closing one. */
static bool quoted(struct fake_words *w, const char **p, char *out, size_t *n)
{
    for (const char *s = *p; *s && *s != '\n'; s++) {
        if (*s == '"') {
            *p = s + 1;
            return true;
        }
        char c = *s;
        if (c == '\\' && !escaped(*++s, &c))
            return fake_words_fault(w, "\\%.1s is no escape; there are \\n \\t \\0 \\\\ \\\"", *s == '\n' ? "" : s);
        out[(*n)++] = c;
    }
    return fake_words_fault(w, "a quote is not closed");
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool one_word(struct fake_words *w, const char **p, char *out, size_t *n)
{
    *n = 0;
    if (**p == '"') {
        ++*p;
        return quoted(w, p, out, n);
    }
    while (**p && **p != '\n' && !blank(**p) && **p != '#')
        out[(*n)++] = *(*p)++;
    return true;
}

bool fake_words_split(struct fake_words *w, const char **text)
{
    const char *p = *text;
    size_t length = strcspn(p, "\n");
    *text += length + (p[length] == '\n');
    w->line++;
    w->n = w->at = 0;
    w->indented = blank(*p);
    char *room = arena_alloc(w->arena, 2 * length + 1); /* each word ends in a zero: at most one for each byte */
    w->word = arena_array(w->arena, length + 1, sizeof *w->word);
    w->length = arena_array(w->arena, length + 1, sizeof *w->length);
    if (!room || !w->word || !w->length)
        return fake_words_fault(w, "out of memory");
    for (;;) {
        while (blank(*p))
            p++;
        if (!*p || *p == '\n' || *p == '#')
            return true;
        w->word[w->n] = room;
        if (!one_word(w, &p, room, &w->length[w->n]))
            return false;
        room += w->length[w->n++] + 1;
    }
}

/* ---- readers ---- */

bool fake_words_left(const struct fake_words *w)
{
    return !w->failed && w->at < w->n;
}

bool fake_words_accept(struct fake_words *w, const char *word)
{
    if (!fake_words_left(w) || strcmp(w->word[w->at], word))
        return false;
    w->at++;
    return true;
}

bool fake_words_text(struct fake_words *w, const char *what, char **out)
{
    if (!fake_words_left(w))
        return fake_words_fault(w, "%s is missing", what);
    *out = w->word[w->at++];
    return true;
}

/* Decimal digits with an optional fraction; *rest is what follows. False: no number there. */
static bool decimal(const char *s, double *out, const char **rest)
{
    bool negative = *s == '-';
    s += negative || *s == '+';
    double digits = 0, scale = 1;
    int n = 0;
    for (; *s >= '0' && *s <= '9'; s++, n++)
        digits = digits * 10 + (*s - '0');
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9'; s++, n++) {
            digits = digits * 10 + (*s - '0');
            scale *= 10;
        }
    *out = (negative ? -digits : digits) / scale;
    *rest = s;
    return n > 0 && n < 30;
}

bool fake_words_integer(struct fake_words *w, const char *what, int64_t low, int64_t high, int64_t *out)
{
    char *text = NULL;
    if (!fake_words_text(w, what, &text))
        return false;
    int64_t value = 0;
    const char *s = text;
    for (; *s >= '0' && *s <= '9' && value <= (INT64_MAX - 9) / 10; s++)
        value = value * 10 + (*s - '0');
    if (s == text || *s || value < low || value > high)
        return fake_words_fault(w, "%s is a whole number from %lld to %lld, not '%s'", what, (long long)low, (long long)high,
                                text);
    *out = value;
    return true;
}

static const char *kind_of(const char *base)
{
    return !strcmp(base, "ns") ? "a time (10ms)" : !strcmp(base, "bytes") ? "a size (4kB)" : "a count (12, 3k)";
}

bool fake_words_quantity(struct fake_words *w, const char *base, double *out)
{
    char *text = NULL;
    if (!fake_words_text(w, kind_of(base), &text))
        return false;
    const char *rest;
    double number;
    struct unit u = {"", 1};
    bool good = decimal(text, &number, &rest);
    if (!good || !((number == 0 && !*rest) || unit_named(base, rest, &u))) /* nought needs no unit */
        return fake_words_fault(w, "'%s' is not %s", text, kind_of(base));
    *out = number * u.factor;
    if (fabs(*out) > 9e18)
        return fake_words_fault(w, "'%s' is too large", text);
    return true;
}

bool fake_words_time(struct fake_words *w, int64_t *out_ns)
{
    double ns = 0;
    if (!fake_words_quantity(w, "ns", &ns))
        return false;
    if (ns < 0)
        return fake_words_fault(w, "a time here cannot be negative");
    *out_ns = (int64_t)(ns + 0.5);
    return true;
}

static bool percent(const char *text, double *out)
{
    const char *rest;
    if (!decimal(text, out, &rest) || strcmp(rest, "%"))
        return false;
    *out /= 100;
    return true;
}

bool fake_words_percent(struct fake_words *w, double *out)
{
    char *text = NULL;
    if (!fake_words_text(w, "a percentage (1%)", &text))
        return false;
    return percent(text, out) || fake_words_fault(w, "'%s' is not a percentage (1%%)", text);
}

bool fake_words_factor(struct fake_words *w, double *out)
{
    char *text = NULL;
    const char *rest;
    if (!fake_words_text(w, "a factor (3x)", &text))
        return false;
    return (decimal(text, out, &rest) && *out > 0 && !strcmp(rest, "x")) ||
           fake_words_fault(w, "'%s' is not a factor (3x)", text);
}

bool fake_words_number_next(const struct fake_words *w)
{
    double ignored;
    const char *rest;
    return fake_words_left(w) && decimal(w->word[w->at], &ignored, &rest);
}

bool fake_words_value(struct fake_words *w, const char *base, struct fake_value *out)
{
    out->share = fake_words_left(w) && percent(w->word[w->at], &out->amount);
    if (!out->share)
        return fake_words_quantity(w, base, &out->amount);
    w->at++;
    return true;
}

/* ---- models ---- */

static bool chance(struct fake_words *w, struct fake_term *t)
{
    if (!fake_words_percent(w, &t->chance))
        return false;
    return (t->chance >= 0 && t->chance <= 1) || fake_words_fault(w, "a chance lies between 0%% and 100%%");
}

static bool sigma(struct fake_words *w, struct fake_term *t)
{
    return fake_words_percent(w, &t->b.amount);
}

static bool list(struct fake_words *w, const char *base, struct fake_term *t)
{
    struct fake_value *values = arena_array(w->arena, (size_t)(w->n - w->at) + 1, sizeof *values);
    if (!values)
        return fake_words_fault(w, "out of memory");
    t->list = values;
    while (fake_words_number_next(w))
        if (!fake_words_value(w, base, &values[t->n_list++]))
            return false;
    return t->n_list || fake_words_fault(w, "list needs at least one value");
}

/* What follows the name of a term: a value, then these in order. */
static const struct {
    const char *name;
    enum fake_term_kind kind;
    const char *parts; /* a b: values; s: sigma; c: chance */
} terms[] = {
    {"const", TERM_CONST, "a"},          {"uniform", TERM_UNIFORM, "ab"},  {"normal", TERM_NORMAL, "ab"},
    {"lognormal", TERM_LOGNORMAL, "as"}, {"bimodal", TERM_BIMODAL, "abc"}, {"spikes", TERM_SPIKES, "acb"},
    {"drift", TERM_DRIFT, "ab"},         {"ar", TERM_AR, "abc"},           {"list", TERM_LIST, "l"},
};

static bool term_parts(struct fake_words *w, const char *base, const char *parts, struct fake_term *t)
{
    for (; *parts; parts++) {
        bool good = *parts == 'a'   ? fake_words_value(w, base, &t->a)
                    : *parts == 'b' ? fake_words_value(w, base, &t->b)
                    : *parts == 's' ? sigma(w, t)
                    : *parts == 'c' ? chance(w, t)
                                    : list(w, base, t);
        if (!good)
            return false;
    }
    return true;
}

static bool term(struct fake_words *w, const char *base, struct fake_term *t)
{
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (fake_words_accept(w, terms[i].name)) {
            t->kind = terms[i].kind;
            return term_parts(w, base, terms[i].parts, t);
        }
    t->kind = TERM_CONST;
    return fake_words_value(w, base, &t->a);
}

bool fake_words_model(struct fake_words *w, const char *base, struct fake_model *out)
{
    struct fake_term **end = &out->terms;
    *end = NULL;
    do {
        struct fake_term *t = arena_alloc(w->arena, sizeof *t);
        if (!t)
            return fake_words_fault(w, "out of memory");
        if (!term(w, base, t))
            return false;
        *end = t;
        end = &t->next;
    } while (fake_words_accept(w, "+"));
    return true;
}
