/* SPDX-License-Identifier: MIT
 *
 * What the processor's counter and its core are worth, as the record has it.
 */
#include "clock_session.h"
#include "clocks.h"
#include <math.h>
#include <string.h>

/* A register of Arm is no source that a time-stamp counter lacks, nor cpuid one of Arm's. */
static bool is_of_here(const struct clock_counter *c, enum clock_source source)
{
    bool tsc = !strcmp(c->name, "tsc");
    return source == SOURCE_REGISTER ? !tsc : source == SOURCE_CPUID_15 || source == SOURCE_HYPERVISOR ? tsc : true;
}

static enum tare_status add_source(struct clock_session *s, int subject, const char *name, const struct clock_source_said *said)
{
    bool known = said->status == TARE_OK;
    return clock_estimate(s, subject, "frequency", name, known ? said->hz : NAN, 1, known ? NULL : said->reason);
}

/* Largest distance of a source from the measured frequency; NaN where no other source speaks. */
static double sources_apart(const struct clock_counter *c)
{
    double largest = NAN;
    for (int i = 0; i < SOURCE_MEASURED; i++)
        if (c->sources[i].status == TARE_OK && !isnan(c->sources[i].off_ppm))
            largest = fmax(isnan(largest) ? 0 : largest, fabs(c->sources[i].off_ppm));
    return largest;
}

enum tare_status clock_add_frequency(struct clock_session *s, int subject)
{
    const struct clock_counter *c = &clock_state()->counter;
    enum tare_status status = TARE_OK;
    for (int i = 0; i < CLOCK_SOURCES && !status; i++)
        if (is_of_here(c, (enum clock_source)i))
            status = add_source(s, subject, clock_source_name((enum clock_source)i), &c->sources[i]);
    double apart = sources_apart(c);
    if (!status && !isnan(apart))
        status = clock_estimate(s, subject, "apart", "frequency", apart, 1, NULL);
    return status;
}

enum tare_status clock_measure_core(struct clock_session *s, struct tare_err *err)
{
    static const char name[] = "reference chains";
    const struct subject subject = {.kind = SUBJECT_EXPERIMENT, .name = name, .command = name};
    int chains = record_add_subject(&s->record, &subject, NULL, 0);
    const struct clock_core *core = &s->core;
    if (chains < 0)
        return err_set(err, TARE_NO_MEMORY, "no memory for the reference chains");
    bool ran = clock_core_examine(&s->core, &s->why_no_core) == TARE_OK;
    const char *reason = ran ? NULL : s->why_no_core.text;
    s->core_known = ran && core->agree;
    if (ran && !core->agree)
        err_set(&s->why_no_core, TARE_UNSUPPORTED, "%s", core->reason);
    enum tare_status status = clock_estimate(s, chains, "core_hz", "multiplies", ran ? core->hz : NAN, 1, reason);
    if (!status)
        status = clock_estimate(s, chains, "core_hz", "adds", ran ? core->adds_hz : NAN, 1, reason);
    if (!status && ran)
        status = clock_estimate(s, chains, "apart", "chains", fabs(core->hz / core->adds_hz - 1) * 1e6, 1, NULL);
    return status ? err_set(err, status, "no memory for the reference chains") : TARE_OK;
}
