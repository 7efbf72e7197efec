/* SPDX-License-Identifier: MIT
 *
 * xml_read.h - the tags of an XML text, one after the other. Of XML only what the formats that we read need is understood: tags with attributes,
 * comments, CDATA, processing instructions, and the entities of XML itself. A document type is refused, so nothing is expanded.
 *
 *     struct xml x = {text, text + n};
 *     struct xml_tag t;
 *     while ((found = xml_next(&x, &t)) > 0)
 *         if (!t.closing && xml_is(&t, "testcase") && xml_attribute(&t, "name", &value, &n)) ...
 *
 * Whether tags match each other is the caller's to judge, and text between them is not looked at.
 */
#ifndef XML_READ_H
#define XML_READ_H

#include "buf.h"
#include <stdbool.h>
#include <stddef.h>

struct xml {
    const char *at, *end;
};

struct xml_tag {
    const char *name, *end; /* behind "<" or "</"; its ">" */
    size_t n;               /* of the name */
    bool closing, empty;    /* "</x>", "<x/>" */
};

/* 1: a tag, and x->at is behind it. 0: no more. -1: not XML as we read it. */
int xml_next(struct xml *x, struct xml_tag *t);
bool xml_is(const struct xml_tag *t, const char *name);
/* As it stands, within its quotes. */
bool xml_attribute(const struct xml_tag *t, const char *name, const char **value, size_t *n);
/* Appends it with the five entities of XML replaced; others stay as they stand. */
void xml_decode(struct buf *b, const char *text, size_t n);
/* Where the word is in the text; NULL: nowhere. */
const char *xml_find(const char *at, const char *end, const char *word);

#endif
