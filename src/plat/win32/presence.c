/* SPDX-License-Identifier: MIT
 *
 * Sessions of one logon see each other through a board: memory with a name, which vanishes with the last process that has it. Each session writes a line
 * behind the last one. An administrator's session writes there too. So who came later is behind our line, even where it has ended since; who was there before is in front of it and lives.
 */
#include "win32.h"
#include <stdlib.h>

enum { LINES = 64, ANCESTORS_MAX = 16 };

/* A number is used again: with the beginning it names a process. began -1: not told. */
struct process {
    volatile LONG pid;
    LONGLONG began;
};

struct line {
    struct process us; /* pid 0: not written yet */
    volatile LONG gone;
    struct process ancestors[ANCESTORS_MAX]; /* to pid 0 */
};

struct board {
    volatile LONG lines; /* that were written since the first session; line n stands at n modulo LINES */
    struct line line[LINES];
};

struct plat_presence {
    HANDLE memory;
    struct board *board;
    LONG mine, last; /* lines before `last` were looked at */
    int seen[LINES], n_seen;
    bool lost; /* more came than the board holds */
};

/* A process keeps the number of a parent that has ended, and others get that number: who began later than the child is no ancestor. Of an administrator's
 * process the system may not tell. */
static void find_ancestors(struct line *l)
{
    int64_t child_began = l->us.began;
    int n = 0;
    for (int id = win32_parent(plat_pid()); id > 0 && n < ANCESTORS_MAX; id = win32_parent(id)) {
        const int64_t began = plat_process_began(id);
        if (began > child_began || (began < 0 && !win32_may_live(id, -1)))
            return;
        child_began = began > 0 ? began : child_began;
        l->ancestors[n++] = (struct process){id, began};
    }
}

static bool is_same(const struct process *a, const struct process *b)
{
    return a->pid == b->pid && (a->began == b->began || a->began < 0 || b->began < 0);
}

static bool descends(const struct line *l, const struct process *from)
{
    for (int i = 0; i < ANCESTORS_MAX && l->ancestors[i].pid; i++)
        if (is_same(&l->ancestors[i], from))
            return true;
    return false;
}

static void note(struct plat_presence *p, const struct line *l)
{
    const struct line *us = &p->board->line[p->mine % LINES];
    if (l->us.pid && !is_same(&l->us, &us->us) && !descends(l, &us->us) && !descends(us, &l->us) && p->n_seen < LINES)
        p->seen[p->n_seen++] = (int)l->us.pid;
}

/* Who measures when we come. */
static void look_back(struct plat_presence *p)
{
    for (LONG i = p->mine > LINES - 1 ? p->mine - LINES + 1 : 0; i < p->mine; i++) {
        const struct line *l = &p->board->line[i % LINES];
        if (!l->gone && l->us.pid && win32_may_live((int)l->us.pid, l->us.began))
            note(p, l);
    }
}

enum tare_status plat_presence_create(struct plat_presence **out, struct tare_err *err)
{
    struct plat_presence *p = *out = calloc(1, sizeof *p);
    if (!p)
        return err_set(err, TARE_NO_MEMORY, "no memory for the sign that a session measures");
    p->memory = CreateFileMappingW(INVALID_HANDLE_VALUE, win32_private_at_any_level(), PAGE_READWRITE, 0, sizeof *p->board,
                                   L"Local\\tare.measuring.2");
    p->board = p->memory ? MapViewOfFile(p->memory, FILE_MAP_ALL_ACCESS, 0, 0, sizeof *p->board) : NULL;
    if (!p->board) {
        win32_fail(err, GetLastError(), "cannot make memory that other sessions see");
        plat_presence_destroy(p);
        *out = NULL;
        return TARE_UNSUPPORTED;
    }
    p->mine = InterlockedIncrement(&p->board->lines) - 1;
    struct line *l = &p->board->line[p->mine % LINES];
    *l = (struct line){.us.began = plat_process_began(plat_pid())};
    find_ancestors(l);
    InterlockedExchange(&l->us.pid, (LONG)GetCurrentProcessId());
    look_back(p);
    p->last = p->mine + 1;
    return TARE_OK;
}

void plat_presence_listen(struct plat_presence *p)
{
    const LONG end = p->board->lines;
    p->lost |= end - p->mine > LINES;
    for (; p->last < end && !p->lost && p->board->line[p->last % LINES].us.pid;
         p->last++) /* one that is just written is for next time */
        note(p, &p->board->line[p->last % LINES]);
}

int plat_presence_others(struct plat_presence *p, int *pids, int room)
{
    plat_presence_listen(p);
    for (int i = 0; i < p->n_seen && i < room; i++)
        pids[i] = p->seen[i];
    if (p->lost && p->n_seen < room)
        pids[p->n_seen] = -1;
    return p->n_seen + p->lost;
}

void plat_presence_destroy(struct plat_presence *p)
{
    if (!p)
        return;
    if (p->board && !p->lost)
        InterlockedExchange(&p->board->line[p->mine % LINES].gone, 1);
    if (p->board)
        UnmapViewOfFile(p->board);
    if (p->memory)
        CloseHandle(p->memory);
    free(p);
}
