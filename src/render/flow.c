/* SPDX-License-Identifier: MIT
 *
 * A line is filled piece by piece; a piece that does not fit begins the next line at the hanging indent. Only a piece that
 * no whole line could hold is broken, at its blanks. */
#include "layout.h"
#include "quote.h"
#include <stdlib.h>
#include <string.h>

enum { PIECE_MAX = 1 << 22 };

struct page page_over(const struct record *r, const struct render_options *o, struct buf *out)
{
    return (struct page){.r = r, .o = o, .out = out, .piece = BUF_INIT(PIECE_MAX)};
}

void page_finish(struct page *p)
{
    if (p->piece.status && !p->out->status)
        p->out->status = p->piece.status;
    buf_finish(&p->piece);
    free(p->cuts.at);
}

void piece_clear(struct page *p)
{
    p->piece.len = 0; /* not buf_clear: a failure stays until page_finish */
    if (p->piece.data)
        p->piece.data[0] = 0;
}

void flow_begin(struct page *p, int indent, int hang)
{
    p->indent = p->column = indent;
    p->hang = hang;
    p->fresh = true;
}

static void next_line(struct page *p)
{
    buf_char(p->out, '\n');
    flow_begin(p, p->hang, p->hang);
}

static void add_unbroken(struct page *p, const char *gap, const char *text, size_t n)
{
    int columns = text_columns(text, n), gap_columns = p->fresh ? 0 : text_columns(gap, strlen(gap));
    if (!p->fresh && p->o->width > 0 && p->column + gap_columns + columns > p->o->width) {
        next_line(p);
        gap_columns = 0;
    }
    if (p->fresh)
        buf_repeat(p->out, ' ', p->indent); /* only now, so that a line without a piece leaves no trace */
    if (gap_columns)
        buf_str(p->out, gap);
    buf_add(p->out, text, n);
    p->column += gap_columns + columns;
    p->fresh = false;
}

static size_t colour_length(const char *text)
{
    return text[0] == '\033' ? strcspn(text, "m") + 1 : 0;
}

/* Of the word of that length; a colour that ends there is none of it. */
static bool ends_in_digit(const char *text, size_t length)
{
    size_t n = 0;
    bool digit = false;
    while (n < length) {
        const size_t colour = colour_length(text + n);
        digit = colour ? digit : text[n] >= '0' && text[n] <= '9';
        n += colour ? colour : 1;
    }
    return digit;
}

/* The length of the first word of text, of a figure with its unit; an interval "(a to b)" is one word. */
static size_t word_length(const char *text)
{
    enum { INTERVAL_MAX = 60 };
    size_t colour = colour_length(text), n = strcspn(text, " "), closing = 0;
    if (text[colour] == '(')
        closing = colour + 1 + strspn(text + colour + 1, "0123456789.+-−–∞ to");
    if (closing > n && closing < INTERVAL_MAX && text[closing] == ')')
        n = closing + strcspn(text + closing, " ");
    if (!text[n])
        return n;
    const char *next = text + n + 1;
    const bool unit = *next == '%' || (ends_in_digit(text, n) && unit_follows(next + colour_length(next)));
    return unit ? n + 1 + strcspn(next, " ") : n;
}

static void add_words(struct page *p, const char *gap, const char *text)
{
    while (*text) {
        size_t n = word_length(text);
        /* The end of a colour after a blank, which would keep the blank at the end of its line. */
        if (n && colour_length(text) == n)
            buf_add(p->out, text, n);
        else if (n)
            add_unbroken(p, gap, text, n);
        gap = " ";
        text += n + strspn(text + n, " ");
    }
}

/* What stands in the piece becomes the caller's; the piece starts anew. */
static struct buf take_piece(struct page *p, enum hue hue)
{
    piece_adapt(p);
    struct buf taken = p->piece;
    p->piece = BUF_INIT(PIECE_MAX);
    if (!p->o->colour || hue == HUE_PLAIN || !taken.len)
        return taken;
    struct buf coloured = BUF_INIT(PIECE_MAX);
    coloured.status = taken.status;
    hue_on(p, &coloured, hue);
    buf_add(&coloured, taken.data, taken.len);
    hue_off(p, &coloured, hue);
    buf_finish(&taken);
    return coloured;
}

static void give_back(struct page *p, struct buf *taken)
{
    if (taken->status && !p->out->status)
        p->out->status = taken->status;
    buf_finish(taken);
}

void flow_put_hued(struct page *p, const char *gap, enum hue hue)
{
    struct buf text = take_piece(p, hue);
    if (text.len && (p->o->width <= 0 || p->hang + text_columns(text.data, text.len) <= p->o->width))
        add_unbroken(p, gap, text.data, text.len);
    else if (text.len) {
        flow_break(p);
        add_words(p, gap, text.data);
    }
    give_back(p, &text);
}

void flow_put(struct page *p, const char *gap)
{
    flow_put_hued(p, gap, HUE_PLAIN);
}

void flow_spread(struct page *p, const char *gap, enum hue hue)
{
    struct buf text = take_piece(p, hue);
    add_words(p, gap, buf_text(&text));
    give_back(p, &text);
}

void flow_end(struct page *p)
{
    if (!p->fresh)
        buf_char(p->out, '\n');
}

void flow_line(struct page *p, int indent, enum hue hue)
{
    flow_begin(p, indent, indent + 2);
    flow_put_hued(p, "", hue);
    flow_end(p);
}

void flow_label(struct page *p, int indent, int hang, const char *text, enum hue hue)
{
    flow_begin(p, indent, hang);
    buf_str(&p->piece, text);
    flow_put_hued(p, "", hue);
}

void summary_part(struct page *p)
{
    flow_put_hued(p, p->o->unicode ? " · " : " | ", HUE_DIM);
}

void summary_format(struct page *p, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    buf_vformat(&p->piece, format, ap);
    va_end(ap);
    summary_part(p);
}

void flow_warning(struct page *p, const char *label)
{
    flow_begin(p, 2, 4);
    buf_format(&p->piece, "! %s:", label);
    flow_put_hued(p, "", HUE_BOLD);
}

void flow_rest(struct page *p)
{
    flow_spread(p, " ", HUE_PLAIN);
    flow_end(p);
}

void flow_break(struct page *p)
{
    if (!p->fresh)
        next_line(p);
}

void blank_line(struct page *p)
{
    if (p->out->len)
        buf_char(p->out, '\n');
}

void gap_of_stacked(struct page *p)
{
    if (p->o->stacked)
        blank_line(p);
}

int cutting_width(const struct page *p)
{
    return p->o->stacked ? 0 : p->o->width;
}

int name_columns(const struct page *p, int names)
{
    enum { LONGEST = 60, SHORTEST = 12, BESIDE = 22 }; /* BESIDE: "  ", " is FASTER than ", ":" */
    if (cutting_width(p) <= 0)
        return LONGEST;
    int room = (p->o->width - BESIDE) / names;
    return room < SHORTEST ? SHORTEST : room > LONGEST ? LONGEST : room;
}
