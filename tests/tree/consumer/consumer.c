/* SPDX-License-Identifier: MIT
 *
 * A stranger's program. It has functions of its own named like those inside libtare, which must not meet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/stats.h>
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

/* 1 to 6: the Walsh averages have median 3.5, and at n = 6 the exact 95 % interval is that of the smallest and largest. */
static int check_interval(void)
{
    const double d[] = {3, 1, 6, 2, 5, 4};
    struct tare_interval t = {0};
    void *scratch = malloc(tare_hl_scratch_bytes(6));
    enum tare_status status = scratch ? tare_hl_ci_walsh(d, 6, 0.05, scratch, &t) : TARE_NO_MEMORY;
    free(scratch);
    if (status == TARE_OK && t.point == 3.5 && t.low == 1 && t.high == 6)
        return 0;
    printf("expected 3.5 [1, 6], got %g [%g, %g], %s\n", t.point, t.low, t.high, tare_status_text(status));
    return 1;
}

static int check_names(void)
{
    const char *text = tare_status_text(TARE_NOT_FOUND);
    if (strcmp(text, "not found") == 0 && buf_add() == 7 && !arena_alloc())
        return 0;
    printf("expected \"not found\", got \"%s\"\n", text);
    return 1;
}

int main(void)
{
    return check_interval() + check_names();
}
