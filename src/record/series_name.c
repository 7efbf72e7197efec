/* SPDX-License-Identifier: MIT */
#include "series_name.h"
#include <string.h>

void series_name_put(struct buf *b, const char *benchmark, const char *arguments, const char *metric)
{
    buf_format(b, "%s%s%s [%s]", benchmark, *arguments ? " " : "", arguments, metric);
}

const char *series_name_split(struct arena *a, const char *name, const char **benchmark)
{
    const char *open = strrchr(name, '[');
    const size_t n = strlen(name);
    *benchmark = name;
    if (!open || open < name + 2 || open[-1] != ' ' || name[n - 1] != ']' || open[1] == ']')
        return NULL;
    *benchmark = arena_copy(a, name, (size_t)(open - 1 - name));
    return arena_copy(a, open + 1, (size_t)(name + n - 1 - (open + 1)));
}
