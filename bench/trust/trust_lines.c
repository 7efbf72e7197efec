/* SPDX-License-Identifier: MIT */
#include "trust_lines.h"
#include <stdlib.h>

static bool parse(char **column, struct trust_line *l)
{
    double sign;
    if (!raw_word(column[0], l->label, TRUST_WORD) || !raw_word(column[1], l->scenario, TRUST_WORD) ||
        !raw_word(column[5], l->tool, TRUST_WORD) || !raw_word(column[9], l->word, TRUST_WORD) || !raw_number(column[7], &sign))
        return false;
    double *numbers[TRUST_COLUMNS] = {
        [2] = &l->block, [3] = &l->unix_s, [4] = &l->load,   [6] = &l->size, [8] = &l->expected, [10] = &l->ln,
        [11] = &l->low,  [12] = &l->high,  [13] = &l->score, [14] = &l->n,   [15] = &l->seconds, [16] = &l->decided};
    for (int i = 0; i < TRUST_COLUMNS; i++)
        if (numbers[i] && !raw_number(column[i], numbers[i]))
            return false;
    l->sign = sign < 0 ? -1 : 1;
    return true;
}

static enum raw_taken take(void *context, char **column)
{
    struct trust_lines *all = context;
    struct trust_line l;
    if (!parse(column, &l))
        return RAW_BROKEN;
    struct trust_line *items = raw_room(all->items, all->n, &all->room, sizeof *items);
    if (!items)
        return RAW_NO_MEMORY;
    all->items = items;
    items[all->n++] = l;
    return RAW_TAKEN;
}

bool trust_lines_read(const char *path, struct trust_lines *out)
{
    *out = (struct trust_lines){0};
    return raw_read(path, TRUST_COLUMNS, take, out, &out->file);
}

void trust_lines_finish(struct trust_lines *lines)
{
    free(lines->items);
    *lines = (struct trust_lines){0};
}
