/* SPDX-License-Identifier: MIT */
#include "padding.h"
#include <stdlib.h>
#include <string.h>
enum tare_status padding_init(struct padding *p, const char *const *base, uint64_t seed, struct tare_err *err)
{
    (void)seed, (void)err;
    int n = 0;
    while (base[n])
        n++;
    *p = (struct padding){.env = calloc((size_t)n + 2, sizeof(char *)), .n = n};
    memcpy(p->env, base, (size_t)n * sizeof(char *));
    return TARE_OK;
}
enum tare_status padding_add(struct padding *p, const char *const *argv, struct tare_err *err)
{
    (void)p, (void)argv, (void)err;
    return TARE_OK;
}
enum tare_status padding_round(struct padding *p, int round, bool warmup, struct tare_err *err)
{
    (void)warmup, (void)err;
    struct buf b = buf_over(p->iteration, sizeof p->iteration);
    buf_format(&b, "HYPERFINE_ITERATION=%d", round);
    p->env[p->n] = p->iteration;
    return TARE_OK;
}
const char *const *padding_environment(const struct padding *p, int command)
{
    (void)command;
    return p->env;
}
void padding_finish(struct padding *p)
{
    free(p->env);
}
