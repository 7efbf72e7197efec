/* SPDX-License-Identifier: MIT
 *
 * The memory that samples go to. Each page of it is written before the first sample, so that none is made between them.
 */
#include "probe.h"
#include <math.h>
#include <stdlib.h>

static bool is_signal(int column)
{
    return column >= WIRE_CPU_NS && column <= WIRE_MAJFLT;
}

enum tare_status probe_rows_open(struct probe_rows *r, int room, bool signals, bool threads)
{
    size_t size = (size_t)room * WIRE_COLUMNS_N;
    *r = (struct probe_rows){.room = room, .memory = malloc(size * sizeof *r->memory)};
    if (!r->memory)
        return TARE_NO_MEMORY;
    r->own = malloc(2 * (size_t)room * sizeof *r->own);
    if (!r->own) {
        probe_rows_close(r);
        return TARE_NO_MEMORY;
    }
    for (size_t i = 0; i < size; i++)
        r->memory[i] = WIRE_NONE;
    r->times_empty = r->own + room;
    for (int i = 0; i < 2 * room; i++)
        r->own[i] = NAN;
    for (int c = 0; c < WIRE_COLUMNS_N; c++)
        if ((signals || !is_signal(c)) && (threads || c != WIRE_FIRST_TICKS))
            r->column[c] = r->memory + (size_t)c * (size_t)room;
    return TARE_OK;
}

void probe_rows_close(struct probe_rows *r)
{
    free(r->memory);
    free(r->own);
    *r = (struct probe_rows){0};
}
