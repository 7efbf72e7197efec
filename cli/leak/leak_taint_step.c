/* SPDX-License-Identifier: MIT
 *
 * --taint: after the timing the same targets once more, marked; the result stands beside the verdicts. */
#include "leak_session.h"
#include "screen.h"
#include "taint.h"

/* What is asked of one program. Its targets are the subjects from `first` on. */
static struct taint_request request_of(const struct leak *k, const struct leak_program *p)
{
    return (struct taint_request){.argv = p->argv,
                                  .environment = k->run.exec_options.environment,
                                  .cwd = k->run.o->cwd,
                                  .targets = (const char *const *)p->targets,
                                  .n_targets = p->n_targets,
                                  .suppressions = k->o->suppressions,
                                  .known = p->taint,
                                  .timeout_ns = k->run.o->timeout_ns,
                                  .seed = k->run.record.seed,
                                  .show_output = k->run.o->show_output};
}

enum tare_status leak_taint_check(const struct leak *k, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    for (int i = 0; i < k->n_programs && k->o->taint && !status; i++) {
        const struct taint_request q = request_of(k, &k->programs[i]);
        status = taint_check(&q, err);
    }
    return status;
}

static const char *known_text(const char *text)
{
    return text && *text ? text : NULL;
}

static int sites_of(const struct taint_target *t, struct leak_site out[LEAK_SITES_MAX])
{
    const struct taint_report *r = &t->report;
    int n = r->n_places < LEAK_SITES_MAX ? r->n_places : LEAK_SITES_MAX;
    for (int i = 0; i < n; i++) {
        const struct taint_place *p = &r->places[i];
        out[i] = (struct leak_site){.kind = taint_kind_word(p->kind),
                                    .file = known_text(p->at.file),
                                    .function = known_text(p->at.function),
                                    .object = known_text(p->at.object),
                                    .line = p->at.line,
                                    .count = (double)p->count};
    }
    return n;
}

/* What was found of each target goes into the record. */
static enum tare_status keep_lines(struct leak *k, const struct taint_result *result, int first, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    struct leak_site sites[LEAK_SITES_MAX];
    for (int i = 0; i < result->n_targets && !status; i++) {
        struct buf line = BUF_INIT(1 << 16);
        struct leak_target t;
        const struct leak_target *timed = record_leak_target(&k->run.record, first + i);
        leak_target_init(&t, first + i);
        t = timed ? *timed : t;
        taint_line(&result->targets[i], &line);
        t.taint = buf_text(&line);
        t.taint_verdict = taint_state_word(result->targets[i].state);
        t.taint_tool = result->tool;
        t.n_taint_sites = sites_of(&result->targets[i], sites);
        t.taint_sites = sites;
        t.taint_left_out = result->targets[i].report.n_places - t.n_taint_sites;
        status = line.status ? line.status : record_set_leak_target(&k->run.record, &t);
        buf_finish(&line);
    }
    return status ? err_set(err, status, "no memory for the result of --taint") : TARE_OK;
}

enum tare_status leak_taint(struct leak *k, struct tare_err *err)
{
    enum tare_status status = TARE_OK;
    int first = 0;
    if (!k->o->taint)
        return TARE_OK;
    k->taint = arena_array(k->run.cli->arena, (size_t)k->n_programs + 1, sizeof *k->taint);
    if (!k->taint)
        return err_set(err, TARE_NO_MEMORY, "no memory for --taint");
    for (int i = 0; i < k->n_programs && !status; i++) {
        const struct taint_request q = request_of(k, &k->programs[i]);
        status = taint_run(k->run.session.spawner, &q, k->run.cli->arena, &k->taint[i], err);
        enum tare_status kept = keep_lines(k, &k->taint[i], first, err);
        status = status ? status : kept;
        first += k->programs[i].n_targets;
    }
    return status;
}

enum exit_code leak_taint_show(struct leak *k)
{
    enum exit_code code = EXIT_ANSWERED;
    struct render_options options = screen_options(&k->o->run.display);
    struct buf b = BUF_INIT(1 << 24);
    for (int i = 0; i < k->n_programs && k->taint; i++) {
        const struct taint_result *result = &k->taint[i];
        if (options.verbosity >= 0)
            taint_text(result, &options, &b);
        code = cli_worse(code, taint_code(result));
    }
    return cli_worse(code, screen_text(k->run.cli, &k->o->run.display, &b));
}
