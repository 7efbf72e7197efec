/* SPDX-License-Identifier: MIT
 * | Command | Mean [ms] |
 * |:---|---:|
 * | `grep foo` | 12.3 ± 0.2 |
 *
 * GitHub's dialect: a vertical bar is \| even within code, and a code span is closed by as many backticks as opened it. Nothing
 * says what a backslash before such a bar means, so text with one goes into <code> with character references. */
#include "markup.h"
#include <string.h>

static int longest_run_of_backticks(const char *text)
{
    int longest = 0, run = 0;
    for (; *text; text++) {
        run = *text == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void code_element(struct buf *b, const char *text)
{
    char c[5];
    buf_str(b, "<code>");
    while ((text = markup_character(text, c)))
        if (strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", *c))
            buf_format(b, "&#%d;", *c);
        else
            buf_str(b, c);
    buf_str(b, "</code>");
}

static void code_span(struct buf *b, const char *text)
{
    int run = longest_run_of_backticks(text);
    size_t n = strlen(text);
    bool pad = run || !n || (text[0] == ' ' && text[n - 1] == ' '); /* one blank at both ends belongs to the fence */
    char c[5];
    buf_repeat(b, '`', run + 1);
    buf_str(b, pad ? " " : "");
    while ((text = markup_character(text, c)))
        buf_str(b, *c == '|' ? "\\|" : c);
    buf_str(b, pad ? " " : "");
    buf_repeat(b, '`', run + 1);
}

void markdown_code(struct buf *b, const char *text)
{
    if (strstr(text, "\\|"))
        code_element(b, text);
    else
        code_span(b, text);
}

static void row(struct buf *b, const struct buf *cells, int n)
{
    for (int i = 0; i < n; i++)
        buf_format(b, "| %s%s", buf_text(&cells[i]), cells[i].len ? " " : "");
    buf_str(b, "|\n");
}

static void head(struct buf *b, const struct buf *cells, int n)
{
    row(b, cells, n);
    buf_str(b, "|:---|");
    for (int i = 1; i < n; i++)
        buf_str(b, "---:|");
    buf_char(b, '\n');
}

const struct markup markup_markdown = {.head = head, .row = row, .command = markdown_code};
