/* SPDX-License-Identifier: MIT
 *
 * A stranger's program. It has functions of its own named like those inside libtare, which must not meet.
 */
#include <stdio.h>
#include <string.h>
#include <tare/status.h>

void *arena_alloc(void);
int buf_add(void);

void *arena_alloc(void)
{
    return NULL;
}

int buf_add(void)
{
    return 7;
}

int main(void)
{
    const char *text = tare_status_text(TARE_NOT_FOUND);
    if (strcmp(text, "not found") != 0 || buf_add() != 7 || arena_alloc()) {
        printf("expected \"not found\", got \"%s\"\n", text);
        return 1;
    }
    return 0;
}
