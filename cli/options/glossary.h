/* SPDX-License-Identifier: MIT
 *
 * glossary.h - the terms of docs/glossary.md, compiled in: what `tare help TERM` explains.
 *
 *     const struct glossary_term *t = glossary_find("interim-analysis");
 *     if (t) printf("%s: %s\n", t->name, t->meaning);
 */
#ifndef GLOSSARY_H
#define GLOSSARY_H

struct glossary_term {
    const char *name;    /* as in the page: "effective sample size"; with a comma where two share a meaning: "faster, slower" */
    const char *meaning; /* one or two sentences, the first without a capital */
};

extern const struct glossary_term glossary[]; /* in the order of the page; closed by a NULL name */

/* In small letters or capitals, with a blank, - or _ between words; one of two names suffices. NULL: none. */
const struct glossary_term *glossary_find(const char *words);

#endif
