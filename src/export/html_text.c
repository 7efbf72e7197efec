/* SPDX-License-Identifier: MIT
 *
 * Foreign text in pages, and their tables. */
#include "html.h"
#include "markup.h"
#include "units.h"
#include <string.h>

enum { TEXT_MOST = 4000, LONG = 40 };

void html_element(struct buf *b, const char *tag, const char *text)
{
    const bool sentences = *tag && (tag[1] == ' ' || !tag[1] || !strncmp(tag, "span", 4)); /* p and b */
    buf_format(b, "<%s>", tag);
    if (sentences)
        html_words(b, text);
    else
        svg_text(b, text, TEXT_MOST);
    buf_format(b, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void html_attribute(struct buf *b, const char *text, int most)
{
    struct buf escaped = BUF_INIT(1 << 20);
    svg_text(&escaped, text, most);
    for (const char *c = buf_text(&escaped); *c; c++)
        if (*c == '"' || *c == '\'')
            buf_str(b, *c == '"' ? "&quot;" : "&#39;");
        else
            buf_char(b, *c);
    buf_finish(&escaped);
}

void html_words(struct buf *b, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, " ") + strspn(text + strcspn(text, " "), " ");
        const char *word_begins = text + (*text == '(');
        const bool option = word_begins[0] == '-' && word_begins[1] && word_begins[1] != ' ';
        struct buf word = BUF_INIT(1 << 20);
        const bool digit = n > 1 && text[n - 1] == ' ' && text[n - 2] >= '0' && text[n - 2] <= '9';
        const bool kept =
            (n && text[n - 1] == ' ' && text[n] == '%') || (digit && unit_follows(text + n)); /* "5 ms" is not broken */
        buf_add(&word, text, n - kept);
        buf_str(&word, kept ? "\xc2\xa0" : "");
        buf_str(b, option ? "<span class=\"option\">" : "");
        svg_text(b, buf_text(&word), TEXT_MOST);
        buf_str(b, option ? "</span>" : "");
        buf_finish(&word);
        text += n;
    }
}

void html_some(struct buf *b, const char *before, int shown, int n, const char *what)
{
    buf_format(b, "<p>%s %d of %d %s; for others: ", before, shown, n, what);
    html_words(b, "tare show --filter NAME --export-html PAGE FILE");
    buf_str(b, "</p>\n");
}

static void cells(struct buf *b, const char *tag, const struct buf *texts, int n)
{
    buf_str(b, "<tr>");
    for (int i = 0; i < n; i++) {
        buf_format(b, "<%s%s>", tag, *tag == 't' && tag[1] == 'd' && texts[i].len > LONG ? " class=\"long\"" : "");
        svg_text(b, buf_text(&texts[i]), TEXT_MOST);
        buf_format(b, "</%.*s>", (int)strcspn(tag, " "), tag);
    }
    buf_str(b, "</tr>\n");
}

static void head(struct buf *b, const struct buf *texts, int n)
{
    buf_str(b, "<table class=\"list\"><thead>\n");
    cells(b, "th scope=\"col\"", texts, n);
    buf_str(b, "</thead><tbody>\n");
}

static void row(struct buf *b, const struct buf *texts, int n)
{
    cells(b, "td", texts, n);
}

static void foot(struct buf *b)
{
    buf_str(b, "</tbody></table>\n");
}

/* As it is: a row makes all of its cells harmless. */
static void command(struct buf *b, const char *text)
{
    buf_str(b, text);
}

const struct markup markup_html = {.head = head, .row = row, .foot = foot, .command = command, .answer_first = true};
