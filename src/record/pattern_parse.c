/* SPDX-License-Identifier: MIT
 * Recursive descent: alternatives of sequences of repeated atoms. */
#include "pattern_parse.h"
#include "buf.h"
#include "pattern.h"
#include <string.h>

enum { DEPTH_MAX = 50, REPEAT_MAX = 255 };

struct parser {
    const char *at;
    struct arena *a;
    struct tare_err *err;
    enum tare_status status; /* the first failure */
    int groups, depth;
};

static struct node *wrong(struct parser *p, const char *what)
{
    if (!p->status)
        p->status = err_set(p->err, TARE_INVALID, "%s", what);
    return NULL;
}

static struct node *node(struct parser *p, struct node like)
{
    struct node *n = p->status ? NULL : arena_array(p->a, 1, sizeof *n);
    if (n)
        *n = like;
    else if (!p->status)
        p->status = err_set(p->err, TARE_NO_MEMORY, "out of memory");
    return n;
}

/* ---- sets of bytes ---- */

bool byte_set_has(const struct byte_set *s, unsigned char c)
{
    return s->bits[c / 32] >> (c % 32) & 1;
}

static bool between(unsigned char c, char low, char high)
{
    return c >= (unsigned char)low && c <= (unsigned char)high;
}

static bool is_digit(unsigned char c)
{
    return between(c, '0', '9');
}

static bool is_upper(unsigned char c)
{
    return between(c, 'A', 'Z');
}

static bool is_lower(unsigned char c)
{
    return between(c, 'a', 'z');
}

static bool is_alpha(unsigned char c)
{
    return is_upper(c) || is_lower(c);
}

static bool is_alnum(unsigned char c)
{
    return is_alpha(c) || is_digit(c);
}

bool byte_is_word(unsigned char c)
{
    return is_alnum(c) || c == '_';
}

static bool is_space(unsigned char c)
{
    return c == ' ' || between(c, '\t', '\r');
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

static bool is_xdigit(unsigned char c)
{
    return is_digit(c) || between(c, 'a', 'f') || between(c, 'A', 'F');
}

static bool is_punct(unsigned char c)
{
    return between(c, '!', '~') && !is_alnum(c);
}

typedef bool byte_test(unsigned char c);

static void set_where(struct byte_set *s, byte_test *test, bool wanted)
{
    for (int c = 0; c < 256; c++)
        if (test((unsigned char)c) == wanted)
            s->bits[c / 32] |= UINT32_C(1) << (c % 32);
}

static void set_range(struct byte_set *s, unsigned char low, unsigned char high)
{
    for (int c = low; c <= high; c++)
        s->bits[c / 32] |= UINT32_C(1) << (c % 32);
}

/* \d \w \s and their opposites; false: another letter. */
static bool set_by_letter(struct byte_set *s, char letter)
{
    static const struct {
        char letter;
        byte_test *test;
    } all[] = {{'d', is_digit}, {'w', byte_is_word}, {'s', is_space}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((letter | 32) == all[i].letter) {
            set_where(s, all[i].test, letter & 32);
            return true;
        }
    return false;
}

/* ---- [...] ---- */

static bool set_by_name(struct parser *p, struct byte_set *s)
{
    static const struct {
        const char *name;
        byte_test *test;
    } all[] = {{"[:digit:]", is_digit}, {"[:alpha:]", is_alpha},   {"[:alnum:]", is_alnum},
               {"[:space:]", is_space}, {"[:blank:]", is_blank},   {"[:upper:]", is_upper},
               {"[:lower:]", is_lower}, {"[:xdigit:]", is_xdigit}, {"[:punct:]", is_punct}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strncmp(p->at, all[i].name, strlen(all[i].name))) {
            set_where(s, all[i].test, true);
            p->at += strlen(all[i].name);
            return true;
        }
    return false;
}

/* One sign within brackets; -1: wrong. */
static int class_byte(struct parser *p)
{
    unsigned char c = (unsigned char)*p->at;
    if (!c || c >= 0x80) {
        wrong(p,
              c ? "a sign beyond ASCII in [...] would be taken byte by byte; write (?:a|b) instead" : "a [ is never closed by ]");
        return -1;
    }
    p->at++;
    if (c != '\\')
        return c;
    c = (unsigned char)*p->at;
    if (c == 't') {
        p->at++;
        return '\t';
    }
    if (!c || c >= 0x80 || is_alnum(c)) {
        wrong(p, "a backslash in [...] stands before a sign that it does not change; known are \\d \\w \\s \\t and signs");
        return -1;
    }
    p->at++;
    return c;
}

static bool class_item(struct parser *p, struct byte_set *s)
{
    if (*p->at == '[' && p->at[1] == ':')
        return set_by_name(p, s) ||
               wrong(p, "a [: in brackets names no class; known are [:digit:], [:alpha:], [:alnum:], [:space:] ...");
    if (*p->at == '\\' && set_by_letter(s, p->at[1])) {
        p->at += 2;
        return true;
    }
    int low = class_byte(p), high = low;
    if (low >= 0 && *p->at == '-' && p->at[1] != ']') {
        p->at++;
        high = class_byte(p);
        if (high >= 0 && high < low)
            wrong(p, "a range in [...] ends before it begins");
    }
    if (low < 0 || high < low)
        return false;
    set_range(s, (unsigned char)low, (unsigned char)high);
    return true;
}

static struct node *class(struct parser *p)
{
    struct node n = {.kind = NODE_CLASS};
    bool opposite = *p->at == '^';
    p->at += opposite;
    do
        if (!class_item(p, &n.set))
            return NULL;
    while (*p->at != ']');
    p->at++;
    for (int i = 0; opposite && i < 8; i++)
        n.set.bits[i] = ~n.set.bits[i];
    return node(p, n);
}

/* ---- atoms ---- */

static struct node *either(struct parser *p);

static struct node *byte(struct parser *p, unsigned char c)
{
    return node(p, (struct node){.kind = NODE_BYTE, .byte = c});
}

static struct node *place(struct parser *p, enum pattern_place where)
{
    return node(p, (struct node){.kind = NODE_ASSERT, .place = where});
}

static struct node *escape(struct parser *p)
{
    struct node n = {.kind = NODE_CLASS};
    char c = *p->at++;
    if (c == 't')
        return byte(p, '\t');
    if (c == 'b' || c == 'B')
        return place(p, c == 'b' ? PLACE_WORD : PLACE_NOT_WORD);
    if (c >= '1' && c <= '9')
        return wrong(p, "it holds a backreference, for which no search with an end in sight exists");
    if (is_alpha((unsigned char)c) && set_by_letter(&n.set, c))
        return node(p, n);
    if (!c || is_alnum((unsigned char)c))
        return wrong(p, c ? "a backslash stands before a letter or digit that it does not change" : "a backslash ends it");
    return byte(p, (unsigned char)c);
}

static struct node *group(struct parser *p)
{
    bool captures = *p->at != '?';
    if (!captures && p->at[1] != ':')
        return wrong(p, "a group that begins with (? is not known; (?:...) is the only one");
    p->at += captures ? 0 : 2;
    struct node n = {.kind = NODE_GROUP, .group = captures ? ++p->groups : 0};
    if (++p->depth > DEPTH_MAX)
        return wrong(p, "its groups are nested too deep");
    n.a = either(p);
    p->depth--;
    if (!n.a)
        return NULL;
    if (*p->at != ')')
        return wrong(p, "a ( is never closed by )");
    p->at++;
    return node(p, n);
}

/* A character of several bytes is one atom, so that a ? behind it is meant for all of it. */
static struct node *character(struct parser *p)
{
    struct node *n = byte(p, (unsigned char)*p->at++);
    while (n && ((unsigned char)n->byte >= 0xc0 || n->kind == NODE_THEN) && ((unsigned char)*p->at & 0xc0) == 0x80) {
        struct node *next = byte(p, (unsigned char)*p->at++);
        n = next ? node(p, (struct node){.kind = NODE_THEN, .a = n, .b = next}) : NULL;
    }
    return n;
}

static struct node *atom(struct parser *p)
{
    switch (*p->at) {
    case '(':
        p->at++;
        return group(p);
    case '[':
        p->at++;
        return class(p);
    case '.':
        p->at++;
        return node(p, (struct node){.kind = NODE_ANY});
    case '^':
        p->at++;
        return place(p, PLACE_LINE_START);
    case '$':
        p->at++;
        return place(p, PLACE_LINE_END);
    case '\\':
        p->at++;
        return escape(p);
    case '*':
    case '+':
    case '?':
    case '{':
        return wrong(
            p, "a repetition (* + ? {) stands where nothing can be repeated; for the sign itself put a backslash before it");
    default:
        return character(p);
    }
}

/* ---- repetition, sequence, alternatives ---- */

static bool number(struct parser *p, int *out)
{
    if (!is_digit((unsigned char)*p->at))
        return false;
    for (*out = 0; is_digit((unsigned char)*p->at) && *out <= REPEAT_MAX; p->at++)
        *out = *out * 10 + (*p->at - '0');
    return true;
}

/* {m} {m,} {m,n} */
static bool braces(struct parser *p, struct node *n)
{
    bool good = number(p, &n->least);
    n->most = n->least;
    if (good && *p->at == ',') {
        p->at++;
        n->most = -1;
        good = *p->at == '}' || number(p, &n->most);
    }
    if (!good || *p->at != '}')
        return wrong(p, "a { does not begin a repetition like {2} or {1,3}; for the sign itself write \\{") != NULL;
    p->at++;
    if (n->least > REPEAT_MAX || n->most > REPEAT_MAX)
        return wrong(p, "a repetition of more than 255 times is too large") != NULL;
    if (n->most >= 0 && n->most < n->least)
        return wrong(p, "a repetition's second number is smaller than its first") != NULL;
    return true;
}

/* An atom may be repeated once: `a**` and `a{2}{3}` are slips. */
static struct node *repeated(struct parser *p)
{
    struct node n = {.kind = NODE_REPEAT, .a = atom(p)};
    if (!n.a || !*p->at || !strchr("*+?{", *p->at)) /* where an atom is refused, `at` says nothing any more */
        return n.a;
    n.least = *p->at == '+';
    n.most = *p->at == '?' ? 1 : -1;
    if (*p->at++ == '{' && !braces(p, &n))
        return NULL;
    n.lazy = *p->at == '?';
    p->at += n.lazy;
    return node(p, n);
}

static struct node *sequence(struct parser *p)
{
    struct node *all = node(p, (struct node){.kind = NODE_EMPTY});
    while (all && *p->at && *p->at != '|' && *p->at != ')') {
        struct node *next = repeated(p);
        all = next ? node(p, (struct node){.kind = NODE_THEN, .a = all, .b = next}) : NULL;
    }
    return all;
}

static struct node *either(struct parser *p)
{
    struct node *all = sequence(p);
    while (all && *p->at == '|') {
        p->at++;
        struct node *next = sequence(p);
        all = next ? node(p, (struct node){.kind = NODE_EITHER, .a = all, .b = next}) : NULL;
    }
    return all;
}

enum tare_status pattern_parse(struct node **out, int *groups, const char *text, struct arena *a, struct tare_err *err)
{
    struct parser p = {.at = text, .a = a, .err = err};
    *out = strlen(text) > PATTERN_BYTES ? wrong(&p, "it is longer than 1000 bytes") : either(&p);
    *groups = p.groups;
    if (!p.status && *p.at == ')')
        wrong(&p, "a ) closes nothing; for the sign itself write \\)");
    return p.status;
}
