/* SPDX-License-Identifier: MIT
 *
 * manual.h - the parts of the manual that the tables know, as scdoc source.
 *
 *     struct buf page = BUF_INIT(1 << 20);
 *     status = manual_fill(&page, template_text, "0.1.0", &err);
 *
 * A template is scdoc source in which a line `@name run`, `@synopsis run`, `@options run` or `@examples run` stands for what
 * the table of that command says (`@options system show` of a command of two words, `@name system` of their family), `@commands` for the list of commands, `@formats` for the tables of who exports what, and `@VERSION@` anywhere for the version.
 * Everything else is copied. So an option that a template does not mention is still in the manual, with its default.
 */
#ifndef MANUAL_H
#define MANUAL_H

#include "buf.h"

/* INVALID: a line begins with @ and is none of the above; err names it. */
enum tare_status manual_fill(struct buf *b, const char *template_text, const char *version, struct tare_err *err);

#endif
