/* SPDX-License-Identifier: MIT */
#include "functions_lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end;
}

static bool parse(char *text, struct line *l)
{
    char *column[LINE_COLUMNS];
    int n = 0;
    for (char *at = text; at && n < LINE_COLUMNS; n++) {
        column[n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    if (n != LINE_COLUMNS)
        return false;
    char *const words[LINE_COLUMNS] = {
        [0] = l->label, [1] = l->part, [5] = l->tool, [6] = l->kernel, [7] = l->size, [9] = l->word};
    double *const numbers[LINE_COLUMNS] = {
        [2] = &l->block, [3] = &l->unix_s, [4] = &l->load, [8] = &l->truth,    [10] = &l->value,
        [11] = &l->low,  [12] = &l->high,  [13] = &l->n,   [14] = &l->seconds, [15] = &l->cpu};
    for (int i = 0; i < LINE_COLUMNS; i++) {
        size_t length = strlen(column[i]);
        if (words[i] && (!length || length >= LINE_WORD))
            return false;
        if (words[i])
            memcpy(words[i], column[i], length + 1);
        if (numbers[i] && !number(column[i], numbers[i]))
            return false;
    }
    return true;
}

static bool add(struct lines *all, const struct line *l)
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

static void add_head(struct lines *all, const char *text)
{
    char *into = all->heads[all->n_heads++ % LINE_HEADS];
    size_t n = strlen(text), most = LINE_HEAD - 1;
    memcpy(into, text, n < most ? n : most);
    into[n < most ? n : most] = 0;
}

bool lines_read(const char *path, struct lines *out)
{
    *out = (struct lines){0};
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    char text[1024];
    bool good = true;
    while (good && fgets(text, sizeof text, f)) {
        text[strcspn(text, "\n")] = 0;
        struct line l;
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

void lines_finish(struct lines *lines)
{
    free(lines->items);
    *lines = (struct lines){0};
}
