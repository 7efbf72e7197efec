/* SPDX-License-Identifier: MIT */
#include "functions_lines.h"
#include <stdlib.h>

static bool parse(char **column, struct line *l)
{
    char *const words[LINE_COLUMNS] = {
        [0] = l->label, [1] = l->part, [5] = l->tool, [6] = l->kernel, [7] = l->size, [9] = l->word};
    double *const numbers[LINE_COLUMNS] = {
        [2] = &l->block, [3] = &l->unix_s, [4] = &l->load, [8] = &l->truth,    [10] = &l->value,
        [11] = &l->low,  [12] = &l->high,  [13] = &l->n,   [14] = &l->seconds, [15] = &l->cpu};
    for (int i = 0; i < LINE_COLUMNS; i++)
        if ((words[i] && !raw_word(column[i], words[i], LINE_WORD)) || (numbers[i] && !raw_number(column[i], numbers[i])))
            return false;
    return true;
}

static enum raw_taken take(void *context, char **column)
{
    struct lines *all = context;
    struct line l;
    if (!parse(column, &l))
        return RAW_BROKEN;
    struct line *items = raw_room(all->items, all->n, &all->room, sizeof *items);
    if (!items)
        return RAW_NO_MEMORY;
    all->items = items;
    items[all->n++] = l;
    return RAW_TAKEN;
}

bool lines_read(const char *path, struct lines *out)
{
    *out = (struct lines){0};
    return raw_read(path, LINE_COLUMNS, take, out, &out->file);
}

void lines_finish(struct lines *lines)
{
    free(lines->items);
    *lines = (struct lines){0};
}
