/* SPDX-License-Identifier: MIT */
#include "raw_lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number is all of its text; nan is one. A word is not empty, and fits. */
static bool take_column(const struct raw_column *c, const char *text, char *line)
{
    size_t n = strlen(text);
    if (c->number) {
        char *end;
        double value = strtod(text, &end);
        memcpy(line + c->offset, &value, sizeof value);
        return n && !*end;
    }
    if (!n || n >= RAW_WORD)
        return false;
    memcpy(line + c->offset, text, n + 1);
    return true;
}

static bool take_line(char *text, const struct raw_column *columns, int n_columns, char *line)
{
    for (int i = 0; i < n_columns; i++) {
        char *tab = text ? strchr(text, '\t') : NULL;
        if (tab)
            *tab = 0;
        if (!text || !take_column(&columns[i], text, line))
            return false;
        text = tab ? tab + 1 : NULL;
    }
    return true;
}

static bool make_room(struct raw_lines *lines, size_t line_size)
{
    if (lines->n < lines->room)
        return true;
    int more = lines->room ? 2 * lines->room : 1024;
    void *grown = realloc(lines->items, (size_t)more * line_size);
    lines->items = grown ? grown : lines->items;
    lines->room = grown ? more : lines->room;
    return grown;
}

static void add_head(struct raw_lines *lines, const char *text)
{
    char *into = lines->heads[lines->n_heads++ % RAW_HEADS];
    size_t n = strlen(text), most = RAW_HEAD - 1;
    memcpy(into, text, n < most ? n : most);
    into[n < most ? n : most] = 0;
}

bool raw_read(const char *path, const struct raw_column *columns, int n_columns, size_t line_size, struct raw_lines *out)
{
    *out = (struct raw_lines){0};
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    char text[1024];
    bool room = true;
    while ((room = make_room(out, line_size)) && fgets(text, sizeof text, f)) {
        text[strcspn(text, "\n")] = 0;
        if (!strncmp(text, "# 2", 3))
            add_head(out, text + 2);
        if (*text == '#')
            continue;
        bool taken = take_line(text, columns, n_columns, (char *)out->items + (size_t)out->n * line_size);
        out->n += taken;
        out->broken += !taken;
    }
    bool good = room && !ferror(f);
    fclose(f);
    if (!good) {
        free(out->items);
        out->items = NULL;
        out->n = 0;
    }
    return good;
}
