/* SPDX-License-Identifier: MIT
 *
 * markup.h - the table that Markdown, AsciiDoc and org share: which columns, which cells, how many digits. A language says
 * how a row is written and how foreign text is made harmless.
 *
 *     | Command | Mean [ms] | Min [ms] | Max [ms] | Relative | Median [ms] | 95 % interval of the median [ms] | Runs | Paired ratio
 *     | 95 % interval of the ratio | Verdict |
 *
 * The first five are hyperfine's. Relative is the ratio of the means to the reference; the paired ratio, its interval and Verdict are the
 * record's comparison and are there when it has one.
 */
#ifndef MARKUP_H
#define MARKUP_H

#include "buf.h"
#include "export.h"

enum { MARKUP_COLUMNS_MAX = 13 };

struct markup {
    void (*head)(struct buf *b, const struct buf *cells, int n); /* what stands before the rows, the headings in it */
    void (*row)(struct buf *b, const struct buf *cells, int n);
    void (*foot)(struct buf *b); /* NULL: nothing */
    void (*command)(struct buf *b,
                    const char *text); /* foreign text, masked by quote.h: to be shown as code on one line of a table */
    bool
        answer_first; /* what is compared, and the verdict, behind the command, as of a wide table the right side may lie outside;
                           and a reference directly above what is compared with it */
};

extern const struct markup markup_asciidoc, markup_html, markup_markdown, markup_orgmode;

/* Commands, and benchmarks as if they were commands. */
enum tare_status markup_write(const struct markup *m, const struct record *r, const struct export_options *o,
                              const struct sink *sink, struct tare_err *err);

/* The next character of the command's text into `c` (with a closing zero). Returns where it goes on, NULL at the end. */
const char *markup_character(const char *text, char c[5]);

/* Text, masked by quote.h, as code on one line of a Markdown table. */
void markdown_code(struct buf *b, const char *text);

#endif
