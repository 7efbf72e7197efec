/* SPDX-License-Identifier: MIT */
#include "bench_session.h"
#include "padding.h"
#include <string.h>

/* How often the variable of this entry is given, among the first n. */
static int times_given(const struct option_list *env, int n, const char *entry)
{
    int times = 0;
    for (int i = 0; i < n; i++)
        times += environment_same_name(env->items[i], entry);
    return times;
}

static enum tare_status check_times(const struct bench *b, struct tare_err *err)
{
    const struct option_list *env = &b->run.o->env;
    for (int i = 0; i < env->n; i++) {
        const char *entry = env->items[i];
        const int times = times_given(env, env->n, entry);
        if (times > 1 && times != b->n_programs)
            return err_set(err, TARE_INVALID, "--env %.*s is given %d times for %d program%s; give it once, or once for each%s",
                           (int)strcspn(entry, "="), entry, times, b->n_programs, buf_plural(b->n_programs),
                           b->run.o->anchor ? ", for that of --anchor last" : "");
    }
    return TARE_OK;
}

static const char *const *environment_of(struct bench *b, int program)
{
    const struct option_list *env = &b->run.o->env;
    struct arena *a = b->run.cli->arena;
    const char **own = arena_array(a, (size_t)env->n + 1, sizeof *own);
    int n = 0;
    for (int i = 0; own && i < env->n; i++) {
        if (times_given(env, env->n, env->items[i]) == 1)
            continue; /* is set for all */
        b->places_differ = true;
        if (times_given(env, i, env->items[i]) == program)
            own[n++] = env->items[i];
    }
    return own ? environment_with(a, b->run.exec_options.environment, own, n) : NULL;
}

enum tare_status bench_choose_environments(struct bench *b, struct tare_err *err)
{
    enum tare_status status = b->given ? TARE_OK : check_times(b, err);
    b->places_differ = b->run.o->cwds.n > 0;
    for (int i = 0; i < b->n_programs && !status; i++)
        if (!(b->programs[i].environment = b->given ? b->run.exec_options.environment : environment_of(b, i)))
            status = err_no_memory(err);
    return status;
}
