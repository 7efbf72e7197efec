/* SPDX-License-Identifier: MIT
 *
 * How the text of a file is held against a value.
 */
#include "cpu_list.h"
#include "knob.h"
#include "same_text.h"
#include "whole.h"
#include <string.h>

static const char blanks[] = " \t\r\n";

struct span {
    const char *at;
    size_t n;
};

static struct span trimmed(const char *text)
{
    text += strspn(text, blanks);
    struct span s = {text, strlen(text)};
    while (s.n && strchr(blanks, s.at[s.n - 1]))
        s.n--;
    return s;
}

static bool same_span(struct span a, struct span b)
{
    return a.n == b.n && !memcmp(a.at, b.at, a.n);
}

/* The word in brackets; a text without any is taken whole. */
static struct span selected(const char *text)
{
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    return close ? (struct span){open + 1, (size_t)(close - open - 1)} : trimmed(text);
}

static bool span_number(struct span s, int64_t *out)
{
    bool hexadecimal = s.n > 2 && s.at[0] == '0' && (s.at[1] | 0x20) == 'x';
    const char *p = s.at + (hexadecimal ? 2 : 0), *end = s.at + s.n;
    return whole_take(&p, end, hexadecimal ? 16 : 10, out) && p == end;
}

static bool same_number(const char *read, const char *value)
{
    int64_t a, b;
    struct span left = trimmed(read), right = trimmed(value);
    return span_number(left, &a) && span_number(right, &b) ? a == b : same_span(left, right);
}

static bool cpus_of(enum setting_form form, const char *text, struct cpu_list *out)
{
    int groups;
    return !(form == FORM_MASK ? cpu_mask_parse(out, &groups, text) : cpu_list_parse(out, text));
}

static bool same_cpus(enum setting_form form, const char *read, const char *value)
{
    struct cpu_list a, b;
    if (cpus_of(form, read, &a) && cpus_of(form, value, &b))
        return !memcmp(&a, &b, sizeof a);
    return same_span(trimmed(read), trimmed(value));
}

bool setting_holds(enum setting_form form, const char *read, const char *value)
{
    struct span v = trimmed(value);
    switch (form) {
    case FORM_NUMBER:
        return same_number(read, value);
    case FORM_SELECTED:
        return same_span(selected(read), v);
    case FORM_LIST:
    case FORM_MASK:
        return same_cpus(form, read, value);
    case FORM_SWITCH:
        return v.n > 1 && text_lists(read, strlen(read), blanks, v.at + 1, v.n - 1) == (*v.at == '+');
    default:
        return same_span(trimmed(read), v);
    }
}

void setting_value(struct buf *out, enum setting_form form, const char *read)
{
    struct span s = form == FORM_SELECTED ? selected(read) : trimmed(read);
    buf_add(out, s.at, s.n);
}
