/* SPDX-License-Identifier: MIT
 *
 * `tare leak --taint`: the targets once more with their secrets marked, after they were timed, and both side by side. */
#include "leak_session.h"
#include "screen.h"
#include "taint.h"
#include <string.h>

static const int64_t slower = 100; /* what runs under valgrind takes so many times as long */

struct leak_taint {
    struct taint_result result;
    const char **verdicts; /* by timing, of each target */
};

static const char *text_of(struct arena *arena, const struct taint_target *t)
{
    struct buf b = BUF_INIT(1 << 12);
    buf_str(&b, taint_state_word(t->state));
    if (t->why && *t->why)
        buf_format(&b, ": %.200s", t->why);
    const char *kept = arena_strdup(arena, buf_text(&b));
    buf_finish(&b);
    return kept;
}

/* Into the record, before it is closed. */
static bool note(struct leak *k, int first, const struct taint_result *found, const char **verdicts)
{
    struct record *r = &k->run.record;
    for (int i = 0; i < found->n_targets; i++) {
        const struct leak_target *old = record_leak_target(r, first + i);
        struct leak_target t;
        if (!old)
            continue;
        t = *old;
        t.taint = text_of(k->run.cli->arena, &found->targets[i]);
        verdicts[i] = verdict_name(t.verdict);
        if (!t.taint || record_set_leak_target(r, &t))
            return false;
    }
    return true;
}

static void phase(void *context, const char *target, int done, int of)
{
    struct leak *k = context;
    struct buf b = BUF_INIT(1 << 12);
    buf_format(&b, "taint: %s, %d of %d", target, done + 1, of);
    live_phase(&k->run.live, &k->run.record, buf_text(&b));
    buf_finish(&b);
}

static enum tare_status run_one(struct leak *k, int program, int first, struct leak_taint *out, struct tare_err *err)
{
    const struct leak_program *p = &k->programs[program];
    struct arena *a = k->run.cli->arena;
    const struct taint_request q = {.argv = p->argv,
                                    .environment = k->run.exec_options.environment,
                                    .cwd = k->run.o->cwd,
                                    .targets = p->targets,
                                    .n_targets = p->n_targets,
                                    .known = p->taint,
                                    .timeout_ns = k->run.o->timeout_ns > INT64_MAX / slower ? 0 : k->run.o->timeout_ns * slower,
                                    .seed = k->run.record.seed,
                                    .show_output = k->run.o->show_output,
                                    .progress = phase,
                                    .progress_context = k};
    out->verdicts = arena_array(a, (size_t)p->n_targets + 1, sizeof *out->verdicts);
    if (!out->verdicts)
        return err_set(err, TARE_NO_MEMORY, "no memory for taint");
    enum tare_status status = taint_run(k->run.spawner, &q, a, &out->result, err);
    if (!status && !note(k, first, &out->result, out->verdicts))
        status = err_set(err, TARE_NO_MEMORY, "no memory for taint");
    return status;
}

enum exit_code leak_taint_run(struct leak *k)
{
    struct tare_err err;
    enum exit_code code = EXIT_ANSWERED;
    int first = 0;
    if (!k->o->taint || plat_signal())
        return code;
    k->taints = arena_array(k->run.cli->arena, (size_t)k->n_programs + 1, sizeof *k->taints);
    live_begin(&k->run.live, &k->run.render, k->run.cli->talk);
    for (int i = 0; k->taints && i < k->n_programs; i++) {
        enum tare_status status = run_one(k, i, first, &k->taints[i], &err);
        live_clear(&k->run.live);
        first += k->programs[i].n_targets;
        if (status && status != TARE_INTERRUPTED)
            err_prefix(&err, "--taint");
        if (status)
            code = cli_worse(code, (enum exit_code)cli_fail(k->run.cli, EXIT_TOOL, &err));
        else
            code = cli_worse(code, taint_code(&k->taints[i].result));
    }
    live_end(&k->run.live);
    return code;
}

enum exit_code leak_taint_show(struct leak *k)
{
    struct buf b = BUF_INIT(1 << 24);
    for (int i = 0; k->taints && i < k->n_programs; i++)
        if (k->taints[i].result.n_targets) {
            buf_char(&b, '\n');
            taint_text(&k->taints[i].result, k->taints[i].verdicts, &k->run.render, &b);
        }
    return screen_text(k->run.cli, &k->o->run.display, &b);
}
