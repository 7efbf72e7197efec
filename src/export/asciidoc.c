/* SPDX-License-Identifier: MIT
 * [cols="<,>"]
 * |===
 * | Command
 * | Mean [ms]
 *
 * | `grep foo`
 * | 12.3 ± 0.2
 * |===
 *
 * Monospaced text is not literal in AsciiDoc: what could mean something is written as a character reference, which is
 * replaced last of all. */
#include "markup.h"
#include <string.h>

/* Whether the character that was just taken from before `rest` could mean something where it stands. */
static bool has_meaning(char c, char before, const char *rest)
{
    if (strchr("`*_#^~{}[]+\\<>&|'\"(@", c))
        return true;
    if (c == ' ') /* marks want text at their inner sides */
        return !before || !*rest;
    if (c == '-' || c == '.') /* dash, ellipsis */
        return before == c || *rest == c;
    return c == ':' && rest[0] == '/' && rest[1] == '/'; /* an address becomes a link */
}

static void command(struct buf *b, const char *text)
{
    char c[5], before = 0;
    buf_char(b, '`');
    while ((text = markup_character(text, c))) {
        if (has_meaning(*c, before, text))
            buf_format(b, "&#%d;", *c);
        else
            buf_str(b, c);
        before = *c;
    }
    buf_char(b, '`');
}

static void row(struct buf *b, const struct buf *cells, int n)
{
    buf_char(b, '\n');
    for (int i = 0; i < n; i++)
        buf_format(b, "| %s \n", buf_text(&cells[i]));
}

static void head(struct buf *b, const struct buf *cells, int n)
{
    buf_str(b, "[cols=\"<");
    for (int i = 1; i < n; i++)
        buf_str(b, ",>");
    buf_str(b, "\"]\n|===");
    row(b, cells, n);
}

static void foot(struct buf *b)
{
    buf_str(b, "|===\n");
}

const struct markup markup_asciidoc = {.head = head, .row = row, .foot = foot, .command = command};
