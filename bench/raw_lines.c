/* SPDX-License-Identifier: MIT */
#include "raw_lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool raw_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end;
}

bool raw_word(const char *text, char *out, size_t room)
{
    size_t n = strlen(text);
    if (!n || n >= room)
        return false;
    memcpy(out, text, n + 1);
    return true;
}

void *raw_room(void *items, int n, int *room, size_t size)
{
    if (n < *room)
        return items;
    int more = *room ? 2 * *room : 1024;
    void *grown = realloc(items, (size_t)more * size);
    *room = grown ? more : *room;
    return grown;
}

static bool split(char *text, int columns, char **column)
{
    int n = 0;
    for (char *at = text; at && n < columns; n++) {
        column[n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    return n == columns;
}

static void add_head(struct raw_file *file, const char *text)
{
    char *into = file->heads[file->n_heads++ % RAW_HEADS];
    size_t n = strlen(text), most = RAW_HEAD - 1;
    memcpy(into, text, n < most ? n : most);
    into[n < most ? n : most] = 0;
}

bool raw_read(const char *path, int columns, enum raw_taken (*take)(void *context, char **column), void *context,
              struct raw_file *out)
{
    *out = (struct raw_file){0};
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    char text[1024], *column[RAW_COLUMNS_MAX];
    enum raw_taken taken = RAW_TAKEN;
    while (taken != RAW_NO_MEMORY && fgets(text, sizeof text, f)) {
        text[strcspn(text, "\n")] = 0;
        if (!strncmp(text, "# 2", 3))
            add_head(out, text + 2);
        if (*text == '#')
            continue;
        taken = split(text, columns, column) ? take(context, column) : RAW_BROKEN;
        out->broken += taken == RAW_BROKEN;
    }
    bool good = !ferror(f) && taken != RAW_NO_MEMORY;
    fclose(f);
    return good;
}
