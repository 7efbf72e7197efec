/* SPDX-License-Identifier: MIT
 *
 * A stranger's program. It has functions of its own named like those inside libtare, which must not meet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/clock.h>
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

/* No processor adds ten million numbers in memory within a millisecond. */
static int check_bracket(void)
{
    struct tare_bracket t;
    struct tare_elapsed nothing, something;
    char text[TARE_BRACKET_TEXT];
    volatile double sum = 0;
    TARE_START(t);
    TARE_STOP(t);
    tare_bracket_elapsed(&t, &nothing);
    TARE_START(t);
    for (int i = 0; i < 10000000; i++)
        sum = sum + i;
    TARE_STOP(t);
    tare_bracket_elapsed(&t, &something);
    size_t n = tare_bracket_text(&t, text, sizeof text);
    if (something.ns > 1000000 && nothing.gross_ticks >= 0 && n == strlen(text) && strstr(text, " ticks, "))
        return 0;
    printf("expected the time of ten million additions, got %s (%lld ns); around nothing %lld ticks\n", text,
           (long long)something.ns, (long long)nothing.gross_ticks);
    return 1;
}

int main(void)
{
    return check_interval() + check_names() + check_bracket();
}
