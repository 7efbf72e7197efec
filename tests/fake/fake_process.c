/* SPDX-License-Identifier: MIT
 *
 * The measured process of the fake world: its memory is not told of.
 */
#include "buf.h"
#include "plat_process.h"
#include <stdlib.h>

bool plat_process_memory(struct plat_process_memory *out)
{
    *out = (struct plat_process_memory){-1, -1};
    return false;
}

bool plat_process_peak_forget(void)
{
    return false;
}

enum tare_status plat_process_again(const char *variable, const char *value, int64_t timeout_ns, void *answer, size_t size,
                                    size_t *n, struct tare_err *err)
{
    (void)variable;
    (void)value;
    (void)timeout_ns;
    (void)answer;
    (void)size;
    *n = 0;
    return err_set(err, TARE_UNSUPPORTED, "the fake world starts no program again");
}

bool plat_process_take_variable(const char *variable, char *out, size_t size)
{
    (void)variable;
    (void)out;
    (void)size;
    return false;
}

void plat_forks_watch(void)
{
}

void plat_forked_end(void)
{
}

void plat_process_end(int code)
{
    _Exit(code);
}

enum tare_status plat_threads_run(int n, void (*run)(void *context, int thread), void *context, struct tare_err *err)
{
    if (n > 1)
        return err_set(err, TARE_UNSUPPORTED, "the fake world has one thread");
    run(context, 0);
    return TARE_OK;
}

void plat_thread_yield(void)
{
}
