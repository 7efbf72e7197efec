/* SPDX-License-Identifier: MIT
 *
 * The leak part of a program (leak_part.h), which the first target puts in its place. A request is for the targets that it names, in its order; without
 * names for all those it wants, in theirs.
 */
#include "leak_harness.h"
#include <string.h>

static int find_target(const struct wire_run *run)
{
    const struct tare_leak *t;
    for (int i = 0; (t = leak_target_at(i)); i++)
        if (strlen(leak_label(t)) == run->size && memcmp(leak_label(t), run->name, run->size) == 0)
            return i;
    return -1;
}

static enum tare_status run_target(struct leak_job *job, int index, uint64_t limit, uint32_t *ran, bool *fault)
{
    job->target = leak_target_at(index);
    job->index = (uint32_t)index;
    job->limit = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
    (*ran)++;
    return leak_run(job, fault);
}

static enum tare_status serve_request(const struct wire_request *q, struct probe_session *session, struct buf *out,
                                      enum tare_status (*flush)(void *context), void *flush_context, uint32_t *ran, bool *fault)
{
    const struct leak_job fresh = {.session = session, .q = q, .out = out, .flush = flush, .flush_context = flush_context};
    enum tare_status status = TARE_OK;
    struct wire_run run;
    bool named = false;
    for (size_t at = 0; !status && !*fault && wire_request_run(q, &at, &run);) {
        struct leak_job job = fresh;
        int index = find_target(&run);
        named = true;
        if (index >= 0)
            status = run_target(&job, index, run.iterations, ran, fault);
    }
    for (int i = 0; !named && !status && !*fault && i < leak_targets(); i++) {
        struct leak_job job = fresh;
        if (wire_request_wants(q, leak_label(leak_target_at(i))))
            status = run_target(&job, i, 0, ran, fault);
    }
    return status;
}

static const char *name_of(int index)
{
    const struct tare_leak *leak = leak_target_at(index);
    return leak ? leak_label(leak) : NULL;
}

static enum tare_status check_at(int index, struct tare_err *err)
{
    return leak_check_target(leak_target_at(index), err);
}

static void put_at(struct buf *out, int index)
{
    leak_put_target(out, leak_target_at(index), index);
}

static const struct leak_part the_part = {leak_targets,    name_of, check_at,     leak_check_list,
                                          leak_taint_ways, put_at,  serve_request};

void tare_leak_register(const struct tare_leak *leak)
{
    leak_part = &the_part;
    leak_list(leak);
}

enum tare_status tare_leak_add(const struct tare_leak *leak)
{
    enum tare_status status = leak_list_copy(leak);
    if (!status)
        leak_part = &the_part;
    return status;
}
