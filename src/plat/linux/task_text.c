/* SPDX-License-Identifier: MIT */
#include "task_text.h"
#include "whole.h"
#include <string.h>

enum { STAT_CPU = 39 }; /* proc(5) counts from 1; the name is the second */

static bool read_number(const char **text, int64_t *out)
{
    return whole_take(text, *text + strlen(*text), 10, out);
}

bool task_schedstat_read(const char *text, int64_t *run_ns, int64_t *delay_ns)
{
    return read_number(&text, run_ns) && *text++ == ' ' && read_number(&text, delay_ns) && *text == ' ';
}

int task_stat_cpu(const char *text)
{
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < STAT_CPU; field++)
        at = strchr(at + 1, ' ');
    int64_t cpu;
    if (!at++ || !read_number(&at, &cpu) || *at != ' ' || cpu > INT32_MAX)
        return -1;
    return (int)cpu;
}
