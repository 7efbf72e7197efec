/* SPDX-License-Identifier: MIT */
#include "quote.h"
#include <string.h>

struct range {
    uint32_t first, last;
};

/* Takes no column. Unicode general categories Mn and Me, the blocks that turn up in names. */
static const struct range combining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f}, {0x06d6, 0x06dc},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948},   {0x094d, 0x094d}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0x3099, 0x309a},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

/* Takes two columns: East Asian Width W and F, and emoji. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x26a1, 0x26a1},   {0x2705, 0x2705}, {0x274c, 0x274c},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf}, {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

/* Steers the terminal or the order of what stands around it, or is invisible where that deceives. */
static const struct range unsafe[] = {
    {0x0000, 0x001f},   {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c},   {0x200e, 0x200f},
    {0x2028, 0x202e},   {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb},   {0xfffe, 0xffff},
    {0xe0000, 0xe007f}, {0x180e, 0x180e}, {0x200b, 0x200b}, {0x1d173, 0x1d17a},
};

static bool within(const struct range *ranges, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

#define WITHIN(ranges, c) within(ranges, sizeof ranges / sizeof *ranges, c)

static int columns_of(uint32_t c)
{
    if (c < 0x300)
        return 1;
    return WITHIN(combining, c) ? 0 : WITHIN(wide, c) ? 2 : 1;
}

#define NOT_UTF8 UINT32_MAX

/* The character at p, its length in *len; NOT_UTF8 with length 1 for a byte that begins no shortest, valid sequence. */
static uint32_t decode(const unsigned char *p, size_t n, int *len)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    *len = 1;
    if (p[0] < 0x80)
        return p[0];
    int want = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
    if (!want || p[0] >= 0xf5 || (size_t)want > n)
        return NOT_UTF8;
    uint32_t c = p[0] & (0xffu >> (want + 1));
    for (int i = 1; i < want; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return NOT_UTF8;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[want] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return NOT_UTF8;
    *len = want;
    return c;
}

int quote_decode(const char *text, uint32_t *character)
{
    enum { LONGEST = 4 };
    int n;
    *character = decode((const unsigned char *)text, *text ? strnlen(text, LONGEST) : 1, &n);
    return *character == NOT_UTF8 || !*text ? 0 : n;
}

/* Bytes of the colour sequence at p, 0 when there is none. */
static size_t colour_bytes(const char *p, size_t n)
{
    if (n < 3 || p[0] != '\033' || p[1] != '[')
        return 0;
    size_t i = 2;
    while (i < n && ((p[i] >= '0' && p[i] <= '9') || p[i] == ';'))
        i++;
    return i < n && p[i] == 'm' ? i + 1 : 0;
}

int text_columns(const char *text, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n;) {
        size_t colour = colour_bytes(text + i, n - i);
        if (colour) {
            i += colour;
            continue;
        }
        int len;
        uint32_t c = decode((const unsigned char *)text + i, n - i, &len);
        columns += c == NOT_UTF8 ? 1 : columns_of(c);
        i += (size_t)len;
    }
    return columns;
}

bool quote_unsafe(uint32_t character)
{
    return (character < 0x20 || character > 0x7e) && WITHIN(unsafe, character);
}

static bool printable(uint32_t c, bool unicode)
{
    return c != NOT_UTF8 && !quote_unsafe(c) && (unicode || c < 0x80);
}

static void put_escape(struct buf *b, uint32_t c, unsigned char byte)
{
    if (c == '\n')
        buf_str(b, "\\n");
    else if (c == '\t')
        buf_str(b, "\\t");
    else if (c == NOT_UTF8 || c < 0x80)
        buf_format(b, "\\x%02x", (unsigned)byte);
    else
        buf_format(b, c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)c);
}

int quote_character(const char *text, char escape[QUOTE_ESCAPE])
{
    enum { LONGEST = 4 };
    int len = 0;
    *escape = 0;
    if (!*text)
        return 0;
    uint32_t c = decode((const unsigned char *)text, strnlen(text, LONGEST), &len);
    struct buf b = buf_over(escape, QUOTE_ESCAPE);
    if (!printable(c, true))
        put_escape(&b, c, (unsigned char)*text);
    return len;
}

void quote_mask(struct buf *b, const char *text, bool unicode)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n;) {
        int len;
        uint32_t c = decode((const unsigned char *)text + i, n - i, &len);
        if (printable(c, unicode))
            buf_add(b, text + i, (size_t)len);
        else
            put_escape(b, c, (unsigned char)text[i]);
        i += (size_t)len;
    }
}

/* Longest head of masked text within `columns`. */
static size_t head_bytes(const char *text, size_t n, int columns)
{
    size_t i = 0;
    while (i < n) {
        int len;
        uint32_t c = decode((const unsigned char *)text + i, n - i, &len);
        columns -= c == NOT_UTF8 ? 1 : columns_of(c);
        if (columns < 0)
            break;
        i += (size_t)len;
    }
    return i;
}

/* Where the longest tail within `columns` of masked text begins; a command line may have megabytes, so in one pass. */
static size_t tail_start(const char *text, size_t n, int columns)
{
    size_t start = 0;
    for (int left = text_columns(text, n); start < n && left > columns;) {
        int len;
        uint32_t c = decode((const unsigned char *)text + start, n - start, &len);
        left -= c == NOT_UTF8 ? 1 : columns_of(c);
        start += (size_t)len;
    }
    return start;
}

void quote_cut(struct buf *b, const char *text, int columns, bool unicode)
{
    struct buf masked = BUF_INIT(1 << 22); /* longer than any command line */
    quote_mask(&masked, text, unicode);
    const char *dots = unicode ? "…" : "...";
    int dots_columns = unicode ? 1 : 3, room = (columns > 5 ? columns : 5) - dots_columns;
    if (columns <= 0 || text_columns(buf_text(&masked), masked.len) <= room + dots_columns) {
        buf_add(b, buf_text(&masked), masked.len);
    } else {
        size_t head = head_bytes(masked.data, masked.len, room - room / 2);
        size_t tail = tail_start(masked.data, masked.len, room / 2);
        buf_add(b, masked.data, head);
        buf_str(b, dots);
        buf_add(b, masked.data + tail, masked.len - tail);
    }
    if (masked.status && !b->status)
        b->status = masked.status;
    buf_finish(&masked);
}

void quote_name(struct buf *b, const char *text, int columns, bool unicode)
{
    char mark = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    buf_char(b, mark);
    quote_cut(b, text, columns > 0 ? (columns > 7 ? columns - 2 : 5) : 0, unicode);
    buf_char(b, mark);
}

static bool plain_in_shell(const char *word)
{
    for (const char *p = word; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || strchr("_-./,:=+@%^", *p)))
            return false;
    return *word != 0;
}

static bool all_printable(const char *word, bool unicode)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < n;) {
        int len;
        if (!printable(decode((const unsigned char *)word + i, n - i, &len), unicode))
            return false;
        i += (size_t)len;
    }
    return true;
}

static void put_dollar_quoted(struct buf *b, const char *word, bool unicode)
{
    size_t n = strlen(word);
    buf_str(b, "$'");
    for (size_t i = 0; i < n;) {
        int len;
        uint32_t c = decode((const unsigned char *)word + i, n - i, &len);
        if (!printable(c, unicode)) {
            put_escape(b, c, (unsigned char)word[i]);
        } else {
            if (c == '\'' || c == '\\')
                buf_char(b, '\\');
            buf_add(b, word + i, (size_t)len);
        }
        i += (size_t)len;
    }
    buf_char(b, '\'');
}

void quote_word(struct buf *b, const char *word, bool unicode)
{
    if (plain_in_shell(word)) {
        buf_str(b, word);
        return;
    }
    if (!all_printable(word, unicode)) {
        put_dollar_quoted(b, word, unicode);
        return;
    }
    buf_char(b, '\'');
    for (const char *p = word; *p; p++) {
        if (*p == '\'')
            buf_str(b, "'\\''");
        else
            buf_char(b, *p);
    }
    buf_char(b, '\'');
}

void quote_words(struct buf *b, const char *const *words, bool unicode)
{
    for (int i = 0; words && words[i]; i++) {
        if (i)
            buf_char(b, ' ');
        quote_word(b, words[i], unicode);
    }
}

/* What a spreadsheet would take for a formula. */
static bool is_formula(const char *value)
{
    bool number = strchr("+-", *value) && value[1 + strspn(value + 1, "0123456789.")] == 0;
    return *value && strchr("=+-@\t\r", *value) && !number;
}

void quote_csv(struct buf *b, const char *prefix, const char *value)
{
    if (!value)
        return;
    bool quotes = strpbrk(value, ",\"\r\n") != NULL;
    if (quotes)
        buf_char(b, '"');
    buf_str(b, prefix);
    if (!*prefix && is_formula(value))
        buf_char(b, '\'');
    char escape[QUOTE_ESCAPE];
    for (int n; (n = quote_character(value, escape)); value += n) {
        bool as_is = !*escape || strchr("\t\r\n", *value);
        if (*value == '"')
            buf_char(b, '"');
        buf_add(b, as_is ? value : escape, as_is ? (size_t)n : strlen(escape));
    }
    if (quotes)
        buf_char(b, '"');
}
