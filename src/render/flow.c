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
    return (struct page){.r = r, .o = o, .sym = symbols_for(o->unicode), .out = out, .piece = BUF_INIT(PIECE_MAX)};
}

void page_finish(struct page *p)
{
    if (p->piece.status && !p->out->status)
        p->out->status = p->piece.status;
    buf_finish(&p->piece);
}

void flow_begin(struct page *p, int indent, int hang)
{
    buf_repeat(p->out, ' ', indent);
    p->column = indent;
    p->hang = hang;
    p->fresh = true;
}

static void next_line(struct page *p)
{
    buf_char(p->out, '\n');
    flow_begin(p, p->hang, p->hang);
}

static bool fits(const struct page *p, int columns)
{
    return p->o->width <= 0 || p->column + columns <= p->o->width;
}

static void add_unbroken(struct page *p, const char *gap, const char *text, size_t n)
{
    int columns = text_columns(text, n), gap_columns = p->fresh ? 0 : (int)strlen(gap);
    if (!p->fresh && !fits(p, gap_columns + columns)) {
        next_line(p);
        gap_columns = 0;
    }
    if (gap_columns)
        buf_str(p->out, gap);
    buf_add(p->out, text, n);
    p->column += gap_columns + columns;
    p->fresh = false;
}

static void add_words(struct page *p, const char *gap, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        if (n)
            add_unbroken(p, gap, text, n);
        gap = " ";
        text += n + strspn(text + n, " ");
    }
}

void flow_put(struct page *p, const char *gap)
{
    const char *text = buf_text(&p->piece);
    if (p->piece.len) {
        if (p->o->width <= 0 || p->hang + text_columns(text, p->piece.len) <= p->o->width)
            add_unbroken(p, gap, text, p->piece.len);
        else
            add_words(p, gap, text);
    }
    p->piece.len = 0; /* not buf_clear: a failure stays until page_finish */
    if (p->piece.data)
        p->piece.data[0] = 0;
}

void flow_put_hued(struct page *p, const char *gap, enum hue hue)
{
    struct buf inner = p->piece;
    p->piece = BUF_INIT(PIECE_MAX);
    hue_on(p, &p->piece, hue);
    buf_add(&p->piece, buf_text(&inner), inner.len);
    hue_off(p, &p->piece, hue);
    if (inner.status && !p->piece.status)
        p->piece.status = inner.status;
    buf_finish(&inner);
    flow_put(p, gap);
}

void flow_words(struct page *p, const char *text)
{
    quote_mask(&p->piece, text, p->o->unicode);
    struct buf masked = p->piece;
    p->piece = BUF_INIT(PIECE_MAX);
    p->piece.status = masked.status;
    add_words(p, " ", buf_text(&masked));
    buf_finish(&masked);
}

void flow_end(struct page *p)
{
    buf_char(p->out, '\n');
}

int name_columns(const struct page *p, int names)
{
    enum { LONGEST = 60, SHORTEST = 12, BESIDE = 22 }; /* BESIDE: "  ", " is FASTER than ", ":" */
    if (p->o->width <= 0)
        return LONGEST;
    int room = (p->o->width - BESIDE) / names;
    return room < SHORTEST ? SHORTEST : room > LONGEST ? LONGEST : room;
}
