/* SPDX-License-Identifier: MIT */
#include "trace_process.h"
#include "rng.h"
#include <stddef.h>
#include <string.h>

static const char *const ids[] = {
#define TRACE_COLUMN(id, title, unit) #id,
#include "trace_columns.def"
#undef TRACE_COLUMN
};

const char *trace_column(int index)
{
    return index >= 0 && index < TRACE_RUN_COLUMNS ? ids[index] : NULL;
}

void trace_folder(struct buf *out, const char *base, const struct trace_asked *asked, int round, bool warmup)
{
    buf_format(out, "%s/%s-%04d%s", base, warmup ? "warmup" : "run", round + 1, asked->suffix);
}

int trace_repeat(const struct trace_asked *asked, uint64_t seed, int round, bool warmup)
{
    static const uint64_t stream = 0x70726f7665;
    int order[] = {1, 2, 3}, n = sizeof order / sizeof *order;
    if (!asked->prove || warmup)
        return asked->prove ? 1 : (int)asked->request.repeat;
    struct rng rng = rng_seeded(seed ^ stream ^ (uint64_t)(round / n) << 32);
    rng_shuffle(&rng, order, n);
    return order[round % n];
}

void trace_variable(const struct trace_asked *asked, const char *folder, uint64_t seed, int repeat, struct buf *out)
{
    struct trace_request q = asked->request;
    struct buf name = buf_over(q.folder, sizeof q.folder);
    buf_str(&name, folder);
    q.seed = seed;
    q.repeat = (uint32_t)repeat;
    buf_str(out, TRACE_VARIABLE "=");
    trace_request_write(out, &q);
}
