/* SPDX-License-Identifier: MIT */
#include "account.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static const char *const ids[] = {
#define COVARIATE(id, title, unit) #id,
#include "covariates.def"
#undef COVARIATE
};

const char *account_column(int index)
{
    return index >= 0 && index < ACCOUNT_COLUMNS ? ids[index] : NULL;
}

static double exit_code(const struct plat_child_result *result)
{
    return result->end == CHILD_EXITED ? result->code : result->end == CHILD_TIMED_OUT ? NAN : 128 + result->code;
}

static struct noise_delta delta_of(const struct plat_child_result *result)
{
    struct noise_delta d = noise_unknown((double)(result->end_ns - result->start_ns));
    d.whole = result->whole;
    d.cpu_ns = result->whole ? result->run_ns : (double)(result->user_ns + result->sys_ns);
    d.delay_ns = result->delay_ns;
    d.first_cpu = result->first_cpu < 0 ? NAN : result->first_cpu;
    d.last_cpu = result->last_cpu < 0 ? NAN : result->last_cpu;
    d.voluntary = (double)(result->ctx_voluntary - 1); /* its end is one */
    d.involuntary = (double)result->ctx_involuntary;
    d.majflt = (double)result->majflt;
    return d;
}

uint32_t account_fill(struct noise_history *h, const struct plat_child_result *result, double *values)
{
    const struct noise_delta d = delta_of(result);
    const struct noise_account a = noise_judge(h, &d);
    const double in_order[] = {exit_code(result), (double)result->ctx_voluntary,
                               d.involuntary,     a.delay_ns,
                               a.steal_ns,        d.throttled_ns,
                               d.first_cpu,       d.last_cpu,
                               d.core_hz};
    _Static_assert(sizeof in_order / sizeof *in_order == ACCOUNT_COLUMNS, "one value for each covariate");
    memcpy(values, in_order, sizeof in_order);
    return a.flags;
}
