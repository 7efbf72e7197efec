/* SPDX-License-Identifier: MIT */
#include "run_stats.h"
#include "plat_clock.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const int64_t CLOCK_CHECK_NS = 100000000;
static const double COUNTING_NS = 3000,
                    COUNTING_SHARE = 0.005; /* a task's record; the most of a run that they may take, half the usual margin */

static const char *const ids[] = {
#define COVARIATE(id, title, unit) #id,
#include "covariates.def"
};

const char *account_column(int index)
{
    return index >= 0 && index < RUN_STATS_COLUMNS ? ids[index] : NULL;
}

enum tare_status run_stats_open(struct run_stats *a, int n_commands)
{
    *a = (struct run_stats){.chain = plat_ticks_allowed(NULL) == TARE_OK};
    noise_quota_open(&a->quota, NULL);
    a->commands = calloc((size_t)n_commands + 1, sizeof *a->commands);
    return a->commands ? TARE_OK : TARE_NO_MEMORY;
}

void run_stats_close(struct run_stats *a)
{
    if (!a->commands)
        return;
    noise_quota_close(&a->quota);
    free(a->commands);
    *a = (struct run_stats){0};
}

void run_stats_before(struct run_stats *a)
{
    a->throttled_ns = noise_quota_throttled_ns(&a->quota);
}

static double throttled(const struct run_stats *a, const struct plat_child_result *result)
{
    if (!isnan(result->throttled_ns))
        return result->throttled_ns;
    int64_t now = noise_quota_throttled_ns(&a->quota);
    return now < 0 || a->throttled_ns < 0 ? NAN : (double)(now - a->throttled_ns);
}

static double core_hz(struct run_stats *a, const struct plat_child_result *result)
{
    if (result->chain_ticks <= 0)
        return result->core_hz;
    double hz = rint(clock_chain_hz(result->chain_ticks)); /* parts of a hertz are noise */
    a->chain = !isnan(hz); /* where the chains do not agree they are of no use to the next run either */
    return hz;
}

/* How far the processor's counter and the reference clock ran apart since the last look, beyond what may be a mistake of ours. */
static void check_clocks(struct run_stats *a, struct noise_delta *d)
{
    if (!a->clocks_seen.ns)
        a->clocks_seen = clock_state()->start;
    if (plat_clock_ns(clock_reference()) - a->clocks_seen.ns < CLOCK_CHECK_NS)
        return;
    double ppm, bound_ppm;
    enum tare_status status = clock_drift(&a->clocks_seen, &ppm, &bound_ppm, NULL);
    d->clock_went_backwards = status == TARE_INVALID;
    if (!status)
        d->clock_ppm = fmax(0, fabs(ppm) - bound_ppm);
}

static double exit_code(const struct plat_child_result *result)
{
    return result->end == CHILD_EXITED ? result->code : result->end == CHILD_TIMED_OUT ? NAN : 128 + result->code;
}

double or_unknown(int64_t value)
{
    return value < 0 ? NAN : (double)value;
}

/* Of several tasks: all that they waited where it is too little to count, what was surely for others where that counts. Between the two they may have
 * waited for each other. */
static double tree_delay(const struct plat_child_result *result, double wall_ns)
{
    const double counts = noise_threshold_ns(wall_ns);
    return result->tree_delay_ns <= counts        ? result->tree_delay_ns
           : result->tree_delay_least_ns > counts ? result->tree_delay_least_ns
                                                  : NAN;
}

uint32_t run_stats_fill(struct run_stats *a, int command, const struct plat_child_result *result, double *values)
{
    struct run_stats_command *c = &a->commands[command];
    struct noise_delta d = noise_unknown((double)(result->end_ns - result->start_ns));
    d.whole = result->whole;
    d.paused = result->paused;
    d.cpu_ns = result->whole ? result->run_ns : or_unknown(result->user_ns) + or_unknown(result->sys_ns);
    d.tree_delay_ns = result->whole ? NAN : tree_delay(result, d.wall_ns);
    d.delay_ns = isnan(result->tree_delay_ns) ? result->delay_ns : result->tree_delay_ns;
    d.throttled_ns = throttled(a, result);
    d.voluntary = result->ctx_voluntary < 0 ? NAN : fmax(0, (double)(result->ctx_voluntary - 1)); /* its end is one */
    d.involuntary = or_unknown(result->ctx_involuntary);
    d.majflt = or_unknown(result->majflt);
    d.first_cpu = or_unknown(result->first_cpu);
    d.last_cpu = or_unknown(result->last_cpu);
    d.core_hz = core_hz(a, result);
    if (result->chain_ticks > 0 && a->chain)
        check_clocks(a, &d);
    const struct noise_account judged = noise_judge(&c->history, &d);
    c->several = !result->whole;
    c->dear |= COUNTING_NS * result->tasks_counted > COUNTING_SHARE * d.wall_ns;
    const double in_order[] = {
        exit_code(result), or_unknown(result->ctx_voluntary),
        d.involuntary,     judged.delay_ns,
        judged.steal_ns,   d.throttled_ns,
        d.first_cpu,       d.last_cpu,
        d.core_hz,
    };
    _Static_assert(sizeof in_order / sizeof *in_order == RUN_STATS_COLUMNS, "one value for each covariate");
    memcpy(values, in_order, sizeof in_order);
    return judged.flags;
}
