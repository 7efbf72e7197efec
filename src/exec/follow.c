/* SPDX-License-Identifier: MIT */
#include "follow.h"
#include <math.h>

int follow_reason(enum plat_peak_why why)
{
    switch (why) {
    case PEAK_KNOWN:
        return 0;
    case PEAK_NOT_ASKED:
        return NULL_NOT_ASKED;
    case PEAK_TRACED_ALREADY:
        return NULL_TRACED_ALREADY;
    case PEAK_FILTERED:
        return NULL_PTRACE_FILTERED;
    case PEAK_YAMA:
        return NULL_PTRACE_YAMA;
    case PEAK_FORBIDDEN:
        return NULL_PTRACE_FORBIDDEN;
    case PEAK_NO_PTRACE:
        return NULL_NO_PTRACE;
    case PEAK_PRIVILEGED:
        return NULL_PRIVILEGED;
    case PEAK_NOT_BEGUN:
        return NULL_NOT_BEGUN;
    case PEAK_LESS_PRIVILEGED:
        return NULL_LESS_PRIVILEGED;
    case PEAK_NO_GROUP:
        return NULL_NO_GROUP;
    case PEAK_UNREADABLE:
        break;
    }
    return NULL_UNREADABLE;
}

static void put(double *pair, int64_t bytes, enum plat_peak_why why)
{
    pair[0] = why ? NAN : (double)bytes;
    pair[1] = follow_reason(why);
}

void follow_nothing(double *values, int reason)
{
    for (int i = 0; i < FOLLOW_COLUMNS; i += 2) {
        values[i] = NAN;
        values[i + 1] = reason;
    }
}

void follow_fill(const struct plat_child_result *result, double *values)
{
    put(values, result->peak_bytes, result->peak_why);
    put(values + 2, result->tree_bytes, result->tree_why);
    _Static_assert(FOLLOW_COLUMNS == 4, "one value for each metric");
}
