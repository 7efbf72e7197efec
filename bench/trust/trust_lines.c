/* SPDX-License-Identifier: MIT */
#include "trust_lines.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end;
}

static bool word(const char *text, char *out)
{
    size_t n = strlen(text);
    if (!n || n >= TRUST_WORD)
        return false;
    memcpy(out, text, n + 1);
    return true;
}

static bool parse(char *text, struct trust_line *l)
{
    char *column[TRUST_COLUMNS];
    int n = 0;
    for (char *at = text; at && n < TRUST_COLUMNS; n++) {
        column[n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    double sign;
    if (n != TRUST_COLUMNS || !word(column[0], l->label) || !word(column[1], l->scenario) || !word(column[5], l->tool) ||
        !word(column[9], l->word) || !number(column[7], &sign))
        return false;
    double *numbers[TRUST_COLUMNS] = {
        [2] = &l->block, [3] = &l->unix_s, [4] = &l->load,   [6] = &l->size, [8] = &l->expected, [10] = &l->ln,
        [11] = &l->low,  [12] = &l->high,  [13] = &l->score, [14] = &l->n,   [15] = &l->seconds, [16] = &l->decided};
    for (int i = 0; i < TRUST_COLUMNS; i++)
        if (numbers[i] && !number(column[i], numbers[i]))
            return false;
    l->sign = sign < 0 ? -1 : 1;
    return true;
}

static bool add(struct trust_lines *all, const struct trust_line *l)
{
    if (all->n == all->room) {
        int room = all->room ? 2 * all->room : 1024;
        void *items = realloc(all->items, (size_t)room * sizeof *all->items);
        if (!items)
            return false;
        all->items = items;
        all->room = room;
    }
    all->items[all->n++] = *l;
    return true;
}

static void add_head(struct trust_lines *all, const char *text)
{
    char *into = all->heads[all->n_heads++ % TRUST_HEADS];
    size_t n = strlen(text), most = sizeof all->heads[0] - 1;
    memcpy(into, text, n < most ? n : most);
    into[n < most ? n : most] = 0;
}

bool trust_lines_read(const char *path, struct trust_lines *out)
{
    *out = (struct trust_lines){0};
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    char text[1024];
    bool good = true;
    while (good && fgets(text, sizeof text, f)) {
        text[strcspn(text, "\n")] = 0;
        struct trust_line l;
        if (!strncmp(text, "# 2", 3))
            add_head(out, text + 2);
        else if (*text != '#' && parse(text, &l))
            good = add(out, &l);
        else
            out->broken += *text != '#';
    }
    good = !ferror(f) && good;
    fclose(f);
    return good;
}

void trust_lines_finish(struct trust_lines *lines)
{
    free(lines->items);
    *lines = (struct trust_lines){0};
}
