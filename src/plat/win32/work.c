/* SPDX-License-Identifier: MIT
 *
 * work.c - tare-work.exe, see known_work.h: its start without a C library. It ends with code 0.
 */
#include "known_work.h"
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

void start(void);

/* Behind the word that `text` begins with, which may be in quotes, and the blanks after it; NULL: there is no other. */
static const char *next_word(const char *text)
{
    BOOL quoted = FALSE;
    for (; *text && (quoted || *text != ' '); text++)
        quoted ^= *text == '"';
    while (*text == ' ')
        text++;
    return *text ? text : NULL;
}

void start(void)
{
    const char *thousands = next_word(GetCommandLineA()), *kib = thousands ? next_word(thousands) : NULL;
    known_work(thousands, kib);
    ExitProcess(0);
}
