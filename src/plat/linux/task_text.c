/* SPDX-License-Identifier: MIT */
#include "task_text.h"
#include "whole.h"
#include <string.h>

enum { STAT_CPU = 39 };

static bool read_number(const char **text, int64_t *out)
{
    return whole_take(text, *text + strlen(*text), 10, out);
}

bool task_schedstat_read(const char *text, int64_t *run_ns, int64_t *delay_ns)
{
    return read_number(&text, run_ns) && *text++ == ' ' && read_number(&text, delay_ns) && *text == ' ';
}

int64_t task_schedstat_slices(const char *text)
{
    int64_t run_ns, delay_ns, slices;
    const char *last = task_schedstat_read(text, &run_ns, &delay_ns) ? strrchr(text, ' ') + 1 : "";
    return read_number(&last, &slices) ? slices : 0;
}

int64_t task_stat_number(const char *text, int place)
{
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < place; field++)
        at = strchr(at + 1, ' ');
    int64_t value;
    return at++ && read_number(&at, &value) && *at == ' ' ? value : -1;
}

int task_stat_cpu(const char *text)
{
    const int64_t cpu = task_stat_number(text, STAT_CPU);
    return cpu > INT32_MAX ? -1 : (int)cpu;
}
