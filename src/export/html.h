/* SPDX-License-Identifier: MIT
 *
 * html.h - what the pages of --export-html share, and the page of a session that has no other: its table, its picture, its findings. No script, nothing loaded
 * from elsewhere.
 */
#ifndef HTML_H
#define HTML_H

#include "export_kind.h"

extern const char html_style[];                   /* the rules of every page */
void html_open(struct buf *b, const char *title); /* up to its title, without rules of style */
/* All until the first heading; between the two come the rules that only this page has. */
void html_head(struct buf *b, const char *title);
void html_body(struct buf *b, const char *title);
/* Foreign text in an element: html_element(b, "p class=\"soft\"", text). */
void html_element(struct buf *b, const char *tag, const char *text);
/* Foreign text, at most so many characters of it, as the value of an attribute in quotation marks of either kind, or as content of an element. */
void html_attribute(struct buf *b, const char *text, int most);
void html_foot(struct buf *b);

/* `k` is what the record is of. */
enum tare_status html_table_write(const struct kind_export *k, const struct record *r, const struct export_options *o,
                                  const struct sink *sink, struct tare_err *err);

#endif
