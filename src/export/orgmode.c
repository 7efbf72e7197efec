/* SPDX-License-Identifier: MIT
 * | Command  |  Mean [ms] |
 * |--+--|
 * | =grep foo=  |  12.3 ± 0.2 |
 *
 * Org has no escape within =verbatim= text, and a vertical bar always ends a cell. So text that cannot stand in one piece
 * between = or ~ is plain text: bars are \vert{}, and whatever could open a markup stands between zero width spaces, which
 * Org reads as blanks, other readers as letters, and nobody sees. */
#include "markup.h"
#include <string.h>

#define ZERO_WIDTH_SPACE "\xe2\x80\x8b"

static void plain(struct buf *b, const char *text)
{
    char c[5];
    while ((text = markup_character(text, c))) {
        const char *guard = strchr("*/_=~+^[<\\${#@&-:", *c) ? ZERO_WIDTH_SPACE : "";
        buf_format(b, "%s%s%s", guard, *c == '|' ? "\\vert{}" : c, guard);
    }
}

/* Text that begins or ends with a blank, holds the mark or a bar cannot stand between two marks. */
static bool fits_between(const char *text, char mark)
{
    size_t n = strlen(text);
    return n && (unsigned char)text[0] > ' ' && (unsigned char)text[n - 1] > ' ' && !strchr(text, mark) && !strchr(text, '|');
}

static void command(struct buf *b, const char *text)
{
    char c[5], mark = fits_between(text, '=') ? '=' : fits_between(text, '~') ? '~' : 0;
    if (!mark) {
        plain(b, text);
        return;
    }
    buf_char(b, mark);
    while ((text = markup_character(text, c)))
        buf_str(b, c);
    buf_char(b, mark);
}

static void row(struct buf *b, const struct buf *cells, int n)
{
    buf_format(b, "| %s  |", buf_text(&cells[0]));
    for (int i = 1; i < n; i++)
        buf_format(b, "  %s |", buf_text(&cells[i]));
    buf_char(b, '\n');
}

static void head(struct buf *b, const struct buf *cells, int n)
{
    row(b, cells, n);
    buf_str(b, "|--");
    for (int i = 1; i < n; i++)
        buf_str(b, "+--");
    buf_str(b, "|\n");
}

const struct markup markup_orgmode = {.head = head, .row = row, .command = command};
