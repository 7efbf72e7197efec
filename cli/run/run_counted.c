/* SPDX-License-Identifier: MIT
 * What untimed processes that count have in common: their own request, what they counted, what is said of them. */
#include "run_untimed_kinds.h"
#include <string.h>

static bool is_request(const char *entry)
{
    size_t n = strlen(WIRE_VARIABLE);
    return !strncmp(entry, WIRE_VARIABLE, n) && entry[n] == '=';
}

void counted_ask(struct run *run, struct plat_child_spec *spec, const char *variable)
{
    int n = 0, kept = 0;
    while (spec->envp[n])
        n++;
    const char **environment = arena_array(run->cli->arena, (size_t)n + 2, sizeof *environment);
    if (!environment)
        return;
    for (int i = 0; i < n; i++)
        if (!is_request(spec->envp[i]))
            environment[kept++] = spec->envp[i];
    environment[kept++] = variable;
    environment[kept] = NULL;
    spec->envp = environment;
}

const char *counted_variable(struct run *run, const struct bench_request *q)
{
    enum { VARIABLE_MOST = 1 << 17 };
    struct buf text = BUF_INIT(VARIABLE_MOST);
    bench_variable(q, run->record.seed, &text);
    const char *kept = text.status ? NULL : arena_strdup(run->cli->arena, buf_text(&text));
    buf_finish(&text);
    return kept;
}

enum tare_status counted_keep(struct run *run, int subject, const char *name, const char *unit, double value,
                              struct tare_err *err)
{
    struct session *s = &run->session;
    const struct rows *rows = &run->record.series[subject].main;
    const struct count what = {.name = name, .unit = unit, .per = COUNT_PER_ITERATION};
    const int last = rows->n ? rows->round[rows->n - 1] : 0;
    if (record_add_count(&run->record, subject, last, &what, value))
        return err_set(err, TARE_NO_MEMORY, "no memory for what was counted");
    if (s->writer && !s->save_failed && record_write_count(s->writer, &run->record, subject, name, &s->save_error))
        s->save_failed = true;
    return TARE_OK;
}

void counted_say(struct run *run, const char *text)
{
    live_clear(&run->live);
    run_note(run, text);
}
