/* SPDX-License-Identifier: MIT
 *
 * pattern_parse.h - a pattern's text as a tree. Used by pattern.c only.
 */
#ifndef PATTERN_PARSE_H
#define PATTERN_PARSE_H

#include "arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <tare/status.h>

enum node_kind { NODE_BYTE, NODE_ANY, NODE_CLASS, NODE_ASSERT, NODE_EMPTY, NODE_GROUP, NODE_REPEAT, NODE_THEN, NODE_EITHER };

enum pattern_place { PLACE_LINE_START, PLACE_LINE_END, PLACE_WORD, PLACE_NOT_WORD };

struct byte_set {
    uint32_t bits[8];
};

struct node {
    enum node_kind kind;
    unsigned char byte;       /* NODE_BYTE */
    enum pattern_place place; /* NODE_ASSERT */
    struct byte_set set;      /* NODE_CLASS */
    int group;                /* NODE_GROUP: 1 is the first; 0 captures nothing */
    int least, most;          /* NODE_REPEAT; most -1: no limit */
    bool lazy;
    struct node *a, *b; /* b: NODE_THEN, NODE_EITHER */
};

bool byte_set_has(const struct byte_set *s, unsigned char c);
bool byte_is_word(unsigned char c);

/* INVALID, NO_MEMORY. *groups: how many capture. */
enum tare_status pattern_parse(struct node **out, int *groups, const char *text, struct arena *a, struct tare_err *err);

#endif
