/* SPDX-License-Identifier: MIT
 *
 * The rules. T = max(50 us, 1 % of the wall time), the size from which lost time counts: below 50 us lie the kernel's own
 * interrupts and the rounding of its accounts, below 1 % the margin by which two commands are called the same.
 *
 *   PREEMPTED    delay - throttled > T. The delay is the kernel's run_delay (/proc/PID/schedstat): time on a run queue.
 *                Of several threads and processes it is that of all of them, where it is known: only what was surely for others, or what is too
 *                little to count.
 *   STOLEN       wall - cpu - delay > T, of one thread that never gave up its CPU and was neither throttled nor paused. Linux takes the hypervisor's time out of
 *                a task's CPU time (PARAVIRT_TIME_ACCOUNTING) and a task that runs waits for nothing, so what is left was taken
 *                from outside. Where the kernel cannot see steal it counts as CPU time, and nothing is left: less is said, not wrong.
 *                Kernels with IRQ_TIME_ACCOUNTING take interrupts out of CPU time as well; a storm of them is then in here, too.
 *   THROTTLED    throttled > T. The kernel counts a throttled task as waiting too, so this part is taken out of PREEMPTED.
 *   MIGRATED     first CPU != last CPU. A move and a move back are not seen.
 *   FREQUENCY    core frequency more than 1 % off the median of the last NOISE_WINDOW values, of which there are at least 3.
 *   CLOCK        two clocks disagree by more than 10 ppm, or one went backwards. NTP slews the monotonic clock by at most 500 ppm,
 *                but rarely by more than 10 once it has settled.
 *   BLOCKED      it gave up its CPU at least once, and wall - cpu - delay > T; of an unknown delay it may have been the wait for a CPU. Of several
 *                threads and processes CPU time is a sum and delay that of the first: then it is seen only where little ran side by side, and may
 *                be another one's wait for a CPU.
 *   FAULTED      a page was read from disk; or the sample took so many more page faults than the median of the last NOISE_WINDOW that
 *                at 0.2 us each, the least that one is known to take, they come to more than T of its CPU time, which others cannot
 *                lengthen. Needs 3 values.
 *   PAUSED       a signal stopped it, or the process that reads the clock at its end; BLOCKED is then not set.
 *   UNEXPLAINED  no other flag, and the wall time lies over the median of the last NOISE_WINDOW by more than 10 robust deviations (1.4826
 *                median absolute deviations) and by more than 1 %. Needs 10 values. Only upwards: nothing makes a program
 *                too fast but a change of frequency.
 *
 * Samples of all kinds enter the history: medians bear it, and leaving the long ones out would make the next ones look longer.
 * Ties and constant data: a deviation of 0 leaves the 1 %. n of 0: no rule that looks back applies. NaN enters no history.
 */
#include "noise.h"
#include <math.h>

static const double LEAST_LOST_NS = 50e3, LEAST_LOST_SHARE = 0.01;
static const double FREQUENCY_SHARE = 0.01;
static const double CLOCK_PPM = 10;
static const double FAULT_LEAST_NS = 200;
static const double UNEXPLAINED_DEVIATIONS = 10, UNEXPLAINED_SHARE = 0.01;
static const double MAD_TO_SD = 1.4826; /* 1 / the normal distribution's upper quartile */
enum { FREQUENCY_LEAST = 3, FAULTS_LEAST = 3, WALL_LEAST = 10 };

double noise_threshold_ns(double wall_ns)
{
    return fmax(LEAST_LOST_NS, LEAST_LOST_SHARE * wall_ns);
}

static void window_add(struct noise_window *w, double value)
{
    if (isnan(value))
        return;
    w->values[w->next] = value;
    w->next = (w->next + 1) % NOISE_WINDOW;
    if (w->n < NOISE_WINDOW)
        w->n++;
}

/* Not that of stats, which noise does not see: it runs inside measured processes. n is small, and a library's sort may allocate. */
static double median_in_place(double *x, int n)
{
    for (int i = 1; i < n; i++) {
        double value = x[i];
        int j = i;
        for (; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static double window_median(const struct noise_window *w)
{
    double x[NOISE_WINDOW];
    for (int i = 0; i < w->n; i++)
        x[i] = w->values[i];
    return median_in_place(x, w->n);
}

static double window_deviation(const struct noise_window *w, double median)
{
    double x[NOISE_WINDOW];
    for (int i = 0; i < w->n; i++)
        x[i] = fabs(w->values[i] - median);
    return MAD_TO_SD * median_in_place(x, w->n);
}

/* The rules; a comparison with NaN is false, so an unknown signal raises nothing. */

static double or_none(double ns)
{
    return isnan(ns) ? 0 : ns;
}

static bool is_off(const struct noise_window *w, double hz)
{
    if (w->n < FREQUENCY_LEAST)
        return false;
    double median = window_median(w);
    return fabs(hz - median) > FREQUENCY_SHARE * median;
}

static bool is_far_over(const struct noise_window *w, double wall_ns)
{
    if (w->n < WALL_LEAST)
        return false;
    double median = window_median(w), over = wall_ns - median;
    return over > UNEXPLAINED_SHARE * median && over > UNEXPLAINED_DEVIATIONS * window_deviation(w, median);
}

static bool touched_more(const struct noise_window *w, const struct noise_delta *d)
{
    if (w->n < FAULTS_LEAST || isnan(d->cpu_ns))
        return false;
    return (d->minflt - window_median(w)) * FAULT_LEAST_NS > noise_threshold_ns(d->cpu_ns);
}

static double unaccounted(const struct noise_delta *d, double delay_ns)
{
    bool stayed = d->voluntary == 0 && !d->paused && or_none(d->throttled_ns) == 0;
    return stayed ? d->wall_ns - d->cpu_ns - delay_ns : NAN;
}

struct noise_account noise_judge(struct noise_history *h, const struct noise_delta *d)
{
    struct noise_account a = {.delay_ns = d->whole ? d->delay_ns : d->tree_delay_ns};
    a.steal_ns = d->whole ? unaccounted(d, d->delay_ns) : NAN;
    double threshold = noise_threshold_ns(d->wall_ns), throttled = or_none(d->throttled_ns);
    const double waited = throttled > d->delay_ns ? throttled : d->delay_ns;
    double idle = d->wall_ns - d->cpu_ns - waited; /* NaN where the delay is */
    uint32_t flags = 0;
    if (a.delay_ns - throttled > threshold)
        flags |= NOISE_PREEMPTED;
    if (a.steal_ns > threshold)
        flags |= NOISE_STOLEN;
    if (throttled > threshold)
        flags |= NOISE_THROTTLED;
    if (d->paused)
        flags |= NOISE_PAUSED;
    else if (d->voluntary > 0 && idle > threshold)
        flags |= NOISE_BLOCKED;
    a.flags = flags;
    if (!isnan(d->first_cpu) && !isnan(d->last_cpu) && d->first_cpu != d->last_cpu)
        a.flags |= NOISE_MIGRATED;
    if (is_off(&h->core_hz, d->core_hz))
        a.flags |= NOISE_FREQUENCY;
    if (fabs(d->clock_ppm) > CLOCK_PPM || d->clock_went_backwards || d->wall_ns < 0)
        a.flags |= NOISE_CLOCK;
    if (d->majflt > 0 || touched_more(&h->minflt, d))
        a.flags |= NOISE_FAULTED;
    if (!a.flags && is_far_over(&h->wall_ns, d->wall_ns))
        a.flags |= NOISE_UNEXPLAINED;
    window_add(&h->wall_ns, d->wall_ns);
    window_add(&h->core_hz, d->core_hz);
    window_add(&h->minflt, d->minflt);
    return a;
}
