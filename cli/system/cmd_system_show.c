/* SPDX-License-Identifier: MIT
 *
 * `tare system show`: why results jitter on this machine, and what would help.
 */
#include "cli.h"
#include "live.h"
#include "outputs.h"
#include "plat.h"
#include "regression_guard.h"
#include "screen.h"
#include "system_options.h"
#include "system_place.h"
#include "system_shown.h"

enum { TEXT_MAX = 1 << 24 };

/* ---- the probe ---- */

static enum tare_status list_cpus(const struct cpu_list *list, const int **out, int *n, struct arena *a, struct tare_err *err)
{
    int *cpus = arena_array(a, (size_t)cpu_list_count(list) + 1, sizeof *cpus);
    if (!cpus)
        return err_set(err, TARE_NO_MEMORY, "out of memory");
    *n = 0;
    for (int cpu = cpu_list_next(list, 0); cpu >= 0; cpu = cpu_list_next(list, cpu + 1))
        cpus[(*n)++] = cpu;
    *out = cpus;
    return TARE_OK;
}

struct probe_progress {
    struct live live;
    double seconds; /* of all CPUs */
};

/* Between two stretches, so nothing is measured meanwhile; once a second, so that most is left to the probe. */
static void show_progress(void *context, int cpu, double done)
{
    static const struct record none = {0};
    struct probe_progress *p = context;
    (void)cpu;
    if (!p->live.shown || plat_now_ns() - p->live.drawn_ns >= 1000000000)
        live_wait(&p->live, &none, "probing", p->seconds * (1 - done));
}

static enum tare_status probe(struct cli *cli, struct system_shown *s, const struct system_show_options *options,
                              struct tare_err *err)
{
    static const double level = 0.05;
    const struct render_options render = screen_options(&options->display);
    struct probe_progress progress;
    struct jitter *j = arena_alloc(s->arena, sizeof *j);
    struct jitter_options o = {
        .duration_ns = (int64_t)options->probe_s * 1000000000, .progress = show_progress, .context = &progress};
    enum tare_status status =
        j ? list_cpus(&s->look->bench, &o.cpus, &o.n_cpus, s->arena, err) : err_set(err, TARE_NO_MEMORY, "out of memory");
    if (!status && !plat_cpu_allowed(o.cpus[0]))
        system_enter(s->look, plat_pid()); /* they are kept free; where we may not enter, the probe says so */
    progress.seconds = (double)options->probe_s * o.n_cpus;
    live_begin(&progress.live, &render, cli->talk);
    if (!status)
        status = jitter_measure(j, &o, s->arena, err);
    live_end(&progress.live);
    if (status)
        return status;
    s->figures = arena_array(s->arena, (size_t)j->n_cpus + 1, sizeof *s->figures);
    if (!s->figures)
        return err_set(err, TARE_NO_MEMORY, "out of memory");
    for (int i = 0; i < j->n_cpus && !status; i++)
        status = jitter_figures(&s->figures[i], &j->cpus[i], level, err);
    s->jitter = j;
    return status;
}

/* ---- the command ---- */

static enum tare_status find(struct cli *cli, struct system_shown *s, struct look *l, const struct system_place *place,
                             const struct system_show_options *o, struct tare_err *err)
{
    enum tare_status status = look_at_machine(l, &place->root, &place->wishes, s->arena, err);
    s->look = l;
    journal_look(&s->journal, NULL, &place->root);
    if (!status && o->probe_s)
        status = probe(cli, s, o, err);
    s->noisy = !status && system_noisy(l);
    return status;
}

static enum exit_code report(struct cli *cli, const struct system_show_options *o, struct outputs *outputs,
                             const struct system_shown *s)
{
    struct render_options render = screen_options(&o->display);
    struct buf text = BUF_INIT(TEXT_MAX), json = BUF_INIT(TEXT_MAX);
    struct tare_err err;
    if (o->display.style != RENDER_NONE)
        system_show_page(s, &render, &text);
    enum exit_code code = screen_text(cli, &o->display, &text);
    if (o->display.export_file[EXPORT_TO_JSON])
        system_show_json(s, &json);
    if (outputs_write(outputs, EXPORT_TO_JSON, &json, &err))
        code = cli_worse(code, cli_fail(cli, EXIT_TOOL, &err));
    buf_finish(&json);
    return cli_worse(code, s->noisy ? EXIT_BAD : EXIT_ANSWERED);
}

int cmd_system_show(struct cli *cli, const void *options)
{
    const struct system_show_options *o = options;
    struct system_place place;
    struct look look;
    struct system_shown shown = {.machine = o->sysroot ? o->sysroot : "", .arena = cli->arena};
    struct outputs outputs;
    struct tare_err err;
    enum tare_status status = system_place_open(&place, o->sysroot, o->cpus, cli->arena, &err);
    if (!status && (status = plat_signals_watch()))
        err_set(&err, status, "cannot watch signals");
    if (status)
        return cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err);
    if (outputs_open(&outputs, &o->display, NULL, &err))
        return cli_fail(cli, EXIT_TOOL, &err);
    status = find(cli, &shown, &look, &place, o, &err);
    int code =
        status ? cli_fail(cli, status == TARE_INVALID ? EXIT_USAGE : EXIT_TOOL, &err) : (int)report(cli, o, &outputs, &shown);
    outputs_finish(&outputs, NULL);
    if (plat_signal())
        plat_die_of(plat_signal());
    return code;
}
