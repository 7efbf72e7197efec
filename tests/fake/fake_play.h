/* SPDX-License-Identifier: MIT
 *
 * fake_play.h - sets a script and runs its children, for the tests of the fake platform itself.
 */
#ifndef FAKE_PLAY_H
#define FAKE_PLAY_H

#include "fake.h"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const no_environment[] = {NULL};

static inline void play(const char *script)
{
    struct tare_err err = {{0}};
    if (fake_script_set(script, &err))
        fail_msg("%s", err.text);
}

static inline struct plat_spawner *spawner(void)
{
    static struct plat_spawner *s;
    if (!s)
        assert_int_equal(plat_spawner_create(&s, NULL, NULL), TARE_OK);
    return s;
}

static inline struct plat_child_spec spec_of(const char *const *argv)
{
    return (struct plat_child_spec){.path = argv[0],
                                    .argv = argv,
                                    .envp = no_environment,
                                    .fd_in = -1,
                                    .fd_out = -1,
                                    .fd_err = -1,
                                    .pin_cpu = -1,
                                    .drain_fd = -1};
}

static inline struct plat_child_result run_spec(const struct plat_child_spec *spec)
{
    struct plat_child_result result;
    struct tare_err err = {{0}};
    if (plat_child_run(spawner(), spec, &result, &err))
        fail_msg("%s", err.text);
    return result;
}

static inline struct plat_child_result run_argv(const char *const *argv)
{
    struct plat_child_spec spec = spec_of(argv);
    return run_spec(&spec);
}

static inline struct plat_child_result run(const char *name)
{
    return run_argv((const char *const[]){name, NULL});
}

static inline struct plat_child_result run_shell(const char *text)
{
    return run_argv((const char *const[]){"/bin/sh", "-c", text, NULL});
}

static inline int64_t wall(struct plat_child_result r)
{
    return r.end_ns - r.start_ns;
}

#endif
